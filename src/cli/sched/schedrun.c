// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * schedrun.c - reads the scheduler's events of a file for the sub-commands of `sonde sched`.
 *
 *	recordfirst ──▶ inputs ──▶ sequence: all CPUs by time ──▶ schedflow ──▶ text ──▶ output
 *
 * A range does not limit what is read: a wait in it may begin before it. The text is written in
 * pieces of FLUSH_BYTES, so a timehist of any size needs no memory.
 */
#include "cli/sched/schedrun.h"

#include "base/errmsg.h"
#include "base/files/outplace.h"
#include "base/scope.h"
#include "base/shortage.h"
#include "cli/ask/gather.h"
#include "cli/screen/notes.h"
#include "decode/order/sequence.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FLUSH_BYTES    (64u << 10)
#define TEXT_MAX_BYTES (512u << 20)

/* --- options ---------------------------------------------------------------------------------- */

int schedopts_task(void *opts, const char *value, struct errmsg *err)
{
	struct sched_options *o = opts;

	if (o->n_tasks == SCHED_WORDS_MAX)
		return errmsg_set(err, -EINVAL, "--task takes at most %d words", SCHED_WORDS_MAX);
	o->tasks[o->n_tasks++] = value;
	return 0;
}

static int parse_numbers(const char *option, const char *value, int *list, size_t *n,
			 struct errmsg *err)
{
	char *end;

	for (const char *p = value; *p || p == value; p = end + (*end == ',')) {
		long v = strtol(p, &end, 10);

		if (end == p || (*end && *end != ',') || v < 0 || v > INT32_MAX)
			return errmsg_set(err, -EINVAL,
					  "%s takes numbers with commas between, not '%s'", option,
					  value);
		if (*n == SCHED_WORDS_MAX)
			return errmsg_set(err, -EINVAL, "%s takes at most %d numbers", option,
					  SCHED_WORDS_MAX);
		list[(*n)++] = (int)v;
		if (!*end)
			break;
	}
	return 0;
}

int schedopts_tid(void *opts, const char *value, struct errmsg *err)
{
	struct sched_options *o = opts;

	return parse_numbers("-t", value, o->tids, &o->n_tids, err);
}

int schedopts_pid(void *opts, const char *value, struct errmsg *err)
{
	struct sched_options *o = opts;

	return parse_numbers("-p", value, o->pids, &o->n_pids, err);
}

int sched_cpus_parse(uint8_t *cpus, const char *value, struct errmsg *err)
{
	char *end;

	for (const char *p = value;; p = end + 1) {
		unsigned long from = strtoul(p, &end, 10), to = from;

		if (end != p && *end == '-')
			to = strtoul(p = end + 1, &end, 10);
		if (end == p || (*end && *end != ',') || from > to || to >= SCHED_CPUS_MAX)
			return errmsg_set(err, -EINVAL, "'%s' is not a list of CPUs such as 0,2-3",
					  value);
		for (; from <= to; from++)
			cpus[from / 8] |= 1u << from % 8;
		if (!*end)
			return 0;
	}
}

int schedopts_cpus(void *opts, const char *value, struct errmsg *err)
{
	struct sched_options *o = opts;

	o->has_cpus = true;
	return sched_cpus_parse(o->cpus, value, err);
}

/* A trace, or something else that exists and cannot be a command. */
static bool is_file(const char *word, int n_words)
{
	return inputs_is_trace(word) ||
	       (n_words == 1 && !access(word, F_OK) && access(word, X_OK) < 0);
}

int schedrun_parse(const struct command *cmd, struct sched_options *o, int argc, char **argv,
		   char ***ret_command, struct errmsg *err)
{
	int n_options = argc, n;

	for (int i = 1; i < argc && n_options == argc; i++)
		if (!strcmp(argv[i], "--"))
			n_options = i;
	n = command_parse(cmd, o, n_options, argv, err);
	if (n < 0)
		return n;
	*ret_command = argv + n_options + 1;
	if (n && !o->input && is_file(argv[1], n)) {
		o->input = argv[1];
		n = n > 1 ? command_parse(cmd, o, n, argv + 1, err) : 0;
		TRY(n);
		argv++;
	}
	if (n_options < argc && (n || o->input))
		return errmsg_set(err, -EINVAL, "%s takes a file or a command, not both",
				  cmd->name);
	if (n_options < argc)
		return argc - n_options - 1;
	if (n && o->input)
		return errmsg_set(err, -EINVAL, "%s takes one file, not '%s' too", cmd->name,
				  argv[1]);
	if (n) {
		TRY(gather_check_command(argv[1], err));
		*ret_command = argv + 1;
	}
	return n;
}

/* --- the file --------------------------------------------------------------------------------- */

static int record_first(struct schedrun *run, int n_words, char **command, struct errmsg *err)
{
	const char *words[SCHED_RECORD_WORDS + 1];
	int n = sched_record_words(run->o->wants_stacks, words), r;
	char **all = calloc((size_t)(n + n_words) + 2, sizeof(*all));

	if (!all)
		return errmsg_set_errno(err, -ENOMEM, "cannot record the command");
	words[n++] = "-q"; /* a temporary file is of no interest */
	for (int i = 0; i < n; i++)
		all[i] = (char *)words[i];
	for (int i = 0; i < n_words; i++)
		all[n + i] = command[i];
	r = recordfirst_run(&run->first, n + n_words, all, err);
	free(all);
	return r;
}

static int find_range(struct schedrun *run, struct errmsg *err)
{
	uint64_t first = 0;

	if (!run->o->from && !run->o->to)
		return 0;
	sequence_first_ts(run->src.seq, &first);
	run->spec.from = run->o->from;
	run->spec.to = run->o->to;
	TRY(inputs_sources_parse_range(&run->src, first, &run->from, &run->to, err));
	if (run->to == UINT64_MAX)
		run->to = 0;
	return 0;
}

static void add_gap(void *ctx, const struct record *rec)
{
	schedgaps_add(ctx, rec);
}

/* Walks all records of these kinds. events NULL: none, only those after lost ones. */
static int walk_gaps(struct schedrun *run, const uint8_t *events, size_t n_events,
		     struct errmsg *err)
{
	SCOPED(inputs_sources_release) struct inputs_sources src = {0};
	struct sequence_config sc = inputs_sequence_config(&run->spec);
	uint8_t none = 0;

	sc.raw = true;
	sc.events = events ? events : &none;
	sc.n_events = events ? n_events : 1;
	TRY(inputs_sources_init(&src, &run->in, &sc, err));
	return inputs_sources_each(&src, add_gap, &run->gaps, err);
}

/* Finds where events were lost. Without losses, which is usual, it is one quick walk. */
static int find_gaps(struct schedrun *run, struct errmsg *err)
{
	size_t n_events;
	const uint8_t *events = schedflow_events(run->flow, &n_events);

	TRY(walk_gaps(run, NULL, 0, err));
	if (!run->gaps.n)
		return 0;
	schedgaps_release(&run->gaps);
	TRY(walk_gaps(run, events, n_events, err));
	schedgaps_finish(&run->gaps);
	schedflow_set_gaps(run->flow, &run->gaps);
	return 0;
}

static int open_sources(struct schedrun *run, struct errmsg *err)
{
	struct sequence_config sc = inputs_sequence_config(&run->spec);

	sc.raw = true; /* records are not printed */
	sc.all_names = true;
	sc.tgids = true;
	TRY(inputs_open(&run->in, &run->spec, err));
	if (run->o->buffer && *run->o->buffer)
		TRY(inputs_check_buffer(&run->in.files[0],
					strcmp(run->o->buffer, "-") ? run->o->buffer : NULL,
					"scheduler events", err));
	TRY(inputs_sources_init(&run->src, &run->in, &sc, err));
	if (!run->src.n)
		return errmsg_set(err, -ENODATA, "there are no events in %s", run->path.path);
	run->in_time = inputs_sources_are_ns(&run->src);
	return find_range(run, err);
}

int schedrun_open(struct schedrun *run, const struct sched_options *o, int n_words, char **command,
		  const struct schedflow_ops *ops, struct errmsg *err)
{
	size_t n_events;
	const uint8_t *events;

	*run = (struct schedrun){.o = o, .text.max_bytes = TEXT_MAX_BYTES};
	if (n_words)
		TRY(record_first(run, n_words, command, err));
	run->path.path = n_words ? run->first.path : o->input ? o->input : "trace.dat";
	run->spec = (struct inputs_spec){.paths = &run->path, .n_paths = 1};
	if (o->buffer)
		run->spec.buffers = (struct word_list){(const char **)&run->o->buffer, 1};
	TRY(open_sources(run, err));
	recordfirst_remove(&run->first);
	run->flow = schedflow_new(run->in.files[0].formats, o->self, ops);
	if (!run->flow)
		return errmsg_set_errno(err, -ENOMEM, "cannot follow the tasks");
	if (!schedflow_reader(run->flow)->has_switch)
		return errmsg_set(err, -ENODATA,
				  "%s has no event sched_switch; record with 'sonde sched record'",
				  run->path.path);
	events = schedflow_events(run->flow, &n_events);
	sequence_set_events(run->src.seq, events, n_events);
	return find_gaps(run, err);
}

void schedrun_close(struct schedrun *run)
{
	if (run->is_open)
		output_close(&run->out);
	if (run->is_open && run->o->output)
		close(run->out.fd);
	schedflow_free(run->flow);
	schedgaps_release(&run->gaps);
	inputs_sources_release(&run->src);
	inputs_close(&run->in);
	recordfirst_remove(&run->first);
	textbuf_release(&run->text);
}

/* --- output ----------------------------------------------------------------------------------- */

static int open_output(struct schedrun *run, struct errmsg *err)
{
	const struct sched_options *o = run->o;

	if (run->is_open)
		return 0;
	if (o->output && strcmp(o->output, "-")) {
		int fd = outplace_open_file(o->output, OUTPLACE_WRITE, err);

		if (fd < 0)
			return fd;
		output_open_fd(&run->out, fd);
	} else {
		TRY(output_open(&run->out, o->colour, o->no_pager, err));
	}
	run->is_open = true;
	return 0;
}

static int flush(struct schedrun *run, struct errmsg *err)
{
	int r;

	if (run->text.overflow || shortage_check(err, "cannot print the result") < 0)
		return errmsg_set(err, -ENOMEM, "cannot print the result: out of memory");
	TRY(open_output(run, err));
	r = output_write(&run->out, run->text.start, textbuf_len(&run->text));
	textbuf_clear(&run->text);
	if (r < 0 && r != -EPIPE)
		errmsg_set_errno(err, r, "cannot write the result");
	return r;
}

static void add_record(void *ctx, const struct record *rec)
{
	struct schedrun *run = ctx;

	if (run->out_error < 0)
		return;
	schedflow_add(run->flow, rec);
	if (textbuf_len(&run->text) >= FLUSH_BYTES) {
		struct errmsg err = {0};

		run->out_error = flush(run, &err);
	}
}

int schedrun_walk(struct schedrun *run, struct errmsg *err)
{
	TRY(inputs_sources_each(&run->src, add_record, run, err));
	if (run->out_error < 0 && run->out_error != -EPIPE)
		return errmsg_set_errno(err, run->out_error, "cannot write the result");
	if (run->out_error < 0)
		return run->out_error;
	schedflow_end(run->flow);
	if (!schedflow_counts(run->flow)->n_switches)
		return errmsg_set(err, -ENODATA,
				  "there is no sched_switch in %s; record with 'sonde sched "
				  "record'",
				  run->path.path);
	return 0;
}

int schedrun_refuse_nothing(const struct schedrun *run, struct errmsg *err)
{
	const struct sched_options *o = run->o;

	if (o->json) /* programs read an empty list */
		return 0;
	if (!o->n_tasks && !o->n_tids && !o->n_pids && !o->has_cpus && !o->from && !o->to)
		return 0;
	return errmsg_set(err, -ENODATA, "nothing in %s matches the tasks, CPUs and times",
			  run->path.path);
}

static void warn(const struct schedrun *run)
{
	const struct schedflow_counts *c = schedflow_counts(run->flow);

	if (run->o->quiet)
		return;
	if (c->n_gaps)
		fprintf(stderr,
			"sonde: events were lost in %llu places; waits and sleeps across them are "
			"not counted\n",
			(unsigned long long)c->n_gaps);
	if (!c->n_wakings)
		fprintf(stderr,
			"sonde: there are no wakings in the trace: only waits of preempted tasks "
			"are known; record with 'sonde sched record'\n");
	if (c->n_foreign)
		fprintf(stderr,
			"sonde: %llu events of other buffers are not used; -B NAME chooses\n",
			(unsigned long long)c->n_foreign);
	if (c->n_dropped)
		fprintf(stderr, "sonde: memory is short: %llu events are missing from the result\n",
			(unsigned long long)c->n_dropped);
	if (run->is_partial)
		fprintf(stderr,
			"sonde: the sums are too low: there are more tasks, stacks or chains "
			"than fit into memory; choose a range of time\n");
}

int schedrun_finish(struct schedrun *run, struct errmsg *err)
{
	TRY(flush(run, err));
	warn(run);
	return notes_print_damage(&run->in, run->o->quiet) || run->is_partial ? 1 : 0;
}

int schedrun_find_colour(const struct sched_options *o, bool *ret, struct errmsg *err)
{
	*ret = false;
	return o->output || o->json ? 0 : output_find_colour(o->colour, ret, err);
}

/* --- selection -------------------------------------------------------------------------------- */

/* A pid, a name, a glob, or NAME-PID as report prints it. */
static bool word_matches(const char *word, const struct sched_task *t)
{
	char label[SCHED_COMM_BYTES + 16];

	snprintf(label, sizeof(label), "%d", t->pid);
	if (!strcmp(word, label) || !strcmp(word, t->comm))
		return true;
	snprintf(label, sizeof(label), "%s-%d", t->comm, t->pid);
	return !strcmp(word, label) || (strpbrk(word, "*?[") && !fnmatch(word, t->comm, 0));
}

static bool has_number(const int *list, size_t n, int v)
{
	for (size_t i = 0; i < n; i++)
		if (list[i] == v)
			return true;
	return false;
}

bool schedrun_match(void *ctx, const struct sched_task *t)
{
	const struct sched_options *o = ((const struct schedrun *)ctx)->o;

	if (o->n_tids && has_number(o->tids, o->n_tids, t->pid))
		return true;
	if (o->n_pids && has_number(o->pids, o->n_pids, t->tgid >= 0 ? t->tgid : t->pid))
		return true;
	for (size_t i = 0; i < o->n_tasks; i++)
		if (word_matches(o->tasks[i], t))
			return true;
	return !o->n_tids && !o->n_pids && !o->n_tasks && (o->self || !t->is_own);
}

bool schedrun_has_cpu(const struct sched_options *o, uint32_t cpu)
{
	return !o->has_cpus || (cpu < SCHED_CPUS_MAX && o->cpus[cpu / 8] >> cpu % 8 & 1);
}

bool schedrun_is_in_range(const struct schedrun *run, uint64_t ts)
{
	return ts >= run->from && (!run->to || ts <= run->to);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tracecmd_record.c - record, start, set, extract, stream and profile as trace-cmd has them.
 *
 * All is done at the top level of the tracing directory, whoever uses it, or in the instances named with
 * -B. record still keeps a journal: in the end everything is as it was before, where trace-cmd leaves the
 * top level empty. -k keeps it as it was set.
 *
 * What the recording came to is read from the file that was written: for each CPU where its data is and
 * how large, as trace-cmd tells it on standard error. Losses are told on standard output.
 */
#include "capture/recording.h"
#include "cli/as/tracecmd_int.h"
#include "cli/command.h"
#include "cli/compressionopt.h"
#include "cli/netrecord.h"
#include "cli/recordopts.h"
#include "store/tracefile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TICK_MS 500

extern const struct command cmd_record, cmd_stream, cmd_report;

/* --- options ----------------------------------------------------------------------------------- */

/* Only -B was asked for: the top level is left alone. */
static bool top_is_unused(const struct plan *p)
{
	const struct plan_buffer *b = &p->buffers[0];

	return p->n_buffers > 1 && !b->n_events && !b->tracer && !b->functions.n && !b->options.n &&
	       !b->size_kb && !b->clock && !b->pids.n;
}

static int check_options(struct record_options *o, bool has_command, struct errmsg *err)
{
	if (!has_command)
		o->plan.only_command = false; /* trace-cmd takes -F alone, and it does nothing */
	o->plan.take_over = true;
	o->plan.use_top = !top_is_unused(&o->plan);
	if (!o->compression && o->file_version == 7)
		o->compression = "any";
	return recordopts_check(o, has_command, err);
}

/* trace-cmd has a filter in parentheses, as several that are joined are in the plan already. */
static int wrap_filters(const struct tc_line *line, struct plan *p)
{
	size_t buffer = 0, event = 0, n_filters;

	for (size_t i = 0; i < line->n_words; i++) {
		struct plan_event *e;
		char *text;

		if (line->words[i].option->letter == 'B') {
			buffer++;
			event = 0;
		}
		if (line->words[i].option->letter != 'e')
			continue;
		n_filters = 0;
		for (size_t k = i + 1; k < line->n_words; k++) {
			char letter = line->words[k].option->letter;

			if (letter == 'e' || letter == 'B')
				break;
			n_filters += letter == 'f';
		}
		if (buffer >= p->n_buffers || event >= p->buffers[buffer].n_events)
			return 0;
		e = &p->buffers[buffer].events[event++];
		if (n_filters != 1 || !e->filter)
			continue;
		if (asprintf(&text, "(%s)", e->filter) < 0)
			return -ENOMEM;
		free(e->filter);
		e->filter = text;
	}
	return 0;
}

/* *ret_argv: the command and its arguments, NULL if there is none; the caller frees *ret_heap. */
static int parse_options(const struct tc_line *line, struct record_options *o, char ***ret_argv,
			 char ***ret_heap, struct errmsg *err)
{
	bool help = false;
	int argc, n;
	char **words = tc_words(line, NULL, &argc);

	recordopts_init(o);
	*ret_heap = words;
	if (!words)
		return -ENOMEM;
	n = options_parse(cmd_record.options, o, argc, words, OPTIONS_STOP_AT_ARGUMENT, &help, err);
	if (n < 0)
		return n;
	words[n + 1] = NULL;
	*ret_argv = n ? words + 1 : NULL;
	n = wrap_filters(line, &o->plan);
	return n < 0 ? n : check_options(o, *ret_argv != NULL, err);
}

static void tell_tracers(const struct record_options *o)
{
	for (size_t i = 0; i < o->plan.n_buffers && !o->quiet; i++)
		if (o->plan.buffers[i].tracer)
			fprintf(stderr, "  plugin '%s'\n", o->plan.buffers[i].tracer);
}

/* What was put in the place of something. Of events that are left out (-i) trace-cmd says nothing. */
static void tell_notes(const struct setup *s, const struct record_options *o)
{
	for (size_t i = 0; s && i < s->notes.n && !o->quiet && !o->plan.ignore_unknown; i++)
		fprintf(stderr, "  %s\n", s->notes.texts[i]);
}

/* --- what came of it --------------------------------------------------------------------------- */

struct loss {
	const char *buffer; /* its name in the plan */
	unsigned cpu;
	uint64_t overrun, commit_overrun;
};

struct losses {
	struct loss *rows;
	size_t n;
};

static void losses_read(struct losses *l, const struct session *s)
{
	l->rows = calloc(s->setup->n_buffers * s->n_cpus + 1, sizeof(*l->rows));
	for (size_t i = 0; l->rows && i < s->setup->n_buffers; i++)
		for (unsigned cpu = 0; cpu < s->n_cpus; cpu++) {
			const struct setup_buffer *b = &s->setup->buffers[i];
			struct cpu_stats st;

			if (session_cpu_stats(s, b->instance, cpu, &st, NULL) &&
			    (st.overrun || st.commit_overrun))
				l->rows[l->n++] = (struct loss){b->plan->name, cpu, st.overrun,
								st.commit_overrun};
		}
}

static void tell_losses(FILE *to, const struct losses *losses, const char *buffer)
{
	for (size_t i = 0; i < losses->n; i++) {
		const struct loss *l = &losses->rows[i];

		if (strcmp(l->buffer, buffer))
			continue;
		fprintf(to, "CPU %u:", l->cpu);
		if (l->overrun)
			fprintf(to, " %llu events lost", (unsigned long long)l->overrun);
		if (l->commit_overrun)
			fprintf(to, " %llu events lost due to commit overrun",
				(unsigned long long)l->commit_overrun);
		fputc('\n', to);
	}
}

/* The sum of what the chunks hold: u32 count, then u32 packed, u32 unpacked and the bytes of each. */
static uint64_t unpacked_bytes(const struct tracefile *tf, const struct tracefile_cpu *c)
{
	uint64_t at = c->offset + 4, end = c->offset + c->n_bytes, total = 0;
	uint32_t n, sizes[2];

	if (c->n_bytes < 4 || end > tf->map.len || c->offset > end)
		return 0;
	memcpy(&n, tf->map.data + c->offset, sizeof(n));
	while (n-- && end - at >= sizeof(sizes)) {
		memcpy(sizes, tf->map.data + at, sizeof(sizes));
		if (sizes[0] > end - at - sizeof(sizes))
			break;
		at += sizeof(sizes) + sizes[0];
		total += sizes[1];
	}
	return total;
}

static const struct tracefile_cpu *find_cpu(const struct tracefile_buffer *b, unsigned cpu)
{
	for (size_t i = 0; i < b->n_cpus; i++)
		if (b->cpus[i].cpu == cpu)
			return &b->cpus[i];
	return NULL;
}

static void tell_cpus(const struct tracefile *tf, const struct tracefile_buffer *b, unsigned n_cpus)
{
	uint64_t offset = b->n_cpus ? b->cpus[0].offset : tf->map.len;

	for (unsigned cpu = 0; cpu < n_cpus; cpu++) {
		const struct tracefile_cpu *c = find_cpu(b, cpu);

		offset = c ? c->offset : offset;
		fprintf(stderr, "CPU%u data recorded at offset=0x%llx\n    %llu bytes in size", cpu,
			(unsigned long long)offset, (unsigned long long)(c ? c->n_bytes : 0));
		if (tf->compression != COMPRESSION_NONE)
			fprintf(stderr, " (%llu uncompressed)",
				(unsigned long long)(c ? unpacked_bytes(tf, c) : 0));
		fputc('\n', stderr);
	}
}

static void tell_file(const char *path, const struct record_options *o, const struct losses *losses,
		      unsigned n_cpus)
{
	FILE *to = o->to_stderr ? stderr : stdout;
	struct errmsg ignored = {0};
	struct tracefile *tf;

	if (o->quiet || tracefile_open(&tf, path, &ignored) < 0)
		return;
	for (size_t i = 0; i < tf->n_buffers; i++) {
		const struct tracefile_buffer *b = &tf->buffers[i];

		if (*b->name)
			fprintf(to, "\nBuffer: %s\n\n", b->name);
		tell_losses(to, losses, b->name);
		fflush(to);
		if (!b->is_text)
			tell_cpus(tf, b, n_cpus);
	}
	tracefile_close(tf);
}

/* --- record ------------------------------------------------------------------------------------ */

struct watch {
	struct recording *rec;
	struct errmsg err;
};

static bool tick(void *ctx)
{
	struct watch *w = ctx;

	return recording_flush(w->rec, &w->err) >= 0;
}

static int run_session(struct session *s, struct recording *rec, const struct record_options *o,
		       struct errmsg *err)
{
	struct watch w = {.rec = rec};
	struct recording_sum sum;
	int r = session_start(s, err);

	if (r >= 0) {
		if (!s->config.argv && !o->quiet) {
			fprintf(o->to_stderr ? stderr : stdout, "Hit Ctrl^C to stop recording\n");
			fflush(stdout);
		}
		if (session_wait(s, recording_fd(rec), TICK_MS, tick, &w) == SESSION_TICK)
			*err = w.err;
	}
	session_stop(s, err);
	if (r < 0) {
		recording_free(rec);
		return r;
	}
	r = recording_finish(rec, &sum, err);
	return err->code ? err->code : r;
}

static struct recording_config file_config(const struct record_options *o, const char *path)
{
	return (struct recording_config){
		.path = path,
		.temp_dir = o->temp_dir,
		.version = o->file_version,
		.max_bytes = o->max_kb * 1024,
		.ts_offset = o->ts_offset,
		.date = o->date,
		.tsc2nsec = o->tsc2nsec,
		.proc_map = o->proc_map,
		.hooks = &o->hooks,
		.program = TRACECMD_VERSION " (sonde " SONDE_VERSION ")",
		.sleep_us = o->sleep_us,
		.rt_priority = o->rt_priority,
		.no_splice = o->no_splice,
		.busy = o->busy,
	};
}

static int record(const struct record_options *o, char **argv, const char *path, struct errmsg *err)
{
	struct session_config config = {
		.plan = &o->plan,
		.argv = argv,
		.user = o->user,
		.keep = o->keep,
		.all_formats = o->all_formats,
	};
	struct recording_config rc = file_config(o, path);
	struct recording *rec = NULL;
	struct losses losses = {0};
	unsigned n_cpus = 0;
	struct session s;
	int r = compressionopt_parse(o->compression, o->file_version, &rc.compression, err), r2;

	if (r < 0)
		return r;
	if (o->guests.n)
		return errmsg_set(err, -ENOTSUP,
				  "guests (-A) are recorded by 'sonde record -A' only");
	if (o->host || o->vsock)
		return netrecord_run(o, &rc, argv, err);
	r = session_open(&s, &config, err);
	if (r >= 0) {
		tell_tracers(o);
		tell_notes(s.setup, o);
		r = recording_open(&rec, &s, &rc, err);
	}
	if (r >= 0)
		r = run_session(&s, rec, o, err);
	if (r >= 0) {
		losses_read(&losses, &s);
		n_cpus = s.n_cpus;
	}
	r2 = session_close(&s, err);
	r = r < 0 ? r : r2;
	if (r >= 0)
		tell_file(path, o, &losses, n_cpus);
	free(losses.rows);
	return r;
}

int tc_run_record(struct tc_line *line, struct errmsg *err)
{
	char **argv = NULL, **heap = NULL;
	struct record_options o;
	int r = parse_options(line, &o, &argv, &heap, err);

	if (r >= 0 && !plan_does_something(&o.plan))
		r = errmsg_set(err, -ENOENT, "there is no event (-e) and no tracer (-p) to record");
	if (r >= 0)
		r = record(&o, argv, o.output ? o.output : "trace.dat", err);
	recordopts_release(&o);
	free(heap);
	return r < 0 ? r : 0;
}

/* --- start, set -------------------------------------------------------------------------------- */

/* trace-cmd writes the lists of functions anew, if there is one to write, and else leaves them. */
static int empty_lists(const struct tracefs *t, const struct plan_buffer *b, struct errmsg *err)
{
	const struct {
		const struct plan_words *words;
		const char *file;
	} rows[] = {
		{&b->functions, "set_ftrace_filter"},
		{&b->no_functions, "set_ftrace_notrace"},
		{&b->graph_functions, "set_graph_function"},
	};
	int r = 0;

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows) && r >= 0; i++)
		if (rows[i].words->n && tracefs_exists(t, b->name, rows[i].file))
			r = tracefs_write(t, b->name, rows[i].file, "", TRACEFS_SET, err);
	return r;
}

static bool instance_exists(const struct tracefs *t, const char *name)
{
	return tracefs_exists(t, name, "tracing_on");
}

/* Before start: what traced until now ends. Before set: only lists that are given anew. */
static int prepare(const struct tracefs *t, const struct plan *p, bool is_set, struct errmsg *err)
{
	int r = 0;

	for (size_t i = 0; i < p->n_buffers && r >= 0; i++) {
		const struct plan_buffer *b = &p->buffers[i];

		if ((!i && !p->use_top) || !instance_exists(t, b->name))
			continue;
		if (b->is_removed)
			r = tracefs_remove_instance(t, b->name, err);
		else if (!is_set)
			r = tc_switch_off(t, b->name, err);
		if (r >= 0 && !b->is_removed)
			r = empty_lists(t, b, err);
	}
	return r;
}

static int run_command(const struct record_options *o, struct setup *s, char **argv, bool fork,
		       struct errmsg *err)
{
	struct child child;
	int r = child_start(&child, &(struct child_config){.argv = argv, .user = o->user}, err);

	if (r < 0)
		return r;
	if (o->plan.only_command)
		r = setup_set_pid(s, child.pid, err);
	if (r >= 0)
		r = setup_start(s, err);
	if (r < 0) {
		child_cancel(&child);
		return r;
	}
	r = child_go(&child, argv[0], err);
	if (r < 0 || !fork)
		child_end(&child);
	return r;
}

/* tracing_on as it was in the buffers that are there, 1 in new ones: -1 stands for them. */
static void keep_switches(const struct tracefs *t, const struct plan *p, int *on)
{
	for (size_t i = 0; i < p->n_buffers; i++)
		on[i] = (int)tracefs_read_number(t, p->buffers[i].name, "tracing_on");
}

static void put_switches(const struct tracefs *t, const struct plan *p, const int *on)
{
	for (size_t i = 0; i < p->n_buffers; i++)
		if (tracefs_exists(t, p->buffers[i].name, "tracing_on"))
			tracefs_try_write(t, p->buffers[i].name, "tracing_on", on[i] ? "1" : "0",
					  TRACEFS_SET);
}

static int start(const struct tc_line *line, struct record_options *o, char **argv, bool is_set,
		 struct errmsg *err)
{
	int *on = calloc(o->plan.n_buffers, sizeof(*on));
	struct setup *s = NULL;
	struct tracefs t = {0};
	int r = on ? tracefs_open(&t, err) : -ENOMEM;

	if (r >= 0) {
		keep_switches(&t, &o->plan, on);
		r = prepare(&t, &o->plan, is_set, err);
	}
	o->plan.keep_before = true;
	if (r >= 0)
		r = setup_apply(&s, &o->plan, &t, NULL, err);
	tell_notes(s, o);
	if (r >= 0)
		tell_tracers(o);
	if (on && (r < 0 || is_set))
		put_switches(&t, &o->plan, on);
	if (r >= 0 && argv)
		r = run_command(o, s, argv, tc_has(line, 0, "fork"), err);
	else if (r >= 0 && !is_set)
		r = setup_start(s, err);
	setup_free(s);
	free(on);
	return r;
}

static int start_or_set(struct tc_line *line, bool is_set, struct errmsg *err)
{
	char **argv = NULL, **heap = NULL;
	struct record_options o;
	int r = parse_options(line, &o, &argv, &heap, err);

	if (r >= 0)
		r = start(line, &o, argv, is_set, err);
	recordopts_release(&o);
	free(heap);
	return r < 0 ? r : 0;
}

int tc_run_start(struct tc_line *line, struct errmsg *err)
{
	return start_or_set(line, false, err);
}

int tc_run_set(struct tc_line *line, struct errmsg *err)
{
	return start_or_set(line, true, err);
}

/* --- extract ----------------------------------------------------------------------------------- */

/* trace-cmd takes the top level in any case. */
static int add_names(const struct tracefs *t, const struct tc_line *line, struct name_list *names,
		     struct errmsg *err)
{
	struct name_list all = {0};
	int r = name_list_add(names, "", 0);

	if (tc_has(line, 'a', NULL))
		tracefs_instances(t, &all);
	for (size_t i = 0; i < all.n && r >= 0; i++)
		r = name_list_add(names, all.names[i], strlen(all.names[i]));
	for (size_t i = 0; i < line->n_words && r >= 0; i++)
		if (line->words[i].option->letter == 'B') {
			r = tracefs_find_instance(t, line->words[i].value, err);
			if (r >= 0 && !name_list_find(names, line->words[i].value))
				r = name_list_add(names, line->words[i].value,
						  strlen(line->words[i].value));
		}
	name_list_release(&all);
	return r;
}

static const char *long_value(const struct tc_line *line, const char *name)
{
	for (size_t i = line->n_words; i-- > 0;)
		if (line->words[i].option->name && !strcmp(line->words[i].option->name, name))
			return line->words[i].value;
	return NULL;
}

static int extract(const struct tc_line *line, const struct name_list *names,
		   const struct recording_config *rc, struct errmsg *err)
{
	struct record_options told = {.quiet = tc_has(line, 'q', NULL),
				      .to_stderr = tc_has(line, 0, "stderr")};
	struct recording_sum sum = {0};
	struct session s;
	int r = session_attach(&s, names, false, err), r2;
	unsigned n_cpus = r >= 0 ? s.n_cpus : 0;

	if (r >= 0)
		r = recording_extract(&s, rc, &sum, err);
	for (size_t i = 0; i < names->n && r >= 0 && !tc_has(line, 'k', NULL); i++)
		r = tc_switch_off(&s.t, names->names[i], err);
	r2 = session_close(&s, err);
	r = r < 0 ? r : r2;
	if (r >= 0)
		tell_file(rc->path, &told, &(struct losses){0}, n_cpus);
	return r;
}

int tc_run_extract(struct tc_line *line, struct errmsg *err)
{
	const char *version = long_value(line, "file-version"),
		   *compression = long_value(line, "compression");
	struct recording_config rc = {
		.path = tc_value(line, 'o') ? tc_value(line, 'o') : "trace.dat",
		.version = version ? atoi(version) : 7,
		.ts_offset = long_value(line, "ts-offset"),
		.date = tc_has(line, 0, "date"),
		.snapshot = tc_has(line, 's', NULL),
		.program = TRACECMD_VERSION " (sonde " SONDE_VERSION ")",
	};
	struct name_list names = {0};
	struct tracefs t;
	int r = tracefs_open(&t, err);

	if (r >= 0)
		r = compressionopt_parse(compression	   ? compression
					 : rc.version == 7 ? "any"
							   : NULL,
					 rc.version, &rc.compression, err);
	if (r >= 0)
		r = add_names(&t, line, &names, err);
	if (r >= 0)
		r = extract(line, &names, &rc, err);
	name_list_release(&names);
	return r < 0 ? r : 0;
}

/* --- stream, profile --------------------------------------------------------------------------- */

int tc_run_stream(struct tc_line *line, struct errmsg *err)
{
	static const char *const more[] = {"--top", "--take-over", "--color=never", NULL};
	int argc, r;
	char **argv = tc_words(line, more, &argc);

	if (!argv)
		return -ENOMEM;
	r = cmd_stream.run(&cmd_stream, argc, argv, err);
	free(argv);
	return r;
}

/* What report prints of the file, to standard output or where -o says. */
static int print_profile(const char *path, const struct record_options *o, struct errmsg *err)
{
	char *argv[] = {(char *)"report",
			(char *)"--profile",
			(char *)"--peer-text",
			(char *)"--no-pager",
			(char *)"-i",
			(char *)path,
			o->global_irqs ? (char *)"-G" : NULL,
			NULL,
			NULL};
	int argc = o->global_irqs ? 7 : 6;

	if (o->by_comm)
		argv[argc++] = (char *)"--by-comm";
	if (o->output) {
		int fd = open(o->output, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

		if (fd < 0)
			return errmsg_set(err, -errno, "opening %s", o->output);
		fflush(stdout);
		dup2(fd, STDOUT_FILENO);
		close(fd);
	}
	return cmd_report.run(&cmd_report, argc, argv, err);
}

/* Recorded into a file that nobody sees, and printed from there. */
int tc_run_profile(struct tc_line *line, struct errmsg *err)
{
	const char *dir = getenv("TMPDIR");
	char **argv = NULL, **heap = NULL, path[1024];
	struct record_options o;
	int r = parse_options(line, &o, &argv, &heap, err), fd;

	snprintf(path, sizeof(path), "%s/trace-cmd-profile.XXXXXX", dir && *dir ? dir : "/tmp");
	if (r >= 0 && !o.profile) {
		o.profile = true;
		r = recordopts_check(&o, argv != NULL, err);
	}
	o.quiet = true;
	fd = r >= 0 ? mkostemp(path, O_CLOEXEC) : -1;
	if (r >= 0 && fd < 0)
		r = errmsg_set(err, -errno, "%s", path);
	if (r >= 0) {
		close(fd);
		r = record(&o, argv, path, err);
		if (r >= 0)
			r = print_profile(path, &o, err);
		unlink(path);
	}
	recordopts_release(&o);
	free(heap);
	return r;
}

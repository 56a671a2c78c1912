// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * callopts.c - the options of replay, graph and flame, and the file that they read.
 *
 * Words of the command line are kept as they are: they live as long as the program. A range (-r)
 * becomes the texts of --from and --to, so that there is one grammar for times (decode/timearg.h).
 * A file is read without the general sequence (inputs/taskwalk.h): calls need no filters of events.
 */
#include "cli/calls/callopts.h"

#include "base/errmsg.h"
#include "base/files/outplace.h"
#include "base/scope.h"
#include "base/shortage.h"
#include "cli/screen/notes.h"
#include "cli/screen/output.h"
#include "decode/timearg.h"
#include "inputs/taskwalk.h"
#include "symbols/tasks.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TASKS_NAMED 8

/* --- options ---------------------------------------------------------------------------------- */

static int add_word(void *opts, enum call_verdict what, const char *text, struct errmsg *err)
{
	struct call_options *o = opts;

	if (o->n_words == CALLOPTS_WORDS_MAX)
		return errmsg_set(err, -EINVAL, "more than %d patterns of functions",
				  CALLOPTS_WORDS_MAX);
	o->words[o->n_words++] = (struct callfilter_word){what, text};
	return 0;
}

int callopts_only(void *opts, const char *value, struct errmsg *err)
{
	return add_word(opts, CALL_ONLY, value, err);
}

int callopts_never(void *opts, const char *value, struct errmsg *err)
{
	return add_word(opts, CALL_NEVER, value, err);
}

int callopts_callers(void *opts, const char *value, struct errmsg *err)
{
	return add_word(opts, CALL_CALLERS, value, err);
}

int callopts_hide(void *opts, const char *value, struct errmsg *err)
{
	return add_word(opts, CALL_HIDE, value, err);
}

int callopts_depth(void *opts, const char *value, struct errmsg *err)
{
	struct call_options *o = opts;
	char *end;

	o->depth = strtoll(value, &end, 10);
	if (end == value || *end || o->depth < 1 || o->depth > UINT32_MAX)
		return errmsg_set(err, -EINVAL,
				  "-D takes a number of nested calls from 1 on, not '%s'", value);
	return 0;
}

int callopts_tid(void *opts, const char *value, struct errmsg *err)
{
	struct call_options *o = opts;
	char *end;

	for (const char *p = value; *p;) {
		long tid = strtol(p, &end, 10);

		if (end == p || (*end && *end != ',') || tid < 0 || tid > INT32_MAX)
			return errmsg_set(err, -EINVAL,
					  "--tid takes numbers of tasks with commas between, not "
					  "'%s'",
					  value);
		if (o->n_tids == CALLOPTS_TIDS_MAX)
			return errmsg_set(err, -EINVAL, "--tid takes at most %d tasks",
					  CALLOPTS_TIDS_MAX);
		o->tids[o->n_tids++] = (int)tid;
		p = end + (*end == ',');
	}
	return 0;
}

/* One side of -r: with a unit it counts from the first event. */
static int take_side(const char *text, size_t len, char to[64], const char **ret,
		     struct errmsg *err)
{
	bool has_unit = len && strchr("smun", text[len - 1]);

	if (!len)
		return 0;
	if (len > 60)
		return errmsg_set(err, -EINVAL, "-r: '%.*s' is not a time", (int)len, text);
	snprintf(to, 64, "%s%.*s", has_unit && text[0] != '+' ? "+" : "", (int)len, text);
	*ret = to;
	return 0;
}

static int take_range(struct call_options *o, struct errmsg *err)
{
	const char *tilde = strchr(o->range, '~');
	int r;

	if (!tilde)
		return errmsg_set(err, -EINVAL, "-r takes FROM~TO, not '%s'", o->range);
	r = take_side(o->range, (size_t)(tilde - o->range), o->range_from, &o->from, err);
	return r < 0 ? r : take_side(tilde + 1, strlen(tilde + 1), o->range_to, &o->to, err);
}

int callopts_settle(struct call_options *o, struct errmsg *err)
{
	int r = 0;

	if (o->match && strcmp(o->match, "glob") && strcmp(o->match, "regex"))
		return errmsg_set(err, -EINVAL, "--match takes glob or regex, not '%s'", o->match);
	TRY(sampleopts_settle(&o->samples, err));
	if (o->no_kernel && o->kernel_only)
		return errmsg_set(err, -EINVAL, "--no-kernel and --kernel-only exclude each other");
	o->filter = (struct callfilter_config){.words = o->words,
					       .n_words = o->n_words,
					       .is_regex = o->match && !strcmp(o->match, "regex"),
					       .max_depth = (uint32_t)o->depth,
					       .no_kernel = o->no_kernel,
					       .kernel_only = o->kernel_only,
					       .kernel_full = o->kernel_full};
	if (o->min_time && strspn(o->min_time, "0123456789.") == strlen(o->min_time) &&
	    strspn(o->min_time, "0.") != strlen(o->min_time))
		return errmsg_set(err, -EINVAL, "-t %s has no unit: write %sns, %sus, %sms or %ss",
				  o->min_time, o->min_time, o->min_time, o->min_time, o->min_time);
	if (o->min_time)
		r = timearg_parse("-t", o->min_time, true, 0, &o->filter.min_duration, err);
	if (r >= 0 && o->range)
		r = take_range(o, err);
	return r;
}

/* --- the file --------------------------------------------------------------------------------- */

static int find_range(struct callrun *run, struct errmsg *err)
{
	struct taskwalk_spec spec;

	if (!run->spec.from && !run->spec.to)
		return 0;
	TRY(taskwalk_set_range(&spec, &run->src, err));
	run->from = spec.from;
	run->to = spec.to;
	return 0;
}

int callrun_open(struct callrun *run, const struct call_options *o, const char *path,
		 struct errmsg *err)
{
	*run = (struct callrun){.path = {.path = path}};
	run->spec = (struct inputs_spec){.paths = &run->path,
					 .n_paths = 1,
					 .from = o->from,
					 .to = o->to,
					 .short_names = o->short_names};
	TRY(callfilter_new(&run->filter, &o->filter, err));
	TRY(inputs_open(&run->in, &run->spec, err));
	TRY(inputs_sources_list(&run->src, &run->in, err));
	if (!run->src.n)
		return errmsg_set(err, -ENODATA, "there are no events in %s", path);
	TRY(find_range(run, err));
	run->in_time = inputs_sources_are_ns(&run->src);
	return 0;
}

void callrun_close(struct callrun *run)
{
	inputs_sources_release(&run->src);
	inputs_close(&run->in);
	callfilter_free(run->filter);
	run->filter = NULL;
}

struct formats *callrun_formats(const struct callrun *run)
{
	return run->in.files[0].formats;
}

int callrun_walk(struct callrun *run, struct taskwalk_spec spec, struct errmsg *err)
{
	int r;

	spec.to = UINT64_MAX;
	r = taskwalk(&run->src, &spec);
	return r < 0 ? errmsg_set_errno(err, r, "cannot read the events") : 0;
}

static int compare_tasks(const void *a, const void *b)
{
	const struct task *const *x = a, *const *y = b;

	return (*x)->pid < (*y)->pid ? -1 : (*x)->pid > (*y)->pid;
}

/* "9492 calls2, 9493 calls2 and 7 more": the tasks whose events were read. */
static void fmt_tasks(const struct tasks *tasks, struct textbuf *tb)
{
	const struct map *map = &tasks->by_pid;
	SCOPED(scope_free) const struct task **list = calloc(map->n + 1, sizeof(*list));
	size_t n = 0;

	for (size_t i = 0; list && i < map->n_slots; i++) {
		const struct task *t = map->slots[i].value;

		if (t && t->pid)
			list[n++] = t;
	}
	if (n)
		qsort(list, n, sizeof(*list), compare_tasks);
	for (size_t i = 0; i < n && i < TASKS_NAMED; i++)
		textbuf_addf(tb, "%s%d %s", i ? ", " : "", list[i]->pid, list[i]->comm);
	if (n > TASKS_NAMED)
		textbuf_addf(tb, " and %zu more", n - TASKS_NAMED);
}

static void tell_missing_tasks(const struct callrun *run, const struct call_options *o)
{
	const struct tasks *tasks = &run->in.files[0].tasks;
	TEXTBUF(names, 4096);

	for (size_t i = 0; i < o->n_tids; i++) {
		if (map_find(&tasks->by_pid, (uint64_t)(int64_t)o->tids[i]))
			continue;
		if (!textbuf_len(&names))
			fmt_tasks(tasks, &names);
		fprintf(stderr, "sonde: no task with the id %d made a call; there are: %s\n",
			o->tids[i], textbuf_len(&names) ? textbuf_text(&names) : "none");
	}
}

int callrun_finish(struct callrun *run, const struct call_options *o)
{
	const char *word;
	size_t pos = 0;

	while (!o->quiet && (word = callfilter_next_unused(run->filter, &pos)))
		fprintf(stderr, "sonde: no function that was called matches '%s'\n", word);
	if (!o->quiet)
		tell_missing_tasks(run, o);
	return notes_print_damage(&run->in, o->quiet) ? 1 : 0;
}

/* --- printing --------------------------------------------------------------------------------- */

int callopts_find_colour(const struct call_options *o, bool *ret, struct errmsg *err)
{
	*ret = false;
	return o->output || o->json ? 0 : output_find_colour(o->colour, ret, err);
}

static int write_file(const char *path, const struct textbuf *tb, struct errmsg *err)
{
	struct output out = {.fd = outplace_open_file(path, OUTPLACE_WRITE, err)};
	int r;

	if (out.fd < 0)
		return out.fd;
	r = output_write(&out, tb->start, textbuf_len(tb));
	if (close(out.fd) < 0 && r >= 0)
		r = -errno;
	return r < 0 ? errmsg_set_errno(err, r, "cannot write %s", path) : 0;
}

int callopts_print(const struct call_options *o, const struct textbuf *tb, struct errmsg *err)
{
	struct output out;
	int r;

	if (shortage_check(err, "cannot print the result") < 0)
		return err->code;
	if (tb->overflow)
		return errmsg_set(err, -EFBIG, "there is more than can be printed");
	if (o->output && strcmp(o->output, "-"))
		return write_file(o->output, tb, err);
	r = output_open(&out, o->colour, o->no_pager, err);
	if (r < 0)
		return r;
	r = output_write(&out, tb->start, textbuf_len(tb));
	output_close(&out);
	if (r < 0 && r != -EPIPE)
		errmsg_set_errno(err, r, "cannot write the result");
	return r;
}

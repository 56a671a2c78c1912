// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * uftexport.c - goes through the calls of a trace file and writes a uftrace.data directory.
 *
 *	callrun_open ─▶ analyse/calls/replay ─▶ rewrite/uftrace/uftwriter
 *
 * Calls of the kernel, if there are any, and events beside them go into the directory, too. A trace
 * that lost the list of its functions (the option) is written, too; the functions get addresses of
 * their own. The directory is written with the rights of the user who called sonde.
 */
#include "cli/calls/uftexport.h"

#include "analyse/calls/replay.h"
#include "base/files/caller.h"
#include "base/scope.h"
#include "decode/record.h"
#include "format/tracedat.h"
#include "inputs/taskwalk.h"
#include "store/packedtext.h"
#include "store/tracefile.h"
#include "store/uftrace/newdir.h"
#include "symbols/tasks.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>
#include <stdlib.h>
#include <string.h>

struct conversion {
	struct uftwriter *writer;
	struct replay *replay;
	bool has_kernel;
	struct errmsg *err;
	uint32_t max_depth;
	const struct event *marks[UFTEXPORT_MARKS_MAX];
	size_t n_marks;
	bool stop;
};

/* The number of an event of the program; -1: it is another one. */
static int mark_of(const struct conversion *c, const struct event *ev)
{
	for (size_t i = 0; i < c->n_marks && ev; i++)
		if (c->marks[i] == ev)
			return (int)i;
	return -1;
}

static void convert_event(struct conversion *c, const struct replay_item *item)
{
	int mark = mark_of(c, item->record->event);

	if (mark >= 0 && item->task && item->task->task && !c->stop)
		c->stop = uftwriter_mark(c->writer, item->task->task->pid, item->ts, (uint32_t)mark,
					 c->err) < 0;
}

static void convert_item(void *ctx, const struct replay_item *item)
{
	struct conversion *c = ctx;
	const struct task *task = item->task ? item->task->task : NULL;
	struct uftwriter_call call = {.ts = item->ts, .depth = item->level};
	int r = 0;

	if (item->kind == REPLAY_LOST)
		uftwriter_lose(c->writer, item->n_lost);
	if (item->kind == REPLAY_EVENT)
		convert_event(c, item);
	if (!task || !item->func || !item->func->is_user || c->stop || item->level >= c->max_depth)
		return;
	call.tid = task->pid;
	call.tgid = task->tgid;
	call.func = item->func->addr;
	call.name = item->func->name;
	call.module = item->func->module;
	call.values = item->kind == REPLAY_ENTER ? item->args : item->ret;
	if (item->kind == REPLAY_ENTER)
		r = uftwriter_enter(c->writer, &call, c->err);
	else if (item->kind == REPLAY_LEAVE)
		r = uftwriter_leave(c->writer, &call, c->err);
	c->stop = r < 0;
}

static bool is_user(const struct event *ev)
{
	return ev && !strcmp(ev->system, "user");
}

static void visit(void *ctx, const struct record *rec)
{
	struct conversion *c = ctx;

	if (!c->has_kernel || is_user(rec->event) || mark_of(c, rec->event) >= 0)
		replay_add(c->replay, rec);
	else if (!c->stop)
		c->stop = uftwriter_add_kernel(c->writer, rec, c->err) < 0;
}

/* Probes of sonde have a system of their own; the names are unique. */
static void find_marks(struct conversion *c, struct formats *f, size_t n)
{
	char name[32];

	c->n_marks = n < UFTEXPORT_MARKS_MAX ? n : UFTEXPORT_MARKS_MAX;
	for (size_t i = 0; i < c->n_marks; i++) {
		snprintf(name, sizeof(name), UFTEXPORT_MARK, i);
		c->marks[i] = formats_find_name(f, NULL, name);
	}
}

/* Which events are wanted, by their ids: calls, and with the kernel's calls all. */
static int choose_events(struct conversion *c, struct callrun *run, uint8_t **ret, size_t *ret_n)
{
	struct formats *f = callrun_formats(run);
	size_t n;
	const uint8_t *calls = replay_events(c->replay, &n);
	uint8_t *all;

	*ret_n = n > f->n_table ? n : f->n_table;
	all = calloc(*ret_n + 1, 1);
	if (!all)
		return errmsg_set_errno(c->err, -ENOMEM, "cannot read the events");
	if (n)
		memcpy(all, calls, n);
	for (size_t i = 0; c->has_kernel && i < f->n_table; i++)
		if (f->table[i] && !f->table[i]->is_made_up)
			all[i] = 1;
	for (size_t i = 0; i < c->n_marks; i++)
		if (c->marks[i] && (size_t)c->marks[i]->id < *ret_n)
			all[c->marks[i]->id] = 1;
	*ret = all;
	return 0;
}

/* Has the trace calls of the kernel? */
static bool has_kernel(struct callrun *run)
{
	struct formats *f = callrun_formats(run);

	return formats_find_name(f, "ftrace", "funcgraph_entry") &&
	       formats_find_name(f, "ftrace", "funcgraph_exit");
}

int uftexport_functions(const struct callrun *run, struct textbuf *plain, struct piece *ret,
			struct errmsg *err)
{
	const struct tracefile_option *o =
		tracefile_option_find(run->in.files[0].tf, SNF_OPTION_USER_FUNCTIONS);
	int r = o ? packedtext_read(o->data, plain, ret) : -ENODATA;

	return r < 0 ? errmsg_set_errno(err, r, "cannot read which functions were recorded") : 0;
}

int uftexport_calls(struct callrun *run, struct uftwriter *writer, uint32_t max_depth,
		    size_t n_marks, struct errmsg *err)
{
	SCOPED(replay_free_scoped) struct replay *rp = NULL;
	struct conversion c = {.writer = writer, .err = err, .max_depth = max_depth};
	struct replay_config config = {.filter = run->filter,
				       .from = run->from,
				       .to = run->to,
				       .no_merge = true,
				       .no_events = !n_marks,
				       .all_events = true,
				       .no_calls = true,
				       .by_address = true,
				       .ctx = &c,
				       .emit = convert_item};
	SCOPED(scope_free) uint8_t *events = NULL;
	size_t n_events;

	TRY(replay_new(&rp, callrun_formats(run), &config, err));
	c.replay = rp;
	c.has_kernel = has_kernel(run);
	if (c.has_kernel)
		TRY(uftwriter_use_kernel(writer, callrun_formats(run), err));
	find_marks(&c, callrun_formats(run), n_marks);
	TRY(choose_events(&c, run, &events, &n_events));
	TRY(callrun_walk(run,
			 (struct taskwalk_spec){.events = events,
						.n_events = n_events,
						.visit = visit,
						.ctx = &c,
						.stop = &c.stop},
			 err));
	replay_finish(rp);
	return c.stop ? errmsg_code(err) : 0;
}

/* The trace does not say when it was recorded; its file was written last at the end. */
static time_t date_of(const char *path)
{
	struct stat st;

	return stat(path, &st) < 0 ? 0 : st.st_mtime;
}

static int write_directory(struct callrun *run, const char *path, const char *directory,
			   struct uftwriter_counts *ret, struct errmsg *err)
{
	SCOPED(uftwriter_free_scoped) struct uftwriter *writer = NULL;
	SCOPED(textbuf_release) struct textbuf plain = {.max_bytes = UFTEXPORT_FUNCTIONS_MAX};
	struct uftwriter_config config = {
		.dir = directory, .must_be_new = true, .with_sources = true};
	struct uftwriter_run about = {
		.max_stack = 1024, .has_libcalls = true, .date = date_of(path)};
	int r = uftexport_functions(run, &plain, &config.functions, err);

	if (r == -ENODATA) /* a trace that lost the option: functions get addresses of their own */
		*err = (struct errmsg){0};
	else if (r < 0)
		return r;
	TRY(uftwriter_new(&writer, &config, err));
	TRY(uftexport_calls(run, writer, UINT32_MAX, 0, err));
	*ret = uftwriter_counts(writer);
	return uftwriter_finish(writer, &about, err);
}

static int write_calls(struct callrun *run, const struct call_options *o, const char *path,
		       const char *directory, struct uftwriter_counts *counts, struct errmsg *err)
{
	TRY(callrun_open(run, o, path, err));
	TRY(caller_become());
	TRY(write_directory(run, path, directory, counts, err));
	if (counts->n_calls)
		return 0;
	uftdir_remove(directory);
	return errmsg_set(err, -ENODATA,
			  "the trace has no calls of programs (record them with record -u)");
}

int uftexport(const struct call_options *o, const char *path, const char *directory,
	      struct errmsg *err)
{
	SCOPED(callrun_close) struct callrun run = {0};
	struct uftwriter_counts counts = {0};
	int r = write_calls(&run, o, path, directory, &counts, err);

	if (r < 0)
		return errmsg_code(err) ? r
					: errmsg_set_errno(err, r, "cannot write %s", directory);
	fprintf(stderr, "%s: %" PRIu64 " calls\n", directory, counts.n_calls - counts.n_deep);
	r = callrun_finish(&run, o);
	if (!counts.n_deep)
		return r;
	fprintf(stderr, "sonde: %" PRIu64 " calls are deeper than uftrace can store; left out\n",
		counts.n_deep);
	return 1;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd_replay.c - `sonde replay`: prints the calls of a trace in time order, like a running program.
 *
 *	callrun_walk ──▶ replay_add ──▶ replaytext_fmt ──▶ output
 *
 * The text is written in pieces, so memory does not depend on the size of the trace.
 */
#include "analyse/calls/replay.h"
#include "base/array.h"
#include "base/errmsg.h"
#include "base/files/outplace.h"
#include "base/scope.h"
#include "base/shortage.h"
#include "cli/calls/callopts.h"
#include "cli/command.h"
#include "cli/screen/notes.h"
#include "cli/screen/output.h"
#include "decode/record.h"
#include "inputs/taskwalk.h"
#include "present/calls/replaytext.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#define PIECE_BYTES    (128u << 10)
#define TEXT_MAX_BYTES (8u << 20)
#define COLUMN_OFFSET  8

struct replay_options {
	struct call_options calls; /* must be the first member */
	struct replay_config replay;
	struct replaytext_config text;
	const char *fields;
};

#define AT(field) offsetof(struct replay_options, field)

static const struct option_row rows[] = {
	CALLOPTS_ROWS_FILTER,
	ROW_FLAG(0, "no-event", "do not show events that are not about calls",
		 AT(replay.no_events)),
	ROW_FLAG(0, "event-full", "show events outside of functions, too", AT(replay.all_events)),
	ROW_HEADING("how lines look"),
	ROW_STRING('f', "output-fields", "FIELD,…",
		   "show these fields: duration, tid, addr, time, delta, elapsed, task, module, or "
		   "none; + in front adds to duration,tid",
		   AT(fields)),
	ROW_FLAG(0, "flat", "print a numbered line for each entry and exit", AT(text.flat)),
	ROW_FLAG(0, "no-merge", "print two lines for a call without calls inside",
		 AT(replay.no_merge)),
	ROW_FLAG(0, "no-comment", "do not print the name of the function behind its end",
		 AT(text.no_comment)),
	ROW_FLAG(0, "column-view", "shift the functions of each task to a column of its own",
		 AT(text.column_view)),
	ROW_NUMBER(0, "column-offset", "N", "columns are N characters apart (default: 8)",
		   AT(text.column_offset)),
	ROW_FLAG(0, "no-args", "do not show arguments and return values", AT(replay.no_values)),
	ROW_FLAG(0, "task-newline", "print an empty line where the task changes",
		 AT(text.task_newline)),
	ROW_FLAG(0, "libname", "print the program or library of each function: NAME@FILE",
		 AT(text.module_names)),
	ROW_FLAG(0, "srcline", "print the file and line where each function begins",
		 AT(text.sources)),
	ROW_FLAG(0, "json", "print a JSON object per line", AT(text.json)),
	CALLOPTS_ROWS_RESULT,
	ROW_END,
};

struct printing {
	struct replaytext *lines;
	struct textbuf tb;
	struct output out;
	bool stop; /* the reader has closed the output, or writing failed */
	int error;
};

static void release(struct printing *p)
{
	replaytext_free(p->lines);
	textbuf_release(&p->tb);
}

static void write_piece(struct printing *p)
{
	int r = p->stop ? 0 : output_write(&p->out, p->tb.start, textbuf_len(&p->tb));

	if (r < 0)
		p->error = r;
	p->stop |= r < 0 || output_is_closed(&p->out);
	textbuf_clear(&p->tb);
}

static void print_item(void *ctx, const struct replay_item *item)
{
	struct printing *p = ctx;

	if (p->stop)
		return;
	replaytext_fmt(p->lines, item, &p->tb);
	if (textbuf_len(&p->tb) >= PIECE_BYTES)
		write_piece(p);
}

static void visit(void *ctx, const struct record *rec)
{
	replay_add(ctx, rec);
}

static int walk(struct replay_options *o, struct callrun *run, struct printing *p,
		struct errmsg *err)
{
	SCOPED(replay_free_scoped) struct replay *rp = NULL;
	struct taskwalk_spec spec = {.visit = visit, .stop = &p->stop};

	TRY(replay_new(&rp, callrun_formats(run), &o->replay, err));
	replaytext_fmt_head(p->lines, &p->tb);
	spec.ctx = rp;
	spec.events = replay_events(rp, &spec.n_events);
	TRY(callrun_walk(run, spec, err));
	replay_finish(rp);
	write_piece(p);
	if (!o->calls.quiet && !p->stop && !o->calls.n_tids && !replay_counts(rp)->n_events &&
	    !replay_counts(rp)->n_clipped)
		notes_print(NULL, run->to ? "no call is in this range of time"
					  : "no calls were traced; -u and -p function_graph "
					    "record them");
	return 0;
}

static int print_calls(struct replay_options *o, struct callrun *run, struct printing *p,
		       struct errmsg *err)
{
	int r;

	o->replay.filter = run->filter;
	o->replay.from = run->from;
	o->replay.to = run->to;
	o->replay.tids = o->calls.tids;
	o->replay.n_tids = o->calls.n_tids;
	o->replay.ctx = p;
	o->replay.emit = print_item;
	o->text.colour = p->out.colour && !o->text.json;
	o->text.in_time = run->in_time;
	if (replaytext_new(&p->lines, callrun_formats(run), &o->text) < 0)
		return errmsg_set_errno(err, -ENOMEM, "cannot replay the calls");
	r = walk(o, run, p, err);
	if (r < 0)
		write_piece(p); /* what was read before the failure */
	return r < 0 ? r : shortage_check(err, "cannot replay the calls");
}

static int open_output(const struct call_options *o, struct output *out, struct errmsg *err)
{
	if (!o->output || !strcmp(o->output, "-"))
		return output_open(out, o->colour, o->no_pager, err);
	output_open_fd(out, outplace_open_file(o->output, OUTPLACE_WRITE, err));
	return out->fd < 0 ? out->fd : 0;
}

/* Closes the output. An incomplete file must not look complete. */
static int close_output(const struct call_options *o, struct printing *p, bool is_whole,
			struct errmsg *err)
{
	if (!o->output || !strcmp(o->output, "-")) {
		output_close(&p->out);
	} else {
		if ((!is_whole || p->error) && ftruncate(p->out.fd, 0) < 0 && is_whole)
			p->error = p->error ? p->error : -errno;
		if (close(p->out.fd) < 0 && !p->error)
			p->error = -errno;
	}
	if (p->error && p->error != -EPIPE)
		return errmsg_set_errno(err, p->error, "cannot write the calls");
	return p->error;
}

static int replay(struct replay_options *o, struct errmsg *err)
{
	SCOPED(callrun_close) struct callrun run = {0};
	SCOPED(release) struct printing p = {.tb.max_bytes = TEXT_MAX_BYTES};
	int r, closed;

	TRY(callrun_open(&run, &o->calls, o->calls.input, err));
	TRY(open_output(&o->calls, &p.out, err));
	r = print_calls(o, &run, &p, err);
	closed = close_output(&o->calls, &p, r >= 0, err);
	TRY(r < 0 ? r : closed);
	return callrun_finish(&run, &o->calls);
}

/* JSON has no lines that could look different. */
static int refuse_looks(const struct replay_options *o, struct errmsg *err)
{
	const struct {
		bool is_given;
		const char *name;
	} list[] = {
		{o->fields, "-f"},
		{o->text.flat, "--flat"},
		{o->text.no_comment, "--no-comment"},
		{o->text.column_view, "--column-view"},
		{o->text.column_offset != COLUMN_OFFSET, "--column-offset"},
		{o->text.task_newline, "--task-newline"},
		{o->text.module_names, "--libname"},
	};

	for (size_t i = 0; i < ARRAY_LEN(list); i++)
		if (list[i].is_given)
			return errmsg_set(err, -EINVAL,
					  "%s has no effect on --json; omit one of them",
					  list[i].name);
	return 0;
}

static int run(const struct command *cmd, int argc, char **argv, struct errmsg *err)
{
	struct replay_options o = {.text = {.fields = {REPLAY_DURATION, REPLAY_TID},
					    .n_fields = 2,
					    .column_offset = COLUMN_OFFSET}};
	int n = command_parse(cmd, &o, argc, argv, err);

	TRY(n);
	if (n > 1)
		return errmsg_set(err, -EINVAL, "replay reads one file, not '%s' and '%s'", argv[1],
				  argv[2]);
	if (n == 1)
		o.calls.input = argv[1];
	if (!o.calls.input)
		o.calls.input = "trace.dat";
	if (o.text.json)
		TRY(refuse_looks(&o, err));
	if (o.fields)
		TRY(replaytext_fields_parse(o.fields, &o.text, err));
	if (o.text.column_offset < 0 || o.text.column_offset > 1000)
		return errmsg_set(err, -EINVAL, "--column-offset takes a number up to 1000");
	TRY(callopts_settle(&o.calls, err));
	return replay(&o, err);
}

const struct command cmd_replay = {
	.name = "replay",
	.summary = "print the calls of functions in the order of time",
	.usage = "[options] [FILE]",
	.options = rows,
	.args = "file",
	.run = run,
};

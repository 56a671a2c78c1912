// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd_hist.c - `sonde hist`: call chains by how often they occur.
 *
 * Every CPU of a buffer is walked by itself, one after the other (inputs/cpuwalk.h), because a call
 * stack belongs to a CPU and needs no order in time between them. A trace with instances gives a histogram for each buffer that has events, under its name.
 */
#include "analyse/callhist.h"
#include "analyse/own.h"
#include "base/textbuf.h"
#include "cli/command.h"
#include "cli/screen/notes.h"
#include "cli/screen/output.h"
#include "decode/record.h"
#include "inputs/cpuwalk.h"
#include "present/result/calltext.h"

#include <errno.h>

#define TEXT_BYTES     (256u << 10) /* written when there is so much */
#define TEXT_MAX_BYTES (64u << 20)

struct hist_options {
	const char *input;
	bool all_tasks, with_own;
};

static int apply_input(void *opts, const char *value, struct errmsg *err)
{
	struct hist_options *o = opts;

	if (o->input)
		return errmsg_set(err, -EINVAL, "'%s' is one file too many", value);
	o->input = value;
	return 0;
}

static const struct option_row rows[] = {
	{OPTION_CALL, 'i', "input", "FILE", "read FILE (default: trace.dat)", .apply = apply_input,
	 .complete = "file"},
	{OPTION_FLAG, 'P', NULL, .help = "do not separate tasks",
	 .offset = offsetof(struct hist_options, all_tasks)},
	{OPTION_FLAG, 0, "self", .help = "include the activity of sonde itself",
	 .offset = offsetof(struct hist_options, with_own)},
	{OPTION_END},
};

struct hist_run {
	struct inputs in;
	struct inputs_file *file;
	struct output out;
	bool by_task, with_own;
	struct own own;
	struct callhist *hist; /* of the buffer at hand */
};

static void add_record(void *ctx, const struct record *rec)
{
	struct hist_run *run = ctx;

	if (!own_is_only(&run->own, rec))
		callhist_add(run->hist, rec);
}

static int write_text(struct hist_run *run, struct textbuf *tb, size_t from_bytes)
{
	int r = tb->overflow ? -EFBIG : 0;

	if (r < 0 || textbuf_len(tb) < from_bytes)
		return r;
	r = output_write(&run->out, tb->start, textbuf_len(tb));
	textbuf_clear(tb);
	return r;
}

static int print_hist(struct hist_run *run, const struct callhist *h, const char *head,
		      struct errmsg *err)
{
	struct textbuf tb;
	int r = 0;

	textbuf_init(&tb, TEXT_MAX_BYTES);
	if (head)
		textbuf_addf(&tb, "Buffer: %s\n\n", head);
	for (const struct call_node *n = callhist_tops(h); n && r >= 0; n = n->next) {
		if (n != callhist_tops(h))
			textbuf_add_char(&tb, '\n');
		calltext_fmt(h, n, run->by_task, &tb);
		r = write_text(run, &tb, TEXT_BYTES);
		if (output_is_closed(&run->out))
			break;
	}
	if (r >= 0)
		r = write_text(run, &tb, 0);
	textbuf_release(&tb);
	if (callhist_n_cut(h))
		tracefile_add_damage(run->file->tf,
				     "%s has more different call chains than fit into memory; %llu "
				     "are cut short",
				     run->file->tf->path, (unsigned long long)callhist_n_cut(h));
	return r == -EFBIG ? errmsg_set(err, r, "a call chain is too large to print") : r;
}

/* 1: there was something to print. */
static int hist_buffer(struct hist_run *run, const struct tracefile_buffer *b, const char *head,
		       struct errmsg *err)
{
	struct callhist *h = callhist_new(run->file->formats, &run->file->tasks, run->by_task);
	int r = h ? 0 : -ENOMEM;

	run->hist = h;
	if (r >= 0)
		r = cpuwalk(run->file, b, add_record, run);
	if (r < 0) {
		callhist_free(h);
		return errmsg_set_errno(err, r, "cannot count the call chains of %s",
					run->file->tf->path);
	}
	callhist_finish(h);
	if (callhist_tops(h)) {
		r = print_hist(run, h, head, err);
		r = r < 0 ? r : 1;
	}
	callhist_free(h);
	return r;
}

static int hist_all(struct hist_run *run, struct errmsg *err)
{
	bool any = false;
	int r = 0;

	for (size_t i = 0; r >= 0 && i < run->file->tf->n_buffers; i++) {
		const struct tracefile_buffer *b = &run->file->tf->buffers[i];
		const char *name = b->name[0] ? b->name : "(top)";

		if (b->is_text)
			return errmsg_set(
				err, -ENOTSUP,
				"%s holds the text of a latency tracer, which has no call "
				"chains; 'sonde report' prints it",
				run->file->tf->path);
		r = hist_buffer(run, b, run->file->tf->n_buffers > 1 ? name : NULL, err);
		any |= r > 0;
	}
	if (r >= 0 && !any)
		return errmsg_set(err, -ENODATA, "there are no events in %s", run->file->tf->path);
	return r < 0 ? r : 0;
}

static int hist_file(struct hist_run *run, const char *path, struct errmsg *err)
{
	struct inputs_spec spec = INPUTS_ONE(path);
	int r = inputs_open(&run->in, &spec, err);

	if (r >= 0) {
		run->file = &run->in.files[0];
		if (own_init(&run->own, run->file->formats, run->with_own) < 0)
			r = errmsg_set_errno(err, -ENOMEM, "cannot count the call chains of %s",
					     path);
		if (r >= 0)
			r = hist_all(run, err);
		if (r != -EPIPE && notes_print_damage(&run->in, false) && r >= 0)
			r = 1;
	}
	own_release(&run->own);
	inputs_close(&run->in);
	return r;
}

static int run(const struct command *cmd, int argc, char **argv, struct errmsg *err)
{
	struct hist_options o = {0};
	struct hist_run run = {0};
	int n = command_parse(cmd, &o, argc, argv, err), r = n < 0 ? n : 0;

	if (n > 0 && (n > 1 || o.input))
		r = errmsg_set(err, -EINVAL, "%s: '%s' is one file too many", cmd->name,
			       argv[o.input ? 1 : 2]);
	else if (n > 0)
		o.input = argv[1];
	if (r < 0)
		return r;
	run.by_task = !o.all_tasks;
	run.with_own = o.with_own;
	r = output_open(&run.out, "never", false, err);
	if (r < 0)
		return r;
	r = hist_file(&run, o.input ? o.input : "trace.dat", err);
	output_close(&run.out);
	return r;
}

const struct command cmd_hist = {
	.name = "hist",
	.summary = "show the most frequent call chains",
	.usage = "[options] [FILE]",
	.options = rows,
	.args = "file",
	.run = run,
};

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd_hist.c - `sonde hist`: prints call chains, sorted by frequency.
 *
 * The CPUs of a buffer are read sequentially (inputs/cpuwalk.h): a call stack belongs to one CPU,
 * so the order in time between CPUs does not matter. A trace with instances has a histogram for
 * each buffer with events, under its name.
 */
#include "analyse/callhist.h"
#include "analyse/own.h"
#include "base/scope.h"
#include "base/textbuf.h"
#include "cli/command.h"
#include "cli/screen/notes.h"
#include "cli/screen/output.h"
#include "decode/record.h"
#include "inputs/cpuwalk.h"
#include "present/result/calltext.h"

#include <errno.h>

#define TEXT_BYTES     (256u << 10) /* write when this much text has accumulated */
#define TEXT_MAX_BYTES (64u << 20)

SCOPED_POINTER(struct callhist, callhist_free)

struct hist_options {
	struct file_option file; /* must be the first member */
	bool all_tasks, with_own;
};

static const struct option_row rows[] = {
	ROW_INPUT("read FILE (default: trace.dat)"),
	ROW_FLAG('P', NULL, "do not separate tasks", offsetof(struct hist_options, all_tasks)),
	ROW_FLAG(0, "self", "include the activity of sonde itself",
		 offsetof(struct hist_options, with_own)),
	ROW_END,
};

struct hist_run {
	struct inputs in;
	struct inputs_file *file;
	struct output out;
	bool by_task, with_own;
	struct own own;
	struct callhist *hist; /* histogram of the current buffer */
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
	TEXTBUF(tb, TEXT_MAX_BYTES);
	int r = 0;

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
	r = r < 0 ? r : write_text(run, &tb, 0);
	if (callhist_n_cut(h))
		inputs_add_damage(run->file,
				  "%s has more different call chains than fit into memory; %llu "
				  "are truncated",
				  inputs_path(run->file), (unsigned long long)callhist_n_cut(h));
	return r == -EFBIG ? errmsg_set(err, r, "a call chain is too large to print") : r;
}

/* Returns 1 if there was something to print. */
static int hist_buffer(struct hist_run *run, const struct tracefile_buffer *b, const char *head,
		       struct errmsg *err)
{
	SCOPED(callhist_free_scoped)
	struct callhist *h = callhist_new(run->file->formats, &run->file->tasks, run->by_task);
	int r;

	run->hist = h;
	r = h ? cpuwalk(run->file, b, add_record, run) : -ENOMEM;
	if (r < 0)
		return errmsg_set_errno(err, r, "cannot count the call chains of %s",
					inputs_path(run->file));
	callhist_finish(h);
	if (!callhist_tops(h))
		return 0;
	TRY(print_hist(run, h, head, err));
	return 1;
}

static int hist_all(struct hist_run *run, struct errmsg *err)
{
	size_t n = inputs_n_buffers(run->file);
	bool any = false;

	for (size_t i = 0; i < n; i++) {
		const struct tracefile_buffer *b = inputs_buffer(run->file, i);
		const char *name = b->name[0] ? b->name : "(top)";
		int r;

		if (inputs_check_buffer(run->file, b->name, "call chains", err) < 0)
			return errmsg_code(err);
		r = hist_buffer(run, b, n > 1 ? name : NULL, err);
		TRY(r);
		any |= r > 0;
	}
	if (!any)
		return errmsg_set(err, -ENODATA, "there are no events in %s",
				  inputs_path(run->file));
	return 0;
}

static int hist_file(struct hist_run *run, const char *path, struct errmsg *err)
{
	struct inputs_spec spec = INPUTS_ONE(path);
	int r;

	TRY(inputs_open(&run->in, &spec, err));
	run->file = &run->in.files[0];
	if (own_init(&run->own, run->file->formats, run->with_own) < 0)
		return errmsg_set_errno(err, -ENOMEM, "cannot count the call chains of %s", path);
	r = hist_all(run, err);
	if (r != -EPIPE && notes_print_damage(&run->in, false) && r >= 0)
		r = 1;
	return r;
}

static int run(const struct command *cmd, int argc, char **argv, struct errmsg *err)
{
	struct hist_options o = {.file.path = "trace.dat"};
	struct hist_run run = {0};
	int r;

	TRY(command_parse_file(cmd, &o.file, argc, argv, err));
	run.by_task = !o.all_tasks;
	run.with_own = o.with_own;
	TRY(output_open(&run.out, "never", false, err));
	r = hist_file(&run, o.file.path, err);
	own_release(&run.own);
	inputs_close(&run.in);
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

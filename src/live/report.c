// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * report.c - prints a live trace, in steps of limited duration.
 *
 *	sequence_fill ──▶ batch ──▶ a piece of text, some lines ──▶ trickle_write
 *	                     └── the next piece, when that one is written ──┘
 *
 * It is linerun.c without threads: sequence, names, filters and lines are the same. The reader of
 * the output may be slow or stop. Then this file holds one piece of text and one batch of records.
 * Everything else waits in livepages.c, which has a limit, and then in the kernel's buffer, which
 * counts its losses. So memory is limited, and Ctrl-C takes effect within the time of a step.
 *
 * A pipe gets a piece completely or not at all, so the last line is always complete.
 */
#include "live/report.h"

#include "analyse/own.h"
#include "base/files/trickle.h"
#include "base/scope.h"
#include "capture/setup/setup.h"
#include "live/source.h"
#include "decode/order/order.h"
#include "present/rows.h"
#include "store/tracefile.h"

#include <errno.h>
#include <stdlib.h>

#define PIECE_BYTES	 (32u << 10) /* size of the text, without the rest of its last record */
#define RECORD_MAX_BYTES (2u << 20)

struct livereport {
	const struct livereport_spec *spec;
	struct livesource in;
	struct lines looks;
	struct own own;
	struct stack_follow dropped; /* stacks of excluded events */
	struct line_style style;
	struct line_printer lines;
	struct batch batch;
	struct textbuf text; /* text of the records from … to of the batch */
	size_t from, to, written;
	size_t piece_bytes;
	struct trickle trickle;
	void (*see)(void *ctx, const struct batch *b);
	void *see_ctx;
};

/* --- life ------------------------------------------------------------------------------------- */

static int open_lines(struct livereport *lr, struct errmsg *err)
{
	const struct lines_spec *show = &lr->spec->show;
	size_t whole;

	trickle_init(&lr->trickle, lr->spec->fd);
	/* leave room for the record that ends a piece */
	whole = trickle_whole_bytes(&lr->trickle);
	lr->piece_bytes = whole ? whole / 2 : PIECE_BYTES;
	TRY(lines_init(&lr->looks, &lr->in.src, show->syscall_names, err));
	lr->style = lines_style(show, &lr->looks);
	lr->style.colour = lr->spec->colour && show->as == LINES_TEXT;
	textbuf_init(&lr->text, PIECE_BYTES + RECORD_MAX_BYTES);
	if (batch_init(&lr->batch) < 0 || line_printer_init(&lr->lines, &lr->style) < 0)
		return errmsg_set_errno(err, -ENOMEM, "cannot print");
	line_printer_aim(&lr->lines, &lr->text);
	if (show->as == LINES_CSV)
		textbuf_add_str(&lr->text, rows_csv_header);
	return 0;
}

int livereport_new(struct livereport **ret_report, struct tracefile *tf,
		   const struct livereport_spec *spec, const struct setup *setup,
		   struct errmsg *err)
{
	SCOPED(livereport_free_scoped) struct livereport *lr = calloc(1, sizeof(*lr));
	struct sequence_config config;

	if (!lr)
		return errmsg_set_errno(err, -ENOMEM, "cannot print");
	lr->spec = spec;
	config = lines_sequence_config(&spec->in, &spec->show);
	TRY(livesource_open(&lr->in, tf, &spec->in, &config, setup, err));
	if (own_init(&lr->own, lr->in.file.formats, setup->plan->trace_self) < 0 ||
	    stack_follow_init(&lr->dropped, lr->in.file.formats, tf->cpu_count) < 0)
		return errmsg_set_errno(err, -ENOMEM, "cannot print");
	TRY(open_lines(lr, err));
	*ret_report = TAKE(lr);
	return 0;
}

void livereport_free(struct livereport *lr)
{
	if (!lr)
		return;
	own_release(&lr->own);
	stack_follow_release(&lr->dropped);
	batch_release(&lr->batch);
	line_printer_release(&lr->lines);
	textbuf_release(&lr->text);
	trickle_release(&lr->trickle);
	lines_release(&lr->looks);
	livesource_close(&lr->in);
	free(lr);
}

void livereport_watch(struct livereport *lr, void (*see)(void *ctx, const struct batch *b),
		      void *ctx)
{
	lr->see = see;
	lr->see_ctx = ctx;
}

struct formats *livereport_formats(struct livereport *lr)
{
	return lr->in.file.formats;
}

/* --- sonde itself ----------------------------------------------------------------------------- */

/* Excludes events that concern only sonde, and their stacks. */
static void leave_out_own(struct livereport *lr)
{
	struct batch *b = &lr->batch;
	size_t n = 0;

	for (size_t i = 0; lr->own.processes && i < b->n; i++) {
		struct record *rec = &b->records[i];
		bool is_own;

		if (stack_follow_is_due(&lr->dropped, rec))
			continue;
		is_own = own_is_only(&lr->own, rec);
		stack_follow_set(&lr->dropped, rec, is_own);
		if (!is_own)
			b->records[n++] = *rec;
	}
	if (lr->own.processes)
		b->n = n;
}

/* --- printing --------------------------------------------------------------------------------- */

static int make_piece(struct livereport *lr, struct errmsg *err)
{
	textbuf_clear(&lr->text);
	lr->written = 0;
	lr->from = lr->to;
	lr->to = lines_adder(lr->spec->show.as)(&lr->lines, &lr->batch, lr->from, lr->piece_bytes);
	if (lr->spec->escape && lr->spec->escape(lr->spec->escape_ctx, &lr->text) < 0)
		return errmsg_set_errno(err, -ENOMEM, "cannot print the events");
	return 0;
}

/* Returns 1 if the piece is written, 0 if there was not enough time. */
static int write_piece(struct livereport *lr, struct errmsg *err)
{
	size_t len = textbuf_len(&lr->text);
	ssize_t n = trickle_write(&lr->trickle, lr->text.start + lr->written, len - lr->written,
				  lr->in.until_ns);

	if (n == -EPIPE)
		return n;
	if (n < 0)
		return errmsg_set_errno(err, n, "cannot print the events");
	lr->written += n;
	if (lr->written < len)
		return 0;
	lr->from = lr->to;
	textbuf_clear(&lr->text);
	lr->written = 0;
	return 1;
}

static int step(void *ctx, struct errmsg *err)
{
	struct livereport *lr = ctx;

	livesource_learn(&lr->in);
	for (;;) {
		int r;

		if (textbuf_len(&lr->text)) {
			r = write_piece(lr, err);
			if (r <= 0)
				return r;
		}
		if (lr->to < lr->batch.n) {
			TRY(make_piece(lr, err));
			continue;
		}
		r = sequence_fill(lr->in.src.seq, &lr->batch);
		lr->from = lr->to = 0;
		if (r < 0)
			return errmsg_set_errno(err, r, "cannot continue printing");
		if (!r)
			return !livesource_is_late(&lr->in);
		livesource_refresh(&lr->in, &lr->batch);
		leave_out_own(lr);
		if (lr->see)
			lr->see(lr->see_ctx, &lr->batch);
	}
}

static uint64_t count_rest(void *ctx)
{
	const struct livereport *lr = ctx;

	return lr->batch.n - lr->from;
}

int livereport_follow(struct livereport *lr, struct liverun *run, const char *lost_text,
		      unsigned last_ms, struct errmsg *err)
{
	struct liverun_taker printing = {
		.step = step,
		.count_rest = count_rest,
		.rest_text = "more events had happened when it was ended",
		.lost_text = lost_text,
		.tells_hits = true,
		.at_once = true,
		.last_ms = last_ms,
	};

	return liverun_follow(run, &lr->in, &printing, lr, err);
}

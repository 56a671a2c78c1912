// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * answering.c - runs queries, and brings their rows to the output.
 *
 * In a shell each result goes through a pager of its own, which stays away if the result fits on
 * the screen. Otherwise all results go to one output. A query that takes longer than a second
 * without showing rows reports its progress on a terminal.
 */
#include "base/array.h"
#include "base/clock.h"
#include "base/scope.h"
#include "base/textbuf.h"
#include "cli/screen/terminal.h"
#include "cli/sql/sql.h"
#include "inputs/inputs.h"
#include "present/query/rowstext.h"
#include "query/query.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PROGRESS_AFTER_NS 1000000000u
#define PROGRESS_EVERY_NS 200000000u

/* --- interrupts ------------------------------------------------------------------------------- */

static volatile sig_atomic_t is_interrupted;

static void on_interrupt(int signal)
{
	is_interrupted = 1;
}

void sql_catch_interrupts(bool on)
{
	struct sigaction act = {.sa_handler = on ? on_interrupt : SIG_DFL};

	is_interrupted = 0;
	sigaction(SIGINT, &act, NULL);
}

bool sql_is_interrupted(void)
{
	return is_interrupted;
}

/* --- progress --------------------------------------------------------------------------------- */

static void hide_progress(struct answering *s)
{
	if (s->is_progress_shown)
		terminal_control(stderr, TERMINAL_CLEAR_LINE);
	s->is_progress_shown = false;
}

static void show_progress(struct answering *s, uint64_t now)
{
	char share[48] = "";
	uint64_t all, n;

	if (!s->has_progress || s->text.n_rows != s->n_before ||
	    now - s->start_ns < PROGRESS_AFTER_NS || now - s->shown_ns < PROGRESS_EVERY_NS)
		return;
	s->shown_ns = now;
	n = query_progress(s->q, &all);
	if (n <= all && all)
		snprintf(share, sizeof(share), " (about %.0f %%)", 100.0 * (double)n / (double)all);
	terminal_control(stderr,
			 TERMINAL_CLEAR_LINE
			 "%.0f s, %.1f million events read%s; Ctrl-C ends the query",
			 (double)(now - s->start_ns) / 1e9, (double)n / 1e6, share);
	s->is_progress_shown = true;
}

static bool is_stopped(void *ctx)
{
	struct answering *s = ctx;

	show_progress(s, clock_now_ns());
	return is_interrupted || (s->is_open && output_is_closed(&s->out));
}

/* --- the output ------------------------------------------------------------------------------- */

static int open_output(struct answering *s, struct errmsg *err)
{
	if (s->is_open)
		return 0;
	if (s->fd >= 0)
		output_open_fd(&s->out, s->fd);
	else
		TRY(output_open(&s->out, s->o->colour, s->o->no_pager, err));
	s->is_open = true;
	return 0;
}

static void close_output(struct answering *s)
{
	if (s->is_open)
		output_close(&s->out);
	s->is_open = false;
}

static int write_rows(void *ctx, const char *text, size_t len)
{
	struct answering *s = ctx;

	hide_progress(s);
	return output_write(&s->out, text, len);
}

static int open_file(struct answering *s, struct errmsg *err)
{
	if (!s->o->output)
		return s->o->parquet && isatty(STDOUT_FILENO)
			       ? errmsg_set(err, -EINVAL,
					    "Parquet is not for a terminal; name a file with -o")
			       : 0;
	s->fd = open(s->o->output, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	return s->fd < 0 ? errmsg_set_errno(err, -errno, "cannot write %s", s->o->output) : 0;
}

int answering_open(struct answering *s, struct sql_options *o, struct inputs *in, bool is_shell,
		   struct errmsg *err)
{
	struct query_stop stop = {is_stopped, s};

	*s = (struct answering){.o = o, .is_shell = is_shell, .fd = -1};
	s->form = o->json ? ROWSTEXT_JSON : o->csv ? ROWSTEXT_CSV : ROWSTEXT_TABLE;
	s->has_progress = isatty(STDERR_FILENO);
	rowstext_init(&s->text, s->form, write_rows, s);
	parquet_init(&s->parquet, write_rows, s);
	TRY(open_file(s, err));
	return query_new(&s->q, in, &o->limits, &stop, err);
}

int answering_close(struct answering *s, int r, struct errmsg *err)
{
	close_output(s);
	query_free(s->q);
	rowstext_release(&s->text);
	parquet_release(&s->parquet);
	if (s->fd >= 0 && close(s->fd) < 0 && r >= 0)
		r = errmsg_set_errno(err, -errno, "cannot write %s", s->o->output);
	return r;
}

static struct query_sink sink_of(struct answering *s)
{
	return s->o->parquet ? parquet_sink(&s->parquet) : rowstext_sink(&s->text);
}

int answering_run(struct answering *s, const char *sql, struct errmsg *err)
{
	struct query_sink sink;
	int r;

	TRY(open_output(s, err));
	s->text.form = s->form;
	if (s->is_shell)
		s->text.n_statements = 0; /* no empty line before the first result */
	sink = sink_of(s);
	s->start_ns = clock_now_ns();
	s->n_before = s->text.n_rows;
	sql_catch_interrupts(true);
	r = query_run(s->q, sql, &sink, err);
	hide_progress(s);
	if (!s->is_shell)
		sql_catch_interrupts(false);
	if (r < 0 && s->parquet.why.code) /* the sink knows more */
		*err = s->parquet.why;
	if (r == -EPIPE || (r == -EINTR && output_is_closed(&s->out))) { /* nobody reads */
		*err = (struct errmsg){0};
		r = 0;
	}
	if (s->is_shell)
		close_output(s);
	return r;
}

int answering_print(struct answering *s, struct textbuf *tb, struct errmsg *err)
{
	int r;

	if (tb->overflow)
		return errmsg_set_errno(err, -EFBIG, "cannot print the text");
	TRY(open_output(s, err));
	r = output_write(&s->out, textbuf_text(tb), textbuf_len(tb));
	if (s->is_shell)
		close_output(s);
	return r < 0 && r != -EPIPE ? errmsg_set_errno(err, r, "cannot write the output") : 0;
}

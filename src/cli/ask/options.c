// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * options.c - the options of count, latency and functions, and the output of their results.
 *
 *	at the end           standard output, through a pager on a terminal; or a file (-o)
 *	before the end       a terminal: each replaces the previous one, truncated to the height of
 *	                     the screen
 *	-I elsewhere         in sequence, with their times (series.c)
 *
 * Words are copied, because they are used longer than the caller's memory is valid.
 */
#include "capture/plan.h"
#include "cli/ask/gather_int.h"

#include "base/files/outplace.h"
#include "base/scope.h"
#include "base/shortage.h"
#include "cli/screen/output.h"
#include "cli/screen/terminal.h"
#include "live/request.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* --- options ---------------------------------------------------------------------------------- */

void gather_release(struct gather_options *o)
{
	live_request_release(&o->record);
	plan_words_release(&o->events);
	plan_words_release(&o->filters);
	plan_words_release(&o->names);
	plan_words_release(&o->buffers);
}

int gather_keep_word(struct plan_words *list, const char *word, struct errmsg *err)
{
	int r = plan_words_add(list, word);

	return r < 0 ? errmsg_set_errno(err, r, "cannot keep the options") : 0;
}

static int add_event(struct gather_options *o, const char *word, struct errmsg *err)
{
	int r = gather_keep_word(&o->events, word, err);

	o->n_last++;
	return r < 0 ? r : recordopts_event(o, word, err);
}

/* Adds events, separated by commas. */
int gather_event(void *opts, const char *value, struct errmsg *err)
{
	int r;

	((struct gather_options *)opts)->n_last = 0;
	for (;;) {
		const char *end = plan_end_of_event(value);
		char *word = strndup(value, (size_t)(end - value));

		r = word ? add_event(opts, word, err)
			 : errmsg_set_errno(err, -ENOMEM, "cannot keep the options");
		free(word);
		if (r < 0 || !*end)
			return r;
		value = end + 1;
	}
}

int gather_how(void *opts, const char *value, struct errmsg *err)
{
	struct gather_options *o = opts;

	if (strcmp(value, "bpf") && strcmp(value, "hist") && strcmp(value, "program"))
		return errmsg_set(err, -EINVAL, "--how is bpf, hist or program, not '%s'", value);
	o->how = value;
	o->in_program = !strcmp(value, "program");
	return 0;
}

int gather_filter(void *opts, const char *value, struct errmsg *err)
{
	return gather_keep_word(&((struct gather_options *)opts)->filters, value, err);
}

int gather_event_filter(void *opts, const char *value, struct errmsg *err)
{
	struct gather_options *o = opts;

	return plan_add_filters(&o->record.plan, o->n_last, value, err);
}

int gather_rows(void *opts, const char *value, struct errmsg *err)
{
	struct gather_options *o = opts;
	char *end;

	o->n_rows = strtoll(value, &end, 10);
	if (end == value || *end || o->n_rows < 1)
		return errmsg_set(err, -EINVAL, "--rows takes a number from 1 on, not '%s'", value);
	return 0;
}

int gather_buffer(void *opts, const char *value, struct errmsg *err)
{
	return gather_keep_word(&((struct gather_options *)opts)->buffers, value, err);
}

static int set_output(struct gather_options *o, enum gather_output output, struct errmsg *err)
{
	if (o->output != GATHER_TEXT && o->output != output)
		return errmsg_set(err, -EINVAL, "--json and --csv exclude each other");
	o->output = output;
	return 0;
}

int gather_json(void *opts, const char *value, struct errmsg *err)
{
	return set_output(opts, GATHER_JSON, err);
}

int gather_csv(void *opts, const char *value, struct errmsg *err)
{
	return set_output(opts, GATHER_CSV, err);
}

/* Returns true for a series of results: -I without a terminal, or with JSON or CSV. */
static bool is_series(const struct gather_options *o)
{
	return o->interval &&
	       (o->record.output || o->output != GATHER_TEXT || !isatty(STDOUT_FILENO));
}

int gather_set_pace(struct gather_options *o, struct errmsg *err)
{
	double s = o->interval_default;
	bool on_screen = o->output == GATHER_TEXT && !o->record.output && isatty(STDOUT_FILENO);
	char *end;

	if (o->interval) {
		s = strtod(o->interval, &end);
		if (end == o->interval || *end || s < 0 || s > 86400)
			return errmsg_set(err, -EINVAL, "-I takes seconds, not '%s'", o->interval);
	}
	o->pace.is_series = is_series(o);
	o->pace.interval_ns = o->pace.is_series || on_screen ? (uint64_t)(s * 1e9) : 0;
	return 0;
}

const char *gather_only_in(const struct gather_options *o)
{
	const struct plan *plan = &o->record.plan;
	bool has_pids = plan->n_buffers && plan->buffers[0].pids.n;

	if (o->input || plan->children || (!plan->only_command && !has_pids))
		return NULL;
	return has_pids ? "the threads of -P only" : "the command's first thread";
}

/* --- printing --------------------------------------------------------------------------------- */

bool gather_is_colour(const struct gather_options *o)
{
	if (o->output != GATHER_TEXT || o->record.output)
		return false;
	if (o->colour && strcmp(o->colour, "auto"))
		return !strcmp(o->colour, "always");
	return isatty(STDOUT_FILENO) && !getenv("NO_COLOR");
}

/* Writes the whole text or nothing, because a partial table may look complete. */
static int write_file(const char *path, bool is_more, const struct textbuf *tb, struct errmsg *err)
{
	struct output out = {
		.fd = outplace_open_file(path, is_more ? OUTPLACE_APPEND : OUTPLACE_WRITE, err)};
	off_t end;
	int r;

	if (out.fd < 0)
		return out.fd;
	end = lseek(out.fd, 0, SEEK_END);
	r = output_write(&out, tb->start, textbuf_len(tb));
	if (r < 0 && end >= 0 && ftruncate(out.fd, end) < 0)
		errmsg_set_errno(err, r, "cannot write %s, which is truncated now", path);
	if (close(out.fd) < 0 && r >= 0)
		r = -errno;
	return r < 0 ? errmsg_set_errno(err, r, "cannot write %s", path) : 0;
}

/* Adds a result to the series. The caller releases out. */
static void add_to_series(struct gather_options *o, const struct textbuf *tb, struct textbuf *out)
{
	o->series.start_ns = o->pace.start_ns;
	o->series.end_ns = o->pace.end_ns;
	textbuf_init(out, TEXT_MAX_BYTES);
	if (o->output == GATHER_JSON)
		series_add_json(&o->series, tb, out);
	else if (o->output == GATHER_CSV)
		series_add_csv(&o->series, tb, out);
	else
		series_add_text(&o->series, tb, out);
}

static int print(struct gather_options *o, const struct textbuf *tb, struct errmsg *err)
{
	bool is_more = o->has_printed;
	int r;

	if (shortage_check(err, "cannot print the result") < 0)
		return errmsg_code(err);
	o->has_printed = true;
	if (o->record.output && !tb->overflow)
		return write_file(o->record.output, is_more, tb, err);
	r = output_print(tb, o->colour, o->no_pager, err);
	if (r < 0 && r != -EPIPE)
		errmsg_set_errno(err, r, "cannot write the result");
	return r;
}

int gather_print(struct gather_options *o, const struct textbuf *tb, struct errmsg *err)
{
	struct textbuf text;
	int r;

	if (o->input || !is_series(o))
		return print(o, tb, err);
	if (o->series_error)
		return errmsg_set_errno(err, o->series_error, "cannot write %s", o->record.output);
	add_to_series(o, tb, &text);
	r = print(o, &text, err);
	textbuf_release(&text);
	return r;
}

static bool show_in_series(struct gather_options *o, const struct textbuf *tb)
{
	struct errmsg err = {0};
	struct textbuf text;

	add_to_series(o, tb, &text);
	if (o->record.output) { /* gather_print() reports a failure at the end */
		if (!o->series_error)
			o->series_error = print(o, &text, &err);
		textbuf_release(&text);
		return true;
	}
	fwrite(text.start, 1, textbuf_len(&text), stdout);
	textbuf_release(&text);
	return !fflush(stdout);
}

static bool show(struct gather_options *o, const struct textbuf *tb)
{
	struct winsize size = {.ws_row = 24};
	const char *p = tb->start;

	if (is_series(o))
		return show_in_series(o, tb);
	ioctl(STDOUT_FILENO, TIOCGWINSZ, &size);
	terminal_control(stdout, TERMINAL_CLEAR_SCREEN);
	for (unsigned row = 1; p < tb->pos && row < size.ws_row; row++) {
		const char *end = memchr(p, '\n', tb->pos - p);

		end = end ? end + 1 : tb->pos;
		fwrite(p, 1, end - p, stdout);
		p = end;
	}
	return !fflush(stdout);
}

int gather_present(struct gather_options *o, bool is_last,
		   int (*fmt)(void *ctx, bool colour, struct textbuf *tb, struct errmsg *err),
		   void *ctx, struct errmsg *err)
{
	TEXTBUF(tb, TEXT_MAX_BYTES);
	int r;

	o->is_last = is_last;
	o->on_screen = !is_last && !is_series(o);
	r = fmt(ctx, gather_is_colour(o), &tb, err);
	o->on_screen = false;
	if (is_last && r >= 0 && o->pace.interval_ns && !is_series(o))
		terminal_control(stdout, TERMINAL_CLEAR_SCREEN);
	if (is_last)
		fflush(stdout);
	TRY(r);
	if (is_last)
		return gather_print(o, &tb, err);
	return show(o, &tb) ? 0 : -EPIPE;
}

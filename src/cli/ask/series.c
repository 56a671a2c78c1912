// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * series.c - adds the time to each result of a series.
 *
 *	text   a line "after 2.0 s" above it
 *	JSON   {"time":2.001, …}, a line each
 *	CSV    time,… as the first column; all results below one header, so that it is one table
 */
#include "cli/ask/series.h"

#include "base/clock.h"

static double seconds(const struct series *s)
{
	return ((s->end_ns ? s->end_ns : clock_now_ns()) - s->start_ns) / 1e9;
}

void series_add_text(struct series *s, const struct textbuf *result, struct textbuf *out)
{
	textbuf_addf(out, "%safter %.1f s\n", s->has_begun ? "\n" : "", seconds(s));
	textbuf_add(out, result->start, textbuf_len(result));
	s->has_begun = true;
}

void series_add_json(struct series *s, const struct textbuf *result, struct textbuf *out)
{
	textbuf_addf(out, "{\"time\":%.3f,", seconds(s));
	textbuf_add(out, result->start + 1, textbuf_len(result) - 1);
}

/* Returns the position after the end of a row. A field in quotes may contain newlines. */
static const char *row_end(const char *p, const char *end)
{
	bool in_quotes = false;

	for (; p < end && (in_quotes || *p != '\n'); p++)
		in_quotes ^= *p == '"';
	return p < end ? p + 1 : end;
}

void series_add_csv(struct series *s, const struct textbuf *result, struct textbuf *out)
{
	const char *p = result->start, *end = result->pos, *row = row_end(p, end);
	double time = seconds(s);

	if (!s->has_begun) {
		textbuf_add_str(out, "time,");
		textbuf_add(out, p, row - p);
	}
	for (p = row; p < end; p = row) {
		row = row_end(p, end);
		textbuf_addf(out, "%.3f,", time);
		textbuf_add(out, p, row - p);
	}
	s->has_begun = true;
}

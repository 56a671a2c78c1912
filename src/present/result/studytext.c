// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * studytext.c - prints tables of counts and times, and stacks with their counts.
 *
 *	from raise to run
 *	    count   total ms     avg us     p99 us     max us             at  vec
 *	      210      1.512      7.200     45.055     91.034     502.509197  TIMER
 *
 *	where softirqs are raised from
 *	       12  raise_softirq
 *	            <- update_process_times
 *	            <- tick_sched_timer
 *
 * The columns of values are as wide as their longest value, up to a limit; the last one is not
 * padded. Only the first rows are shown; a line reports how many more there are.
 */
#include "present/result/studytext.h"

#include "base/escaper.h"

#define ROWS_DEFAULT   20
#define STACKS_DEFAULT 5
#define WIDTH_MAX      40
#define FRAMES_SHOWN   16

static size_t rows_shown(const struct study_spec *spec, size_t n)
{
	size_t top = spec->top			  ? spec->top
		     : spec->kind == STUDY_STACKS ? STACKS_DEFAULT
						  : ROWS_DEFAULT;

	return n < top ? n : top;
}

/* --- values ----------------------------------------------------------------------------------- */

static const char *column_name(const struct study_spec *spec, size_t i)
{
	return spec->kind == STUDY_GRAPH ? "function" : spec->headings[i];
}

static size_t count_columns(const struct study_spec *spec)
{
	return spec->kind == STUDY_GRAPH ? 1 : spec->n_groups;
}

static void find_widths(const struct study_spec *spec, const struct study_row *const *rows,
			size_t n, size_t *widths)
{
	for (size_t c = 0; c < count_columns(spec); c++)
		widths[c] = strlen(column_name(spec, c));
	for (size_t i = 0; i < n; i++) {
		const char *p = rows[i]->label;

		for (size_t c = 0; c < count_columns(spec); c++) {
			size_t len = strcspn(p, "\t");

			if (len > widths[c])
				widths[c] = len < WIDTH_MAX ? len : WIDTH_MAX;
			p += len + !!p[len];
		}
	}
}

static void fmt_values(const struct study_spec *spec, const char *label, const size_t *widths,
		       struct textbuf *tb)
{
	for (size_t c = 0; c < count_columns(spec); c++) {
		size_t len = strcspn(label, "\t");

		textbuf_add(tb, "  ", 2);
		textbuf_add(tb, label, len);
		if (c + 1 < count_columns(spec) && len < widths[c])
			textbuf_add_fill(tb, ' ', widths[c] - len);
		label += len + !!label[len];
	}
}

/* --- tables ----------------------------------------------------------------------------------- */

static bool has_times(const struct study_spec *spec)
{
	return spec->kind == STUDY_TIME || spec->kind == STUDY_GRAPH;
}

static void fmt_head(const struct study_spec *spec, bool in_time, const size_t *widths,
		     struct textbuf *tb)
{
	textbuf_addf(tb, "%9s", "count");
	if (has_times(spec))
		textbuf_addf(tb, " %10s", in_time ? "total ms" : "total");
	if (spec->kind == STUDY_GRAPH)
		textbuf_addf(tb, " %10s", in_time ? "self ms" : "self");
	if (has_times(spec))
		textbuf_addf(tb, " %10s", in_time ? "avg us" : "avg");
	if (spec->kind == STUDY_TIME)
		textbuf_addf(tb, " %10s", in_time ? "p99 us" : "p99");
	if (has_times(spec))
		textbuf_addf(tb, " %10s %14s", in_time ? "max us" : "max", "at");
	for (size_t c = 0; c < count_columns(spec); c++) {
		size_t len = strlen(column_name(spec, c));

		textbuf_addf(tb, "  %s", column_name(spec, c));
		if (c + 1 < count_columns(spec) && len < widths[c])
			textbuf_add_fill(tb, ' ', widths[c] - len);
	}
	textbuf_add_char(tb, '\n');
}

static void fmt_scaled(uint64_t v, double by, bool in_time, struct textbuf *tb)
{
	if (in_time)
		textbuf_addf(tb, " %10.3f", v / by);
	else
		textbuf_addf(tb, " %10llu", (unsigned long long)v);
}

static void fmt_row(const struct study_spec *spec, const struct study_row *row, bool in_time,
		    const size_t *widths, struct textbuf *tb)
{
	textbuf_addf(tb, "%9llu", (unsigned long long)row->n);
	if (has_times(spec)) {
		fmt_scaled(row->total, 1e6, in_time, tb);
		if (spec->kind == STUDY_GRAPH)
			fmt_scaled(row->self, 1e6, in_time, tb);
		fmt_scaled(row->total / row->n, 1e3, in_time, tb);
		if (spec->kind == STUDY_TIME)
			fmt_scaled(row->p99, 1e3, in_time, tb);
		fmt_scaled(row->max, 1e3, in_time, tb);
		if (in_time)
			textbuf_addf(tb, " %7llu.%06llu",
				     (unsigned long long)(row->max_ts / 1000000000),
				     (unsigned long long)(row->max_ts % 1000000000 / 1000));
		else
			textbuf_addf(tb, " %14llu", (unsigned long long)row->max_ts);
	}
	fmt_values(spec, row->label, widths, tb);
	textbuf_add_char(tb, '\n');
}

static void fmt_stack(const struct study_row *row, struct textbuf *tb)
{
	const char *p = row->label;
	size_t n = 0;

	textbuf_addf(tb, "%9llu", (unsigned long long)row->n);
	for (; *p && n < FRAMES_SHOWN; n++) {
		size_t len = strcspn(p, "\n");

		textbuf_add_str(tb, n ? "           <- " : "  ");
		textbuf_add(tb, p, len);
		textbuf_add_char(tb, '\n');
		p += len + !!p[len];
	}
	if (*p)
		textbuf_add_str(tb, "           <- …\n");
}

/* Prints the reason of an empty result. */
static void fmt_nothing(const struct study *s, struct textbuf *tb)
{
	enum study_kind kind = study_spec(s)->kind;
	unsigned long long seen = study_n_seen(s);

	if (kind == STUDY_GRAPH)
		textbuf_add_str(tb, seen ? "        none of these functions was called\n"
					 : "        no call graph was traced\n");
	else if (kind == STUDY_STACKS && seen)
		textbuf_addf(tb, "        %llu events, without a stack\n", seen);
	else if (!study_n_open(s))
		textbuf_add_str(tb, "        no such events\n");
}

static void fmt_ts(uint64_t ts, bool in_time, struct textbuf *tb)
{
	if (in_time)
		textbuf_addf(tb, "%llu.%06llu", (unsigned long long)(ts / 1000000000),
			     (unsigned long long)(ts % 1000000000 / 1000));
	else
		textbuf_add_dec(tb, ts);
}

/* Prints one line about the trace as a whole. */
static void studytext_fmt_head(const struct study_range *range, bool in_time, struct textbuf *tb)
{
	uint64_t span = range->last - range->first;

	if (!range->n_events)
		return textbuf_add_str(tb, "no events\n");
	textbuf_addf(tb, "%llu events, ", (unsigned long long)range->n_events);
	if (in_time)
		textbuf_addf(tb, "%.3f %s", span / (span < 1000000000 ? 1e6 : 1e9),
			     span < 1000000000 ? "ms" : "s");
	else
		textbuf_addf(tb, "%llu", (unsigned long long)span);
	textbuf_add_str(tb, " from ");
	fmt_ts(range->first, in_time, tb);
	textbuf_add_str(tb, " to ");
	fmt_ts(range->last, in_time, tb);
	if (range->n_gaps)
		textbuf_addf(tb,
			     "; events were lost in %llu places; what was open there is not "
			     "counted",
			     (unsigned long long)range->n_gaps);
	textbuf_add_char(tb, '\n');
}

void studytext_fmt(const struct study *s, bool in_time, bool colour, struct textbuf *tb)
{
	const struct study_spec *spec = study_spec(s);
	size_t n, shown, widths[STUDY_FIELDS_MAX] = {0};
	const struct study_row *const *rows = study_rows(s, &n);

	shown = rows_shown(spec, n);
	textbuf_addf(tb, "%s%s%s\n", colour ? ESCAPER_BOLD : "", spec->title,
		     colour ? ESCAPER_OFF : "");
	if (!n)
		fmt_nothing(s, tb);
	find_widths(spec, rows, shown, widths);
	if (n && spec->kind != STUDY_STACKS)
		fmt_head(spec, in_time, widths, tb);
	for (size_t i = 0; i < shown; i++)
		if (spec->kind == STUDY_STACKS)
			fmt_stack(rows[i], tb);
		else
			fmt_row(spec, rows[i], in_time, widths, tb);
	if (shown < n)
		textbuf_addf(tb, "          and %zu more\n", n - shown);
	if (study_n_open(s))
		textbuf_addf(tb, "          %llu had not ended when the trace ended\n",
			     (unsigned long long)study_n_open(s));
	if (study_n_dropped(s))
		textbuf_addf(tb, "          %llu are not counted: too many different ones\n",
			     (unsigned long long)study_n_dropped(s));
}

/* --- JSON ------------------------------------------------------------------------------------- */

static void fmt_json_label(const struct study_spec *spec, const char *label, struct jsonwriter *w)
{
	bool stack = spec->kind == STUDY_STACKS;
	const char *until = stack ? "\n" : "\t";

	if (stack)
		jsonwriter_open(w, "stack", '[');
	for (size_t c = 0; *label && (stack || c < count_columns(spec)); c++) {
		size_t len = strcspn(label, until);

		jsonwriter_add_text(w, stack ? NULL : column_name(spec, c), label, len);
		label += len + !!label[len];
	}
	if (stack)
		jsonwriter_close(w);
}

void studytext_fmt_json(const struct study *s, bool in_time, struct jsonwriter *w)
{
	const struct study_spec *spec = study_spec(s);
	size_t n;
	const struct study_row *const *rows = study_rows(s, &n);

	jsonwriter_open(w, NULL, '{');
	jsonwriter_add_string(w, "title", spec->title);
	jsonwriter_add_string(w, "unit", in_time ? "ns" : NULL);
	jsonwriter_open(w, "rows", '[');
	for (size_t i = 0; i < n; i++) {
		jsonwriter_open(w, NULL, '{');
		fmt_json_label(spec, rows[i]->label, w);
		jsonwriter_add_uint(w, "count", rows[i]->n);
		if (has_times(spec)) {
			jsonwriter_add_uint(w, "total", rows[i]->total);
			if (spec->kind == STUDY_TIME)
				jsonwriter_add_uint(w, "p99", rows[i]->p99);
			jsonwriter_add_uint(w, "max", rows[i]->max);
			jsonwriter_add_uint(w, "max_at", rows[i]->max_ts);
		}
		if (spec->kind == STUDY_GRAPH)
			jsonwriter_add_uint(w, "self", rows[i]->self);
		jsonwriter_close(w);
	}
	jsonwriter_close(w);
	jsonwriter_add_uint(w, "seen", study_n_seen(s));
	jsonwriter_add_uint(w, "open", study_n_open(s));
	jsonwriter_add_uint(w, "dropped", study_n_dropped(s));
	jsonwriter_close(w);
}

/* --- all answers of a recipe ------------------------------------------------------------------ */

void studytext_fmt_report(const struct study_report *r, bool colour, struct textbuf *tb)
{
	textbuf_addf(tb, "%s: ", r->recipe);
	studytext_fmt_head(r->range, r->in_time, tb);
	for (size_t i = 0; i < r->n && r->range->n_events; i++) {
		textbuf_add_char(tb, '\n');
		studytext_fmt(r->studies[i], r->in_time, colour, tb);
	}
}

void studytext_fmt_report_json(const struct study_report *r, struct textbuf *tb)
{
	struct jsonwriter w;

	jsonwriter_init(&w, tb);
	jsonwriter_open(&w, NULL, '{');
	jsonwriter_add_string(&w, "recipe", r->recipe);
	jsonwriter_open(&w, "notes", '[');
	for (const char *p = r->notes->start, *end = r->notes->pos; p && p < end;) {
		size_t len = strcspn(p, "\n");

		jsonwriter_add_text(&w, NULL, p, len);
		p += len + 1;
	}
	jsonwriter_close(&w);
	jsonwriter_add_uint(&w, "events", r->range->n_events);
	jsonwriter_add_uint(&w, "first", r->range->first);
	jsonwriter_add_uint(&w, "last", r->range->last);
	jsonwriter_add_uint(&w, "gaps", r->range->n_gaps);
	jsonwriter_open(&w, "answers", '[');
	for (size_t i = 0; i < r->n; i++)
		studytext_fmt_json(r->studies[i], r->in_time, &w);
	jsonwriter_close(&w);
	jsonwriter_close(&w);
	textbuf_add_char(tb, '\n');
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * difftext.c - prints differences, the costliest first.
 *
 *    change        A        B      times A      times B       cost  chance  what
 *   +10.2 %  1.00 us  1.10 us       120034       119990   +12.1 ms  <0.01%  parse_value [prog]: …
 *            longest in A 3.20 us at 12.123456, in B 4.10 us at 13.000123
 *
 * A and B are the mean duration, or the time in all for totals.
 */
#include "present/compare/difftext.h"

#include "base/array.h"
#include "base/escaper.h"
#include "base/json/jsonwriter.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define COMMON_MIN 0.02 /* a smaller common factor gets no line */

static const struct {
	const char *word, *text; /* text: one occurrence */
} kinds[] = {
	[MEASURE_USER_FUNCTION] = {"function", "call"},
	[MEASURE_KERNEL_FUNCTION] = {"kernel-function", "call"},
	[MEASURE_SYSCALL] = {"syscall", "system call"},
	[MEASURE_WAKEUP] = {"wakeup", "wait for a CPU after a wakeup"},
	[MEASURE_BLOCKED] = {"blocked", "uninterruptible sleep"},
	[MEASURE_LOCK] = {"lock", "wait for a lock"},
	[MEASURE_DISK] = {"disk", "request to the disk"},
	[MEASURE_IRQ] = {"irq", "interrupt"},
	[MEASURE_SOFTIRQ] = {"softirq", "softirq"},
	[MEASURE_RUN_TIME] = {"runtime", "CPU time"},
	[MEASURE_SAMPLES] = {"samples", "samples"},
};
_Static_assert(ARRAY_LEN(kinds) == MEASURE_N_KINDS, "a row for each kind");

uint32_t diff_find_kind(const char *word, size_t len)
{
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
		if (strlen(kinds[i].word) == len && !memcmp(kinds[i].word, word, len))
			return 1u << i;
	return 0;
}

void diff_fmt_kinds(struct textbuf *tb)
{
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
		textbuf_addf(tb, "%s%s", i ? ", " : "", kinds[i].word);
}

static const struct measure *any_of(const struct compare_row *row)
{
	return row->b ? row->b : row->a;
}

/*
 * --- cells -------------------------------------------------------------------------------------
 */

#define CELL 32

static const char *fmt_time(const struct diff_view *v, double ns, bool with_sign, char cell[CELL])
{
	static const struct {
		double from, unit;
		const char *word;
	} units[] = {{1e9, 1e9, "s"}, {1e6, 1e6, "ms"}, {1e3, 1e3, "us"}, {0, 1, "ns"}};
	const char *format = with_sign ? "%+.*f %s" : "%.*f %s";
	size_t i = 0;
	double number;

	if (!v->in_time) {
		snprintf(cell, CELL, with_sign ? "%+.0f" : "%.0f", ns);
		return cell;
	}
	while (fabs(ns) < units[i].from)
		i++;
	number = ns / units[i].unit;
	snprintf(cell, CELL, format,
		 fabs(number) < 10    ? 2
		 : fabs(number) < 100 ? 1
				      : 0,
		 number, units[i].word);
	return cell;
}

static const char *fmt_change(const struct compare_row *row, char cell[CELL])
{
	if (!row->a || !row->b)
		snprintf(cell, CELL, row->a ? "gone" : "new");
	else if (row->ratio >= 10)
		snprintf(cell, CELL, "%.1f x", row->ratio);
	else
		snprintf(cell, CELL, "%+.1f %%", (row->ratio - 1) * 100);
	return cell;
}

static const char *fmt_chance(const struct compare_row *row, char cell[CELL])
{
	if (row->chance < 0.0001)
		snprintf(cell, CELL, "<0.01 %%");
	else
		snprintf(cell, CELL, "%.*f %%", row->chance < 0.1 ? 2 : 0, row->chance * 100);
	return cell;
}

static const char *verdict_of(const struct compare_row *row)
{
	static const char *const words[COMPARE_N_WHATS][2] = {
		[COMPARE_DURATION] = {"each takes longer", "each takes less time"},
		[COMPARE_COUNT] = {"happens more often", "happens less often"},
		[COMPARE_TOTAL] = {"takes more time", "takes less time"},
	};

	if (!row->is_certain)
		return "may be chance";
	if (!row->a || !row->b)
		return row->a ? "only in A" : "only in B";
	return words[row->what][row->ratio < 1];
}

static double amount_of(const struct compare_row *row, const struct measure *m)
{
	if (!m)
		return 0;
	return row->what == COMPARE_TOTAL ? m->total : measure_mean(m);
}

/*
 * --- text --------------------------------------------------------------------------------------
 */

static void fmt_longest(const struct diff_view *v, const char *side, const struct measure *m,
			struct textbuf *tb)
{
	char cell[CELL];

	if (!m)
		return;
	textbuf_addf(tb, "%s %s", side, fmt_time(v, (double)m->longest, false, cell));
	if (v->in_time)
		textbuf_addf(tb, " at %llu.%06llu", (unsigned long long)m->longest_ts / 1000000000,
			     (unsigned long long)m->longest_ts / 1000 % 1000000);
	else
		textbuf_addf(tb, " at %llu", (unsigned long long)m->longest_ts);
}

static void fmt_row(const struct diff_view *v, const struct compare_row *row, struct textbuf *tb)
{
	const struct measure *m = any_of(row);
	char cells[5][CELL];
	const char *colour = !v->colour || !row->is_certain ? ""
			     : row->cost_ns > 0		    ? ESCAPER_RED
							    : ESCAPER_GREEN;

	textbuf_addf(tb, "%s%10s%s %10s %10s %10llu %10llu %11s %8s  ", colour,
		     fmt_change(row, cells[0]), colour[0] ? ESCAPER_OFF : "",
		     row->a ? fmt_time(v, amount_of(row, row->a), false, cells[1]) : "-",
		     row->b ? fmt_time(v, amount_of(row, row->b), false, cells[2]) : "-",
		     (unsigned long long)(row->a ? row->a->n : 0),
		     (unsigned long long)(row->b ? row->b->n : 0),
		     fmt_time(v, row->cost_ns, true, cells[3]), fmt_chance(row, cells[4]));
	textbuf_addf(tb, "%s", m->name);
	if (m->where)
		textbuf_addf(tb, " [%s]", m->where);
	textbuf_addf(tb, " (%s): %s\n", kinds[m->kind].text, verdict_of(row));
	if (row->what != COMPARE_DURATION || !row->is_certain)
		return;
	textbuf_addf(tb, "%10s longest in ", "");
	fmt_longest(v, "A", row->a, tb);
	textbuf_add_str(tb, row->a && row->b ? ", in " : "");
	fmt_longest(v, "B", row->b, tb);
	textbuf_add_char(tb, '\n');
}

static void fmt_side(const struct diff_view *v, const char *name, const struct diff_side *s,
		     struct textbuf *tb)
{
	char cell[CELL];

	textbuf_addf(tb, "%s: %s, %s, %zu measures", name, s->path,
		     fmt_time(v, (double)(s->measures->to - s->measures->from), false, cell),
		     s->measures->n);
	if (s->n_gaps)
		textbuf_addf(tb, "; events were lost at %llu places",
			     (unsigned long long)s->n_gaps);
	if (s->measures->n_dropped)
		textbuf_addf(tb, "; %llu more measures do not fit into memory",
			     (unsigned long long)s->measures->n_dropped);
	textbuf_add_char(tb, '\n');
}

/* One line for each kind of measures with a common factor. */
static void fmt_common(const struct diff_view *v, struct textbuf *tb)
{
	static const enum compare_what whats[] = {COMPARE_DURATION, COMPARE_TOTAL};

	for (size_t i = 0; i < MEASURE_N_KINDS * ARRAY_LEN(whats); i++) {
		size_t k = i / ARRAY_LEN(whats);
		enum compare_what what = whats[i % ARRAY_LEN(whats)];
		const struct compare_common *c = &v->compare->common[k][what];

		if (c->is_known && fabs(c->ratio - 1) >= COMMON_MIN)
			textbuf_addf(
				tb,
				"All %zu measures of '%s' changed by a common factor: %+.1f %% "
				"%s in B; the rows below show only the rest\n",
				c->n, kinds[k].word, (c->ratio - 1) * 100,
				what == COMPARE_TOTAL ? "in all" : "each");
	}
}

/* Kinds that the other recording does not have, probably because it did not record them. */
static void fmt_left_out(const char *has, const char *lacks, const size_t *n_left_out,
			 struct textbuf *tb)
{
	size_t n = 0;

	for (size_t k = 0; k < MEASURE_N_KINDS; k++)
		n += n_left_out[k];
	if (!n)
		return;
	textbuf_addf(tb, "%s has no ", lacks);
	for (size_t k = 0, shown = 0; k < MEASURE_N_KINDS; k++)
		if (n_left_out[k])
			textbuf_addf(tb, "%s'%s'", shown++ ? ", " : "", kinds[k].word);
	textbuf_addf(tb, ": %zu measures of %s are left out\n", n, has);
}

void difftext_fmt(const struct diff_view *v, struct textbuf *tb)
{
	const struct compare *c = v->compare;
	size_t n = v->n_rows && v->n_rows < c->n ? v->n_rows : c->n;

	fmt_side(v, "A", &v->a, tb);
	fmt_side(v, "B", &v->b, tb);
	fmt_left_out("A", "B", c->n_left_out_a, tb);
	fmt_left_out("B", "A", c->n_left_out_b, tb);
	fmt_common(v, tb);
	if (!c->n_certain && c->n_tested)
		textbuf_addf(tb, "Nothing differs by more than chance (%zu comparison%s)\n",
			     c->n_tested, c->n_tested == 1 ? "" : "s");
	if (!c->n)
		return;
	textbuf_addf(tb, "%10s %10s %10s %10s %10s %11s %8s  %s\n", "change", "A", "B", "times A",
		     "times B", "cost", "chance", "what");
	for (size_t i = 0; i < n; i++)
		fmt_row(v, &c->rows[i], tb);
	if (n < c->n)
		textbuf_addf(tb, "and %zu more (-n shows more)\n", c->n - n);
}

/*
 * --- JSON and CSV ------------------------------------------------------------------------------
 */

static const char *const what_words[COMPARE_N_WHATS] = {"duration", "count", "total"};

static void json_side(struct jsonwriter *w, const char *key, const struct diff_side *s,
		      const size_t *n_left_out)
{
	jsonwriter_open(w, key, '{');
	jsonwriter_add_string(w, "path", s->path);
	jsonwriter_add_uint(w, "from", s->measures->from);
	jsonwriter_add_uint(w, "to", s->measures->to);
	jsonwriter_add_uint(w, "measures", s->measures->n);
	jsonwriter_add_uint(w, "gaps", s->n_gaps);
	jsonwriter_open(w, "left_out", '{');
	for (size_t k = 0; k < MEASURE_N_KINDS; k++)
		if (n_left_out[k])
			jsonwriter_add_uint(w, kinds[k].word, n_left_out[k]);
	jsonwriter_close(w);
	jsonwriter_close(w);
}

static void json_measure(struct jsonwriter *w, const char *key, const struct measure *m)
{
	if (!m)
		return jsonwriter_add_null(w, key);
	jsonwriter_open(w, key, '{');
	jsonwriter_add_uint(w, "n", m->n);
	jsonwriter_add_real(w, "total", m->total, 0);
	jsonwriter_add_real(w, "mean", measure_mean(m), 3);
	jsonwriter_add_uint(w, "longest", m->longest);
	jsonwriter_add_uint(w, "longest_at", m->longest_ts);
	jsonwriter_close(w);
}

static void json_ratio(struct jsonwriter *w, const char *key, double ratio)
{
	if (isfinite(ratio))
		jsonwriter_add_real(w, key, ratio, 6);
	else
		jsonwriter_add_null(w, key);
}

static void json_row(struct jsonwriter *w, const struct compare_row *row)
{
	const struct measure *m = any_of(row);

	jsonwriter_open(w, NULL, '{');
	jsonwriter_add_string(w, "kind", kinds[m->kind].word);
	jsonwriter_add_string(w, "name", m->name);
	if (m->where)
		jsonwriter_add_string(w, "where", m->where);
	jsonwriter_add_string(w, "what", what_words[row->what]);
	json_ratio(w, "ratio", row->ratio);
	json_ratio(w, "low", row->low);
	json_ratio(w, "high", row->high);
	jsonwriter_add_real(w, "chance", row->chance, 9);
	jsonwriter_add_bool(w, "certain", row->is_certain);
	jsonwriter_add_real(w, "cost_ns", row->cost_ns, 0);
	json_measure(w, "a", row->a);
	json_measure(w, "b", row->b);
	jsonwriter_close(w);
}

void difftext_fmt_json(const struct diff_view *v, struct textbuf *tb)
{
	struct jsonwriter w;

	jsonwriter_init(&w, tb);
	jsonwriter_open(&w, NULL, '{');
	json_side(&w, "a", &v->a, v->compare->n_left_out_a);
	json_side(&w, "b", &v->b, v->compare->n_left_out_b);
	jsonwriter_add_uint(&w, "tested", v->compare->n_tested);
	jsonwriter_add_uint(&w, "certain", v->compare->n_certain);
	jsonwriter_open(&w, "common", '{');
	for (size_t k = 0; k < MEASURE_N_KINDS; k++) {
		const struct compare_common *c = &v->compare->common[k][COMPARE_DURATION];

		if (c->is_known)
			jsonwriter_add_real(&w, kinds[k].word, c->ratio, 6);
	}
	jsonwriter_close(&w);
	jsonwriter_open(&w, "differences", '[');
	for (size_t i = 0; i < v->compare->n; i++)
		json_row(&w, &v->compare->rows[i]);
	jsonwriter_close(&w);
	jsonwriter_close(&w);
	textbuf_add_char(tb, '\n');
}

static void csv_text(struct textbuf *tb, const char *s)
{
	textbuf_add_char(tb, '"');
	for (; *s; s++)
		textbuf_addf(tb, *s == '"' ? "\"\"" : "%c", *s);
	textbuf_add_char(tb, '"');
}

void difftext_fmt_csv(const struct diff_view *v, struct textbuf *tb)
{
	textbuf_add_str(tb, "kind,name,where,what,ratio,low,high,chance,certain,cost_ns,"
			    "a_n,a_total,b_n,b_total\n");
	for (size_t i = 0; i < v->compare->n; i++) {
		const struct compare_row *row = &v->compare->rows[i];
		const struct measure *m = any_of(row);

		textbuf_addf(tb, "%s,", kinds[m->kind].word);
		csv_text(tb, m->name);
		textbuf_add_char(tb, ',');
		csv_text(tb, m->where ? m->where : "");
		textbuf_addf(
			tb, ",%s,%.6f,%.6f,%.6f,%.9f,%d,%.0f,%llu,%.0f,%llu,%.0f\n",
			what_words[row->what], row->ratio, row->low, row->high, row->chance,
			row->is_certain, row->cost_ns, (unsigned long long)(row->a ? row->a->n : 0),
			row->a ? row->a->total : 0, (unsigned long long)(row->b ? row->b->n : 0),
			row->b ? row->b->total : 0);
	}
}

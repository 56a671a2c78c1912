// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * counttext.c - prints one row for each value, the most frequent first.
 *
 *	    count   comm      filename
 *	      210   cat       /etc/passwd         ################################
 *	       21   bash      /etc/localtime      ###
 *	      231   in 2 rows
 *
 * With a sum, its columns follow the count, and the bars show the sum. Columns are as wide as their
 * longest value, up to a limit; bars use the rest of the line.
 */
#include "present/result/counttext.h"

#include "base/escaper.h"
#include "base/json/jsonwriter.h"
#include "present/result/bars.h"

#include <stdio.h>

#define LINE_WIDTH     100
#define WIDTH_MAX      100
#define BAR_WIDTH_MIN  10
#define WIDE_MAX_BYTES 64
#define SUM_WIDTH      58 /* width of the columns of a sum */
#define BAR_WIDTH_MAX  40

/* Returns true if the text would be invisible. */
static bool is_blank(const struct textbuf *tb)
{
	for (const char *p = tb->start; p < tb->pos; p++)
		if (*p != ' ')
			return false;
	return true;
}

/* Writes the value as text into tb, which is cleared first. Returns its length in characters. */
static size_t cell(const struct count_view *v, const struct keycount_row *row, size_t i,
		   struct textbuf *tb)
{
	size_t n = 0;

	textbuf_clear(tb);
	keycount_fmt(v->counts, row, i, tb);
	if (is_blank(tb)) {
		textbuf_clear(tb);
		textbuf_add_char(tb, '"');
		keycount_fmt(v->counts, row, i, tb);
		textbuf_add_char(tb, '"');
	}
	for (const char *p = tb->start; p < tb->pos; p++)
		n += ((uint8_t)*p & 0xc0) != 0x80; /* UTF-8: count only first bytes of characters */
	return n;
}

static size_t find_widths(const struct count_view *v, const struct keycount_row *const *rows,
			  size_t n, size_t *widths, struct textbuf *text)
{
	size_t sum = 0;

	for (size_t i = 0; i < keycount_n_words(v->counts); i++) {
		widths[i] = strlen(keycount_word(v->counts, i));
		for (size_t k = 0; k < n; k++) {
			size_t len = cell(v, rows[k], i, text);

			if (len > widths[i])
				widths[i] = len < WIDTH_MAX ? len : WIDTH_MAX;
		}
		sum += widths[i] + 2;
	}
	return sum;
}

static uint64_t weight_of(const struct count_view *v, const struct keycount_row *row)
{
	if (!keycount_summed(v->counts))
		return row->now.n;
	if (row->now.sum <= 0)
		return 0;
	return row->now.sum > UINT64_MAX ? UINT64_MAX : (uint64_t)row->now.sum;
}

static uint64_t find_most(const struct count_view *v, const struct keycount_row *const *rows,
			  size_t n)
{
	uint64_t most = 0;

	for (size_t i = 0; i < n; i++)
		most = weight_of(v, rows[i]) > most ? weight_of(v, rows[i]) : most;
	return most;
}

/* Writes two blanks and the right-aligned number. */
static void fmt_wide(wide v, size_t width, struct textbuf *tb)
{
	struct textbuf text;

	textbuf_init(&text, WIDE_MAX_BYTES);
	wide_fmt(v, &text);
	textbuf_add(tb, "  ", 2);
	if (textbuf_len(&text) < width)
		textbuf_add_fill(tb, ' ', width - textbuf_len(&text));
	textbuf_add(tb, text.start ? text.start : "", textbuf_len(&text));
	textbuf_release(&text);
}

static void fmt_sum(const struct keycount_numbers *c, struct textbuf *tb)
{
	fmt_wide(c->sum, 14, tb);
	textbuf_addf(tb, "  %12.1f", c->n ? (double)c->sum / (double)c->n : 0);
	fmt_wide(c->min, 12, tb);
	fmt_wide(c->max, 12, tb);
}

static void fmt_row(const struct count_view *v, const struct keycount_row *row,
		    const size_t *widths, uint64_t most, size_t bar, struct textbuf *tb,
		    struct textbuf *text)
{
	const struct keycount_numbers *c = &row->now;

	textbuf_addf(tb, "%10llu", (unsigned long long)c->n);
	if (keycount_summed(v->counts))
		fmt_sum(c, tb);
	for (size_t i = 0; i < keycount_n_words(v->counts); i++) {
		size_t len = cell(v, row, i, text);

		textbuf_add(tb, "  ", 2);
		textbuf_add(tb, text->start ? text->start : "", textbuf_len(text));
		if (len < widths[i])
			textbuf_add_fill(tb, ' ', widths[i] - len);
	}
	textbuf_add(tb, "  ", 2);
	bar_fmt(weight_of(v, row), most, bar, tb);
	textbuf_add_char(tb, '\n');
}

static void fmt_tail(const struct count_view *v, size_t n, size_t shown, struct textbuf *tb)
{
	uint64_t total = keycount_total(v->counts);

	if (shown < n)
		textbuf_addf(tb, "            and %zu more\n", n - shown);
	textbuf_addf(tb, "%10llu", (unsigned long long)total);
	if (keycount_summed(v->counts))
		fmt_wide(keycount_sum(v->counts), 14, tb);
	textbuf_addf(tb, "  in %zu row%s%s", n, n == 1 ? "" : "s",
		     v->in_kernel ? ", counted by the kernel" : "");
	if (v->in_kernel)
		textbuf_addf(tb, " (%s)", v->in_kernel);
	if (v->only_in)
		textbuf_addf(tb, ", in %s (-c: in all)", v->only_in);
	textbuf_add_char(tb, '\n');
	if (v->n_missed)
		textbuf_addf(tb, "%10llu more were missed while another one was counted\n",
			     (unsigned long long)v->n_missed);
	if (keycount_n_dropped(v->counts))
		textbuf_addf(
			tb,
			"%10llu of them in no row%s: too many values, only the first ones have "
			"rows%s\n",
			(unsigned long long)keycount_n_dropped(v->counts),
			keycount_summed(v->counts) ? " and in no sum" : "",
			keycount_summed(v->counts) && v->in_kernel ? "; --how program adds up all"
								   : "");
	if (keycount_n_gaps(v->counts))
		textbuf_addf(tb, "events were lost in %llu places\n",
			     (unsigned long long)keycount_n_gaps(v->counts));
}

static size_t n_shown(const struct count_view *v, size_t n)
{
	return v->n_rows && v->n_rows < n ? v->n_rows : n;
}

void counttext_fmt(const struct count_view *v, struct textbuf *tb)
{
	size_t widths[KEYS_MAX] = {0}, n, shown, sum, bar;
	const struct keycount_row *const *rows = keycount_rows(v->counts, &n);
	size_t line = v->width ? v->width : LINE_WIDTH;
	struct textbuf text;
	uint64_t most;

	textbuf_init(&text, KEY_TEXT_MAX_LEN * 2);
	shown = n_shown(v, n);
	sum = find_widths(v, rows, shown, widths, &text) + 12 +
	      (keycount_summed(v->counts) ? SUM_WIDTH : 0);
	bar = sum + BAR_WIDTH_MIN < line ? line - sum : BAR_WIDTH_MIN;
	if (bar > BAR_WIDTH_MAX)
		bar = BAR_WIDTH_MAX;
	textbuf_addf(tb, "%s%10s", v->colour ? ESCAPER_BOLD : "", "count");
	if (keycount_summed(v->counts)) {
		char head[KEY_WORD_MAX + 8];

		snprintf(head, sizeof(head), "sum %s", keycount_summed(v->counts));
		textbuf_addf(tb, "  %14s  %12s  %12s  %12s", head, "avg", "min", "max");
	}
	for (size_t i = 0; i < keycount_n_words(v->counts); i++)
		textbuf_addf(tb, "  %-*s", i + 1 < keycount_n_words(v->counts) ? (int)widths[i] : 0,
			     keycount_word(v->counts, i));
	textbuf_add_str(tb, v->colour ? ESCAPER_OFF "\n" : "\n");
	most = find_most(v, rows, shown);
	for (size_t i = 0; i < shown; i++)
		fmt_row(v, rows[i], widths, most, bar, tb, &text);
	fmt_tail(v, n, shown, tb);
	textbuf_release(&text);
}

static void json_add_wide(struct jsonwriter *w, const char *key, wide v)
{
	struct textbuf text;

	textbuf_init(&text, WIDE_MAX_BYTES);
	wide_fmt(v, &text);
	jsonwriter_add_digits(w, key, text.start ? text.start : "0", textbuf_len(&text));
	textbuf_release(&text);
}

/* Names that keys must not have. Without a sum only the first is in use. */
static const char *const own_columns[] = {"count", "sum", "min", "max"};

static const char *column(const struct count_view *v, size_t i, char name[KEY_COLUMN_MAX])
{
	const char *words[KEYS_MAX];

	for (size_t k = 0; k <= i; k++)
		words[k] = keycount_word(v->counts, k);
	return key_column(words, i, own_columns, keycount_summed(v->counts) ? 4 : 1, name);
}

/* Adds a value. A range is printed as its two ends. */
static void json_add_cell(const struct count_view *v, const struct keycount_row *row, size_t i,
			  struct jsonwriter *w)
{
	char name[KEY_COLUMN_MAX];
	wide from, to;

	column(v, i, name);
	if (!keycount_range(v->counts, row, i, &from, &to)) {
		json_add_key(keycount_keys(v->counts), row->key.slots[i], row->key.values[i], name,
			     w);
		return;
	}
	jsonwriter_open(w, name, '[');
	json_add_wide(w, NULL, from);
	json_add_wide(w, NULL, to);
	jsonwriter_close(w);
}

static void json_add_sum(const struct count_view *v, const struct keycount_row *row,
			 struct jsonwriter *w)
{
	if (!keycount_summed(v->counts))
		return;
	json_add_wide(w, "sum", row->now.sum);
	json_add_wide(w, "min", row->now.min);
	json_add_wide(w, "max", row->now.max);
}

void counttext_fmt_json(const struct count_view *v, struct textbuf *tb)
{
	struct jsonwriter w;
	size_t n;
	const struct keycount_row *const *rows = keycount_rows(v->counts, &n);

	jsonwriter_init(&w, tb);
	jsonwriter_open(&w, NULL, '{');
	jsonwriter_add_string(&w, "by", v->in_kernel ? "kernel" : "sonde");
	jsonwriter_open(&w, "rows", '[');
	for (size_t i = 0; i < n_shown(v, n); i++) {
		jsonwriter_open(&w, NULL, '{');
		for (size_t k = 0; k < keycount_n_words(v->counts); k++)
			json_add_cell(v, rows[i], k, &w);
		jsonwriter_add_uint(&w, "count", rows[i]->now.n);
		json_add_sum(v, rows[i], &w);
		jsonwriter_close(&w);
	}
	jsonwriter_close(&w);
	jsonwriter_add_uint(&w, "total", keycount_total(v->counts));
	if (keycount_summed(v->counts))
		json_add_wide(&w, "sum", keycount_sum(v->counts));
	jsonwriter_add_uint(&w, "gaps", keycount_n_gaps(v->counts));
	jsonwriter_add_uint(&w, "dropped", keycount_n_dropped(v->counts));
	if (v->in_kernel) {
		jsonwriter_add_string(&w, "how", v->in_kernel);
		jsonwriter_add_uint(&w, "missed", v->n_missed);
	}
	jsonwriter_close(&w);
	textbuf_add_char(tb, '\n');
}

static void csv_fmt_sum(const struct keycount_numbers *c, struct textbuf *tb)
{
	const wide numbers[] = {c->sum, c->min, c->max};

	for (size_t i = 0; i < 3; i++) {
		textbuf_add_char(tb, ',');
		wide_fmt(numbers[i], tb);
	}
}

void counttext_fmt_csv(const struct count_view *v, struct textbuf *tb)
{
	char name[KEY_COLUMN_MAX];
	size_t n;
	const struct keycount_row *const *rows = keycount_rows(v->counts, &n);

	textbuf_add_str(tb, keycount_summed(v->counts) ? "count,sum,min,max" : "count");
	for (size_t i = 0; i < keycount_n_words(v->counts); i++)
		textbuf_addf(tb, ",%s", column(v, i, name));
	textbuf_add_char(tb, '\n');
	/*
	 * without keys print one row even if nothing was counted, so that a series of counts has no
	 * gaps
	 */
	if (!n && !keycount_n_words(v->counts))
		textbuf_add_str(tb, keycount_summed(v->counts) ? "0,0,,\n" : "0\n");
	for (size_t i = 0; i < n_shown(v, n); i++) {
		const struct keycount_numbers *c = &rows[i]->now;

		textbuf_add_dec(tb, c->n);
		if (keycount_summed(v->counts))
			csv_fmt_sum(c, tb);
		for (size_t k = 0; k < keycount_n_words(v->counts); k++) {
			wide from, to;

			textbuf_add_char(tb, ',');
			if (keycount_range(v->counts, rows[i], k, &from, &to))
				keycount_fmt(v->counts, rows[i], k, tb);
			else
				csv_fmt_key(keycount_keys(v->counts), rows[i]->key.slots[k],
					    rows[i]->key.values[k], tb);
		}
		textbuf_add_char(tb, '\n');
	}
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * calltimestext.c - one row for each function.
 *
 *	    calls    total us     self us      avg us      max us  function
 *	      213    1840.220     310.127       8.639      91.034  vfs_read
 *
 * With --by the values of the keys follow the name. The table in perf's format has perf's columns:
 * total, average, maximum, count, function; perf has no self time.
 */
#include "present/result/calltimestext.h"

#include "base/array.h"
#include "base/json/jsonwriter.h"
#include "present/result/bars.h"

static void fmt_us(const struct calltimes_view *v, uint64_t ns, struct textbuf *tb)
{
	if (v->in_time)
		textbuf_addf(tb, " %7llu.%03llu", (unsigned long long)(ns / 1000),
			     (unsigned long long)(ns % 1000));
	else
		textbuf_addf(tb, " %11llu", (unsigned long long)ns);
}

static void fmt_head(const struct calltimes_view *v, struct textbuf *tb)
{
	static const char *const columns[] = {"total", "self", "avg", "max"};
	const struct calltimes_config *c = calltimes_config(v->calls);

	textbuf_addf(tb, "%9s", "calls");
	for (size_t i = 0; i < ARRAY_LEN(columns); i++)
		textbuf_addf(tb, " %8s%s", columns[i], v->in_time ? " us" : "   ");
	textbuf_addf(tb, "  %-*s", c->n_groups ? 32 : 0, "function");
	for (size_t i = 0; i < c->n_groups; i++)
		textbuf_addf(tb, "  %-*s", i + 1 < c->n_groups ? 16 : 0, c->groups[i]);
	textbuf_add_char(tb, '\n');
}

static void fmt_row(const struct calltimes_view *v, const struct calltimes_row *row,
		    struct textbuf *tb)
{
	const struct calltimes_config *c = calltimes_config(v->calls);

	textbuf_addf(tb, "%9llu", (unsigned long long)row->n);
	fmt_us(v, row->total, tb);
	fmt_us(v, row->self, tb);
	fmt_us(v, row->total / row->n, tb);
	fmt_us(v, row->max, tb);
	textbuf_addf(tb, "  %-*s", c->n_groups ? 32 : 0, row->name);
	for (size_t i = 1; i <= c->n_groups; i++) {
		size_t before;

		textbuf_add(tb, "  ", 2);
		before = textbuf_len(tb);
		key_fmt(calltimes_keys(v->calls), row->key.slots[i], row->key.values[i], tb);
		if (i < c->n_groups && textbuf_len(tb) - before < 16)
			textbuf_add_fill(tb, ' ', 16 - (textbuf_len(tb) - before));
	}
	textbuf_add_char(tb, '\n');
}

static void fmt_notes(const struct calltimes_view *v, struct textbuf *tb)
{
	const struct calltimes_counts *c = calltimes_counts(v->calls);

	if (c->n_gaps)
		textbuf_addf(tb,
			     "events were lost in %llu places; self times there are incomplete\n",
			     (unsigned long long)c->n_gaps);
	if (c->n_unknown)
		textbuf_addf(tb, "%llu returns without a recorded call are ignored\n",
			     (unsigned long long)c->n_unknown);
	if (c->n_dropped)
		textbuf_addf(tb, "%llu calls are not counted: too many functions\n",
			     (unsigned long long)c->n_dropped);
}

static size_t n_shown(const struct calltimes_view *v, size_t n)
{
	return v->n_rows && v->n_rows < n ? v->n_rows : n;
}

void calltimestext_fmt(const struct calltimes_view *v, struct textbuf *tb)
{
	size_t n, shown;
	const struct calltimes_row *const *rows = calltimes_rows(v->calls, &n);

	shown = n_shown(v, n);
	if (!n)
		textbuf_add_str(tb,
				calltimes_counts(v->calls)->n_calls
					? "none of these functions was called\n"
					: "no calls were traced; -p function_graph records them\n");
	else
		fmt_head(v, tb);
	for (size_t i = 0; i < shown; i++)
		fmt_row(v, rows[i], tb);
	if (shown < n)
		textbuf_addf(tb, "          and %zu more\n", n - shown);
	fmt_notes(v, tb);
}

static const char *column(const struct calltimes_view *v, size_t i, char name[KEY_COLUMN_MAX])
{
	const struct calltimes_config *c = calltimes_config(v->calls);
	const char *words[KEYS_MAX];

	for (size_t k = 0; k <= i; k++)
		words[k] = c->groups[k];
	return key_column(words, i, NULL, 0, name); /* words begin with '$' or name a task field */
}

void calltimestext_fmt_json(const struct calltimes_view *v, struct textbuf *tb)
{
	const struct calltimes_config *c = calltimes_config(v->calls);
	const struct calltimes_counts *counts = calltimes_counts(v->calls);
	char name[KEY_COLUMN_MAX];
	struct jsonwriter w;
	size_t n;
	const struct calltimes_row *const *rows = calltimes_rows(v->calls, &n);

	jsonwriter_init(&w, tb);
	jsonwriter_open(&w, NULL, '{');
	jsonwriter_add_string(&w, "unit", v->in_time ? "ns" : NULL);
	jsonwriter_open(&w, "functions", '[');
	for (size_t i = 0; i < n_shown(v, n); i++) {
		jsonwriter_open(&w, NULL, '{');
		jsonwriter_add_string(&w, "function", rows[i]->name);
		for (size_t k = 0; k < c->n_groups; k++)
			json_add_key(calltimes_keys(v->calls), rows[i]->key.slots[k + 1],
				     rows[i]->key.values[k + 1], column(v, k, name), &w);
		jsonwriter_add_uint(&w, "calls", rows[i]->n);
		jsonwriter_add_uint(&w, "total", rows[i]->total);
		jsonwriter_add_uint(&w, "self", rows[i]->self);
		jsonwriter_add_uint(&w, "avg", rows[i]->total / rows[i]->n);
		jsonwriter_add_uint(&w, "max", rows[i]->max);
		jsonwriter_add_uint(&w, "max_at", rows[i]->max_ts);
		jsonwriter_close(&w);
	}
	jsonwriter_close(&w);
	jsonwriter_add_uint(&w, "calls", counts->n_calls);
	jsonwriter_add_uint(&w, "unknown", counts->n_unknown);
	jsonwriter_add_uint(&w, "gaps", counts->n_gaps);
	jsonwriter_add_uint(&w, "dropped", counts->n_dropped);
	jsonwriter_close(&w);
	textbuf_add_char(tb, '\n');
}

void calltimestext_fmt_csv(const struct calltimes_view *v, struct textbuf *tb)
{
	const struct calltimes_config *c = calltimes_config(v->calls);
	char name[KEY_COLUMN_MAX];
	size_t n;
	const struct calltimes_row *const *rows = calltimes_rows(v->calls, &n);

	textbuf_add_str(tb, "function,calls,total,self,avg,max,max_at");
	for (size_t i = 0; i < c->n_groups; i++)
		textbuf_addf(tb, ",%s", column(v, i, name));
	textbuf_add_char(tb, '\n');
	for (size_t i = 0; i < n_shown(v, n); i++) {
		const struct calltimes_row *r = rows[i];

		textbuf_addf(tb, "%s,%llu,%llu,%llu,%llu,%llu,%llu", r->name,
			     (unsigned long long)r->n, (unsigned long long)r->total,
			     (unsigned long long)r->self, (unsigned long long)(r->total / r->n),
			     (unsigned long long)r->max, (unsigned long long)r->max_ts);
		for (size_t k = 1; k <= c->n_groups; k++) {
			textbuf_add_char(tb, ',');
			csv_fmt_key(calltimes_keys(v->calls), r->key.slots[k], r->key.values[k],
				    tb);
		}
		textbuf_add_char(tb, '\n');
	}
}

void calltimestext_fmt_perf(const struct calltimes_view *v, struct textbuf *tb)
{
	size_t n;
	const struct calltimes_row *const *rows = calltimes_rows(v->calls, &n);

	if (!n)
		return;
	textbuf_addf(tb, "# %10s %10s %10s %10s   %s\n", "Total (us)", "Avg (us)", "Max (us)",
		     "Count", "Function");
	for (size_t i = 0; i < n; i++)
		textbuf_addf(tb, "%12.3f %10.3f %6llu.%03llu %10llu   %s\n", rows[i]->total / 1e3,
			     (double)rows[i]->total / rows[i]->n / 1e3,
			     (unsigned long long)(rows[i]->max / 1000),
			     (unsigned long long)(rows[i]->max % 1000),
			     (unsigned long long)rows[i]->n, rows[i]->name);
}

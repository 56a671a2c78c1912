// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * calltimestext.c - prints one row for each function.
 *
 *	    calls    total us     self us      avg us      max us  function
 *	      213    1840.220     310.127       8.639      91.034  vfs_read
 *
 * With --by the values of the keys follow the name, then the file that has the function. The table
 * in perf's format has perf's columns: total, average, maximum, count, function; perf has no self
 * time.
 */
#include "present/result/calltimestext.h"

#include "analyse/calls/calldiff.h"
#include "base/array.h"
#include "base/errmsg.h"
#include "base/escaper.h"
#include "base/json/jsonwriter.h"
#include "base/scope.h"
#include "present/result/bars.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* The columns, in the order of enum calltimes_column. */
static const struct column_row {
	const char *name, *other; /* other: uftrace's name of the column */
} column_rows[] = {
	[CALLTIMES_TOTAL] = {"total", NULL},
	[CALLTIMES_SELF] = {"self", NULL},
	[CALLTIMES_AVG] = {"avg", "total-avg"},
	[CALLTIMES_MIN] = {"min", "total-min"},
	[CALLTIMES_MAX] = {"max", "total-max"},
	[CALLTIMES_STDV] = {"stdv", "total-stdv"},
	[CALLTIMES_P50] = {"p50", NULL},
	[CALLTIMES_P90] = {"p90", NULL},
	[CALLTIMES_P95] = {"p95", NULL},
	[CALLTIMES_P99] = {"p99", NULL},
	[CALLTIMES_P999] = {"p99.9", NULL},
	[CALLTIMES_SELF_AVG] = {"self-avg", NULL},
	[CALLTIMES_SELF_MIN] = {"self-min", NULL},
	[CALLTIMES_SELF_MAX] = {"self-max", NULL},
	[CALLTIMES_SELF_STDV] = {"self-stdv", NULL},
	[CALLTIMES_CALLS] = {"calls", "call"},
	[CALLTIMES_NAME] = {"name", "func"},
	[CALLTIMES_MODULE] = {"module", NULL},
};

static const struct calltimes_columns default_columns = {
	{CALLTIMES_CALLS, CALLTIMES_TOTAL, CALLTIMES_SELF, CALLTIMES_AVG, CALLTIMES_MAX}, 5};

/* --- columns ---------------------------------------------------------------------------------- */

static bool is_word(const char *word, size_t len, const char *name)
{
	return name && strlen(name) == len && !memcmp(word, name, len);
}

/* "total-avg" is the same as "avg". */
static int parse_column(const char *option, const char *word, size_t len,
			enum calltimes_column *ret, struct errmsg *err)
{
	for (size_t i = 0; i < ARRAY_LEN(column_rows); i++)
		if (is_word(word, len, column_rows[i].name) ||
		    is_word(word, len, column_rows[i].other) ||
		    (i == CALLTIMES_CALLS && is_word(word, len, "count"))) {
			*ret = (enum calltimes_column)i;
			return 0;
		}
	return errmsg_set(err, -EINVAL,
			  "%s knows total, self, avg, min, max, stdv, p50, p90, p95, p99, p99.9, "
			  "self-avg, self-min, self-max, self-stdv, calls, name and module, not "
			  "'%.*s'",
			  option, (int)len, word);
}

static void add_column(struct calltimes_columns *c, enum calltimes_column column)
{
	for (size_t i = 0; i < c->n; i++)
		if (c->list[i] == column)
			return;
	if (column != CALLTIMES_NAME && c->n < CALLTIMES_COLUMNS_MAX)
		c->list[c->n++] = column;
}

int calltimes_columns_parse(const char *option, const char *words, struct calltimes_columns *ret,
			    struct errmsg *err)
{
	struct calltimes_columns c = {.n = 0};
	enum calltimes_column column;

	if (*words == '+') {
		c = default_columns;
		words++;
	}
	while (*words) {
		size_t len = strcspn(words, ",");

		if (is_word(words, len, "all")) {
			for (size_t i = 0; i < ARRAY_LEN(column_rows); i++)
				add_column(&c, (enum calltimes_column)i);
		} else if (parse_column(option, words, len, &column, err) < 0) {
			return err->code;
		} else {
			add_column(&c, column);
		}
		words += len + (words[len] == ',');
	}
	*ret = c;
	return 0;
}

void calltimes_column_need(enum calltimes_column column, struct calltimes_config *config)
{
	config->with_spread |= column >= CALLTIMES_P50 && column <= CALLTIMES_P999;
	config->with_deviation |= column == CALLTIMES_STDV || column == CALLTIMES_SELF_STDV;
}

int calltimes_sort_parse(const char *option, const char *words, struct calltimes_config *config,
			 struct errmsg *err)
{
	enum calltimes_column list[CALLTIMES_SORTS_MAX];
	size_t n = 0;

	for (const char *p = words; *p;) {
		size_t len = strcspn(p, ",");

		if (n == CALLTIMES_SORTS_MAX)
			return errmsg_set(err, -EINVAL, "%s takes up to %d columns, not '%s'",
					  option, CALLTIMES_SORTS_MAX, words);
		TRY(parse_column(option, p, len, &list[n++], err));
		p += len + (p[len] == ',');
	}
	for (size_t i = 0; i < n; i++)
		calltimes_column_need(list[i], config);
	if (n)
		config->sort = list[0];
	for (size_t i = 1; i < n; i++)
		config->then[config->n_then++] = list[i];
	return 0;
}

static const struct calltimes_columns *columns_of(const struct calltimes_view *v)
{
	return v->columns.n ? &v->columns : &default_columns;
}

static bool has_module(const struct calltimes_view *v)
{
	return ARRAY_ANY(v->columns.n, i, v->columns.list[i] == CALLTIMES_MODULE);
}

static const char *module_of(const struct calltimes_row *row)
{
	return row->module ? row->module : row->is_user ? "" : "kernel";
}

static const char *source_of(const struct calltimes_row *row)
{
	return row->source ? row->source : "";
}

/* --- text ------------------------------------------------------------------------------------- */

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
	const struct calltimes_config *c = calltimes_config(v->calls);
	const struct calltimes_columns *columns = columns_of(v);
	bool has_more = has_module(v) || v->sources, is_padded = c->n_groups || has_more;

	for (size_t i = 0; i < columns->n; i++) {
		const char *name = column_rows[columns->list[i]].name;

		if (columns->list[i] == CALLTIMES_CALLS)
			textbuf_addf(tb, i ? " %9s" : "%9s", name);
		else if (columns->list[i] < CALLTIMES_N_NUMBERS)
			textbuf_addf(tb, " %8s%s", name, v->in_time ? " us" : "   ");
	}
	textbuf_addf(tb, "  %-*s", is_padded ? 32 : 0, "function");
	for (size_t i = 0; i < c->n_groups; i++)
		textbuf_addf(tb, "  %-*s", i + 1 < c->n_groups || has_more ? 16 : 0, c->groups[i]);
	if (has_module(v))
		textbuf_addf(tb, "  %-*s", v->sources ? 16 : 0, "module");
	if (v->sources)
		textbuf_add_str(tb, "  source");
	textbuf_add_char(tb, '\n');
}

static void fmt_numbers(const struct calltimes_view *v, const struct calltimes_row *row,
			struct textbuf *tb)
{
	const struct calltimes_columns *columns = columns_of(v);

	for (size_t i = 0; i < columns->n; i++)
		if (columns->list[i] == CALLTIMES_CALLS)
			textbuf_addf(tb, i ? " %9llu" : "%9llu", (unsigned long long)row->n);
		else if (columns->list[i] < CALLTIMES_N_NUMBERS)
			fmt_us(v, calltimes_number(row, columns->list[i]), tb);
}

static void fmt_row(const struct calltimes_view *v, const struct calltimes_row *row,
		    struct textbuf *tb)
{
	const struct calltimes_config *c = calltimes_config(v->calls);
	bool has_more = has_module(v) || v->sources;

	fmt_numbers(v, row, tb);
	textbuf_addf(tb, "  %-*s", c->n_groups || has_more ? 32 : 0, row->name);
	for (size_t i = 1; i <= c->n_groups; i++) {
		size_t before;

		textbuf_add(tb, "  ", 2);
		before = textbuf_len(tb);
		key_fmt(calltimes_keys(v->calls), row->key.slots[i], row->key.values[i], tb);
		if ((i < c->n_groups || has_more) && textbuf_len(tb) - before < 16)
			textbuf_add_fill(tb, ' ', 16 - (textbuf_len(tb) - before));
	}
	if (has_module(v))
		textbuf_addf(tb, "  %-*s", v->sources ? 16 : 0, module_of(row));
	if (v->sources)
		textbuf_addf(tb, "  %s", source_of(row));
	textbuf_add_char(tb, '\n');
}

static void fmt_notes(const struct calltimes_view *v, struct textbuf *tb)
{
	const struct calltimes_counts *c = calltimes_counts(v->calls);

	if (c->n_gaps)
		textbuf_addf(tb,
			     "events were lost in %llu place%s; self times there are incomplete\n",
			     (unsigned long long)c->n_gaps, c->n_gaps == 1 ? "" : "s");
	if (c->n_clipped)
		textbuf_addf(tb, "%llu call%s beyond the range; only the time inside counts\n",
			     (unsigned long long)c->n_clipped,
			     c->n_clipped == 1 ? " reaches" : "s reach");
	if (c->paused)
		textbuf_addf(tb,
			     "%.3f us of open calls are in no self time: the recording was "
			     "switched off meanwhile\n",
			     (double)c->paused / 1000);
	if (c->n_unknown)
		textbuf_addf(tb, "%llu return%s without a recorded call %s ignored\n",
			     (unsigned long long)c->n_unknown, c->n_unknown == 1 ? "" : "s",
			     c->n_unknown == 1 ? "is" : "are");
	if (c->n_open == 1)
		textbuf_add_str(tb, "1 call did not return; it ends with the last event of its "
				    "task\n");
	else if (c->n_open)
		textbuf_addf(tb,
			     "%llu calls did not return; they end with the last event of their "
			     "task\n",
			     (unsigned long long)c->n_open);
	if (c->n_cut)
		textbuf_addf(tb, "%llu call%s whose end was lost %s not counted\n",
			     (unsigned long long)c->n_cut, c->n_cut == 1 ? "" : "s",
			     c->n_cut == 1 ? "is" : "are");
	if (c->n_dropped)
		textbuf_addf(tb, "%llu call%s not counted: too many functions\n",
			     (unsigned long long)c->n_dropped, c->n_dropped == 1 ? " is" : "s are");
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
		textbuf_add_str(
			tb,
			calltimes_counts(v->calls)->n_calls ? "none of these functions was called\n"
			: calltimes_config(v->calls)->to
				? "no call is in this range of time\n"
				: "no calls were traced; -u and -p function_graph record them\n");
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
	/* words begin with '$' or name a field of the task */
	return key_column(words, i, NULL, 0, name);
}

/* Returns a column's name for JSON, with underscores: self_avg. */
static const char *json_name(enum calltimes_column column, char name[16])
{
	const char *from = column_rows[column].name;
	size_t i = 0;

	for (; from[i] && i < 15; i++)
		name[i] = (char)(from[i] == '-' ? '_' : from[i]);
	name[i] = '\0';
	return name;
}

static void json_add_numbers(const struct calltimes_view *v, const struct calltimes_row *row,
			     struct jsonwriter *w)
{
	const struct calltimes_columns *columns = columns_of(v);
	char name[16];

	for (size_t i = 0; i < columns->n; i++) {
		enum calltimes_column column = columns->list[i];

		if (column == CALLTIMES_MODULE)
			jsonwriter_add_string(w, "module", module_of(row));
		else
			jsonwriter_add_uint(w, json_name(column, name),
					    calltimes_number(row, column));
	}
	if (!v->columns.n)
		jsonwriter_add_uint(w, "max_at", row->max_ts);
	if (v->sources)
		jsonwriter_add_string(w, "source", row->source);
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
		json_add_numbers(v, rows[i], &w);
		jsonwriter_close(&w);
	}
	jsonwriter_close(&w);
	jsonwriter_add_uint(&w, "calls", counts->n_calls);
	jsonwriter_add_uint(&w, "unknown", counts->n_unknown);
	jsonwriter_add_uint(&w, "gaps", counts->n_gaps);
	jsonwriter_add_uint(&w, "dropped", counts->n_dropped);
	if (counts->n_open)
		jsonwriter_add_uint(&w, "open", counts->n_open);
	if (counts->paused)
		jsonwriter_add_uint(&w, "paused", counts->paused);
	if (counts->n_clipped)
		jsonwriter_add_uint(&w, "clipped", counts->n_clipped);
	if (counts->n_cut)
		jsonwriter_add_uint(&w, "cut", counts->n_cut);
	jsonwriter_close(&w);
	textbuf_add_char(tb, '\n');
}

/* Adds a text, in quotes if necessary: names of C++ functions have commas. */
static void csv_add_text(const char *text, struct textbuf *tb)
{
	if (!strpbrk(text, ",\"\n\r")) {
		textbuf_add_str(tb, text);
		return;
	}
	textbuf_add_char(tb, '"');
	for (; *text; text++)
		textbuf_add(tb, *text == '"' ? "\"\"" : text, *text == '"' ? 2 : 1);
	textbuf_add_char(tb, '"');
}

static void csv_add_numbers(const struct calltimes_view *v, const struct calltimes_row *row,
			    struct textbuf *tb)
{
	const struct calltimes_columns *columns = columns_of(v);

	for (size_t i = 0; i < columns->n; i++) {
		textbuf_add_char(tb, ',');
		if (columns->list[i] == CALLTIMES_MODULE)
			csv_add_text(module_of(row), tb);
		else
			textbuf_add_dec(tb, calltimes_number(row, columns->list[i]));
	}
	if (!v->columns.n)
		textbuf_addf(tb, ",%llu", (unsigned long long)row->max_ts);
	if (v->sources) {
		textbuf_add_char(tb, ',');
		csv_add_text(source_of(row), tb);
	}
}

void calltimestext_fmt_csv(const struct calltimes_view *v, struct textbuf *tb)
{
	const struct calltimes_config *c = calltimes_config(v->calls);
	const struct calltimes_columns *columns = columns_of(v);
	char name[KEY_COLUMN_MAX], number[16];
	size_t n;
	const struct calltimes_row *const *rows = calltimes_rows(v->calls, &n);

	textbuf_add_str(tb, "function");
	for (size_t i = 0; i < columns->n; i++)
		textbuf_addf(tb, ",%s", json_name(columns->list[i], number));
	if (!v->columns.n)
		textbuf_add_str(tb, ",max_at");
	if (v->sources)
		textbuf_add_str(tb, ",source");
	for (size_t i = 0; i < c->n_groups; i++)
		textbuf_addf(tb, ",%s", column(v, i, name));
	textbuf_add_char(tb, '\n');
	for (size_t i = 0; i < n_shown(v, n); i++) {
		csv_add_text(rows[i]->name, tb);
		csv_add_numbers(v, rows[i], tb);
		for (size_t k = 1; k <= c->n_groups; k++) {
			textbuf_add_char(tb, ',');
			csv_fmt_key(calltimes_keys(v->calls), rows[i]->key.slots[k],
				    rows[i]->key.values[k], tb);
		}
		textbuf_add_char(tb, '\n');
	}
}

/* --- two traces ------------------------------------------------------------------------------- */

static const struct calltimes_columns diff_columns = {
	{CALLTIMES_CALLS, CALLTIMES_TOTAL, CALLTIMES_SELF, CALLTIMES_AVG}, 4};

static void fmt_change(const struct calltimes_view *v, int64_t change, bool is_time,
		       struct textbuf *tb)
{
	uint64_t size = change < 0 ? -(uint64_t)change : (uint64_t)change;
	const char *colour = change > 0 ? ESCAPER_RED : ESCAPER_GREEN;
	char text[40];

	if (is_time && v->in_time)
		snprintf(text, sizeof(text), "%c%llu.%03llu", change < 0 ? '-' : '+',
			 (unsigned long long)(size / 1000), (unsigned long long)(size % 1000));
	else
		snprintf(text, sizeof(text), "%c%llu", change < 0 ? '-' : '+',
			 (unsigned long long)size);
	if (v->colour && change)
		textbuf_addf(tb, " %s%12s" ESCAPER_OFF, colour, text);
	else
		textbuf_addf(tb, " %12s", text);
}

void calltimestext_fmt_diff(const struct calltimes_view *v, const struct calldiff *d,
			    struct textbuf *tb)
{
	const struct calltimes_columns *columns = v->columns.n ? &v->columns : &diff_columns;
	size_t shown = n_shown(v, d->n);

	for (size_t i = 0; i < columns->n; i++) {
		const char *name = column_rows[columns->list[i]].name;

		if (columns->list[i] == CALLTIMES_CALLS)
			textbuf_addf(tb, " %11s %12s", name, "change");
		else if (columns->list[i] < CALLTIMES_N_NUMBERS)
			textbuf_addf(tb, " %8s%s %12s", name, v->in_time ? " us" : "   ", "change");
	}
	textbuf_add_str(tb, "  function\n");
	for (size_t i = 0; i < shown; i++) {
		const struct calldiff_row *row = &d->rows[i];

		for (size_t k = 0; k < columns->n; k++) {
			enum calltimes_column column = columns->list[k];
			uint64_t now = row->other && column < CALLTIMES_N_NUMBERS
					       ? calltimes_number(row->other, column)
					       : 0;

			if (column >= CALLTIMES_N_NUMBERS)
				continue;
			if (column == CALLTIMES_CALLS)
				textbuf_addf(tb, " %11llu", (unsigned long long)now);
			else
				fmt_us(v, now, tb);
			fmt_change(v, calldiff_number(row, column), column != CALLTIMES_CALLS, tb);
		}
		textbuf_addf(tb, "  %s\n", calldiff_name(row));
	}
	if (shown < d->n)
		textbuf_addf(tb, "          and %zu more\n", d->n - shown);
}

static void json_add_side(const struct calltimes_row *row, const char *key,
			  const struct calltimes_columns *columns, struct jsonwriter *w)
{
	char name[16];

	jsonwriter_open(w, key, '{');
	for (size_t i = 0; i < columns->n; i++)
		if (columns->list[i] < CALLTIMES_N_NUMBERS)
			jsonwriter_add_uint(w, json_name(columns->list[i], name),
					    row ? calltimes_number(row, columns->list[i]) : 0);
	jsonwriter_close(w);
}

void calltimestext_fmt_diff_json(const struct calltimes_view *v, const struct calldiff *d,
				 struct textbuf *tb)
{
	const struct calltimes_columns *columns = v->columns.n ? &v->columns : &diff_columns;
	struct jsonwriter w;

	jsonwriter_init(&w, tb);
	jsonwriter_open(&w, NULL, '{');
	jsonwriter_add_string(&w, "unit", v->in_time ? "ns" : NULL);
	jsonwriter_open(&w, "functions", '[');
	for (size_t i = 0; i < n_shown(v, d->n); i++) {
		const struct calldiff_row *row = &d->rows[i];

		jsonwriter_open(&w, NULL, '{');
		jsonwriter_add_string(&w, "function", calldiff_name(row));
		jsonwriter_add_string(&w, "module", module_of(row->base ? row->base : row->other));
		json_add_side(row->base, "base", columns, &w);
		json_add_side(row->other, "other", columns, &w);
		jsonwriter_close(&w);
	}
	jsonwriter_close(&w);
	jsonwriter_close(&w);
	textbuf_add_char(tb, '\n');
}

void calltimestext_fmt_diff_csv(const struct calltimes_view *v, const struct calldiff *d,
				struct textbuf *tb)
{
	const struct calltimes_columns *columns = v->columns.n ? &v->columns : &diff_columns;
	char name[16];

	textbuf_add_str(tb, "function");
	for (size_t i = 0; i < columns->n; i++)
		if (columns->list[i] < CALLTIMES_N_NUMBERS)
			textbuf_addf(tb, ",%s,%s_change", json_name(columns->list[i], name), name);
	textbuf_add_char(tb, '\n');
	for (size_t i = 0; i < n_shown(v, d->n); i++) {
		const struct calldiff_row *row = &d->rows[i];

		csv_add_text(calldiff_name(row), tb);
		for (size_t k = 0; k < columns->n; k++)
			if (columns->list[k] < CALLTIMES_N_NUMBERS)
				textbuf_addf(
					tb, ",%llu,%lld",
					(unsigned long long)(row->other ? calltimes_number(
										  row->other,
										  columns->list[k])
									: 0),
					(long long)calldiff_number(row, columns->list[k]));
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
			     (double)rows[i]->all.total / rows[i]->n / 1e3,
			     (unsigned long long)(rows[i]->max / 1000),
			     (unsigned long long)(rows[i]->max % 1000),
			     (unsigned long long)rows[i]->n, rows[i]->name);
}

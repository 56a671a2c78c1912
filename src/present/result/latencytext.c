// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * latencytext.c - prints the results of latency.h as text, JSON and CSV.
 *
 *	from sched:sched_waking to sched:sched_switch where pid = next_pid
 *	1204 measured, 3 never ended, 2 ends without a beginning
 *
 *	      duration          count
 *	     1 -    2 us          210  ########
 *	     2 -    4 us          994  ########################################
 *
 *      count     avg us     min us     p50 us     p90 us     p95 us     p99 us   p99.9 us    max us
 *       1204      2.310      1.052 …
 *
 *	    count   total ms     avg us     p50 us     p99 us     max us  comm
 *	…
 *	the longest
 *	        us       from           to       CPU  task
 *
 * Empty buckets before the first and after the last are omitted. JSON contains all numbers, too.
 */
#include "present/result/latencytext.h"

#include "base/array.h"
#include "base/escaper.h"
#include "base/json/jsonwriter.h"
#include "present/result/bars.h"
#include "symbols/tasks.h"

#include <stdio.h>

#define GROUPS_DEFAULT 20
#define BAR_WIDTH      40

static const char *const percentile_names[LATENCY_PERCENTILES] = {"50", "90", "95", "99", "99.9"};

/* --- numbers ---------------------------------------------------------------------------------- */

/* Writes a time right-aligned in 10 columns: us with three decimals, or units of the clock. */
static void fmt_us(const struct latency_view *v, uint64_t ns, struct textbuf *tb)
{
	if (v->in_time)
		textbuf_addf(tb, " %6llu.%03llu", (unsigned long long)(ns / 1000),
			     (unsigned long long)(ns % 1000));
	else
		textbuf_addf(tb, " %10llu", (unsigned long long)ns);
}

static void fmt_ms(const struct latency_view *v, uint64_t ns, struct textbuf *tb)
{
	if (v->in_time)
		textbuf_addf(tb, " %6llu.%03llu", (unsigned long long)(ns / 1000000),
			     (unsigned long long)(ns % 1000000 / 1000));
	else
		textbuf_addf(tb, " %10llu", (unsigned long long)ns);
}

static void fmt_head(const struct latency_view *v, const char *word, const char *unit,
		     struct textbuf *tb)
{
	char head[32];

	snprintf(head, sizeof(head), "%s%s%s", word, v->in_time ? " " : "", v->in_time ? unit : "");
	textbuf_addf(tb, " %10s", head);
}

static uint64_t average(const struct latency_spread *s)
{
	return s->n ? s->total / s->n : 0;
}

/* --- what was asked --------------------------------------------------------------------------- */

static bool has_group(const struct latency_config *c, const char *word)
{
	return ARRAY_ANY(c->n_groups, i, !strcmp(c->groups[i].word, word));
}

static void fmt_question(const struct latency_view *v, struct textbuf *tb)
{
	const struct latency_config *c = v->config;

	textbuf_add_str(tb, v->colour ? ESCAPER_BOLD : "");
	if (c->function)
		textbuf_addf(tb, "%s, from entry to return%s", c->function,
			     !strpbrk(c->function, "*?[") ? ""
			     : has_group(c, "$func")	  ? "; the histogram shows all together"
							  : "; all matching functions together; "
							    "--by '$func' separates them");
	else if (c->n_calls)
		textbuf_addf(tb, "%zu function%s, each from entry to return%s", c->n_calls,
			     c->n_calls == 1 ? "" : "s",
			     c->n_calls == 1 ? "" : "; the histogram shows all together");
	else if (v->counts->n_whole)
		textbuf_add_str(tb, "system calls, from entry to return");
	else
		textbuf_addf(tb, "from %s to %s", c->from, c->to);
	if (!c->function && c->match == LATENCY_BY_CPU)
		textbuf_add_str(tb, " on the same CPU");
	for (size_t i = 0; !c->function && c->match == LATENCY_BY_FIELD && i < c->n_fields; i++)
		textbuf_addf(tb, "%s %s = %s", i ? "," : " where", c->fields[i].from,
			     c->fields[i].to);
	if (v->only_in)
		textbuf_addf(tb, ", in %s (-c: in all)", v->only_in);
	textbuf_add_str(tb, v->colour ? ESCAPER_OFF "\n" : "\n");
}

static void add_count(uint64_t n, const char *words, struct textbuf *tb)
{
	if (n)
		textbuf_addf(tb, ", %llu %s", (unsigned long long)n, words);
}

static void fmt_counts(const struct latency_view *v, struct textbuf *tb)
{
	const struct latency_counts *c = v->counts;

	textbuf_addf(tb, "%llu measured", (unsigned long long)v->result->all.n);
	if (v->in_kernel)
		textbuf_addf(tb, " by the kernel (%s)%s", v->in_kernel,
			     v->in_us ? ", in microseconds" : "");
	add_count(c->n_open, "did not end", tb);
	add_count(c->n_alone,
		  v->config->function ? "returns without a call" : "ends without a beginning", tb);
	add_count(c->n_again, "began again before they ended", tb);
	add_count(c->n_given_up, "not measured because events were lost", tb);
	add_count(c->n_backwards, "ignored: ended before they began (clocks differ)", tb);
	add_count(c->n_dropped, "not measured: too many at a time", tb);
	add_count(v->result->n_dropped, "in no group: too many groups", tb);
	add_count(v->n_missed, "events missed while another one was handled", tb);
	textbuf_add_char(tb, '\n');
	if (v->probe_ns > 0 && v->in_time)
		textbuf_addf(tb, "about %.1f us of each is the probe's own time\n",
			     v->probe_ns / 1e3);
	if (v->in_us)
		textbuf_addf(tb,
			     "some %sof each is the kernel's own work, less of it with "
			     "--in-program\n",
			     v->probe_ns > 0 ? "more " : "");
	if (c->n_gaps)
		textbuf_addf(tb, "events were lost in %llu places\n",
			     (unsigned long long)c->n_gaps);
}

/* --- the histogram ---------------------------------------------------------------------------- */

/*
 * Writes " 1 - 2 us". Values from 1000 on are printed in the next unit with two decimals: 2048 us
 * is 2.05 ms.
 */
static void fmt_bucket(const struct latency_view *v, size_t i, struct textbuf *tb)
{
	static const char *const units[] = {"ns", "us", "ms", "s"};
	const struct latency_scale *s = &v->result->scale;
	size_t unit = s->unit_ns == 1 ? 0 : 1;
	uint64_t from, to;
	double scale = 1;

	latency_scale_range(s, i, &from, &to);
	if (!v->in_time) {
		from *= s->unit_ns;
		to *= s->unit_ns;
	}
	if (!v->in_time)
		return to ? textbuf_addf(tb, "  %12llu - %-12llu", (unsigned long long)from,
					 (unsigned long long)to)
			  : textbuf_addf(tb, "  %12llu - %-12s", (unsigned long long)from, "...");
	/* equal steps stay in one unit, so that they remain distinct */
	while ((double)from >= 1000 * scale && unit < 3 && (!s->range || scale == 1)) {
		scale *= 1000;
		unit++;
	}
	if (scale > 1) {
		textbuf_addf(tb, "  %7.2f - ", (double)from / scale);
		to ? textbuf_addf(tb, "%-7.2f", (double)to / scale)
		   : textbuf_add_str(tb, "...    ");
		return textbuf_addf(tb, " %-2s", units[unit]);
	}
	textbuf_addf(tb, "  %7llu - ", (unsigned long long)from);
	to ? textbuf_addf(tb, "%-7llu", (unsigned long long)to) : textbuf_add_str(tb, "...    ");
	textbuf_addf(tb, " %-2s", units[unit]);
}

static void fmt_histogram(const struct latency_view *v, struct textbuf *tb)
{
	const struct latency_spread *s = &v->result->all;
	size_t n = v->result->scale.n_buckets, first = 0;
	uint64_t most = 0;

	while (n && !s->buckets[n - 1])
		n--;
	while (first < n && !s->buckets[first])
		first++;
	for (size_t i = first; i < n; i++)
		most = s->buckets[i] > most ? s->buckets[i] : most;
	textbuf_addf(tb, "\n  %-*s %10s\n", v->in_time ? 20 : 27, "     duration", "count");
	for (size_t i = first; i < n; i++) {
		fmt_bucket(v, i, tb);
		textbuf_addf(tb, " %10llu%s", (unsigned long long)s->buckets[i],
			     s->buckets[i] ? "  " : "");
		bar_fmt(s->buckets[i], most, BAR_WIDTH, tb);
		textbuf_add_char(tb, '\n');
	}
}

/* --- tables ----------------------------------------------------------------------------------- */

static void fmt_all(const struct latency_view *v, struct textbuf *tb)
{
	const struct latency_spread *s = &v->result->all;

	textbuf_addf(tb, "\n%9s", "count");
	fmt_head(v, "min", "us", tb);
	fmt_head(v, "avg", "us", tb);
	for (size_t i = 0; i < LATENCY_PERCENTILES; i++) {
		char name[16];

		snprintf(name, sizeof(name), "p%s", percentile_names[i]);
		fmt_head(v, name, "us", tb);
	}
	fmt_head(v, "max", "us", tb);
	textbuf_addf(tb, "\n%9llu", (unsigned long long)s->n);
	fmt_us(v, s->min, tb);
	fmt_us(v, average(s), tb);
	for (size_t i = 0; i < LATENCY_PERCENTILES; i++)
		fmt_us(v, latency_spread_percentile(s, latency_percentiles[i]), tb);
	fmt_us(v, s->max, tb);
	textbuf_add_char(tb, '\n');
}

static void fmt_group_values(const struct latency_view *v, const struct latency_group *g,
			     struct textbuf *tb)
{
	for (size_t i = 0; i < v->config->n_groups; i++) {
		size_t before;

		textbuf_add(tb, "  ", 2);
		before = textbuf_len(tb);
		key_fmt(v->keys, g->key.slots[i], g->key.values[i], tb);
		if (i + 1 < v->config->n_groups && textbuf_len(tb) - before < 16)
			textbuf_add_fill(tb, ' ', 16 - (textbuf_len(tb) - before));
	}
}

/* Returns "id"; if both sides have the field, "A.id" or "B.id". */
static const char *group_name(const struct latency_view *v, size_t i, char name[KEY_WORD_MAX + 2])
{
	const struct latency_word *words = v->config->groups;

	snprintf(name, KEY_WORD_MAX + 2, "%s", words[i].word);
	for (size_t k = 0; k < v->config->n_groups; k++)
		if (k != i && !strcmp(words[k].word, words[i].word) &&
		    words[i].side != LATENCY_EITHER)
			snprintf(name, KEY_WORD_MAX + 2, "%c.%s",
				 words[i].side == LATENCY_FROM ? 'A' : 'B', words[i].word);
	return name;
}

static void fmt_groups(const struct latency_view *v, struct textbuf *tb)
{
	size_t n = v->result->groups.n_used, max = v->n_groups ? v->n_groups : GROUPS_DEFAULT;
	char name[KEY_WORD_MAX + 2];

	if (!n)
		return;
	textbuf_addf(tb, "\n%9s", "count");
	fmt_head(v, "total", "ms", tb);
	fmt_head(v, "avg", "us", tb);
	fmt_head(v, "p50", "us", tb);
	fmt_head(v, "p99", "us", tb);
	fmt_head(v, "max", "us", tb);
	for (size_t i = 0; i < v->config->n_groups; i++)
		textbuf_addf(tb, "  %-*s", i + 1 < v->config->n_groups ? 16 : 0,
			     group_name(v, i, name));
	textbuf_add_char(tb, '\n');
	for (size_t i = 0; i < n && i < max; i++) {
		const struct latency_group *g = v->result->sorted[i];

		textbuf_addf(tb, "%9llu", (unsigned long long)g->spread.n);
		fmt_ms(v, g->spread.total, tb);
		fmt_us(v, average(&g->spread), tb);
		fmt_us(v, latency_spread_percentile(&g->spread, 5000), tb);
		fmt_us(v, latency_spread_percentile(&g->spread, 9900), tb);
		fmt_us(v, g->spread.max, tb);
		fmt_group_values(v, g, tb);
		textbuf_add_char(tb, '\n');
	}
	if (n > max)
		textbuf_addf(tb, "          and %zu more\n", n - max);
}

static void fmt_ts(const struct latency_view *v, uint64_t ts, struct textbuf *tb)
{
	if (v->in_time)
		textbuf_addf(tb, " %8llu.%09llu", (unsigned long long)(ts / 1000000000),
			     (unsigned long long)(ts % 1000000000));
	else
		textbuf_addf(tb, " %18llu", (unsigned long long)ts);
}

/* Writes "3", or "1>3" if the span began on another CPU. */
static void fmt_cpus(const struct latency_place *p, struct textbuf *tb)
{
	char cpus[32];

	if (p->from_cpu == p->to_cpu)
		snprintf(cpus, sizeof(cpus), "%u", p->to_cpu);
	else
		snprintf(cpus, sizeof(cpus), "%u>%u", p->from_cpu, p->to_cpu);
	textbuf_addf(tb, " %7s", cpus);
}

static void fmt_worst(const struct latency_view *v, struct textbuf *tb)
{
	const struct latencies *l = v->result;

	if (!l->n_worst)
		return;
	textbuf_add_str(tb, "\nthe longest\n         ");
	fmt_head(v, "took", "us", tb);
	textbuf_addf(tb, " %18s %18s %7s  task%s\n", "from", "to", "CPU",
		     v->config->n_groups ? " and group" : "");
	for (size_t i = 0; i < l->n_worst; i++) {
		const struct latency_place *p = &l->worst[i];

		textbuf_add_str(tb, "         ");
		fmt_us(v, p->ns, tb);
		fmt_ts(v, p->from_ts, tb);
		fmt_ts(v, p->to_ts, tb);
		fmt_cpus(p, tb);
		textbuf_addf(tb, "  %s-%d", p->task ? p->task->comm : "<...>",
			     p->task ? p->task->pid : -1);
		if (p->group)
			fmt_group_values(v, p->group, tb);
		textbuf_add_char(tb, '\n');
	}
}

void latencytext_fmt(const struct latency_view *v, struct textbuf *tb)
{
	fmt_question(v, tb);
	fmt_counts(v, tb);
	if (!v->result->all.n || !v->result->all.buckets)
		return;
	if (v->groups_first && v->config->n_groups) {
		fmt_all(v, tb);
		fmt_groups(v, tb);
		fmt_histogram(v, tb);
	} else {
		fmt_histogram(v, tb);
		fmt_all(v, tb);
		fmt_groups(v, tb);
	}
	fmt_worst(v, tb);
}

/* --- JSON ------------------------------------------------------------------------------------- */

static const char *column(const struct latency_view *v, size_t i, char name[KEY_COLUMN_MAX])
{
	static const char *const own[] = {"count", "total",	  "min",      "avg",
					  "max",   "percentiles", "histogram"};
	char names[KEYS_MAX][KEY_WORD_MAX + 2];
	const char *words[KEYS_MAX];

	for (size_t k = 0; k <= i; k++)
		words[k] = group_name(v, k, names[k]);
	return key_column(words, i, own, ARRAY_LEN(own), name);
}

static void add_value(const struct latency_view *v, const struct latency_group *g, size_t i,
		      struct jsonwriter *w)
{
	char name[KEY_COLUMN_MAX];

	json_add_key(v->keys, g->key.slots[i], g->key.values[i], column(v, i, name), w);
}

static void add_spread(const struct latency_view *v, const struct latency_spread *s,
		       struct jsonwriter *w)
{
	jsonwriter_add_uint(w, "count", s->n);
	jsonwriter_add_uint(w, "total", s->total);
	jsonwriter_add_uint(w, "min", s->min);
	jsonwriter_add_uint(w, "avg", average(s));
	jsonwriter_add_uint(w, "max", s->max);
	jsonwriter_open(w, "percentiles", '{');
	for (size_t i = 0; i < LATENCY_PERCENTILES; i++)
		jsonwriter_add_uint(w, percentile_names[i],
				    latency_spread_percentile(s, latency_percentiles[i]));
	jsonwriter_close(w);
	jsonwriter_open(w, "histogram", '[');
	for (size_t i = 0; s->buckets && i < v->result->scale.n_buckets; i++) {
		uint64_t from, to;

		if (!s->buckets[i])
			continue;
		latency_scale_range(&v->result->scale, i, &from, &to);
		jsonwriter_open(w, NULL, '{');
		jsonwriter_add_uint(w, "from", from * v->result->scale.unit_ns);
		if (to)
			jsonwriter_add_uint(w, "to", to * v->result->scale.unit_ns);
		else
			jsonwriter_add_null(w, "to");
		jsonwriter_add_uint(w, "count", s->buckets[i]);
		jsonwriter_close(w);
	}
	jsonwriter_close(w);
}

static void add_question(const struct latency_view *v, struct jsonwriter *w)
{
	static const char *const matches[] = {"thread", "cpu", "field"};
	const struct latency_config *c = v->config;

	jsonwriter_add_string(w, "function", c->function ? c->function : c->asked);
	jsonwriter_add_string(w, "from", c->function || c->n_calls ? NULL : c->from);
	jsonwriter_add_string(w, "to", c->function || c->n_calls ? NULL : c->to);
	if (c->n_calls)
		jsonwriter_add_uint(w, "functions", c->n_calls);
	jsonwriter_add_string(w, "match", matches[c->function ? LATENCY_BY_THREAD : c->match]);
	jsonwriter_add_string(w, "unit", v->in_time ? "ns" : NULL);
	jsonwriter_add_string(w, "by", v->in_kernel ? "kernel" : "sonde");
	if (v->in_kernel) {
		jsonwriter_add_string(w, "how", v->in_kernel);
		jsonwriter_add_uint(w, "missed", v->n_missed);
	}
	if (v->probe_ns > 0 && v->in_time)
		jsonwriter_add_uint(w, "probe", (uint64_t)v->probe_ns);
}

static void add_counts(const struct latency_view *v, struct jsonwriter *w)
{
	const struct latency_counts *c = v->counts;

	jsonwriter_open(w, "unmatched", '{');
	jsonwriter_add_uint(w, "open", c->n_open);
	jsonwriter_add_uint(w, "alone", c->n_alone);
	jsonwriter_add_uint(w, "again", c->n_again);
	jsonwriter_add_uint(w, "given_up", c->n_given_up);
	jsonwriter_add_uint(w, "dropped", c->n_dropped);
	jsonwriter_close(w);
	jsonwriter_add_uint(w, "backwards", c->n_backwards);
	jsonwriter_add_uint(w, "gaps", c->n_gaps);
	jsonwriter_add_uint(w, "ungrouped", v->result->n_dropped);
}

static void add_worst(const struct latency_view *v, struct jsonwriter *w)
{
	jsonwriter_open(w, "worst", '[');
	for (size_t i = 0; i < v->result->n_worst; i++) {
		const struct latency_place *p = &v->result->worst[i];

		jsonwriter_open(w, NULL, '{');
		jsonwriter_add_uint(w, "took", p->ns);
		jsonwriter_add_uint(w, "from", p->from_ts);
		jsonwriter_add_uint(w, "to", p->to_ts);
		jsonwriter_add_uint(w, "from_cpu", p->from_cpu);
		jsonwriter_add_uint(w, "cpu", p->to_cpu);
		jsonwriter_add_int(w, "pid", p->task ? p->task->pid : -1);
		jsonwriter_add_string(w, "comm", p->task ? p->task->comm : NULL);
		for (size_t k = 0; p->group && k < v->config->n_groups; k++) {
			if (!k)
				jsonwriter_open(w, "group", '{');
			add_value(v, p->group, k, w);
			if (k + 1 == v->config->n_groups)
				jsonwriter_close(w);
		}
		jsonwriter_close(w);
	}
	jsonwriter_close(w);
}

/* Returns the number of groups in JSON and CSV: all, unless --rows limits them. */
static size_t n_written(const struct latency_view *v)
{
	size_t n = v->result->groups.n_used;

	return v->n_groups && v->n_groups < n ? v->n_groups : n;
}

void latencytext_fmt_json(const struct latency_view *v, struct textbuf *tb)
{
	struct jsonwriter w;

	jsonwriter_init(&w, tb);
	jsonwriter_open(&w, NULL, '{');
	add_question(v, &w);
	add_spread(v, &v->result->all, &w);
	jsonwriter_open(&w, "groups", '[');
	for (size_t i = 0; i < n_written(v); i++) {
		jsonwriter_open(&w, NULL, '{');
		for (size_t k = 0; k < v->config->n_groups; k++)
			add_value(v, v->result->sorted[i], k, &w);
		add_spread(v, &v->result->sorted[i]->spread, &w);
		jsonwriter_close(&w);
	}
	jsonwriter_close(&w);
	add_worst(v, &w);
	add_counts(v, &w);
	jsonwriter_close(&w);
	textbuf_add_char(tb, '\n');
}

/* --- CSV -------------------------------------------------------------------------------------- */

static void add_csv_spread(const struct latency_spread *s, struct textbuf *tb)
{
	textbuf_addf(tb, "%llu,%llu,%llu,%llu,%llu", (unsigned long long)s->n,
		     (unsigned long long)s->total, (unsigned long long)s->min,
		     (unsigned long long)average(s), (unsigned long long)s->max);
	for (size_t i = 0; i < LATENCY_PERCENTILES; i++)
		textbuf_addf(
			tb, ",%llu",
			(unsigned long long)latency_spread_percentile(s, latency_percentiles[i]));
}

void latencytext_fmt_csv(const struct latency_view *v, struct textbuf *tb)
{
	static const char *const columns[] = {"total", "min", "avg", "max",  "p50",
					      "p90",   "p95", "p99", "p99.9"};
	size_t n_words = v->config->n_groups;
	char name[KEY_COLUMN_MAX];

	/* with groups print only the groups: together they are the total */
	textbuf_add_str(tb, "count");
	for (size_t i = 0; i < ARRAY_LEN(columns); i++)
		textbuf_addf(tb, ",%s%s", columns[i], v->in_time ? "_ns" : "");
	for (size_t i = 0; i < n_words; i++)
		textbuf_addf(tb, ",%s", column(v, i, name));
	textbuf_add_char(tb, '\n');
	if (!n_words) {
		add_csv_spread(&v->result->all, tb);
		textbuf_add_char(tb, '\n');
	}
	for (size_t i = 0; i < n_written(v); i++) {
		const struct latency_group *g = v->result->sorted[i];

		add_csv_spread(&g->spread, tb);
		for (size_t k = 0; k < n_words; k++) {
			textbuf_add_char(tb, ',');
			csv_fmt_key(v->keys, g->key.slots[k], g->key.values[k], tb);
		}
		textbuf_add_char(tb, '\n');
	}
}

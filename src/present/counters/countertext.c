// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * countertext.c - the table of `sonde counters`.
 *
 *	make: 2.481 s elapsed, 4.102 s user, 0.611 s system; mean of 3 runs ± 0.41 %
 *
 *        4,713.28 ms   task-clock             1.900 CPUs utilized          ± 0.38 %
 *      12,345,678      cycles                 2.619 GHz                    counted 66 % of the time
 *   not supported      LLC-loads
 *
 * A value that was counted only part of the time is an estimate, and its row says so. Events that
 * the machine does not have are omitted unless they were named; one line reports it.
 */
#include "present/counters/countertext.h"

#include "base/json/json.h"
#include "base/textbuf.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define VALUE_WIDTH 18
#define NS_PER_MS   1e6

/* Writes a number with a comma between thousands, right-aligned. */
static void add_number(struct textbuf *tb, double value, int digits, int width)
{
	char plain[64], text[96];
	size_t n = 0, whole;

	snprintf(plain, sizeof(plain), "%.*f", digits, value);
	whole = strcspn(plain, ".");
	for (size_t i = 0; plain[i]; i++) {
		if (i && i < whole && (whole - i) % 3 == 0 && plain[i - 1] != '-')
			text[n++] = ',';
		text[n++] = plain[i];
	}
	text[n] = '\0';
	textbuf_addf(tb, "%*s", width, text);
}

static void add_value(struct textbuf *tb, const struct counterevent *e,
		      const struct countercell *cell)
{
	if (cell->state == COUNTER_NOT_SUPPORTED)
		textbuf_addf(tb, "%*s", VALUE_WIDTH, "not supported");
	else if (cell->state == COUNTER_NOT_COUNTED)
		textbuf_addf(tb, "%*s", VALUE_WIDTH, "not counted");
	else if (e->role == COUNTERROLE_CLOCK)
		add_number(tb, cell->value / NS_PER_MS, 2, VALUE_WIDTH);
	else
		add_number(tb, cell->value * e->scale, e->scale == 1 ? 0 : 2, VALUE_WIDTH);
	textbuf_addf(tb, " %-6s", e->role == COUNTERROLE_CLOCK ? "ms" : e->unit ? e->unit : "");
}

static void add_metric(struct textbuf *tb, const struct countermetric *m)
{
	char text[96];

	snprintf(text, sizeof(text), "%9.*f%s %s", (int)m->digits, m->value,
		 m->is_percent ? " %" : "", m->unit);
	textbuf_addf(tb, " %-36s", text);
}

static void trim_end(struct textbuf *tb)
{
	while (textbuf_len(tb) && tb->pos[-1] == ' ')
		tb->pos--;
	textbuf_add_char(tb, '\n');
}

static void add_row(const struct countertext *c, struct textbuf *tb, size_t rank, size_t event)
{
	const struct counterevent *e = countertable_event(c->table, event);
	struct countermetric metrics[COUNTERMETRICS_MAX];
	struct countercell cell;
	size_t n = countermetrics_of(c->table, rank, event, metrics);
	unsigned n_merged;

	countertable_cell(c->table, rank, event, &cell);
	if (c->is_interval)
		textbuf_addf(tb, "%12.6f ", c->since_s);
	if (c->has_parts)
		textbuf_addf(tb, "%-16s ", countertable_label(c->table, rank, &n_merged));
	add_value(tb, e, &cell);
	textbuf_addf(tb, " %-24s", e->name);
	if (e->cgroup)
		textbuf_addf(tb, " %-16s", e->cgroup);
	if (n)
		add_metric(tb, &metrics[0]);
	else
		textbuf_add_fill(tb, ' ', 37);
	if (cell.state == COUNTER_COUNTED && cell.deviation > 0)
		textbuf_addf(tb, " ± %.2f %%", cell.deviation);
	if (cell.state == COUNTER_COUNTED && cell.running_ns < cell.enabled_ns)
		textbuf_addf(tb, " counted %.0f %% of the time",
			     100 * cell.running_ns / cell.enabled_ns);
	trim_end(tb);
	for (size_t i = 1; i < n; i++) {
		textbuf_add_fill(tb, ' ',
				 VALUE_WIDTH + 32 + 17 * c->has_parts + 13 * c->is_interval);
		add_metric(tb, &metrics[i]);
		trim_end(tb);
	}
}

static bool is_shown(const struct counterevent *e)
{
	return e->is_supported || !e->is_optional;
}

static void add_head(const struct countertext *c, struct textbuf *tb)
{
	struct countertotals t;

	countertable_totals(c->table, &t);
	textbuf_addf(tb, "%s: %.6f s elapsed", c->what, t.elapsed_s);
	if (t.has_cpu_time)
		textbuf_addf(tb, ", %.6f s user, %.6f s system", t.user_s, t.system_s);
	if (t.n_runs > 1)
		textbuf_addf(tb, "; mean of %u runs ± %.2f %%", t.n_runs,
			     t.elapsed_s > 0 ? 100 * t.elapsed_deviation_s / t.elapsed_s : 0.0);
	textbuf_add_str(tb, "\n\n");
}

void countertext_fmt(const struct countertext *c, struct textbuf *tb)
{
	if (!c->is_interval)
		add_head(c, tb);
	for (size_t p = 0; p < countertable_n_parts(c->table); p++)
		for (size_t e = 0; e < countertable_n_events(c->table); e++)
			if (is_shown(countertable_event(c->table, e)))
				add_row(c, tb, p, e);
}

/*
 * --- JSON ---------------------------------------------------------------------------------------
 */

static void add_text(struct textbuf *tb, const char *key, const char *text)
{
	textbuf_addf(tb, ", \"%s\": ", key);
	json_add_string(tb, text, strlen(text));
}

static void add_json_row(const struct countertext *c, struct textbuf *tb, size_t rank, size_t event)
{
	static const char *const states[] = {"counted", "not counted", "not supported"};
	const struct counterevent *e = countertable_event(c->table, event);
	struct countermetric metrics[COUNTERMETRICS_MAX];
	struct countercell cell;
	size_t n = countermetrics_of(c->table, rank, event, metrics);
	unsigned n_merged;

	countertable_cell(c->table, rank, event, &cell);
	textbuf_add_str(tb, "{\"event\": ");
	json_add_string(tb, e->name, strlen(e->name));
	if (c->is_interval)
		textbuf_addf(tb, ", \"time_s\": %.9f", c->since_s);
	if (c->has_parts)
		add_text(tb, "of", countertable_label(c->table, rank, &n_merged));
	if (e->cgroup)
		add_text(tb, "cgroup", e->cgroup);
	add_text(tb, "state", states[cell.state]);
	if (cell.state == COUNTER_COUNTED) {
		textbuf_addf(tb, ", \"value\": %.*f", e->scale == 1 ? 0 : 6, cell.value * e->scale);
		if (e->unit || e->role == COUNTERROLE_CLOCK)
			add_text(tb, "unit", e->unit ? e->unit : "ns");
		textbuf_addf(tb, ", \"enabled_ns\": %.0f, \"running_ns\": %.0f", cell.enabled_ns,
			     cell.running_ns);
		if (cell.deviation > 0)
			textbuf_addf(tb, ", \"deviation_percent\": %.4f", cell.deviation);
	}
	for (size_t i = 0; i < n; i++) {
		textbuf_addf(tb, "%s{\"value\": %.6f", i ? ", " : ", \"metrics\": [",
			     metrics[i].value);
		add_text(tb, "unit", metrics[i].unit);
		textbuf_add_str(tb, "}");
	}
	textbuf_add_str(tb, n ? "]}\n" : "}\n");
}

void countertext_fmt_json(const struct countertext *c, struct textbuf *tb)
{
	struct countertotals t;

	for (size_t p = 0; p < countertable_n_parts(c->table); p++)
		for (size_t e = 0; e < countertable_n_events(c->table); e++)
			add_json_row(c, tb, p, e);
	if (c->is_interval)
		return;
	countertable_totals(c->table, &t);
	textbuf_addf(tb, "{\"elapsed_s\": %.9f, \"runs\": %u", t.elapsed_s, t.n_runs);
	if (t.has_cpu_time)
		textbuf_addf(tb, ", \"user_s\": %.6f, \"system_s\": %.6f", t.user_s, t.system_s);
	textbuf_add_str(tb, "}\n");
}

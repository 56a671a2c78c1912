// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * perfstat.c - columns and words of perf stat, from its output.
 *
 *  prefix  part        value unit event                            metric              noise, share
 *          CPU0           18 _ 4 _ 32                              # 8.3 unit, 35 in all
 *                                  25 for an event without a value
 *
 * perf prints all CPUs or threads of an event, and then the next event. For sockets, cores, dies
 * and nodes it prints all events of one, and then the next one. With -x the columns have no width.
 * With -j, a missing metric has the unit that it would have, and a missing rate "(null)". Scripts
 * may depend on these odd forms, so they are kept.
 */
#include "present/counters/perfstat.h"

#include "base/array.h"
#include "base/textbuf.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define METRIC_WIDTH	   35
#define NAME_WIDTH	   32
#define NAME_WIDTH_MISSING 25 /* of an event without a value */
#define HEADING_EVERY	   25

static const struct part_form {
	const char *json, *heading;
	bool by_event, has_number;
	int width; /* of the label in text */
} forms[] = {
	[PERFSTAT_ALL] = {NULL, "#           time             counts %*s events\n", true, false, 0},
	[PERFSTAT_CPU] = {"cpu", "#           time CPU                    counts %*s events\n",
			  true, false, 10},
	[PERFSTAT_CORE] = {"core",
			   "#           time core            cpus             counts %*s events\n",
			   false, true, 15},
	[PERFSTAT_DIE] = {"die",
			  "#           time die          cpus             counts %*s events\n",
			  false, true, 12},
	[PERFSTAT_SOCKET] = {"socket",
			     "#           time socket cpus             counts %*s events\n", false,
			     true, 6},
	[PERFSTAT_NODE] = {"node", "#           time node   cpus             counts %*s events\n",
			   false, true, 6},
	[PERFSTAT_THREAD] =
		{"thread",
		 "#           time             comm-pid                  counts %*s events\n", true,
		 false, 0},
};

static const char *unit_of(const struct counterevent *e)
{
	return e->role == COUNTERROLE_CLOCK ? "msec" : e->unit ? e->unit : "";
}

static int unit_width(const struct countertable *t)
{
	size_t width = 4;

	for (size_t i = 0; i < countertable_n_events(t); i++) {
		size_t len = strlen(unit_of(countertable_event(t, i)));

		width = len > width ? len : width;
	}
	return (int)width;
}

static double shown_value(const struct counterevent *e, const struct countercell *c)
{
	return e->role == COUNTERROLE_CLOCK ? c->value / 1e6 : c->value * e->scale;
}

static bool has_fraction(const struct counterevent *e)
{
	return e->role == COUNTERROLE_CLOCK || floor(e->scale) != e->scale;
}

static const char *missing_word(const struct countercell *c)
{
	return c->state == COUNTER_NOT_SUPPORTED ? "<not supported>" : "<not counted>";
}

static double percent_running(const struct countercell *c)
{
	return c->enabled_ns > 0 ? 100 * c->running_ns / c->enabled_ns : 100;
}

/*
 * --- text ---------------------------------------------------------------------------------------
 */

static void add_label(const struct perfstat *p, struct textbuf *tb, size_t rank)
{
	unsigned n_merged;
	const char *label = countertable_label(p->table, rank, &n_merged);
	const char *dash = strrchr(label, '-');

	switch (p->parts) {
	case PERFSTAT_ALL:
		break;
	case PERFSTAT_THREAD:
		textbuf_addf(tb, "%16.*s-%-8s ", (int)(dash ? dash - label : 0), label,
			     dash ? dash + 1 : "");
		break;
	case PERFSTAT_CPU:
		textbuf_addf(tb, "%-10s ", label);
		break;
	default:
		textbuf_addf(tb, "%-*s %4u ", forms[p->parts].width, label, n_merged);
		break;
	}
}

static void add_metric(struct textbuf *tb, const struct counterevent *e,
		       const struct countermetric *m)
{
	char value[64];
	int n;

	if (e->role == COUNTERROLE_CACHE_MISSES)
		n = snprintf(value, sizeof(value), " # %8.3f %%", m->value);
	else if (m->is_percent)
		n = snprintf(value, sizeof(value), " # %7.2f%%", m->value);
	else if (m->digits == 2)
		n = snprintf(value, sizeof(value), " # %7.2f ", m->value);
	else
		n = snprintf(value, sizeof(value), " # %8.3f", m->value);
	textbuf_addf(tb, "%s %-*s", value, METRIC_WIDTH - n - 1, m->unit);
}

static void add_value(struct textbuf *tb, const struct counterevent *e, const struct countercell *c,
		      int width)
{
	if (c->state == COUNTER_COUNTED)
		textbuf_addf(tb, "%18.*f %-*s %-*s", has_fraction(e) ? 2 : 0, shown_value(e, c),
			     width, unit_of(e), NAME_WIDTH, e->name);
	else
		textbuf_addf(tb, "%18s %-*s %-*s", missing_word(c), width, unit_of(e),
			     NAME_WIDTH_MISSING, e->name);
	if (e->cgroup)
		textbuf_addf(tb, " %s", e->cgroup);
}

static void add_prefix(const struct perfstat *p, struct textbuf *tb)
{
	double whole = floor(p->since_s);

	if (p->is_interval)
		textbuf_addf(tb, "%6.0f.%09.0f ", whole, floor((p->since_s - whole) * 1e9));
}

static void add_text_row(const struct perfstat *p, struct textbuf *tb, size_t rank, size_t event)
{
	const struct counterevent *e = countertable_event(p->table, event);
	struct countermetric metrics[COUNTERMETRICS_MAX];
	size_t n = countermetrics_of(p->table, rank, event, metrics);
	struct countercell cell;

	countertable_cell(p->table, rank, event, &cell);
	add_prefix(p, tb);
	add_label(p, tb, rank);
	add_value(tb, e, &cell, unit_width(p->table));
	if (n)
		add_metric(tb, e, &metrics[0]);
	else
		textbuf_add_fill(tb, ' ', METRIC_WIDTH);
	if (n > 1) {
		textbuf_add_char(tb, '\n');
		add_prefix(p, tb);
		add_label(p, tb, rank);
		textbuf_add_fill(tb, ' ', 49);
		textbuf_addf(tb, " # %7.2f  %s", metrics[1].value, metrics[1].unit);
	}
	if (p->has_noise && cell.deviation > 0 && cell.state == COUNTER_COUNTED)
		textbuf_addf(tb, "  ( +-%6.2f%% )", cell.deviation);
	if (cell.state == COUNTER_COUNTED && cell.running_ns != cell.enabled_ns)
		textbuf_addf(tb, "  (%.2f%%)", percent_running(&cell));
	textbuf_add_char(tb, '\n');
}

static void add_elapsed(const struct perfstat *p, struct textbuf *tb)
{
	struct countertotals t;
	int digits;

	countertable_totals(p->table, &t);
	if (!p->has_noise) {
		textbuf_addf(tb, " %17.9f seconds time elapsed\n", t.elapsed_s);
		if (t.has_cpu_time)
			textbuf_addf(tb, "\n %17.9f seconds user\n %17.9f seconds sys\n", t.user_s,
				     t.system_s);
		return;
	}
	/* two more digits than the deviation leaves certain */
	digits = 2 + (t.elapsed_deviation_s > 0 && t.elapsed_deviation_s <= 1
			      ? (int)ceil(-log10(t.elapsed_deviation_s))
			      : 0);
	textbuf_addf(tb, " %17.*f +- %.*f seconds time elapsed", digits, t.elapsed_s, digits,
		     t.elapsed_deviation_s);
	if (t.elapsed_deviation_s > 0)
		textbuf_addf(tb, "  ( +-%6.2f%% )", 100 * t.elapsed_deviation_s / t.elapsed_s);
	textbuf_add_char(tb, '\n');
}

/*
 * --- -x -----------------------------------------------------------------------------------------
 */

static void add_csv_metric(struct textbuf *tb, const char *sep, const struct countermetric *m)
{
	if (m)
		textbuf_addf(tb, "%s%.*f%s%s", sep, (int)m->digits, m->value, sep, m->unit);
	else
		textbuf_addf(tb, "%s%s", sep, sep);
}

static void add_csv_row(const struct perfstat *p, struct textbuf *tb, size_t rank, size_t event)
{
	const struct counterevent *e = countertable_event(p->table, event);
	struct countermetric metrics[COUNTERMETRICS_MAX];
	size_t n = countermetrics_of(p->table, rank, event, metrics);
	const char *sep = p->separator;
	struct countercell cell;
	unsigned n_merged;
	const char *label = countertable_label(p->table, rank, &n_merged);

	countertable_cell(p->table, rank, event, &cell);
	if (n && e->role == COUNTERROLE_CACHE_MISSES)
		metrics[0].digits = 3;
	add_prefix(p, tb);
	if (p->is_interval)
		tb->pos[-1] = sep[0];
	if (p->parts != PERFSTAT_ALL)
		textbuf_addf(tb, "%s%s", label, sep);
	if (forms[p->parts].has_number)
		textbuf_addf(tb, "%u%s", n_merged, sep);
	if (cell.state == COUNTER_COUNTED)
		textbuf_addf(tb, "%.*f", has_fraction(e) ? 2 : 0, shown_value(e, &cell));
	else
		textbuf_add_str(tb, missing_word(&cell));
	textbuf_addf(tb, "%s%s%s%s", sep, unit_of(e), sep, e->name);
	if (e->cgroup)
		textbuf_addf(tb, "%s%s", sep, e->cgroup);
	if (p->has_noise)
		textbuf_addf(tb, "%s%.2f%%", sep, cell.deviation);
	textbuf_addf(tb, "%s%.0f%s%.2f", sep, cell.running_ns, sep, percent_running(&cell));
	add_csv_metric(tb, sep, n ? &metrics[0] : NULL);
	textbuf_add_char(tb, '\n');
	if (n > 1) {
		textbuf_addf(tb, "%s%s%s", sep, sep, sep);
		add_csv_metric(tb, sep, &metrics[1]);
		textbuf_add_char(tb, '\n');
	}
}

/*
 * --- -j -----------------------------------------------------------------------------------------
 */

static void add_json_part(const struct perfstat *p, struct textbuf *tb, size_t rank)
{
	unsigned n_merged;
	const char *label = countertable_label(p->table, rank, &n_merged);

	if (p->is_interval)
		textbuf_addf(tb, "\"interval\" : %.9f, ", p->since_s);
	if (p->parts == PERFSTAT_CPU)
		label += strlen("CPU");
	if (p->parts != PERFSTAT_ALL)
		textbuf_addf(tb, "\"%s\" : \"%s\", ", forms[p->parts].json, label);
	if (forms[p->parts].has_number)
		textbuf_addf(tb, "\"aggregate-number\" : %u, ", n_merged);
}

/* A rate has no unit of its own; for cycles perf writes another case. */
static const char *json_missing_unit(const struct counterevent *e, const struct countercell *c)
{
	const char *unit = countermetrics_unit(e->role);

	if (c->state != COUNTER_COUNTED)
		return "";
	return e->role == COUNTERROLE_CYCLES ? "Ghz" : unit ? unit : "(null)";
}

static void add_json_row(const struct perfstat *p, struct textbuf *tb, size_t rank, size_t event)
{
	const struct counterevent *e = countertable_event(p->table, event);
	struct countermetric metrics[COUNTERMETRICS_MAX];
	size_t n = countermetrics_of(p->table, rank, event, metrics);
	struct countercell cell;

	countertable_cell(p->table, rank, event, &cell);
	textbuf_add_char(tb, '{');
	add_json_part(p, tb, rank);
	if (cell.state == COUNTER_COUNTED)
		textbuf_addf(tb, "\"counter-value\" : \"%.6f\", ", shown_value(e, &cell));
	else
		textbuf_addf(tb, "\"counter-value\" : \"%s\", ", missing_word(&cell));
	textbuf_addf(tb, "\"unit\" : \"%s\", \"event\" : \"%s\", ", unit_of(e), e->name);
	if (e->cgroup)
		textbuf_addf(tb, "\"cgroup\" : \"%s\", ", e->cgroup);
	if (p->has_noise)
		textbuf_addf(tb, "\"variance\" : %.2f, ", cell.deviation);
	textbuf_addf(tb, "\"event-runtime\" : %.0f, \"pcnt-running\" : %.2f, ", cell.running_ns,
		     percent_running(&cell));
	textbuf_addf(tb, "\"metric-value\" : %.6f, \"metric-unit\" : \"%s\"}\n",
		     n ? metrics[0].value : 0.0, n ? metrics[0].unit : json_missing_unit(e, &cell));
	if (n > 1)
		textbuf_addf(tb, "{\"metric-value\" : %.6f, \"metric-unit\" : \"%s\"}\n",
			     metrics[1].value, metrics[1].unit);
}

/*
 * --- the whole ----------------------------------------------------------------------------------
 */

static void add_row(const struct perfstat *p, struct textbuf *tb, size_t rank, size_t event)
{
	if (p->is_json)
		add_json_row(p, tb, rank, event);
	else if (p->separator)
		add_csv_row(p, tb, rank, event);
	else
		add_text_row(p, tb, rank, event);
}

static void add_rows(const struct perfstat *p, struct textbuf *tb)
{
	size_t n_parts = countertable_n_parts(p->table), n_events = countertable_n_events(p->table);
	size_t n = n_parts * n_events;

	for (size_t i = 0; i < n; i++) {
		if (forms[p->parts].by_event)
			add_row(p, tb, i % n_parts, i / n_parts);
		else
			add_row(p, tb, i / n_events, i % n_events);
	}
}

void perfstat_fmt(const struct perfstat *p, struct textbuf *tb)
{
	bool is_text = !p->is_json && !p->separator;
	struct countertotals t;

	countertable_totals(p->table, &t);
	if (is_text && !p->is_interval) {
		textbuf_addf(tb, "\n Performance counter stats for %s", p->title);
		if (p->has_noise)
			textbuf_addf(tb, " (%u runs)", t.n_runs);
		textbuf_add_str(tb, ":\n\n");
	}
	if (is_text && p->is_interval && p->n_interval % HEADING_EVERY == 0)
		textbuf_addf(tb, forms[p->parts].heading, unit_width(p->table), "unit");
	add_rows(p, tb);
	if (is_text && !p->is_interval) {
		if (countertable_n_events(p->table))
			textbuf_add_char(tb, '\n');
		add_elapsed(p, tb);
		textbuf_add_str(tb, t.has_cpu_time && !p->has_noise ? "\n\n" : "\n");
	}
}

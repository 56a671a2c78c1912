// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * calltimes.c - sums the calls that callflow.h follows.
 *
 * The functions to show are selected at the end: hidden ones still reduce the self time of their
 * callers.
 *
 * Without groups, the flow stores the row of each function, so no look-up is needed. The standard
 * deviation needs sums of squares. These exceed 64 bits after some seconds, so they are doubles.
 */
#include "analyse/calltimes.h"

#include "analyse/calls/callflow.h"
#include "base/errmsg.h"
#include "base/scope.h"
#include "decode/formats/event.h"
#include "symbols/tasks.h"

#include <errno.h>
#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROWS_MAX	 (1u << 20)
#define SPREAD_MAX_BYTES (256u << 20)

struct calltimes {
	const struct calltimes_config *config;
	struct formats *f;
	struct callfilter *filter;
	struct callflow_config flow_config;
	struct flow_sink sink;
	struct callflow *flow;
	struct keyreader keys;
	struct arena spreads;
	struct keytable table;
	struct key_slot func_slot, slots[CALL_KINDS_MAX][KEYS_MAX]; /* by kind of event */
	uint8_t *wanted;
	struct calltimes_row **rows;
	size_t n_rows;
	struct calltimes_counts counts;
};

/*
 * --- calls -------------------------------------------------------------------------------------
 */

static void sum_add(struct calltimes_sum *sum, uint64_t ns, bool is_first)
{
	sum->total += ns;
	if (is_first || ns < sum->min)
		sum->min = ns;
	if (ns > sum->max)
		sum->max = ns;
}

static void start_row(struct calltimes *c, struct calltimes_row *row, const struct flow_func *fn)
{
	row->name = fn->name;
	row->module = fn->module;
	row->source = fn->source;
	row->is_user = fn->is_user;
	if (c->config->with_spread)
		row->spread = arena_alloc(&c->spreads, sizeof(*row->spread));
}

/* noinline: leave() looks at fn->aside first, and must not prepare what is needed here. */
static __attribute__((noinline)) struct calltimes_row *
find_row(struct calltimes *c, struct flow_func *fn, const struct record *rec)
{
	uint64_t values[KEYS_MAX] = {fn->addr};
	const struct key_slot *slots[KEYS_MAX] = {&c->func_slot};
	struct calltimes_row *row;

	for (size_t i = 0; i < c->config->n_groups; i++) {
		const struct call_kinds *kinds = callflow_kinds(c->flow);
		size_t kind = rec->event ? kinds->by_id[rec->event->id] : 0;

		slots[i + 1] = &c->slots[kind][i];
		values[i + 1] = key_read(&c->keys, slots[i + 1], rec);
	}
	row = (struct calltimes_row *)keytable_get(&c->table, values, slots);
	if (row && !row->name)
		start_row(c, row, fn);
	if (!c->config->n_groups)
		fn->aside = row;
	return row;
}

static void leave(void *ctx, struct flow_task *t, struct flow_frame *f, const struct flow_end *end,
		  const struct record *rec)
{
	struct calltimes *c = ctx;
	struct calltimes_row *row = f->func->aside; /* only without groups */

	if (!end->is_counted || !(end->is_known || (end->is_open && f->func->is_user)))
		return;
	if (!row && !rec)
		row = find_row(
			c, f->func,
			&(struct record){.ts = end->ts, .task = t->task, .cpu = t->last_cpu});
	else if (!row)
		row = find_row(c, f->func, rec);
	if (!row) {
		c->counts.n_dropped++;
		return;
	}
	c->counts.n_calls++;
	c->counts.n_open += end->is_open;
	if (end->duration > row->max || !row->n) {
		row->max = end->duration;
		row->max_ts = end->ts;
	}
	if (f->flags & FLOW_OUTERMOST)
		row->total += end->duration;
	row->self += end->self;
	sum_add(&row->all, end->duration, !row->n);
	sum_add(&row->own, end->self, !row->n);
	row->n++;
	if (c->config->with_deviation) {
		row->all.squares += (double)end->duration * (double)end->duration;
		row->own.squares += (double)end->self * (double)end->self;
	}
	if (row->spread)
		latency_spread_add(row->spread, &c->spreads, end->duration);
}

void calltimes_add(struct calltimes *c, const struct record *rec)
{
	callflow_add(c->flow, rec);
}

void calltimes_run(void *calltimes, struct walker *w, struct record *rec, uint64_t offset,
		   uint64_t before)
{
	callflow_run(((struct calltimes *)calltimes)->flow, w, rec, offset, before);
}

void calltimes_end(struct calltimes *c)
{
	callflow_finish(c->flow);
}

/*
 * --- the result --------------------------------------------------------------------------------
 */

static bool is_shown(const struct calltimes_config *config, const char *name)
{
	bool shown = !config->n_only;

	for (size_t i = 0; i < config->n_only && !shown; i++)
		shown = !fnmatch(config->only[i], name, 0);
	for (size_t i = 0; i < config->n_never && shown; i++)
		shown = fnmatch(config->never[i], name, 0);
	return shown;
}

static uint64_t deviation(const struct calltimes_sum *sum, uint64_t n)
{
	double mean = (double)sum->total / (double)n;
	double variance = sum->squares / (double)n - mean * mean;

	return variance > 0 ? (uint64_t)(sqrt(variance) + 0.5) : 0;
}

uint64_t calltimes_number(const struct calltimes_row *r, enum calltimes_column column)
{
	switch (column) {
	case CALLTIMES_SELF:
		return r->self;
	case CALLTIMES_AVG:
		return r->all.total / r->n;
	case CALLTIMES_MIN:
		return r->all.min;
	case CALLTIMES_MAX:
		return r->max;
	case CALLTIMES_STDV:
		return deviation(&r->all, r->n);
	case CALLTIMES_P50 ... CALLTIMES_P999:
		return r->spread ? latency_spread_percentile(
					   r->spread, latency_percentiles[column - CALLTIMES_P50])
				 : 0;
	case CALLTIMES_SELF_AVG:
		return r->own.total / r->n;
	case CALLTIMES_SELF_MIN:
		return r->own.min;
	case CALLTIMES_SELF_MAX:
		return r->own.max;
	case CALLTIMES_SELF_STDV:
		return deviation(&r->own, r->n);
	case CALLTIMES_CALLS:
		return r->n;
	default:
		return r->total;
	}
}

/* Sorts numbers in descending order, names alphabetically. */
static int compare_by(const struct calltimes_row *x, const struct calltimes_row *y,
		      enum calltimes_column column)
{
	uint64_t a, b;

	if (column == CALLTIMES_NAME)
		return strcmp(x->name, y->name);
	if (column == CALLTIMES_MODULE)
		return strcmp(x->module ? x->module : "", y->module ? y->module : "");
	a = calltimes_number(x, column);
	b = calltimes_number(y, column);
	return a < b ? 1 : -(a > b);
}

static int compare(const void *a, const void *b, void *ctx)
{
	const struct calltimes_row *x = *(struct calltimes_row *const *)a,
				   *y = *(struct calltimes_row *const *)b;
	const struct calltimes_config *config = ((const struct calltimes *)ctx)->config;
	int r = compare_by(x, y, config->sort);

	for (size_t i = 0; i < config->n_then && !r; i++)
		r = compare_by(x, y, config->then[i]);
	if (!r)
		r = strcmp(x->name, y->name);
	if (r)
		return r;
	return x->key.number < y->key.number ? -1 : x->key.number > y->key.number;
}

int calltimes_finish(struct calltimes *c)
{
	free(c->rows);
	c->n_rows = 0;
	c->rows = calloc(c->table.n_used + 1, sizeof(struct calltimes_row *));
	if (!c->rows)
		return -ENOMEM;
	for (size_t i = 0; i < c->table.n_used; i++) {
		struct calltimes_row *row = (struct calltimes_row *)c->table.list[i];

		if (row->n && is_shown(c->config, row->name))
			c->rows[c->n_rows++] = row;
	}
	qsort_r(c->rows, c->n_rows, sizeof(struct calltimes_row *), compare, c);
	return 0;
}

const struct calltimes_row *const *calltimes_rows(const struct calltimes *c, size_t *ret_n)
{
	*ret_n = c->n_rows;
	return (const struct calltimes_row *const *)c->rows;
}

const struct calltimes_counts *calltimes_counts(const struct calltimes *c)
{
	const struct flow_counts *flow = callflow_counts(c->flow);
	struct calltimes_counts *counts = &((struct calltimes *)c)->counts;

	counts->n_events = flow->n_events;
	counts->n_unknown = flow->n_unknown;
	counts->n_gaps = flow->n_gaps;
	counts->n_cut = flow->n_cut;
	counts->n_clipped = flow->n_clipped;
	counts->paused = flow->paused;
	return counts;
}

const struct calltimes_config *calltimes_config(const struct calltimes *c)
{
	return c->config;
}

struct keyreader *calltimes_keys(struct calltimes *c)
{
	return &c->keys;
}

const uint8_t *calltimes_events(const struct calltimes *c, size_t *ret_n)
{
	*ret_n = c->f->n_table;
	return c->wanted;
}

/*
 * --- life --------------------------------------------------------------------------------------
 */

/* Binds the groups to every call event, and stores which events these are. */
static int bind(struct calltimes *c, struct errmsg *err)
{
	const struct call_kinds *kinds = callflow_kinds(c->flow);

	if (kinds->n < 2)
		return errmsg_set(err, -ENOENT,
				  "the trace has no calls of functions; record them with -u, or "
				  "with -p function_graph for the kernel's");
	for (size_t k = 1; k < kinds->n; k++) {
		const struct event *ev = kinds->rows[k].event;

		if ((size_t)ev->id < c->f->n_table)
			c->wanted[ev->id] = 1;
		for (size_t i = 0; i < c->config->n_groups; i++) {
			c->slots[k][i] = key_bind(ev, c->config->groups[i]);
			c->slots[0][i] = c->slots[k][i];
			if (c->slots[k][i].kind == KEY_ABSENT)
				return errmsg_set(err, -EINVAL,
						  "functions cannot be separated by '%s'; use "
						  "$task, $comm, $pid or $cpu",
						  c->config->groups[i]);
		}
	}
	c->func_slot = (struct key_slot){.kind = KEY_NUMBER,
					 .field = event_find_field(kinds->rows[1].event, "func")};
	return 0;
}

static int open_flow(struct calltimes *c, struct errmsg *err)
{
	int r;

	TRY(c->config->filter ? callfilter_new(&c->filter, c->config->filter, err) : 0);
	c->flow_config = (struct callflow_config){.filter = c->filter,
						  .with_own = c->config->with_own,
						  .from = c->config->from,
						  .to = c->config->to};
	c->sink = (struct flow_sink){.ctx = c, .leave = leave};
	r = callflow_new(&c->flow, c->f, &c->flow_config, &c->sink);
	return r < 0 ? errmsg_set_errno(err, r, "cannot sum calls") : bind(c, err);
}

int calltimes_parse_groups(struct calltimes_config *c, const char *words, struct errmsg *err)
{
	for (const char *p = words; *p;) {
		size_t len = strcspn(p, ",");

		if (c->n_groups == KEYS_MAX - 1 || !len || len >= KEY_WORD_MAX)
			return errmsg_set(err, -EINVAL,
					  "--by takes up to %d of $task, $comm, $pid and $cpu, "
					  "with commas between, not '%s'",
					  KEYS_MAX - 1, words);
		snprintf(c->groups[c->n_groups++], KEY_WORD_MAX, "%.*s", (int)len, p);
		p += len + (p[len] == ',');
	}
	return 0;
}

int calltimes_new(struct calltimes **ret, struct formats *f, const struct calltimes_config *config,
		  struct errmsg *err)
{
	struct calltimes *c = calloc(1, sizeof(*c));
	int r;

	if (!c)
		return errmsg_set_errno(err, -ENOMEM, "cannot sum calls");
	c->config = config;
	c->f = f;
	arena_init(&c->spreads, SPREAD_MAX_BYTES);
	keytable_init(&c->table, 1 + config->n_groups, sizeof(struct calltimes_row), ROWS_MAX);
	c->wanted = calloc(f->n_table + 1, 1);
	if (keyreader_init(&c->keys, f) < 0 || !c->wanted)
		r = errmsg_set_errno(err, -ENOMEM, "cannot sum calls");
	else
		r = open_flow(c, err);
	if (r < 0) {
		calltimes_free(c);
		return r;
	}
	*ret = c;
	return 0;
}

void calltimes_free(struct calltimes *c)
{
	if (!c)
		return;
	keyreader_release(&c->keys);
	keytable_release(&c->table);
	arena_release(&c->spreads);
	callflow_free(c->flow);
	callfilter_free(c->filter);
	free(c->wanted);
	free(c->rows);
	free(c);
}

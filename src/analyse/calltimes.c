// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * calltimes.c - sums the calls that callflow.h follows.
 *
 * The functions to show are selected at the end: hidden ones still reduce the self time of their
 * callers.
 *
 * Without groups, the flow stores the row of each function, so no look-up is needed. The standard
 * deviation needs sums of squares. These exceed 64 bits after some seconds, so they have 128.
 * (Doubles would depend on the order in which parts are added.)
 *
 * Parts of a trace (calls/callparts.c): all sums of a row can be added, but for the total, which
 * leaves out calls within the same function. Whether there is one in the unknown calls below the
 * part is seen when it is joined. So a part keeps the totals of each segment of a task apart.
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
#define OUTER_MAX_BYTES	 (64u << 20)
#define RECENT		 8 /* as many CPUs take turns without a search in each */

/* The total of a function's outermost calls in a segment of a task. */
struct outer {
	const struct flow_func *func;
	const struct outer_list *segment;
	struct outer *next;
	uint64_t total;
};

struct outer_list {
	struct outer *first;
	uint32_t number; /* of the segment */
};

/* A row, and what a part adds to. */
struct part_row {
	struct calltimes_row row; /* must be the first member */
	const struct flow_func *func;
	struct outer *recent[RECENT]; /* those used last, by the segment's number */
};

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
	bool is_part;
	struct arena outers; /* of a part: of its segments */
	struct map outer_map;
	uint32_t n_segments;
	const struct calltimes *joining; /* the part that is joined */
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
	((struct part_row *)row)->func = fn;
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

/* Finds the total of a function in this segment of a task. NULL: no memory. */
static __attribute__((noinline)) struct outer *
find_outer(struct calltimes *c, struct outer_list *segment, const struct flow_func *fn)
{
	void **slot =
		map_take(&c->outer_map, (uint64_t)segment->number << 32 | fn->number, ROWS_MAX);
	struct outer *o = slot ? *slot : NULL;

	if (o || !slot)
		return o;
	o = arena_alloc(&c->outers, sizeof(*o));
	if (!o)
		return NULL;
	*o = (struct outer){.func = fn, .segment = segment, .next = segment->first};
	segment->first = o;
	*slot = o;
	return o;
}

static void add_outer(struct calltimes *c, const struct flow_task *t, struct calltimes_row *row,
		      const struct flow_func *fn, uint64_t duration)
{
	struct outer_list *segment = t->aside;
	struct outer **recent;

	if (__builtin_expect(!segment, 0)) { /* there was no memory for it */
		c->counts.n_dropped++;
		return;
	}
	recent = &((struct part_row *)row)->recent[segment->number % RECENT];
	if (!*recent || (*recent)->segment != segment)
		*recent = find_outer(c, segment, fn);
	if (*recent)
		(*recent)->total += duration;
	else
		c->counts.n_dropped++;
}

/* Of calls that take the same time, the first to end is the longest. */
static inline void note_max(struct calltimes_row *row, uint64_t duration, uint64_t ts)
{
	if (row->n && (duration < row->max || (duration == row->max && ts >= row->max_ts)))
		return;
	row->max = duration;
	row->max_ts = ts;
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
	note_max(row, end->duration, end->ts);
	if (f->flags & FLOW_OUTERMOST) {
		if (c->is_part)
			add_outer(c, t, row, f->func, end->duration);
		else
			row->total += end->duration;
	}
	row->self += end->self;
	sum_add(&row->all, end->duration, !row->n);
	sum_add(&row->own, end->self, !row->n);
	row->n++;
	if (c->config->with_deviation) {
		row->all.squares += (unsigned __int128)end->duration * end->duration;
		row->own.squares += (unsigned __int128)end->self * end->self;
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
 * --- parts -------------------------------------------------------------------------------------
 */

static bool begin_segment(void *ctx, struct flow_task *t)
{
	struct calltimes *c = ctx;
	struct outer_list *segment = arena_alloc(&c->outers, sizeof(*segment));

	if (segment)
		segment->number = c->n_segments++;
	t->aside = segment;
	return segment;
}

/* The row of a function of a part. NULL: no room. */
static struct calltimes_row *find_same(struct calltimes *c, const struct flow_func *of_part)
{
	struct flow_func *fn = callflow_same(c->joining->flow, of_part);

	return fn->aside ? fn->aside : find_row(c, fn, &(struct record){0});
}

static int join_segment(void *ctx, struct flow_task *t, void *aside)
{
	struct calltimes *c = ctx;

	for (const struct outer *o = ((struct outer_list *)aside)->first; o; o = o->next) {
		struct calltimes_row *row;

		if (callflow_is_open(t, callflow_same(c->joining->flow, o->func)))
			continue;
		row = find_same(c, o->func);
		if (!row)
			return -EAGAIN;
		row->total += o->total;
	}
	return 0;
}

static void join_sum(struct calltimes_sum *to, const struct calltimes_sum *from, bool is_first)
{
	to->total += from->total;
	to->squares += from->squares;
	if (is_first || from->min < to->min)
		to->min = from->min;
	if (from->max > to->max)
		to->max = from->max;
}

static void join_row(struct calltimes *c, struct calltimes_row *to, struct calltimes_row *from)
{
	note_max(to, from->max, from->max_ts);
	join_sum(&to->all, &from->all, !to->n);
	join_sum(&to->own, &from->own, !to->n);
	to->self += from->self;
	to->n += from->n;
	if (to->spread && from->spread)
		latency_spread_merge(to->spread, &c->spreads, from->spread);
}

/* Empties a row of a part. Its spread is made again. */
static void forget_row(struct calltimes *part, struct part_row *of)
{
	struct calltimes_row *row = &of->row;

	memset(of->recent, 0, sizeof(of->recent));
	row->n = row->self = row->max = row->max_ts = 0;
	row->all = row->own = (struct calltimes_sum){0};
	if (part->config->with_spread)
		row->spread = arena_alloc(&part->spreads, sizeof(*row->spread));
}

static void forget_segments(struct calltimes *part)
{
	map_clear(&part->outer_map);
	part->n_segments = 0;
	arena_release(&part->outers);
	arena_init(&part->outers, OUTER_MAX_BYTES);
	arena_release(&part->spreads);
	arena_init(&part->spreads, SPREAD_MAX_BYTES);
	for (size_t i = 0; i < part->table.n_used; i++)
		forget_row(part, (struct part_row *)part->table.list[i]);
	part->counts = (struct calltimes_counts){0};
}

int calltimes_make_part(struct calltimes *c)
{
	c->is_part = true;
	return c->config->n_groups ? -ENOTSUP : callflow_make_part(c->flow);
}

int calltimes_join(struct calltimes *c, struct calltimes *part, struct tasks *tasks)
{
	if (part->counts.n_dropped)
		return -EAGAIN;
	c->joining = part;
	TRY(callflow_join(c->flow, part->flow, tasks));
	for (size_t i = 0; i < part->table.n_used; i++) {
		struct part_row *from = (struct part_row *)part->table.list[i];
		struct calltimes_row *to;

		if (!from->row.n)
			continue;
		to = find_same(c, from->func);
		if (!to || (c->config->with_spread && (!to->spread || !from->row.spread)))
			return -EAGAIN;
		join_row(c, to, &from->row);
	}
	c->counts.n_calls += part->counts.n_calls;
	c->counts.n_open += part->counts.n_open;
	forget_segments(part);
	return c->counts.n_dropped ? -EAGAIN : 0;
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
	double variance = (double)sum->squares / (double)n - mean * mean;

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
	if (x->key.values[0] != y->key.values[0]) /* several functions with this name */
		return x->key.values[0] < y->key.values[0] ? -1 : 1;
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
	c->sink = (struct flow_sink){
		.ctx = c, .leave = leave, .begin = begin_segment, .join = join_segment};
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
	arena_init(&c->outers, OUTER_MAX_BYTES);
	keytable_init(&c->table, 1 + config->n_groups, sizeof(struct part_row), ROWS_MAX);
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
	arena_release(&c->outers);
	map_release(&c->outer_map);
	callflow_free(c->flow);
	callfilter_free(c->filter);
	free(c->wanted);
	free(c->rows);
	free(c);
}

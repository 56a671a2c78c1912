// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * read.c - reads the spans and ticks of a lane in a range, from any kind of storage.
 *
 *	rows       an array of spans: binary search
 *	turns      lanes of CPUs: from lists of switches; a span ends at the next turn
 *	states     lanes of tasks, live: dropped spans are computed again
 *	walk       ticks: read from the file; sub-buffers without the wanted kinds are skipped
 *	rows of a selection   hits of a search
 *
 * The idle task (pid 0) is not a span of a CPU. Time without a known task is a span without task.
 */
#include "base/array.h"
#include "base/scope.h"
#include "decode/taskstate.h"
#include "timeline/lanes/lane_int.h"
#include "timeline/states/states_int.h"

#include <stdlib.h>

size_t row_search(const struct lane_row *row, uint64_t t)
{
	return ARRAY_BISECT(row->n, i, span_end(&row->spans[i]) <= t);
}

size_t lane_search_sample(const struct lane *ln, uint64_t t)
{
	return ARRAY_BISECT(ln->n_samples, i, ln->samples[i].ts < t);
}

/* --- turns ------------------------------------------------------------------------------------ */

struct turn_reader {
	struct timeline *tl;
	uint32_t machine, cpu;
	uint64_t from, to;
	bool (*each)(void *ctx, const struct drawn_span *s);
	void *ctx;
	int idle;
	bool stopped, is_seen; /* is_seen: the current span began without a switch */
	uint64_t start;
	uint16_t task;
};

/* Ends the current span. */
static bool give(struct turn_reader *r, uint64_t end, uint8_t flags)
{
	struct drawn_span d = {r->start, end, r->task, 0, flags};

	if (r->task != TIMELINE_NO_TASK && r->is_seen)
		d.flags |= TILE_OPEN_START;
	if (r->task == r->idle || end < r->start || (end <= r->from && end > r->start) ||
	    r->start >= r->to || (r->task == TIMELINE_NO_TASK && end == r->start))
		return true;
	if (r->task == TIMELINE_NO_TASK)
		d.flags =
			TILE_UNKNOWN | TILE_OPEN_START | TILE_OPEN_END |
			(machine_lost_within(r->tl, r->machine, r->cpu, r->start, end) ? TILE_MISSED
										       : 0);
	r->stopped = !r->each(r->ctx, &d);
	return !r->stopped;
}

static bool read_turn(void *ctx, const struct cpu_turn *t)
{
	struct turn_reader *r = ctx;
	bool is_switch = t->state != STATE_UNKNOWN;

	/* if a task was seen only when it left, its running time is unknown */
	if ((t->ts > r->start || is_switch) && !(r->is_seen && t->ts == r->start) &&
	    !give(r, t->ts, is_switch ? 0 : TILE_OPEN_END))
		return false;
	r->start = t->ts;
	r->task = t->next;
	r->is_seen = !is_switch;
	return t->ts < r->to;
}

static void each_turn(const struct lane *ln, uint64_t from, uint64_t to,
		      bool (*each)(void *ctx, const struct drawn_span *s), void *ctx)
{
	struct timeline *tl = ln->owner->tl;
	struct turn_reader r = {.tl = tl, .from = from, .to = to, .each = each, .ctx = ctx};

	r.machine = ln->spec.machine;
	r.cpu = ln->spec.number;
	r.task = TIMELINE_NO_TASK;

	r.idle = timeline_find_task(tl, ln->spec.machine, 0);
	cpu_turns(tl, ln->spec.machine, ln->spec.number, from, TIMELINE_TIME_MAX, read_turn, &r);
	if (!r.stopped && r.start < to)
		give(&r, timeline_duration(tl), TILE_OPEN_END);
}

uint8_t lane_state_flags(const struct lane *ln, const struct state_span *s)
{
	uint8_t flags = state_flags(s);

	if (s->state == STATE_UNKNOWN &&
	    machine_lost_within(ln->owner->tl, ln->spec.machine, -1, s->start, s->end))
		flags |= TILE_MISSED;
	return flags;
}

/* --- spans ------------------------------------------------------------------------------------ */

struct gone_reader {
	const struct lane *ln;
	uint64_t from, to;
	bool (*each)(void *ctx, const struct drawn_span *s);
	void *ctx;
	bool stopped;
};

static void read_gone(void *ctx, uint16_t task, const struct task_track *t,
		      const struct state_span *s, enum task_state next)
{
	struct gone_reader *g = ctx;
	struct drawn_span d = {s->start, s->end, s->state,
			       state_aux(s->cpu, s->waker, s->waker_in_irq),
			       lane_state_flags(g->ln, s)};

	if (!g->stopped && s->start < g->to && s->end > g->from)
		g->stopped = !g->each(g->ctx, &d);
}

/* Computes states again that the lane has dropped. Returns false to stop. */
static bool each_gone(const struct lane *ln, uint64_t from, uint64_t to,
		      bool (*each)(void *ctx, const struct drawn_span *s), void *ctx)
{
	struct timeline *tl = ln->owner->tl;
	struct gone_reader g = {ln, from, to, each, ctx, false};
	int task = timeline_find_task(tl, ln->spec.machine, ln->spec.number);
	uint8_t *bits = task < 0 ? NULL : calloc(1, (UINT16_MAX + 1) / 8);

	if (!bits)
		return true;
	bit_set(bits, task);
	/* the last state is cut at `to`, where the stored spans begin */
	states_pass(tl, ln->owner->states, ln->spec.machine, bits, from, to, read_gone, &g);
	free(bits);
	return !g.stopped;
}

void lane_each_span(const struct lane *ln, unsigned at, uint64_t from, uint64_t to,
		    bool (*each)(void *ctx, const struct drawn_span *s), void *ctx)
{
	const struct lane_row *row;

	if (ln->sched_stream >= 0) {
		if (at == 0)
			each_turn(ln, from, to, each, ctx);
		return;
	}
	if (at >= ln->n_rows)
		return;
	row = &ln->rows[at];
	if (from < row->gone_until &&
	    !each_gone(ln, from, to < row->gone_until ? to : row->gone_until, each, ctx))
		return;
	for (size_t i = row_search(row, from ? from - 1 : 0); i < row->n; i++) {
		const struct span *s = &row->spans[i];
		struct drawn_span d = {span_start(s), span_end(s), span_value(s),
				       row->aux ? row->aux[i] : 0, span_flags(s)};

		if (d.start >= to)
			break;
		if (d.end <= from && d.end > d.start)
			continue;
		if (!each(ctx, &d))
			break;
	}
}

size_t lane_count_spans(const struct lane *ln, unsigned at, uint64_t from, uint64_t to)
{
	if (ln->sched_stream >= 0)
		return 0; /* only counting could find the number */
	if (at >= ln->n_rows)
		return 0;
	return row_search(&ln->rows[at], to) - row_search(&ln->rows[at], from) + 1;
}

/* --- ticks ------------------------------------------------------------------------------------ */

struct tick_reader {
	bool (*each)(void *ctx, const struct tick *t);
	void *ctx;
	bool stopped;
};

static bool read_tick(void *ctx, const struct walk_event *ev)
{
	struct tick_reader *r = ctx;

	r->stopped = !r->each(r->ctx, &(struct tick){ev->ts, ev->ref, ev->missed != 0});
	return !r->stopped;
}

#define FOUND_BATCH 512

static int each_found(const struct lane *ln, uint64_t from, uint64_t to, struct tick_reader *r)
{
	struct timeline *tl = ln->owner->tl;
	event_ref refs[FOUND_BATCH];
	uint64_t times[FOUND_BATCH];
	uint64_t row;
	size_t n;

	if (!ln->found)
		return 0;
	row = timeline_rank(tl, ln->found, from);
	while ((n = timeline_rows(tl, ln->found, row, refs, times, FOUND_BATCH))) {
		for (size_t i = 0; i < n; i++)
			if (times[i] > to || !r->each(r->ctx, &(struct tick){times[i], refs[i], 0}))
				return 0;
		row += n;
	}
	return 0;
}

int lane_each_tick(const struct lane *ln, uint64_t from, uint64_t to,
		   bool (*each)(void *ctx, const struct tick *t), void *ctx)
{
	struct tick_reader r = {each, ctx, false};
	struct walk_wants wants = {.from = from,
				   .to = to,
				   .kinds = ln->kinds.bits,
				   .n_kinds = ln->kinds.n,
				   .tasks = ln->tasks.bits,
				   .n_tasks = ln->tasks.n};
	bool whole;

	if (ln->spec.type == LANE_OF_FOUND)
		return each_found(ln, from, to, &r);
	if (ln->spec.type == LANE_OF_EVENT && !ln->kinds.bits)
		return 0;
	for (size_t i = 0; i < ln->n_streams && !r.stopped; i++) {
		int e = timeline_walk(ln->owner->tl, ln->streams[i], &wants, read_tick, &r, &whole);

		TRY(e);
	}
	return 0;
}

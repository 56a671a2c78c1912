// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * lane_read.c - the spans and ticks of a lane in a range, wherever they are kept.
 *
 *	rows       an array of spans: binary search
 *	switches   lanes of CPUs: the index's own list, one entry each; a span lasts until the next entry
 *	walk       ticks: found again in the file, sub-buffers without the wanted kinds are skipped
 *	rows of a selection   hits of a search
 *
 * The idle task (pid 0) is no span of a CPU.
 */
#include "timeline/lane_int.h"

#include <errno.h>
#include <stdlib.h>

size_t row_search(const struct lane_row *row, uint64_t t)
{
	size_t low = 0, high = row->n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (span_end(&row->spans[mid]) > t)
			high = mid;
		else
			low = mid + 1;
	}
	return low;
}

size_t lane_search_sample(const struct lane *ln, uint64_t t)
{
	size_t low = 0, high = ln->n_samples;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (ln->samples[mid].ts >= t)
			high = mid;
		else
			low = mid + 1;
	}
	return low;
}

/* --- switches ------------------------------------------------------------------------------------------ */

struct switch_reader {
	const struct lane *ln;
	struct timeline *tl;
	uint64_t from, to;
	bool (*each)(void *ctx, const struct drawn_span *s);
	void *ctx;
	int idle;
	bool has_last, stopped;
	uint64_t first_ts;
	struct switch_entry last;
};

static bool give(struct switch_reader *r, uint64_t start, uint64_t end, uint16_t task,
		 uint8_t flags)
{
	struct drawn_span d = {start, end, task, 0, flags};

	if (task == r->idle || end < start || (end <= r->from && end > start) || start >= r->to)
		return true;
	r->stopped = !r->each(r->ctx, &d);
	return !r->stopped;
}

static bool read_switch(void *ctx, const struct switch_entry *e)
{
	struct switch_reader *r = ctx;
	bool go_on;

	if (!r->has_last) {
		go_on = e->ts <= r->first_ts ||
			/* the very first: nothing stands before it, or it would have been given */
			e->ts < r->from || give(r, r->first_ts, e->ts, e->prev, TILE_OPEN_START);
	} else {
		bool lost = r->last.next != e->prev && e->prev != TIMELINE_NO_TASK &&
			    r->last.next != TIMELINE_NO_TASK;

		go_on = give(r, r->last.ts, e->ts, r->last.next,
			     lost ? TILE_MISSED | TILE_OPEN_END : 0);
	}
	r->last = *e;
	r->has_last = true;
	return go_on && e->ts < r->to;
}

static void each_switch(const struct lane *ln, uint64_t from, uint64_t to,
			bool (*each)(void *ctx, const struct drawn_span *s), void *ctx)
{
	struct timeline *tl = ln->owner->tl;
	struct switch_reader r = {.ln = ln, .tl = tl, .from = from, .to = to};

	r.each = each;
	r.ctx = ctx;
	r.idle = timeline_find_task(tl, ln->spec.machine, 0);
	r.first_ts = timeline_stream(tl, ln->sched_stream)->first;
	timeline_switches(tl, ln->sched_stream, from, TIMELINE_TIME_MAX, read_switch, &r);
	if (r.has_last && !r.stopped && r.last.ts < to)
		give(&r, r.last.ts, timeline_duration(tl), r.last.next, TILE_OPEN_END);
}

/* --- spans ---------------------------------------------------------------------------------------------- */

void lane_each_span(const struct lane *ln, unsigned at, uint64_t from, uint64_t to,
		    bool (*each)(void *ctx, const struct drawn_span *s), void *ctx)
{
	const struct lane_row *row;

	if (ln->sched_stream >= 0) {
		if (at == 0)
			each_switch(ln, from, to, each, ctx);
		return;
	}
	if (at >= ln->n_rows)
		return;
	row = &ln->rows[at];
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
		return 0; /* only counting would tell */
	if (at >= ln->n_rows)
		return 0;
	return row_search(&ln->rows[at], to) - row_search(&ln->rows[at], from) + 1;
}

/* --- ticks ---------------------------------------------------------------------------------------------- */

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

		if (e < 0)
			return e;
	}
	return 0;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * timelinecheck.h - what must hold for the index of any trace, however damaged: times ascend, everything
 * that is counted is found, rows and references fit together. Aborts where it does not.
 */
#ifndef SONDE_TESTS_TIMELINECHECK_H
#define SONDE_TESTS_TIMELINECHECK_H

#include "timeline/timeline.h"

#include <stdlib.h>

#define CHECK_ROWS_MAX 3000

static inline void must(bool holds)
{
	if (!holds)
		abort();
}

struct walk_check {
	struct timeline *tl;
	uint64_t n, last;
	event_ref last_ref;
	uint64_t sum; /* so that all bytes are read */
};

static inline bool walk_check_each(void *ctx, const struct walk_event *ev)
{
	struct walk_check *c = ctx;

	must(ev->ts >= c->last && ev->ts <= timeline_duration(c->tl));
	must(!c->n || event_ref_number(ev->ref) > event_ref_number(c->last_ref));
	must(ev->kind == TIMELINE_NO_KIND || timeline_kind(c->tl, ev->kind));
	must(ev->task == TIMELINE_NO_TASK || timeline_task(c->tl, ev->task));
	for (uint32_t i = 0; i < ev->size; i++)
		c->sum += ev->data[i];
	c->last = ev->ts;
	c->last_ref = ev->ref;
	c->n++;
	return true;
}

static inline bool switch_check_each(void *ctx, const struct switch_entry *e)
{
	uint64_t *last = ctx;

	must(e->ts >= *last);
	*last = e->ts;
	return true;
}

struct turn_check {
	uint64_t last;
	uint16_t running;
	bool is_begun;
};

/* Turns fit together: who comes is who goes. */
static inline bool turn_check_each(void *ctx, const struct switch_entry *e)
{
	struct turn_check *c = ctx;

	must(e->ts >= c->last && (!c->is_begun || e->prev == c->running));
	must(e->prev != e->next || e->prev_state);
	*c = (struct turn_check){e->ts, e->next, true};
	return true;
}

static inline bool waking_check_each(void *ctx, const struct waking_entry *e)
{
	uint64_t *last = ctx;

	must(e->ts >= *last);
	*last = e->ts;
	return true;
}

static inline void check_streams_of(struct timeline *tl)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < timeline_n_streams(tl); i++) {
		struct walk_wants wants = {.to = TIMELINE_TIME_MAX};
		struct walk_check c = {.tl = tl};
		uint64_t switches = 0, wakings = 0, end = timeline_duration(tl);
		struct turn_check turns = {.running = TIMELINE_NO_TASK, .is_begun = true},
				  part = {0};
		float values[20];
		bool whole;

		timeline_walk(tl, i, &wants, walk_check_each, &c, &whole);
		must(whole && c.n == timeline_stream(tl, i)->n_events);
		sum += c.n;
		timeline_switches(tl, i, 0, TIMELINE_TIME_MAX, switch_check_each, &switches);
		timeline_turns(tl, i, 0, TIMELINE_TIME_MAX, turn_check_each, &turns);
		timeline_turns(tl, i, end / 3, end / 2, turn_check_each, &part);
		timeline_wakings(tl, i, 0, TIMELINE_TIME_MAX, waking_check_each, &wakings);
		timeline_density(tl, i, 0, timeline_duration(tl) + 1, values, 20);
		for (int k = 0; k < 20; k++)
			must(values[k] >= 0);
	}
	must(sum == timeline_n_events(tl));
	must(timeline_rank(tl, NULL, TIMELINE_TIME_MAX + 1) == sum);
}

static inline void check_rows_of(struct timeline *tl)
{
	uint64_t n = timeline_n_events(tl), row = 0, last = 0, times[100];
	event_ref refs[100], ref;
	size_t got;

	while (row < CHECK_ROWS_MAX && (got = timeline_rows(tl, NULL, row, refs, times, 100)))
		for (size_t i = 0; i < got; i++, row++) {
			struct walk_one one;

			must(times[i] >= last && !timeline_get(tl, refs[i], &one));
			must(one.ev.ts == times[i]);
			walk_release(&one);
			if (!(row % 17))
				must(timeline_row_of(tl, NULL, refs[i]) == row);
			last = times[i];
		}
	must(row == n || row >= CHECK_ROWS_MAX);
	timeline_step(tl, (uint64_t)n << 20, 1, &ref);
	timeline_step(tl, UINT64_MAX, -1, &ref);
}

static inline void check_timeline(struct timeline *tl)
{
	check_streams_of(tl);
	check_rows_of(tl);
	for (size_t i = 0; i < timeline_n_tasks(tl); i++)
		must(timeline_task(tl, i)->first <= timeline_task(tl, i)->last);
}

#endif

// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * turns.c - finds the task that runs on a CPU, from all streams of that CPU.
 *
 *	file A   bash │ ls    │ bash ┤                     a file ends: unknown
 *	file B                            ├ idle │ dd │
 *	buffer         ├ ls   │ · · │ bash ┤               the same switches again
 *	turns    bash │ ls    │ bash │ · · │ idle │ dd
 *
 * A stream shows the running task by its switches and by the task of every event
 * (timeline_turns()), from its first event on. The task is known until:
 *
 *	the file ends                     the last event of all CPUs of the file: a CPU without
 *	                                  events continues as before
 *	the file is truncated in the CPU  the CPU's last event
 *	the last task on the CPU appears  the CPU's last event: its switch is missing
 *	on another CPU afterwards
 *
 * If several streams have data, the first one counts; where it has none (lost events, before its
 * beginning, after its end), the next stream with data counts. Entries are read some hundred at a
 * time, so memory does not depend on the length of the trace.
 */
#include "timeline/states/turns.h"

#include "base/array.h"
#include "base/scope.h"
#include "decode/taskstate.h"
#include "store/tracefile.h"
#include <errno.h>
#include <stdlib.h>

#define BATCH	    256
#define SOURCES_MAX 64 /* limit of streams of one CPU; more are ignored */

struct turn_source {
	size_t stream;
	uint64_t next_from, until, last; /* last: time of the stream's last event */
	bool is_first, is_done, is_over, is_cut, failed;
	uint16_t running;
	struct switch_entry *entries;
	size_t n, cap, at;
};

struct turn_merge {
	struct timeline *tl;
	uint32_t machine;
	uint64_t from, to;
	struct turn_source sources[SOURCES_MAX];
	size_t n;
	uint16_t running;
	uint64_t since;
};

bool stream_tells_turns(const struct timeline *tl, size_t stream)
{
	uint16_t source = timeline_stream(tl, stream)->source;

	if (timeline_stream_has_switches(tl, stream))
		return true;
	return ARRAY_ANY(timeline_n_streams(tl), i,
			 timeline_stream(tl, i)->source == source &&
				 timeline_stream_has_switches(tl, i));
}

/* --- how far data reaches --------------------------------------------------------------------- */

static const struct tracefile *file_of(const struct timeline *tl, size_t stream)
{
	return timeline_source(tl, timeline_stream(tl, stream)->source)->tf;
}

static uint64_t file_end(const struct timeline *tl, const struct tracefile *tf)
{
	uint64_t end = 0;

	for (size_t i = 0; i < timeline_n_streams(tl); i++)
		if (file_of(tl, i) == tf && timeline_stream(tl, i)->last > end)
			end = timeline_stream(tl, i)->last;
	return end;
}

static bool is_of(const struct timeline *tl, size_t stream, uint32_t machine)
{
	return timeline_source(tl, timeline_stream(tl, stream)->source)->machine == machine &&
	       timeline_stream(tl, stream)->n_events;
}

void machine_cover(const struct timeline *tl, uint32_t machine, uint64_t t, uint64_t *ret_start,
		   uint64_t *ret_end)
{
	uint64_t start = t, end = t;
	bool again = true;

	while (again) {
		again = false;
		for (size_t i = 0; i < timeline_n_streams(tl); i++) {
			uint64_t first = timeline_stream(tl, i)->first, last;

			last = is_of(tl, i, machine) ? file_end(tl, file_of(tl, i)) : 0;
			if (!is_of(tl, i, machine) || first > end || last < start ||
			    (first >= start && last <= end))
				continue;
			start = first < start ? first : start;
			end = last > end ? last : end;
			again = true;
		}
	}
	*ret_start = start;
	*ret_end = end;
}

uint64_t machine_cut_after(const struct timeline *tl, uint32_t machine, uint64_t t)
{
	uint64_t at = UINT64_MAX;

	for (size_t i = 0; i < timeline_n_streams(tl); i++)
		if (is_of(tl, i, machine) && timeline_stream_is_cut(tl, i) &&
		    timeline_stream(tl, i)->last >= t && timeline_stream(tl, i)->last < at)
			at = timeline_stream(tl, i)->last;
	return at;
}

bool machine_lost_within(struct timeline *tl, uint32_t machine, int64_t cpu, uint64_t from,
			 uint64_t to)
{
	for (size_t i = 0; i < timeline_n_streams(tl); i++) {
		const struct timeline_stream *st = timeline_stream(tl, i);

		if (!is_of(tl, i, machine) || (cpu >= 0 && st->cpu != cpu))
			continue;
		if ((timeline_stream_is_cut(tl, i) && to > st->last) ||
		    timeline_lost_within(tl, i, from, to))
			return true;
	}
	return false;
}

/* --- one stream ------------------------------------------------------------------------------- */

static bool keep_entry(void *ctx, const struct switch_entry *e)
{
	struct turn_source *s = ctx;

	if (e->ts < s->next_from && !s->is_first)
		return true;
	/* the next batch begins at a different time */
	if (s->n >= BATCH && e->ts > s->entries[s->n - 1].ts) {
		s->is_done = false;
		return false;
	}
	if (!ARRAY_ROOM(s->entries, s->cap, s->n + 1, ARRAY_NO_MAX)) {
		s->failed = true;
		return false;
	}
	s->entries[s->n++] = *e;
	return true;
}

static void refill(struct turn_merge *m, struct turn_source *s)
{
	s->n = s->at = 0;
	s->is_done = true;
	timeline_turns(m->tl, s->stream, s->next_from, m->to, keep_entry, s);
	s->is_first = false;
	if (s->n)
		s->next_from = s->entries[s->n - 1].ts + 1;
}

/*
 * Returns true if the last task of the stream appears elsewhere later, so that it must have left.
 */
static bool has_left(const struct turn_merge *m, const struct turn_source *s)
{
	const struct timeline_task *t =
		s->running == TIMELINE_NO_TASK ? NULL : timeline_task(m->tl, s->running);

	return t && t->pid && t->last > s->last;
}

/*
 * Returns the time of the stream's next entry, or of its end; UINT64_MAX if there is none up to
 * m->to.
 */
static uint64_t next_time(struct turn_merge *m, struct turn_source *s)
{
	uint64_t until = s->until;

	if (s->at == s->n && !s->is_done)
		refill(m, s);
	if (s->at < s->n)
		return s->entries[s->at].ts;
	if (s->is_over || m->to < s->last || s->running == TIMELINE_NO_TASK)
		return UINT64_MAX;
	if (has_left(m, s))
		until = s->last;
	return until <= m->to ? until : UINT64_MAX;
}

/* --- all of a CPU ----------------------------------------------------------------------------- */

static void add_source(struct turn_merge *m, size_t stream)
{
	const struct timeline_stream *st = timeline_stream(m->tl, stream);
	struct turn_source *s = &m->sources[m->n];
	uint64_t end = file_end(m->tl, file_of(m->tl, stream));

	if (m->n == SOURCES_MAX)
		return;
	*s = (struct turn_source){.stream = stream,
				  .next_from = m->from,
				  .is_first = true,
				  .running = TIMELINE_NO_TASK,
				  .last = st->last};
	s->is_cut = timeline_stream_is_cut(m->tl, stream);
	s->until = s->is_cut ? st->last : end;
	if (s->until >= timeline_duration(m->tl))
		s->until = UINT64_MAX;
	m->n++;
}

static uint16_t who_runs(const struct turn_merge *m)
{
	for (size_t i = 0; i < m->n; i++)
		if (m->sources[i].running != TIMELINE_NO_TASK)
			return m->sources[i].running;
	return TIMELINE_NO_TASK;
}

/* Returns what ends with source s: its CPU, or all data of the machine. */
static enum turn_end end_of(const struct turn_merge *m, const struct turn_source *s)
{
	uint64_t start, end;

	if (s->is_cut)
		return TURN_CPU_ENDS;
	machine_cover(m->tl, m->machine, s->until, &start, &end);
	return end > s->until ? TURN_CPU_ENDS : TURN_FILE_ENDS;
}

/* Takes the next entry of source s. Returns true if it is a turn of the CPU. */
static bool take(struct turn_merge *m, struct turn_source *s, uint64_t ts, struct cpu_turn *ret)
{
	struct switch_entry e = {ts, s->running, TIMELINE_NO_TASK, STATE_UNKNOWN};
	uint8_t end = TURN_GOES_ON;

	if (s->at < s->n) {
		e = s->entries[s->at++];
	} else {
		s->is_over = true;
		end = ts == s->until ? end_of(m, s) : TURN_GOES_ON;
	}
	s->running = e.next;
	*ret = (struct cpu_turn){.ts = ts, .since = m->since, .prev = m->running};
	ret->next = who_runs(m);
	if (e.prev_state != STATE_UNKNOWN && e.next == ret->next &&
	    (e.prev == m->running || (ts < m->from && m->running == TIMELINE_NO_TASK))) {
		ret->prev = e.prev;
		ret->state = e.prev_state;
	} else if (ret->next == m->running) {
		/*
		 * the last turn before from may be the start of a gap, which would otherwise begin
		 * at 0
		 */
		if (ts >= m->from || ret->next != TIMELINE_NO_TASK)
			return false;
	}
	ret->end = ret->next == TIMELINE_NO_TASK ? end : TURN_GOES_ON;
	m->running = ret->next;
	m->since = ts;
	return true;
}

static int merge(struct turn_merge *m, bool (*each)(void *ctx, const struct cpu_turn *t), void *ctx)
{
	for (;;) {
		struct turn_source *next = NULL;
		uint64_t best = UINT64_MAX;
		struct cpu_turn t;

		for (size_t i = 0; i < m->n; i++) {
			uint64_t ts = next_time(m, &m->sources[i]);

			if (m->sources[i].failed)
				return -ENOMEM;
			if (ts < best) {
				best = ts;
				next = &m->sources[i];
			}
		}
		if (!next || best > m->to)
			return 0;
		if (take(m, next, best, &t) && !each(ctx, &t))
			return 0;
	}
}

int cpu_turns(struct timeline *tl, uint32_t machine, uint32_t cpu, uint64_t from, uint64_t to,
	      bool (*each)(void *ctx, const struct cpu_turn *t), void *ctx)
{
	SCOPED(scope_free) struct turn_merge *m = calloc(1, sizeof(*m));
	int r;

	if (!m)
		return -ENOMEM;
	m->tl = tl;
	m->machine = machine;
	m->from = from;
	m->to = to;
	m->running = TIMELINE_NO_TASK;
	for (size_t i = 0; i < timeline_n_streams(tl); i++)
		if (timeline_stream(tl, i)->cpu == cpu &&
		    timeline_source(tl, timeline_stream(tl, i)->source)->machine == machine &&
		    stream_tells_turns(tl, i))
			add_source(m, i);
	r = merge(m, each, ctx);
	for (size_t i = 0; i < m->n; i++)
		free(m->sources[i].entries);
	return r;
}

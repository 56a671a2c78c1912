// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * schedlist.c - stores switches and wakings of a segment, 8 bytes each, and finds the running task
 * of a stream.
 *
 *	block   base: a time           entry   delta:28 ns since the base │ flags:4 │ a:16 │ b:16
 *
 * 28 bits of nanoseconds are 268 ms: a longer gap, or SCHED_BLOCK_MAX entries, begin a new block. A
 * binary search finds entries, first over the blocks, then inside one.
 *
 * Switches may be missing: events are lost, a recorder excludes itself, a file ends. But the
 * common_pid of every event names the task that ran. So the index compares it with the task that
 * should run. Where they differ it stores a gap between the switches: from the last event of one
 * task to the first event of the other, the running task is unknown. It also stores a gap where
 * events were lost, even with the same task on both sides: the gap may last a millisecond or a
 * second.
 *
 *	events      A A A ⇢B B B B   C C ⇢A A A
 *	entries           switch B │gap│seen C  switch A
 *	runs        A A A A B B B B · · C C C C A A A
 *
 * Threads index segments independently, so each segment begins with the task of its first event. If
 * that is not the task at the end of the segment before, there is a gap between the two.
 */
#include "base/array.h"
#include "decode/taskstate.h"
#include "timeline/timeline_int.h"

#define DELTA_MAX ((UINT64_C(1) << SCHED_DELTA_BITS) - 1)

void sched_builder_add(struct sched_builder *sb, const struct sched_item *item)
{
	struct sched_block *block = sb->n_blocks ? &sb->blocks[sb->n_blocks - 1] : NULL;

	if (!block || item->ts - block->base > DELTA_MAX ||
	    sb->n - block->first >= SCHED_BLOCK_MAX) {
		block = &sb->blocks[sb->n_blocks++];
		*block = (struct sched_block){item->ts, sb->n, 0};
	}
	sb->entries[sb->n++] = (item->ts - block->base) << 36 | (uint64_t)(item->flags & 15) << 32 |
			       (uint64_t)item->a << 16 | item->b;
}

/* Returns the block that contains entry i. */
static uint32_t block_of(const struct sched_list *sl, uint32_t i)
{
	size_t n = ARRAY_BISECT(sl->n_blocks, k, sl->blocks[k].first <= i);

	return n ? n - 1 : 0;
}

struct sched_item sched_list_get(const struct sched_list *sl, uint32_t i)
{
	uint64_t e = sl->entries[i];

	return (struct sched_item){.ts = sl->blocks[block_of(sl, i)].base + (e >> 36),
				   .flags = e >> 32 & 15,
				   .a = e >> 16,
				   .b = e};
}

uint32_t sched_list_rank(const struct sched_list *sl, uint64_t t)
{
	uint32_t n, first, end;
	uint64_t base;

	if (!sl->n || sl->blocks[0].base >= t)
		return 0;
	n = ARRAY_BISECT(sl->n_blocks, i, sl->blocks[i].base < t);
	base = sl->blocks[n - 1].base;
	first = sl->blocks[n - 1].first;
	end = n < sl->n_blocks ? sl->blocks[n].first : sl->n;
	return first + ARRAY_BISECT(end - first, i, base + (sl->entries[first + i] >> 36) < t);
}

/* --- reading ---------------------------------------------------------------------------------- */

struct sched_query {
	struct timeline *tl;
	struct stream *st;
	bool wakings, turns;
	uint64_t to;
	uint8_t has; /* kinds of wakings that the machine has, of which the best are used */
	/* Returns false to stop. before is the last entry before the segment. */
	bool (*each)(void *ctx, const struct sched_item *item, const struct sched_item *before);
	void *ctx;
};

static const struct sched_list *list_of(const struct sched_query *q,
					const struct index_segment *seg)
{
	return q->wakings ? &seg->wakings : &seg->switches;
}

static bool is_start(const struct sched_item *item)
{
	return item->flags == SWITCH_START || item->flags == SWITCH_RESTART;
}

/*
 * Returns true if the waking counts. Each waking counts once: a fork has less information than
 * wakeup_new, and so on.
 */
static bool counts(const struct sched_query *q, const struct sched_item *item)
{
	static const uint8_t better[] = {
		[FROM_WAKING] = 0,
		[FROM_WAKEUP] = HAS_WAKING,
		[FROM_FORK] = HAS_WAKEUP_NEW,
		[FROM_NEWTASK] = HAS_WAKEUP_NEW | HAS_FORK,
	};

	if (q->wakings)
		return !(q->has & better[item->flags >> 2]);
	return q->turns || switch_is_real(item->flags);
}

/*
 * Finds the entry to start at: the last one before from. For turns, it must not depend on earlier
 * entries.
 */
static bool find_begin(const struct sched_query *q, uint64_t from, long *segment, uint32_t *entry)
{
	uint64_t t = from;

	for (long s = *segment; s >= 0; s--) {
		const struct index_segment *seg = q->st->segments[s];
		const struct sched_list *sl = list_of(q, seg);

		if (!segment_is_ready(seg))
			return false;
		for (uint32_t i = sched_list_rank(sl, t); i--;) {
			struct sched_item item = sched_list_get(sl, i);

			if (!counts(q, &item) || (q->turns && is_start(&item)))
				continue;
			*segment = s;
			*entry = i;
			return true;
		}
	}
	return false;
}

/* Returns false if each() has stopped. */
static bool query_segment(const struct sched_query *q, const struct index_segment *seg, uint32_t i,
			  const struct sched_item *before)
{
	const struct sched_list *sl = list_of(q, seg);
	uint32_t block = sl->n_blocks ? block_of(sl, i) : 0;

	for (; i < sl->n; i++) {
		uint64_t e = sl->entries[i];
		struct sched_item item;

		while (block + 1 < sl->n_blocks && sl->blocks[block + 1].first <= i)
			block++;
		item = (struct sched_item){.ts = sl->blocks[block].base + (e >> 36),
					   .flags = e >> 32 & 15,
					   .a = e >> 16,
					   .b = e};
		if (counts(q, &item) && !q->each(q->ctx, &item, before))
			return false;
	}
	return true;
}

/*
 * Returns time and task of the last event of the segments before one. flags is 0 if they are not
 * indexed, or have no events.
 */
static struct sched_item event_before(const struct stream *st, long segment)
{
	while (--segment >= 0) {
		const struct index_segment *seg = st->segments[segment];

		if (!segment_is_ready(seg))
			break;
		if (seg->n_events)
			return (struct sched_item){
				.ts = seg->last_ts, .b = seg->tasks[seg->n_events - 1], .flags = 1};
	}
	return (struct sched_item){.b = TIMELINE_NO_TASK};
}

static void query_run(struct sched_query *q, size_t stream, uint64_t from)
{
	uint32_t entry = 0;
	long i, first;

	timeline_enter(q->tl);
	q->st = timeline_find_stream(q->tl, stream);
	i = q->st ? stream_find_segment(q->st, from) : -1;
	if (q->st)
		q->has = atomic_load(&q->tl->machines[q->st->machine].has);
	first = i;
	if (i >= 0 && !find_begin(q, from, &i, &entry) && segment_is_ready(q->st->segments[first]))
		entry = q->turns ? 0 : sched_list_rank(list_of(q, q->st->segments[first]), from);
	for (; i >= 0 && (size_t)i < q->st->n_segments; i++, entry = 0) {
		const struct index_segment *seg = q->st->segments[i];
		struct sched_item before = event_before(q->st, i);
		struct sched_item nothing = {.ts = segment_page_ts(seg, 0),
					     .a = TIMELINE_NO_TASK,
					     .b = TIMELINE_NO_TASK,
					     .flags = SWITCH_RESTART};

		if (!q->turns && nothing.ts > q->to)
			break;
		if (segment_is_ready(seg) ? !query_segment(q, seg, entry, &before)
					  : q->turns && !q->each(q->ctx, &nothing, &before))
			break;
	}
	timeline_leave(q->tl);
}

struct switches_call {
	uint64_t to;
	bool (*each)(void *ctx, const struct switch_entry *e);
	void *ctx;
};

static bool give_switch(void *ctx, const struct sched_item *item, const struct sched_item *before)
{
	const struct switches_call *call = ctx;

	return item->ts <= call->to &&
	       call->each(call->ctx,
			  &(struct switch_entry){item->ts, item->a, item->b, item->flags});
}

void timeline_switches(struct timeline *tl, size_t stream, uint64_t from, uint64_t to,
		       bool (*each)(void *ctx, const struct switch_entry *e), void *ctx)
{
	struct switches_call call = {to, each, ctx};
	struct sched_query q = {.tl = tl, .to = to, .each = give_switch, .ctx = &call};

	query_run(&q, stream, from);
}

struct wakings_call {
	uint64_t to;
	bool (*each)(void *ctx, const struct waking_entry *e);
	void *ctx;
};

static bool give_waking(void *ctx, const struct sched_item *item, const struct sched_item *before)
{
	const struct wakings_call *call = ctx;

	return item->ts <= call->to &&
	       call->each(call->ctx,
			  &(struct waking_entry){item->ts, item->a, item->b, item->flags & 3});
}

void timeline_wakings(struct timeline *tl, size_t stream, uint64_t from, uint64_t to,
		      bool (*each)(void *ctx, const struct waking_entry *e), void *ctx)
{
	struct wakings_call call = {to, each, ctx};
	struct sched_query q = {
		.tl = tl, .wakings = true, .to = to, .each = give_waking, .ctx = &call};

	query_run(&q, stream, from);
}

/* --- the running task ------------------------------------------------------------------------- */

struct turns_call {
	uint64_t from, to;
	bool (*each)(void *ctx, const struct switch_entry *e);
	void *ctx;
	/* leaving: the task before the last switch, until the next entry */
	uint16_t running, leaving;
	uint64_t last_ts;
	struct switch_entry held; /* the last switch before from; its prev is unknown */
	bool has_held, is_begun, stopped;
};

static void turn(struct turns_call *c, uint64_t ts, uint16_t next, uint8_t state)
{
	struct switch_entry e = {ts, c->running, next, state};

	if (c->running == next && state == STATE_UNKNOWN)
		return;
	c->running = next;
	c->last_ts = ts;
	c->is_begun = true;
	if (ts < c->from) {
		c->held = e;
		c->has_held = true;
		return;
	}
	if (c->stopped || ts > c->to)
		return;
	if (c->has_held)
		c->stopped = !c->each(c->ctx, &c->held);
	c->has_held = false;
	if (!c->stopped)
		c->stopped = !c->each(c->ctx, &e);
}

/* Notes that `task` runs from ts on. The task before it ran until `until`. */
static void turn_to(struct turns_call *c, uint64_t ts, uint16_t task, uint64_t until)
{
	if (c->running == task)
		return;
	if (c->running != TIMELINE_NO_TASK)
		turn(c, until > c->last_ts ? until : c->last_ts, TIMELINE_NO_TASK, STATE_UNKNOWN);
	turn(c, ts, task, STATE_UNKNOWN);
}

/* Handles the start of a segment. */
static void turn_start(struct turns_call *c, const struct sched_item *item,
		       const struct sched_item *before)
{
	bool is_lost = item->flags == SWITCH_RESTART || !before->flags;

	/* these are still events of the task that left: see note_other() in segment.c */
	if (!is_lost && item->b == c->leaving && before->b == c->leaving &&
	    item->ts - c->last_ts < LEAVING_NS)
		return;
	if (is_lost && c->running != TIMELINE_NO_TASK)
		turn(c, before->ts > c->last_ts ? before->ts : c->last_ts, TIMELINE_NO_TASK,
		     STATE_UNKNOWN);
	turn_to(c, item->ts, item->b, before->ts);
	c->leaving = TIMELINE_NO_TASK;
}

static bool take_turn(void *ctx, const struct sched_item *item, const struct sched_item *before)
{
	struct turns_call *c = ctx;

	if (is_start(item)) {
		turn_start(c, item, before);
		return !c->stopped && item->ts <= c->to;
	}
	/* this is the first entry */
	if (!c->is_begun && item->ts < c->from)
		c->running = item->a;
	if (item->flags == SWITCH_GAP) {
		/* not if the task was already leaving when the segment began */
		if (item->a == c->running)
			turn(c, item->ts, TIMELINE_NO_TASK, STATE_UNKNOWN);
	} else if (item->flags == SWITCH_SEEN) {
		turn_to(c, item->ts, item->b, c->last_ts);
	} else {
		/* the switch to the task that leaves may be missing */
		turn_to(c, item->ts, item->a, c->last_ts);
		turn(c, item->ts, item->b, item->flags);
		c->leaving = item->a;
		return !c->stopped && item->ts <= c->to;
	}
	c->leaving = TIMELINE_NO_TASK;
	return !c->stopped && item->ts <= c->to;
}

void timeline_turns(struct timeline *tl, size_t stream, uint64_t from, uint64_t to,
		    bool (*each)(void *ctx, const struct switch_entry *e), void *ctx)
{
	struct turns_call call = {.from = from,
				  .to = to,
				  .each = each,
				  .ctx = ctx,
				  .running = TIMELINE_NO_TASK,
				  .leaving = TIMELINE_NO_TASK};
	struct sched_query q = {.tl = tl, .turns = true, .to = to, .each = take_turn, .ctx = &call};

	query_run(&q, stream, from);
	if (call.has_held && !call.stopped)
		each(ctx, &call.held);
}

bool timeline_stream_is_cut(const struct timeline *tl, size_t stream)
{
	const struct stream *st = timeline_find_stream(tl, stream);

	return st && st->is_cut;
}

bool timeline_stream_has_switches(const struct timeline *tl, size_t stream)
{
	const struct stream *st = timeline_find_stream(tl, stream);

	return st && atomic_load(&st->has_switches);
}

bool timeline_has_sched(const struct timeline *tl, uint32_t machine)
{
	for (size_t i = 0; i < tl->n_machines; i++)
		if (tl->machines[i].number == machine)
			return atomic_load(&tl->machines[i].has) & HAS_SWITCH;
	return false;
}

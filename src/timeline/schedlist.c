// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * schedlist.c - switches and wakings of a segment, 8 bytes each.
 *
 *	block   base: a time           entry   delta:28 ns since the base │ flags:4 │ a:16 │ b:16
 *
 * 28 bits of nanoseconds are 268 ms: a longer gap, or SCHED_BLOCK_MAX entries, begin a new block.
 * Entries are found by bisection, first over the blocks, then inside one.
 */
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

/* The block that has entry i. */
static uint32_t block_of(const struct sched_list *sl, uint32_t i)
{
	uint32_t low = 0, high = sl->n_blocks;

	while (high - low > 1) {
		uint32_t mid = low + (high - low) / 2;

		if (sl->blocks[mid].first <= i)
			low = mid;
		else
			high = mid;
	}
	return low;
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
	uint32_t low = 0, high = sl->n_blocks, block;
	uint64_t base;

	if (!sl->n || sl->blocks[0].base >= t)
		return 0;
	while (high - low > 1) {
		uint32_t mid = low + (high - low) / 2;

		if (sl->blocks[mid].base < t)
			low = mid;
		else
			high = mid;
	}
	block = low;
	base = sl->blocks[block].base;
	low = sl->blocks[block].first;
	high = block + 1 < sl->n_blocks ? sl->blocks[block + 1].first : sl->n;
	while (low < high) {
		uint32_t mid = low + (high - low) / 2;

		if (base + (sl->entries[mid] >> 36) < t)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* --- reading ----------------------------------------------------------------------------------- */

struct sched_query {
	struct timeline *tl;
	struct stream *st;
	bool wakings;
	uint8_t has; /* of the machine: which origins of wakings count */
	bool (*each)(void *ctx, const struct sched_item *item);
	void *ctx;
};

static const struct sched_list *list_of(const struct sched_query *q,
					const struct index_segment *seg)
{
	return q->wakings ? &seg->wakings : &seg->switches;
}

/* A fork tells less than wakeup_new, and so on: each waking only once. */
static bool counts(const struct sched_query *q, const struct sched_item *item)
{
	static const uint8_t better[] = {
		[FROM_WAKING] = 0,
		[FROM_WAKEUP] = HAS_WAKING,
		[FROM_FORK] = HAS_WAKEUP_NEW,
		[FROM_NEWTASK] = HAS_WAKEUP_NEW | HAS_FORK,
	};

	return !q->wakings || !(q->has & better[item->flags >> 2]);
}

static bool last_before(const struct sched_query *q, long segment, uint64_t from,
			struct sched_item *ret)
{
	for (; segment >= 0; segment--) {
		const struct index_segment *seg = q->st->segments[segment];
		const struct sched_list *sl = list_of(q, seg);

		if (!segment_is_ready(seg))
			return false;
		for (uint32_t i = sched_list_rank(sl, from); i--;) {
			*ret = sched_list_get(sl, i);
			if (counts(q, ret))
				return true;
		}
	}
	return false;
}

/* false: each wants no more */
static bool query_segment(const struct sched_query *q, const struct index_segment *seg,
			  uint64_t from, uint64_t to)
{
	const struct sched_list *sl = list_of(q, seg);
	uint32_t i = sched_list_rank(sl, from), block = sl->n_blocks ? block_of(sl, i) : 0;

	for (; i < sl->n; i++) {
		uint64_t e = sl->entries[i];
		struct sched_item item;

		while (block + 1 < sl->n_blocks && sl->blocks[block + 1].first <= i)
			block++;
		item = (struct sched_item){.ts = sl->blocks[block].base + (e >> 36),
					   .flags = e >> 32 & 15,
					   .a = e >> 16,
					   .b = e};
		if (item.ts > to)
			return false;
		if (counts(q, &item) && !q->each(q->ctx, &item))
			return false;
	}
	return true;
}

static void query_run(struct sched_query *q, size_t stream, uint64_t from, uint64_t to)
{
	struct sched_item item;
	long i;

	timeline_enter(q->tl);
	q->st = timeline_find_stream(q->tl, stream);
	i = q->st ? stream_find_segment(q->st, from) : -1;
	if (q->st)
		q->has = atomic_load(&q->tl->machines[q->st->machine].has);
	if (i >= 0 && last_before(q, i, from, &item) && !q->each(q->ctx, &item))
		i = -1;
	for (; i >= 0 && (size_t)i < q->st->n_segments; i++) {
		const struct index_segment *seg = q->st->segments[i];

		if (segment_page_ts(seg, 0) > to)
			break;
		if (segment_is_ready(seg) && !query_segment(q, seg, from, to))
			break;
	}
	timeline_leave(q->tl);
}

struct switches_call {
	bool (*each)(void *ctx, const struct switch_entry *e);
	void *ctx;
};

static bool give_switch(void *ctx, const struct sched_item *item)
{
	const struct switches_call *call = ctx;

	return call->each(call->ctx,
			  &(struct switch_entry){item->ts, item->a, item->b, item->flags});
}

void timeline_switches(struct timeline *tl, size_t stream, uint64_t from, uint64_t to,
		       bool (*each)(void *ctx, const struct switch_entry *e), void *ctx)
{
	struct switches_call call = {each, ctx};
	struct sched_query q = {.tl = tl, .each = give_switch, .ctx = &call};

	query_run(&q, stream, from, to);
}

struct wakings_call {
	bool (*each)(void *ctx, const struct waking_entry *e);
	void *ctx;
};

static bool give_waking(void *ctx, const struct sched_item *item)
{
	const struct wakings_call *call = ctx;

	return call->each(call->ctx,
			  &(struct waking_entry){item->ts, item->a, item->b, item->flags & 3});
}

void timeline_wakings(struct timeline *tl, size_t stream, uint64_t from, uint64_t to,
		      bool (*each)(void *ctx, const struct waking_entry *e), void *ctx)
{
	struct wakings_call call = {each, ctx};
	struct sched_query q = {.tl = tl, .wakings = true, .each = give_waking, .ctx = &call};

	query_run(&q, stream, from, to);
}

bool timeline_has_sched(const struct timeline *tl, uint32_t machine)
{
	for (size_t i = 0; i < tl->n_machines; i++)
		if (tl->machines[i].number == machine)
			return atomic_load(&tl->machines[i].has) & HAS_SWITCH;
	return false;
}

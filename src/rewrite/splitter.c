// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * splitter.c - selects the events of a piece and packs them into new sub-buffers.
 *
 * Every CPU of every kept buffer is a stream with a cursor at the first event that is in no piece
 * yet. For each stream a piece ends at a time, after a number of events, or after a number of
 * sub-buffers. Packing walks the cursor to that end, so the next piece begins where this one ended
 * and no event is lost or written twice.
 *
 *	piece by time     the end is known: first event (or the given start) + amount
 *	events, per CPU   the number is known
 *	pages             ends when that many sub-buffers are full
 *	events, merged    the number of events of each CPU is known only after walking all CPUs in
 *	                  time order; a second set of cursors ("scouts") does this first
 *
 * Each sub-buffer is filled completely, so it contains at least as much as one of the kernel. A new
 * sub-buffer begins where events were lost, because its header reports the loss. All buffers are
 * split together: a piece covers the same time in each of them.
 *
 * Pieces are chosen by the times that report shows; stored times do not change.
 */
#include "rewrite/splitter.h"

#include "base/array.h"
#include "decode/timeconv.h"
#include "decode/walker.h"
#include "format/bytes.h"
#include "store/pagebuilder.h"
#include "store/pagestream.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct cursor {
	struct pagestream *ps;
	struct page page;
	struct walker w;
	struct walked rec;
	uint64_t ts;	/* time of rec, as shown */
	int64_t missed; /* events missed before rec */
	bool live;
};

struct stream {
	const struct tracefile_buffer *buffer;
	const struct timeconv *time;
	size_t cpu;   /* index of the CPU in the buffer */
	size_t order; /* rank over all buffers, for equal times */
	struct cursor packer, scout;
	uint64_t end_ts, left; /* end of the piece: last time, number of events */
};

struct kept {
	const struct tracefile_buffer *buffer;
	struct timeconv time;
	struct stream *streams;
	size_t n_streams, next; /* next: index of the stream to pack next */
	struct pagebuilder builder;
	uint64_t pages_left;
	bool in_stream; /* streams[next] has begun */
	struct splitter *splitter;
};

struct splitter {
	struct tracefile *tf;
	struct unpacker *unpacker;
	struct split_rule rule;
	struct page_layout layout;
	struct kept **kept;
	size_t n_kept, cap_kept;
	struct stream **heap; /* heap of streams by the scouts' times */
	size_t n_heap;
	bool is_first; /* no piece was planned yet */
	uint64_t n_events;
	int error; /* reason why a stream could not be read further */
};

/* --- cursors ---------------------------------------------------------------------------------- */

static void add_missed(struct cursor *c, int64_t missed)
{
	c->missed = c->missed < 0 || missed < 0 ? WALKER_MISSED_UNKNOWN : c->missed + missed;
}

static void note_damage(struct splitter *s, const struct stream *st, const struct cursor *c)
{
	if (c->w.damaged)
		tracefile_add_damage(
			s->tf,
			"%s: a sub-buffer of CPU %u at byte %llu is truncated or damaged; some "
			"of its events are missing",
			s->tf->path, st->buffer->cpus[st->cpu].cpu,
			(unsigned long long)pagestream_offset(c->ps, &c->page));
}

static void cursor_next(struct splitter *s, struct stream *st, struct cursor *c)
{
	c->missed = 0;
	while (!walker_next(&c->w, &c->rec)) {
		if (c->w.start)
			note_damage(s, st, c);
		do {
			int r = pagestream_next(c->ps, &c->page);

			if (r <= 0) {
				c->live = false;
				s->error = r < 0 ? r : s->error;
				return;
			}
		} while (!walker_start(&c->w, c->page.data, c->page.len, &s->layout));
		add_missed(c, c->w.missed);
	}
	c->ts = timeconv(st->time, c->rec.ts, st->buffer->cpus[st->cpu].cpu);
}

static int cursor_init(struct splitter *s, struct stream *st, struct cursor *c)
{
	c->ps = pagestream_new(s->tf, st->buffer, st->cpu, s->unpacker);
	c->live = true;
	return c->ps ? 0 : -ENOMEM;
}

/* Skips events before the first selected one. Events lost before it count for the piece, too. */
static void cursor_start(struct splitter *s, struct stream *st, struct cursor *c)
{
	while (c->live && s->rule.has_from && c->ts < s->rule.from)
		cursor_next(s, st, c);
}

/* --- the scouts, in time order ---------------------------------------------------------------- */

static bool earlier(const struct stream *a, const struct stream *b)
{
	return a->scout.ts < b->scout.ts || (a->scout.ts == b->scout.ts && a->order < b->order);
}

static void heap_sift(struct splitter *s, size_t i)
{
	struct stream *st = s->heap[i];

	for (;;) {
		size_t child = 2 * i + 1;

		if (child >= s->n_heap)
			break;
		if (child + 1 < s->n_heap && earlier(s->heap[child + 1], s->heap[child]))
			child++;
		if (!earlier(s->heap[child], st))
			break;
		s->heap[i] = s->heap[child];
		i = child;
	}
	s->heap[i] = st;
}

static bool needs_scouts(const struct splitter *s)
{
	return s->rule.unit == SPLIT_EVENTS && !s->rule.per_cpu;
}

/* Counts how many events of the piece each stream contributes. */
static void plan_merged(struct splitter *s)
{
	for (uint64_t n = 0; n < s->rule.amount && s->n_heap; n++) {
		struct stream *st = s->heap[0];

		if (st->scout.ts > s->rule.to)
			break;
		st->left++;
		cursor_next(s, st, &st->scout);
		if (!st->scout.live)
			s->heap[0] = s->heap[--s->n_heap];
		if (s->n_heap)
			heap_sift(s, 0);
	}
}

/* --- planning --------------------------------------------------------------------------------- */

static bool wanted(const struct splitter *s, const struct cursor *c)
{
	return c->live && c->ts <= s->rule.to;
}

bool splitter_more(const struct splitter *s)
{
	for (size_t k = 0; k < s->n_kept; k++)
		for (size_t i = 0; i < s->kept[k]->n_streams; i++)
			if (wanted(s, &s->kept[k]->streams[i].packer))
				return true;
	return false;
}

static uint64_t first_ts(const struct splitter *s)
{
	uint64_t first = UINT64_MAX;

	for (size_t k = 0; k < s->n_kept; k++)
		for (size_t i = 0; i < s->kept[k]->n_streams; i++) {
			const struct cursor *c = &s->kept[k]->streams[i].packer;

			if (c->live && c->ts < first)
				first = c->ts;
		}
	return first;
}

static uint64_t end_of(const struct splitter *s, uint64_t start)
{
	uint64_t end = start > UINT64_MAX - s->rule.amount ? UINT64_MAX : start + s->rule.amount;

	return end < s->rule.to ? end : s->rule.to;
}

static void plan_stream(struct splitter *s, struct stream *st, uint64_t start)
{
	st->end_ts = s->rule.to;
	st->left = UINT64_MAX;
	if (s->rule.unit == SPLIT_TIME) {
		if (s->rule.per_cpu && !(s->is_first && s->rule.has_from))
			start = st->packer.ts;
		st->end_ts = end_of(s, start);
	} else if (s->rule.unit == SPLIT_EVENTS) {
		st->left = s->rule.per_cpu ? s->rule.amount : 0;
	}
}

int splitter_plan(struct splitter *s)
{
	uint64_t start = s->is_first && s->rule.has_from ? s->rule.from : first_ts(s);

	for (size_t k = 0; k < s->n_kept; k++) {
		struct kept *kept = s->kept[k];

		for (size_t i = 0; i < kept->n_streams; i++)
			plan_stream(s, &kept->streams[i], start);
		kept->next = 0;
		kept->in_stream = false;
	}
	if (needs_scouts(s))
		plan_merged(s);
	s->is_first = false;
	s->n_events = 0;
	return s->error;
}

/* --- packing ---------------------------------------------------------------------------------- */

/* Fills one sub-buffer. Returns false if the stream has no event left for this piece. */
static bool pack_page(struct splitter *s, struct kept *kept, struct stream *st)
{
	struct cursor *c = &st->packer;
	bool begun = false;

	while (c->live && st->left && c->ts <= st->end_ts) {
		if (!begun)
			pagebuilder_begin(&kept->builder, c->rec.ts, c->missed);
		else if (c->missed)
			break;
		if (!pagebuilder_add(&kept->builder, c->rec.ts, c->rec.data, c->rec.size) && begun)
			break;
		begun = true;
		st->left--;
		s->n_events++;
		cursor_next(s, st, c);
	}
	return begun;
}

static int next_page(void *ctx, uint32_t *ret_cpu, struct piece *ret_page)
{
	struct kept *kept = ctx;
	struct splitter *s = kept->splitter;

	for (; kept->next < kept->n_streams; kept->next++) {
		struct stream *st = &kept->streams[kept->next];

		if (!kept->in_stream)
			kept->pages_left =
				s->rule.unit == SPLIT_PAGES ? s->rule.amount : UINT64_MAX;
		kept->in_stream = true;
		if (kept->pages_left && pack_page(s, kept, st)) {
			kept->pages_left--;
			*ret_cpu = st->buffer->cpus[st->cpu].cpu;
			*ret_page = pagebuilder_end(&kept->builder);
			return 1;
		}
		kept->in_stream = false;
	}
	return s->error;
}

struct writer_source splitter_source(struct splitter *s, size_t buffer)
{
	return (struct writer_source){s->kept[buffer], next_page};
}

uint64_t splitter_n_events(const struct splitter *s)
{
	return s->n_events;
}

/* --- life ------------------------------------------------------------------------------------- */

struct splitter *splitter_new(struct tracefile *tf, const struct split_rule *rule,
			      struct unpacker *unpacker)
{
	struct splitter *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->tf = tf;
	s->rule = *rule;
	s->unpacker = unpacker;
	s->is_first = true;
	s->layout = (struct page_layout){tf->swap, tf->big_endian, tf->long_size, tf->data_offset};
	return s;
}

int splitter_keep(struct splitter *s, const struct tracefile_buffer *buffer)
{
	struct kept *k;

	if (!ARRAY_ROOM(s->kept, s->cap_kept, s->n_kept + 1, ARRAY_NO_MAX))
		return -ENOMEM;
	k = calloc(1, sizeof(*k));
	if (!k)
		return -ENOMEM;
	s->kept[s->n_kept++] = k;
	k->splitter = s;
	k->buffer = buffer;
	k->builder = (struct pagebuilder){.swap = s->tf->swap,
					  .big_endian = s->tf->big_endian,
					  .long_size = s->tf->long_size,
					  .data_offset = s->tf->data_offset,
					  .page_size = buffer->page_size};
	timeconv_init(&k->time, s->tf, buffer->clock, &(struct timeconv_config){0});
	k->streams = calloc(buffer->n_cpus + 1, sizeof(*k->streams));
	if (!k->streams || pagebuilder_init(&k->builder) < 0)
		return -ENOMEM;
	for (size_t i = 0; i < buffer->n_cpus; i++) {
		if (s->rule.one_cpu && buffer->cpus[i].cpu != s->rule.cpu)
			continue;
		k->streams[k->n_streams++] =
			(struct stream){.buffer = buffer, .time = &k->time, .cpu = i};
	}
	return 0;
}

static int start_scouts(struct splitter *s)
{
	size_t n = 0, order = 0;

	for (size_t k = 0; k < s->n_kept; k++)
		n += s->kept[k]->n_streams;
	s->heap = calloc(n + 1, sizeof(*s->heap));
	if (!s->heap)
		return -ENOMEM;
	for (size_t k = 0; k < s->n_kept; k++)
		for (size_t i = 0; i < s->kept[k]->n_streams; i++) {
			struct stream *st = &s->kept[k]->streams[i];

			st->order = order++;
			if (cursor_init(s, st, &st->scout) < 0)
				return -ENOMEM;
			cursor_next(s, st, &st->scout);
			cursor_start(s, st, &st->scout);
			if (st->scout.live)
				s->heap[s->n_heap++] = st;
		}
	for (size_t i = s->n_heap / 2; i-- > 0;)
		heap_sift(s, i);
	return 0;
}

/* Resolves times that are relative to the first event, now that it is known. */
static void set_range(struct splitter *s)
{
	uint64_t first = first_ts(s);

	if (s->rule.from_first && __builtin_add_overflow(s->rule.from, first, &s->rule.from))
		s->rule.from = UINT64_MAX;
	if (s->rule.to_first && __builtin_add_overflow(s->rule.to, first, &s->rule.to))
		s->rule.to = UINT64_MAX;
}

int splitter_start(struct splitter *s)
{
	for (size_t k = 0; k < s->n_kept; k++)
		for (size_t i = 0; i < s->kept[k]->n_streams; i++) {
			struct stream *st = &s->kept[k]->streams[i];

			if (cursor_init(s, st, &st->packer) < 0)
				return -ENOMEM;
			cursor_next(s, st, &st->packer);
		}
	set_range(s);
	for (size_t k = 0; k < s->n_kept; k++)
		for (size_t i = 0; i < s->kept[k]->n_streams; i++)
			cursor_start(s, &s->kept[k]->streams[i], &s->kept[k]->streams[i].packer);
	if (s->error)
		return s->error;
	return needs_scouts(s) ? start_scouts(s) : 0;
}

void splitter_free(struct splitter *s)
{
	if (!s)
		return;
	for (size_t k = 0; k < s->n_kept; k++) {
		struct kept *kept = s->kept[k];

		for (size_t i = 0; i < kept->n_streams; i++) {
			pagestream_free(kept->streams[i].packer.ps);
			pagestream_free(kept->streams[i].scout.ps);
		}
		pagebuilder_release(&kept->builder);
		free(kept->streams);
		free(kept);
	}
	free(s->kept);
	free(s->heap);
	free(s);
}

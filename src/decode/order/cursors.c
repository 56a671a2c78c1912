// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * cursors.c - finds each CPU's next record, the earliest of them, and whether it is certain to be
 * the earliest.
 *
 * A source (a buffer) has a cursor for every CPU. Up to SCAN_MAX cursors are scanned for the
 * earliest; for more there is a heap.
 *
 * Live traces: a cursor may be dry, that is, its CPU has no data for now. Then the earliest record
 * is shown only if no earlier one can follow from a dry CPU. The round numbers of livepages.c
 * decide this. `before` is the round up to which all dry CPUs have been read: a record that was
 * read in an earlier round is certain, and so are all records up to its time, regardless of their
 * rounds. In a file no cursor is ever dry, and every record has round 0 and so is certain.
 *
 *	before = 3    CPU 0   (2)─────────────(2)   (4)      certain up to the last record of round
 *	                                                     2
 *	              CPU 1      (3)───(3)
 *	              CPU 2   dry, read in round 3
 *
 * A function entry that is folded with its exit needs one more record; sequence.c holds it back.
 */
#include "decode/order/sequence_int.h"

#include "base/array.h"
#include "store/live/livepages.h"

#include <errno.h>
#include <stdlib.h>

#define SCAN_MAX 8

static void note_damage(struct source *src, struct cursor *c)
{
	if (c->w.damaged)
		tracefile_add_damage(
			src->config.tf,
			"%s: a sub-buffer of CPU %u at byte %llu is truncated or damaged; some "
			"of its events are missing",
			src->config.tf->path, c->cpu,
			(unsigned long long)pagestream_offset(c->ps, &c->page));
}

/* Notes that the CPU has no data now, or never will. */
static void cursor_stop(struct sequence *s, struct cursor *c, bool ended)
{
	c->live = false;
	c->ended = ended;
	c->w = (struct walker){0}; /* the sub-buffer no longer belongs to us */
	if (!ended && c->page.round < s->before)
		s->before = c->page.round;
}

/* Moves to the next record. c->live is false if there is none. */
static void cursor_advance(struct sequence *s, struct source *src, struct cursor *c)
{
	c->at_page_start = false;
	while (!walker_next(&c->w, &c->rec)) {
		if (c->w.start)
			note_damage(src, c);
		do {
			int r = pagestream_next(c->ps, &c->page);

			if (r <= 0) {
				cursor_stop(s, c, r != -EAGAIN);
				s->error = r == -ENOMEM ? r : s->error;
				return;
			}
			s->stats.n_bytes += c->page.len;
		} while (!walker_start(&c->w, c->page.data, c->page.len, &src->layout));
		c->page_ts = c->w.ts;
		c->at_page_start = true;
		if (c->w.missed)
			c->missed = c->w.missed;
	}
	c->ts = timeconv(&src->config.time, c->rec.ts, c->cpu);
	s->stats.n_records++;
	if (s->config.n_walked)
		s->config.n_walked[(uint16_t)formats_record_id(src->config.formats, c->rec.data,
							       c->rec.size)]++;
}

void cursors_free(struct source *src)
{
	for (size_t i = 0; i < src->n_cursors; i++)
		pagestream_free(src->cursors[i].ps);
	free(src->cursors);
	free(src->heap);
}

/*
 * Returns the position of a CPU's first sub-buffer. The uncompressed pages of an instance come
 * after those of the top buffer.
 */
static uint64_t find_place(const struct tracefile *tf, const struct tracefile_buffer *b, size_t cpu)
{
	const struct tracefile_buffer *top = &tf->buffers[0];
	uint64_t place = pagestream_place(tf, b, cpu);

	for (size_t i = 0; b->compressed && b != top && i < top->n_cpus; i++) {
		uint64_t n = pagestream_plain_bytes(tf, top, i) + top->page_size - 1;

		place += n - n % top->page_size;
	}
	return place;
}

int cursors_open(struct source *src, struct unpacker *unpacker, bool places)
{
	const struct source_config *config = &src->config;
	const struct tracefile_buffer *b = config->buffer;
	bool is_live = tracefile_livepages(config->tf);

	src->cursors = calloc(b->n_cpus + 1, sizeof(*src->cursors));
	if (!src->cursors)
		return -ENOMEM;
	for (size_t i = 0; i < b->n_cpus; i++) {
		struct cursor *c = &src->cursors[src->n_cursors];

		if (!b->cpus[i].n_bytes && !is_live)
			continue;
		c->ps = pagestream_new(config->tf, b, i, unpacker);
		if (!c->ps)
			return -ENOMEM;
		c->cpu = b->cpus[i].cpu;
		if (places)
			c->place = find_place(config->tf, b, i);
		src->n_cursors++;
	}
	return 0;
}

/*
 * --- the earliest ------------------------------------------------------------------------------
 */

static inline bool earlier(const struct source *src, uint32_t a, uint32_t b)
{
	const struct cursor *x = &src->cursors[a], *y = &src->cursors[b];

	return x->ts < y->ts || (x->ts == y->ts && a < b);
}

static void heap_sift(struct source *src, size_t i)
{
	uint32_t v = src->heap[i];

	for (;;) {
		size_t child = 2 * i + 1;

		if (child >= src->n_heap)
			break;
		if (child + 1 < src->n_heap && earlier(src, src->heap[child + 1], src->heap[child]))
			child++;
		if (!earlier(src, src->heap[child], v))
			break;
		src->heap[i] = src->heap[child];
		i = child;
	}
	src->heap[i] = v;
}

static int heap_build(struct source *src)
{
	src->heap = malloc(src->n_cursors * sizeof(*src->heap));
	if (!src->heap)
		return -ENOMEM;
	for (size_t i = 0; i < src->n_cursors; i++)
		if (src->cursors[i].live)
			src->heap[src->n_heap++] = i;
	for (size_t i = src->n_heap / 2; i-- > 0;)
		heap_sift(src, i);
	return 0;
}

/* Adds a cursor that was dry to the heap. */
static void heap_push(struct source *src, uint32_t v)
{
	size_t i = src->n_heap++;

	for (; i && earlier(src, v, src->heap[(i - 1) / 2]); i = (i - 1) / 2)
		src->heap[i] = src->heap[(i - 1) / 2];
	src->heap[i] = v;
}

struct page_clock {
	const struct source *src;
	const struct cursor *c;
};

static uint64_t page_time(void *ctx, const struct page *page)
{
	const struct page_clock *clock = ctx;
	struct walker w;

	return walker_start(&w, page->data, page->len, &clock->src->layout)
		       ? timeconv(&clock->src->config.time, w.ts, clock->c->cpu)
		       : 0;
}

/*
 * Starts at a part, and moves to the first record that is not before `from`. Returns false if the
 * first record of the part is not: then events may have been lost in empty pages before the part,
 * which count with it.
 */
static bool seek_in(struct sequence *s, struct source *src, struct cursor *c, uint64_t part,
		    uint64_t from)
{
	bool has_passed = false;

	pagestream_seek(c->ps, part);
	c->w = (struct walker){0};
	c->live = true;
	c->ended = false;
	c->missed = 0;
	for (cursor_advance(s, src, c); c->live && c->ts < from; cursor_advance(s, src, c)) {
		c->missed = 0;
		has_passed = true;
	}
	return has_passed;
}

static void cursor_seek(struct sequence *s, struct source *src, struct cursor *c, uint64_t from)
{
	struct page_clock clock = {src, c};
	uint64_t part = from ? pagestream_find_time(c->ps, from, page_time, &clock) : 0;

	while (!seek_in(s, src, c, part, from) && part)
		part--;
}

void cursors_seek(struct sequence *s, struct source *src, uint64_t from)
{
	for (size_t i = 0; i < src->n_cursors; i++)
		cursor_seek(s, src, &src->cursors[i], from);
	src->n_heap = 0;
	for (size_t i = 0; src->heap && i < src->n_cursors; i++)
		if (src->cursors[i].live)
			heap_push(src, i);
}

int cursors_start(struct sequence *s, struct source *src)
{
	for (size_t i = 0; i < src->n_cursors; i++) {
		src->cursors[i].live = true;
		cursor_advance(s, src, &src->cursors[i]);
	}
	return src->n_cursors > SCAN_MAX ? heap_build(src) : 0;
}

void cursors_consume(struct sequence *s, struct source *src, struct cursor *c)
{
	bool is_top = src->heap && src->n_heap && &src->cursors[src->heap[0]] == c;

	c->missed = 0;
	cursor_advance(s, src, c);
	if (!is_top)
		return;
	if (!c->live)
		src->heap[0] = src->heap[--src->n_heap];
	if (src->n_heap)
		heap_sift(src, 0);
}

/*
 * --- what is certain ---------------------------------------------------------------------------
 */

static bool is_certain(const struct sequence *s, const struct cursor *c)
{
	return c->live && c->page.round < s->before;
}

/* Returns true if there is a certain record that is not earlier than that of c. */
bool cursor_find_witness(struct sequence *s, const struct cursor *c)
{
	if (s->witness && is_certain(s, s->witness) && s->witness->ts >= c->ts)
		return true;
	for (size_t i = 0; i < s->n_sources; i++)
		for (size_t k = 0; k < s->sources[i]->n_cursors; k++) {
			struct cursor *w = &s->sources[i]->cursors[k];

			if (is_certain(s, w) && w->ts >= c->ts) {
				s->witness = w;
				return true;
			}
		}
	return false;
}

bool cursors_have_ended(const struct source *src)
{
	return !ARRAY_ANY(src->n_cursors, i, !src->cursors[i].ended);
}

/* Checks all dry cursors again. */
void cursors_refill(struct sequence *s)
{
	s->before = UINT64_MAX;
	for (size_t i = 0; i < s->n_sources; i++) {
		struct source *src = s->sources[i];

		for (size_t k = 0; k < src->n_cursors; k++) {
			struct cursor *c = &src->cursors[k];

			if (c->live || c->ended)
				continue;
			c->live = true;
			cursor_advance(s, src, c);
			if (c->live && src->heap)
				heap_push(src, k);
		}
	}
}

uint64_t sequence_count_rest(struct sequence *s)
{
	uint64_t n = s->held.src != NULL;

	for (size_t i = 0; i < s->n_sources; i++)
		for (size_t k = 0; k < s->sources[i]->n_cursors; k++) {
			struct cursor *c = &s->sources[i]->cursors[k];

			if (!c->live && !c->ended) {
				c->live = true;
				cursor_advance(s, s->sources[i], c);
			}
			for (; c->live; n++)
				cursor_advance(s, s->sources[i], c);
		}
	return n;
}

// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * scan.c - walks the wanted CPUs of all buffers, and merges their records by time.
 *
 *	CPU 0  pagestream ─▶ walker ─▶ next wanted record ─╮
 *	CPU 1  pagestream ─▶ walker ─▶ next wanted record ─┼─ heap ─▶ scan_next()
 *	CPU 2  …                                          ─╯
 *
 * It is decode/order/sequence.h turned around: the caller pulls single records, because SQLite
 * does. And it begins in the middle: with a range of time it searches the first sub-buffer of each
 * CPU by bisection, in some twenty steps. The times of a CPU's sub-buffers ascend; in a damaged
 * file they may not, and then rows of a range can be missing, which the damage reports.
 *
 * The scan stays on a CPU while its records are the earliest, which needs one comparison.
 *
 * The place of a record, its id in all tables, is the file (8 bits), the stream (12), the
 * sub-buffer (28) and the position in words (15): known without reading what comes before.
 */
#include "query/scan.h"

#include "base/scope.h"
#include "decode/timeconv.h"
#include "format/bytes.h"
#include "inputs/sources.h"
#include "store/pagestream.h"

#include <errno.h>
#include <stdlib.h>

#define STOP_EVERY 65536

struct scan_cursor {
	const struct source_config *config;
	struct pagestream *ps;
	struct page page;
	struct walker w;
	struct walked rec;
	struct page_layout layout;
	uint64_t ts;
	uint64_t n_page; /* number of the sub-buffer */
	int64_t missed;
	int id;
	uint32_t cpu, stream;
	uint16_t source, file;
};

/* --- the beginning ---------------------------------------------------------------------------- */

/*
 * The time and number of the first sub-buffer after skipping n. In packed data it is that of the
 * chunk, which may begin before. False: it cannot be read.
 */
static bool page_time(const struct source_config *config, size_t cpu, uint64_t n, uint64_t n_pages,
		      uint64_t *ret_ts)
{
	struct pagestream *ps = pagestream_new(config->tf, config->buffer, cpu, NULL);
	struct page page;
	bool ok = false;

	if (!ps)
		return false;
	pagestream_skip_to_end(ps, n_pages - n);
	if (pagestream_next(ps, &page) > 0 && page.len >= 8) {
		*ret_ts = timeconv(&config->time, bytes_get64(page.data, config->tf->swap),
				   config->buffer->cpus[cpu].cpu);
		ok = true;
	}
	pagestream_free(ps);
	return ok;
}

void scan_skip_to(struct pagestream *ps, const struct source_config *config, size_t cpu,
		  uint64_t from)
{
	uint64_t n_bytes = pagestream_plain_bytes(config->tf, config->buffer, cpu);
	uint64_t n_pages = (n_bytes + config->buffer->page_size - 1) / config->buffer->page_size;
	uint64_t low = 0, high = n_pages, ts;

	if (!from || n_pages < 2)
		return;
	/* all up to low begin before the range, as far as known; all from high on do not */
	while (high - low > 1) {
		uint64_t mid = low + (high - low) / 2;

		if (!page_time(config, cpu, mid, n_pages, &ts))
			return;
		if (ts < from)
			low = mid;
		else
			high = mid;
	}
	if (low)
		pagestream_skip_to_end(ps, n_pages - low);
}

/* --- records ---------------------------------------------------------------------------------- */

static void note_damage(const struct scan_cursor *c)
{
	struct tracefile *tf = c->config->tf;

	tracefile_add_damage(
		tf,
		"%s: a sub-buffer of CPU %u at byte %llu is truncated or damaged; some "
		"of its events are missing",
		tf->path, c->cpu, (unsigned long long)pagestream_offset(c->ps, &c->page));
}

static __attribute__((noinline)) int next_page(struct scan_cursor *c)
{
	int r;

	if (c->w.start && c->w.damaged)
		note_damage(c);
	do {
		r = pagestream_next(c->ps, &c->page);
		if (r <= 0)
			return r == -EAGAIN ? 0 : r;
	} while (!walker_start(&c->w, c->page.data, c->page.len, &c->layout));
	c->n_page = pagestream_position(c->ps) / c->config->buffer->page_size;
	if (c->w.missed)
		c->missed = c->w.missed;
	return 1;
}

static bool is_wanted(const struct scan *s, const struct scan_cursor *c)
{
	const uint8_t *events = s->wants.events ? s->wants.events[c->file] : NULL;

	return !events || ((unsigned)c->id < s->wants.n_ids && events[c->id]);
}

/* Moves to the next wanted record. Returns 1, 0 at the end, or a negative errno. */
static int advance(struct scan *s, struct scan_cursor *c)
{
	const struct formats *f = c->config->formats;

	for (;;) {
		while (!walker_next(&c->w, &c->rec)) {
			int r = next_page(c);

			if (r <= 0)
				return r;
		}
		if (!(++s->n_walked % STOP_EVERY)) {
			s->trace->n_walked += STOP_EVERY;
			if (query_trace_is_stopped(s->trace))
				return -EINTR;
		}
		c->id = formats_record_id(f, c->rec.data, c->rec.size);
		if (!is_wanted(s, c))
			continue;
		c->ts = timeconv(&c->config->time, c->rec.ts, c->cpu);
		if (c->ts > s->wants.to)
			return 0;
		if (c->ts >= s->wants.from)
			return 1;
	}
}

/* --- the heap --------------------------------------------------------------------------------- */

/* Equal times: the earlier source and CPU first, as report does. */
static bool is_earlier(const struct scan_cursor *a, const struct scan_cursor *b)
{
	return a->ts != b->ts ? a->ts < b->ts : a < b;
}

static void sift_down(struct scan *s, size_t at)
{
	struct scan_cursor *moving = s->heap[at];

	for (;;) {
		size_t child = at * 2 + 1;

		if (child >= s->n_heap)
			break;
		if (child + 1 < s->n_heap && is_earlier(s->heap[child + 1], s->heap[child]))
			child++;
		if (!is_earlier(s->heap[child], moving))
			break;
		s->heap[at] = s->heap[child];
		at = child;
	}
	s->heap[at] = moving;
}

static bool wants_cpu(const struct scan *s, uint32_t cpu)
{
	for (size_t i = 0; i < s->wants.n_cpus; i++)
		if (s->wants.cpus[i] == cpu)
			return true;
	return !s->wants.cpus;
}

static int open_cpu(struct scan *s, size_t source, size_t cpu, uint32_t stream)
{
	const struct source_config *config = &s->trace->sources.list[source].config;
	const struct tracefile *tf = config->tf;
	struct scan_cursor *c = &s->cursors[s->n_cursors];
	int r;

	*c = (struct scan_cursor){.config = config,
				  .cpu = config->buffer->cpus[cpu].cpu,
				  .stream = stream,
				  .source = (uint16_t)source,
				  .file = (uint16_t)query_file_of(s->trace, source),
				  .layout = {.swap = tf->swap,
					     .big_endian = tf->big_endian,
					     .long_size = tf->long_size,
					     .data_offset = tf->data_offset}};
	c->ps = pagestream_new(config->tf, config->buffer, cpu,
			       s->wants.from ? NULL : s->trace->unpacker);
	if (!c->ps)
		return -ENOMEM;
	s->n_cursors++;
	scan_skip_to(c->ps, config, cpu, s->wants.from);
	r = advance(s, c);
	if (r > 0)
		s->heap[s->n_heap++] = c;
	return r;
}

int scan_open(struct scan *s, struct query_trace *t, const struct scan_wants *wants)
{
	const struct inputs_sources *src = &t->sources;
	uint32_t stream = 0;
	size_t n = 0;

	*s = (struct scan){.trace = t, .wants = *wants};
	for (size_t i = 0; i < src->n; i++)
		n += src->list[i].config.buffer->n_cpus;
	s->cursors = calloc(n + 1, sizeof(*s->cursors));
	s->heap = calloc(n + 1, sizeof(struct scan_cursor *));
	if (!s->cursors || !s->heap)
		return -ENOMEM;
	for (size_t i = 0; i < src->n; i++)
		for (size_t k = 0; k < src->list[i].config.buffer->n_cpus; k++, stream++)
			if (src->list[i].config.buffer->cpus[k].n_bytes &&
			    wants_cpu(s, src->list[i].config.buffer->cpus[k].cpu))
				TRY(open_cpu(s, i, k, stream));
	for (size_t i = s->n_heap / 2; i-- > 0;)
		sift_down(s, i);
	s->rec.data = NULL;
	return 0;
}

void scan_close(struct scan *s)
{
	for (size_t i = 0; i < s->n_cursors; i++)
		pagestream_free(s->cursors[i].ps);
	free(s->cursors);
	free(s->heap);
	*s = (struct scan){0};
}

/* Shows the record of the earliest cursor. */
static void show(struct scan *s)
{
	const struct scan_cursor *c = s->heap[0];

	s->rec = (struct record){.ts = c->ts,
				 .data = c->rec.data,
				 .size = c->rec.size,
				 .cpu = c->cpu,
				 .source = c->source};
	s->id = c->id;
	s->missed = c->missed;
	s->file = c->file;
	s->place = scan_place(c->file, c->stream, c->n_page, c->rec.data - c->page.data);
}

int scan_next(struct scan *s)
{
	/* the record that the caller has seen stays at its cursor until now: its data is used */
	if (s->rec.data) {
		struct scan_cursor *c = s->heap[0];
		int r;

		c->missed = 0;
		r = advance(s, c);
		if (r < 0)
			return r;
		if (!r)
			s->heap[0] = s->heap[--s->n_heap];
		if (s->n_heap)
			sift_down(s, 0);
	}
	s->rec.data = NULL;
	if (!s->n_heap)
		return 0;
	show(s);
	return 1;
}

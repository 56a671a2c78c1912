// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * taskwalk.c - visits the records of all CPUs, merged by time.
 *
 *	CPU 0  pagestream ─▶ walker ─▶ next wanted record ─╮
 *	CPU 1  pagestream ─▶ walker ─▶ next wanted record ─┼─ heap ─▶ visit
 *	CPU 2  …                                          ─╯
 *
 * The walk stays on a CPU while its records are the earliest, so a record of a busy CPU costs a
 * single comparison with the others. Other threads unpack the chunks of compressed traces in
 * advance.
 *
 * A slice (taskwalk_slice()) begins at the first record of each CPU that is not before its time, and
 * ends when all CPUs have passed its end.
 *
 * Nearly all traces have the layout of this machine (`is_plain`); for them the compiler makes a
 * copy of the loop that tests no byte order and no sizes.
 */
#include "inputs/taskwalk.h"

#include "base/conveyor.h"
#include "base/scope.h"
#include "decode/timeconv.h"
#include "decode/walker.h"
#include "format/bytes.h"
#include "inputs/cpuwalk.h"
#include "store/pagestream.h"
#include "symbols/tasks.h"

#include <errno.h>
#include <stdlib.h>

struct cursor {
	const struct source_config *config;
	struct pagestream *ps;
	struct page page;
	struct walker w;
	struct walked rec;
	uint64_t ts;
	int id;
	uint16_t source;
	uint16_t flags;
	uint32_t cpu;
	struct page_layout layout;
	struct record seen; /* the record to visit; most of its members stay the same */
};

struct taskwalk {
	const struct taskwalk_spec *spec;
	struct inputs_sources *src;
	struct cursor *cursors;
	size_t n_cursors;
	struct cursor **heap; /* the earliest cursor first */
	size_t n_heap;
	uint64_t to; /* the last time of the slice */
	struct unpacker *unpacker;
	int error;
};

/* Is the layout that of this machine, with two bytes for the event and four for the task? */
static bool is_plain(const struct inputs_sources *src)
{
	for (size_t i = 0; i < src->n; i++) {
		const struct formats *f = src->list[i].config.formats;
		const struct tracefile *tf = src->list[i].config.tf;

		if (tf->swap || tf->big_endian || f->swap || f->type.size != 2 || f->pid.size != 4)
			return false;
	}
	return true;
}

static void note_damage(struct tracefile *tf, const struct cursor *c)
{
	if (c->w.damaged)
		tracefile_add_damage(
			tf,
			"%s: a sub-buffer of CPU %u at byte %llu is cut off or damaged; some "
			"of its events are missing",
			tf->path, c->cpu, (unsigned long long)pagestream_offset(c->ps, &c->page));
}

static __attribute__((noinline)) bool next_page(struct taskwalk *w, struct cursor *c)
{
	struct tracefile *tf = c->config->tf;
	int r;

	if (c->w.start)
		note_damage(tf, c);
	do {
		r = pagestream_next(c->ps, &c->page);
		if (r < 0)
			w->error = r;
		if (r <= 0)
			return false;
	} while (!walker_start(&c->w, c->page.data, c->page.len, &c->layout));
	if (c->w.missed)
		c->flags = RECORD_MISSED;
	return true;
}

static inline __attribute__((always_inline)) uint32_t read_common(const struct formats *f,
								  const struct common_field *c,
								  const struct walked *rec,
								  unsigned size, bool is_plain)
{
	const uint8_t *at = rec->data + c->offset;

	if (!is_plain)
		return (uint32_t)bytes_get(at, c->size, f->swap);
	return size == 2 ? bytes_get16(at, false) : bytes_get32(at, false);
}

/* Is the record that was read wanted? */
static inline __attribute__((always_inline)) bool is_wanted(struct taskwalk *w, struct cursor *c,
							    bool is_plain)
{
	const struct taskwalk_spec *spec = w->spec;
	const struct formats *f = c->config->formats;

	c->id = -1;
	if (__builtin_expect(f->type.offset + f->type.size <= c->rec.size, 1))
		c->id = (int)read_common(f, &f->type, &c->rec, 2, is_plain);
	if (((unsigned)c->id >= spec->n_events || !spec->events[c->id]) && !c->flags)
		return false;
	c->ts = timeconv(&c->config->time, c->rec.ts, c->cpu);
	return __builtin_expect(c->ts >= spec->from && c->ts <= spec->to, 1);
}

/* Moves to the next wanted record. Returns false if there is none. */
static inline __attribute__((always_inline)) bool advance(struct taskwalk *w, struct cursor *c,
							  bool is_plain)
{

	for (;;) {
		bool swap = !is_plain && c->w.swap, big = !is_plain && c->w.big_endian;

		while (__builtin_expect(!walker_next_in(&c->w, &c->rec, swap, big), 0))
			if (!next_page(w, c))
				return false;
		if (is_wanted(w, c, is_plain))
			return true;
	}
}

static __attribute__((noinline)) void visit_missed(struct taskwalk *w, struct cursor *c)
{
	struct record_extra extra = {.missed = c->w.missed > 0 ? c->w.missed : 0};

	c->seen.extra = &extra;
	c->seen.flags = c->flags;
	c->flags = 0;
	w->spec->visit(w->spec->ctx, &c->seen);
	c->seen.extra = NULL;
	c->seen.flags = 0;
}

static inline __attribute__((always_inline)) void visit(struct taskwalk *w, struct cursor *c,
							bool is_plain)
{
	const struct source_config *config = c->config;
	struct formats *f = config->formats;
	struct record *rec = &c->seen;
	int pid = 0;

	rec->ts = c->ts;
	rec->data = c->rec.data;
	rec->size = c->rec.size;
	rec->event = formats_find(f, c->id);
	if (__builtin_expect(f->pid.offset + f->pid.size <= rec->size, 1))
		pid = (int)read_common(f, &f->pid, &c->rec, 4, is_plain);
	rec->task = tasks_find(config->tasks, pid);
	if (__builtin_expect(c->flags, 0))
		visit_missed(w, c);
	else
		w->spec->visit(w->spec->ctx, rec);
}

/* Lets the visitor take the records before those of the next cursor. */
static inline void run(struct taskwalk *w, struct cursor *c, const struct cursor *next)
{
	const struct taskwalk_spec *spec = w->spec;
	uint64_t before = next ? next->ts : UINT64_MAX;

	if (spec->to < before)
		before = spec->to;
	if (w->to < before)
		before = w->to;
	if (c->config->time.is_simple)
		spec->run(spec->ctx, &c->w, &c->seen, c->config->time.offset, before);
}

/*
 * --- the heap ----------------------------------------------------------------------------------
 */

/*
 * Returns true if a comes before b. If the times are equal, the earlier source and CPU comes first.
 */
static bool is_earlier(const struct cursor *a, const struct cursor *b)
{
	return a->ts != b->ts ? a->ts < b->ts : a < b;
}

static void sift_down(struct taskwalk *w, size_t at)
{
	struct cursor *moving = w->heap[at];

	for (;;) {
		size_t child = at * 2 + 1;

		if (child >= w->n_heap)
			break;
		if (child + 1 < w->n_heap && is_earlier(w->heap[child + 1], w->heap[child]))
			child++;
		if (!is_earlier(w->heap[child], moving))
			break;
		w->heap[at] = w->heap[child];
		at = child;
	}
	w->heap[at] = moving;
}

/* Returns the second earliest cursor, or NULL if there is only one. */
static const struct cursor *runner_up(const struct taskwalk *w)
{
	if (w->n_heap < 2)
		return NULL;
	return w->n_heap > 2 && is_earlier(w->heap[2], w->heap[1]) ? w->heap[2] : w->heap[1];
}

static inline __attribute__((always_inline)) int merge(struct taskwalk *w, bool is_plain)
{
	static const bool never = false;
	const bool *stop = w->spec->stop ? w->spec->stop : &never;

	for (size_t i = w->n_heap / 2; i-- > 0;)
		sift_down(w, i);
	while (w->n_heap && w->heap[0]->ts <= w->to && !w->error && !*stop) {
		struct cursor *c = w->heap[0];
		const struct cursor *next = runner_up(w);
		bool more;

		do {
			visit(w, c, is_plain);
			if (is_plain && w->spec->run && !w->spec->stop)
				run(w, c, next);
			more = advance(w, c, is_plain);
		} while (more && !*stop && (!next || is_earlier(c, next)) && c->ts <= w->to);
		if (!more)
			w->heap[0] = w->heap[--w->n_heap];
		if (w->n_heap)
			sift_down(w, 0);
	}
	return w->error;
}

/*
 * --- life --------------------------------------------------------------------------------------
 */

static int open_cursors(struct taskwalk *w)
{
	for (size_t s = 0; s < w->src->n; s++) {
		const struct source_config *config = &w->src->list[s].config;
		const struct tracefile *tf = config->tf;

		for (size_t i = 0; i < config->buffer->n_cpus; i++) {
			struct cursor *c = &w->cursors[w->n_cursors++];

			*c = (struct cursor){
				.config = config,
				.source = (uint16_t)s,
				.cpu = config->buffer->cpus[i].cpu,
				.layout = {tf->swap, tf->big_endian, tf->long_size,
					   tf->data_offset},
				.ps = pagestream_new(config->tf, config->buffer, i, w->unpacker)};
			c->seen.cpu = c->cpu;
			c->seen.source = c->source;
			if (!c->ps)
				return -ENOMEM;
		}
	}
	return w->error;
}

bool taskwalk_find_edges(const struct inputs_sources *src, uint64_t *ret_first, uint64_t *ret_last)
{
	uint64_t first = UINT64_MAX, last = 0, ts;
	int id;

	for (size_t s = 0; s < src->n; s++) {
		const struct inputs_source *source = &src->list[s];
		const struct tracefile_buffer *b = source->config.buffer;

		for (size_t i = 0; i < b->n_cpus; i++) {
			if (!cpuwalk_find_edge(source->file, b, i, false, &ts, &id))
				continue;
			ts = timeconv(&source->config.time, ts, b->cpus[i].cpu);
			first = ts < first ? ts : first;
			if (!ret_last || !cpuwalk_find_edge(source->file, b, i, true, &ts, &id))
				continue;
			ts = timeconv(&source->config.time, ts, b->cpus[i].cpu);
			last = ts > last ? ts : last;
		}
	}
	*ret_first = first == UINT64_MAX ? 0 : first;
	if (ret_last)
		*ret_last = last;
	return first != UINT64_MAX;
}

int taskwalk_set_range(struct taskwalk_spec *spec, const struct inputs_sources *src,
		       struct errmsg *err)
{
	uint64_t first;

	spec->from = 0;
	spec->to = UINT64_MAX;
	if (!src->in->spec->from && !src->in->spec->to)
		return 0;
	taskwalk_find_edges(src, &first, NULL);
	return inputs_sources_parse_range(src, first, &spec->from, &spec->to, err);
}

static void release(struct taskwalk *w)
{
	for (size_t i = 0; i < w->n_cursors; i++)
		if (w->cursors[i].ps)
			pagestream_free(w->cursors[i].ps);
	unpacker_free(w->unpacker);
	free(w->cursors);
	free(w->heap);
}

static size_t count_cpus(const struct inputs_sources *src, bool *ret_packed)
{
	size_t n = 0;

	*ret_packed = false;
	for (size_t i = 0; i < src->n; i++) {
		n += src->list[i].config.buffer->n_cpus;
		*ret_packed |= src->list[i].config.buffer->compressed;
	}
	return n;
}

static int init(struct taskwalk *w, struct inputs_sources *src, const struct taskwalk_spec *spec,
		unsigned n_threads)
{
	bool packed;
	size_t n = count_cpus(src, &packed);

	*w = (struct taskwalk){.spec = spec, .src = src, .to = UINT64_MAX};
	w->cursors = calloc(n + 1, sizeof(*w->cursors));
	w->heap = calloc(n + 1, sizeof(struct cursor *));
	if (packed && n_threads > 1)
		w->unpacker = unpacker_new(n_threads - 1, n);
	return w->cursors && w->heap ? open_cursors(w) : -ENOMEM;
}

static int merge_all(struct taskwalk *w)
{
	TRY(w->error);
	return is_plain(w->src) ? merge(w, true) : merge(w, false);
}

int taskwalk(struct inputs_sources *src, const struct taskwalk_spec *spec)
{
	SCOPED(release) struct taskwalk w;

	TRY(init(&w, src, spec, conveyor_default_threads()));
	for (size_t i = 0; i < w.n_cursors; i++)
		if (advance(&w, &w.cursors[i], false))
			w.heap[w.n_heap++] = &w.cursors[i];
	return merge_all(&w);
}

/*
 * --- slices ------------------------------------------------------------------------------------
 */

static uint64_t page_time(void *ctx, const struct page *page)
{
	const struct cursor *c = ctx;
	struct walker w;

	return walker_start(&w, page->data, page->len, &c->layout)
		       ? timeconv(&c->config->time, w.ts, c->cpu)
		       : 0;
}

/*
 * Starts at a part, and reads the first record that is not before `from`. *ret_passed: it is not
 * the first of the part; if it is, events may have been lost in empty pages before the part, which
 * count with it. Returns false if there is no such record.
 */
static bool seek_in(struct taskwalk *w, struct cursor *c, uint64_t part, uint64_t from,
		    bool *ret_passed)
{
	c->w = (struct walker){0};
	c->flags = 0;
	*ret_passed = false;
	pagestream_seek(c->ps, part);
	for (;;) {
		while (!walker_next(&c->w, &c->rec))
			if (!next_page(w, c))
				return false;
		if (timeconv(&c->config->time, c->rec.ts, c->cpu) >= from)
			return true;
		c->flags = 0;
		*ret_passed = true;
	}
}

/* Moves to the first wanted record that is not before `from`. */
static bool seek(struct taskwalk *w, struct cursor *c, uint64_t from)
{
	uint64_t part = from ? pagestream_find_time(c->ps, from, page_time, c) : 0;
	bool has_passed, found;

	do
		found = seek_in(w, c, part, from, &has_passed);
	while (!has_passed && part--);
	return found && (is_wanted(w, c, false) || advance(w, c, false));
}

static void note_places(const struct taskwalk *w, uint64_t *places)
{
	for (size_t i = 0; i < w->n_cursors; i++)
		places[i] = UINT64_MAX;
	for (size_t i = 0; i < w->n_heap; i++) {
		const struct cursor *c = w->heap[i];

		places[c - w->cursors] =
			pagestream_position(c->ps) + (uint64_t)(c->rec.data - c->page.data);
	}
}

struct taskwalk *taskwalk_new(struct inputs_sources *src, const struct taskwalk_spec *spec)
{
	struct taskwalk *w = calloc(1, sizeof(*w));

	if (!w)
		return NULL;
	if (init(w, src, spec, 1) < 0) {
		taskwalk_free(w);
		return NULL;
	}
	return w;
}

void taskwalk_free(struct taskwalk *w)
{
	if (!w)
		return;
	release(w);
	free(w);
}

size_t taskwalk_n_places(const struct taskwalk *w)
{
	for (size_t i = 0; i < w->n_cursors; i++)
		if (!pagestream_can_seek(w->cursors[i].ps))
			return 0;
	return w->n_cursors;
}

int taskwalk_slice(struct taskwalk *w, uint64_t from, uint64_t to, uint64_t *ret_begin,
		   uint64_t *ret_end)
{
	int r;

	w->to = to;
	w->n_heap = 0;
	for (size_t i = 0; i < w->n_cursors; i++)
		if (seek(w, &w->cursors[i], from))
			w->heap[w->n_heap++] = &w->cursors[i];
	note_places(w, ret_begin);
	r = merge_all(w);
	note_places(w, ret_end);
	return r;
}

size_t taskwalk_find_cuts(struct taskwalk *w, uint64_t *ret_times, size_t n)
{
	struct cursor *c = NULL;
	uint64_t n_parts = 0, last = 0;
	size_t n_cuts = 0;

	for (size_t i = 0; i < w->n_cursors; i++)
		if (pagestream_n_parts(w->cursors[i].ps) > n_parts) {
			c = &w->cursors[i];
			n_parts = pagestream_n_parts(c->ps);
		}
	for (size_t i = 1; c && i <= n; i++) {
		uint64_t ts = pagestream_part_time(c->ps, n_parts * i / (n + 1), page_time, c);

		if (ts > last)
			ret_times[n_cuts++] = last = ts;
	}
	return n_cuts;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sequence.c - walks all CPUs of all buffers in time order.
 *
 *	CPU 0  ─ page ─ page ─ …  cursor ─┐
 *	CPU 1  ─ page ─ page ─ …  cursor ─┼─ source: earliest cursor whose record passes the filters
 *	…                                 │            │
 *	                                  │        several sources: the earliest of theirs
 *	                                  ▼
 *	                                batch: records with event, task, and what order decides
 *
 * Ties go to the lowest CPU and the first source. Up to SCAN_MAX cursors the earliest is found by
 * looking at all of them; above that by a heap. A record stays at its cursor until it is batched, so
 * nothing needs to be copied or kept alive before that; from then on the batch holds the chunk.
 *
 * Cost: some 15 ns a record, the only serial part of printing, which takes five times as long. It
 * could be cut into time slices, but then names, indentation and folding would need a pass of their
 * own over everything before the first line could be printed.
 */
#include "decode/sequence.h"
#include "decode/order.h"
#include "decode/walker.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SCAN_MAX	8
#define BATCH_MAX_BYTES (192u << 10) /* of record data, so that text stays in proportion */
#define HELD_MAX_BYTES	(24u << 20)  /* of chunks that only batches hold; then they stay short */
#define PROGRESS_EVERY	16	     /* batches */

struct cursor {
	struct pagestream *ps;
	struct page page;
	struct walker w;
	struct walked rec;
	uint64_t ts; /* of rec, converted */
	uint64_t page_ts;
	uint64_t place; /* of its first sub-buffer, if config.places */
	uint32_t cpu;
	bool live;
	bool at_page_start;
	int64_t missed;	      /* before rec; as in struct walker */
	struct chunk *pinned; /* by batch number pinned_by */
	uint64_t pinned_by;
};

struct source {
	struct source_config config;
	struct page_layout layout;
	struct cursor *cursors; /* ascending by CPU */
	size_t n_cursors;
	uint32_t *heap; /* of indices into cursors; NULL: scan */
	size_t n_heap;
	struct cursor *pending; /* its record passed the filters */
	bool done;
	struct stack_follow *stacks; /* shared by the buffers of a file, as its filters are */
	bool owns_stacks;
};

struct sequence {
	struct sequence_config config;
	struct source **sources;
	size_t n_sources;
	uint8_t *chosen; /* CPUs by bit; NULL: all */
	uint32_t n_chosen;
	struct order_state *order;
	struct sequence_stats stats;
	uint64_t prev_ts;
	uint16_t prev_source;
	bool has_prev;
	uint64_t n_batches;
	float progress;
};

/* --- cursors ----------------------------------------------------------------------------------- */

static void note_damage(struct source *src, struct cursor *c)
{
	if (c->w.damaged)
		tracefile_add_damage(
			src->config.tf,
			"%s: a sub-buffer of CPU %u at byte %llu is cut off or damaged; some "
			"of its events are missing",
			src->config.tf->path, c->cpu,
			(unsigned long long)pagestream_offset(c->ps, &c->page));
}

/* Moves to the next record; c->live is false at the end. */
static void cursor_advance(struct sequence *s, struct source *src, struct cursor *c)
{
	c->at_page_start = false;
	while (!walker_next(&c->w, &c->rec)) {
		if (c->w.start)
			note_damage(src, c);
		do {
			if (pagestream_next(c->ps, &c->page) <= 0) {
				c->live = false;
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
}

static void cursors_free(struct source *src)
{
	for (size_t i = 0; i < src->n_cursors; i++)
		pagestream_free(src->cursors[i].ps);
	free(src->cursors);
	free(src->heap);
}

/* A bit for each CPU of config.cpus. */
static int choose_cpus(struct sequence *s)
{
	for (size_t i = 0; i < s->config.n_cpus; i++)
		if (s->config.cpus[i] >= s->n_chosen)
			s->n_chosen = s->config.cpus[i] + 1;
	s->chosen = calloc(s->n_chosen / 8 + 1, 1);
	for (size_t i = 0; s->chosen && i < s->config.n_cpus; i++)
		s->chosen[s->config.cpus[i] / 8] |= 1 << s->config.cpus[i] % 8;
	return s->chosen ? 0 : -ENOMEM;
}

/* The pages of an instance, unpacked, come behind those of the top buffer. */
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

static int stacks_init(struct sequence *s, struct source *src)
{
	uint32_t n_cpus = 0;

	for (size_t i = 0; i + 1 < s->n_sources; i++)
		if (s->sources[i]->config.tf == src->config.tf) {
			src->stacks = s->sources[i]->stacks;
			return 0;
		}
	for (size_t i = 0; i < src->config.tf->n_buffers; i++)
		if (src->config.tf->buffers[i].max_cpus > n_cpus)
			n_cpus = src->config.tf->buffers[i].max_cpus;
	src->owns_stacks = true;
	src->stacks = calloc(1, sizeof(*src->stacks));
	return src->stacks ? stack_follow_init(src->stacks, src->config.formats, n_cpus) : -ENOMEM;
}

int sequence_add_source(struct sequence *s, const struct source_config *config,
			struct unpacker *unpacker)
{
	const struct tracefile_buffer *b = config->buffer;
	struct source **more = realloc(s->sources, (s->n_sources + 1) * sizeof(*more));
	struct source *src = calloc(1, sizeof(*src));

	if (more)
		s->sources = more;
	if (!more || !src) {
		free(src);
		return -ENOMEM;
	}
	s->sources[s->n_sources++] = src;
	src->config = *config;
	src->layout = (struct page_layout){.swap = config->tf->swap,
					   .big_endian = config->tf->big_endian,
					   .long_size = config->tf->long_size,
					   .data_offset = config->tf->data_offset};
	src->cursors = calloc(b->n_cpus + 1, sizeof(*src->cursors));
	if (!src->cursors)
		return -ENOMEM;
	for (size_t i = 0; i < b->n_cpus; i++) {
		struct cursor *c = &src->cursors[src->n_cursors];

		if (!b->cpus[i].n_bytes)
			continue;
		c->ps = pagestream_new(config->tf, b, i, unpacker);
		if (!c->ps)
			return -ENOMEM;
		c->cpu = b->cpus[i].cpu;
		if (s->config.places)
			c->place = find_place(config->tf, b, i);
		src->n_cursors++;
	}
	return stacks_init(s, src);
}

/* --- the earliest ------------------------------------------------------------------------------ */

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

static inline struct cursor *earliest(struct source *src)
{
	struct cursor *best = NULL;

	if (src->heap)
		return src->n_heap ? &src->cursors[src->heap[0]] : NULL;
	for (size_t i = 0; i < src->n_cursors; i++) {
		struct cursor *c = &src->cursors[i];

		if (c->live && (!best || c->ts < best->ts))
			best = c;
	}
	return best;
}

static void consume(struct sequence *s, struct source *src, struct cursor *c)
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

/* --- records ----------------------------------------------------------------------------------- */

static inline const struct task *find_task(struct source *src, const struct cursor *c)
{
	const struct formats *f = src->config.formats;

	return tasks_find(src->config.tasks, formats_common(f, &f->pid, c->rec.data, c->rec.size));
}

static inline void make_record(struct source *src, const struct cursor *c, struct record *rec)
{
	struct formats *f = src->config.formats;
	int id = formats_record_id(f, c->rec.data, c->rec.size);

	rec->ts = c->ts;
	rec->data = c->rec.data;
	rec->size = c->rec.size;
	rec->cpu = c->cpu;
	rec->event = formats_find(f, id);
	rec->task = src->config.names_first ? find_task(src, c) : NULL;
	rec->extra = NULL;
	rec->flags = 0;
	rec->aux = 0;
}

static bool match_any(struct filter **filters, size_t n, const struct record *rec)
{
	for (size_t i = 0; i < n; i++)
		if (filter_match(filters[i], rec) == FILTER_MATCH)
			return true;
	return false;
}

static bool passes(struct sequence *s, struct source *src, const struct record *rec)
{
	const struct source_config *c = &src->config;
	bool rejected;

	if (s->chosen &&
	    (rec->cpu >= s->n_chosen || !(s->chosen[rec->cpu / 8] >> rec->cpu % 8 & 1)))
		return false;
	if (s->config.no_hardirq || s->config.no_softirq) {
		int flags = formats_common(c->formats, &c->formats->flags, rec->data, rec->size);

		if ((s->config.no_hardirq && flags & SNF_FLAG_HARDIRQ) ||
		    (s->config.no_softirq && flags & SNF_FLAG_SOFTIRQ))
			return false;
	}
	if (!c->n_filters && !c->n_rejects)
		return true;
	if (c->n_filters && !match_any(c->filters, c->n_filters, rec) &&
	    !stack_follow_is_due(src->stacks, rec))
		return false;
	rejected = match_any(c->rejects, c->n_rejects, rec);
	stack_follow_set(src->stacks, rec, !rejected);
	return !rejected;
}

/* Finds the source's next record that passes; it stays at its cursor. */
static bool source_seek(struct sequence *s, struct source *src, struct record *rec)
{
	struct cursor *c;

	while ((c = earliest(src))) {
		if (c->ts > s->config.to)
			break;
		make_record(src, c, rec);
		if (c->ts >= s->config.from && passes(s, src, rec)) {
			src->pending = c;
			return true;
		}
		order_learn_skipped(s->order, src->config.formats, src->config.tasks, rec);
		consume(s, src, c);
	}
	src->done = true;
	return false;
}

static struct record_extra *extra_of(struct batch *b, struct record *rec)
{
	if (!rec->extra) {
		rec->extra = &b->extras[b->n_extras++];
		memset(rec->extra, 0, sizeof(*rec->extra));
	}
	return rec->extra;
}

/* The batch keeps the cursor's chunk until it is filled again. */
static bool pin(const struct sequence *s, struct batch *b, struct cursor *c)
{
	struct chunk **more;

	if (!c->page.chunk || (c->pinned == c->page.chunk && c->pinned_by == s->n_batches))
		return true;
	if (b->n_chunks == b->cap_chunks) {
		size_t cap = b->cap_chunks ? b->cap_chunks * 2 : 64;

		more = realloc(b->chunks, cap * sizeof(*more));
		if (!more)
			return false;
		b->chunks = more;
		b->cap_chunks = cap;
	}
	b->chunks[b->n_chunks++] = c->pinned = chunk_get(c->page.chunk);
	c->pinned_by = s->n_batches;
	return true;
}

static void add_places(struct batch *b, const struct cursor *c, struct record *rec)
{
	struct record_extra *x = extra_of(b, rec);

	if (c->at_page_start)
		rec->flags |= RECORD_PAGE_START;
	x->page = c->page.data;
	x->page_len = c->page.len;
	x->page_ts = c->page_ts;
	x->file_offset = c->place + pagestream_position(c->ps);
	x->delta = c->rec.delta;
	x->page_pos = c->rec.data - c->page.data - c->rec.header_bytes;
}

/* An entry whose exit comes next, whoever else is traced, is shown with it on one line. */
static void fold_exit(struct sequence *s, struct source *src, struct batch *b, struct record *rec)
{
	struct cursor *c = earliest(src);
	struct record_extra *x;

	if (!c || !order_is_exit_of(src->config.formats, rec, c->rec.data, c->rec.size) ||
	    !pin(s, b, c))
		return;
	x = extra_of(b, rec);
	x->pair = c->rec.data;
	x->pair_size = c->rec.size;
	rec->flags |= RECORD_PAIR;
	consume(s, src, c);
}

static bool take_record(struct sequence *s, struct source *src, struct batch *b, struct record *rec)
{
	struct cursor *c = src->pending;
	uint64_t latency;

	if (!pin(s, b, c))
		return false;
	rec->task = find_task(src, c);
	if (c->missed) {
		rec->flags |= RECORD_MISSED;
		extra_of(b, rec)->missed = c->missed;
	}
	if (s->config.places)
		add_places(b, c, rec);
	if (s->config.wakeup && order_wakeup(s->order, src->config.formats, rec, &latency)) {
		rec->flags |= RECORD_LATENCY;
		extra_of(b, rec)->latency = latency;
	}
	src->pending = NULL;
	consume(s, src, c);
	if (rec->event && rec->event->role &&
	    order_apply(s->order, src->config.formats, src->config.tasks, rec))
		fold_exit(s, src, b, rec);
	b->n_bytes += rec->size;
	b->n++;
	s->prev_ts = rec->ts;
	s->prev_source = rec->source;
	s->has_prev = true;
	return true;
}

/* --- batches ----------------------------------------------------------------------------------- */

static void batch_drop_chunks(struct batch *b)
{
	while (b->n_chunks)
		chunk_put(b->chunks[--b->n_chunks]);
}

int batch_init(struct batch *b)
{
	memset(b, 0, sizeof(*b));
	b->records = malloc(BATCH_RECORDS * sizeof(*b->records));
	b->extras = malloc(BATCH_RECORDS * sizeof(*b->extras));
	if (b->records && b->extras)
		return 0;
	batch_release(b);
	return -ENOMEM;
}

void batch_release(struct batch *b)
{
	batch_drop_chunks(b);
	free(b->chunks);
	free(b->records);
	free(b->extras);
	memset(b, 0, sizeof(*b));
}

static float progress(const struct sequence *s)
{
	uint64_t done = 0, all = 0, total;

	for (size_t i = 0; i < s->n_sources; i++)
		for (size_t k = 0; k < s->sources[i]->n_cursors; k++) {
			done += pagestream_progress(s->sources[i]->cursors[k].ps, &total);
			all += total;
		}
	return all ? (float)done / (float)all : 1;
}

static void batch_begin(struct sequence *s, struct batch *b)
{
	batch_drop_chunks(b);
	b->n = b->n_extras = 0;
	b->n_bytes = 0;
	b->prev_ts = s->prev_ts;
	b->prev_source = s->prev_source;
	b->has_prev = s->has_prev;
	s->n_batches++; /* no cursor's chunk is pinned by this one */
}

/* Of several sources the one whose next record is the earliest. */
static struct source *earliest_source(struct sequence *s, struct record *rec)
{
	struct source *best = NULL;
	struct record dummy;
	size_t best_i = 0;

	for (size_t i = 0; i < s->n_sources; i++) {
		struct source *src = s->sources[i];

		if (src->done || (!src->pending && !source_seek(s, src, &dummy)))
			continue;
		if (!best || src->pending->ts < best->pending->ts) {
			best = src;
			best_i = i;
		}
	}
	if (best) {
		/* names may have been learned since it was looked at */
		make_record(best, best->pending, rec);
		rec->source = best_i;
	}
	return best;
}

int sequence_fill(struct sequence *s, struct batch *b)
{
	size_t n_chunks = 0;

	batch_begin(s, b);
	if (s->config.stop && s->config.stop(s->config.stop_ctx))
		return 0;
	while (b->n < BATCH_RECORDS && b->n_bytes < BATCH_MAX_BYTES) {
		struct record *rec = &b->records[b->n];
		struct source *src;

		if (s->n_sources == 1) {
			src = s->sources[0];
			if (src->done || !source_seek(s, src, rec))
				break;
			rec->source = 0;
		} else {
			src = earliest_source(s, rec);
		}
		if (!src)
			break;
		if (!take_record(s, src, b, rec))
			return -ENOMEM;
		if (b->n_chunks > n_chunks && chunks_held_bytes(src->config.tf) > HELD_MAX_BYTES)
			break;
		n_chunks = b->n_chunks;
	}
	s->stats.n_batched += b->n;
	if (s->n_batches % PROGRESS_EVERY == 1)
		s->progress = progress(s);
	b->progress = s->progress;
	return b->n ? 1 : 0;
}

/* --- life -------------------------------------------------------------------------------------- */

struct sequence *sequence_new(const struct sequence_config *config)
{
	struct sequence *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->config = *config;
	s->order = order_new(config->raw, config->all_names, config->tgids);
	if (!s->order || (config->cpus && choose_cpus(s) < 0)) {
		sequence_free(s);
		return NULL;
	}
	return s;
}

void sequence_free(struct sequence *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->n_sources; i++) {
		cursors_free(s->sources[i]);
		if (s->sources[i]->owns_stacks && s->sources[i]->stacks) {
			stack_follow_release(s->sources[i]->stacks);
			free(s->sources[i]->stacks);
		}
		free(s->sources[i]);
	}
	free(s->sources);
	free(s->chosen);
	order_free(s->order);
	free(s);
}

int sequence_start(struct sequence *s)
{
	for (size_t i = 0; i < s->n_sources; i++) {
		struct source *src = s->sources[i];

		for (size_t k = 0; k < src->n_cursors; k++) {
			src->cursors[k].live = true;
			cursor_advance(s, src, &src->cursors[k]);
		}
		if (src->n_cursors > SCAN_MAX && heap_build(src) < 0)
			return -ENOMEM;
	}
	return 0;
}

bool sequence_first_ts(const struct sequence *s, uint64_t *ret_ts)
{
	bool any = false;

	for (size_t i = 0; i < s->n_sources; i++)
		for (size_t k = 0; k < s->sources[i]->n_cursors; k++) {
			const struct cursor *c = &s->sources[i]->cursors[k];

			if (c->live && (!any || c->ts < *ret_ts)) {
				*ret_ts = c->ts;
				any = true;
			}
		}
	return any;
}

void sequence_shift(struct sequence *s, int64_t by)
{
	for (size_t i = 0; i < s->n_sources; i++) {
		s->sources[i]->config.time.offset += by;
		for (size_t k = 0; k < s->sources[i]->n_cursors; k++)
			s->sources[i]->cursors[k].ts += by;
	}
}

void sequence_set_range(struct sequence *s, uint64_t from, uint64_t to)
{
	s->config.from = from;
	s->config.to = to;
}

const struct sequence_stats *sequence_stats(const struct sequence *s)
{
	return &s->stats;
}

const struct wakeup_stats *sequence_wakeup(const struct sequence *s)
{
	return order_wakeup_stats(s->order);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * foldscan.c - a parallel scan for counts, which need no order.
 *
 *	CPU by CPU, 2 MB at a time ──▶ [item] ──▶ its own table      (conveyor.h)
 *	fill: one thread at a time                work: any thread
 *
 * An item keeps its table between uses; all tables are added at the end, so that threads share
 * nothing while they count. Most records have the CPU, task and kind of one before, and cost a
 * look-up in a small hash table.
 *
 * What is damaged is reported at the end, because fill may report damage at the same time.
 *
 * Memory: 64 bytes for each combination, of which there are at most ROWS_MAX in each table.
 */
#include "query/foldscan.h"

#include "base/array.h"
#include "base/conveyor.h"
#include "base/scope.h"
#include "decode/formats/formats.h"
#include "inputs/sources.h"
#include "store/pagestream.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define ROWS_MAX	(4u << 20)
#define FIRST_PLACES	4096
#define ITEM_PAGES	512
#define ITEM_BYTES	(2u << 20)
#define ITEMS_MAX	66
#define DAMAGE_MAX	64
#define ALONE_MAX_BYTES (1u << 20) /* one thread counts this much while another would start */
#define BYTES_PER_EVENT 40	   /* for the progress */

/* --- the table -------------------------------------------------------------------------------- */

struct foldtable_place {
	uint64_t key; /* 0: free */
	uint32_t row;
};

static uint64_t key_of(const struct fold_row *row)
{
	/* 8 bits of file, 12 of CPU, 23 of task, 17 of kind; the row decides, the key only finds */
	uint64_t key = (uint64_t)(row->file & 0xff) << 56 ^ (uint64_t)row->cpu << 44 ^
		       (uint64_t)(uint32_t)row->tid << 17 ^ (uint64_t)(uint32_t)(row->id + 1);

	return key ? key : 1;
}

static size_t first_place(const struct foldtable *t, uint64_t key)
{
	return (key * 0x9e3779b97f4a7c15u >> 20) & (t->n_places - 1);
}

static bool is_same(const struct fold_row *a, const struct fold_row *b)
{
	return a->tid == b->tid && a->id == b->id && a->cpu == b->cpu && a->file == b->file;
}

static int grow(struct foldtable *t)
{
	struct foldtable more = {.n_places = t->n_places ? t->n_places * 2 : FIRST_PLACES};

	more.places = calloc(more.n_places, sizeof(*more.places));
	if (!more.places)
		return -ENOMEM;
	for (size_t i = 0; i < t->n_places; i++) {
		size_t at;

		if (!t->places[i].key)
			continue;
		at = first_place(&more, t->places[i].key);
		while (more.places[at].key)
			at = (at + 1) & (more.n_places - 1);
		more.places[at] = t->places[i];
	}
	free(t->places);
	t->places = more.places;
	t->n_places = more.n_places;
	return 0;
}

static int add_row(struct foldtable *t, const struct fold_row *row)
{
	if (t->n == ROWS_MAX)
		return -ENOSPC;
	if (!ARRAY_ONE_MORE(t->rows, t->n, ROWS_MAX))
		return -ENOMEM;
	t->rows[t->n++] = *row;
	return 0;
}

int foldtable_add(struct foldtable *t, const struct fold_row *row)
{
	uint64_t key = key_of(row);
	struct foldtable_place *p;
	size_t at;

	if (t->n * 2 >= t->n_places)
		TRY(grow(t));
	for (at = first_place(t, key);; at = (at + 1) & (t->n_places - 1)) {
		p = &t->places[at];
		if (!p->key)
			break;
		if (p->key == key && is_same(&t->rows[p->row], row)) {
			t->rows[p->row].n += row->n;
			return 0;
		}
	}
	TRY(add_row(t, row));
	*p = (struct foldtable_place){key, (uint32_t)(t->n - 1)};
	return 0;
}

void foldtable_release(struct foldtable *t)
{
	free(t->rows);
	free(t->places);
	*t = (struct foldtable){0};
}

/* --- an item ---------------------------------------------------------------------------------- */

struct item {
	struct page pages[ITEM_PAGES];
	uint64_t offsets[ITEM_PAGES];
	struct chunk *chunks[ITEM_PAGES]; /* the chunks that contain the pages */
	size_t n, n_bytes, n_chunks;
	const struct source_config *config;
	uint32_t cpu;
	uint16_t file;
	bool bad[ITEM_PAGES];
	int error;
	struct foldtable table;
};

struct run {
	struct query_trace *trace;
	const struct scan_wants *wants;
	struct pagestream *ps; /* of the present CPU; NULL: the next one must be opened */
	size_t source, cpu;    /* of ps, or of the next stream */
	struct {
		struct tracefile *tf;
		uint32_t cpu;
		uint64_t offset;
	} bad[DAMAGE_MAX];
	size_t n_bad;
};

static bool wants_cpu(const struct scan_wants *w, uint32_t cpu)
{
	return !w->cpus || ARRAY_ANY(w->n_cpus, i, w->cpus[i] == cpu);
}

/* Opens the next stream. Returns 1, 0 if there is none, or -ENOMEM. */
static int open_next(struct run *run)
{
	const struct inputs_sources *src = &run->trace->sources;

	for (; run->source < src->n; run->source++, run->cpu = 0) {
		const struct source_config *c = &src->list[run->source].config;

		for (; run->cpu < c->buffer->n_cpus; run->cpu++) {
			if (!c->buffer->cpus[run->cpu].n_bytes ||
			    !wants_cpu(run->wants, c->buffer->cpus[run->cpu].cpu))
				continue;
			run->ps = pagestream_new(c->tf, c->buffer, run->cpu, run->trace->unpacker);
			return run->ps ? 1 : -ENOMEM;
		}
	}
	return 0;
}

static void take_page(struct run *run, struct item *it, const struct page *page)
{
	it->pages[it->n] = *page;
	it->n_bytes += page->len;
	it->offsets[it->n++] = pagestream_offset(run->ps, page);
	if (page->chunk && (!it->n_chunks || it->chunks[it->n_chunks - 1] != page->chunk))
		it->chunks[it->n_chunks++] = chunk_get(page->chunk);
}

static void aim(const struct run *run, struct item *it)
{
	it->config = &run->trace->sources.list[run->source].config;
	it->cpu = it->config->buffer->cpus[run->cpu].cpu;
	it->file = (uint16_t)query_file_of(run->trace, run->source);
}

static int fill(void *ctx, void *item)
{
	struct run *run = ctx;
	struct item *it = item;
	struct page page;

	it->n = it->n_bytes = 0;
	if (query_trace_is_stopped(run->trace))
		return -EINTR;
	while (!it->n) {
		int r = run->ps ? 1 : open_next(run);

		if (r <= 0)
			return r;
		aim(run, it);
		while (it->n < ITEM_PAGES && it->n_bytes < ITEM_BYTES &&
		       (r = pagestream_next(run->ps, &page)) > 0)
			take_page(run, it, &page);
		if (r > 0)
			break;
		if (r != -EAGAIN) /* a trace that is being recorded: nothing more for now */
			TRY(r);
		pagestream_free(run->ps);
		run->ps = NULL;
		run->cpu++;
	}
	run->trace->n_walked += it->n_bytes / BYTES_PER_EVENT;
	return 1;
}

static int count_page(struct item *it, const struct scan_wants *wants, size_t i)
{
	const struct tracefile *tf = it->config->tf;
	const struct formats *f = it->config->formats;
	const struct page_layout layout = {.swap = tf->swap,
					   .big_endian = tf->big_endian,
					   .long_size = tf->long_size,
					   .data_offset = tf->data_offset};
	const uint8_t *events = wants->events ? wants->events[it->file] : NULL;
	struct fold_row row = {.n = 1, .cpu = it->cpu, .file = it->file};
	struct walked rec;
	struct walker w;

	if (!walker_start(&w, it->pages[i].data, it->pages[i].len, &layout))
		return 0;
	while (walker_next(&w, &rec)) {
		row.id = formats_record_id(f, rec.data, rec.size);
		if (events && ((unsigned)row.id >= wants->n_ids || !events[row.id]))
			continue;
		row.tid = formats_common(f, &f->pid, rec.data, rec.size);
		TRY(foldtable_add(&it->table, &row));
	}
	it->bad[i] = w.damaged;
	return 0;
}

static void work(void *ctx, void *item, unsigned thread)
{
	struct run *run = ctx;
	struct item *it = item;

	for (size_t i = 0; i < it->n && it->error >= 0; i++) {
		it->bad[i] = false;
		it->error = count_page(it, run->wants, i);
	}
	while (it->n_chunks)
		chunk_put(it->chunks[--it->n_chunks]);
}

static int drain(void *ctx, void *item)
{
	struct run *run = ctx;
	struct item *it = item;

	for (size_t i = 0; i < it->n && run->n_bad < DAMAGE_MAX && it->error >= 0; i++)
		if (it->bad[i]) {
			run->bad[run->n_bad].tf = it->config->tf;
			run->bad[run->n_bad].cpu = it->cpu;
			run->bad[run->n_bad++].offset = it->offsets[i];
		}
	return it->error;
}

/* --- the whole trace -------------------------------------------------------------------------- */

static unsigned count_threads(const struct query_trace *t)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < t->sources.n; i++) {
		const struct tracefile_buffer *b = t->sources.list[i].config.buffer;

		for (size_t k = 0; k < b->n_cpus; k++)
			bytes += b->cpus[k].n_bytes * (b->compressed ? 4 : 1);
	}
	return bytes < ALONE_MAX_BYTES && !getenv("SONDE_JOBS") ? 1 : conveyor_default_threads();
}

static int add_tables(struct foldtable *to, const struct item *items, size_t n)
{
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < items[i].table.n; k++)
			TRY(foldtable_add(to, &items[i].table.rows[k]));
	return 0;
}

static void items_release(struct item *items, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		foldtable_release(&items[i].table);
		while (items[i].n_chunks)
			chunk_put(items[i].chunks[--items[i].n_chunks]);
	}
	free(items);
}

static void report_damage(const struct run *run)
{
	for (size_t i = 0; i < run->n_bad; i++)
		tracefile_add_damage(run->bad[i].tf,
				     "%s: a sub-buffer of CPU %u at byte %llu is truncated or "
				     "damaged; some of its events are missing",
				     run->bad[i].tf->path, run->bad[i].cpu,
				     (unsigned long long)run->bad[i].offset);
}

int foldscan(struct foldtable *table, struct query_trace *t, const struct scan_wants *wants)
{
	struct run run = {.trace = t, .wants = wants};
	unsigned n_threads = count_threads(t);
	size_t n = n_threads + 2 < ITEMS_MAX ? n_threads + 2 : ITEMS_MAX;
	struct item *items = calloc(n, sizeof(*items));
	void *list[ITEMS_MAX];
	struct conveyor_job job = {.ctx = &run,
				   .items = list,
				   .n_items = n,
				   .n_threads = n_threads,
				   .fill = fill,
				   .work = work,
				   .drain = drain};
	int r;

	if (!items)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		list[i] = &items[i];
	r = conveyor_run(&job);
	pagestream_free(run.ps);
	if (r >= 0)
		r = add_tables(table, items, n);
	items_release(items, n);
	report_damage(&run);
	return r;
}

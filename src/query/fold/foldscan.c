// SPDX-License-Identifier: LGPL-2.1-or-later
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
 * With a spec the time of an event, its conditions and its measures are read by the thread that
 * counts it. Sums have 128 bits, so that the order of joining does not show.
 *
 * Memory: 80 bytes for each combination, and 48 for each measure of it, of which there are at most ROWS_MAX in each table.
 */
#include "query/fold/foldscan.h"

#include "base/array.h"
#include "base/conveyor.h"
#include "base/scope.h"
#include "decode/formats/formats.h"
#include "decode/timeconv.h"
#include "format/bytes.h"
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
		       (uint64_t)(uint32_t)row->tid << 17 ^ (uint64_t)(uint32_t)(row->id + 1) ^
		       (uint64_t)row->bucket * 0xd6e8feb86659fd93u;

	return key ? key : 1;
}

static size_t first_place(const struct foldtable *t, uint64_t key)
{
	return (key * 0x9e3779b97f4a7c15u >> 20) & (t->n_places - 1);
}

static bool is_same(const struct fold_row *a, const struct fold_row *b)
{
	return a->tid == b->tid && a->id == b->id && a->cpu == b->cpu && a->file == b->file &&
	       a->bucket == b->bucket;
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
	if (t->n_measures) {
		size_t cap = t->measure_cap;

		if (!ARRAY_ROOM(t->measures, cap, (t->n + 1) * t->n_measures,
				(size_t)ROWS_MAX * FOLD_MEASURES))
			return -ENOMEM;
		t->measure_cap = cap;
		memset(&t->measures[t->n * t->n_measures], 0, t->n_measures * sizeof(*t->measures));
	}
	t->rows[t->n++] = *row;
	return 0;
}

/* Adds row->n events; *ret: the number of their row. */
static int find_row(struct foldtable *t, const struct fold_row *row, size_t *ret)
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
			struct fold_row *found = &t->rows[p->row];

			found->n += row->n;
			found->ts = row->ts < found->ts ? row->ts : found->ts;
			*ret = p->row;
			return 0;
		}
	}
	TRY(add_row(t, row));
	*p = (struct foldtable_place){key, (uint32_t)(t->n - 1)};
	*ret = t->n - 1;
	return 0;
}

int foldtable_add(struct foldtable *t, const struct fold_row *row)
{
	size_t at;

	return find_row(t, row, &at);
}

static void add_measure(struct fold_measure *to, const struct fold_measure *m)
{
	if (!m->n)
		return;
	to->min = !to->n || m->min < to->min ? m->min : to->min;
	to->max = !to->n || m->max > to->max ? m->max : to->max;
	to->sum += m->sum;
	to->n += m->n;
}

void foldtable_release(struct foldtable *t)
{
	free(t->rows);
	free(t->places);
	free(t->measures);
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
	uint16_t file, source;
	bool bad[ITEM_PAGES];
	int error;
	struct foldtable table;
};

struct run {
	struct query_trace *trace;
	const struct scan_wants *wants;
	const struct fold_spec *spec; /* NULL: CPU, task and kind */
	struct pagestream *ps;	      /* of the present CPU; NULL: the next one must be opened */
	size_t source, cpu;	      /* of ps, or of the next stream */
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
			run->ps = pagestream_new(c->tf, c->buffer, run->cpu,
						 run->wants->from ? NULL : run->trace->unpacker);
			if (run->ps)
				scan_skip_to(run->ps, c, run->cpu, run->wants->from);
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
	it->source = (uint16_t)run->source;
}

/* Returns 1 with the next sub-buffer, 0 at the end of the stream or of the range of time. */
static int next_page(struct run *run, const struct item *it, struct page *page)
{
	int r = pagestream_next(run->ps, page);

	if (r > 0 && run->wants->to != UINT64_MAX && page->len >= 8 &&
	    timeconv(&it->config->time, bytes_get64(page->data, it->config->tf->swap), it->cpu) >
		    run->wants->to)
		return 0;
	return r;
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
		       (r = next_page(run, it, &page)) > 0)
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

static bool matches(const struct fold_spec *spec, const struct scan *s)
{
	int64_t v;

	for (size_t i = 0; i < spec->n_conditions; i++) {
		const struct pushed *p = spec->conditions[i];

		if (!event_columns_number(spec->columns, (size_t)p->column, s, &v) ||
		    !pushed_match_number(p, v))
			return false;
	}
	return true;
}

/* Counts one event as the spec says. */
static int count_by(struct item *it, const struct run *run, const struct walked *rec, int id)
{
	const struct fold_spec *spec = run->spec;
	struct scan s = {.trace = run->trace,
			 .rec = {.ts = timeconv(&it->config->time, rec->ts, it->cpu),
				 .data = rec->data,
				 .size = rec->size,
				 .cpu = it->cpu,
				 .source = it->source},
			 .id = id,
			 .file = it->file};
	struct fold_row row = {.n = 1, .file = it->file, .ts = s.rec.ts};
	size_t at;

	if (s.rec.ts < run->wants->from || s.rec.ts > run->wants->to || !matches(spec, &s))
		return 0;
	row.cpu = spec->by_cpu ? it->cpu : 0;
	row.tid = spec->by_task ? scan_tid(&s) : 0;
	row.id = spec->by_kind ? id : 0;
	row.bucket = spec->bucket_ns ? (int64_t)s.rec.ts / spec->bucket_ns : 0;
	TRY(find_row(&it->table, &row, &at));
	for (size_t i = 0; i < spec->n_measured; i++) {
		struct fold_measure m = {.n = 1};

		if (!event_columns_number(spec->columns, spec->measured[i], &s, &m.min))
			continue;
		m.max = m.min;
		m.sum = m.min;
		add_measure(&it->table.measures[at * it->table.n_measures + i], &m);
	}
	return 0;
}

static int count_page(struct item *it, const struct run *run, size_t i)
{
	const struct scan_wants *wants = run->wants;
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
		if (run->spec) {
			TRY(count_by(it, run, &rec, row.id));
			continue;
		}
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
		it->error = count_page(it, run, i);
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
	for (size_t i = 0; i < n; i++) {
		const struct foldtable *from = &items[i].table;

		for (size_t k = 0; k < from->n; k++) {
			size_t at;

			TRY(find_row(to, &from->rows[k], &at));
			for (size_t m = 0; m < to->n_measures; m++)
				add_measure(&to->measures[at * to->n_measures + m],
					    &from->measures[k * to->n_measures + m]);
		}
	}
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
	return foldscan_by(table, t, wants, NULL);
}

int foldscan_by(struct foldtable *table, struct query_trace *t, const struct scan_wants *wants,
		const struct fold_spec *spec)
{
	struct run run = {.trace = t, .wants = wants, .spec = spec};
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
	table->n_measures = spec ? spec->n_measured : 0;
	for (size_t i = 0; i < n; i++) {
		list[i] = &items[i];
		items[i].table.n_measures = table->n_measures;
	}
	r = conveyor_run(&job);
	pagestream_free(run.ps);
	if (r >= 0)
		r = add_tables(table, items, n);
	items_release(items, n);
	report_damage(&run);
	return r;
}

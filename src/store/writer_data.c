// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * writer_data.c - writes sub-buffers to the file, compressed by several threads, in order.
 *
 *	source.next ─▶ [item: up to 10 pages of one CPU] ─▶ pack (any thread) ─▶ file
 *	               fill, one thread at a time           work                 drain, in order
 *
 *	plain CPU       pages at a multiple of the page size
 *	compressed CPU  at the same position: u32 chunks, then u32 packed, u32 plain, bytes each
 *
 * A conveyor (base/conveyor.h) uses a fixed ring of items, so memory is bounded: two items per
 * thread and two more, each one chunk and its compressed form, at most RING_MAX_BYTES in total (but
 * never less than one chunk). Without compression one thread copies, COPY_BYTES at a time, and
 * pages of zeros become holes.
 *
 * fill runs ahead of drain, so the two share only the items: the source belongs to fill, the file
 * and the list of CPUs to drain.
 */
#include "base/conveyor.h"
#include "base/array.h"
#include "base/scope.h"
#include "format/bytes.h"
#include "store/unpack.h"
#include "store/writer_int.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* the maximum that readers accept, or one page if that is more */
#define CHUNK_MAX_BYTES (4u << 20)
#define RING_MAX_BYTES	(64u << 20)
#define COPY_BYTES	(256u << 10)
#define ITEMS_MAX	130

struct item {
	uint32_t cpu;
	size_t n_bytes; /* size of plain */
	long n_packed;	/* size of packed, or -errno */
	uint8_t *packed;
	uint8_t plain[];
};

struct copy {
	struct writer *w;
	const struct writer_out *buffer;
	const struct writer_source *source;
	enum compression compression;
	size_t item_bytes, packed_bytes;
	void *items[ITEMS_MAX];
	size_t n_items;
	/* members that fill uses */
	/* a page that was read, but belongs to the next CPU or does not fit into the item */
	struct piece page;
	uint32_t page_cpu;
	bool has_page, at_end;
	bool bad_order;
	/* members that drain uses */
	struct writer_cpu *cpus;
	size_t n_cpus, cap_cpus;
	uint32_t n_chunks;
};

/*
 * --- fill --------------------------------------------------------------------------------------
 */

static int read_page(struct copy *c)
{
	uint32_t before = c->page_cpu;
	int r = c->at_end ? 0 : c->source->next(c->source->ctx, &c->page_cpu, &c->page);

	if (r > 0 && (c->page.len > c->buffer->page_size || c->page_cpu < before)) {
		c->bad_order = true;
		return -EINVAL;
	}
	c->has_page = r > 0;
	c->at_end = r == 0;
	return r;
}

static int fill_item(void *ctx, void *p)
{
	struct copy *c = ctx;
	struct item *item = p;
	int r = 1;

	item->n_bytes = 0;
	for (;;) {
		if (!c->has_page)
			r = read_page(c);
		TRY(r);
		if (!r || item->n_bytes + c->buffer->page_size > c->item_bytes ||
		    (item->n_bytes && c->page_cpu != item->cpu))
			break;
		item->cpu = c->page_cpu;
		memcpy(item->plain + item->n_bytes, c->page.data, c->page.len);
		memset(item->plain + item->n_bytes + c->page.len, 0,
		       c->buffer->page_size - c->page.len);
		item->n_bytes += c->buffer->page_size;
		c->has_page = false;
	}
	return item->n_bytes ? 1 : 0;
}

/*
 * --- work --------------------------------------------------------------------------------------
 */

static void pack_item(void *ctx, void *p, unsigned thread)
{
	struct copy *c = ctx;
	struct item *item = p;

	if (c->compression != COMPRESSION_NONE)
		item->n_packed = pack(c->compression, item->plain, item->n_bytes, item->packed,
				      c->packed_bytes);
}

/*
 * --- drain -------------------------------------------------------------------------------------
 */

static void end_cpu(struct copy *c)
{
	struct writer_cpu *cpu = c->n_cpus ? &c->cpus[c->n_cpus - 1] : NULL;

	if (!cpu)
		return;
	cpu->n_bytes = outfile_pos(c->w->out) - cpu->offset;
	if (c->compression != COMPRESSION_NONE)
		writer_patch_number(c->w, cpu->offset, c->n_chunks, 4);
}

static int begin_cpu(struct copy *c, uint32_t cpu)
{
	end_cpu(c);
	if (!ARRAY_ROOM(c->cpus, c->cap_cpus, c->n_cpus + 1, ARRAY_NO_MAX))
		return -ENOMEM;
	writer_align(c->w, c->buffer->page_size);
	c->cpus[c->n_cpus++] = (struct writer_cpu){cpu, outfile_pos(c->w->out), 0};
	c->n_chunks = 0;
	if (c->compression != COMPRESSION_NONE)
		writer_put_number(c->w, 0, 4);
	return 0;
}

static bool is_zero(const uint8_t *p, size_t n)
{
	return !p[0] && !memcmp(p, p + 1, n - 1);
}

static int drain_plain(struct copy *c, const struct item *item)
{
	uint32_t page = c->buffer->page_size;
	int r = 0;

	for (size_t pos = 0; pos < item->n_bytes && !r; pos += page)
		r = is_zero(item->plain + pos, page)
			    ? outfile_skip(c->w->out, page)
			    : outfile_write(c->w->out, item->plain + pos, page);
	return r;
}

static int drain_item(void *ctx, void *p)
{
	struct copy *c = ctx;
	struct item *item = p;

	if ((!c->n_cpus || c->cpus[c->n_cpus - 1].cpu != item->cpu) && begin_cpu(c, item->cpu) < 0)
		return -ENOMEM;
	if (c->compression == COMPRESSION_NONE)
		return drain_plain(c, item);
	if (item->n_packed < 0)
		return item->n_packed;
	c->n_chunks++;
	writer_put_number(c->w, item->n_packed, 4);
	writer_put_number(c->w, item->n_bytes, 4);
	return outfile_write(c->w->out, item->packed, item->n_packed);
}

/*
 * --- the ring ----------------------------------------------------------------------------------
 */

static size_t chunk_bytes(const struct writer *w, uint32_t page_size)
{
	size_t limit = writer_data_compression(w) == COMPRESSION_NONE
			       ? COPY_BYTES
			       : (size_t)SNF_CHUNK_PAGES * page_size;

	if (limit > CHUNK_MAX_BYTES)
		limit = CHUNK_MAX_BYTES;
	return limit < page_size ? page_size : limit / page_size * page_size;
}

static void release_items(struct copy *c)
{
	for (size_t i = 0; i < c->n_items; i++) {
		free(((struct item *)c->items[i])->packed);
		free(c->items[i]);
	}
}

static int make_items(struct copy *c, unsigned n_threads)
{
	size_t each, want;

	c->item_bytes = chunk_bytes(c->w, c->buffer->page_size);
	if (c->compression != COMPRESSION_NONE)
		c->packed_bytes = pack_bound(c->compression, c->item_bytes);
	each = c->item_bytes + c->packed_bytes;
	want = n_threads > 1 ? 2 * (size_t)n_threads + 2 : 1;
	if (want > RING_MAX_BYTES / each)
		want = RING_MAX_BYTES / each;
	while (c->n_items < ITEMS_MAX && (!c->n_items || c->n_items < want)) {
		struct item *item = malloc(sizeof(*item) + c->item_bytes);

		if (!item)
			break;
		item->packed = c->packed_bytes ? malloc(c->packed_bytes) : NULL;
		c->items[c->n_items] = item;
		if (c->packed_bytes && !item->packed) {
			free(item);
			break;
		}
		c->n_items++;
	}
	/* a ring with fewer items works, but slower */
	return c->n_items ? 0 : -ENOMEM;
}

static int explain(struct copy *c, int r, struct errmsg *err)
{
	const char *path = c->w->config.path;

	if (outfile_failure(c->w->out, err) < 0 || r >= 0)
		return r;
	if (c->bad_order)
		return errmsg_set(
			err, r, "cannot write %s: the data of CPU %u came too late or is too long",
			path, c->page_cpu);
	return errmsg_set_errno(err, r, "cannot write the data of %s", path);
}

int writer_copy_pages(struct writer *w, const struct writer_out *b,
		      const struct writer_source *source, struct writer_cpu **ret_cpus,
		      size_t *ret_n, struct errmsg *err)
{
	enum compression compression = writer_data_compression(w);
	unsigned n_threads = compression == COMPRESSION_NONE ? 1
			     : w->config.n_threads	     ? w->config.n_threads
							     : conveyor_default_threads();
	struct copy c = {.w = w, .buffer = b, .source = source, .compression = compression};
	int r = make_items(&c, n_threads);

	if (!r)
		r = conveyor_run(&(struct conveyor_job){.ctx = &c,
							.items = c.items,
							.n_items = c.n_items,
							.n_threads = n_threads,
							.fill = fill_item,
							.work = pack_item,
							.drain = drain_item});
	end_cpu(&c);
	release_items(&c);
	r = explain(&c, r, err);
	if (r < 0) {
		free(c.cpus);
		return r;
	}
	*ret_cpus = c.cpus;
	*ret_n = c.n_cpus;
	return 0;
}

int writer_copy_chunks(struct writer *w, struct piece data)
{
	uint32_t n_chunks = 0, chunk = SNF_CHUNK_PAGES * 4096;
	size_t room = pack_bound(w->config.compression, chunk);
	uint64_t count_at = outfile_pos(w->out);
	char *packed = malloc(room);
	long n = packed ? 0 : -ENOMEM;

	writer_put_number(w, 0, 4);
	for (size_t pos = 0; pos < data.len && n >= 0; pos += chunk) {
		uint32_t plain = data.len - pos < chunk ? data.len - pos : chunk;

		n = pack(w->config.compression, data.data + pos, plain, packed, room);
		if (n < 0)
			break;
		writer_put_number(w, n, 4);
		writer_put_number(w, plain, 4);
		outfile_write(w->out, packed, n);
		n_chunks++;
	}
	writer_patch_number(w, count_at, n_chunks, 4);
	free(packed);
	return n < 0 ? (int)n : 0;
}

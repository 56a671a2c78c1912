// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * cpuwalk.c - visits the records of one buffer, CPU by CPU, and finds the first and last record of
 * a CPU.
 *
 *	pagestream_next ─▶ walker_next ─▶ record
 *
 * Sorting the records of all CPUs by time (decode/order/sequence.h) costs as much as reading them.
 * Call stacks and first and last events belong to one CPU and do not need this order. Other threads
 * unpack the chunks of compressed traces in advance.
 */
#include "inputs/cpuwalk.h"

#include "base/conveyor.h"
#include "decode/walker.h"
#include "store/pagestream.h"

#include <errno.h>

/* number of last sub-buffers to read: some may be empty, but hardly this many */
#define EDGE_PAGES 16

struct walk {
	struct inputs_file *file;
	struct page_layout layout;
	void (*visit)(void *ctx, const struct record *rec);
	void *ctx;
};

static struct page_layout layout_of(const struct tracefile *tf)
{
	return (struct page_layout){tf->swap, tf->big_endian, tf->long_size, tf->data_offset};
}

static void visit_page(const struct walk *walk, struct pagestream *ps, const struct page *page,
		       struct record *rec)
{
	struct formats *f = walk->file->formats;
	struct tracefile *tf = walk->file->tf;
	struct walked got;
	struct walker w;

	if (!walker_start(&w, page->data, page->len, &walk->layout))
		return;
	if (w.missed)
		rec->flags = RECORD_MISSED;
	while (walker_next(&w, &got)) {
		rec->ts = got.ts;
		rec->data = got.data;
		rec->size = got.size;
		rec->event = formats_find(f, formats_record_id(f, got.data, got.size));
		walk->visit(walk->ctx, rec);
		rec->flags = 0;
	}
	if (w.damaged)
		tracefile_add_damage(tf,
				     "%s: a sub-buffer of CPU %u at byte %llu is truncated or "
				     "damaged; some of its events are missing",
				     tf->path, rec->cpu,
				     (unsigned long long)pagestream_offset(ps, page));
}

static int walk_cpu(const struct walk *walk, const struct tracefile_buffer *b, size_t cpu,
		    struct unpacker *unpacker)
{
	struct pagestream *ps = pagestream_new(walk->file->tf, b, cpu, unpacker);
	struct record rec = {.cpu = b->cpus[cpu].cpu};
	struct page page;
	int r;

	if (!ps)
		return -ENOMEM;
	while ((r = pagestream_next(ps, &page)) > 0)
		visit_page(walk, ps, &page, &rec);
	pagestream_free(ps);
	return r;
}

int cpuwalk(struct inputs_file *file, const struct tracefile_buffer *b,
	    void (*visit)(void *ctx, const struct record *rec), void *ctx)
{
	struct walk walk = {file, layout_of(file->tf), visit, ctx};
	unsigned n_threads = conveyor_default_threads();
	struct unpacker *unpacker =
		n_threads > 1 && b->compressed ? unpacker_new(n_threads - 1, 1) : NULL;
	int r = 0;

	for (size_t i = 0; i < b->n_cpus && r >= 0; i++)
		r = walk_cpu(&walk, b, i, unpacker);
	unpacker_free(unpacker);
	return r;
}

bool cpuwalk_find_edge(const struct inputs_file *file, const struct tracefile_buffer *b, size_t cpu,
		       bool last, uint64_t *ret_ts, int *ret_id)
{
	struct page_layout l = layout_of(file->tf);
	struct pagestream *ps = pagestream_new(file->tf, b, cpu, NULL);
	struct page page;
	bool found = false;

	if (!ps)
		return false;
	if (last)
		pagestream_skip_to_end(ps, EDGE_PAGES);
	while ((last || !found) && pagestream_next(ps, &page) > 0) {
		struct walker w;
		struct walked rec;

		if (!walker_start(&w, page.data, page.len, &l))
			continue;
		while ((last || !found) && walker_next(&w, &rec)) {
			*ret_ts = rec.ts;
			*ret_id = formats_record_id(file->formats, rec.data, rec.size);
			found = true;
		}
	}
	pagestream_free(ps);
	return found;
}

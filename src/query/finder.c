// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * finder.c - finds a record by its place.
 *
 *	place ─▶ stream ─▶ sub-buffer ─▶ walk to the position ─▶ record
 *
 * A place names the stream, the sub-buffer and the position, so at most one sub-buffer is walked,
 * some hundred records. In packed data the chunk of the sub-buffer is unpacked first.
 *
 * Callers usually ask for places in ascending order: the arguments of all events, events joined to
 * states. So a few streams stay open where the last record was, and the next one is found from
 * there. Eight are enough for the CPUs of a query that looks at several; more would keep a chunk of
 * 4 MB each.
 */
#include "query/finder.h"

#include "base/scope.h"
#include "decode/timeconv.h"
#include "store/pagestream.h"

#include <errno.h>
#include <stdlib.h>

#define STREAMS_OPEN 8

struct open_stream {
	struct pagestream *ps; /* NULL: not open */
	const struct source_config *config;
	struct page_layout layout;
	struct page page;
	struct walker w;
	uint64_t n_page;
	uint32_t stream, cpu;
	uint16_t source, file;
	bool has_page;
};

struct finder {
	struct query_trace *trace;
	struct open_stream open[STREAMS_OPEN];
};

struct finder *finder_new(struct query_trace *t)
{
	struct finder *f = calloc(1, sizeof(*f));

	if (f)
		f->trace = t;
	return f;
}

void finder_free(struct finder *f)
{
	for (size_t i = 0; f && i < STREAMS_OPEN; i++)
		pagestream_free(f->open[i].ps);
	free(f);
}

/* Finds a stream by its number, which counts the CPUs of all sources. */
static bool locate(const struct query_trace *t, uint32_t stream, size_t *ret_source,
		   size_t *ret_cpu)
{
	for (size_t i = 0; i < t->sources.n; i++) {
		size_t n = t->sources.list[i].config.buffer->n_cpus;

		if (stream < n) {
			*ret_source = i;
			*ret_cpu = stream;
			return true;
		}
		stream -= (uint32_t)n;
	}
	return false;
}

/* Opens a stream before a sub-buffer. Returns 1, 0 if there is no such stream, or -ENOMEM. */
static int open_before(struct finder *f, struct open_stream *o, uint32_t stream, uint64_t n_page)
{
	const struct source_config *config;
	uint64_t n_pages, n_bytes;
	size_t source, cpu;

	pagestream_free(o->ps);
	*o = (struct open_stream){0};
	if (!locate(f->trace, stream, &source, &cpu))
		return 0;
	config = &f->trace->sources.list[source].config;
	if (!config->buffer->cpus[cpu].n_bytes)
		return 0;
	*o = (struct open_stream){.config = config,
				  .layout = {.swap = config->tf->swap,
					     .big_endian = config->tf->big_endian,
					     .long_size = config->tf->long_size,
					     .data_offset = config->tf->data_offset},
				  .stream = stream,
				  .cpu = config->buffer->cpus[cpu].cpu,
				  .source = (uint16_t)source,
				  .file = (uint16_t)query_file_of(f->trace, source)};
	o->ps = pagestream_new(config->tf, config->buffer, cpu, NULL);
	if (!o->ps)
		return -ENOMEM;
	n_bytes = pagestream_plain_bytes(config->tf, config->buffer, cpu);
	n_pages = (n_bytes + config->buffer->page_size - 1) / config->buffer->page_size;
	if (n_page >= n_pages)
		return 0;
	if (n_page)
		pagestream_skip_to_end(o->ps, n_pages - n_page);
	return 1;
}

/* Moves to the sub-buffer. Returns 1, 0 if there is none, or a negative errno. */
static int go_to_page(struct finder *f, struct open_stream *o, uint32_t stream, uint64_t n_page)
{
	bool is_near = o->ps && o->stream == stream && o->has_page && n_page >= o->n_page &&
		       n_page <= o->n_page + 1;
	int r;

	if (is_near && n_page == o->n_page)
		return 1;
	if (!is_near) {
		r = open_before(f, o, stream, n_page);
		if (r <= 0)
			return r;
	}
	/* in packed data the chunk may begin before */
	do {
		o->has_page = false;
		r = pagestream_next(o->ps, &o->page);
		if (r <= 0)
			return r == -EAGAIN ? 0 : r;
		o->n_page = pagestream_position(o->ps) / o->config->buffer->page_size;
		o->has_page = walker_start(&o->w, o->page.data, o->page.len, &o->layout);
	} while (o->n_page < n_page);
	return o->has_page && o->n_page == n_page;
}

static void show(const struct finder *f, const struct open_stream *o, const struct walked *rec,
		 int64_t missed, struct scan *ret)
{
	*ret = (struct scan){.trace = f->trace,
			     .rec = {.ts = timeconv(&o->config->time, rec->ts, o->cpu),
				     .data = rec->data,
				     .size = rec->size,
				     .cpu = o->cpu,
				     .source = o->source},
			     .id = formats_record_id(o->config->formats, rec->data, rec->size),
			     .missed = missed,
			     .file = o->file};
	ret->place = scan_place(o->file, o->stream, o->n_page, rec->data - o->page.data);
}

int finder_find(struct finder *f, int64_t place, struct scan *ret)
{
	struct scan_place p = scan_place_parts((uint64_t)place);
	struct open_stream *o = &f->open[p.stream % STREAMS_OPEN];
	struct walked rec;
	int r;

	if (place < 0)
		return 0;
	r = go_to_page(f, o, p.stream, p.n_page);
	if (r <= 0)
		return r;
	/* the walk can only go on */
	if ((size_t)(o->w.pos - o->page.data) > p.position)
		walker_start(&o->w, o->page.data, o->page.len, &o->layout);
	while ((size_t)(o->w.pos - o->page.data) <= p.position) {
		bool is_first = o->w.pos == o->w.start;

		if (!walker_next(&o->w, &rec))
			break;
		if ((size_t)(rec.data - o->page.data) < p.position)
			continue;
		show(f, o, &rec, is_first ? o->w.missed : 0, ret);
		return ret->place == (uint64_t)place;
	}
	return 0;
}

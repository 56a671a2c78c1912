// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * relive.c - records a trace once more, from a file instead of a kernel: for tests/files/suite.
 *
 *	relive INPUT OUTPUT VERSION COMPRESSION end      as recorded and finished
 *	                                        die      dies without a word after the last flush
 *	                                        repair   dies, and then the file is repaired
 *
 * Texts and options go in first, then sub-buffers of all CPUs in turn, with flushes between; names of
 * tasks and statistics come last, as in a real recording.
 */
#include "base/errmsg.h"
#include "store/live/livefile.h"
#include "store/pagestream.h"
#include "store/unpack.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define STREAMS_MAX	    4096
#define PAGES_BETWEEN_FLUSH 50

struct stream {
	struct pagestream *pages;
	int buffer;
	uint32_t cpu;
	size_t page_size;
};

struct relive {
	struct tracefile *tf;
	struct livefile *f;
	struct stream streams[STREAMS_MAX];
	size_t n_streams;
	struct errmsg err;
};

static void check(struct relive *r, int result)
{
	if (result >= 0)
		return;
	fprintf(stderr, "%s\n", r->err.text);
	_exit(1);
}

/* What the recorder itself writes, or writes last. */
static bool is_late(unsigned id)
{
	return id == SNF_OPTION_CPUSTAT;
}

static bool is_own(unsigned id)
{
	return id == SNF_OPTION_BUFFER || id == SNF_OPTION_CPUCOUNT ||
	       (id >= SNF_OPTION_STRINGS && id < SNF_OPTION_MAX);
}

static void add_options(struct relive *r, bool late)
{
	for (size_t i = 0; i < r->tf->n_options; i++) {
		const struct tracefile_option *o = &r->tf->options[i];

		if (!is_own(o->id) && is_late(o->id) == late)
			check(r, livefile_add_option(r->f, o->id, o->data, &r->err));
	}
}

static void begin(struct relive *r, const char *path, int version, enum compression compression)
{
	struct tracefile *tf = r->tf;
	struct livefile_config config = {.path = path,
					 .version = version,
					 .compression = compression,
					 .long_size = tf->writer_long_size,
					 .page_size = tf->page_size,
					 .n_cpus = tf->cpu_count};

	if (!config.n_cpus)
		config.n_cpus = tf->buffers[0].max_cpus;
	check(r, livefile_open(&r->f, &config, &r->err));
	for (int kind = 0; kind < TRACEFILE_CMDLINES; kind++)
		check(r, livefile_add_text(r->f, kind, tracefile_text(tf, kind), &r->err));
	add_options(r, false);
	if (version == 6)
		add_options(r, true);
	for (size_t i = 0; i < tf->n_buffers; i++) {
		const struct tracefile_buffer *b = &tf->buffers[i];
		struct livefile_buffer lb = {
			b->name, b->clock, b->page_size,
			b->max_cpus > config.n_cpus ? b->max_cpus : config.n_cpus, 0};

		check(r, livefile_add_buffer(r->f, &lb, &r->err));
		for (size_t k = 0; k < b->n_cpus && r->n_streams < STREAMS_MAX; k++)
			r->streams[r->n_streams++] = (struct stream){
				pagestream_new(tf, b, k, NULL), i, b->cpus[k].cpu, b->page_size};
	}
	check(r, livefile_start(r->f, &r->err));
}

/* A page of every CPU; false when there are no more. */
static bool record_some(struct relive *r)
{
	bool more = false;

	for (size_t i = 0; i < r->n_streams; i++) {
		struct stream *s = &r->streams[i];
		struct page page;

		if (pagestream_next(s->pages, &page) <= 0 || page.len < s->page_size)
			continue;
		check(r, liveregion_append(livefile_region(r->f, s->buffer, s->cpu), page.data,
					   page.len));
		more = true;
	}
	return more;
}

static void flush(struct relive *r)
{
	for (size_t i = 0; i < r->n_streams; i++)
		liveregion_flush(livefile_region(r->f, r->streams[i].buffer, r->streams[i].cpu));
	check(r, livefile_flush(r->f, &r->err));
}

static void record(struct relive *r)
{
	for (unsigned n = 1; record_some(r); n++)
		if (n % PAGES_BETWEEN_FLUSH == 0)
			flush(r);
}

static void end(struct relive *r, int version)
{
	if (version == 7)
		add_options(r, true);
	check(r, livefile_add_text(r->f, TRACEFILE_CMDLINES,
				   tracefile_text(r->tf, TRACEFILE_CMDLINES), &r->err));
	check(r, livefile_finish(r->f, &r->err));
}

int main(int argc, char **argv)
{
	static struct relive r;
	bool dies;

	if (argc != 6)
		return 2;
	check(&r, tracefile_open(&r.tf, argv[1], &r.err));
	dies = strcmp(argv[5], "end");
	if (!dies || !fork()) {
		begin(&r, argv[2], atoi(argv[3]), compression_parse(argv[4]));
		record(&r);
		if (dies) {
			flush(&r);
			_exit(0);
		}
		end(&r, atoi(argv[3]));
	}
	wait(NULL);
	if (!strcmp(argv[5], "repair"))
		check(&r,
		      livefile_repair(argv[2], tracefile_text(r.tf, TRACEFILE_CMDLINES), &r.err));
	for (size_t i = 0; i < r.n_streams; i++)
		pagestream_free(r.streams[i].pages);
	tracefile_close(r.tf);
	return 0;
}

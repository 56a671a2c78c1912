// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fuzz_file.c - any bytes as a trace.dat, through everything that reads one.
 *
 *	input:  a trace.dat  u8 options
 *	options: bit 0 raw fields  1 latency format  2 places and boundaries  3 wakeup latencies
 *	         4 time differences  5 no plugins  6 unpack in a thread  7 JSON and CSV
 *
 * Opens the file, asks for every text, section, option and CPU as `info` and `dump` would, compiles
 * every event, and prints what the buffers hold, up to a ceiling. A record that does not lie in the
 * file or in an unpacked chunk shows as a read outside of memory.
 */
#include "base/errmsg.h"
#include "present/rows.h"

#include <stdlib.h>
#include <string.h>

#define BATCHES_MAX    24
#define SOURCES_MAX    8
#define TEXT_MAX_BYTES (1u << 20)
#define HALF	       (TEXT_MAX_BYTES / 2)

struct reading {
	struct tracefile *tf;
	struct formats *formats;
	struct tasks tasks;
	struct unpacker *unpacker;
	struct sequence *seq;
	struct line_source sources[SOURCES_MAX];
	size_t n_sources;
	struct arena arena;
	uint8_t options;
};

static volatile uint64_t sink; /* so that reading is not optimised away */

static void touch(struct piece p)
{
	for (size_t i = 0; i < p.len; i++)
		sink += p.data[i];
}

/* What info and dump look at. */
static void look_around(struct tracefile *tf)
{
	for (int kind = 0; kind < TRACEFILE_TEXT_KINDS; kind++)
		touch(tracefile_text(tf, kind));
	for (size_t i = 0; i < tf->n_options; i++)
		touch(tf->options[i].data);
	for (size_t i = 0; i < tf->n_sections && i < 16; i++) {
		struct errmsg err = {0};
		struct piece body;
		void *heap = NULL;

		if (tracefile_section_body(tf, &tf->sections[i], &body, &heap, &err) == 0)
			touch((struct piece){body.data, body.len < 4096 ? body.len : 4096});
		else if (!err.text[0])
			abort();
		free(heap);
	}
	for (size_t i = 0; i < tf->n_buffers; i++) {
		const struct tracefile_buffer *b = &tf->buffers[i];

		sink += strlen(b->name) + (b->clock ? strlen(b->clock) : 0);
		touch(b->text);
		for (size_t k = 0; k < b->n_cpus && k < 64; k++)
			sink += pagestream_plain_bytes(tf, b, k) + pagestream_place(tf, b, k);
	}
	for (size_t i = 0; i < tf->n_damage; i++)
		sink += strlen(tf->damage[i]);
}

static void compile_all(struct formats *f)
{
	struct event **list = formats_list(f);

	for (size_t i = 0; list && i < f->n_events; i++)
		formats_find(f, list[i]->id);
	free(list);
}

static int add_source(struct reading *r, const struct tracefile_buffer *b)
{
	struct source_config sc = {
		.tf = r->tf, .formats = r->formats, .tasks = &r->tasks, .buffer = b};
	struct timeconv_config tc = {0};

	timeconv_init(&sc.time, r->tf, b->clock, &tc);
	sc.time.host = time_shift_read(r->tf, &r->arena);
	timeconv_settle(&sc.time);
	r->sources[r->n_sources++] = (struct line_source){
		.formats = r->formats,
		.page_size = b->page_size,
		.prefix = b->name,
		.time_style = sc.time.in_time ? TIME_MICROSECONDS : TIME_UNITS};
	return sequence_add_source(r->seq, &sc, r->unpacker);
}

static void print_batches(struct reading *r)
{
	struct line_style style = {.sources = r->sources,
				   .n_sources = r->n_sources,
				   .raw = r->options & 1,
				   .latency = r->options & 2,
				   .boundary = r->options & 4,
				   .debug = r->options & 4,
				   .ts_diff = r->options & 16};
	struct line_printer lines;
	struct textbuf text;
	struct batch batch;

	textbuf_init(&text, TEXT_MAX_BYTES);
	if (batch_init(&batch) < 0 || line_printer_init(&lines, &style) < 0)
		abort();
	line_printer_aim(&lines, &text);
	for (unsigned i = 0; i < BATCHES_MAX && sequence_fill(r->seq, &batch) > 0; i++) {
		size_t done = 0;

		for (unsigned k = 0; k < 4 && done < batch.n; k++) {
			textbuf_clear(&text);
			done = !(r->options & 128) ? line_printer_add(&lines, &batch, done, HALF)
			       : i & 1		   ? rows_add_json(&lines, &batch, done, HALF)
						   : rows_add_csv(&lines, &batch, done, HALF);
		}
	}
	line_printer_release(&lines);
	batch_release(&batch);
	textbuf_release(&text);
}

static void print_events(struct reading *r)
{
	struct sequence_config config = {.raw = r->options & 1,
					 .places = r->options & 4,
					 .wakeup = r->options & 8,
					 .all_names = r->options & 32,
					 .tgids = r->options & 32,
					 .to = UINT64_MAX};
	uint64_t first;

	arena_init(&r->arena, 16 << 20);
	r->seq = sequence_new(&config);
	if (r->options & 64)
		r->unpacker = unpacker_new(1, 4);
	for (size_t i = 0; i < r->tf->n_buffers && r->n_sources < SOURCES_MAX; i++)
		if (!r->tf->buffers[i].is_text && add_source(r, &r->tf->buffers[i]) < 0)
			abort();
	if (sequence_start(r->seq) == 0) {
		sequence_first_ts(r->seq, &first);
		print_batches(r);
	}
	sequence_free(r->seq);
	unpacker_free(r->unpacker);
	arena_release(&r->arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t n)
{
	struct reading r = {.options = n ? input[n - 1] : 0};
	struct formats_config config = {.no_plugins = r.options & 32};
	struct errmsg err = {0};
	uint8_t *file;

	if (!n)
		return 0;
	file = malloc(n - 1);
	memcpy(file, input, n - 1);
	if (tracefile_open_memory(&r.tf, "input", (struct piece){file, n - 1}, &err) == 0) {
		look_around(r.tf);
		if (formats_new(&r.formats, r.tf, &config, &err) == 0) {
			compile_all(r.formats);
			if (tasks_init(&r.tasks, tracefile_text(r.tf, TRACEFILE_CMDLINES)) == 0)
				print_events(&r);
			tasks_release(&r.tasks);
		}
		formats_free(r.formats);
		tracefile_close(r.tf);
	} else if (!err.code || !err.text[0]) {
		abort(); /* refused without a reason */
	}
	free(file);
	return 0;
}

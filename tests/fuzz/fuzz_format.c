// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fuzz_format.c - any text as an event's format, any bytes as its records.
 *
 *	input:  u8 flags (see below)  system NUL  format text NUL  bytes of a record
 *	flags:  bit 0 other byte order   bit 1 long of 4 bytes   bit 2 no plugins
 *
 * The text is parsed and compiled, and records are printed in every way: by format, by fields; the
 * whole one, and ones that are cut. Each lies in memory of exactly its size. Printing a record twice
 * must give the same text, and no text may grow past its ceiling.
 */
#include "../lib/memtrace.h"
#include "base/errmsg.h"
#include "decode/print/print.h"

#define TEXT_MAX_BYTES (4u << 20)

static const char kallsyms[] = "0000000000001000 T start\n"
			       "ffffffff81000000 T _stext\n"
			       "ffffffff81000100 t vfs_read\n"
			       "ffffffff81000100 t vfs_read_alias\n"
			       "ffffffffc0000000 t module_function\t[module]\n";
static const char printk[] = "0x1000 : \"count %d of %s at %pS\\n\"\n"
			     "0x2020202020202020 : \"%lu %llx %-5d|%5.3s%c %*d %pI4 %zd%\"\n"
			     "0xffffffff81000000 : \"rcu %p\"\n";

struct subject {
	struct tracefile *tf;
	struct formats *formats;
	uint8_t *file;
};

static bool subject_init(struct subject *s, uint8_t flags, const char *system, const char *text)
{
	const struct memtrace_format format = {system, text};
	struct formats_config config = {.no_plugins = flags & 4};
	size_t cap = strlen(text) + strlen(system) + 4096, n;
	struct errmsg err = {0};

	s->file = malloc(cap);
	n = memtrace_make(s->file, cap, &format, 1, kallsyms, "7 bash\n");
	if (tracefile_open_memory(&s->tf, "memory", (struct piece){s->file, n}, &err) < 0)
		abort();
	s->tf->long_size = flags & 2 ? 4 : 8;
	if (formats_new(&s->formats, s->tf, &config, &err) < 0)
		return false;
	s->formats->swap = flags & 1;
	s->formats->big_endian = (flags & 1) != bytes_host_is_big();
	printkfmts_read(&s->formats->printk,
			(struct piece){(const uint8_t *)printk, sizeof(printk) - 1},
			&s->formats->arena);
	s->formats->printk_loaded = true;
	return true;
}

static void subject_release(struct subject *s)
{
	formats_free(s->formats);
	tracefile_close(s->tf);
	free(s->file);
}

static void print_once(struct printer *p, const struct record *rec, bool raw)
{
	size_t len = textbuf_len(p->out);

	printer_print(p, rec, raw);
	if (textbuf_len(p->out) > TEXT_MAX_BYTES || textbuf_len(p->out) < len)
		abort();
}

/* Both ways, twice each into one text whose halves must be equal. */
static void print_record(struct printer *p, struct event *ev, const uint8_t *data, size_t size)
{
	uint8_t *copy = malloc(size);
	struct record_extra extra = {.pair = copy, .pair_size = size};
	struct record rec = {.data = copy, .size = size, .event = ev, .extra = &extra, .ts = 1000};

	memcpy(copy, data, size);
	for (int raw = 0; raw < 2; raw++) {
		size_t half;

		rec.flags = size & 4 && p->formats->graph_exit ? RECORD_PAIR : 0;
		textbuf_clear(p->out);
		print_once(p, &rec, raw);
		half = textbuf_len(p->out);
		print_once(p, &rec, raw);
		if (!p->out->overflow && (textbuf_len(p->out) != 2 * half ||
					  memcmp(p->out->start, p->out->start + half, half)))
			abort();
	}
	free(copy);
}

static void print_all(struct subject *s, const uint8_t *data, size_t size)
{
	struct textbuf out;
	struct printer p;

	textbuf_init(&out, TEXT_MAX_BYTES);
	textbuf_reserve(&out, 1);
	if (printer_init(&p, s->formats, &out) < 0)
		abort();
	for (size_t i = 0; i < s->formats->n_events; i++) {
		struct event *ev = formats_find(s->formats, s->formats->by_id[i]->id);

		if (!ev)
			abort();
		print_record(&p, ev, data, size);
		print_record(&p, ev, data, size / 2);
		print_record(&p, ev, data, size < 12 ? 0 : 12);
		if (ev->failed && !ev->why_failed)
			abort(); /* refused without a reason */
	}
	printer_release(&p);
	textbuf_release(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t n)
{
	struct byte_reader r = {input, input + n, false, false};
	uint8_t flags = byte_reader_take_number(&r, 1);
	const char *system = byte_reader_take_string(&r), *text = byte_reader_take_string(&r);
	struct subject s = {0};

	if (r.failed)
		return 0;
	if (subject_init(&s, flags, system, text))
		print_all(&s, r.pos, byte_reader_left(&r));
	subject_release(&s);
	return 0;
}

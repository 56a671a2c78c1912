/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * memtrace.h - the metadata of a trace.dat, made in memory.
 *
 * For tests that need event formats, symbols and task names but no records: they make their records
 * themselves. Version 6, this machine's byte order, no buffers.
 *
 *	static const struct memtrace_format formats[] = {{"sched", "name: …\nID: 3\nformat:\n…"}};
 *	struct fixture { uint8_t file[16384]; struct tracefile *tf; struct formats *formats; } fx;
 *	if (MEMTRACE_OPEN(&fx, formats, 1, kallsyms, cmdlines) < 0)
 *
 * Formats of the system "ftrace" come first in a file whatever their place in the array; the others
 * keep their order. What does not fit into the buffer is an abort: the test is wrong.
 */
#ifndef SONDE_TESTS_MEMTRACE_H
#define SONDE_TESTS_MEMTRACE_H

#include "base/errmsg.h"
#include "decode/formats/formats.h"
#include "store/tracefile.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* What follows "ID: 3" in a format: the fields of every event. */
#define COMMON                                                                         \
	"\nformat:\n"                                                                  \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"         \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"         \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"

struct memtrace_format {
	const char *system, *text;
};

struct memtrace {
	uint8_t *buf;
	size_t n, cap;
};

static inline void memtrace_put(struct memtrace *m, const void *data, size_t n)
{
	if (n > m->cap - m->n)
		abort();
	memcpy(m->buf + m->n, data, n);
	m->n += n;
}

static inline void memtrace_put32(struct memtrace *m, uint32_t v)
{
	memtrace_put(m, &v, sizeof(v));
}

/* A text behind its length of len_bytes. */
static inline void memtrace_put_text(struct memtrace *m, const char *s, unsigned len_bytes)
{
	uint64_t len = strlen(s);
	uint32_t len32 = len;

	memtrace_put(m, len_bytes == 8 ? (void *)&len : &len32, len_bytes);
	memtrace_put(m, s, len);
}

static inline size_t memtrace_make(uint8_t *buf, size_t cap, const struct memtrace_format *formats,
				   size_t n_formats, const char *kallsyms, const char *cmdlines)
{
	static const char page[] = "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
				   "\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
				   "\tfield: char data;\toffset:16;\tsize:4080;\tsigned:1;\n";
	struct memtrace m = {buf, 0, cap};
	uint32_t n_ftrace = 0;

	for (size_t i = 0; i < n_formats; i++)
		n_ftrace += !strcmp(formats[i].system, "ftrace");
	memtrace_put(&m, "\x17\x08\x44tracing6", 12);
	memtrace_put(&m, __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? "\1\10" : "\0\10", 2);
	memtrace_put32(&m, 4096);
	memtrace_put(&m, "header_page", 12);
	memtrace_put_text(&m, page, 8);
	memtrace_put(&m, "header_event", 13);
	memtrace_put_text(&m, "", 8);
	memtrace_put32(&m, n_ftrace);
	for (size_t i = 0; i < n_formats; i++)
		if (!strcmp(formats[i].system, "ftrace"))
			memtrace_put_text(&m, formats[i].text, 8);
	memtrace_put32(&m, n_formats - n_ftrace);
	for (size_t i = 0; i < n_formats; i++) {
		if (!strcmp(formats[i].system, "ftrace"))
			continue;
		memtrace_put(&m, formats[i].system, strlen(formats[i].system) + 1);
		memtrace_put32(&m, 1);
		memtrace_put_text(&m, formats[i].text, 8);
	}
	memtrace_put_text(&m, kallsyms, 4);
	memtrace_put_text(&m, "", 4);
	memtrace_put_text(&m, cmdlines, 8);
	memtrace_put32(&m, 2);
	return m.n;
}

/* Makes the metadata in the fixture's `file`, and opens its `tf` and `formats`. */
#define MEMTRACE_OPEN(fx, table, n_formats, kallsyms, cmdlines)                         \
	memtrace_open((fx)->file, sizeof((fx)->file), (table), (n_formats), (kallsyms), \
		      (cmdlines), &(fx)->tf, &(fx)->formats)

static inline int memtrace_open(uint8_t *buf, size_t cap, const struct memtrace_format *table,
				size_t n_formats, const char *kallsyms, const char *cmdlines,
				struct tracefile **tf, struct formats **formats)
{
	size_t n = memtrace_make(buf, cap, table, n_formats, kallsyms, cmdlines);
	struct formats_config config = {0};
	struct errmsg err = {0};

	if (tracefile_open_memory(tf, "memory", (struct piece){buf, n}, &err) < 0)
		return -1;
	return formats_new(formats, *tf, &config, &err);
}

#endif

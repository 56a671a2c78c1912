/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * tracefile.h - an opened trace.dat: where everything in it is.
 *
 * Opening maps the file and reads only its directory; compressed texts are uncompressed when first
 * needed. Everything that can be found is kept: a truncated or damaged file opens, and `damage` has
 * messages about what is missing and where. Only a file that is not a trace, or has an unknown
 * version, fails to open.
 *
 * Returned pointers are valid until tracefile_close(). Opening and tracefile_text() belong to one
 * thread; everything else is read-only and thread-safe.
 */
#ifndef SONDE_STORE_TRACEFILE_H
#define SONDE_STORE_TRACEFILE_H

#include "base/scope.h"
#include "format/bytes.h"
#include "format/tracedat.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct errmsg;

enum compression { COMPRESSION_NONE, COMPRESSION_ZSTD, COMPRESSION_ZLIB, COMPRESSION_UNKNOWN };

struct tracefile_option {
	uint16_t id;
	struct piece data;
};

struct tracefile_section { /* version 7 */
	uint16_t id, flags;
	uint32_t description; /* offset in the strings section, or ~0 if there is none */
	uint64_t offset;      /* offset of the 16-byte header */
	uint64_t n_bytes;     /* size of what follows the header */
};

struct tracefile_cpu {
	uint32_t cpu;
	uint64_t offset;
	uint64_t n_bytes;	 /* size of the data that the file really contains */
	uint64_t n_bytes_stated; /* size according to the directory */
	uint64_t end;		 /* latest possible end of the data, see extents.c */
};

struct tracefile_buffer {
	const char *name;  /* "" for the top instance */
	const char *clock; /* NULL if the file does not have it */
	uint32_t page_size;
	uint32_t max_cpus;	    /* CPUs of the machine, at least the highest one with data */
	bool compressed;	    /* data is in chunks, see pagestream.h */
	bool is_text;		    /* a latency tracer's text instead of sub-buffers */
	struct piece text;	    /* the uncompressed text, if is_text */
	struct tracefile_cpu *cpus; /* the CPUs in the directory, ascending */
	size_t n_cpus;
	/* version 7: offset of the buffer's section; version 6: of its flyrecord table */
	uint64_t section_offset;
};

enum tracefile_text_kind {
	TRACEFILE_HEADER_PAGE,
	TRACEFILE_HEADER_EVENT,
	TRACEFILE_FTRACE_FORMATS, /* raw: u32 count, then u64 length and text each */
	TRACEFILE_EVENT_FORMATS,  /* raw: u32 systems; each cstr, u32 count, texts as above */
	TRACEFILE_KALLSYMS,
	TRACEFILE_PRINTK,
	TRACEFILE_CMDLINES,
	TRACEFILE_TEXT_KINDS,
};

struct tracefile {
	const char *path;
	struct piece map; /* the whole file */
	int version;
	bool big_endian, swap; /* swap: the file has the other byte order */
	uint8_t writer_long_size;
	uint8_t long_size;   /* size of the kernel's commit word */
	uint8_t data_offset; /* offset of the first event in a sub-buffer */
	uint32_t page_size;
	uint32_t cpu_count; /* 0 if the file does not have it */
	enum compression compression;
	const char *compression_name, *compression_version;
	uint64_t head_bytes; /* version 7: offset of the first section */

	const struct tracefile_option *options;
	size_t n_options;
	const struct tracefile_section *sections;
	size_t n_sections;
	const struct tracefile_buffer *buffers; /* the top instance first, if it exists */
	size_t n_buffers;
	const char *const *damage;
	size_t n_damage;
};

/*
 * Opens a trace file. Returns -ENOENT, -EACCES …, -EBADMSG if it is not a trace file, or -ENOTSUP
 * for an unknown version.
 */
int tracefile_open(struct tracefile **ret_file, const char *path, struct errmsg *err);

/*
 * Like tracefile_open(), for a file that is already open and stays open. path is only for messages.
 */
int tracefile_open_fd(struct tracefile **ret_file, int fd, const char *path, struct errmsg *err);
/*
 * Like tracefile_open(), for a file that sonde wrote itself: does not open a pipe or a device of
 * that name.
 */
int tracefile_open_regular(struct tracefile **ret_file, const char *path, struct errmsg *err);

/*
 * Like tracefile_open(), for memory that the caller keeps (fuzzing, live views). path is only for
 * messages.
 */
int tracefile_open_memory(struct tracefile **ret_file, const char *path, struct piece map,
			  struct errmsg *err);
void tracefile_close(struct tracefile *tf);
SCOPED_POINTER(struct tracefile, tracefile_close)

/* Returns a metadata text, or an empty piece if the file has none or it cannot be uncompressed. */
struct piece tracefile_text(struct tracefile *tf, enum tracefile_text_kind kind);

/* Reads the uncompressed body of a section. The caller frees *ret_heap, which may be NULL. */
int tracefile_section_body(const struct tracefile *tf, const struct tracefile_section *section,
			   struct piece *ret_body, void **ret_heap, struct errmsg *err);

/*
 * Returns the clock of the first buffer with events, because an empty buffer may not name its
 * clock. Returns NULL if it is unknown.
 */
const char *tracefile_main_clock(const struct tracefile *tf);
/* Returns the last option with this id, or NULL. */
const struct tracefile_option *tracefile_option_find(const struct tracefile *tf, uint16_t id);
/* Returns the section of version 7 that an option points to, or NULL. */
const struct tracefile_section *tracefile_option_section(const struct tracefile *tf,
							 const struct tracefile_option *o);

/* Adds a message to tf->damage (each text only once, at most 64). For later stages of reading. */
void tracefile_add_damage(struct tracefile *tf, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * writer.h - writes a trace.dat of version 6 or 7, from front to back.
 *
 *	writer_open
 *	    writer_set_cpu_count, writer_add_text, writer_add_option, writer_add_section
 *	    writer_add_buffer …            every buffer that will come, including the top one (name
 *	                                   "")
 *	    writer_write_buffer …          the data of each, in any order; or writer_write_text
 *	writer_close                       the file has its name now
 *
 * Until writer_close() the target is unchanged, see outfile.h. Texts and options are written with
 * the first data; version 7 accepts more of both until the end, version 6 does not. Texts belong to
 * the caller and must stay valid until writer_close() or writer_free(); options and names are
 * copied.
 *
 * The caller chooses the byte order: numbers that the writer makes have it; option data and the raw
 * forms of formats (see tracefile.h) are written unchanged.
 *
 * A writer belongs to one thread. writer_write_buffer() compresses with several threads of its own.
 */
#ifndef SONDE_STORE_WRITER_H
#define SONDE_STORE_WRITER_H

#include "base/scope.h"
#include "format/bytes.h"
#include "format/tracedat.h"
#include "store/tracefile.h"

struct errmsg;
struct writer;

struct writer_config {
	const char *path;
	int version;		      /* 6 or 7 */
	enum compression compression; /* COMPRESSION_NONE for version 6 */
	bool plain_data;	      /* compress only texts, not sub-buffers */
	bool big_endian;
	uint8_t long_size;  /* size of long in the recording program */
	uint32_t page_size; /* size of sub-buffers of the top buffer; in version 6 of all buffers */
	unsigned n_threads; /* 0: the number of CPUs */
	bool is_copy;	    /* the file can be made again, so it is not kept if memory ran out */
};

struct writer_buffer {
	const char *name;  /* "": the top instance */
	const char *clock; /* NULL: unknown */
	uint32_t page_size;
};

/*
 * The source of the sub-buffers of one buffer: all of one CPU together, CPUs ascending. A
 * sub-buffer shorter than the page size is padded with zeros. The memory must stay valid until the
 * next call.
 */
struct writer_source {
	void *ctx;
	/*
	 * Returns 1 with a sub-buffer, 0 if there are no more, or a negative errno to stop. One
	 * thread at a time calls it.
	 */
	int (*next)(void *ctx, uint32_t *ret_cpu, struct piece *ret_page);
};

int writer_open(struct writer **ret_writer, const struct writer_config *config, struct errmsg *err);

/*
 * Sets the number of CPUs of the machine: at least the highest CPU with data, at most
 * WRITER_CPUS_MAX.
 */
#define WRITER_CPUS_MAX (1u << 20)
void writer_set_cpu_count(struct writer *w, uint32_t n_cpus);
int writer_add_text(struct writer *w, enum tracefile_text_kind kind, struct piece text,
		    struct errmsg *err);
int writer_add_option(struct writer *w, uint16_t id, struct piece data, struct errmsg *err);
/* Version 7: adds a separate section and the option that points to it (BTF, modules). */
int writer_add_section(struct writer *w, uint16_t id, const char *description, struct piece body,
		       struct errmsg *err);

/* Announces a buffer; returns its index. */
int writer_add_buffer(struct writer *w, const struct writer_buffer *buffer, struct errmsg *err);
int writer_write_buffer(struct writer *w, int index, const struct writer_source *source,
			struct errmsg *err);
/*
 * Adds a latency tracer's text instead of the top buffer. Call it before the first
 * writer_write_buffer(). The text must stay valid until writer_close().
 */
int writer_add_latency(struct writer *w, const char *clock, struct piece text, struct errmsg *err);

/*
 * Completes the file. Announced buffers without data are written as empty buffers. Always frees w.
 */
int writer_close(struct writer *w, struct errmsg *err);
/* Frees w without changing the target. w may be NULL. */
void writer_free(struct writer *w);
SCOPED_POINTER(struct writer, writer_free)

/* Returns true for options that the writer writes itself, which are not copied from other files. */
static inline bool writer_makes_option(uint16_t id)
{
	return id == SNF_OPTION_DONE || id == SNF_OPTION_BUFFER || id == SNF_OPTION_CPUCOUNT ||
	       (id >= SNF_OPTION_STRINGS && id <= SNF_OPTION_BUFFER_TEXT);
}

#endif

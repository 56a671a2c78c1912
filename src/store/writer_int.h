/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* writer_int.h - declarations that the files behind writer.h share. For this room only. */
#ifndef SONDE_STORE_WRITER_INT_H
#define SONDE_STORE_WRITER_INT_H

#include "base/errmsg.h"
#include "base/textbuf.h"
#include "format/bytes.h"
#include "store/outfile.h"
#include "store/writer.h"

#define WRITER_BUFFERS_MAX	 65536
#define WRITER_OPTIONS_MAX_BYTES ((size_t)1 << 30)
#define WRITER_STRINGS_MAX_BYTES (64u << 20)

struct writer_cpu {
	uint32_t cpu;
	uint64_t offset, n_bytes; /* values for the directory */
};

struct writer_out { /* an announced buffer */
	char *name, *clock;
	uint32_t page_size;
	bool is_written;
	size_t option_at; /* version 6: position of the buffer's offset in the options' data */
};

struct writer {
	struct writer_config config;
	bool swap;
	struct outfile *out;
	uint32_t cpu_count;
	struct piece texts[TRACEFILE_TEXT_KINDS];
	bool text_given[TRACEFILE_TEXT_KINDS];
	bool metadata_written;
	bool has_clock_option;
	struct textbuf options; /* encoded options that are not written yet */
	struct writer_out *buffers;
	size_t n_buffers;
	struct piece text; /* text of a latency tracer */
	char *text_clock;
	bool has_text;
	/*
	 * True for a file that is being recorded (livefile.h), in which the names of tasks come
	 * last. Version 7 omits them from the metadata. Version 6, where they are in the middle,
	 * reserves `cmdlines_room` for them.
	 */
	bool is_live;
	/* version 6: reserved bytes in the file, and their position */
	uint64_t cmdlines_room, cmdlines_at;

	/* version 6 */
	uint64_t options_at; /* where the options' data begins in the file */
	/* version 7 */
	uint64_t link_at; /* position for the offset of the next options section; 0: none */
	struct textbuf strings;
};

/* Returns how sub-buffers are compressed; config.compression applies to texts. */
static inline enum compression writer_data_compression(const struct writer *w)
{
	return w->config.plain_data ? COMPRESSION_NONE : w->config.compression;
}

/* Encodes a number in the byte order of the file. */
void writer_put(const struct writer *w, void *p, uint64_t v, unsigned size);
void writer_put_number(struct writer *w, uint64_t v, unsigned size);
void writer_patch_number(struct writer *w, uint64_t pos, uint64_t v, unsigned size);
void writer_add_number(const struct writer *w, struct textbuf *tb, uint64_t v, unsigned size);
/* n_bytes may be 0 with a NULL pointer. */
void writer_add_bytes(struct textbuf *tb, const void *data, size_t n_bytes);
void writer_align(struct writer *w, uint32_t align);

/* Makes the prefix of a text in the file (its length, a tag), and returns its size. */
#define WRITER_PREFIX_MAX_BYTES 32
size_t writer_text_prefix(const struct writer *w, enum tracefile_text_kind kind, char *buf);

/* Opens an existing file with its metadata, to append data. */
int writer_reopen(struct writer **ret_writer, const struct writer_config *config,
		  struct outplace *place, struct errmsg *err);
/* Writes everything before the first data, the texts and options, once. */
int writer_metadata(struct writer *w, struct errmsg *err);

/*
 * writer_data.c: writes pages to the file, and returns the CPUs found, ascending. The caller frees
 * *ret_cpus.
 */
int writer_copy_pages(struct writer *w, const struct writer_out *b,
		      const struct writer_source *source, struct writer_cpu **ret_cpus,
		      size_t *ret_n, struct errmsg *err);
/* Writes bytes in the chunk form of compressed data. */
int writer_copy_chunks(struct writer *w, struct piece data);

int writer_metadata_v6(struct writer *w, struct errmsg *err);
int writer_buffer_v6(struct writer *w, struct writer_out *b, const struct writer_source *source,
		     struct errmsg *err);

/* Returns the clock that follows a version 6 table of CPUs. */
const char *writer_clock_v6(const struct writer_out *b);

/* Adds a section's header. description comes from writer_describe_v7(). */
void writer_add_section_header_v7(const struct writer *w, struct textbuf *tb, uint16_t id,
				  bool compressed, uint32_t description, uint64_t n_bytes);
uint32_t writer_describe_v7(struct writer *w, const char *description);
uint32_t writer_describe_buffer_v7(struct writer *w, const char *name);
/* Adds a BUFFER option without its id and size. */
void writer_add_buffer_option_v7(const struct writer *w, struct textbuf *tb,
				 const struct writer_out *b, uint64_t section_at,
				 const struct writer_cpu *cpus, size_t n_cpus);
int writer_head_v7(struct writer *w);
int writer_text_v7(struct writer *w, enum tracefile_text_kind kind, struct errmsg *err);
int writer_section_v7(struct writer *w, uint16_t id, const char *description, struct piece body,
		      struct errmsg *err);
int writer_metadata_v7(struct writer *w, struct errmsg *err);
int writer_buffer_v7(struct writer *w, struct writer_out *b, const struct writer_source *source,
		     struct errmsg *err);
int writer_finish_v7(struct writer *w, struct errmsg *err);

#endif

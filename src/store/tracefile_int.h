/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tracefile_int.h - declarations that the files behind tracefile.h share. For this room only. */
#ifndef SONDE_STORE_TRACEFILE_INT_H
#define SONDE_STORE_TRACEFILE_INT_H

#include "base/arena.h"
#include "base/errmsg.h"
#include "base/files/mapfile.h"
#include "format/bytes.h"
#include "store/tracefile.h"

#include <stdatomic.h>

#define TRACEFILE_ARENA_MAX_BYTES (32u << 20)
#define TRACEFILE_CPUS_MAX	  (1u << 18) /* maximum of CPU numbers; Linux has up to 8192 */
#define TRACEFILE_STREAMS_MAX	  32768	     /* CPUs with data, over all buffers */
#define TRACEFILE_BUFFERS_MAX	  1024
#define TRACEFILE_SECTIONS_MAX	  (1u << 16)
#define TRACEFILE_OPTIONS_MAX	  (1u << 18)
#define TRACEFILE_DAMAGE_MAX	  64
#define UNPACK_MAX_BYTES	  (32u << 20) /* limit of one metadata section */
/* limit of all sections that are kept; a real file has 20 MB */
#define UNPACK_SUM_MAX_BYTES	  (40u << 20)

struct tracefile_private {
	struct tracefile pub; /* must be the first member */
	struct mapfile map;
	struct arena arena;
	struct piece texts[TRACEFILE_TEXT_KINDS];
	bool text_loaded[TRACEFILE_TEXT_KINDS];
	void *heaps[TRACEFILE_TEXT_KINDS + 8]; /* unpacked sections */
	size_t n_heaps, heap_bytes;
	size_t cap_options, cap_sections, cap_buffers;
	const char *damage[TRACEFILE_DAMAGE_MAX];
	size_t n_streams; /* extents.c: CPUs with data, over all buffers; at least 1 */
	atomic_size_t chunk_bytes,
		/* pagestream.c: uncompressed bytes, and the part of them in streams */
		stream_bytes;
	struct livepages *live; /* livepages.c: the source of the sub-buffers if there is no file */
};

static inline struct tracefile_private *tracefile_private(struct tracefile *tf)
{
	return (struct tracefile_private *)tf;
}

/* Returns true for a plausible size: kernels have 4 KB to 1 MB, tests less. */
static inline bool tracefile_page_size_is_sane(uint32_t n_bytes)
{
	return n_bytes >= 64 && n_bytes <= 1u << 24;
}

/*
 * Appends to the arrays of struct tracefile. Returns NULL or a negative errno at the arena's limit.
 */
int tracefile_add_option(struct tracefile *tf, uint16_t id, struct piece data);
int tracefile_add_section(struct tracefile *tf, const struct tracefile_section *section);
struct tracefile_buffer *tracefile_add_buffer(struct tracefile *tf);
struct tracefile_cpu *tracefile_add_cpus(struct tracefile *tf, struct tracefile_buffer *b,
					 size_t n);
/* Limits n_bytes to the end of the file, and reports the damage once for the buffer. */
void tracefile_clip_cpus(struct tracefile *tf, struct tracefile_buffer *b);
/* Reports that an entry of the directory was ignored because it is larger than possible. */
void tracefile_add_excess(struct tracefile *tf, const char *what);
/* extents.c: computes the extents. Call it last, when all buffers are known. */
void tracefile_settle_extents(struct tracefile *tf);
char *tracefile_strndup(struct tracefile *tf, const char *s, size_t len);
void tracefile_read_header_page(struct tracefile *tf, struct piece text);
/* Returns the name in brackets of "[local] global …" or "[mono]", or NULL. */
const char *tracefile_clock_name(struct tracefile *tf, struct piece text);

/* Reads the directory, and notes unreadable parts as damage. */
void tracefile_read_v6(struct tracefile *tf, struct byte_reader r);
void tracefile_read_v7(struct tracefile *tf, struct byte_reader r);
struct piece tracefile_load_text_v7(struct tracefile *tf, enum tracefile_text_kind kind);

/* recover.c: finds the buffers of a version 7 file whose directory is missing. */
void tracefile_recover_v7(struct tracefile *tf);

#endif

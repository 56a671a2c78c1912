/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tracefile_int.h - what the files behind tracefile.h share. Not for other rooms.
 */
#ifndef SONDE_STORE_TRACEFILE_INT_H
#define SONDE_STORE_TRACEFILE_INT_H

#include "base/arena.h"
#include "base/errmsg.h"
#include "base/mapfile.h"
#include "store/tracefile.h"

#define TRACEFILE_ARENA_MAX_BYTES (48u << 20)
#define TRACEFILE_CPUS_MAX	  (1u << 20)
#define TRACEFILE_OPTIONS_MAX	  (1u << 20)
#define TRACEFILE_DAMAGE_MAX	  64
#define UNPACK_MAX_BYTES	  (48u << 20) /* of one metadata section */
#define UNPACK_SUM_MAX_BYTES	  (80u << 20) /* of all that are kept */

struct tracefile_private {
	struct tracefile pub; /* first */
	struct mapfile map;
	struct arena arena;
	struct piece texts[TRACEFILE_TEXT_KINDS];
	bool text_loaded[TRACEFILE_TEXT_KINDS];
	void *heaps[TRACEFILE_TEXT_KINDS + 8]; /* unpacked sections */
	size_t n_heaps, heap_bytes;
	size_t cap_options, cap_sections, cap_buffers;
	const char *damage[TRACEFILE_DAMAGE_MAX];
};

static inline struct tracefile_private *tracefile_private(struct tracefile *tf)
{
	return (struct tracefile_private *)tf;
}

/* Appends to the arrays of struct tracefile; NULL/negative when the arena is at its ceiling. */
int tracefile_add_option(struct tracefile *tf, uint16_t id, struct piece data);
int tracefile_add_section(struct tracefile *tf, const struct tracefile_section *section);
struct tracefile_buffer *tracefile_add_buffer(struct tracefile *tf);
struct tracefile_cpu *tracefile_add_cpus(struct tracefile *tf, struct tracefile_buffer *b,
					 size_t n);
/* Cuts n_bytes where the file ends, and says so once for the buffer. */
void tracefile_clip_cpus(struct tracefile *tf, struct tracefile_buffer *b);
char *tracefile_strndup(struct tracefile *tf, const char *s, size_t len);
void tracefile_read_header_page(struct tracefile *tf, struct piece text);
/* "[local] global …" or "[mono]" to the name in brackets, or NULL. */
const char *tracefile_clock_name(struct tracefile *tf, struct piece text);

int tracefile_read_v6(struct tracefile *tf, struct byte_reader r);
int tracefile_read_v7(struct tracefile *tf, struct byte_reader r);
struct piece tracefile_load_text_v7(struct tracefile *tf, enum tracefile_text_kind kind);

/* recover.c: buffers of a version 7 file whose directory was cut off. */
void tracefile_recover_v7(struct tracefile *tf);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * frames.h - what .eh_frame reveals of functions: where they are, and whether they begin there.
 */
#ifndef SONDE_CAPTURE_USER_FRAMES_H
#define SONDE_CAPTURE_USER_FRAMES_H

#include "format/bytes.h"

#include <stdbool.h>
#include <stdint.h>

struct elfview;

/* What frames have in common (CIE): few, and neighbours share one. */
struct frame_kind {
	uint64_t address;
	uint64_t code_unit, reg,
		offset; /* where the caller's stack is at first: register + number */
	uint8_t encoding;
	bool is_augmented, is_signal, is_odd;
};

/* The table in .eh_frame_hdr, by address. */
struct frames {
	uint64_t address; /* of .eh_frame_hdr: the table is relative to it */
	struct piece table;
	size_t n;
	uint64_t entries_address; /* of .eh_frame */
	struct piece entries;
	struct frame_kind kind; /* the last one that was read */
};

/* One description (FDE). */
struct frame {
	uint64_t begin, n_bytes;
	struct frame_kind kind;
	struct piece code; /* instructions */
};

/* Without a usable table there are 0 frames. */
void frames_init(struct frames *f, const struct elfview *elf);
uint64_t frames_begin(const struct frames *f, size_t i);
/* False: it is damaged, or of an unknown form. */
bool frames_read(struct frames *f, size_t i, struct frame *ret);

/*
 * Whether the stack is there as a call leaves it: the caller's stack is reg + n_bytes. If not, it
 * is not the beginning of a function, but of a part that others jump to.
 */
bool frame_is_entry(const struct frame *f, uint64_t address, unsigned reg, unsigned n_bytes);

#endif

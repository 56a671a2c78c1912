/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * collect_int.h - collect_head.c for collect.c: copies the metadata.
 */
#ifndef SONDE_WIRE_COLLECT_INT_H
#define SONDE_WIRE_COLLECT_INT_H

#include "format/bytes.h"
#include "store/tracefile.h"

struct errmsg;

/* The destination: a writer, or a growing file. */
struct head_target {
	void *ctx;
	int (*add_text)(void *ctx, enum tracefile_text_kind kind, struct piece text,
			struct errmsg *err);
	int (*add_option)(void *ctx, uint16_t id, struct piece data, struct errmsg *err);
	int (*add_section)(void *ctx, uint16_t id, const char *description, struct piece body,
			   struct errmsg *err);
};

/*
 * Copies all texts, options and sections; the texts must stay valid. cmdlines: instead of those in
 * tf, if it has any.
 */
int head_copy(struct tracefile *tf, struct piece cmdlines, const struct head_target *to,
	      struct errmsg *err);

/*
 * Late data: returns the command lines, and copies the rest to the target (NULL: nowhere). Stops at
 * invalid data.
 */
int head_copy_late(struct piece late, bool swap, const struct head_target *to,
		   struct piece *ret_cmdlines, struct errmsg *err);

/* The clock in a list like "[local] global", or "". */
void head_clock(const struct tracefile *tf, char clock[64]);

#endif

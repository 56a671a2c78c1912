/* SPDX-License-Identifier: GPL-2.0-or-later */
/* collect_int.h - declarations of collect_head.c for collect.c: they copy the metadata. */
#ifndef SONDE_WIRE_COLLECT_INT_H
#define SONDE_WIRE_COLLECT_INT_H

#include "format/bytes.h"
#include "store/tracefile.h"

struct errmsg;

/* The destination of a copy: a writer, or a growing file. */
struct head_target {
	void *ctx;
	int (*add_text)(void *ctx, enum tracefile_text_kind kind, struct piece text,
			struct errmsg *err);
	int (*add_option)(void *ctx, uint16_t id, struct piece data, struct errmsg *err);
	int (*add_section)(void *ctx, uint16_t id, const char *description, struct piece body,
			   struct errmsg *err);
};

/*
 * Copies all texts, options and sections. The texts must stay valid. If cmdlines is not empty, it
 * replaces the names of tasks in tf.
 */
int head_copy(struct tracefile *tf, struct piece cmdlines, const struct head_target *to,
	      struct errmsg *err);

/*
 * Reads late data: returns the command lines, and copies the rest to the target (NULL: drops it).
 * Stops at invalid data.
 */
int head_copy_late(struct piece late, bool swap, const struct head_target *to,
		   struct piece *ret_cmdlines, struct errmsg *err);

/* Finds the clock in a list like "[local] global", or "". */
void head_clock(const struct tracefile *tf, char clock[64]);

#endif

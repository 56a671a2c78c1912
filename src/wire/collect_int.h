/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * collect_int.h - collect_head.c for collect.c: taking over what the metadata says.
 */
#ifndef SONDE_WIRE_COLLECT_INT_H
#define SONDE_WIRE_COLLECT_INT_H

#include "store/tracefile.h"

struct errmsg;

/* Where it goes: a writer, or a file that grows. */
struct head_target {
	void *ctx;
	int (*add_text)(void *ctx, enum tracefile_text_kind kind, struct piece text,
			struct errmsg *err);
	int (*add_option)(void *ctx, uint16_t id, struct piece data, struct errmsg *err);
	int (*add_section)(void *ctx, uint16_t id, const char *description, struct piece body,
			   struct errmsg *err);
};

/* All texts, options and sections; the texts must stay. cmdlines: instead of those in tf, if it has any. */
int head_copy(struct tracefile *tf, struct piece cmdlines, const struct head_target *to,
	      struct errmsg *err);

/*
 * What came late: the command lines are handed back, the rest goes to the target (NULL: nowhere). It
 * stops where it makes no sense.
 */
int head_copy_late(struct piece late, bool swap, const struct head_target *to,
		   struct piece *ret_cmdlines, struct errmsg *err);

/* The clock in a list like "[local] global", or "". */
void head_clock(const struct tracefile *tf, char clock[64]);

#endif

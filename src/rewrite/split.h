/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * split.h - writes a part of a trace, or all of it in pieces, as separate traces.
 */
#ifndef SONDE_REWRITE_SPLIT_H
#define SONDE_REWRITE_SPLIT_H

#include "rewrite/notes.h"
#include "rewrite/splitter.h"

struct errmsg;

/* A buffer to keep, and its new name; "" is the top-level buffer. */
struct split_choice {
	const char *name, *target;
};

struct split_config {
	const char *input, *output; /* output: OUTPUT.1, or OUTPUT.0001 …; NULL: the input's name */
	bool repeat;		    /* write all pieces, not only the first */
	enum split_unit unit;	    /* unit of `amount`, the size of a piece */
	uint64_t amount;	    /* ns, events or sub-buffers */
	const char *unit_option;    /* the option that chose this, for error messages */
	bool per_cpu;
	long long cpu; /* the only CPU to keep; negative: all */
	/* times for timearg_parse(); NULL: from the first to the last event */
	const char *from, *to;
	/* buffers to keep; if there are none, all buffers keep their names */
	struct split_choice *choices;
	size_t n_choices;
	struct rewrite_notes notes;
};

/*
 * Writes the pieces. Returns 0, or 1 if the input is damaged; then all undamaged data of that part
 * is written.
 */
int split_trace(const struct split_config *config, struct errmsg *err);

#endif

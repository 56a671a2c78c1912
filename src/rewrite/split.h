/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * split.h - a part of a trace, or all of it in pieces, as traces of their own.
 */
#ifndef SONDE_REWRITE_SPLIT_H
#define SONDE_REWRITE_SPLIT_H

#include "rewrite/notes.h"
#include "rewrite/splitter.h"

struct errmsg;

/* A buffer to keep, and what it becomes; "" is the top one. */
struct split_choice {
	const char *name, *target;
};

struct split_config {
	const char *input, *output; /* output: OUTPUT.1, or OUTPUT.0001 …; NULL: as input */
	bool repeat;		    /* all pieces, not only the first */
	enum split_unit unit;	    /* how large a piece is */
	uint64_t amount;	    /* ns, events or sub-buffers */
	const char *unit_option;    /* the option that said so, for the sentence of an error */
	bool per_cpu;
	long long cpu;		      /* keep only this one; negative: all */
	const char *from, *to;	      /* as timearg_parse() takes them; NULL: from first to last */
	struct split_choice *choices; /* none: all buffers keep their names */
	size_t n_choices;
	struct rewrite_notes notes;
};

/* 0; 1 if the input is damaged: everything sound in that part of it was written. */
int split_trace(const struct split_config *config, struct errmsg *err);

#endif

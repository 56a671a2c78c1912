/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * points_int.h - what points.c and points_symbols.c share: a search in progress.
 */
#ifndef SONDE_SYMBOLS_DWARF_POINTS_INT_H
#define SONDE_SYMBOLS_DWARF_POINTS_INT_H

#include "base/errmsg.h"
#include "symbols/dwarf/debuginfo_int.h"

#define POINTS_MAX 4096

/* A row of a wanted line, and the copy of the function that contains it. */
struct line_copy {
	struct unit *unit;
	struct instance *instance;
	uint64_t address;
	unsigned line;
	bool is_statement;
};

struct search {
	struct debuginfo *d;
	const struct debuginfo_where *where;
	struct debuginfo_point *list;
	size_t n, n_room;
	struct function *function; /* the function being searched */
	unsigned line;		   /* of the file */
	unsigned nearest;	   /* nearest line that can be probed; 0 */
	unsigned n_inlined;	   /* copies that were skipped */
	char inlined[200];	   /* where the first ones are: "main (prog.c:12), …" */
	unsigned char *wanted;	   /* lazy: a flag for each line */
	size_t n_wanted;
	const struct instance *only;   /* for a symbol */
	const char *indirect, *shared; /* as in struct debuginfo_points */
	unsigned n_bare, n_variants;   /* likewise */
	unsigned n_refused;	       /* instructions that cannot be probed */
	const char *refused;	       /* … the reason for the first */
	struct errmsg refusal;	       /* … and the message if there is nothing else */
	unsigned n_repeated, repeated_line;
	struct line_copy *copies;
	size_t n_copies, copies_room;
	struct errmsg *err;
};

/* --- points.c --- */

/* Adds one at the end of the list; NULL: out of memory, or too many. */
struct debuginfo_point *points_new(struct search *s);
/* Refuses an offset into the middle of an instruction. */
int points_check_offset(struct search *s, uint64_t from, uint64_t offset, struct errmsg *err);
int points_of_function(struct search *s, struct function *f, struct errmsg *err);

/* --- points_symbols.c --- */

/* The symbols of that name; else all with that C++ name, or that match the glob. */
int points_of_symbols(struct search *s, struct errmsg *err);
/* Those without debug information: parts of a program can be built without it. */
int points_of_bare_symbols(struct search *s, struct errmsg *err);

/* --- copies.c --- */

int copies_note(struct search *s, const struct line_copy *copy);
/* How many copies have a line, but no statements of it or of any other line. */
unsigned copies_without_statements(struct search *s);

/* --- standing.c --- */

/*
 * Returns whether no probe can be put there, and counts it; skips padding. entry: the base of an
 * offset.
 */
bool points_is_refused(struct search *s, uint64_t entry, uint64_t *address);

/* --- variants.c --- */

/* Drops constructors and destructors that call another one of the list. */
int points_drop_variants(struct search *s);

#endif

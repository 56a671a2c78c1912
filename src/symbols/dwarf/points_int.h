/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* points_int.h - declarations that points.c and points_symbols.c share: a search in progress. */
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
	unsigned line;		   /* line number in the file */
	unsigned nearest;	   /* nearest line that can be probed; 0: none */
	unsigned n_inlined;	   /* copies that were skipped */
	char inlined[200];	   /* places of the first copies: "main (prog.c:12), …" */
	unsigned char *wanted;	   /* for lazy patterns: a flag for each line */
	size_t n_wanted;
	const struct instance *only;   /* the only instance, for a symbol */
	const char *indirect, *shared; /* as in struct debuginfo_points */
	unsigned n_bare, n_variants;   /* as in struct debuginfo_points */
	unsigned n_refused;	       /* instructions that cannot be probed */
	const char *refused;	       /* the reason for the first refused instruction */
	struct errmsg refusal;	       /* the message if there are no other points */
	unsigned n_repeated, repeated_line;
	struct line_copy *copies;
	size_t n_copies, copies_room;
	struct errmsg *err;
};

/* --- points.c --- */

/* Adds a point at the end of the list. Returns NULL if out of memory, or if there are too many. */
struct debuginfo_point *points_new(struct search *s);
/* Refuses an offset into the middle of an instruction. */
int points_check_offset(struct search *s, uint64_t from, uint64_t offset, struct errmsg *err);
int points_of_function(struct search *s, struct function *f, struct errmsg *err);

/* --- points_symbols.c --- */

/*
 * Adds the symbols of that name. If there are none, adds all with that C++ name, or that match the
 * glob.
 */
int points_of_symbols(struct search *s, struct errmsg *err);
/* Adds functions without debug information: parts of a program can be built without it. */
int points_of_bare_symbols(struct search *s, struct errmsg *err);

/* --- copies.c --- */

int copies_note(struct search *s, const struct line_copy *copy);
/* Returns how many copies have a line, but no statements of it or of any other line. */
unsigned copies_without_statements(struct search *s);

/* --- standing.c --- */

/*
 * Returns true if no probe can be put there, and counts the address. Skips padding. entry is the
 * base of an offset.
 */
bool points_is_refused(struct search *s, uint64_t entry, uint64_t *address);

/* --- variants.c --- */

/* Drops constructors and destructors that call another one in the list. */
int points_drop_variants(struct search *s);

#endif

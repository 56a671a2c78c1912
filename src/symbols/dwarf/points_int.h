/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * points_int.h - what points.c and points_symbols.c share: a search under way.
 */
#ifndef SONDE_SYMBOLS_DWARF_POINTS_INT_H
#define SONDE_SYMBOLS_DWARF_POINTS_INT_H

#include "base/errmsg.h"
#include "symbols/dwarf/debuginfo_int.h"

#define POINTS_MAX 4096

/* A row of a line that is wanted, and the copy of the function that it is in. */
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
	struct function *function; /* whose points are looked for now */
	unsigned line;		   /* of the file */
	unsigned nearest;	   /* line that can be probed; 0 */
	unsigned n_inlined;	   /* copies that were left out */
	char inlined[200];	   /* where the first ones are: "main (prog.c:12), …" */
	unsigned char *wanted;	   /* lazy: a flag for each line */
	size_t n_wanted;
	const struct instance *only;   /* of a symbol */
	const char *indirect, *shared; /* as struct debuginfo_points has them */
	unsigned n_bare, n_variants;   /* likewise */
	unsigned n_refused;	       /* instructions on which no probe can stand */
	const char *refused;	       /* … and why the first cannot */
	struct errmsg refusal;	       /* … and what is said if there is nothing else */
	unsigned n_repeated, repeated_line;
	struct line_copy *copies;
	size_t n_copies, copies_room;
	struct errmsg *err;
};

/* --- points.c --- */

/* Room for one more, at the end of the list; NULL: no memory, or too many. */
struct debuginfo_point *points_new(struct search *s);
/* Refuses an offset that leads into an instruction. */
int points_check_offset(struct search *s, uint64_t from, uint64_t offset, struct errmsg *err);
int points_of_function(struct search *s, struct function *f, struct errmsg *err);

/* --- points_symbols.c --- */

/* The symbols of that name; else all whose name in C++ it is, or that a glob means. */
int points_of_symbols(struct search *s, struct errmsg *err);
/* Those of them that no debug information is about: parts of a program can be built without. */
int points_of_bare_symbols(struct search *s, struct errmsg *err);

/* --- copies.c --- */

int copies_note(struct search *s, const struct line_copy *copy);
/* How many copies have a line, but neither its statements nor any. */
unsigned copies_without_statements(struct search *s);

/* --- standing.c --- */

/*
 * Whether no probe can stand there, which is counted; padding is stepped over. entry: what an offset would be
 * counted from.
 */
bool points_is_refused(struct search *s, uint64_t entry, uint64_t *address);

/* --- variants.c --- */

/* Of constructors and destructors those that call another one of the list. */
int points_drop_variants(struct search *s);

#endif

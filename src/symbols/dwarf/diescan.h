/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * diescan.h - from one DIE of a unit to the next, without reading what is in it.
 *
 * Places are offsets in .debug_info. Only for units of this machine's byte order.
 */
#ifndef SONDE_SYMBOLS_DWARF_DIESCAN_H
#define SONDE_SYMBOLS_DWARF_DIESCAN_H

#include "format/bytes.h"

/* What DIEs of one abbreviation code have in common. */
struct diescan_kind {
	unsigned tag;
	bool has_children;
	bool is_declaration; /* DW_AT_declaration by its mere presence */
	int n_bytes;	     /* of all its values; -1: that depends */
	int sibling_at; /* where among them it says what comes next; -1: nowhere, or that depends */
	unsigned sibling_bytes;
	int name_at; /* where among them its name is; -1: nowhere, -2: that depends */
	/*
	 * Where among them, if that does not depend, references within the unit, its address and
	 * length are; -1.
	 */
	int refs_at[3], address_at, length_at;
	unsigned n_refs;
	int language_at;
	unsigned language_bytes;
	size_t first_form, n_forms;
};

struct diescan {
	struct piece info;
	size_t begin, end;  /* of the unit, its header included */
	size_t first;	    /* the unit's own DIE */
	uint64_t abbrev_at; /* its table in .debug_abbrev */
	unsigned version, address_bytes, offset_bytes;
	struct diescan_kind *kinds; /* by code, from 1 on */
	size_t n_kinds, kinds_room;
	uint8_t *forms;
	size_t n_forms, forms_room;
};

/*
 * -ENOTSUP: the unit is written in a way that this does not know. Released in any case by the
 * caller.
 */
int diescan_open(struct diescan *ret_scan, struct piece info, struct piece abbrev, size_t begin);
/* Only what its header says. */
int diescan_open_header(struct diescan *ret_scan, struct piece info, size_t begin);
void diescan_release(struct diescan *s);
/* Of the DIE at that place; NULL: no more DIEs here, or nonsense. */
const struct diescan_kind *diescan_kind(const struct diescan *s, size_t at);
/* The place of the first DIE inside of it, or of the one behind it; 0: there is none. */
size_t diescan_child(const struct diescan *s, size_t at);
size_t diescan_next(const struct diescan *s, size_t at);
/*
 * Whether that may be the place of a name: of a function, or of anything; a declaration's counts or
 * not.
 */
bool diescan_may_name(const struct diescan *s, size_t at, bool only_functions, bool declarations);
/* DW_LANG_… of the unit; 0: it does not say so in a way that this knows. */
unsigned diescan_language(const struct diescan *s);

#endif

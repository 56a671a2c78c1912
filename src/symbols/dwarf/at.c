// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * at.c - the reverse look-up, which finds what is at an address, and other facts about a point.
 *
 *  0x1973  ─▶  the first instruction of square, inlined into f  ─▶  f, the line of the call
 *  0x1853  ─▶  in the middle of sum_up                          ─▶  sum_up, the line there
 *  0x1830  ─▶  the first instruction of sum_up                  ─▶  sum_up, the line it begins at
 *
 * The first instruction of an inlined copy belongs to the line of the call, because users count the
 * lines of the outer function.
 *
 * Ranges are those of a variable's location list; a variable with a single location has it in its
 * whole function.
 */
#include "symbols/dwarf/debuginfo_int.h"

#include <errno.h>
#include <string.h>

#define BLOCK_DEPTH_MAX 64
#define GLOBALS_DEPTH	16 /* nested namespaces */

/*
 * --- what is at an address -----------------------------------------------------------------------
 */

int debuginfo_address(const struct debuginfo *d, uint64_t file_offset, uint64_t *ret_address)
{
	size_t n;

	if (elf_getphdrnum(d->elf, &n) < 0)
		return -ENOENT;
	for (size_t i = 0; i < n; i++) {
		GElf_Phdr ph;

		if (!gelf_getphdr(d->elf, i, &ph) || ph.p_type != PT_LOAD || !(ph.p_flags & PF_X))
			continue;
		if (file_offset < ph.p_offset || file_offset - ph.p_offset >= ph.p_filesz)
			continue;
		*ret_address = file_offset - ph.p_offset + ph.p_vaddr;
		return 0;
	}
	return -ENOENT;
}

static bool is_inlined(struct instance *i)
{
	return dwarf_tag(&i->die) == DW_TAG_inlined_subroutine;
}

/*
 * Finds the innermost instance at the address. The ranges of a copy may not include its entry,
 * because instructions of the outer function are mixed in there. Inner copies come after outer ones
 * in the list.
 */
static struct instance *innermost_at(struct unit *u, uint64_t address)
{
	for (size_t i = u->n_instances; i-- > 0;)
		if (u->instances[i].entry == address && is_inlined(&u->instances[i]))
			return &u->instances[i];
	return unit_instance_at(u, address);
}

static void take_line(struct unit *u, uint64_t address, struct debuginfo_at *at)
{
	Dwarf_Line *l = dwarf_getsrc_die(&u->skeleton, address);
	Dwarf_Addr begin;
	int line;

	if (l && dwarf_lineno(l, &line) == 0 && line > 0) {
		at->begins_line = dwarf_lineaddr(l, &begin) == 0 && begin == address;
		at->line = line;
		at->file = dwarf_linesrc(l, NULL, NULL);
	}
}

static void take_instance(struct debuginfo *d, struct unit *u, uint64_t address,
			  struct debuginfo_at *at)
{
	struct instance *i = innermost_at(u, address);
	struct function *f;

	while (i && is_inlined(i) && i->entry == address && i->parent >= 0) {
		at->line = instance_call_line(u, i, &at->file);
		at->begins_line = true;
		i = &u->instances[i->parent];
	}
	f = i ? instance_function(d, u, i) : NULL;
	if (!f)
		return;
	at->function = f->name;
	at->linkage = is_inlined(i) ? NULL : f->linkage;
	at->function_line = function_line(f);
	if (!is_inlined(i) && i->entry == address) {
		at->is_entry = at->begins_line = true;
		at->line = at->function_line;
		at->file = function_file(f);
	} else if (!at->line) {
		take_line(u, address, at);
	}
}

int debuginfo_find_source(struct debuginfo *d, uint64_t address, const char **ret_file,
			  unsigned *ret_line)
{
	struct debuginfo_at at = {0};
	struct unit *u = d->last_unit;

	if (!d->dwarf || units_list(d) < 0)
		return -ENOENT;
	if (!u || dwarf_haspc(&u->skeleton, address) <= 0)
		u = unit_of_address(d, address);
	d->last_unit = u;
	if (!u)
		return -ENOENT;
	if (unit_walk(d, u) >= 0)
		take_instance(d, u, address, &at);
	if (!at.is_entry || !at.line || !at.file)
		take_line(u, address, &at);
	if (!at.line || !at.file)
		return -ENOENT;
	*ret_file = at.file;
	*ret_line = at.line;
	return 0;
}

int debuginfo_at(struct debuginfo *d, uint64_t address, struct debuginfo_at *ret_at)
{
	const struct symbol *s = symbol_at(d, address);
	struct unit *u = d->dwarf && units_list(d) >= 0 ? unit_of_address(d, address) : NULL;
	struct debuginfo_at at = {0};

	if (u && unit_walk(d, u) >= 0)
		take_instance(d, u, address, &at);
	if (s) {
		at.symbol = s->name;
		at.symbol_offset = address - s->address;
	}
	if (!at.function && !at.symbol)
		return -ENOENT;
	*ret_at = at;
	return 0;
}

size_t debuginfo_frames(struct debuginfo *d, uint64_t address, struct debuginfo_frame *frames,
			size_t max)
{
	struct debuginfo_at at = {0};
	struct unit *u = d->last_unit;
	size_t n = 0;

	if (!d->dwarf || units_list(d) < 0)
		return 0;
	if (!u || dwarf_haspc(&u->skeleton, address) <= 0)
		u = unit_of_address(d, address);
	d->last_unit = u;
	if (!u || unit_walk(d, u) < 0)
		return 0;
	take_line(u, address, &at);
	for (struct instance *i = unit_instance_at(u, address); i && n < max;
	     i = i->parent >= 0 ? &u->instances[i->parent] : NULL) {
		struct function *f = instance_function(d, u, i);

		frames[n++] = (struct debuginfo_frame){.function = f ? f->name : "?",
						       .linkage = f ? f->linkage : NULL,
						       .file = at.file,
						       .line = at.line,
						       .is_inlined = is_inlined(i)};
		at.file = NULL;
		at.line = is_inlined(i) ? instance_call_line(u, i, &at.file) : 0;
	}
	return n;
}

/*
 * --- variables outside of functions --------------------------------------------------------------
 */

struct globals {
	struct location_site site;
	int (*visit)(void *ctx, const struct variable *v);
	void *ctx;
};

static int visit_global(struct globals *g, Dwarf_Die *die)
{
	struct variable v = {.name = die_name(die)};

	if (!v.name)
		return 0;
	v.type = type_of_die(g->site.d, die);
	location_get(&g->site, die, -1, &v);
	return v.place.kind == PLACE_NOWHERE ? 0 : g->visit(g->ctx, &v);
}

static int visit_globals(struct globals *g, Dwarf_Die *die, unsigned depth)
{
	Dwarf_Die child;
	int r = 0;

	if (depth > GLOBALS_DEPTH || dwarf_child(die, &child) != 0)
		return 0;
	do {
		int tag = dwarf_tag(&child);

		if (tag == DW_TAG_namespace)
			r = visit_globals(g, &child, depth + 1);
		else if (tag == DW_TAG_variable)
			r = visit_global(g, &child);
	} while (r >= 0 && dwarf_siblingof(&child, &child) == 0);
	return r;
}

int debuginfo_globals(struct debuginfo *d, const struct debuginfo_point *p,
		      int (*visit)(void *ctx, const struct variable *v), void *ctx)
{
	struct unit *u = d->dwarf && units_list(d) >= 0 ? unit_of_address(d, p->address) : NULL;
	struct globals g = {{.d = d, .unit = u, .address = p->address}, visit, ctx};
	int r = u ? visit_globals(&g, &u->die, 0) : 0;

	return r < 0 ? r : 0;
}

/*
 * --- where a variable lives ----------------------------------------------------------------------
 */

static bool is_named(Dwarf_Die *die, const char *name)
{
	int tag = dwarf_tag(die);
	const char *have =
		tag == DW_TAG_variable || tag == DW_TAG_formal_parameter ? die_name(die) : NULL;

	return have && !strcmp(have, name);
}

/* Finds a variable. Searches the blocks around the address first, as the scope does. */
static bool find_variable(Dwarf_Die *die, const char *name, uint64_t address, unsigned depth,
			  Dwarf_Die *ret)
{
	Dwarf_Die child;

	if (depth > BLOCK_DEPTH_MAX || dwarf_child(die, &child) != 0)
		return false;
	do {
		if (dwarf_tag(&child) == DW_TAG_lexical_block && dwarf_haspc(&child, address) > 0 &&
		    find_variable(&child, name, address, depth + 1, ret))
			return true;
	} while (dwarf_siblingof(&child, &child) == 0);
	if (dwarf_child(die, &child) != 0)
		return false;
	do {
		if (is_named(&child, name)) {
			*ret = child;
			return true;
		}
	} while (dwarf_siblingof(&child, &child) == 0);
	return false;
}

/*
 * Finds the instance of the point. This may not be the innermost instance, because a copy may also
 * begin there.
 */
static struct instance *instance_of(struct debuginfo *d, struct unit *u,
				    const struct debuginfo_point *p)
{
	struct instance *i = innermost_at(u, p->address);

	while (i) {
		struct function *f = instance_function(d, u, i);

		if (f && !strcmp(f->name, p->function))
			return i;
		i = i->parent >= 0 ? &u->instances[i->parent] : NULL;
	}
	return NULL;
}

static int visit_code(Dwarf_Die *die, int (*visit)(void *ctx, uint64_t begin, uint64_t end),
		      void *ctx)
{
	Dwarf_Addr base, begin, end;
	ptrdiff_t at = 0;
	int r = 0;

	while (r >= 0 && (at = dwarf_ranges(die, at, &base, &begin, &end)) > 0)
		r = visit(ctx, begin, end);
	return r;
}

int debuginfo_ranges(struct debuginfo *d, const struct debuginfo_point *p, const char *name,
		     int (*visit)(void *ctx, uint64_t begin, uint64_t end), void *ctx)
{
	struct unit *u = d->dwarf && units_list(d) >= 0 ? unit_of_address(d, p->address) : NULL;
	struct instance *i = u && unit_walk(d, u) >= 0 ? instance_of(d, u, p) : NULL;
	Dwarf_Addr base, begin, end;
	Dwarf_Attribute a;
	ptrdiff_t at = 0;
	Dwarf_Die die;
	Dwarf_Op *ops;
	size_t n;
	int r = 0;

	if (!i || !find_variable(&i->die, name, p->address, 0, &die))
		return -ENOENT;
	if (!dwarf_attr_integrate(&die, DW_AT_location, &a))
		return dwarf_attr_integrate(&die, DW_AT_const_value, &a)
			       ? visit_code(&i->die, visit, ctx)
			       : -ENOENT;
	while (r >= 0 && (at = dwarf_getlocations(&a, at, &base, &begin, &end, &ops, &n)) > 0)
		r = end == (Dwarf_Addr)-1 ? visit_code(&i->die, visit, ctx)
					  : visit(ctx, begin, end);
	return r < 0 ? r : 0;
}

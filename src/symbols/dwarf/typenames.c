// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * typenames.c - finds DWARF's types by name.
 *
 *	"kvm"            a struct, union, enum, number or typedef, as the kind says
 *	"ns::Box"        its last part is searched, inside namespaces and classes as well
 *
 * Only the units that contain the name as bytes are walked (units.c). For a typing error all of
 * them are walked, unless that would take too long.
 */
#include "symbols/dwarf/debuginfo_int.h"

#include <stdlib.h>
#include <string.h>

struct type_search {
	enum type_kind kind;
	const char *name; /* last part of the name */
	size_t len;
	Dwarf_Die found;
};

static bool search_types(struct type_search *s, Dwarf_Die *die, unsigned depth)
{
	Dwarf_Die child;
	const char *before;

	if (depth > 16 || dwarf_child(die, &child) != 0)
		return false;
	before = die->addr;
	do {
		int tag = dwarf_tag(&child);
		const char *name;

		if ((const char *)child.addr <= before)
			return false;
		before = child.addr;
		if (die_is_type(&child, s->kind)) {
			name = dwarf_diename(&child);
			if (name && !strncmp(name, s->name, s->len) && !name[s->len] &&
			    !die_flag(&child, DW_AT_declaration)) {
				s->found = child;
				return true;
			}
		}
		if ((tag == DW_TAG_namespace || tag == DW_TAG_class_type ||
		     tag == DW_TAG_structure_type) &&
		    search_types(s, &child, depth + 1))
			return true;
	} while (dwarf_siblingof(&child, &child) == 0);
	return false;
}

bool find_type_die(struct debuginfo *d, enum type_kind kind, const char *name, size_t len,
		   Dwarf_Die *ret)
{
	const char *colons = memrchr(name, ':', len);
	struct type_search s = {.kind = kind, .name = name, .len = len};
	bool found = false, *which;

	if (colons) {
		s.name = colons + 1;
		s.len = name + len - s.name;
	}
	if (!s.len || !d->dwarf || units_list(d) < 0)
		return false;
	which = units_naming(d, s.name, s.len);
	for (size_t i = 0; which && !found && i < d->n_units; i++)
		if (which[i])
			found = search_types(&s, &d->units[i].die, 0);
	free(which);
	if (found)
		*ret = s.found;
	return found;
}

/*
 * Visits only types of the top level, and none if walking the debug information would take seconds.
 */
void each_type_name(struct debuginfo *d, enum type_kind kind,
		    void (*visit)(void *ctx, const char *name), void *ctx)
{
	if (!d->dwarf || debuginfo_section(d, ".debug_info").len > SPELLING_INFO_BYTES ||
	    units_list(d) < 0)
		return;
	for (size_t i = 0; i < d->n_units; i++) {
		Dwarf_Die child;

		if (dwarf_child(&d->units[i].die, &child) != 0)
			continue;
		do {
			const char *name = die_is_type(&child, kind) ? dwarf_diename(&child) : NULL;

			if (name)
				visit(ctx, name);
		} while (dwarf_siblingof(&child, &child) == 0);
	}
}

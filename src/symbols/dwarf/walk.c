// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * walk.c - finds the functions of one compile unit, and their code.
 *
 *	DW_TAG_subprogram "work", DW_AT_inline          a function: inlined copies refer to it
 *	DW_TAG_subprogram abstract_origin=…, low_pc     its code, if it is also called
 *	DW_TAG_subprogram "main", low_pc                a function and its code together
 *	  DW_TAG_lexical_block
 *	    DW_TAG_inlined_subroutine abstract_origin=… a copy of work inside main
 *	      DW_TAG_inlined_subroutine …               a copy of another function inside that copy:
 *	                                                parent is the copy
 *
 * In C++ functions are in namespaces and classes; a class has only the declaration, and the
 * definition outside refers to it (DW_AT_specification). DIEs do not know their parents, so names
 * are assembled on the way down, and declarations are remembered with their full name.
 *
 * Code that the linker removed has address 0, or one of the values that linkers use for it.
 */
#include "symbols/dwarf/debuginfo_int.h"
#include "base/array.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define FUNCTIONS_MAX (1u << 22)
#define NAME_MAX_LEN  4000

/* A function that a class declares. */
struct declaration {
	const void *key;
	const char *name;
};

struct walk {
	struct debuginfo *d;
	struct unit *u;
	/* sorted by address of their DIE, which is the order of appearance */
	struct declaration *declarations;
	size_t n_declarations, declarations_room, functions_room, instances_room;
	int trouble;
};

const char *die_name(Dwarf_Die *die)
{
	Dwarf_Attribute a;

	return dwarf_formstring(dwarf_attr_integrate(die, DW_AT_name, &a));
}

bool die_flag(Dwarf_Die *die, unsigned attribute)
{
	Dwarf_Attribute a;
	bool set = false;

	return dwarf_attr(die, attribute, &a) && !dwarf_formflag(&a, &set) && set;
}

static const char *join(struct walk *w, const char *prefix, const char *name)
{
	size_t p = strlen(prefix), n = strlen(name);
	char *s;

	if (!*prefix)
		return name;
	if (p + n > NAME_MAX_LEN || !(s = arena_alloc(&w->d->arena, p + n + 3)))
		return name;
	memcpy(s, prefix, p);
	memcpy(s + p, "::", 2);
	memcpy(s + p + 2, name, n + 1);
	return s;
}

/*
 * --- what is met -------------------------------------------------------------------------------
 */

static void add_declaration(struct walk *w, Dwarf_Die *die, const char *prefix)
{
	const char *name = dwarf_diename(die);

	if (!ARRAY_ROOM(w->declarations, w->declarations_room, w->n_declarations + 1,
			FUNCTIONS_MAX)) {
		w->trouble = -ENOMEM;
		return;
	}
	if (name)
		w->declarations[w->n_declarations++] =
			(struct declaration){die->addr, join(w, prefix, name)};
}

static const char *find_declaration(const struct walk *w, const void *key)
{
	size_t n = w->n_declarations;
	size_t at = ARRAY_BISECT(n, i, (uintptr_t)w->declarations[i].key < (uintptr_t)key);

	return at < n && w->declarations[at].key == key ? w->declarations[at].name : NULL;
}

/* Finds the name of a definition whose declaration is in another unit, through its parents. */
static const char *name_from_outside(struct walk *w, Dwarf_Die *die)
{
	Dwarf_Die *scopes = NULL;
	int n = dwarf_getscopes_die(die, &scopes);
	const char *name = "";

	for (int i = n - 2; i >= 0; i--) { /* the last parent is the unit */
		const char *part = dwarf_diename(&scopes[i]);

		if (part)
			name = join(w, name, part);
	}
	free(scopes);
	return *name ? name : dwarf_diename(die);
}

static const char *full_name(struct walk *w, Dwarf_Die *die, const char *prefix)
{
	Dwarf_Attribute a;
	Dwarf_Die declared;
	const char *name;

	if (dwarf_attr(die, DW_AT_specification, &a) && dwarf_formref_die(&a, &declared)) {
		name = find_declaration(w, declared.addr);
		return name ? name : name_from_outside(w, &declared);
	}
	name = dwarf_diename(die);
	return name ? join(w, prefix, name) : NULL;
}

static const char *linkage_name(Dwarf_Die *die)
{
	Dwarf_Attribute a;

	if (!dwarf_attr_integrate(die, DW_AT_linkage_name, &a) &&
	    !dwarf_attr_integrate(die, DW_AT_MIPS_linkage_name, &a))
		return NULL;
	return dwarf_formstring(&a);
}

static void add_function(struct walk *w, Dwarf_Die *die, const char *name)
{
	struct unit *u = w->u;
	struct function *f;

	if (!ARRAY_ROOM(u->functions, w->functions_room, u->n_functions + 1, FUNCTIONS_MAX)) {
		w->trouble = -ENOMEM;
		return;
	}
	f = &u->functions[u->n_functions++];
	*f = (struct function){.die = *die, .name = name, .plain = die_name(die), .unit = u};
	if (u->has_classes)
		f->linkage = linkage_name(die);
	if (!f->plain)
		f->plain = name;
}

/* Returns true for 0 and the values that linkers write for removed code. */
static bool is_gone(uint64_t address)
{
	return address <= 1 || address >= (uint64_t)-4 || address == (uint32_t)-1;
}

static bool get_entry(Dwarf_Die *die, uint64_t *ret_entry)
{
	Dwarf_Addr base, begin, end;
	Dwarf_Addr entry;

	if (dwarf_entrypc(die, &entry) == 0 && !is_gone(entry)) {
		*ret_entry = entry;
		return true;
	}
	/* the entry is 0 or missing, but there are real ranges: use the first range */
	if (dwarf_ranges(die, 0, &base, &begin, &end) > 0 && !is_gone(begin)) {
		*ret_entry = begin;
		return true;
	}
	return false;
}

/* Adds an instance and returns its index, or parent if there is no code. */
static int add_instance(struct walk *w, Dwarf_Die *die, const void *key, int parent)
{
	struct unit *u = w->u;
	uint64_t entry;

	if (!get_entry(die, &entry))
		return parent;
	if (!ARRAY_ROOM(u->instances, w->instances_room, u->n_instances + 1, FUNCTIONS_MAX)) {
		w->trouble = -ENOMEM;
		return parent;
	}
	u->instances[u->n_instances] =
		(struct instance){.die = *die, .key = key, .entry = entry, .parent = parent};
	return u->n_instances++;
}

/*
 * --- the way down ------------------------------------------------------------------------------
 */

static void walk_children(struct walk *w, Dwarf_Die *die, const char *prefix, int parent,
			  unsigned depth);

static void walk_subprogram(struct walk *w, Dwarf_Die *die, const char *prefix, unsigned depth)
{
	Dwarf_Attribute a;
	Dwarf_Die origin;
	const char *name = "";
	int instance;

	if (dwarf_attr(die, DW_AT_abstract_origin, &a)) {
		if (!dwarf_formref_die(&a, &origin))
			return;
		instance = add_instance(w, die, origin.addr, -1);
	} else if (die_flag(die, DW_AT_declaration)) {
		if (w->u->has_classes)
			add_declaration(w, die, prefix);
		return;
	} else {
		name = full_name(w, die, prefix);
		if (!name)
			return;
		add_function(w, die, name);
		instance = add_instance(w, die, die->addr, -1);
	}
	if (instance >= 0 || w->u->has_classes)
		walk_children(w, die, name, instance, depth);
}

static void walk_inlined(struct walk *w, Dwarf_Die *die, const char *prefix, int parent,
			 unsigned depth)
{
	Dwarf_Attribute a;
	Dwarf_Die origin;

	if (dwarf_attr(die, DW_AT_abstract_origin, &a) && dwarf_formref_die(&a, &origin))
		parent = add_instance(w, die, origin.addr, parent);
	walk_children(w, die, prefix, parent, depth);
}

static void walk_named(struct walk *w, Dwarf_Die *die, const char *prefix, unsigned depth)
{
	const char *name = dwarf_diename(die);

	if (!name)
		name = dwarf_tag(die) == DW_TAG_namespace ? "(anonymous namespace)" : "{...}";
	walk_children(w, die, join(w, prefix, name), -1, depth);
}

static void walk_die(struct walk *w, Dwarf_Die *die, unsigned tag, const char *prefix, int parent,
		     unsigned depth)
{
	switch (tag) {
	case DW_TAG_subprogram:
		walk_subprogram(w, die, prefix, depth);
		break;
	case DW_TAG_inlined_subroutine:
		walk_inlined(w, die, prefix, parent, depth);
		break;
	case DW_TAG_lexical_block:
	case DW_TAG_try_block:
	case DW_TAG_catch_block:
		walk_children(w, die, prefix, parent, depth);
		break;
	case DW_TAG_namespace:
	case DW_TAG_module:
		walk_named(w, die, prefix, depth);
		break;
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_union_type:
		if (w->u->has_classes)
			walk_named(w, die, prefix, depth);
		break;
	}
}

static void walk_children(struct walk *w, Dwarf_Die *die, const char *prefix, int parent,
			  unsigned depth)
{
	Dwarf_Die child;
	const char *before = die->addr;

	if (depth > DIE_DEPTH_MAX)
		return;
	if (dwarf_child(die, &child) != 0)
		return;
	do {
		/* a sibling before this DIE would loop forever */
		if ((const char *)child.addr <= before)
			return;
		before = child.addr;
		walk_die(w, &child, dwarf_tag(&child), prefix, parent, depth + 1);
	} while (!w->trouble && dwarf_siblingof(&child, &child) == 0);
}

static bool unit_is_c(struct unit *u)
{
	int language = dwarf_srclang(&u->die);

	return language == DW_LANG_C || language == DW_LANG_C89 || language == DW_LANG_C99 ||
	       language == DW_LANG_C11 || language == DW_LANG_Mips_Assembler;
}

bool unit_is_gnu(struct unit *u)
{
	Dwarf_Attribute a;
	const char *s = dwarf_formstring(dwarf_attr(&u->skeleton, DW_AT_producer, &a));

	return s && !strncmp(s, "GNU ", 4);
}

int unit_walk(struct debuginfo *d, struct unit *u)
{
	struct walk w = {.d = d, .u = u};

	if (u->is_walked)
		return 0;
	u->is_walked = true;
	u->has_classes = !unit_is_c(u);
	walk_children(&w, &u->die, "", -1, 0);
	free(w.declarations);
	return w.trouble;
}

/*
 * --- questions about a walked unit -------------------------------------------------------------
 */

static struct function *function_with_key(struct unit *u, const void *key)
{
	size_t n = u->n_functions;
	size_t at = ARRAY_BISECT(n, i, (uintptr_t)u->functions[i].die.addr < (uintptr_t)key);

	return at < n && u->functions[at].die.addr == key ? &u->functions[at] : NULL;
}

/*
 * Finds a function whose origin is in another unit, or in the alternate file, which has no list of
 * units.
 */
static struct function *foreign_function(struct debuginfo *d, struct instance *i)
{
	struct walk w = {.d = d};
	struct function *f = NULL;
	Dwarf_Attribute a;
	Dwarf_Die origin;
	struct unit *u;

	if (!dwarf_attr(&i->die, DW_AT_abstract_origin, &a) || !dwarf_formref_die(&a, &origin))
		return NULL;
	u = unit_of_die(d, &origin);
	if (u && unit_walk(d, u) >= 0)
		f = function_with_key(u, i->key);
	if (f)
		return f;
	f = arena_alloc(&d->arena, sizeof(*f));
	if (!f || !die_name(&origin))
		return NULL;
	*f = (struct function){.die = origin, .plain = die_name(&origin), .unit = u};
	f->name = name_from_outside(&w, &origin);
	f->linkage = linkage_name(&origin);
	return f;
}

struct function *instance_function(struct debuginfo *d, struct unit *u, struct instance *i)
{
	if (i->function)
		return i->function;
	i->function = function_with_key(u, i->key);
	if (!i->function)
		i->function = foreign_function(d, i);
	return i->function;
}

bool instance_covers(struct instance *i, uint64_t address)
{
	return dwarf_haspc(&i->die, address) > 0;
}

struct instance *instance_innermost(struct unit *u, struct instance *top, uint64_t address)
{
	struct instance *found = top, *end = u->instances + u->n_instances;
	int first = top - u->instances;

	/* instances inside `top` follow it, each after the one that contains it */
	for (struct instance *i = top + 1; i < end && i->parent >= first; i++)
		if (u->instances + i->parent == found && instance_covers(i, address))
			found = i;
	return found;
}

struct instance *unit_instance_at(struct unit *u, uint64_t address)
{
	for (size_t i = 0; i < u->n_instances; i++)
		if (u->instances[i].parent < 0 && instance_covers(&u->instances[i], address))
			return instance_innermost(u, &u->instances[i], address);
	return NULL;
}

/*
 * Finds the file of the declaration. libdw's own dwarf_decl_file() does not know that DWARF 5
 * counts files from 0.
 */
const char *function_file(struct function *f)
{
	Dwarf_Attribute a;
	Dwarf_Half version;
	Dwarf_Files *files;
	Dwarf_Word i;
	Dwarf_Die cu;
	size_t n;

	if (f->file || f->has_file)
		return f->file;
	f->has_file = true;
	if (!dwarf_attr_integrate(&f->die, DW_AT_decl_file, &a) || dwarf_formudata(&a, &i) ||
	    !dwarf_cu_die(a.cu, &cu, &version, NULL, NULL, NULL, NULL, NULL) ||
	    (!i && version < 5) || dwarf_getsrcfiles(&cu, &files, &n) || i >= n)
		return NULL;
	f->file = dwarf_filesrc(files, i, NULL, NULL);
	return f->file;
}

unsigned function_line(struct function *f)
{
	int line;

	return dwarf_decl_line(&f->die, &line) == 0 && line > 0 ? line : 0;
}

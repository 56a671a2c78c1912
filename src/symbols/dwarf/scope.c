// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * scope.c - finds the variables visible at an instruction.
 *
 *  subprogram main                     has the frame, whatever is inlined
 *    inlined work          ◀── instance: its variables, and those of its blocks around the address
 *      parameter x
 *      block 1168-1180     ◀── around the address: its variables come first
 *        variable k
 *    variable of main                  not visible from work
 *  variable of the unit                globals, last
 *
 * A copy may lack a variable of the function: it was optimised away in this copy, and only the
 * abstract function has it. Such a variable is reported as optimised away, not skipped.
 */
#include "base/arena.h"
#include "symbols/dwarf/debuginfo_int.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK_DEPTH_MAX 64

struct dwarf_scope {
	struct scope scope; /* must be the first member */
	struct debuginfo *d;
	struct unit *unit;
	struct instance *instance;
	struct instance *outer; /* the function around the instance, which has the frame */
	uint64_t address;
};

struct visit {
	const struct dwarf_scope *s;
	bool only_parameters;
	int (*visit)(void *ctx, const struct variable *v);
	void *ctx;
	const char *name; /* the only variable to visit; NULL: all */
	size_t len;
	int n_parameters; /* number of parameters seen so far in the instance itself */
};

static bool is_variable(Dwarf_Die *die)
{
	int tag = dwarf_tag(die);

	return tag == DW_TAG_formal_parameter || tag == DW_TAG_variable;
}

static struct location_site site_of(const struct dwarf_scope *s)
{
	return (struct location_site){s->d, s->unit, s->instance, s->outer, s->address};
}

static bool find_static(const struct dwarf_scope *s, Dwarf_Die *die, struct variable *ret);

static int visit_variable(struct visit *v, Dwarf_Die *die, bool is_gone)
{
	struct location_site site = site_of(v->s);
	bool is_parameter = dwarf_tag(die) == DW_TAG_formal_parameter;
	struct variable var = {.name = die_name(die), .is_parameter = is_parameter};
	bool inlined = dwarf_tag(&v->s->instance->die) == DW_TAG_inlined_subroutine;
	int argument = is_parameter && !inlined ? v->n_parameters : -1;

	v->n_parameters += is_parameter;
	if (!var.name && v->only_parameters && !v->name) /* f(int, int b): it has a place, too */
		var.name = "";
	if (!var.name || die_flag(die, DW_AT_declaration) || (v->only_parameters && !is_parameter))
		return 0;
	if (v->name && (strncmp(var.name, v->name, v->len) || var.name[v->len]))
		return 0;
	var.type = type_of_die(v->s->d, die);
	if (!is_gone)
		location_get(&site, die, argument, &var);
	else if (is_parameter || !find_static(v->s, die, &var))
		snprintf(var.why, sizeof(var.why),
			 "it was optimised away in this copy of the code");
	return v->visit(v->ctx, &var);
}

/* Returns true if one of the children is a copy of this DIE. */
static bool has_copy(Dwarf_Die *of, Dwarf_Die *original)
{
	Dwarf_Die child, origin;
	Dwarf_Attribute a;

	if (dwarf_child(of, &child) != 0)
		return false;
	do {
		if (is_variable(&child) && dwarf_attr(&child, DW_AT_abstract_origin, &a) &&
		    dwarf_formref_die(&a, &origin) && origin.addr == original->addr)
			return true;
	} while (dwarf_siblingof(&child, &child) == 0);
	return false;
}

/* Visits a variable that the source has here but this copy lacks. */
static int visit_gone(struct visit *v, Dwarf_Die *die)
{
	Dwarf_Die abstract, child;
	Dwarf_Attribute a;
	int r = 0;

	if (!dwarf_attr(die, DW_AT_abstract_origin, &a) || !dwarf_formref_die(&a, &abstract) ||
	    dwarf_child(&abstract, &child) != 0)
		return 0;
	do {
		if (is_variable(&child) && !has_copy(die, &child))
			r = visit_variable(v, &child, true);
	} while (r >= 0 && dwarf_siblingof(&child, &child) == 0);
	return r;
}

/* Visits blocks around the address first, so that the outer variables that they hide come later. */
static int visit_block(struct visit *v, Dwarf_Die *die, unsigned depth)
{
	Dwarf_Die child;
	int r = 0;

	if (depth > BLOCK_DEPTH_MAX)
		return 0;
	if (dwarf_child(die, &child) == 0)
		do {
			int tag = dwarf_tag(&child);

			if ((tag == DW_TAG_lexical_block || tag == DW_TAG_try_block ||
			     tag == DW_TAG_catch_block) &&
			    dwarf_haspc(&child, v->s->address) > 0 && !v->only_parameters)
				r = visit_block(v, &child, depth + 1);
		} while (r >= 0 && dwarf_siblingof(&child, &child) == 0);
	if (r >= 0 && dwarf_child(die, &child) == 0)
		do {
			if (is_variable(&child))
				r = visit_variable(v, &child, false);
		} while (r >= 0 && dwarf_siblingof(&child, &child) == 0);
	return r >= 0 ? visit_gone(v, die) : r;
}

/*
 * --- globals -----------------------------------------------------------------------------------
 */

/*
 * A global is described where the source declares it, and has its place where it is defined. After
 * optimising the whole program at once (-flto) these are two units:
 *
 *	unit a.c            variable "total", type int           found by name; has no place
 *	unit <artificial>   variable abstract_origin=…, at 0x401c    refers to it
 *
 * A global without a place in any unit may still have a symbol: a variable of a library, or of a
 * file that was compiled without -g.
 */
struct global {
	const char *name; /* last part of the name */
	size_t len;
	/* if not NULL, search DIEs that refer to this one, whatever their name */
	const void *origin;
	Dwarf_Die die;	/* a DIE with a place */
	Dwarf_Die bare; /* a DIE without a place */
	struct unit *unit;
	bool found, found_bare;
};

static bool has_place(Dwarf_Die *die)
{
	Dwarf_Attribute a;

	return dwarf_attr_integrate(die, DW_AT_location, &a) ||
	       dwarf_attr_integrate(die, DW_AT_const_value, &a);
}

/*
 * Returns true if the DIE represents `origin`, in a unit into which the whole program was
 * optimised.
 */
static bool refers_to(Dwarf_Die *die, const void *origin)
{
	Dwarf_Die to;
	Dwarf_Attribute a;

	return (dwarf_attr(die, DW_AT_abstract_origin, &a) ||
		dwarf_attr(die, DW_AT_specification, &a)) &&
	       dwarf_formref_die(&a, &to) && to.addr == origin;
}

static void try_global(struct global *g, struct unit *u, Dwarf_Die *die)
{
	const char *name = g->origin ? NULL : die_name(die);

	if (g->origin ? !refers_to(die, g->origin)
		      : !name || strncmp(name, g->name, g->len) || name[g->len])
		return;
	if (has_place(die)) {
		g->die = *die;
		g->unit = u;
		g->found = true;
	} else if (!g->found_bare && !g->origin) {
		g->bare = *die;
		g->found_bare = true;
	}
}

static void find_global_in(struct global *g, struct unit *u, Dwarf_Die *die, unsigned depth)
{
	Dwarf_Die child;
	const char *before;

	if (depth > 16 || dwarf_child(die, &child) != 0)
		return;
	before = die->addr;
	do {
		int tag = dwarf_tag(&child);

		if ((const char *)child.addr <= before)
			return;
		before = child.addr;
		if (tag == DW_TAG_namespace)
			find_global_in(g, u, &child, depth + 1);
		if (tag == DW_TAG_variable)
			try_global(g, u, &child);
	} while (!g->found && dwarf_siblingof(&child, &child) == 0);
}

/* Finds the place of a global that was found without one, in the units that refer to it. */
static void find_place_of_bare(struct debuginfo *d, struct global *g)
{
	bool *which = units_referring(d, &g->bare);

	g->origin = g->bare.addr;
	for (size_t i = 0; which && !g->found && i < d->n_units; i++)
		if (which[i])
			find_global_in(g, &d->units[i], &d->units[i].die, 0);
	g->origin = NULL;
	free(which);
}

/*
 * Finds a static variable of a function. Its place may be outside the function, in a unit that
 * refers to it.
 */
static bool find_static(const struct dwarf_scope *s, Dwarf_Die *die, struct variable *ret)
{
	struct location_site site = {.d = s->d, .address = s->address};
	struct global g = {.bare = *die};

	/* with an alternate file, every unit would have to be searched for every variable */
	if (s->d->alternate)
		return false;
	find_place_of_bare(s->d, &g);
	site.unit = g.unit;
	if (g.found)
		location_get(&site, &g.die, -1, ret);
	return g.found;
}

/* Searches a unit. The first DIE without a place is kept. */
static void find_in_unit(struct debuginfo *d, struct unit *u, struct global *g)
{
	struct global here = {.name = g->name, .len = g->len};

	find_global_in(&here, u, &u->die, 0);
	if (here.found_bare && !here.found)
		find_place_of_bare(d, &here);
	if (here.found || !g->found_bare)
		*g = here;
}

/*
 * Searches the unit of the function's source, then that of its code, then all units that have the
 * name.
 */
static void find_by_name(const struct dwarf_scope *s, struct global *g)
{
	struct function *f = instance_function(s->d, s->unit, s->instance);
	struct unit *own = f && f->unit ? f->unit : s->unit;
	bool *which;

	find_in_unit(s->d, own, g);
	if (!g->found && own != s->unit)
		find_in_unit(s->d, s->unit, g);
	which = g->found ? NULL : units_naming(s->d, g->name, g->len);
	for (size_t i = 0; which && !g->found && i < s->d->n_units; i++)
		if (which[i])
			find_in_unit(s->d, &s->d->units[i], g);
	free(which);
}

/*
 * Uses the symbol as the last resort. Variables that a module imports have no address, but the
 * kernel knows them by name.
 */
static int use_symbol(struct debuginfo *d, const char *text, size_t len, struct variable *ret)
{
	char *name = arena_strndup(&d->arena, text, len);
	uint64_t address;
	bool is_elsewhere;

	if (!name || !symbol_of_data(d, name, &address, &is_elsewhere) ||
	    (is_elsewhere && !d->is_kernel))
		return -ENOENT;
	ret->name = name;
	ret->place = (struct place){
		.kind = PLACE_ADDRESS, .address = address, .symbol = d->is_kernel ? name : NULL};
	return 0;
}

static int find_global(const struct dwarf_scope *s, const char *name, size_t len,
		       struct variable *ret)
{
	struct location_site site = {.d = s->d, .address = s->address};
	struct global g = {.name = name, .len = len};
	const char *colons = memrchr(name, ':', len);

	if (colons) {
		g.name = colons + 1;
		g.len = name + len - g.name;
	}
	find_by_name(s, &g);
	site.unit = g.found ? g.unit : s->unit;
	*ret = (struct variable){.is_global = true};
	if (g.found || g.found_bare) {
		Dwarf_Die *die = g.found ? &g.die : &g.bare;

		ret->name = die_name(die);
		ret->type = type_of_die(s->d, die);
	}
	if (g.found) {
		location_get(&site, &g.die, -1, ret);
		return 0;
	}
	/* do not confuse a removed static variable with another of that name */
	if ((!g.found_bare || die_flag(&g.bare, DW_AT_external)) &&
	    use_symbol(s->d, g.name, g.len, ret) == 0)
		return 0;
	if (!g.found_bare)
		return -ENOENT;
	snprintf(ret->why, sizeof(ret->why), "%s",
		 die_flag(&g.bare, DW_AT_declaration)
			 ? "it is only declared here, and defined in another file"
			 : "the optimiser left no such variable in the program");
	return 0;
}

/*
 * --- what a scope does -------------------------------------------------------------------------
 */

static int take_first(void *ctx, const struct variable *v)
{
	*(struct variable *)ctx = *v;
	return -EEXIST; /* ends the search */
}

static int find_variable(const struct scope *scope, const char *name, size_t len,
			 struct variable *ret)
{
	const struct dwarf_scope *s = (const struct dwarf_scope *)scope;
	struct visit v = {.s = s, .visit = take_first, .ctx = ret, .name = name, .len = len};

	if (!len)
		return -ENOENT;
	if (visit_block(&v, &s->instance->die, 0) == -EEXIST)
		return 0;
	return find_global(s, name, len, ret);
}

static int each_variable(const struct scope *scope, bool only_parameters,
			 int (*visit)(void *ctx, const struct variable *v), void *ctx)
{
	const struct dwarf_scope *s = (const struct dwarf_scope *)scope;
	struct visit v = {.s = s, .only_parameters = only_parameters, .visit = visit, .ctx = ctx};
	int r = visit_block(&v, &s->instance->die, 0);

	return r < 0 ? r : 0;
}

static int get_result(const struct scope *scope, struct type *ret_type)
{
	const struct dwarf_scope *s = (const struct dwarf_scope *)scope;
	Dwarf_Attribute a;

	if (!dwarf_attr_integrate(&s->instance->die, DW_AT_type, &a))
		return -ENOENT;
	*ret_type = type_of_die(s->d, &s->instance->die);
	return 0;
}

static const struct scope_ops ops = {find_variable, each_variable, get_result};

struct scope *scope_new(struct debuginfo *d, struct unit *u, struct instance *i, uint64_t address,
			bool is_return)
{
	struct dwarf_scope *s = arena_alloc(&d->arena, sizeof(*s));
	struct instance *outer = i;

	if (!s)
		return NULL;
	while (outer->parent >= 0)
		outer = &u->instances[outer->parent];
	*s = (struct dwarf_scope){.scope = {&ops, &d->types, is_return},
				  .d = d,
				  .unit = u,
				  .instance = i,
				  .outer = outer,
				  .address = is_return ? outer->entry : address};
	return &s->scope;
}

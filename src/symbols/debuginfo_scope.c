// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * debuginfo_scope.c - the variables that can be seen at an instruction.
 *
 *	subprogram main                     the frame is here, whatever is inlined
 *	  inlined work          ◀── instance: its variables, and those of its blocks around the address
 *	    parameter x
 *	    block 1168-1180     ◀── around the address: its variables come first
 *	      variable k
 *	  variable of main                  not seen from work
 *	variable of the unit                globals, last
 *
 * A copy may lack what the function has: then the variable was optimised away in this copy, and stands only
 * in the abstract function. It is shown as such rather than left out.
 */
#include "symbols/debuginfo_int.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK_DEPTH_MAX 64

struct dwarf_scope {
	struct scope scope; /* first */
	struct debuginfo *d;
	struct unit *unit;
	struct instance *instance;
	struct instance *outer; /* the function around it, which has the frame */
	uint64_t address;
};

struct visit {
	const struct dwarf_scope *s;
	bool only_parameters;
	int (*visit)(void *ctx, const struct variable *v);
	void *ctx;
	const char *name; /* NULL: all; else only this one */
	size_t len;
	int n_parameters; /* met so far, in the instance itself */
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

static int visit_variable(struct visit *v, Dwarf_Die *die, bool is_gone)
{
	struct location_site site = site_of(v->s);
	bool is_parameter = dwarf_tag(die) == DW_TAG_formal_parameter;
	struct variable var = {.name = die_name(die), .is_parameter = is_parameter};
	bool inlined = dwarf_tag(&v->s->instance->die) == DW_TAG_inlined_subroutine;
	int argument = is_parameter && !inlined ? v->n_parameters : -1;

	v->n_parameters += is_parameter;
	if (!var.name || die_flag(die, DW_AT_declaration) || (v->only_parameters && !is_parameter))
		return 0;
	if (v->name && (strncmp(var.name, v->name, v->len) || var.name[v->len]))
		return 0;
	var.type = type_of_die(v->s->d, die);
	if (is_gone)
		snprintf(var.why, sizeof(var.why),
			 "it was optimised away in this copy of the code");
	else
		location_get(&site, die, argument, &var);
	return v->visit(v->ctx, &var);
}

/* Is there a DIE among the children that stands for this one? */
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

/* What the source has here and this copy lacks. */
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

/* Blocks around the address first, so that what they hide is met later. */
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

/* --- globals ----------------------------------------------------------------------------------- */

struct global {
	const struct dwarf_scope *s;
	const char *name; /* the whole of it, "ns::count" */
	size_t len;
	const char *plain; /* its last part */
	size_t plain_len;
	Dwarf_Die die;
	bool found, is_external;
};

static bool has_place(Dwarf_Die *die)
{
	Dwarf_Attribute a;

	return dwarf_attr_integrate(die, DW_AT_location, &a) ||
	       dwarf_attr_integrate(die, DW_AT_const_value, &a);
}

static void find_global_in(struct global *g, Dwarf_Die *die, unsigned depth)
{
	Dwarf_Die child;
	const char *before = die->addr;

	if (depth > 16 || dwarf_child(die, &child) != 0)
		return;
	do {
		int tag = dwarf_tag(&child);
		const char *name;

		if ((const char *)child.addr <= before)
			return;
		before = child.addr;
		if (tag == DW_TAG_namespace)
			find_global_in(g, &child, depth + 1);
		if (tag != DW_TAG_variable)
			continue;
		name = die_name(&child);
		if (!name || strncmp(name, g->plain, g->plain_len) || name[g->plain_len] ||
		    !has_place(&child))
			continue;
		g->die = child;
		g->found = true;
	} while (!g->found && dwarf_siblingof(&child, &child) == 0);
}

/* In the unit of the scope first, then in all that have the name. */
static int find_global(const struct dwarf_scope *s, const char *name, size_t len,
		       struct variable *ret)
{
	struct location_site site = {.d = s->d, .address = s->address};
	struct global g = {.s = s, .name = name, .len = len, .plain = name, .plain_len = len};
	const char *colons = memrchr(name, ':', len);
	bool *which;

	if (colons) {
		g.plain = colons + 1;
		g.plain_len = name + len - g.plain;
	}
	find_global_in(&g, &s->unit->die, 0);
	site.unit = s->unit;
	which = g.found ? NULL : units_naming(s->d, g.plain, g.plain_len, false);
	for (size_t i = 0; which && !g.found && i < s->d->n_units; i++)
		if (which[i]) {
			find_global_in(&g, &s->d->units[i].die, 0);
			site.unit = &s->d->units[i];
		}
	free(which);
	if (!g.found)
		return -ENOENT;
	*ret = (struct variable){.name = die_name(&g.die), .type = type_of_die(s->d, &g.die)};
	location_get(&site, &g.die, -1, ret);
	return 0;
}

/* --- what a scope does ------------------------------------------------------------------------- */

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

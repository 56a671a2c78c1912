// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * debuginfo_points_symbols.c - which instructions a definition means that names a symbol: no more is known of the
 * function, or one piece of code is meant.
 *
 *	work.isra.0     this code only; DWARF is asked what it is
 *	sem_wait@V2     a version of a symbol: that one; without, all there are
 *	memcpy          chosen when a program starts (IFUNC): all that can be, see debuginfo_code.c
 */
#include "symbols/debuginfo_points_int.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "work.isra.0": the code at the symbol. 1: there is no DWARF about it. */
static int points_of_described(struct search *s, const struct symbol *symbol, struct errmsg *err)
{
	struct unit *u = s->d->dwarf ? unit_of_address(s->d, symbol->address) : NULL;
	struct instance *i = NULL;

	if (!u || unit_walk(s->d, u) < 0)
		return 1;
	for (size_t k = 0; k < u->n_instances && !i; k++)
		if (u->instances[k].entry == symbol->address && u->instances[k].parent < 0)
			i = &u->instances[k];
	if (!i || !instance_function(s->d, u, i))
		return 1;
	s->only = i;
	return points_of_function(s, instance_function(s->d, u, i), err);
}

/* A symbol without DWARF: entry and offset, no variables. */
static int add_bare_symbol(struct search *s, const struct symbol *symbol, struct errmsg *err)
{
	const struct debuginfo_where *w = s->where;
	struct debuginfo_point *p;

	if ((w->has_line && w->line) || w->pattern)
		return s->d->dwarf
			       ? errmsg_set(
					 err, -ENODATA,
					 "%s has no debug information about %s, only its "
					 "symbol; lines are not known: probe the function itself",
					 s->d->path, w->function)
			       : debuginfo_refuse_dwarf(s->d, err);
	if (w->offset && symbol->n_bytes && w->offset >= symbol->n_bytes)
		return errmsg_set(
			err, -ENOENT,
			"%s is shorter than %llu bytes; name a line of it instead: 'sonde probe "
			"lines' shows them",
			w->function, (unsigned long long)w->offset);
	if (points_check_offset(s, symbol->address, w->offset, err) < 0)
		return -EINVAL;
	p = points_new(s);
	if (!p)
		return -ENOMEM;
	*p = (struct debuginfo_point){.address = symbol->address + w->offset,
				      .symbol = symbol->name,
				      .symbol_offset = w->offset,
				      .function = symbol_source_name(s->d, symbol)};
	if (!strncmp(symbol->name, "_Z", 2)) {
		struct function f = {.name = p->function, .linkage = symbol->name};

		p->choice = function_choice(s->d, &f);
	}
	return 0;
}

static int points_of_code(struct search *s, const struct symbol *symbol, struct errmsg *err)
{
	int r;

	for (size_t i = 0; i < s->n; i++)
		if (s->list[i].address - s->list[i].symbol_offset == symbol->address)
			return 0; /* a constructor has two symbols */
	if (s->where->is_return && symbol_is_cold(symbol->name))
		return errmsg_set(
			err, -EINVAL,
			"%s is a part of a function that is jumped to: it does not return, "
			"and a probe there would overwrite data of the program; leave %s out",
			symbol->name, strstr(symbol->name, ".cold"));
	r = points_of_described(s, symbol, err);
	return r == 1 ? add_bare_symbol(s, symbol, err) : r;
}

/* --- what is chosen when a program starts ------------------------------------------------------ */

struct chooser {
	struct search *s;
	const struct symbol *resolver;
	struct errmsg *err;
};

static int add_choice(void *ctx, const struct symbol *symbol, uint64_t address)
{
	struct chooser *c = ctx;
	struct search *s = c->s;
	const struct symbol bare = {.name = c->resolver->name, .address = address};
	size_t n = s->n;
	int r = points_of_code(s, symbol ? symbol : &bare, c->err);

	for (; n < s->n; n++) {
		s->list[n].function = c->resolver->name; /* that is what was asked for */
		if (!symbol)
			s->list[n].symbol = NULL;
	}
	return r;
}

static int find_shared(void *ctx, const struct symbol *symbol, uint64_t address)
{
	struct chooser *c = ctx;
	struct search *s = c->s;

	(void)symbol;
	for (size_t i = 0; i < s->n && !s->shared; i++)
		if (s->list[i].address == address)
			s->shared = c->resolver->name;
	return s->shared ? -EEXIST : 0;
}

static int points_of_indirect(struct search *s, const struct symbol *resolver, struct errmsg *err)
{
	struct chooser c = {s, resolver, err};
	size_t n = s->n;
	int r = symbol_each_choice(s->d, resolver, add_choice, &c);

	if (r < 0)
		return r;
	if (s->n == n && !s->indirect)
		return errmsg_set(
			err, -ENODATA,
			"%s only chooses an implementation when a program starts (IFUNC), "
			"and which there are is not known here; probe the one that is "
			"used, by its name or its address",
			resolver->name);
	s->indirect = resolver->name;
	symbols_sort(s->d);
	for (size_t i = 0; i < s->d->n_symbols && !s->shared; i++) {
		c.resolver = &s->d->symbols[i];
		if (c.resolver->is_indirect && c.resolver->is_global &&
		    c.resolver->address != resolver->address)
			symbol_each_choice(s->d, c.resolver, find_shared, &c);
	}
	return 0;
}

/* The name is there, but not in that version. */
static int refuse_version(struct search *s, struct errmsg *err)
{
	const struct debuginfo_where *w = s->where;
	char versions[200] = "";

	for (size_t i = 0; i < s->d->n_symbols; i++) {
		const struct symbol *symbol = &s->d->symbols[i];
		size_t len = strlen(versions);

		if (symbol_has_name(symbol, w->function, NULL) && symbol->version)
			snprintf(versions + len, sizeof(versions) - len, "%s%.30s",
				 len ? ", " : "; its versions are ", symbol->version);
	}
	return errmsg_set(
		err, -ENOENT,
		"of %s only the symbol is known, and it has no version '%s'%s; leave @%s out",
		w->function, w->file, versions, w->file);
}

/* Copies: the table may be sorted meanwhile. To be freed. */
static int find_symbols(struct search *s, struct symbol **ret_list, size_t *ret_n)
{
	const struct debuginfo_where *w = s->where;
	bool by_name = symbol_named(s->d, w->function);
	struct symbol *list = NULL;
	size_t n = 0;

	for (size_t i = 0; i < s->d->n_symbols && n < POINTS_MAX; i++) {
		const struct symbol *symbol = &s->d->symbols[i];
		struct symbol *more;

		if (by_name ? !symbol_has_name(symbol, w->function, w->file)
			    : w->file || !symbol_is_meant(symbol, w->function))
			continue;
		if (!by_name && w->is_return && symbol_is_cold(symbol->name))
			continue;
		more = n & (n - 1) ? list : realloc(list, (n ? 2 * n : 1) * sizeof(*list));
		if (!more) {
			free(list);
			return -ENOMEM;
		}
		list = more;
		list[n++] = *symbol;
	}
	*ret_list = list;
	*ret_n = n;
	return 0;
}

/* The symbols of that name; else all whose name in C++ it is, or that a glob means. */
int points_of_symbols(struct search *s, struct errmsg *err)
{
	const char *function = s->where->function;
	struct symbol *list;
	size_t n;
	int r;

	if (find_symbols(s, &list, &n) < 0)
		return -ENOMEM;
	r = 0;
	for (size_t i = 0; r >= 0 && i < n; i++)
		r = list[i].is_indirect ? points_of_indirect(s, &list[i], err)
					: points_of_code(s, &list[i], err);
	free(list);
	if (r < 0 || n)
		return r;
	return s->where->file && symbol_named(s->d, function)
		       ? refuse_version(s, err)
		       : functions_refuse(s->d, function, err);
}

int points_of_bare_symbols(struct search *s, struct errmsg *err)
{
	struct symbol *list;
	size_t n;
	int r = 0;

	if (find_symbols(s, &list, &n) < 0)
		return -ENOMEM;
	for (size_t i = 0; r >= 0 && i < n; i++) {
		if (list[i].is_indirect || unit_of_address(s->d, list[i].address))
			continue;
		if (s->where->wants_variables)
			s->n_bare++;
		else
			r = points_of_code(s, &list[i], err);
	}
	free(list);
	return r;
}

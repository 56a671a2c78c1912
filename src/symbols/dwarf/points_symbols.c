// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * points_symbols.c - finds the instructions of a definition that names a symbol. It is used if only
 * the symbol is known, or if the user selects one piece of code.
 *
 *	work.isra.0     this code only; DWARF describes it
 *	sem_wait@V2     one version of a symbol; without it all versions
 *	memcpy          selected when a program starts (IFUNC): all candidates, see code.c
 */
#include "base/array.h"
#include "base/errmsg.h"
#include "base/scope.h"
#include "symbols/dwarf/points_int.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Adds the code at the symbol "work.isra.0". Returns 1 if DWARF does not describe it. */
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

/* Adds a symbol without DWARF: entry and offset, no variables. */
static int add_bare_symbol(struct search *s, const struct symbol *symbol, struct errmsg *err)
{
	const struct debuginfo_where *w = s->where;
	uint64_t address = symbol->address + w->offset;
	struct debuginfo_point *p;

	if ((w->has_line && w->line) || w->pattern)
		return s->d->dwarf ? errmsg_set(err, -ENODATA,
						"%s has no debug information about %s, only its "
						"symbol, so lines are unknown: probe the function "
						"itself",
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
	if (points_is_refused(s, symbol->address, &address))
		return 0;
	p = points_new(s);
	if (!p)
		return -ENOMEM;
	*p = (struct debuginfo_point){.address = address,
				      .symbol = symbol->name,
				      .symbol_offset = address - symbol->address,
				      .function = symbol_source_name(s->d, symbol)};
	if (!strncmp(symbol->name, "_Z", 2)) {
		struct function f = {.name = p->function, .linkage = symbol->name};

		p->choice = function_choice(s->d, &f);
	}
	return 0;
}

static bool has_point(const struct search *s, const struct symbol *symbol)
{
	return ARRAY_ANY(s->n, i, s->list[i].address - s->list[i].symbol_offset == symbol->address);
}

static int points_of_code(struct search *s, const struct symbol *symbol, struct errmsg *err)
{
	int r;

	if (has_point(s, symbol))
		return 0; /* a constructor has two symbols */
	if (s->where->is_return && symbol_is_cold(symbol->name))
		return errmsg_set(
			err, -EINVAL,
			"%s is a part of a function that is reached by a jump: it does not "
			"return, and a probe there would overwrite data of the program; omit %s",
			symbol->name, strstr(symbol->name, ".cold"));
	r = points_of_described(s, symbol, err);
	return r == 1 ? add_bare_symbol(s, symbol, err) : r;
}

/*
 * --- what is chosen when a program starts ------------------------------------------------------
 */

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
		s->list[n].function = c->resolver->name; /* the requested name */
		if (!symbol)
			s->list[n].symbol = NULL;
	}
	return r;
}

static int find_shared(void *ctx, const struct symbol *symbol, uint64_t address)
{
	struct chooser *c = ctx;
	struct search *s = c->s;

	for (size_t i = 0; i < s->n && !s->shared; i++)
		if (s->list[i].address == address)
			s->shared = c->resolver->name;
	return s->shared ? -EEXIST : 0;
}

static int points_of_indirect(struct search *s, const struct symbol *resolver, struct errmsg *err)
{
	struct chooser c = {s, resolver, err};
	size_t n = s->n;

	TRY(symbol_each_choice(s->d, resolver, add_choice, &c));
	if (s->n == n && !s->indirect && !s->n_refused)
		return errmsg_set(
			err, -ENODATA,
			"%s only selects an implementation when a program starts (IFUNC), and "
			"the candidates are unknown here; probe the one in use, by its name or "
			"its address",
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

/* Reports that the name exists, but not in that version. */
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
	return errmsg_set(err, -ENOENT,
			  "only the symbol of %s is known, and it has no version '%s'%s; omit @%s",
			  w->function, w->file, versions, w->file);
}

/* Copies of symbols, because the table may be sorted during the search. */
struct found {
	const struct debuginfo_where *where;
	struct symbol *list;
	size_t n, room;
};

static int add_found(struct found *f, const struct symbol *symbol)
{
	if (f->n == POINTS_MAX)
		return 0;
	if (!ARRAY_ROOM(f->list, f->room, f->n + 1, POINTS_MAX))
		return -ENOMEM;
	f->list[f->n++] = *symbol;
	return 0;
}

static int add_named(void *ctx, const struct symbol *symbol)
{
	struct found *f = ctx;

	return symbol_has_name(symbol, f->where->function, f->where->file) ? add_found(f, symbol)
									   : 0;
}

/* Finds the symbols. The caller frees the list, also after a failure. */
static int find_symbols(struct search *s, struct found *ret)
{
	const struct debuginfo_where *w = s->where;
	int r;

	*ret = (struct found){.where = w};
	r = symbols_each_named(s->d, w->function, add_named, ret);
	if (r < 0 || ret->n || w->file)
		return r;
	r = symbols_list(s->d);
	for (size_t i = 0; r >= 0 && i < s->d->n_symbols; i++) {
		const struct symbol *symbol = &s->d->symbols[i];

		if (symbol_is_meant(symbol, w->function) &&
		    !(w->is_return && symbol_is_cold(symbol->name)))
			r = add_found(ret, symbol);
	}
	return r;
}

/*
 * Adds a symbol that DWARF describes under another name: malloc is __libc_malloc there. A function
 * has only one name in DWARF, and a pattern may match the other one.
 */
static int points_of_alias(struct search *s, const struct symbol *symbol, struct errmsg *err)
{
	size_t n = s->n;
	int r = points_of_code(s, symbol, err);

	for (; n < s->n; n++)
		s->list[n].function = symbol_source_name(s->d, symbol);
	return r;
}

int points_of_symbols(struct search *s, struct errmsg *err)
{
	const char *function = s->where->function;
	struct found f;
	int r = find_symbols(s, &f);

	for (size_t i = 0; r >= 0 && i < f.n; i++)
		r = f.list[i].is_indirect	  ? points_of_indirect(s, &f.list[i], err)
		    : debuginfo_is_glob(function) ? points_of_alias(s, &f.list[i], err)
						  : points_of_code(s, &f.list[i], err);
	free(f.list);
	if (r < 0 || f.n)
		return r;
	return s->where->file && symbol_named(s->d, function)
		       ? refuse_version(s, err)
		       : functions_refuse(s->d, function, err);
}

int points_of_bare_symbols(struct search *s, struct errmsg *err)
{
	bool is_glob = debuginfo_is_glob(s->where->function);
	struct found f;
	int r = find_symbols(s, &f);

	for (size_t i = 0; r >= 0 && i < f.n; i++) {
		const struct symbol *symbol = &f.list[i];

		bool is_described;

		if (symbol->is_indirect || has_point(s, symbol))
			continue;
		is_described = unit_of_address(s->d, symbol->address);
		if (is_described && is_glob)
			r = points_of_alias(s, symbol, err);
		else if (is_described)
			continue;
		else if (s->where->wants_variables)
			s->n_bare++;
		else
			r = points_of_code(s, symbol, err);
	}
	free(f.list);
	return r;
}

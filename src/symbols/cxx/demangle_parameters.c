// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * demangle_parameters.c - the types behind the name in a symbol of C++.
 *
 *	_ZNK2ns3Box3getEiPKc       int, char const*
 *	               └─┬─┘
 *	_Z5twiceIiET_S0_           int
 *	           │ └─ a parameter, by reference to what came before
 *	           └ the result, which only functions made from templates have
 *
 * Substitutions count from the beginning of the symbol, so the name is read, too.
 */
#include "symbols/cxx/demangle.h"

#include "symbols/cxx/demangle_int.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The last part of the name: behind the "::" that is in no brackets. */
static const char *last_part(const char *name)
{
	const char *part = name;
	int depth = 0;

	for (const char *p = name; *p; p++) {
		depth += *p == '<' || *p == '(' ? 1 : *p == '>' || *p == ')' ? -1 : 0;
		if (depth <= 0 && p[0] == ':' && p[1] == ':')
			part = p + 2;
	}
	return part;
}

static bool has_result(const char *name)
{
	const char *part = last_part(name);
	size_t len = strlen(name);

	return len && name[len - 1] == '>' && strncmp(part, "operator", 8) && *part != '~';
}

static bool run(struct demangler *d, const char *symbol, char *text, size_t n_bytes)
{
	const char *name, *types;
	struct ctype result;
	int n;

	d->p = demangler_fmt(d, "%.*s", (int)strcspn(symbol, ".@"), symbol);
	if (!d->p)
		return false;
	d->p += 2;
	name = *d->p == 'T' ? NULL : demangler_name(d);
	if (!name || (has_result(name) && !demangler_type(d, &result)))
		return false;
	types = *d->p ? demangler_types(d) : NULL; /* a variable has none */
	if (!types || *d->p)
		return false;
	n = snprintf(text, n_bytes, "%s", types);
	return n >= 0 && (size_t)n < n_bytes;
}

bool demangle_parameters(const char *symbol, char *text, size_t n_bytes)
{
	struct demangler d = {0};
	bool ok;

	if (strncmp(symbol, "_Z", 2))
		return false;
	d.pool = malloc(DEMANGLE_POOL_BYTES);
	ok = d.pool && run(&d, symbol, text, n_bytes);
	free(d.pool);
	return ok;
}

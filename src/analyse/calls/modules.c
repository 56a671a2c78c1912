// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * modules.c - finds the program that two traces have under different names.
 *
 * Traces have few modules, so all searches are linear. Only exactly one unknown name on each side
 * is a pair: with two, nobody knows which belongs to which.
 */
#include "analyse/calls/modules.h"

#include <stdbool.h>
#include <string.h>

static bool has(const struct modules *m, const char *name)
{
	for (size_t i = 0; i < m->n; i++)
		if (m->names[i] == name || !strcmp(m->names[i], name))
			return true;
	return false;
}

void modules_add(struct modules *m, const char *name)
{
	if (!name || m->n > MODULES_MAX || has(m, name))
		return;
	if (m->n == MODULES_MAX)
		m->n++;
	else
		m->names[m->n++] = name;
}

/* The only name that `in` has and `from` has not. */
static const char *only_in(const struct modules *in, const struct modules *from)
{
	const char *only = NULL;

	for (size_t i = 0; i < in->n; i++) {
		if (has(from, in->names[i]))
			continue;
		if (only)
			return NULL;
		only = in->names[i];
	}
	return only;
}

struct module_twins modules_find_twins(const struct modules *base, const struct modules *other)
{
	struct module_twins t = {0};

	if (base->n > MODULES_MAX || other->n > MODULES_MAX)
		return t;
	t = (struct module_twins){only_in(base, other), only_in(other, base)};
	if (!t.base || !t.other)
		t = (struct module_twins){0};
	return t;
}

const char *module_in_base(const struct module_twins *t, const char *name)
{
	return t->other && name && !strcmp(name, t->other) ? t->base : name;
}

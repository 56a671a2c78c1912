// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * copies.c - counts inlined copies that contain a line but do not mark where its statements begin.
 *
 *	2b78  l.c:8  stmt      the function itself
 *	11d8  l.c:8            a copy in main: the optimiser lost the mark
 *	11ea  l.c:8            the same copy
 *
 * gcc -O3 -flto produces such tables for functions that are inlined into themselves. Each copy is
 * executed separately, so a count without it is too low. Using the first row of the copy was tried:
 * it counts some lines correctly and others too often, because the optimiser has mixed them. So
 * such copies are only counted, and a note reports them. A copy that has other statements than the
 * function's first line is normal: there the line was removed.
 */
#include "symbols/dwarf/points_int.h"

#include "base/array.h"
#include <errno.h>
#include <stdlib.h>

int copies_note(struct search *s, const struct line_copy *copy)
{
	if (!ARRAY_ROOM(s->copies, s->copies_room, s->n_copies + 1, ARRAY_NO_MAX))
		return -ENOMEM;
	s->copies[s->n_copies++] = *copy;
	return 0;
}

static int compare_numbers(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

/* Sorts by copy and line, statements first. */
static int compare(const void *pa, const void *pb)
{
	const struct line_copy *a = pa, *b = pb;
	int c = compare_numbers((uintptr_t)a->instance, (uintptr_t)b->instance);

	if (!c)
		c = compare_numbers(a->line, b->line);
	if (!c)
		c = b->is_statement - a->is_statement;
	return c ? c : compare_numbers(a->address, b->address);
}

static bool has_statement(const struct search *s, unsigned line)
{
	return ARRAY_ANY(s->n_copies, i, s->copies[i].line == line && s->copies[i].is_statement);
}

unsigned copies_without_statements(struct search *s)
{
	const struct line_copy *before = NULL;
	unsigned n = 0;

	if (!s->n_copies)
		return 0;
	qsort(s->copies, s->n_copies, sizeof(*s->copies), compare);
	for (size_t i = 0; i < s->n_copies; i++) {
		const struct line_copy *c = &s->copies[i];
		bool is_first =
			!before || before->instance != c->instance || before->line != c->line;
		struct function *f;

		before = c;
		if (!is_first || c->is_statement || !has_statement(s, c->line))
			continue;
		f = instance_function(s->d, c->unit, c->instance);
		n += f && !instance_has_statements(c->unit, c->instance, function_line(f));
	}
	return n;
}

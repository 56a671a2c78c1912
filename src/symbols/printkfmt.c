// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * printkfmt.c - reads printk_formats.
 *
 * One format per line; the address ends at the first colon, and the next character is skipped. If
 * rows have the same address, the rule for symbols applies (kallsyms.c). There are a few hundred
 * rows, so qsort() is enough.
 */
#include "symbols/printkfmt.h"
#include "base/array.h"
#include "base/scope.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define FORMATS_MAX (1u << 20)

ARRAY_ORDER(row_compare, struct printkfmt, COMPARE(x->addr, y->addr) ?: COMPARE(y->order, x->order))

/* Removes quotes and the final \n; s has len characters and may be changed. */
static char *strip_quotes(char *s, size_t len)
{
	if (len && s[0] == '"') {
		s++;
		len--;
	}
	if (len && s[len - 1] == '"')
		s[--len] = 0;
	if (len >= 2 && s[len - 2] == '\\' && s[len - 1] == 'n')
		s[len - 2] = 0;
	return s;
}

static int row_parse(struct printkfmt *row, const char *p, const char *end, struct arena *arena)
{
	const char *colon = memchr(p, ':', end - p);
	char *copy;

	if (!colon)
		return 0;
	row->addr = strtoull(p, NULL, 16);
	p = colon + 1 < end ? colon + 2 : end;
	if (p > end)
		p = end;
	copy = arena_strndup(arena, p, end - p);
	if (!copy)
		return -ENOMEM;
	row->format = strip_quotes(copy, end - p);
	return 1;
}

int printkfmts_read(struct printkfmts *ret, struct piece text, struct arena *arena)
{
	/* a copy that ends with NUL, so that strtoull() stops */
	const char *p = arena_strndup(arena, (const char *)text.data, text.len);
	const char *end = p + text.len;
	size_t n = 0;

	memset(ret, 0, sizeof(*ret));
	if (!p)
		return -ENOMEM;
	for (const char *q = p; q < end; q++)
		n += *q == '\n';
	ret->rows = n > FORMATS_MAX ? NULL : arena_alloc_array(arena, n + 1, sizeof(*ret->rows));
	if (!ret->rows)
		return -ENOMEM;
	while (p < end && *p) {
		const char *nl = memchr(p, '\n', end - p), *stop = nl ? nl : end;
		int r = row_parse(&ret->rows[ret->n], p, stop, arena);

		TRY(r);
		if (!r && stop != p)
			break;
		ret->rows[ret->n].order = ret->n;
		ret->n += r;
		p = stop + 1;
	}
	qsort(ret->rows, ret->n, sizeof(*ret->rows), row_compare);
	return 0;
}

const char *printkfmts_find(const struct printkfmts *p, uint64_t addr)
{
	size_t low = 0, high = p->n;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (p->rows[mid].addr == addr)
			return p->rows[mid].format;
		if (addr < p->rows[mid].addr)
			high = mid;
		else
			low = mid + 1;
	}
	return NULL;
}

// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * array.c - the slow part of array.h: more memory for an array.
 *
 * An array starts with 16 items and doubles, so that adding n items copies at most n. The last
 * step grows exactly to the limit.
 */
#include "base/array.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_ITEMS 16

bool array_grow(void *list, size_t *cap, size_t need, size_t each, size_t max)
{
	size_t more = *cap < FIRST_ITEMS ? FIRST_ITEMS : *cap;
	char *items;

	if (need > max || need > SIZE_MAX / 4 / each)
		return false;
	while (more < need)
		more *= 2;
	if (more == *cap)
		more *= 2;
	if (more > max)
		more = max;
	items = realloc(*(void **)list, more * each);
	if (!items)
		return false;
	memset(items + *cap * each, 0, (more - *cap) * each);
	*(void **)list = items;
	*cap = more;
	return true;
}

bool array_one_more(void *list, size_t n, size_t each)
{
	void *items;

	if (n & (n - 1)) /* not a power of two, and not 0: there is room */
		return true;
	if (n > SIZE_MAX / 4 / each)
		return false;
	items = realloc(*(void **)list, (n ? 2 * n : 1) * each);
	if (items)
		*(void **)list = items;
	return items;
}

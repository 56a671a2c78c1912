// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * enums.c - the enums of a uftrace.data directory: "enum colour {RED, GREEN = 5};".
 *
 * A value that no name has exactly is shown as a sum: the largest name that fits, and so on, joined
 * with '|'; what remains is added as a number ("RED+0x3").
 */
#include "base/arena.h"
#include "symbols/uftrace/module.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VALUES_MAX 4096

/* The position behind blanks and separators. */
static const char *skip(const char *p, const char *end, const char *set)
{
	while (p < end && strchr(set, *p))
		p++;
	return p;
}

static const char *find_end(const char *p, const char *end, const char *set)
{
	while (p < end && !strchr(set, *p))
		p++;
	return p;
}

static int compare_values(const void *a, const void *b)
{
	const struct uft_enum_value *x = a, *y = b;

	return x->value > y->value ? -1 : x->value < y->value;
}

/* "A, B = 3": the values of an enum, which ends at end. */
static int parse_values(struct uft_enum *e, struct arena *a, const char *p, const char *end)
{
	int64_t next = 0;

	while ((p = skip(p, end, " \t,")) < end && e->n_values < VALUES_MAX) {
		const char *stop = find_end(p, end, ",");
		const char *name_end = find_end(p, stop, " \t=");
		const char *equal = memchr(p, '=', stop - p);
		char digits[32] = "";

		if (equal) {
			equal = skip(equal + 1, stop, " \t");
			snprintf(digits, sizeof(digits), "%.*s", (int)(stop - equal), equal);
			next = strtoll(digits, NULL, 0);
		}
		e->values[e->n_values].name = arena_strndup(a, p, name_end - p);
		if (!e->values[e->n_values].name)
			return -ENOMEM;
		e->values[e->n_values++].value = next++;
		p = stop;
	}
	qsort(e->values, e->n_values, sizeof(*e->values), compare_values);
	return 0;
}

static size_t count_values(const char *p, const char *end)
{
	size_t n = 1;

	for (; p < end; p++)
		n += *p == ',';
	return n < VALUES_MAX ? n : VALUES_MAX;
}

int uft_enums_parse(struct uft_enum **list, struct arena *a, const char *text, size_t len)
{
	const char *end = text + len;

	while ((text = skip(text, end, " \t;")) < end) {
		const char *open = memchr(text, '{', end - text), *close, *name;
		struct uft_enum *e = arena_alloc(a, sizeof(*e));

		close = open ? memchr(open, '}', end - open) : NULL;
		if (!close)
			return 0;
		name = end - text > 5 && !memcmp(text, "enum ", 5) ? text + 5 : text;
		name = skip(name, open, " \t");
		if (!e)
			return -ENOMEM;
		e->name = arena_strndup(a, name, find_end(name, open, " \t") - name);
		e->values = arena_alloc_array(a, count_values(open, close), sizeof(*e->values));
		if (!e->name || !e->values || parse_values(e, a, open + 1, close) < 0)
			return -ENOMEM;
		e->next = *list;
		*list = e;
		text = close + 1;
	}
	return 0;
}

bool uft_enum_text(const struct uft_enum *list, const char *name, int64_t value, char *buf,
		   size_t n_bytes)
{
	const struct uft_enum *e = list;
	size_t used = 0;

	while (e && strcmp(e->name, name))
		e = e->next;
	if (!e || !n_bytes)
		return false;
	buf[0] = 0;
	for (size_t i = 0; i < e->n_values && (value || !used); i++) {
		const struct uft_enum_value *v = &e->values[i];

		if (v->value > value || (!v->value && used))
			continue;
		used += snprintf(buf + used, n_bytes - used, "%s%s", used ? "|" : "", v->name);
		value -= v->value;
		if (used >= n_bytes)
			return false;
	}
	if (value)
		used += snprintf(buf + used, n_bytes - used, "%s%#llx", used ? "+" : "",
				 (unsigned long long)value);
	return used < n_bytes;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * topnames.c - reads the texts that a sampling keeps about its functions, tasks and files.
 *
 * They are read again for each picture: a few thousand lines, a millisecond. Only functions that
 * were seen are among them.
 */
#include "live/top/topnames.h"

#include "format/bytes.h"
#include "store/events/sampleevents.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAMES_MAX	(1u << 20)
#define ARENA_MAX_BYTES (256u << 20)

static int keep(struct topnamer *n, struct map *map, uint64_t key, const char *text, size_t len)
{
	void **slot = map_take(map, key, NAMES_MAX);

	if (!slot)
		return -ENOMEM;
	*slot = arena_strndup(&n->arena, text, len);
	return *slot ? 0 : -ENOMEM;
}

static int each_line(struct topnamer *n, struct piece text,
		     int (*take)(struct topnamer *n, const char *line, size_t len))
{
	const char *at = (const char *)text.data, *end = at + text.len;

	while (at < end) {
		const char *stop = memchr(at, '\n', (size_t)(end - at));
		size_t len = (size_t)((stop ? stop : end) - at);
		int r = take(n, at, len);

		if (r < 0)
			return r;
		at += len + 1;
	}
	return 0;
}

static int take_task(struct topnamer *n, const char *line, size_t len)
{
	const char *space = memchr(line, ' ', len);

	if (!space)
		return 0;
	return keep(n, &n->tasks, (uint64_t)atoi(line), space + 1,
		    len - (size_t)(space + 1 - line));
}

/* "F FILE BUILD-ID PATH" and "J FILE PID PATH": the last part of the path is perf's DSO. */
static int take_file(struct topnamer *n, const char *line, size_t len)
{
	const char *end = line + len, *path = line, *base;
	uint64_t number;

	if (len < 5 || (line[0] != 'F' && line[0] != 'J') || line[1] != ' ')
		return 0;
	number = strtoull(line + 2, NULL, 16);
	if (line[0] == 'J')
		return keep(n, &n->files, number, "[JIT]", 5);
	for (int i = 0; i < 3 && path; i++) {
		path = memchr(path, ' ', (size_t)(end - path));
		path = path ? path + 1 : NULL;
	}
	if (!path)
		return 0;
	base = memrchr(path, '/', (size_t)(end - path));
	base = base ? base + 1 : path;
	return keep(n, &n->files, number, base, (size_t)(end - base));
}

int topnamer_init(struct topnamer *n, const struct topnames *names)
{
	*n = (struct topnamer){0};
	arena_init(&n->arena, ARENA_MAX_BYTES);
	if (kallsyms_add(&n->symbols, names->symbols) < 0 || kallsyms_sort(&n->symbols) < 0 ||
	    each_line(n, names->tasks, take_task) < 0 ||
	    each_line(n, names->option, take_file) < 0) {
		topnamer_release(n);
		return -ENOMEM;
	}
	return 0;
}

void topnamer_release(struct topnamer *n)
{
	kallsyms_release(&n->symbols);
	map_release(&n->tasks);
	map_release(&n->files);
	arena_release(&n->arena);
}

/* The symbol of a place, of its own file only. */
static const struct ksym *find_symbol(const struct topnamer *n, uint64_t place)
{
	const struct kallsyms *ks = &n->symbols;
	const struct ksym *sym = kallsyms_find(ks, place);

	/* kallsyms does not know where the last function ends */
	if (!sym && ks->n && ks->syms[ks->n - 1].addr <= place)
		sym = &ks->syms[ks->n - 1];
	if (!sym || sampleevents_is_kernel(sym->addr) != sampleevents_is_kernel(place) ||
	    sampleevents_file(sym->addr) != sampleevents_file(place))
		return NULL;
	return sym;
}

const char *topnamer_function(const struct topnamer *n, uint64_t place, char *buf, size_t n_bytes)
{
	const struct ksym *sym = find_symbol(n, place);

	if (sym)
		snprintf(buf, n_bytes, "%.*s", (int)sym->name_len, sym->name);
	else
		snprintf(buf, n_bytes, "0x%llx", (unsigned long long)sampleevents_address(place));
	return buf;
}

const char *topnamer_file(const struct topnamer *n, uint64_t place)
{
	const char *name;

	if (sampleevents_is_kernel(place))
		return "[kernel]";
	name = map_find(&n->files, sampleevents_file(place));
	return name ? name : "[unknown]";
}

const char *topnamer_task(const struct topnamer *n, int tid)
{
	const char *name = map_find(&n->tasks, (uint64_t)tid);

	return name ? name : tid ? "?" : "swapper";
}

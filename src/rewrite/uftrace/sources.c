// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sources.c - where functions begin in their source, in a uftrace.data directory.
 *
 *	L 10 4 /home/me/prog.c     of the trace's option, behind all functions
 *	L: 4 prog.c                of NAME.dbg, behind the function's line "F:"
 *
 * uftrace removes the compilation directory from the names. The option does not record it, so the
 * directory in which the program was recorded stands for it; usually both are the same.
 */
#include "base/arena.h"
#include "rewrite/uftrace/uftwriter_int.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define FUNCS_MAX (1u << 22)

static const char *without_dir(const struct uftwriter *w, const char *path)
{
	size_t len = w->source_dir ? strlen(w->source_dir) : 0;

	return len && !strncmp(path, w->source_dir, len) && path[len] == '/' ? path + len + 1
									     : path;
}

int uftwriter_add_source(struct uftwriter *w, const char *line)
{
	unsigned long long func;
	struct uft_source *source;
	unsigned number;
	int path_at = 0;
	uint64_t address;
	void **slot;

	if (sscanf(line, "L %llx %u %n", &func, &number, &path_at) < 2 || !path_at)
		return 0;
	address = (uintptr_t)map_find(&w->addresses, func);
	if (!address)
		return 0;
	source = arena_alloc(&w->arena, sizeof(*source));
	slot = map_take(&w->sources, address, FUNCS_MAX);
	if (!source || !slot)
		return -ENOMEM;
	line = without_dir(w, line + path_at);
	*source = (struct uft_source){number, arena_strndup(&w->arena, line, strlen(line))};
	if (!source->path)
		return -ENOMEM;
	*slot = source;
	return 0;
}

const struct uft_source *uftwriter_find_source(const struct uftwriter *w,
					       const struct uft_module *m,
					       const struct uft_symbol *s)
{
	return map_find(&w->sources, s->address + m->base - m->low);
}

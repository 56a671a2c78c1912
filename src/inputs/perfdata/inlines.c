// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * inlines.c - what DWARF adds to a place: the functions that the compiler inlined, and the line.
 *
 *	0x1220 beta  ─▶  inl (inlined), beta          from the DWARF of the file
 *	0x1220 beta  ─▶  w.c:8                        the innermost function's line
 *
 * perf asks addr2line for the functions at an address, and treats every name but the symbol's as an
 * inlined function. So a function with two names (an alias in the symbol table) looks inlined, too;
 * the result here is the same. What was found for an address is kept: the same few repeat.
 */
#include "base/array.h"
#include "base/scope.h"
#include "inputs/perfdata/session_int.h"
#include "symbols/cxx/demangle.h"
#include "symbols/dwarf/debuginfo.h"

#include <stdlib.h>
#include <string.h>

#define NAME_MAX_LEN 4096
#define FRAMES_MAX   32
#define PLACES_MAX   (1u << 22)

struct inlined_frames {
	size_t n;
	const char *names[]; /* the innermost first; NULL: the symbol itself */
};

static struct debuginfo *open_debuginfo(struct perfdso *d)
{
	struct debuginfo_paths paths = {.path = d->symbols ? symtable_path(d->symbols) : NULL};
	struct errmsg ignored = {0};

	if (d->tried_debuginfo)
		return d->debuginfo;
	d->tried_debuginfo = true;
	if (paths.path && d->kind == PERFDSO_FILE &&
	    debuginfo_open(&d->debuginfo, &paths, &ignored) < 0)
		d->debuginfo = NULL;
	return d->debuginfo;
}

static struct inlined_frames *make_frames(struct perfsession *s, const struct perfplace *p)
{
	struct debuginfo *d = open_debuginfo((struct perfdso *)p->dso);
	struct debuginfo_frame found[FRAMES_MAX];
	size_t n = d ? debuginfo_frames(d, p->address, found, ARRAY_LEN(found)) : 0;
	struct inlined_frames *f =
		arena_alloc(&s->arena, sizeof(*f) + (n + 1) * sizeof(f->names[0]));

	if (!f)
		return NULL;
	for (size_t i = 0; i < n; i++) {
		char plain[NAME_MAX_LEN];
		const char *name = found[i].linkage ? found[i].linkage : found[i].function;

		if (name && demangle(name, plain, sizeof(plain)))
			name = plain;
		if (!name)
			continue;
		f->names[f->n++] = strcmp(name, p->symbol->name)
					   ? arena_strndup(&s->arena, name, strlen(name))
					   : NULL;
	}
	if (!f->n)
		f->n = 1;
	return f;
}

static const struct inlined_frames *find_frames(struct perfsession *s, const struct perfplace *p)
{
	uint64_t key = hash_step(s->seed, hash_step(s->seed, 0, (uintptr_t)p->dso), p->address);
	void **slot = map_take(&s->inlines, key, PLACES_MAX);

	if (slot && !*slot)
		*slot = make_frames(s, p);
	return slot ? *slot : NULL;
}

size_t perfsession_chain_inlined(struct perfsession *s, const struct perfsample *sample,
				 struct perfplace *ret, size_t max)
{
	struct perfplace plain[PERFSESSION_CHAIN_MAX];
	size_t n_plain = perfsession_chain(s, sample, plain, ARRAY_LEN(plain)), n = 0;

	for (size_t i = 0; i < n_plain && n < max; i++) {
		bool may_be = plain[i].symbol && plain[i].dso && plain[i].is_unwound;
		const struct inlined_frames *f = may_be ? find_frames(s, &plain[i]) : NULL;

		for (size_t k = 0; f && k < f->n && n < max; k++) {
			ret[n] = plain[i];
			ret[n++].inlined = f->names[k];
		}
		if (!f)
			ret[n++] = plain[i];
	}
	return n;
}

/*
 * --- lines of source ---------------------------------------------------------------------------
 */

struct source_line {
	const char *file; /* NULL: unknown */
	unsigned line;
};

static struct source_line *make_line(struct perfsession *s, const struct perfplace *p)
{
	struct debuginfo *d = p->dso ? open_debuginfo((struct perfdso *)p->dso) : NULL;
	struct debuginfo_frame found[FRAMES_MAX];
	/* the call, not what follows it */
	uint64_t address = p->address - (p->is_return && p->address);
	size_t n = d ? debuginfo_frames(d, address, found, ARRAY_LEN(found)) : 0;
	struct source_line *l = arena_alloc(&s->arena, sizeof(*l));

	if (!l || !n || !found[0].file)
		return l;
	l->file = arena_strndup(&s->arena, found[0].file, strlen(found[0].file));
	l->line = found[0].line;
	return l;
}

bool perfsession_source(struct perfsession *s, const struct perfplace *place, const char **ret_file,
			unsigned *ret_line)
{
	uint64_t file = hash_step(s->seed, place->is_return, (uintptr_t)place->dso);
	void **slot = map_take(&s->sources, hash_step(s->seed, file, place->address), PLACES_MAX);
	const struct source_line *l;

	if (slot && !*slot)
		*slot = make_line(s, place);
	l = slot ? *slot : NULL;
	if (!l || !l->file)
		return false;
	*ret_file = l->file;
	*ret_line = l->line;
	return true;
}

void perfsession_free_inlines(struct perfsession *s)
{
	for (struct perfdso *d = s->dsos; d; d = d->next)
		if (d->debuginfo)
			debuginfo_close(d->debuginfo);
	map_release(&s->inlines);
	map_release(&s->sources);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * vars.c - `perf probe -V`: the variables at a place.
 *
 *	Available variables at work:3
 *		@<work+17>
 *			int	a                                 TYPE tab NAME, sorted
 *			[VAL]	struct point*	p	@<work+[0-32,40-71]>      with --range
 *
 * With --range, variables without a place here are shown, too ([INV]), and the ranges where they
 * have a place, in bytes from the beginning of the function. With --externs, variables outside
 * functions are shown ([EXT]).
 *
 * perf's types have no qualifiers, an array is a pointer, and a pointer to an unknown type is
 * (unknown_type).
 */
#include "base/array.h"
#include "base/scope.h"
#include "base/textbuf.h"
#include "cli/as/perf_filter.h"
#include "cli/as/perfprobe/perfprobe.h"
#include "probe/look/seen.h"
#include "symbols/types.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#define TEXT_MAX_BYTES (16u << 20)
#define VARS_MAX       4096
#define POINTERS_MAX   16

/* --- types ------------------------------------------------------------------------------------ */

/* Removes qualifiers. Returns the name of a typedef, or NULL. */
static const char *peel(struct type *t)
{
	struct type next;
	const char *name;

	while (type_peel(*t, &name, &next)) {
		if (*name && strcmp(name, "const") && strcmp(name, "volatile") &&
		    strcmp(name, "restrict"))
			return name;
		*t = next;
	}
	return NULL;
}

static void fmt_type(struct type t, struct textbuf *tb)
{
	static const char *const words[] = {
		[TYPE_STRUCT] = "struct ", [TYPE_UNION] = "union ", [TYPE_ENUM] = "enum "};
	unsigned n_pointers = 0;
	struct type_facts f;
	const char *name;

	for (;; t = f.target, n_pointers++) {
		name = peel(&t);
		type_get(t, &f);
		if (name || n_pointers == POINTERS_MAX || f.is_reference ||
		    (f.kind != TYPE_POINTER && f.kind != TYPE_ARRAY))
			break;
	}
	if (name) {
		textbuf_add_str(tb, name);
	} else if (f.kind == TYPE_FUNCTION) {
		textbuf_add_str(tb, "(function_type)");
	} else if (f.is_reference || f.kind == TYPE_VOID || f.kind == TYPE_UNKNOWN) {
		textbuf_add_str(tb, "(unknown_type)");
		n_pointers = 0;
	} else {
		if (f.kind == TYPE_STRUCT || f.kind == TYPE_UNION || f.kind == TYPE_ENUM)
			textbuf_add_str(tb, words[f.kind]);
		textbuf_add_str(tb, f.name);
	}
	textbuf_add_fill(tb, '*', n_pointers);
}

/* --- the list of a point ---------------------------------------------------------------------- */

struct point_vars {
	const struct perf_probe_options *o;
	struct debuginfo *d; /* NULL: the data comes from BTF */
	const struct debuginfo_point *p;
	char **lines;
	size_t n;
	bool are_globals;
};

struct ranges {
	struct textbuf *tb;
	uint64_t begin; /* begin of the function */
	bool any;
};

static int add_range(void *ctx, uint64_t begin, uint64_t end)
{
	struct ranges *r = ctx;

	textbuf_addf(r->tb, "%s%llu-%llu", r->any ? "," : "",
		     (unsigned long long)(begin - r->begin), (unsigned long long)(end - r->begin));
	r->any = true;
	return 0;
}

/* Writes the function's name in the source, without C++ namespaces and parameters. */
static void fmt_symbol(const struct point_vars *l, struct textbuf *tb)
{
	const struct debuginfo_point *p = l->p;
	const char *name = p->symbol ? p->symbol : p->function, *tail;
	struct debuginfo_at at;

	if (l->d && p->symbol && debuginfo_at(l->d, p->address - p->symbol_offset, &at) >= 0 &&
	    at.function)
		name = at.function;
	tail = strrchr(name, ':');
	textbuf_add_str(tb, tail ? tail + 1 : name);
}

/* Returns false if the variable has no ranges. */
static bool fmt_ranges(const struct point_vars *l, const struct variable *v, struct textbuf *tb)
{
	struct ranges r = {tb, l->p->address - l->p->symbol_offset, false};

	if (!l->d || l->are_globals)
		return true;
	textbuf_add_str(tb, "\t@<");
	fmt_symbol(l, tb);
	textbuf_add_str(tb, "+[");
	debuginfo_ranges(l->d, l->p, v->name, add_range, &r);
	textbuf_add_str(tb, "]>");
	return r.any;
}

static int keep(struct point_vars *l, struct textbuf *tb)
{

	textbuf_add(tb, "", 1);
	if (tb->overflow)
		return -ENOMEM;
	for (size_t i = 0; i < l->n; i++)
		if (!strcmp(l->lines[i], tb->start))
			return 0;
	if (l->n == VARS_MAX)
		return 0;
	if (!ARRAY_ONE_MORE(l->lines, l->n, VARS_MAX))
		return -ENOMEM;
	l->lines[l->n] = strdup(tb->start);
	if (!l->lines[l->n])
		return -ENOMEM;
	l->n++;
	return 0;
}

static int add_variable(void *ctx, const struct variable *v)
{
	struct point_vars *l = ctx;
	bool is_here = v->place.kind != PLACE_NOWHERE;
	TEXTBUF(tb, 1 << 16);

	if ((!is_here && !l->o->range) || !v->name || !perf_filter_matches(l->o->filter, v->name))
		return 0;
	if (l->o->range)
		textbuf_add_str(&tb, l->are_globals ? "[EXT]\t" : is_here ? "[VAL]\t" : "[INV]\t");
	fmt_type(v->type, &tb);
	textbuf_addf(&tb, "\t%s", v->name);
	return l->o->range && !fmt_ranges(l, v, &tb) ? 0 : keep(l, &tb);
}

static int compare_texts(const void *pa, const void *pb)
{
	return strcmp(*(char *const *)pa, *(char *const *)pb);
}

static int fmt_point(struct point_vars *l, struct textbuf *tb)
{
	int r = l->p->scope ? l->p->scope->ops->each(l->p->scope, false, add_variable, l) : 0;

	l->are_globals = true;
	if (r >= 0 && l->o->externs && l->d)
		r = debuginfo_globals(l->d, l->p, add_variable, l);
	if (l->n)
		qsort(l->lines, l->n, sizeof(*l->lines), compare_texts);
	textbuf_add_str(tb, "\t@<");
	fmt_symbol(l, tb);
	textbuf_addf(tb, "+%llu>\n", (unsigned long long)l->p->symbol_offset);
	for (size_t i = 0; i < l->n; i++) {
		textbuf_addf(tb, "\t\t%s\n", l->lines[i]);
		free(l->lines[i]);
	}
	if (!l->n)
		textbuf_add_str(tb, "\t\t(No matched variables)\n");
	free(l->lines);
	return r;
}

/* --- all -------------------------------------------------------------------------------------- */

static int fmt_seen(const struct perf_probe_options *o, const struct perf_probe_definition *of,
		    const struct probeseen *seen, const struct textbuf *name, struct textbuf *tb)
{
	if (seen->d && !debuginfo_has_dwarf(seen->d)) {
		perf_probe_say(o,
			       "The %s file has no debug information.\nRebuild with -g, or install "
			       "an appropriate debuginfo package.\n",
			       of->target.program ? of->target.program : "kernel's");
		return -ENOENT;
	}
	textbuf_addf(tb, "Available variables at %.*s\n", (int)textbuf_len(name), name->start);
	for (size_t i = 0; i < seen->points.n; i++)
		TRY(fmt_point(
			&(struct point_vars){.o = o, .d = seen->d, .p = &seen->points.list[i]},
			tb));
	return 0;
}

static int fmt_definition(const struct perf_probe_options *o,
			  const struct perf_probe_definition *of, struct textbuf *tb,
			  struct errmsg *err)
{
	struct probeseen_options how = {.no_inlines = o->no_inlines, .at_entry = true};
	struct probe_target where;
	struct probeseen seen;
	TEXTBUF(name, 4096);
	char path[PATH_MAX];
	int r;

	perf_probe_where(o, &of->target, path, &where);
	perf_probe_fmt_point(of->d, &name);
	r = probeseen_open(&seen, &where, of->d, &how, err);
	if (r == -ENOENT && (of->target.program || of->target.module))
		perf_probe_say(o, "Failed to find the address of %.*s\n", (int)textbuf_len(&name),
			       name.start);
	TRY(r);
	r = fmt_seen(o, of, &seen, &name, tb);
	probeseen_close(&seen);
	return r;
}

int perf_probe_vars(const struct perf_probe_options *o)
{
	struct errmsg err = {0};
	TEXTBUF(tb, TEXT_MAX_BYTES);
	int own, r = 0;

	own = perf_probe_enter(o);
	for (size_t i = 0; i < o->n_definitions && r >= 0; i++)
		r = fmt_definition(o, &o->definitions[i], &tb, &err);
	perf_probe_leave(own);
	fwrite(tb.start ? tb.start : "", 1, textbuf_len(&tb), stdout);
	return r < 0 ? perf_probe_fail(o, "Failed to show vars.", r, &err) : 0;
}

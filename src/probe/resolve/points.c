// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * points.c - finds the instructions of a definition with debug information: in a program, a module
 * or the kernel.
 *
 * A line or an inlined function has several instructions. They become places of one event, within
 * the limits of the kernel and of sonde; a note reports what was skipped. The caller writes the
 * place (kernel.c: SYMBOL+OFFSET, program.c: PATH:OFFSET).
 */
#include "base/arena.h"
#include "probe/resolve/resolve_int.h"

#include "symbols/arch.h"
#include "symbols/cxx/signature.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

int resolve_add_point(struct resolution *r, const char *text, const struct debuginfo_point *pt)
{
	struct probe_place *added = resolve_add_place(r, text);
	char about[PATH_MAX + 400];

	if (!added)
		return resolve_no_memory(r);
	if (pt->is_behind_prologue)
		r->out->probe.entry = pt->address - pt->symbol_offset;
	if (pt->has_frame && r->prober->kernel.arch) {
		added->frame_reg = arch_register(r->prober->kernel.arch, pt->frame_reg);
		added->frame_offset = pt->frame_offset;
	}
	if (pt->inlined_into) {
		snprintf(about, sizeof(about), "inlined into %s at %s:%u", pt->inlined_into,
			 pt->file ? pt->file : "?", pt->line);
		added->about = arena_strndup(&r->out->memory, about, strlen(about));
	}
	return 0;
}

/* The data of one point, for resolve_try(). */
struct trial {
	int (*add)(void *ctx, const struct debuginfo_point *pt);
	void *ctx;
	const struct debuginfo_point *point;
};

static int add_trial(void *ctx)
{
	struct trial *t = ctx;

	return t->add(t->ctx, t->point);
}

/* Returns true for several C++ functions that differ in their parameters. */
static bool are_overloaded(const struct debuginfo_points *points)
{
	const char *first = points->n ? points->list[0].choice : NULL;

	for (size_t i = 1; first && i < points->n; i++)
		if (points->list[i].choice && strcmp(points->list[i].choice, first))
			return true;
	return false;
}

/* Returns true for several C functions, each static in its own file. */
static bool are_namesakes(const struct debuginfo_points *points)
{
	const struct debuginfo_point *first = points->list;

	for (size_t i = 1; i < points->n; i++)
		if (first->file && points->list[i].file && first->function &&
		    strcmp(first->file, points->list[i].file))
			return true;
	return false;
}

/* Writes "helper@a1.c", which selects only this function. */
static const char *fmt_namesake(struct resolution *r, const struct debuginfo_point *pt)
{
	const char *slash = pt->file ? strrchr(pt->file, '/') : NULL;
	char text[400];
	int n = snprintf(text, sizeof(text), "%.200s@%.150s", pt->function,
			 slash ? slash + 1 : pt->file);

	return pt->file ? arena_strndup(&r->out->memory, text, n) : NULL;
}

static void note_left_out(struct resolution *r, unsigned n_left_out, size_t n_points,
			  const char *choice)
{
	if (choice && !strchr(choice, '('))
		resolve_note(r,
			     "'%s'%s left out: it lacks what is to be recorded; a file like "
			     "this selects a function",
			     choice, n_left_out > 1 ? " and others are" : " is");
	else if (choice)
		resolve_note(r,
			     "'%s'%s left out: it lacks what is to be recorded; parameters "
			     "like these select a function",
			     choice, n_left_out > 1 ? " and others are" : " is");
	else
		resolve_note(r, "%u of %zu places are left out: they lack what is to be recorded",
			     n_left_out, n_points);
}

/*
 * Adds the points. For a pattern, or several functions of one name, only functions with the
 * variables to be recorded count.
 */
static int add_points(struct resolution *r, const struct debuginfo_points *points,
		      int (*add)(void *ctx, const struct debuginfo_point *pt), void *ctx)
{
	bool is_glob = r->d->function && debuginfo_is_glob(r->d->function);
	bool is_overloaded = !is_glob && r->d->function && are_overloaded(points);
	bool is_static = !is_glob && !is_overloaded && r->d->function && !r->d->has_line &&
			 !r->d->pattern && are_namesakes(points);
	bool is_any = is_glob || is_overloaded || is_static;
	unsigned max = r->prober->world.max_places, n_left_out = 0;
	const char *choice = NULL;
	struct trial trial = {add, ctx};
	struct errmsg why = {0};
	int result = 0;

	r->n_points = points->n;
	for (size_t i = 0; i < points->n && result >= 0; i++) {
		size_t n = r->out->probe.n_places;

		if (n == max || (n && !r->prober->kernel.many_places)) {
			r->out->probe.is_limited = n == max;
			resolve_note(r, "only %zu of %zu places are probed: %s", n, points->n,
				     n == max ? "the limit of places is reached"
					      : "this kernel accepts one for each event");
			break;
		}
		trial.point = &points->list[i];
		r->choice = is_overloaded ? trial.point->choice
			    : is_static	  ? fmt_namesake(r, trial.point)
					  : NULL;
		result = is_any ? resolve_try(r, add_trial, &trial, &why) : add(ctx, trial.point);
		if (result == -ENOENT && is_any) {
			n_left_out++;
			choice = choice ? choice : r->choice;
			result = 0;
		}
	}
	if (n_left_out && !result && !r->out->probe.n_places) {
		*r->err = why;
		return why.code;
	}
	if (n_left_out)
		note_left_out(r, n_left_out, points->n, choice);
	return result < 0 ? result : resolve_check_args(r);
}

/* Adds a note that one symbol stands for many functions, so that the user knows what is counted. */
static void note_indirect(struct resolution *r, const struct debuginfo_points *points)
{
	const char *name = points->list[0].symbol;

	if (points->n == 1)
		resolve_note(r,
			     "%s is selected when a program starts (IFUNC); of the candidates only "
			     "%s is in this file, and calls of others (the kernel's vDSO) are not "
			     "seen",
			     points->indirect, name ? name : "one");
	else
		resolve_note(r,
			     "%s is selected when a program starts (IFUNC): all %zu candidates "
			     "are probed%s%s%s%s%s",
			     points->indirect, points->n, name ? ", as " : "", name ? name : "",
			     points->shared ? "; calls of " : "",
			     points->shared ? points->shared : "",
			     points->shared ? " use the same code, and are seen as well" : "");
}

struct debuginfo_where resolve_debuginfo_where(const struct resolution *r)
{
	const struct definition *d = r->d;

	return (struct debuginfo_where){
		.function = d->function,
		.file = d->file,
		.line = d->line,
		.has_line = d->has_line,
		.offset = d->offset,
		.pattern = d->pattern,
		.is_return = d->is_return,
		.wants_variables = resolve_wants_variables(d),
		.no_inlines = r->prober->world.no_inlines || r->prober->world.only_calls,
		.is_probed = true,
	};
}

static bool has_points(struct debuginfo *info, const struct debuginfo_where *where)
{
	struct debuginfo_points points;
	struct errmsg ignored = {0};

	if (debuginfo_points(info, where, &points, &ignored) < 0)
		return false;
	debuginfo_points_release(&points);
	return true;
}

static bool has_source(struct debuginfo *info, const char *file)
{
	struct debuginfo_source source;
	struct errmsg ignored = {0};

	if (debuginfo_source(info, NULL, file, 0, 0, &source, &ignored) < 0)
		return false;
	debuginfo_source_release(&source);
	return true;
}

/* Returns true if the function is in another file, or if there is no code from that file. */
static bool is_wrong_file(const struct definition *d, struct debuginfo *info)
{
	struct debuginfo_where entry = {.function = d->function, .file = d->file};

	if (!d->file || !debuginfo_has_dwarf(info))
		return false;
	if (!d->function)
		return !has_source(info, d->file);
	if (has_points(info, &entry))
		return false;
	entry.file = NULL;
	return has_points(info, &entry);
}

/* Returns the part of the place that is wrong. */
static struct span find_spot(const struct definition *d, struct debuginfo *info,
			     const struct debuginfo_where *where)
{
	struct debuginfo_where entry = *where;

	if (is_wrong_file(d, info))
		return d->file_span;
	if (d->has_line || d->pattern)
		return d->line_span;
	entry.offset = 0;
	if (d->offset && has_points(info, &entry))
		return d->offset_span;
	return d->function ? d->function_span : d->file_span;
}

int resolve_each_point(struct resolution *r, struct debuginfo *info,
		       int (*add)(void *ctx, const struct debuginfo_point *pt), void *ctx,
		       const char **ret_function)
{
	const struct definition *d = r->d;
	struct debuginfo_where where = resolve_debuginfo_where(r);
	struct debuginfo_points points;
	struct errmsg why = {0};
	const char *function;
	size_t len;
	int result = debuginfo_points(info, &where, &points, &why);

	if (result < 0)
		return RESOLVE_REFUSE(r, find_spot(d, info, &where), result, "%s", why.text);
	if (points.n_inlined && (d->is_return || !r->prober->world.only_calls))
		resolve_note(r, "%u inlined %s left out: %s", points.n_inlined,
			     points.n_inlined == 1 ? "copy is" : "copies are",
			     d->is_return ? "only functions return" : "not wanted");
	if (points.n_variants)
		resolve_note(r, "%u %s of %s left out: %s another one, which is seen",
			     points.n_variants, points.n_variants == 1 ? "variant" : "variants",
			     d->function, points.n_variants == 1 ? "it calls" : "they call");
	if (points.n_unclear)
		resolve_note(
			r,
			"%u inlined %s not probed: %s the line, too, but the debug information "
			"does not say where it begins there",
			points.n_unclear, points.n_unclear == 1 ? "copy is" : "copies are",
			points.n_unclear == 1 ? "it has" : "they have");
	if (points.n_repeated)
		resolve_note(r,
			     "%u inlined %s in several pieces, as if a loop was unrolled: only "
			     "where %s first is seen; its first line, %u, is seen in each piece",
			     points.n_repeated, points.n_repeated == 1 ? "copy is" : "copies are",
			     points.n_repeated == 1 ? "it begins" : "they begin",
			     points.repeated_line);
	if (points.n_bare)
		resolve_note(r,
			     "%u %s of that name %s left out: built without debug information, "
			     "so its variables are unknown",
			     points.n_bare, points.n_bare == 1 ? "function" : "functions",
			     points.n_bare == 1 ? "is" : "are");
	if (points.n_refused)
		resolve_note(r, "%u of %zu places %s left out: %s", points.n_refused,
			     points.n_refused + points.n, points.n_refused == 1 ? "is" : "are",
			     points.refused);
	if (points.indirect)
		note_indirect(r, &points);
	result = add_points(r, &points, add, ctx);
	function = d->function ? d->function : points.n ? points.list[0].function : NULL;
	len = function ? signature_name_length(function) : 0;
	*ret_function = arena_strndup(&r->out->memory, len ? function : "line", len ? len : 4);
	debuginfo_points_release(&points);
	return result < 0 || *ret_function ? result : resolve_no_memory(r);
}

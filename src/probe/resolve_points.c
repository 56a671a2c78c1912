// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * resolve_points.c - the instructions that a definition means, by debug information: of a program, a
 * module or the kernel alike.
 *
 * A line or an inlined function has several. They become places of one event, as far as the kernel and the
 * limit allow; what is left out is noted for the person. How a place is written differs, which is the
 * caller's affair (resolve_kernel.c: SYMBOL+OFFSET, resolve_program.c: PATH:OFFSET).
 */
#include "probe/resolve_int.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

int resolve_add_point(struct resolution *r, const char *text, const struct debuginfo_point *pt)
{
	struct probe_place *added = resolve_add_place(r, text);
	char about[PATH_MAX + 400];

	if (!added)
		return resolve_no_memory(r);
	if (pt->inlined_into) {
		snprintf(about, sizeof(about), "inlined into %s at %s:%u", pt->inlined_into,
			 pt->file ? pt->file : "?", pt->line);
		added->about = arena_strndup(&r->out->memory, about, strlen(about));
	}
	return 0;
}

static int add_points(struct resolution *r, const struct debuginfo_points *points,
		      int (*add)(void *ctx, const struct debuginfo_point *pt), void *ctx)
{
	unsigned max = r->prober->world.max_places;
	int result = 0;

	r->n_points = points->n;
	for (size_t i = 0; i < points->n && result >= 0; i++) {
		if (i == max || (i && !r->prober->kernel.many_places)) {
			resolve_note(r, "only %zu of %zu places are probed: %s", i, points->n,
				     i == max ? "the limit of places is reached"
					      : "this kernel takes one for each event");
			break;
		}
		result = add(ctx, &points->list[i]);
	}
	return result < 0 ? result : resolve_check_args(r);
}

int resolve_each_point(struct resolution *r, struct debuginfo *info,
		       int (*add)(void *ctx, const struct debuginfo_point *pt), void *ctx,
		       const char **ret_function)
{
	const struct definition *d = r->d;
	struct debuginfo_where where = {
		.function = d->function,
		.file = d->file,
		.line = d->line,
		.has_line = d->has_line,
		.offset = d->offset,
		.pattern = d->pattern,
		.is_return = d->is_return,
		.wants_variables = resolve_wants_variables(d),
		.no_inlines = r->prober->world.no_inlines,
	};
	struct debuginfo_points points;
	struct errmsg why = {0};
	const char *function;
	int result = debuginfo_points(info, &where, &points, &why);

	if (result < 0)
		return RESOLVE_REFUSE(r,
				      d->has_line || d->pattern ? d->line_span
				      : d->function		? d->function_span
								: d->file_span,
				      result, "%s", why.text);
	result = add_points(r, &points, add, ctx);
	function = d->function ? d->function : points.n ? points.list[0].function : NULL;
	*ret_function = arena_strndup(&r->out->memory, function ? function : "line",
				      strlen(function ? function : "line"));
	debuginfo_points_release(&points);
	return result < 0 || *ret_function ? result : resolve_no_memory(r);
}

// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * functions.c - sums the calls of a range by function.
 *
 * If a function calls itself, the time of the outer call includes that of the inner one. So the
 * total counts only the outermost call, while self time counts every call. off is the time in which
 * the task of a call did not run. A call whose start or end was not recorded is only counted
 * (n_cut).
 */
#include "base/array.h"
#include "base/scope.h"
#include "timeline/insight/insight_int.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define FUNCTIONS_SHOWN 2000

struct function_sum {
	struct function_times pub;
	uint32_t label;
};

struct functions {
	struct function_sum *rows; /* sums by label */
	size_t n;
	bool failed;
};

static void add_function(void *ctx, const struct counted_call *call)
{
	struct functions *f = ctx;
	uint32_t label = call->path[call->depth];
	struct function_sum *row;
	bool is_inner = false;

	if (!ARRAY_ROOM(f->rows, f->n, (size_t)label + 1, LABELS_MAX)) {
		f->failed = true;
		return;
	}
	/* the outer call of the same function already includes this time */
	for (unsigned i = 0; i < call->depth; i++)
		is_inner |= call->path[i] == label;
	row = &f->rows[label];
	row->label = label;
	if (call->is_cut) {
		row->pub.n_cut++;
		return;
	}
	row->pub.n++;
	row->pub.total += is_inner ? 0 : call->ns;
	row->pub.off += is_inner || call->ns > call->wall_ns ? 0 : call->wall_ns - call->ns;
	row->pub.self += call->self_ns;
	if (call->ns > row->pub.max || row->pub.n == 1) {
		row->pub.max = call->ns;
		row->pub.max_at = call->start;
	}
}

static int compare_functions(const void *a, const void *b)
{
	const struct function_sum *x = a, *y = b;

	if (x->pub.self != y->pub.self)
		return x->pub.self > y->pub.self ? -1 : 1;
	if (x->pub.n != y->pub.n)
		return x->pub.n > y->pub.n ? -1 : 1;
	if (x->pub.n_cut != y->pub.n_cut)
		return x->pub.n_cut > y->pub.n_cut ? -1 : 1;
	return (x->label > y->label) - (x->label < y->label);
}

static int list_functions(struct lanes *ls, struct functions *f, struct insight_functions *ret)
{
	size_t n = 0;

	if (f->n)
		qsort(f->rows, f->n, sizeof(*f->rows), compare_functions);
	while (n < f->n && n < FUNCTIONS_SHOWN && (f->rows[n].pub.n || f->rows[n].pub.n_cut))
		n++;
	ret->functions = calloc(n + 1, sizeof(*ret->functions));
	if (!ret->functions)
		return -ENOMEM;
	ret->n_functions = n;
	for (size_t i = 0; i < n; i++) {
		ret->functions[i] = f->rows[i].pub;
		ret->functions[i].name = labels_find(&ls->labels, f->rows[i].label);
	}
	return 0;
}

int insight_functions(struct insight_functions *ret, struct lanes *ls, int task, uint64_t from,
		      uint64_t to)
{
	struct insight_functions answer = {0};
	struct functions f = {0};
	int r = insight_each_call(ls, task, from, to, true, add_function, &f, &answer.is_wall);

	if (!r || r == -ENODATA)
		r = f.failed ? -ENOMEM : list_functions(ls, &f, &answer);
	free(f.rows);
	TRY(r);
	*ret = answer;
	return 0;
}

void insight_functions_release(struct insight_functions *f)
{
	free(f->functions);
	*f = (struct insight_functions){0};
}

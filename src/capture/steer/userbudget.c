// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * userbudget.c - which functions are worth their cost.
 *
 *  calls of each function in this step ─▶ rank ─▶ the highest are switched off until the rest of
 *  the calls would have stayed below the budget
 *
 *	rank = calls / value of a call;  the value is 1, plus 1 for each microsecond of self time;
 *	calls that contain others have 4 times the value: without them the tree has gaps
 *
 * The cost is compared with the step's CPU time without tracing, so it is correct from the first
 * step on. Records come late: a function that is off may still have calls from before. AIM is below
 * the budget: when the program does something else, it calls other functions.
 */
#include "capture/steer/userbudget.h"

#include "base/array.h"
#include "base/scope.h"
#include "capture/steer/usercost.h"
#include "capture/steer/userswitch.h"

#include <stdlib.h>

#define AIM	      0.7
#define STEP_MIN_NS   2000000u /* of CPU time: less is too little to judge */
#define FUNCTIONS_MAX (1u << 28)

struct candidate {
	uint32_t number;
	uint64_t n_calls; /* in this step */
	double rank;
};

void userbudget_release(struct userbudget *b)
{
	free(b->last);
	b->last = NULL;
	b->cap = 0;
}

/* Returns the rank of a function: its cost compared with its value. */
static double rank_of(const struct userstats_count *step)
{
	double leaf_us = step->n_leaves ? (double)step->leaf_ns / 1000 / step->n_leaves : 0;
	double says = 1 + leaf_us;
	uint64_t n_inner = step->n_calls - step->n_leaves;

	if (n_inner > step->n_leaves / 8)
		says *= 4;
	return (double)step->n_calls / says;
}

static int compare(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;

	return x->rank > y->rank ? -1 : x->rank < y->rank ? 1 : x->number < y->number ? -1 : 1;
}

static struct userstats_count step_of(const struct userbudget *b, uint32_t number)
{
	struct userstats_count now = userstats_get(b->stats, number), *last = &b->last[number];
	struct userstats_count step = {now.n_calls - last->n_calls, now.n_leaves - last->n_leaves,
				       now.leaf_ns - last->leaf_ns};

	*last = now;
	return step;
}

/* The functions that were called in this step, and are on. The caller frees the list. */
static struct candidate *list_candidates(struct userbudget *b, uint32_t n_functions, size_t *ret_n,
					 uint64_t *ret_n_calls)
{
	struct candidate *list = calloc(n_functions + 1, sizeof(*list));
	size_t n = 0;

	*ret_n_calls = 0;
	for (uint32_t i = 0; list && i < n_functions; i++) {
		struct userstats_count step = step_of(b, i);

		if (!step.n_calls || !userswitch_is_on(b->switches, i))
			continue;
		*ret_n_calls += step.n_calls;
		if (userswitch_may_end(b->switches, i))
			list[n++] = (struct candidate){i, step.n_calls, rank_of(&step)};
	}
	*ret_n = n;
	return list;
}

size_t userbudget_step(struct userbudget *b, const struct usercost *cost, uint32_t n_functions)
{
	double allowed =
		usercost_rest(cost, cost->step_n_calls, cost->step_cpu_ns) * b->percent / 100;
	SCOPED(scope_free) struct candidate *list = NULL;
	size_t n, n_off = 0;
	uint64_t n_calls;
	double ours;

	if (!b->percent || cost->step_cpu_ns < STEP_MIN_NS ||
	    !ARRAY_ROOM(b->last, b->cap, n_functions, FUNCTIONS_MAX))
		return 0;
	list = list_candidates(b, n_functions, &n, &n_calls);
	if (!list)
		return 0;
	ours = (double)n_calls * cost->call_ns;
	if (ours > allowed)
		qsort(list, n, sizeof(*list), compare);
	else
		n = 0;
	for (size_t i = 0; i < n && ours > allowed * AIM; i++) {
		uint64_t seen = userstats_get(b->stats, list[i].number).n_calls;

		if (userswitch_set(b->switches, list[i].number, false, USERSWITCH_BUDGET, seen) < 0)
			break;
		ours -= (double)list[i].n_calls * cost->call_ns;
		n_off++;
	}
	return n_off;
}

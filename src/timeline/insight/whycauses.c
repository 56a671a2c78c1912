// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * whycauses.c - sums the times of a path by state, and within a state by task name.
 *
 * A path through a build has hundreds of tasks, but few names: cc1, as, ld. All names of all states
 * are in one array, which has room for one name per sum; a cause points to its part.
 */
#include "base/array.h"
#include "decode/taskstate.h"
#include "timeline/insight/whycauses.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int compare_comms(const void *a, const void *b, void *ctx)
{
	const struct why_name *x = a, *y = b;
	const struct timeline *tl = ctx;

	return strncmp(timeline_task(tl, x->task)->comm, timeline_task(tl, y->task)->comm,
		       sizeof(timeline_task(tl, x->task)->comm));
}

static int compare_names(const void *a, const void *b, void *tl)
{
	const struct why_name *x = a, *y = b;

	if (x->ns != y->ns)
		return x->ns > y->ns ? -1 : 1;
	return compare_comms(a, b, tl);
}

ARRAY_ORDER(compare_causes, struct why_cause, COMPARE(y->ns, x->ns) ?: COMPARE(x->state, y->state))

/* Sums the names of one state in `names`, which has enough room. */
static void add_cause(struct why_causes *c, enum task_state state, const struct insight_why *y,
		      const struct timeline *tl, struct why_name *names)
{
	struct why_cause *cause = &c->causes[c->n];
	size_t n = 0, n_joined = 0;

	*cause = (struct why_cause){.state = state, .names = names};
	for (size_t i = 0; i < y->n_sums; i++)
		if (y->sums[i].state == state) {
			names[n++] = (struct why_name){y->sums[i].ns, y->sums[i].task, 1};
			cause->ns += y->sums[i].ns;
		}
	if (!n)
		return;
	qsort_r(names, n, sizeof(*names), compare_comms, (void *)tl);
	for (size_t i = 0; i < n; i++) {
		if (n_joined && !compare_comms(&names[n_joined - 1], &names[i], (void *)tl)) {
			names[n_joined - 1].ns += names[i].ns;
			names[n_joined - 1].n_tasks++;
		} else {
			names[n_joined++] = names[i];
		}
	}
	qsort_r(names, n_joined, sizeof(*names), compare_names, (void *)tl);
	cause->n_names = n_joined;
	c->n++;
}

int why_causes_init(struct why_causes *ret, const struct insight_why *y, const struct timeline *tl)
{
	struct why_causes c = {.names = calloc(y->n_sums + 1, sizeof(*c.names))};
	struct why_name *next = c.names;

	if (!c.names)
		return -ENOMEM;
	for (unsigned s = 0; s < STATES_N; s++) {
		size_t n = c.n;

		add_cause(&c, s, y, tl, next);
		if (c.n > n)
			next += c.causes[n].n_names;
	}
	qsort(c.causes, c.n, sizeof(c.causes[0]), compare_causes);
	*ret = c;
	return 0;
}

void why_causes_release(struct why_causes *c)
{
	free(c->names);
	*c = (struct why_causes){0};
}

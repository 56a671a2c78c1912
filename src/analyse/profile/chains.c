// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * chains.c - makes a tree or a list of the stacks of a row.
 *
 *	A ─┬─ B ── C    2 ×        sorting puts stacks with the same first frames side by side;
 *	   └─ D         1 ×        at each level, a run of equal frames becomes a node
 *
 * The tree is made on request, in its own arena, and is valid until the next request: a profile may
 * have thousands of rows with stacks, and only one is printed at a time.
 *
 * Stacks are sorted word by word, the lower half of a frame first. That is trace-cmd's order, and
 * it decides which of two branches with equal times comes first.
 */
#include "analyse/profile/profile_int.h"
#include "base/arena.h"
#include "base/scope.h"

#include <stdlib.h>
#include <string.h>

static int compare(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int by_frames(const void *a, const void *b)
{
	const struct pstack *x = (*(struct plink *const *)a)->stack;
	const struct pstack *y = (*(struct plink *const *)b)->stack;
	size_t n = x->n_frames < y->n_frames ? x->n_frames : y->n_frames;

	for (size_t i = 0; i < n; i++) {
		uint64_t v = x->frames[i], w = y->frames[i];

		if (v != w)
			return (uint32_t)v != (uint32_t)w ? compare((uint32_t)v, (uint32_t)w)
							  : compare(v >> 32, w >> 32);
	}
	return compare(x->n_frames, y->n_frames);
}

static int chains_by_time(const void *a, const void *b)
{
	const struct profile_chain *x = a, *y = b;
	int c = compare(y->times.total, x->times.total);

	return c ? c : compare(y->times.n, x->times.n);
}

/* Sorts chains with a merge sort. It is stable: chains with equal times keep their order. */
static void sort_chains(struct profile_chain *c, size_t n, struct profile_chain *spare)
{
	size_t half = n / 2, a = 0, b = half;

	if (n < 2)
		return;
	sort_chains(c, half, spare);
	sort_chains(c + half, n - half, spare);
	for (size_t i = 0; i < n; i++)
		spare[i] =
			b == n || (a < half && chains_by_time(&c[a], &c[b]) <= 0) ? c[a++] : c[b++];
	memcpy(c, spare, n * sizeof(*c));
}

static void set_percents(struct profile_chain *c, size_t n)
{
	uint64_t time = 0, count = 0;

	for (size_t i = 0; i < n; i++) {
		time += c[i].times.total;
		count += c[i].times.n;
	}
	for (size_t i = 0; i < n; i++) {
		uint64_t part = time ? c[i].times.total : c[i].times.n, all = time ? time : count;

		c[i].percent = all ? (unsigned)((part * 100 + all / 2) / all) : 0;
	}
}

static size_t run_of_equal(struct plink *const *links, size_t n, size_t level)
{
	size_t i = 1;

	while (i < n && links[i]->stack->n_frames > level &&
	       links[i]->stack->frames[level] == links[0]->stack->frames[level])
		i++;
	return i;
}

/*
 * Makes the nodes of one level. The links [0, n) have equal frames on all levels above. The depth
 * is at most PROFILE_FRAMES_MAX.
 */
static struct profile_chain *make_chains(struct profile *p, struct plink *const *links, size_t n,
					 size_t level, size_t *ret_n)
{
	struct profile_chain *chains, *spare;
	size_t n_chains = 0, run;

	*ret_n = 0;
	while (n && links[0]->stack->n_frames <= level) { /* the shortest stacks come first */
		links++;
		n--;
	}
	for (size_t i = 0; i < n; i += run_of_equal(links + i, n - i, level))
		n_chains++;
	if (!n_chains)
		return NULL;
	chains = arena_alloc_array(&p->chain_arena, n_chains, sizeof(*chains));
	if (!chains)
		return NULL;
	for (size_t i = 0, k = 0; i < n; i += run, k++) {
		run = run_of_equal(links + i, n - i, level);
		chains[k].addr = links[i]->stack->frames[level];
		for (size_t j = i; j < i + run; j++)
			profile_times_merge(&chains[k].times, &links[j]->times);
		chains[k].children =
			make_chains(p, links + i, run, level + 1, &chains[k].n_children);
	}
	spare = n_chains > 1 ? arena_alloc_array(&p->chain_arena, n_chains, sizeof(*spare)) : NULL;
	if (spare)
		sort_chains(chains, n_chains, spare);
	set_percents(chains, n_chains);
	*ret_n = n_chains;
	return chains;
}

static struct plink **list_links(const struct prow *row)
{
	struct plink **list = calloc(row->pub.n_stacks + 1, sizeof(*list));
	size_t n = 0;

	for (struct plink *l = row->links; list && l; l = l->next)
		list[n++] = l;
	return list;
}

static const struct prow *row_of(const struct profile_row *row)
{
	return (const struct prow *)((const char *)row - offsetof(struct prow, pub));
}

const struct profile_chain *profile_chains(struct profile *p, const struct profile_row *row,
					   size_t *ret_n)
{
	SCOPED(scope_free) struct plink **links = row->n_stacks ? list_links(row_of(row)) : NULL;

	*ret_n = 0;
	if (!links)
		return NULL;
	arena_release(&p->chain_arena);
	arena_init(&p->chain_arena, PROFILE_MAX_BYTES);
	qsort(links, row->n_stacks, sizeof(*links), by_frames);
	return make_chains(p, links, row->n_stacks, 0, ret_n);
}

static int stacks_by_time(const void *a, const void *b)
{
	const struct profile_stack *x = a, *y = b;
	int c = compare(y->times.total, x->times.total);

	if (!c)
		c = compare(y->times.n, x->times.n);
	for (size_t i = 0; !c && i < x->n_frames && i < y->n_frames; i++)
		c = compare(x->frames[i], y->frames[i]);
	return c ? c : compare(x->n_frames, y->n_frames);
}

struct profile_stack *profile_stacks(const struct profile *p, const struct profile_row *row)
{
	struct profile_stack *list = calloc(row->n_stacks + 1, sizeof(*list));
	size_t n = 0;

	for (const struct plink *l = row_of(row)->links; list && l; l = l->next)
		list[n++] = (struct profile_stack){l->stack->frames, l->stack->n_frames, l->times};
	if (list)
		qsort(list, n, sizeof(*list), stacks_by_time);
	return list;
}

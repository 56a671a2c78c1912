// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * sampletree.c - adds the chain of each different stack to a graph once, with all its samples.
 *
 * Filters mean the same as for calls (callfilter.h), applied to the frames of one stack:
 *
 *	only      the chain begins at the function; samples without it do not count
 *	never     the chain ends before the function
 *	callers   the chain ends with the function; samples without it do not count
 *	hide      the frame is omitted
 */
#include "analyse/samples/sampletree.h"

#include "analyse/calls/callfilter.h"
#include "analyse/samples/stacknames.h"
#include "analyse/samples/sampleset.h"
#include "base/array.h"
#include "symbols/tasks.h"

#include <stdlib.h>
#include <string.h>

struct tree {
	const struct sampletree_config *config;
	struct callgraph *graph;
	const struct flow_func **chain;
	size_t cap;
};

static unsigned judge(const struct callfilter *filter, const struct flow_func *f)
{
	if (f->is_name && !callfilter_kinds(filter))
		return 0;
	return callfilter_judge(filter, f->name, f->module, f->source, f->is_user);
}

static bool is_of_side(const struct callfilter_config *c, const struct flow_func *f)
{
	if (f->is_name)
		return true;
	return f->is_user ? !c->kernel_only : !c->no_kernel;
}

int sampletree_filter(const struct callfilter *filter, const struct flow_func **chain, size_t n)
{
	const struct callfilter_config *c = callfilter_config(filter);
	unsigned kinds = callfilter_kinds(filter);
	bool is_inside = !(kinds & CALL_ONLY), leads = !(kinds & CALL_CALLERS);
	size_t n_kept = 0;

	for (size_t i = 0; i < n; i++) {
		unsigned verdict = kinds ? judge(filter, chain[i]) : 0;

		if (verdict & CALL_NEVER)
			break;
		is_inside |= !!(verdict & CALL_ONLY);
		if (is_inside && !(verdict & CALL_HIDE) && is_of_side(c, chain[i]) &&
		    (!c->max_depth || n_kept < c->max_depth))
			chain[n_kept++] = chain[i];
		if (verdict & CALL_CALLERS) {
			leads = true;
			break;
		}
	}
	return is_inside && leads && n_kept ? (int)n_kept : -1;
}

static void turn(const struct flow_func **chain, size_t n)
{
	for (size_t i = 0; i < n / 2; i++) {
		const struct flow_func *f = chain[i];

		chain[i] = chain[n - 1 - i];
		chain[n - 1 - i] = f;
	}
}

static void add_row(struct tree *t, const struct sampleset_row *row)
{
	const struct sampletree_config *c = t->config;
	size_t n, n_all = 0;
	const struct flow_func *const *funcs = stacknames_chain(c->names, row->stack, &n);
	int n_kept;

	if (!ARRAY_ROOM(t->chain, t->cap, n + 1, ARRAY_NO_MAX))
		return;
	if (c->by_task)
		t->chain[n_all++] =
			stacknames_find_text(c->names, row->task ? row->task->comm : "(unknown)");
	if (n)
		memcpy(t->chain + n_all, funcs, n * sizeof(*funcs));
	n_kept = c->filter ? sampletree_filter(c->filter, t->chain + n_all, n) : (int)n;
	if (n_kept < 0)
		return;
	if (c->upside_down)
		turn(t->chain + n_all, (size_t)n_kept);
	callgraph_add_chain(t->graph, t->chain, n_all + (size_t)n_kept, row->n, row->weight);
}

struct callgraph *sampletree_new(const struct sampletree_config *config)
{
	struct tree t = {.config = config, .graph = callgraph_new_bare(config->program)};
	const struct sampleset_row *rows;
	size_t n;

	if (!t.graph)
		return NULL;
	rows = sampleset_rows(config->set, &n);
	for (size_t i = 0; i < n; i++)
		add_row(&t, &rows[i]);
	callgraph_end(t.graph);
	free(t.chain);
	return t.graph;
}

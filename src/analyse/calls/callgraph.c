// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * callgraph.c - builds the tree of calls, and answers questions about it.
 *
 * A frame of callflow.h keeps its node. So the node of a call is a child of its caller's node:
 * usually the child that was called last; otherwise a hash table finds it by (parent, function). No
 * walk of the tree is recursive: a program may be a hundred thousand calls deep.
 *
 * Parts of a trace (callparts.c): each segment of a task has a tree of its own, which hangs below
 * the call that was open. It is merged when the part is joined. Children stand in the order of their
 * first call, so a node knows its place in that order: it is counted within a part, and parts follow
 * each other.
 *
 * Memory: a node takes 136 bytes, and 16 in the table; NODES_MAX_BYTES hold 800 000 nodes. Calls
 * beyond this limit are counted as cut, and their time counts for their callers.
 */
#include "analyse/calls/callgraph.h"

#include "analyse/calls/modules.h"

#include "base/arena.h"
#include "base/array.h"
#include "base/errmsg.h"
#include "decode/formats/formats.h"
#include "symbols/tasks.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>

#define NODES_MAX_BYTES (128u << 20)
#define SLOTS_MIN	1024
#define EDGES_MAX	(1u << 20)

struct callgraph {
	const struct callgraph_config *config;
	struct callflow_config flow_config;
	struct flow_sink sink;
	struct callflow *flow;
	struct formats *f;
	struct arena arena;
	struct graph_node root;
	struct graph_node **slots; /* by parent and function; half of them free */
	size_t n_slots, n_used;
	uint64_t seed, n_cut;
	uint64_t now;  /* the place of the next node in the order of first calls */
	uint64_t base; /* where that of the next part begins */
	bool is_part, is_joined;
	const struct callgraph *joining; /* the part that is joined */
	const struct task *first;
	uint64_t first_order;
	const char *program; /* of a graph of stacks */
	uint8_t *wanted;
};

/*
 * --- nodes -------------------------------------------------------------------------------------
 */

static size_t slot_find(struct graph_node **slots, size_t n_slots, uint64_t seed,
			const struct graph_node *parent, const struct flow_func *func)
{
	uint64_t key = (uintptr_t)parent * HASH_ODD + (uintptr_t)func;
	size_t i = hash_number(seed, key, n_slots);

	while (slots[i] && (slots[i]->parent != parent || slots[i]->func != func))
		i = (i + 1) & (n_slots - 1);
	return i;
}

static bool grow(struct callgraph *g)
{
	size_t n = g->n_slots ? g->n_slots * 2 : SLOTS_MIN;
	struct graph_node **slots = calloc(n, sizeof(struct graph_node *));

	if (!slots)
		return false;
	for (size_t i = 0; i < g->n_slots; i++)
		if (g->slots[i])
			slots[slot_find(slots, n, g->seed, g->slots[i]->parent,
					g->slots[i]->func)] = g->slots[i];
	free(g->slots);
	g->slots = slots;
	g->n_slots = n;
	return true;
}

static void adopt(struct graph_node *parent, struct graph_node *node)
{
	node->parent = parent;
	node->depth = parent->depth + 1;
	if (parent->last_child)
		parent->last_child->next = node;
	else
		parent->child = node;
	parent->last_child = node;
	parent->n_children++;
}

/* The child of a node; NULL: no memory. */
static struct graph_node *child_of(struct callgraph *g, struct graph_node *parent,
				   const struct flow_func *func)
{
	struct graph_node *node;
	size_t at;

	if (parent->recent && parent->recent->func == func)
		return parent->recent;
	if (g->n_used * 2 >= g->n_slots && !grow(g))
		return NULL;
	at = slot_find(g->slots, g->n_slots, g->seed, parent, func);
	node = g->slots[at];
	if (!node) {
		node = arena_alloc(&g->arena, sizeof(*node));
		if (!node)
			return NULL;
		node->func = func;
		node->order = g->now++;
		adopt(parent, node);
		g->slots[at] = node;
		g->n_used++;
	}
	parent->recent = node;
	return node;
}

struct graph_node *graph_skip(const struct graph_node *node, const struct graph_node *top)
{
	for (; node && node != top; node = node->parent)
		if (node->next)
			return node->next;
	return NULL;
}

struct graph_node *graph_next(const struct graph_node *node, const struct graph_node *top)
{
	return node->child ? node->child : graph_skip(node, top);
}

static int compare_orders(const void *a, const void *b)
{
	const struct graph_node *x = *(struct graph_node *const *)a,
				*y = *(struct graph_node *const *)b;

	return x->order < y->order ? -1 : x->order > y->order;
}

static void sort_children(struct graph_node *node, struct graph_node **list,
			  int (*compare)(const void *a, const void *b))
{
	size_t n = 0;

	for (struct graph_node *c = node->child; c; c = c->next)
		list[n++] = c;
	qsort(list, n, sizeof(struct graph_node *), compare);
	for (size_t i = 0; i < n; i++)
		list[i]->next = i + 1 < n ? list[i + 1] : NULL;
	node->child = n ? list[0] : NULL;
	node->last_child = n ? list[n - 1] : NULL;
}

static void sort_all(struct callgraph *g, int (*compare)(const void *a, const void *b))
{
	struct graph_node **list;
	uint32_t most = 0;

	for (struct graph_node *n = &g->root; n; n = graph_next(n, &g->root))
		most = n->n_children > most ? n->n_children : most;
	list = calloc((size_t)most + 1, sizeof(struct graph_node *));
	if (!list)
		return; /* the order of the first calls is one, too */
	for (struct graph_node *n = &g->root; n; n = graph_next(n, &g->root))
		if (n->n_children > 1)
			sort_children(n, list, compare);
	free(list);
}

/*
 * --- calls -------------------------------------------------------------------------------------
 */

static void enter(void *ctx, struct flow_task *t, struct flow_frame *f)
{
	struct callgraph *g = ctx;
	struct flow_frame *caller = flow_caller(t, f);
	struct graph_node *top = g->is_part ? t->aside : &g->root;
	struct graph_node *parent = caller ? caller->aside : top;

	if (!g->first || !g->first->pid) {
		g->first = t->task;
		g->first_order = g->now;
	}
	f->aside = parent ? child_of(g, parent, f->func) : NULL;
	if (!f->aside && g->is_part)
		g->n_cut++; /* no memory; the call may stay open, so leave() may never know */
}

static void leave(void *ctx, struct flow_task *t, struct flow_frame *f, const struct flow_end *end,
		  const struct record *rec)
{
	struct callgraph *g = ctx;
	struct graph_node *node;

	if (!end->is_counted || !(end->is_known || (end->is_open && f->func->is_user)))
		return;
	if (!f->aside)
		enter(ctx, t, f); /* its beginning was not recorded */
	node = f->aside;
	if (!node) {
		g->n_cut++;
		return;
	}
	if (!node->n || end->duration < node->min)
		node->min = end->duration;
	if (end->duration > node->max)
		node->max = end->duration;
	node->n++;
	node->total += end->duration;
	node->self += end->self;
}

static bool is_chosen(const struct callgraph *g, const struct record *rec)
{
	for (size_t i = 0; i < g->config->n_tids; i++)
		if (rec->task && rec->task->pid == g->config->tids[i])
			return true;
	return !g->config->n_tids;
}

void callgraph_add(struct callgraph *g, const struct record *rec)
{
	if (is_chosen(g, rec))
		callflow_add(g->flow, rec);
	else
		callflow_settle(g->flow, rec);
}

void callgraph_run(void *callgraph, struct walker *w, struct record *rec, uint64_t offset,
		   uint64_t before)
{
	struct callgraph *g = callgraph;

	if (is_chosen(g, rec))
		callflow_run(g->flow, w, rec, offset, before);
}

void callgraph_add_chain(struct callgraph *g, const struct flow_func *const *funcs, size_t n_funcs,
			 uint64_t n, uint64_t weight)
{
	struct graph_node *node = &g->root;

	for (size_t i = 0; i < n_funcs; i++) {
		struct graph_node *child = child_of(g, node, funcs[i]);

		if (!child) {
			g->n_cut += n;
			break;
		}
		child->n += n;
		child->total += weight;
		node = child;
	}
	node->self += weight;
}

/*
 * --- parts -------------------------------------------------------------------------------------
 */

static void add_numbers(struct graph_node *to, const struct graph_node *from)
{
	if (from->n && (!to->n || from->min < to->min))
		to->min = from->min;
	if (from->max > to->max)
		to->max = from->max;
	to->n += from->n;
	to->total += from->total;
	to->self += from->self;
}

static bool begin_segment(void *ctx, struct flow_task *t)
{
	struct callgraph *g = ctx;
	struct graph_node *top = arena_alloc(&g->arena, sizeof(*top));

	if (top)
		top->order = g->now++;
	t->aside = top;
	return top;
}

/* The node of the last call that is known. */
static struct graph_node *node_of_top(struct callgraph *g, const struct flow_task *t)
{
	const struct flow_frame *top = t->n ? &t->frames[t->n - 1] : NULL;

	if (top && !(top->flags & FLOW_SHOWN))
		top = flow_caller(t, top);
	return top ? top->aside : &g->root;
}

static int join_segment(void *ctx, struct flow_task *t, void *aside)
{
	struct callgraph *g = ctx;
	struct graph_node *top = aside;

	top->recent = node_of_top(g, t);
	if (!top->recent)
		return -EAGAIN;
	for (struct graph_node *n = graph_next(top, top); n; n = graph_next(n, top)) {
		uint64_t order = g->base + n->order;
		struct graph_node *twin;

		g->now = order;
		twin = child_of(g, n->parent->recent, callflow_same(g->joining->flow, n->func));
		if (!twin)
			return -EAGAIN;
		twin->order = twin->order < order ? twin->order : order;
		add_numbers(twin, n);
		n->recent = twin;
	}
	return 0;
}

static void seek_segment(void *ctx, const void *aside)
{
	struct callgraph *g = ctx;

	g->now = g->base + ((const struct graph_node *)aside)->order;
}

static void carry_frame(void *ctx, struct flow_frame *f)
{
	f->aside = ((struct graph_node *)f->aside)->recent;
}

/* The task of the first call of all gives the graph its name. */
static void join_first(struct callgraph *g, const struct callgraph *part, struct tasks *tasks)
{
	uint64_t order = g->base + part->first_order;

	if (!part->first || (g->first && !part->first->pid))
		return;
	if (g->first && g->first->pid && g->first_order < order)
		return;
	g->first = tasks_find(tasks, part->first->pid);
	g->first_order = order;
}

int callgraph_make_part(struct callgraph *g)
{
	g->is_part = true;
	return g->config->n_tids ? -ENOTSUP : callflow_make_part(g->flow);
}

int callgraph_join(struct callgraph *g, struct callgraph *part, struct tasks *tasks)
{
	int r;

	if (part->n_cut)
		return -EAGAIN;
	g->joining = part;
	g->is_joined = true;
	r = callflow_join(g->flow, part->flow, tasks);
	if (r < 0 || g->n_cut)
		return r < 0 ? r : -EAGAIN;
	join_first(g, part, tasks);
	g->now = g->base += part->now;
	arena_release(&part->arena);
	arena_init(&part->arena, NODES_MAX_BYTES);
	if (part->slots)
		memset(part->slots, 0, part->n_slots * sizeof(struct graph_node *));
	part->n_used = 0;
	part->now = 0;
	part->first = NULL;
	return 0;
}

bool callgraph_is_bare(const struct callgraph *g)
{
	return !g->flow;
}

/* Takes a node out of the tree. */
static void forget(struct graph_node *node)
{
	struct graph_node *parent = node->parent, *before = NULL;

	for (struct graph_node *c = parent->child; c != node; c = c->next)
		before = c;
	if (before)
		before->next = node->next;
	else
		parent->child = node->next;
	if (parent->last_child == node)
		parent->last_child = before;
	parent->n_children--;
}

/* Removes nodes without a call in or below them: the filter excluded all their calls. */
static void prune(struct callgraph *g)
{
	struct graph_node *node = g->root.child;

	while (node && node != &g->root) {
		struct graph_node *next;

		while (node->child)
			node = node->child;
		for (;;) { /* node and all below it are done */
			struct graph_node *parent = node->parent;

			next = node->next;
			if (!node->n && !node->child)
				forget(node);
			if (next || parent == &g->root)
				break;
			node = parent;
		}
		node = next;
	}
}

void callgraph_end(struct callgraph *g)
{
	if (g->flow) {
		callflow_finish(g->flow);
		if (g->is_joined)
			sort_all(g, compare_orders);
		prune(g);
	}
	g->root.n = g->root.total = 0;
	for (const struct graph_node *c = g->root.child; c; c = c->next) {
		g->root.total += c->total;
		g->root.n = 1;
	}
}

struct graph_node *callgraph_root(struct callgraph *g)
{
	return &g->root;
}

const char *callgraph_program(const struct callgraph *g)
{
	return g->first ? g->first->comm : g->program;
}

const struct flow_counts *callgraph_counts(const struct callgraph *g)
{
	static const struct flow_counts none = {0};

	return g->flow ? callflow_counts(g->flow) : &none;
}

uint64_t callgraph_cut(const struct callgraph *g)
{
	return g->n_cut;
}

/*
 * --- order and comparison ----------------------------------------------------------------------
 */

static int compare_funcs(const struct flow_func *a, const struct flow_func *b)
{
	int r = strcmp(a->name, b->name);

	if (!r)
		r = strcmp(a->module ? a->module : "", b->module ? b->module : "");
	return r ? r : (int)b->is_user - (int)a->is_user;
}

static int compare_nodes(const void *a, const void *b)
{
	return compare_funcs((*(struct graph_node *const *)a)->func,
			     (*(struct graph_node *const *)b)->func);
}

void callgraph_sort(struct callgraph *g)
{
	sort_all(g, compare_nodes);
}

/* A function of the other graph as one of this. */
static const struct flow_func *own_func(struct callgraph *g, const struct flow_func *func)
{
	struct flow_func *own = arena_alloc(&g->arena, sizeof(*own));

	if (!own)
		return NULL;
	*own = *func;
	own->name = arena_strndup(&g->arena, func->name, func->name_len);
	if (func->module)
		own->module = arena_strndup(&g->arena, func->module, strlen(func->module));
	if (func->source)
		own->source = arena_strndup(&g->arena, func->source, strlen(func->source));
	return own->name ? own : NULL;
}

static void add_modules(struct modules *m, const struct graph_node *root)
{
	for (const struct graph_node *n = graph_next(root, root); n; n = graph_next(n, root))
		if (n->func->is_user)
			modules_add(m, n->func->module);
}

/* The child with the same function; added if there is none. Children are sorted and stay so. */
static struct graph_node *match(struct callgraph *g, struct graph_node *parent,
				const struct flow_func *func)
{
	struct graph_node *before = NULL, *node, *at = parent->child;
	int r = 1;

	/* siblings come in order, so the search continues where the last one ended */
	if (parent->recent && compare_funcs(parent->recent->func, func) < 0) {
		before = parent->recent;
		at = before->next;
	}
	for (; at; before = at, at = at->next) {
		r = compare_funcs(at->func, func);
		if (r >= 0)
			break;
	}
	if (at && !r) {
		parent->recent = at;
		return at;
	}
	node = arena_alloc(&g->arena, sizeof(*node));
	if (!node)
		return NULL;
	node->func = own_func(g, func);
	if (!node->func)
		return NULL;
	node->parent = parent;
	node->depth = parent->depth + 1;
	node->next = at;
	if (before)
		before->next = node;
	else
		parent->child = node;
	if (!at)
		parent->last_child = node;
	parent->n_children++;
	parent->recent = node;
	return node;
}

static void note_other(struct graph_node *node, const struct graph_node *other)
{
	node->other_n = other->n;
	node->other_total = other->total;
	node->other_self = other->self;
}

int callgraph_compare(struct callgraph *g, struct callgraph *other)
{
	struct graph_node *here = &g->root;
	struct modules ours = {0}, theirs = {0};
	struct module_twins twins;

	add_modules(&ours, &g->root);
	add_modules(&theirs, &other->root);
	twins = modules_find_twins(&ours, &theirs);
	callgraph_sort(g);
	callgraph_sort(other);
	for (struct graph_node *n = &g->root; n; n = graph_next(n, &g->root))
		n->recent = NULL;
	note_other(&g->root, &other->root);
	for (struct graph_node *n = graph_next(&other->root, &other->root); n;
	     n = graph_next(n, &other->root)) {
		struct flow_func func = *n->func;

		func.module = module_in_base(&twins, func.module);
		/* `here` matches the node before n; go up to the one that matches n's parent */
		while (here->depth >= n->depth)
			here = here->parent;
		here = match(g, here, &func);
		if (!here)
			return -ENOMEM;
		note_other(here, n);
	}
	return 0;
}

/*
 * --- one function ------------------------------------------------------------------------------
 */

static bool add_node(struct graph_focus *f, struct graph_node *node, size_t *cap)
{
	if (!ARRAY_ROOM(f->nodes, *cap, f->n + 1, ARRAY_NO_MAX))
		return false;
	f->nodes[f->n++] = node;
	return true;
}

/* Adds everything below `from` to what is below `to`. */
static int merge_below(struct callgraph *g, struct graph_node *to, const struct graph_node *from)
{
	struct graph_node *here = to;

	for (const struct graph_node *n = graph_next(from, from); n; n = graph_next(n, from)) {
		while (here->depth - to->depth >= n->depth - from->depth)
			here = here->parent;
		here = child_of(g, here, n->func);
		if (!here)
			return -ENOMEM;
		add_numbers(here, n);
	}
	return 0;
}

int callgraph_focus(struct callgraph *g, const char *pattern, struct graph_focus *ret)
{
	struct graph_focus f = {0};
	size_t cap = 0;
	int r = 0;

	f.callees = arena_alloc(&g->arena, sizeof(*f.callees));
	if (!f.callees)
		return -ENOMEM;
	for (struct graph_node *n = g->root.child; n && r >= 0;) {
		if (fnmatch(pattern, n->func->name, 0)) {
			n = graph_next(n, &g->root);
			continue;
		}
		if (!f.callees->func)
			f.callees->func = n->func;
		add_numbers(f.callees, n);
		r = add_node(&f, n, &cap) ? merge_below(g, f.callees, n) : -ENOMEM;
		n = graph_skip(n, &g->root);
	}
	if (r >= 0 && !f.n)
		r = -ENOENT;
	if (r < 0)
		graph_focus_release(&f);
	else
		*ret = f;
	return r;
}

void graph_focus_release(struct graph_focus *f)
{
	free(f->nodes);
	*f = (struct graph_focus){0};
}

int callgraph_edges(struct callgraph *g, struct graph_edge **ret, size_t *ret_n)
{
	struct graph_edge *edges = calloc(g->n_used + 1, sizeof(*edges));
	struct map seen = {0};
	size_t n = 0;
	int r = edges ? 0 : -ENOMEM;

	for (struct graph_node *node = g->root.child; node && r >= 0;
	     node = graph_next(node, &g->root)) {
		const struct flow_func *from = node->parent->func;
		/* numbers of functions are small: both fit; + 1, as there may be none */
		uint64_t key =
			((uint64_t)(from ? from->number + 1 : 0) << 32) | (node->func->number + 1);
		void **slot = map_take(&seen, key, EDGES_MAX);
		struct graph_edge *e;

		if (!slot) {
			r = -ENOMEM;
			break;
		}
		if (!*slot) {
			edges[n] = (struct graph_edge){.from = from, .to = node->func};
			*slot = &edges[n++];
		}
		e = *slot;
		e->n += node->n;
		e->total += node->total;
	}
	map_release(&seen);
	if (r < 0) {
		free(edges);
		return r;
	}
	*ret = edges;
	*ret_n = n;
	return 0;
}

/*
 * --- life --------------------------------------------------------------------------------------
 */

static int open_flow(struct callgraph *g, struct errmsg *err)
{
	const struct call_kinds *kinds;
	int r;

	g->flow_config = (struct callflow_config){.filter = g->config->filter,
						  .with_own = g->config->with_own,
						  .from = g->config->from,
						  .to = g->config->to};
	g->sink = (struct flow_sink){.ctx = g,
				     .enter = enter,
				     .leave = leave,
				     .begin = begin_segment,
				     .join = join_segment,
				     .seek = seek_segment,
				     .carry = carry_frame};
	r = callflow_new(&g->flow, g->f, &g->flow_config, &g->sink);
	if (r < 0)
		return errmsg_set_errno(err, r, "cannot make the call graph");
	kinds = callflow_kinds(g->flow);
	if (kinds->n < 2)
		return errmsg_set(err, -ENOENT,
				  "the trace has no calls of functions; record them with -u, or "
				  "with -p function_graph for the kernel's");
	for (size_t i = 1; i < kinds->n; i++)
		if ((size_t)kinds->rows[i].event->id < g->f->n_table)
			g->wanted[kinds->rows[i].event->id] = 1;
	return 0;
}

int callgraph_new(struct callgraph **ret, struct formats *f, const struct callgraph_config *config,
		  struct errmsg *err)
{
	struct callgraph *g = calloc(1, sizeof(*g));
	int r;

	if (!g)
		return errmsg_set_errno(err, -ENOMEM, "cannot make the call graph");
	g->config = config;
	g->f = f;
	g->seed = hash_seed();
	arena_init(&g->arena, NODES_MAX_BYTES);
	g->wanted = calloc(f->n_table + 1, 1);
	r = g->wanted ? open_flow(g, err)
		      : errmsg_set_errno(err, -ENOMEM, "cannot make the call graph");
	if (r < 0) {
		callgraph_free(g);
		return r;
	}
	*ret = g;
	return 0;
}

struct callgraph *callgraph_new_bare(const char *program)
{
	struct callgraph *g = calloc(1, sizeof(*g));

	if (!g)
		return NULL;
	g->program = program;
	g->seed = hash_seed();
	arena_init(&g->arena, NODES_MAX_BYTES);
	return g;
}

void callgraph_free(struct callgraph *g)
{
	if (!g)
		return;
	callflow_free(g->flow);
	arena_release(&g->arena);
	free(g->slots);
	free(g->wanted);
	free(g);
}

const uint8_t *callgraph_events(const struct callgraph *g, size_t *ret_n)
{
	*ret_n = g->f->n_table;
	return g->wanted;
}

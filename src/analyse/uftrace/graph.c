// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * graph.c - reads a recording and builds trees of calls.
 *
 * A task has a current node in its session's tree: a call goes down to the child of that name, its
 * end goes up. A child of fork begins inside fork(), which its parent called; the node of that call
 * is remembered, so that the child can go up from there. After exec the task begins at
 * the root of the new session.
 */
#include "analyse/uftrace/graph.h"

#include "base/scope.h"
#include "format/uftrace.h"
#include "symbols/uftrace/session.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ARENA_MAX_BYTES (1u << 30)

/* A call of fork() whose child has not come back yet. */
struct uft_forked {
	struct uft_node *node;
	int pid;
	struct uft_forked *next;
};

/* Where a task stands. */
struct uft_place {
	struct uft_graph *graph;
	struct uft_node *node;
	struct uft_way *way;
	int n_around; /* open calls of the function that was asked for */
	bool is_new_session, is_lost;
};

int uft_graphs_init(struct uft_graphs *g, struct uft_walk *w, const char *function, bool one_tree)
{
	const struct uft_names *names = w->c.names;

	*g = (struct uft_graphs){.function = function};
	arena_init(&g->arena, ARENA_MAX_BYTES);
	g->n = names->n_sessions;
	g->list = arena_alloc_array(&g->arena, g->n + 1, sizeof(*g->list));
	if (!g->list)
		return -ENOMEM;
	for (size_t i = 0; i < g->n; i++) {
		struct uft_graph *x = &g->list[i];

		x->session = names->sessions[i];
		x->title = function ? function : uft_basename(x->session->exename);
		x->root.name = x->title;
	}
	g->single = one_tree && g->n ? &g->list[0] : NULL;
	g->places = arena_alloc_array(&g->arena, w->n_lanes + 1, sizeof(*g->places));
	return g->places ? 0 : -ENOMEM;
}

void uft_graphs_release(struct uft_graphs *g)
{
	arena_release(&g->arena);
}

static struct uft_graph *find_graph(struct uft_graphs *g, struct uft_walk *w, struct uft_lane *l,
				    uint64_t time_ns)
{
	const struct uft_session *s = uft_session_find(w->c.names, l->task, time_ns);

	if (g->single)
		return s ? g->single : NULL;
	for (size_t i = 0; i < g->n; i++)
		if (g->list[i].session == s)
			return &g->list[i];
	return NULL;
}

/* Remembers how the function was reached. */
static int save_way(struct uft_graphs *g, struct uft_lane *l, struct uft_place *p)
{
	int n = l->n_open;
	struct uft_way *way;
	uint64_t *addrs;

	if (n <= 0)
		return 0;
	addrs = arena_alloc_array(&g->arena, (size_t)n, sizeof(*addrs));
	if (!addrs)
		return -ENOMEM;
	for (int i = 0; i < n; i++)
		addrs[i] = uft_call_at(l, i) ? uft_call_at(l, i)->addr : 0;
	for (way = p->graph->ways; way; way = way->next)
		if (way->n == n && !memcmp(way->addrs, addrs, (size_t)n * sizeof(*addrs)))
			break;
	if (!way) {
		way = arena_alloc(&g->arena, sizeof(*way));
		if (!way)
			return -ENOMEM;
		*way = (struct uft_way){.addrs = addrs, .n = n, .next = p->graph->ways};
		p->graph->ways = way;
	}
	way->n_hits++;
	p->way = way;
	return 0;
}

static int start(struct uft_graphs *g, struct uft_lane *l, struct uft_place *p)
{
	if (!p->graph || p->n_around++)
		return 0;
	TRY(save_way(g, l, p));
	p->node = &p->graph->root;
	p->node->addr = l->rec.addr;
	p->node->n_calls++;
	return 0;
}

static void stop(struct uft_lane *l, struct uft_place *p)
{
	struct uft_call *call = uft_call_ended(l);

	if (!p->n_around || --p->n_around)
		return;
	if (p->way && call)
		p->way->time_ns += uft_call_ns(call);
	p->way = NULL;
	p->is_lost = false;
}

static struct uft_node *find_child(struct uft_node *node, const char *name)
{
	struct uft_node *child = node->first;

	while (child && strcmp(child->name, name))
		child = child->next;
	return child;
}

static struct uft_node *add_child(struct uft_graphs *g, struct uft_node *node, const char *name,
				  uint64_t addr)
{
	struct uft_node *child = arena_alloc(&g->arena, sizeof(*child));

	if (!child)
		return NULL;
	child->name = arena_strndup(&g->arena, name, strlen(name));
	child->addr = addr;
	child->parent = node;
	child->number = ++g->n_nodes;
	if (node->last)
		node->last->next = child;
	else
		node->first = child;
	node->last = child;
	node->n_children++;
	return child->name ? child : NULL;
}

static int note_fork(struct uft_graphs *g, struct uft_lane *l, struct uft_place *p,
		     struct uft_node *node)
{
	struct uft_forked *s;

	if (strcmp(node->name, "fork") && strcmp(node->name, "vfork") &&
	    strcmp(node->name, "daemon"))
		return 0;
	s = arena_alloc(&g->arena, sizeof(*s));
	if (!s)
		return -ENOMEM;
	*s = (struct uft_forked){node, l->task ? l->task->pid : 0, p->graph->forks};
	p->graph->forks = s;
	return 0;
}

static int go_down(struct uft_graphs *g, struct uft_lane *l, struct uft_place *p, const char *name,
		   const struct uft_dbg *place)
{
	struct uft_call *call = uft_call_open(l);
	struct uft_node *child;

	if (p->is_lost)
		return 0;
	if (p->is_new_session)
		p->node = &p->graph->root;
	p->is_new_session = false;
	if (!p->node || !call)
		return 0;
	child = find_child(p->node, name);
	if (!child) {
		child = add_child(g, p->node, name, call->addr);
		if (!child || note_fork(g, l, p, child) < 0)
			return -ENOMEM;
		child->place = place;
	}
	child->n_calls++;
	p->node = child;
	return 0;
}

/* The call of fork() that a child of it returns from; NULL: none. */
static struct uft_node *take_fork(struct uft_lane *l, struct uft_place *p)
{
	for (struct uft_forked **s = &p->graph->forks; *s; s = &(*s)->next) {
		struct uft_node *node = (*s)->node;

		if (node->addr != l->rec.addr || !l->task || (*s)->pid != l->task->ppid)
			continue;
		*s = (*s)->next;
		return node;
	}
	return NULL;
}

/* A flame graph counts whole samples only; what is left of a call belongs to its caller. */
static void round_to_samples(struct uft_graphs *g, struct uft_node *node, uint64_t ns)
{
	if (g->sample_ns && node->parent)
		node->parent->inner_ns -= ns % g->sample_ns;
}

static void go_up(struct uft_graphs *g, struct uft_lane *l, struct uft_place *p)
{
	struct uft_call *call = uft_call_ended(l);
	struct uft_node *node = p->node, *forked;

	if (!node || !call)
		return;
	p->is_lost = false;
	if (node->addr != call->addr) {
		forked = take_fork(l, p);
		node = forked ? forked : node;
	}
	node->time_ns += uft_call_ns(call);
	node->inner_ns += call->inner_ns;
	round_to_samples(g, node, uft_call_ns(call));
	p->node = node->parent;
}

/* A task switch is a node of its own. */
static int add_switch(struct uft_graphs *g, struct uft_lane *l, struct uft_place *p)
{
	bool is_preempt = l->rec.addr == UFT_EVENT_SCHED_OUT_PREEMPT;

	if (l->rec.addr == UFT_EVENT_SCHED_IN) {
		go_up(g, l, p);
		return 0;
	}
	/* in one tree a preemption does not go down, but the task goes up when it runs again */
	if (is_preempt && g->single)
		return 0;
	return go_down(g, l, p, is_preempt ? "linux:schedule (pre-empted)" : "linux:schedule",
		       NULL);
}

static struct uft_place *find_place(struct uft_graphs *g, struct uft_walk *w, struct uft_lane *l,
				    uint64_t time_ns)
{
	struct uft_place *p = &g->places[uft_lane_index(l)];
	struct uft_graph *graph = find_graph(g, w, l, time_ns);

	if (p->graph && p->graph != graph)
		p->is_new_session = true;
	p->graph = graph;
	return p;
}

/* One call, its end, or a task switch. */
static int add_record(struct uft_graphs *g, struct uft_walk *w, struct uft_lane *l,
		      uint64_t time_ns, uint64_t addr, enum uft_type type)
{
	struct uft_place *p = find_place(g, w, l, time_ns);
	const struct uft_sym *s;
	char text[24];
	const char *name;

	if (!g->function && !p->node)
		TRY(start(g, l, p));
	if (g->single && !p->node && type != UFT_EXIT)
		p->node = &g->single->root;
	if (!p->graph)
		return 0;
	s = uft_sym_find(g->single ? uft_session_find(w->c.names, l->task, time_ns)
				   : p->graph->session,
			 time_ns, addr);
	snprintf(text, sizeof(text), "<%" PRIx64 ">", addr);
	name = s ? s->name : text;
	if (uft_walk_hides_libcall(w, s))
		return 0;
	if (p->n_around && type == UFT_ENTRY)
		TRY(go_down(g, l, p, name,
			    g->srcline && s && s->dbg && s->dbg->file ? s->dbg : NULL));
	else if (p->n_around && type == UFT_EXIT)
		go_up(g, l, p);
	else if (p->n_around)
		TRY(add_switch(g, l, p));
	if (type == UFT_EVENT || !g->function || strcmp(name, g->function))
		return 0;
	if (type == UFT_ENTRY)
		return start(g, l, p);
	stop(l, p);
	return 0;
}

/* Calls that are open at the end count up to the last record. */
static int add_open(struct uft_graphs *g, struct uft_walk *w, struct uft_lane *l)
{
	uint64_t last = uft_walk_end_ns(w, l);

	while (l->calls && l->n_open > 0)
		if (uft_call_cut(l, last, true))
			TRY(add_record(g, w, l, last, uft_call_ended(l)->addr, UFT_EXIT));
	return 0;
}

/* The time of everything is that of the outermost calls. */
static void add_roots(struct uft_graphs *g)
{
	for (size_t i = 0; i < g->n && !g->function; i++) {
		struct uft_node *root = &g->list[i].root;

		for (const struct uft_node *c = root->first; c; c = c->next) {
			root->time_ns += c->time_ns;
			root->inner_ns += c->time_ns;
		}
	}
}

static bool is_counted(const struct uft_record *rec)
{
	return rec->type != UFT_EVENT || rec->addr == UFT_EVENT_SCHED_IN ||
	       rec->addr == UFT_EVENT_SCHED_OUT || rec->addr == UFT_EVENT_SCHED_OUT_PREEMPT;
}

int uft_graphs_count(struct uft_graphs *g, struct uft_walk *w)
{
	uint64_t last_ns = 0;
	struct uft_lane *l;

	while ((l = uft_walk_next(w))) {
		if (!uft_walk_wants(w, l) || !uft_decide(w, l, NULL) || !is_counted(&l->rec))
			continue;
		if (l->rec.type == UFT_LOST) {
			g->places[uft_lane_index(l)].is_lost = true;
			continue;
		}
		if (last_ns > l->rec.time_ns)
			return -EINVAL;
		last_ns = l->rec.time_ns;
		TRY(add_record(g, w, l, l->rec.time_ns, l->rec.addr, l->rec.type));
		uft_settle(w, l);
	}
	for (size_t i = 0; i < w->n_lanes; i++)
		TRY(add_open(g, w, &w->lanes[i]));
	add_roots(g);
	return 0;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * taskgraph.c - prints the tree of tasks as uftrace graph --task does.
 *
 *	# TOTAL TIME   SELF TIME     TID     TASK NAME
 *	   19.469 ms  650.676 us  [ 28525] : make
 *	   54.621 us   54.621 us  [ 28527] :  +-make        a thread
 *	                                   :  |
 *	   14.739 ms    4.188 ms  [ 28528] :  +----cc       a process
 *	                                   :        |
 *	    9.580 ms  285.904 us  [ 28529] :        +----as
 *
 * A thread is one column of the tree behind its process, a child process two. A line without a name
 * stands before each process, and before a thread that comes after a process.
 */
#include "present/uftrace/graph.h"

#include "base/array.h"
#include "present/uftrace/fields.h"

#define COLUMNS_MAX 1024

static void add_total(struct uft_out *o, void *row)
{
	uft_out_time(o, ((const struct uft_task *)row)->run_ns);
}

static void add_self(struct uft_out *o, void *row)
{
	const struct uft_task *t = row;

	uft_out_time(o, t->run_ns > t->idle_ns ? t->run_ns - t->idle_ns : 0);
}

static void add_tid(struct uft_out *o, void *row)
{
	textbuf_addf(&o->tb, "[%6d]", ((const struct uft_task *)row)->tid);
}

static const struct uft_field table[] = {
	{"total-time", "total", "TOTAL TIME", 10, add_total},
	{"self-time", "self", " SELF TIME", 10, add_self},
	{"tid", NULL, "   TID  ", 8, add_tid},
};

struct drawing {
	struct uft_out *o;
	struct uft_fields fields;
	uint64_t min_ns;
	bool mask[COLUMNS_MAX]; /* columns with a line */
};

static bool is_process(const struct uft_task *t)
{
	return t->tid == t->pid;
}

/* The next one that is shown, from t on. */
static struct uft_task *shown(const struct drawing *d, struct uft_task *t)
{
	while (t && t->run_ns < d->min_ns)
		t = t->sibling;
	return t;
}

/* branch: the column from which a line leads to the name; -1: none does. */
static void add_lines(const struct drawing *d, int n, int branch)
{
	for (int i = 0; i < n; i++) {
		bool is_here = branch >= 0 && i >= branch;

		textbuf_add_str(&d->o->tb, is_here && i == branch ? " +-"
					   : is_here		  ? "---"
					   : d->mask[i]		  ? " | "
								  : "   ");
	}
}

static void add_between(const struct drawing *d, int n)
{
	if (uft_fields_add_blank(&d->fields, d->o, 2))
		textbuf_add_str(&d->o->tb, " : ");
	add_lines(d, n, -1);
	textbuf_add_char(&d->o->tb, '\n');
}

static void draw(struct drawing *d, struct uft_task *t, int n, int branch)
{
	const struct uft_task *before = NULL;

	if (uft_fields_add(&d->fields, d->o, t, 2))
		textbuf_add_str(&d->o->tb, " : ");
	add_lines(d, n, branch);
	textbuf_addf(&d->o->tb, "%s\n", t->comm);
	uft_out_flush(d->o, false);
	if (n + 2 >= COLUMNS_MAX)
		return;
	for (struct uft_task *c = shown(d, t->first_child), *next; c; before = c, c = next) {
		int width = is_process(c) ? 2 : 1;

		next = shown(d, c->sibling);
		d->mask[n] = true;
		if (is_process(c) || (before && is_process(before)))
			add_between(d, n + width);
		d->mask[n] = next;
		draw(d, c, n + width, n);
	}
	d->mask[n] = false;
}

bool uft_task_graph_print(struct uft_task *first, uint64_t min_ns, const char *fields,
			  struct uft_out *o)
{
	static const char *const defaults[] = {"total", "self", "tid", NULL};
	struct drawing d = {.o = o, .min_ns = min_ns};

	if (!uft_fields_init(&d.fields, fields, table, ARRAY_LEN(table), defaults, o))
		return false;
	textbuf_add_str(&o->tb, "========== TASK GRAPH ==========\n");
	uft_fields_header(&d.fields, o, "# ", "TASK NAME", 2);
	if (d.fields.n)
		textbuf_add_char(&o->tb, '\n');
	if (first && shown(&d, first) == first)
		draw(&d, first, 0, -1);
	textbuf_add_char(&o->tb, '\n');
	return true;
}

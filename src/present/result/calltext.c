// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * calltext.c - draws the callers of one function or event.
 *
 *	  %33.08  (0) <idle>                   sched_wakeup #2302
 *	         |
 *	         --- *sched_wakeup*                         an event; a function has no stars
 *	            |
 *	            |--%62.60-- try_to_wake_up  # 1441      one of several callers: its share
 *	            |          wake_up_process              its only caller
 *	            |
 *	            |--%37.40-- …
 *
 * A level is 13 columns wide and has a line down its left side until its last caller. Levels are as
 * deep as stacks, at most some thousands (DEPTH_MAX of callhist.c), so recursion is fine.
 */
#include "present/result/calltext.h"

#include <inttypes.h>

#define DEPTH_MAX 4200 /* more than a stack can have */

struct drawing {
	struct textbuf *tb;
	uint8_t lines[DEPTH_MAX]; /* whether a level has a line */
};

static void add_indent(struct drawing *d, size_t levels)
{
	for (size_t i = 0; i < levels; i++)
		textbuf_add(d->tb, i < DEPTH_MAX && d->lines[i] ? "            |" : "             ",
			    13);
}

static void add_name(struct drawing *d, const struct call_node *node)
{
	textbuf_add(d->tb, node->frame.name, node->frame.len);
}

static void add_only_caller(struct drawing *d, const struct call_node *node, size_t level)
{
	add_indent(d, level);
	textbuf_add(d->tb, "          ", 10);
	add_name(d, node->callers);
	textbuf_add_char(d->tb, '\n');
}

/* Returns true if the node and all its callers have at most one caller. */
static bool is_straight(const struct call_node *node)
{
	while (node->n_callers == 1)
		node = node->callers;
	return !node->n_callers;
}

static void add_straight(struct drawing *d, const struct call_node *node, size_t level)
{
	for (; node->callers; node = node->callers)
		add_only_caller(d, node, level);
}

static void add_callers(struct drawing *d, const struct call_node *node, size_t level);

static void add_caller(struct drawing *d, const struct call_node *node,
		       const struct call_node *caller, size_t level)
{
	add_indent(d, level + 1);
	textbuf_add_char(d->tb, '\n');
	add_indent(d, level + 1);
	textbuf_addf(d->tb, "--%%%.2f-- ", (double)caller->count / (double)node->count * 100.0);
	add_name(d, caller);
	textbuf_addf(d->tb, "  # %" PRIu64 "\n", caller->count);
	if (!caller->next && level < DEPTH_MAX)
		d->lines[level] = 0;
	if (is_straight(caller)) {
		add_straight(d, caller, level + 1);
		return;
	}
	while (caller->n_callers == 1 && caller->callers->count == caller->count) {
		add_only_caller(d, caller, level + 1);
		caller = caller->callers;
	}
	add_callers(d, caller, level + 1);
}

static void add_callers(struct drawing *d, const struct call_node *node, size_t level)
{
	if (is_straight(node)) {
		add_straight(d, node, level);
		return;
	}
	if (level < DEPTH_MAX)
		d->lines[level] = 1;
	for (const struct call_node *c = node->callers; c; c = c->next)
		add_caller(d, node, c, level);
}

void calltext_fmt(const struct callhist *h, const struct call_node *top, bool by_task,
		  struct textbuf *tb)
{
	double percent = (double)top->count / (double)callhist_total(h) * 100.0;
	struct drawing d = {.tb = tb};
	const char *star = top->is_event ? "*" : "";

	if (by_task)
		textbuf_addf(tb, "  %%%3.2f  (%d) %s ", percent, top->pid,
			     callhist_comm(h, top->pid));
	else
		textbuf_addf(tb, "  %%%3.2f <all pids> ", percent);
	textbuf_add_fill(tb, ' ', top->frame.len < 30 ? 30 - top->frame.len : 0);
	add_name(&d, top);
	textbuf_addf(tb, " #%" PRIu64 "\n         |\n         --- %s", top->count, star);
	add_name(&d, top);
	textbuf_addf(tb, "%s\n", star);
	add_callers(&d, top, 0);
}

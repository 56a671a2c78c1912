// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * graph.c - `uftrace graph`: the tree of all calls, of one function, or of tasks.
 *
 * -D counts from the function that is asked for. uftrace reaches that with a trigger; so do we, to
 * get the same text. A function that was not called is no error.
 */
#include "analyse/uftrace/graph.h"
#include "analyse/uftrace/tally.h"
#include "base/textbuf.h"
#include "present/uftrace/graph.h"

#include "cli/as/uftrace/optwords.h"
#include "cli/as/uftrace/reading.h"
#include "cli/as/uftrace/uftrace.h"
#include "symbols/uftrace/session.h"

#include <stdio.h>
#include <string.h>

static void add_depth_trigger(struct uft_opts *o, const char *function)
{
	char word[600];

	if (o->depth == UFT_DEPTH_DEFAULT)
		return;
	snprintf(word, sizeof(word), "%s@depth=%d", function, o->depth);
	uft_list_add(o, &o->trigger, "", word);
}

static bool has_filter(const struct uft_opts *o)
{
	return o->filter || o->trigger || o->caller || o->hide || o->loc_filter ||
	       o->time_filter_ns || o->tid || o->range.start_ns || o->range.stop_ns;
}

static int print_graphs(struct uft_reading *r, const char *function)
{
	struct uft_graphs g;
	int status = 1;

	if (uft_graphs_init(&g, r->walk, function, false) >= 0) {
		g.srcline = r->o->srcline;
		if (uft_graphs_count(&g, r->walk) < 0)
			uft_warn(r->o, "inverted time: broken data?");
		switch (uft_graphs_print(&g, r->o->fields, &r->text)) {
		case UFT_GRAPH_EMPTY:
			textbuf_addf(&r->text.tb, "uftrace: cannot find graph for '%s'\n",
				     function ? function : "_start");
			if (has_filter(r->o))
				textbuf_add_str(&r->text.tb,
						"\t please check your filter settings.\n");
			status = 0;
			break;
		case UFT_GRAPH_PRINTED:
			status = 0;
			break;
		case UFT_GRAPH_BAD_FIELD:
			break;
		}
	}
	uft_graphs_release(&g);
	return status;
}

/* The walk is not filtered by time: -t is for the time of a whole task. */
static int print_tasks(struct uft_reading *r, uint64_t min_ns)
{
	const struct uft_names *names = &r->data.names;

	uft_tally_spans(r->walk);
	return uft_task_graph_print(names->n_tasks ? names->tasks[0] : NULL, min_ns, r->o->fields,
				    &r->text)
		       ? 0
		       : 1;
}

int uft_graph(struct uft_opts *o, int argc, char **argv)
{
	const char *function = argc > 0 ? argv[0] : NULL;
	uint64_t min_ns = o->time_filter_ns;
	struct uft_reading r;
	int status = UFT_FAILED;

	if (o->show_task)
		o->time_filter_ns = 0;
	else
		add_depth_trigger(o, function ? function : "_start");
	if (uft_reading_open(&r, o) && uft_reading_walk(&r)) {
		if (o->html)
			textbuf_add_str(&r.text.tb, uft_html_header);
		status = o->show_task ? print_tasks(&r, min_ns) : print_graphs(&r, function);
		if (o->html)
			textbuf_add_str(&r.text.tb, uft_html_footer);
	}
	return uft_reading_close(&r, status);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * start.c - start and set as in trace-cmd: their settings stay.
 *
 * start first ends the previous trace in the buffers that it uses. set adds to the existing
 * settings, and does not switch tracing on or off. Neither keeps a journal.
 */
#include "base/array.h"
#include "base/scope.h"
#include "capture/setup/setup.h"
#include "cli/as/tracecmd/record_int.h"
#include "cli/kernel/start.h"
#include "live/request.h"

#include <errno.h>
#include <stdlib.h>

/* Clears the lists of functions that the plan will write; trace-cmd does not change the others. */
static int empty_lists(const struct tracefs *t, const struct plan_buffer *b, struct errmsg *err)
{
	const struct {
		const struct plan_words *words;
		const char *file;
	} rows[] = {
		{&b->functions, "set_ftrace_filter"},
		{&b->no_functions, "set_ftrace_notrace"},
		{&b->graph_functions, "set_graph_function"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (rows[i].words->n && tracefs_exists(t, b->name, rows[i].file) &&
		    tracefs_write(t, b->name, rows[i].file, "", TRACEFS_SET, err) < 0)
			return errmsg_code(err);
	return 0;
}

static bool instance_exists(const struct tracefs *t, const char *name)
{
	return tracefs_exists(t, name, "tracing_on");
}

/*
 * Prepares the buffers. start ends the previous trace; set only clears the lists that the plan has.
 */
static int prepare(const struct tracefs *t, const struct plan *p, bool is_set, struct errmsg *err)
{
	for (size_t i = 0; i < p->n_buffers; i++) {
		const struct plan_buffer *b = &p->buffers[i];

		if ((!i && !p->use_top) || !instance_exists(t, b->name))
			continue;
		if (b->is_removed ? tracefs_remove_instance(t, b->name, err) < 0
				  : (!is_set && tc_switch_off(t, b->name, err) < 0) ||
					    empty_lists(t, b, err) < 0)
			return errmsg_code(err);
	}
	return 0;
}

/* Reads tracing_on of existing buffers. For new buffers it is -1, which counts as on. */
static void keep_switches(const struct tracefs *t, const struct plan *p, int *on)
{
	for (size_t i = 0; i < p->n_buffers; i++)
		on[i] = (int)tracefs_read_number(t, p->buffers[i].name, "tracing_on");
}

static void put_switches(const struct tracefs *t, const struct plan *p, const int *on)
{
	for (size_t i = 0; i < p->n_buffers; i++)
		if (tracefs_exists(t, p->buffers[i].name, "tracing_on"))
			tracefs_try_write(t, p->buffers[i].name, "tracing_on", on[i] ? "1" : "0",
					  TRACEFS_SET);
}

static int start(const struct tc_line *line, struct live_request *o, char **argv, bool is_set,
		 struct errmsg *err)
{
	SCOPED(scope_free) int *on = calloc(o->plan.n_buffers, sizeof(*on));
	struct setup *s = NULL;
	struct tracefs t = {0};
	int r = on ? tracefs_open(&t, err) : -ENOMEM;

	if (r >= 0) {
		keep_switches(&t, &o->plan, on);
		r = prepare(&t, &o->plan, is_set, err);
	}
	o->plan.keep_before = true;
	if (r >= 0)
		r = setup_apply(&s, &o->plan, &t, NULL, err);
	tc_tell_notes(s, o);
	if (r >= 0)
		tc_tell_tracers(o);
	if (on && (r < 0 || is_set))
		put_switches(&t, &o->plan, on);
	if (r >= 0 && argv)
		r = start_command(s, o, argv, tc_has(line, 0, "fork"), err);
	else if (r >= 0 && !is_set)
		r = setup_start(s, err);
	setup_free(s);
	return r;
}

static int start_or_set(struct tc_line *line, bool is_set, struct errmsg *err)
{
	SCOPED(tc_order_release) struct tc_order order = {0};

	if (tc_order_init(&order, line, err) < 0 ||
	    start(line, &order.o, order.argv, is_set, err) < 0)
		return errmsg_code(err);
	return 0;
}

int tc_run_start(struct tc_line *line, struct errmsg *err)
{
	return start_or_set(line, false, err);
}

int tc_run_set(struct tc_line *line, struct errmsg *err)
{
	return start_or_set(line, true, err);
}

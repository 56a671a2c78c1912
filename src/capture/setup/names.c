// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * names.c - lets the kernel record the names of tasks when they change.
 *
 *	task:task_newtask   a new task, with the name of its parent
 *	task:task_rename    exec, or the task changes its name
 *
 * An event has the pid of its task, not the name. A name that is looked up later may belong to
 * another program. With these two rare events, each event gets the name that its task had at the
 * time.
 *
 * They are not recorded if they would be incomplete (only some CPUs are traced, or the user
 * selected only some of these events) or disturb (each event has a stack).
 */
#include "base/array.h"
#include "capture/setup/setup_int.h"

#include <stdio.h>
#include <string.h>

static const char *const name_events[] = {"task_newtask", "task_rename"};

#define N_NAME_EVENTS ARRAY_LEN(name_events)

static bool has_stacks(const struct setup *s, const struct plan_buffer *b)
{
	for (size_t i = 0; i < b->options.n; i++)
		if (strstr(b->options.words[i], "stacktrace"))
			return true;
	return s->plan->stacks || s->plan->func_stack;
}

/* Returns true if the event is restricted by a filter, or by -v. */
static bool is_restricted(const struct setup *s, const struct plan_buffer *b, const char *event)
{
	for (size_t i = 0; i < b->n_events; i++) {
		const struct plan_event *e = setup_event(s, &b->events[i]);

		if ((e->off || e->filter) && setup_event_matches(e->pattern, "task", event))
			return true;
	}
	return false;
}

static bool can_tell(const struct setup *s, const struct setup_buffer *b)
{
	char path[TRACEFS_PATH_MAX];

	if (!s->plan->tell_names || b != s->buffers || b->plan->cpumask || has_stacks(s, b->plan))
		return false;
	for (size_t i = 0; i < N_NAME_EVENTS; i++) {
		snprintf(path, sizeof(path), "events/task/%s/enable", name_events[i]);
		if (is_restricted(s, b->plan, name_events[i]) ||
		    !tracefs_exists(&s->t, b->instance, path))
			return false;
	}
	return true;
}

int setup_names(struct setup *s, const struct setup_buffer *b, struct errmsg *err)
{
	char path[TRACEFS_PATH_MAX];
	int r;

	if (!can_tell(s, b))
		return 0;
	r = setup_save(s, b->instance, "set_event", err);
	for (size_t i = 0; i < N_NAME_EVENTS && r >= 0; i++) {
		snprintf(path, sizeof(path), "events/task/%s/enable", name_events[i]);
		r = tracefs_write(&s->t, b->instance, path, "1", TRACEFS_SET, err);
	}
	s->tells_names = r >= 0;
	return r;
}

bool setup_is_for_names(const struct setup *s, const char *system, const char *event)
{
	if (!s->tells_names || strcmp(system, "task"))
		return false;
	for (size_t i = 0; i < N_NAME_EVENTS; i++)
		if (!strcmp(event, name_events[i]))
			return !setup_was_asked_for(s, system, event);
	return false;
}

// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * own.c - recognises events of sonde's own tasks, and scheduler events about them.
 *
 * The task of an event is the task on the CPU. Scheduler events concern another task, whose pid is
 * in a field: pid, or next_pid of a switch. This field is found once for each kind of event. A
 * record then costs one or two look-ups in the table of processes, or nothing if sonde has no task
 * in the trace.
 */
#include "analyse/own.h"

#include "format/bytes.h"
#include "symbols/processes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum own_kind { OWN_UNKNOWN, OWN_OTHER, OWN_SWITCH, OWN_ABOUT };

struct own_event {
	enum own_kind kind;
	const struct field *pid; /* field with the task that is woken, or switched to */
};

int own_init(struct own *own, struct formats *f, bool is_wanted)
{
	*own = (struct own){.f = f};
	if (is_wanted || !processes_has_self(f->processes))
		return 0;
	own->n_events = f->n_table;
	own->events = calloc(own->n_events + 1, sizeof(*own->events));
	if (!own->events)
		return -ENOMEM;
	own->processes = f->processes;
	return 0;
}

void own_release(struct own *own)
{
	free(own->events);
	*own = (struct own){0};
}

static void look_up(const struct event *ev, struct own_event *ret)
{
	bool is_sched = !strcmp(ev->system, "sched");

	ret->kind = OWN_OTHER;
	if (is_sched && !strcmp(ev->name, "sched_switch")) {
		ret->kind = OWN_SWITCH;
		ret->pid = event_find_field(ev, "next_pid");
	} else if (is_sched) { /* wakeups and similar events concern the task in `pid` */
		ret->kind = OWN_ABOUT;
		ret->pid = event_find_field(ev, "pid");
	}
	if (ret->kind != OWN_OTHER && (!ret->pid || ret->pid->size != 4))
		ret->kind = OWN_OTHER;
}

static const struct own_event *event_of(struct own *own, const struct record *rec)
{
	static const struct own_event none = {.kind = OWN_OTHER};
	struct own_event *e;

	if (!rec->event || (size_t)rec->event->id >= own->n_events)
		return &none;
	e = &own->events[rec->event->id];
	if (e->kind == OWN_UNKNOWN)
		look_up(rec->event, e);
	return e->pid && (uint64_t)e->pid->offset + 4 > rec->size ? &none : e;
}

static bool is_other_own(const struct own *own, const struct own_event *e, const struct record *rec)
{
	return own_is_task(own, (int)bytes_get(rec->data + e->pid->offset, 4, own->f->swap));
}

static bool is_current_own(const struct own *own, const struct record *rec)
{
	return own_is_task(own, formats_common(own->f, &own->f->pid, rec->data, rec->size));
}

bool own_is_only(struct own *own, const struct record *rec)
{
	const struct own_event *e;

	if (!own->processes)
		return false;
	e = event_of(own, rec);
	if (e->kind == OWN_ABOUT)
		return is_other_own(own, e, rec);
	return is_current_own(own, rec) && (e->kind == OWN_OTHER || is_other_own(own, e, rec));
}

bool own_takes_part(struct own *own, const struct record *rec)
{
	const struct own_event *e;

	if (!own->processes)
		return false;
	e = event_of(own, rec);
	if (e->kind == OWN_SWITCH)
		return is_current_own(own, rec) || is_other_own(own, e, rec);
	return own_is_only(own, rec);
}

bool own_is_task(const struct own *own, int pid)
{
	return own->processes && pid > 0 && processes_is_self(own->processes, pid);
}

bool own_is_field(const char *name)
{
	size_t len = strlen(name);

	return !strcmp(name, "pid") || (len > 4 && !strcmp(name + len - 4, "_pid"));
}

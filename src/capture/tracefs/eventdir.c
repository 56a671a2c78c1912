// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * eventdir.c - walks through events/SYSTEM/EVENT and finds an event by its name.
 *
 *	events/
 *	    enable                      files of all events
 *	    sched/                      a system
 *	        enable filter
 *	        sched_switch/           an event
 *	            enable filter format id trigger hist …
 *
 * A kernel has some 2 000 events in 100 systems. Walking through them costs one readdir() per
 * system; files of events are not opened here. The system may be omitted if the event's name is
 * unique.
 */
#include "capture/tracefs/eventdir.h"

#include "base/errmsg.h"
#include "base/scope.h"
#include "base/spelling.h"

#include <errno.h>
#include <stdio.h>

char *eventdir_fmt_path(const char *system, const char *event, const char *file, char *buf)
{
	snprintf(buf, TRACEFS_PATH_MAX, "events/%s/%s/%s", system, event, file);
	return buf;
}

static int each_of_system(const struct tracefs *t, const char *instance, const char *system,
			  int (*visit)(void *ctx, const char *system, const char *event), void *ctx)
{
	char dir[TRACEFS_PATH_MAX];
	struct name_list events;
	int r;

	snprintf(dir, sizeof(dir), "events/%s", system);
	if (tracefs_directories(t, instance, dir, &events) < 0)
		return 0; /* the module was unloaded just now */
	r = 0;
	for (size_t i = 0; !r && i < events.n; i++)
		r = visit(ctx, system, events.names[i]);
	name_list_release(&events);
	return r;
}

int eventdir_each(const struct tracefs *t, const char *instance,
		  int (*visit)(void *ctx, const char *system, const char *event), void *ctx,
		  struct errmsg *err)
{
	struct name_list systems;
	int r = tracefs_directories(t, instance, "events", &systems);

	if (r < 0)
		return tracefs_refuse_read(t, instance, "events", r, err);
	for (size_t i = 0; !r && i < systems.n; i++)
		r = each_of_system(t, instance, systems.names[i], visit, ctx);
	name_list_release(&systems);
	return r;
}

/*
 * --- one event by its name ---------------------------------------------------------------------
 */

struct search {
	const char *system; /* system of the event; NULL: any */
	const char *event;
	size_t n_found;
	struct event_name first, second;
	struct spelling spelling;
	char nearest[TRACEFS_NAME_MAX], nearest_system[TRACEFS_NAME_MAX];
};

static int look_at(void *ctx, const char *system, const char *event)
{
	struct search *s = ctx;
	const char *before = s->spelling.nearest;
	struct event_name *to = s->n_found ? &s->second : &s->first;

	if (!strcmp(event, s->event) && (!s->system || !strcmp(system, s->system))) {
		snprintf(to->system, sizeof(to->system), "%s", system);
		snprintf(to->event, sizeof(to->event), "%s", event);
		s->n_found++;
		return 0;
	}
	spelling_add(&s->spelling, event);
	if (s->spelling.nearest && s->spelling.nearest != before) {
		/* the directory list frees both names, so copy them */
		snprintf(s->nearest, sizeof(s->nearest), "%s", event);
		snprintf(s->nearest_system, sizeof(s->nearest_system), "%s", system);
		s->spelling.nearest = s->nearest;
	}
	return 0;
}

static int refuse(const struct search *s, const char *text, struct errmsg *err)
{
	if (s->n_found > 1)
		return errmsg_set(err, -EINVAL,
				  "several systems have an event %s: write %s:%s "
				  "or %s:%s",
				  text, s->first.system, s->first.event, s->second.system,
				  s->second.event);
	if (s->spelling.nearest)
		return errmsg_set(err, -ENOENT,
				  "unknown event '%s'; did you mean '%s:%s'? (sonde list -e lists "
				  "all)",
				  text, s->nearest_system, s->nearest);
	return errmsg_set(err, -ENOENT, "unknown event '%s' (sonde list -e lists all)", text);
}

int eventdir_find(const struct tracefs *t, const char *instance, const char *text,
		  struct event_name *ret_name, struct errmsg *err)
{
	size_t split = strcspn(text, ":/");
	char system[TRACEFS_NAME_MAX];
	struct search s = {.event = text};

	if (text[split] && split < sizeof(system)) {
		snprintf(system, sizeof(system), "%.*s", (int)split, text);
		s.system = system;
		s.event = text + split + 1;
	}
	spelling_init(&s.spelling, s.event, strlen(s.event));
	TRY(eventdir_each(t, instance, look_at, &s, err));
	if (s.n_found != 1)
		return refuse(&s, text, err);
	*ret_name = s.first;
	return 0;
}

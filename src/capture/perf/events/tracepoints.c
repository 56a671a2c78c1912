// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tracepoints.c - tracepoints and probes by name: sched:sched_switch, probe_*:*, sched_switch.
 *
 * perf_event_open() takes a tracepoint's number, which is in events/SYSTEM/EVENT/id. A name without
 * a glob costs one open(); a glob walks through the directory. The kernel's own "ftrace" system has
 * formats but no tracepoints: globs pass over what has no id.
 */
#include "base/errmsg.h"
#include "base/scope.h"
#include "capture/perf/events/perfevents_int.h"
#include "capture/tracefs/eventdir.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

struct globs {
	struct eventparser *p;
	const struct tracefs *t;
	const char *system, *event;
};

static int add_id(struct eventparser *p, const char *system, const char *event, long long id)
{
	char name[2 * TRACEFS_NAME_MAX];
	struct perfevents_event *e;

	snprintf(name, sizeof(name), "%s:%s", system, event);
	e = perfevents_add(p, PERFEVENTS_TRACEPOINT, name, strlen(name));
	if (!e)
		return errmsg_code(p->err);
	e->attr.type = PERF_TYPE_TRACEPOINT;
	e->attr.config = (uint64_t)id;
	return 0;
}

static long long read_id(const struct tracefs *t, const char *system, const char *event)
{
	char path[TRACEFS_PATH_MAX];

	return tracefs_read_number(t, "", eventdir_fmt_path(system, event, "id", path));
}

static int add_if_meant(void *ctx, const char *system, const char *event)
{
	struct globs *g = ctx;
	long long id;

	if (fnmatch(g->system, system, 0) != 0 || fnmatch(g->event, event, 0) != 0)
		return 0;
	if (strcmp(system, "ftrace") == 0)
		return 0;
	id = read_id(g->t, system, event);
	return id > 0 ? add_id(g->p, system, event, id) : 0;
}

static bool has_glob(const char *word)
{
	return word[strcspn(word, "*?[")] != '\0';
}

static int add_globs(struct eventparser *p, const struct tracefs *t, const char *system,
		     const char *event)
{
	struct globs g = {.p = p, .t = t, .system = system, .event = event};
	size_t before = p->list->n;

	TRY(eventdir_each(t, "", add_if_meant, &g, p->err));
	if (p->list->n == before)
		return errmsg_set(p->err, -ENOENT,
				  "no tracepoint matches '%s:%s' (sonde list -e lists all)", system,
				  event);
	return 0;
}

/* A name with its modifier is what was typed; perfevents.c names it if only one event is meant. */
static void keep_typed_name(struct eventparser *p)
{
	p->list->events[p->list->n - 1].name[0] = '\0';
}

int tracepoints_add(struct eventparser *p, const char *system, const char *event)
{
	struct tracefs own;
	const struct tracefs *t = p->place->tracefs;
	struct event_name found;
	char text[2 * EVENTPARSER_WORD_MAX];
	long long id;

	if (!t) {
		TRY(tracefs_open(&own, p->err));
		t = &own;
	}
	if (system && (has_glob(system) || has_glob(event)))
		return add_globs(p, t, system, event);
	if (!system) {
		struct errmsg quiet = {0};

		if (eventdir_find(t, "", event, &found, &quiet) < 0)
			return perfevents_refuse(p, "event");
		system = found.system;
		event = found.event;
	}
	id = read_id(t, system, event);
	if (id > 0) {
		bool is_typed = system != found.system;

		TRY(add_id(p, system, event, id));
		if (is_typed)
			keep_typed_name(p);
		return 0;
	}
	snprintf(text, sizeof(text), "%s:%s", system, event);
	TRY(eventdir_find(t, "", text, &found, p->err));
	return errmsg_set(p->err, -ENOTSUP,
			  "event '%s' has no number that perf_event_open() takes (its file id)",
			  text);
}

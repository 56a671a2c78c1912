// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * lanefiles.c - finds the files or buffers of a lane.
 *
 *	cpu:0:1                  all files with events of CPU 1 of machine 0
 *	task:0:1234              all files with events of the task
 *	event:0:sched/x          all files with the event
 *
 * A single file is named; for several the number is shown. web/files.js does the same.
 */
#include "view/picture/lanefiles.h"

#include "decode/formats/event.h"
#include "timeline/timeline.h"

#include <stdio.h>
#include <string.h>

#define USER_BUFFER "user" /* as `record -u` names it */

/*
 * Returns true if the file has no buffers except the main one and that of user functions. Such a
 * file is one recording for its reader, and what its parts are called says nothing.
 */
static bool is_plain(const struct stage *st)
{
	if (st->config.n_files > 1)
		return false;
	for (size_t i = 0; i < st->config.n_sources; i++) {
		const char *name = st->config.sources[i].buffer->name;

		if (name[0] && strcmp(name, USER_BUFFER))
			return false;
	}
	return true;
}

const char *stage_source_name(const struct stage *st, size_t source)
{
	const struct timeline_source *s = &st->config.sources[source];

	if (st->config.n_sources < 2 || is_plain(st))
		return "";
	if (st->config.n_files > 1)
		return s->name;
	return s->buffer->name[0] ? s->buffer->name : "main buffer";
}

static bool has_cpu(const struct stage *st, size_t source, uint32_t cpu)
{
	for (size_t i = 0; i < timeline_n_streams(st->tl); i++) {
		const struct timeline_stream *s = timeline_stream(st->tl, i);

		if (s->source == source && s->cpu == cpu && s->n_pages)
			return true;
	}
	return false;
}

static bool is_named(const struct event *ev, const char *name)
{
	size_t len = ev ? strlen(ev->system) : 0;

	return ev && !strncmp(name, ev->system, len) && name[len] == '/' &&
	       !strcmp(name + len + 1, ev->name);
}

static bool has_event(const struct stage *st, size_t source, const char *name)
{
	for (size_t i = 0, n = timeline_n_kinds(st->tl); i < n; i++) {
		const struct timeline_kind *k = timeline_kind(st->tl, i);

		if (k->source == source && stage_count(&k->n_events) && is_named(k->event, name))
			return true;
	}
	return false;
}

static bool is_of(const struct stage *st, const struct lane_about *about, size_t source,
		  uint64_t of_task)
{
	if (st->config.sources[source].machine != about->machine)
		return false;
	if (about->cpu >= 0)
		return has_cpu(st, source, about->cpu);
	if (about->pid >= 0)
		return source < TIMELINE_TOLD_SOURCES && of_task >> source & 1;
	for (size_t i = 0; i < 2; i++)
		if (about->events[i] && has_event(st, source, about->events[i]))
			return true;
	return !about->events[0];
}

void lane_files_fmt(const struct stage *st, const struct lane_about *about, char *buf, size_t size)
{
	int task = about->pid >= 0 ? timeline_find_task(st->tl, about->machine, about->pid) : -1;
	uint64_t of_task = 0;
	size_t n = 0;

	buf[0] = 0;
	if (st->config.n_sources < 2 || is_plain(st))
		return;
	if (task >= 0)
		of_task = timeline_task_sources(st->tl, task);
	for (size_t i = 0; i < st->config.n_sources; i++) {
		if (!is_of(st, about, i, of_task))
			continue;
		if (!n++)
			snprintf(buf, size, "%s", stage_source_name(st, i));
	}
	if (n > 1)
		snprintf(buf, size, "%zu %s", n, st->config.n_files > 1 ? "files" : "buffers");
}

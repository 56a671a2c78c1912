/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * builtin.h - events whose names are the same on every machine: hardware, caches, software, tools.
 *
 * The names belong to the program. Threads: read-only tables.
 */
#ifndef SONDE_CAPTURE_PERF_EVENTS_BUILTIN_H
#define SONDE_CAPTURE_PERF_EVENTS_BUILTIN_H

#include "capture/perf/events/perfevents.h"

#define BUILTIN_NAME_MAX 64

struct builtin_event {
	char name[BUILTIN_NAME_MAX]; /* the usual one: "context-switches" of "cs" */
	enum perfevents_kind kind;
	enum perfevents_tool tool;
	uint32_t type; /* of perf_event_attr; of no meaning for tools */
	uint64_t config;
};

/* Finds an event by any of its names. Returns false if there is none. */
bool builtin_find(const char *name, size_t len, struct builtin_event *ret);

/* Calls visit for every event with its usual name and its other one, as perfevents_each(). */
int builtin_each(enum perfevents_kind kind,
		 int (*visit)(void *ctx, const struct builtin_event *event, const char *alias),
		 void *ctx);

#endif

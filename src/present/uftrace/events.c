// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * events.c - the names of uftrace's events, and their data.
 *
 * Events have numbers: those below 1000000 are built in and have names and data that are known
 * here; those of the program (SDT) are named in events.txt and have no data.
 */
#include "analyse/uftrace/kernel.h"
#include "analyse/uftrace/walk.h"
#include "base/array.h"
#include "base/textbuf.h"
#include "format/uftrace.h"
#include "present/uftrace/values.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	uint64_t id;
	const char *name;
} names[] = {
	{UFT_EVENT_READ_STATM, "read:proc/statm"},
	{UFT_EVENT_READ_PAGE_FAULT, "read:page-fault"},
	{UFT_EVENT_DIFF_STATM, "diff:proc/statm"},
	{UFT_EVENT_DIFF_PAGE_FAULT, "diff:page-fault"},
	{UFT_EVENT_READ_CYCLE, "read:pmu-cycle"},
	{UFT_EVENT_DIFF_CYCLE, "diff:pmu-cycle"},
	{UFT_EVENT_READ_CACHE, "read:pmu-cache"},
	{UFT_EVENT_DIFF_CACHE, "diff:pmu-cache"},
	{UFT_EVENT_READ_BRANCH, "read:pmu-branch"},
	{UFT_EVENT_DIFF_BRANCH, "diff:pmu-branch"},
	{UFT_EVENT_WATCH_CPU, "watch:cpu"},
	{UFT_EVENT_SCHED_IN, "linux:sched-in"},
	{UFT_EVENT_SCHED_OUT, "linux:sched-out"},
	{UFT_EVENT_SCHED_BOTH, "linux:schedule"},
	{UFT_EVENT_TASK_NEW, "linux:task-new"},
	{UFT_EVENT_TASK_EXIT, "linux:task-exit"},
	{UFT_EVENT_TASK_NAME, "linux:task-name"},
	{UFT_EVENT_SCHED_OUT_PREEMPT, "linux:sched-out (pre-empted)"},
	{UFT_EVENT_SCHED_BOTH_PREEMPT, "linux:schedule (pre-empted)"},
	{UFT_EVENT_EXTERN, "external-data"},
};

/* A line "EVENT: 1000001 provider:name" of events.txt. */
static bool find_user_event(const char *text, uint64_t id, char *buf, size_t n_bytes)
{
	char key[40];
	const char *line;

	snprintf(key, sizeof(key), "EVENT: %" PRIu64 " ", id);
	line = text ? strstr(text, key) : NULL;
	if (!line)
		return false;
	line += strlen(key);
	snprintf(buf, n_bytes, "%.*s", (int)strcspn(line, "\n"), line);
	return true;
}

void uft_event_name(const char *events_text, uint64_t id, char *buf, size_t n_bytes)
{
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		if (names[i].id != id)
			continue;
		snprintf(buf, n_bytes, "%s", names[i].name);
		return;
	}
	if ((id >= UFT_EVENT_USER || id < UFT_EVENT_BUILTIN) &&
	    find_user_event(events_text, id, buf, n_bytes))
		return;
	if (id >= UFT_EVENT_USER)
		snprintf(buf, n_bytes, "user_event:%u", (unsigned)id);
	else
		snprintf(buf, n_bytes, "builtin_event:%u", (unsigned)id);
}

/* Events whose data are numbers, with the words for them. Differences have a sign. */
static const struct {
	uint64_t id;
	size_t n;
	bool is_diff;
	const char *words[3], *unit;
} numbers[] = {
	{UFT_EVENT_READ_STATM, 3, false, {"vmsize", "vmrss", "shared"}, "KB"},
	{UFT_EVENT_DIFF_STATM, 3, true, {"vmsize", "vmrss", "shared"}, "KB"},
	{UFT_EVENT_READ_PAGE_FAULT, 2, false, {"major", "minor"}, ""},
	{UFT_EVENT_DIFF_PAGE_FAULT, 2, true, {"major", "minor"}, ""},
	{UFT_EVENT_READ_CYCLE, 2, false, {"cycles", "instructions"}, ""},
	{UFT_EVENT_DIFF_CYCLE, 2, true, {"cycles", "instructions"}, ""},
	{UFT_EVENT_READ_CACHE, 2, false, {"refers", "misses"}, ""},
	{UFT_EVENT_DIFF_CACHE, 2, true, {"refers", "misses"}, ""},
	{UFT_EVENT_READ_BRANCH, 2, false, {"branch", "misses"}, ""},
	{UFT_EVENT_DIFF_BRANCH, 2, true, {"branch", "misses"}, ""},
};

static bool add_numbers(size_t row, const struct uft_values *v, bool signs, char *buf,
			size_t n_bytes)
{
	size_t used = 0;

	if (v->n_bytes < numbers[row].n * 8)
		return false;
	for (size_t i = 0; i < numbers[row].n && used < n_bytes; i++) {
		int64_t n;

		memcpy(&n, v->data + i * 8, 8);
		used += (size_t)snprintf(buf + used, n_bytes - used,
					 numbers[row].is_diff && signs ? "%s%s=%+" PRId64 "%s"
								       : "%s%s=%" PRId64 "%s",
					 i ? " " : "", numbers[row].words[i], n, numbers[row].unit);
	}
	return true;
}

bool uft_event_data(struct uft_kernel *kernel, uint64_t id, const struct uft_values *v, bool signs,
		    char *buf, size_t n_bytes)
{
	TEXTBUF(tb, 65536);
	int cpu;

	if (id < UFT_EVENT_BUILTIN && kernel) {
		uft_kernel_print(kernel, id, v, &tb);
		snprintf(buf, n_bytes, "%s", textbuf_text(&tb));
		return true;
	}

	for (size_t i = 0; i < ARRAY_LEN(numbers); i++)
		if (numbers[i].id == id)
			return add_numbers(i, v, signs, buf, n_bytes);
	if (id == UFT_EVENT_WATCH_CPU && v->n_bytes >= 4) {
		memcpy(&cpu, v->data, 4);
		snprintf(buf, n_bytes, "cpu=%d", cpu);
		return true;
	}
	if (id != UFT_EVENT_TASK_NAME)
		return false;
	snprintf(buf, n_bytes, "comm=\"%.*s\"", (int)v->n_bytes, (const char *)v->data);
	return true;
}

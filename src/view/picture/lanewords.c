// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * lanewords.c - finds the names, sections and heights of lanes, as on the page.
 *
 *	"task:0:1234"  ─▶  "bash"  "1234"  in "Tasks", 24 pixels high
 *
 * One row of a table for each type of lane, in the order of their sections; web/lanes.js has the
 * same rows, and a browser test compares the two.
 */
#include "view/picture/lanewords.h"
#include "base/array.h"
#include "timeline/timeline.h"
#include "view/picture/lanefiles.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PARTS_MAX 5

/* The pieces of a spec between its colons: type, machine, and up to four more. */
struct parts {
	char text[512];
	const char *type;
	uint32_t machine;
	const char *rest[PARTS_MAX]; /* "" if missing */
	unsigned n;
};

static void parts_split(struct parts *p, const char *spec)
{
	char *at, *next = p->text;
	const char *machine = "";

	snprintf(p->text, sizeof(p->text), "%s", spec);
	for (unsigned i = 0; i < PARTS_MAX; i++)
		p->rest[i] = "";
	p->n = 0;
	p->type = strsep(&next, ":");
	if (next)
		machine = strsep(&next, ":");
	p->machine = strtoul(machine, NULL, 10);
	while (p->n < PARTS_MAX && (at = strsep(&next, ":")))
		p->rest[p->n++] = at;
}

/* Splits "sched/sched_switch" into "sched" and "sched_switch". */
static const char *event_name(const char *part)
{
	const char *slash = strchr(part, '/');

	return slash ? slash + 1 : part;
}

static int system_len(const char *part)
{
	return strcspn(part, "/");
}

typedef void (*name_function)(const struct stage *st, const struct parts *p, const char *more,
			      struct lane_words *ret);

static void name_cpu(const struct stage *st, const struct parts *p, const char *more,
		     struct lane_words *ret)
{
	snprintf(ret->name, sizeof(ret->name), "CPU %s", p->rest[0]);
	snprintf(ret->more, sizeof(ret->more), "%s", more);
}

/* Adds the virtual CPU that a thread of a host runs. */
static void add_vcpu(const struct stage *st, uint32_t machine, int pid, struct lane_words *ret)
{
	size_t len = strlen(ret->more);

	for (size_t m = 0; m < st->config.n_machines; m++) {
		const struct stage_machine *guest = &st->config.machines[m];

		for (size_t i = 0; guest->guest_of == (int)machine && i < guest->n_vcpus; i++)
			if (guest->vcpus[i].pid == pid)
				snprintf(ret->more + len, sizeof(ret->more) - len,
					 ", vCPU %u of %.64s", guest->vcpus[i].cpu, guest->name);
	}
}

static void name_task(const struct stage *st, const struct parts *p, const char *more,
		      struct lane_words *ret)
{
	int n = timeline_find_task(st->tl, p->machine, atoi(p->rest[0]));
	const char *comm = n >= 0 ? timeline_task(st->tl, n)->comm : "";

	snprintf(ret->name, sizeof(ret->name), "%.31s", comm[0] ? comm : "task");
	snprintf(ret->more, sizeof(ret->more), "%s%s", p->rest[0], more);
	if (!more[0])
		add_vcpu(st, p->machine, atoi(p->rest[0]), ret);
}

static void name_vcpu(const struct stage *st, const struct parts *p, const char *more,
		      struct lane_words *ret)
{
	unsigned long cpu = strtoul(p->rest[0], NULL, 10);

	snprintf(ret->name, sizeof(ret->name), "vCPU %s", p->rest[0]);
	snprintf(ret->more, sizeof(ret->more), "%s", more);
	for (size_t i = 0;
	     p->machine < st->config.n_machines && i < st->config.machines[p->machine].n_vcpus; i++)
		if (st->config.machines[p->machine].vcpus[i].cpu == cpu)
			snprintf(ret->more, sizeof(ret->more), "host thread %d",
				 st->config.machines[p->machine].vcpus[i].pid);
}

static void name_field(const struct stage *st, const struct parts *p, const char *more,
		       struct lane_words *ret)
{
	/* value[event=3~cs]: the words after ~ are the name of a counter */
	const char *words = strchr(p->rest[1], '[') ? strchr(p->rest[1], '~') : NULL;

	if (words)
		snprintf(ret->name, sizeof(ret->name), "%.*s", (int)strcspn(words + 1, "]"),
			 words + 1);
	else
		snprintf(ret->name, sizeof(ret->name), "%s.%s", event_name(p->rest[0]), p->rest[1]);
	if (p->rest[2][0])
		snprintf(ret->more, sizeof(ret->more), "of %s", p->rest[2]);
	else
		snprintf(ret->more, sizeof(ret->more), "%.*s", system_len(p->rest[0]), p->rest[0]);
}

static void name_event(const struct stage *st, const struct parts *p, const char *more,
		       struct lane_words *ret)
{
	snprintf(ret->name, sizeof(ret->name), "%s", event_name(p->rest[0]));
	snprintf(ret->more, sizeof(ret->more), "%.*s", system_len(p->rest[0]), p->rest[0]);
}

static void name_pair(const struct stage *st, const struct parts *p, const char *more,
		      struct lane_words *ret)
{
	snprintf(ret->name, sizeof(ret->name), "%s → %s", event_name(p->rest[0]),
		 event_name(p->rest[1]));
	snprintf(ret->more, sizeof(ret->more), p->n > 3 ? "by %s = %s" : "by %s", p->rest[2],
		 p->rest[3]);
}

static void name_found(const struct stage *st, const struct parts *p, const char *more,
		       struct lane_words *ret)
{
	snprintf(ret->name, sizeof(ret->name), "Found");
}

enum lane_of { OF_NOTHING, OF_MACHINE, OF_CPU, OF_TASK, OF_EVENT, OF_EVENTS };

static const struct type_row {
	const char *type, *section;
	unsigned height, row_height;
	name_function name;
	const char *more;
	enum lane_of of;
} types[] = {
	{"found", "Search and filter", 20, 0, name_found, "", OF_NOTHING},
	{"cpu", "CPUs", 30, 0, name_cpu, "", OF_CPU},
	{"vcpu", "Virtual CPUs", 24, 0, name_vcpu, "when the host ran it", OF_MACHINE},
	{"all", "All events of a CPU", 20, 0, name_cpu, "all events", OF_CPU},
	{"irq", "Interrupts", 0, 17, name_cpu, "interrupts", OF_CPU},
	{"softirq", "Interrupts", 0, 17, name_cpu, "soft interrupts", OF_CPU},
	{"task", "Tasks", 24, 0, name_task, "", OF_TASK},
	{"calls", "Functions", 0, 16, name_task, ", functions", OF_TASK},
	{"cpucalls", "Functions", 0, 16, name_cpu, "functions", OF_CPU},
	{"sys", "System calls", 0, 18, name_task, ", system calls", OF_TASK},
	{"field", "Counters", 42, 0, name_field, "", OF_EVENT},
	{"event", "Events", 20, 0, name_event, "", OF_EVENT},
	{"pair", "Spans between events", 0, 18, name_pair, "", OF_EVENTS},
};

/* Appends the files of the lane. */
static void add_files(const struct stage *st, const struct parts *p, enum lane_of of,
		      struct lane_words *ret)
{
	struct lane_about about = {.machine = p->machine, .cpu = -1, .pid = -1};
	size_t len = strlen(ret->more);
	char files[256];

	if (of == OF_NOTHING)
		return;
	if (of == OF_CPU)
		about.cpu = strtoul(p->rest[0], NULL, 10) & 0xffffffff;
	if (of == OF_TASK)
		about.pid = atoi(p->rest[0]);
	if (of >= OF_EVENT)
		about.events[0] = p->rest[0];
	if (of == OF_EVENTS)
		about.events[1] = p->rest[1];
	lane_files_fmt(st, &about, files, sizeof(files));
	if (files[0])
		snprintf(ret->more + len, sizeof(ret->more) - len, "%s%s", len ? ", " : "", files);
}

void lane_words_get(const struct stage *st, const char *spec, struct lane_words *ret)
{
	struct parts p;

	*ret = (struct lane_words){.section = "", .height = 20};
	parts_split(&p, spec);
	for (size_t i = 0; i < ARRAY_LEN(types); i++)
		if (!strcmp(types[i].type, p.type)) {
			ret->section = types[i].section;
			ret->height = types[i].height;
			ret->row_height = types[i].row_height;
			ret->machine = p.machine;
			types[i].name(st, &p, types[i].more, ret);
			add_files(st, &p, types[i].of, ret);
			return;
		}
	snprintf(ret->name, sizeof(ret->name), "%s", spec);
}

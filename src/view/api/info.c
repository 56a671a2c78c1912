// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * info.c - facts about the trace: api/info, tasks, processes, kinds, density.
 *
 * All of this is available from the start and grows with the index: a later request gets more.
 * Numbers of tasks and kinds never change, so the page can keep them.
 */
#include "base/array.h"
#include "base/scope.h"
#include "base/textbuf.h"
#include "decode/formats/event.h"
#include "timeline/timeline.h"
#include "view/api/api.h"
#include "symbols/processes.h"
#include "view/picture/lanefiles.h"
#include "view/picture/lanewords.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DENSITY_MAX	  4096
#define CPUS_MAX	  4096
#define DENSITY_FIRST	  1000
#define COMMAND_MAX_BYTES (4u * PROCESSES_COMMAND_MAX)

/* The kinds of data in a trace, by the names of its events. */
static const struct feature {
	const char *member, *system, *name; /* the name may end with a star */
} features[] = {
	{"irq", "irq", "irq_handler_entry"},	   {"softirq", "irq", "softirq_entry"},
	{"calls", "ftrace", "funcgraph_*"},	   {"calls", "user", "user_*"},
	{"syscalls", "raw_syscalls", "sys_enter"}, {"syscalls", "syscalls", "sys_enter*"},
	{"stacks", "ftrace", "kernel_stack"},	   {"stacks", "ftrace", "user_stack"},
	{"waking", "sched", "sched_wak*"},	   {"values", "user", "user_entry_args"},
	{"values", "user", "user_exit_value"},	   {"values", "user", "user_call_args"},
	{"values", "user", "user_call_value"},
};

static bool name_fits(const char *name, const char *pattern)
{
	size_t len = strlen(pattern);

	return len && pattern[len - 1] == '*' ? !strncmp(name, pattern, len - 1)
					      : !strcmp(name, pattern);
}

static bool has_feature(const struct stage *st, const struct feature *f)
{
	for (size_t i = 0, n = timeline_n_kinds(st->tl); i < n; i++) {
		const struct timeline_kind *k = timeline_kind(st->tl, i);

		if (k->event && stage_count(&k->n_events) && !strcmp(k->event->system, f->system) &&
		    name_fits(k->event->name, f->name))
			return true;
	}
	return false;
}

static bool has_member(const struct stage *st, const char *member)
{
	return ARRAY_ANY(ARRAY_LEN(features), i,
			 !strcmp(features[i].member, member) && has_feature(st, &features[i]));
}

static void add_features(const struct stage *st, struct jsonwriter *w)
{
	const char *last = "";

	jsonwriter_open(w, "has", '{');
	for (size_t i = 0; i < ARRAY_LEN(features); i++) {
		if (strcmp(features[i].member, last))
			jsonwriter_add_bool(w, features[i].member,
					    has_member(st, features[i].member));
		last = features[i].member;
	}
	jsonwriter_close(w);
}

static uint32_t machine_of(const struct stage *st, size_t stream)
{
	return timeline_source(st->tl, timeline_stream(st->tl, stream)->source)->machine;
}

static void add_machines(const struct stage *st, struct jsonwriter *w, uint32_t *cpus)
{
	jsonwriter_open(w, "machines", '[');
	for (size_t m = 0; m < st->config.n_machines; m++) {
		const struct stage_machine *machine = &st->config.machines[m];
		size_t n = machine_cpus(st, m, cpus, CPUS_MAX);

		jsonwriter_open(w, NULL, '{');
		jsonwriter_add_uint(w, "n", m);
		jsonwriter_add_string(w, "name", machine->name);
		jsonwriter_open(w, "cpus", '[');
		for (size_t i = 0; i < n; i++)
			jsonwriter_add_uint(w, NULL, cpus[i]);
		jsonwriter_close(w);
		jsonwriter_add_bool(w, "sched", timeline_has_sched(st->tl, m));
		jsonwriter_add_int(w, "guest_of", machine->guest_of);
		jsonwriter_open(w, "vcpus", '[');
		for (size_t i = 0; i < machine->n_vcpus; i++) {
			jsonwriter_open(w, NULL, '{');
			jsonwriter_add_uint(w, "cpu", machine->vcpus[i].cpu);
			jsonwriter_add_int(w, "pid", machine->vcpus[i].pid);
			jsonwriter_close(w);
		}
		jsonwriter_close(w);
		jsonwriter_close(w);
	}
	jsonwriter_close(w);
}

/* Adds the files and buffers, to which tasks and kinds refer by number. */
static void add_sources(const struct stage *st, struct jsonwriter *w)
{
	jsonwriter_open(w, "sources", '[');
	for (size_t i = 0; i < st->config.n_sources; i++) {
		const struct timeline_source *s = &st->config.sources[i];

		jsonwriter_open(w, NULL, '{');
		jsonwriter_add_string(w, "name", stage_source_name(st, i));
		jsonwriter_add_string(w, "file", s->file);
		jsonwriter_add_uint(w, "machine", s->machine);
		jsonwriter_open(w, "cpus", '[');
		for (size_t k = 0; k < timeline_n_streams(st->tl); k++)
			if (timeline_stream(st->tl, k)->source == i &&
			    timeline_stream(st->tl, k)->n_pages)
				jsonwriter_add_uint(w, NULL, timeline_stream(st->tl, k)->cpu);
		jsonwriter_close(w);
		jsonwriter_close(w);
	}
	jsonwriter_close(w);
}

static void add_lane(void *ctx, const char *spec)
{
	jsonwriter_add_string(ctx, NULL, spec);
}

static void add_damage(const struct stage *st, struct jsonwriter *w)
{
	timeline_lock_formats(st->tl); /* readers may add damage at the same time */
	jsonwriter_open(w, "damage", '[');
	for (size_t i = 0; i < st->config.n_files; i++)
		for (size_t k = 0; k < st->config.files[i]->n_damage; k++)
			jsonwriter_add_string(w, NULL, st->config.files[i]->damage[k]);
	jsonwriter_close(w);
	timeline_unlock_formats(st->tl);
}

static void add_limits(const struct stage *st, struct jsonwriter *w)
{
	jsonwriter_open(w, "limits", '[');
	if (stage_limit(st))
		jsonwriter_add_string(w, NULL, stage_limit(st));
	jsonwriter_close(w);
}

/* Returns the clock of the first source; local is the kernel's default. */
static const char *clock_name(const struct stage *st)
{
	const char *clock = NULL;

	/* an empty top-level buffer may not name its clock */
	for (size_t i = 0; i < st->config.n_sources && (!clock || !*clock); i++)
		clock = st->config.sources[i].buffer->clock;
	return clock ? clock : "local";
}

int api_info(struct stage *st, const struct request *req, struct answer *a, struct errmsg *err)
{
	SCOPED(scope_free) uint32_t *cpus = calloc(CPUS_MAX, sizeof(*cpus));
	struct time_unit unit = timeline_unit(st->tl);
	char origin[32];
	struct jsonwriter w;

	if (!cpus)
		return errmsg_set(err, -ENOMEM, "out of memory");
	snprintf(origin, sizeof(origin), "%llu", (unsigned long long)timeline_origin(st->tl));
	jsonwriter_init(&w, &a->body);
	jsonwriter_open(&w, NULL, '{');
	jsonwriter_add_string(&w, "version", SONDE_VERSION);
	jsonwriter_add_string(&w, "title", st->config.title);
	jsonwriter_add_string(&w, "origin", origin);
	jsonwriter_add_uint(&w, "duration", timeline_duration(st->tl));
	jsonwriter_add_string(&w, "clock", clock_name(st));
	jsonwriter_add_string(&w, "unit", unit.ns ? "ns" : "count");
	jsonwriter_add_uint(&w, "unit_ns", unit.ns);
	jsonwriter_add_string(&w, "counted", unit.ns ? "" : unit.name);
	jsonwriter_add_real(&w, "progress", timeline_progress(st->tl), 4);
	jsonwriter_add_uint(&w, "events", timeline_n_events(st->tl));
	jsonwriter_add_uint(&w, "memory", timeline_memory(st->tl));
	jsonwriter_add_bool(&w, "live", st->is_live);
	add_machines(st, &w, cpus);
	add_sources(st, &w);
	add_features(st, &w);
	jsonwriter_open(&w, "lanes", '[');
	first_lanes_find(st, add_lane, &w);
	jsonwriter_close(&w);
	add_damage(st, &w);
	add_limits(st, &w);
	jsonwriter_close(&w);
	return 0;
}

static void add_task_sources(struct jsonwriter *w, uint64_t sources)
{
	jsonwriter_open(w, NULL, '[');
	for (unsigned i = 0; i < TIMELINE_TOLD_SOURCES; i++)
		if (sources >> i & 1)
			jsonwriter_add_uint(w, NULL, i);
	jsonwriter_close(w);
}

int api_tasks(struct stage *st, const struct request *req, struct answer *a, struct errmsg *err)
{
	size_t n_tasks = timeline_n_tasks(st->tl);
	SCOPED(scope_free) uint64_t *sources = NULL;
	struct jsonwriter w;

	if (st->config.n_sources > 1) {
		sources = calloc(n_tasks + 1, sizeof(*sources));
		if (!sources)
			return errmsg_set(err, -ENOMEM, "out of memory");
		timeline_tasks_sources(st->tl, sources, n_tasks);
	}
	jsonwriter_init(&w, &a->body);
	jsonwriter_open(&w, NULL, '{');
	jsonwriter_open(&w, "tasks", '[');
	for (size_t i = 0; i < n_tasks; i++) {
		const struct timeline_task *t = timeline_task(st->tl, i);

		jsonwriter_open(&w, NULL, '[');
		jsonwriter_add_uint(&w, NULL, i);
		jsonwriter_add_uint(&w, NULL, t->machine);
		jsonwriter_add_int(&w, NULL, t->pid);
		jsonwriter_add_int(&w, NULL, t->tgid);
		jsonwriter_add_text(&w, NULL, t->comm, strnlen(t->comm, sizeof(t->comm)));
		jsonwriter_add_uint(&w, NULL, stage_count(&t->n_events));
		jsonwriter_add_uint(&w, NULL, stage_count(&t->running_ns));
		jsonwriter_add_uint(&w, NULL, stage_count(&t->first));
		jsonwriter_add_uint(&w, NULL, stage_count(&t->last));
		if (sources)
			add_task_sources(&w, sources[i]);
		jsonwriter_close(&w);
	}
	jsonwriter_close(&w);
	jsonwriter_close(&w);
	return 0;
}

/* --- processes -------------------------------------------------------------------------------- */

ARRAY_ORDER(compare_numbers, uint64_t, COMPARE(*x, *y))

/*
 * Lists the processes of all tasks, machine and tgid combined, each once. The caller frees the
 * list. Returns NULL if out of memory.
 */
static uint64_t *list_processes(const struct stage *st, size_t *ret_n)
{
	size_t n_tasks = timeline_n_tasks(st->tl), n = 0, n_unique = 0;
	uint64_t *list = calloc(n_tasks + 1, sizeof(*list));

	for (size_t i = 0; list && i < n_tasks; i++) {
		const struct timeline_task *t = timeline_task(st->tl, i);

		if (t->pid > 0)
			list[n++] = (uint64_t)t->machine << 32 |
				    (uint32_t)(t->tgid > 0 ? t->tgid : t->pid);
	}
	if (list)
		qsort(list, n, sizeof(*list), compare_numbers);
	for (size_t i = 0; i < n; i++)
		if (!i || list[i] != list[i - 1])
			list[n_unique++] = list[i];
	*ret_n = n_unique;
	return list;
}

static bool fmt_command(const struct stage *st, uint32_t machine, int tgid, struct textbuf *tb)
{
	textbuf_clear(tb);
	for (size_t i = 0; i < st->config.n_sources; i++)
		if (st->config.sources[i].machine == machine &&
		    processes_fmt_command(st->config.sources[i].formats->processes, tgid, tb))
			return !tb->overflow;
	return false;
}

int api_processes(struct stage *st, const struct request *req, struct answer *a, struct errmsg *err)
{
	TEXTBUF(command, COMMAND_MAX_BYTES);
	struct jsonwriter w;
	size_t n = 0;
	SCOPED(scope_free) uint64_t *list = list_processes(st, &n);

	if (!list)
		return errmsg_set(err, -ENOMEM, "out of memory");
	jsonwriter_init(&w, &a->body);
	jsonwriter_open(&w, NULL, '{');
	jsonwriter_open(&w, "processes", '[');
	for (size_t i = 0; i < n; i++) {
		if (!fmt_command(st, (uint32_t)(list[i] >> 32), (int)(uint32_t)list[i], &command))
			continue;
		jsonwriter_open(&w, NULL, '[');
		jsonwriter_add_uint(&w, NULL, list[i] >> 32);
		jsonwriter_add_uint(&w, NULL, (uint32_t)list[i]);
		jsonwriter_add_text(&w, NULL, command.start, textbuf_len(&command));
		jsonwriter_close(&w);
	}
	jsonwriter_close(&w);
	jsonwriter_close(&w);
	return 0;
}

/* --- kinds of events -------------------------------------------------------------------------- */

static void add_fields(struct jsonwriter *w, const struct event *ev)
{
	jsonwriter_open(w, "fields", '[');
	for (size_t i = 0; ev && i < ev->n_fields; i++) {
		const struct field *f = &ev->fields[i];

		jsonwriter_open(w, NULL, '{');
		jsonwriter_add_string(w, "name", f->name);
		jsonwriter_add_string(w, "type", f->type);
		jsonwriter_add_bool(w, "number",
				    !(f->flags & (FIELD_ARRAY | FIELD_DYNAMIC | FIELD_STRING)) &&
					    f->size <= 8);
		jsonwriter_close(w);
	}
	jsonwriter_close(w);
}

int api_kinds(struct stage *st, const struct request *req, struct answer *a, struct errmsg *err)
{
	struct jsonwriter w;

	jsonwriter_init(&w, &a->body);
	jsonwriter_open(&w, NULL, '{');
	jsonwriter_open(&w, "kinds", '[');
	for (size_t i = 0, n = timeline_n_kinds(st->tl); i < n; i++) {
		const struct timeline_kind *k = timeline_kind(st->tl, i);

		jsonwriter_open(&w, NULL, '{');
		jsonwriter_add_uint(&w, "n", i);
		jsonwriter_add_uint(&w, "machine", timeline_source(st->tl, k->source)->machine);
		jsonwriter_add_uint(&w, "source", k->source);
		jsonwriter_add_string(&w, "system", k->event ? k->event->system : NULL);
		jsonwriter_add_string(&w, "name", k->event ? k->event->name : NULL);
		jsonwriter_add_int(&w, "id", k->id);
		jsonwriter_add_uint(&w, "events", stage_count(&k->n_events));
		add_fields(&w, k->event);
		jsonwriter_close(&w);
	}
	jsonwriter_close(&w);
	jsonwriter_close(&w);
	return 0;
}

int api_density(struct stage *st, const struct request *req, struct answer *a, struct errmsg *err)
{
	uint64_t from, to, n;
	struct jsonwriter w;
	SCOPED(scope_free) float *values = NULL;
	double ns;

	if (api_range(st, req, &from, &to, err) < 0 ||
	    request_uint(req, "n", DENSITY_FIRST, DENSITY_MAX, &n, err) < 0)
		return errmsg_code(err);
	n += !n;
	ns = (double)(to - from) / n;
	values = calloc(n, sizeof(*values));
	if (!values)
		return errmsg_set(err, -ENOMEM, "out of memory");
	timeline_hint(st->tl, from, to);
	jsonwriter_init(&w, &a->body);
	jsonwriter_open(&w, NULL, '{');
	jsonwriter_open(&w, "streams", '[');
	for (size_t i = 0; i < timeline_n_streams(st->tl); i++) {
		timeline_density(st->tl, i, from, to, values, n);
		jsonwriter_open(&w, NULL, '{');
		jsonwriter_add_uint(&w, "machine", machine_of(st, i));
		jsonwriter_add_uint(&w, "cpu", timeline_stream(st->tl, i)->cpu);
		jsonwriter_open(&w, "values", '[');
		for (size_t k = 0; k < n; k++)
			jsonwriter_add_real(&w, NULL, values[k] * ns, 1);
		jsonwriter_close(&w);
		jsonwriter_close(&w);
	}
	jsonwriter_close(&w);
	jsonwriter_close(&w);
	return 0;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * firstlanes.c - chooses the first lanes for the page, and for a picture without chosen lanes.
 *
 * These lanes are useful for most traces: for each machine its CPUs (at most sixteen); for guests
 * also the times in which their host ran them; interrupts; curves of counters; then the tasks of
 * the recorded command and the longest running ones, and the functions of the busiest of them.
 * Without switches, a CPU lane shows the tasks as far as they are known, and a second lane all
 * events of the CPU.
 *
 * If only functions of programs were recorded, nothing is known of CPUs and of the states of tasks:
 * a task that sleeps has no events, like one that computes. Then the lanes are the functions of the
 * tasks, and nothing else.
 */
#include "base/array.h"
#include "base/scope.h"
#include "decode/formats/formats.h"
#include "decode/samples/sampleinfo.h"
#include "timeline/timeline.h"
#include "view/picture/lanewords.h"

#include "view/recorded.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define USER_BUFFER	   "user" /* as `record -u` names it */
#define FIRST_CPUS	   16
#define FIRST_TASKS	   8
#define FIRST_CALLS	   3
#define FIRST_IRQS	   8  /* number of CPUs whose interrupts are shown */
#define FIRST_LEAST	   3  /* number of tasks of each machine, if there are many machines */
#define FIRST_COUNTERS	   16 /* curves of counters */
#define CPUS_MAX	   4096
#define COUNTER_NAME_BYTES 48

ARRAY_ORDER(compare_cpu, uint32_t, COMPARE(*x, *y))

size_t machine_cpus(const struct stage *st, uint32_t machine, uint32_t *cpus, size_t max)
{
	size_t n = 0, kept = 0;

	for (size_t i = 0; i < timeline_n_streams(st->tl) && n < max; i++) {
		const struct timeline_stream *s = timeline_stream(st->tl, i);

		if (timeline_source(st->tl, s->source)->machine == machine)
			cpus[n++] = s->cpu;
	}
	qsort(cpus, n, sizeof(*cpus), compare_cpu);
	for (size_t i = 0; i < n; i++)
		if (!i || cpus[i] != cpus[i - 1])
			cpus[kept++] = cpus[i];
	return kept;
}

struct ranked {
	bool is_ours; /* the task belongs to the recorded command */
	uint64_t weight;
	const struct timeline_task *task;
};

static int compare_ranked(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	if (x->is_ours != y->is_ours)
		return x->is_ours ? -1 : 1;
	if (x->weight != y->weight)
		return x->weight < y->weight ? 1 : -1;
	return (x->task->pid > y->task->pid) - (x->task->pid < y->task->pid);
}

/* Returns one bit for each source with functions of programs, which only the command has. */
static uint64_t user_sources(const struct stage *st)
{
	uint64_t bits = 0;

	for (size_t i = 0; i < st->config.n_sources && i < TIMELINE_TOLD_SOURCES; i++)
		if (!strcmp(st->config.sources[i].buffer->name, USER_BUFFER))
			bits |= UINT64_C(1) << i;
	return bits;
}

/*
 * Ranks the tasks: first those of the command, then the longest running, or, without switches,
 * those with most events.
 */
static size_t rank_tasks(struct stage *st, uint32_t machine, struct ranked *best, size_t max)
{
	size_t n = timeline_n_tasks(st->tl), kept = 0;
	SCOPED(scope_free) struct ranked *all = calloc(n + 1, sizeof(*all));
	SCOPED(scope_free) uint64_t *sources = calloc(n + 1, sizeof(*sources));
	uint64_t user = user_sources(st);

	if (sources && user)
		timeline_tasks_sources(st->tl, sources, n);
	for (size_t i = 0; all && sources && i < n; i++) {
		const struct timeline_task *t = timeline_task(st->tl, i);

		if (t->pid <= 0 || t->machine != machine)
			continue;
		all[kept].is_ours = recorded_has_task(st, i) || (sources[i] & user);
		all[kept].weight =
			timeline_has_sched(st->tl, machine) ? t->running_ns : t->n_events;
		all[kept++].task = t;
	}
	if (kept)
		qsort(all, kept, sizeof(*all), compare_ranked);
	if (kept > max)
		kept = max;
	if (kept)
		memcpy(best, all, kept * sizeof(*best));
	return kept;
}

/* Returns true if a machine has events whose names begin with `start`. */
static bool has_events(const struct stage *st, uint32_t machine, const char *system,
		       const char *start)
{
	for (size_t i = 0, n = timeline_n_kinds(st->tl); i < n; i++) {
		const struct timeline_kind *k = timeline_kind(st->tl, i);

		if (k->event && stage_count(&k->n_events) &&
		    timeline_source(st->tl, k->source)->machine == machine &&
		    !strcmp(k->event->system, system) &&
		    !strncmp(k->event->name, start, strlen(start)))
			return true;
	}
	return false;
}

struct choosing {
	struct stage *st;
	uint32_t machine;
	void (*add)(void *ctx, const char *spec);
	void *ctx;
};

static void add_lane(const struct choosing *c, const char *type, uint32_t machine, int64_t number)
{
	char spec[64];

	snprintf(spec, sizeof(spec), "%s:%u:%lld", type, machine, (long long)number);
	c->add(c->ctx, spec);
}

/* Adds a virtual CPU if the host recorded its entries. */
static void add_vcpus(const struct choosing *c)
{
	const struct stage_machine *m = &c->st->config.machines[c->machine];

	if (m->guest_of < 0 || !has_events(c->st, m->guest_of, "kvm", "kvm_entry"))
		return;
	for (size_t i = 0; i < m->n_vcpus && i < FIRST_CPUS; i++)
		add_lane(c, "vcpu", c->machine, m->vcpus[i].cpu);
}

/* Adds interrupts of the first CPUs, if there are any. */
static void add_interrupts(const struct choosing *c, const uint32_t *cpus, size_t n)
{
	bool has_irq = has_events(c->st, c->machine, "irq", "irq_handler_entry"),
	     has_softirq = has_events(c->st, c->machine, "irq", "softirq_entry");

	for (size_t i = 0; i < n && i < FIRST_IRQS; i++) {
		if (has_irq)
			add_lane(c, "irq", c->machine, cpus[i]);
		if (has_softirq)
			add_lane(c, "softirq", c->machine, cpus[i]);
	}
}

/*
 * Adds functions of programs, which were recorded only for the command. Not every trace shows which
 * tasks belong to the command.
 */
static void add_calls(const struct choosing *c, const struct ranked *best, size_t n, size_t max)
{
	bool is_known = n && best[0].is_ours;
	bool has_kernel = has_events(c->st, c->machine, "ftrace", "funcgraph_"),
	     has_user = has_events(c->st, c->machine, "user", "user_");

	for (size_t i = 0; i < n && i < max; i++)
		if (has_kernel || (has_user && (best[i].is_ours || !is_known)))
			add_lane(c, "calls", c->machine, best[i].task->pid);
}

/* Returns true if all events of a machine are calls of programs. */
static bool has_only_calls(const struct stage *st, uint32_t machine)
{
	bool has_user = false;

	for (size_t i = 0, n = timeline_n_kinds(st->tl); i < n; i++) {
		const struct timeline_kind *k = timeline_kind(st->tl, i);

		if (!stage_count(&k->n_events) ||
		    timeline_source(st->tl, k->source)->machine != machine)
			continue;
		if (!k->event || strcmp(k->event->system, "user"))
			return false;
		has_user = true;
	}
	return has_user;
}

/* A name that can be a part of a lane's spec, where ':' and ',' separate. */
static void fmt_name(const char *name, char *buf, size_t n_bytes)
{
	size_t n = 0;

	for (; *name && n + 1 < n_bytes; name++)
		buf[n++] = strchr(":,@~[]", *name) || (unsigned char)*name <= ' ' ? '.' : *name;
	buf[n] = 0;
}

static void add_counter(const struct choosing *c, const struct sampleinfo *info, size_t number,
			int64_t cpu)
{
	char spec[160], name[COUNTER_NAME_BYTES];

	fmt_name(sampleinfo_event_name(info, (uint32_t)number), name, sizeof(name));
	snprintf(spec, sizeof(spec), "field:%u:perf/counter:value[event=%zu~%s]", c->machine,
		 number, name);
	if (cpu >= 0)
		snprintf(spec + strlen(spec), sizeof(spec) - strlen(spec), ":cpu%lld",
			 (long long)cpu);
	c->add(c->ctx, spec);
}

/* Adds the curves of `record --counters`: of each CPU, if there are few, or of the tasks. */
static void add_counters(const struct choosing *c, const uint32_t *cpus, size_t n_cpus)
{
	const struct formats *f = NULL;
	struct sampleinfo info;

	for (size_t i = 0, n = timeline_n_kinds(c->st->tl); i < n && !f; i++) {
		const struct timeline_kind *k = timeline_kind(c->st->tl, i);

		if (k->event && stage_count(&k->n_events) &&
		    timeline_source(c->st->tl, k->source)->machine == c->machine &&
		    !strcmp(k->event->system, "perf") && !strcmp(k->event->name, "counter"))
			f = timeline_source(c->st->tl, k->source)->formats;
	}
	if (!f || !f->tf || sampleinfo_read(&info, f->tf) < 0)
		return;
	for (size_t i = info.n_events - info.n_counters; i < info.n_events; i++) {
		bool by_cpu = info.counters_of_cpus && info.n_counters * n_cpus <= FIRST_COUNTERS;

		for (size_t k = 0; by_cpu && k < n_cpus; k++)
			add_counter(c, &info, i, cpus[k]);
		if (!by_cpu)
			add_counter(c, &info, i, -1);
	}
	sampleinfo_release(&info);
}

static void add_machine(const struct choosing *c, uint32_t *cpus)
{
	size_t n = machine_cpus(c->st, c->machine, cpus, CPUS_MAX), n_best;
	size_t share = FIRST_TASKS / c->st->config.n_machines;
	bool has_sched = timeline_has_sched(c->st->tl, c->machine);
	struct ranked best[FIRST_TASKS];

	if (has_only_calls(c->st, c->machine)) {
		n_best = rank_tasks(c->st, c->machine, best, FIRST_TASKS);
		add_calls(c, best, n_best, FIRST_TASKS);
		return;
	}
	for (size_t i = 0; i < n && i < FIRST_CPUS; i++)
		add_lane(c, "cpu", c->machine, cpus[i]);
	for (size_t i = 0; i < n && i < FIRST_CPUS && !has_sched; i++)
		add_lane(c, "all", c->machine, cpus[i]);
	add_vcpus(c);
	if (has_sched)
		add_interrupts(c, cpus, n);
	add_counters(c, cpus, n);
	n_best = rank_tasks(c->st, c->machine, best, share > FIRST_LEAST ? share : FIRST_LEAST);
	for (size_t i = 0; i < n_best; i++)
		add_lane(c, "task", c->machine, best[i].task->pid);
	add_calls(c, best, n_best, FIRST_CALLS);
}

void first_lanes_find(struct stage *st, void (*add)(void *ctx, const char *spec), void *ctx)
{
	struct choosing c = {.st = st, .add = add, .ctx = ctx};
	uint32_t *cpus = calloc(CPUS_MAX, sizeof(*cpus));

	for (size_t m = 0; cpus && m < st->config.n_machines; m++) {
		c.machine = m;
		add_machine(&c, cpus);
	}
	free(cpus);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * perfevents_known.c - all events that a machine knows, and the one a mistyped name means.
 *
 * No file lists the hardware events of this processor. So each is opened for our own process,
 * without starting the counter. Events in the directory of a PMU exist.
 */
#include "base/array.h"
#include "base/errmsg.h"
#include "base/scope.h"
#include "base/spelling.h"
#include "capture/perf/events/builtin.h"
#include "capture/perf/events/perfevents_int.h"
#include "capture/tracefs/eventdir.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

struct walk {
	int (*visit)(void *ctx, const struct perfevents_known *event);
	void *ctx;
};

/* Refused for want of rights is there all the same. */
static bool is_accepted(uint32_t type, uint64_t config)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = type,
		.config = config,
		.disabled = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};
	int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd < 0)
		return errno == EACCES || errno == EPERM;
	close(fd);
	return true;
}

static int visit_builtin(void *ctx, const struct builtin_event *event, const char *alias)
{
	const struct walk *w = ctx;

	return w->visit(w->ctx,
			&(struct perfevents_known){
				.name = event->name,
				.alias = alias,
				.kind = event->kind,
				.is_there = event->tool || is_accepted(event->type, event->config),
			});
}

static int visit_pmu(void *ctx, const struct pmu *pmu, const char *event, const char *unit)
{
	const struct walk *w = ctx;
	char name[2 * PMU_NAME_MAX + 256];

	snprintf(name, sizeof(name), "%s/%s/", pmu->name, event);
	return w->visit(w->ctx, &(struct perfevents_known){
					.name = name,
					.alias = pmu->is_core ? event : NULL,
					.kind = PERFEVENTS_PMU,
					.pmu = pmu->name,
					.unit = unit,
					.is_there = true,
				});
}

int perfevents_each(const struct perfevents_place *place,
		    int (*visit)(void *ctx, const struct perfevents_known *event), void *ctx)
{
	static const enum perfevents_kind kinds[] = {PERFEVENTS_HARDWARE, PERFEVENTS_SOFTWARE,
						     PERFEVENTS_TOOL, PERFEVENTS_CACHE};
	struct walk w = {.visit = visit, .ctx = ctx};
	SCOPED(pmus_release) struct pmu_list pmus = {0};
	int stop = 0;

	for (size_t i = 0; !stop && i < ARRAY_LEN(kinds); i++)
		stop = builtin_each(kinds[i], visit_builtin, &w);
	if (stop)
		return stop;
	TRY(pmus_read(place->sysfs ? place->sysfs : "/sys", &pmus));
	for (size_t i = 0; !stop && i < pmus.n; i++)
		stop = pmus_each_event(&pmus.pmus[i], visit_pmu, &w);
	return stop;
}

bool perfevents_has_hardware(const struct perfevents_place *place)
{
	SCOPED(pmus_release) struct pmu_list pmus = {0};

	if (place->sysfs) {
		if (pmus_read(place->sysfs, &pmus) < 0)
			return false;
		return ARRAY_ANY(pmus.n, i, pmus.pmus[i].is_core);
	}
	return is_accepted(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES);
}

/*
 * --- the nearest name ---------------------------------------------------------------------------
 */

struct nearest {
	struct spelling sp;
	char name[2 * PMU_NAME_MAX + 256];
};

/* The name is the visitor's only during the call: the nearest so far is copied. */
static void consider(struct nearest *n, const char *name)
{
	spelling_add(&n->sp, name);
	if (n->sp.nearest == name) {
		snprintf(n->name, sizeof(n->name), "%s", name);
		n->sp.nearest = n->name;
	}
}

static int consider_builtin(void *ctx, const struct builtin_event *event, const char *alias)
{
	consider(ctx, event->name);
	if (alias)
		consider(ctx, alias);
	return 0;
}

static int consider_pmu(void *ctx, const struct pmu *pmu, const char *event, const char *unit)
{
	consider(ctx, event);
	return 0;
}

static int consider_tracepoint(void *ctx, const char *system, const char *event)
{
	struct nearest *n = ctx;
	const char *before = n->sp.nearest;
	unsigned distance = n->sp.distance;
	char full[2 * TRACEFS_NAME_MAX];

	spelling_add(&n->sp, event);
	if (n->sp.nearest == before && n->sp.distance == distance)
		return 0;
	snprintf(full, sizeof(full), "%s:%s", system, event);
	snprintf(n->name, sizeof(n->name), "%s", full);
	n->sp.nearest = n->name;
	return 0;
}

static void consider_all(const struct eventparser *p, struct nearest *n)
{
	struct errmsg quiet = {0};
	struct tracefs own;
	const struct tracefs *t = p->place->tracefs;

	for (enum perfevents_kind kind = PERFEVENTS_HARDWARE; kind <= PERFEVENTS_TOOL; kind++)
		builtin_each(kind, consider_builtin, n);
	for (size_t i = 0; i < p->pmus.n; i++)
		pmus_each_event(&p->pmus.pmus[i], consider_pmu, n);
	if (!t && tracefs_open(&own, &quiet) >= 0)
		t = &own;
	if (t)
		eventdir_each(t, "", consider_tracepoint, n, &quiet);
}

int perfevents_refuse(const struct eventparser *p, const char *what)
{
	struct nearest n = {.name = ""};
	bool is_pmu = strcmp(what, "PMU") == 0;

	spelling_init(&n.sp, p->word, strlen(p->word));
	if (is_pmu)
		for (size_t i = 0; i < p->pmus.n; i++)
			consider(&n, p->pmus.pmus[i].name);
	else
		consider_all(p, &n);
	return errmsg_set(p->err, -ENOENT,
			  "unknown %s '%s'%s%s%s (sonde counters --list lists all)", what, p->word,
			  n.sp.nearest ? "; did you mean '" : "", n.sp.nearest ? n.sp.nearest : "",
			  n.sp.nearest ? "'?" : "");
}

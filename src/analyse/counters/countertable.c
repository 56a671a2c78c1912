// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * countertable.c - sums of counters in a run, and their statistics over runs.
 *
 * A PMU has few counters. If more events are requested, the kernel counts them in turns, and
 * reports how long each was enabled and how long it was running; value * enabled / running is an
 * estimate of the whole. It is computed for each counter, before counters are added up: CPUs differ
 * in their turns.
 *
 * Over runs, mean and variance are updated with each observation (Welford), because sums of squares
 * of counts lose the digits that matter. The deviation is the standard error of the mean, as perf
 * prints it.
 */
#include "analyse/counters/countertable.h"

#include "base/array.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PARTS_MAX 65536u

struct statistic {
	double mean, squares;
	unsigned n;
};

struct sum {
	double value, enabled, running;
	bool has_any;
};

struct cell {
	struct sum now; /* of this run */
	struct statistic value, enabled, running;
};

struct part {
	int64_t key;
	char *label;
	unsigned n_merged;
	struct cell *cells; /* one for each event */
};

struct countertable {
	const struct counterevent *events;
	size_t n_events;
	struct part *parts; /* by key */
	size_t n_parts, cap_parts;
	struct statistic elapsed, user, system;
};

static void observe(struct statistic *s, double value)
{
	double delta = value - s->mean;

	s->n++;
	s->mean += delta / s->n;
	s->squares += delta * (value - s->mean);
}

static double standard_error(const struct statistic *s)
{
	return s->n < 2 ? 0 : sqrt(s->squares / (s->n - 1) / s->n);
}

int countertable_new(struct countertable **ret, const struct counterevent *events, size_t n_events)
{
	struct countertable *t = calloc(1, sizeof(*t));

	if (!t)
		return -ENOMEM;
	t->events = events;
	t->n_events = n_events;
	*ret = t;
	return 0;
}

void countertable_free(struct countertable *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < t->n_parts; i++) {
		free(t->parts[i].label);
		free(t->parts[i].cells);
	}
	free(t->parts);
	free(t);
}

void countertable_clear(struct countertable *t)
{
	for (size_t i = 0; i < t->n_parts; i++)
		memset(t->parts[i].cells, 0, t->n_events * sizeof(*t->parts[i].cells));
	t->elapsed = t->user = t->system = (struct statistic){0};
}

int countertable_part(struct countertable *t, int64_t key, const char *label, unsigned n_merged)
{
	size_t at = ARRAY_BISECT(t->n_parts, i, t->parts[i].key < key);
	struct part part = {.key = key, .n_merged = n_merged};

	if (at < t->n_parts && t->parts[at].key == key) {
		t->parts[at].n_merged = n_merged;
		return (int)at;
	}
	part.label = strdup(label);
	part.cells = calloc(t->n_events + 1, sizeof(*part.cells));
	if (!part.label || !part.cells ||
	    !ARRAY_ROOM(t->parts, t->cap_parts, t->n_parts + 1, PARTS_MAX)) {
		free(part.label);
		free(part.cells);
		return -ENOMEM;
	}
	memmove(&t->parts[at + 1], &t->parts[at], (t->n_parts - at) * sizeof(*t->parts));
	t->parts[at] = part;
	t->n_parts++;
	return (int)at;
}

void countertable_add(struct countertable *t, size_t part, size_t event, uint64_t value,
		      uint64_t enabled_ns, uint64_t running_ns)
{
	struct sum *s = &t->parts[part].cells[event].now;

	s->has_any = true;
	s->enabled += (double)enabled_ns;
	s->running += (double)running_ns;
	if (running_ns && running_ns < enabled_ns)
		s->value += (double)value * ((double)enabled_ns / (double)running_ns);
	else
		s->value += (double)value;
}

static void end_cell(struct cell *c)
{
	if (c->now.has_any) {
		observe(&c->value, c->now.value);
		observe(&c->enabled, c->now.enabled);
		observe(&c->running, c->now.running);
	}
	c->now = (struct sum){0};
}

void countertable_end_run(struct countertable *t, double elapsed_s, double user_s, double system_s)
{
	for (size_t p = 0; p < t->n_parts; p++)
		for (size_t e = 0; e < t->n_events; e++)
			end_cell(&t->parts[p].cells[e]);
	observe(&t->elapsed, elapsed_s);
	observe(&t->user, user_s);
	observe(&t->system, system_s);
}

size_t countertable_n_events(const struct countertable *t)
{
	return t->n_events;
}

const struct counterevent *countertable_event(const struct countertable *t, size_t event)
{
	return &t->events[event];
}

size_t countertable_n_parts(const struct countertable *t)
{
	return t->n_parts;
}

const char *countertable_label(const struct countertable *t, size_t rank, unsigned *ret_n_merged)
{
	*ret_n_merged = t->parts[rank].n_merged;
	return t->parts[rank].label;
}

void countertable_cell(const struct countertable *t, size_t rank, size_t event,
		       struct countercell *ret)
{
	const struct cell *c = &t->parts[rank].cells[event];

	*ret = (struct countercell){.value = c->value.mean,
				    .enabled_ns = c->enabled.mean,
				    .running_ns = c->running.mean};
	if (c->value.mean != 0)
		ret->deviation = 100 * standard_error(&c->value) / fabs(c->value.mean);
	if (!t->events[event].is_supported)
		ret->state = COUNTER_NOT_SUPPORTED;
	else if (ret->running_ns == 0 && !t->events[event].is_tool)
		ret->state = COUNTER_NOT_COUNTED;
}

void countertable_totals(const struct countertable *t, struct countertotals *ret)
{
	*ret = (struct countertotals){.elapsed_s = t->elapsed.mean,
				      .elapsed_deviation_s = standard_error(&t->elapsed),
				      .user_s = t->user.mean,
				      .system_s = t->system.mean,
				      .has_cpu_time = t->user.mean + t->system.mean > 0,
				      .n_runs = t->elapsed.n};
}

bool countertable_has_unsupported(const struct countertable *t)
{
	return ARRAY_ANY(t->n_events, i, !t->events[i].is_supported);
}

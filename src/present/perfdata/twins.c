// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * twins.c - which sample belongs to which event of the kernel.
 *
 * Both were taken at the same hit of a tracepoint, on one CPU, one directly behind the other. The
 * kernel calls the two receivers always in the same order, but which one comes first depends on the
 * kind of the event and on which was opened first. So the nearest neighbours of all events vote:
 *
 *	samples   s   s       s     s
 *	events     e   e   e   e     e      the sample is before its event, or
 *	                   └ its sample was lost
 *
 * A sample belongs to an event only if no other event of this kind is between them. So an event
 * whose sample was lost does not get the stack of another event. Samples without an event (it was
 * filtered out, or was before the start) are dropped.
 */
#include "present/perfdata/twins.h"

#include "analyse/samples/sampleset.h"
#include "base/array.h"
#include "decode/samples/sampleinfo.h"
#include "present/perfdata/write.h"
#include "symbols/tasks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define POINTS_MAX (1u << 28)

struct point {
	uint64_t ts;
	uint32_t event, cpu;
	const struct sampleset_row *row; /* NULL: an event */
};

struct points {
	struct point *list;
	size_t n, cap;
};

struct twins {
	const struct perfwrite *w;
	uint32_t *event_of; /* of a sampled event: index in w->events, plus one; 0: it is no twin */
	size_t n_sampled;
	bool *is_before; /* by index in w->events: samples come before their events */
	struct points samples, events;
};

ARRAY_ORDER(by_place, struct point,
		   COMPARE(x->event, y->event)
			   ?: COMPARE(x->cpu, y->cpu)
			   ?: COMPARE(x->ts, y->ts))

static bool add(struct points *p, struct point point)
{
	if (!ARRAY_ROOM(p->list, p->cap, p->n + 1, POINTS_MAX))
		return false;
	p->list[p->n++] = point;
	return true;
}

static void sort(struct points *p)
{
	if (p->n)
		qsort(p->list, p->n, sizeof(*p->list), by_place);
}

/* The first point that is not before this one. */
static size_t find(const struct points *p, const struct point *of)
{
	return ARRAY_BISECT(p->n, i, by_place(&p->list[i], of) < 0);
}

/* A point of the same event and CPU, or NULL. i may be outside. */
static const struct point *at(const struct points *p, size_t i, const struct point *of)
{
	const struct point *found = i < p->n ? &p->list[i] : NULL;

	return found && found->event == of->event && found->cpu == of->cpu ? found : NULL;
}

static const struct point *before(const struct points *p, const struct point *of)
{
	return at(p, find(p, of) - 1, of);
}

static const struct point *behind(const struct points *p, const struct point *of)
{
	return at(p, find(p, of), of);
}

/* Names of sampled events may have modifiers: sched:sched_switch:k, or terms between slashes. */
static uint32_t event_of(const struct perfwrite *w, const char *name)
{
	for (size_t i = 0; i < w->n_events; i++) {
		size_t n = strlen(w->events[i].name);

		if (!strncmp(w->events[i].name, name, n) && (!name[n] || strchr(":/", name[n])))
			return (uint32_t)i + 1;
	}
	return 0;
}

static int add_samples(struct twins *t)
{
	size_t n;
	const struct sampleset_row *rows = sampleset_rows(t->w->set, &n);

	for (size_t i = 0; i < n; i++) {
		uint32_t event = rows[i].event < t->n_sampled ? t->event_of[rows[i].event] : 0;

		if (event && !add(&t->samples, (struct point){.ts = rows[i].ts,
							      .event = event - 1,
							      .cpu = rows[i].cpu,
							      .row = &rows[i]}))
			return -ENOMEM;
	}
	sort(&t->samples);
	return 0;
}

int twins_new(struct twins **ret, const struct perfwrite *w)
{
	struct twins *t;
	bool has_some = false;

	*ret = NULL;
	if (!w->set || !w->n_events)
		return 0;
	t = calloc(1, sizeof(*t));
	if (!t)
		return -ENOMEM;
	t->w = w;
	t->n_sampled = w->info->n_events;
	t->event_of = calloc(t->n_sampled + 1, sizeof(*t->event_of));
	t->is_before = calloc(w->n_events, sizeof(*t->is_before));
	for (size_t i = 0; t->event_of && i < t->n_sampled; i++) {
		t->event_of[i] = event_of(w, sampleinfo_event_name(w->info, (uint32_t)i));
		has_some |= t->event_of[i];
	}
	if (!t->event_of || !t->is_before || add_samples(t) < 0) {
		twins_free(t);
		return -ENOMEM;
	}
	if (has_some)
		*ret = t;
	else
		twins_free(t);
	return 0;
}

void twins_free(struct twins *t)
{
	if (!t)
		return;
	free(t->event_of);
	free(t->is_before);
	free(t->samples.list);
	free(t->events.list);
	free(t);
}

bool twins_has(const struct twins *t, size_t sampled)
{
	return t && sampled < t->n_sampled && t->event_of[sampled];
}

static struct point point_of(size_t event, const struct perfwrite_record *rec)
{
	return (struct point){.ts = rec->ts, .event = (uint32_t)event, .cpu = rec->cpu};
}

int twins_note(struct twins *t, size_t event, const struct perfwrite_record *rec)
{
	if (!t || !ARRAY_ANY(t->n_sampled, i, t->event_of[i] == event + 1))
		return 0;
	return add(&t->events, point_of(event, rec)) ? 0 : -ENOMEM;
}

void twins_settle(struct twins *t)
{
	long *votes = t ? calloc(t->w->n_events, sizeof(*votes)) : NULL;

	if (!votes)
		return; /* without memory: behind, as with probes */
	sort(&t->events);
	for (size_t i = 0; i < t->events.n; i++) {
		const struct point *e = &t->events.list[i], *next = behind(&t->samples, e),
				   *last = before(&t->samples, e);

		if (last && (!next || e->ts - last->ts < next->ts - e->ts))
			votes[e->event]++;
		else if (next)
			votes[e->event]--;
	}
	for (size_t i = 0; i < t->w->n_events; i++)
		t->is_before[i] = votes[i] > 0;
	free(votes);
}

const struct sampleset_row *twins_find(const struct twins *t, size_t event,
				       const struct perfwrite_record *rec)
{
	struct point e = point_of(event, rec);
	const struct point *s, *between;

	if (!t)
		return NULL;
	if (t->is_before[event]) {
		s = before(&t->samples, &e);
		between = before(&t->events, &e);
		if (s && between && between->ts > s->ts)
			return NULL;
	} else {
		s = behind(&t->samples, &e);
		between = at(&t->events, find(&t->events, &e) + 1, &e);
		if (s && between && between->ts <= s->ts)
			return NULL;
	}
	return s && s->row->task && s->row->task->pid == rec->tid ? s->row : NULL;
}

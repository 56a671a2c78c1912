// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * eventchoice.c - what the conditions of a query leave to be read.
 *
 *	ts > 5 AND cpu = 1 AND name IN ('sched_switch', 'sched_waking') AND comm = 'make'
 *	└ from 6  └ CPU 1  └ flags of two events                        └ not here: tested by row
 */
#include "query/eventchoice.h"

#include "base/scope.h"
#include "decode/formats/event.h"
#include "decode/formats/formats.h"
#include "inputs/inputs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define CPUS_MAX 4096

static bool is_kind_column(enum event_column_kind kind)
{
	return kind == COLUMN_SYSTEM || kind == COLUMN_NAME;
}

static bool kind_matches(const struct event_columns *columns, const char *system, const char *name,
			 const struct pushdown *p, const struct event *ev)
{
	if (name && (strcmp(ev->name, name) || strcmp(ev->system, system)))
		return false;
	for (size_t i = 0; i < p->n; i++) {
		enum event_column_kind kind = columns->list[p->list[i].column].kind;
		const char *text = kind == COLUMN_NAME ? ev->name : ev->system;

		if ((kind == COLUMN_NAME || kind == COLUMN_SYSTEM) &&
		    pushed_is_texts(&p->list[i]) &&
		    !pushed_match_text(&p->list[i], text, strlen(text)))
			return false;
	}
	return true;
}

/* Makes flags of the events that the conditions on name and system select, if there are any. */
static int choose_events(struct event_choice *c, const struct event_columns *columns,
			 const char *system, const char *name, const struct pushdown *p)
{
	const struct inputs *in = columns->trace->in;
	bool any = name;

	for (size_t i = 0; i < p->n; i++)
		any |= is_kind_column(columns->list[p->list[i].column].kind) &&
		       pushed_is_texts(&p->list[i]);
	if (!any)
		return 0;
	c->n_files = in->n_files;
	c->events = calloc(c->n_files + 1, sizeof(*c->events));
	for (size_t i = 0; c->events && i < c->n_files; i++) {
		const struct formats *f = in->files[i].formats;

		c->events[i] = calloc(SEQUENCE_IDS, 1);
		if (!c->events[i])
			return -ENOMEM;
		for (size_t k = 0; k < f->n_events; k++)
			if ((unsigned)f->by_id[k]->id < SEQUENCE_IDS &&
			    kind_matches(columns, system, name, p, f->by_id[k]))
				c->events[i][f->by_id[k]->id] = 1;
	}
	return c->events ? 0 : -ENOMEM;
}

static void limit_time(struct scan_wants *w, const struct pushed *p)
{
	int64_t v = p->values[0].number;
	uint64_t t = v < 0 ? 0 : (uint64_t)v;
	bool none = v < 0 && p->op != PUSH_GT && p->op != PUSH_GE;

	if (none) {
		w->from = UINT64_MAX;
		w->to = 0;
		return;
	}
	if (p->op == PUSH_EQ || p->op == PUSH_GE)
		w->from = t > w->from ? t : w->from;
	if (p->op == PUSH_GT && v >= 0)
		w->from = t + 1 > w->from ? t + 1 : w->from;
	if (p->op == PUSH_EQ || p->op == PUSH_LE)
		w->to = t < w->to ? t : w->to;
	if (p->op == PUSH_LT) {
		w->to = t && t - 1 < w->to ? t - 1 : t ? w->to : 0;
		w->from = t ? w->from : UINT64_MAX;
	}
}

/* Selects CPUs by an equality or a list. */
static int limit_cpus(struct event_choice *c, const struct pushed *p)
{
	struct scan_wants *w = &c->wants;

	if (w->cpus || (p->op != PUSH_EQ && p->op != PUSH_IN) || p->n > CPUS_MAX)
		return 0;
	c->cpus = calloc(p->n + 1, sizeof(*c->cpus));
	if (!c->cpus)
		return -ENOMEM;
	for (size_t i = 0; i < p->n; i++)
		if (p->values[i].number >= 0 && p->values[i].number < UINT32_MAX)
			c->cpus[w->n_cpus++] = (uint32_t)p->values[i].number;
	w->cpus = c->cpus;
	return 0;
}

int event_choice_init(struct event_choice *c, const struct event_columns *columns,
		      const char *system, const char *name, const struct pushdown *conditions)
{
	*c = (struct event_choice){.wants = {.to = UINT64_MAX, .n_ids = SEQUENCE_IDS}};
	TRY(choose_events(c, columns, system, name, conditions));
	c->wants.events = c->events;
	for (size_t i = 0; i < conditions->n; i++) {
		const struct pushed *p = &conditions->list[i];

		if (!p->n || !pushed_is_numbers(p))
			continue;
		if (columns->list[p->column].kind == COLUMN_TS)
			limit_time(&c->wants, p);
		else if (columns->list[p->column].kind == COLUMN_CPU)
			TRY(limit_cpus(c, p));
	}
	return 0;
}

void event_choice_release(struct event_choice *c)
{
	for (size_t i = 0; c->events && i < c->n_files; i++)
		free(c->events[i]);
	free(c->events);
	free(c->cpus);
	*c = (struct event_choice){0};
}

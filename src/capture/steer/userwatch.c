// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * userwatch.c - steps of the cost and the budget, and the events that are not calls.
 *
 * The first steps are short, because a program that is expensive to trace is expensive from its
 * first millisecond on. While functions are switched off, steps stay short: the program has just
 * begun to do something else. Later ones take STEP_MAX_NS.
 */
#include "capture/steer/userwatch.h"

#include "base/clock.h"
#include "base/lock.h"
#include "capture/calls/usercollector.h"
#include "store/events/userevents.h"
#include "capture/calls/plans/plans.h"
#include "capture/steer/userswitch.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define STEP_MIN_NS 5000000ull
#define STEP_MAX_NS 250000000ull
#define CHANGES	    16
#define TOOK_PARTS  20 /* a step is at most this part of the time */

void userwatch_init(struct userwatch *w, const struct userwatch_config *config)
{
	*w = (struct userwatch){
		.config = *config,
		.budget = {.percent = config->budget_percent,
			   .stats = config->stats,
			   .switches = config->switches},
		.step_ns = STEP_MIN_NS,
	};
	usercost_init(&w->cost);
	pthread_mutex_init(&w->lock, NULL);
	w->last_ns = clock_now_ns();
	w->next_ns = w->last_ns + w->step_ns;
}

void userwatch_release(struct userwatch *w)
{
	for (size_t i = 0; i < w->n_marks; i++)
		free(w->marks[i]);
	userbudget_release(&w->budget);
	usercost_release(&w->cost);
	if (w->config.rings)
		pthread_mutex_destroy(&w->lock);
	*w = (struct userwatch){0};
}

/*
 * --- events ------------------------------------------------------------------------------------
 */

int userwatch_add_mark(struct userwatch *w, const char *text)
{
	char *copy = strdup(text);
	int r = !copy ? -ENOMEM : 0;

	pthread_mutex_lock(&w->lock);
	if (copy && w->n_marks < USERWATCH_MARKS_MAX)
		w->marks[w->n_marks++] = copy;
	else if (copy)
		r = -ENOSPC;
	pthread_mutex_unlock(&w->lock);
	if (r < 0)
		free(copy);
	return r;
}

static int put(struct usercollector *c, enum userevents_id type, uint32_t func, const char *text)
{
	struct userevents_note note;
	uint32_t n = userevents_fmt_note(&note, type, func, text);

	return usercollector_put(c, &note, n);
}

static int put_change(struct usercollector *c, const struct userswitch_change *ch)
{
	char text[160];

	if (ch->number == USERSWITCH_ALL)
		return put(c, USEREVENTS_MARK, 0,
			   ch->on ? "all functions are switched on"
				  : "all functions are switched off");
	snprintf(text, sizeof(text), "is switched %s%s after %llu recorded calls",
		 ch->on ? "on" : "off", ch->why == USERSWITCH_BUDGET ? " by the budget" : "",
		 (unsigned long long)ch->n_calls);
	return put(c, USEREVENTS_SWITCH, userevents_func(ch->number), text);
}

static int put_changes(struct userwatch *w, struct usercollector *c)
{
	struct userswitch_change list[CHANGES];
	size_t n;
	int r = 0;

	do {
		n = userswitch_changes(w->config.switches, w->n_told, list, CHANGES);
		for (size_t i = 0; i < n && !r; i++) {
			r = put_change(c, &list[i]);
			w->n_told += !r;
		}
	} while (n && !r);
	return r;
}

static int put_marks(struct userwatch *w, struct usercollector *c)
{
	int r = 0;

	LOCKED(&w->lock);
	while (w->n_marks && !r) {
		r = put(c, USEREVENTS_MARK, 0, w->marks[0]);
		if (r)
			break;
		free(w->marks[0]);
		memmove(w->marks, w->marks + 1, --w->n_marks * sizeof(*w->marks));
	}
	return r;
}

/*
 * --- the cost ----------------------------------------------------------------------------------
 */

static void measure(struct userwatch *w, uint64_t now_ns, uint64_t n_calls)
{
	const struct usercost *cost = &w->cost;
	uint64_t took_ns;
	size_t n_off;

	usercost_step(&w->cost, w->config.rings, n_calls);
	userswitch_note_stuck(w->config.switches);
	n_off = userbudget_step(&w->budget, cost, userplans_n_functions(w->config.plans));
	pthread_mutex_lock(&w->lock);
	w->calls_per_second = cost->step_n_calls * 1e9 / (double)(now_ns - w->last_ns + 1);
	w->percent_now = usercost_ratio(cost, cost->step_n_calls, cost->step_cpu_ns);
	pthread_mutex_unlock(&w->lock);
	w->last_ns = now_ns;
	w->step_ns = n_off			    ? STEP_MIN_NS
		     : w->step_ns * 2 < STEP_MAX_NS ? w->step_ns * 2
						    : STEP_MAX_NS;
	/* of a program with half a million functions, a step takes milliseconds */
	took_ns = clock_now_ns() - now_ns;
	w->next_ns =
		now_ns + (w->step_ns > TOOK_PARTS * took_ns ? w->step_ns : TOOK_PARTS * took_ns);
}

int userwatch_put(struct userwatch *w, struct usercollector *c)
{
	int r = put_changes(w, c);

	if (!r)
		r = put_marks(w, c);
	return r == -EAGAIN ? 0 : r;
}

int userwatch_step(struct userwatch *w, struct usercollector *c, uint64_t n_calls)
{
	uint64_t now_ns = clock_now_ns();

	if (now_ns >= w->next_ns)
		measure(w, now_ns, n_calls);
	return userwatch_put(w, c);
}

void userwatch_get_status(struct userwatch *w, struct userwatch_status *ret)
{
	*ret = (struct userwatch_status){.call_ns = w->cost.call_ns,
					 .percent = usercost_percent(&w->cost)};
	LOCKED(&w->lock);
	ret->calls_per_second = w->calls_per_second;
	ret->percent_now = w->percent_now;
}

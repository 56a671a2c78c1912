/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * latencyplan.h - plans what must be traced to measure a latency, and how its events are paired.
 *
 *  latencyplan_add_function ─▶ latencyplan_split_filters ─▶ latencyplan_open … ─▶ latencyplan_close
 *                                                                          ─▶ latencyplan_release
 *
 * A function is traced by function_graph, or by a probe at its entry and one at its return.
 */
#ifndef SONDE_LIVE_LATENCYPLAN_H
#define SONDE_LIVE_LATENCYPLAN_H

#include "analyse/latency/latency.h"
#include "capture/plan.h"
#include "decode/formats/formats.h"

struct errmsg;

struct latencyplan {
	struct plan *plan;
	struct latency_config *config;
	const struct plan_words *names; /* names of the plan's events in the trace */
	bool has_keys; /* --by is used: a function's parentheses contain arguments, not types */
	/* Adds an event to the plan, and a probe if the word defines one. */
	int (*add_event)(void *ctx, const char *word, struct errmsg *err);
	void *ctx;
	/* results */
	/* condition on the first event, which the program checks; NULL: none */
	const char *condition;
	/* filters of -e E -f A -e E -f B, which the program checks; NULL: none */
	char *side_filters[2];
	struct filter *filters[2]; /* the compiled filters */
	struct latency_call
		*calls; /* calls of a pattern of functions; NULL: one function, or two events */
};

/* Plans the trace of config->function, if there is one. */
int latencyplan_add_function(struct latencyplan *p, struct errmsg *err);
/*
 * Handles two sides that are the same event, each with its own filter: keeps the filters for the
 * program, and lets the kernel pass events that either side wants.
 */
int latencyplan_split_filters(struct latencyplan *p, struct errmsg *err);

/* Completes the config: names, filters of the sides, pairs of calls. */
int latencyplan_open(struct latencyplan *p, struct formats *f, struct errmsg *err);
/* Frees the results of latencyplan_open(). */
void latencyplan_close(struct latencyplan *p);
void latencyplan_release(struct latencyplan *p);

/* Adds a remedy to the message if another program uses the tracer: probes have no such limit. */
void latencyplan_suggest_probes(const struct latencyplan *p, struct errmsg *err);

#endif

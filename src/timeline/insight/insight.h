/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * insight.h - numbers about a range of a timeline: what the page's panels and exports show.
 */
#ifndef SONDE_TIMELINE_INSIGHT_INSIGHT_H
#define SONDE_TIMELINE_INSIGHT_INSIGHT_H

#include "base/json/jsonwriter.h"
#include "timeline/lanes/lane.h"
#include "timeline/states/states.h"

/*
 * Each writes one JSON object about [from, to]; sel may be NULL. doc/VIEWER.md has the members.
 *	insight_tasks     time per task and state, switches, wakeups, migrations
 *	insight_events    counts per kind
 *	insight_spans     how long the spans of these lanes are, by name; SPANS_LANES_MAX of them
 *	insight_list      the single spans of these lanes with one name or value, with their times
 *	insight_wakeups   histogram of wakeup latencies (runnable to running), log2, with the worst
 *	insight_functions calls, total, self, max per function (function_graph and spans), on the clock of
 *	                  the task, which stands while it is off its CPU, where the trace tells that
 *	insight_flame     frames {name, value, children}: on-CPU (functions by the CPU time they
 *	                  used themselves, or stacks by number) or off-CPU (kernel stacks at
 *	                  switch-out, weighted by the time off). by: "functions", "stacks", or
 *	                  "SYSTEM/NAME", stacks of that event; NULL: functions, if there are any
 *	insight_why       the critical path of a task: pieces {start, end, task, state, why, waker}
 */
/* tasks: only these, a bit for each of INSIGHT_TASKS numbers; NULL: all. */
#define INSIGHT_TASKS (UINT16_MAX + 1)
int insight_tasks(struct lanes *ls, const uint8_t *tasks, uint64_t from, uint64_t to,
		  struct jsonwriter *w);
int insight_events(struct lanes *ls, const struct selection *sel, uint64_t from, uint64_t to,
		   struct jsonwriter *w);
int insight_wakeups(struct lanes *ls, const uint8_t *tasks, uint64_t from, uint64_t to,
		    struct jsonwriter *w);
int insight_functions(struct lanes *ls, int task, uint64_t from, uint64_t to, struct jsonwriter *w);
int insight_flame(struct lanes *ls, bool off_cpu, const char *by, int task, uint64_t from,
		  uint64_t to, struct jsonwriter *w);
#define SPANS_LANES_MAX 256
int insight_spans(struct lanes *ls, const char *const *specs, size_t n_specs, uint64_t from,
		  uint64_t to, struct jsonwriter *w);
/* Single spans. name NULL: those with this value; in lanes of CPUs and of tasks. */
#define LIST_MAX 5000
enum list_order { LIST_LONGEST, LIST_SHORTEST, LIST_FIRST, LIST_LAST };
struct list_wants {
	const char *name;
	uint32_t value;
	enum list_order order;
	size_t max; /* so many are listed, all are counted; up to LIST_MAX */
};
int insight_list(struct lanes *ls, const char *const *specs, size_t n_specs,
		 const struct list_wants *wants, uint64_t from, uint64_t to, struct jsonwriter *w);
int insight_why(struct lanes *ls, int task, uint64_t from, uint64_t to, struct jsonwriter *w);

#endif

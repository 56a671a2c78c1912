/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * timehisttext.h - one line per switch, as perf sched timehist prints them; with wakeups and
 * migrations in between.
 *
 *  timehist_init ─▶ timehist_fmt_head ─▶ timehist_fmt_turn, … ─▶ timehist_end ─▶ timehist_release
 */
#ifndef SONDE_PRESENT_SCHED_TIMEHISTTEXT_H
#define SONDE_PRESENT_SCHED_TIMEHISTTEXT_H

#include "analyse/sched/perfsched.h"
#include "base/textbuf.h"
#include "present/sched/schedtext.h"

struct timehist_config {
	bool as_perf; /* perf's text: 0.000 for what is not known */
	bool exact;   /* and its letters of states */
	bool wakeups, migrations, next, visual, state, stacks, json;
	unsigned n_cpus;   /* columns of `visual` */
	unsigned n_frames; /* with stacks */
};

struct timehist_line;

struct timehist {
	struct sched_view view;
	struct timehist_config config;
	unsigned comm_width;
	/* with stacks: lines that wait for the stack of their event */
	struct timehist_line *lines;
	size_t n_lines, cap_lines;
	struct textbuf held, *out;
};

void timehist_init(struct timehist *h, const struct sched_view *view,
		   const struct timehist_config *config, struct textbuf *out);
void timehist_release(struct timehist *h);
void timehist_fmt_head(struct timehist *h);
/* times: as perf counts them; only with as_perf, otherwise NULL */
void timehist_fmt_turn(struct timehist *h, const struct sched_turn *t,
		       const struct perfsched_times *times);
void timehist_fmt_waking(struct timehist *h, const struct sched_event *ev,
			 const struct sched_task *task, const struct sched_task *waker);
void timehist_fmt_migrate(struct timehist *h, const struct sched_event *ev,
			  const struct sched_task *task, const struct sched_task *by);
/* The stack of the last event on the CPU. */
void timehist_add_stack(struct timehist *h, uint32_t cpu, const struct sched_stack *stack);
/* Adds the lines that still wait to the output. */
void timehist_end(struct timehist *h);

#endif

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * timehist.c - `perf sched timehist`.
 *
 * Each switch becomes a line when it is read; perfsched says which times perf shows. The summary
 * (-s, -S) comes from the same numbers. --time is START,STOP in seconds of the trace; either may be
 * missing. Options about files with symbols have no effect: the trace has the kernel's symbols.
 */
#include "analyse/sched/schedflow.h"
#include "cli/as/sched/sched.h"

#include "base/errmsg.h"
#include "base/scope.h"
#include "present/sched/perftext.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A waking or a migration. perf shows them of all CPUs, whatever -C says. */
static bool is_shown(struct perf_sched_run *r, const struct sched_task *t,
		     const struct sched_event *ev)
{
	return !r->o->summary && (r->o->exact || schedrun_has_cpu(r->run.o, ev->cpu)) &&
	       schedrun_is_in_range(&r->run, ev->ts) && (!r->o->idle || !t->pid) &&
	       schedrun_match(&r->run, t);
}

/* -I shows switches to and from an idle task. A turn that leaves the range ends with it. */
static void add_turn(void *ctx, const struct sched_turn *t)
{
	struct perf_sched_run *r = ctx;
	bool is_idle = !t->task->pid || (t->next && !t->next->pid);
	bool is_chosen = schedrun_has_cpu(r->run.o, t->cpu) && schedrun_match(&r->run, t->task);
	struct sched_turn part = *t;
	struct perfsched_times times;

	perfsched_turn(r->perf, t, is_chosen, &times);
	schedsums_add(r->sums, t);
	part.end = times.end;
	if (times.is_in_range && is_chosen && !r->o->summary && (!r->o->idle || is_idle))
		timehist_fmt_turn(&r->hist, &part, &times);
}

static void add_waking(void *ctx, const struct sched_event *ev, struct sched_task *t,
		       struct sched_task *waker)
{
	struct perf_sched_run *r = ctx;
	bool has_waking = schedflow_reader(r->run.flow)->has_waking;

	perfsched_waking(r->perf, ev, t, has_waking);
	if (r->o->hist.wakeups && is_shown(r, t, ev) && (ev->kind != SCHED_WAKEUP || !has_waking))
		timehist_fmt_waking(&r->hist, ev, t, waker);
}

static void add_migration(void *ctx, const struct sched_event *ev, struct sched_task *t,
			  struct sched_task *by)
{
	struct perf_sched_run *r = ctx;

	/* perf counts migrations only if it shows them */
	if (r->o->hist.migrations || !r->o->exact)
		perf_sched_add_migration(ctx, ev, t, by);
	if (r->o->hist.migrations && is_shown(r, t, ev))
		timehist_fmt_migrate(&r->hist, ev, t, by);
}

static void add_stack(void *ctx, const struct sched_event *ev, const struct sched_stack *stack)
{
	struct perf_sched_run *r = ctx;

	if (r->hist.config.stacks)
		timehist_add_stack(&r->hist, ev->cpu, stack);
}

/* "START,STOP" as the texts of --from and --to. */
static int parse_time(struct perf_sched_options *o, char *copy, struct errmsg *err)
{
	char *comma = strchr(copy, ','), *end;
	double from = strtod(copy, &end), to = 0;

	if (*end && end != comma)
		return errmsg_set(err, -EINVAL, "Invalid time string");
	if (comma) {
		to = comma[1] ? strtod(comma + 1, &end) : 0;
		if (*end && end != comma)
			return errmsg_set(err, -EINVAL, "Invalid time string");
		*comma = '\0';
	}
	if (to > 0 && to < from)
		return errmsg_set(err, -EINVAL, "Invalid time string");
	o->sched.from = *copy ? copy : NULL;
	o->sched.to = comma && comma[1] ? comma + 1 : NULL;
	return 0;
}

static uint64_t read_ns(const char *text, uint64_t otherwise)
{
	return text && isdigit((unsigned char)*text) ? (uint64_t)(strtold(text, NULL) * 1e9L + 0.5L)
						     : otherwise;
}

/* To the nanosecond: turns are cut there. --from and --to include what is shown with that time. */
static void set_range(struct perf_sched_run *r, const struct perf_sched_options *o)
{
	if (r->run.in_time) {
		r->run.from = read_ns(o->sched.from, r->run.from);
		r->run.to = read_ns(o->sched.to, r->run.to);
	}
	perfsched_set_range(r->perf, r->run.from, r->run.to);
}

static bool has_cpu(void *ctx, uint32_t cpu)
{
	return schedrun_has_cpu(((struct perf_sched_run *)ctx)->run.o, cpu);
}

static int show(struct perf_sched_run *r, struct errmsg *err)
{
	static const enum sched_order by_pid[] = {SCHED_BY_PID};
	const struct perf_sched_options *o = r->o;
	struct schedsums_view by_task = {.match = schedrun_match, .ctx = &r->run};
	struct timehist_config config = o->hist;
	struct perftext_cpus cpus = {perf_sched_n_cpus(r), has_cpu, r};
	struct sched_view v = {.flow = r->run.flow,
			       .formats = r->run.in.files[0].formats,
			       .in_time = true,
			       .n_rows = SIZE_MAX};

	config.as_perf = true;
	config.exact = o->exact;
	config.n_cpus = perf_sched_n_cpus(r) + 1; /* perf has one column more than CPUs */
	config.n_frames = (unsigned)o->n_frames;
	config.stacks = !o->no_stacks;
	timehist_init(&r->hist, &v, &config, &r->run.text);
	if (!o->summary)
		timehist_fmt_head(&r->hist);
	TRY(schedrun_walk(&r->run, err));
	timehist_end(&r->hist);
	if (!schedflow_counts(r->run.flow)->n_stacks && !o->no_stacks)
		fputs("Samples do not have callchains.\n", stderr);
	if (o->summary || o->with_summary) {
		perf_sched_take_names(r);
		if (schedsums_finish(r->sums, &by_task) < 0 ||
		    perfsched_finish(r->perf, r->sums, true, by_pid, 1) < 0)
			return errmsg_set_errno(err, -ENOMEM, "cannot sort the tasks");
		perftext_fmt_summary(r->perf, &cpus, o->idle, &r->run.text);
	}
	return schedrun_finish(&r->run, err);
}

int perf_sched_timehist(struct perf_sched_options *o, struct errmsg *err)
{
	SCOPED(perf_sched_close) struct perf_sched_run r = {0};
	SCOPED(scope_free) char *time = o->time ? strdup(o->time) : NULL;
	struct schedflow_ops ops = {.turn = add_turn,
				    .waking = add_waking,
				    .migrate = add_migration,
				    .runtime = perf_sched_add_runtime,
				    .stack = add_stack,
				    .ctx = &r};

	if (o->time && !time)
		return errmsg_set_errno(err, -ENOMEM, "cannot keep the times");
	if (time)
		TRY(parse_time(o, time, err));
	TRY(perf_sched_open(&r, o, &ops, err));
	set_range(&r, o);
	return show(&r, err);
}

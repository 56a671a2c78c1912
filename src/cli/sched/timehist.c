// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * timehist.c - `sonde sched timehist`: one line per switch, with the wait before the turn.
 *
 *	schedrun ──▶ timehisttext            each turn when it ends
 *	         └─▶ schedsums ──▶ summarytext   -s, -S
 *
 * A line is about the task that leaves the CPU, and appears when it leaves. A task that still runs
 * at the end of the recording has no line, as in perf; the summary has its time.
 */
#include "cli/sched/schedrun.h"

#include "analyse/sched/schedsums.h"
#include "base/errmsg.h"
#include "base/scope.h"
#include "present/sched/timehisttext.h"

#include <errno.h>

#define VISUAL_MAX 128

struct timehist_options {
	struct sched_options sched; /* must be the first member */
	struct timehist_config config;
	bool summary, with_summary, idle;
	long long n_frames;
};

#define AT(field) offsetof(struct timehist_options, field)

static const struct option_row rows[] = {
	SCHEDOPTS_ROWS_SOURCE,
	ROW_CALL('p', "pid", "PID,…", "show only threads of these processes", schedopts_pid),
	ROW_CALL('t', "tid", "TID,…", "show only these threads", schedopts_tid),
	ROW_FLAG('I', "idle", "show only idle times of CPUs", AT(idle)),
	ROW_HEADING("how the result looks"),
	ROW_FLAG('w', "wakeups", "show wakeups, too", AT(config.wakeups)),
	ROW_FLAG('M', "migrations", "show migrations, too", AT(config.migrations)),
	ROW_FLAG('n', "next", "show the task that runs next", AT(config.next)),
	ROW_FLAG(0, "state", "show the state of the task that leaves", AT(config.state)),
	ROW_FLAG('V', "cpu-visual", "add a column for each CPU", AT(config.visual)),
	ROW_FLAG('g', "stacks",
		 "show kernel stacks: where tasks leave the CPU; a command is recorded with them",
		 AT(config.stacks)),
	ROW_NUMBER(0, "max-stack", "N", "show at most N functions of a stack (default: 5)",
		   AT(n_frames)),
	ROW_FLAG('s', "summary", "show only the summary", AT(summary)),
	ROW_FLAG('S', "with-summary", "show the summary, too", AT(with_summary)),
	SCHEDOPTS_ROWS_RESULT,
	ROW_END,
};

struct timehist_run {
	struct schedrun run;
	const struct timehist_options *o;
	struct schedsums *sums;
	struct timehist hist;
	size_t n_shown; /* lines */
};

static void timehist_run_close(struct timehist_run *r)
{
	schedsums_free(r->sums);
	timehist_release(&r->hist);
	schedrun_close(&r->run);
}

static bool is_shown(struct timehist_run *r, const struct sched_task *t, uint32_t cpu, uint64_t ts)
{
	bool is = !r->o->summary && schedrun_has_cpu(r->run.o, cpu) &&
		  schedrun_is_in_range(&r->run, ts) && (!r->o->idle || !t->pid) &&
		  schedrun_match(&r->run, t);

	r->n_shown += is;
	return is;
}

static void add_turn(void *ctx, const struct sched_turn *t)
{
	struct timehist_run *r = ctx;

	schedsums_add(r->sums, t);
	if (t->has_run && t->is_end_sure && is_shown(r, t->task, t->cpu, t->end))
		timehist_fmt_turn(&r->hist, t, NULL);
}

static void add_waking(void *ctx, const struct sched_event *ev, struct sched_task *task,
		       struct sched_task *waker)
{
	struct timehist_run *r = ctx;

	if (r->o->config.wakeups && is_shown(r, task, ev->cpu, ev->ts))
		timehist_fmt_waking(&r->hist, ev, task, waker);
}

static void add_migration(void *ctx, const struct sched_event *ev, struct sched_task *task,
			  struct sched_task *by)
{
	struct timehist_run *r = ctx;

	schedsums_add_migration(r->sums, ev, task);
	if (r->o->config.migrations && is_shown(r, task, ev->cpu, ev->ts))
		timehist_fmt_migrate(&r->hist, ev, task, by);
}

static void add_stack(void *ctx, const struct sched_event *ev, const struct sched_stack *stack)
{
	struct timehist_run *r = ctx;

	if (r->o->config.stacks)
		timehist_add_stack(&r->hist, ev->cpu, stack);
}

static unsigned count_cpus(const struct schedrun *run)
{
	unsigned n = 1;

	for (size_t i = 0; i < run->src.n; i++)
		if (run->src.list[i].config.buffer->n_cpus > n)
			n = (unsigned)run->src.list[i].config.buffer->n_cpus;
	return n < VISUAL_MAX ? n : VISUAL_MAX;
}

static int show_summary(struct timehist_run *r, struct sched_view *v, struct errmsg *err)
{
	struct schedsums_view sv = {
		.orders = {SCHED_BY_PID}, .n_orders = 1, .match = schedrun_match, .ctx = &r->run};
	size_t n, n_cpus;

	if (schedsums_finish(r->sums, &sv) < 0)
		return errmsg_set_errno(err, -ENOMEM, "cannot sort the tasks");
	r->run.is_partial = schedsums_has_dropped(r->sums);
	schedsums_rows(r->sums, &n);
	schedsums_cpus(r->sums, &n_cpus);
	if (!n || !n_cpus)
		TRY(schedrun_refuse_nothing(&r->run, err));
	v->sums = r->sums;
	if (r->o->sched.json) {
		schedtext_fmt_summary_json(v, &r->run.text);
		return 0;
	}
	if (r->o->with_summary)
		textbuf_add_char(&r->run.text, '\n');
	schedtext_fmt_summary(v, &r->run.text);
	return 0;
}

static int show(struct timehist_run *r, struct errmsg *err)
{
	const struct timehist_options *o = r->o;
	struct sched_view v = {.flow = r->run.flow,
			       .formats = r->run.in.files[0].formats,
			       .in_time = r->run.in_time,
			       .n_rows = SIZE_MAX};
	struct timehist_config config = o->config;

	config.json = o->sched.json;
	config.stacks &= !config.json;
	config.n_cpus = count_cpus(&r->run);
	config.n_frames = (unsigned)o->n_frames;
	timehist_init(&r->hist, &v, &config, &r->run.text);
	if (!o->summary)
		timehist_fmt_head(&r->hist);
	TRY(schedrun_walk(&r->run, err));
	timehist_end(&r->hist);
	if (!r->n_shown && !o->summary)
		TRY(schedrun_refuse_nothing(&r->run, err));
	if (o->summary || o->with_summary)
		TRY(show_summary(r, &v, err));
	return schedrun_finish(&r->run, err);
}

static int run(const struct command *cmd, int argc, char **argv, struct errmsg *err)
{
	struct timehist_options o = {.n_frames = 5};
	SCOPED(timehist_run_close) struct timehist_run r = {.o = &o};
	struct schedflow_ops ops = {.turn = add_turn,
				    .waking = add_waking,
				    .migrate = add_migration,
				    .stack = add_stack,
				    .ctx = &r};
	struct schedsums_config config = {0};
	char **command;
	int n = schedrun_parse(cmd, &o.sched, argc, argv, &command, err);

	TRY(n);
	if (o.n_frames < 1 || o.n_frames > 128)
		return errmsg_set(err, -EINVAL, "--max-stack takes a number from 1 to 128");
	o.sched.wants_stacks = o.config.stacks;
	TRY(schedrun_open(&r.run, &o.sched, n, command, &ops, err));
	config.from = r.run.from;
	config.to = r.run.to;
	config.cpus = o.sched.has_cpus ? o.sched.cpus : NULL;
	config.n_cpus = sizeof(o.sched.cpus);
	r.sums = schedsums_new(&config);
	if (!r.sums)
		return errmsg_set_errno(err, -ENOMEM, "cannot add up times");
	return show(&r, err);
}

const struct command sched_timehist = {
	.name = "sched timehist",
	.summary = "show every switch, with the time that the task had waited and run",
	.usage = "[options] [FILE | -- COMMAND [ARGUMENT…]]",
	.options = rows,
	.parse_flags = OPTIONS_STOP_AT_ARGUMENT,
	.args = "program",
	.run = run,
};

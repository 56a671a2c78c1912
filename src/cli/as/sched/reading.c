// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * reading.c - `perf sched latency` and `map`: reads a file as perf does.
 *
 *	schedrun ──▶ schedflow ─┬─▶ schedsums   the correct numbers
 *	                        └─▶ perfsched   perf's own (--exact), and its counts of trouble
 */
#include "analyse/sched/schedflow.h"
#include "cli/as/sched/sched.h"

#include "base/errmsg.h"
#include "base/scope.h"
#include "cli/sched/sums.h"
#include "present/sched/maptext.h"
#include "present/sched/perftext.h"
#include "store/perfdata/perfdata.h"
#include "symbols/tasks.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

/* --- the file --------------------------------------------------------------------------------- */

int perf_sched_open(struct perf_sched_run *r, const struct perf_sched_options *o,
		    const struct schedflow_ops *ops, struct errmsg *err)
{
	struct schedsums_config config = {.from = 0};

	r->o = o;
	if (access(o->sched.input, F_OK))
		return errmsg_set(
			err, -errno, "failed to open %s: %s%s", o->sched.input, strerror(errno),
			strcmp(o->sched.input, "perf.data") ? "" : "  (try 'perf record' first)");
	TRY(schedrun_open(&r->run, &o->sched, 0, NULL, ops, err));
	config.from = r->run.from;
	config.to = r->run.to;
	config.cpus = o->sched.has_cpus ? o->sched.cpus : NULL;
	config.n_cpus = sizeof(o->sched.cpus);
	r->sums = schedsums_new(&config);
	r->perf = perfsched_new(o->exact, o->idle, (int)o->profile_cpu);
	if (!r->sums || !r->perf)
		return errmsg_set_errno(err, -ENOMEM, "cannot add up times");
	return 0;
}

void perf_sched_close(struct perf_sched_run *r)
{
	perfsched_free(r->perf);
	schedsums_free(r->sums);
	timehist_release(&r->hist);
	schedrun_close(&r->run);
}

unsigned perf_sched_n_cpus(const struct perf_sched_run *r)
{
	unsigned n = 1;

	for (size_t i = 0; i < r->run.src.n; i++)
		if (r->run.src.list[i].config.buffer->n_cpus > n)
			n = (unsigned)r->run.src.list[i].config.buffer->n_cpus;
	return n;
}

void perf_sched_add_migration(void *ctx, const struct sched_event *ev, struct sched_task *t,
			      struct sched_task *by)
{
	struct perf_sched_run *r = ctx;

	schedsums_add_migration(r->sums, ev, t);
	perfsched_migrate(r->perf, ev, t);
}

void perf_sched_add_runtime(void *ctx, const struct sched_event *ev, struct sched_task *t)
{
	struct perf_sched_run *r = ctx;

	schedsums_add_runtime(r->sums, ev, t);
	perfsched_runtime(r->perf, ev, t);
}

/* A perf.data has the last name of each task, also of those that had no event after their exec. */
void perf_sched_take_names(struct perf_sched_run *r)
{
	struct tasks *names = &r->run.in.files[0].tasks;
	size_t n;
	struct sched_task *const *list = schedflow_tasks(r->run.flow, &n);

	for (size_t i = 0; i < n && perfdata_is_file(r->o->sched.input); i++) {
		const struct task *t = list[i]->pid ? tasks_find(names, list[i]->pid) : NULL;

		if (t && t->known)
			schedflow_rename(r->run.flow, t->pid, t->comm);
	}
}

/* --- latency ---------------------------------------------------------------------------------- */

static void add_turn(void *ctx, const struct sched_turn *t)
{
	struct perf_sched_run *r = ctx;
	struct perfsched_times times;

	perfsched_turn(r->perf, t, true, &times);
	schedsums_add(r->sums, t);
}

static void add_waking(void *ctx, const struct sched_event *ev, struct sched_task *t,
		       struct sched_task *waker)
{
	struct perf_sched_run *r = ctx;

	perfsched_waking(r->perf, ev, t, schedflow_reader(r->run.flow)->has_waking);
}

int perf_sched_latency(struct perf_sched_options *o, struct errmsg *err)
{
	SCOPED(perf_sched_close) struct perf_sched_run r = {0};
	struct schedflow_ops ops = {.turn = add_turn,
				    .waking = add_waking,
				    .migrate = perf_sched_add_migration,
				    .runtime = perf_sched_add_runtime,
				    .ctx = &r};
	struct schedsums_view by_task = {.match = schedrun_match, .ctx = &r.run};
	const struct schedflow_counts *c;

	if (o->profile_cpu >= 0 && !o->exact)
		o->sched.has_cpus = true;
	if (o->profile_cpu >= 0 && o->profile_cpu < SCHED_CPUS_MAX)
		o->sched.cpus[o->profile_cpu / 8] |= 1u << o->profile_cpu % 8;
	TRY(perf_sched_open(&r, o, &ops, err));
	TRY(schedrun_walk(&r.run, err));
	perf_sched_take_names(&r);
	if (schedsums_finish(r.sums, &by_task) < 0 ||
	    perfsched_finish(r.perf, r.sums, o->by_pid, o->view.orders, o->view.n_orders) < 0)
		return errmsg_set_errno(err, -ENOMEM, "cannot sort the tasks");
	c = schedflow_counts(r.run.flow);
	perftext_fmt_latency(r.perf, c->n_gaps, c->n_events, c->n_gaps, &r.run.text);
	return schedrun_finish(&r.run, err);
}

/* --- map -------------------------------------------------------------------------------------- */

struct map_run {
	struct perf_sched_run base;
	struct sched_map map;
};

static void map_run_close(struct map_run *m)
{
	sched_map_release(&m->map);
	perf_sched_close(&m->base);
}

static bool has_cpu(void *ctx, uint32_t cpu)
{
	return schedrun_has_cpu(((struct map_run *)ctx)->base.run.o, cpu);
}

static void add_switch(void *ctx, const struct sched_turn *t)
{
	struct map_run *m = ctx;

	if (t->has_run && t->is_end_sure)
		sched_map_fmt_turn(&m->map, t, &m->base.run.text);
}

int perf_sched_map(struct perf_sched_options *o, struct errmsg *err)
{
	SCOPED(map_run_close) struct map_run m = {0};
	struct schedflow_ops ops = {.turn = add_switch, .ctx = &m};
	struct map_config config = {
		.has_cpu = has_cpu, .compact = o->compact, .all_lines = true, .ctx = &m};
	struct sched_view v = {.in_time = true};

	TRY(perf_sched_open(&m.base, o, &ops, err));
	config.n_cpus = perf_sched_n_cpus(&m.base);
	v.flow = m.base.run.flow;
	sched_map_init(&m.map, &v, &config);
	TRY(schedrun_walk(&m.base.run, err));
	return schedrun_finish(&m.base.run, err);
}

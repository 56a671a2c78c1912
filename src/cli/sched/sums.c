// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sums.c - reads a file into sums.
 *
 *	schedrun ──▶ schedsums_add … ──▶ schedsums_finish
 *
 * The selection of tasks is applied at the end, when the last name of each task is known; CPUs and
 * times are selected while the events are read. The keys of --sort are rows of a table.
 */
#include "cli/sched/sums.h"

#include "base/array.h"
#include "base/errmsg.h"
#include "base/scope.h"

#include <errno.h>
#include <string.h>

#define FRAMES_SHOWN 8

static const struct {
	const char *word;
	enum sched_order order;
} orders[] = {
	{"runtime", SCHED_BY_RUNTIME}, {"switch", SCHED_BY_SWITCHES}, {"avg", SCHED_BY_AVERAGE},
	{"max", SCHED_BY_MAX},	       {"pid", SCHED_BY_PID},
};

static int add_order(struct schedsums_view *view, const char *word, size_t len, struct errmsg *err)
{
	for (size_t i = 0; i < ARRAY_LEN(orders); i++) {
		if (strlen(orders[i].word) != len || memcmp(orders[i].word, word, len))
			continue;
		if (view->n_orders < SCHED_ORDERS_MAX)
			view->orders[view->n_orders++] = orders[i].order;
		return 0;
	}
	return errmsg_set(err, -EINVAL, "--sort takes runtime, switch, avg, max or pid, not '%.*s'",
			  (int)len, word);
}

int sums_parse_sort(struct schedsums_view *view, const char *value, struct errmsg *err)
{
	view->n_orders = 0;
	for (const char *p = value;; p++) {
		size_t len = strcspn(p, ",");

		TRY(add_order(view, p, len, err));
		p += len;
		if (!*p)
			return 0;
	}
}

static void add_turn(void *ctx, const struct sched_turn *t)
{
	schedsums_add(((struct sums_run *)ctx)->sums, t);
}

static void add_migration(void *ctx, const struct sched_event *ev, struct sched_task *t,
			  struct sched_task *by)
{
	schedsums_add_migration(((struct sums_run *)ctx)->sums, ev, t);
}

static void add_runtime(void *ctx, const struct sched_event *ev, struct sched_task *t)
{
	schedsums_add_runtime(((struct sums_run *)ctx)->sums, ev, t);
}

int sums_run(struct sums_run *s, const struct sched_options *o, struct sums_options *so,
	     size_t n_worst, int n_words, char **command, struct errmsg *err)
{
	struct schedflow_ops ops = {
		.turn = add_turn, .migrate = add_migration, .runtime = add_runtime, .ctx = s};
	struct schedsums_config config = {
		.n_worst = n_worst, .match = schedrun_match, .ctx = &s->run};
	size_t n, n_cpus;

	if (so->n_rows < 0)
		return errmsg_set(err, -EINVAL, "--rows takes a number of rows");
	TRY(schedrun_open(&s->run, o, n_words, command, &ops, err));
	config.has_places = so->has_places;
	config.from = s->run.from;
	config.to = s->run.to;
	config.cpus = o->has_cpus ? o->cpus : NULL;
	config.n_cpus = sizeof(o->cpus);
	s->sums = schedsums_new(&config);
	if (!s->sums)
		return errmsg_set_errno(err, -ENOMEM, "cannot add up times");
	TRY(schedrun_walk(&s->run, err));
	so->view.by_comm = !so->by_pid;
	so->view.match = schedrun_match;
	so->view.ctx = &s->run;
	if (schedsums_finish(s->sums, &so->view) < 0)
		return errmsg_set_errno(err, -ENOMEM, "cannot sort the tasks");
	s->run.is_partial = schedsums_has_dropped(s->sums);
	schedsums_rows(s->sums, &n);
	schedsums_cpus(s->sums, &n_cpus);
	/* a task that waits the whole time has a row without a CPU */
	if (!n || !n_cpus)
		TRY(schedrun_refuse_nothing(&s->run, err));
	s->view = (struct sched_view){.flow = s->run.flow,
				      .sums = s->sums,
				      .formats = s->run.in.files[0].formats,
				      .in_time = s->run.in_time,
				      .n_rows = so->n_rows ? (size_t)so->n_rows : SIZE_MAX,
				      .n_frames = FRAMES_SHOWN};
	return 0;
}

void sums_run_close(struct sums_run *s)
{
	schedsums_free(s->sums);
	schedrun_close(&s->run);
}

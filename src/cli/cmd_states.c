// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd_states.c - `sonde states`: how long tasks ran, waited for a CPU, slept and were blocked.
 *
 *	asking_open ──▶ insight_tasks ──▶ task_groups ──▶ statestext
 *
 * The times are those of the page's statistics, cut at both ends of the range. Without --by a row is a task; with it the
 * rows of tasks are added up, but their longest wait is the longest of one of them. --task takes every task that a word
 * means.
 */
#include "base/array.h"
#include "cli/ask/askopts.h"
#include "cli/command.h"
#include "present/insight/view.h"
#include "timeline/insight/taskgroups.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_MAX_BYTES (64u << 20)

struct states_options {
	struct ask_options ask; /* first */
	const char *by, *sort;
	enum task_groups_by group;
	enum task_order order;
};

#define AT(field) offsetof(struct states_options, field)

static const struct option_row rows[] = {
	{OPTION_CALL, 't', "task", "TASK",
	 "show only these tasks: a pid, a name, a glob, or NAME-PID; repeatable",
	 .apply = ask_task},
	ASK_ROWS_SOURCE,
	{OPTION_STRING, 0, "by", "KEY", "one row per comm (name) or process, not per task",
	 .offset = AT(by), .complete = "comm process"},
	{OPTION_STRING, 's', "sort", "COLUMN",
	 "sort by running (default), runnable, preempted, sleeping, blocked, unknown, switches, "
	 "wakeups, maxwait or name",
	 .offset = AT(sort),
	 .complete = "running runnable preempted sleeping blocked unknown switches wakeups maxwait "
		     "name"},
	{OPTION_NUMBER, 'n', "rows", "N", "show at most N rows", .offset = ASK_AT(n_rows)},
	{OPTION_FLAG, 0, "json", .help = "print one JSON object with all numbers",
	 .offset = ASK_AT(json)},
	{OPTION_FLAG, 0, "csv", .help = "print comma-separated values with a header line",
	 .offset = ASK_AT(csv)},
	ASK_ROWS_RESULT,
	{OPTION_END},
};

static const struct {
	const char *word;
	enum task_order order;
} orders[] = {
	{"running", ORDER_RUNNING},   {"run", ORDER_RUNNING},	      {"runnable", ORDER_RUNNABLE},
	{"wait", ORDER_RUNNABLE},     {"preempted", ORDER_PREEMPTED}, {"sleeping", ORDER_SLEEPING},
	{"sleep", ORDER_SLEEPING},    {"blocked", ORDER_BLOCKED},     {"unknown", ORDER_UNKNOWN},
	{"switches", ORDER_SWITCHES}, {"wakeups", ORDER_WAKEUPS},     {"maxwait", ORDER_MAX_WAIT},
	{"name", ORDER_NAME},
};

static int parse_sort(struct states_options *o, struct errmsg *err)
{
	for (size_t i = 0; i < ARRAY_LEN(orders); i++)
		if (!strcmp(orders[i].word, o->sort)) {
			o->order = orders[i].order;
			return 0;
		}
	return errmsg_set(err, -EINVAL,
			  "states can be sorted by running, runnable, preempted, sleeping, "
			  "blocked, unknown, switches, wakeups, maxwait and name, not by '%s' (-s)",
			  o->sort);
}

static int check(struct states_options *o, struct errmsg *err)
{
	if (o->by && !strcmp(o->by, "comm"))
		o->group = GROUP_BY_COMM;
	else if (o->by && !strcmp(o->by, "process"))
		o->group = GROUP_BY_PROCESS;
	else if (o->by && strcmp(o->by, "task"))
		return errmsg_set(err, -EINVAL, "--by is comm or process, not '%s'", o->by);
	if (o->ask.n_rows < 0)
		return errmsg_set(err, -EINVAL, "--rows takes a number of rows");
	if (o->ask.json && o->ask.csv)
		return errmsg_set(err, -EINVAL, "--json and --csv exclude each other");
	return o->sort ? parse_sort(o, err) : 0;
}

/* A bit for each task that is wanted; NULL in *ret: all. */
static int find_tasks(const struct asking *a, uint8_t **ret, struct errmsg *err)
{
	uint16_t *found;
	int r = 0;

	*ret = NULL;
	if (!a->o->n_tasks)
		return 0;
	*ret = calloc(1, INSIGHT_TASKS / 8);
	found = calloc(INSIGHT_TASKS, sizeof(*found));
	if (!*ret || !found)
		r = errmsg_set_errno(err, -ENOMEM, "cannot find the tasks");
	for (size_t i = 0; i < a->o->n_tasks && r >= 0; i++) {
		size_t n;

		r = asking_match(a, a->o->tasks[i], found, INSIGHT_TASKS, &n, err);
		for (size_t k = 0; r >= 0 && k < n; k++)
			(*ret)[found[k] / 8] |= 1u << found[k] % 8;
	}
	free(found);
	return r;
}

static int print_groups(struct asking *a, const struct states_options *o,
			const struct insight_tasks *t, struct errmsg *err)
{
	struct states_view v = {.view = a->view, .tasks = t, .by = o->group};
	struct task_groups groups;
	struct textbuf tb;
	int r = task_groups_init(&groups, t, a->view.tl, o->group, o->order);

	if (r < 0)
		return errmsg_set_errno(err, r, "cannot sort the tasks");
	v.groups = &groups;
	textbuf_init(&tb, TEXT_MAX_BYTES);
	if (o->ask.json)
		statestext_fmt_json(&v, &tb);
	else if (o->ask.csv)
		statestext_fmt_csv(&v, &tb);
	else
		statestext_fmt(&v, &tb);
	if (!o->ask.json && !o->ask.csv)
		insight_fmt_gaps(a->vt.stage->tl, false, &tb);
	r = asking_print(a, &tb, err);
	textbuf_release(&tb);
	task_groups_release(&groups);
	return r;
}

static int show(struct asking *a, const struct states_options *o, struct errmsg *err)
{
	struct insight_tasks t;
	uint8_t *tasks;
	int r = find_tasks(a, &tasks, err);

	if (r >= 0) {
		r = insight_tasks(&t, a->vt.stage->lanes, tasks, a->from, a->to);
		if (r < 0)
			errmsg_set_errno(err, r, "cannot add up the times of tasks");
	}
	free(tasks);
	if (r < 0)
		return r;
	r = print_groups(a, o, &t, err);
	insight_tasks_release(&t);
	return r;
}

static int run(const struct command *cmd, int argc, char **argv, struct errmsg *err)
{
	struct states_options o = {0};
	struct asking a = {0};
	int n = command_parse(cmd, &o, argc, argv, err), r = n < 0 ? n : check(&o, err);

	if (r < 0)
		return r;
	r = asking_open(&a, &o.ask, n, argv, err);
	a.view.n_rows = o.ask.n_rows ? (size_t)o.ask.n_rows : SIZE_MAX;
	if (r >= 0)
		r = show(&a, &o, err);
	asking_close(&a);
	return r;
}

const struct command cmd_states = {
	.name = "states",
	.summary = "show how long tasks ran, waited, slept and were blocked",
	.usage = "[options] [FILE…]",
	.options = rows,
	.args = "file",
	.run = run,
};

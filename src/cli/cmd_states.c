// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd_states.c - `sonde states`: prints how long tasks ran, waited for a CPU, slept and were
 * blocked.
 *
 *	asking_open ──▶ insight_tasks ──▶ task_groups ──▶ statestext
 *
 * The times are those of the page's statistics, cut at both ends of the range. Without --by a row
 * is a task; with it the rows of tasks are added up, but the longest wait is that of a single task.
 * --task selects every task that matches the word.
 */
#include "base/array.h"
#include "base/scope.h"
#include "base/textbuf.h"
#include "cli/ask/askopts.h"
#include "cli/command.h"
#include "present/insight/view.h"
#include "timeline/insight/taskgroups.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_MAX_BYTES (64u << 20)

struct states_options {
	struct ask_options ask; /* must be the first member */
	const char *by, *sort;
	enum task_groups_by group;
	enum task_order order;
};

#define AT(field) offsetof(struct states_options, field)

static const struct option_row rows[] = {
	ROW_CALL('t', "task", "TASK",
		 "show only these tasks: a pid, a name, a glob, or NAME-PID; repeatable", ask_task),
	ASK_ROWS_SOURCE,
	ROW_STRING(0, "by", "KEY", "one row per comm (name) or process, not per task", AT(by),
		   .complete = "comm process"),
	ROW_STRING('s', "sort", "COLUMN",
		   "sort by running (default), runnable, preempted, sleeping, blocked, unknown, "
		   "switches, wakeups, maxwait or name",
		   AT(sort),
		   .complete = "running runnable preempted sleeping blocked unknown switches "
			       "wakeups maxwait name"),
	ROW_NUMBER('n', "rows", "N", "show at most N rows", ASK_AT(n_rows)),
	ROW_FLAG(0, "json", "print one JSON object with all numbers", ASK_AT(json)),
	ROW_FLAG(0, "csv", "print comma-separated values with a header line", ASK_AT(csv)),
	ASK_ROWS_RESULT,
	ROW_END,
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

/* Makes a bit for each selected task; *ret is NULL for all. */
static int find_tasks(const struct asking *a, uint8_t **ret, struct errmsg *err)
{
	SCOPED(scope_free) uint16_t *found = NULL;
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
	return r;
}

static int print_groups(struct asking *a, const struct states_options *o,
			const struct insight_tasks *t, struct errmsg *err)
{
	struct states_view v = {.view = a->view, .tasks = t, .by = o->group};
	struct task_groups groups;
	TEXTBUF(tb, TEXT_MAX_BYTES);
	int r = task_groups_init(&groups, t, a->view.tl, o->group, o->order);

	if (r < 0)
		return errmsg_set_errno(err, r, "cannot sort the tasks");
	v.groups = &groups;
	if (o->ask.json)
		statestext_fmt_json(&v, &tb);
	else if (o->ask.csv)
		statestext_fmt_csv(&v, &tb);
	else
		statestext_fmt(&v, &tb);
	if (!o->ask.json && !o->ask.csv)
		insight_fmt_gaps(a->vt.stage->tl, false, &tb);
	r = asking_print(a, &tb, err);
	task_groups_release(&groups);
	return r;
}

static int show(struct asking *a, const struct states_options *o, struct errmsg *err)
{
	SCOPED(insight_tasks_release) struct insight_tasks t = {0};
	SCOPED(scope_free) uint8_t *tasks = NULL;
	int r;

	TRY(find_tasks(a, &tasks, err));
	r = insight_tasks(&t, a->vt.stage->lanes, tasks, a->from, a->to);
	if (r < 0)
		return errmsg_set_errno(err, r, "cannot add up the times of tasks");
	return print_groups(a, o, &t, err);
}

static int run(const struct command *cmd, int argc, char **argv, struct errmsg *err)
{
	struct states_options o = {0};
	SCOPED(asking_close) struct asking a = {0};
	int n = command_parse(cmd, &o, argc, argv, err);

	TRY(n);
	if (check(&o, err) < 0)
		return errmsg_code(err);
	TRY(asking_open(&a, &o.ask, n, argv, err));
	a.view.n_rows = o.ask.n_rows ? (size_t)o.ask.n_rows : SIZE_MAX;
	return show(&a, &o, err);
}

const struct command cmd_states = {
	.name = "states",
	.summary = "show how long tasks ran, waited, slept and were blocked",
	.usage = "[options] [FILE…]",
	.options = rows,
	.args = "file",
	.run = run,
};

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd_why.c - `sonde why`: explains why a task took so long, by its critical path.
 *
 *	asking_open ──▶ which task ──▶ insight_why ──▶ whytext
 *
 * Without --task, the task is the recorded command, if the trace shows which task that is
 * (view/recorded.c).
 */
#include "base/options.h"
#include "base/scope.h"
#include "cli/ask/askopts.h"
#include "cli/command.h"
#include "decode/taskstate.h"
#include "present/insight/view.h"
#include "timeline/taskmatch.h"
#include "view/recorded.h"

#include <errno.h>
#include <stdio.h>

#define TEXT_MAX_BYTES (256u << 20)
#define ROWS_FIRST     20
#define TASKS_SAID     5

#define NOT_GIVEN      INT64_MIN

static const struct option_row rows[] = {
	ROW_CALL('t', "task", "TASK",
		 "explain this task: a pid, a name, or NAME-PID (default: the recorded command)",
		 ask_task),
	ASK_ROWS_SOURCE,
	ROW_NUMBER('n', "rows", "N",
		   "list the N longest steps (default: 20); 0: only the summary, -1: all",
		   ASK_AT(n_rows)),
	ROW_FLAG(0, "json", "print one JSON object with all steps", ASK_AT(json)),
	ASK_ROWS_RESULT,
	ROW_END,
};

/* Refuses a missing or ambiguous task; the message names candidates. */
static int refuse(const struct asking *a, const char *what, const uint16_t *tasks, size_t n,
		  struct errmsg *err)
{
	TEXTBUF(tb, 1 << 16);

	asking_fmt_tasks(a, tasks, TASKS_SAID, n, &tb);
	return errmsg_set(err, -EINVAL, "%s; choose one with --task: %s", what, textbuf_text(&tb));
}

static int find_task(const struct asking *a, struct errmsg *err)
{
	const struct ask_options *o = a->o;
	uint16_t tasks[TASKS_SAID];
	char what[256];
	size_t n;
	int r = o->n_tasks ? asking_match(a, o->tasks[0], tasks, TASKS_SAID, &n, err)
			   : recorded_first_task(a->vt.stage);

	if (o->n_tasks && r < 0)
		return r;
	if (!o->n_tasks && r >= 0)
		return r;
	if (o->n_tasks && n == 1)
		return tasks[0];
	if (!o->n_tasks) {
		n = tasks_match(a->view.tl, -1, NULL, tasks, TASKS_SAID);
		snprintf(what, sizeof(what), "%.200s does not say which command was recorded",
			 o->inputs[0]);
	} else {
		snprintf(what, sizeof(what), "%zu tasks are called '%.200s'", n, o->tasks[0]);
	}
	return refuse(a, what, tasks, n, err);
}

/*
 * Finds the path in the requested range. Without --from it begins with the first event about the
 * task, and without --to it ends with the task, because the time before and after would distort
 * all shares.
 */
static int find_path(const struct asking *a, int task, struct insight_why *ret)
{
	uint64_t from = a->from, to = a->to;
	const struct why_piece *first, *last;
	int r = insight_why(ret, a->vt.stage->lanes, task, from, to);

	if (r < 0 || ret->n_pieces < 2)
		return r;
	first = ret->pieces;
	last = &ret->pieces[ret->n_pieces - 1];
	if (!a->o->from && !first->depth && first->state == STATE_UNKNOWN)
		from = first->end;
	if (!a->o->to && !last->depth && last->state == STATE_DEAD)
		to = last->start;
	if (from == a->from && to == a->to)
		return 0;
	insight_why_release(ret);
	return insight_why(ret, a->vt.stage->lanes, task, from, to);
}

static int explain(struct asking *a, int task, struct errmsg *err)
{
	SCOPED(why_causes_release) struct why_causes causes = {0};
	SCOPED(insight_why_release) struct insight_why y = {0};
	TEXTBUF(tb, TEXT_MAX_BYTES);
	int r = find_path(a, task, &y);

	r = r < 0 ? r : why_causes_init(&causes, &y, a->view.tl);
	if (r < 0)
		return errmsg_set_errno(err, r, "cannot find the critical path");
	if (a->o->json) {
		whytext_fmt_json(&a->view, &y, &tb);
	} else {
		whytext_fmt(&a->view, &y, &causes, &tb);
		insight_fmt_gaps(a->vt.stage->tl, true, &tb);
	}
	return asking_print(a, &tb, err);
}

static int check(const struct ask_options *o, struct errmsg *err)
{
	if (o->n_tasks > 1)
		return errmsg_set(err, -EINVAL, "why explains one task, not '%s' and '%s'",
				  o->tasks[0], o->tasks[1]);
	if (o->n_rows < -1 && o->n_rows != NOT_GIVEN)
		return errmsg_set(err, -EINVAL, "--rows takes a number of steps, or -1 for all");
	return 0;
}

static int run(const struct command *cmd, int argc, char **argv, struct errmsg *err)
{
	struct ask_options o = {.n_rows = NOT_GIVEN};
	struct asking a = {0};
	int n = command_parse(cmd, &o, argc, argv, err), r = n < 0 ? n : check(&o, err), task;

	TRY(r);
	r = asking_open(&a, &o, n, argv, err);
	task = r < 0 ? r : find_task(&a, err);
	a.view.n_rows = o.n_rows == NOT_GIVEN ? ROWS_FIRST : o.n_rows < 0 ? SIZE_MAX : o.n_rows;
	r = task < 0 ? task : explain(&a, task, err);
	asking_close(&a);
	return r;
}

const struct command cmd_why = {
	.name = "why",
	.summary = "explain why a task took so long",
	.usage = "[options] [FILE…]",
	.options = rows,
	.args = "file",
	.run = run,
};

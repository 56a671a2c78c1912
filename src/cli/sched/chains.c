// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * chains.c - `sonde sched chains`: who wakes whom, and who had woken that one.
 *
 *	schedrun ──▶ schedchains ──▶ chainstext
 *
 * A chain counts when the task that was woken has run: its wait is known then. --task selects the
 * woken task, the first of a chain; --from and --to are about the moment when it ran.
 */
#include "cli/sched/schedrun.h"

#include "analyse/sched/schedchains.h"
#include "base/errmsg.h"
#include "base/scope.h"
#include "present/sched/schedtext.h"

#include <errno.h>
#include <string.h>

struct chains_options {
	struct sched_options sched; /* must be the first member */
	bool by_pid;
	long long depth, n_rows;
	const char *sort;
};

#define AT(field) offsetof(struct chains_options, field)

static const struct option_row rows[] = {
	SCHEDOPTS_ROWS_SOURCE,
	ROW_HEADING("how the result looks"),
	ROW_FLAG('p', "pids", "distinguish tasks of the same name", AT(by_pid)),
	ROW_NUMBER('D', "depth", "N", "show at most N wakers of a task (default: 3, at most 8)",
		   AT(depth)),
	ROW_STRING('s', "sort", "KEY", "sort by wait (default), sleep or count", AT(sort),
		   .complete = "wait sleep count"),
	ROW_NUMBER('n', "rows", "N", "show at most N rows", AT(n_rows)),
	SCHEDOPTS_ROWS_RESULT,
	ROW_END,
};

struct chains_run {
	struct schedrun run;
	struct schedchains *chains;
};

static void chains_run_close(struct chains_run *c)
{
	schedchains_free(c->chains);
	schedrun_close(&c->run);
}

static void add_turn(void *ctx, const struct sched_turn *t)
{
	struct chains_run *c = ctx;

	if (schedrun_match(&c->run, t->task) && schedrun_has_cpu(c->run.o, t->cpu) &&
	    schedrun_is_in_range(&c->run, t->start))
		schedchains_add(c->chains, t);
}

static int parse_sort(const char *word, enum schedchains_order *ret, struct errmsg *err)
{
	*ret = CHAINS_BY_WAIT;
	if (word && !strcmp(word, "sleep"))
		*ret = CHAINS_BY_SLEEP;
	else if (word && !strcmp(word, "count"))
		*ret = CHAINS_BY_COUNT;
	else if (word && strcmp(word, "wait"))
		return errmsg_set(err, -EINVAL, "--sort takes wait, sleep or count, not '%s'",
				  word);
	return 0;
}

static int show(struct chains_run *c, const struct chains_options *o, struct errmsg *err)
{
	struct sched_view v = {.flow = c->run.flow,
			       .formats = c->run.in.files[0].formats,
			       .in_time = c->run.in_time,
			       .n_rows = o->n_rows ? (size_t)o->n_rows : SIZE_MAX};

	if (o->sched.json)
		schedtext_fmt_chains_json(&v, c->chains, &c->run.text);
	else
		schedtext_fmt_chains(&v, c->chains, &c->run.text);
	return schedrun_finish(&c->run, err);
}

static int run(const struct command *cmd, int argc, char **argv, struct errmsg *err)
{
	struct chains_options o = {.depth = 3};
	SCOPED(chains_run_close) struct chains_run c = {0};
	struct schedflow_ops ops = {.turn = add_turn, .ctx = &c};
	enum schedchains_order order;
	char **command;
	int n = schedrun_parse(cmd, &o.sched, argc, argv, &command, err);

	TRY(n);
	TRY(parse_sort(o.sort, &order, err));
	if (o.depth < 1 || o.depth > SCHED_CHAIN_MAX)
		return errmsg_set(err, -EINVAL, "--depth takes a number from 1 to %d",
				  SCHED_CHAIN_MAX);
	if (o.n_rows < 0)
		return errmsg_set(err, -EINVAL, "--rows takes a number of rows");
	c.chains = schedchains_new(o.by_pid, (unsigned)o.depth);
	if (!c.chains)
		return errmsg_set_errno(err, -ENOMEM, "cannot count chains");
	TRY(schedrun_open(&c.run, &o.sched, n, command, &ops, err));
	TRY(schedrun_walk(&c.run, err));
	if (schedchains_finish(c.chains, order) < 0)
		return errmsg_set_errno(err, -ENOMEM, "cannot sort the chains");
	c.run.is_partial = schedchains_has_dropped(c.chains);
	return show(&c, &o, err);
}

const struct command sched_chains = {
	.name = "sched chains",
	.summary = "show chains of wakeups: who woke a task, and who had woken the waker",
	.usage = "[options] [FILE | -- COMMAND [ARGUMENT…]]",
	.options = rows,
	.parse_flags = OPTIONS_STOP_AT_ARGUMENT,
	.args = "program",
	.run = run,
};

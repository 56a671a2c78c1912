// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * map.c - `sonde sched map`: one line per switch with a column for each CPU.
 *
 *	schedrun ──▶ maptext
 *
 * Tasks that are not selected are in the map, too, without a name of their own ("--"): the CPU was
 * not idle. Colours (--color-pids, --color-cpus) are only for a terminal, or with --color always.
 */
#include "analyse/sched/schedflow.h"
#include "cli/sched/schedrun.h"

#include "base/errmsg.h"
#include "base/scope.h"
#include "present/sched/maptext.h"

#include <errno.h>
#include <stdlib.h>

struct map_options {
	struct sched_options sched; /* must be the first member */
	bool compact;
	const char *shown_tasks;
	int marked[SCHED_WORDS_MAX], marked_cpus[SCHED_WORDS_MAX];
	size_t n_marked, n_marked_cpus;
};

#define AT(field) offsetof(struct map_options, field)

static int take_numbers(const char *value, int *list, size_t *n, struct errmsg *err)
{
	char *end;

	for (const char *p = value;; p = end + 1) {
		long v = strtol(p, &end, 10);

		if (end == p || (*end && *end != ',') || v < 0 || *n == SCHED_WORDS_MAX)
			return errmsg_set(err, -EINVAL, "'%s' is not a list of numbers", value);
		list[(*n)++] = (int)v;
		if (!*end)
			return 0;
	}
}

static int add_marked(void *opts, const char *value, struct errmsg *err)
{
	struct map_options *o = opts;

	return take_numbers(value, o->marked, &o->n_marked, err);
}

static int add_marked_cpus(void *opts, const char *value, struct errmsg *err)
{
	struct map_options *o = opts;

	return take_numbers(value, o->marked_cpus, &o->n_marked_cpus, err);
}

static const struct option_row rows[] = {
	SCHEDOPTS_ROWS_SOURCE,
	ROW_HEADING("how the result looks"),
	ROW_FLAG(0, "compact", "show columns only for CPUs that were used so far", AT(compact)),
	ROW_CALL(0, "cpus", "CPU,…", "same as -C", schedopts_cpus),
	ROW_CALL(0, "task-name", "NAME", "same as --task; others are shown as --", schedopts_task),
	ROW_CALL(0, "color-pids", "PID,…", "show these tasks in colour", add_marked),
	ROW_CALL(0, "color-cpus", "CPU,…", "show these CPUs in colour", add_marked_cpus),
	SCHEDOPTS_ROWS_RESULT,
	ROW_END,
};

struct map_run {
	struct schedrun run;
	const struct map_options *o;
	struct sched_map map;
};

static void map_run_close(struct map_run *r)
{
	sched_map_release(&r->map);
	schedrun_close(&r->run);
}

static bool has_cpu(void *ctx, uint32_t cpu)
{
	return schedrun_has_cpu(((struct map_run *)ctx)->run.o, cpu);
}

static bool has_task(void *ctx, const struct sched_task *t)
{
	return schedrun_match(&((struct map_run *)ctx)->run, t);
}

static bool is_listed(const int *list, size_t n, int v)
{
	for (size_t i = 0; i < n; i++)
		if (list[i] == v)
			return true;
	return false;
}

static bool is_marked(void *ctx, const struct sched_task *t)
{
	const struct map_options *o = ((struct map_run *)ctx)->o;

	return is_listed(o->marked, o->n_marked, t->pid);
}

static bool is_cpu_marked(void *ctx, uint32_t cpu)
{
	const struct map_options *o = ((struct map_run *)ctx)->o;

	return is_listed(o->marked_cpus, o->n_marked_cpus, (int)cpu);
}

static void fmt_json(struct map_run *r, const struct sched_turn *t)
{
	struct jsonwriter w;

	jsonwriter_init(&w, &r->run.text);
	jsonwriter_open(&w, NULL, '{');
	jsonwriter_add_uint(&w, "ts", t->end);
	jsonwriter_add_uint(&w, "cpu", t->cpu);
	sched_json_task("prev", t->task, &w);
	sched_json_task("next", t->next, &w);
	jsonwriter_close(&w);
	textbuf_add_char(&r->run.text, '\n');
}

static void add_turn(void *ctx, const struct sched_turn *t)
{
	struct map_run *r = ctx;

	if (!t->has_run || !t->is_end_sure || !schedrun_is_in_range(&r->run, t->end))
		return;
	if (!r->o->sched.json)
		sched_map_fmt_turn(&r->map, t, &r->run.text);
	else if (t->next && schedrun_has_cpu(r->run.o, t->cpu))
		fmt_json(r, t);
}

static unsigned count_cpus(const struct schedrun *run)
{
	unsigned n = 1;

	for (size_t i = 0; i < run->src.n; i++)
		if (run->src.list[i].config.buffer->n_cpus > n)
			n = (unsigned)run->src.list[i].config.buffer->n_cpus;
	return n;
}

static int run(const struct command *cmd, int argc, char **argv, struct errmsg *err)
{
	struct map_options o = {0};
	SCOPED(map_run_close) struct map_run r = {.o = &o};
	struct schedflow_ops ops = {.turn = add_turn, .ctx = &r};
	struct map_config config = {.has_cpu = has_cpu,
				    .has_task = has_task,
				    .is_marked = is_marked,
				    .is_cpu_marked = is_cpu_marked,
				    .ctx = &r};
	struct sched_view v;
	char **command;
	int n = schedrun_parse(cmd, &o.sched, argc, argv, &command, err);

	TRY(n);
	TRY(schedrun_find_colour(&o.sched, &config.colour, err));
	TRY(schedrun_open(&r.run, &o.sched, n, command, &ops, err));
	config.compact = o.compact;
	config.n_cpus = count_cpus(&r.run);
	v = (struct sched_view){.flow = r.run.flow, .in_time = r.run.in_time};
	sched_map_init(&r.map, &v, &config);
	TRY(schedrun_walk(&r.run, err));
	return schedrun_finish(&r.run, err);
}

const struct command sched_map = {
	.name = "sched map",
	.summary = "show which task runs on which CPU, one line per switch",
	.usage = "[options] [FILE | -- COMMAND [ARGUMENT…]]",
	.options = rows,
	.parse_flags = OPTIONS_STOP_AT_ARGUMENT,
	.args = "program",
	.run = run,
};

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * record.c - `sonde sched record`: records what the other sub-commands need, at the least cost.
 *
 * It is `sonde record` with these events:
 *
 *	sched_switch          who runs, who left and why
 *	sched_waking          who made a task runnable, at the place of the waker
 *	sched_wakeup_new      new tasks
 *	sched_migrate_task    moves between CPUs; rare
 *	sched_process_fork, sched_process_exit    parents, and numbers that are used again; rare
 *
 * sched_wakeup is not recorded, because it repeats sched_waking, nor sched_stat_runtime, because it
 * repeats the switches: these two are half of the events that perf sched record takes. With -g,
 * switches and wakings have kernel stacks.
 *
 * Three settings are as expensive as the events. Excluding sonde's own tasks makes the kernel call
 * four more functions at each switch and waking, so they are recorded, and the reports hide them.
 * Names of tasks (record-cmd) and their processes (record-tgid) need another one each; the events
 * have the names. `perf bench sched pipe -l 50000` on one CPU took 0.312 s without a recording,
 * +42 % with the events alone, +22 % with --self, +16 % without names, too; perf sched record: +83
 * % (tests/bench/run sched).
 */
#include "cli/sched/schedrun.h"

#include "base/errmsg.h"
#include "base/scope.h"

#include <errno.h>
#include <stdlib.h>

extern const struct command cmd_record;

#define BUFFER_SIZE "8M"

struct record_options {
	const char *output, *size;
	const char *cpumask;
	char mask[SCHED_CPUS_MAX / 4 + SCHED_CPUS_MAX / 32]; /* of -C */
	bool stacks, runtime, quiet, pass_status, ignored;
};

#define AT(field) offsetof(struct record_options, field)

/* "0,2-3" as the mask of -M: hexadecimal, a comma after each 32 CPUs, the highest first. */
static int set_cpus(void *opts, const char *value, struct errmsg *err)
{
	struct record_options *o = opts;
	uint8_t cpus[SCHED_CPUS_MAX / 8] = {0};
	char *to = o->mask;
	bool any = false;

	TRY(sched_cpus_parse(cpus, value, err));
	for (int i = SCHED_CPUS_MAX / 4 - 1; i >= 0; i--) {
		unsigned digit = cpus[i / 2] >> i % 2 * 4 & 15;

		any |= digit;
		if (any)
			*to++ = "0123456789abcdef"[digit];
		if (any && i && i % 8 == 0)
			*to++ = ',';
	}
	*to = 0;
	o->cpumask = o->mask;
	return 0;
}

static const struct option_row rows[] = {
	ROW_STRING('o', "output", "FILE", "write to this file (default: trace.dat)", AT(output),
		   .complete = "file"),
	ROW_FLAG('g', "stacks", "record kernel stacks of switches and wakings", AT(stacks)),
	ROW_FLAG(0, "stat-runtime",
		 "also record sched_stat_runtime, the run times by the scheduler's own account",
		 AT(runtime)),
	ROW_STRING('b', "buffer-size", "KB",
		   "size of the kernel's buffer for each CPU; also 16M, 1G (default: 8M)",
		   AT(size)),
	ROW_FLAG('a', "all-cpus", "record all CPUs, as without -C", AT(ignored)),
	ROW_CALL('C', "cpu", "CPU,…", "record only these CPUs: 0,2-3", set_cpus),
	ROW_STRING('M', "cpumask", "MASK", "trace only these CPUs: a hexadecimal mask",
		   AT(cpumask)),
	ROW_FLAG('q', "quiet", "print only errors", AT(quiet)),
	ROW_FLAG(0, "pass-status", "end with the command's exit status", AT(pass_status),
		 .hidden = true),
	ROW_END,
};

int sched_record_words(bool stacks, const char **words)
{
	static const char *const events[] = {
		"sched:sched_switch",	    "sched:sched_waking",	"sched:sched_wakeup_new",
		"sched:sched_migrate_task", "sched:sched_process_fork", "sched:sched_process_exit"};
	int n = 0;

	for (size_t i = 0; i < sizeof(events) / sizeof(*events); i++) {
		words[n++] = "-e";
		words[n++] = events[i];
		if (stacks && i < 2) {
			words[n++] = "-R";
			words[n++] = "stacktrace";
		}
	}
	words[n++] = "--self";
	words[n++] = "-O";
	words[n++] = "norecord-cmd";
	words[n++] = "-O";
	words[n++] = "norecord-tgid";
	words[n++] = "-b";
	words[n++] = BUFFER_SIZE;
	return n;
}

static int run(const struct command *cmd, int argc, char **argv, struct errmsg *err)
{
	struct record_options o = {0};
	const char *words[SCHED_RECORD_WORDS + 12] = {"record"};
	int n = command_parse(cmd, &o, argc, argv, err), n_words;

	if (n < 0)
		return n;
	n_words = 1 + sched_record_words(o.stacks, words + 1);
	if (o.size)
		words[n_words - 1] = o.size;
	if (o.runtime) {
		words[n_words++] = "-e";
		words[n_words++] = "sched:sched_stat_runtime";
	}
	if (o.output) {
		words[n_words++] = "-o";
		words[n_words++] = o.output;
	}
	if (o.cpumask) {
		words[n_words++] = "-M";
		words[n_words++] = o.cpumask;
	}
	if (o.pass_status)
		words[n_words++] = "--pass-status";
	if (o.quiet)
		words[n_words++] = "-q";
	return command_run(&cmd_record, words, n_words, argv + 1, n, err);
}

const struct command sched_record = {
	.name = "sched record",
	.summary = "record what the other sub-commands need, at the least cost",
	.usage = "[options] [COMMAND [ARGUMENT…]]",
	.options = rows,
	.parse_flags = OPTIONS_STOP_AT_ARGUMENT,
	.args = "program",
	.run = run,
};

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * perf.c - finds the sub-command of `sonde as perf`, and reports errors.
 *
 * Commands are rows of a table; other commands of perf are refused by name. An error is a message
 * on standard error. Exit statuses are those of perf in a shell: 255 for -1, 234 for -EINVAL.
 */
#include "cli/as/perf.h"

#include "base/array.h"
#include "cli/as/perfcount/perfcount.h"
#include "cli/as/personality.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const struct {
	const char *name, *summary;
	int (*run)(int argc, char **argv, struct errmsg *err);
} commands[] = {
	{"annotate", "Read perf.data (created by perf record) and display annotated code",
	 perf_annotate},
	{"diff", "Read perf.data files and display the differential profile", perf_diff},
	{"ftrace", "simple wrapper for kernel's ftrace functionality", perf_ftrace},
	{"list", "List all symbolic event types", perf_list},
	{"probe", "Define new dynamic tracepoints", perf_probe},
	{"record", "Run a command and record its profile into perf.data", perf_record},
	{"report", "Read perf.data (created by perf record) and display the profile", perf_report},
	{"stat", "Run a command and gather performance counter statistics", perf_stat},
	{"top", "System profiling tool.", perf_top},
	{"script", "Read perf.data (created by perf record) and display trace output", perf_script},
	{"sched", "Tool to trace/measure scheduler properties (latencies)", perf_sched},
	{"trace", "strace inspired tool", perf_trace},
};

bool perf_command(size_t i, const char **ret_name, const char **ret_summary)
{
	if (i >= ARRAY_LEN(commands))
		return false;
	*ret_name = commands[i].name;
	*ret_summary = commands[i].summary;
	return true;
}

int perf_call(const char *name, int argc, char **argv, struct errmsg *err)
{
	for (size_t i = 0; i < ARRAY_LEN(commands); i++)
		if (!strcmp(commands[i].name, name))
			return commands[i].run(argc, argv, err);
	return errmsg_set(err, -ENOSYS, "sonde does not know the perf command '%s'", name);
}

static int usage(FILE *to)
{
	fputs("\n usage: perf [--version] [--help] COMMAND [ARGS]\n\n"
	      " The commands of perf that sonde knows are:\n",
	      to);
	for (size_t i = 0; i < ARRAY_LEN(commands); i++)
		fprintf(to, "   %-15s %s\n", commands[i].name, commands[i].summary);
	return to == stdout ? 0 : 1;
}

int perf_run(int argc, char **argv)
{
	struct errmsg err = {0};
	int r;

	if (argc < 2)
		return usage(stderr);
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help"))
		return usage(stdout);
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "version")) {
		printf("perf version sonde-%s\n", SONDE_VERSION);
		return 0;
	}
	for (size_t i = 0; i < ARRAY_LEN(commands); i++) {
		if (strcmp(commands[i].name, argv[1]))
			continue;
		r = commands[i].run(argc - 1, argv + 1, &err);
		fflush(stdout);
		if (err.code && err.code != -EPIPE)
			fprintf(stderr, "%s\n", err.text);
		return r < 0 ? (err.code == -EINVAL ? PERF_INVALID : PERF_FAILED) : r;
	}
	fprintf(stderr,
		"perf: sonde does not know the perf command '%s'; 'sonde as perf --help' lists "
		"those that it knows.\n",
		argv[1]);
	return 1;
}

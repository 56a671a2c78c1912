// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * record.c - `perf sched record`: `sonde sched record` with perf's options and file name.
 *
 * The events are perf's: sched_stat_runtime, too, from which perf sched latency has its run times.
 * The file has the format of trace.dat, which `sonde as perf sched` reads like a perf.data. Options
 * that only concern perf's own buffers and file have no effect.
 */
#include "cli/as/sched/sched.h"

#include "base/errmsg.h"
#include "base/scope.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

extern const struct command sched_record;

struct record_options {
	struct sched_options sched; /* must be the first member */
	const char *output, *ignored_text;
	bool all, stacks, quiet, ignored;
};

#define AT(field) offsetof(struct record_options, field)

static const struct option_row rows[] = {
	ROW_STRING('o', "output", "file", "output file name", AT(output)),
	ROW_FLAG('a', "all-cpus", "system-wide collection from all CPUs", AT(all)),
	ROW_CALL('C', "cpu", "cpu", "list of cpus to monitor", schedopts_cpus),
	ROW_FLAG('g', NULL, "enables call-graph recording", AT(stacks)),
	ROW_FLAG('q', "quiet", "don't print any warnings or messages", AT(quiet)),
	ROW_STRING('m', "mmap-pages", "pages", "number of mmap data pages (no effect)",
		   AT(ignored_text)),
	ROW_STRING('k', "clockid", "clockid", "clockid to use for events (no effect)",
		   AT(ignored_text)),
	ROW_FLAG('v', "verbose", "be more verbose", AT(ignored)),
	ROW_END,
};

/* The CPUs as a mask in hexadecimal digits, without leading zeros. */
static void fmt_mask(const struct sched_options *o, char *text, size_t size)
{
	size_t len = 0;

	for (size_t i = sizeof(o->cpus); i-- > 0;)
		if (len || o->cpus[i] || !i)
			len += (size_t)snprintf(text + len, size - len, "%02x", o->cpus[i]);
}

static void tell(const char *path)
{
	struct stat st;

	if (!stat(path, &st))
		fprintf(stderr, "[ perf record: Captured and wrote %.3f MB %s ]\n",
			(double)st.st_size / 1048576, path);
}

int perf_sched_record(int argc, char **argv, struct errmsg *err)
{
	struct record_options o = {.output = "perf.data"};
	char mask[SCHED_CPUS_MAX / 4 + 1];
	const char *words[12] = {"record", "-q", "--stat-runtime", "--pass-status", "-o"};
	bool help = false;
	int n, n_words = 5, r;

	n = options_parse(rows, &o, argc, argv, OPTIONS_STOP_AT_ARGUMENT, &help, err);
	if (n < 0)
		return n;
	words[n_words++] = o.output;
	if (o.stacks)
		words[n_words++] = "-g";
	if (o.sched.has_cpus) {
		fmt_mask(&o.sched, mask, sizeof(mask));
		words[n_words++] = "-M";
		words[n_words++] = mask;
	}
	words[n_words++] = "--";
	r = command_run(&sched_record, words, n_words, argv + 1, n, err);
	if (r >= 0 && !o.quiet)
		tell(o.output);
	return r;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd_sample.c - `sonde sample`: the short form of `sonde record --sample`.
 *
 * It records nothing but samples, and needs neither root nor the tracing directory. Then it prints
 * the functions with most samples, as `sonde functions` does.
 */
#include "base/options.h"
#include "base/scope.h"
#include "cli/ask/gather.h"
#include "capture/perf/samplechoice.h"
#include "cli/command.h"
#include "cli/record/recordrun.h"
#include "cli/samples/samplefunctions.h"
#include "live/request.h"

#include <errno.h>

#define ROWS 20 /* of the table */

static struct samplechoice *choice(void *opts)
{
	return &((struct live_request *)opts)->samples;
}

static int take_rate(void *opts, const char *value, struct errmsg *err)
{
	return samplechoice_rate(choice(opts), value, err);
}

static int take_period(void *opts, const char *value, struct errmsg *err)
{
	return samplechoice_period(choice(opts), value, err);
}

static int take_event(void *opts, const char *value, struct errmsg *err)
{
	return samplechoice_event(choice(opts), value, err);
}

static int take_graph(void *opts, const char *value, struct errmsg *err)
{
	return samplechoice_stacks(choice(opts), "dwarf", err);
}

static int take_pids(void *opts, const char *value, struct errmsg *err)
{
	return samplechoice_pids(choice(opts), value, err);
}

static int take_tids(void *opts, const char *value, struct errmsg *err)
{
	return samplechoice_tids(choice(opts), value, err);
}

static int take_cpus(void *opts, const char *value, struct errmsg *err)
{
	return samplechoice_cpus(choice(opts), value, err);
}

static int take_ring(void *opts, const char *value, struct errmsg *err)
{
	return samplechoice_ring(choice(opts), value, err);
}

static const struct option_row rows[] = {
	ROW_HEADING("what to sample"),
	ROW_CALL('F', "rate", "RATE", "samples a second (default: 997); also 4k", take_rate),
	ROW_CALL('c', "period", "N", "a sample for every N events, instead of a rate", take_period),
	ROW_CALL('e', "event", "EVENT,…",
		 "sample these events, by the names of 'perf list' (default: cycles, or cpu-clock "
		 "on a machine that does not count them)",
		 take_event),
	ROW_CALL('g', NULL, NULL, "same as --stacks dwarf", take_graph),
	RECORDOPTS_ROWS_STACKS,
	RECORDOPTS_ROWS_COUNTERS,
	ROW_HEADING("whom to sample"),
	ROW_CALL('p', "pid", "PID,…", "these processes with all their threads", take_pids),
	ROW_CALL('t', "tid", "TID,…", "these threads", take_tids),
	ROW_FLAG('a', "all", "all processes (default without a command)",
		 RECORDOPTS_AT(samples.is_everywhere)),
	ROW_CALL('C', "cpu", "LIST", "only on these CPUs: 0,2-5", take_cpus),
	ROW_HEADING("the recording"),
	ROW_STRING('o', "output", "FILE", "write to this file (default: trace.dat)",
		   RECORDOPTS_AT(output), .complete = "file"),
	ROW_CALL('m', "ring", "BYTES", "size of the kernel's ring for each CPU: 512K, 8M",
		 take_ring),
	RECORDOPTS_ROW_USER,
	ROW_CALL(0, "verbose", NULL, "print more about the recording and its cost",
		 recordopts_verbose),
	ROW_CALL(0, "rows", "N", "print at most N functions at the end (default: 20)", gather_rows),
	ROW_FLAG('q', "quiet", "print only errors, and no table", RECORDOPTS_AT(quiet)),
	ROW_END,
};

/* The functions with most samples. */
static int show_functions(struct gather_options *g, const char *path, struct errmsg *err)
{
	struct sample_options samples = {.only = true};
	struct samplefunctions f = {.samples = &samples, .gather = g};

	g->input = path;
	g->record.output = NULL; /* the table goes to standard output */
	g->no_pager = true;
	if (!g->n_rows)
		g->n_rows = ROWS;
	return samplefunctions_run(&f, err);
}

static int sample(struct gather_options *g, char **argv, struct errmsg *err)
{
	struct live_request *o = &g->record;
	const char *path = o->output ? o->output : "trace.dat";
	int status, r;

	if (o->samples.is_everywhere && (o->samples.n_pids || o->samples.n_tids))
		return errmsg_set(err, -EINVAL, "-a samples all processes; leave out -p and -t");
	TRY(recordopts_check(o, argv, err));
	status = record_run(o, argv, err);
	if (status < 0 || o->quiet)
		return status;
	r = show_functions(g, path, err);
	if (r == -ENODATA) { /* a short command may have no samples */
		recordopts_tell(err->text);
		return status;
	}
	return r < 0 ? r : status;
}

static int run(const struct command *cmd, int argc, char **argv, struct errmsg *err)
{
	struct gather_options o = {0};
	int n, r;

	if (recordopts_init(&o.record) < 0)
		return -ENOMEM;
	o.record.samples.is_wanted = o.record.samples.has_samples = true;
	n = command_parse(cmd, &o, argc, argv, err);
	r = n;
	if (n >= 0) {
		argv[n + 1] = NULL; /* after the words that were moved to the front */
		r = sample(&o, n > 0 ? argv + 1 : NULL, err);
	}
	gather_release(&o);
	return r;
}

const struct command cmd_sample = {
	.name = "sample",
	.summary = "sample where programs spend their time",
	.usage = "[options] [COMMAND [ARGUMENT…]]",
	.options = rows,
	.parse_flags = OPTIONS_STOP_AT_ARGUMENT,
	.run = run,
	.args = "program",
};

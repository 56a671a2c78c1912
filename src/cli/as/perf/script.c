// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * script.c - `sonde as perf script`: the samples of a perf.data, line by line.
 *
 * This file has the options and the filters; present/perfdata/script.h makes the lines. Scripts in
 * Perl and Python (-s, -g) are refused by name: sonde has its own (sonde-script(1)). Only `report
 * flamegraph` is known, as sonde flame.
 */
#include "base/options.h"
#include "base/scope.h"
#include "base/textbuf.h"
#include "cli/as/perf.h"
#include "cli/as/perf/choice.h"
#include "cli/as/perf_words.h"
#include "cli/command.h"
#include "cli/screen/output.h"
#include "inputs/perfdata/session.h"
#include "present/perfdata/script.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE_MAX_BYTES (1u << 20)
#define FLUSH_BYTES    (64u << 10)

extern const struct command cmd_flame;

struct options {
	struct perf_choice filter;
	struct perfscript_config config;
	const char *input, *script, *generate;
	long long max_stack;
	bool force, header, header_only, unused;
};
#define AT(field) offsetof(struct options, field)

static int apply_fields(void *opts, const char *value, struct errmsg *err)
{
	int r = perfscript_parse_fields(&((struct options *)opts)->config, value, err);

	if (r < 0)
		err->reason = PERF_USAGE;
	return r;
}

static int apply_input(void *opts, const char *value, struct errmsg *err)
{
	((struct options *)opts)->input = value;
	return 0;
}

static const struct option_row rows[] = {
	ROW_CALL('F', "fields", "str", "comma separated output fields prepend with 'type:'",
		 apply_fields),
	ROW_FLAG('G', "hide-call-graph", "When printing symbols do not display call chain",
		 AT(config.no_chain)),
	ROW_STRING('C', "cpu", "cpu", "list of cpus to profile", AT(filter.cpus)),
	ROW_FLAG('D', "dump-raw-trace", "dump raw trace in ASCII", AT(unused), .hidden = true),
	ROW_CALL('i', "input", "file", "input file name", apply_input),
	ROW_STRING('c', "comms", "comm[,comm...]", "only display events for these comms",
		   AT(filter.comms)),
	ROW_STRING('s', "script", "name", "script file name (lang:script name, script name, or *)",
		   AT(script)),
	ROW_STRING('g', "gen-script", "lang",
		   "generate perf-script.xx script in specified language", AT(generate)),
	ROW_STRING('S', "symbols", "symbol[,symbol...]", "only consider these symbols",
		   AT(filter.symbols)),
	ROW_STRING(0, "dsos", "dso[,dso...]", "only consider symbols in these DSOs",
		   AT(filter.dsos)),
	ROW_STRING(0, "pid", "pid[,pid...]", "only consider symbols in these pids",
		   AT(filter.pids)),
	ROW_STRING(0, "tid", "tid[,tid...]", "only consider symbols in these tids",
		   AT(filter.tids)),
	ROW_STRING(0, "time", "str", "Time span of interest (start,stop)", AT(filter.time)),
	ROW_NUMBER(0, "max-stack", "n", "Set the maximum stack depth when parsing the callchain",
		   AT(max_stack)),
	ROW_FLAG(0, "reltime", "Show time stamps relative to start", AT(config.reltime)),
	ROW_FLAG(0, "deltatime", "Show time stamps relative to previous event",
		 AT(config.deltatime)),
	ROW_FLAG(0, "ns", "Use 9 decimal places when displaying time", AT(config.ns)),
	ROW_FLAG(0, "no-inline", "Do not show inlined functions", AT(config.no_inline)),
	ROW_FLAG(0, "inline", "Show inline function", AT(unused)),
	ROW_FLAG(0, "header", "Show data header.", AT(header)),
	ROW_FLAG(0, "header-only", "Show only data header.", AT(header_only)),
	ROW_FLAG(0, "full-source-path", "Show full source file name path for source lines",
		 AT(config.full_path)),
	ROW_FLAG('a', "all-cpus", "accepted; the file says whose samples it has", AT(unused)),
	ROW_FLAG(0, "demangle", "accepted; names of C++ and Rust are always plain", AT(unused)),
	ROW_FLAG('v', "verbose", "be more verbose (show symbol address, etc)", AT(unused)),
	ROW_FLAG('f', "force", "don't complain, do it", AT(force)),
	ROW_END,
};

static const char *const usage_lines[] = {
	"perf script [<options>]",
	"perf script [<options>] record <script> [<record-options>] <command>",
	"perf script [<options>] report <script> [script-args]",
	"perf script [<options>] <script> [<record-options>] <command>",
	"perf script [<options>] <top-script> [script-args]",
	NULL,
};
static const struct perf_usage usage = {.lines = usage_lines, .rows = rows, .exclusive = ""};

static int flush(struct output *out, struct textbuf *tb)
{
	int r = output_write(out, tb->start ? tb->start : "", textbuf_len(tb));

	textbuf_clear(tb);
	return r;
}

static int print_samples(struct options *o, struct perfsession *s, struct perfscript *script,
			 struct output *out)
{
	TEXTBUF(tb, LINE_MAX_BYTES + FLUSH_BYTES);
	struct perfsample sample;
	int r;

	while ((r = perfsession_next(s, &sample)) > 0) {
		if (r != PERFSESSION_SAMPLE || !perf_choice_takes(&o->filter, s, &sample))
			continue;
		perfscript_add(script, &sample, &tb);
		if (textbuf_len(&tb) >= FLUSH_BYTES)
			TRY(flush(out, &tb));
	}
	return r < 0 ? r : flush(out, &tb);
}

static int run(struct options *o, struct errmsg *err)
{
	SCOPED(perfsession_close_scoped) struct perfsession *s = NULL;
	SCOPED(perfscript_free_scoped) struct perfscript *script = NULL;
	struct output out;
	int r;

	o->config.max_stack = (size_t)o->max_stack;
	TRY(perf_open(&s, o->input, err));
	TRY(perf_choice_init(&o->filter, err));
	TRY(perf_choice_check(&o->filter, s, err));
	TRY(perfscript_new(&script, s, &o->config, err));
	TRY(output_open(&out, "never", false, err));
	r = o->header || o->header_only ? perf_print_header(s, &out) : 0;
	if (r >= 0 && !o->header_only)
		r = print_samples(o, s, script, &out);
	output_close(&out);
	if (r < 0 && r != -EPIPE)
		return errmsg_set_errno(err, r, "cannot print samples");
	return perf_report_damage(s);
}

/* perf script report flamegraph: the one script of perf that many use. It writes this file. */
static int draw_flamegraph(const struct options *o, struct errmsg *err)
{
	char name[] = "flame", option[] = "-o", output[] = "flamegraph.html", input[4096];
	char *words[] = {name, option, output, input, NULL};

	snprintf(input, sizeof(input), "%s", o->input ? o->input : "perf.data");
	TRY(cmd_flame.run(&cmd_flame, 4, words, err));
	fprintf(stderr, "dumping data to %s\n", output);
	return 0;
}

int perf_script(int argc, char **argv, struct errmsg *err)
{
	SCOPED(perf_words_release) struct perf_words words = {0};
	struct options o = {0};
	int n, r = perf_words_parse(&words, &usage, &o, OPTIONS_STOP_AT_ARGUMENT, argc, argv, &n,
				    err);

	if (r < 0 && err->reason == PERF_USAGE) { /* of -F */
		fprintf(stderr, "%s\n", err->text);
		perf_usage_print(&usage, "F", stderr);
		err->code = -EPIPE; /* it was printed */
		r = PERF_USAGE;
	}
	if (!r && n == 2 && !strcmp(words.argv[1], "report") &&
	    !strcmp(words.argv[2], "flamegraph"))
		r = draw_flamegraph(&o, err);
	else if (!r)
		r = n || o.script || o.generate
			    ? errmsg_set(err, -ENOTSUP,
					 "perf: sonde does not run scripts of perf; see "
					 "sonde-script(1), and sonde-flame(1) for flame graphs")
			    : run(&o, err);
	perf_choice_release(&o.filter);
	return r;
}

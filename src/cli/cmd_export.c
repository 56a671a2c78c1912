// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd_export.c - `sonde export`: writes a trace, or a range of it, for other programs or as a
 * picture.
 *
 * This file has the options; view/export.h writes the trace, and
 * cli/samples/stackexport.h calls and samples.
 * Standard output is the default; binary forms are not written to a terminal.
 */
#include "base/array.h"
#include "base/scope.h"
#include "cli/calls/uftexport.h"
#include "cli/command.h"
#include "cli/samples/stackexport.h"
#include "cli/screen/notes.h"
#include "view/export.h"
#include "view/picture/picture.h"
#include "view/trace.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct export_options {
	bool perfetto, chrome, svg, html, folded, graphviz, mermaid, speedscope, pprof, firefox;
	bool perf, short_names;
	struct sample_options samples;
	const char *uftrace, *ctf;
	const char **inputs;
	size_t n_inputs;
	const char *output, *from, *to, *lanes, *range;
	const char *marks[PICTURE_MARKS_MAX];
	size_t n_marks;
	long long width;
};

#define AT(member)	   offsetof(struct export_options, member)
#define SAMPLES_AT(member) offsetof(struct export_options, samples.member)

static int add_input(struct export_options *o, const char *path, struct errmsg *err)
{
	if (!ARRAY_ONE_MORE(o->inputs, o->n_inputs, ARRAY_NO_MAX))
		return errmsg_set_errno(err, -ENOMEM, "too many files");
	o->inputs[o->n_inputs++] = path;
	return 0;
}

static int apply_input(void *opts, const char *value, struct errmsg *err)
{
	return add_input(opts, value, err);
}

static int apply_mark(void *opts, const char *value, struct errmsg *err)
{
	struct export_options *o = opts;

	if (o->n_marks == PICTURE_MARKS_MAX)
		return errmsg_set(err, -EINVAL, "--mark: a picture has at most %d marks",
				  PICTURE_MARKS_MAX);
	o->marks[o->n_marks++] = value;
	return 0;
}

static const struct option_row rows[] = {
	ROW_HEADING("formats"),
	ROW_FLAG(0, "perfetto", "write Perfetto's protobuf format: all events, functions as slices",
		 AT(perfetto)),
	ROW_FLAG(0, "chrome", "write the JSON of Chrome's trace viewer: spans and all events",
		 AT(chrome)),
	ROW_STRING(0, "ctf", "DIR",
		   "write all events as a directory in the Common Trace Format 1.8", AT(ctf),
		   .complete = "dir"),
	ROW_FLAG(0, "svg", "write a picture of --lanes", AT(svg)),
	ROW_FLAG(0, "html", "write a page that needs no server: picture, statistics, events",
		 AT(html)),
	ROW_FLAG(0, "folded",
		 "write stacks of calls with their self times, for programs that draw flame graphs",
		 AT(folded)),
	ROW_FLAG(0, "graphviz", "write which function calls which, for Graphviz", AT(graphviz)),
	ROW_FLAG(0, "mermaid", "write which function calls which, for Mermaid", AT(mermaid)),
	ROW_FLAG(0, "speedscope", "write samples for speedscope.app", AT(speedscope)),
	ROW_FLAG(0, "perf", "write samples as a perf.data", AT(perf)),
	ROW_FLAG(0, "pprof", "write samples for pprof: protobuf, gzip", AT(pprof)),
	ROW_FLAG(0, "firefox", "write samples for profiler.firefox.com", AT(firefox)),
	ROW_STRING(0, "uftrace", "DIR", "write the calls of programs as a directory of uftrace",
		   AT(uftrace), .complete = "dir"),
	ROW_HEADING("files and range"),
	ROW_CALL('i', "input", "FILE",
		 "read this file (default: trace.dat); several files are merged", apply_input,
		 .complete = "file"),
	ROW_STRING('o', "output", "FILE", "write to this file (default, or -: standard output)",
		   AT(output), .complete = "file"),
	ROW_STRING(0, "from", "TIME",
		   "start at this time, as report shows it, or +1.5s after the first event",
		   AT(from)),
	ROW_STRING(0, "to", "TIME", "stop at this time", AT(to)),
	SAMPLEOPTS_ROWS(SAMPLES_AT),
	ROW_FLAG(0, "short-names",
		 "of stacks and graphs: names of C++ and Rust without template arguments: "
		 "std::map::find",
		 AT(short_names)),
	ROW_HEADING("pictures"),
	ROW_STRING(0, "lanes", "SPEC,…", "show these lanes in the picture: cpu:0:1, task:0:1234, …",
		   AT(lanes)),
	ROW_CALL(0, "mark", "TIME", "mark this time in the picture; repeatable: A, B, C …",
		 apply_mark),
	ROW_STRING(0, "range", "FROM,TO", "highlight this range in the picture", AT(range)),
	ROW_NUMBER(0, "width", "PIXELS", "width of the picture (default: 1600)", AT(width)),
	ROW_END,
};

static int put(void *ctx, const char *text, size_t n_bytes)
{
	if (!n_bytes)
		return fflush(stdout) ? -errno : 0;
	if (fwrite(text, 1, n_bytes, stdout) != n_bytes)
		return errno ? -errno : -EIO;
	return 0;
}

static int export(const struct export_options *o, struct errmsg *err)
{
	struct export_config config = {.form = o->perfetto ? EXPORT_PERFETTO
					       : o->chrome ? EXPORT_CHROME
					       : o->ctf	   ? EXPORT_CTF
					       : o->svg	   ? EXPORT_SVG
							   : EXPORT_HTML,
				       .from = o->from,
				       .to = o->to,
				       .put = put,
				       .lanes = o->lanes,
				       .range = o->range,
				       .marks = o->marks,
				       .n_marks = o->n_marks,
				       .width = o->width};
	SCOPED(viewtrace_close) struct viewtrace vt = {0};

	TRY(viewtrace_open(&vt, o->inputs, o->n_inputs, VIEWTRACE_EXPORT, err));
	if (o->output && strcmp(o->output, "-"))
		config.output = o->output;
	if (o->ctf)
		config.output = o->ctf;
	if (o->perfetto && !config.output && isatty(STDOUT_FILENO))
		return errmsg_set(err, -EINVAL, "this is not for a terminal: name a file with -o");
	TRY(export_write(&vt, &config, err));
	return notes_print_damage(&vt.inputs, false);
}

static enum stackexport_form form_of(const struct export_options *o)
{
	return o->folded       ? STACKEXPORT_FOLDED
	       : o->graphviz   ? STACKEXPORT_GRAPHVIZ
	       : o->mermaid    ? STACKEXPORT_MERMAID
	       : o->speedscope ? STACKEXPORT_SPEEDSCOPE
	       : o->pprof      ? STACKEXPORT_PPROF
	       : o->firefox    ? STACKEXPORT_FIREFOX
	       : o->perf       ? STACKEXPORT_PERF
			       : STACKEXPORT_NONE;
}

static int export_stacks(const struct export_options *o, struct errmsg *err)
{
	struct stackexport x = {.form = form_of(o),
				.samples = &o->samples,
				.input = o->inputs[0],
				.from = o->from,
				.to = o->to,
				.output = o->output,
				.short_names = o->short_names};

	if (o->n_inputs > 1)
		return errmsg_set(err, -EINVAL, "calls and samples are exported from one file");
	return stackexport_run(&x, err);
}

/* --uftrace */
static int export_uftrace(const struct export_options *o, struct errmsg *err)
{
	struct call_options calls = {.from = o->from, .to = o->to, .filter = {.no_kernel = true}};

	if (o->n_inputs > 1)
		return errmsg_set(err, -EINVAL, "calls are exported from one file");
	if (o->output)
		return errmsg_set(err, -EINVAL, "--uftrace names the directory; -o is not for it");
	return uftexport(&calls, o->inputs[0], o->uftrace, err);
}

/* Checks that there is only one form, because each is a separate file. */
static int check_form(const struct export_options *o, struct errmsg *err)
{
	const struct {
		const char *name;
		bool is_on;
	} forms[] = {{"--perfetto", o->perfetto},
		     {"--chrome", o->chrome},
		     {"--svg", o->svg},
		     {"--html", o->html},
		     {"--folded", o->folded},
		     {"--graphviz", o->graphviz},
		     {"--mermaid", o->mermaid},
		     {"--speedscope", o->speedscope},
		     {"--pprof", o->pprof},
		     {"--firefox", o->firefox},
		     {"--perf", o->perf},
		     {"--uftrace", o->uftrace},
		     {"--ctf", o->ctf}};
	const char *first = NULL;

	for (size_t i = 0; i < ARRAY_LEN(forms); i++) {
		if (forms[i].is_on && first)
			return errmsg_set(err, -EINVAL,
					  "%s and %s are two files: call export once for each",
					  first, forms[i].name);
		if (forms[i].is_on)
			first = forms[i].name;
	}
	if (!first)
		return errmsg_set(
			err, -EINVAL,
			"export needs one of --perfetto, --chrome, --ctf, --svg, --html, "
			"--folded, --graphviz, --mermaid, --speedscope, --pprof, --firefox, --perf "
			"and --uftrace");
	return 0;
}

static int check(struct export_options *o, int n, char **argv, struct errmsg *err)
{
	for (int i = 1; i <= n; i++)
		TRY(add_input(o, argv[i], err));
	if (!o->n_inputs)
		TRY(add_input(o, "trace.dat", err));
	TRY(check_form(o, err));
	if (o->ctf && o->output)
		return errmsg_set(err, -EINVAL, "--ctf names the directory; -o is not for it");
	if ((o->lanes || o->width || o->n_marks || o->range) && !o->svg && !o->html)
		return errmsg_set(err, -EINVAL,
				  "--lanes, --width, --mark and --range are for --svg and --html");
	if (o->short_names && !form_of(o))
		return errmsg_set(
			err, -EINVAL,
			"--short-names is for --folded, --graphviz, --mermaid and samples");
	if (o->width && (o->width < PICTURE_WIDTH_MIN || o->width > PICTURE_WIDTH_MAX))
		return errmsg_set(err, -EINVAL, "--width is a number from %d to %d",
				  PICTURE_WIDTH_MIN, PICTURE_WIDTH_MAX);
	return 0;
}

static void release(struct export_options *o)
{
	free(o->inputs);
}

static int run(const struct command *cmd, int argc, char **argv, struct errmsg *err)
{
	SCOPED(release) struct export_options o = {0};
	int n = command_parse(cmd, &o, argc, argv, err);

	TRY(n);
	TRY(check(&o, n, argv, err));
	if (o.uftrace)
		return export_uftrace(&o, err);
	return form_of(&o) ? export_stacks(&o, err) : export(&o, err);
}

const struct command cmd_export = {
	.name = "export",
	.summary = "export a trace for other viewers",
	.usage = "[options] [FILE…]",
	.options = rows,
	.args = "file",
	.run = run,
};

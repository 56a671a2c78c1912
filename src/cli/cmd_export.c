// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd_export.c - `sonde export`: a trace, or a range of it, for other programs and for people.
 *
 * The options, and one call: view/export.h writes it. Standard output is the default; binary forms are not
 * written to a terminal.
 */
#include "base/array.h"
#include "cli/command.h"
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
	bool perfetto, chrome, svg, html;
	const char **inputs;
	size_t n_inputs;
	const char *output, *from, *to, *lanes, *range;
	const char *marks[PICTURE_MARKS_MAX];
	size_t n_marks;
	long long width;
};

#define AT(member) offsetof(struct export_options, member)

static int add_input(struct export_options *o, const char *path, struct errmsg *err)
{
	const char **more = realloc(o->inputs, (o->n_inputs + 1) * sizeof(*more));

	if (!more)
		return errmsg_set_errno(err, -ENOMEM, "too many files");
	o->inputs = more;
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
	{OPTION_HEADING, .help = "formats"},
	{OPTION_FLAG, 0, "perfetto",
	 .help = "write Perfetto's protobuf format: all events, functions as slices",
	 .offset = AT(perfetto)},
	{OPTION_FLAG, 0, "chrome",
	 .help = "write the JSON of Chrome's trace viewer: spans and all events",
	 .offset = AT(chrome)},
	{OPTION_FLAG, 0, "svg", .help = "write a picture of --lanes", .offset = AT(svg)},
	{OPTION_FLAG, 0, "html",
	 .help = "write a page that needs no server: picture, statistics, events",
	 .offset = AT(html)},
	{OPTION_HEADING, .help = "files and range"},
	{OPTION_CALL, 'i', "input", "FILE",
	 "read this file (default: trace.dat); several files are merged", .apply = apply_input,
	 .complete = "file"},
	{OPTION_STRING, 'o', "output", "FILE",
	 "write to this file (default, or -: standard output)", .offset = AT(output),
	 .complete = "file"},
	{OPTION_STRING, 0, "from", "TIME",
	 "start at this time, as report shows it, or +1.5s after the first event",
	 .offset = AT(from)},
	{OPTION_STRING, 0, "to", "TIME", "stop at this time", .offset = AT(to)},
	{OPTION_STRING, 0, "lanes", "SPEC,…",
	 "show these lanes in the picture: cpu:0:1, task:0:1234, …", .offset = AT(lanes)},
	{OPTION_CALL, 0, "mark", "TIME", "mark this time in the picture; repeatable: A, B, C …",
	 .apply = apply_mark},
	{OPTION_STRING, 0, "range", "FROM,TO", "highlight this range in the picture",
	 .offset = AT(range)},
	{OPTION_NUMBER, 0, "width", "PIXELS", "width of the picture (default: 1600)",
	 .offset = AT(width)},
	{OPTION_END},
};

static int put(void *ctx, const char *text, size_t n_bytes)
{
	if (!n_bytes)
		return fflush(stdout) ? -errno : 0;
	if (fwrite(text, 1, n_bytes, stdout) != n_bytes)
		return errno == EPIPE ? -EPIPE : -EIO;
	return 0;
}

static int export(const struct export_options *o, struct errmsg *err)
{
	struct export_config config = {.form = o->perfetto ? EXPORT_PERFETTO
					       : o->chrome ? EXPORT_CHROME
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
	struct viewtrace vt;
	int r = viewtrace_open(&vt, o->inputs, o->n_inputs, VIEWTRACE_EXPORT, err);

	if (o->output && strcmp(o->output, "-"))
		config.output = o->output;
	if (r >= 0 && o->perfetto && !config.output && isatty(STDOUT_FILENO))
		r = errmsg_set(err, -EINVAL, "this is not for a terminal: name a file with -o");
	if (r >= 0)
		r = export_write(&vt, &config, err);
	if (r >= 0 && notes_print_damage(&vt.inputs, false))
		r = 1;
	viewtrace_close(&vt);
	return r;
}

/* One form at a time: each is a file of its own. */
static int check_form(const struct export_options *o, struct errmsg *err)
{
	const struct {
		const char *name;
		bool is_on;
	} forms[] = {{"--perfetto", o->perfetto},
		     {"--chrome", o->chrome},
		     {"--svg", o->svg},
		     {"--html", o->html}};
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
		return errmsg_set(err, -EINVAL,
				  "export needs one of --perfetto, --chrome, --svg and --html");
	return 0;
}

static int run(const struct command *cmd, int argc, char **argv, struct errmsg *err)
{
	struct export_options o = {0};
	int n = command_parse(cmd, &o, argc, argv, err), r = n < 0 ? n : 0;

	for (int i = 1; r >= 0 && i <= n; i++)
		r = add_input(&o, argv[i], err);
	if (r >= 0 && !o.n_inputs)
		r = add_input(&o, "trace.dat", err);
	if (r >= 0)
		r = check_form(&o, err);
	if (r >= 0 && (o.lanes || o.width || o.n_marks || o.range) && !o.svg && !o.html)
		r = errmsg_set(err, -EINVAL,
			       "--lanes, --width, --mark and --range are for --svg and --html");
	if (r >= 0 && o.width && (o.width < PICTURE_WIDTH_MIN || o.width > PICTURE_WIDTH_MAX))
		r = errmsg_set(err, -EINVAL, "--width is a number from %d to %d", PICTURE_WIDTH_MIN,
			       PICTURE_WIDTH_MAX);
	if (r >= 0)
		r = export(&o, err);
	free(o.inputs);
	return r;
}

const struct command cmd_export = {
	.name = "export",
	.summary = "export a trace for other viewers",
	.usage = "[options] [FILE…]",
	.options = rows,
	.args = "file",
	.run = run,
};

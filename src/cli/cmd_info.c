// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd_info.c - `sonde info`: describes the contents of a trace file.
 *
 * Everything except the counts is in the file's directory and takes some milliseconds to read
 * (mostly for uncompressing texts). Events of files above INFO_BIG_BYTES are counted only with
 * --count. If one file cannot be opened, the others are still shown.
 */
#include "base/options.h"
#include "base/scope.h"
#include "cli/command.h"
#include "cli/screen/notes.h"
#include "inputs/info/info.h"
#include "cli/screen/output.h"
#include "present/traceinfo.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define DEFAULT_ROWS   (-1)
#define TEXT_MAX_BYTES (256u << 20)

struct info_options {
	long long n_rows;
	bool all, fast, count, json;
	const char *input;
};

static const struct option_row rows[] = {
	ROW_STRING('i', "input", "FILE", "read FILE (default: trace.dat); may also be an argument",
		   offsetof(struct info_options, input), .complete = "file"),
	ROW_NUMBER('n', "top", "N", "show the N most frequent events and tasks (default: 10)",
		   offsetof(struct info_options, n_rows)),
	ROW_FLAG('a', "all", "show all events, tasks and CPUs, and count the symbols",
		 offsetof(struct info_options, all)),
	ROW_FLAG(0, "fast", "do not count events; read only the start and end of each CPU's data",
		 offsetof(struct info_options, fast)),
	ROW_FLAG(0, "count", "count events even in files with more than 4 GiB of data",
		 offsetof(struct info_options, count)),
	ROW_FLAG(0, "json",
		 "print one JSON object per file, with all events and tasks; -n limits them",
		 offsetof(struct info_options, json)),
	ROW_END,
};

static struct traceinfo_style style_of(const struct info_options *o)
{
	struct traceinfo_style style = {.max_rows = 10, .max_cpus = 16};

	if (o->n_rows != DEFAULT_ROWS)
		style.max_rows = o->n_rows;
	else if (o->all || o->json)
		style.max_rows = SIZE_MAX;
	if (o->all)
		style.max_cpus = SIZE_MAX;
	return style;
}

/* Writes the text about the file to tb. */
static int describe(const struct info_options *o, struct inputs_file *file, struct textbuf *tb,
		    struct errmsg *err)
{
	struct info_config config = {.fast = o->fast, .count = o->count, .symbols = o->all};
	struct traceinfo_style style = style_of(o);
	SCOPED(info_release) struct info info = {0};

	TRY(info_init(&info, file, &config, err));
	info.facts.why_not_counted = o->fast ? "--fast" : "more than 4 GiB, --count does it";
	if (o->json)
		traceinfo_fmt_json(&info.facts, &style, tb);
	else
		traceinfo_fmt_text(&info.facts, &style, tb);
	return tb->overflow ? errmsg_set(err, -EFBIG, "%s has more to show than fits; use -n",
					 file->tf->path)
			    : 0;
}

/* Returns 0, 1 if the file is damaged, or a negative errno. */
static int show_file(const struct info_options *o, const char *path, bool first, struct output *out,
		     struct errmsg *err)
{
	struct inputs_spec spec = INPUTS_ONE(path);
	SCOPED(inputs_close) struct inputs in = {0};
	TEXTBUF(tb, TEXT_MAX_BYTES);
	int r;

	TRY(inputs_open(&in, &spec, err));
	if (!first && !o->json)
		textbuf_add_char(&tb, '\n');
	TRY(describe(o, &in.files[0], &tb, err));
	r = output_write(out, tb.start, textbuf_len(&tb));
	if (r < 0)
		return errmsg_set_errno(err, r, "cannot write the output");
	return notes_print_damage(&in, false);
}

static int show_files(const struct info_options *o, char **paths, int n, struct output *out)
{
	bool first = true;
	int status = 0;

	for (int i = 0; i < n; i++) {
		struct errmsg err = {0};
		int r = show_file(o, paths[i], first, out, &err);

		if (r == -EPIPE)
			return r;
		if (r < 0)
			fprintf(stderr, "sonde: %s\n", err.code ? err.text : strerror(-r));
		else
			first = false;
		if (r)
			status = 1;
	}
	return status;
}

static int run(const struct command *cmd, int argc, char **argv, struct errmsg *err)
{
	char usual[] = "trace.dat", *usual_paths[] = {usual};
	struct info_options o = {.n_rows = DEFAULT_ROWS};
	int n = command_parse(cmd, &o, argc, argv, err), r;
	struct output out;

	TRY(n);
	if (o.n_rows < DEFAULT_ROWS)
		return errmsg_set(err, -EINVAL, "info: -n needs a number from 0 on, not %lld",
				  o.n_rows);
	if (o.fast && o.count)
		return errmsg_set(err, -EINVAL, "info: --fast and --count exclude each other");
	r = output_open(&out, "never", false, err);
	TRY(r);
	if (o.input) /* argv[0] is the command's own name */
		argv[0] = (char *)o.input;
	if (o.input)
		r = show_files(&o, argv, n + 1, &out);
	else
		r = show_files(&o, n ? argv + 1 : usual_paths, n ? n : 1, &out);
	output_close(&out);
	return r;
}

const struct command cmd_info = {
	.name = "info",
	.summary = "summarize a trace file",
	.usage = "[options] [FILE…]",
	.options = rows,
	.args = "file",
	.run = run,
};

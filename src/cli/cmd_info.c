// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd_info.c - `sonde info`: what is in a trace file, for a person.
 *
 * Everything but the counts stands in the file's directory and costs some milliseconds (most of it
 * unpacking texts). Events of files above INFO_BIG_BYTES are counted only if --count asks for it. A file that cannot be opened does not keep the others
 * from being shown.
 */
#include "base/options.h"
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
	{OPTION_STRING, 'i', "input", "FILE",
	 "read FILE (default: trace.dat); may also be an argument",
	 offsetof(struct info_options, input), .complete = "file"},
	{OPTION_NUMBER, 'n', "top", "N", "show the N most frequent events and tasks (default: 10)",
	 offsetof(struct info_options, n_rows)},
	{OPTION_FLAG, 'a', "all", .help = "show all events, tasks and CPUs, and count the symbols",
	 .offset = offsetof(struct info_options, all)},
	{OPTION_FLAG, 0, "fast",
	 .help = "do not count events; read only the start and end of each CPU's data",
	 .offset = offsetof(struct info_options, fast)},
	{OPTION_FLAG, 0, "count", .help = "count events even in files with more than 4 GiB of data",
	 .offset = offsetof(struct info_options, count)},
	{OPTION_FLAG, 0, "json",
	 .help = "print one JSON object per file, with all events and tasks; -n limits them",
	 .offset = offsetof(struct info_options, json)},
	{OPTION_END},
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

/* Puts the text about the file into tb. */
static int describe(const struct info_options *o, struct inputs_file *file, struct textbuf *tb,
		    struct errmsg *err)
{
	struct info_config config = {.fast = o->fast, .count = o->count, .symbols = o->all};
	struct traceinfo_style style = style_of(o);
	struct info info;
	int r = info_init(&info, file, &config, err);

	if (r >= 0) {
		info.facts.why_not_counted =
			o->fast ? "--fast" : "more than 4 GiB, --count does it";
		if (o->json)
			traceinfo_fmt_json(&info.facts, &style, tb);
		else
			traceinfo_fmt_text(&info.facts, &style, tb);
		if (tb->overflow)
			r = errmsg_set(err, -EFBIG, "%s has more to tell than fits; use -n",
				       file->tf->path);
	}
	info_release(&info);
	return r;
}

/* 0, 1 if something is damaged, or negative. */
static int show_file(const struct info_options *o, const char *path, bool first, struct output *out,
		     struct errmsg *err)
{
	struct inputs_spec spec = INPUTS_ONE(path);
	struct inputs in = {0};
	struct textbuf tb;
	int r = inputs_open(&in, &spec, err);

	textbuf_init(&tb, TEXT_MAX_BYTES);
	if (!first && !o->json)
		textbuf_add_char(&tb, '\n');
	if (r >= 0)
		r = describe(o, &in.files[0], &tb, err);
	if (r >= 0)
		r = output_write(out, tb.start, textbuf_len(&tb));
	if (r >= 0)
		r = notes_print_damage(&in, false);
	textbuf_release(&tb);
	inputs_close(&in);
	return r;
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

	if (n < 0)
		return n;
	if (o.n_rows < DEFAULT_ROWS)
		return errmsg_set(err, -EINVAL, "info: -n needs a number from 0 on, not %lld",
				  o.n_rows);
	if (o.fast && o.count)
		return errmsg_set(err, -EINVAL, "info: --fast and --count exclude each other");
	r = output_open(&out, "never", false, err);
	if (r < 0)
		return r;
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

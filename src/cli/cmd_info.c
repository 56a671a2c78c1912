// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd_info.c - `sonde info`: what is in a trace file, for a person.
 *
 * Everything but the counts stands in the file's directory and costs some milliseconds (most of it
 * unpacking texts). Counting walks all events, on all cores; from BIG_BYTES on that takes seconds
 * and is left out unless --count asks for it. A file that cannot be opened does not keep the others
 * from being shown.
 */
#include "cli/command.h"
#include "inputs/info/info.h"
#include "cli/output.h"
#include "present/traceinfo.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define DEFAULT_ROWS	(-1)
#define BIG_BYTES	(4ull << 30)
#define TEXT_MAX_BYTES	(256u << 20)
#define ARENA_MAX_BYTES (128u << 20)

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

static bool is_big(const struct tracefile *tf)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < tf->n_buffers; i++)
		for (size_t k = 0; k < tf->buffers[i].n_cpus; k++)
			sum += tf->buffers[i].cpus[k].n_bytes;
	return sum > BIG_BYTES;
}

/* The file is open: counts, gathers, and puts the text into tb. */
static int describe(const struct info_options *o, struct tracefile *tf, struct textbuf *tb,
		    struct errmsg *err)
{
	struct formats_config config = {0};
	struct traceinfo_style style = style_of(o);
	struct info_counts counts = {0};
	struct formats *f = NULL;
	struct tasks tasks = {0};
	struct traceinfo info;
	struct arena arena;
	bool fast = o->fast || (is_big(tf) && !o->count);
	int r = formats_new(&f, tf, &config, err);

	arena_init(&arena, ARENA_MAX_BYTES);
	if (r >= 0 && tasks_init(&tasks, tracefile_text(tf, TRACEFILE_CMDLINES)) < 0)
		r = errmsg_set_errno(err, -ENOMEM, "cannot read the command lines of %s", tf->path);
	tasks_set_processes(&tasks, f ? f->processes : NULL);
	if (r >= 0)
		r = fast ? info_edges(&counts, tf, f, err) : info_count(&counts, tf, f, err);
	if (r >= 0)
		r = info_gather(&info, tf, f, &tasks, &counts, o->all, &arena, err);
	if (r >= 0) {
		info.why_not_counted = o->fast ? "--fast" : "more than 4 GiB, --count does it";
		if (o->json)
			traceinfo_fmt_json(&info, &style, tb);
		else
			traceinfo_fmt_text(&info, &style, tb);
		if (tb->overflow)
			r = errmsg_set(err, -EFBIG, "%s has more to tell than fits; use -n",
				       tf->path);
	}
	info_counts_release(&counts);
	tasks_release(&tasks);
	formats_free(f);
	arena_release(&arena);
	return r < 0 ? r : 0;
}

/* 0, 1 if something is damaged, or negative. */
static int show_file(const struct info_options *o, const char *path, bool first, struct output *out,
		     struct errmsg *err)
{
	struct tracefile *tf;
	struct textbuf tb;
	int r = tracefile_open(&tf, path, err);

	if (r < 0)
		return r;
	textbuf_init(&tb, TEXT_MAX_BYTES);
	if (!first && !o->json)
		textbuf_add_char(&tb, '\n');
	r = describe(o, tf, &tb, err);
	if (r >= 0)
		r = output_write(out, tb.start, textbuf_len(&tb));
	for (size_t i = 0; r >= 0 && i < tf->n_damage; i++)
		fprintf(stderr, "sonde: %s\n", tf->damage[i]);
	if (r >= 0)
		r = tf->n_damage ? 1 : 0;
	textbuf_release(&tb);
	tracefile_close(tf);
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

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd_flame.c - `sonde flame`: draws the calls of a trace, or the changes between two traces, as a
 * flame graph.
 *
 *	graphing_read ──▶ callgraph_sort or callgraph_compare ──▶ flamesvg
 *	              └─▶ graphtext, with --folded
 *
 * The picture's script is one of the viewer's files in the program (web/flamesvg.js).
 */
#include "analyse/calls/callgraph.h"
#include "base/array.h"
#include "base/scope.h"
#include "base/textbuf.h"
#include "cli/calls/graphing.h"
#include "cli/command.h"
#include "cli/samples/heatmap.h"
#include "base/errmsg.h"
#include "present/calls/flamesvg.h"
#include "present/calls/graphtext.h"
#include "view/assets.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define TEXT_MAX_BYTES (2000u << 20)
#define WIDTH	       1200

struct flame_options {
	struct call_options calls; /* must be the first member */
	const char *diff, *title;
	long long width;
	bool html, heatmap, folded;
};

#define AT(field)	  offsetof(struct flame_options, field)
#define SAMPLES_AT(field) offsetof(struct flame_options, calls.samples.field)

static const struct option_row rows[] = {
	CALLOPTS_ROWS_FILTER,
	SAMPLEOPTS_ROWS(SAMPLES_AT),
	ROW_HEADING("the picture"),
	ROW_STRING('o', "output", "FILE",
		   "write the picture to this file (default, or -: standard output)",
		   CALLOPTS_AT(output), .complete = "file"),
	ROW_STRING(0, "diff", "OTHER",
		   "show what takes longer (red) or less (blue) in OTHER than in FILE", AT(diff),
		   .complete = "file"),
	ROW_STRING(0, "title", "TEXT", "title of the picture (default: the name of the file)",
		   AT(title)),
	ROW_NUMBER(0, "width", "PIXELS", "width of the picture (default: 1200)", AT(width)),
	ROW_FLAG(0, "html",
		 "write a page instead of an SVG file (default if FILE of -o ends in .html)",
		 AT(html)),
	ROW_FLAG(
		0, "heatmap",
		"of samples: draw a column for each second and a cell for each 20 ms; a page has a "
		"flame graph of the range that one picks",
		AT(heatmap)),
	ROW_FLAG(0, "folded", "write folded stacks instead of a picture", AT(folded)),
	ROW_FLAG('q', "quiet", "print no warnings", CALLOPTS_AT(quiet)),
	ROW_END,
};

static const struct asset *find_script(const char *name)
{
	const struct asset *a = assets;

	while (a->name && strcmp(a->name, name) != 0)
		a++;
	return a->name ? a : NULL;
}

static void fmt_svg(const struct flame_options *o, const struct flamesvg_view *v,
		    struct textbuf *tb)
{
	if (o->html)
		textbuf_add_str(tb, "<!DOCTYPE html>\n<html lang=\"en\"><head><meta "
				    "charset=\"utf-8\"><title>flame graph</title></head><body>\n");
	flamesvg_fmt(v, tb);
	if (o->html)
		textbuf_add_str(tb, "</body></html>\n");
}

static int check_calls(const struct flame_options *o, const struct graphing *g, struct errmsg *err)
{
	if (callgraph_root(g->graph)->child)
		return 0;
	if (o->calls.samples.off_cpu || o->calls.samples.wakeup)
		return errmsg_set(err, -ENODATA,
				  "%s has no stacks of tasks that wait or wake others; record them "
				  "with 'sonde sched record -g'",
				  o->calls.input);
	return errmsg_set(err, -ENODATA,
			  g->of_samples ? "there are no samples to draw in %s"
					: "there are no calls to draw in %s",
			  o->calls.input);
}

static int draw(const struct flame_options *o, struct graphing *g, struct graphing *other,
		struct textbuf *tb, struct errmsg *err)
{
	const struct asset *script = find_script("flamesvg.js");
	struct flamesvg_view v = {.graph = g->graph,
				  .title = o->title,
				  .in_time = g->in_time,
				  .is_diff = o->diff,
				  .width = (unsigned)o->width,
				  .script = script ? (const char *)script->data : "",
				  .script_len = script ? script->n_bytes : 0};
	char title[512];

	if (o->diff && callgraph_compare(g->graph, other->graph) < 0)
		return errmsg_set_errno(err, -ENOMEM, "cannot compare the traces");
	if (!o->diff)
		callgraph_sort(g->graph);
	TRY(check_calls(o, g, err));
	snprintf(title, sizeof(title), "%.200s%s%.200s", basename(o->calls.input),
		 o->diff ? " → " : "", o->diff ? basename(o->diff) : "");
	if (!v.title)
		v.title = title;
	fmt_svg(o, &v, tb);
	return 0;
}

static int heatmap(const struct flame_options *o, struct errmsg *err)
{
	const struct asset *script = find_script("heatpage.js");
	struct heatmap h = {.calls = &o->calls,
			    .title = o->title,
			    .html = o->html,
			    .script = script ? (const char *)script->data : "",
			    .script_len = script ? script->n_bytes : 0};

	return heatmap_run(&h, err);
}

static int fold(const struct flame_options *o, struct graphing *g, struct textbuf *tb,
		struct errmsg *err)
{
	struct graph_view v = {.graph = g->graph, .file = o->calls.input, .in_time = g->in_time};

	TRY(check_calls(o, g, err));
	graphtext_fmt_folded(&v, tb);
	return 0;
}

static int flame(const struct flame_options *o, struct errmsg *err)
{
	SCOPED(graphing_release) struct graphing g = {0}, other = {0};
	TEXTBUF(tb, TEXT_MAX_BYTES);
	int r;

	TRY(graphing_read(&g, &o->calls, o->calls.input, err));
	if (o->diff)
		TRY(graphing_read(&other, &o->calls, o->diff, err));
	r = o->folded ? fold(o, &g, &tb, err) : draw(o, &g, &other, &tb, err);
	if (r == -ENODATA && g.of_samples) /* why there are none, if the file is damaged */
		graphing_finish(&g, &o->calls);
	TRY(r);
	TRY(callopts_print(&o->calls, &tb, err));
	return graphing_finish(&g, &o->calls);
}

static bool ends_in(const char *path, const char *end)
{
	size_t len = path ? strlen(path) : 0, n = strlen(end);

	return len >= n && !strcmp(path + len - n, end);
}

/* Options of the picture have no effect on folded stacks, and those of calls none on a heat map. */
static int refuse(const struct flame_options *o, struct errmsg *err)
{
	const struct call_options *c = &o->calls;
	const struct {
		bool is_given, of_folded, of_heatmap;
		const char *name;
	} list[] = {
		{o->diff, false, false, "--diff"},
		{o->heatmap, false, true, "--heatmap"},
		{o->title, false, true, "--title"},
		{o->html, false, true, "--html"},
		{o->width != WIDTH, false, false, "--width"},
		{c->n_words, true, false, "-F, -N, -C or -H"},
		{c->match, true, false, "--match"},
		{c->depth, true, false, "-D"},
		{c->min_time, true, false, "-t"},
		{c->no_kernel, true, false, "--no-kernel"},
		{c->kernel_only, true, false, "--kernel-only"},
		{c->kernel_full, true, false, "--kernel-full"},
		{c->samples.calls, true, false, "--calls"},
	};

	for (size_t i = 0; i < ARRAY_LEN(list); i++)
		if (list[i].is_given &&
		    ((o->folded && !list[i].of_folded) || (o->heatmap && !list[i].of_heatmap)))
			return errmsg_set(err, -EINVAL, "%s has no effect on %s; omit one of them",
					  list[i].name, o->folded ? "--folded" : "--heatmap");
	return 0;
}

static int run(const struct command *cmd, int argc, char **argv, struct errmsg *err)
{
	struct flame_options o = {.width = WIDTH, .calls.no_pager = true};
	int n = command_parse(cmd, &o, argc, argv, err);

	TRY(n);
	if (n > 1)
		return errmsg_set(err, -EINVAL,
				  "flame draws one file, not '%s' and '%s'; --diff OTHER "
				  "compares two",
				  argv[1], argv[2]);
	if (n == 1)
		o.calls.input = argv[1];
	if (!o.calls.input)
		o.calls.input = "trace.dat";
	TRY(refuse(&o, err));
	if (o.width < FLAMESVG_WIDTH_MIN || o.width > FLAMESVG_WIDTH_MAX)
		return errmsg_set(err, -EINVAL, "--width is a number from %d to %d",
				  FLAMESVG_WIDTH_MIN, FLAMESVG_WIDTH_MAX);
	o.html |= ends_in(o.calls.output, ".html");
	TRY(callopts_settle(&o.calls, err));
	if (!o.folded && !o.calls.output && isatty(STDOUT_FILENO))
		return errmsg_set(err, -EINVAL,
				  "a picture is not for a terminal: name a file with -o");
	return o.heatmap ? heatmap(&o, err) : flame(&o, err);
}

const struct command cmd_flame = {
	.name = "flame",
	.summary = "draw samples or calls of functions as a flame graph",
	.usage = "[options] [FILE]",
	.options = rows,
	.args = "file",
	.run = run,
};

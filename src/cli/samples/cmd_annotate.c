// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd_annotate.c - `sonde annotate`: prints the instructions and source lines of a function with
 * the samples that were taken there.
 *
 *	sampleread_open ─▶ annotations_init ─▶ codelines_read ─▶ present/samples/annotatetext
 *
 * The words of the command line are FUNCTION and FILE; FILE is trace.dat if it is not said.
 */
#include "analyse/samples/annotation.h"
#include "analyse/samples/sampleset.h"
#include "base/errmsg.h"
#include "base/json/jsonwriter.h"
#include "base/scope.h"
#include "base/textbuf.h"
#include "cli/calls/callopts.h"
#include "cli/command.h"
#include "inputs/samples/codelines.h"
#include "inputs/samples/sampleread.h"
#include "present/samples/annotatetext.h"

#include <errno.h>

#define TEXT_MAX_BYTES (256u << 20)

struct annotate_options {
	struct call_options calls; /* must be the first member */
	const char *function;
	bool only_hot, no_sources;
};

#define AT(field)	  offsetof(struct annotate_options, field)
#define SAMPLES_AT(field) offsetof(struct annotate_options, calls.samples.field)

static const struct option_row rows[] = {
	ROW_HEADING("which samples"),
	ROW_STRING('i', "input", "FILE", "read this file (default: trace.dat)", CALLOPTS_AT(input),
		   .complete = "file"),
	ROW_STRING('e', "event", "EVENT", "use samples of this event", SAMPLES_AT(event)),
	ROW_STRING(0, "from", "TIME",
		   "start at this time, as report shows it, or +1.5s after the first event",
		   CALLOPTS_AT(from)),
	ROW_STRING(0, "to", "TIME", "stop at this time", CALLOPTS_AT(to)),
	ROW_CALL(0, "tid", "TID,…", "use samples of these tasks", callopts_tid),
	ROW_STRING(0, "comm", "GLOB", "use samples of tasks with this name", SAMPLES_AT(comm)),
	ROW_STRING(0, "cpu", "N,…", "use samples of these CPUs: 0,2-3", SAMPLES_AT(cpu_words)),
	ROW_HEADING("the result"),
	ROW_FLAG(0, "hot", "show only instructions with samples", AT(only_hot)),
	ROW_FLAG(0, "no-source", "show only instructions, without source lines", AT(no_sources)),
	ROW_FLAG(0, "json", "print one JSON object", CALLOPTS_AT(json)),
	CALLOPTS_ROWS_RESULT,
	ROW_END,
};

static int fmt_one(const struct annotate_options *o, const struct sampleread *r,
		   const struct annotations *all, size_t i, struct jsonwriter *w,
		   struct textbuf *tb, struct errmsg *err)
{
	SCOPED(codelines_release) struct codelines code = {0};
	struct annotate_view v = {.annotation = &all->list[i],
				  .code = &code,
				  .weight_all = all->weight_all,
				  .event = r->event ? r->event : "all events",
				  .in_time = r->in_time,
				  .only_hot = o->only_hot,
				  .no_sources = o->no_sources};

	TRY(callopts_find_colour(&o->calls, &v.colour, err));
	if (codelines_read(&code, v.annotation, &r->info) < 0)
		return errmsg_set_errno(err, -ENOMEM, "cannot annotate the function");
	if (o->calls.json) {
		annotatetext_add_json(&v, w);
		return 0;
	}
	if (i)
		textbuf_add_char(tb, '\n');
	annotatetext_fmt(&v, tb);
	return 0;
}

static int fmt(const struct annotate_options *o, const struct sampleread *r, struct textbuf *tb,
	       struct errmsg *err)
{
	SCOPED(annotations_release) struct annotations all = {0};
	struct jsonwriter w;
	int e = annotations_init(&all, r->set, r->names, o->function);

	if (e == -ENOENT && annotations_only_calls(r->set, r->names, o->function))
		return errmsg_set(err, e,
				  "no sample of %s is in '%s' itself, only in functions that it "
				  "calls",
				  o->calls.input, o->function);
	if (e == -ENOENT)
		return errmsg_set(err, e,
				  "no sample of %s is in '%s'; 'sonde functions' lists functions",
				  o->calls.input, o->function);
	if (e < 0)
		return errmsg_set_errno(err, e, "cannot annotate the function");
	jsonwriter_init(&w, tb);
	if (o->calls.json) {
		jsonwriter_open(&w, NULL, '{');
		jsonwriter_open(&w, "functions", '[');
	}
	for (size_t i = 0; i < all.n; i++)
		TRY(fmt_one(o, r, &all, i, &w, tb, err));
	if (o->calls.json) {
		jsonwriter_close(&w);
		jsonwriter_close(&w);
		textbuf_add_char(tb, '\n');
	}
	return 0;
}

static int annotate(struct annotate_options *o, struct errmsg *err)
{
	SCOPED(sampleread_close) struct sampleread r = {0};
	struct sampleread_spec spec = sampleopts_spec(&o->calls.samples, o->calls.input);
	TEXTBUF(tb, TEXT_MAX_BYTES);

	spec.from = o->calls.from;
	spec.to = o->calls.to;
	spec.tids = o->calls.tids;
	spec.n_tids = o->calls.n_tids;
	spec.one_event = true;
	spec.inlines = false;
	TRY(sampleread_open(&r, &spec, err));
	if (r.config.source != SAMPLES_TAKEN || !r.in.n_files)
		return errmsg_set(err, -ENODATA, "%s has no samples; record them with --sample",
				  o->calls.input);
	TRY(fmt(o, &r, &tb, err));
	TRY(callopts_print(&o->calls, &tb, err));
	return sampleopts_finish(&r, &o->calls.samples, o->calls.quiet);
}

static int run(const struct command *cmd, int argc, char **argv, struct errmsg *err)
{
	struct annotate_options o = {.function = NULL};
	int n = command_parse(cmd, &o, argc, argv, err);

	TRY(n);
	if (n < 1 || n > 2 || (n == 2 && o.calls.input))
		return errmsg_set(err, -EINVAL,
				  "annotate takes a function and a file; 'sonde functions' lists "
				  "functions");
	o.function = argv[1];
	if (n == 2)
		o.calls.input = argv[2];
	if (!o.calls.input)
		o.calls.input = "trace.dat";
	TRY(callopts_settle(&o.calls, err));
	return annotate(&o, err);
}

const struct command cmd_annotate = {
	.name = "annotate",
	.summary = "show instructions and source lines of a function with their samples",
	.usage = "[options] FUNCTION [FILE]",
	.options = rows,
	.args = "file",
	.run = run,
};

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd_report.c - `sonde report`: opens the inputs, and prints a list of facts, a profile, or the
 * events.
 *
 *	report/options.c ─▶ inputs_open ─┬─ filelists_emit (present/filelists.h)
 *	                                 ├─ linerun (present/linerun.h): lines of events
 *	                                 └─ report/profile.c: --profile
 *
 * The options are those of trace-cmd report, and additional ones at the end.
 */
#include "base/scope.h"
#include "base/shortage.h"
#include "cli/command.h"
#include "cli/screen/notes.h"
#include "cli/screen/output.h"
#include "cli/report/report.h"
#include "decode/filter/filter.h"
#include "inputs/inputs.h"
#include "present/linerun.h"

#include <errno.h>
#include <stdio.h>

/* Prints how the filters were understood (report -T). */
static void print_filters(const struct inputs *in)
{
	TEXTBUF(tb, 64 << 20);

	for (size_t i = 0; i < in->n_files; i++) {
		const struct inputs_file *f = &in->files[i];

		for (size_t k = 0; k < f->n_filters + f->n_rejects; k++) {
			filter_fmt(f->all_filters[k], &tb);
			fwrite(tb.start, 1, textbuf_len(&tb), stdout);
			textbuf_clear(&tb);
		}
	}
}

static int filter(struct report *rep, bool *ret_any, struct errmsg *err)
{
	int r = inputs_filter(&rep->in, ret_any, err);

	notes_print_filters(&rep->in, rep->opts->quiet);
	if (rep->opts->test_filters)
		print_filters(&rep->in);
	return r;
}

static void put(void *ctx, const char *text, size_t len)
{
	fwrite(text, 1, len, stdout);
}

static void print_versions(const struct report *rep, size_t n)
{
	for (size_t i = 0; i < n && rep->opts->verbose; i++)
		printf("version = %d\n", rep->in.files[i].tf->version);
}

/* Prints a list (-f -P -E --events …). Returns 1 if one was requested and printed, else 0. */
static int list(struct report *rep, struct errmsg *err)
{
	const struct report_options *o = rep->opts;
	enum filelists_of of = filelists_find(&o->list);
	bool any_filter;

	if (of == FILELISTS_NONE)
		return 0;
	if (of != FILELISTS_OF_CPUS)
		print_versions(rep, of == FILELISTS_OF_FIRST ? 1 : rep->in.n_files);
	if (of == FILELISTS_OF_ALL) {
		TRY(filter(rep, &any_filter, err));
		if (o->test_filters && any_filter)
			return 1;
	}
	TRY(filelists_emit(&o->list, &rep->in, put, NULL, err));
	return 1;
}

/* --- events ----------------------------------------------------------------------------------- */

static int sink_write(void *ctx, const char *text, size_t len)
{
	return output_write(ctx, text, len);
}

static bool sink_is_closed(void *ctx)
{
	return output_is_closed(ctx);
}

static void sink_progress(void *ctx, float part)
{
	output_progress(ctx, part);
}

static void note_backwards(void *ctx, uint32_t cpu, uint64_t from, uint64_t to)
{
	fprintf(stderr, "sonde: time went backwards on CPU %u: %llu to %llu, by %llu\n", cpu,
		(unsigned long long)from, (unsigned long long)to, (unsigned long long)(from - to));
}

static int print_lines(struct report *rep, const struct inputs_sources *src,
		       const struct lines *lines, struct output *out, struct errmsg *err)
{
	const struct report_options *o = rep->opts;
	struct linerun_spec spec = {.show = &o->show,
				    .colour = out->colour,
				    .verbose = o->verbose,
				    .check_times = o->ts_check};
	struct linerun_sink sink = {out, sink_write, sink_is_closed, sink_progress, note_backwards};

	if (!o->profile || (o->profiling.peer_text && inputs_find_text(&rep->in)))
		return linerun(&spec, src, lines, &sink, err);
	if (shortage_check(err, "cannot report") < 0)
		return errmsg_code(err);
	return report_profile(rep, src, lines, out, err);
}

static int print_sources(struct report *rep, struct output *out, struct errmsg *err)
{
	const struct report_options *o = rep->opts;
	struct sequence_config sc = lines_sequence_config(&o->in, &o->show);
	SCOPED(inputs_sources_release) struct inputs_sources src = {0};
	SCOPED(lines_release) struct lines lines = {0};

	sc.raw |= o->profile;
	sc.all_names |= o->profile && !o->profiling.peer_text;
	if (inputs_sources_init(&src, &rep->in, &sc, err) < 0 ||
	    lines_init(&lines, &src, o->show.syscall_names || o->profile, err) < 0 ||
	    inputs_sources_set_range(&src, err) < 0)
		return errmsg_code(err);
	return print_lines(rep, &src, &lines, out, err);
}

static int print_events(struct report *rep, struct errmsg *err)
{
	const struct report_options *o = rep->opts;
	struct output out;
	bool any_filter;
	int r;

	TRY(filter(rep, &any_filter, err));
	if (o->test_filters && any_filter)
		return 0;
	TRY(inputs_gather_names(&rep->in, err));
	TRY(output_open(&out, o->colour, o->no_pager, err));
	r = print_sources(rep, &out, err);
	output_close(&out);
	return r < 0 && r != -EPIPE ? errmsg_set_errno(err, r, "cannot write the report") : r;
}

/* --- the command ------------------------------------------------------------------------------ */

static int list_or_print(struct report *rep, struct errmsg *err)
{
	int r = list(rep, err);

	if (!r && rep->opts->show.as == LINES_TEXT)
		print_versions(rep, rep->in.n_files);
	fflush(stdout);
	TRY(r);
	return r ? 0 : print_events(rep, err);
}

static void report_release(struct report *rep)
{
	inputs_close(&rep->in);
}

static int report(struct report_options *o, struct errmsg *err)
{
	SCOPED(report_release) struct report rep = {.opts = o};
	int r;

	TRY(inputs_open(&rep.in, &o->in, err));
	r = list_or_print(&rep, err);
	TRY(r);
	fflush(stdout);
	return notes_print_damage(&rep.in, o->quiet) && !r ? 1 : r;
}

static void tell(const char *sentence)
{
	fprintf(stderr, "sonde: %s\n", sentence);
}

static int run(const struct command *cmd, int argc, char **argv, struct errmsg *err)
{
	SCOPED(report_options_release) struct report_options o = {0};
	int n = command_parse(cmd, &o, argc, argv, err);

	TRY(n);
	for (int i = 1; i <= n; i++)
		TRY(report_add_input(&o, argv[i], err));
	if (!o.in.n_paths)
		TRY(report_add_input(&o, "trace.dat", err));
	TRY(report_check_options(&o, err));
	if (o.show.wakeup && o.in.n_paths > 1)
		return errmsg_set(err, -EINVAL, "report: -w works on one input file only");
	o.profiling.as = o.show.as;
	o.profiling.tell = o.quiet ? NULL : tell;
	o.profiling.verbose = o.list.verbose = o.verbose;
	return report(&o, err);
}

const struct command cmd_report = {
	.name = "report",
	.summary = "print the events of a trace file",
	.usage = "[options] [FILE…]",
	.options = report_rows,
	.args = "file",
	.run = run,
};

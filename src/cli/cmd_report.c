// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd_report.c - `sonde report`: opens the inputs, and prints a list of facts, a profile, or the events.
 *
 *	report_options.c ─▶ inputs_open ─┬─ filelists_emit (present/filelists.h)
 *	                                 └─ report_run.c: lines of events, or --profile
 *
 * The options are those of trace-cmd report, with what it lacks added at the end.
 */
#include "cli/command.h"
#include "cli/notes.h"
#include "cli/report.h"

#include <errno.h>
#include <stdio.h>

/* report -T: how the filters were understood. */
static void print_filters(const struct inputs *in)
{
	struct textbuf tb;

	textbuf_init(&tb, 64 << 20);
	for (size_t i = 0; i < in->n_files; i++) {
		const struct inputs_file *f = &in->files[i];

		for (size_t k = 0; k < f->n_filters + f->n_rejects; k++) {
			filter_fmt(f->all_filters[k], &tb);
			fwrite(tb.start, 1, textbuf_len(&tb), stdout);
			textbuf_clear(&tb);
		}
	}
	textbuf_release(&tb);
}

int report_filter(struct report *rep, bool *ret_any, struct errmsg *err)
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

/* -f -P -E --events … : 1 if one was asked for and printed, 0 if none was. */
static int list(struct report *rep, struct errmsg *err)
{
	const struct report_options *o = rep->opts;
	enum filelists_of of = filelists_find(&o->list);
	bool any_filter;
	int r = 0;

	if (of == FILELISTS_NONE)
		return 0;
	if (of != FILELISTS_OF_CPUS)
		print_versions(rep, of == FILELISTS_OF_FIRST ? 1 : rep->in.n_files);
	if (of == FILELISTS_OF_ALL) {
		r = report_filter(rep, &any_filter, err);
		if (r >= 0 && o->test_filters && any_filter)
			return 1;
	}
	if (r >= 0)
		r = filelists_emit(&o->list, &rep->in, put, NULL, err);
	return r < 0 ? r : 1;
}

static int report(struct report_options *o, struct errmsg *err)
{
	struct report rep = {.opts = o};
	int r = inputs_open(&rep.in, &o->in, err);

	if (!r)
		r = list(&rep, err);
	if (!r && o->show.as == LINES_TEXT)
		print_versions(&rep, rep.in.n_files);
	fflush(stdout);
	if (!r)
		r = report_run(&rep, err);
	else if (r == 1)
		r = 0;
	if (r >= 0) {
		fflush(stdout);
		if (notes_print_damage(&rep.in, o->quiet) && !r)
			r = 1;
	}
	inputs_close(&rep.in);
	return r;
}

static void tell(const char *sentence)
{
	fprintf(stderr, "sonde: %s\n", sentence);
}

static int run(const struct command *cmd, int argc, char **argv, struct errmsg *err)
{
	struct report_options o = {0};
	int n = command_parse(cmd, &o, argc, argv, err), r = n < 0 ? n : 0;

	for (int i = 1; r >= 0 && i <= n; i++)
		r = report_add_input(&o, argv[i], err);
	if (r >= 0 && !o.in.n_paths)
		r = report_add_input(&o, "trace.dat", err);
	if (r >= 0)
		r = report_check_options(&o, err);
	if (r >= 0 && o.show.wakeup && o.in.n_paths > 1)
		r = errmsg_set(err, -EINVAL, "report: -w works on one input file only");
	o.profiling.as = o.show.as;
	o.profiling.tell = o.quiet ? NULL : tell;
	o.profiling.verbose = o.list.verbose = o.verbose;
	if (r >= 0)
		r = report(&o, err);
	report_options_release(&o);
	return r;
}

const struct command cmd_report = {
	.name = "report",
	.summary = "print the events of a trace file",
	.usage = "[options] [FILE…]",
	.options = report_rows,
	.args = "file",
	.run = run,
};

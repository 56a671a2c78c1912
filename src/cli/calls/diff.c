// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * diff.c - `sonde diff`: what got slower or more frequent between two recordings.
 *
 *	callrun_open ──▶ observer ──▶ measures ─╮
 *	                                        ├─▶ compare ──▶ difftext
 *	callrun_open ──▶ observer ──▶ measures ─╯
 */
#include "analyse/compare/compare.h"
#include "analyse/compare/observer.h"
#include "base/errmsg.h"
#include "base/scope.h"
#include "cli/calls/callopts.h"
#include "cli/command.h"
#include "decode/record.h"
#include "decode/samples/sampleinfo.h"
#include "inputs/taskwalk.h"
#include "present/compare/difftext.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_MAX_BYTES (256u << 20)
#define DEFAULT_ROWS   50
#define DEFAULT_CHANGE 3 /* per cent */
#define DEFAULT_CHANCE 1 /* per cent */

struct diff_options {
	struct call_options calls; /* must be the first member */
	const char *only, *min, *chance;
	long long n_rows;
	bool all, csv;
	struct compare_config config;
};

/* One of the two recordings. */
struct recorded {
	struct callrun run;
	struct sampleinfo samples;
	struct observer *observer;
};

#define AT(field) offsetof(struct diff_options, field)

static const struct option_row rows[] = {
	ROW_HEADING("what is compared"),
	ROW_STRING(0, "only", "KIND,…",
		   "compare only these: function, kernel-function, syscall, wakeup, blocked, lock, "
		   "disk, irq, softirq, runtime, samples",
		   AT(only)),
	CALLOPTS_ROWS_FILTER,
	ROW_HEADING("what is shown"),
	ROW_STRING(0, "min", "PERCENT", "show changes of at least this much (default: 3)", AT(min)),
	ROW_STRING(0, "chance", "PERCENT",
		   "show differences that are chance with at most this probability (default: 1)",
		   AT(chance)),
	ROW_FLAG('a', "all", "show differences that may be chance, too", AT(all)),
	ROW_NUMBER('n', "rows", "N", "show at most N rows (default: 50; 0: all)", AT(n_rows)),
	ROW_FLAG(0, "json", "print one JSON object with all numbers", CALLOPTS_AT(json)),
	ROW_FLAG(0, "csv", "print comma-separated values with a header line", AT(csv)),
	CALLOPTS_ROWS_RESULT,
	ROW_END,
};

static int parse_percent(const char *option, const char *text, double *ret, struct errmsg *err)
{
	char *end;
	double v = strtod(text, &end);

	if (*end == '%')
		end++;
	if (end == text || *end || !(v >= 0 && v <= 1000))
		return errmsg_set(err, -EINVAL, "%s takes a percentage, not '%s'", option, text);
	*ret = v / 100;
	return 0;
}

static int parse_kinds(struct diff_options *o, struct errmsg *err)
{
	for (const char *p = o->only; p && *p;) {
		size_t len = strcspn(p, ",");
		uint32_t kind = diff_find_kind(p, len);
		TEXTBUF(names, 4096);

		diff_fmt_kinds(&names);
		if (!kind)
			return errmsg_set(err, -EINVAL, "--only knows %s, not '%.*s'",
					  textbuf_text(&names), (int)len, p);
		o->config.kinds |= kind;
		p += len + (p[len] == ',');
	}
	return 0;
}

static int check(struct diff_options *o, struct errmsg *err)
{
	o->config = (struct compare_config){.min_change = DEFAULT_CHANGE / 100.,
					    .max_chance = DEFAULT_CHANCE / 100.,
					    .all = o->all};
	if (o->min)
		TRY(parse_percent("--min", o->min, &o->config.min_change, err));
	if (o->chance)
		TRY(parse_percent("--chance", o->chance, &o->config.max_chance, err));
	if (o->n_rows < 0)
		return errmsg_set(err, -EINVAL, "-n takes a number of rows");
	if (o->calls.json && o->csv)
		return errmsg_set(err, -EINVAL, "--json and --csv exclude each other");
	TRY(parse_kinds(o, err));
	return callopts_settle(&o->calls, err);
}

static void visit(void *ctx, const struct record *rec)
{
	observer_add(ctx, rec);
}

static int observe(struct recorded *rec, const struct diff_options *o, const char *path,
		   struct errmsg *err)
{
	struct taskwalk_spec spec = {.visit = visit, .run = observer_run};
	struct observer_config config = {.tids = o->calls.tids, .n_tids = o->calls.n_tids};
	uint64_t from, to;

	TRY(callrun_open(&rec->run, &o->calls, path, err));
	if (!taskwalk_find_edges(&rec->run.src, &from, &to))
		return errmsg_set(err, -ENODATA, "there are no events in %s", path);
	if (rec->run.in.files[0].tf && sampleinfo_read(&rec->samples, rec->run.in.files[0].tf) >= 0)
		config.samples = &rec->samples;
	config.filter = rec->run.filter;
	config.is_cut = rec->run.to != 0;
	config.from = config.is_cut && rec->run.from > from ? rec->run.from : from;
	config.to = config.is_cut && rec->run.to < to ? rec->run.to : to;
	TRY(observer_new(&rec->observer, callrun_formats(&rec->run), &config, err));
	spec.ctx = rec->observer;
	TRY(observer_events(rec->observer, &spec.events, &spec.n_events, err));
	TRY(callrun_walk(&rec->run, spec, err));
	observer_finish(rec->observer);
	return 0;
}

static struct diff_side side_of(const struct recorded *rec)
{
	return (struct diff_side){.path = rec->run.path.path,
				  .measures = observer_measures(rec->observer),
				  .n_gaps = observer_n_gaps(rec->observer)};
}

static void recorded_release(struct recorded *rec)
{
	observer_free(rec->observer);
	sampleinfo_release(&rec->samples);
	callrun_close(&rec->run);
}

static int print(struct diff_options *o, struct recorded *a, struct recorded *b,
		 const struct compare *c, struct errmsg *err)
{
	struct diff_view v = {.compare = c,
			      .a = side_of(a),
			      .b = side_of(b),
			      .n_rows = (size_t)o->n_rows,
			      .in_time = a->run.in_time && b->run.in_time,
			      .all = o->all};
	TEXTBUF(tb, TEXT_MAX_BYTES);

	TRY(callopts_find_colour(&o->calls, &v.colour, err));
	if (o->calls.json)
		difftext_fmt_json(&v, &tb);
	else if (o->csv)
		difftext_fmt_csv(&v, &tb);
	else
		difftext_fmt(&v, &tb);
	return callopts_print(&o->calls, &tb, err);
}

static int diff(struct diff_options *o, char **paths, struct errmsg *err)
{
	SCOPED(recorded_release) struct recorded a = {0};
	SCOPED(recorded_release) struct recorded b = {0};
	SCOPED(compare_release) struct compare c = {0};
	int r, status;

	TRY(observe(&a, o, paths[0], err));
	TRY(observe(&b, o, paths[1], err));
	r = compare_init(&c, observer_measures(a.observer), observer_measures(b.observer),
			 &o->config);
	if (r < 0)
		return errmsg_set_errno(err, r, "cannot compare the traces");
	TRY(print(o, &a, &b, &c, err));
	if (!c.n_tested)
		return errmsg_set(
			err, -ENODATA,
			"nothing in %s and %s can be compared: both need %d events of the "
			"same kind and name",
			paths[0], paths[1], COMPARE_N_MIN);
	status = callrun_finish(&a.run, &o->calls);
	r = callrun_finish(&b.run, &o->calls);
	return status ? status : r;
}

static int run(const struct command *cmd, int argc, char **argv, struct errmsg *err)
{
	struct diff_options o = {.n_rows = DEFAULT_ROWS};
	int n = command_parse(cmd, &o, argc, argv, err);

	TRY(n);
	if (n != 2)
		return errmsg_set(err, -EINVAL,
				  "diff compares two traces: sonde diff BEFORE.dat AFTER.dat");
	TRY(check(&o, err));
	return diff(&o, argv + 1, err);
}

const struct command cmd_diff = {
	.name = "diff",
	.summary = "show what got slower or more frequent between two traces",
	.usage = "[options] BEFORE AFTER",
	.options = rows,
	.args = "file",
	.run = run,
};

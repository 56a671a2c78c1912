// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * diff.c - `sonde as perf diff`: the shares of functions in two perf.data files, and their change.
 *
 *	# Baseline  Delta Abs  Shared Object  Symbol
 *	    65.82%     +2.65%  w              [.] spin
 *
 * Functions are compared by name. analyse/perfhists/compare.h pairs them; this file has the options
 * and the table. sonde's own diff (sonde-diff(1)) also says whether a change could be chance.
 */
#include "analyse/perfhists/compare.h"
#include "base/array.h"
#include "base/options.h"
#include "base/scope.h"
#include "base/textbuf.h"
#include "cli/as/perf.h"
#include "cli/as/perf/choice.h"
#include "cli/as/perf_words.h"
#include "cli/screen/output.h"
#include "inputs/perfdata/rows.h"
#include "store/perfdata/perfdata.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define TEXT_MAX_BYTES (256u << 20)

struct options {
	struct perf_choice choice;
	struct perfrows_config rows;
	const char *sort, *compute, *order;
	enum perfcompare_by by;
	bool quiet, unused;
};
#define AT(field) offsetof(struct options, field)

static const struct option_row rows[] = {
	ROW_FLAG('q', "quiet", "Do not show any warnings or messages", AT(quiet)),
	ROW_STRING('c', "compute", "delta,delta-abs,ratio",
		   "Entries differential computation selection", AT(compute)),
	ROW_STRING('s', "sort", "key[,key2...]", "sort by key(s): pid, comm, dso, symbol, cpu",
		   AT(sort)),
	ROW_STRING('o', "order", "order", "Specify compute sorting.", AT(order)),
	ROW_STRING('d', "dsos", "dso[,dso...]", "only consider symbols in these dsos",
		   AT(choice.dsos)),
	ROW_STRING('C', "comms", "comm[,comm...]", "only consider symbols in these comms",
		   AT(choice.comms)),
	ROW_STRING('S', "symbols", "symbol[,symbol...]", "only consider these symbols",
		   AT(choice.symbols)),
	ROW_FLAG('f', "force", "don't complain, do it", AT(unused)),
	ROW_END,
};

static const char *const usage_lines[] = {"perf diff [<options>] [old_file] [new_file]", NULL};
static const struct perf_usage usage = {
	.lines = usage_lines, .rows = rows, .exclusive = "", .has_options_behind = true};

static const struct {
	const char *name, *title;
	int width;
} computes[] = {
	[PERFCOMPARE_DELTA_ABS] = {"delta-abs", "Delta Abs", 9},
	[PERFCOMPARE_DELTA] = {"delta", "Delta", 7},
	[PERFCOMPARE_RATIO] = {"ratio", "Ratio", 14},
};

static int choose(struct options *o, struct errmsg *err)
{
	size_t i = 0;

	TRY(perfrows_parse_keys(&o->rows, o->sort ? o->sort : "dso,symbol", err));
	while (o->compute && i < ARRAY_LEN(computes) && strcmp(computes[i].name, o->compute))
		i++;
	if (i == ARRAY_LEN(computes))
		return errmsg_set(err, -EINVAL,
				  "Failed: '%s' is not computation method (use "
				  "'delta','ratio' or 'wdiff')",
				  o->compute);
	o->by = (enum perfcompare_by)i;
	return 0;
}

/* One of the two files. */
struct side {
	struct perfsession *session;
	struct perfrows *rows;
};

static void release(struct side *s)
{
	perfrows_free(s->rows);
	perfsession_close(s->session);
}

static int read_side(struct options *o, struct side *s, const char *path, struct errmsg *err)
{
	struct perfsample sample;
	int r;

	TRY(perf_open(&s->session, path, err));
	s->rows = perfrows_new(s->session, &o->rows);
	r = s->rows ? 0 : -ENOMEM;
	while (r >= 0 && (r = perfsession_next(s->session, &sample)) > 0)
		if (r == PERFSESSION_SAMPLE)
			r = perfrows_add(s->rows, &sample,
					 perf_choice_takes(&o->choice, s->session, &sample));
	if (r < 0)
		return errmsg_set_errno(err, r, "cannot read samples");
	perfrows_sort(s->rows);
	return 0;
}

/*
 * --- the table ---------------------------------------------------------------------------------
 */

static const char *title_of(enum perfrows_key key)
{
	static const char *const titles[PERFROWS_KEYS] = {
		[PERFROWS_COMM] = "Command", [PERFROWS_DSO] = "Shared Object",
		[PERFROWS_SYM] = "Symbol",   [PERFROWS_PID] = "    Pid:Command",
		[PERFROWS_CPU] = "CPU",
	};

	return titles[key] ? titles[key] : "Value";
}

static const struct perfhists_row *row_of(const struct perfcompare_pair *p)
{
	return p->before ? p->before : p->after;
}

static void add_titles(struct textbuf *tb, const struct options *o, const int *widths)
{
	TEXTBUF(dots, 1u << 16);

	textbuf_addf(tb, "# Baseline  %*s", computes[o->by].width, computes[o->by].title);
	textbuf_add_str(&dots, "# ........  ");
	textbuf_add_fill(&dots, '.', (size_t)computes[o->by].width);
	for (size_t i = 0; i < o->rows.n_columns; i++) {
		textbuf_addf(tb, "  %-*s", widths[i], title_of(o->rows.columns[i].key));
		textbuf_add_str(&dots, "  ");
		textbuf_add_fill(&dots, '.', (size_t)widths[i]);
	}
	textbuf_addf(tb, "\n%s\n#\n", textbuf_text(&dots));
}

static void add_value(struct textbuf *tb, const struct options *o, const struct perfcompare_pair *p)
{
	int width = computes[o->by].width;
	char text[32] = "";

	if (o->by == PERFCOMPARE_RATIO && p->before && p->after)
		snprintf(text, sizeof(text), "%14.6f", p->value);
	else if (o->by == PERFCOMPARE_RATIO)
		snprintf(text, sizeof(text), "%s", p->after ? "N/A" : "");
	else if (p->after)
		snprintf(text, sizeof(text), "%+.2f%%", p->value);
	textbuf_addf(tb, "  %*s", width, text);
}

static void add_table(struct textbuf *tb, const struct options *o, const struct perfcompare *c,
		      const struct perfhists *before)
{
	int widths[PERFHISTS_CELLS_MAX];

	for (size_t i = 0; i < o->rows.n_columns; i++) {
		widths[i] = (int)strlen(title_of(o->rows.columns[i].key));
		for (size_t k = 0; k < c->n; k++)
			if ((int)strlen(row_of(&c->pairs[k])->cells[i].text) > widths[i])
				widths[i] = (int)strlen(row_of(&c->pairs[k])->cells[i].text);
	}
	add_titles(tb, o, widths);
	for (size_t k = 0; k < c->n; k++) {
		const struct perfcompare_pair *p = &c->pairs[k];
		uint64_t all = before ? perfhists_period(before) : 0;

		if (p->before)
			textbuf_addf(tb, "  %7.2f%%",
				     all ? 100.0 * (double)p->before->self / (double)all : 0);
		else
			textbuf_add_str(tb, "          ");
		add_value(tb, o, p);
		for (size_t i = 0; i < o->rows.n_columns; i++)
			textbuf_addf(tb, "  %-*s", i + 1 < o->rows.n_columns ? widths[i] : 0,
				     row_of(p)->cells[i].text);
		textbuf_add_char(tb, '\n');
	}
}

static const struct perfhists *find_table(struct side *s, const char *event)
{
	const struct perfdata *pd = perfsession_data(s->session);

	for (size_t i = 0; i < pd->n_events; i++)
		if (!strcmp(pd->events[i].name, event))
			return perfrows_table(s->rows, i);
	for (size_t i = 0; i < pd->n_events; i++) /* "cycles" and "cycles:ppp" are the same */
		if (pd->events[i].attr.type != PERF_TYPE_TRACEPOINT &&
		    strcspn(pd->events[i].name, ":") == strcspn(event, ":") &&
		    !strncmp(pd->events[i].name, event, strcspn(event, ":")))
			return perfrows_table(s->rows, i);
	return NULL;
}

static int compare(struct options *o, struct side *old, struct side *new, struct textbuf *tb,
		   struct errmsg *err)
{
	const struct perfdata *pd = perfsession_data(old->session);

	for (size_t i = 0; i < pd->n_events; i++) {
		SCOPED(perfcompare_release) struct perfcompare c = {0};
		const struct perfhists *before = perfrows_table(old->rows, i);
		const struct perfhists *after = find_table(new, pd->events[i].name);

		if (perfcompare_init(&c, before, after, o->rows.n_columns, o->by) < 0)
			return errmsg_set_errno(err, -ENOMEM, "cannot compare");
		if (i)
			textbuf_add_char(tb, '\n');
		if (!o->quiet)
			textbuf_addf(tb, "# Event '%s'\n#\n", pd->events[i].name);
		add_table(tb, o, &c, before);
	}
	return 0;
}

static int run(struct options *o, int n, char **argv, struct errmsg *err)
{
	const char *old = n > 1 ? argv[1] : n ? "perf.data" : "perf.data.old";
	const char *new = n > 1 ? argv[2] : n ? argv[1] : "perf.data";
	SCOPED(release) struct side a = {0}, b = {0};
	TEXTBUF(tb, TEXT_MAX_BYTES);

	if (n > 2)
		return errmsg_set(err, -EINVAL, "perf: sonde compares two files, not %d", n);
	TRY(choose(o, err));
	TRY(perf_choice_init(&o->choice, err));
	TRY(read_side(o, &a, old, err));
	TRY(read_side(o, &b, new, err));
	TRY(compare(o, &a, &b, &tb, err));
	return output_print(&tb, "never", false, err);
}

int perf_diff(int argc, char **argv, struct errmsg *err)
{
	SCOPED(perf_words_release) struct perf_words words = {0};
	struct options o = {0};
	int n, r = perf_words_parse(&words, &usage, &o, 0, argc, argv, &n, err);

	if (!r)
		r = run(&o, n, words.argv, err);
	perf_choice_release(&o.choice);
	return r;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * top.c - `perf top --stdio`: perf's options and its plain table.
 *
 *     PerfTop:    3989 irqs/sec  kernel:12.3%  exact:  0.0% lost: 0/0 drop: 0/0 [4000Hz cpu-cloc…
 *  -------------------------------------------------------------------------------
 *
 *	    12.34%  libc.so.6  [.] memcpy
 *
 * The full screen of perf (--tui) is not there; its options are accepted, and the plain table is
 * shown.
 */
#include "base/options.h"
#include "base/scope.h"
#include "base/textbuf.h"
#include "cli/as/perf_words.h"
#include "cli/as/perfcount/perfcount.h"
#include "cli/samples/topopts.h"
#include "live/top/toptable.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DEFAULT_RATE "4000"

struct top_options {
	struct topopts top; /* must be the first member */
	bool ignored, children;
	long long n_min;
	const char *ignored_text;
};

static void add_head(const struct topopts *o, const struct toppicture *p, struct textbuf *tb)
{
	long n_cpus = sysconf(_SC_NPROCESSORS_ONLN);

	textbuf_addf(
		tb,
		"   PerfTop:%8.0f irqs/sec  kernel:%4.1f%%  exact:  0.0%% lost: %llu/%llu drop: "
		"%llu/%llu [",
		p->n_a_second, p->kernel_share, (unsigned long long)p->n_lost,
		(unsigned long long)p->n_lost, (unsigned long long)p->n_dropped,
		(unsigned long long)p->n_dropped);
	if (p->rate)
		textbuf_addf(tb, "%lluHz ", (unsigned long long)p->rate);
	textbuf_addf(tb, "%s], ", p->event);
	if (o->samples.n_pids)
		textbuf_addf(tb, " (target_pid: %d", o->samples.pids[0]);
	else if (o->samples.n_tids)
		textbuf_addf(tb, " (target_tid: %d", o->samples.tids[0]);
	else
		textbuf_add_str(tb, " (all");
	if (o->samples.n_cpus)
		textbuf_addf(tb, ", CPU%s: %d)\n", o->samples.n_cpus > 1 ? "s" : "",
			     o->samples.cpus[0]);
	else
		textbuf_addf(tb, ", %ld CPU%s)\n", n_cpus, n_cpus == 1 ? "" : "s");
	textbuf_add_fill(tb, '-', 79);
	textbuf_add_str(tb, "\n\n");
}

static int width_of(const struct toppicture *p, size_t key, size_t n_rows)
{
	size_t width = 0;

	for (size_t i = 0; i < p->rows->n && i < n_rows; i++) {
		size_t len = strlen(p->rows->rows[i].keys[key]);

		width = len > width ? len : width;
	}
	return (int)(width > 60 ? 60 : width);
}

static void add_row(const struct topopts *o, const struct toppicture *p, const struct toprow *row,
		    size_t n_rows, struct textbuf *tb)
{
	double all = p->rows->weight > 0 ? p->rows->weight : 1;

	if (p->config->has_children)
		textbuf_addf(tb, "    %6.2f%%", 100 * row->total / all);
	textbuf_addf(tb, "    %6.2f%%", 100 * row->self / all);
	if (o->shows_n)
		textbuf_addf(tb, "  %12.0f", row->n);
	for (size_t k = 0; k < p->config->n_keys; k++) {
		bool is_last = k + 1 == p->config->n_keys;

		if (p->config->keys[k] == TOPKEY_FUNCTION)
			textbuf_addf(tb, "  [%c] ", row->is_kernel ? 'k' : '.');
		else
			textbuf_add_str(tb, "  ");
		textbuf_addf(tb, "%-*s", is_last ? 0 : width_of(p, k, n_rows), row->keys[k]);
	}
	textbuf_add_char(tb, '\n');
	for (size_t i = 0; i < row->n_chains; i++)
		textbuf_addf(tb, "            |--%.2f%%--%s\n", 100 * row->chains[i].weight / all,
			     row->chains[i].text);
}

static void fmt(const struct topopts *o, const struct toppicture *p, struct textbuf *tb)
{
	const struct top_options *own = (const struct top_options *)o;
	size_t n_rows = topopts_n_rows(o);

	add_head(o, p, tb);
	for (size_t i = 0; i < p->rows->n && i < n_rows; i++) {
		const struct toprow *row = &p->rows->rows[i];

		if (row->n >= (double)own->n_min && row->self + row->total > 0)
			add_row(o, p, row, n_rows, tb);
	}
	textbuf_add_char(tb, '\n');
}

static int apply_percent(void *opts, const char *value, struct errmsg *err)
{
	((struct topopts *)opts)->run.table.min_percent = strtod(value, NULL);
	return 0;
}

static int ignore(void *opts, const char *value, struct errmsg *err)
{
	return 0;
}

/* "max" is the kernel's limit; a higher rate is reduced to it. */
static int apply_freq(void *opts, const char *value, struct errmsg *err)
{
	return topopts_rate(opts, strcmp(value, "max") ? value : "100000", err);
}

/* "fp,graph,0.5": the first word is how stacks are found. */
static int apply_call_graph(void *opts, const char *value, struct errmsg *err)
{
	char mode[32];

	snprintf(mode, sizeof(mode), "%.*s", (int)strcspn(value, ","), value);
	return topopts_stacks(opts, mode, err);
}

#define AT(member) offsetof(struct top_options, member)

static const struct option_row rows[] = {
	ROW_FLAG('a', "all-cpus", "system-wide collection from all CPUs", AT(ignored)),
	ROW_CALL('c', "count", "n", "event period to sample", topopts_period),
	ROW_CALL('C', "cpu", "cpu", "list of cpus to monitor", topopts_cpus),
	ROW_CALL('d', "delay", "n", "number of seconds to delay between refreshes", topopts_delay),
	ROW_NUMBER('E', "entries", "n", "display this many functions", AT(top.n_rows)),
	ROW_CALL('e', "event", "event", "event selector. use 'perf list' to list available events",
		 topopts_event),
	ROW_NUMBER('f', "count-filter", "n", "only display functions with more events than this",
		   AT(n_min)),
	ROW_CALL('F', "freq", "freq or 'max'", "profile at this frequency", apply_freq),
	ROW_CALL('g', NULL, NULL, "enables call-graph recording and display", topopts_graph),
	ROW_FLAG('i', "no-inherit", "child tasks do not inherit counters",
		 AT(top.samples.no_inherit)),
	ROW_FLAG('K', "hide_kernel_symbols", "hide kernel symbols", AT(top.run.table.no_kernel)),
	ROW_CALL('k', "vmlinux", "file", "vmlinux pathname", ignore),
	ROW_CALL('m', "mmap-pages", "pages", "number of mmap data pages", ignore),
	ROW_FLAG('n', "show-nr-samples", "Show a column with the number of samples",
		 AT(top.shows_n)),
	ROW_CALL('p', "pid", "pid", "profile events on existing process id", topopts_pids),
	ROW_CALL('r', "realtime", "n", "collect data with this RT SCHED_FIFO priority", ignore),
	ROW_STRING('s', "sort", "key[,key2...]", "sort by key(s): pid, comm, dso, symbol, cpu",
		   AT(top.keys)),
	ROW_CALL('t', "tid", "tid", "profile events on existing thread id", topopts_tids),
	ROW_FLAG('U', "hide_user_symbols", "hide user symbols", AT(top.run.table.no_user)),
	ROW_CALL('v', "verbose", NULL, "be more verbose", ignore),
	ROW_FLAG('z', "zero", "zero history across updates", AT(top.run.zeroes)),
	ROW_CALL(0, "call-graph", "record_mode[,...]", "setup and enables call-graph",
		 apply_call_graph),
	ROW_FLAG(0, "children", "Accumulate callchains of children", AT(children)),
	ROW_FLAG(0, "no-children", "Do not accumulate callchains of children", AT(top.no_children)),
	ROW_STRING(0, "comms", "comm[,comm...]", "only consider symbols in these comms",
		   AT(top.run.table.comms)),
	ROW_STRING(0, "dsos", "dso[,dso...]", "only consider symbols in these dsos",
		   AT(top.run.table.files)),
	ROW_STRING(0, "symbols", "symbol[,symbol...]", "only consider these symbols",
		   AT(top.run.table.functions)),
	ROW_CALL(0, "max-stack", "n", "Set the maximum stack depth", ignore),
	ROW_CALL(0, "percent-limit", "percent", "Don't show entries under that percent",
		 apply_percent),
	ROW_FLAG(0, "stdio", "Use the stdio interface", AT(ignored)),
	ROW_FLAG(0, "tui", "Use the TUI interface", AT(ignored)),
	ROW_END,
};

static int run(struct top_options *o, struct errmsg *err)
{
	if (!o->top.keys)
		o->top.keys = "dso,symbol";
	if (!o->top.samples.rate && !o->top.samples.period)
		TRY(topopts_rate(o, DEFAULT_RATE, err));
	return topopts_run(&o->top, err);
}

int perf_top(int argc, char **argv, struct errmsg *err)
{
	static const char *const lines[] = {"perf top [<options>]", NULL};
	const struct perf_usage usage = {lines, rows, ""};
	struct top_options o = {.top.fmt = fmt};
	bool help = false;
	int n = options_parse(rows, &o, argc, argv, 0, &help, err), r;

	if (help || n) {
		if (n < 0)
			fprintf(stderr, "  Error: %s\n", err->text);
		perf_usage_print(&usage, NULL, help ? stdout : stderr);
		err->code = n < 0 ? -EPIPE : err->code;
		r = PERF_USAGE;
	} else {
		r = run(&o, err);
	}
	topopts_release(&o.top);
	return r;
}

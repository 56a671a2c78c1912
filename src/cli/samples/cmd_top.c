// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd_top.c - `sonde top`: where the machine spends its time now, again and again.
 *
 *	3 994 samples a second of cpu-clock, 12.3 % in the kernel, none lost
 *
 *	  self   total  samples  function                   file
 *	 12.3%   40.1%      123  memcpy                     libc.so.6
 *	                         80 %  copy <- work <- main
 */
#include "base/options.h"
#include "base/scope.h"
#include "base/textbuf.h"
#include "cli/command.h"
#include "cli/samples/topopts.h"
#include "live/top/toptable.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#define KEY_WIDTH 32

static void add_head(const struct topopts *o, const struct toppicture *p, struct textbuf *tb)
{
	unsigned long long n_lost = p->n_lost + p->n_dropped;

	textbuf_addf(tb, "%.0f samples a second of %s, %.1f %% in the kernel", p->n_a_second,
		     p->event, p->kernel_share);
	if (n_lost)
		textbuf_addf(tb, ", %llu lost", n_lost);
	else
		textbuf_add_str(tb, ", none lost");
	if (p->is_only_user)
		textbuf_add_str(tb, "; user code only (the kernel needs root)");
	textbuf_addf(tb, "\n\n%7s %s %8s", "self", p->config->has_children ? "  total" : "",
		     "samples");
	for (size_t i = 0; i < p->config->n_keys; i++)
		textbuf_addf(tb, "  %-*s", i + 1 < p->config->n_keys ? KEY_WIDTH : 0,
			     toptable_key_name(p->config->keys[i]));
	textbuf_add_char(tb, '\n');
}

static void add_row(const struct toppicture *p, const struct toprow *row, struct textbuf *tb)
{
	double all = p->rows->weight > 0 ? p->rows->weight : 1;

	textbuf_addf(tb, "%6.2f%% ", 100 * row->self / all);
	if (p->config->has_children)
		textbuf_addf(tb, "%6.2f%%", 100 * row->total / all);
	textbuf_addf(tb, " %8.0f", row->n);
	for (size_t i = 0; i < p->config->n_keys; i++)
		textbuf_addf(tb, "  %-*s", i + 1 < p->config->n_keys ? KEY_WIDTH : 0, row->keys[i]);
	textbuf_add_char(tb, '\n');
	for (size_t i = 0; i < row->n_chains; i++)
		textbuf_addf(tb, "%*s%3.0f %%  %s\n", p->config->has_children ? 29 : 22, "",
			     100 * row->chains[i].weight / (row->self > 0 ? row->self : 1),
			     row->chains[i].text);
}

static void fmt(const struct topopts *o, const struct toppicture *p, struct textbuf *tb)
{
	size_t n_max = topopts_n_rows(o), n = 0;

	add_head(o, p, tb);
	for (size_t i = 0; i < p->rows->n && n < n_max; i++) {
		const struct toprow *row = &p->rows->rows[i];
		double weight = p->config->has_children ? row->total : row->self;

		if (weight * 100 < p->config->min_percent * p->rows->weight || weight <= 0)
			continue;
		add_row(p, row, tb);
		n += 1 + row->n_chains;
	}
	if (!p->rows->n)
		textbuf_add_str(tb, "no samples yet\n");
	if (!o->is_screen)
		textbuf_add_char(tb, '\n');
}

static int apply_percent(void *opts, const char *value, struct errmsg *err)
{
	char *end;
	double percent = strtod(value, &end);

	if (end == value || *end || !(percent >= 0 && percent <= 100))
		return errmsg_set(err, -EINVAL,
				  "--percent-limit is a share from 0 to 100, not '%s'", value);
	((struct topopts *)opts)->run.table.min_percent = percent;
	return 0;
}

static int apply_iterations(void *opts, const char *value, struct errmsg *err)
{
	char *end;
	long n = strtol(value, &end, 10);

	if (end == value || *end || n < 1)
		return errmsg_set(err, -EINVAL, "--iterations is a number from 1 on, not '%s'",
				  value);
	((struct topopts *)opts)->run.n_pictures = n;
	return 0;
}

#define AT(member) offsetof(struct topopts, member)

static const struct option_row rows[] = {
	ROW_HEADING("what to sample"),
	ROW_CALL('e', "event", "EVENT,…",
		 "sample these events (default: cycles, or cpu-clock where there are none)",
		 topopts_event),
	ROW_CALL('F', "rate", "RATE", "samples a second of each CPU (default: 997)", topopts_rate),
	ROW_CALL('c', "period", "N", "a sample for every N events, instead of a rate",
		 topopts_period),
	ROW_CALL('g', NULL, NULL, "with callers, by frame pointers: same as --stacks fp",
		 topopts_graph),
	ROW_CALL(0, "stacks", "KIND", "with callers, by fp, dwarf or lbr", topopts_stacks,
		 .complete = "fp dwarf lbr"),
	ROW_HEADING("whom to sample"),
	ROW_FLAG('a', "all", "all CPUs (the default)", AT(is_group)),
	ROW_CALL('C', "cpu", "LIST", "only these CPUs: 0,2-5", topopts_cpus),
	ROW_CALL('p', "pid", "PID,…", "these processes with all their threads", topopts_pids),
	ROW_CALL('t', "tid", "TID,…", "these threads", topopts_tids),
	ROW_HEADING("how the table looks"),
	ROW_STRING('s', "sort", "KEY,…",
		   "a row for each function (symbol), file (dso), comm, thread, process or cpu",
		   AT(keys)),
	ROW_STRING(0, "dsos", "FILE,…", "only functions of these files", AT(run.table.files)),
	ROW_STRING(0, "comms", "NAME,…", "only threads of these names", AT(run.table.comms)),
	ROW_STRING(0, "symbols", "NAME,…", "only these functions", AT(run.table.functions)),
	ROW_FLAG('K', "hide-kernel", "hide functions of the kernel", AT(run.table.no_kernel)),
	ROW_FLAG('U', "hide-user", "hide functions of programs", AT(run.table.no_user)),
	ROW_FLAG(0, "no-children", "with callers: sort by what functions use themselves",
		 AT(no_children)),
	ROW_CALL(0, "percent-limit", "SHARE", "hide rows below this share in percent",
		 apply_percent),
	ROW_NUMBER('E', "entries", "N", "print at most N rows", AT(n_rows)),
	ROW_FLAG('z', "zero", "forget older samples with each table", AT(run.zeroes)),
	ROW_CALL('d', "delay", "SECONDS", "time between two tables (default: 2)", topopts_delay),
	ROW_CALL(0, "iterations", "N", "end after N tables", apply_iterations),
	ROW_END,
};

static int run(const struct command *cmd, int argc, char **argv, struct errmsg *err)
{
	struct topopts o = {.fmt = fmt};
	int n = command_parse(cmd, &o, argc, argv, err), r = n;

	if (n > 0)
		r = errmsg_set(err, -EINVAL, "top takes no argument, but there is '%s'", argv[1]);
	else if (n == 0)
		r = topopts_run(&o, err);
	topopts_release(&o);
	return r;
}

const struct command cmd_top = {
	.name = "top",
	.summary = "show where the machine spends its time now",
	.usage = "[options]",
	.options = rows,
	.run = run,
};

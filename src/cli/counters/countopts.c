// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * countopts.c - completes the options of a run with counters, and lists events.
 *
 * Without -e the events are perf's: a clock, context switches, migrations, page faults, cycles,
 * instructions, branches; each -d adds some. They are optional: a machine without them leaves them
 * out, whereas an event that was named gets its row in any case.
 */
#include "cli/counters/countopts.h"

#include "base/scope.h"
#include "base/textbuf.h"
#include "capture/perf/events/perfevents.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

int countopts_add_events(struct countopts *o, const char *text, struct errmsg *err)
{
	int n = perfevents_parse(text, &o->events, err);

	return n < 0 ? n : 0;
}

static bool is_wide(const struct countopts *o)
{
	return o->run.all_tasks || o->run.cpus || o->run.cgroups;
}

int countopts_finish(struct countopts *o, char **argv, struct errmsg *err)
{
	bool has_events = o->events.n;

	o->run.argv = argv;
	o->run.sysfs = getenv("SONDE_SYSFS");
	/* CPUs, cores, sockets have rows of their own only if whole CPUs are counted */
	if (o->run.parts != COUNTPARTS_ALL && o->run.parts != COUNTPARTS_THREAD && !o->run.cpus)
		o->run.all_tasks = true;
	if (!argv && !o->run.pids && !o->run.tids && !is_wide(o))
		o->run.all_tasks = true;
	o->run.first_optional = o->events.n;
	if (!has_events && !o->is_null)
		TRY(countopts_add_events(o, countrun_defaults(is_wide(o)), err));
	for (unsigned level = 1; level <= o->detail && level <= 3; level++)
		TRY(countopts_add_events(o, countrun_details(level), err));
	for (size_t i = 0; i < o->events.n; i++) {
		if (o->is_all_user)
			o->events.events[i].attr.exclude_kernel = 1;
		if (o->is_all_kernel)
			o->events.events[i].attr.exclude_user = 1;
	}
	o->run.events = &o->events;
	return 0;
}

void countopts_release(struct countopts *o)
{
	perfevents_release(&o->events);
}

void countopts_fmt_title(const struct countopts *o, struct textbuf *tb)
{
	if (o->run.all_tasks) {
		textbuf_add_str(tb, "'system wide'");
	} else if (o->run.cpus) {
		textbuf_addf(tb, "'CPU(s) %s'", o->run.cpus);
	} else if (o->run.pids) {
		textbuf_addf(tb, "process id '%s'", o->run.pids);
	} else if (o->run.tids) {
		textbuf_addf(tb, "thread id '%s'", o->run.tids);
	} else {
		textbuf_add_char(tb, '\'');
		for (char **word = o->run.argv; *word; word++)
			textbuf_addf(tb, "%s%s", word == o->run.argv ? "" : " ", *word);
		textbuf_add_char(tb, '\'');
	}
}

int countopts_status(const struct countrun_result *r)
{
	if (WIFSIGNALED(r->status))
		return 128 + WTERMSIG(r->status);
	return WIFEXITED(r->status) ? WEXITSTATUS(r->status) : 0;
}

static int print_event(void *ctx, const struct perfevents_known *event)
{
	static const char *const kinds[] = {[PERFEVENTS_HARDWARE] = "hardware",
					    [PERFEVENTS_CACHE] = "cache",
					    [PERFEVENTS_SOFTWARE] = "software",
					    [PERFEVENTS_PMU] = "PMU",
					    [PERFEVENTS_RAW] = "raw",
					    [PERFEVENTS_TRACEPOINT] = "tracepoint",
					    [PERFEVENTS_BREAKPOINT] = "breakpoint",
					    [PERFEVENTS_TOOL] = "measured by sonde"};
	char name[512];

	if (!event->is_there)
		return 0;
	snprintf(name, sizeof(name), "%s%s%s", event->name, event->alias ? " or " : "",
		 event->alias ? event->alias : "");
	printf("%-50s %s%s%s\n", name, kinds[event->kind], event->unit ? ", in " : "",
	       event->unit ? event->unit : "");
	return 0;
}

int countopts_print_list(struct errmsg *err)
{
	struct perfevents_place place = {.sysfs = getenv("SONDE_SYSFS")};

	perfevents_each(&place, print_event, NULL);
	if (!perfevents_has_hardware(&place))
		puts("\nThis machine has no hardware counters: cycles, instructions and the like "
		     "are "
		     "not there.");
	puts("\nOthers: rHEX (raw), PMU/FIELD=VALUE,…/, mem:ADDRESS[/LENGTH][:rwx] (breakpoint), "
	     "and "
	     "all tracepoints and probes (sonde list -e).");
	return 0;
}

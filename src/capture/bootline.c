// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * bootline.c - makes the parameters of the kernel's command line that trace from boot on.
 *
 *	-p function             ftrace=function
 *	-e sched                trace_event=sched:*
 *	-e … -R stacktrace      trace_trigger="sched_switch.stacktrace"     Linux 6.3
 *	-l, -n, -g              ftrace_filter=, ftrace_notrace=, ftrace_graph_filter=
 *	-b KB                   trace_buf_size=KBK
 *	-B NAME                 trace_instance=NAME,sched:*                 Linux 6.3
 *	--probe                 kprobe_event=
 *
 * Filters, tasks and CPUs are not supported there. After boot, `sonde extract` or `sonde show` read
 * the events.
 */
#include "capture/bootline.h"

#include "base/errmsg.h"
#include "base/scope.h"
#include "base/textbuf.h"
#include "probe/definition/definition.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static void add_list(struct textbuf *tb, const char *name, const struct plan_words *words)
{
	for (size_t i = 0; i < words->n; i++) {
		if (i)
			textbuf_add_char(tb, ',');
		else
			textbuf_addf(tb, " %s=", name);
		textbuf_add_str(tb, words->words[i]);
	}
}

/* Adds an event. "all" becomes *:*. The kernel accepts a word as a system or as an event. */
static void add_event(struct textbuf *tb, const char *pattern)
{
	textbuf_add_str(tb, !strcmp(pattern, "all") ? "*:*" : pattern);
}

static void add_events(struct textbuf *tb, const struct plan_buffer *b, const char *before)
{
	const char *sep = before;

	for (size_t i = 0; i < b->n_events; i++) {
		if (b->events[i].off)
			continue;
		textbuf_add_str(tb, sep);
		add_event(tb, b->events[i].pattern);
		sep = ",";
	}
}

static void add_triggers(struct textbuf *tb, const struct plan_buffer *b)
{
	const char *sep = " trace_trigger=\"";

	for (size_t i = 0; i < b->n_events; i++)
		for (size_t k = 0; k < b->events[i].triggers.n; k++) {
			const char *event = strchr(b->events[i].pattern, ':');

			textbuf_addf(tb, "%s%s.%s", sep, event ? event + 1 : b->events[i].pattern,
				     b->events[i].triggers.words[k]);
			sep = ",";
		}
	if (*sep == ',')
		textbuf_add_char(tb, '"');
}

static void add_buffer(struct textbuf *tb, const struct plan *plan, const struct plan_buffer *b)
{
	if (*b->name) {
		textbuf_addf(tb, " trace_instance=%s", b->name);
		add_events(tb, b, ",");
		return;
	}
	if (b->tracer)
		textbuf_addf(tb, " ftrace=%s", b->tracer);
	add_events(tb, b, " trace_event=");
	add_triggers(tb, b);
	add_list(tb, "ftrace_filter", &b->functions);
	add_list(tb, "ftrace_notrace", &b->no_functions);
	add_list(tb, "ftrace_graph_filter", &b->graph_functions);
	add_list(tb, "ftrace_graph_notrace", &b->no_graph_functions);
	if (plan->graph_depth)
		textbuf_addf(tb, " ftrace_graph_max_depth=%lld", plan->graph_depth);
	if (b->size_kb)
		textbuf_addf(tb, " trace_buf_size=%lldK", b->size_kb);
	if (b->clock)
		textbuf_addf(tb, " trace_clock=%s", b->clock);
	if (b->options.n || plan->stacks) {
		add_list(tb, "trace_options", &b->options);
		if (plan->stacks)
			textbuf_add_str(tb,
					b->options.n ? ",stacktrace" : " trace_options=stacktrace");
	}
	if (plan->threshold_us >= 0)
		textbuf_addf(tb, " tracing_thresh=%lld", plan->threshold_us);
}

static void tell_rest(const struct plan *plan, void (*tell)(const char *sentence))
{
	char text[512];

	for (size_t i = 0; i < plan->n_buffers; i++) {
		const struct plan_buffer *b = &plan->buffers[i];

		for (size_t k = 0; k < b->n_events; k++) {
			snprintf(text, sizeof(text), "the filter '%s' cannot be set from boot",
				 b->events[k].filter ? b->events[k].filter : "");
			if (b->events[k].filter)
				tell(text);
			snprintf(text, sizeof(text), "-v -e %s cannot be set from boot",
				 b->events[k].pattern);
			if (b->events[k].off)
				tell(text);
		}
		if (b->pids.n || plan->only_command)
			tell("tasks cannot be picked out from boot");
		if (b->cpumask)
			tell("CPUs cannot be picked out from boot");
		if (*b->name && b->tracer)
			tell("an instance has no tracer from boot");
	}
}

/*
 * Refuses probes whose names must be resolved: this happens on the running machine, but the kernel
 * that boots has only its own grammar.
 */
static int check_events(const struct plan *plan, struct errmsg *err)
{
	for (size_t i = 0; i < plan->n_buffers; i++)
		for (size_t k = 0; k < plan->buffers[i].n_events; k++) {
			const char *pattern = plan->buffers[i].events[k].pattern;

			if (definition_is_one(pattern))
				return errmsg_set(
					err, -EINVAL,
					"the probe '%s' cannot be set from boot by name; "
					"'sonde probe add -D' prints it as --probe takes it",
					pattern);
		}
	return 0;
}

int bootline_fmt(const struct plan *plan, struct textbuf *tb, void (*tell)(const char *sentence),
		 struct errmsg *err)
{
	TRY(check_events(plan, err));
	for (size_t i = 0; i < plan->n_buffers; i++)
		add_buffer(tb, plan, &plan->buffers[i]);
	for (size_t i = 0; i < plan->probes.n; i++)
		textbuf_addf(tb, "%s%s", i ? ";" : " \"kprobe_event=", plan->probes.words[i]);
	if (plan->probes.n)
		textbuf_add_char(tb, '"');
	if (!textbuf_len(tb))
		return errmsg_set(
			err, -EINVAL,
			"--boot needs something to trace: an event (-e) or a tracer (-p)");
	tell_rest(plan, tell);
	return 0;
}

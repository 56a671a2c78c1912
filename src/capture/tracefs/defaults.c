// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * defaults.c - the state of tracing after boot, as tables.
 *
 * The values come from a freshly booted Linux 6.1 (all tracers) and 6.18, and from the kernel's
 * TRACE_DEFAULT_FLAGS. They have been the same for many years. Callers skip rows that the kernel
 * does not have. An option that is not listed is off by default, so a new option of a later kernel
 * counts as switched on by somebody.
 *
 * The tables omit what depends on the machine (saved_cmdlines_size) and the stack tracer, which has
 * its own command.
 */
#include "capture/tracefs/defaults.h"

#include "base/array.h"

#include <stdio.h>

/*
 * tracing_cpumask is not in this table because it depends on the machine: see
 * defaults_fmt_cpumask().
 */
static const struct default_row rows[] = {
	{"current_tracer", "nop"},
	{"set_ftrace_filter", ""},
	{"set_ftrace_notrace", ""},
	{"set_ftrace_pid", ""},
	{"set_ftrace_notrace_pid", ""},
	{"set_graph_function", ""},
	{"set_graph_notrace", ""},
	/* set_event comes after the function commands, which can switch events on */
	{"set_event", ""},
	{"set_event_pid", ""},
	{"set_event_notrace_pid", ""},
	{"max_graph_depth", "0"},
	{"function_profile_enabled", "0"},
	{"tracing_thresh", "0"},
	{"tracing_max_latency", "0"},
	{"osnoise/options", "OSNOISE_WORKLOAD"},
	{"osnoise/stop_tracing_us", "0"},
	{"osnoise/stop_tracing_total_us", "0"},
	{"osnoise/print_stack", "0"},
	{"osnoise/timerlat_period_us", "1000"},
	{"osnoise/runtime_us", "1000000"},
	{"osnoise/period_us", "1000000"},
	{"hwlat_detector/mode", "round-robin"},
	{"hwlat_detector/width", "500000"},
	{"hwlat_detector/window", "1000000"},
	{"trace_clock", "[local]"},
	{"buffer_percent", "50"},
	{"snapshot", "freed"},
	{"buffer_subbuf_size_kb", "4"},
	{"buffer_size_kb", "1408"},
	{"error_log", ""},
};

static const char *const options_on[] = {
	"annotate",	  "context-info",	"funcgraph-cpu",  "funcgraph-duration",
	"funcgraph-irqs", "funcgraph-overhead", "function-trace", "graph-time",
	"hash-ptr",	  "irq-info",		"markers",	  "overwrite",
	"print-parent",	  "record-cmd",		"sleep-time",	  "trace_printk",
};

/* These options are on only at the top level: they say where texts without an instance go. */
static const char *const options_on_at_top[] = {"trace_printk_dest", "copy_trace_marker"};

const struct default_row *defaults_rows(size_t *ret_n)
{
	*ret_n = ARRAY_LEN(rows);
	return rows;
}

const char *defaults_find(const char *file)
{
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (!strcmp(rows[i].file, file))
			return rows[i].shown;
	return NULL;
}

static bool has(const char *const *names, size_t n, const char *name)
{
	return ARRAY_ANY(n, i, !strcmp(names[i], name));
}

bool defaults_option(const char *instance, const char *option)
{
	if (has(options_on, ARRAY_LEN(options_on), option))
		return true;
	return !*instance && has(options_on_at_top, ARRAY_LEN(options_on_at_top), option);
}

char *defaults_fmt_cpumask(unsigned n_cpus, char *buf, size_t n_bytes)
{
	unsigned words = (n_cpus + 31) / 32, top_bits = n_cpus - (words - 1) * 32;
	size_t len;

	snprintf(buf, n_bytes, "%x", top_bits >= 32 ? ~0u : (1u << top_bits) - 1);
	while (--words) {
		len = strlen(buf);
		snprintf(buf + len, n_bytes - len, ",ffffffff");
	}
	return buf;
}

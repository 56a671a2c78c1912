/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tracestate.h - the kernel's tracing settings as plain data, and their text and JSON for `sonde
 * stat`.
 *
 * The caller fills the structs; this code computes nothing. The caller owns strings and arrays and
 * keeps them while they are printed. The structs also contain default values, and mark them: the
 * text omits them, JSON includes them.
 */
#ifndef SONDE_PRESENT_TRACESTATE_H
#define SONDE_PRESENT_TRACESTATE_H

#include "base/textbuf.h"

#include <stdbool.h>
#include <stdint.h>

/* One setting: tracer, clock, a threshold. */
struct state_value {
	const char *key;   /* name in JSON, such as "clock" */
	const char *label; /* name in the text, such as "clock" */
	const char *unit;  /* "", "us", "KB" */
	const char *text;  /* NULL: the kernel has no such file */
	bool is_number, is_default;
};

/* A setting with several lines: functions, tasks, probes. */
struct state_list {
	const char *key, *label;
	const char *where; /* the command that shows the whole list */
	const char **items;
	size_t n;
};

struct state_system { /* the enabled events of a system */
	const char *name;
	const char **events;
	size_t n, n_all;
};

struct state_of_event { /* a filter, a trigger */
	const char *event;
	const char *text;
};

struct state_option {
	const char *name;
	bool on, is_default;
};

struct state_cpu {
	uint32_t cpu;
	uint64_t size_kb, bytes, n_entries, n_overrun, n_commit_overrun, n_dropped, n_read;
	double oldest, now; /* in seconds of the trace clock, or in its units */
};

struct state_instance {
	const char *name; /* "": the top level */
	bool is_on;
	int owner;     /* pid of the sonde process that records into the instance; 0: none */
	bool is_plain; /* all settings are defaults, and the buffer is empty */
	bool has_snapshot;
	bool never_used; /* the buffer is not fully allocated yet */
	struct state_value *values;
	size_t n_values;
	struct state_list *lists;
	size_t n_lists;
	struct state_system *systems;
	size_t n_systems, n_events;
	struct state_of_event *filters, *triggers;
	size_t n_filters, n_triggers;
	struct state_option *options;
	size_t n_options;
	struct state_cpu *cpus;
	size_t n_cpus;
	const char **errors; /* entries of error_log */
	size_t n_errors;
};

struct tracestate {
	const char *root;
	const char *kernel; /* uname -r */
	int ftrace_enabled; /* the master switch of function tracing; negative: unknown */
	int stack_tracer;   /* 1: on, 0: off, negative: none */
	struct state_list probes;
	struct state_instance *instances;
	size_t n_instances;
};

/* Prints the settings. all_options: includes options at their default. */
void tracestate_fmt(const struct tracestate *ts, bool all_options, struct textbuf *tb);
void tracestate_fmt_json(const struct tracestate *ts, struct textbuf *tb);

#endif

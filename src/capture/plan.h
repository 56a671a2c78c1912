/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plan.h - a plan: what to trace and how, as plain data. Commands parse their options into a plan.
 *
 * A plan has buffers. The first is the default buffer (name ""): an instance that sonde creates, or
 * the top level if the kernel supports the feature only there. The others are named instances.
 * setup.h executes a plan. The plan owns its strings.
 */
#ifndef SONDE_CAPTURE_PLAN_H
#define SONDE_CAPTURE_PLAN_H

#include <stdbool.h>
#include <stddef.h>

struct errmsg;

struct plan_words {
	char **words;
	size_t n, cap;
};

struct plan_event {
	char *pattern; /* "sched", "sched:sched_switch", "sched_*", "all" */
	char *filter;  /* NULL: none */
	struct plan_words triggers;
	bool off;      /* after -v: disable the event instead of enabling it */
	bool may_lack; /* the user did not name it: no error if the kernel lacks it */
};

struct plan_buffer {
	char *name;
	struct plan_event *events;
	size_t n_events, cap_events;
	char *tracer, *clock, *cpumask;		   /* NULL: not given */
	long long size_kb, subbuf_kb;		   /* 0: not given */
	struct plan_words functions, no_functions; /* -l, -n; may contain filter commands */
	struct plan_words graph_functions, no_graph_functions;
	struct plan_words modules; /* add :mod:NAME to each function, or use it alone */
	struct plan_words options; /* "sym-offset", "nooverwrite", "OPTION=VALUE" */
	struct plan_words pids;	   /* trace only these tasks */
	bool is_removed;	   /* set -v -B NAME */
};

#define PLAN_OWN_MAX 4

struct plan {
	struct plan_buffer *buffers;
	size_t n_buffers, cap_buffers;
	/* use the top level as the default buffer, even if an instance is sufficient */
	bool use_top;
	bool take_over;	  /* even if another program is tracing there */
	bool keep_before; /* keep the settings that a buffer has already (set, record -K) */
	/*
	 * undo everything on failure although there is no journal; used with keep_before (set,
	 * start -K)
	 */
	bool put_back;
	bool only_command, children; /* -F, -c */
	/* the option that includes children, for messages; NULL: "with -c" */
	const char *children_how;
	bool ignore_unknown; /* -i */
	bool functions_off;  /* -d: start with function tracing off (trace option) */
	bool ftrace_off;     /* -D: also turn off the master switch */
	bool func_stack;     /* --func-stack */
	bool stacks;	     /* -T */
	bool only_triggers;  /* define and find events, but do not enable them (histogram.h) */
	bool tell_names;     /* also enable the events that contain task names (setup/names.c) */
	bool trace_self;     /* --self: also record sonde's own events */
	int own_pids[PLAN_OWN_MAX]; /* processes of sonde other than the recorder */
	size_t n_own_pids;
	bool no_commands;      /* do not record the command lines of processes */
	long long graph_depth; /* 0: not given */
	/*
	 * The user did not name the tracer and the depth of the first buffer. If the kernel does
	 * not support them, or another program uses the top level for them, drop them and add a
	 * note.
	 */
	bool tracer_is_wish;
	long long cmdlines_size;
	long long threshold_us;	  /* -1: not given; tracing_thresh */
	long long max_latency_us; /* -1: not given */
	long long max_rate;	  /* hits per second of a probe; 0: no limit */
	bool only_calls; /* for a function of a program: skip inlined copies, which never return */
	/* check the conditions of definitions, but do not set them: the caller does */
	bool no_conditions;
	bool estimate; /* count events briefly before recording, and report the rate */
	/* the command to run, whose name a definition may omit; NULL: none */
	const char *command;
	/* file with DWARF of the kernel or of a module, for definitions; NULL: none */
	const char *vmlinux;
	/* an agent records for a host: no probes in programs, no files that the host names */
	bool is_for_host;
	const char *source_dir; /* directory that is searched first for source files; NULL: none */
	/* directory with separate debug information; NULL: /usr/lib/debug */
	const char *debug_dir;
	struct plan_words
		probes; /* lines for dynamic_events or kprobe_events; removed at the end */
};

int plan_init(struct plan *p);
void plan_release(struct plan *p);

/* Adds another process of sonde. */
void plan_add_own(struct plan *p, int pid);

/* Adds a buffer (-B); later calls apply to this buffer. Returns NULL if out of memory. */
struct plan_buffer *plan_add_buffer(struct plan *p, const char *name);
struct plan_buffer *plan_buffer(struct plan *p); /* the last one */
int plan_add_event(struct plan *p, const char *pattern, bool off);
/* Adds an event that the user did not name; the kernel may lack it. */
int plan_add_default_event(struct plan *p, const char *pattern);
/* Combines (and) a filter with that of the last event. Returns -EINVAL if there is no event. */
int plan_add_filter(struct plan *p, const char *filter, struct errmsg *err);
/* Like plan_add_filter(), for the last n events. */
int plan_add_filters(struct plan *p, size_t n, const char *filter, struct errmsg *err);
int plan_add_trigger(struct plan *p, const char *trigger, struct errmsg *err);
/*
 * Replaces event i of a buffer by one event for each pattern, with the same settings. Returns 0 or
 * -ENOMEM.
 */
int plan_replace_event(struct plan_buffer *b, size_t i, char *const *patterns, size_t n);
int plan_words_add(struct plan_words *list, const char *word);
void plan_words_release(struct plan_words *list);
/*
 * Returns the comma after the first of several events, or the end. Commas in the brackets of a
 * definition do not separate events.
 */
const char *plan_end_of_event(const char *words);
/* Splits words at commas. */
int plan_words_split(struct plan_words *list, const char *words);

/*
 * Returns -EINVAL if a text in the plan contains a control character, because the kernel would read
 * the rest as another command. The message names the option.
 */
int plan_check(const struct plan *p, struct errmsg *err);

/* Returns true if a buffer has an event, a tracer or a function command. */
bool plan_does_something(const struct plan *p);

#endif

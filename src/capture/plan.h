/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plan.h - what is to be traced, and how: plain data that the command line is turned into.
 *
 * A plan has buffers. The first one is the default one (name ""): an instance that sonde makes for itself,
 * or the top level where the kernel can do it only there. The others are named instances.
 * setup.h carries a plan out. Strings belong to the plan.
 */
#ifndef SONDE_CAPTURE_PLAN_H
#define SONDE_CAPTURE_PLAN_H

#include <stdbool.h>
#include <stddef.h>

struct errmsg;

struct plan_words {
	char **words;
	size_t n;
};

struct plan_event {
	char *pattern; /* "sched", "sched:sched_switch", "sched_*", "all" */
	char *filter;  /* NULL: none */
	struct plan_words triggers;
	bool off;      /* after -v: switched off, not on */
	bool may_lack; /* nobody asked for it by name: a kernel without it is fine */
};

struct plan_buffer {
	char *name;
	struct plan_event *events;
	size_t n_events;
	char *tracer, *clock, *cpumask;		   /* NULL: not given */
	long long size_kb, subbuf_kb;		   /* 0: not given */
	struct plan_words functions, no_functions; /* -l, -n; with filter commands */
	struct plan_words graph_functions, no_graph_functions;
	struct plan_words modules; /* :mod:NAME for each of functions, or alone */
	struct plan_words options; /* "sym-offset", "nooverwrite", "OPTION=VALUE" */
	struct plan_words pids;	   /* only these tasks */
	bool is_removed;	   /* set -v -B NAME */
};

#define PLAN_OWN_MAX 4

struct plan {
	struct plan_buffer *buffers;
	size_t n_buffers;
	bool use_top;	  /* the default buffer is the top level, whatever the kernel could do */
	bool take_over;	  /* even if somebody else is tracing there */
	bool keep_before; /* what is set in a buffer already stays set (set, record -K) */
	bool put_back; /* without a journal, of a failure nothing stays; with keep_before (set, start -K) */
	bool only_command, children; /* -F, -c */
	const char *children_how;    /* how children are asked for; NULL: "with -c" */
	bool ignore_unknown;	     /* -i */
	bool functions_off;	     /* -d: function tracing off at first (option) */
	bool ftrace_off;	     /* -D: also the master switch */
	bool func_stack;	     /* --func-stack */
	bool stacks;		     /* -T */
	bool only_triggers; /* events are defined and looked up, but not switched on: histogram.h */
	bool tell_names;    /* events that tell how tasks are called are on, too: setup/names.c */
	bool trace_self;    /* --self: sonde's own events are recorded, too */
	int own_pids[PLAN_OWN_MAX]; /* processes that belong to sonde besides the recorder */
	size_t n_own_pids;
	bool no_commands;      /* command lines of processes are not recorded */
	long long graph_depth; /* 0: not given */
	/*
	 * Nobody asked for the tracer and the depth of the first buffer by name: where the kernel cannot do
	 * it, or somebody else uses the top level for it, they are left out, with a note.
	 */
	bool tracer_is_wish;
	long long cmdlines_size;
	long long threshold_us;	  /* -1: not given; tracing_thresh */
	long long max_latency_us; /* -1: not given */
	long long max_rate;	  /* of a probe, hits a second: 0: no limit */
	bool only_calls; /* of a program's function: inlined copies, which never return, are left out */
	bool no_conditions;  /* those of definitions are checked, but not set: somebody else will */
	bool estimate;	     /* count for a moment before recording, and tell */
	const char *command; /* its program's sources can be named without it; NULL */
	const char *vmlinux; /* DWARF of the kernel or of a module, for definitions; NULL */
	bool is_for_host; /* an agent records: no probe in a program, no file by a name that a host gave */
	const char *source_dir; /* where sources are looked for first; NULL */
	const char *debug_dir;	/* where separate debug information is; NULL: /usr/lib/debug */
	struct plan_words
		probes; /* lines for dynamic_events or kprobe_events, removed in the end */
};

int plan_init(struct plan *p);
void plan_release(struct plan *p);

/* Another process of sonde's own. */
void plan_add_own(struct plan *p, int pid);

/* A new buffer (-B); the last one is where later words go. NULL without memory. */
struct plan_buffer *plan_add_buffer(struct plan *p, const char *name);
struct plan_buffer *plan_buffer(struct plan *p); /* the last one */
int plan_add_event(struct plan *p, const char *pattern, bool off);
/* One that nobody asked for by name: it may be missing. */
int plan_add_default_event(struct plan *p, const char *pattern);
/* For the event added last: and-ed with its filter; -EINVAL if there is none. */
int plan_add_filter(struct plan *p, const char *filter, struct errmsg *err);
/* The same for the n events that were added last. */
int plan_add_filters(struct plan *p, size_t n, const char *filter, struct errmsg *err);
int plan_add_trigger(struct plan *p, const char *trigger, struct errmsg *err);
/* In the place of one event of a buffer: an event for each of these, otherwise like it. -ENOMEM */
int plan_replace_event(struct plan_buffer *b, size_t i, char *const *patterns, size_t n);
int plan_words_add(struct plan_words *list, const char *word);
void plan_words_release(struct plan_words *list);
/* Splits at commas. */
int plan_words_split(struct plan_words *list, const char *words);

/*
 * -EINVAL if a text of the plan has a control character: the kernel would read what follows as another command.
 * The sentence names the option.
 */
int plan_check(const struct plan *p, struct errmsg *err);

/* True if a buffer has an event, a tracer or a function command. */
bool plan_does_something(const struct plan *p);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perfevents.h - names of events as perf has them, to what perf_event_open() takes.
 *
 *  cycles:u,{instructions,L1-dcache-load-misses}:S,cpu/event=0x3c,umask=1/,r1a8,sched:sched_*,…
 *
 *	LIST      ITEM[,ITEM…]
 *	ITEM      EVENT | {EVENT,…}[:MODIFIERS]
 *	EVENT     cycles, L1-dcache-load-misses, cs …         names of the kernel's interface
 *	          NAME                                        an event of a PMU's directory events/
 *	          PMU/TERM[,TERM…]/[MODIFIERS]                TERM: NAME, NAME=VALUE, an event of
 *	                                                      the PMU
 *	          rHEX                                        raw, of the processor's PMU
 *	          SYSTEM:EVENT                                tracepoints and probes, * and ?
 *	                                                      allowed
 *	          mem:ADDRESS[/LENGTH][:rwx]                  a breakpoint
 *	          duration_time, user_time, system_time       measured without a counter
 *	MODIFIERS u k h I G H p P S D W e b
 *
 * A struct perfevents owns its texts; perfevents_release() frees them. Nothing is cached: parsing
 * reads sysfs and, for tracepoints only, tracefs. Nothing is opened: a name that is known may still
 * be refused by perf_event_open(), for example cycles on a machine without a PMU (-ENOENT).
 *
 * Threads: none of this is shared.
 */
#ifndef SONDE_CAPTURE_PERF_EVENTS_PERFEVENTS_H
#define SONDE_CAPTURE_PERF_EVENTS_PERFEVENTS_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct errmsg;
struct tracefs;

#define PERFEVENTS_MAX 4096u /* events in a list, after globs */

/* Where to look. {0}: this machine. */
struct perfevents_place {
	const char *sysfs;	       /* NULL: "/sys" */
	const struct tracefs *tracefs; /* NULL: found when a tracepoint is named */
};

enum perfevents_kind {
	PERFEVENTS_HARDWARE, /* cycles … */
	PERFEVENTS_CACHE,    /* L1-dcache-loads … */
	PERFEVENTS_SOFTWARE,
	PERFEVENTS_PMU, /* PMU/…/, or a name of its directory events/ */
	PERFEVENTS_RAW,
	PERFEVENTS_TRACEPOINT,
	PERFEVENTS_BREAKPOINT,
	PERFEVENTS_TOOL, /* no counter: see perfevents_event.tool */
};

enum perfevents_tool {
	PERFEVENTS_DURATION_TIME = 1, /* ns that have passed */
	PERFEVENTS_USER_TIME,	      /* ns of CPU time of the command */
	PERFEVENTS_SYSTEM_TIME,
};

/* What an event's terms ask of its samples: cycles/freq=4000,call-graph=fp/. */
struct perfevents_wish {
	uint64_t period, freq; /* 0: not said. Both are in attr, too. */
	char *call_graph;      /* "fp", "dwarf", "lbr", "no"; NULL: not said */
	uint32_t stack_bytes;  /* stack-size=; 0: not said */
	uint32_t max_stack;    /* max-stack=; 0: not said */
	int inherit;	       /* -1: not said, 0, 1 */
	int overwrite;	       /* -1: not said, 0, 1 */
	int time;	       /* -1: not said, 0: no time stamps */
};

struct perfevents_event {
	char *name; /* as the user wrote it, with modifiers; the tracepoint that a glob found */
	/*
	 * size, type, config, config1, config2, bp_*, exclude_*, precise_ip, pinned, exclusive;
	 * sample_period or sample_freq if a term says so. Everything else is 0 and is the caller's.
	 */
	struct perf_event_attr attr;
	enum perfevents_kind kind;
	enum perfevents_tool tool;
	uint32_t leader;	  /* index in the list; its own: not in a group, or the leader */
	bool in_group;		  /* leader or member of {…} */
	bool has_leader_sampling; /* :S of its group: only the leader samples, all are read */
	bool has_user_modifier;	  /* :u, :k or :h was said, so exclude_* is the user's choice */
	bool has_precise;	  /* :p or :P was said; P: precise_ip is 3, try less */
	bool is_max_precise;	  /* :P */
	bool is_weak;		  /* :W of its group: split the group if the kernel refuses it */
	bool is_bpf;		  /* :b: count by BPF if possible */
	char *pmu;		  /* "cpu", "l2cache_0"; NULL: none named */
	char *cpumask;		  /* "0,18": open it on these CPUs only, for all tasks; NULL: any */
	char *cpus;	     /* of a core PMU on a hybrid machine: it exists on these CPUs only */
	char *unit;	     /* "Joules"; NULL: none */
	double scale;	     /* the value times scale is in units; 1 */
	bool is_snapshot;    /* a level, not a count */
	bool is_per_package; /* one CPU of each socket is enough */
	struct perfevents_wish wish;
};

struct perfevents {
	struct perfevents_event *events;
	size_t n, cap;
};

/*
 * Appends the events of text. Returns the number of them, or a negative errno with a message that
 * names the nearest event; then *ret is as before.
 */
/* $SONDE_SYSFS: another /sys, for tests. */
int perfevents_parse(const char *text, struct perfevents *ret, struct errmsg *err);
int perfevents_parse_at(const struct perfevents_place *place, const char *text,
			struct perfevents *ret, struct errmsg *err);
void perfevents_release(struct perfevents *list);

/*
 * --- what there is ------------------------------------------------------------------------------
 */

/*
 * An event that a machine knows, for lists and completions. Texts are the visitor's for the call.
 */
struct perfevents_known {
	const char *name;
	const char *alias; /* another name, or NULL */
	enum perfevents_kind kind;
	const char *pmu; /* NULL: none */
	const char *unit;
	bool is_there; /* the kernel has it: perf_event_open() accepts it */
};

/*
 * Calls visit for every event except tracepoints (capture/tracefs/eventdir.h has them), in the
 * order of perf list, until it returns a value other than 0, and returns that.
 */
int perfevents_each(const struct perfevents_place *place,
		    int (*visit)(void *ctx, const struct perfevents_known *event), void *ctx);
/* Has the machine a PMU that counts cycles and instructions? */
bool perfevents_has_hardware(const struct perfevents_place *place);

#endif

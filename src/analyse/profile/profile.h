/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * profile.h - sums where the time of tasks goes: running, blocked, runnable, in system calls,
 * functions and interrupts, with the stacks that led there.
 *
 *	profile_new ─▶ profile_add … (in the order of time) ─▶ profile_finish
 *	─▶ profile_tasks, profile_chains, profile_missing … ─▶ profile_free
 *
 * The records may come from a file or from a live buffer: no address in a record is kept, and after
 * the first events of every kind nothing is allocated. Results are valid as long as the profile;
 * formats and tasks must stay valid. Only one thread may use it at a time.
 *
 * There are two ways of counting: as trace-cmd does (config.as_trace_cmd), including its mistakes,
 * so that the two can be compared; and the correct one. profile.c lists the differences.
 */
#ifndef SONDE_ANALYSE_PROFILE_PROFILE_H
#define SONDE_ANALYSE_PROFILE_PROFILE_H

#include "analyse/profile/hook.h"
#include "base/errmsg.h"
#include "base/scope.h"
#include "decode/formats/formats.h"
#include "decode/record.h"
#include "symbols/tasks.h"

struct profile;

struct profile_config {
	bool global;	   /* interrupts belong to the CPU, not to the interrupted task (-G) */
	bool by_comm;	   /* combine tasks of the same name (--by-comm) */
	bool as_trace_cmd; /* count as trace-cmd report --profile does */
	bool with_own;	   /* show the tasks of sonde itself, too */
	bool filtered;	   /* filters exclude some events, so a missing end may be excluded */
	const struct profile_hook *hooks; /* the caller keeps them */
	size_t n_hooks;
};

/* Counts and durations. All times are in the units of the records' clock. */
struct profile_times {
	uint64_t n, total;
	/* *_ts: end of the duration (for a row), or its begin (for a stack) */
	uint64_t max, max_ts;
	uint64_t min, min_ts;
};

enum profile_kind { /* in the order of presentation */
		    /* on a CPU, from one switch to the next; not with as_trace_cmd */
		    PROFILE_RUN,
		    /* off the CPU; the value is the state, or PROFILE_PREEMPTED */
		    PROFILE_SWITCH,
		    PROFILE_WAKEUP,   /* from the wakeup until the task runs */
		    PROFILE_SYSCALL,  /* the value is the number */
		    PROFILE_HOOK,     /* the value is that of the matching field */
		    PROFILE_IRQ,      /* the value is the number */
		    PROFILE_SOFTIRQ,  /* from entry to exit; the value is the number */
		    PROFILE_RAISE,    /* softirq, from raise to entry */
		    PROFILE_FUNCTION, /* the value is the address */
		    PROFILE_EXEC,
		    PROFILE_STACK,
		    PROFILE_OTHER, /* only counted; the value is that of the first field */
};

#define PROFILE_PREEMPTED 0x10000u

/* A stack and the time spent in it. frames has the innermost first. */
struct profile_stack {
	const uint64_t *frames;
	size_t n_frames;
	struct profile_times times;
};

/* One line of a task. */
struct profile_row {
	enum profile_kind kind;
	const struct event *event;     /* the first event of the pair */
	const struct event *end_event; /* the second event of the pair; NULL: only counted */
	const struct field *field;     /* the field with the value; NULL: none */
	uint64_t value;
	/* name of an interrupt or a system call, if an event contains it; else NULL */
	const char *name;
	struct profile_times times;
	size_t n_stacks;
	/*
	 * values of the field, for PROFILE_OTHER and for hooks with many values; not with
	 * as_trace_cmd
	 */
	struct profile_row *const *values;
	size_t n_values;
};

struct profile_task {
	int pid;	  /* PROFILE_NO_PID: none */
	uint32_t cpu;	  /* CPU of an idle task, or if is_cpu */
	const char *comm; /* name of the task or of the group */
	bool is_idle, is_group;
	/* -G: the row belongs to a CPU, including its idle task unless as_trace_cmd */
	bool is_cpu;
	bool is_global; /* the row belongs to the machine: hooks with the flag g */
	size_t n_tasks; /* number of tasks in a group */
	uint64_t run;	/* total time on a CPU */
	uint64_t sum;	/* sum of the times of all rows, which may overlap */
	struct profile_row *const *rows;
	size_t n_rows;
};

#define PROFILE_NO_PID INT32_MIN

/* A node of the call chains for one kind of stack, with the time spent below it. */
struct profile_chain {
	uint64_t addr;
	struct profile_times times;
	/* share among its siblings, of the time, or of the counts if no time is known */
	unsigned percent;
	struct profile_chain *children;
	size_t n_children;
};

struct profile_seen {
	const struct event *event;
	uint64_t n;
};

/* A kind of result that cannot be shown because its events are missing. */
struct profile_missing {
	const char *what;   /* "system calls" */
	const char *events; /* "raw_syscalls" */
	const char *record; /* the options that record them */
};

/*
 * Creates a profile. Returns 0, -ENOMEM, or the error of a hook. tasks has names for tasks that no
 * event names.
 */
int profile_new(struct profile **ret, struct formats *f, struct tasks *tasks,
		const struct profile_config *config, struct errmsg *err);
void profile_free(struct profile *p);
SCOPED_POINTER(struct profile, profile_free)

/* Adds a record. Uses every member of rec except task, source and aux. */
void profile_add(struct profile *p, const struct record *rec);
/* Sorts the result. No records may be added afterwards. Returns 0 or -ENOMEM. */
int profile_finish(struct profile *p);

/*
 * Returns the tasks in the order of presentation. With -G, CPUs come first. Then come tasks by time
 * on a CPU, or by the time of all their rows if there are no switches. Idle tasks come last.
 * as_trace_cmd sorts by pid.
 */
const struct profile_task *const *profile_tasks(const struct profile *p, size_t *ret_n);

/* Returns the stacks of a row as a tree, valid until the next call, or NULL if there are none. */
const struct profile_chain *profile_chains(struct profile *p, const struct profile_row *row,
					   size_t *ret_n);
/*
 * Returns the stacks of a row as a list, those with the most time first. The caller frees the
 * array.
 */
struct profile_stack *profile_stacks(const struct profile *p, const struct profile_row *row);

/* Returns the kinds of events seen, the most frequent first. */
const struct profile_seen *profile_seen(const struct profile *p, size_t *ret_n);
/* Gets the i-th missing kind. Returns false if there are no more. */
bool profile_next_missing(const struct profile *p, size_t *i, struct profile_missing *ret);

/* Returns the name of a function, *ret_len bytes, not terminated; or NULL. */
const char *profile_function(const struct profile *p, uint64_t addr, size_t *ret_len);
/* Writes "S", "D", "R+" for a row's value, as the kernel's own format names it. */
void profile_state(const struct profile *p, uint64_t value, char text[32]);
/* Returns the name of a softirq, or NULL. */
const char *profile_softirq(unsigned number);

bool profile_range(const struct profile *p, uint64_t *ret_first, uint64_t *ret_last);
/* Returns the number of events that were not counted because of the memory limit. */
uint64_t profile_n_dropped(const struct profile *p);
/*
 * Returns the number of places where the kernel lost events. Pairs that were open there are not
 * counted.
 */
uint64_t profile_n_gaps(const struct profile *p);

#endif

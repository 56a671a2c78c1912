/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * profile.h - where the time of tasks goes: running, blocked, runnable, in system calls, functions
 * and interrupts, with the stacks that led there.
 *
 *	profile_new ─▶ profile_add … (in the order of time) ─▶ profile_finish
 *	─▶ profile_tasks, profile_chains, profile_missing … ─▶ profile_free
 *
 * The records may come from a file or from a live buffer: no address in a record is kept, and after
 * the first events of every kind nothing is allocated. Results are valid as long as the profile;
 * formats and tasks must stay valid. One owner.
 *
 * There are two ways of counting: as trace-cmd does (config.as_trace_cmd), including its mistakes,
 * so that the two can be compared; and the correct one. profile.c lists the differences.
 */
#ifndef SONDE_ANALYSE_PROFILE_PROFILE_H
#define SONDE_ANALYSE_PROFILE_PROFILE_H

#include "analyse/profile/hook.h"
#include "base/errmsg.h"
#include "decode/formats/formats.h"
#include "decode/record.h"
#include "symbols/tasks.h"

struct profile;

struct profile_config {
	bool global;	   /* interrupts belong to the CPU, not to the interrupted task (-G) */
	bool by_comm;	   /* combine tasks of the same name (--by-comm) */
	bool as_trace_cmd; /* count as trace-cmd report --profile does */
	bool with_own;	   /* show sonde's own tasks, too */
	bool filtered;	   /* some events are filtered out: a missing end may just be hidden */
	const struct profile_hook *hooks; /* the caller keeps them */
	size_t n_hooks;
};

/* Counts and durations. All times in the units of the records' clock. */
struct profile_times {
	uint64_t n, total;
	uint64_t max, max_ts; /* *_ts: when it ended (for a row) or began (for a stack) */
	uint64_t min, min_ts;
};

enum profile_kind {		      /* in the order to show them */
		    PROFILE_RUN,      /* on a CPU, from one switch to the next; not as_trace_cmd */
		    PROFILE_SWITCH,   /* off the CPU; value: the state, or PROFILE_PREEMPTED */
		    PROFILE_WAKEUP,   /* from wakeup to running */
		    PROFILE_SYSCALL,  /* value: number */
		    PROFILE_HOOK,     /* value: of the matching field */
		    PROFILE_IRQ,      /* value: number */
		    PROFILE_SOFTIRQ,  /* entry to exit; value: number */
		    PROFILE_RAISE,    /* softirq: raise to entry */
		    PROFILE_FUNCTION, /* value: address */
		    PROFILE_EXEC,
		    PROFILE_STACK,
		    PROFILE_OTHER, /* only counted; value: of its first field */
};

#define PROFILE_PREEMPTED 0x10000u

/* A stack and the time spent in it. frames: the innermost first. */
struct profile_stack {
	const uint64_t *frames;
	size_t n_frames;
	struct profile_times times;
};

/* One line of a task. */
struct profile_row {
	enum profile_kind kind;
	const struct event *event;     /* the event that starts it */
	const struct event *end_event; /* NULL: only counted */
	const struct field *field;     /* the field of the value; NULL: none */
	uint64_t value;
	const char *name; /* of an interrupt or a system call, if an event has it; or NULL */
	struct profile_times times;
	size_t n_stacks;
	/* PROFILE_OTHER, and hooks with many: the values of the field; not as_trace_cmd */
	struct profile_row *const *values;
	size_t n_values;
};

struct profile_task {
	int pid;	  /* PROFILE_NO_PID: none */
	uint32_t cpu;	  /* of an idle task, or where is_cpu */
	const char *comm; /* or of the group */
	bool is_idle, is_group;
	bool is_cpu;	/* -G: belongs to a CPU; without as_trace_cmd including its idle task */
	bool is_global; /* … to the machine: hooks with the flag g */
	size_t n_tasks; /* in a group */
	uint64_t run;	/* total time on a CPU */
	uint64_t sum;	/* of the times of all rows, which may overlap */
	struct profile_row *const *rows;
	size_t n_rows;
};

#define PROFILE_NO_PID INT32_MIN

/* For one kind of stack: who called whom, with the time spent below. */
struct profile_chain {
	uint64_t addr;
	struct profile_times times;
	unsigned percent; /* of its siblings; of time, or of counts if no time is known */
	struct profile_chain *children;
	size_t n_children;
};

struct profile_seen {
	const struct event *event;
	uint64_t n;
};

/* What cannot be shown because its events are missing. */
struct profile_missing {
	const char *what;   /* "system calls" */
	const char *events; /* "raw_syscalls" */
	const char *record; /* how to record them */
};

/* Returns 0, -ENOMEM, or the error of a hook. tasks: names for tasks that no event names. */
int profile_new(struct profile **ret, struct formats *f, struct tasks *tasks,
		const struct profile_config *config, struct errmsg *err);
void profile_free(struct profile *p);

/* Uses every member of rec except task, source and aux. */
void profile_add(struct profile *p, const struct record *rec);
/* Sorts. Nothing may be added afterwards. 0 or -ENOMEM. */
int profile_finish(struct profile *p);

/*
 * The tasks in the order to show them: CPUs first with -G; then the most time on a CPU, or in all
 * their rows if no switches are known, first, and idle tasks last; as_trace_cmd by pid.
 */
const struct profile_task *const *profile_tasks(const struct profile *p, size_t *ret_n);

/* The stacks of a row as a tree, valid until the next call; NULL if there are none. */
const struct profile_chain *profile_chains(struct profile *p, const struct profile_row *row,
					   size_t *ret_n);
/* The stacks of a row as a list, the most time first; the caller frees the array. */
struct profile_stack *profile_stacks(const struct profile *p, const struct profile_row *row);

/* The kinds of events seen, the most frequent first. */
const struct profile_seen *profile_seen(const struct profile *p, size_t *ret_n);
/* The i-th missing thing; false: no more. */
bool profile_next_missing(const struct profile *p, size_t *i, struct profile_missing *ret);

/* The name of a function, or NULL. *ret_len bytes, not terminated. */
const char *profile_function(const struct profile *p, uint64_t addr, size_t *ret_len);
/* "S", "D", "R+" for a row's value, as the kernel's own format names it. */
void profile_state(const struct profile *p, uint64_t value, char text[32]);
/* Softirqs by number, or NULL. */
const char *profile_softirq(unsigned number);

bool profile_range(const struct profile *p, uint64_t *ret_first, uint64_t *ret_last);
/* Events not counted because of the memory limit. */
uint64_t profile_n_dropped(const struct profile *p);
/* Places where the kernel lost events: what was open there is not counted. */
uint64_t profile_n_gaps(const struct profile *p);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * profile_int.h - declarations that the files of the profile share. The door is profile.h.
 *
 *	profile.c         the effect of each event
 *	setup.c   which events these are, and how they pair
 *	store.c   tasks, starts, rows, stacks: find, add, drop
 *	result.c  merging, folding, sorting
 *	chains.c  stacks as trees
 */
#ifndef SONDE_ANALYSE_PROFILE_PROFILE_INT_H
#define SONDE_ANALYSE_PROFILE_PROFILE_INT_H

#include "analyse/profile/profile.h"
#include "base/arena.h"
#include "decode/formats/event.h"
#include "symbols/tasks.h"

#define PROFILE_MAX_BYTES  (512u << 20) /* limit of tasks, starts, rows and stacks */
#define PROFILE_TASKS_MAX  (1u << 18)
#define PROFILE_STARTS_MAX (1u << 20)
#define PROFILE_ROWS_MAX   (1u << 20)
#define PROFILE_CPUS_MAX   (1u << 16)
#define PROFILE_FRAMES_MAX 4096
#define PROFILE_COMM_BYTES 64

/* An item of a hash table. Items with the same hash are in a list, the latest first. */
struct pitem {
	struct pitem *next;
	uint64_t hash;
};

struct ptable {
	struct pitem **heads; /* the lists; their number is a power of two */
	size_t n_heads, n, n_max;
	uint64_t seed;
};

struct pevent;

struct pstack {
	struct pitem item; /* must be the first member of all of these structs */
	size_t n_frames;
	uint64_t frames[];
};

/* The connection between a stack and a row. */
struct plink {
	struct pitem item;
	struct prow *row;
	const struct pstack *stack;
	struct profile_times times;
	struct plink *next; /* next link of the row */
};

struct prow {
	struct pitem item;
	struct profile_row pub;
	struct ptask *task;
	const struct pevent *pev;
	uint64_t search, value;
	uint64_t last; /* the duration that was added last */
	struct plink *links;
	struct prow *next; /* next row of the task */
};

/* An open start of a pair. */
struct pstart {
	struct pitem item;
	struct ptask *task;
	const struct pevent *pev;
	uint64_t search, value, ts;
	const struct pstack *stack;
	uint64_t stack_ts;
	struct ptask *whose;  /* PAIR_VALUE: the task for which the pair counts */
	struct ptask *holder; /* the task that has, or had, this start as its last_start */
	/* neighbours in the list of the CPU, or of the starts that migrate */
	struct pstart *newer, *older;
	uint32_t cpu;
};

enum sleep_state { SLEEP_UNKNOWN, SLEEP_NO, SLEEP_YES };

struct ptask {
	struct pitem item;
	struct profile_task pub;
	uint64_t key;
	enum sleep_state sleep;
	bool has_comm;
	bool stack_is_new;
	struct ptask *proxy; /* the task to which the next stack belongs */
	struct pstart
		*last_start;   /* start of a pair that gets the next stack; NULL: see last_row */
	struct prow *last_row; /* row to which the next stack belongs */
	const struct pstack *last_stack;
	uint64_t last_stack_ts;
	struct prow *rows;
	struct ptask *group, *next; /* next: link of the list of all tasks */
	char comm[PROFILE_COMM_BYTES];
};

struct pcpu {
	struct pstart *starts;
	struct ptask *running; /* the running task, and the time since when: */
	uint64_t since;
	struct ptask *global;
};

typedef void (*pevent_handler)(struct profile *p, int pid, const struct pevent *pev,
			       const struct record *rec);

/* A kind of event, and its meaning in the profile. */
struct pevent {
	const struct event *event;
	enum profile_kind kind;
	pevent_handler handle;
	const struct pevent *start, *end; /* the other event of the pair */
	const struct field *pid_field;
	const struct field *start_match; /* field of the start that must equal end_match */
	const struct field *end_match;	 /* field of the end that must equal start_match */
	const struct field *data_field, *comm_field, *next_comm_field, *name_field;
	const char *name; /* NAME of syscalls:sys_enter_NAME */
	bool migrate, global;
	enum {
		PAIR_TASK, /* the pair starts and ends in one task */
		/* the pair starts and ends on one CPU, and counts for the task in which it ends */
		PAIR_CPU,
		/*
		 * the pair starts and ends anywhere, and counts for the task that the start
		 * concerns
		 */
		PAIR_VALUE,
	} pairs;
	enum {
		/* a second start nests: there are two pairs, and the inner one ends first */
		AGAIN_NESTS,
		/* a second start is ignored: there is one pair, from the first start on */
		AGAIN_FIRST,
		AGAIN_LAST, /* a second start replaces the first, which has no end */
	} again;
	bool one_per_task;   /* a task has at most one open start, whatever its value is */
	bool keeps_stack;    /* the next stack belongs to the event's other meaning */
	struct pevent *also; /* another meaning of the same event */
};

struct pname {
	struct pitem item;
	uint64_t number;
	char text[];
};

struct profile {
	struct formats *f;
	struct tasks *names;
	struct profile_config config;
	struct arena arena, chain_arena;
	uint64_t seed;
	struct ptable tasks, starts, rows, stacks, links, irq_names;
	struct pstart *free_starts, *migrating;
	struct ptask *all_tasks, *last_task, *global;
	struct pcpu *cpus;
	size_t n_cpus;

	struct pevent **by_id; /* n_ids lists */
	uint64_t *n_seen;
	size_t n_ids;
	struct pevent *sched_switch, *wakeup, *stack;
	struct pevent run; /* not an event, but the time on a CPU */
	uint64_t state_mask;
	struct {
		uint64_t bit;
		char text[8];
	} states[16];
	size_t n_states;

	uint64_t first_ts, last_ts, n_dropped, n_gaps;
	bool any;
	uint64_t *scratch; /* the stack that is being read */
	const struct profile_task **sorted;
	size_t n_sorted;
	struct profile_seen *seen;
	size_t n_kinds;
};

/* --- profile.c --- */
void profile_handle_pair(struct profile *p, int pid, const struct pevent *pev,
			 const struct record *rec);
void profile_handle_switch(struct profile *p, int pid, const struct pevent *pev,
			   const struct record *rec);
void profile_handle_wakeup(struct profile *p, int pid, const struct pevent *pev,
			   const struct record *rec);
void profile_handle_stack(struct profile *p, int pid, const struct pevent *pev,
			  const struct record *rec);
void profile_handle_exec(struct profile *p, int pid, const struct pevent *pev,
			 const struct record *rec);
void profile_handle_graph_entry(struct profile *p, int pid, const struct pevent *pev,
				const struct record *rec);
void profile_handle_graph_exit(struct profile *p, int pid, const struct pevent *pev,
			       const struct record *rec);
void profile_handle_irq_entry(struct profile *p, int pid, const struct pevent *pev,
			      const struct record *rec);

/* --- setup.c --- */
int profile_setup(struct profile *p, struct errmsg *err);
/* Adds a meaning for an event that was not requested by name. Returns NULL if out of memory. */
struct pevent *profile_add_other(struct profile *p, const struct event *ev);

/* --- store.c --- */
int ptable_init(struct ptable *t, uint64_t seed, size_t n_max);
void ptable_release(struct ptable *t);

struct ptask *profile_task_get(struct profile *p, int pid, uint32_t cpu);
struct ptask *profile_task_global(struct profile *p, bool migrate, uint32_t cpu);
struct pcpu *profile_cpu(struct profile *p, uint32_t cpu);
struct ptask *profile_task_new(struct profile *p);

struct pstart *profile_start_add(struct profile *p, struct ptask *task, const struct pevent *pev,
				 const struct record *rec, uint64_t search, uint64_t value);
struct pstart *profile_start_find(struct profile *p, const struct ptask *task,
				  const struct pevent *pev, uint64_t search);
void profile_start_free(struct profile *p, struct pstart *s);
/* Drops the open starts of a CPU where events were lost, because they may have ended. */
void profile_forget(struct profile *p, uint32_t cpu);

struct prow *profile_row_get(struct profile *p, struct ptask *task, const struct pevent *pev,
			     uint64_t search, uint64_t value);
/* Finds or adds a stack. Equal stacks are the same object. */
const struct pstack *profile_stack_get(struct profile *p, const uint64_t *frames, size_t n);
struct plink *profile_link_get(struct profile *p, struct prow *row, const struct pstack *stack);
void profile_irq_name_add(struct profile *p, uint64_t irq, const char *name, size_t len);
const char *profile_irq_name(const struct profile *p, uint64_t irq);

void profile_times_add(struct profile_times *t, uint64_t time, uint64_t ts);
/* Adds the times of another row of the same kind. */
void profile_times_merge(struct profile_times *t, const struct profile_times *in);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * usercollector.h - turns the records of all threads into events of a trace file, CPU by CPU.
 *
 *	usercollector_new
 *	    usercollector_round     every few milliseconds, by one thread; wait as long as it says
 *	    usercollector_flush     twice a second: what is ready goes to the sink
 *	usercollector_finish        everything that is left
 *	usercollector_free
 *
 * The rings belong to programs that may be broken or hostile. Whatever they contain, the collector
 * continues, and the events of other programs stay correct. An invalid ring is counted and ignored.
 * Only one thread may use a collector.
 */
#ifndef SONDE_CAPTURE_CALLS_USERCOLLECTOR_H
#define SONDE_CAPTURE_CALLS_USERCOLLECTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct usercollector;
struct userplan;
struct userrings;
struct userstats;
struct uservalues;

/* What the numbers of a plan mean: the address of function `id` is funcs[id], of 1 … n - 1. */
struct usercollector_meaning {
	const uint32_t *funcs; /* valid as long as the collector */
	/* what the values of function `id` mean, values[id]; NULL: no function has any */
	const struct uservalues *const *values;
	const struct userplan *plan; /* for fmt_values() */
	uint32_t n;
	uint64_t pid_ns; /* userpids.h: of threads that do not know theirs */
};

struct usercollector_config {
	struct userrings *rings;
	struct userstats *stats; /* calls of each function are counted here; NULL: nowhere */
	unsigned n_cpus;
	uint32_t page_size;
	void *ctx;
	/*
	 * Whole pages of a CPU. 0; a negative errno, which ends the collecting; 1: wants cut(),
	 * which gets nothing but what is older than all that comes.
	 */
	int (*take)(void *ctx, unsigned cpu, const void *page, size_t n_bytes);
	/* Nothing more comes for now; may be NULL. */
	int (*flush)(void *ctx, unsigned cpu);
	int (*cut)(void *ctx); /* may be NULL if take() never asks for it */
	/* The newest meaning of a plan; false: there is no such plan. */
	bool (*find_meaning)(void *ctx, uint32_t plan, struct usercollector_meaning *ret);
	/*
	 * A text of the arguments or the return value of a call, from what its program has fetched,
	 * n_bytes. Returns its length, below size; 0: there is none. May be NULL.
	 */
	size_t (*fmt_values)(void *ctx, const struct usercollector_meaning *meaning, uint32_t id,
			     bool is_ret, const uint64_t *words, size_t n_bytes, char *out,
			     size_t size);
	/* A text of open calls, the outermost first; the same. May be NULL. */
	size_t (*fmt_stack)(void *ctx, const uint32_t *funcs, size_t n, char *out, size_t size);
	/* records that are younger, in counts, may be taken back: they wait; 0: none may */
	uint64_t delay_counts;
	/* A thread begins to record, or has ended: time to read its name; may be NULL. */
	void (*tell_thread)(void *ctx, uint32_t plan, uint32_t pid, uint32_t tid);
};

struct usercollector_sum {
	uint64_t n_calls;   /* entries */
	uint64_t n_events;  /* written */
	uint64_t n_lost;    /* calls that programs could not store */
	uint64_t n_endless; /* calls whose return could not be stored */
	uint64_t n_deep;    /* calls that were not followed: too many inside each other */
	uint64_t n_late;    /* events that came too late and have the time of a later one */
	uint64_t n_odd;	    /* records that make no sense */
	uint32_t n_broken;  /* rings that were ignored */
	uint32_t n_threads;
	bool clock_is_bad; /* the counter does not follow the clock */
};

/* NULL: out of memory. */
struct usercollector *usercollector_new(const struct usercollector_config *config);
void usercollector_free(struct usercollector *c);

/*
 * Takes what is there. Returns how many microseconds to wait before the next round, or a negative
 * errno from take().
 */
int usercollector_round(struct usercollector *c);
/*
 * Adds an event that is not of a ring, with the time of the last round. -EAGAIN: not after this
 * round, because older events are to come; or what take() returns.
 */
int usercollector_put(struct usercollector *c, const void *record, uint32_t n_bytes);
int usercollector_flush(struct usercollector *c);
/* Takes all the rest; programs should no longer write. */
int usercollector_finish(struct usercollector *c);
void usercollector_get_sum(const struct usercollector *c, struct usercollector_sum *ret);

#endif

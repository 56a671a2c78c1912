/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * syscollector.h - turns the records of the ring into events of a trace file, CPU by CPU.
 *
 *	syscollector_new
 *	    syscollector_round     every few milliseconds, by one thread; wait as long as it says
 *	    syscollector_flush     what is ready goes to the sink
 *	syscollector_finish        everything that is left, and the calls that have not returned
 *	syscollector_free
 */
#ifndef SONDE_CAPTURE_SYSCALLS_SYSCOLLECTOR_H
#define SONDE_CAPTURE_SYSCALLS_SYSCOLLECTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct syscollector;
struct sysslots;
struct sysring;
struct textbuf;

struct syscollector_config {
	struct sysring *ring;
	const struct sysslots *slots; /* open calls; NULL: none */
	unsigned n_cpus;
	uint32_t page_size;
	void *ctx;
	/* Whole pages of a CPU. 0, or a negative errno, which ends the collecting. */
	int (*take)(void *ctx, unsigned cpu, const void *page, size_t n_bytes);
};

struct syscollector_sum {
	uint64_t n_calls, n_events;
	uint64_t n_orphans; /* memory of entries whose exit never came */
};

/* NULL: out of memory. */
struct syscollector *syscollector_new(const struct syscollector_config *config);
void syscollector_free(struct syscollector *c);
/* Returns how many microseconds to wait before the next round, or a negative errno. */
int syscollector_round(struct syscollector *c);
int syscollector_flush(struct syscollector *c);
int syscollector_finish(struct syscollector *c);
void syscollector_get_sum(const struct syscollector *c, struct syscollector_sum *ret);
/* "PID NAME" lines of the tasks that have ended; another thread must not collect now. */
void syscollector_add_names(const struct syscollector *c, struct textbuf *tb);

#endif

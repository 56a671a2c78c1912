/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * schedchains.h - counts chains of wakeups: who woke a task, who had woken that one, and so on.
 *
 *	schedchains_new ─▶ schedchains_add … ─▶ schedchains_finish ─▶ rows ─▶ schedchains_free
 */
#ifndef SONDE_ANALYSE_SCHED_SCHEDCHAINS_H
#define SONDE_ANALYSE_SCHED_SCHEDCHAINS_H

#include "analyse/sched/schedflow.h"

struct sched_chain_sum {
	const char *label; /* "reader ← writer ← an interrupt" */
	uint64_t n;
	uint64_t sleep_ns;			      /* time that the woken task slept before */
	uint64_t wait_ns, max_wait;		      /* time from the waking until it ran */
	uint64_t max_ts;			      /* end of the longest wait */
	struct sched_link links[SCHED_CHAIN_MAX + 1]; /* the woken task first; of the first chain */
	unsigned n_links;
};

struct schedchains;

/* by_pid: a chain is of tasks, not of names. n_links: the longest chain. */
struct schedchains *schedchains_new(bool by_pid, unsigned n_links);
void schedchains_free(struct schedchains *c);
SCOPED_POINTER(struct schedchains, schedchains_free)
void schedchains_add(struct schedchains *c, const struct sched_turn *t);
/* Sorts by the time of waits, sleeps or by number. Returns 0 or -ENOMEM. */
enum schedchains_order { CHAINS_BY_WAIT, CHAINS_BY_SLEEP, CHAINS_BY_COUNT };
int schedchains_finish(struct schedchains *c, enum schedchains_order order);
const struct sched_chain_sum *const *schedchains_rows(const struct schedchains *c, size_t *ret_n);
bool schedchains_has_dropped(const struct schedchains *c);

#endif

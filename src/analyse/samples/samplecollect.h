/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * samplecollect.h - the records of a trace to a set of samples with stacks.
 *
 *	samplecollect_new ─▶ samplecollect_add … (in the order of time) ─▶ samplecollect_end ─▶ set
 *
 * The stacks come from
 *
 *	SAMPLES_TAKEN      perf:sample; weight: the period
 *	SAMPLES_STACKS     kernel_stack and user_stack behind events; weight 1
 *	SAMPLES_OFF_CPU    kernel_stack behind sched_switch; weight: ns until the task runs again
 *	SAMPLES_WAKEUPS    kernel_stack behind sched_waking: the stack of the waker, and on top the
 *	                   name of the task that waited; weight: ns that it had waited
 *
 * Only one thread may use it at a time.
 */
#ifndef SONDE_ANALYSE_SAMPLES_SAMPLECOLLECT_H
#define SONDE_ANALYSE_SAMPLES_SAMPLECOLLECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct errmsg;
struct formats;
struct record;
struct samplecollect;
struct sampleinfo;
struct sampleset;
struct tasks;

enum samples_source { SAMPLES_TAKEN, SAMPLES_STACKS, SAMPLES_OFF_CPU, SAMPLES_WAKEUPS };

struct samplecollect_config {
	enum samples_source source;
	/*
	 * name of a sampled event, or of an event with stacks ("sched_switch", "sched:*"); NULL:
	 * all
	 */
	const char *event;
	const char *not_event; /* a sampled event that is left out; NULL: none */
	uint64_t from, to;     /* inclusive; to 0: all */
	const int *tids;       /* only these tasks; none: all */
	size_t n_tids;
	const char *comm;     /* only tasks whose name matches this glob; NULL: all */
	const uint32_t *cpus; /* only these CPUs; none: all */
	size_t n_cpus;
	unsigned keep; /* enum sampleset_keep */
};

/* What the trace has, for a choice of the source. */
struct samples_there {
	bool taken;    /* it describes samples */
	bool stacks;   /* it describes kernel_stack */
	bool switches; /* … and sched_switch */
	bool wakeups;  /* … and sched_waking or sched_wakeup */
};
struct samples_there samplecollect_look(struct formats *f);

/* config, f and info must stay valid. -ENOENT with a message: the trace has no such events. */
int samplecollect_new(struct samplecollect **ret, struct formats *f, const struct sampleinfo *info,
		      const struct samplecollect_config *config, struct errmsg *err);
void samplecollect_free(struct samplecollect *sc);

/* By event id: those that matter. */
const uint8_t *samplecollect_events(const struct samplecollect *sc, size_t *ret_n);
void samplecollect_add(struct samplecollect *sc, const struct record *rec);
/*
 * Adds the samples of a part of the trace, which follows those of sc, and empties it. Only of
 * SAMPLES_TAKEN. tasks: those of sc. Returns 0, or a negative errno if there is no room.
 */
int samplecollect_join(struct samplecollect *sc, struct samplecollect *part, struct tasks *tasks);
/* The trace has ended. */
void samplecollect_end(struct samplecollect *sc);

/* Valid until samplecollect_free(). */
struct sampleset *samplecollect_set(const struct samplecollect *sc);
/* Records that are too short or damaged. */
uint64_t samplecollect_n_bad(const struct samplecollect *sc);
/* Is the weight a time in ns? Else it is a number of events. */
bool samplecollect_is_time(const struct samplecollect *sc);

#endif

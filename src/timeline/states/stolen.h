/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * stolen.h - stolen time: a guest's task occupies a virtual CPU that the host does not run.
 */
#ifndef SONDE_TIMELINE_STATES_STOLEN_H
#define SONDE_TIMELINE_STATES_STOLEN_H

#include "decode/taskstate.h"
#include "timeline/lanes/lane.h"
#include "timeline/states/states.h"

/* A time in which the thread of a virtual CPU did not run, or its state is unknown. */
struct stolen_time {
	uint64_t start, end;
	/* CPU of the host for which the thread waits, or where it ran last; -1: unknown */
	int32_t cpu;
	enum task_state state;
};

struct stolen_vcpu {
	uint32_t guest, cpu; /* the guest's machine, and its CPU */
	uint32_t host;	     /* the host's machine */
	int task;	     /* the host's thread that runs this CPU; -1: not in the host's trace */
	uint64_t first, last;	   /* the known range of the thread; no time is outside it */
	struct stolen_time *times; /* in time order */
	size_t n, cap;
};

struct stolen {
	struct stolen_vcpu *vcpus;
	size_t n_vcpus, n_times;
	bool is_over, failed;
};

struct stolen_sum {
	uint64_t ns, unknown_ns;
};

/*
 * Collects the times of the threads of all virtual CPUs between from and to. Without host and
 * guest, or with too many times to store, there are no vcpus. Returns 0 or -ENOMEM. Release s in
 * either case.
 */
int stolen_init(struct stolen *s, struct lanes *ls, uint64_t from, uint64_t to);
void stolen_release(struct stolen *s);
/* Returns true if the host of this machine is known. */
bool stolen_is_guest(const struct stolen *s, uint32_t machine);
/* Returns NULL if the host is unknown. */
const struct stolen_vcpu *stolen_find(const struct stolen *s, uint32_t guest, uint32_t cpu);
/* Returns the index of the first time that ends after t, or v->n if there is none. */
size_t stolen_first(const struct stolen_vcpu *v, uint64_t t);
/* Adds the stolen part of [from, to]. If v is NULL, the whole range is unknown. */
void stolen_add(const struct stolen_vcpu *v, uint64_t from, uint64_t to, struct stolen_sum *sum);

#endif

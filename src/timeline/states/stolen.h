/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stolen.h - time that tasks of a guest had their CPU, and that CPU had none of the host's.
 */
#ifndef SONDE_TIMELINE_STATES_STOLEN_H
#define SONDE_TIMELINE_STATES_STOLEN_H

#include "timeline/lanes/lane.h"
#include "timeline/states/states.h"

/* A time that the thread of a virtual CPU did not run, or of which nobody knows whether it did. */
struct stolen_time {
	uint64_t start, end;
	int32_t cpu; /* of the host: which it waits for; else where it ran last; -1: not known */
	enum task_state state;
};

struct stolen_vcpu {
	uint32_t guest, cpu; /* machine, and its CPU */
	uint32_t host;	     /* machine */
	int task; /* of the host: the thread that is this CPU; -1: not met in its trace */
	uint64_t first, last;	   /* what is known of the thread; nothing is outside */
	struct stolen_time *times; /* in order */
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
 * Looks at the threads of all virtual CPUs between from and to. Without hosts and guests, or with too many times to keep,
 * there are no vcpus in it. 0 or -ENOMEM; released in either case.
 */
int stolen_init(struct stolen *s, struct lanes *ls, uint64_t from, uint64_t to);
void stolen_release(struct stolen *s);
/* Is a host known for CPUs of this machine? */
bool stolen_is_guest(const struct stolen *s, uint32_t machine);
/* NULL: no host is known for it. */
const struct stolen_vcpu *stolen_find(const struct stolen *s, uint32_t guest, uint32_t cpu);
/* The first time that ends after t; v->n: there is none. */
size_t stolen_first(const struct stolen_vcpu *v, uint64_t t);
/* Adds what of [from, to] was stolen; v NULL: all of it is unknown. */
void stolen_add(const struct stolen_vcpu *v, uint64_t from, uint64_t to, struct stolen_sum *sum);

#endif

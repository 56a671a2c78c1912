/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * latency_int.h - what latency.c and setup.c share.
 */
#ifndef SONDE_ANALYSE_LATENCY_LATENCY_INT_H
#define SONDE_ANALYSE_LATENCY_LATENCY_INT_H

#include "analyse/latency/latency.h"
#include "analyse/own.h"

enum latency_role {
	ROLE_FROM = 1,
	ROLE_TO = 2,
	ROLE_ENTRY = 4, /* of a probed function */
	ROLE_RETURN = 8,
	ROLE_GRAPH_ENTRY = 16,
	ROLE_GRAPH_EXIT = 32,
};

enum latency_kind { KIND_UNKNOWN, KIND_GRAPH, KIND_PROBE };

/* One kind of event, as the question sees it. */
struct latency_event {
	unsigned roles;
	size_t call;  /* which of config->calls it belongs to */
	bool by_name; /* the event's own name says which function it is of */
	const struct field *address, *calltime, *rettime;
	const struct field *frame,
		*skip;		      /* of a call: the stack that it was made with, less skip */
	const struct field *duration; /* of a return that knows how long its call took */
	struct key_slot from_keys[KEYS_MAX], to_keys[KEYS_MAX], groups[KEYS_MAX];
};

/* Where something began. */
struct point {
	uint64_t ts;
	uint64_t values[KEYS_MAX];
	const struct key_slot *slots[KEYS_MAX];
	uint32_t cpu;
	bool is_left_out; /* by a filter; but its return is not that of a call around it */
};

struct call {
	struct point point;
	struct call *outer;
};

#define START_KEYS_MAX \
	(KEYS_MAX + 2) /* behind the thread may be its stack, and last the function */

struct start {
	uint64_t keys[START_KEYS_MAX];
	struct point point;
	struct call *outer; /* calls of the same function around this one */
	bool is_used;
};

struct is_function { /* what was found out about an address */
	uint64_t address;
	uint8_t state; /* 0: free, 1: no, 2: yes */
};

#define FUNCTIONS_KNOWN 1024

struct latency {
	const struct latency_config *config;
	struct formats *f;
	struct own own;
	struct keyreader keys;
	struct arena arena;
	struct latency_event **events; /* by id; NULL: does not matter */
	uint8_t *wanted;
	size_t n_events;
	enum latency_side sides[KEYS_MAX]; /* of the groups */
	size_t n_keys;
	struct start *starts;
	size_t n_starts, n_used;
	struct call *free_calls;
	size_t n_left_out; /* of those under way */
	size_t n_calls;
	uint64_t seed;
	enum latency_kind kind; /* of functions */
	bool has_frames;	/* each call has its own stack, so it is known which one returns */
	bool has_whole_calls;	/* funcgraph_exit has calltime and rettime */
	bool has_durations;	/* … and returns of probes have the duration */
	struct is_function known[FUNCTIONS_KNOWN];
	struct latencies result;
	struct latency_counts counts;
};

/* Is it an address of the function? near: its beginning only, as a probe at the entry has it. */
bool latency_is_function(struct latency *l, uint64_t address, bool near);

#endif

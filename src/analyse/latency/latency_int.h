/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* latency_int.h - declarations that latency.c and setup.c share. */
#ifndef SONDE_ANALYSE_LATENCY_LATENCY_INT_H
#define SONDE_ANALYSE_LATENCY_LATENCY_INT_H

#include "analyse/latency/latency.h"
#include "analyse/own.h"
#include "base/arena.h"
#include "decode/formats/event.h"

enum latency_role {
	ROLE_FROM = 1,
	ROLE_TO = 2,
	ROLE_ENTRY = 4, /* entry of a probed function */
	ROLE_RETURN = 8,
	ROLE_GRAPH_ENTRY = 16,
	ROLE_GRAPH_EXIT = 32,
	ROLE_WHOLE = 64, /* a whole call with its duration, at the time of its beginning */
	ROLE_SPAN = 128, /* a whole system call with its duration, at the time of its end */
};

enum latency_kind { KIND_UNKNOWN, KIND_GRAPH, KIND_PROBE };

/* The role of an event in the measurement. */
struct latency_event {
	unsigned roles;
	size_t call;  /* index in config->calls */
	bool by_name; /* the name of the event identifies the function */
	bool is_user; /* an event of a program's function, without duration */
	const struct field *address, *calltime, *rettime;
	/* for a call: the stack at its entry is frame minus skip */
	const struct field *frame, *skip;
	const struct field *duration; /* for a return that contains the duration of its call */
	struct key_slot from_keys[KEYS_MAX], to_keys[KEYS_MAX], groups[KEYS_MAX];
};

/* The point where a pair starts. */
struct point {
	uint64_t ts;
	uint64_t values[KEYS_MAX];
	const struct key_slot *slots[KEYS_MAX];
	uint32_t cpu;
	/* excluded by a filter, but kept so that its return is not matched with an outer call */
	bool is_left_out;
};

struct call {
	struct point point;
	struct call *outer;
};

#define START_KEYS_MAX \
	(KEYS_MAX + 2) /* the thread may be followed by its stack; the function is the last key */

struct start {
	uint64_t keys[START_KEYS_MAX];
	struct point point;
	struct call *outer; /* outer calls of the same function */
	bool is_used;
};

struct is_function { /* the cached result for an address */
	uint64_t address;
	uint8_t state; /* 0: free, 1: not the function, 2: the function */
};

#define FUNCTIONS_KNOWN 1024

struct latency_early; /* join.c */

struct latency {
	const struct latency_config *config;
	struct latency_early *early; /* NULL: this is no part */
	struct formats *f;
	struct own own;
	struct keyreader keys;
	struct arena arena;
	struct latency_event **events; /* by event id; NULL: irrelevant event */
	uint8_t *wanted;
	size_t n_events;
	enum latency_side sides[KEYS_MAX]; /* sides of the groups */
	size_t n_keys;
	struct start *starts;
	size_t n_starts, n_used;
	struct call *free_calls;
	size_t n_left_out; /* number of open starts that are excluded */
	size_t n_calls;
	uint64_t seed;
	enum latency_kind kind; /* kind of events that measure functions */
	bool has_frames;	/* each call has its own stack, which identifies the return */
	bool has_whole_calls;	/* funcgraph_exit has calltime and rettime */
	bool has_durations;	/* returns of probes contain the duration */
	struct is_function known[FUNCTIONS_KNOWN];
	struct latencies result;
	struct latency_counts counts;
};

/* Returns true if an A that comes again before B nests, instead of starting the pair again. */
static inline bool latency_nests(const struct latency *l)
{
	return l->config->function || (l->config->is_call && !l->has_frames);
}

/* latency.c: what is under way */
void latency_read_keys(struct latency *l, const struct latency_event *le,
		       const struct key_slot *slots, const struct record *rec, uint64_t *keys);
/* Returns the start with these keys, or a free one, or NULL if there is no room for more. */
struct start *latency_find_start(struct latency *l, const uint64_t *keys);
/*
 * Adds a point to the start that latency_find_start() returned. Returns false if it does not fit.
 */
bool latency_put_point(struct latency *l, struct start *s, const uint64_t *keys,
		       const struct point *point);
/* Removes the start with its outer calls. */
void latency_remove_start(struct latency *l, struct start *s);
/* Removes all starts, and returns how many were under way. */
uint64_t latency_clear_starts(struct latency *l);
void latency_end(struct latency *l, const struct latency_event *le, const struct record *rec,
		 bool is_left_out);

/* join.c: a part has no start for this event. Returns true if the whole decides about it later. */
bool latency_is_early_end(struct latency *l, const struct latency_event *le,
			  const struct record *rec, bool is_left_out);
void latency_note_begin(struct latency *l, const struct record *rec, const uint64_t *keys);
/* What was under way before the part is not any more. */
void latency_note_gap(struct latency *l);
void latency_free_early(struct latency *l);

/*
 * Returns true if the address belongs to the function. near: accept only its beginning, as for a
 * probe at the entry.
 */
bool latency_is_function(struct latency *l, uint64_t address, bool near);

#endif

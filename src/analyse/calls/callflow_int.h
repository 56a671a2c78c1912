/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* callflow_int.h - what callflow.c and callparts.c share. */
#ifndef SONDE_ANALYSE_CALLS_CALLFLOW_INT_H
#define SONDE_ANALYSE_CALLS_CALLFLOW_INT_H

#include "analyse/calls/callflow.h"
#include "base/arena.h"
#include "base/map.h"
#include "decode/callevent.h"

#define DEPTH_MAX	(1u << 20)
#define CACHE_SLOTS	1024
#define EPOCHS		256 /* of sources; more share one */

#define SEVERAL_SOURCES UINT32_MAX

enum call_side { SIDE_USER = 1, SIDE_KERNEL = 2 };

struct flow_part;

struct known_func {
	uint64_t key;
	struct flow_func *func; /* NULL: the place is free */
};

struct callflow {
	const struct callflow_config *config;
	const struct flow_sink *sink;
	struct formats *f;
	struct call_kinds kinds;
	const struct pauses *pauses; /* NULL: none */
	struct arena arena;	     /* tasks, functions */
	struct map tasks;	     /* struct flow_task by who */
	struct flow_task *last, *list;
	struct map funcs;   /* struct flow_func by address */
	struct map by_name; /* … of programs by their name's hash */
	struct known_func cache[CACHE_SLOTS];
	uint32_t n_funcs;
	size_t frames_bytes;
	uint32_t epochs[EPOCHS];
	unsigned filter_kinds;
	uint32_t max_depth;
	uint64_t min_duration;
	bool only_user_first; /* the kernel's calls count only below a program's */
	bool has_filter, drops_user, drops_kernel;
	bool has_range;
	bool is_simple; /* no filter, no calls of the kernel, the usual layout */
	struct flow_counts counts;
	uint64_t seed;
	unsigned seen;		/* of a part, or of all that joined: enum call_side */
	uint32_t only_source;	/* … the source of all calls, plus 1; 0: none yet */
	struct flow_part *part; /* it follows a part of a trace; NULL: a whole one */
};

/* --- callflow.c ------------------------------------------------------------------------------- */

struct flow_func *callflow_func(struct callflow *cf, uint64_t addr, bool is_user);
/* Makes room for n frames. */
bool callflow_grow(struct callflow *cf, struct flow_task *t, uint32_t n);
/* The calls above the first n have lost their return. */
void callflow_lose_above(struct callflow *cf, struct flow_task *t, uint32_t n,
			 const struct record *rec);
/* Is the function not open in this task? Notes that it is open now. */
bool callflow_open(struct flow_task *t, struct flow_func *fn);
void callflow_close(struct flow_task *t, const struct flow_func *fn);
/* Takes an event that a part has kept; the part has counted it. */
void callflow_replay(struct callflow *cf, struct flow_task *t, const struct call_kind *kind,
		     const struct call_event *ev, uint32_t at, const struct record *rec);

/* --- callparts.c ------------------------------------------------------------------------------ */

/* Keeps an event that depends on calls which began before the part. */
void callparts_keep(struct callflow *cf, struct flow_task *t, const struct call_kind *kind,
		    const struct call_event *ev, uint32_t at, const struct record *rec);
void callparts_note_func(struct callflow *cf, struct flow_func *fn);
void callparts_free(struct flow_part *p);

/* In a part: can it handle the event? It can if it knows all calls from this depth on. */
static inline bool callparts_is_local(struct callflow *cf, struct flow_task *t,
				      const struct call_kind *kind, uint32_t at,
				      const struct record *rec)
{
	cf->seen |= kind->is_user ? SIDE_USER : SIDE_KERNEL;
	if (cf->only_source != rec->source + 1u)
		cf->only_source = cf->only_source ? SEVERAL_SOURCES : rec->source + 1u;
	if (!t->has_begun || at < t->base)
		return false;
	t->n_since++;
	return true;
}

#endif

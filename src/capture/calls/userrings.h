/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * userrings.h - the shared memory of the rings, seen from the recorder.
 *
 * The layout is runtime/snrt.h's. Programs can write anything there at any time, so every value is
 * read once and checked. Programs cannot change the file's length: it is sealed.
 */
#ifndef SONDE_CAPTURE_CALLS_USERRINGS_H
#define SONDE_CAPTURE_CALLS_USERRINGS_H

#include "runtime/snrt.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct errmsg;

struct userrings {
	int fd;
	uint8_t *memory;
	struct snrt_shared *shared;
	/*
	 * A thread of ours writes for the thread of the slot (userfeed.h), and says when that has
	 * ended. Accessed with __atomic.
	 */
	bool is_fed[SNRT_SLOTS];
};

/*
 * when_full: enum snrt_full. wait_ms: how long a program waits for a reader that makes no progress.
 */
int userrings_open(struct userrings *r, enum snrt_full when_full, uint32_t wait_ms,
		   struct errmsg *err);
void userrings_close(struct userrings *r);

/* Starts or stops the recording in programs. When it stops, programs that wait continue. */
void userrings_enable(struct userrings *r, bool on);
/* Prepares the first slot and frees it; call it once, soon. Until then threads take others. */
void userrings_prepare(struct userrings *r);

static inline struct snrt_thread *userrings_thread(const struct userrings *r, uint32_t slot)
{
	return (struct snrt_thread *)(r->memory + SNRT_SLOTS_AT + (size_t)slot * SNRT_SLOT_BYTES);
}

static inline uint64_t *userrings_ring(struct snrt_thread *t)
{
	return (uint64_t *)((uint8_t *)t + SNRT_RING_AT);
}

static inline uint32_t userrings_state(const struct userrings *r, uint32_t slot)
{
	return __atomic_load_n(&r->shared->state[slot], __ATOMIC_ACQUIRE);
}

/* The program may reserve up to `limit`. */
void userrings_raise(struct snrt_thread *t, uint64_t limit);
/* Wakes the program if it waits for a higher limit. */
void userrings_wake(struct snrt_thread *t);
/* Gives the slot's memory back and makes it free for another thread. */
void userrings_free_slot(struct userrings *r, uint32_t slot);

#endif

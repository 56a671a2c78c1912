// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * userswitch.c - changes the first instruction of thunks in running programs.
 *
 *	on        e8 rel32   call enter          the call is recorded
 *	off       e9 rel32   jmp body            the function runs as if it had no hook
 *	removed   e8 rel32   call enter_remove   the next call takes the hook out (runtime/remove.c)
 *
 * The plan's file is shared memory: the recorder writes, programs execute. Thunks are aligned to 32
 * bytes and these instructions have five, so one aligned store of 8 bytes changes one into the
 * other: a processor that fetches the thunk meanwhile sees the old instruction or the new one.
 *
 * Programs can write there, too. The recorder computes the new word from the old one, and never
 * uses it as an address: a program that writes invalid words breaks only itself. It cannot shorten
 * the file, which would kill the recorder: the length is sealed (plans/plans.c).
 *
 * A mapping is kept as long as its process lives, or a child by fork() that has a ring. When the
 * list has grown, processes that have ended are removed.
 */
#include "capture/steer/userswitch.h"

#include "base/array.h"
#include "base/lock.h"
#include "capture/calls/userrings.h"
#include "capture/user/image.h"
#include "runtime/snrt.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#define KEPT_MAX    8192u /* mappings; the kernel allows 65 530 */
#define SWEEP_MIN   64u
#define NUMBERS_MAX (1u << 28)
#define CHANGES_MAX (1u << 20)
#define OP_CALL	    0xe8
#define OP_JUMP	    0xe9

struct area {
	struct userswitch_area pub;
	int32_t *enter; /* of each thunk: what makes it call its hook */
};

/* The plan's file of one process. */
struct kept {
	uint8_t *memory;
	size_t n_bytes;
	pid_t pid;
	uint32_t plan;
	struct area *areas;
	size_t n_areas;
};

struct userswitch {
	const struct userrings *rings;
	pthread_mutex_t lock;
	struct kept *kept;
	size_t n, cap, sweep_at;
	uint8_t *state; /* by number: enum state */
	size_t state_cap, n_off;
	bool all_off, is_stuck;
	struct userswitch_change *changes;
	size_t n_changes, changes_cap;
};

enum state {
	STATE_ON,
	STATE_OFF,
	STATE_ASKED,   /* on, because a user wants it */
	STATE_REMOVED, /* off for good */
};

static bool is_off(uint8_t state)
{
	return state == STATE_OFF || state == STATE_REMOVED;
}

struct userswitch *userswitch_new(const struct userrings *rings)
{
	struct userswitch *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->rings = rings;
	s->sweep_at = SWEEP_MIN;
	pthread_mutex_init(&s->lock, NULL);
	return s;
}

static void release(struct kept *k)
{
	for (size_t i = 0; i < k->n_areas; i++)
		free(k->areas[i].enter);
	free(k->areas);
	munmap(k->memory, k->n_bytes);
}

void userswitch_free(struct userswitch *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->n; i++)
		release(&s->kept[i]);
	free(s->kept);
	free(s->state);
	free(s->changes);
	pthread_mutex_destroy(&s->lock);
	free(s);
}

/*
 * --- thunks ------------------------------------------------------------------------------------
 */

static uint8_t *thunk_of(const struct kept *k, const struct area *a, uint32_t i)
{
	return k->memory + a->pub.at + SNRT_HOOK_BYTES + (size_t)i * SNRT_THUNK_BYTES;
}

#if defined(__aarch64__)

#define ENTER_AT 4 /* in a thunk: the call of the hook */
#define BL_FLAG	 0x80000000u

/* `b body` in place of `bl enter`: processors allow this change while others run the code. */
static void write_thunk(uint8_t *thunk, uint32_t index, int32_t enter, uint8_t state)
{
	uint32_t call, skip;
	bool on = !is_off(state);

	(void)index;

	memcpy(&call, thunk + SNRT_THUNK_CALL, sizeof(call));
	skip = ((call & ~BL_FLAG) & 0xfc000000) | ((call + 1) & 0x3ffffff);
	__atomic_store_n((uint32_t *)(thunk + ENTER_AT), on ? (uint32_t)enter : skip,
			 __ATOMIC_RELEASE);
}

#else

#define ENTER_AT 1 /* in a thunk: the distance to the hook */

/* The body is where the thunk's second call leads. */
static void write_thunk(uint8_t *thunk, uint32_t index, int32_t enter, uint8_t state)
{
	uint64_t *word = (uint64_t *)thunk, next;
	uint8_t bytes[sizeof(next)];
	int32_t body, target = enter;

	memcpy(&body, thunk + SNRT_THUNK_CALL + 1, sizeof(body));
	body += SNRT_THUNK_CALL;
	next = __atomic_load_n(word, __ATOMIC_RELAXED);
	memcpy(bytes, &next, sizeof(next));
	if (state == STATE_REMOVED)
		target = (int32_t)SNRT_ENTER_REMOVE -
			 (int32_t)(SNRT_HOOK_BYTES + index * SNRT_THUNK_BYTES + SNRT_THUNK_NEXT);
	bytes[0] = state == STATE_OFF ? OP_JUMP : OP_CALL;
	memcpy(bytes + 1, state == STATE_OFF ? &body : &target, sizeof(body));
	memcpy(&next, bytes, sizeof(next));
	__atomic_store_n(word, next, __ATOMIC_RELEASE);
}

#endif

static uint8_t state_of(const struct userswitch *s, uint32_t number)
{
	return number < s->state_cap ? s->state[number] : STATE_ON;
}

/* What the thunk must be. */
static uint8_t wanted(const struct userswitch *s, const struct area *a, uint32_t i)
{
	uint8_t state = state_of(s, a->pub.first_number + i);

	if (state == STATE_REMOVED)
		return !s->is_stuck && userimage_is_removable(a->pub.image, i) ? state : STATE_OFF;
	return s->all_off ? STATE_OFF : state;
}

static void write_area(const struct userswitch *s, const struct kept *k, const struct area *a)
{
	for (uint32_t i = 0; i < a->pub.n_thunks; i++)
		write_thunk(thunk_of(k, a, i), i, a->enter[i], wanted(s, a, i));
}

static void write_all(const struct userswitch *s)
{
	for (size_t i = 0; i < s->n; i++)
		for (size_t n = 0; n < s->kept[i].n_areas; n++)
			write_area(s, &s->kept[i], &s->kept[i].areas[n]);
}

static void write_function(const struct userswitch *s, uint32_t number)
{
	for (size_t i = 0; i < s->n; i++)
		for (size_t n = 0; n < s->kept[i].n_areas; n++) {
			const struct area *a = &s->kept[i].areas[n];
			uint32_t at = number - a->pub.first_number;

			if (at < a->pub.n_thunks)
				write_thunk(thunk_of(&s->kept[i], a, at), at, a->enter[at],
					    wanted(s, a, at));
		}
}

/*
 * --- processes ---------------------------------------------------------------------------------
 */

static bool has_ring(const struct userswitch *s, uint32_t plan)
{
	return ARRAY_ANY(SNRT_SLOTS, slot,
			 userrings_state(s->rings, slot) != SNRT_FREE &&
				 __atomic_load_n(&userrings_thread(s->rings, slot)->plan,
						 __ATOMIC_RELAXED) == plan);
}

static void sweep(struct userswitch *s)
{
	size_t n = 0;

	for (size_t i = 0; i < s->n; i++) {
		struct kept *k = &s->kept[i];

		if (kill(k->pid, 0) < 0 && errno == ESRCH && !has_ring(s, k->plan))
			release(k);
		else
			s->kept[n++] = *k;
	}
	s->n = n;
	s->sweep_at = n * 2 > SWEEP_MIN ? n * 2 : SWEEP_MIN;
}

/* The distances to the hooks, which are still those that were built. */
static int32_t *read_hooks(const struct kept *k, const struct area *a)
{
	int32_t *enter = calloc(a->pub.n_thunks + 1, sizeof(*enter));

	for (uint32_t i = 0; enter && i < a->pub.n_thunks; i++)
		memcpy(&enter[i], thunk_of(k, a, i) + ENTER_AT, sizeof(*enter));
	return enter;
}

static bool fill_areas(struct kept *k, const struct userswitch_area *areas, size_t n_areas)
{
	k->areas = calloc(n_areas + 1, sizeof(*k->areas));
	for (; k->areas && k->n_areas < n_areas; k->n_areas++) {
		struct area *a = &k->areas[k->n_areas];

		a->pub = areas[k->n_areas];
		a->enter = read_hooks(k, a);
		if (!a->enter)
			return false;
	}
	return k->areas;
}

void userswitch_take(struct userswitch *s, pid_t pid, uint32_t plan, uint8_t *memory,
		     size_t n_bytes, const struct userswitch_area *areas, size_t n_areas)
{
	struct kept k = {.memory = memory, .n_bytes = n_bytes, .pid = pid, .plan = plan};

	if (!userswitch_is_possible() || !n_areas || !fill_areas(&k, areas, n_areas)) {
		release(&k);
		return;
	}
	LOCKED(&s->lock);
	for (size_t i = 0; i < n_areas && (s->n_off || s->all_off); i++)
		write_area(s, &k, &k.areas[i]);
	if (s->n >= s->sweep_at)
		sweep(s);
	if (ARRAY_ROOM(s->kept, s->cap, s->n + 1, KEPT_MAX))
		s->kept[s->n++] = k;
	else
		release(&k);
}

/*
 * --- switching ---------------------------------------------------------------------------------
 */

/* If memory is short, the change is made, but not listed. */
static void note(struct userswitch *s, const struct userswitch_change *change)
{
	struct timespec ts;

	if (!ARRAY_ROOM(s->changes, s->changes_cap, s->n_changes + 1, CHANGES_MAX))
		return;
	clock_gettime(CLOCK_MONOTONIC_RAW, &ts);
	s->changes[s->n_changes] = *change;
	s->changes[s->n_changes++].ns = (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

int userswitch_set(struct userswitch *s, uint32_t number, bool on, enum userswitch_why why,
		   uint64_t n_calls)
{
	uint8_t next = on ? STATE_ASKED : STATE_OFF;
	bool ok;

	if (why == USERSWITCH_BUDGET)
		next = on ? STATE_ON : STATE_REMOVED;
	pthread_mutex_lock(&s->lock);
	ok = ARRAY_ROOM(s->state, s->state_cap, (size_t)number + 1, NUMBERS_MAX);
	if (ok && on == is_off(s->state[number])) {
		s->state[number] = next;
		s->n_off += on ? -1 : 1;
		write_function(s, number);
		note(s, &(struct userswitch_change){
				.n_calls = n_calls, .number = number, .on = on, .why = why});
	} else if (ok && !is_off(next)) {
		s->state[number] = next;
	}
	pthread_mutex_unlock(&s->lock);
	return ok ? 0 : -ENOMEM;
}

bool userswitch_may_end(struct userswitch *s, uint32_t number)
{
	LOCKED(&s->lock);
	return number >= s->state_cap || s->state[number] == STATE_ON;
}

size_t userswitch_changes(struct userswitch *s, size_t from, struct userswitch_change *ret,
			  size_t max)
{
	size_t n = 0;

	LOCKED(&s->lock);
	while (from + n < s->n_changes && n < max) {
		ret[n] = s->changes[from + n];
		n++;
	}
	return n;
}

void userswitch_set_all(struct userswitch *s, bool on)
{
	LOCKED(&s->lock);
	if (s->all_off == on)
		note(s, &(struct userswitch_change){.number = USERSWITCH_ALL, .on = on});
	s->all_off = !on;
	write_all(s);
}

bool userswitch_is_on(struct userswitch *s, uint32_t number)
{
	LOCKED(&s->lock);
	return !is_off(state_of(s, number));
}

bool userswitch_is_removed(struct userswitch *s, uint32_t number)
{
	LOCKED(&s->lock);
	return state_of(s, number) == STATE_REMOVED;
}

void userswitch_note_stuck(struct userswitch *s)
{
	LOCKED(&s->lock);
	if (s->is_stuck || !__atomic_load_n(&s->rings->shared->n_stuck, __ATOMIC_RELAXED))
		return;
	s->is_stuck = true;
	write_all(s);
}

bool userswitch_all_is_on(struct userswitch *s)
{
	LOCKED(&s->lock);
	return !s->all_off;
}

size_t userswitch_n_off(struct userswitch *s)
{
	LOCKED(&s->lock);
	return s->n_off;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * userfeed.c - finds out which calls are open in a thread, from the stack pointer alone.
 *
 *	              stack of the thread       open calls: function, sp, return address
 *	 main         ┌──────────┐  high
 *	              │ sp 7f00  │              main   7f00
 *	 parse        │ sp 7e80  │              parse  7e80
 *	 next         │ sp 7e10  │              next   7e10
 *	              └──────────┘  low
 *
 * A probe at a return says only where the stack pointer is: all calls at this place or below it
 * have ended. So exceptions and longjmp(), which skip returns, do no harm: the next hit shows what
 * is left.
 *
 * A call may begin at the stack place of an open one. If both have the same return address, the
 * open one has jumped to the new one (a tail call), and both end together. If both are the same
 * function, it is the next call from the same line, and the open one has ended. With another return
 * address, the open one has ended, too.
 *
 * A coroutine has another stack. So an open call more than STACK_MAX_BYTES below is not taken to
 * have ended.
 *
 * A child by fork() has the open calls of its parent.
 */
#include "capture/calls/userfeed.h"

#include "base/array.h"
#include "base/map.h"
#include "capture/calls/userrings.h"
#include "runtime/snrt.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define THREADS_MAX	(1u << 18)
#define DEPTH_MAX	(1u << 20)
#define STACK_MAX_BYTES (8u << 20)
#define NO_SLOT		UINT32_MAX /* none yet, or none was free */
#define WAIT_US		200

struct open_call {
	uint64_t sp, ret;
	uint32_t id;
};

struct fed {
	uint32_t tid, pid;
	uint32_t slot;
	uint32_t cpu;
	struct open_call *calls;
	size_t n_calls, cap;
	bool was_hit;	/* since the last look */
	bool has_begun; /* it has a slot, or got none: its calls are lost */
};

struct userfeed {
	struct userrings *rings;
	uint32_t plan;
	uint32_t first_pid; /* of the command; 0: not known yet */
	uint64_t n_lost;    /* not written yet */
	struct map threads; /* tid to struct fed */
};

struct userfeed *userfeed_new(struct userrings *rings, uint32_t plan)
{
	struct userfeed *f = calloc(1, sizeof(*f));

	if (f)
		*f = (struct userfeed){.rings = rings, .plan = plan};
	return f;
}

/*
 * --- rings -------------------------------------------------------------------------------------
 */

static uint32_t claim_slot(struct userfeed *f)
{
	for (uint32_t i = 0; i < SNRT_SLOTS; i++) {
		uint32_t expected = SNRT_FREE;

		if (__atomic_compare_exchange_n(&f->rings->shared->state[i], &expected,
						SNRT_CLAIMED, false, __ATOMIC_ACQUIRE,
						__ATOMIC_RELAXED))
			return i;
	}
	__atomic_add_fetch(&f->rings->shared->no_slot, 1, __ATOMIC_RELAXED);
	return NO_SLOT;
}

static uint32_t begin_slot(struct userfeed *f, const struct fed *fed)
{
	uint32_t slot = claim_slot(f);
	struct snrt_thread *t;

	if (slot == NO_SLOT)
		return slot;
	t = userrings_thread(f->rings, slot);
	t->tid = fed->tid;
	t->pid = fed->pid;
	t->plan = f->plan;
	t->serial = __atomic_add_fetch(&f->rings->shared->n_claims, 1, __ATOMIC_RELAXED);
	__atomic_store_n(&t->limit, SNRT_RING_BYTES - SNRT_RING_SPARE, __ATOMIC_SEQ_CST);
	__atomic_store_n(&f->rings->is_fed[slot], true, __ATOMIC_RELEASE);
	__atomic_store_n(&f->rings->shared->state[slot], SNRT_LIVE, __ATOMIC_RELEASE);
	return slot;
}

/* False: the recording is off. */
static bool wait_for_room(const struct userfeed *f, const struct snrt_thread *t, uint64_t n_bytes)
{
	while (t->head + n_bytes > __atomic_load_n(&t->limit, __ATOMIC_ACQUIRE)) {
		if (!__atomic_load_n(&f->rings->shared->enabled, __ATOMIC_ACQUIRE))
			return false;
		usleep(WAIT_US);
	}
	return true;
}

static void put(struct userfeed *f, const struct fed *fed, const uint64_t *words, unsigned n)
{
	struct snrt_thread *t;
	uint64_t head;

	if (fed->slot == NO_SLOT)
		return;
	t = userrings_thread(f->rings, fed->slot);
	if (!wait_for_room(f, t, n * sizeof(*words)))
		return;
	head = t->head;
	for (unsigned i = 0; i < n; i++, head += sizeof(*words))
		__atomic_store_n(&userrings_ring(t)[head % SNRT_RING_BYTES / sizeof(*words)],
				 words[i], __ATOMIC_RELEASE);
	__atomic_store_n(&t->head, head, __ATOMIC_RELEASE);
}

static void put_record(struct userfeed *f, const struct fed *fed, uint64_t counter, uint32_t what)
{
	uint64_t word = counter << SNRT_TIME_SHIFT | what;

	put(f, fed, &word, 1);
}

/* Which calls the kernel has lost is unknown; this thread's ring says how many. */
static void put_lost(struct userfeed *f, const struct fed *fed, uint64_t counter)
{
	uint64_t n = f->n_lost < UINT32_MAX ? f->n_lost : UINT32_MAX;
	uint64_t words[2] = {counter << SNRT_TIME_SHIFT | SNRT_LOST, SNRT_VALUE_FLAG | n};

	if (!n || fed->slot == NO_SLOT)
		return;
	put(f, fed, words, 2);
	f->n_lost = 0;
}

void userfeed_lose(struct userfeed *f, uint64_t n)
{
	f->n_lost += n;
}

/*
 * --- threads -----------------------------------------------------------------------------------
 */

/*
 * A thread whose beginning was lost, and that has ended already, is taken for one of the command.
 */
static uint32_t find_pid(struct userfeed *f, uint32_t tid)
{
	char path[64], line[256];
	unsigned pid = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%u/status", tid);
	file = fopen(path, "re");
	while (file && !pid && fgets(line, sizeof(line), file))
		sscanf(line, "Tgid: %u", &pid);
	if (file)
		fclose(file);
	if (!f->first_pid)
		f->first_pid = pid ? pid : tid;
	return pid ? pid : f->first_pid;
}

/* pid: its process; 0: to be found out. */
static struct fed *add_thread(struct userfeed *f, uint32_t tid, uint32_t pid)
{
	void **place = map_take(&f->threads, tid, THREADS_MAX);
	struct fed *fed;

	if (!place || *place)
		return place ? *place : NULL;
	fed = *place = calloc(1, sizeof(*fed));
	if (!fed)
		return NULL;
	*fed = (struct fed){.tid = tid,
			    .pid = pid ? pid : find_pid(f, tid),
			    .cpu = UINT32_MAX,
			    .slot = NO_SLOT};
	return fed;
}

static void release(struct userfeed *f, struct fed *fed)
{
	if (fed->slot != NO_SLOT)
		__atomic_store_n(&f->rings->is_fed[fed->slot], false, __ATOMIC_RELEASE);
	free(fed->calls);
	free(fed);
}

static bool is_gone(const struct fed *fed)
{
	return syscall(SYS_tgkill, fed->pid, fed->tid, 0) < 0 && errno == ESRCH;
}

void userfeed_look(struct userfeed *f)
{
	for (size_t i = 0; i < f->threads.n_slots;) {
		struct fed *fed = f->threads.slots[i].value;

		if (!fed || fed->was_hit || !is_gone(fed)) {
			if (fed)
				fed->was_hit = false;
			i++;
			continue;
		}
		map_remove(&f->threads, fed->tid); /* another one may be at its place now */
		release(f, fed);
	}
}

void userfeed_free(struct userfeed *f)
{
	if (!f)
		return;
	for (size_t i = 0; i < f->threads.n_slots; i++)
		if (f->threads.slots[i].value)
			release(f, f->threads.slots[i].value);
	map_release(&f->threads);
	free(f);
}

/*
 * --- calls -------------------------------------------------------------------------------------
 */

static void end_call(struct userfeed *f, struct fed *fed, uint64_t counter)
{
	put_record(f, fed, counter, fed->calls[--fed->n_calls].id | SNRT_EXIT);
}

static bool is_below(const struct open_call *c, uint64_t sp)
{
	return c->sp < sp && sp - c->sp < STACK_MAX_BYTES;
}

/* Is there an open call of the function at this place of the stack? */
static bool has_own(const struct fed *fed, const struct userfeed_hit *hit)
{
	for (size_t i = fed->n_calls; i-- && fed->calls[i].sp == hit->sp;)
		if (fed->calls[i].id == hit->id)
			return true;
	return false;
}

static void take_call(struct userfeed *f, struct fed *fed, const struct userfeed_hit *hit)
{
	bool is_new;

	while (fed->n_calls && is_below(&fed->calls[fed->n_calls - 1], hit->sp))
		end_call(f, fed, hit->counter);
	is_new = has_own(fed, hit);
	while (fed->n_calls) {
		const struct open_call *top = &fed->calls[fed->n_calls - 1];

		if (top->sp != hit->sp || (top->ret == hit->ret && !is_new))
			break;
		end_call(f, fed, hit->counter);
	}
	if (!ARRAY_ROOM(fed->calls, fed->cap, fed->n_calls + 1, DEPTH_MAX)) {
		if (fed->slot != NO_SLOT)
			userrings_thread(f->rings, fed->slot)->n_deep++;
		return;
	}
	fed->calls[fed->n_calls++] = (struct open_call){hit->sp, hit->ret, hit->id};
	put_record(f, fed, hit->counter, hit->id);
}

static void take_return(struct userfeed *f, struct fed *fed, const struct userfeed_hit *hit)
{
	while (fed->n_calls) {
		const struct open_call *top = &fed->calls[fed->n_calls - 1];

		if (top->sp != hit->sp && !is_below(top, hit->sp))
			break;
		end_call(f, fed, hit->counter);
	}
}

/* A slot is for threads that call functions. */
static void begin_thread(struct userfeed *f, struct fed *fed, const struct userfeed_hit *hit)
{
	if (!fed->has_begun)
		fed->slot = begin_slot(f, fed);
	put_lost(f, fed, hit->counter);
	if (fed->cpu != hit->cpu && hit->cpu <= SNRT_CPU_MAX) {
		fed->cpu = hit->cpu;
		put_record(f, fed, hit->counter, SNRT_CPU_FIRST + hit->cpu);
	}
	for (size_t i = 0; i < fed->n_calls && !fed->has_begun; i++) /* of its parent */
		put_record(f, fed, hit->counter, fed->calls[i].id);
	fed->has_begun = true;
}

/* A number may be used again: what is known of it belongs to another thread. */
static void take_child(struct userfeed *f, const struct userfeed_hit *hit)
{
	struct fed *old = map_remove(&f->threads, hit->id);
	const struct fed *parent = add_thread(f, hit->tid, 0);
	uint32_t pid = hit->kind != USERFEED_THREAD ? hit->id : parent ? parent->pid : 0;
	struct fed *child = add_thread(f, hit->id, pid);

	if (old)
		release(f, old);
	if (!child || !parent || hit->kind != USERFEED_COPY || !parent->n_calls ||
	    !ARRAY_ROOM(child->calls, child->cap, parent->n_calls, DEPTH_MAX))
		return;
	memcpy(child->calls, parent->calls, parent->n_calls * sizeof(*child->calls));
	child->n_calls = parent->n_calls;
}

void userfeed_take(struct userfeed *f, const struct userfeed_hit *hit)
{
	struct fed *fed;

	if (hit->kind >= USERFEED_THREAD) {
		take_child(f, hit);
		return;
	}
	fed = add_thread(f, hit->tid, 0);
	if (!fed)
		return;
	fed->was_hit = true;
	begin_thread(f, fed, hit);
	if (hit->kind == USERFEED_RETURN)
		take_return(f, fed, hit);
	else
		take_call(f, fed, hit);
}

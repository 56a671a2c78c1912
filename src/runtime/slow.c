// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * slow.c - calls and returns that the hooks do not handle themselves.
 *
 * A hook calls this code when anything is unusual: the thread is new, runs on another stack or on
 * another CPU than before, left calls without returning (longjmp, exceptions), its ring is full,
 * or nothing is recorded at the moment.
 *
 *	slow_enter   calls have ended if their slots are not above this one
 *	slow_leave   finds the entry of this slot; the calls above it have ended
 *
 * Calls that ended without a return are noticed at the next call or return of a traced function. In
 * the trace, they return at that time.
 *
 * This code runs between two instructions of the program, perhaps in a signal handler: raw system
 * calls only, no locks, no floating point registers (see meson.build), errno untouched.
 */
#include "runtime/runtime_int.h"

#include <errno.h>
#include <linux/futex.h>
#include <time.h>

#define WAIT_STEP_NS 10000000 /* the reader may have ended: check the clock */

static inline struct entry *top_of(const struct snrt_thread *t)
{
	return (struct entry *)t->shadow;
}

static inline uint64_t slot_of(const struct entry *e)
{
	return e->slot & ~ENTRY_SLOW;
}

/* --- the ring --------------------------------------------------------------------------------- */

static void put(struct snrt_thread *t, uint64_t at, uint64_t word)
{
	uint64_t *ring = (uint64_t *)((uint8_t *)t + SNRT_RING_AT);

	__atomic_store_n(&ring[at % SNRT_RING_BYTES / sizeof(*ring)], word, __ATOMIC_RELEASE);
}

void snrt_record(struct snrt_thread *t, uint32_t what)
{
	uint64_t now = arch_counter();

	put(t, arch_reserve(&t->head, 8), now << SNRT_TIME_SHIFT | what);
}

/* The first word is written last: it makes all of them valid. */
void snrt_record_with(struct snrt_thread *t, uint32_t what, const struct snrt_values *v)
{
	uint64_t now, at;

	if (!v || !v->n_words) {
		snrt_record(t, what);
		return;
	}
	now = v->counter ? v->counter : arch_counter();
	at = arch_reserve(&t->head, 8 * ((uint64_t)v->n_words + 2));
	for (uint32_t i = 0; i < v->n_words; i++)
		put(t, at + 8 * (i + 1ull), v->words[i]);
	put(t, at + 8 * (v->n_words + 1ull), now << SNRT_TIME_SHIFT | what);
	put(t, at, (uint64_t)v->n_words * 8 << SNRT_TIME_SHIFT | SNRT_VALUES);
}

static void record_long(struct snrt_thread *t, uint32_t what, uint64_t value)
{
	uint64_t at = arch_reserve(&t->head, 16);

	put(t, at + 8, value | SNRT_VALUE_FLAG);
	put(t, at, arch_counter() << SNRT_TIME_SHIFT | what);
}

static uint64_t now_ms(void)
{
	struct timespec ts;

	arch_syscall(SYS_clock_gettime, CLOCK_MONOTONIC, (long)&ts, 0, 0, 0, 0);
	return (uint64_t)ts.tv_sec * 1000 + (uint64_t)ts.tv_nsec / 1000000;
}

static inline bool has_room(const struct snrt_thread *t)
{
	return t->head < __atomic_load_n(&t->limit, __ATOMIC_ACQUIRE);
}

static inline bool is_off(void)
{
	return !__atomic_load_n(&snrt_process.shared->enabled, __ATOMIC_RELAXED);
}

/* Waits as long as the reader makes progress. */
static bool wait_for_room(struct snrt_thread *t)
{
	struct timespec step = {.tv_nsec = WAIT_STEP_NS};
	uint64_t limit = t->limit, since = now_ms();

	while (!has_room(t)) {
		uint32_t wake = __atomic_load_n(&t->wake, __ATOMIC_ACQUIRE);

		__atomic_store_n(&t->waiting, 1, __ATOMIC_SEQ_CST);
		if (has_room(t) || is_off())
			break;
		arch_syscall(SYS_futex, (long)&t->wake, FUTEX_WAIT, wake, (long)&step, 0, 0);
		if (t->limit != limit) {
			limit = t->limit;
			since = now_ms();
		} else if (now_ms() - since >= snrt_process.shared->wait_ms) {
			break;
		}
	}
	__atomic_store_n(&t->waiting, 0, __ATOMIC_RELAXED);
	return has_room(t);
}

/* One more record fits; false: count it as lost. */
static bool make_room(struct snrt_thread *t)
{
	if (has_room(t))
		return true;
	/* A thread that waited in vain does not wait again until the reader responds. */
	if (snrt_process.shared->when_full == SNRT_WAIT && !t->n_untold &&
	    !snrt_process.is_confined && wait_for_room(t))
		return true;
	return false;
}

/* --- losses ----------------------------------------------------------------------------------- */

/*
 * Sends the next call and the next return of this thread to the slow path, which first records what
 * was lost: no thread runs on the CPU that is noted here, and no other slot has bit 0.
 */
static void slow_next(struct snrt_thread *t)
{
	t->cpu = UINT32_MAX;
	top_of(t)->slot |= ENTRY_SLOW;
	if (t->n_untold || t->depth_due)
		return; /* the other stacks are marked */
	for (struct stack *s = snrt_guest->stacks; s < snrt_guest->stacks + STACKS_MAX; s++)
		if (s->kind != STACK_FREE && s != snrt_guest->current)
			((struct entry *)s->top)->slot |= ENTRY_SLOW;
}

static void lose_call(struct snrt_thread *t)
{
	slow_next(t);
	t->n_lost++;
	arch_reserve(&t->n_untold, 1);
}

static void lose_return(struct snrt_thread *t)
{
	slow_next(t);
	t->depth_due = 1;
	arch_reserve(&t->n_untold, UINT64_C(1) << 32);
}

static uint64_t count_recorded(const struct stack *s, const struct entry *top)
{
	uint64_t n = 0;

	for (const struct entry *e = s->base + 1; e <= top; e++)
		n += e->id && !(e->flags & ENTRY_QUIET);
	return n;
}

/* Calls that were recorded and have not returned, on all stacks. */
static uint64_t count_open(const struct snrt_thread *t)
{
	const struct guest *g = snrt_guest;
	uint64_t n = 0;

	for (const struct stack *s = g->stacks; s < g->stacks + STACKS_MAX; s++)
		if (s->kind != STACK_FREE)
			n += count_recorded(s, s == g->current ? top_of(t)
							       : (const struct entry *)s->top);
	return n;
}

/*
 * There is room again: records what was lost before the next record. n_more: calls without an entry
 * that are still open for the reader.
 */
static void record_lost(struct snrt_thread *t, unsigned n_more)
{
	uint64_t n = t->n_untold;

	if (n) {
		arch_reserve(&t->n_untold, -n); /* a handler may have added to it */
		record_long(t, SNRT_LOST, n);
	}
	if (t->depth_due) {
		t->depth_due = 0;
		record_long(t, SNRT_DEPTH, count_open(t) + n_more);
	}
}

static void note_cpu(struct snrt_thread *t)
{
	uint32_t cpu = *(const volatile uint32_t *)t->cpu_ptr;

	if (cpu == t->cpu || cpu > SNRT_CPU_MAX)
		return;
	t->cpu = cpu;
	snrt_record(t, SNRT_CPU_FIRST + cpu);
}

/* --- returns ---------------------------------------------------------------------------------- */

static void record_return(struct snrt_thread *t, uint32_t id, const struct snrt_values *values)
{
	if (is_off()) {
		slow_next(t);
		t->depth_due = 1;
		return;
	}
	if (!make_room(t)) {
		lose_return(t);
		return;
	}
	record_lost(t, 1);
	snrt_record_with(t, id | SNRT_EXIT, values);
}

/* The time that a call must last, and the sieve as it was before that call. */
static uint64_t leave_sieve(struct stack *s, const struct entry *e)
{
	uint64_t min_counts = e->flags & ENTRY_TIMED ? s->now.min_counts : 0;

	if (e->flags & ENTRY_STATE)
		s->now = s->saved[e - s->base];
	return min_counts;
}

static void end_call(struct snrt_thread *t, uint32_t id, uint32_t flags, uint64_t min_counts,
		     struct snrt_values *values)
{
	uint64_t now;

	if (flags & ENTRY_QUIET || !id)
		return;
	if (flags & ENTRY_COUNTED && !is_off() && make_room(t)) {
		record_lost(t, 1);
		snrt_rules_record_counters(t, id | SNRT_EXIT);
	}
	if (min_counts) {
		now = values && values->counter ? values->counter : arch_counter();
		if (snrt_rules_take_back(t, id, flags >> ENTRY_WORDS, min_counts, now))
			return;
		/*
		 * a signal handler may have come since `now`, with calls that are recorded: inside
		 */
		if (values)
			values->counter = 0;
	}
	record_return(t, id, values);
}

/* Ends the call on top: records its return and removes its entry. */
static void drop_top(struct snrt_thread *t, struct snrt_values *values)
{
	struct entry *e = top_of(t);
	uint32_t id = e->id, flags = e->flags;
	uint64_t min_counts = leave_sieve(snrt_guest->current, e);

	e->flags = 0;
	__atomic_store_n(&e->id, 0, __ATOMIC_RELAXED);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	t->shadow -= sizeof(*e);
	end_call(t, id, flags, min_counts, values);
}

/* Removes an entry in the middle of a side stack, where entries have no order. */
static void drop_middle(struct snrt_thread *t, struct entry *e)
{
	struct stack *s = snrt_guest->current;

	for (; e < top_of(t); e++) {
		struct entry *next = e + 1;

		if (s->saved)
			s->saved[e - s->base] = s->saved[next - s->base];
		e->slot = next->slot;
		e->ret = next->ret;
		e->flags = next->flags;
		e->id = next->id;
	}
	e->flags = ENTRY_QUIET;
	drop_top(t, NULL);
}

/* Returns true if a call with this slot shows that the call on top ended without a return. */
static bool was_left(const struct snrt_thread *t, const struct stack *s, uint64_t slot)
{
	const struct entry *e = top_of(t);
	uint64_t word;

	if (e == s->base ||
	    !e->id) /* without id: this is a signal handler, and it was interrupted */
		return false;
	if (s->kind == STACK_OWN) {
		if (slot_of(e) != slot)
			return slot_of(e) < slot;
		/* A jump from the end of one function to another: both return here. */
		return snrt_back_id(arch_return_address((const uint64_t *)slot)) != e->id;
	}
	if (!ARCH_SLOT_HAS_ADDRESS)
		return slot_of(e) == slot &&
		       snrt_back_id(arch_return_address((const uint64_t *)slot)) != e->id;
	/* The call may still be active on a nearby stack. */
	return !snrt_read_word(slot_of(e), &word) || snrt_back_id(word) != e->id;
}

/*
 * A signal handler in between would drop the same entries, so signals are blocked. This is not
 * necessary if there is nothing to drop.
 */
static void drop_left(struct snrt_thread *t, const struct stack *s, uint64_t slot)
{
	uint64_t mask;

	if (!was_left(t, s, slot))
		return;
	mask = snrt_block_signals();
	while (was_left(t, s, slot))
		drop_top(t, NULL);
	snrt_restore_signals(mask);
}

/* The calls above this one were left. */
static void drop_down_to(struct snrt_thread *t, const struct entry *e, struct snrt_values *values)
{
	uint64_t mask;

	if (top_of(t) > e) {
		mask = snrt_block_signals();
		while (top_of(t) > e)
			drop_top(t, NULL);
		snrt_restore_signals(mask);
	}
	drop_top(t, values);
}

/* Ends a call on a side stack; the calls above it may continue. */
static void drop_on_side(struct snrt_thread *t, struct entry *e, struct snrt_values *values)
{
	uint64_t mask = snrt_block_signals(), min_counts = 0;
	struct stack *s = snrt_guest->current;
	uint32_t id = e->id, flags = e->flags;

	if (e == top_of(t)) /* other calls may have changed the sieve since they began */
		min_counts = leave_sieve(s, e);
	drop_middle(t, e);
	if (top_of(t) == s->base && s->saved)
		s->now = s->saved[0];
	end_call(t, id, flags, min_counts, values);
	snrt_restore_signals(mask);
}

/* True for a return that the assembler hook would record, except for its values. */
static inline bool is_usual_return(const struct snrt_thread *t, const struct entry *e,
				   const uint64_t *slot)
{
	return e->slot == (uint64_t)slot && e->id && has_room(t);
}

uint64_t snrt_leave_with(uint64_t *slot, struct snrt_values *values)
{
	struct snrt_thread *t = snrt_this();
	struct guest *g = snrt_guest;
	struct entry *e = top_of(t);
	bool returns_outside;
	struct stack *s;
	uint64_t ret;

	if (is_usual_return(t, e, slot)) {
		uint32_t id = e->id;

		ret = e->ret;
		__atomic_store_n(&e->id, 0, __ATOMIC_RELAXED);
		__atomic_signal_fence(__ATOMIC_SEQ_CST);
		t->shadow -= sizeof(*e);
		snrt_record_with(t, id | SNRT_EXIT, values);
		return ret;
	}
	s = snrt_stack_select(g, (uint64_t)slot);
	e = top_of(t);
	while (e > s->base && !(slot_of(e) == (uint64_t)slot && e->id))
		e--;
	ret = e->ret; /* 0 for the sentinel: if the entry is missing, the program crashes at once */
	if (e == s->base)
		return ret;
	returns_outside = e->flags & ENTRY_FIRST;
	if (s->kind == STACK_OWN)
		drop_down_to(t, e, values);
	else
		drop_on_side(t, e, values);
	if (returns_outside && s->outer)
		snrt_stack_return(g);
	return ret;
}

uint64_t snrt_slow_leave(uint64_t *slot)
{
	return snrt_leave_with(slot, NULL);
}

/* --- calls ------------------------------------------------------------------------------------ */

uint64_t snrt_body_of(const uint8_t *after_enter)
{
	return arch_thunk_body(after_enter - SNRT_THUNK_NEXT);
}

/* next: with ENTRY_STATE. */
static void push(struct snrt_thread *t, struct stack *s, uint64_t *slot, uint32_t id,
		 uint32_t flags, const struct sieve *next)
{
	struct entry *e;

	t->shadow += sizeof(*e);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	e = top_of(t);
	e->slot = (uint64_t)slot | (flags ? ENTRY_SLOW : 0);
	e->ret = arch_return_address(slot);
	if (flags & ENTRY_STATE)
		s->saved[e - s->base] = s->now;
	e->flags = flags;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	e->id = id;
	if (flags & ENTRY_STATE)
		s->now = *next;
}

/* Records a call, if there is room, and follows it. */
static void follow(struct snrt_thread *t, struct stack *s, uint64_t *slot, uint32_t id,
		   const struct verdict *v, const struct snrt_values *values)
{
	uint32_t flags = v->flags;

	if (!v->is_recorded) {
		flags |= ENTRY_QUIET;
	} else if (make_room(t)) {
		record_lost(t, 0);
		note_cpu(t);
		if (v->wants_stack)
			snrt_rules_record_stack(t, s, id);
		/* a call that may be taken back must be the last record */
		if (v->wants_counters && !(flags & ENTRY_TIMED)) {
			snrt_rules_record_counters(t, id);
			flags |= ENTRY_COUNTED;
		}
	} else {
		lose_call(t);
		flags |= ENTRY_QUIET;
	}
	if (flags & ENTRY_TIMED && values)
		flags |= values->n_words << ENTRY_WORDS;
	push(t, s, slot, id, flags, &v->next);
	if (!(flags & ENTRY_QUIET))
		snrt_record_with(t, id, values);
}

/* True for a call that the assembler hook would record, except for its values, without rules. */
static inline bool is_usual_call(const struct snrt_thread *t, const uint64_t *slot)
{
	return !snrt_guest->current->saved && (uint64_t)slot < top_of(t)->slot &&
	       (uint64_t)slot >= t->stack_low && t->shadow < t->shadow_end &&
	       *(const volatile uint32_t *)t->cpu_ptr == t->cpu && has_room(t);
}

uint64_t snrt_enter_with(uint64_t *slot, const uint8_t *thunk, const struct snrt_values *values)
{
	uint32_t id = *(const uint32_t *)(thunk + SNRT_THUNK_ID - SNRT_THUNK_NEXT);
	struct snrt_thread *t = snrt_this();
	struct verdict v = {.is_followed = true, .is_recorded = true};
	const struct stack *before;
	struct stack *s;

	if (t && is_usual_call(t, slot)) {
		push(t, NULL, slot, id, 0, NULL);
		snrt_record_with(t, id, values);
		return 0;
	}
	if (!t)
		t = snrt_thread_new((uint64_t)slot);
	if (!t)
		return snrt_body_of(thunk);
	before = snrt_guest->current;
	s = snrt_stack_select(snrt_guest, (uint64_t)slot);
	if (!s || is_off()) {
		t->n_deep += !s;
		return snrt_body_of(thunk);
	}
	drop_left(t, s, (uint64_t)slot);
	if (s->saved)
		v = snrt_rules_judge(s, thunk);
	/* This one leads back to the stack outside: a handler that ends must leave no trace. */
	if (s != before && s->kind == STACK_SIDE) {
		v.is_recorded &= v.is_followed;
		v.is_followed = true;
		v.flags |= ENTRY_FIRST;
	}
	if (v.is_followed && top_of(t) >= s->end) {
		t->n_deep++;
		v.is_followed = false;
	}
	if (v.is_followed)
		follow(t, s, slot, id, &v, values);
	if (v.is_last)
		snrt_rules_act(SNRT_RULE_FINISH);
	return v.is_followed ? 0 : snrt_body_of(thunk);
}

uint64_t snrt_slow_enter(uint64_t *slot, const uint8_t *thunk)
{
	return snrt_enter_with(slot, thunk, NULL);
}

/* --- values that are registers ---------------------------------------------------------------- */

static inline void record_registers(struct snrt_thread *t, uint64_t now, uint32_t what,
				    const uint64_t *regs, const struct snrt_fetch *f, uint32_t n)
{
	uint64_t at = arch_reserve(&t->head, 8 * ((uint64_t)n + 2));

	for (uint32_t i = 0; i < n; i++)
		put(t, at + 8 * (i + 1ull), regs[f[2 * i].reg]);
	put(t, at + 8 * (n + 1ull), now << SNRT_TIME_SHIFT | what);
	put(t, at, (uint64_t)n * 8 << SNRT_TIME_SHIFT | SNRT_VALUES);
}

bool snrt_enter_registers(uint64_t *slot, const uint8_t *thunk, const uint64_t *regs,
			  const struct snrt_fetch *f, uint32_t n)
{
	uint32_t id = *(const uint32_t *)(thunk + SNRT_THUNK_ID - SNRT_THUNK_NEXT);
	struct snrt_thread *t = snrt_this();

	if (!t || !is_usual_call(t, slot))
		return false;
	push(t, NULL, slot, id, 0, NULL);
	record_registers(t, arch_counter(), id, regs, f, n);
	return true;
}

uint64_t snrt_leave_registers(struct snrt_thread *t, uint64_t *slot, const uint64_t *regs,
			      const struct snrt_fetch *f, uint32_t n)
{
	struct entry *e = top_of(t);
	uint64_t now = arch_counter(), ret = e->ret;
	uint32_t id = e->id;

	if (!is_usual_return(t, e, slot))
		return 0;
	__atomic_store_n(&e->id, 0, __ATOMIC_RELAXED);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	t->shadow -= sizeof(*e);
	record_registers(t, now, id | SNRT_EXIT, regs, f, n);
	return ret;
}

/* --- programs that call hooks themselves ------------------------------------------------------ */

void snrt_slow_hit(uint32_t what, uint64_t frame)
{
	struct snrt_thread *t = snrt_self;

	if (!t)
		t = snrt_thread_new(frame);
	if (!t || is_off())
		return;
	if (make_room(t)) {
		record_lost(t, 0);
		note_cpu(t);
		snrt_record(t, what);
		return;
	}
	/* without a shadow stack it is unknown which calls were recorded */
	slow_next(t);
	arch_reserve(&t->n_untold, what & SNRT_EXIT ? UINT64_C(1) << 32 : 1);
	t->n_lost += !(what & SNRT_EXIT);
}

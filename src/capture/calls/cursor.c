// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cursor.c - the rare parts of reading a ring.
 *
 *	            released      tail        head
 *	ring  ──────┼─────────────┼───────────┼──────────────▶
 *	      zeros   read, to be   to be read   reserved later, or zeros
 *	              cleared
 *
 * Nothing in the ring is trusted. A ring is broken if its head is behind the tail, or ahead of it
 * by more than a ring. A function that the plan does not know has the address 0. An exit without an
 * entry pops nothing. If the entry is deeper, the exit also pops what is above it (longjmp, lost
 * records). The number of failed search steps over the life of a thread has a limit.
 */
#include "capture/calls/cursor_int.h"

#include "base/array.h"
#include "capture/calls/userpids.h"
#include "runtime/snrt.h"
#include "store/events/userevents.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define TID_MAX	  (1u << 22) /* PID_MAX_LIMIT of the kernel */
#define CALLS_MIN 256u

/* A thread of another pid namespace gets the numbers that it has here. */
static void find_thread(struct cursor *cur, uint64_t pid_ns)
{
	uint64_t ns = pid_ns ? pid_ns : cur->meaning.pid_ns;

	if (!ns || ns == userpids_own_namespace())
		return;
	if (userpids_find(ns, cur->pid, cur->tid, &cur->pid, &cur->tid) != USERPIDS_FOUND)
		cur->pid_ns = ns;
}

bool cursor_open(struct cursor *cur, const struct cursor_round *round, uint32_t slot)
{
	struct snrt_thread *t = userrings_thread(round->config->rings, slot);

	*cur = (struct cursor){
		.thread = t,
		.ring = userrings_ring(t),
		.slot = slot,
		.pid = __atomic_load_n(&t->pid, __ATOMIC_RELAXED),
		.tid = __atomic_load_n(&t->tid, __ATOMIC_RELAXED),
		.plan = __atomic_load_n(&t->plan, __ATOMIC_RELAXED),
		.serial = __atomic_load_n(&t->serial, __ATOMIC_RELAXED),
		.search_left = CURSOR_SEARCH_MAX,
		.enabled = &round->config->rings->shared->enabled,
		.is_fed = &round->config->rings->is_fed[slot],
	};
	cur->is_broken = !cur->tid || cur->tid > TID_MAX || cur->pid > TID_MAX ||
			 !round->config->find_meaning(round->config->ctx, cur->plan, &cur->meaning);
	if (!cur->is_broken)
		find_thread(cur, __atomic_load_n(&t->pid_ns, __ATOMIC_RELAXED));
	return !cur->is_broken;
}

bool cursor_is_thread_gone(struct cursor *cur)
{
	if (__atomic_load_n(cur->is_fed, __ATOMIC_ACQUIRE))
		return false;
	if (cur->pid_ns)
		return userpids_find(cur->pid_ns, cur->pid, cur->tid, &cur->pid, &cur->tid) ==
		       USERPIDS_GONE;
	return cur->pid && syscall(SYS_tgkill, cur->pid, cur->tid, 0) < 0 && errno == ESRCH;
}

void cursor_close(struct cursor *cur)
{
	free(cur->calls);
	free(cur->counted);
	free(cur->texts);
	cur->calls = NULL;
	cur->texts = NULL;
}

/* Where the record behind this one begins; *ret_time: the word with its time. */
static uint64_t find_next(const struct cursor *cur, uint64_t at, uint64_t head, uint64_t *ret_time)
{
	uint64_t word = cursor_word(cur, at), next = at + sizeof(word);
	uint32_t what = word & SNRT_WHAT_MASK;

	*ret_time = word;
	if (what == SNRT_VALUES) {
		next += word >> SNRT_TIME_SHIFT;
		if (next >= head || next % sizeof(word))
			return head; /* it is invalid, which is found when it is read */
		*ret_time = cursor_word(cur, next);
		next += sizeof(word);
	} else if (what >= SNRT_LONG) {
		next += sizeof(word);
	}
	return next < head ? next : head;
}

/* The records from the tail on that are old enough to stay, and the last of them. */
static uint64_t find_old(const struct cursor *cur, const struct cursor_round *round, uint64_t head,
			 uint64_t *ret_last)
{
	uint64_t at = cur->head > cur->tail ? cur->head : cur->tail, time, next;

	*ret_last = at;
	for (; at < head && cursor_word(cur, at); at = next) {
		next = find_next(cur, at, head, &time);
		if (!time || cursor_expand(time, round->now) >= round->end)
			break;
		*ret_last = at;
	}
	return at;
}

/*
 * Claims them. A record before the last one is taken back only with all behind it, so if the last
 * one is still the same, all are.
 */
static uint64_t claim(const struct cursor *cur, const struct cursor_round *round, uint64_t head,
		      bool all)
{
	struct snrt_thread *t = cur->thread;
	uint64_t last, end = find_old(cur, round, head, &last), word = cursor_word(cur, last);
	uint64_t claimed = cur->head > cur->tail ? cur->head : cur->tail;
	uint32_t free = 0;

	if (!__atomic_compare_exchange_n(&t->turn, &free, 2, false, __ATOMIC_ACQUIRE,
					 __ATOMIC_RELAXED) &&
	    !all) /* a thread that was killed keeps its turn forever */
		return claimed;
	if (all) {
		claimed = __atomic_load_n(&t->head, __ATOMIC_RELAXED);
	} else if (__atomic_load_n(&t->head, __ATOMIC_RELAXED) >= end &&
		   cursor_word(cur, last) == word) {
		claimed = end;
	}
	__atomic_store_n(&t->claimed, claimed, __ATOMIC_RELAXED);
	if (!free)
		__atomic_store_n(&t->turn, 0, __ATOMIC_RELEASE);
	return claimed;
}

/* With a delay, records that may be taken back wait. */
bool cursor_begin_round(struct cursor *cur, const struct cursor_round *round)
{
	uint64_t head = __atomic_load_n(&cur->thread->head, __ATOMIC_ACQUIRE);

	if (head % sizeof(uint64_t) || head - cur->released > SNRT_RING_BYTES || head < cur->tail) {
		cur->is_broken = true;
		return false;
	}
	if (round->delay)
		head = claim(cur, round, head, cur->is_gone);
	cur->head = head;
	return true;
}

void cursor_release(struct cursor *cur)
{
	uint64_t n = cur->tail - cur->released, at = cur->released % SNRT_RING_BYTES;
	uint64_t first = SNRT_RING_BYTES - at < n ? SNRT_RING_BYTES - at : n;

	if (!n)
		return;
	memset((uint8_t *)cur->ring + at, 0, first);
	memset(cur->ring, 0, n - first);
	cur->released = cur->tail;
	/* after the zeros */
	userrings_raise(cur->thread, __atomic_load_n(cur->enabled, __ATOMIC_RELAXED)
					     ? cur->tail + SNRT_RING_BYTES - SNRT_RING_SPARE
					     : 0);
	if (cur->released - cur->woken >= CURSOR_WAKE_BYTES)
		cursor_wake(cur);
}

void cursor_wake(struct cursor *cur)
{
	if (cur->woken != cur->released)
		userrings_wake(cur->thread);
	cur->woken = cur->released;
}

void cursor_add_lost(struct cursor *cur, const struct cursor_round *round, uint64_t value)
{
	uint64_t calls = value & UINT32_MAX, returns = (value & ~SNRT_VALUE_FLAG) >> 32;

	cur->lost += calls + returns;
	round->sum->n_lost += calls;
	round->sum->n_endless += returns;
}

void cursor_skip(struct cursor *cur, const struct cursor_round *round)
{
	cur->tail += sizeof(uint64_t);
	cur->lost++;
	round->sum->n_lost++;
}

static enum cursor_result skip_odd(struct cursor *cur, const struct cursor_round *round)
{
	round->sum->n_odd++;
	cur->tail += sizeof(uint64_t);
	return CURSOR_NEXT;
}

/*
 * --- values ------------------------------------------------------------------------------------
 */

/* The values that begin at the tail, and the record behind them; false: they make no sense. */
static bool find_values(const struct cursor *cur, struct cursor_values *ret)
{
	uint64_t n = cursor_word(cur, cur->tail) >> SNRT_TIME_SHIFT;

	if (!n || n > SNRT_VALUES_MAX || n % sizeof(uint64_t) ||
	    cur->head - cur->tail < n + 2 * sizeof(uint64_t))
		return false;
	*ret = (struct cursor_values){cur->tail + sizeof(uint64_t), (uint32_t)n};
	return true;
}

uint64_t cursor_skip_values(struct cursor *cur, uint64_t what)
{
	struct cursor_values values;
	uint64_t word;

	if (!find_values(cur, &values))
		return 0;
	word = cursor_word(cur, values.at + values.n_bytes);
	if ((word & (SNRT_WHAT_MASK | SNRT_EXIT)) != what)
		return 0;
	cur->values = values;
	cur->tail = values.at + values.n_bytes;
	return word;
}

/* The program may write there meanwhile, so take a copy. */
static uint16_t fmt_values(struct cursor *cur, const struct cursor_round *round, uint32_t id,
			   bool is_ret)
{
	const struct usercollector_config *config = round->config;
	uint64_t words[SNRT_VALUES_MAX / sizeof(uint64_t)];
	uint32_t n = cur->values.n_bytes;

	cur->values.n_bytes = 0;
	if (!cur->texts)
		cur->texts = malloc(sizeof(*cur->texts));
	if (!cur->texts || !config->fmt_values)
		return 0;
	for (uint32_t i = 0; i < n / sizeof(uint64_t); i++)
		words[i] = cursor_word(cur, cur->values.at + i * sizeof(uint64_t));
	return (uint16_t)config->fmt_values(config->ctx, &cur->meaning, id, is_ret, words, n,
					    is_ret ? cur->texts->ret : cur->texts->args,
					    USEREVENTS_TEXT_MAX);
}

uint16_t cursor_fmt_args(struct cursor *cur, const struct cursor_round *round, uint32_t id)
{
	return fmt_values(cur, round, id, false);
}

uint16_t cursor_fmt_ret(struct cursor *cur, const struct cursor_round *round, uint32_t id)
{
	return fmt_values(cur, round, id, true);
}

/*
 * --- other records -----------------------------------------------------------------------------
 */

/* The returns of the calls above were lost: a later return must not be matched with them. */
static void drop_above(struct cursor *cur, uint64_t n_open)
{
	if (n_open < cur->depth)
		cur->depth = (uint32_t)n_open;
}

/* The names of the open calls; ids are not trusted. */
static enum cursor_result take_stack(struct cursor *cur, const struct cursor_round *round,
				     uint64_t word)
{
	struct cursor_event *ev = &cur->event;
	uint64_t time = cursor_expand(word, round->now);
	uint64_t n_words = cur->values.n_bytes / sizeof(uint64_t);
	uint32_t funcs[SNRT_STACK_MAX], n = 0;

	if (time >= round->end) {
		cursor_keep_values(cur);
		return CURSOR_NONE;
	}
	for (uint64_t i = 1; i < n_words; i++) {
		uint64_t ids = cursor_word(cur, cur->values.at + i * sizeof(uint64_t));

		for (unsigned k = 0; k < 2 && n < SNRT_STACK_MAX; k++, ids >>= 32)
			if ((uint32_t)ids && (uint32_t)ids < SNRT_FUNC_MAX)
				funcs[n++] = cursor_find_func(cur, round, (uint32_t)ids);
	}
	cur->tail += sizeof(uint64_t);
	if (!cur->texts)
		cur->texts = malloc(sizeof(*cur->texts));
	cur->values.n_bytes = 0;
	if (!n || !cur->texts || !round->config->fmt_stack)
		return CURSOR_NEXT;
	*ev = (struct cursor_event){.counter = time < cur->last ? cur->last : time,
				    .func = funcs[n - 1],
				    .depth = cur->depth,
				    .type = USEREVENTS_STACK};
	ev->args_len = (uint16_t)round->config->fmt_stack(round->config->ctx, funcs, n,
							  cur->texts->args, USEREVENTS_TEXT_MAX);
	cur->last = ev->counter;
	cur->has_event = true;
	return CURSOR_EVENT;
}

/* The counters when the call began; NULL: unknown. Calls of that depth or deeper are forgotten. */
static const struct cursor_counted *pop_counted(struct cursor *cur, uint32_t depth)
{
	while (cur->n_counted && cur->counted[cur->n_counted - 1].depth > depth)
		cur->n_counted--;
	if (!cur->n_counted || cur->counted[cur->n_counted - 1].depth < depth)
		return NULL;
	return &cur->counted[--cur->n_counted];
}

static void push_counted(struct cursor *cur, const uint64_t *words)
{
	pop_counted(cur, cur->depth);
	if (!cur->counted)
		cur->counted = calloc(CURSOR_COUNTED_MAX, sizeof(*cur->counted));
	if (!cur->counted || cur->n_counted == CURSOR_COUNTED_MAX)
		return;
	cur->counted[cur->n_counted].depth = cur->depth;
	memcpy(cur->counted[cur->n_counted++].words, words, SNRT_N_COUNTERS * sizeof(*words));
}

static size_t fmt_counters(const uint64_t *now, const uint64_t *before, char *out, size_t size)
{
	uint64_t d[SNRT_N_COUNTERS];

	for (unsigned i = 0; i < SNRT_N_COUNTERS; i++)
		d[i] = now[i] - before[i];
	return (size_t)snprintf(
		out, size,
		"CPU %.3f us, page faults %llu (%llu major), task switches %llu (%llu forced)",
		(double)d[SNRT_COUNTED_CPU_NS] / 1000,
		(unsigned long long)(d[SNRT_COUNTED_MINOR] + d[SNRT_COUNTED_MAJOR]),
		(unsigned long long)d[SNRT_COUNTED_MAJOR],
		(unsigned long long)(d[SNRT_COUNTED_WAITS] + d[SNRT_COUNTED_FORCED]),
		(unsigned long long)d[SNRT_COUNTED_FORCED]);
}

/* What a call took: an event at its return. */
static enum cursor_result take_counters(struct cursor *cur, const struct cursor_round *round,
					uint64_t word)
{
	uint64_t words[SNRT_N_COUNTERS] = {0}, time = cursor_expand(word, round->now);
	bool is_good = cur->values.n_bytes == sizeof(words);
	const struct cursor_counted *before;
	uint32_t id;

	if (time >= round->end) {
		cursor_keep_values(cur);
		return CURSOR_NONE;
	}
	for (unsigned i = 0; i < SNRT_N_COUNTERS && is_good; i++)
		words[i] = cursor_word(cur, cur->values.at + i * sizeof(uint64_t));
	cur->tail += sizeof(uint64_t);
	cur->values.n_bytes = 0;
	id = (uint32_t)words[SNRT_COUNTED_FUNC];
	if (!(id & SNRT_EXIT)) {
		push_counted(cur, words);
		return CURSOR_NEXT;
	}
	before = cur->depth ? pop_counted(cur, cur->depth - 1) : NULL;
	if (!cur->texts)
		cur->texts = malloc(sizeof(*cur->texts));
	if (!before || !cur->texts)
		return CURSOR_NEXT;
	cur->event = (struct cursor_event){.counter = time < cur->last ? cur->last : time,
					   .func = cursor_find_func(cur, round, id & ~SNRT_EXIT),
					   .depth = cur->depth,
					   .type = USEREVENTS_COUNTERS,
					   .args_len = (uint16_t)fmt_counters(words, before->words,
									      cur->texts->args,
									      USEREVENTS_TEXT_MAX)};
	cur->last = cur->event.counter;
	cur->has_event = true;
	return CURSOR_EVENT;
}

/* A record that is not a function: skips it (CURSOR_NEXT), or stops. */
enum cursor_result cursor_take_special(struct cursor *cur, const struct cursor_round *round,
				       uint64_t word)
{
	uint32_t what = word & SNRT_WHAT_MASK;
	uint64_t value, next = cur->tail + sizeof(uint64_t);

	if (what >= SNRT_CPU_FIRST && what < SNRT_LONG) {
		if (what - SNRT_CPU_FIRST >= round->config->n_cpus)
			return skip_odd(cur, round);
		cur->cpu = what - SNRT_CPU_FIRST;
		cur->tail = next;
		return CURSOR_NEXT;
	}
	if (what == SNRT_STACK)
		return take_stack(cur, round, word);
	if (what == SNRT_COUNTERS)
		return take_counters(cur, round, word);
	if (what < SNRT_LONG)
		return skip_odd(cur, round);
	if (what == SNRT_VALUES) {
		if (!find_values(cur, &cur->values))
			return skip_odd(cur, round);
		cur->tail = cur->values.at + cur->values.n_bytes;
		return CURSOR_NEXT;
	}
	value = next < cur->head ? cursor_word(cur, next) : 0;
	if (!value)
		return CURSOR_STUCK;
	if (!(value & SNRT_VALUE_FLAG))
		return skip_odd(cur, round);
	if (what == SNRT_LOST)
		cursor_add_lost(cur, round, value);
	else if (what == SNRT_DEPTH)
		drop_above(cur, value & ~SNRT_VALUE_FLAG);
	else
		round->sum->n_odd++;
	cur->tail = next + sizeof(uint64_t);
	return CURSOR_NEXT;
}

/* Libraries that were loaded later have made the plan longer. */
uint32_t cursor_find_func(struct cursor *cur, const struct cursor_round *round, uint32_t id)
{
	round->config->find_meaning(round->config->ctx, cur->plan, &cur->meaning);
	if (id < cur->meaning.n)
		return cur->meaning.funcs[id];
	round->sum->n_odd++;
	return 0;
}

/* False: it is only counted. */
bool cursor_push_slowly(struct cursor *cur, uint32_t func)
{
	uint32_t need = cur->depth + 1 < CALLS_MIN ? CALLS_MIN : cur->depth + 1;

	if (!ARRAY_ROOM(cur->calls, cur->calls_cap, need, CURSOR_DEPTH_MAX))
		return false;
	cur->calls[cur->depth] = func;
	return true;
}

void cursor_pop_slowly(struct cursor *cur, const struct cursor_round *round, uint32_t func)
{
	uint32_t n = cur->depth < cur->calls_cap ? cur->depth : cur->calls_cap;

	if (cur->depth > cur->calls_cap) { /* too deep: these calls were only counted */
		cur->depth--;
		return;
	}
	for (uint32_t i = n; i-- > 0 && cur->search_left;) {
		if (cur->calls[i] == func) {
			cur->depth = i;
			return;
		}
		cur->search_left--;
	}
	round->sum->n_odd += n > 0;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_usercollector.c - rings of user functions become pages: calls are folded, threads merged by
 * time, losses counted; threads end, are killed or stop in the middle of a record; hostile rings
 * hurt nobody else.
 *
 * A fake program writes records as the runtime does (runtime/snrt.h).
 */
#include "capture/calls/userclock.h"
#include "capture/calls/usercollector.h"
#include "store/events/userevents.h"
#include "capture/calls/userrings.h"
#include "base/errmsg.h"
#include "format/tracedat.h"

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define PAGE	   4096
#define N_CPUS	   4
#define N_FUNCS	   16
#define EVENTS_MAX (1u << 21)

struct event {
	uint64_t ns;
	uint16_t type;
	uint32_t tid, func, depth, duration;
	uint64_t missed; /* before its page */
};

struct result {
	struct event *events;
	size_t n;
};

static struct userrings rings;
static struct result cpus[N_CPUS];
static uint32_t funcs[N_FUNCS];
static uint32_t n_known = N_FUNCS;

/* --- what comes out ---------------------------------------------------------------------------- */

static uint32_t word_at(const uint8_t *p)
{
	uint32_t w;

	memcpy(&w, p, 4);
	return w;
}

static void take_record(struct result *r, uint64_t ns, const uint8_t *p, uint32_t n_bytes,
			uint64_t missed)
{
	struct userevents_record rec = {0};

	assert_true(n_bytes == USEREVENTS_SHORT_BYTES || n_bytes == USEREVENTS_CALL_BYTES);
	memcpy(&rec, p, n_bytes);
	assert_int_equal(n_bytes == USEREVENTS_CALL_BYTES, rec.type == USEREVENTS_CALL);
	assert_true(r->n < EVENTS_MAX);
	assert_true(!r->n || r->events[r->n - 1].ns <= ns);
	r->events[r->n++] =
		(struct event){ns, rec.type, rec.pid, rec.func, rec.depth, rec.duration_ns, missed};
}

static int take_page(void *ctx, unsigned cpu, const void *data, size_t n_bytes)
{
	const uint8_t *page = data, *p = page + 16, *end;
	uint64_t ns, missed = 0;
	uint32_t commit = word_at(page + 8);

	assert_true(cpu < N_CPUS);
	assert_int_equal(n_bytes, PAGE);
	memcpy(&ns, page, 8);
	end = p + (commit & SNF_COMMIT_MASK);
	assert_true(end <= page + PAGE);
	if (commit & SNF_COMMIT_MISSED_STORED)
		memcpy(&missed, end, 8);
	while (p < end) {
		uint32_t header = word_at(p), len = header & 31;

		if (len == SNF_TYPE_TIME_EXTEND) {
			ns += (uint64_t)word_at(p + 4) << SNF_DELTA_BITS | header >> 5;
			p += 8;
			continue;
		}
		ns += header >> 5;
		take_record(&cpus[cpu], ns, p + 4, len * 4, missed);
		missed = 0;
		p += 4 + len * 4;
	}
	return 0;
}

#define PLAN_AFTER_EXEC 7

static bool find_meaning(void *ctx, uint32_t plan, struct usercollector_meaning *ret)
{
	*ret = (struct usercollector_meaning){.funcs = funcs, .n = n_known};
	return plan == 1 || plan == PLAN_AFTER_EXEC;
}

static struct usercollector *begin(void)
{
	struct usercollector_config config = {.rings = &rings,
					      .n_cpus = N_CPUS,
					      .page_size = PAGE,
					      .take = take_page,
					      .find_meaning = find_meaning};
	struct usercollector *c;
	struct errmsg err = {0};

	n_known = N_FUNCS;
	for (uint32_t i = 1; i < N_FUNCS; i++)
		funcs[i] = userevents_func(i - 1);
	for (int i = 0; i < N_CPUS; i++)
		cpus[i] = (struct result){calloc(EVENTS_MAX, sizeof(struct event)), 0};
	assert_int_equal(userrings_open(&rings, SNRT_WAIT, 1000, &err), 0);
	userrings_enable(&rings, true);
	c = usercollector_new(&config);
	assert_non_null(c);
	return c;
}

static struct usercollector_sum end(struct usercollector *c)
{
	struct usercollector_sum sum;

	assert_int_equal(usercollector_finish(c), 0);
	usercollector_get_sum(c, &sum);
	usercollector_free(c);
	userrings_close(&rings);
	return sum;
}

static void release(void)
{
	for (int i = 0; i < N_CPUS; i++)
		free(cpus[i].events);
}

/* --- the fake program -------------------------------------------------------------------------- */

static struct snrt_thread *start_as(uint32_t slot, uint32_t pid, uint32_t tid, uint32_t plan)
{
	struct snrt_thread *t = userrings_thread(&rings, slot);

	t->pid = pid;
	t->tid = tid;
	t->plan = plan;
	t->limit = SNRT_RING_BYTES - SNRT_RING_SPARE;
	__atomic_store_n(&rings.shared->state[slot], SNRT_LIVE, __ATOMIC_RELEASE);
	return t;
}

static struct snrt_thread *start(uint32_t slot)
{
	return start_as(slot, getpid(), gettid(), 1);
}

static void put_word(struct snrt_thread *t, uint64_t word)
{
	uint64_t at = t->head;

	while (at >= __atomic_load_n(&t->limit, __ATOMIC_ACQUIRE))
		usleep(100);
	__atomic_store_n(&t->head, at + 8, __ATOMIC_RELEASE);
	__atomic_store_n(&userrings_ring(t)[at % SNRT_RING_BYTES / 8], word, __ATOMIC_RELEASE);
}

static void put(struct snrt_thread *t, uint32_t what)
{
	put_word(t, userclock_counter() << SNRT_TIME_SHIFT | what);
}

static void put_long(struct snrt_thread *t, uint32_t what, uint64_t value)
{
	put(t, what);
	put_word(t, value | SNRT_VALUE_FLAG);
}

/* n calls of function 2 inside function 1. */
static void make_calls(struct snrt_thread *t, unsigned n)
{
	put(t, 1);
	for (unsigned i = 0; i < n; i++) {
		put(t, 2);
		put(t, 2 | SNRT_EXIT);
	}
	put(t, 1 | SNRT_EXIT);
}

static size_t n_events_of(uint32_t tid)
{
	size_t n = 0;

	for (int cpu = 0; cpu < N_CPUS; cpu++)
		for (size_t i = 0; i < cpus[cpu].n; i++)
			n += cpus[cpu].events[i].tid == tid;
	return n;
}

/* --- tests ------------------------------------------------------------------------------------- */

static void calls_without_calls_inside_are_one_event(void **state)
{
	struct usercollector *c = begin();
	struct snrt_thread *t = start(3);
	struct usercollector_sum sum;
	const struct event *e = cpus[2].events;

	put(t, SNRT_CPU_FIRST + 2);
	make_calls(t, 2);
	put(t, 3); /* still under way at the end */
	put(t, 4);
	sum = end(c);
	assert_int_equal(cpus[2].n, 6);
	assert_int_equal(e[0].type, USEREVENTS_ENTRY);
	assert_int_equal(e[0].func, userevents_func(0));
	assert_int_equal(e[0].depth, 0);
	assert_int_equal(e[0].tid, gettid());
	assert_int_equal(e[1].type, USEREVENTS_CALL);
	assert_int_equal(e[1].func, userevents_func(1));
	assert_int_equal(e[1].depth, 1);
	assert_true(e[1].ns + e[1].duration <= e[2].ns);
	assert_int_equal(e[2].type, USEREVENTS_CALL);
	assert_int_equal(e[3].type, USEREVENTS_EXIT);
	assert_int_equal(e[3].depth, 0);
	assert_int_equal(e[4].type, USEREVENTS_ENTRY);
	assert_int_equal(e[5].depth, 1);
	assert_int_equal(sum.n_calls, 5);
	assert_int_equal(sum.n_events, 6);
	assert_int_equal(sum.n_lost, 0);
	assert_int_equal(sum.n_odd, 0);
	assert_int_equal(sum.n_threads, 1);
	release();
}

static void times_are_those_of_the_clock(void **state)
{
	struct usercollector *c = begin();
	struct snrt_thread *t = start(0);
	struct timespec ts;
	uint64_t before, after;

	clock_gettime(CLOCK_MONOTONIC_RAW, &ts);
	before = ts.tv_sec * 1000000000ull + ts.tv_nsec;
	make_calls(t, 1);
	clock_gettime(CLOCK_MONOTONIC_RAW, &ts);
	after = ts.tv_sec * 1000000000ull + ts.tv_nsec;
	end(c);
	/* a microsecond for the comparison of the clocks */
	assert_true(cpus[0].events[0].ns + 1000 >= before);
	assert_true(cpus[0].events[cpus[0].n - 1].ns <= after + 1000);
	release();
}

/* A thread that left calls without returning (longjmp): their depth is forgotten. */
static void returns_find_their_calls(void **state)
{
	struct usercollector *c = begin();
	struct snrt_thread *t = start(0);
	const struct event *e = cpus[0].events;
	struct usercollector_sum sum;

	for (uint32_t id = 1; id <= 4; id++)
		put(t, id);
	put(t, 2 | SNRT_EXIT);
	put(t, 5);
	put(t, 6);
	put(t, 9 | SNRT_EXIT); /* never called */
	put(t, 6 | SNRT_EXIT);
	sum = end(c);
	assert_int_equal(e[4].type, USEREVENTS_EXIT);
	assert_int_equal(e[4].depth, 1);
	assert_int_equal(e[5].depth, 1);
	assert_int_equal(e[6].depth, 2);
	assert_int_equal(e[7].type, USEREVENTS_EXIT);
	assert_int_equal(e[8].depth, 2);
	assert_int_equal(sum.n_odd, 1);
	release();
}

struct writer {
	pthread_t thread;
	uint32_t slot, tid;
	unsigned n;
};

static void *write_calls(void *ctx)
{
	struct writer *w = ctx;
	struct snrt_thread *t = start(w->slot);

	w->tid = gettid();
	put(t, SNRT_CPU_FIRST + w->slot % 2);
	for (unsigned i = 0; i < w->n; i++) {
		if (i % 64 == 63) /* it moves to another CPU */
			put(t, SNRT_CPU_FIRST + (w->slot + i / 64) % 2);
		make_calls(t, 3);
	}
	return NULL;
}

static bool have_ended(struct writer *writers, size_t n)
{
	bool all = true;

	for (size_t i = 0; i < n; i++) {
		if (writers[i].thread && pthread_tryjoin_np(writers[i].thread, NULL) == 0)
			writers[i].thread = 0;
		all &= !writers[i].thread;
	}
	return all;
}

/* More than a ring holds, so that writers wait and rings wrap around. */
static void threads_are_merged_by_time(void **state)
{
	struct writer writers[4] = {0};
	struct usercollector *c = begin();
	struct usercollector_sum sum;

	for (uint32_t i = 0; i < 4; i++) {
		writers[i].slot = i;
		writers[i].n = 50000;
		pthread_create(&writers[i].thread, NULL, write_calls, &writers[i]);
	}
	while (!have_ended(writers, 4))
		usleep(usercollector_round(c));
	sum = end(c);
	assert_int_equal(sum.n_calls, 4 * 50000 * 4);
	assert_int_equal(sum.n_odd, 0);
	assert_int_equal(sum.n_broken, 0);
	assert_int_equal(cpus[0].n + cpus[1].n, sum.n_events);
	for (int i = 0; i < 4; i++) /* an entry and an exit may be in two rounds */
		assert_true(n_events_of(writers[i].tid) >= 50000 * 5);
	release();
}

static void lost_records_are_counted_where_they_are_missing(void **state)
{
	struct usercollector *c = begin();
	struct snrt_thread *t = start(0);
	const struct event *e = cpus[0].events;
	struct usercollector_sum sum;

	make_calls(t, 1);
	put_long(t, SNRT_LOST, 7 | 2ull << 32);
	make_calls(t, 1);
	t->n_untold = 5;
	sum = end(c);
	assert_int_equal(cpus[0].n, 6);
	assert_int_equal(e[3].missed, 9);
	assert_int_equal(e[0].missed + e[1].missed + e[2].missed + e[4].missed, 0);
	assert_int_equal(sum.n_lost, 12);
	assert_int_equal(sum.n_endless, 2);
	release();
}

/* f calls f, whose return is lost; then the outer one returns: it has its own return, not the inner's. */
static void a_lost_return_takes_no_other(void **state)
{
	struct usercollector *c = begin();
	struct snrt_thread *t = start(0);
	const struct event *e = cpus[0].events;

	put(t, 1);
	put(t, 2);
	put(t, 2);
	put_long(t, SNRT_LOST, 1ull << 32);
	put_long(t, SNRT_DEPTH, 2);
	put(t, 2 | SNRT_EXIT);
	put_long(t, SNRT_DEPTH, 9); /* more than there are: nonsense, and harmless */
	put(t, 1 | SNRT_EXIT);
	end(c);
	assert_int_equal(cpus[0].n, 5);
	assert_int_equal(e[3].type, USEREVENTS_EXIT);
	assert_int_equal(e[3].depth, 1);
	assert_int_equal(e[3].missed, 1);
	assert_int_equal(e[4].depth, 0);
	release();
}

/* Killed in the middle of a record; the slot becomes free for others. */
static void a_killed_program_leaves_its_calls(void **state)
{
	struct usercollector *c = begin();
	struct usercollector_sum sum;
	int ready[2];
	char byte;
	pid_t pid;

	assert_int_equal(pipe(ready), 0);
	pid = fork();
	if (!pid) {
		struct snrt_thread *t = start(5);

		make_calls(t, 1);
		put(t, 4);
		t->head += 8; /* reserved, never written */
		(void)!write(ready[1], "r", 1);
		pause();
	}
	assert_int_equal(read(ready[0], &byte, 1), 1);
	assert_true(usercollector_round(c) >= 0);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	for (int i = 0; i < 300 && userrings_state(&rings, 5) != SNRT_FREE; i++) {
		usercollector_round(c);
		usleep(10000);
	}
	assert_int_equal(userrings_state(&rings, 5), SNRT_FREE);
	assert_int_equal(userrings_thread(&rings, 5)->head, 0);
	sum = end(c);
	assert_int_equal(n_events_of(pid), 4);
	assert_int_equal(sum.n_lost, 1);
	release();
	close(ready[0]);
	close(ready[1]);
}

/* Both slots of the thread are new to the collector, which sees the lower one first. */
static void after_exec(uint32_t old_slot, uint32_t new_slot)
{
	struct usercollector *c = begin();
	struct snrt_thread *old = start(old_slot), *new;
	struct usercollector_sum sum;

	new = start_as(new_slot, getpid(), gettid(), PLAN_AFTER_EXEC);
	old->serial = 1;
	new->serial = 2;
	make_calls(old, 1);
	make_calls(new, 1);
	for (int i = 0; i < 300 && userrings_state(&rings, old_slot) != SNRT_FREE; i++) {
		usercollector_round(c);
		usleep(10000);
	}
	assert_int_equal(userrings_state(&rings, old_slot), SNRT_FREE);
	assert_int_equal(userrings_state(&rings, new_slot), SNRT_LIVE);
	assert_int_equal(new->tid, gettid());
	make_calls(new, 1);
	sum = end(c);
	assert_int_equal(n_events_of(gettid()), 9);
	assert_int_equal(sum.n_odd, 0);
	release();
}

static void exec_leaves_the_slot_of_the_new_program(void **state)
{
	after_exec(4, 9);
	after_exec(9, 4);
}

static void a_thread_that_stops_in_a_record_does_not_stop_others(void **state)
{
	struct usercollector *c = begin();
	struct snrt_thread *stuck = start(0), *other = start(1);
	struct usercollector_sum sum;

	put(stuck, 1);
	stuck->head += 8;
	make_calls(other, 100);
	for (int i = 0; i < 20 && cpus[0].n < 50; i++) {
		usercollector_round(c);
		usercollector_flush(c);
		usleep(5000);
	}
	assert_true(cpus[0].n >= 50);
	/* it goes on */
	userrings_ring(stuck)[1] = userclock_counter() << SNRT_TIME_SHIFT | 1 | SNRT_EXIT;
	sum = end(c);
	assert_int_equal(sum.n_lost, 0);
	assert_int_equal(sum.n_calls, 102);
	release();
}

static void a_ring_that_is_read_can_be_written_again(void **state)
{
	struct usercollector *c = begin();
	struct snrt_thread *t = start(0);

	for (int round = 0; round < 5; round++) {
		make_calls(t, 100000);
		usleep(100);
		assert_int_equal(usercollector_round(c) < 0, false);
		assert_true(t->limit > t->head);
		assert_true(userrings_ring(t)[t->head % SNRT_RING_BYTES / 8] == 0);
	}
	assert_int_equal(end(c).n_calls, 5 * 100001);
	release();
}

/* Libraries that are loaded later make the plan longer. */
static void plans_may_grow(void **state)
{
	struct usercollector *c = begin();
	struct snrt_thread *t = start(0);
	struct usercollector_sum sum;

	n_known = 3;
	make_calls(t, 1);
	usleep(100);
	usercollector_round(c);
	n_known = N_FUNCS;
	put(t, 12);
	put(t, 12 | SNRT_EXIT);
	put(t, N_FUNCS + 1); /* no plan has it */
	sum = end(c);
	assert_int_equal(cpus[0].events[3].func, userevents_func(11));
	assert_int_equal(cpus[0].events[4].func, 0);
	assert_int_equal(sum.n_odd, 1);
	release();
}

static void nonsense_is_left_out(void **state)
{
	struct usercollector *c = begin();
	struct snrt_thread *good = start(0), *t;
	struct usercollector_sum sum;
	uint64_t now;

	make_calls(good, 10);
	start_as(1, getpid(), gettid(), 77); /* no such plan */
	start_as(2, getpid(), 0, 1);
	t = start(3);
	t->head = 12345;
	t = start(4);
	t->head = 10ull * SNRT_RING_BYTES;
	t = start(5);
	put(t, 0); /* no function */
	put(t, SNRT_CPU_FIRST + 4000);
	put(t, SNRT_LONG + 5);
	put_word(t, SNRT_VALUE_FLAG | 1);
	t = start(6);
	put_word(t,
		 (userclock_counter() + (1ull << 42)) << SNRT_TIME_SHIFT | 1); /* in the future */
	t = start(7);
	put(t, SNRT_EXIT | 1);
	/* long ago, but not before the start of the machine, when the counter was 0 */
	now = userclock_counter();
	put_word(t, (now - (now / 2 < 1ull << 42 ? now / 2 : 1ull << 42)) << SNRT_TIME_SHIFT | 1);
	for (int i = 0; i < 3; i++) {
		usleep(100);
		assert_true(usercollector_round(c) >= 0);
	}
	good = userrings_thread(&rings, 0);
	make_calls(good, 10);
	good->head = 8; /* back: broken from now on */
	sum = end(c);
	assert_int_equal(sum.n_broken, 6); /* one is what comes from the future */
	assert_true(sum.n_odd >= 3);
	assert_true(sum.n_calls >= 11);
	release();
}

/* Any words at all, with any head. */
static void random_words_do_no_harm(void **state)
{
	unsigned short seed[3] = {1, 2, 3};

	for (int round = 0; round < 20; round++) {
		struct usercollector *c = begin();

		for (uint32_t slot = 0; slot < 8; slot++) {
			struct snrt_thread *t = start(slot);
			uint64_t *ring = userrings_ring(t);

			for (size_t i = 0; i < SNRT_RING_BYTES / 8; i++) {
				uint64_t word =
					(uint64_t)jrand48(seed) << 32 ^ (uint64_t)jrand48(seed);

				if (round % 2) /* records that are nearly right */
					word = userclock_counter() << SNRT_TIME_SHIFT |
					       (word & (SNRT_EXIT | 15));
				ring[i] = word;
			}
			t->head = (uint64_t)(nrand48(seed) % (SNRT_RING_BYTES / 8)) * 8;
		}
		for (int i = 0; i < 5; i++)
			assert_true(usercollector_round(c) >= 0);
		end(c);
		release();
	}
}

static int take_nothing(void *ctx, unsigned cpu, const void *page, size_t n_bytes)
{
	return -ENOSPC;
}

static void a_full_disk_ends_it(void **state)
{
	struct usercollector_config config = {.rings = &rings,
					      .n_cpus = N_CPUS,
					      .page_size = PAGE,
					      .take = take_nothing,
					      .find_meaning = find_meaning};
	struct errmsg err = {0};
	struct usercollector *c;
	struct snrt_thread *t;

	assert_int_equal(userrings_open(&rings, SNRT_WAIT, 1000, &err), 0);
	c = usercollector_new(&config);
	t = start(0);
	make_calls(t, 10000);
	usleep(100);
	assert_int_equal(usercollector_round(c), -ENOSPC);
	assert_int_equal(usercollector_finish(c), -ENOSPC);
	usercollector_free(c);
	userrings_close(&rings);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(calls_without_calls_inside_are_one_event),
		cmocka_unit_test(times_are_those_of_the_clock),
		cmocka_unit_test(returns_find_their_calls),
		cmocka_unit_test(threads_are_merged_by_time),
		cmocka_unit_test(lost_records_are_counted_where_they_are_missing),
		cmocka_unit_test(a_lost_return_takes_no_other),
		cmocka_unit_test(a_killed_program_leaves_its_calls),
		cmocka_unit_test(exec_leaves_the_slot_of_the_new_program),
		cmocka_unit_test(a_thread_that_stops_in_a_record_does_not_stop_others),
		cmocka_unit_test(a_ring_that_is_read_can_be_written_again),
		cmocka_unit_test(plans_may_grow),
		cmocka_unit_test(nonsense_is_left_out),
		cmocka_unit_test(random_words_do_no_harm),
		cmocka_unit_test(a_full_disk_ends_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

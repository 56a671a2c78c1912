// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_userfeed.c - hits of probes become records of rings: which calls are open, from the stack pointer
 * alone.
 *
 * A picture has a letter for each call, and a small bracket for its end: "a b )b )a".
 */
#include "capture/calls/userfeed.h"
#include "capture/calls/userrings.h"
#include "runtime/snrt.h"
#include "base/errmsg.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cmocka.h>

#define PLAN  7
#define STACK 0x7ffe0000u

static struct userrings rings;
static struct userfeed *feed;
static uint64_t now;
static uint32_t self;

static int begin(void **state)
{
	struct errmsg err = {0};

	(void)state;
	now = 1000;
	self = (uint32_t)syscall(SYS_gettid);
	assert_int_equal(userrings_open(&rings, SNRT_WAIT, 1000, &err), 0);
	userrings_enable(&rings, true);
	feed = userfeed_new(&rings, PLAN);
	return feed ? 0 : -1;
}

static int end(void **state)
{
	(void)state;
	userfeed_free(feed);
	userrings_close(&rings);
	return 0;
}

/* sp: bytes below the stack's top. */
static void call(uint32_t tid, char function, uint64_t sp, uint64_t ret)
{
	userfeed_take(feed, &(struct userfeed_hit){.kind = USERFEED_CALL,
						   .counter = now++,
						   .sp = STACK - sp,
						   .ret = ret,
						   .id = (uint32_t)(function - 'a' + 1),
						   .tid = tid});
}

static void leave(uint32_t tid, uint64_t sp)
{
	userfeed_take(feed, &(struct userfeed_hit){.kind = USERFEED_RETURN,
						   .counter = now++,
						   .sp = STACK - sp,
						   .tid = tid});
}

static void child(uint32_t tid, enum userfeed_kind kind, uint32_t id)
{
	userfeed_take(feed,
		      &(struct userfeed_hit){.kind = kind, .counter = now++, .id = id, .tid = tid});
}

static uint32_t find_slot(uint32_t tid)
{
	for (uint32_t slot = 0; slot < SNRT_SLOTS; slot++)
		if (userrings_state(&rings, slot) == SNRT_LIVE &&
		    userrings_thread(&rings, slot)->tid == tid)
			return slot;
	return SNRT_SLOTS;
}

static void expect(uint32_t tid, const char *picture)
{
	uint32_t slot = find_slot(tid);
	struct snrt_thread *t = userrings_thread(&rings, slot);
	char text[256] = "", *p = text;
	uint64_t last = 0;

	assert_true(slot < SNRT_SLOTS);
	assert_int_equal(t->plan, PLAN);
	for (uint64_t at = 0; at < t->head; at += 8) {
		uint64_t word = userrings_ring(t)[at / 8];
		uint32_t what = word & SNRT_WHAT_MASK;

		assert_true(p < text + sizeof(text) - 24);
		assert_true(word >> SNRT_TIME_SHIFT >= last);
		last = word >> SNRT_TIME_SHIFT;
		if (what >= SNRT_CPU_FIRST && what < SNRT_LONG)
			continue;
		if (p > text)
			*p++ = ' ';
		if (what == SNRT_LOST) {
			p += snprintf(p, 16, "lost %u", (unsigned)userrings_ring(t)[at / 8 + 1]);
			at += 8;
			continue;
		}
		if (word & SNRT_EXIT)
			*p++ = ')';
		*p++ = (char)('a' + what - 1);
	}
	assert_string_equal(text, picture);
}

static void calls_are_nested(void **state)
{
	(void)state;
	call(self, 'a', 0x10, 1);
	call(self, 'b', 0x40, 2);
	leave(self, 0x40);
	call(self, 'b', 0x40, 3);
	leave(self, 0x40);
	leave(self, 0x10);
	expect(self, "a b )b b )b )a");
}

static void skipped_returns_are_found(void **state)
{
	(void)state;
	call(self, 'a', 0x10, 1);
	call(self, 'b', 0x40, 2);
	call(self, 'c', 0x80, 3); /* throws: a catches, and calls another one */
	call(self, 'd', 0x30, 4);
	leave(self, 0x30);
	call(self, 'b', 0x40, 2);
	call(self, 'c', 0x80, 3); /* longjmp(), and the same call from the same line */
	call(self, 'b', 0x40, 2);
	leave(self, 0x10);
	expect(self, "a b c )c )b d )d b c )c )b b )b )a");
}

static void tail_calls_end_together(void **state)
{
	(void)state;
	call(self, 'a', 0x10, 1);
	call(self, 'b', 0x40, 2);
	call(self, 'c', 0x40, 2); /* b has jumped to it */
	leave(self, 0x40);
	call(self, 'b', 0x40, 2);
	call(self, 'c', 0x40, 5); /* from another line: b has ended elsewhere */
	leave(self, 0x40);
	leave(self, 0x10);
	expect(self, "a b c )c )b b )b c )c )a");
}

static void other_stacks_are_left_alone(void **state)
{
	(void)state;
	call(self, 'a', 1u << 30, 1); /* far below: a coroutine */
	call(self, 'b', 0x10, 2);
	leave(self, 0x10);
	leave(self, 1u << 30);
	leave(self, 1u << 30); /* of a call that was never seen */
	expect(self, "a b )b )a");
}

static void children_have_what_they_copied(void **state)
{
	(void)state;
	call(self, 'a', 0x10, 1);
	child(self, USERFEED_COPY, 90001);
	child(self, USERFEED_PROCESS, 90002);
	child(self, USERFEED_THREAD, 90003);
	for (uint32_t tid = 90001; tid <= 90003; tid++)
		call(tid, 'b', 0x40, 2);
	expect(90001, "a b");
	expect(90002, "b");
	expect(90003, "b");
	assert_int_equal(userrings_thread(&rings, find_slot(90001))->pid, 90001);
	assert_int_equal(userrings_thread(&rings, find_slot(90002))->pid, 90002);
	assert_int_equal(userrings_thread(&rings, find_slot(90003))->pid, getpid());
}

static void losses_are_told_and_rings_given_back(void **state)
{
	(void)state;
	userfeed_lose(feed, 3);
	call(self, 'a', 0x10, 1);
	call(4000000, 'b', 0x10, 1); /* there is no such thread */
	expect(self, "lost 3 a");
	expect(4000000, "b");
	assert_true(rings.is_fed[find_slot(self)] && rings.is_fed[find_slot(4000000)]);
	userfeed_look(feed); /* they were hit since the last look */
	userfeed_look(feed);
	assert_true(rings.is_fed[find_slot(self)]);
	assert_false(rings.is_fed[find_slot(4000000)]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(calls_are_nested, begin, end),
		cmocka_unit_test_setup_teardown(skipped_returns_are_found, begin, end),
		cmocka_unit_test_setup_teardown(tail_calls_end_together, begin, end),
		cmocka_unit_test_setup_teardown(other_stacks_are_left_alone, begin, end),
		cmocka_unit_test_setup_teardown(children_have_what_they_copied, begin, end),
		cmocka_unit_test_setup_teardown(losses_are_told_and_rings_given_back, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

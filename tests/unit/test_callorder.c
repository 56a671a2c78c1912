// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_callorder.c - the order of system calls of several threads, the choice of calls, times of two
 * clocks, and the summary: from arrays.
 */
#include "analyse/callsummary.h"
#include "base/errmsg.h"
#include "base/textbuf.h"
#include "capture/syscalls/sysclock.h"
#include "decode/syscalls/callorder.h"
#include "store/events/syscallevents.h"
#include "symbols/syscalls/choice.h"

#include <linux/audit.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#define MS 1000000u

struct row {
	uint64_t from, to; /* ms */
	int pid;
	uint16_t type;
	uint32_t nr;
	int64_t ret;
};

static void show(struct textbuf *tb, const struct callorder_item *item)
{
	static const char parts[] = "WUR";

	textbuf_addf(tb, "%c%d@%llu ", parts[item->part], item->call->pid,
		     (unsigned long long)(item->ts / MS));
}

/* Adds records in the order of their ends; what comes out as "part pid @ ms". */
static void check(const struct row *rows, size_t n, const char *wanted)
{
	TEXTBUF(tb, 4096);
	struct callorder o;
	struct callorder_item item;

	callorder_init(&o);
	for (size_t i = 0; i < n; i++) {
		struct syscallevents_call call = {.type = rows[i].type ? rows[i].type
								       : SYSCALLEVENTS_CALL,
						  .pid = rows[i].pid,
						  .nr = rows[i].nr,
						  .ret = rows[i].ret,
						  .machine = AUDIT_ARCH_X86_64,
						  .duration = (rows[i].to - rows[i].from) * MS};
		int r = callorder_add(&o, rows[i].to * MS, &call, sizeof(call));

		assert_true(r >= 0);
		if (r) {
			item = (struct callorder_item){CALLORDER_WHOLE, rows[i].to * MS, &call,
						       sizeof(call)};
			show(&tb, &item);
		}
		while (callorder_next(&o, &item))
			show(&tb, &item);
	}
	callorder_finish(&o);
	while (callorder_next(&o, &item))
		show(&tb, &item);
	callorder_release(&o);
	assert_string_equal(textbuf_text(&tb), wanted);
}

#define CHECK(wanted, ...)                                         \
	do {                                                       \
		static const struct row rows[] = {__VA_ARGS__};    \
		check(rows, sizeof(rows) / sizeof(*rows), wanted); \
	} while (0)

static void one_thread(void **state)
{
	CHECK("W1@2 W1@4 W1@9 ", {1, 2, 1}, {3, 4, 1}, {5, 9, 1});
}

static void two_threads(void **state)
{
	/* read() of 1 lasts while 2 calls something */
	CHECK("W1@2 U1@3 W2@5 R1@9 ", {1, 2, 1}, {4, 5, 2}, {3, 9, 1});
	/* one after the other: nothing is split */
	CHECK("W1@2 W2@4 W1@6 ", {1, 2, 1}, {3, 4, 2}, {5, 6, 1});
	/* each begins inside the other */
	CHECK("W1@1 W2@1 U1@2 U2@3 R1@5 R2@6 ", {0, 1, 1}, {1, 1, 2}, {2, 5, 1}, {3, 6, 2});
}

static void a_call_that_lasts(void **state)
{
	CHECK("W1@1 U1@2 W2@300 R1@900 ", {0, 1, 1}, {2, 60, 1, SYSCALLEVENTS_OPEN}, {299, 300, 2},
	      {2, 900, 1});
	/* announced again at the end of the recording: shown once */
	CHECK("W1@1 U1@2 ", {0, 1, 1}, {2, 60, 1, SYSCALLEVENTS_OPEN},
	      {2, 90, 1, SYSCALLEVENTS_OPEN});
}

static void notes(void **state)
{
	/* a switch inside of a call, whose record comes later */
	CHECK("W1@2 U1@3 W1@4 R1@9 ", {1, 2, 1}, {4, 4, 1, CALLORDER_NOTE}, {3, 9, 1});
	CHECK("W1@4 W1@5 ", {4, 4, 1, CALLORDER_NOTE}, {5, 5, 1});
}

static void a_child(void **state)
{
	/* fork() of 1 starts 2; waitpid() of 1 begins before the first call of 2 */
	CHECK("W1@2 U1@3 W2@5 W2@6 R1@8 ", {1, 2, 1, 0, 57, 2}, {4, 5, 2},
	      {6, 6, 2, SYSCALLEVENTS_EXIT}, {3, 8, 1});
}

static void choices(void **state)
{
	uint64_t bits[SYSCALLCHOICE_WORDS];
	struct errmsg err = {0};

	assert_int_equal(syscallchoice_parse("read,write", AUDIT_ARCH_X86_64, false, bits, &err),
			 0);
	assert_int_equal(bits[0], 3);
	assert_int_equal(syscallchoice_parse("!read", AUDIT_ARCH_X86_64, false, bits, &err), 0);
	assert_int_equal(bits[0], ~UINT64_C(1));
	assert_int_equal(syscallchoice_parse("/^pwrite", AUDIT_ARCH_X86_64, false, bits, &err), 0);
	assert_int_equal(bits[0], 1 << 18);
	assert_int_equal(syscallchoice_parse("?nosuch,1", AUDIT_ARCH_X86_64, false, bits, &err), 0);
	assert_int_equal(bits[0], 2);
	assert_true(syscallchoice_parse("%file", AUDIT_ARCH_X86_64, false, bits, &err) >= 0);
	assert_true(bits[257 / 64] >> 257 % 64 & 1);
	assert_false(bits[0] & 1);
	assert_true(syscallchoice_parse("nosuch", AUDIT_ARCH_X86_64, false, bits, &err) < 0);
	err = (struct errmsg){0};
	assert_int_equal(syscallchoice_parse("nosuch", AUDIT_ARCH_I386, true, bits, &err), 0);
}

static void clocks(void **state)
{
	/* raw is 100 ppm faster */
	struct sysclock c = {
		.mono = 1000000000, .raw = 5000000000, .rate = (UINT64_C(1) << 32) + 429497};

	assert_int_equal(sysclock_raw(&c, 1000000000), 5000000000);
	assert_in_range(sysclock_raw(&c, 2000000000), 6000099999, 6000100001);
	assert_int_equal(sysclock_raw(&c, 999999000), 4999999000);
	sysclock_init(&c);
	for (uint64_t before = 0, i = 0; i < 100; i++) {
		uint64_t now;

		sysclock_read(&c);
		now = sysclock_raw(&c, c.last_mono);
		assert_true(now >= before);
		assert_true(now + 1000 > c.last_raw && now < c.last_raw + 1000);
		before = now;
	}
}

static void summary(void **state)
{
	struct callsummary *s = callsummary_new();
	const struct callsummary_row *const *rows;
	size_t n;

	assert_non_null(s);
	for (unsigned i = 1; i <= 100; i++)
		callsummary_add(s, AUDIT_ARCH_X86_64, 0, i * 1000, i % 10 == 0, 0);
	callsummary_add(s, AUDIT_ARCH_X86_64, 1, 10000000, false, 0);
	rows = callsummary_sort(s, CALLSUMMARY_TIME, &n);
	assert_int_equal(n, 2);
	assert_int_equal(rows[0]->nr, 1);
	assert_int_equal(rows[1]->spread.n, 100);
	assert_int_equal(rows[1]->n_errors, 10);
	assert_in_range(latency_spread_percentile(&rows[1]->spread, 9500), 95000, 96000);
	rows = callsummary_sort(s, CALLSUMMARY_NAME, &n);
	assert_int_equal(rows[0]->nr, 0);
	callsummary_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_thread),	     cmocka_unit_test(two_threads),
		cmocka_unit_test(a_call_that_lasts), cmocka_unit_test(a_child),
		cmocka_unit_test(choices),	     cmocka_unit_test(clocks),
		cmocka_unit_test(summary),	     cmocka_unit_test(notes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_compare.c - differences between two recordings: real ones are found and ranked, chance is not.
 *
 * The recordings are made up: functions with random durations that drift together, as a busy machine
 * makes them.
 */
#include "analyse/compare/chance.h"
#include "analyse/compare/compare.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define SECOND	    UINT64_C(1000000000)
#define N_FUNCTIONS 200
#define N_CALLS	    2000

static uint64_t random_of(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static double part_of(uint64_t *state)
{
	return (double)(random_of(state) >> 11) / 9007199254740992.;
}

/*
 * planted: the function that takes `times` as long. drift: of the whole machine. Some calls take a
 * hundred times as long, as after an interrupt.
 */
static void fill_program(struct measures *m, const char *program, uint64_t seed, int planted,
			 double times, double drift)
{
	uint64_t state = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;

	measures_init(m, 0, 30 * SECOND);
	for (int f = 0; f < N_FUNCTIONS; f++) {
		char name[16];
		struct measure *of;
		double place = 0.995 + 0.01 * part_of(&state); /* in memory */

		snprintf(name, sizeof(name), "f%d", f);
		of = measures_take(m, MEASURE_USER_FUNCTION, name, strlen(name), program);
		assert_non_null(of);
		for (int i = 0; i < N_CALLS; i++) {
			uint64_t ts = 30 * SECOND / N_CALLS * (uint64_t)i;
			double phase = 1 + 0.05 * sin((double)ts / 3e9 + (double)seed);
			double d = (500 + 10 * f) * place * drift * phase *
				   (0.9 + 0.2 * part_of(&state));

			if (f == planted)
				d *= times;
			if (part_of(&state) < 0.001)
				d *= 100;
			measures_add(m, of, ts, (uint64_t)d);
		}
	}
}

static void fill(struct measures *m, uint64_t seed, int planted, double times, double drift)
{
	fill_program(m, "prog", seed, planted, times, drift);
}

static struct compare compare_two(struct measures *a, struct measures *b)
{
	struct compare_config config = {.min_change = 0.03, .max_chance = 0.01};
	struct compare c;

	assert_int_equal(compare_init(&c, a, b, &config), 0);
	return c;
}

static void planted_is_first(void **state)
{
	for (uint64_t seed = 1; seed <= 10; seed++) {
		struct measures a, b;
		struct compare c;

		fill(&a, 2 * seed, -1, 1, 1);
		fill(&b, 2 * seed + 1, 17, 1.1, 1.2);
		c = compare_two(&a, &b);
		assert_true(c.n_certain >= 1);
		assert_string_equal(c.rows[0].b->name, "f17");
		assert_int_equal(c.rows[0].what, COMPARE_DURATION);
		assert_true(c.rows[0].ratio > 1.07 && c.rows[0].ratio < 1.13);
		assert_true(c.rows[0].low < 1.1 && c.rows[0].high > 1.1);
		assert_true(c.rows[0].cost_ns > 0);
		assert_true(fabs(c.common[MEASURE_USER_FUNCTION][COMPARE_DURATION].ratio - 1.2) <
			    0.05);
		compare_release(&c);
		measures_release(&a);
		measures_release(&b);
	}
}

static void same_program_is_the_same(void **state)
{
	size_t n_false = 0;

	for (uint64_t seed = 1; seed <= 20; seed++) {
		struct measures a, b;
		struct compare c;

		fill(&a, 1000 + 2 * seed, -1, 1, 1);
		fill(&b, 1001 + 2 * seed, -1, 1, 0.8);
		c = compare_two(&a, &b);
		n_false += c.n_certain > 0;
		compare_release(&c);
		measures_release(&a);
		measures_release(&b);
	}
	assert_true(n_false <= 1);
}

/* Calls of 120 ns, and one function among them that takes `more` in the second recording. */
static size_t n_changed_by(uint64_t more)
{
	struct measures m[2];
	struct compare c;
	uint64_t state = 1;
	size_t n;

	for (int side = 0; side < 2; side++) {
		measures_init(&m[side], 0, 30 * SECOND);
		for (int f = 0; f < 50; f++) {
			char name[16];
			struct measure *of;

			snprintf(name, sizeof(name), "f%d", f);
			of = measures_take(&m[side], MEASURE_USER_FUNCTION, name, strlen(name),
					   "prog");
			for (int i = 0; i < N_CALLS; i++)
				measures_add(&m[side], of, 30 * SECOND / N_CALLS * (uint64_t)i,
					     118 + random_of(&state) % 5 +
						     (side && f == 7 ? more : 0));
		}
	}
	c = compare_two(&m[0], &m[1]);
	n = c.n_certain;
	compare_release(&c);
	measures_release(&m[0]);
	measures_release(&m[1]);
	return n;
}

/* With other addresses, a call takes up to two mispredicted branches more: that is no change. */
static void addresses_are_no_change(void **state)
{
	assert_int_equal(n_changed_by(0), 0);
	assert_int_equal(n_changed_by(14), 0);
	assert_int_equal(n_changed_by(30), 1);
}

static void add_many(struct measures *m, const char *name, int n)
{
	struct measure *of = measures_take(m, MEASURE_SYSCALL, name, strlen(name), NULL);

	for (int i = 0; i < n; i++)
		measures_add(m, of, 10 * SECOND / (uint64_t)n * (uint64_t)i, 1000 + i % 7);
}

static void counts_and_names(void **state)
{
	struct measures a, b;
	struct compare c;

	measures_init(&a, 0, 10 * SECOND);
	measures_init(&b, 0, 10 * SECOND);
	add_many(&a, "read", 5000);
	add_many(&b, "read", 10000);
	add_many(&a, "write", 5000);
	add_many(&b, "write", 5000);
	add_many(&b, "openat", 3000);
	add_many(&a, "close", 3000);
	add_many(&a, "ioctl", 19); /* too few to compare */
	c = compare_two(&a, &b);
	assert_int_equal(c.n_certain, 3);
	assert_string_equal(c.rows[0].b->name, "read");
	assert_int_equal(c.rows[0].what, COMPARE_COUNT);
	assert_true(fabs(c.rows[0].ratio - 2) < 0.01);
	assert_string_equal(c.rows[1].b->name, "openat");
	assert_null(c.rows[1].a);
	assert_string_equal(c.rows[2].a->name, "close");
	assert_null(c.rows[2].b);
	compare_release(&c);
	measures_release(&a);
	measures_release(&b);
}

/* A longer recording of the same thing has more of everything, and nothing happens more often. */
static void longer_is_not_more(void **state)
{
	struct measures a, b;
	struct compare c;

	measures_init(&a, 0, 10 * SECOND);
	measures_init(&b, 0, 20 * SECOND);
	add_many(&a, "read", 5000);
	add_many(&b, "read", 5000);
	b.list[0]->n = 0;
	memset(b.list[0]->blocks, 0, sizeof(b.list[0]->blocks));
	for (int i = 0; i < 10000; i++)
		measures_add(&b, b.list[0], 2000000 * (uint64_t)i, 1000 + i % 7);
	c = compare_two(&a, &b);
	assert_int_equal(c.n_certain, 0);
	compare_release(&c);
	measures_release(&a);
	measures_release(&b);
}

/* Known values of Student's t. */
static void a_renamed_program_is_the_same(void **state)
{
	struct measures a, b;
	struct compare c;

	fill_program(&a, "prog.old", 1, -1, 1, 1);
	fill_program(&b, "prog.new", 2, 7, 1.5, 1);
	c = compare_two(&a, &b);
	assert_int_equal(c.n_certain, 1);
	assert_non_null(c.rows[0].a);
	assert_non_null(c.rows[0].b);
	assert_string_equal(c.rows[0].b->name, "f7");
	compare_release(&c);
	measures_release(&a);
	measures_release(&b);
}

static void chances(void **state)
{
	assert_true(fabs(chance_of_t(2.228, 10) - 0.05) < 0.0005);
	assert_true(fabs(chance_of_t(2.0, 60) - 0.0500) < 0.0005);
	assert_true(fabs(chance_of_t(63.657, 1) - 0.01) < 0.0001);
	assert_true(fabs(chance_of_t(0, 5) - 1) < 1e-9);
	assert_true(chance_of_t(40, 60) < 1e-30);
	assert_true(fabs(chance_t95(10) - 2.228) < 0.001);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(planted_is_first),
		cmocka_unit_test(same_program_is_the_same),
		cmocka_unit_test(addresses_are_no_change),
		cmocka_unit_test(counts_and_names),
		cmocka_unit_test(longer_is_not_more),
		cmocka_unit_test(a_renamed_program_is_the_same),
		cmocka_unit_test(chances),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

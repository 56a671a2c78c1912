// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_study.c - questions to a trace: counting, pairing, stacks, call times, and what is lost.
 */
#include "analyse/study/study.h"
#include "base/errmsg.h"
#include "symbols/tasks.h"
#include "../lib/memtrace.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#define VEC "\tfield:unsigned int vec;\toffset:8;\tsize:4;\tsigned:0;\n"
#define NAMED                                                                        \
	"\nprint fmt: \"vec=%u [action=%s]\", REC->vec, __print_symbolic(REC->vec, " \
	"{ 0, \"HI\" }, { 1, \"TIMER\" })\n"

static const struct memtrace_format formats_table[] = {
	{"irq", "name: softirq_raise\nID: 100" COMMON VEC NAMED},
	{"irq", "name: softirq_entry\nID: 101" COMMON VEC NAMED},
	{"ftrace",
	 "name: kernel_stack\nID: 102" COMMON "\tfield:int size;\toffset:8;\tsize:4;\tsigned:1;\n"
	 "\tfield:unsigned long caller[8];\toffset:16;\tsize:64;\tsigned:0;\n"
	 "\nprint fmt: \"%d\", REC->size\n"},
	{"ftrace", "name: funcgraph_exit\nID: 103" COMMON
		   "\tfield:unsigned long func;\toffset:8;\tsize:8;\tsigned:0;\n"
		   "\tfield:int depth;\toffset:16;\tsize:4;\tsigned:1;\n"
		   "\tfield:unsigned long long calltime;\toffset:24;\tsize:8;\tsigned:0;\n"
		   "\tfield:unsigned long long rettime;\toffset:32;\tsize:8;\tsigned:0;\n"
		   "\nprint fmt: \"%d\", REC->depth\n"},
};

static const char kallsyms_text[] = "0000000000001000 T outer\n0000000000002000 T inner\n"
				    "0000000000003000 T trace_event_raw_event_softirq\n"
				    "0000000000004000 T end\n";

struct fixture {
	uint8_t file[16384];
	struct tracefile *tf;
	struct formats *formats;
	struct study_spec spec;
	struct study *s;
	struct task task;
};

static int setup(void **state)
{
	struct fixture *fx = calloc(1, sizeof(*fx));

	if (MEMTRACE_OPEN(fx, formats_table, sizeof(formats_table) / sizeof(*formats_table),
			  kallsyms_text, "") < 0)
		return -1;
	fx->task = (struct task){.pid = 7, .comm = "me"};
	*state = fx;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *fx = *state;

	study_free(fx->s);
	formats_free(fx->formats);
	tracefile_close(fx->tf);
	free(fx);
	return 0;
}

static void ask(struct fixture *fx, const char *line)
{
	struct errmsg err = {0};

	assert_int_equal(study_parse(&fx->spec, line, &err), 0);
	fx->s = study_new(&fx->spec, fx->formats);
	assert_non_null(fx->s);
}

static void feed(struct fixture *fx, int id, uint64_t ts, uint32_t cpu, unsigned flags,
		 const uint64_t *words, size_t n)
{
	uint64_t data[16] = {id};
	struct record rec = {.ts = ts,
			     .data = (uint8_t *)data,
			     .size = 8 + n * 8,
			     .cpu = cpu,
			     .flags = flags,
			     .task = &fx->task,
			     .event = formats_find(fx->formats, id)};

	memcpy(data + 1, words, n * sizeof(*words));
	study_add(fx->s, &rec);
}

static void vec(struct fixture *fx, int id, uint64_t ts, uint32_t cpu, uint64_t v)
{
	feed(fx, id, ts, cpu, 0, &v, 1);
}

static void check_row(struct fixture *fx, size_t i, const char *label, uint64_t n, uint64_t total,
		      uint64_t max)
{
	size_t n_rows;
	const struct study_row *const *rows = study_rows(fx->s, &n_rows);

	assert_true(i < n_rows);
	assert_string_equal(rows[i]->label, label);
	assert_int_equal(rows[i]->n, n);
	assert_int_equal(rows[i]->total, total);
	assert_int_equal(rows[i]->max, max);
}

static size_t count_rows(const struct fixture *fx)
{
	size_t n;

	study_rows(fx->s, &n);
	return n;
}

static void values_have_names(void **state)
{
	struct fixture *fx = *state;

	ask(fx, "count irq:* by vec EVENT TASK CPU");
	vec(fx, 101, 1, 3, 1);
	vec(fx, 101, 2, 3, 1);
	vec(fx, 100, 3, 3, 9);
	assert_int_equal(study_finish(fx->s), 0);
	assert_int_equal(count_rows(fx), 2);
	check_row(fx, 0, "TIMER\tsoftirq_entry\tme-7\t3", 2, 0, 0);
	check_row(fx, 1, "9\tsoftirq_raise\tme-7\t3", 1, 0, 0);
}

static void the_first_start_counts(void **state)
{
	struct fixture *fx = *state;

	ask(fx, "time softirq_raise to softirq_entry by CPU vec per vec");
	vec(fx, 101, 90, 0, 1); /* nobody raised it */
	vec(fx, 100, 100, 0, 1);
	vec(fx, 100, 150, 0, 1); /* still the same wait */
	vec(fx, 100, 160, 1, 1); /* another CPU */
	vec(fx, 101, 200, 0, 1);
	vec(fx, 101, 300, 0, 1); /* taken already */
	vec(fx, 101, 190, 1, 1);
	vec(fx, 100, 400, 0, 0);
	assert_int_equal(study_finish(fx->s), 0);
	assert_int_equal(count_rows(fx), 1);
	check_row(fx, 0, "TIMER", 2, 130, 100);
	assert_int_equal(study_n_open(fx->s), 1);
}

static void a_trace_may_lack_what_is_asked_for(void **state)
{
	struct fixture *fx = *state;

	ask(fx, "time softirq_raise no_such_event to softirq_gone by CPU vec per vec");
	vec(fx, 100, 100, 0, 1);
	assert_int_equal(study_finish(fx->s), 0);
	assert_int_equal(count_rows(fx), 0);
	assert_int_equal(study_n_open(fx->s), 1);
	study_free(fx->s);
	ask(fx, "count softirq_raise no_such_event by vec");
	vec(fx, 100, 100, 0, 1);
	assert_int_equal(study_finish(fx->s), 0);
	check_row(fx, 0, "TIMER", 1, 0, 0);
	study_free(fx->s);
	ask(fx, "count no_such_event by vec");
	vec(fx, 100, 100, 0, 1);
	assert_int_equal(study_finish(fx->s), 0);
	assert_int_equal(count_rows(fx), 0);
}

static void losses_end_what_was_begun(void **state)
{
	struct fixture *fx = *state;
	uint64_t one = 1;

	ask(fx, "time softirq_raise to softirq_entry by CPU vec");
	vec(fx, 100, 100, 0, 1);
	feed(fx, 101, 900, 0, RECORD_MISSED, &one, 1);
	assert_int_equal(study_finish(fx->s), 0);
	assert_int_equal(count_rows(fx), 0);
	assert_int_equal(study_n_open(fx->s), 0);
}

static void stacks_belong_to_the_event_before(void **state)
{
	struct fixture *fx = *state;
	const uint64_t stack[] = {3, 0x3001, 0x2001, 0x1001, UINT64_MAX};

	ask(fx, "stacks softirq_entry");
	vec(fx, 101, 1, 0, 1);
	feed(fx, 102, 2, 0, 0, stack, 5);
	feed(fx, 102, 3, 0, 0, stack, 5); /* of nothing */
	vec(fx, 101, 4, 0, 1);
	vec(fx, 100, 5, 0, 1); /* stands between */
	feed(fx, 102, 6, 0, 0, stack, 5);
	vec(fx, 101, 7, 1, 1);
	feed(fx, 102, 8, 0, 0, stack, 5); /* of another CPU */
	assert_int_equal(study_finish(fx->s), 0);
	assert_int_equal(count_rows(fx), 1);
	check_row(fx, 0, "inner\nouter", 1, 0, 0);
}

static void one_in_a_hundred_is_slower(void **state)
{
	struct fixture *fx = *state;
	const struct study_row *const *rows;
	size_t n;

	ask(fx, "time softirq_raise to softirq_entry by CPU");
	for (uint64_t i = 1; i <= 1000; i++) { /* 1 to 1000 us */
		vec(fx, 100, i * 10000000, 0, 1);
		vec(fx, 101, i * 10000000 + i * 1000, 0, 1);
	}
	assert_int_equal(study_finish(fx->s), 0);
	rows = study_rows(fx->s, &n);
	assert_int_equal(n, 1);
	assert_in_range(rows[0]->p99, 990000, 1000000);
	assert_int_equal(study_n_seen(fx->s), 1000);
}

static void one_time_is_its_own_p99(void **state)
{
	struct fixture *fx = *state;
	const struct study_row *const *rows;
	size_t n;

	ask(fx, "time softirq_raise to softirq_entry by CPU per CPU/of_CPU");
	assert_string_equal(fx->spec.headings[0], "of CPU");
	vec(fx, 100, 100, 0, 1);
	vec(fx, 101, 142, 0, 1);
	assert_int_equal(study_finish(fx->s), 0);
	rows = study_rows(fx->s, &n);
	assert_int_equal(rows[0]->p99, 42);
}

static void what_was_interrupted_lies_beyond(void **state)
{
	struct fixture *fx = *state;
	const uint64_t in_kernel[] = {3, 0x3001, 0x2001, 0x1001, UINT64_MAX};
	const uint64_t in_user[] = {2, 0x3001, 0x2001, UINT64_MAX};

	ask(fx, "stacks softirq_entry beyond inn*");
	vec(fx, 101, 1, 0, 1);
	feed(fx, 102, 2, 0, 0, in_kernel, 5);
	vec(fx, 101, 3, 0, 1);
	feed(fx, 102, 4, 0, 0, in_user, 4);
	vec(fx, 101, 5, 0, 1);
	feed(fx, 102, 6, 0, 0, in_user, 4);
	assert_int_equal(study_finish(fx->s), 0);
	assert_int_equal(count_rows(fx), 2);
	check_row(fx, 0, "user space", 2, 0, 0);
	check_row(fx, 1, "outer", 1, 0, 0);
}

static void inner_time_is_not_own_time(void **state)
{
	struct fixture *fx = *state;
	size_t n;

	ask(fx, "graph");
	feed(fx, 103, 40, 0, 0, (const uint64_t[]){0x2000, 1, 10, 40}, 4);
	feed(fx, 103, 60, 0, 0, (const uint64_t[]){0x2000, 1, 50, 60}, 4);
	feed(fx, 103, 100, 0, 0, (const uint64_t[]){0x1000, 0, 0, 100}, 4);
	feed(fx, 103, 100, 0, 0, (const uint64_t[]){0x1000, 900, 0, 100}, 4); /* too deep */
	assert_int_equal(study_finish(fx->s), 0);
	assert_int_equal(count_rows(fx), 2);
	check_row(fx, 0, "outer", 1, 100, 100);
	check_row(fx, 1, "inner", 2, 40, 30);
	assert_int_equal(study_rows(fx->s, &n)[0]->self, 60);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(values_have_names, setup, teardown),
		cmocka_unit_test_setup_teardown(the_first_start_counts, setup, teardown),
		cmocka_unit_test_setup_teardown(a_trace_may_lack_what_is_asked_for, setup,
						teardown),
		cmocka_unit_test_setup_teardown(losses_end_what_was_begun, setup, teardown),
		cmocka_unit_test_setup_teardown(stacks_belong_to_the_event_before, setup, teardown),
		cmocka_unit_test_setup_teardown(one_in_a_hundred_is_slower, setup, teardown),
		cmocka_unit_test_setup_teardown(one_time_is_its_own_p99, setup, teardown),
		cmocka_unit_test_setup_teardown(what_was_interrupted_lies_beyond, setup, teardown),
		cmocka_unit_test_setup_teardown(inner_time_is_not_own_time, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

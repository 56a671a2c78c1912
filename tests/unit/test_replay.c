// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_replay.c - calls of programs, from arrays of events: stacks, self times, losses, filters, and the order and
 * folding of the lines of a replay.
 */
#include "analyse/calls/replay.h"
#include "analyse/calltimes.h"
#include "base/errmsg.h"
#include "decode/formats/formats.h"
#include "present/calls/duration.h"
#include "symbols/tasks.h"
#include "../lib/memtrace.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define U32(name, offset) "\tfield:u32 " name ";\toffset:" offset ";\tsize:4;\tsigned:0;\n"
#define CALL		  COMMON U32("func", "8") U32("depth", "12")

#define LOC(name, offset) \
	"\tfield:__data_loc char[] " name ";\toffset:" offset ";\tsize:4;\tsigned:1;\n"

enum {
	ENTRY = 100,
	EXIT,
	WHOLE,
	KERNEL_ENTRY,
	KERNEL_EXIT,
	TICK,
	ENTRY_ARGS,
	EXIT_VALUE,
	WHOLE_ARGS,
	WHOLE_VALUE,
};
enum { A = 0x10, B = 0x20, C = 0x30 };

static const struct memtrace_format formats_table[] = {
	{"user", "name: user_entry\nID: 100" CALL "\nprint fmt: \"%d\", REC->depth\n"},
	{"user", "name: user_exit\nID: 101" CALL "\nprint fmt: \"%d\", REC->depth\n"},
	{"user",
	 "name: user_call\nID: 102" CALL U32("duration", "16") "\nprint fmt: \"%d\", REC->depth\n"},
	{"user", "name: user_entry_args\nID: 106" CALL LOC("args", "16") "\nprint fmt: \"%d\", "
									 "REC->depth\n"},
	{"user", "name: user_exit_value\nID: 107" CALL LOC("ret", "16") "\nprint fmt: \"%d\", "
									"REC->depth\n"},
	{"user", "name: user_call_args\nID: 108" CALL U32("duration", "16")
			 LOC("args", "20") "\nprint fmt: \"%d\", REC->depth\n"},
	{"user", "name: user_call_value\nID: 109" CALL U32("duration", "16") LOC("args", "20")
			 LOC("ret", "24") "\nprint fmt: \"%d\", REC->depth\n"},
	{"ftrace", "name: funcgraph_entry\nID: 103" CALL "\nprint fmt: \"%d\", REC->depth\n"},
	{"ftrace", "name: funcgraph_exit\nID: 104" CALL "\nprint fmt: \"%d\", REC->depth\n"},
	{"demo", "name: tick\nID: 105" CALL "\nprint fmt: \"%d\", REC->depth\n"},
};
static const size_t n_user_formats = 7; /* without the kernel's */

static const char kallsyms_text[] = "0000000000000010 t a\t[prog]\n0000000000000020 t b\t[prog]\n"
				    "0000000000000030 t c\t[lib]\n0000000000001000 T sys\n"
				    "0000000000002000 T end\n";

struct fixture {
	uint8_t file[16384];
	struct tracefile *tf;
	struct formats *formats;
	struct task tasks[3];
	struct callfilter_config filter_config;
	struct callfilter *filter;
	struct replay_config config;
	struct replay *rp;
	char text[65536]; /* of the items, separated by blanks */
	size_t len;
};

static int open_formats(struct fixture *fx, size_t n_formats)
{
	return MEMTRACE_OPEN(fx, formats_table, n_formats, kallsyms_text, "");
}

static struct fixture *make_fixture(size_t n_formats)
{
	struct fixture *fx = calloc(1, sizeof(*fx));

	if (!fx || open_formats(fx, n_formats) < 0)
		return NULL;
	fx->tasks[1] = (struct task){.pid = 1, .comm = "one"};
	fx->tasks[2] = (struct task){.pid = 2, .comm = "two"};
	return fx;
}

static int setup(void **state)
{
	*state = make_fixture(sizeof(formats_table) / sizeof(*formats_table));
	return *state ? 0 : -1;
}

static int setup_user(void **state)
{
	*state = make_fixture(n_user_formats);
	return *state ? 0 : -1;
}

static int teardown(void **state)
{
	struct fixture *fx = *state;

	replay_free(fx->rp);
	callfilter_free(fx->filter);
	formats_free(fx->formats);
	tracefile_close(fx->tf);
	free(fx);
	return 0;
}

/* "1:a{@10" "1:a;5@10" "1:}a7@20": task, what, duration, time; each preceded by as many dots as its level. */
static void note(void *ctx, const struct replay_item *item)
{
	static const char *const forms[] = {"%s{", "}%s", "%s;", "tick", "back", "lost", "%s?"};
	struct fixture *fx = ctx;
	char what[64], number[32] = "";

	snprintf(what, sizeof(what), forms[item->kind], item->func ? item->func->name : "");
	if (fx->len > sizeof(fx->text) - 200)
		fx->len = 0; /* a test with millions of items looks at the last ones */
	if (item->has_duration)
		snprintf(number, sizeof(number), "%d", (int)item->duration);
	fx->len += (size_t)snprintf(fx->text + fx->len, sizeof(fx->text) - fx->len,
				    "%s%.*s%d:%s%s@%d", fx->len ? " " : "", (int)item->level,
				    "........", item->task ? item->task->task->pid : 0, what,
				    number, (int)item->ts);
	if (item->args && item->kind != REPLAY_LEAVE)
		fx->len += (size_t)snprintf(fx->text + fx->len, sizeof(fx->text) - fx->len, "(%s)",
					    item->args);
	if (item->ret && item->kind != REPLAY_ENTER)
		fx->len += (size_t)snprintf(fx->text + fx->len, sizeof(fx->text) - fx->len, "=%s",
					    item->ret);
}

static void start(struct fixture *fx)
{
	struct errmsg err = {0};

	assert_int_equal(callfilter_new(&fx->filter, &fx->filter_config, &err), 0);
	fx->config.filter = fx->filter;
	fx->config.ctx = fx;
	fx->config.emit = note;
	assert_int_equal(replay_new(&fx->rp, fx->formats, &fx->config, &err), 0);
}

struct made {
	struct record rec;
	uint8_t data[64];
};

static const struct record *make(struct fixture *fx, struct made *m, int id, uint64_t ts, int task,
				 uint32_t func, uint32_t depth, uint32_t duration)
{
	uint16_t type = (uint16_t)id;

	memcpy(m->data, &type, 2);
	memcpy(m->data + 8, &func, 4);
	memcpy(m->data + 12, &depth, 4);
	memcpy(m->data + 16, &duration, 4);
	m->rec = (struct record){.ts = ts,
				 .data = m->data,
				 .size = sizeof(m->data),
				 .event = formats_find(fx->formats, id),
				 .task = &fx->tasks[task]};
	return &m->rec;
}

static void add(struct fixture *fx, int id, uint64_t ts, int task, uint32_t func, uint32_t depth,
		uint32_t duration)
{
	struct made m;

	replay_add(fx->rp, make(fx, &m, id, ts, task, func, depth, duration));
}

/* The same with texts; NULL: the event has none of that kind. */
static void add_values(struct fixture *fx, int id, uint64_t ts, uint32_t func, uint32_t depth,
		       uint32_t duration, const char *args, const char *ret)
{
	const char *texts[] = {args, ret};
	uint32_t at = id == WHOLE_ARGS || id == WHOLE_VALUE ? 20 : 16, end = 32;
	struct made m;

	make(fx, &m, id, ts, 1, func, depth, duration);
	for (int i = 0; i < 2; i++) {
		uint32_t len, place;

		if (!texts[i])
			continue;
		len = (uint32_t)strlen(texts[i]) + 1;
		place = len << 16 | end;
		memcpy(m.data + at, &place, 4);
		memcpy(m.data + end, texts[i], len);
		at += 4;
		end += len;
	}
	replay_add(fx->rp, &m.rec);
}

static void expect(struct fixture *fx, const char *text)
{
	replay_finish(fx->rp);
	assert_string_equal(fx->text, text);
}

static void folds_calls(void **state)
{
	struct fixture *fx = *state;

	start(fx);
	add(fx, ENTRY, 10, 1, A, 0, 0);
	add(fx, WHOLE, 11, 1, B, 1, 3);
	add(fx, ENTRY, 20, 1, C, 1, 0);
	add(fx, EXIT, 25, 1, C, 1, 0);
	add(fx, EXIT, 30, 1, A, 0, 0);
	expect(fx, "1:a{@10 .1:b;3@11 .1:c;5@20 1:}a20@30");
}

static void shows_arguments_and_return_values(void **state)
{
	struct fixture *fx = *state;

	start(fx);
	add_values(fx, ENTRY_ARGS, 10, A, 0, 0, "1, \"x\"", NULL);
	add_values(fx, WHOLE_VALUE, 11, B, 1, 3, "2", "3");
	add_values(fx, WHOLE_ARGS, 15, B, 1, 3, "4", NULL);
	add_values(fx, ENTRY_ARGS, 20, C, 1, 0, "5", NULL);
	add_values(fx, EXIT_VALUE, 25, C, 1, 0, NULL, "6");
	add_values(fx, EXIT_VALUE, 30, A, 0, 0, NULL, "7");
	expect(fx, "1:a{@10(1, \"x\") .1:b;3@11(2)=3 .1:b;3@15(4) .1:c;5@20(5)=6 1:}a20@30=7");
}

static void hides_values(void **state)
{
	struct fixture *fx = *state;

	fx->config.no_values = true;
	start(fx);
	add_values(fx, WHOLE_VALUE, 11, B, 0, 3, "2", "3");
	expect(fx, "1:b;3@11");
}

static void keeps_the_value_of_a_call_that_the_kernel_is_in(void **state)
{
	struct fixture *fx = *state;

	start(fx);
	add_values(fx, WHOLE_VALUE, 10, A, 0, 50, "1", "2");
	add(fx, KERNEL_ENTRY, 20, 1, 0x1000, 0, 0);
	add(fx, KERNEL_EXIT, 30, 1, 0x1000, 0, 0);
	add(fx, WHOLE, 80, 1, B, 0, 5);
	expect(fx, "1:a{@10(1) .1:sys;10@20 1:}a50@60=2 1:b;5@80");
}

static void refuses_texts_outside_of_the_record(void **state)
{
	struct fixture *fx = *state;
	uint32_t place = 100u << 16 | 60;
	struct made m;

	start(fx);
	make(fx, &m, WHOLE_ARGS, 10, 1, A, 0, 5);
	memcpy(m.data + 20, &place, 4);
	replay_add(fx->rp, &m.rec);
	expect(fx, "1:a;5@10");
}

static void splits_arguments(void **state)
{
	static const char text[] = "3, \"a, \\\"b\", {x=1, y=[2, 3]}, ',', f(1, 2)";
	static const char *const parts[] = {"3", "\"a, \\\"b\"", "{x=1, y=[2, 3]}", "','",
					    "f(1, 2)"};
	struct piece rest = {(const uint8_t *)text, strlen(text)}, value;

	(void)state;
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		assert_true(call_values_next(&rest, &value));
		assert_int_equal(value.len, strlen(parts[i]));
		assert_memory_equal(value.data, parts[i], value.len);
	}
	assert_false(call_values_next(&rest, &value));
}

static void keeps_the_order_of_time_between_tasks(void **state)
{
	struct fixture *fx = *state;

	start(fx);
	add(fx, ENTRY, 10, 1, A, 0, 0);
	add(fx, ENTRY, 11, 2, B, 0, 0);
	add(fx, EXIT, 12, 2, B, 0, 0);
	add(fx, EXIT, 20, 1, A, 0, 0); /* only now it is known that a has nothing inside */
	expect(fx, "1:a;10@10 2:b;1@11");
}

static void opens_a_call_that_the_kernel_is_in(void **state)
{
	struct fixture *fx = *state;

	start(fx);
	add(fx, WHOLE, 10, 1, A, 0, 50);
	add(fx, KERNEL_ENTRY, 20, 1, 0x1000, 0, 0);
	add(fx, TICK, 22, 1, 0, 0, 0);
	add(fx, KERNEL_EXIT, 30, 1, 0x1000, 0, 0);
	add(fx, TICK, 70, 2, 0, 0, 0); /* of a task that is in no call */
	add(fx, WHOLE, 80, 1, B, 0, 5);
	expect(fx, "1:a{@10 .1:sys{@20 ..1:tick@22 .1:}sys10@30 1:}a50@60 1:b;5@80");
}

static void shows_a_finished_call_of_a_silent_task(void **state)
{
	struct fixture *fx = *state;

	start(fx);
	add(fx, WHOLE, 10, 1, A, 0, 5);
	add(fx, WHOLE, 20, 2, B, 0, 1);
	assert_string_equal(fx->text, "1:a;5@10");
	expect(fx, "1:a;5@10 2:b;1@20");
}

static void names_what_still_runs(void **state)
{
	struct fixture *fx = *state;

	start(fx);
	add(fx, ENTRY, 10, 1, A, 0, 0);
	add(fx, ENTRY, 15, 1, B, 1, 0);
	expect(fx, "1:a{@10 .1:b{@15 .1:b?0@15 1:a?5@15");
}

static void survives_losses(void **state)
{
	struct fixture *fx = *state;
	struct made m;

	start(fx);
	add(fx, ENTRY, 10, 1, A, 0, 0);
	add(fx, ENTRY, 11, 1, B, 1, 0);
	make(fx, &m, EXIT, 20, 1, B, 1, 0);
	m.rec.flags = RECORD_MISSED;
	replay_add(fx->rp, &m.rec);
	add(fx, WHOLE, 21, 1, C, 1, 2);
	add(fx, EXIT, 30, 1, A, 0, 0);
	/* b and a may be other calls than those that began before the loss */
	expect(fx, "1:a{@10 .1:b{@11 0:lost@20 .1:}b@20 .1:}b@20 .1:c;2@21 1:}a@30 1:}a@30");
	assert_int_equal(replay_counts(fx->rp)->n_unknown, 2);
	assert_int_equal(replay_counts(fx->rp)->n_lost, 2);
}

static void drops_short_calls(void **state)
{
	struct fixture *fx = *state;

	fx->filter_config.min_duration = 10;
	start(fx);
	add(fx, ENTRY, 10, 1, A, 0, 0);
	add(fx, ENTRY, 12, 2, A, 0, 0);
	for (uint32_t i = 0; i < 100000; i++)
		add(fx, WHOLE, 13, 1 + (i & 1), C, 1, 1);
	add(fx, ENTRY, 14, 1, B, 1, 0);
	add(fx, EXIT, 25, 1, B, 1, 0);
	add(fx, EXIT, 26, 1, A, 0, 0);
	add(fx, EXIT, 40, 2, A, 0, 0);
	expect(fx, "1:a{@10 2:a;28@12 .1:b;11@14 1:}a16@26");
}

static void shows_paths_to_a_function(void **state)
{
	struct fixture *fx = *state;
	struct callfilter_word words[] = {{CALL_CALLERS, "c"}};

	fx->filter_config.words = words;
	fx->filter_config.n_words = 1;
	start(fx);
	add(fx, ENTRY, 10, 1, B, 0, 0);
	add(fx, WHOLE, 11, 1, A, 1, 1);
	add(fx, EXIT, 15, 1, B, 0, 0);
	add(fx, ENTRY, 20, 1, A, 0, 0);
	add(fx, WHOLE, 21, 1, B, 1, 1);
	add(fx, ENTRY, 25, 1, C, 1, 0);
	add(fx, WHOLE, 26, 1, A, 2, 1);
	add(fx, EXIT, 30, 1, C, 1, 0);
	add(fx, EXIT, 35, 1, A, 0, 0);
	expect(fx, "1:a{@20 .1:c;5@25 1:}a15@35");
}

/* A waiting head must not let the queue grow without end. */
static void bounds_its_queue(void **state)
{
	struct fixture *fx = *state;

	start(fx);
	add(fx, ENTRY, 1, 1, A, 0, 0);
	fx->len = 0;
	for (uint32_t i = 0; i < 1100000; i++)
		add(fx, WHOLE, 2 + i, 2, B, 0, 1);
	assert_true(fx->len > 0);
	add(fx, EXIT, 1200000, 1, A, 0, 0);
	replay_finish(fx->rp);
	assert_non_null(strstr(fx->text, "1:}a1199999@1200000"));
}

static void counts_recursion_once(void **state)
{
	struct fixture *fx = *state;
	struct calltimes_config config = {.sort = CALLTIMES_TOTAL};
	const struct calltimes_row *const *rows;
	struct errmsg err = {0};
	struct calltimes *c;
	struct made m;
	size_t n;

	assert_int_equal(calltimes_new(&c, fx->formats, &config, &err), 0);
	calltimes_add(c, make(fx, &m, ENTRY, 100, 1, A, 0, 0));
	calltimes_add(c, make(fx, &m, ENTRY, 110, 1, B, 1, 0));
	calltimes_add(c, make(fx, &m, ENTRY, 120, 1, A, 2, 0));
	calltimes_add(c, make(fx, &m, EXIT, 150, 1, A, 2, 0));
	calltimes_add(c, make(fx, &m, EXIT, 160, 1, B, 1, 0));
	calltimes_add(c, make(fx, &m, EXIT, 200, 1, A, 0, 0));
	calltimes_add(c, make(fx, &m, ENTRY, 300, 1, C, 0, 0));
	calltimes_add(c, make(fx, &m, WHOLE, 310, 1, A, 1, 20));
	calltimes_end(c);
	assert_int_equal(calltimes_finish(c), 0);
	rows = calltimes_rows(c, &n);
	assert_int_equal(n, 3);
	assert_string_equal(rows[0]->name, "a");
	assert_int_equal(rows[0]->n, 3);
	assert_int_equal(rows[0]->total, 100 + 20);
	assert_int_equal(rows[0]->self, 50 + 30 + 20);
	assert_int_equal(calltimes_number(rows[0], CALLTIMES_AVG), (100 + 30 + 20) / 3);
	assert_int_equal(calltimes_number(rows[0], CALLTIMES_MIN), 20);
	assert_string_equal(rows[1]->name, "b");
	assert_int_equal(rows[1]->self, 20);
	assert_string_equal(rows[2]->name, "c"); /* open: until the end of what it called */
	assert_int_equal(calltimes_counts(c)->n_open, 1);
	calltimes_free(c);
}

/* A depth from a hostile file must not take memory without end. */
static void refuses_absurd_depths(void **state)
{
	struct fixture *fx = *state;

	start(fx);
	add(fx, ENTRY, 10, 1, A, 0xffffffff, 0);
	add(fx, EXIT, 11, 1, A, 1u << 20, 0);
	add(fx, KERNEL_ENTRY, 12, 1, 0x1000, 5000, 0);
	assert_int_equal(replay_counts(fx->rp)->n_dropped, 2);
	assert_int_equal(replay_counts(fx->rp)->n_unknown, 1);
	expect(fx, "");
}

static void writes_durations(void **state)
{
	static const struct {
		uint64_t ns;
		const char *text;
	} rows[] = {{0, "  0.000 us"},		 {999, "  0.999 us"},
		    {999999, "999.999 us"},	 {1000000, "  1.000 ms"},
		    {1500000000, "  1.500  s"},	 {59999000000, " 59.999  s"},
		    {61000000000, "  1.001  m"}, {3600000000000, "  1.000  h"}};
	char text[32];

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		*duration_emit(text, rows[i].ns, true) = '\0';
		assert_string_equal(text, rows[i].text);
	}
	*duration_emit(text, 12345, false) = '\0';
	assert_string_equal(text, "     12345");
}

static void adds_brackets_to_names_without(void **state)
{
	static const struct {
		const char *name, *brackets;
	} rows[] = {{"main", "()"},
		    {"f(int)", ""},
		    {"A::f(int) const", ""},
		    {"operator()", "()"},
		    {"V::operator()(int)", ""},
		    {"run<void (*)(int)>::go", "()"},
		    {"f(int) [clone .cold]", ""}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		assert_string_equal(call_brackets(rows[i].name, strlen(rows[i].name)),
				    rows[i].brackets);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(folds_calls, setup_user, teardown),
		cmocka_unit_test_setup_teardown(shows_arguments_and_return_values, setup_user,
						teardown),
		cmocka_unit_test_setup_teardown(hides_values, setup_user, teardown),
		cmocka_unit_test_setup_teardown(keeps_the_value_of_a_call_that_the_kernel_is_in,
						setup, teardown),
		cmocka_unit_test_setup_teardown(refuses_texts_outside_of_the_record, setup_user,
						teardown),
		cmocka_unit_test(splits_arguments),
		cmocka_unit_test_setup_teardown(keeps_the_order_of_time_between_tasks, setup,
						teardown),
		cmocka_unit_test_setup_teardown(opens_a_call_that_the_kernel_is_in, setup,
						teardown),
		cmocka_unit_test_setup_teardown(shows_a_finished_call_of_a_silent_task, setup,
						teardown),
		cmocka_unit_test_setup_teardown(names_what_still_runs, setup, teardown),
		cmocka_unit_test_setup_teardown(survives_losses, setup, teardown),
		cmocka_unit_test_setup_teardown(drops_short_calls, setup_user, teardown),
		cmocka_unit_test_setup_teardown(shows_paths_to_a_function, setup_user, teardown),
		cmocka_unit_test_setup_teardown(bounds_its_queue, setup_user, teardown),
		cmocka_unit_test_setup_teardown(counts_recursion_once, setup, teardown),
		cmocka_unit_test_setup_teardown(refuses_absurd_depths, setup, teardown),
		cmocka_unit_test(writes_durations),
		cmocka_unit_test(adds_brackets_to_names_without),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

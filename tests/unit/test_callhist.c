// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_callhist.c - how stacks are put together from records, counted, sorted and drawn.
 *
 * Records are made up byte by byte. That real traces give the text of trace-cmd hist is what the
 * cli case hist-same compares; here are the single steps, and records that are too short.
 */
#include "analyse/callhist.h"
#include "analyse/comm_table.h"
#include "base/errmsg.h"
#include "present/result/calltext.h"
#include "../lib/memtrace.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <cmocka.h>

static const struct memtrace_format formats_table[] = {
	{"ftrace",
	 "name: function\nID: 1" COMMON "\tfield:unsigned long ip;\toffset:8;\tsize:8;\tsigned:0;\n"
	 "\tfield:unsigned long parent_ip;\toffset:16;\tsize:8;\tsigned:0;\n"
	 "\nprint fmt: \"%lx\", REC->ip\n"},
	{"ftrace",
	 "name: kernel_stack\nID: 4" COMMON "\tfield:int size;\toffset:8;\tsize:4;\tsigned:1;\n"
	 "\tfield:unsigned long caller[8];\toffset:16;\tsize:64;\tsigned:0;\n"
	 "\nprint fmt: \"%d\", REC->size\n"},
	{"ftrace", "name: funcgraph_exit\nID: 10" COMMON
		   "\tfield:unsigned long func;\toffset:8;\tsize:8;\tsigned:0;\n"
		   "\tfield:int depth;\toffset:16;\tsize:4;\tsigned:1;\n"
		   "\nprint fmt: \"%d\", REC->depth\n"},
	{"ftrace", "name: funcgraph_entry\nID: 11" COMMON
		   "\tfield:unsigned long func;\toffset:8;\tsize:8;\tsigned:0;\n"
		   "\tfield:int depth;\toffset:16;\tsize:4;\tsigned:1;\n"
		   "\nprint fmt: \"%d\", REC->depth\n"},
	{"sched", "name: sched_wakeup\nID: 317" COMMON
		  "\tfield:char comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
		  "\tfield:int pid;\toffset:24;\tsize:4;\tsigned:1;\n"
		  "\nprint fmt: \"%d\", REC->pid\n"},
	{"demo", "name: tick\nID: 400" COMMON "\tfield:int n;\toffset:8;\tsize:4;\tsigned:1;\n"
		 "\nprint fmt: \"%d\", REC->n\n"},
};

enum { A = 0x1000, B = 0x2000, C = 0x3000, D = 0x4000 };

static const char kallsyms_text[] =
	"0000000000001000 T a\n0000000000002000 T b\n0000000000003000 T c\n0000000000004000 T d\n"
	"0000000000005000 T end\n";

struct fixture {
	uint8_t file[16384];
	struct tracefile *tf;
	struct formats *formats;
	struct tasks tasks;
	struct callhist *h;
};

static int setup(void **state)
{
	struct fixture *fx = calloc(1, sizeof(*fx));

	if (MEMTRACE_OPEN(fx, formats_table, sizeof(formats_table) / sizeof(*formats_table),
			  kallsyms_text, "7 bash\n") < 0 ||
	    tasks_init(&fx->tasks, tracefile_text(fx->tf, TRACEFILE_CMDLINES)) < 0)
		return -1;
	fx->h = callhist_new(fx->formats, &fx->tasks, true);
	*state = fx;
	return fx->h ? 0 : -1;
}

static int teardown(void **state)
{
	struct fixture *fx = *state;

	callhist_free(fx->h);
	tasks_release(&fx->tasks);
	formats_free(fx->formats);
	tracefile_close(fx->tf);
	free(fx);
	return 0;
}

/* A record of an event with 64-bit words behind its head. */
static void feed(struct fixture *fx, int id, int pid, uint16_t flags, const uint64_t *words,
		 size_t n)
{
	uint8_t data[256] = {0};
	uint16_t id16 = id;
	struct record rec = {.data = data, .size = 8 + n * 8, .flags = flags};

	memcpy(data, &id16, 2);
	memcpy(data + 4, &pid, 4);
	if (n)
		memcpy(data + 8, words, n * 8);
	rec.event = formats_find(fx->formats, id);
	callhist_add(fx->h, &rec);
}

#define FEED(fx, id, pid, ...)                          \
	feed(fx, id, pid, 0, (uint64_t[]){__VA_ARGS__}, \
	     sizeof((uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t))

/* All tops as "name count:caller,caller …" for comparison. */
static void describe(char *out, size_t size, const struct call_node *node, bool top)
{
	for (; node; node = node->next) {
		size_t n = strlen(out);

		snprintf(out + n, size - n, "%s%.*s*%d%s",
			 top && n ? " "
			 : top	  ? ""
				  : ",",
			 (int)node->frame.len, node->frame.name, (int)node->count,
			 node->callers ? "(" : "");
		describe(out, size, node->callers, false);
		n = strlen(out);
		snprintf(out + n, size - n, "%s", node->callers ? ")" : "");
	}
}

static void expect(struct fixture *fx, const char *wanted)
{
	char got[1000] = "";

	callhist_finish(fx->h);
	describe(got, sizeof(got), callhist_tops(fx->h), true);
	assert_string_equal(got, wanted);
}

static void functions_stack_up_by_their_callers(void **state)
{
	struct fixture *fx = *state;

	FEED(fx, 1, 7, B, A); /* a calls b */
	FEED(fx, 1, 7, C, B); /* which calls c */
	FEED(fx, 1, 7, D, B); /* and d */
	FEED(fx, 1, 7, C, A); /* a calls c; b has returned */
	expect(fx, "c*2(,a*1,b*1(,a*1)) d*1(,b*1(,a*1))");
	assert_int_equal(callhist_total(fx->h), 3);
}

static void tasks_keep_their_stacks_apart(void **state)
{
	struct fixture *fx = *state;

	FEED(fx, 1, 7, B, A);
	FEED(fx, 1, 8, D, C);
	FEED(fx, 1, 7, C, B); /* goes on where 7 was left */
	expect(fx, "d*1(,c*1) c*1(,b*1(,a*1))");
	assert_string_equal(callhist_comm(fx->h, 7), "bash");
	assert_string_equal(callhist_comm(fx->h, 8), "<...>");
	assert_string_equal(callhist_comm(fx->h, 0), "<idle>");
}

static void graph_entries_nest_by_depth(void **state)
{
	struct fixture *fx = *state;

	FEED(fx, 11, 7, A, 0);
	FEED(fx, 11, 7, B, 1);
	FEED(fx, 10, 7, B, 1);
	FEED(fx, 11, 7, C, 1);
	FEED(fx, 10, 7, C, 1);
	FEED(fx, 10, 7, A, 0);
	/* the stack that is left at the end, an empty one, counts for the percentages */
	expect(fx, "a*1 c*1(,a*1) b*1(,a*1)");
	assert_int_equal(callhist_total(fx->h), 4);
}

static void events_take_the_kernel_stack_that_follows(void **state)
{
	struct fixture *fx = *state;

	FEED(fx, 400, 7, 1);
	FEED(fx, 4, 7, 0, B, A, (uint64_t)-1, C); /* b called by a; ends at all ones */
	FEED(fx, 400, 7, 1);
	FEED(fx, 4, 7, 0, 0x9999999, A); /* what has no symbol is left out */
	FEED(fx, 400, 7, 1);
	FEED(fx, 4, 8, 0, B, A); /* another task's: the event before is dropped */
	FEED(fx, 400, 7, 1);	 /* without one: what is current, which is counted itself, too */
	expect(fx, "tick*4(,b*2(,a*2),tick*1(,b*1(,a*1)),a*1)");
	assert_true(callhist_tops(fx->h)->is_event);
}

static void lost_events_end_a_stack(void **state)
{
	struct fixture *fx = *state;

	FEED(fx, 1, 7, B, A);
	feed(fx, 1, 7, RECORD_MISSED, (uint64_t[]){C, B}, 2);
	expect(fx, "c*1(,b*1) b*1(,a*1)");
}

static void short_and_unknown_records_do_no_harm(void **state)
{
	struct fixture *fx = *state;
	struct record rec = {.data = (const uint8_t *)"\1\0", .size = 2};

	for (int id = 0; id < 400; id++)
		feed(fx, id, 7, 0, NULL, 0);
	rec.event = formats_find(fx->formats, 1);
	callhist_add(fx->h, &rec);
	feed(fx, 4, 7, 0, NULL, 0);
	callhist_finish(fx->h);
	assert_non_null(callhist_tops(fx->h));
}

static void many_tasks_that_never_return_are_counted(void **state)
{
	struct fixture *fx = *state;
	uint64_t sum = 0;

	for (int pid = 1; pid <= 70000; pid++) /* more than are laid aside */
		FEED(fx, 1, pid, B, A);
	callhist_finish(fx->h);
	for (const struct call_node *n = callhist_tops(fx->h); n; n = n->next)
		sum += n->count;
	assert_int_equal(sum, 70000);
	assert_int_equal(callhist_n_cut(fx->h), 0);
}

static void recursion_has_a_ceiling(void **state)
{
	struct fixture *fx = *state;
	struct textbuf tb;

	for (int i = 0; i < 10000; i++)
		FEED(fx, 1, 7, A, A);
	FEED(fx, 1, 7, B, D);
	callhist_finish(fx->h);
	textbuf_init(&tb, 4 << 20);
	for (const struct call_node *n = callhist_tops(fx->h); n; n = n->next)
		calltext_fmt(fx->h, n, true, &tb);
	assert_false(tb.overflow);
	textbuf_release(&tb);
}

static void text_draws_lines_while_callers_follow(void **state)
{
	struct fixture *fx = *state;
	struct textbuf tb;

	FEED(fx, 1, 7, B, A);
	FEED(fx, 1, 7, C, D);
	FEED(fx, 1, 7, B, C);
	textbuf_init(&tb, 1 << 20);
	callhist_finish(fx->h);
	calltext_fmt(fx->h, callhist_tops(fx->h), true, &tb);
	textbuf_add_char(&tb, 0);
	assert_string_equal(tb.start, "  %100.00  (7) bash                              b #2\n"
				      "         |\n"
				      "         --- b\n"
				      "            |\n"
				      "            |--%50.00-- c  # 1\n"
				      "            |          d\n"
				      "            |\n"
				      "            |--%50.00-- a  # 1\n");
	textbuf_release(&tb);
}

/* Names of a task are rows, the latest first; the row shown is where a bisection ends up. */
static void names_are_chosen_by_bisection(void **state)
{
	struct tasks none = {0};
	struct comm_table t;

	comm_table_init(&t, &none);
	comm_table_add(&t, 5, "first", 5);
	comm_table_add(&t, 5, "second\0rest", 11);
	comm_table_add(&t, 5, "second", 6);
	comm_table_add(&t, 9, "other", 5);
	comm_table_finish(&t);
	/* rows: 5 second, 5 second, 5 first, 9 other; the middle one of four is the third */
	assert_string_equal(comm_table_find(&t, 5), "first");
	assert_string_equal(comm_table_find(&t, 9), "other");
	assert_string_equal(comm_table_find(&t, 6), "<...>");
	comm_table_release(&t);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(functions_stack_up_by_their_callers),
		TEST(tasks_keep_their_stacks_apart),
		TEST(graph_entries_nest_by_depth),
		TEST(events_take_the_kernel_stack_that_follows),
		TEST(lost_events_end_a_stack),
		TEST(short_and_unknown_records_do_no_harm),
		TEST(many_tasks_that_never_return_are_counted),
		TEST(recursion_has_a_ceiling),
		TEST(text_draws_lines_while_callers_follow),
		cmocka_unit_test(names_are_chosen_by_bisection),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_filter.c - report -F: what a filter means, what it refuses, and how it is shown.
 *
 * Seven events are made up here, and records for them byte by byte. That the meaning is that of
 * trace-cmd on real traces is what the identity suite compares; here are the corners: what lies
 * outside a record, signs, strings without an end, hostile texts.
 */
#include "base/errmsg.h"
#include "base/textbuf.h"
#include "decode/filter/filter.h"
#include "symbols/tasks.h"
#include "../lib/memtrace.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <cmocka.h>

static const struct memtrace_format formats_table[] = {
	{"ftrace",
	 "name: function\nID: 1" COMMON "\tfield:unsigned long ip;\toffset:8;\tsize:8;\tsigned:0;\n"
	 "\tfield:unsigned long parent_ip;\toffset:16;\tsize:8;\tsigned:0;\n"
	 "\nprint fmt: \"%lx\", REC->ip\n"},
	{"sched", "name: sched_switch\nID: 316" COMMON
		  "\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
		  "\tfield:int prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n"
		  "\tfield:long prev_state;\toffset:32;\tsize:8;\tsigned:1;\n"
		  "\nprint fmt: \"%d\", REC->prev_pid\n"},
	{"sched",
	 "name: sched_wakeup\nID: 317" COMMON "\tfield:int pid;\toffset:8;\tsize:4;\tsigned:1;\n"
	 "\tfield:u32 mask;\toffset:12;\tsize:4;\tsigned:0;\n"
	 "\nprint fmt: \"%d\", REC->pid\n"},
	{"demo", "name: texts\nID: 70000" COMMON
		 "\tfield:__data_loc char[] name;\toffset:8;\tsize:4;\tsigned:0;\n"
		 "\tfield:__rel_loc char[] rel;\toffset:12;\tsize:4;\tsigned:0;\n"
		 "\tfield:s8 tiny;\toffset:16;\tsize:1;\tsigned:1;\n"
		 "\nprint fmt: \"%s\", __get_str(name)\n"},
	{"demo",
	 "name: values\nID: 400" COMMON "\tfield:u32 colour;\toffset:8;\tsize:4;\tsigned:0;\n"
	 "\tfield:be16 port;\toffset:12;\tsize:2;\tsigned:0;\n"
	 "\tfield:s8 n;\toffset:20;\tsize:1;\tsigned:1;\n"
	 "\tfield:float f;\toffset:16;\tsize:4;\tsigned:0;\n"
	 "\tfield:double x;\toffset:24;\tsize:8;\tsigned:0;\n"
	 "\nprint fmt: \"%s\", __print_symbolic(REC->colour, { 1, \"RED\" }, { 7, \"BLUE\" "
	 "})\n"},
	{"probe", "name: read\nID: 401" COMMON
		  "\tfield:unsigned long __probe_ip;\toffset:8;\tsize:8;\tsigned:0;\n"
		  "\tfield:__data_loc char[] name;\toffset:16;\tsize:4;\tsigned:0;\n"
		  "\nprint fmt: \"%s\", __get_str(name)\n"},
	{"demo",
	 "name: other\nID: 317" COMMON "\tfield:int other;\toffset:12;\tsize:4;\tsigned:1;\n"
	 "\nprint fmt: \"%d\", REC->other\n"},
};

static const char kallsyms_text[] = "ffffffff81000000 T start\nffffffff81000100 T vfs_read\n"
				    "ffffffff81000200 T vfs_write\nffffffff81000300 T end\n";

struct fixture {
	uint8_t file[16384];
	struct tracefile *tf;
	struct formats *formats;
	struct tasks tasks;
};

static int setup(void **state)
{
	struct fixture *fx = calloc(1, sizeof(*fx));
	struct piece cmdlines;

	if (MEMTRACE_OPEN(fx, formats_table, sizeof(formats_table) / sizeof(*formats_table),
			  kallsyms_text, "7 bash\n8 kworker/0:1\n") < 0)
		return -1;
	cmdlines = tracefile_text(fx->tf, TRACEFILE_CMDLINES);
	*state = fx;
	return tasks_init(&fx->tasks, cmdlines);
}

static int teardown(void **state)
{
	struct fixture *fx = *state;

	tasks_release(&fx->tasks);
	formats_free(fx->formats);
	tracefile_close(fx->tf);
	free(fx);
	return 0;
}

/* The head of a record: its event's id in 16 bits (as much as fits) and its task. */
static void head(uint8_t *data, unsigned id, int pid)
{
	uint16_t id16 = id;

	memset(data, 0, 8);
	memcpy(data, &id16, sizeof(id16));
	memcpy(data + 4, &pid, sizeof(pid));
}

static enum filter_result run(struct fixture *fx, const char *text, int id, const uint8_t *data,
			      uint32_t size)
{
	struct errmsg err = {0};
	struct filter *flt = NULL;
	enum filter_result r, again;
	struct record rec = {.data = data, .size = size, .cpu = 1};
	int pid = 0;

	rec.event = formats_find(fx->formats, id);
	memcpy(&pid, data + 4, sizeof(pid));
	rec.task = tasks_find(&fx->tasks, pid);
	if (filter_new(&flt, fx->formats, text, &err) < 0)
		fail_msg("%s", err.text);
	r = filter_match(flt, &rec);
	again = filter_match(flt, &rec); /* with what the first one remembered */
	filter_free(flt);
	assert_int_equal(r, again);
	return r;
}

#define SWITCH_BYTES 40

static void make_switch(uint8_t *data, const char *comm, int prev_pid, int64_t prev_state)
{
	memset(data, 0, SWITCH_BYTES);
	head(data, 316, 7);
	memcpy(data + 8, comm, strnlen(comm, 16));
	memcpy(data + 24, &prev_pid, sizeof(prev_pid));
	memcpy(data + 32, &prev_state, sizeof(prev_state));
}

static bool on_switch(struct fixture *fx, const char *expression)
{
	uint8_t data[SWITCH_BYTES];
	char text[600];

	make_switch(data, "sleep", 42, -2);
	snprintf(text, sizeof(text), "sched_switch:%s", expression);
	return run(fx, text, 316, data, sizeof(data)) == FILTER_MATCH;
}

static void names_match_systems_and_events(void **state)
{
	static const struct {
		const char *text;
		enum filter_result result;
	} rows[] = {
		{"sched_switch", FILTER_MATCH},
		{"SCHED_SWITCH", FILTER_MATCH},
		{"sched", FILTER_MATCH},
		{".*", FILTER_MATCH},
		{"sched/sched_switch", FILTER_MATCH},
		{" sched / sched_sw.* ", FILTER_MATCH},
		{"sched/sched_switch/more", FILTER_MATCH},
		{"/sched_switch", FILTER_MATCH},
		{"function,sched_switch", FILTER_MATCH},
		{"sched_\\(switch\\|wakeup\\)", FILTER_MATCH},
		{"sched_wakeup", FILTER_NOT_FOUND},
		{"demo,function", FILTER_NOT_FOUND},
		{"sched:prev_pid == 41", FILTER_MISS},
	};
	uint8_t data[SWITCH_BYTES];

	make_switch(data, "sleep", 42, 0);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (run(*state, rows[i].text, 316, data, sizeof(data)) != rows[i].result)
			fail_msg("%s", rows[i].text);
}

static void an_id_above_the_table_is_found(void **state)
{
	uint8_t data[24] = {0};

	assert_int_equal(run(*state, "texts", 70000, data, sizeof(data)), FILTER_MATCH);
	assert_int_equal(run(*state, "sched", 70000, data, sizeof(data)), FILTER_NOT_FOUND);
}

static void a_record_of_an_unknown_event_is_not_found(void **state)
{
	uint8_t data[8] = {0};

	assert_int_equal(run(*state, ".*", 5, data, sizeof(data)), FILTER_NOT_FOUND);
}

static void true_and_false_expressions(void **state)
{
	/* prev_comm "sleep", prev_pid 42, prev_state -2, task bash, CPU 1 */
	static const char *const yes[] = {
		"prev_pid == 42",
		"prev_pid==052||prev_pid==1",
		"prev_pid == 0x2a && prev_pid != 41 && prev_pid > 41 && prev_pid >= 42",
		"prev_pid < 43 && prev_pid <= 42 && !prev_pid < 42",
		"! (prev_pid == 1)",
		"!!prev_pid == 42",
		"((prev_pid == 42))",
		"prev_pid & 2",
		"prev_pid | 0",
		"prev_pid ^ 43",
		"prev_pid + 1",
		"prev_pid - 41",
		"2 * prev_pid",
		"prev_pid / 42",
		"prev_pid % 5",
		"prev_pid >> 5",
		"prev_pid << 62",
		"prev_pid >> 64",
		"!(prev_pid / 0)",
		"!(prev_pid % 0)",
		"prev_pid - common_pid",
		"common_pid == 7 && common_type == 316",
		"CPU == 1",
		"COMM == \"bash\" && COMM != \"sh\"",
		"COMM =~ \"^BA\" && COMM !~ \"^a\"",
		"prev_comm == \"sl\" \"eep\"",
		"prev_comm =~ 's'",
		"prev_comm == 'sleep'",
		"prev_comm != 's'",
		"prev_pid == '*'",
		"prev_pid == \"0x2a\"",
		"prev_state == -2 && prev_state == 0xfffffffffffffffe",
		"\n prev_pid ==\n42\t",
	};
	static const char *const no[] = {
		"prev_pid == 43",
		"!prev_pid == 42",
		"prev_pid & 1",
		"prev_pid ^ 42",
		"prev_pid / 43",
		"prev_pid << 63",
		"CPU == 0",
		"COMM == \"BASH\"",
		"prev_comm == \"slee\"",
		"prev_comm == 's'",
		"prev_pid == \"42\"",
		"prev_comm =~ \"^leep\"",
		"prev_comm == 5",
		"prev_pid != 'x' && CPU == \"1\"",
		"COMM == 'b'",
	};

	for (size_t i = 0; i < sizeof(yes) / sizeof(*yes); i++)
		if (!on_switch(*state, yes[i]))
			fail_msg("%s is true", yes[i]);
	for (size_t i = 0; i < sizeof(no) / sizeof(*no); i++)
		if (on_switch(*state, no[i]))
			fail_msg("%s is false", no[i]);
}

/* What the recorder of a probe wrote of its fields: names of values, byte order, points. */
static void values_are_what_they_are_called(void **state)
{
	static const char *const yes[] = {
		"colour == RED", "colour == \"RED\"", "colour != BLUE",	     "colour =~ \"^R\"",
		"colour == 1",	 "colour == \"0x1\"", "colour !~ \"BL\"",    "port == 80",
		"port > 79",	 "x == -1.5",	      "x < -1 && x > -2.25", "f >= 2.5",
		"f != 2",	 "colour < 1.5",      "port & 16",	     "n < -2.5",
		"x > -2",
	};
	static const char *const no[] = {"colour == BLUE", "colour != RED", "colour == \"red\"",
					 "port == 20480",  "x > 0",	    "x < -2",
					 "n > 0.5",	   "f == 2",	    "colour =~ \"^BL\""};
	uint8_t data[32] = {[8] = 1, [13] = 80, [20] = 0xfd};
	double x = -1.5;
	float f = 2.5;
	char text[100];

	head(data, 400, 7);
	memcpy(data + 16, &f, sizeof(f));
	memcpy(data + 24, &x, sizeof(x));
	for (size_t i = 0; i < sizeof(yes) / sizeof(*yes); i++) {
		snprintf(text, sizeof(text), "values:%s", yes[i]);
		if (run(*state, text, 400, data, sizeof(data)) != FILTER_MATCH)
			fail_msg("%s is true", yes[i]);
	}
	for (size_t i = 0; i < sizeof(no) / sizeof(*no); i++) {
		snprintf(text, sizeof(text), "values:%s", no[i]);
		if (run(*state, text, 400, data, sizeof(data)) != FILTER_MISS)
			fail_msg("%s is false", no[i]);
	}
}

static void and_and_or_bind_equally_from_the_left(void **state)
{
	assert_false(on_switch(*state, "prev_pid == 42 || prev_pid == 42 && prev_pid == 1"));
	assert_true(on_switch(*state, "prev_pid == 42 || (prev_pid == 42 && prev_pid == 1)"));
	assert_true(on_switch(*state, "prev_pid == 1 && prev_pid == 1 || prev_pid == 42"));
	assert_false(on_switch(*state, "prev_pid == 1 && (prev_pid == 1 || prev_pid == 42)"));
	assert_true(on_switch(*state, "prev_pid == 1 || !prev_pid == 1 && CPU == 1"));
}

static void a_test_of_an_unknown_field_is_false(void **state)
{
	assert_false(on_switch(*state, "nosuch == 0"));
	assert_false(on_switch(*state, "nosuch != 0"));
	assert_false(on_switch(*state, "nosuch !~ \"x\""));
	assert_false(on_switch(*state, "prev_pid + nosuch"));
	assert_true(on_switch(*state, "!(nosuch | 1)"));
	assert_true(on_switch(*state, "!nosuch == 0 && prev_pid == 42"));
	assert_true(on_switch(*state, "nosuch == 0 || prev_pid == 42"));
}

static void order_knows_signs(void **state)
{
	static const char *const yes[] = {"prev_state < 0",
					  "prev_state <= -2",
					  "prev_state >= -2",
					  "prev_state > -3",
					  "prev_state < 1",
					  "prev_state < 0xffffffffffffffff",
					  "prev_state != 0xfffffffffffffffd"};
	static const char *const no[] = {"prev_state > 0", "prev_state < -2", "prev_state > -2",
					 "prev_state >= 0xfffffffffffffffe", "prev_state >= -1"};
	uint8_t data[16] = {0};

	for (size_t i = 0; i < sizeof(yes) / sizeof(*yes); i++)
		if (!on_switch(*state, yes[i]))
			fail_msg("%s is true", yes[i]);
	for (size_t i = 0; i < sizeof(no) / sizeof(*no); i++)
		if (on_switch(*state, no[i]))
			fail_msg("%s is false", no[i]);

	head(data, 317, 1);
	memset(data + 12, 0xff, 4); /* an unsigned field stays above zero */
	assert_int_equal(run(*state, "sched_wakeup:mask > 0 && mask > -1 && mask == 0xffffffff",
			     317, data, sizeof(data)),
			 FILTER_MATCH);
	assert_int_equal(run(*state, "sched_wakeup:mask < 0 || mask == -1 || mask <= -1", 317, data,
			     sizeof(data)),
			 FILTER_MISS);
}

static void addresses_are_compared_by_their_symbols(void **state)
{
	uint64_t ip = 0xffffffff81000110, parent = 0x10;
	uint8_t data[24];

	head(data, 1, 0);
	memcpy(data + 8, &ip, 8);
	memcpy(data + 16, &parent, 8);
	assert_int_equal(run(*state, "function:ip == \"vfs_read\"", 1, data, 24), FILTER_MATCH);
	assert_int_equal(run(*state, "function:ip =~ \"^vfs\"", 1, data, 24), FILTER_MATCH);
	assert_int_equal(run(*state, "function:ip =~ \"write\"", 1, data, 24), FILTER_MISS);
	assert_int_equal(run(*state, "function:ip !~ \"write\"", 1, data, 24), FILTER_MATCH);
	assert_int_equal(run(*state, "function:parent_ip == \"0x10\"", 1, data, 24), FILTER_MATCH);
	assert_int_equal(run(*state, "function:COMM == \"<idle>\"", 1, data, 24), FILTER_MATCH);
}

static void strings_without_an_end_are_taken_whole(void **state)
{
	uint8_t data[SWITCH_BYTES];

	make_switch(data, "0123456789abcdefXX", 1, 0);
	assert_int_equal(run(*state, "sched_switch:prev_comm == \"0123456789abcdef\"", 316, data,
			     sizeof(data)),
			 FILTER_MATCH);
	assert_int_equal(run(*state, "sched_switch:prev_comm =~ \"f$\"", 316, data, sizeof(data)),
			 FILTER_MATCH);
}

static void dynamic_strings_are_followed(void **state)
{
	uint32_t name = 6u << 16 | 20, rel = 3u << 16 | 10; /* relative to the end of the field */
	uint8_t data[32] = {0};

	head(data, 70000, 0);
	memcpy(data + 8, &name, 4);
	memcpy(data + 12, &rel, 4);
	data[16] = 0xfe;
	memcpy(data + 20, "hello", 6);
	memcpy(data + 26, "abc", 3);
	assert_int_equal(run(*state, "texts:name == \"hello\" && tiny < 0", 70000, data, 32),
			 FILTER_MATCH);
	assert_int_equal(run(*state, "texts:rel == \"abc\"", 70000, data, 32), FILTER_MATCH);
	assert_int_equal(run(*state, "texts:name =~ \"^hel*o$\"", 70000, data, 32), FILTER_MATCH);
	name = 60000u << 16 | 30;
	memcpy(data + 8, &name, 4);
	assert_int_equal(run(*state, "texts:name == \"\"", 70000, data, 32), FILTER_MATCH);
}

static void what_lies_outside_the_record_is_zero_and_empty(void **state)
{
	uint8_t data[SWITCH_BYTES];
	/* a copy of its own, so that a sanitizer sees a read past it */
	uint8_t *cut = malloc(12);

	make_switch(data, "sleep", 42, 1);
	memcpy(cut, data, 12);
	assert_int_equal(run(*state, "sched_switch:prev_pid == 0 && prev_state == 0", 316, cut, 12),
			 FILTER_MATCH);
	assert_int_equal(run(*state, "sched_switch:prev_comm == \"slee\"", 316, cut, 12),
			 FILTER_MATCH);
	free(cut);
}

static void of_two_events_with_one_id_the_first_named_counts(void **state)
{
	uint8_t data[16] = {0};
	int one = 1;

	head(data, 317, 0);
	memcpy(data + 8, &one, 4);
	assert_int_equal(run(*state, "sched,other:pid == 1", 317, data, 16), FILTER_MATCH);
	assert_int_equal(run(*state, "other,sched:pid == 1", 317, data, 16), FILTER_MISS);
	assert_int_equal(run(*state, "other,sched:!other == 1", 317, data, 16), FILTER_MATCH);
}

static void filters_are_shown_as_trace_cmd_shows_them(void **state)
{
	static const struct {
		const char *filter, *shown;
	} rows[] = {
		{"function", " 'function: TRUE'\n"},
		{"function,sched/.*:prev_pid==1", " 'sched_wakeup: FALSE'\n"
						  " 'sched_switch: prev_pid == 1'\n"
						  " 'function: FALSE'\n"},
		{"sched_switch:!prev_pid!=-1", " 'sched_switch: !(prev_pid != -1)'\n"},
		{"sched_switch:prev_pid==1&&(COMM=~\"a\"||CPU&1)",
		 " 'sched_switch: (prev_pid == 1) && ((COMM =~ \"a\") || (CPU & 1))'\n"},
		{"sched_switch:prev_pid==1||prev_pid==2&&prev_pid==3",
		 " 'sched_switch: ((prev_pid == 1) || (prev_pid == 2)) && (prev_pid == 3)'\n"},
		{"sched_switch:x==1||prev_pid==2&&!x==2||x==1", " 'sched_switch: prev_pid == 2'\n"},
		{"sched_switch:prev_pid==2&&x==1||prev_pid<3", " 'sched_switch: prev_pid < 3'\n"},
		{"sched_switch:prev_pid==2||!(x&1)", " 'sched_switch: TRUE'\n"},
		{"sched_switch:!(prev_pid==2&&(x==1))", " 'sched_switch: TRUE'\n"},
		{"sched_switch:!!((prev_pid>>2))", " 'sched_switch: !(!(prev_pid >> 2))'\n"},
		{"sched_switch:prev_pid==18446744073709551615",
		 " 'sched_switch: prev_pid == -1'\n"},
	};
	struct fixture *fx = *state;

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct errmsg err = {0};
		struct filter *flt = NULL;
		struct textbuf tb;

		if (filter_new(&flt, fx->formats, rows[i].filter, &err) < 0)
			fail_msg("%s", err.text);
		textbuf_init(&tb, 1 << 20);
		filter_fmt(flt, &tb);
		textbuf_add_char(&tb, 0);
		assert_string_equal(tb.start, rows[i].shown);
		textbuf_release(&tb);
		filter_free(flt);
	}
}

static void refuse(struct fixture *fx, const char *text, int code, const char *why)
{
	struct errmsg err = {0};
	struct filter *flt = NULL;
	int r = filter_new(&flt, fx->formats, text, &err);

	if (r != code || !strstr(err.text, why))
		fail_msg("'%.60s': %d '%s', not %d '%s'", text, r, err.text, code, why);
	assert_null(flt);
}

static void what_cannot_be_read_is_refused_with_its_place(void **state)
{
	static const struct {
		const char *expression, *why;
	} rows[] = {
		{"", "ends too early"},
		{"prev_pid", "an operator such as"},
		{"prev_pid = 1", "write '=='"},
		{"prev_pid ~ 1", "write '=~'"},
		{"prev_pid ==", "a number or a string is missing"},
		{"prev_pid == 1 &&", "ends too early"},
		{"&& prev_pid == 1", "the name of a field"},
		{"prev_pid == 1 && || prev_pid == 2", "at '|| prev_pid == 2'"},
		{"prev_pid == 1 prev_pid == 2", "at 'prev_pid == 2': '&&' or '||' is missing"},
		{"(prev_pid == 1", "not closed"},
		{"(prev_pid == 1 prev_pid", "'&&', '||' or ')' is missing"},
		{"prev_pid == 1)", "there is no '('"},
		{"()", "at ')'"},
		{"!", "ends too early"},
		{"prev_pid <> 1", "at '> 1'"},
		{"1 == prev_pid", "a field must stand to the left"},
		{"prev_pid == prev_state", "at 'prev_state'"},
		{"prev_pid == 12ab", "this is no number"},
		{"prev_pid == 99999999999999999999", "this is no number"},
		{"prev_pid == -9223372036854775809", "this is no number"},
		{"prev_pid == - prev_pid", "at 'prev_pid'"},
		{"prev_comm == \"x", "no closing quote"},
		{"prev_comm == \"x\\\"", "no closing quote"},
		{"prev_comm > \"x\"", "==, !=, =~ and !~"},
		{"prev_comm =~ \"[\"", "no regular expression"},
		{"prev_comm =~ \"a\\{1,255\\}\\{1,255\\}\\{1,255\\}\"", "too much"},
		{"prev_comm =~ 5", "in quotes is missing"},
		{"prev_pid + \"x\"", "text is not to be calculated with"},
		{"COMM + 1", "text is not to be calculated with"},
		{"COMM == 1", "COMM is text"},
		{"\"x\" == prev_comm", "at '\"x\" == prev_comm'"},
		{"prev_pid == 1 \xc3\xa4", "can only stand in a string"},
		{"prev_pid == 1, prev_pid == 2", "at ', prev_pid == 2'"},
		{"prev_pid->x == 1", "at '->x == 1'"},
	};
	char text[200];

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		snprintf(text, sizeof(text), "sched_switch:%s", rows[i].expression);
		refuse(*state, text, -EINVAL, rows[i].why);
	}
}

static void the_place_of_a_fault_is_a_span(void **state)
{
	static const struct {
		const char *text;
		size_t at, len;
	} rows[] = {{"values:colour == RDE", 17, 3},
		    {"values:x == 1 y", 14, 1},
		    {"values:x ==", 11, 0}};
	struct fixture *fx = *state;

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct errmsg err = {0};
		struct filter *flt = NULL;

		assert_int_equal(filter_new(&flt, fx->formats, rows[i].text, &err), -EINVAL);
		if (!err.has_span || err.at != rows[i].at || err.len != rows[i].len)
			fail_msg("'%s': %zu + %zu", rows[i].text, err.at, err.len);
	}
}

static void names_that_no_value_has_are_refused(void **state)
{
	refuse(*state, "values:colour == RDE", -EINVAL, "the nearest is RED");
	refuse(*state, "values:colour < RED", -EINVAL, "a number or a string in quotes");
	refuse(*state, "values:port == RED", -EINVAL, "a number or a string in quotes");
	refuse(*state, "values:x == 1.5.5", -EINVAL, "missing");
	refuse(*state, "values:x == 1.5k", -EINVAL, "no number");
}

static void names_that_match_nothing_are_refused(void **state)
{
	refuse(*state, "nosuch", -ENOENT, "'nosuch'");
	refuse(*state, "sched_switch,nosuch:prev_pid == 1", -ENOENT, "'nosuch'");
	refuse(*state, "demo/sched_switch", -ENOENT, "'demo/sched_switch'");
	refuse(*state, "sched/ ", -ENOENT, "'sched/'");
	refuse(*state, "sched_[", -EINVAL, "no regular expression");
	refuse(*state, "sched[/x", -EINVAL, "no regular expression");
	refuse(*state, "", -EINVAL, "lacks the name");
	refuse(*state, ",sched", -EINVAL, "lacks the name");
	refuse(*state, ":prev_pid == 1", -EINVAL, "lacks the name");
}

/* "sched_switch:" and n times what, in memory that the caller frees. */
static char *repeated(const char *what, size_t n, const char *end)
{
	struct textbuf tb;

	textbuf_init(&tb, 64 << 20);
	textbuf_add_str(&tb, "sched_switch:");
	for (size_t i = 0; i < n; i++)
		textbuf_addf(&tb, what, (int)i);
	textbuf_add(&tb, end, strlen(end) + 1);
	assert_false(tb.overflow);
	return tb.start;
}

static void refuse_repeated(struct fixture *fx, const char *what, size_t n, const char *end,
			    const char *why)
{
	char *text = repeated(what, n, end);

	refuse(fx, text, -EINVAL, why);
	free(text);
}

/* A probe's text that could not be read has no bytes, not even a NUL. */
static void faults_are_found_as_they_are_shown(void **state)
{
	static const char *const missing[] = {"name == \"(fault)\"", "name != \"\"",
					      "name != \"hello\"", "name =~ \"fault\"",
					      "!(name == \"\")"};
	static const char *const empty[] = {"name == \"\"", "name != \"(fault)\"",
					    "name !~ \"fault\""};
	uint8_t data[24] = {0};
	char text[100];

	head(data, 401, 7);
	data[16] = 20;
	for (size_t i = 0; i < sizeof(missing) / sizeof(*missing); i++) {
		snprintf(text, sizeof(text), "read:%s", missing[i]);
		assert_int_equal(run(*state, text, 401, data, sizeof(data)), FILTER_MATCH);
	}
	data[18] = 1;
	for (size_t i = 0; i < sizeof(empty) / sizeof(*empty); i++) {
		snprintf(text, sizeof(text), "read:%s", empty[i]);
		assert_int_equal(run(*state, text, 401, data, sizeof(data)), FILTER_MATCH);
	}
}

static void hostile_texts_meet_ceilings(void **state)
{
	struct fixture *fx = *state;
	struct errmsg err = {0};
	struct filter *flt;
	char *text;

	refuse_repeated(fx, "(", 101, "", "deep");
	refuse_repeated(fx, "(", 1000000, "", "deep");
	refuse_repeated(fx, "!(", 500000, "", "deep");
	refuse_repeated(fx, "f%d == 1 || ", 300, "f == 1", "256 different fields");
	refuse_repeated(fx, "COMM =~ \"x\" || ", 300, "COMM == \"\"", "256 regular");
	refuse_repeated(fx, " ", 5 << 20, "CPU == 1", "longer than");
	refuse_repeated(fx, "1", 100, "", "too long");
	memset(text = calloc(1, 4000), 'x', 3999);
	refuse(fx, text, -EINVAL, "too many events");
	free(text);

	text = repeated("CPU == %d || ", 100000, "CPU == 5"); /* a long chain is no deep one */
	assert_int_equal(filter_new(&flt, fx->formats, text, &err), 0);
	filter_free(flt);
	free(text);
	text = repeated("!", 1000001, "CPU == 5");
	assert_int_equal(filter_new(&flt, fx->formats, text, &err), 0);
	filter_free(flt);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_match_systems_and_events),
		cmocka_unit_test(an_id_above_the_table_is_found),
		cmocka_unit_test(a_record_of_an_unknown_event_is_not_found),
		cmocka_unit_test(true_and_false_expressions),
		cmocka_unit_test(values_are_what_they_are_called),
		cmocka_unit_test(and_and_or_bind_equally_from_the_left),
		cmocka_unit_test(a_test_of_an_unknown_field_is_false),
		cmocka_unit_test(order_knows_signs),
		cmocka_unit_test(addresses_are_compared_by_their_symbols),
		cmocka_unit_test(strings_without_an_end_are_taken_whole),
		cmocka_unit_test(dynamic_strings_are_followed),
		cmocka_unit_test(what_lies_outside_the_record_is_zero_and_empty),
		cmocka_unit_test(of_two_events_with_one_id_the_first_named_counts),
		cmocka_unit_test(filters_are_shown_as_trace_cmd_shows_them),
		cmocka_unit_test(what_cannot_be_read_is_refused_with_its_place),
		cmocka_unit_test(the_place_of_a_fault_is_a_span),
		cmocka_unit_test(names_that_no_value_has_are_refused),
		cmocka_unit_test(names_that_match_nothing_are_refused),
		cmocka_unit_test(faults_are_found_as_they_are_shown),
		cmocka_unit_test(hostile_texts_meet_ceilings),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}

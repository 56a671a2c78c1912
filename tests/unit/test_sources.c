// SPDX-License-Identifier: GPL-2.0-or-later
/* test_sources.c - source lines of functions and pauses, as a trace file has them. */
#include "symbols/pauses.h"
#include "symbols/sources.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct sources *parsed(const char *s)
{
	struct sources *list = sources_new();

	assert_non_null(list);
	assert_int_equal(sources_parse(list, (struct piece){(const uint8_t *)s, strlen(s)}), 0);
	return list;
}

static void lines_are_found_in_any_order(void **state)
{
	struct sources *s = parsed("I /usr/bin/prog\n"
				   "F 20 1139 1a work\n"
				   "L 20 120 /src/my file.c\n"
				   "F 10 1100 10 main\n"
				   "L 10 7 main.c\n"
				   "W 3 a reason");

	assert_string_equal(sources_find(s, 0x10), "main.c:7");
	assert_string_equal(sources_find(s, 0x20), "/src/my file.c:120");
	assert_null(sources_find(s, 0x18));
	assert_null(sources_find(NULL, 0x10));
	sources_free(s);
}

static void other_lines_are_left_out(void **state)
{
	static const char after[] = "\nL 60 2 after.c\n";
	char *longest = calloc(1, 70000);
	struct sources *s;

	memcpy(longest, "L 50 1 ", 7);
	memset(longest + 7, 'x', 60000);
	memcpy(longest + 60007, after, sizeof(after));
	s = parsed(longest);
	assert_null(sources_find(s, 0x50));
	assert_string_equal(sources_find(s, 0x60), "after.c:2");
	sources_free(s);
	s = parsed(
		"L\nL \nL 10\nL 10 7\nL 10 7 \nL 10 0 a.c\nL zz 7 a.c\nL 10 x a.c\nM 10 7 a.c\n");
	assert_null(sources_find(s, 0x10));
	sources_free(s);
	sources_free(NULL);
	free(longest);
}

static void pauses_are_read(void **state)
{
	const char *text =
		"S 10 0 5 1 0\nS 0 0 100 7 0\nS 0 0 110 7 0\nS 0 1 200 7 0\nS 0 1 300 7 0\n"
		"S 0 0 150 7 0\nS x\nS 0 0 1000 7 0";
	struct pauses p = {0};

	assert_int_equal(pauses_parse(&p, (struct piece){(const uint8_t *)text, strlen(text)}), 0);
	assert_int_equal(p.n, 2);
	assert_int_equal(pauses_overlap(&p, 0, 100), 0);
	assert_int_equal(pauses_overlap(&p, 0, 150), 50);
	assert_int_equal(pauses_overlap(&p, 120, 130), 10);
	assert_int_equal(pauses_overlap(&p, 0, 1005), 105);
	assert_int_equal(pauses_overlap(&p, 200, 1000), 0);
	pauses_release(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_are_found_in_any_order),
		cmocka_unit_test(other_lines_are_left_out),
		cmocka_unit_test(pauses_are_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

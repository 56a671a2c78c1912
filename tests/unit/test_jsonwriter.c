// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_jsonwriter.c - commas, brackets and values of nested JSON.
 */
#include "base/json/jsonwriter.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

static void levels_and_values_nest(void **state)
{
	struct jsonwriter w;
	struct textbuf tb;

	textbuf_init(&tb, 1 << 16);
	jsonwriter_init(&w, &tb);
	jsonwriter_open(&w, NULL, '{');
	jsonwriter_add_string(&w, "s", "a \"b\"\n");
	jsonwriter_add_string(&w, "none", NULL);
	jsonwriter_open(&w, "empty", '[');
	jsonwriter_close(&w);
	jsonwriter_open(&w, "list", '[');
	jsonwriter_add_uint(&w, NULL, UINT64_MAX);
	jsonwriter_add_int(&w, NULL, -5);
	jsonwriter_open(&w, NULL, '{');
	jsonwriter_add_hex(&w, "id", 0xfedcba9876543210);
	jsonwriter_close(&w);
	jsonwriter_add_bool(&w, NULL, true);
	jsonwriter_close(&w);
	jsonwriter_add_real(&w, "r", 2.0 / 3, 3);
	jsonwriter_add_real(&w, "nan", NAN, 3);
	jsonwriter_add_text(&w, "t", "\xff!", 2);
	jsonwriter_close(&w);
	textbuf_add_char(&tb, 0);
	assert_string_equal(
		tb.start, "{\"s\":\"a \\\"b\\\"\\n\",\"none\":null,\"empty\":[],"
			  "\"list\":[18446744073709551615,-5,{\"id\":\"0xfedcba9876543210\"},true],"
			  "\"r\":0.667,\"nan\":null,\"t\":\"\\u00ff!\"}");
	textbuf_release(&tb);
}

/* More levels than there is room for are wrong JSON, but nothing is written outside. */
static void too_many_levels_do_no_harm(void **state)
{
	struct jsonwriter w;
	struct textbuf tb;

	textbuf_init(&tb, 1 << 16);
	jsonwriter_init(&w, &tb);
	for (int i = 0; i < 2 * JSONWRITER_DEPTH_MAX; i++)
		jsonwriter_open(&w, NULL, '[');
	for (int i = 0; i < 2 * JSONWRITER_DEPTH_MAX; i++)
		jsonwriter_close(&w);
	assert_int_equal(textbuf_len(&tb), 4 * JSONWRITER_DEPTH_MAX);
	textbuf_release(&tb);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(levels_and_values_nest),
		cmocka_unit_test(too_many_levels_do_no_harm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

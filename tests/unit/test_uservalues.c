// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_uservalues.c - specifications of arguments and return values: what is accepted, and what is
 * refused with which words; texts of values whose words make no sense.
 */
#include "base/array.h"
#include "base/errmsg.h"
#include "capture/user/values_int.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

typedef int (*adding)(struct valuerules *r, const char *text, struct errmsg *err);

static void accept(adding add, const char *text, size_t n_wants)
{
	struct valuerules rules = {0};
	struct errmsg err = {0};

	if (add(&rules, text, &err) < 0)
		fail_msg("%s: %s", text, err.text);
	assert_int_equal(rules.n, 1);
	assert_int_equal(rules.list[0].n_wants + rules.list[0].n_conditions, n_wants);
	valuerules_release(&rules);
}

static void refuse(adding add, const char *text, const char *words)
{
	struct valuerules rules = {0};
	struct errmsg err = {0};

	assert_int_equal(add(&rules, text, &err), -EINVAL);
	if (!strstr(err.text, words))
		fail_msg("%s: %s", text, err.text);
	assert_int_equal(rules.n, 0);
	valuerules_release(&rules);
}

static void reads_specifications(void **state)
{
	(void)state;
	accept(valuerules_add_args, "work@arg1", 1);
	accept(valuerules_add_args, "work@arg1,arg2/s,fparg1,arg3/x32", 4);
	accept(valuerules_add_args, "ns::Box::get@arg1/e:color,arg2/t:point", 2);
	accept(valuerules_add_args, "work@arg7%stack+1,arg1/d16%rcx,fparg1/80", 3);
	accept(valuerules_add_args, "/^wor/@arg1/p,arg2/c,arg3/S,arg4/o,retval/u8", 5);
	accept(valuerules_add_args, "work(n, p->name:string, v[2])", 3);
	accept(valuerules_add_args, "work", 0);
	accept(valuerules_add_retval, "work@retval/d", 1);
	accept(valuerules_add_retval, "work", 0);
	accept(valuerules_add_condition, "work: n > 10 && p->kind == -2 && flags & 0x4", 3);
	accept(valuerules_add_condition, "ns::Box::get:arg1!=0", 1);
}

static void refuses_nonsense(void **state)
{
	static const char *const values[] = {"f@arg",
					     "f@arg0",
					     "f@arg1/",
					     "f@arg1/q",
					     "f@arg1/d7",
					     "f@arg1/d80",
					     "f@arg1/e",
					     "f@arg1/s:x",
					     "f@arg1%foo",
					     "f@arg1%stack+0",
					     "f@arg1 ",
					     "f@arg1,,arg2",
					     "f@arg999999999999999999999"};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(values); i++)
		refuse(valuerules_add_args, values[i], "is no value");
	refuse(valuerules_add_args, "", "is empty");
	refuse(valuerules_add_retval, "f@arg1", "--retval takes");
	refuse(valuerules_add_condition, "f", "names no function");
	refuse(valuerules_add_condition, "f:", "has no condition");
	refuse(valuerules_add_condition, "f: n", "is no comparison");
	refuse(valuerules_add_condition, "f: n > x", "no number");
	refuse(valuerules_add_condition, "f: n > 1 || m > 2", "&& joins");
	refuse(valuerules_add_condition, "f: n > 1 &&", "ends behind &&");
}

static void shows_values_of_a_hostile_program(void **state)
{
	static const struct value args[] = {
		{CARRIER_WORDS, 1, {.kind = FORM_INT, .n_bytes = 4}},
		{CARRIER_TEXT, 0, {0}},
		{CARRIER_MEMORY, 0, {.kind = FORM_UINT, .n_bytes = 8}},
	};
	static const struct uservalues v = {.args = args, .n_args = ARRAY_LEN(args)};
	uint64_t words[8] = {UINT32_MAX, 3, 0};
	char text[64];

	(void)state;
	memcpy(&words[2], "a\"\n", 3);
	words[3] = SNRT_GOT_NULL;
	assert_int_equal(uservalues_fmt(&v, false, words, 32, NULL, text, sizeof(text)),
			 strlen("-1, \"a\\\"\\n\", NULL"));
	assert_string_equal(text, "-1, \"a\\\"\\n\", NULL");
	words[1] = 0xffff; /* longer than what is there */
	uservalues_fmt(&v, false, words, 32, NULL, text, sizeof(text));
	assert_string_equal(text, "-1, ...");
	uservalues_fmt(&v, false, words, 0, NULL, text, sizeof(text));
	assert_string_equal(text, "...");
	words[1] = 8;
	memset(&words[2], 1, 8);
	assert_true(uservalues_fmt(&v, false, words, 64, NULL, text, 8) < 8);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_specifications),
		cmocka_unit_test(refuses_nonsense),
		cmocka_unit_test(shows_values_of_a_hostile_program),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

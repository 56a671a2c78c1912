// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_diescan.c - passing over DIEs: a unit made by hand, whole, cut and spoilt.
 */
#include "symbols/dwarf/diescan.h"

#include <dwarf.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

/* clang-format off */
static const uint8_t abbrev[] = {
	1, DW_TAG_compile_unit, 1, DW_AT_language, DW_FORM_data1, DW_AT_name, DW_FORM_strp, 0, 0,
	2, DW_TAG_base_type, 0, DW_AT_name, DW_FORM_strp, 0, 0,
	3, DW_TAG_subprogram, 1, DW_AT_external, DW_FORM_flag_present, DW_AT_name, DW_FORM_strp,
		DW_AT_sibling, DW_FORM_ref4, 0, 0,
	4, DW_TAG_variable, 0, DW_AT_location, DW_FORM_exprloc, DW_AT_name, DW_FORM_string, 0, 0,
	5, DW_TAG_subprogram, 0, DW_AT_name, DW_FORM_strp, DW_AT_declaration, DW_FORM_flag_present, 0, 0,
	6, DW_TAG_lexical_block, 1, DW_AT_decl_line, DW_FORM_implicit_const, 0xf0, 0x00, 0, 0,
	0,
};

static const uint8_t unit[] = {
	/*  0 */ 54, 0, 0, 0, 5, 0, DW_UT_compile, 8, 0, 0, 0, 0,
	/* 12 */ 1, DW_LANG_C11, 0x44, 0x33, 0x22, 0x11,
	/* 18 */ 2, 0x10, 0, 0, 0,
	/* 23 */ 3, 0x20, 0, 0, 0, 46, 0, 0, 0,
	/* 32 */	6,
	/* 33 */		4, 2, 0x91, 0x68, 'i', 0,
	/* 39 */		0,
	/* 40 */	2, 0x10, 0, 0, 0,
	/* 45 */	0,
	/* 46 */ 6,
	/* 47 */	2, 0x10, 0, 0, 0,
	/* 52 */	0,
	/* 53 */ 5, 0x20, 0, 0,
};
/* clang-format on */

static int open_unit(struct diescan *s, size_t n_info, size_t n_abbrev)
{
	return diescan_open(s, (struct piece){unit, n_info}, (struct piece){abbrev, n_abbrev}, 0);
}

static void test_too_short(void **state)
{
	struct diescan s;

	(void)state;
	assert_int_equal(open_unit(&s, sizeof(unit), sizeof(abbrev)),
			 -ENOTSUP); /* one byte short */
	diescan_release(&s);
}

/* The same unit with the byte that it lacks. */
static int open_whole(struct diescan *s, uint8_t *copy)
{
	memcpy(copy, unit, sizeof(unit));
	memset(copy + sizeof(unit), 0, 1);
	return diescan_open(s, (struct piece){copy, sizeof(unit) + 1},
			    (struct piece){abbrev, sizeof(abbrev)}, 0);
}

static void test_order(void **state)
{
	uint8_t copy[sizeof(unit) + 1];
	struct diescan s;
	size_t at;

	(void)state;
	assert_int_equal(open_whole(&s, copy), 0);
	assert_int_equal(s.first, 12);
	assert_int_equal(diescan_language(&s), DW_LANG_C11);
	at = diescan_child(&s, 12);
	assert_int_equal(at, 18);
	assert_int_equal(diescan_kind(&s, at)->tag, DW_TAG_base_type);
	assert_int_equal(diescan_child(&s, at), 0);
	at = diescan_next(&s, at);
	assert_int_equal(at, 23);
	assert_int_equal(diescan_child(&s, at), 32);
	assert_int_equal(diescan_next(&s, 32), 40); /* over its child, which has no fixed size */
	assert_int_equal(diescan_next(&s, 40), 45);
	assert_null(diescan_kind(&s, 45)); /* the end of the children */
	at = diescan_next(&s, at);
	assert_int_equal(at, 46); /* as it says itself */
	at = diescan_next(&s, at);
	assert_int_equal(at, 53);
	assert_true(diescan_kind(&s, at)->is_declaration);
	assert_int_equal(diescan_next(&s, at), 58);
	assert_null(diescan_kind(&s, 58));
	diescan_release(&s);
}

static void test_names(void **state)
{
	uint8_t copy[sizeof(unit) + 1];
	struct diescan s;

	(void)state;
	assert_int_equal(open_whole(&s, copy), 0);
	assert_true(diescan_may_name(&s, 24, true, false));
	assert_false(diescan_may_name(&s, 19, true, false)); /* a type's */
	assert_false(diescan_may_name(&s, 28, true, false)); /* what comes next */
	assert_false(diescan_may_name(&s, 54, true, false)); /* a declaration's */
	assert_true(diescan_may_name(&s, 54, true, true));
	/* a variable's name has no fixed place: anything may be one */
	assert_true(diescan_may_name(&s, 28, false, false));
	assert_false(diescan_may_name(&s, 0, true, true));
	diescan_release(&s);
}

/* Codes of two bytes: 200 kinds, the last of which is a function. */
static void test_long_codes(void **state)
{
	uint8_t table[200 * 8 + 16], info[12 + 8] = {16, 0, 0, 0, 5, 0, DW_UT_compile, 8};
	uint8_t *p = table;
	struct diescan s;

	(void)state;
	for (unsigned code = 1; code <= 200; code++) {
		*p++ = (code & 0x7f) | (code < 0x80 ? 0 : 0x80);
		if (code >= 0x80)
			*p++ = code >> 7;
		*p++ = code == 200 ? DW_TAG_subprogram : DW_TAG_member;
		*p++ = 0;
		*p++ = DW_AT_name;
		*p++ = DW_FORM_strp;
		*p++ = 0;
		*p++ = 0;
	}
	*p++ = 0;
	info[12] = (200 & 0x7f) | 0x80;
	info[13] = 200 >> 7; /* 1: read alone, a member */
	assert_int_equal(diescan_open(&s, (struct piece){info, sizeof(info)},
				      (struct piece){table, p - table}, 0),
			 0);
	assert_true(diescan_may_name(&s, 14, true, false));
	assert_int_equal(diescan_kind(&s, 12)->tag, DW_TAG_subprogram);
	diescan_release(&s);
}

static void walk(const struct diescan *s, size_t at, unsigned depth)
{
	size_t before = 0;

	while (at && diescan_kind(s, at) && depth < 20) {
		assert_true(at > before && at < s->end);
		before = at;
		walk(s, diescan_child(s, at), depth + 1);
		at = diescan_next(s, at);
	}
}

static void test_cut_and_spoilt(void **state)
{
	(void)state;
	for (size_t n = 0; n <= sizeof(abbrev); n++) {
		uint8_t *info = malloc(sizeof(unit)), *table = malloc(n ? n : 1);
		struct diescan s;

		memcpy(info, unit, sizeof(unit));
		memcpy(table, abbrev, n);
		info[0] = 53;
		if (diescan_open(&s, (struct piece){info, sizeof(unit)}, (struct piece){table, n},
				 0) == 0)
			walk(&s, s.first, 0);
		diescan_release(&s);
		free(info);
		free(table);
	}
	for (size_t i = 0; i < sizeof(unit); i++)
		for (unsigned bit = 0; bit < 8; bit++) {
			uint8_t *info = malloc(sizeof(unit));
			struct diescan s;

			memcpy(info, unit, sizeof(unit));
			info[0] = 53;
			info[i] ^= 1u << bit;
			if (diescan_open(&s, (struct piece){info, sizeof(unit)},
					 (struct piece){abbrev, sizeof(abbrev)}, 0) == 0) {
				walk(&s, s.first, 0);
				diescan_language(&s);
			}
			diescan_release(&s);
			free(info);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_too_short),      cmocka_unit_test(test_order),
		cmocka_unit_test(test_names),	       cmocka_unit_test(test_long_codes),
		cmocka_unit_test(test_cut_and_spoilt),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

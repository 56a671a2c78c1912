// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_unwind.c - call frame information: rows at each instruction, expressions, steps to callers.
 */
#include "base/array.h"
#include "symbols/unwind/unwind.h"

#include <dwarf.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

/* A section of .debug_frame under construction. */
struct made {
	uint8_t bytes[512];
	size_t n;
};

static void add(struct made *m, const void *bytes, size_t n)
{
	memcpy(m->bytes + m->n, bytes, n);
	m->n += n;
}

static void add_entry(struct made *m, const uint8_t *head, size_t n_head, const uint8_t *code,
		      size_t n_code)
{
	uint32_t len = (uint32_t)(n_head + n_code);

	add(m, &len, 4);
	add(m, head, n_head);
	add(m, code, n_code);
}

/* One function of 0x100 bytes at 0x1000: at first the CFA is rsp + 8, the return address is below it. */
static struct cfi *make(const uint8_t *code, size_t n)
{
	static const uint8_t cie[] = {0xff, 0xff, 0xff, 0xff, 3, 0, 1, 0x78, 16};
	static const uint8_t first[] = {DW_CFA_def_cfa, 7, 8, DW_CFA_offset | 16, 1};
	uint8_t fde[20] = {0};
	struct made m = {.n = 0};

	add_entry(&m, cie, sizeof(cie), first, sizeof(first));
	fde[5] = 0x10;	/* begin */
	fde[13] = 0x01; /* length */
	add_entry(&m, fde, sizeof(fde), code, n);
	return cfi_open_bytes((struct piece){m.bytes, m.n}, 0, true);
}

static void test_rows(void **state)
{
	static const uint8_t code[] = {DW_CFA_advance_loc | 1,
				       DW_CFA_def_cfa_offset,
				       16,
				       DW_CFA_offset | 6,
				       2,
				       DW_CFA_advance_loc | 3,
				       DW_CFA_remember_state,
				       DW_CFA_def_cfa_register,
				       6,
				       DW_CFA_advance_loc1,
				       0x10,
				       DW_CFA_restore_state};
	struct cfi *c = make(code, sizeof(code));
	struct cfi_row row;
	uint64_t begin, end;

	assert_non_null(c);
	assert_int_equal(cfi_find_row(c, 0xfff, &row), -ENOENT);
	assert_int_equal(cfi_find_row(c, 0x1100, &row), -ENOENT);
	assert_int_equal(cfi_find_range(c, 0x1080, &begin, &end), 0);
	assert_int_equal(begin, 0x1000);
	assert_int_equal(end, 0x1100);
	assert_int_equal(cfi_find_row(c, 0x1000, &row), 0);
	assert_int_equal(row.cfa_reg, 7);
	assert_int_equal(row.cfa_value, 8);
	assert_int_equal(row.n_rules, 1);
	assert_int_equal(cfi_find_row(c, 0x1001, &row), 0);
	assert_int_equal(row.cfa_value, 16);
	assert_int_equal(row.n_rules, 2);
	assert_int_equal(cfi_find_row(c, 0x1004, &row), 0);
	assert_int_equal(row.cfa_reg, 6);
	assert_int_equal(cfi_find_row(c, 0x1014, &row), 0);
	assert_int_equal(row.cfa_reg, 7);
	cfi_close(c);
}

/* push %rbp; mov %rsp, %rbp: the caller's frame from a copy of the stack. */
static void test_steps(void **state)
{
	static const uint8_t code[] = {DW_CFA_advance_loc | 1, DW_CFA_def_cfa_offset, 16,
				       DW_CFA_offset | 6, 2};
	struct cfi *c = make(code, sizeof(code));
	uint64_t stack[] = {0x7fff0000, 0x1234, 5, 6};
	struct unwind_memory m = {0x7000, {(const uint8_t *)stack, sizeof(stack)}};
	struct unwind_frame f = {.known = 1u << 7 | 1u << 6 | 1u << 16 | 1u << 3, .is_exact = true};
	struct cfi_row row;

	f.regs[7] = 0x7000;
	f.regs[6] = 1;
	f.regs[3] = 77;
	f.regs[16] = 0x1001;
	assert_int_equal(cfi_find_row(c, 0x1001, &row), 0);
	assert_int_equal(unwind_step(&f, &m, c, &row), 1);
	assert_int_equal(unwind_ip(&f), 0x1234);
	assert_int_equal(f.regs[6], 0x7fff0000);
	assert_int_equal(f.regs[7], 0x7010);
	assert_int_equal(f.regs[3], 77);
	assert_false(f.is_exact);
	/* the copy ends before the next return address */
	f.regs[7] = 0x7000 + sizeof(stack);
	assert_true(unwind_step(&f, &m, c, &row) < 0);
	cfi_close(c);
}

static void test_outermost(void **state)
{
	static const uint8_t code[] = {DW_CFA_undefined, 16};
	struct cfi *c = make(code, sizeof(code));
	struct unwind_memory m = {0};
	struct unwind_frame f = {.known = ~UINT64_C(0)};
	struct cfi_row row;

	assert_int_equal(cfi_find_row(c, 0x1000, &row), 0);
	assert_int_equal(unwind_step(&f, &m, c, &row), 0);
	cfi_close(c);
}

static void test_expressions(void **state)
{
	static const uint8_t plt[] = {DW_OP_breg7, 8,	      DW_OP_breg16, 0,
				      DW_OP_lit15, DW_OP_and, DW_OP_lit11,  DW_OP_ge,
				      DW_OP_lit3,  DW_OP_shl, DW_OP_plus};
	static const uint8_t loop[] = {DW_OP_lit1, DW_OP_skip, 0xfc, 0xff};
	static const uint8_t load[] = {DW_OP_breg7, 8, DW_OP_deref};
	static const uint8_t cut[] = {DW_OP_const8u, 1, 2};
	uint64_t stack[] = {1, 4711};
	struct unwind_memory m = {0x7000, {(const uint8_t *)stack, sizeof(stack)}};
	struct unwind_frame f = {.known = 1u << 7 | 1u << 16};
	uint64_t v = 0;

	f.regs[7] = 0x7000;
	f.regs[16] = 0x101a;
	assert_int_equal(unwind_compute((struct piece){plt, sizeof(plt)}, &f, &m, false, 0, &v), 0);
	assert_int_equal(v, 0x7008);
	f.regs[16] = 0x101b;
	assert_int_equal(unwind_compute((struct piece){plt, sizeof(plt)}, &f, &m, false, 0, &v), 0);
	assert_int_equal(v, 0x7010);
	assert_int_equal(unwind_compute((struct piece){load, sizeof(load)}, &f, &m, false, 0, &v),
			 0);
	assert_int_equal(v, 4711);
	assert_true(unwind_compute((struct piece){loop, sizeof(loop)}, &f, &m, false, 0, &v) < 0);
	assert_true(unwind_compute((struct piece){cut, sizeof(cut)}, &f, &m, false, 0, &v) < 0);
	assert_true(unwind_compute((struct piece){NULL, 0}, &f, &m, false, 0, &v) < 0);
}

static void test_frame_pointers(void **state)
{
	uint64_t stack[] = {0, 0x7020, 0x1111, 0, 0, 0};
	struct unwind_memory m = {0x7000, {(const uint8_t *)stack, sizeof(stack)}};
	struct unwind_frame f = {.known = 1u << 7 | 1u << 6 | 1u << 16};

	f.regs[7] = 0x7000;
	f.regs[6] = 0x7008;
	assert_int_equal(unwind_step_fp(&f, &m), 1);
	assert_int_equal(unwind_ip(&f), 0x1111);
	assert_int_equal(unwind_step_fp(&f, &m), 0); /* a return address of 0 */
	f.regs[6] = 0x6000;
	assert_true(unwind_step_fp(&f, &m) < 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),	       cmocka_unit_test(test_steps),
		cmocka_unit_test(test_outermost),      cmocka_unit_test(test_expressions),
		cmocka_unit_test(test_frame_pointers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

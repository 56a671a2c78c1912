// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_bpffilter.c - programs of filters, run here: what they let through is what the kernel's filters would.
 *
 * A small machine for the instructions that they are made of stands in for the kernel. Patterns need a table of the kernel,
 * so they are only tried by who may make one.
 *
 * covers: Q26
 */
#include "base/errmsg.h"
#include "capture/bpf/bpf.h"
#include "capture/bpf/filter.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define STEPS_MAX 100000

/* --- the machine ------------------------------------------------------------------------------- */

struct record {
	uint32_t u32;
	int32_t s32;
	uint64_t u64;
	int64_t s64;
	uint8_t u8;
	int8_t s8;
	uint16_t u16;
	int16_t s16;
	char text[16];
	const char *far;
};

struct machine {
	uint64_t r[11];
	uint8_t stack[512];
	uint64_t row[600]; /* of the only table */
};

static const char comm[16] = "first";

static int take_row(void *ctx, const uint8_t *key, const uint64_t *values, unsigned n_values)
{
	memcpy(ctx, values, 513 * sizeof(uint64_t));
	return 0;
}

static uint64_t row_of(struct machine *m, int fd)
{
	struct bpf_table t = {BPF_MAP_TYPE_ARRAY, 4, 513 * 8, 1, fd, 0};
	struct errmsg err = {0};

	assert_int_equal(bpf_each_row(&t, take_row, m->row, &err), 0);
	return (uintptr_t)m->row;
}

static void call(struct machine *m, int helper)
{
	void *to = (void *)(uintptr_t)m->r[1];
	const void *from = (const void *)(uintptr_t)m->r[3];

	switch (helper) {
	case BPF_FUNC_probe_read_kernel:
		memcpy(to, from, m->r[2]);
		m->r[0] = 0;
		break;
	case BPF_FUNC_probe_read_kernel_str:
		memset(to, 0, from ? 0 : m->r[2]);
		m->r[0] = from ? (uint64_t)snprintf(to, m->r[2], "%s", (const char *)from) + 1
			       : (uint64_t)-14;
		if (from && m->r[0] > m->r[2])
			m->r[0] = m->r[2];
		break;
	case BPF_FUNC_get_current_comm:
		memcpy(to, comm, sizeof(comm));
		m->r[0] = 0;
		break;
	case BPF_FUNC_get_smp_processor_id:
		m->r[0] = 3;
		break;
	default:
		fail_msg("helper %d", helper);
	}
	for (int i = 1; i < 6; i++)
		m->r[i] = 0xdead;
}

static uint64_t alu(int op, uint64_t a, uint64_t b)
{
	switch (op) {
	case BPF_ADD:
		return a + b;
	case BPF_AND:
		return a & b;
	case BPF_OR:
		return a | b;
	case BPF_LSH:
		return a << b;
	case BPF_RSH:
		return a >> b;
	case BPF_ARSH:
		return (uint64_t)((int64_t)a >> b);
	case BPF_MOV:
		return b;
	}
	fail_msg("alu %x", op);
	return 0;
}

static bool jumps(int op, uint64_t a, uint64_t b)
{
	switch (op) {
	case BPF_JA:
		return true;
	case BPF_JEQ:
		return a == b;
	case BPF_JNE:
		return a != b;
	case BPF_JGT:
		return a > b;
	case BPF_JGE:
		return a >= b;
	case BPF_JLT:
		return a < b;
	case BPF_JLE:
		return a <= b;
	case BPF_JSGT:
		return (int64_t)a > (int64_t)b;
	case BPF_JSGE:
		return (int64_t)a >= (int64_t)b;
	case BPF_JSLT:
		return (int64_t)a < (int64_t)b;
	case BPF_JSLE:
		return (int64_t)a <= (int64_t)b;
	case BPF_JSET:
		return a & b;
	}
	fail_msg("jump %x", op);
	return false;
}

static void move_bytes(struct machine *m, const struct bpf_insn *i, uint64_t source)
{
	static const size_t sizes[] = {4, 2, 1, 8}; /* W, H, B, DW */
	size_t n = sizes[(i->code & 0x18) >> 3];
	bool is_load = (i->code & 7) == BPF_LDX;
	uint8_t *p = (uint8_t *)(uintptr_t)m->r[is_load ? i->src_reg : i->dst_reg] + i->off;

	if (!is_load) {
		memcpy(p, &source, n);
		return;
	}
	m->r[i->dst_reg] = 0;
	memcpy(&m->r[i->dst_reg], p, n);
}

static uint64_t run(struct bpfcode *c, const struct record *record)
{
	static struct machine m;

	memset(&m, 0xa5, sizeof(m));
	m.r[6] = (uintptr_t)record;
	m.r[10] = (uintptr_t)(m.stack + sizeof(m.stack));
	for (size_t pc = 0, steps = 0; steps < STEPS_MAX; steps++) {
		const struct bpf_insn *i = &c->insns[pc++];
		uint64_t source = i->code & BPF_X ? m.r[i->src_reg] : (uint64_t)(int64_t)i->imm;

		assert_true(pc <= c->n);
		if (i->code == (BPF_LD | BPF_DW | BPF_IMM)) {
			m.r[i->dst_reg] =
				i->src_reg ? row_of(&m, i->imm)
					   : (uint32_t)i->imm | (uint64_t)(uint32_t)i[1].imm << 32;
			pc++;
		} else if ((i->code & 7) == BPF_ALU64) {
			m.r[i->dst_reg] = alu(i->code & 0xf0, m.r[i->dst_reg], source);
		} else if ((i->code & 7) != BPF_JMP) {
			source = (i->code & 7) == BPF_ST ? (uint64_t)(int64_t)i->imm
							 : m.r[i->src_reg];
			move_bytes(&m, i, source);
		} else if (i->code == (BPF_JMP | BPF_EXIT)) {
			return m.r[0];
		} else if (i->code == (BPF_JMP | BPF_CALL)) {
			call(&m, i->imm);
		} else if (jumps(i->code & 0xf0, m.r[i->dst_reg], source)) {
			pc += i->off;
		}
	}
	fail_msg("it does not end");
	return 0;
}

/* --- filters ----------------------------------------------------------------------------------- */

#define NUMBER(field, with_sign)                                                 \
	{                                                                        \
#field,                                                          \
		{                                                                \
			BPFFILTER_NUMBER,                                        \
				{.kind = BPFSOURCE_CONTEXT,                      \
				 .start = offsetof(struct record, field),        \
				 .n_start = sizeof(((struct record *)0)->field), \
				 .n_bytes = sizeof(((struct record *)0)->field), \
				 .is_signed = (with_sign)},                      \
				sizeof(((struct record *)0)->field), (with_sign) \
		}                                                                \
	}

static const struct {
	const char *name;
	struct bpffilter_field field;
} fields[] = {
	NUMBER(u8, false),
	NUMBER(s8, true),
	NUMBER(u16, false),
	NUMBER(s16, true),
	NUMBER(u32, false),
	NUMBER(s32, true),
	NUMBER(u64, false),
	NUMBER(s64, true),
	{"text",
	 {BPFFILTER_ARRAY,
	  {.kind = BPFSOURCE_PLACE,
	   .start = offsetof(struct record, text),
	   .is_text = true,
	   .n_bytes = 16,
	   .n_steps = 1,
	   .steps = {{0, BPFMEMORY_KERNEL}}},
	  16,
	  false}},
	{"far",
	 {BPFFILTER_FAR,
	  {.kind = BPFSOURCE_CONTEXT,
	   .start = offsetof(struct record, far),
	   .n_start = 8,
	   .is_text = true,
	   .n_bytes = BPFPROGRAM_TEXT_MAX_BYTES,
	   .n_steps = 1,
	   .steps = {{0, BPFMEMORY_KERNEL}}},
	  8,
	  false}},
	{"read",
	 {BPFFILTER_PROBED,
	  {.kind = BPFSOURCE_CONTEXT,
	   .start = offsetof(struct record, far),
	   .n_start = 8,
	   .is_text = true,
	   .n_bytes = BPFPROGRAM_TEXT_MAX_BYTES,
	   .n_steps = 1,
	   .steps = {{0, BPFMEMORY_KERNEL}}},
	  4,
	  false}},
	{"comm", {BPFFILTER_ARRAY, {.kind = BPFSOURCE_COMM}, 16, false}},
	{"CPU", {BPFFILTER_CPU, {.kind = BPFSOURCE_CPU, .n_bytes = 4, .is_signed = true}, 4, true}},
};

static bool find(void *ctx, const char *name, struct bpffilter_field *ret)
{
	for (size_t i = 0; i < sizeof(fields) / sizeof(*fields); i++)
		if (!strcmp(fields[i].name, name)) {
			*ret = fields[i].field;
			return true;
		}
	return false;
}

/* 1, 0, or -1: it is refused. */
static int passes_if(const char *text, const struct record *record, bool may_sleep)
{
	static struct bpfcode c;
	struct errmsg err = {0};
	struct bpffilter *f;
	unsigned out;

	if (bpffilter_new(&f, text, find, NULL, &err) < 0)
		return -1;
	bpfcode_init(&c);
	c.may_sleep = may_sleep;
	out = bpfcode_label(&c);
	bpffilter_emit(&c, f, out);
	bpfcode_set(&c, 0, 1);
	bpfcode_exit(&c);
	bpfcode_place(&c, out);
	bpfcode_set(&c, 0, 0);
	bpfcode_exit(&c);
	assert_int_equal(bpfcode_finish(&c), 0);
	out = run(&c, record);
	bpffilter_free(f);
	return (int)out;
}

static int passes(const char *text, const struct record *record)
{
	return passes_if(text, record, false);
}

/* --- tests ------------------------------------------------------------------------------------- */

/* As the kernel's: the number is cut to the type of the field. */
#define COMPARE(type, value, number)                                                           \
	{                                                                                      \
		(type)(value) == (type)(number), (type)(value) != (type)(number),              \
			(type)(value)<(type)(number), (type)(value) <= (type)(number),         \
				      (type)(value)>(type)(number),                            \
			(type)(value) >= (type)(number), ((type)(value) & (type)(number)) != 0 \
	}

static void try_number(int64_t value, int64_t number)
{
	static const char *const ops[] = {"==", "!=", "<", "<=", ">", ">=", "&"};
	struct record r = {.u8 = (uint8_t)value,
			   .s8 = (int8_t)value,
			   .u16 = (uint16_t)value,
			   .s16 = (int16_t)value,
			   .u32 = (uint32_t)value,
			   .s32 = (int32_t)value,
			   .u64 = (uint64_t)value,
			   .s64 = value};
	bool want[8][7] = {COMPARE(uint8_t, value, number),  COMPARE(int8_t, value, number),
			   COMPARE(uint16_t, value, number), COMPARE(int16_t, value, number),
			   COMPARE(uint32_t, value, number), COMPARE(int32_t, value, number),
			   COMPARE(uint64_t, value, number), COMPARE(int64_t, value, number)};
	char text[100];

	for (int i = 0; i < 8; i++)
		for (int k = 0; k < 7; k++) {
			if (i % 2)
				snprintf(text, sizeof(text), "%s %s %lld", fields[i].name, ops[k],
					 (long long)number);
			else
				snprintf(text, sizeof(text), "%s%s0x%llx", fields[i].name, ops[k],
					 (unsigned long long)number);
			if (passes(text, &r) != want[i][k])
				fail_msg("%s of %lld", text, (long long)value);
		}
}

static void numbers(void **state)
{
	static const int64_t list[] = {0,
				       1,
				       -1,
				       2,
				       127,
				       128,
				       255,
				       256,
				       -128,
				       32768,
				       65535,
				       2147483647,
				       -2147483648ll,
				       4294967295ll,
				       4294967296ll,
				       INT64_MIN,
				       INT64_MAX,
				       0x123456789abcdef};

	for (size_t i = 0; i < sizeof(list) / sizeof(*list); i++)
		for (size_t k = 0; k < sizeof(list) / sizeof(*list); k++)
			try_number(list[i], list[k]);
}

static void logic(void **state)
{
	struct record r = {.u32 = 5, .s32 = -7, .u8 = 1};
	static const struct {
		const char *text;
		int want;
	} rows[] = {
		{"u32 == 5 && s32 == -7", 1},
		{"u32 == 4 && s32 == -7", 0},
		{"u32 == 4 || s32 == -7", 1},
		{"u32 == 5 || u32 == 6 && u8 == 0", 1},
		{"(u32 == 5 || u32 == 6) && u8 == 0", 0},
		{"!u32 == 5", 0},
		{"!u32 == 5 || u8 == 1", 1},
		{"!(u32 == 5 && u8 == 1)", 0},
		{"!(u32 == 5 && u8 == 2)", 1},
		{"! !(u32 == 5 || u8 == 2)", 1},
		{"!(u32 == 4 || !(u8 == 1 && s32 < 0))", 1},
		{"!(u32 == 4 || u8 & 1)", 0},
		{" u32==5&&(s32>=-7)&&!(u8!=1) ", 1},
		{"CPU == 3", 1},
		{"CPU < 3 || CPU & 3", 0},
		{"!CPU & 3", 1},
		{"u32 == 05 && u32 == 0x5", 1},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (passes(rows[i].text, &r) != rows[i].want)
			fail_msg("%s", rows[i].text);
}

static void texts(void **state)
{
	struct record r = {.text = "second", .far = "a text that is elsewhere"}, nowhere = r;
	static const struct {
		const char *text;
		int want, without;
	} rows[] = {
		{"text == \"second\"", 1, 1},
		{"text == 'second'", 1, 1},
		{"text == \"secon\"", 0, 0},
		{"text == \"seconds\"", 0, 0},
		{"text != \"seconds\"", 1, 1},
		{"text == \"\"", 0, 0},
		{"text ~ \"sec*\"", 1, 1},
		{"text ~ \"!sec*\"", 0, 0},
		{"text ~ \"*\"", 1, 1},
		{"text ~ \"*ond\"", 0, 0}, /* its array ends elsewhere */
		{"text ~ \"a text that is longer than it*\"", 0, 0},
		{"comm == \"first\" && text ~ \"second\"", 1, 1},
		{"comm ~ \"f*\"", 1, 1},
		{"far == \"a text that is elsewhere\"", 1, 0},
		{"far ~ \"a text*\"", 1, 0},
		{"far ~ \"*\"", 1, 0},
		{"far != \"a\"", 1, 0}, /* nothing is true of what cannot be read */
		{"!far == \"a\"", 1, 1},
		{"read == \"a text that is elsewhere\"", 1, 0},
		{"read == \"\"", 0, 0},
		{"read == \"(fault)\"", 0, 0},
		{"read ~ \"a text*\"", 1, 0},
		{"read ~ \"!a text*\"", 0, 1},
		{"read ~ \"*\"", 1, 0},
		{"read != \"a\"", 1, 1}, /* of a probe's, != is */
		{"read != \"\"", 1, 1},
		{"!read == \"\"", 1, 1},
		{"!read != \"\"", 0, 0},
		{"!read ~ \"*\"", 0, 1},
		{"read == \"\" || read != \"\"", 1, 1},
		{"!(read == \"\" || read ~ \"a*\")", 0, 1},
	};

	nowhere.far = NULL;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (passes(rows[i].text, &r) != rows[i].want ||
		    passes(rows[i].text, &nowhere) != rows[i].without)
			fail_msg("%s", rows[i].text);
	memcpy(r.text, "fifteen_letters", 16);
	assert_int_equal(passes("text ~ \"*letters\"", &r), 1);
	assert_int_equal(passes("text == \"fifteen_letters\"", &r), 1);
	assert_int_equal(passes("text ~ \"fifteen_letters*\"", &r), 1);
	assert_int_equal(passes("text == \"fifteen_lettersx\"", &r), 0);
}

static void unreadable_patterns(void)
{
	static const struct {
		const char *text;
		int want;
	} rows[] = {{"read ~ \"*x*\"", 0},  {"read ~ \"**\"", 0}, {"read ~ \"!?*\"", 1},
		    {"!read ~ \"*x*\"", 1}, {"far ~ \"**\"", 0},  {"far ~ \"!?*\"", 0},
		    {"!read ~ \"!?*\"", 0}};
	struct record r = {0};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		for (int k = 0; k < 2; k++)
			if (passes_if(rows[i].text, &r, k) != rows[i].want)
				fail_msg("%s%s", rows[i].text, k ? ", waiting" : "");
}

static void patterns(void **state)
{
	char longest[1000];
	struct record r = {.text = "second", .far = longest};
	static const struct {
		const char *pattern;
		int want;
	} rows[] = {{"*eco*", 1},    {"*ecn*", 0},    {"s*d", 1},     {"s*c", 0},
		    {"s?cond", 1},   {"s?ond", 0},    {"?*", 1},      {"[q-t]econd", 1},
		    {"[!s]*", 0},    {"[!a-c]*d", 1}, {"s**d", 1},    {"**", 1},
		    {"se\\cond", 1}, {"*[]c]ond", 1}, {"second?", 0}, {"second\\", 1},
		    {"*d*d", 0},     {"s*c*n*", 1},   {"!s*d", 0},    {"[econd", 0},
		    {"*o[m-o]?", 1}};
	char text[100];

	if (!bpf_is_there())
		skip();
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		snprintf(text, sizeof(text), "text ~ \"%s\"", rows[i].pattern);
		if (passes(text, &r) != rows[i].want)
			fail_msg("%s", text);
	}
	for (size_t n = 0; n < sizeof(longest) - 3; n += n < 20 || (n > 230 && n < 250) ? 1 : 23) {
		memset(longest, 'x', n);
		longest[n] = 0;
		assert_int_equal(passes("far ~ \"*x\"", &r), n > 0);
		assert_int_equal(passes("far ~ \"*y*\"", &r), 0);
		assert_int_equal(passes("far ~ \"x*?xx*\"", &r), n > 3);
		snprintf(longest + n, sizeof(longest) - n, "yz");
		assert_int_equal(passes("far ~ \"*yz\"", &r), 1);
		assert_int_equal(passes("far ~ \"*y*\"", &r), 1);
		assert_int_equal(passes("far ~ \"*y\"", &r), 0);
	}
	unreadable_patterns();
}

static void what_is_refused(void **state)
{
	static const char *const list[] = {"",
					   "u32",
					   "u32 ==",
					   "u32 == x",
					   "u32 = 1",
					   "u32 == 1 &&",
					   "u32 == 1 u8 == 1",
					   "(u32 == 1",
					   "u32 == 1)",
					   "u32 == -1",
					   "u32 == 1x",
					   "u32 ~ 1",
					   "u32 == \"a\"",
					   "u64 == 18446744073709551616",
					   "s64 == 9223372036854775808",
					   "text == 1",
					   "text < \"a\"",
					   "text == \"a",
					   "none == 1",
					   "u32 && u8",
					   "u32 == 0x",
					   "&& u32 == 1",
					   "u32.function == 1",
					   "CPU & CPUS{1}"};
	struct record r = {0};

	for (size_t i = 0; i < sizeof(list) / sizeof(*list); i++)
		if (passes(list[i], &r) != -1)
			fail_msg("%s", list[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers),	   cmocka_unit_test(logic),
		cmocka_unit_test(texts),	   cmocka_unit_test(patterns),
		cmocka_unit_test(what_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

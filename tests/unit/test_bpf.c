// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_bpf.c - bytecode byte by byte, jumps, and where a probe's arguments come from. Nothing is loaded.
 *
 * covers: Q26
 */
#include "capture/bpf/bpf.h"
#include "capture/bpf/rows.h"
#include "capture/bpf/source.h"
#include "symbols/arch.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static struct bpfcode *new_code(void)
{
	struct bpfcode *c = malloc(sizeof(*c));

	assert_non_null(c);
	bpfcode_init(c);
	return c;
}

static void assert_insn(const struct bpf_insn *i, int code, int dst, int src, int off, int imm)
{
	assert_int_equal(i->code, code);
	assert_int_equal(i->dst_reg, dst);
	assert_int_equal(i->src_reg, src);
	assert_int_equal(i->off, off);
	assert_int_equal(i->imm, imm);
}

/* The numbers are those of the kernel's documentation of the instruction set. */
static void instructions(void **state)
{
	struct bpfcode *c = new_code();

	bpfcode_move(c, 6, 1);
	bpfcode_set(c, 0, -1);
	bpfcode_alu(c, BPF_ADD, 1, 2);
	bpfcode_alu_number(c, BPF_ARSH, 7, 32);
	bpfcode_load(c, BPF_W, 7, 6, 24);
	bpfcode_store(c, BPF_DW, 10, -24, 7);
	bpfcode_store_number(c, BPF_B, 10, -8, 5);
	bpfcode_add_to(c, 0, 0, 1);
	bpfcode_call(c, BPF_FUNC_map_lookup_elem);
	bpfcode_set_wide(c, 3, 0x1122334455667788);
	bpfcode_set_map(c, 1, 9);
	bpfcode_exit(c);
	assert_int_equal(bpfcode_finish(c), 0);
	assert_int_equal(c->n, 14);
	assert_insn(&c->insns[0], 0xbf, 6, 1, 0, 0);
	assert_insn(&c->insns[1], 0xb7, 0, 0, 0, -1);
	assert_insn(&c->insns[2], 0x0f, 1, 2, 0, 0);
	assert_insn(&c->insns[3], 0xc7, 7, 0, 0, 32);
	assert_insn(&c->insns[4], 0x61, 7, 6, 24, 0);
	assert_insn(&c->insns[5], 0x7b, 10, 7, -24, 0);
	assert_insn(&c->insns[6], 0x72, 10, 0, -8, 5);
	assert_insn(&c->insns[7], 0xdb, 0, 1, 0, 0);
	assert_insn(&c->insns[8], 0x85, 0, 0, 0, 1);
	assert_insn(&c->insns[9], 0x18, 3, 0, 0, 0x55667788);
	assert_insn(&c->insns[10], 0, 0, 0, 0, 0x11223344);
	assert_insn(&c->insns[11], 0x18, 1, 1, 0, 9);
	assert_insn(&c->insns[12], 0, 0, 0, 0, 0);
	assert_insn(&c->insns[13], 0x95, 0, 0, 0, 0);
	free(c);
}

static void jumps(void **state)
{
	struct bpfcode *c = new_code();
	unsigned out = bpfcode_label(c), next = bpfcode_label(c);

	bpfcode_jump_if(c, BPF_JEQ, 1, 42, out);
	bpfcode_jump(c, next);
	bpfcode_place(c, next);
	bpfcode_jump_if_reg(c, BPF_JGE, 2, 3, out);
	bpfcode_set(c, 0, 1);
	bpfcode_place(c, out);
	bpfcode_exit(c);
	assert_int_equal(bpfcode_finish(c), 0);
	assert_insn(&c->insns[0], 0x15, 1, 0, 3, 42);
	assert_insn(&c->insns[1], 0x05, 0, 0, 0, 0);
	assert_insn(&c->insns[2], 0x3d, 2, 3, 1, 0);

	/* nowhere, back, behind the end */
	bpfcode_init(c);
	bpfcode_jump(c, bpfcode_label(c));
	bpfcode_exit(c);
	assert_int_equal(bpfcode_finish(c), -EINVAL);
	bpfcode_init(c);
	out = bpfcode_label(c);
	bpfcode_place(c, out);
	bpfcode_jump(c, out);
	bpfcode_exit(c);
	assert_int_equal(bpfcode_finish(c), -EINVAL);
	bpfcode_init(c);
	out = bpfcode_label(c);
	bpfcode_jump(c, out);
	bpfcode_place(c, out);
	assert_int_equal(bpfcode_finish(c), -EINVAL);
	free(c);
}

static void too_much(void **state)
{
	struct bpfcode *c = new_code();

	for (int i = 0; i <= BPFCODE_MAX_INSNS; i++)
		bpfcode_set(c, 0, i);
	assert_int_equal(bpfcode_finish(c), -E2BIG);
	bpfcode_init(c);
	for (int i = 0; i <= BPFCODE_MAX_LABELS; i++)
		bpfcode_label(c);
	assert_int_equal(bpfcode_finish(c), -E2BIG);
	bpfcode_init(c);
	bpfcode_label(c);
	for (int i = 0; i <= BPFCODE_MAX_JUMPS; i++)
		bpfcode_jump(c, 0);
	assert_int_equal(bpfcode_finish(c), -E2BIG);
	bpfcode_init(c);
	bpfcode_load(c, BPF_DW, 1, 6, 40000);
	assert_int_equal(bpfcode_finish(c), -E2BIG);
	free(c);
}

static const struct bpffield u64_field = {.name = "a", .offset = 16, .n_bytes = 8};
static const struct bpffield s32_field = {
	.name = "a", .offset = 16, .n_bytes = 4, .is_signed = true};
static const struct bpffield text_field = {
	.name = "a", .offset = 16, .n_bytes = 4, .is_text = true, .is_dynamic = true};

static bool of_probe(const char *line, enum probe_kind kind, const struct bpffield *f,
		     struct bpfsource *s)
{
	struct probe_defined p = {.kind = kind, .line = (char *)line};

	return bpfsource_of_probe(&p, f, s);
}

static void registers_and_memory(void **state)
{
	struct bpfsource s;

	if (strcmp(arch_of_this_kernel()->name, "x86_64"))
		skip();
	assert_true(of_probe("p:g/e f+0 b=%si a=%dx:u64", PROBE_KPROBE, &u64_field, &s));
	assert_int_equal(s.kind, BPFSOURCE_CONTEXT);
	assert_int_equal(s.start, 96);
	assert_int_equal(s.n_steps, 0);
	assert_int_equal(bpfsource_bytes(&s), 8);
	assert_true(of_probe("r:g/e f a=$retval:s32", PROBE_KRETPROBE, &s32_field, &s));
	assert_int_equal(s.start, 80);
	assert_true(s.is_signed && s.n_bytes == 4);
	assert_true(of_probe("p:g/e f a=$arg2", PROBE_KPROBE, &u64_field, &s));
	assert_int_equal(s.start, 104);
	assert_true(of_probe("p:g/e f a=+0(-8(+u72(%di))):string", PROBE_KPROBE, &text_field, &s));
	assert_int_equal(s.start, 112);
	assert_int_equal(s.n_steps, 3);
	assert_int_equal(s.steps[0].offset, 72);
	assert_int_equal(s.steps[0].memory, BPFMEMORY_USER);
	assert_int_equal(s.steps[1].offset, -8);
	assert_int_equal(s.steps[1].memory, BPFMEMORY_ANY);
	/* with what shows that it was cut */
	assert_int_equal(bpfsource_bytes(&s), BPFPROGRAM_TEXT_MAX_BYTES + 8);
	assert_true(of_probe("p:g/e f a=+0(%di):ustring", PROBE_KPROBE, &text_field, &s));
	assert_int_equal(s.steps[0].memory, BPFMEMORY_USER);
	assert_true(of_probe("p:g/e /bin/x:0x10 a=+4($stack2):s32", PROBE_UPROBE, &s32_field, &s));
	assert_int_equal(s.start, 152);
	assert_int_equal(s.steps[0].offset, 16);
	/* … that it could not be read */
	assert_int_equal(bpfsource_bytes(&s), 16);
	assert_int_equal(s.steps[1].memory, BPFMEMORY_USER);
	assert_true(of_probe("p:g/e f a=$comm:string", PROBE_KPROBE, &text_field, &s));
	assert_int_equal(s.kind, BPFSOURCE_COMM);
	assert_true(of_probe("p:g/e f a=+8(%di):b3@2/32", PROBE_KPROBE, &s32_field, &s));
	assert_true(s.n_bits == 3 && s.shift == 2 && !s.is_signed);
	/* a pointer at code: its bytes */
	assert_true(of_probe("p:g/e f a=+8(%di):symbol", PROBE_KPROBE, &u64_field, &s));
	assert_true(s.n_bytes == 8 && s.n_steps == 1);
	assert_false(of_probe("p:g/e f a=%di:symbol", PROBE_KPROBE, &s32_field, &s));
	assert_true(of_probe("p:g/e f a=\\42:u64", PROBE_KPROBE, &u64_field, &s));
	assert_true(s.kind == BPFSOURCE_NUMBER && s.number == 42);
}

static void what_is_left_to_others(void **state)
{
	static const char *const lines[] = {
		"p:g/e f",
		"p:g/e f b=%di:u64",
		"p:g/e f a=",
		"p:g/e f a=%nothing:u64",
		"p:g/e f a=@jiffies:u64",
		"p:g/e f a=+8(%di:u64",
		"p:g/e f a=+8x(%di):u64",
		"p:g/e f a=+8():u64",
		"p:g/e f a=+(%di):u64",
		"p:g/e f a=+8($comm):u64",
		"p:g/e f a=%di:u64[4]",
		"p:g/e f a=%di:symstr",
		"p:g/e f a=%di:x32",
		"p:g/e f a=$retval:u64",
		"p:g/e f a=$arg0:u64",
		"p:g/e f a=$arg99:u64",
		"p:g/e f a=$argx:u64",
		"p:g/e f a=\\\"text\":u64",
		"p:g/e f a=%di:b65@0/64",
		"p:g/e f a=%di:b3@2/32",
		"p:g/e f a=+99999999999(%di):u64",
	};
	char deep[1024] = "p:g/e f a=";
	size_t len = strlen(deep);
	struct bpfsource s;

	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++)
		assert_false(of_probe(lines[i], PROBE_KPROBE, &u64_field, &s));
	for (int i = 0; i < 40; i++)
		len += snprintf(deep + len, sizeof(deep) - len, "+0(");
	len += snprintf(deep + len, sizeof(deep) - len, "%%di");
	for (int i = 0; i < 40; i++)
		len += snprintf(deep + len, sizeof(deep) - len, ")");
	assert_false(of_probe(deep, PROBE_KPROBE, &u64_field, &s));
	assert_false(of_probe("p:g/e f a=%di:string", PROBE_KPROBE, &text_field, &s));
	assert_false(of_probe("r:g/e f a=$arg1:u64", PROBE_KRETPROBE, &u64_field, &s));
	assert_false(of_probe("e:g/e s.e a=$pid:u64", PROBE_EPROBE, &u64_field, &s));
	assert_false(of_probe("f:g/e f a=$arg1:u64", PROBE_FPROBE, &u64_field, &s));
}

static void arguments_of_functions(void **state)
{
	struct bpffunction at = {.number = 1, .n_args = 3, .n_bytes = {8, 4, 8}};
	struct probe_defined p = {.kind = PROBE_KPROBE};
	struct bpfsource s;

	if (strcmp(arch_of_this_kernel()->name, "x86_64"))
		skip();
	p.line = (char *)"p:g/e f a=%dx:u64";
	assert_true(bpfsource_of_function(&at, &p, &u64_field, &s));
	assert_int_equal(s.start, 16);
	/* the upper half of an int is nobody's */
	p.line = (char *)"p:g/e f a=%si:u64";
	assert_false(bpfsource_of_function(&at, &p, &u64_field, &s));
	p.line = (char *)"p:g/e f a=%si:s32";
	assert_true(bpfsource_of_function(&at, &p, &s32_field, &s));
	assert_int_equal(s.start, 8);
	/* no argument */
	p.line = (char *)"p:g/e f a=%cx:u64";
	assert_false(bpfsource_of_function(&at, &p, &u64_field, &s));
	p.line = (char *)"p:g/e f a=$stack1:u64";
	assert_false(bpfsource_of_function(&at, &p, &u64_field, &s));
	at.is_return = true;
	p.line = (char *)"r:g/e f a=$retval:u64";
	assert_true(bpfsource_of_function(&at, &p, &u64_field, &s));
	assert_int_equal(s.start, 24);
	p.line = (char *)"r:g/e f a=$arg1:u64";
	assert_true(bpfsource_of_function(&at, &p, &u64_field, &s));
	assert_int_equal(s.start, 0);
	p.line = (char *)"r:g/e f a=%di:u64"; /* changed by the function */
	assert_false(bpfsource_of_function(&at, &p, &u64_field, &s));
}

static void fields_of_records(void **state)
{
	struct bpffield odd = {.name = "a", .offset = 18, .n_bytes = 4};
	struct bpffield common = {.name = "common_pid", .offset = 4, .n_bytes = 4};
	struct bpfsource s;

	assert_true(bpfsource_of_record("sched", &u64_field, &s));
	assert_int_equal(s.start, 16);
	assert_false(bpfsource_of_record("sched", &odd, &s));
	assert_false(bpfsource_of_record("sched", &common, &s));
	assert_true(bpfsource_of_record("sched", &text_field, &s));
	assert_int_equal(s.kind, BPFSOURCE_DYNAMIC);
	assert_int_equal(s.n_steps, 1);
	assert_false(bpfsource_of_record("syscalls", &text_field, &s));
}

static void arguments_of_calls(void **state)
{
	struct bpffield f = {.name = "count", .offset = 32, .n_bytes = 8};
	struct bpffield nr = {.name = "__syscall_nr", .offset = 8, .n_bytes = 4};
	struct bpffield ret = {.name = "ret", .offset = 16, .n_bytes = 8, .is_signed = true};
	struct bpfsource s;

	assert_true(bpfsource_of_call("sys_enter", &f, &s)); /* the third one: dx */
	assert_int_equal(s.start, 0);
	assert_int_equal(s.steps[0].offset, 96);
	assert_true(bpfsource_of_call("sys_enter", &nr, &s));
	assert_int_equal(s.steps[0].offset, 120);
	assert_int_equal(s.n_bytes, 4);
	assert_true(bpfsource_of_call("sys_exit", &ret, &s));
	assert_true(s.start == 8 && !s.n_steps);
	assert_false(bpfsource_of_call("sys_exit", &f, &s));
	f.offset = 64; /* a seventh */
	assert_false(bpfsource_of_call("sys_enter", &f, &s));
	f.offset = 8;
	assert_false(bpfsource_of_call("sys_enter", &f, &s));
	assert_false(bpfsource_of_call("sys_enter", &text_field, &s));
}

static unsigned n_calls(const struct bpfcode *c, int helper)
{
	unsigned n = 0;

	for (size_t i = 0; i < c->n; i++)
		n += c->insns[i].code == (BPF_JMP | BPF_CALL) && c->insns[i].imm == helper;
	return n;
}

/* All that is asked of the kernel before the hash is which CPU it is, and who must not use the near rows does not. */
static void rows(void **state)
{
	for (int with_near = 0; with_near < 2; with_near++) {
		struct bpfcode *c = new_code();
		unsigned none = bpfcode_label(c);
		struct bpfrows r;

		bpfrows_init(&r);
		r.config.n_key_bytes = 16;
		r.config.n_value_bytes = 8;
		r.far.fd = 4;
		r.near_log = 10;
		r.near.fd = with_near ? 3 : -1;
		bpfrows_find(c, &r, -40, -24, none);
		bpfcode_place(c, none);
		bpfcode_exit(c);
		assert_int_equal(bpfcode_finish(c), 0);
		assert_int_equal(n_calls(c, BPF_FUNC_get_smp_processor_id), with_near);
		assert_int_equal(n_calls(c, BPF_FUNC_map_lookup_elem), 2 + with_near);
		assert_int_equal(n_calls(c, BPF_FUNC_map_update_elem), 1);
		free(c);
	}
}

/* What one program's probe finds another task may be in the middle of; a kernel's probe is alone on its CPU. */
static void alone(void **state)
{
	struct bpfprogram_config config = {.hook = BPFHOOK_PROBE};

	assert_true(bpfprogram_runs_alone(&config));
	config.is_of_program = true;
	assert_false(bpfprogram_runs_alone(&config));
}

static void cpus(void **state)
{
	assert_true(bpf_n_cpus() >= 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(instructions),
		cmocka_unit_test(jumps),
		cmocka_unit_test(too_much),
		cmocka_unit_test(registers_and_memory),
		cmocka_unit_test(what_is_left_to_others),
		cmocka_unit_test(arguments_of_functions),
		cmocka_unit_test(fields_of_records),
		cmocka_unit_test(arguments_of_calls),
		cmocka_unit_test(rows),
		cmocka_unit_test(alone),
		cmocka_unit_test(cpus),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

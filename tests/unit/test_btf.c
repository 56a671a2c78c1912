// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_btf.c - a kernel and a module made up in BTF: types, names, members, bit fields, and where the
 * parameters are on each processor.
 */
#include "base/errmsg.h"
#include "base/textbuf.h"
#include "symbols/arch.h"
#include "symbols/btf/btf.h"
#include "../lib/btfmaker.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* What the tests are about, by number. */
static struct {
	struct maker kernel, module;
	uint32_t i32, u64, chr, file, function, box, pair, big;
	struct btf *btf, *mod;
} w;

static void make_basics(struct maker *m)
{
	text(m, "");
	w.i32 = type(m, "int", INT, 0, 4);
	word(m, 1 << 24 | 32);
	w.u64 = type(m, "long unsigned int", INT, 0, 8);
	word(m, 64);
	w.chr = type(m, "char", INT, 0, 1);
	word(m, 1 << 24 | 8);
}

/* struct file { int a; union { u64 x; char name[8]; }; unsigned lo:3, hi:5; const char __user *text; } */
static void make_file(struct maker *m)
{
	uint32_t array = type(m, NULL, ARRAY, 0, 0), anonymous, c, tag, user;

	word(m, w.chr);
	word(m, w.i32);
	word(m, 8);
	anonymous = type(m, NULL, UNION, 2, 8);
	part(m, "x", w.u64, 0);
	part(m, "name", array, 0);
	c = type(m, NULL, CONST, 0, w.chr);
	tag = type(m, "user", TYPE_TAG, 0, c);
	user = type(m, NULL, PTR, 0, tag);
	w.file = type(m, "file", STRUCT | FLAG, 5, 32);
	part(m, "a", w.i32, 0);
	part(m, NULL, anonymous, 64);
	part(m, "lo", w.i32, 3 << 24 | 128);
	part(m, "hi", w.i32, 5 << 24 | 131);
	part(m, "text", user, 192);
}

static void make_structs(struct maker *m)
{
	w.pair = type(m, "pair", STRUCT, 2, 16);
	part(m, "first", w.u64, 0);
	part(m, "second", w.u64, 64);
	w.big = type(m, "big", STRUCT, 1, 24);
	part(m, "one", w.u64, 0);
}

static void make_function(struct maker *m, const char *name, uint32_t result, unsigned n,
			  const uint32_t *types)
{
	static const char *const names[] = {"a", "b", "c", "d", "e", "f", "g", "h"};
	uint32_t proto = type(m, NULL, PROTO, n, result);

	for (unsigned i = 0; i < n; i++)
		parameter(m, types[i] ? names[i] : NULL, types[i]);
	type(m, name, FUNC, 0, proto);
}

static void make_enums(struct maker *m)
{
	uint32_t e = type(m, "state", ENUM | FLAG, 2, 4);

	parameter(m, "ON", 1);
	parameter(m, "BROKEN", (uint32_t)-1);
	type(m, "state_t", TYPEDEF, 0, e);
	type(m, "huge", ENUM64, 1, 8);
	part(m, "TOP", 5, 1);
}

static void make_variables(struct maker *m)
{
	uint32_t first = type(m, "first_of_cpu", VAR, 0, w.i32), second;

	word(m, 1);
	second = type(m, "second_of_cpu", VAR, 0, w.pair);
	word(m, 1);
	type(m, "elsewhere", VAR, 0, w.pair);
	word(m, 1);
	type(m, ".data..percpu", DATASEC, 2, 4096);
	word(m, first);
	word(m, 64);
	word(m, 4);
	word(m, second);
	word(m, 1024);
	word(m, 16);
}

static int make_world(void **state)
{
	struct errmsg err = {0};
	struct maker *m = &w.kernel;
	uint32_t pointer, forward;

	memset(&w, 0, sizeof(w));
	make_basics(m);
	make_file(m);
	make_structs(m);
	make_enums(m);
	make_variables(m);
	pointer = type(m, NULL, PTR, 0, w.file);
	forward = type(m, "pair", FWD, 0, 0);
	make_function(m, "plain", 0, 3, (uint32_t[]){pointer, w.i32, 0});
	make_function(m, "many", w.i32, 8,
		      (uint32_t[]){w.i32, w.i32, w.i32, w.i32, w.i32, w.pair, w.u64, w.u64});
	make_function(m, "large", w.big, 3, (uint32_t[]){w.i32, w.big, w.i32});
	make_function(m, "declared", 0, 1, (uint32_t[]){forward});
	assert_int_equal(btf_open_bytes(&w.btf, finish(m), NULL, &err), 0);

	w.module.first_string = m->n_strings;
	w.module.n_types = m->n_types;
	m = &w.module;
	text(m, "");
	w.box = type(m, "box", STRUCT, 1, 40);
	part(m, "inner", w.file, 64);
	pointer = type(m, NULL, PTR, 0, w.box);
	make_function(m, "mod_open", w.i32, 1, (uint32_t[]){pointer});
	assert_int_equal(btf_open_bytes(&w.mod, finish(m), w.btf, &err), 0);
	return 0;
}

static int drop_world(void **state)
{
	btf_close(w.mod);
	btf_close(w.btf);
	return 0;
}

static void assert_said(struct type t, const char *wanted)
{
	struct textbuf tb;

	textbuf_init(&tb, 1000);
	type_fmt(t, &tb);
	textbuf_add_char(&tb, 0);
	assert_string_equal(tb.start, wanted);
	textbuf_release(&tb);
}

static struct type parse(const struct btf *b, const char *s)
{
	struct type t;

	assert_int_equal(types_parse(btf_types(b), s, strlen(s), &t), 0);
	return t;
}

static void members_are_found_in_anonymous_ones(void **state)
{
	struct type file = parse(w.btf, "struct file");
	struct type_member m;
	struct type_facts f;

	assert_int_equal(type_find_member(file, "name", 4, &m), 0);
	assert_int_equal(m.bit_offset, 64);
	assert_said(m.type, "char[8]");
	assert_int_equal(type_find_member(file, "hi", 2, &m), 0);
	assert_int_equal(m.bit_offset, 131);
	assert_int_equal(m.n_bits, 5);
	assert_int_equal(type_find_member(file, "h", 1, &m), -ENOENT);
	assert_int_equal(type_find_member(file, "text", 4, &m), 0);
	assert_said(m.type, "const char*");
	type_get(m.type, &f);
	assert_true(f.is_user);
	type_get(f.target, &f);
	assert_true(f.is_char && f.is_signed);
}

static void casts_are_read_as_c_has_them(void **state)
{
	struct type t;

	assert_said(parse(w.btf, "struct file **"), "struct file**");
	assert_said(parse(w.btf, "unsigned long"), "long unsigned int");
	assert_said(parse(w.btf, "long unsigned"), "long unsigned int");
	assert_said(parse(w.btf, "const char *"), "char*");
	assert_said(parse(w.btf, "enum state"), "enum state");
	assert_said(parse(w.btf, "state_t"), "state_t");
	assert_said(parse(w.btf, "void *"), "void*");
	assert_int_equal(types_parse(btf_types(w.btf), "struct fil", 10, &t), -ENOENT);
	assert_int_equal(types_parse(btf_types(w.btf), "u64", 3, &t), -ENOENT);
	assert_int_equal(types_parse(btf_types(w.btf), "struct", 6, &t), -EINVAL);
	assert_int_equal(types_parse(btf_types(w.btf), "* int", 5, &t), -EINVAL);
	assert_int_equal(types_parse(btf_types(w.btf), "int int(", 8, &t), -EINVAL);
	assert_int_equal(types_parse(btf_types(w.btf), "", 0, &t), -EINVAL);
}

static void enums_have_their_sign_and_width(void **state)
{
	struct type_enumerator e;
	struct type_facts f;

	type_get(parse(w.btf, "state_t"), &f);
	assert_int_equal(f.kind, TYPE_ENUM);
	assert_string_equal(f.name, "state");
	assert_true(f.is_signed);
	assert_int_equal(type_enumerator(parse(w.btf, "state_t"), 1, &e), 0);
	assert_int_equal(e.value, -1);
	assert_int_equal(type_enumerator(parse(w.btf, "enum huge"), 0, &e), 0);
	assert_int_equal(e.value, 0x100000005);
	assert_int_equal(type_enumerator(parse(w.btf, "enum huge"), 1, &e), -ENOENT);
}

/* "di si stack+8 …" */
struct places {
	const struct arch *arch;
	char text[300];
};

static int add_place(void *ctx, const struct variable *v)
{
	struct places *p = ctx;
	char one[80];
	size_t len = strlen(p->text);

	if (v->place.kind == PLACE_REGISTER && v->place.is_pair)
		snprintf(one, sizeof(one), "%s=%s:%s ", v->name,
			 arch_register(p->arch, v->place.reg),
			 arch_register(p->arch, v->place.reg_high));
	else if (v->place.kind == PLACE_REGISTER || v->place.kind == PLACE_MEMORY)
		snprintf(one, sizeof(one), v->place.kind == PLACE_MEMORY ? "%s=(%s) " : "%s=%s ",
			 v->name, arch_register(p->arch, v->place.reg));
	else
		snprintf(one, sizeof(one), "%s=%d ", v->name, (int)v->place.offset);
	snprintf(p->text + len, sizeof(p->text) - len, "%s", one);
	return 0;
}

static void assert_places(const char *function, const char *arch, const char *wanted)
{
	struct places p = {arch_by_name(arch)};
	struct btf_scope s;
	struct type t;

	assert_int_equal(btf_find_function(w.btf, function, strlen(function), &t), 0);
	btf_scope_init(&s, w.btf, t, p.arch, false);
	assert_int_equal(s.scope.ops->each(&s.scope, true, add_place, &p), 0);
	assert_string_equal(p.text, wanted);
}

static void parameters_follow_the_calling_convention(void **state)
{
	assert_places("plain", "x86_64", "a=di b=si ");
	/* a pair that no longer fits goes to the stack, and what comes behind it still gets a register */
	assert_places("many", "x86_64", "a=di b=si c=dx d=cx e=r8 f=8 g=r9 h=24 ");
	assert_places("many", "aarch64", "a=x0 b=x1 c=x2 d=x3 e=x4 f=x5:x6 g=x7 h=0 ");
	assert_places("many", "riscv64", "a=a0 b=a1 c=a2 d=a3 e=a4 f=a5:a6 g=a7 h=0 ");
	assert_places("large", "x86_64", "a=si b=8 c=dx ");
	assert_places("large", "aarch64", "a=x0 b=(x1) c=x2 ");
	assert_places("large", "riscv64", "a=a1 b=(a2) c=a3 ");
	/* a struct that is declared is the one that is described elsewhere */
	assert_places("declared", "x86_64", "a=di:si ");
}

static void results_are_known_or_void(void **state)
{
	struct btf_scope s;
	struct variable v;
	struct type t;

	btf_find_function(w.btf, "plain", 5, &t);
	btf_scope_init(&s, w.btf, t, arch_by_name("x86_64"), true);
	assert_int_equal(s.scope.ops->result(&s.scope, &t), -ENOENT);
	assert_int_equal(s.scope.ops->find(&s.scope, "b", 1, &v), 0);
	assert_int_equal(s.scope.ops->find(&s.scope, "bb", 2, &v), -ENOENT);
	assert_int_equal(s.scope.ops->find(&s.scope, "", 0, &v), -ENOENT);
	btf_find_function(w.btf, "large", 5, &t);
	btf_scope_init(&s, w.btf, t, arch_by_name("x86_64"), true);
	assert_int_equal(s.scope.ops->result(&s.scope, &t), 0);
	assert_said(t, "struct big");
}

static void a_module_goes_on_where_the_kernel_ends(void **state)
{
	struct type_member m;
	struct type_facts f;
	struct type t;

	/* more often than names are searched for without a table */
	for (int i = 0; i < 8; i++) {
		assert_int_equal(btf_find_function(w.btf, "mod_open", 8, &t), -ENOENT);
		assert_int_equal(btf_find_function(w.mod, "mod_open", 8, &t), 0);
		assert_int_equal(btf_find_function(w.mod, "mod_ope", 7, &t), -ENOENT);
		assert_int_equal(type_member(t, 0, &m), 0);
		assert_said(m.type, "struct box*");
		type_get(m.type, &f);
		assert_int_equal(type_find_member(f.target, "inner", 5, &m), 0);
		assert_int_equal(type_find_member(m.type, "x", 1, &m), 0);
		assert_int_equal(m.bit_offset, 64);
		assert_int_equal(btf_find_function(w.mod, "plain", 5, &t), 0);
		assert_said(parse(w.mod, "struct pair"), "struct pair");
	}
}

/* Every cut, and every byte changed: refused or read, never more. (The fuzzer does the rest.) */
static void variables_are_found_in_their_section(void **state)
{
	struct type_facts f;
	uint32_t offset = 0;
	struct type t;

	assert_int_equal(btf_find_variable(w.btf, ".data..percpu", "first_of_cpu", &t, &offset), 0);
	assert_int_equal(offset, 64);
	assert_int_equal(btf_find_variable(w.mod, ".data..percpu", "second_of_cpu", &t, &offset),
			 0);
	assert_int_equal(offset, 1024);
	type_get(t, &f);
	assert_string_equal(f.name, "pair");
	assert_int_equal(btf_find_variable(w.btf, ".data..percpu", "elsewhere", &t, &offset),
			 -ENOENT);
	assert_int_equal(btf_find_variable(w.btf, ".data..percpu", "none", &t, &offset), -ENOENT);
	assert_int_equal(btf_find_variable(w.btf, ".data", "first_of_cpu", &t, &offset), -ENOENT);
}

static void hostile_bytes_are_refused(void **state)
{
	struct piece all = finish(&w.kernel);
	uint8_t *copy = malloc(all.len);
	struct errmsg err = {0};
	uint32_t offset;
	struct type t;
	struct btf *b;

	for (size_t len = 0; len < all.len; len++) {
		memcpy(copy, all.data, len);
		assert_int_equal(btf_open_bytes(&b, (struct piece){copy, len}, NULL, &err),
				 -EINVAL);
	}
	for (size_t at = 0; at < all.len; at++) {
		memcpy(copy, all.data, all.len);
		copy[at] ^= 0xff;
		if (btf_open_bytes(&b, (struct piece){copy, all.len}, NULL, &err) < 0)
			continue;
		btf_find_function(b, "many", 4, &t);
		btf_find_variable(b, ".data..percpu", "second_of_cpu", &t, &offset);
		btf_close(b);
	}
	free(copy);
	assert_non_null(strstr(err.text, "BTF"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(members_are_found_in_anonymous_ones),
		cmocka_unit_test(casts_are_read_as_c_has_them),
		cmocka_unit_test(enums_have_their_sign_and_width),
		cmocka_unit_test(parameters_follow_the_calling_convention),
		cmocka_unit_test(results_are_known_or_void),
		cmocka_unit_test(a_module_goes_on_where_the_kernel_ends),
		cmocka_unit_test(variables_are_found_in_their_section),
		cmocka_unit_test(hostile_bytes_are_refused),
	};

	return cmocka_run_group_tests(tests, make_world, drop_world);
}

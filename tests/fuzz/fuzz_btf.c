// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fuzz_btf.c - any bytes as the kernel's BTF, and as that of a module on top of it: all its functions and
 * types are asked everything.
 *
 *	input:  u16 length of the kernel's part, that part, the module's part; each in a copy that ends
 *	        where it does
 */
#include "base/errmsg.h"
#include "base/textbuf.h"
#include "symbols/arch.h"
#include "symbols/btf/btf_int.h"

#include <stdlib.h>

#define MAX_ASKED 2000

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t n);

static int visit_member(void *ctx, const struct type_member *m)
{
	*(size_t *)ctx += strlen(m->name) + m->n_bits;
	return 0;
}

static void ask_type(struct type t, struct textbuf *tb)
{
	struct type_enumerator e;
	struct type_member m;
	struct type_facts f;
	size_t sum = 0;

	textbuf_clear(tb);
	type_get(t, &f);
	type_fmt(t, tb);
	type_fmt(type_pointer_to(t), tb);
	type_each_member(t, visit_member, &sum);
	type_find_member(t, "vfs_read", 8, &m);
	for (unsigned i = 0; i < f.n_members && i < 100; i++) {
		type_member(t, i, &m);
		type_enumerator(t, i, &e);
	}
	if (*f.name)
		types_parse(t.world, f.name, strlen(f.name), &t);
}

static int visit_variable(void *ctx, const struct variable *v)
{
	if (v->place.kind == PLACE_REGISTER && !arch_register(ctx, v->place.reg))
		abort();
	return 0;
}

struct asking {
	const struct btf *btf;
	unsigned n;
};

static int ask_function(void *ctx, const char *name, struct type prototype)
{
	struct asking *a = ctx;
	const char *const archs[] = {"x86_64", "aarch64", "riscv64"};
	const struct arch *arch = arch_by_name(archs[a->n % 3]);
	struct btf_scope s;
	struct variable v;
	struct type t;

	btf_scope_init(&s, a->btf, prototype, arch, a->n & 1);
	s.scope.ops->each(&s.scope, true, visit_variable, (void *)arch);
	s.scope.ops->find(&s.scope, name, strlen(name), &v);
	s.scope.ops->result(&s.scope, &t);
	if (*name && strlen(name) < 500 && btf_find_function(a->btf, name, strlen(name), &t) < 0)
		abort();
	return ++a->n < MAX_ASKED ? 0 : -1;
}

static void ask(const struct btf *b, struct textbuf *tb)
{
	struct asking a = {b};

	btf_each_function(b, ask_function, &a);
	for (uint32_t id = 0; id <= b->end_id && id < MAX_ASKED; id++)
		ask_type((struct type){btf_types(b), id}, tb);
}

static uint8_t *copy(const uint8_t *from, size_t n)
{
	uint8_t *to = malloc(n + !n);

	memcpy(to, from, n);
	return to;
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t n)
{
	size_t len = n < 2 ? 0 : bytes_get16(input, false), left = n < 2 ? 0 : n - 2;
	struct errmsg err = {0};
	struct btf *kernel, *module;
	struct textbuf tb;
	uint8_t *first, *second;

	len = len < left ? len : left;
	first = copy(input + (n < 2 ? 0 : 2), len);
	second = copy(input + n - (left - len), left - len);
	textbuf_init(&tb, 1 << 16);
	if (btf_open_bytes(&kernel, (struct piece){first, len}, NULL, &err) >= 0) {
		ask(kernel, &tb);
		if (btf_open_bytes(&module, (struct piece){second, left - len}, kernel, &err) >=
		    0) {
			ask(module, &tb);
			btf_close(module);
		}
		btf_close(kernel);
	}
	textbuf_release(&tb);
	free(first);
	free(second);
	return 0;
}

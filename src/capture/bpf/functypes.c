// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * functypes.c - writes the types that the verifier needs to check a function separately.
 *
 *	1       u64
 *	2, 3    the program:        u64 (u64 a), "f0"
 *	4, 5    the first function: u64 (u64 a, …), "f1"
 *	…
 *
 * Format: a header, the types, the names. A "global" function is verified once, for any arguments.
 */
#include "capture/bpf/functypes.h"

#include <linux/btf.h>
#include <string.h>

#define TYPE_U64   1
#define NAME_U64   1
#define NAME_ARG   5
#define NAME_FIRST 7
#define NAME_BYTES 3

struct writing {
	uint8_t *out;
	size_t n;
};

static void put(struct writing *w, uint32_t value)
{
	if (w->n + sizeof(value) > FUNCTYPES_MAX_BYTES)
		return;
	memcpy(w->out + w->n, &value, sizeof(value));
	w->n += sizeof(value);
}

static void put_type(struct writing *w, uint32_t name, uint32_t kind, uint32_t n, uint32_t last)
{
	put(w, name);
	put(w, kind << 24 | n);
	put(w, last);
}

static void put_function(struct writing *w, uint32_t number, uint32_t n_args, bool is_alone)
{
	put_type(w, 0, BTF_KIND_FUNC_PROTO, n_args, TYPE_U64);
	for (uint32_t i = 0; i < n_args; i++) {
		put(w, NAME_ARG);
		put(w, TYPE_U64);
	}
	put_type(w, NAME_FIRST + number * NAME_BYTES, BTF_KIND_FUNC,
		 is_alone ? BTF_FUNC_GLOBAL : BTF_FUNC_STATIC, 2 + 2 * number);
}

static void put_names(struct writing *w, uint32_t n)
{
	static const char first[] = "\0u64\0a";
	uint8_t *p = w->out + w->n;

	memcpy(p, first, sizeof(first));
	p += sizeof(first);
	for (uint32_t i = 0; i < n; i++, p += NAME_BYTES) {
		p[0] = 'f';
		p[1] = (uint8_t)('0' + i);
		p[2] = 0;
	}
	w->n = (size_t)(p - w->out);
}

size_t functypes_fmt(const struct bpfcode *c, uint8_t out[FUNCTYPES_MAX_BYTES])
{
	struct btf_header head = {
		.magic = BTF_MAGIC, .version = BTF_VERSION, .hdr_len = sizeof(head)};
	struct writing w = {out, sizeof(head)};

	put_type(&w, NAME_U64, BTF_KIND_INT, 0, 8);
	put(&w, 64);
	put_function(&w, 0, 1, true);
	for (size_t i = 0; i < c->n_functions; i++)
		put_function(&w, (uint32_t)i + 1, c->functions[i].n_args, c->functions[i].is_alone);
	head.type_len = head.str_off = (uint32_t)(w.n - sizeof(head));
	put_names(&w, (uint32_t)c->n_functions + 1);
	head.str_len = (uint32_t)(w.n - sizeof(head)) - head.str_off;
	memcpy(out, &head, sizeof(head));
	return w.n;
}

uint32_t functypes_list(const struct bpfcode *c,
			struct bpf_func_info functions[BPFCODE_FUNCTIONS + 1])
{
	functions[0] = (struct bpf_func_info){0, 3};
	for (size_t i = 0; i < c->n_functions; i++)
		functions[i + 1] = (struct bpf_func_info){c->functions[i].at, 5 + 2 * (uint32_t)i};
	return (uint32_t)c->n_functions + 1;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * btfdump.c - says what the reader of BTF says about functions, for tests/btf/suite.
 *
 *	btfdump < NAMES          on standard output, for each function:
 *	    F name result
 *	    P parameter place type
 *	    M member bit-offset bits type        of the structs that parameters are or point to
 *	btfdump --all            how many functions there are, and how many parameters have a place
 *	btfdump --names          the names of all functions
 *	btfdump --seconds NAME   how long it takes to open BTF and find that function
 */
#include "base/errmsg.h"
#include "base/textbuf.h"
#include "symbols/arch.h"
#include "symbols/btf/btf.h"

#include <stdio.h>
#include <time.h>

struct dump {
	const struct btf *btf;
	struct textbuf text;
	unsigned n_functions, n_parameters, n_placed;
};

static const char *say(struct dump *d, struct type t)
{
	textbuf_clear(&d->text);
	type_fmt(t, &d->text);
	textbuf_add_char(&d->text, 0);
	return d->text.start;
}

static int dump_member(void *ctx, const struct type_member *m)
{
	printf("M\t%s\t%lu\t%u\t%s\n", m->name, (unsigned long)m->bit_offset, m->n_bits,
	       say(ctx, m->type));
	return 0;
}

static void fmt_place(const struct place *p, char *out, size_t size)
{
	const struct arch *a = arch_by_name("x86_64");

	if (p->kind == PLACE_REGISTER && p->is_pair)
		snprintf(out, size, "%s:%s", arch_register(a, p->reg),
			 arch_register(a, p->reg_high));
	else if (p->kind == PLACE_REGISTER)
		snprintf(out, size, "%s", arch_register(a, p->reg));
	else if (p->kind == PLACE_STACK)
		snprintf(out, size, "stack+%ld", (long)p->offset);
	else
		snprintf(out, size, "nowhere");
}

static int dump_parameter(void *ctx, const struct variable *v)
{
	struct type_facts f;
	char place[64];

	fmt_place(&v->place, place, sizeof(place));
	printf("P\t%s\t%s\t%s\n", v->name, place, say(ctx, v->type));
	type_get(v->type, &f);
	type_each_member(f.kind == TYPE_POINTER ? f.target : v->type, dump_member, ctx);
	return 0;
}

static int count_parameter(void *ctx, const struct variable *v)
{
	struct dump *d = ctx;

	d->n_parameters++;
	d->n_placed += v->place.kind != PLACE_NOWHERE;
	return 0;
}

static int count_function(void *ctx, const char *name, struct type prototype)
{
	struct dump *d = ctx;
	struct btf_scope s;

	d->n_functions++;
	btf_scope_init(&s, d->btf, prototype, arch_by_name("x86_64"), false);
	return s.scope.ops->each(&s.scope, true, count_parameter, d);
}

static int list_function(void *ctx, const char *name, struct type prototype)
{
	return puts(name);
}

static int dump_function(struct dump *d, const char *name)
{
	struct type prototype;
	struct type_facts f;
	struct btf_scope s;

	if (btf_find_function(d->btf, name, strlen(name), &prototype) < 0)
		return fprintf(stderr, "there is no function %s\n", name);
	type_get(prototype, &f);
	printf("F\t%s\t%s\n", name, say(d, f.target));
	btf_scope_init(&s, d->btf, prototype, arch_by_name("x86_64"), false);
	return s.scope.ops->each(&s.scope, true, dump_parameter, d);
}

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec + ts.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
	double begin = now();
	struct errmsg err = {0};
	struct dump d = {0};
	struct btf *btf;
	char name[512];
	int r = 0;

	if (btf_open_kernel(&btf, NULL, NULL, &err) < 0) {
		fprintf(stderr, "%s\n", err.text);
		return 1;
	}
	d.btf = btf;
	textbuf_init(&d.text, 1 << 16);
	if (argc == 3) {
		struct type t;

		r = btf_find_function(btf, argv[2], strlen(argv[2]), &t);
		printf("%.6f\n", now() - begin);
	} else if (argc == 2 && !strcmp(argv[1], "--names")) {
		btf_each_function(btf, list_function, NULL);
	} else if (argc == 2) {
		btf_each_function(btf, count_function, &d);
		printf("%u %u %u\n", d.n_functions, d.n_parameters, d.n_placed);
	} else {
		while (r >= 0 && scanf("%511s", name) == 1)
			r = dump_function(&d, name);
	}
	textbuf_release(&d.text);
	btf_close(btf);
	return r < 0;
}

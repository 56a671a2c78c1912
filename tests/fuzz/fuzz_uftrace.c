// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fuzz_uftrace.c - the files of a uftrace.data directory, without the directory.
 *
 *	input:  texts and bytes, ended by 0xff each: task.txt, the map, symbols, debug information,
 *	        which values were recorded, filters;
 *	        then the records of task 1; one CPU; kernel_header; the rest: the kernel's records
 *
 * All calls are tallied, so every frame, value and name is looked at.
 */
#include "analyse/uftrace/kernel.h"
#include "analyse/uftrace/tally.h"
#include "base/errmsg.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { TASKS, MAPS, SYMS, DBG, VALUES, FILTERS, RECORDS, CPU, HEADER, KERNEL, N_PARTS };

struct parts {
	const uint8_t *data[N_PARTS];
	size_t len[N_PARTS];
};

static void split(struct parts *p, const uint8_t *input, size_t n)
{
	for (int i = 0; i < N_PARTS; i++) {
		const uint8_t *end = i < N_PARTS - 1 && n ? memchr(input, 0xff, n) : NULL;

		p->data[i] = input;
		p->len[i] = end ? (size_t)(end - input) : n;
		input += p->len[i] + (end ? 1 : 0);
		n -= p->len[i] + (end ? 1 : 0);
	}
}

static char *copy_text(const struct parts *p, int part)
{
	char *text = calloc(1, p->len[part] + 1);

	if (text && p->len[part])
		memcpy(text, p->data[part], p->len[part]);
	return text;
}

static int read_text(void *ctx, const char *name, char **ret, size_t *ret_len)
{
	const struct parts *p = ctx;
	size_t len = strlen(name);
	const char *suffix = len > 4 ? name + len - 4 : name;
	int part = !strcmp(name, "task.txt") ? TASKS
		   : !strcmp(suffix, ".map") ? MAPS
		   : !strcmp(suffix, ".sym") ? SYMS
					     : DBG;

	*ret = copy_text(p, part);
	*ret_len = p->len[part];
	return *ret ? 0 : -ENOMEM;
}

static void walk(const struct parts *p, const struct uft_names *names, struct uft_triggers *t)
{
	struct uft_stream stream = {1, p->data[RECORDS], p->len[RECORDS]};
	struct uft_perf perf = {.data = p->data[CPU], .n_bytes = p->len[CPU]};
	struct uft_walk_config c = {.names = names,
				    .streams = &stream,
				    .n_streams = 1,
				    .perfs = &perf,
				    .n_perfs = 1,
				    .triggers = t,
				    .max_stack = 64,
				    .depth = 1024};
	struct uft_walk *w;
	struct uft_tally tally;
	struct uft_kernel *k = NULL;
	struct piece header = {p->data[HEADER], p->len[HEADER]};

	if (uft_kernel_new(&k, header, (struct piece){0}, 1) >= 0) {
		k->cpus[0].data = p->data[KERNEL];
		k->cpus[0].n_bytes = p->len[KERNEL];
		c.kernel = k;
	}

	if (uft_walk_new(&w, &c) < 0) {
		uft_kernel_free(k);
		return;
	}
	uft_tally_init(&tally, true);
	uft_tally_functions(&tally, w);
	uft_tally_release(&tally);
	uft_walk_free(w);
	uft_kernel_free(k);
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t n)
{
	struct parts p;
	struct uft_names_reader reader = {&p, read_text};
	struct uft_names names;
	struct uft_triggers triggers;
	struct errmsg err = {0};
	char *values, *filters;

	split(&p, input, n);
	values = copy_text(&p, VALUES);
	filters = copy_text(&p, FILTERS);
	uft_triggers_init(&triggers, false);
	if (uft_names_init(&names, &reader, UFT_NAMES_SIMPLE, &err) >= 0 && values && filters) {
		uft_triggers_add(&triggers, &names, UFT_WORDS_ARGS, values);
		uft_triggers_add_auto(&triggers, &names, values, values);
		uft_triggers_add(&triggers, &names, UFT_WORDS_TRIGGER, filters);
		walk(&p, &names, &triggers);
	}
	uft_triggers_release(&triggers);
	uft_names_release(&names);
	free(values);
	free(filters);
	return 0;
}

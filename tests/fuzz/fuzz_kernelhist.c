// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fuzz_kernelhist.c - the text of an event's hist file, taken apart and printed again.
 *
 *	input:  the text
 *
 * It lies in memory of exactly its size. Every row must have what the head promises, and the table and
 * JSON must come out of whatever was found.
 */
#include "decode/kernelhist.h"
#include "present/result/histtable.h"

#include <stdbool.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool ok)
{
	if (!ok)
		abort();
}

static void check_hist(const struct kernelhist *h)
{
	check(h->trigger && h->state && h->n_keys <= KERNELHIST_COLUMNS_MAX);
	check(h->n_values && h->n_values <= KERNELHIST_COLUMNS_MAX && h->main_value < h->n_values);
	for (size_t i = 0; i < h->n_rows; i++) {
		for (size_t k = 0; k < h->n_keys; k++)
			check(h->rows[i].keys[k] != NULL);
		for (size_t v = 0; v < h->n_values; v++)
			check(h->rows[i].values[v] != NULL);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct kernelhist *first = NULL;
	struct arena arena;
	struct textbuf tb;
	char *copy = malloc(size);

	memcpy(copy, data, size);
	arena_init(&arena, 16 << 20);
	textbuf_init(&tb, 64 << 20);
	if (kernelhist_parse(copy, size, &arena, &first) == 0) {
		free(copy); /* nothing may point into it */
		for (struct kernelhist *h = first; h; h = h->next) {
			check_hist(h);
			histtable_fmt("system:event", h, &tb);
			histtable_fmt_json("system:event", h, &tb);
		}
	} else {
		free(copy);
	}
	textbuf_release(&tb);
	arena_release(&arena);
	return 0;
}

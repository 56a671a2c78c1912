// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * extents.c - finds which bytes of the file belong to which CPU.
 *
 *	directory:   CPU 0 ├────────┤        CPU 1          ├──────┤      CPU 2 ├──────?
 *	settled:           ├────────┴─────────────┤         ├──────┴──────────┤ ├──────┤ end of file
 *	                            stated     at the latest
 *
 * The stated size of compressed data is not reliable (trace-cmd up to 3.1.6 does not include the
 * count of chunks). But the data cannot extend beyond the start of the next data; `end` is that
 * position.
 *
 * In an intact file extents do not overlap. In a damaged one they may. Then both CPUs are shown,
 * because it is unknown which one is right. But a hostile directory could name the same megabyte a
 * million times, and reading would take a million times as long: if all extents together have more
 * than twice the size of the file, each ends where the next one begins.
 */
#include "base/array.h"
#include "store/tracefile_int.h"

#include <stdlib.h>

struct extent {
	uint64_t start, end;
	struct tracefile_cpu *cpu; /* NULL: the extent is a text */
	struct tracefile_buffer *buffer;
};

static uint64_t text_start(const struct tracefile *tf, const struct tracefile_buffer *b)
{
	return b->text.data - tf->map.data;
}

/* Returns true for a text that is stored uncompressed in the file. */
static bool is_stored_text(const struct tracefile *tf, const struct tracefile_buffer *b)
{
	return b->is_text && b->text.len && b->text.data >= tf->map.data &&
	       b->text.data < tf->map.data + tf->map.len;
}

/* Collects all CPUs and texts with data. Those beyond the limit lose their data. */
static size_t gather(struct tracefile *tf, struct extent *list)
{
	struct tracefile_buffer *b = (struct tracefile_buffer *)tf->buffers;
	size_t n = 0, n_left_out = 0;

	for (size_t i = 0; i < tf->n_buffers; i++) {
		if (is_stored_text(tf, &b[i]) && n < TRACEFILE_STREAMS_MAX)
			list[n++] =
				(struct extent){text_start(tf, &b[i]),
						text_start(tf, &b[i]) + b[i].text.len, NULL, &b[i]};
		for (size_t k = 0; k < b[i].n_cpus; k++) {
			struct tracefile_cpu *c = &b[i].cpus[k];

			c->end = c->offset + c->n_bytes;
			if (c->n_bytes && n < TRACEFILE_STREAMS_MAX) {
				list[n++] = (struct extent){c->offset, c->end, c, &b[i]};
			} else if (c->n_bytes) {
				c->n_bytes = 0;
				n_left_out++;
			}
		}
	}
	if (n_left_out)
		tracefile_add_damage(tf,
				     "%s has data of more than %u CPUs; sonde ignores %zu of "
				     "them",
				     tf->path, TRACEFILE_STREAMS_MAX, n_left_out);
	return n;
}

ARRAY_ORDER(extent_compare, struct extent, COMPARE(x->start, y->start) ?: COMPARE(x->end, y->end))

static void extent_cut(struct extent *e, uint64_t end)
{
	e->end = end;
	if (!e->cpu)
		e->buffer->text.len = end - e->start;
	else if (e->cpu->n_bytes > end - e->start)
		e->cpu->n_bytes = end - e->start;
}

void tracefile_settle_extents(struct tracefile *tf)
{
	struct extent *list = malloc(TRACEFILE_STREAMS_MAX * sizeof(*list));
	uint64_t sum = 0, shared = 0;
	size_t n = list ? gather(tf, list) : 0;

	tracefile_private(tf)->n_streams = n ? n : 1;
	if (n)
		qsort(list, n, sizeof(*list), extent_compare);
	for (size_t i = 0; i < n; i++) {
		uint64_t next = i + 1 < n ? list[i + 1].start : tf->map.len;

		if (list[i].end > next)
			shared = shared ? shared : next;
		else if (list[i].cpu && list[i].buffer->compressed)
			list[i].end = next;
		sum += list[i].end - list[i].start;
	}
	for (size_t i = 0; i < n; i++) {
		uint64_t next = i + 1 < n ? list[i + 1].start : tf->map.len;

		if (sum / 2 > tf->map.len && list[i].end > next)
			extent_cut(&list[i], next);
		if (list[i].cpu)
			list[i].cpu->end = list[i].end;
	}
	if (shared)
		tracefile_add_damage(
			tf,
			"the directory of %s is damaged: it gives byte %llu to more than one CPU",
			tf->path, (unsigned long long)shared);
	free(list);
}

// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * callsummary.c - a row for each system call that occurred.
 *
 * A trace has calls of at most two machines: programs of 64 and of 32 bits have numbers of their
 * own. Numbers are small, so rows are found by number. All numbers that no machine has share the
 * last row. Percentiles are too high by less than one percent (latencies.h).
 */
#include "analyse/callsummary.h"

#include "base/arena.h"
#include "symbols/tables/syscalls.h"

#include <stdlib.h>
#include <string.h>

#define CALLS_MAX    1024
#define MACHINES_MAX 2
#define ARENA_BYTES  (256u << 20)

struct callsummary {
	uint32_t machines[MACHINES_MAX];
	struct callsummary_row *rows[MACHINES_MAX][CALLS_MAX];
	const struct callsummary_row *sorted[MACHINES_MAX * CALLS_MAX];
	struct arena arena;
	uint64_t n_lost;
};

struct callsummary *callsummary_new(void)
{
	struct callsummary *s = calloc(1, sizeof(*s));

	if (s)
		arena_init(&s->arena, ARENA_BYTES);
	return s;
}

void callsummary_free(struct callsummary *s)
{
	if (!s)
		return;
	arena_release(&s->arena);
	free(s);
}

static unsigned machine_index(struct callsummary *s, uint32_t machine)
{
	unsigned i = 0;

	while (i < MACHINES_MAX - 1 && s->machines[i] && s->machines[i] != machine)
		i++;
	s->machines[i] = machine;
	return i;
}

void callsummary_add(struct callsummary *s, uint32_t machine, uint32_t nr, uint64_t ns, bool failed,
		     uint64_t ts)
{
	unsigned m = machine_index(s, machine);
	struct callsummary_row **row = &s->rows[m][nr < CALLS_MAX ? nr : CALLS_MAX - 1];

	if (!*row) {
		*row = arena_alloc(&s->arena, sizeof(**row));
		if (!*row)
			return;
		**row = (struct callsummary_row){.machine = machine, .nr = nr};
	}
	(*row)->n_errors += failed;
	latency_spread_add(&(*row)->spread, &s->arena, ns);
}

/*
 * --- order -------------------------------------------------------------------------------------
 */

static const char *name_of(const struct callsummary_row *row)
{
	const char *name = syscall_name(syscalls_for_audit(row->machine), row->nr);

	return name ? name : "";
}

static uint64_t value_of(const struct callsummary_row *row, enum callsummary_key key)
{
	const struct latency_spread *s = &row->spread;

	switch (key) {
	case CALLSUMMARY_CALLS:
		return s->n;
	case CALLSUMMARY_ERRORS:
		return row->n_errors;
	case CALLSUMMARY_MIN:
		return s->min;
	case CALLSUMMARY_MAX:
		return s->max;
	case CALLSUMMARY_AVERAGE:
		return s->n ? s->total / s->n : 0;
	default:
		return s->total;
	}
}

static int compare(const void *a, const void *b, void *ctx)
{
	const struct callsummary_row *x = *(const struct callsummary_row *const *)a;
	const struct callsummary_row *y = *(const struct callsummary_row *const *)b;
	enum callsummary_key key = *(const enum callsummary_key *)ctx;
	uint64_t v = value_of(x, key), w = value_of(y, key);

	if (key == CALLSUMMARY_NOTHING)
		return x->nr < y->nr ? -1 : x->nr > y->nr;
	if (key == CALLSUMMARY_NAME || v == w)
		return strcmp(name_of(x), name_of(y));
	return v > w ? -1 : 1;
}

const struct callsummary_row *const *callsummary_sort(struct callsummary *s,
						      enum callsummary_key key, size_t *ret_n)
{
	size_t n = 0;

	for (unsigned m = 0; m < MACHINES_MAX; m++)
		for (unsigned i = 0; i < CALLS_MAX; i++)
			if (s->rows[m][i])
				s->sorted[n++] = s->rows[m][i];
	qsort_r(s->sorted, n, sizeof(*s->sorted), compare, &key);
	*ret_n = n;
	return s->sorted;
}

void callsummary_lose(struct callsummary *s, uint64_t n)
{
	s->n_lost += n;
}

uint64_t callsummary_n_lost(const struct callsummary *s)
{
	return s->n_lost;
}

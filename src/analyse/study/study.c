// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * study.c - answers a question, written as a line of words, with the engine for its kind.
 *
 *	count     keycount.h            as sonde-count(1) does
 *	time      latency/latency.h     as sonde-latency(1), but from the first start
 *	graph     calltimes.h           as sonde-functions(1) does
 *	stacks    stacks.c
 *
 * Every answer is a table of rows. The label of a row is the text of some fields' values. Two rows
 * of an engine can have the same label (two places in one function, two functions of one name);
 * they become one row here. A label is stored once (namepool), so labels are compared as pointers.
 *
 * A softirq can be raised several times before it runs; its wait begins with the first raise. Where
 * events were lost, earlier starts are not reliable and are dropped.
 */
#include "analyse/study/study_int.h"
#include "base/arena.h"
#include "base/scope.h"

#include <errno.h>
#include <stdlib.h>

#define ROWS_MAX	(1u << 16)
#define ARENA_MAX_BYTES (64u << 20)
#define LABEL_MAX_BYTES 16384

/*
 * --- rows --------------------------------------------------------------------------------------
 */

/* Finds or adds the row with the text in s->label. Returns NULL if there is no room. */
static struct study_row *row_of(struct study *s)
{
	size_t len = textbuf_len(&s->label);
	/* a question without groups has one row with an empty label */
	const struct pooled_name *name = namepool_find(&s->names, len ? s->label.start : "", len);
	void **slot = name ? map_take(&s->rows, (uintptr_t)name, ROWS_MAX) : NULL;
	struct study_row *row = slot ? *slot : NULL;

	if (slot && !row) {
		*slot = row = arena_alloc(&s->arena, sizeof(*row));
		if (row)
			row->label = name->text;
	}
	return row;
}

void study_take_row(struct study *s, const struct study_row *more)
{
	struct study_row *row = row_of(s);

	if (!row) {
		s->n_dropped += more->n;
		return;
	}
	if (more->max > row->max || !row->n) {
		row->max = more->max;
		row->max_ts = more->max_ts;
	}
	if (more->p99 > row->p99)
		row->p99 = more->p99;
	row->n += more->n;
	row->total += more->total;
	row->self += more->self;
}

static int compare_rows(const void *a, const void *b)
{
	const struct study_row *x = *(struct study_row *const *)a,
			       *y = *(struct study_row *const *)b;

	if (x->total != y->total)
		return x->total < y->total ? 1 : -1;
	if (x->n != y->n)
		return x->n < y->n ? 1 : -1;
	return strcmp(x->label, y->label);
}

/*
 * --- the door ----------------------------------------------------------------------------------
 */

void study_add(struct study *s, const struct record *rec)
{
	if (s->is_started)
		s->engine->add(s, rec);
}

int study_finish(struct study *s)
{
	TRY(s->is_started ? s->engine->finish(s) : 0);
	s->sorted = calloc(s->rows.n + 1, sizeof(*s->sorted));
	if (!s->sorted)
		return -ENOMEM;
	for (size_t i = 0; i < s->rows.n_slots; i++)
		if (s->rows.slots[i].value)
			s->sorted[s->n_sorted++] = s->rows.slots[i].value;
	qsort(s->sorted, s->n_sorted, sizeof(*s->sorted), compare_rows);
	return 0;
}

const struct study_spec *study_spec(const struct study *s)
{
	return s->spec;
}

const struct study_row *const *study_rows(const struct study *s, size_t *ret_n)
{
	*ret_n = s->n_sorted;
	return (const struct study_row *const *)s->sorted;
}

uint64_t study_n_open(const struct study *s)
{
	return s->n_open;
}

uint64_t study_n_dropped(const struct study *s)
{
	return s->n_dropped;
}

uint64_t study_n_seen(const struct study *s)
{
	return s->n_seen;
}

void study_range_add(struct study_range *range, const struct record *rec)
{
	if (!range->n_events || rec->ts < range->first)
		range->first = rec->ts;
	if (rec->ts > range->last)
		range->last = rec->ts;
	range->n_events++;
	range->n_gaps += rec->flags & RECORD_MISSED ? 1 : 0;
}

struct study *study_new(const struct study_spec *spec, struct formats *f)
{
	static const struct study_engine *const engines[] = {[STUDY_COUNT] = &study_count,
							     [STUDY_TIME] = &study_time,
							     [STUDY_STACKS] = &study_stacks,
							     [STUDY_GRAPH] = &study_graph};
	struct study *s = calloc(1, sizeof(*s));
	int r;

	if (!s)
		return NULL;
	s->spec = spec;
	s->f = f;
	s->engine = engines[spec->kind];
	textbuf_init(&s->label, LABEL_MAX_BYTES);
	namepool_init(&s->names);
	arena_init(&s->arena, ARENA_MAX_BYTES);
	r = s->engine->start(s);
	s->is_started = r >= 0;
	if (r == -ENOMEM) {
		study_free(s);
		return NULL;
	}
	return s;
}

void study_free(struct study *s)
{
	if (!s)
		return;
	s->engine->free(s);
	textbuf_release(&s->label);
	namepool_release(&s->names);
	arena_release(&s->arena);
	map_release(&s->rows);
	free(s->sorted);
	free(s);
}

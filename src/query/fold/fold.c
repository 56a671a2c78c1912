// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * fold.c - counts events by CPU, task and kind.
 *
 *	all kinds, nothing else   info_count(): sub-buffers without order, on all cores
 *	CPU, task, kind           foldscan(): the same, into tables of (file, CPU, task, kind)
 *	a range of time           one scan, in order, into such a table
 */
#include "query/fold/fold.h"

#include "analyse/tally.h"
#include "base/array.h"
#include "base/scope.h"
#include "decode/formats/formats.h"
#include "query/fold/foldscan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define FOLD_MAX (4u << 20)

bool fold_has_column(enum event_column_kind kind)
{
	return kind == COLUMN_CPU || kind == COLUMN_UTID || kind == COLUMN_TID ||
	       kind == COLUMN_COMM || kind == COLUMN_SYSTEM || kind == COLUMN_NAME;
}

static int add_row(struct fold *f, const struct fold_row *row)
{
	if (!ARRAY_ROOM(f->rows, f->cap, f->n + 1, FOLD_MAX))
		return f->n < FOLD_MAX ? -ENOMEM : -ENOSPC;
	f->rows[f->n++] = *row;
	return 0;
}

static bool is_wanted(const struct scan_wants *wants, size_t file, int64_t id)
{
	return !wants->events ||
	       (id >= 0 && (uint64_t)id < wants->n_ids && wants->events[file][id]);
}

static int read_counts(struct fold *f, struct query_trace *t, const struct scan_wants *wants)
{
	TRY(query_trace_count(t));
	for (size_t i = 0; i < t->in->n_files; i++) {
		size_t n;
		SCOPED(scope_free) struct count *list = tally_list_ids(&t->counts[i].tally, &n);

		for (size_t k = 0; list && k < n; k++)
			if (list[k].n && is_wanted(wants, i, list[k].key))
				TRY(add_row(f, &(struct fold_row){.n = list[k].n,
								  .id = (int32_t)list[k].key,
								  .file = (uint16_t)i}));
	}
	return 0;
}

/* --- by CPU, task and kind -------------------------------------------------------------------- */

ARRAY_ORDER(by_place, struct fold_row,
	    COMPARE(x->file, y->file)
		    ?: COMPARE(x->cpu, y->cpu) ?: COMPARE(x->tid, y->tid) ?: COMPARE(x->id, y->id))

/* One thread, in the order of time: finds a range of it without reading what comes before. */
static int read_range(struct foldtable *table, struct query_trace *t,
		      const struct scan_wants *wants)
{
	SCOPED(scan_close) struct scan s;
	int r = scan_open(&s, t, wants);

	while (r >= 0 && (r = scan_next(&s)) > 0)
		r = foldtable_add(table, &(struct fold_row){.n = 1,
							    .cpu = s.rec.cpu,
							    .tid = scan_tid(&s),
							    .id = s.id,
							    .file = s.file});
	return r;
}

static int read_scan(struct fold *f, struct query_trace *t, const struct scan_wants *wants)
{
	bool has_range = wants->from || wants->to != UINT64_MAX;
	SCOPED(foldtable_release) struct foldtable table = {0};

	TRY(has_range ? read_range(&table, t, wants) : foldscan(&table, t, wants));
	f->rows = TAKE(table.rows);
	f->n = table.n;
	/* threads find the rows in any order */
	if (f->n)
		qsort(f->rows, f->n, sizeof(*f->rows), by_place);
	return 0;
}

int fold_read(struct fold *f, struct query_trace *t, const struct scan_wants *wants, bool by_kind,
	      bool with_names)
{
	*f = (struct fold){0};
	if (with_names)
		TRY(query_trace_names(t));
	TRY(by_kind ? read_counts(f, t, wants) : read_scan(f, t, wants));
	for (size_t i = 0; i < f->n; i++) {
		struct fold_row *row = &f->rows[i];

		row->event = query_event(t, row->file, row->id);
		row->comm = with_names ? query_comm(t, row->file, row->tid) : NULL;
	}
	return 0;
}

void fold_release(struct fold *f)
{
	free(f->rows);
	*f = (struct fold){0};
}

/* --- rows ------------------------------------------------------------------------------------- */

static const char *text_of(const struct fold_row *row, enum event_column_kind kind)
{
	if (kind == COLUMN_COMM)
		return row->comm;
	return !row->event ? NULL : kind == COLUMN_NAME ? row->event->name : row->event->system;
}

static bool is_text(enum event_column_kind kind)
{
	return kind == COLUMN_COMM || kind == COLUMN_SYSTEM || kind == COLUMN_NAME;
}

static int64_t number_of(const struct fold_row *row, enum event_column_kind kind)
{
	return kind == COLUMN_CPU   ? row->cpu
	       : kind == COLUMN_TID ? row->tid
				    : query_utid(row->file, row->tid);
}

void fold_result(const struct fold_row *row, enum event_column_kind kind, sqlite3_context *to)
{
	if (!is_text(kind))
		sqlite3_result_int64(to, number_of(row, kind));
	else if (text_of(row, kind))
		sqlite3_result_text(to, text_of(row, kind), -1, SQLITE_STATIC);
}

static bool matches(const struct fold_row *row, enum event_column_kind kind, const struct pushed *c)
{
	const char *text;

	if (!is_text(kind))
		return !pushed_is_numbers(c) || pushed_match_number(c, number_of(row, kind));
	text = text_of(row, kind);
	return !pushed_is_texts(c) || (text && pushed_match_text(c, text, strlen(text)));
}

struct ordering {
	const struct event_columns *columns;
	const struct pushdown *p;
};

static int compare_rows(const void *a, const void *b, void *ctx)
{
	const struct fold_row *x = a, *y = b;
	const struct ordering *o = ctx;

	for (size_t i = 0; i < o->p->n_orders; i++) {
		enum event_column_kind kind = o->columns->list[o->p->orders[i].column].kind;
		const char *s = text_of(x, kind), *t = text_of(y, kind);
		int r = !is_text(kind) ? COMPARE(number_of(x, kind), number_of(y, kind))
			: s && t       ? strcmp(s, t)
				       : COMPARE(s != NULL, t != NULL);

		if (r)
			return o->p->orders[i].desc ? -r : r;
	}
	return 0;
}

void fold_select(struct fold *f, const struct event_columns *c, const struct pushdown *p)
{
	struct ordering o = {c, p};
	size_t n = 0;

	for (size_t i = 0; i < f->n; i++) {
		bool ok = true;

		for (size_t k = 0; k < p->n && ok; k++)
			ok = matches(&f->rows[i], c->list[p->list[k].column].kind, &p->list[k]);
		if (ok)
			f->rows[n++] = f->rows[i];
	}
	f->n = n;
	if (n > 1 && p->n_orders)
		qsort_r(f->rows, n, sizeof(*f->rows), compare_rows, &o);
}

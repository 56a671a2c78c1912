// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * stacktables.c - the table stack: recorded kernel stacks, with the event that each belongs to.
 *
 * The kernel writes a stack (ftrace:kernel_stack) right after its event, on the same CPU. The text
 * has the functions from the outermost to the innermost, separated by semicolons, as flame graphs
 * take them. Equal texts exist once.
 */
#include "analyse/tally.h"
#include "format/bytes.h"
#include "query/tables/tables.h"

#include "base/array.h"
#include "base/scope.h"
#include "base/textbuf.h"
#include "decode/formats/event.h"
#include "query/scan.h"
#include "symbols/kallsyms.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define FRAMES_MAX     256
#define TEXT_MAX_BYTES 65536

struct last_event { /* of a CPU of a source: what a stack there belongs to */
	uint64_t place, ts;
	int id;
};

struct stack_reading {
	struct list_rows *rows;
	struct scan scan;
	struct textbuf text;
	struct map last; /* struct last_event by source and CPU */
	struct arena arena;
};

static const struct field *stack_field(struct query_trace *t, size_t file, int id)
{
	const struct event *ev = formats_find(t->in->files[file].formats, id);

	return ev && ev->is_ftrace && !strcmp(ev->name, "kernel_stack")
		       ? event_find_field(ev, "caller")
		       : NULL;
}

/* Writes the functions, the outermost first. */
static void fmt_stack(struct stack_reading *s, const struct field *caller)
{
	struct formats *f = s->rows->trace->in->files[s->scan.file].formats;
	const struct kallsyms *symbols = formats_kallsyms(f);
	uint64_t frames[FRAMES_MAX];
	unsigned step = f->long_size;
	size_t n = 0;

	for (uint32_t at = caller->offset;
	     n < FRAMES_MAX && at <= s->scan.rec.size && s->scan.rec.size - at >= step;
	     at += step) {
		uint64_t address = bytes_get(s->scan.rec.data + at, step, f->swap);

		if (address == UINT64_MAX || (int)address == -1)
			break;
		frames[n++] = address;
	}
	textbuf_clear(&s->text);
	while (n--) {
		const struct ksym *sym = kallsyms_find(symbols, frames[n]);

		if (textbuf_len(&s->text))
			textbuf_add_char(&s->text, ';');
		if (sym) {
			textbuf_add(&s->text, sym->name, sym->name_len);
		} else {
			textbuf_add(&s->text, "0x", 2);
			textbuf_add_hex(&s->text, frames[n]);
		}
	}
}

static int add_stack(struct stack_reading *s, const struct field *caller,
		     const struct last_event *last)
{
	const struct scan *scan = &s->scan;
	struct query_trace *t = s->rows->trace;
	const struct event *ev =
		last->place ? formats_find(t->in->files[scan->file].formats, last->id) : NULL;

	fmt_stack(s, caller);
	return list_add(s->rows,
			(int64_t[]){(int64_t)scan->place, (int64_t)scan->rec.ts, scan->rec.cpu,
				    query_utid(scan->file, scan_tid(scan)),
				    last->place ? (int64_t)last->place : LIST_NULL,
				    last->place ? (int64_t)last->ts : LIST_NULL,
				    list_static(ev ? ev->name : NULL),
				    list_text_len(s->rows, s->text.start, textbuf_len(&s->text))});
}

static int take_record(struct stack_reading *s)
{
	const struct scan *scan = &s->scan;
	const struct field *caller = stack_field(s->rows->trace, scan->file, scan->id);
	uint64_t key = (uint64_t)scan->rec.source << 32 | scan->rec.cpu;
	void **slot = map_take(&s->last, key, ARRAY_NO_MAX);
	struct last_event *last = slot ? *slot : NULL;

	if (slot && !last)
		*slot = last = arena_alloc(&s->arena, sizeof(*last));
	if (!last)
		return -ENOMEM;
	if (caller)
		return add_stack(s, caller, last);
	*last = (struct last_event){scan->place, scan->rec.ts, scan->id};
	return 0;
}

/* Does any file have stacks at all? */
static bool has_stacks(struct query_trace *t)
{
	return query_trace_count(t) >= 0 &&
	       ARRAY_ANY(t->in->n_files, i, ({
				 const struct event *ev = formats_find_name(
					 t->in->files[i].formats, "ftrace", "kernel_stack");
				 const struct tally *tally = &t->counts[i].tally;

				 ev && (size_t)ev->id < tally->layout.n_ids &&
					 tally->by_id[ev->id].n;
			 }));
}

static int fill_stacks(struct list_rows *rows, const struct list_args *args)
{
	struct scan_wants wants = {.to = UINT64_MAX};
	struct stack_reading s = {.rows = rows};
	int r;

	if (!has_stacks(rows->trace))
		return 0;
	textbuf_init(&s.text, TEXT_MAX_BYTES);
	arena_init(&s.arena, 16 << 20);
	r = scan_open(&s.scan, rows->trace, &wants);
	while (r >= 0 && (r = scan_next(&s.scan)) > 0)
		r = take_record(&s);
	scan_close(&s.scan);
	map_release(&s.last);
	arena_release(&s.arena);
	textbuf_release(&s.text);
	return r;
}

const struct list_table stack_tables[] = {
	{.name = "stack",
	 .columns = {{"id", LIST_INTEGER},
		     {"ts", LIST_INTEGER},
		     {"cpu", LIST_INTEGER},
		     {"utid", LIST_INTEGER},
		     {"event_id", LIST_INTEGER},
		     {"event_ts", LIST_INTEGER},
		     {"event", LIST_TEXT},
		     {"stack", LIST_TEXT}},
	 .fill = fill_stacks,
	 .sorted = 1,
	 .what = "kernel stacks, with the event that each belongs to (record -T)"},
	{0},
};

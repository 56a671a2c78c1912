// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * list.c - the event list: the lines of `sonde report`, around the cursor.
 *
 * The list and the cursor are one: if the cursor moves, the first event at or after it is selected;
 * if the user moves in the list, the cursor moves to that event. Only the rows on the screen are
 * read from the file, so the length of the trace does not matter.
 *
 * The names of tasks are those of the timeline, as on the page. The line printer of report makes
 * the lines, so they are equal, except that calls of functions are not joined with their returns.
 */
#include "decode/formats/formats.h"
#include "timeline/timeline.h"
#include "tui/tui_int.h"

#include "base/number.h"
#include "present/line.h"
#include "symbols/tasks.h"
#include "view/stage.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE_MAX_BYTES	(1u << 20)
#define LINES_MAX_BYTES (64u << 20)
#define HEAD_BYTES	80

static uint64_t n_rows(const struct tui *t)
{
	return t->filter.sel ? selection_count(t->filter.sel) : timeline_n_events(t->st->tl);
}

/* Selects the first event at or after the cursor, if the cursor moved. */
static void follow(struct tui *t)
{
	uint64_t n = n_rows(t);

	if (t->list.is_found && t->list.cursor == t->cursor)
		return;
	t->list.row = timeline_rank(t->st->tl, t->filter.sel, t->cursor);
	if (t->list.row >= n)
		t->list.row = n ? n - 1 : 0;
	t->list.cursor = t->cursor;
	t->list.is_found = true;
}

/* Fills a task that the line printer shows like one of report. */
static void make_task(const struct tui *t, const struct walk_event *ev, const struct record *rec,
		      struct task *ret, char head[HEAD_BYTES])
{
	const struct formats *f = t->st->config.lines[rec->source].formats;
	const struct timeline_task *task =
		ev->task < timeline_n_tasks(t->st->tl) ? timeline_task(t->st->tl, ev->task) : NULL;
	int pid = formats_common(f, &f->pid, rec->data, rec->size);
	const char *comm = !pid ? "<idle>" : task && task->comm[0] ? task->comm : "<...>";

	*ret = (struct task){.pid = pid, .tgid = -1, .comm = comm, .comm_len = strlen(comm)};
	ret->head = head;
	ret->head_len = snprintf(head, HEAD_BYTES, "%16.31s-%-5d ", comm, pid);
	ret->short_head = head;
	ret->short_head_len = ret->head_len;
}

/* Writes the line of one event, with its newline. */
static void fmt_event(struct tui *t, event_ref ref, struct textbuf *tb)
{
	struct stage_printer *p = stage_printer_get(t->st, tb);
	struct walk_one one;
	struct record_extra extra;
	struct record rec;
	struct task task;
	char head[HEAD_BYTES];

	if (!p || timeline_get(t->st->tl, ref, &one) < 0) {
		if (p)
			stage_printer_put(t->st, p);
		return;
	}
	stage_record(t->st, &one.ev, &rec, &extra);
	make_task(t, &one.ev, &rec, &task, head);
	rec.task = &task;
	line_printer_add(&p->lp, &(struct batch){.records = &rec, .n = 1}, 0, LINE_MAX_BYTES);
	stage_printer_put(t->st, p);
	walk_release(&one);
}

void list_fmt_event(struct tui *t, struct textbuf *tb)
{
	event_ref ref;
	uint64_t when;

	follow(t);
	if (timeline_rows(t->st->tl, t->filter.sel, t->list.row, &ref, &when, 1) == 1)
		fmt_event(t, ref, tb);
	else
		textbuf_add_str(tb, "There is no event.\n");
}

/* Shows an event in one line, without the first columns of the screen's lines. */
static void draw_row(struct tui *t, unsigned y, const char *text, unsigned skip, bool is_selected)
{
	struct style style = STYLE_LOOK(!is_selected		  ? 0
					: t->focus == FOCUS_PANEL ? LOOK_REVERSE
								  : LOOK_BOLD);
	size_t len = strlen(text);

	while (len && text[len - 1] == '\n')
		len--;
	canvas_puts(&t->canvas, 0, y, 1, is_selected ? ">" : " ", style);
	canvas_put_from(&t->canvas, 1, y, skip, text, len, style);
}

/* Draws the rows. Names of tasks are short, mostly: columns that are empty in all rows are left out. */
static void draw_rows(struct tui *t, const event_ref *refs, size_t n)
{
	SCOPED(scope_free) size_t *starts = calloc(n + 1, sizeof(*starts));
	TEXTBUF(tb, LINES_MAX_BYTES);
	unsigned margin = n ? UINT32_MAX : 0;
	const char *lines;

	for (size_t i = 0; starts && i < n; i++) {
		starts[i] = textbuf_len(&tb);
		fmt_event(t, refs[i], &tb);
		textbuf_add_char(&tb, 0);
	}
	lines = textbuf_text(&tb);
	if (!starts || tb.overflow)
		return;
	for (size_t i = 0; i < n; i++) {
		unsigned blank = strspn(lines + starts[i], " ");

		margin = blank < margin ? blank : margin;
	}
	for (size_t i = 0; i < n; i++)
		draw_row(t, t->at.panel_y + i, lines + starts[i], margin + t->shift,
			 t->list.first + i == t->list.row);
}

void list_draw(struct tui *t)
{
	unsigned height = t->at.panel_height;
	SCOPED(scope_free) event_ref *refs = calloc(height + 1, sizeof(*refs));
	SCOPED(scope_free) uint64_t *times = calloc(height + 1, sizeof(*times));
	size_t n;

	follow(t);
	if (!refs || !times)
		return;
	if (t->list.row < t->list.first || t->list.row >= t->list.first + height)
		t->list.first = t->list.row > height / 2 ? t->list.row - height / 2 : 0;
	n = timeline_rows(t->st->tl, t->filter.sel, t->list.first, refs, times, height);
	draw_rows(t, refs, n);
	if (!n)
		canvas_puts(&t->canvas, 1, t->at.panel_y, t->canvas.width - 1,
			    t->filter.sel ? "No event passes the filter." : "There are no events.",
			    STYLE_LOOK(LOOK_DIM));
}

static void select_row(struct tui *t, uint64_t row)
{
	event_ref ref;
	uint64_t when;

	if (timeline_rows(t->st->tl, t->filter.sel, row, &ref, &when, 1) != 1)
		return;
	view_point(t, when);
	t->list.row = row;
	t->list.cursor = t->cursor;
	t->list.is_found = true;
}

void list_move(struct tui *t, int64_t by)
{
	uint64_t n = n_rows(t), row;

	follow(t);
	row = by < 0 && t->list.row < (uint64_t)-by ? 0 : t->list.row + by;
	if (n)
		select_row(t, row < n ? row : n - 1);
}

void list_click(struct tui *t, unsigned y)
{
	uint64_t row = t->list.first + (y - t->at.panel_y);

	if (y >= t->at.panel_y && row < n_rows(t))
		select_row(t, row);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * layout.c - puts the parts of the screen together.
 *
 *	 sonde tui: trace.dat    151.609943 to 151.768909, 158.966 ms wide
 *	 151.6 +      0s      |+50ms       A       |+100ms
 *	 >CPU 0       ▂▃█sleep-234████████████▁   ▂
 *	  CPU 1           ▁▁  ▂▂▂▂
 *	 CPU 0 at 151.650000: sleep-234, 12 ms, …                     A-B 1.2 ms
 *	 [1 Events] 2 Marks 3 States 4 Counts 9 Why o Info
 *	  …
 *	 ? help  q quit  w/s zoom …
 *
 * The panel gets what the tracks do not need, and at least half of the lines. Help takes the place
 * of everything between the first and the last line.
 */
#include "tui/tui_int.h"

#include "base/errmsg.h"
#include "base/scope.h"
#include "present/insight/words.h"
#include "tui/colours.h"
#include "view/picture/palette.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define LINE_BYTES   4096
#define NAMES_NARROW 18
#define NAMES_WIDE   26
#define WIDE	     120 /* columns of a wide screen */
#define TICKS_APART  16	 /* columns between labels of the ruler */
#define FOUND	     "found:1"
#define TITLE_LINES  2 /* title and ruler */
#define STATUS_LINES 3 /* what is under the cursor, names of the panels, the last line */
#define TRACKS_LEAST 3

static const struct {
	enum tui_panel panel;
	const char *name;
} tabs[] = {{PANEL_EVENTS, "1 Events"}, {PANEL_MARKS, "2 Marks"}, {PANEL_STATES, "3 States"},
	    {PANEL_COUNTS, "4 Counts"}, {PANEL_WHY, "9 Why"},	  {PANEL_INFO, "o Info"}};

void tui_show_panel(struct tui *t, enum tui_panel panel)
{
	if (t->panel != PANEL_HELP && t->panel != PANEL_NONE)
		t->panel_before = t->panel;
	t->shift = panel == t->panel ? t->shift : 0;
	t->panel = panel;
	if (panel == PANEL_NONE && t->focus == FOCUS_PANEL)
		t->focus = FOCUS_PICTURE;
	else if (panel != PANEL_NONE && panel != PANEL_HELP)
		t->focus = FOCUS_PANEL;
}

static void find_places(struct tui *t)
{
	unsigned height = t->canvas.height - TITLE_LINES - STATUS_LINES, rows = 0;
	struct tui_layout *at = &t->at;

	at->names = t->canvas.width < WIDE ? NAMES_NARROW : NAMES_WIDE;
	at->tracks_y = TITLE_LINES;
	for (size_t i = 0; i < t->n_tracks && rows < height; i++)
		rows += t->tracks[i].rows;
	if (t->panel == PANEL_HELP) {
		at->tracks_height = 0;
		at->panel_y = 1;
		at->panel_height = t->canvas.height - 2;
		return;
	}
	rows = rows < TRACKS_LEAST ? TRACKS_LEAST : rows;
	at->tracks_height = t->panel == PANEL_NONE ? height : rows < height / 2 ? rows : height / 2;
	at->status_y = at->tracks_y + at->tracks_height;
	at->panel_y = at->status_y + 2;
	at->panel_height = t->panel == PANEL_NONE ? 0 : height - at->tracks_height;
}

static void draw_title(struct tui *t)
{
	char from[32], to[32], length[32];
	const struct timeline *tl = t->st->tl;
	TEXTBUF(tb, LINE_BYTES);

	textbuf_addf(&tb, " %s  %s to %s, %s wide", t->st->config.title,
		     moment_fmt(tl, t->from, from, sizeof(from)),
		     moment_fmt(tl, t->to, to, sizeof(to)),
		     length_fmt(tl, t->to - t->from, length, sizeof(length)));
	if (t->progress < 1)
		textbuf_addf(&tb, "  indexing %d %%", (int)(t->progress * 100));
	if (t->filter.sel)
		textbuf_addf(&tb, "  filter %s", t->filter.text);
	if (t->search.sel)
		textbuf_addf(&tb, "  search %s", t->search.text);
	canvas_fill(&t->canvas, 0, 0, t->canvas.width, L' ', STYLE_LOOK(LOOK_REVERSE));
	canvas_puts(&t->canvas, 0, 0, t->canvas.width, textbuf_text(&tb), STYLE_LOOK(LOOK_REVERSE));
}

/* Draws round times: their distance from the base, which is in the corner. */
static void draw_scale(struct tui *t)
{
	static const unsigned factors[] = {1, 2, 5, 10};
	double least = (double)(t->to - t->from) / view_width(t) * TICKS_APART, power, step = 0;
	uint64_t big = (uint64_t)pow(10, floor(log10((double)(t->to - t->from)) + 1e-9)), base;
	char text[64], length[32];

	big = big ? big : 1;
	base = t->from / big * big;
	power = pow(10, floor(log10(least < 1 ? 1 : least)));
	for (size_t i = 0; i < 4 && step < least; i++)
		step = factors[i] * power;
	step = step < 1 ? 1 : step;
	moment_fmt(t->st->tl, base, text, sizeof(text));
	canvas_puts(&t->canvas, 1, 1, t->at.names - 2, text, STYLE_LOOK(LOOK_DIM));
	for (uint64_t i = (uint64_t)ceil(t->from / step); i * step <= (double)t->to; i++) {
		double when = i * step;
		int column = view_column(t, (uint64_t)when);

		if (column < 0)
			continue;
		snprintf(
			text, sizeof(text), "+%s",
			short_length_fmt(t->st->tl, (uint64_t)when - base, length, sizeof(length)));
		canvas_set(&t->canvas, t->at.names + column, 1, 0x2502, STYLE_LOOK(LOOK_DIM));
		canvas_puts(&t->canvas, t->at.names + column + 1, 1, TICKS_APART - 2, text,
			    STYLE_LOOK(LOOK_DIM));
	}
}

/* Marks a column of the ruler by a character, and of the tracks where they are empty. */
static void draw_line(struct tui *t, uint64_t when, wchar_t ch, bool in_tracks, struct style style)
{
	int column = view_column(t, when);
	unsigned x = t->at.names + column;

	if (column < 0)
		return;
	canvas_set(&t->canvas, x, 1, ch, style);
	for (unsigned y = t->at.tracks_y; in_tracks && y < t->at.tracks_y + t->at.tracks_height;
	     y++) {
		struct canvas_cell *cell = canvas_at(&t->canvas, x, y);

		if (cell && cell->ch == L' ' && cell->style.bg == CANVAS_NO_COLOUR)
			*cell = (struct canvas_cell){0x2502, STYLE_LOOK(LOOK_DIM)};
	}
}

static void draw_ruler(struct tui *t)
{
	struct lane_frame f = view_frame(t);

	if (t->search.sel)
		lane_draw(&f, FOUND, &t->canvas, 1, 1);
	draw_scale(t);
	for (unsigned x = 0; t->range.from < t->range.to && x < f.width; x++) {
		struct canvas_cell *cell = canvas_at(&t->canvas, f.x + x, 1);
		uint64_t first = lane_frame_time(&f, x), last = lane_frame_time(&f, x + 1);

		if (cell && last > t->range.from && first < t->range.to)
			cell->style.look = LOOK_REVERSE;
	}
	/* a mark at the cursor shows its name; the track shows the cursor there */
	draw_line(t, t->cursor, 0x25bc, true, STYLE_LOOK(LOOK_BOLD));
	for (unsigned i = 0; i < t->n_marks; i++)
		draw_line(t, t->marks[i].t, (wchar_t)t->marks[i].name, true,
			  STYLE_LOOK(LOOK_REVERSE | LOOK_BOLD));
}

/* Reverses the cell of the cursor on its track. */
static void draw_cursor(struct tui *t)
{
	int column = view_column(t, t->cursor);
	unsigned y = t->at.tracks_y;
	struct canvas_cell *cell;

	for (unsigned i = t->first_track; i < t->track && i < t->n_tracks; i++)
		y += t->tracks[i].rows;
	if (column < 0 || y >= t->at.tracks_y + t->at.tracks_height)
		return;
	cell = canvas_at(&t->canvas, t->at.names + column, y);
	if (cell)
		cell->style.look ^= LOOK_REVERSE;
}

static void draw_status(struct tui *t)
{
	TEXTBUF(marks, LINE_BYTES);
	TEXTBUF(here, LINE_BYTES);
	unsigned width = t->canvas.width, n, y = t->at.status_y, x = 0;

	tracks_fmt_here(t, &here);
	marks_fmt_short(t, &marks);
	n = textbuf_len(&marks);
	n = n > width / 2 ? width / 2 : n;
	canvas_puts(&t->canvas, 0, y, n ? width - n - 2 : width, textbuf_text(&here),
		    STYLE_LOOK(LOOK_BOLD));
	canvas_puts(&t->canvas, width - n, y, n, textbuf_text(&marks), STYLE_LOOK(LOOK_BOLD));
	for (size_t i = 0; i < sizeof(tabs) / sizeof(tabs[0]); i++) {
		bool is_shown = tabs[i].panel == t->panel ||
				(tabs[i].panel == PANEL_EVENTS && t->panel == PANEL_EVENT);

		x += canvas_puts(&t->canvas, x, y + 1, width - x, " ", STYLE_LOOK(LOOK_UNDERLINE));
		x += canvas_puts(&t->canvas, x, y + 1, width - x, tabs[i].name,
				 STYLE_LOOK(!is_shown ? LOOK_UNDERLINE
					    : t->focus == FOCUS_PANEL
						    ? LOOK_REVERSE
						    : LOOK_BOLD | LOOK_UNDERLINE));
	}
	canvas_fill(&t->canvas, x, y + 1, width - x, L' ', STYLE_LOOK(LOOK_UNDERLINE));
}

static void draw_small(struct tui *t)
{
	char text[120];

	snprintf(text, sizeof(text), "This window is too small: %d x %d are needed. q quits.",
		 SCREEN_WIDTH_MIN, SCREEN_HEIGHT_MIN);
	canvas_puts(&t->canvas, 0, 0, t->canvas.width, text, STYLE_PLAIN);
	screen_show(t->screen, &t->canvas, -1, 0);
}

void layout_draw(struct tui *t)
{
	canvas_clear(&t->canvas);
	if (t->canvas.width < SCREEN_WIDTH_MIN || t->canvas.height < SCREEN_HEIGHT_MIN) {
		draw_small(t);
		return;
	}
	find_places(t);
	draw_title(t);
	if (t->panel != PANEL_HELP) {
		tracks_draw(t);
		draw_ruler(t);
		draw_cursor(t);
		draw_status(t);
	}
	if (t->panel == PANEL_EVENTS)
		list_draw(t);
	else if (t->panel != PANEL_NONE)
		textpanel_draw(t);
	prompt_draw(t);
}

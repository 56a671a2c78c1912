// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * commands.c - what the keys do, as rows; the help text is made of the same rows.
 *
 * The keys are those of the page (web/commands.js), as far as it has the command. A terminal has no
 * pointer that is always somewhere, so the picture has a cursor, which the page has not: it is what
 * zooming keeps in place, what a mark marks, and what the event list follows. And a terminal has no
 * focus of its own, so Tab says what the arrow keys move: the picture, the tracks (L) or the panel.
 *
 * Every command has a visible effect, or a hint says why there is none.
 */
#include "base/textbuf.h"
#include "timeline/lanes/lane.h"
#include "tui/tui_int.h"

#include <stdio.h>
#include <string.h>

#define KEYS_MAX  5
#define ZOOM	  0.7
#define PAN	  0.1
#define PAGE	  0.8
#define ROOM	  0.02
#define ROOM_SPAN 0.25
#define SHIFT	  8 /* columns by which an arrow key moves a panel */
#define SHIFT_MAX 2000

static void zoom_in(struct tui *t)
{
	view_zoom(t, ZOOM);
}

static void zoom_out(struct tui *t)
{
	view_zoom(t, 1 / ZOOM);
}

static void left(struct tui *t)
{
	view_pan(t, -PAN);
}

static void right(struct tui *t)
{
	view_pan(t, PAN);
}

static void page_left(struct tui *t)
{
	view_pan(t, -PAGE);
}

static void page_right(struct tui *t)
{
	view_pan(t, PAGE);
}

static void fit(struct tui *t)
{
	view_jump(t, 0, (double)t->end);
}

/* The arrow keys move what has the focus. */
static void arrow_up(struct tui *t)
{
	if (t->focus == FOCUS_PICTURE)
		zoom_in(t);
	else if (t->focus == FOCUS_TRACKS)
		tracks_move(t, -1);
	else if (t->panel == PANEL_EVENTS)
		list_move(t, -1);
	else
		textpanel_scroll(t, -1);
}

static void arrow_down(struct tui *t)
{
	if (t->focus == FOCUS_PICTURE)
		zoom_out(t);
	else if (t->focus == FOCUS_TRACKS)
		tracks_move(t, 1);
	else if (t->panel == PANEL_EVENTS)
		list_move(t, 1);
	else
		textpanel_scroll(t, 1);
}

static void arrow_left(struct tui *t)
{
	if (t->focus == FOCUS_TRACKS)
		view_step(t, -1);
	else if (t->focus == FOCUS_PANEL)
		t->shift -= t->shift < SHIFT ? t->shift : SHIFT;
	else
		left(t);
}

static void arrow_right(struct tui *t)
{
	if (t->focus == FOCUS_TRACKS)
		view_step(t, 1);
	else if (t->focus == FOCUS_PANEL)
		t->shift += t->shift < SHIFT_MAX ? SHIFT : 0;
	else
		right(t);
}

static void scroll_page(struct tui *t, int way)
{
	int n = (int)t->at.panel_height - 1;

	if (t->focus == FOCUS_TRACKS || t->panel == PANEL_NONE)
		tracks_move(t, way * (int)t->at.tracks_height);
	else if (t->panel == PANEL_EVENTS)
		list_move(t, way * n);
	else
		textpanel_scroll(t, way * n);
}

static void page_up(struct tui *t)
{
	scroll_page(t, -1);
}

static void page_down(struct tui *t)
{
	scroll_page(t, 1);
}

static void show_span(struct tui *t, double room)
{
	struct lane_span s;
	double span;

	if (!tracks_span(t, &s) || s.end <= s.start) {
		tui_hint(t, "There is no span under the cursor.");
		return;
	}
	span = (double)(s.end - s.start);
	view_jump(t, s.start - span * room, s.end + span * room);
}

static void show(struct tui *t)
{
	if (t->focus == FOCUS_PANEL && t->panel == PANEL_EVENTS)
		tui_show_panel(t, PANEL_EVENT);
	else
		show_span(t, ROOM_SPAN);
}

static void zoom_to(struct tui *t)
{
	double span = (double)(t->range.to - t->range.from);

	if (t->range.from < t->range.to)
		view_jump(t, t->range.from - span * ROOM, t->range.to + span * ROOM);
	else
		show_span(t, ROOM);
}

static void back(struct tui *t)
{
	view_back(t, false);
}

static void forward(struct tui *t)
{
	view_back(t, true);
}

static void go_to_time(struct tui *t)
{
	prompt_open(t, PROMPT_TIME);
}

/* Steps in what the user looks at: through events in the list, else through the track's spans. */
static void step(struct tui *t, bool is_back)
{
	if (t->focus == FOCUS_PANEL && t->panel == PANEL_EVENTS)
		list_move(t, is_back ? -1 : 1);
	else
		tracks_step(t, is_back);
}

static void next(struct tui *t)
{
	step(t, false);
}

static void previous(struct tui *t)
{
	step(t, true);
}

static void set_range(struct tui *t)
{
	struct lane_span s;

	if (t->n_marks > 1) {
		t->range = (struct tui_range){UINT64_MAX, 0};
		for (unsigned i = 0; i < t->n_marks; i++) {
			uint64_t when = t->marks[i].t;

			t->range.from = when < t->range.from ? when : t->range.from;
			t->range.to = when > t->range.to ? when : t->range.to;
		}
	} else if (tracks_span(t, &s) && s.end > s.start) {
		t->range = (struct tui_range){s.start, s.end};
	} else {
		tui_hint(t, "Set two marks first, or put the cursor on a span.");
	}
}

static void range_of_all(struct tui *t)
{
	t->range = (struct tui_range){0, t->end};
}

static void escape(struct tui *t)
{
	if (t->panel == PANEL_HELP)
		tui_show_panel(t, t->panel_before);
	else if (t->panel == PANEL_EVENT)
		tui_show_panel(t, PANEL_EVENTS);
	else if (t->range.from < t->range.to)
		t->range = (struct tui_range){0, 0};
	else if (t->search.sel)
		found_clear(t, &t->search);
	else if (t->filter.sel)
		found_clear(t, &t->filter);
	else if (t->focus != FOCUS_PICTURE)
		t->focus = FOCUS_PICTURE;
	else
		tui_hint(t, "There is no range, search or filter to clear.");
}

static void mark(struct tui *t)
{
	marks_set(t, t->cursor);
}

static void mark_span(struct tui *t)
{
	struct lane_span s;

	if (!tracks_span(t, &s)) {
		mark(t);
		return;
	}
	marks_set(t, s.start);
	marks_set(t, s.end);
}

static void search_text(struct tui *t)
{
	prompt_open(t, PROMPT_TEXT);
}

static void search_expression(struct tui *t)
{
	prompt_open(t, PROMPT_EXPRESSION);
}

static void next_hit(struct tui *t)
{
	search_next(t, false);
}

static void previous_hit(struct tui *t)
{
	search_next(t, true);
}

static void next_loss(struct tui *t)
{
	search_loss(t, false);
}

static void previous_loss(struct tui *t)
{
	search_loss(t, true);
}

static void filter(struct tui *t)
{
	prompt_open(t, PROMPT_FILTER);
}

static void focus_tracks(struct tui *t)
{
	t->focus = t->focus == FOCUS_TRACKS ? FOCUS_PICTURE : FOCUS_TRACKS;
}

static void focus_next(struct tui *t)
{
	t->focus = t->focus == FOCUS_PANEL || (t->focus == FOCUS_TRACKS && t->panel == PANEL_NONE)
			   ? FOCUS_PICTURE
			   : t->focus + 1;
}

static void focus_before(struct tui *t)
{
	t->focus = t->focus != FOCUS_PICTURE ? t->focus - 1
		   : t->panel == PANEL_NONE  ? FOCUS_TRACKS
					     : FOCUS_PANEL;
}

static void other_tracks(struct tui *t)
{
	static const char *const words[] = {"The first tracks, as in sonde view.", "All CPUs.",
					    "All tasks, the longest running first."};

	tracks_choose(t, (t->kind + 1) % 3);
	tui_hint(t, "%s", words[t->kind]);
}

static void show_events(struct tui *t)
{
	tui_show_panel(t, PANEL_EVENTS);
}

static void show_marks(struct tui *t)
{
	tui_show_panel(t, PANEL_MARKS);
}

static void show_states(struct tui *t)
{
	t->only_task = t->panel == PANEL_STATES && !t->only_task;
	tui_show_panel(t, PANEL_STATES);
}

static void show_counts(struct tui *t)
{
	tui_show_panel(t, PANEL_COUNTS);
}

static void show_why(struct tui *t)
{
	tui_show_panel(t, PANEL_WHY);
}

static void show_info(struct tui *t)
{
	tui_show_panel(t, PANEL_INFO);
}

static void no_panel(struct tui *t)
{
	tui_show_panel(t, t->panel == PANEL_NONE ? t->panel_before : PANEL_NONE);
}

static void help(struct tui *t)
{
	tui_show_panel(t, t->panel == PANEL_HELP ? t->panel_before : PANEL_HELP);
}

static void quit(struct tui *t)
{
	t->is_over = true;
}

/* A click puts the cursor there; the wheel zooms the picture and scrolls the panel. */
static void click(struct tui *t)
{
	struct lane_frame f = view_frame(t);
	unsigned x, y;

	screen_pointer(t->screen, &x, &y);
	if (t->panel != PANEL_NONE && y >= t->at.panel_y) {
		t->focus = FOCUS_PANEL;
		if (t->panel == PANEL_EVENTS)
			list_click(t, y);
		return;
	}
	if (t->focus == FOCUS_PANEL)
		t->focus = FOCUS_PICTURE;
	tracks_click(t, y);
	if (x >= f.x)
		view_point(t, lane_frame_time(&f, x - f.x + 0.5));
}

static void wheel(struct tui *t, int way)
{
	struct lane_frame f = view_frame(t);
	unsigned x, y;

	screen_pointer(t->screen, &x, &y);
	if (t->panel != PANEL_NONE && y >= t->at.panel_y) {
		if (t->panel == PANEL_EVENTS)
			list_move(t, 3 * way);
		else
			textpanel_scroll(t, 3 * way);
		return;
	}
	if (x >= f.x)
		view_point(t, lane_frame_time(&f, x - f.x + 0.5));
	view_zoom(t, way < 0 ? ZOOM : 1 / ZOOM);
}

static void wheel_up(struct tui *t)
{
	wheel(t, -1);
}

static void wheel_down(struct tui *t)
{
	wheel(t, 1);
}

static const struct command_row {
	const char *group, *name, *shown; /* shown: the keys in the help text; NULL: no line */
	int keys[KEYS_MAX];
	void (*act)(struct tui *t);
} rows[] = {
	{"Move", "zoom in", "w + Up", {'w', '+', '='}, zoom_in},
	{"Move", "zoom out", "s - Down", {'s', '-'}, zoom_out},
	{"Move", "left", "a Left", {'a'}, left},
	{"Move", "right", "d Right", {'d'}, right},
	{"Move", "a page left", "A Shift+Left", {'A', SCREEN_SHIFT_LEFT}, page_left},
	{"Move", "a page right", "D Shift+Right", {'D', SCREEN_SHIFT_RIGHT}, page_right},
	{"Move", "the whole trace", "0 Home", {'0', SCREEN_HOME}, fit},
	{"Move", "the span at the cursor", "f Enter", {'f', SCREEN_ENTER}, show},
	{"Move", "zoom to the range or span", "z", {'z'}, zoom_to},
	{"Move", "back to the view before", "u", {'u'}, back},
	{"Move", "forward again", "U", {'U'}, forward},
	{"Move", "go to a time", "g", {'g'}, go_to_time},
	{"Move", "what the arrows move", "Tab", {'\t'}, focus_next},
	{"Move", NULL, NULL, {SCREEN_BACK_TAB}, focus_before},
	{"Move", NULL, NULL, {SCREEN_UP}, arrow_up},
	{"Move", NULL, NULL, {SCREEN_DOWN}, arrow_down},
	{"Move", NULL, NULL, {SCREEN_LEFT}, arrow_left},
	{"Move", NULL, NULL, {SCREEN_RIGHT}, arrow_right},
	{"Move", "scroll the panel", "PgUp PgDn", {SCREEN_PAGE_DOWN}, page_down},
	{"Move", NULL, NULL, {SCREEN_PAGE_UP}, page_up},
	{"Tracks", "next span or event", ".", {'.'}, next},
	{"Tracks", "previous span or event", ",", {','}, previous},
	{"Tracks", "choose a track by arrows", "l", {'l'}, focus_tracks},
	{"Tracks", "first tracks, CPUs, tasks", "c", {'c'}, other_tracks},
	{"Select", "marks or span as range", "r", {'r'}, set_range},
	{"Select", "everything as range", "Ctrl+A", {SCREEN_CTRL('A')}, range_of_all},
	{"Select", "clear range or search", "Esc", {SCREEN_ESCAPE, SCREEN_CTRL('D')}, escape},
	{"Marks", "mark here", "m", {'m'}, mark},
	{"Marks", "mark the span's ends", "M", {'M'}, mark_span},
	{"Marks", "remove the active mark", "Del", {SCREEN_DELETE, SCREEN_BACKSPACE}, marks_remove},
	{"Find", "search a text", "/ Ctrl+F", {'/', SCREEN_CTRL('F')}, search_text},
	{"Find", "search with an expression", ":", {':'}, search_expression},
	{"Find", "next hit", "n", {'n'}, next_hit},
	{"Find", "previous hit", "N", {'N'}, previous_hit},
	{"Find", "to the next lost events", "e", {'e'}, next_loss},
	{"Find", "to the losses before", "E", {'E'}, previous_loss},
	{"Find", "filter the event list", "i", {'i'}, filter},
	{"Panels", "events", "1", {'1'}, show_events},
	{"Panels", "marks and distances", "2", {'2'}, show_marks},
	{"Panels", "states; again: one task", "3", {'3'}, show_states},
	{"Panels", "event counts", "4", {'4'}, show_counts},
	{"Panels", "why: the critical path", "9 y", {'9', 'y'}, show_why},
	{"Panels", "info about the trace", "o", {'o'}, show_info},
	{"Panels", "no panel", "x", {'x'}, no_panel},
	{"Screen", "help", "? F1", {'?', SCREEN_F1}, help},
	{"Screen", "quit", "q", {'q'}, quit},
	{"Screen", NULL, NULL, {SCREEN_CLICK}, click},
	{"Screen", NULL, NULL, {SCREEN_WHEEL_UP}, wheel_up},
	{"Screen", NULL, NULL, {SCREEN_WHEEL_DOWN}, wheel_down},
};
#define N_ROWS (sizeof(rows) / sizeof(rows[0]))

void commands_key(struct tui *t, int key)
{
	t->hint[0] = 0;
	for (size_t i = 0; i < N_ROWS; i++)
		for (size_t k = 0; k < KEYS_MAX && rows[i].keys[k]; k++)
			if (rows[i].keys[k] == key) {
				rows[i].act(t);
				return;
			}
	tui_hint(t, "This key does nothing; ? shows the keys.");
}

/* Two columns, so that all keys fit on a small screen. */
void commands_fmt_keys(struct textbuf *tb)
{
	const struct command_row *shown[N_ROWS];
	size_t n = 0, half;

	for (size_t i = 0; i < N_ROWS; i++)
		if (rows[i].name)
			shown[n++] = &rows[i];
	half = (n + 1) / 2;
	for (size_t i = 0; i < half; i++) {
		textbuf_addf(tb, "%-13.13s %-25.25s", shown[i]->shown, shown[i]->name);
		if (i + half < n)
			textbuf_addf(tb, " %-13.13s %.25s", shown[i + half]->shown,
				     shown[i + half]->name);
		textbuf_add_char(tb, '\n');
	}
}

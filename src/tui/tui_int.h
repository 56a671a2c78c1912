/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tui_int.h - the state of the screens, which the files of this room share.
 *
 *	 title, ruler                       layout.c
 *	 tracks: names and lanes            tracks.c, lanedraw.c
 *	 what is under the cursor, marks    layout.c, marks.c
 *	 panel: events, or a text           list.c, textpanel.c
 *	 prompt, hint or keys               prompt.c
 */
#ifndef SONDE_TUI_TUI_INT_H
#define SONDE_TUI_TUI_INT_H

#include "base/textbuf.h"
#include "timeline/lanes/lane.h"
#include "tui/canvas.h"
#include "tui/lanedraw.h"
#include "tui/screen.h"
#include "tui/tui.h"
#include "view/stage.h"

#define TUI_MARKS_MAX	26
#define TUI_VIEWS_MAX	64
#define TUI_PROMPT_SIZE 400
#define TUI_HINT_SIZE	400

struct track {
	char spec[160], name[96];
	unsigned rows;
};

enum tui_tracks { TRACKS_FIRST, TRACKS_CPUS, TRACKS_TASKS };
/* what the arrow keys move */
enum tui_focus { FOCUS_PICTURE, FOCUS_TRACKS, FOCUS_PANEL };
enum tui_panel {
	PANEL_NONE,
	PANEL_EVENTS,
	PANEL_MARKS,
	PANEL_STATES,
	PANEL_COUNTS,
	PANEL_WHY,
	PANEL_INFO,
	PANEL_EVENT, /* one event with all its lines */
	PANEL_HELP,
};
enum tui_prompt { PROMPT_NONE, PROMPT_TEXT, PROMPT_EXPRESSION, PROMPT_FILTER, PROMPT_TIME };

struct tui_range {
	uint64_t from, to;
};

struct tui_mark {
	char name;
	uint64_t t;
};

/* Events that a search or a filter selects. */
struct tui_found {
	struct selection *sel; /* NULL: none */
	char text[TUI_PROMPT_SIZE];
	bool is_expression;
};

struct tui_list {
	uint64_t row, first; /* the selected row, and the first one on the screen */
	uint64_t cursor;     /* where the cursor was when the row was found */
	bool is_found;
};

/* The text of a panel. It is made again when its key changes. */
struct tui_text {
	struct textbuf tb;
	unsigned first; /* the first line on the screen */
	struct text_key {
		enum tui_panel panel;
		uint64_t from, to, version;
		int task;
	} key;
};

struct tui_layout {
	unsigned names; /* columns of the names; lanes begin there */
	unsigned tracks_y, tracks_height, status_y, panel_y, panel_height;
};

struct tui {
	const struct tui_config *config;
	struct stage *st;
	struct screen *screen;
	struct canvas canvas;
	struct tile_cache *tiles;
	struct tui_layout at;
	uint64_t from, to, end, cursor;
	struct tui_range range; /* equal: none */
	struct tui_range views[TUI_VIEWS_MAX];
	unsigned n_views, view;
	struct track *tracks;
	size_t n_tracks;
	unsigned track, first_track;
	enum tui_tracks kind;
	struct tui_mark marks[TUI_MARKS_MAX];
	unsigned n_marks, mark; /* mark: the active one */
	enum tui_panel panel, panel_before;
	enum tui_focus focus;
	unsigned shift; /* columns of a panel that are left of the screen */
	bool only_task; /* the panel of states shows only the task under the cursor */
	struct tui_list list;
	struct tui_found search, filter;
	struct tui_text text;
	enum tui_prompt prompt;
	char typed[TUI_PROMPT_SIZE], hint[TUI_HINT_SIZE];
	size_t n_typed;
	uint64_t version; /* changes when marks or selections do */
	float progress;	  /* of the index, when the screen was drawn last */
	bool is_over;
};

/* --- view.c: the visible range and the cursor ------------------------------------------------- */

void view_go(struct tui *t, double from, double to);
/* Remembers the view, and goes to another one. */
void view_jump(struct tui *t, double from, double to);
void view_pan(struct tui *t, double share);
void view_zoom(struct tui *t, double factor);
void view_back(struct tui *t, bool forward);
/* Moves the cursor; the view follows if it must. */
void view_point(struct tui *t, uint64_t when);
void view_step(struct tui *t, int columns);
unsigned view_width(const struct tui *t); /* columns of the lanes */
struct lane_frame view_frame(const struct tui *t);
/* Returns the column of a time, or -1 if it is outside. */
int view_column(const struct tui *t, uint64_t when);
/* Returns the range that panels are about: the chosen one, or what is visible. */
struct tui_range view_scope(const struct tui *t);

/* --- tracks.c --------------------------------------------------------------------------------- */

int tracks_choose(struct tui *t, enum tui_tracks kind);
void tracks_draw(struct tui *t);
void tracks_move(struct tui *t, int by);
/* Returns the spec of the current track, or NULL. */
const char *tracks_spec(const struct tui *t);
/* Returns the number of the task at the cursor on the current track, or -1. */
int tracks_task(struct tui *t);
/* Writes what is at the cursor: "CPU 0: sleep-234 runs, 1.2 ms from … to …". */
void tracks_fmt_here(struct tui *t, struct textbuf *tb);
/* Goes to the next span of the current track, or to the one before it. */
void tracks_step(struct tui *t, bool back);
/* Finds the span under the cursor. Returns false if there is none. */
bool tracks_span(struct tui *t, struct lane_span *ret);
/* Makes the track in line y of the screen the current one. */
void tracks_click(struct tui *t, unsigned y);

/* --- marks.c ---------------------------------------------------------------------------------- */

void marks_set(struct tui *t, uint64_t when);
void marks_remove(struct tui *t);
/* Writes "A 1.2  B 1.4: 200 ms": the marks and the distance of the last two. */
void marks_fmt_short(const struct tui *t, struct textbuf *tb);
void marks_fmt(const struct tui *t, struct textbuf *tb);

/* --- search.c --------------------------------------------------------------------------------- */

/* Selects events by text, or by an expression of report -F. An empty text selects none. */
int found_set(struct tui *t, struct tui_found *f, const char *text, bool is_expression,
	      struct errmsg *err);
void found_clear(struct tui *t, struct tui_found *f);
void search_next(struct tui *t, bool back);
void search_loss(struct tui *t, bool back);

/* --- list.c: the event list ------------------------------------------------------------------- */

void list_draw(struct tui *t);
void list_move(struct tui *t, int64_t by);
void list_click(struct tui *t, unsigned y);
/* Writes the selected event with all its lines. */
void list_fmt_event(struct tui *t, struct textbuf *tb);

/* --- textpanel.c ------------------------------------------------------------------------------ */

void textpanel_draw(struct tui *t);
void textpanel_scroll(struct tui *t, int by);

/* --- prompt.c --------------------------------------------------------------------------------- */

void prompt_open(struct tui *t, enum tui_prompt prompt);
/* Takes a key while a prompt is open. */
void prompt_key(struct tui *t, int key);
void prompt_draw(struct tui *t);

/* --- commands.c ------------------------------------------------------------------------------- */

/* Does what a key stands for. */
void commands_key(struct tui *t, int key);
void commands_fmt_keys(struct textbuf *tb);

/* --- layout.c --------------------------------------------------------------------------------- */

void layout_draw(struct tui *t);
void __attribute__((format(printf, 2, 3))) tui_hint(struct tui *t, const char *fmt, ...);
void tui_show_panel(struct tui *t, enum tui_panel panel);

#endif

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * view.c - the visible range of time, and the cursor in it.
 *
 *	0 … from ───── cursor ───── to … end
 *
 * The cursor is always visible: if the view moves away from it, it stays at the edge. Zooming keeps
 * the cursor at its place on the screen. Jumps are remembered, moving and zooming are not, as on
 * the page.
 */
#include "timeline/timeline.h"
#include "tui/tui_int.h"

#include <string.h>

#define SPAN_LEAST 50 /* smallest visible time, as on the page */
#define SHOW_SHARE 0.25

unsigned view_width(const struct tui *t)
{
	return t->canvas.width > t->at.names ? t->canvas.width - t->at.names : 1;
}

struct lane_frame view_frame(const struct tui *t)
{
	return (struct lane_frame){.st = t->st,
				   .tiles = t->tiles,
				   .from = t->from,
				   .to = t->to,
				   .x = t->at.names,
				   .width = view_width(t),
				   .n_colours = screen_n_colours(t->screen)};
}

void view_go(struct tui *t, double from, double to)
{
	double end = (double)t->end, span = to - from, middle = (from + to) / 2;
	double least = end < SPAN_LEAST ? end : SPAN_LEAST;

	span = span < least ? least : span > end ? end : span;
	from = middle - span / 2;
	from = from < 0 ? 0 : from + span > end ? end - span : from;
	t->from = (uint64_t)from;
	t->to = (uint64_t)(from + span);
	t->to = t->to > t->end ? t->end : t->to;
	t->to = t->to <= t->from ? t->from + 1 : t->to;
	t->cursor = t->cursor < t->from ? t->from : t->cursor > t->to ? t->to : t->cursor;
	timeline_hint(t->st->tl, t->from, t->to);
}

void view_jump(struct tui *t, double from, double to)
{
	struct tui_range before = {t->from, t->to};

	view_go(t, from, to);
	if (t->from == before.from && t->to == before.to)
		return;
	if (t->n_views && t->view + 1 < t->n_views)
		t->n_views = t->view + 1;
	if (t->n_views == TUI_VIEWS_MAX) {
		memmove(t->views, t->views + 1, (TUI_VIEWS_MAX - 1) * sizeof(*t->views));
		t->n_views--;
	}
	if (!t->n_views)
		t->n_views = 1;
	t->views[t->n_views - 1] = before;
	if (t->n_views < TUI_VIEWS_MAX)
		t->n_views++;
	t->views[t->n_views - 1] = (struct tui_range){t->from, t->to};
	t->view = t->n_views - 1;
}

void view_back(struct tui *t, bool forward)
{
	if (forward ? t->view + 1 >= t->n_views : !t->view) {
		tui_hint(t, "There is no view %s this one.", forward ? "after" : "before");
		return;
	}
	t->views[t->view] = (struct tui_range){t->from, t->to};
	t->view += forward ? 1 : -1;
	view_go(t, t->views[t->view].from, t->views[t->view].to);
}

void view_pan(struct tui *t, double share)
{
	double by = (double)(t->to - t->from) * share;

	view_go(t, t->from + by, t->to + by);
}

void view_zoom(struct tui *t, double factor)
{
	double left = (double)(t->cursor - t->from) * factor,
	       right = (double)(t->to - t->cursor) * factor;
	uint64_t cursor = t->cursor;

	view_go(t, cursor - left, cursor + right);
}

void view_point(struct tui *t, uint64_t when)
{
	double span = t->to - t->from;

	t->cursor = when < t->end ? when : t->end;
	if (t->cursor < t->from || t->cursor > t->to)
		view_go(t, t->cursor - span * SHOW_SHARE, t->cursor + span * (1 - SHOW_SHARE));
	t->cursor = when < t->end ? when : t->end;
}

int view_column(const struct tui *t, uint64_t when)
{
	double column;

	if (when < t->from || when > t->to)
		return -1;
	column = (double)(when - t->from) * view_width(t) / (double)(t->to - t->from);
	return column < view_width(t) ? (int)column : (int)view_width(t) - 1;
}

void view_step(struct tui *t, int columns)
{
	struct lane_frame f = view_frame(t);
	double by = (double)(t->to - t->from) / f.width * columns, to = (double)t->cursor + by;

	if (columns < 0 && to > (double)t->cursor - 1)
		to = (double)t->cursor - 1;
	if (columns > 0 && to < (double)t->cursor + 1)
		to = (double)t->cursor + 1;
	view_point(t, to < 0 ? 0 : (uint64_t)to);
}

struct tui_range view_scope(const struct tui *t)
{
	return t->range.from < t->range.to ? t->range : (struct tui_range){t->from, t->to};
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * boxes.c - draws the content of a lane as rectangles into a file, like the page's painters
 * (web/draw_gl.js).
 *
 *	CPU       one run has the full height; a bucket of many runs has the height of their
 *	          share of the time
 *	states    running full, runnable and preempted striped and lower, blocked outlined, sleeping
 *	          a line, lost data red stripes, unrecorded time grey stripes (CPUs, too);
 *	          the states of a bucket are stacked
 *	spans     one row per depth; ticks; numbers as an area with a line
 *
 * Tiles are requested at the level where a bucket is at most a pixel wide, so areas are correct. A
 * box that is not a bucket has a tooltip, and its name if there is room. On a page (is_page) the
 * name is always written, and the page's script decides after each zoom whether to show it.
 */
#include "base/errmsg.h"
#include "base/scope.h"
#include "base/textbuf.h"
#include "decode/taskstate.h"
#include "timeline/states/states.h"
#include "view/picture/picture_int.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TILES_MAX	 64 /* limit per lane: 2 * width / 1024, rounded up, and a few more */
#define NAME_LEAST_PX	 26 /* narrower boxes have no name */
#define PAGE_LEAST_PX	 1  /* limit for a page, where zooming may widen boxes */
#define FONT_PX		 11
#define CALL_BYTES	 1024 /* of a call with its arguments; more of them are cut */
#define VALUES_MAX_BYTES 65536

/*
 * For each state: its share of the height; whether its boxes are striped, outlined or named; its
 * place in the stack.
 */
static const struct {
	double share;
	bool is_striped, is_outlined, is_named;
	int order;
} looks[STATES_N] = {
	{1, true, false, true, 8},   {1, false, false, true, 3},    {.72, true, false, true, 4},
	{.72, true, false, true, 5}, {.14, false, false, false, 0}, {1, false, true, true, 6},
	{.5, false, false, true, 7}, {.14, false, false, false, 1}, {.06, false, false, false, 2},
};
#define PILED_FROM 3 /* the states before it are drawn behind the stack */

/* Returns the title of an unknown state: data was lost, or was not recorded. */
static const char *unknown_title(uint8_t flags)
{
	return flags & TILE_MISSED ? "unknown, data of a CPU is missing:" : "not recorded:";
}

static const char *unknown_name(uint8_t flags)
{
	return flags & TILE_MISSED ? "unknown" : "not recorded";
}

struct box {
	double x0, x1, y, height;
	unsigned class;
	double opacity;
	bool is_striped, is_outlined;
	bool is_grey;	   /* grey stripes: the data was not recorded, as opposed to lost */
	const char *title; /* NULL: none */
};

static const struct timeline_task *find_task(const struct drawing *d, uint32_t n)
{
	return n < timeline_n_tasks(d->st->tl) ? timeline_task(d->st->tl, n) : NULL;
}

/* Draws the rectangle of a box. Returns false if it is not visible. */
static bool add_box(struct drawing *d, const struct box *b)
{
	double x0 = b->x0 < 0 ? 0 : b->x0, x1 = b->x1 > d->pic->width ? d->pic->width : b->x1;
	char class[16];

	if (x1 < x0 || b->height <= 0)
		return false;
	d->used[b->class] = true;
	palette_fmt_class(b->class, class);
	textbuf_addf(d->out, "<rect x=\"%.2f\" y=\"%.1f\" width=\"%.2f\" height=\"%.1f\"", x0, b->y,
		     x1 - x0 > 0.5 ? x1 - x0 : 0.5, b->height);
	if (b->is_striped)
		textbuf_addf(d->out, " fill=\"url(#%s%s)\"", class, b->is_grey ? "n" : "");
	else
		textbuf_addf(d->out, " class=\"%s%s\"", class, b->is_outlined ? " rim" : "");
	if (b->opacity < 1 && !b->is_outlined)
		textbuf_addf(d->out, " fill-opacity=\"%.2f\"", b->opacity);
	if (!b->title) {
		textbuf_add_str(d->out, "/>\n");
		return true;
	}
	textbuf_add_str(d->out, "><title>");
	drawing_add_text(d->out, b->title);
	textbuf_add_str(d->out, "</title></rect>\n");
	return true;
}

/* Writes a name in the middle of a box. A page's script may shorten it (can_cut) to fit. */
static void add_name(struct drawing *d, const struct box *b, const char *name, bool can_cut,
		     const char *class)
{
	double x0 = b->x0 < 0 ? 0 : b->x0, x1 = b->x1 > d->pic->width ? d->pic->width : b->x1,
	       room = x1 - x0 - 8;
	bool fits = x1 - x0 >= NAME_LEAST_PX && drawing_text_width(name, FONT_PX) <= room;

	if (!name[0] || (!fits && (!d->pic->is_page || x1 - x0 < PAGE_LEAST_PX)))
		return;
	textbuf_addf(d->out, "<text x=\"%.2f\" y=\"%.1f\" class=\"in %s\"", (x0 + x1) / 2,
		     b->y + b->height / 2 + 4, class);
	if (d->pic->is_page) {
		textbuf_addf(d->out, " data-w=\"%.2f\"%s data-n=\"", x1 - x0,
			     can_cut ? " data-cut=\"\"" : "");
		drawing_add_text(d->out, name);
		textbuf_add_char(d->out, '"');
	}
	textbuf_add_char(d->out, '>');
	if (fits)
		drawing_add_text(d->out, name);
	textbuf_add_str(d->out, "</text>\n");
}

static void fmt_title(const struct drawing *d, char *buf, size_t size, const char *name, double ns)
{
	char duration[40];

	drawing_fmt_duration(d, duration, sizeof(duration), ns);
	snprintf(buf, size, "%s %s", name, duration);
}

/* --- by kind of lane -------------------------------------------------------------------------- */

struct record_place {
	double x0, x1, ns;
	bool has_span;
	struct lane_span span; /* the whole span of an exact record, if has_span */
};

/*
 * A box that is not a bucket begins a pixel later, so that the border to the previous box is
 * visible.
 */
static void set_seam(struct box *b)
{
	if (b->x1 - b->x0 > 3 && b->x0 > 0)
		b->x0 += 1;
}

static void add_run(struct drawing *d, const struct tile_record *rec, const struct record_place *at)
{
	const struct timeline_task *t = find_task(d, rec->value);
	bool is_exact = rec->flags & TILE_EXACT;
	double height = is_exact ? d->height : d->height * rec->weight / 65535.0;
	struct box b = {at->x0, at->x1, d->y + d->height - height, height, .opacity = 1};
	char title[160], name[64], comm[40], class[16];

	if (rec->value == TIMELINE_NO_TASK) { /* the task is unknown */
		b = (struct box){at->x0,
				 at->x1,
				 d->y,
				 d->height,
				 PALETTE_STATE,
				 .opacity = 1,
				 .is_striped = true,
				 .is_grey = !(rec->flags & TILE_MISSED),
				 .title = is_exact ? title : NULL};
		fmt_title(d, title, sizeof(title), unknown_title(rec->flags), at->ns);
		if (add_box(d, &b) && is_exact)
			add_name(d, &b, unknown_name(rec->flags), false, "halo");
		return;
	}
	if (!t || !t->pid)
		return; /* idle time is empty */
	b.class = palette_task(t->comm, strnlen(t->comm, sizeof(t->comm)), t->pid);
	if (!is_exact) {
		add_box(d, &b);
		return;
	}
	snprintf(comm, sizeof(comm), "%.31s", t->comm);
	snprintf(name, sizeof(name), "%s-%d", comm, t->pid);
	fmt_title(d, title, sizeof(title), name, at->ns);
	set_seam(&b);
	b.title = title;
	if (!add_box(d, &b))
		return;
	palette_fmt_class(b.class, class);
	/* write the PID, too, if there is room */
	add_name(d, &b, drawing_text_width(name, FONT_PX) <= b.x1 - b.x0 - 8 ? name : comm, true,
		 class);
}

static void add_state(struct drawing *d, const struct tile_record *rec,
		      const struct record_place *at)
{
	unsigned state = rec->value < STATES_N ? rec->value : 0;
	double height = d->height * looks[state].share;
	struct box b = {at->x0,
			at->x1,
			d->y + d->height - height,
			height,
			PALETTE_STATE + state,
			1,
			looks[state].is_striped,
			looks[state].is_outlined};
	char title[160], class[16];

	fmt_title(d, title, sizeof(title),
		  state ? task_state_name(state) : unknown_title(rec->flags), at->ns);
	b.title = title;
	b.is_grey = state == STATE_UNKNOWN && !(rec->flags & TILE_MISSED);
	if (!add_box(d, &b) || !looks[state].is_named)
		return;
	palette_fmt_class(b.class, class);
	add_name(d, &b, state ? task_state_name(state) : unknown_name(rec->flags), false,
		 state == STATE_RUNNING ? class : "halo");
}

/* Draws the states of one bucket: stacked from the bottom up, with sleep as a line behind them. */
static void add_pile(struct drawing *d, const struct tile_record *recs, size_t n,
		     const struct record_place *at)
{
	double base = 0;

	for (int order = 0; order < STATES_N; order++)
		for (size_t i = 0; i < n; i++) {
			unsigned state = recs[i].value < STATES_N ? recs[i].value : 0;
			double share = recs[i].weight / 65535.0;
			struct box b = {at->x0, at->x1, .class = PALETTE_STATE + state,
					.opacity = 1};

			if (looks[state].order != order)
				continue;
			b.height = d->height * (order < PILED_FROM ? looks[state].share : share);
			b.y = d->y + d->height - b.height;
			b.is_striped = looks[state].is_striped;
			b.is_grey = state == STATE_UNKNOWN && !(recs[i].flags & TILE_MISSED);
			if (order >= PILED_FROM) {
				b.y -= base * d->height;
				base += share;
			}
			add_box(d, &b);
		}
}

/*
 * Writes the name of a call with its arguments and return value, "read(3, 4096) = 100", as far as
 * there is room. Writes nothing if they were not recorded.
 */
static void fmt_call(const struct drawing *d, const char *name, const struct lane_span *s,
		     char *buf, size_t size)
{
	TEXTBUF(args, VALUES_MAX_BYTES);
	TEXTBUF(ret, VALUES_MAX_BYTES);
	int n;

	buf[0] = 0;
	if (!lane_read_values(d->lane, s, &args, &ret))
		return;
	n = snprintf(buf, size, "%s(%.*s)%s%.*s", name, (int)textbuf_len(&args),
		     textbuf_len(&args) ? args.start : "", textbuf_len(&ret) ? " = " : "",
		     (int)textbuf_len(&ret), textbuf_len(&ret) ? ret.start : "");
	if (n >= (int)size)
		snprintf(buf + size - sizeof("…"), sizeof("…"), "…");
}

static void add_span(struct drawing *d, const struct tile_record *rec,
		     const struct record_place *at)
{
	bool is_exact = rec->flags & TILE_EXACT, is_full;
	double full = d->height - 1, height = is_exact ? full : full * rec->weight / 65535.0;
	struct box b = {at->x0,
			at->x1,
			d->y + rec->row * d->height + full - height,
			height,
			PALETTE_SPAN + rec->value % PALETTE_SPANS,
			1};
	char name[128], call[CALL_BYTES] = "", first[CALL_BYTES + 2], title[CALL_BYTES + 64];
	char class[16];
	size_t len;

	if (!is_exact) {
		add_box(d, &b);
		return;
	}
	len = lane_label(d->lane, rec->value, name, sizeof(name));
	name[len < sizeof(name) ? len : sizeof(name) - 1] = 0;
	if (at->has_span)
		fmt_call(d, name, &at->span, call, sizeof(call));
	snprintf(first, sizeof(first), "%s%s", call[0] ? call : name, call[0] ? "," : "");
	fmt_title(d, title, sizeof(title), first, at->ns);
	b.title = title;
	set_seam(&b);
	if (!add_box(d, &b))
		return;
	/* on a page, where there may be room after zooming, the script shortens the text */
	is_full = call[0] &&
		  (d->pic->is_page || drawing_text_width(call, FONT_PX) <= b.x1 - b.x0 - 8);
	add_name(d, &b, is_full ? call : name, true, palette_fmt_class(b.class, class));
}

static void add_tick(struct drawing *d, const struct tile_record *rec,
		     const struct record_place *at)
{
	double share = log2(1.0 + rec->value) / 7;
	struct box b = {at->x0,	   at->x0 + 1,	 d->y,
			d->height, PALETTE_TICK, .4 + .6 * fmin(1, share)};

	if (rec->flags & TILE_FOUND)
		b.class = PALETTE_FOUND;
	if (rec->flags & TILE_MISSED) {
		b.class = PALETTE_MISSED;
		b.opacity = 1;
	}
	add_box(d, &b);
}

static void add_number(struct drawing *d, const struct tile_record *rec,
		       const struct record_place *at)
{
	double range = d->high > d->low ? d->high - d->low : 1e-30, bottom = d->y + d->height, a, z;
	struct counter_record c;
	char title[80];

	memcpy(&c, rec, sizeof(c));
	if (!isfinite(c.min) || !isfinite(c.max))
		return;
	a = bottom - d->height * fmin(1, fmax(0, (c.max - d->low) / range));
	z = bottom - d->height * fmin(1, fmax(0, (c.min - d->low) / range));
	snprintf(title, sizeof(title), c.min == c.max ? "%.10g" : "%.10g … %.10g", c.min, c.max);
	add_box(d,
		&(struct box){at->x0, at->x1, a, bottom - a, PALETTE_COUNTER, .22, .title = title});
	a = fmin(a, bottom - 1.5);
	add_box(d, &(struct box){at->x0, at->x1, a, fmax(1.5, z - a), PALETTE_COUNTER, 1,
				 .title = title});
}

static void (*const adders[])(struct drawing *d, const struct tile_record *rec,
			      const struct record_place *at) = {
	[LANE_CPU] = add_run,	 [LANE_STATES] = add_state,   [LANE_SPANS] = add_span,
	[LANE_TICKS] = add_tick, [LANE_COUNTER] = add_number,
};

/* --- tiles ------------------------------------------------------------------------------------ */

/* Returns the number of records from i on that are states of one bucket; 1 for other records. */
static size_t count_pile(const struct drawing *d, const struct tile *tile, size_t i)
{
	const struct tile_record *r = tile->records;
	size_t to = i + 1;

	if (lane_kind(d->lane) != LANE_STATES || r[i].flags & TILE_EXACT)
		return 1;
	while (to < tile->n && r[to].x0 == r[i].x0 && !(r[to].flags & TILE_EXACT))
		to++;
	return to - i;
}

static double x_of(const struct drawing *d, double t)
{
	return (t - d->pic->from) * d->scale;
}

/*
 * Finds the position of a record. A tile has only a rounded part of a span, so the tile in which a
 * span begins draws the whole span. Returns false if another tile has drawn it. If the lane needs
 * several windows, every tile draws its own part.
 */
static bool find_place(struct drawing *d, const struct tile_record *rec, uint64_t start,
		       double bucket, struct record_place *ret)
{
	double from = start + rec->x0 * bucket, to = start + rec->x1 * bucket;
	struct lane_span span;

	*ret = (struct record_place){.x0 = x_of(d, from), .x1 = x_of(d, to), .ns = to - from};
	if (!(rec->flags & TILE_EXACT) || d->is_wide || lane_kind(d->lane) > LANE_SPANS ||
	    lane_span_at(d->lane, (uint64_t)((from + to) / 2), rec->row, LANE_AT, &span) < 0)
		return true;
	*ret = (struct record_place){x_of(d, span.start), x_of(d, span.end), span.end - span.start,
				     true, span};
	return span.start >= start || start <= d->pic->from;
}

/* Returns true if the row is too deep. Only spans have rows; counters store numbers there. */
static bool is_too_deep(const struct drawing *d, const struct tile_record *rec)
{
	return lane_kind(d->lane) == LANE_SPANS && rec->row >= PICTURE_ROWS_MAX;
}

static void add_tile(struct drawing *d, const struct tile *tile, uint64_t start, int level)
{
	double bucket = ldexp(1, level);
	size_t n;

	for (size_t i = 0; i < tile->n && !d->out->overflow; i += n) {
		const struct tile_record *rec = &tile->records[i];
		struct record_place at;

		n = count_pile(d, tile, i);
		if (!find_place(d, rec, start, bucket, &at) || at.x1 < 0 || at.x0 > d->pic->width ||
		    is_too_deep(d, rec))
			continue;
		if (lane_kind(d->lane) == LANE_STATES && !(rec->flags & TILE_EXACT))
			add_pile(d, rec, n, &at);
		else
			adders[lane_kind(d->lane)](d, rec, &at);
		if (rec->flags & TILE_MISSED && lane_kind(d->lane) == LANE_CPU)
			add_box(d, &(struct box){at.x0, at.x0 + 1.5, d->y, d->height,
						 PALETTE_MISSED, 1, .title = "events were lost"});
	}
}

/* Returns the level whose buckets are at most a pixel wide. */
static int find_level(const struct picture *pic)
{
	double ns = (double)(pic->to - pic->from) / pic->width;
	int level = ns > 1 ? (int)floor(log2(ns)) : 0;

	return level > 38 ? 38 : level;
}

static int make_tile(struct drawing *d, const char *spec, int level, uint64_t n, struct tile *ret)
{
	struct errmsg ignored = {0};
	struct lanes_tile wide;
	int r;

	if (!d->is_wide)
		return lane_tile(d->lane, level, n, ret);
	r = lanes_tile(d->st->lanes, spec, level, n, &wide, &ignored);
	if (r >= 0)
		*ret = wide.tile;
	return r;
}

int drawing_add_boxes(struct drawing *d, const char *spec)
{
	int level = find_level(d->pic);
	uint64_t first = d->pic->from >> (level + TILE_BITS),
		 last = d->pic->to >> (level + TILE_BITS);

	for (uint64_t n = first; n <= last && n - first < TILES_MAX; n++) {
		struct tile tile = {0};
		int r = make_tile(d, spec, level, n, &tile);

		TRY(r);
		add_tile(d, &tile, n << (level + TILE_BITS), level);
		free(tile.records);
	}
	return 0;
}

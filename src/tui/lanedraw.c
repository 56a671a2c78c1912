// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * lanedraw.c - draws a lane as lines of block characters, from the tiles that the page gets.
 *
 *	CPU        ▁▂▄█ the share of time in which tasks ran, in the colour of the one that ran
 *	           longest; a name where there is room; ░ unknown
 *	states     ▁▂▄█ running; ▒ runnable, ▓ preempted, ═ blocked, ─ asleep, ░ unknown
 *	spans      the same as CPUs, with the names of the spans
 *	ticks      │ several events, · one
 *	numbers    ▁▂▄█ the largest value of the column
 *
 * The level of the tiles is the one where a bucket is at most half a column. A record adds its
 * share of time to each column that it touches; so the height of a block is right at every zoom.
 * A share above zero is at least one eighth high: rare things stay visible.
 *
 * A tile costs a walk over its spans, so the last ones are kept: CACHE_TILES of them, in places by
 * the hash of lane and level, and the number. A tile that is not whole is not kept.
 */
#include "tui/lanedraw.h"

#include "base/errmsg.h"
#include "base/scope.h"
#include "decode/taskstate.h"
#include "tui/colours.h"
#include "view/picture/palette.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CACHE_TILES 1024
#define SPEC_BYTES  160
#define TILES_MAX   16
#define SLOTS	    9 /* values of a column that are told apart; as many as states */
#define NAME_LEAST  4 /* columns of a box with a name */
#define LEVEL_MAX   38
#define LABEL_BYTES 128
#define EIGHTHS	    8
#define BLOCK_FIRST 0x2580
#define BLOCK_FULL  0x2588
#define SHADE_LIGHT 0x2591

struct kept_tile {
	char spec[SPEC_BYTES];
	int level;
	uint64_t number;
	struct lanes_tile made;
	bool is_used;
};

struct tile_cache {
	struct kept_tile places[CACHE_TILES];
};

int tile_cache_new(struct tile_cache **ret)
{
	*ret = calloc(1, sizeof(**ret));
	return *ret ? 0 : -ENOMEM;
}

void tile_cache_clear(struct tile_cache *c)
{
	for (size_t i = 0; i < CACHE_TILES; i++) {
		free(c->places[i].made.tile.records);
		c->places[i] = (struct kept_tile){0};
	}
}

void tile_cache_free(struct tile_cache *c)
{
	if (c)
		tile_cache_clear(c);
	free(c);
}

static size_t place_of(const char *spec, int level, uint64_t number)
{
	uint64_t h = 14695981039346656037u;

	for (; *spec; spec++)
		h = (h ^ (unsigned char)*spec) * 1099511628211u;
	h = (h ^ (uint64_t)level) * 1099511628211u;
	/* the tiles of one picture have consecutive numbers: none may displace another one */
	return ((h ^ h >> 29) + number) % CACHE_TILES;
}

/* Finds or makes a tile. *ret_own: the caller frees the records, because they are not kept. */
static int get_tile(const struct lane_frame *f, const char *spec, int level, uint64_t number,
		    struct lanes_tile *ret, bool *ret_own, struct errmsg *err)
{
	struct kept_tile *k = &f->tiles->places[place_of(spec, level, number)];

	*ret_own = false;
	if (k->is_used && k->level == level && k->number == number && !strcmp(k->spec, spec)) {
		*ret = k->made;
		return 0;
	}
	TRY(lanes_tile(f->st->lanes, spec, level, number, ret, err));
	*ret_own = true;
	if (!ret->tile.is_whole || strlen(spec) >= SPEC_BYTES)
		return 0;
	free(k->made.tile.records);
	*k = (struct kept_tile){.level = level, .number = number, .made = *ret, .is_used = true};
	snprintf(k->spec, sizeof(k->spec), "%s", spec);
	*ret_own = false;
	return 0;
}

/* --- columns ---------------------------------------------------------------------------------- */

struct column {
	uint32_t values[SLOTS];
	float shares[SLOTS];
	unsigned n;
	float high; /* numbers: the largest value */
	uint32_t n_ticks;
	bool has_number, lost;
};

struct lane_pass {
	const struct lane_frame *f;
	struct lane *lane; /* for labels; NULL: not needed */
	struct canvas *canvas;
	unsigned y, row;
	enum lane_kind kind;
	double low, high;
	struct column *columns;
};

static double columns_per_ns(const struct lane_frame *f)
{
	return f->width / (double)(f->to - f->from);
}

uint64_t lane_frame_time(const struct lane_frame *f, double column)
{
	double t = f->from + column / columns_per_ns(f);

	return t <= 0 ? 0 : (uint64_t)t;
}

static void column_add(struct column *col, uint32_t value, float share)
{
	unsigned i = 0, least = 0;

	while (i < col->n && col->values[i] != value)
		i++;
	if (i == col->n && i < SLOTS) {
		col->values[col->n++] = value;
		col->shares[i] = 0;
	} else if (i == col->n) {
		for (i = 0; i < SLOTS; i++)
			least = col->shares[i] < col->shares[least] ? i : least;
		i = least;
		col->values[i] = share > col->shares[i] ? value : col->values[i];
	}
	col->shares[i] += share;
}

static void add_number(struct column *col, const struct tile_record *rec)
{
	struct counter_record c;

	memcpy(&c, rec, sizeof(c));
	col->high = col->has_number && col->high > c.max ? col->high : c.max;
	col->has_number = true;
}

/* Adds a record to the columns that it touches. at0 and at1 are columns, with fractions. */
static void add_record(struct lane_pass *p, const struct tile_record *rec, double at0, double at1)
{
	double end = p->f->width;
	long first = (long)floor(at0 < 0 ? 0 : at0), last;

	if (at1 < 0 || at0 >= end)
		return;
	last = (long)ceil(at1 < end ? at1 : end) - 1;
	for (long i = first; i < (long)end && (i == first || i <= last); i++) {
		double a = at0 > i ? at0 : i, b = at1 < i + 1 ? at1 : i + 1;
		struct column *col = &p->columns[i];

		if (p->kind == LANE_COUNTER) {
			add_number(col, rec);
			continue;
		}
		if (p->kind == LANE_TICKS)
			col->n_ticks += rec->value;
		else
			column_add(col, rec->value,
				   (float)((b > a ? b - a : 0) * rec->weight / 65535.0));
		col->lost |= rec->flags & TILE_MISSED;
	}
}

/* --- characters ------------------------------------------------------------------------------- */

static wchar_t block(double share)
{
	int n = (int)ceil(share * EIGHTHS - 0.01);

	return n <= 0 ? (share > 0 ? BLOCK_FIRST + 1 : L' ')
		      : BLOCK_FIRST + (n > EIGHTHS ? EIGHTHS : n);
}

static const struct timeline_task *find_task(const struct lane_pass *p, uint32_t n)
{
	return n < timeline_n_tasks(p->f->st->tl) ? timeline_task(p->f->st->tl, n) : NULL;
}

static bool is_idle(const struct lane_pass *p, uint32_t value)
{
	const struct timeline_task *t = p->kind == LANE_CPU ? find_task(p, value) : NULL;

	return t && !t->pid;
}

/* Returns the class of the colour of a box. */
static unsigned class_of(const struct lane_pass *p, uint32_t value)
{
	const struct timeline_task *t = p->kind == LANE_CPU ? find_task(p, value) : NULL;

	if (t)
		return palette_task(t->comm, strnlen(t->comm, sizeof(t->comm)), t->pid);
	return p->kind == LANE_SPANS ? PALETTE_SPAN + value % PALETTE_SPANS : PALETTE_STATE;
}

static struct style style_of(const struct lane_pass *p, unsigned class)
{
	return (struct style){colours_find(p->f->n_colours, class), CANVAS_NO_COLOUR, 0};
}

static struct style style_of_unknown(const struct lane_pass *p, bool lost)
{
	return lost ? style_of(p, PALETTE_MISSED) : STYLE_LOOK(LOOK_DIM);
}

/* A column of a lane of boxes: as high as the boxes are long, coloured as the longest one. */
static void draw_boxes(struct lane_pass *p, unsigned i)
{
	const struct column *col = &p->columns[i];
	float all = 0, unknown = 0, most = -1;
	uint32_t value = 0;

	for (unsigned k = 0; k < col->n; k++) {
		bool nobody = p->kind == LANE_CPU && col->values[k] == TIMELINE_NO_TASK;

		if (nobody)
			unknown += col->shares[k];
		if (nobody || is_idle(p, col->values[k]))
			continue;
		all += col->shares[k];
		if (col->shares[k] > most) {
			most = col->shares[k];
			value = col->values[k];
		}
	}
	if (unknown > all)
		canvas_set(p->canvas, p->f->x + i, p->y, SHADE_LIGHT,
			   style_of_unknown(p, col->lost));
	else if (most >= 0)
		canvas_set(p->canvas, p->f->x + i, p->y, all > 0 ? block(all) : BLOCK_FIRST + 1,
			   style_of(p, class_of(p, value)));
}

static void draw_states(struct lane_pass *p, unsigned i)
{
	static const wchar_t looks[STATES_N] = {SHADE_LIGHT, BLOCK_FULL, 0x2592, 0x2593, 0x2500,
						0x2550,	     0x2504,	 0x2500, L' '};
	const struct column *col = &p->columns[i];
	float shares[STATES_N] = {0};
	unsigned best = STATES_N;

	for (unsigned k = 0; k < col->n; k++)
		if (col->values[k] < STATES_N)
			shares[col->values[k]] += col->shares[k] > 0 ? col->shares[k] : 1e-6f;
	for (unsigned s = 0; s < STATES_N; s++)
		if (shares[s] > 0 && (best == STATES_N || shares[s] > shares[best]))
			best = s;
	if (best == STATES_N)
		return;
	if (shares[STATE_RUNNING] > 0 && best != STATE_UNKNOWN)
		canvas_set(p->canvas, p->f->x + i, p->y, block(shares[STATE_RUNNING]),
			   style_of(p, PALETTE_STATE + STATE_RUNNING));
	else if (best == STATE_UNKNOWN)
		canvas_set(p->canvas, p->f->x + i, p->y, looks[best],
			   style_of_unknown(p, col->lost));
	else
		canvas_set(p->canvas, p->f->x + i, p->y, looks[best],
			   best == STATE_SLEEPING || best == STATE_IDLE
				   ? STYLE_LOOK(LOOK_DIM)
				   : style_of(p, PALETTE_STATE + best));
}

static void draw_ticks(struct lane_pass *p, unsigned i)
{
	const struct column *col = &p->columns[i];

	if (col->n_ticks)
		canvas_set(p->canvas, p->f->x + i, p->y, col->n_ticks > 1 ? 0x2502 : 0xb7,
			   style_of(p, col->lost ? PALETTE_MISSED : PALETTE_TICK));
}

static void draw_number(struct lane_pass *p, unsigned i)
{
	const struct column *col = &p->columns[i];
	double range = p->high - p->low;

	if (col->has_number)
		canvas_set(p->canvas, p->f->x + i, p->y,
			   block(range > 0 ? fmax((col->high - p->low) / range, 1.0 / EIGHTHS) : 1),
			   style_of(p, PALETTE_COUNTER));
}

/* Writes the name of a box that is wide enough. */
static void draw_name(struct lane_pass *p, const struct tile_record *rec, double at0, double at1)
{
	double a = ceil(at0 < 0 ? 0 : at0), b = floor(at1 < p->f->width ? at1 : p->f->width);
	const struct timeline_task *t = p->kind == LANE_CPU ? find_task(p, rec->value) : NULL;
	char name[LABEL_BYTES] = "";
	unsigned room;
	struct style style;

	if (b - a < NAME_LEAST || is_idle(p, rec->value))
		return;
	room = (unsigned)(b - a);
	if (t)
		snprintf(name, sizeof(name), "%.31s", t->comm);
	if (t && strlen(name) + 12 < room)
		snprintf(name + strlen(name), 16, "-%d", t->pid);
	if (p->kind == LANE_SPANS && p->lane)
		lane_label(p->lane, rec->value, name, sizeof(name));
	if (!name[0])
		return;
	style = style_of(p, class_of(p, rec->value));
	style.bg = style.fg;
	style.fg = colours_ink(p->f->n_colours, style.bg);
	style.look = style.bg == CANVAS_NO_COLOUR ? LOOK_REVERSE : 0;
	canvas_puts(p->canvas, p->f->x + (unsigned)a, p->y, room, name, style);
}

/* --- lanes ------------------------------------------------------------------------------------ */

/* Calls each for the records of a tile in the current row, with their columns. */
static void
each_record(struct lane_pass *p, const struct tile *tile, int level, uint64_t number, bool clipped,
	    void (*each)(struct lane_pass *, const struct tile_record *, double, double))
{
	double bucket = (double)(UINT64_C(1) << level);
	double start = (double)(number << TILE_BITS) * bucket - (double)p->f->from;
	double scale = columns_per_ns(p->f);

	for (size_t i = 0; i < tile->n; i++) {
		const struct tile_record *rec = &tile->records[i];
		double x0 = rec->x0, x1 = rec->x1;

		if (p->kind != LANE_COUNTER && rec->row != p->row)
			continue;
		if (clipped) {
			x0 = x0 < 0 ? 0 : x0;
			x1 = x1 > TILE_BUCKETS ? TILE_BUCKETS : x1;
		}
		each(p, rec, (start + x0 * bucket) * scale, (start + x1 * bucket) * scale);
	}
}

static void add_name_of(struct lane_pass *p, const struct tile_record *rec, double at0, double at1)
{
	if (rec->flags & TILE_EXACT)
		draw_name(p, rec, at0, at1);
}

static void draw_row(struct lane_pass *p, const struct lanes_tile *tiles, size_t n, int level,
		     uint64_t first)
{
	static void (*const draws[])(struct lane_pass *, unsigned) = {[LANE_CPU] = draw_boxes,
								      [LANE_STATES] = draw_states,
								      [LANE_SPANS] = draw_boxes,
								      [LANE_TICKS] = draw_ticks,
								      [LANE_COUNTER] = draw_number};

	memset(p->columns, 0, p->f->width * sizeof(*p->columns));
	for (size_t i = 0; i < n; i++)
		each_record(p, &tiles[i].tile, level, first + i, true, add_record);
	for (unsigned i = 0; i < p->f->width; i++)
		draws[p->kind](p, i);
	for (size_t i = 0; i < n && (p->kind == LANE_CPU || p->kind == LANE_SPANS); i++)
		each_record(p, &tiles[i].tile, level, first + i, false, add_name_of);
}

static int find_level(const struct lane_frame *f)
{
	double ns = (double)(f->to - f->from) / f->width / 2;
	int level = ns > 1 ? (int)floor(log2(ns)) : 0;

	return level > LEVEL_MAX ? LEVEL_MAX : level;
}

void lane_draw(const struct lane_frame *f, const char *spec, struct canvas *c, unsigned y,
	       unsigned height)
{
	struct lanes_tile tiles[TILES_MAX];
	bool own[TILES_MAX];
	SCOPED(scope_free) struct column *columns = calloc(f->width, sizeof(*columns));
	int level = find_level(f), r = columns ? 0 : -ENOMEM;
	uint64_t first = f->from >> (level + TILE_BITS), last = f->to >> (level + TILE_BITS), a, b;
	struct lane_pass p = {.f = f, .canvas = c, .columns = columns};
	struct errmsg err = {0};
	size_t n = 0;

	for (; r >= 0 && n < TILES_MAX && first + n <= last; n++) {
		r = get_tile(f, spec, level, first + n, &tiles[n], &own[n], &err);
		if (r < 0)
			break;
	}
	if (r < 0) {
		canvas_puts(c, f->x, y, f->width, err.code ? err.text : "no memory is left",
			    STYLE_LOOK(LOOK_DIM));
	} else if (n) {
		p.kind = tiles[0].kind;
		p.low = tiles[0].low;
		p.high = tiles[0].high;
		if (p.kind == LANE_SPANS)
			lane_get_at(f->st->lanes, spec, f->from, &p.lane, &a, &b, &err);
		for (p.row = 0; p.row < height; p.row++) {
			p.y = y + p.row;
			draw_row(&p, tiles, n, level, first);
		}
		if (p.lane)
			lane_put(p.lane);
	}
	for (size_t i = 0; i < n; i++)
		if (own[i])
			free(tiles[i].tile.records);
}

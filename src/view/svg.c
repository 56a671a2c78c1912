// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * svg.c - lanes of a range as a picture that can be scaled, printed and sent.
 *
 *	 title, range
 *	 ├──────────┬───────┬───────┬──── axis, from the beginning of the trace
 *	 CPU 0      ▆▂▂█▆         ▁▂
 *	 bash-136     ██  ░░░  ██
 *
 * Made from the same tiles as the page's picture, at the level where a bucket is at most a pixel: what
 * is longer is drawn as it is and has a tooltip, what is shorter is drawn as high as its share of the
 * time, so the area is true. Colours are those of the page in its light theme; names decide about
 * tasks and functions, so the same task has the same colour in every picture.
 *
 * A picture has a ceiling, as its text has: what does not fit makes it fail as a whole.
 */
#include "timeline/states.h"
#include "base/errmsg.h"
#include "view/picture.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LABEL_PX  150
#define HEAD_PX	  46
#define LANE_PX	  22
#define ROW_PX	  14
#define GAP_PX	  4
#define ROWS_MAX  40
#define TILES_MAX 64 /* of a lane: width / 1024 rounded up, twice, and some */

static const char *const task_colours[] = {"#6daae3", "#df8b80", "#67b98b", "#b494da", "#e0b76c",
					   "#40b7c4", "#d689ae", "#88b370", "#919fe6", "#d99165",
					   "#49baa9", "#c88dc6", "#53b1d8"};
static const char *const span_colours[] = {"#98c3ec", "#eaaca3", "#95cdab", "#c9b2e5", "#eacd99",
					   "#82ccd5", "#e4aac4", "#a9c999", "#afbbef", "#e5b191",
					   "#86cec1", "#d9add6", "#8ac8e4"};
static const char *const state_colours[STATES_N] = {"#dedede", "#3aa460", "#e4a339",
						    "#e86a34", "#bdc5ce", "#cb4644",
						    "#9468c2", "#ccd2d7", "#ececec"};
#define N_COLOURS     (sizeof(task_colours) / sizeof(*task_colours))
#define COLOUR_TICK   "#2f6e9e"
#define COLOUR_LOST   "#df2225"
#define COLOUR_NUMBER "#3788bb"

struct drawing {
	struct stage *st;
	const struct picture *pic;
	struct textbuf *out;
	struct lane *lane;
	double scale;	     /* pixels for a nanosecond */
	double y;	     /* of the lane at hand */
	double height;	     /* of one row of it */
	double low, high;    /* range of its numbers */
	double pile_x, pile; /* states of one bucket stand on each other */
};

/* --- text -------------------------------------------------------------------------------------- */

/* Text as XML wants it; what is no character of it becomes a question mark. */
static void add_escaped(struct textbuf *tb, const char *s)
{
	for (; *s; s++) {
		if (*s == '<')
			textbuf_add_str(tb, "&lt;");
		else if (*s == '>')
			textbuf_add_str(tb, "&gt;");
		else if (*s == '&')
			textbuf_add_str(tb, "&amp;");
		else if (*s == '"')
			textbuf_add_str(tb, "&quot;");
		else
			textbuf_add_char(tb, (unsigned char)*s < 0x20 || *s & 0x80 ? '?' : *s);
	}
}

/* "12.345 us" */
static void fmt_duration(char *buf, size_t size, double ns)
{
	static const struct {
		double ns;
		const char *name;
	} units[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "us"}};

	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (ns >= units[i].ns) {
			snprintf(buf, size, "%.6g %s", ns / units[i].ns, units[i].name);
			return;
		}
	snprintf(buf, size, "%.0f ns", ns);
}

static uint32_t hash_name(const char *s, size_t len)
{
	uint32_t h = 2166136261u;

	for (size_t i = 0; i < len; i++)
		h = (h ^ (unsigned char)s[i]) * 16777619u;
	h ^= h >> 15;
	return h * 0x2c1b3c6du;
}

/* --- what a record is -------------------------------------------------------------------------- */

static const char *task_colour(const struct drawing *d, uint32_t task)
{
	const struct timeline_task *t =
		task < timeline_n_tasks(d->st->tl) ? timeline_task(d->st->tl, task) : NULL;
	size_t len = t ? strnlen(t->comm, sizeof(t->comm)) : 0;

	if (!t || !t->pid)
		return "#e9e9e9";
	/* the numbers of workers do not count */
	while (len &&
	       ((t->comm[len - 1] >= '0' && t->comm[len - 1] <= '9') || t->comm[len - 1] == ':'))
		len--;
	return task_colours[hash_name(t->comm, len) % N_COLOURS];
}

static void record_name(const struct drawing *d, uint32_t value, char *buf, size_t size)
{
	const struct timeline_task *t;
	size_t len;

	buf[0] = 0;
	switch (lane_kind(d->lane)) {
	case LANE_CPU:
		t = value < timeline_n_tasks(d->st->tl) ? timeline_task(d->st->tl, value) : NULL;
		if (t)
			snprintf(buf, size, "%.31s-%d", t->comm, t->pid);
		break;
	case LANE_STATES:
		snprintf(buf, size, "%s", value < STATES_N ? task_state_name(value) : "?");
		break;
	case LANE_SPANS:
		len = lane_label(d->lane, value, buf, size);
		buf[len < size ? len : size - 1] = 0;
		break;
	default:
		break;
	}
}

static const char *record_colour(const struct drawing *d, const struct tile_record *rec)
{
	char name[128];

	switch (lane_kind(d->lane)) {
	case LANE_CPU:
		return task_colour(d, rec->value);
	case LANE_STATES:
		return state_colours[rec->value < STATES_N ? rec->value : 0];
	case LANE_SPANS:
		record_name(d, rec->value, name, sizeof(name));
		return span_colours[hash_name(name, strlen(name)) % N_COLOURS];
	default:
		return COLOUR_TICK;
	}
}

/* --- drawing ----------------------------------------------------------------------------------- */

static void add_rect(struct drawing *d, double x0, double x1, double y, double height,
		     const char *colour)
{
	double right = d->pic->width;

	x0 = x0 < 0 ? 0 : x0;
	x1 = x1 > right ? right : x1;
	textbuf_addf(d->out,
		     "<rect x=\"%.2f\" y=\"%.1f\" width=\"%.2f\" height=\"%.1f\" fill=\"%s\"",
		     LABEL_PX + x0, y, x1 - x0 > 0.3 ? x1 - x0 : 0.3, height, colour);
}

/* A span as it is: with its name, if there is room, and a tooltip. */
static void add_exact(struct drawing *d, const struct tile_record *rec, double x0, double x1,
		      double y, double height, double ns)
{
	char name[128], duration[32];
	double width = (x1 > d->pic->width ? d->pic->width : x1) - (x0 < 0 ? 0 : x0);

	record_name(d, rec->value, name, sizeof(name));
	fmt_duration(duration, sizeof(duration), ns);
	textbuf_add_str(d->out, "><title>");
	add_escaped(d->out, name);
	textbuf_addf(d->out, " %s</title></rect>\n", duration);
	if (lane_kind(d->lane) == LANE_STATES || width < 7 * strlen(name) + 4 || !name[0])
		return;
	textbuf_addf(d->out, "<text x=\"%.1f\" y=\"%.1f\">", LABEL_PX + (x0 < 0 ? 0 : x0) + 3,
		     y + height / 2 + 4);
	add_escaped(d->out, name);
	textbuf_add_str(d->out, "</text>\n");
}

static void add_record(struct drawing *d, const struct tile_record *rec, double x0, double x1,
		       double bucket_ns)
{
	bool is_exact = rec->flags & TILE_EXACT;
	double share = rec->weight / 65535.0, height = d->height,
	       y = d->y + (lane_kind(d->lane) == LANE_SPANS ? rec->row * d->height : 0);

	if (lane_kind(d->lane) == LANE_CPU && task_colour(d, rec->value)[1] == 'e' && is_exact)
		return; /* idle: nothing is there */
	if (lane_kind(d->lane) == LANE_TICKS) {
		add_rect(d, x0, x0 + 1, d->y, d->height,
			 rec->flags & TILE_MISSED ? COLOUR_LOST : COLOUR_TICK);
		textbuf_add_str(d->out, "/>\n");
		return;
	}
	if (!is_exact) {
		height *= share;
		if (lane_kind(d->lane) == LANE_STATES && x0 == d->pile_x)
			d->pile += height;
		else
			d->pile = height;
		d->pile_x = x0;
		y += d->height - d->pile;
	}
	add_rect(d, x0, x1, y, height, record_colour(d, rec));
	if (is_exact)
		add_exact(d, rec, x0, x1, y, height, (rec->x1 - rec->x0) * bucket_ns);
	else
		textbuf_add_str(d->out, "/>\n");
	if (rec->flags & TILE_MISSED) {
		add_rect(d, x0, x0 + 1, d->y, d->height, COLOUR_LOST);
		textbuf_add_str(d->out, "/>\n");
	}
}

static void add_number(struct drawing *d, const struct tile_record *rec, double x0, double x1)
{
	struct counter_record c;
	double range = d->high > d->low ? d->high - d->low : 1, top, bottom;

	memcpy(&c, rec, sizeof(c));
	top = d->height * (1 - (c.max - d->low) / range);
	bottom = d->height * (1 - (c.min - d->low) / range);
	if (!(top >= 0 && bottom <= d->height + 0.01))
		return;
	add_rect(d, x0, x1, d->y + top, bottom - top > 1 ? bottom - top : 1, COLOUR_NUMBER);
	textbuf_addf(d->out, "><title>%g … %g</title></rect>\n", c.min, c.max);
}

static void add_tile(struct drawing *d, const struct tile *tile, uint64_t start, int level)
{
	double bucket = ldexp(1, level);

	for (size_t i = 0; i < tile->n && !d->out->overflow; i++) {
		const struct tile_record *rec = &tile->records[i];
		double x0 = ((double)start - d->pic->from + rec->x0 * bucket) * d->scale,
		       x1 = ((double)start - d->pic->from + rec->x1 * bucket) * d->scale;

		if (x1 < 0 || x0 > d->pic->width || rec->row >= ROWS_MAX)
			continue;
		if (lane_kind(d->lane) == LANE_COUNTER)
			add_number(d, rec, x0, x1);
		else
			add_record(d, rec, x0, x1, bucket);
	}
}

/* Buckets of at most a pixel. */
static int find_level(const struct picture *pic)
{
	double ns = (double)(pic->to - pic->from) / pic->width;
	int level = ns > 1 ? (int)floor(log2(ns)) : 0;

	return level > 38 ? 38 : level;
}

static int add_tiles(struct drawing *d)
{
	int level = find_level(d->pic);
	uint64_t first = d->pic->from >> (level + TILE_BITS),
		 last = d->pic->to >> (level + TILE_BITS);

	for (uint64_t n = first; n <= last && n - first < TILES_MAX; n++) {
		struct tile tile = {0};
		int r = lane_tile(d->lane, level, n, &tile);

		if (r < 0)
			return r;
		d->pile_x = -1e300;
		add_tile(d, &tile, n << (level + TILE_BITS), level);
		free(tile.records);
	}
	return 0;
}

/* "cpu:0:1" as people say it. */
static void fmt_label(const struct stage *st, const char *spec, char *buf, size_t size)
{
	unsigned machine;
	int number, task;

	if (sscanf(spec, "cpu:%u:%d", &machine, &number) == 2)
		snprintf(buf, size, "CPU %d", number);
	else if (sscanf(spec, "task:%u:%d", &machine, &number) == 2 &&
		 (task = timeline_find_task(st->tl, machine, number)) >= 0)
		snprintf(buf, size, "%.31s-%d", timeline_task(st->tl, task)->comm, number);
	else
		snprintf(buf, size, "%.24s", spec);
}

static double lane_height(const struct lane *ln)
{
	unsigned n = lane_n_rows(ln);

	if (lane_kind(ln) != LANE_SPANS || n < 2)
		return LANE_PX;
	return ROW_PX * (n > ROWS_MAX ? ROWS_MAX : n);
}

static void add_axis(struct drawing *d, double bottom)
{
	double range = d->pic->to - d->pic->from, step = pow(10, floor(log10(range / 4 + 1))), t;
	char text[32];

	if (range / step > 12)
		step *= range / step > 24 ? 5 : 2;
	for (t = ceil(d->pic->from / step) * step; t <= d->pic->to; t += step) {
		double x = LABEL_PX + (t - d->pic->from) * d->scale;

		fmt_duration(text, sizeof(text), t);
		textbuf_addf(d->out,
			     "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%.0f\" stroke=\"#ccc\"/>"
			     "<text x=\"%.1f\" y=\"%d\" class=\"dim\">%s</text>\n",
			     x, x, HEAD_PX - 8, bottom, x + 3, HEAD_PX - 12, text);
	}
}

static void add_head(struct drawing *d, double height)
{
	char from[32], to[32];

	fmt_duration(from, sizeof(from), d->pic->from);
	fmt_duration(to, sizeof(to), d->pic->to);
	textbuf_addf(
		d->out,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %u %.0f\" width=\"%u\" "
		"height=\"%.0f\">\n<style>text{font:11px sans-serif;fill:#222}"
		".dim{fill:#666}</style>\n<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n"
		"<text x=\"6\" y=\"15\">",
		LABEL_PX + d->pic->width, height, LABEL_PX + d->pic->width, height);
	add_escaped(d->out, d->st->config.title);
	textbuf_addf(d->out, ", %s to %s</text>\n", from, to);
}

static int add_lane(struct drawing *d, const char *spec, struct errmsg *err)
{
	struct stage_lane held;
	char label[64];
	double height;
	int r = stage_lane_get(d->st, spec, &held, err);

	if (r < 0)
		return r;
	d->lane = held.lane;
	height = lane_height(d->lane);
	d->height = lane_kind(d->lane) == LANE_SPANS && lane_n_rows(d->lane) > 1 ? ROW_PX : height;
	if (lane_kind(d->lane) == LANE_COUNTER)
		lane_range(d->lane, &d->low, &d->high);
	fmt_label(d->st, spec, label, sizeof(label));
	textbuf_addf(d->out, "<text x=\"6\" y=\"%.1f\">", d->y + 14);
	add_escaped(d->out, label);
	textbuf_add_str(d->out, "</text>\n");
	r = add_tiles(d);
	if (r < 0)
		errmsg_set_errno(err, r, "cannot draw %s", spec);
	d->y += height + GAP_PX;
	stage_lane_put(d->st, &held);
	return r;
}

/* Lanes are built by asking for them, so their heights are known before they are drawn. */
static int measure(struct stage *st, const struct picture *pic, double *ret, struct errmsg *err)
{
	double height = HEAD_PX + GAP_PX;

	for (size_t i = 0; i < pic->n_specs; i++) {
		struct stage_lane held;
		int r = stage_lane_get(st, pic->specs[i], &held, err);

		if (r < 0)
			return r;
		height += lane_height(held.lane) + GAP_PX;
		stage_lane_put(st, &held);
	}
	*ret = height;
	return 0;
}

int picture_add_svg(struct stage *st, const struct picture *pic, struct textbuf *out,
		    struct errmsg *err)
{
	struct drawing d = {.st = st, .pic = pic, .out = out, .y = HEAD_PX};
	double height;
	int r = measure(st, pic, &height, err);

	if (r < 0)
		return r;
	d.scale = pic->width / (double)(pic->to > pic->from ? pic->to - pic->from : 1);
	add_head(&d, height);
	add_axis(&d, height);
	for (size_t i = 0; i < pic->n_specs && r >= 0; i++)
		r = add_lane(&d, pic->specs[i], err);
	textbuf_add_str(out, "</svg>\n");
	return r;
}

size_t picture_split(char *specs, const char **ret, size_t max)
{
	size_t n = 0;

	while (specs && *specs && n < max) {
		char *comma = strchr(specs, ',');

		if (comma)
			*comma++ = 0;
		if (*specs)
			ret[n++] = specs;
		specs = comma;
	}
	return n;
}

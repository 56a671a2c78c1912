// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * svg.c - draws lanes of a range as a picture that can be scaled, printed and sent.
 *
 *	trace.dat               0 s         10 ms       20 ms        axis, from the beginning of the
 *	                                                             trace
 *	host                    ├───────────┼───────────┼──────
 *	  CPUs
 *	    CPU 0               ▆▂▂█▆         ▁▂
 *	  Tasks
 *	    bash 136              ██  ░░░  ██
 *
 * This file draws the frame: names on the left (lanewords.c), heads of machines and sections, axis,
 * style. boxes.c draws the content of lanes. The right side is a nested drawing (svg.plot), which
 * clips its content, and which the script of a saved page zooms without moving the names.
 *
 * Sizes, names and colours are those of the page. A single picture has the light theme: it is for
 * paper and slides. Its size is limited: a larger picture fails as a whole.
 */
#include "base/array.h"
#include "base/errmsg.h"
#include "base/scope.h"
#include "timeline/lanes/lane.h"
#include "view/picture/picture_int.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TITLE_PX      24 /* height of title and time */
#define AXIS_PX	      26
#define TOP_PX	      (TITLE_PX + AXIS_PX)
#define HEAD_PX	      22 /* height of a section's head */
#define MACHINE_PX    24
#define PAD_PX	      2
#define INDENT_PX     12
#define REFUSED_PX    22 /* height of a lane that cannot be drawn */
#define LABEL_MIN_PX  140
#define LABEL_MAX_PX  460
#define LABEL_FONT_PX 12
#define TICKS_PX      110 /* minimum distance of labelled ticks */

static const char style[] =
	"text{font:11px system-ui,-apple-system,\"Segoe UI\",Roboto,\"Noto Sans\",\"Liberation "
	"Sans\",sans-serif;"
	"fill:#1c2430;stroke-width:0}"
	"rect{stroke-width:0}.bg{fill:#fff}.sec{fill:#f6f7f9}.mach{fill:#eceef2}"
	".line{stroke:#dde1e7}.grid{stroke:#1428461a}.tickline{stroke:#c5cbd4}"
	".name{font-size:12px}.head{font-weight:600;fill:#4d5866}.sub{font-size:11px;fill:#667180}"
	".axis{fill:#4d5866}.title{font-size:12px;font-weight:600}"
	".in{text-anchor:middle;pointer-events:none}"
	".rim{fill-opacity:.3;stroke-width:1}"
	"text.halo{fill:#1c2430;stroke:#fff;stroke-width:3px;paint-order:stroke}\n";

/* The style rules for the dark theme of a page. */
static const char dark_style[] =
	"[data-theme=dark] text{fill:#e2e7ee}[data-theme=dark] .bg{fill:#14181e}"
	"[data-theme=dark] .sec{fill:#1a1f27}[data-theme=dark] .mach{fill:#232a34}"
	"[data-theme=dark] .line{stroke:#2a323d}[data-theme=dark] .grid{stroke:#ffffff0f}"
	"[data-theme=dark] .tickline{stroke:#3b4654}[data-theme=dark] .head,[data-theme=dark] "
	".axis{fill:#aab4c0}"
	"[data-theme=dark] .sub{fill:#8b96a4}"
	"[data-theme=dark] text.halo{fill:#e2e7ee;stroke:#14181e}\n";

/* --- text ------------------------------------------------------------------------------------- */

/* Returns the length of the character at s in bytes, or 0 if XML does not allow it. */
static size_t character_len(const unsigned char *s)
{
	size_t n = s[0] < 0x80 ? 1 : s[0] < 0xc2 ? 0 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;

	if (s[0] < 0x20 || s[0] == 0x7f || s[0] > 0xf4)
		return 0;
	for (size_t i = 1; i < n; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) ||
	    (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f) ||
	    (s[0] == 0xef && s[1] == 0xbf && s[2] > 0xbd))
		return 0;
	return n;
}

void drawing_add_text(struct textbuf *out, const char *text)
{
	static const struct {
		char c;
		const char *text;
	} escapes[] = {{'<', "&lt;"}, {'>', "&gt;"}, {'&', "&amp;"}, {'"', "&quot;"}};

	while (*text) {
		size_t n = character_len((const unsigned char *)text), i = 0;

		while (i < 4 && escapes[i].c != *text)
			i++;
		if (i < 4)
			textbuf_add_str(out, escapes[i].text);
		else if (!n)
			textbuf_add_char(out, '?');
		for (size_t k = 0; i == 4 && k < n; k++)
			textbuf_add_char(out, text[k]);
		text += n ? n : 1;
	}
}

double drawing_text_width(const char *text, double font_px)
{
	double width = 0;

	for (; *text; text++)
		if ((*text & 0xc0) != 0x80)
			width += strchr("iljtfr.,:;|'()[] /", *text) ? 0.36
				 : strchr("mwMWCDGOQKUVHN@%", *text) ? 0.8
								     : 0.62;
	return width * font_px;
}

void drawing_fmt_duration(const struct drawing *d, char *buf, size_t size, double n)
{
	double ns = n * d->unit.ns;
	static const struct {
		double ns;
		const char *name;
	} units[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "µs"}};

	if (!d->unit.ns) {
		snprintf(buf, size, "%.0f %s", n, d->unit.name);
		return;
	}
	for (size_t i = 0; i < ARRAY_LEN(units); i++)
		if (ns >= units[i].ns) {
			snprintf(buf, size, "%.10g %s", round(ns) / units[i].ns, units[i].name);
			return;
		}
	snprintf(buf, size, "%.0f %s", ns, ns > 0 ? "ns" : "s");
}

/* --- rows ------------------------------------------------------------------------------------- */

/* A lane, with the heads of a machine or a section that begins with it. */
struct row {
	struct lane_words words;
	bool begins_machine, begins_section;
	unsigned indent;
	double y, height, row_height;
	bool is_counter;
	double low, high; /* range of a counter */
	/* reason why the lane cannot be drawn; "": it can */
	char refused[sizeof((struct errmsg){0}.text)];
};

static double lane_height(const struct lane_words *w, unsigned n)
{
	if (w->height)
		return w->height;
	return w->row_height * (n > PICTURE_ROWS_MAX ? PICTURE_ROWS_MAX : n ? n : 1) + 2 * PAD_PX;
}

static unsigned machine_depth(const struct stage *st, uint32_t machine)
{
	return machine < st->config.n_machines && st->config.machines[machine].guest_of >= 0;
}

struct extent {
	double low, high;
	bool is_any;
};

static bool widen(void *ctx, const struct lane_span *span)
{
	struct extent *x = ctx;

	x->low = !x->is_any || span->number < x->low ? span->number : x->low;
	x->high = !x->is_any || span->number > x->high ? span->number : x->high;
	x->is_any = true;
	return true;
}

/* Finds the scale of a counter, which covers its values in the picture, as on the page. */
static void find_range(const struct drawing *d, const char *spec, struct lane *ln, double *ret_low,
		       double *ret_high)
{
	const struct picture *pic = d->pic;
	struct errmsg ignored = {0};
	struct extent x = {0};
	struct lane_span held;

	if (lane_span_at(ln, pic->from, 0, LANE_AT, &held) >= 0)
		widen(&x, &held); /* add the value at the start */
	lanes_each(d->st->lanes, spec, pic->from, pic->to, widen, &x, NULL, &ignored);
	*ret_low = x.low;
	*ret_high = x.high;
}

/*
 * Gets a lane. A lane of very many events may need several windows; then d->lane is only the first
 * of them.
 */
static int get_lane(struct drawing *d, const char *spec, struct stage_lane *ret, struct errmsg *err)
{
	uint64_t from, to, end = timeline_duration(d->st->tl);
	int r = stage_lane_get_at(d->st, spec, d->pic->from, ret, &from, &to, err);

	d->is_wide = r >= 0 && to < (d->pic->to < end ? d->pic->to : end);
	return r;
}

/* Like get_lane(), and finds the number of rows that the lane has in the picture. */
static int measure_lane(struct drawing *d, const char *spec, struct stage_lane *ret,
			unsigned *ret_rows, struct errmsg *err)
{
	int r = get_lane(d, spec, ret, err);

	TRY(r);
	*ret_rows = lane_n_rows(ret->lane);
	if (d->is_wide)
		r = lanes_count_rows(d->st->lanes, spec, d->pic->from, d->pic->to, ret_rows, err);
	if (r < 0)
		stage_lane_put(d->st, ret);
	return r;
}

/*
 * Returns true if an error is to be drawn in place of the lane. An invalid name of a lane is an
 * error of the caller, and is not drawn.
 */
static bool is_drawable(const struct drawing *d, const char *spec, int code)
{
	struct errmsg ignored = {0};

	return code >= 0 ||
	       (d->pic->shows_refused && code != -ENOMEM && lane_check_name(spec, &ignored) >= 0);
}

/* Gets all lanes, which builds them, so that their heights are known before drawing. */
static int lay_out(struct drawing *d, struct row *rows, double *ret_bottom, struct errmsg *err)
{
	double y = TOP_PX;
	bool has_machines = d->st->config.n_machines > 1;

	for (size_t i = 0; i < d->pic->n_specs; i++) {
		const struct row *before = i ? &rows[i - 1] : NULL;
		struct row *r = &rows[i];
		struct stage_lane held;
		unsigned n_rows;
		int code = measure_lane(d, d->pic->specs[i], &held, &n_rows, err);

		if (!is_drawable(d, d->pic->specs[i], code))
			return code;
		lane_words_get(d->st, d->pic->specs[i], &r->words);
		r->begins_machine =
			has_machines && (!before || before->words.machine != r->words.machine);
		r->begins_section = !before || r->begins_machine ||
				    strcmp(before->words.section, r->words.section);
		r->indent = has_machines ? machine_depth(d->st, r->words.machine) + 1 : 0;
		r->height = code < 0 ? REFUSED_PX : lane_height(&r->words, n_rows);
		r->row_height =
			r->words.row_height ? r->words.row_height : r->height - 2 * PAD_PX - 2;
		y += r->begins_machine ? MACHINE_PX : 0;
		y += r->begins_section ? HEAD_PX : 0;
		r->y = y;
		y += r->height;
		if (code < 0) {
			snprintf(r->refused, sizeof(r->refused), "%s", err->text);
			*err = (struct errmsg){0};
			continue;
		}
		r->is_counter = lane_kind(held.lane) == LANE_COUNTER;
		if (r->is_counter)
			find_range(d, d->pic->specs[i], held.lane, &r->low, &r->high);
		stage_lane_put(d->st, &held);
	}
	*ret_bottom = y;
	return 0;
}

static double name_x(const struct row *r)
{
	return 8 + INDENT_PX * (r->indent + 1);
}

/* Returns the width of the longest name, within limits. */
static double find_label_width(const struct row *rows, size_t n)
{
	double most = LABEL_MIN_PX;

	for (size_t i = 0; i < n; i++) {
		const struct lane_words *w = &rows[i].words;
		double width = name_x(&rows[i]) + drawing_text_width(w->name, LABEL_FONT_PX) + 6 +
			       drawing_text_width(w->more, 11) + 10;

		most = width > most ? width : most;
	}
	return most < LABEL_MAX_PX ? ceil(most) : LABEL_MAX_PX;
}

static void add_strip(struct drawing *d, double y, double height, const char *class)
{
	if (class)
		textbuf_addf(
			d->out,
			"<rect x=\"0\" y=\"%.0f\" width=\"100%%\" height=\"%.0f\" class=\"%s\"/>",
			y, height, class);
	textbuf_addf(d->out,
		     "<line x1=\"0\" x2=\"100%%\" y1=\"%.1f\" y2=\"%.1f\" class=\"line\"/>\n",
		     y + height - .5, y + height - .5);
}

static void add_head(struct drawing *d, double x, double y, double height, const char *text)
{
	textbuf_addf(d->out, "<text x=\"%.0f\" y=\"%.1f\" class=\"head\">", x, y + height / 2 + 4);
	drawing_add_text(d->out, text);
	textbuf_add_str(d->out, "</text>\n");
}

/* Draws the range of a counter, at the edge of its lane. */
static void add_range(struct drawing *d, const struct row *r)
{
	static const char form[] = "<text x=\"%.0f\" y=\"%.1f\" class=\"sub\" "
				   "text-anchor=\"end\">%.10g</text>\n";

	textbuf_addf(d->out, form, d->label_width - 5, r->y + 12, r->high);
	textbuf_addf(d->out, form, d->label_width - 5, r->y + r->height - 4, r->low);
}

/* Draws the heads and the name of a lane, and the stripes behind it. */
static void add_names(struct drawing *d, const struct row *r)
{
	double y = r->y - (r->begins_section ? HEAD_PX : 0) - (r->begins_machine ? MACHINE_PX : 0);
	uint32_t m = r->words.machine;

	if (r->begins_machine) {
		add_strip(d, y, MACHINE_PX, "mach");
		add_head(d, 8 + INDENT_PX * (r->indent - 1), y, MACHINE_PX,
			 m < d->st->config.n_machines ? d->st->config.machines[m].name : "?");
		y += MACHINE_PX;
	}
	if (r->begins_section) {
		add_strip(d, y, HEAD_PX, "sec");
		add_head(d, 8 + INDENT_PX * r->indent, y, HEAD_PX, r->words.section);
	}
	add_strip(d, r->y, r->height, NULL);
	textbuf_addf(
		d->out, "<text x=\"%.0f\" y=\"%.1f\" class=\"name\">", name_x(r),
		r->y + (r->words.row_height ? r->words.row_height + 2 * PAD_PX : r->height) / 2 +
			4);
	drawing_add_text(d->out, r->words.name);
	if (r->words.more[0]) {
		textbuf_add_str(d->out, " <tspan class=\"sub\">");
		drawing_add_text(d->out, r->words.more);
		textbuf_add_str(d->out, "</tspan>");
	}
	textbuf_add_str(d->out, "</text>\n");
	if (r->is_counter)
		add_range(d, r);
}

/* --- frame ------------------------------------------------------------------------------------ */

static double tick_step(const struct drawing *d)
{
	static const double steps[] = {1, 2, 5, 10};
	double least = TICKS_PX / d->scale, power = pow(10, floor(log10(least)));

	for (size_t i = 0; i < 4; i++)
		if (steps[i] * power >= least)
			return fmax(1, steps[i] * power);
	return fmax(1, 10 * power);
}

/* Draws the axis. A label that would exceed the right edge is placed left of its line. */
static void add_axis(struct drawing *d, double bottom)
{
	double step = tick_step(d);
	char text[40];

	textbuf_addf(d->out, "<g class=\"ticks\" data-top=\"%d\">\n", TOP_PX);
	for (int64_t i = ceil(d->pic->from / step); i * step <= d->pic->to; i++) {
		double x = (i * step - d->pic->from) * d->scale;
		bool is_last;

		drawing_fmt_duration(d, text, sizeof(text), i * step);
		is_last = x + 4 + drawing_text_width(text, 11) > d->pic->width;
		textbuf_addf(
			d->out,
			"<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%.0f\" class=\"grid\"/>"
			"<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%d\" class=\"tickline\"/>"
			"<text x=\"%.1f\" y=\"%d\" class=\"axis\"%s>%s</text>\n",
			x, x, TOP_PX, bottom, x, x, TOP_PX - 9, TOP_PX, x + (is_last ? -4 : 4),
			TOP_PX - 7, is_last ? " text-anchor=\"end\"" : "", text);
	}
	textbuf_add_str(d->out, "</g>\n");
}

/* --- marks and the range ---------------------------------------------------------------------- */

#define MARK_COLOUR "#1f6fb2"
#define FLAG_PX	    8 /* half of a flag's width */

void picture_name_mark(struct picture_mark *m, size_t number)
{
	char letters[4] = {0};
	int at = sizeof(letters) - 1;

	for (number++; number && at; number = (number - 1) / 26)
		letters[--at] = 'A' + (number - 1) % 26;
	snprintf(m->name, sizeof(m->name), "%s", letters + at);
}

/* Opens a group that keeps its width when a page is zoomed. The script finds it by its class. */
static void open_at(struct drawing *d, double x)
{
	textbuf_addf(d->out, "<g class=\"mark\" data-x=\"%.2f\" transform=\"translate(%.2f 0)\">",
		     x, x);
}

/* Draws the selected range behind the lanes, with its length on top. */
static void add_chosen(struct drawing *d, double bottom)
{
	double a = ((double)d->pic->range_from - d->pic->from) * d->scale,
	       b = ((double)d->pic->range_to - d->pic->from) * d->scale;
	char text[48];

	if (d->pic->range_to <= d->pic->range_from || b < 0 || a > d->pic->width)
		return;
	drawing_fmt_duration(d, text, sizeof(text), d->pic->range_to - d->pic->range_from);
	textbuf_addf(d->out,
		     "<rect x=\"%.2f\" y=\"%d\" width=\"%.2f\" height=\"%.0f\" fill=\"" MARK_COLOUR
		     "\" fill-opacity=\".11\"><title>range %s</title></rect>\n",
		     a, TITLE_PX, b - a, bottom - TITLE_PX, text);
	a = a < 0 ? 0 : a;
	b = b > d->pic->width ? d->pic->width : b;
	open_at(d, (a + b) / 2);
	textbuf_addf(d->out,
		     "<text y=\"%d\" text-anchor=\"middle\" font-weight=\"600\">%s</text></g>\n",
		     TITLE_PX + 6, text);
}

static void add_marks(struct drawing *d, double bottom)
{
	for (size_t i = 0; i < d->pic->n_marks; i++) {
		const struct picture_mark *m = &d->pic->marks[i];
		double x = ((double)m->t - d->pic->from) * d->scale;

		if (x < 0 || x > d->pic->width)
			continue;
		open_at(d, x);
		textbuf_addf(d->out,
			     "<path d=\"M0 %d V%.0f\" stroke=\"" MARK_COLOUR
			     "\"/><rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"13\" rx=\"3\" "
			     "fill=\"" MARK_COLOUR "\"/><text y=\"%d\" text-anchor=\"middle\" "
			     "style=\"fill:#fff;font-weight:600\">",
			     TITLE_PX, bottom, -FLAG_PX, TITLE_PX - 4, 2 * FLAG_PX, TITLE_PX + 6);
		drawing_add_text(d->out, m->name);
		textbuf_add_str(d->out, "</text></g>\n");
	}
}

static void add_start(struct drawing *d, double bottom)
{
	double width = d->label_width + d->pic->width;
	char from[40], to[40];

	textbuf_addf(d->out,
		     "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" "
		     "width=\"%.0f\" height=\"%.0f\" data-names=\"%.0f\" data-from=\"%llu\" "
		     "data-to=\"%llu\">\n",
		     width, bottom, width, bottom, d->label_width, (unsigned long long)d->pic->from,
		     (unsigned long long)d->pic->to);
	textbuf_add_str(d->out, "<rect width=\"100%\" height=\"100%\" class=\"bg\"/>\n");
	drawing_fmt_duration(d, from, sizeof(from), d->pic->from);
	drawing_fmt_duration(d, to, sizeof(to), d->pic->to);
	textbuf_add_str(d->out, "<text x=\"8\" y=\"16\"><tspan class=\"title\">");
	drawing_add_text(d->out, d->st->config.title);
	textbuf_addf(d->out,
		     "</tspan> <tspan class=\"sub\">%s to %s, from its start</tspan></text>\n",
		     from, to);
}

/* Draws the stripes of states, which do not depend on the style of boxes. */
static void add_patterns(struct drawing *d)
{
	char class[16];

	textbuf_add_str(d->out, "<defs>\n");
	for (unsigned s = PALETTE_STATE + 2; s <= PALETTE_STATE + 3; s++) {
		palette_fmt_class(s, class);
		textbuf_addf(
			d->out,
			"<pattern id=\"%s\" width=\"6\" height=\"6\" "
			"patternUnits=\"userSpaceOnUse\"><rect width=\"6\" height=\"6\" "
			"class=\"%s\" "
			"fill-opacity=\".35\"/><path d=\"M0 0H3L0 3ZM6 0V3L3 6H0Z\" class=\"%s\" "
			"stroke-width=\"0\"/></pattern>\n",
			class, class, class);
	}
	palette_fmt_class(PALETTE_STATE, class);
	textbuf_addf(
		d->out,
		"<pattern id=\"%s\" width=\"12\" height=\"12\" "
		"patternUnits=\"userSpaceOnUse\"><rect width=\"12\" height=\"12\" "
		"class=\"%s\" stroke-width=\"0\"/><path d=\"M-1 -1L13 13M-1 11L1 13M11 -1L13 1\" "
		"stroke=\"#bf1f1a\" stroke-width=\"1.4\"/></pattern>\n",
		class, class);
	/* stripes for unrecorded time, as on the page */
	textbuf_addf(
		d->out,
		"<pattern id=\"%sn\" width=\"12\" height=\"12\" patternUnits=\"userSpaceOnUse\">"
		"<g opacity=\".4\"><rect width=\"12\" height=\"12\" class=\"%s\" "
		"stroke-width=\"0\"/><path d=\"M-1 -1L13 13M-1 11L1 13M11 -1L13 1\" "
		"stroke=\"#949494\" "
		"stroke-width=\"1.4\"/></g></pattern>\n",
		class, class);
	textbuf_add_str(d->out, "</defs>\n");
}

static void add_style(struct drawing *d)
{
	textbuf_add_str(d->out, "<style>");
	textbuf_add_str(d->out, style);
	palette_add_css(d->out, d->used, false, "");
	if (d->pic->is_page) {
		textbuf_add_str(d->out, dark_style);
		palette_add_css(d->out, d->used, true, "[data-theme=dark] ");
	}
	textbuf_add_str(d->out, "</style>\n");
}

static void add_refusal(struct drawing *d, const struct row *r, const char *spec)
{
	textbuf_add_str(d->out, "<g data-lane=\"");
	drawing_add_text(d->out, spec);
	textbuf_addf(d->out, "\"><text x=\"6\" y=\"%.1f\" class=\"sub\">",
		     r->y + r->height / 2 + 4);
	drawing_add_text(d->out, r->refused);
	textbuf_add_str(d->out, "</text></g>\n");
}

static int add_lane(struct drawing *d, const struct row *r, const char *spec, struct errmsg *err)
{
	struct stage_lane held;
	int code;

	if (r->refused[0]) {
		add_refusal(d, r, spec);
		return 0;
	}
	code = get_lane(d, spec, &held, err);
	TRY(code);
	d->lane = held.lane;
	d->y = r->y + PAD_PX + (r->words.row_height ? 0 : 1);
	d->height = r->row_height;
	d->low = r->low;
	d->high = r->high;
	textbuf_add_str(d->out, "<g data-lane=\"");
	drawing_add_text(d->out, spec);
	textbuf_add_str(d->out, "\">\n");
	code = drawing_add_boxes(d, spec);
	textbuf_add_str(d->out, "</g>\n");
	if (code < 0)
		errmsg_set_errno(err, code, "cannot draw %s", spec);
	stage_lane_put(d->st, &held);
	return code;
}

static int add_all(struct drawing *d, const struct row *rows, double bottom, struct errmsg *err)
{
	int r = 0;

	add_start(d, bottom);
	for (size_t i = 0; i < d->pic->n_specs; i++)
		add_names(d, &rows[i]);
	textbuf_addf(d->out,
		     "<svg class=\"plot\" x=\"%.0f\" y=\"0\" width=\"%u\" height=\"%.0f\" "
		     "viewBox=\"0 0 %u %.0f\" preserveAspectRatio=\"none\">\n",
		     d->label_width, d->pic->width, bottom, d->pic->width, bottom);
	add_patterns(d);
	add_axis(d, bottom);
	add_chosen(d, bottom);
	for (size_t i = 0; i < d->pic->n_specs && r >= 0; i++)
		r = add_lane(d, &rows[i], d->pic->specs[i], err);
	add_marks(d, bottom);
	textbuf_add_str(d->out, "</svg>\n");
	/* classes that the patterns use */
	d->used[PALETTE_STATE] = d->used[PALETTE_STATE + 2] = d->used[PALETTE_STATE + 3] = true;
	add_style(d);
	textbuf_add_str(d->out, "</svg>\n");
	return r;
}

int picture_add_svg(struct stage *st, const struct picture *pic, struct textbuf *out,
		    struct errmsg *err)
{
	struct drawing d = {.st = st, .unit = timeline_unit(st->tl), .pic = pic, .out = out};
	SCOPED(scope_free) struct row *rows = calloc(pic->n_specs + 1, sizeof(*rows));
	double bottom = 0;

	TRY(rows ? lay_out(&d, rows, &bottom, err)
		 : errmsg_set_errno(err, -ENOMEM, "cannot draw the picture"));
	d.scale = pic->width / (double)(pic->to > pic->from ? pic->to - pic->from : 1);
	d.label_width = find_label_width(rows, pic->n_specs);
	return add_all(&d, rows, bottom, err);
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

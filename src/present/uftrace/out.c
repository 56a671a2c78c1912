// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * out.c - the pieces of uftrace's text: times, differences, colours.
 *
 * A time has three digits after the point and the unit that leaves at most three before it:
 * "   0.123 us", " 20.766 ms", "  1.002  s". uftrace stores nanoseconds and prints microseconds.
 */
#include "present/uftrace/out.h"

#include "base/array.h"
#include "base/escaper.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define OUT_MAX_BYTES (16u << 20)

const char uft_html_header[] = "<html>\n<head></head>\n"
			       "<body style='background-color:black;color:white;'>\n<pre>\n";
const char uft_html_footer[] = "</pre>\n</body>\n</html>\n";

void uft_out_init(struct uft_out *o, bool colour, bool html,
		  int (*write)(void *ctx, const char *s, size_t len), void *ctx)
{
	*o = (struct uft_out){.colour = colour, .html = html, .write = write, .ctx = ctx};
	textbuf_init(&o->tb, OUT_MAX_BYTES);
}

void uft_out_release(struct uft_out *o)
{
	textbuf_release(&o->tb);
}

void uft_out_flush(struct uft_out *o, bool force)
{
	size_t len = textbuf_len(&o->tb);

	if (!len || (!force && len < UFT_OUT_PIECE))
		return;
	if (o->status >= 0)
		o->status = o->write(o->ctx, o->tb.start, len);
	textbuf_clear(&o->tb);
}

static const struct {
	char code;
	const char *terminal, *html;
} colours[] = {
	{'R', ESCAPER_LIGHT_RED, "<span style='color:red'>"},
	{'G', ESCAPER_GREEN, "<span style='color:green'>"},
	{'Y', ESCAPER_YELLOW, "<span style='color:yellow'>"},
	{'B', ESCAPER_LIGHT_BLUE, "<span style='color:blue'>"},
	{'M', ESCAPER_MAGENTA, "<span style='color:magenta'>"},
	{'C', ESCAPER_CYAN, "<span style='color:cyan'>"},
	{'g', ESCAPER_GREY, "<span style='color:gray'>"},
	{'b', ESCAPER_BOLD, "<span style='font-weight:bold'>"},
};

const char *uft_out_colour_on(const struct uft_out *o, char code)
{
	for (size_t i = 0; o->colour && i < ARRAY_LEN(colours); i++)
		if (colours[i].code == code)
			return o->html ? colours[i].html : colours[i].terminal;
	return "";
}

const char *uft_out_colour_off(const struct uft_out *o)
{
	return !o->colour ? "" : o->html ? "</span>" : ESCAPER_OFF;
}

void uft_out_colour(struct uft_out *o, char code, const char *fmt, ...)
{
	char text[2048];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	textbuf_add_str(&o->tb, uft_out_colour_on(o, code));
	textbuf_add_str(&o->tb, text);
	textbuf_add_str(&o->tb, uft_out_colour_off(o));
}

/* A time, split into the number before and after the point, and its unit. */
struct split_time {
	uint64_t whole, part;
	size_t unit;
};

static const char *const units[] = {"us", "ms", " s", " m", " h"};

static struct split_time split(uint64_t ns)
{
	static const unsigned limits[] = {1000, 1000, 1000, 60, 24, INT32_MAX};
	struct split_time t = {.whole = ns};

	for (; t.unit < ARRAY_LEN(units); t.unit++) {
		t.part = t.whole % limits[t.unit];
		t.whole /= limits[t.unit];
		if (t.whole < limits[t.unit + 1])
			break;
	}
	if (t.unit >= ARRAY_LEN(units))
		t.unit = ARRAY_LEN(units) - 1;
	if (t.whole > 999)
		t.whole = t.part = 999;
	return t;
}

static void add_unit(struct uft_out *o, size_t unit)
{
	static const char codes[] = {0, 'G', 'Y', 'R', 'R'};

	if (!codes[unit])
		textbuf_add_str(&o->tb, units[unit]);
	else
		uft_out_colour(o, codes[unit], "%s", units[unit]);
}

void uft_out_time(struct uft_out *o, uint64_t ns)
{
	struct split_time t;

	if (!ns) {
		textbuf_add_fill(&o->tb, ' ', 10);
		return;
	}
	t = split(ns);
	textbuf_addf(&o->tb, "%3llu.%03llu ", (unsigned long long)t.whole,
		     (unsigned long long)t.part);
	add_unit(o, t.unit);
}

void uft_out_time_diff(struct uft_out *o, uint64_t base_ns, uint64_t pair_ns)
{
	int64_t diff = (int64_t)(pair_ns - base_ns);
	struct split_time t;
	char code;

	if (!diff) {
		textbuf_addf(&o->tb, "%11s", "0 us");
		return;
	}
	t = split((uint64_t)llabs(diff));
	code = diff >= 100000	? 'R'
	       : diff >= 5000	? 'M'
	       : diff > -5000	? 0
	       : diff > -100000 ? 'C'
				: 'B';
	textbuf_addf(&o->tb, "%*s%s%c%llu.%03llu%s ",
		     t.whole >= 100  ? 0
		     : t.whole >= 10 ? 1
				     : 2,
		     "", uft_out_colour_on(o, code), diff > 0 ? '+' : '-',
		     (unsigned long long)t.whole, (unsigned long long)t.part,
		     uft_out_colour_off(o));
	add_unit(o, t.unit);
}

void uft_out_percent_diff(struct uft_out *o, uint64_t base, uint64_t pair)
{
	double percent;
	char code;

	if (!base || !pair) {
		uft_out_colour(o, base ? 'B' : 'R', "%7s", "N/A");
		textbuf_add_char(&o->tb, ' ');
		return;
	}
	percent = 100.0 * (double)(int64_t)(pair - base) / (double)base;
	percent = percent > 999.99 ? 999.99 : percent < -999.99 ? -999.99 : percent;
	code = percent > 30    ? 'R'
	       : percent > 3   ? 'M'
	       : percent < -30 ? 'B'
	       : percent < -3  ? 'C'
			       : 0;
	uft_out_colour(o, code, "%+7.2f", percent);
	textbuf_add_char(&o->tb, '%');
}

void uft_out_count_diff(struct uft_out *o, uint64_t base, uint64_t pair)
{
	if (pair == base)
		textbuf_addf(&o->tb, "%9s", "+0");
	else
		uft_out_colour(o, pair < base ? 'B' : 'R', "%+9lld", (long long)(pair - base));
}

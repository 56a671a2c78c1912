// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * palette.c - computes the page's colours in the same way as web/colours.js.
 *
 * A colour is a lightness, a chroma and a hue (OKLCH), so that all have about the same lightness
 * and none dominates:
 *
 *	task     hue by the name's hash; the PID changes hue and lightness; kernel threads are paler
 *	state    a table
 *	label    64 slots around the hue circle
 *
 * tests/browser compares the colours drawn here with those of the page.
 */
#include "view/picture/palette.h"

#include "base/array.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const int hues[] = {248, 28, 158, 305, 82, 205, 350, 135, 275, 52, 182, 328, 228};
#define N_HUES ARRAY_LEN(hues)

/*
 * The difference between a task's colour and that of its name, by its PID. The number is a prime,
 * because many PIDs are even.
 */
static const struct {
	int turn;
	double lift;
} spread[] = {{0, 0},	   {44, -.05}, {-44, .05},  {88, .03},	{-88, -.04}, {22, .08},
	      {-22, -.08}, {132, 0},   {-132, .04}, {66, -.09}, {-66, .09}};
#define N_SPREAD ARRAY_LEN(spread)

struct lch {
	double lightness, chroma, hue;
};

static const struct lch states[2][PALETTE_STATES] = {
	{{.75, 0, 0},
	 {.64, .14, 152},
	 {.76, .14, 75},
	 {.67, .17, 42},
	 {.82, .015, 250},
	 {.58, .17, 25},
	 {.6, .14, 305},
	 {.86, .01, 250},
	 {.55, .01, 250}},
	{{.45, 0, 0},
	 {.66, .13, 155},
	 {.76, .13, 78},
	 {.68, .16, 45},
	 {.42, .02, 250},
	 {.64, .17, 25},
	 {.66, .13, 305},
	 {.36, .01, 250},
	 {.5, .01, 250}},
};

static const struct {
	const char *name;
	struct lch colours[2]; /* for the light and the dark theme */
} things[] = {
	{"tick", {{.52, .1, 245}, {.74, .1, 240}}},
	{"found", {{.52, .22, 340}, {.76, .19, 340}}},
	{"missed", {{.58, .22, 27}, {.68, .2, 27}}},
	{"counter", {{.6, .11, 240}, {.7, .11, 240}}},
};

/* Kernel threads, by the beginning of their names. */
static const char *const kernel_names[] = {
	"kworker",  "ksoftirqd", "rcu",	       "migration", "idle_inject", "cpuhp",
	"kswapd",   "kcompactd", "khugepaged", "kthreadd",  "jbd2",	   "irq/",
	"watchdog", "kauditd",	 "oom_reaper", "writeback", "kdevtmpfs",
};

static uint8_t srgb(double v)
{
	double c = v <= 0.0031308 ? 12.92 * v : 1.055 * pow(v, 1 / 2.4) - 0.055;

	return c <= 0 ? 0 : c >= 1 ? 255 : (uint8_t)floor(c * 255 + 0.5);
}

static double cube(double v)
{
	return v * v * v;
}

static struct colour from_lch(struct lch c)
{
	double h = c.hue * M_PI / 180, a = c.chroma * cos(h), b = c.chroma * sin(h);
	double l = cube(c.lightness + 0.3963377774 * a + 0.2158037573 * b),
	       m = cube(c.lightness - 0.1055613458 * a - 0.0638541728 * b),
	       s = cube(c.lightness - 0.0894841775 * a - 1.291485548 * b);

	return (struct colour){srgb(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
			       srgb(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
			       srgb(-0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s)};
}

/* Returns true for yellow, which stays light, because dark yellow is olive. */
static bool is_yellow(double hue)
{
	return hue > 55 && hue < 125;
}

/*
 * Returns the class of a task. Ignores numbers at the end of a name, so that workers of one kind
 * look alike.
 */
unsigned palette_task(const char *comm, size_t len, int pid)
{
	uint32_t h = 2166136261u;
	bool is_kernel = false;

	for (size_t i = 0; i < ARRAY_LEN(kernel_names); i++)
		is_kernel |= strlen(kernel_names[i]) <= len &&
			     !strncmp(comm, kernel_names[i], strlen(kernel_names[i]));
	while (len && ((comm[len - 1] >= '0' && comm[len - 1] <= '9') || comm[len - 1] == ':'))
		len--;
	for (size_t i = 0; i < len; i++)
		h = (h ^ (unsigned char)comm[i]) * 16777619u;
	h = (h ^ h >> 15) * 0x2c1b3c6du;
	return PALETTE_TASK + ((h >> 16) % N_HUES * N_SPREAD + (unsigned)pid % N_SPREAD) * 2 +
	       is_kernel;
}

static struct lch task_lch(unsigned n, bool is_dark)
{
	size_t s = n / 2 % N_SPREAD;
	int hue = (hues[n / 2 / N_SPREAD] + spread[s].turn + 360) % 360;

	return (struct lch){(is_dark ? .62 : .72) + (is_yellow(hue) ? .08 : 0) + spread[s].lift,
			    n % 2 ? .045 : .105, hue};
}

static struct lch span_lch(unsigned n, bool is_dark)
{
	int hue = hues[n % N_HUES] + (int)(n >> 4) * 4;

	return (struct lch){(is_dark ? .54 : .8) + (is_yellow(hue) ? .06 : 0) +
				    ((int)(n % 3) - 1) * .03,
			    .075, hue};
}

struct colour palette_colour(unsigned class, bool is_dark)
{
	if (class < PALETTE_STATE)
		return from_lch(task_lch(class - PALETTE_TASK, is_dark));
	if (class < PALETTE_SPAN)
		return from_lch(states[is_dark][class - PALETTE_STATE]);
	if (class < PALETTE_TICK)
		return from_lch(span_lch(class - PALETTE_SPAN, is_dark));
	return from_lch(things[class - PALETTE_TICK].colours[is_dark]);
}

const char *palette_fmt_class(unsigned class, char buf[16])
{
	if (class < PALETTE_STATE)
		snprintf(buf, 16, "t%u", class - PALETTE_TASK);
	else if (class < PALETTE_SPAN)
		snprintf(buf, 16, "s%u", class - PALETTE_STATE);
	else if (class < PALETTE_TICK)
		snprintf(buf, 16, "l%u", class - PALETTE_SPAN);
	else
		snprintf(buf, 16, "%s", things[class - PALETTE_TICK].name);
	return buf;
}

/* Returns dark or light, whichever is more readable. */
static const char *ink_on(struct colour c)
{
	double y = .2126 * pow(c.r / 255.0, 2.2) + .7152 * pow(c.g / 255.0, 2.2) +
		   .0722 * pow(c.b / 255.0, 2.2);

	return y > .26 ? "#10151c" : "#ffffff";
}

void palette_add_css(struct textbuf *out, const bool used[PALETTE_N], bool is_dark,
		     const char *selector)
{
	char name[16];

	for (unsigned i = 0; i < PALETTE_N; i++) {
		struct colour c;

		if (!used[i])
			continue;
		c = palette_colour(i, is_dark);
		palette_fmt_class(i, name);
		textbuf_addf(out, "%s.%s{fill:#%02x%02x%02x;stroke:#%02x%02x%02x}", selector, name,
			     c.r, c.g, c.b, c.r, c.g, c.b);
		textbuf_addf(out, "%stext.%s{fill:%s}\n", selector, name, ink_on(c));
	}
}

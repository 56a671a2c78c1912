// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * lost.c - reports what a permanent probe shows less precisely than a recording.
 *
 * A recording writes the event's format with the help of the debug information (format.c). A probe
 * that was added to the kernel has only the kernel's own format, in every later recording:
 *
 *	-e 'prog:work(box->colour)'           colour=RED
 *	probe add 'prog:work(box->colour)'    colour=1
 *
 * The kernel keeps only the line that it was given, in which a variable is just an arbitrary name,
 * so sonde cannot look up types later. sonde reports this when the probe is added.
 */
#include "base/array.h"
#include "base/textbuf.h"
#include "probe/probe.h"

#include <stdlib.h>
#include <string.h>

#define MAX_SHOWN 6 /* arguments to name in the message */

static const char *const lost_words[] = {
	[PROBE_SHOW_ENUM] = "as a number",
	[PROBE_SHOW_FLAGS] = "as a number",
	[PROBE_SHOW_FUNCTION] = "as an address",
	[PROBE_SHOW_BOOL] = "as 0 or 1",
	[PROBE_SHOW_SIGNED] = "without its sign",
	[PROBE_SHOW_FLOAT] = "as its bits",
	[PROBE_SHOW_BIG_ENDIAN] = "with its bytes swapped",
};

static const char *lost_of(const struct probe_arg *a)
{
	return a->show < ARRAY_LEN(lost_words) ? lost_words[a->show] : NULL;
}

/* Writes an example for "…:b5@3/32": how -1 of five bits looks. */
static void fmt_example(const struct probe_arg *a, struct textbuf *tb)
{
	const char *type = a->fetch ? strrchr(a->fetch, ':') : NULL;
	unsigned long n = type && type[1] == 'b' ? strtoul(type + 2, NULL, 10) : 0;

	if (a->show == PROBE_SHOW_SIGNED && n && n < 64)
		textbuf_addf(tb, " (-1 as %llu)", (1ull << n) - 1);
}

void probe_fmt_lost(const struct probe *p, struct textbuf *tb)
{
	unsigned n = 0;

	for (size_t i = 0; i < p->n_args; i++) {
		const struct probe_arg *a = &p->args[i];
		const char *words = lost_of(a);

		if (!words || n++ >= MAX_SHOWN)
			continue;
		textbuf_add_str(tb, n == 1 ? "for a permanent probe, the kernel shows " : ", ");
		textbuf_addf(tb, "%s %s", *a->name ? a->name : "an argument", words);
		fmt_example(a, tb);
	}
	if (n > MAX_SHOWN)
		textbuf_addf(tb, ", and %u more likewise", n - MAX_SHOWN);
	if (n)
		textbuf_add_str(tb, "; record -e with the definition shows their meaning");
}

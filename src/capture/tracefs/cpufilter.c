// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cpufilter.c - turns a CPU mask into a filter expression of the kernel.
 *
 *	2f      ──▶  CPU >= 0 && CPU <= 3 || CPU == 5
 *	1,00000000   groups of 32 bits, the lowest last: CPU 32; no comma is needed before a full
 *	             group
 *
 * tracing_cpumask only controls what goes into the buffer: hist triggers and BPF programs run on
 * every CPU. The filter uses ranges, because the kernel accepts CPU & 1 but evaluates it as never
 * true (and knows CPU & {0-3} only since 6.6).
 */
#include "capture/tracefs/cpufilter.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#define GROUP_DIGITS 8

static unsigned digit_value(char c)
{
	return (unsigned)(isdigit((unsigned char)c) ? c - '0'
						    : tolower((unsigned char)c) - 'a' + 10);
}

struct ranges {
	struct textbuf *tb;
	unsigned first;
	bool is_open, has_any;
};

static void end_range(struct ranges *r, unsigned end)
{
	if (!r->is_open)
		return;
	textbuf_add_str(r->tb, r->has_any ? " || " : "");
	if (r->first + 1 == end)
		textbuf_addf(r->tb, "CPU == %u", r->first);
	else
		textbuf_addf(r->tb, "CPU >= %u && CPU <= %u", r->first, end - 1);
	r->is_open = false;
	r->has_any = true;
}

static void take_cpu(struct ranges *r, unsigned cpu, bool is_in)
{
	if (!is_in)
		end_range(r, cpu);
	else if (!r->is_open)
		r->first = cpu;
	r->is_open = is_in;
}

void cpufilter_fmt(const char *mask, struct textbuf *tb)
{
	struct ranges r = {.tb = tb};
	unsigned group = 0, n_digits = 0;

	if (!strcmp(mask, "-1"))
		return;
	for (size_t i = strlen(mask); i-- > 0;) {
		unsigned first = group * 32 + n_digits * 4;
		bool is_digit = mask[i] != ',';

		for (unsigned bit = 0; is_digit && bit < 4; bit++)
			take_cpu(&r, first + bit, digit_value(mask[i]) >> bit & 1);
		n_digits += is_digit;
		if ((is_digit && n_digits < GROUP_DIGITS) || (!is_digit && !n_digits))
			continue;
		if (!is_digit) /* a short group: the mask does not contain its other CPUs */
			take_cpu(&r, first, false);
		group++;
		n_digits = 0;
	}
	end_range(&r, group * 32 + n_digits * 4);
	if (!r.has_any)
		textbuf_add_str(tb, "CPU < 0");
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * values.c - arguments and return values in the colours of uftrace.
 *
 * The text itself is made by analyse/uftrace/valuetext.h, which other commands use without colours.
 * Here it gets those of the output: strings, names of functions and enums have one each.
 */
#include "present/uftrace/values.h"

static const char *colour_on(const void *ctx, char code)
{
	return uft_out_colour_on(ctx, code);
}

static const char *colour_off(const void *ctx)
{
	return uft_out_colour_off(ctx);
}

void uft_values_add(struct uft_out *o, struct uft_walk *w, struct uft_lane *l,
		    const struct uft_values *values, unsigned form)
{
	struct uft_value_style style = {colour_on, colour_off, o, o->colour, o->html};

	uft_values_fmt(&style, w, l, values, form, &o->tb);
}

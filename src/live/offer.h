/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * offer.h - what `sonde list` is asked for, and the half of it that asks the running kernel.
 */
#ifndef SONDE_LIVE_OFFER_H
#define SONDE_LIVE_OFFER_H

#include <stdbool.h>

struct errmsg;
struct textbuf;

struct list_options {
	const char *input;				/* NULL: the running kernel */
	const char *event_re, *function_re, *option_re; /* NULL: all */
	bool events, functions, fields, full, systems, buffers, clock, compressions;
	bool plugins, plugin_options;
	bool tracers, options, triggers, filters; /* only the running kernel has them */
};

/* Adds everything that o asks for as lines, also before a failure; an overview if that is nothing. */
int offer_list(const struct list_options *o, bool overview, struct textbuf *out,
	       struct errmsg *err);

#endif

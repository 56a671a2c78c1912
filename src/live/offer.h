/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * offer.h - the options of `sonde list`, and the lists of the running kernel.
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

/*
 * Adds the lines that o requests, or an overview if o requests nothing. After a failure out has the
 * lines before it.
 */
int offer_list(const struct list_options *o, bool overview, struct textbuf *out,
	       struct errmsg *err);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * plugin_options.h - report -O: settings of handlers.
 */
#ifndef SONDE_DECODE_HANDLERS_PLUGIN_OPTIONS_H
#define SONDE_DECODE_HANDLERS_PLUGIN_OPTIONS_H

#include "decode/formats/formats.h"

struct plugin_option_row {
	const char *plugin, *name, *description;
	bool is_set;	  /* the value without -O */
	bool is_inverted; /* the member of struct plugin_options has the opposite meaning */
	size_t offset;	  /* offset of that member */
};

/* Returns the table. The options of one plugin are next to each other. */
const struct plugin_option_row *plugin_options_rows(size_t *ret_n);

/*
 * Applies "[PLUGIN:]NAME[=VALUE]". Without a value the option is toggled. Returns -EINVAL with a
 * message if there is no such option or value. *o starts as all zero and is complete after every
 * call.
 */
int plugin_options_apply(struct plugin_options *o, const char *text, struct errmsg *err);

#endif

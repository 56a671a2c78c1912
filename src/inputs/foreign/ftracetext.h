/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * ftracetext.h - the text of ftrace (trace, trace_pipe) and of reports, as a trace file.
 */
#ifndef SONDE_INPUTS_FOREIGN_FTRACETEXT_H
#define SONDE_INPUTS_FOREIGN_FTRACETEXT_H

#include "format/bytes.h"

#include <stdbool.h>

struct errmsg;
struct foreign_config;

/* Is this a regular file that begins with such lines? */
bool ftracetext_is(const char *path);
int ftracetext_convert(const struct foreign_config *config, struct errmsg *err);
/* The same of a text in memory. Notes name config->input. */
int ftracetext_convert_text(const struct foreign_config *config, struct piece text,
			    struct errmsg *err);

#endif

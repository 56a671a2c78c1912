/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * stracetext.h - the output of strace, with times (-t, -tt, -ttt, -r), as a trace file.
 */
#ifndef SONDE_INPUTS_FOREIGN_STRACETEXT_H
#define SONDE_INPUTS_FOREIGN_STRACETEXT_H

#include "format/bytes.h"

#include <stdbool.h>

struct errmsg;
struct foreign_config;

/* Is this a regular file that begins with such lines? */
bool stracetext_is(const char *path);
int stracetext_convert(const struct foreign_config *config, struct errmsg *err);

#endif

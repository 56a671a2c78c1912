/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * chromejson.h - JSON of Chrome's trace viewer, as a trace file.
 */
#ifndef SONDE_INPUTS_FOREIGN_CHROMEJSON_H
#define SONDE_INPUTS_FOREIGN_CHROMEJSON_H

#include "format/bytes.h"

#include <stdbool.h>

struct errmsg;
struct foreign_config;

/* Is this a regular file with such JSON at its beginning? */
bool chromejson_is(const char *path);
int chromejson_convert(const struct foreign_config *config, struct errmsg *err);

#endif

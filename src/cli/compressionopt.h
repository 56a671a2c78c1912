/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * compressionopt.h - the value of --compression, which several commands take.
 */
#ifndef SONDE_CLI_COMPRESSIONOPT_H
#define SONDE_CLI_COMPRESSIONOPT_H

#include "store/tracefile.h"

struct errmsg;

/* name NULL: none. -EINVAL with a sentence, also if the version of the file cannot have it. */
int compressionopt_parse(const char *name, long long version, enum compression *ret,
			 struct errmsg *err);

#endif

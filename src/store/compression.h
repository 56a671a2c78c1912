/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * compression.h - the value of --compression, which several commands share.
 */
#ifndef SONDE_STORE_COMPRESSION_H
#define SONDE_STORE_COMPRESSION_H

#include "store/tracefile.h"

struct errmsg;

/*
 * name NULL: texts are compressed (if the version of the file supports it), sub-buffers are not.
 * Returns -EINVAL with a message, also if the version of the file does not support it.
 */
int compression_choose(const char *name, long long version, enum compression *ret,
		       bool *ret_plain_data, struct errmsg *err);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * compression.h - the value of --compression, which several commands share.
 */
#ifndef SONDE_STORE_COMPRESSION_H
#define SONDE_STORE_COMPRESSION_H

#include "store/tracefile.h"

struct errmsg;

/*
 * Chooses the compression by its name. If name is NULL, texts are compressed (if the version of the
 * file supports that), and sub-buffers are not. Returns -EINVAL with a message for an unknown name,
 * or if the version of the file does not support the compression.
 */
int compression_choose(const char *name, long long version, enum compression *ret,
		       bool *ret_plain_data, struct errmsg *err);

#endif

// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * compression.c - parses "none", "zstd", "zlib" or "any".
 *
 * By default texts are compressed and events are not: symbols and formats are most of a small
 * recording (5.5 MB become 1 MB), and events go to the file without being copied.
 *
 * "any" means the best one, which is zstd: it compresses as well as zlib and is five times as
 * fast. Version 6 of the format has no compression: there "any" means none, and every other
 * compression is refused.
 */
#include "store/compression.h"

#include "base/errmsg.h"
#include "store/unpack.h"

#include <errno.h>
#include <string.h>

int compression_choose(const char *name, long long version, enum compression *ret,
		       bool *ret_plain_data, struct errmsg *err)
{
	enum compression best = version == 6 ? COMPRESSION_NONE : COMPRESSION_ZSTD;
	enum compression kind = !name || !strcmp(name, "any") ? best : compression_parse(name);

	if (kind == COMPRESSION_UNKNOWN)
		return errmsg_set(err, -EINVAL,
				  "unknown compression '%s': use none, zstd, zlib or any", name);
	if (version == 6 && kind != COMPRESSION_NONE)
		return errmsg_set(err, -EINVAL,
				  "version 6 has no compression; omit --compression %s", name);
	*ret = kind;
	*ret_plain_data = !name;
	return 0;
}

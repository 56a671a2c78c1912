// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * compression.c - turns "none", "zstd", "zlib" or "any" into a kind of compression.
 *
 * Without a word the texts are compressed and the events are not: symbols and formats are nearly all of a
 * small recording (5.5 MB become 1 MB), and events go to the file without passing through our hands.
 *
 * "any" means the best there is, which is zstd: it packs as well as zlib and five times as fast. In
 * version 6 of the format, which has no compression, it means none; every other word that asks for one
 * there is refused.
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
				  "there is no compression '%s': use none, zstd, zlib or any",
				  name);
	if (version == 6 && kind != COMPRESSION_NONE)
		return errmsg_set(err, -EINVAL,
				  "version 6 has no compression; leave out --compression %s", name);
	*ret = kind;
	*ret_plain_data = !name;
	return 0;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * unpack.c - one call to pack or unpack one frame.
 *
 * trace-cmd writes zstd frames without their content size, so the size from the section or chunk
 * header is the only measure; a frame that gives another size is damaged. Contexts are made per call:
 * ZSTD_decompress() keeps none, and for 40 KB chunks that costs less than one per cent. Packing is
 * another matter: a recorder packs all the time and beside the work that it watches, so it has a
 * packer. Level 1 takes two thirds of the time of level 3 and its result is 1 to 2 per cent larger
 * (events of a busy machine, 64 KB at a time: 0.139 of the plain size, and 0.137).
 */
#include "store/unpack.h"

#include "base/shortage.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

static const struct {
	const char *name;
	enum compression kind;
} compressions[] = {
	{"none", COMPRESSION_NONE},
	{"zstd", COMPRESSION_ZSTD},
	{"zlib", COMPRESSION_ZLIB},
};

enum compression compression_parse(const char *name)
{
	for (size_t i = 0; i < sizeof(compressions) / sizeof(*compressions); i++)
		if (!strcmp(compressions[i].name, name))
			return compressions[i].kind;
	return COMPRESSION_UNKNOWN;
}

const char *compression_name(enum compression kind)
{
	return kind < COMPRESSION_UNKNOWN ? compressions[kind].name : "unknown";
}

const char *compression_version(enum compression kind)
{
	return kind == COMPRESSION_ZSTD	  ? ZSTD_versionString()
	       : kind == COMPRESSION_ZLIB ? zlibVersion()
					  : "";
}

/* Of a library, whose allocations are not counted where they fail. */
static int no_memory(void)
{
	shortage_note(ENOMEM);
	return -ENOMEM;
}

int unpack(enum compression kind, struct piece in, void *out, size_t n_out)
{
	if (kind == COMPRESSION_ZSTD) {
		size_t n = ZSTD_decompress(out, n_out, in.data, in.len);

		if (ZSTD_getErrorCode(n) == ZSTD_error_memory_allocation)
			return no_memory();
		return ZSTD_isError(n) || n != n_out ? -EBADMSG : 0;
	}
	if (kind == COMPRESSION_ZLIB) {
		uLongf n = n_out;
		int r = uncompress(out, &n, in.data, in.len);

		if (r == Z_MEM_ERROR)
			return no_memory();
		return r != Z_OK || n != n_out ? -EBADMSG : 0;
	}
	return -EBADMSG;
}

size_t pack_bound(enum compression kind, size_t n_in)
{
	return kind == COMPRESSION_ZSTD	  ? ZSTD_compressBound(n_in)
	       : kind == COMPRESSION_ZLIB ? compressBound(n_in)
					  : n_in;
}

static long pack_failure(size_t zstd, int zlib)
{
	if (ZSTD_getErrorCode(zstd) == ZSTD_error_memory_allocation || zlib == Z_MEM_ERROR)
		return no_memory();
	return -EIO;
}

long pack(enum compression kind, const void *in, size_t n_in, void *out, size_t n_out)
{
	if (kind == COMPRESSION_ZSTD) {
		size_t n = ZSTD_compress(out, n_out, in, n_in, 3);

		return ZSTD_isError(n) ? pack_failure(n, Z_OK) : (long)n;
	}
	if (kind == COMPRESSION_ZLIB) {
		uLongf n = n_out;

		int r = compress2(out, &n, in, n_in, Z_DEFAULT_COMPRESSION);

		return r == Z_OK ? (long)n : pack_failure(0, r);
	}
	return -EINVAL;
}

#define PACKER_ZSTD_LEVEL 1

struct packer {
	enum compression kind;
	ZSTD_CCtx *zstd;
};

struct packer *packer_new(enum compression kind)
{
	struct packer *p = kind == COMPRESSION_NONE ? NULL : calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->kind = kind;
	if (kind == COMPRESSION_ZSTD)
		p->zstd = ZSTD_createCCtx();
	if (kind == COMPRESSION_ZSTD && !p->zstd) {
		free(p);
		return NULL;
	}
	return p;
}

void packer_free(struct packer *p)
{
	if (!p)
		return;
	ZSTD_freeCCtx(p->zstd);
	free(p);
}

long packer_pack(struct packer *p, const void *in, size_t n_in, void *out, size_t n_out)
{
	if (p->kind == COMPRESSION_ZSTD) {
		size_t n = ZSTD_compressCCtx(p->zstd, out, n_out, in, n_in, PACKER_ZSTD_LEVEL);

		return ZSTD_isError(n) ? pack_failure(n, Z_OK) : (long)n;
	}
	if (p->kind == COMPRESSION_ZLIB) {
		uLongf n = n_out;

		int r = compress2(out, &n, in, n_in, Z_BEST_SPEED);

		return r == Z_OK ? (long)n : pack_failure(0, r);
	}
	return -EINVAL;
}

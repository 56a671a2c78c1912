// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * unpack.c - one call to compress or uncompress one frame.
 *
 * trace-cmd writes zstd frames without their content size, so only the section or chunk header has
 * the size; a frame of another size is damaged. Contexts are created per call: ZSTD_decompress()
 * keeps none, and for 40 KB chunks that costs less than one per cent. Compression differs: a
 * recorder compresses all the time, on the machine that it traces, so it keeps a context (a
 * packer). Level 1 takes two thirds of the time of level 3 and its result is 1 to 2 per cent
 * larger (events of a busy machine, 64 KB at a time: 0.139 of the original size, and 0.137). For
 * the kernel's symbols, most of a small recording, it is even smaller (5.4 MB: 1005 KB in 13 ms,
 * and 1012 KB in 18 ms), so texts use level 1, too.
 */
#include "store/unpack.h"

#include "base/array.h"
#include "base/scope.h"
#include "base/shortage.h"
#include "format/bytes.h"

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
	for (size_t i = 0; i < ARRAY_LEN(compressions); i++)
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

const char *compression_at(size_t i, const char **ret_version)
{
	enum compression kind = COMPRESSION_NONE + 1 + i;

	if (kind >= COMPRESSION_UNKNOWN)
		return NULL;
	*ret_version = compression_version(kind);
	return compression_name(kind);
}

/* Counts a failed allocation in a library, which base/shortage_wrap.c cannot count. */
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

/*
 * --- in pieces ---------------------------------------------------------------------------------
 */

#define PACKER_ZSTD_LEVEL 1
#define STREAM_BYTES	  (128u << 10)

struct pack_target {
	int (*put)(void *ctx, const void *data, size_t n_bytes);
	void *ctx;
	uint8_t *buf; /* STREAM_BYTES bytes */
};

static int zstd_add(ZSTD_CCtx *zstd, struct piece in, bool last, const struct pack_target *to)
{
	ZSTD_inBuffer input = {in.data, in.len, 0};
	size_t left;

	do {
		ZSTD_outBuffer output = {to->buf, STREAM_BYTES, 0};
		int r;

		left = ZSTD_compressStream2(zstd, &output, &input,
					    last ? ZSTD_e_end : ZSTD_e_continue);
		if (ZSTD_isError(left))
			return -EIO;
		r = output.pos ? to->put(to->ctx, to->buf, output.pos) : 0;
		TRY(r);
	} while (last ? left : input.pos < input.size);
	return 0;
}

static int zstd_pieces(const struct piece *pieces, size_t n, const struct pack_target *to)
{
	ZSTD_CCtx *zstd = ZSTD_createCCtx();
	unsigned long long total = 0;
	int r = zstd ? 0 : -ENOMEM;

	for (size_t i = 0; i < n; i++)
		total += pieces[i].len;
	if (zstd) {
		ZSTD_CCtx_setParameter(zstd, ZSTD_c_compressionLevel, PACKER_ZSTD_LEVEL);
		ZSTD_CCtx_setPledgedSrcSize(zstd, total);
	}
	for (size_t i = 0; i < n && !r; i++)
		r = zstd_add(zstd, pieces[i], i + 1 == n, to);
	ZSTD_freeCCtx(zstd);
	return r;
}

static int zlib_add(z_stream *zlib, struct piece in, bool last, const struct pack_target *to)
{
	zlib->next_in = (Bytef *)in.data;
	zlib->avail_in = in.len;
	do {
		int r, code;

		zlib->next_out = to->buf;
		zlib->avail_out = STREAM_BYTES;
		code = deflate(zlib, last ? Z_FINISH : Z_NO_FLUSH);
		if (code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR)
			return -EIO;
		r = to->put(to->ctx, to->buf, STREAM_BYTES - zlib->avail_out);
		TRY(r);
	} while (!zlib->avail_out);
	return 0;
}

static int zlib_pieces(const struct piece *pieces, size_t n, const struct pack_target *to)
{
	z_stream zlib = {0};
	int r = deflateInit(&zlib, Z_DEFAULT_COMPRESSION) == Z_OK ? 0 : -ENOMEM;

	TRY(r);
	for (size_t i = 0; i < n && !r; i++)
		r = zlib_add(&zlib, pieces[i], i + 1 == n, to);
	deflateEnd(&zlib);
	return r;
}

int pack_pieces(enum compression kind, const struct piece *pieces, size_t n_pieces,
		int (*put)(void *ctx, const void *data, size_t n_bytes), void *ctx)
{
	struct pack_target to = {put, ctx, malloc(STREAM_BYTES)};
	int r = to.buf ? -EINVAL : -ENOMEM;

	if (to.buf && kind == COMPRESSION_ZSTD)
		r = zstd_pieces(pieces, n_pieces, &to);
	else if (to.buf && kind == COMPRESSION_ZLIB)
		r = zlib_pieces(pieces, n_pieces, &to);
	free(to.buf);
	return r;
}

/*
 * --- much of it --------------------------------------------------------------------------------
 */

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

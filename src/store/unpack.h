/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * unpack.h - zstd and zlib behind one interface, both directions.
 */
#ifndef SONDE_STORE_UNPACK_H
#define SONDE_STORE_UNPACK_H

#include "format/bytes.h"
#include "store/tracefile.h"

/* Uncompresses exactly n_out bytes. Returns 0 or -EBADMSG. */
int unpack(enum compression kind, struct piece in, void *out, size_t n_out);

/* Returns the maximum size of pack()'s output. */
size_t pack_bound(enum compression kind, size_t n_in);

/* Compresses n_in bytes. Returns the number of bytes written to out, or -errno. */
long pack(enum compression kind, const void *in, size_t n_in, void *out, size_t n_out);

/*
 * Compresses several pieces as one frame and passes it to put() in parts, so a large text needs no
 * contiguous buffer and no buffer for the result. Prefers speed over size, like packer_pack().
 * Returns 0 or -errno; put returns a negative errno to stop.
 */
int pack_pieces(enum compression kind, const struct piece *pieces, size_t n_pieces,
		int (*put)(void *ctx, const void *data, size_t n_bytes), void *ctx);

/*
 * A packer keeps the memory that compression needs, for callers that compress often. It prefers
 * speed over size (zstd level 1). One thread at a time may use it. packer_new() returns NULL if out
 * of memory, or for COMPRESSION_NONE.
 */
struct packer;
struct packer *packer_new(enum compression kind);
void packer_free(struct packer *p);
long packer_pack(struct packer *p, const void *in, size_t n_in, void *out, size_t n_out);

/* Parses "zstd" and so on. Returns COMPRESSION_UNKNOWN for other names. */
enum compression compression_parse(const char *name);
const char *compression_name(enum compression kind);
/* Returns the version text for a file's head. */
const char *compression_version(enum compression kind);
/*
 * Returns the name of the i-th kind that can be uncompressed, and its version. Returns NULL if
 * there are no more.
 */
const char *compression_at(size_t i, const char **ret_version);

#endif

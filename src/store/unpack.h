/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unpack.h - zstd and zlib behind one interface, both directions.
 */
#ifndef SONDE_STORE_UNPACK_H
#define SONDE_STORE_UNPACK_H

#include "format/bytes.h"
#include "store/tracefile.h"

/* Exactly n_out bytes must come out; 0 or -EBADMSG. */
int unpack(enum compression kind, struct piece in, void *out, size_t n_out);

/* The maximum size of pack()'s output. */
size_t pack_bound(enum compression kind, size_t n_in);

/* Bytes written to out, or -errno. */
long pack(enum compression kind, const void *in, size_t n_in, void *out, size_t n_out);

/*
 * Compresses several pieces as one frame and passes it to put() in parts: a large text needs
 * neither one contiguous buffer nor a second one for the result. Prefers speed over size, like
 * packer_pack(). Returns 0 or -errno; put returns a negative errno to stop.
 */
int pack_pieces(enum compression kind, const struct piece *pieces, size_t n_pieces,
		int (*put)(void *ctx, const void *data, size_t n_bytes), void *ctx);

/*
 * For callers that compress much: keeps the memory that compression needs. Prefers speed over size
 * (zstd level 1). One thread at a time. NULL if out of memory, or for COMPRESSION_NONE.
 */
struct packer;
struct packer *packer_new(enum compression kind);
void packer_free(struct packer *p);
long packer_pack(struct packer *p, const void *in, size_t n_in, void *out, size_t n_out);

/* "zstd" and so on; COMPRESSION_UNKNOWN if unknown. */
enum compression compression_parse(const char *name);
const char *compression_name(enum compression kind);
/* The version text for a file's head. */
const char *compression_version(enum compression kind);

#endif

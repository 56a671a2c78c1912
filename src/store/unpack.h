/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unpack.h - zstd and zlib behind one door, both directions.
 */
#ifndef SONDE_STORE_UNPACK_H
#define SONDE_STORE_UNPACK_H

#include "store/tracefile.h"

/* Exactly n_out bytes must come out; 0 or -EBADMSG. */
int unpack(enum compression kind, struct piece in, void *out, size_t n_out);

/* How large pack()'s output may get. */
size_t pack_bound(enum compression kind, size_t n_in);

/* Bytes written to out, or -errno. */
long pack(enum compression kind, const void *in, size_t n_in, void *out, size_t n_out);

/*
 * Packs several pieces as one frame and gives it to put() as it comes: a large text needs neither one
 * piece of memory nor a second one for the result. Speed before size, as packer_pack(). 0 or -errno; put
 * returns a negative errno to give up.
 */
int pack_pieces(enum compression kind, const struct piece *pieces, size_t n_pieces,
		int (*put)(void *ctx, const void *data, size_t n_bytes), void *ctx);

/*
 * For somebody who packs much: keeps the memory that packing needs. Speed before size (zstd level 1).
 * One thread at a time. NULL when memory is short, or for COMPRESSION_NONE.
 */
struct packer;
struct packer *packer_new(enum compression kind);
void packer_free(struct packer *p);
long packer_pack(struct packer *p, const void *in, size_t n_in, void *out, size_t n_out);

/* "zstd" and so on; COMPRESSION_UNKNOWN if we do not know it. */
enum compression compression_parse(const char *name);
const char *compression_name(enum compression kind);
/* The version text that belongs into a file's head. */
const char *compression_version(enum compression kind);

#endif

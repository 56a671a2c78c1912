/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * packedtext.h - a text in an option of our own, compressed if that makes it smaller.
 *
 * Options of a trace file are never compressed as a whole (other readers could not skip them), but
 * the text about processes may have hundreds of kilobytes. So the option itself contains
 *
 *	zstd 482133⏎<a zstd frame>          the uncompressed text has this many bytes
 *	anything else                       the uncompressed text
 */
#ifndef SONDE_STORE_PACKEDTEXT_H
#define SONDE_STORE_PACKEDTEXT_H

#include "format/bytes.h"

struct textbuf;

/* Appends the form above to *out. Returns 0 or -ENOMEM. */
int packedtext_fmt(struct piece text, struct textbuf *out);

/*
 * Reads the uncompressed text. *ret points into data, or into *plain, which gets the uncompressed
 * bytes and must stay valid. Returns -EBADMSG if the data is damaged, -E2BIG if the text exceeds
 * the limit of *plain, or -ENOMEM.
 */
int packedtext_read(struct piece data, struct textbuf *plain, struct piece *ret);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * packedtext.h - a text in an option of our own, compressed where that makes it smaller.
 *
 * Options of a trace file are never compressed as a whole (other readers could not pass over them), and
 * the text about processes may have hundreds of kilobytes. So the option itself holds
 *
 *	zstd 482133⏎<a zstd frame>          the plain text has so many bytes
 *	anything else                       the plain text
 */
#ifndef SONDE_STORE_PACKEDTEXT_H
#define SONDE_STORE_PACKEDTEXT_H

#include "format/bytes.h"

struct textbuf;

/* Adds the form above to *out. 0 or -ENOMEM. */
int packedtext_fmt(struct piece text, struct textbuf *out);

/*
 * The plain text: *ret points into data, or into *plain, which gets the unpacked bytes and must stay.
 * -EBADMSG if it is damaged, -E2BIG if it is larger than *plain may become, -ENOMEM.
 */
int packedtext_read(struct piece data, struct textbuf *plain, struct piece *ret);

#endif

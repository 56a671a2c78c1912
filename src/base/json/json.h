/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * json.h - writes JSON into a textbuf. The caller writes commas; strings are escaped here.
 */
#ifndef SONDE_BASE_JSON_JSON_H
#define SONDE_BASE_JSON_JSON_H

#include "base/textbuf.h"

/*
 * Writes "text" with quotes. Bytes that are not UTF-8 become \\u00XX, so that the result always
 * parses.
 */
void json_add_string(struct textbuf *tb, const char *s, size_t len);

/* Writes "0x1f" with quotes. This is for addresses, which are names rather than amounts. */
void json_add_hex(struct textbuf *tb, uint64_t v);

#endif

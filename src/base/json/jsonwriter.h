/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * jsonwriter.h - nested JSON without counting commas; json.h has the single values.
 *
 *	jsonwriter_init(&w, tb);
 *	jsonwriter_open(&w, NULL, '{');
 *	jsonwriter_add_string(&w, "path", path);        "path":"…"
 *	jsonwriter_open(&w, "cpus", '[');               ,"cpus":[
 *	jsonwriter_add_uint(&w, NULL, 3);               3
 *	jsonwriter_close(&w);                           ]
 *	jsonwriter_close(&w);                           }
 *
 * key: NULL inside an array and for the outermost value; keys are ours and are not escaped. No
 * blanks, no line breaks: an object is one line. Only one thread may use it at a time.
 */
#ifndef SONDE_BASE_JSON_JSONWRITER_H
#define SONDE_BASE_JSON_JSONWRITER_H

#include "base/textbuf.h"

#define JSONWRITER_DEPTH_MAX 256

struct jsonwriter {
	struct textbuf *tb;
	char closing[JSONWRITER_DEPTH_MAX];
	unsigned depth;
	bool comma; /* a value precedes on this level */
};

void jsonwriter_init(struct jsonwriter *w, struct textbuf *tb);

/* kind: '{' or '['. */
void jsonwriter_open(struct jsonwriter *w, const char *key, char kind);
void jsonwriter_close(struct jsonwriter *w);

/* s NULL: null */
void jsonwriter_add_string(struct jsonwriter *w, const char *key, const char *s);
void jsonwriter_add_text(struct jsonwriter *w, const char *key, const char *s, size_t len);
void jsonwriter_add_uint(struct jsonwriter *w, const char *key, uint64_t v);
void jsonwriter_add_int(struct jsonwriter *w, const char *key, int64_t v);
/*
 * Writes a number as text, "0x…". This is for ids and addresses: many readers would round them as
 * numbers.
 */
void jsonwriter_add_hex(struct jsonwriter *w, const char *key, uint64_t v);
/* Writes a number that is already a string of digits. */
void jsonwriter_add_digits(struct jsonwriter *w, const char *key, const char *digits, size_t len);
void jsonwriter_add_bool(struct jsonwriter *w, const char *key, bool v);
/* Writes `digits` places after the point, or null if v is not a number. */
void jsonwriter_add_real(struct jsonwriter *w, const char *key, double v, int digits);
void jsonwriter_add_null(struct jsonwriter *w, const char *key);
/* Writes an array of n texts. */
void jsonwriter_add_strings(struct jsonwriter *w, const char *key, const char *const *list,
			    size_t n);

#endif

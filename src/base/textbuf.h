/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * textbuf.h - growing text with a limit.
 *
 * The hot path reserves room once, writes through a bare pointer and commits:
 *
 *	char *p = textbuf_reserve(tb, 40);
 *	p = number_emit_dec(p, pid);
 *	textbuf_commit(tb, p);
 *
 * textbuf_reserve() never fails: at the limit (or without memory) it returns scratch space, the
 * text is dropped and `overflow` is set, so that formatting code needs no error path. The text at
 * `start` then ends with a NUL, so that code that reads it as a string needs none either. A request
 * larger than TEXTBUF_SCRATCH_BYTES must use textbuf_add*(), which check. Only one thread may use
 * it at a time.
 */
#ifndef SONDE_BASE_TEXTBUF_H
#define SONDE_BASE_TEXTBUF_H

#include "base/number.h"
#include "base/scope.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#define TEXTBUF_SCRATCH_BYTES 1024

struct textbuf {
	char *start, *pos, *end;
	size_t max_bytes;
	bool overflow;
	char scratch[TEXTBUF_SCRATCH_BYTES];
};

/* Declares a local textbuf that is released at the end of its scope. */
#define TEXTBUF(name, max) SCOPED(textbuf_release) struct textbuf name = {.max_bytes = (max)}

void textbuf_init(struct textbuf *tb, size_t max_bytes);
void textbuf_release(struct textbuf *tb);

/*
 * Returns the text as a string, valid until the next change. If the text has overflowed, this is
 * the part that fits.
 */
const char *textbuf_text(struct textbuf *tb);
/* Returns the text, which the caller frees, or NULL. The buffer is then as after textbuf_init(). */
char *textbuf_take(struct textbuf *tb);

/* Makes room for n_bytes. At the limit, returns false and sets overflow. */
bool textbuf_grow(struct textbuf *tb, size_t n_bytes);

static inline void textbuf_clear(struct textbuf *tb)
{
	tb->pos = tb->start;
	tb->overflow = false;
}

static inline size_t textbuf_len(const struct textbuf *tb)
{
	return tb->pos - tb->start;
}

/* n_bytes <= TEXTBUF_SCRATCH_BYTES */
static inline char *textbuf_reserve(struct textbuf *tb, size_t n_bytes)
{
	if (__builtin_expect((size_t)(tb->end - tb->pos) < n_bytes, 0) &&
	    !textbuf_grow(tb, n_bytes))
		return tb->scratch;
	return tb->pos;
}

static inline void textbuf_commit(struct textbuf *tb, char *pos)
{
	if (__builtin_expect(!tb->overflow, 1))
		tb->pos = pos;
}

/* The compiler warns about branches for long texts, which short texts never take. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Warray-bounds"
#ifndef __clang__
#pragma GCC diagnostic ignored "-Wstringop-overread"
#endif
/*
 * memcpy() for the parts of a line: mostly 3 to 32 bytes. Two moves that overlap in the middle
 * cover a range of lengths without a loop or a call; nothing outside [0, len) is accessed.
 */
static inline __attribute__((always_inline)) void textbuf_copy(char *to, const char *from,
							       size_t len)
{
	if (len > 32) {
		memcpy(to, from, len);
	} else if (len >= 16) {
		memcpy(to, from, 16);
		memcpy(to + len - 16, from + len - 16, 16);
	} else if (len >= 8) {
		memcpy(to, from, 8);
		memcpy(to + len - 8, from + len - 8, 8);
	} else if (len >= 4) {
		memcpy(to, from, 4);
		memcpy(to + len - 4, from + len - 4, 4);
	} else if (len) {
		to[0] = from[0];
		to[len / 2] = from[len / 2];
		to[len - 1] = from[len - 1];
	}
}
#pragma GCC diagnostic pop

static inline void textbuf_add(struct textbuf *tb, const char *s, size_t len)
{
	/* <= instead of <, so that even an empty text is not added to NULL */
	if (__builtin_expect((size_t)(tb->end - tb->pos) <= len, 0) && !textbuf_grow(tb, len))
		return;
	textbuf_copy(tb->pos, s, len);
	tb->pos += len;
}

static inline void textbuf_add_str(struct textbuf *tb, const char *s)
{
	textbuf_add(tb, s, strlen(s));
}

static inline void textbuf_add_char(struct textbuf *tb, char c)
{
	char *p = textbuf_reserve(tb, 1);

	*p = c;
	textbuf_commit(tb, p + 1);
}

/* Adds a text in quotes, with its own quotes doubled, as CSV wants it. */
static inline void textbuf_add_csv(struct textbuf *tb, const char *s, size_t len)
{
	textbuf_add_char(tb, '"');
	for (size_t i = 0; i < len; i++) {
		if (s[i] == '"')
			textbuf_add_char(tb, '"');
		textbuf_add_char(tb, s[i]);
	}
	textbuf_add_char(tb, '"');
}

void textbuf_add_fill(struct textbuf *tb, char c, size_t n);

static inline void textbuf_add_dec(struct textbuf *tb, uint64_t v)
{
	textbuf_commit(tb, number_emit_dec(textbuf_reserve(tb, NUMBER_MAX_BYTES), v));
}

static inline void textbuf_add_signed(struct textbuf *tb, int64_t v)
{
	textbuf_commit(tb, number_emit_signed(textbuf_reserve(tb, NUMBER_MAX_BYTES), v));
}

static inline void textbuf_add_hex(struct textbuf *tb, uint64_t v)
{
	textbuf_commit(tb, number_emit_hex(textbuf_reserve(tb, NUMBER_MAX_BYTES), v));
}

/* Adds the rest of a file. Returns 0, -EFBIG if it does not fit, or another negative errno. */
int textbuf_add_file(struct textbuf *tb, int fd);

void textbuf_addf(struct textbuf *tb, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif

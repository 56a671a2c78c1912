// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * textbuf.c - the slow part of textbuf.h: growth, padding, printf.
 *
 * Capacity doubles from 64 KiB up to the limit, plus one byte for the NUL of a string. Once
 * `overflow` is set everything is dropped until textbuf_clear(): a line with missing parts would
 * be worse than a missing line.
 */
#include "base/textbuf.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define FIRST_BYTES (64 << 10)

/* The text of a buffer that never had memory. Nothing is written to it: all threads share it. */
static char nothing[1];

void textbuf_init(struct textbuf *tb, size_t max_bytes)
{
	memset(tb, 0, offsetof(struct textbuf, scratch));
	tb->max_bytes = max_bytes;
}

void textbuf_release(struct textbuf *tb)
{
	free(textbuf_take(tb));
}

char *textbuf_take(struct textbuf *tb)
{
	char *p = tb->start == nothing ? NULL : tb->start;

	tb->start = tb->pos = tb->end = NULL;
	return p;
}

/* Terminates the text. There is always room for the NUL: see textbuf_grow(). */
static void textbuf_cut(struct textbuf *tb)
{
	tb->overflow = true;
	if (!tb->start)
		tb->start = tb->pos = tb->end = nothing;
	else if (tb->start != nothing)
		*tb->pos = 0;
}

const char *textbuf_text(struct textbuf *tb)
{
	if (!tb->start)
		textbuf_grow(tb, 1);
	if (tb->start != nothing)
		*tb->pos = 0;
	return tb->start;
}

bool textbuf_grow(struct textbuf *tb, size_t n_bytes)
{
	size_t len = tb->pos - tb->start, cap = tb->end - tb->start;
	char *p;

	if (tb->overflow)
		return false;
	if (!cap)
		cap = FIRST_BYTES;
	while (cap - len < n_bytes && cap < tb->max_bytes)
		cap *= 2;
	if (cap > tb->max_bytes)
		cap = tb->max_bytes;
	p = cap - len < n_bytes || n_bytes > tb->max_bytes
		    ? NULL
		    : realloc(tb->start == nothing ? NULL : tb->start, cap + 1);
	if (!p) {
		textbuf_cut(tb);
		return false;
	}
	tb->start = p;
	tb->pos = p + len;
	tb->end = p + cap;
	return true;
}

void textbuf_add_fill(struct textbuf *tb, char c, size_t n)
{
	if ((size_t)(tb->end - tb->pos) <= n && !textbuf_grow(tb, n))
		return;
	memset(tb->pos, c, n);
	tb->pos += n;
}

int textbuf_add_file(struct textbuf *tb, int fd)
{
	char buf[16384];
	ssize_t n;

	while ((n = TEMP_FAILURE_RETRY(read(fd, buf, sizeof(buf)))) > 0)
		textbuf_add(tb, buf, n);
	return tb->overflow ? -EFBIG : n < 0 ? -errno : 0;
}

void textbuf_addf(struct textbuf *tb, const char *fmt, ...)
{
	size_t room = tb->end - tb->pos;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(tb->pos, room, fmt, ap);
	va_end(ap);
	if (n < 0)
		return;
	if ((size_t)n >= room) {
		if (!textbuf_grow(tb, (size_t)n + 1))
			return;
		va_start(ap, fmt);
		vsnprintf(tb->pos, (size_t)n + 1, fmt, ap);
		va_end(ap);
	}
	tb->pos += n;
}

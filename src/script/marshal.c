// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * marshal.c - Python values as bytes. Every value begins with a letter:
 *
 *	N T F                None, True, False
 *	i  4 bytes           a number with its sign
 *	l  4 bytes n, n × 2  a larger number: n digits of 15 bits, the lowest first; n < 0: negative
 *	g  8 bytes           floating point
 *	u  4 bytes n, n      text in UTF-8
 *	r  4 bytes           the value with this number; a letter with bit 7 gets the next number
 *	) 1 byte n           a tuple
 *	( 4 bytes n          a tuple, too
 *	[ 4 bytes n          a list
 *	{ key value … 0      a dict
 *
 * All numbers are little endian.
 */
#include "script/marshal.h"

#include <string.h>

#define NUMBERED  0x80
#define NAMES_MAX 65536

static char *emit32(char *p, uint32_t v)
{
	for (int i = 0; i < 4; i++)
		*p++ = (char)(v >> 8 * i);
	return p;
}

static void put_letter32(struct marshal *m, char letter, uint32_t v)
{
	char *p = textbuf_reserve(m->out, 5);

	*p++ = letter;
	textbuf_commit(m->out, emit32(p, v));
}

static void put_long(struct marshal *m, uint64_t v, bool is_negative)
{
	char *p = textbuf_reserve(m->out, 16), *count = p + 1;
	int n = 0;

	*p = 'l';
	p += 5;
	for (; v; v >>= 15, n++) {
		*p++ = (char)(v & 0xff);
		*p++ = (char)(v >> 8 & 0x7f);
	}
	emit32(count, (uint32_t)(is_negative ? -n : n));
	textbuf_commit(m->out, p);
}

void marshal_put_int(struct marshal *m, int64_t v)
{
	if (v >= INT32_MIN && v <= INT32_MAX)
		put_letter32(m, 'i', (uint32_t)v);
	else
		put_long(m, v < 0 ? 0 - (uint64_t)v : (uint64_t)v, v < 0);
}

void marshal_put_uint(struct marshal *m, uint64_t v)
{
	if (v <= INT32_MAX)
		put_letter32(m, 'i', (uint32_t)v);
	else
		put_long(m, v, false);
}

void marshal_put_real(struct marshal *m, double v)
{
	uint64_t bits;
	char *p = textbuf_reserve(m->out, 9);

	memcpy(&bits, &v, sizeof(bits));
	*p++ = 'g';
	p = emit32(p, (uint32_t)bits);
	textbuf_commit(m->out, emit32(p, (uint32_t)(bits >> 32)));
}

void marshal_put_bool(struct marshal *m, bool v)
{
	textbuf_add_char(m->out, v ? 'T' : 'F');
}

void marshal_put_none(struct marshal *m)
{
	textbuf_add_char(m->out, 'N');
}

/* The length of the character at s, 0: it is not UTF-8. */
static size_t character_len(const unsigned char *s, size_t left)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	size_t n = s[0] < 0x80	     ? 1
		   : s[0] >> 5 == 6  ? 2
		   : s[0] >> 4 == 14 ? 3
		   : s[0] >> 3 == 30 ? 4
				     : 0;
	uint32_t c = n > 1 ? s[0] & (0x7fu >> n) : s[0];

	if (!n || n > left)
		return 0;
	for (size_t i = 1; i < n; i++) {
		if (s[i] >> 6 != 2)
			return 0;
		c = c << 6 | (s[i] & 0x3f);
	}
	return c < least[n] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000) ? 0 : n;
}

static void put_characters(struct marshal *m, char letter, const char *text, size_t len)
{
	size_t at = textbuf_len(m->out) + 5;

	put_letter32(m, letter, (uint32_t)len);
	textbuf_add(m->out, text, len);
	if (m->out->overflow)
		return;
	for (size_t i = 0; i < len;) {
		unsigned char *s = (unsigned char *)m->out->start + at + i;
		size_t n = character_len(s, len - i);

		if (!n)
			*s = '?';
		i += n ? n : 1;
	}
}

void marshal_put_text(struct marshal *m, const char *text, size_t len)
{
	put_characters(m, 'u', text, len);
}

void marshal_put_name(struct marshal *m, const char *name, size_t len)
{
	void **slot = map_take(&m->names, (uintptr_t)name, NAMES_MAX);

	if (slot && *slot) {
		put_letter32(m, 'r', (uint32_t)((uintptr_t)*slot - 1));
		return;
	}
	if (slot)
		*slot = (void *)(uintptr_t)(++m->n_names);
	put_characters(m, slot ? (char)('u' | NUMBERED) : 'u', name, len);
}

void marshal_open_dict(struct marshal *m)
{
	textbuf_add_char(m->out, '{');
}

void marshal_close_dict(struct marshal *m)
{
	textbuf_add_char(m->out, '0');
}

void marshal_open_tuple(struct marshal *m, uint8_t n)
{
	textbuf_add_char(m->out, ')');
	textbuf_add_char(m->out, (char)n);
}

static size_t open_counted(struct marshal *m, char letter)
{
	size_t at = textbuf_len(m->out) + 1;

	put_letter32(m, letter, 0);
	return at;
}

size_t marshal_open_list(struct marshal *m)
{
	return open_counted(m, '[');
}

size_t marshal_open_values(struct marshal *m)
{
	return open_counted(m, '(');
}

void marshal_set_count(struct marshal *m, size_t at, uint32_t n)
{
	if (!m->out->overflow)
		emit32(m->out->start + at, n);
}

void marshal_restart(struct marshal *m)
{
	map_clear(&m->names);
	m->n_names = 0;
}

void marshal_release(struct marshal *m)
{
	map_release(&m->names);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * btfmaker.h - writes BTF, type by type, for the unit tests.
 *
 *	struct maker m = {0};
 *	uint32_t number;
 *
 *	text(&m, "");                                  the first string of every file
 *	number = type(&m, "int", INT, 0, 4); word(&m, 1 << 24 | 32);
 *	finish(&m)                                     the bytes, which stay in m
 *
 * A module's maker begins with first_string and n_types of the kernel's.
 */
#ifndef SONDE_TESTS_BTFMAKER_H
#define SONDE_TESTS_BTFMAKER_H

#include "format/bytes.h"

#include <stdint.h>
#include <string.h>

enum {
	INT = 1,
	PTR,
	ARRAY,
	STRUCT,
	UNION,
	ENUM,
	FWD,
	TYPEDEF,
	VOLATILE,
	CONST,
	RESTRICT,
	FUNC,
	PROTO,
	VAR,
	DATASEC,
	FLOAT,
	DECL_TAG,
	TYPE_TAG,
	ENUM64
};

/* A file that grows: words of types, and strings. */
struct maker {
	uint32_t words[1000];
	unsigned n_words, n_types;
	char strings[2000];
	unsigned n_strings, first_string;
	uint8_t file[8192];
};

static inline uint32_t text(struct maker *m, const char *s)
{
	uint32_t at = m->first_string + m->n_strings;

	if (!s)
		return 0;
	memcpy(m->strings + m->n_strings, s, strlen(s) + 1);
	m->n_strings += strlen(s) + 1;
	return at;
}

static inline void word(struct maker *m, uint32_t w)
{
	m->words[m->n_words++] = w;
}

/* The number of the new type; its further words are added by word(). */
static inline uint32_t type(struct maker *m, const char *name, unsigned kind, unsigned vlen,
			    uint32_t third)
{
	word(m, text(m, name));
	word(m, (kind & 31) << 24 | (kind & 0x100) << 23 | vlen);
	word(m, third);
	return ++m->n_types;
}

#define FLAG 0x100

static inline void part(struct maker *m, const char *name, uint32_t a, uint32_t b)
{
	word(m, text(m, name));
	word(m, a);
	word(m, b);
}

static inline void parameter(struct maker *m, const char *name, uint32_t a)
{
	word(m, text(m, name));
	word(m, a);
}

static inline struct piece finish(struct maker *m)
{
	uint32_t head[6] = {0x1eb9f, 24, 0, 4 * m->n_words, 4 * m->n_words, m->n_strings};

	memcpy(m->file, head, 24);
	memcpy(m->file + 24, m->words, 4 * m->n_words);
	memcpy(m->file + 24 + 4 * m->n_words, m->strings, m->n_strings);
	return (struct piece){m->file, 24 + 4 * m->n_words + m->n_strings};
}

#endif

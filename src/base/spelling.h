/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * spelling.h - finds the name that a mistyped word was meant to be.
 *
 *	struct spelling sp;
 *
 *	spelling_init(&sp, word, strlen(word));
 *	for each name: spelling_add(&sp, name);
 *	sp.nearest                                 NULL: none is near enough
 *
 * It owns nothing; word and names belong to the caller and must stay valid while it is used.
 */
#ifndef SONDE_BASE_SPELLING_H
#define SONDE_BASE_SPELLING_H

#include <stddef.h>

struct spelling {
	const char *word;
	size_t len;
	const char *nearest;
	unsigned distance; /* distance of nearest */
};

void spelling_init(struct spelling *sp, const char *word, size_t len);
void spelling_add(struct spelling *sp, const char *name);

#endif

// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * spelling.c - the distance between two words, for "did you mean".
 *
 * The distance is the number of typing errors between them: a letter too many, one too few, a wrong
 * one, or two neighbours swapped. It is computed row by row over the two words; three rows are
 * enough, because a swap looks back two rows:
 *
 *	        r e p o r t
 *	      0 1 2 3 4 5 6        row i, column j: distance of the first i letters of the word
 *	    r 1 0 1 2 3 4 5        to the first j of the name
 *	    e 2 1 0 1 …
 *
 * One error is allowed in a short word, two from 8 letters on, three from 12. A wider limit finds
 * `report` for `record`, which is worse than no advice. Two cases count as one error: a word of at
 * least three letters that is a prefix of the name, or the reverse; and a word of at least four
 * letters that lacks two inner letters of the name (colr, rcrd). Words over WORD_MAX letters are
 * not names and are ignored.
 */
#include "base/spelling.h"

#include <stdbool.h>
#include <string.h>

#define WORD_MAX      32
#define PREFIX_MIN    3
#define SHORTENED_MIN 4

static unsigned min2(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

static unsigned count_slips(const char *word, size_t len, const char *name, size_t name_len)
{
	unsigned rows[3][WORD_MAX + 1];
	unsigned *before = rows[0], *last = rows[1], *now = rows[2];

	for (size_t j = 0; j <= name_len; j++)
		last[j] = j;
	for (size_t i = 1; i <= len; i++) {
		unsigned *spare = before;

		now[0] = i;
		for (size_t j = 1; j <= name_len; j++) {
			now[j] = min2(last[j], now[j - 1]) + 1;
			now[j] = min2(now[j], last[j - 1] + (word[i - 1] != name[j - 1]));
			if (i > 1 && j > 1 && word[i - 1] == name[j - 2] &&
			    word[i - 2] == name[j - 1])
				now[j] = min2(now[j], before[j - 2] + 1);
		}
		before = last;
		last = now;
		now = spare;
	}
	return last[name_len];
}

/* Returns true if the word is the name without two of its inner letters. */
static bool is_shortened(const char *word, size_t len, const char *name, size_t name_len)
{
	size_t at = 0;

	if (len < SHORTENED_MIN || name_len != len + 2 || word[0] != name[0] ||
	    word[len - 1] != name[name_len - 1])
		return false;
	for (size_t i = 0; i < name_len && at < len; i++)
		at += word[at] == name[i];
	return at == len;
}

void spelling_init(struct spelling *sp, const char *word, size_t len)
{
	*sp = (struct spelling){.word = word, .len = len};
}

void spelling_add(struct spelling *sp, const char *name)
{
	size_t name_len = strlen(name), shorter = sp->len < name_len ? sp->len : name_len;
	unsigned forgiven = 1 + (sp->len >= 8) + (sp->len >= 12), distance;

	if (sp->len > WORD_MAX || name_len > WORD_MAX)
		return;
	if (shorter >= PREFIX_MIN && !memcmp(sp->word, name, shorter))
		distance = 1;
	else if (is_shortened(sp->word, sp->len, name, name_len))
		distance = 1;
	else
		distance = count_slips(sp->word, sp->len, name, name_len);
	if (distance > forgiven || (sp->nearest && distance >= sp->distance))
		return;
	sp->nearest = name;
	sp->distance = distance;
}

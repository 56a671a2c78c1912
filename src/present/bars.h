/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bars.h - small pieces that tables of counts share.
 */
#ifndef SONDE_PRESENT_BARS_H
#define SONDE_PRESENT_BARS_H

#include "analyse/keys.h"

/* n of most as so many '#', none only for 0. */
void bar_fmt(uint64_t n, uint64_t most, size_t width, struct textbuf *tb);

/* A value as a cell of CSV, in quotes where it needs them. */
void csv_fmt_key(struct keyreader *kr, const struct key_slot *slot, uint64_t value,
		 struct textbuf *tb);

/* A value of JSON: a number if it is one, else text. */
struct jsonwriter;
void json_add_key(struct keyreader *kr, const struct key_slot *slot, uint64_t value,
		  const char *name, struct jsonwriter *w);

/*
 * What the key words[i] is called in JSON and CSV, where each name may stand once: "by.count" if the table has such a
 * column of its own, "ret.2" if it is asked for a second time (ret,ret.log2), else the word.
 */
#define KEY_COLUMN_MAX (KEY_WORD_MAX + 16)
const char *key_column(const char *const *words, size_t i, const char *const *own, size_t n_own,
		       char name[KEY_COLUMN_MAX]);

#endif

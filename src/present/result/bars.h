/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bars.h - small parts that tables of counts share.
 */
#ifndef SONDE_PRESENT_RESULT_BARS_H
#define SONDE_PRESENT_RESULT_BARS_H

#include "analyse/keys.h"
#include "base/textbuf.h"

/* Draws n relative to most as a bar of '#'. The bar is empty only for 0. */
void bar_fmt(uint64_t n, uint64_t most, size_t width, struct textbuf *tb);

/* Writes a value as a cell of CSV, in quotes if necessary. */
void csv_fmt_key(struct keyreader *kr, const struct key_slot *slot, uint64_t value,
		 struct textbuf *tb);

/* Writes a JSON value: a number if possible, otherwise text. */
struct jsonwriter;
void json_add_key(struct keyreader *kr, const struct key_slot *slot, uint64_t value,
		  const char *name, struct jsonwriter *w);

/*
 * Returns the name of the key words[i] in JSON and CSV, where each name must be unique: "by.count"
 * if the table has a column of that name, "ret.2" for the second use of ret (ret,ret.log2),
 * otherwise the word itself.
 */
#define KEY_COLUMN_MAX (KEY_WORD_MAX + 16)
const char *key_column(const char *const *words, size_t i, const char *const *own, size_t n_own,
		       char name[KEY_COLUMN_MAX]);

#endif

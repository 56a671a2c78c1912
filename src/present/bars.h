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

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * series.h - results that follow one another, each with its time: seconds since the first was begun.
 */
#ifndef SONDE_CLI_ASK_SERIES_H
#define SONDE_CLI_ASK_SERIES_H

#include "base/textbuf.h"

#include <stdbool.h>
#include <stdint.h>

struct series {
	uint64_t start_ns; /* clock_now_ns() */
	uint64_t end_ns;   /* the last result is of then; 0: it goes on */
	bool has_begun;
};

/* Appends one result, as it looks in the series. */
void series_add_text(struct series *s, const struct textbuf *result, struct textbuf *out);
void series_add_json(struct series *s, const struct textbuf *result, struct textbuf *out);
void series_add_csv(struct series *s, const struct textbuf *result, struct textbuf *out);

#endif

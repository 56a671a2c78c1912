/* SPDX-License-Identifier: GPL-2.0-or-later */
/* series.h - formats consecutive results, each with its time in seconds since the start. */
#ifndef SONDE_CLI_ASK_SERIES_H
#define SONDE_CLI_ASK_SERIES_H

#include "base/textbuf.h"

#include <stdbool.h>
#include <stdint.h>

struct series {
	uint64_t start_ns; /* clock_now_ns() */
	uint64_t end_ns;   /* the time of the last result; 0: it continues */
	bool has_begun;
};

/* Appends one result in the form of the series. */
void series_add_text(struct series *s, const struct textbuf *result, struct textbuf *out);
void series_add_json(struct series *s, const struct textbuf *result, struct textbuf *out);
void series_add_csv(struct series *s, const struct textbuf *result, struct textbuf *out);

#endif

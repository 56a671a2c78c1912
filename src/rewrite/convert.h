/* SPDX-License-Identifier: GPL-2.0-or-later */
/* convert.h - writes the same trace in another version or compression of the format. */
#ifndef SONDE_REWRITE_CONVERT_H
#define SONDE_REWRITE_CONVERT_H

#include "rewrite/notes.h"

struct errmsg;

struct convert_config {
	const char *input, *output; /* may be the same file */
	int version;		    /* 6 or 7 */
	const char *compression;    /* text for compression_choose(); NULL: as in the input */
	struct rewrite_notes notes;
};

/* Returns 0, or 1 if the input is damaged; then the output has all undamaged data. */
int convert_trace(const struct convert_config *config, struct errmsg *err);

#endif

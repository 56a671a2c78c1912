/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * convert.h - the same trace in another version or compression of the format.
 */
#ifndef SONDE_REWRITE_CONVERT_H
#define SONDE_REWRITE_CONVERT_H

#include "rewrite/notes.h"

struct errmsg;

struct convert_config {
	const char *input, *output; /* may be the same file */
	int version;		    /* 6 or 7 */
	const char *compression;    /* as compression_choose() takes it; NULL: as in the input */
	struct rewrite_notes notes;
};

/* 0; 1 if the input is damaged: everything sound in it is in the output. */
int convert_trace(const struct convert_config *config, struct errmsg *err);

#endif

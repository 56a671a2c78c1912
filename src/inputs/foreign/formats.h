/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * formats.h - files of other tools that are read like a trace file: one table, by content.
 *
 *	foreign_find(path) ─▶ foreign_open      as a trace file that nobody sees
 *	                   └▶ ->convert         into a trace file of that name
 */
#ifndef SONDE_INPUTS_FOREIGN_FORMATS_H
#define SONDE_INPUTS_FOREIGN_FORMATS_H

#include "store/tracefile.h"

#include <stdbool.h>
#include <stddef.h>

struct errmsg;

struct foreign_config {
	const char *input, *output;
	int version;		      /* of the trace file: 6 or 7 */
	enum compression compression; /* of texts, and of the events unless plain_data */
	bool plain_data;
	/* Takes a sentence about something that was not converted, or is damaged; may be NULL */
	void (*note)(void *ctx, const char *sentence);
	void *ctx;
};

void foreign_note(const struct foreign_config *config, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * Reads the beginning of a regular file, and returns its bytes; 0: it is none, or cannot be read.
 * Pipes are not opened: their writer would notice.
 */
#define FOREIGN_HEAD_BYTES 8192
size_t foreign_read_head(const char *path, char head[static FOREIGN_HEAD_BYTES]);

struct foreign_format {
	const char *name;
	bool (*is)(const char *path);
	/* Returns 0, or 1 if the input is damaged: then the output has what could be read. */
	int (*convert)(const struct foreign_config *config, struct errmsg *err);
};

/* Returns NULL if the path is of none of these formats, or cannot be read. */
const struct foreign_format *foreign_find(const char *path);
/* Converts into a temporary file without a name. If the input is damaged, notes are its damage. */
int foreign_open(const struct foreign_format *f, struct tracefile **ret, const char *path,
		 struct errmsg *err);

#endif

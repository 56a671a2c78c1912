/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sourcetext.h - reads a source file line by line. */
#ifndef SONDE_PROBE_LOOK_SOURCETEXT_H
#define SONDE_PROBE_LOOK_SOURCETEXT_H

#include "base/files/mapfile.h"
#include "format/bytes.h"

struct sourcetext {
	struct mapfile map;
	bool is_open;
	size_t pos;
	unsigned line; /* line number of pos */
};

/* Opens a file. If path is NULL, or cannot be read, all lines are empty. */
void sourcetext_open(struct sourcetext *s, const char *path);
void sourcetext_close(struct sourcetext *s);

/*
 * Returns a line without its newline. Call it with increasing lines. If the file has the line,
 * s->line is then the next one.
 */
struct piece sourcetext_line(struct sourcetext *s, unsigned line);

#endif

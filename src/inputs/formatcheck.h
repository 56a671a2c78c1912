/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * formatcheck.h - checks whether all event formats of a trace can be parsed.
 *
 *	compiled     compiled code prints the event by its print format
 *	handled      libtraceevent cannot parse the print format, but a handler prints the event
 *	fields only  libtraceevent cannot parse the print format: report shows name=value for each
 *	             field, because its output must equal trace-cmd's
 *
 * A format without readable name and id is only counted.
 */
#ifndef SONDE_INPUTS_FORMATCHECK_H
#define SONDE_INPUTS_FORMATCHECK_H

#include "inputs/inputs.h"

enum formatcheck_kind {
	FORMATCHECK_COMPILED,
	FORMATCHECK_HANDLED,
	FORMATCHECK_FIELDS,
	FORMATCHECK_KINDS
};

struct formatcheck_row {
	const char *system, *name;
	enum formatcheck_kind kind;
	const char *why; /* reason why the format is not compiled; NULL: unknown */
};

struct formatcheck {
	struct formatcheck_row *rows; /* sorted by system and name */
	size_t n;
	size_t n_of[FORMATCHECK_KINDS];
	size_t n_unreadable;
};

/*
 * Parses and compiles all formats of the file. The rows point to strings of the file. Returns 0 or
 * -ENOMEM.
 */
int formatcheck_init(struct formatcheck *fc, struct inputs_file *file);
void formatcheck_release(struct formatcheck *fc);

#endif

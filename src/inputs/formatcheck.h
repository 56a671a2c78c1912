/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * formatcheck.h - can all event formats of a trace be understood?
 *
 *	compiled     printed by our own code as its print format says
 *	handled      its print format is beyond libtraceevent, but a handler prints it anyway
 *	fields only  beyond libtraceevent: report shows name=value for each field. It must print
 *	             what trace-cmd prints, so these are not ours to improve there.
 *
 * A format of which not even name and id can be read is only counted.
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
	const char *why; /* not compiled; NULL: no reason known */
};

struct formatcheck {
	struct formatcheck_row *rows; /* by system and name */
	size_t n;
	size_t n_of[FORMATCHECK_KINDS];
	size_t n_unreadable;
};

/* Parses and compiles all formats of the file, whose strings the rows point at. 0 or -ENOMEM. */
int formatcheck_init(struct formatcheck *fc, struct inputs_file *file);
void formatcheck_release(struct formatcheck *fc);

#endif

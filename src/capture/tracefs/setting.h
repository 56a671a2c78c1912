/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * setting.h - putting a file of the tracing directory back to what it said before.
 *
 * Most files take what they show. Some do not: lists, choices, filters, triggers show one thing and
 * take another. setting_save() reads what must be known, setting_restore() writes what brings it back;
 * both leave alone what need not change.
 */
#ifndef SONDE_CAPTURE_TRACEFS_SETTING_H
#define SONDE_CAPTURE_TRACEFS_SETTING_H

#include "capture/tracefs/tracefs.h"

/* Adds what the file says now to *out. Negative errno if it cannot be read. */
int setting_save(const struct tracefs *t, const char *instance, const char *file,
		 struct textbuf *out);

/* Brings the file back to what setting_save() read (ended by NUL). Negative errno. */
int setting_restore(const struct tracefs *t, const char *instance, const char *file,
		    const char *saved);

#endif

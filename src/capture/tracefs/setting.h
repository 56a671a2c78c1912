/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * setting.h - restores a file of the tracing directory to its earlier contents.
 *
 * Most files accept the text that they show. Lists, choices, filters and triggers show one text and
 * accept another. setting_save() reads the text, and setting_restore() writes the text that
 * restores it, unless the file is unchanged.
 */
#ifndef SONDE_CAPTURE_TRACEFS_SETTING_H
#define SONDE_CAPTURE_TRACEFS_SETTING_H

#include "base/textbuf.h"
#include "capture/tracefs/tracefs.h"

/* Appends the file's contents to *out. Returns a negative errno if the file cannot be read. */
int setting_save(const struct tracefs *t, const char *instance, const char *file,
		 struct textbuf *out);

/*
 * Restores the file to the text that setting_save() read (ended by NUL). Returns a negative errno
 * on failure.
 */
int setting_restore(const struct tracefs *t, const char *instance, const char *file,
		    const char *saved);

#endif

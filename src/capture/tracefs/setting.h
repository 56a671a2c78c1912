/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * setting.h - restores a file of the tracing directory to its earlier contents.
 *
 * Most files accept the text that they show. Some do not: lists, choices, filters and triggers show
 * one text and accept another. setting_save() reads what is needed, setting_restore() writes what
 * restores it. Neither writes what is unchanged.
 */
#ifndef SONDE_CAPTURE_TRACEFS_SETTING_H
#define SONDE_CAPTURE_TRACEFS_SETTING_H

#include "base/textbuf.h"
#include "capture/tracefs/tracefs.h"

/* Appends the file's contents to *out. Negative errno if it cannot be read. */
int setting_save(const struct tracefs *t, const char *instance, const char *file,
		 struct textbuf *out);

/* Restores the file to what setting_save() read (ended by NUL). Negative errno. */
int setting_restore(const struct tracefs *t, const char *instance, const char *file,
		    const char *saved);

#endif

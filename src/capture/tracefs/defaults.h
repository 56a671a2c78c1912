/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * defaults.h - the contents of the files in the tracing directory after boot.
 *
 * 'reset' restores them; 'stat' omits settings that have their default.
 */
#ifndef SONDE_CAPTURE_TRACEFS_DEFAULTS_H
#define SONDE_CAPTURE_TRACEFS_DEFAULTS_H

#include "capture/tracefs/tracefs.h"

#define DEFAULTS_BUFFER_KB 1408

struct default_row {
	const char *file;
	const char *shown; /* the text in the form that setting.h takes */
};

/*
 * Returns the rows in the order in which files can be restored: files that write events first,
 * sizes last.
 */
const struct default_row *defaults_rows(size_t *ret_n);

/* Returns the default text of a file, or NULL if it is unknown. */
const char *defaults_find(const char *file);

/*
 * Returns true if the option is on by default. Some options are off in instances other than the top
 * level.
 */
bool defaults_option(const char *instance, const char *option);

/*
 * Formats the mask of all CPUs as tracing_cpumask takes it ("ff,ffffffff") into buf of 4096 bytes;
 * returns buf.
 */
char *defaults_fmt_cpumask(unsigned n_cpus, char *buf, size_t n_bytes);

#endif

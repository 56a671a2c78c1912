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
	const char *shown; /* as setting.h takes it */
};

/* In the order in which they can be restored: files that write events first, sizes last. */
const struct default_row *defaults_rows(size_t *ret_n);

/* NULL: unknown. */
const char *defaults_find(const char *file);

/*
 * Whether the option is on by default; some options are off in instances other than the top level.
 */
bool defaults_option(const char *instance, const char *option);

/*
 * The mask of all CPUs as tracing_cpumask takes it: "ff,ffffffff"; buf of 4096 bytes, returns buf.
 */
char *defaults_fmt_cpumask(unsigned n_cpus, char *buf, size_t n_bytes);

#endif

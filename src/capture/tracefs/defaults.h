/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * defaults.h - what the files of the tracing directory say after boot.
 *
 * reset brings them back to it, stat leaves out what is so.
 */
#ifndef SONDE_CAPTURE_TRACEFS_DEFAULTS_H
#define SONDE_CAPTURE_TRACEFS_DEFAULTS_H

#include "capture/tracefs/tracefs.h"

#define DEFAULTS_BUFFER_KB 1408

struct default_row {
	const char *file;
	const char *shown; /* as setting.h takes it */
};

/* In the order in which they can be put back: what writes events first, sizes last. */
const struct default_row *defaults_rows(size_t *ret_n);

/* NULL: not known. */
const char *defaults_find(const char *file);

/* Whether an option is on; in another instance than the top one some are not. */
bool defaults_option(const char *instance, const char *option);

/* The mask of all CPUs as tracing_cpumask takes it: "ff,ffffffff"; buf of 4096 bytes, returns buf. */
char *defaults_fmt_cpumask(unsigned n_cpus, char *buf, size_t n_bytes);

#endif

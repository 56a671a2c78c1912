/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pmufiles.h - one short line of a file in a directory of sysfs.
 */
#ifndef SONDE_CAPTURE_PERF_EVENTS_PMUFILES_H
#define SONDE_CAPTURE_PERF_EVENTS_PMUFILES_H

#include <stddef.h>

/*
 * Reads a file into buf, without white space at its end. Returns the length, or a negative errno
 * without a message.
 */
int pmufiles_read(const char *dir, const char *file, char *buf, size_t n_bytes);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * findprogram.h - finds the file of a program or library by name.
 */
#ifndef SONDE_PROBE_FINDPROGRAM_H
#define SONDE_PROBE_FINDPROGRAM_H

#include <limits.h>
#include <stdbool.h>

/*
 * Finds a file. Returns false if there is none, or it cannot be read. here_first: search this
 * directory before $PATH.
 */
bool findprogram(const char *name, bool here_first, char path[PATH_MAX]);

/*
 * Finds the path without links, as the kernel keeps it. A path below /proc/PID/root is kept,
 * because it leads into the mounts of that process. Returns false with errno if there is no such
 * file.
 */
bool findprogram_real(const char *path, char real[PATH_MAX]);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * findprogram.h - where a program or library of some name is.
 */
#ifndef SONDE_PROBE_FINDPROGRAM_H
#define SONDE_PROBE_FINDPROGRAM_H

#include <limits.h>
#include <stdbool.h>

/* False if there is none, or it cannot be read. here_first: this directory comes before $PATH. */
bool findprogram(const char *name, bool here_first, char path[PATH_MAX]);

/*
 * The path without links, as the kernel keeps it; one below /proc/PID/root stays as it is, because it leads into
 * the mounts of that process. False with errno if there is no such file.
 */
bool findprogram_real(const char *path, char real[PATH_MAX]);

#endif

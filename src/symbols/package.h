/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * package.h - names the distribution's package with the debug information of a file, or of the
 * kernel.
 *
 * For messages that say what to install. Keeps no state; thread-safe.
 */
#ifndef SONDE_SYMBOLS_PACKAGE_H
#define SONDE_SYMBOLS_PACKAGE_H

#include <stdbool.h>
#include <stddef.h>

#define PACKAGE_NAME_MAX   128
#define PACKAGE_REMEDY_MAX 256

/*
 * Writes "install bash-dbgsym (from the debug archive)", or a general remedy if the package is
 * unknown.
 */
void package_fmt_remedy(const char *info_dir, const char *path, char remedy[PACKAGE_REMEDY_MAX]);

/*
 * Writes the remedy for the running kernel, with an alternative: "…, or name the file: --vmlinux
 * FILE".
 */
void package_fmt_kernel_remedy(char remedy[PACKAGE_REMEDY_MAX]);

#endif

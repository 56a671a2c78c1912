/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * package.h - which package of the distribution has the debug information of a file, or of the kernel.
 *
 * For sentences that tell what to install. Nothing is kept; safe in all threads.
 */
#ifndef SONDE_SYMBOLS_PACKAGE_H
#define SONDE_SYMBOLS_PACKAGE_H

#include <stdbool.h>
#include <stddef.h>

#define PACKAGE_NAME_MAX   128
#define PACKAGE_REMEDY_MAX 256

/*
 * The package that a file came with, by the lists in info_dir (NULL: /var/lib/dpkg/info). False: none of
 * them has it, or there are none.
 */
bool package_find(const char *info_dir, const char *path, char name[PACKAGE_NAME_MAX]);

/* "install bash-dbgsym (from the debug archive)"; in general words where the package is not known. */
void package_fmt_remedy(const char *info_dir, const char *path, char remedy[PACKAGE_REMEDY_MAX]);

/* The same for the kernel that runs, and how else it can be had: "…, or name the file: --vmlinux FILE". */
void package_fmt_kernel_remedy(char remedy[PACKAGE_REMEDY_MAX]);

#endif

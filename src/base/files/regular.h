/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * regular.h - opens files whose names come from what somebody else wrote.
 *
 * A program file names sources, debug files and libraries. Whoever made it chose those names, and root opens
 * them: a FIFO would keep us waiting for ever, /dev/zero would never end, and some devices act when they are
 * opened. So here only regular files are opened, up to a size, and devices are not touched.
 */
#ifndef SONDE_BASE_FILES_REGULAR_H
#define SONDE_BASE_FILES_REGULAR_H

#include <stdint.h>
#include <stdio.h>

/*
 * A descriptor for reading, close-on-exec. -EINVAL if it is not a regular file, -ENODATA if it is empty (as files of /proc
 * look), -EFBIG if it is larger than max_bytes, or why it cannot be opened.
 */
int regular_open(const char *path, uint64_t max_bytes);
/* The same as a stream; NULL, and errno says why. */
FILE *regular_fopen(const char *path, uint64_t max_bytes);

#endif

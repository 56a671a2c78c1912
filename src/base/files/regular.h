/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * regular.h - opens files whose names come from untrusted data.
 *
 * A program file names sources, debug files and libraries. The author of that file chose those
 * names, and root opens them: a FIFO would block forever, /dev/zero would never end, and some
 * devices act when they are opened. So only regular files are opened here, up to a size, and
 * devices are not touched.
 */
#ifndef SONDE_BASE_FILES_REGULAR_H
#define SONDE_BASE_FILES_REGULAR_H

#include <stdint.h>
#include <stdio.h>

/*
 * Returns a descriptor for reading, close-on-exec. Returns -EINVAL if the file is not regular,
 * -ENODATA if it is empty (like files of /proc), -EFBIG if it is larger than max_bytes, or the
 * error of open.
 */
int regular_open(const char *path, uint64_t max_bytes);
/* Like regular_open(), but returns a stream, or NULL with errno. */
FILE *regular_fopen(const char *path, uint64_t max_bytes);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unpacked.h - program files that are packed, or have packed parts, up to a size.
 *
 * A few kilobytes can unpack to any size, and libdw and libdwfl unpack whatever they are given into memory.
 */
#ifndef SONDE_SYMBOLS_DWARF_UNPACKED_H
#define SONDE_SYMBOLS_DWARF_UNPACKED_H

#include <libelf.h>
#include <stdbool.h>
#include <stdint.h>

/* A module with debug information has at most some 500 MB. */
#define UNPACKED_FILE_MAX_BYTES	    (1ull << 30)
/* All packed sections of one file; those of a browser have 2 GB. */
#define UNPACKED_SECTIONS_MAX_BYTES (4ull << 30)

/*
 * What is in the file: fd itself if it is not packed, else another descriptor, and fd is closed. On failure fd stays
 * open: -EFBIG, -EBADMSG if it is damaged, -EOPNOTSUPP if it is packed in a way that we do not know.
 */
int unpacked_open(int fd, uint64_t max_bytes);
/* Whether everything that is packed in the file stays below the limits, unpacked. */
bool unpacked_sections_fit(Elf *elf);

#endif

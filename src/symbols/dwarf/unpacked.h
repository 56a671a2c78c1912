/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * unpacked.h - program files that are compressed, or have compressed parts, up to a size.
 *
 * A few kilobytes can expand to any size, and libdw and libdwfl uncompress everything into memory.
 */
#ifndef SONDE_SYMBOLS_DWARF_UNPACKED_H
#define SONDE_SYMBOLS_DWARF_UNPACKED_H

#include <libelf.h>
#include <stdbool.h>
#include <stdint.h>

/* Limit of a module; one with debug information has at most about 500 MB. */
#define UNPACKED_FILE_MAX_BYTES	    (1ull << 30)
/* Limit of all compressed sections of one file; those of a browser have 2 GB. */
#define UNPACKED_SECTIONS_MAX_BYTES (4ull << 30)

/*
 * Returns fd itself if the file is not compressed; else closes fd and returns a descriptor of the
 * contents. On failure fd stays open: -EFBIG, -EBADMSG if it is damaged, -EOPNOTSUPP if the
 * compression is unknown.
 */
int unpacked_open(int fd, uint64_t max_bytes);
/* Returns true if all compressed parts of the file stay below the limits when uncompressed. */
bool unpacked_sections_fit(Elf *elf);

#endif

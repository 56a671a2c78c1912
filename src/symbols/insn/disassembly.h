/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * disassembly.h - the instructions of a range of a program, as text.
 *
 *	disassembly_read ─▶ list ─▶ disassembly_release
 *
 * It runs objdump (binutils), which knows every processor.
 */
#ifndef SONDE_SYMBOLS_INSN_DISASSEMBLY_H
#define SONDE_SYMBOLS_INSN_DISASSEMBLY_H

#include "format/bytes.h"

#include <stddef.h>
#include <stdint.h>

struct errmsg;

struct disassembled {
	uint64_t address;
	char *text; /* "mov    %rax,(%rdi)" */
};

struct disassembly {
	struct disassembled *list; /* ascending */
	size_t n, cap;
};

/*
 * Reads the code of an ELF file from address to end. -ENOENT with a message: there is no objdump;
 * other negative values if it fails.
 */
int disassembly_read(struct disassembly *d, const char *path, uint64_t address, uint64_t end,
		     struct errmsg *err);
/* Parses what objdump prints. 0 or -ENOMEM. */
int disassembly_parse(struct disassembly *d, struct piece text);
void disassembly_release(struct disassembly *d);

#endif

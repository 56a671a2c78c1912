/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * programs.h - resolves addresses in the memory of programs to names of functions.
 *
 *	programs_map      a file was mapped                       (during the recording)
 *	programs_fmt      writes all of it as a text for the trace file
 *	programs_parse    reads that text                         (when the file is read)
 *	programs_find     the function at an address
 *
 * The owner of the memory does not matter: programs are loaded at random addresses, and the same
 * address in two of them is rare. If an address belongs to different functions, it has no name.
 *
 * Only one thread at a time may call programs_map() and programs_parse(); any thread may call
 * programs_find() meanwhile.
 */
#ifndef SONDE_SYMBOLS_PROGRAMS_H
#define SONDE_SYMBOLS_PROGRAMS_H

#include "format/bytes.h"
#include "symbols/kallsyms.h"

struct programs;
struct textbuf;

/* A range of memory with the code of a file. */
struct program_mapping {
	const char *path;
	uint64_t inode; /* 0: unknown */
	int pid;	/* the process of the mapping, whose view of the path is used */
	uint64_t start, n_bytes, file_offset;
};

struct programs *programs_new(void);
void programs_free(struct programs *p);

/*
 * Adds a mapping. Returns 0, -ENOMEM or -E2BIG. The functions of a file are read when it is first
 * mapped.
 */
int programs_map(struct programs *p, const struct program_mapping *m);
/* Notes that another program, whose functions are not wanted, has mapped this range. */
int programs_block(struct programs *p, uint64_t start, uint64_t n_bytes);
/* Undoes one programs_block(), because the functions are now wanted. */
void programs_unblock(struct programs *p, uint64_t start, uint64_t n_bytes);
/*
 * Adds the contents of text, which must stay valid. Ignores lines of another form. Returns 0 or
 * -ENOMEM.
 */
int programs_parse(struct programs *p, struct piece text);
void programs_fmt(struct programs *p, struct textbuf *tb);

/*
 * Returns the function that covers the address, or NULL if none is known or it is not certain. p
 * may be NULL.
 */
const struct ksym *programs_find(struct programs *p, uint64_t addr);

/*
 * Returns the address of the same byte of the same file where it was mapped first, so that programs
 * can be compared. p may be NULL.
 */
uint64_t programs_unify(struct programs *p, uint64_t addr);

#endif

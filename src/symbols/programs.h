/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * programs.h - addresses in the memory of programs to names of functions.
 *
 *	programs_map      a file was mapped somewhere             (while it is recorded)
 *	programs_fmt      all of it as a text for the trace file
 *	programs_parse    the other way round                     (when the file is read)
 *	programs_find     the function at an address
 *
 * Whose memory it is nobody asks: programs are loaded at random addresses, and the same address in two of them is rare. Where
 * it is another function in each, it has no name.
 *
 * programs_map() and programs_parse() belong to one thread at a time; programs_find() may be called anywhere meanwhile.
 */
#ifndef SONDE_SYMBOLS_PROGRAMS_H
#define SONDE_SYMBOLS_PROGRAMS_H

#include "symbols/kallsyms.h"

struct programs;
struct textbuf;

/* Code of a file in memory. */
struct program_mapping {
	const char *path;
	uint64_t inode; /* 0: not known */
	int pid;	/* whose mapping it is: its view of the path */
	uint64_t start, n_bytes, file_offset;
};

struct programs *programs_new(void);
void programs_free(struct programs *p);

/* 0, or -ENOMEM, -E2BIG. The functions of a file are read when it comes for the first time. */
int programs_map(struct programs *p, const struct program_mapping *m);
/* Something else is mapped there by a program whose functions are not wanted. */
int programs_block(struct programs *p, uint64_t start, uint64_t n_bytes);
/* Once for each time: they are wanted after all. */
void programs_unblock(struct programs *p, uint64_t start, uint64_t n_bytes);
/* Takes it in; text must stay. What is not of the form is left out. 0 or -ENOMEM. */
int programs_parse(struct programs *p, struct piece text);
void programs_fmt(struct programs *p, struct textbuf *tb);

/* The function that covers the address; NULL: none is known, or not for certain. p may be NULL. */
const struct ksym *programs_find(struct programs *p, uint64_t addr);

/* The address that the same byte of the same file has where it was mapped first, so that programs can be compared. p may be NULL. */
uint64_t programs_unify(struct programs *p, uint64_t addr);

#endif

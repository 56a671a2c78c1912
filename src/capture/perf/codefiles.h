/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * codefiles.h - the files that programs have mapped as code, and memory with code that has no file.
 *
 *	codefiles_take      a file that a process maps; the same file is found again
 *	codefile_open       before its first use: its program headers are known then
 *	codefile_find       an offset in the file becomes an address of the file (ELF)
 *	codefiles_number    its number in the trace, from the first sample on
 *
 * A file is opened while a process has it mapped, so that files of containers, files that are
 * deleted later, and those of processes that have ended can still be read at the end. Nothing that
 * a file contains is trusted.
 *
 * One thread uses all of this. Another one may use codefiles_get(), and what it returns: a file
 * with a number does not change any more.
 */
#ifndef SONDE_CAPTURE_PERF_CODEFILES_H
#define SONDE_CAPTURE_PERF_CODEFILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cfi;
struct codefiles;
struct textbuf;

#define CODEFILES_BUILD_ID_BYTES 20
#define CODEFILES_LOADS_MAX	 16

/* A part of the file that is loaded. */
struct codeload {
	uint64_t offset, n_bytes, address;
};

enum codefile_state {
	CODEFILE_NEW,	 /* not opened yet */
	CODEFILE_OPEN,	 /* an ELF file */
	CODEFILE_GONE,	 /* it could not be opened; addresses are offsets */
	CODEFILE_MEMORY, /* code of one process without a file, or in a file that is no program */
	CODEFILE_HOOKS,	 /* sonde's own, in any process */
};

struct codefile {
	uint32_t number; /* 0: none yet */
	enum codefile_state state;
	char *path; /* as the process names it; "[vdso]"; of memory the name of its mapping */
	int pid;    /* of memory: the process. Else a process that has it mapped */
	uint64_t start, end; /* one place of that process where it is mapped */
	uint8_t build_id[CODEFILES_BUILD_ID_BYTES];
	unsigned n_build_id; /* bytes; 0: unknown */
	uint64_t inode;	     /* 0: unknown */
	int fd;		     /* -1: not open */
	uint64_t dev, opened_inode, n_bytes;
	bool is_64;
	unsigned machine; /* EM_… */
	struct codeload loads[CODEFILES_LOADS_MAX];
	unsigned n_loads;
	struct cfi *cfi; /* of the thread that unwinds; NULL: none, or not read yet (has_cfi) */
	bool has_cfi;
	struct codefile *same; /* the same file by another name; NULL: none */
	struct codefile *next; /* with the same hash */
};

/* A mapping, as the kernel reports it. */
struct codefiles_mapping {
	const char *path;
	int pid;
	uint64_t start, end;
	uint64_t inode;
};

/* NULL: out of memory. */
struct codefiles *codefiles_new(void);
void codefiles_free(struct codefiles *c);

/* NULL: out of memory, or too many files. */
struct codefile *codefiles_take(struct codefiles *c, const struct codefiles_mapping *m);
/* Code of a process that is in no file. */
struct codefile *codefiles_take_memory(struct codefiles *c, int pid);
/* Code that sonde has put into programs. */
struct codefile *codefiles_take_hooks(struct codefiles *c);

/* Opens it, if that was not tried yet. */
void codefile_open(struct codefiles *c, struct codefile *f);
/* The address in the file of a byte at that offset. */
uint64_t codefile_find(const struct codefile *f, uint64_t offset);
/* The number of an open file, given when first asked for; 0: there are too many files. */
uint32_t codefiles_number(struct codefiles *c, struct codefile *f);

/* Any thread: numbers are 1 … codefiles_n(). */
uint32_t codefiles_n(const struct codefiles *c);
const struct codefile *codefiles_get(const struct codefiles *c, uint32_t number);
/* A name by which this process can open the file now, with its debug files. */
void codefile_fmt_path(const struct codefile *f, char *path, size_t n_bytes);
/* Lines F and J of the option (sampleevents.h). */
void codefiles_fmt(const struct codefiles *c, struct textbuf *tb);

#endif

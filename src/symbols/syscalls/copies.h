/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * copies.h - which memory of a program a system call reads or writes, so that a recorder copies it.
 *
 * A row says what an argument points to. The recorder (capture/syscalls) carries the rows of a call
 * out in their order, while there is room in the record; so what matters most comes first. Memory
 * that is not there yet at the entry is copied at the exit.
 */
#ifndef SONDE_SYMBOLS_SYSCALLS_COPIES_H
#define SONDE_SYMBOLS_SYSCALLS_COPIES_H

#include <stddef.h>
#include <stdint.h>

#define SYSCOPIES_MAX  16 /* rows of one call */
#define SYSCOPY_NO_ARG 0xff

enum syscopy_when {
	SYSCOPY_ENTRY,
	SYSCOPY_EXIT,	 /* whatever the call returned */
	SYSCOPY_EXIT_OK, /* only if it returned >= 0 */
};

enum syscopy_how {
	SYSCOPY_STRING,	  /* up to the NUL, or size bytes; size 0: up to 4096, as paths */
	SYSCOPY_FIXED,	  /* size bytes */
	SYSCOPY_BYTES,	  /* args[len_arg] bytes, but not more than the string limit */
	SYSCOPY_ARRAY,	  /* size * args[len_arg] bytes */
	SYSCOPY_RETURNED, /* size * return value bytes; size 1: at most the string limit */
	SYSCOPY_LENPTR,	  /* the u32 at args[len_arg] is the length; copied, too; at most size */
	SYSCOPY_IOVEC, /* args[len_arg] struct iovec, and what they point to, to the string limit */
	SYSCOPY_IOVEC_IN, /* as IOVEC at an exit: only as many bytes as the call returned */
	SYSCOPY_MSGHDR,	  /* a struct msghdr, its name, iovecs, their bytes, control data */
	SYSCOPY_MMSGHDR,  /* args[len_arg] struct mmsghdr, each as MSGHDR */
	SYSCOPY_STRINGS, /* pointers up to a NULL, and the strings; size: at most so many strings */
	SYSCOPY_POINTERS, /* pointers up to a NULL, without the strings (envp) */
	SYSCOPY_BITS,	  /* args[len_arg] bits, rounded up to 8 bytes (fd_set, cpu masks) */
	/* _IOC_SIZE(args[1]) bytes; requests without it: 0x54xx 60, 0x89xx 40, 0x12xx 16, else 0 */
	SYSCOPY_IOC,
	SYSCOPY_RETURNED_ALL, /* as many bytes as were returned, beyond the string limit */
	/* a struct msgbuf: args[len_arg] bytes behind a long; without it: as many as returned */
	SYSCOPY_MSGBUF,
	SYSCOPY_SIGSETPACK, /* { pointer to a signal set, its size }, and the set */
	SYSCOPY_SOCKFPROG,  /* { u16 n, pointer to n * 8 bytes }, and those */
	SYSCOPY_MINCORE,    /* args[len_arg] / 4096 bytes, rounded up */
	SYSCOPY_IOCBS,	    /* args[len_arg] pointers to struct iocb of 64 bytes, and those */
	SYSCOPY_IFCONF,	    /* { u32 n, pointer to n bytes }, and those */
	SYSCOPY_HOWS
};

struct syscopy {
	uint8_t arg;	 /* 0 to 5: the pointer */
	uint8_t when;	 /* enum syscopy_when */
	uint8_t how;	 /* enum syscopy_how */
	uint8_t len_arg; /* 0 to 5, or SYSCOPY_NO_ARG */
	uint16_t size;
	uint8_t if_arg; /* only if (args[if_arg] & if_mask) == if_value; or SYSCOPY_NO_ARG */
	uint32_t if_value, if_mask;
};

/* machine: AUDIT_ARCH_…. The rows of a call, NULL and 0 if there are none. */
const struct syscopy *syscopies_find(uint32_t machine, uint32_t nr, size_t *ret_n);

#endif

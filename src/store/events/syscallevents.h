/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * syscallevents.h - system calls as a trace file has them: ids, bytes, formats.
 *
 * Other readers see ordinary events of a system "syscall" in a buffer of that name. One record
 * describes a whole call; its time is the end of the call. It contains the memory that its
 * arguments point to as far as it was copied, as a list of chunks. A decoder reads it by address,
 * as strace reads the memory of a process. What is in no chunk was not read, and is shown as an
 * address.
 *
 *	record = struct syscallevents_call, chunk, chunk …
 *	chunk  = struct syscallevents_chunk, n_bytes of memory, zeros up to a multiple of 8
 *
 * SNF_OPTION_SYSCALLS is a text, one line each: "C KEY VALUE" of the recording, "L NUMBER" calls
 * that were lost, "D PID FD PATH" a descriptor that was open when the recording began.
 */
#ifndef SONDE_STORE_EVENTS_SYSCALLEVENTS_H
#define SONDE_STORE_EVENTS_SYSCALLEVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct textbuf;

#define SYSCALLEVENTS_BUFFER "syscall" /* the instance */
#define SYSCALLEVENTS_SYSTEM "syscall"

/* Below 32768 for KernelShark, see userevents.h. */
enum syscallevents_id {
	SYSCALLEVENTS_CALL = 32741, /* a call that returned */
	/*
	 * one that lasts: its time is when this was noticed, its duration is that since the
	 * beginning
	 */
	SYSCALLEVENTS_OPEN,
	SYSCALLEVENTS_SIGNAL, /* a signal was delivered: nr its number, a chunk its siginfo */
	/* the thread ended: ret its status, as from wait(); args[0] and args[1] its name */
	SYSCALLEVENTS_EXIT,
};

enum syscallevents_when {
	SYSCALLEVENTS_AT_ENTRY,
	SYSCALLEVENTS_AT_EXIT,
	/* no memory: the address is a descriptor, the bytes are a struct syscallevents_file */
	SYSCALLEVENTS_OF_FILE,
};

/* One layout for all four events. */
struct syscallevents_call {
	uint16_t type;
	uint8_t flags, preempt_count;
	int32_t pid; /* of the thread */
	int64_t ret;
	uint64_t duration; /* ns */
	uint32_t nr;
	uint32_t machine; /* AUDIT_ARCH_…: whose numbers these are */
	uint64_t args[6];
	int32_t tgid;
	uint32_t memory_loc; /* __data_loc: the chunks */
};
#define SYSCALLEVENTS_CALL_BYTES 88

#define SYSCALLEVENTS_CUT	 1 /* there is more behind these bytes, which was not copied */
#define SYSCALLEVENTS_FAULT	 2 /* the bytes behind these could not be read */

struct syscallevents_chunk {
	uint64_t address;
	uint16_t n_bytes;
	uint8_t when;  /* enum syscallevents_when */
	uint8_t flags; /* SYSCALLEVENTS_CUT … */
	uint32_t unused;
};

/* The file of a descriptor when the call returned. What is not known is 0. */
struct syscallevents_file {
	uint64_t inode;
	uint32_t device; /* of a device file: major << 20 | minor */
	uint16_t mode;	 /* S_IFSOCK … */
	/* of a socket; its remote port is in network order */
	uint16_t type, family, protocol, local_port, remote_port;
	uint8_t state; /* TCP_ESTABLISHED … */
	uint8_t unused[3];
	uint32_t netlink_port;
	uint8_t local4[4], remote4[4], local6[16], remote6[16];
	uint64_t peer; /* of a UNIX socket: the inode of the other one */
};

/* The record must fit into a sub-buffer of 4 KB. */
#define SYSCALLEVENTS_MEMORY_MAX 3840u

/* Adds the system. */
void syscallevents_add_formats(struct textbuf *tb);

#endif

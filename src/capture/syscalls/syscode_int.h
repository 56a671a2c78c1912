/* SPDX-License-Identifier: GPL-2.0-or-later */
/* syscode_int.h - declarations that the files that generate programs of system calls share. */
#ifndef SONDE_CAPTURE_SYSCALLS_SYSCODE_INT_H
#define SONDE_CAPTURE_SYSCALLS_SYSCODE_INT_H

#include "capture/bpf/program.h"
#include "capture/syscalls/sysprograms.h"

enum { R0, R1, R2, R3, R4, R5, R6, R7, R8, R9, FRAME };

struct types;

/* The members of the kernel's structs that lead to a file, and what is read of it (sysfiles.c). */
enum sysfiles_member {
	SYSFILES_FILES,
	SYSFILES_FDT,
	SYSFILES_FD,
	SYSFILES_INODE,
	SYSFILES_PRIVATE,
	SYSFILES_SK,
	SYSFILES_SOCKET_FILE,
	SYSFILES_SK_SOCKET,
	SYSFILES_PEER,
	SYSFILES_INO,
	SYSFILES_MODE,
	SYSFILES_DEVICE,
	SYSFILES_TYPE,
	SYSFILES_PROTOCOL,
	SYSFILES_FAMILY,
	SYSFILES_STATE,
	SYSFILES_NUM,
	SYSFILES_DPORT,
	SYSFILES_LOCAL4,
	SYSFILES_REMOTE4,
	SYSFILES_LOCAL6,
	SYSFILES_REMOTE6,
	SYSFILES_NETLINK,
	SYSFILES_MEMBERS
};

struct sysfiles {
	bool is_known;
	int offsets[SYSFILES_MEMBERS]; /* negative: there is no such member */
};

/* Where the programs find what they read of the kernel. */
struct syskernel {
	struct bpftask task;
	int status;    /* of the task's thread_info: bit 2 is a 32-bit call; negative: unknown */
	int exit_code; /* of the task */
	struct {
		int mm, arg_start, arg_end, filename, interp; /* mm is 0: unknown */
	} exec;
	struct sysfiles files;
	uint32_t hooks[SYSPROGRAMS_HOOKS]; /* BTF ids of the tracepoints */
};

enum syscode_hook {
	SYSCODE_ENTER,
	SYSCODE_EXIT,
	SYSCODE_SIGNAL,
	SYSCODE_DEATH,
	/* from here on they are not required */
	SYSCODE_SENT,
	SYSCODE_EXECED,
};

/* Generates the program of a hook. */
void syscode_emit(struct bpfcode *c, const struct sysprograms *p, const struct syskernel *k,
		  enum syscode_hook hook);

/*
 * The functions that copy memory; emit them behind the program's end. `label` is that of row(index
 * of a copy, its bit in failed_rows), which uses the scratch area: record.args, record.ret, phase,
 * retry_rows.
 */
void syscode_emit_copies(struct bpfcode *c, const struct sysprograms *p, unsigned label);
#define SYSCODE_STRING 0x100

void sysfiles_find(const struct types *world, struct sysfiles *f);
/* Marks the row of a call that makes descriptors. */
void sysfiles_set_row(uint32_t machine, uint32_t nr, struct sysrow *row);
/* At the exit: r7 the scratch area, r8 the row. Calls the function `file`. */
void sysfiles_emit_call(struct bpfcode *c, unsigned file);
/* file(descriptor); emit it behind the program's end. */
void sysfiles_emit_function(struct bpfcode *c, const struct sysprograms *p,
			    const struct sysfiles *f, unsigned label);

#endif

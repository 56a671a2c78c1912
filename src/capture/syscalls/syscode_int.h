/* SPDX-License-Identifier: GPL-2.0-or-later */
/* syscode_int.h - declarations that the files that generate programs of system calls share. */
#ifndef SONDE_CAPTURE_SYSCALLS_SYSCODE_INT_H
#define SONDE_CAPTURE_SYSCALLS_SYSCODE_INT_H

#include "capture/bpf/program.h"
#include "capture/syscalls/sysprograms.h"

enum { R0, R1, R2, R3, R4, R5, R6, R7, R8, R9, FRAME };

/* Where the programs find what they read of the kernel. */
struct syskernel {
	struct bpftask task;
	int status;    /* of the task's thread_info: bit 2 is a 32-bit call; negative: unknown */
	int exit_code; /* of the task */
	struct {
		int mm, arg_start, arg_end, filename, interp; /* mm is 0: unknown */
	} exec;
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

#endif

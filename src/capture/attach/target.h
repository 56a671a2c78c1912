/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * target.h - a process to attach to: whether that is possible, and what its memory map says.
 */
#ifndef SONDE_CAPTURE_ATTACH_TARGET_H
#define SONDE_CAPTURE_ATTACH_TARGET_H

#include "capture/attach/remote.h"
#include "runtime/snrt.h"

struct errmsg;

/* A piece of memory that sonde has mapped in the process. */
struct target_piece {
	uint64_t begin, end;
	bool is_code; /* an area */
};

struct target {
	pid_t pid;
	struct target_piece *pieces; /* areas and plans */
	size_t n_pieces, pieces_cap;
	struct remote_code code;
	uint64_t stack_end;    /* an address in the first stack */
	struct snrt_note note; /* of a runtime that is there already; magic 0: none */
	bool has_libc, has_library;
	char *maps;
};

/* What to do instead: the end of messages. */
#define TARGET_INSTEAD "; root can trace it with probes of the kernel (--user-probes)"

/* *pid: the number of a thread becomes that of its process. -ESRCH: there is none. */
int target_find_process(pid_t *pid, struct errmsg *err);
/*
 * Returns 0 if the functions of the process can be traced; otherwise a negative errno, with a
 * message that names the reason and the remedy. *pid: the number of a thread becomes that of its
 * process.
 */
int target_check(pid_t *pid, struct errmsg *err);
/* Returns true if the process has ended or is being killed: its memory disappears. */
bool target_has_ended(pid_t pid);
/* The kernel has refused to let us attach: says why. */
int target_tell_refused(pid_t pid, int code, struct errmsg *err);

/* Reads the memory map. finds_code: also looks for the places of struct remote_code. */
int target_read(struct target *t, pid_t pid, bool finds_code, struct errmsg *err);
void target_release(struct target *t);

/* The mapping of an address; false: there is none. */
bool target_find(const struct target *t, uint64_t address, uint64_t *ret_low, uint64_t *ret_high);

#endif

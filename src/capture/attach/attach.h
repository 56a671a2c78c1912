/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * attach.h - hooks functions of a running process, and removes the hooks.
 *
 *	attach_check    can it be done? Before anything else
 *	attach_begin    the process has the runtime, and its functions are hooked
 *	attach_end      its code is as before, byte for byte, and sonde's memory is gone
 *
 * Both stop the process for a moment. The process continues whatever happens to us: if we are
 * killed, it is as before, or its hooks are complete and stop recording.
 */
#ifndef SONDE_CAPTURE_ATTACH_ATTACH_H
#define SONDE_CAPTURE_ATTACH_ATTACH_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct errmsg;

struct attach_config {
	const char *server; /* name of the abstract socket where the process finds the recorder */
	/* Takes a socket whose other end the process has. */
	int (*adopt)(void *ctx, int fd);
	void *ctx;
};

struct attach_result {
	uint64_t stopped_ns; /* how long the process stood still, in all */
	uint32_t n_failures; /* attach_begin: files whose functions could not be hooked after all */
	/*
	 * attach_end: a thread may still return to sonde's code, which stays mapped and does
	 * nothing
	 */
	bool is_kept;
};

/*
 * *pid: a thread's number becomes its process's. The sentence says why not; -ENOTSUP: the process
 * is such that it cannot be, but the kernel's probes may see its functions.
 */
int attach_check(pid_t *pid, struct errmsg *err);
/* Only the number. */
int attach_find_process(pid_t *pid, struct errmsg *err);
int attach_begin(pid_t pid, const struct attach_config *config, struct attach_result *ret,
		 struct errmsg *err);
/* 0 also if the process has ended, or has no hooks. */
int attach_end(pid_t pid, struct attach_result *ret, struct errmsg *err);

#endif

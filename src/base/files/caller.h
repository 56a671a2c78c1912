/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * caller.h - the user on whose behalf we run, and acting with that user's rights only.
 *
 * sudo, pkexec and doas make us root and name the caller; a setuid program has the caller as its
 * real user. Root should write for that user only what the user could have written: files are
 * opened between caller_enter() and caller_leave(), where the kernel checks the caller's rights
 * instead of ours.
 *
 * Threads: entering and leaving affect only the calling thread.
 */
#ifndef SONDE_BASE_FILES_CALLER_H
#define SONDE_BASE_FILES_CALLER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct caller {
	uid_t uid;
	gid_t gid;
};

/*
 * Returns true if we are root and another user called us. Returns false if there is no caller, or
 * if the environment does not name a user.
 */
bool caller_find(struct caller *ret);

/*
 * Returns true if the caller has fewer rights than we have: sudo and similar, setuid, setgid,
 * capabilities. Then programs from the environment ($PAGER) must not run with our rights.
 */
bool caller_is_raised(void);

/*
 * Returns true if our rights come from the program file (setuid, setgid, file capabilities). Then
 * the environment must not be trusted.
 */
bool caller_is_secure(void);

struct caller_scope {
	uint64_t capabilities; /* removed from the effective set */
	gid_t *groups;
	int n_groups, death_signal, dumpable;
	uid_t uid;
	gid_t gid;
	bool is_entered, has_switched;
};

/*
 * Makes this thread open files with the caller's rights from now on. Returns false, and changes
 * nothing, if there is no caller or if sonde may not switch.
 */
bool caller_enter(struct caller_scope *ret);
void caller_leave(struct caller_scope *s);

/*
 * Makes the whole process run as the caller, permanently. Returns 0, also if there is no caller;
 * -EPERM if there is one, but the environment does not tell who; -errno.
 */
int caller_become(void);

#endif

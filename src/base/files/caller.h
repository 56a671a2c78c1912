/* SPDX-License-Identifier: GPL-2.0-or-later */
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
 * True if we are root, and another user called us. False: there is no caller, or the environment
 * does not name a user.
 */
bool caller_find(struct caller *ret);

/*
 * The caller has fewer rights than we have: sudo and similar, setuid, setgid, capabilities. Then
 * programs from the environment ($PAGER) must not run with our rights.
 */
bool caller_is_raised(void);

/*
 * Our rights come from the program file (setuid, setgid, file capabilities): trust no environment.
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
 * From here on this thread opens files with the caller's rights. False: there is no caller, or we
 * may not switch; then nothing has changed.
 */
bool caller_enter(struct caller_scope *ret);
void caller_leave(struct caller_scope *s);

/*
 * The whole process becomes the caller, permanently. Also returns 0 if there is no caller; -errno.
 */
int caller_become(void);

#endif

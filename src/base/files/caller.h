/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * caller.h - on whose behalf we run, and doing things with that user's rights only.
 *
 * sudo, pkexec and doas make us root and say who called; a setuid program has the caller as its real user.
 * What root writes for that user should be what the user could have written: files are opened
 * between caller_enter() and caller_leave(), where the kernel checks the caller's rights instead of
 * ours.
 *
 * Threads: entering and leaving concern the calling thread only.
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

/* We are root, and another user called us. False: nobody did, or what the environment says is no user. */
bool caller_find(struct caller *ret);

/*
 * Whoever called us has fewer rights than we: sudo and its like, setuid, setgid, capabilities. Then what
 * the environment asks to be run ($PAGER) must not run with our rights.
 */
bool caller_is_raised(void);

/* We have our rights from the program file (setuid, setgid, file capabilities): trust no environment. */
bool caller_is_secure(void);

struct caller_scope {
	uint64_t capabilities; /* taken from the effective set */
	gid_t *groups;
	int n_groups, death_signal, dumpable;
	uid_t uid;
	gid_t gid;
	bool is_entered, has_switched;
};

/*
 * From here on this thread opens files with the caller's rights. False: there is no caller, or we may
 * not switch; then nothing has changed.
 */
bool caller_enter(struct caller_scope *ret);
void caller_leave(struct caller_scope *s);

/* The whole process becomes the caller, for good. 0 also if there is nobody to become; -errno. */
int caller_become(void);

#endif

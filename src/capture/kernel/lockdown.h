/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lockdown.h - checks whether the kernel is locked down, what that forbids, and the remedy.
 *
 * tracefs_open() fails with this message, so that every command that needs the tracing directory
 * prints the same; doctor and injection use it, too. Thread-safe.
 */
#ifndef SONDE_CAPTURE_KERNEL_LOCKDOWN_H
#define SONDE_CAPTURE_KERNEL_LOCKDOWN_H

#include <stdbool.h>

struct errmsg;

#define LOCKDOWN_LEVEL_MAX 40

struct lockdown {
	char level[LOCKDOWN_LEVEL_MAX]; /* "none", "integrity", "confidentiality"; "": unknown */
};

/* Reads the level. root is a prefix for all paths, usually "". */
void lockdown_read(struct lockdown *l, const char *root);

bool lockdown_forbids_tracing(const struct lockdown *l);
bool lockdown_forbids_debugfs(const struct lockdown *l);

/* Returns the remedy. It is meaningless if nothing is forbidden. */
const char *lockdown_remedy(const struct lockdown *l);

/* Set the message and return code. */
int lockdown_refuse_tracing(const struct lockdown *l, int code, struct errmsg *err);
int lockdown_refuse_debugfs(const struct lockdown *l, const char *path, int code,
			    struct errmsg *err);

#endif

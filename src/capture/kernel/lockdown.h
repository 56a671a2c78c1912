/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lockdown.h - whether the kernel is locked down, what that forbids, and what would change it.
 *
 * The one place that knows: tracefs_open() refuses with its sentence, so that every command that needs the
 * tracing directory says the same; the doctor and injection ask it for theirs. Safe in all threads.
 */
#ifndef SONDE_CAPTURE_KERNEL_LOCKDOWN_H
#define SONDE_CAPTURE_KERNEL_LOCKDOWN_H

#include <stdbool.h>

struct errmsg;

#define LOCKDOWN_LEVEL_MAX 40

struct lockdown {
	char level[LOCKDOWN_LEVEL_MAX]; /* "none", "integrity", "confidentiality"; "": not known */
};

/* root is put before all paths: "" usually. */
void lockdown_read(struct lockdown *l, const char *root);

bool lockdown_forbids_tracing(const struct lockdown *l);
bool lockdown_forbids_debugfs(const struct lockdown *l);

/* What would change it; of no use where nothing is forbidden. */
const char *lockdown_remedy(const struct lockdown *l);

/* The sentences; they return code. */
int lockdown_refuse_tracing(const struct lockdown *l, int code, struct errmsg *err);
int lockdown_refuse_debugfs(const struct lockdown *l, const char *path, int code,
			    struct errmsg *err);

#endif

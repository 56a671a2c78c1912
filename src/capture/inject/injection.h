/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * injection.h - makes kernel functions fail for one process, through the kernel's own error injection.
 *
 *	injection_find        where it is, or what this kernel lacks
 *	injectables_read …    which functions there are (injectables.h)
 *	injection_start       from now on they fail
 *	injection_count       how often they did
 *	journal_undo          they work again
 *
 * Every change goes through the journal and is undone however the program ends. The kernel has one set of
 * conditions for all users and functions: while somebody uses it, injection_start() refuses.
 */
#ifndef SONDE_CAPTURE_INJECT_INJECTION_H
#define SONDE_CAPTURE_INJECT_INJECTION_H

#include "capture/inject/injectables.h"
#include "capture/tracefs/journal.h"

struct kconfig;

#define INJECTION_FAULTS_MAX  16
#define INJECTION_TIMES_MAX   2147483647
#define INJECTION_MISSING_MAX 300

struct injection_config {
	const struct fault *faults;
	size_t n_faults;
	int pid;
	long long times;       /* how often at most; 0: no limit */
	long long after;       /* calls that are let through first */
	long long every;       /* 1: all, 2: every second */
	long long probability; /* in percent */
	bool log;	       /* the kernel writes each into its log, with its stack */
};

struct injection {
	char dir[TRACEFS_PATH_MAX / 2]; /* of debugfs */
	struct tracefs t;
	long long budget; /* what the kernel counts down from */
};

/* Finds debugfs ($SONDE_DEBUGFS, or where it always is) and in it what is needed. */
int injection_find(struct injection *in, struct errmsg *err);

/*
 * The options that the kernel would have to be built with and is not, "CONFIG_A, CONFIG_B", in buf; false if
 * none is known to be missing.
 */
bool injection_fmt_missing(const struct kconfig *k, char *buf, size_t n_bytes);

/* j: a journal in which nothing else is noted. */
int injection_start(struct injection *in, struct journal *j, const struct injection_config *c,
		    struct errmsg *err);
/* Before it is undone. Negative if it cannot be read. */
long long injection_count(const struct injection *in);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * injection.h - makes kernel functions fail for one process, with the kernel's error injection.
 *
 *	injection_find        finds the kernel's files, or names what this kernel lacks
 *	injectables_read …    the functions (injectables.h)
 *	injection_start       makes the functions fail from now on
 *	injection_count       returns how often they failed
 *	journal_undo          makes them work again
 *
 * Every change goes through the journal and is undone, however the program ends. The kernel has one
 * set of conditions for all users and functions, so injection_start() fails while another program
 * uses it.
 */
#ifndef SONDE_CAPTURE_INJECT_INJECTION_H
#define SONDE_CAPTURE_INJECT_INJECTION_H

#include "capture/inject/injectables.h"
#include "capture/tracefs/journal/journal.h"

struct kconfig;

#define INJECTION_FAULTS_MAX  16
#define INJECTION_TIMES_MAX   2147483647
#define INJECTION_MISSING_MAX 300

struct injection_config {
	const struct fault *faults;
	size_t n_faults;
	int pid;
	long long times;       /* maximum number of failures; 0: no limit */
	long long after;       /* number of calls that succeed first */
	long long every;       /* 1: all, 2: every second */
	long long probability; /* in percent */
	bool log;	       /* the kernel logs each failure with its stack */
};

struct injection {
	char dir[TRACEFS_PATH_MAX / 2]; /* mount point of debugfs */
	struct tracefs t;
	long long budget; /* the start value of the kernel's countdown */
};

/* Finds debugfs ($SONDE_DEBUGFS, or its usual place) and the files in it. */
int injection_find(struct injection *in, struct errmsg *err);

/*
 * Lists the options that the kernel lacks, "CONFIG_A, CONFIG_B", in buf. Returns false if none is
 * known to be missing.
 */
bool injection_fmt_missing(const struct kconfig *k, char *buf, size_t n_bytes);

/* Starts the injection. j is a journal without any notes. */
int injection_start(struct injection *in, struct journal *j, const struct injection_config *c,
		    struct errmsg *err);
/*
 * Returns the number of failures, before the injection is undone. Returns a negative errno if it
 * cannot be read.
 */
long long injection_count(const struct injection *in);

#endif

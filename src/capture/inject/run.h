/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * run.h - makes kernel functions fail for one process, runs or watches it, and undoes everything.
 */
#ifndef SONDE_CAPTURE_INJECT_RUN_H
#define SONDE_CAPTURE_INJECT_RUN_H

#include "capture/inject/injectables.h"

#include <stdbool.h>

struct errmsg;

#define INJECT_COMM_BYTES 32

/* The facts that the caller reports. */
struct inject_facts {
	int pid;
	char comm[INJECT_COMM_BYTES];
	const struct fault *faults;
	size_t n_faults;
};

struct inject_config {
	const char *const *faults; /* "openat=-ENOENT", see fault_parse() */
	size_t n_faults;	   /* at most INJECTION_FAULTS_MAX */
	char **argv;		   /* the command; NULL: use the process pid */
	int pid;
	long long times, after, every, probability; /* see struct injection_config */
	long long seconds;			    /* stop after this time; 0: no limit */
	bool log;
	/*
	 * Called when calls fail from now on, only for a process that runs already. May be NULL,
	 * like the next one.
	 */
	void (*started)(void *ctx, const struct inject_facts *facts);
	/* Called when everything is undone. count is the number of failed calls. */
	void (*ended)(void *ctx, const struct inject_facts *facts, long long count);
	void *ctx;
};

/*
 * Runs an injection. Returns the exit status of the command, 0 for a process, or a negative errno.
 */
int inject_run(const struct inject_config *config, struct errmsg *err);

#endif

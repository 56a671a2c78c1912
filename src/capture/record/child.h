/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * child.h - the command that is traced: it exists before it runs, so that it can be picked out first.
 *
 *	child_start      a process that waits; the number it will run under is known
 *	child_ready      it comes out of the system call in which it waited, and waits without one
 *	child_go         it runs the command
 *	child_end        its exit status
 */
#ifndef SONDE_CAPTURE_RECORD_CHILD_H
#define SONDE_CAPTURE_RECORD_CHILD_H

#include <sys/types.h>

struct errmsg;
struct child_gate;

struct child {
	pid_t pid;
	int go_fd, error_fd, pid_fd;
	struct child_gate *gate; /* shared with it */
};

struct child_config {
	char **argv;
	const char *user;	/* NULL: as we are */
	const char *const *env; /* "NAME=VALUE" … NULL; added to the environment; may be NULL */
};

/* Refuses a command that does not exist or cannot be run. */
int child_start(struct child *ret_child, const struct child_config *config, struct errmsg *err);
/* Before tracing begins: what is traced as the command's then begins with execve(). For a short time, since it burns a CPU. */
void child_ready(struct child *c);
/* -ENOENT … with a sentence if the command cannot be run. */
int child_go(struct child *c, const char *name, struct errmsg *err);
/* Waits for its end; the status as wait() gives it. */
int child_end(struct child *c);
/* Ends one that did not go. */
void child_cancel(struct child *c);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * child.h - the traced command: its process exists before the command runs, so that it can be
 * selected first.
 *
 *	child_start      a process that waits; its pid is known
 *	child_ready      it leaves the system call in which it waited, and waits by polling
 *	child_go         it runs the command
 *	child_end        returns its exit status
 */
#ifndef SONDE_CAPTURE_RECORD_CHILD_H
#define SONDE_CAPTURE_RECORD_CHILD_H

#include <sys/types.h>

struct errmsg;
struct child_gate;

struct child {
	pid_t pid;
	int go_fd, error_fd, pid_fd;
	struct child_gate *gate; /* shared with the child */
};

struct child_config {
	char **argv;
	const char *user;	/* NULL: the current user */
	const char *const *env; /* "NAME=VALUE" … NULL; added to the environment; may be NULL */
};

/* Fails if the command does not exist or cannot be run. */
int child_start(struct child *ret_child, const struct child_config *config, struct errmsg *err);
/*
 * Call it before tracing begins: then the first traced system call of the command is execve(). Call
 * child_go() soon, since the child polls and burns a CPU.
 */
void child_ready(struct child *c);
/* Returns -ENOENT … with a message if the command cannot be run. */
int child_go(struct child *c, const char *name, struct errmsg *err);
/* Waits for its end; returns the status as from wait(). */
int child_end(struct child *c);
/* Ends a child that has not started the command. */
void child_cancel(struct child *c);

#endif

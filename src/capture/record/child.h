/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * child.h - runs the traced command. Its process exists before the command runs, so that it can be
 * selected first.
 *
 *	child_start      starts a process that waits; its pid is known
 *	child_ready      lets it leave the system call in which it waits, and wait by polling
 *	child_go         lets it run the command
 *	child_end        returns its exit status
 */
#ifndef SONDE_CAPTURE_RECORD_CHILD_H
#define SONDE_CAPTURE_RECORD_CHILD_H

#include <stdbool.h>
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
	const char *const *env; /* "NAME=VALUE" … NULL, added to the environment; may be NULL */
	bool outlives; /* the command goes on if we are killed; otherwise it gets SIGTERM */
};

/* Finds the file of a command, as execvp() does. Returns 0, -ENOENT … */
#define CHILD_FILE_BYTES 4096
int child_find(const char *name, char file[CHILD_FILE_BYTES]);
/* Starts the process. Fails if the command does not exist or cannot be run. */
int child_start(struct child *ret_child, const struct child_config *config, struct errmsg *err);
/*
 * Prepares the process before tracing begins, so that the first traced system call of the command
 * is execve(). Call child_go() soon, because the child polls and uses a CPU.
 */
void child_ready(struct child *c);
/* Runs the command. Returns -ENOENT … with a message if it cannot be run. */
int child_go(struct child *c, const char *name, struct errmsg *err);
/* Waits for the end of the process. Returns the status as from wait(). */
int child_end(struct child *c);
/* Ends a child that has not started the command. */
void child_cancel(struct child *c);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * userattached.h - the running processes of a recording (-P) that sonde attaches to.
 *
 *	userattached_open     checks all of them; nothing is touched
 *	userattached_begin    their functions are hooked; all, or none
 *	userattached_end      they are as before
 *
 * Threads: all of it belongs to one, except that the server answers the processes meanwhile.
 */
#ifndef SONDE_CAPTURE_CALLS_USERATTACHED_H
#define SONDE_CAPTURE_CALLS_USERATTACHED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct errmsg;
struct userserver;

struct userattached_one {
	pid_t pid;
	int pid_fd;
	bool is_hooked;
};

struct userattached_sum {
	size_t n_processes;
	uint64_t attach_ns, detach_ns; /* the longest time that one stood still */
	uint32_t n_failures;	       /* files whose functions could not be hooked after all */
	uint32_t n_kept;	       /* in which sonde's code stays for now */
	char why[256];		       /* a process that could not be left; "": none */
};

struct userattached {
	struct userattached_one *list;
	size_t n, cap;
	bool is_watch; /* nothing is hooked: the kernel's probes trace them */
	struct userattached_sum sum;
};

/* pids: numbers of processes or threads, as text. is_watch: as in struct userattached. */
int userattached_open(struct userattached *a, char *const *pids, size_t n, bool is_watch,
		      struct errmsg *err);
int userattached_begin(struct userattached *a, struct userserver *server, struct errmsg *err);
void userattached_end(struct userattached *a);
/* Adds a child by fork() of one of them. It has the same hooks, which are removed, too. */
void userattached_end_child(struct userattached *a, pid_t pid);
bool userattached_have_ended(const struct userattached *a);
void userattached_release(struct userattached *a);

#endif

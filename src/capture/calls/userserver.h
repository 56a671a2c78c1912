/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * userserver.h - answers programs that ask for a plan.
 *
 *	userserver_open     the socket exists; programs can ask, and wait
 *	userserver_start    a thread answers
 *	userserver_stop     no program is answered any more
 *	userserver_close
 */
#ifndef SONDE_CAPTURE_CALLS_USERSERVER_H
#define SONDE_CAPTURE_CALLS_USERSERVER_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

struct errmsg;
struct userplans;

#define USERSERVER_NAME_BYTES 64

struct userserver {
	char name[USERSERVER_NAME_BYTES]; /* of the abstract socket, and the key (SNRT_ENV) */
	int fd, stop_fds[2];		  /* a pipe: it becomes readable when the thread must end */
	int adopt_fds[2];		  /* a pipe: descriptors that are connections already */
	int rings_fd;			  /* goes to every program */
	struct userplans *plans;
	pthread_t thread;
	bool has_thread;
	uint32_t n_refused;
};

int userserver_open(struct userserver *s, struct errmsg *err);
int userserver_start(struct userserver *s, int rings_fd, struct userplans *plans,
		     struct errmsg *err);
/* Takes over a socket of a program; any thread, after the start. */
int userserver_adopt(struct userserver *s, int fd);
void userserver_stop(struct userserver *s);
void userserver_close(struct userserver *s);

#endif

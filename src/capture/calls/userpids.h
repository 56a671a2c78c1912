/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * userpids.h - threads of other pid namespaces (containers, unshare -p): their numbers here.
 */
#ifndef SONDE_CAPTURE_CALLS_USERPIDS_H
#define SONDE_CAPTURE_CALLS_USERPIDS_H

#include <stdint.h>
#include <sys/types.h>

enum userpids_result {
	USERPIDS_GONE,	  /* there is no such thread any more */
	USERPIDS_FOUND,	  /* the results are set */
	USERPIDS_UNKNOWN, /* it may exist, but /proc does not show it to us */
};

/* The namespace of a process as a number: the inode of its file in /proc. 0: unknown. */
uint64_t userpids_namespace(pid_t pid);
uint64_t userpids_own_namespace(void);

/* A thread as its namespace numbers it. Reads all of /proc. */
enum userpids_result userpids_find(uint64_t namespace, uint32_t pid, uint32_t tid,
				   uint32_t *ret_pid, uint32_t *ret_tid);

#endif

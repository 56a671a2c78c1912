/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * callpaths.h - which files the descriptors of running processes are, from /proc.
 *
 * The decoder learns paths from calls; /proc says what was open before, and what no call names:
 * pipes and sockets.
 */
#ifndef SONDE_LIVE_CALLS_CALLPATHS_H
#define SONDE_LIVE_CALLS_CALLPATHS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct syscalltext;

/* For syscalltext_options.find_path. */
int callpaths_find(void *arg, int32_t tgid, int fd, char *path, size_t n);
/* Tells a decoder what a process has open now, and its directory. */
void callpaths_add(struct syscalltext *t, int32_t pid);
/* The same for all processes. */
void callpaths_add_all(struct syscalltext *t);
/* Has the process more than one thread? */
bool callpaths_has_threads(int32_t pid);

#endif

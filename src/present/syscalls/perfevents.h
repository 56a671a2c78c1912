/* SPDX-License-Identifier: GPL-2.0-or-later */
/* perfevents.h - an event of the kernel as perf trace shows it among system calls. */
#ifndef SONDE_PRESENT_SYSCALLS_PERFEVENTS_H
#define SONDE_PRESENT_SYSCALLS_PERFEVENTS_H

#include <stdbool.h>

struct record;
struct textbuf;

struct perfevents_names {
	/* What a thread is called; "": unknown. */
	const char *(*find)(void *ctx, int pid);
	void *ctx;
};

/* Adds "sched:sched_wakeup(comm: "cat", …)". The event of the record is known. */
void perfevents_fmt(const struct record *rec, bool swap, const struct perfevents_names *names,
		    struct textbuf *tb);

#endif

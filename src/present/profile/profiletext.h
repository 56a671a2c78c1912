/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * profiletext.h - a profile for a person: which events there were and what is missing, then task by
 * task where its time went, with the stacks.
 */
#ifndef SONDE_PRESENT_PROFILE_PROFILETEXT_H
#define SONDE_PRESENT_PROFILE_PROFILETEXT_H

#include "analyse/profile/profile.h"
#include "base/textbuf.h"
#include "symbols/tables/syscalls.h"

struct profile_style {
	enum time_style time_style;
	const struct syscall_table *syscalls; /* NULL: of an unknown machine */
	const char *file, *buffer;	      /* buffer: NULL: the top one */
	bool filtered;			      /* not all events were asked for */
	bool traced;			      /* all its events were on, but some did not come */
};

/* again: not the first profile that is printed. */
void profiletext_fmt_head(const struct profile *p, const struct profile_style *style, bool again,
			  struct textbuf *tb);
/* A task without anything measured is left to the tail. */
void profiletext_fmt_task(struct profile *p, const struct profile_task *t,
			  const struct profile_style *style, struct textbuf *tb);
void profiletext_fmt_tail(const struct profile *p, struct textbuf *tb);

/* What a row is called: "sched_switch:S", "syscall:openat", "vfs_read()". Also for JSON. */
void profiletext_fmt_name(const struct profile *p, const struct profile_row *r,
			  const struct profile_style *style, struct textbuf *tb);
/* Has a row's event a first field that is a number? */
bool profiletext_has_value(const struct profile_row *r);

#endif

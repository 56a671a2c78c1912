/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * profiletext.h - prints a profile as text: the events in it, what is missing, and then for each
 * task its times, with the stacks.
 */
#ifndef SONDE_PRESENT_PROFILE_PROFILETEXT_H
#define SONDE_PRESENT_PROFILE_PROFILETEXT_H

#include "analyse/profile/profile.h"
#include "base/textbuf.h"
#include "decode/timefmt.h"
#include "symbols/tables/syscalls.h"

struct profile_style {
	enum time_style time_style;
	const struct syscall_table *syscalls; /* NULL: unknown machine */
	const char *file, *buffer;	      /* buffer NULL: the top-level buffer */
	bool filtered;			      /* the user excluded some events */
	bool traced; /* all events that a profile uses were enabled, but some did not occur */
};

/* Prints the head. again: this is not the first profile in the output. */
void profiletext_fmt_head(const struct profile *p, const struct profile_style *style, bool again,
			  struct textbuf *tb);
/* Prints a task. Skips a task without measurements, which the tail lists. */
void profiletext_fmt_task(struct profile *p, const struct profile_task *t,
			  const struct profile_style *style, struct textbuf *tb);
void profiletext_fmt_tail(const struct profile *p, struct textbuf *tb);

/* Prints the name of a row: "sched_switch:S", "syscall:openat", "vfs_read()". Also for JSON. */
void profiletext_fmt_name(const struct profile *p, const struct profile_row *r,
			  const struct profile_style *style, struct textbuf *tb);
/* Returns true if the first field of a row's event is a number. */
bool profiletext_has_value(const struct profile_row *r);

#endif

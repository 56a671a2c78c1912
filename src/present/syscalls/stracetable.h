/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stracetable.h - the summary of system calls as strace -c prints it. */
#ifndef SONDE_PRESENT_SYSCALLS_STRACETABLE_H
#define SONDE_PRESENT_SYSCALLS_STRACETABLE_H

#include "analyse/callsummary.h"

struct errmsg;
struct textbuf;

#define STRACETABLE_COLUMNS 8

/*
 * Columns from left to right (-U), as indices of a table in stracetable.c. n is 0: the usual ones.
 */
struct stracetable_columns {
	size_t n;
	unsigned char index[STRACETABLE_COLUMNS];
};

/* Parses "name,calls,max-time", each at most once; adds the name if it is not among them. */
int stracetable_choose(struct stracetable_columns *ret, const char *text, struct errmsg *err);
void stracetable_fmt(struct callsummary *s, enum callsummary_key key,
		     const struct stracetable_columns *columns, struct textbuf *tb);

#endif

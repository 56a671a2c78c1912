/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stracetable.h - the summary of system calls as strace -c prints it. */
#ifndef SONDE_PRESENT_SYSCALLS_STRACETABLE_H
#define SONDE_PRESENT_SYSCALLS_STRACETABLE_H

#include "analyse/callsummary.h"

struct textbuf;

void stracetable_fmt(struct callsummary *s, enum callsummary_key key, struct textbuf *tb);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* callstable.h - the summary of system calls as a table or as JSON. */
#ifndef SONDE_PRESENT_SYSCALLS_CALLSTABLE_H
#define SONDE_PRESENT_SYSCALLS_CALLSTABLE_H

#include "analyse/callsummary.h"

struct textbuf;

void callstable_fmt(struct callsummary *s, enum callsummary_key key, struct textbuf *tb);
void callstable_fmt_json(struct callsummary *s, enum callsummary_key key, struct textbuf *tb);

#endif

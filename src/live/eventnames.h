/* SPDX-License-Identifier: GPL-2.0-or-later */
/* eventnames.h - finds the names of a plan's events in the trace, after probes got their names. */
#ifndef SONDE_LIVE_EVENTNAMES_H
#define SONDE_LIVE_EVENTNAMES_H

struct errmsg;
struct plan_words;
struct setup;

/* Adds a name for each event of the plan's first buffer, in order. */
int eventnames_add(struct plan_words *names, struct setup *setup, struct errmsg *err);

#endif

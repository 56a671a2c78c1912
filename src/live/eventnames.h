/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * eventnames.h - what a trace calls the events of a plan, where probes have been given names.
 */
#ifndef SONDE_LIVE_EVENTNAMES_H
#define SONDE_LIVE_EVENTNAMES_H

struct errmsg;
struct plan_words;
struct setup;

/* Adds a name for each event of the plan's first buffer, in its order. */
int eventnames_add(struct plan_words *names, struct setup *setup, struct errmsg *err);

#endif

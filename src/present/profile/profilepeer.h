/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * profilepeer.h - prints a profile as trace-cmd report --profile does, for scripts that parse that
 * text.
 */
#ifndef SONDE_PRESENT_PROFILE_PROFILEPEER_H
#define SONDE_PRESENT_PROFILE_PROFILEPEER_H

#include "analyse/profile/profile.h"
#include "base/textbuf.h"

/* Prints a task. The profile must have been counted with as_trace_cmd. */
void profilepeer_fmt_task(struct profile *p, const struct profile_task *t, struct textbuf *tb);

/* Prints the line that trace-cmd prints for every hook that it reads. */
void profilepeer_fmt_hook(const struct profile_hook *h, struct textbuf *tb);

#endif

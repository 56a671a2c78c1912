/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * session_int.h - between session.c and tasktext.c.
 */
#ifndef SONDE_SYMBOLS_UFTRACE_SESSION_INT_H
#define SONDE_SYMBOLS_UFTRACE_SESSION_INT_H

#include "symbols/uftrace/session.h"

#define UFT_NAMES_MAX_BYTES (1u << 30)

struct uft_session *uft_session_of_pid(const struct uft_names *n, int pid, uint64_t time_ns);
/* Reads the lines of task.txt, and the files that they name. 0 or -ENOMEM. */
int uft_names_parse_tasks(struct uft_names *n, const char *text);

#endif

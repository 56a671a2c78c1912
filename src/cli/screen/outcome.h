/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * outcome.h - the sentence that closes a recording: what is in the file, what is not, what it cost.
 *
 *	t.dat: 13 events, 0.9 MB, none lost; overhead 0.2 %
 *
 * Always on standard error: standard output belongs to the command that was recorded.
 */
#ifndef SONDE_CLI_SCREEN_OUTCOME_H
#define SONDE_CLI_SCREEN_OUTCOME_H

#include "base/textbuf.h"
#include "live/remote/guests.h"
#include "live/record.h"

void outcome_show(const struct live_request *o, const struct record_outcome *oc);

struct netrecord_sent;

/* "host:port: 1.2 MB sent in 3.001 s" */
void outcome_show_sent(const struct netrecord_sent *sent);
/* "g.dat: 120 events, 0.9 MB; guest web: 2 CPUs, times synchronised" */
void outcome_show_guest(const struct guest_outcome *g);

/*
 * For who knows less: "t.dat: 13 events, 0.9 MB, none lost". n_counted, what the kernel counted, is for a
 * file that is too large to count. fd: recording_dup(), or -1.
 */
void outcome_show_file(int fd, const char *path, uint64_t n_counted, uint64_t n_lost);
/* The first half of that. Returns the number of events. */
uint64_t outcome_add_file(struct textbuf *tb, int fd, const char *path, uint64_t n_counted);

#endif

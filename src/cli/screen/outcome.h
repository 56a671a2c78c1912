/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * outcome.h - prints the last message of a recording: contents of the file, losses, overhead.
 *
 *	t.dat: 13 events, 0.9 MB, none lost; overhead 0.2 %
 *
 * It is always printed to standard error, because standard output belongs to the recorded command.
 */
#ifndef SONDE_CLI_SCREEN_OUTCOME_H
#define SONDE_CLI_SCREEN_OUTCOME_H

#include "base/textbuf.h"
#include "live/remote/guests.h"
#include "live/record.h"

void outcome_show(const struct live_request *o, const struct record_outcome *oc);

struct netrecord_sent;

/* Prints "host:port: 1.2 MB sent in 3.001 s". */
void outcome_show_sent(const struct netrecord_sent *sent);
/* Prints "g.dat: 120 events, 0.9 MB; guest web: 2 CPUs, times synchronised". */
void outcome_show_guest(const struct guest_outcome *g);

/*
 * Prints "t.dat: 13 events, 0.9 MB, none lost", for callers without a struct record_outcome.
 * n_counted is the kernel's number of events, for a file that is too large to count. fd is the
 * result of recording_dup(), or -1.
 */
void outcome_show_file(int fd, const char *path, uint64_t n_counted, uint64_t n_lost);

#endif

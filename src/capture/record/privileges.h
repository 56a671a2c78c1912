/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * privileges.h - a recorder gives up what it will not need.
 */
#ifndef SONDE_CAPTURE_RECORD_PRIVILEGES_H
#define SONDE_CAPTURE_RECORD_PRIVILEGES_H

#include <stdint.h>

/*
 * Gives up the capabilities that recording and putting back do not need, for this thread and those it
 * starts later. Who has none, or may not, goes on as before.
 * also_kept: bits of CAP_…, what this recording needs besides.
 */
void privileges_drop(uint64_t also_kept);

#endif

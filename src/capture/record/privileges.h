/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * privileges.h - drops the privileges that a recorder does not need.
 */
#ifndef SONDE_CAPTURE_RECORD_PRIVILEGES_H
#define SONDE_CAPTURE_RECORD_PRIVILEGES_H

#include <stdint.h>

/*
 * Drops the capabilities that recording and restoring do not need, for this thread and those that
 * it starts later. Does nothing if there are none, or if it is not allowed. also_kept: further
 * capabilities (bits of CAP_…) that this recording needs.
 */
void privileges_drop(uint64_t also_kept);

#endif

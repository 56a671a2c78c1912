/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * extract.h - what the kernel's buffers hold now, into a file.
 */
#ifndef SONDE_LIVE_KERNEL_EXTRACT_H
#define SONDE_LIVE_KERNEL_EXTRACT_H

#include "base/errmsg.h"
#include "capture/record/recording.h"
#include "capture/tracefs/instances.h"

/*
 * Extracts the selected instances. keep: their buffers continue afterwards; otherwise they stay
 * stopped, and *ret_stopped says whether one of them was running before.
 */
int live_extract(const struct instance_args *args, const struct recording_config *config, bool keep,
		 bool *ret_stopped, struct errmsg *err);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mark.h - writes a message into the running traces.
 */
#ifndef SONDE_LIVE_KERNEL_MARK_H
#define SONDE_LIVE_KERNEL_MARK_H

#include "base/errmsg.h"
#include "capture/tracefs/instances.h"

#define LIVE_MARK_MAX_BYTES 4096 /* no kernel accepts more */

struct live_mark {
	char bytes[LIVE_MARK_MAX_BYTES];
	size_t len;
	const char *file; /* trace_marker or trace_marker_raw */
	bool was_cut;	  /* live_mark_write() sets it: the kernel accepted only a part */
};

/* Writes the mark to the selected instances; if none is selected, wherever something is traced. */
int live_mark_write(struct live_mark *m, const struct instance_args *args, struct errmsg *err);

#endif

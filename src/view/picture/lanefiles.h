/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lanefiles.h - which of several files, or buffers, a lane is made of: said with its name.
 */
#ifndef SONDE_VIEW_PICTURE_LANEFILES_H
#define SONDE_VIEW_PICTURE_LANEFILES_H

#include "view/stage.h"

/* What a source is called beside others: "trace.dat", "trace.dat:instance", "instance"; "" where there is only one. */
const char *stage_source_name(const struct stage *st, size_t source);

/* What the lane is about; the others are -1 or NULL. */
struct lane_about {
	uint32_t machine;
	int64_t cpu, pid;
	const char *events[2]; /* "system/name" */
};
/* "a.dat", "3 files", or "" where there is only one, or none. */
void lane_files_fmt(const struct stage *st, const struct lane_about *about, char *buf, size_t size);

#endif

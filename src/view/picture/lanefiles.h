/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lanefiles.h - names the file or buffer of a lane, if there are several. */
#ifndef SONDE_VIEW_PICTURE_LANEFILES_H
#define SONDE_VIEW_PICTURE_LANEFILES_H

#include "view/stage.h"

/*
 * Returns the name that distinguishes a source from the others: "trace.dat", "trace.dat:instance",
 * "instance"; "" if there is only one.
 */
const char *stage_source_name(const struct stage *st, size_t source);

/* The subject of a lane; unused members are -1 or NULL. */
struct lane_about {
	uint32_t machine;
	int64_t cpu, pid;
	const char *events[2]; /* "system/name" */
};
/* Writes "a.dat", "3 files", or "" if there is only one, or none. */
void lane_files_fmt(const struct stage *st, const struct lane_about *about, char *buf, size_t size);

#endif

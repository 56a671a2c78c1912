/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lanewords.h - what a lane is called, where it stands, how high it is: as on the page (web/lanes.js).
 *
 * A lane is known by its spec; people know it as "CPU 0", as "bash 1234", as "vCPU 1, host thread 802". Lanes
 * of a kind stand in one section, sections under their machine.
 */
#ifndef SONDE_VIEW_PICTURE_LANEWORDS_H
#define SONDE_VIEW_PICTURE_LANEWORDS_H

#include "view/stage.h"

struct lane_words {
	char name[160], more[512]; /* more: what else is to say, may be empty */
	const char *section;	   /* "CPUs" */
	uint32_t machine;
	unsigned height; /* of the lane; 0: it nests, row_height times its rows */
	unsigned row_height;
};

/* A spec that is none gets its own text as its name, and the section "". */
void lane_words_get(const struct stage *st, const char *spec, struct lane_words *ret);

/* A good first choice of lanes for a trace, in the order of the page. */
void first_lanes_find(struct stage *st, void (*add)(void *ctx, const char *spec), void *ctx);
/* The CPUs of a machine, each once, ascending; returns how many. */
size_t machine_cpus(const struct stage *st, uint32_t machine, uint32_t *cpus, size_t max);

#endif

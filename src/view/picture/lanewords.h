/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lanewords.h - the name, section and height of a lane, as on the page (web/lanes.js).
 *
 * The code names a lane by its spec; the user sees "CPU 0", "bash 1234" or "vCPU 1, host thread
 * 802". Lanes of one kind form a section, sections belong to their machine.
 */
#ifndef SONDE_VIEW_PICTURE_LANEWORDS_H
#define SONDE_VIEW_PICTURE_LANEWORDS_H

#include "view/stage.h"

struct lane_words {
	char name[160], more[512]; /* more: additional text, may be empty */
	const char *section;	   /* "CPUs" */
	uint32_t machine;
	unsigned height; /* height of the lane; 0: row_height times its rows, for nested spans */
	unsigned row_height;
};

/* Finds the words of a lane. An invalid spec gets its own text as its name, and the section "". */
void lane_words_get(const struct stage *st, const char *spec, struct lane_words *ret);

/* Chooses the first lanes of a trace, in the order of the page. */
void first_lanes_find(struct stage *st, void (*add)(void *ctx, const char *spec), void *ctx);
/* Lists the CPUs of a machine, each once, ascending. Returns their number. */
size_t machine_cpus(const struct stage *st, uint32_t machine, uint32_t *cpus, size_t max);

#endif

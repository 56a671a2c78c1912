/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * userbudget.h - keeps the cost of tracing below a limit: switches off functions, first those with
 * the highest cost and the least value.
 *
 *	userbudget_step     after each usercost_step(): too expensive? then which functions
 *
 * A function has little value if it is called often, is short, and calls no traced function. A
 * function that was switched off stays off until a user switches it on; then it stays on.
 *
 * One thread.
 */
#ifndef SONDE_CAPTURE_STEER_USERBUDGET_H
#define SONDE_CAPTURE_STEER_USERBUDGET_H

#include "capture/steer/userstats.h"

#include <stddef.h>

struct usercost;
struct userswitch;

struct userbudget {
	double percent; /* 0: no limit */
	const struct userstats *stats;
	struct userswitch *switches;
	struct userstats_count *last; /* by number, of the last step */
	size_t cap;
};

void userbudget_release(struct userbudget *b);
/* n_functions: that have numbers. Returns how many functions it switched off. */
size_t userbudget_step(struct userbudget *b, const struct usercost *cost, uint32_t n_functions);

#endif

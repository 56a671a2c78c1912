/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bootline.h - converts a plan to parameters of the kernel's command line (--boot). */
#ifndef SONDE_CAPTURE_BOOTLINE_H
#define SONDE_CAPTURE_BOOTLINE_H

#include "capture/plan.h"

struct errmsg;
struct textbuf;

/*
 * Adds the parameters, each with a space before it. tell() gets one sentence for each part of the
 * plan that is not possible from boot.
 */
int bootline_fmt(const struct plan *plan, struct textbuf *tb, void (*tell)(const char *sentence),
		 struct errmsg *err);

#endif

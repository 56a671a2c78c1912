/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bootline.h - a plan as parameters of the kernel's command line (--boot).
 */
#ifndef SONDE_CAPTURE_BOOTLINE_H
#define SONDE_CAPTURE_BOOTLINE_H

#include "capture/plan.h"

struct errmsg;
struct textbuf;

/* Adds the parameters, each with a space before it. tell: what cannot be done from boot, a sentence each. */
int bootline_fmt(const struct plan *plan, struct textbuf *tb, void (*tell)(const char *sentence),
		 struct errmsg *err);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bootline.h - a plan as parameters of the kernel's command line (--boot).
 */
#ifndef SONDE_CLI_BOOTLINE_H
#define SONDE_CLI_BOOTLINE_H

#include "capture/plan.h"

/* Prints the line to standard output, and what cannot be done from boot to standard error. */
int bootline_print(const struct plan *plan, struct errmsg *err);

#endif

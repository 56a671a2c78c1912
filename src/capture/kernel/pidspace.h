/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pidspace.h - whether the numbers of tasks that we know are those that the kernel traces by.
 */
#ifndef SONDE_CAPTURE_KERNEL_PIDSPACE_H
#define SONDE_CAPTURE_KERNEL_PIDSPACE_H

#include "capture/plan.h"

#include <stdbool.h>

struct errmsg;

bool pidspace_is_kernels(void);
/* -ENOTSUP with a sentence if the plan chooses tasks by numbers that are not the kernel's. */
int pidspace_check(const struct plan *plan, struct errmsg *err);

#endif

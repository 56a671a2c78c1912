/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pidspace.h - checks whether our pids are those by which the kernel traces. */
#ifndef SONDE_CAPTURE_KERNEL_PIDSPACE_H
#define SONDE_CAPTURE_KERNEL_PIDSPACE_H

#include "capture/plan.h"

#include <stdbool.h>

struct errmsg;

bool pidspace_is_kernels(void);
/* Returns -ENOTSUP with a message if the plan selects tasks by pids that are not the kernel's. */
int pidspace_check(const struct plan *plan, struct errmsg *err);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stackpid.h - `sonde stack PID…`: prints the stacks of all threads of processes. */
#ifndef SONDE_CLI_KERNEL_STACKPID_H
#define SONDE_CLI_KERNEL_STACKPID_H

#include <stdbool.h>

struct errmsg;

struct stackpid_choice {
	bool no_kernel, no_user, is_json;
};

int stackpid_show(int n, char **pids, const struct stackpid_choice *choice, struct errmsg *err);

#endif

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * none.c - for processors on which sonde cannot attach yet: says so.
 *
 * Attaching changes registers of stopped threads, and the runtime keeps its variables in a part of
 * the thread control block; both are known for x86-64 only. Commands that sonde starts are traced
 * here as usual: their runtime is preloaded.
 */
#include "capture/attach/attach.h"

#include "base/errmsg.h"

#include <errno.h>

int attach_check(pid_t *pid, struct errmsg *err)
{
	return errmsg_set(
		err, -ENOTSUP,
		"sonde cannot attach to process %d: on this processor it traces functions "
		"only of commands that it starts",
		(int)*pid);
}

int attach_find_process(pid_t *pid, struct errmsg *err)
{
	return attach_check(pid, err);
}

int attach_begin(pid_t pid, const struct attach_config *config, struct attach_result *ret,
		 struct errmsg *err)
{
	(void)config;
	*ret = (struct attach_result){0};
	return attach_check(&pid, err);
}

int attach_end(pid_t pid, struct attach_result *ret, struct errmsg *err)
{
	(void)pid;
	(void)err;
	*ret = (struct attach_result){0};
	return 0;
}

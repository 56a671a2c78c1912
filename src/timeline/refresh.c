// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * refresh.c - a file that is being recorded: what came since it was looked at last.
 */
#include "timeline/timeline_int.h"

int timeline_refresh(struct timeline *tl, struct errmsg *err)
{
	return 0;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sidecar.c - the index in a file of the user's cache, for reopening.
 */
#include "timeline/timeline_int.h"

bool sidecar_open(struct timeline *tl, const char *cache_dir)
{
	return false;
}

void sidecar_save(struct timeline *tl)
{
}

void sidecar_close(struct timeline *tl)
{
}

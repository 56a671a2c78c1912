/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * stoppipe.h - a pipe by which one thread tells another to end.
 *
 * The other one polls fds[0]. A byte makes it readable; if that cannot be written, closing the
 * other end does. Closing alone is not enough: a child that was forked meanwhile still holds that
 * end.
 */
#ifndef SONDE_BASE_STOPPIPE_H
#define SONDE_BASE_STOPPIPE_H

#include <unistd.h>

static inline void stoppipe_stop(int fds[2])
{
	(void)!write(fds[1], "", 1);
	close(fds[1]);
	fds[1] = -1;
}

#endif

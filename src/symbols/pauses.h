/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * pauses.h - when the recording of user functions was switched off, and on again (sonde ctl).
 *
 *	pauses_parse ─▶ pauses_overlap … ─▶ pauses_release
 *
 * The recorder writes the times (capture/calls/plans/text.c).
 */
#ifndef SONDE_SYMBOLS_PAUSES_H
#define SONDE_SYMBOLS_PAUSES_H

#include "format/bytes.h"

struct pause {
	uint64_t from, to; /* of the events; to: UINT64_MAX if it was not switched on again */
};

struct pauses {
	struct pause *list; /* in the order of time */
	size_t n, cap;
};

/*
 * Reads the lines "S 0 ON NS …" of the text, and ignores all others. Returns 0, or -ENOMEM if there
 * are too many; the first ones are known then.
 */
int pauses_parse(struct pauses *p, struct piece text);
void pauses_release(struct pauses *p);
/* How much of the time between `from` and `to` they cover. */
uint64_t pauses_overlap(const struct pauses *p, uint64_t from, uint64_t to);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * syncclock.h - a separate trace buffer for time sync (wire/sync/timesync.h), with marks and their
 * times.
 */
#ifndef SONDE_LIVE_REMOTE_SYNCCLOCK_H
#define SONDE_LIVE_REMOTE_SYNCCLOCK_H

#include "capture/record/session.h"
#include "decode/walker.h"
#include "wire/sync/timesync.h"

struct syncclock {
	struct sync_clock clock; /* the caller passes a pointer to this */
	const struct tracefs *t;
	char instance[64];
	int marker_fd;
	unsigned n_cpus;
	uint32_t page_size;
	uint8_t *page;
	struct page_layout layout;
	uint32_t event_id, id_offset;
};

/*
 * Creates an instance with this clock, which the session's journal removes at the latest. `number`
 * distinguishes several instances.
 */
int syncclock_open(struct syncclock *sc, struct session *s, const char *clock, unsigned number,
		   struct errmsg *err);
void syncclock_close(struct syncclock *sc);

#endif

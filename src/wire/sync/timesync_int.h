/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * timesync_int.h - the protocols for timesync.c. Each function takes one sample.
 */
#ifndef SONDE_WIRE_SYNC_TIMESYNC_INT_H
#define SONDE_WIRE_SYNC_TIMESYNC_INT_H

#include "format/bytes.h"
#include "store/guestopts.h"
#include "wire/channel.h"
#include "wire/sync/timesync.h"

/* time limit for a guest that has already read its symbols, see TIMESYNC_STEP_MS */
#define SYNC_LATER_MS 60000

/*
 * Reads the next step of this protocol. Its payload is valid until the next call. Returns -EPROTO
 * for another protocol.
 */
int sync_read(struct channel *c, const char *proto, struct message_sync *ret, struct errmsg *err);
int sync_write(struct channel *c, const char *proto, uint32_t id, struct piece payload,
	       struct errmsg *err);

/* Takes one sample. `series` counts the samples. */
int ptp_ask(struct channel *c, const struct sync_clock *clock, uint32_t series, struct errmsg *err);
int ptp_answer(struct channel *c, const struct sync_clock *clock, struct sync_sample *ret,
	       struct errmsg *err);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * livepages_int.h - the output side of livepages.c, for pagestream.c, and its end. For this room
 * only.
 */
#ifndef SONDE_STORE_LIVE_LIVEPAGES_INT_H
#define SONDE_STORE_LIVE_LIVEPAGES_INT_H

#include "store/live/livepages.h"

struct chunk;

/*
 * 1: *ret_chunk is the next one of that CPU, and belongs to the caller. 0: the end. -EAGAIN: none
 * yet; everything that the CPU wrote before round *ret_round began has been taken.
 */
int livepages_take(struct livepages *lp, size_t buffer, uint32_t cpu, struct chunk **ret_chunk,
		   uint64_t *ret_round);

void livepages_free(struct livepages *lp);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* livepages_int.h - the output side of livepages.c, which pagestream.c uses. For this room only. */
#ifndef SONDE_STORE_LIVE_LIVEPAGES_INT_H
#define SONDE_STORE_LIVE_LIVEPAGES_INT_H

#include "store/live/livepages.h"

struct chunk;

/*
 * Takes the next chunk of a CPU. Returns 1 with *ret_chunk, which then belongs to the caller, or 0
 * at the end. Returns -EAGAIN if there is none yet; then everything that the CPU wrote before round
 * *ret_round began has been taken.
 */
int livepages_take(struct livepages *lp, size_t buffer, uint32_t cpu, struct chunk **ret_chunk,
		   uint64_t *ret_round);

void livepages_free(struct livepages *lp);

#endif

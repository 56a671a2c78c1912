/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * livepages.h - a trace that is read while the kernel writes it.
 *
 * tracefile_open_live() makes a tracefile from texts in memory, without a file. A recorder adds the
 * sub-buffers as it reads them, pagestream_next() returns them, and everything that works on a file
 * (sequence, lines, analyses) works on it.
 *
 *	the recorder's thread                       the thread that decodes
 *	    livepages_begin_round                       sequence_fill …
 *	        livepages_has_room  ┐
 *	        livepages_add …     ├ every CPU
 *	        livepages_set_read  ┘
 *	    … sleep, next round
 *	livepages_end
 *
 * A round reads every CPU once, without waiting. Rounds bring the CPUs into time order although
 * each is read at another time: see livepages.c. All functions are thread-safe; the sub-buffers of
 * one CPU must be added in order.
 */
#ifndef SONDE_STORE_LIVE_LIVEPAGES_H
#define SONDE_STORE_LIVE_LIVEPAGES_H

#include "format/bytes.h"
#include "store/tracefile.h"

struct errmsg;
struct livepages;

struct live_buffer {
	const char *name;  /* "": the top instance */
	const char *clock; /* NULL: unknown */
	uint32_t page_size;
	uint32_t n_cpus; /* CPUs 0 … n_cpus - 1, including offline ones */
};

struct live_config {
	const char *name; /* for messages, like the path of a file */
	/* Texts and options' data must stay valid until tracefile_close(). */
	struct piece texts[TRACEFILE_TEXT_KINDS];
	const struct tracefile_option *options; /* SNF_OPTION_UNAME, SNF_OPTION_TRACECLOCK, … */
	size_t n_options;
	const struct live_buffer *buffers;
	size_t n_buffers;
	size_t max_bytes; /* limit of sub-buffers that wait to be decoded; 0: 64 MB */
};

int tracefile_open_live(struct tracefile **ret_file, const struct live_config *config,
			struct errmsg *err);
/*
 * Returns the object to which the sub-buffers of a live trace are added, or NULL if the trace is a
 * file.
 */
struct livepages *tracefile_livepages(const struct tracefile *tf);

/*
 * --- the recorder --------------------------------------------------------------------------------
 */

/* Starts a new round and returns its number. The round before is complete. */
uint64_t livepages_begin_round(struct livepages *lp);
/*
 * Returns false if enough data waits to be decoded: the recorder must not read this CPU now. The
 * kernel's buffer then fills up and counts its losses. A CPU with little waiting data always has
 * room, because the others might wait for it.
 */
bool livepages_has_room(struct livepages *lp, size_t buffer, uint32_t cpu);
/*
 * Adds a copy of one sub-buffer, full or not. Returns -EINVAL if there is no such CPU or the
 * sub-buffer is too large, or -ENOMEM.
 */
int livepages_add(struct livepages *lp, size_t buffer, uint32_t cpu, const void *page,
		  size_t n_bytes);
/*
 * Reports that this CPU had no more data when a read that began in `round` ended. Use UINT64_MAX
 * for a CPU that is not read any more (offline). A CPU that is neither read nor reported empty
 * blocks all others.
 */
void livepages_set_read(struct livepages *lp, size_t buffer, uint32_t cpu, uint64_t round);
/* Announces that no more sub-buffers of any CPU will come. */
void livepages_end(struct livepages *lp);

/*
 * --- the other side ------------------------------------------------------------------------------
 */

/* Returns the bytes of sub-buffers that wait to be decoded. */
size_t livepages_waiting_bytes(struct livepages *lp);

#endif

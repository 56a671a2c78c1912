/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * livepages.h - a trace that is looked at while the kernel writes it.
 *
 * tracefile_open_live() makes a tracefile of texts in memory; no file is behind it. A recorder hands in
 * the sub-buffers as it reads them, pagestream_next() hands them out, and all that can be done with a
 * file (sequence, lines, analyses) works on it.
 *
 *	the recorder's thread                       the thread that decodes
 *	    livepages_begin_round                       livepages_wait
 *	        livepages_has_room  ┐                   sequence_fill …
 *	        livepages_add …     ├ every CPU
 *	        livepages_set_read  ┘
 *	    … nap, next round
 *	livepages_end
 *
 * A round is one look at every CPU, without waiting. Rounds are what puts the CPUs in order of time
 * though each is read when its turn comes: see livepages.c. Everything here may be called from any
 * thread; the sub-buffers of one CPU must come in their order.
 */
#ifndef SONDE_STORE_LIVE_LIVEPAGES_H
#define SONDE_STORE_LIVE_LIVEPAGES_H

#include "store/tracefile.h"

struct errmsg;
struct livepages;

struct live_buffer {
	const char *name;  /* "": the top instance */
	const char *clock; /* NULL: not known */
	uint32_t page_size;
	uint32_t n_cpus; /* CPUs 0 … n_cpus - 1; those that are offline, too */
};

struct live_config {
	const char *name; /* for messages, like the path of a file */
	/* The caller keeps texts and options' data until tracefile_close(). */
	struct piece texts[TRACEFILE_TEXT_KINDS];
	const struct tracefile_option *options; /* SNF_OPTION_UNAME, SNF_OPTION_TRACECLOCK, … */
	size_t n_options;
	const struct live_buffer *buffers;
	size_t n_buffers;
	size_t max_bytes; /* of sub-buffers that wait to be decoded; 0: 64 MB */
};

int tracefile_open_live(struct tracefile **ret_file, const struct live_config *config,
			struct errmsg *err);
/* Where the sub-buffers of a live trace go in; NULL: it is a file. */
struct livepages *tracefile_livepages(const struct tracefile *tf);

/* --- the recorder -------------------------------------------------------------------------------- */

/* Returns the number of the round that begins; the one before is complete. */
uint64_t livepages_begin_round(struct livepages *lp);
/*
 * False: enough waits to be decoded, do not read this CPU now. The kernel's buffer then fills up and
 * counts what it loses. A CPU of which little waits always has room, or the others might wait for it.
 */
bool livepages_has_room(struct livepages *lp, size_t buffer, uint32_t cpu);
/* One sub-buffer, full or not; it is copied. -EINVAL: no such CPU, or too large; -ENOMEM. */
int livepages_add(struct livepages *lp, size_t buffer, uint32_t cpu, const void *page,
		  size_t n_bytes);
/*
 * Nothing is left on this CPU, as a look that began in `round` showed. For a CPU that is not read any
 * more (offline): UINT64_MAX. One that is neither read nor said to be empty holds all others up.
 */
void livepages_set_read(struct livepages *lp, size_t buffer, uint32_t cpu, uint64_t round);
/* There will be no more of any CPU. */
void livepages_end(struct livepages *lp);

/* --- the other side ------------------------------------------------------------------------------ */

/*
 * Waits until a round begins that is not *round (set to it), or the end, or timeout_ms have passed.
 * 1: a new round; 0: the time is up; -EPIPE: the end, all pages are in.
 */
int livepages_wait(struct livepages *lp, uint64_t *round, int timeout_ms);

/* Bytes of sub-buffers that wait. */
size_t livepages_waiting_bytes(struct livepages *lp);

#endif

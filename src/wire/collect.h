/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * collect.h - a trace.dat out of what comes over a network: first what is known about the kernel,
 * then pages of many CPUs at once.
 *
 *	collector_open
 *	    collector_add_head …       bytes of the metadata, as they come
 *	collector_start                they are whole (where the protocol says so)
 *	    collector_add_bytes        pages, by one thread for each CPU
 *	    collector_add_late         names of tasks and statistics that came after the data
 *	    collector_flush            now and then
 *	collector_finish               the file has its name
 *
 * Whatever came is kept: a session that breaks off is finished like one that ends well. If we die
 * ourselves, the target has what came up to the last flush, or there are TARGET.head and TARGET.cpuN, of
 * which `sonde restore -i TARGET.head TARGET.cpu*` makes a trace (see collect.c).
 */
#ifndef SONDE_WIRE_COLLECT_H
#define SONDE_WIRE_COLLECT_H

#include "format/bytes.h"

struct errmsg;
struct collector;

#define COLLECT_HEAD_MAX (256u << 20) /* bytes of metadata: symbols and formats are some 20 MB */
#define COLLECT_LATE_MAX (64u << 20)

struct collector_config {
	const char *path;
	uint32_t n_cpus, page_size; /* page_size: what the client says, until its metadata does */
	uint64_t max_bytes;	    /* of all pages; 0: no limit */
};

struct collector_result {
	uint64_t n_bytes; /* of pages */
	uint64_t n_short; /* datagrams that were no whole page */
	uint32_t n_cpus;  /* that sent something */
};

int collector_open(struct collector **ret_collector, const struct collector_config *config,
		   struct errmsg *err);
/* -EFBIG beyond COLLECT_HEAD_MAX, or what the disk says. */
int collector_add_head(struct collector *c, struct piece bytes, struct errmsg *err);
/* The head is whole. -EBADMSG if it is none. */
int collector_start(struct collector *c, struct errmsg *err);

/*
 * The next bytes of a CPU's stream of pages; `datagram`: they are a page of their own, whatever was
 * lost before. 0 or -ENOSPC, -EFBIG (the limit) …; once it failed it fails for all.
 */
int collector_add_bytes(struct collector *c, uint32_t cpu, struct piece bytes, bool datagram);
/* Options that came late: u16 id, u32 size, data; the id of command lines has their text. */
int collector_add_late(struct collector *c, struct piece bytes, struct errmsg *err);
/* By the thread of the CPU, now and then: what came so far is ready for collector_flush(). */
void collector_flush_cpu(struct collector *c, uint32_t cpu);
/* What came so far survives our death. By the thread of the session. */
int collector_flush(struct collector *c, struct errmsg *err);

/* After all threads are done with it. Frees c in any case. -ENODATA: nothing came, there is no file. */
int collector_finish(struct collector *c, struct collector_result *ret, struct errmsg *err);

#endif

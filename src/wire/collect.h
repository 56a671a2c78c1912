/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * collect.h - makes a trace.dat from data that comes over a network: first the metadata of the
 * kernel, then pages of many CPUs at once.
 *
 *	collector_open
 *	    collector_add_head …       bytes of the metadata, as they come
 *	collector_start                the metadata is complete (if the protocol says so)
 *	    collector_add_bytes        pages, by one thread for each CPU
 *	    collector_add_late         names of tasks and statistics that came after the data
 *	    collector_flush            regularly
 *	collector_finish               the file has its name
 *
 * All received data is kept: a session that breaks off is completed like one that ends well. If we
 * die ourselves, the target has the data up to the last flush, or there are TARGET.head and
 * TARGET.cpuN, from which `sonde restore -i TARGET.head TARGET.cpu*` makes a trace (see collect.c).
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
	uint32_t n_cpus, page_size; /* page_size: from the client, until its metadata is there */
	uint64_t max_bytes;	    /* of all pages; 0: no limit */
};

struct collector_result {
	uint64_t n_bytes; /* of pages */
	uint64_t n_short; /* datagrams that were not a whole page */
	uint32_t n_cpus;  /* CPUs that sent something */
};

int collector_open(struct collector **ret_collector, const struct collector_config *config,
		   struct errmsg *err);
/* -EFBIG beyond COLLECT_HEAD_MAX, or an error of the disk. */
int collector_add_head(struct collector *c, struct piece bytes, struct errmsg *err);
/* The metadata is complete. -EBADMSG if it is invalid. */
int collector_start(struct collector *c, struct errmsg *err);

/*
 * The next bytes of a CPU's stream of pages; `datagram`: they are a separate page, whatever was
 * lost before. Returns 0 or -ENOSPC, -EFBIG (the limit) …; after a failure it fails for all CPUs.
 */
int collector_add_bytes(struct collector *c, uint32_t cpu, struct piece bytes, bool datagram);
/* Late options: u16 id, u32 size, data; the id of command lines has their text. */
int collector_add_late(struct collector *c, struct piece bytes, struct errmsg *err);
/* Called regularly by the thread of the CPU: makes its data ready for collector_flush(). */
void collector_flush_cpu(struct collector *c, uint32_t cpu);
/* Data up to now survives our death. Called by the thread of the session. */
int collector_flush(struct collector *c, struct errmsg *err);

/*
 * Call it when no thread uses the collector any more. Always frees c. -ENODATA: nothing was
 * received, there is no file.
 */
int collector_finish(struct collector *c, struct collector_result *ret, struct errmsg *err);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * collect.h - makes a trace.dat from data that comes over a network: first the metadata of the
 * kernel, then pages of many CPUs at once.
 *
 *	collector_open
 *	    collector_add_head …       bytes of the metadata, as they come
 *	collector_start                the metadata is complete (if the protocol reports it)
 *	    collector_add_bytes        pages, by one thread for each CPU
 *	    collector_add_late         names of tasks and statistics that came after the data
 *	    collector_flush            regularly
 *	collector_finish               the file has its name
 *
 * All received data is kept: a broken session is completed like one that ends normally. If this
 * process dies, the target has the data up to the last flush, or there are TARGET.head and
 * TARGET.cpuN, from which `sonde restore -i TARGET.head TARGET.cpu*` makes a trace (see collect.c).
 */
#ifndef SONDE_WIRE_COLLECT_H
#define SONDE_WIRE_COLLECT_H

#include "format/bytes.h"

struct errmsg;
struct collector;

#define COLLECT_HEAD_MAX (256u << 20) /* limit of metadata; symbols and formats have about 20 MB */
#define COLLECT_LATE_MAX (64u << 20)

struct collector_config {
	const char *path;
	/* page_size is from the client, until its metadata has arrived */
	uint32_t n_cpus, page_size;
	uint64_t max_bytes; /* limit of all pages; 0: no limit */
};

struct collector_result {
	uint64_t n_bytes; /* size of the pages */
	uint64_t n_short; /* datagrams that were not a whole page */
	uint32_t n_cpus;  /* number of CPUs that sent data */
};

int collector_open(struct collector **ret_collector, const struct collector_config *config,
		   struct errmsg *err);
/* Adds bytes of the metadata. Returns -EFBIG beyond COLLECT_HEAD_MAX, or an error of the disk. */
int collector_add_head(struct collector *c, struct piece bytes, struct errmsg *err);
/* Notes that the metadata is complete. Returns -EBADMSG if it is invalid. */
int collector_start(struct collector *c, struct errmsg *err);

/*
 * Adds the next bytes of a CPU's stream of pages. `datagram`: they are a separate page, even if
 * data was lost before. Returns 0 or -ENOSPC, -EFBIG (the limit) …; after a failure it fails for
 * all CPUs.
 */
int collector_add_bytes(struct collector *c, uint32_t cpu, struct piece bytes, bool datagram);
/* Adds late options: u16 id, u32 size, data. The data of the command lines' id is their text. */
int collector_add_late(struct collector *c, struct piece bytes, struct errmsg *err);
/* Makes the data of a CPU ready for collector_flush(). The thread of the CPU calls it regularly. */
void collector_flush_cpu(struct collector *c, uint32_t cpu);
/*
 * Makes the data up to now survive the death of this process. The thread of the session calls it.
 */
int collector_flush(struct collector *c, struct errmsg *err);

/*
 * Completes the file, when no thread uses the collector any more. Always frees c. Returns -ENODATA
 * if nothing was received; then there is no file.
 */
int collector_finish(struct collector *c, struct collector_result *ret, struct errmsg *err);

#endif

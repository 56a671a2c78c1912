/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perfrecord.h - reads the records that the kernel writes into the ring of a perf event.
 *
 * All events of a sampling have the same trailer behind records that are no samples:
 *
 *	u32 pid, tid   u64 time   u32 cpu, 0   u64 id
 *
 * The records come from the kernel, but the same bytes are in files of others: every length is
 * checked. Pointers of the results point into the record.
 */
#ifndef SONDE_CAPTURE_PERF_PERFRECORD_H
#define SONDE_CAPTURE_PERF_PERFRECORD_H

#include "format/bytes.h"

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What every event of a sampling has, so that records can be sorted before they are read. */
#define PERFRECORD_ALWAYS                                                               \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | \
	 PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD)
#define PERFRECORD_TRAILER_BYTES 32
#define PERFRECORD_MAX_BYTES	 65536u

/* How the samples of an event look. */
struct perfrecord_shape {
	uint64_t sample_type, read_format, branch_sample_type;
	unsigned n_user_regs;
};

struct perfrecord_sample {
	uint64_t id, ip, time, period;
	uint32_t pid, tid, cpu; /* pid: of the process */
	const uint64_t *chain;	/* with the kernel's PERF_CONTEXT_… between its parts */
	size_t n_chain;
	uint64_t regs_abi; /* PERF_SAMPLE_REGS_ABI_…; 0: no registers */
	const uint64_t *regs;
	struct piece stack; /* from the stack pointer on; empty: none */
	struct piece read;  /* values of a group, if the event asks for them */
	const struct perf_branch_entry *branches;
	size_t n_branches;
};

/* MMAP2 */
struct perfrecord_map {
	uint32_t pid, tid;
	uint64_t start, n_bytes, file_offset;
	uint32_t major, minor;
	uint64_t inode, generation;
	uint32_t prot;
	const char *path;
};

/* FORK, EXIT */
struct perfrecord_task {
	uint32_t pid, parent, tid, parent_tid;
};

struct perfrecord_trailer {
	uint32_t pid, tid, cpu;
	uint64_t time, id;
};

/* The time of any record; 0: it has none. header: the whole record, header->size bytes. */
uint64_t perfrecord_time(const struct perf_event_header *header);
/* The id of a sample's event, before the sample is read; 0: unknown. */
uint64_t perfrecord_id(const struct perf_event_header *header);

/* These return false for a record that is too short, or not of that kind. */
bool perfrecord_read_sample(const struct perf_event_header *header,
			    const struct perfrecord_shape *shape, struct perfrecord_sample *ret);
bool perfrecord_read_map(const struct perf_event_header *header, struct perfrecord_map *ret);
bool perfrecord_read_task(const struct perf_event_header *header, struct perfrecord_task *ret);
/* The name, which ends with a NUL; NULL: there is none. */
const char *perfrecord_read_comm(const struct perf_event_header *header, uint32_t *ret_pid,
				 uint32_t *ret_tid);
/* Number of lost records: of LOST, or of LOST_SAMPLES. */
uint64_t perfrecord_read_lost(const struct perf_event_header *header);
bool perfrecord_read_trailer(const struct perf_event_header *header,
			     struct perfrecord_trailer *ret);

#endif

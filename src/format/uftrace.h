/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * uftrace.h - the numbers of a uftrace.data directory (version 4 of its format).
 *
 *	info        header of 40 bytes, then lines "key:value"
 *	task.txt    sessions (one for each exec), tasks, forks, dlopen
 *	sid-X.map   the mapped files of session X
 *	NAME.sym    symbols of a file; NAME.dbg: source lines and arguments of its functions
 *	TID.dat     the records of a task
 *	perf-cpuN.dat   task switches, as perf's ring buffer has them
 *	kernel_header, kernel-cpuN.dat, kallsyms   functions and events of the kernel
 *
 * A record of TID.dat has 16 bytes, in the byte order of the traced program:
 *
 *	u64 time in ns
 *	u64 type:2 more:1 magic:3 depth:10 address:48
 *
 * After a record with `more` come the arguments, padded to 8 bytes. Their length is not stored: it
 * follows from what the recorder was asked for (symbols/uftrace/argspec.h).
 */
#ifndef SONDE_FORMAT_UFTRACE_H
#define SONDE_FORMAT_UFTRACE_H

#include <byteswap.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define UFT_MAGIC	 "Ftrace!"
#define UFT_HEADER_BYTES 40
#define UFT_RECORD_BYTES 16
#define UFT_RECORD_MAGIC 5
#define UFT_DEPTH_MAX	 1023

/* Functions of the kernel: the lowest bits of their addresses, of which the highest is set. */
#define UFT_KERNEL_MASK	 ((UINT64_C(1) << 48) - 1)

static inline bool uft_is_kernel(uint64_t addr)
{
	return addr >> 47;
}

enum uft_type { UFT_ENTRY, UFT_EXIT, UFT_LOST, UFT_EVENT };

enum uft_feature {
	UFT_FEATURE_PLTHOOK = 1,
	UFT_FEATURE_TASK_SESSION = 2,
	UFT_FEATURE_KERNEL = 4,
	UFT_FEATURE_ARGUMENT = 8,
	UFT_FEATURE_RETVAL = 16,
	UFT_FEATURE_SYM_REL_ADDR = 32,
	UFT_FEATURE_MAX_STACK = 64,
	UFT_FEATURE_EVENT = 128,
	UFT_FEATURE_PERF_EVENT = 256,
	UFT_FEATURE_AUTO_ARGS = 512,
	UFT_FEATURE_DEBUG_INFO = 1024,
	UFT_FEATURE_ESTIMATE_RETURN = 2048,
	UFT_FEATURE_SYM_SIZE = 4096,
};

/* Ids of events. Below UFT_EVENT_BUILTIN: events of the kernel. */
enum uft_event_id {
	UFT_EVENT_BUILTIN = 100000,
	UFT_EVENT_READ_STATM = 100001,
	UFT_EVENT_READ_PAGE_FAULT,
	UFT_EVENT_DIFF_STATM,
	UFT_EVENT_DIFF_PAGE_FAULT,
	UFT_EVENT_READ_CYCLE,
	UFT_EVENT_DIFF_CYCLE,
	UFT_EVENT_READ_CACHE,
	UFT_EVENT_DIFF_CACHE,
	UFT_EVENT_READ_BRANCH,
	UFT_EVENT_DIFF_BRANCH,
	UFT_EVENT_WATCH_CPU,
	UFT_EVENT_PERF = 200000,
	UFT_EVENT_SCHED_IN = 200001,
	UFT_EVENT_SCHED_OUT,
	UFT_EVENT_SCHED_BOTH,
	UFT_EVENT_TASK_NEW,
	UFT_EVENT_TASK_EXIT,
	UFT_EVENT_TASK_NAME,
	UFT_EVENT_SCHED_OUT_PREEMPT,
	UFT_EVENT_SCHED_BOTH_PREEMPT,
	UFT_EVENT_USER = 1000000,
	UFT_EVENT_EXTERN = 2000000,
};

struct uft_record {
	uint64_t time_ns, addr;
	uint16_t depth;
	uint8_t type; /* enum uft_type */
	bool more;
};

/* Parses UFT_RECORD_BYTES at p. Returns false if the bytes are not a record. */
static inline bool uft_record_parse(const uint8_t *p, bool swaps, struct uft_record *ret)
{
	uint64_t time, word;

	memcpy(&time, p, 8);
	memcpy(&word, p + 8, 8);
	if (swaps) {
		time = bswap_64(time);
		word = bswap_64(word);
	}
	if ((word >> 3 & 7) != UFT_RECORD_MAGIC)
		return false;
	*ret = (struct uft_record){
		.time_ns = time,
		.addr = word >> 16,
		.depth = word >> 6 & UFT_DEPTH_MAX,
		.type = word & 3,
		.more = word >> 2 & 1,
	};
	return true;
}

#endif

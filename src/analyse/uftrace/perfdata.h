/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * perfdata.h - the task switches of perf-cpuN.dat, as records of uftrace.
 */
#ifndef SONDE_ANALYSE_UFTRACE_PERFDATA_H
#define SONDE_ANALYSE_UFTRACE_PERFDATA_H

#include "format/uftrace.h"

#include <stddef.h>

struct uft_perf {
	const uint8_t *data; /* of one CPU */
	size_t n_bytes, pos;
	bool is_valid; /* the event below was read and is not used yet */
	struct uft_record rec;
	int pid, tid, ppid;
	char comm[16];
};

/* Reads the next event unless one is waiting. False: there are no more. */
bool uft_perf_read(struct uft_perf *p, bool swaps);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * guestopts.h - the options that connect the traces of a host and its guests, as bytes.
 *
 *  TRACEID     u64                               in both; a random number for the recording
 *  GUEST       name\0, u64 its id, u32 n, n × (u32 vcpu, u32 thread of the host) in the host's file
 *  TIME_SHIFT  u64 id of the host, u32 flags, u32 n, samples of each vcpu       in the guest's file
 *
 * Numbers have the byte order of the file: `swap` if it is not ours.
 */
#ifndef SONDE_STORE_GUESTOPTS_H
#define SONDE_STORE_GUESTOPTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct textbuf;

/* time of the host = ((time of the guest * scaling) >> fraction) + offset, from `time` on */
struct sync_sample {
	int64_t time, offset, scaling, fraction;
};

struct sync_cpu {
	struct sync_sample *samples;
	uint32_t n;
};

struct guest_vcpu_pid {
	uint32_t vcpu;
	int32_t pid; /* -1: unknown */
};

/* flag of TIME_SHIFT: readers interpolate the offset between two samples */
#define GUESTOPTS_INTERPOLATE 1

void guestopts_fmt_shift(struct textbuf *out, uint64_t host_id, uint32_t flags,
			 const struct sync_cpu *cpus, uint32_t n_cpus, bool swap);
void guestopts_fmt_guest(struct textbuf *out, const char *name, uint64_t guest_id,
			 const struct guest_vcpu_pid *vcpus, uint32_t n_vcpus, bool swap);
/* Makes an id that is not 0 and practically unique. */
uint64_t guestopts_make_id(void);

#endif

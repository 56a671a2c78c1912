/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * latency_bpf.h - the two events of a kernelrun, and the time between them measured by BPF programs.
 *
 *	latencybpf_open ─▶ (kernelrun_follow) latencybpf_read … ─▶ latencybpf_stop ─▶ latencybpf_close
 */
#ifndef SONDE_LIVE_KERNEL_LATENCY_BPF_H
#define SONDE_LIVE_KERNEL_LATENCY_BPF_H

#include "analyse/latency/latency.h"
#include "capture/bpf/latency.h"
#include "capture/bpf/tasks.h"
#include "live/kernel/run.h"

struct latencybpf {
	struct bpflatency lat;
	struct bpftasks tasks;
	const struct kernel_event *from, *to; /* the same one twice: from each to the next */
	const struct latency_config *config;
	const char *filters
		[2]; /* of an event that is both: what makes it the one and the other; NULL */
	struct {
		enum latency_side side;
		uint32_t at, n_bytes; /* in the groups of a cell */
	} words[KEYS_MAX];
	bool is_probe; /* the beginning is hit as a probe */
	bool is_open;
};

/*
 * Slots of the events: the field that must agree, if it is by field, then the groups. It measures while the gate of the run is open, or
 * err says what cannot be had and nothing is left. Needs root's powers.
 */
int latencybpf_open(struct latencybpf *lb, struct kernelrun *run, const struct latency_config *c,
		    const struct kernel_event *from, const struct kernel_event *to,
		    const char *const filters[2], struct errmsg *err);
/* Adds what was measured so far. */
int latencybpf_read(const struct latencybpf *lb, struct keyreader *kr, struct latencies *result,
		    struct latency_counts *counts, struct errmsg *err);
/* Hits that came while another one was being looked at there, as far as the kernel knows. */
uint64_t latencybpf_missed(const struct latencybpf *lb);
/* Nothing is measured from now on. */
void latencybpf_stop(struct latencybpf *lb);
void latencybpf_close(struct latencybpf *lb);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * latency_bpf.h - measures the time between the two events of a kernelrun with BPF programs.
 *
 *  latencybpf_open ─▶ (kernelrun_follow) latencybpf_read … ─▶ latencybpf_stop ─▶ latencybpf_close
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
	/* if both are the same event, the time from each to the next */
	const struct kernel_event *from, *to;
	const struct latency_config *config;
	/* filters of an event that is both sides, which distinguish the sides; NULL: none */
	const char *filters[2];
	struct {
		enum latency_side side;
		uint32_t at, n_bytes; /* position in the groups of a cell */
	} words[KEYS_MAX];
	bool is_probe; /* the first event is a probe that is hit */
	bool is_open;
};

/*
 * Starts the programs. The slots of the events are the field that must be equal, if it is by field,
 * then the groups. The programs measure while the gate of the run is open. On failure err has the
 * reason, and everything is removed. Needs root's capabilities.
 */
int latencybpf_open(struct latencybpf *lb, struct kernelrun *run, const struct latency_config *c,
		    const struct kernel_event *from, const struct kernel_event *to,
		    const char *const filters[2], struct errmsg *err);
/* Adds the results so far. */
int latencybpf_read(const struct latencybpf *lb, struct keyreader *kr, struct latencies *result,
		    struct latency_counts *counts, struct errmsg *err);
/*
 * Returns the number of hits during the processing of another hit, as far as the kernel counts
 * them.
 */
uint64_t latencybpf_missed(const struct latencybpf *lb);
void latencybpf_stop(struct latencybpf *lb);
void latencybpf_close(struct latencybpf *lb);

#endif

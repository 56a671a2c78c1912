/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * count_bpf.h - the events of a kernelrun, each counted by a BPF program.
 *
 *	countbpf_open ─▶ (kernelrun_follow) countbpf_read … ─▶ countbpf_stop ─▶ countbpf_close
 */
#ifndef SONDE_LIVE_KERNEL_COUNT_BPF_H
#define SONDE_LIVE_KERNEL_COUNT_BPF_H

#include "analyse/keycount.h"
#include "capture/bpf/count.h"
#include "capture/bpf/tasks.h"
#include "live/kernel/run.h"

struct countbpf_event {
	struct bpfcount count;
	uint32_t widths[KEYS_MAX]; /* bytes of each word in a key of the table */
};

struct countbpf {
	struct countbpf_event list[HISTOGRAM_EVENTS_MAX]; /* of run->events */
	size_t n;
	bool has_probe; /* one hangs on a probe, which is hit; not on a function or a tracepoint */
	struct bpftasks tasks;
};

/*
 * All of it counts, or err says what does not and nothing is left. Needs root's powers. n_rows: of each event's table, or
 * fewer if there are many.
 */
int countbpf_open(struct countbpf *cb, struct kernelrun *run, size_t n_words, uint32_t n_rows,
		  struct errmsg *err);
/* Adds the counts so far; with_event: the name of the event is a key by itself, the first. */
int countbpf_read(const struct countbpf *cb, const struct kernelrun *run, size_t n_words,
		  bool with_event, struct keycount *counts, struct errmsg *err);
/* Hits that came while another one was being counted there, as far as the kernel knows. */
uint64_t countbpf_missed(const struct countbpf *cb);
/* Nothing is counted from now on. */
void countbpf_stop(struct countbpf *cb);
void countbpf_close(struct countbpf *cb);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * count_bpf.h - counts the events of a kernelrun with BPF programs.
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
	struct countbpf_event list[HISTOGRAM_EVENTS_MAX]; /* one for each of run->events */
	size_t n;
	/* a program is attached to a probe, which is hit, instead of a function or a tracepoint */
	bool has_probe;
	struct bpftasks tasks;
};

/*
 * Starts all programs, or sets err and removes everything. Needs root's capabilities. n_rows is the
 * size of each event's table, which is smaller if there are many events.
 */
int countbpf_open(struct countbpf *cb, struct kernelrun *run, size_t n_words, uint32_t n_rows,
		  struct errmsg *err);
/* Adds the counts so far. with_event: the name of the event is the first key. */
int countbpf_read(const struct countbpf *cb, const struct kernelrun *run, size_t n_words,
		  bool with_event, struct keycount *counts, struct errmsg *err);
/*
 * Returns the number of hits during the counting of another hit, as far as the kernel counts them.
 */
uint64_t countbpf_missed(const struct countbpf *cb);
void countbpf_stop(struct countbpf *cb);
void countbpf_close(struct countbpf *cb);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bpfevent.h - an event of a kernelrun, and the BPF program that it runs: what it hangs on, and where it has the words
 * of the question from. What it does there is the caller's.
 *
 *	bpfevents_open ─▶ bpfevent_open for each event (▶ find ▶ start) ─▶ bpfevents_close
 */
#ifndef SONDE_LIVE_KERNEL_BPFEVENT_H
#define SONDE_LIVE_KERNEL_BPFEVENT_H

#include "analyse/keys.h"
#include "capture/bpf/filter.h"
#include "capture/bpf/source.h"
#include "capture/bpf/tasks.h"
#include "live/kernel/run.h"

/* Of all events of a question. */
struct bpfevents {
	struct kernelrun *run;
	struct probe_list probes;
	struct btf *btf; /* NULL: not needed yet */
	struct bpftask task;
	struct bpftasks *tasks;
};

struct bpfevent {
	struct bpfevents *all;
	const struct kernel_event *e;
	const struct probe_defined *probe; /* NULL: it is none */
	const struct probe_defined
		*entry;		     /* … of a joined return: of its entry; NULL: it is none */
	struct bpffunction function; /* of ENTRY, EXIT */
	const char *tracepoint;	     /* of RAW */
	bool may_sleep;		     /* of PROBE: config.may_sleep, if it helps */
	struct bpffilter *filter;    /* as config has it; NULL: none */
	struct bpfprogram_config config;
};

/* Called in turn, for one hook (config.hook) after the other until one works. */
struct bpfevent_ops {
	/* Can all values be had there? Keeps their sources: bpfevent_find(). */
	bool (*find)(void *ctx, struct bpfevent *be);
	/* Makes the program and attaches it: bpfevent_attach(). */
	int (*start)(void *ctx, struct bpfevent *be, struct errmsg *err);
};

/*
 * -ENOTSUP, with a sentence for who insists on BPF. Close it on failure, too. tasks: those that were chosen; the caller
 * closes it when nothing is counted any more.
 */
int bpfevents_open(struct bpfevents *all, struct kernelrun *run, struct bpftasks *tasks,
		   struct errmsg *err);
void bpfevents_close(struct bpfevents *all);

/* Needs root's powers. */
int bpfevent_open(struct bpfevents *all, const struct kernel_event *e,
		  const struct bpfevent_ops *ops, void *ctx, struct errmsg *err);
/* A descriptor, or negative. */
int bpfevent_attach(const struct bpfevent *be, int program, struct errmsg *err);

/* The sources of a word: one, two of a task, none of the event's name. False: it cannot be had. */
bool bpfevent_find(struct bpfevent *be, const struct key_slot *slot, struct bpfsource *sources,
		   size_t *n_sources);
/* The same of a field that is only compared: a number, whatever it means. */
bool bpfevent_find_number(struct bpfevent *be, const struct key_slot *slot,
			  struct bpfsource *source);

/* A field, whatever it is called; a text or a number, as the slot says. */
bool bpfevent_find_field(struct bpfevent *be, const struct key_slot *slot,
			 struct bpfsource *source);

/* bpfwhich.c: which hits count. Of all events, and of one with the hook that is being tried. */
int bpfwhich_open(struct bpfevents *all, struct errmsg *err);
int bpfwhich_find(struct bpfevent *be, struct errmsg *err);
/* Another filter than the event's; the caller frees it. */
int bpfwhich_filter(struct bpfevent *be, const char *text, struct bpffilter **ret,
		    struct errmsg *err);
void bpfwhich_release(struct bpfevent *be);

/* The slot that its value is kept under: the word's own, or a text that says that it could not be read. */
const struct key_slot *bpfevent_value_slot(const struct key_slot *slot, const uint8_t *key,
					   size_t n_bytes);
/* The value (keys.h) of a word from its bytes in a key of the table. */
uint64_t bpfevent_value(struct keyreader *kr, const struct kernel_event *e,
			const struct key_slot *slot, const uint8_t *key, size_t n_bytes);

#endif

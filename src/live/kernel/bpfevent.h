/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bpfevent.h - chooses where the BPF program of an event is attached, and from where it reads the
 * words of --by. The caller defines what the program does.
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

/* The data that all events of a run share. */
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
	const struct probe_defined *probe; /* NULL: the event is not a probe */
	/* the entry of a joined return; NULL: the event is not joined */
	const struct probe_defined *entry;
	struct bpffunction function; /* for ENTRY, EXIT */
	const char *tracepoint;	     /* for RAW */
	bool may_sleep;		     /* for PROBE: config.may_sleep, if it helps */
	struct bpffilter *filter;    /* filter of config; NULL: none */
	struct bpfprogram_config config;
};

/* Functions that are called for one hook (config.hook) after the other until one works. */
struct bpfevent_ops {
	/*
	 * Returns true if all values are available at this hook. Stores their sources; see
	 * bpfevent_find().
	 */
	bool (*find)(void *ctx, struct bpfevent *be);
	/* Makes the program and attaches it; see bpfevent_attach(). */
	int (*start)(void *ctx, struct bpfevent *be, struct errmsg *err);
};

/*
 * Prepares all events. Returns -ENOTSUP, with a message for users who request BPF. Close `all`
 * after a failure, too. tasks are the selected tasks; the caller closes them when the counting has
 * ended.
 */
int bpfevents_open(struct bpfevents *all, struct kernelrun *run, struct bpftasks *tasks,
		   struct errmsg *err);
void bpfevents_close(struct bpfevents *all);

/* Makes the program of one event. Needs root's capabilities. */
int bpfevent_open(struct bpfevents *all, const struct kernel_event *e,
		  const struct bpfevent_ops *ops, void *ctx, struct errmsg *err);
/* Returns a descriptor, or a negative errno. */
int bpfevent_attach(const struct bpfevent *be, int program, struct errmsg *err);

/*
 * Finds the sources of a word: one, two for a task, none for the event's name. Returns false if the
 * value is not available.
 */
bool bpfevent_find(struct bpfevent *be, const struct key_slot *slot, struct bpfsource *sources,
		   size_t *n_sources);
/* Like bpfevent_find(), for a field that is only compared as a number. */
bool bpfevent_find_number(struct bpfevent *be, const struct key_slot *slot,
			  struct bpfsource *source);

/* Finds the source of any field, as a text or a number, according to the slot. */
bool bpfevent_find_field(struct bpfevent *be, const struct key_slot *slot,
			 struct bpfsource *source);

/*
 * bpfwhich.c: selects the hits that count, for all events, and for one event with the current hook.
 */
int bpfwhich_open(struct bpfevents *all, struct errmsg *err);
int bpfwhich_find(struct bpfevent *be, struct errmsg *err);
/* Compiles a filter other than the event's. The caller frees it. */
int bpfwhich_filter(struct bpfevent *be, const char *text, struct bpffilter **ret,
		    struct errmsg *err);
void bpfwhich_release(struct bpfevent *be);

/*
 * Returns the slot for the value: that of the word, or of a text that reports that it could not be
 * read.
 */
const struct key_slot *bpfevent_value_slot(const struct key_slot *slot, const uint8_t *key,
					   size_t n_bytes);
/* Returns the value (keys.h) of a word from its bytes in a key of the table. */
uint64_t bpfevent_value(struct keyreader *kr, const struct kernel_event *e,
			const struct key_slot *slot, const uint8_t *key, size_t n_bytes);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * reset.h - brings an instance, or the top level, back to what it was after boot.
 *
 * What cannot be put back is told through a callback, one sentence each, and the rest goes on: a reset
 * that stops half way leaves a mixture that nobody can name.
 */
#ifndef SONDE_CAPTURE_TRACEFS_RESET_H
#define SONDE_CAPTURE_TRACEFS_RESET_H

#include "capture/tracefs/tracefs.h"

/* Kinds of dynamic events, to be kept; by name as reset -k takes them. */
enum dynamic_kind {
	DYNAMIC_KPROBE = 1,
	DYNAMIC_KRETPROBE = 2,
	DYNAMIC_UPROBE = 4,
	DYNAMIC_URETPROBE = 8,
	DYNAMIC_EPROBE = 16,
	DYNAMIC_SYNTH = 32,
	DYNAMIC_FPROBE = 64,
	DYNAMIC_TPROBE = 128,
	DYNAMIC_ALL = 255,
};

struct reset {
	const struct tracefs *t;
	void (*tell)(void *ctx, const char *sentence);
	void *ctx;
	size_t n_failed; /* out: how many sentences there were */
};

/* The kinds that a word names, or 0; with "all". The words, for a help text: DYNAMIC_WORDS. */
unsigned dynamic_kind_parse(const char *word);
#define DYNAMIC_WORDS "kprobe kretprobe uprobe uretprobe eprobe synth fprobe tprobe all"

/*
 * buffer_kb 0: the kernel's default. Negative with a sentence in err if nothing can be written there at
 * all.
 */
int reset_instance(struct reset *r, const char *instance, long long buffer_kb, struct errmsg *err);
/* Only the filters and triggers of its events. */
void reset_events(struct reset *r, const char *instance);
/* Removes the dynamic events but for the kinds in `keep`. Instances that use them come first. */
void reset_dynamic_events(struct reset *r, unsigned keep);

#endif

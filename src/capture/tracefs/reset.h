/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * reset.h - restores an instance, or the top level, to its state after boot.
 *
 * A callback gets one message for each setting that cannot be restored, and the reset continues:
 * stopping half way would leave an unknown mixture.
 */
#ifndef SONDE_CAPTURE_TRACEFS_RESET_H
#define SONDE_CAPTURE_TRACEFS_RESET_H

#include "capture/tracefs/tracefs.h"

/* Kinds of dynamic events to keep; the words are those of reset -k. */
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
	size_t n_failed; /* out: number of settings that could not be restored */
};

/*
 * Returns the kinds that a word names, including "all", or 0. DYNAMIC_WORDS lists the words for a
 * help text.
 */
unsigned dynamic_kind_parse(const char *word);
#define DYNAMIC_WORDS "kprobe kretprobe uprobe uretprobe eprobe synth fprobe tprobe all"

/*
 * Resets an instance. buffer_kb 0: the kernel's default. Returns a negative code and a message if
 * nothing at all can be written there.
 */
int reset_instance(struct reset *r, const char *instance, long long buffer_kb, struct errmsg *err);
/* Removes only the filters and triggers of the instance's events. */
void reset_events(struct reset *r, const char *instance);
/*
 * Removes the dynamic events except the kinds in `keep`. Reset the instances that use them first.
 */
void reset_dynamic_events(struct reset *r, unsigned keep);

#endif

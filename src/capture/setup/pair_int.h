/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pair_int.h - a return and its entry, joined: what pairs.c, pair_text.c and misses.c share.
 */
#ifndef SONDE_CAPTURE_SETUP_PAIR_INT_H
#define SONDE_CAPTURE_SETUP_PAIR_INT_H

#include "capture/setup/setup_int.h"

#include <errno.h>

#define PAIR_LINE_BYTES	 8192
#define PAIR_FIELD_BYTES 32    /* the kernel's MAX_ARG_NAME_LEN */
#define PAIR_CALLS_MAX	 16384 /* under way at once, by task and stack */

struct setup_pair {
	struct definition in_def, out_def; /* the user's, each with its part of the arguments */
	struct definition_arg *in_args, *out_args;
	struct probe *in; /* the other one is setup_probe.probe */
	char in_name[TRACEFS_NAME_MAX], synth[TRACEFS_NAME_MAX], shown_name[TRACEFS_NAME_MAX];
	char (*field_names)[PAIR_FIELD_BYTES]; /* of those that were not named by hand */
	char duration_name[PAIR_FIELD_BYTES];
	char *in_trigger, *out_trigger;
	struct probe shown; /* all arguments together, for the format; they belong to the probes */
	size_t number;
	/* both with the stack pointer behind the other arguments, and guards behind texts */
	bool is_full, has_frames, has_skip;
	struct probe full_in, full_out;
	char frame_fetch[2][40], skip_fetch[40];
	const char *instance; /* where it was armed; NULL: it was not */
};

/* pair_text.c: what is written for it. */
bool setup_pair_is_duration(const struct definition_arg *a);
/* What the time of a call is called, if it is recorded. */
void setup_pair_choose_duration(struct setup_pair *pair, const struct definition *d);
/* An argument gets a name, in room, that no field shown before it has, nor one that was named by hand. */
void setup_pair_choose_field(const struct setup_pair *pair, const struct definition *d,
			     struct probe_arg *a, char room[PAIR_FIELD_BYTES]);
/* How the synthetic event shows it, whose fields know nothing of functions and hex. */
void setup_pair_choose_show(struct probe_arg *a);
/* It is recorded as text. */
bool setup_pair_is_text(const struct probe_arg *a);
/* The definition of the synthetic event. */
int setup_pair_fmt_synth(const struct setup_pair *pair, const struct definition *d,
			 struct textbuf *tb, struct errmsg *err);
/* The two triggers, made anew: of a pair whose names, arguments and frames are known. */
int setup_pair_fmt_triggers(struct setup_pair *pair, const struct setup_probe *sp,
			    struct errmsg *err);
/* What $duration is called; NULL: it is not recorded. */
const char *setup_pair_duration(const struct setup_pair *pair, const struct definition *d);
/* The condition over the synthetic event's fields, which the caller frees. */
int setup_pair_fmt_filter(const struct setup_pair *pair, const struct definition *d,
			  char **ret_filter, struct errmsg *err);

static inline int setup_pair_no_memory(struct errmsg *err)
{
	return errmsg_set_errno(err, -ENOMEM, "cannot define the probes");
}

#endif

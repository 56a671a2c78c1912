/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pair_int.h - a return joined with its entry: what pairs.c, pair_text.c and misses.c share.
 */
#ifndef SONDE_CAPTURE_SETUP_PAIR_INT_H
#define SONDE_CAPTURE_SETUP_PAIR_INT_H

#include "base/errmsg.h"
#include "capture/setup/setup_int.h"
#include "probe/definition/definition.h"

#include <errno.h>

#define PAIR_LINE_BYTES	 8192
#define PAIR_FIELD_BYTES 32    /* the kernel's MAX_ARG_NAME_LEN */
#define PAIR_CALLS_MAX	 16384 /* active at once, by task and stack */

struct setup_pair {
	struct definition in_def, out_def; /* the user's, each with its part of the arguments */
	struct definition_arg *in_args, *out_args;
	struct probe *in; /* the return is setup_probe.probe */
	char in_name[TRACEFS_NAME_MAX], synth[TRACEFS_NAME_MAX], shown_name[TRACEFS_NAME_MAX];
	char (*field_names)[PAIR_FIELD_BYTES]; /* for arguments without a name from the user */
	char duration_name[PAIR_FIELD_BYTES];
	char *in_trigger, *out_trigger;
	struct probe shown; /* all arguments together, for the format; the probes own them */
	size_t number;
	/* both have the stack pointer after the other arguments, and guards after texts */
	bool is_full, has_frames, has_skip;
	struct probe full_in, full_out;
	char frame_fetch[2][40], skip_fetch[40];
	const char *instance; /* where it is armed; NULL: not armed */
};

/* pair_text.c: the texts for it. */
bool setup_pair_is_duration(const struct definition_arg *a);
/* Chooses the name of the call's duration, if it is recorded. */
void setup_pair_choose_duration(struct setup_pair *pair, const struct definition *d);
/*
 * Chooses a name for an argument, in room, that differs from the fields before it and from names
 * given by the user.
 */
void setup_pair_choose_field(const struct setup_pair *pair, const struct definition *d,
			     struct probe_arg *a, char room[PAIR_FIELD_BYTES]);
/* Chooses how the synthetic event shows it: its fields do not know functions and hex. */
void setup_pair_choose_show(struct probe_arg *a);
/* Is it recorded as a text? */
bool setup_pair_is_text(const struct probe_arg *a);
/* The definition of the synthetic event. */
int setup_pair_fmt_synth(const struct setup_pair *pair, const struct definition *d,
			 struct textbuf *tb, struct errmsg *err);
/* Makes the two triggers again, for a pair whose names, arguments and frames are known. */
int setup_pair_fmt_triggers(struct setup_pair *pair, const struct setup_probe *sp,
			    struct errmsg *err);
/* The name of $duration; NULL: not recorded. */
const char *setup_pair_duration(const struct setup_pair *pair, const struct definition *d);
/* The condition on the synthetic event's fields; the caller frees it. */
int setup_pair_fmt_filter(const struct setup_pair *pair, const struct definition *d,
			  char **ret_filter, struct errmsg *err);

static inline int setup_pair_no_memory(struct errmsg *err)
{
	return errmsg_set_errno(err, -ENOMEM, "cannot define the probes");
}

#endif

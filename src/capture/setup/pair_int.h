/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pair_int.h - a return joined with its entry: declarations that pairs.c, pair_text.c and misses.c
 * share.
 */
#ifndef SONDE_CAPTURE_SETUP_PAIR_INT_H
#define SONDE_CAPTURE_SETUP_PAIR_INT_H

#include "base/errmsg.h"
#include "capture/setup/setup_int.h"
#include "probe/definition/definition.h"

#include <errno.h>

#define PAIR_LINE_BYTES	 8192
#define PAIR_FIELD_BYTES 32    /* the kernel's MAX_ARG_NAME_LEN */
#define PAIR_CALLS_MAX	 16384 /* limit of calls that are active at once, by task and stack */

struct setup_pair {
	/* the user's definition, split into the arguments of entry and return */
	struct definition in_def, out_def;
	struct definition_arg *in_args, *out_args;
	struct probe *in; /* the entry; the return is setup_probe.probe */
	char in_name[TRACEFS_NAME_MAX], synth[TRACEFS_NAME_MAX], shown_name[TRACEFS_NAME_MAX];
	char (*field_names)[PAIR_FIELD_BYTES]; /* names of arguments that the user did not name */
	char duration_name[PAIR_FIELD_BYTES];
	char *in_trigger, *out_trigger;
	struct probe shown; /* all arguments together, for the format; the two probes own them */
	size_t number;
	/* both probes have the stack pointer after the other arguments, and guards after texts */
	bool is_full, has_frames, has_skip;
	struct probe full_in, full_out;
	char frame_fetch[2][40], skip_fetch[40];
	const char *instance; /* instance in which it is armed; NULL: not armed */
};

/* pair_text.c: makes the texts. */
bool setup_pair_is_duration(const struct definition_arg *a);
/* Chooses the name of the call's duration, if it is recorded. */
void setup_pair_choose_duration(struct setup_pair *pair, const struct definition *d);
/*
 * Chooses a name for an argument, stored in room, that differs from the fields before it and from
 * names given by the user.
 */
void setup_pair_choose_field(const struct setup_pair *pair, const struct definition *d,
			     struct probe_arg *a, char room[PAIR_FIELD_BYTES]);
/*
 * Chooses how the synthetic event shows the argument: its fields do not support functions and hex.
 */
void setup_pair_choose_show(struct probe_arg *a);
/* Returns true if the argument is recorded as a text. */
bool setup_pair_is_text(const struct probe_arg *a);
/* Writes the definition of the synthetic event. */
int setup_pair_fmt_synth(const struct setup_pair *pair, const struct definition *d,
			 struct textbuf *tb, struct errmsg *err);
/* Writes the two triggers again, for a pair whose names, arguments and frames are known. */
int setup_pair_fmt_triggers(struct setup_pair *pair, const struct setup_probe *sp,
			    struct errmsg *err);
/* Returns the name of $duration, or NULL if it is not recorded. */
const char *setup_pair_duration(const struct setup_pair *pair, const struct definition *d);
/* Writes the condition on the synthetic event's fields. The caller frees it. */
int setup_pair_fmt_filter(const struct setup_pair *pair, const struct definition *d,
			  char **ret_filter, struct errmsg *err);

static inline int setup_pair_no_memory(struct errmsg *err)
{
	return errmsg_set_errno(err, -ENOMEM, "cannot define the probes");
}

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * replaytext.h - items of a replay as lines, in the layout of uftrace, or as JSON.
 *
 *	# DURATION     TID     FUNCTION
 *	            [   100] | main() {
 *	   0.500 us [   100] |   next_token();
 *	   4.100 us [   100] | } (main)
 *
 * Only one thread may use it at a time.
 */
#ifndef SONDE_PRESENT_CALLS_REPLAYTEXT_H
#define SONDE_PRESENT_CALLS_REPLAYTEXT_H

#include "analyse/calls/replay.h"
#include "base/textbuf.h"

struct errmsg;
struct replaytext;

enum replay_field {
	REPLAY_DURATION,
	REPLAY_TID,
	REPLAY_ADDR,
	REPLAY_TIME,
	REPLAY_DELTA,	/* since the task's line before */
	REPLAY_ELAPSED, /* since the first line */
	REPLAY_TASK,
	REPLAY_MODULE,
	REPLAY_N_FIELDS,
};

struct replaytext_config {
	enum replay_field fields[REPLAY_N_FIELDS];
	size_t n_fields;
	bool flat;	  /* a numbered line for each entry and exit */
	bool column_view; /* every task is shifted to the right */
	long long column_offset;
	bool task_newline; /* an empty line where the task changes */
	bool no_comment;   /* no name behind the } */
	bool module_names; /* NAME@FILE */
	bool sources;	   /* where each function begins in its source */
	bool json;	   /* one object per line */
	bool colour;
	bool in_time; /* times are in ns, not in units of a clock */
};

/* Words with commas between; "none"; "+WORD" adds to duration and tid. -EINVAL with a message. */
int replaytext_fields_parse(const char *words, struct replaytext_config *config,
			    struct errmsg *err);

/* config must stay valid. 0 or -ENOMEM. */
int replaytext_new(struct replaytext **ret, struct formats *f,
		   const struct replaytext_config *config);
void replaytext_free(struct replaytext *rt);

void replaytext_fmt_head(struct replaytext *rt, struct textbuf *tb);
void replaytext_fmt(struct replaytext *rt, const struct replay_item *item, struct textbuf *tb);

#endif

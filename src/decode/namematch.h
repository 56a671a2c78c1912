/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * namematch.h - the expressions of `sonde list`: basic regular expressions without regard to case.
 *
 * "sched:" is a system, "sched:switch" looks in it for events, "switch" may be either.
 */
#ifndef SONDE_DECODE_NAMEMATCH_H
#define SONDE_DECODE_NAMEMATCH_H

#include <regex.h>
#include <stdbool.h>

struct errmsg;

struct event_match {
	regex_t system, event;
	bool all;
	bool has_event;	   /* "SYSTEM:EVENT" */
	bool only_systems; /* "SYSTEM:" */
};

/* Compiles an expression; NULL or "" matches everything. Returns -EINVAL with a message. */
int event_match_init(struct event_match *m, const char *text, struct errmsg *err);
void event_match_release(struct event_match *m);
bool event_match_test(const struct event_match *m, const char *system, const char *event);

struct name_match {
	regex_t re;
	bool all;
};

int name_match_init(struct name_match *m, const char *text, struct errmsg *err);
void name_match_release(struct name_match *m);
bool name_match_test(const struct name_match *m, const char *name);

/*
 * Returns -ENOENT with the message that no thing ("event") matches. input: the trace that was
 * searched; NULL: the running kernel.
 */
int list_refuse_none(const char *thing, const char *text, const char *input, struct errmsg *err);

#endif

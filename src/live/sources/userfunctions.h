/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * userfunctions.h - user functions of a request (-u): checks, the recording without the kernel, the
 * messages at the end.
 */
#ifndef SONDE_LIVE_SOURCES_USERFUNCTIONS_H
#define SONDE_LIVE_SOURCES_USERFUNCTIONS_H

#include "capture/calls/usertrace.h"
#include "live/record.h"

struct errmsg;
struct live_request;
struct sampling;
struct usertrace;

/* Returns true if the request is for user functions and nothing else. */
bool userfunctions_are_alone(const struct live_request *o);

/* Checks the request and the command, sets clocks, and opens the trace of user functions. */
int userfunctions_open(struct usertrace **ret, struct live_request *o, char **argv,
		       struct errmsg *err);

/* Stacks of samples show what our code in programs stands for. Until user is closed. */
void userfunctions_connect(struct usertrace *user, struct sampling *samples);

/*
 * Records the sources of config, user functions and samples, without the kernel into config->path.
 * ret_outcome is as in record_to_file().
 */
int userfunctions_record(struct live_request *o, const struct recording_config *config, char **argv,
			 struct record_outcome *ret_outcome, struct errmsg *err);

/* Reports what was not recorded, and why. */
void userfunctions_tell_missing(const struct live_request *o, struct usertrace *user,
				const struct usertrace_sum *sum);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * straceline.h - one line of strace, taken apart.
 */
#ifndef SONDE_INPUTS_FOREIGN_STRACELINE_H
#define SONDE_INPUTS_FOREIGN_STRACELINE_H

#include "format/bytes.h"

#include <stdbool.h>
#include <stdint.h>

enum straceline_kind {
	STRACELINE_UNKNOWN,
	STRACELINE_NOTHING,    /* a message of strace itself, an empty line */
	STRACELINE_CALL,       /* name(args) = ret */
	STRACELINE_UNFINISHED, /* name(args <unfinished ...> */
	STRACELINE_RESUMED,    /* <... name resumed>args) = ret */
	STRACELINE_SIGNAL,     /* --- text --- */
	STRACELINE_END,	       /* +++ text +++ */
};

enum straceline_clock { STRACELINE_OF_DAY, STRACELINE_SINCE_1970, STRACELINE_SINCE_LINE };

struct straceline {
	enum straceline_kind kind;
	enum straceline_clock clock;
	bool has_duration, has_ret;
	int pid; /* 0: the line does not say it */
	uint64_t time_ns, duration_ns;
	struct piece name, args, ret, error; /* args: also the text of a signal, of an end */
};

void straceline_parse(struct piece line, struct straceline *ret);

#endif

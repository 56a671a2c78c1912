/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * ftraceline.h - one line of the text of ftrace, or of a report, taken apart.
 */
#ifndef SONDE_INPUTS_FOREIGN_FTRACELINE_H
#define SONDE_INPUTS_FOREIGN_FTRACELINE_H

#include "format/bytes.h"

#include <stdbool.h>
#include <stdint.h>

enum ftraceline_kind {
	FTRACELINE_UNKNOWN, /* nothing that this file knows */
	FTRACELINE_NOTHING, /* empty, a comment, a heading */
	FTRACELINE_EVENT,
	FTRACELINE_GRAPH,   /* of the tracer function_graph, with a time */
	FTRACELINE_NO_TIME, /* the same without a time */
	FTRACELINE_SWITCH,  /* function_graph: another task runs on the CPU */
	FTRACELINE_LOST,    /* events were lost: n_lost; 0: an unknown number */
	FTRACELINE_FRAME,   /* a place of the stack before it */
	FTRACELINE_CPUS,    /* cpus=N of a report: cpu is N */
};

enum ftraceline_call { FTRACELINE_CALL_NONE, FTRACELINE_CALL_ENTER, FTRACELINE_CALL_EXIT };

struct ftraceline {
	enum ftraceline_kind kind;
	enum ftraceline_call call; /* of a system call: name is that of the call */
	bool has_pid;
	bool is_rounded; /* the time has microseconds */
	bool is_ticks;	 /* the time is a plain number, not seconds */
	int pid, tgid;	 /* tgid: 0 if unknown */
	uint32_t cpu;
	uint8_t flags, preempt_count;
	uint64_t time_ns, n_lost;
	struct piece comm, name, text; /* in the line */
};

void ftraceline_parse(struct piece line, struct ftraceline *ret);
/* Reads "+ 13.635 us |  name() {": *ret_text is what follows the bar. False: it has another form. */
bool ftraceline_parse_duration(struct piece text, bool *ret_has, uint64_t *ret_ns,
			       struct piece *ret_text);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * traceexport.h - converts the records of a whole trace to the format of another viewer.
 *
 *	new ─▶ add, batch after batch, in time order ─▶ add_state, any order ─▶ finish ─▶ free
 *
 * The caller may write and clear `out` after each call. Only one thread may use it at a time.
 */
#ifndef SONDE_PRESENT_EXPORT_TRACEEXPORT_H
#define SONDE_PRESENT_EXPORT_TRACEEXPORT_H

#include "base/textbuf.h"
#include "decode/order/sequence.h"
#include "present/line.h"

struct trace_export;

struct trace_export_config {
	const struct line_style *style; /* sources of the style are those of the trace */
	/* machine of each source; events of one machine share their tasks */
	const uint32_t *machines;
};

/* A state of a task, in times of the trace's own clock; the caller derives it from all events. */
struct export_state {
	uint32_t machine;
	int pid, cpu; /* cpu: the CPU where the task runs, or ran last; -1: unknown */
	uint64_t start, end;
	const char *state; /* "running" */
	const char *comm;  /* up to comm_max bytes */
	size_t comm_max;
	int waker; /* pid of the task that woke it, or -1 */
};

struct trace_export_kind {
	const char *name; /* "perfetto" */
	const char *suffix;
	int (*new)(struct trace_export **ret, const struct trace_export_config *config);
	void (*add)(struct trace_export *x, const struct batch *b, struct textbuf *out);
	/* Adds the state of a task. May be NULL: then the viewer derives states itself. */
	void (*add_state)(struct trace_export *x, const struct export_state *s,
			  struct textbuf *out);
	void (*finish)(struct trace_export *x, struct textbuf *out);
	/* After finish: the text of a second file, which describes the first. May be NULL. */
	void (*describe)(struct trace_export *x, struct textbuf *out);
	void (*free)(struct trace_export *x);
};

extern const struct trace_export_kind export_perfetto, export_chrome, export_ctf;

#endif

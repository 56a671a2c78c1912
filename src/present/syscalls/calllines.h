/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * calllines.h - system calls of a trace as lines, in strace's form.
 *
 *	calllines_new
 *	    calllines_add       a record, in the order of time ──▶ lines in a text
 *	calllines_finish        the rest
 *	calllines_free
 *
 * Which calls are shown is part of the spec, so that it works for files as for live traces. One
 * thread.
 */
#ifndef SONDE_PRESENT_SYSCALLS_CALLLINES_H
#define SONDE_PRESENT_SYSCALLS_CALLLINES_H

#include "decode/syscalls/syscalltext.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct calllines;
struct callsummary;
struct record;
struct perflines_spec;
struct syscallevents_call;
struct textbuf;

enum calllines_time {
	CALLLINES_NO_TIME,
	CALLLINES_SECONDS, /* -t */
	CALLLINES_MICROS,  /* -tt */
	CALLLINES_EPOCH,   /* -ttt */
};

/* Digits behind the point. */
enum calllines_precision {
	CALLLINES_DEFAULT_PRECISION, /* as the time has it; 6 of others */
	CALLLINES_S,
	CALLLINES_MS,
	CALLLINES_US,
	CALLLINES_NS,
};

enum calllines_pids { CALLLINES_PIDS_AUTO, CALLLINES_PIDS_ALL, CALLLINES_NO_PIDS };

#define CALLLINES_CALL_WORDS 16
#define CALLLINES_PATHS_MAX  32
#define CALLLINES_PIDS_MAX   64

struct calllines_spec {
	struct syscalltext_options text;
	enum calllines_time time;
	enum calllines_pids pids;
	bool relative;	/* -r: time since the previous call */
	bool durations; /* -T */
	bool numbers;	/* -n: of the calls */
	enum calllines_precision time_digits, relative_digits, duration_digits;
	bool json;	 /* an object per call */
	bool no_lines;	 /* only the summary */
	unsigned column; /* of " = "; 0: 40 */
	/* which calls */
	const uint64_t *calls, *calls_32; /* bits of numbers; NULL: all */
	bool only_failed, only_ok;
	bool only_open; /* calls that do not return, beside the above */
	bool no_calls;	/* signals and ends only */
	bool no_signals, no_exits;
	uint64_t hidden_signals; /* bits of signals, from 1 on */
	bool tells_threads;	 /* "strace: Process 12 attached" before the line of a new one */
	uint64_t min_ns;	 /* --duration */
	const char *paths[CALLLINES_PATHS_MAX]; /* -P */
	size_t n_paths;
	const int *hidden_pids; /* threads and processes that are not shown */
	size_t n_hidden_pids;
	struct callsummary *summary;	   /* counts them; NULL: none */
	const struct perflines_spec *perf; /* lines in perf trace's form; NULL: in strace's */
	struct textbuf *tables;		   /* gets perf trace's tables at the end; NULL: none */
};

/* spec and what it points to must stay. Returns 0 or -ENOMEM. */
int calllines_new(struct calllines **ret, const struct calllines_spec *spec);
void calllines_free(struct calllines *c);
/* What a thread is called. */
void calllines_name(struct calllines *c, int pid, const char *comm, size_t len);
/* Nothing more will be shown (perf trace --max-events). */
bool calllines_is_full(const struct calllines *c);
/* Adds lines to tb, perhaps of earlier records. Returns 0 or -ENOMEM. */
int calllines_add(struct calllines *c, uint64_t ts, const struct syscallevents_call *call,
		  size_t n_bytes, struct textbuf *tb);
/* Adds another event, if the form has any (struct perflines_spec). */
int calllines_add_event(struct calllines *c, const struct record *rec, bool swap,
			struct textbuf *tb);
/* n calls were lost before the next one; how many so far. */
void calllines_add_lost(struct calllines *c, uint64_t n, struct textbuf *tb);
uint64_t calllines_n_lost(const struct calllines *c);
/* Time has passed without calls: what is certain now is shown. */
void calllines_pass(struct calllines *c, uint64_t ts, struct textbuf *tb);
void calllines_finish(struct calllines *c, struct textbuf *tb);
/* The caller has taken the text, and begins another one. */
void calllines_cut(struct calllines *c, const struct textbuf *tb);
/* For descriptors that were open before: the decoders 0 and 1. The second is NULL without -P. */
struct syscalltext *calllines_text(struct calllines *c, unsigned index);

#endif

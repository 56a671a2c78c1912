/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * uftwriter.h - writes calls of programs as a uftrace.data directory, which uftrace 0.13 and later
 * read.
 *
 *	uftwriter_new ─▶ uftwriter_enter, uftwriter_leave … (each task in the order of time)
 *	              ─▶ uftwriter_finish ─▶ uftwriter_free
 *
 * Functions are those of SNF_OPTION_USER_FUNCTIONS (capture/calls/plans/text.c describes it). A
 * function that the option does not list gets an address of its own. What a trace does not know is
 * made up: the address of a program in memory, and one session for all programs of a recording. One
 * owner.
 */
#ifndef SONDE_REWRITE_UFTRACE_UFTWRITER_H
#define SONDE_REWRITE_UFTRACE_UFTWRITER_H

#include "format/bytes.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>
#include <time.h>

struct errmsg;
struct formats;
struct record;
struct uftwriter;

#define UFTWRITER_MARK_BYTES 200

/* What the directory says about the recording. Texts may be NULL. */
struct uftwriter_run {
	bool is_here;	     /* recorded just now on this machine; usage is valid */
	const char *exename; /* full path; NULL: the first file of the option */
	const char *cmdline; /* of the recorder */
	const char *elapsed; /* "0.058039326" seconds; NULL: from the first to the last record */
	const char *default_opts; /* options that readers use, too */
	int wait_status;	  /* of the command, as from wait() */
	time_t date;		  /* when it was recorded */
	struct rusage usage;
	int max_stack;
	bool is_glob, has_libcalls;
	bool keeps_open;      /* calls that have not returned are written, too */
	bool has_auto_values; /* the values are those of all functions, not of named ones */
	/* names of the program's events, "PROVIDER:NAME", by number */
	const char (*marks)[UFTWRITER_MARK_BYTES];
	size_t n_marks;
};

struct uftwriter_config {
	const char *dir;
	/* one that exists is refused with -EEXIST; else it becomes DIR.old */
	bool must_be_new;
	struct piece functions; /* the option's text, which must stay; may be empty */
	bool with_sources;	/* where functions begin in their source */
	const char *source_dir; /* taken off the names of source files; NULL: none */
};

/* Makes the directory. */
int uftwriter_new(struct uftwriter **ret, const struct uftwriter_config *config,
		  struct errmsg *err);
void uftwriter_free(struct uftwriter *w);

struct uftwriter_call {
	int tid, tgid; /* tgid -1: unknown */
	uint64_t ts;
	uint64_t func;		   /* as in events */
	const char *name, *module; /* used if the option does not list it; module may be NULL */
	uint32_t depth;
	/*
	 * arguments or return value as texts, as in events; NULL: none. Needs forms in the option.
	 */
	const char *values;
};

struct uftwriter_counts {
	uint64_t n_calls;
	uint64_t n_deep; /* left out: the format has ten bits for the depth */
};

/* 0 or negative with a message. */
int uftwriter_enter(struct uftwriter *w, const struct uftwriter_call *c, struct errmsg *err);
int uftwriter_leave(struct uftwriter *w, const struct uftwriter_call *c, struct errmsg *err);
/* Event number i of the program; names come at the end. A task without calls gets none. */
int uftwriter_mark(struct uftwriter *w, int tid, uint64_t ts, uint32_t i, struct errmsg *err);
/* n events were lost here. */
void uftwriter_lose(struct uftwriter *w, uint64_t n);

/*
 * The directory gets the kernel's calls and events, too: call it once, then uftwriter_add_kernel()
 * in the order of time. formats: of the trace, must stay. -ENODATA: the trace describes no calls of
 * the kernel.
 */
int uftwriter_use_kernel(struct uftwriter *w, struct formats *formats, struct errmsg *err);
int uftwriter_add_kernel(struct uftwriter *w, const struct record *rec, struct errmsg *err);

/*
 * The task switches of a CPU, as perf's ring buffer has them: those of tasks with calls are
 * written. CPUs come in order, after all calls.
 */
int uftwriter_add_switches(struct uftwriter *w, struct piece data, struct errmsg *err);

/*
 * Calls that have not returned, and have nothing inside that has, are left out unless keeps_open.
 */
int uftwriter_finish(struct uftwriter *w, const struct uftwriter_run *run, struct errmsg *err);
struct uftwriter_counts uftwriter_counts(const struct uftwriter *w);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * usertrace.h - user functions of a recording: from the library that is preloaded to the events in
 * the file.
 *
 *	usertrace_open        socket, library, memory; no thread yet. The command gets
 *	                      usertrace_env()
 *	usertrace_start       programs are answered, events go into a buffer of a growing file
 *	usertrace_stop        all events are in the file
 *	usertrace_add_…       names for the file's end; usertrace_get_sum
 *	usertrace_close
 *
 * Programs that still run after usertrace_stop() continue, but are not recorded.
 */
#ifndef SONDE_CAPTURE_CALLS_USERTRACE_H
#define SONDE_CAPTURE_CALLS_USERTRACE_H

#include "capture/calls/userattached.h"
#include "capture/calls/usercollector.h"
#include "capture/calls/plans/plans.h"
#include "capture/steer/userwatch.h"

struct callrules;
struct errmsg;
struct livefile;
struct processes;
struct textbuf;
struct userstats;
struct userswitch;
struct usertrace;
struct valuerules;

#define USERTRACE_THREADS_MAX 512u /* at the same time */

struct usertrace_config {
	struct userchoice *choice;	 /* used and changed until usertrace_close() */
	const struct valuerules *values; /* arguments and return values; NULL: none */
	struct callrules *calls;	 /* which calls count, and what they do; NULL: all */
	double budget_percent;		 /* tracing may cost the programs this much; 0: anything */
	/* running processes whose functions are traced, as text; none: those of a command */
	char *const *pids;
	size_t n_pids;
	/* the command's file, if it cannot load the runtime: the kernel's probes trace it; NULL */
	const char *probed;
	bool only_probes; /* nothing else is traced: no program loads the runtime */
	bool pids_probed; /* the kernel's probes trace the running processes */
	bool drops;	  /* a full ring loses records, instead of keeping its program waiting */
};

struct usertrace_sum {
	struct usercollector_sum calls;
	struct userplans_sum plans;
	uint64_t n_called;	 /* functions that were called */
	uint32_t n_no_slot;	 /* threads that found no ring */
	uint32_t n_quiet;	 /* threads that gave up the rights to record (seccomp) */
	uint32_t n_failures;	 /* images that programs could not patch */
	uint32_t n_refused;	 /* programs that got no answer */
	uint32_t n_switched_off; /* functions, at the end */
	double cost_percent;	 /* what tracing cost the programs, about; 0: unknown */
	uint32_t n_running;	 /* traced processes that still run now */
	struct userattached_sum attached;
};

int usertrace_open(struct usertrace **ret, const struct usertrace_config *config,
		   struct errmsg *err);
/* Before usertrace_start(): the command's program, which is then analysed before it runs. */
void usertrace_prepare(struct usertrace *u, const char *path);
/* Processes that belong to the recorder, not to the command; 0: none. */
pid_t usertrace_keeper(const struct usertrace *u);
pid_t usertrace_guardian(const struct usertrace *u);
/* Of a program that probes trace: only functions with debug information are traced. */
bool usertrace_leaves_out(const struct usertrace *u);
/* "NAME=VALUE" … NULL, for the command. */
const char *const *usertrace_env(const struct usertrace *u);

/* file has been started; buffer: its index, with n_cpus regions of pages of page_size. */
int usertrace_start(struct usertrace *u, struct livefile *file, int buffer, unsigned n_cpus,
		    uint32_t page_size, struct errmsg *err);
/*
 * Instead of usertrace_start(), for a trace that is read while it is written: pages go to take().
 * The caller's thread reads the rings with usertrace_read(): it returns how many microseconds to
 * wait before the next call, or a negative errno. usertrace_read_rest() is the last call.
 */
typedef int usertrace_taker(void *ctx, unsigned cpu, const void *page, size_t n_bytes);
int usertrace_start_live(struct usertrace *u, usertrace_taker *take, void *ctx, unsigned n_cpus,
			 uint32_t page_size, struct errmsg *err);
int usertrace_read(struct usertrace *u);
int usertrace_read_rest(struct usertrace *u);
/*
 * At any time and in any thread: symbols of files from number *n_files on; *n_files is then the
 * number of files.
 */
void usertrace_add_new_symbols(struct usertrace *u, size_t *n_files, struct textbuf *tb);

/* At any time and in any thread: "PID NAME" lines of the threads that have recorded. */
void usertrace_add_names(struct usertrace *u, struct textbuf *tb);
/* At any time and in any thread: the name of a thread that has recorded. Its length; 0: unknown. */
size_t usertrace_find_name(struct usertrace *u, int tid, char *buf, size_t size);

/* Returns true if all processes that sonde attached to have ended; false if there were none. */
bool usertrace_have_ended(const struct usertrace *u);
/* Becomes readable when the recording cannot continue. */
int usertrace_fd(const struct usertrace *u);
/* The number of calls so far; any thread. */
uint64_t usertrace_n_calls(const struct usertrace *u);
uint64_t usertrace_n_lost(const struct usertrace *u);
void usertrace_get_status(struct usertrace *u, struct userwatch_status *ret);
/* A text that becomes an event; any thread. */
int usertrace_add_mark(struct usertrace *u, const char *text, struct errmsg *err);
/* For usercontrol.h. */
struct userplans *usertrace_plans(const struct usertrace *u);
struct userswitch *usertrace_switches(const struct usertrace *u);
const struct userstats *usertrace_stats(const struct usertrace *u);
/*
 * Live: processes that sonde attached to are as before; what they have recorded can still be read.
 */
void usertrace_leave(struct usertrace *u);
/* Returns the failure of the recording, if there was one. A second call does nothing else. */
int usertrace_stop(struct usertrace *u, struct errmsg *err);

/*
 * Not between usertrace_start() and usertrace_stop(). Lines of kallsyms; the file's option;
 * sentences.
 */
void usertrace_add_symbols(struct usertrace *u, struct textbuf *tb);
int usertrace_add_option(struct usertrace *u, struct livefile *file, struct errmsg *err);
void usertrace_add_processes(const struct usertrace *u, struct processes *p);
void usertrace_get_sum(struct usertrace *u, struct usertrace_sum *ret);
void usertrace_tell_reasons(struct usertrace *u, void (*tell)(const char *sentence));
/* Values that are not recorded as wanted. */
void usertrace_tell_values(const struct usertrace *u, void (*tell)(const char *sentence));
/* Names of functions that are switched off, those with most calls first; "a, b, c and 7 more". */
void usertrace_fmt_switched_off(struct usertrace *u, char *text, size_t n_bytes);
/* u may be NULL. */
void usertrace_close(struct usertrace *u);

#endif

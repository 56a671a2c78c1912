/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * request.h - a request to trace: the values of the options of record and similar commands.
 *
 * The command line fills it (cli/record/recordopts.h); recording, streaming, counting and profiling
 * read it. Strings belong to the command line, except those of the plan and of the word lists,
 * which live_request_release() frees.
 */
#ifndef SONDE_LIVE_REQUEST_H
#define SONDE_LIVE_REQUEST_H

#include "capture/perf/samplechoice.h"
#include "capture/plan.h"
#include "capture/steer/callrules.h"
#include "capture/user/choice.h"
#include "capture/user/values.h"
#include "live/front.h"

struct errmsg;
struct guest_list;
struct livecalls_choice;
struct recording_config;
struct session_config;
struct setup_notes;
struct sysprograms_config;

struct live_request {
	struct plan plan;
	bool negate, has_negated; /* -v was used, and an event came after it */
	bool is_peer;		  /* accept what trace-cmd accepts, even if it has no effect */
	/* the output file */
	const char *output, *temp_dir, *compression;
	long long file_version, max_kb;
	bool all_formats, date, proc_map, tsc2nsec;
	const char *ts_offset;
	/* functions of programs (-u) */
	bool has_user;
	struct userchoice user_choice;
	struct valuerules user_values;
	struct callrules user_calls;
	bool has_user_full;
	double user_budget;    /* --budget, in percent; 0: none */
	bool has_kernel_depth; /* --kernel-depth: kernel functions inside user functions, too */
	bool user_probes;      /* the kernel's probes trace the program, not hooks */
	bool user_drops;       /* a full ring drops calls instead of making the program wait */
	bool short_names;      /* of a result: functions without template arguments */
	struct samplechoice samples; /* --sample */
	/* system calls, by BPF programs (sonde trace, record --syscalls); NULL: none */
	const struct sysprograms_config *syscalls;
	struct livecalls_choice *own_syscalls; /* NULL: the command has its own */
	/* the recorder */
	long long sleep_us, rt_priority;
	bool waits_children; /* the recording ends with the last program that the command started */
	bool no_splice, busy, keep, quiet, to_stderr, daemonize;
	const char *user;
	bool pass_status; /* end with the exit status of the command, as perf does */
	bool boot;	  /* print kernel parameters with the same effect */
	/* over the network */
	const char *host, *vsock, *key;
	bool tcp, no_timeout;
	const struct guest_list *agents; /* guests, with the words for their agents; NULL: none */
	bool no_fifos;
	const char *proxy;
	long long tsync_ms;
	/* profile */
	bool profile, global_irqs, only_named, by_comm;
	struct plan_words hooks;
	bool debug;
	const char *verbose;
	/* functions that inform the user */
	const struct live_front *front;
	/* called when recording starts, instead of printing a line; may be NULL */
	void (*begun)(void *ctx);
	void *begun_ctx;
	struct plan_words told; /* printed notes, which another attempt skips */
};

int live_request_init(struct live_request *o, const struct live_front *front);
void live_request_release(struct live_request *o);

/* Returns the function for session_config.tell: NULL with --quiet. */
void (*live_request_tell(const struct live_request *o))(const char *sentence);
/* Prints one line about the progress; nothing with --quiet. */
void live_request_say(const struct live_request *o, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Gives the user one note, as live_request_tell() does, but also with --quiet. */
void live_request_note(const struct live_request *o, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Returns the session that the request asks for. argv: its command, ended by NULL. */
struct session_config live_request_session(struct live_request *o, char **argv);

/* Prints the notes of a setup that were not printed yet, and stores them. */
void live_request_tell_notes(struct live_request *o, const struct setup_notes *notes);

/*
 * All buffers of the kernel get this clock, because another source of the same file has it. option:
 * the one that asks for that source. Another clock is refused.
 */
int live_request_set_clocks(struct live_request *o, const char *clock, const char *option,
			    struct errmsg *err);

/* Adds the default events, if the user names none: scheduling, interrupts and system calls. */
int live_request_add_defaults(struct live_request *o, struct errmsg *err);

/* Refuses names that a recording cannot have: in other commands "-" means standard output. */
int live_request_check_output(const char *path, struct errmsg *err);

/* Gets the part of the request for the file and its recorder, with sonde as the program. */
int live_request_get_config(const struct live_request *o, const char *path,
			    struct recording_config *ret_config, struct errmsg *err);

#endif

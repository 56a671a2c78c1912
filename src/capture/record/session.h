/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * session.h - one recording from its first change to the last: journal, setup, command, signals.
 *
 *	session_open       the machine is set as the plan says; the command exists but waits
 *	    session_streams    what a recorder has to read
 *	session_start      tracing is on, the command runs
 *	session_wait       until the command ends, somebody asks us to, or the recorder fails
 *	session_stop       tracing is off; take what is left
 *	session_close      everything as it was
 *
 * SIGINT, SIGTERM, SIGHUP and SIGQUIT end session_wait(); a second one ends the program, and the
 * guardian does the rest. Call session_open() before there are threads.
 */
#ifndef SONDE_CAPTURE_RECORD_SESSION_H
#define SONDE_CAPTURE_RECORD_SESSION_H

#include "capture/kernel/census.h"
#include "capture/record/child.h"
#include "capture/kernel/kernelinfo.h"
#include "capture/record/recorder.h"
#include "capture/setup/setup.h"

#include <stdint.h>

struct bpftasks;
struct session;

struct session_config {
	struct plan *plan;
	char **argv;	  /* the command, NULL: none */
	const char *user; /* it runs as */
	bool keep;	  /* -k: the settings stay in the end */
	bool all_formats; /* -a */
	bool no_symbols;  /* the kernel's symbols are not needed */
	/* Takes a sentence about probes that are hit too often, while it is recorded; may be NULL. */
	void (*tell)(const char *sentence);
	/*
	 * Called when everything is set up and nothing has begun, for what needs all of root's powers; may be NULL.
	 * What it cannot do without afterwards it adds to s->powers (bits of CAP_…).
	 */
	int (*prepare)(struct session *s, void *ctx, struct errmsg *err);
	/* Called when events begin to count, just before the command runs; may be NULL. */
	void (*begin)(void *ctx);
	void *prepare_ctx; /* of both */
};

enum session_end {
	SESSION_COMMAND, /* it has ended */
	SESSION_SIGNAL,
	SESSION_FAILURE, /* the recorder cannot go on */
	SESSION_TICK,	 /* the tick function said so */
};

struct session {
	struct session_config config;
	struct plan own_plan; /* of session_attach() */
	struct tracefs t;
	struct journal *journal;
	struct setup *setup;
	struct child child;
	bool has_child;
	int child_status; /* as wait() gives it, once it has ended */
	int signal_fd, signal;
	struct kernelinfo kernel;
	struct census *census; /* processes; NULL: nobody asks for them */
	struct textbuf names;  /* of all tasks, "PID NAME" lines, as of session_open() */
	unsigned n_cpus;
	uint64_t start_ns, stop_ns; /* CLOCK_MONOTONIC */
	uint64_t powers;	    /* kept besides those of privileges.c */
	/*
	 * Set by prepare: programs in the kernel choose the tasks, and the buffers need not. It would cost at every switch
	 * from one task to another.
	 */
	bool has_own_choice;
	const struct bpftasks *own_choice; /* … and these are they, with -c; NULL: not known */
	uint64_t watched_ns;		   /* when hits of probes were counted last */
	bool has_threads;  /* the command, of which only the first one is traced (-F without -c) */
	uint64_t n_missed; /* hits of probes that no event tells of, once it is stopped */
};

int session_open(struct session *s, const struct session_config *config, struct errmsg *err);

/*
 * For looking at what is there: the buffers of these instances ("": the top level), stopped, nothing else
 * changed. keep: session_close() lets those go on that ran.
 */
int session_attach(struct session *s, const struct name_list *instances, bool keep,
		   struct errmsg *err);

/* Sub-buffer size of one of the setup's buffers. */
uint32_t session_page_size(const struct session *s, size_t buffer);
/* The name of its clock: "local". */
void session_clock(const struct session *s, size_t buffer, char *buf, size_t n_bytes);

int session_start(struct session *s, struct errmsg *err);
/*
 * recorder_fd: becomes readable when it failed, -1: none. Calls tick every tick_ms until it returns
 * false; tick may be NULL.
 */
enum session_end session_wait(struct session *s, int recorder_fd, unsigned tick_ms,
			      bool (*tick)(void *ctx), void *ctx);
int session_stop(struct session *s, struct errmsg *err);
/* After it: what is not in the trace, in sentences, besides what the buffers lost. tell may be NULL. */
void session_tell_missing(struct session *s, void (*tell)(const char *sentence));
/* Once it has ended: by a signal that we did not send. */
void session_tell_end(const struct session *s, void (*tell)(const char *sentence));

/* The numbers of per_cpu/cpuN/stats. */
struct cpu_stats {
	uint64_t entries, overrun, commit_overrun, dropped, read_events, bytes;
};
/* False if they cannot be read. text: the file itself is added, may be NULL. */
bool session_cpu_stats(const struct session *s, const char *instance, unsigned cpu,
		       struct cpu_stats *ret_stats, struct textbuf *text);

/*
 * Waits for the command if it still runs. Puts everything back, negative if that failed; then only the
 * texts of the session are left, for who still has something to print.
 */
int session_restore(struct session *s, struct errmsg *err);
/* The same, and frees the rest. */
int session_close(struct session *s, struct errmsg *err);

#endif

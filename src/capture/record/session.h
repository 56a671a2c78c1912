/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * session.h - one recording from its first change to its last: journal, setup, command, signals.
 *
 *	session_open       sets up the machine according to the plan; the command exists but waits
 *	    session_streams    returns the streams for a recorder
 *	session_start      turns tracing on and runs the command
 *	session_wait       waits until the command ends, a signal arrives, or the recorder fails
 *	session_stop       turns tracing off; read the rest now
 *	session_close      restores all settings
 *
 * SIGINT, SIGTERM, SIGHUP and SIGQUIT end session_wait(); a second signal ends the program, and the
 * guardian restores the machine. Call session_open() before there are threads.
 */
#ifndef SONDE_CAPTURE_RECORD_SESSION_H
#define SONDE_CAPTURE_RECORD_SESSION_H

#include "base/textbuf.h"
#include "capture/kernel/census.h"
#include "capture/record/child.h"
#include "capture/record/orphans.h"
#include "capture/kernel/kernelinfo.h"
#include "capture/record/recorder.h"
#include "capture/setup/setup.h"
#include "format/bytes.h"
#include "store/tracefile.h"

#include <stdint.h>

struct bpftasks;
struct session;

#define SESSION_ENV_MAX 4

struct session_config {
	struct plan *plan;
	char **argv;	  /* the command; NULL: none */
	const char *user; /* the user who runs the command */
	/* "NAME=VALUE" … NULL, at most SESSION_ENV_MAX, for the command; may be NULL */
	const char *const *env;
	bool waits; /* for the programs that the command has started, not only for the command */
	bool keep;  /* -k: keep the settings at the end */
	bool all_formats; /* -a */
	bool no_symbols;  /* the kernel's symbols are not needed */
	uint64_t powers;  /* capabilities to keep, bits of CAP_… */
	/* Gets messages about probes that are hit too often during the recording; may be NULL. */
	void (*tell)(const char *sentence);
	/*
	 * Called after the setup and before the recording, for work that needs all capabilities of
	 * root; may be NULL. It adds the capabilities that it needs later to s->powers (bits of
	 * CAP_…).
	 */
	int (*prepare)(struct session *s, void *ctx, struct errmsg *err);
	/* Called when events start to count, just before the command runs; may be NULL. */
	void (*begin)(void *ctx);
	void *prepare_ctx; /* ctx of both functions */
};

enum session_end {
	SESSION_COMMAND, /* the command has ended */
	SESSION_SIGNAL,
	SESSION_FAILURE, /* the recorder cannot continue */
	SESSION_TICK,	 /* the tick function returned false */
};

struct session {
	struct session_config config;
	struct plan own_plan; /* for session_attach() */
	struct tracefs t;
	struct journal *journal;
	struct setup *setup;
	struct child child;
	bool has_child;
	struct orphans orphans;
	int child_status; /* status from wait(), after the command has ended */
	int signal_fd, signal;
	struct kernelinfo kernel;
	struct census *census; /* processes; NULL: not needed */
	/* names of all tasks at the time of session_open(), as "PID NAME" lines */
	struct textbuf names;
	unsigned n_cpus;
	uint64_t start_ns, stop_ns; /* CLOCK_MONOTONIC */
	uint64_t powers;	    /* capabilities kept in addition to those of privileges.c */
	/*
	 * Set by prepare: BPF programs select the tasks, so the buffers need not. A selection in
	 * the buffers costs time at every context switch.
	 */
	bool has_own_choice;
	const struct bpftasks *own_choice; /* the tasks that they select with -c; NULL: unknown */
	uint64_t watched_ns;		   /* time when the hits of probes were last counted */
	/* the command has threads, but only the first is traced (-F without -c) */
	bool has_threads;
	uint64_t n_missed; /* number of hits of probes without an event; known after the stop */
};

int session_open(struct session *s, const struct session_config *config, struct errmsg *err);

/*
 * Opens a session without the kernel: perhaps with a command, with signals, but with no settings to
 * change or restore. It has no buffers, and the texts of user functions (userevents.h). It needs no
 * rights.
 */
int session_open_alone(struct session *s, const struct session_config *config, struct errmsg *err);

/*
 * Prepares to read existing buffers: stops the buffers of these instances ("": the top level) and
 * changes nothing else. keep: session_close() restarts those that were running.
 */
int session_attach(struct session *s, const struct name_list *instances, bool keep,
		   struct errmsg *err);

/* Returns a text of the kernel for a trace file: formats, symbols, names of tasks. */
struct piece session_text(const struct session *s, enum tracefile_text_kind kind);
/* Returns the sub-buffer size of one of the setup's buffers. */
uint32_t session_page_size(const struct session *s, size_t buffer);
/* Writes the name of the buffer's clock: "local". */
void session_clock(const struct session *s, size_t buffer, char *buf, size_t n_bytes);

int session_start(struct session *s, struct errmsg *err);
/*
 * Waits for the end. recorder_fd becomes readable when the recorder failed; -1: none. Calls tick
 * every tick_ms until it returns false; tick may be NULL.
 */
enum session_end session_wait(struct session *s, int recorder_fd, unsigned tick_ms,
			      bool (*tick)(void *ctx), void *ctx);
int session_stop(struct session *s, struct errmsg *err);
/*
 * Reports what the trace lacks, besides the losses of the buffers. Call it after the recording.
 * tell may be NULL.
 */
void session_tell_missing(struct session *s, void (*tell)(const char *sentence));
/* Reports a command that was ended by a signal that we did not send. */
void session_tell_end(const struct session *s, void (*tell)(const char *sentence));
/*
 * Like session_tell_end(), from a status of wait(). more is the rest of the sentence; tell may be
 * NULL.
 */
void session_tell_signal(int status, const char *more, void (*tell)(const char *sentence));

/* The numbers of per_cpu/cpuN/stats. */
struct cpu_stats {
	uint64_t entries, overrun, commit_overrun, dropped, read_events, bytes;
};
/*
 * Reads the numbers. Returns false if they cannot be read. The file is appended to text, which may
 * be NULL.
 */
bool session_cpu_stats(const struct session *s, const char *instance, unsigned cpu,
		       struct cpu_stats *ret_stats, struct textbuf *text);

/*
 * Restores all settings. Waits for the command if it still runs. Returns a negative errno if
 * restoring failed. After that only the texts of the session remain, for the output.
 */
int session_restore(struct session *s, struct errmsg *err);
/* Like session_restore(), and frees the rest. */
int session_close(struct session *s, struct errmsg *err);

#endif

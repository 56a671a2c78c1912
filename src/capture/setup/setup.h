/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * setup.h - carries out a plan: creates instances, enables events and tracers.
 *
 *	setup_apply      sets everything; nothing is recorded yet (tracing_on is 0)
 *	setup_set_pid    -F: trace only this task; call it when the task exists
 *	setup_start      tracing_on 1, in all buffers
 *	setup_stop       tracing_on 0
 *
 * With a journal, journal_undo() restores everything. Without a journal (start, set) the settings
 * stay, and the default buffer is the top level. A separate journal notes the changes to settings
 * of other users, in case the setup fails half-way.
 */
#ifndef SONDE_CAPTURE_SETUP_SETUP_H
#define SONDE_CAPTURE_SETUP_SETUP_H

#include "base/textbuf.h"
#include "capture/tracefs/journal/journal.h"
#include "capture/kernel/mappings.h"
#include "capture/plan.h"
#include "probe/probe.h"
#include "symbols/processes.h"

struct setup_buffer {
	const struct plan_buffer *plan;
	char instance[TRACEFS_NAME_MAX]; /* "" : the top level */
	bool is_latency;		 /* the buffer's tracer keeps the worst case as a text */
	/* without a journal: sonde created the instance; sonde reset it to the state after boot */
	bool is_new, is_anew;
};

/*
 * Messages for the user, for example that sonde used another function or that an event lacks a
 * field.
 */
struct setup_notes {
	char **texts;
	size_t n, cap;
};

struct sampling;
struct usertrace;

struct setup {
	/*
	 * the plan; setup replaces its patterns of program functions by the events that they match
	 */
	struct plan *plan;
	struct tracefs t;
	struct journal *journal; /* NULL: settings stay */
	/* without a journal: the changes so far (plan->put_back); may be NULL */
	struct journal *undo;
	struct setup_buffer *buffers;
	size_t n_buffers;
	bool tells_names; /* plan->tell_names is set and the kernel can do it */
	struct setup_notes notes;
	struct setup_probe **probes; /* the events of the plan that are definitions */
	size_t n_probes, cap_probes;
	struct prober *prober;
	struct probe_site *site;
	/*
	 * Cost of a hit of a probe, [kind][is_quick, cost.h]; 0: not measured yet, -1: cannot be
	 * measured.
	 */
	double probe_ns[PROBE_RAW + 1][2];
	double event_ns; /* cost of writing an event, in ns; 0: not measured */
	/* mappings of programs, if names have to be resolved; else NULL */
	struct mappings *mappings;
	/* processes of the machine; NULL: not needed (census.h) */
	const struct processes *processes;
	/* trace of user functions, whose names become known during the run; NULL: none */
	struct usertrace *user;
	struct sampling *samples; /* the same of samples */
	/* number of events in the buffers at the last check of the probes' hits */
	uint64_t n_events_seen;
	bool copies_markers; /* the top level's markers are copied into our instance */
	bool misses_markers; /* the top level's markers cannot be copied into our instance */
	/* if markers are missed: number of records in the top level's buffer at the start */
	long long n_top_before;
	bool is_program_busy; /* other processes run the program of the command already */
};

/* Applies the plan. After a failure, closing the journal restores all settings. */
int setup_apply(struct setup **ret_setup, struct plan *plan, const struct tracefs *t,
		struct journal *journal, struct errmsg *err);
/*
 * Uses existing buffers without changing anything. with_top: also the default buffer of the plan.
 */
int setup_attach(struct setup **ret_setup, struct plan *plan, const struct tracefs *t,
		 bool with_top, struct errmsg *err);
int setup_set_pid(struct setup *s, int pid, struct errmsg *err);
int setup_start(struct setup *s, struct errmsg *err);
/* Stops tracing. keep: also keep the values that a latency tracer has set. */
int setup_stop(struct setup *s, bool keep, struct errmsg *err);
/*
 * Undoes a setup without a journal, after a later failure: removes what setup_apply() created, and
 * resets what setup_apply() had reset. With put_back, restores earlier settings.
 */
void setup_take_back(struct setup *s);
/* Without a journal: from now on the settings stay, even if sonde is killed. */
void setup_settle(struct setup *s);
/* Frees s, which may be NULL. The settings stay; the caller owns the journal. */
void setup_free(struct setup *s);

/* Writes to a file of a buffer, through the journal if there is one. */
int setup_write(struct setup *s, const char *instance, const char *file, const char *text,
		enum tracefs_how how, struct errmsg *err);
void setup_note(struct setup *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/*
 * Returns true if the buffer has a function tracer. Hardened kernels refuse only the settings of
 * functions.
 */
bool setup_traces_functions(const struct setup_buffer *b);

/*
 * Checks how often the plan's probes were hit in the last `seconds`. Warns once about an expensive
 * probe, and disables a probe above plan->max_rate. tell may be NULL.
 */
void setup_watch_probes(struct setup *s, double seconds, void (*tell)(const char *sentence));
/* Measures the cost of a hit on this machine, if the plan has probes whose cost varies much. */
void setup_measure_probes(struct setup *s);
/*
 * Calls tell for each probe with hits that made no event, and returns the number of these hits. The
 * kernel could not follow so many calls at once, or could not join a return with its entry. tell
 * may be NULL.
 */
uint64_t setup_tell_misses(struct setup *s, void (*tell)(const char *sentence));
/*
 * Calls tell if programs wrote markers to the top level (trace_marker) that are not in our
 * instance. tell may be NULL.
 */
void setup_tell_markers(struct setup *s, void (*tell)(const char *sentence));
/*
 * Counts lost hits: hits in the command's program whose record did not fit into a page. The kernel
 * drops these records and does not count them, so their number is the number of hits minus the
 * number of events. setup_can_lose() says whether lost hits are possible, so that callers count
 * events only if they need to. It uses the state before the command runs.
 */
struct setup_arrived {
	/* Returns the number of events with this id. */
	uint64_t (*count)(void *ctx, unsigned id);
	void *ctx;
	uint64_t n_lost; /* number of events of all ids that are known to be lost */
};
bool setup_can_lose(const struct setup *s);
/*
 * Checks whether other processes already run the program of the command. command: the pid of the
 * process that will run it and already has its name.
 */
void setup_look_at_others(struct setup *s, int command);
/*
 * Calls tell for each probe with lost hits, and returns the number of lost hits. Call it when the
 * command has ended and its probes still exist. tell may be NULL.
 */
uint64_t setup_tell_lost(struct setup *s, const struct setup_arrived *arrived,
			 void (*tell)(const char *sentence));
/* Returns true if probes record pointers to functions of programs. */
bool setup_records_code(const struct setup *s);
/* Returns true if anything records addresses of program code, for example stacks or page faults. */
bool setup_records_addresses(const struct setup *s);
/* Opens s->mappings, which resolve these addresses. Adds a note if that fails. */
int setup_open_mappings(struct setup *s);
/* Returns true if the plan probes returns in programs. */
bool setup_probes_returns(const struct setup *s);
/*
 * Returns the approximate cost of a hit of the plan's first event, in ns. Returns 0 if the event is
 * no probe or was not measured.
 */
double setup_first_probe_ns(const struct setup *s);
/* Returns the approximate cost of all hits so far, in seconds. */
double setup_probe_seconds(struct setup *s);
/*
 * Estimates the cost of the probes before the recording: counts hits for a moment, and reports each
 * probe.
 */
void setup_estimate_probes(struct setup *s, void (*tell)(const char *sentence));
/*
 * Runs between two checks, `seconds` after the first. Disables a probe that was hit plan->max_rate
 * times since then.
 */
void setup_limit_probes(struct setup *s, double seconds, void (*tell)(const char *sentence));

/*
 * Formats a probe's format file with names for its values, for kernelinfo.h. Returns false if the
 * probe is not ours.
 */
bool setup_fmt_format(void *setup, const char *system, const char *event, const char *text,
		      size_t len, struct textbuf *out);
/* Returns "probe" for the group of this recording, else the system itself. */
const char *setup_name_of_system(void *setup, const char *system);
/*
 * Returns the name of an event for the user. A return that is joined with its entry
 * ("sonde_12_vfs_read__return") loses the pid.
 */
const char *setup_name_of_event(const struct setup *s, const char *system, const char *event);

/*
 * Finds the two probes from which an event of "synthetic" is joined. Returns false if the event is
 * not ours.
 */
bool setup_find_ends(const struct setup *s, const char *event, const char **ret_group,
		     const char **ret_entry, const char **ret_return);
/* Stops joining entries with returns, because counting uses other means. */
void setup_leave_pairs(struct setup *s);

/*
 * Returns the event that is enabled for an event of the plan: the event of its definition
 * ("sonde_12/vfs_read"), or the event itself.
 */
const struct plan_event *setup_event(const struct setup *s, const struct plan_event *e);
bool setup_event_matches(const char *pattern, const char *system, const char *event);

/* Returns true if this event is enabled in a buffer, so that the file needs its format. */
bool setup_wants_event(void *setup, const char *system, const char *event);
/*
 * Returns true if this event is enabled only for the names of tasks (plan->tell_names), not at the
 * user's request.
 */
bool setup_is_for_names(const struct setup *s, const char *system, const char *event);

#endif

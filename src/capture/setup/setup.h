/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * setup.h - carries out a plan: creates instances, enables events and tracers.
 *
 *	setup_apply      sets everything; nothing is recorded yet (tracing_on is 0)
 *	setup_set_pid    -F: trace only this task, when it exists
 *	setup_start      tracing_on 1, in all buffers
 *	setup_stop       tracing_on 0
 *
 * With a journal, journal_undo() restores everything; without one (start, set) it stays, and the
 * default buffer is the top level. Changes to other users' settings are noted in a separate
 * journal, in case such a setup fails half-way.
 */
#ifndef SONDE_CAPTURE_SETUP_SETUP_H
#define SONDE_CAPTURE_SETUP_SETUP_H

#include "base/textbuf.h"
#include "capture/tracefs/journal.h"
#include "capture/kernel/mappings.h"
#include "capture/plan.h"
#include "probe/probe.h"
#include "symbols/processes.h"

struct setup_buffer {
	const struct plan_buffer *plan;
	char instance[TRACEFS_NAME_MAX]; /* "" : the top level */
	bool is_latency;		 /* its tracer keeps the worst case as a text */
	bool is_new, is_anew; /* without a journal: created by us; reset to the state after boot */
};

/* Messages for the user: a function was substituted, an event lacks a field. */
struct setup_notes {
	char **texts;
	size_t n;
};

struct setup {
	/* patterns of programs in it are replaced by the events that they match */
	struct plan *plan;
	struct tracefs t;
	struct journal *journal; /* NULL: settings stay */
	/* in that case: the changes so far (plan->put_back); may be NULL */
	struct journal *undo;
	struct setup_buffer *buffers;
	size_t n_buffers;
	bool tells_names; /* plan->tell_names, and it is possible */
	struct setup_notes notes;
	struct setup_probe **probes; /* for events that are definitions */
	size_t n_probes;
	struct prober *prober;
	struct probe_site *site;
	/*
	 * Cost of a hit of a probe, [kind][is_quick, cost.h]; 0: not measured yet, -1: cannot be
	 * measured.
	 */
	double probe_ns[PROBE_RAW + 1][2];
	double event_ns;	   /* the cost of writing the event; 0: not measured */
	struct mappings *mappings; /* of programs, if they are needed to resolve names; NULL */
	const struct processes *processes; /* of the machine; NULL: not needed (census.h) */
	uint64_t n_events_seen; /* in the buffers, when the hits of probes were last checked */
	bool copies_markers;	/* the top level's markers are copied into our instance */
	bool misses_markers;	/* the top level's markers cannot be copied into our instance */
	long long n_top_before; /* in that case: records in the top level's buffer at the start */
	bool is_program_busy;	/* other processes ran the command's program before */
};

/* After a failure, closing the journal restores all settings. */
int setup_apply(struct setup **ret_setup, struct plan *plan, const struct tracefs *t,
		struct journal *journal, struct errmsg *err);
/* Uses existing buffers without changing anything; the plan's default buffer only with_top. */
int setup_attach(struct setup **ret_setup, struct plan *plan, const struct tracefs *t,
		 bool with_top, struct errmsg *err);
int setup_set_pid(struct setup *s, int pid, struct errmsg *err);
int setup_start(struct setup *s, struct errmsg *err);
/* keep: also keep what a latency tracer has set. */
int setup_stop(struct setup *s, bool keep, struct errmsg *err);
/*
 * Without a journal, after a later failure: removes what setup_apply() created, and resets what it
 * had reset. With put_back, earlier settings are restored.
 */
void setup_take_back(struct setup *s);
/* Without a journal: from now on the settings stay, whatever happens to us. */
void setup_settle(struct setup *s);
/* Settings stay; the caller owns the journal. s may be NULL. */
void setup_free(struct setup *s);

/* Writes to a file of a buffer, through the journal if there is one. */
int setup_write(struct setup *s, const char *instance, const char *file, const char *text,
		enum tracefs_how how, struct errmsg *err);
void setup_note(struct setup *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/*
 * Does it have a function tracer? Hardened kernels refuse everything about functions, and only
 * that.
 */
bool setup_traces_functions(const struct setup_buffer *b);

/*
 * Checks how often the plan's probes were hit in the last `seconds`: warns once about an expensive
 * one, disables one above plan->max_rate. tell may be NULL.
 */
void setup_watch_probes(struct setup *s, double seconds, void (*tell)(const char *sentence));
/* Measures the cost of hits on this machine, if there are probes whose cost varies much. */
void setup_measure_probes(struct setup *s);
/*
 * Hits without an event: the kernel could not follow so many calls at once, or a return could not
 * be joined with its entry. Returns how many; calls tell for each probe. tell may be NULL.
 */
uint64_t setup_tell_misses(struct setup *s, void (*tell)(const char *sentence));
/*
 * Calls tell if markers were written to the top level (trace_marker) that are not in our instance.
 * tell may be NULL.
 */
void setup_tell_markers(struct setup *s, void (*tell)(const char *sentence));
/*
 * Hits of the command's own program whose record did not fit into a page: the kernel drops them and
 * does not count them, so their number is the number of hits minus the number of events.
 * setup_can_lose() says whether such hits are possible, for callers who count events only then; it
 * uses the state before the command runs.
 */
struct setup_arrived {
	/* The number of events of this id. */
	uint64_t (*count)(void *ctx, unsigned id);
	void *ctx;
	uint64_t n_lost; /* of all ids, known to be lost */
};
bool setup_can_lose(const struct setup *s);
/*
 * Checks whether other processes run that program already. command: the process that will run it,
 * which already has its name.
 */
void setup_look_at_others(struct setup *s, int command);
/*
 * Call it when the command has ended and its probes still exist. Returns how many; calls tell for
 * each probe. tell may be NULL.
 */
uint64_t setup_tell_lost(struct setup *s, const struct setup_arrived *arrived,
			 void (*tell)(const char *sentence));
/* Do probes record pointers to functions of programs? */
bool setup_records_code(const struct setup *s);
/* … or does anything else record addresses of their code: stacks, page faults? */
bool setup_records_addresses(const struct setup *s);
/* Opens s->mappings for that; adds a note if it cannot. */
int setup_open_mappings(struct setup *s);
/* Does it probe returns in programs? */
bool setup_probes_returns(const struct setup *s);
/*
 * The approximate cost of a hit of the plan's first event, if it is a probe and was measured; else
 * 0.
 */
double setup_first_probe_ns(const struct setup *s);
/* The approximate cost of all hits so far. */
double setup_probe_seconds(struct setup *s);
/* The same before the recording: counts for a moment, and reports each probe. */
void setup_estimate_probes(struct setup *s, void (*tell)(const char *sentence));
/*
 * Between two checks, `seconds` after the first: disables a probe that was hit plan->max_rate times
 * since then.
 */
void setup_limit_probes(struct setup *s, double seconds, void (*tell)(const char *sentence));

/* For kernelinfo.h: a probe's format with names for its values; false if the probe is not ours. */
bool setup_fmt_format(void *setup, const char *system, const char *event, const char *text,
		      size_t len, struct textbuf *out);
/* "probe" for our own group, else the system itself. */
const char *setup_name_of_system(void *setup, const char *system);
/* The same for an event: a return with its entry ("sonde_12_vfs_read__return") loses the pid. */
const char *setup_name_of_event(const struct setup *s, const char *system, const char *event);

/*
 * Finds the two probes from which such an event (of "synthetic") is joined; false: it is not ours.
 */
bool setup_find_ends(const struct setup *s, const char *event, const char **ret_group,
		     const char **ret_entry, const char **ret_return);
/* Stops joining them: counting uses other means. */
void setup_leave_pairs(struct setup *s);

/*
 * The event that is enabled for an event of the plan: that of its definition ("sonde_12/vfs_read"),
 * or itself.
 */
const struct plan_event *setup_event(const struct setup *s, const struct plan_event *e);
bool setup_event_matches(const char *pattern, const char *system, const char *event);

/* True if this event is enabled in a buffer: its format belongs into the file. */
bool setup_wants_event(void *setup, const char *system, const char *event);
/*
 * True if it is enabled only for the names of tasks (plan->tell_names): the user did not ask for
 * it.
 */
bool setup_is_for_names(const struct setup *s, const char *system, const char *event);

#endif

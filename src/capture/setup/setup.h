/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * setup.h - carries a plan out: makes instances, switches events and tracers on.
 *
 *	setup_apply      everything is set, nothing is recorded yet (tracing_on is 0)
 *	setup_set_pid    -F: only this task, once it exists
 *	setup_start      tracing_on 1, in all buffers
 *	setup_stop       tracing_on 0
 *
 * With a journal everything is put back by journal_undo(); without one (start, set) it stays, and the
 * default buffer is the top level. What such a setup changes in settings of somebody else it notes in a journal
 * of its own, for the case that it fails half-way.
 */
#ifndef SONDE_CAPTURE_SETUP_SETUP_H
#define SONDE_CAPTURE_SETUP_SETUP_H

#include "capture/tracefs/journal.h"
#include "capture/kernel/mappings.h"
#include "capture/plan.h"
#include "probe/probe.h"
#include "symbols/processes.h"

struct setup_buffer {
	const struct plan_buffer *plan;
	char instance[TRACEFS_NAME_MAX]; /* "" : the top level */
	bool is_latency;		 /* its tracer keeps the worst case as text */
	bool is_new, is_anew; /* without a journal: made by us; was brought to as after boot */
};

/* What happened that a person should know: a function substituted, an event without that field. */
struct setup_notes {
	char **texts;
	size_t n;
};

struct setup {
	struct plan *plan; /* patterns of programs in it become the events that they mean */
	struct tracefs t;
	struct journal *journal; /* NULL: what is set stays */
	struct journal *undo;	 /* then: what was changed so far (plan->put_back); may be NULL */
	struct setup_buffer *buffers;
	size_t n_buffers;
	bool tells_names; /* plan->tell_names, and it can be done */
	struct setup_notes notes;
	struct setup_probe **probes; /* for the events that are definitions */
	size_t n_probes;
	struct prober *prober;
	struct probe_site *site;
	/* What a hit of a probe costs, [its kind][is_quick, cost.h]; 0: not measured yet, -1: cannot be. */
	double probe_ns[PROBE_RAW + 1][2];
	double event_ns;	   /* what writing the event takes besides; 0: not measured */
	struct mappings *mappings; /* of programs, if they are needed for names; NULL */
	const struct processes *processes; /* of the machine; NULL: nobody asked (census.h) */
	uint64_t n_events_seen; /* in the buffers, when the hits of probes were looked at last */
	bool misses_markers;	/* those of the top level cannot be copied into our instance */
	long long n_top_before; /* then: records in the top level's buffer at the start */
	bool is_program_busy;	/* others ran the command's program before it did */
};

/* On failure what was set is put back when the journal is closed. */
int setup_apply(struct setup **ret_setup, struct plan *plan, const struct tracefs *t,
		struct journal *journal, struct errmsg *err);
/* What is there already, without changing anything; the plan's default buffer only with_top. */
int setup_attach(struct setup **ret_setup, struct plan *plan, const struct tracefs *t,
		 bool with_top, struct errmsg *err);
int setup_set_pid(struct setup *s, int pid, struct errmsg *err);
int setup_start(struct setup *s, struct errmsg *err);
/* keep: what a latency tracer has set by itself stays as it is, too. */
int setup_stop(struct setup *s, bool keep, struct errmsg *err);
/*
 * Without a journal, when something failed later: what setup_apply() made goes, and what it began anew is as
 * after boot again. With put_back what was there already is as it was.
 */
void setup_take_back(struct setup *s);
/* From now on what is set stays, whatever happens to us; without a journal. */
void setup_settle(struct setup *s);
/* Settings stay; the journal is the caller's. s may be NULL. */
void setup_free(struct setup *s);

/* Writes to a file of a buffer, through the journal if there is one. */
int setup_write(struct setup *s, const char *instance, const char *file, const char *text,
		enum tracefs_how how, struct errmsg *err);
void setup_note(struct setup *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Its tracer is one of functions. Hardened kernels refuse everything about those, and only that. */
bool setup_traces_functions(const struct setup_buffer *b);

/*
 * How often the plan's probes were hit in the last so many seconds: one that costs much is told of once, one
 * above plan->max_rate is switched off. tell may be NULL: nobody listens.
 */
void setup_watch_probes(struct setup *s, double seconds, void (*tell)(const char *sentence));
/* Finds out what hits cost on this machine, if there are probes whose cost differs much. */
void setup_measure_probes(struct setup *s);
/*
 * Hits that no event tells of: the kernel could not follow so many calls at once, or the return of a call could not be
 * joined with its entry. How many; a sentence for each probe. tell may be NULL.
 */
uint64_t setup_tell_misses(struct setup *s, void (*tell)(const char *sentence));
/* A sentence if markers of the top level (trace_marker) were written that are not in our instance. tell may be NULL. */
void setup_tell_markers(struct setup *s, void (*tell)(const char *sentence));
/*
 * Hits of the command's own program whose record did not fit into a page: the kernel drops them and counts them nowhere, so
 * they are what the hits are more than the events that came. setup_can_lose() says whether there may be such, for who
 * counts events only then; what it looks at is how it is before the command runs.
 */
struct setup_arrived {
	/* How many events of this id came. */
	uint64_t (*count)(void *ctx, unsigned id);
	void *ctx;
	uint64_t n_lost; /* of all ids, known to be lost */
};
bool setup_can_lose(const struct setup *s);
/* Does anybody run that program already? command: the process that will, which has its name already. */
void setup_look_at_others(struct setup *s, int command);
/* When the command has ended, and its probes still stand. How many; a sentence for each probe. tell may be NULL. */
uint64_t setup_tell_lost(struct setup *s, const struct setup_arrived *arrived,
			 void (*tell)(const char *sentence));
/* Pointers to functions of programs are recorded by probes. */
bool setup_records_code(const struct setup *s);
/* … or addresses of their code by something else: stacks, page faults. */
bool setup_records_addresses(const struct setup *s);
/* Opens s->mappings for that; says so if it cannot. */
int setup_open_mappings(struct setup *s);
/* Of programs. */
bool setup_probes_returns(const struct setup *s);
/* What a hit of the plan's first event costs, about, if it is a probe and that was measured; else 0. */
double setup_first_probe_ns(const struct setup *s);
/* What all hits so far have cost, about. */
double setup_probe_seconds(struct setup *s);
/* The same before the recording: counts for a moment, and tells of each. */
void setup_estimate_probes(struct setup *s, void (*tell)(const char *sentence));
/* Between two looks, seconds after the first: a probe that was hit plan->max_rate times since then is switched off. */
void setup_limit_probes(struct setup *s, double seconds, void (*tell)(const char *sentence));

/* For kernelinfo.h: a probe's format with names for its values; false if it is none of ours. */
bool setup_fmt_format(void *setup, const char *system, const char *event, const char *text,
		      size_t len, struct textbuf *out);
/* "probe" for the group of our own, else the system itself. */
const char *setup_name_of_system(void *setup, const char *system);
/* The same of an event: that of a return with its entry ("sonde_12_vfs_read__return") loses its number. */
const char *setup_name_of_event(const struct setup *s, const char *system, const char *event);

/* The two probes that such an event (of "synthetic") is joined of, in one group; false: it is none of ours. */
bool setup_find_ends(const struct setup *s, const char *event, const char **ret_group,
		     const char **ret_entry, const char **ret_return);
/* Joins them no more: who counts has other means. */
void setup_leave_pairs(struct setup *s);

/* What is switched on for an event of the plan: that of its definition ("sonde_12/vfs_read"), or itself. */
const struct plan_event *setup_event(const struct setup *s, const struct plan_event *e);
bool setup_event_matches(const char *pattern, const char *system, const char *event);

/* True if an event of this system and name is on in a buffer: its format belongs into the file. */
bool setup_wants_event(void *setup, const char *system, const char *event);
/* True if it is on for the names of tasks alone (plan->tell_names): nobody asked to see it. */
bool setup_is_for_names(const struct setup *s, const char *system, const char *event);

#endif

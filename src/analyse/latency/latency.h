/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * latency.h - measures the time between two points of a trace.
 *
 *	event A → event B      of the same thread, of the same CPU, or with the same value of fields
 *	syscall:syscall        the duration that each record contains
 *	function               from its entry to its return: function_graph, or a probe at each end
 *
 *  latency_new ─▶ latency_add … (in the order of time) ─▶ latency_finish ─▶ result ─▶ latency_free
 *
 * If A comes again before B, the pair starts again, as in the kernel's own histograms; for a
 * function each call is matched with its own return, including recursion. Where events were lost,
 * open pairs are dropped. Only one thread may use it at a time.
 */
#ifndef SONDE_ANALYSE_LATENCY_LATENCY_H
#define SONDE_ANALYSE_LATENCY_LATENCY_H

#include "analyse/latency/latencies.h"
#include "base/scope.h"
#include "decode/formats/formats.h"

struct errmsg;
struct filter;
struct latency;
struct tasks;

enum latency_match { LATENCY_BY_THREAD, LATENCY_BY_CPU, LATENCY_BY_FIELD };
enum latency_side { LATENCY_EITHER, LATENCY_FROM, LATENCY_TO };

struct latency_pair {
	char from[KEY_WORD_MAX], to[KEY_WORD_MAX];
};

/* A function, given by the events at its entry and at its return. */
struct latency_call {
	const char *from, *to;
};

struct latency_events {
	const struct event *const *list;
	size_t n;
};

struct latency_word {
	char word[KEY_WORD_MAX];
	enum latency_side side;
};

struct latency_config {
	const char *function; /* a name or a glob; NULL: use from and to */
	/* the function of the probes from and to, as the user wrote it; NULL: none */
	const char *asked;
	const char *from, *to; /* EVENT, SYSTEM:EVENT, globs */
	bool is_call;	       /* from and to are entry and return; nested calls form a stack */
	/* Several functions instead of from and to. Each return belongs to its own entry. */
	const struct latency_call *calls;
	size_t n_calls;
	/* Any number of events at each end, perhaps none. They replace from and to. */
	struct latency_events from_events, to_events;
	bool keeps_first; /* an A that comes again before B does not restart the pair */
	enum latency_match match;
	struct latency_pair fields[KEYS_MAX]; /* used by LATENCY_BY_FIELD */
	size_t n_fields;
	struct latency_word groups[KEYS_MAX];
	size_t n_groups;
	struct latency_scale scale;
	size_t n_worst;
	bool with_own;		 /* count the activity of sonde itself, too */
	struct filter **filters; /* if a filter names an event, the event must match the filter */
	size_t n_filters;
	struct filter *from_filter, *to_filter; /* filters for one side only; NULL: none */
};

struct latency_counts {
	uint64_t n_from, n_to; /* number of events after filters */
	uint64_t n_whole;      /* number of system calls, each with its duration, of one event */
	uint64_t n_again;      /* number of A that were followed by another A before B */
	uint64_t n_open;       /* number of A without B at the end of the trace */
	uint64_t n_alone;      /* number of B without A */
	uint64_t n_given_up;   /* number of open A that were dropped because events were lost */
	uint64_t n_gaps;       /* places where events were lost */
	uint64_t n_dropped;    /* number of open pairs that did not fit into memory */
	uint64_t n_backwards;  /* number of B that are earlier than their A; they are ignored */
};

/*
 * Parses the fields of both sides for --by-field, separated by commas: "A.req=B.req",
 * "pid=next_pid", "req". Also parses the words of --by, "B.vec,$comm". from and to are the events,
 * for users who write their names instead of A and B. Returns -EINVAL with a message.
 */
int latency_parse_fields(struct latency_config *c, const char *text, struct errmsg *err);
int latency_parse_groups(struct latency_config *c, const char *text, struct errmsg *err);
/* Sets from and to, given one or two events (-e); none if there is a function (-T). */
int latency_set_points(struct latency_config *c, char *const *events, size_t n, struct errmsg *err);
/* Sets how many of the longest durations are kept (--worst). */
int latency_set_worst(struct latency_config *c, long long n, struct errmsg *err);

/*
 * Creates a measurement. config must stay valid. Returns -ENOENT with a message if the trace has no
 * such event or field.
 */
int latency_new(struct latency **ret, struct formats *f, const struct latency_config *config,
		struct errmsg *err);
void latency_free(struct latency *l);
SCOPED_POINTER(struct latency, latency_free)

/* Returns flags by event id, 1 for relevant events. They are for sequence.h. */
const uint8_t *latency_events(const struct latency *l, size_t *ret_n);

void latency_add(struct latency *l, const struct record *rec);
/* Sorts the result. More events can be added afterwards. */
int latency_finish(struct latency *l);

/*
 * Several measurements can share a trace, each for a part of it (inputs/scan.h):
 *
 *	latency_can_join ─▶ latency_make_part … latency_add … ─▶ latency_join, in the order of time
 *
 * The parts are created like the whole, with formats of their own. Returns false if this
 * measurement must see the whole trace itself.
 */
bool latency_can_join(const struct latency *l);
/* Returns true if the result contains names of tasks. */
bool latency_uses_names(const struct latency *l);
/* Makes l, which is empty, a part. Returns 0 or -ENOMEM. */
int latency_make_part(struct latency *l);
/*
 * Adds the next part to the whole, and empties it. tasks: those of the whole. Returns 0, or -EAGAIN
 * if only a single measurement gives the right result.
 */
int latency_join(struct latency *l, struct latency *part, struct tasks *tasks);

struct latencies *latency_result(struct latency *l);
const struct latency_counts *latency_counts(const struct latency *l);
/* Returns the reader that formats the values of groups. */
struct keyreader *latency_keys(struct latency *l);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * latency.h - the time between two points of a trace.
 *
 *	event A → event B      of the same thread, of the same CPU, or where fields have the same value
 *	function               from its entry to its return: function_graph, or a probe at each end
 *
 *	latency_new ─▶ latency_add … (in the order of time) ─▶ latency_finish ─▶ result ─▶ latency_free
 *
 * A that comes again before B begins anew, as the kernel's own histograms do; of a function each call is
 * matched with its own return, recursion included. Where events were lost, what was under way is given up.
 * One owner.
 */
#ifndef SONDE_ANALYSE_LATENCY_LATENCY_H
#define SONDE_ANALYSE_LATENCY_LATENCY_H

#include "analyse/latency/latencies.h"

struct errmsg;
struct filter;
struct latency;

enum latency_match { LATENCY_BY_THREAD, LATENCY_BY_CPU, LATENCY_BY_FIELD };
enum latency_side { LATENCY_EITHER, LATENCY_FROM, LATENCY_TO };

struct latency_pair {
	char from[KEY_WORD_MAX], to[KEY_WORD_MAX];
};

/* A function by the events at its entry and at its return. */
struct latency_call {
	const char *from, *to;
};

struct latency_word {
	char word[KEY_WORD_MAX];
	enum latency_side side;
};

struct latency_config {
	const char *function; /* a name or a glob; NULL: from and to count */
	const char
		*asked; /* the function that from and to are probes of, as it was written; NULL */
	const char *from, *to; /* EVENT, SYSTEM:EVENT, globs */
	bool is_call; /* from and to are entry and return: calls inside of calls are a stack */
	/* Several functions at once, in place of from and to: each return belongs to its own entry. */
	const struct latency_call *calls;
	size_t n_calls;
	enum latency_match match;
	struct latency_pair fields[KEYS_MAX]; /* LATENCY_BY_FIELD */
	size_t n_fields;
	struct latency_word groups[KEYS_MAX];
	size_t n_groups;
	struct latency_scale scale;
	size_t n_worst;
	bool with_own;		 /* what sonde itself did counts, too */
	struct filter **filters; /* an event that one of them names has to match it */
	size_t n_filters;
	struct filter *from_filter, *to_filter; /* of one side alone; NULL: none */
};

struct latency_counts {
	uint64_t n_from, n_to; /* seen, after filters */
	uint64_t n_again;      /* A that was not followed by B but by another A */
	uint64_t n_open;       /* A without B when the trace ended */
	uint64_t n_alone;      /* B without A */
	uint64_t n_given_up;   /* A under way where events were lost */
	uint64_t n_gaps;       /* places where events were lost */
	uint64_t n_dropped;    /* more under way than fits into memory */
	uint64_t n_backwards;  /* B has an earlier time than its A: left out */
};

/*
 * "A.req=B.req", "pid=next_pid", "req": how --by-field names the fields of both sides; commas between
 * several. And the words of --by, "B.vec,$comm"; from and to are the events, for who writes their names in
 * place of A and B. -EINVAL with a sentence.
 */
int latency_parse_fields(struct latency_config *c, const char *text, struct errmsg *err);
int latency_parse_groups(struct latency_config *c, const char *text, struct errmsg *err);

/* config must stay. -ENOENT with a sentence if the trace has no such event or field. */
int latency_new(struct latency **ret, struct formats *f, const struct latency_config *config,
		struct errmsg *err);
void latency_free(struct latency *l);

/* By event id, a 1 for those that matter: for sequence.h. */
const uint8_t *latency_events(const struct latency *l, size_t *ret_n);

void latency_add(struct latency *l, const struct record *rec);
/* For now; more can be added afterwards. */
int latency_finish(struct latency *l);

struct latencies *latency_result(struct latency *l);
const struct latency_counts *latency_counts(const struct latency *l);
const struct latency_config *latency_config(const struct latency *l);
/* For the text of groups. */
struct keyreader *latency_keys(struct latency *l);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * callrules.h - which calls of the chosen functions are recorded, and what functions and signals do
 * to the recording.
 *
 *	callrules_add          "parse: on"   "work: depth=2, stack"   "step: call=100, finish"
 *	callrules_add_only     a function and what it calls;  _never: neither
 *	callrules_add_target   a function, and the calls that lead to it
 *	callrules_add_signal   "USR1=off"
 *	      │
 *	callrules_find         the rule of one function, as the runtime has it (runtime/snrt.h)
 *	callrules_general      what counts for all functions
 *
 * Functions are named as in choice.h, in any image. If several rules match, all count; of two that
 * contradict each other the last one does.
 */
#ifndef SONDE_CAPTURE_STEER_CALLRULES_H
#define SONDE_CAPTURE_STEER_CALLRULES_H

#include "runtime/snrt.h"

#include <stdbool.h>
#include <stddef.h>

struct callrule;
struct errmsg;

enum callrules_begin { CALLRULES_BEGIN_AS_NEEDED, CALLRULES_BEGIN_ON, CALLRULES_BEGIN_OFF };

/* Start with zeros. */
struct callrules {
	struct callrule *list;
	size_t n, cap;
	uint32_t depth;	 /* nested calls of each thread; 0: any */
	uint64_t min_ns; /* shorter calls are not recorded */
	bool leads;	 /* only calls that lead to some functions are recorded */
	bool has_min_ns; /* also of single functions */
	uint64_t longest_ns;
	enum callrules_begin begin;
	uint16_t on_signal[SNRT_SIGNALS_MAX]; /* enum snrt_rule_flag */
	double counts_per_ns;		      /* of the processor's counter; set by the recorder */
};

/* All: -EINVAL with a message. */
int callrules_add(struct callrules *r, const char *text, struct errmsg *err);
int callrules_add_only(struct callrules *r, const char *function, struct errmsg *err);
int callrules_add_never(struct callrules *r, const char *function, struct errmsg *err);
int callrules_add_target(struct callrules *r, const char *function, struct errmsg *err);
int callrules_add_signal(struct callrules *r, const char *text, struct errmsg *err);
/* "10us", "2ms", "1s". option: for the message. */
int callrules_set_min_time(struct callrules *r, const char *option, const char *text,
			   struct errmsg *err);
void callrules_release(struct callrules *r);

bool callrules_are_empty(const struct callrules *r);
bool callrules_have_signals(const struct callrules *r);
/* Is something to be done at every call, also of functions without a rule? */
bool callrules_are_general(const struct callrules *r);
/* False: it has none. source: file, or NULL. */
bool callrules_find(const struct callrules *r, const char *file, const char *symbol,
		    const char *source, struct snrt_rule *ret);
/* Does a rule name functions by their source file? */
bool callrules_name_sources(const struct callrules *r);
/* The text of a rule that has matched no function yet; NULL: each has. Start with *i = 0. */
const char *callrules_next_unused(const struct callrules *r, size_t *i);
void callrules_fill_general(const struct callrules *r, struct snrt_general *ret);
/* The recording begins switched off. */
bool callrules_begin_off(const struct callrules *r);
/* Calls are recorded this long after they began, at the earliest. */
uint64_t callrules_delay_counts(const struct callrules *r);

#endif

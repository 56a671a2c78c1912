/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * compare.h - what differs between two recordings by more than chance, the costliest first.
 *
 *	compare_init ─▶ rows ─▶ compare_release
 *
 * compare.c explains the test. Only one thread may use it at a time.
 */
#ifndef SONDE_ANALYSE_COMPARE_COMPARE_H
#define SONDE_ANALYSE_COMPARE_COMPARE_H

#include "analyse/compare/measures.h"

#include <stdbool.h>

/* Events of a measure; with fewer there is no test. */
#define COMPARE_N_MIN 20

enum compare_what {
	COMPARE_DURATION, /* it takes longer, or less time, each time */
	COMPARE_COUNT,	  /* it happens more often, or less */
	COMPARE_TOTAL,	  /* it takes more time, or less, in all */
	COMPARE_N_WHATS,
};

struct compare_config {
	double min_change; /* smaller changes are not reported: 0.03 is 3 % */
	double max_chance; /* that anything is reported by chance: 0.01 */
	uint32_t kinds;	   /* bits of enum measure_kind; 0: all */
	bool all;	   /* rows that may be chance, too */
};

/* A difference of one measure. */
struct compare_row {
	const struct measure *a, *b; /* one of them may be NULL: only the other recording has it */
	enum compare_what what;
	double ratio;	  /* of B to A, without what all measures of the kind have in common */
	double low, high; /* the ratio is between these with a probability of 95 % */
	double chance;	  /* of a difference like this, among all that were tested */
	double change_ns; /* of a duration, each time */
	double cost_ns;	  /* more time in B because of it; negative: less */
	bool is_certain;  /* it passes max_chance and min_change, and is no matter of addresses */
};

/* What all measures of a kind have in common. */
struct compare_common {
	size_t n;     /* measures that were tested */
	double ratio; /* the median; 1: too few to know */
	bool is_known;
};

struct compare {
	struct compare_row *rows;
	size_t n, cap;
	size_t n_tested, n_certain;
	/* measures of kinds that the other recording does not have: they are not compared */
	size_t n_left_out_a[MEASURE_N_KINDS], n_left_out_b[MEASURE_N_KINDS];
	struct compare_common common[MEASURE_N_KINDS][COMPARE_N_WHATS];
};

/* a and b must stay. 0 or -ENOMEM. */
int compare_init(struct compare *c, struct measures *a, struct measures *b,
		 const struct compare_config *config);
void compare_release(struct compare *c);

/* Mean duration; 0: there is none. m may be NULL. */
double measure_mean(const struct measure *m);

#endif

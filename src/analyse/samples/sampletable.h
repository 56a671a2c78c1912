/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * sampletable.h - samples by keys: how many were in a function itself, and how many in it or in
 * what it calls.
 *
 *	sampletable_new ─▶ rows, sorted ─▶ sampletable_free
 *
 * Rows with the same values of all keys are one. Keys of code (function, file, line) have a row for
 * each frame of a stack: the innermost counts as self, each row counts once per sample as total.
 * Weights of different events are not added: there is a table for each event.
 */
#ifndef SONDE_ANALYSE_SAMPLES_SAMPLETABLE_H
#define SONDE_ANALYSE_SAMPLES_SAMPLETABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct callfilter;
struct errmsg;
struct flow_func;
struct stacknames;
struct sampleset;
struct task;

enum sampletable_key {
	SAMPLEKEY_FUNCTION,
	SAMPLEKEY_FILE, /* program, library or module: perf's DSO */
	SAMPLEKEY_LINE,
	SAMPLEKEY_TASK, /* name and id of the thread */
	SAMPLEKEY_COMM, /* name of the thread */
	SAMPLEKEY_PROCESS,
	SAMPLEKEY_CPU,
	SAMPLEKEYS,
};

enum sampletable_sort { SAMPLESORT_SELF, SAMPLESORT_TOTAL, SAMPLESORT_N, SAMPLESORT_NAME };

#define SAMPLETABLE_KEYS_MAX SAMPLEKEYS

struct sampletable_config {
	const struct sampleset *set;
	struct stacknames *names;
	const struct callfilter *filter; /* NULL: all */
	enum sampletable_key keys[SAMPLETABLE_KEYS_MAX];
	size_t n_keys;
	uint32_t event;
	bool one_event; /* only `event`, see sampletable_next_event() */
	enum sampletable_sort sort;
	double min_percent; /* rows with less self (SAMPLESORT_TOTAL: less total) are left out */
};

struct sampletable_row {
	/* what the keys have in common; NULL or -1: not a key */
	const struct flow_func
		*func; /* one of the functions, with SAMPLEKEY_FILE one of the file */
	const struct task *task;
	int32_t tgid, cpu;
	uint64_t n_self, n_total; /* samples */
	uint64_t self, total;	  /* weights */
	uint32_t number;	  /* in the order of appearance */
};

struct sampletable {
	struct sampletable_row *rows;
	size_t n_rows;
	size_t n_left_out;  /* below min_percent */
	uint64_t n, weight; /* of all samples of the event, the filter's rest */
	uint64_t n_cut;	    /* samples for which there was no room */
};

/* "function,comm": names of keys with commas between. -EINVAL with a message. */
int sampletable_parse_keys(struct sampletable_config *config, const char *words,
			   struct errmsg *err);
int sampletable_parse_sort(struct sampletable_config *config, const char *word, struct errmsg *err);
const char *sampletable_key_name(enum sampletable_key key);
/* Which parts of a sample the keys need: flags of enum sampleset_keep. */
unsigned sampletable_needs(const struct sampletable_config *config);
bool sampletable_has_key(const struct sampletable_config *config, enum sampletable_key key);

/* 0 or -ENOMEM. The names must stay valid. */
int sampletable_init(struct sampletable *t, const struct sampletable_config *config);
void sampletable_release(struct sampletable *t);

/* The lowest number of an event with samples that is at least *event. False: there is none. */
bool sampletable_next_event(const struct sampleset *set, uint32_t *event);

#endif

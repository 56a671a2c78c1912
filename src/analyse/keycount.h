/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * keycount.h - counts events for each value of some keys (keys.h), several events in one table.
 *
 *	keycount_new ─▶ keycount_add … (in any order) ─▶ keycount_finish ─▶ rows ─▶ keycount_free
 *
 * If several events are counted and the event is not among the keys, it becomes the first key. An
 * event without one of the fields has '-' in its place. Only one thread may use it at a time.
 *
 * A key may have ranges: bytes.log2 (0, 1, 2..3, 4..7 …), bytes.buckets=100 (0..99, 100..199 …). A
 * field may be summed. This code or the kernel counts each value. Ranges and sums are made here
 * from the counted values.
 */
#ifndef SONDE_ANALYSE_KEYCOUNT_H
#define SONDE_ANALYSE_KEYCOUNT_H

#include "analyse/keytable.h"
#include "base/textbuf.h"
#include "decode/formats/formats.h"

struct errmsg;
struct filter;
struct keycount;

#define KEYCOUNT_EVENTS_MAX 64
#define KEYCOUNT_LOG2	    UINT64_MAX

struct keycount_config {
	const char *const *events; /* EVENT, SYSTEM:EVENT, globs */
	size_t n_events;
	char words[KEYS_MAX][KEY_WORD_MAX];
	size_t n_words;
	uint64_t folds[KEYS_MAX]; /* for each word: 0, the width of ranges, KEYCOUNT_LOG2 */
	bool has_sum;		  /* the last word is not a key: it is summed */
	/* show the counts since the last keycount_finish(), not the totals */
	bool is_each;
	/* several events are counted together, without their names as a key */
	bool is_joint;
	bool with_own;		 /* count the activity of sonde itself, too */
	struct filter **filters; /* if a filter names an event, the event must match the filter */
	size_t n_filters;
};

/* Signed and unsigned 64-bit numbers, and their sums. */
typedef __int128 wide;

struct keycount_numbers {
	uint64_t n;
	bool has_sum;	    /* at least one value was added to the sum */
	wide sum, min, max; /* min and max of all values, even if is_each */
};

struct keycount_row {
	struct keyed key;
	struct keycount_numbers now; /* the numbers to show, after keycount_finish() */
	/* the totals, and the totals at the last keycount_finish() */
	struct keycount_numbers so_far;
	uint64_t n_before;
	wide sum_before;
};

/* Parses "filename,$comm,bytes.log2" into words. */
int keycount_parse_words(struct keycount_config *c, const char *text, struct errmsg *err);
/* Parses the field to sum. Call it after keycount_parse_words(). */
int keycount_parse_sum(struct keycount_config *c, const char *text, struct errmsg *err);
/* Inserts a word before all others. */
void keycount_put_first(struct keycount_config *c, const char *word);
/*
 * Returns -EINVAL with a message if a range or a sum is requested for a value that is not a number.
 */
int keycount_check_slot(const struct keycount_config *c, size_t word, const struct key_slot *slot,
			struct errmsg *err);

/*
 * Creates a table. config must stay valid. Returns -ENOENT with a message if there is no such
 * event, or if no event has the field.
 */
int keycount_new(struct keycount **ret, struct formats *f, const struct keycount_config *config,
		 struct errmsg *err);
/* Creates a table without a trace. The caller adds rows with their counts. */
int keycount_new_counted(struct keycount **ret, const struct keycount_config *config);
void keycount_free(struct keycount *k);

const uint8_t *keycount_events(const struct keycount *k, size_t *ret_n);
void keycount_add(struct keycount *k, const struct record *rec);
/* Adds n to the row with these values (keys.h). Only for keycount_new_counted(). */
void keycount_add_values(struct keycount *k, const uint64_t *values,
			 const struct key_slot *const *slots, uint64_t n);
/*
 * Adds the counts of a part of the same trace, and empties it. Parts are joined in the order of
 * time. Returns 0, or -EAGAIN if the part has too many values: then only one walk over all counts
 * right.
 */
int keycount_join(struct keycount *k, struct keycount *part);
/* Returns true if names of tasks are among the keys. */
bool keycount_uses_names(const struct keycount *k);
void keycount_add_dropped(struct keycount *k, uint64_t n);
/* Resets all counts to 0. */
void keycount_clear(struct keycount *k);
/* Sorts the rows, the most frequent first. More events can be added afterwards. */
int keycount_finish(struct keycount *k);

const struct keycount_row *const *keycount_rows(const struct keycount *k, size_t *ret_n);
/* Returns the number of keys as shown, including an added event. */
size_t keycount_n_words(const struct keycount *k);
const char *keycount_word(const struct keycount *k, size_t i);
struct keyreader *keycount_keys(struct keycount *k);
void keycount_fmt(struct keycount *k, const struct keycount_row *row, size_t i, struct textbuf *tb);
/* Gets the two ends of a range. Returns false if the key has no ranges. */
bool keycount_range(const struct keycount *k, const struct keycount_row *row, size_t i,
		    wide *ret_from, wide *ret_to);
/* Returns the summed field, or NULL. */
const char *keycount_summed(const struct keycount *k);
/* Returns the sum of all rows, as shown. */
wide keycount_sum(const struct keycount *k);
/* Writes v as decimal digits. */
void wide_fmt(wide v, struct textbuf *tb);

uint64_t keycount_total(const struct keycount *k);
uint64_t keycount_n_gaps(const struct keycount *k);
uint64_t keycount_n_dropped(const struct keycount *k);

#endif

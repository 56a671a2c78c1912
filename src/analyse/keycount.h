/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * keycount.h - counts events for each value of some keys (keys.h), several events in one table.
 *
 *	keycount_new ─▶ keycount_add … (in any order) ─▶ keycount_finish ─▶ rows ─▶ keycount_free
 *
 * If several events are counted and the event is not among the keys, it becomes the first key. An
 * event without one of the fields has '-' in its place. One owner.
 *
 * A key may have ranges: bytes.log2 (0, 1, 2..3, 4..7 …), bytes.buckets=100 (0..99, 100..199 …). A
 * field may be summed. Counts come for each value, from here or from the kernel; ranges and sums
 * are made from the values here.
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
	/* show what came since the last keycount_finish(), not everything */
	bool is_each;
	bool with_own;		 /* count sonde's own activity, too */
	struct filter **filters; /* an event that one of them names has to match it */
	size_t n_filters;
};

/* Signed and unsigned 64-bit numbers, and their sums. */
typedef __int128 wide;

struct keycount_numbers {
	uint64_t n;
	bool has_sum;	    /* something was added to it */
	wide sum, min, max; /* min and max of everything, even if is_each */
};

struct keycount_row {
	struct keyed key;
	struct keycount_numbers now; /* to be shown, after keycount_finish() */
	/* everything, and the state at the last keycount_finish() */
	struct keycount_numbers so_far;
	uint64_t n_before;
	wide sum_before;
};

/* Parses "filename,$comm,bytes.log2" into words. */
int keycount_parse_words(struct keycount_config *c, const char *text, struct errmsg *err);
/* Call it after them: the field to sum. */
int keycount_parse_sum(struct keycount_config *c, const char *text, struct errmsg *err);
/* Puts another word before all others. */
void keycount_put_first(struct keycount_config *c, const char *word);
/* -EINVAL with a message if a range or a sum is requested for something that is not a number. */
int keycount_check_slot(const struct keycount_config *c, size_t word, const struct key_slot *slot,
			struct errmsg *err);

/*
 * config must stay valid. -ENOENT with a message: there is no such event, or no event has the
 * field.
 */
int keycount_new(struct keycount **ret, struct formats *f, const struct keycount_config *config,
		 struct errmsg *err);
/* Without a trace, for counts from elsewhere: rows are added with their counts. */
int keycount_new_counted(struct keycount **ret, const struct keycount_config *config);
void keycount_free(struct keycount *k);

const uint8_t *keycount_events(const struct keycount *k, size_t *ret_n);
void keycount_add(struct keycount *k, const struct record *rec);
/* For keycount_new_counted(): n more with these values (keys.h). */
void keycount_add_values(struct keycount *k, const uint64_t *values,
			 const struct key_slot *const *slots, uint64_t n);
void keycount_add_dropped(struct keycount *k, uint64_t n);
/* Resets all counts to 0. */
void keycount_clear(struct keycount *k);
/* More can be added afterwards. Sorts the most frequent first. */
int keycount_finish(struct keycount *k);

const struct keycount_row *const *keycount_rows(const struct keycount *k, size_t *ret_n);
/* The keys as shown, including an added event. */
size_t keycount_n_words(const struct keycount *k);
const char *keycount_word(const struct keycount *k, size_t i);
struct keyreader *keycount_keys(struct keycount *k);
void keycount_fmt(struct keycount *k, const struct keycount_row *row, size_t i, struct textbuf *tb);
/* The two ends of a range; false: the key has no ranges. */
bool keycount_range(const struct keycount *k, const struct keycount_row *row, size_t i,
		    wide *ret_from, wide *ret_to);
/* The summed field; NULL: none. */
const char *keycount_summed(const struct keycount *k);
/* The sum of all rows, as shown. */
wide keycount_sum(const struct keycount *k);
/* As decimal digits. */
void wide_fmt(wide v, struct textbuf *tb);

uint64_t keycount_total(const struct keycount *k);
uint64_t keycount_n_gaps(const struct keycount *k);
uint64_t keycount_n_dropped(const struct keycount *k);

#endif

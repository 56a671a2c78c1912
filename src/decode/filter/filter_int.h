/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * filter_int.h - a parsed filter, shared by the files that parse, run and show it.
 *
 * The expression is a flat array of elements in the order of the text:
 *
 *	a == 1 || !(b & 2 && COMM =~ "x") && c > 3
 *
 *	[first test a][or not group ──▶ 5][first test b][and test COMM][and test c]
 *	 0             1                    2             3              4
 *
 * `next` of an element is the index of the next element at the same level, so irrelevant elements
 * are skipped in one step. && and || have the same priority, from left to right.
 *
 * Nothing in it depends on an event. Names of fields are numbered (`words`), and a binding gives
 * the meaning of each word in one event.
 */
#ifndef SONDE_DECODE_FILTER_FILTER_INT_H
#define SONDE_DECODE_FILTER_FILTER_INT_H

#include "base/arena.h"
#include "decode/filter/filter.h"

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct errmsg;

#define FILTER_TEXT_MAX	   (4u << 20) /* enough for --pid with twenty thousand ids */
#define FILTER_WORDS_MAX   256
#define FILTER_REGEX_MAX   256
#define FILTER_NAMES_MAX   256
#define FILTER_DEPTH_MAX   100
/* bytes that a pattern can match: the maximum of a dynamic string */
#define FILTER_SUBJECT_MAX 65535

enum filter_join { JOIN_FIRST, JOIN_AND, JOIN_OR };

#define ELEMENT_IS_GROUP (-1)

struct filter_element {
	enum filter_join join;
	uint32_t n_not;
	int32_t test; /* index of a test, or ELEMENT_IS_GROUP for the elements up to next */
	uint32_t next;
};

enum filter_op {
	OP_EQ,
	OP_NE,
	OP_LT,
	OP_GT,
	OP_LE,
	OP_GE,
	OP_REGEX,
	OP_NOT_REGEX,
	OP_ADD,
	OP_SUB,
	OP_MUL,
	OP_DIV,
	OP_MOD,
	OP_SHIFT_RIGHT,
	OP_SHIFT_LEFT,
	OP_BIT_AND,
	OP_BIT_OR,
	OP_XOR,
};

enum filter_test_kind {
	TEST_COMPARE, /* compares a word with a number */
	/* compares with 'x': a number, or a text of one letter, depending on the field */
	TEST_CHARACTER,
	TEST_NONZERO, /* true if the result of arithmetic is not 0 */
	TEST_TEXT,    /* compares a word with a text, == or != */
	TEST_REGEX,
};

#define OPERAND_IS_NUMBER (-1)

struct filter_operand {
	int32_t word; /* index of a word, or OPERAND_IS_NUMBER */
	bool is_negative;
	bool is_real; /* the number has a point: value is the part before the point */
	uint64_t value;
	double real;
};

/*
 * A cache of results by address or task. A trace repeats the same few, and regexec() costs a
 * hundred times as much as a look-up.
 */
#define REGEX_MEMO_SLOTS 256

struct filter_regex {
	regex_t re;
	struct {
		uint64_t key;
		uint8_t kind; /* enum bind_kind; 0: the slot is empty */
		bool verdict;
	} memo[REGEX_MEMO_SLOTS];
};

struct filter_test {
	enum filter_test_kind kind;
	enum filter_op op;
	struct filter_operand left, right;
	const char *text; /* NUL-terminated */
	size_t text_len;
	/* for a name without quotes, its position in the text; else NULL */
	const char *name_at;
	struct filter_regex *regex;
};

enum bind_kind {
	BIND_UNKNOWN, /* the event has no such field: the test is false */
	BIND_COMM,    /* the task's name */
	BIND_CPU,
	BIND_NUMBER,
	BIND_ADDRESS, /* a number whose text is the symbol at that address */
	BIND_TEXT,
};

struct filter_binding {
	const struct field *field; /* NULL for COMM and CPU */
	uint32_t offset;
	uint8_t size; /* size of the field as a number; 0: the field is not a number */
	bool is_signed;
	uint8_t kind;
	/* the names of the field's values in the print format; NULL: none */
	const struct arg *names;
};

struct filter_event {
	struct event *ev;
	/* one binding for each word; NULL: no record of the event was seen yet */
	struct filter_binding *bound;
};

struct filter {
	struct formats *formats;
	struct arena arena;
	struct filter_element *elements;
	size_t n_elements, cap_elements;
	struct filter_test *tests;
	size_t n_tests, cap_tests;
	const char *words[FILTER_WORDS_MAX];
	size_t n_words;
	struct filter_regex *regexes[FILTER_REGEX_MAX];
	size_t n_regexes;
	struct filter_binding scratch[FILTER_WORDS_MAX];
	char subject[FILTER_SUBJECT_MAX + 1];

	struct filter_event *events; /* by id, ascending */
	size_t n_events;
	uint32_t *slots; /* by id: index in events + 1; 0: not in the filter */
	size_t n_slots;
	struct event **listed; /* in the order of the text, for filter_fmt() */
	size_t n_listed, cap_listed;
};

/* parse.c */
int filter_parse(struct filter *flt, const char *whole, const char *expression, struct errmsg *err);
extern const char filter_not_a_name[]; /* message: a word cannot be to the right of == */
/*
 * Compiles a pattern that may be hostile. Returns NULL on success, or a message if the pattern is
 * invalid or needs too much memory.
 */
const char *filter_regex_compile(regex_t *re, const char *pattern);
extern const char *const filter_op_names[];

/* run.c */
void filter_bind(struct filter *flt, const struct event *ev, struct filter_binding *to);
/* Returns true if the field has a value of that name. */
bool filter_names_have(const struct arg *names, const char *text, size_t len);

#endif

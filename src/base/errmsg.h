/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * errmsg.h - one sentence about what went wrong, for the person at the terminal.
 *
 * A function whose failure a user can cause takes a `struct errmsg *` (never NULL inside the
 * rooms) and, before it returns a negative errno, fills it with one full sentence that names the
 * thing and the remedy. Only cli/ prints it. The first failure wins: the innermost function knows
 * most, so a caller that adds nothing just passes the code on.
 *
 * The sentence is for people. A program that must know more than the errno looks at `reason`, at the
 * span in what the user wrote, and at the parts of the text; it never searches the sentence for words.
 */
#ifndef SONDE_BASE_ERRMSG_H
#define SONDE_BASE_ERRMSG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct errmsg {
	int code;   /* negative errno, 0 while nothing is wrong */
	int reason; /* what exactly is wrong, from the enum of whoever set it; 0: no more to say */
	bool has_span;
	size_t at, len;	  /* has_span: the bytes of the user's text that the sentence is about */
	uint16_t picture; /* where in text the lines begin that show the span; 0: it has none */
	uint16_t
		cause; /* where the last part begins, "Invalid argument" of "cannot …: …"; 0: none */
	char text[1000];
};

/* Fills *err (unless something is in it already) and returns code, so `return errmsg_set(…)`. */
int errmsg_set(struct errmsg *err, int code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* The same with ": " and the errno text of code appended, as the cause. */
int errmsg_set_errno(struct errmsg *err, int code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* The same with ": " and the cause appended. */
int errmsg_set_cause(struct errmsg *err, int code, const char *cause, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/*
 * The same about a part of what the user wrote. reason: see above. picture: lines that show the part, from
 * a newline on; NULL if there is none.
 */
struct errmsg_spot {
	int reason;
	size_t at, len;
	const char *picture;
};
int errmsg_set_spot(struct errmsg *err, int code, const struct errmsg_spot *spot, const char *fmt,
		    ...) __attribute__((format(printf, 4, 5)));
/* Puts words before the sentence; everything else stays. */
void errmsg_prefix(struct errmsg *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* The sentence without a picture below it. */
static inline size_t errmsg_sentence_len(const struct errmsg *err)
{
	return err->picture ? err->picture : strlen(err->text);
}

/* NULL: the sentence names no cause. */
static inline const char *errmsg_cause(const struct errmsg *err)
{
	return err->cause ? err->text + err->cause : NULL;
}

#endif

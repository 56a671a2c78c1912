/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * errmsg.h - one sentence about what went wrong, for the user.
 *
 * A function whose failure a user can cause takes a `struct errmsg *` (never NULL inside the
 * rooms). Before it returns a negative errno, it sets a full sentence that names the thing and the
 * remedy. Only cli/ prints it. The first failure wins: the innermost function knows most, so a
 * caller that adds nothing just returns the code.
 *
 * The sentence is for people. Code that must know more than the errno uses `reason`, the span in
 * the user's text, and the parts of the text; it never searches words in the sentence.
 */
#ifndef SONDE_BASE_ERRMSG_H
#define SONDE_BASE_ERRMSG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct errmsg {
	int code; /* negative errno, 0 while nothing is wrong */
	/* what exactly is wrong, from the enum of the code that set it; 0: no more details */
	int reason;
	bool has_span;
	size_t at, len;	  /* has_span: the bytes of the user's text that the sentence refers to */
	uint16_t picture; /* position in text of the lines that show the span; 0: none */
	uint16_t
		cause; /* position of the last part, "Invalid argument" of "cannot …: …"; 0: none */
	char text[1000];
};

/* Sets *err (unless it is already set) and returns code, so `return errmsg_set(…)`. */
int errmsg_set(struct errmsg *err, int code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* The same with ": " and the errno text of code appended, as the cause. */
int errmsg_set_errno(struct errmsg *err, int code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* The same with ": " and the cause appended. */
int errmsg_set_cause(struct errmsg *err, int code, const char *cause, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/*
 * The same about a part of the user's text. reason: see above. picture: lines that show the part,
 * beginning with a newline; NULL if there are none.
 */
struct errmsg_spot {
	int reason;
	size_t at, len;
	const char *picture;
};
int errmsg_set_spot(struct errmsg *err, int code, const struct errmsg_spot *spot, const char *fmt,
		    ...) __attribute__((format(printf, 4, 5)));
/* Puts words before the sentence; everything else is unchanged. */
void errmsg_prefix(struct errmsg *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* The length of the sentence without the picture below it. */
static inline size_t errmsg_sentence_len(const struct errmsg *err)
{
	return err->picture ? err->picture : strlen(err->text);
}

/* NULL: the sentence has no cause. */
static inline const char *errmsg_cause(const struct errmsg *err)
{
	return err->cause ? err->text + err->cause : NULL;
}

#endif

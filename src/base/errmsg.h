/* SPDX-License-Identifier: LGPL-2.1-or-later */
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

#include <errno.h>
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
	/* position in text of the cause: "Invalid argument" of "cannot …: …"; 0: none */
	uint16_t cause;
	char text[1000];
};

/* Sets *err (unless it is already set) and returns code, so `return errmsg_set(…)`. */
int errmsg_set(struct errmsg *err, int code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Like errmsg_set(), and appends ": " and the errno text of code as the cause. */
int errmsg_set_errno(struct errmsg *err, int code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* Like errmsg_set(), and appends ": " and the cause. */
int errmsg_set_cause(struct errmsg *err, int code, const char *cause, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/*
 * The part of the user's text that the sentence refers to. reason: see struct errmsg. picture:
 * lines that show the part, beginning with a newline; NULL if there are none.
 */
struct errmsg_spot {
	int reason;
	size_t at, len;
	const char *picture;
};
int errmsg_set_spot(struct errmsg *err, int code, const struct errmsg_spot *spot, const char *fmt,
		    ...) __attribute__((format(printf, 4, 5)));
/* Puts words before the sentence, and changes nothing else. */
void errmsg_prefix(struct errmsg *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/*
 * The code of a failure that one of several calls met:
 *	if (open_a(err) < 0 || open_b(err) < 0)
 *		return errmsg_code(err);
 * A failure without a sentence is a shortage of memory.
 */
static inline int errmsg_code(const struct errmsg *err)
{
	return err->code ? err->code : -ENOMEM;
}

/* Returns the length of the sentence without the picture below it. */
static inline size_t errmsg_sentence_len(const struct errmsg *err)
{
	return err->picture ? err->picture : strlen(err->text);
}

/* Returns NULL if the sentence has no cause. */
static inline const char *errmsg_cause(const struct errmsg *err)
{
	return err->cause ? err->text + err->cause : NULL;
}

#endif

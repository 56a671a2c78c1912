/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * errmsg.h - one sentence about what went wrong, for the person at the terminal.
 *
 * A function whose failure a user can cause takes a `struct errmsg *` (never NULL inside the
 * rooms) and, before it returns a negative errno, fills it with one full sentence that names the
 * thing and the remedy. Only cli/ prints it. The first failure wins: the innermost function knows
 * most, so a caller that adds nothing just passes the code on.
 */
#ifndef SONDE_BASE_ERRMSG_H
#define SONDE_BASE_ERRMSG_H

struct errmsg {
	int code; /* negative errno, 0 while nothing is wrong */
	char text[1000];
};

/* Fills *err (unless something is in it already) and returns code, so `return errmsg_set(…)`. */
int errmsg_set(struct errmsg *err, int code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* The same with ": " and the errno text of code appended. */
int errmsg_set_errno(struct errmsg *err, int code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * usercontrol.h - orders to a running recording of user functions: which functions are recorded
 * from now on, and how it goes.
 *
 * Any thread may call these while the recording runs.
 */
#ifndef SONDE_CAPTURE_STEER_USERCONTROL_H
#define SONDE_CAPTURE_STEER_USERCONTROL_H

#include <stdbool.h>
#include <stddef.h>

struct errmsg;
struct textbuf;
struct usertrace;

/* Switches the functions that match; a pattern is as of -u, in any file. */
int usercontrol_switch(struct usertrace *u, char *const *patterns, size_t n, bool on,
		       struct textbuf *out, struct errmsg *err);
/* A line for each function that matches (n 0: that was called): state, calls, name, file. */
int usercontrol_functions(struct usertrace *u, char *const *patterns, size_t n, struct textbuf *out,
			  struct errmsg *err);
/* As usertrace_fmt_switched_off(). */
void usercontrol_fmt_off(struct usertrace *u, char *text, size_t n_bytes);
void usercontrol_status(struct usertrace *u, struct textbuf *out);

#endif

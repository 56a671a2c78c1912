/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * output.h - standard output for commands that print much: a file, a pipe, or a person.
 *
 * On a terminal it goes through a pager and may have colours, and control characters are escaped;
 * elsewhere it is written as it is, in large pieces. When writing takes longer than a second and
 * nobody sees the lines go by, a progress line stands on stderr.
 */
#ifndef SONDE_CLI_SCREEN_OUTPUT_H
#define SONDE_CLI_SCREEN_OUTPUT_H

#include "base/errmsg.h"
#include "base/escaper.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>
#include <time.h>

struct livereport_spec;
struct textbuf;

struct output {
	int fd;
	bool colour;
	bool closed; /* the reader went away */
	bool escape; /* a terminal shows it, perhaps through a pager: control characters are escaped */
	struct escaper escaper;
	pid_t pager;	/* 0: none */
	FILE *terminal; /* output_page(): what stdout was */
	bool progress_wanted, progress_shown;
	struct timespec start, last;
};

/* Whether standard output gets colours; colour: "always", "never", "auto" or NULL (auto). */
int output_find_colour(const char *colour, bool *ret, struct errmsg *err);
int output_open(struct output *out, const char *colour, bool no_pager, struct errmsg *err);
/* Without pager, colours and progress, to a descriptor that the caller keeps. */
void output_open_fd(struct output *out, int fd);
/* 0, -EPIPE when the reader went away, or another -errno. */
int output_write(struct output *out, const char *s, size_t len);
/* The same as a callback; 1: the reader has seen enough. */
int output_write_ctx(void *out, const char *s, size_t len);
/*
 * Makes tb what output_write() would write, for those who write it themselves. It ends where a line
 * does. 0 or -ENOMEM.
 */
int output_escape(const struct output *out, struct textbuf *tb);
/* Lines of a live trace go there. */
void output_aim(struct output *out, struct livereport_spec *spec);
/*
 * For commands that print with stdio: from here on stdout goes through the pager, if it is a terminal.
 * output_unpage() waits for the pager; stdout is the terminal again.
 */
void output_page(struct output *out);
void output_unpage(struct output *out);
/* part: 0 … 1 */
void output_progress(struct output *out, float part);
/* Waits for the pager. */
void output_close(struct output *out);

static inline bool output_is_closed(const struct output *out)
{
	return __atomic_load_n(&out->closed, __ATOMIC_RELAXED);
}

#endif

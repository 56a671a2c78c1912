/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * output.h - standard output for commands that print much: to a file, a pipe, or a terminal.
 *
 * On a terminal the text goes through a pager and may have colours, and control characters are
 * escaped. Elsewhere it is written unchanged, in large pieces. If writing takes longer than a
 * second and the lines are not visible, a progress line is shown on stderr.
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
	bool closed; /* the reader has closed the output */
	/* the output reaches a terminal, perhaps through a pager: escape control characters */
	bool escape;
	struct escaper escaper;
	pid_t pager;	/* 0: none */
	FILE *terminal; /* output_page(): the previous stdout */
	bool progress_wanted, progress_shown;
	struct timespec start, last;
};

/*
 * Decides whether standard output gets colours. colour: "always", "never", "auto" or NULL (auto).
 */
int output_find_colour(const char *colour, bool *ret, struct errmsg *err);
int output_open(struct output *out, const char *colour, bool no_pager, struct errmsg *err);
/* Opens an output without pager, colours and progress, to a descriptor that the caller keeps. */
void output_open_fd(struct output *out, int fd);
/* Returns 0, -EPIPE if the reader has closed the output, or another -errno. */
int output_write(struct output *out, const char *s, size_t len);
/* Opens the output, writes a whole text, closes it. Returns -EFBIG if the text has overflowed. */
int output_print(const struct textbuf *tb, const char *colour, bool no_pager, struct errmsg *err);
/* output_write() as a callback. Returns 1 if the reader has closed the output. */
int output_write_ctx(void *out, const char *s, size_t len);
/* Makes the lines of a live trace go to this output. */
void output_aim(struct output *out, struct livereport_spec *spec);
/*
 * Redirects stdout through the pager, if it is a terminal, for commands that print with stdio.
 * output_unpage() waits for the pager; then stdout is the terminal again.
 */
void output_page(struct output *out);
void output_unpage(struct output *out);
/* part: 0 … 1 */
void output_progress(struct output *out, float part);
/* Closes the output and waits for the pager. */
void output_close(struct output *out);

static inline bool output_is_closed(const struct output *out)
{
	return __atomic_load_n(&out->closed, __ATOMIC_RELAXED);
}

#endif

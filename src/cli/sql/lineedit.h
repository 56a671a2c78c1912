/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lineedit.h - lines from a terminal, with editing, history and completion.
 *
 * They come from the readline library, or from libedit, if one of them is installed: sonde loads it
 * when a shell starts. Without them lines have no history. There can be only one at a time.
 */
#ifndef SONDE_CLI_SQL_LINEEDIT_H
#define SONDE_CLI_SQL_LINEEDIT_H

#include "base/scope.h"

#include <stdbool.h>
#include <stddef.h>

struct lineedit;

struct lineedit_config {
	const char *history; /* a file; NULL: the history is not kept */
	/* The i-th word that completion can offer, or NULL. Asked when Tab is pressed. */
	const char *(*word)(void *ctx, size_t i);
	bool (*is_interrupted)(void *ctx); /* asked after a signal */
	void *ctx;
};

int lineedit_new(struct lineedit **ret, const struct lineedit_config *config);
void lineedit_free(struct lineedit *e);
SCOPED_POINTER(struct lineedit, lineedit_free)

/*
 * Reads a line, which the caller frees. Returns 1, 0 at the end of the input, -EINTR if Ctrl-C was
 * pressed, or another negative errno.
 */
int lineedit_read(struct lineedit *e, const char *prompt, char **ret);
/* Adds a line to the history. */
void lineedit_keep(struct lineedit *e, const char *line);

#endif

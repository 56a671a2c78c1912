/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * marks.h - events of programs (SDT) for `uftrace record -E PROVIDER:NAME`.
 */
#ifndef SONDE_CLI_AS_UFTRACE_MARKS_H
#define SONDE_CLI_AS_UFTRACE_MARKS_H

#include "cli/calls/uftexport.h"
#include "rewrite/uftrace/uftwriter.h"

#include <stdbool.h>
#include <stddef.h>

#define UFT_MARKS_MAX  UFTEXPORT_MARKS_MAX
#define UFT_MARK_BYTES UFTWRITER_MARK_BYTES

/* "PROVIDER:NAME", in the order of the program's notes, each once. */
struct uft_marks {
	char names[UFT_MARKS_MAX][UFT_MARK_BYTES];
	size_t n;
};

/* Adds the marks of a program that match a word of -E, which is changed. */
void uft_marks_add(struct uft_marks *m, const char *path, char *word, bool is_glob);
/* The word of sonde's -e for one: its event is named after its number. */
void uft_marks_fmt(const struct uft_marks *m, size_t i, const char *path, char *out, size_t size);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * optwords.h - the table of uftrace's options, for opts.c.
 */
#ifndef SONDE_CLI_AS_UFTRACE_OPTWORDS_H
#define SONDE_CLI_AS_UFTRACE_OPTWORDS_H

#include "base/arena.h"
#include "cli/as/uftrace/opts.h"

enum uft_option_kind {
	UFT_OPT_FLAG,	  /* sets the bool at offset */
	UFT_OPT_STRING,	  /* const char * at offset */
	UFT_OPT_LIST,	  /* char * at offset: values joined with ';' */
	UFT_OPT_LIST_NOT, /* the same with '!' before the value */
	UFT_OPT_CALL,	  /* apply() */
};

struct uft_option {
	const char *name; /* long name, NULL: none */
	char letter;	  /* 0: none */
	const char *arg;  /* NULL: takes none */
	enum uft_option_kind kind;
	size_t offset;
	void (*apply)(struct uft_opts *o, const char *value);
	const char *help;
};

struct option;

/* By the letter, or by the number that uft_options_for_getopt() gave it. NULL: unknown. */
const struct uft_option *uft_option_of_key(int key);
/* The table as getopt_long() takes it. NULL without memory. */
struct option *uft_options_for_getopt(struct arena *a, char *letters, size_t n_bytes);
void uft_list_add(struct uft_opts *o, char **list, const char *prefix, const char *value);
bool uft_is_command(const char *word);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * callfilter.h - selects calls by the function's name, by depth and by duration.
 *
 *	only    F     these functions and what they call
 *	never   N     not these, nor what they call
 *	callers C     the paths that lead to these; what they call is not shown
 *	hide    H     not these themselves, but what they call
 *
 * A pattern is a glob (or a regular expression) of the name. "NAME@FILE" is a function of that
 * program or library, "NAME@kernel" one of the kernel. The time of a call that is not shown belongs
 * to its caller.
 *
 * The words stay the caller's. Only one thread may use it at a time.
 */
#ifndef SONDE_ANALYSE_CALLS_CALLFILTER_H
#define SONDE_ANALYSE_CALLS_CALLFILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct errmsg;

enum call_verdict {
	CALL_ONLY = 1,
	CALL_NEVER = 2,
	CALL_CALLERS = 4,
	CALL_HIDE = 8,
};

struct callfilter_word {
	enum call_verdict what;
	const char *text;
};

struct callfilter_config {
	const struct callfilter_word *words;
	size_t n_words;
	bool is_regex;
	uint32_t max_depth;    /* calls shown below each other; 0: all */
	uint64_t min_duration; /* shorter calls are not shown */
	bool no_kernel, kernel_only;
	bool kernel_full; /* calls of the kernel outside of a program's, too */
};

struct callfilter;

/* -EINVAL with a message: a regular expression is wrong. config must stay valid. */
int callfilter_new(struct callfilter **ret, const struct callfilter_config *config,
		   struct errmsg *err);
void callfilter_free(struct callfilter *cf);

const struct callfilter_config *callfilter_config(const struct callfilter *cf);
/* The verdicts that any word can give. */
unsigned callfilter_kinds(const struct callfilter *cf);
/* Of a function; module NULL: the kernel itself. */
unsigned callfilter_judge(const struct callfilter *cf, const char *name, const char *module,
			  const char *source, bool is_user);
/*
 * A word that matched no function that callfilter_judge() was asked about; NULL: none. *pos begins
 * with 0.
 */
const char *callfilter_next_unused(const struct callfilter *cf, size_t *pos);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * injectables.h - the kernel functions that can be made to fail, and the parser for the user's
 * faults.
 *
 *	injectables_read ─▶ fault_parse … ─▶ injectables_release
 *
 * The kernel lists them in debugfs, error_injection/list, with the kind of value by which each
 * reports a failure to its caller. No other value is accepted: a value that a caller does not
 * expect can crash the machine.
 */
#ifndef SONDE_CAPTURE_INJECT_INJECTABLES_H
#define SONDE_CAPTURE_INJECT_INJECTABLES_H

#include "base/textbuf.h"

#include <stdint.h>

struct errmsg;

#define INJECTABLE_NAME_MAX 256

enum inject_kind {
	INJECT_ERRNO,
	INJECT_NULL,
	INJECT_ERRNO_NULL,
	INJECT_TRUE,
	INJECT_UNKNOWN, /* a kind of a newer kernel */
};

struct injectable {
	const char *name;
	const char *module; /* "": the kernel itself */
	enum inject_kind kind;
};

struct injectables {
	struct textbuf text;
	struct injectable *list;
	size_t n;
};

/* Returns the name of a kind in lists, which says what its functions may return. */
const char *inject_kind_word(enum inject_kind kind);
const char *inject_kind_meaning(enum inject_kind kind);

/* Reads the list; dir is the directory of debugfs. On failure err names what is missing. */
int injectables_read(struct injectables *in, const char *dir, struct errmsg *err);
void injectables_release(struct injectables *in);

/* A function and the value that it shall return. */
struct fault {
	const struct injectable *function;
	int64_t value;
};

/* Parses "open_ctree=-ENOMEM", "f=NULL", "f=true", or "f" if there is only one value. */
int fault_parse(const struct injectables *in, const char *text, struct fault *ret_fault,
		struct errmsg *err);
/* Writes "-ENOMEM (Cannot allocate memory)", "NULL", "true" or "-600". */
void fault_fmt_value(const struct fault *f, char *buf, size_t n_bytes);

#endif

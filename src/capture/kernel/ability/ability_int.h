/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ability_int.h - declarations that ability.c and the checks share. */
#ifndef SONDE_CAPTURE_KERNEL_ABILITY_ABILITY_INT_H
#define SONDE_CAPTURE_KERNEL_ABILITY_ABILITY_INT_H

#include "base/textbuf.h"
#include "capture/kernel/ability/ability.h"
#include "capture/kernel/kconfig.h"
#include "capture/kernel/lockdown.h"
#include "capture/tracefs/tracefs.h"

/* Data that the checks need, collected once. */
struct probing {
	struct abilities *a;
	const char *root;
	struct tracefs t;
	int tracefs_code; /* 0, or the reason why there is no tracing directory */
	char tracefs_why[ABILITY_TEXT_MAX];
	char instance[64]; /* our own instance for trials; "": none */
	int instance_code; /* reason why there is none */
	/* the kernel created the instance's files, so it is not a copy of a directory */
	bool instance_is_real;
	struct kconfig config;
	struct lockdown lock;
	struct name_list tracers, instance_tracers, clocks;
	struct textbuf readme; /* ended by NUL */
	/* result for the function tracer: 0 if it works, 1 if it was not tried */
	int function_code;
	char lsm[200];
};

struct ability_row {
	const char *name, *group, *what;
	void (*probe)(struct probing *p, const struct ability_row *row, struct ability *ret);
	const char *arg;    /* a file, a tracer or a word, which the check interprets */
	const char *config; /* the option that enables it; NULL: none */
	const char *remedy; /* in addition to the option; NULL: none */
};

/* Set the result. */
void ability_yes(struct ability *ret, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void ability_no(struct ability *ret, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void ability_remedy(struct ability *ret, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* Sets the result for a missing feature: an option, a newer kernel or permissions are needed. */
void ability_absent(struct probing *p, const struct ability_row *row, const char *what,
		    struct ability *ret);
/*
 * Sets the result for a feature that exists but that the kernel refused; code is a negative errno.
 */
void ability_refused(struct probing *p, const char *what, int code, struct ability *ret);
/* Like ability_refused(), if lockdown is known to be the reason. */
void ability_locked(struct probing *p, const char *what, struct ability *ret);

/* Reads a number from a file below root. Returns ABILITY_NO_NUMBER if there is none. */
#define ABILITY_NO_NUMBER (-1000)
long ability_read_number(const struct probing *p, const char *path);

/* The tables: tracefs.c, user.c, other.c. */
extern const struct ability_row ability_rows_tracefs[], ability_rows_user[], ability_rows_other[];
extern const size_t n_ability_rows_tracefs, n_ability_rows_user, n_ability_rows_other;

#endif

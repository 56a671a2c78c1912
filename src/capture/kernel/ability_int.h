/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ability_int.h - what ability.c and the probes share.
 */
#ifndef SONDE_CAPTURE_KERNEL_ABILITY_INT_H
#define SONDE_CAPTURE_KERNEL_ABILITY_INT_H

#include "capture/kernel/ability.h"
#include "capture/kernel/kconfig.h"
#include "capture/kernel/lockdown.h"
#include "capture/tracefs/tracefs.h"

/* All that probes look at; gathered once. */
struct probing {
	struct abilities *a;
	const char *root;
	struct tracefs t;
	int tracefs_code; /* 0, or why there is no tracing directory */
	char tracefs_why[ABILITY_TEXT_MAX];
	char instance[64];     /* of our own, for trying; "": none */
	int instance_code;     /* why there is none */
	bool instance_is_real; /* the kernel filled it: not a made-up directory */
	struct kconfig config;
	struct lockdown lock;
	struct name_list tracers, instance_tracers, clocks;
	struct textbuf readme; /* ended by NUL */
	int function_code;     /* of the function tracer: 0 it works, 1 not tried */
	char lsm[200];
};

struct ability_row {
	const char *name, *group, *what;
	void (*probe)(struct probing *p, const struct ability_row *row, struct ability *ret);
	const char *arg;    /* a file, a tracer, a word; what the probe makes of it */
	const char *config; /* the option that brings it; NULL: none */
	const char *remedy; /* besides the option; NULL: none */
};

/* Answers. */
void ability_yes(struct ability *ret, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void ability_no(struct ability *ret, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void ability_remedy(struct ability *ret, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* It is not there: for want of an option, of a newer kernel, of rights. */
void ability_absent(struct probing *p, const struct ability_row *row, const char *what,
		    struct ability *ret);
/* It is there, but the kernel said no: code is a negative errno. */
void ability_refused(struct probing *p, const char *what, int code, struct ability *ret);
/* The same where it is known to be the lockdown. */
void ability_locked(struct probing *p, const char *what, struct ability *ret);

/* The tables: ability_tracefs.c, ability_other.c. */
extern const struct ability_row ability_rows_tracefs[], ability_rows_other[];
extern const size_t n_ability_rows_tracefs, n_ability_rows_other;

#endif

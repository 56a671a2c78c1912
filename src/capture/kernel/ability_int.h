/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ability_int.h - what ability.c and the probes share.
 */
#ifndef SONDE_CAPTURE_KERNEL_ABILITY_INT_H
#define SONDE_CAPTURE_KERNEL_ABILITY_INT_H

#include "base/textbuf.h"
#include "capture/kernel/ability.h"
#include "capture/kernel/kconfig.h"
#include "capture/kernel/lockdown.h"
#include "capture/tracefs/tracefs.h"

/* What the probes need; collected once. */
struct probing {
	struct abilities *a;
	const char *root;
	struct tracefs t;
	int tracefs_code; /* 0, or why there is no tracing directory */
	char tracefs_why[ABILITY_TEXT_MAX];
	char instance[64];     /* our own, for trials; "": none */
	int instance_code;     /* why there is none */
	bool instance_is_real; /* the kernel created its files: not a made-up directory */
	struct kconfig config;
	struct lockdown lock;
	struct name_list tracers, instance_tracers, clocks;
	struct textbuf readme; /* ended by NUL */
	int function_code;     /* result for the function tracer: 0 works, 1 not tried */
	char lsm[200];
};

struct ability_row {
	const char *name, *group, *what;
	void (*probe)(struct probing *p, const struct ability_row *row, struct ability *ret);
	const char *arg;    /* a file, a tracer or a word; the probe interprets it */
	const char *config; /* the option that enables it; NULL: none */
	const char *remedy; /* in addition to the option; NULL: none */
};

/* Set the answer. */
void ability_yes(struct ability *ret, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void ability_no(struct ability *ret, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void ability_remedy(struct ability *ret, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* It is missing: an option, a newer kernel or permissions are needed. */
void ability_absent(struct probing *p, const struct ability_row *row, const char *what,
		    struct ability *ret);
/* It exists, but the kernel refused it: code is a negative errno. */
void ability_refused(struct probing *p, const char *what, int code, struct ability *ret);
/* The same if lockdown is the known cause. */
void ability_locked(struct probing *p, const char *what, struct ability *ret);

/* The tables: ability_tracefs.c, ability_other.c. */
extern const struct ability_row ability_rows_tracefs[], ability_rows_other[];
extern const size_t n_ability_rows_tracefs, n_ability_rows_other;

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * toptable.h - samples of the last moments by keys, sorted, with callers: what `top` shows.
 *
 *	toptable_new
 *	toptable_add       a sample arrives
 *	toptable_rows      names are known now: rows, sorted
 *	toptable_age       before the next picture: old samples count less, or nothing
 *	toptable_free
 *
 * Threads: a table belongs to one.
 */
#ifndef SONDE_LIVE_TOP_TOPTABLE_H
#define SONDE_LIVE_TOP_TOPTABLE_H

#include "format/bytes.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct errmsg;
struct toptable;

enum topkey {
	TOPKEY_FUNCTION,
	TOPKEY_FILE,
	TOPKEY_COMM,
	TOPKEY_THREAD,
	TOPKEY_PROCESS,
	TOPKEY_CPU,
	TOPKEYS
};

#define TOPTABLE_CALLERS 4 /* chains that are shown below a row */

struct toptable_config {
	enum topkey keys[TOPKEYS];
	size_t n_keys;
	bool has_children; /* a row counts what its function calls, too */
	bool has_callers;  /* rows have chains of callers */
	bool no_kernel, no_user;
	const char *comms, *files, *functions; /* "a,b": only these; NULL: all */
	uint32_t event;			       /* number of the event that is shown */
	double min_percent;
};

struct topsample {
	uint32_t event;
	int tid, tgid, cpu;
	uint64_t period;
	const uint64_t *stack; /* places (store/events/sampleevents.h), the innermost first */
	size_t n_stack;
};

struct topchain {
	char *text; /* "caller <- its caller <- …" */
	double weight;
};

struct toprow {
	char *keys[TOPKEYS]; /* one text for each key of the config */
	bool is_kernel;
	double self, total; /* weights */
	double n;	    /* samples */
	struct topchain chains[TOPTABLE_CALLERS];
	size_t n_chains;
};

struct toprows {
	struct toprow *rows; /* the heaviest first */
	size_t n, cap;
	double weight, n_samples; /* of all that pass the filters */
	double kernel;		  /* the kernel's part of weight */
};

/* "symbol,dso", as perf's --sort names them, or function, file, comm, thread, process, cpu. */
int toptable_parse_keys(struct toptable_config *config, const char *text, struct errmsg *err);
const char *toptable_key_name(enum topkey key);

/* NULL: out of memory. */
struct toptable *toptable_new(void);
void toptable_free(struct toptable *t);
/* A sample for which there is no room is counted. */
void toptable_add(struct toptable *t, const struct topsample *s);
uint64_t toptable_n_dropped(const struct toptable *t);
/* by: 0 forgets all; 0.875 keeps seven eighths, as perf does. */
void toptable_age(struct toptable *t, double by);

/* What is known about names: texts of sampling.h. */
struct topnames {
	struct piece symbols; /* lines of kallsyms, with places */
	struct piece tasks;   /* "TID NAME" lines */
	struct piece option;  /* lines E and F of the samples' option */
};
/* Returns 0 or -ENOMEM. Release with toprows_release(). */
int toptable_rows(const struct toptable *t, const struct toptable_config *config,
		  const struct topnames *names, struct toprows *ret);
void toprows_release(struct toprows *r);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * topopts.h - what `sonde top` and `sonde as perf top` have in common: options, keys, the screen.
 */
#ifndef SONDE_CLI_SAMPLES_TOPOPTS_H
#define SONDE_CLI_SAMPLES_TOPOPTS_H

#include "base/errmsg.h"
#include "capture/perf/samplechoice.h"
#include "live/top/toprun.h"

struct topopts {
	struct samplechoice samples;
	struct toprun run;
	const char *keys; /* --sort; NULL: function,file */
	long long n_rows; /* 0: as many as the terminal has, or 20 */
	bool has_stacks, no_children, shows_n, is_group;
	bool is_screen; /* redraw; otherwise tables follow each other */
	/* Writes a picture as text. */
	void (*fmt)(const struct topopts *o, const struct toppicture *p, struct textbuf *tb);
	bool has_terminal; /* keys are read */
};

int topopts_run(struct topopts *o, struct errmsg *err);
void topopts_release(struct topopts *o);
/* How many rows fit. */
size_t topopts_n_rows(const struct topopts *o);

/* Option functions; opts begins with a struct topopts. */
int topopts_event(void *opts, const char *value, struct errmsg *err);
int topopts_rate(void *opts, const char *value, struct errmsg *err);
int topopts_period(void *opts, const char *value, struct errmsg *err);
int topopts_pids(void *opts, const char *value, struct errmsg *err);
int topopts_tids(void *opts, const char *value, struct errmsg *err);
int topopts_cpus(void *opts, const char *value, struct errmsg *err);
int topopts_graph(void *opts, const char *value, struct errmsg *err);
int topopts_stacks(void *opts, const char *value, struct errmsg *err);
int topopts_delay(void *opts, const char *value, struct errmsg *err);

#endif

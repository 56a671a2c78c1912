/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * schedtext.h - what `sonde sched` prints: tables and JSON of the sums, lines of single switches.
 *
 * Times are in milliseconds, and moments in seconds of the trace's clock, as report shows them. If
 * the clock does not count time, both are plain numbers of its units.
 */
#ifndef SONDE_PRESENT_SCHED_SCHEDTEXT_H
#define SONDE_PRESENT_SCHED_SCHEDTEXT_H

#include "analyse/sched/schedchains.h"
#include "analyse/sched/schedsums.h"
#include "base/json/jsonwriter.h"
#include "base/textbuf.h"
#include "decode/formats/formats.h"

struct sched_view {
	const struct schedflow *flow;
	const struct schedsums *sums;
	struct formats *formats;
	bool in_time;
	size_t n_rows; /* SIZE_MAX: all */
	unsigned n_frames;
};

/* latency: waits by task, and the longest ones */
void schedtext_fmt_latency(const struct sched_view *v, struct textbuf *tb);
void schedtext_fmt_latency_json(const struct sched_view *v, struct textbuf *tb);
/* summary: times by state, by task and by CPU */
void schedtext_fmt_summary(const struct sched_view *v, struct textbuf *tb);
void schedtext_fmt_summary_json(const struct sched_view *v, struct textbuf *tb);
/* chains */
void schedtext_fmt_chains(const struct sched_view *v, const struct schedchains *c,
			  struct textbuf *tb);
void schedtext_fmt_chains_json(const struct sched_view *v, const struct schedchains *c,
			       struct textbuf *tb);

/* --- pieces, for the files of this folder and for timehist and map --- */
/* "bash-812", "bash:(3)" for several, "<idle>" */
const char *sched_task_fmt(const struct sched_task *t, char *buf, size_t size);
/* "0.123" ms in `width` columns; "-" if it is not known */
void sched_fmt_ms(const struct sched_view *v, bool is_known, uint64_t ns, int width,
		  struct textbuf *tb);
/* "52.129869" in `width` columns */
void sched_fmt_moment(const struct sched_view *v, uint64_t ts, int width, struct textbuf *tb);
/* Writes at most n_frames functions, without those of the tracer; wait: without general waits. */
void sched_fmt_stack(const struct sched_view *v, const struct sched_stack *stack, bool wait,
		     const char *between, struct textbuf *tb);
/* As perf sched timehist does: without the scheduler's own functions, "[unknown]". */
void sched_fmt_stack_as_perf(const struct sched_view *v, const struct sched_stack *stack,
			     struct textbuf *tb);
void sched_json_stack(const struct sched_view *v, const char *key, const struct sched_stack *stack,
		      struct jsonwriter *w);
void sched_json_task(const char *key, const struct sched_task *t, struct jsonwriter *w);
void sched_json_gaps(const struct sched_view *v, struct jsonwriter *w);
void sched_fmt_gaps(const struct sched_view *v, struct textbuf *tb);

#endif

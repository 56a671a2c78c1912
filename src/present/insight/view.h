/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * view.h - prints answers about a trace for a terminal and for scripts: `sonde why` and `sonde
 * states`.
 *
 * Text fits into 80 columns if names allow it. JSON is one object with all numbers. Unlike the JSON
 * of the page (json.h) it names tasks and states, and its times are those of the trace's own clock,
 * as in report --json.
 */
#ifndef SONDE_PRESENT_INSIGHT_VIEW_H
#define SONDE_PRESENT_INSIGHT_VIEW_H

#include "base/textbuf.h"
#include "timeline/insight/taskgroups.h"
#include "timeline/insight/whycauses.h"

struct insight_view {
	const struct timeline *tl;
	/* names of machines, printed before tasks if there are several machines */
	const char *const *machines;
	size_t n_machines;
	size_t n_rows; /* limit of text rows; SIZE_MAX: all */
	bool colour;
};

void whytext_fmt(const struct insight_view *v, const struct insight_why *y,
		 const struct why_causes *causes, struct textbuf *tb);
void whytext_fmt_json(const struct insight_view *v, const struct insight_why *y,
		      struct textbuf *tb);

struct states_view {
	struct insight_view view; /* n_rows also applies to JSON and CSV */
	const struct insight_tasks *tasks;
	const struct task_groups *groups;
	enum task_groups_by by;
};
void statestext_fmt(const struct states_view *v, struct textbuf *tb);
void statestext_fmt_json(const struct states_view *v, struct textbuf *tb);
void statestext_fmt_csv(const struct states_view *v, struct textbuf *tb);

/*
 * Prints what is missing: events that the trace lost, and wakings that it does not have. Prints
 * nothing if nothing is missing.
 */
void insight_fmt_gaps(struct timeline *tl, bool needs_wakings, struct textbuf *tb);

/* Writes "bash-812" or "guest1:bash-812". */
const char *view_task_fmt(const struct insight_view *v, int task, char *buf, size_t size);

#endif

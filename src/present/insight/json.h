/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * json.h - writes the results of insight.h as the JSON of the page. doc/VIEWER.md describes the
 * members.
 *
 * Each function writes one object. Tasks are numbers in it, and times count from the trace's start.
 */
#ifndef SONDE_PRESENT_INSIGHT_JSON_H
#define SONDE_PRESENT_INSIGHT_JSON_H

#include "base/json/jsonwriter.h"
#include "timeline/insight/insight.h"

void insight_emit_tasks(const struct insight_tasks *t, struct jsonwriter *w);
void insight_emit_events(const struct insight_events *e, struct jsonwriter *w);
void insight_emit_wakeups(const struct insight_wakeups *u, struct jsonwriter *w);
void insight_emit_functions(const struct insight_functions *f, struct jsonwriter *w);
void insight_emit_flame(const struct insight_flame *f, const struct timeline *tl,
			struct jsonwriter *w);
void insight_emit_heat(const struct insight_heat *h, struct jsonwriter *w);
void insight_emit_spans(const struct insight_spans *s, struct jsonwriter *w);
void insight_emit_list(const struct insight_list *l, struct jsonwriter *w);
void insight_emit_why(const struct insight_why *y, const struct timeline *tl, struct jsonwriter *w);

/* Writes "key":{"name":…,"soft":…,"task":n or -1,"cpu":…,"start":… if its name is known}. */
void interrupt_emit(const struct interrupt *i, const char *key, struct jsonwriter *w);

#endif

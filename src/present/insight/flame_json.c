// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * flame_json.c - writes a flame graph for the page: api/stats?what=flame and offcpu.
 *
 *	{"unit":"ns","by":"functions","clock":"cpu","choices":[{"by":…,"n":…},…],
 *	 "root":{"name":"all","value":…,"children":[{…},…]},"why_empty":"sentence"}
 *
 * The members are part of the page's protocol (doc/VIEWER.md). A graph has at most 120 levels, the
 * limit of the JSON writer.
 */
#include "base/json/jsonwriter.h"
#include "decode/taskstate.h"
#include "present/insight/json.h"
#include "present/insight/words.h"
#include "timeline/insight/insight.h"

#include <stdio.h>

static const char *frame_fmt(const struct timeline *tl, const struct flame_frame *f, char *buf,
			     size_t size)
{
	static const char *const texts[] = {[FRAME_WOKEN_IN_IRQ] = "woken in an interrupt",
					    [FRAME_WAITS] = "waits for a CPU",
					    [FRAME_NOT_WOKEN] = "(not woken)",
					    [FRAME_WAKER_UNKNOWN] = "(waker not known)",
					    [FRAME_NO_STACK] = "(no stack)"};
	int task = f->value == FRAME_NO_TASK ? -1 : (int)f->value;
	char name[TASK_NAME_MAX];

	switch (f->kind) {
	case FRAME_NAME:
		return f->name ? f->name : "all";
	case FRAME_TASK:
		return task_name_fmt(tl, task, buf, size);
	case FRAME_STATE:
		return task_state_name(f->value);
	case FRAME_WOKEN_BY:
		snprintf(buf, size, "woken by %s", task_name_fmt(tl, task, name, sizeof(name)));
		return buf;
	default:
		return texts[f->kind];
	}
}

static void emit_frame(const struct insight_flame *f, uint32_t at, const struct timeline *tl,
		       struct jsonwriter *w)
{
	const struct flame_frame *frame = &f->frames[at];
	char name[TASK_NAME_MAX + 16];

	jsonwriter_open(w, at ? NULL : "root", '{');
	jsonwriter_add_string(w, "name", frame_fmt(tl, frame, name, sizeof(name)));
	jsonwriter_add_uint(w, "value", frame->weight);
	if (!frame->is_leaf) {
		jsonwriter_open(w, "children", '[');
		for (uint32_t c = frame->first_child; c; c = f->frames[c].next)
			emit_frame(f, c, tl, w);
		jsonwriter_close(w);
	}
	jsonwriter_close(w);
}

static const char *const gaps[] = {
	[FLAME_NO_SUCH_STACKS] = "No such stacks are in this range.",
	[FLAME_NO_CALLS] =
		"The trace has neither calls of functions nor stacks in this range; record with "
		"-p function_graph, or with stacks (-T).",
	[FLAME_NO_SWITCHES] =
		"The trace does not say when tasks left their CPUs in this range; record with "
		"-e sched.",
	[FLAME_NO_STACKS] =
		"The trace has no stacks of switches; what is shown is the state of tasks and who "
		"woke them. Record with -e sched -T for stacks.",
};

void insight_emit_flame(const struct insight_flame *f, const struct timeline *tl,
			struct jsonwriter *w)
{
	jsonwriter_open(w, NULL, '{');
	jsonwriter_add_string(w, "unit", f->in_stacks ? "stacks" : f->in_events ? "events" : "ns");
	jsonwriter_add_string(w, "by", f->by);
	if (f->clock != FLAME_NO_CLOCK)
		jsonwriter_add_string(w, "clock", f->clock == FLAME_WALL ? "wall" : "cpu");
	if (!f->is_off_cpu) {
		jsonwriter_open(w, "choices", '[');
		for (size_t i = 0; i < f->n_choices; i++) {
			jsonwriter_open(w, NULL, '{');
			jsonwriter_add_string(w, "by", f->choices[i].by);
			if (f->choices[i].n)
				jsonwriter_add_uint(w, "n", f->choices[i].n);
			jsonwriter_close(w);
		}
		jsonwriter_close(w);
	}
	emit_frame(f, 0, tl, w);
	if (f->gap != FLAME_WHOLE)
		jsonwriter_add_string(w, "why_empty", gaps[f->gap]);
	jsonwriter_close(w);
}

/*
 * {"event":"cpu-clock","samples":…,"start":…,"column":ns,"row":ns,"rows":50,"columns":…,
 *  "cells":[cell,samples,…]}: only cells with samples.
 */
void insight_emit_heat(const struct insight_heat *h, struct jsonwriter *w)
{
	jsonwriter_open(w, NULL, '{');
	jsonwriter_add_string(w, "event", h->event);
	jsonwriter_add_uint(w, "samples", h->n_samples);
	jsonwriter_add_uint(w, "start", h->start);
	jsonwriter_add_uint(w, "column", h->column_ns);
	jsonwriter_add_uint(w, "row", h->row_ns);
	jsonwriter_add_uint(w, "rows", INSIGHT_HEAT_ROWS);
	jsonwriter_add_uint(w, "columns", h->n_columns);
	jsonwriter_open(w, "cells", '[');
	for (uint32_t i = 0; i < h->n_columns * INSIGHT_HEAT_ROWS; i++) {
		if (!h->cells[i])
			continue;
		jsonwriter_add_uint(w, NULL, i);
		jsonwriter_add_uint(w, NULL, h->cells[i]);
	}
	jsonwriter_close(w);
	if (!h->event)
		jsonwriter_add_string(w, "why_empty",
				      "The trace has no samples; record with --sample.");
	jsonwriter_close(w);
}

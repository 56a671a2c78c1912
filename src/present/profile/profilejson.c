// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * profilejson.c - prints a profile as lines of JSON.
 *
 *  {"profile":"trace.dat","unit":"ns","first":…,"last":…,"events":[{"event":"sched:…","count":45}],
 *   "missing":[{"what":"system calls","record":"-e raw_syscalls"}],"gaps":0,"not_counted":0}
 *  {"pid":234,"comm":"sleep","run":2412000,"rows":[{"kind":"off-cpu","name":"sched_switch:S",
 *   "count":1,"total":…,"avg":…,"max":…,"max_at":…,"min":…,"min_at":…,
 *   "stacks":[{"count":1,"total":…,…,"frames":["schedule",…]}]}]}
 *
 * Times are in "unit": nanoseconds, or "clock" if the trace's clock does not count time. Stacks are
 * not a tree here but a list, each with its frames, the innermost first.
 */
#include "present/profile/profilejson.h"
#include "analyse/profile/profile.h"
#include "base/json/jsonwriter.h"
#include "decode/timefmt.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define NAME_MAX_BYTES 4096

static void add_times(struct jsonwriter *w, const struct profile_times *t)
{
	jsonwriter_add_uint(w, "total", t->total);
	jsonwriter_add_uint(w, "avg", t->n ? t->total / t->n : 0);
	jsonwriter_add_uint(w, "max", t->max);
	jsonwriter_add_uint(w, "max_at", t->max ? t->max_ts : t->min_ts);
	jsonwriter_add_uint(w, "min", t->min);
	jsonwriter_add_uint(w, "min_at", t->min_ts);
}

static void add_frame(struct jsonwriter *w, const struct profile *p, uint64_t addr)
{
	size_t len = 0;
	const char *name = profile_function(p, addr, &len);

	if (name)
		jsonwriter_add_text(w, NULL, name, len);
	else
		jsonwriter_add_hex(w, NULL, addr);
}

static void add_stacks(struct jsonwriter *w, const struct profile *p, const struct profile_row *r)
{
	struct profile_stack *stacks = r->n_stacks ? profile_stacks(p, r) : NULL;

	if (!stacks)
		return;
	jsonwriter_open(w, "stacks", '[');
	for (size_t i = 0; i < r->n_stacks; i++) {
		jsonwriter_open(w, NULL, '{');
		jsonwriter_add_uint(w, "count", stacks[i].times.n);
		if (stacks[i].times.total)
			add_times(w, &stacks[i].times);
		jsonwriter_open(w, "frames", '[');
		for (size_t k = 0; k < stacks[i].n_frames; k++)
			add_frame(w, p, stacks[i].frames[k]);
		jsonwriter_close(w);
		jsonwriter_close(w);
	}
	jsonwriter_close(w);
	free(stacks);
}

static void add_values(struct jsonwriter *w, const struct profile_row *r)
{
	if (!r->n_values || !profiletext_has_value(r->values[0]))
		return;
	jsonwriter_add_string(w, "field", r->field->name);
	jsonwriter_open(w, "values", '[');
	for (size_t i = 0; i < r->n_values; i++) {
		jsonwriter_open(w, NULL, '{');
		if (r->values[i]->value >> 53) /* a double cannot represent the number */
			jsonwriter_add_hex(w, "value", r->values[i]->value);
		else
			jsonwriter_add_uint(w, "value", r->values[i]->value);
		jsonwriter_add_uint(w, "count", r->values[i]->times.n);
		if (r->end_event)
			add_times(w, &r->values[i]->times);
		jsonwriter_close(w);
	}
	jsonwriter_close(w);
}

static void add_row(struct jsonwriter *w, const struct profile *p, const struct profile_row *r,
		    const struct profile_style *style)
{
	static const char *const kinds[] = {
		[PROFILE_RUN] = "running",     [PROFILE_SWITCH] = "off-cpu",
		[PROFILE_WAKEUP] = "wakeup",   [PROFILE_FUNCTION] = "function",
		[PROFILE_SYSCALL] = "syscall", [PROFILE_IRQ] = "irq",
		[PROFILE_SOFTIRQ] = "softirq", [PROFILE_RAISE] = "softirq-raise",
		[PROFILE_HOOK] = "hook",       [PROFILE_EXEC] = "event",
		[PROFILE_STACK] = "event",     [PROFILE_OTHER] = "event",
	};
	struct textbuf name;

	textbuf_init(&name, NAME_MAX_BYTES);
	profiletext_fmt_name(p, r, style, &name);
	jsonwriter_open(w, NULL, '{');
	jsonwriter_add_string(w, "kind", kinds[r->kind]);
	jsonwriter_add_text(w, "name", name.start ? name.start : "", textbuf_len(&name));
	textbuf_release(&name);
	if (r->kind == PROFILE_IRQ && r->name)
		jsonwriter_add_string(w, "handler", r->name);
	jsonwriter_add_uint(w, "count", r->times.n);
	if (r->end_event || r->kind == PROFILE_RUN)
		add_times(w, &r->times);
	add_values(w, r);
	add_stacks(w, p, r);
	jsonwriter_close(w);
}

static void add_events(struct jsonwriter *w, const struct profile *p)
{
	struct profile_missing missing;
	size_t n;
	const struct profile_seen *seen = profile_seen(p, &n);

	jsonwriter_open(w, "events", '[');
	for (size_t i = 0; i < n; i++) {
		jsonwriter_open(w, NULL, '{');
		jsonwriter_add_string(w, "system", seen[i].event->system);
		jsonwriter_add_string(w, "event", seen[i].event->name);
		jsonwriter_add_uint(w, "count", seen[i].n);
		jsonwriter_close(w);
	}
	jsonwriter_close(w);
	jsonwriter_open(w, "missing", '[');
	for (size_t i = 0; profile_next_missing(p, &i, &missing);) {
		jsonwriter_open(w, NULL, '{');
		jsonwriter_add_string(w, "what", missing.what);
		jsonwriter_add_string(w, "events", missing.events);
		jsonwriter_add_string(w, "record", missing.record);
		jsonwriter_close(w);
	}
	jsonwriter_close(w);
}

void profilejson_fmt_head(const struct profile *p, const struct profile_style *style,
			  struct textbuf *tb)
{
	struct jsonwriter w;
	uint64_t first = 0, last = 0;

	jsonwriter_init(&w, tb);
	jsonwriter_open(&w, NULL, '{');
	jsonwriter_add_string(&w, "profile", style->file);
	if (style->buffer)
		jsonwriter_add_string(&w, "buffer", style->buffer);
	jsonwriter_add_string(&w, "unit", style->time_style == TIME_UNITS ? "clock" : "ns");
	if (profile_range(p, &first, &last)) {
		jsonwriter_add_uint(&w, "first", first);
		jsonwriter_add_uint(&w, "last", last);
	}
	add_events(&w, p);
	jsonwriter_add_uint(&w, "gaps", profile_n_gaps(p));
	jsonwriter_add_uint(&w, "not_counted", profile_n_dropped(p));
	jsonwriter_close(&w);
	textbuf_add_char(tb, '\n');
}

static void add_who(struct jsonwriter *w, const struct profile_task *t)
{
	if (t->is_cpu) {
		jsonwriter_add_uint(w, "cpu", t->cpu);
	} else if (t->is_group) {
		jsonwriter_add_string(w, "group", t->comm);
		jsonwriter_add_uint(w, "tasks", t->n_tasks);
	} else if (t->is_global) {
		jsonwriter_add_bool(w, "global", true);
	} else {
		jsonwriter_add_int(w, "pid", t->pid);
		jsonwriter_add_string(w, "comm", t->comm);
		if (t->is_idle)
			jsonwriter_add_uint(w, "idle_of_cpu", t->cpu);
	}
}

void profilejson_fmt_task(const struct profile *p, const struct profile_task *t,
			  const struct profile_style *style, struct textbuf *tb)
{
	struct jsonwriter w;

	jsonwriter_init(&w, tb);
	jsonwriter_open(&w, NULL, '{');
	if (style->file)
		jsonwriter_add_string(&w, "file", style->file);
	if (style->buffer)
		jsonwriter_add_string(&w, "buffer", style->buffer);
	add_who(&w, t);
	jsonwriter_add_uint(&w, "run", t->run);
	jsonwriter_open(&w, "rows", '[');
	for (size_t i = 0; i < t->n_rows; i++)
		add_row(&w, p, t->rows[i], style);
	jsonwriter_close(&w);
	jsonwriter_close(&w);
	textbuf_add_char(tb, '\n');
}

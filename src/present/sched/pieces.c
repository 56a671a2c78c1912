// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pieces.c - tasks, times and stacks, as all texts of `sonde sched` show them.
 *
 *	bash-812   0.123 (ms)   52.129869 (s)   pipe_read ← vfs_read ← ksys_read
 *
 * Moments are cut to microseconds, not rounded, as perf does. A stack begins below the functions of
 * the tracer; where a task waits, also below the scheduler and general waits (waitplace.h).
 */
#include "decode/formats/formats.h"
#include "present/sched/schedtext.h"

#include "analyse/sched/waitplace.h"
#include "base/array.h"
#include "symbols/kallsyms.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const char *sched_task_fmt(const struct sched_task *t, char *buf, size_t size)
{
	if (!t)
		snprintf(buf, size, "?");
	else if (!t->pid)
		snprintf(buf, size, "<idle>");
	else
		snprintf(buf, size, "%s-%d", *t->comm ? t->comm : "<...>", t->pid);
	return buf;
}

void sched_fmt_ms(const struct sched_view *v, bool is_known, uint64_t ns, int width,
		  struct textbuf *tb)
{
	if (!is_known)
		textbuf_addf(tb, "%*s", width, "-");
	else if (v->in_time)
		textbuf_addf(tb, "%*" PRIu64 ".%03u", width > 4 ? width - 4 : 0, ns / 1000000,
			     (unsigned)(ns / 1000 % 1000));
	else
		textbuf_addf(tb, "%*" PRIu64, width, ns);
}

void sched_fmt_moment(const struct sched_view *v, uint64_t ts, int width, struct textbuf *tb)
{
	if (v->in_time)
		textbuf_addf(tb, "%*" PRIu64 ".%06u", width > 7 ? width - 7 : 0, ts / 1000000000,
			     (unsigned)(ts / 1000 % 1000000));
	else
		textbuf_addf(tb, "%*" PRIu64, width, ts);
}

/* The symbol of frame i; NULL: there is none. */
static const struct ksym *symbol(const struct sched_view *v, const struct sched_stack *k,
				 uint32_t i)
{
	return kallsyms_find(formats_kallsyms(v->formats), k->frames[i]);
}

/* The first frame that is neither of the tracer nor, in a wait, of the scheduler. */
static uint32_t first_frame(const struct sched_view *v, const struct sched_stack *k, bool wait)
{
	uint32_t i = 0;

	for (; i < k->n; i++) {
		const struct ksym *sym = symbol(v, k, i);

		if (!sym || !(frame_is_of_tracer(sym->name, sym->name_len) ||
			      (wait && frame_is_general_wait(sym->name, sym->name_len))))
			break;
	}
	return i < k->n ? i : 0;
}

void sched_fmt_stack(const struct sched_view *v, const struct sched_stack *k, bool wait,
		     const char *between, struct textbuf *tb)
{
	uint32_t first = first_frame(v, k, wait);

	for (uint32_t i = first; i < k->n && i - first < v->n_frames; i++) {
		const struct ksym *sym = symbol(v, k, i);

		if (i > first)
			textbuf_add_str(tb, between);
		if (sym)
			textbuf_add(tb, sym->name, sym->name_len);
		else
			textbuf_addf(tb, "0x%" PRIx64, k->frames[i]);
	}
}

/* Is it a frame that perf omits? */
static bool is_left_out(const struct ksym *sym)
{
	static const char *const names[] = {"schedule", "__schedule", "preempt_schedule"};

	return sym && ARRAY_ANY(ARRAY_LEN(names), i,
				sym->name_len == strlen(names[i]) &&
					!memcmp(sym->name, names[i], sym->name_len));
}

void sched_fmt_stack_as_perf(const struct sched_view *v, const struct sched_stack *k,
			     struct textbuf *tb)
{
	uint32_t first = first_frame(v, k, false);
	bool any = false;

	/* perf reads two frames more, and omits most of them */
	for (uint32_t i = first; i < k->n && i - first < v->n_frames + 2; i++) {
		const struct ksym *sym = symbol(v, k, i);

		if (is_left_out(sym))
			continue;
		textbuf_add_str(tb, any ? " <- " : "");
		any = true;
		if (sym)
			textbuf_add(tb, sym->name, sym->name_len);
		else
			textbuf_add_str(tb, "[unknown]");
	}
}

void sched_json_stack(const struct sched_view *v, const char *key, const struct sched_stack *k,
		      struct jsonwriter *w)
{
	if (!k) {
		jsonwriter_add_null(w, key);
		return;
	}
	jsonwriter_open(w, key, '[');
	for (uint32_t i = first_frame(v, k, false); i < k->n; i++) {
		const struct ksym *sym = symbol(v, k, i);

		if (sym)
			jsonwriter_add_text(w, NULL, sym->name, sym->name_len);
		else
			jsonwriter_add_hex(w, NULL, k->frames[i]);
	}
	jsonwriter_close(w);
}

void sched_json_task(const char *key, const struct sched_task *t, struct jsonwriter *w)
{
	if (!t) {
		jsonwriter_add_null(w, key);
		return;
	}
	jsonwriter_open(w, key, '{');
	jsonwriter_add_int(w, "pid", t->pid);
	jsonwriter_add_string(w, "comm", t->comm);
	jsonwriter_close(w);
}

void sched_json_gaps(const struct sched_view *v, struct jsonwriter *w)
{
	size_t n;
	const struct sched_gap *gaps = schedflow_gaps(v->flow, &n);

	jsonwriter_add_uint(w, "n_gaps", schedflow_counts(v->flow)->n_gaps);
	jsonwriter_open(w, "gaps", '[');
	for (size_t i = 0; i < n; i++) {
		jsonwriter_open(w, NULL, '{');
		jsonwriter_add_uint(w, "cpu", gaps[i].cpu);
		jsonwriter_add_uint(w, "from", gaps[i].from);
		jsonwriter_add_uint(w, "to", gaps[i].to);
		jsonwriter_close(w);
	}
	jsonwriter_close(w);
}

void sched_fmt_gaps(const struct sched_view *v, struct textbuf *tb)
{
	size_t n;
	const struct sched_gap *gaps = schedflow_gaps(v->flow, &n);
	uint64_t all = schedflow_counts(v->flow)->n_gaps;

	if (!all)
		return;
	textbuf_addf(tb,
		     "\nEvents were lost; waits and sleeps across these places are not counted:\n");
	for (size_t i = 0; i < n; i++) {
		textbuf_addf(tb, "  CPU %u  ", gaps[i].cpu);
		sched_fmt_moment(v, gaps[i].from, 0, tb);
		textbuf_add_str(tb, " to ");
		sched_fmt_moment(v, gaps[i].to, 0, tb);
		textbuf_add_char(tb, '\n');
	}
	if (all > n)
		textbuf_addf(tb, "  and %" PRIu64 " more\n", all - n);
}

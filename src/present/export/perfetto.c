// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * perfetto.c - exports a trace as Perfetto's protobuf, for ui.perfetto.dev and its trace_processor.
 *
 *  Trace { repeated packet = 1 }
 *  packet: ftrace_events = 1   { cpu = 1, repeated event = 2 }           all events, by CPU
 *          process_tree = 2    { threads = 2 { tid, name, tgid } }       if tgids are known
 *          track_descriptor = 60, track_event = 11                       functions as nested slices
 *
 * A table defines the fields of
 * events that Perfetto knows; any other event becomes a generic event with its fields by name, so
 * that nothing is omitted. Function names are resolved here: the trace has the kernel's symbols,
 * Perfetto does not.
 *
 * Perfetto interprets all times as boot time. sonde writes the times of the trace's own clock,
 * unchanged.
 */
#include "base/array.h"
#include "decode/callevent.h"
#include "format/bytes.h"
#include "present/export/protobuf.h"
#include "present/export/slices.h"
#include "present/export/traceexport.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIELDS_MAX     8
#define SEQUENCE       1 /* all packets have one writer */
#define TEXT_MAX_BYTES 4096

enum { SLICE_BEGIN = 1, SLICE_END = 2 };
enum {
	PACKET = 1,
	P_FTRACE = 1,
	P_TREE = 2,
	P_TIME = 8,
	P_SEQUENCE = 10,
	P_EVENT = 11,
	P_TRACK = 60,
	P_MACHINE = 98
};

/*
 * Events with their own messages: the number of the message in FtraceEvent, and the numbers of its
 * fields.
 */
static const struct known_event {
	const char *system, *name;
	uint16_t number;
	struct {
		const char *name;
		uint16_t number;
	} fields[FIELDS_MAX];
} known[] = {
	{"sched",
	 "sched_switch",
	 4,
	 {{"prev_comm", 1},
	  {"prev_pid", 2},
	  {"prev_prio", 3},
	  {"prev_state", 4},
	  {"next_comm", 5},
	  {"next_pid", 6},
	  {"next_prio", 7}}},
	{"sched",
	 "sched_wakeup",
	 17,
	 {{"comm", 1}, {"pid", 2}, {"prio", 3}, {"success", 4}, {"target_cpu", 5}}},
	{"sched",
	 "sched_waking",
	 20,
	 {{"comm", 1}, {"pid", 2}, {"prio", 3}, {"success", 4}, {"target_cpu", 5}}},
	{"sched",
	 "sched_wakeup_new",
	 114,
	 {{"comm", 1}, {"pid", 2}, {"prio", 3}, {"success", 4}, {"target_cpu", 5}}},
	{"sched", "sched_process_exec", 237, {{"filename", 1}, {"pid", 2}, {"old_pid", 3}}},
	{"sched", "sched_process_exit", 238, {{"comm", 1}, {"pid", 2}, {"prio", 4}}},
	{"sched",
	 "sched_process_fork",
	 239,
	 {{"parent_comm", 1}, {"parent_pid", 2}, {"child_comm", 3}, {"child_pid", 4}}},
	{"sched", "sched_process_free", 240, {{"comm", 1}, {"pid", 2}, {"prio", 3}}},
	{"task",
	 "task_newtask",
	 235,
	 {{"pid", 1}, {"comm", 2}, {"clone_flags", 3}, {"oom_score_adj", 4}}},
	{"task",
	 "task_rename",
	 236,
	 {{"pid", 1}, {"oldcomm", 2}, {"newcomm", 3}, {"oom_score_adj", 4}}},
	{"irq", "irq_handler_entry", 36, {{"irq", 1}, {"name", 2}}},
	{"irq", "irq_handler_exit", 37, {{"irq", 1}, {"ret", 2}}},
	{"irq", "softirq_entry", 24, {{"vec", 1}}},
	{"irq", "softirq_exit", 25, {{"vec", 1}}},
	{"irq", "softirq_raise", 26, {{"vec", 1}}},
	{"power", "cpu_frequency", 11, {{"state", 1}, {"cpu_id", 2}}},
	{"power", "cpu_idle", 13, {{"state", 1}, {"cpu_id", 2}}},
	{"ftrace", "print", 3, {{"ip", 1}, {"buf", 2}}},
	{"raw_syscalls", "sys_enter", 329, {{"id", 1}}},
	{"raw_syscalls", "sys_exit", 330, {{"id", 1}, {"ret", 2}}},
};

struct trace_export {
	struct trace_export_config config;
	struct line_printer lp;
	struct call_kinds **kinds; /* by source */
	struct slices slices;
	struct textbuf text; /* text of one symbol */
	struct textbuf *out;
};

static size_t packet_open(struct trace_export *x, uint32_t machine)
{
	size_t start = protobuf_open(x->out, PACKET);

	protobuf_add_uint(x->out, P_SEQUENCE, SEQUENCE);
	if (machine)
		protobuf_add_uint(x->out, P_MACHINE, machine);
	return start;
}

/* --- ftrace events ---------------------------------------------------------------------------- */

static const struct known_event *find_known(const struct event *ev)
{
	return ARRAY_FIND(known, ARRAY_LEN(known), i,
			  !strcmp(known[i].name, ev->name) && !strcmp(known[i].system, ev->system));
}

/*
 * Adds a field under the given number. If the number is 0, the field is generic: str 3, int 4, uint
 * 5.
 */
static void add_value(struct textbuf *tb, const struct printer *p, const struct field *f,
		      unsigned number)
{
	uint64_t v;

	if (f->flags & FIELD_STRING) {
		struct piece s = printer_field_bytes(p, f);
		size_t len = strnlen((const char *)s.data, s.len);

		protobuf_add_text(tb, number ? number : 3, (const char *)s.data,
				  len < TEXT_MAX_BYTES ? len : TEXT_MAX_BYTES);
	} else if (!(f->flags & (FIELD_ARRAY | FIELD_DYNAMIC)) && printer_number(p, f, &v)) {
		bool is_signed = f->flags & FIELD_SIGNED;

		if (is_signed)
			v = bytes_extend_sign(v, f->size);
		protobuf_add_uint(tb, number ? number : is_signed ? 4 : 5, v);
	}
}

static void add_known(struct textbuf *tb, struct printer *p, const struct known_event *k,
		      const struct event *ev)
{
	size_t start = protobuf_open(tb, k->number);

	for (int i = 0; i < FIELDS_MAX && k->fields[i].name; i++) {
		const struct field *f = event_find_field(ev, k->fields[i].name);

		if (f)
			add_value(tb, p, f, k->fields[i].number);
	}
	protobuf_close(tb, start);
}

/* Adds any other event: GenericFtraceEvent { event_name = 1, field = 2 { name = 1, value } }. */
static void add_generic(struct textbuf *tb, struct printer *p, const struct event *ev)
{
	size_t start = protobuf_open(tb, 327);

	protobuf_add_text(tb, 1, ev->name, strlen(ev->name));
	for (size_t i = 0; i < ev->n_fields; i++) {
		size_t field = protobuf_open(tb, 2);

		protobuf_add_text(tb, 1, ev->fields[i].name, strlen(ev->fields[i].name));
		add_value(tb, p, &ev->fields[i], 0);
		protobuf_close(tb, field);
	}
	protobuf_close(tb, start);
}

static void add_ftrace(struct trace_export *x, const struct record *rec)
{
	const struct formats *f = x->config.style->sources[rec->source].formats;
	struct printer *p = x->lp.printers[rec->source];
	const struct known_event *k = find_known(rec->event);
	size_t start = protobuf_open(x->out, 2);

	protobuf_add_uint(x->out, 1, rec->ts);
	protobuf_add_uint(x->out, 2, (uint32_t)formats_common(f, &f->pid, rec->data, rec->size));
	printer_point_at(p, rec);
	if (k)
		add_known(x->out, p, k, rec->event);
	else
		add_generic(x->out, p, rec->event);
	protobuf_close(x->out, start);
}

/* --- functions -------------------------------------------------------------------------------- */

static uint64_t track_id(const struct slice_track *t)
{
	return t->key;
}

/* Adds a task's track, below its thread if its process is known, otherwise by name. */
static void add_track(struct trace_export *x, struct slice_track *t, const struct record *rec)
{
	size_t start = packet_open(x, t->machine), track = protobuf_open(x->out, P_TRACK), thread;
	char name[96];

	t->is_told = true;
	protobuf_add_uint(x->out, 1, track_id(t));
	if (t->pid && rec->task && rec->task->tgid >= 0) {
		thread = protobuf_open(x->out, 4);
		protobuf_add_uint(x->out, 1, rec->task->tgid);
		protobuf_add_uint(x->out, 2, t->pid);
		protobuf_close(x->out, thread);
	} else {
		int n = t->pid ? snprintf(name, sizeof(name), "functions of %.64s-%d",
					  rec->task ? rec->task->comm : "?", t->pid)
			       : snprintf(name, sizeof(name), "functions on idle CPU %u", t->cpu);

		protobuf_add_text(x->out, 2, name, n);
	}
	protobuf_close(x->out, track);
	protobuf_close(x->out, start);
}

/* Adds a text that belongs to a slice: DebugAnnotation { name = 10, string_value = 6 }. */
static void add_note(struct trace_export *x, const char *name, const struct piece *text)
{
	size_t note = protobuf_open(x->out, 4);

	protobuf_add_text(x->out, 10, name, strlen(name));
	protobuf_add_text(x->out, 6, (const char *)text->data, text->len);
	protobuf_close(x->out, note);
}

/* values may be NULL; their arguments belong to the begin, their return value to the end. */
static void add_slice(struct trace_export *x, const struct slice_track *t, uint64_t ts, int type,
		      const struct call_values *values)
{
	size_t start = packet_open(x, t->machine), event;

	protobuf_add_uint(x->out, P_TIME, ts);
	event = protobuf_open(x->out, P_EVENT);
	if (values && values->has_args && type == SLICE_BEGIN)
		add_note(x, "arguments", &values->args);
	if (values && values->has_ret && type == SLICE_END)
		add_note(x, "retval", &values->ret);
	protobuf_add_uint(x->out, 9, type);
	protobuf_add_uint(x->out, 11, track_id(t));
	if (type == SLICE_BEGIN)
		protobuf_add_text(x->out, 23, x->text.start, textbuf_len(&x->text));
	protobuf_close(x->out, event);
	protobuf_close(x->out, start);
}

/* Ends n slices; values belong to the last, which is the outermost. */
static void add_ends(struct trace_export *x, const struct slice_track *t, uint64_t ts, int n,
		     const struct call_values *values)
{
	while (n-- > 0)
		add_slice(x, t, ts, SLICE_END, n ? NULL : values);
}

/* Writes the name of the function into x->text. */
static void name_function(struct trace_export *x, struct printer *p, uint64_t addr)
{
	struct textbuf *out = p->out;

	textbuf_clear(&x->text);
	p->out = &x->text;
	if (!p->kallsyms || !printer_add_symbol_name(p, addr)) {
		textbuf_add_str(&x->text, "0x");
		textbuf_add_hex(&x->text, addr);
	}
	p->out = out;
}

static void add_function(struct trace_export *x, const struct record *rec,
			 const struct call_kind *kind)
{
	const struct formats *f = x->config.style->sources[rec->source].formats;
	struct printer *p = x->lp.printers[rec->source];
	struct call_values values = {0};
	struct call_event ev;
	struct slice_track *t =
		slices_get(&x->slices, x->config.machines[rec->source],
			   formats_common(f, &f->pid, rec->data, rec->size), rec->cpu);
	unsigned depth;
	int ends;

	if (!t || !call_kind_read(kind, rec->data, rec->size, &ev))
		return;
	printer_point_at(p, rec);
	depth = slices_depth(kind, &ev);
	if (!t->is_told)
		add_track(x, t, rec);
	ends = kind->step == CALL_ENTER ? slice_track_enter(t, depth)
					: (int)slice_track_leave(t, depth);
	call_values_read(kind, rec->data, rec->size, &values);
	add_ends(x, t, rec->ts, ends, kind->step == CALL_LEAVE ? &values : NULL);
	if (kind->step == CALL_LEAVE || ends < 0)
		return;
	name_function(x, p, ev.func);
	add_slice(x, t, rec->ts, SLICE_BEGIN, &values);
	/* Perfetto sorts by time, so the end may be written before the events in between */
	if (kind->step == CALL_WHOLE)
		add_slice(x, t, rec->ts + ev.duration, SLICE_END, &values);
}

/* --- the trace -------------------------------------------------------------------------------- */

static void perfetto_free(struct trace_export *x)
{
	line_printer_release(&x->lp);
	slices_release(&x->slices);
	slices_kinds_free(x->kinds);
	textbuf_release(&x->text);
	free(x);
}

static int perfetto_new(struct trace_export **ret, const struct trace_export_config *config)
{
	struct trace_export *x = calloc(1, sizeof(*x));

	if (!x)
		return -ENOMEM;
	x->config = *config;
	slices_init(&x->slices);
	textbuf_init(&x->text, 1 << 16);
	x->kinds = slices_kinds_new(config->style);
	if (!x->kinds || line_printer_init(&x->lp, config->style) < 0) {
		slices_kinds_free(x->kinds);
		free(x);
		return -ENOMEM;
	}
	*ret = x;
	return 0;
}

static const struct call_kind *kind_of(const struct trace_export *x, const struct record *rec)
{
	return call_kinds_find(x->kinds[rec->source], rec->event ? rec->event->id : -1);
}

/* Adds a task with known process, once. */
static void add_thread(struct trace_export *x, const struct record *rec)
{
	uint32_t machine = x->config.machines[rec->source];
	struct slice_track *t;
	size_t start, tree, thread;

	if (!rec->task || rec->task->tgid < 0 || !rec->task->pid)
		return;
	t = slices_get(&x->slices, machine, rec->task->pid, rec->cpu);
	if (!t || t->is_named)
		return;
	t->is_named = true;
	start = packet_open(x, machine);
	tree = protobuf_open(x->out, P_TREE);
	thread = protobuf_open(x->out, 2);
	protobuf_add_uint(x->out, 1, rec->task->pid);
	protobuf_add_text(x->out, 2, rec->task->comm, rec->task->comm_len);
	protobuf_add_uint(x->out, 3, rec->task->tgid);
	protobuf_close(x->out, thread);
	protobuf_close(x->out, tree);
	protobuf_close(x->out, start);
}

/* Adds the events of a batch. A bundle contains consecutive events of one CPU. */
static void perfetto_add(struct trace_export *x, const struct batch *b, struct textbuf *out)
{
	size_t i = 0;

	x->out = out;
	line_printer_aim(&x->lp, out);
	while (i < b->n) {
		const struct record *first = &b->records[i];
		size_t start, bundle, end = i;

		for (; end < b->n && b->records[end].cpu == first->cpu &&
		       b->records[end].source == first->source;
		     end++) {
			const struct record *rec = &b->records[end];

			add_thread(x, rec);
			if (kind_of(x, rec)->step != CALL_NOT)
				add_function(x, rec, kind_of(x, rec));
		}
		start = packet_open(x, x->config.machines[first->source]);
		bundle = protobuf_open(out, P_FTRACE);
		protobuf_add_uint(out, 1, first->cpu);
		for (; i < end; i++)
			if (b->records[i].event && kind_of(x, &b->records[i])->step == CALL_NOT)
				add_ftrace(x, &b->records[i]);
		protobuf_close(out, bundle);
		protobuf_close(out, start);
	}
}

/* Ends the trace. Perfetto extends open slices to the end of the trace. */
static void perfetto_finish(struct trace_export *x, struct textbuf *out)
{
}

const struct trace_export_kind export_perfetto = {
	.name = "perfetto",
	.suffix = "perfetto-trace",
	.new = perfetto_new,
	.add = perfetto_add,
	.finish = perfetto_finish,
	.free = perfetto_free,
};

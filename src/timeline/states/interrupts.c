// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * interrupts.c - finds the interrupt that woke a task, and the task that it interrupted.
 *
 *	CPU 1    bash ───────┬───────────────────────────────┬──── bash
 *	                     │ irq_handler_entry irq=27 eth0  │ irq_handler_exit
 *	                     │      └ sched_waking kworker    │
 *
 * The index stores that a waking was in an interrupt, and which task ran there: the interrupted
 * task. The interrupt itself is found in the events of that CPU before the waking: it was entered
 * and not left again. These events are few and near. So this code reads a short window first, then
 * longer ones up to WINDOW_MAX_NS. It does not build lanes of interrupts, which need the whole
 * trace.
 *
 * Several interrupts can be open: the processor's vector, and in it the function of a timer. Their
 * names are listed from the outside in: local_timer, tick_sched_timer. The flags of the waking
 * distinguish hard and soft interrupts.
 *
 * The end of an interrupt may be lost. So if events were lost, or if the CPU switched to another
 * task, no earlier interrupt is open any more.
 */
#include "timeline/states/interrupts.h"
#include "base/scope.h"
#include "base/array.h"
#include "decode/formats/event.h"
#include "timeline/insight/insight_int.h"

#include "format/bytes.h"

#include <errno.h>
#include <stdlib.h>

/* maximum time between a waking and the moment when the task could run */
#define NEAR_NS		10000000
#define WINDOW_FIRST_NS UINT64_C(200000)
#define WINDOW_MAX_NS	UINT64_C(200000000)

struct interrupts {
	struct lanes *ls;
	uint32_t machine;
	struct interrupt_class {
		struct forms forms;
		uint8_t *kinds; /* kinds of events that enter or leave */
		size_t n_kinds;
	} classes[2]; /* hard and soft */
	struct mark_cache cache;
};

static const unsigned form_classes[] = {FORM_IRQ, FORM_SOFTIRQ};

static int class_init(struct interrupt_class *c, struct lanes *ls, uint32_t machine,
		      unsigned form_class)
{
	TRY(forms_init(&c->forms, ls->tl, &ls->labels, machine, form_class));
	c->n_kinds = c->forms.n_kinds;
	c->kinds = calloc(1, c->n_kinds / 8 + 1);
	if (!c->kinds)
		return -ENOMEM;
	for (size_t i = 0; i < c->n_kinds; i++)
		if (c->forms.kinds[i].form)
			bit_set(c->kinds, i);
	return 0;
}

int interrupts_new(struct interrupts **ret, struct lanes *ls, uint32_t machine)
{
	struct interrupts *in = calloc(1, sizeof(*in));
	int r = in ? 0 : -ENOMEM;

	for (size_t i = 0; i < 2 && !r; i++)
		r = class_init(&in->classes[i], ls, machine, form_classes[i]);
	if (r < 0) {
		interrupts_free(in);
		return r;
	}
	in->ls = ls;
	in->machine = machine;
	*ret = in;
	return 0;
}

void interrupts_free(struct interrupts *in)
{
	if (!in)
		return;
	for (size_t i = 0; i < 2; i++) {
		forms_release(&in->classes[i].forms);
		free(in->classes[i].kinds);
	}
	free(in);
}

/* --- names ------------------------------------------------------------------------------------ */

/* Reads the interrupt's number from the event. */
static bool read_number(const struct interrupts *in, const struct walk_event *ev, uint64_t *ret)
{
	static const char *const names[] = {"irq", "vec", "vector"};
	const struct timeline_kind *k = timeline_kind(in->ls->tl, ev->kind);

	for (size_t i = 0; k->event && i < ARRAY_LEN(names); i++) {
		const struct field *f = event_find_field(k->event, names[i]);

		if (f && (uint64_t)f->offset + f->size <= ev->size && f->size <= 8) {
			*ret = bytes_get(ev->data + f->offset, f->size,
					 timeline_source(in->ls->tl, k->source)->formats->swap);
			return true;
		}
	}
	return false;
}

/* Adds an open interrupt. The outermost one sets the kind. */
static void add_name(struct interrupts *in, const struct walk_event *ev, uint32_t label,
		     struct interrupt *ret)
{
	if (!ret->n_names)
		ret->has_number = read_number(in, ev, &ret->number);
	if (ret->n_names < INTERRUPT_NAMES)
		ret->names[ret->n_names++] = labels_find(&in->ls->labels, label);
}

/* --- what is open at a moment ----------------------------------------------------------------- */

struct open_interrupts {
	struct interrupts *in;
	struct interrupt_class *of;
	uint64_t t;
	struct {
		uint32_t id;
		uint64_t ts;
		event_ref ref;
	} open[INTERRUPT_NAMES];
	size_t n, n_over; /* n_over: interrupts for which there was no room */
};

static bool look_open(void *ctx, const struct walk_event *ev)
{
	struct open_interrupts *o = ctx;
	struct mark m;

	if (ev->missed)
		o->n = o->n_over = 0;
	if (!forms_mark(&o->of->forms, &o->in->cache, ev, &m))
		return true;
	if (m.what == MARK_ENTER) {
		if (o->n < INTERRUPT_NAMES) {
			o->open[o->n].id = m.id;
			o->open[o->n].ts = ev->ts;
			o->open[o->n++].ref = ev->ref;
		} else {
			o->n_over++;
		}
		return true;
	}
	if (m.what != MARK_LEAVE || ev->ts == o->t)
		return true;
	if (o->n_over) {
		o->n_over--;
		return true;
	}
	for (size_t i = o->n; i; i--)
		if (o->open[i - 1].id == m.id) {
			o->n = i - 1; /* the inner interrupts are left as well */
			break;
		}
	return true;
}

static bool look_switch(void *ctx, const struct switch_entry *e)
{
	struct open_interrupts *o = ctx;

	if (o->n && o->open[0].ts < e->ts && e->ts <= o->t)
		o->n = 0;
	return e->ts <= o->t;
}

static void name_open(struct interrupts *in, const struct open_interrupts *o, struct interrupt *ret)
{
	for (size_t i = 0; i < o->n; i++) {
		struct walk_one one;
		struct mark m;

		if (timeline_get(in->ls->tl, o->open[i].ref, &one) < 0)
			continue;
		if (forms_mark(&o->of->forms, &in->cache, &one.ev, &m)) {
			if (!ret->n_names)
				ret->start = one.ev.ts;
			add_name(in, &one.ev, m.label, ret);
		}
		walk_release(&one);
	}
}

/* Finds open interrupts of one class on ret's CPU at t. */
static void find_open(struct interrupts *in, size_t class, size_t stream, uint64_t t,
		      struct interrupt *ret)
{
	struct interrupt_class *c = &in->classes[class];
	struct open_interrupts o = {.in = in, .of = c, .t = t};

	if (!c->forms.n_found)
		return;
	for (uint64_t window = WINDOW_FIRST_NS; window <= WINDOW_MAX_NS && !o.n; window *= 8) {
		struct walk_wants wants = {.from = t > window ? t - window : 0,
					   .to = t,
					   .kinds = c->kinds,
					   .n_kinds = c->n_kinds};
		bool whole;

		o.n_over = 0;
		timeline_walk(in->ls->tl, stream, &wants, look_open, &o, &whole);
		if (window > t)
			break;
	}
	if (o.n)
		timeline_switches(in->ls->tl, stream, o.open[0].ts, t, look_switch, &o);
	name_open(in, &o, ret);
}

/* --- wakings ---------------------------------------------------------------------------------- */

struct looking_for {
	uint16_t task;
	uint64_t t;
	bool found;
	struct waking_entry last;
};

static bool look_waking(void *ctx, const struct waking_entry *e)
{
	struct looking_for *l = ctx;

	if (e->task == l->task && e->ts <= l->t && e->ts + NEAR_NS >= l->t) {
		l->last = *e;
		l->found = true;
	}
	return e->ts <= l->t;
}

struct context {
	struct timeline *tl;
	bool is_hard;
};

static bool look_context(void *ctx, const struct walk_event *ev)
{
	struct context *c = ctx;
	const struct formats *f =
		timeline_source(c->tl, timeline_kind(c->tl, ev->kind)->source)->formats;
	int flags = formats_common(f, &f->flags, ev->data, ev->size);

	c->is_hard = flags >= 0 && flags & SNF_FLAG_HARDIRQ;
	return !(flags >= 0 && flags & (SNF_FLAG_HARDIRQ | SNF_FLAG_SOFTIRQ));
}

/* Returns true if the waking at ts happened in a hard interrupt. */
static bool is_hard(struct timeline *tl, size_t stream, uint64_t ts)
{
	struct walk_wants wants = {.from = ts, .to = ts};
	struct context c = {.tl = tl};
	bool whole;

	timeline_walk(tl, stream, &wants, look_context, &c, &whole);
	return c.is_hard;
}

static bool is_mine(const struct interrupts *in, size_t stream)
{
	return timeline_source(in->ls->tl, timeline_stream(in->ls->tl, stream)->source)->machine ==
	       in->machine;
}

bool interrupts_find_waking(struct interrupts *in, uint16_t task, uint64_t t, struct interrupt *ret)
{
	struct timeline *tl = in->ls->tl;
	struct looking_for best = {0};
	size_t stream = 0;

	for (size_t i = 0; i < timeline_n_streams(tl); i++) {
		struct looking_for l = {.task = task, .t = t};

		if (!is_mine(in, i))
			continue;
		timeline_wakings(tl, i, t > NEAR_NS ? t - NEAR_NS : 0, t, look_waking, &l);
		if (l.found && (!best.found || l.last.ts > best.last.ts)) {
			best = l;
			stream = i;
		}
	}
	if (!best.found || !(best.last.flags & WAKING_IRQ))
		return false;
	*ret = (struct interrupt){.cpu = timeline_stream(tl, stream)->cpu, .task = -1};
	if (best.last.waker < timeline_n_tasks(tl))
		ret->task = best.last.waker;
	ret->is_soft = !is_hard(tl, stream, best.last.ts);
	for (size_t i = 0; i < timeline_n_streams(tl) && !ret->n_names; i++)
		/* the interrupt events may be in another buffer */
		if (is_mine(in, i) && timeline_stream(tl, i)->cpu == ret->cpu)
			find_open(in, ret->is_soft, i, best.last.ts, ret);
	return true;
}

bool interrupts_read(struct interrupts *in, const struct walk_event *ev, struct interrupt *ret)
{
	for (size_t i = 0; i < 2; i++) {
		struct mark m;

		if (!forms_mark(&in->classes[i].forms, &in->cache, ev, &m) || m.what != MARK_ENTER)
			continue;
		*ret = (struct interrupt){.is_soft = i == 1, .task = -1, .start = ev->ts};
		ret->cpu = timeline_stream(in->ls->tl, event_ref_stream(ev->ref))->cpu;
		if (ev->task < timeline_n_tasks(in->ls->tl))
			ret->task = ev->task;
		add_name(in, ev, m.label, ret);
		return true;
	}
	return false;
}

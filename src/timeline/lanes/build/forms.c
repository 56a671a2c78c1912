// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * forms.c - builds lanes of functions, interrupts, system calls and guests, which are entered
 * and left.
 *
 *	events ──forms.c──▶ marks ──marks.c──▶ sorted ──callstack.c──▶ spans, one row per depth
 *
 * A task's lane uses its events on all CPUs. A CPU's lane of functions contains those of all tasks
 * that run there: at a switch to another task the open calls end (open end), and begin again (open
 * start) when the task returns to this CPU.
 *
 * A system call whose start was not recorded begins at the earliest with its task. One whose end
 * was not recorded ends when its task makes the next call or exits. No call of a task extends
 * beyond the files that contain it.
 */
#include "base/array.h"
#include "base/lock.h"
#include "base/scope.h"
#include "decode/taskstate.h"
#include "timeline/lanes/callstack.h"
#include "timeline/lanes/forms.h"
#include "timeline/lanes/lane_int.h"
#include "timeline/timeline_int.h"

#include <errno.h>
#include <stdlib.h>

static const struct {
	enum lane_type type;
	unsigned classes;
	bool by_cpu;
	const char *what, *remedy;
} sorts[] = {
	{LANE_OF_IRQ, FORM_IRQ, true, "interrupts", "record with -e irq -e irq_vectors"},
	{LANE_OF_SOFTIRQ, FORM_SOFTIRQ, true, "softirqs", "record with -e irq"},
	{LANE_OF_CALLS, FORM_CALLS, false, "functions", "record with -u or -p function_graph"},
	{LANE_OF_CPUCALLS, FORM_CALLS, true, "functions", "record with -u or -p function_graph"},
	{LANE_OF_SYS, FORM_SYS, false, "system calls", "record with --syscalls or -e raw_syscalls"},
	{LANE_OF_VCPU, FORM_VCPU, false, "guests", "record with -e kvm on the host"},
};

struct building {
	struct lane *ln;
	struct forms own_forms; /* if they are not shared */
	const struct forms *forms;
	struct walk_mask kinds; /* mask of all marks */
	uint32_t machine;
	uint64_t from, to; /* the gathered range: the whole trace, or a window */
	bool by_cpu;
	const char *what, *remedy;
	int error;
	struct walk_mask switches; /* cpucalls, sys: the kinds of sched_switch */
};

/* Returns true for a switch in which the task exits. */
static bool is_death(const struct building *b, const struct walk_event *ev)
{
	struct timeline *tl = b->ln->owner->tl;
	const struct kind_info *k = kinds_get(tl, ev->kind);
	bool swap = timeline_source(tl, k->pub.source)->formats->swap;

	return prev_states_get(&k->prev_states,
			       number_field_get(&k->state, ev->data, ev->size, swap)) == STATE_DEAD;
}

static bool make_mark(void *ctx, struct mark_cache *cache, const struct walk_event *ev,
		      void *ret_mark)
{
	struct building *b = ctx;
	struct mark *ret = ret_mark;

	if (ev->kind < b->switches.n && bit_get(b->switches.bits, ev->kind)) {
		if (b->ln->spec.type == LANE_OF_SYS && !is_death(b, ev))
			return false;
		*ret = (struct mark){.ts = ev->ts, .task = ev->task, .what = MARK_CUT};
		return true;
	}
	return forms_mark((void *)b->forms, cache, ev, ret);
}

static void close_call(void *ctx, const struct callstack *cs, unsigned depth,
		       const struct open_call *call, uint64_t end, uint8_t flags)
{
	struct building *b = ctx;
	int r = lane_add_span(b->ln, depth, call->start, end, call->label, flags, 0);

	if (r < 0)
		b->error = r;
}

/* Finds labels that have a leave. Enters with other labels are single events, not calls. */
static uint8_t *find_left(const struct marks *m)
{
	uint8_t *left = calloc(1, LABELS_MAX / 8);

	for (size_t i = 0; left && i < m->n; i++)
		if (m->marks[i].what == MARK_LEAVE && m->marks[i].label < LABELS_MAX)
			bit_set(left, m->marks[i].label);
	return left;
}

/* The range that the machine's files cover without a gap, around the current time. */
struct cover {
	uint64_t start, end;
};

/*
 * Limits calls to a file: a call of a task cannot extend into another file, nor begin before its
 * task.
 */
static void cover_take(struct building *b, struct callstack *cs, struct cover *c, uint64_t ts)
{
	const struct timeline *tl = b->ln->owner->tl;
	int task = b->ln->spec.type == LANE_OF_SYS
			   ? timeline_find_task(tl, b->machine, b->ln->spec.number)
			   : -1;
	uint64_t first = task < 0 ? 0 : timeline_task(tl, task)->first;

	if (c->end)
		callstack_cut(cs, c->end);
	machine_cover(tl, b->machine, ts, &c->start, &c->end);
	/* a window does not know the events outside its gathered range */
	c->start = c->start > b->from ? c->start : b->from;
	c->end = c->end < b->to ? c->end : b->to;
	cs->lower = first > c->start ? first : c->start;
}

/*
 * Returns the end of calls that are still open: the end of the data; for a task, of any CPU's data.
 */
static uint64_t open_end(const struct building *b, const struct cover *c, const struct marks *m)
{
	uint64_t end = timeline_duration(b->ln->owner->tl), cut;

	if (c->end && c->end < end)
		end = c->end;
	end = end < b->to ? end : b->to;
	if (b->by_cpu || !m->n)
		return end;
	cut = machine_cut_after(b->ln->owner->tl, b->machine, m->marks[m->n - 1].ts);
	return cut < end ? cut : end;
}

/*
 * Handles a mark of a virtual CPU. The CPU is in its guest, or outside from the exit, which has the
 * reason, to the next entry.
 *
 *	kvm_entry       kvm_exit: HLT        kvm_entry
 *	├── guest ──────┤├── HLT ────────────┤├── guest …
 */
static void turn_vcpu(struct building *b, struct callstack *cs, const struct mark *m)
{
	uint32_t guest = labels_add(&b->ln->owner->labels, "guest", 5);
	bool is_in = cs->top && cs->calls[0].label == guest;
	struct mark in = *m, out = *m;

	in.label = guest;
	if (m->what == MARK_LEAVE) {
		if (cs->top && !is_in)
			callstack_cut(cs, m->ts);
		callstack_leave(cs, &in);
		callstack_enter(cs, &out);
		return;
	}
	if (is_in)
		callstack_cut(cs, m->ts);
	else if (cs->top)
		callstack_leave(cs, &out);
	callstack_enter(cs, &in);
}

/*
 * Handles an enter. A task makes one system call at a time: if another call is open, its end was
 * lost before this one.
 */
static void enter(struct building *b, struct callstack *cs, const struct mark *m)
{
	if (cs->top && b->ln->spec.type == LANE_OF_SYS)
		callstack_cut(cs, m->ts);
	callstack_enter(cs, m);
}

static int add_calls(struct building *b, const struct marks *m)
{
	struct cover cover = {0};
	struct callstack *cs = calloc(1, sizeof(*cs));
	uint8_t *left = b->ln->spec.type == LANE_OF_CALLS ? find_left(m) : NULL;
	bool by_task = b->ln->spec.type == LANE_OF_CPUCALLS;
	uint16_t task = m->n ? m->marks[0].task : 0;

	if (!cs) {
		free(left);
		return -ENOMEM;
	}
	cs->close = close_call;
	cs->ctx = b;
	for (size_t i = 0; i < m->n && !b->error; i++) {
		const struct mark *k = &m->marks[i];

		if (k->ts > cover.end || !i)
			cover_take(b, cs, &cover, k->ts);
		if (by_task && k->task != task) {
			callstack_cut(cs, k->ts);
			task = k->task;
		}
		if (k->what == MARK_CUT)
			callstack_cut(cs, k->ts);
		else if (b->ln->spec.type == LANE_OF_VCPU)
			turn_vcpu(b, cs, k);
		else if (k->what == MARK_LEAVE)
			callstack_leave(cs, k);
		else if (!left || k->depth != MARK_NO_DEPTH || bit_get(left, k->label))
			enter(b, cs, k);
	}
	callstack_cut(cs, open_end(b, &cover, m));
	free(left);
	free(cs);
	return b->error;
}

/* Finds the streams and the task of the lane. Returns -ENODATA if neither exists. */
static int take_place(struct building *b, struct errmsg *err)
{
	struct lane *ln = b->ln;
	int64_t pid = ln->spec.number;
	int r, vcpu;

	if (b->by_cpu)
		return lane_take_streams(ln, b->machine, ln->spec.number);
	vcpu = ln->spec.type == LANE_OF_VCPU
		       ? lanes_find_vcpu(ln->owner, ln->spec.machine, ln->spec.number, &b->machine)
		       : -1;
	if (vcpu >= 0)
		pid = vcpu;
	if (!pid)
		return errmsg_set(
			err, -EINVAL,
			"The idle task (pid 0) runs on many CPUs at once and has no lane; "
			"use the lanes of the CPUs.");
	r = timeline_find_task(ln->owner->tl, b->machine, pid);
	if (r < 0 && ln->is_whole)
		return errmsg_set(err, -EINVAL, "The trace has no task %lld on machine %u.",
				  (long long)pid, b->machine);
	if (r < 0)
		return -ENODATA;
	r = mask_add_kind(&ln->tasks, r);
	return r < 0 ? r : lane_take_streams(ln, b->machine, -1);
}

static int take_masks(struct building *b)
{
	static const struct spec_event sched_switch = {"sched", "sched_switch"};
	struct lane *ln = b->ln;
	size_t n;

	TRY(forms_take_kinds(b->forms, false, &ln->kinds.bits, &ln->kinds.n));
	TRY(forms_take_kinds(b->forms, true, &ln->ends.bits, &ln->ends.n));
	if (ln->spec.type == LANE_OF_CPUCALLS || ln->spec.type == LANE_OF_SYS)
		TRY(lane_take_kinds(ln, &b->switches, &sched_switch, &n));
	for (size_t i = 0; i < timeline_n_kinds(ln->owner->tl); i++)
		if ((i < ln->kinds.n && bit_get(ln->kinds.bits, i)) ||
		    (i < ln->ends.n && bit_get(ln->ends.bits, i)) ||
		    (i < b->switches.n && bit_get(b->switches.bits, i)))
			TRY(mask_add_kind(&b->kinds, i));
	/* the event that ends one span begins the next */
	for (size_t i = 0; ln->spec.type == LANE_OF_VCPU && i < b->kinds.n; i++)
		if (bit_get(b->kinds.bits, i)) {
			TRY(mask_add_kind(&ln->kinds, i));
			TRY(mask_add_kind(&ln->ends, i));
		}
	return 0;
}

static void find_sort(struct building *b, unsigned *ret_classes)
{
	for (size_t i = 0; i < ARRAY_LEN(sorts); i++)
		if (sorts[i].type == b->ln->spec.type) {
			*ret_classes = sorts[i].classes;
			b->by_cpu = sorts[i].by_cpu;
			b->what = sorts[i].what;
			b->remedy = sorts[i].remedy;
		}
}

/*
 * Returns the last moment up to t without open calls. Later spans do not depend on events before
 * it.
 */
static uint64_t find_quiet(const struct lane *ln, uint64_t t)
{
	bool again = true;

	while (again && t) {
		again = false;
		for (unsigned i = 0; i < ln->n_rows; i++) {
			const struct lane_row *row = &ln->rows[i];
			size_t at = row_search(row, t - 1);

			if (at < row->n && span_start(&row->spans[at]) < t) {
				t = span_start(&row->spans[at]);
				again = true;
			}
		}
	}
	return t;
}

/* Copies the finished spans of interrupts in a growing trace. */
static int go_on(struct lane_plan *p)
{
	struct lane *ln = p->ln;

	if ((ln->spec.type != LANE_OF_IRQ && ln->spec.type != LANE_OF_SOFTIRQ) ||
	    ln->spec.window_bits)
		return 0;
	lane_go_on(ln, p->before);
	if (!ln->taken_from)
		return 0;
	ln->taken_until = ln->sums_until = p->from = find_quiet(ln->taken_from, ln->taken_until);
	if (!p->from)
		ln->taken_from = NULL;
	return p->from ? lane_take_spans(ln) : 0;
}

struct shared_forms {
	uint32_t machine;
	unsigned classes;
	struct forms forms;
};

void lanes_release_forms(struct lanes *ls)
{
	while (ls->n_forms) {
		forms_release(&ls->forms[--ls->n_forms]->forms);
		free(ls->forms[ls->n_forms]);
	}
}

/* Finds shared forms that know all kinds of events. The caller holds the lock. */
static const struct forms *find_forms(const struct lanes *ls, uint32_t machine, unsigned classes)
{
	size_t n_kinds = timeline_n_kinds(ls->tl);

	for (size_t i = 0; i < ls->n_forms; i++)
		if (ls->forms[i]->machine == machine && ls->forms[i]->classes == classes &&
		    ls->forms[i]->forms.n_kinds == n_kinds)
			return &ls->forms[i]->forms;
	return NULL;
}

/*
 * Finds the forms of the lane. They depend only on the kinds of events, and take a millisecond if
 * there are hundreds of kinds; so thousands of lanes share them.
 */
static int take_forms(struct building *b, unsigned classes)
{
	struct lanes *ls = b->ln->owner;
	struct shared_forms *shared;

	LOCKED(&ls->lock);
	b->forms = find_forms(ls, b->machine, classes);
	if (b->forms)
		return 0;
	TRY(forms_init(&b->own_forms, ls->tl, &ls->labels, b->machine, classes));
	b->forms = &b->own_forms;
	shared = ls->n_forms < LANE_FORMS_MAX ? malloc(sizeof(*shared)) : NULL;
	if (!shared)
		return 0;
	*shared = (struct shared_forms){b->machine, classes, b->own_forms};
	b->own_forms = (struct forms){0};
	b->forms = &shared->forms;
	ls->forms[ls->n_forms++] = shared;
	return 0;
}

int lane_plan_forms(struct lane_plan *p, struct errmsg *err)
{
	struct lane *ln = p->ln;
	struct building *b = p->own = calloc(1, sizeof(*b));
	unsigned classes = 0;
	int r;

	if (!b)
		return -ENOMEM;
	b->ln = ln;
	b->machine = ln->spec.machine;
	lane_window_range(&ln->spec, &b->from, &b->to);
	find_sort(b, &classes);
	r = take_place(b, err);
	if (r == -ENODATA)
		return 0;
	TRY(r);
	TRY(take_forms(b, classes));
	if (!b->forms->n_found)
		return !ln->is_whole
			       ? 0
			       : errmsg_set(err, -EINVAL, "The trace has no events of %s; %s.",
					    b->what, b->remedy);
	TRY(take_masks(b));
	if (!b->kinds.bits)
		return 0;
	marks_want(&p->g, &(struct mark_wants){.streams = ln->streams,
					       .n_streams = ln->n_streams,
					       .kinds = b->kinds.bits,
					       .n_kinds = b->kinds.n,
					       .tasks = ln->tasks.bits,
					       .n_tasks = ln->tasks.n,
					       .make = make_mark,
					       .ctx = b});
	p->is_wanting = true;
	return go_on(p);
}

int lane_finish_forms(struct lane_plan *p, struct errmsg *err)
{
	struct marks m = {p->g.items, p->g.n_items};
	int r = p->is_wanting ? add_calls(p->own, &m) : 0;

	return r < 0 ? r : lane_finish_rows(p->ln);
}

void lane_release_forms(struct lane_plan *p)
{
	struct building *b = p->own;

	if (!b)
		return;
	forms_release(&b->own_forms);
	mask_release(&b->kinds);
	mask_release(&b->switches);
	free(b);
}

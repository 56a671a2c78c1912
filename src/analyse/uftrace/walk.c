// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * walk.c - merges the records of all tasks and CPUs by time.
 *
 *	TID.dat ── sift.c ─▶ ┐
 *	TID.dat ── sift.c ─▶ ├─ the earliest ─▶ stack.c: open calls, times ─▶ the command
 *	kernel-cpuN.dat ───▶ │
 *	perf-cpuN.dat ─────▶ ┘
 *
 * Rules:
 *
 *  1. The earliest record is next. Between equal times the records of tasks come first, in the
 *     order of the info file, then those of the kernel.
 *  2. Tasks that are not in the info file, or not among --tid, have no records. With a range those
 *     outside of it are not there either.
 *  3. Elapsed time begins with the first record of a function, or with an earlier event or function
 *     of the kernel if that is shown, or inside of another.
 *  4. The kernel calls functions for a task before it says that the task runs again. Then it has
 *     said so one ns before the first of them.
 *
 * Peeking makes a record the current one of its lane; taking it moves the stack.
 */
#include "analyse/uftrace/walk_int.h"

#include "analyse/uftrace/kernel.h"
#include "format/uftrace.h"
#include "symbols/uftrace/session.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct uft_lane *uft_walk_lane(const struct uft_walk *w, int tid)
{
	for (size_t i = 0; i < w->n_lanes; i++)
		if (w->lanes[i].tid == tid)
			return &w->lanes[i];
	return NULL;
}

/* Is the tid in a list "1,2;3"? */
static bool is_listed(const char *list, int tid)
{
	while (*list) {
		char *end;
		long id = strtol(list, &end, 10);

		if (end == list)
			return false;
		if (id == tid)
			return true;
		list = *end ? end + 1 : end;
	}
	return false;
}

static int lane_init(struct uft_walk *w, struct uft_lane *l, const struct uft_stream *s)
{
	struct uft_record rec;

	*l = (struct uft_lane){.walk = w,
			       .tid = s->tid,
			       .task = uft_task_find(w->c.names, s->tid),
			       .data = s->data,
			       .n_bytes = s->data ? s->n_bytes : 0,
			       .scope.levels = w->c.depth,
			       .margin.is_stale = !w->is_on || w->c.range_start_ns};
	if (l->n_bytes >= UFT_RECORD_BYTES && uft_record_parse(s->data, w->c.swaps, &rec) &&
	    (!w->first_ns || rec.time_ns < w->first_ns))
		w->first_ns = rec.time_ns;
	l->is_done = w->c.tids && !is_listed(w->c.tids, s->tid);
	return l->is_done ? 0 : uft_stack_init(l);
}

int uft_walk_new(struct uft_walk **ret, const struct uft_walk_config *config)
{
	struct uft_walk *w = calloc(1, sizeof(*w));
	int result = 0;

	if (!w)
		return -ENOMEM;
	w->c = *config;
	w->is_on = !config->disabled;
	w->lanes = calloc(config->n_streams + 1, sizeof(*w->lanes));
	w->kernel_waiting =
		calloc(config->kernel ? config->kernel->n_cpus + 1 : 1, sizeof(*w->kernel_waiting));
	if (!w->lanes || !w->kernel_waiting)
		result = -ENOMEM;
	while (result >= 0 && w->n_lanes < config->n_streams) {
		result = lane_init(w, &w->lanes[w->n_lanes], &config->streams[w->n_lanes]);
		w->n_lanes++;
	}
	if (result < 0)
		uft_walk_free(w);
	else
		*ret = w;
	return result;
}

void uft_walk_free(struct uft_walk *w)
{
	if (!w)
		return;
	for (size_t i = 0; i < w->n_lanes; i++) {
		free(w->lanes[i].calls);
		free(w->lanes[i].waiting.items);
		free(w->lanes[i].switches.items);
		free(w->lanes[i].bars);
	}
	for (size_t i = 0; w->c.kernel && w->kernel_waiting && i < w->c.kernel->n_cpus; i++)
		free(w->kernel_waiting[i].items);
	free(w->kernel_waiting);
	free(w->lanes);
	free(w);
}

static const struct uft_sym sched_sym = {.name = "linux:schedule", .raw = "linux:schedule"};
static const struct uft_sym sched_preempt_sym = {.name = "linux:schedule (pre-empted)",
						 .raw = "linux:schedule (pre-empted)"};

const struct uft_sym *uft_walk_sym(struct uft_walk *w, struct uft_lane *l, uint64_t time_ns,
				   uint64_t addr)
{
	const struct uft_session *s = uft_session_find(w->c.names, l->task, time_ns);

	if (addr == UFT_EVENT_SCHED_IN || addr == UFT_EVENT_SCHED_OUT)
		return &sched_sym;
	if (addr == UFT_EVENT_SCHED_OUT_PREEMPT)
		return &sched_preempt_sym;
	if (!s && uft_is_kernel(addr)) /* the program has not begun */
		s = w->c.names->first;
	return s ? uft_sym_find(s, time_ns, addr) : NULL;
}

const struct uft_sym *uft_walk_rec_sym(struct uft_walk *w, struct uft_lane *l,
				       const struct uft_record *rec)
{
	if (rec->type == UFT_EVENT && !uft_is_sched(rec->addr))
		return NULL;
	return uft_walk_sym(w, l, rec->time_ns, rec->addr);
}

bool uft_walk_hides_libcall(const struct uft_walk *w, const struct uft_sym *s)
{
	return w->c.no_libcall && s && s->type == UFT_SYM_PLT;
}

const struct uft_trigger *uft_walk_trigger(struct uft_walk *w, struct uft_lane *l,
					   const struct uft_record *rec, bool *ret_has_session)
{
	const struct uft_session *s = uft_session_find(w->c.names, l->task, rec->time_ns);
	const struct uft_map *m = s ? uft_map_find(s, rec->addr) : NULL;

	if (ret_has_session)
		*ret_has_session = s || uft_is_kernel(rec->addr);
	if (uft_is_kernel(rec->addr))
		return w->c.triggers->by_sym.n && w->c.names->kernel
			       ? uft_trigger_find(w->c.triggers,
						  uft_module_find(w->c.names->kernel, rec->addr))
			       : NULL;
	if (!m || !m->module || !w->c.triggers->by_sym.n)
		return NULL;
	return uft_trigger_find(w->c.triggers, uft_module_find(m->module, rec->addr - m->start));
}

/* What may be next: the earliest record so far, and where it is from. */
struct candidate {
	struct uft_lane *lane; /* NULL: there is none */
	uint64_t time_ns;
	enum uft_source source;
	struct uft_perf *perf; /* UFT_OF_CPU */
	size_t cpu;	       /* UFT_OF_KERNEL */
};

/* Of two at the same time the one that was offered first stays. */
static void offer(struct candidate *best, const struct candidate *c)
{
	if (!best->lane || c->time_ns < best->time_ns)
		*best = *c;
}

static void offer_tasks(struct uft_walk *w, struct candidate *best)
{
	for (size_t i = 0; i < w->n_lanes; i++) {
		struct uft_lane *l = &w->lanes[i];
		const struct uft_item *item = uft_lane_first(l);

		if (item)
			offer(best, &(struct candidate){.lane = l, .time_ns = item->rec.time_ns});
	}
}

static void offer_kernel(struct uft_walk *w, struct candidate *best)
{
	for (size_t i = 0; w->c.kernel && i < w->c.kernel->n_cpus; i++) {
		const struct uft_item *item = uft_kernel_first(w, i);

		if (item)
			offer(best, &(struct candidate){.lane = item->lane,
							.time_ns = item->rec.time_ns,
							.source = UFT_OF_KERNEL,
							.cpu = i});
	}
}

static void offer_switches(struct uft_walk *w, struct candidate *best)
{
	for (size_t i = 0; i < w->n_lanes; i++) {
		struct uft_lane *l = &w->lanes[i];
		const struct uft_queue *q = &l->switches;

		if (q->head < q->n)
			offer(best, &(struct candidate){.lane = l,
							.time_ns = q->items[q->head].rec.time_ns,
							.source = UFT_OF_SWITCHES});
	}
}

/* The lane of an event; NULL: its task is not walked, or it is out of range. */
static struct uft_lane *lane_of_event(struct uft_walk *w, const struct uft_perf *p)
{
	struct uft_lane *l = uft_walk_in_range(w, p->rec.time_ns) ? uft_walk_lane(w, p->tid) : NULL;

	return l && l->calls ? l : NULL;
}

static void offer_cpus(struct uft_walk *w, struct candidate *best)
{
	for (size_t i = 0; i < w->c.n_perfs; i++) {
		struct uft_perf *p = &w->c.perfs[i];
		struct uft_lane *l = NULL;

		while (uft_perf_read(p, w->c.swaps) && !(l = lane_of_event(w, p)))
			p->is_valid = false;
		if (l)
			offer(best, &(struct candidate){l, p->rec.time_ns, UFT_OF_CPU, p, 0});
	}
}

/* Rule 4: the task has run again before its current record. False: that is not known. */
static bool make_return_current(struct uft_walk *w, struct uft_lane *l)
{
	const struct uft_queue *q = &l->switches;
	struct uft_perf *p = l->out_perf;
	uint64_t now_ns = l->rec.time_ns;

	if (w->c.time_filter_ns) {
		if (q->head == q->n || q->items[q->head].rec.addr != UFT_EVENT_SCHED_IN)
			return false;
		l->source = UFT_OF_SWITCHES;
		l->rec = q->items[q->head].rec;
	} else {
		if (!p || !uft_perf_read(p, w->c.swaps) || p->tid != l->tid ||
		    p->rec.addr != UFT_EVENT_SCHED_IN)
			return false;
		l->source = UFT_OF_CPU;
		l->rec = p->rec;
		w->perf = p;
		w->last_perf_ns = now_ns - 1;
	}
	l->rec.time_ns = now_ns - 1;
	return true;
}

/* A record of the kernel; records that were lost before it come first. */
static void make_kernel_current(struct uft_walk *w, struct uft_lane *l, size_t cpu)
{
	const struct uft_queue *q = &w->kernel_waiting[cpu];
	int64_t missed = w->c.kernel->cpus[cpu].missed;

	w->kernel_cpu = cpu;
	l->rec = q->items[q->head].rec;
	if (missed)
		l->rec = (struct uft_record){.type = UFT_LOST,
					     .addr = (uint64_t)missed & UFT_KERNEL_MASK,
					     .depth = l->rec.depth};
	else if (l->is_out)
		make_return_current(w, l);
}

static void remove_kernel_current(struct uft_walk *w, struct uft_lane *l)
{
	struct uft_queue *q = &w->kernel_waiting[w->kernel_cpu];

	if (l->rec.type == UFT_LOST) {
		w->c.kernel->cpus[w->kernel_cpu].missed = 0;
		return;
	}
	if (l->rec.more)
		l->values = q->items[q->head].values;
	uft_queue_take_first(q);
}

/* Makes it the current record of its lane. */
static void make_current(struct uft_walk *w, const struct candidate *c)
{
	struct uft_lane *l = c->lane;

	l->source = c->source;
	switch (c->source) {
	case UFT_OF_TASK:
		l->rec = l->waiting.items[l->waiting.head].rec;
		if (w->c.estimates_return)
			uft_guess_at_record(l);
		break;
	case UFT_OF_KERNEL:
		make_kernel_current(w, l, c->cpu);
		break;
	case UFT_OF_SWITCHES:
		l->rec = l->switches.items[l->switches.head].rec;
		break;
	case UFT_OF_CPU:
		l->rec = c->perf->rec;
		w->perf = c->perf;
		w->last_perf_ns = l->rec.time_ns;
		if (l->rec.addr == UFT_EVENT_TASK_NAME)
			memcpy(l->comm, c->perf->comm, sizeof(l->comm));
		else if (uft_is_sched(l->rec.addr) && w->c.estimates_return)
			uft_guess_at_switch(l);
		break;
	}
}

struct uft_lane *uft_walk_peek(struct uft_walk *w)
{
	struct candidate best = {0};

	if (w->c.time_filter_ns)
		uft_walk_sort_switches(w);
	offer_tasks(w, &best);
	offer_kernel(w, &best);
	if (w->c.time_filter_ns)
		offer_switches(w, &best);
	else
		offer_cpus(w, &best);
	if (best.lane)
		make_current(w, &best);
	return best.lane;
}

/* The record is no longer to come. */
static void remove_current(struct uft_walk *w, struct uft_lane *l)
{
	switch (l->source) {
	case UFT_OF_TASK:
		if (l->rec.more)
			l->values = l->waiting.items[l->waiting.head].values;
		uft_queue_take_first(&l->waiting);
		break;
	case UFT_OF_KERNEL:
		remove_kernel_current(w, l);
		break;
	case UFT_OF_SWITCHES:
		uft_queue_take_first(&l->switches);
		break;
	case UFT_OF_CPU:
		w->perf->is_valid = false;
		break;
	}
}

/* A task gets another name. */
static void rename_task(struct uft_lane *l)
{
	if (l->task)
		memcpy(l->task->comm, l->comm, sizeof(l->task->comm));
	l->values =
		(struct uft_values){.data = (const uint8_t *)l->comm, .n_bytes = strlen(l->comm)};
}

void uft_walk_take(struct uft_walk *w, struct uft_lane *l)
{
	bool is_event = l->rec.type == UFT_EVENT, may_begin;

	remove_current(w, l);
	if (is_event && l->rec.addr == UFT_EVENT_TASK_NAME)
		rename_task(l);
	may_begin = is_event ? w->c.event_full : uft_in_kernel(l) ? w->c.kernel_full : true;
	if (l->rec.time_ns && l->rec.time_ns < w->first_ns && (l->n_open || may_begin))
		w->first_ns = l->rec.time_ns;
	if (is_event && uft_is_sched(l->rec.addr)) {
		l->is_out = l->rec.addr != UFT_EVENT_SCHED_IN;
		l->out_perf = w->perf;
	}
	uft_stack_follow(l);
}

struct uft_lane *uft_walk_next(struct uft_walk *w)
{
	struct uft_lane *l = uft_walk_peek(w);

	if (l)
		uft_walk_take(w, l);
	return l;
}

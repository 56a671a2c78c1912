// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * arrows.c - api/arrows: finds which task woke which, and when the woken task ran.
 *
 * A waking has the waker, the woken task and the time. The arrow ends where that task is next
 * switched in, on any CPU. A page draws a few hundred arrows. So this file takes the first `max`
 * wakings of a range in time order, and reads only the switches after them: in steps that double,
 * from a tenth of a second, until all arrows have an end or 100 s have passed. The arrow of a task
 * that waits longer has no end.
 *
 *	wakings, by time  ──▶  the first max  ──▶  by task, then time  ◀── switches of each stream
 */
#include "base/array.h"
#include "base/json/jsonwriter.h"
#include "timeline/timeline.h"
#include "view/api/api.h"

#include <errno.h>
#include <stdlib.h>

#define ARROWS_FIRST 2000
#define ARROWS_MAX   20000
#define STEP_NS	     UINT64_C(100000000)
#define STEPS_MAX    11

struct arrow {
	uint64_t ts, ran;
	uint16_t task, waker;
	int32_t cpu, ran_cpu; /* ran_cpu -1: unknown */
};

struct arrows {
	struct timeline *tl;
	int task;
	uint64_t from, to;
	struct arrow *list; /* has room for twice max */
	size_t n, max;
	int32_t cpu; /* CPU of the current stream */
	size_t n_stream, n_open;
};

ARRAY_ORDER(by_time, struct arrow, COMPARE(x->ts, y->ts) ?: COMPARE(x->cpu, y->cpu))

static int by_task(const void *a, const void *b)
{
	const struct arrow *x = a, *y = b;

	return x->task != y->task ? x->task - y->task : by_time(a, b);
}

static bool take_waking(void *ctx, const struct waking_entry *e)
{
	struct arrows *as = ctx;

	if (e->ts < as->from)
		return true;
	if (e->ts > as->to || as->n_stream == as->max)
		return false;
	if (as->task >= 0 && e->task != as->task && e->waker != as->task)
		return true;
	as->list[as->n++] = (struct arrow){
		.ts = e->ts, .task = e->task, .waker = e->waker, .cpu = as->cpu, .ran_cpu = -1};
	as->n_stream++;
	return true;
}

/* Finds the first max wakings in time order, on any CPU. */
static void gather(struct arrows *as)
{
	for (size_t i = 0; i < timeline_n_streams(as->tl); i++) {
		as->cpu = timeline_stream(as->tl, i)->cpu;
		as->n_stream = 0;
		timeline_wakings(as->tl, i, as->from, as->to, take_waking, as);
		qsort(as->list, as->n, sizeof(*as->list), by_time);
		if (as->n > as->max)
			as->n = as->max;
	}
}

/* Returns the number of arrows of tasks with lower numbers, or of this task and not after ts. */
static size_t count_up_to(const struct arrows *as, uint16_t task, uint64_t ts)
{
	return ARRAY_BISECT(as->n, i,
			    as->list[i].task < task ||
				    (as->list[i].task == task && as->list[i].ts <= ts));
}

static bool take_switch(void *ctx, const struct switch_entry *e)
{
	struct arrows *as = ctx;

	if (e->ts > as->to)
		return false;
	if (e->ts < as->from)
		return true;
	/*
	 * go backwards until a waking whose task already ran; the tasks of all earlier wakings ran,
	 * too
	 */
	for (size_t i = count_up_to(as, e->next, e->ts); i-- > 0;) {
		struct arrow *a = &as->list[i];

		if (a->task != e->next || (a->ran_cpu >= 0 && a->ran <= e->ts))
			break;
		as->n_open -= a->ran_cpu < 0;
		a->ran = e->ts;
		a->ran_cpu = as->cpu;
	}
	return true;
}

static void find_ends(struct arrows *as)
{
	uint64_t step = STEP_NS, end = timeline_duration(as->tl);

	if (!as->n)
		return;
	as->from = as->list[0].ts;
	as->to = as->list[as->n - 1].ts + step;
	as->n_open = as->n;
	qsort(as->list, as->n, sizeof(*as->list), by_task);
	for (int n = 0; as->n_open && n < STEPS_MAX && as->from <= end; n++) {
		for (size_t i = 0; i < timeline_n_streams(as->tl); i++) {
			as->cpu = timeline_stream(as->tl, i)->cpu;
			timeline_switches(as->tl, i, as->from, as->to, take_switch, as);
		}
		as->from = as->to + 1;
		as->to += step;
		step *= 2;
	}
	qsort(as->list, as->n, sizeof(*as->list), by_time);
}

static void add_arrow(struct jsonwriter *w, const struct arrow *a)
{
	jsonwriter_open(w, NULL, '[');
	jsonwriter_add_uint(w, NULL, a->ts);
	jsonwriter_add_int(w, NULL, a->waker == TIMELINE_NO_TASK ? -1 : a->waker);
	jsonwriter_add_int(w, NULL, a->cpu);
	jsonwriter_add_int(w, NULL, a->task == TIMELINE_NO_TASK ? -1 : a->task);
	jsonwriter_add_uint(w, NULL, a->ran_cpu < 0 ? a->ts : a->ran);
	jsonwriter_add_int(w, NULL, a->ran_cpu);
	jsonwriter_close(w);
}

int api_arrows(struct stage *st, const struct request *req, struct answer *a, struct errmsg *err)
{
	struct arrows as = {.tl = st->tl};
	uint64_t max;
	struct jsonwriter w;

	if (api_range(st, req, &as.from, &as.to, err) < 0 || api_task(st, req, &as.task, err) < 0 ||
	    request_uint(req, "max", ARROWS_FIRST, ARROWS_MAX, &max, err) < 0)
		return errmsg_code(err);
	as.max = max + 1; /* one more than requested shows whether there are more */
	as.list = calloc(2 * as.max, sizeof(*as.list));
	if (!as.list)
		return errmsg_set_errno(err, -ENOMEM, "cannot draw arrows");
	gather(&as);
	find_ends(&as);
	jsonwriter_init(&w, &a->body);
	jsonwriter_open(&w, NULL, '{');
	jsonwriter_open(&w, "arrows", '[');
	for (size_t i = 0; i < as.n && i < max; i++)
		add_arrow(&w, &as.list[i]);
	jsonwriter_close(&w);
	jsonwriter_add_bool(&w, "more", as.n > max);
	jsonwriter_close(&w);
	free(as.list);
	return 0;
}

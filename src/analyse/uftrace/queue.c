// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * queue.c - reads the records of a task, and drops calls that are too short (-t), too small (-Z) or
 * do not lead to a function (-C).
 *
 * A call can only be judged when it returns, so records wait in a queue until one of them passes:
 *
 *	entry a, entry b, exit b (short: both go) …, exit a (long enough): all that waits is read
 *
 * Without such filters a queue never has more than the records up to the next exit.
 */
#include "analyse/uftrace/walk_int.h"

#include "base/array.h"
#include "format/uftrace.h"
#include "symbols/uftrace/argspec.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define QUEUE_MAX  (256u << 20)
#define LIMITS_MAX 65536

int uft_queue_add(struct uft_queue *q, const struct uft_item *item)
{
	if (q->head && q->head == q->n)
		q->head = q->n = 0;
	if (!ARRAY_ROOM(q->items, q->cap, q->n + 1, QUEUE_MAX))
		return -ENOMEM;
	q->items[q->n++] = *item;
	return 0;
}

void uft_queue_take_first(struct uft_queue *q)
{
	if (q->head < q->n)
		q->head++;
}

bool uft_walk_in_range(const struct uft_walk *w, uint64_t time_ns)
{
	uint64_t start = w->c.range_start_ns, stop = w->c.range_stop_ns;

	if (start && time_ns < start + (w->c.range_start_elapsed ? w->first_ns : 0))
		return false;
	if (stop && time_ns > stop + (w->c.range_stop_elapsed ? w->first_ns : 0))
		return false;
	return true;
}

static void warn(struct uft_walk *w, const char *sentence)
{
	if (w->c.warn)
		w->c.warn(w->c.warn_ctx, sentence);
}

/* The values behind a record. False: their length is unknown, or they are cut off. */
static bool read_values(struct uft_lane *l, const struct uft_item *item, struct uft_values *ret)
{
	const uint8_t *data = l->data + l->pos;
	size_t rest = l->n_bytes - l->pos, len = 0;
	const struct uft_trigger *tr;
	uint16_t n;

	*ret = (struct uft_values){.data = data};
	if (item->rec.type == UFT_EVENT) {
		if (rest < 2)
			return false;
		memcpy(&n, data, 2);
		n = l->walk->c.swaps ? bswap_16(n) : n;
		len = 2u + n;
		ret->data = data + 2;
		ret->n_bytes = n;
	} else {
		tr = uft_walk_trigger(l->walk, l, &item->rec, NULL);
		if (!tr || !tr->args ||
		    !uft_args_length(tr->args, item->rec.type == UFT_EXIT, data, rest, &len))
			return false;
		ret->list = tr->args;
		ret->n_bytes = len;
	}
	len = (len + 7) & ~(size_t)7;
	if (len > rest)
		return false;
	l->pos += len;
	return true;
}

/* The next record of the file. False: the end, or damage. */
static bool read_item(struct uft_lane *l, struct uft_item *ret)
{
	if (l->is_done)
		return false;
	*ret = (struct uft_item){0};
	l->is_done = true;
	if (l->n_bytes - l->pos < UFT_RECORD_BYTES)
		return false;
	if (!uft_record_parse(l->data + l->pos, l->walk->c.swaps, &ret->rec)) {
		warn(l->walk, "invalid rstack read");
		return false;
	}
	l->pos += UFT_RECORD_BYTES;
	l->is_done = false;
	if (!ret->rec.more || read_values(l, ret, &ret->values))
		return true;
	l->is_done = true;
	{
		const struct uft_sym *s = uft_walk_sym(l->walk, l, ret->rec.time_ns, ret->rec.addr);
		char text[300];

		snprintf(text, sizeof(text), "record missing argument info for %s",
			 s ? s->name : "an unknown function");
		warn(l->walk, text);
	}
	return false;
}

static bool is_too_small(struct uft_lane *l, const struct uft_record *rec, uint32_t size)
{
	const struct uft_sym *s = uft_walk_sym(l->walk, l, rec->time_ns, rec->addr);

	return s && s->size < size;
}

static int push_limit(struct uft_lane *l, int depth, uint64_t time_ns, uint32_t size)
{
	if (!ARRAY_ROOM(l->limits, l->cap_limits, l->n_limits + 1, LIMITS_MAX))
		return -ENOMEM;
	l->limits[l->n_limits++] = (struct uft_limit){depth, time_ns, size};
	return 0;
}

/* A call begins. */
static bool add_entry(struct uft_lane *l, const struct uft_item *item, const struct uft_trigger *tr,
		      uint64_t time_ns, uint32_t size)
{
	bool is_kept = !size;

	if (size) {
		const struct uft_sym *s =
			uft_walk_sym(l->walk, l, item->rec.time_ns, item->rec.addr);

		is_kept = s && s->size >= size;
	}
	if (is_kept && uft_queue_add(&l->waiting, item) < 0)
		return false;
	if (tr && tr->actions & (UFT_DO_TIME | UFT_DO_SIZE))
		return push_limit(l, item->rec.depth, time_ns, size) >= 0;
	return true;
}

/* The index + 1 of the last waiting call; 0: none. */
static size_t last_entry(const struct uft_queue *q)
{
	for (size_t i = q->n; i > q->head; i--)
		if (q->items[i - 1].rec.type == UFT_ENTRY)
			return i;
	return 0;
}

/* A call ends. Returns true if what waits can be read. */
static bool add_exit(struct uft_lane *l, const struct uft_item *item, const struct uft_trigger *tr,
		     uint64_t time_ns, uint32_t size)
{
	unsigned actions = tr ? tr->actions : 0;
	size_t last;
	bool is_dropped;

	if (l->n_limits && l->limits[l->n_limits - 1].depth == item->rec.depth)
		l->n_limits--;
	if (size && is_too_small(l, &item->rec, size))
		return false;
	last = last_entry(&l->waiting);
	if (!last) {
		uft_queue_add(&l->waiting, item);
		return true;
	}
	is_dropped = item->rec.time_ns - l->waiting.items[last - 1].rec.time_ns < time_ns ||
		     (l->walk->c.triggers->has_callers && !(actions & UFT_DO_CALLER));
	if (is_dropped && !(actions & UFT_DO_TRACE)) {
		l->waiting.n = last - 1;
		return false;
	}
	uft_queue_add(&l->waiting, item);
	return true;
}

/* Adds a record to what waits. Returns true if that can be read now. */
static bool add_item(struct uft_lane *l, const struct uft_item *item)
{
	struct uft_walk *w = l->walk;
	uint64_t time_ns = w->c.time_filter_ns;
	uint32_t size = w->c.size_filter;
	const struct uft_trigger *tr = NULL;

	if (item->rec.type == UFT_ENTRY || item->rec.type == UFT_EXIT)
		tr = uft_walk_trigger(w, l, &item->rec, NULL);
	if (l->n_limits) {
		time_ns = l->limits[l->n_limits - 1].time_ns;
		size = l->limits[l->n_limits - 1].size;
	}
	if (tr && tr->actions & UFT_DO_TIME)
		time_ns = tr->time_ns;
	if (tr && tr->actions & UFT_DO_SIZE)
		size = tr->size;
	if (item->rec.type == UFT_ENTRY) {
		add_entry(l, item, tr, time_ns, size);
		return false;
	}
	if (item->rec.type == UFT_EXIT)
		return add_exit(l, item, tr, time_ns, size);
	uft_queue_add(&l->waiting, item);
	return item->rec.type == UFT_LOST || item->rec.addr >= UFT_EVENT_USER;
}

struct uft_item *uft_lane_first(struct uft_lane *l)
{
	struct uft_item item;

	while (l->waiting.head == l->waiting.n && read_item(l, &item)) {
		bool is_ready = false;

		/* a call is judged only when it ends */
		do {
			if (uft_walk_in_range(l->walk, item.rec.time_ns))
				is_ready = add_item(l, &item);
		} while (!is_ready && read_item(l, &item));
	}
	return l->waiting.head < l->waiting.n ? &l->waiting.items[l->waiting.head] : NULL;
}

/* A task runs again: if it did not run only for a short time, its switch is dropped. */
static bool is_short_switch(struct uft_queue *q, const struct uft_record *in, uint64_t min_ns)
{
	const struct uft_record *last = q->n > q->head ? &q->items[q->n - 1].rec : NULL;

	if (!last || in->addr != UFT_EVENT_SCHED_IN || !uft_is_sched(last->addr) ||
	    last->addr == UFT_EVENT_SCHED_IN || in->time_ns - last->time_ns >= min_ns)
		return false;
	q->n--;
	return true;
}

void uft_walk_sort_switches(struct uft_walk *w)
{
	if (w->has_switches)
		return;
	w->has_switches = true;
	for (size_t i = 0; i < w->c.n_perfs; i++)
		w->c.perfs[i].is_valid = false;
	for (;;) {
		struct uft_perf *next = NULL;
		struct uft_lane *l;
		struct uft_item item = {0};

		for (size_t i = 0; i < w->c.n_perfs; i++) {
			struct uft_perf *p = &w->c.perfs[i];

			if (uft_perf_read(p, w->c.swaps) &&
			    (!next || p->rec.time_ns < next->rec.time_ns))
				next = p;
		}
		if (!next)
			return;
		next->is_valid = false;
		l = uft_walk_lane(w, next->tid);
		if (!l || !l->calls ||
		    is_short_switch(&l->switches, &next->rec, w->c.time_filter_ns))
			continue;
		item.rec = next->rec;
		if (item.rec.addr == UFT_EVENT_TASK_NAME)
			memcpy(l->comm, next->comm, sizeof(l->comm));
		uft_queue_add(&l->switches, &item);
	}
}

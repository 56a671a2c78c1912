// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * replay.c - the queue between calls and lines.
 *
 *	          head                               tail
 *	out ◀──── enter a │ enter b │ leaf c │ event │ enter d ◀──── calls of all tasks
 *	          (certain, followed)                 (not followed: may become leaf d)
 *
 * An item for the beginning of a call leaves the queue when it is
 *	certain    it will be shown. With a minimum duration: it has lasted that long; with a filter
 *	           by callees: one of them was called
 *	followed   a later item of the same task is certain, so this call has something inside
 * A call that ends while it is the last item of its task becomes a leaf. A call that will not be
 * shown is dropped. Other items are certain from the start. All items wait behind the head.
 *
 * The queue is a ring that starts with RING_MIN items and grows to RING_MAX (100 MB) when the head
 * must wait that long: a task that sleeps in its last call while others run, or -t with a long
 * time. Dropped items are removed before it grows. At the limit the head goes out as it is.
 */
#include "analyse/calls/replay.h"

#include "base/arena.h"
#include "base/errmsg.h"
#include "base/scope.h"
#include "decode/formats/formats.h"
#include "format/bytes.h"
#include "symbols/tasks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define RING_MIN	 4096u
#define RING_MAX	 (1u << 20)
#define ARENA_MAX_BYTES	 (64u << 20)
#define RECORD_MAX_BYTES 65536u

enum slot_state {
	SLOT_DROPPED,
	SLOT_WAITS,   /* the beginning of a call */
	SLOT_CERTAIN, /* waits only for a follower */
	SLOT_READY,
};

struct slot {
	struct replay_item item;
	enum slot_state state;
	bool is_followed;
	uint32_t at;		/* SLOT_WAITS, SLOT_CERTAIN: the frame of its task */
	struct flow_task *task; /* of item, to be changed; NULL: none */
	uint64_t end;		/* of a call that ends by itself; 0: unknown */
	uint64_t before;	/* number of the item before it of the same task; 0: none */
};

/* What the replay keeps for a task. */
struct replay_task {
	uint64_t last;	 /* number of its last item; 0: none */
	uint64_t off_ts; /* when it was switched out; 0: it runs */
	char *ret; /* of an open CALL_WHOLE, whose beginning has gone out; there is one at most */
};

struct replay {
	const struct replay_config *config;
	struct callflow_config flow_config;
	struct flow_sink sink;
	struct callflow *flow;
	struct formats *f;
	struct arena arena; /* struct replay_task */
	struct slot *ring;
	uint64_t head, tail; /* numbers of items; the first is 1 */
	size_t cap;
	uint64_t now;
	uint64_t min_duration;
	bool needs_leads, is_simple; /* is_simple: every call is certain when it begins */
	uint32_t cpu;
	const struct record *record;
	struct call_values values; /* of the record that is being added */
	bool is_whole;		   /* … which is a CALL_WHOLE */
	uint8_t *wanted;
	int switch_id;
	int note_ids[2]; /* of the recording itself: marks, functions that are switched off */
	const struct field *next_pid;
};

static struct slot *slot_at(const struct replay *rp, uint64_t number)
{
	return &rp->ring[number & (rp->cap - 1)];
}

/* NULL: it has left the queue. */
static struct slot *slot_find(const struct replay *rp, uint64_t number)
{
	return number >= rp->head && number < rp->tail ? slot_at(rp, number) : NULL;
}

static struct replay_task *task_of(struct replay *rp, struct flow_task *t)
{
	if (!t->aside)
		t->aside = arena_alloc(&rp->arena, sizeof(struct replay_task));
	return t->aside;
}

/* A copy that lives as long as its item; NULL: there is none, or no memory. */
static char *copy_text(bool has_text, struct piece text)
{
	return has_text ? strndup((const char *)text.data, text.len) : NULL;
}

static void release_item(struct replay_item *item)
{
	free(item->record);
	free(item->args);
	free(item->ret);
	item->record = NULL;
	item->args = item->ret = NULL;
}

/*
 * --- out ---------------------------------------------------------------------------------------
 */

static void emit(struct replay *rp, struct slot *s)
{
	struct replay_task *rt = s->task ? s->task->aside : NULL;

	rp->config->emit(rp->config->ctx, &s->item);
	if (s->item.kind == REPLAY_ENTER && s->item.ret && rt) {
		free(rt->ret);
		rt->ret = TAKE(s->item.ret);
	}
	release_item(&s->item);
}

/* May it go out? */
static bool is_due(struct replay *rp, struct slot *s)
{
	struct replay_task *rt = s->task ? s->task->aside : NULL;

	/* the task may have no events for long, but nothing more can be inside */
	if (s->end && s->end <= rp->now && s->state != SLOT_READY && rt && rt->last == rp->head)
		callflow_settle_task(rp->flow, s->task, rp->now);
	if (s->state == SLOT_WAITS && !rp->needs_leads && rp->now - s->item.ts >= rp->min_duration)
		s->state = SLOT_CERTAIN;
	return s->state == SLOT_READY ||
	       (s->state == SLOT_CERTAIN && (s->is_followed || rp->config->no_merge));
}

static void flush(struct replay *rp)
{
	for (; rp->head < rp->tail; rp->head++) {
		struct slot *s = slot_at(rp, rp->head);

		if (s->state != SLOT_DROPPED && !is_due(rp, s) && s->state != SLOT_DROPPED)
			return;
		if (rp->head == rp->tail)
			return; /* it was the last one, and is not shown */
		if (s->state != SLOT_DROPPED)
			emit(rp, s);
	}
}

/* Removes what was dropped; the others get new numbers. */
static void compact(struct replay *rp)
{
	uint64_t to = rp->head;

	for (uint64_t from = rp->head; from < rp->tail; from++) {
		struct slot *s = slot_at(rp, from);
		struct replay_task *rt = s->task ? s->task->aside : NULL;
		bool is_call = s->state == SLOT_WAITS || s->state == SLOT_CERTAIN;

		if (s->state == SLOT_DROPPED)
			continue;
		if (rt && rt->last == from)
			rt->last = to;
		/* its frame, if it is still open; a call that began and ended at once has none */
		if (is_call && s->at < s->task->n &&
		    (uintptr_t)s->task->frames[s->at].aside == from)
			s->task->frames[s->at].aside = (void *)(uintptr_t)to;
		/* what stands before it has moved, too: it is only compared with the last one */
		*slot_at(rp, to++) = *s;
	}
	rp->tail = to;
}

static bool widen(struct replay *rp)
{
	size_t cap = rp->cap ? rp->cap * 2 : RING_MIN;
	struct slot *ring = cap <= RING_MAX ? calloc(cap, sizeof(*ring)) : NULL;

	if (!ring)
		return false;
	for (uint64_t i = rp->head; i < rp->tail; i++)
		ring[i & (cap - 1)] = *slot_at(rp, i);
	free(rp->ring);
	rp->ring = ring;
	rp->cap = cap;
	return true;
}

static void make_room(struct replay *rp)
{
	flush(rp);
	if (rp->tail - rp->head < rp->cap)
		return;
	if (!rp->is_simple && rp->cap)
		compact(rp);
	if (rp->tail - rp->head < rp->cap - rp->cap / 4 || widen(rp))
		return;
	/* no more room: the head goes out although it may be a leaf */
	emit(rp, slot_at(rp, rp->head));
	rp->head++;
}

/*
 * --- in ----------------------------------------------------------------------------------------
 */

/* An item of the same task is certain: what stands before it has something inside. */
static void follow(struct replay *rp, uint64_t number)
{
	struct slot *s = slot_find(rp, number);

	if (s)
		s->is_followed = true;
}

/* The number of the new item. */
static uint64_t append(struct replay *rp, struct flow_task *t, struct replay_item *item,
		       enum slot_state state)
{
	struct replay_task *rt = t ? task_of(rp, t) : NULL;
	struct slot *s;

	if (rp->tail - rp->head == rp->cap)
		make_room(rp);
	item->task = t;
	s = slot_at(rp, rp->tail);
	*s = (struct slot){.item = *item, .state = state, .task = t, .before = rt ? rt->last : 0};
	if (rt) {
		if (state != SLOT_WAITS)
			follow(rp, rt->last);
		rt->last = rp->tail;
	}
	return rp->tail++;
}

static void drop(struct replay *rp, struct slot *s, uint64_t number)
{
	struct replay_task *rt = s->task->aside;

	s->state = SLOT_DROPPED;
	release_item(&s->item);
	if (rt && rt->last == number)
		rt->last = s->before;
	if (number + 1 == rp->tail)
		rp->tail--;
}

/* The calls that lead to a call of CALL_CALLERS are certain. */
static void make_callers_certain(struct replay *rp, struct flow_task *t, struct flow_frame *f)
{
	for (; f; f = flow_caller(t, f)) {
		struct slot *s = slot_find(rp, (uintptr_t)f->aside);

		if (!s || s->state != SLOT_WAITS)
			return;
		s->state = SLOT_CERTAIN;
		follow(rp, s->before);
	}
}

static void enter(void *ctx, struct flow_task *t, struct flow_frame *f)
{
	struct replay *rp = ctx;
	struct replay_item item = {
		.kind = REPLAY_ENTER,
		.is_before = f->start < rp->config->from,
		.ts = f->start,
		.func = f->func,
		.level = f->level,
		.cpu = rp->cpu,
		/* the record is another one if it is told late that the call was open */
		.args = copy_text(rp->values.has_args && f->start == rp->now, rp->values.args),
		.ret = copy_text(rp->is_whole && rp->values.has_ret, rp->values.ret)};
	uint64_t number = append(rp, t, &item, rp->is_simple ? SLOT_CERTAIN : SLOT_WAITS);

	slot_at(rp, number)->at = t->n ? t->n - 1 : 0;
	slot_at(rp, number)->end = f->end;
	f->aside = (void *)(uintptr_t)number;
	if (rp->needs_leads && f->flags & FLOW_LEADS)
		make_callers_certain(rp, t, f);
}

/*
 * The return value of a call that ends: of a CALL_WHOLE it came with its beginning, which may still
 * be in the queue (s). Otherwise the record that ends it has it.
 */
static char *take_ret(struct replay *rp, struct flow_task *t, const struct flow_frame *f,
		      struct slot *s, const struct record *rec)
{
	struct replay_task *rt = t->aside;

	if (s && s->item.ret)
		return TAKE(s->item.ret);
	if (f->flags & FLOW_FOLDED)
		return rt ? TAKE(rt->ret) : NULL;
	return copy_text(rec && rec == rp->record && !rp->is_whole && rp->values.has_ret,
			 rp->values.ret);
}

static void append_end(struct replay *rp, struct flow_task *t, struct flow_frame *f,
		       const struct flow_end *end, char *ret)
{
	struct replay_item item = {.kind = end->is_open ? REPLAY_OPEN : REPLAY_LEAVE,
				   .has_duration = end->is_known || end->is_open,
				   .is_before = end->is_before,
				   .is_after = end->is_after,
				   .ts = end->ts,
				   .duration = end->whole,
				   .func = f->func,
				   .level = f->level,
				   .cpu = rp->cpu,
				   .ret = ret};

	append(rp, t, &item, SLOT_READY);
}

static void leave(void *ctx, struct flow_task *t, struct flow_frame *f, const struct flow_end *end,
		  const struct record *rec)
{
	struct replay *rp = ctx;
	uint64_t number = (uintptr_t)f->aside;
	struct slot *s = slot_find(rp, number);
	struct replay_task *rt = t->aside;

	if (!s) {
		if (number || end->is_counted)
			append_end(rp, t, f, end, take_ret(rp, t, f, NULL, rec));
		return;
	}
	if (!end->is_counted) {
		drop(rp, s, number);
		return;
	}
	if (s->state == SLOT_WAITS)
		follow(rp, s->before);
	if (rt && rt->last == number && end->is_known && !rp->config->no_merge) {
		s->item.kind = REPLAY_LEAF;
		s->item.has_duration = true;
		s->item.is_after = end->is_after;
		s->item.duration = end->whole;
		s->item.ret = take_ret(rp, t, f, s, rec);
		s->state = SLOT_READY;
		return;
	}
	s->state = SLOT_CERTAIN;
	s->is_followed = true;
	append_end(rp, t, f, end, take_ret(rp, t, f, s, rec));
}

/*
 * --- events ------------------------------------------------------------------------------------
 */

static uint32_t level_of(const struct flow_task *t)
{
	const struct flow_frame *f = t && t->n ? &t->frames[t->n - 1] : NULL;

	return f ? f->level + !!(f->flags & FLOW_SHOWN) : 0;
}

/* Is an event of the task shown? t: NULL if it has never called anything. */
static bool is_inside(const struct replay *rp, const struct flow_task *t)
{
	return level_of(t) || rp->config->all_events;
}

static void add_back(struct replay *rp, const struct record *rec)
{
	uint64_t pid;
	struct flow_task *t;
	struct replay_task *rt;

	if (!rp->next_pid || (uint64_t)rp->next_pid->offset + rp->next_pid->size > rec->size)
		return;
	pid = bytes_get(rec->data + rp->next_pid->offset, rp->next_pid->size, rp->f->swap);
	t = callflow_find(rp->flow, (int)pid);
	if (!t || !is_inside(rp, t))
		return;
	rt = task_of(rp, t);
	if (rt) {
		struct replay_item item = {.kind = REPLAY_BACK,
					   .has_duration = rt->off_ts,
					   .ts = rec->ts,
					   .duration = rec->ts - rt->off_ts,
					   .level = level_of(t),
					   .cpu = rec->cpu};

		append(rp, t, &item, SLOT_READY);
		rt->off_ts = 0;
	}
}

static struct record *copy_record(const struct record *rec)
{
	struct record *copy =
		rec->size <= RECORD_MAX_BYTES ? malloc(sizeof(*copy) + rec->size) : NULL;

	if (!copy)
		return NULL;
	*copy = *rec;
	copy->extra = NULL;
	copy->data = memcpy(copy + 1, rec->data, rec->size);
	return copy;
}

static void add_event(struct replay *rp, const struct record *rec)
{
	struct flow_task *t = callflow_task(rp->flow, rec);
	struct replay_item item = {.kind = REPLAY_EVENT, .ts = rec->ts, .cpu = rec->cpu};
	bool is_switch = rec->event->id == rp->switch_id;
	bool is_note = rec->event->id == rp->note_ids[0] || rec->event->id == rp->note_ids[1];

	if (is_inside(rp, t) || is_note) {
		item.level = level_of(t);
		item.record = copy_record(rec);
		if (!t)
			t = callflow_take(rp->flow, rec);
		if (item.record)
			append(rp, t, &item, SLOT_READY);
		if (is_switch && t && task_of(rp, t))
			task_of(rp, t)->off_ts = rec->ts;
	}
}

static bool is_chosen(const struct replay *rp, const struct record *rec)
{
	for (size_t i = 0; i < rp->config->n_tids; i++)
		if (rec->task && rec->task->pid == rp->config->tids[i])
			return true;
	return !rp->config->n_tids;
}

static bool is_inside_range(const struct replay *rp, uint64_t ts)
{
	return !rp->config->to || (ts >= rp->config->from && ts <= rp->config->to);
}

static void add_loss(struct replay *rp, const struct record *rec)
{
	struct replay_item item = {
		.kind = REPLAY_LOST,
		.ts = rec->ts,
		.cpu = rec->cpu,
		.n_lost = rec->extra && rec->extra->missed > 0 ? rec->extra->missed : 0};

	append(rp, NULL, &item, SLOT_READY);
}

/* What enter() and leave() may want of the record. */
static void note_record(struct replay *rp, const struct call_kind *kind, const struct record *rec)
{
	rp->now = rec->ts;
	rp->cpu = rec->cpu;
	rp->record = rec;
	rp->is_whole = kind->step == CALL_WHOLE;
	rp->values.has_args = rp->values.has_ret = false;
	if (!rp->config->no_values && (kind->args.size || kind->ret.size))
		call_values_read(kind, rec->data, rec->size, &rp->values);
}

void replay_add(struct replay *rp, const struct record *rec)
{
	const struct call_kind *kind =
		call_kinds_find(callflow_kinds(rp->flow), rec->event ? rec->event->id : -1);

	note_record(rp, kind, rec);
	if (rec->flags & RECORD_MISSED && is_inside_range(rp, rec->ts))
		add_loss(rp, rec);
	if (kind->step != CALL_NOT) {
		struct record rest = *rec;

		if (is_chosen(rp, rec)) {
			callflow_add_kind(rp->flow, kind, rec);
		} else if (rec->flags & RECORD_MISSED) {
			rest.event = NULL;
			callflow_add(rp->flow, &rest);
		}
	} else {
		callflow_settle(rp->flow, rec);
		if (rec->event && !rp->config->no_events && is_inside_range(rp, rec->ts)) {
			if (is_chosen(rp, rec))
				add_event(rp, rec);
			if (rec->event->id == rp->switch_id)
				add_back(rp, rec);
		}
	}
	flush(rp);
}

void replay_finish(struct replay *rp)
{
	rp->record = NULL;
	rp->values.has_args = rp->values.has_ret = false;
	callflow_finish(rp->flow);
	for (uint64_t i = rp->head; i < rp->tail; i++)
		if (slot_at(rp, i)->state != SLOT_DROPPED)
			emit(rp, slot_at(rp, i));
	rp->head = rp->tail;
}

/*
 * --- life --------------------------------------------------------------------------------------
 */

static void choose_events(struct replay *rp)
{
	const struct call_kinds *kinds = callflow_kinds(rp->flow);
	const struct event *sw = formats_find_name(rp->f, "sched", "sched_switch");

	if (!rp->config->no_events)
		memset(rp->wanted, 1, rp->f->n_table);
	for (size_t i = 1; i < kinds->n; i++)
		if ((size_t)kinds->rows[i].event->id < rp->f->n_table)
			rp->wanted[kinds->rows[i].event->id] = 1;
	rp->switch_id = sw ? sw->id : -1;
	for (int i = 0; i < 2; i++) {
		const struct event *note =
			formats_find_name(rp->f, "user", i ? "user_mark" : "user_switch");

		rp->note_ids[i] = note ? note->id : -1;
	}
	rp->next_pid = sw ? event_find_field(sw, "next_pid") : NULL;
}

static int open_flow(struct replay *rp, struct errmsg *err)
{
	const struct callfilter *filter = rp->config->filter;
	int r;

	rp->flow_config = (struct callflow_config){.filter = filter,
						   .with_own = rp->config->with_own,
						   .by_address = rp->config->by_address,
						   .from = rp->config->from,
						   .to = rp->config->to};
	rp->sink = (struct flow_sink){.ctx = rp, .enter = enter, .leave = leave};
	r = callflow_new(&rp->flow, rp->f, &rp->flow_config, &rp->sink);
	if (r < 0)
		return errmsg_set_errno(err, r, "cannot replay the calls");
	if (callflow_kinds(rp->flow)->n < 2 && !rp->config->no_calls)
		return errmsg_set(err, -ENOENT,
				  "the trace has no calls of functions; record them with -u, or "
				  "with -p function_graph for the kernel's");
	rp->min_duration = filter ? callfilter_config(filter)->min_duration : 0;
	rp->needs_leads = filter && callfilter_kinds(filter) & CALL_CALLERS;
	rp->is_simple = !rp->min_duration && !rp->needs_leads;
	choose_events(rp);
	return 0;
}

int replay_new(struct replay **ret, struct formats *f, const struct replay_config *config,
	       struct errmsg *err)
{
	struct replay *rp = calloc(1, sizeof(*rp));
	int r;

	if (!rp)
		return errmsg_set_errno(err, -ENOMEM, "cannot replay the calls");
	rp->config = config;
	rp->f = f;
	rp->head = rp->tail = 1;
	arena_init(&rp->arena, ARENA_MAX_BYTES);
	rp->wanted = calloc(f->n_table + 1, 1);
	r = rp->wanted && widen(rp) ? open_flow(rp, err)
				    : errmsg_set_errno(err, -ENOMEM, "cannot replay the calls");
	if (r < 0) {
		replay_free(rp);
		return r;
	}
	*ret = rp;
	return 0;
}

void replay_free(struct replay *rp)
{
	if (!rp)
		return;
	for (uint64_t i = rp->head; rp->ring && i < rp->tail; i++)
		release_item(&slot_at(rp, i)->item);
	for (struct flow_task *t = rp->flow ? callflow_tasks(rp->flow) : NULL; t; t = t->next)
		if (t->aside)
			free(((struct replay_task *)t->aside)->ret);
	callflow_free(rp->flow);
	arena_release(&rp->arena);
	free(rp->wanted);
	free(rp->ring);
	free(rp);
}

const uint8_t *replay_events(const struct replay *rp, size_t *ret_n)
{
	*ret_n = rp->f->n_table;
	return rp->wanted;
}

const struct flow_counts *replay_counts(const struct replay *rp)
{
	return callflow_counts(rp->flow);
}

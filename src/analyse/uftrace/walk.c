// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * walk.c - merges the records of all tasks and CPUs by time, and keeps the time of open calls.
 *
 *	TID.dat ─ queue.c ─▶ ┐
 *	TID.dat ─ queue.c ─▶ ├─ the earliest ─▶ account: frames, times ─▶ the command
 *	perf-cpuN.dat ─────▶ ┘
 *
 * Between equal times the records of tasks come first, in the order of the info file. A task switch
 * is a call of its own: out is its entry, in is its exit.
 *
 * Peeking changes nothing but the current record of a task. Taking a record moves frames: the frame of
 * an entry is then n_frames - 1, that of an exit is n_frames.
 */
#include "analyse/uftrace/walk_int.h"
#include "format/uftrace.h"
#include "symbols/uftrace/session.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct uft_reader *uft_walk_reader(const struct uft_walk *w, int tid)
{
	for (size_t i = 0; i < w->n_readers; i++)
		if (w->readers[i].tid == tid)
			return &w->readers[i];
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

static int reader_init(struct uft_walk *w, struct uft_reader *r, const struct uft_stream *s)
{
	struct uft_record rec;

	*r = (struct uft_reader){.walk = w, .tid = s->tid, .data = s->data, .column = -1};
	r->n_bytes = s->data ? s->n_bytes : 0;
	r->task = uft_task_find(w->c.names, s->tid);
	if (r->n_bytes >= UFT_RECORD_BYTES && uft_record_parse(s->data, w->c.swaps, &rec) &&
	    (!w->first_ns || rec.time_ns < w->first_ns))
		w->first_ns = rec.time_ns;
	if (w->c.tids && !is_listed(w->c.tids, s->tid)) {
		r->is_done = true;
		return 0;
	}
	r->filter_depth = w->c.depth;
	r->display_depth_set = w->enabled && !w->c.range_start_ns;
	r->frames = calloc(w->c.max_stack, sizeof(*r->frames));
	for (uint32_t i = 0; r->frames && i < w->c.max_stack; i++)
		r->frames[i].orig_depth = w->c.depth;
	return r->frames ? 0 : -ENOMEM;
}

int uft_walk_new(struct uft_walk **ret, const struct uft_walk_config *config)
{
	struct uft_walk *w = calloc(1, sizeof(*w));

	if (!w)
		return -ENOMEM;
	w->c = *config;
	w->enabled = !config->disabled;
	w->readers = calloc(config->n_streams + 1, sizeof(*w->readers));
	for (size_t i = 0; w->readers && i < config->n_streams; i++) {
		w->n_readers = i + 1;
		if (reader_init(w, &w->readers[i], &config->streams[i]) < 0) {
			uft_walk_free(w);
			return -ENOMEM;
		}
	}
	if (!w->readers) {
		free(w);
		return -ENOMEM;
	}
	*ret = w;
	return 0;
}

void uft_walk_free(struct uft_walk *w)
{
	if (!w)
		return;
	for (size_t i = 0; i < w->n_readers; i++) {
		free(w->readers[i].frames);
		free(w->readers[i].queue.items);
		free(w->readers[i].events.items);
		free(w->readers[i].limits);
	}
	free(w->readers);
	free(w);
}

static const struct uft_sym sched_sym = {.name = "linux:schedule", .raw = "linux:schedule"};
static const struct uft_sym sched_preempt_sym = {.name = "linux:schedule (pre-empted)",
						 .raw = "linux:schedule (pre-empted)"};

const struct uft_sym *uft_walk_sym(struct uft_walk *w, struct uft_reader *r, uint64_t time_ns,
				   uint64_t addr)
{
	const struct uft_session *s = uft_session_find(w->c.names, r->task, time_ns);

	if (addr == UFT_EVENT_SCHED_IN || addr == UFT_EVENT_SCHED_OUT)
		return &sched_sym;
	if (addr == UFT_EVENT_SCHED_OUT_PREEMPT)
		return &sched_preempt_sym;
	return s ? uft_sym_find(s, time_ns, addr) : NULL;
}

const struct uft_sym *uft_walk_rec_sym(struct uft_walk *w, struct uft_reader *r,
				       const struct uft_record *rec)
{
	if (rec->type == UFT_EVENT && !uft_is_sched(rec->addr))
		return NULL;
	return uft_walk_sym(w, r, rec->time_ns, rec->addr);
}

const struct uft_trigger *uft_walk_trigger(struct uft_walk *w, struct uft_reader *r,
					   const struct uft_record *rec, bool *ret_has_session)
{
	const struct uft_session *s = uft_session_find(w->c.names, r->task, rec->time_ns);
	const struct uft_map *m = s ? uft_map_find(s, rec->addr) : NULL;

	if (ret_has_session)
		*ret_has_session = s;
	if (!m || !m->module || !w->c.triggers->by_sym.n)
		return NULL;
	return uft_trigger_find(w->c.triggers, uft_module_find(m->module, rec->addr - m->start));
}

/* The task with the earliest record; NULL: none. */
static struct uft_reader *first_of_tasks(struct uft_walk *w, uint64_t *ret_time)
{
	struct uft_reader *best = NULL;

	for (size_t i = 0; i < w->n_readers; i++) {
		struct uft_item *item = uft_reader_first(&w->readers[i]);

		if (!item || (best && item->rec.time_ns >= *ret_time))
			continue;
		best = &w->readers[i];
		*ret_time = item->rec.time_ns;
	}
	return best;
}

static struct uft_reader *first_of_events(struct uft_walk *w, uint64_t *ret_time)
{
	struct uft_reader *best = NULL;

	for (size_t i = 0; i < w->n_readers; i++) {
		struct uft_queue *q = &w->readers[i].events;

		if (q->head == q->n || (best && q->items[q->head].rec.time_ns >= *ret_time))
			continue;
		best = &w->readers[i];
		*ret_time = q->items[q->head].rec.time_ns;
	}
	return best;
}

/* Is the task in the info file, and among those of --tid? */
static bool is_walked(const struct uft_walk *w, int tid)
{
	const struct uft_reader *r = uft_walk_reader(w, tid);

	return r && r->frames;
}

/* The next task switch. Those of other tasks, or out of range, are skipped. */
static struct uft_perf *first_of_perf(struct uft_walk *w)
{
	struct uft_perf *best = NULL;

	for (size_t i = 0; i < w->c.n_perfs; i++) {
		struct uft_perf *p = &w->c.perfs[i];

		while (uft_perf_read(p, w->c.swaps) &&
		       (!uft_walk_in_range(w, p->rec.time_ns) || !is_walked(w, p->tid)))
			p->is_valid = false;
		if (p->is_valid && (!best || p->rec.time_ns < best->rec.time_ns))
			best = p;
	}
	return best;
}

/*
 * --estimate-return: exits are guesses, halfway to the next entry. A task switch between them makes
 * the guess wrong; it moves behind the switch.
 */
static void delay_exit(struct uft_reader *r)
{
	struct uft_record *next;
	struct uft_frame *f;
	int at = r->n_frames - (r->rec.addr == UFT_EVENT_SCHED_IN && r->n_frames >= 2 ? 2 : 1);

	if (r->queue.head == r->queue.n)
		return;
	next = &r->queue.items[r->queue.head].rec;
	if (next->type == UFT_ENTRY) {
		r->timestamp_next = 0;
		return;
	}
	f = uft_frame_at(r, at);
	if (!f || f->addr != next->addr)
		return;
	if (r->rec.addr != UFT_EVENT_SCHED_IN) {
		if (!r->timestamp_next)
			r->timestamp_next = next->time_ns * 2 - f->total_ns;
		next->time_ns = UINT64_MAX;
		return;
	}
	if (r->timestamp_estimate <= r->rec.time_ns)
		r->timestamp_estimate = (r->rec.time_ns + r->timestamp_next) / 2;
	next->time_ns = r->timestamp_estimate;
}

static void set_from_task(struct uft_walk *w, struct uft_reader *r)
{
	r->rec = r->queue.items[r->queue.head].rec;
	r->origin = UFT_FROM_TASK;
	if (!w->c.estimates_return || !r->timestamp_estimate)
		return;
	if (r->rec.type == UFT_EXIT && r->rec.time_ns <= r->timestamp_estimate)
		r->rec.time_ns = ++r->timestamp_estimate;
	else
		r->timestamp_estimate = r->timestamp_next = 0;
}

static void set_from_perf(struct uft_walk *w, struct uft_reader *r, struct uft_perf *p)
{
	r->rec = p->rec;
	r->origin = UFT_FROM_PERF;
	w->last_perf_ns = p->rec.time_ns;
	w->perf = p;
	if (r->rec.addr == UFT_EVENT_TASK_NAME)
		memcpy(r->comm, p->comm, sizeof(r->comm));
	else if (uft_is_sched(r->rec.addr) && w->c.estimates_return && r->n_frames > 0)
		delay_exit(r);
}

struct uft_reader *uft_walk_peek(struct uft_walk *w)
{
	uint64_t time = 0, event_time = 0;
	struct uft_reader *r, *e = NULL;
	struct uft_perf *p = NULL;

	if (w->c.time_filter_ns)
		uft_walk_sort_events(w);
	r = first_of_tasks(w, &time);
	if (!w->c.time_filter_ns)
		p = first_of_perf(w);
	else
		e = first_of_events(w, &event_time);
	if (p && (!r || p->rec.time_ns < time)) {
		r = uft_walk_reader(w, p->tid);
		set_from_perf(w, r, p);
	} else if (e && (!r || event_time < time)) {
		r = e;
		r->rec = r->events.items[r->events.head].rec;
		r->origin = UFT_FROM_EVENTS;
	} else if (r) {
		set_from_task(w, r);
	}
	return r;
}

/* A task switch is a call of its own; other events are none. */
static bool as_call(const struct uft_record *rec, struct uft_record *ret)
{
	*ret = *rec;
	if (rec->type != UFT_EVENT)
		return true;
	if (rec->addr != UFT_EVENT_SCHED_IN && rec->addr != UFT_EVENT_SCHED_OUT &&
	    rec->addr != UFT_EVENT_SCHED_OUT_PREEMPT)
		return false;
	ret->type = rec->addr == UFT_EVENT_SCHED_IN ? UFT_EXIT : UFT_ENTRY;
	ret->depth = 0;
	ret->more = false;
	return true;
}

/* The first record of a task: it may begin in the middle, after a fork. */
static void begin_frames(struct uft_reader *r, const struct uft_record *rec)
{
	struct uft_reader *parent =
		r->task && r->task->ppid ? uft_walk_reader(r->walk, r->task->ppid) : NULL;

	r->n_frames = rec->depth + (rec->type == UFT_EXIT);
	r->frames_set = true;
	if (!r->fork_handled && parent && parent->fork_display_depth) {
		r->display_depth = parent->fork_display_depth;
		r->display_depth_set = true;
	}
	r->fork_handled = true;
	for (int i = 0; i < r->n_frames; i++) {
		struct uft_frame *f = uft_frame_at(r, i);

		if (!f)
			break;
		f->total_ns = rec->time_ns;
		f->child_ns = 0;
		f->is_valid = true;
	}
	r->filter_depth = r->walk->c.depth;
}

/* After a loss the next record says where the task is. */
static void resume_frames(struct uft_reader *r, const struct uft_record *rec)
{
	r->n_frames = rec->depth + (rec->type == UFT_EXIT);
	r->lost_seen = false;
	for (int i = 0; i <= rec->depth; i++) {
		struct uft_frame *f = uft_frame_at(r, i + r->n_user);

		if (!f)
			break;
		f->total_ns = rec->time_ns - 1;
		f->child_ns = 0;
	}
}

static void end_frame(struct uft_reader *r, uint64_t time_ns)
{
	struct uft_frame *f = uft_frame_at(r, r->n_frames - 1);
	uint64_t delta;

	if (!f)
		return;
	delta = f->is_valid ? time_ns - f->total_ns : 0;
	f->is_valid = false;
	f->total_ns = delta;
	if (f->child_ns > delta)
		f->child_ns = delta;
	if (r->n_frames > 1)
		f[-1].child_ns += delta;
}

/* Records are lost: calls that may have ended meanwhile get the time up to here. */
static void lose_frames(struct uft_reader *r)
{
	uint64_t lost_ns = 0;

	r->lost_seen = true;
	r->display_depth_set = false;
	for (int i = r->n_frames; i >= r->n_user; i--) {
		struct uft_frame *f = uft_frame_at(r, i);

		if (!f)
			continue;
		if (!lost_ns)
			lost_ns = f->total_ns + 1;
		f->total_ns = lost_ns - f->total_ns;
		if (f->child_ns > f->total_ns)
			f->child_ns = f->total_ns;
		if (i > 0)
			f[-1].child_ns += f->total_ns;
	}
}

/* What a record means for the times of open calls. */
static void account(struct uft_reader *r, const struct uft_record *rec)
{
	struct uft_frame *f;

	if (!r->frames_set)
		begin_frames(r, rec);
	if (r->lost_seen) {
		if (rec->type == UFT_LOST)
			return;
		resume_frames(r, rec);
	}
	if (rec->type == UFT_EXIT) {
		end_frame(r, rec->time_ns);
	} else if (rec->type == UFT_LOST) {
		lose_frames(r);
	} else {
		f = uft_frame_at(r, r->n_frames);
		if (!f)
			return;
		f->addr = rec->addr;
		f->total_ns = rec->time_ns;
		f->child_ns = 0;
		f->is_valid = true;
	}
}

static void move_frames(struct uft_reader *r, const struct uft_record *rec)
{
	int step = rec->type == UFT_ENTRY ? 1 : rec->type == UFT_EXIT ? -1 : 0;

	if (step > 0 || r->n_frames > 0)
		r->n_frames += step;
	if (uft_rec_is_user(r) && (step > 0 || r->n_user > 0))
		r->n_user += step;
}

void uft_walk_take(struct uft_walk *w, struct uft_reader *r)
{
	struct uft_record call;

	switch (r->origin) {
	case UFT_FROM_TASK:
		if (r->rec.more)
			r->values = r->queue.items[r->queue.head].values;
		uft_queue_take_first(&r->queue);
		break;
	case UFT_FROM_EVENTS:
		uft_queue_take_first(&r->events);
		break;
	case UFT_FROM_PERF:
		w->perf->is_valid = false;
		break;
	}
	if (r->rec.addr == UFT_EVENT_TASK_NAME && r->rec.type == UFT_EVENT) {
		if (r->task)
			memcpy(r->task->comm, r->comm, sizeof(r->task->comm));
		r->values = (struct uft_values){.data = (const uint8_t *)r->comm,
						.n_bytes = strlen(r->comm)};
	}
	/* what happens before the first function does not count, unless it is shown */
	if (r->rec.time_ns && r->rec.time_ns < w->first_ns &&
	    (r->rec.type != UFT_EVENT || r->n_frames || w->c.event_full))
		w->first_ns = r->rec.time_ns;
	if (!as_call(&r->rec, &call))
		return;
	account(r, &call);
	move_frames(r, &call);
}

struct uft_reader *uft_walk_next(struct uft_walk *w)
{
	struct uft_reader *r = uft_walk_peek(w);

	if (r)
		uft_walk_take(w, r);
	return r;
}

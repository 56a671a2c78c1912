// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * profile.c - follows every task through its events and sums the times between them.
 *
 *	sched_switch A ─▶ B     A is off the CPU from here, its state is the reason; B runs from
 *	                        here
 *	sched_wakeup A          A is no longer blocked, it becomes runnable
 *	sched_switch … ─▶ A     A runs; if no wakeup preceded, A was preempted
 *	sys_enter … sys_exit    and other pairs: both in one task, with the same value of a field
 *	kernel_stack            belongs to the event before it in the same task
 *	other events            are counted by the value of their first field
 *
 * The first event of a pair becomes a start, found by (task, event, value). The second event adds
 * the time to a row of the task, and the stack to that row. Where events were lost, open starts are
 * dropped.
 *
 * The stack of a wakeup is the waker's, but belongs to the woken task: the waker points to the
 * woken task (`proxy`) until the stack is read. The stack of a graph entry precedes it.
 *
 * With as_trace_cmd the times are those of trace-cmd report --profile. They are wrong, or missing,
 * in these cases:
 *  - The idle tasks of all CPUs have pid 0 and are one task there; simultaneous events of two CPUs
 *    are mixed, and stacks go to the wrong event.
 *  - A task that was preempted in the kernel (state 0x100) counts as blocked, and is shown as W.
 *  - A softirq that was raised in one task and runs in another is not paired; the raise stays open
 *    and is paired with a later run. Here a run is paired with the first raise on the same CPU.
 *  - A system call that does not return stays open, and may be paired with a later exit.
 *  - The first wakeup of a task that was asleep from the beginning is not counted.
 *  - sched_wakeup_new, the events of the system "syscalls", and the time on the CPU are not used.
 *  - A hook on an event replaces that event's own meaning. A hook with a pid field ends only
 *    in the task of its start, so the time until another task's event cannot be measured.
 * Even with as_trace_cmd the result differs where trace-cmd reads uninitialised memory:
 * sched_switch without sched_wakeup, a hook on a field that is not a number.
 */
#include "analyse/profile/profile_int.h"
#include "base/hash.h"
#include "base/scope.h"
#include "format/bytes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define TRACE_CMD_STATES 1023

/* --- reading ---------------------------------------------------------------------------------- */

static bool read_number(const struct profile *p, const struct record *rec,
			const struct field *field, uint64_t *ret)
{
	*ret = 0;
	if (!field || field->offset > rec->size || rec->size - field->offset < field->size)
		return false;
	if (field->size != 1 && field->size != 2 && field->size != 4 && field->size != 8)
		return false;
	*ret = bytes_get(rec->data + field->offset, field->size, p->f->swap);
	return true;
}

static void learn_comm(struct ptask *t, const struct record *rec, const struct field *field)
{
	size_t n, left;

	if (t->has_comm || !field || field->offset >= rec->size)
		return;
	left = rec->size - field->offset;
	n = field->size < left ? field->size : left;
	n = strnlen((const char *)rec->data + field->offset, n);
	if (n >= sizeof(t->comm))
		n = sizeof(t->comm) - 1;
	memcpy(t->comm, rec->data + field->offset, n);
	t->comm[n] = 0;
	t->has_comm = true;
}

/*
 * Reads the frames of a kernel_stack, up to its end or to an address whose bits are all 1. Returns
 * NULL if there are none.
 */
static const struct pstack *read_stack(struct profile *p, const struct record *rec)
{
	const struct field *field = p->stack->data_field;
	unsigned step = p->f->long_size;
	uint64_t stop = step < 8 ? UINT32_MAX : UINT64_MAX;
	size_t n = 0, room;

	if (!field || field->offset > rec->size || (step != 4 && step != 8))
		return NULL;
	room = (rec->size - field->offset) / step;
	if (room > PROFILE_FRAMES_MAX)
		room = PROFILE_FRAMES_MAX;
	for (; n < room; n++) {
		p->scratch[n] = bytes_get(rec->data + field->offset + n * step, step, p->f->swap);
		if (p->scratch[n] == stop)
			break;
	}
	return n ? profile_stack_get(p, p->scratch, n) : NULL;
}

/* --- beginning and ending --------------------------------------------------------------------- */

static void add_stack(struct profile *p, struct prow *row, const struct pstack *stack,
		      uint64_t time, uint64_t ts)
{
	struct plink *l = stack ? profile_link_get(p, row, stack) : NULL;

	if (l)
		profile_times_add(&l->times, time, ts);
}

/* Adds the time since a start to a row of the task, and removes the start. */
static struct prow *end_start(struct profile *p, struct ptask *task, struct pstart *s, uint64_t ts)
{
	uint64_t time = ts > s->ts ? ts - s->ts : 0; /* the clocks of CPUs may differ a little */
	struct prow *row = profile_row_get(p, task, s->pev, s->search, s->value);

	if (row) {
		profile_times_add(&row->pub.times, time, ts);
		row->last = time;
		add_stack(p, row, s->stack, time, s->stack_ts);
	}
	profile_start_free(p, s);
	return row;
}

static struct prow *find_and_end(struct profile *p, struct ptask *task, const struct pevent *pev,
				 uint64_t ts, uint64_t search)
{
	struct pstart *s = pev ? profile_start_find(p, task, pev, search) : NULL;

	return s ? end_start(p, task, s, ts) : NULL;
}

/* Returns the owner of an event: the task in its pid field, the CPU, or the machine. */
static struct ptask *event_task(struct profile *p, const struct pevent *pev,
				const struct record *rec, int pid)
{
	uint64_t v;

	if (pev->global)
		return profile_task_global(p, pev->migrate, rec->cpu);
	if (read_number(p, rec, pev->pid_field, &v))
		pid = (int)v;
	return profile_task_get(p, pid, rec->cpu);
}

/* Returns the owner that keeps the starts of a pair. */
static struct ptask *pair_owner(struct profile *p, const struct pevent *start, struct ptask *task,
				uint32_t cpu)
{
	return start->pairs == PAIR_TASK ? task
					 : profile_task_global(p, start->pairs == PAIR_VALUE, cpu);
}

/* Assigns the next stack of the task to this start or row. */
static void expect_stack(struct ptask *task, struct pstart *s, struct prow *row)
{
	task->last_start = s;
	task->last_row = row;
	if (s)
		s->holder = task;
}

static struct ptask *pair_end(struct profile *p, const struct pevent *pev, const struct record *rec,
			      int pid)
{
	struct ptask *task = event_task(p, pev, rec, pid), *owner;
	struct prow *row = NULL;
	struct pstart *s;
	uint64_t v;

	if (!task)
		return NULL;
	read_number(p, rec, pev->start_match, &v);
	owner = pair_owner(p, pev->start, task, rec->cpu);
	s = owner ? profile_start_find(p, owner, pev->start, pev->start->one_per_task ? 0 : v)
		  : NULL;
	if (s && s->value == v)
		row = end_start(p, s->whose ? s->whose : task, s, rec->ts);
	else if (s)
		profile_start_free(p, s);
	if (!pev->keeps_stack)
		expect_stack(task, NULL, row);
	return task;
}

static struct ptask *pair_start(struct profile *p, const struct pevent *pev,
				const struct record *rec, int pid)
{
	struct ptask *task = event_task(p, pev, rec, pid), *holder = task;
	struct ptask *owner = task ? pair_owner(p, pev, task, rec->cpu) : NULL;
	struct pstart *s = NULL;
	uint64_t v, search;

	if (!owner)
		return NULL;
	read_number(p, rec, pev->end_match, &v);
	search = pev->one_per_task ? 0 : v;
	if (pev->again != AGAIN_NESTS)
		s = profile_start_find(p, owner, pev, search);
	if (s && pev->again == AGAIN_LAST)
		profile_start_free(p, s);
	if (!s || pev->again == AGAIN_LAST)
		s = profile_start_add(p, owner, pev, rec, search, v);
	else
		s = NULL;
	if (s && pev->pairs == PAIR_VALUE)
		s->whose = task;
	if (pev->pairs != PAIR_TASK) /* the stack belongs to the running task */
		holder = profile_task_get(p, pid, rec->cpu);
	if (holder && !pev->keeps_stack)
		expect_stack(holder, s, NULL);
	return task;
}

static void count_event(struct profile *p, struct ptask *task, const struct pevent *pev,
			const struct record *rec)
{
	struct prow *row;
	uint64_t v;

	read_number(p, rec, pev->data_field, &v);
	row = profile_row_get(p, task, pev, v, v);
	if (row)
		row->pub.times.n++;
	task->proxy = NULL;
	expect_stack(task, NULL, row);
}

void profile_handle_pair(struct profile *p, int pid, const struct pevent *pev,
			 const struct record *rec)
{
	struct ptask *task;

	if (pev->start)
		pair_end(p, pev, rec, pid);
	if (pev->end)
		pair_start(p, pev, rec, pid);
	if (pev->start || pev->end || pev->name)
		return;
	task = profile_task_get(p, pid, rec->cpu);
	if (task)
		count_event(p, task, pev, rec);
}

void profile_handle_irq_entry(struct profile *p, int pid, const struct pevent *pev,
			      const struct record *rec)
{
	uint64_t irq, where;

	profile_handle_pair(p, pid, pev, rec);
	/* the lower half of the field is the offset of the name in the record */
	if (!read_number(p, rec, pev->end_match, &irq) ||
	    !read_number(p, rec, pev->name_field, &where) || (where & 0xffff) >= rec->size)
		return;
	where &= 0xffff;
	profile_irq_name_add(p, irq, (const char *)rec->data + where,
			     strnlen((const char *)rec->data + where, rec->size - where));
}

/* --- functions -------------------------------------------------------------------------------- */

void profile_handle_graph_entry(struct profile *p, int pid, const struct pevent *pev,
				const struct record *rec)
{
	struct ptask *task = pair_start(p, pev, rec, pid);

	if (!task)
		return;
	if (task->last_stack) {
		if (task->last_start) {
			task->last_start->stack = task->last_stack;
			task->last_start->stack_ts = task->last_stack_ts;
		}
		task->last_stack = NULL;
	}
	task->last_start = NULL;
}

void profile_handle_graph_exit(struct profile *p, int pid, const struct pevent *pev,
			       const struct record *rec)
{
	struct ptask *task = pair_end(p, pev, rec, pid);

	if (task)
		task->last_row = NULL;
}

/* --- stacks ----------------------------------------------------------------------------------- */

/* Adds a stack to the start or row that expects one. Returns false if there is none. */
static bool take_stack(struct profile *p, struct ptask *task, const struct pstack *stack,
		       uint64_t ts)
{
	if (!task->last_start && !task->last_row)
		return false;
	if (task->last_start) {
		task->last_start->stack = stack;
		task->last_start->stack_ts = ts;
	} else {
		add_stack(p, task->last_row, stack, task->last_row->last, ts);
	}
	expect_stack(task, NULL, NULL);
	return true;
}

void profile_handle_stack(struct profile *p, int pid, const struct pevent *pev,
			  const struct record *rec)
{
	struct ptask *current = profile_task_get(p, pid, rec->cpu), *proxy;
	const struct pstack *stack;
	bool taken;

	if (!current)
		return;
	stack = read_stack(p, rec);
	proxy = current->proxy;
	current->proxy = NULL;
	current->last_stack = NULL;
	taken = take_stack(p, proxy ? proxy : current, stack, rec->ts);
	if (proxy && !p->config.as_trace_cmd) /* a hook on the wakeup may also expect the stack */
		taken |= take_stack(p, current, stack, rec->ts);
	if (!taken) {
		/* the stack may belong to a graph entry that follows */
		current->last_stack = stack;
		current->last_stack_ts = rec->ts;
		current->stack_is_new = true;
	}
}

/* --- the scheduler ---------------------------------------------------------------------------- */

/* Adds the time on the CPU of the task that ran until now. */
static void note_running(struct profile *p, struct ptask *prev, struct ptask *next,
			 const struct record *rec)
{
	struct pcpu *c = profile_cpu(p, rec->cpu);
	struct prow *row;

	if (!c || p->config.as_trace_cmd)
		return;
	if (c->running && c->running == prev && rec->ts >= c->since) {
		row = profile_row_get(p, prev, &p->run, 0, 0);
		if (row)
			profile_times_add(&row->pub.times, rec->ts - c->since, rec->ts);
		prev->pub.run += rec->ts - c->since;
	}
	c->running = next;
	c->since = rec->ts;
}

/* Returns the state that a row shows, and whether the task needs a wakeup. */
static uint64_t read_state(const struct profile *p, uint64_t state, bool *ret_asleep)
{
	uint64_t known = state & (p->config.as_trace_cmd ? TRACE_CMD_STATES : p->state_mask);

	*ret_asleep = known != 0;
	if (!p->config.as_trace_cmd && !known && state)
		return PROFILE_PREEMPTED;
	return known;
}

void profile_handle_switch(struct profile *p, int pid, const struct pevent *pev,
			   const struct record *rec)
{
	uint64_t prev_pid, next_pid, state;
	struct ptask *prev, *next;
	struct pstart *s;
	bool asleep;

	read_number(p, rec, pev->pid_field, &prev_pid);
	read_number(p, rec, pev->end_match, &next_pid);
	read_number(p, rec, pev->data_field, &state);
	state = read_state(p, state, &asleep);
	prev = profile_task_get(p, (int)prev_pid, rec->cpu);
	if (!prev)
		return;
	learn_comm(prev, rec, pev->comm_field);
	prev->sleep = asleep ? SLEEP_YES : SLEEP_NO;
	if (!p->config.as_trace_cmd) {
		s = profile_start_find(p, prev, pev, prev_pid);
		if (s)
			profile_start_free(p, s);
	}
	expect_stack(prev, profile_start_add(p, prev, pev, rec, prev_pid, state), NULL);
	next = profile_task_get(p, (int)next_pid, rec->cpu);
	if (!next)
		return;
	learn_comm(next, rec, pev->next_comm_field);
	note_running(p, prev, next, rec);
	if (!p->config.as_trace_cmd)
		next->sleep = SLEEP_NO;
	/*
	 * the reason why the task was off the CPU is unknown: it was woken, or preempted, or a
	 * wakeup is missing; so end both
	 */
	find_and_end(p, next, p->wakeup, rec->ts, next_pid);
	find_and_end(p, next, pev, rec->ts, next_pid);
}

void profile_handle_wakeup(struct profile *p, int pid, const struct pevent *pev,
			   const struct record *rec)
{
	struct ptask *waker = profile_task_get(p, pid, rec->cpu), *task;
	bool own_way = !p->config.as_trace_cmd;
	uint64_t v;

	if (!waker || (read_number(p, rec, pev->data_field, &v) && !v))
		return; /* old kernels: the field "success" is 0 */
	read_number(p, rec, pev->pid_field, &v);
	task = profile_task_get(p, (int)v, rec->cpu);
	if (!task)
		return;
	learn_comm(task, rec, pev->comm_field);
	if (task->sleep == SLEEP_NO || (task->sleep == SLEEP_UNKNOWN && !own_way)) {
		waker->proxy = NULL;
		expect_stack(waker, NULL, NULL);
		return;
	}
	task->sleep = SLEEP_NO;
	if (own_way)
		expect_stack(waker, NULL, NULL);
	waker->proxy = task;
	find_and_end(p, task, p->sched_switch, rec->ts, v);
	expect_stack(task, profile_start_add(p, task, p->wakeup, rec, v, own_way ? 0 : v), NULL);
}

/* Notes that the task has another name from now on, which a later event contains. */
void profile_handle_exec(struct profile *p, int pid, const struct pevent *pev,
			 const struct record *rec)
{
	struct ptask *task;
	uint64_t v;

	if (read_number(p, rec, pev->data_field, &v))
		pid = (int)v;
	task = profile_task_get(p, pid, rec->cpu);
	if (task)
		task->has_comm = false;
}

/* --- the door --------------------------------------------------------------------------------- */

static struct pevent *find_pevent(struct profile *p, const struct event *ev)
{
	if ((size_t)ev->id >= p->n_ids)
		return NULL;
	p->n_seen[ev->id]++;
	return p->by_id[ev->id] ? p->by_id[ev->id] : profile_add_other(p, ev);
}

void profile_add(struct profile *p, const struct record *rec)
{
	const struct pevent *pev = rec->event ? find_pevent(p, rec->event) : NULL;
	struct ptask *task;
	bool had_stack;
	int pid;

	if (rec->flags & RECORD_MISSED)
		profile_forget(p, rec->cpu);
	if (!p->any)
		p->first_ts = rec->ts;
	p->any = true;
	p->last_ts = rec->ts;
	if (!pev)
		return;
	pid = formats_common(p->f, &p->f->pid, rec->data, rec->size);
	task = profile_task_get(p, pid, rec->cpu);
	if (!task) {
		p->n_dropped++;
		return;
	}
	had_stack = task->last_stack;
	task->stack_is_new = false;
	for (; pev; pev = pev->also)
		pev->handle(p, pid, pev, rec);
	if (had_stack && !task->stack_is_new)
		task->last_stack = NULL;
}

int profile_new(struct profile **ret, struct formats *f, struct tasks *tasks,
		const struct profile_config *config, struct errmsg *err)
{
	SCOPED(profile_free_scoped) struct profile *p = calloc(1, sizeof(*p));

	if (!p)
		return errmsg_set_errno(err, -ENOMEM, "cannot profile");
	*p = (struct profile){.f = f, .names = tasks, .config = *config, .seed = hash_seed()};
	arena_init(&p->arena, PROFILE_MAX_BYTES);
	arena_init(&p->chain_arena, PROFILE_MAX_BYTES);
	p->n_ids = f->n_table;
	p->by_id = calloc(p->n_ids + 1, sizeof(*p->by_id));
	p->n_seen = calloc(p->n_ids + 1, sizeof(*p->n_seen));
	p->scratch = calloc(PROFILE_FRAMES_MAX, sizeof(*p->scratch));
	if (!p->by_id || !p->n_seen || !p->scratch || !profile_cpu(p, 0) ||
	    ptable_init(&p->tasks, p->seed, PROFILE_TASKS_MAX) < 0 ||
	    ptable_init(&p->starts, p->seed, PROFILE_STARTS_MAX) < 0 ||
	    ptable_init(&p->rows, p->seed, PROFILE_ROWS_MAX) < 0 ||
	    ptable_init(&p->stacks, p->seed, PROFILE_ROWS_MAX) < 0 ||
	    ptable_init(&p->links, p->seed, PROFILE_ROWS_MAX) < 0 ||
	    ptable_init(&p->irq_names, p->seed, PROFILE_CPUS_MAX) < 0)
		return errmsg_set_errno(err, -ENOMEM, "cannot profile");
	TRY(profile_setup(p, err));
	*ret = TAKE(p);
	return 0;
}

void profile_free(struct profile *p)
{
	if (!p)
		return;
	ptable_release(&p->tasks);
	ptable_release(&p->starts);
	ptable_release(&p->rows);
	ptable_release(&p->stacks);
	ptable_release(&p->links);
	ptable_release(&p->irq_names);
	arena_release(&p->arena);
	arena_release(&p->chain_arena);
	free(p->by_id);
	free(p->n_seen);
	free(p->scratch);
	free(p->cpus);
	free(p->sorted);
	free(p->seen);
	free(p);
}

// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * result.c - makes the final rows from the counts.
 *
 *	merge   --by-comm: the rows of tasks with the same name go to a group
 *	fold    rows of one event that differ only in a value become one row with values below it
 *	sort    rows of a task, tasks
 *	seen    the kinds of events seen, and the kinds that are missing
 *
 * Everything is completely sorted, by values if times are equal, so that the same trace always
 * gives the same text. (In trace-cmd, the order of equal rows depends on memory addresses.)
 */
#include "analyse/profile/profile_int.h"

#include "base/array.h"
#include "base/scope.h"
#include "decode/formats/event.h"
#include "symbols/processes.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HOOK_VALUES 8 /* up to this many values have their own rows */

/* --- names ------------------------------------------------------------------------------------ */

static const char *comm_of(const struct profile *p, struct ptask *t)
{
	const struct task *task;

	if (t->has_comm)
		return t->comm;
	if (t->pub.pid == PROFILE_NO_PID)
		return t->pub.is_idle ? "swapper" : "";
	task = p->names ? tasks_find(p->names, t->pub.pid) : NULL;
	return task ? task->comm : "<...>";
}

const char *profile_function(const struct profile *p, uint64_t addr, size_t *ret_len)
{
	const struct ksym *sym = kallsyms_find(formats_kallsyms(p->f), addr);

	if (!sym)
		return NULL;
	*ret_len = sym->name_len;
	return sym->name;
}

void profile_state(const struct profile *p, uint64_t value, char text[32])
{
	size_t n = 0;

	text[0] = 0;
	for (size_t i = 0; i < p->n_states; i++)
		if (value & p->states[i].bit && n < 20)
			n += snprintf(text + n, 32 - n, "%s%s", n ? "|" : "", p->states[i].text);
	if (!n)
		snprintf(text, 32, value & PROFILE_PREEMPTED ? "R+" : "R");
}

const char *profile_softirq(unsigned number)
{
	static const char *const names[] = {"HI",	"TIMER",   "NET_TX", "NET_RX",	"BLOCK",
					    "IRQ_POLL", "TASKLET", "SCHED",  "HRTIMER", "RCU"};

	return number < ARRAY_LEN(names) ? names[number] : NULL;
}

/* --- merging ---------------------------------------------------------------------------------- */

static void move_links(struct profile *p, struct prow *to, const struct prow *from)
{
	for (const struct plink *l = from->links; l; l = l->next) {
		struct plink *mine = profile_link_get(p, to, l->stack);

		if (mine)
			profile_times_merge(&mine->times, &l->times);
	}
}

/*
 * Gets the values that identify a row in a group. Rows that differ between tasks of a group only by
 * their pid are the same.
 */
static void group_values(const struct prow *row, uint64_t *ret_search, uint64_t *ret_value)
{
	*ret_search = row->pub.kind == PROFILE_WAKEUP	? 0
		      : row->pub.kind == PROFILE_SWITCH ? row->value
							: row->search;
	*ret_value = row->pub.kind == PROFILE_WAKEUP ? 0 : row->value;
}

static void merge_rows(struct profile *p, struct ptask *group, const struct ptask *t)
{
	for (const struct prow *row = t->rows; row; row = row->next) {
		struct prow *mine;
		uint64_t search, value;

		group_values(row, &search, &value);
		mine = profile_row_get(p, group, row->pev, search, value);
		if (!mine)
			continue;
		profile_times_merge(&mine->pub.times, &row->pub.times);
		move_links(p, mine, row);
	}
	group->pub.run += t->pub.run;
	group->pub.n_tasks++;
	group->pub.is_idle |= t->pub.is_idle;
}

static int by_comm_then_pid(const void *a, const void *b)
{
	const struct ptask *x = *(struct ptask *const *)a, *y = *(struct ptask *const *)b;
	int c = strcmp(x->pub.comm, y->pub.comm);

	return c ? c : (x->pub.pid > y->pub.pid) - (x->pub.pid < y->pub.pid);
}

static bool is_own(const struct profile *p, const struct ptask *t)
{
	return t->pub.pid != PROFILE_NO_PID && t->pub.pid > 0 && !p->config.with_own &&
	       !p->config.as_trace_cmd && processes_is_self(p->f->processes, t->pub.pid);
}

/* Returns false for tasks whose name is in no event: trace-cmd does not group them. */
static bool can_group(const struct profile *p, const struct ptask *t)
{
	return !is_own(p, t) && t->pub.pid != PROFILE_NO_PID &&
	       (t->has_comm || !p->config.as_trace_cmd);
}

static int merge_groups(struct profile *p)
{
	struct ptask **list, *group = NULL;
	size_t n = 0;

	for (struct ptask *t = p->all_tasks; t; t = t->next)
		n += can_group(p, t);
	list = calloc(n + 1, sizeof(*list));
	if (!list)
		return -ENOMEM;
	n = 0;
	for (struct ptask *t = p->all_tasks; t; t = t->next)
		if (can_group(p, t))
			list[n++] = t;
	qsort(list, n, sizeof(*list), by_comm_then_pid);
	for (size_t i = 0; i < n; i++) {
		if (!group || strcmp(group->pub.comm, list[i]->pub.comm)) {
			group = profile_task_new(p);
			if (!group)
				break;
			group->pub.comm = list[i]->pub.comm;
			group->pub.is_group = true;
		}
		merge_rows(p, group, list[i]);
		list[i]->group = group;
	}
	free(list);
	return group || !n ? 0 : -ENOMEM;
}

/* --- rows ------------------------------------------------------------------------------------- */

static int compare(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static const struct prow *row_at(const void *a)
{
	return *(struct prow *const *)a;
}

/* Sorts in trace-cmd's order: switches by state, wakeups, then by event, the most time first. */
static int by_trace_cmd(const void *a, const void *b)
{
	const struct prow *x = row_at(a), *y = row_at(b);
	bool xs = x->pub.kind == PROFILE_SWITCH, ys = y->pub.kind == PROFILE_SWITCH;
	bool xw = x->pub.kind == PROFILE_WAKEUP, yw = y->pub.kind == PROFILE_WAKEUP;
	int c;

	if (xs || ys)
		return xs != ys ? ys - xs : compare(x->value, y->value);
	if (xw || yw)
		return xw != yw ? yw - xw : compare(x->value, y->value);
	c = compare(x->pub.event->id, y->pub.event->id);
	if (!c)
		c = compare(y->pub.times.total, x->pub.times.total);
	return c ? c : compare(x->value, y->value);
}

/* Returns true for kinds whose rows differ only in the value of a field. */
static bool can_fold(const struct prow *row)
{
	return row->pub.kind == PROFILE_OTHER || row->pub.kind == PROFILE_HOOK;
}

/*
 * Sorts by kind, in the order of the enum, with other events separately; then by time and by
 * count, the largest first.
 */
static int by_interest(const void *a, const void *b)
{
	const struct prow *x = row_at(a), *y = row_at(b);
	int c = compare(x->pub.kind, y->pub.kind);

	if (!c && can_fold(x)) {
		c = compare(x->pub.event->id, y->pub.event->id);
		if (!c && x->pub.end_event)
			c = compare(x->pub.end_event->id, y->pub.end_event->id);
	}
	if (!c)
		c = compare(y->pub.times.total, x->pub.times.total);
	if (!c)
		c = compare(y->pub.times.n, x->pub.times.n);
	if (!c && x->pub.event != y->pub.event)
		c = compare(x->pub.event->id, y->pub.event->id);
	return c ? c : compare(x->value, y->value);
}

/*
 * Combines rows [from, to) of one event into one row with values. If out of memory, returns NULL,
 * and the rows stay.
 */
static struct prow *fold(struct profile *p, struct prow **rows, size_t from, size_t to)
{
	struct prow *all = arena_alloc(&p->arena, sizeof(*all));
	struct profile_row **values = arena_alloc_array(&p->arena, to - from, sizeof(*values));

	if (!all || !values)
		return NULL;
	*all = (struct prow){.task = rows[from]->task,
			     .pev = rows[from]->pev,
			     .pub = {.kind = rows[from]->pub.kind,
				     .event = rows[from]->pub.event,
				     .end_event = rows[from]->pub.end_event,
				     .field = rows[from]->pub.field,
				     .values = values,
				     .n_values = to - from}};
	for (size_t i = from; i < to; i++) {
		values[i - from] = &rows[i]->pub;
		profile_times_merge(&all->pub.times, &rows[i]->pub.times);
		move_links(p, all, rows[i]);
	}
	return all;
}

static size_t fold_rows(struct profile *p, struct prow **rows, size_t n)
{
	size_t out = 0, to;

	for (size_t i = 0; i < n; i = to) {
		struct prow *all = NULL;

		to = i + 1;
		while (can_fold(rows[i]) && to < n && rows[to]->pev == rows[i]->pev)
			to++;
		if (rows[i]->pub.kind == PROFILE_OTHER || to - i > HOOK_VALUES)
			all = fold(p, rows, i, to);
		if (all)
			rows[out++] = all;
		else
			for (size_t k = i; k < to; k++)
				rows[out++] = rows[k];
	}
	return out;
}

static int finish_task(struct profile *p, struct ptask *t)
{
	struct profile_row **pub;
	struct prow **rows;
	size_t n = 0;

	for (const struct prow *r = t->rows; r; r = r->next)
		n++;
	rows = calloc(n + 1, sizeof(*rows));
	if (!rows)
		return -ENOMEM;
	n = 0;
	for (struct prow *r = t->rows; r; r = r->next) {
		if (r->pub.kind == PROFILE_IRQ)
			r->pub.name = profile_irq_name(p, r->value);
		rows[n++] = r;
	}
	qsort(rows, n, sizeof(*rows), p->config.as_trace_cmd ? by_trace_cmd : by_interest);
	if (!p->config.as_trace_cmd)
		n = fold_rows(p, rows, n);
	pub = arena_alloc_array(&p->arena, n ? n : 1, sizeof(*pub));
	for (size_t i = 0; pub && i < n; i++) {
		pub[i] = &rows[i]->pub;
		t->pub.sum += rows[i]->pub.times.total;
	}
	free(rows);
	t->pub.rows = pub;
	t->pub.n_rows = pub ? n : 0;
	return pub ? 0 : -ENOMEM;
}

/* --- tasks ------------------------------------------------------------------------------------ */

static int rank(const struct profile_task *t)
{
	return t->is_global ? 0 : t->is_cpu ? 1 : t->is_group ? 2 : 3;
}

static int tasks_by_trace_cmd(const void *a, const void *b)
{
	const struct profile_task *x = *(const struct profile_task *const *)a;
	const struct profile_task *y = *(const struct profile_task *const *)b;

	if (rank(x) != rank(y))
		return rank(x) - rank(y);
	if (x->is_cpu)
		return compare(x->cpu, y->cpu);
	if (x->is_group)
		return strcmp(x->comm, y->comm);
	return (x->pid > y->pid) - (x->pid < y->pid);
}

static int tasks_by_interest(const void *a, const void *b)
{
	const struct profile_task *x = *(const struct profile_task *const *)a;
	const struct profile_task *y = *(const struct profile_task *const *)b;
	int c = (rank(x) > 1 ? 2 : rank(x)) - (rank(y) > 1 ? 2 : rank(y));

	if (!c && x->is_cpu)
		return compare(x->cpu, y->cpu);
	if (!c)
		c = x->is_idle - y->is_idle;
	if (!c)
		c = compare(y->run, x->run);
	if (!c)
		c = compare(y->sum, x->sum);
	if (!c)
		c = (x->pid > y->pid) - (x->pid < y->pid);
	if (!c)
		c = compare(x->cpu, y->cpu);
	return c ? c : strcmp(x->comm, y->comm);
}

/* Returns true if the task is shown. CPUs and the machine are shown only if they have rows. */
static bool is_shown(const struct profile *p, const struct ptask *t)
{
	return !t->group && !is_own(p, t) && (t->rows || !(t->pub.is_cpu || t->pub.is_global));
}

static int finish_tasks(struct profile *p)
{
	size_t n = 0;
	int r = 0;

	for (const struct ptask *t = p->all_tasks; t; t = t->next)
		n += is_shown(p, t);
	p->sorted = calloc(n + 1, sizeof(*p->sorted));
	if (!p->sorted)
		return -ENOMEM;
	for (struct ptask *t = p->all_tasks; t && r >= 0; t = t->next)
		if (is_shown(p, t)) {
			r = finish_task(p, t);
			p->sorted[p->n_sorted++] = &t->pub;
		}
	qsort(p->sorted, p->n_sorted, sizeof(*p->sorted),
	      p->config.as_trace_cmd ? tasks_by_trace_cmd : tasks_by_interest);
	return r;
}

static int seen_by_count(const void *a, const void *b)
{
	const struct profile_seen *x = a, *y = b;

	return x->n != y->n ? compare(y->n, x->n) : compare(x->event->id, y->event->id);
}

static int finish_seen(struct profile *p)
{
	for (size_t i = 0; i < p->n_ids; i++)
		p->n_kinds += p->n_seen[i] && p->by_id[i];
	p->seen = calloc(p->n_kinds + 1, sizeof(*p->seen));
	if (!p->seen)
		return -ENOMEM;
	p->n_kinds = 0;
	for (size_t i = 0; i < p->n_ids; i++)
		if (p->n_seen[i] && p->by_id[i])
			p->seen[p->n_kinds++] =
				(struct profile_seen){p->by_id[i]->event, p->n_seen[i]};
	qsort(p->seen, p->n_kinds, sizeof(*p->seen), seen_by_count);
	return 0;
}

int profile_finish(struct profile *p)
{
	for (struct ptask *t = p->all_tasks; t; t = t->next)
		t->pub.comm = comm_of(p, t);
	if (p->config.by_comm)
		TRY(merge_groups(p));
	TRY(finish_tasks(p));
	return finish_seen(p);
}

const struct profile_task *const *profile_tasks(const struct profile *p, size_t *ret_n)
{
	*ret_n = p->n_sorted;
	return p->sorted;
}

const struct profile_seen *profile_seen(const struct profile *p, size_t *ret_n)
{
	*ret_n = p->n_kinds;
	return p->seen;
}

bool profile_range(const struct profile *p, uint64_t *ret_first, uint64_t *ret_last)
{
	*ret_first = p->first_ts;
	*ret_last = p->last_ts;
	return p->any;
}

uint64_t profile_n_dropped(const struct profile *p)
{
	return p->n_dropped;
}

uint64_t profile_n_gaps(const struct profile *p)
{
	return p->n_gaps;
}

/* --- what is missing -------------------------------------------------------------------------- */

bool profile_next_missing(const struct profile *p, size_t *i, struct profile_missing *ret)
{
	static const struct {
		struct profile_missing what;
		const char *system, *name; /* NULL: any name */
	} rows[] = {
		{{"times on and off the CPU", "sched_switch", "-e sched_switch"},
		 "sched",
		 "sched_switch"},
		{{"wakeup latencies", "sched_wakeup", "-e sched_wakeup"}, "sched", "sched_wakeup"},
		{{"system calls", "raw_syscalls", "-e raw_syscalls"}, "raw_syscalls", NULL},
		{{"interrupts", "irq_handler", "-e irq"}, "irq", "irq_handler_entry"},
		{{"soft interrupts", "softirq", "-e irq"}, "irq", "softirq_entry"},
		{{"page faults", "page_fault", "-e exceptions"}, "exceptions", NULL},
		{{"times of functions", "function graph", "-p function_graph"},
		 "ftrace",
		 "funcgraph_entry"},
		{{"stacks", "kernel_stack", "-T"}, "ftrace", "kernel_stack"},
	};

	for (; *i < ARRAY_LEN(rows); (*i)++) {
		bool found = false;

		for (size_t k = 0; k < p->n_kinds && !found; k++) {
			const struct event *ev = p->seen[k].event;

			found = !strcmp(ev->system, rows[*i].system) &&
				(!rows[*i].name || !strcmp(ev->name, rows[*i].name));
			/* the events of single system calls are sufficient, too */
			found |= !strcmp(ev->system, "syscalls") &&
				 !strcmp(rows[*i].system, "raw_syscalls");
		}
		if (!found) {
			*ret = rows[(*i)++].what;
			return true;
		}
	}
	return false;
}

// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * observer.c - finds what an event begins or ends, and adds its duration to a measure.
 *
 *  calls            callflow ──▶ self time of a call: a slow function does not slow its callers
 *  pairs            a table: event, event, what both share (task, CPU, or two fields), the name
 *  sched_switch …   run time of tasks, waits for a CPU after a waking, uninterruptible sleeps
 *  syscall:syscall  one event for each call
 *  perf:sample      functions by samples
 *
 * Where events were lost, all open pairs are dropped, because their durations are unknown.
 */
#include "analyse/compare/observer.h"

#include "analyse/calls/callflow.h"
#include "base/array.h"
#include "base/errmsg.h"
#include "base/scope.h"
#include "decode/formats/formats.h"
#include "decode/samples/sampleevent.h"
#include "decode/samples/sampleinfo.h"
#include "symbols/kallsyms.h"
#include "symbols/tables/syscalls.h"
#include "symbols/tasks.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OPEN_MAX  (1u << 18)
#define COMM_LEN  16
#define NAME_LEN  128
#define BLOCKED_D 2 /* bit of prev_state: uninterruptible */

enum match { BY_TASK, BY_CPU, BY_FIELDS };

struct pair_row {
	enum measure_kind kind;
	const char *system, *from, *to;
	enum match match;
	const char *fields[2]; /* for BY_FIELDS; then what names it */
	const char *name;      /* field of `from` that names it */
};

static const struct pair_row pair_rows[] = {
	{MEASURE_SYSCALL, "raw_syscalls", "sys_enter", "sys_exit", BY_TASK, .name = "id"},
	{MEASURE_LOCK, "lock", "contention_begin", "contention_end", BY_TASK, .name = "flags"},
	{MEASURE_DISK,
	 "block",
	 "block_rq_issue",
	 "block_rq_complete",
	 BY_FIELDS,
	 {"dev", "sector"},
	 "dev"},
	{MEASURE_IRQ, "irq", "irq_handler_entry", "irq_handler_exit", BY_CPU, .name = "irq"},
	{MEASURE_SOFTIRQ, "irq", "softirq_entry", "softirq_exit", BY_CPU, .name = "vec"},
};
#define N_PAIRS ARRAY_LEN(pair_rows)

struct pair_end {
	const struct event *event;
	const struct field *fields[2], *name;
};

struct pair {
	struct pair_end from, to;
	struct map open; /* of struct started, by task, CPU or fields */
};

struct started {
	uint64_t ts;
	struct measure *measure;
	struct started *next; /* unused ones */
};

/* What is known of a task; 0: not. */
struct task_times {
	uint64_t runs_since, woken, blocked_since;
	int pid;
	char comm[COMM_LEN + 1];
	struct measure *run, *wakeup, *blocked;
};

struct observer {
	struct formats *f;
	struct observer_config config;
	struct measures measures;
	struct callflow *flow; /* NULL: no calls */
	struct callflow_config flow_config;
	struct flow_sink sink;
	uint8_t *wanted;
	size_t n_wanted, n_kinds;
	struct pair pairs[N_PAIRS];
	struct arena arena;
	struct started *unused;
	struct map tasks; /* struct task_times by pid */
	struct {
		const struct event *event;
		const struct field *prev_pid, *prev_comm, *prev_state, *next_pid, *next_comm;
	} sched_switch;
	struct {
		const struct event *event;
		const struct field *pid;
	} waking[3];
	struct {
		const struct event *event;
		const struct field *nr, *duration;
	} call;
	struct {
		const struct event *event;
		const struct field *ip, *period, *number;
	} sample;
	uint64_t n_gaps;
};

/* Adds a duration, if it lies in the range and belongs to a chosen task; pid -1: none. */
static void add_to(struct observer *o, struct measure *of, int pid, uint64_t ts, uint64_t duration)
{
	const struct observer_config *c = &o->config;

	if (!of || ts < c->from || ts > c->to)
		return;
	if (c->n_tids && !ARRAY_ANY(c->n_tids, i, c->tids[i] == pid))
		return;
	measures_add(&o->measures, of, ts, duration);
}

static int pid_of(const struct record *rec)
{
	return rec->task ? rec->task->pid : -1;
}

/*
 * --- calls of functions ------------------------------------------------------------------------
 */

static void leave(void *ctx, struct flow_task *t, struct flow_frame *f, const struct flow_end *end,
		  const struct record *rec)
{
	struct observer *o = ctx;
	struct flow_func *fn = f->func;

	if (!end->is_counted || !end->is_known)
		return;
	if (!fn->aside)
		fn->aside = measures_take(
			&o->measures, fn->is_user ? MEASURE_USER_FUNCTION : MEASURE_KERNEL_FUNCTION,
			fn->name, fn->name_len, fn->module);
	add_to(o, fn->aside, (int)t->who, end->ts, end->self);
}

/*
 * --- pairs -------------------------------------------------------------------------------------
 */

static uint64_t key_of(struct observer *o, const struct pair_row *row, const struct pair_end *end,
		       const struct record *rec)
{
	uint64_t a = 0, b = 0;

	if (row->match == BY_TASK)
		return (uint64_t)pid_of(rec) + 1;
	if (row->match == BY_CPU)
		return rec->cpu + 1;
	formats_read(o->f, rec, end->fields[0], &a);
	formats_read(o->f, rec, end->fields[1], &b);
	return (b << 20 ^ a) + 1;
}

/* Kinds of locks, from the flags of lock:contention_begin. */
static void fmt_lock(uint64_t flags, char name[NAME_LEN])
{
	static const char *const words[] = {"spin", "read", "write", "rt", "percpu", "mutex"};
	size_t n = 0;

	name[0] = 0;
	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		if (flags >> i & 1)
			n += (size_t)snprintf(name + n, NAME_LEN - n, "%s%s", n ? " " : "",
					      words[i]);
	if (!n)
		snprintf(name, NAME_LEN, "lock");
}

static void fmt_name(struct observer *o, enum measure_kind kind, uint64_t v, char name[NAME_LEN])
{
	static const char *const softirqs[] = {"HI",	   "TIMER",   "NET_TX", "NET_RX",  "BLOCK",
					       "IRQ_POLL", "TASKLET", "SCHED",	"HRTIMER", "RCU"};
	const char *word = NULL;

	if (kind == MEASURE_LOCK)
		return fmt_lock(v, name);
	if (kind == MEASURE_SYSCALL)
		word = syscall_name(formats_syscalls(o->f), v);
	if (kind == MEASURE_SOFTIRQ && v < ARRAY_LEN(softirqs))
		word = softirqs[v];
	if (word)
		snprintf(name, NAME_LEN, "%s", word);
	else if (kind == MEASURE_DISK)
		snprintf(name, NAME_LEN, "%llu,%llu", (unsigned long long)v >> 20,
			 (unsigned long long)v & 0xfffff);
	else
		snprintf(name, NAME_LEN, "%llu", (unsigned long long)v);
}

static struct measure *named(struct observer *o, enum measure_kind kind, uint64_t v)
{
	char name[NAME_LEN];

	fmt_name(o, kind, v, name);
	return measures_take(&o->measures, kind, name, strlen(name), NULL);
}

static void begin(struct observer *o, size_t i, const struct record *rec)
{
	struct pair *p = &o->pairs[i];
	void **slot = map_take(&p->open, key_of(o, &pair_rows[i], &p->from, rec), OPEN_MAX);
	uint64_t name = 0;
	struct started *s;

	if (!slot)
		return;
	s = *slot ? *slot : o->unused;
	if (s && s == o->unused)
		o->unused = s->next;
	if (!s)
		s = arena_alloc(&o->arena, sizeof(*s));
	if (!s)
		return;
	formats_read(o->f, rec, p->from.name, &name);
	*s = (struct started){.ts = rec->ts, .measure = named(o, pair_rows[i].kind, name)};
	*slot = s;
}

static void end(struct observer *o, size_t i, const struct record *rec)
{
	struct pair *p = &o->pairs[i];
	struct started *s = map_remove(&p->open, key_of(o, &pair_rows[i], &p->to, rec));

	if (!s)
		return;
	if (rec->ts >= s->ts)
		add_to(o, s->measure, pid_of(rec), rec->ts, rec->ts - s->ts);
	s->next = o->unused;
	o->unused = s;
}

/*
 * --- tasks -------------------------------------------------------------------------------------
 */

static struct task_times *task_of(struct observer *o, int pid)
{
	void **slot = pid ? map_take(&o->tasks, (uint64_t)pid, OPEN_MAX) : NULL;

	struct task_times *t = slot ? *slot : NULL;

	if (slot && !t) {
		t = *slot = arena_alloc(&o->arena, sizeof(*t));
		if (t)
			t->pid = pid;
	}
	return t;
}

static void set_comm(struct task_times *t, const struct record *rec, const struct field *comm)
{
	char name[COMM_LEN + 1] = {0};

	if (!comm || comm->size > COMM_LEN || comm->offset + comm->size > rec->size)
		return;
	memcpy(name, rec->data + comm->offset, comm->size);
	if (!strcmp(name, t->comm))
		return;
	memcpy(t->comm, name, sizeof(name));
	t->run = t->wakeup = t->blocked = NULL;
}

static void add_time(struct observer *o, struct task_times *t, struct measure **of,
		     enum measure_kind kind, uint64_t from, uint64_t to)
{
	if (!from || to < from || !t->comm[0])
		return;
	if (!*of)
		*of = measures_take(&o->measures, kind, t->comm, strlen(t->comm), NULL);
	o->measures.kinds |= 1u << MEASURE_BLOCKED; /* its events are those of the other kinds */
	add_to(o, *of, t->pid, to, to - from);
}

static void add_switch(struct observer *o, const struct record *rec)
{
	uint64_t prev = 0, next = 0, state = 0;
	struct task_times *t;

	formats_read(o->f, rec, o->sched_switch.prev_pid, &prev);
	formats_read(o->f, rec, o->sched_switch.next_pid, &next);
	formats_read(o->f, rec, o->sched_switch.prev_state, &state);
	t = task_of(o, (int)prev);
	if (t) {
		set_comm(t, rec, o->sched_switch.prev_comm);
		add_time(o, t, &t->run, MEASURE_RUN_TIME, t->runs_since, rec->ts);
		t->runs_since = t->woken = 0;
		t->blocked_since = state & BLOCKED_D ? rec->ts : 0;
	}
	t = task_of(o, (int)next);
	if (!t)
		return;
	set_comm(t, rec, o->sched_switch.next_comm);
	add_time(o, t, &t->wakeup, MEASURE_WAKEUP, t->woken, rec->ts);
	t->woken = t->blocked_since = 0;
	t->runs_since = rec->ts;
}

/* The first waking counts; later events tell the same waking again. */
static void add_waking(struct observer *o, const struct field *pid, const struct record *rec)
{
	struct task_times *t;
	uint64_t v = 0;

	t = formats_read(o->f, rec, pid, &v) ? task_of(o, (int)v) : NULL;
	if (!t || t->runs_since || t->woken)
		return;
	t->woken = rec->ts;
	add_time(o, t, &t->blocked, MEASURE_BLOCKED, t->blocked_since, rec->ts);
	t->blocked_since = 0;
}

/*
 * --- single events -----------------------------------------------------------------------------
 */

static void add_call(struct observer *o, const struct record *rec)
{
	uint64_t nr = 0, duration = 0;

	formats_read(o->f, rec, o->call.nr, &nr);
	formats_read(o->f, rec, o->call.duration, &duration);
	add_to(o, named(o, MEASURE_SYSCALL, nr), pid_of(rec), rec->ts, duration);
}

/* A function by name. Events after the first have other units: the function has their name, too. */
static size_t fmt_sampled(struct observer *o, const struct ksym *sym, uint64_t number,
			  char name[NAME_LEN])
{
	const char *event = number && o->config.samples
				    ? sampleinfo_event_name(o->config.samples, (uint32_t)number)
				    : NULL;
	int n = snprintf(name, NAME_LEN, "%.*s%s%s%s", sym ? (int)sym->name_len : 9,
			 sym ? sym->name : "(unknown)", event ? " [" : "", event ? event : "",
			 event ? "]" : "");

	return n < NAME_LEN ? (size_t)n : NAME_LEN - 1;
}

static void add_sample(struct observer *o, const struct record *rec)
{
	const struct ksym *sym;
	uint64_t ip = 0, period = 0, number = 0;
	char module[NAME_LEN] = "", name[NAME_LEN];
	struct measure *of;
	size_t len;

	formats_read(o->f, rec, o->sample.number, &number);
	formats_read(o->f, rec, o->sample.ip, &ip);
	formats_read(o->f, rec, o->sample.period, &period);
	sym = kallsyms_find(formats_kallsyms(o->f), ip);
	if (sym && place_file(sym->addr) != place_file(ip))
		sym = NULL;
	if (sym && sym->module)
		snprintf(module, sizeof(module), "%.*s", sym->module_len, sym->module);
	len = fmt_sampled(o, sym, number, name);
	of = measures_take(&o->measures, MEASURE_SAMPLES, name, len, module[0] ? module : NULL);
	add_to(o, of, pid_of(rec), rec->ts, period);
}

static void forget(struct observer *o)
{
	o->n_gaps++;
	for (size_t i = 0; i < N_PAIRS; i++)
		map_clear(&o->pairs[i].open);
	for (size_t i = 0; i < o->tasks.n_slots; i++) {
		struct task_times *t = o->tasks.slots[i].value;

		if (t)
			t->runs_since = t->woken = t->blocked_since = 0;
	}
}

void observer_add(struct observer *o, const struct record *rec)
{
	const struct event *ev = rec->event;

	if (rec->flags & RECORD_MISSED)
		forget(o);
	if (!ev)
		return;
	if (o->flow && callflow_kinds(o->flow)->by_id[ev->id])
		return callflow_add(o->flow, rec);
	if (ev == o->sched_switch.event)
		return add_switch(o, rec);
	if (ev == o->call.event)
		return add_call(o, rec);
	if (ev == o->sample.event)
		return add_sample(o, rec);
	for (size_t i = 0; i < ARRAY_LEN(o->waking); i++)
		if (ev == o->waking[i].event)
			return add_waking(o, o->waking[i].pid, rec);
	for (size_t i = 0; i < N_PAIRS; i++)
		if (ev == o->pairs[i].from.event)
			return begin(o, i, rec);
		else if (ev == o->pairs[i].to.event)
			return end(o, i, rec);
}

void observer_run(void *observer, struct walker *w, struct record *rec, uint64_t offset,
		  uint64_t before)
{
	struct observer *o = observer;

	if (o->flow && rec->event && callflow_kinds(o->flow)->by_id[rec->event->id])
		callflow_run(o->flow, w, rec, offset, before);
}

void observer_finish(struct observer *o)
{
	if (o->flow)
		callflow_finish(o->flow);
}

/*
 * --- life --------------------------------------------------------------------------------------
 */

static const struct event *want(struct observer *o, const char *system, const char *name)
{
	const struct event *ev = formats_find_name(o->f, system, name);

	ev = ev ? formats_find(o->f, ev->id) : NULL;
	if (!ev || (size_t)ev->id >= o->n_wanted)
		return NULL;
	o->n_kinds += !o->wanted[ev->id];
	o->wanted[ev->id] = 1;
	return ev;
}

static void bind_end(struct pair_end *e, const struct pair_row *row, const struct event *ev)
{
	e->event = ev;
	for (size_t i = 0; i < 2; i++)
		e->fields[i] = row->fields[i] ? event_find_field(ev, row->fields[i]) : NULL;
	e->name = event_find_field(ev, row->name);
}

static void bind_pairs(struct observer *o)
{
	for (size_t i = 0; i < N_PAIRS; i++) {
		const struct pair_row *row = &pair_rows[i];
		const struct event *from = want(o, row->system, row->from),
				   *to = want(o, row->system, row->to);

		if (!from || !to)
			continue;
		/* they are rare: a recording without one may still have looked for them */
		if (row->kind == MEASURE_LOCK || row->kind == MEASURE_DISK)
			o->measures.kinds |= 1u << row->kind;
		bind_end(&o->pairs[i].from, row, from);
		bind_end(&o->pairs[i].to, row, to);
	}
}

static void bind_tasks(struct observer *o)
{
	static const char *const wakings[] = {"sched_waking", "sched_wakeup", "sched_wakeup_new"};
	const struct event *ev = want(o, "sched", "sched_switch");

	if (!ev)
		return;
	o->sched_switch.event = ev;
	o->sched_switch.prev_pid = event_find_field(ev, "prev_pid");
	o->sched_switch.prev_comm = event_find_field(ev, "prev_comm");
	o->sched_switch.prev_state = event_find_field(ev, "prev_state");
	o->sched_switch.next_pid = event_find_field(ev, "next_pid");
	o->sched_switch.next_comm = event_find_field(ev, "next_comm");
	for (size_t i = 0; i < ARRAY_LEN(wakings); i++) {
		ev = want(o, "sched", wakings[i]);
		o->waking[i].event = ev;
		o->waking[i].pid = ev ? event_find_field(ev, "pid") : NULL;
	}
}

static void bind_singles(struct observer *o)
{
	const struct event *ev = want(o, "syscall", "syscall");

	if (ev) {
		o->call.event = ev;
		o->call.nr = event_find_field(ev, "nr");
		o->call.duration = event_find_field(ev, "duration");
	}
	ev = want(o, "perf", "sample");
	if (ev) {
		o->sample.event = ev;
		o->sample.ip = event_find_field(ev, "ip");
		o->sample.period = event_find_field(ev, "period");
		o->sample.number = event_find_field(ev, "event");
	}
}

static int bind_calls(struct observer *o)
{
	const struct call_kinds *kinds;

	o->sink = (struct flow_sink){.ctx = o, .leave = leave};
	TRY(callflow_new(&o->flow, o->f, &o->flow_config, &o->sink));
	kinds = callflow_kinds(o->flow);
	for (size_t k = 1; k < kinds->n; k++)
		if ((size_t)kinds->rows[k].event->id < o->n_wanted) {
			o->n_kinds += !o->wanted[kinds->rows[k].event->id];
			o->wanted[kinds->rows[k].event->id] = 1;
		}
	return 0;
}

int observer_new(struct observer **ret, struct formats *f, const struct observer_config *config,
		 struct errmsg *err)
{
	struct observer *o = calloc(1, sizeof(*o));

	if (!o)
		return errmsg_set_errno(err, -ENOMEM, "cannot compare the traces");
	o->f = f;
	o->config = *config;
	o->flow_config = (struct callflow_config){
		.filter = config->filter,
		.from = config->is_cut ? config->from : 0,
		.to = config->is_cut ? config->to : 0,
	};
	arena_init(&o->arena, 64u << 20);
	measures_init(&o->measures, config->from, config->to);
	o->n_wanted = f->n_table;
	o->wanted = calloc(f->n_table + 1, 1);
	if (!o->wanted || bind_calls(o) < 0) {
		observer_free(o);
		return errmsg_set_errno(err, -ENOMEM, "cannot compare the traces");
	}
	bind_pairs(o);
	bind_tasks(o);
	bind_singles(o);
	*ret = o;
	return 0;
}

void observer_free(struct observer *o)
{
	if (!o)
		return;
	callflow_free(o->flow);
	for (size_t i = 0; i < N_PAIRS; i++)
		map_release(&o->pairs[i].open);
	map_release(&o->tasks);
	arena_release(&o->arena);
	measures_release(&o->measures);
	free(o->wanted);
	free(o);
}

int observer_events(const struct observer *o, const uint8_t **ret, size_t *ret_n,
		    struct errmsg *err)
{
	if (!o->n_kinds)
		return errmsg_set(err, -ENOENT,
				  "the trace has nothing that can be compared; record functions "
				  "(-u, -p function_graph), system calls (-e raw_syscalls), the "
				  "scheduler (-e sched) or samples (--sample)");
	*ret = o->wanted;
	*ret_n = o->n_wanted;
	return 0;
}

struct measures *observer_measures(struct observer *o)
{
	return &o->measures;
}

uint64_t observer_n_gaps(const struct observer *o)
{
	return o->n_gaps;
}

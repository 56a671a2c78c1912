// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * samplecollect.c - finds the stack of each sample or event.
 *
 * A perf:sample has its stack in itself. The kernel writes the stack of another event right behind
 * it, in the same CPU's buffer and of the same task: first its own part, then the program's, each
 * of them optional. So an event waits for its stack until its CPU has another event:
 *
 *	CPU 1   sched_switch prev=bash next=…   kernel_stack (bash)   user_stack (bash)   irq_entry
 *	        └ waits ──────────────────────── takes it ──────────── takes it ────────── complete
 *
 * The time off the CPU is known only when the task runs again. Until then its stack lies with the
 * task (struct sleeper). Waits that last until the end of the trace do not count, because their
 * length is unknown.
 *
 * Every event is visited, because an event without a stack must not get that of a later one.
 */
#include "analyse/samples/samplecollect.h"

#include "analyse/samples/sampleset.h"
#include "base/arena.h"
#include "base/array.h"
#include "base/errmsg.h"
#include "base/map.h"
#include "decode/formats/event.h"
#include "decode/formats/formats.h"
#include "decode/record.h"
#include "decode/samples/sampleevent.h"
#include "decode/samples/sampleinfo.h"
#include "format/bytes.h"
#include "symbols/kallsyms.h"
#include "symbols/tasks.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#define FRAMES_MAX   256
#define CPUS_MAX     65536u
#define SLEEPERS_MAX (1u << 17) /* 2 KB each */
#define EVENTS_MAX   65536u
#define TRACING_MAX  4 /* frames that may belong to the tracer */

/* An event of a CPU that waits for its stack. */
struct waiting {
	bool is_on, has_kernel;
	uint64_t ts, weight;
	const struct task *task;
	uint32_t event, cpu;
	int woken; /* of SAMPLES_WAKEUPS: the task that waited */
	size_t n;
	uint64_t places[FRAMES_MAX];
};

/* A task that is off its CPU. */
struct sleeper {
	uint64_t since, woken_at;
	bool is_off, is_woken;
	const struct task *task;
	size_t n;
	uint64_t places[FRAMES_MAX];
};

struct samplecollect {
	const struct samplecollect_config *config;
	struct formats *f;
	struct sampleset *set;
	struct sample_kind kind;
	const struct event *kernel, *user, *switches, *waking;
	const struct field *kernel_caller, *user_caller;
	const struct field *prev_pid, *next_pid, *woken_pid, *woken_comm;
	uint8_t *wanted;    /* for the walk */
	uint8_t *chosen;    /* events whose stacks count */
	uint32_t *event_of; /* by number of a sampled event: 1 if it counts */
	size_t n_event_of;
	struct waiting **waiting; /* by CPU */
	size_t n_waiting;
	struct map sleepers; /* struct sleeper by pid */
	uint64_t n_bad;
};

struct samples_there samplecollect_look(struct formats *f)
{
	struct sample_kind kind;
	struct samples_there there = {.taken = sample_kind_init(&kind, f)};

	there.stacks = formats_find_name(f, "ftrace", "kernel_stack");
	there.switches = there.stacks && formats_find_name(f, "sched", "sched_switch");
	there.wakeups = there.stacks && (formats_find_name(f, "sched", "sched_waking") ||
					 formats_find_name(f, "sched", "sched_wakeup"));
	return there;
}

/*
 * --- choice ------------------------------------------------------------------------------------
 */

static bool is_chosen_task(const struct samplecollect *sc, const struct task *task)
{
	const struct samplecollect_config *c = sc->config;

	if (c->n_tids && !ARRAY_ANY(c->n_tids, i, task && task->pid == c->tids[i]))
		return false;
	return !c->comm || (task && !fnmatch(c->comm, task->comm, 0));
}

static bool is_chosen_cpu(const struct samplecollect *sc, uint32_t cpu)
{
	const struct samplecollect_config *c = sc->config;

	return !c->n_cpus || ARRAY_ANY(c->n_cpus, i, c->cpus[i] == cpu);
}

static bool is_in_range(const struct samplecollect *sc, uint64_t ts)
{
	return !sc->config->to || (ts >= sc->config->from && ts <= sc->config->to);
}

static void add_sample(struct samplecollect *sc, const struct waiting *w)
{
	struct sampleset_row row = {.ts = w->ts,
				    .weight = w->weight,
				    .task = w->task,
				    .tgid = w->task ? w->task->tgid : -1,
				    .event = w->event,
				    .cpu = w->cpu};

	if (w->n && is_in_range(sc, w->ts) && is_chosen_task(sc, w->task) &&
	    is_chosen_cpu(sc, w->cpu))
		sampleset_add(sc->set, row, w->places, w->n);
}

/*
 * --- perf:sample -------------------------------------------------------------------------------
 */

static void add_taken(struct samplecollect *sc, const struct record *rec)
{
	uint64_t places[SAMPLESET_STACK_MAX];
	struct sampleset_row row = {.ts = rec->ts, .task = rec->task, .cpu = rec->cpu};
	struct sample_event s;
	uint32_t n;

	if (!sample_kind_read(&sc->kind, rec->data, rec->size, &s)) {
		sc->n_bad++;
		return;
	}
	if (sc->event_of && !(s.event < sc->n_event_of && sc->event_of[s.event]))
		return;
	if (!is_in_range(sc, rec->ts) || !is_chosen_task(sc, rec->task) ||
	    !is_chosen_cpu(sc, rec->cpu))
		return;
	n = s.n < SAMPLESET_STACK_MAX ? s.n : SAMPLESET_STACK_MAX;
	if (!s.swap && n)
		memcpy(places, s.stack, (size_t)n * 8);
	for (uint32_t i = 0; s.swap && i < n; i++)
		places[i] = sample_place(&s, i);
	if (!n)
		places[n++] = s.ip;
	row.weight = s.period ? s.period : 1; /* the recorder did not know it */
	row.event = s.event;
	row.tgid = s.tgid;
	sampleset_add(sc->set, row, places, n);
}

/*
 * --- stacks behind events ----------------------------------------------------------------------
 */

static struct waiting *waiting_of(struct samplecollect *sc, uint32_t cpu)
{
	if (cpu >= CPUS_MAX || !ARRAY_ROOM(sc->waiting, sc->n_waiting, (size_t)cpu + 1, CPUS_MAX))
		return NULL;
	if (!sc->waiting[cpu])
		sc->waiting[cpu] = calloc(1, sizeof(**sc->waiting));
	return sc->waiting[cpu];
}

static struct sleeper *sleeper_of(struct samplecollect *sc, uint64_t pid)
{
	void **slot = map_take(&sc->sleepers, (uint32_t)pid, SLEEPERS_MAX);

	if (slot && !*slot)
		*slot = calloc(1, sizeof(struct sleeper));
	return slot ? *slot : NULL;
}

/* A field of a record, or 0. */
static uint64_t read_field(const struct samplecollect *sc, const struct record *rec,
			   const struct field *field)
{
	uint64_t v = 0;

	formats_read(sc->f, rec, field, &v);
	return v;
}

static void take_frames(struct samplecollect *sc, struct waiting *w, const struct record *rec,
			const struct field *caller)
{
	unsigned step = sc->f->long_size;

	for (uint32_t at = caller->offset; at + step <= rec->size && w->n < FRAMES_MAX;
	     at += step) {
		uint64_t place = bytes_get(rec->data + at, step, sc->f->swap);

		if (!place || place == (step == 8 ? UINT64_MAX : UINT32_MAX))
			break;
		w->places[w->n++] = place;
	}
}

/*
 * Takes out the innermost functions of the kernel that belong to the tracer, from frame `first` on.
 */
static void drop_tracing(struct samplecollect *sc, struct waiting *w, size_t first)
{
	static const char *const heads[] = {"trace_event_raw_event_", "__traceiter_",
					    "trace_event_buffer_",    "__ftrace_trace_stack",
					    "__trace_stack",	      "probe_sched_"};
	const struct kallsyms *ks = formats_kallsyms(sc->f);
	size_t end = first;

	for (size_t i = first; i < w->n && i < first + TRACING_MAX; i++) {
		const struct ksym *sym = kallsyms_find(ks, w->places[i]);

		for (size_t k = 0; sym && k < ARRAY_LEN(heads); k++)
			if (sym->name_len >= strlen(heads[k]) &&
			    !memcmp(sym->name, heads[k], strlen(heads[k])))
				end = i + 1;
	}
	memmove(w->places + first, w->places + end, (w->n - end) * sizeof(*w->places));
	w->n -= end - first;
}

/* The part of a wait that lies in the range. */
static uint64_t clip(const struct samplecollect *sc, uint64_t from, uint64_t to)
{
	const struct samplecollect_config *c = sc->config;

	if (c->to && from < c->from)
		from = c->from;
	if (c->to && to > c->to)
		to = c->to;
	return to > from ? to - from : 0;
}

/* The event has all of its stack. */
static void complete(struct samplecollect *sc, struct waiting *w)
{
	struct sleeper *s;

	if (!w->is_on)
		return;
	w->is_on = false;
	if (sc->config->source != SAMPLES_OFF_CPU) {
		add_sample(sc, w);
		return;
	}
	s = w->task ? sleeper_of(sc, (uint64_t)w->task->pid) : NULL;
	if (!s || !s->is_off || s->since != w->ts)
		return;
	s->n = w->n;
	memcpy(s->places, w->places, w->n * sizeof(*w->places));
}

/* A task runs again. */
static void end_sleep(struct samplecollect *sc, uint64_t pid, const struct record *rec)
{
	struct sleeper *s = pid ? sleeper_of(sc, pid) : NULL;
	uint64_t weight;
	struct sampleset_row row;

	if (!s || !s->is_off)
		return;
	s->is_off = false;
	weight = clip(sc, s->since, rec->ts);
	row = (struct sampleset_row){.ts = s->since,
				     .weight = weight,
				     .task = s->task,
				     .tgid = s->task ? s->task->tgid : -1,
				     .cpu = rec->cpu};
	if (weight && s->n && is_chosen_task(sc, s->task) && is_chosen_cpu(sc, rec->cpu))
		sampleset_add(sc->set, row, s->places, s->n);
}

static void add_switch(struct samplecollect *sc, struct waiting *w, const struct record *rec)
{
	uint64_t prev = read_field(sc, rec, sc->prev_pid);
	struct sleeper *s = prev ? sleeper_of(sc, prev) : NULL;

	if (sc->config->source == SAMPLES_OFF_CPU)
		end_sleep(sc, read_field(sc, rec, sc->next_pid), rec);
	if (!s)
		return;
	s->is_off = true;
	s->is_woken = false;
	s->since = rec->ts;
	s->task = rec->task;
	s->n = 0;
	if (sc->config->source != SAMPLES_OFF_CPU)
		return;
	w->is_on = true;
	w->has_kernel = false;
	w->ts = rec->ts;
	w->task = rec->task;
	w->n = 0;
}

/* The stack of the waker, with the task that it wakes on top. */
static void add_waking(struct samplecollect *sc, struct waiting *w, const struct record *rec)
{
	uint64_t pid = read_field(sc, rec, sc->woken_pid);
	struct sleeper *s = map_find(&sc->sleepers, (uint32_t)pid);
	const struct field *f = sc->woken_comm;
	const char *comm = "?";
	size_t len = 1;

	if (sc->switches && (!s || !s->is_off || s->is_woken))
		return; /* it ran, or its wait began before the recording */
	if (s)
		s->is_woken = true;
	if (f && f->offset + f->size <= rec->size) {
		comm = (const char *)rec->data + f->offset;
		len = strnlen(comm, f->size);
	}
	*w = (struct waiting){.is_on = true,
			      .ts = rec->ts,
			      .task = rec->task,
			      .cpu = rec->cpu,
			      .weight = s ? clip(sc, s->since, rec->ts) : 1};
	w->places[w->n++] = sampleset_name(sc->set, comm, len);
}

static void begin_event(struct samplecollect *sc, struct waiting *w, const struct record *rec)
{
	if (rec->event == sc->switches) {
		add_switch(sc, w, rec);
	} else if (rec->event == sc->waking) {
		add_waking(sc, w, rec);
	} else if (sc->config->source == SAMPLES_STACKS && (unsigned)rec->event->id < EVENTS_MAX &&
		   sc->chosen[rec->event->id]) {
		w->is_on = true;
		w->has_kernel = false;
		w->n = 0;
		w->ts = rec->ts;
		w->weight = 1;
		w->task = rec->task;
		w->cpu = rec->cpu;
		w->event = (uint32_t)rec->event->id;
	}
}

static void add_behind(struct samplecollect *sc, const struct record *rec)
{
	struct waiting *w = waiting_of(sc, rec->cpu);
	bool is_same = w && w->is_on && w->task && rec->task && w->task->pid == rec->task->pid;

	if (!w || !rec->event)
		return;
	if (rec->event == sc->kernel && is_same && !w->has_kernel) {
		size_t first = w->n;

		w->has_kernel = true;
		take_frames(sc, w, rec, sc->kernel_caller);
		drop_tracing(sc, w, first);
		return;
	}
	if (rec->event == sc->user && is_same)
		take_frames(sc, w, rec, sc->user_caller);
	complete(sc, w);
	if (rec->event != sc->kernel && rec->event != sc->user)
		begin_event(sc, w, rec);
}

void samplecollect_add(struct samplecollect *sc, const struct record *rec)
{
	if (sc->config->source != SAMPLES_TAKEN)
		add_behind(sc, rec);
	else if (rec->event == sc->kind.event)
		add_taken(sc, rec);
}

/* A stack is new in a row that is new, so rows in their order give stacks in theirs. */
int samplecollect_join(struct samplecollect *sc, struct samplecollect *part, struct tasks *tasks)
{
	size_t n;
	const struct sampleset_row *rows = sampleset_rows(part->set, &n);
	struct sampleset *empty = sampleset_new(part->config->keep);

	if (!empty)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		struct sampleset_stack stack = sampleset_stack(part->set, rows[i].stack);
		struct sampleset_row row = rows[i];

		row.task = row.task ? tasks_find(tasks, row.task->pid) : NULL;
		sampleset_add(sc->set, row, stack.places, stack.n);
	}
	sc->n_bad += part->n_bad;
	part->n_bad = 0;
	n = sampleset_cut(part->set) + sampleset_cut(sc->set);
	sampleset_free(part->set);
	part->set = empty;
	return n ? -EAGAIN : 0;
}

void samplecollect_end(struct samplecollect *sc)
{
	for (size_t i = 0; i < sc->n_waiting; i++)
		if (sc->waiting[i])
			complete(sc, sc->waiting[i]);
}

/*
 * --- life --------------------------------------------------------------------------------------
 */

/* Which of the sampled events count. */
static int choose_taken(struct samplecollect *sc, const struct sampleinfo *info, struct errmsg *err)
{
	const struct samplecollect_config *c = sc->config;
	int number = c->event && info ? sampleinfo_find_event(info, c->event) : -1;

	if (!sample_kind_init(&sc->kind, sc->f))
		return errmsg_set(err, -ENOENT,
				  "the trace has no samples; record them with --sample");
	if ((unsigned)sc->kind.event->id < EVENTS_MAX)
		sc->wanted[sc->kind.event->id] = 1;
	if (c->event && number < 0)
		return errmsg_set(err, -ENOENT, "the trace has no samples of '%s'", c->event);
	if ((!c->event && !c->not_event) || !info || !info->n_events)
		return 0;
	sc->event_of = calloc(info->n_events, sizeof(*sc->event_of));
	if (!sc->event_of)
		return errmsg_set_errno(err, -ENOMEM, "cannot read the samples");
	sc->n_event_of = info->n_events;
	for (size_t i = 0; i < info->n_events; i++)
		sc->event_of[i] = c->event ? (int)i == number
					   : strcmp(sampleinfo_event_name(info, (uint32_t)i),
						    c->not_event) != 0;
	return 0;
}

static bool matches(const struct event *ev, const char *pattern)
{
	char full[256];

	snprintf(full, sizeof(full), "%s:%s", ev->system, ev->name);
	return !pattern || !fnmatch(pattern, ev->name, 0) || !fnmatch(pattern, full, 0);
}

/* All events are visited; those of the pattern count. */
static int choose_events(struct samplecollect *sc, struct errmsg *err)
{
	bool any = false;

	memset(sc->wanted, 1, EVENTS_MAX);
	for (size_t i = 0; i < sc->f->n_events; i++) {
		const struct event *ev = sc->f->by_id[i];

		if ((unsigned)ev->id >= EVENTS_MAX || ev == sc->kernel || ev == sc->user ||
		    !matches(ev, sc->config->event))
			continue;
		sc->chosen[ev->id] = 1;
		any = true;
	}
	return any ? 0 : errmsg_set(err, -ENOENT, "the trace has no event '%s'", sc->config->event);
}

static int choose_sched(struct samplecollect *sc, struct errmsg *err)
{
	struct formats *f = sc->f;

	memset(sc->wanted, 1, EVENTS_MAX);
	sc->switches = formats_find_name(f, "sched", "sched_switch");
	if (sc->switches) {
		sc->prev_pid = event_find_field(sc->switches, "prev_pid");
		sc->next_pid = event_find_field(sc->switches, "next_pid");
	}
	if (sc->config->source == SAMPLES_WAKEUPS) {
		sc->waking = formats_find_name(f, "sched", "sched_waking");
		if (!sc->waking)
			sc->waking = formats_find_name(f, "sched", "sched_wakeup");
		if (sc->waking) {
			sc->woken_pid = event_find_field(sc->waking, "pid");
			sc->woken_comm = event_find_field(sc->waking, "comm");
		}
	}
	if (sc->config->source == SAMPLES_OFF_CPU ? !sc->next_pid : !sc->woken_pid)
		return errmsg_set(
			err, -ENOENT, "the trace has no %s; record it with -T (stacks) -e sched",
			sc->config->source == SAMPLES_OFF_CPU ? "sched_switch" : "sched_waking");
	return 0;
}

static int open_stacks(struct samplecollect *sc, struct errmsg *err)
{
	sc->kernel = formats_find_name(sc->f, "ftrace", "kernel_stack");
	sc->user = formats_find_name(sc->f, "ftrace", "user_stack");
	sc->kernel_caller = sc->kernel ? event_find_field(sc->kernel, "caller") : NULL;
	sc->user_caller = sc->user ? event_find_field(sc->user, "caller") : NULL;
	if (!sc->user_caller)
		sc->user = NULL;
	if (!sc->kernel_caller)
		return errmsg_set(err, -ENOENT,
				  "the trace has no stacks of events; record them with -T");
	return sc->config->source == SAMPLES_STACKS ? choose_events(sc, err)
						    : choose_sched(sc, err);
}

int samplecollect_new(struct samplecollect **ret, struct formats *f, const struct sampleinfo *info,
		      const struct samplecollect_config *config, struct errmsg *err)
{
	struct samplecollect *sc = calloc(1, sizeof(*sc));
	int r;

	if (!sc)
		return errmsg_set_errno(err, -ENOMEM, "cannot read the samples");
	sc->config = config;
	sc->f = f;
	sc->set = sampleset_new(config->keep);
	sc->wanted = calloc(EVENTS_MAX, 1);
	sc->chosen = calloc(EVENTS_MAX, 1);
	if (!sc->set || !sc->wanted || !sc->chosen)
		r = errmsg_set_errno(err, -ENOMEM, "cannot read the samples");
	else
		r = config->source == SAMPLES_TAKEN ? choose_taken(sc, info, err)
						    : open_stacks(sc, err);
	if (r < 0)
		samplecollect_free(sc);
	else
		*ret = sc;
	return r;
}

void samplecollect_free(struct samplecollect *sc)
{
	if (!sc)
		return;
	for (size_t i = 0; i < sc->n_waiting; i++)
		free(sc->waiting[i]);
	for (size_t i = 0; i < sc->sleepers.n_slots; i++)
		free(sc->sleepers.slots[i].value);
	free(sc->waiting);
	map_release(&sc->sleepers);
	sampleset_free(sc->set);
	free(sc->wanted);
	free(sc->chosen);
	free(sc->event_of);
	free(sc);
}

const uint8_t *samplecollect_events(const struct samplecollect *sc, size_t *ret_n)
{
	*ret_n = EVENTS_MAX;
	return sc->wanted;
}

struct sampleset *samplecollect_set(const struct samplecollect *sc)
{
	return sc->set;
}

uint64_t samplecollect_n_bad(const struct samplecollect *sc)
{
	return sc->n_bad;
}

bool samplecollect_is_time(const struct samplecollect *sc)
{
	return sc->config->source == SAMPLES_OFF_CPU ||
	       (sc->config->source == SAMPLES_WAKEUPS && sc->switches);
}

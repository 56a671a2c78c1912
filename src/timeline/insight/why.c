// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * why.c - the critical path of a task: what it did, and while it slept, what the one did that woke it.
 *
 *	bash      running │ sleeping ───────────────── │ runnable │ running
 *	                                   woken by ─┐
 *	kworker      … │ sleeping ──── │ running ────┘
 *	                     woken by ─┐
 *	an interrupt                   ┘
 *	path      bash    │ an interrupt │ kworker     │ bash     │ bash
 *
 * A sleep that was ended by a task is replaced by what that task did in the same window, and so on; windows only get
 * shorter, and a depth and a number of pieces are the ceiling besides. What was ended by an interrupt, or
 * by nobody that is known, stays the sleeper's. Pieces have no gaps, and none overlap.
 *
 * Of a wait for a CPU it is told who had that CPU meanwhile, and for how long: mostly it is not one alone. So it is of
 * what a guest's task ran while its host did not run the virtual CPU (stolen.h): who had the host's CPU instead.
 */
#include "timeline/insight/insight_int.h"
#include "timeline/states/interrupts.h"
#include "timeline/states/owners.h"
#include "timeline/states/stolen.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#define DEPTH_MAX      32
#define PIECES_MAX     20000
#define SPANS_MAX      (4u << 20)
/* Of the trace, in the range: about so many have SPANS_MAX spans. */
#define EVENTS_AT_ONCE (12u << 20)
#define LOOKS_MAX      100000 /* at who had a CPU of the host; about a second */
#define INTERRUPTS_MAX 5000   /* that are looked for; the rest is "an interrupt" */

struct piece_of_path {
	uint64_t start, end;
	uint64_t woken; /* when a sleep ends, also where the piece ends before */
	int32_t task, waker, cpu;
	uint16_t state, depth;
	int32_t sleeper; /* who waits for it, -1: it is the one that was asked about */
	bool waker_in_irq;
	bool is_taken; /* preempted, and waits for the CPU that it was taken from */
};

struct why {
	struct lanes *ls;
	struct timeline *tl;
	uint64_t from, to;
	struct state_list *lists; /* by task */
	size_t *caps;
	bool has_all, failed;
	size_t n_spans;
	struct sched_streams streams;
	struct stolen stolen;
	size_t n_looks;
	struct interrupts *interrupts; /* NULL: not needed so far */
	size_t n_interrupts;
	struct piece_of_path *pieces;
	size_t n, cap;
};

/* --- states of tasks ---------------------------------------------------------------------------------------- */

static void keep_span(void *ctx, uint16_t task, const struct task_track *t,
		      const struct state_span *s, enum task_state next)
{
	struct why *y = ctx;
	struct state_list *l = &y->lists[task];

	if (y->n_spans >= SPANS_MAX) {
		y->has_all = false;
		return;
	}
	if (l->n == y->caps[task]) {
		size_t cap = l->n ? l->n * 2 : 8;
		struct state_span *more = realloc(l->spans, cap * sizeof(*more));

		if (!more) {
			y->failed = true;
			return;
		}
		l->spans = more;
		y->caps[task] = cap;
	}
	l->spans[l->n++] = *s;
	y->n_spans++;
}

static void drop_lists(struct why *y)
{
	for (size_t i = 0; y->lists && y->caps && i <= UINT16_MAX; i++) {
		free(y->lists[i].spans);
		y->lists[i] = (struct state_list){0};
		y->caps[i] = 0;
	}
	y->n_spans = 0;
}

/* All tasks of the range in one pass; if that is too much, each when it is needed. */
static int load(struct why *y, uint32_t machine)
{
	int r;

	y->lists = calloc(UINT16_MAX + 1, sizeof(*y->lists));
	y->caps = calloc(UINT16_MAX + 1, sizeof(*y->caps));
	if (!y->lists || !y->caps)
		return -ENOMEM;
	r = sched_streams_init(&y->streams, y->tl, machine);
	if (r < 0)
		return r;
	if (y->to <= y->from)
		return 0;
	/* a range that is too long for that would be gone through for nothing */
	y->has_all = (double)timeline_n_events(y->tl) * (y->to - y->from) <
		     (double)EVENTS_AT_ONCE * (timeline_duration(y->tl) + 1);
	if (!y->has_all)
		return 0;
	r = states_pass(y->tl, y->ls->states, machine, NULL, y->from, y->to + (y->to - y->from),
			keep_span, y);
	if (!y->has_all)
		drop_lists(y);
	return r < 0 ? r : y->failed ? -ENOMEM : 0;
}

static const struct state_list *states_of(struct why *y, uint16_t task)
{
	struct state_list *l = &y->lists[task];

	if (!y->has_all && !l->spans && task_states(y->tl, task, &l->spans, &l->n) < 0)
		y->failed = true;
	return l;
}

/* The first span that ends after t. */
static size_t find_span(const struct state_list *l, uint64_t t)
{
	size_t low = 0, high = l->n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (l->spans[mid].end > t)
			high = mid;
		else
			low = mid + 1;
	}
	return low;
}

/* --- pieces --------------------------------------------------------------------------------------------------- */

static void add_piece(struct why *y, const struct piece_of_path *p)
{
	struct piece_of_path *last = y->n ? &y->pieces[y->n - 1] : NULL;

	if (p->end <= p->start)
		return;
	if (last && last->end == p->start && last->task == p->task && last->state == p->state &&
	    last->depth == p->depth && last->cpu == p->cpu && last->waker == p->waker) {
		last->end = p->end;
		return;
	}
	if (y->n == y->cap) {
		size_t cap = y->cap ? y->cap * 2 : 128;
		struct piece_of_path *more = realloc(y->pieces, cap * sizeof(*more));

		if (!more) {
			y->failed = true;
			return;
		}
		y->pieces = more;
		y->cap = cap;
	}
	y->pieces[y->n++] = *p;
}

static bool is_sleep(enum task_state s)
{
	return s >= STATE_SLEEPING && s <= STATE_IDLE;
}

static void follow(struct why *y, int task, uint64_t from, uint64_t to, unsigned depth,
		   int sleeper);

/* A span of the task, cut to [start, end]. next: the one after it, or NULL. */
static void add_state(struct why *y, int task, const struct state_span *s,
		      const struct state_span *next, uint64_t start, uint64_t end, unsigned depth,
		      int sleeper)
{
	struct piece_of_path p = {.start = start,
				  .end = end,
				  .task = task,
				  .waker = -1,
				  .cpu = s->cpu,
				  .state = s->state,
				  .depth = depth,
				  .sleeper = sleeper};

	if (s->state == STATE_RUNNABLE)
		p.waker = s->waker;
	/* it waits for the CPU where it runs then */
	if ((s->state == STATE_RUNNABLE || s->state == STATE_PREEMPTED) && next &&
	    next->state == STATE_RUNNING)
		p.cpu = next->cpu;
	p.is_taken = s->state == STATE_PREEMPTED && p.cpu == s->cpu && start == s->start;
	if (is_sleep(s->state) && next && next->state == STATE_RUNNABLE) {
		p.waker = next->waker;
		p.waker_in_irq = next->waker_in_irq;
		p.woken = next->start;
		if (p.waker >= 0 && !p.waker_in_irq && p.waker != task &&
		    timeline_task(y->tl, p.waker)->pid && depth < DEPTH_MAX && y->n < PIECES_MAX) {
			follow(y, p.waker, start, end, depth + 1, task);
			return;
		}
	}
	add_piece(y, &p);
}

static void follow(struct why *y, int task, uint64_t from, uint64_t to, unsigned depth, int sleeper)
{
	const struct state_list *l = states_of(y, task);
	struct piece_of_path gap = {.task = task,
				    .waker = -1,
				    .cpu = -1,
				    .state = STATE_UNKNOWN,
				    .depth = depth,
				    .sleeper = sleeper};
	uint64_t at = from;

	for (size_t i = find_span(l, from); i < l->n && at < to && !y->failed; i++) {
		const struct state_span *s = &l->spans[i];
		uint64_t start = later(s->start, at), end = earlier(s->end, to);

		if (s->start >= to)
			break;
		if (start > at) {
			gap.start = at;
			gap.end = start;
			add_piece(y, &gap);
		}
		add_state(y, task, s, i + 1 < l->n ? s + 1 : NULL, start, end, depth, sleeper);
		at = later(at, end);
	}
	gap.start = at;
	gap.end = to;
	add_piece(y, &gap);
}

/* --- words ------------------------------------------------------------------------------------------------------ */

#define OWNERS_SAID 3 /* in the sentence */
#define OWNERS_TOLD 8 /* in the answer */

/* Who had the CPU while p waits for it, the longest first. */
static void find_owners(struct why *y, const struct piece_of_path *p, struct owners *o)
{
	if (p->cpu < 0 || sched_streams_find(&y->streams, y->tl, p->cpu) < 0)
		return;
	if (owners_look(o, y->tl, y->streams.machine, p->cpu, p->start, p->end) < 0)
		y->failed = true;
	owners_sort(o);
}

/* What the host did not run of a piece in which a guest's task runs. */
struct theft {
	bool is_known; /* there is a host */
	struct stolen_sum sum;
	uint64_t asleep; /* of it: the thread slept; else it waited for a CPU that others had */
};

static void find_theft(struct why *y, const struct piece_of_path *p, struct theft *ret,
		       struct owners *o)
{
	const struct stolen_vcpu *v = stolen_find(&y->stolen, y->streams.machine, p->cpu);

	ret->is_known = v != NULL;
	if (!v)
		return;
	stolen_add(v, p->start, p->end, &ret->sum);
	for (size_t i = stolen_first(v, p->start); i < v->n && v->times[i].start < p->end; i++) {
		const struct stolen_time *t = &v->times[i];
		uint64_t start = later(t->start, p->start), end = earlier(t->end, p->end);

		if (t->state == STATE_RUNNABLE || t->state == STATE_PREEMPTED) {
			/* there may be very many: of the last ones nobody is told */
			int cpu = y->n_looks++ < LOOKS_MAX ? t->cpu : -1;

			if (owners_look(o, y->tl, v->host, cpu, start, end) < 0)
				y->failed = true;
		} else if (t->state != STATE_UNKNOWN) {
			ret->asleep += end - start;
		}
	}
	owners_sort(o);
}

static const char *owner_name(const struct why *y, int task, char *buf, size_t size)
{
	if (task == OWNERS_OTHERS)
		snprintf(buf, size, "others");
	else if (task >= 0 && !timeline_task(y->tl, task)->pid)
		snprintf(buf, size, "nobody");
	else
		insight_task_name(y->tl, task, buf, size);
	return buf;
}

static void fmt_length(const struct why *y, char *buf, size_t size, uint64_t n)
{
	static const struct {
		uint64_t ns;
		const char *name;
	} units[] = {{1000000000, "s"}, {1000000, "ms"}, {1000, "µs"}};

	struct time_unit unit = timeline_unit(y->tl);
	uint64_t ns = n * unit.ns;

	if (!unit.ns) {
		snprintf(buf, size, "%llu %s", (unsigned long long)n, unit.name);
		return;
	}
	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (ns >= units[i].ns) {
			snprintf(buf, size, "%.3f %s", (double)ns / units[i].ns, units[i].name);
			return;
		}
	snprintf(buf, size, "%llu ns", (unsigned long long)ns);
}

/* "which ran cc1-12 for 6.190 ms, sh-7 for 1.200 ms and 3 others" */
static void say_owners(const struct why *y, const struct owners *o, char *buf, size_t size)
{
	size_t n = snprintf(buf, size, "which ran");

	for (unsigned i = 0; i < o->n && i < OWNERS_SAID && n < size; i++) {
		char name[64], length[32];

		fmt_length(y, length, sizeof(length), o->list[i].ns);
		n += snprintf(buf + n, size - n, "%s %s for %s", i ? "," : "",
			      owner_name(y, o->list[i].task, name, sizeof(name)), length);
	}
	if (o->n > OWNERS_SAID && n < size)
		snprintf(buf + n, size - n, " and %u other%s", o->n - OWNERS_SAID,
			 o->n - OWNERS_SAID == 1 ? "" : "s");
}

static void say_wait(struct why *y, const struct piece_of_path *p, const struct owners *o,
		     char *buf, size_t size)
{
	int owner = o->n ? o->list[0].task : -1;
	const char *verb = p->state == STATE_PREEMPTED ? "preempted; waits for" : "waits for";
	char name[64], who[300];

	say_owners(y, o, who, sizeof(who));
	if (p->cpu < 0)
		snprintf(buf, size, "waits for a CPU");
	else if (!o->n || (o->n == 1 && (owner < 0 || owner == p->task)))
		snprintf(buf, size, "%s CPU %d", verb, p->cpu);
	else if (o->n == 1 && !timeline_task(y->tl, owner)->pid)
		snprintf(buf, size, "%s CPU %d, which is idle and has to wake up", verb, p->cpu);
	else if (o->n == 1 && p->state == STATE_PREEMPTED)
		snprintf(buf, size, "preempted by %s on CPU %d",
			 insight_task_name(y->tl, owner, name, sizeof(name)), p->cpu);
	else if (o->n == 1)
		snprintf(buf, size, "waits for CPU %d, which runs %s", p->cpu,
			 insight_task_name(y->tl, owner, name, sizeof(name)));
	else if (p->is_taken && o->first >= 0)
		snprintf(buf, size, "preempted by %s on CPU %d, %s",
			 insight_task_name(y->tl, o->first, name, sizeof(name)), p->cpu, who);
	else
		snprintf(buf, size, "%s CPU %d, %s", verb, p->cpu, who);
}

/* "runs on CPU 0; 16.107 ms of it were stolen by the host, which ran ls-307 for 16.049 ms" */
static void say_run(struct why *y, const struct piece_of_path *p, const struct theft *t,
		    const struct owners *o, char *buf, size_t size)
{
	char who[300], length[32];
	size_t n = snprintf(buf, size, "runs on CPU %d", p->cpu);

	if (t->sum.ns && n < size) {
		fmt_length(y, length, sizeof(length), t->sum.ns);
		n += snprintf(buf + n, size - n, "; %s of it were stolen by the host", length);
	}
	if (o->n && n < size) {
		say_owners(y, o, who, sizeof(who));
		n += snprintf(buf + n, size - n, ", %s", who);
	}
	if (t->asleep && n < size) {
		fmt_length(y, length, sizeof(length), t->asleep);
		n += snprintf(buf + n, size - n, "%s the thread of the virtual CPU slept for %s",
			      o->n ? ", and" : ":", length);
	}
	if (t->sum.unknown_ns && n < size) {
		fmt_length(y, length, sizeof(length), t->sum.unknown_ns);
		snprintf(buf + n, size - n, "; whether the host ran it is not known of %s", length);
	}
}

/* The interrupt that ends a sleep. False: nothing more is known than that it is one. */
static bool find_interrupt(struct why *y, const struct piece_of_path *p, struct interrupt *ret)
{
	if (!p->waker_in_irq || y->n_interrupts++ >= INTERRUPTS_MAX)
		return false;
	if (!y->interrupts && interrupts_new(&y->interrupts, y->ls, y->streams.machine) < 0) {
		y->failed = true;
		return false;
	}
	return interrupts_find_waking(y->interrupts, p->task, p->woken, ret);
}

/* "interrupt 27 (eth0) wakes it, while bash-12 runs on CPU 1" */
static void say_interrupt(struct why *y, const struct interrupt *irq, const char *verb, char *buf,
			  size_t size)
{
	char name[64];

	if (irq->task >= 0 && !timeline_task(y->tl, irq->task)->pid)
		snprintf(buf, size, "%s until %s wakes it, on CPU %u, which is idle", verb,
			 irq->name, irq->cpu);
	else
		snprintf(buf, size, "%s until %s wakes it, which interrupts %s on CPU %u", verb,
			 irq->name, insight_task_name(y->tl, irq->task, name, sizeof(name)),
			 irq->cpu);
}

static void say_sleep(struct why *y, const struct piece_of_path *p, const struct interrupt *irq,
		      char *buf, size_t size)
{
	static const char *const verbs[STATES_N] = {
		[STATE_SLEEPING] = "sleeps",
		[STATE_BLOCKED] = "is blocked",
		[STATE_STOPPED] = "is stopped",
		[STATE_IDLE] = "idles",
	};
	const char *verb = verbs[p->state];
	char name[64];

	if (irq)
		say_interrupt(y, irq, verb, buf, size);
	else if (p->waker_in_irq)
		snprintf(buf, size, "%s until an interrupt wakes it (while %s ran)", verb,
			 insight_task_name(y->tl, p->waker, name, sizeof(name)));
	else if (p->waker >= 0)
		snprintf(buf, size, "%s until %s wakes it", verb,
			 insight_task_name(y->tl, p->waker, name, sizeof(name)));
	else
		snprintf(buf, size, "%s; who ends it is not told", verb);
}

static bool is_wait(const struct piece_of_path *p)
{
	return p->state == STATE_RUNNABLE || p->state == STATE_PREEMPTED;
}

static void say(struct why *y, const struct piece_of_path *p, const struct theft *t,
		const struct owners *o, const struct interrupt *irq, char *buf, size_t size)
{
	char name[64], text[512];
	size_t n;

	switch (p->state) {
	case STATE_RUNNING:
		say_run(y, p, t, o, text, sizeof(text));
		break;
	case STATE_RUNNABLE:
	case STATE_PREEMPTED:
		say_wait(y, p, o, text, sizeof(text));
		break;
	case STATE_SLEEPING:
	case STATE_BLOCKED:
	case STATE_STOPPED:
	case STATE_IDLE:
		say_sleep(y, p, irq, text, sizeof(text));
		break;
	case STATE_DEAD:
		snprintf(text, sizeof(text), "has ended");
		break;
	default:
		snprintf(text, sizeof(text), "what it does is not known");
	}
	n = snprintf(buf, size, "%s", text);
	if (p->sleeper >= 0 && n < size)
		snprintf(buf + n, size - n, "; %s waits for it",
			 insight_task_name(y->tl, p->sleeper, name, sizeof(name)));
}

static void emit_owners(const char *key, const struct owner *list, size_t n, struct jsonwriter *w)
{
	jsonwriter_open(w, key, '[');
	for (size_t i = 0; i < n; i++) {
		jsonwriter_open(w, NULL, '{');
		jsonwriter_add_int(w, "task", list[i].task);
		jsonwriter_add_uint(w, "ns", list[i].ns);
		jsonwriter_close(w);
	}
	jsonwriter_close(w);
}

/* Time by task that others had a CPU, of the whole path. */
struct path_owners {
	uint64_t *had;	  /* CPUs that were waited for */
	uint64_t *stolen; /* the host's, instead of a virtual one that was to run */
};

static void emit_piece(struct why *y, const struct piece_of_path *p, struct path_owners *all,
		       struct jsonwriter *w)
{
	struct owners o = {0};
	struct theft theft = {0};
	struct interrupt irq;
	bool has_irq = is_sleep(p->state) && find_interrupt(y, p, &irq);
	uint64_t *sums = is_wait(p) ? all->had : all->stolen;
	char text[640];
	unsigned n_told;

	if (is_wait(p))
		find_owners(y, p, &o);
	else if (p->state == STATE_RUNNING)
		find_theft(y, p, &theft, &o);
	say(y, p, &theft, &o, has_irq ? &irq : NULL, text, sizeof(text));
	for (unsigned j = 0; j < o.n; j++)
		if (o.list[j].task >= 0)
			sums[o.list[j].task] += o.list[j].ns;
	n_told = o.n < OWNERS_TOLD ? o.n : OWNERS_TOLD;
	jsonwriter_open(w, NULL, '{');
	jsonwriter_add_uint(w, "start", p->start);
	jsonwriter_add_uint(w, "end", p->end);
	jsonwriter_add_int(w, "task", p->task);
	jsonwriter_add_uint(w, "state", p->state);
	jsonwriter_add_int(w, "cpu", p->cpu);
	jsonwriter_add_uint(w, "depth", p->depth);
	jsonwriter_add_string(w, "why", text);
	jsonwriter_add_int(w, "waker", p->waker);
	if (has_irq)
		interrupt_emit(&irq, "irq", w);
	if (is_wait(p))
		emit_owners("had", o.list, n_told, w);
	if (theft.is_known) {
		jsonwriter_add_uint(w, "stolen", theft.sum.ns);
		jsonwriter_add_uint(w, "stolen_asleep", theft.asleep);
		jsonwriter_add_uint(w, "stolen_unknown", theft.sum.unknown_ns);
		emit_owners("stolen_by", o.list, n_told, w);
	}
	jsonwriter_close(w);
}

static void emit_sorted(const char *key, const uint64_t *sums, struct owner *list,
			struct jsonwriter *w)
{
	size_t n = 0;

	for (int i = 0; i <= UINT16_MAX; i++)
		if (sums[i])
			list[n++] = (struct owner){i, sums[i]};
	qsort(list, n, sizeof(*list), owner_compare);
	emit_owners(key, list, n, w);
}

/* The path, and behind it who had the CPUs that were waited for in it, and stolen ones. */
static int emit_path(struct why *y, struct jsonwriter *w)
{
	struct path_owners all = {calloc(UINT16_MAX + 1, sizeof(*all.had)),
				  calloc(UINT16_MAX + 1, sizeof(*all.stolen))};
	struct owner *list = calloc(UINT16_MAX + 1, sizeof(*list));
	bool has_room = all.had && all.stolen && list;

	if (has_room) {
		jsonwriter_open(w, "path", '[');
		for (size_t i = 0; i < y->n; i++)
			emit_piece(y, &y->pieces[i], &all, w);
		jsonwriter_close(w);
		emit_sorted("had", all.had, list, w);
		if (stolen_is_guest(&y->stolen, y->streams.machine))
			emit_sorted("stolen_by", all.stolen, list, w);
	}
	free(all.had);
	free(all.stolen);
	free(list);
	return has_room && !y->failed ? 0 : -ENOMEM;
}

struct path_sum {
	uint64_t ns;
	int32_t task;
	uint16_t state;
};

static int compare_keys(const void *a, const void *b)
{
	const struct path_sum *x = a, *y = b;

	if (x->task != y->task)
		return x->task < y->task ? -1 : 1;
	return x->state - y->state;
}

static int compare_sums(const void *a, const void *b)
{
	const struct path_sum *x = a, *y = b;

	return x->ns != y->ns ? (x->ns > y->ns ? -1 : 1) : compare_keys(a, b);
}

static int emit_sums(struct why *y, struct jsonwriter *w)
{
	struct path_sum *sums = calloc(y->n + 1, sizeof(*sums));
	size_t n = 0;

	if (!sums)
		return -ENOMEM;
	for (size_t i = 0; i < y->n; i++)
		sums[i] = (struct path_sum){y->pieces[i].end - y->pieces[i].start,
					    y->pieces[i].task, y->pieces[i].state};
	qsort(sums, y->n, sizeof(*sums), compare_keys);
	for (size_t i = 0; i < y->n; i++) {
		if (n && !compare_keys(&sums[n - 1], &sums[i]))
			sums[n - 1].ns += sums[i].ns;
		else
			sums[n++] = sums[i];
	}
	qsort(sums, n, sizeof(*sums), compare_sums);
	jsonwriter_open(w, "sums", '[');
	for (size_t i = 0; i < n; i++) {
		jsonwriter_open(w, NULL, '{');
		jsonwriter_add_int(w, "task", sums[i].task);
		jsonwriter_add_uint(w, "state", sums[i].state);
		jsonwriter_add_uint(w, "ns", sums[i].ns);
		jsonwriter_close(w);
	}
	jsonwriter_close(w);
	free(sums);
	return 0;
}

int insight_why(struct lanes *ls, int task, uint64_t from, uint64_t to, struct jsonwriter *w)
{
	struct why y = {.ls = ls, .tl = ls->tl, .from = from};
	int r;

	if (task < 0 || (size_t)task >= timeline_n_tasks(ls->tl))
		return -EINVAL;
	y.to = earlier(to, timeline_duration(ls->tl));
	r = load(&y, timeline_task(ls->tl, task)->machine);
	if (!r)
		r = stolen_init(&y.stolen, ls, from, y.to);
	if (!r && y.to > from)
		follow(&y, task, from, y.to, 0, -1);
	if (!r && y.failed)
		r = -ENOMEM;
	if (!r) {
		jsonwriter_open(w, NULL, '{');
		jsonwriter_add_int(w, "task", task);
		jsonwriter_add_uint(w, "from", from);
		jsonwriter_add_uint(w, "to", y.to);
		r = emit_path(&y, w);
		if (!r)
			r = emit_sums(&y, w);
		jsonwriter_close(w);
	}
	drop_lists(&y);
	stolen_release(&y.stolen);
	interrupts_free(y.interrupts);
	sched_streams_release(&y.streams);
	free(y.lists);
	free(y.caps);
	free(y.pieces);
	return r;
}

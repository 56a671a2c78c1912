// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * insight_stacks.c - stacks of events: how often each is there, and what tasks left their CPUs with.
 *
 * A kernel_stack event belongs to the event before it on its CPU, if both are of one task. Stacks of events are no
 * samples of the CPU: how often a stack is there tells how often the event was. So they are counted, and can be
 * chosen, by event. One that follows a sched_switch tells where the task stood that left:
 *
 *	CPU 1   sched_switch prev=bash next=…   kernel_stack (bash)        ← why bash is off the CPU
 *	bash    running │ sleeping ──────────────────────── │ runnable │ running
 *	                └─ all of this has the weight of that stack
 *
 * Stacks are kept once, as nodes of the tree they will be drawn in; a mark tells which node a task left with. Where
 * there are no stacks, time off the CPU is told by the state and by who ended it.
 */
#include "timeline/insight_int.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#define FRAMES_MAX FLAME_DEPTH_MAX

struct stack_kind {
	bool is_switch, is_stack, swap;
	bool is_wanted; /* stacks of this event */
	uint8_t long_size;
	const struct field *caller, *prev_pid;
	const struct kallsyms *symbols;
	uint32_t machine;
};

struct stack_left { /* `task` left its CPU at ts with this stack */
	uint64_t ts;
	uint32_t node;
	uint16_t task;
};

struct stacking {
	struct lanes *ls;
	struct timeline *tl;
	int only;	/* -1: all tasks */
	bool by_switch; /* only stacks that follow a switch are wanted, as marks */
	/* else all events are looked at: */
	const char *event; /* whose stacks are wanted, SYSTEM/NAME; NULL: of all */
	uint64_t *n_of;	   /* by kind: stacks that belong to it */
	size_t n_n_of;
	uint16_t kind_before, task_before; /* of the stream's last event */
	uint64_t from, to;
	struct stack_kind *kinds;
	size_t n_kinds;
	struct walk_mask mask;
	struct flametree *t;
	struct mark_cache cache;
	uint64_t n_stacks;
	/* walking a stream */
	uint64_t switch_ts;
	int switched; /* who left, -1: the event before was no switch */
	struct stack_left *left;
	size_t n_left, cap_left;
	int error;
	/* time off the CPU */
	uint32_t *node_of;	   /* by task: where it stands; UINT32_MAX: not known */
	struct state_span *asleep; /* by task: a sleep whose end is not seen yet */
};

static uint32_t task_node(struct stacking *s, int task)
{
	char name[64];

	/* of one task there is nothing to tell apart */
	if (s->only >= 0)
		return 0;
	insight_task_name(s->tl, task, name, sizeof(name));
	return flametree_child(s->t, 0, labels_add(&s->ls->labels, name, strlen(name)));
}

bool insight_is_event(const struct event *ev, const char *name)
{
	size_t len = strlen(ev->system);

	return !strncmp(name, ev->system, len) && name[len] == '/' &&
	       !strcmp(name + len + 1, ev->name);
}

/* --- kernel_stack ---------------------------------------------------------------------------------------- */

static int find_kinds(struct stacking *s)
{
	int r = 0;

	s->n_kinds = timeline_n_kinds(s->tl);
	s->kinds = calloc(s->n_kinds + 1, sizeof(*s->kinds));
	if (!s->kinds)
		return -ENOMEM;
	for (size_t i = 0; i < s->n_kinds && !r; i++) {
		const struct timeline_kind *k = timeline_kind(s->tl, i);
		const struct timeline_source *src = timeline_source(s->tl, k->source);
		struct stack_kind *sk = &s->kinds[i];

		if (!k->event)
			continue;
		sk->is_wanted = !s->event || insight_is_event(k->event, s->event);
		sk->is_stack = !strcmp(k->event->system, "ftrace") &&
			       !strcmp(k->event->name, "kernel_stack");
		sk->is_switch = s->by_switch && !strcmp(k->event->system, "sched") &&
				!strcmp(k->event->name, "sched_switch");
		if (!sk->is_stack && !sk->is_switch)
			continue;
		sk->swap = src->formats->swap;
		sk->machine = src->machine;
		sk->long_size = formats_long_size(src->formats);
		sk->caller = event_find_field(k->event, "caller");
		sk->prev_pid = event_find_field(k->event, "prev_pid");
		if (sk->is_stack) {
			timeline_lock_formats(s->tl);
			sk->symbols = formats_kallsyms(src->formats);
			timeline_unlock_formats(s->tl);
		}
		r = mask_add_kind(&s->mask, i);
	}
	return r;
}

static uint32_t frame_label(struct stacking *s, const struct stack_kind *k, uint64_t addr)
{
	size_t at = (addr * 0x9e3779b97f4a7c15u) >> (64 - MARK_CACHE_BITS);
	const struct ksym *sym;
	char hex[32];

	if (s->cache.slots[at].key == addr && s->cache.slots[at].of == k)
		return s->cache.slots[at].label;
	sym = k->symbols ? kallsyms_find(k->symbols, addr) : NULL;
	if (!sym)
		snprintf(hex, sizeof(hex), "0x%llx", (unsigned long long)addr);
	s->cache.slots[at].key = addr;
	s->cache.slots[at].of = k;
	s->cache.slots[at].label = sym ? labels_add(&s->ls->labels, sym->name, sym->name_len)
				       : labels_add(&s->ls->labels, hex, strlen(hex));
	return s->cache.slots[at].label;
}

/* How many of the innermost frames only wrote the event down. */
static unsigned skip_tracing(struct stacking *s, const uint32_t *labels, unsigned n)
{
	static const char *const heads[] = {"trace_event_raw_event_", "__traceiter_",
					    "trace_event_buffer_",    "__ftrace_trace_stack",
					    "__trace_stack",	      "probe_sched_"};
	unsigned skip = 0;

	for (unsigned i = 0; i < n && i < 4; i++) {
		const char *name = labels_find(&s->ls->labels, labels[i]);

		for (size_t j = 0; j < sizeof(heads) / sizeof(heads[0]); j++)
			if (!strncmp(name, heads[j], strlen(heads[j])))
				skip = i + 1;
	}
	return skip;
}

/* The node of a stack: its outermost frame is next to the root. */
static uint32_t stack_node(struct stacking *s, const struct stack_kind *k,
			   const struct walk_event *ev)
{
	uint32_t labels[FRAMES_MAX], node = task_node(s, ev->task);
	uint64_t pos = k->caller ? k->caller->offset : ev->size;
	unsigned n = 0, first;

	for (; n < FRAMES_MAX && pos + k->long_size <= ev->size; pos += k->long_size) {
		uint64_t addr = bytes_get(ev->data + pos, k->long_size, k->swap);

		if (addr == (k->long_size == 8 ? UINT64_MAX : UINT32_MAX) || !addr)
			break;
		labels[n++] = frame_label(s, k, addr);
	}
	first = skip_tracing(s, labels, n);
	while (n > first)
		node = flametree_child(s->t, node, labels[--n]);
	return node;
}

static void note_left(struct stacking *s, uint16_t task, uint32_t node)
{
	if (s->n_left == s->cap_left) {
		size_t cap = s->cap_left ? s->cap_left * 2 : 1024;
		struct stack_left *more = realloc(s->left, cap * sizeof(*more));

		if (!more) {
			s->error = -ENOMEM;
			return;
		}
		s->left = more;
		s->cap_left = cap;
	}
	s->left[s->n_left++] = (struct stack_left){s->switch_ts, node, task};
}

/* The stacks of all events, by the event before each. */
static bool count_stack(void *ctx, const struct walk_event *ev)
{
	struct stacking *s = ctx;
	const struct stack_kind *k = ev->kind < s->n_kinds ? &s->kinds[ev->kind] : NULL;
	uint16_t before = s->kind_before;
	bool is_its =
		s->task_before == ev->task && before < s->n_n_of && !s->kinds[before].is_stack;

	s->kind_before = ev->kind;
	s->task_before = ev->task;
	if (!k || !k->is_stack || (s->only >= 0 && ev->task != s->only))
		return true;
	/*
	 * What the event was is not known where it was lost, stands before the range, or an interrupt
	 * had an event of its own in between.
	 */
	s->n_of[is_its ? before : s->n_n_of]++;
	if (s->event && !(is_its && s->kinds[before].is_wanted))
		return true;
	flametree_add(s->t, stack_node(s, k, ev), 1);
	s->n_stacks++;
	return true;
}

static bool take_stack(void *ctx, const struct walk_event *ev)
{
	struct stacking *s = ctx;
	const struct stack_kind *k = ev->kind < s->n_kinds ? &s->kinds[ev->kind] : NULL;
	int before = s->switched;

	s->switched = -1;
	if (!k)
		return true;
	if (k->is_switch) {
		const struct field *f = k->prev_pid;

		s->switch_ts = ev->ts;
		if (f && (uint64_t)f->offset + f->size <= ev->size)
			s->switched = timeline_find_task(
				s->tl, k->machine,
				(int)bytes_get(ev->data + f->offset, f->size, k->swap));
		return true;
	}
	if (s->only >= 0 && ev->task != s->only)
		return true;
	if (before >= 0 && before == ev->task) {
		note_left(s, ev->task, stack_node(s, k, ev));
		s->n_stacks++;
	}
	return !s->error;
}

static int walk_stacks(struct stacking *s, uint64_t from, uint64_t to)
{
	struct walk_wants wants = {.from = from, .to = to};
	bool whole, any = false;
	int r = find_kinds(s);

	for (size_t i = 0; i < s->n_kinds && !r; i++)
		any |= s->kinds[i].is_stack;
	if (r < 0 || !any)
		return r;
	if (s->by_switch) {
		wants.kinds = s->mask.bits;
		wants.n_kinds = s->mask.n;
	}
	for (size_t i = 0; i < timeline_n_streams(s->tl) && !r && !s->error; i++) {
		s->switched = -1;
		s->kind_before = TIMELINE_NO_KIND;
		r = timeline_walk(s->tl, i, &wants, s->by_switch ? take_stack : count_stack, s,
				  &whole);
	}
	return r < 0 ? r : s->error;
}

static struct stacking *stacking_new(struct lanes *ls, int task, uint64_t from, uint64_t to,
				     struct flametree *t)
{
	struct stacking *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->ls = ls;
	s->tl = ls->tl;
	s->only = task;
	s->from = from;
	s->to = earlier(to, timeline_duration(ls->tl));
	s->t = t;
	return s;
}

static void stacking_free(struct stacking *s)
{
	free(s->kinds);
	mask_release(&s->mask);
	free(s->left);
	free(s->node_of);
	free(s->asleep);
	free(s);
}

int insight_count_stacks(struct lanes *ls, const char *event, int task, uint64_t from, uint64_t to,
			 struct flametree *t, uint64_t *n_of, size_t n_kinds)
{
	struct stacking *s = stacking_new(ls, task, from, to, t);
	int r;

	if (!s)
		return -ENOMEM;
	s->event = event;
	s->n_of = n_of;
	s->n_n_of = n_kinds;
	r = walk_stacks(s, from, to);
	if (!r && !s->n_stacks)
		r = -ENODATA;
	stacking_free(s);
	return r;
}

/* --- off the CPU ------------------------------------------------------------------------------------------- */

static int compare_left(const void *a, const void *b)
{
	const struct stack_left *x = a, *y = b;

	if (x->ts != y->ts)
		return x->ts < y->ts ? -1 : 1;
	return (x->task > y->task) - (x->task < y->task);
}

static uint32_t find_left(const struct stacking *s, uint64_t ts, uint16_t task)
{
	struct stack_left key = {.ts = ts, .task = task};
	const struct stack_left *found =
		s->n_left ? bsearch(&key, s->left, s->n_left, sizeof(key), compare_left) : NULL;

	return found ? found->node : UINT32_MAX;
}

static void add_by_stack(void *ctx, uint16_t task, const struct task_track *t,
			 const struct state_span *sp, enum task_state next)
{
	struct stacking *s = ctx;
	uint64_t ns = overlap(sp->start, sp->end, s->from, s->to);
	uint32_t node;

	if (sp->state == STATE_RUNNING || sp->state == STATE_DEAD || sp->state == STATE_UNKNOWN) {
		s->node_of[task] = 0;
		return;
	}
	node = find_left(s, sp->start, task);
	if (node != UINT32_MAX)
		s->node_of[task] = node + 1;
	if (!ns)
		return;
	if (!s->node_of[task])
		s->node_of[task] = flametree_child(s->t, task_node(s, task),
						   labels_add(&s->ls->labels, "(no stack)", 10)) +
				   1;
	flametree_add(s->t, s->node_of[task] - 1, ns);
}

static void add_by_waker(struct stacking *s, uint16_t task, const struct state_span *sleep,
			 const struct state_span *after)
{
	uint64_t ns = overlap(sleep->start, sleep->end, s->from, s->to);
	const char *state = task_state_name(sleep->state);
	char text[96] = "(not woken)", name[64];
	uint32_t node;

	if (!ns)
		return;
	if (sleep->state == STATE_RUNNABLE || sleep->state == STATE_PREEMPTED)
		snprintf(text, sizeof(text), "waits for a CPU");
	else if (after && after->state == STATE_RUNNABLE && after->waker_in_irq)
		snprintf(text, sizeof(text), "woken in an interrupt");
	else if (after && after->state == STATE_RUNNABLE && after->waker >= 0)
		snprintf(text, sizeof(text), "woken by %s",
			 insight_task_name(s->tl, after->waker, name, sizeof(name)));
	else if (after)
		snprintf(text, sizeof(text), "(waker not known)");
	node = flametree_child(s->t, task_node(s, task),
			       labels_add(&s->ls->labels, state, strlen(state)));
	flametree_add(s->t,
		      flametree_child(s->t, node, labels_add(&s->ls->labels, text, strlen(text))),
		      ns);
}

/* A sleep is told when what ended it is seen. */
static void add_by_state(void *ctx, uint16_t task, const struct task_track *t,
			 const struct state_span *sp, enum task_state next)
{
	struct stacking *s = ctx;
	struct state_span *asleep = &s->asleep[task];

	if (asleep->state != STATE_UNKNOWN)
		add_by_waker(s, task, asleep, sp);
	asleep->state = STATE_UNKNOWN;
	if (sp->state == STATE_RUNNING || sp->state == STATE_DEAD || sp->state == STATE_UNKNOWN)
		return;
	if (next == STATE_UNKNOWN || sp->state < STATE_SLEEPING)
		add_by_waker(s, task, sp, NULL);
	else
		*asleep = *sp;
}

static int pass_all(struct stacking *s, state_emit emit)
{
	uint8_t *bits = s->only >= 0 ? calloc(1, (UINT16_MAX + 1) / 8) : NULL;
	size_t source = 0;
	uint32_t machine;
	uint64_t end;
	int r = s->only >= 0 && !bits ? -ENOMEM : 0;

	if (bits)
		bit_set(bits, s->only);
	/* what ended a sleep may stand behind the range; looked for as far again as that is long */
	end = s->to + (s->to > s->from ? s->to - s->from : 0) + 1;
	while (!r && lanes_next_machine(s->tl, &source, &machine))
		r = states_pass(s->tl, s->ls->states, machine, bits, s->from, end, emit, s);
	free(bits);
	return r;
}

int insight_off_cpu(struct lanes *ls, int task, uint64_t from, uint64_t to, struct flametree *t,
		    bool *ret_has_stacks)
{
	struct stacking *s = stacking_new(ls, task, from, to, t);
	int r;

	if (!s)
		return -ENOMEM;
	s->by_switch = true;
	s->node_of = calloc(UINT16_MAX + 1, sizeof(*s->node_of));
	s->asleep = calloc(UINT16_MAX + 1, sizeof(*s->asleep));
	r = s->node_of && s->asleep ? walk_stacks(s, 0, s->to) : -ENOMEM;
	if (s->n_left)
		qsort(s->left, s->n_left, sizeof(*s->left), compare_left);
	if (!r)
		r = pass_all(s, s->n_stacks ? add_by_stack : add_by_state);
	*ret_has_stacks = s->n_stacks;
	stacking_free(s);
	return r;
}

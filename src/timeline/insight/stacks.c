// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * stacks.c - counts the stacks of events, and finds the stacks with which tasks left their CPUs.
 *
 * A stack belongs to the event before it on its CPU, if both are of one task. The kernel writes its
 * own stack first (kernel_stack), then the program's (user_stack); both are optional. So a
 * kernel_stack is held until the next event. If that event is the program's stack, its frames
 * called those of the kernel:
 *
 *  bash-136   0x401300   0x401234   entry_SYSCALL_64   …   vfs_read        one path from the root
 *             └ user_stack ────────┘└ kernel_stack ───────────────┘
 *
 * Stacks of events are not CPU samples: the count of a stack is the number of events. So they are
 * counted, and can be selected, by event. A stack after a sched_switch shows where the task was
 * when it left the CPU:
 *
 *	CPU 1   sched_switch prev=bash next=…   kernel_stack (bash)        ← why bash is off the CPU
 *	bash    running │ sleeping ──────────────────────── │ runnable │ running
 *	                └─ all of this has the weight of that stack
 *
 * Each stack is stored once, as a node of the tree that will be drawn; a mark contains the node
 * with which a task left. Without stacks, time off the CPU is shown by state and by waker.
 */
#include "base/array.h"
#include "base/scope.h"
#include "decode/formats/event.h"
#include "format/bytes.h"
#include "timeline/insight/insight_int.h"
#include "timeline/insight/stackframes.h"

#include <errno.h>
#include <stdlib.h>

#define FRAMES_MAX FLAME_DEPTH_MAX

struct stack_kind {
	bool is_switch, swap;
	bool is_wanted; /* stacks of this event are wanted */
	const struct field *prev_pid;
	uint32_t machine;
};

struct held_stack { /* a kernel stack, which the program's stack may follow */
	bool is_on;
	uint16_t task;
	uint64_t ts; /* time of the switch to which the stack belongs */
	uint32_t labels[FRAMES_MAX];
	unsigned n;
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
	bool by_switch; /* only stacks after a switch are wanted, as marks */
	/* otherwise all events are read: */
	const char *event; /* event whose stacks are wanted, SYSTEM/NAME; NULL: all */
	uint64_t *n_of;	   /* number of stacks by kind of their event */
	size_t n_n_of;
	uint16_t kind_before, task_before; /* kind and task of the stream's last event */
	uint64_t from, to;
	struct stack_kind *kinds;
	size_t n_kinds;
	struct walk_mask mask;
	struct flametree *t;
	struct stack_reader reader;
	uint64_t n_stacks;
	/* state while a stream is walked */
	struct held_stack held;
	uint64_t switch_ts;
	int switched; /* the task that left; -1: the event before was not a switch */
	struct stack_left *left;
	size_t n_left, cap_left;
	int error;
	/* state for the time off the CPU */
	uint32_t *node_of;	   /* current node of each task; UINT32_MAX: unknown */
	struct state_span *asleep; /* by task: a sleep whose end was not read yet */
};

static uint32_t task_node(struct stacking *s, int task)
{
	/* a single task needs no level of its own */
	return s->only >= 0 ? 0 : flametree_child(s->t, 0, frame_key_task(FRAME_TASK, task));
}

bool insight_is_event(const struct event *ev, const char *name)
{
	size_t len = strlen(ev->system);

	return !strncmp(name, ev->system, len) && name[len] == '/' &&
	       !strcmp(name + len + 1, ev->name);
}

/* --- stacks ----------------------------------------------------------------------------------- */

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
		sk->is_switch = s->by_switch && !strcmp(k->event->system, "sched") &&
				!strcmp(k->event->name, "sched_switch");
		if (!sk->is_switch && stack_reader_kind(&s->reader, i) == STACK_NONE)
			continue;
		sk->swap = src->formats->swap;
		sk->machine = src->machine;
		sk->prev_pid = event_find_field(k->event, "prev_pid");
		r = mask_add_kind(&s->mask, i);
	}
	return r;
}

/* Returns the node of a stack. Its outermost frame is next to the root. */
static uint32_t stack_node(struct stacking *s, uint16_t task, const uint32_t *labels, unsigned n)
{
	uint32_t node = task_node(s, task);

	while (n)
		node = flametree_child(s->t, node, labels[--n]);
	return node;
}

static void note_left(struct stacking *s, uint64_t ts, uint16_t task, uint32_t node)
{
	if (!ARRAY_ROOM(s->left, s->cap_left, s->n_left + 1, ARRAY_NO_MAX)) {
		s->error = -ENOMEM;
		return;
	}
	s->left[s->n_left++] = (struct stack_left){ts, node, task};
}

/* Adds the held stack, which is complete now. */
static void flush_held(struct stacking *s)
{
	struct held_stack *h = &s->held;
	uint32_t node;

	if (!h->is_on)
		return;
	h->is_on = false;
	node = stack_node(s, h->task, h->labels, h->n);
	if (s->by_switch)
		note_left(s, h->ts, h->task, node);
	else
		flametree_add(s->t, node, 1);
	s->n_stacks++;
}

/* Adds the callers to the held stack. */
static void add_frames(struct stacking *s, const struct walk_event *ev)
{
	struct held_stack *h = &s->held;

	h->n += stack_reader_frames(&s->reader, ev, h->labels + h->n, FRAMES_MAX - h->n);
}

static void hold(struct stacking *s, const struct walk_event *ev)
{
	s->held.is_on = true;
	s->held.task = ev->task;
	s->held.ts = s->switch_ts;
	s->held.n = 0;
	add_frames(s, ev);
	if (stack_reader_kind(&s->reader, ev->kind) == STACK_USER)
		flush_held(s);
}

/*
 * Returns true if the event is the user stack that follows the held kernel stack. In any case, the
 * held stack is complete after this event.
 */
static bool joins_held(struct stacking *s, const struct walk_event *ev)
{
	bool joins = s->held.is_on && s->held.task == ev->task &&
		     stack_reader_kind(&s->reader, ev->kind) == STACK_USER;

	if (joins)
		add_frames(s, ev);
	flush_held(s);
	return joins;
}

/* Counts the stacks of all events, by the event before each. */
static bool count_stack(void *ctx, const struct walk_event *ev)
{
	struct stacking *s = ctx;
	uint16_t before = s->kind_before;
	enum stack_of of = stack_reader_kind(&s->reader, ev->kind),
		      of_before = stack_reader_kind(&s->reader, before);
	bool is_its = s->task_before == ev->task && before < s->n_n_of && of_before == STACK_NONE;
	/*
	 * this is the second stack of an event that is not wanted, or that was counted with the
	 * first stack
	 */
	bool is_second =
		of == STACK_USER && of_before == STACK_KERNEL && s->task_before == ev->task;

	s->kind_before = ev->kind;
	s->task_before = ev->task;
	if (joins_held(s, ev) || is_second || of == STACK_NONE ||
	    stack_reader_is_empty(&s->reader, ev) || (s->only >= 0 && ev->task != s->only))
		return !s->error;
	/*
	 * the event of a stack is unknown if it was lost, is before the range, or if an interrupt
	 * wrote an event in between
	 */
	s->n_of[is_its ? before : s->n_n_of]++;
	if (s->event && !(is_its && s->kinds[before].is_wanted))
		return true;
	hold(s, ev);
	return !s->error;
}

static bool take_stack(void *ctx, const struct walk_event *ev)
{
	struct stacking *s = ctx;
	const struct stack_kind *k = ev->kind < s->n_kinds ? &s->kinds[ev->kind] : NULL;
	int before = s->switched;

	s->switched = -1;
	if (joins_held(s, ev) || !k)
		return !s->error;
	if (k->is_switch) {
		const struct field *f = k->prev_pid;

		s->switch_ts = ev->ts;
		if (f && (uint64_t)f->offset + f->size <= ev->size)
			s->switched = timeline_find_task(
				s->tl, k->machine,
				(int)bytes_get(ev->data + f->offset, f->size, k->swap));
		return true;
	}
	if (before >= 0 && before == ev->task && !stack_reader_is_empty(&s->reader, ev) &&
	    (s->only < 0 || ev->task == s->only))
		hold(s, ev);
	return !s->error;
}

static int walk_stacks(struct stacking *s, uint64_t from, uint64_t to)
{
	struct walk_wants wants = {.from = from, .to = to};
	bool whole;

	TRY(stack_reader_init(&s->reader, s->ls));
	TRY(find_kinds(s));
	if (!s->reader.has_any)
		return 0;
	if (s->by_switch) {
		wants.kinds = s->mask.bits;
		wants.n_kinds = s->mask.n;
	}
	for (size_t i = 0; i < timeline_n_streams(s->tl) && !s->error; i++) {
		int r;

		s->switched = -1;
		s->kind_before = TIMELINE_NO_KIND;
		r = timeline_walk(s->tl, i, &wants, s->by_switch ? take_stack : count_stack, s,
				  &whole);
		flush_held(s);
		TRY(r);
	}
	return s->error;
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
	stack_reader_release(&s->reader);
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

/* --- off the CPU ------------------------------------------------------------------------------ */

ARRAY_ORDER(compare_left, struct stack_left, COMPARE(x->ts, y->ts) ?: COMPARE(x->task, y->task))

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
		s->node_of[task] =
			flametree_child(s->t, task_node(s, task), frame_key(FRAME_NO_STACK, 0)) + 1;
	flametree_add(s->t, s->node_of[task] - 1, ns);
}

/* Returns the reason that ended a time off the CPU. */
static uint32_t end_key(const struct state_span *sleep, const struct state_span *after)
{
	if (sleep->state == STATE_RUNNABLE || sleep->state == STATE_PREEMPTED)
		return frame_key(FRAME_WAITS, 0);
	if (!after)
		return frame_key(FRAME_NOT_WOKEN, 0);
	if (after->state == STATE_RUNNABLE && after->waker_in_irq)
		return frame_key(FRAME_WOKEN_IN_IRQ, 0);
	if (after->state == STATE_RUNNABLE && after->waker >= 0)
		return frame_key_task(FRAME_WOKEN_BY, after->waker);
	return frame_key(FRAME_WAKER_UNKNOWN, 0);
}

static void add_by_waker(struct stacking *s, uint16_t task, const struct state_span *sleep,
			 const struct state_span *after)
{
	uint64_t ns = overlap(sleep->start, sleep->end, s->from, s->to);
	uint32_t node;

	if (!ns)
		return;
	node = flametree_child(s->t, task_node(s, task), frame_key(FRAME_STATE, sleep->state));
	flametree_add(s->t, flametree_child(s->t, node, end_key(sleep, after)), ns);
}

/* Adds a span. A sleep is added when its end is read. */
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
	SCOPED(scope_free) uint8_t *bits = s->only >= 0 ? calloc(1, (UINT16_MAX + 1) / 8) : NULL;
	size_t source = 0;
	uint32_t machine;
	uint64_t end;
	int r = s->only >= 0 && !bits ? -ENOMEM : 0;

	if (bits)
		bit_set(bits, s->only);
	/*
	 * the end of a sleep may be after the range; search for it in a time that is as long as the
	 * range
	 */
	end = s->to + (s->to > s->from ? s->to - s->from : 0) + 1;
	while (!r && lanes_next_machine(s->tl, &source, &machine))
		r = states_pass(s->tl, s->ls->states, machine, bits, s->from, end, emit, s);
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

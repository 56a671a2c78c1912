// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * callhist.c - builds call stacks from the records of a trace, and counts them.
 *
 * Stacks come from four kinds of records:
 *	function          "f called by p": if p is on top of the stack, f is pushed; otherwise
 *	                  the current stack is counted and functions are removed until p is found
 *	funcgraph         entry: its depth gives its place; exit: the stack is counted and shortened
 *	kernel_stack      the whole stack of the preceding event, or of the function on top
 *	perf:sample       a whole stack
 * An event is pending until it is known whether its kernel stack follows. The current stack
 * belongs to one task. When a function of another task appears, the stack is saved (`saved`) until
 * its task runs again.
 *
 *	current [start_kernel … vfs_read]       pending [… vfs_read, sched_switch]
 *	saved   pid 7 [ … ]  pid 15 [ … ]       the latest first
 *
 * All this follows trace-cmd hist record by record, so that the two can be compared: the current
 * stack stays when the next CPU is read, an event gets the functions of the current stack even if
 * they belong to another task, and an event followed by another task's kernel stack is dropped.
 * The differences: a function without a name is shown by its address (trace-cmd makes a new top of
 * it, or crashes), and everything has a limit.
 *
 * calltree.c counts the stacks. A task's name is found by a binary search over all names of all
 * tasks in the trace, as in libtraceevent; comm_table.c keeps that list short.
 */
#include "analyse/callhist.h"
#include "base/array.h"
#include "analyse/comm_table.h"
#include "analyse/namepool.h"
#include "decode/samples/sampleevent.h"
#include "format/bytes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH_MAX	 4096  /* functions in a stack; kernel stacks have at most a few hundred */
#define SAVED_MAX	 65536 /* limit of saved stacks, and of the functions in all of them: */
#define SAVED_FRAMES_MAX (1u << 20)

struct stack {
	struct call_frame *frames; /* the outermost first */
	size_t n, cap;
	int pid; /* negative: no task */
};

struct saved_stack {
	struct stack stack;
	struct call_task *task;
	struct saved_stack *older, *newer;
	/* stacks of the same task; task->aside is the newest */
	struct saved_stack *older_of_task, *newer_of_task;
};

struct function_fields {
	const struct event *event;
	const struct field *a, *b; /* ip and parent_ip, or func and depth */
};

struct callhist {
	struct formats *f;
	const struct kallsyms *symbols;
	struct ksym_cache *cache;
	struct function_fields function, entry, exit, stack, wakeup[2], prev, next;
	struct sample_kind sample; /* perf:sample */
	struct stack current, pending;
	struct saved_stack *newest, *oldest;
	size_t n_saved, n_saved_frames;

	struct calltree tree;
	struct comm_table comms;
	struct namepool made_up; /* names for functions without a name */
};

/* --- stacks ----------------------------------------------------------------------------------- */

static void stack_push(struct stack *s, struct call_frame frame)
{
	if (!ARRAY_ROOM(s->frames, s->cap, s->n + 1, DEPTH_MAX))
		return;
	s->frames[s->n++] = frame;
}

static void stack_cut(struct stack *s, uint64_t depth)
{
	if (s->n > depth)
		s->n = depth;
}

static void stack_copy(struct stack *to, const struct stack *from, int pid)
{
	to->n = 0;
	to->pid = pid;
	for (size_t i = 0; i < from->n; i++)
		stack_push(to, from->frames[i]);
}

static void stack_drop(struct stack *s)
{
	s->pid = -1;
	s->n = 0;
}

static void count_stack(struct callhist *h, const struct stack *s, bool is_event)
{
	calltree_add(&h->tree, s->pid, s->frames, s->n, is_event);
}

/* --- stacks laid aside ------------------------------------------------------------------------ */

static void saved_unlink(struct callhist *h, struct saved_stack *s)
{
	*(s->newer ? &s->newer->older : &h->newest) = s->older;
	*(s->older ? &s->older->newer : &h->oldest) = s->newer;
	if (s->newer_of_task)
		s->newer_of_task->older_of_task = s->older_of_task;
	else
		s->task->aside = s->older_of_task;
	if (s->older_of_task)
		s->older_of_task->newer_of_task = s->newer_of_task;
	h->n_saved--;
	h->n_saved_frames -= s->stack.n;
}

static void saved_count(struct callhist *h, struct saved_stack *s)
{
	saved_unlink(h, s);
	count_stack(h, &s->stack, false);
	free(s->stack.frames);
	free(s);
}

static void save_current(struct callhist *h)
{
	struct call_task *task = calltree_task(&h->tree, h->current.pid);
	struct saved_stack *s = task ? malloc(sizeof(*s)) : NULL;

	if (s) {
		*s = (struct saved_stack){.stack = h->current,
					  .task = task,
					  .older = h->newest,
					  .older_of_task = task->aside};
		*(h->newest ? &h->newest->newer : &h->oldest) = s;
		if (s->older_of_task)
			s->older_of_task->newer_of_task = s;
		task->aside = h->newest = s;
		h->n_saved++;
		h->n_saved_frames += s->stack.n;
		h->current = (struct stack){0};
	} else {
		h->tree.n_cut++;
	}
	stack_drop(&h->current);
	while (h->n_saved > SAVED_MAX || h->n_saved_frames > SAVED_FRAMES_MAX)
		saved_count(h, h->oldest);
}

/* Restores the latest saved stack of a task, if it has one. */
static void restore(struct callhist *h, int pid)
{
	struct call_task *task = calltree_task(&h->tree, pid);
	struct saved_stack *s = task ? task->aside : NULL;

	if (!s)
		return;
	saved_unlink(h, s);
	free(h->current.frames);
	h->current = s->stack;
	free(s);
}

static void make_current(struct callhist *h, int pid)
{
	if (h->current.pid >= 0 && h->current.pid != pid) {
		save_current(h);
		restore(h, pid);
	}
	h->current.pid = pid;
}

/* --- records ---------------------------------------------------------------------------------- */

static int pid_of(const struct callhist *h, const struct record *rec)
{
	return formats_common(h->f, &h->f->pid, rec->data, rec->size);
}

static const struct ksym *find_symbol(struct callhist *h, uint64_t addr)
{
	return kallsyms_find_cached(h->symbols, h->cache, addr);
}

/* Makes a frame for an address without a symbol, identified by its text. */
static struct call_frame made_up(struct callhist *h, const char *form, uint64_t number)
{
	char text[64];
	int len = snprintf(text, sizeof(text), form, (unsigned long long)number);

	const struct pooled_name *name = namepool_find(&h->made_up, text, len);

	return name ? (struct call_frame){name->text, name->len} : (struct call_frame){"?", 1};
}

static struct call_frame function_at(struct callhist *h, uint64_t addr)
{
	const struct ksym *sym = find_symbol(h, addr);

	return sym ? (struct call_frame){sym->name, sym->name_len} : made_up(h, "0x%llx", addr);
}

static void add_function(struct callhist *h, const struct record *rec)
{
	struct stack *s = &h->current;
	struct call_frame func, parent;
	uint64_t ip, parent_ip;

	if (!formats_read(h->f, rec, h->function.a, &ip) ||
	    !formats_read(h->f, rec, h->function.b, &parent_ip))
		return;
	func = function_at(h, ip);
	parent = function_at(h, parent_ip);
	make_current(h, pid_of(h, rec));
	if (s->n && s->frames[s->n - 1].name != parent.name) {
		count_stack(h, s, false);
		do {
			s->n--;
		} while (s->n && s->frames[s->n - 1].name != parent.name);
	}
	if (!s->n)
		stack_push(s, parent);
	stack_push(s, func);
}

static void add_graph_entry(struct callhist *h, const struct record *rec)
{
	uint64_t ip, depth;

	if (!formats_read(h->f, rec, h->entry.a, &ip) ||
	    !formats_read(h->f, rec, h->entry.b, &depth))
		return;
	make_current(h, pid_of(h, rec));
	if (h->current.n != depth) {
		count_stack(h, &h->current, false);
		stack_cut(&h->current, depth);
	}
	stack_push(&h->current, function_at(h, ip));
}

static void add_graph_exit(struct callhist *h, const struct record *rec)
{
	uint64_t depth;

	if (!formats_read(h->f, rec, h->exit.b, &depth))
		return;
	make_current(h, pid_of(h, rec));
	if (h->current.n == depth)
		return;
	count_stack(h, &h->current, false);
	stack_cut(&h->current, depth);
}

/*
 * Pushes the callers that the record lists, the innermost first. The list ends with the record, or
 * with an address whose bits are all 1.
 */
static void push_callers(struct callhist *h, const struct record *rec, const struct field *field)
{
	uint32_t step = h->f->long_size, n = 0;
	uint32_t room = rec->size > field->offset ? (rec->size - field->offset) / step : 0;
	const uint8_t *callers = rec->data + field->offset;

	for (; n < room; n++)
		if ((uint32_t)bytes_get(callers + n * step, step, h->f->swap) == UINT32_MAX)
			break;
	while (n-- > 0) {
		const struct ksym *sym =
			find_symbol(h, bytes_get(callers + n * step, step, h->f->swap));

		if (sym)
			stack_push(&h->current, (struct call_frame){sym->name, sym->name_len});
	}
}

static void add_kernel_stack(struct callhist *h, const struct record *rec)
{
	int pid = pid_of(h, rec);
	bool aside = false;

	if (h->pending.pid >= 0 && h->pending.pid != pid) {
		stack_drop(&h->pending);
		return;
	}
	if (!h->stack.a)
		return;
	if (h->current.pid >= 0 && h->pending.pid >= 0) {
		save_current(h);
		aside = true;
	} else if (h->current.pid >= 0) {
		/* copy the stack of the function on top */
		stack_copy(&h->pending, &h->current, h->current.pid);
		stack_drop(&h->current);
	}
	h->current.pid = pid;
	push_callers(h, rec, h->stack.a);
	if (h->pending.pid >= 0) {
		if (h->pending.n)
			stack_push(&h->current, h->pending.frames[h->pending.n - 1]);
		stack_drop(&h->pending);
	}
	count_stack(h, &h->current, true);
	if (aside)
		restore(h, pid);
}

/* A sample has its whole stack, and belongs to no other event. */
static void add_sample(struct callhist *h, const struct record *rec)
{
	struct stack s = {.pid = pid_of(h, rec)};
	struct sample_event sample;

	if (!sample_kind_read(&h->sample, rec->data, rec->size, &sample))
		return;
	if (!sample.n)
		stack_push(&s, function_at(h, sample.ip));
	/* callers are named by the byte before the return address */
	for (uint32_t i = sample.n; i-- > 0;)
		stack_push(&s, function_at(h, sample_place(&sample, i) - (i > 0)));
	count_stack(h, &s, false);
	free(s.frames);
}

static void learn_comm(struct callhist *h, const struct record *rec,
		       const struct function_fields *ff)
{
	const struct field *comm = ff->a;
	uint64_t pid;

	if (!comm || comm->offset > rec->size || rec->size - comm->offset < comm->size ||
	    !formats_read(h->f, rec, ff->b, &pid))
		return;
	comm_table_add(&h->comms, (int)pid, (const char *)rec->data + comm->offset, comm->size);
}

static void learn_comms(struct callhist *h, const struct record *rec)
{
	for (int i = 0; i < 2; i++)
		if (rec->event == h->wakeup[i].event)
			learn_comm(h, rec, &h->wakeup[i]);
	if (rec->event != h->prev.event)
		return;
	learn_comm(h, rec, &h->prev);
	learn_comm(h, rec, &h->next);
}

static void add_event(struct callhist *h, const struct record *rec)
{
	struct call_frame frame;

	if (rec->event)
		frame = (struct call_frame){rec->event->name, strlen(rec->event->name)};
	else
		frame = made_up(h, "unknown event %llu",
				(uint64_t)formats_record_id(h->f, rec->data, rec->size));
	if (h->pending.pid >= 0)
		count_stack(h, &h->pending, true);
	stack_copy(&h->pending, &h->current, pid_of(h, rec));
	stack_push(&h->pending, frame);
}

void callhist_add(struct callhist *h, const struct record *rec)
{
	if (rec->flags & RECORD_MISSED && h->current.pid >= 0) {
		count_stack(h, &h->current, false);
		stack_drop(&h->current);
	}
	if (rec->event) {
		const struct {
			const struct function_fields *fields;
			void (*add)(struct callhist *h, const struct record *rec);
		} rows[] = {{&h->function, add_function},
			    {&h->entry, add_graph_entry},
			    {&h->exit, add_graph_exit},
			    {&h->stack, add_kernel_stack}};

		for (size_t i = 0; i < ARRAY_LEN(rows); i++)
			if (rec->event == rows[i].fields->event) {
				rows[i].add(h, rec);
				return;
			}
		if (rec->event == h->sample.event) {
			add_sample(h, rec);
			return;
		}
		learn_comms(h, rec);
	}
	add_event(h, rec);
}

/* --- the end ---------------------------------------------------------------------------------- */

void callhist_finish(struct callhist *h)
{
	if (h->current.pid >= 0)
		count_stack(h, &h->current, false);
	if (h->pending.pid >= 0)
		count_stack(h, &h->pending, true);
	stack_drop(&h->current);
	stack_drop(&h->pending);
	while (h->newest)
		saved_count(h, h->newest);
	calltree_finish(&h->tree);
	comm_table_finish(&h->comms);
}

const struct call_node *callhist_tops(const struct callhist *h)
{
	return h->tree.tops;
}

uint64_t callhist_total(const struct callhist *h)
{
	return h->tree.total;
}

uint64_t callhist_n_cut(const struct callhist *h)
{
	return h->tree.n_cut;
}

const char *callhist_comm(const struct callhist *h, int pid)
{
	return comm_table_find(&h->comms, pid);
}

/* --- life ------------------------------------------------------------------------------------- */

static struct function_fields find_fields(struct formats *f, const char *system, const char *name,
					  const char *a, const char *b)
{
	const struct event *ev = formats_find_name(f, system, name);

	if (!ev)
		return (struct function_fields){0};
	/* records contain the event that their id finds, which may differ */
	ev = formats_find(f, ev->id);
	return (struct function_fields){ev, event_find_field(ev, a),
					b ? event_find_field(ev, b) : NULL};
}

static void find_all_fields(struct callhist *h)
{
	struct formats *f = h->f;

	h->function = find_fields(f, "ftrace", "function", "ip", "parent_ip");
	h->entry = find_fields(f, "ftrace", "funcgraph_entry", "func", "depth");
	h->exit = find_fields(f, "ftrace", "funcgraph_exit", "func", "depth");
	h->stack = find_fields(f, "ftrace", "kernel_stack", "caller", NULL);
	if (sample_kind_init(&h->sample, f))
		h->sample.event = formats_find(f, h->sample.event->id);
	h->wakeup[0] = find_fields(f, "sched", "sched_wakeup", "comm", "pid");
	h->wakeup[1] = find_fields(f, "sched", "sched_wakeup_new", "comm", "pid");
	h->prev = find_fields(f, "sched", "sched_switch", "prev_comm", "prev_pid");
	h->next = find_fields(f, "sched", "sched_switch", "next_comm", "next_pid");
}

struct callhist *callhist_new(struct formats *f, const struct tasks *tasks, bool by_task)
{
	struct callhist *h = calloc(1, sizeof(*h));

	if (!h)
		return NULL;
	h->f = f;
	h->current.pid = h->pending.pid = -1;
	calltree_init(&h->tree, by_task);
	namepool_init(&h->made_up);
	h->symbols = formats_kallsyms(f);
	h->cache = malloc(sizeof(*h->cache));
	comm_table_init(&h->comms, tasks);
	if (!h->cache) {
		callhist_free(h);
		return NULL;
	}
	ksym_cache_init(h->cache, h->symbols);
	find_all_fields(h);
	return h;
}

void callhist_free(struct callhist *h)
{
	if (!h)
		return;
	while (h->newest) {
		struct saved_stack *s = h->newest;

		saved_unlink(h, s);
		free(s->stack.frames);
		free(s);
	}
	free(h->current.frames);
	free(h->pending.frames);
	free(h->cache);
	comm_table_release(&h->comms);
	namepool_release(&h->made_up);
	calltree_release(&h->tree);
	free(h);
}

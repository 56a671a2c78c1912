// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * study.c - counts, times, stacks and call times, for a question in a line of words.
 *
 * Every answer is a table of rows, found by their label: the values of some fields as text. A text
 * is stored once (namepool), so labels and keys are compared as pointers.
 *
 *	count     event ──▶ label of its groups ──▶ row.n++
 *	time      from  ──▶ text of its keys ──▶ start { ts, label }          the first one counts until …
 *	          to    ──▶ text of its keys ──▶ start ──▶ row.total += ts - start.ts     … it is removed
 *	stacks    event ──▶ its CPU waits; kernel_stack next on that CPU ──▶ row of that stack, or of the
 *	          part of it that lies beyond a function; nothing there: user space
 *	graph     funcgraph_exit ──▶ row of the function; its time is subtracted from its caller's self time
 *
 * A softirq can be raised several times before it runs: the wait began with the first. Where events
 * were lost, earlier starts are not reliable and are dropped.
 *
 * Times are those of the records, in ns, or in units of a clock that does not count ns. From its
 * second time on, a row of times counts how many fell into each eighth of a power of two, in 2 KB.
 */
#include "analyse/study/study.h"
#include "analyse/study/study_int.h"

#include "base/array.h"
#include "base/map.h"
#include "format/bytes.h"
#include "symbols/tasks.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>

#define ROWS_MAX	 (1u << 16)
#define STARTS_MAX	 (1u << 18)
#define CPUS_MAX	 65536
#define ARENA_MAX_BYTES	 (64u << 20)
#define LABEL_MAX_BYTES	 16384
#define GRAPH_DEPTH_MAX	 64
#define GRAPH_TASKS_MAX	 2048
#define STACK_FRAMES_MAX 64
#define BINS		 496 /* bin_of() of the largest number, plus one */

struct row {
	struct study_row pub; /* first: table_get() writes the label */
	uint32_t *bins;
};

struct start {
	const struct pooled_name *key;
	const struct pooled_name *label; /* NULL: the end has it */
	uint64_t ts;
	uint32_t generation; /* 0: nothing is open */
};

struct graph_task {
	int64_t who;
	uint64_t begun[GRAPH_DEPTH_MAX], inner[GRAPH_DEPTH_MAX + 1]; /* by depth */
};

struct study {
	const struct study_spec *spec;
	struct formats *f;
	struct own own;
	struct printer printer;
	struct textbuf label;
	struct namepool names;
	struct arena arena;
	struct study_event **events; /* by id */
	size_t n_events;
	struct map rows, starts; /* struct row by label, struct start by key */
	uint32_t generation;
	int stack_id, entry_id, exit_id; /* of kernel_stack, funcgraph_entry, funcgraph_exit */
	const struct field *caller, *func, *depth, *calltime, *rettime, *entry_depth;
	int *waiting; /* by CPU: the task whose stack is expected; -1: none */
	size_t n_waiting;
	struct map tasks; /* struct graph_task by pid or CPU */
	struct study_row **sorted;
	size_t n_sorted;
	uint64_t n_dropped, n_seen;
};

/*
 * --- tables ------------------------------------------------------------------------------------
 */

/* The entry of that name; adds it if it is new; NULL if there is no room. */
static void *table_get(struct study *s, struct map *m, const void *name, size_t n_bytes, size_t max)
{
	void **slot = name ? map_take(m, (uintptr_t)name, max) : NULL;

	if (slot && !*slot) {
		*slot = arena_alloc(&s->arena, n_bytes);
		if (*slot)
			**(const void ***)slot = name;
	}
	return slot ? *slot : NULL;
}

static const struct pooled_name *pool_label(struct study *s)
{
	size_t len = textbuf_len(&s->label);

	/* a question without groups has one row with an empty label */
	return namepool_find(&s->names, len ? s->label.start : "", len);
}

/* Eight for each power of two, from 8 on; below, the number itself. */
static unsigned bin_of(uint64_t v)
{
	unsigned log = v < 8 ? 2 : 63 - __builtin_clzll(v);

	return v < 8 ? v : (log - 2) * 8 + ((v >> (log - 3)) & 7);
}

/* The largest number of a bin. */
static uint64_t bin_end(unsigned bin)
{
	unsigned log = bin / 8 + 2;

	return bin < 8 ? bin : ((8ull | (bin & 7)) << (log - 3)) + ((1ull << (log - 3)) - 1);
}

static void add_to_bins(struct study *s, struct row *row, uint64_t time)
{
	if (row->pub.n == 2) {
		row->bins = arena_alloc(&s->arena, BINS * sizeof(*row->bins));
		if (row->bins)
			row->bins[bin_of(row->pub.max)]++;
	}
	if (row->bins)
		row->bins[bin_of(time)]++;
}

static void find_p99(struct row *row)
{
	uint64_t left = row->pub.n - (row->pub.n * 99 + 99) / 100 + 1; /* it and the longer ones */
	unsigned bin = BINS;

	row->pub.p99 = row->pub.max;
	if (!row->bins)
		return;
	for (uint64_t n = 0; bin && n < left;)
		n += row->bins[--bin];
	if (bin_end(bin) < row->pub.max)
		row->pub.p99 = bin_end(bin);
}

static void add_to_row(struct study *s, const struct pooled_name *label, uint64_t time,
		       uint64_t self, uint64_t ts)
{
	struct row *entry =
		table_get(s, &s->rows, label ? label->text : NULL, sizeof(*entry), ROWS_MAX);
	struct study_row *row = &entry->pub;

	if (!entry) {
		s->n_dropped++;
		return;
	}
	row->n++;
	if (s->spec->kind == STUDY_TIME)
		add_to_bins(s, entry, time);
	row->total += time;
	row->self += self;
	if (time > row->max || row->n == 1) {
		row->max = time;
		row->max_ts = ts;
	}
}

/*
 * --- count and time ----------------------------------------------------------------------------
 */

static const struct pooled_name *group_of(struct study *s, const struct study_event *se,
					  const struct record *rec)
{
	return study_fmt_label(&s->printer, rec, se->groups, s->spec->n_groups) ? pool_label(s)
										: NULL;
}

/* Is the task, which is identified by its pid, sonde's own? */
static bool is_own(struct study *s, const struct study_value *keys, const struct record *rec)
{
	uint64_t pid;

	if (s->own.processes)
		printer_point_at(&s->printer, rec);
	for (size_t i = 0; s->own.processes && i < s->spec->n_keys; i++) {
		if (keys[i].kind == VALUE_PID &&
		    own_is_task(&s->own, formats_common(s->f, &s->f->pid, rec->data, rec->size)))
			return true;
		if (keys[i].kind == VALUE_FIELD && own_is_field(keys[i].field->name) &&
		    printer_number(&s->printer, keys[i].field, &pid) &&
		    own_is_task(&s->own, (int)pid))
			return true;
	}
	return false;
}

static void begin(struct study *s, const struct study_event *se, const struct record *rec)
{
	struct start *start;

	if (is_own(s, se->from_keys, rec) ||
	    !study_fmt_label(&s->printer, rec, se->from_keys, s->spec->n_keys))
		return;
	start = table_get(s, &s->starts, pool_label(s), sizeof(*start), STARTS_MAX);
	if (!start) {
		s->n_dropped++;
		return;
	}
	if (start->generation == s->generation)
		return;
	start->generation = s->generation;
	start->ts = rec->ts;
	start->label = group_of(s, se, rec);
}

static void end(struct study *s, const struct study_event *se, const struct record *rec)
{
	struct start *start;

	if (is_own(s, se->to_keys, rec) ||
	    !study_fmt_label(&s->printer, rec, se->to_keys, s->spec->n_keys))
		return;
	start = table_get(s, &s->starts, pool_label(s), sizeof(*start), STARTS_MAX);
	if (!start || start->generation != s->generation)
		return;
	start->generation = 0;
	add_to_row(s, start->label ? start->label : group_of(s, se, rec),
		   rec->ts > start->ts ? rec->ts - start->ts : 0, 0, rec->ts);
}

/*
 * --- stacks ------------------------------------------------------------------------------------
 */

static int *waiting_of(struct study *s, uint32_t cpu)
{
	if (cpu >= CPUS_MAX)
		return NULL;
	if (cpu >= s->n_waiting) {
		int *more = realloc(s->waiting, (cpu + 1) * sizeof(*more));

		if (!more)
			return NULL;
		for (size_t i = s->n_waiting; i <= cpu; i++)
			more[i] = -1;
		s->waiting = more;
		s->n_waiting = cpu + 1;
	}
	return &s->waiting[cpu];
}

/* The tracer's own functions are on top of every stack and are irrelevant. */
static bool is_of_tracer(const char *name, size_t len)
{
	static const char *const beginnings[] = {"trace_event_raw_event_",
						 "trace_event_buffer_",
						 "trace_raw_output_",
						 "__traceiter_",
						 "kprobe_",
						 "ftrace_",
						 "event_triggers_",
						 "__ftrace_"};

	for (size_t i = 0; i < ARRAY_LEN(beginnings); i++)
		if (len >= strlen(beginnings[i]) &&
		    !memcmp(name, beginnings[i], strlen(beginnings[i])))
			return true;
	return false;
}

static bool is_beyond(struct study *s, size_t from)
{
	const char *label = textbuf_text(&s->label);
	bool found = false;

	for (size_t i = 0; i < s->spec->n_beyond && !found && !s->label.overflow; i++)
		found = !fnmatch(s->spec->beyond[i], label + from, 0);
	return found;
}

static void add_stack(struct study *s, const struct record *rec)
{
	unsigned step = s->f->long_size, n = 0;
	bool cut = !s->spec->n_beyond;
	size_t len;

	printer_point_at(&s->printer, rec);
	textbuf_clear(&s->label);
	for (uint32_t pos = s->caller->offset; pos <= rec->size && rec->size - pos >= step;
	     pos += step) {
		uint64_t addr = bytes_get(rec->data + pos, step, s->f->swap);

		if (addr == UINT64_MAX || (step == 4 && addr == UINT32_MAX) ||
		    n == STACK_FRAMES_MAX)
			break;
		if (n)
			textbuf_add_char(&s->label, '\n');
		len = textbuf_len(&s->label);
		study_fmt_function(&s->printer, addr);
		n++;
		if (n == 1 && is_of_tracer(s->label.start + len, textbuf_len(&s->label) - len)) {
			textbuf_clear(&s->label);
			n = 0;
		} else if ((!cut || n == 1) && is_beyond(s, len)) { /* entries come in pairs */
			textbuf_clear(&s->label);
			n = 0;
			cut = true;
		}
	}
	if (!n && cut && s->spec->n_beyond)
		textbuf_add_str(&s->label, "user space");
	if (textbuf_len(&s->label))
		add_to_row(s, pool_label(s), 0, 0, rec->ts);
}

static void follow_stacks(struct study *s, const struct study_event *se, const struct record *rec)
{
	int *waiting = waiting_of(s, rec->cpu), pid = rec->task ? rec->task->pid : -1;

	if (!waiting)
		return;
	if (rec->event->id == s->stack_id && s->caller) {
		if (*waiting == pid && pid >= 0)
			add_stack(s, rec);
		*waiting = -1;
		return;
	}
	*waiting = se->roles & ROLE_FROM ? pid : -1;
}

/*
 * --- graph -------------------------------------------------------------------------------------
 */

/* Idle tasks share a pid, so their CPU identifies them. */
static struct graph_task *graph_task_of(struct study *s, const struct record *rec)
{
	int64_t who = rec->task && rec->task->pid ? rec->task->pid : -1 - (int64_t)rec->cpu;
	void **slot = map_take(&s->tasks, (uint64_t)who, GRAPH_TASKS_MAX);

	if (slot && !*slot) {
		struct graph_task *task = arena_alloc(&s->arena, sizeof(*task));

		if (task)
			task->who = who;
		*slot = task;
	}
	return slot ? *slot : NULL;
}

static bool is_asked_for(const struct study *s, const char *name)
{
	for (size_t i = 0; i < s->spec->n_from; i++)
		if (!strcmp(s->spec->from[i], name))
			return true;
	return !s->spec->n_from;
}

static void leave_function(struct study *s, struct graph_task *task, const struct record *rec)
{
	uint64_t func, depth = 0, from, to, time, inner;

	printer_point_at(&s->printer, rec);
	if (!printer_number(&s->printer, s->func, &func))
		return;
	printer_number(&s->printer, s->depth, &depth);
	if (depth >= GRAPH_DEPTH_MAX)
		return;
	if (printer_number(&s->printer, s->calltime, &from) &&
	    printer_number(&s->printer, s->rettime, &to)) {
		time = to > from ? to - from : 0;
	} else if (task->begun[depth]) {
		time = rec->ts - task->begun[depth];
	} else {
		return;
	}
	inner = task->inner[depth + 1];
	task->inner[depth + 1] = 0;
	task->inner[depth] += time;
	textbuf_clear(&s->label);
	study_fmt_function(&s->printer, func);
	if (is_asked_for(s, textbuf_text(&s->label)))
		add_to_row(s, pool_label(s), time, time > inner ? time - inner : 0, rec->ts);
}

static void follow_graph(struct study *s, const struct record *rec)
{
	bool is_entry = rec->event->id == s->entry_id;
	struct graph_task *task;
	uint64_t depth = 0;

	if (!is_entry && rec->event->id != s->exit_id)
		return;
	s->n_seen++;
	task = graph_task_of(s, rec);
	if (!task) {
		s->n_dropped++;
		return;
	}
	if (!is_entry)
		return leave_function(s, task, rec);
	printer_point_at(&s->printer, rec);
	printer_number(&s->printer, s->entry_depth, &depth);
	if (depth < GRAPH_DEPTH_MAX) {
		task->begun[depth] = rec->ts;
		task->inner[depth + 1] = 0;
	}
}

static void forget_graph(struct study *s)
{
	for (size_t i = 0; i < s->tasks.n_slots; i++) {
		struct graph_task *task = s->tasks.slots[i].value;

		if (task) {
			memset(task->begun, 0, sizeof(task->begun));
			memset(task->inner, 0, sizeof(task->inner));
		}
	}
}

/*
 * --- the door ----------------------------------------------------------------------------------
 */

static const struct study_event *event_of(struct study *s, const struct event *ev)
{
	if ((unsigned)ev->id >= s->n_events)
		return NULL;
	if (!s->events[ev->id])
		s->events[ev->id] = study_event_new(s->spec, ev, &s->arena);
	return s->events[ev->id];
}

void study_add(struct study *s, const struct record *rec)
{
	const struct study_event *se = rec->event ? event_of(s, rec->event) : NULL;

	if (rec->flags & RECORD_MISSED) {
		s->generation++;
		forget_graph(s);
	}
	if (!se || (s->spec->kind == STUDY_TIME ? own_is_only(&s->own, rec)
						: own_takes_part(&s->own, rec)))
		return;
	s->n_seen += s->spec->kind != STUDY_GRAPH && se->roles & ROLE_FROM;
	switch (s->spec->kind) {
	case STUDY_COUNT:
		if (se->roles & ROLE_FROM)
			add_to_row(s, group_of(s, se, rec), 0, 0, rec->ts);
		return;
	case STUDY_TIME:
		if (se->roles & ROLE_TO)
			end(s, se, rec);
		if (se->roles & ROLE_FROM)
			begin(s, se, rec);
		return;
	case STUDY_STACKS:
		return follow_stacks(s, se, rec);
	case STUDY_GRAPH:
		return follow_graph(s, rec);
	}
}

static int compare_rows(const void *a, const void *b)
{
	const struct study_row *x = *(struct study_row *const *)a,
			       *y = *(struct study_row *const *)b;

	if (x->total != y->total)
		return x->total < y->total ? 1 : -1;
	if (x->n != y->n)
		return x->n < y->n ? 1 : -1;
	return strcmp(x->label, y->label);
}

int study_finish(struct study *s)
{
	s->sorted = calloc(s->rows.n + 1, sizeof(*s->sorted));
	if (!s->sorted)
		return -ENOMEM;
	for (size_t i = 0; i < s->rows.n_slots; i++)
		if (s->rows.slots[i].value) {
			find_p99(s->rows.slots[i].value);
			s->sorted[s->n_sorted++] = s->rows.slots[i].value;
		}
	qsort(s->sorted, s->n_sorted, sizeof(*s->sorted), compare_rows);
	return 0;
}

const struct study_spec *study_spec(const struct study *s)
{
	return s->spec;
}

const struct study_row *const *study_rows(const struct study *s, size_t *ret_n)
{
	*ret_n = s->n_sorted;
	return (const struct study_row *const *)s->sorted;
}

uint64_t study_n_open(const struct study *s)
{
	uint64_t n = 0;

	for (size_t i = 0; i < s->starts.n_slots; i++) {
		const struct start *start = s->starts.slots[i].value;

		n += start && start->generation == s->generation;
	}
	return n;
}

uint64_t study_n_dropped(const struct study *s)
{
	return s->n_dropped;
}

uint64_t study_n_seen(const struct study *s)
{
	return s->n_seen;
}

void study_range_add(struct study_range *range, const struct record *rec)
{
	if (!range->n_events || rec->ts < range->first)
		range->first = rec->ts;
	if (rec->ts > range->last)
		range->last = rec->ts;
	range->n_events++;
	range->n_gaps += rec->flags & RECORD_MISSED ? 1 : 0;
}

static const struct field *field_of(const struct event *ev, const char *name)
{
	return ev ? event_find_field(ev, name) : NULL;
}

static void find_ftrace_events(struct study *s)
{
	const struct event *stack = formats_find_name(s->f, "ftrace", "kernel_stack");
	const struct event *entry = formats_find_name(s->f, "ftrace", "funcgraph_entry");
	const struct event *leave = formats_find_name(s->f, "ftrace", "funcgraph_exit");

	s->stack_id = stack ? stack->id : -1;
	s->entry_id = entry ? entry->id : -1;
	s->exit_id = leave ? leave->id : -1;
	s->caller = field_of(stack, "caller");
	s->entry_depth = field_of(entry, "depth");
	s->func = field_of(leave, "func");
	s->depth = field_of(leave, "depth");
	s->calltime = field_of(leave, "calltime");
	s->rettime = field_of(leave, "rettime");
}

struct study *study_new(const struct study_spec *spec, struct formats *f)
{
	struct study *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->spec = spec;
	s->f = f;
	s->generation = 1;
	s->n_events = f->n_table;
	textbuf_init(&s->label, LABEL_MAX_BYTES);
	namepool_init(&s->names);
	arena_init(&s->arena, ARENA_MAX_BYTES);
	s->events = calloc(s->n_events + 1, sizeof(struct study_event *));
	if (!s->events || own_init(&s->own, f, spec->with_own) < 0 ||
	    printer_init(&s->printer, f, &s->label) < 0) {
		study_free(s);
		return NULL;
	}
	formats_kallsyms(f);
	find_ftrace_events(s);
	return s;
}

void study_free(struct study *s)
{
	if (!s)
		return;
	own_release(&s->own);
	printer_release(&s->printer);
	textbuf_release(&s->label);
	namepool_release(&s->names);
	arena_release(&s->arena);
	free(s->events);
	map_release(&s->rows);
	map_release(&s->starts);
	map_release(&s->tasks);
	free(s->waiting);
	free(s->sorted);
	free(s);
}

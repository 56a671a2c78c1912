// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * calltimes.c - sums the calls of a function_graph trace.
 *
 *	funcgraph_entry  depth d ──▶ began[d] of its task; nothing was called inside it yet
 *	funcgraph_exit   depth d ──▶ time = rettime - calltime, or since began[d]
 *	                             self time = time - inner[d + 1]; inner[d] += time
 *
 * Each task has its own depths. Idle tasks share pid 0, so their CPU identifies them. Where events
 * were lost, open calls are dropped; exits that have both times still count.
 *
 * The functions to show are selected at the end: hidden ones still reduce the self time of their
 * callers.
 */
#include "analyse/calltimes.h"

#include "base/errmsg.h"
#include "base/map.h"
#include "decode/formats/event.h"
#include "format/bytes.h"
#include "symbols/tasks.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>

#define DEPTH_MAX	64 /* the kernel's is 50 */
#define TASKS_MAX	65536
#define ROWS_MAX	(1u << 20)
#define NAMES_MAX_BYTES (64u << 20)
#define ARENA_MAX_BYTES (128u << 20)

struct call_task {
	int64_t who;
	uint64_t began[DEPTH_MAX], inner[DEPTH_MAX + 1];
};

struct calltimes {
	const struct calltimes_config *config;
	struct formats *f;
	struct keyreader keys;
	struct arena arena, names;
	struct keytable table;
	struct map tasks; /* struct call_task by pid or CPU */
	struct call_task *last;
	int entry_id, exit_id;
	const struct field *func, *depth, *calltime, *rettime, *entry_depth;
	struct key_slot func_slot, slots[KEYS_MAX];
	uint8_t *wanted;
	struct calltimes_row **rows;
	size_t n_rows;
	struct calltimes_counts counts;
};

/*
 * --- tasks -------------------------------------------------------------------------------------
 */

static struct call_task *task_of(struct calltimes *c, const struct record *rec)
{
	int64_t who = rec->task && rec->task->pid ? rec->task->pid : -1 - (int64_t)rec->cpu;
	void **slot;

	if (c->last && c->last->who == who)
		return c->last;
	slot = map_take(&c->tasks, (uint64_t)who, TASKS_MAX);
	if (!slot)
		return NULL;
	if (!*slot) {
		struct call_task *task = arena_alloc(&c->arena, sizeof(*task));

		if (!task)
			return NULL;
		task->who = who;
		*slot = task;
	}
	c->last = *slot;
	return *slot;
}

static void forget(struct calltimes *c)
{
	c->counts.n_gaps++;
	for (size_t i = 0; i < c->tasks.n_slots; i++)
		if (c->tasks.slots[i].value) {
			struct call_task *task = c->tasks.slots[i].value;

			memset(task->began, 0, sizeof(task->began));
			memset(task->inner, 0, sizeof(task->inner));
		}
}

/*
 * --- calls -------------------------------------------------------------------------------------
 */

static bool read_field(const struct calltimes *c, const struct field *f, const struct record *rec,
		       uint64_t *ret)
{
	if (!f || (uint64_t)f->offset + f->size > rec->size || (f->size != 8 && f->size != 4))
		return false;
	*ret = bytes_get(rec->data + f->offset, f->size, c->keys.printer.swap);
	return true;
}

static void add_call(struct calltimes *c, const struct record *rec, uint64_t func, uint64_t time,
		     uint64_t self)
{
	uint64_t values[KEYS_MAX] = {func};
	const struct key_slot *slots[KEYS_MAX] = {&c->func_slot};
	struct calltimes_row *row;

	for (size_t i = 0; i < c->config->n_groups; i++) {
		values[i + 1] = key_read(&c->keys, &c->slots[i], rec);
		slots[i + 1] = &c->slots[i];
	}
	row = (struct calltimes_row *)keytable_get(&c->table, values, slots);
	if (!row) {
		c->counts.n_dropped++;
		return;
	}
	c->counts.n_calls++;
	row->n++;
	row->total += time;
	row->self += self;
	if (time > row->max || row->n == 1) {
		row->max = time;
		row->max_ts = rec->ts;
	}
}

static void leave(struct calltimes *c, struct call_task *task, const struct record *rec)
{
	uint64_t func, depth = 0, from, to, time, inner;

	if (!read_field(c, c->func, rec, &func))
		return;
	read_field(c, c->depth, rec, &depth);
	if (depth >= DEPTH_MAX) {
		c->counts.n_unknown++;
		return;
	}
	if (read_field(c, c->calltime, rec, &from) && read_field(c, c->rettime, rec, &to)) {
		time = to > from ? to - from : 0;
	} else if (task->began[depth]) {
		time = rec->ts > task->began[depth] ? rec->ts - task->began[depth] : 0;
	} else {
		c->counts.n_unknown++;
		return;
	}
	task->began[depth] = 0;
	inner = task->inner[depth + 1];
	task->inner[depth + 1] = 0;
	task->inner[depth] += time;
	add_call(c, rec, func, time, time > inner ? time - inner : 0);
}

void calltimes_add(struct calltimes *c, const struct record *rec)
{
	struct call_task *task;
	uint64_t depth = 0;

	if (rec->flags & RECORD_MISSED)
		forget(c);
	if (!rec->event || (rec->event->id != c->entry_id && rec->event->id != c->exit_id))
		return;
	if (rec->task && rec->task->is_self && !c->config->with_own)
		return;
	task = task_of(c, rec);
	if (!task) {
		c->counts.n_dropped++;
		return;
	}
	if (rec->event->id == c->exit_id)
		return leave(c, task, rec);
	read_field(c, c->entry_depth, rec, &depth);
	if (depth < DEPTH_MAX) {
		task->began[depth] = rec->ts;
		task->inner[depth + 1] = 0;
		if (!depth)
			task->inner[0] = 0;
	}
}

/*
 * --- the result --------------------------------------------------------------------------------
 */

static bool is_shown(const struct calltimes_config *config, const char *name)
{
	bool shown = !config->n_only;

	for (size_t i = 0; i < config->n_only && !shown; i++)
		shown = !fnmatch(config->only[i], name, 0);
	for (size_t i = 0; i < config->n_never && shown; i++)
		shown = fnmatch(config->never[i], name, 0);
	return shown;
}

static uint64_t sort_number(const struct calltimes_row *r, enum calltimes_sort sort)
{
	switch (sort) {
	case CALLTIMES_SELF:
		return r->self;
	case CALLTIMES_AVG:
		return r->total / r->n;
	case CALLTIMES_MAX:
		return r->max;
	case CALLTIMES_CALLS:
		return r->n;
	default:
		return r->total;
	}
}

static int compare(const void *a, const void *b, void *ctx)
{
	const struct calltimes_row *x = *(struct calltimes_row *const *)a,
				   *y = *(struct calltimes_row *const *)b;
	const struct calltimes *c = ctx;
	enum calltimes_sort sort = c->config->sort;
	int by_name;

	if (sort != CALLTIMES_NAME && sort_number(x, sort) != sort_number(y, sort))
		return sort_number(x, sort) < sort_number(y, sort) ? 1 : -1;
	by_name = strcmp(x->name, y->name);
	if (by_name)
		return by_name;
	return x->key.number < y->key.number ? -1 : x->key.number > y->key.number;
}

static const char *name_of(struct calltimes *c, uint64_t func)
{
	const struct ksym *sym = keyreader_symbol(&c->keys, func);
	char hex[24];

	if (sym)
		return arena_strndup(&c->names, sym->name, sym->name_len);
	snprintf(hex, sizeof(hex), "0x%llx", (unsigned long long)func);
	return arena_strndup(&c->names, hex, strlen(hex));
}

int calltimes_finish(struct calltimes *c)
{
	free(c->rows);
	c->n_rows = 0;
	c->rows = calloc(c->table.n_used + 1, sizeof(struct calltimes_row *));
	if (!c->rows)
		return -ENOMEM;
	for (size_t i = 0; i < c->table.n_used; i++) {
		struct calltimes_row *row = (struct calltimes_row *)c->table.list[i];

		if (!row->name)
			row->name = name_of(c, row->key.values[0]);
		if (!row->name)
			return -ENOMEM;
		if (is_shown(c->config, row->name))
			c->rows[c->n_rows++] = row;
	}
	qsort_r(c->rows, c->n_rows, sizeof(struct calltimes_row *), compare, c);
	return 0;
}

const struct calltimes_row *const *calltimes_rows(const struct calltimes *c, size_t *ret_n)
{
	*ret_n = c->n_rows;
	return (const struct calltimes_row *const *)c->rows;
}

const struct calltimes_counts *calltimes_counts(const struct calltimes *c)
{
	return &c->counts;
}

const struct calltimes_config *calltimes_config(const struct calltimes *c)
{
	return c->config;
}

struct keyreader *calltimes_keys(struct calltimes *c)
{
	return &c->keys;
}

const uint8_t *calltimes_events(const struct calltimes *c, size_t *ret_n)
{
	*ret_n = c->f->n_table;
	return c->wanted;
}

/*
 * --- life --------------------------------------------------------------------------------------
 */

static int find_fields(struct calltimes *c, struct errmsg *err)
{
	const struct event *entry = formats_find_name(c->f, "ftrace", "funcgraph_entry");
	const struct event *leave = formats_find_name(c->f, "ftrace", "funcgraph_exit");

	if (!leave || (size_t)leave->id >= c->f->n_table)
		return errmsg_set(err, -ENOENT,
				  "the trace has no calls of functions; record them with -p "
				  "function_graph");
	c->exit_id = leave->id;
	c->entry_id = entry ? entry->id : -1;
	c->func = event_find_field(leave, "func");
	c->depth = event_find_field(leave, "depth");
	c->calltime = event_find_field(leave, "calltime");
	c->rettime = event_find_field(leave, "rettime");
	c->entry_depth = entry ? event_find_field(entry, "depth") : NULL;
	c->func_slot = (struct key_slot){.kind = KEY_NUMBER, .field = c->func};
	c->wanted[leave->id] = 1;
	if (entry && (size_t)entry->id < c->f->n_table)
		c->wanted[entry->id] = 1;
	for (size_t i = 0; i < c->config->n_groups; i++) {
		c->slots[i] = key_bind(leave, c->config->groups[i]);
		if (c->slots[i].kind == KEY_ABSENT)
			return errmsg_set(err, -EINVAL,
					  "functions cannot be separated by '%s'; use $task, "
					  "$comm, $pid or $cpu",
					  c->config->groups[i]);
	}
	return 0;
}

int calltimes_new(struct calltimes **ret, struct formats *f, const struct calltimes_config *config,
		  struct errmsg *err)
{
	struct calltimes *c = calloc(1, sizeof(*c));
	int r;

	if (!c)
		return errmsg_set_errno(err, -ENOMEM, "cannot sum calls");
	c->config = config;
	c->f = f;
	arena_init(&c->arena, ARENA_MAX_BYTES);
	arena_init(&c->names, NAMES_MAX_BYTES);
	keytable_init(&c->table, 1 + config->n_groups, sizeof(struct calltimes_row), ROWS_MAX);
	c->wanted = calloc(f->n_table + 1, 1);
	if (keyreader_init(&c->keys, f) < 0 || !c->wanted)
		r = errmsg_set_errno(err, -ENOMEM, "cannot sum calls");
	else
		r = find_fields(c, err);
	if (r < 0) {
		calltimes_free(c);
		return r;
	}
	*ret = c;
	return 0;
}

void calltimes_free(struct calltimes *c)
{
	if (!c)
		return;
	keyreader_release(&c->keys);
	keytable_release(&c->table);
	arena_release(&c->arena);
	arena_release(&c->names);
	map_release(&c->tasks);
	free(c->wanted);
	free(c->rows);
	free(c);
}

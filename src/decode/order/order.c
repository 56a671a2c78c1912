// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * order.c - the state that is built while a trace is walked in time order.
 *
 * Task names: sched_switch and the wakeups carry names; an unnamed pid gets its name from the first
 * such event that is printed, for the lines after it. In a live trace the latest name counts:
 * earlier names were read at the start of the recording.
 *
 * Function indentation: a list of function names per CPU. An event whose parent is in the list at
 * position i is indented by i, and its own name goes to i + 1; later names stay. A parent that is
 * not in the list restarts at 0. Names are compared, not addresses, so each name has a number.
 *
 * Wakeup latency: maps a pid to the time of its wakeup, until the switch to it.
 */
#include "base/map.h"
#include "decode/order/order.h"
#include "base/array.h"
#include "base/hash.h"
#include "decode/handlers/handler_int.h"
#include "decode/order/sequence.h"
#include "format/bytes.h"

#include <ctype.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#define STACK_MAX   4096       /* function names kept per CPU */
#define STACKS_MAX  (1u << 22) /* limit for all CPUs together */
#define CPUS_MAX    (1u << 20)
#define WAKEUPS_MAX (1u << 19)

struct name_stack {
	uint32_t *names; /* numbers of names; 0: free */
	uint32_t cap;
};

struct wakeup {
	uint64_t ts; /* time of the wakeup; 0: the task has run since */
};

/* Caches the look-ups in the symbols of one file. */
struct file_names {
	const struct kallsyms *ks;
	uint32_t *of_symbol; /* number of the symbol's name; 0: not known yet */
	struct ksym_cache cache;
};

/* All function names seen, of all files; the number of a name is its index, from 1. */
struct name_numbers {
	struct file_names **files;
	size_t n_files;
	const struct ksym **names;
	uint32_t n, cap;
	struct map by_hash; /* numbers */
	uint64_t seed;
};

struct order_state {
	bool raw, all_names, fresh_names, tgids;
	struct name_stack *stacks; /* per CPU */
	uint32_t n_stacks, n_stacked;
	struct name_numbers numbers;
	struct map wakeups; /* struct wakeup by pid */
	struct wakeup_stats stats[2];
};

struct order_state *order_new(bool raw, bool all_names, bool fresh_names, bool tgids)
{
	struct order_state *o = calloc(1, sizeof(*o));

	if (o) {
		o->raw = raw;
		o->all_names = all_names || fresh_names;
		o->fresh_names = fresh_names;
		o->tgids = tgids;
		o->stats[0].min = o->stats[1].min = UINT64_MAX;
		o->numbers.seed = hash_seed();
	}
	return o;
}

void order_free(struct order_state *o)
{
	if (!o)
		return;
	for (uint32_t i = 0; i < o->n_stacks; i++)
		free(o->stacks[i].names);
	free(o->stacks);
	for (size_t i = 0; i < o->numbers.n_files; i++) {
		free(o->numbers.files[i]->of_symbol);
		free(o->numbers.files[i]);
	}
	free(o->numbers.files);
	free(o->numbers.names);
	map_release(&o->numbers.by_hash);
	for (size_t i = 0; i < o->wakeups.n_slots; i++)
		free(o->wakeups.slots[i].value);
	map_release(&o->wakeups);
	free(o);
}

enum event_role order_role(const struct event *ev)
{
	static const struct {
		event_handler handler;
		enum event_role role;
	} rows[] = {{handle_function, ROLE_FUNCTION},
		    {handle_func_repeats, ROLE_FUNCTION},
		    {handle_graph_entry, ROLE_GRAPH_ENTRY}};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (ev->handler == rows[i].handler)
			return rows[i].role;
	/* compare names, because report -w needs these events even without plugins */
	if (!strcmp(ev->system, "sched") && !strcmp(ev->name, "sched_switch"))
		return ROLE_SWITCH;
	if (!strcmp(ev->system, "sched") &&
	    (!strcmp(ev->name, "sched_wakeup") || !strcmp(ev->name, "sched_wakeup_new")))
		return ROLE_WAKEUP;
	if (!strcmp(ev->system, "task") && !strcmp(ev->name, "task_newtask"))
		return ROLE_NEWTASK;
	if (!strcmp(ev->system, "task") && !strcmp(ev->name, "task_rename"))
		return ROLE_RENAME;
	if (!strcmp(ev->system, "sched") && !strcmp(ev->name, "sched_process_exec"))
		return ROLE_EXEC;
	return ROLE_NONE;
}

/*
 * --- names of tasks ----------------------------------------------------------------------------
 */

static struct printer view(struct formats *f, const struct record *rec)
{
	return (struct printer){.formats = f,
				.ev = rec->event,
				.data = rec->data,
				.size = rec->size,
				.swap = f->swap};
}

static void learn(const struct order_state *o, struct formats *f, struct tasks *tasks,
		  const struct record *rec, const struct field *pid, const struct field *name)
{
	struct printer p = view(f, rec);
	uint64_t v;
	uint32_t left;

	if (!printer_number(&p, pid, &v) || !name || name->offset > rec->size)
		return;
	left = rec->size - name->offset;
	left = name->size < left ? name->size : left;
	/* names from the file are kept, even before their first look-up: see tasks.c */
	if (o->all_names)
		tasks_find(tasks, (int)v);
	if (o->fresh_names)
		tasks_rename(tasks, (int)v, (const char *)rec->data + name->offset, left);
	else
		tasks_learn(tasks, (int)v, (const char *)rec->data + name->offset, left);
}

static void learn_names(const struct order_state *o, struct formats *f, struct tasks *tasks,
			const struct record *rec)
{
	const struct event *ev = rec->event;

	if (ev->role == ROLE_SWITCH) {
		learn(o, f, tasks, rec, ev->wanted[0], ev->wanted[1]);
		learn(o, f, tasks, rec, ev->wanted[4], ev->wanted[5]);
	} else if (ev->role == ROLE_WAKEUP) {
		learn(o, f, tasks, rec, ev->wanted[0], ev->wanted[1]);
	} else if (o->fresh_names && (ev->role == ROLE_NEWTASK || ev->role == ROLE_RENAME)) {
		const char *name = ev->role == ROLE_RENAME ? "newcomm" : "comm";

		learn(o, f, tasks, rec, event_find_field(ev, "pid"), event_find_field(ev, name));
	}
}

/*
 * Learns the process of a new task: that of its parent if it was created as a thread, otherwise a
 * new process.
 */
static void learn_process(struct formats *f, struct tasks *tasks, const struct record *rec)
{
	struct printer p = view(f, rec);
	const struct task *parent;
	uint64_t pid, flags;
	int caller = formats_common(f, &f->pid, rec->data, rec->size);

	if (rec->event->role == ROLE_EXEC) {
		tasks_learn_tgid(tasks, caller, caller);
		return;
	}
	if (rec->event->role != ROLE_NEWTASK ||
	    !printer_number(&p, event_find_field(rec->event, "pid"), &pid) ||
	    !printer_number(&p, event_find_field(rec->event, "clone_flags"), &flags))
		return;
	parent = tasks_find(tasks, caller);
	if (!(flags & CLONE_THREAD))
		tasks_learn_tgid(tasks, (int)pid, (int)pid);
	else if (parent && parent->tgid >= 0)
		tasks_learn_tgid(tasks, (int)pid, parent->tgid);
}

/*
 * --- indentation of functions ------------------------------------------------------------------
 */

static struct file_names *file_names_find(struct name_numbers *n, const struct kallsyms *ks)
{
	struct file_names *file;

	for (size_t i = 0; i < n->n_files; i++)
		if (n->files[i]->ks == ks)
			return n->files[i];
	file = malloc(sizeof(*file));
	if (!file || !ARRAY_ONE_MORE(n->files, n->n_files, ARRAY_NO_MAX)) {
		free(file);
		return NULL;
	}
	file->ks = ks;
	file->of_symbol = calloc(ks->n + 1, sizeof(*file->of_symbol));
	if (!file->of_symbol) {
		free(file);
		return NULL;
	}
	ksym_cache_init(&file->cache, ks);
	return n->files[n->n_files++] = file;
}

static bool is_same_name(const struct ksym *a, const struct ksym *b)
{
	return a->name_len == b->name_len && !memcmp(a->name, b->name, a->name_len);
}

/* Returns 0 if out of memory. */
static uint32_t name_number(struct name_numbers *n, struct file_names *file, const struct ksym *sym)
{
	uint32_t *number = &file->of_symbol[sym - file->ks->syms];
	uint64_t key;
	void **slot;

	if (*number)
		return *number;
	/* names with the same hash have consecutive keys */
	key = hash_of_text(n->seed, sym->name, sym->name_len);
	while ((slot = map_take(&n->by_hash, key, ARRAY_NO_MAX)) && *slot &&
	       !is_same_name(n->names[(uintptr_t)*slot - 1], sym))
		key++;
	if (!slot || (!*slot && !ARRAY_ROOM(n->names, n->cap, n->n + 1, UINT32_MAX)))
		return 0;
	if (!*slot) {
		n->names[n->n] = sym;
		*slot = (void *)(uintptr_t)++n->n;
	}
	return *number = (uintptr_t)*slot;
}

static struct name_stack *stack_of(struct order_state *o, uint32_t cpu)
{
	return ARRAY_ROOM(o->stacks, o->n_stacks, (size_t)cpu + 1, CPUS_MAX) ? &o->stacks[cpu]
									     : NULL;
}

static void stack_put(struct order_state *o, struct name_stack *st, uint32_t pos, uint32_t name)
{
	if (!name)
		return;
	if (pos >= st->cap) {
		uint32_t before = st->cap;

		if (o->n_stacked > STACKS_MAX ||
		    !ARRAY_ROOM(st->names, st->cap, (size_t)pos + 1, STACK_MAX))
			return;
		o->n_stacked += st->cap - before;
	}
	st->names[pos] = name;
}

static uint32_t function_level(struct order_state *o, struct formats *f, const struct record *rec)
{
	struct printer p = view(f, rec);
	const struct kallsyms *ks = formats_kallsyms(f);
	const struct ksym *sym, *parent_sym;
	struct name_stack *st = stack_of(o, rec->cpu);
	struct file_names *file = file_names_find(&o->numbers, ks);
	uint64_t addr, parent_addr;
	uint32_t name, parent, i;

	if (f->config.plugins.ftrace_no_indent || !st || !file ||
	    !printer_number(&p, rec->event->wanted[0], &addr) ||
	    !printer_number(&p, rec->event->wanted[1], &parent_addr))
		return 0;
	parent_sym = kallsyms_find_cached(ks, &file->cache, parent_addr);
	if (!parent_sym)
		return 0;
	sym = kallsyms_find_cached(ks, &file->cache, addr);
	name = sym ? name_number(&o->numbers, file, sym) : 0;
	parent = name_number(&o->numbers, file, parent_sym);
	for (i = 0; i < st->cap && st->names[i]; i++) {
		if (st->names[i] == parent) {
			stack_put(o, st, i + 1, name);
			return i;
		}
	}
	stack_put(o, st, 0, parent);
	stack_put(o, st, 1, name);
	return 0;
}

/*
 * --- raw fields --------------------------------------------------------------------------------
 */

/* Returns the text fields that contained unprintable bytes in this or an earlier record. */
static uint32_t not_text_mask(struct formats *f, const struct record *rec)
{
	struct event *ev = (struct event *)rec->event;
	struct printer p = view(f, rec);
	uint32_t mask = ev->not_text;

	for (size_t i = 0; i < ev->n_fields; i++) {
		unsigned bit = ev->fields[i].text_index;
		struct piece bytes;

		if (!(ev->fields[i].flags & FIELD_STRING) || bit > 31 || mask >> bit & 1)
			continue;
		bytes = printer_field_bytes(&p, &ev->fields[i]);
		for (size_t k = 0; k < bytes.len && bytes.data[k]; k++)
			if (!isprint(bytes.data[k]) && !isspace(bytes.data[k])) {
				ev->not_text |= 1u << bit;
				break;
			}
	}
	return mask;
}

bool order_apply(struct order_state *o, struct formats *f, struct tasks *tasks, struct record *rec)
{
	const struct event *ev = rec->event;

	if (o->tgids)
		learn_process(f, tasks, rec);
	if (o->raw || ev->force_raw || ev->failed) {
		rec->aux = not_text_mask(f, rec);
		if (o->all_names)
			learn_names(o, f, tasks, rec);
		return false;
	}
	if (ev->no_handler)
		return false;
	switch (ev->role) {
	case ROLE_SWITCH:
	case ROLE_WAKEUP:
		if (ev->handler || o->all_names)
			learn_names(o, f, tasks, rec);
		return false;
	case ROLE_NEWTASK:
	case ROLE_RENAME:
		learn_names(o, f, tasks, rec);
		return false;
	case ROLE_FUNCTION:
		rec->aux = function_level(o, f, rec);
		return false;
	case ROLE_GRAPH_ENTRY:
		return true;
	}
	return false;
}

void order_learn_skipped(struct order_state *o, struct formats *f, struct tasks *tasks,
			 const struct record *rec)
{
	if (o->all_names && rec->event)
		learn_names(o, f, tasks, rec);
	if (o->tgids && rec->event)
		learn_process(f, tasks, rec);
}

bool order_is_exit_of(const struct formats *f, const struct record *entry, const uint8_t *data,
		      uint32_t size)
{
	const struct event *exit = f->graph_exit;
	struct printer e = view((struct formats *)f, entry), x = e;
	uint64_t func = 0, exit_func = 0;

	if (!exit || formats_record_id(f, data, size) != exit->id ||
	    formats_common(f, &f->pid, data, size) !=
		    formats_common(f, &f->pid, entry->data, entry->size))
		return false;
	x.data = data;
	x.size = size;
	return printer_number(&e, entry->event->wanted[0], &func) &&
	       printer_number(&x, exit->wanted[3], &exit_func) && func == exit_func;
}

/*
 * --- wakeup latency ----------------------------------------------------------------------------
 */

static struct wakeup *wakeup_of(struct order_state *o, int pid)
{
	void **slot = map_take(&o->wakeups, (uint32_t)pid, WAKEUPS_MAX);

	if (slot && !*slot)
		*slot = calloc(1, sizeof(struct wakeup));
	return slot ? *slot : NULL;
}

static void wakeup_count(struct wakeup_stats *st, uint64_t latency, uint64_t ts)
{
	if (latency > st->max) {
		st->max = latency;
		st->max_ts = ts;
	}
	if (latency < st->min) {
		st->min = latency;
		st->min_ts = ts;
	}
	st->total += latency;
	st->n++;
}

bool order_wakeup(struct order_state *o, struct formats *f, const struct record *rec,
		  uint64_t *ret_latency)
{
	struct printer p = view(f, rec);
	const struct event *ev = rec->event;
	const struct field *const *w = ev ? ev->wanted : NULL;
	struct wakeup *wakeup;
	uint64_t v, prio;

	if (!ev || (ev->role != ROLE_WAKEUP && ev->role != ROLE_SWITCH))
		return false;
	if (ev->role == ROLE_WAKEUP) {
		if ((printer_number(&p, w[3], &v) && !v) || !printer_number(&p, w[0], &v))
			return false;
		wakeup = wakeup_of(o, (int)v);
		if (wakeup)
			wakeup->ts = rec->ts;
		return false;
	}
	if (!printer_number(&p, w[6], &prio) || !printer_number(&p, w[4], &v))
		return false;
	wakeup = map_find(&o->wakeups, (uint32_t)v);
	if (!wakeup || !wakeup->ts)
		return false;
	*ret_latency = rec->ts - wakeup->ts;
	wakeup->ts = 0;
	wakeup_count(&o->stats[0], *ret_latency, rec->ts);
	if (prio <= 99)
		wakeup_count(&o->stats[1], *ret_latency, rec->ts);
	return true;
}

const struct wakeup_stats *order_wakeup_stats(const struct order_state *o)
{
	return o->stats;
}

/*
 * --- stacks ------------------------------------------------------------------------------------
 */

int stack_follow_init(struct stack_follow *sf, struct formats *f, uint32_t n_cpus)
{
	const struct event *kernel = formats_find_name(f, "ftrace", "kernel_stack");
	const struct event *user = formats_find_name(f, "ftrace", "user_stack");

	sf->kernel_id = kernel ? kernel->id : -1;
	sf->user_id = user ? user->id : -1;
	sf->n_cpus = n_cpus;
	sf->printed = calloc(n_cpus + 1, 1);
	return sf->printed ? 0 : -1;
}

void stack_follow_release(struct stack_follow *sf)
{
	free(sf->printed);
}

bool stack_follow_is_due(const struct stack_follow *sf, const struct record *rec)
{
	return rec->event && rec->cpu < sf->n_cpus &&
	       (rec->event->id == sf->kernel_id || rec->event->id == sf->user_id) &&
	       sf->printed[rec->cpu];
}

void stack_follow_set(struct stack_follow *sf, const struct record *rec, bool printed)
{
	if (rec->cpu < sf->n_cpus)
		sf->printed[rec->cpu] = printed;
}

// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * kinds.c - numbers the kinds of events in the order of appearance, and finds the field offsets for
 * the index.
 *
 *	id of a record ──▶ kindtable.by_id ──▶ kind_info: number, role, offsets
 *
 * All threads read the table without a lock. The first record of an id takes the formats' lock to
 * parse and compile its format. The finished kind_info is stored in the table with release; after
 * that only its count changes. Sources with the same formats share a table. Ids that do not fit
 * into the table (no kernel has any) are in a list, under the lock.
 *
 * The rows of `roles` define the meaning of an event for the index; its format has the field
 * offsets.
 */
#include "decode/formats/event.h"
#include "timeline/timeline_int.h"

#include <stdlib.h>
#include <string.h>

static const struct {
	const char *system, *name;
	enum kind_role role;
	const char *pid, *next_pid, *state;
} roles[] = {
	{"sched", "sched_switch", KIND_SWITCH, "prev_pid", "next_pid", "prev_state"},
	{"sched", "sched_waking", KIND_WAKING, "pid", NULL, NULL},
	{"sched", "sched_wakeup", KIND_WAKEUP, "pid", NULL, NULL},
	{"sched", "sched_wakeup_new", KIND_WAKEUP_NEW, "pid", NULL, NULL},
	{"sched", "sched_process_fork", KIND_FORK, "child_pid", NULL, NULL},
	{"sched", "sched_process_exec", KIND_EXEC, "pid", NULL, NULL},
	{"task", "task_newtask", KIND_NEWTASK, "pid", NULL, "clone_flags"},
};

static const struct {
	const char *comm, *pid;
} pairs[] = {
	{"comm", "pid"},
	{"prev_comm", "prev_pid"},
	{"next_comm", "next_pid"},
	{"parent_comm", "parent_pid"},
	{"child_comm", "child_pid"},
	{"newcomm", "pid"},
};

#define N(a) (sizeof(a) / sizeof((a)[0]))

static struct number_field find_number(const struct event *ev, const char *name)
{
	const struct field *f = name ? event_find_field(ev, name) : NULL;
	bool fits = f && !(f->flags & FIELD_ARRAY) &&
		    (f->size == 1 || f->size == 2 || f->size == 4 || f->size == 8);

	return fits ? (struct number_field){f->offset, f->size} : (struct number_field){0};
}

static bool find_text(const struct event *ev, const char *name, struct text_field *ret)
{
	const struct field *f = event_find_field(ev, name);

	if (!f || !(f->flags & (FIELD_ARRAY | FIELD_STRING)))
		return false;
	*ret = (struct text_field){f->offset, f->size, f->flags & FIELD_DYNAMIC,
				   f->flags & FIELD_RELATIVE};
	return true;
}

static void find_names(struct kind_info *k, const struct event *ev)
{
	for (size_t i = 0; i < N(pairs) && k->n_names < NAME_PAIRS_MAX; i++) {
		struct name_pair p = {.pid = find_number(ev, pairs[i].pid)};

		if (p.pid.size == 4 && find_text(ev, pairs[i].comm, &p.comm))
			k->names[k->n_names++] = p;
	}
	if (k->role == KIND_EXEC && !k->n_names && k->pid.size &&
	    find_text(ev, "filename", &k->names[0].comm)) {
		k->names[0].pid = k->pid;
		k->n_names = 1;
	}
}

static void find_role(struct kind_info *k, const struct event *ev)
{
	for (size_t i = 0; i < N(roles); i++) {
		if (strcmp(ev->name, roles[i].name) || strcmp(ev->system, roles[i].system))
			continue;
		k->pid = find_number(ev, roles[i].pid);
		k->next_pid = find_number(ev, roles[i].next_pid);
		k->state = find_number(ev, roles[i].state);
		if (k->pid.size && (k->next_pid.size || !roles[i].next_pid))
			k->role = roles[i].role;
	}
	if (k->role == KIND_SWITCH)
		prev_states_init(&k->prev_states, ev);
	find_names(k, ev);
	if (k->n_names && k->role == KIND_PLAIN)
		k->role = KIND_NAMES;
}

/* Adds a kind. The caller holds the formats' lock. */
static struct kind_info *add_kind(struct timeline *tl, struct kindtable *kt, int id)
{
	uint32_t n = atomic_load(&tl->n_kinds);
	struct kind_info *block, *k;

	if (n >= TIMELINE_NO_KIND || n >= KIND_BLOCK * KIND_BLOCKS)
		return NULL;
	block = atomic_load(&tl->kind_blocks[n / KIND_BLOCK]);
	if (!block) {
		block = calloc(KIND_BLOCK, sizeof(*block));
		if (!block)
			return NULL;
		atomic_store(&tl->kind_blocks[n / KIND_BLOCK], block);
		atomic_fetch_add(&tl->n_bytes, KIND_BLOCK * sizeof(*block));
	}
	k = &block[n % KIND_BLOCK];
	k->number = n;
	k->page_bit = page_bit_of_kind(n);
	k->pub.id = id;
	k->pub.source = kt->source;
	k->pub.event = id < 0 ? NULL : formats_find(kt->formats, id);
	if (k->pub.event)
		find_role(k, k->pub.event);
	atomic_store_explicit(&tl->n_kinds, n + 1, memory_order_release);
	return k;
}

/* Finds a kind whose id does not fit into the table. The caller holds the formats' lock. */
static struct kind_info *find_odd(struct timeline *tl, struct kindtable *kt, int id)
{
	for (size_t i = 0; i < kt->n_odd; i++)
		if (kt->odd[i]->pub.id == id)
			return kt->odd[i];
	if (kt->n_odd == ODD_KINDS_MAX || !(kt->odd[kt->n_odd] = add_kind(tl, kt, id)))
		return NULL;
	return kt->odd[kt->n_odd++];
}

struct kind_info *kinds_find(struct timeline *tl, struct kindtable *kt, int id)
{
	bool is_odd = (unsigned)id >= KIND_IDS;
	struct kind_info *k =
		is_odd ? NULL : atomic_load_explicit(&kt->by_id[id], memory_order_acquire);

	if (k)
		return k;
	timeline_lock_formats(tl);
	if (is_odd) {
		k = find_odd(tl, kt, id);
	} else {
		k = atomic_load(&kt->by_id[id]);
		if (!k && (k = add_kind(tl, kt, id)))
			atomic_store_explicit(&kt->by_id[id], k, memory_order_release);
	}
	timeline_unlock_formats(tl);
	return k;
}

struct kind_info *kinds_get(const struct timeline *tl, uint32_t number)
{
	struct kind_info *block =
		atomic_load_explicit(&tl->kind_blocks[number / KIND_BLOCK], memory_order_acquire);

	return &block[number % KIND_BLOCK];
}

static struct kindtable *table_of(struct timeline *tl, size_t source)
{
	struct formats *f = tl->sources[source].formats;
	struct kindtable *kt;

	for (size_t i = 0; i < tl->n_kindtables; i++)
		if (tl->kindtables[i].formats == f)
			return &tl->kindtables[i];
	kt = &tl->kindtables[tl->n_kindtables];
	kt->formats = f;
	kt->source = source;
	kt->by_id = calloc(KIND_IDS, sizeof(*kt->by_id));
	if (!kt->by_id)
		return NULL;
	tl->n_kindtables++;
	return kt;
}

int kinds_init(struct timeline *tl)
{
	tl->kindtables = calloc(tl->n_sources + 1, sizeof(*tl->kindtables));
	if (!tl->kindtables)
		return -1;
	for (size_t i = 0; i < tl->n_sources; i++) {
		tl->source_states[i].kinds = table_of(tl, i);
		if (!tl->source_states[i].kinds)
			return -1;
	}
	return 0;
}

void kinds_release(struct timeline *tl)
{
	for (size_t i = 0; i < tl->n_kindtables; i++)
		free(tl->kindtables[i].by_id);
	free(tl->kindtables);
	for (size_t i = 0; i < KIND_BLOCKS; i++)
		free(tl->kind_blocks[i]);
}

size_t timeline_n_kinds(const struct timeline *tl)
{
	return atomic_load_explicit(&tl->n_kinds, memory_order_acquire);
}

const struct timeline_kind *timeline_kind(const struct timeline *tl, size_t i)
{
	return i < timeline_n_kinds(tl) ? &kinds_get(tl, i)->pub : NULL;
}

void timeline_lock_formats(struct timeline *tl)
{
	pthread_mutex_lock(&tl->formats_lock);
}

void timeline_unlock_formats(struct timeline *tl)
{
	pthread_mutex_unlock(&tl->formats_lock);
}

// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * tasktable.c - maps the pids of a machine to task numbers, shared by all threads.
 *
 *	slots   used:1 │ number:16 │ machine:15 │ pid:32        open addressing, never full: 131 072
 *	blocks  rows of TASK_BLOCK tasks; a row keeps its place
 *
 * A lookup takes no lock: a slot is written once, whole, after its row is filled. A new pid is
 * added under the mutex. There are TASKS_MAX numbers; further tasks get TIMELINE_NO_TASK, and a
 * caller that needs the task reads the record.
 *
 * Names: a name in saved_cmdlines is final, as in all other commands; otherwise the last name in an
 * event counts. While a trace grows, saved_cmdlines is from its beginning, so names in events are
 * newer, until timeline_end().
 */
#include "base/array.h"
#include "base/lock.h"
#include "format/bytes.h"
#include "store/tracefile.h"
#include "timeline/timeline_int.h"

#include "base/hash.h"
#include "symbols/processes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SLOT_USED    (UINT64_C(1) << 63)
#define SLOT_KEY     ((UINT64_C(1) << 47) - 1)
#define NUMBER_SHIFT 47

static uint64_t key_of(uint32_t machine, int pid)
{
	return (uint64_t)machine << 32 | (uint32_t)pid;
}

/* Returns the slot that contains the key, or the free slot for it. */
static _Atomic uint64_t *slot_find(const struct tasktable *tt, uint64_t key, uint64_t *ret)
{
	size_t i = hash_number(tt->seed, key, TASK_SLOTS);

	for (;; i = (i + 1) & (TASK_SLOTS - 1)) {
		*ret = atomic_load_explicit(&tt->slots[i], memory_order_acquire);
		if (!*ret || (*ret & SLOT_KEY) == key)
			return &tt->slots[i];
	}
}

static int tasktable_find(const struct tasktable *tt, uint32_t machine, int pid)
{
	uint64_t slot;

	slot_find(tt, key_of(machine, pid), &slot);
	return slot ? (int)(slot >> NUMBER_SHIFT & 0xffff) : -1;
}

struct task_state_row *tasktable_row(const struct tasktable *tt, uint32_t number)
{
	return &atomic_load_explicit(&tt->blocks[number / TASK_BLOCK],
				     memory_order_acquire)[number % TASK_BLOCK];
}

/* Returns the time from which a name of saved_cmdlines is valid. */
static uint64_t told_at(const struct timeline *tl, int pid)
{
	return tl->is_live && !tl->has_ended && pid ? 0 : UINT64_MAX;
}

/* Returns the tgid from the sources, or -1 if it is unknown. */
static int tasktable_find_tgid(const struct timeline *tl, uint32_t machine, int pid)
{
	int tgid = -1;

	for (size_t i = 0; i < tl->n_sources && pid && tgid < 0; i++)
		if (tl->source_states[i].machine == machine)
			tgid = processes_find_tgid(tl->sources[i].formats->processes, pid);
	return tgid;
}

static void row_init(const struct timeline *tl, struct task_state_row *row, uint32_t machine,
		     int pid)
{
	const struct tasktable *tt = &tl->tasks;
	const struct task *t = tt->has_names[machine] ? tasks_find(&tt->names[machine], pid) : NULL;

	*row = (struct task_state_row){
		.pub = {.pid = pid,
			.tgid = tasktable_find_tgid(tl, machine, pid),
			.machine = machine,
			.first = UINT64_MAX},
		.thread_of = TASK_THREAD_NONE,
	};
	if (t && (t->known || !pid)) {
		size_t len = t->comm_len < TASK_COMM_BYTES ? t->comm_len : TASK_COMM_BYTES - 1;

		memcpy(row->pub.comm, t->comm, len);
		row->comm_ts = told_at(tl, pid);
	} else {
		memcpy(row->pub.comm, "<...>", 6);
	}
}

/* The caller holds the mutex. */
static uint16_t add_task(struct timeline *tl, uint32_t machine, int pid, _Atomic uint64_t *slot)
{
	struct tasktable *tt = &tl->tasks;
	uint32_t n = atomic_load(&tt->n);
	struct task_state_row *block, *row;

	if (n == TASKS_MAX)
		return TIMELINE_NO_TASK;
	block = atomic_load(&tt->blocks[n / TASK_BLOCK]);
	if (!block) {
		block = calloc(TASK_BLOCK, sizeof(*block));
		if (!block)
			return TIMELINE_NO_TASK;
		atomic_store(&tt->blocks[n / TASK_BLOCK], block);
		atomic_fetch_add(&tl->n_bytes, TASK_BLOCK * sizeof(*block));
	}
	row = &block[n % TASK_BLOCK];
	row_init(tl, row, machine, pid);
	row->pub.machine = tl->machines[machine].number;
	atomic_store_explicit(slot, SLOT_USED | (uint64_t)n << NUMBER_SHIFT | key_of(machine, pid),
			      memory_order_release);
	atomic_store_explicit(&tt->n, n + 1, memory_order_release);
	return n;
}

uint16_t tasktable_get(struct timeline *tl, uint32_t machine, int pid)
{
	struct tasktable *tt = &tl->tasks;
	uint64_t slot, key = key_of(machine, pid);
	_Atomic uint64_t *place;

	slot_find(tt, key, &slot);
	if (__builtin_expect(slot != 0, 1))
		return slot >> NUMBER_SHIFT & 0xffff;
	LOCKED(&tt->lock);
	place = slot_find(tt, key, &slot);
	return slot ? slot >> NUMBER_SHIFT & 0xffff : add_task(tl, machine, pid, place);
}

static uint64_t sum_of(struct piece text)
{
	uint64_t sum = text.len;

	for (size_t i = 0; i < text.len; i++)
		sum = (sum ^ text.data[i]) * UINT64_C(0x100000001b3);
	return sum;
}

/* Learns a name. A later text is better, because pids are reused. The caller holds the mutex. */
static void row_learn(const struct timeline *tl, struct task_state_row *row, const struct task *t)
{
	size_t len = t->comm_len < TASK_COMM_BYTES ? t->comm_len : TASK_COMM_BYTES - 1;

	/* an event is newer than the names that a recorder writes at its start */
	if (!t->known || (row->comm_ts && told_at(tl, row->pub.pid) != UINT64_MAX))
		return;
	memset(row->pub.comm, 0, TASK_COMM_BYTES);
	memcpy(row->pub.comm, t->comm, len);
	row->comm_ts = told_at(tl, row->pub.pid);
}

/* The caller holds both locks. */
static void learn_all(struct timeline *tl, uint32_t machine, struct tasks *names)
{
	for (uint32_t i = 0; i < atomic_load(&tl->tasks.n); i++) {
		struct task_state_row *row = tasktable_row(&tl->tasks, i);
		const struct task *t;

		if (row->pub.machine != tl->machines[machine].number)
			continue;
		t = tasks_find(names, row->pub.pid);
		if (t)
			row_learn(tl, row, t);
	}
}

void timeline_end(struct timeline *tl)
{
	struct tasktable *tt = &tl->tasks;

	pthread_mutex_lock(&tl->lock);
	pthread_mutex_lock(&tt->lock);
	tl->has_ended = true;
	for (size_t i = 0; i < tt->n_names; i++)
		if (tt->has_names[i])
			learn_all(tl, i, &tt->names[i]);
	pthread_mutex_unlock(&tt->lock);
	pthread_mutex_unlock(&tl->lock);
}

/* Reads the names of a new text, which is kept, because it also has the names of later tasks. */
int tasktable_learn(struct timeline *tl, uint32_t machine, struct piece cmdlines)
{
	struct tasktable *tt = &tl->tasks;
	uint64_t sum = sum_of(cmdlines);
	struct tasks names = {0};
	uint8_t *text;

	if (!cmdlines.len || sum == tt->sums[machine])
		return 0;
	text = malloc(cmdlines.len);
	if (!text)
		return -ENOMEM;
	memcpy(text, cmdlines.data, cmdlines.len);
	if (tasks_init(&names, (struct piece){text, cmdlines.len}) < 0) {
		free(text);
		return -ENOMEM;
	}
	pthread_mutex_lock(&tl->lock);
	pthread_mutex_lock(&tt->lock);
	learn_all(tl, machine, &names);
	if (tt->has_names[machine])
		tasks_release(&tt->names[machine]);
	tt->names[machine] = names;
	tt->has_names[machine] = true;
	tt->sums[machine] = sum;
	free(tt->texts[machine]);
	tt->texts[machine] = text;
	pthread_mutex_unlock(&tt->lock);
	pthread_mutex_unlock(&tl->lock);
	return 0;
}

int tasktable_init(struct timeline *tl)
{
	struct tasktable *tt = &tl->tasks;

	pthread_mutex_init(&tt->lock, NULL);
	tt->seed = hash_seed();
	tt->slots = calloc(TASK_SLOTS, sizeof(*tt->slots));
	tt->names = calloc(tl->n_machines + 1, sizeof(*tt->names));
	tt->has_names = calloc(tl->n_machines + 1, sizeof(*tt->has_names));
	tt->texts = calloc(tl->n_machines + 1, sizeof(*tt->texts));
	tt->sums = calloc(tl->n_machines + 1, sizeof(*tt->sums));
	tt->n_names = tl->n_machines;
	if (!tt->slots || !tt->names || !tt->has_names || !tt->sums || !tt->texts)
		return -ENOMEM;
	for (size_t i = 0; i < tl->n_sources; i++) {
		uint32_t machine = tl->source_states[i].machine;
		struct piece cmdlines = tracefile_text(tl->sources[i].tf, TRACEFILE_CMDLINES);

		if (tt->has_names[machine])
			continue;
		if (tasks_init(&tt->names[machine], cmdlines) < 0)
			return -ENOMEM;
		tt->sums[machine] = sum_of(cmdlines);
		tt->has_names[machine] = true;
	}
	return 0;
}

void tasktable_release(struct tasktable *tt)
{
	for (size_t i = 0; i < tt->n_names && tt->has_names; i++)
		if (tt->has_names[i])
			tasks_release(&tt->names[i]);
	for (size_t i = 0; i < ARRAY_LEN(tt->blocks); i++)
		free(tt->blocks[i]);
	free(tt->names);
	for (size_t i = 0; i < tt->n_names && tt->texts; i++)
		free(tt->texts[i]);
	free(tt->texts);
	free(tt->sums);
	free(tt->has_names);
	free(tt->slots);
	pthread_mutex_destroy(&tt->lock);
}

size_t timeline_n_tasks(const struct timeline *tl)
{
	return atomic_load_explicit(&tl->tasks.n, memory_order_acquire);
}

const struct timeline_task *timeline_task(const struct timeline *tl, size_t i)
{
	return i < timeline_n_tasks(tl) ? &tasktable_row(&tl->tasks, i)->pub : NULL;
}

int timeline_find_task(const struct timeline *tl, uint32_t machine, int pid)
{
	for (size_t i = 0; i < tl->n_machines; i++)
		if (tl->machines[i].number == machine)
			return tasktable_find(&tl->tasks, i, pid);
	return -1;
}

bool timeline_has_most_tasks(const struct timeline *tl)
{
	return atomic_load(&tl->tasks.n) == TASKS_MAX;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * names.c - searches a trace for events that name tasks.
 *
 * The kernel keeps a limited number of names, so a task of a busy trace may be shown as "<...>"
 * until an event names it. So this file examines every event that has a pair of fields such as
 * prev_comm and prev_pid, on all CPUs, before the first line is printed. Names of tasks change
 * (fork, then exec); the latest one on any CPU is used, and only for tasks that saved_cmdlines
 * lacks.
 *
 * The search costs one walk over the file: some 8 ns per record, in the calling thread.
 */
#include "decode/names.h"
#include "base/array.h"
#include "decode/walker.h"
#include "format/bytes.h"
#include "store/pagestream.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define COMM_BYTES 32
#define SLOTS_MAX  (1u << 19)

struct name_slot {
	int pid; /* 0: the slot is free */
	uint64_t ts;
	char comm[COMM_BYTES];
};

struct name_table {
	struct name_slot *slots;
	size_t n, used;
};

static const char *const pairs[][2] = {
	{"comm", "pid"},
	{"prev_comm", "prev_pid"},
	{"next_comm", "next_pid"},
	{"parent_comm", "parent_pid"},
	{"child_comm", "child_pid"},
	{"newcomm", "pid"},
};

static struct name_slot *slot_of(struct name_slot *slots, size_t n, int pid)
{
	size_t i = (uint32_t)pid * 2654435761u & (n - 1);

	while (slots[i].pid && slots[i].pid != pid)
		i = (i + 1) & (n - 1);
	return &slots[i];
}

static bool table_grow(struct name_table *t)
{
	size_t n = t->n ? t->n * 2 : 1024;
	struct name_slot *slots = n > SLOTS_MAX ? NULL : calloc(n, sizeof(*slots));

	if (!slots)
		return false;
	for (size_t i = 0; i < t->n; i++)
		if (t->slots[i].pid)
			*slot_of(slots, n, t->slots[i].pid) = t->slots[i];
	free(t->slots);
	t->slots = slots;
	t->n = n;
	return true;
}

static void table_put(struct name_table *t, int pid, const char *comm, size_t len, uint64_t ts)
{
	struct name_slot *slot;

	len = strnlen(comm, len < COMM_BYTES - 1 ? len : COMM_BYTES - 1);
	if (!pid || !len || (t->used * 2 >= t->n && !table_grow(t)))
		return;
	slot = slot_of(t->slots, t->n, pid);
	if (slot->pid && slot->ts > ts)
		return;
	t->used += !slot->pid;
	slot->pid = pid;
	slot->ts = ts;
	memcpy(slot->comm, comm, len);
	slot->comm[len] = 0;
}

/* Returns the text of a field, fixed or dynamic, up to its end. */
static struct piece field_text(const struct formats *f, const struct field *field,
			       const struct walked *r)
{
	uint64_t offset = field->offset, len = field->size;

	if (offset + len > r->size)
		return (struct piece){r->data, 0};
	if (field->flags & FIELD_DYNAMIC) {
		uint64_t v = bytes_get(r->data + offset, field->size, f->swap);

		len = v >> 16 & 0xffff;
		offset = (v & 0xffff) + (field->flags & FIELD_RELATIVE ? offset + field->size : 0);
	}
	return offset + len > r->size ? (struct piece){r->data, 0}
				      : (struct piece){r->data + offset, len};
}

static void ask(struct name_table *t, struct formats *f, const struct walked *r)
{
	struct event *ev = formats_find(f, formats_record_id(f, r->data, r->size));

	if (!ev || ev->names_nobody)
		return;
	ev->names_nobody = true;
	for (size_t i = 0; i < ARRAY_LEN(pairs); i++) {
		const struct field *comm = event_find_field(ev, pairs[i][0]);
		const struct field *pid = event_find_field(ev, pairs[i][1]);
		struct piece text;

		if (!comm || !pid || !(comm->flags & FIELD_ARRAY) || pid->size != 4)
			continue;
		ev->names_nobody = false;
		if ((uint64_t)pid->offset + 4 > r->size)
			continue;
		text = field_text(f, comm, r);
		table_put(t, (int)bytes_get32(r->data + pid->offset, f->swap),
			  (const char *)text.data, text.len, r->ts);
	}
}

static int walk_cpu(struct name_table *t, struct formats *f, struct pagestream *ps)
{
	struct tracefile *tf = f->tf;
	struct page_layout l = {tf->swap, tf->big_endian, tf->long_size, tf->data_offset};
	struct page page;
	struct walker w;
	struct walked rec;
	int r;

	while ((r = pagestream_next(ps, &page)) > 0)
		if (walker_start(&w, page.data, page.len, &l))
			while (walker_next(&w, &rec))
				ask(t, f, &rec);
	return r == -ENOMEM ? r : 0;
}

int names_gather(struct tracefile *tf, struct formats *f, struct tasks *tasks)
{
	struct name_table t = {0};
	int r = 0;

	for (size_t b = 0; b < tf->n_buffers && !r; b++)
		for (size_t c = 0; c < tf->buffers[b].n_cpus && !r; c++) {
			struct pagestream *ps = pagestream_new(tf, &tf->buffers[b], c, NULL);

			r = ps ? walk_cpu(&t, f, ps) : -ENOMEM;
			pagestream_free(ps);
		}
	for (size_t i = 0; i < t.n && !r; i++) {
		const struct task *task = t.slots[i].pid ? tasks_find(tasks, t.slots[i].pid) : NULL;

		if (task && !task->known)
			tasks_learn(tasks, task->pid, t.slots[i].comm, COMM_BYTES);
	}
	free(t.slots);
	return r;
}

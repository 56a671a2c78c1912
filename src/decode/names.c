// SPDX-License-Identifier: LGPL-2.1-or-later
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
#include "base/arena.h"
#include "base/array.h"
#include "base/map.h"
#include "decode/walker.h"
#include "format/bytes.h"
#include "store/pagestream.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define COMM_BYTES 32
#define NAMES_MAX  (1u << 18)

struct name {
	uint64_t ts;
	char comm[COMM_BYTES];
};

struct name_table {
	struct map by_pid; /* struct name */
	struct arena arena;
};

static const char *const pairs[][2] = {
	{"comm", "pid"},
	{"prev_comm", "prev_pid"},
	{"next_comm", "next_pid"},
	{"parent_comm", "parent_pid"},
	{"child_comm", "child_pid"},
	{"newcomm", "pid"},
};

static void table_put(struct name_table *t, int pid, const char *comm, size_t len, uint64_t ts)
{
	struct name *name;
	void **slot;

	len = strnlen(comm, len < COMM_BYTES - 1 ? len : COMM_BYTES - 1);
	slot = pid && len ? map_take(&t->by_pid, (uint32_t)pid, NAMES_MAX) : NULL;
	if (slot && !*slot)
		*slot = arena_alloc(&t->arena, sizeof(*name));
	name = slot ? *slot : NULL;
	if (!name || name->ts > ts)
		return;
	name->ts = ts;
	memcpy(name->comm, comm, len);
	name->comm[len] = 0;
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

	arena_init(&t.arena, 2 * NAMES_MAX * sizeof(struct name));
	for (size_t b = 0; b < tf->n_buffers && !r; b++)
		for (size_t c = 0; c < tf->buffers[b].n_cpus && !r; c++) {
			struct pagestream *ps = pagestream_new(tf, &tf->buffers[b], c, NULL);

			r = ps ? walk_cpu(&t, f, ps) : -ENOMEM;
			pagestream_free(ps);
		}
	for (size_t i = 0; i < t.by_pid.n_slots && !r; i++) {
		const struct name *name = t.by_pid.slots[i].value;
		const struct task *task =
			name ? tasks_find(tasks, (int)t.by_pid.slots[i].key) : NULL;

		if (task && !task->known)
			tasks_learn(tasks, task->pid, name->comm, COMM_BYTES);
	}
	map_release(&t.by_pid);
	arena_release(&t.arena);
	return r;
}

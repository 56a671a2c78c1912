// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * schedevent.c - reads the events of the scheduler.
 *
 *	sched_switch          prev_pid prev_comm prev_prio prev_state next_pid next_comm next_prio
 *	sched_waking, _wakeup, _wakeup_new    pid comm prio (old kernels: success; 0 woke nobody)
 *	sched_migrate_task    pid comm orig_cpu dest_cpu
 *	sched_process_fork    child_pid child_comm parent_pid parent_comm
 *	sched_process_exit    pid comm
 *	sched_stat_runtime    pid comm runtime
 *	kernel_stack          caller[]: recorded behind each event (record -T) or by a trigger
 *	perf:sample           stack[]: of a perf.data with call chains (store/events/sampleevents.h)
 *
 * The fields are found by name once. A record that ends before its fields is not read. New kernels
 * store names with a variable length (__data_loc): the field has an offset and a length.
 */
#include "analyse/sched/schedevent.h"

#include "base/array.h"
#include "format/bytes.h"
#include "symbols/tasks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define IN_INTERRUPT 0x18 /* common_flags: hard or soft interrupt */

struct sched_fields {
	enum sched_kind kind;
	const struct field *pid, *comm, *prio, *other, *other_comm, *other_prio, *success;
	const struct field *state, *from, *to, *value, *caller;
};

/* Names of fields, in the order of the struct; NULL: the event has no such field. */
static const struct row {
	const char *system, *name;
	enum sched_kind kind;
	const char *pid, *comm, *prio, *other, *other_comm, *other_prio, *success;
	const char *state, *from, *to, *value, *caller;
} rows[] = {
	{"sched", "sched_switch", SCHED_SWITCH, "prev_pid", "prev_comm", "prev_prio", "next_pid",
	 "next_comm", "next_prio", .state = "prev_state"},
	{"sched", "sched_waking", SCHED_WAKING, "pid", "comm", "prio", .success = "success",
	 .to = "target_cpu"},
	{"sched", "sched_wakeup", SCHED_WAKEUP, "pid", "comm", "prio", .success = "success",
	 .to = "target_cpu"},
	{"sched", "sched_wakeup_new", SCHED_NEW, "pid", "comm", "prio", .success = "success",
	 .to = "target_cpu"},
	{"sched", "sched_migrate_task", SCHED_MIGRATE, "pid", "comm", "prio", .from = "orig_cpu",
	 .to = "dest_cpu"},
	{"sched", "sched_process_fork", SCHED_FORK, "child_pid", "child_comm", NULL, "parent_pid",
	 "parent_comm"},
	{"sched", "sched_process_exit", SCHED_EXIT, "pid", "comm", "prio"},
	{"sched", "sched_stat_runtime", SCHED_RUNTIME, "pid", "comm", .value = "runtime"},
	{"ftrace", "kernel_stack", SCHED_STACK, .caller = "caller"},
	{"perf", "sample", SCHED_STACK, .caller = "stack"},
};

static const struct field *find(const struct event *ev, const char *name)
{
	return name ? event_find_field(ev, name) : NULL;
}

static void find_event(struct sched_reader *r, const struct row *row)
{
	const struct event *ev = formats_find_name(r->f, row->system, row->name);
	struct sched_fields *k;

	if (!ev || ev->id < 0 || (size_t)ev->id >= r->n_ids)
		return;
	ev = formats_find(r->f, ev->id);
	if (!ev)
		return;
	k = &r->kinds[ev->id];
	*k = (struct sched_fields){.kind = row->kind,
				   .pid = find(ev, row->pid),
				   .comm = find(ev, row->comm),
				   .prio = find(ev, row->prio),
				   .other = find(ev, row->other),
				   .other_comm = find(ev, row->other_comm),
				   .other_prio = find(ev, row->other_prio),
				   .success = find(ev, row->success),
				   .state = find(ev, row->state),
				   .from = find(ev, row->from),
				   .to = find(ev, row->to),
				   .value = find(ev, row->value),
				   .caller = find(ev, row->caller)};
	r->wanted[ev->id] = 1;
	r->has_waking |= row->kind == SCHED_WAKING;
	r->has_switch |= row->kind == SCHED_SWITCH;
	if (row->kind == SCHED_SWITCH)
		prev_states_init(&r->states, ev);
}

int sched_reader_init(struct sched_reader *r, struct formats *f)
{
	*r = (struct sched_reader){.f = f, .n_ids = f->n_table};
	r->kinds = calloc(r->n_ids + 1, sizeof(*r->kinds));
	r->wanted = calloc(r->n_ids + 1, 1);
	if (!r->kinds || !r->wanted)
		return -ENOMEM;
	prev_states_init(&r->states, NULL);
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		find_event(r, &rows[i]);
	return 0;
}

void sched_reader_release(struct sched_reader *r)
{
	free(r->kinds);
	free(r->wanted);
	*r = (struct sched_reader){0};
}

/* --- fields ----------------------------------------------------------------------------------- */

static bool read_int(const struct sched_reader *r, const struct record *rec, const struct field *f,
		     int *ret)
{
	uint64_t v;

	if (!formats_read(r->f, rec, f, &v))
		return false;
	*ret = (int)v;
	return true;
}

static void read_cpu(const struct sched_reader *r, const struct record *rec, const struct field *f,
		     uint32_t *ret)
{
	int v;

	*ret = read_int(r, rec, f, &v) ? (uint32_t)v : UINT32_MAX;
}

/* A text in place, or a reference: its length in the upper, its offset in the lower half. */
static const char *read_text(const struct sched_reader *r, const struct record *rec,
			     const struct field *f, uint32_t *ret_len)
{
	uint32_t offset, len;

	*ret_len = 0;
	if (!f || f->offset > rec->size || rec->size - f->offset < f->size)
		return NULL;
	offset = f->offset;
	len = f->size;
	if (f->flags & FIELD_DYNAMIC) {
		uint64_t where = bytes_get(rec->data + offset, 4, r->f->swap);

		offset = (uint32_t)(where & 0xffff) +
			 (f->flags & FIELD_RELATIVE ? f->offset + f->size : 0);
		len = (uint32_t)(where >> 16);
	}
	if (offset > rec->size || rec->size - offset < len)
		return NULL;
	*ret_len = (uint32_t)strnlen((const char *)rec->data + offset, len);
	return (const char *)rec->data + offset;
}

static bool read_stack(const struct sched_reader *r, const struct sched_fields *k,
		       const struct record *rec, struct sched_event *ev)
{
	uint32_t offset, n_bytes;

	if (!k->caller || k->caller->offset > rec->size || rec->size - k->caller->offset < 4)
		return false;
	offset = k->caller->offset;
	n_bytes = rec->size - offset;
	ev->is_sample = k->caller->flags & FIELD_DYNAMIC;
	ev->frame_bytes = ev->is_sample ? 8 : r->f->long_size;
	if (ev->is_sample) {
		uint64_t where = bytes_get(rec->data + offset, 4, r->f->swap);

		offset = where & 0xffff;
		n_bytes = (uint32_t)(where >> 16);
	}
	if (offset > rec->size || rec->size - offset < n_bytes || !ev->frame_bytes)
		return false;
	ev->frames = rec->data + offset;
	ev->n_frames = n_bytes / ev->frame_bytes;
	for (uint32_t i = 0; i < ev->n_frames; i++) {
		uint64_t addr = sched_event_frame(r, ev, i);

		if (addr == UINT64_MAX || (ev->frame_bytes == 4 && addr == UINT32_MAX))
			ev->n_frames = i;
	}
	return ev->n_frames > 0;
}

uint64_t sched_event_frame(const struct sched_reader *r, const struct sched_event *ev, uint32_t i)
{
	return bytes_get(ev->frames + (size_t)i * ev->frame_bytes, ev->frame_bytes, r->f->swap);
}

static bool read_fields(const struct sched_reader *r, const struct sched_fields *k,
			const struct record *rec, struct sched_event *ev)
{
	int success = 1;

	if (!read_int(r, rec, k->pid, &ev->pid))
		return false;
	if (k->other && !read_int(r, rec, k->other, &ev->other))
		return false;
	read_int(r, rec, k->success, &success);
	read_int(r, rec, k->prio, &ev->prio);
	read_int(r, rec, k->other_prio, &ev->other_prio);
	ev->comm = read_text(r, rec, k->comm, &ev->comm_len);
	ev->other_comm = read_text(r, rec, k->other_comm, &ev->other_comm_len);
	read_cpu(r, rec, k->from, &ev->from);
	read_cpu(r, rec, k->to, &ev->to);
	formats_read(r->f, rec, k->value, &ev->value);
	if (formats_read(r->f, rec, k->state, &ev->raw_state))
		ev->state = prev_states_get(&r->states, ev->raw_state);
	return success;
}

bool sched_read(const struct sched_reader *r, const struct record *rec, struct sched_event *ret)
{
	const struct sched_fields *k;
	size_t id = rec->event ? (size_t)rec->event->id : SIZE_MAX;

	*ret = (struct sched_event){.ts = rec->ts,
				    .cpu = rec->cpu,
				    .source = rec->source,
				    .missed = rec->flags & RECORD_MISSED,
				    .tgid = rec->task ? rec->task->tgid : -1,
				    .current_comm =
					    rec->task && rec->task->known ? rec->task->comm : NULL,
				    .pid = -1,
				    .other = -1,
				    .prio = -1,
				    .other_prio = -1};
	if (id >= r->n_ids || r->kinds[id].kind == SCHED_NONE)
		return false;
	k = &r->kinds[id];
	ret->current = formats_common(r->f, &r->f->pid, rec->data, rec->size);
	ret->in_irq = formats_common(r->f, &r->f->flags, rec->data, rec->size) & IN_INTERRUPT;
	if (k->kind == SCHED_STACK ? !read_stack(r, k, rec, ret) : !read_fields(r, k, rec, ret))
		return false;
	ret->kind = k->kind;
	return true;
}

// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * rawcalls.c - pairs entries and exits of system calls.
 *
 *	sys_enter: id, args ──▶ kept by thread ──▶ sys_exit: id, ret ──▶ a call
 *
 * A thread is in one call at a time. An exit without an entry is dropped: its arguments are
 * unknown.
 */
#include "decode/syscalls/rawcalls.h"

#include "base/array.h"
#include "decode/formats/event.h"
#include "decode/record.h"
#include "format/bytes.h"
#include "symbols/tasks.h"

#include <linux/audit.h>
#include <stdlib.h>
#include <string.h>

#define TASKS_MAX (1u << 20)

struct rawcall {
	uint64_t ts, args[6];
	uint32_t nr;
	bool is_open;
};

void rawcalls_init(struct rawcalls *r, uint32_t machine)
{
	*r = (struct rawcalls){.machine = machine};
}

void rawcalls_release(struct rawcalls *r)
{
	for (size_t i = 0; i < r->open.n_slots; i++)
		free(r->open.slots[i].value);
	map_release(&r->open);
}

uint32_t rawcalls_machine(const char *uname, size_t len)
{
	static const struct {
		const char *name;
		uint32_t machine;
	} rows[] = {{"x86_64", AUDIT_ARCH_X86_64},
		    {"aarch64", AUDIT_ARCH_AARCH64},
		    {"riscv64", AUDIT_ARCH_RISCV64},
		    {"i686", AUDIT_ARCH_I386}};
	size_t start;

	len = strnlen(uname, len);
	for (start = len; start && uname[start - 1] != ' '; start--)
		;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (strlen(rows[i].name) == len - start &&
		    !memcmp(rows[i].name, uname + start, len - start))
			return rows[i].machine;
	return 0;
}

static bool number_at(const struct record *rec, const struct field *f, unsigned i, unsigned size,
		      bool swap, uint64_t *ret)
{
	uint64_t at = f ? (uint64_t)f->offset + (uint64_t)i * size : 0;

	if (!f || at + size > rec->size || (size != 4 && size != 8))
		return false;
	*ret = bytes_get(rec->data + at, size, swap);
	return true;
}

static bool enter(struct rawcalls *r, const struct record *rec, bool swap)
{
	const struct field *id = event_find_field(rec->event, "id");
	const struct field *args = event_find_field(rec->event, "args");
	void **place = map_take(&r->open, (uint64_t)rec->task->pid, TASKS_MAX);
	struct rawcall *c;
	uint64_t nr = 0;

	if (place && !*place)
		*place = calloc(1, sizeof(struct rawcall));
	if (!place || !*place || !id || !number_at(rec, id, 0, id->size, swap, &nr))
		return false;
	c = *place;
	*c = (struct rawcall){.ts = rec->ts, .nr = (uint32_t)nr, .is_open = true};
	for (unsigned i = 0; args && i < 6; i++)
		number_at(rec, args, i, args->size / 6, swap, &c->args[i]);
	return false;
}

static bool leave(struct rawcalls *r, const struct record *rec, bool swap,
		  struct syscallevents_call *ret)
{
	const struct field *f = event_find_field(rec->event, "ret");
	struct rawcall *c = map_find(&r->open, (uint64_t)rec->task->pid);
	uint64_t v = 0;

	if (!c || !c->is_open || !f || !number_at(rec, f, 0, f->size, swap, &v))
		return false;
	c->is_open = false;
	*ret = (struct syscallevents_call){
		.type = SYSCALLEVENTS_CALL,
		.pid = rec->task->pid,
		.ret = f->size == 4 ? (int32_t)v : (int64_t)v,
		.duration = rec->ts > c->ts ? rec->ts - c->ts : 0,
		.nr = c->nr,
		.machine = r->machine,
		.tgid = rec->task->pid,
		.memory_loc = SYSCALLEVENTS_CALL_BYTES,
	};
	memcpy(ret->args, c->args, sizeof(ret->args));
	return true;
}

bool rawcalls_take(struct rawcalls *r, const struct record *rec, bool swap,
		   struct syscallevents_call *ret)
{
	if (!rec->event || !rec->task || strcmp(rec->event->system, "raw_syscalls"))
		return false;
	return !strcmp(rec->event->name, "sys_enter")  ? enter(r, rec, swap)
	       : !strcmp(rec->event->name, "sys_exit") ? leave(r, rec, swap, ret)
						       : false;
}

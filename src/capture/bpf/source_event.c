// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * source_event.c - maps a field of a tracepoint's event to the bytes from which it is read.
 *
 *	sched_switch(preempt, prev, next)     the tracepoint and its arguments
 *	         │ prev_pid = prev->pid …     the event makes its record from them
 *	         ▼
 *	prev_comm prev_pid … next_prio        the record, as the format describes it
 *
 * The kernel does not describe which field comes from which argument, so this file has a table. The
 * layout of structs comes from the kernel's BTF, which also verifies the types of the arguments.
 * Fields that are not in the table are read from the record, which costs most.
 */
#include "base/array.h"
#include "capture/bpf/source_int.h"

#include "base/errmsg.h"
#include "symbols/arch.h"
#include "symbols/btf/btf.h"
#include "symbols/tables/syscalls.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/*
 * --- tracepoints -------------------------------------------------------------------------------
 */

/*
 * One row for several events. If type is NULL, the argument is the number itself; else it points to
 * this struct.
 */
struct raw_row {
	const char *system, *events, *fields; /* several words, separated by spaces */
	uint8_t arg;
	const char *type, *members; /* one member for each field */
};

static const struct raw_row raw_rows[] = {
	{"raw_syscalls", "sys_enter", "id", 1},
	{"raw_syscalls", "sys_exit", "ret", 1},
	{"raw_syscalls", "sys_exit", "id", 0, "pt_regs", "orig_ax"}, /* x86 */
	{"sched", "sched_switch", "prev_comm prev_pid prev_prio", 1, "task_struct",
	 "comm pid prio"},
	{"sched", "sched_switch", "next_comm next_pid next_prio", 2, "task_struct",
	 "comm pid prio"},
	{"sched",
	 "sched_waking sched_wakeup sched_wakeup_new sched_migrate_task sched_process_exit "
	 "sched_process_free sched_stat_runtime",
	 "comm pid prio", 0, "task_struct", "comm pid prio"},
	{"sched", "sched_migrate_task", "dest_cpu", 1},
	{"sched", "sched_process_fork", "parent_comm parent_pid", 0, "task_struct", "comm pid"},
	{"sched", "sched_process_fork", "child_comm child_pid", 1, "task_struct", "comm pid"},
	{"irq", "irq_handler_entry irq_handler_exit", "irq", 0},
	{"irq", "irq_handler_entry", "name", 1, "irqaction", "name"},
	{"irq", "softirq_entry softirq_exit softirq_raise", "vec", 0},
	{"power", "cpu_idle cpu_frequency", "state", 0},
	{"power", "cpu_idle cpu_frequency", "cpu_id", 1},
	{"signal", "signal_generate signal_deliver", "sig", 0},
};

/* Returns the index of the word, or -1. */
static int find_word(const char *words, const char *word)
{
	size_t len = strlen(word);
	int n = 0;

	for (const char *p = words; p; n++) {
		if (!strncmp(p, word, len) && (p[len] == ' ' || !p[len]))
			return n;
		p = strchr(p, ' ');
		p = p ? p + 1 : NULL;
	}
	return -1;
}

static void copy_word(const char *words, int n, char *buf, size_t n_bytes)
{
	for (; n > 0; n--)
		words = strchr(words, ' ') + 1;
	snprintf(buf, n_bytes, "%.*s", (int)strcspn(words, " "), words);
}

/*
 * Finds the type of a tracepoint's argument. BTF has a prototype for each tracepoint,
 * btf_trace_NAME.
 */
static bool find_argument_type(const struct btf *btf, const char *event, unsigned arg,
			       struct type_facts *ret_facts)
{
	const struct types *world = btf_types(btf);
	struct type_member m;
	struct type_facts f;
	struct type t;
	char name[128];

	snprintf(name, sizeof(name), "btf_trace_%s", event);
	if (world->ops->find(world, TYPE_UNKNOWN, name, strlen(name), &t) < 0)
		return false;
	type_get(t, &f);
	if (f.kind == TYPE_POINTER)
		type_get(t = f.target, &f);
	/* the first argument is internal */
	if (f.kind != TYPE_FUNCTION || type_member(t, arg + 1, &m) < 0)
		return false;
	type_get(m.type, ret_facts);
	return true;
}

static bool use_member(const struct type_facts *argument, const char *type, const char *member,
		       struct bpfsource *s)
{
	struct type_facts f;
	struct type_member m;

	if (argument->kind != TYPE_POINTER)
		return false;
	type_get(argument->target, &f);
	if (f.kind != TYPE_STRUCT || strcmp(f.name, type) ||
	    type_find_member(argument->target, member, strlen(member), &m) < 0 || m.n_bits ||
	    m.bit_offset % 8 ||
	    !bpfsource_add_step(s, (long long)(m.bit_offset / 8), BPFMEMORY_KERNEL))
		return false;
	type_get(m.type, &f);
	if (s->is_text && f.kind == TYPE_POINTER) {
		s->n_bytes = BPFPROGRAM_TEXT_MAX_BYTES;
		return bpfsource_add_step(s, 0, BPFMEMORY_KERNEL);
	}
	if (s->is_text) {
		s->n_bytes = f.n_bytes < BPFPROGRAM_TEXT_MAX_BYTES ? (uint16_t)f.n_bytes
								   : BPFPROGRAM_TEXT_MAX_BYTES;
		return f.kind == TYPE_ARRAY && s->n_bytes;
	}
	if (!strcmp(type, "pt_regs")) { /* the number of a system call is an int */
		s->n_bytes = 4;
		s->is_signed = true;
		return true;
	}
	s->is_signed = f.is_signed;
	return (f.kind == TYPE_INT || f.kind == TYPE_ENUM) && f.n_bytes == s->n_bytes;
}

bool bpfsource_of_raw(struct btf **btf, const char *system, const char *event,
		      const struct bpffield *f, struct bpfsource *ret_source)
{
	struct type_facts argument;
	const struct raw_row *row = NULL;
	char member[64];

	for (size_t i = 0; i < ARRAY_LEN(raw_rows); i++)
		if (!strcmp(raw_rows[i].system, system) &&
		    find_word(raw_rows[i].events, event) >= 0 &&
		    find_word(raw_rows[i].fields, f->name) >= 0)
			row = &raw_rows[i];
	if (!row || !bpfsource_open_btf(btf) ||
	    !find_argument_type(*btf, event, row->arg, &argument))
		return false;
	*ret_source = (struct bpfsource){.kind = BPFSOURCE_CONTEXT,
					 .start = row->arg * 8u,
					 .n_start = 8,
					 .is_text = f->is_text,
					 .is_signed = f->is_signed,
					 .n_bytes = (uint16_t)f->n_bytes};
	if (!row->type)
		return !f->is_text && (argument.kind == TYPE_INT || argument.kind == TYPE_ENUM);
	copy_word(row->members, find_word(row->fields, f->name), member, sizeof(member));
	return use_member(&argument, row->type, member, ret_source);
}

/*
 * --- system calls ------------------------------------------------------------------------------
 */

/*
 * Both tracepoints pass the registers first; then sys_enter has the number, sys_exit the result.
 * This is only for x86-64, where sonde can recognize calls of 32-bit programs: the events of single
 * calls exclude those.
 */
#define ORIG_AX	  120
#define TS_COMPAT 1 /* a bit of thread_info.status */

static const uint8_t call_arguments[] = {112, 104, 96, 56, 72, 64}; /* di si dx r10 r8 r9 */

static const struct bpfsource raw_word = {
	.kind = BPFSOURCE_CONTEXT, .start = 8, .n_start = 8, .n_bytes = 8};

static void of_registers(int offset, unsigned n_bytes, struct bpfsource *s)
{
	*s = (struct bpfsource){.kind = BPFSOURCE_CONTEXT,
				.n_start = 8,
				.n_bytes = (uint16_t)n_bytes,
				.is_signed = n_bytes < 8,
				.steps = {{offset, BPFMEMORY_KERNEL}},
				.n_steps = 1};
}

/*
 * Finds the number by the name of the kernel's function. A call whose function has another name is
 * not found.
 */
static int number_of_call(const char *name)
{
	const struct syscall_table *t = syscalls_for("x86_64", 6);

	for (size_t i = 0; t && i < t->n; i++)
		if (t->names[i] && !strcmp(t->names[i], name))
			return (int)i;
	return -ENOENT;
}

static bool find_status(struct btf **btf, uint64_t *ret_offset)
{
	struct type_member info, status;
	const struct types *world;
	struct type task;

	if (!bpfsource_open_btf(btf))
		return false;
	world = btf_types(*btf);
	if (world->ops->find(world, TYPE_STRUCT, "task_struct", 11, &task) < 0 ||
	    type_find_member(task, "thread_info", 11, &info) < 0 ||
	    type_find_member(info.type, "status", 6, &status) < 0)
		return false;
	*ret_offset = (info.bit_offset + status.bit_offset) / 8;
	return *ret_offset < INT32_MAX;
}

bool bpfcall_find(struct btf **btf, const char *event, const char **ret_tracepoint,
		  struct bpfcondition ret_conditions[BPFPROGRAM_CONDITIONS_MAX])
{
	const struct arch *arch = arch_of_this_kernel();
	bool is_exit = !strncmp(event, "sys_exit_", 9);
	struct bpfcondition *number = &ret_conditions[0], *compat = &ret_conditions[1];
	uint64_t status;

	if (!arch || strcmp(arch->name, "x86_64") ||
	    (!is_exit && strncmp(event, "sys_enter_", 10)) || !find_status(btf, &status))
		return false;
	*ret_tracepoint = is_exit ? "sys_exit" : "sys_enter";
	number->number = number_of_call(event + (is_exit ? 9 : 10));
	number->source = raw_word;
	if (is_exit)
		of_registers(ORIG_AX, 4, &number->source);
	*compat = (struct bpfcondition){.source = {.kind = BPFSOURCE_TASK,
						   .steps = {{(int32_t)status, BPFMEMORY_KERNEL}},
						   .n_steps = 1,
						   .n_bytes = 4,
						   .shift = TS_COMPAT,
						   .n_bits = 1}};
	return number->number >= 0;
}

bool bpfsource_of_call(const char *tracepoint, const struct bpffield *f,
		       struct bpfsource *ret_source)
{
	bool is_exit = !strcmp(tracepoint, "sys_exit");
	size_t n = (f->offset - 16) / 8;

	*ret_source = raw_word;
	if (f->is_text || f->is_dynamic)
		return false;
	if (!strcmp(f->name, "__syscall_nr")) {
		of_registers(ORIG_AX, 4, ret_source);
		return true;
	}
	if (is_exit)
		return !strcmp(f->name, "ret");
	if (f->offset < 16 || f->offset % 8 || n >= sizeof(call_arguments) || f->n_bytes != 8)
		return false;
	of_registers(call_arguments[n], 8, ret_source);
	return true;
}

/*
 * --- records -----------------------------------------------------------------------------------
 */

/*
 * Finds a field in the record. For system calls only the first part of the record is available: the
 * number and the arguments.
 */
bool bpfsource_of_record(const char *system, const struct bpffield *f, struct bpfsource *ret_source)
{
	bool is_call = !strcmp(system, "syscalls");

	if (f->offset < 8 || f->offset > UINT16_MAX / 2 || (is_call && f->is_dynamic))
		return false;
	*ret_source = (struct bpfsource){.kind = BPFSOURCE_CONTEXT,
					 .start = f->offset,
					 .n_start = (uint8_t)f->n_bytes,
					 .is_text = f->is_text,
					 .is_signed = f->is_signed,
					 .n_bytes = (uint16_t)f->n_bytes};
	if (!f->is_text)
		return f->n_bytes <= 8 && f->offset % f->n_bytes == 0;
	ret_source->kind = f->is_dynamic ? BPFSOURCE_DYNAMIC : BPFSOURCE_PLACE;
	ret_source->is_relative = f->is_relative;
	if (f->is_dynamic || f->n_bytes > BPFPROGRAM_TEXT_MAX_BYTES)
		ret_source->n_bytes = BPFPROGRAM_TEXT_MAX_BYTES;
	return bpfsource_add_step(ret_source, 0, BPFMEMORY_KERNEL);
}

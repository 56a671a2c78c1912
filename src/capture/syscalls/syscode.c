// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * syscode.c - generates the BPF programs at the entry and the exit of system calls.
 *
 *  sys_enter            is the task traced? ─▶ is the call traced? ─▶ slot of the thread: time,
 *                       number, arguments ─▶ copies of the entry, if there are any ─▶ ring
 *  sys_exit             slot of the thread ─▶ copies of the exit ─▶ ring: one record of the call
 *  signal_deliver       the siginfo ─▶ ring
 *  sched_process_exit   the status ─▶ ring; the slot is removed
 *  sched_process_exec   name and arguments of the new program ─▶ ring
 *  signal_generate      the siginfo of a signal that is ignored, or that can end a process ─▶ ring
 *
 * Most calls copy little at the entry, so they have one record and two short programs. What costs
 * time is a call of a helper; so tasks, rows and registers are read by plain loads (program.h), and
 * the few bytes of a read() or write() take a way of their own: they are read to the stack, because
 * the kernel checks other places of a copy for longer.
 *
 * The first four programs run in the context of the task, with preemption off. So a CPU's records
 * are in the order of their times, and the scratch area of the CPU is ours. A signal can be sent by
 * an interrupt, such as that of a timer. So signal_generate makes its record on the stack.
 */
#include "capture/syscalls/syscode_int.h"
#include "symbols/syscalls/copies.h"

#include "store/events/syscallevents.h"

#include <signal.h>
#include <stddef.h>

#define IN_SLOT(field)	 ((int)offsetof(struct sysslot, field))
#define AT(field)	 ((int)offsetof(struct sysscratch, field))
#define IN_RECORD(field) ((int)offsetof(struct sysrecord, field))
#define TS_COMPAT	 2
#define ERRNO_MAX	 4095
#define CHUNK		 ((int)sizeof(struct syscallevents_chunk))
#define SIGINFO_BYTES	 SYSRECORD_SIGINFO
#define SIGINFO_WHOLE	 128 /* … and user space gets, with zeros */

/* Stack. */
enum {
	KEY = -8,
	ZERO = -16,
	MACHINE = -24,
	PLAIN_LENGTH = -32,
	PLAIN_FLAGS = -40,
	NUMBER = -48,
	PLAIN = -48 - SYSROW_PLAIN_MAX,
	SENT = PLAIN - (int)sizeof(struct sysrecord) - SIGINFO_BYTES, /* below 512 */
};

/* Places of the arguments in struct pt_regs. */
#if defined(__x86_64__)
static const int arg_places[6] = {112, 104, 96, 56, 72, 64};
static const int arg_places_32[6] = {40, 88, 96, 104, 112, 32};
#else /* x0 … x5, a0 … a5 */
#if defined(__riscv)
static const int arg_places[6] = {80, 88, 96, 104, 112, 120};
#else
static const int arg_places[6] = {0, 8, 16, 24, 32, 40};
#endif
#endif

/*
 * --- common parts ------------------------------------------------------------------------------
 */

/* r7 = the task, r8 = its pid, which is also at KEY. */
static void emit_task(struct bpfcode *c, const struct syskernel *k)
{
	bpfcode_call(c, BPF_FUNC_get_current_task_btf);
	bpfcode_move(c, R7, R0);
	bpfcode_load(c, BPF_W, R8, R7, k->task.pid);
	bpfcode_store(c, BPF_DW, FRAME, KEY, R8);
}

/* Goes to `out` if the task at r7, with the pid r8, is not traced. */
static void emit_select(struct bpfcode *c, const struct sysprograms *p, const struct syskernel *k,
			unsigned out)
{
	unsigned found = bpfcode_label(c);

	if (!p->config.all_tasks) {
		bpftasks_emit(c, &p->tasks, R8, found);
		bpfcode_jump(c, out);
	} else if (p->config.not_process) {
		bpfcode_load(c, BPF_W, R1, R7, k->task.process);
		bpfcode_jump_if(c, BPF_JEQ, R1, p->config.not_process, out);
	}
	bpfcode_place(c, found);
}

/* r9 = the number of the slot of pid r8, 0: none; r1 its place in the table. */
static void emit_number(struct bpfcode *c, const struct sysprograms *p, unsigned none)
{
	bpfcode_jump_if(c, BPF_JGE, R8, (int32_t)p->n_pids, none);
	bpfcode_move(c, R2, R8);
	bpfcode_alu_number(c, BPF_LSH, R2, 1);
	bpfcode_set_row(c, R1, p->numbers.fd);
	bpfcode_alu(c, BPF_ADD, R1, R2);
	bpfcode_load(c, BPF_H, R9, R1, 0);
}

/* r9 = the slot with the number in r9. */
static void emit_slot_of(struct bpfcode *c, const struct sysprograms *p)
{
	bpfcode_alu_number(c, BPF_AND, R9, SYSSLOTS - 1);
	bpfcode_alu_number(c, BPF_MUL, R9, (int32_t)sizeof(struct sysslot));
	bpfcode_set_row(c, R1, p->slots.fd);
	bpfcode_alu(c, BPF_ADD, R1, R9);
	bpfcode_move(c, R9, R1);
}

/* The selection that needs a call of a helper. */
static void emit_select_more(struct bpfcode *c, const struct sysprograms *p, unsigned out)
{
	if (p->cgroups.fd >= 0) {
		bpfcode_set_map(c, R1, p->cgroups.fd);
		bpfcode_set(c, R2, 0);
		bpfcode_call(c, BPF_FUNC_current_task_under_cgroup);
		bpfcode_jump_if(c, BPF_JNE, R0, 1, out);
	}
	if (p->cpus.fd >= 0) {
		bpfcode_call(c, BPF_FUNC_get_smp_processor_id);
		bpfcode_jump_if(c, BPF_JGE, R0, SYSPROGRAMS_CPUS_MAX, out);
		bpfcode_set_row(c, R1, p->cpus.fd);
		bpfcode_alu(c, BPF_ADD, R1, R0);
		bpfcode_load(c, BPF_B, R1, R1, 0);
		bpfcode_jump_if(c, BPF_JEQ, R1, 0, out);
	}
}

/* dst = row of the key at `key`, or `none`. */
static void emit_find(struct bpfcode *c, int table, int key, int dst, unsigned none)
{
	bpfcode_set_map(c, R1, table);
	bpfcode_move(c, R2, FRAME);
	bpfcode_alu_number(c, BPF_ADD, R2, key);
	bpfcode_call(c, BPF_FUNC_map_lookup_elem);
	bpfcode_jump_if(c, BPF_JEQ, R0, 0, none);
	if (dst != R0)
		bpfcode_move(c, dst, R0);
}

/* dst = the scratch area of this CPU. */
static void emit_scratch(struct bpfcode *c, const struct sysprograms *p, int dst, unsigned out)
{
	bpfcode_store_number(c, BPF_DW, FRAME, ZERO, 0);
	emit_find(c, p->scratch.fd, ZERO, dst, out);
}

/*
 * dst = the row of the call with the number in `nr` and the machine in `machine`. Numbers beyond
 * the table, which no kernel knows, share the last row.
 */
static void emit_row(struct bpfcode *c, const struct sysprograms *p, int dst, int nr, int machine)
{
	unsigned known = bpfcode_label(c);

	bpfcode_jump_if(c, BPF_JLT, nr, SYSROW_CALLS, known);
	bpfcode_set(c, nr, SYSROW_CALLS - 1);
	bpfcode_place(c, known);
	bpfcode_alu_number(c, BPF_AND, machine, 1);
	bpfcode_alu_number(c, BPF_LSH, machine, 10);
	bpfcode_alu(c, BPF_ADD, nr, machine);
	bpfcode_alu_number(c, BPF_LSH, nr, SYSROW_SHIFT);
	bpfcode_set_row(c, dst, p->rows.fd);
	bpfcode_alu(c, BPF_ADD, dst, nr);
}

/* The first bytes of the record at r7, and its CPU. */
static void emit_kind(struct bpfcode *c, int kind)
{
	bpfcode_store_number(c, BPF_W, R7, IN_RECORD(kind), kind);
	bpfcode_call(c, BPF_FUNC_get_smp_processor_id);
	bpfcode_store(c, BPF_W, R7, IN_RECORD(cpu), R0);
	bpfcode_load(c, BPF_DW, R1, FRAME, KEY);
	bpfcode_store(c, BPF_W, R7, IN_RECORD(pid), R1);
	bpfcode_load(c, BPF_DW, R1, R7, AT(n_lost));
	bpfcode_store(c, BPF_W, R7, IN_RECORD(n_lost), R1);
	bpfcode_store_number(c, BPF_DW, R7, AT(used), 0);
}

static void emit_copy(struct bpfcode *c, int size, int from, int to)
{
	bpfcode_load(c, size, R1, R9, from);
	bpfcode_store(c, size, R7, to, R1);
}

/* Copies the slot at r9 into the record at r7. */
static void emit_from_slot(struct bpfcode *c)
{
	emit_copy(c, BPF_B, IN_SLOT(machine), IN_RECORD(machine));
	emit_copy(c, BPF_B, IN_SLOT(has_entry), IN_RECORD(has_entry));
	emit_copy(c, BPF_DW, IN_SLOT(start_ns), IN_RECORD(start_ns));
	emit_copy(c, BPF_W, IN_SLOT(nr), IN_RECORD(nr));
	emit_copy(c, BPF_W, IN_SLOT(tgid), IN_RECORD(tgid));
	for (int i = 0; i < 6; i++)
		emit_copy(c, BPF_DW, IN_SLOT(args[i]), IN_RECORD(args[i]));
}

/* Writes the record at r7 and its memory into the ring. r0 is 0 on success. */
static void emit_output(struct bpfcode *c, const struct sysprograms *p, unsigned out)
{
	unsigned written = bpfcode_label(c);

	bpfcode_load(c, BPF_DW, R3, R7, AT(used));
	bpfcode_jump_if(c, BPF_JGT, R3, SYSCALLEVENTS_MEMORY_MAX, out);
	bpfcode_alu_number(c, BPF_ADD, R3, AT(memory));
	bpfcode_set_map(c, R1, p->ring.fd);
	bpfcode_move(c, R2, R7);
	bpfcode_set(c, R4, BPF_RB_NO_WAKEUP);
	bpfcode_call(c, BPF_FUNC_ringbuf_output);
	bpfcode_jump_if(c, BPF_JEQ, R0, 0, written);
	bpfcode_load(c, BPF_DW, R1, R7, AT(n_lost));
	bpfcode_alu_number(c, BPF_ADD, R1, 1);
	bpfcode_store(c, BPF_DW, R7, AT(n_lost), R1);
	bpfcode_jump(c, out);
	bpfcode_place(c, written);
}

static void emit_end(struct bpfcode *c, unsigned out)
{
	bpfcode_place(c, out);
	bpfcode_set(c, R0, 0);
	bpfcode_exit(c);
}

/*
 * --- entry -------------------------------------------------------------------------------------
 */

/*
 * A thread without a slot gets one: r9 = its number. A slot that was given back is taken first.
 * Leaves to `out` if there is none.
 */
static void emit_new_slot(struct bpfcode *c, const struct sysprograms *p, unsigned out)
{
	unsigned fresh = bpfcode_label(c), full = bpfcode_label(c), done = bpfcode_label(c),
		 end = bpfcode_label(c);

	bpfcode_set_map(c, R1, p->given_back.fd);
	bpfcode_move(c, R2, FRAME);
	bpfcode_alu_number(c, BPF_ADD, R2, NUMBER);
	bpfcode_store_number(c, BPF_DW, FRAME, NUMBER, 0);
	bpfcode_call(c, BPF_FUNC_map_pop_elem);
	bpfcode_load(c, BPF_W, R9, FRAME, NUMBER);
	bpfcode_jump_if(c, BPF_JNE, R0, 0, fresh);
	bpfcode_jump_if(c, BPF_JNE, R9, 0, done);
	bpfcode_place(c, fresh);
	bpfcode_set_row(c, R1, p->slots.fd);
	bpfcode_alu_number(c, BPF_ADD, R1, (int)offsetof(struct sysslots, n_used));
	bpfcode_set(c, R9, 1);
	bpfcode_fetch_add(c, R1, 0, R9);
	bpfcode_alu_number(c, BPF_ADD, R9, 1);
	bpfcode_jump_if(c, BPF_JGE, R9, SYSSLOTS, full);
	bpfcode_place(c, done);
	bpfcode_move(c, R2, R8);
	bpfcode_jump_if(c, BPF_JGE, R2, (int32_t)p->n_pids, full);
	bpfcode_alu_number(c, BPF_LSH, R2, 1);
	bpfcode_set_row(c, R1, p->numbers.fd);
	bpfcode_alu(c, BPF_ADD, R1, R2);
	bpfcode_store(c, BPF_H, R1, 0, R9);
	bpfcode_jump(c, end);
	bpfcode_place(c, full);
	emit_scratch(c, p, R7, out);
	bpfcode_load(c, BPF_DW, R1, R7, AT(n_no_slot));
	bpfcode_alu_number(c, BPF_ADD, R1, 1);
	bpfcode_store(c, BPF_DW, R7, AT(n_no_slot), R1);
	bpfcode_jump(c, out);
	bpfcode_place(c, end);
}

/* Stores the arguments, of 64 or 32 bits, into the slot at r9. */
static void emit_args(struct bpfcode *c)
{
	bpfcode_load(c, BPF_DW, R1, R6, 0);
#if defined(__x86_64__)
	unsigned wide = bpfcode_label(c), done = bpfcode_label(c);

	bpfcode_load(c, BPF_DW, R2, FRAME, MACHINE);
	bpfcode_jump_if(c, BPF_JEQ, R2, 0, wide);
	for (int i = 0; i < 6; i++) {
		bpfcode_load(c, BPF_DW, R2, R1, arg_places_32[i]);
		bpfcode_alu_number(c, BPF_LSH, R2, 32);
		bpfcode_alu_number(c, BPF_RSH, R2, 32);
		bpfcode_store(c, BPF_DW, R9, IN_SLOT(args[i]), R2);
	}
	bpfcode_jump(c, done);
	bpfcode_place(c, wide);
#endif
	for (int i = 0; i < 6; i++) {
		bpfcode_load(c, BPF_DW, R2, R1, arg_places[i]);
		bpfcode_store(c, BPF_DW, R9, IN_SLOT(args[i]), R2);
	}
#if defined(__x86_64__)
	bpfcode_place(c, done);
#endif
}

static void emit_fill_slot(struct bpfcode *c, const struct syskernel *k)
{
	bpfcode_load(c, BPF_DW, R1, R6, 8);
	bpfcode_store(c, BPF_W, R9, IN_SLOT(nr), R1);
	bpfcode_load(c, BPF_W, R1, R7, k->task.process);
	bpfcode_store(c, BPF_W, R9, IN_SLOT(tgid), R1);
	bpfcode_load(c, BPF_DW, R1, FRAME, KEY);
	bpfcode_store(c, BPF_W, R9, IN_SLOT(pid), R1);
	bpfcode_load(c, BPF_DW, R1, FRAME, MACHINE);
	bpfcode_store(c, BPF_DW, R9, IN_SLOT(machine), R1); /* and 0 for has_entry, retry, used */
	emit_args(c);
	bpfcode_call(c, BPF_FUNC_ktime_get_ns);
	bpfcode_store(c, BPF_DW, R9, IN_SLOT(start_ns), R0);
}

/* Carries out the copies of the row at r8, with the scratch area at r7. Uses r6 as the counter. */
static void emit_copies(struct bpfcode *c, int phase, unsigned row)
{
	unsigned loop = bpfcode_label(c), end = bpfcode_label(c);

	bpfcode_store_number(c, BPF_DW, R7, AT(phase), phase);
	bpfcode_store_number(c, BPF_DW, R7, AT(failed_rows), 0);
	bpfcode_set(c, R6, 0);
	bpfcode_place(c, loop);
	bpfcode_load(c, BPF_B, R1, R8, offsetof(struct sysrow, n_copies));
	bpfcode_jump_if_reg(c, BPF_JGE, R6, R1, end);
	bpfcode_load(c, BPF_H, R1, R8, offsetof(struct sysrow, first));
	bpfcode_alu(c, BPF_ADD, R1, R6);
	bpfcode_move(c, R2, R6);
	bpfcode_call_label(c, row);
	bpfcode_alu_number(c, BPF_ADD, R6, 1);
	bpfcode_jump_if(c, BPF_JLT, R6, SYSCOPIES_MAX, loop);
	bpfcode_place(c, end);
}

/*
 * Reads r2 bytes, more than 0, at r3 to the stack, at most those of the row at r8. r0 is 0 on
 * success; then r2 is their number, and r3 CUT or 0.
 */
static void emit_read_plain(struct bpfcode *c, unsigned failed)
{
	unsigned fits = bpfcode_label(c);

	bpfcode_set(c, R5, 0);
	bpfcode_load(c, BPF_H, R4, R8, offsetof(struct sysrow, plain_max));
	bpfcode_jump_if_reg(c, BPF_JLE, R2, R4, fits);
	bpfcode_move(c, R2, R4);
	bpfcode_set(c, R5, SYSCALLEVENTS_CUT);
	bpfcode_place(c, fits);
	bpfcode_jump_if(c, BPF_JGT, R2, SYSROW_PLAIN_MAX, failed);
	bpfcode_store(c, BPF_DW, FRAME, PLAIN_LENGTH, R2);
	bpfcode_store(c, BPF_DW, FRAME, PLAIN_FLAGS, R5);
	for (int at = 0; at < SYSROW_PLAIN_MAX; at += 8)
		bpfcode_store_number(c, BPF_DW, FRAME, PLAIN + at, 0);
	bpfcode_move(c, R1, FRAME);
	bpfcode_alu_number(c, BPF_ADD, R1, PLAIN);
	bpfcode_call(c, BPF_FUNC_probe_read_user);
	bpfcode_jump_if(c, BPF_JNE, R0, 0, failed);
	bpfcode_load(c, BPF_DW, R2, FRAME, PLAIN_LENGTH);
	bpfcode_load(c, BPF_DW, R3, FRAME, PLAIN_FLAGS);
}

/* Writes the chunk, whose address is in args[1], to `memory` of reg; r1 = its bytes. */
static void emit_plain_chunk(struct bpfcode *c, int reg, int memory, int address, int phase)
{
	bpfcode_load(c, BPF_DW, R1, reg, address);
	bpfcode_store(c, BPF_DW, reg, memory, R1);
	bpfcode_alu_number(c, BPF_LSH, R3, 24);
	if (phase)
		bpfcode_alu_number(c, BPF_OR, R3, phase << 16);
	bpfcode_alu(c, BPF_OR, R3, R2);
	bpfcode_store(c, BPF_DW, reg, memory + 8, R3);
	for (int at = 0; at < SYSROW_PLAIN_MAX; at += 8) {
		bpfcode_load(c, BPF_DW, R1, FRAME, PLAIN + at);
		bpfcode_store(c, BPF_DW, reg, memory + CHUNK + at, R1);
	}
	bpfcode_move(c, R1, R2);
	bpfcode_alu_number(c, BPF_ADD, R1, CHUNK + 7);
	bpfcode_alu_number(c, BPF_AND, R1, ~7);
}

/* write(): its bytes go into the slot at r9. */
static void emit_plain_entry(struct bpfcode *c, unsigned out)
{
	unsigned failed = bpfcode_label(c);

	bpfcode_load(c, BPF_DW, R2, R9, IN_SLOT(args[2]));
	bpfcode_load(c, BPF_DW, R3, R9, IN_SLOT(args[1]));
	bpfcode_jump_if(c, BPF_JEQ, R2, 0, out);
	emit_read_plain(c, failed);
	emit_plain_chunk(c, R9, IN_SLOT(memory), IN_SLOT(args[1]), SYSCALLEVENTS_AT_ENTRY);
	bpfcode_store(c, BPF_W, R9, IN_SLOT(used), R1);
	bpfcode_jump(c, out);
	bpfcode_place(c, failed);
	bpfcode_store_number(c, BPF_H, R9, IN_SLOT(retry), 1);
	bpfcode_jump(c, out);
}

/* Moves up to SYSSLOT_MEMORY bytes of chunks between the slot at r9 and the scratch area at r7. */
static void emit_move_memory(struct bpfcode *c, bool to_slot)
{
	for (int at = 0; at < SYSSLOT_MEMORY; at += 8) {
		bpfcode_load(c, BPF_DW, R1, to_slot ? R7 : R9,
			     (to_slot ? AT(memory) : IN_SLOT(memory)) + at);
		bpfcode_store(c, BPF_DW, to_slot ? R9 : R7,
			      (to_slot ? IN_SLOT(memory) : AT(memory)) + at, R1);
	}
}

/* The copies of an entry, and its record if they are too many for the slot; r8 is the row. */
static void emit_entry_record(struct bpfcode *c, const struct sysprograms *p, unsigned row,
			      unsigned out)
{
	unsigned write = bpfcode_label(c);

	emit_scratch(c, p, R7, out);
	emit_kind(c, SYSRECORD_ENTRY);
	emit_from_slot(c);
	bpfcode_load(c, BPF_DW, R1, R9, IN_SLOT(start_ns));
	bpfcode_store(c, BPF_DW, R7, IN_RECORD(time_ns), R1);
	bpfcode_store_number(c, BPF_DW, R7, IN_RECORD(ret), 0);
	emit_copies(c, SYSCALLEVENTS_AT_ENTRY, row);
	bpfcode_load(c, BPF_DW, R1, R7, AT(failed_rows));
	bpfcode_store(c, BPF_H, R9, IN_SLOT(retry), R1);
	bpfcode_load(c, BPF_DW, R6, R7, AT(used));
	bpfcode_jump_if(c, BPF_JGT, R6, SYSSLOT_MEMORY, write);
	bpfcode_load(c, BPF_B, R1, R8, offsetof(struct sysrow, flags));
	bpfcode_alu_number(c, BPF_AND, R1, SYSROW_NO_RETURN);
	bpfcode_jump_if(c, BPF_JNE, R1, 0, write);
	emit_move_memory(c, true);
	bpfcode_store(c, BPF_W, R9, IN_SLOT(used), R6);
	bpfcode_jump(c, out);
	bpfcode_place(c, write);
	emit_output(c, p, out);
	bpfcode_store_number(c, BPF_B, R9, IN_SLOT(has_entry), 1);
}

/* The short way for a thread that has a slot: it was selected before. */
static void emit_enter(struct bpfcode *c, const struct sysprograms *p, const struct syskernel *k)
{
	unsigned out = bpfcode_label(c), row = bpfcode_label(c), any = bpfcode_label(c),
		 known = bpfcode_label(c);

	bpfcode_move(c, R6, R1);
	emit_task(c, k);
	emit_number(c, p, out);
	bpfcode_jump_if(c, BPF_JNE, R9, 0, known);
	emit_select(c, p, k, out);
	emit_new_slot(c, p, out);
	bpfcode_place(c, known);
	bpfcode_set(c, R2, 0);
	if (k->status >= 0) {
		bpfcode_load(c, BPF_W, R2, R7, k->status);
		bpfcode_alu_number(c, BPF_AND, R2, TS_COMPAT);
		bpfcode_alu_number(c, BPF_RSH, R2, 1);
	}
	bpfcode_store(c, BPF_DW, FRAME, MACHINE, R2);
	bpfcode_load(c, BPF_DW, R1, R6, 8);
	emit_row(c, p, R8, R1, R2);
	bpfcode_load(c, BPF_B, R1, R8, offsetof(struct sysrow, flags));
	bpfcode_alu_number(c, BPF_AND, R1, SYSROW_TRACED);
	bpfcode_jump_if(c, BPF_JEQ, R1, 0, out);
	emit_select_more(c, p, out);
	emit_slot_of(c, p);
	emit_fill_slot(c, k);
	bpfcode_load(c, BPF_B, R1, R8, offsetof(struct sysrow, flags));
	bpfcode_move(c, R2, R1);
	bpfcode_alu_number(c, BPF_AND, R1, SYSROW_HAS_ENTRY);
	bpfcode_jump_if(c, BPF_JEQ, R1, 0, out);
	bpfcode_alu_number(c, BPF_AND, R2, SYSROW_PLAIN_ENTRY);
	bpfcode_jump_if(c, BPF_JEQ, R2, 0, any);
	emit_plain_entry(c, out);
	bpfcode_place(c, any);
	emit_entry_record(c, p, row, out);
	emit_end(c, out);
	syscode_emit_copies(c, p, row);
}

/*
 * --- exit --------------------------------------------------------------------------------------
 */

/* r8 = the return value. Goes to `out` if calls with this result are not wanted. */
static void emit_result(struct bpfcode *c, const struct sysprograms *p, unsigned out)
{
	unsigned wanted = bpfcode_label(c);

	bpfcode_load(c, BPF_DW, R8, R6, 8);
	if (!p->config.only_failed && !p->config.only_ok)
		return;
	bpfcode_move(c, R1, R8);
	bpfcode_alu_number(c, BPF_ADD, R1, ERRNO_MAX);
	/* failed: -4095 to -1 */
	bpfcode_jump_if(c, p->config.only_failed ? BPF_JLT : BPF_JGE, R1, ERRNO_MAX, wanted);
	bpfcode_store_number(c, BPF_DW, R9, IN_SLOT(start_ns), 0);
	bpfcode_jump(c, out);
	bpfcode_place(c, wanted);
}

/* read(): its bytes go into the scratch area at r7; nothing else is there. */
static void emit_plain_exit(struct bpfcode *c, unsigned general, unsigned done)
{
	bpfcode_load(c, BPF_DW, R2, R7, IN_RECORD(ret));
	bpfcode_jump_if(c, BPF_JSLE, R2, 0, done);
	bpfcode_load(c, BPF_DW, R3, R7, IN_RECORD(args[1]));
	emit_read_plain(c, general);
	emit_plain_chunk(c, R7, AT(memory), IN_RECORD(args[1]), SYSCALLEVENTS_AT_EXIT);
	bpfcode_store(c, BPF_DW, R7, AT(used), R1);
	bpfcode_jump(c, done);
}

/* What was copied at the entry, and then the copies of the exit; r3 is the row. */
static void emit_exit_copies(struct bpfcode *c, unsigned row, unsigned done)
{
	unsigned copy = bpfcode_label(c), no_memory = bpfcode_label(c), plain = bpfcode_label(c);

	bpfcode_move(c, R8, R3);
	bpfcode_load(c, BPF_W, R6, R9, IN_SLOT(used));
	bpfcode_jump_if(c, BPF_JEQ, R6, 0, no_memory);
	emit_move_memory(c, false);
	bpfcode_store(c, BPF_DW, R7, AT(used), R6);
	bpfcode_place(c, no_memory);
	bpfcode_load(c, BPF_H, R1, R9, IN_SLOT(retry));
	bpfcode_store(c, BPF_DW, R7, AT(retry_rows), R1);
	bpfcode_jump_if(c, BPF_JNE, R1, 0, copy);
	bpfcode_load(c, BPF_B, R1, R8, offsetof(struct sysrow, flags));
	bpfcode_move(c, R2, R1);
	bpfcode_alu_number(c, BPF_AND, R1, SYSROW_PLAIN_EXIT);
	bpfcode_jump_if(c, BPF_JNE, R1, 0, plain);
	bpfcode_alu_number(c, BPF_AND, R2, SYSROW_HAS_EXIT);
	bpfcode_jump_if(c, BPF_JEQ, R2, 0, done);
	bpfcode_place(c, copy);
	emit_copies(c, SYSCALLEVENTS_AT_EXIT, row);
	bpfcode_jump(c, done);
	bpfcode_place(c, plain);
	emit_plain_exit(c, copy, done);
}

static void emit_exit(struct bpfcode *c, const struct sysprograms *p, const struct syskernel *k)
{
	unsigned out = bpfcode_label(c), row = bpfcode_label(c), write = bpfcode_label(c),
		 file = bpfcode_label(c);

	bpfcode_move(c, R6, R1);
	emit_task(c, k);
	emit_number(c, p, out);
	bpfcode_jump_if(c, BPF_JEQ, R9, 0, out);
	emit_slot_of(c, p);
	bpfcode_load(c, BPF_DW, R1, R9, IN_SLOT(start_ns));
	bpfcode_jump_if(c, BPF_JEQ, R1, 0, out);
	emit_result(c, p, out);
	emit_scratch(c, p, R7, out);
	emit_kind(c, SYSRECORD_EXIT);
	emit_from_slot(c);
	bpfcode_store(c, BPF_DW, R7, IN_RECORD(ret), R8);
	bpfcode_store_number(c, BPF_DW, R9, IN_SLOT(start_ns), 0);
	bpfcode_call(c, BPF_FUNC_ktime_get_ns);
	bpfcode_store(c, BPF_DW, R7, IN_RECORD(time_ns), R0);
	bpfcode_load(c, BPF_W, R1, R9, IN_SLOT(nr));
	bpfcode_load(c, BPF_B, R2, R9, IN_SLOT(machine));
	emit_row(c, p, R3, R1, R2);
	emit_exit_copies(c, row, write);
	bpfcode_place(c, write);
	if (p->config.files && k->files.is_known)
		sysfiles_emit_call(c, file);
	emit_output(c, p, out);
	emit_end(c, out);
	syscode_emit_copies(c, p, row);
	if (p->config.files && k->files.is_known)
		sysfiles_emit_function(c, p, &k->files, file);
}

/*
 * --- signals and ends --------------------------------------------------------------------------
 */

/* A record without a slot: r7 the scratch area, r8 the task. */
static void emit_plain(struct bpfcode *c, const struct sysprograms *p, const struct syskernel *k,
		       int kind, unsigned out)
{
	bpfcode_move(c, R8, R7);
	emit_scratch(c, p, R7, out);
	emit_kind(c, kind);
	bpfcode_load(c, BPF_W, R1, R8, k->task.process);
	bpfcode_store(c, BPF_W, R7, IN_RECORD(tgid), R1);
	for (int i = 0; i < 6; i++)
		bpfcode_store_number(c, BPF_DW, R7, IN_RECORD(args[i]), 0);
	bpfcode_store_number(c, BPF_DW, R7, IN_RECORD(ret), 0);
	bpfcode_store_number(c, BPF_W, R7, IN_RECORD(nr), 0);
	bpfcode_call(c, BPF_FUNC_ktime_get_ns);
	bpfcode_store(c, BPF_DW, R7, IN_RECORD(time_ns), R0);
	bpfcode_store(c, BPF_DW, R7, IN_RECORD(start_ns), R0);
}

/* signal_deliver(int sig, struct kernel_siginfo *info, …). info may be 0 to 2: none. */
static void emit_signal(struct bpfcode *c, const struct sysprograms *p, const struct syskernel *k)
{
	unsigned out = bpfcode_label(c), write = bpfcode_label(c);

	bpfcode_move(c, R6, R1);
	emit_task(c, k);
	emit_select(c, p, k, out);
	emit_plain(c, p, k, SYSRECORD_SIGNAL, out);
	bpfcode_load(c, BPF_DW, R1, R6, 0);
	bpfcode_store(c, BPF_W, R7, IN_RECORD(nr), R1);
	bpfcode_move(c, R1, R7);
	bpfcode_alu_number(c, BPF_ADD, R1, AT(memory) + CHUNK);
	bpfcode_set(c, R2, SIGINFO_BYTES);
	bpfcode_load(c, BPF_DW, R3, R6, 8);
	bpfcode_call(c, BPF_FUNC_probe_read_kernel);
	bpfcode_jump_if(c, BPF_JNE, R0, 0, write);
	bpfcode_store_number(c, BPF_DW, R7, AT(memory), 0);
	bpfcode_store_number(c, BPF_DW, R7, AT(memory) + 8, SIGINFO_WHOLE);
	for (int at = SIGINFO_BYTES; at < SIGINFO_WHOLE; at += 8)
		bpfcode_store_number(c, BPF_DW, R7, AT(memory) + CHUNK + at, 0);
	bpfcode_store_number(c, BPF_DW, R7, AT(used), SIGINFO_WHOLE + CHUNK);
	bpfcode_place(c, write);
	emit_output(c, p, out);
	emit_end(c, out);
}

/* The end of a task; its slot is given back. */
static void emit_death(struct bpfcode *c, const struct sysprograms *p, const struct syskernel *k)
{
	unsigned out = bpfcode_label(c), written = bpfcode_label(c);

	emit_task(c, k);
	emit_number(c, p, written);
	bpfcode_jump_if(c, BPF_JEQ, R9, 0, written);
	bpfcode_store_number(c, BPF_H, R1, 0, 0);
	bpfcode_store(c, BPF_DW, FRAME, NUMBER, R9);
	emit_slot_of(c, p);
	bpfcode_store_number(c, BPF_DW, R9, IN_SLOT(start_ns), 0);
	bpfcode_set_map(c, R1, p->given_back.fd);
	bpfcode_move(c, R2, FRAME);
	bpfcode_alu_number(c, BPF_ADD, R2, NUMBER);
	bpfcode_set(c, R3, 0);
	bpfcode_call(c, BPF_FUNC_map_push_elem);
	bpfcode_place(c, written);
	emit_select(c, p, k, out);
	emit_plain(c, p, k, SYSRECORD_DEATH, out);
	bpfcode_load(c, BPF_W, R1, R8, k->exit_code);
	bpfcode_store(c, BPF_DW, R7, IN_RECORD(ret), R1);
	for (int i = 0; i < 2; i++) {
		bpfcode_load(c, BPF_DW, R1, R8, k->task.comm + 8 * i);
		bpfcode_store(c, BPF_DW, R7, IN_RECORD(args[i]), R1);
	}
	emit_output(c, p, out);
	emit_end(c, out);
}

/*
 * sched_process_exec(struct task_struct *task, pid_t old_pid, struct linux_binprm *bprm). What a
 * new process passes to execve() is often not in its memory when the call begins, and gone when it
 * ends.
 */
static void emit_execed(struct bpfcode *c, const struct sysprograms *p, const struct syskernel *k)
{
	unsigned out = bpfcode_label(c), fits = bpfcode_label(c), read = bpfcode_label(c);

	bpfcode_move(c, R6, R1);
	emit_task(c, k);
	emit_select(c, p, k, out);
	emit_plain(c, p, k, SYSRECORD_EXECED, out);
	bpfcode_load(c, BPF_DW, R9, R6, 16);
	bpfcode_load(c, BPF_DW, R3, R9, k->exec.filename);
	bpfcode_load(c, BPF_DW, R1, R9, k->exec.interp);
	bpfcode_alu(c, BPF_SUB, R1, R3);
	bpfcode_store(c, BPF_DW, R7, IN_RECORD(ret), R1);
	bpfcode_move(c, R1, R7);
	bpfcode_alu_number(c, BPF_ADD, R1, AT(memory));
	bpfcode_set(c, R2, SYSEXECED_NAME);
	bpfcode_call(c, BPF_FUNC_probe_read_kernel_str);
	bpfcode_load(c, BPF_DW, R1, R8, k->exec.mm);
	bpfcode_load(c, BPF_DW, R3, R1, k->exec.arg_start);
	bpfcode_load(c, BPF_DW, R9, R1, k->exec.arg_end);
	bpfcode_alu(c, BPF_SUB, R9, R3);
	bpfcode_jump_if(c, BPF_JLE, R9, SYSEXECED_WORDS, fits);
	bpfcode_set(c, R9, SYSEXECED_WORDS);
	bpfcode_place(c, fits);
	bpfcode_move(c, R1, R7);
	bpfcode_alu_number(c, BPF_ADD, R1, AT(memory) + SYSEXECED_NAME);
	bpfcode_move(c, R2, R9);
	bpfcode_call(c, BPF_FUNC_probe_read_user);
	bpfcode_jump_if(c, BPF_JEQ, R0, 0, read);
	bpfcode_set(c, R9, 0);
	bpfcode_place(c, read);
	bpfcode_alu_number(c, BPF_ADD, R9, SYSEXECED_NAME);
	bpfcode_store(c, BPF_DW, R7, AT(used), R9);
	emit_output(c, p, out);
	emit_end(c, out);
}

#define SENT_AT(field) (SENT + IN_RECORD(field))
/*
 * Signals of which the kernel makes SIGKILL, because nothing handles them. Those that write a core
 * file are delivered. From 32 on all do so.
 */
#define FATAL_SIGNALS                                                                      \
	(1u << SIGHUP | 1u << SIGINT | 1u << SIGPIPE | 1u << SIGALRM | 1u << SIGTERM |     \
	 1u << SIGUSR1 | 1u << SIGUSR2 | 1u << SIGIO | 1u << SIGSTKFLT | 1u << SIGVTALRM | \
	 1u << SIGPROF | 1u << SIGPWR)

/* r9 = the signal; leaves to `out` if it will be delivered, or is already pending. */
static void emit_select_sent(struct bpfcode *c, unsigned out)
{
	unsigned wanted = bpfcode_label(c);

	bpfcode_load(c, BPF_DW, R1, R6, 32);
	bpfcode_jump_if(c, BPF_JGT, R1, 1, out);
	bpfcode_load(c, BPF_DW, R9, R6, 0);
	bpfcode_jump_if(c, BPF_JEQ, R9, SIGKILL, out);
	bpfcode_jump_if(c, BPF_JEQ, R1, 1, wanted);
	bpfcode_jump_if(c, BPF_JGE, R9, 32, wanted);
	bpfcode_set_wide(c, R2, FATAL_SIGNALS);
	bpfcode_alu(c, BPF_RSH, R2, R9);
	bpfcode_alu_number(c, BPF_AND, R2, 1);
	bpfcode_jump_if(c, BPF_JEQ, R2, 0, out);
	bpfcode_place(c, wanted);
}

/* The record on the stack: for the task at r7, with the signal r9 and the arguments at r6. */
static void emit_sent_record(struct bpfcode *c, const struct syskernel *k)
{
	for (int at = SENT; at < PLAIN; at += 8)
		bpfcode_store_number(c, BPF_DW, FRAME, at, 0);
	bpfcode_store_number(c, BPF_W, FRAME, SENT_AT(kind), SYSRECORD_SENT);
	bpfcode_store(c, BPF_W, FRAME, SENT_AT(nr), R9);
	bpfcode_store(c, BPF_W, FRAME, SENT_AT(pid), R8);
	bpfcode_load(c, BPF_W, R1, R7, k->task.process);
	bpfcode_store(c, BPF_W, FRAME, SENT_AT(tgid), R1);
	bpfcode_load(c, BPF_DW, R1, R6, 32);
	bpfcode_store(c, BPF_DW, FRAME, SENT_AT(ret), R1);
	bpfcode_load(c, BPF_DW, R1, R6, 8);
	bpfcode_store(c, BPF_DW, FRAME, SENT_AT(args[SYSRECORD_SENT_INFO]), R1);
	bpfcode_call(c, BPF_FUNC_get_current_pid_tgid);
	bpfcode_alu_number(c, BPF_RSH, R0, 32);
	bpfcode_store(c, BPF_DW, FRAME, SENT_AT(args[SYSRECORD_SENT_TGID]), R0);
	bpfcode_call(c, BPF_FUNC_get_current_uid_gid);
	bpfcode_store(c, BPF_W, FRAME, SENT_AT(args[SYSRECORD_SENT_UID]), R0);
	bpfcode_call(c, BPF_FUNC_get_smp_processor_id);
	bpfcode_store(c, BPF_W, FRAME, SENT_AT(cpu), R0);
	bpfcode_call(c, BPF_FUNC_ktime_get_ns);
	bpfcode_store(c, BPF_DW, FRAME, SENT_AT(time_ns), R0);
	bpfcode_move(c, R1, FRAME);
	bpfcode_alu_number(c, BPF_ADD, R1, SENT + (int)sizeof(struct sysrecord));
	bpfcode_set(c, R2, SIGINFO_BYTES);
	bpfcode_load(c, BPF_DW, R3, R6, 8);
	bpfcode_call(c, BPF_FUNC_probe_read_kernel);
	bpfcode_store(c, BPF_DW, FRAME, SENT_AT(args[SYSRECORD_SENT_FAILED]), R0);
}

/*
 * signal_generate(int sig, struct kernel_siginfo *info, struct task_struct *task, int group, int
 * result). The task is another one than the current one. The slot says in which call it is.
 */
static void emit_sent(struct bpfcode *c, const struct sysprograms *p, const struct syskernel *k)
{
	unsigned out = bpfcode_label(c), no_call = bpfcode_label(c);

	bpfcode_move(c, R6, R1);
	emit_select_sent(c, out);
	bpfcode_load(c, BPF_DW, R7, R6, 16);
	bpfcode_load(c, BPF_W, R8, R7, k->task.pid);
	bpfcode_store(c, BPF_DW, FRAME, KEY, R8);
	emit_select(c, p, k, out);
	emit_sent_record(c, k);
	bpfcode_load(c, BPF_DW, R8, FRAME, KEY);
	emit_number(c, p, no_call);
	bpfcode_jump_if(c, BPF_JEQ, R9, 0, no_call);
	emit_slot_of(c, p);
	bpfcode_load(c, BPF_DW, R1, R9, IN_SLOT(start_ns));
	bpfcode_store(c, BPF_DW, FRAME, SENT_AT(start_ns), R1);
	bpfcode_place(c, no_call);
	bpfcode_set_map(c, R1, p->ring.fd);
	bpfcode_move(c, R2, FRAME);
	bpfcode_alu_number(c, BPF_ADD, R2, SENT);
	bpfcode_set(c, R3, PLAIN - SENT);
	bpfcode_set(c, R4, BPF_RB_NO_WAKEUP);
	bpfcode_call(c, BPF_FUNC_ringbuf_output);
	emit_end(c, out);
}

void syscode_emit(struct bpfcode *c, const struct sysprograms *p, const struct syskernel *k,
		  enum syscode_hook hook)
{
	static void (*const emit[])(struct bpfcode *, const struct sysprograms *,
				    const struct syskernel *) = {
		[SYSCODE_ENTER] = emit_enter,	[SYSCODE_EXIT] = emit_exit,
		[SYSCODE_SIGNAL] = emit_signal, [SYSCODE_DEATH] = emit_death,
		[SYSCODE_SENT] = emit_sent,	[SYSCODE_EXECED] = emit_execed,
	};

	emit[hook](c, p, k);
}

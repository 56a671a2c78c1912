// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * program.c - generates the common parts of BPF programs.
 *
 *	         ctx ──▶ r6
 *	gate     exits if the gate is closed
 *	which    exits if a condition is false
 *	tasks    exits if the task is sonde's own, or is not selected
 *	filter   exits if the filter is false
 *	sources  start (register, field, task) ─▶ step, step … (memory) ─▶ take the bytes or bits
 *
 * The task is read once and kept on the stack.
 *
 * An unreadable number is 0 and marked; an unreadable text is empty with BPFPROGRAM_TEXT_FAULT
 * after its end. If memory of a program is not loaded yet, the BPF program waits for it, if the
 * kernel allows that.
 */
#include "capture/bpf/program.h"

#include "base/errmsg.h"
#include "capture/bpf/bpf.h"
#include "capture/bpf/filter.h"
#include "capture/bpf/tasks.h"

enum { R0, R1, R2, R3, R4, R5, STACK = 10 };
#define CONTEXT		 BPFPROGRAM_CONTEXT
#define SO_FAR		 BPFPROGRAM_NUMBER
#define SCRATCH		 BPFPROGRAM_SCRATCH
#define TASK		 BPFPROGRAM_STACK

#define LEAST_PAGE_BYTES 4096

/* The bits of preempt_count for each kind of interrupt, the same in all supported kernels. */
#define LEVEL_NMI	 0xf00000
#define LEVEL_HARD	 0x0f0000
/* a softirq is running; the bits above only show that softirqs are disabled */
#define LEVEL_SOFT	 0x000100
#define LEVEL_BREAKPOINT 0x110000

/* Returns true if the source may be unreadable. The kernel's own structs are always readable. */
static bool may_fault(const struct bpfsource *s)
{
	return s->n_steps && !s->is_text && s->steps[s->n_steps - 1].memory != BPFMEMORY_KERNEL;
}

/* Returns true for texts of unknown length, which may not fit. */
static bool may_be_cut(const struct bpfsource *s)
{
	return s->n_bytes == BPFPROGRAM_TEXT_MAX_BYTES;
}

uint32_t bpfsource_bytes(const struct bpfsource *s)
{
	if (s->kind == BPFSOURCE_COMM)
		return BPFPROGRAM_COMM_BYTES;
	if (s->is_text)
		return (s->n_bytes + may_be_cut(s) + 7u) / 8 * 8;
	return may_fault(s) ? 16 : 8;
}

static int size_code(unsigned n_bytes)
{
	return n_bytes == 1 ? BPF_B : n_bytes == 2 ? BPF_H : n_bytes == 4 ? BPF_W : BPF_DW;
}

/*
 * --- the task ----------------------------------------------------------------------------------
 */

bool bpfsource_needs_task(const struct bpfsource *s)
{
	return s->kind == BPFSOURCE_PID || s->kind == BPFSOURCE_COMM || s->kind == BPFSOURCE_TASK;
}

/* Stores the task on the stack. Later code relies on it, so it must be on every path. */
static void take_task(struct bpfcode *c, const struct bpfprogram_config *config)
{
	if (c->task || !config->task.is_known)
		return;
	bpfcode_call(c, BPF_FUNC_get_current_task_btf);
	bpfcode_store(c, BPF_DW, STACK, TASK, R0);
	c->task = &config->task;
}

static void load_of_task(struct bpfcode *c, int size, int dst, int offset)
{
	bpfcode_load(c, BPF_DW, dst, STACK, TASK);
	bpfcode_load(c, size, dst, dst, offset);
}

/*
 * --- sources -----------------------------------------------------------------------------------
 */

static void begin_dynamic(struct bpfcode *c, const struct bpfsource *s)
{
	bpfcode_load(c, BPF_W, SO_FAR, CONTEXT, (int)s->start);
	bpfcode_alu_number(c, BPF_AND, SO_FAR, 0xffff);
	if (s->is_relative)
		bpfcode_alu_number(c, BPF_ADD, SO_FAR, (int32_t)s->start + 4);
	bpfcode_move(c, R3, CONTEXT);
	bpfcode_alu(c, BPF_ADD, R3, SO_FAR);
	bpfcode_move(c, SO_FAR, R3);
}

static void begin(struct bpfcode *c, const struct bpfsource *s)
{
	switch (s->kind) {
	case BPFSOURCE_PID:
		if (c->task) {
			load_of_task(c, BPF_W, SO_FAR, c->task->pid);
			break;
		}
		bpfcode_call(c, BPF_FUNC_get_current_pid_tgid);
		bpfcode_move(c, SO_FAR, R0);
		break;
	case BPFSOURCE_CPU:
		bpfcode_call(c, BPF_FUNC_get_smp_processor_id);
		bpfcode_move(c, SO_FAR, R0);
		break;
	case BPFSOURCE_CONTEXT:
		bpfcode_load(c, size_code(s->n_start), SO_FAR, CONTEXT, (int)s->start);
		break;
	case BPFSOURCE_PLACE:
		bpfcode_move(c, SO_FAR, CONTEXT);
		bpfcode_alu_number(c, BPF_ADD, SO_FAR, (int32_t)s->start);
		break;
	case BPFSOURCE_DYNAMIC:
		begin_dynamic(c, s);
		break;
	case BPFSOURCE_NUMBER:
		bpfcode_set_wide(c, SO_FAR, s->number);
		break;
	case BPFSOURCE_TASK:
		if (c->task) {
			bpfcode_load(c, BPF_DW, SO_FAR, STACK, TASK);
			break;
		}
		bpfcode_call(c, BPF_FUNC_get_current_task);
		bpfcode_move(c, SO_FAR, R0);
		break;
	case BPFSOURCE_COMM:
		break;
	}
}

static const int read_helpers[] = {[BPFMEMORY_ANY] = BPF_FUNC_probe_read,
				   [BPFMEMORY_KERNEL] = BPF_FUNC_probe_read_kernel,
				   [BPFMEMORY_USER] = BPF_FUNC_probe_read_user};
static const int text_helpers[] = {[BPFMEMORY_ANY] = BPF_FUNC_probe_read_str,
				   [BPFMEMORY_KERNEL] = BPF_FUNC_probe_read_kernel_str,
				   [BPFMEMORY_USER] = BPF_FUNC_probe_read_user_str};

/* Reads bytes at the current address to the stack. r0 is negative if that fails. */
static void call_reader(struct bpfcode *c, int helper, int at, unsigned n_bytes, int32_t offset)
{
	bpfcode_move(c, R1, STACK);
	bpfcode_alu_number(c, BPF_ADD, R1, at);
	bpfcode_set(c, R2, (int32_t)n_bytes);
	bpfcode_move(c, R3, SO_FAR);
	if (offset)
		bpfcode_alu_number(c, BPF_ADD, R3, offset);
	bpfcode_call(c, helper);
}

/* Returns true if the kernel knows the type that the first step reads. */
static bool is_typed(const struct bpfcode *c, const struct bpfsource *s)
{
	return s->n_steps && s->steps[0].memory == BPFMEMORY_KERNEL &&
	       ((s->kind == BPFSOURCE_CONTEXT && s->n_start == 8 && c->has_types) ||
		(s->kind == BPFSOURCE_TASK && c->task));
}

static bool may_wait(const struct bpfcode *c, const struct bpfstep *step)
{
	return c->may_sleep && step->memory == BPFMEMORY_USER;
}

/*
 * Replaces the address by the value there, or by 0 if it cannot be read; then the next step fails,
 * too.
 */
static void take_step(struct bpfcode *c, const struct bpfsource *s, unsigned i, unsigned n_bytes)
{
	const struct bpfstep *step = &s->steps[i];

	if (!i && is_typed(c, s))
		return bpfcode_load(c, size_code(n_bytes), SO_FAR, SO_FAR, step->offset);
	call_reader(c, read_helpers[step->memory], SCRATCH, n_bytes, step->offset);
	if (may_wait(c, step)) {
		unsigned done = bpfcode_label(c);

		bpfcode_jump_if(c, BPF_JEQ, R0, 0, done);
		call_reader(c, BPF_FUNC_copy_from_user, SCRATCH, n_bytes, step->offset);
		bpfcode_place(c, done);
	}
	bpfcode_load(c, size_code(n_bytes), SO_FAR, STACK, SCRATCH);
}

/* Keeps only the requested bytes or bits, with the sign. */
static void trim(struct bpfcode *c, const struct bpfsource *s)
{
	unsigned bits = s->n_bytes * 8u, left = 64 - bits, right = 64 - bits;

	if (s->n_bits) {
		left = 64u - s->shift - s->n_bits;
		right = 64u - s->n_bits;
	}
	if (left)
		bpfcode_alu_number(c, BPF_LSH, SO_FAR, (int32_t)left);
	if (right)
		bpfcode_alu_number(c, s->is_signed ? BPF_ARSH : BPF_RSH, SO_FAR, (int32_t)right);
	if (s->is_swapped)
		bpfcode_swap(c, SO_FAR, s->n_bytes);
}

/*
 * Reads a byte of each of the two pages that the text may span, to wait for them. The address of
 * the text is in BPFPROGRAM_NUMBER.
 */
static void wait_for_text(struct bpfcode *c, const struct bpfsource *s, int at, unsigned n_bytes,
			  unsigned failed, unsigned done)
{
	int32_t offset = s->steps[s->n_steps - 1].offset;

	call_reader(c, BPF_FUNC_copy_from_user, SCRATCH, 1, offset);
	bpfcode_jump_if(c, BPF_JNE, R0, 0, failed);
	call_reader(c, BPF_FUNC_probe_read_user_str, at, n_bytes, offset);
	bpfcode_jump_if(c, BPF_JSGE, R0, 0, done);
	bpfcode_move(c, R1, STACK);
	bpfcode_alu_number(c, BPF_ADD, R1, SCRATCH);
	bpfcode_set(c, R2, 1);
	bpfcode_move(c, R3, SO_FAR);
	bpfcode_alu_number(c, BPF_ADD, R3, offset);
	bpfcode_alu_number(c, BPF_OR, R3, LEAST_PAGE_BYTES - 1);
	bpfcode_alu_number(c, BPF_ADD, R3, 1);
	bpfcode_call(c, BPF_FUNC_copy_from_user);
	bpfcode_jump_if(c, BPF_JNE, R0, 0, failed);
	call_reader(c, BPF_FUNC_probe_read_user_str, at, n_bytes, offset);
	bpfcode_jump_if(c, BPF_JSGE, R0, 0, done);
}

/* Marks a truncated text: reading one byte more than fits shows whether it was truncated. */
static void mark_cut(struct bpfcode *c, const struct bpfsource *s, int at)
{
	unsigned whole = bpfcode_label(c);

	bpfcode_jump_if(c, BPF_JNE, R0, s->n_bytes + 1, whole);
	bpfcode_store_number(c, BPF_B, STACK, at + s->n_bytes - 1, 0);
	bpfcode_store_number(c, BPF_B, STACK, at + (int)bpfsource_bytes(s) - 1,
			     BPFPROGRAM_TEXT_CUT);
	bpfcode_place(c, whole);
}

/* Copies a text. Bytes after its end are relevant only for code that compares raw bytes. */
static void copy_text(struct bpfcode *c, int src, int offset, int at, int n_bytes)
{
	for (int i = 0; i < n_bytes; i += 8) {
		bpfcode_load(c, BPF_DW, R1, src, offset + i);
		bpfcode_store(c, BPF_DW, STACK, at + i, R1);
	}
}

void bpfprogram_find_text(struct bpfcode *c, const struct bpfsource *s)
{
	begin(c, s);
	for (unsigned i = 0; i + 1 < s->n_steps; i++)
		take_step(c, s, i, 8);
}

void bpfprogram_read_text(struct bpfcode *c, const struct bpfsource *s, int at)
{
	const struct bpfstep *last = &s->steps[s->n_steps - 1];

	call_reader(c, text_helpers[last->memory], at, s->n_bytes, last->offset);
}

void bpfprogram_put_text(struct bpfcode *c, const struct bpfsource *s, int at)
{
	const struct bpfstep *last = &s->steps[s->n_steps - 1];
	unsigned failed = bpfcode_label(c), read = bpfcode_label(c), done = bpfcode_label(c);
	unsigned n_bytes = s->n_bytes + may_be_cut(s);

	if (s->n_steps == 1 && s->n_bytes == BPFPROGRAM_COMM_BYTES && is_typed(c, s))
		return copy_text(c, SO_FAR, last->offset, at, s->n_bytes);
	for (uint32_t i = 0; i < bpfsource_bytes(s); i += 8)
		bpfcode_store_number(c, BPF_DW, STACK, at + (int)i, 0);
	call_reader(c, text_helpers[last->memory], at, n_bytes, last->offset);
	bpfcode_jump_if(c, BPF_JSGE, R0, 0, read);
	if (may_wait(c, last))
		wait_for_text(c, s, at, n_bytes, failed, read);
	bpfcode_place(c, failed);
	bpfcode_store_number(c, BPF_B, STACK, at, 0);
	bpfcode_store_number(c, BPF_B, STACK, at + 1, BPFPROGRAM_TEXT_FAULT);
	bpfcode_jump(c, done);
	bpfcode_place(c, read);
	if (may_be_cut(s))
		mark_cut(c, s, at);
	bpfcode_place(c, done);
}

void bpfprogram_read_number(struct bpfcode *c, const struct bpfsource *s)
{
	begin(c, s);
	for (unsigned i = 0; i < s->n_steps; i++)
		take_step(c, s, i, i + 1 < s->n_steps ? 8 : s->n_bytes);
	trim(c, s);
}

void bpfprogram_put_source(struct bpfcode *c, const struct bpfsource *s, int at)
{
	if (s->kind == BPFSOURCE_COMM && c->task) {
		bpfcode_load(c, BPF_DW, R2, STACK, TASK);
		return copy_text(c, R2, c->task->comm, at, BPFPROGRAM_COMM_BYTES);
	}
	if (s->kind == BPFSOURCE_COMM) {
		bpfcode_move(c, R1, STACK);
		bpfcode_alu_number(c, BPF_ADD, R1, at);
		bpfcode_set(c, R2, BPFPROGRAM_COMM_BYTES);
		bpfcode_call(c, BPF_FUNC_get_current_comm);
		return;
	}
	if (s->is_text) {
		bpfprogram_find_text(c, s);
		return bpfprogram_put_text(c, s, at);
	}
	bpfprogram_read_number(c, s);
	bpfcode_store(c, BPF_DW, STACK, at, SO_FAR);
	if (may_fault(s)) /* this is the result of the last step's read */
		bpfcode_store(c, BPF_DW, STACK, at + 8, R0);
}

/*
 * --- which hits --------------------------------------------------------------------------------
 */

/* Sets r1 to the process id and r0 to the thread id. */
static void read_task(struct bpfcode *c)
{
	if (c->task) {
		load_of_task(c, BPF_W, R1, c->task->process);
		load_of_task(c, BPF_W, R0, c->task->pid);
		return;
	}
	bpfcode_call(c, BPF_FUNC_get_current_pid_tgid);
	bpfcode_move(c, R1, R0);
	bpfcode_alu_number(c, BPF_RSH, R1, 32);
	bpfcode_alu_number(c, BPF_LSH, R0, 32);
	bpfcode_alu_number(c, BPF_RSH, R0, 32);
}

/*
 * Exits unless the CPU is in an interrupt. The breakpoint of a probe counts as an NMI, although the
 * task caused it.
 */
static void leave_unless_interrupt(struct bpfcode *c, const struct bpfprogram_config *config,
				   unsigned out)
{
	unsigned none = bpfcode_label(c);

	bpfprogram_read_number(c, &config->task.level);
	if (config->hook == BPFHOOK_PROBE) {
		bpfcode_move(c, R1, SO_FAR);
		bpfcode_alu_number(c, BPF_AND, R1, LEVEL_NMI);
		bpfcode_jump_if(c, BPF_JEQ, R1, 0, none);
		bpfcode_alu_number(c, BPF_SUB, SO_FAR, LEVEL_BREAKPOINT);
		bpfcode_place(c, none);
	}
	bpfcode_alu_number(c, BPF_AND, SO_FAR, LEVEL_NMI | LEVEL_HARD | LEVEL_SOFT);
	bpfcode_jump_if(c, BPF_JEQ, SO_FAR, 0, out);
}

static void leave_out(struct bpfcode *c, const struct bpfprogram_config *config, unsigned out)
{
	unsigned other = bpfcode_label(c);

	if (!config->task.has_level)
		return bpfcode_jump_if(c, BPF_JEQ, R1, config->not_process, out);
	bpfcode_jump_if(c, BPF_JNE, R1, config->not_process, other);
	leave_unless_interrupt(c, config, out);
	bpfcode_place(c, other);
}

static void choose_tasks(struct bpfcode *c, const struct bpfprogram_config *config, unsigned out)
{
	unsigned found = bpfcode_label(c);

	read_task(c);
	if (config->not_process)
		leave_out(c, config, out);
	if (!config->tasks)
		return;
	bpftasks_emit(c, config->tasks, R0, found);
	if (config->has_other) {
		bpfprogram_read_number(c, &config->other);
		bpftasks_emit(c, config->tasks, SO_FAR, found);
	}
	bpfcode_jump(c, out);
	bpfcode_place(c, found);
}

void bpfprogram_begin(struct bpfcode *c, const struct bpfprogram_config *config, bool with_task,
		      unsigned out)
{
	c->may_sleep = config->may_sleep;
	c->has_types = config->hook == BPFHOOK_RAW && config->function;
	bpfcode_move(c, CONTEXT, R1);
	if (config->gate) {
		bpfcode_set_row(c, R2, config->gate->fd);
		bpfcode_load(c, BPF_DW, R2, R2, 0);
		bpfcode_jump_if(c, BPF_JEQ, R2, 0, out);
	}
	for (size_t i = 0; i < config->n_conditions; i++) {
		const struct bpfcondition *condition = &config->conditions[i];

		if (bpfsource_needs_task(&condition->source))
			take_task(c, config);
		bpfprogram_read_number(c, &condition->source);
		bpfcode_jump_if(c, BPF_JNE, SO_FAR, condition->number, out);
	}
	if (with_task || config->not_process || config->tasks ||
	    (config->filter && bpffilter_needs_task(config->filter)))
		take_task(c, config);
	if (config->not_process || config->tasks)
		choose_tasks(c, config, out);
	if (config->filter)
		bpffilter_emit(c, config->filter, out);
}

/*
 * --- tables ------------------------------------------------------------------------------------
 */

static void point(struct bpfcode *c, int dst, int at)
{
	bpfcode_move(c, dst, STACK);
	bpfcode_alu_number(c, BPF_ADD, dst, at);
}

void bpfprogram_look_up(struct bpfcode *c, int table, int key)
{
	bpfcode_set_map(c, R1, table);
	point(c, R2, key);
	bpfcode_call(c, BPF_FUNC_map_lookup_elem);
}

void bpfprogram_update(struct bpfcode *c, int table, int key, int value, int flags)
{
	bpfcode_set_map(c, R1, table);
	point(c, R2, key);
	point(c, R3, value);
	bpfcode_set(c, R4, flags);
	bpfcode_call(c, BPF_FUNC_map_update_elem);
}

void bpfprogram_end(struct bpfcode *c)
{
	bpfcode_set(c, R0, 0);
	bpfcode_exit(c);
}

/*
 * --- the whole ---------------------------------------------------------------------------------
 */

/* Returns the kernel's type for such a program. */
static enum bpf_prog_type bpfprogram_type(const struct bpfprogram_config *config)
{
	switch (config->hook) {
	case BPFHOOK_PROBE:
		return BPF_PROG_TYPE_KPROBE;
	case BPFHOOK_RECORD:
		return BPF_PROG_TYPE_TRACEPOINT;
	case BPFHOOK_RAW:
		return config->function ? BPF_PROG_TYPE_TRACING : BPF_PROG_TYPE_RAW_TRACEPOINT;
	default:
		return BPF_PROG_TYPE_TRACING;
	}
}

bool bpfprogram_runs_alone(const struct bpfprogram_config *config)
{
	return !config->is_of_program && bpf_runs_alone(bpfprogram_type(config));
}

int bpfprogram_load(const struct bpfprogram_config *config, struct bpfcode *c, struct errmsg *err)
{
	static const enum bpf_attach_type places[] = {[BPFHOOK_RAW] = BPF_TRACE_RAW_TP,
						      [BPFHOOK_ENTRY] = BPF_TRACE_FENTRY,
						      [BPFHOOK_EXIT] = BPF_TRACE_FEXIT};
	enum bpf_prog_type type = bpfprogram_type(config);
	int r = bpfcode_finish(c);

	if (r < 0)
		return errmsg_set_errno(err, r, "this does not fit into a BPF program");
	if (type != BPF_PROG_TYPE_TRACING)
		return bpf_load(type, c, err);
	return bpf_load_for_function(places[config->hook], config->function, c, err);
}

int bpfprogram_attach(const struct bpfprogram_config *config, int program, const char *tracepoint,
		      long long id, struct errmsg *err)
{
	if (config->hook == BPFHOOK_PROBE || config->hook == BPFHOOK_RECORD)
		return bpf_attach_event(program, id, err);
	/* a program for a function defines where it is attached */
	return bpf_attach_raw(program, config->function ? NULL : tracepoint, err);
}

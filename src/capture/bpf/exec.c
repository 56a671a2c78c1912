// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * exec.c - a program at the tracepoint sched_process_exec that reads the new program's arguments.
 *
 *	current ─▶ mm ─▶ arg_start, arg_end ─▶ up to 504 bytes of its memory ─▶ a row, by the pid
 *
 * exec has just written the arguments, so they are in memory and reading them does not wait. The
 * kernel's BTF has the offsets of the members. A program's stack has only 512 bytes, so the row is
 * assembled in a per-CPU scratch area. 8192 rows take 5 MB of kernel memory during the recording;
 * the oldest processes are dropped first.
 */
#include "capture/bpf/exec.h"

#include "base/errmsg.h"
#include "base/scope.h"
#include "capture/bpf/source_int.h"
#include "symbols/btf/btf.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define WORDS_BYTES 504
#define N_ROWS	    8192

enum { R0, R1, R2, R3, R4, R5, R6, R7, R8, R9, FRAME };
enum { STACK_START = -8, STACK_END = -16, STACK_KEY = -24 };

struct value {
	/* size of all arguments, even if fewer are kept; 0: they could not be read */
	uint64_t n_bytes;
	char words[WORDS_BYTES];
};

struct members {
	int mm, arg_start, arg_end;
};

/*
 * --- where the arguments are -------------------------------------------------------------------
 */

static bool find_member(const struct types *world, const char *name, const char *member,
			int *ret_offset)
{
	struct type_member m;
	struct type t;

	if (world->ops->find(world, TYPE_STRUCT, name, strlen(name), &t) < 0 ||
	    type_find_member(t, member, strlen(member), &m) < 0 || m.bit_offset % 8)
		return false;
	*ret_offset = (int)(m.bit_offset / 8);
	return true;
}

static bool find_members(struct members *m)
{
	struct btf *btf = NULL;
	bool found = false;

	if (bpfsource_open_btf(&btf)) {
		const struct types *world = btf_types(btf);

		found = find_member(world, "task_struct", "mm", &m->mm) &&
			find_member(world, "mm_struct", "arg_start", &m->arg_start) &&
			find_member(world, "mm_struct", "arg_end", &m->arg_end);
	}
	btf_close(btf);
	return found;
}

/*
 * --- the program -------------------------------------------------------------------------------
 */

/* Reads the 8 bytes at base + offset of kernel memory to the stack. */
static void emit_read(struct bpfcode *c, int base, int offset, int at, unsigned out)
{
	bpfcode_move(c, R1, FRAME);
	bpfcode_alu_number(c, BPF_ADD, R1, at);
	bpfcode_set(c, R2, 8);
	bpfcode_move(c, R3, base);
	bpfcode_alu_number(c, BPF_ADD, R3, offset);
	bpfcode_call(c, BPF_FUNC_probe_read_kernel);
	bpfcode_jump_if(c, BPF_JNE, R0, 0, out);
}

/* Copies the arguments into the row at R9. R8 is their length in bytes. */
static void emit_words(struct bpfcode *c)
{
	unsigned is_short = bpfcode_label(c), done = bpfcode_label(c);

	bpfcode_store(c, BPF_DW, R9, offsetof(struct value, n_bytes), R8);
	bpfcode_move(c, R2, R8);
	bpfcode_jump_if(c, BPF_JLE, R2, WORDS_BYTES, is_short);
	bpfcode_set(c, R2, WORDS_BYTES);
	bpfcode_place(c, is_short);
	bpfcode_move(c, R1, R9);
	bpfcode_alu_number(c, BPF_ADD, R1, offsetof(struct value, words));
	bpfcode_load(c, BPF_DW, R3, FRAME, STACK_START);
	bpfcode_call(c, BPF_FUNC_probe_read_user);
	bpfcode_jump_if(c, BPF_JEQ, R0, 0, done);
	bpfcode_store_number(c, BPF_DW, R9, offsetof(struct value, n_bytes), 0);
	bpfcode_place(c, done);
}

static void emit_program(struct bpfcode *c, const struct bpfexec *e, const struct members *m)
{
	unsigned out = bpfcode_label(c);

	bpfcode_call(c, BPF_FUNC_get_current_task);
	bpfcode_move(c, R6, R0);
	emit_read(c, R6, m->mm, STACK_START, out);
	bpfcode_load(c, BPF_DW, R7, FRAME, STACK_START);
	emit_read(c, R7, m->arg_start, STACK_START, out);
	emit_read(c, R7, m->arg_end, STACK_END, out);
	bpfcode_load(c, BPF_DW, R8, FRAME, STACK_END);
	bpfcode_load(c, BPF_DW, R1, FRAME, STACK_START);
	bpfcode_alu(c, BPF_SUB, R8, R1);

	bpfcode_store_number(c, BPF_DW, FRAME, STACK_KEY, 0);
	bpfcode_set_map(c, R1, e->scratch.fd);
	bpfcode_move(c, R2, FRAME);
	bpfcode_alu_number(c, BPF_ADD, R2, STACK_KEY);
	bpfcode_call(c, BPF_FUNC_map_lookup_elem);
	bpfcode_jump_if(c, BPF_JEQ, R0, 0, out);
	bpfcode_move(c, R9, R0);
	emit_words(c);

	bpfcode_call(c, BPF_FUNC_get_current_pid_tgid);
	bpfcode_alu_number(c, BPF_RSH, R0, 32);
	bpfcode_store(c, BPF_W, FRAME, STACK_KEY, R0);
	bpfcode_set_map(c, R1, e->table.fd);
	bpfcode_move(c, R2, FRAME);
	bpfcode_alu_number(c, BPF_ADD, R2, STACK_KEY);
	bpfcode_move(c, R3, R9);
	bpfcode_set(c, R4, BPF_ANY);
	bpfcode_call(c, BPF_FUNC_map_update_elem);
	bpfcode_place(c, out);
	bpfcode_set(c, R0, 0);
	bpfcode_exit(c);
}

static int load(struct bpfexec *e, const struct members *m, struct errmsg *err)
{
	SCOPED(scope_free) struct bpfcode *c = malloc(sizeof(*c));

	if (!c)
		return errmsg_set_errno(err, -ENOMEM, "cannot watch exec");
	bpfcode_init(c);
	emit_program(c, e, m);
	TRY(bpfcode_finish(c));
	e->program = bpf_load(BPF_PROG_TYPE_RAW_TRACEPOINT, c, err);
	TRY(e->program);
	return e->link = bpf_attach_raw(e->program, "sched_process_exec", err);
}

/*
 * --- open, read, close -------------------------------------------------------------------------
 */

static int make(struct bpfexec *e, struct errmsg *err)
{
	struct members m = {0};

	TRY(bpf_make_table(&e->scratch, err)); /* this fails at once if we may not use BPF */
	if (!find_members(&m))
		return errmsg_set(err, -ENOTSUP,
				  "the kernel has no type information (BTF) about its tasks");
	TRY(bpf_make_table(&e->table, err));
	return load(e, &m, err);
}

int bpfexec_open(struct bpfexec *e, struct errmsg *err)
{
	int r;

	*e = (struct bpfexec){
		.is_open = true,
		.table = {BPF_MAP_TYPE_LRU_HASH, sizeof(uint32_t), sizeof(struct value), N_ROWS,
			  -1},
		.scratch = {BPF_MAP_TYPE_PERCPU_ARRAY, sizeof(uint32_t), sizeof(struct value), 1,
			    -1},
		.program = -1,
		.link = -1,
	};
	r = make(e, err);
	if (r < 0)
		bpfexec_close(e);
	return r < 0 ? r : 0;
}

struct reading {
	int (*visit)(void *ctx, int tgid, const char *words, size_t n_bytes, bool is_cut);
	void *ctx;
};

static int visit_row(void *ctx, const uint8_t *key, const uint64_t *values, unsigned n_values)
{
	const struct reading *reading = ctx;
	const struct value *v = (const struct value *)values;
	bool is_cut = v->n_bytes > sizeof(v->words);
	uint32_t tgid;

	(void)n_values;
	memcpy(&tgid, key, sizeof(tgid));
	return reading->visit(reading->ctx, (int)tgid, v->words,
			      is_cut ? sizeof(v->words) : v->n_bytes, is_cut);
}

int bpfexec_each(const struct bpfexec *e,
		 int (*visit)(void *ctx, int tgid, const char *words, size_t n_bytes, bool is_cut),
		 void *ctx, struct errmsg *err)
{
	struct reading reading = {visit, ctx};

	return e->is_open ? bpf_each_row(&e->table, visit_row, &reading, err) : 0;
}

static void close_fd(int fd)
{
	if (fd >= 0)
		close(fd);
}

void bpfexec_close(struct bpfexec *e)
{
	if (!e->is_open)
		return;
	close_fd(e->link);
	close_fd(e->program);
	close_fd(e->table.fd);
	close_fd(e->scratch.fd);
	*e = (struct bpfexec){0};
}

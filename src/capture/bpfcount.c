// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * bpfcount.c - writes the program that counts.
 *
 *	         ctx ──▶ r6
 *	which    has it the values that it must have?                   else exit
 *	tasks    is it one of ours, or one that was asked for?          else exit
 *	key      each source in turn ──▶ its bytes of the key on the stack
 *	table    row of the key += 1
 *	         or a new row with 1
 *	         or, if another CPU was quicker, that row += 1
 *	         or dropped += 1
 *
 *	stack, from r10 down:   scratch 8 | number 1, or index 0 | key …
 *
 * Without keys there is one row, and a table without a hash. Rows have a value for each CPU, but the program may still
 * be cut short there by an interrupt, or by another task in a probe of a program, that counts the same row: so it is
 * added undivided.
 *
 * What cannot be read is 0, or no text with BPFCOUNT_TEXT_FAULT behind its end.
 */
#include "capture/bpfcount.h"

#include "base/errmsg.h"
#include "capture/bpf.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#define SCRATCH (-8)
#define VALUE	(-16)
#define KEY_END (-16)

enum { R0, R1, R2, R3, R4, R5, R6, R7, R8, R9, STACK };
#define CONTEXT R6
#define SO_FAR	R7

uint32_t bpfsource_bytes(const struct bpfsource *s)
{
	if (s->kind == BPFSOURCE_COMM)
		return BPFCOUNT_COMM_BYTES;
	return s->is_text ? (s->n_bytes + 7u) / 8 * 8 : 8;
}

static int size_code(unsigned n_bytes)
{
	return n_bytes == 1 ? BPF_B : n_bytes == 2 ? BPF_H : n_bytes == 4 ? BPF_W : BPF_DW;
}

/* --- sources ----------------------------------------------------------------------------------- */

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

/* From the address so far to what is there. */
static void take_step(struct bpfcode *c, const struct bpfstep *step, unsigned n_bytes)
{
	bpfcode_move(c, R1, STACK);
	bpfcode_alu_number(c, BPF_ADD, R1, SCRATCH);
	bpfcode_set(c, R2, (int32_t)n_bytes);
	bpfcode_move(c, R3, SO_FAR);
	if (step->offset)
		bpfcode_alu_number(c, BPF_ADD, R3, step->offset);
	bpfcode_call(c, read_helpers[step->memory]);
	bpfcode_load(c, size_code(n_bytes), SO_FAR, STACK, SCRATCH);
}

/* Only so many bytes or bits of it, with its sign. */
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
}

static void put_text(struct bpfcode *c, const struct bpfsource *s, int at)
{
	const struct bpfstep *last = &s->steps[s->n_steps - 1];
	unsigned done = bpfcode_label(c);

	for (uint32_t i = 0; i < bpfsource_bytes(s); i += 8)
		bpfcode_store_number(c, BPF_DW, STACK, at + (int)i, 0);
	bpfcode_move(c, R1, STACK);
	bpfcode_alu_number(c, BPF_ADD, R1, at);
	bpfcode_set(c, R2, s->n_bytes);
	bpfcode_move(c, R3, SO_FAR);
	if (last->offset)
		bpfcode_alu_number(c, BPF_ADD, R3, last->offset);
	bpfcode_call(c, text_helpers[last->memory]);
	bpfcode_jump_if(c, BPF_JSGE, R0, 0, done);
	bpfcode_store_number(c, BPF_B, STACK, at, 0);
	bpfcode_store_number(c, BPF_B, STACK, at + 1, BPFCOUNT_TEXT_FAULT);
	bpfcode_place(c, done);
}

/* The number into SO_FAR. */
static void read_number(struct bpfcode *c, const struct bpfsource *s)
{
	begin(c, s);
	for (unsigned i = 0; i < s->n_steps; i++)
		take_step(c, &s->steps[i], i + 1 < s->n_steps ? 8 : s->n_bytes);
	trim(c, s);
}

static void put_source(struct bpfcode *c, const struct bpfsource *s, int at)
{
	if (s->kind == BPFSOURCE_COMM) {
		bpfcode_move(c, R1, STACK);
		bpfcode_alu_number(c, BPF_ADD, R1, at);
		bpfcode_set(c, R2, BPFCOUNT_COMM_BYTES);
		bpfcode_call(c, BPF_FUNC_get_current_comm);
		return;
	}
	if (s->is_text) {
		begin(c, s);
		for (unsigned i = 0; i + 1 < s->n_steps; i++)
			take_step(c, &s->steps[i], 8);
		return put_text(c, s, at);
	}
	read_number(c, s);
	bpfcode_store(c, BPF_DW, STACK, at, SO_FAR);
}

/* --- the program ------------------------------------------------------------------------------- */

static void choose_tasks(struct bpfcode *c, const struct bpfcount_config *config, unsigned out)
{
	unsigned found = bpfcode_label(c);

	if (config->not_process || config->n_tasks)
		bpfcode_call(c, BPF_FUNC_get_current_pid_tgid);
	if (config->not_process) {
		bpfcode_move(c, R1, R0);
		bpfcode_alu_number(c, BPF_RSH, R1, 32);
		bpfcode_jump_if(c, BPF_JEQ, R1, config->not_process, out);
	}
	if (config->n_tasks) {
		bpfcode_alu_number(c, BPF_LSH, R0, 32);
		bpfcode_alu_number(c, BPF_RSH, R0, 32);
		for (size_t i = 0; i < config->n_tasks; i++)
			bpfcode_jump_if(c, BPF_JEQ, R0, config->tasks[i], found);
		bpfcode_jump(c, out);
	}
	bpfcode_place(c, found);
}

/* r0: the row, or 0. */
static void look_up(struct bpfcode *c, int table, int key)
{
	bpfcode_set_map(c, R1, table);
	bpfcode_move(c, R2, STACK);
	bpfcode_alu_number(c, BPF_ADD, R2, key);
	bpfcode_call(c, BPF_FUNC_map_lookup_elem);
}

static void count_in_row(struct bpfcode *c)
{
	bpfcode_set(c, R1, 1);
	bpfcode_add_to(c, R0, 0, R1);
}

static void write_key(struct bpfcode *c, const struct bpfcount_config *config, int key)
{
	if (!config->n_sources)
		bpfcode_store_number(c, BPF_W, STACK, key, 0);
	for (size_t i = 0; i < config->n_sources; i++) {
		put_source(c, &config->sources[i], key);
		key += (int)bpfsource_bytes(&config->sources[i]);
	}
}

static void write_program(struct bpfcode *c, const struct bpfcount *b,
			  const struct bpfcount_config *config)
{
	unsigned out = bpfcode_label(c), add = bpfcode_label(c);
	int key = config->n_sources ? KEY_END - (int)b->n_key_bytes : VALUE;

	bpfcode_move(c, CONTEXT, R1);
	for (size_t i = 0; i < config->n_conditions; i++) {
		read_number(c, &config->conditions[i].source);
		bpfcode_jump_if(c, BPF_JNE, SO_FAR, config->conditions[i].number, out);
	}
	choose_tasks(c, config, out);
	write_key(c, config, key);
	look_up(c, b->table, key);
	bpfcode_jump_if(c, BPF_JNE, R0, 0, add);
	if (config->n_sources) {
		bpfcode_store_number(c, BPF_DW, STACK, VALUE, 1);
		bpfcode_set_map(c, R1, b->table);
		bpfcode_move(c, R2, STACK);
		bpfcode_alu_number(c, BPF_ADD, R2, key);
		bpfcode_move(c, R3, STACK);
		bpfcode_alu_number(c, BPF_ADD, R3, VALUE);
		bpfcode_set(c, R4, BPF_NOEXIST);
		bpfcode_call(c, BPF_FUNC_map_update_elem);
		bpfcode_jump_if(c, BPF_JEQ, R0, 0, out);
		look_up(c, b->table, key);
		bpfcode_jump_if(c, BPF_JNE, R0, 0, add);
		bpfcode_store_number(c, BPF_W, STACK, VALUE, 0);
		look_up(c, b->dropped, VALUE);
	}
	bpfcode_jump_if(c, BPF_JEQ, R0, 0, out);
	bpfcode_place(c, add);
	count_in_row(c);
	bpfcode_place(c, out);
	bpfcode_set(c, R0, 0);
	bpfcode_exit(c);
}

/* --- the whole --------------------------------------------------------------------------------- */

static int make_tables(struct bpfcount *b, const struct bpfcount_config *config, struct errmsg *err)
{
	b->n_rows = config->n_sources ? config->n_rows : 1;
	b->n_key_bytes = config->n_sources ? 0 : sizeof(uint32_t);
	for (size_t i = 0; i < config->n_sources; i++)
		b->n_key_bytes += bpfsource_bytes(&config->sources[i]);
	if (b->n_key_bytes > BPFCOUNT_KEY_MAX_BYTES)
		return errmsg_set(err, -E2BIG, "the keys are too long for a BPF program");
	b->table = bpf_make_map(config->n_sources ? BPF_MAP_TYPE_PERCPU_HASH
						  : BPF_MAP_TYPE_PERCPU_ARRAY,
				b->n_key_bytes, b->n_rows, err);
	if (b->table < 0)
		return b->table;
	b->dropped = bpf_make_map(BPF_MAP_TYPE_PERCPU_ARRAY, sizeof(uint32_t), 1, err);
	return b->dropped < 0 ? b->dropped : 0;
}

static int load(const struct bpfcount_config *config, const struct bpfcode *c, struct errmsg *err)
{
	switch (config->hook) {
	case BPFCOUNT_PROBE:
		return bpf_load(BPF_PROG_TYPE_KPROBE, c, err);
	case BPFCOUNT_RECORD:
		return bpf_load(BPF_PROG_TYPE_TRACEPOINT, c, err);
	case BPFCOUNT_RAW:
		return bpf_load(BPF_PROG_TYPE_RAW_TRACEPOINT, c, err);
	case BPFCOUNT_ENTRY:
		return bpf_load_for_function(BPF_TRACE_FENTRY, config->function, c, err);
	case BPFCOUNT_EXIT:
		return bpf_load_for_function(BPF_TRACE_FEXIT, config->function, c, err);
	}
	return -EINVAL;
}

int bpfcount_open(struct bpfcount *b, const struct bpfcount_config *config, struct errmsg *err)
{
	struct bpfcode *c = malloc(sizeof(*c));
	int r = c ? 0 : errmsg_set_errno(err, -ENOMEM, "cannot count");

	*b = (struct bpfcount){
		.program = -1, .table = -1, .dropped = -1, .link = -1, .hook = config->hook};
	if (r >= 0)
		r = make_tables(b, config, err);
	if (r >= 0) {
		bpfcode_init(c);
		write_program(c, b, config);
		r = bpfcode_finish(c);
		if (r < 0)
			errmsg_set_errno(err, r, "this does not fit into a BPF program");
	}
	if (r >= 0)
		r = b->program = load(config, c, err);
	free(c);
	return r < 0 ? r : 0;
}

int bpfcount_attach(struct bpfcount *b, const char *tracepoint, long long id, struct errmsg *err)
{
	b->link = b->hook == BPFCOUNT_PROBE || b->hook == BPFCOUNT_RECORD
			  ? bpf_attach_event(b->program, id, err)
			  : bpf_attach_raw(b->program, tracepoint, err);
	return b->link < 0 ? b->link : 0;
}

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

void bpfcount_detach(struct bpfcount *b)
{
	close_fd(&b->link);
}

int bpfcount_each(const struct bpfcount *b, int (*visit)(void *ctx, const uint8_t *key, uint64_t n),
		  void *ctx, struct errmsg *err)
{
	return bpf_each_row(b->table, b->n_key_bytes, b->n_rows, visit, ctx, err);
}

static int take_number(void *ctx, const uint8_t *key, uint64_t n)
{
	*(uint64_t *)ctx += n;
	return 0;
}

int bpfcount_dropped(const struct bpfcount *b, uint64_t *ret_n, struct errmsg *err)
{
	*ret_n = 0;
	return bpf_each_row(b->dropped, sizeof(uint32_t), 1, take_number, ret_n, err);
}

uint64_t bpfcount_missed(const struct bpfcount *b)
{
	return bpf_n_missed(b->program);
}

void bpfcount_close(struct bpfcount *b)
{
	close_fd(&b->link);
	close_fd(&b->program);
	close_fd(&b->table);
	close_fd(&b->dropped);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * rows.c - finds rows by key, without a helper call if possible.
 *
 *	near   an array with a part for each CPU:   key, hashed by the program ──▶ { numbers, key }
 *	           first number 0: free, taken by writing the key
 *	           same key: found
 *	far    the kernel's hash, with numbers for each CPU: used if the near row has another key
 *
 * Accessing an array takes a few instructions, while the kernel's hash costs a call of 40 ns. A
 * program that can be interrupted on its CPU could be interrupted after it found a free row and
 * before it took the row. Such programs use only the hash. Long keys use only the hash, too,
 * because each word costs two instructions and a comparison here.
 *
 * The hash is h = (h ^ word) * 2^64 / golden ratio; its highest bits are the index.
 */
#include "capture/bpf/rows.h"

#include "base/errmsg.h"
#include "capture/bpf/program.h"

#include <unistd.h>

#define NEAR_KEY_MAX_BYTES 64
#define NEAR_LOG_MIN	   8
#define NEAR_LOG_MAX	   14
#define SPREAD		   UINT64_C(0x9e3779b97f4a7c15)
#define INDEX		   BPFPROGRAM_SCRATCH

enum { R0, R1, R2, R3, STACK = 10 };

/*
 * --- the program -------------------------------------------------------------------------------
 */

/* Computes INDEX, the place among the rows of this CPU. */
static void write_index(struct bpfcode *c, const struct bpfrows *r, int key)
{
	bpfcode_call(c, BPF_FUNC_get_smp_processor_id);
	bpfcode_set_wide(c, R3, SPREAD);
	for (int i = 0; i < (int)r->config.n_key_bytes; i += 8) {
		bpfcode_load(c, BPF_DW, i ? R1 : R2, STACK, key + i);
		if (i)
			bpfcode_alu(c, BPF_XOR, R2, R1);
		bpfcode_alu(c, BPF_MUL, R2, R3);
	}
	bpfcode_alu_number(c, BPF_RSH, R2, 64 - r->near_log);
	bpfcode_alu_number(c, BPF_LSH, R0, r->near_log);
	bpfcode_alu(c, BPF_OR, R0, R2);
	bpfcode_store(c, BPF_W, STACK, INDEX, R0);
}

static void find_near(struct bpfcode *c, const struct bpfrows *r, int key, unsigned found,
		      unsigned other)
{
	unsigned is_free = bpfcode_label(c);
	int at = (int)r->config.n_value_bytes;

	write_index(c, r, key);
	bpfprogram_look_up(c, r->near.fd, INDEX);
	bpfcode_jump_if(c, BPF_JEQ, R0, 0, other); /* a CPU beyond the table */
	bpfcode_load(c, BPF_DW, R1, R0, 0);
	bpfcode_jump_if(c, BPF_JEQ, R1, 0, is_free);
	for (int i = 0; i < (int)r->config.n_key_bytes; i += 8) {
		bpfcode_load(c, BPF_DW, R1, STACK, key + i);
		bpfcode_load(c, BPF_DW, R2, R0, at + i);
		bpfcode_jump_if_reg(c, BPF_JNE, R1, R2, other);
	}
	bpfcode_jump(c, found);
	bpfcode_place(c, is_free);
	for (int i = 0; i < (int)r->config.n_key_bytes; i += 8) {
		bpfcode_load(c, BPF_DW, R1, STACK, key + i);
		bpfcode_store(c, BPF_DW, R0, at + i, R1);
	}
	bpfcode_jump(c, found);
}

static void find_far(struct bpfcode *c, const struct bpfrows *r, int key, int value, unsigned found,
		     unsigned none)
{
	bpfprogram_look_up(c, r->far.fd, key);
	bpfcode_jump_if(c, BPF_JNE, R0, 0, found);
	for (int i = 0; i < (int)r->config.n_value_bytes; i += 8)
		bpfcode_store_number(c, BPF_DW, STACK, value + i, 0);
	/* another CPU may have added the row by now */
	bpfprogram_update(c, r->far.fd, key, value, BPF_NOEXIST);
	bpfprogram_look_up(c, r->far.fd, key);
	bpfcode_jump_if(c, BPF_JEQ, R0, 0, none);
}

void bpfrows_find(struct bpfcode *c, const struct bpfrows *r, int key, int value, unsigned none)
{
	unsigned found = bpfcode_label(c), other = bpfcode_label(c);

	if (r->near.fd >= 0)
		find_near(c, r, key, found, other);
	bpfcode_place(c, other);
	find_far(c, r, key, value, found, none);
	bpfcode_place(c, found);
}

/*
 * --- tables ------------------------------------------------------------------------------------
 */

void bpfrows_init(struct bpfrows *r)
{
	*r = (struct bpfrows){.near.fd = -1, .far.fd = -1};
}

/* Returns log2 of the rows for each CPU, or 0 for none. */
static int choose_log(const struct bpfrows_config *config)
{
	uint64_t n_bytes = (uint64_t)(config->n_key_bytes + config->n_value_bytes) * bpf_n_cpus();
	int n = NEAR_LOG_MAX;

	if (!config->is_alone || config->n_key_bytes > NEAR_KEY_MAX_BYTES)
		return 0;
	while (n >= NEAR_LOG_MIN && n_bytes << n > config->n_near_bytes)
		n--;
	return n >= NEAR_LOG_MIN ? n : 0;
}

int bpfrows_open(struct bpfrows *r, const struct bpfrows_config *config, struct errmsg *err)
{
	int result = 0;

	bpfrows_init(r);
	r->config = *config;
	r->near_log = choose_log(config);
	r->far = (struct bpf_table){.type = BPF_MAP_TYPE_PERCPU_HASH,
				    .n_key_bytes = config->n_key_bytes,
				    .n_value_bytes = config->n_value_bytes,
				    .n_rows = config->n_rows,
				    .fd = -1};
	r->near = (struct bpf_table){.type = BPF_MAP_TYPE_ARRAY,
				     .n_key_bytes = sizeof(uint32_t),
				     .n_value_bytes = config->n_value_bytes + config->n_key_bytes,
				     .n_rows = bpf_n_cpus() << r->near_log,
				     .fd = -1};
	if (r->near_log)
		result = bpf_make_table(&r->near, err);
	return result < 0 ? result : bpf_make_table(&r->far, err);
}

void bpfrows_close(struct bpfrows *r)
{
	if (r->near.fd >= 0)
		close(r->near.fd);
	if (r->far.fd >= 0)
		close(r->far.fd);
	r->near.fd = r->far.fd = -1;
}

/*
 * --- what is in them ---------------------------------------------------------------------------
 */

struct visitor {
	const struct bpfrows *rows;
	int (*visit)(void *ctx, const uint8_t *key, const uint64_t *values, unsigned n_values);
	void *ctx;
};

static int show_near(void *ctx, const uint8_t *index, const uint64_t *values, unsigned n_values)
{
	const struct visitor *v = ctx;
	const uint8_t *key = (const uint8_t *)values + v->rows->config.n_value_bytes;

	return values[0] ? v->visit(v->ctx, key, values, 1) : 0;
}

int bpfrows_each(const struct bpfrows *r,
		 int (*visit)(void *ctx, const uint8_t *key, const uint64_t *values,
			      unsigned n_values),
		 void *ctx, struct errmsg *err)
{
	struct visitor v = {r, visit, ctx};
	int result = r->near.fd >= 0 ? bpf_each_row(&r->near, show_near, &v, err) : 0;

	return result < 0 ? result : bpf_each_row(&r->far, visit, ctx, err);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * bpfcount.c - writes the program that counts.
 *
 *	begin    does this hit count? (bpfprogram.h)                    else exit
 *	key      each source in turn ──▶ its bytes of the key on the stack
 *	table    row of the key += 1
 *	         or a new row with 1
 *	         or, if another CPU was quicker, that row += 1
 *	         or dropped += 1
 *
 *	stack, from r10 down:   that of bpfprogram.h | number 1, or index 0 | key …
 *
 * Without keys there is one row, and a table without a hash. Rows have a value for each CPU, but the program may still
 * be cut short there by an interrupt, or by another task in a probe of a program, that counts the same row: so it is
 * added undivided.
 */
#include "capture/bpfcount.h"

#include "base/errmsg.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#define VALUE	(BPFPROGRAM_STACK - 8)
#define KEY_END VALUE

enum { R0, R1, STACK = 10 };

/* --- the program ------------------------------------------------------------------------------- */

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
		bpfprogram_put_source(c, &config->sources[i], key);
		key += (int)bpfsource_bytes(&config->sources[i]);
	}
}

static bool needs_task(const struct bpfcount_config *config)
{
	bool needs = false;

	for (size_t i = 0; i < config->n_sources; i++)
		needs |= bpfsource_needs_task(&config->sources[i]);
	return needs;
}

static void write_program(struct bpfcode *c, const struct bpfcount *b,
			  const struct bpfcount_config *config)
{
	unsigned out = bpfcode_label(c), add = bpfcode_label(c);
	int key = config->n_sources ? KEY_END - (int)b->table.n_key_bytes : VALUE;

	bpfprogram_begin(c, &config->program, needs_task(config), out);
	write_key(c, config, key);
	bpfprogram_look_up(c, b->table.fd, key);
	bpfcode_jump_if(c, BPF_JNE, R0, 0, add);
	if (config->n_sources) {
		bpfcode_store_number(c, BPF_DW, STACK, VALUE, 1);
		bpfprogram_update(c, b->table.fd, key, VALUE, BPF_NOEXIST);
		bpfcode_jump_if(c, BPF_JEQ, R0, 0, out);
		bpfprogram_look_up(c, b->table.fd, key);
		bpfcode_jump_if(c, BPF_JNE, R0, 0, add);
		bpfcode_store_number(c, BPF_W, STACK, VALUE, 0);
		bpfprogram_look_up(c, b->dropped.fd, VALUE);
	}
	bpfcode_jump_if(c, BPF_JEQ, R0, 0, out);
	bpfcode_place(c, add);
	count_in_row(c);
	bpfcode_place(c, out);
	bpfprogram_end(c);
}

/* --- the whole --------------------------------------------------------------------------------- */

static int make_tables(struct bpfcount *b, const struct bpfcount_config *config, struct errmsg *err)
{
	uint32_t n = config->n_sources ? 0 : sizeof(uint32_t);
	int r;

	for (size_t i = 0; i < config->n_sources; i++)
		n += bpfsource_bytes(&config->sources[i]);
	if (n > BPFCOUNT_KEY_MAX_BYTES)
		return errmsg_set(err, -E2BIG, "the keys are too long for a BPF program");
	b->table.n_key_bytes = n;
	if (config->n_sources) {
		b->table.type = BPF_MAP_TYPE_PERCPU_HASH;
		b->table.n_rows = config->n_rows;
	}
	r = bpf_make_table(&b->table, err);
	return r < 0 ? r : bpf_make_table(&b->dropped, err);
}

static const struct bpf_table no_table = {.type = BPF_MAP_TYPE_PERCPU_ARRAY,
					  .n_key_bytes = sizeof(uint32_t),
					  .n_value_bytes = sizeof(uint64_t),
					  .n_rows = 1,
					  .fd = -1};

int bpfcount_open(struct bpfcount *b, const struct bpfcount_config *config, struct errmsg *err)
{
	struct bpfcode *c = malloc(sizeof(*c));
	int r = c ? 0 : errmsg_set_errno(err, -ENOMEM, "cannot count");

	b->program = b->link = -1;
	b->table = b->dropped = no_table;
	if (r >= 0)
		r = make_tables(b, config, err);
	if (r >= 0) {
		bpfcode_init(c);
		write_program(c, b, config);
		r = b->program = bpfprogram_load(&config->program, c, err);
	}
	free(c);
	return r < 0 ? r : 0;
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
	return bpf_each_number(&b->table, visit, ctx, err);
}

static int take_number(void *ctx, const uint8_t *key, uint64_t n)
{
	*(uint64_t *)ctx += n;
	return 0;
}

int bpfcount_dropped(const struct bpfcount *b, uint64_t *ret_n, struct errmsg *err)
{
	*ret_n = 0;
	return bpf_each_number(&b->dropped, take_number, ret_n, err);
}

uint64_t bpfcount_missed(const struct bpfcount *b)
{
	return bpf_n_missed(b->program);
}

void bpfcount_close(struct bpfcount *b)
{
	close_fd(&b->link);
	close_fd(&b->program);
	close_fd(&b->table.fd);
	close_fd(&b->dropped.fd);
}

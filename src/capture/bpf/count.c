// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * count.c - generates the program that counts.
 *
 *	begin    checks whether this hit counts (program.h), else exits
 *	key      each source in turn ──▶ its bytes of the key on the stack
 *	table    row of the key (rows.h) += 1
 *	         or, if there is no room, dropped += 1
 *
 *	stack, from r10 down:   that of program.h | value of a new row, or index 0 | key …
 *
 * Without keys there is one row. Rows have a value for each CPU. If an interrupt, or another task
 * in a probe of a program, can interrupt the program and count the same row, the addition is
 * atomic.
 */
#include "capture/bpf/count.h"

#include "base/errmsg.h"
#include "base/scope.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#define VALUE	(BPFPROGRAM_STACK - 8)
#define KEY_END VALUE

enum { R0, R1, R2, STACK = 10 };

/*
 * --- the program -------------------------------------------------------------------------------
 */

static void count_in_row(struct bpfcode *c, const struct bpfcount_config *config)
{
	bpfcode_set(c, R1, 1);
	if (!bpfprogram_runs_alone(&config->program))
		return bpfcode_add_to(c, R0, 0, R1);
	bpfcode_load(c, BPF_DW, R2, R0, 0);
	bpfcode_alu(c, BPF_ADD, R2, R1);
	bpfcode_store(c, BPF_DW, R0, 0, R2);
}

static void write_key(struct bpfcode *c, const struct bpfcount_config *config, int key)
{
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
	unsigned out = bpfcode_label(c), add = bpfcode_label(c), none = bpfcode_label(c);
	int key = KEY_END - (int)b->rows.config.n_key_bytes;

	bpfprogram_begin(c, &config->program, needs_task(config), out);
	if (config->n_sources) {
		write_key(c, config, key);
		bpfrows_find(c, &b->rows, key, VALUE, none);
		bpfcode_jump(c, add);
	}
	bpfcode_place(c, none);
	bpfcode_store_number(c, BPF_W, STACK, VALUE, 0);
	bpfprogram_look_up(c, b->dropped.fd, VALUE);
	bpfcode_jump_if(c, BPF_JEQ, R0, 0, out);
	bpfcode_place(c, add);
	count_in_row(c, config);
	bpfcode_place(c, out);
	bpfprogram_end(c);
}

/*
 * --- the whole ---------------------------------------------------------------------------------
 */

static int make_tables(struct bpfcount *b, const struct bpfcount_config *config, struct errmsg *err)
{
	struct bpfrows_config rows = {.n_value_bytes = sizeof(uint64_t),
				      .n_rows = config->n_rows,
				      .n_near_bytes = config->n_near_bytes,
				      .is_alone = bpfprogram_runs_alone(&config->program)};

	for (size_t i = 0; i < config->n_sources; i++)
		rows.n_key_bytes += bpfsource_bytes(&config->sources[i]);
	if (rows.n_key_bytes > BPFCOUNT_KEY_MAX_BYTES)
		return errmsg_set(err, -E2BIG, "the keys are too long for a BPF program");
	if (config->n_sources)
		TRY(bpfrows_open(&b->rows, &rows, err));
	return bpf_make_table(&b->dropped, err);
}

static const struct bpf_table no_table = {.type = BPF_MAP_TYPE_PERCPU_ARRAY,
					  .n_key_bytes = sizeof(uint32_t),
					  .n_value_bytes = sizeof(uint64_t),
					  .n_rows = 1,
					  .fd = -1};

int bpfcount_open(struct bpfcount *b, const struct bpfcount_config *config, struct errmsg *err)
{
	SCOPED(scope_free) struct bpfcode *c = malloc(sizeof(*c));

	b->program = b->link = -1;
	b->dropped = no_table;
	b->has_keys = config->n_sources;
	bpfrows_init(&b->rows);
	if (!c)
		return errmsg_set_errno(err, -ENOMEM, "cannot count");
	TRY(make_tables(b, config, err));
	bpfcode_init(c);
	write_program(c, b, config);
	b->program = bpfprogram_load(&config->program, c, err);
	return b->program < 0 ? b->program : 0;
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
	struct bpf_summing s = {visit, ctx};

	return b->has_keys ? bpfrows_each(&b->rows, bpf_show_sum, &s, err)
			   : bpf_each_number(&b->dropped, visit, ctx, err);
}

static int take_number(void *ctx, const uint8_t *key, uint64_t n)
{
	*(uint64_t *)ctx += n;
	return 0;
}

int bpfcount_dropped(const struct bpfcount *b, uint64_t *ret_n, struct errmsg *err)
{
	*ret_n = 0;
	return b->has_keys ? bpf_each_number(&b->dropped, take_number, ret_n, err) : 0;
}

uint64_t bpfcount_missed(const struct bpfcount *b)
{
	return bpf_n_missed(b->program);
}

void bpfcount_close(struct bpfcount *b)
{
	close_fd(&b->link);
	close_fd(&b->program);
	bpfrows_close(&b->rows);
	close_fd(&b->dropped.fd);
}

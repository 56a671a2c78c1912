// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * latency.c - creates the tables that measure times, and their programs, and reads the results.
 *
 *	A ──▶ slots, or spilled ──▶ B ──▶ cells, or rows
 *	 └─────────┴── counters ──────┘
 *
 *	slots     an array, indexed by the hash of the matching value. By CPU there is one slot, per
 *	          CPU
 *	spilled   a hash, for starts whose slot holds another open start; the slot counts them
 *	cells     without groups: an array with a value for each CPU. The minimum is stored as its
 *	          complement, so that 0 means "none yet"
 *	rows      with groups: the same, by groups and cell (rows.h)
 *	counters  for each CPU: events without a time, by reason
 *
 * A hash alone is slower: adding and removing a row costs as much as the rest of the program. A
 * slot costs almost nothing; it is free if its time is 0. Task-local storage would need two calls
 * for each pair. If two CPUs take one slot for two values at the same time, one start is lost. Its
 * end is then reported as an end without a start.
 *
 * latency_code.c generates the programs.
 */
#include "capture/bpf/latency_int.h"

#include "base/errmsg.h"
#include "base/scope.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PARTS		(1 << BPFLATENCY_PARTS_LOG)
/* number of cells for all possible times */
#define CELLS		((64 - BPFLATENCY_PARTS_LOG) * PARTS + PARTS)
/* if the cells need more, they are rows, too */
#define CELLS_MAX_BYTES (32u << 20)
#define AT(word)	((int)(word)*8)

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static uint32_t bytes_of(const struct bpflatency_side *side)
{
	uint32_t n = 0;

	for (size_t i = 0; i < side->n_groups; i++)
		n += bpfsource_bytes(&side->groups[i]);
	return n;
}

static int make_starts(struct bpflatency *l, const struct bpflatency_side *from, struct errmsg *err)
{
	bool by_cpu = l->config.match == BPFLATENCY_BY_CPU;

	l->n_from_bytes = bytes_of(from);
	l->slots =
		(struct bpf_table){.type = by_cpu ? BPF_MAP_TYPE_PERCPU_ARRAY : BPF_MAP_TYPE_ARRAY,
				   .n_key_bytes = sizeof(uint32_t),
				   .n_value_bytes = AT(START_WORDS) + l->n_from_bytes,
				   .n_rows = by_cpu ? 1 : 1u << BPFLATENCY_SLOTS_LOG};
	l->spilled = (struct bpf_table){.type = BPF_MAP_TYPE_HASH,
					.n_key_bytes = sizeof(uint64_t),
					.n_value_bytes = l->slots.n_value_bytes,
					.n_rows = l->config.n_starts,
					.fd = -1};
	TRY(bpf_make_table(&l->slots, err));
	if (!by_cpu)
		TRY(bpf_make_table(&l->spilled, err));
	return bpf_make_table(&l->counters, err);
}

static int make_cells(struct bpflatency *l, const struct bpflatency_side *to, bool is_alone,
		      struct errmsg *err)
{
	struct bpfrows_config config = {.n_value_bytes = AT(CELL_WORDS),
					.n_rows = l->config.n_rows,
					.n_near_bytes = l->config.n_near_bytes,
					.is_alone = is_alone};

	close_fd(&l->cells.fd);
	bpfrows_close(&l->rows);
	l->n_to_bytes = bytes_of(to);
	config.n_key_bytes = l->n_from_bytes + l->n_to_bytes + 8;
	if (l->n_from_bytes || l->n_to_bytes || l->config.scale.range_ns ||
	    (uint64_t)CELLS * AT(CELL_WORDS) * bpf_n_cpus() > CELLS_MAX_BYTES)
		return bpfrows_open(&l->rows, &config, err);
	l->cells = (struct bpf_table){.type = BPF_MAP_TYPE_PERCPU_ARRAY,
				      .n_key_bytes = sizeof(uint32_t),
				      .n_value_bytes = AT(CELL_WORDS),
				      .n_rows = CELLS};
	return bpf_make_table(&l->cells, err);
}

void bpflatency_init(struct bpflatency *l, const struct bpflatency_config *config)
{
	*l = (struct bpflatency){.config = *config,
				 .slots.fd = -1,
				 .spilled.fd = -1,
				 .cells.fd = -1,
				 .counters = {.type = BPF_MAP_TYPE_PERCPU_ARRAY,
					      .n_key_bytes = sizeof(uint32_t),
					      .n_value_bytes = sizeof(uint64_t),
					      .n_rows = COUNTERS,
					      .fd = -1}};
	bpfrows_init(&l->rows);
	for (size_t i = 0; i < BPFLATENCY_PROGRAMS_MAX; i++)
		l->programs[i] = l->links[i] = -1;
}

static struct bpfcode *new_code(struct errmsg *err)
{
	struct bpfcode *c = malloc(sizeof(*c));

	if (c)
		bpfcode_init(c);
	else
		errmsg_set_errno(err, -ENOMEM, "cannot measure latencies");
	return c;
}

static int load(struct bpflatency *l, const struct bpfprogram_config *config, struct bpfcode *c,
		struct errmsg *err)
{
	int fd = bpfprogram_load(config, c, err);

	if (fd >= 0)
		l->programs[l->n_programs++] = fd;
	return fd < 0 ? fd : 0;
}

int bpflatency_program(const struct bpflatency *l)
{
	return l->n_programs ? l->programs[l->n_programs - 1] : -1;
}

void bpflatency_take_link(struct bpflatency *l, int link)
{
	if (!l->n_programs)
		return;
	if (link >= 0)
		l->links[l->n_programs - 1] = link;
	else
		close_fd(&l->programs[--l->n_programs]);
}

static int follow_threads(struct bpflatency *l, struct errmsg *err)
{
	static const struct bpfprogram_config config = {.hook = BPFHOOK_RAW};
	SCOPED(scope_free) struct bpfcode *c = new_code(err);
	int link;

	if (!c)
		return -ENOMEM;
	bpflatency_write_farewell(l, &l->config.farewell, c);
	TRY(load(l, &config, c, err));
	link = bpfprogram_attach(&config, bpflatency_program(l), "sched_process_free", 0, err);
	bpflatency_take_link(l, link);
	return link < 0 ? link : 0;
}

/*
 * Prepares a start. It creates all tables again, because it may have been tried with another hook.
 */
static int prepare_from(struct bpflatency *l, const struct bpflatency_side *from,
			struct errmsg *err)
{
	struct errmsg ignored = {0};

	bpflatency_close(l);
	TRY(make_starts(l, from, err));
	if (l->config.has_farewell)
		follow_threads(l, &ignored); /* this is useful, but not required */
	return 0;
}

int bpflatency_add(struct bpflatency *l, const struct bpfprogram_config *config,
		   const struct bpflatency_side *from, const struct bpflatency_side *to,
		   struct errmsg *err)
{
	SCOPED(scope_free) struct bpfcode *c = NULL;

	if (!from && l->n_programs == BPFLATENCY_PROGRAMS_MAX)
		return -E2BIG;
	c = new_code(err);
	if (!c)
		return -ENOMEM;
	if (from)
		TRY(prepare_from(l, from, err));
	if (to)
		TRY(make_cells(l, to, bpfprogram_runs_alone(config), err));
	TRY(bpflatency_write(l, config, from, to, c, err));
	return load(l, config, c, err);
}

/*
 * --- times -------------------------------------------------------------------------------------
 */

/* Detaches in the order of time, so that started pairs can still end. */
void bpflatency_detach(struct bpflatency *l)
{
	for (size_t i = 0; i < BPFLATENCY_PROGRAMS_MAX; i++)
		close_fd(&l->links[i]);
}

struct visitor {
	int (*visit)(void *ctx, const uint8_t *groups, const struct bpflatency_cell *cell);
	void *ctx;
};

static int show_cell(void *ctx, const uint8_t *key, const uint64_t *values, unsigned n_values)
{
	const struct visitor *v = ctx;
	struct bpflatency_cell cell = {.min_ns = UINT64_MAX};

	for (unsigned i = 0; i < n_values; i++, values += CELL_WORDS) {
		cell.n += values[CELL_N];
		cell.total_ns += values[CELL_TOTAL];
		if (~values[CELL_NOT_MIN] < cell.min_ns)
			cell.min_ns = ~values[CELL_NOT_MIN];
		if (values[CELL_MAX] > cell.max_ns)
			cell.max_ns = values[CELL_MAX];
	}
	return cell.n && cell.min_ns <= cell.max_ns ? v->visit(v->ctx, key, &cell) : 0;
}

int bpflatency_each(const struct bpflatency *l,
		    int (*visit)(void *ctx, const uint8_t *groups,
				 const struct bpflatency_cell *cell),
		    void *ctx, struct errmsg *err)
{
	struct visitor v = {.visit = visit, .ctx = ctx};

	return l->cells.fd >= 0 ? bpf_each_row(&l->cells, show_cell, &v, err)
				: bpfrows_each(&l->rows, show_cell, &v, err);
}

/*
 * --- what has no time --------------------------------------------------------------------------
 */

static int take_counter(void *ctx, const uint8_t *key, uint64_t n)
{
	uint64_t *counters = ctx;
	uint32_t i;

	memcpy(&i, key, sizeof(i));
	if (i < COUNTERS)
		counters[i] += n;
	return 0;
}

struct start_counter {
	size_t n_words;
	uint64_t n;
};

static int count_start(void *ctx, const uint8_t *key, const uint64_t *values, unsigned n_values)
{
	struct start_counter *sc = ctx;

	for (unsigned i = 0; i < n_values; i++)
		sc->n += values[i * sc->n_words] != 0;
	return 0;
}

int bpflatency_read_counts(const struct bpflatency *l, struct bpflatency_counts *ret,
			   struct errmsg *err)
{
	struct start_counter sc = {.n_words = l->slots.n_value_bytes / 8};
	uint64_t counters[COUNTERS] = {0};

	TRY(bpf_each_number(&l->counters, take_counter, counters, err));
	TRY(bpf_each_row(&l->slots, count_start, &sc, err));
	if (l->spilled.fd >= 0)
		TRY(bpf_each_row(&l->spilled, count_start, &sc, err));
	*ret = (struct bpflatency_counts){.n_open = sc.n + counters[COUNTER_GONE],
					  .n_again = counters[COUNTER_AGAIN],
					  .n_alone = counters[COUNTER_ALONE],
					  .n_backwards = counters[COUNTER_BACKWARDS],
					  .n_no_start = counters[COUNTER_NO_START],
					  .n_no_cell = counters[COUNTER_NO_CELL]};
	return 0;
}

uint64_t bpflatency_missed(const struct bpflatency *l)
{
	uint64_t n = 0;

	for (size_t i = 0; i < l->n_programs; i++)
		n += bpf_n_missed(l->programs[i]);
	return n;
}

void bpflatency_close(struct bpflatency *l)
{
	bpflatency_detach(l);
	for (size_t i = 0; i < BPFLATENCY_PROGRAMS_MAX; i++)
		close_fd(&l->programs[i]);
	close_fd(&l->slots.fd);
	close_fd(&l->spilled.fd);
	close_fd(&l->cells.fd);
	close_fd(&l->counters.fd);
	bpfrows_close(&l->rows);
	l->n_programs = 0;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * latency_code.c - generates the programs that measure times.
 *
 *	A   matching value ──▶ its slot   { time, matching value, number of starts in the hash
 *	                                  instead, values of groups }
 *	B   time; matching value ──▶ start found and removed ──▶ time of B - time of A ──▶ cell
 *	    groups, cell ──▶ { count, sum, ~minimum, maximum }
 *
 * B reads the clock first, A last, so that the time includes little of their own cost. If an event
 * is both A and B, it first ends the previous interval, then starts a new one. latency.c describes
 * the tables.
 *
 * A usual hit needs only two calls: for the task (program.h) and for the clock, which costs most.
 * The program finds the slot and the cell with its own instructions.
 *
 * By thread: the idle tasks share thread id 0, so the CPU number replaces it. A separate program
 * removes the open starts of a thread that exits (farewell).
 *
 *	cell      below 128 ns: the ns; else, as in analyse/latency/latencies.c, the 7 bits after
 *	          the highest one, and the position of that bit; powers of two of microseconds are
 *	          edges of cells, because 1000 is 250 << 2. If the histogram has fixed steps, the
 *	          bits from 16 on hold the step.
 *
 * The highest bit is found by halving: the code checks whether any bit is set in the upper half.
 * BPF has no instruction for it.
 *
 *	stack, from r10 down:   that of program.h | matching value 8 | index 8 | time of an event
 *	                        that is both 8 start … (A) | value of a cell 32 | key of a cell …
 *	                        (B)
 *
 * Cells have a value for each CPU, and the kernel does not run a program while it already runs on
 * that CPU. The exceptions are probes of programs, and tracepoints before 6.1: there counts and
 * sums are added atomically, and a minimum or maximum may be lost to another value of the same
 * cell.
 */
#include "capture/bpf/latency_int.h"

#include "base/errmsg.h"
#include "capture/bpf/filter.h"

#include <errno.h>

#define MATCH	   (BPFPROGRAM_STACK - 8)
#define INDEX	   (BPFPROGRAM_STACK - 16)
#define NOW	   (BPFPROGRAM_STACK - 24)
#define START	   NOW /* end of the start on the stack */

#define PARTS_LOG  BPFLATENCY_PARTS_LOG
#define PARTS	   (1 << PARTS_LOG)
#define SCALE_BITS 16 /* position of the step's bits */
#define LAST_STEP  0xffff

#define SPREAD	   UINT64_C(0x9e3779b97f4a7c15) /* 2^64 / golden ratio */

enum { R0, R1, R2, R3, R8 = 8, R9, STACK };
#define NUMBER	 BPFPROGRAM_NUMBER
#define TIME	 R8 /* the time of B, then the duration */
#define SLOT	 R9

#define AT(word) ((int)(word)*8)

struct writing {
	struct bpfcode *c;
	const struct bpflatency *l;
	const struct bpflatency_side *from, *to;
	int start, value, key; /* positions on the stack */
	bool is_undivided;     /* additions must be atomic */
};

/*
 * --- small parts -------------------------------------------------------------------------------
 */

static void write_count(struct writing *w, enum bpflatency_counter counter)
{
	unsigned none = bpfcode_label(w->c);

	bpfcode_store_number(w->c, BPF_W, STACK, INDEX, (int32_t)counter);
	bpfprogram_look_up(w->c, w->l->counters.fd, INDEX);
	bpfcode_jump_if(w->c, BPF_JEQ, R0, 0, none);
	bpfcode_set(w->c, R1, 1);
	bpfcode_add_to(w->c, R0, 0, R1);
	bpfcode_place(w->c, none);
}

static const struct bpfsource thread = {.kind = BPFSOURCE_PID, .n_bytes = 4};

static void write_match(struct writing *w, const struct bpfsource *number)
{
	unsigned is_task = bpfcode_label(w->c);

	switch (w->l->config.match) {
	case BPFLATENCY_BY_CPU: /* there is only one slot */
		bpfcode_set(w->c, NUMBER, 0);
		break;
	case BPFLATENCY_BY_THREAD:
		bpfprogram_read_number(w->c, &thread);
		bpfcode_jump_if(w->c, BPF_JNE, NUMBER, 0, is_task);
		bpfcode_call(w->c, BPF_FUNC_get_smp_processor_id);
		bpfcode_move(w->c, NUMBER, R0);
		bpfcode_alu_number(w->c, BPF_XOR, NUMBER, -1);
		bpfcode_alu_number(w->c, BPF_LSH, NUMBER, 32);
		bpfcode_place(w->c, is_task);
		break;
	case BPFLATENCY_BY_NUMBER:
		bpfprogram_read_number(w->c, number);
	}
}

static void write_groups(struct writing *w, const struct bpflatency_side *side, int at)
{
	for (size_t i = 0; i < side->n_groups; i++) {
		bpfprogram_put_source(w->c, &side->groups[i], at);
		at += (int)bpfsource_bytes(&side->groups[i]);
	}
}

/* Copies the start's groups from the stack to its slot, or from there to the key of the cell. */
static void write_copy(struct writing *w, int to, int to_at, int from, int from_at)
{
	for (int i = 0; i < (int)w->l->n_from_bytes; i += 8) {
		bpfcode_load(w->c, BPF_DW, R2, from, from_at + i);
		bpfcode_store(w->c, BPF_DW, to, to_at + i, R2);
	}
}

/* Sets SLOT to the slot of NUMBER, which is also on the stack. */
static void write_find_slot(struct writing *w, unsigned none)
{
	struct bpfcode *c = w->c;

	bpfcode_store(c, BPF_DW, STACK, MATCH, NUMBER);
	bpfcode_move(c, R1, NUMBER);
	if (w->l->slots.n_rows > 1) {
		bpfcode_set_wide(c, R2, SPREAD);
		bpfcode_alu(c, BPF_MUL, R1, R2);
		bpfcode_alu_number(c, BPF_RSH, R1, 64 - BPFLATENCY_SLOTS_LOG);
	}
	bpfcode_store(c, BPF_W, STACK, INDEX, R1);
	bpfprogram_look_up(c, w->l->slots.fd, INDEX);
	bpfcode_jump_if(c, BPF_JEQ, R0, 0, none);
	bpfcode_move(c, SLOT, R0);
}

/* Sets r0 to the start of NUMBER in the hash. Jumps to none if there is none. */
static void write_find_spilled(struct writing *w, unsigned none)
{
	bpfcode_load(w->c, BPF_DW, R1, SLOT, AT(START_SPILLED));
	bpfcode_jump_if(w->c, BPF_JEQ, R1, 0, none);
	bpfprogram_look_up(w->c, w->l->spilled.fd, MATCH);
	bpfcode_jump_if(w->c, BPF_JEQ, R0, 0, none);
}

static void write_count_spilled(struct writing *w, int n)
{
	bpfcode_set(w->c, R1, n);
	bpfcode_add_to(w->c, SLOT, AT(START_SPILLED), R1);
}

static void write_drop_spilled(struct writing *w)
{
	write_count_spilled(w, -1);
	bpfcode_set_map(w->c, R1, w->l->spilled.fd);
	bpfcode_move(w->c, R2, STACK);
	bpfcode_alu_number(w->c, BPF_ADD, R2, MATCH);
	bpfcode_call(w->c, BPF_FUNC_map_delete_elem);
}

/*
 * --- beginnings --------------------------------------------------------------------------------
 */

/* Loads the time into r0; for an event that is also an end, the time of that end. */
static void write_start_time(struct writing *w)
{
	if (w->to)
		bpfcode_load(w->c, BPF_DW, R0, STACK, NOW);
	else
		bpfcode_call(w->c, BPF_FUNC_ktime_get_ns);
}

/* Stores this start where SLOT points, or in the hash. */
static void write_start(struct writing *w)
{
	bpfcode_load(w->c, BPF_DW, R1, STACK, MATCH);
	bpfcode_store(w->c, BPF_DW, SLOT, AT(START_NUMBER), R1);
	write_copy(w, SLOT, AT(START_WORDS), STACK, w->start + AT(START_WORDS));
	write_start_time(w);
	bpfcode_store(w->c, BPF_DW, SLOT, AT(START_TIME), R0);
}

static void write_spill(struct writing *w, unsigned out)
{
	struct bpfcode *c = w->c;
	unsigned none = bpfcode_label(c), full = bpfcode_label(c);

	write_find_spilled(w, none);
	bpfcode_move(c, SLOT, R0);
	write_count(w, COUNTER_AGAIN);
	write_start(w);
	bpfcode_jump(c, out);
	bpfcode_place(c, none);
	bpfcode_store_number(c, BPF_DW, STACK, w->start + AT(START_NUMBER), 0);
	bpfcode_store_number(c, BPF_DW, STACK, w->start + AT(START_SPILLED), 0);
	write_start_time(w);
	bpfcode_store(c, BPF_DW, STACK, w->start + AT(START_TIME), R0);
	bpfprogram_update(c, w->l->spilled.fd, MATCH, w->start, BPF_ANY);
	bpfcode_jump_if(c, BPF_JNE, R0, 0, full);
	write_count_spilled(w, 1);
	bpfcode_jump(c, out);
	bpfcode_place(c, full);
	write_count(w, COUNTER_NO_START);
	bpfcode_jump(c, out);
}

static void write_from(struct writing *w)
{
	struct bpfcode *c = w->c;
	unsigned is_ours = bpfcode_label(c), is_free = bpfcode_label(c), out = bpfcode_label(c),
		 take = bpfcode_label(c);

	write_groups(w, w->from, w->start + AT(START_WORDS));
	write_match(w, &w->from->match);
	write_find_slot(w, out);
	bpfcode_load(c, BPF_DW, R1, SLOT, AT(START_TIME));
	bpfcode_jump_if(c, BPF_JEQ, R1, 0, is_free);
	bpfcode_load(c, BPF_DW, R1, SLOT, AT(START_NUMBER));
	bpfcode_jump_if_reg(c, BPF_JEQ, R1, NUMBER, is_ours);
	if (w->l->spilled.fd >= 0)
		write_spill(w, out);
	else
		bpfcode_jump(c, out);
	bpfcode_place(c, is_free);
	/* the hash may have an older start, from a time when the slot was taken */
	if (w->l->spilled.fd >= 0) {
		write_find_spilled(w, take);
		write_drop_spilled(w);
	} else {
		bpfcode_jump(c, take);
	}
	bpfcode_place(c, is_ours);
	write_count(w, COUNTER_AGAIN);
	bpfcode_place(c, take);
	write_start(w);
	bpfcode_place(c, out);
}

/*
 * --- cells -------------------------------------------------------------------------------------
 */

/* Sets r3 to the step of the histogram that contains TIME. */
static void write_step(struct writing *w)
{
	const struct bpflatency_scale *s = &w->l->config.scale;
	unsigned out = bpfcode_label(w->c);

	bpfcode_set(w->c, R3, 0);
	bpfcode_set_wide(w->c, R2, s->min_ns);
	bpfcode_jump_if_reg(w->c, BPF_JLT, TIME, R2, out);
	bpfcode_set_wide(w->c, R2, s->max_ns);
	bpfcode_set(w->c, R3, LAST_STEP);
	bpfcode_jump_if_reg(w->c, BPF_JGE, TIME, R2, out);
	bpfcode_move(w->c, R3, TIME);
	bpfcode_set_wide(w->c, R2, s->min_ns);
	bpfcode_alu(w->c, BPF_SUB, R3, R2);
	bpfcode_set_wide(w->c, R2, s->range_ns);
	bpfcode_alu(w->c, BPF_DIV, R3, R2);
	bpfcode_alu_number(w->c, BPF_ADD, R3, 1);
	bpfcode_place(w->c, out);
}

/* Sets NUMBER to the cell of TIME. */
static void write_cell(struct writing *w)
{
	struct bpfcode *c = w->c;
	unsigned small = bpfcode_label(c);

	bpfcode_move(c, NUMBER, TIME);
	bpfcode_set(c, R1, 0);
	bpfcode_jump_if(c, BPF_JLT, NUMBER, PARTS, small);
	for (int shift = 32; shift; shift /= 2) {
		unsigned less = bpfcode_label(c);

		bpfcode_move(c, R2, NUMBER);
		bpfcode_alu_number(c, BPF_RSH, R2, PARTS_LOG + shift);
		bpfcode_jump_if(c, BPF_JEQ, R2, 0, less);
		bpfcode_alu_number(c, BPF_RSH, NUMBER, shift);
		bpfcode_alu_number(c, BPF_ADD, R1, shift);
		bpfcode_place(c, less);
	}
	/*
	 * NUMBER still contains its highest bit, with the value PARTS, which adds one to the shift
	 */
	bpfcode_move(c, R2, R1);
	bpfcode_alu_number(c, BPF_LSH, R2, PARTS_LOG);
	bpfcode_alu(c, BPF_ADD, NUMBER, R2);
	bpfcode_place(c, small);
	if (!w->l->config.scale.range_ns)
		return;
	write_step(w);
	bpfcode_alu_number(c, BPF_LSH, R3, SCALE_BITS);
	bpfcode_alu(c, BPF_OR, NUMBER, R3);
}

/* Stores the maximum of r1 and the value in row r0. */
static void write_most(struct writing *w, int word)
{
	unsigned less = bpfcode_label(w->c);

	bpfcode_load(w->c, BPF_DW, R2, R0, AT(word));
	bpfcode_jump_if_reg(w->c, BPF_JGE, R2, R1, less);
	bpfcode_store(w->c, BPF_DW, R0, AT(word), R1);
	bpfcode_place(w->c, less);
}

/* Computes *(r0 + word) += src, atomically if needed. */
static void write_sum(struct writing *w, int word, int src)
{
	if (w->is_undivided)
		return bpfcode_add_to(w->c, R0, AT(word), src);
	bpfcode_load(w->c, BPF_DW, R2, R0, AT(word));
	bpfcode_alu(w->c, BPF_ADD, R2, src);
	bpfcode_store(w->c, BPF_DW, R0, AT(word), R2);
}

/* Sets r0 to the cell of TIME. Jumps to out if there is none. */
static void write_find_cell(struct writing *w, unsigned out)
{
	struct bpfcode *c = w->c;
	unsigned found = bpfcode_label(c), none = bpfcode_label(c);

	write_cell(w);
	if (w->l->cells.fd >= 0) {
		bpfcode_store(c, BPF_W, STACK, INDEX, NUMBER);
		bpfprogram_look_up(c, w->l->cells.fd, INDEX);
		bpfcode_jump_if(c, BPF_JEQ, R0, 0, out);
		return;
	}
	bpfcode_store(c, BPF_DW, STACK, w->key + (int)w->l->rows.config.n_key_bytes - 8, NUMBER);
	bpfrows_find(c, &w->l->rows, w->key, w->value, none);
	bpfcode_jump(c, found);
	bpfcode_place(c, none);
	write_count(w, COUNTER_NO_CELL);
	bpfcode_jump(c, out);
	bpfcode_place(c, found);
}

/* Adds TIME to its cell. */
static void write_add(struct writing *w)
{
	struct bpfcode *c = w->c;
	unsigned out = bpfcode_label(c);

	write_find_cell(w, out);
	bpfcode_set(c, R1, 1);
	write_sum(w, CELL_N, R1);
	write_sum(w, CELL_TOTAL, TIME);
	bpfcode_move(c, R1, TIME);
	write_most(w, CELL_MAX);
	bpfcode_alu_number(c, BPF_XOR, R1, -1);
	write_most(w, CELL_NOT_MIN);
	bpfcode_place(c, out);
}

/*
 * --- ends --------------------------------------------------------------------------------------
 */

/* Removes the start of NUMBER, and sets TIME to the duration. */
static void write_take(struct writing *w, unsigned alone)
{
	struct bpfcode *c = w->c;
	unsigned other = bpfcode_label(c), taken = bpfcode_label(c);

	write_find_slot(w, alone);
	bpfcode_load(c, BPF_DW, R1, SLOT, AT(START_TIME));
	bpfcode_jump_if(c, BPF_JEQ, R1, 0, other);
	bpfcode_load(c, BPF_DW, R2, SLOT, AT(START_NUMBER));
	bpfcode_jump_if_reg(c, BPF_JNE, R2, NUMBER, other);
	bpfcode_alu(c, BPF_SUB, TIME, R1);
	write_copy(w, STACK, w->key, SLOT, AT(START_WORDS));
	bpfcode_store_number(c, BPF_DW, SLOT, AT(START_TIME), 0);
	bpfcode_jump(c, taken);
	bpfcode_place(c, other);
	if (w->l->spilled.fd >= 0) {
		write_find_spilled(w, alone);
		bpfcode_load(c, BPF_DW, R1, R0, AT(START_TIME));
		bpfcode_alu(c, BPF_SUB, TIME, R1);
		write_copy(w, STACK, w->key, R0, AT(START_WORDS));
		write_drop_spilled(w);
	} else {
		bpfcode_jump(c, alone);
	}
	bpfcode_place(c, taken);
}

static void write_to(struct writing *w)
{
	struct bpfcode *c = w->c;
	unsigned alone = bpfcode_label(c), backwards = bpfcode_label(c), out = bpfcode_label(c);

	bpfcode_call(c, BPF_FUNC_ktime_get_ns);
	bpfcode_move(c, TIME, R0);
	if (w->from)
		bpfcode_store(c, BPF_DW, STACK, NOW, R0);
	write_match(w, &w->to->match);
	write_take(w, alone);
	bpfcode_jump_if(c, BPF_JSLT, TIME, 0, backwards);
	write_groups(w, w->to, w->key + (int)w->l->n_from_bytes);
	write_add(w);
	bpfcode_jump(c, out);
	bpfcode_place(c, backwards);
	write_count(w, COUNTER_BACKWARDS);
	bpfcode_jump(c, out);
	bpfcode_place(c, alone);
	write_count(w, COUNTER_ALONE);
	bpfcode_place(c, out);
}

/*
 * Processes the end if the filter of B is true. An event that the filter excludes may still be a
 * start.
 */
static void write_to_if(struct writing *w)
{
	unsigned is_none = bpfcode_label(w->c);

	if (w->to->filter) {
		if (w->from) {
			bpfcode_call(w->c, BPF_FUNC_ktime_get_ns);
			bpfcode_store(w->c, BPF_DW, STACK, NOW, R0);
		}
		bpffilter_emit(w->c, w->to->filter, is_none);
	}
	write_to(w);
	bpfcode_place(w->c, is_none);
}

/*
 * --- programs ----------------------------------------------------------------------------------
 */

static bool needs_task(const struct writing *w, const struct bpflatency_side *side)
{
	bool needs = side && w->l->config.match == BPFLATENCY_BY_NUMBER &&
		     bpfsource_needs_task(&side->match);

	for (size_t i = 0; side && i < side->n_groups; i++)
		needs |= bpfsource_needs_task(&side->groups[i]);
	if (side && side->filter)
		needs |= bpffilter_needs_task(side->filter);
	return needs || w->l->config.match == BPFLATENCY_BY_THREAD;
}

int bpflatency_write(const struct bpflatency *l, const struct bpfprogram_config *config,
		     const struct bpflatency_side *from, const struct bpflatency_side *to,
		     struct bpfcode *c, struct errmsg *err)
{
	struct writing all = {.c = c, .l = l, .from = from, .to = to}, *w = &all;
	unsigned out = bpfcode_label(c);

	w->start = START - (w->from ? AT(START_WORDS) + (int)w->l->n_from_bytes : 0);
	w->value = w->start - AT(CELL_WORDS);
	w->key = w->value - (int)w->l->rows.config.n_key_bytes;
	if ((w->to ? w->key : w->start) < -BPFCODE_STACK)
		return errmsg_set(err, -E2BIG, "the keys are too long for a BPF program");
	w->is_undivided = !bpfprogram_runs_alone(config);
	bpfprogram_begin(w->c, config, needs_task(w, w->from) || needs_task(w, w->to), out);
	if (w->to)
		write_to_if(w);
	if (w->from && w->from->filter)
		bpffilter_emit(w->c, w->from->filter, out);
	if (w->from)
		write_from(w);
	bpfcode_place(w->c, out);
	bpfprogram_end(w->c);
	return 0;
}

void bpflatency_write_farewell(const struct bpflatency *l, const struct bpfsource *number,
			       struct bpfcode *c)
{
	struct writing all = {.c = c, .l = l}, *w = &all;
	unsigned out = bpfcode_label(c), other = bpfcode_label(c);

	bpfcode_move(c, BPFPROGRAM_CONTEXT, R1);
	bpfprogram_read_number(c, number);
	write_find_slot(w, out);
	bpfcode_load(c, BPF_DW, R1, SLOT, AT(START_TIME));
	bpfcode_jump_if(c, BPF_JEQ, R1, 0, other);
	bpfcode_load(c, BPF_DW, R1, SLOT, AT(START_NUMBER));
	bpfcode_jump_if_reg(c, BPF_JNE, R1, NUMBER, other);
	bpfcode_store_number(c, BPF_DW, SLOT, AT(START_TIME), 0);
	write_count(w, COUNTER_GONE);
	bpfcode_jump(c, out);
	bpfcode_place(c, other);
	write_find_spilled(w, out);
	write_drop_spilled(w);
	write_count(w, COUNTER_GONE);
	bpfcode_place(c, out);
	bpfprogram_end(c);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bpf.h - small programs inside the kernel: an assembler for BPF bytecode, and the bpf(2) calls to
 * load, attach and read them. It needs no library and no compiler.
 *
 *	bpfcode_…          add instructions one by one; jump to labels that are placed later
 *	bpf_make_table     create a table (BPF map) that both sides see
 *	bpf_load           the kernel verifies and compiles the program
 *	bpf_attach_…       run the program from now on, until the descriptor is closed
 *	bpf_each_row       read the table
 *
 * Programs and tables exist as long as their descriptors, so the kernel frees them when the process
 * ends in any way. Every call except reading needs capabilities (CAP_BPF, CAP_PERFMON); see
 * bpf_reading_needs_power().
 */
#ifndef SONDE_CAPTURE_BPF_BPF_H
#define SONDE_CAPTURE_BPF_BPF_H

#include <linux/bpf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct errmsg;
struct bpftask;

/*
 * --- instructions ------------------------------------------------------------------------------
 */

#define BPFCODE_MAX_INSNS  3500
#define BPFCODE_MAX_LABELS 256
#define BPFCODE_MAX_JUMPS  512
#define BPFCODE_STACK	   512
#define BPFCODE_FUNCTIONS  8

struct bpfcode {
	struct bpf_insn insns[BPFCODE_MAX_INSNS];
	size_t n;
	struct {
		uint16_t at, label;
	} jumps[BPFCODE_MAX_JUMPS];
	size_t n_jumps;
	/* index of each label's instruction; -1: not placed yet */
	int32_t labels[BPFCODE_MAX_LABELS];
	size_t n_labels;
	struct {
		uint16_t at; /* first instruction */
		uint8_t n_args;
		bool is_alone; /* verified once */
	} functions[BPFCODE_FUNCTIONS];
	size_t n_functions;
	bool may_sleep; /* load it as a sleepable program; only probes in programs accept these */
	bool has_types; /* the kernel knows the types that the context points to */
	/* The task's address with its type, if it is on the stack (program.h); NULL: it is not. */
	const struct bpftask *task;
	bool failed; /* too many instructions or labels */
};

void bpfcode_init(struct bpfcode *c);
unsigned bpfcode_label(struct bpfcode *c);
/*
 * Places the label at the next instruction. Place each label once. A label before its jump makes a
 * loop, which kernels accept since 5.3.
 */
void bpfcode_place(struct bpfcode *c, unsigned label);
/* Resolves the jumps; returns -E2BIG or -EINVAL if the program is invalid. */
int bpfcode_finish(struct bpfcode *c);

/* Registers are BPF_REG_0 …; op BPF_ADD, BPF_LSH …; size BPF_B, BPF_H, BPF_W, BPF_DW. */
void bpfcode_move(struct bpfcode *c, int dst, int src);
void bpfcode_set(struct bpfcode *c, int dst, int32_t number);
void bpfcode_set_wide(struct bpfcode *c, int dst, uint64_t number);
void bpfcode_set_map(struct bpfcode *c, int dst, int map_fd);
/* Loads the address of the first row of an ARRAY table, without a helper call. */
void bpfcode_set_row(struct bpfcode *c, int dst, int map_fd);
void bpfcode_alu(struct bpfcode *c, int op, int dst, int src);
void bpfcode_alu_number(struct bpfcode *c, int op, int dst, int32_t number);
/* Reverses the lowest 2, 4 or 8 bytes, and clears those above. */
void bpfcode_swap(struct bpfcode *c, int dst, unsigned n_bytes);
void bpfcode_load(struct bpfcode *c, int size, int dst, int src, int offset);
void bpfcode_store(struct bpfcode *c, int size, int dst, int offset, int src);
void bpfcode_store_number(struct bpfcode *c, int size, int dst, int offset, int32_t number);
/* Computes *(u64 *)(dst + offset) += src, atomically. */
void bpfcode_add_to(struct bpfcode *c, int dst, int offset, int src);
/* The same; src is then the value before (5.12). */
void bpfcode_fetch_add(struct bpfcode *c, int dst, int offset, int src);
/* Calls a helper of the kernel: BPF_FUNC_…. */
void bpfcode_call(struct bpfcode *c, int helper);
/*
 * Functions: r1 … r5 are the arguments, r0 is the result, each has its own r6 … r9 and stack, and
 * ends with an exit. Their code follows that of the program. is_alone: the kernel verifies it once,
 * and not again for each call (5.6); then its arguments and its result are numbers, of which
 * nothing is known.
 */
void bpfcode_place_function(struct bpfcode *c, unsigned label, unsigned n_args, bool is_alone);
void bpfcode_call_label(struct bpfcode *c, unsigned label);
void bpfcode_jump(struct bpfcode *c, unsigned label);
/* Jumps by a comparison of all 64 bits with the sign-extended number. op is BPF_JEQ, BPF_JNE …. */
void bpfcode_jump_if(struct bpfcode *c, int op, int reg, int32_t number, unsigned label);
/* Jumps by a comparison with another register. op defines whether it is signed. */
void bpfcode_jump_if_reg(struct bpfcode *c, int op, int reg, int other, unsigned label);
void bpfcode_exit(struct bpfcode *c);

/*
 * --- the kernel --------------------------------------------------------------------------------
 */

/* Returns true if the kernel has bpf(2) and a JIT compiler, and we may use them. */
bool bpf_is_there(void);
/*
 * Returns the capability (CAP_…) that is needed to read a table, or -1. Since 5.19 any process with
 * a descriptor of a table may read it.
 */
int bpf_reading_needs_power(void);
/*
 * Returns true if the kernel never runs a program of this type while it already runs on the same
 * CPU, in an interrupt or another task. For KPROBE this is so for probes in the kernel, not for
 * probes in programs.
 */
bool bpf_runs_alone(enum bpf_prog_type type);
/* Returns the number of possible CPUs: PERCPU tables have one value for each. */
unsigned bpf_n_cpus(void);

struct bpf_table {
	enum bpf_map_type type;
	uint32_t n_key_bytes, n_value_bytes, n_rows; /* value sizes are multiples of 8 */
	int fd;					     /* negative: no table */
	uint32_t flags;				     /* BPF_F_… */
};
/* Creates the table and sets fd. ARRAY tables start with rows of 0; others start empty. */
int bpf_make_table(struct bpf_table *t, struct errmsg *err);
/* Loads a program. On failure the message ends with the last lines of the kernel's verifier. */
int bpf_load(enum bpf_prog_type type, const struct bpfcode *c, struct errmsg *err);
/*
 * Loads a program for the entry of a function, its return, or a tracepoint. function is its id in
 * the kernel's BTF.
 */
int bpf_load_for_function(enum bpf_attach_type where, uint32_t function, const struct bpfcode *c,
			  struct errmsg *err);

/*
 * Attaches a program of the type KPROBE or TRACEPOINT to an event of the tracing directory, by its
 * id.
 */
int bpf_attach_event(int prog_fd, long long id, struct errmsg *err);
/*
 * Attaches a program. If tracepoint is NULL, attaches to the function or tracepoint for which it
 * was loaded.
 */
int bpf_attach_raw(int prog_fd, const char *tracepoint, struct errmsg *err);

/*
 * Visits all rows, until visit returns a negative value. values has one value, or, for PERCPU
 * tables, one for each CPU in sequence.
 */
int bpf_each_row(const struct bpf_table *t,
		 int (*visit)(void *ctx, const uint8_t *key, const uint64_t *values,
			      unsigned n_values),
		 void *ctx, struct errmsg *err);
/*
 * Like bpf_each_row(), for tables whose value is a number. n is the sum over all CPUs. Skips rows
 * that are 0.
 */
int bpf_each_number(const struct bpf_table *t,
		    int (*visit)(void *ctx, const uint8_t *key, uint64_t n), void *ctx,
		    struct errmsg *err);
/*
 * Visits a row (ctx: a struct bpf_summing): calls visit with the sum of the values, unless it is 0.
 */
struct bpf_summing {
	int (*visit)(void *ctx, const uint8_t *key, uint64_t n);
	void *ctx;
};
int bpf_show_sum(void *ctx, const uint8_t *key, const uint64_t *values, unsigned n_values);
/*
 * Writes a row. value has the form of bpf_each_row(). Needs the same capabilities as creating the
 * table.
 */
int bpf_write_row(const struct bpf_table *t, const void *key, const void *value);
/*
 * Creates a gate: one number that programs check first, so that many of them count over the same
 * period, however long attaching them takes. It starts closed. Setting it needs the same capability
 * as reading.
 */
int bpf_make_gate(struct bpf_table *t, struct errmsg *err);
void bpf_set_gate(const struct bpf_table *t, bool is_open); /* does nothing without a gate */
/*
 * Returns how often the kernel skipped the program because it was already running on that CPU; 0 if
 * the kernel does not report it.
 */
uint64_t bpf_n_missed(int prog_fd);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bpf.h - small programs inside the kernel: an assembler for their bytecode, and the bpf(2) calls to load, attach and
 * read them. No library, no compiler.
 *
 *	bpfcode_…          instructions, one by one; jumps to labels that are placed later
 *	bpf_make_table     a table that both sides see
 *	bpf_load           the kernel checks the program and translates it
 *	bpf_attach_…       it runs from now on, until the descriptor is closed
 *	bpf_each_row       the table, so far
 *
 * All is held by descriptors and gone with them, however the program ends. Every call needs powers (CAP_BPF,
 * CAP_PERFMON) but for reading; see bpf_reading_needs_power().
 */
#ifndef SONDE_CAPTURE_BPF_BPF_H
#define SONDE_CAPTURE_BPF_BPF_H

#include <linux/bpf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct errmsg;
struct bpftask;

/* --- instructions ------------------------------------------------------------------------------ */

#define BPFCODE_MAX_INSNS  3500
#define BPFCODE_MAX_LABELS 256
#define BPFCODE_MAX_JUMPS  512
#define BPFCODE_STACK	   512

struct bpfcode {
	struct bpf_insn insns[BPFCODE_MAX_INSNS];
	size_t n;
	struct {
		uint16_t at, label;
	} jumps[BPFCODE_MAX_JUMPS];
	size_t n_jumps;
	int32_t labels[BPFCODE_MAX_LABELS]; /* where they are placed, -1: not yet */
	size_t n_labels;
	bool may_sleep; /* the kernel is told when it is loaded; only programs' probes take such */
	bool has_types; /* of what the context points to */
	/* The address of the task is on the stack (program.h), with its type; NULL: it is not. */
	const struct bpftask *task;
	bool failed; /* too much of something */
};

void bpfcode_init(struct bpfcode *c);
unsigned bpfcode_label(struct bpfcode *c);
/*
 * The next instruction is where jumps to the label go; it must be placed once. Before the jump, it makes a loop, which
 * kernels take since 5.3.
 */
void bpfcode_place(struct bpfcode *c, unsigned label);
/* Puts the distances into the jumps; -E2BIG or -EINVAL if it cannot be a program. */
int bpfcode_finish(struct bpfcode *c);

/* Registers are BPF_REG_0 …; op BPF_ADD, BPF_LSH …; size BPF_B, BPF_H, BPF_W, BPF_DW. */
void bpfcode_move(struct bpfcode *c, int dst, int src);
void bpfcode_set(struct bpfcode *c, int dst, int32_t number);
void bpfcode_set_wide(struct bpfcode *c, int dst, uint64_t number);
void bpfcode_set_map(struct bpfcode *c, int dst, int map_fd);
/* The address of the first row of a table of the kind ARRAY: no call is needed. */
void bpfcode_set_row(struct bpfcode *c, int dst, int map_fd);
void bpfcode_alu(struct bpfcode *c, int op, int dst, int src);
void bpfcode_alu_number(struct bpfcode *c, int op, int dst, int32_t number);
/* Turns the order of the lowest 2, 4 or 8 bytes; those above are 0. */
void bpfcode_swap(struct bpfcode *c, int dst, unsigned n_bytes);
void bpfcode_load(struct bpfcode *c, int size, int dst, int src, int offset);
void bpfcode_store(struct bpfcode *c, int size, int dst, int offset, int src);
void bpfcode_store_number(struct bpfcode *c, int size, int dst, int offset, int32_t number);
/* *(u64 *)(dst + offset) += src, undivided. */
void bpfcode_add_to(struct bpfcode *c, int dst, int offset, int src);
/* One of the kernel's helpers: BPF_FUNC_…. */
void bpfcode_call(struct bpfcode *c, int helper);
void bpfcode_jump(struct bpfcode *c, unsigned label);
/* op BPF_JEQ, BPF_JNE …: of all 64 bits with the number, its sign extended. */
void bpfcode_jump_if(struct bpfcode *c, int op, int reg, int32_t number, unsigned label);
/* … with another register, without signs if op says so. */
void bpfcode_jump_if_reg(struct bpfcode *c, int op, int reg, int other, unsigned label);
void bpfcode_exit(struct bpfcode *c);

/* --- the kernel -------------------------------------------------------------------------------- */

/* Is there bpf(2), does the kernel translate programs to machine code, and may we? */
bool bpf_is_there(void);
/* Since 5.19 whoever has a descriptor of a table may read it. Which power (CAP_…) it takes before; -1: none. */
int bpf_reading_needs_power(void);
/*
 * Is such a program never run where it runs already, in an interrupt or another task of the same CPU? Of KPROBE: at
 * probes in the kernel; those of programs can be.
 */
bool bpf_runs_alone(enum bpf_prog_type type);
/* Each possible CPU has a value of its own in tables of the kinds PERCPU. */
unsigned bpf_n_cpus(void);

struct bpf_table {
	enum bpf_map_type type;
	uint32_t n_key_bytes, n_value_bytes, n_rows; /* values in whole 8 bytes */
	int fd;					     /* negative: there is none */
	uint32_t flags;				     /* BPF_F_… */
};
/* Fills in fd. Its rows are 0 at first, of the kinds ARRAY; others have none. */
int bpf_make_table(struct bpf_table *t, struct errmsg *err);
/* The sentence ends with what the kernel's checker said last. */
int bpf_load(enum bpf_prog_type type, const struct bpfcode *c, struct errmsg *err);
/* At the entry of a function, where it returns, or at a tracepoint: its number in the kernel's BTF. */
int bpf_load_for_function(enum bpf_attach_type where, uint32_t function, const struct bpfcode *c,
			  struct errmsg *err);

/* To an event of the tracing directory, by its id: programs of the kinds KPROBE and TRACEPOINT. */
int bpf_attach_event(int prog_fd, long long id, struct errmsg *err);
/* tracepoint NULL: to the function or the tracepoint that it was loaded for. */
int bpf_attach_raw(int prog_fd, const char *tracepoint, struct errmsg *err);

/* The rows so far, until visit is negative. values: one, or of the kinds PERCPU one for each CPU, behind each other. */
int bpf_each_row(const struct bpf_table *t,
		 int (*visit)(void *ctx, const uint8_t *key, const uint64_t *values,
			      unsigned n_values),
		 void *ctx, struct errmsg *err);
/* The same where a value is a number, with the sum of all CPUs; rows that are 0 are left out. */
int bpf_each_number(const struct bpf_table *t,
		    int (*visit)(void *ctx, const uint8_t *key, uint64_t n), void *ctx,
		    struct errmsg *err);
/* value: as bpf_each_row() has it. Needs the powers that making it takes. */
int bpf_write_row(const struct bpf_table *t, const void *key, const void *value);
/*
 * A gate is one number: programs look at it first, so that many of them count from one moment to another, however long
 * it takes to attach them. It is closed at first. Setting it needs the power that reading does.
 */
int bpf_make_gate(struct bpf_table *t, struct errmsg *err);
void bpf_set_gate(const struct bpf_table *t, bool is_open); /* nothing if there is none */
/* How often a program was left out because it ran on that CPU already; 0 where the kernel does not say. */
uint64_t bpf_n_missed(int prog_fd);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bpf.h - small programs inside the kernel: an assembler for their bytecode, and the bpf(2) calls to load, attach and
 * read them. No library, no compiler.
 *
 *	bpfcode_…          instructions, one by one; jumps to labels that are placed later
 *	bpf_make_map       a table that both sides see
 *	bpf_load           the kernel checks the program and translates it
 *	bpf_attach_…       it runs from now on, until the descriptor is closed
 *	bpf_each_row       the table, so far
 *
 * All is held by descriptors and gone with them, however the program ends. Every call needs powers (CAP_BPF,
 * CAP_PERFMON) but for reading; see bpf_reading_needs_power().
 */
#ifndef SONDE_CAPTURE_BPF_H
#define SONDE_CAPTURE_BPF_H

#include <linux/bpf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct errmsg;

/* --- instructions ------------------------------------------------------------------------------ */

#define BPFCODE_MAX_INSNS  3500
#define BPFCODE_MAX_LABELS 64
#define BPFCODE_MAX_JUMPS  256
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
	bool failed; /* too much of something */
};

void bpfcode_init(struct bpfcode *c);
unsigned bpfcode_label(struct bpfcode *c);
/* The next instruction is where jumps to the label go; it must be placed once, behind them. */
void bpfcode_place(struct bpfcode *c, unsigned label);
/* Puts the distances into the jumps; -E2BIG or -EINVAL if it cannot be a program. */
int bpfcode_finish(struct bpfcode *c);

/* Registers are BPF_REG_0 …; op BPF_ADD, BPF_LSH …; size BPF_B, BPF_H, BPF_W, BPF_DW. */
void bpfcode_move(struct bpfcode *c, int dst, int src);
void bpfcode_set(struct bpfcode *c, int dst, int32_t number);
void bpfcode_set_wide(struct bpfcode *c, int dst, uint64_t number);
void bpfcode_set_map(struct bpfcode *c, int dst, int map_fd);
void bpfcode_alu(struct bpfcode *c, int op, int dst, int src);
void bpfcode_alu_number(struct bpfcode *c, int op, int dst, int32_t number);
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
void bpfcode_exit(struct bpfcode *c);

/* --- the kernel -------------------------------------------------------------------------------- */

/* Is there bpf(2), does the kernel translate programs to machine code, and may we? */
bool bpf_is_there(void);
/* Since 5.19 whoever has a descriptor of a table may read it. Which power (CAP_…) it takes before; -1: none. */
int bpf_reading_needs_power(void);
/* Each possible CPU has a value of its own in tables of the kinds PERCPU. */
unsigned bpf_n_cpus(void);

/* A descriptor, or negative. Values are of 8 bytes. */
int bpf_make_map(enum bpf_map_type type, uint32_t n_key_bytes, uint32_t n_rows, struct errmsg *err);
/* The sentence ends with what the kernel's checker said last. */
int bpf_load(enum bpf_prog_type type, const struct bpfcode *c, struct errmsg *err);
/* At the entry of a function or where it returns: function is its number in the kernel's BTF. */
int bpf_load_for_function(enum bpf_attach_type where, uint32_t function, const struct bpfcode *c,
			  struct errmsg *err);

/* To an event of the tracing directory, by its id: programs of the kinds KPROBE and TRACEPOINT. */
int bpf_attach_event(int prog_fd, long long id, struct errmsg *err);
/* tracepoint NULL: to the function that it was loaded for. */
int bpf_attach_raw(int prog_fd, const char *tracepoint, struct errmsg *err);

/* The rows of a table of the kind PERCPU: n is the sum of all CPUs. Until visit is negative. */
int bpf_each_row(int map_fd, uint32_t n_key_bytes, uint32_t n_rows,
		 int (*visit)(void *ctx, const uint8_t *key, uint64_t n), void *ctx,
		 struct errmsg *err);
/* How often a program was left out because it ran on that CPU already; 0 where the kernel does not say. */
uint64_t bpf_n_missed(int prog_fd);

#endif

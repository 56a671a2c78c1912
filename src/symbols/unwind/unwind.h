/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * unwind.h - goes from a frame of a stack to its caller, by registers and a copy of the stack.
 *
 *	struct unwind_frame f = {…registers…};
 *
 *	while (rules for f.ip are found && unwind_step(&f, &memory, cfi, &row) > 0)
 *		… f is the caller's …
 *
 * Addresses of the file are the caller's business: a row is found by cfi_find_row().
 */
#ifndef SONDE_SYMBOLS_UNWIND_UNWIND_H
#define SONDE_SYMBOLS_UNWIND_UNWIND_H

#include "format/bytes.h"
#include "symbols/unwind/cfi.h"

/* Numbers of DWARF. */
#if defined(__aarch64__)
#define UNWIND_SP 31u
#define UNWIND_FP 29u
#define UNWIND_IP 32u
#else
#define UNWIND_SP 7u
#define UNWIND_FP 6u
#define UNWIND_IP 16u
#endif

struct unwind_frame {
	uint64_t regs[CFI_REGS_MAX];
	uint64_t known; /* bits: registers whose value is known */
	bool is_exact;	/* the ip is an instruction that was interrupted, not a return address */
};

/* A copy of memory from `start` on. */
struct unwind_memory {
	uint64_t start;
	struct piece bytes;
};

static inline uint64_t unwind_ip(const struct unwind_frame *f)
{
	return f->regs[UNWIND_IP];
}

/*
 * 1: f is the caller's frame; 0: f was the outermost one; negative: the caller is unknown, because
 * the rules are damaged or the memory has no copy. f is unchanged unless 1 is returned.
 */
int unwind_step(struct unwind_frame *f, const struct unwind_memory *m, const struct cfi *cfi,
		const struct cfi_row *row);
/* Without rules: the frame pointer, if it looks like one. Returns as unwind_step(). */
int unwind_step_fp(struct unwind_frame *f, const struct unwind_memory *m);

/*
 * Computes an expression of DWARF, which begins with the values on the stack: `first` if has_first.
 * Returns 0, or -EBADMSG.
 */
int unwind_compute(struct piece code, const struct unwind_frame *f, const struct unwind_memory *m,
		   bool has_first, uint64_t first, uint64_t *ret);

#endif

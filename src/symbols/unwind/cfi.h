/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * cfi.h - call frame information of a program: how to find a function's caller, at each
 * instruction.
 *
 *	cfi_open ─▶ cfi_find_row: the rules at an address ─▶ unwind.h
 *
 * From .eh_frame, by the table in .eh_frame_hdr if there is one, and for other functions from
 * .debug_frame. The file is read,
 * not mapped: it may change while it is used. Nothing in it is trusted. One thread at a time.
 */
#ifndef SONDE_SYMBOLS_UNWIND_CFI_H
#define SONDE_SYMBOLS_UNWIND_CFI_H

#include "format/bytes.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cfi;

#define CFI_REGS_MAX  33u /* x86-64: 17, aarch64: 33 (sp is 31, the return address 30) */
#define CFI_RULES_MAX 20u

enum cfi_kind {
	CFI_SAME, /* the caller has the same value: such a rule is not stored */
	CFI_UNDEFINED,
	CFI_OFFSET,	/* in memory at CFA + value */
	CFI_VAL_OFFSET, /* CFA + value */
	CFI_REGISTER,	/* in register `value` */
	CFI_EXPRESSION, /* in memory at the result; value: position of the expression */
	CFI_VAL_EXPRESSION,
};

struct cfi_rule {
	uint8_t reg, kind;
	int32_t value;
};

/* The rules at one instruction. */
struct cfi_row {
	uint8_t cfa_kind; /* CFI_REGISTER: cfa_reg + cfa_value; CFI_VAL_EXPRESSION; else: none */
	uint8_t cfa_reg;
	uint8_t ra_reg;	   /* column of the return address */
	uint8_t n_rules;   /* registers that have no rule keep their value */
	bool is_signal;	   /* a frame of the kernel, below a signal handler */
	bool is_signed_ra; /* aarch64: the return address has a signature */
	bool is_debug;	   /* from .debug_frame */
	int32_t cfa_value;
	struct cfi_rule rules[CFI_RULES_MAX];
};

/* fd: an ELF file; it may be closed afterwards. NULL: it has no such information, or no memory. */
struct cfi *cfi_open(int fd);
void cfi_close(struct cfi *c);

/* 0; -ENOENT: no function covers the address; -EBADMSG: its information is damaged. */
int cfi_find_row(const struct cfi *c, uint64_t address, struct cfi_row *ret);
/* The code that one entry describes: a function or a part of one. -ENOENT: none. */
int cfi_find_range(const struct cfi *c, uint64_t address, uint64_t *ret_begin, uint64_t *ret_end);
/* The bytes of an expression of a row, by the value of its rule; empty: damaged. */
struct piece cfi_expression(const struct cfi *c, const struct cfi_row *row, int32_t position);

/* For tests: sections as they are in memory, of a file of this machine's kind. They are copied. */
struct cfi *cfi_open_bytes(struct piece frames, uint64_t address, bool is_debug_frame);

#endif

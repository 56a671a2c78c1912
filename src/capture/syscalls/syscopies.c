// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * syscopies.c - generates the part of a BPF program that copies the memory of a call's arguments.
 *
 *	row        a row of the call (copies.h): the address, the length, how            ──▶ one of
 *	  chunk      a piece of memory or a string
 *	  iovec      the vector, then each of its pieces
 *	  msghdr     the struct, then name, iovec, control data
 *	  strings    the vector of pointers, then each string
 *
 * The rows are data, so one program serves all calls. Each part is a function that the verifier
 * checks once, for any arguments (bpfcode_place_function()); otherwise it would check all loops
 * inside each other, which takes seconds. A loop counts in a register from 0, which the verifier
 * follows step by step; all other numbers come from memory and are compared with a limit before
 * they are used.
 *
 * Memory that is not in RAM cannot be read here. A string constant that the program itself has
 * never read is such memory at the entry; the call then reads it, so it is copied at the exit.
 */
#include "capture/syscalls/syscode_int.h"
#include "symbols/syscalls/copies.h"

#include "store/events/syscallevents.h"

#include <stddef.h>

#define AT(field)	  ((int)offsetof(struct sysscratch, field))
#define HEADER		  ((int)sizeof(struct syscallevents_chunk))
#define ROOM		  ((int)SYSCALLEVENTS_MEMORY_MAX)
#define LENGTH_MAX	  4080
#define PAGE		  4096
#define IOVECS_MAX	  16
#define IOVEC_BYTES	  16
#define NAME_MAX_BYTES	  128
#define CONTROL_MAX_BYTES 512
#define MESSAGES_MAX	  4
#define MMSGHDR_BYTES	  64
#define MSGHDR_BYTES	  56
#define POINTERS_MAX	  192
#define STRINGS_MAX	  33
#define IOCBS_MAX	  4
#define IOCB_BYTES	  64

struct parts {
	unsigned row, chunk, iovec, msghdr, strings;
	int scratch; /* the table */
};

/* r0 = number; exit */
static void emit_return(struct bpfcode *c, int number)
{
	bpfcode_set(c, R0, number);
	bpfcode_exit(c);
}

/* reg = limit if it is more, and then flags of FLAGS_REG get CUT; flags 0: none. */
static void emit_cap(struct bpfcode *c, int reg, int limit, int flags)
{
	unsigned fits = bpfcode_label(c);

	bpfcode_jump_if_reg(c, BPF_JLE, reg, limit, fits);
	bpfcode_move(c, reg, limit);
	if (flags)
		bpfcode_alu_number(c, BPF_OR, flags, SYSCALLEVENTS_CUT);
	bpfcode_place(c, fits);
}

static void emit_cap_number(struct bpfcode *c, int reg, int32_t limit)
{
	unsigned fits = bpfcode_label(c);

	bpfcode_jump_if(c, BPF_JLE, reg, limit, fits);
	bpfcode_set(c, reg, limit);
	bpfcode_place(c, fits);
}

/*
 * The beginning of a function: its arguments, r1 …, are in r7, r8, r9 and FUNCTION_FOURTH, the
 * scratch area of this CPU is in r6.
 */
enum { FUNCTION_KEY = -8, FUNCTION_FOURTH = -16, FUNCTION_FIFTH = -24, FUNCTION_STACK = -24 };

static void emit_function(struct bpfcode *c, const struct parts *parts, unsigned label,
			  unsigned n_args)
{
	unsigned found = bpfcode_label(c);

	bpfcode_place_function(c, label, n_args, true);
	bpfcode_move(c, R7, R1);
	bpfcode_move(c, R8, R2);
	if (n_args > 2)
		bpfcode_move(c, R9, R3);
	if (n_args > 3)
		bpfcode_store(c, BPF_DW, FRAME, FUNCTION_FOURTH, R4);
	if (n_args > 4)
		bpfcode_store(c, BPF_DW, FRAME, FUNCTION_FIFTH, R5);
	bpfcode_store_number(c, BPF_DW, FRAME, FUNCTION_KEY, 0);
	bpfcode_set_map(c, R1, parts->scratch);
	bpfcode_move(c, R2, FRAME);
	bpfcode_alu_number(c, BPF_ADD, R2, FUNCTION_KEY);
	bpfcode_call(c, BPF_FUNC_map_lookup_elem);
	bpfcode_jump_if(c, BPF_JNE, R0, 0, found);
	emit_return(c, 0);
	bpfcode_place(c, found);
	bpfcode_move(c, R6, R0);
}

/*
 * --- one chunk ---------------------------------------------------------------------------------
 */

enum { CHUNK_PLACE = FUNCTION_STACK - 8, CHUNK_USED = FUNCTION_STACK - 16 };

/* Writes the header of the chunk at r8's length and r9's flags, and counts its bytes. */
static void emit_header(struct bpfcode *c)
{
	bpfcode_load(c, BPF_DW, R1, FRAME, CHUNK_PLACE);
	bpfcode_store(c, BPF_DW, R1, AT(memory) + 0, R7);
	bpfcode_store(c, BPF_H, R1, AT(memory) + 8, R8);
	bpfcode_load(c, BPF_DW, R2, R6, AT(phase));
	bpfcode_store(c, BPF_B, R1, AT(memory) + 10, R2);
	bpfcode_store(c, BPF_B, R1, AT(memory) + 11, R9);
	bpfcode_store_number(c, BPF_W, R1, AT(memory) + 12, 0);
	bpfcode_load(c, BPF_DW, R1, FRAME, CHUNK_USED);
	bpfcode_alu_number(c, BPF_ADD, R8, 7);
	bpfcode_alu_number(c, BPF_AND, R8, ~7);
	bpfcode_alu(c, BPF_ADD, R1, R8);
	bpfcode_alu_number(c, BPF_ADD, R1, HEADER);
	bpfcode_store(c, BPF_DW, R6, AT(used), R1);
}

static void emit_read(struct bpfcode *c, int helper)
{
	bpfcode_load(c, BPF_DW, R1, FRAME, CHUNK_PLACE);
	bpfcode_alu_number(c, BPF_ADD, R1, AT(memory) + HEADER);
	bpfcode_move(c, R2, R8);
	bpfcode_move(c, R3, R7);
	bpfcode_call(c, helper);
}

/* A string: its length is known now. A full area means that there is more. */
static void emit_string(struct bpfcode *c, unsigned failed, unsigned done)
{
	unsigned complete = bpfcode_label(c);

	emit_read(c, BPF_FUNC_probe_read_user_str);
	bpfcode_jump_if(c, BPF_JSLE, R0, 0, failed);
	bpfcode_jump_if(c, BPF_JGT, R0, LENGTH_MAX, failed);
	bpfcode_jump_if_reg(c, BPF_JNE, R0, R8, complete);
	bpfcode_alu_number(c, BPF_SUB, R0, 1); /* not the NUL that the kernel put there */
	bpfcode_alu_number(c, BPF_OR, R9, SYSCALLEVENTS_CUT);
	bpfcode_place(c, complete);
	bpfcode_move(c, R8, R0);
	bpfcode_jump(c, done);
}

/* Bytes: all of them, or those up to the end of the first page. */
static void emit_bytes(struct bpfcode *c, unsigned failed, unsigned done)
{
	emit_read(c, BPF_FUNC_probe_read_user);
	bpfcode_jump_if(c, BPF_JEQ, R0, 0, done);
	bpfcode_load(c, BPF_DW, R1, R6, AT(n_failed));
	bpfcode_alu_number(c, BPF_ADD, R1, 1);
	bpfcode_store(c, BPF_DW, R6, AT(n_failed), R1);
	bpfcode_move(c, R1, R7);
	bpfcode_alu_number(c, BPF_AND, R1, PAGE - 1);
	bpfcode_set(c, R2, PAGE);
	bpfcode_alu(c, BPF_SUB, R2, R1);
	bpfcode_jump_if_reg(c, BPF_JGE, R2, R8, failed);
	bpfcode_move(c, R8, R2);
	bpfcode_jump_if(c, BPF_JGT, R8, LENGTH_MAX, failed);
	emit_read(c, BPF_FUNC_probe_read_user);
	bpfcode_jump_if(c, BPF_JNE, R0, 0, failed);
	bpfcode_alu_number(c, BPF_OR, R9, SYSCALLEVENTS_FAULT);
}

/* chunk(address, length, flags) */
static void emit_chunk(struct bpfcode *c, const struct parts *parts)
{
	unsigned out = bpfcode_label(c), failed = bpfcode_label(c), done = bpfcode_label(c),
		 bytes = bpfcode_label(c), at_exit = bpfcode_label(c);

	emit_function(c, parts, parts->chunk, 3);
	bpfcode_jump_if(c, BPF_JEQ, R8, 0, out);
	bpfcode_load(c, BPF_DW, R1, R6, AT(used));
	bpfcode_jump_if(c, BPF_JGT, R1, ROOM - HEADER - 8, out);
	bpfcode_store(c, BPF_DW, FRAME, CHUNK_USED, R1);
	bpfcode_set(c, R2, ROOM - HEADER);
	bpfcode_alu(c, BPF_SUB, R2, R1);
	emit_cap(c, R8, R2, R9);
	bpfcode_jump_if(c, BPF_JGT, R8, LENGTH_MAX, out);
	bpfcode_move(c, R2, R6);
	bpfcode_alu(c, BPF_ADD, R2, R1);
	bpfcode_store(c, BPF_DW, FRAME, CHUNK_PLACE, R2);
	bpfcode_move(c, R1, R9);
	bpfcode_alu_number(c, BPF_AND, R1, SYSCODE_STRING);
	bpfcode_jump_if(c, BPF_JEQ, R1, 0, bytes);
	bpfcode_set(c, R9, 0);
	emit_string(c, failed, done);
	bpfcode_place(c, bytes);
	emit_bytes(c, failed, done);
	bpfcode_place(c, done);
	emit_header(c);
	bpfcode_place(c, out);
	emit_return(c, 0);
	bpfcode_place(c, failed);
	bpfcode_load(c, BPF_DW, R1, R6, AT(phase));
	bpfcode_jump_if(c, BPF_JNE, R1, SYSCALLEVENTS_AT_ENTRY, at_exit);
	bpfcode_load(c, BPF_DW, R1, R6, AT(n_failed));
	bpfcode_alu_number(c, BPF_ADD, R1, 1);
	bpfcode_store(c, BPF_DW, R6, AT(n_failed), R1);
	emit_return(c, 1);
	bpfcode_place(c, at_exit);
	bpfcode_load(c, BPF_DW, R1, R6, AT(n_faults));
	bpfcode_alu_number(c, BPF_ADD, R1, 1);
	bpfcode_store(c, BPF_DW, R6, AT(n_faults), R1);
	bpfcode_set(c, R8, 0);
	bpfcode_set(c, R9, SYSCALLEVENTS_FAULT);
	emit_header(c);
	emit_return(c, 1);
}

/*
 * --- vectors -----------------------------------------------------------------------------------
 */

enum {
	VECTOR_PLACE = FUNCTION_STACK - 8,
	VECTOR_COUNT = FUNCTION_STACK - 16,
	VECTOR_USED = FUNCTION_STACK - 24,
};

/*
 * Copies what r1 points to, r2 bytes, flags r3, and keeps its place on the stack: r6 + its offset
 * in the memory. Leaves to `out` if it could not be read.
 */
static void emit_first(struct bpfcode *c, const struct parts *parts, unsigned out)
{
	bpfcode_load(c, BPF_DW, R4, R6, AT(used));
	bpfcode_jump_if(c, BPF_JGT, R4, ROOM, out);
	bpfcode_store(c, BPF_DW, FRAME, VECTOR_USED, R4);
	bpfcode_move(c, R5, R6);
	bpfcode_alu(c, BPF_ADD, R5, R4);
	bpfcode_store(c, BPF_DW, FRAME, VECTOR_PLACE, R5);
	bpfcode_call_label(c, parts->chunk);
	bpfcode_jump_if(c, BPF_JNE, R0, 0, out);
	bpfcode_load(c, BPF_DW, R1, R6, AT(used));
	bpfcode_load(c, BPF_DW, R2, FRAME, VECTOR_USED);
	bpfcode_jump_if_reg(c, BPF_JEQ, R1, R2, out); /* there was no room */
}

/* iovec(address, count, limit of each piece, limit of all) */
static void emit_iovec(struct bpfcode *c, const struct parts *parts)
{
	unsigned out = bpfcode_label(c), loop = bpfcode_label(c), next = bpfcode_label(c);

	emit_function(c, parts, parts->iovec, 4);
	bpfcode_store(c, BPF_DW, R6, AT(piece_max), R9);
	bpfcode_load(c, BPF_DW, R1, FRAME, FUNCTION_FOURTH);
	bpfcode_store(c, BPF_DW, R6, AT(bytes_left), R1);
	bpfcode_set(c, R3, 0);
	bpfcode_set(c, R1, IOVECS_MAX);
	emit_cap(c, R8, R1, R3);
	bpfcode_store(c, BPF_DW, FRAME, VECTOR_COUNT, R8);
	bpfcode_move(c, R1, R7);
	bpfcode_move(c, R2, R8);
	bpfcode_alu_number(c, BPF_LSH, R2, 4);
	emit_first(c, parts, out);
	bpfcode_set(c, R9, 0);
	bpfcode_place(c, loop);
	bpfcode_load(c, BPF_DW, R1, FRAME, VECTOR_COUNT);
	bpfcode_jump_if_reg(c, BPF_JGE, R9, R1, out);
	bpfcode_load(c, BPF_DW, R4, FRAME, VECTOR_PLACE);
	bpfcode_move(c, R2, R9);
	bpfcode_alu_number(c, BPF_LSH, R2, 4);
	bpfcode_alu(c, BPF_ADD, R4, R2);
	bpfcode_load(c, BPF_DW, R1, R4, AT(memory) + HEADER);
	bpfcode_load(c, BPF_DW, R2, R4, AT(memory) + HEADER + 8);
	bpfcode_set(c, R3, 0);
	bpfcode_load(c, BPF_DW, R7, R6, AT(bytes_left));
	emit_cap(c, R2, R7, 0);
	bpfcode_alu(c, BPF_SUB, R7, R2);
	bpfcode_store(c, BPF_DW, R6, AT(bytes_left), R7);
	bpfcode_load(c, BPF_DW, R8, R6, AT(piece_max));
	emit_cap(c, R2, R8, R3);
	bpfcode_jump_if(c, BPF_JEQ, R2, 0, next);
	bpfcode_call_label(c, parts->chunk);
	bpfcode_place(c, next);
	bpfcode_alu_number(c, BPF_ADD, R9, 1);
	bpfcode_jump_if(c, BPF_JLT, R9, IOVECS_MAX, loop);
	bpfcode_place(c, out);
	emit_return(c, 0);
}

/* A piece to which the struct at the place points; n_bytes wide is its length. */
static void emit_piece(struct bpfcode *c, const struct parts *parts, int pointer, int length,
		       int size, int max)
{
	unsigned none = bpfcode_label(c);

	bpfcode_load(c, BPF_DW, R4, FRAME, VECTOR_PLACE);
	bpfcode_load(c, BPF_DW, R1, R4, AT(memory) + HEADER + pointer);
	bpfcode_load(c, size, R2, R4, AT(memory) + HEADER + length);
	bpfcode_jump_if(c, BPF_JEQ, R1, 0, none);
	bpfcode_set(c, R3, 0);
	bpfcode_set(c, R4, max);
	emit_cap(c, R2, R4, R3);
	bpfcode_call_label(c, parts->chunk);
	bpfcode_place(c, none);
}

/* msghdr(address, limit of each piece, limit of all, bytes of the struct) */
static void emit_msghdr(struct bpfcode *c, const struct parts *parts)
{
	unsigned out = bpfcode_label(c);

	emit_function(c, parts, parts->msghdr, 4);
	bpfcode_move(c, R1, R7);
	bpfcode_load(c, BPF_DW, R2, FRAME, FUNCTION_FOURTH);
	bpfcode_set(c, R3, 0);
	emit_first(c, parts, out);
	emit_piece(c, parts, 0, 8, BPF_W, NAME_MAX_BYTES);
	bpfcode_load(c, BPF_DW, R5, FRAME, VECTOR_PLACE);
	bpfcode_load(c, BPF_DW, R1, R5, AT(memory) + HEADER + 16);
	bpfcode_load(c, BPF_DW, R2, R5, AT(memory) + HEADER + 24);
	bpfcode_move(c, R3, R8);
	bpfcode_move(c, R4, R9);
	bpfcode_call_label(c, parts->iovec);
	emit_piece(c, parts, 32, 40, BPF_DW, CONTROL_MAX_BYTES);
	bpfcode_place(c, out);
	emit_return(c, 0);
}

/* Reads pointers one by one until a NULL: r7 their address, r8 how many at most, r9 how many. */
static void emit_pointers(struct bpfcode *c, unsigned end, unsigned cut)
{
	unsigned loop = bpfcode_label(c);

	bpfcode_set(c, R9, 0);
	bpfcode_place(c, loop);
	bpfcode_jump_if_reg(c, BPF_JGE, R9, R8, cut);
	bpfcode_load(c, BPF_DW, R1, FRAME, VECTOR_PLACE);
	bpfcode_move(c, R2, R9);
	bpfcode_alu_number(c, BPF_LSH, R2, 3);
	bpfcode_alu(c, BPF_ADD, R1, R2);
	bpfcode_alu_number(c, BPF_ADD, R1, AT(memory) + HEADER);
	bpfcode_move(c, R3, R7);
	bpfcode_alu(c, BPF_ADD, R3, R2);
	bpfcode_set(c, R2, 8);
	bpfcode_call(c, BPF_FUNC_probe_read_user);
	bpfcode_jump_if(c, BPF_JNE, R0, 0, cut);
	bpfcode_load(c, BPF_DW, R1, FRAME, VECTOR_PLACE);
	bpfcode_move(c, R2, R9);
	bpfcode_alu_number(c, BPF_LSH, R2, 3);
	bpfcode_alu(c, BPF_ADD, R1, R2);
	bpfcode_load(c, BPF_DW, R1, R1, AT(memory) + HEADER);
	bpfcode_alu_number(c, BPF_ADD, R9, 1);
	bpfcode_jump_if(c, BPF_JEQ, R1, 0, end);
	bpfcode_jump_if(c, BPF_JLT, R9, POINTERS_MAX, loop);
	bpfcode_jump(c, cut);
}

/* The strings of r9 pointers, up to piece_max bytes each. */
static void emit_each_string(struct bpfcode *c, const struct parts *parts, unsigned out)
{
	unsigned loop = bpfcode_label(c);

	bpfcode_store(c, BPF_DW, FRAME, VECTOR_COUNT, R9);
	bpfcode_set(c, R9, 0);
	bpfcode_place(c, loop);
	bpfcode_load(c, BPF_DW, R1, FRAME, VECTOR_COUNT);
	bpfcode_jump_if_reg(c, BPF_JGE, R9, R1, out);
	bpfcode_load(c, BPF_DW, R1, FRAME, VECTOR_PLACE);
	bpfcode_move(c, R2, R9);
	bpfcode_alu_number(c, BPF_LSH, R2, 3);
	bpfcode_alu(c, BPF_ADD, R1, R2);
	bpfcode_load(c, BPF_DW, R1, R1, AT(memory) + HEADER);
	bpfcode_jump_if(c, BPF_JEQ, R1, 0, out);
	bpfcode_load(c, BPF_DW, R2, R6, AT(piece_max));
	bpfcode_set(c, R3, SYSCODE_STRING);
	bpfcode_call_label(c, parts->chunk);
	bpfcode_alu_number(c, BPF_ADD, R9, 1);
	bpfcode_jump_if(c, BPF_JLT, R9, STRINGS_MAX, loop);
}

/* strings(address, pointers at most, limit of each string or 0) */
static void emit_strings(struct bpfcode *c, const struct parts *parts)
{
	unsigned out = bpfcode_label(c), end = bpfcode_label(c), cut = bpfcode_label(c),
		 write = bpfcode_label(c);

	emit_function(c, parts, parts->strings, 3);
	bpfcode_store(c, BPF_DW, R6, AT(piece_max), R9);
	bpfcode_load(c, BPF_DW, R1, R6, AT(used));
	bpfcode_jump_if(c, BPF_JGT, R1, ROOM - HEADER - 8, out);
	bpfcode_set(c, R2, ROOM - HEADER);
	bpfcode_alu(c, BPF_SUB, R2, R1);
	bpfcode_alu_number(c, BPF_RSH, R2, 3);
	emit_cap(c, R8, R2, 0);
	bpfcode_store(c, BPF_DW, FRAME, VECTOR_USED, R1);
	bpfcode_move(c, R2, R6);
	bpfcode_alu(c, BPF_ADD, R2, R1);
	bpfcode_store(c, BPF_DW, FRAME, VECTOR_PLACE, R2);
	emit_pointers(c, end, cut);
	bpfcode_place(c, cut);
	bpfcode_set(c, R3, SYSCALLEVENTS_CUT);
	bpfcode_jump(c, write);
	bpfcode_place(c, end);
	bpfcode_set(c, R3, 0);
	bpfcode_place(c, write);
	bpfcode_store(c, BPF_DW, R6, AT(n_pointers), R9);
	bpfcode_load(c, BPF_DW, R9, R6, AT(n_pointers));
	bpfcode_load(c, BPF_DW, R1, FRAME, VECTOR_PLACE);
	bpfcode_store(c, BPF_DW, R1, AT(memory) + 0, R7);
	bpfcode_store(c, BPF_B, R1, AT(memory) + 11, R3);
	bpfcode_load(c, BPF_DW, R2, R6, AT(phase));
	bpfcode_store(c, BPF_B, R1, AT(memory) + 10, R2);
	bpfcode_store_number(c, BPF_W, R1, AT(memory) + 12, 0);
	bpfcode_move(c, R2, R9);
	bpfcode_alu_number(c, BPF_LSH, R2, 3);
	bpfcode_store(c, BPF_H, R1, AT(memory) + 8, R2);
	bpfcode_load(c, BPF_DW, R1, FRAME, VECTOR_USED);
	bpfcode_alu(c, BPF_ADD, R1, R2);
	bpfcode_alu_number(c, BPF_ADD, R1, HEADER);
	bpfcode_store(c, BPF_DW, R6, AT(used), R1);
	bpfcode_load(c, BPF_DW, R1, R6, AT(piece_max));
	bpfcode_jump_if(c, BPF_JEQ, R1, 0, out);
	emit_each_string(c, parts, out);
	bpfcode_place(c, out);
	emit_return(c, 0);
}

/*
 * --- rows --------------------------------------------------------------------------------------
 */

enum {
	ROW_PHASE = FUNCTION_STACK - 8,
	ROW_RET = FUNCTION_STACK - 16,
	ROW_ADDRESS = FUNCTION_STACK - 24,
	ROW_NUMBER = FUNCTION_STACK - 32, /* the argument that has the length */
	ROW_MAX = FUNCTION_STACK - 40,
	ROW_SIZE = FUNCTION_STACK - 48,
	ROW_TEMP = FUNCTION_STACK - 56,
	ROW_TIMES = FUNCTION_STACK - 64,
	ROW_PAIR = FUNCTION_STACK - 80, /* 16 bytes */
};

#define IN_ROW(field) ((int)offsetof(struct sysrow_copy, field))

/* Goes to `next` unless the row, at r1, is for this phase. */
static void emit_is_due(struct bpfcode *c, unsigned next)
{
	unsigned at_exit = bpfcode_label(c), go = bpfcode_label(c), retry = bpfcode_label(c);

	bpfcode_load(c, BPF_B, R2, R1, IN_ROW(when));
	bpfcode_load(c, BPF_DW, R3, FRAME, ROW_PHASE);
	bpfcode_jump_if(c, BPF_JNE, R3, SYSCALLEVENTS_AT_ENTRY, at_exit);
	bpfcode_jump_if(c, BPF_JNE, R2, SYSCOPY_ENTRY, next);
	bpfcode_jump(c, go);
	bpfcode_place(c, at_exit);
	bpfcode_jump_if(c, BPF_JEQ, R2, SYSCOPY_EXIT, go);
	bpfcode_jump_if(c, BPF_JEQ, R2, SYSCOPY_ENTRY, retry);
	bpfcode_load(c, BPF_DW, R3, FRAME, ROW_RET);
	bpfcode_jump_if(c, BPF_JSLT, R3, 0, next);
	bpfcode_jump(c, go);
	bpfcode_place(c, retry);
	bpfcode_load(c, BPF_DW, R3, R6, AT(retry_rows));
	bpfcode_alu(c, BPF_RSH, R3, R8);
	bpfcode_alu_number(c, BPF_AND, R3, 1);
	bpfcode_jump_if(c, BPF_JEQ, R3, 0, next);
	bpfcode_place(c, go);
}

/* dst = the argument whose number is in reg; goes to `none` if it is no number of one. */
static void emit_arg(struct bpfcode *c, int dst, int reg, unsigned none)
{
	bpfcode_jump_if(c, BPF_JGT, reg, 5, none);
	bpfcode_alu_number(c, BPF_LSH, reg, 3);
	bpfcode_move(c, dst, R6);
	bpfcode_alu(c, BPF_ADD, dst, reg);
	bpfcode_load(c, BPF_DW, dst, dst, AT(record.args));
}

/* Goes to `next` unless the row's condition holds: a command of fcntl(), prctl() … */
static void emit_condition(struct bpfcode *c, unsigned next)
{
	unsigned none = bpfcode_label(c);

	bpfcode_load(c, BPF_B, R2, R1, IN_ROW(places));
	bpfcode_alu_number(c, BPF_RSH, R2, 4);
	emit_arg(c, R3, R2, none);
	bpfcode_load(c, BPF_W, R4, R1, IN_ROW(if_mask));
	bpfcode_alu(c, BPF_AND, R3, R4);
	bpfcode_load(c, BPF_W, R4, R1, IN_ROW(if_value));
	bpfcode_jump_if_reg(c, BPF_JNE, R3, R4, next);
	bpfcode_place(c, none);
}

/* Puts everything about the row at r1 on the stack; r2 = how. */
static void emit_load_row(struct bpfcode *c, unsigned next)
{
	unsigned none = bpfcode_label(c);

	bpfcode_load(c, BPF_B, R2, R1, IN_ROW(places));
	bpfcode_alu_number(c, BPF_AND, R2, 15);
	emit_arg(c, R3, R2, next);
	bpfcode_jump_if(c, BPF_JEQ, R3, 0, next);
	bpfcode_store(c, BPF_DW, FRAME, ROW_ADDRESS, R3);
	bpfcode_store_number(c, BPF_DW, FRAME, ROW_NUMBER, 0);
	bpfcode_load(c, BPF_B, R2, R1, IN_ROW(len_arg));
	emit_arg(c, R3, R2, none);
	bpfcode_store(c, BPF_DW, FRAME, ROW_NUMBER, R3);
	bpfcode_place(c, none);
	bpfcode_load(c, BPF_H, R3, R1, IN_ROW(max));
	bpfcode_store(c, BPF_DW, FRAME, ROW_MAX, R3);
	bpfcode_load(c, BPF_H, R3, R1, IN_ROW(size));
	bpfcode_store(c, BPF_DW, FRAME, ROW_SIZE, R3);
	bpfcode_load(c, BPF_B, R2, R1, IN_ROW(how));
}

struct branches {
	unsigned chunk;	 /* r3 bytes with flags r4 */
	unsigned capped; /* the same, but at most ROW_MAX */
	unsigned next;
};

/* r3 = the value at `from` of the stack, at most `max`, times the size of the row. */
static void emit_times(struct bpfcode *c, int from, int32_t max)
{
	bpfcode_load(c, BPF_DW, R3, FRAME, from);
	emit_cap_number(c, R3, max);
	bpfcode_load(c, BPF_DW, R1, FRAME, ROW_SIZE);
	bpfcode_alu(c, BPF_MUL, R3, R1);
}

static void emit_lenptr(struct bpfcode *c, const struct parts *parts, const struct branches *b)
{
	bpfcode_load(c, BPF_DW, R1, FRAME, ROW_NUMBER);
	bpfcode_jump_if(c, BPF_JEQ, R1, 0, b->next);
	bpfcode_set(c, R2, 4);
	bpfcode_set(c, R3, 0);
	bpfcode_call_label(c, parts->chunk);
	bpfcode_store_number(c, BPF_DW, FRAME, ROW_TEMP, 0);
	bpfcode_move(c, R1, FRAME);
	bpfcode_alu_number(c, BPF_ADD, R1, ROW_TEMP);
	bpfcode_set(c, R2, 4);
	bpfcode_load(c, BPF_DW, R3, FRAME, ROW_NUMBER);
	bpfcode_call(c, BPF_FUNC_probe_read_user);
	bpfcode_load(c, BPF_DW, R3, FRAME, ROW_TEMP);
	bpfcode_set(c, R4, 0);
	bpfcode_jump(c, b->capped);
}

/* The request says how many bytes; of old ones, terminals, sockets and disks are known. */
static void emit_ioc(struct bpfcode *c, const struct branches *b)
{
	static const struct {
		int type, n_bytes;
	} old[] = {{0x54, 60}, {0x89, 40}, {0x12, 16}};

	bpfcode_load(c, BPF_DW, R1, R6, AT(record.args[1]));
	bpfcode_move(c, R3, R1);
	bpfcode_alu_number(c, BPF_RSH, R3, 16);
	bpfcode_alu_number(c, BPF_AND, R3, 0x3fff);
	bpfcode_jump_if(c, BPF_JNE, R3, 0, b->capped);
	bpfcode_alu_number(c, BPF_RSH, R1, 8);
	bpfcode_alu_number(c, BPF_AND, R1, 0xff);
	for (size_t i = 0; i < sizeof(old) / sizeof(*old); i++) {
		bpfcode_set(c, R3, old[i].n_bytes);
		bpfcode_jump_if(c, BPF_JEQ, R1, old[i].type, b->chunk);
	}
	bpfcode_jump(c, b->next);
}

/* A struct msgbuf: a long, then as many bytes as the argument says, or as the call returned. */
static void emit_msgbuf(struct bpfcode *c, const struct branches *b)
{
	unsigned known = bpfcode_label(c);

	bpfcode_load(c, BPF_DW, R3, FRAME, ROW_NUMBER);
	bpfcode_jump_if(c, BPF_JNE, R3, 0, known);
	bpfcode_load(c, BPF_DW, R3, FRAME, ROW_RET);
	bpfcode_jump_if(c, BPF_JSLT, R3, 0, b->next);
	bpfcode_place(c, known);
	emit_cap_number(c, R3, PAGE);
	bpfcode_alu_number(c, BPF_ADD, R3, 8);
	bpfcode_jump(c, b->capped);
}

/*
 * A struct of 16 bytes: a pointer at `pointer` and a length at `length`, times 2^shift. Copies it,
 * then what it points to.
 */
static void emit_pointed(struct bpfcode *c, const struct parts *parts, const struct branches *b,
			 int pointer, int length, int size, int shift)
{
	bpfcode_load(c, BPF_DW, R1, FRAME, ROW_ADDRESS);
	bpfcode_set(c, R2, 16);
	bpfcode_set(c, R3, 0);
	bpfcode_call_label(c, parts->chunk);
	bpfcode_move(c, R1, FRAME);
	bpfcode_alu_number(c, BPF_ADD, R1, ROW_PAIR);
	bpfcode_set(c, R2, 16);
	bpfcode_load(c, BPF_DW, R3, FRAME, ROW_ADDRESS);
	bpfcode_call(c, BPF_FUNC_probe_read_user);
	bpfcode_jump_if(c, BPF_JNE, R0, 0, b->next);
	bpfcode_load(c, BPF_DW, R2, FRAME, ROW_PAIR + pointer);
	bpfcode_jump_if(c, BPF_JEQ, R2, 0, b->next);
	bpfcode_store(c, BPF_DW, FRAME, ROW_ADDRESS, R2);
	bpfcode_load(c, size, R3, FRAME, ROW_PAIR + length);
	emit_cap_number(c, R3, PAGE);
	bpfcode_alu_number(c, BPF_LSH, R3, shift);
	bpfcode_set(c, R4, 0);
	bpfcode_jump(c, b->capped);
}

/* The vector of pointers, then what the first few point to. */
static void emit_iocbs(struct bpfcode *c, const struct parts *parts, const struct branches *b)
{
	bpfcode_load(c, BPF_DW, R1, FRAME, ROW_ADDRESS);
	bpfcode_load(c, BPF_DW, R2, FRAME, ROW_NUMBER);
	emit_cap_number(c, R2, IOCBS_MAX);
	bpfcode_alu_number(c, BPF_LSH, R2, 3);
	bpfcode_set(c, R3, 0);
	bpfcode_call_label(c, parts->chunk);
	for (int i = 0; i < IOCBS_MAX; i++) {
		bpfcode_load(c, BPF_DW, R1, FRAME, ROW_NUMBER);
		bpfcode_jump_if(c, BPF_JLE, R1, i, b->next);
		bpfcode_move(c, R1, FRAME);
		bpfcode_alu_number(c, BPF_ADD, R1, ROW_PAIR);
		bpfcode_set(c, R2, 8);
		bpfcode_load(c, BPF_DW, R3, FRAME, ROW_ADDRESS);
		bpfcode_alu_number(c, BPF_ADD, R3, 8 * i);
		bpfcode_call(c, BPF_FUNC_probe_read_user);
		bpfcode_jump_if(c, BPF_JNE, R0, 0, b->next);
		bpfcode_load(c, BPF_DW, R1, FRAME, ROW_PAIR);
		bpfcode_set(c, R2, IOCB_BYTES);
		bpfcode_set(c, R3, 0);
		bpfcode_call_label(c, parts->chunk);
	}
	bpfcode_jump(c, b->next);
}

/* reg = how many bytes of all pieces count: those that the call returned, or all. */
static void emit_total(struct bpfcode *c, int reg, bool is_returned)
{
	unsigned ok = bpfcode_label(c);

	if (!is_returned) {
		bpfcode_set(c, reg, INT32_MAX);
		return;
	}
	bpfcode_load(c, BPF_DW, reg, FRAME, ROW_RET);
	bpfcode_jump_if(c, BPF_JSGT, reg, 0, ok);
	bpfcode_set(c, reg, 0);
	bpfcode_place(c, ok);
}

static void emit_iovec_row(struct bpfcode *c, const struct parts *parts, const struct branches *b,
			   bool is_returned)
{
	emit_total(c, R4, is_returned);
	bpfcode_load(c, BPF_DW, R1, FRAME, ROW_ADDRESS);
	bpfcode_load(c, BPF_DW, R2, FRAME, ROW_NUMBER);
	bpfcode_load(c, BPF_DW, R3, FRAME, ROW_MAX);
	bpfcode_call_label(c, parts->iovec);
	bpfcode_jump(c, b->next);
}

/* r3: limit of all pieces. */
static void emit_call_msghdr(struct bpfcode *c, const struct parts *parts, int n_bytes)
{
	bpfcode_load(c, BPF_DW, R1, FRAME, ROW_ADDRESS);
	bpfcode_load(c, BPF_DW, R2, FRAME, ROW_MAX);
	bpfcode_set(c, R4, n_bytes);
	bpfcode_call_label(c, parts->msghdr);
}

static void emit_msghdr_row(struct bpfcode *c, const struct parts *parts, const struct branches *b)
{
	unsigned at_exit = bpfcode_label(c), go = bpfcode_label(c);

	bpfcode_load(c, BPF_DW, R1, FRAME, ROW_PHASE);
	bpfcode_jump_if(c, BPF_JNE, R1, SYSCALLEVENTS_AT_ENTRY, at_exit);
	emit_total(c, R3, false);
	bpfcode_jump(c, go);
	bpfcode_place(c, at_exit);
	emit_total(c, R3, true);
	bpfcode_place(c, go);
	emit_call_msghdr(c, parts, MSGHDR_BYTES);
	bpfcode_jump(c, b->next);
}

/* A few messages: as many as there are, or as the call returned. */
static void emit_messages_row(struct bpfcode *c, const struct parts *parts,
			      const struct branches *b)
{
	unsigned known = bpfcode_label(c);

	bpfcode_load(c, BPF_DW, R1, FRAME, ROW_PHASE);
	bpfcode_load(c, BPF_DW, R2, FRAME, ROW_NUMBER);
	bpfcode_jump_if(c, BPF_JEQ, R1, SYSCALLEVENTS_AT_ENTRY, known);
	bpfcode_load(c, BPF_DW, R2, FRAME, ROW_RET);
	bpfcode_place(c, known);
	bpfcode_store(c, BPF_DW, FRAME, ROW_TIMES, R2);
	for (int i = 0; i < MESSAGES_MAX; i++) {
		bpfcode_load(c, BPF_DW, R1, FRAME, ROW_TIMES);
		bpfcode_jump_if(c, BPF_JSLE, R1, i, b->next);
		emit_total(c, R3, false);
		emit_call_msghdr(c, parts, MMSGHDR_BYTES);
		bpfcode_load(c, BPF_DW, R1, FRAME, ROW_ADDRESS);
		bpfcode_alu_number(c, BPF_ADD, R1, MMSGHDR_BYTES);
		bpfcode_store(c, BPF_DW, FRAME, ROW_ADDRESS, R1);
	}
	bpfcode_jump(c, b->next);
}

static void emit_strings_row(struct bpfcode *c, const struct parts *parts, const struct branches *b,
			     bool with_strings)
{
	bpfcode_load(c, BPF_DW, R1, FRAME, ROW_ADDRESS);
	bpfcode_load(c, BPF_DW, R2, FRAME, ROW_SIZE);
	if (with_strings)
		bpfcode_load(c, BPF_DW, R3, FRAME, ROW_MAX);
	else
		bpfcode_set(c, R3, 0);
	bpfcode_call_label(c, parts->strings);
	bpfcode_jump(c, b->next);
}

/* One kind of copy. */
static void emit_how(struct bpfcode *c, enum syscopy_how how, const struct parts *parts,
		     const struct branches *b)
{
	bpfcode_set(c, R4, how == SYSCOPY_STRING ? SYSCODE_STRING : 0);
	switch (how) {
	case SYSCOPY_STRING:
		bpfcode_load(c, BPF_DW, R3, FRAME, ROW_MAX);
		bpfcode_jump(c, b->chunk);
		return;
	case SYSCOPY_FIXED:
		bpfcode_load(c, BPF_DW, R3, FRAME, ROW_SIZE);
		bpfcode_jump(c, b->chunk);
		return;
	case SYSCOPY_BYTES:
		bpfcode_load(c, BPF_DW, R3, FRAME, ROW_NUMBER);
		bpfcode_jump(c, b->capped);
		return;
	case SYSCOPY_ARRAY:
		emit_times(c, ROW_NUMBER, PAGE);
		bpfcode_jump(c, b->capped);
		return;
	case SYSCOPY_RETURNED:
		bpfcode_load(c, BPF_DW, R3, FRAME, ROW_RET);
		bpfcode_jump_if(c, BPF_JSLE, R3, 0, b->next);
		emit_times(c, ROW_RET, 1 << 20);
		bpfcode_jump(c, b->capped);
		return;
	case SYSCOPY_BITS:
		bpfcode_load(c, BPF_DW, R3, FRAME, ROW_NUMBER);
		emit_cap_number(c, R3, 1 << 20);
		bpfcode_alu_number(c, BPF_ADD, R3, 63);
		bpfcode_alu_number(c, BPF_RSH, R3, 6);
		bpfcode_alu_number(c, BPF_LSH, R3, 3);
		bpfcode_jump(c, b->capped);
		return;
	case SYSCOPY_LENPTR:
		emit_lenptr(c, parts, b);
		return;
	case SYSCOPY_IOC:
		emit_ioc(c, b);
		return;
	case SYSCOPY_RETURNED_ALL:
		bpfcode_load(c, BPF_DW, R3, FRAME, ROW_RET);
		bpfcode_jump_if(c, BPF_JSLE, R3, 0, b->next);
		bpfcode_jump(c, b->capped);
		return;
	case SYSCOPY_MSGBUF:
		emit_msgbuf(c, b);
		return;
	case SYSCOPY_SIGSETPACK:
		emit_pointed(c, parts, b, 0, 8, BPF_DW, 0);
		return;
	case SYSCOPY_SOCKFPROG:
		emit_pointed(c, parts, b, 8, 0, BPF_H, 3);
		return;
	case SYSCOPY_IFCONF:
		emit_pointed(c, parts, b, 8, 0, BPF_W, 0);
		return;
	case SYSCOPY_MINCORE:
		bpfcode_load(c, BPF_DW, R3, FRAME, ROW_NUMBER);
		bpfcode_alu_number(c, BPF_ADD, R3, PAGE - 1);
		bpfcode_alu_number(c, BPF_RSH, R3, 12);
		bpfcode_jump(c, b->capped);
		return;
	case SYSCOPY_IOCBS:
		emit_iocbs(c, parts, b);
		return;
	case SYSCOPY_IOVEC:
	case SYSCOPY_IOVEC_IN:
		emit_iovec_row(c, parts, b, how == SYSCOPY_IOVEC_IN);
		return;
	case SYSCOPY_MSGHDR:
		emit_msghdr_row(c, parts, b);
		return;
	case SYSCOPY_MMSGHDR:
		emit_messages_row(c, parts, b);
		return;
	case SYSCOPY_STRINGS:
	case SYSCOPY_POINTERS:
		emit_strings_row(c, parts, b, how == SYSCOPY_STRINGS);
		return;
	case SYSCOPY_HOWS:
		return;
	}
}

/* row(index, bit of its failure): what must be copied now is copied */
static void emit_one_row(struct bpfcode *c, const struct sysprograms *p, const struct parts *parts)
{
	struct branches b = {bpfcode_label(c), bpfcode_label(c), bpfcode_label(c)};
	unsigned none_failed = bpfcode_label(c);
	unsigned hows[SYSCOPY_HOWS];

	emit_function(c, parts, parts->row, 2);
	bpfcode_jump_if(c, BPF_JGE, R8, SYSCOPIES_MAX, none_failed);
	bpfcode_load(c, BPF_DW, R1, R6, AT(phase));
	bpfcode_store(c, BPF_DW, FRAME, ROW_PHASE, R1);
	bpfcode_load(c, BPF_DW, R1, R6, AT(record.ret));
	bpfcode_store(c, BPF_DW, FRAME, ROW_RET, R1);
	bpfcode_store_number(c, BPF_DW, R6, AT(n_failed), 0);
	bpfcode_alu_number(c, BPF_AND, R7, SYSROW_COPIES - 1);
	bpfcode_alu_number(c, BPF_LSH, R7, SYSROW_COPY_SHIFT);
	bpfcode_set_row(c, R1, p->rows.fd);
	bpfcode_alu(c, BPF_ADD, R1, R7);
	bpfcode_alu_number(c, BPF_ADD, R1, (int)offsetof(struct sysrows, copies));
	emit_is_due(c, b.next);
	emit_condition(c, b.next);
	emit_load_row(c, b.next);
	for (int how = 0; how < SYSCOPY_HOWS; how++) {
		hows[how] = bpfcode_label(c);
		bpfcode_jump_if(c, BPF_JEQ, R2, how, hows[how]);
	}
	bpfcode_jump(c, b.next);
	for (int how = 0; how < SYSCOPY_HOWS; how++) {
		bpfcode_place(c, hows[how]);
		emit_how(c, how, parts, &b);
	}
	bpfcode_place(c, b.capped);
	bpfcode_load(c, BPF_DW, R1, FRAME, ROW_MAX);
	emit_cap(c, R3, R1, R4);
	bpfcode_place(c, b.chunk);
	bpfcode_load(c, BPF_DW, R1, FRAME, ROW_ADDRESS);
	bpfcode_move(c, R2, R3);
	bpfcode_move(c, R3, R4);
	bpfcode_call_label(c, parts->chunk);
	bpfcode_place(c, b.next);
	bpfcode_load(c, BPF_DW, R1, R6, AT(n_failed));
	bpfcode_jump_if(c, BPF_JEQ, R1, 0, none_failed);
	bpfcode_set(c, R1, 1);
	bpfcode_alu(c, BPF_LSH, R1, R8);
	bpfcode_load(c, BPF_DW, R2, R6, AT(failed_rows));
	bpfcode_alu(c, BPF_OR, R2, R1);
	bpfcode_store(c, BPF_DW, R6, AT(failed_rows), R2);
	bpfcode_place(c, none_failed);
	emit_return(c, 0);
}

void syscode_emit_copies(struct bpfcode *c, const struct sysprograms *p, unsigned label)
{
	struct parts parts = {label,
			      bpfcode_label(c),
			      bpfcode_label(c),
			      bpfcode_label(c),
			      bpfcode_label(c),
			      p->scratch.fd};

	emit_one_row(c, p, &parts);
	emit_iovec(c, &parts);
	emit_msghdr(c, &parts);
	emit_strings(c, &parts);
	emit_chunk(c, &parts);
}

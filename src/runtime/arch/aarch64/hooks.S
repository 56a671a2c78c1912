/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * hooks.S - the code that runs at every traced call and return, for aarch64.
 *
 * As for x86-64 (see ../x86_64/hooks.S for the rules about signals), the two hooks are templates
 * that hooks_write() copies into the first page of each area.
 *
 *	enter: x17 is the return address of the call, x30 is thunk + 8
 *	leave: the body has returned; sp is the slot
 *
 * Both save x9-x15 in a frame of 64 bytes below the slot. All other registers stay as they were,
 * except x16, x17 and the flags: a call may change these anyway, since the linker may put a veneer
 * in between. The last word of the frame holds the return address (arch_return_address()).
 *
 * The calls and returns stay paired for the processor: caller `bl` … leave `ret`, thunk `bl enter`
 * … `ret`, thunk `bl body` … `ret`.
 */
#define T_HEAD	     0
#define T_SHADOW     8
#define T_STACK_LOW  16
#define T_SHADOW_END 24
#define T_CPU_PTR    32
#define T_CPU	     40
#define T_LIMIT	     128
#define E_SLOT	     0
#define E_RET	     8
#define E_ID	     16
#define E_BYTES	     24
#define RING_MASK    0x1fffff
#define ID_AT	     12	/* the thunk's id, from thunk + 8 */
#define EXIT_BIT     0x80000
#define FRAME	     64
#define SAVED	     112

	.text
	.globl snrt_enter_begin, snrt_enter_tls, snrt_enter_slow_at, snrt_enter_end
	.globl snrt_leave_begin, snrt_leave_tls, snrt_leave_slow_at, snrt_leave_end
	.globl snrt_ruled_begin, snrt_ruled_slow_at, snrt_ruled_end
	.globl snrt_enter_slow, snrt_leave_slow
	.hidden snrt_enter_begin, snrt_enter_tls, snrt_enter_slow_at, snrt_enter_end
	.hidden snrt_leave_begin, snrt_leave_tls, snrt_leave_slow_at, snrt_leave_end
	.hidden snrt_ruled_begin, snrt_ruled_slow_at, snrt_ruled_end
	.hidden snrt_enter_slow, snrt_leave_slow, snrt_slow_enter, snrt_slow_leave

	.macro save_scratch
	sub	sp, sp, #FRAME
	stp	x9, x10, [sp]
	stp	x11, x12, [sp, #16]
	stp	x13, x14, [sp, #32]
	stp	x15, x17, [sp, #48]
	.endm
	.macro restore_scratch
	ldp	x9, x10, [sp]
	ldp	x11, x12, [sp, #16]
	ldp	x13, x14, [sp, #32]
	ldp	x15, x17, [sp, #48]
	add	sp, sp, #FRAME
	.endm

/* Branches to the label if the ring has no room: x15 the thread. Uses x9, x10. */
	.macro check_room label
	ldr	x9, [x15, #T_HEAD]
	ldr	x10, [x15, #T_LIMIT]
	cmp	x9, x10
	b.hs	\label
	.endm

/* Stores a record: x15 the thread, w11 what happened. Uses x9, x10, x12, x13. */
	.macro store_record
	mrs	x9, cntvct_el0
	orr	x9, x11, x9, lsl #20
5:	ldxr	x10, [x15]
	add	x12, x10, #8
	stxr	w13, x12, [x15]
	cbnz	w13, 5b
	and	x10, x10, #RING_MASK
	add	x12, x15, #1, lsl #12	/* the ring follows the thread's page */
	str	x9, [x12, x10]
	.endm

	.balign	64
snrt_enter_begin:
	save_scratch
	mrs	x15, tpidr_el0
	ldr	x9, snrt_enter_tls
	ldr	x15, [x15, x9]
	cbz	x15, 9f
	ldr	x13, [x15, #T_SHADOW]
	add	x14, sp, #FRAME
	ldr	x9, [x13, #E_SLOT]
	cmp	x9, x14
	b.ls	9f			/* not inside the call on top */
	ldr	x9, [x15, #T_STACK_LOW]
	cmp	x14, x9
	b.lo	9f			/* another stack */
	ldr	x9, [x15, #T_SHADOW_END]
	cmp	x13, x9
	b.hs	9f
	ldr	x9, [x15, #T_CPU_PTR]
	ldr	w9, [x9]
	ldr	w10, [x15, #T_CPU]
	cmp	w9, w10
	b.ne	9f
	check_room 9f
	add	x13, x13, #E_BYTES
	str	x13, [x15, #T_SHADOW]
	stp	x14, x17, [x13, #E_SLOT]
	ldr	w11, [x30, #ID_AT]
	str	w11, [x13, #E_ID]
	store_record
	restore_scratch
	ret
9:	ldr	x16, snrt_enter_slow_at
	br	x16
	.balign	8
snrt_enter_tls:
	.quad	0
snrt_enter_slow_at:
	.quad	0
snrt_enter_end:

/* enter, where a rule counts: always the slow way. */
	.balign	8
snrt_ruled_begin:
	save_scratch
	ldr	x16, snrt_ruled_slow_at
	br	x16
	.balign	8
snrt_ruled_slow_at:
	.quad	0
snrt_ruled_end:

	.balign	64
snrt_leave_begin:
	save_scratch
	mrs	x15, tpidr_el0
	ldr	x9, snrt_leave_tls
	ldr	x15, [x15, x9]
	ldr	x13, [x15, #T_SHADOW]
	add	x14, sp, #FRAME
	ldr	x9, [x13, #E_SLOT]
	cmp	x9, x14
	b.ne	9f
	check_room 9f
	ldr	x30, [x13, #E_RET]
	ldr	w11, [x13, #E_ID]
	str	wzr, [x13, #E_ID]
	sub	x13, x13, #E_BYTES
	str	x13, [x15, #T_SHADOW]
	orr	w11, w11, #EXIT_BIT
	store_record
	restore_scratch
	ret
9:	ldr	x16, snrt_leave_slow_at
	br	x16
	.balign	8
snrt_leave_tls:
	.quad	0
snrt_leave_slow_at:
	.quad	0
snrt_leave_end:

/* --- the slow ways, in the library itself ------------------------------------------------------ */

/* The C code uses general registers only. */
	.macro save_rest
	stp	x29, x30, [sp, #-SAVED]!
	mov	x29, sp
	stp	x0, x1, [sp, #16]
	stp	x2, x3, [sp, #32]
	stp	x4, x5, [sp, #48]
	stp	x6, x7, [sp, #64]
	stp	x8, x18, [sp, #80]
	.endm
	.macro restore_rest
	ldp	x0, x1, [sp, #16]
	ldp	x2, x3, [sp, #32]
	ldp	x4, x5, [sp, #48]
	ldp	x6, x7, [sp, #64]
	ldp	x8, x18, [sp, #80]
	ldp	x29, x30, [sp], #SAVED
	.endm

snrt_enter_slow:
	save_rest
	add	x0, sp, #SAVED + FRAME
	mov	x1, x30
	bl	snrt_slow_enter
	mov	x16, x0
	restore_rest
	restore_scratch
	cbnz	x16, 1f
	ret
1:	mov	x30, x17		/* not traced: on to the body, not to the thunk */
	br	x16

snrt_leave_slow:
	save_rest
	add	x0, sp, #SAVED + FRAME
	bl	snrt_slow_leave
	mov	x16, x0
	restore_rest
	restore_scratch
	mov	x30, x16
	ret

	.section .note.GNU-stack,"",@progbits

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * values.S - the hooks of functions whose arguments or return value are recorded.
 *
 * They store the registers where a program (snrt.h) finds them, by DWARF number, and call C code,
 * which uses general registers only. So the floating point registers need not be restored.
 *
 * enter_values, called by a thunk:       leave_values, reached by a jump:
 *
 *	216(%rsp)  return address, "slot"     208(%rsp)  the slot, free
 *	208(%rsp)  thunk + 5
 *	  0(%rsp)  the registers                0(%rsp)  the registers
 */
#define REGS_BYTES 208
#define RAX 0
#define RDX 8
#define RCX 16
#define RBX 24
#define RSI 32
#define RDI 40
#define RBP 48
#define RSP 56
#define R8  64
#define XMM0 136
#define PROGRAM 24		/* SNRT_THUNK_PROGRAM */
#define FLAGS 6			/* in struct snrt_program */
#define IS_GENERAL 1		/* SNRT_PROGRAM_GENERAL */

	.text
	.globl snrt_jump_begin, snrt_jump_at, snrt_jump_end
	.globl snrt_enter_values, snrt_leave_values, snrt_read_st0
	.hidden snrt_jump_begin, snrt_jump_at, snrt_jump_end
	.hidden snrt_enter_values, snrt_leave_values, snrt_read_st0
	.hidden snrt_values_enter, snrt_values_leave

/* What an area has of these hooks. */
	.balign	8
snrt_jump_begin:
	jmp	*snrt_jump_at(%rip)
	.balign	8
snrt_jump_at:
	.quad	0
snrt_jump_end:

/* What C code may change, and rbp, which we change ourselves. */
	.macro save_changing
	mov	%rax, RAX(%rsp)
	mov	%rdx, RDX(%rsp)
	mov	%rcx, RCX(%rsp)
	mov	%rsi, RSI(%rsp)
	mov	%rdi, RDI(%rsp)
	mov	%rbp, RBP(%rsp)
	mov	%r8, R8(%rsp)
	mov	%r9, R8+8(%rsp)
	mov	%r10, R8+16(%rsp)
	mov	%r11, R8+24(%rsp)
	.endm
	.macro save_others
	mov	%rbx, RBX(%rsp)
	mov	%r12, R8+32(%rsp)
	mov	%r13, R8+40(%rsp)
	mov	%r14, R8+48(%rsp)
	mov	%r15, R8+56(%rsp)
	.endm
/* C code keeps the others. */
	.macro restore_general
	mov	RAX(%rsp), %rax
	mov	RDX(%rsp), %rdx
	mov	RCX(%rsp), %rcx
	mov	RSI(%rsp), %rsi
	mov	RDI(%rsp), %rdi
	mov	R8(%rsp), %r8
	mov	R8+8(%rsp), %r9
	mov	R8+16(%rsp), %r10
	mov	R8+24(%rsp), %r11
	.endm
	.macro call_c function
	mov	%rsp, %rbp
	and	$-16, %rsp
	cld
	call	\function
	mov	%rbp, %rsp
	mov	RBP(%rsp), %rbp
	.endm

	.balign	64
snrt_enter_values:
	lea	-REGS_BYTES(%rsp), %rsp
	save_changing
	save_others
	mov	REGS_BYTES(%rsp), %rsi
	mov	PROGRAM-5(%rsi), %eax	/* without a program the flag means nothing */
	testb	$IS_GENERAL, FLAGS-5(%rsi,%rax)
	jne	2f
	movq	%xmm0, XMM0(%rsp)
	movq	%xmm1, XMM0+8(%rsp)
	movq	%xmm2, XMM0+16(%rsp)
	movq	%xmm3, XMM0+24(%rsp)
	movq	%xmm4, XMM0+32(%rsp)
	movq	%xmm5, XMM0+40(%rsp)
	movq	%xmm6, XMM0+48(%rsp)
	movq	%xmm7, XMM0+56(%rsp)
2:	mov	%rsp, %rdi
	lea	REGS_BYTES+8(%rsp), %rdx
	mov	%rdx, RSP(%rsp)
	call_c	snrt_values_enter
	test	%rax, %rax
	je	1f
	mov	%rax, REGS_BYTES(%rsp)	/* not traced: on to the body, not to the thunk */
1:	restore_general
	lea	REGS_BYTES(%rsp), %rsp
	ret

	.balign	64
snrt_leave_values:
	lea	-REGS_BYTES-8(%rsp), %rsp
	save_changing		/* values are returned in rax, rdx, xmm0, xmm1 */
	movq	%xmm0, XMM0(%rsp)
	movq	%xmm1, XMM0+8(%rsp)
	mov	%rsp, %rdi
	lea	REGS_BYTES(%rsp), %rsi
	mov	%rsi, RSP(%rsp)
	call_c	snrt_values_leave
	mov	%rax, REGS_BYTES(%rsp)
	restore_general
	lea	REGS_BYTES(%rsp), %rsp
	ret

/* Stored and loaded again: the only way that does not need a second x87 register. */
snrt_read_st0:
	fstpt	(%rdi)
	fldt	(%rdi)
	ret

	.section .note.GNU-stack,"",@progbits

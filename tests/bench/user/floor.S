/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * floor.S - fib with the least that a tracer of calls and returns does on x86-64, so that others can be compared with
 * it: two reads of the counter, the return address in a stack of its own, and no register changed. Nothing is
 * recorded and nothing is checked. All calls of fib go to traced_fib.
 */
	.bss
	.balign	64
shadow:	.skip	65536

	.data
	.balign	64
top:	.quad	shadow

	.text
	.macro read_counter
	push	%rax
	push	%rdx
	rdtsc
	pop	%rdx
	pop	%rax
	.endm

	.balign	64
enter:	push	%rax
	push	%rcx
	mov	top(%rip), %rax
	mov	24(%rsp), %rcx
	mov	%rcx, (%rax)
	add	$8, %rax
	mov	%rax, top(%rip)
	read_counter
	pop	%rcx
	pop	%rax
	ret

	.balign	64
leave:	lea	-8(%rsp), %rsp
	push	%rax
	push	%rcx
	mov	top(%rip), %rax
	sub	$8, %rax
	mov	%rax, top(%rip)
	mov	(%rax), %rcx
	mov	%rcx, 16(%rsp)
	read_counter
	pop	%rcx
	pop	%rax
	ret

	.balign	32
thunk:	call	enter
	lea	8(%rsp), %rsp
	call	fib
	jmp	leave

	.globl	traced_fib
	.balign	16
traced_fib:
	jmp	thunk

	.section .note.GNU-stack,"",@progbits

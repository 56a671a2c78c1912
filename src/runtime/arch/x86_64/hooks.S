/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * hooks.S - the code that runs at every traced call and return.
 *
 * The two hooks are templates: hooks_write() (hooks.c) copies them into the first page of each
 * area, next to the traced code, and fills in the place of the thread's variable and the addresses
 * of the slow ways.
 *
 * enter, called by a thunk:        leave, reached by a jump when the body has returned:
 *
 *	 32(%rsp)  return address, "slot"      32(%rsp)  the slot, free
 *	 24(%rsp)  thunk + 5                   24 … 0    rax rcx rdx rsi
 *	 16 … 0    rax rcx rdx
 *
 * A caller may keep values in any register over a call of a function that it knows (-fipa-ra), so
 * every register stays as it was, except the flags.
 *
 * Signals. A handler may run between any two instructions and call traced functions itself. Each
 * such call leaves the shadow stack and `head` as it found them or, for head, higher. So:
 *  - a new entry of the shadow stack is reserved first (one add) and filled afterwards. Its `id` is
 *    0 until then: leave clears the id before it drops an entry. A handler that finds id 0 on top
 *    knows that the slot there means nothing yet, and puts its own entry above.
 *  - a place in the ring is reserved by one xadd; the checks leave room for handlers
 *    (SNRT_RING_SPARE).
 *
 * Cost: two reads of the counter, 8 to 10 ns each, and 1 ns: all else runs beside the reads. Other orders
 * of the instructions, a place reserved without xadd, prefetches and stores past the cache gained nothing.
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
#define RING_AT	     4096
#define RING_MASK    0x1fffff
#define ID_AT	     15	/* the thunk's id, from thunk + 5 */
#define EXIT_BIT     0x80000

	.text
	.globl snrt_enter_begin, snrt_enter_tls, snrt_enter_slow_at, snrt_enter_end
	.globl snrt_leave_begin, snrt_leave_tls, snrt_leave_slow_at, snrt_leave_end
	.globl snrt_ruled_begin, snrt_ruled_slow_at, snrt_ruled_end
	.globl snrt_enter_slow, snrt_leave_slow, snrt_remove_slow
	.hidden snrt_enter_begin, snrt_enter_tls, snrt_enter_slow_at, snrt_enter_end
	.hidden snrt_leave_begin, snrt_leave_tls, snrt_leave_slow_at, snrt_leave_end
	.hidden snrt_ruled_begin, snrt_ruled_slow_at, snrt_ruled_end
	.hidden snrt_enter_slow, snrt_leave_slow, snrt_slow_enter, snrt_slow_leave
	.hidden snrt_remove_slow, snrt_remove

#ifdef SNRT_IS_ATTACHED
	.globl snrt_enter_key, snrt_leave_key
	.hidden snrt_enter_key, snrt_leave_key
#endif

/* Stores a record: rcx the thread, esi what happened. Uses rax, rdx. */
	.macro store_record
	rdtsc
	shl	$20, %rax
	shl	$52, %rdx
	or	%rsi, %rax
	or	%rdx, %rax
	mov	$8, %edx
	xadd	%rdx, T_HEAD(%rcx)
	and	$RING_MASK, %edx
	mov	%rax, RING_AT(%rcx,%rdx)
	.endm

	.balign	64
snrt_enter_begin:
	push	%rax
	push	%rcx
	push	%rdx
#ifdef SNRT_IS_ATTACHED
	mov	%fs:0x2d0, %edx		/* SNRT_TCB_TID */
	cmp	%edx, %fs:0x7fffffff
snrt_enter_key:
	jne	9f			/* the variables of another thread */
#endif
	mov	%fs:0x7fffffff, %rcx
snrt_enter_tls:
	test	%rcx, %rcx
	je	9f
	lea	32(%rsp), %rdx
	mov	T_SHADOW(%rcx), %rax
	cmp	%rdx, E_SLOT(%rax)
	jbe	9f			/* not inside the call on top */
	cmp	T_STACK_LOW(%rcx), %rdx
	jb	9f			/* another stack */
	cmp	T_SHADOW_END(%rcx), %rax
	jae	9f
	mov	T_CPU_PTR(%rcx), %rdx
	mov	(%rdx), %edx
	cmp	T_CPU(%rcx), %edx
	jne	9f
	mov	T_HEAD(%rcx), %rdx
	cmp	T_LIMIT(%rcx), %rdx
	jae	9f
	push	%rsi
	addq	$E_BYTES, T_SHADOW(%rcx)
	lea	40(%rsp), %rsi
	mov	(%rsi), %rdx
	mov	%rsi, E_BYTES+E_SLOT(%rax)
	mov	%rdx, E_BYTES+E_RET(%rax)
	mov	32(%rsp), %rdx
	mov	ID_AT(%rdx), %esi
	mov	%esi, E_BYTES+E_ID(%rax)
	store_record
	pop	%rsi
	pop	%rdx
	pop	%rcx
	pop	%rax
	ret
9:	jmp	*snrt_enter_slow_at(%rip)
	.balign	8
snrt_enter_slow_at:
	.quad	0
snrt_enter_end:

/* enter, where a rule counts, or where the hook is to go: always a slow way. */
	.balign	8
snrt_ruled_begin:
	push	%rax
	push	%rcx
	push	%rdx
	jmp	*snrt_ruled_slow_at(%rip)
	.balign	8
snrt_ruled_slow_at:
	.quad	0
snrt_ruled_end:

	.balign	64
snrt_leave_begin:
	lea	-8(%rsp), %rsp
	push	%rax
	push	%rcx
	push	%rdx
	push	%rsi
#ifdef SNRT_IS_ATTACHED
	mov	%fs:0x2d0, %edx
	cmp	%edx, %fs:0x7fffffff
snrt_leave_key:
	jne	9f
#endif
	mov	%fs:0x7fffffff, %rcx
snrt_leave_tls:
	mov	T_SHADOW(%rcx), %rax
	lea	32(%rsp), %rdx
	cmp	%rdx, E_SLOT(%rax)
	jne	9f
	mov	T_HEAD(%rcx), %rdx
	cmp	T_LIMIT(%rcx), %rdx
	jae	9f
	mov	E_RET(%rax), %rdx
	mov	E_ID(%rax), %esi
	mov	%rdx, 32(%rsp)
	movl	$0, E_ID(%rax)
	subq	$E_BYTES, T_SHADOW(%rcx)
	or	$EXIT_BIT, %esi
	store_record
	pop	%rsi
	pop	%rdx
	pop	%rcx
	pop	%rax
	ret
9:	jmp	*snrt_leave_slow_at(%rip)
	.balign	8
snrt_leave_slow_at:
	.quad	0
snrt_leave_end:

/* --- the slow ways, in the library itself ------------------------------------------------------ */

	.macro save_rest
	push	%rdi
	push	%r8
	push	%r9
	push	%r10
	push	%r11
	.endm
	.macro restore_rest
	pop	%r11
	pop	%r10
	pop	%r9
	pop	%r8
	pop	%rdi
	.endm
/* C code wants an aligned stack; it uses general registers only. */
	.macro call_c function
	push	%rbp
	mov	%rsp, %rbp
	and	$-16, %rsp
	cld
	call	\function
	mov	%rbp, %rsp
	pop	%rbp
	.endm

/* As enter left it: rdx, rcx, rax, thunk + 5, slot. */
	.macro slow_way function
	push	%rsi
	save_rest
	lea	80(%rsp), %rdi		/* 9 registers, thunk + 5 */
	mov	72(%rsp), %rsi
	call_c	\function
	test	%rax, %rax
	je	1f
	mov	%rax, 72(%rsp)		/* not traced: on to the body, not to the thunk */
1:	restore_rest
	pop	%rsi
	pop	%rdx
	pop	%rcx
	pop	%rax
	ret
	.endm

snrt_enter_slow:
	slow_way snrt_slow_enter

snrt_remove_slow:
	slow_way snrt_remove

/* As leave left it: rsi, rdx, rcx, rax, slot. */
snrt_leave_slow:
	save_rest
	lea	72(%rsp), %rdi		/* 9 registers */
	call_c	snrt_slow_leave
	mov	%rax, 72(%rsp)
	restore_rest
	pop	%rsi
	pop	%rdx
	pop	%rcx
	pop	%rax
	ret

	.section .note.GNU-stack,"",@progbits

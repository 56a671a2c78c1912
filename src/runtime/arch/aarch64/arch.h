/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * arch.h - aarch64: the counter, raw system calls, the thread pointer. For the runtime only.
 *
 * A call leaves the return address in x30, not on the stack. So the slot of a call is the stack
 * pointer at its entry, and the memory there says nothing about the call.
 */
#ifndef SONDE_RUNTIME_ARCH_AARCH64_ARCH_H
#define SONDE_RUNTIME_ARCH_AARCH64_ARCH_H

#include "runtime/snrt.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>

/* DWARF's numbers of the stack pointer and of the return address. */
#define ARCH_DWARF_SP	      31
#define ARCH_DWARF_RA	      30
/* From the stack pointer behind a return to the slot of the call. */
#define ARCH_SLOT_FROM_SP     0
/* The memory at a slot does not show whether its call is still active. */
#define ARCH_SLOT_HAS_ADDRESS false

static inline uint64_t arch_counter(void)
{
	uint64_t counter;

	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(counter));
	return counter;
}

static inline uintptr_t arch_thread_pointer(void)
{
	uintptr_t tp;

	__asm__("mrs %0, tpidr_el0" : "=r"(tp));
	return tp;
}

/* The result, or a negative errno; errno itself stays as it is. */
static inline long arch_syscall(long number, long a, long b, long c, long d, long e, long f)
{
	register long x8 __asm__("x8") = number;
	register long x0 __asm__("x0") = a;
	register long x1 __asm__("x1") = b;
	register long x2 __asm__("x2") = c;
	register long x3 __asm__("x3") = d;
	register long x4 __asm__("x4") = e;
	register long x5 __asm__("x5") = f;

	__asm__ volatile("svc #0"
			 : "+r"(x0)
			 : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
			 : "memory");
	return x0;
}

/* A signal handler sees the addition done or not begun: an exception clears the reservation. */
static inline uint64_t arch_reserve(uint64_t *head, uint64_t n_bytes)
{
	uint64_t old, new_;
	uint32_t failed;

	__asm__ volatile("1: ldxr %0, %3\n"
			 "   add  %1, %0, %4\n"
			 "   stxr %w2, %1, %3\n"
			 "   cbnz %w2, 1b\n"
			 : "=&r"(old), "=&r"(new_), "=&r"(failed), "+Q"(*head)
			 : "r"(n_bytes)
			 : "memory");
	return old;
}

/* Likewise: replaces `old`; false: it has another value. */
static inline bool arch_replace(uint64_t *head, uint64_t old, uint64_t new_)
{
	uint64_t seen;
	uint32_t failed;

	__asm__ volatile("1: ldxr %0, %2\n"
			 "   cmp  %0, %3\n"
			 "   b.ne 2f\n"
			 "   stxr %w1, %4, %2\n"
			 "   cbnz %w1, 1b\n"
			 "2:\n"
			 : "=&r"(seen), "=&r"(failed), "+Q"(*head)
			 : "r"(old), "r"(new_)
			 : "memory", "cc");
	return seen == old;
}

/* The hook has stored the return address of a new call below its slot. */
static inline uint64_t arch_return_address(const uint64_t *slot)
{
	return slot[-1];
}

/* The address that a thunk calls (snrt.h). */
static inline uint64_t arch_thunk_body(const uint8_t *thunk)
{
	const uint8_t *call = thunk + SNRT_THUNK_CALL;
	uint32_t insn = *(const uint32_t *)call;

	return (uint64_t)call + (uint64_t)((int64_t)((uint64_t)insn << 38) >> 36);
}

/* Makes a thunk a jump to any address: ldr x16, =to; br x16; the address. */
static inline void arch_write_detour(uint8_t *thunk, uint64_t to)
{
	*(volatile uint64_t *)(thunk + 8) = to;
	((volatile uint32_t *)thunk)[0] = 0x58000050;
	((volatile uint32_t *)thunk)[1] = 0xd61f0200;
}

/* Attaching needs the thread's number in the thread control block; it is not used here. */
static inline uint32_t arch_tcb_tid(void)
{
	return 0;
}

/* Makes new code visible to the processors that execute it. */
static inline void arch_flush_code(uint64_t start, uint64_t n_bytes)
{
	__builtin___clear_cache((char *)start, (char *)(start + n_bytes));
}

#endif

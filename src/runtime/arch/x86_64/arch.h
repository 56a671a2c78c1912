/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * arch.h - x86-64: the counter, raw system calls, the thread pointer. For the runtime only.
 */
#ifndef SONDE_RUNTIME_ARCH_X86_64_ARCH_H
#define SONDE_RUNTIME_ARCH_X86_64_ARCH_H

#include "runtime/snrt.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>

/* DWARF's numbers of the stack pointer and of the return address. */
#define ARCH_DWARF_SP	      7
#define ARCH_DWARF_RA	      16
/* From the stack pointer behind a return to the slot of the call. */
#define ARCH_SLOT_FROM_SP     (-8)
/* The slot of an active call holds its return address, so the memory shows whether it is active. */
#define ARCH_SLOT_HAS_ADDRESS true

static inline uint64_t arch_counter(void)
{
	uint32_t low, high;

	__asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
	return (uint64_t)high << 32 | low;
}

static inline uintptr_t arch_thread_pointer(void)
{
	uintptr_t tp;

	__asm__("mov %%fs:0, %0" : "=r"(tp));
	return tp;
}

/* The number of the thread, as the C library (glibc) keeps it. */
static inline uint32_t arch_tcb_tid(void)
{
	uint32_t tid;

	__asm__ volatile("movl %%fs:%c1, %0" : "=r"(tid) : "i"(SNRT_TCB_TID));
	return tid;
}

/* The result, or a negative errno; errno itself stays as it is. */
static inline long arch_syscall(long number, long a, long b, long c, long d, long e, long f)
{
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = f;
	long ret;

	__asm__ volatile("syscall"
			 : "=a"(ret)
			 : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return ret;
}

/* The address that a thunk calls (snrt.h). */
static inline uint64_t arch_thunk_body(const uint8_t *thunk)
{
	const uint8_t *call = thunk + SNRT_THUNK_CALL;
	int32_t distance =
		(int32_t)(call[1] | call[2] << 8 | call[3] << 16 | (uint32_t)call[4] << 24);

	return (uint64_t)(call + 5) + (uint64_t)(int64_t)distance;
}

/* Makes a thunk a jump to any address: jmp *2(%rip); the address. */
static inline void arch_write_detour(uint8_t *thunk, uint64_t to)
{
	static const uint8_t jump[] = {0xff, 0x25, 2, 0, 0, 0};

	for (unsigned i = 0; i < sizeof(jump); i++)
		((volatile uint8_t *)thunk)[i] = jump[i];
	*(volatile uint64_t *)(thunk + 8) = to;
}

/* Adds in one instruction: a signal handler sees it done or not begun. Not atomic between CPUs. */
static inline uint64_t arch_reserve(uint64_t *head, uint64_t n_bytes)
{
	__asm__ volatile("xaddq %0, %1" : "+r"(n_bytes), "+m"(*head) : : "memory", "cc");
	return n_bytes;
}

/* Likewise: replaces `old`; false: it has another value. */
static inline bool arch_replace(uint64_t *head, uint64_t old, uint64_t new_)
{
	bool done;

	__asm__ volatile("cmpxchgq %3, %1"
			 : "=@ccz"(done), "+m"(*head), "+a"(old)
			 : "r"(new_)
			 : "memory", "cc");
	return done;
}

/* Does the processor have cmpxchg16b? Only the first ones of this architecture lack it. */
static inline bool arch_has_wide_store(void)
{
	uint32_t eax = 1, ebx, ecx = 0, edx;

	__asm__ volatile("cpuid" : "+a"(eax), "=b"(ebx), "+c"(ecx), "=d"(edx));
	return ecx >> 13 & 1;
}

/* Replaces 16 aligned bytes; false: they are others. */
static inline bool arch_replace_wide(uint64_t *words, const uint64_t old[2], const uint64_t new_[2])
{
	uint64_t low = old[0], high = old[1];
	bool done;

	__asm__ volatile("lock cmpxchg16b %1"
			 : "=@ccz"(done), "+m"(*(unsigned __int128 *)words), "+a"(low), "+d"(high)
			 : "b"(new_[0]), "c"(new_[1])
			 : "memory");
	return done;
}

static inline uint64_t arch_return_address(const uint64_t *slot)
{
	return *slot;
}

/* Makes new code visible to the processors that execute it. */
static inline void arch_flush_code(uint64_t start, uint64_t n_bytes)
{
	(void)start;
	(void)n_bytes;
}

#endif

// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * hooks.c - copies the hooks of hooks.S into an area.
 *
 * The hooks must be within 128 MB of the traced code, but the library may be further away. So each
 * area has a copy in its first page. Two words of each hook are filled in: the offset of the
 * thread's variable from the thread pointer (the same for all threads, because the library is
 * loaded at the start), and the address of the slow path.
 */
#include "runtime/runtime_int.h"

extern const uint8_t snrt_enter_begin[], snrt_enter_tls[], snrt_enter_slow_at[], snrt_enter_end[];
extern const uint8_t snrt_leave_begin[], snrt_leave_tls[], snrt_leave_slow_at[], snrt_leave_end[];
extern const uint8_t snrt_ruled_begin[], snrt_ruled_slow_at[], snrt_ruled_end[];
extern const uint8_t snrt_enter_slow[], snrt_leave_slow[];

/* hooks.S has these numbers. */
_Static_assert(offsetof(struct snrt_thread, head) == 0, "hooks.S");
_Static_assert(offsetof(struct snrt_thread, shadow) == 8, "hooks.S");
_Static_assert(offsetof(struct snrt_thread, stack_low) == 16, "hooks.S");
_Static_assert(offsetof(struct snrt_thread, shadow_end) == 24, "hooks.S");
_Static_assert(offsetof(struct snrt_thread, cpu_ptr) == 32, "hooks.S");
_Static_assert(offsetof(struct snrt_thread, cpu) == 40, "hooks.S");
_Static_assert(offsetof(struct snrt_thread, limit) == 128, "hooks.S");
_Static_assert(sizeof(struct entry) == 24 && offsetof(struct entry, id) == 16, "hooks.S");
_Static_assert(SNRT_RING_AT == 4096 && SNRT_RING_BYTES == 0x200000, "hooks.S");
_Static_assert(SNRT_EXIT == 0x80000 && SNRT_THUNK_ID - SNRT_THUNK_NEXT == 12, "hooks.S");

static void copy(uint8_t *to, const uint8_t *from, const uint8_t *end)
{
	while (from < end)
		*(volatile uint8_t *)to++ = *from++;
}

static void put(uint8_t *to, uint64_t value)
{
	copy(to, (const uint8_t *)&value, (const uint8_t *)(&value + 1));
}

void snrt_hooks_write(uint8_t *page)
{
	uint64_t tls = (uintptr_t)&snrt_self - arch_thread_pointer();
	uint8_t *enter = page + SNRT_ENTER, *leave = page + SNRT_LEAVE;
	uint8_t *ruled = page + SNRT_ENTER_RULED;

	copy(enter, snrt_enter_begin, snrt_enter_end);
	put(enter + (snrt_enter_tls - snrt_enter_begin), tls);
	put(enter + (snrt_enter_slow_at - snrt_enter_begin), (uintptr_t)snrt_enter_slow);
	copy(ruled, snrt_ruled_begin, snrt_ruled_end);
	put(ruled + (snrt_ruled_slow_at - snrt_ruled_begin), (uintptr_t)snrt_enter_slow);
	copy(leave, snrt_leave_begin, snrt_leave_end);
	put(leave + (snrt_leave_tls - snrt_leave_begin), tls);
	put(leave + (snrt_leave_slow_at - snrt_leave_begin), (uintptr_t)snrt_leave_slow);
}

// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * called.c - programs that call hooks themselves (-finstrument-functions).
 *
 * The compiler has inserted a call at the beginning and at the end of every function, including
 * inlined ones. So no code is patched and no return address is replaced. A function is
 * found by its address in the plan's table:
 *
 *	address ─▶ the thread's cache ─▶ a search in the table of its image ─▶ id
 *
 * These hooks are ordinary functions: the compiler has saved what it needs.
 */
#include "runtime/runtime_int.h"

#define EXPORTED __attribute__((visibility("default")))
#define CACHE	 64u /* a power of two */

EXPORTED void __cyg_profile_func_enter(void *function, void *call_site);
EXPORTED void __cyg_profile_func_exit(void *function, void *call_site);

struct known {
	uint64_t address;
	uint32_t id;
};

static __thread struct known cache[CACHE] __attribute__((tls_model("initial-exec")));

static uint32_t search(uint64_t address)
{
	for (uint32_t i = 0; i < snrt_process.n_tables; i++) {
		const struct snrt_table *t = &snrt_process.tables[i];
		uint32_t low = 0, high = t->n;

		if (!t->n || address < t->addresses[0] || address > t->addresses[t->n - 1])
			continue;
		while (low < high) {
			uint32_t middle = low + (high - low) / 2;

			if (t->addresses[middle] < address)
				low = middle + 1;
			else
				high = middle;
		}
		if (t->addresses[low] == address)
			return t->first_id + low;
	}
	return 0;
}

/* 0: not selected. */
static inline uint32_t find(void *function)
{
	uint64_t address = (uint64_t)function;
	struct known *k = &cache[(address >> 4) % CACHE];

	if (k->address == address)
		return k->id;
	/*
	 * A signal handler may use the same row in between, so the row must always be valid or
	 * empty.
	 */
	k->address = 0;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	k->id = search(address);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	k->address = address;
	return k->id;
}

static inline void hit(void *function, uint32_t bit)
{
	struct snrt_thread *t = snrt_self;
	uint32_t id;

	if (!snrt_process.n_tables)
		return;
	id = find(function);
	if (!id)
		return;
	if (t && t->head < t->limit && *(const volatile uint32_t *)t->cpu_ptr == t->cpu)
		snrt_record(t, id | bit);
	else
		snrt_slow_hit(id | bit, (uint64_t)__builtin_frame_address(0));
}

void __cyg_profile_func_enter(void *function, void *call_site)
{
	hit(function, 0);
}

void __cyg_profile_func_exit(void *function, void *call_site)
{
	hit(function, SNRT_EXIT);
}

// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * remove.c - takes the hook of a function out of the code while the program runs. x86-64.
 *
 * A function that is switched off still has its jump to a thunk, which costs a nanosecond. That is
 * too much for a function that is called 100 million times a second. If the recorder switches it
 * off for good (--budget), its thunk leads here, and the next call restores the first bytes:
 *
 *	function ─ jmp ─▶ thunk ─ call ─▶ snrt_remove ─▶ first bytes as before ─▶ body
 *
 * Each process does this for itself, when it calls the function: nobody has to be stopped (ptrace
 * would make system calls such as epoll_wait() fail with EINTR), and a child by fork() has pages of
 * its own. What makes it safe while other threads run the function:
 *
 *  - The bytes lie in 16 aligned bytes, and change by one store. Processors fetch an instruction
 *    that lies in such a block at once. So they see the jump, or what was there before; both are
 *    right.
 *  - No thread stands inside of the bytes: they were one instruction. No thread returns into them.
 *  - The thunk and the moved instructions stay where they are. A thread there continues, and calls
 *    under way return through `leave`.
 *  - If the jump is a short one to padding, the padding keeps the long one: a thread may be on it.
 *  - The store compares: a recorder that detaches meanwhile may have restored the bytes.
 *
 * The way back, a jump over several instructions, would need threads that stand still. So there is
 * none here (capture/attach can).
 *
 * The recorder requests this only where it is possible (userimage_is_removable). If the kernel
 * refuses, or if system calls may kill the program, n_stuck says so, and the recorder lets thunks
 * jump to the body.
 */
#include "runtime/sys.h"

#define PAGE	    4096u
#define BLOCK	    16u
#define JUMP_BYTES  5u
#define SHORT_BYTES 2u

/* The process that changes code at the moment; 0: none. A child by fork() may have its parent's. */
static uint32_t busy_pid;

static uint64_t distance_of(const uint8_t *bytes)
{
	int32_t distance =
		(int32_t)(bytes[0] | bytes[1] << 8 | bytes[2] << 16 | (uint32_t)bytes[3] << 24);

	return (uint64_t)(int64_t)distance;
}

static bool leads_to(const struct snrt_patch *p, uint64_t target)
{
	if (p->n_bytes == JUMP_BYTES && p->new_[0] == 0xe9)
		return p->addr + JUMP_BYTES + distance_of(p->new_ + 1) == target;
	return p->n_bytes == SHORT_BYTES && p->new_[0] == 0xeb &&
	       p->addr + SHORT_BYTES + (uint64_t)(int64_t)(int8_t)p->new_[1] == target;
}

/*
 * The patch at the function's beginning. A short jump follows the long one that it leads to.
 * Patches are in the order of thunks, at least one for each.
 */
static const struct snrt_patch *find_patch(const struct snrt_image *image,
					   const struct snrt_patch *all, uint64_t thunk)
{
	uint64_t first = (thunk - image->area - SNRT_HOOK_BYTES) / SNRT_THUNK_BYTES;

	for (uint64_t i = first; i < image->n_patches; i++)
		if (leads_to(&all[i], thunk))
			return i + 1 < image->n_patches && leads_to(&all[i + 1], all[i].addr)
				       ? &all[i + 1]
				       : &all[i];
	return NULL;
}

static const struct snrt_patch *find(uint64_t thunk)
{
	for (uint32_t i = 0; i < snrt_process.n_images; i++) {
		const struct snrt_image *image = &snrt_process.images[i];

		if (thunk - image->area < image->area_bytes)
			return find_patch(image,
					  (const struct snrt_patch *)snrt_process.mapped[i].patches,
					  thunk);
	}
	return NULL;
}

/* One store, if the bytes are still ours. */
static bool store(const struct snrt_patch *p)
{
	uint64_t *words = (uint64_t *)(p->addr & ~(uint64_t)(BLOCK - 1)), old[2], new_[2];
	unsigned at = p->addr % BLOCK;

	for (unsigned i = 0; i < 2; i++)
		old[i] = new_[i] = __atomic_load_n(&words[i], __ATOMIC_RELAXED);
	if (!bytes_are_equal((const uint8_t *)old + at, p->new_, p->n_bytes))
		return true; /* somebody else was faster */
	bytes_copy((uint8_t *)new_ + at, p->old, p->n_bytes);
	for (unsigned i = 0; i < 2; i++)
		if (old[!i] == new_[!i]) {
			__atomic_compare_exchange_n(&words[i], &old[i], new_[i], false,
						    __ATOMIC_SEQ_CST, __ATOMIC_RELAXED);
			return true;
		}
	if (!arch_has_wide_store())
		return false;
	arch_replace_wide(words, old, new_);
	return true;
}

/* The page stays executable meanwhile. */
static bool restore(const struct snrt_patch *p)
{
	uint64_t page = p->addr & ~(uint64_t)(PAGE - 1);
	bool ok;

	if (p->addr % BLOCK + p->n_bytes > BLOCK ||
	    !sys_protect(page, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC))
		return false;
	ok = store(p);
	sys_protect(page, PAGE, PROT_READ | PROT_EXEC);
	return ok;
}

static bool is_forbidden(void)
{
	return snrt_process.is_confined || (snrt_this() && snrt_guest->is_quiet);
}

/* If another thread changes code now, a later call does it. */
static bool remove_now(uint64_t thunk)
{
	uint32_t pid = snrt_process.pid, seen = __atomic_load_n(&busy_pid, __ATOMIC_RELAXED);
	const struct snrt_patch *p;
	bool ok;

	if (seen == pid || !__atomic_compare_exchange_n(&busy_pid, &seen, pid, false,
							__ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
		return true;
	p = find(thunk);
	ok = p && restore(p);
	__atomic_store_n(&busy_pid, 0, __ATOMIC_RELEASE);
	return ok;
}

uint64_t snrt_remove(const uint64_t *slot, const uint8_t *after_enter)
{
	if (is_forbidden() || !remove_now((uint64_t)after_enter - SNRT_THUNK_NEXT))
		__atomic_add_fetch(&snrt_process.shared->n_stuck, 1, __ATOMIC_RELAXED);
	return snrt_body_of(after_enter);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * userrings.c - makes the shared memory, and gives slots back.
 *
 * It is a memfd of a gigabyte, nearly all of it holes: a slot takes memory when its thread writes.
 * A program that shortened the file would kill the recorder (SIGBUS), so its length is sealed.
 *
 * A free slot is all zero: the thread that claims it sets its limit and can write at once. The
 * first slot keeps its memory, see SNRT_READY_SLOT. That memory is made beside the start of the
 * program: until then the slot is claimed.
 */
#include "capture/calls/userrings.h"

#include "base/errmsg.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/falloc.h>
#include <linux/futex.h>
#include <limits.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define RINGS_BYTES (SNRT_SLOTS_AT + (size_t)SNRT_SLOTS * SNRT_SLOT_BYTES)

_Static_assert(sizeof(struct snrt_shared) <= SNRT_SLOTS_AT, "the slots come after it");
_Static_assert(sizeof(struct snrt_thread) <= SNRT_RING_AT, "the ring comes after it");

int userrings_open(struct userrings *r, enum snrt_full when_full, uint32_t wait_ms,
		   struct errmsg *err)
{
	int fd = memfd_create("sonde-rings", MFD_CLOEXEC | MFD_ALLOW_SEALING), code;
	void *memory = MAP_FAILED;

	*r = (struct userrings){.fd = -1};
	if (fd >= 0 && ftruncate(fd, RINGS_BYTES) == 0 &&
	    fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0)
		memory = mmap(NULL, RINGS_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (memory == MAP_FAILED) {
		code = -errno;
		if (fd >= 0)
			close(fd);
		if (code == -ENOMEM)
			return errmsg_set(
				err, code,
				"cannot map %zu MB of addresses for user functions; raise "
				"the limit (ulimit -v)",
				RINGS_BYTES >> 20);
		return errmsg_set_errno(err, code, "cannot make the memory for user functions");
	}
	*r = (struct userrings){.fd = fd, .memory = memory, .shared = memory};
	*r->shared = (struct snrt_shared){
		.magic = SNRT_MAGIC,
		.version = SNRT_VERSION,
		.n_slots = SNRT_SLOTS,
		.when_full = when_full,
		.wait_ms = wait_ms,
		.recorder_pid = getpid(),
		.rings_fd = fd,
		.state[SNRT_READY_SLOT] = SNRT_CLAIMED,
	};
	return 0;
}

static void zero_slot(struct userrings *r, uint32_t slot)
{
	memset(userrings_thread(r, slot), 0, SNRT_SLOT_BYTES);
	__atomic_store_n(&r->shared->state[slot], SNRT_FREE, __ATOMIC_RELEASE);
}

void userrings_prepare(struct userrings *r)
{
	zero_slot(r, SNRT_READY_SLOT);
}

void userrings_close(struct userrings *r)
{
	if (r->memory)
		munmap(r->memory, RINGS_BYTES);
	if (r->fd >= 0)
		close(r->fd);
	*r = (struct userrings){.fd = -1};
}

void userrings_raise(struct snrt_thread *t, uint64_t limit)
{
	__atomic_store_n(&t->limit, limit, __ATOMIC_SEQ_CST);
}

void userrings_wake(struct snrt_thread *t)
{
	if (!__atomic_load_n(&t->waiting, __ATOMIC_SEQ_CST))
		return;
	__atomic_fetch_add(&t->wake, 1, __ATOMIC_SEQ_CST);
	syscall(SYS_futex, &t->wake, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

void userrings_enable(struct userrings *r, bool on)
{
	__atomic_store_n(&r->shared->enabled, on, __ATOMIC_RELEASE);
	for (uint32_t slot = 0; slot < SNRT_SLOTS && !on; slot++) {
		struct snrt_thread *t = userrings_thread(r, slot);

		if (userrings_state(r, slot) == SNRT_FREE)
			continue;
		userrings_raise(t, 0);
		userrings_wake(t);
	}
}

void userrings_free_slot(struct userrings *r, uint32_t slot)
{
	if (slot == SNRT_READY_SLOT) {
		zero_slot(r, slot);
		return;
	}
	fallocate(r->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
		  SNRT_SLOTS_AT + (off_t)slot * SNRT_SLOT_BYTES, SNRT_SLOT_BYTES);
	__atomic_store_n(&r->shared->state[slot], SNRT_FREE, __ATOMIC_RELEASE);
}

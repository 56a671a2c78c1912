// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * thread.c - gives a thread its ring.
 *
 * The first traced call of a thread claims a slot of the shared memory and maps it. The thread
 * does not report its end: the recorder notices it and frees the slot. The mapping stays, and the
 * next thread that claims this slot uses it again.
 *
 * In a child after fork(), the active calls continue: the shadow stacks are private memory and
 * were copied. Only the ring must be new. The page of the ring is shared memory and contains the
 * top of the shadow stack, which the parent changes after the fork. So just before the fork the
 * thread changes to a private page without a ring. After it, the parent returns to its ring, and
 * the child gets a new one. Signals are blocked meanwhile, so their handlers are recorded.
 */
#include "runtime/runtime_int.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

struct process snrt_process;
__thread struct snrt_thread *snrt_self __attribute__((tls_model("initial-exec")));
__thread struct guest *snrt_guest __attribute__((tls_model("initial-exec")));

#ifdef SNRT_IS_ATTACHED
__thread uint32_t snrt_key __attribute__((tls_model("initial-exec")));
#endif

/* After so many calls, a thread that found no slot tries again. It is counted once. */
#define TRY_AGAIN 65536u
static __thread uint32_t wait_calls __attribute__((tls_model("initial-exec")));
static __thread bool is_counted __attribute__((tls_model("initial-exec")));

static const uint32_t no_cpu = 0; /* the CPU's number, if the kernel does not provide it */

/* --- slots ------------------------------------------------------------------------------------ */

static int claim_slot(void)
{
	struct snrt_shared *shared = snrt_process.shared;

	for (uint32_t i = 0; i < SNRT_SLOTS; i++) {
		uint32_t expected = SNRT_FREE;

		if (__atomic_load_n(&shared->state[i], __ATOMIC_RELAXED) == SNRT_FREE &&
		    __atomic_compare_exchange_n(&shared->state[i], &expected, SNRT_CLAIMED, false,
						__ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
			return (int)i;
	}
	return -1;
}

static bool is_rings(long fd)
{
	struct stat st;

	return fd >= 0 && arch_syscall(SYS_fstat, fd, (long)&st, 0, 0, 0, 0) == 0 &&
	       st.st_dev == snrt_process.rings_dev && st.st_ino == snrt_process.rings_ino;
}

static char *put_number(char *p, uint32_t n)
{
	if (n >= 10)
		p = put_number(p, n / 10);
	*p = (char)('0' + n % 10);
	return p + 1;
}

static char *put_text(char *p, const char *text)
{
	while (*text)
		*p++ = *text++;
	return p;
}

/* The program may have closed our descriptor; the recorder still has one. */
static long open_rings_again(void)
{
	const struct snrt_shared *shared = snrt_process.shared;
	char path[64], *p = put_text(path, "/proc/");

	p = put_number(p, (uint32_t)shared->recorder_pid);
	p = put_text(p, "/fd/");
	p = put_number(p, (uint32_t)shared->rings_fd);
	*p = 0;
	return arch_syscall(SYS_openat, AT_FDCWD, (long)path, O_RDWR | O_CLOEXEC, 0, 0, 0);
}

static struct snrt_thread *map_slot(uint32_t number)
{
	long fd = snrt_process.rings_fd, p;
	bool is_ours = is_rings(fd);

	if (!is_ours)
		fd = open_rings_again();
	if (!is_rings(fd))
		return NULL;
	p = arch_syscall(SYS_mmap, 0, SNRT_SLOT_BYTES, PROT_READ | PROT_WRITE,
			 number == SNRT_READY_SLOT ? MAP_SHARED | MAP_POPULATE : MAP_SHARED, fd,
			 SNRT_SLOTS_AT + (long)number * SNRT_SLOT_BYTES);
	if (!is_ours)
		arch_syscall(SYS_close, fd, 0, 0, 0, 0, 0);
	return p < 0 && p > -4096 ? NULL : (struct snrt_thread *)p;
}

/* The recorder may have switched everything off meanwhile. */
static void write_limit(struct snrt_thread *t)
{
	if (__atomic_load_n(&snrt_process.shared->enabled, __ATOMIC_SEQ_CST))
		__atomic_store_n(&t->limit, SNRT_RING_BYTES - SNRT_RING_SPARE, __ATOMIC_SEQ_CST);
	if (!__atomic_load_n(&snrt_process.shared->enabled, __ATOMIC_SEQ_CST))
		__atomic_store_n(&t->limit, 0, __ATOMIC_SEQ_CST);
}

void snrt_thread_note_process(void)
{
	struct stat st;

	snrt_process.pid = (uint32_t)arch_syscall(SYS_getpid, 0, 0, 0, 0, 0, 0);
	snrt_process.pid_ns = arch_syscall(SYS_newfstatat, AT_FDCWD, (long)"/proc/self/ns/pid",
					   (long)&st, 0, 0, 0) == 0
				      ? st.st_ino
				      : 0;
}

/* Everything but the stacks. */
static void begin(struct snrt_thread *t, uint32_t number)
{
	t->tid = (uint32_t)arch_syscall(SYS_gettid, 0, 0, 0, 0, 0, 0);
	t->pid = snrt_process.pid;
	t->pid_ns = snrt_process.pid_ns;
	t->plan = snrt_process.plan;
	t->slot_number = number;
	t->serial = __atomic_add_fetch(&snrt_process.shared->n_claims, 1, __ATOMIC_RELAXED);
	t->cpu = UINT32_MAX;
	t->cpu_ptr = snrt_process.cpu_ptr_offset
			     ? arch_thread_pointer() + snrt_process.cpu_ptr_offset
			     : (uint64_t)&no_cpu;
#ifdef SNRT_IS_ATTACHED
	snrt_key = snrt_guest->key = arch_tcb_tid();
#endif
	write_limit(t);
	__atomic_store_n(&snrt_process.shared->state[number], SNRT_LIVE, __ATOMIC_RELEASE);
}

/* The thread cannot be traced: frees the slot and counts the thread. */
static struct snrt_thread *give_up(int number)
{
	struct snrt_shared *shared = snrt_process.shared;

	if (number >= 0)
		__atomic_store_n(&shared->state[number], SNRT_FREE, __ATOMIC_RELEASE);
	if (!is_counted)
		__atomic_add_fetch(&shared->no_slot, 1, __ATOMIC_RELAXED);
	is_counted = true;
	wait_calls = TRY_AGAIN;
	return NULL;
}

/* --- threads ---------------------------------------------------------------------------------- */

static struct guest *guest_new(void)
{
	long p = arch_syscall(SYS_mmap, 0, sizeof(struct guest), PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return p < 0 && p > -4096 ? NULL : (struct guest *)p;
}

/* What the last thread of this slot left. */
static void reset(struct guest *g)
{
	for (unsigned i = 0; i < STACKS_MAX; i++) {
		g->stacks[i].kind = STACK_FREE;
		g->stacks[i].low = g->stacks[i].high = 0;
	}
	g->current = NULL;
}

static struct snrt_thread *thread_new(uint64_t slot)
{
	int number = snrt_process.shared ? claim_slot() : -1;
	struct guest *g;

	if (number < 0)
		return snrt_process.shared ? give_up(number) : NULL;
	g = snrt_process.guests[number];
	if (!g) {
		g = guest_new();
		if (!g)
			return give_up(number);
		g->thread = map_slot((uint32_t)number);
		if (!g->thread) {
			arch_syscall(SYS_munmap, (long)g, sizeof(*g), 0, 0, 0, 0);
			return give_up(number);
		}
		snrt_process.guests[number] = g;
	}
	reset(g);
	if (!snrt_stack_select(g, slot))
		return give_up(number);
	snrt_guest = g;
	begin(g->thread, (uint32_t)number);
	snrt_self = g->thread;
	return snrt_self;
}

struct snrt_thread *snrt_thread_new(uint64_t slot)
{
	struct snrt_thread *t;
	uint64_t mask;

	if (snrt_process.is_confined)
		return give_up(-1);
	if (wait_calls) {
		wait_calls--;
		return NULL;
	}
	mask = snrt_block_signals();
	t = thread_new(slot);
	snrt_restore_signals(mask);
	return t;
}

/* A page that takes no records: calls under way must still find their returns. */
static struct snrt_thread *page_without_ring(void)
{
	long p = arch_syscall(SYS_mmap, 0, SNRT_RING_AT, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct snrt_thread *t = (struct snrt_thread *)p;

	if (p < 0 && p > -4096)
		return NULL;
	t->cpu_ptr = (uint64_t)&no_cpu;
	t->n_untold = 1; /* never wait for the reader */
	return t;
}

/* Records the calls that were active in the parent at fork(), except those that were left. */
static void record_open_calls(struct snrt_thread *t, const struct stack *s)
{
	const struct entry *top = (const struct entry *)t->shadow;
	uint64_t here = (uint64_t)__builtin_frame_address(0);

	for (const struct entry *e = s->base + 1; e <= top && t->head < t->limit; e++)
		if (e->id && !(e->flags & ENTRY_QUIET) && (s->kind != STACK_OWN || e->slot > here))
			snrt_record(t, e->id);
}

/* The thread continues with another page, and the same active calls. */
static void change_page(struct guest *g, struct snrt_thread *to)
{
	const struct snrt_thread *from = snrt_self;

	to->shadow = from->shadow;
	to->stack_low = from->stack_low;
	to->shadow_end = from->shadow_end;
	g->current->top_at = (uint64_t)&to->shadow;
	g->thread = to;
	snrt_self = to;
}

bool snrt_thread_be_quiet(void)
{
	struct guest *g = snrt_guest;

	if (!snrt_self || g->is_quiet)
		return false;
	if (!g->page)
		g->page = page_without_ring();
	if (!g->page)
		return false;
	g->shared = snrt_self;
	change_page(g, g->page);
	g->is_quiet = true;
	__atomic_add_fetch(&snrt_process.shared->n_quiet, 1, __ATOMIC_RELAXED);
	return true;
}

void snrt_thread_be_heard(void)
{
	__atomic_sub_fetch(&snrt_process.shared->n_quiet, 1, __ATOMIC_RELAXED);
	snrt_guest->is_quiet = false;
	change_page(snrt_guest, snrt_guest->shared);
}

void snrt_thread_before_fork(void)
{
	struct guest *g = snrt_guest;

	if (!snrt_self || g->is_quiet)
		return;
	if (!g->page)
		g->page = page_without_ring();
	if (!g->page)
		return; /* no memory at all: the child may write into its parent's ring */
	g->fork_mask = snrt_block_signals();
	g->shared = snrt_self;
	change_page(g, g->page);
}

void snrt_thread_in_parent(void)
{
	struct guest *g = snrt_guest;

	if (!snrt_self || snrt_self != g->page || g->is_quiet)
		return;
	change_page(g, g->shared);
	snrt_restore_signals(g->fork_mask);
}

static void take_new_ring(struct guest *g)
{
	int number = claim_slot();
	struct snrt_thread *t = number >= 0 ? map_slot((uint32_t)number) : NULL;

	if (!t) {
		give_up(number); /* it stays on the page that takes no records */
		return;
	}
	change_page(g, t);
	snrt_process.guests[number] = g;
	begin(t, (uint32_t)number);
	record_open_calls(t, g->current);
}

void snrt_thread_in_child(void)
{
	struct guest *g = snrt_guest;

	snrt_thread_note_process();
	for (unsigned i = 0; i < SNRT_SLOTS; i++)
		snrt_process.guests[i] = NULL; /* rings of the parent */
	if (!snrt_self || g->is_quiet)
		return;
	take_new_ring(g);
	if (g->page)
		snrt_restore_signals(g->fork_mask);
}

#ifdef SNRT_IS_ATTACHED
/*
 * The C library does not call us at fork() here. The child's first traced call or return finds the
 * variables of its parent's thread. The top of the shadow stack was in the parent's ring, where it
 * has changed since; but entries above the top have no id.
 */
static void find_top(struct stack *s)
{
	struct entry *e = s->base;

	while (e < s->end && e[1].id)
		e++;
	s->top = (uint64_t)e;
	s->top_at = (uint64_t)&s->top;
}

static void adopt(struct guest *g)
{
	struct snrt_thread *page = page_without_ring();
	struct stack *s = g->current;

	if (!page)
		return; /* no memory at all: the child may write into its parent's ring */
	find_top(s);
	page->shadow = s->top;
	page->stack_low = s->low;
	page->shadow_end = (uint64_t)s->end;
	s->top_at = (uint64_t)&page->shadow;
	g->page = g->thread = snrt_self = page;
	snrt_key = g->key = arch_tcb_tid();
	take_new_ring(g);
}

static bool is_new_process(void)
{
	return snrt_process.pid != (uint32_t)arch_syscall(SYS_getpid, 0, 0, 0, 0, 0, 0);
}

/* The variables of an ended thread may point anywhere. */
static bool is_guest(const struct guest *g)
{
	for (unsigned i = 0; i < SNRT_SLOTS; i++)
		if (g && snrt_process.guests[i] == g)
			return g->key == snrt_key && g->current;
	return false;
}

struct snrt_thread *snrt_thread_check(void)
{
	uint64_t mask = snrt_block_signals();
	bool is_child = is_new_process(), is_mine = is_child && is_guest(snrt_guest);

	if (is_child) {
		snrt_thread_note_process();
		for (unsigned i = 0; i < SNRT_SLOTS; i++)
			snrt_process.guests[i] = NULL;
	}
	if (is_mine) {
		adopt(snrt_guest);
	} else {
		snrt_self = NULL;
		snrt_guest = NULL;
	}
	snrt_restore_signals(mask);
	return snrt_self;
}
#endif

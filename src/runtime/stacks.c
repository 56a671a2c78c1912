// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * stacks.c - the stacks that a thread runs on, each with a shadow stack.
 *
 * A thread has its own stack, perhaps one for signals (sigaltstack), perhaps many for coroutines.
 * A stack is identified by the memory mapping that contains its slots (/proc/self/maps). The
 * thread's own stack holds its thread control block, or is the process's first stack; calls there
 * end in the order of their addresses. Any other piece may be a heap with several stacks in it: no
 * order is assumed there, and an entry stays until its slot holds something else.
 *
 * One stack is current: the thread's page points into its shadow stack. So hooks need no search.
 * A change of the current stack takes several steps, so signals are blocked meanwhile.
 */
#include "runtime/runtime_int.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/uio.h>

#define MAPS_PIECE	 1024
#define MAPS_TRIES	 4
#define STACK_LIMIT	 ((uint64_t)1 << 30) /* of the first stack, if it has no limit */
#define GUESS_BYTES	 ((uint64_t)8 << 20) /* a stack's length where /proc is missing */
#define GUESS_SIDE_BYTES 65536u

bool snrt_read_word(uint64_t address, uint64_t *ret)
{
	struct iovec here = {ret, sizeof(*ret)}, there = {(void *)address, sizeof(*ret)};

	return arch_syscall(SYS_process_vm_readv, snrt_process.pid, (long)&here, 1, (long)&there, 1,
			    0) == (long)sizeof(*ret);
}

/* --- the memory around an address ------------------------------------------------------------- */

struct maps_line {
	uint64_t number[2];
	unsigned field; /* 0: start, 1: end, 2: the rest */
};

/* True: the line that ends here covers the address. */
static bool maps_take(struct maps_line *line, char c, uint64_t address)
{
	unsigned digit = c >= '0' && c <= '9'	? (unsigned)(c - '0')
			 : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a' + 10)
						: 16;

	if (c == '\n') {
		bool covers = address >= line->number[0] && address < line->number[1];

		if (!covers)
			line->number[0] = line->number[1] = line->field = 0;
		return covers;
	}
	if (line->field >= 2)
		return false;
	if (digit == 16)
		line->field++;
	else
		line->number[line->field] = line->number[line->field] << 4 | digit;
	return false;
}

static bool find_memory(uint64_t address, uint64_t *ret_low, uint64_t *ret_high)
{
	long fd = arch_syscall(SYS_openat, AT_FDCWD, (long)"/proc/self/maps", O_RDONLY | O_CLOEXEC,
			       0, 0, 0);
	struct maps_line line = {{0}};
	bool found = false;
	char piece[MAPS_PIECE];
	long n = 0;

	while (fd >= 0 && !found &&
	       (n = arch_syscall(SYS_read, fd, (long)piece, sizeof(piece), 0, 0, 0)) > 0)
		for (long i = 0; i < n && !found; i++)
			found = maps_take(&line, piece[i], address);
	if (fd >= 0)
		arch_syscall(SYS_close, fd, 0, 0, 0, 0, 0);
	if (!found)
		return false;
	*ret_low = line.number[0];
	*ret_high = line.number[1];
	return true;
}

/* The first stack grows: it may come down to its limit. */
static uint64_t first_stack_low(uint64_t high)
{
	struct rlimit limit = {0};

	arch_syscall(SYS_prlimit64, 0, RLIMIT_STACK, 0, (long)&limit, 0, 0);
	if (!limit.rlim_cur || limit.rlim_cur > STACK_LIMIT)
		limit.rlim_cur = STACK_LIMIT;
	return high - limit.rlim_cur;
}

/* Without /proc: a stack lies below the first one's end, or below the thread control block. */
static enum stack_kind guess_bounds(uint64_t slot, uint64_t *ret_low, uint64_t *ret_high)
{
	uint64_t first = snrt_process.stack_end, tcb = arch_thread_pointer();
	uint64_t end = first > slot && first - slot < GUESS_BYTES ? first : tcb;

	if (end <= slot || end - slot >= GUESS_BYTES) {
		*ret_low = slot - GUESS_SIDE_BYTES;
		*ret_high = slot + GUESS_SIDE_BYTES;
		return STACK_SIDE;
	}
	*ret_low = end - GUESS_BYTES;
	*ret_high = end;
	return STACK_OWN;
}

static enum stack_kind find_bounds(uint64_t slot, uint64_t *ret_low, uint64_t *ret_high)
{
	uint64_t first = snrt_process.stack_end, tcb = arch_thread_pointer();
	unsigned n_tries = MAPS_TRIES;

	/* A piece of memory may be missed while other threads change what is mapped. */
	while (!find_memory(slot, ret_low, ret_high))
		if (!--n_tries)
			return guess_bounds(slot, ret_low, ret_high);
	if (first >= *ret_low && first <= *ret_high) {
		*ret_low = first_stack_low(*ret_high);
		return STACK_OWN;
	}
	return tcb >= *ret_low && tcb < *ret_high ? STACK_OWN : STACK_SIDE;
}

/* --- shadow stacks ---------------------------------------------------------------------------- */

static void *map_memory(size_t n_bytes)
{
	long p = arch_syscall(SYS_mmap, 0, (long)n_bytes, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return p < 0 && p > -4096 ? NULL : (void *)p;
}

/* Adds it to the list of the process, where unwind.c's program looks for slots. */
static void publish(struct stack *s)
{
	uint64_t first = __atomic_load_n(&snrt_process.all_stacks, __ATOMIC_RELAXED);

	do
		s->next = first;
	while (!__atomic_compare_exchange_n(&snrt_process.all_stacks, &first, (uint64_t)s, false,
					    __ATOMIC_RELEASE, __ATOMIC_RELAXED));
}

/* A thread that has ended had its stack here. */
static void forget_others(const struct stack *mine)
{
	uint64_t at = __atomic_load_n(&snrt_process.all_stacks, __ATOMIC_ACQUIRE);

	while (at) {
		struct stack *s = (struct stack *)at;

		if (s != mine && s->kind == STACK_OWN && s->low < mine->high && mine->low < s->high)
			s->low = s->high = 0;
		at = s->next;
	}
}

static bool is_over(const struct stack *s)
{
	uint64_t word;

	for (const struct entry *e = (const struct entry *)s->top; e > s->base; e--)
		if (e->id &&
		    (!ARCH_SLOT_HAS_ADDRESS ||
		     (snrt_read_word(e->slot & ~ENTRY_SLOW, &word) && snrt_back_id(word) == e->id)))
			return false;
	return true;
}

/* Finds a stack that was never used, or one on which all calls have ended. */
static struct stack *find_free(struct guest *g)
{
	for (unsigned i = 0; i < STACKS_MAX; i++)
		if (g->stacks[i].kind == STACK_FREE)
			return &g->stacks[i];
	for (unsigned i = 1; i < STACKS_MAX; i++)
		if (&g->stacks[i] != g->current && is_over(&g->stacks[i]))
			return &g->stacks[i];
	return NULL;
}

static bool make_shadow(struct stack *s, unsigned n_entries)
{
	if (!s->base) {
		s->base = map_memory(n_entries * sizeof(*s->base));
		if (!s->base)
			return false;
		s->end = s->base + n_entries - 1;
		if (snrt_process.shared->general.flags)
			s->saved = map_memory(n_entries * sizeof(*s->saved));
		publish(s);
	}
	/* The sentinel: above every slot, and an entry that is never dropped. */
	s->base->slot = UINT64_MAX;
	s->base->id = 1;
	s->top = (uint64_t)s->base;
	s->top_at = (uint64_t)&s->top;
	return true;
}

static struct stack *add_stack(struct guest *g, uint64_t slot)
{
	struct stack *s = find_free(g);
	uint64_t low = 0, high = 0;
	enum stack_kind kind;

	if (!s)
		return NULL;
	kind = find_bounds(slot, &low, &high);
	if (!make_shadow(s, s == g->stacks ? MAIN_ENTRIES : SIDE_ENTRIES))
		return NULL;
	s->low = low;
	s->high = high;
	s->kind = kind;
	s->outer = NULL;
	snrt_rules_begin(s, kind == STACK_SIDE ? g->current : NULL);
	if (kind == STACK_OWN)
		forget_others(s);
	return s;
}

static void make_current(struct guest *g, struct stack *s)
{
	struct snrt_thread *t = g->thread;

	if (g->current) {
		g->current->top = t->shadow;
		g->current->top_at = (uint64_t)&g->current->top;
	}
	t->shadow = s->top;
	t->stack_low = s->low;
	t->shadow_end = (uint64_t)s->end;
	s->top_at = (uint64_t)&t->shadow;
	g->current = s;
}

/* Signals are blocked: a handler must not see an incomplete change. */
static struct stack *switch_to(struct guest *g, uint64_t slot)
{
	struct stack *s;

	for (s = g->stacks; s < g->stacks + STACKS_MAX; s++)
		if (s->kind != STACK_FREE && slot >= s->low && slot < s->high)
			break;
	if (s == g->stacks + STACKS_MAX)
		s = add_stack(g, slot);
	if (!s)
		return NULL;
	if (s != g->current) {
		s->outer = s->kind == STACK_SIDE ? g->current : NULL;
		make_current(g, s);
	}
	return s;
}

struct stack *snrt_stack_select(struct guest *g, uint64_t slot)
{
	struct stack *s = g->current;
	uint64_t mask;

	if (s && slot >= s->low && slot < s->high)
		return s;
	mask = snrt_block_signals();
	s = switch_to(g, slot);
	snrt_restore_signals(mask);
	return s;
}

void snrt_stack_return(struct guest *g)
{
	uint64_t mask = snrt_block_signals();

	make_current(g, g->current->outer);
	snrt_restore_signals(mask);
}

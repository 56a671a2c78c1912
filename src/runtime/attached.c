// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * attached.c - what the recorder calls in a process that it attaches to.
 *
 * The recorder has stopped all threads, and lets one of them run these functions (snrt.h, enum
 * snrt_call; capture/attach/attach.c has the order). Any lock of the program may be held, so
 * nothing here uses the C library: this part of the runtime is linked without it. The recorder may
 * be killed at any moment. Then all threads continue where they are, so each step must leave a
 * valid state.
 */
#include "runtime/sys.h"

#include <errno.h>
#include <fcntl.h>

#define KEPT_FD_MIN 700 /* away from the numbers that programs use */
#define EXPORTED    __attribute__((visibility("default")))

extern const uint8_t __ehdr_start[] __attribute__((visibility("hidden")));
extern const uint8_t _end[] __attribute__((visibility("hidden")));

struct snrt_note snrt_note(void)
{
	return (struct snrt_note){
		.magic = SNRT_MAGIC,
		.flavour = SNRT_ATTACHED,
		.runtime = (uint64_t)__ehdr_start,
		.runtime_bytes = (uint64_t)(_end - __ehdr_start),
		.recorder = snrt_process.shared ? (uint64_t)snrt_process.shared->recorder_pid : 0,
	};
}

static void tell_images(struct snrt_args *args)
{
	args->images = (uint64_t)snrt_process.images;
	args->mapped = (uint64_t)snrt_process.mapped;
	args->n_images = snrt_process.n_images;
}

static void be_quiet(struct snrt_args *unused)
{
	if (snrt_process.shared)
		__atomic_store_n(&snrt_process.shared->enabled, 0, __ATOMIC_RELEASE);
}

/* --- the end ---------------------------------------------------------------------------------- */

/*
 * A call under way returns to its caller, as if it had never been traced. If the recorder is killed
 * now, the thread of that stack runs, and may return by itself; no new call comes. Then the word
 * at that place has changed, and is kept.
 */
static void return_directly(const struct entry *e)
{
	uint64_t slot = e->slot & ~ENTRY_SLOW, ret = e->ret, word;

	if (e->id && snrt_read_word(slot, &word) && snrt_back_id(word) == e->id)
		__atomic_compare_exchange_n((uint64_t *)slot, &word, ret, false, __ATOMIC_SEQ_CST,
					    __ATOMIC_RELAXED);
}

/*
 * Two functions have the same slot if one ends with a jump to the other. The lower entry has the
 * address that leads out of both; the upper one leads to the lower one's thunk. So we start at the
 * top, and each round replaces the address of one thunk by the next.
 */
static void returns(struct snrt_args *unused)
{
	uint64_t at = __atomic_load_n(&snrt_process.all_stacks, __ATOMIC_ACQUIRE);

	while (at) {
		const struct stack *s = (const struct stack *)at;
		const struct entry *e = (const struct entry *)*(const uint64_t *)s->top_at;

		for (; s->kind != STACK_FREE && s->high && e > s->base; e--)
			return_directly(e);
		at = s->next;
	}
}

static void release_guest(struct guest *g)
{
	for (unsigned i = 0; i < STACKS_MAX; i++) {
		const struct stack *s = &g->stacks[i];

		if (s->base)
			sys_unmap(s->base, (size_t)(s->end - s->base + 1) * sizeof(*s->base));
		if (s->saved)
			sys_unmap(s->saved, (size_t)(s->end - s->base + 1) * sizeof(*s->saved));
	}
	if (g->page)
		sys_unmap(g->page, SNRT_RING_AT);
	if (g->thread && g->thread != g->page)
		sys_unmap(g->thread, SNRT_SLOT_BYTES);
	sys_unmap(g, sizeof(*g));
}

/*
 * An unwinder that runs now keeps addresses on the stack: of thunks, shadow stacks and tables
 * (unwind.c), or of the runtime's code that called it. Ended calls left all other addresses of the
 * runtime on the stack.
 */
static bool is_ours(uint64_t word)
{
	uint64_t at = snrt_process.all_stacks;

	if (snrt_unwind_is_used(word) || snrt_back_id(word))
		return true;
	for (; at; at = ((const struct stack *)at)->next) {
		const struct stack *s = (const struct stack *)at;

		if (word > (uint64_t)s->base && word <= (uint64_t)s->end &&
		    (word - (uint64_t)s->base) % sizeof(struct entry) ==
			    offsetof(struct entry, ret))
			return true;
	}
	return false;
}

static void scan(struct snrt_args *args)
{
	args->result = 0;
	for (uint64_t i = 0; i < args->n_words && i < SNRT_WORDS_MAX; i++)
		args->result |= is_ours(args->words[i]);
	for (uint64_t i = 0; i < args->n_ranges && i < SNRT_SCANS_MAX; i++)
		for (uint64_t at = args->ranges[i].low; at + 8 <= args->ranges[i].high; at += 8)
			if (is_ours(*(const uint64_t *)at)) {
				args->result = 1;
				return;
			}
}

static void close_own(int *fd, uint64_t dev, uint64_t ino)
{
	struct stat st;

	if (ino && sys_stat(*fd, &st) && st.st_ino == ino && (!dev || st.st_dev == dev))
		sys_close(*fd);
	*fd = -1;
}

/*
 * Drops every pointer before the memory behind it: if the recorder is killed, the next one calls
 * this again, perhaps before this call has ended.
 */
static void release(struct snrt_args *unused)
{
	struct snrt_shared *shared = snrt_process.shared;

	__atomic_store_n(&snrt_process.all_stacks, 0, __ATOMIC_SEQ_CST);
	__atomic_store_n(&snrt_process.n_images, 0, __ATOMIC_SEQ_CST);
	for (unsigned i = 0; i < SNRT_SLOTS; i++) {
		struct guest *g = snrt_process.guests[i];

		__atomic_store_n(&snrt_process.guests[i], NULL, __ATOMIC_SEQ_CST);
		if (g)
			release_guest(g);
	}
	__atomic_store_n(&snrt_process.shared, NULL, __ATOMIC_SEQ_CST);
	if (shared)
		sys_unmap(shared, SNRT_SLOTS_AT);
	close_own(&snrt_process.rings_fd, snrt_process.rings_dev, snrt_process.rings_ino);
	close_own(&snrt_process.socket, 0, snrt_process.socket_ino);
}

/*
 * Closes the recorder's end, and gives ours a number that the program does not use. If the recorder
 * is killed before it has taken its end, nobody answers, and nothing is left. Negative: no socket.
 */
static long make_socket(int32_t sockets[2])
{
	long r = arch_syscall(SYS_socketpair, AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0,
			      (long)sockets, 0, 0);
	long kept;

	if (r < 0)
		return r;
	kept = arch_syscall(SYS_fcntl, sockets[0], F_DUPFD_CLOEXEC, KEPT_FD_MIN, 0, 0, 0);
	sys_close(sockets[1]);
	if (kept < 0)
		return sockets[0];
	sys_close(sockets[0]);
	return kept;
}

static void begin(struct snrt_args *args)
{
	struct snrt_reply r = {.fds = {-1, -1}};
	long fd = make_socket(args->sockets);
	int32_t result = fd < 0 ? (int32_t)fd : -EPROTO;

	bytes_copy(snrt_process.name, args->name, sizeof(snrt_process.name));
	snrt_process.stack_end = args->stack_end;
	snrt_process.cpu_ptr_offset = args->cpu_ptr_offset;
	snrt_process.r_debug = args->r_debug;
	if (fd >= 0)
		snrt_keep_socket((int)fd);
	if (fd >= 0 && snrt_ask(fd, SNRT_HELLO, &r) && snrt_rings_take(&r))
		result = snrt_plan_take(r.fds[1], &r.answer) ? 0 : -ENOMEM;
	else if (r.answer.error)
		result = r.answer.error;
	snrt_reply_close(&r);
	if (result < 0)
		release(args);
	tell_images(args);
	args->result = result;
}

EXPORTED void (*const snrt_calls[SNRT_CALLS])(struct snrt_args *args) = {
	[SNRT_CALL_IMAGES] = tell_images, [SNRT_CALL_BEGIN] = begin, [SNRT_CALL_QUIET] = be_quiet,
	[SNRT_CALL_RETURNS] = returns,	  [SNRT_CALL_SCAN] = scan,   [SNRT_CALL_RELEASE] = release,
};

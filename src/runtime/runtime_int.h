/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * runtime_int.h - what the files of the runtime share: shadow stacks, threads, areas.
 *
 *	thread   its page and ring in shared memory (struct snrt_thread), and in private memory:
 *	guest    its stacks
 *	stack    a piece of memory that the thread uses as stack, with a shadow stack of its own
 *	entry    a call that is under way: where its return address was, and what it was
 *
 * Shadow stacks are private memory: a child by fork() gets a copy, as it does of the stack itself.
 */
#ifndef SONDE_RUNTIME_RUNTIME_INT_H
#define SONDE_RUNTIME_RUNTIME_INT_H

#include "runtime/snrt.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__x86_64__)
#include "runtime/arch/x86_64/arch.h"
#elif defined(__aarch64__)
#include "runtime/arch/aarch64/arch.h"
#else
#error "the runtime has no hooks for this processor"
#endif

#define STACKS_MAX   16		/* of a thread: its own, a signal stack, coroutines */
#define MAIN_ENTRIES (1u << 18) /* calls inside each other, on a thread's own stack */
#define SIDE_ENTRIES (1u << 14) /* on any other stack */
#define IMAGES_MAX   SNRT_IMAGES_MAX

/* hooks.S and unwind.c know the layout. */
struct entry {
	uint64_t slot; /* address of the return address; bit 0: leave takes the slow way */
	uint64_t ret;  /* the return address */
	uint32_t id;   /* function; 0: being filled or dropped */
	uint32_t flags;
};

#define ENTRY_SLOW    1ull
/* flags; with any of them leave takes the slow way */
#define ENTRY_QUIET   1u  /* its call was not recorded, so its return is not, either */
#define ENTRY_FIRST   2u  /* it came from another stack: its return leads back there */
#define ENTRY_STATE   4u  /* it has changed its stack's sieve: what was before comes back */
#define ENTRY_TIMED   8u  /* if it is too short, its record is taken back */
#define ENTRY_COUNTED 16u /* counters are recorded at its return, too */
#define ENTRY_WORDS   8u  /* shift: words of values before its record, if it is timed */

/* Which calls are recorded at the moment, on one stack; see rules.c. */
struct sieve {
	uint32_t depth; /* so many more nested calls; SNRT_DEPTH_ANY: any */
	uint32_t is_inside, is_outside;
	uint32_t pad;
	uint64_t min_counts;
};

enum stack_kind {
	STACK_FREE,
	STACK_OWN,  /* of the thread: calls end in order, deeper ones have lower addresses */
	STACK_SIDE, /* memory that may hold several stacks */
};

/* unwind.c knows the layout. */
struct stack {
	uint64_t next; /* struct stack *: all stacks of the process */
	uint64_t low, high;
	uint64_t top_at; /* address of the variable that points to the top entry */
	uint64_t top;	 /* while it is not the current stack */
	struct entry *base, *end;
	struct stack *outer; /* the stack that was current when this one was entered */
	enum stack_kind kind;
	struct sieve now;
	struct sieve *saved; /* beside the entries: before the call; NULL: there are no rules */
};

struct guest {
	struct snrt_thread *thread;
	/* around fork(): a page without ring, the one with it, the signals that were blocked */
	struct snrt_thread *page, *shared;
	uint64_t fork_mask;
	struct stack stacks[STACKS_MAX];
	struct stack *current;
	bool is_quiet; /* it stays on the page without ring: confine.c */
	uint32_t pid;
	uint32_t key; /* attached: the thread that it belongs to, as in snrt_key */
};

/* The functions of an image that calls hooks itself. */
struct snrt_table {
	const uint64_t *addresses; /* ascending */
	uint32_t n, first_id;
};

/* The process. Set by the constructor, changed only in a child by fork() and by dlopen(). */
struct process {
	struct snrt_shared *shared;
	char name[108]; /* of the recorder's socket */
	/* attached: a socket to the recorder, of this process; socket_ino 0: none */
	int socket;
	uint32_t socket_pid;
	uint64_t socket_ino;
	uint64_t stack_end; /* an address in the process's first stack */
	uint64_t r_debug;   /* struct r_debug *, of the dynamic linker; 0: unknown */
	int rings_fd;
	uint64_t rings_dev, rings_ino;
	uint32_t pid, plan;
	uint64_t pid_ns;	 /* see struct snrt_thread */
	bool is_confined;	 /* system calls may kill the process: confine.c */
	uint64_t cpu_ptr_offset; /* of the kernel's CPU number, from the thread pointer; 0: none */
	struct guest *guests[SNRT_SLOTS];
	struct snrt_image images[IMAGES_MAX];
	struct snrt_mapped mapped[IMAGES_MAX];
	uint32_t first_id[IMAGES_MAX];
	struct snrt_rule *rules[IMAGES_MAX]; /* of each image; NULL: it has none */
	uint32_t n_images;
	struct snrt_table tables[IMAGES_MAX];
	uint32_t n_tables;
	uint64_t all_stacks; /* struct stack *: first of the list */
};

extern struct process snrt_process;
extern __thread struct snrt_thread *snrt_self __attribute__((tls_model("initial-exec")));
extern __thread struct guest *snrt_guest __attribute__((tls_model("initial-exec")));
#ifdef SNRT_IS_ATTACHED
/* The thread that owns these variables. Another number: an ended thread left them. */
extern __thread uint32_t snrt_key __attribute__((tls_model("initial-exec")));
#endif

/* An answer, and the descriptors that came with it: rings, plan; -1: none. */
struct snrt_reply {
	struct snrt_answer answer;
	int fds[2];
};

/* --- ask.c --- */

/* A socket to the recorder, or negative. */
long snrt_connect(void);
void snrt_disconnect(long fd);
/* Attached: this socket is the way to the recorder. */
void snrt_keep_socket(int fd);
/* False: no answer, or a refusal. In any case, close the descriptors that came. */
bool snrt_ask(long fd, enum snrt_what_now what, struct snrt_reply *ret);
void snrt_reply_close(const struct snrt_reply *r);
bool snrt_rings_take(const struct snrt_reply *r);

/* --- plan.c --- */

bool snrt_plan_take(int fd, const struct snrt_answer *answer);
void snrt_plan_patch(void);

/* --- opened.c --- */

/* Makes a thunk jump to the function that stands in for one of the C library. */
void snrt_detour_write(uint8_t *thunk, enum snrt_detour which);

/* --- start.c or attached.c --- */

/* For the first page of each area. */
struct snrt_note snrt_note(void);

/* What a program has fetched, as it goes into the ring. */
struct snrt_values {
	uint32_t n_words;
	uint64_t counter; /* the time of the record; 0: now */
	uint64_t words[SNRT_VALUES_MAX / 8];
};

/* --- slow.c, called by the hooks --- */

/* Returns 0 if the call is recorded, else the address of the body: run it without recording. */
uint64_t snrt_slow_enter(uint64_t *slot, const uint8_t *thunk);
/* The return address. */
uint64_t snrt_slow_leave(uint64_t *slot);
void snrt_record(struct snrt_thread *t, uint32_t what);
/* The same with values, for hooks that have some; values may be NULL. */
uint64_t snrt_enter_with(uint64_t *slot, const uint8_t *thunk, const struct snrt_values *values);
uint64_t snrt_leave_with(uint64_t *slot, struct snrt_values *values);
void snrt_record_with(struct snrt_thread *t, uint32_t what, const struct snrt_values *values);
/*
 * The same for n values that are registers: f[0], f[2] … name them. Without any buffer, so twice as
 * fast. False, 0: the call or return is not a usual one; nothing was done.
 */
bool snrt_enter_registers(uint64_t *slot, const uint8_t *thunk, const uint64_t *regs,
			  const struct snrt_fetch *f, uint32_t n);
uint64_t snrt_leave_registers(struct snrt_thread *t, uint64_t *slot, const uint64_t *regs,
			      const struct snrt_fetch *f, uint32_t n);
uint64_t snrt_body_of(const uint8_t *after_enter);
/* For called.c: a call or a return, where anything is unusual. */
void snrt_slow_hit(uint32_t what, uint64_t frame);

/* --- rules.c --- */

/* What is to be done with a call. */
struct verdict {
	bool is_followed; /* its return must be seen */
	bool is_recorded; /* else it is quiet */
	bool wants_stack; /* the open calls are recorded with it */
	bool wants_counters;
	bool is_last;	   /* then the recording ends */
	uint32_t flags;	   /* ENTRY_STATE, ENTRY_TIMED */
	struct sieve next; /* of the stack, while it runs; with ENTRY_STATE */
};

struct verdict snrt_rules_judge(const struct stack *s, const uint8_t *after_enter);
/* The function that has just been entered, and those that are open. */
void snrt_rules_record_stack(struct snrt_thread *t, const struct stack *s, uint32_t id);
/* id: of the function, with SNRT_EXIT if it returns. */
void snrt_rules_record_counters(struct snrt_thread *t, uint32_t id);
/* The return of a timed call, at `now`. True: it was too short, and its record is gone. */
bool snrt_rules_take_back(struct snrt_thread *t, uint32_t id, uint32_t n_words, uint64_t min_counts,
			  uint64_t now);
/* A stack that begins inside of another one, or in none. */
void snrt_rules_begin(struct stack *s, const struct stack *outer);
/* flags: ON, OFF, FINISH. */
void snrt_rules_act(uint32_t flags);

/* --- signals.c --- */

/* Takes the signals that have a meaning for the recording. */
void snrt_signals_take(void);

/* --- remove.c --- */

/* Takes the jump to this thunk out of the code; returns the address of the body. */
uint64_t snrt_remove(const uint64_t *slot, const uint8_t *after_enter);

/* --- thread.c --- */

/* Makes the calling thread a traced one; NULL: that is not possible. */
struct snrt_thread *snrt_thread_new(uint64_t slot);
/* Notes the process and its pid namespace: at the start, and in a child by fork(). */
void snrt_thread_note_process(void);
/*
 * Called if snrt_self belongs to another thread or the parent. Returns NULL if this one has none.
 */
struct snrt_thread *snrt_thread_check(void);
/* The thread records nothing and makes no system calls from now on; false: it was not traced. */
bool snrt_thread_be_quiet(void);
void snrt_thread_be_heard(void);
/* For pthread_atfork(). */
void snrt_thread_before_fork(void);
void snrt_thread_in_parent(void);
void snrt_thread_in_child(void);

/* --- stacks.c --- */

/* Makes the stack of this slot the current one, a new one if need be. NULL: none is free. */
struct stack *snrt_stack_select(struct guest *g, uint64_t slot);
/*
 * Called when the last call on a side stack has ended: returns to the stack that was left for it.
 */
void snrt_stack_return(struct guest *g);
/* Reads memory that may be unmapped; false: it is. */
bool snrt_read_word(uint64_t address, uint64_t *ret);

/* --- values.c --- */

/* As snrt_slow_enter() and snrt_slow_leave(). regs: by DWARF number. */
uint64_t snrt_values_enter(const uint64_t *regs, const uint8_t *thunk, uint64_t *slot);
uint64_t snrt_values_leave(const uint64_t *regs, uint64_t *slot);
/* Memory that can be read without asking the kernel; before the first patch. */
void snrt_values_take_ranges(const uint8_t *plan, size_t n_bytes, const struct snrt_answer *answer);
/* arch/: the 16 bytes of the x87 register st(0). */
void snrt_read_st0(uint64_t to[2]);

/* --- unwind.c --- */

/* Makes the areas known to unwinders (exceptions, backtraces). */
void snrt_unwind_add(const struct snrt_image *image);
/* What stands in for dl_iterate_phdr() and _dl_find_object(); real: the original, or NULL. */
struct dl_phdr_info;
struct dl_find_object;
typedef int (*snrt_visitor)(struct dl_phdr_info *info, size_t size, void *data);
typedef int (*snrt_iterate)(snrt_visitor visit, void *data);
typedef int (*snrt_find_object)(void *address, struct dl_find_object *result);
int snrt_unwind_iterate(snrt_iterate real, snrt_visitor visit, void *data);
/* False: it is none of ours. */
bool snrt_unwind_find(uint64_t address, struct dl_find_object *result);
bool snrt_unwind_is_area(uint64_t address);
/* Returns true if it points to our tables, or to code that has called an unwinder. */
bool snrt_unwind_is_used(uint64_t address);

/* --- arch/ --- */

/* Fills the first page of an area. */
void snrt_hooks_write(uint8_t *page);

/* Returns the mask for snrt_restore_signals(). */
static inline uint64_t snrt_block_signals(void)
{
	uint64_t all = UINT64_MAX, old = 0;

	arch_syscall(SYS_rt_sigprocmask, SIG_SETMASK, (long)&all, (long)&old, sizeof(all), 0, 0);
	return old;
}

static inline void snrt_restore_signals(uint64_t mask)
{
	arch_syscall(SYS_rt_sigprocmask, SIG_SETMASK, (long)&mask, 0, sizeof(mask), 0, 0);
}

/* The calling thread; NULL: it is not traced yet. */
static inline struct snrt_thread *snrt_this(void)
{
#ifdef SNRT_IS_ATTACHED
	if (snrt_self && snrt_key != arch_tcb_tid())
		return snrt_thread_check();
#endif
	return snrt_self;
}

/* Is this an address behind a thunk's call, and of which function (0: of none)? */
static inline uint32_t snrt_back_id(uint64_t address)
{
	for (uint32_t i = 0; i < snrt_process.n_images; i++) {
		const struct snrt_image *image = &snrt_process.images[i];
		uint64_t at = address - image->area - SNRT_HOOK_BYTES;

		if (at < (uint64_t)image->n_thunks * SNRT_THUNK_BYTES &&
		    at % SNRT_THUNK_BYTES == SNRT_THUNK_BACK)
			return snrt_process.first_id[i] + (uint32_t)(at / SNRT_THUNK_BYTES);
	}
	return 0;
}

#endif

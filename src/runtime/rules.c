// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * rules.c - decides at each call whether it is recorded, if there are rules (snrt.h).
 *
 * Each stack has a sieve: how many nested calls are still recorded, whether a function that opens
 * or closes it is active, how long a call must last. A call that changes the sieve saves the old
 * one beside its entry in the shadow stack; its return, or longjmp() over it, restores the sieve.
 *
 *	sieve ──▶ judge ──▶ not followed: the body runs as if it had no hook
 *	                ──▶ quiet: only its return is awaited, because it has changed the sieve
 *	                ──▶ recorded
 *
 * A call that may turn out to be too short is recorded like others. If it was too short, and if its
 * record is still the last one, the record is taken back when the call returns. A call with another
 * recorded call inside stays. The reader does not read records that are younger than the longest
 * such time, and it claims records before it reads them:
 *
 *	ring │ read │ claimed │ may be taken back │
 *	            tail      claimed             head
 *
 * The word of a place that is not reserved must be 0. So the words are cleared first. Then one
 * instruction lowers head, but only if no signal handler has raised it meanwhile; if one has, the
 * words are restored.
 *
 * Like slow.c, this code runs between two instructions of the program.
 */
#include "runtime/runtime_int.h"

#include <sys/resource.h>
#include <time.h>

#define TURN_PROGRAM 1u
#define SPINS	     1000u /* the reader holds its turn for some instructions */
#define CPUS_MAX     8u
#define TRIES	     4u
#define WORDS_MAX    (SNRT_VALUES_MAX / 8 + 2 + CPUS_MAX)

static inline const struct snrt_general *general(void)
{
	return &snrt_process.shared->general;
}

void snrt_rules_begin(struct stack *s, const struct stack *outer)
{
	if (!s->saved)
		return;
	if (outer)
		s->now = outer->now;
	else
		s->now = (struct sieve){.depth = general()->depth,
					.min_counts = general()->min_counts};
	s->saved[0] = s->now;
}

static struct snrt_rule *find_rule(const uint8_t *thunk)
{
	uint32_t number = *(const uint32_t *)(thunk + SNRT_THUNK_RULE);

	for (uint32_t i = 0; number && i < snrt_process.n_images; i++) {
		const struct snrt_image *image = &snrt_process.images[i];

		if ((uint64_t)thunk - image->area < image->area_bytes)
			return number <= image->n_rules ? &snrt_process.rules[i][number - 1] : NULL;
	}
	return NULL;
}

void snrt_rules_act(uint32_t flags)
{
	struct snrt_shared *shared = snrt_process.shared;

	if (flags & SNRT_RULE_ON)
		__atomic_store_n(&shared->is_paused, 0, __ATOMIC_RELAXED);
	if (flags & (SNRT_RULE_OFF | SNRT_RULE_FINISH))
		__atomic_store_n(&shared->is_paused, 1, __ATOMIC_RELAXED);
	if (!(flags & SNRT_RULE_FINISH))
		return;
	/* this thread at once, others when the reader sees it */
	__atomic_store_n(&shared->enabled, 0, __ATOMIC_RELAXED);
	if (snrt_self)
		__atomic_store_n(&snrt_self->limit, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&shared->is_finished, 1, __ATOMIC_RELEASE);
}

static inline bool is_paused(void)
{
	const struct snrt_shared *shared = snrt_process.shared;

	return __atomic_load_n(&shared->is_paused, __ATOMIC_RELAXED) ||
	       __atomic_load_n(&shared->is_finished, __ATOMIC_RELAXED);
}

/* What the function's rule changes: the sieve, the recording. False: its calls are not recorded. */
static bool apply_rule(struct snrt_rule *rule, struct verdict *v)
{
	uint64_t n = __atomic_add_fetch(&rule->n_calls, 1, __ATOMIC_RELAXED);
	bool acts = !rule->nth || n == rule->nth;

	if (acts)
		snrt_rules_act(rule->flags & ~(uint32_t)SNRT_RULE_FINISH);
	v->is_last = acts && rule->flags & SNRT_RULE_FINISH;
	if (rule->flags & SNRT_RULE_NEVER)
		v->next.is_outside = 1;
	if (rule->flags & SNRT_RULE_ONLY && !v->next.is_outside) {
		v->next.is_inside = 1;
		v->next.depth = general()->depth;
	}
	if (rule->flags & SNRT_RULE_DEPTH)
		v->next.depth = rule->depth;
	if (rule->flags & SNRT_RULE_MIN_TIME)
		v->next.min_counts = rule->min_counts;
	v->wants_stack = acts && rule->flags & SNRT_RULE_STACK;
	v->wants_counters = acts && rule->flags & SNRT_RULE_COUNTERS;
	return !(rule->flags & SNRT_RULE_HIDDEN) && !(rule->limit && n > rule->limit);
}

static bool differ(const struct sieve *a, const struct sieve *b)
{
	return a->depth != b->depth || a->is_inside != b->is_inside ||
	       a->is_outside != b->is_outside || a->min_counts != b->min_counts;
}

struct verdict snrt_rules_judge(const struct stack *s, const uint8_t *after_enter)
{
	struct snrt_rule *rule = find_rule(after_enter - SNRT_THUNK_NEXT);
	struct verdict v = {.next = s->now};
	bool may = !rule || apply_rule(rule, &v);

	v.is_recorded = may && !v.next.is_outside && v.next.depth && !is_paused() &&
			(v.next.is_inside || !(general()->flags & SNRT_RULE_ONLY));
	if (v.is_recorded && v.next.depth != SNRT_DEPTH_ANY)
		v.next.depth--;
	if (differ(&v.next, &s->now))
		v.flags |= ENTRY_STATE;
	if (v.is_recorded && v.next.min_counts && !(rule && rule->flags & SNRT_RULE_ALWAYS))
		v.flags |= ENTRY_TIMED;
	v.is_followed = v.is_recorded || v.flags & ENTRY_STATE;
	return v;
}

/* --- the open calls --------------------------------------------------------------------------- */

void snrt_rules_record_stack(struct snrt_thread *t, const struct stack *s, uint32_t id)
{
	const struct entry *top = (const struct entry *)t->shadow;
	uint32_t ids[SNRT_STACK_MAX], n = 0, n_all = 0;
	struct snrt_values v;

	v.n_words = 0;
	v.counter = 0;
	for (const struct entry *e = s->base + 1; e <= top; e++)
		n_all += e->id != 0;
	for (const struct entry *e = top; e > s->base && n < SNRT_STACK_MAX - 1; e--)
		if (e->id)
			ids[n++] = e->id;
	v.words[v.n_words++] = n_all + 1;
	for (uint32_t i = 0; i <= n; i += 2) {
		uint64_t first = i < n ? ids[n - 1 - i] : id;
		uint64_t second = i + 1 < n ? ids[n - 2 - i] : i + 1 == n ? id : 0;

		v.words[v.n_words++] = first | second << 32;
	}
	snrt_record_with(t, SNRT_STACK, &v);
}

/* --- counters --------------------------------------------------------------------------------- */

/* Two system calls, 0.2 us each. CPU time of getrusage() is as old as the last tick. */
void snrt_rules_record_counters(struct snrt_thread *t, uint32_t id)
{
	struct snrt_values v;
	struct timespec cpu;
	struct rusage u;

	if (snrt_process.is_confined || snrt_guest->is_quiet ||
	    arch_syscall(SYS_getrusage, RUSAGE_THREAD, (long)&u, 0, 0, 0, 0) < 0 ||
	    arch_syscall(SYS_clock_gettime, CLOCK_THREAD_CPUTIME_ID, (long)&cpu, 0, 0, 0, 0) < 0)
		return;
	v.counter = 0;
	v.n_words = SNRT_N_COUNTERS;
	v.words[SNRT_COUNTED_FUNC] = id;
	v.words[SNRT_COUNTED_CPU_NS] = (uint64_t)cpu.tv_sec * 1000000000 + (uint64_t)cpu.tv_nsec;
	v.words[SNRT_COUNTED_MINOR] = (uint64_t)u.ru_minflt;
	v.words[SNRT_COUNTED_MAJOR] = (uint64_t)u.ru_majflt;
	v.words[SNRT_COUNTED_WAITS] = (uint64_t)u.ru_nvcsw;
	v.words[SNRT_COUNTED_FORCED] = (uint64_t)u.ru_nivcsw;
	snrt_record_with(t, SNRT_COUNTERS, &v);
}

/* --- calls that were too short ---------------------------------------------------------------- */

static uint64_t *word_at(struct snrt_thread *t, uint64_t at)
{
	return (uint64_t *)((uint8_t *)t + SNRT_RING_AT + at % SNRT_RING_BYTES);
}

enum turn { TURN_NONE, TURN_TAKEN, TURN_HAD };

/*
 * A signal handler may have interrupted its thread during the thread's turn. It takes back only its
 * own records, never lowers the head below what it found, and does not end the turn.
 */
static enum turn take_turn(struct snrt_thread *t)
{
	for (uint32_t i = 0; i < SPINS; i++) {
		uint32_t free = 0;

		if (__atomic_compare_exchange_n(&t->turn, &free, TURN_PROGRAM, false,
						__ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
			return TURN_TAKEN;
		if (free == TURN_PROGRAM)
			return TURN_HAD;
	}
	return TURN_NONE;
}

/* Clears the words from `at` to the head and lowers the head; false: there is something behind. */
static bool lower_head(struct snrt_thread *t, uint64_t at, uint64_t head)
{
	uint64_t words[WORDS_MAX];

	for (uint64_t i = at; i < head; i += 8) {
		words[(i - at) / 8] = *word_at(t, i);
		__atomic_store_n(word_at(t, i), 0, __ATOMIC_RELAXED);
	}
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (arch_replace(&t->head, head, at))
		return true;
	for (uint64_t i = head; i > at; i -= 8) /* the first word makes the others valid */
		__atomic_store_n(word_at(t, i - 8), words[(i - 8 - at) / 8], __ATOMIC_RELEASE);
	return false;
}

/* The bytes of a call's record at the head. In a child by fork() it has lost its values. */
static uint64_t record_bytes(struct snrt_thread *t, uint64_t head, uint32_t n_words)
{
	uint64_t n_bytes = 8 * ((uint64_t)n_words + 2);

	if (!n_words || n_words > SNRT_VALUES_MAX / 8 || head < n_bytes ||
	    *word_at(t, head - n_bytes) != ((uint64_t)n_words * 8 << SNRT_TIME_SHIFT | SNRT_VALUES))
		return 8;
	return n_bytes;
}

/* The word before `at` is a record, not the value of one; 0: it is none. */
static uint32_t what_before(struct snrt_thread *t, uint64_t at)
{
	uint32_t before;

	if (at < 16)
		return at ? *word_at(t, at - 8) & (SNRT_WHAT_MASK | SNRT_EXIT) : 0;
	before = *word_at(t, at - 16) & SNRT_WHAT_MASK;
	return before == SNRT_LOST || before == SNRT_DEPTH
		       ? 0
		       : *word_at(t, at - 8) & (SNRT_WHAT_MASK | SNRT_EXIT);
}

/*
 * Behind the last record that is not a change of the CPU: a call that was taken back leaves these.
 */
static uint64_t before_cpus(struct snrt_thread *t, uint64_t head)
{
	for (uint32_t i = 0; i < CPUS_MAX; i++, head -= 8) {
		uint32_t what = what_before(t, head);

		if (what < SNRT_CPU_FIRST || what >= SNRT_LONG)
			break;
	}
	return head;
}

/* Is this call's record the last one before `end`? A value before it may look like anything. */
static bool is_last(struct snrt_thread *t, uint64_t end, uint32_t id, uint32_t n_words)
{
	if (record_bytes(t, end, n_words) > 8)
		return (*word_at(t, end - 8) & (SNRT_WHAT_MASK | SNRT_EXIT)) == id;
	return what_before(t, end) == id;
}

/* The thread has the turn. False: there is another record behind this one. */
static bool take_last(struct snrt_thread *t, uint32_t id, uint32_t n_words)
{
	uint64_t head = t->head, end = before_cpus(t, head), from;

	if (!is_last(t, end, id, n_words))
		return false;
	from = end - record_bytes(t, end, n_words);
	if (from < __atomic_load_n(&t->claimed, __ATOMIC_RELAXED) || !lower_head(t, from, head))
		return false;
	if (end != head)
		t->cpu = UINT32_MAX; /* to be noted again */
	return true;
}

bool snrt_rules_take_back(struct snrt_thread *t, uint32_t id, uint32_t n_words, uint64_t min_counts,
			  uint64_t now)
{
	uint64_t head = t->head, end, lasted;
	bool done = false;
	enum turn turn;

	/* without a ring the memory is another one; if switched off, the reader reads all */
	if (!t->limit || head < 8)
		return false;
	end = before_cpus(t, head);
	if (!is_last(t, end, id, n_words))
		return false; /* it has recorded calls inside */
	lasted = ((now << SNRT_TIME_SHIFT) - *word_at(t, end - 8)) >> SNRT_TIME_SHIFT;
	turn = lasted < min_counts ? take_turn(t) : TURN_NONE;
	if (turn == TURN_NONE)
		return false;
	/* a handler may leave a change of the CPU behind */
	for (uint32_t i = 0; i < TRIES && !done; i++)
		done = take_last(t, id, n_words);
	if (turn == TURN_TAKEN)
		__atomic_store_n(&t->turn, 0, __ATOMIC_RELEASE);
	return done;
}

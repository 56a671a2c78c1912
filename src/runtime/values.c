// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * values.c - arguments and return values: carries out the programs of the plan (snrt.h).
 *
 *	registers, stack ──▶ tests ──▶ values, in a buffer on the stack ──▶ ring, with the record
 *
 * Reading the program's memory must never fail with a signal, whatever a pointer is. Three kinds of
 * memory are certain to be readable, and are read directly:
 *  - the thread's own stack above the call
 *  - the segments of the program and of the libraries that it was started with; these are never
 *    unloaded. The recorder lists them.
 *  - the heap of brk(): libc knows its end, and it shrinks only when memory at its end is freed.
 * A library that is attached to a running program knows only the first kind.
 * The kernel copies all other memory (process_vm_readv), and reports how much of it exists. That
 * takes a third of a microsecond.
 *
 * Like slow.c, this code runs between two instructions of the program.
 */
#include "runtime/runtime_int.h"

#include <sys/uio.h>
#include <unistd.h>

#define PAGE	   4096u
#define TEXT_HEAD  1u		/* words: the SNRT_GOT word */
#define STRING_MAX (1ull << 40) /* a length that makes sense */

static struct snrt_range ranges[SNRT_RANGES_MAX];
static uint32_t n_ranges;
static uint64_t heap_low;
static void *const *heap_end_at; /* libc's variable; NULL: it is not known */

/* What a program works on. */
struct machine {
	const uint64_t *regs;
	uint64_t slot; /* stack pointer at the entry: the return address is there */
	uint64_t accumulator;
	bool is_bad; /* a load failed */
	struct snrt_values *out;
};

/* --- memory ----------------------------------------------------------------------------------- */

#ifdef SNRT_IS_ATTACHED
/* Libraries may have been opened by the program, and may be closed: nothing is certain. */
void snrt_values_take_ranges(const uint8_t *plan, size_t n_bytes, const struct snrt_answer *answer)
{
}
#else
extern void *__curbrk;

void snrt_values_take_ranges(const uint8_t *plan, size_t n_bytes, const struct snrt_answer *answer)
{
	const struct snrt_range *from = (const struct snrt_range *)(plan + answer->ranges_at);

	if (!answer->n_ranges || answer->n_ranges > SNRT_RANGES_MAX ||
	    answer->ranges_at > n_bytes ||
	    answer->n_ranges * sizeof(*from) > n_bytes - answer->ranges_at)
		return;
	heap_low = answer->heap;
	heap_end_at = &__curbrk;
	for (uint32_t i = 0; i < answer->n_ranges; i++)
		ranges[i] = from[i];
	n_ranges = answer->n_ranges;
}
#endif

/* The segment that has the address: bytes from there to its end; 0: none has it. */
static uint64_t bytes_in_segment(uint64_t address)
{
	uint32_t low = 0, high = n_ranges;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (address >= ranges[middle].high)
			low = middle + 1;
		else
			high = middle;
	}
	return low < n_ranges && address >= ranges[low].low ? ranges[low].high - address : 0;
}

/* How many bytes from the address on can be read directly. */
static uint64_t readable_bytes(const struct machine *m, uint64_t address)
{
	const struct stack *s = snrt_guest ? snrt_guest->current : NULL;
	uint64_t end;

	if (address >= m->slot && s && s->kind == STACK_OWN && address < s->high &&
	    m->slot >= s->low)
		return s->high - address;
	end = heap_low && heap_end_at ? (uint64_t)*heap_end_at : 0;
	if (address >= heap_low && address < end)
		return end - address;
	return bytes_in_segment(address);
}

/* Copies as much as is there; the kernel stops at the first page that is not. */
static uint32_t copy_by_kernel(void *to, uint64_t from, uint32_t n)
{
	uint64_t first = PAGE - from % PAGE;
	struct iovec here = {to, n};
	struct iovec there[2] = {{(void *)from, n}};
	long got;

	if (first < n) {
		there[0].iov_len = first;
		there[1] = (struct iovec){(void *)(from + first), n - first};
	}
	got = arch_syscall(SYS_process_vm_readv, snrt_process.pid, (long)&here, 1, (long)there,
			   first < n ? 2 : 1, 0);
	return got > 0 ? (uint32_t)got : 0;
}

static void copy_bytes(uint8_t *to, const uint8_t *from, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		to[i] = from[i];
}

static uint32_t copy_memory(const struct machine *m, void *to, uint64_t from, uint32_t n)
{
	if (readable_bytes(m, from) < n)
		return copy_by_kernel(to, from, n);
	copy_bytes(to, (const uint8_t *)from, n);
	return n;
}

static bool load_word(const struct machine *m, uint64_t from, uint64_t *ret)
{
	if (readable_bytes(m, from) >= sizeof(*ret)) {
		copy_bytes((uint8_t *)ret, (const uint8_t *)from, sizeof(*ret));
		return true;
	}
	return copy_by_kernel(ret, from, sizeof(*ret)) == sizeof(*ret);
}

/* --- values ----------------------------------------------------------------------------------- */

static uint32_t room(const struct machine *m)
{
	return (SNRT_VALUES_MAX / 8 - m->out->n_words) * 8;
}

static void put(struct machine *m, uint64_t word)
{
	if (room(m))
		m->out->words[m->out->n_words++] = word;
}

/* A value that is not there: the SNRT_GOT word, and the address that cannot be read. */
static void put_missing(struct machine *m, uint64_t address)
{
	bool is_null = !m->is_bad && !address;

	put(m, is_null ? SNRT_GOT_NULL : room(m) >= 16 ? SNRT_GOT_BAD | 8 : SNRT_GOT_BAD);
	if (!is_null)
		put(m, address);
}

/* What was copied behind the place of its SNRT_GOT word: that word, and zeros behind the end. */
static void finish(struct machine *m, uint32_t n, uint32_t flags)
{
	uint8_t *bytes = (uint8_t *)&m->out->words[m->out->n_words + TEXT_HEAD];

	m->out->words[m->out->n_words] = n | flags;
	for (uint32_t i = n; i % 8; i++)
		bytes[i] = 0;
	m->out->n_words += TEXT_HEAD + (n + 7) / 8;
}

/* Room for a value of n bytes; fewer: all that is left. */
static uint32_t fitting(const struct machine *m, uint32_t n)
{
	uint32_t left = room(m);

	left = left > 8 ? left - 8 : 0;
	return n < left ? n : left;
}

static uint8_t *value_bytes(const struct machine *m)
{
	return (uint8_t *)&m->out->words[m->out->n_words + TEXT_HEAD];
}

static void put_copy(struct machine *m, uint64_t from, uint32_t n)
{
	if (m->is_bad || !m->accumulator || fitting(m, n) < n ||
	    copy_memory(m, value_bytes(m), from, n) < n) {
		put_missing(m, m->accumulator);
		return;
	}
	finish(m, n, 0);
}

static uint32_t text_length(const uint8_t *text, uint32_t max)
{
	uint32_t n = 0;

	while (n < max && text[n])
		n++;
	return n;
}

/* A text that ends at its NUL. */
static void put_text(struct machine *m, uint32_t max)
{
	uint8_t *bytes = value_bytes(m);
	uint64_t from = m->accumulator, there;
	uint32_t n = 0, got;

	max = fitting(m, max);
	if (m->is_bad || !from || !max) {
		put_missing(m, from);
		return;
	}
	there = readable_bytes(m, from);
	got = there < max ? (uint32_t)there : max;
	while (n < got && (bytes[n] = ((const uint8_t *)from)[n]))
		n++;
	if (n < got || got == max) { /* its end, or as much as is wanted */
		finish(m, n, n < got ? 0 : SNRT_GOT_MORE);
		return;
	}
	got = copy_by_kernel(bytes, from, max);
	n = text_length(bytes, got);
	if (!got)
		put_missing(m, from);
	else
		finish(m, n, n < got ? 0 : SNRT_GOT_MORE);
}

/* std::string: its length says where it ends. */
static void put_string(struct machine *m, uint32_t max)
{
	uint64_t head[2];
	uint32_t n;

	if (m->is_bad || !m->accumulator ||
	    copy_memory(m, head, m->accumulator, sizeof(head)) < sizeof(head) ||
	    head[1] > STRING_MAX) {
		put_missing(m, m->accumulator);
		return;
	}
	max = fitting(m, max);
	n = head[1] < max ? (uint32_t)head[1] : max;
	if (n && copy_memory(m, value_bytes(m), head[0], n) < n) {
		m->is_bad = true;
		put_missing(m, head[0]);
		return;
	}
	finish(m, n, head[1] > n ? SNRT_GOT_MORE : 0);
}

static void put_st0(struct machine *m)
{
	uint64_t bytes[2] = {0};

	snrt_read_st0(bytes);
	put(m, bytes[0]);
	put(m, bytes[1]);
}

/* --- programs --------------------------------------------------------------------------------- */

/* Stack arguments lie above the slot; far above it there may be no stack. */
static void load_stack(struct machine *m, int32_t offset)
{
	uint64_t address = m->slot + (uint64_t)(int64_t)offset;

	if ((address ^ m->slot) / PAGE == 0 && address % 8 == 0)
		m->accumulator = *(const uint64_t *)address;
	else
		m->is_bad = !load_word(m, address, &m->accumulator);
}

/*
 * Most values are registers: these are stored here, without the detour through the table of run().
 */
static const struct snrt_fetch *put_registers(struct machine *m, const struct snrt_fetch *f,
					      const struct snrt_fetch *end)
{
	while (f + 1 < end && f->op == SNRT_FETCH_REG && f[1].op == SNRT_FETCH_PUT &&
	       f->reg < SNRT_REGS) {
		put(m, m->regs[f->reg]);
		f += 2;
	}
	return f;
}

/* How many registers are put, if nothing else is done; else 0. */
static inline uint32_t count_registers(const struct snrt_fetch *f, uint32_t n)
{
	for (uint32_t i = 0; i < n; i += 2)
		if (f[i].op != SNRT_FETCH_REG || f[i].reg >= SNRT_REGS || i + 1 == n ||
		    f[i + 1].op != SNRT_FETCH_PUT || i / 2 == SNRT_VALUES_MAX / 8)
			return 0;
	return n / 2;
}

static void run(struct machine *m, const struct snrt_fetch *f, uint32_t n)
{
	const struct snrt_fetch *end = f + n;

	for (f = put_registers(m, f, end); f < end; f++) {
		switch (f->op) {
		case SNRT_FETCH_REG:
			m->is_bad = f->reg >= SNRT_REGS;
			m->accumulator = m->is_bad ? 0 : m->regs[f->reg];
			break;
		case SNRT_FETCH_STACK:
			m->is_bad = false;
			load_stack(m, f->offset);
			break;
		case SNRT_FETCH_SLOT:
			m->is_bad = false;
			m->accumulator = m->slot + (uint64_t)(int64_t)f->offset;
			break;
		case SNRT_FETCH_LOAD:
			m->is_bad |= !m->accumulator ||
				     !load_word(m, m->accumulator + (uint64_t)(int64_t)f->offset,
						&m->accumulator);
			break;
		case SNRT_FETCH_ADD:
			m->accumulator += (uint64_t)(int64_t)f->offset;
			break;
		case SNRT_FETCH_PUT:
			put(m, m->accumulator);
			break;
		case SNRT_FETCH_COPY:
			put_copy(m, m->accumulator + (uint64_t)(int64_t)f->offset, f->n_bytes);
			break;
		case SNRT_FETCH_TEXT:
			put_text(m, f->n_bytes);
			break;
		case SNRT_FETCH_STRING:
			put_string(m, f->n_bytes);
			break;
		case SNRT_FETCH_X87:
			put_st0(m);
			break;
		default:
			return;
		}
	}
}

static uint64_t narrow(uint64_t value, uint32_t n_bytes, bool is_signed)
{
	uint32_t shift = n_bytes && n_bytes < 8 ? 64 - 8 * n_bytes : 0;

	return is_signed ? (uint64_t)((int64_t)(value << shift) >> shift) : value << shift >> shift;
}

static bool compare(uint64_t a, uint64_t b, uint8_t how)
{
	bool is_signed = how & SNRT_TEST_SIGNED;
	bool less = is_signed ? (int64_t)a < (int64_t)b : a < b;

	switch (how & ~(uint8_t)SNRT_TEST_SIGNED) {
	case SNRT_TEST_EQ:
		return a == b;
	case SNRT_TEST_NE:
		return a != b;
	case SNRT_TEST_LT:
		return less;
	case SNRT_TEST_LE:
		return less || a == b;
	case SNRT_TEST_GT:
		return !less && a != b;
	case SNRT_TEST_GE:
		return !less;
	default:
		return a & b;
	}
}

/* Returns true if all tests are true. A test of memory that cannot be read is false. */
static bool passes(struct machine *m, const struct snrt_fetch *f, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		if (f[i].op != SNRT_FETCH_TEST) {
			run(m, &f[i], 1);
			continue;
		}
		if (i + 1 == n || m->is_bad ||
		    !compare(narrow(m->accumulator, f[i].n_bytes, f[i].reg & SNRT_TEST_SIGNED),
			     *(const uint64_t *)&f[i + 1], f[i].reg))
			return false;
		i++;
	}
	return true;
}

/* --- hooks ------------------------------------------------------------------------------------ */

static const struct snrt_program *program_of(const uint8_t *thunk)
{
	uint32_t distance = *(const uint32_t *)(thunk + SNRT_THUNK_PROGRAM);

	return distance ? (const struct snrt_program *)(thunk + distance) : NULL;
}

static inline const struct snrt_fetch *code_of(const struct snrt_program *p)
{
	return (const struct snrt_fetch *)(p + 1);
}

uint64_t snrt_values_enter(const uint64_t *regs, const uint8_t *after_enter, uint64_t *slot)
{
	const struct snrt_program *p = program_of(after_enter - 5);
	struct snrt_values values;
	struct machine m = {.regs = regs, .slot = (uint64_t)slot, .out = &values};
	uint32_t n;

	if (!p)
		return snrt_enter_with(slot, after_enter, NULL);
	n = p->n_tests ? 0 : count_registers(code_of(p), p->n_enter);
	if (n && snrt_enter_registers(slot, after_enter, regs, code_of(p), n))
		return 0;
	snrt_this(); /* forgets what a dead thread has left: readable_bytes() uses it */
	if (p->n_tests && !passes(&m, code_of(p), p->n_tests))
		return snrt_body_of(after_enter);
	values.n_words = 0;
	values.counter = 0;
	run(&m, code_of(p) + p->n_tests, p->n_enter);
	return snrt_enter_with(slot, after_enter, &values);
}

/* Returns the program of a function that returns; NULL if it has none. */
static const struct snrt_program *find_program(uint32_t id)
{
	for (uint32_t i = 0; i < snrt_process.n_images; i++) {
		const struct snrt_image *image = &snrt_process.images[i];
		uint32_t k = id - snrt_process.first_id[i];

		if (k < image->n_thunks)
			return program_of((const uint8_t *)image->area + SNRT_HOOK_BYTES +
					  (uint64_t)k * SNRT_THUNK_BYTES);
	}
	return NULL;
}

/* The function that returns is on top, except after longjmp() and on stacks of coroutines. */
static uint32_t returning_id(const struct snrt_thread *t, const uint64_t *slot)
{
	const struct entry *e = (const struct entry *)t->shadow;

	return (e->slot & ~ENTRY_SLOW) == (uint64_t)slot ? e->id : 0;
}

uint64_t snrt_values_leave(const uint64_t *regs, uint64_t *slot)
{
	struct snrt_values values;
	struct machine m = {.regs = regs, .slot = (uint64_t)slot, .out = &values};
	struct snrt_thread *t = snrt_this();
	uint32_t id = returning_id(t, slot), n;
	const struct snrt_program *p = id ? find_program(id) : NULL;
	const struct snrt_fetch *f;
	uint64_t ret;

	if (!p || !p->n_leave)
		return snrt_leave_with(slot, NULL);
	f = code_of(p) + p->n_tests + p->n_enter;
	n = count_registers(f, p->n_leave);
	ret = n ? snrt_leave_registers(t, slot, regs, f, n) : 0;
	if (ret)
		return ret;
	values.n_words = 0;
	values.counter = arch_counter();
	run(&m, f, p->n_leave);
	return snrt_leave_with(slot, &values);
}

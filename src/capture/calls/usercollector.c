// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * usercollector.c - merges the threads' events by time and packs them into pages.
 *
 *	ring of a thread ──▶ cursor ─┐                ┌─▶ page of CPU 0 ──▶ take()
 *	ring of a thread ──▶ cursor ─┼─▶ heap by time ┼─▶ page of CPU 1 ──▶ take()
 *	ring of a thread ──▶ cursor ─┘                └─▶ …
 *
 * A round takes the time first and then reads only records that are older. So whatever comes later
 * in any ring belongs to a later round, and each CPU's pages are in the order of time. Two things
 * break this rule, both when a thread loses its CPU inside the hook:
 *  - it has reserved a place, but not written it. Its record is older than others that exist, so
 *    the round and the merging end until the record comes. After HOLD_US, or when a ring becomes
 *    full, the others continue.
 *  - it has read the time, but not reserved the place. Nothing shows that.
 * A record that comes too late gets the time of the last event of its CPU and is counted (n_late).
 *
 * A thread's records are on the CPU that it noted last. An entry that is followed directly by its
 * exit becomes one event.
 *
 * Work is proportional to the records: a heap entry is replaced only when another thread has an
 * older event. Measured with four threads on two CPUs; see tests/bench.
 */
#include "capture/calls/cursor_int.h"

#include "base/scope.h"
#include "capture/calls/userclock.h"
#include "capture/steer/userstats.h"
#include "format/bytes.h"
#include "runtime/snrt.h"
#include "store/pagebuilder.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MARGIN_COUNTS 2000 /* below a microsecond: the order of a store and of the counter */
#define SPINS	      200  /* a record that is being written comes soon */
#define HOLD_US	      10000
#define GIVE_UP_US    1000000 /* a reserved place that is not written any more */
#define LOOK_US	      200000  /* how often to see whether quiet threads still exist */
#define WAIT_MIN_US   500
#define WAIT_MAX_US   8000
#define CALL_MAX_NS   4000000000u
#define CLOCK_BAD_NS  1000000 /* the counter is off by this after the first comparisons */

struct usercpu {
	struct pagebuilder pb; /* its ts is the time of the last event */
	int64_t missed;
	bool is_open;  /* the page has been begun */
	bool is_fresh; /* something came since the last flush */
};

struct usercollector {
	struct usercollector_config config;
	struct userclock clock;
	struct cursor_round round;
	struct usercollector_sum sum;
	struct cursor *cursors[SNRT_SLOTS];
	struct cursor *heap[SNRT_SLOTS];
	uint32_t n_heap;
	struct usercpu *cpus;
	uint64_t counts_per_us;
	uint64_t looked; /* counter */
	unsigned wait_us;
	uint64_t fullest; /* bytes that wait in one ring */
	uint32_t n_used;  /* slots */
	bool is_final;
	bool wants_cut;
	int error;
};

struct usercollector *usercollector_new(const struct usercollector_config *config)
{
	struct usercollector *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->config = *config;
	c->cpus = calloc(config->n_cpus, sizeof(*c->cpus));
	if (!c->cpus) {
		free(c);
		return NULL;
	}
	userclock_init(&c->clock);
	c->counts_per_us = (UINT64_C(1000) << USERCLOCK_SHIFT) / c->clock.rate + 1;
	c->round = (struct cursor_round){
		.config = &c->config,
		.call_counts = (uint64_t)(((unsigned __int128)CALL_MAX_NS << USERCLOCK_SHIFT) /
					  c->clock.rate),
		.delay = config->delay_counts,
		.sum = &c->sum,
	};
	c->wait_us = WAIT_MIN_US;
	return c;
}

void usercollector_free(struct usercollector *c)
{
	if (!c)
		return;
	for (uint32_t slot = 0; slot < SNRT_SLOTS; slot++)
		if (c->cursors[slot]) {
			cursor_close(c->cursors[slot]);
			free(c->cursors[slot]);
		}
	for (unsigned cpu = 0; cpu < c->config.n_cpus; cpu++)
		pagebuilder_release(&c->cpus[cpu].pb);
	free(c->cpus);
	free(c);
}

/*
 * --- pages -------------------------------------------------------------------------------------
 */

static int close_page(struct usercollector *c, struct usercpu *cpu)
{
	struct piece page;
	int r;

	if (!cpu->is_open)
		return 0;
	page = pagebuilder_end(&cpu->pb);
	cpu->is_open = false;
	r = c->config.take(c->config.ctx, cpu - c->cpus, page.data, page.len);
	c->wants_cut |= r > 0;
	return r < 0 ? r : 0;
}

/* Between two events of the merged stream. */
static int cut(struct usercollector *c)
{
	c->wants_cut = false;
	for (unsigned i = 0; i < c->config.n_cpus; i++)
		TRY(close_page(c, &c->cpus[i]));
	c->wants_cut = false;
	return c->config.cut(c->config.ctx);
}

static int begin_page(struct usercollector *c, struct usercpu *cpu, uint64_t ns)
{
	if (!cpu->pb.page)
		TRY(pagebuilder_init_host(&cpu->pb, c->config.page_size));
	pagebuilder_begin(&cpu->pb, ns, cpu->missed);
	cpu->missed = 0;
	cpu->is_open = true;
	cpu->is_fresh = true;
	return 0;
}

/* Losses, the first event of a page, the last one, a long time in between. */
static int put_slowly(struct usercollector *c, struct cursor *cur, struct usercpu *cpu, uint64_t ns,
		      const void *record, uint32_t n_bytes)
{
	if (cur->lost) {
		int r = close_page(c, cpu);

		cpu->missed += (int64_t)cur->lost;
		cur->lost = 0;
		TRY(r);
	}
	for (int i = 0; i < 2; i++) {
		if (!cpu->is_open)
			TRY(begin_page(c, cpu, ns));
		if (pagebuilder_add(&cpu->pb, ns, record, n_bytes))
			return 0;
		TRY(close_page(c, cpu));
		if (c->wants_cut)
			TRY(cut(c));
	}
	return -EINVAL;
}

/* An event with texts. */
static int put_texts(struct usercollector *c, struct cursor *cur, struct usercpu *cpu, uint64_t ns,
		     const struct userevents_record *head)
{
	const struct cursor_event *ev = &cur->event;
	struct userevents_long record;
	uint32_t n_bytes;

	record.head = *head;
	n_bytes = userevents_fill_texts(&record, cur->texts->args, ev->args_len, cur->texts->ret,
					ev->ret_len);
	return put_slowly(c, cur, cpu, ns, &record, n_bytes);
}

/* Open calls, because a rule asks for them. */
static int put_stack(struct usercollector *c, struct cursor *cur)
{
	const struct cursor_event *ev = &cur->event;
	struct usercpu *cpu = &c->cpus[cur->cpu];
	uint64_t ns = userclock_ns(&c->clock, ev->counter);
	struct userevents_record record = {
		.type = ev->type, .pid = cur->tid, .func = ev->func, .depth = ev->depth};

	c->sum.n_events++;
	cur->has_event = false;
	return put_texts(c, cur, cpu, ns < cpu->pb.ts ? cpu->pb.ts : ns, &record);
}

static inline int put_event(struct usercollector *c, struct cursor *cur)
{
	const struct cursor_event *ev = &cur->event;
	struct usercpu *cpu = &c->cpus[cur->cpu];
	struct pagebuilder *pb = &cpu->pb;
	uint64_t ns = userclock_ns(&c->clock, ev->counter), delta;
	uint32_t n_bytes =
		ev->type == USEREVENTS_CALL ? USEREVENTS_CALL_BYTES : USEREVENTS_SHORT_BYTES;
	struct userevents_record record = {
		.type = ev->type, .pid = cur->tid, .func = ev->func, .depth = ev->depth};

	if (__builtin_expect(ev->type >= USEREVENTS_STACK, 0))
		return put_stack(c, cur);
	if (ev->type == USEREVENTS_CALL)
		record.duration_ns = userclock_ns(&c->clock, ev->end) - ns;
	if (__builtin_expect(ns < pb->ts, 0)) {
		ns = pb->ts;
		c->sum.n_late++;
	}
	c->sum.n_events++;
	c->sum.n_calls += ev->type != USEREVENTS_EXIT;
	if (c->config.stats && ev->type != USEREVENTS_EXIT)
		userstats_add(c->config.stats, userevents_number(ev->func),
			      ev->type == USEREVENTS_CALL, record.duration_ns);
	cur->has_event = false;
	delta = ns - pb->ts;
	if (__builtin_expect(ev->args_len || ev->ret_len, 0))
		return put_texts(c, cur, cpu, ns, &record);
	if (__builtin_expect(!cpu->is_open || cur->lost || delta >> SNF_DELTA_BITS ||
				     pb->end - pb->pos < 4 + USEREVENTS_CALL_BYTES,
			     0))
		return put_slowly(c, cur, cpu, ns, &record, n_bytes);
	pagebuilder_put(pb, (uint32_t)delta, &record, n_bytes);
	pb->ts = ns;
	return 0;
}

/*
 * --- merging -----------------------------------------------------------------------------------
 */

static inline uint64_t heap_time(const struct usercollector *c, uint32_t i)
{
	return i < c->n_heap ? c->heap[i]->event.counter : UINT64_MAX;
}

/* The cursor at i has another time, or is another one: moves it down to its place. */
static void sift_down(struct usercollector *c, uint32_t i)
{
	struct cursor *cur = c->heap[i];

	for (;;) {
		uint32_t child = 2 * i + 1;

		if (heap_time(c, child + 1) < heap_time(c, child))
			child++;
		if (child >= c->n_heap || heap_time(c, child) >= cur->event.counter)
			break;
		c->heap[i] = c->heap[child];
		i = child;
	}
	c->heap[i] = cur;
}

static uint64_t micros_since(const struct usercollector *c, uint64_t counter)
{
	return c->round.now > counter ? (c->round.now - counter) / c->counts_per_us : 0;
}

/* The thread lost its CPU while it wrote, or was killed there. True: the others must wait. */
static bool must_hold(struct usercollector *c, struct cursor *cur)
{
	if (!cur->stuck_since || cur->stuck_at != cur->tail) {
		cur->stuck_at = cur->tail;
		cur->stuck_since = c->round.now;
	}
	return micros_since(c, cur->stuck_since) <= HOLD_US && c->fullest < SNRT_RING_BYTES / 2;
}

/* No thread will write there: it was killed, or left a signal handler by longjmp(). */
static bool is_hopeless(const struct usercollector *c, const struct cursor *cur)
{
	return cur->is_gone || (cur->stuck_since && cur->stuck_at == cur->tail &&
				micros_since(c, cur->stuck_since) > GIVE_UP_US);
}

/*
 * cursor_fetch(), but with patience: a record that is seen half done is complete a moment later.
 * CURSOR_STUCK: the round must end.
 */
static enum cursor_result fetch(struct usercollector *c, struct cursor *cur)
{
	enum cursor_result got = cursor_fetch(cur, &c->round);

	for (int i = 0; got == CURSOR_STUCK && i < SPINS; i++) {
#if defined(__x86_64__) || defined(__i386__)
		__builtin_ia32_pause();
#endif
		got = cursor_fetch(cur, &c->round);
	}
	while (got == CURSOR_STUCK && is_hopeless(c, cur)) {
		cursor_skip(cur, &c->round);
		got = cursor_fetch(cur, &c->round);
	}
	return got == CURSOR_STUCK && !must_hold(c, cur) ? CURSOR_NONE : got;
}

/*
 * Takes events in the order of time, until it has to wait for a thread. It takes events of the
 * oldest thread as long as that is the oldest.
 */
static int merge(struct usercollector *c)
{
	int r = 0;

	while (c->n_heap && r >= 0) {
		struct cursor *cur = c->heap[0];
		uint64_t second = heap_time(c, 1);
		enum cursor_result got = CURSOR_EVENT;

		if (heap_time(c, 2) < second)
			second = heap_time(c, 2);
		do {
			r = put_event(c, cur);
			if (cur->tail - cur->released >= CURSOR_RELEASE_BYTES)
				cursor_release(cur);
			got = cursor_fetch(cur, &c->round);
		} while (got == CURSOR_EVENT && cur->event.counter <= second && r >= 0);
		if (got == CURSOR_STUCK)
			got = fetch(c, cur);
		if (got == CURSOR_STUCK)
			return r;
		if (got != CURSOR_EVENT)
			c->heap[0] = c->heap[--c->n_heap];
		if (c->n_heap)
			sift_down(c, 0);
	}
	return r;
}

/*
 * --- threads -----------------------------------------------------------------------------------
 */

static void tell_thread(const struct usercollector *c, const struct cursor *cur)
{
	if (c->config.tell_thread)
		c->config.tell_thread(c->config.ctx, cur->plan, cur->pid, cur->tid);
}

/*
 * exec() leaves the slot of its thread as it was; the new program has taken another. If both come
 * in one round, the new one may be seen first: its slot must stay, or the program would lose the
 * memory under its hooks.
 */
static void find_replaced(struct usercollector *c, struct cursor *cur)
{
	for (uint32_t slot = 0; slot < SNRT_SLOTS; slot++) {
		struct cursor *other = c->cursors[slot];

		if (!other || other == cur || other->tid != cur->tid ||
		    other->pid_ns != cur->pid_ns || other->plan == cur->plan)
			continue;
		if (other->serial < cur->serial)
			other->is_gone = true;
		else
			cur->is_gone = true;
	}
}

static struct cursor *open_slot(struct usercollector *c, uint32_t slot)
{
	struct cursor *cur = malloc(sizeof(*cur));

	if (!cur)
		return NULL;
	c->cursors[slot] = cur;
	if (!cursor_open(cur, &c->round, slot)) {
		c->sum.n_broken++;
		return cur;
	}
	c->sum.n_threads++;
	find_replaced(c, cur);
	tell_thread(c, cur);
	return cur;
}

/* What the thread lost after its last event is missing on the CPU where it was. */
static void count_rest(struct usercollector *c, struct cursor *cur)
{
	uint64_t untold = __atomic_load_n(&cur->thread->n_untold, __ATOMIC_RELAXED);
	uint64_t deep = __atomic_load_n(&cur->thread->n_deep, __ATOMIC_RELAXED);

	cursor_add_lost(cur, &c->round, untold);
	/* a hostile number must not spoil the sum */
	c->sum.n_deep += deep < UINT64_C(1) << 48 ? deep : 0;
	c->cpus[cur->cpu].missed += (int64_t)cur->lost;
	cur->lost = 0;
}

static void close_slot(struct usercollector *c, struct cursor *cur)
{
	uint32_t slot = cur->slot;

	if (!cur->is_broken) {
		count_rest(c, cur);
		tell_thread(c, cur);
	}
	cursor_close(cur);
	free(cur);
	c->cursors[slot] = NULL;
	userrings_free_slot(c->config.rings, slot);
}

/* A slot whose thread has ended, or was killed, or called exec(), and that has been read. */
static bool is_over(struct usercollector *c, struct cursor *cur, bool looks)
{
	if (c->is_final) /* the programs may run on: their slots stay as they are */
		return false;
	if (!cur->is_broken && (cur->has_event || cur->tail < cur->head))
		return false;
	if (looks)
		cur->is_gone |= cursor_is_thread_gone(cur);
	/* what it wrote since the round began */
	return cur->is_gone && (cur->is_broken ||
				__atomic_load_n(&cur->thread->head, __ATOMIC_ACQUIRE) == cur->head);
}

/* Brings a slot into the round. False: another thread must be waited for. */
static bool add_slot(struct usercollector *c, uint32_t slot)
{
	struct cursor *cur = c->cursors[slot];
	enum cursor_result got = CURSOR_EVENT;

	if (!cur)
		cur = open_slot(c, slot);
	if (!cur || cur->is_broken)
		return true;
	if (!cursor_begin_round(cur, &c->round)) {
		c->sum.n_broken++;
		return true;
	}
	if (cur->head - cur->tail > c->fullest)
		c->fullest = cur->head - cur->tail;
	if (!cur->has_event)
		got = fetch(c, cur);
	if (got == CURSOR_EVENT)
		c->heap[c->n_heap++] = cur;
	return got != CURSOR_STUCK;
}

static int run_round(struct usercollector *c)
{
	uint64_t before = c->sum.n_events;
	bool can_go = true, looks;
	int r = 0;

	c->n_heap = 0;
	c->fullest = 0;
	/* threads that come and go need their slots back soon */
	looks = micros_since(c, c->looked) > LOOK_US || c->n_used > SNRT_SLOTS / 4;
	if (looks)
		c->looked = c->round.now;
	for (uint32_t slot = 0; slot < SNRT_SLOTS; slot++)
		if (userrings_state(c->config.rings, slot) == SNRT_LIVE || c->cursors[slot])
			can_go &= add_slot(c, slot);
	for (uint32_t i = c->n_heap / 2; i-- > 0;)
		sift_down(c, i);
	if (can_go)
		r = merge(c);
	c->n_used = 0;
	for (uint32_t slot = 0; slot < SNRT_SLOTS; slot++) {
		struct cursor *cur = c->cursors[slot];

		if (!cur)
			continue;
		c->n_used++;
		if (!cur->is_broken) {
			cursor_release(cur);
			cursor_wake(cur);
		}
		if (is_over(c, cur, looks))
			close_slot(c, cur);
	}
	if (c->sum.n_events != before)
		c->wait_us = WAIT_MIN_US;
	else if (c->wait_us < WAIT_MAX_US)
		c->wait_us *= 2;
	return r;
}

int usercollector_round(struct usercollector *c)
{
	if (c->error)
		return c->error;
	c->round.now = userclock_counter();
	c->round.end = c->round.now - MARGIN_COUNTS - c->round.delay;
	c->error = run_round(c);
	if (c->error)
		return c->error;
	if (!c->n_heap) /* everything before it was converted */
		userclock_adjust(&c->clock, c->round.end);
	/* a full ring keeps its program waiting, or loses records */
	return c->fullest > SNRT_RING_BYTES / 4 ? 0 : (int)c->wait_us;
}

int usercollector_put(struct usercollector *c, const void *record, uint32_t n_bytes)
{
	uint64_t ns = userclock_ns(&c->clock, c->round.end);
	struct usercpu *cpu = &c->cpus[0];

	if (c->error)
		return c->error;
	if (c->n_heap)
		return -EAGAIN;
	if (ns < cpu->pb.ts)
		ns = cpu->pb.ts;
	for (int i = 0; i < 2 && !c->error; i++) {
		if (!cpu->is_open)
			c->error = begin_page(c, cpu, ns);
		if (!c->error && pagebuilder_add(&cpu->pb, ns, record, n_bytes)) {
			c->sum.n_events++;
			return 0;
		}
		if (!c->error)
			c->error = close_page(c, cpu);
	}
	return c->error ? c->error : -EINVAL;
}

int usercollector_flush(struct usercollector *c)
{
	for (unsigned cpu = 0; cpu < c->config.n_cpus && !c->error; cpu++) {
		struct usercpu *u = &c->cpus[cpu];

		if (!u->is_fresh)
			continue;
		u->is_fresh = false;
		c->error = close_page(c, u);
		if (!c->error && c->config.flush)
			c->error = c->config.flush(c->config.ctx, cpu);
	}
	return c->error;
}

/* Losses after a CPU's last event: a page without events says how many. */
static int put_last_losses(struct usercollector *c)
{
	for (unsigned i = 0; i < c->config.n_cpus && !c->error; i++) {
		struct usercpu *cpu = &c->cpus[i];
		uint64_t ns = userclock_ns(&c->clock, c->round.end);

		if (!cpu->missed)
			continue;
		c->error = close_page(c, cpu);
		if (!c->error)
			c->error = begin_page(c, cpu, ns < cpu->pb.ts ? cpu->pb.ts : ns);
	}
	return c->error;
}

int usercollector_finish(struct usercollector *c)
{
	/*
	 * The first round takes what is there, the second what came meanwhile, the third what a
	 * thread was writing; what was not written then never will be.
	 */
	c->is_final = true;
	c->round.delay = 0;
	for (int i = 0; i < 4 && !c->error; i++) {
		c->round.now = userclock_counter();
		c->round.end = c->round.now - (i < 2 ? MARGIN_COUNTS : 0);
		for (uint32_t slot = 0; slot < SNRT_SLOTS && i == 3; slot++)
			if (c->cursors[slot])
				c->cursors[slot]->is_gone = true;
		c->error = run_round(c);
		if (i < 3)
			usleep(i ? 1000 : 100);
	}
	for (uint32_t slot = 0; slot < SNRT_SLOTS && !c->error; slot++) {
		struct cursor *cur = c->cursors[slot];

		if (!cur || cur->is_broken)
			continue;
		count_rest(c, cur);
		c->sum.n_broken += cur->tail < cur->head; /* records of a time to come */
	}
	put_last_losses(c);
	return usercollector_flush(c);
}

void usercollector_get_sum(const struct usercollector *c, struct usercollector_sum *ret)
{
	*ret = c->sum;
	ret->clock_is_bad = c->clock.error_ns > CLOCK_BAD_NS || c->clock.error_ns < -CLOCK_BAD_NS;
}

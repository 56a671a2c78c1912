// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * callflow.c - follows the calls of every task.
 *
 *	enter, depth d   the returns of calls from depth d on were lost; the new call is pushed
 *	leave, depth d   the returns of calls above d were lost; the call at d ends
 *	whole            a call that ends by itself when its time has passed: calls of the kernel
 *	                 may come in between. Without such events in the file it ends at once
 *
 * A leave has no duration if its call is not open, or if events were lost since the call began. The
 * kernel's leaves contain their duration.
 *
 * Self time: a call that ends adds its duration to `inner` of the next lower frame that is shown. A
 * call that is not shown adds only its own `inner`, so its self time counts for its caller.
 *
 * In a recursion, the total time of a function must count only the outermost call. So a frame knows
 * whether it is the outermost one of its function: `open_bits` of its task has a bit for each of
 * the first functions, and the map `open` has the others. A function that calls itself directly
 * needs no look-up.
 *
 * Most events are simple: calls of programs alone, of the task of the event before, no filter, and
 * a depth that fits what is open. callflow_run() takes them right from a sub-buffer, 10 ns each;
 * all other code handles any event.
 *
 * While user functions are switched off (symbols/pauses.h), it is unknown what the last open call
 * of a task calls. That time counts as inner: not as its self time.
 *
 * With a range, all calls are followed, but the sink hears only of those that overlap it: of calls
 * that were open before when their task has its first event in it.
 *
 * Memory: 64 bytes a frame. FRAMES_MAX_BYTES hold 4 million frames of all tasks; one task has at
 * most DEPTH_MAX, ten times what a stack of 8 MB usually allows.
 */
#include "analyse/calls/callflow_int.h"

#include "base/arena.h"
#include "base/array.h"
#include "decode/formats/formats.h"
#include "format/bytes.h"
#include "symbols/kallsyms.h"
#include "symbols/pauses.h"
#include "symbols/tasks.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#define KERNEL_DEPTH_MAX 64 /* the kernel's is 50 */
#define FRAMES_MAX_BYTES (256u << 20)
#define TASKS_MAX	 65536
#define FUNCS_MAX	 (1u << 20)
#define ARENA_MAX_BYTES	 (192u << 20)
#define COMMON_BYTES	 8	     /* of a record: what all events have */
#define NOT_OPEN	 ((void *)1) /* in a map, which must keep its keys */

/*
 * --- functions ---------------------------------------------------------------------------------
 */

static void name_func(struct callflow *cf, struct flow_func *fn)
{
	const struct ksym *sym = kallsyms_find(formats_kallsyms(cf->f), fn->addr);
	char hex[24];

	if (sym) {
		fn->name = arena_strndup(&cf->arena, sym->name, sym->name_len);
		if (sym->module)
			fn->module = arena_strndup(&cf->arena, sym->module, sym->module_len);
	} else {
		snprintf(hex, sizeof(hex), "0x%llx", (unsigned long long)fn->addr);
		fn->name = arena_strndup(&cf->arena, hex, strlen(hex));
	}
	if (!fn->name)
		fn->name = "?"; /* no memory: such functions share a name, but are counted */
	fn->name_len = (uint32_t)strlen(fn->name);
}

static bool is_same_name(const struct flow_func *a, const struct flow_func *b)
{
	return !strcmp(a->name, b->name) && !a->module == !b->module &&
	       (!a->module || !strcmp(a->module, b->module));
}

/* The function of a program that has the same name in the same file; itself if it is the first. */
static struct flow_func *unify(struct callflow *cf, struct flow_func *fn)
{
	uint64_t key = hash_text(cf->seed, fn->name, fn->name_len, (size_t)1 << 62);
	void **slot = map_take(&cf->by_name, key, FUNCS_MAX);

	if (!slot)
		return fn;
	if (*slot)
		return is_same_name(*slot, fn) ? *slot : fn;
	*slot = fn;
	return fn;
}

static struct flow_func *new_func(struct callflow *cf, uint64_t addr, bool is_user)
{
	struct flow_func *fn = arena_alloc(&cf->arena, sizeof(*fn)), *same;

	if (!fn)
		return NULL;
	fn->addr = addr;
	fn->is_user = is_user;
	if (cf->part && !is_user)
		fn->name = "?"; /* the whole names it */
	else
		name_func(cf, fn);
	same = is_user && !cf->config->by_address ? unify(cf, fn) : fn;
	if (same != fn)
		return same;
	fn->source = is_user ? formats_find_source(cf->f, addr) : NULL;
	fn->number = cf->n_funcs++;
	if (cf->part)
		callparts_note_func(cf, fn);
	if (cf->config->filter)
		fn->verdict = (uint8_t)callfilter_judge(cf->config->filter, fn->name, fn->module,
							fn->source, is_user);
	return fn;
}

/* The kernel's are odd. */
static inline uint64_t func_key(uint64_t addr, bool is_user)
{
	return addr << 1 | !is_user;
}

static inline struct known_func *func_place(struct callflow *cf, uint64_t addr)
{
	return &cf->cache[(addr >> 4 ^ addr >> 14) % CACHE_SLOTS]; /* functions are aligned to 16 */
}

static __attribute__((noinline)) struct flow_func *find_func_slow(struct callflow *cf,
								  uint64_t addr, bool is_user)
{
	uint64_t key = func_key(addr, is_user);
	void **slot = map_take(&cf->funcs, key, FUNCS_MAX);

	if (!slot)
		return NULL;
	if (!*slot)
		*slot = new_func(cf, addr, is_user);
	*func_place(cf, addr) = (struct known_func){key, *slot};
	return *slot;
}

static inline struct flow_func *find_func(struct callflow *cf, uint64_t addr, bool is_user)
{
	const struct known_func *known = func_place(cf, addr);

	if (__builtin_expect(known->func && known->key == func_key(addr, is_user), 1))
		return known->func;
	return find_func_slow(cf, addr, is_user);
}

/*
 * --- tasks -------------------------------------------------------------------------------------
 */

static int64_t who_is(const struct record *rec)
{
	return rec->task && rec->task->pid ? rec->task->pid : -1 - (int64_t)rec->cpu;
}

static __attribute__((noinline)) struct flow_task *take_slow(struct callflow *cf,
							     const struct record *rec, int64_t who)
{
	struct flow_task *t;
	void **slot;

	slot = map_take(&cf->tasks, (uint64_t)who, TASKS_MAX);
	if (!slot)
		return NULL;
	if (!*slot) {
		t = arena_alloc(&cf->arena, sizeof(*t));
		if (!t)
			return NULL;
		t->who = who;
		t->next = cf->list;
		cf->list = t;
		*slot = t;
	}
	t = cf->last = *slot;
	t->task = rec->task;
	return t;
}

struct flow_task *callflow_take(struct callflow *cf, const struct record *rec)
{
	int64_t who = who_is(rec);

	return cf->last && cf->last->who == who ? cf->last : take_slow(cf, rec, who);
}

struct flow_task *callflow_task(struct callflow *cf, const struct record *rec)
{
	int64_t who = who_is(rec);

	return cf->last && cf->last->who == who ? cf->last : map_find(&cf->tasks, (uint64_t)who);
}

struct flow_task *callflow_find(struct callflow *cf, int pid)
{
	return pid ? map_find(&cf->tasks, (uint64_t)(int64_t)pid) : NULL;
}

bool callflow_grow(struct callflow *cf, struct flow_task *t, uint32_t n)
{
	uint32_t before = t->cap;
	size_t max = before + (FRAMES_MAX_BYTES - cf->frames_bytes) / sizeof(*t->frames);

	if (!ARRAY_ROOM(t->frames, t->cap, n, max))
		return false;
	cf->frames_bytes += (size_t)(t->cap - before) * sizeof(*t->frames);
	return true;
}

/*
 * --- the end of a call --------------------------------------------------------------------------
 */

static bool is_counted(const struct callflow *cf, const struct flow_frame *f,
		       const struct flow_end *end)
{
	const uint32_t needs = FLOW_SHOWN | FLOW_LEADS;

	return (f->flags & needs) == needs &&
	       (end->whole >= cf->min_duration || !(end->is_known || end->is_open));
}

static __attribute__((noinline)) void close_in_map(struct flow_task *t, const struct flow_func *fn)
{
	void **slot = map_take(&t->open, (uintptr_t)fn, DEPTH_MAX);

	if (slot)
		*slot = NOT_OPEN;
}

static inline void note_closed(struct flow_task *t, const struct flow_func *fn)
{
	if (fn->number < FLOW_BITS)
		t->open_bits[fn->number / 64] &= ~(UINT64_C(1) << fn->number % 64);
	else
		close_in_map(t, fn);
}

/*
 * --- a range of time ----------------------------------------------------------------------------
 */

static bool overlaps(const struct callflow *cf, uint64_t start, uint64_t end)
{
	return !cf->has_range || (end >= cf->config->from && start <= cf->config->to);
}

static inline bool overlaps_now(const struct callflow *cf, uint64_t now)
{
	return overlaps(cf, now, now);
}

/* The sink hears of the calls that were open before the range. */
static __attribute__((noinline)) void tell_open(struct callflow *cf, struct flow_task *t)
{
	uint32_t n = t->n;

	t->is_told = true;
	for (t->n = 1; t->n <= n; t->n++) {
		struct flow_frame *f = &t->frames[t->n - 1];

		if (!(f->flags & FLOW_SHOWN) || f->flags & FLOW_TOLD)
			continue;
		f->flags |= FLOW_TOLD;
		if (cf->sink->enter)
			cf->sink->enter(cf->sink->ctx, t, f);
	}
	t->n = n;
}

/* Returns false if the call is outside of the range. */
static __attribute__((noinline)) bool clip(struct callflow *cf, struct flow_task *t,
					   const struct flow_frame *f, struct flow_end *end)
{
	uint64_t from = cf->config->from, to = cf->config->to, start = f->start;
	bool has_time = end->is_known || end->is_open;

	if (!overlaps(cf, start, end->ts)) {
		end->duration = 0;
		return false;
	}
	end->is_before = start < from;
	end->is_after = has_time && end->ts > to;
	start = start < from ? from : start;
	end->ts = end->ts > to ? to : end->ts;
	if (has_time)
		end->duration = end->ts > start ? end->ts - start : 0;
	cf->counts.n_clipped += end->is_before || end->is_after;
	if (!(f->flags & FLOW_TOLD))
		tell_open(cf, t);
	return true;
}

/* Takes the last frame off. */
static inline void pop(struct callflow *cf, struct flow_task *t, struct flow_end *end,
		       const struct record *rec)
{
	struct flow_frame *f = &t->frames[t->n - 1], *up = flow_caller(t, f);

	/* An unknown caller is not shown, but its return may still come. */
	if (t->n > 1 && !f[-1].func)
		up = f - 1;
	if (!f->func) {
		if (up)
			up->inner += f->inner;
	} else {
		bool has_time = end->is_known || end->is_open, is_inside;

		end->whole = end->duration;
		is_inside = !cf->has_range || clip(cf, t, f, end);
		end->self = has_time && end->duration > f->inner ? end->duration - f->inner : 0;
		end->is_counted = is_counted(cf, f, end);
		if (up)
			up->inner += end->is_counted && has_time ? end->duration : f->inner;
		if (f->flags & FLOW_SHOWN && is_inside)
			cf->sink->leave(cf->sink->ctx, t, f, end, rec);
		if (f->flags & FLOW_OUTERMOST)
			note_closed(t, f->func);
	}
	t->n--;
	if (t->n < t->n_user)
		t->n_user = t->n;
}

/*
 * A program's call that did not return although nothing was lost (exec, pthread_exit, the end of
 * the trace) lasts until the last event of its task. If events were lost since it began, its end
 * may be among them, so it has no time.
 */
static void end_without_return(struct callflow *cf, const struct flow_task *t,
			       const struct flow_frame *f, uint32_t epoch, struct flow_end *end)
{
	bool is_user = f->flags & FLOW_USER;

	if (!is_user || f->epoch != epoch) {
		cf->counts.n_lost += overlaps(cf, f->start, end->ts);
		cf->counts.n_cut += is_user && overlaps(cf, f->start, end->ts);
		return;
	}
	end->ts = t->last_ts;
	end->duration = end->ts > f->start ? end->ts - f->start : 0;
	end->is_open = true;
	cf->counts.n_open += overlaps(cf, f->start, end->ts);
}

void callflow_lose_above(struct callflow *cf, struct flow_task *t, uint32_t n,
			 const struct record *rec)
{
	while (t->n > n) {
		struct flow_frame *f = &t->frames[t->n - 1];
		struct flow_end end = {.ts = rec->ts};

		if (f->end) {
			end.ts = f->end;
			end.duration = f->end - f->start;
			end.is_known = true;
		} else if (f->func) {
			end_without_return(cf, t, f, cf->epochs[rec->source % EPOCHS], &end);
		}
		pop(cf, t, &end, rec);
	}
}

/* A whole call whose time has passed ends. */
static void settle(struct callflow *cf, struct flow_task *t, const struct record *rec, bool is_user)
{
	struct flow_frame *f = t->n_user ? &t->frames[t->n_user - 1] : NULL;

	if (!f || !f->end || (!is_user && (t->n > t->n_user || rec->ts < f->end)))
		return;
	callflow_lose_above(cf, t, t->n_user - 1, rec);
}

/*
 * --- the beginning -----------------------------------------------------------------------------
 */

static __attribute__((noinline)) bool is_in_map(const struct flow_task *t,
						const struct flow_func *fn)
{
	const void *value = map_find(&t->open, (uintptr_t)fn);

	return value && value != NOT_OPEN;
}

static inline bool is_open(const struct flow_task *t, const struct flow_func *fn)
{
	if (fn->number < FLOW_BITS)
		return t->open_bits[fn->number / 64] >> fn->number % 64 & 1;
	return is_in_map(t, fn);
}

static __attribute__((noinline)) bool open_in_map(struct flow_task *t, struct flow_func *fn)
{
	void **slot;

	slot = map_take(&t->open, (uintptr_t)fn, DEPTH_MAX);
	if (!slot || (*slot && *slot != NOT_OPEN))
		return false;
	*slot = fn;
	return true;
}

/* Is the function not open in this task? Notes that it is open now. */
static inline bool note_open(struct flow_task *t, struct flow_func *fn)
{
	if (fn->number >= FLOW_BITS)
		return open_in_map(t, fn);
	if (is_open(t, fn))
		return false;
	t->open_bits[fn->number / 64] |= UINT64_C(1) << fn->number % 64;
	return true;
}

bool callflow_open(struct flow_task *t, struct flow_func *fn)
{
	return note_open(t, fn);
}

void callflow_close(struct flow_task *t, const struct flow_func *fn)
{
	note_closed(t, fn);
}

bool callflow_is_open(const struct flow_task *t, const struct flow_func *fn)
{
	return is_open(t, fn);
}

struct flow_func *callflow_func(struct callflow *cf, uint64_t addr, bool is_user)
{
	return find_func(cf, addr, is_user);
}

/* What the filter says about a call below another one. */
static __attribute__((noinline)) void judge(const struct callflow *cf, struct flow_task *t,
					    struct flow_frame *f, const struct flow_frame *below)
{
	uint32_t base = below ? below->flags & (FLOW_INSIDE | FLOW_OUTSIDE) : 0;
	unsigned verdict = f->func->verdict, kinds = cf->filter_kinds;
	bool is_user = f->flags & FLOW_USER, shown;

	if (!(kinds & CALL_ONLY) || verdict & CALL_ONLY)
		base |= FLOW_INSIDE;
	if (verdict & CALL_NEVER ||
	    (!is_user && (cf->drops_kernel || (cf->only_user_first && !t->n_user))))
		base |= FLOW_OUTSIDE;
	shown = (base & (FLOW_INSIDE | FLOW_OUTSIDE)) == FLOW_INSIDE && !(verdict & CALL_HIDE) &&
		!(is_user && cf->drops_user);
	if (cf->max_depth && f->level >= cf->max_depth)
		shown = false;
	f->flags |= base | (shown ? FLOW_SHOWN : 0);
	if (!(kinds & CALL_CALLERS)) {
		f->flags |= FLOW_LEADS;
	} else if (verdict & CALL_CALLERS && shown) {
		f->flags |= FLOW_LEADS | FLOW_OUTSIDE;
		for (uint32_t i = f->up; i; i = t->frames[i - 1].up) {
			if (t->frames[i - 1].flags & FLOW_LEADS)
				break;
			t->frames[i - 1].flags |= FLOW_LEADS;
		}
	}
}

/* An unknown call that would be shown: what it calls is indented. */
static bool is_gap(const struct flow_frame *f)
{
	return !f->func && (f->flags & (FLOW_INSIDE | FLOW_OUTSIDE)) == FLOW_INSIDE;
}

static inline struct flow_frame *push(struct callflow *cf, struct flow_task *t,
				      struct flow_func *fn, const struct call_kind *kind,
				      const struct record *rec)
{
	struct flow_frame *f = &t->frames[t->n], *below = t->n ? f - 1 : NULL;

	*f = (struct flow_frame){.func = fn,
				 .start = rec->ts,
				 .epoch = cf->epochs[rec->source % EPOCHS],
				 .flags = kind->is_user ? FLOW_USER : 0};
	if (below) {
		bool shown = below->flags & FLOW_SHOWN;

		f->up = shown ? t->n : below->up;
		f->level = below->level + (shown || is_gap(below));
	}
	t->n++;
	if (kind->is_user)
		t->n_user = t->n;
	if (!fn) {
		f->flags |= below ? below->flags & (FLOW_INSIDE | FLOW_OUTSIDE)
			    : cf->filter_kinds & CALL_ONLY ? 0
							   : FLOW_INSIDE;
		return f;
	}
	if (cf->has_filter)
		judge(cf, t, f, below);
	else
		f->flags |= FLOW_INSIDE | FLOW_SHOWN | FLOW_LEADS;
	if ((!below || below->func != fn) && note_open(t, fn))
		f->flags |= FLOW_OUTERMOST;
	return f;
}

/* Makes the task's stack have exactly `at` frames, with unknown ones if need be. */
static inline bool level_to(struct callflow *cf, struct flow_task *t, uint32_t at,
			    const struct call_kind *kind, const struct record *rec)
{
	if (t->n > at)
		callflow_lose_above(cf, t, at, rec);
	if (at >= DEPTH_MAX || (at >= t->cap && !callflow_grow(cf, t, at + 1))) {
		cf->counts.n_dropped++;
		return false;
	}
	while (t->n < at)
		push(cf, t, NULL, kind, rec);
	return true;
}

/*
 * If the file has no calls of the kernel, a whole call begins and ends at once. This is the most
 * frequent case, so the call is not even put on the stack. Only without a filter.
 */
static inline void add_whole(struct callflow *cf, struct flow_task *t, struct flow_func *fn,
			     const struct call_event *ev, const struct record *rec)
{
	struct flow_frame *below = t->n ? &t->frames[t->n - 1] : NULL;
	struct flow_frame f = {.func = fn,
			       .start = rec->ts,
			       .end = rec->ts + ev->duration,
			       .flags = FLOW_USER | FLOW_FOLDED | FLOW_INSIDE | FLOW_SHOWN |
					FLOW_LEADS};
	struct flow_end end = {.ts = f.end,
			       .duration = ev->duration,
			       .self = ev->duration,
			       .whole = ev->duration,
			       .is_known = true,
			       .is_counted = true};

	if (below) {
		bool shown = below->flags & FLOW_SHOWN;

		f.up = shown ? t->n : below->up;
		f.level = below->level + (shown || is_gap(below));
		if (f.up)
			t->frames[f.up - 1].inner += ev->duration;
		else
			t->inner_whole += ev->duration;
	}
	if ((!below || below->func != fn) && !is_open(t, fn))
		f.flags |= FLOW_OUTERMOST;
	if (cf->sink->enter)
		cf->sink->enter(cf->sink->ctx, t, &f);
	cf->sink->leave(cf->sink->ctx, t, &f, &end, rec);
}

static void enter(struct callflow *cf, struct flow_task *t, const struct call_kind *kind,
		  const struct call_event *ev, uint32_t at, const struct record *rec)
{
	struct flow_func *fn = find_func(cf, ev->func, kind->is_user);
	struct flow_frame *f;

	if (!fn) {
		cf->counts.n_dropped++;
		return;
	}
	if (!level_to(cf, t, at, kind, rec))
		return;
	if (kind->step == CALL_WHOLE && !cf->kinds.has_kernel && !cf->has_filter &&
	    !cf->has_range) {
		add_whole(cf, t, fn, ev, rec);
		return;
	}
	f = push(cf, t, fn, kind, rec);
	if (kind->step == CALL_WHOLE) {
		f->end = rec->ts + ev->duration;
		f->flags |= FLOW_FOLDED;
	}
	if (f->flags & FLOW_SHOWN && cf->sink->enter && overlaps_now(cf, rec->ts)) {
		f->flags |= FLOW_TOLD;
		cf->sink->enter(cf->sink->ctx, t, f);
	}
	if (kind->step == CALL_WHOLE && !cf->kinds.has_kernel) {
		struct flow_end end = {.ts = f->end, .duration = ev->duration, .is_known = true};

		pop(cf, t, &end, rec);
	}
}

static void leave(struct callflow *cf, struct flow_task *t, const struct call_kind *kind,
		  const struct call_event *ev, uint32_t at, const struct record *rec)
{
	struct flow_func *fn = find_func(cf, ev->func, kind->is_user);
	struct flow_end end = {.ts = rec->ts, .duration = ev->duration};
	struct flow_frame *f;
	uint64_t inner = 0; /* of a call whose beginning is unknown, but not what it called */
	bool is_seen;

	if (!fn) {
		cf->counts.n_dropped++;
		return;
	}
	f = at < t->n && t->frames[at].epoch == cf->epochs[rec->source % EPOCHS] ? &t->frames[at]
										 : NULL;
	is_seen = f && f->func == fn;
	if (!is_seen) {
		if (f && !f->func) {
			callflow_lose_above(cf, t, at + 1, rec);
			inner = f->inner;
			f->inner = 0;
		}
		if (!level_to(cf, t, at, kind, rec))
			return;
		f = push(cf, t, fn, kind, rec);
		f->flags |= FLOW_TOLD;
		f->inner = inner;
		if (ev->has_duration)
			f->start = rec->ts > ev->duration ? rec->ts - ev->duration : 0;
	} else if (t->n > at + 1) {
		callflow_lose_above(cf, t, at + 1, rec);
	}
	end.is_known = is_seen || ev->has_duration;
	if (!ev->has_duration)
		end.duration = rec->ts > f->start ? rec->ts - f->start : 0;
	if (!end.is_known)
		cf->counts.n_unknown += overlaps_now(cf, rec->ts);
	pop(cf, t, &end, rec);
}

/* What is not recorded between two events of a task is no self time. */
static __attribute__((noinline)) void skip_pauses(struct callflow *cf, struct flow_task *t,
						  uint64_t now)
{
	uint64_t from = t->free_ts, to = now, n;

	if (cf->has_range) {
		from = from < cf->config->from ? cf->config->from : from;
		to = to > cf->config->to ? cf->config->to : to;
	}
	t->free_ts = now > t->free_ts ? now : t->free_ts;
	if (!t->n || t->n != t->n_user || from >= to)
		return;
	n = pauses_overlap(cf->pauses, from, to);
	t->frames[t->n - 1].inner += n;
	cf->counts.paused += n;
}

static void note_gap(struct callflow *cf, const struct record *rec)
{
	cf->counts.n_gaps += overlaps_now(cf, rec->ts);
	cf->epochs[rec->source % EPOCHS]++;
}

/* The return of the last call, which was seen. */
static inline void leave_simple(struct callflow *cf, struct flow_task *t, const struct record *rec)
{
	struct flow_frame *f = &t->frames[t->n - 1];
	uint64_t duration = rec->ts > f->start ? rec->ts - f->start : 0;
	struct flow_end end = {.ts = rec->ts,
			       .duration = duration,
			       .whole = duration,
			       .self = duration > f->inner ? duration - f->inner : 0,
			       .is_known = true,
			       .is_counted = true};

	if (t->n > 1)
		f[-1].inner += duration;
	cf->sink->leave(cf->sink->ctx, t, f, &end, rec);
	if (f->flags & FLOW_OUTERMOST)
		note_closed(t, f->func);
	t->n_user = --t->n;
}

/* Takes an event of the task t if its depth fits what is open. False: it does not. */
static inline __attribute__((always_inline)) bool
take_simple(struct callflow *cf, struct flow_task *t, const struct call_kind *kind,
	    const struct record *rec, uint32_t epoch)
{
	const struct flow_frame *top;
	struct call_event ev;
	struct flow_func *fn;

	call_kind_read_plain(kind, rec->data, &ev);
	if (kind->step == CALL_LEAVE) {
		if (!t->n || ev.depth != t->n - 1)
			return false;
		top = &t->frames[t->n - 1];
		if (!top->func || top->func->addr != ev.func || top->epoch != epoch)
			return false;
		leave_simple(cf, t, rec);
	} else {
		if (ev.depth != t->n || ev.depth >= t->cap)
			return false;
		fn = find_func(cf, ev.func, true);
		if (!fn)
			return false;
		if (kind->step == CALL_WHOLE) {
			add_whole(cf, t, fn, &ev, rec);
		} else {
			struct flow_frame *f = push(cf, t, fn, kind, rec);

			if (cf->sink->enter)
				cf->sink->enter(cf->sink->ctx, t, f);
		}
	}
	cf->counts.n_events++;
	t->last_ts = rec->ts;
	return true;
}

void callflow_run(struct callflow *cf, struct walker *w, struct record *rec, uint64_t offset,
		  uint64_t before)
{
	const struct formats *f = cf->f;
	uint32_t epoch = cf->epochs[rec->source % EPOCHS];
	struct flow_task *t = cf->last;
	const uint8_t *pos = w->pos;
	uint64_t ts = w->ts;

	if (!cf->is_simple || !t || t->task != rec->task || t->who <= 0)
		return;
	t->last_cpu = rec->cpu;
	t->source = rec->source;
	while ((size_t)(w->end - pos) >= 4 + COMMON_BYTES) {
		uint32_t header = bytes_get32(pos, false), size = (header & 31) * 4;
		const struct call_kind *kind;

		rec->data = pos + 4;
		kind = &cf->kinds.rows[cf->kinds.by_id[bytes_get16(rec->data + f->type.offset,
								   false)]];
		rec->size = size;
		rec->ts = ts + (header >> 5) + offset;
		/* a type that is not a length is 0 or larger than any plain_size of use */
		if (!kind->is_plain || size < kind->plain_size || size > SNF_TYPE_DATA_MAX * 4 ||
		    size > (size_t)(w->end - pos) - 4 || rec->ts >= before ||
		    (int64_t)bytes_get32(rec->data + f->pid.offset, false) != t->who)
			break;
		rec->event = kind->event;
		if (!take_simple(cf, t, kind, rec, epoch))
			break;
		ts += header >> 5;
		pos += 4 + size;
	}
	w->pos = pos;
	w->ts = ts;
}

static inline __attribute__((always_inline)) void
add_kind(struct callflow *cf, const struct call_kind *kind, const struct record *rec)
{
	struct call_event ev;
	struct flow_task *t;
	uint32_t at;

	if (rec->flags & RECORD_MISSED)
		note_gap(cf, rec);
	if (kind->step == CALL_NOT)
		return;
	t = cf->last;
	/* the task of the record before is mostly this one; the idle tasks share theirs */
	if (__builtin_expect(!t || t->task != rec->task || !rec->task || !rec->task->pid, 0)) {
		if (rec->task && rec->task->is_self && !cf->config->with_own)
			return;
		t = callflow_take(cf, rec);
	}
	cf->counts.n_events += overlaps_now(cf, rec->ts);
	if (!t || !call_kind_read(kind, rec->data, rec->size, &ev)) {
		cf->counts.n_dropped++;
		return;
	}
	if (cf->kinds.has_kernel)
		settle(cf, t, rec, kind->is_user);
	if (cf->pauses) {
		skip_pauses(cf, t, rec->ts);
		if (kind->step == CALL_WHOLE && !cf->kinds.has_kernel)
			t->free_ts += ev.duration;
	}
	if (cf->has_range && !t->is_told && rec->ts >= cf->config->from)
		tell_open(cf, t);
	t->last_cpu = rec->cpu;
	if (kind->is_user)
		t->source = rec->source;
	if (!kind->is_user && ev.depth >= KERNEL_DEPTH_MAX) {
		cf->counts.n_unknown++;
		t->last_ts = rec->ts;
		return;
	}
	at = kind->is_user ? ev.depth : t->n_user + ev.depth;
	if (cf->part && !callparts_is_local(cf, t, kind, at, rec)) {
		callparts_keep(cf, t, kind, &ev, at, rec);
		return;
	}
	if (kind->step == CALL_LEAVE)
		leave(cf, t, kind, &ev, at, rec);
	else
		enter(cf, t, kind, &ev, at, rec);
	t->last_ts = rec->ts; /* until here the event before: calls without a return end there */
}

void callflow_replay(struct callflow *cf, struct flow_task *t, const struct call_kind *kind,
		     const struct call_event *ev, uint32_t at, const struct record *rec)
{
	if (cf->kinds.has_kernel)
		settle(cf, t, rec, kind->is_user);
	t->last_cpu = rec->cpu;
	if (kind->is_user)
		t->source = rec->source;
	if (kind->step == CALL_LEAVE)
		leave(cf, t, kind, ev, at, rec);
	else
		enter(cf, t, kind, ev, at, rec);
	t->last_ts = rec->ts;
}

void callflow_add_kind(struct callflow *cf, const struct call_kind *kind, const struct record *rec)
{
	add_kind(cf, kind, rec);
}

void callflow_settle(struct callflow *cf, const struct record *rec)
{
	struct flow_task *t;

	if (rec->flags & RECORD_MISSED)
		note_gap(cf, rec);
	t = callflow_task(cf, rec);
	if (t)
		settle(cf, t, rec, false);
}

void callflow_settle_task(struct callflow *cf, struct flow_task *t, uint64_t now)
{
	struct record rec = {.ts = now, .task = t->task, .cpu = t->last_cpu};

	settle(cf, t, &rec, false);
}

void callflow_add(struct callflow *cf, const struct record *rec)
{
	add_kind(cf, call_kinds_find(&cf->kinds, rec->event ? rec->event->id : -1), rec);
}

void callflow_finish(struct callflow *cf)
{
	for (struct flow_task *t = cf->list; t; t = t->next)
		while (t->n) {
			struct flow_frame *f = &t->frames[t->n - 1];
			struct flow_end end = {.ts = t->last_ts};

			if (f->end) {
				end.ts = f->end;
				end.is_known = true;
			} else if (f->func && f->flags & FLOW_USER) {
				end_without_return(cf, t, f, cf->epochs[t->source % EPOCHS], &end);
			} else if (f->func) {
				end.is_open = true;
				cf->counts.n_open += overlaps(cf, f->start, end.ts);
			}
			end.duration = end.ts > f->start ? end.ts - f->start : 0;
			if (f->end && t->last_ts < f->end)
				t->last_ts = f->end;
			pop(cf, t, &end, NULL);
		}
}

/*
 * --- life --------------------------------------------------------------------------------------
 */

const struct call_kinds *callflow_kinds(const struct callflow *cf)
{
	return &cf->kinds;
}

const struct flow_counts *callflow_counts(const struct callflow *cf)
{
	return &cf->counts;
}

struct flow_task *callflow_tasks(const struct callflow *cf)
{
	return cf->list;
}

static void take_filter(struct callflow *cf, const struct callfilter *filter)
{
	const struct callfilter_config *config = callfilter_config(filter);

	cf->filter_kinds = callfilter_kinds(filter);
	cf->max_depth = config->max_depth;
	cf->min_duration = config->min_duration;
	cf->drops_user = config->kernel_only;
	cf->drops_kernel = config->no_kernel;
	cf->only_user_first = cf->kinds.has_user && !config->kernel_full && !config->kernel_only;
	cf->has_filter = cf->filter_kinds || cf->max_depth || cf->min_duration || cf->drops_user ||
			 cf->kinds.has_kernel;
}

/* The numbers of every event lie where callflow_run() expects them. */
static bool has_usual_layout(const struct formats *f)
{
	return !f->swap && f->type.size == 2 && f->type.offset + 2 <= COMMON_BYTES &&
	       f->pid.size == 4 && f->pid.offset + 4 <= COMMON_BYTES;
}

int callflow_new(struct callflow **ret, struct formats *f, const struct callflow_config *config,
		 const struct flow_sink *sink)
{
	struct callflow *cf = calloc(1, sizeof(*cf));

	if (!cf)
		return -ENOMEM;
	cf->config = config;
	cf->sink = sink;
	cf->f = f;
	cf->seed = hash_seed();
	arena_init(&cf->arena, ARENA_MAX_BYTES);
	call_kinds_init(&cf->kinds, f);
	cf->has_range = config->to;
	if (formats_pauses(f)->n)
		cf->pauses = formats_pauses(f);
	if (config->filter)
		take_filter(cf, config->filter);
	cf->is_simple = !cf->has_filter && !cf->has_range && !cf->pauses && !cf->kinds.has_kernel &&
			has_usual_layout(f);
	*ret = cf;
	return 0;
}

void callflow_free(struct callflow *cf)
{
	if (!cf)
		return;
	for (struct flow_task *t = cf->list; t; t = t->next) {
		free(t->frames);
		map_release(&t->open);
	}
	map_release(&cf->tasks);
	map_release(&cf->funcs);
	map_release(&cf->by_name);
	arena_release(&cf->arena);
	callparts_free(cf->part);
	free(cf);
}

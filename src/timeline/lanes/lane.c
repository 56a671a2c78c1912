// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * lane.c - keeps lanes: finds them by their spec, builds each once, frees old ones if there are too
 * many.
 *
 *	lane_get ─▶ slot of the spec ─▶ lane, fresh ────────────────▶ counted, returned
 *	                 │ stale or none
 *	                 └▶ built, without the lock; other requests wait, or use the stale lane
 *
 * A lane never changes after it is built, so any number of threads may draw from it. While the
 * index grows (and in live traces) a lane becomes stale. The next request rebuilds it, but only if
 * its age exceeds REBUILD_TIMES its build time, and at least REBUILD_NS. A lane of a live trace
 * stores how far it has processed each stream, so that a new version can copy its content where
 * possible (build.c).
 *
 * In a growing trace (lanes_follow()) no request waits for a build. Separate threads build the
 * requested lanes; until then a request gets the stale lane. A request for a new lane waits
 * FIRST_NS, then gets an empty lane.
 *
 * Locks: lanes.lock for slots, counts and ages. Nothing is built under it.
 */
#include "base/lock.h"
#include "base/scope.h"
#include "store/tracefile.h"
#include "timeline/lanes/lane_int.h"
#include "base/clock.h"
#include "timeline/insight/marks.h"
#include "timeline/timeline_int.h"
#include "base/hash.h"
#include "decode/order/guests.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

#define LANES_BYTES    ((size_t)256 << 20)
#define LANES_MAX      4096
#define REBUILD_NS     UINT64_C(200000000)
#define REBUILD_TIMES  8
#define LIVE_SPANS_MAX (1u << 20) /* 24 MB */
#define FIRST_NS       UINT64_C(200000000)

/* --- all lanes -------------------------------------------------------------------------------- */

int lanes_new(struct lanes **ret, struct timeline *tl)
{
	struct lanes *ls = calloc(1, sizeof(*ls));
	int r;

	if (!ls)
		return -ENOMEM;
	ls->tl = tl;
	ls->rest_ns = REBUILD_NS;
	ls->rest_times = REBUILD_TIMES;
	ls->live_spans_max = LIVE_SPANS_MAX;
	ls->events_max = MARKS_MAX;
	ls->bytes_max = LANES_BYTES;
	r = labels_init(&ls->labels);
	if (r < 0) {
		free(ls);
		return r;
	}
	ls->states = states_cache_new(tl);
	ls->calls = calls_cache_new();
	if (!ls->states || !ls->calls) {
		states_cache_free(ls->states);
		calls_cache_free(ls->calls);
		labels_release(&ls->labels);
		free(ls);
		return -ENOMEM;
	}
	pthread_mutex_init(&ls->lock, NULL);
	pthread_cond_init(&ls->built, NULL);
	pthread_cond_init(&ls->wanted, NULL);
	*ret = ls;
	return 0;
}

static void row_release(struct lane_row *row)
{
	free(row->spans);
	free(row->aux);
	free(row->pyramid.buckets);
}

void lane_free(struct lane *ln)
{
	for (unsigned i = 0; i < ln->n_rows; i++)
		row_release(&ln->rows[i]);
	free(ln->rows);
	free(ln->streams);
	mask_release(&ln->kinds);
	mask_release(&ln->ends);
	mask_release(&ln->tasks);
	free(ln->ticks.buckets);
	free(ln->samples);
	free(ln->counters.buckets);
	free(ln->until);
	selection_free(ln->found);
	free(ln);
}

void lanes_free(struct lanes *ls)
{
	if (!ls)
		return;
	lanes_follow(ls, false);
	for (size_t i = 0; i < LANE_HASH; i++)
		while (ls->slots[i]) {
			struct lane_slot *slot = ls->slots[i];

			ls->slots[i] = slot->next;
			if (slot->lane)
				lane_free(slot->lane);
			free(slot);
		}
	while (ls->n_selections)
		selection_free(ls->selections[--ls->n_selections].sel);
	lanes_release_forms(ls);
	labels_release(&ls->labels);
	states_cache_free(ls->states);
	calls_cache_free(ls->calls);
	pthread_mutex_destroy(&ls->lock);
	pthread_cond_destroy(&ls->built);
	pthread_cond_destroy(&ls->wanted);
	free(ls);
}

size_t lanes_memory(struct lanes *ls)
{
	LOCKED(&ls->lock);
	return ls->n_bytes;
}

/*
 * Removes the lane from its slot and frees it, now or when the last user releases it. The caller
 * holds the lock.
 */
static void slot_drop(struct lanes *ls, struct lane_slot *slot)
{
	struct lane *ln = slot->lane;

	slot->lane = NULL;
	if (!ln)
		return;
	ls->n_bytes -= ln->n_bytes;
	if (--ln->n_refs == 0)
		lane_free(ln);
}

int lanes_set_selection(struct lanes *ls, uint64_t id, struct selection *sel)
{
	struct selection *old = NULL;
	size_t i;
	int r = 0;

	pthread_mutex_lock(&ls->lock);
	for (i = 0; i < ls->n_selections && ls->selections[i].id != id; i++)
		;
	if (i < ls->n_selections)
		old = ls->selections[i].sel;
	if (i < ls->n_selections && !sel)
		ls->selections[i] = ls->selections[--ls->n_selections];
	else if (i < ls->n_selections || (sel && i < LANE_SELECTIONS_MAX))
		ls->selections[i] = (struct lane_selection){id, selection_hold(sel)};
	else if (sel)
		r = -ENOSPC;
	if (i == ls->n_selections && sel && !r && !old)
		ls->n_selections++;
	for (size_t h = 0; h < LANE_HASH; h++)
		for (struct lane_slot *slot = ls->slots[h]; slot; slot = slot->next)
			if (slot->lane && slot->lane->spec.type == LANE_OF_FOUND &&
			    slot->lane->spec.number == id)
				slot_drop(ls, slot);
	pthread_mutex_unlock(&ls->lock);
	selection_free(old);
	return r;
}

/* Returns the thread that runs a CPU of `guest`, if `host` lists the guest. */
static int thread_of(const struct tracefile *host, const struct tracefile *guest, uint32_t cpu)
{
	SCOPED(scope_free) struct guest_cpu *cpus = NULL;
	const char *name;
	size_t n;
	int pid = -1;

	if (host == guest || guest_find(host, guest, &name, &cpus, &n) <= 0)
		return -1;
	for (size_t i = 0; i < n; i++)
		if (cpus[i].cpu == cpu)
			pid = cpus[i].host_pid;
	return pid;
}

int lanes_find_vcpu(struct lanes *ls, uint32_t guest, uint32_t cpu, uint32_t *ret_host)
{
	size_t n = timeline_n_sources(ls->tl);

	for (size_t g = 0; g < n; g++) {
		const struct timeline_source *of = timeline_source(ls->tl, g);

		for (size_t h = 0; h < n && of->machine == guest; h++) {
			const struct timeline_source *host = timeline_source(ls->tl, h);
			int pid = thread_of(host->tf, of->tf, cpu);

			if (pid < 0)
				continue;
			*ret_host = host->machine;
			return pid;
		}
	}
	return -1;
}

/* --- one lane --------------------------------------------------------------------------------- */

uint64_t lanes_version(struct timeline *tl)
{
	return timeline_n_events(tl) + timeline_duration(tl) * 31;
}

static struct lane *lane_alloc(struct lanes *ls, const struct lane_spec *spec)
{
	struct lane *ln = calloc(1, sizeof(*ln));

	if (!ln)
		return NULL;
	ln->owner = ls;
	ln->spec = *spec;
	ln->kind = lane_kind_of(spec->type);
	ln->sched_stream = -1;
	ln->n_refs = 1; /* the reference of the slot */
	return ln;
}

struct lane *lane_new(struct lanes *ls, const struct lane_spec *spec)
{
	struct lane *ln = lane_alloc(ls, spec);

	if (!ln)
		return NULL;
	ln->is_whole = timeline_progress(ls->tl) >= 1;
	ln->end = timeline_duration(ls->tl);
	ln->version = lanes_version(ls->tl);
	ln->n_drops = atomic_load(&ls->tl->n_drops);
	ln->settled = timeline_settled(ls->tl);
	if (ls->tl->is_live)
		ln->until = gather_until(ls->tl, &ln->n_until);
	return ln;
}

void lane_settle(struct lane *ln, uint64_t begin_ns)
{
	ln->built_at_ns = clock_now_ns();
	ln->build_ns = ln->built_at_ns - begin_ns;
	ln->n_bytes += sizeof(*ln);
	ln->taken_from = NULL;
}

/* Builds a lane. before is the version that it replaces, or NULL. */
static int build(struct lanes *ls, const struct lane_spec *spec, const struct lane *before,
		 struct lane **ret, struct errmsg *err)
{
	SCOPED(lane_free_scoped) struct lane *ln = lane_new(ls, spec);
	uint64_t begin = clock_now_ns();

	if (!ln)
		return -ENOMEM;
	TRY(lane_check_machine(ln, err));
	TRY(lane_build_one(ln, before, err));
	lane_settle(ln, begin);
	*ret = TAKE(ln);
	return 0;
}

static bool is_fresh(const struct lane *ln)
{
	uint64_t least = ln->owner->rest_ns, rest = ln->build_ns * ln->owner->rest_times;

	if (ln->version == lanes_version(ln->owner->tl) &&
	    (ln->is_whole || timeline_progress(ln->owner->tl) < 1))
		return true;
	/* a lane that was built before the index was complete must be rebuilt after that */
	if (!ln->is_whole && timeline_progress(ln->owner->tl) >= 1)
		return false;
	return clock_now_ns() - ln->built_at_ns < (rest > least ? rest : least);
}

/* The caller holds the lock. */
static struct lane_slot *find_slot(struct lanes *ls, const char *text, bool make)
{
	size_t len = strlen(text), h = hash_text(0x9e3779b97f4a7c15u, text, len, LANE_HASH);
	struct lane_slot *slot;

	for (slot = ls->slots[h]; slot; slot = slot->next)
		if (!strcmp(slot->text, text))
			return slot;
	if (!make || ls->n_slots >= LANES_MAX)
		return NULL;
	slot = calloc(1, sizeof(*slot) + len + 1);
	if (!slot)
		return NULL;
	memcpy(slot->text, text, len + 1);
	slot->next = ls->slots[h];
	ls->slots[h] = slot;
	ls->n_slots++;
	return slot;
}

/* Frees a slot that is empty and not being built. The caller holds the lock. */
static void forget_slot(struct lanes *ls, struct lane_slot *slot)
{
	for (size_t h = 0; h < LANE_HASH; h++)
		for (struct lane_slot **at = &ls->slots[h]; *at; at = &(*at)->next)
			if (*at == slot) {
				*at = slot->next;
				free(slot);
				ls->n_slots--;
				return;
			}
}

/* Frees the least recently used lanes, but not `keep`. The caller holds the lock. */
static void evict(struct lanes *ls, const struct lane_slot *keep)
{
	while (ls->n_bytes > ls->bytes_max || ls->n_slots >= LANES_MAX) {
		struct lane_slot *oldest = NULL;

		for (size_t h = 0; h < LANE_HASH; h++)
			for (struct lane_slot *s = ls->slots[h]; s; s = s->next)
				if (s != keep && !s->is_building && !s->is_wanted &&
				    (!oldest || s->used < oldest->used))
					oldest = s;
		if (!oldest)
			return;
		slot_drop(ls, oldest);
		forget_slot(ls, oldest);
	}
}

/* The caller holds the lock. */
static void put_locked(struct lane *ln)
{
	if (ln && --ln->n_refs == 0)
		lane_free(ln);
}

/* Builds a lane. The caller holds the lock, which is released while building. */
static int slot_build(struct lanes *ls, struct lane_slot *slot, const struct lane_spec *spec,
		      struct errmsg *err)
{
	struct lane *ln = NULL, *before = slot->lane;
	int r;

	slot->is_building = true;
	if (before)
		before->n_refs++;
	pthread_mutex_unlock(&ls->lock);
	r = build(ls, spec, before, &ln, err);
	pthread_mutex_lock(&ls->lock);
	put_locked(before);
	slot->is_building = false;
	if (!r) {
		slot_drop(ls, slot);
		slot->lane = ln;
		ls->n_bytes += ln->n_bytes;
		evict(ls, slot);
	}
	pthread_cond_broadcast(&ls->built);
	return r;
}

/* --- in the background ------------------------------------------------------------------------ */

/* The caller holds the lock. */
static void want(struct lanes *ls, struct lane_slot *slot)
{
	if (slot->is_wanted || slot->is_building)
		return;
	slot->is_wanted = true;
	slot->wanted_ns = clock_now_ns();
	pthread_cond_broadcast(&ls->wanted);
}

/*
 * Returns true for lanes that consist only of rows, so that a lane without rows is valid and empty.
 */
static bool can_be_empty(enum lane_type type)
{
	enum lane_kind kind = lane_kind_of(type);

	return kind == LANE_CPU || kind == LANE_STATES || kind == LANE_SPANS;
}

/*
 * Waits for the first version. Returns false if it takes longer. The caller holds the lock, which
 * is released while waiting.
 */
static bool wait_for_first(struct lanes *ls, const struct lane_slot *slot)
{
	uint64_t now = clock_now_ns(), end = slot->wanted_ns + FIRST_NS;
	struct timespec ts;

	if (now >= end)
		return false;
	clock_gettime(CLOCK_REALTIME, &ts);
	end = ts.tv_sec * UINT64_C(1000000000) + ts.tv_nsec + (end - now);
	ts = (struct timespec){end / 1000000000, end % 1000000000};
	pthread_cond_timedwait(&ls->built, &ls->lock, &ts);
	return true;
}

/*
 * Gets a lane without waiting. Returns 1 with *ret, 0 if the caller must build the lane, or an
 * error. The caller holds the lock.
 */
static int get_at_once(struct lanes *ls, const char *text, const struct lane_spec *spec,
		       struct lane **ret)
{
	for (;;) {
		struct lane_slot *slot = find_slot(ls, text, true);

		if (!slot || !ls->has_builder || slot->has_failed)
			return 0;
		if (!slot->lane && !can_be_empty(spec->type))
			return 0;
		slot->used = ++ls->clock;
		if (!slot->lane || !is_fresh(slot->lane))
			want(ls, slot);
		if (slot->lane) {
			slot->lane->n_refs++;
			*ret = slot->lane;
			return 1;
		}
		if (!wait_for_first(ls, slot)) {
			*ret = lane_alloc(ls, spec); /* this lane is not in the slot */
			return *ret ? 1 : -ENOMEM;
		}
	}
}

/* Returns a lane in the slot of the text, or an error. The caller holds the lock. */
static int get_locked(struct lanes *ls, const char *text, const struct lane_spec *spec,
		      struct lane **ret, struct errmsg *err)
{
	for (;;) {
		struct lane_slot *slot = find_slot(ls, text, true);
		int r = 0;

		if (!slot) {
			evict(ls, NULL);
			slot = find_slot(ls, text, true);
		}
		if (!slot)
			return -ENOMEM;
		slot->used = ++ls->clock;
		if (slot->is_too_many)
			return lane_refuse_many(err);
		if (slot->is_building && !slot->lane) {
			pthread_cond_wait(&ls->built, &ls->lock);
			continue;
		}
		if (!slot->is_building && (!slot->lane || !is_fresh(slot->lane)))
			r = slot_build(ls, slot, spec, err);
		if (r < 0 && !slot->lane) {
			/* do not try again: the number of events never decreases */
			slot->is_too_many = r == -E2BIG;
			if (!slot->is_too_many)
				forget_slot(ls, slot);
			return r;
		}
		if (!slot->lane)
			continue;
		slot->lane->n_refs++;
		*ret = slot->lane;
		return 0;
	}
}

/* --- many at once ----------------------------------------------------------------------------- */

#define PREPARE_MAX 1024

/* Claims a slot that needs a lane. The caller holds the lock. */
static void take_slot(struct lanes *ls, struct lane_slot *slot, struct prepared_lane *to)
{
	slot->is_building = true;
	slot->used = ++ls->clock;
	if (slot->lane)
		slot->lane->n_refs++;
	to->before = slot->lane;
	to->slot = slot;
	to->lane = NULL;
}

/* Claims the slots that need a lane, or queues them for the builder threads. */
static size_t take_slots(struct lanes *ls, const char *const *specs, size_t n_specs,
			 struct prepared_lane *list)
{
	size_t n = 0;

	LOCKED(&ls->lock);
	for (size_t i = 0; i < n_specs && n < PREPARE_MAX; i++) {
		struct errmsg err = {0};
		struct lane_slot *slot;

		if (lane_spec_parse(&list[n].spec, specs[i], &err) < 0)
			continue;
		slot = find_slot(ls, specs[i], true);
		if (!slot || slot->is_building || slot->is_too_many ||
		    (slot->lane && is_fresh(slot->lane)))
			continue;
		if (ls->has_builder && (slot->lane || can_be_empty(list[n].spec.type)))
			want(ls, slot);
		else
			take_slot(ls, slot, &list[n++]);
	}
	return n;
}

static void give_slots(struct lanes *ls, struct prepared_lane *list, size_t n)
{
	LOCKED(&ls->lock);
	for (size_t i = 0; i < n; i++) {
		struct lane_slot *slot = list[i].slot;

		slot->is_building = slot->is_wanted = false;
		put_locked(list[i].before);
		slot->has_failed = !list[i].lane && !slot->lane;
		if (list[i].lane) {
			slot_drop(ls, slot);
			slot->lane = list[i].lane;
			ls->n_bytes += slot->lane->n_bytes;
		} else if (!slot->lane && !ls->has_builder) {
			forget_slot(ls, slot);
		}
	}
	evict(ls, NULL);
	pthread_cond_broadcast(&ls->built);
}

void lanes_prepare(struct lanes *ls, const char *const *specs, size_t n_specs)
{
	struct prepared_lane *list = calloc(PREPARE_MAX, sizeof(*list));
	size_t n;

	if (!list)
		return;
	n = take_slots(ls, specs, n_specs, list);
	/* a single lane is built on request, which also reports errors */
	if (n > 1)
		lanes_build_many(ls, list, n);
	if (n)
		give_slots(ls, list, n);
	free(list);
}

/* Selects the builder thread, so that quick builds do not wait for slow ones. */
static unsigned builder_of(const struct lane_slot *slot, const struct lane_spec *spec)
{
	bool is_short = lane_kind_of(spec->type) != LANE_SPANS || spec->type == LANE_OF_IRQ ||
			spec->type == LANE_OF_SOFTIRQ;

	return !slot->lane ? 2 : is_short ? 0 : 1;
}

/*
 * Takes slots for which a request waits, or which a request found stale. The caller holds the lock.
 */
static size_t take_wanted(struct lanes *ls, struct prepared_lane *list, unsigned builder)
{
	size_t n = 0;

	for (size_t h = 0; h < LANE_HASH; h++)
		for (struct lane_slot *slot = ls->slots[h]; slot && n < PREPARE_MAX;
		     slot = slot->next) {
			struct errmsg err = {0};

			if (!slot->is_wanted || slot->is_building ||
			    lane_spec_parse(&list[n].spec, slot->text, &err) < 0 ||
			    builder_of(slot, &list[n].spec) != builder)
				continue;
			slot->is_wanted = false;
			if (!slot->lane || !is_fresh(slot->lane))
				take_slot(ls, slot, &list[n++]);
		}
	return n;
}

static void builder_run(struct lanes *ls, unsigned builder)
{
	struct prepared_lane *list = calloc(PREPARE_MAX, sizeof(*list));

	pthread_mutex_lock(&ls->lock);
	while (!ls->stop && list) {
		size_t n = take_wanted(ls, list, builder);

		if (!n) {
			pthread_cond_wait(&ls->wanted, &ls->lock);
			continue;
		}
		pthread_mutex_unlock(&ls->lock);
		if (n > 1)
			lanes_build_many(ls, list, n);
		for (size_t i = 0; i < n; i++) {
			struct errmsg err = {0};

			if (!list[i].lane &&
			    build(ls, &list[i].spec, list[i].before, &list[i].lane, &err) < 0)
				list[i].lane = NULL;
		}
		give_slots(ls, list, n);
		pthread_mutex_lock(&ls->lock);
	}
	pthread_mutex_unlock(&ls->lock);
	free(list);
}

static void *build_short(void *arg)
{
	builder_run(arg, 0);
	return NULL;
}

static void *build_long(void *arg)
{
	builder_run(arg, 1);
	return NULL;
}

static void *build_new(void *arg)
{
	builder_run(arg, 2);
	return NULL;
}

static void stop_builders(struct lanes *ls, size_t n)
{
	pthread_mutex_lock(&ls->lock);
	ls->stop = true;
	ls->is_final = true;
	pthread_cond_broadcast(&ls->wanted);
	pthread_mutex_unlock(&ls->lock);
	while (n)
		pthread_join(ls->builders[--n], NULL);
}

static int start_builders(struct lanes *ls)
{
	static void *(*const run[LANE_BUILDERS])(void *) = {build_short, build_long, build_new};

	ls->stop = false;
	ls->is_final = false;
	for (size_t i = 0; i < LANE_BUILDERS; i++)
		if (pthread_create(&ls->builders[i], NULL, run[i], ls)) {
			stop_builders(ls, i);
			return -EAGAIN;
		}
	return 0;
}

int lanes_follow(struct lanes *ls, bool is_on)
{
	int r = 0;

	if (is_on == ls->has_builder)
		return 0;
	if (is_on)
		r = start_builders(ls);
	else
		stop_builders(ls, LANE_BUILDERS);
	LOCKED(&ls->lock);
	ls->has_builder = is_on && !r;
	/* lanes that extend others are rebuilt on the next request */
	for (size_t h = 0; h < LANE_HASH && !is_on; h++)
		for (struct lane_slot *slot = ls->slots[h]; slot; slot = slot->next) {
			slot->is_wanted = slot->has_failed = false;
			if (slot->lane)
				slot->lane->version = slot->lane->built_at_ns = 0;
		}
	pthread_cond_broadcast(&ls->built);
	return r;
}

int lane_get(struct lanes *ls, const char *text, struct lane **ret, struct errmsg *err)
{
	struct lane_spec spec;
	int r;

	TRY(lane_spec_parse(&spec, text, err));
	pthread_mutex_lock(&ls->lock);
	r = get_at_once(ls, text, &spec, ret);
	if (!r)
		r = get_locked(ls, text, &spec, ret, err);
	pthread_mutex_unlock(&ls->lock);
	r = r > 0 ? 0 : r;
	if (r == -ENOMEM)
		errmsg_set(err, r, "There is not enough memory for the lane \"%.200s\".", text);
	return r;
}

void lane_put(struct lane *ln)
{
	struct lanes *ls;

	if (!ln)
		return;
	ls = ln->owner;
	LOCKED(&ls->lock);
	if (--ln->n_refs == 0)
		lane_free(ln);
}

enum lane_kind lane_kind(const struct lane *ln)
{
	return ln->kind;
}

unsigned lane_n_rows(const struct lane *ln)
{
	return ln->n_rows ? ln->n_rows : 1;
}

void lane_range(const struct lane *ln, double *ret_min, double *ret_max)
{
	*ret_min = ln->min;
	*ret_max = ln->max;
}

size_t lane_label(struct lane *ln, uint32_t value, char *buf, size_t size)
{
	const char *text = labels_find(&ln->owner->labels, value);
	size_t len = strlen(text);

	if (size) {
		size_t n = len < size ? len : size - 1;

		memcpy(buf, text, n);
		buf[n] = 0;
	}
	return len;
}

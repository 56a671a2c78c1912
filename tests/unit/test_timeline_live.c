// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_timeline_live.c - the index of a file that is being recorded.
 *
 * covers: V09
 *
 * A golden trace is recorded once more, some pages at a time, while a timeline follows it; after each step
 * and in the end, when the holes are closed, it must say what one says that reads the file from new. (The
 * first step has the first event of every CPU: the origin of time does not move once it is known.)
 */
#include "../lib/timelines.h"
#include "store/live/livefile.h"
#include "store/pagestream.h"
#include "timeline/lanes/lane_int.h"
#include "timeline/timeline_int.h"

#include <math.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define __SANITIZE_THREAD__ 1
#endif
#endif

/* The thread sanitizer leaves no room to map terabytes. */
static void limit_file_size(void)
{
#if defined(__SANITIZE_THREAD__)
	struct rlimit limit;

	getrlimit(RLIMIT_FSIZE, &limit);
	if (limit.rlim_cur > 100ull << 30)
		limit.rlim_cur = 100ull << 30;
	setrlimit(RLIMIT_FSIZE, &limit);
#endif
}

struct recording {
	struct reading from;
	const struct tracefile_buffer *buffer;
	struct livefile *file;
	struct pagestream *streams[64];
	uint8_t held[64][4096]; /* half of a page that comes again, whole */
	bool has_held[64];
};

static void recording_begin(struct recording *rec, const char *golden, const char *path,
			    enum compression compression, uint64_t max_bytes)
{
	static const enum tracefile_text_kind kinds[] = {
		TRACEFILE_HEADER_PAGE,	 TRACEFILE_HEADER_EVENT, TRACEFILE_FTRACE_FORMATS,
		TRACEFILE_EVENT_FORMATS, TRACEFILE_KALLSYMS,	 TRACEFILE_CMDLINES};
	struct livefile_config config = {.path = path,
					 .version = 7,
					 .compression = compression,
					 .long_size = 8,
					 .page_size = 4096};
	struct livefile_buffer lb = {.name = "", .clock = "local", .page_size = 4096};
	struct errmsg err = {0};

	limit_file_size();
	assert_true(reading_open(&rec->from, golden));
	rec->buffer = &rec->from.tf->buffers[0];
	config.n_cpus = lb.n_cpus = rec->buffer->max_cpus;
	lb.max_bytes = max_bytes;
	assert_in_range(lb.n_cpus, 1, 64);
	if (livefile_open(&rec->file, &config, &err) < 0)
		fail_msg("%s", err.text);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		livefile_add_text(rec->file, kinds[i], tracefile_text(rec->from.tf, kinds[i]),
				  &err);
	assert_int_equal(livefile_add_buffer(rec->file, &lb, &err), 0);
	if (livefile_start(rec->file, &err) < 0)
		fail_msg("%s", err.text);
	for (size_t i = 0; i < rec->buffer->n_cpus; i++)
		rec->streams[i] = pagestream_new(rec->from.tf, rec->buffer, i, NULL);
}

/* Up to n pages of each CPU; where it can, the last one comes first with nothing in it. */
static bool recording_step(struct recording *rec, unsigned n, bool replace)
{
	struct errmsg err = {0};
	bool more = false;

	for (size_t i = 0; i < rec->buffer->n_cpus; i++) {
		struct liveregion *r = livefile_region(rec->file, 0, rec->buffer->cpus[i].cpu);
		struct page page;

		if (rec->has_held[i])
			assert_int_equal(liveregion_replace(r, rec->held[i], 4096), 0);
		rec->has_held[i] = false;
		for (unsigned k = 0; k < n + i * 3 && pagestream_next(rec->streams[i], &page) > 0;
		     k++) {
			uint8_t part[4096] = {0};

			memcpy(part, page.data, page.len);
			if (replace && k + 1 == n + i * 3) {
				memcpy(rec->held[i], part, sizeof(part));
				rec->has_held[i] = true;
				memset(part + 8, 0, 8); /* commit */
			}
			assert_int_equal(liveregion_append(r, part, sizeof(part)), 0);
			more = true;
		}
		more |= rec->has_held[i];
		assert_int_equal(liveregion_flush(r), 0);
	}
	assert_int_equal(livefile_flush(rec->file, &err), 0);
	return more;
}

static void recording_end(struct recording *rec)
{
	struct errmsg err = {0};

	for (size_t i = 0; i < rec->buffer->n_cpus; i++)
		pagestream_free(rec->streams[i]);
	assert_int_equal(livefile_finish(rec->file, &err), 0);
	reading_close(&rec->from);
}

static struct timeline *follow(struct reading *r)
{
	struct timeline_source src = {.tf = r->tf,
				      .formats = r->formats,
				      .buffer = &r->tf->buffers[0],
				      .time = time_of(r, &r->tf->buffers[0]),
				      .is_live = true};
	struct errmsg err = {0};
	struct timeline *tl;

	assert_int_equal(timeline_new(&tl, &src, 1, 2, &err), 0);
	assert_int_equal(timeline_start(tl, NULL, &err), 0);
	assert_int_equal(timeline_wait(tl), 0);
	return tl;
}

static bool add_switch(void *ctx, const struct switch_entry *e)
{
	uint64_t *sum = ctx;

	*sum = *sum * 31 + e->ts + e->next;
	return true;
}

static uint64_t sum_switches(struct timeline *tl)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < timeline_n_streams(tl); i++)
		if (timeline_stream(tl, i)->n_events)
			timeline_switches(tl, i, 0, TIMELINE_TIME_MAX, add_switch, &sum);
	return sum;
}

/* Tasks may have other numbers in the two. */
static void assert_equal_tables(struct timeline *a, struct timeline *b)
{
	for (size_t i = 0; i < timeline_n_tasks(b); i++) {
		const struct timeline_task *t = timeline_task(b, i), *s;
		int n = timeline_find_task(a, t->machine, t->pid);

		assert_true(n >= 0);
		s = timeline_task(a, n);
		assert_int_equal(s->n_events, t->n_events);
		assert_int_equal(s->running_ns, t->running_ns);
		assert_int_equal(s->first, t->first);
		assert_int_equal(s->last, t->last);
		if (a->has_ended)
			assert_string_equal(s->comm, t->comm);
	}
	for (size_t i = 0; i < timeline_n_kinds(b); i++) {
		const struct timeline_kind *k = timeline_kind(b, i);
		bool found = false;

		for (size_t j = 0; j < timeline_n_kinds(a); j++)
			if (timeline_kind(a, j)->id == k->id) {
				assert_int_equal(timeline_kind(a, j)->n_events, k->n_events);
				found = true;
			}
		assert_true(found);
	}
}

static void assert_equal(struct timeline *a, struct timeline *b)
{
	event_ref ra[500], rb[500];
	uint64_t ta[500], tb[500];
	size_t n;

	assert_int_equal(timeline_n_events(a), timeline_n_events(b));
	assert_int_equal(timeline_origin(a), timeline_origin(b));
	assert_int_equal(timeline_duration(a), timeline_duration(b));
	for (uint64_t row = 0; row < timeline_n_events(b); row += n) {
		n = timeline_rows(b, NULL, row, rb, tb, 500);
		assert_int_equal(timeline_rows(a, NULL, row, ra, ta, 500), n);
		assert_true(n > 0);
		assert_memory_equal(ta, tb, n * sizeof(*ta));
		for (size_t i = 0; i < n; i += 71) {
			struct walk_one x, y;

			assert_int_equal(timeline_get(a, ra[i], &x), 0);
			assert_int_equal(timeline_get(b, rb[i], &y), 0);
			assert_int_equal(x.ev.size, y.ev.size);
			assert_memory_equal(x.ev.data, y.ev.data, x.ev.size);
			walk_release(&x);
			walk_release(&y);
		}
	}
	assert_equal_tables(a, b);
}

static void assert_like_new(struct timeline *tl, const char *path)
{
	struct reading r;
	struct timeline *other;

	assert_true(reading_open(&r, path));
	other = index_of(&r, 2, NULL);
	assert_equal(tl, other);
	timeline_free(other);
	reading_close(&r);
}

static void check_following(const char *golden, enum compression compression, bool replace)
{
	char dir[] = "/tmp/sonde-live-XXXXXX", path[64], source[600];
	struct recording rec = {0};
	struct errmsg err = {0};
	struct timeline *tl;
	struct reading r;
	int changes = 0;

	if (!getenv("GOLDEN"))
		skip();
	snprintf(source, sizeof(source), "%s/%s.dat", getenv("GOLDEN"), golden);
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/trace.dat", dir);
	recording_begin(&rec, source, path, compression, 0);
	assert_true(reading_open(&r, path));
	tl = follow(&r);
	assert_int_equal(timeline_n_events(tl), 0);
	assert_int_equal(timeline_refresh(tl, &err), 0);
	for (int i = 0; recording_step(&rec, 1 + i * 7, replace && i); i++) {
		int n = timeline_refresh(tl, &err);

		assert_true(n >= 0);
		changes += n;
		assert_int_equal(timeline_wait(tl), 0);
		if (i % 8 == 2)
			assert_like_new(tl, path);
	}
	assert_true(changes > 3);
	recording_end(&rec);
	assert_true(timeline_refresh(tl, &err) >= 0);
	assert_int_equal(timeline_wait(tl), 0);
	timeline_end(tl);
	assert_like_new(tl, path);
	assert_int_equal(timeline_refresh(tl, &err), 0);
	assert_true(sum_switches(tl) != 0);
	timeline_free(tl);
	reading_close(&r);
	remove_directory(dir);
}

/* --- what is made of it grows with it ------------------------------------------------------------------ */

static const char *const grown[] = {"event:0:sched/sched_switch",
				    "event:0:sched/sched_waking",
				    "all:0:0",
				    "all:0:1",
				    "field:0:sched/sched_switch:next_pid",
				    "field:0:sched/sched_waking:pid:cpu1",
				    "cpu:0:0",
				    "cpu:0:1",
				    "task:0:147",
				    "task:0:127",
				    "task:0:15",
				    "task:0:21",
				    "irq:0:0",
				    "softirq:0:0",
				    "softirq:0:1",
				    "found:7"};
#define GROWN (sizeof(grown) / sizeof(*grown))

/* What a tile shows, bucket by bucket; whether single events have their places depends on the lane's age. */
static void sum_tile(struct lane *ln, int level, uint64_t number, double *sums)
{
	struct tile t;

	memset(sums, 0, TILE_BUCKETS * sizeof(*sums));
	assert_int_equal(lane_tile(ln, level, number, &t), 0);
	for (size_t i = 0; i < t.n; i++) {
		size_t at = t.records[i].x0 < TILE_BUCKETS ? t.records[i].x0 : 0;

		if (lane_kind(ln) == LANE_TICKS)
			sums[at] += t.records[i].value;
		else if (lane_kind(ln) != LANE_COUNTER)
			sums[at] += (t.records[i].x1 - t.records[i].x0) * t.records[i].weight;
		else
			sums[at] += ((struct counter_record *)t.records)[i].max;
	}
	free(t.records);
}

static void assert_same_lane(struct lanes *a, struct lanes *b, const char *spec, uint64_t end)
{
	static double x[TILE_BUCKETS], y[TILE_BUCKETS];
	struct errmsg err = {0};
	struct lane *la, *lb;
	int ra = lane_get(a, spec, &la, &err), rb = lane_get(b, spec, &lb, &err);

	assert_int_equal(ra, rb);
	if (ra < 0)
		return;
	for (int level = 12; level < 30; level += 3)
		for (uint64_t n = 0; n < 4 && n << (level + TILE_BITS) < end; n++) {
			sum_tile(la, level, n, x);
			sum_tile(lb, level, n, y);
			for (size_t i = 0; i < TILE_BUCKETS; i++)
				if (fabs(x[i] - y[i]) > 1e-3 * fabs(y[i]) + 4)
					fail_msg("%s at level %d, %zu: %g for %g", spec, level, i,
						 x[i], y[i]);
		}
	lane_put(la);
	lane_put(lb);
}

/* One that went on, and one that is made now. Returns the former. */
static struct selection *select_again(struct timeline *tl, struct selection *before)
{
	struct selection_wants wants = {
		.expression = "sched_switch:next_pid>100", .text = "switch", .before = before};
	struct selection *sel, *fresh;
	struct errmsg err = {0};
	event_ref refs[300];
	uint64_t times[300];
	size_t n;

	if (selection_new(&sel, tl, &wants, NULL, NULL, &err) < 0)
		fail_msg("%s", err.text);
	selection_free(before);
	wants.before = NULL;
	assert_int_equal(selection_new(&fresh, tl, &wants, NULL, NULL, &err), 0);
	assert_int_equal(selection_count(sel), selection_count(fresh));
	for (uint64_t row = 0; row < selection_count(fresh); row += n) {
		n = timeline_rows(tl, fresh, row, refs, times, 300);
		assert_true(n > 0);
		for (size_t i = 0; i < n; i++)
			assert_true(selection_has(sel, refs[i]));
	}
	selection_free(fresh);
	return sel;
}

static void assert_grown(struct timeline *tl, struct lanes *lanes, struct selection *sel)
{
	struct lanes *fresh;

	assert_int_equal(lanes_new(&fresh, tl), 0);
	assert_int_equal(lanes_set_selection(fresh, 7, sel), 0);
	assert_int_equal(lanes_set_selection(lanes, 7, sel), 0);
	lanes_prepare(lanes, grown, GROWN / 2);
	for (size_t i = 0; i < GROWN; i++)
		assert_same_lane(lanes, fresh, grown[i], timeline_duration(tl));
	lanes_free(fresh);
}

static void check_growing(const char *golden, enum compression compression, bool replace,
			  uint64_t max_bytes)
{
	char dir[] = "/tmp/sonde-live-XXXXXX", path[64], source[600];
	struct recording rec = {0};
	struct errmsg err = {0};
	struct selection *sel = NULL;
	struct timeline *tl;
	struct lanes *lanes;
	struct reading r;

	if (!getenv("GOLDEN"))
		skip();
	snprintf(source, sizeof(source), "%s/%s.dat", getenv("GOLDEN"), golden);
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/trace.dat", dir);
	recording_begin(&rec, source, path, compression, max_bytes);
	assert_true(reading_open(&r, path));
	tl = follow(&r);
	assert_int_equal(lanes_new(&lanes, tl), 0);
	lanes->rest_ns = lanes->rest_times = 0; /* made again at every step */
	lanes->live_spans_max = 600;
	states_cache_set_least(lanes->states, 0);
	for (int i = 0; recording_step(&rec, 1 + i * 12, replace && i); i++) {
		assert_true(timeline_refresh(tl, &err) >= 0);
		assert_int_equal(timeline_wait(tl), 0);
		sel = select_again(tl, sel);
		assert_grown(tl, lanes, sel);
	}
	recording_end(&rec);
	assert_true(timeline_refresh(tl, &err) >= 0);
	assert_int_equal(timeline_wait(tl), 0);
	sel = select_again(tl, sel);
	assert_grown(tl, lanes, sel);
	assert_true(selection_count(sel) > 0);
	lanes_free(lanes);
	selection_free(sel);
	timeline_free(tl);
	reading_close(&r);
	remove_directory(dir);
}

static void lanes_and_selections_grow(void **state)
{
	check_growing("events-v6", COMPRESSION_NONE, true, 0);
	check_growing("events-v7-zstd", COMPRESSION_ZSTD, false, 0);
}

static void what_is_dropped_is_counted_anew(void **state)
{
	check_growing("events-v6", COMPRESSION_NONE, false, 60 * 4096);
}

static void lost_events_are_summed_up(void **state)
{
	char path[600];
	struct timeline *tl;
	struct reading r;
	bool is_all;

	if (!getenv("GOLDEN"))
		skip();
	snprintf(path, sizeof(path), "%s/lost-events.dat", getenv("GOLDEN"));
	assert_true(reading_open(&r, path));
	tl = index_of(&r, 2, NULL);
	assert_true(timeline_lost(tl, &is_all) > 0);
	timeline_free(tl);
	reading_close(&r);
}

static void plain_files_are_followed(void **state)
{
	check_following("events-v6", COMPRESSION_NONE, false);
}

static void pages_that_are_written_again_are_read_again(void **state)
{
	check_following("events-v7-none", COMPRESSION_NONE, true);
}

static void packed_files_are_followed(void **state)
{
	check_following("events-v7-zstd", COMPRESSION_ZSTD, false);
}

/* The latest rows, on the trace's own clock: old pages are gone, and with them the origin of a new index. */
static void assert_same_end(struct timeline *tl, const char *path)
{
	event_ref ra[400], rb[400];
	uint64_t ta[400], tb[400];
	struct timeline *other;
	struct reading r;
	size_t n;

	assert_true(reading_open(&r, path));
	other = index_of(&r, 2, NULL);
	assert_true(timeline_n_events(other) > 400);
	n = timeline_rows(tl, NULL, timeline_n_events(tl) - 400, ra, ta, 400);
	assert_int_equal(n, 400);
	n = timeline_rows(other, NULL, timeline_n_events(other) - 400, rb, tb, 400);
	assert_int_equal(n, 400);
	for (size_t i = 0; i < n; i++) {
		struct walk_one x, y;

		assert_int_equal(ta[i] + timeline_origin(tl), tb[i] + timeline_origin(other));
		assert_int_equal(timeline_get(tl, ra[i], &x), 0);
		assert_int_equal(timeline_get(other, rb[i], &y), 0);
		assert_int_equal(x.ev.size, y.ev.size);
		assert_memory_equal(x.ev.data, y.ev.data, x.ev.size);
		walk_release(&x);
		walk_release(&y);
	}
	timeline_free(other);
	reading_close(&r);
}

static void what_is_dropped_is_gone_and_the_rest_is_right(void **state)
{
	char dir[] = "/tmp/sonde-live-XXXXXX", path[64], source[600];
	struct recording rec = {0};
	struct errmsg err = {0};
	struct timeline *tl;
	struct reading r;

	if (!getenv("GOLDEN"))
		skip();
	snprintf(source, sizeof(source), "%s/events-v6.dat", getenv("GOLDEN"));
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/trace.dat", dir);
	recording_begin(&rec, source, path, COMPRESSION_NONE, 60 * 4096);
	assert_true(reading_open(&r, path));
	tl = follow(&r);
	for (int i = 0; recording_step(&rec, 20, false); i++) {
		assert_true(timeline_refresh(tl, &err) >= 0);
		assert_int_equal(timeline_wait(tl), 0);
		if (i % 8 == 7)
			assert_same_end(tl, path);
	}
	recording_end(&rec);
	assert_true(timeline_refresh(tl, &err) >= 0);
	assert_int_equal(timeline_wait(tl), 0);
	assert_same_end(tl, path);
	/* CPU 1 had 655 pages, both together 68 990 events */
	assert_true(timeline_stream(tl, 1)->n_pages > 600);
	assert_true(timeline_n_events(tl) < 68990 / 2);
	timeline_free(tl);
	reading_close(&r);
	remove_directory(dir);
}

/* --- while others look ----------------------------------------------------------------------------------- */

struct looking {
	struct timeline *tl;
	size_t n_tasks; /* before */
	bool has_more, is_inside;
	_Atomic bool stop;
	uint64_t n;
};

/* Inside of a walk, so nothing may be replaced; what is new is read all the same. */
static bool wait_inside(void *ctx, const struct walk_event *ev)
{
	struct looking *l = ctx;

	__atomic_store_n(&l->is_inside, true, __ATOMIC_RELEASE);
	for (int i = 0; i < 3000 && !l->has_more; i++) {
		l->has_more = timeline_n_tasks(l->tl) > l->n_tasks;
		usleep(10000);
	}
	return false;
}

static void *look(void *ctx)
{
	struct looking *l = ctx;
	struct walk_wants wants = {.to = TIMELINE_TIME_MAX};
	bool whole;

	for (size_t i = 0; i < timeline_n_streams(l->tl) && !l->is_inside; i++)
		timeline_walk(l->tl, i, &wants, wait_inside, l, &whole);
	return NULL;
}

static void nobody_waits_while_it_is_indexed(void **state)
{
	char dir[] = "/tmp/sonde-live-XXXXXX", path[64], source[600];
	struct recording rec = {0};
	struct errmsg err = {0};
	struct looking l = {0};
	struct reading r;
	pthread_t thread;

	if (!getenv("GOLDEN"))
		skip();
	snprintf(source, sizeof(source), "%s/events-v6.dat", getenv("GOLDEN"));
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/trace.dat", dir);
	recording_begin(&rec, source, path, COMPRESSION_NONE, 0);
	assert_true(reading_open(&r, path));
	l.tl = follow(&r);
	assert_true(recording_step(&rec, 1, false));
	assert_int_equal(timeline_refresh(l.tl, &err), 1);
	l.n_tasks = timeline_n_tasks(l.tl);
	while (recording_step(&rec, 100, false))
		continue;
	assert_int_equal(pthread_create(&thread, NULL, look, &l), 0);
	while (!__atomic_load_n(&l.is_inside, __ATOMIC_ACQUIRE))
		usleep(1000);
	assert_int_equal(timeline_refresh(l.tl, &err), 1);
	pthread_join(thread, NULL);
	assert_true(l.has_more);
	recording_end(&rec);
	timeline_free(l.tl);
	reading_close(&r);
	remove_directory(dir);
}

static struct lane *take_lane(struct lanes *lanes, const char *spec)
{
	struct errmsg err = {0};
	struct lane *ln;

	if (lane_get(lanes, spec, &ln, &err) < 0)
		fail_msg("%s", err.text);
	return ln;
}

/* Asks until it knows everything. */
static void wait_for_lane(struct timeline *tl, struct lanes *lanes, const char *spec)
{
	bool is_here = false;

	for (int i = 0; i < 3000 && !is_here; i++) {
		struct lane *ln = take_lane(lanes, spec);

		is_here = ln->end == timeline_duration(tl);
		lane_put(ln);
		usleep(10000);
	}
	assert_true(is_here);
}

/* Who asks gets what is there, also when nothing can be built. */
static void check_at_once(struct timeline *tl, struct lanes *lanes, uint64_t end)
{
	struct errmsg err = {0};
	struct lane *ln;

	pthread_rwlock_wrlock(&tl->shape);
	ln = take_lane(lanes, "task:0:147");
	assert_int_equal(ln->end, end);
	lane_put(ln);
	ln = take_lane(lanes, "task:0:15"); /* for the first time */
	assert_int_equal(ln->end, 0);
	assert_int_equal(ln->n_rows, 0);
	lane_put(ln);
	pthread_rwlock_unlock(&tl->shape);
	wait_for_lane(tl, lanes, "task:0:147");
	wait_for_lane(tl, lanes, "task:0:15");
	/* what is wrong with one is told */
	assert_int_equal(lane_get(lanes, "task:0:0", &ln, &err), -EINVAL);
	assert_non_null(strstr(err.text, "idle"));
}

static void nobody_waits_for_a_lane(void **state)
{
	static const char *const both[] = {"task:0:147", "cpu:0:1"};
	char dir[] = "/tmp/sonde-live-XXXXXX", path[64], source[600];
	struct recording rec = {0};
	struct errmsg err = {0};
	struct timeline *tl;
	struct lanes *lanes, *fresh;
	struct reading r;
	uint64_t end;

	if (!getenv("GOLDEN"))
		skip();
	snprintf(source, sizeof(source), "%s/events-v6.dat", getenv("GOLDEN"));
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/trace.dat", dir);
	recording_begin(&rec, source, path, COMPRESSION_NONE, 0);
	assert_true(reading_open(&r, path));
	tl = follow(&r);
	assert_int_equal(lanes_new(&lanes, tl), 0);
	assert_int_equal(lanes_follow(lanes, true), 0);
	assert_true(recording_step(&rec, 100, false));
	assert_int_equal(timeline_refresh(tl, &err), 1);
	lanes_prepare(lanes, both, 2);
	wait_for_lane(tl, lanes, both[0]);
	wait_for_lane(tl, lanes, both[1]);
	end = timeline_duration(tl);
	while (recording_step(&rec, 100, false))
		continue;
	assert_int_equal(timeline_refresh(tl, &err), 1);
	assert_int_equal(timeline_wait(tl), 0);
	check_at_once(tl, lanes, end);
	recording_end(&rec);
	assert_true(timeline_refresh(tl, &err) >= 0);
	assert_int_equal(lanes_follow(lanes, false), 0);
	assert_int_equal(lanes_new(&fresh, tl), 0);
	for (size_t i = 0; i < 2; i++)
		assert_same_lane(lanes, fresh, both[i], timeline_duration(tl));
	lanes_free(fresh);
	lanes_free(lanes);
	timeline_free(tl);
	reading_close(&r);
	remove_directory(dir);
}

static void do_nothing(void *ctx, size_t i)
{
}

/* Keeps the threads awake, so that they look for segments all the time. */
static void *keep_awake(void *ctx)
{
	struct looking *l = ctx;

	for (; !atomic_load(&l->stop); l->n++)
		timeline_parallel(l->tl, 8, do_nothing, l);
	return NULL;
}

/* Pages have absolute times when their headers are read; a thread that took them then would tell such times. */
static void check_times_stay(const char *golden, enum compression compression)
{
	char dir[] = "/tmp/sonde-live-XXXXXX", path[64], source[600];
	struct recording rec = {0};
	struct errmsg err = {0};
	struct looking l = {0};
	uint64_t origin = 0, n_before = 0;
	struct reading r;
	pthread_t thread;

	if (!getenv("GOLDEN"))
		skip();
	snprintf(source, sizeof(source), "%s/%s.dat", getenv("GOLDEN"), golden);
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/trace.dat", dir);
	recording_begin(&rec, source, path, compression, 0);
	assert_true(reading_open(&r, path));
	l.tl = follow(&r);
	for (uint32_t i = 0; i < l.tl->n_streams; i++)
		l.tl->streams[i]->segment_bytes = 16 * 4096;
	assert_int_equal(pthread_create(&thread, NULL, keep_awake, &l), 0);
	for (bool more = true; more;) {
		more = recording_step(&rec, 60, false);
		if (!more)
			recording_end(&rec);
		assert_true(timeline_refresh(l.tl, &err) >= 0);
		assert_int_equal(timeline_wait(l.tl), 0);
		origin = origin ? origin : timeline_origin(l.tl);
		assert_true(origin != 0);
		assert_int_equal(timeline_origin(l.tl), origin);
		assert_true(timeline_duration(l.tl) < origin);
		assert_true(timeline_n_events(l.tl) >= n_before);
		n_before = timeline_n_events(l.tl);
	}
	assert_like_new(l.tl, path);
	atomic_store(&l.stop, true);
	pthread_join(thread, NULL);
	timeline_free(l.tl);
	reading_close(&r);
	remove_directory(dir);
}

static void times_stay_from_the_origin(void **state)
{
	check_times_stay("events-v6", COMPRESSION_NONE);
	check_times_stay("events-v7-zstd", COMPRESSION_ZSTD);
}

/* Nothing of the beginning is left when the index is full; what is behind it is as it was. */
static void the_oldest_is_forgotten(void **state)
{
	char dir[] = "/tmp/sonde-live-XXXXXX", path[64], source[600];
	struct recording rec = {0};
	struct errmsg err = {0};
	struct timeline *tl;
	struct reading r;
	event_ref ref;
	uint64_t ts;

	if (!getenv("GOLDEN"))
		skip();
	snprintf(source, sizeof(source), "%s/events-v6.dat", getenv("GOLDEN"));
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/trace.dat", dir);
	recording_begin(&rec, source, path, COMPRESSION_NONE, 0);
	assert_true(reading_open(&r, path));
	tl = follow(&r);
	for (uint32_t i = 0; i < tl->n_streams; i++)
		tl->streams[i]->segment_bytes = 16 * 4096;
	tl->index_max = atomic_load(&tl->n_bytes) + (400 << 10);
	while (recording_step(&rec, 30, false)) {
		assert_true(timeline_refresh(tl, &err) >= 0);
		assert_int_equal(timeline_wait(tl), 0);
	}
	recording_end(&rec);
	assert_true(timeline_refresh(tl, &err) >= 0);
	assert_int_equal(timeline_wait(tl), 0);
	assert_same_end(tl, path);
	assert_true(timeline_n_events(tl) < 68990);
	assert_in_range(atomic_load(&tl->n_bytes), 1, tl->index_max + (100 << 10));
	assert_int_equal(timeline_rows(tl, NULL, 0, &ref, &ts, 1), 1);
	assert_true(ts > 0);
	assert_int_equal(r.tf->n_damage, 1);
	assert_non_null(strstr(r.tf->damage[0], "beginning is not shown"));
	timeline_free(tl);
	reading_close(&r);
	remove_directory(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plain_files_are_followed),
		cmocka_unit_test(pages_that_are_written_again_are_read_again),
		cmocka_unit_test(packed_files_are_followed),
		cmocka_unit_test(what_is_dropped_is_gone_and_the_rest_is_right),
		cmocka_unit_test(lanes_and_selections_grow),
		cmocka_unit_test(what_is_dropped_is_counted_anew),
		cmocka_unit_test(lost_events_are_summed_up),
		cmocka_unit_test(nobody_waits_while_it_is_indexed),
		cmocka_unit_test(nobody_waits_for_a_lane),
		cmocka_unit_test(times_stay_from_the_origin),
		cmocka_unit_test(the_oldest_is_forgotten),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_lane.c - the parts that lanes are made of: names, labels, shares of buckets, stacks of calls, trees of
 * frames, and lanes of a real trace asked for by many threads at once.
 *
 * covers: K02 K03 V10 Q02 B07 B11
 *
 * What whole lanes hold is compared in tests/timeline, with another reading of the same traces.
 */
#include "base/errmsg.h"
#include "timeline/insight/insight_int.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void names_of_lanes_are_taken_apart(void **state)
{
	struct errmsg err = {0};
	struct lane_spec s;

	assert_int_equal(lane_spec_parse(&s, "cpu:2:17", &err), 0);
	assert_int_equal(s.type, LANE_OF_CPU);
	assert_int_equal(s.machine, 2);
	assert_int_equal(s.number, 17);
	assert_int_equal(lane_spec_parse(&s, "field:0:kmem/kmalloc:bytes_req:cpu3", &err), 0);
	assert_string_equal(s.event.system, "kmem");
	assert_string_equal(s.event.name, "kmalloc");
	assert_string_equal(s.field, "bytes_req");
	assert_int_equal(s.only_cpu, 3);
	assert_int_equal(s.only_pid, -1);
	assert_int_equal(lane_spec_parse(&s, "pair:1:a/b:c/d:x:y", &err), 0);
	assert_string_equal(s.event_b.name, "d");
	assert_string_equal(s.field_b, "y");
	assert_int_equal(lane_spec_parse(&s, "pair:1:a/b:c/d:x", &err), 0);
	assert_string_equal(s.field_b, "x");
	assert_int_equal(lane_spec_parse(&s, "found:12", &err), 0);
	assert_int_equal(s.number, 12);
}

static void wrong_names_say_how_to_write_them(void **state)
{
	static const char *const rows[][2] = {
		{"cpu:0", "cpu:MACHINE:CPU"},
		{"task:x:1", "task:MACHINE:PID"},
		{"event:0:sched_switch", "event:MACHINE:SYSTEM/NAME"},
		{"pair:0:a/b:c/d", "pair:MACHINE:SYSTEM/A:SYSTEM/B:KEY"},
		{"nothing:0:0", "there are cpu, task"},
		{"cpu:0:18446744073709551617", "cpu:MACHINE:CPU"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct errmsg err = {0};
		struct lane_spec s;

		assert_int_equal(lane_spec_parse(&s, rows[i][0], &err), -EINVAL);
		assert_non_null(strstr(err.text, rows[i][1]));
	}
}

static void labels_keep_their_numbers(void **state)
{
	struct labels l;
	uint32_t numbers[3000];
	char text[32];

	assert_int_equal(labels_init(&l), 0);
	for (unsigned i = 0; i < 3000; i++)
		numbers[i] = labels_add(&l, text, snprintf(text, sizeof(text), "function_%u", i));
	for (unsigned i = 0; i < 3000; i++) {
		int len = snprintf(text, sizeof(text), "function_%u", i);

		assert_int_equal(labels_add(&l, text, len), numbers[i]);
		assert_string_equal(labels_find(&l, numbers[i]), text);
	}
	/* the colour is the text's own, and 0 is nobody's */
	for (unsigned i = 0; i < 3; i++)
		assert_int_not_equal(numbers[i], 0);
	assert_int_equal(labels_add(&l, "vfs_read", 8) % LABEL_COLOURS, 28);
	assert_string_equal(labels_find(&l, 0), "?");
	assert_string_equal(labels_find(&l, 4000000), "?");
	labels_release(&l);
}

static void shares_lose_no_time(void **state)
{
	struct shares s = {0};

	for (unsigned i = 0; i < 100; i++)
		shares_add(&s, i, 10, 1 << (i % 7));
	shares_add(&s, 7, 500, 0);
	assert_int_equal(s.busy, 1500);
	assert_int_equal(s.flags, 0x7f);
	assert_int_equal(s.values[shares_largest(&s)], 7);
	/* what nobody knows is no time that was taken */
	shares_add(&s, TIMELINE_NO_TASK, 9000, TILE_UNKNOWN);
	assert_int_equal(s.busy, 1500);
	assert_int_equal(s.values[shares_largest(&s)], TIMELINE_NO_TASK);
}

static void pyramids_cover_the_trace(void **state)
{
	for (uint64_t duration = 1; duration < TIMELINE_TIME_MAX; duration = duration * 7 + 3) {
		struct pyramid p = {0};
		size_t n = pyramid_lay_out(&p, duration, 14), sum = 0;

		assert_true(duration >> p.base_level < (UINT64_C(1) << 14));
		for (int l = 0; l < p.n_levels; l++) {
			assert_int_equal(p.at[l], sum);
			assert_true((uint64_t)p.n[l] << (p.base_level + l) > duration);
			sum += p.n[l];
		}
		assert_int_equal(p.n[p.n_levels - 1], 1);
		assert_int_equal(n, sum);
	}
}

/* --- calls ----------------------------------------------------------------------------------------- */

struct closed {
	struct {
		unsigned depth;
		uint64_t start, end;
		uint32_t label;
		uint8_t flags;
	} calls[16];
	size_t n;
};

static void note_close(void *ctx, const struct callstack *cs, unsigned depth,
		       const struct open_call *call, uint64_t end, uint8_t flags)
{
	struct closed *c = ctx;

	c->calls[c->n].depth = depth;
	c->calls[c->n].start = call->start;
	c->calls[c->n].end = end;
	c->calls[c->n].label = call->label;
	c->calls[c->n++].flags = flags;
}

static struct mark mark_of(uint64_t ts, uint32_t label, unsigned depth, uint64_t took)
{
	return (struct mark){.ts = ts, .label = label, .id = label, .depth = depth, .extra = took};
}

static void check_call(const struct closed *c, size_t i, unsigned depth, uint64_t start,
		       uint64_t end, uint32_t label, uint8_t flags)
{
	assert_true(i < c->n);
	assert_int_equal(c->calls[i].depth, depth);
	assert_int_equal(c->calls[i].start, start);
	assert_int_equal(c->calls[i].end, end);
	assert_int_equal(c->calls[i].label, label);
	assert_int_equal(c->calls[i].flags, flags);
}

static void calls_nest_and_survive_losses(void **state)
{
	struct closed c = {0};
	struct callstack *cs = calloc(1, sizeof(*cs));
	struct mark m;

	cs->close = note_close;
	cs->ctx = &c;
	m = mark_of(100, 1, 0, 0);
	callstack_enter(cs, &m);
	m = mark_of(110, 2, 1, 0);
	callstack_enter(cs, &m);
	/* 2 was never left; 3 stands in its place */
	m = mark_of(130, 3, 1, 0);
	callstack_enter(cs, &m);
	m = mark_of(140, 3, 1, 10);
	callstack_leave(cs, &m);
	m = mark_of(200, 1, 0, 100);
	callstack_leave(cs, &m);
	callstack_cut(cs, 300);
	check_call(&c, 0, 1, 130, 140, 3, 0);
	check_call(&c, 1, 0, 100, 200, 1, 0);
	check_call(&c, 2, 1, 110, 130, 2, TILE_OPEN_END);
	assert_int_equal(c.n, 3);
	free(cs);
}

static void a_late_leave_says_how_long_it_took(void **state)
{
	struct closed c = {0};
	struct callstack *cs = calloc(1, sizeof(*cs));
	struct mark m;

	cs->close = note_close;
	cs->ctx = &c;
	m = mark_of(100, 1, 0, 0);
	callstack_enter(cs, &m);
	/* an interrupt after the return of 1, before that was written */
	m = mark_of(150, 2, 0, 0);
	callstack_enter(cs, &m);
	m = mark_of(160, 2, 0, 10);
	callstack_leave(cs, &m);
	m = mark_of(170, 1, 0, 40);
	callstack_leave(cs, &m);
	check_call(&c, 0, 0, 150, 160, 2, 0);
	check_call(&c, 1, 0, 100, 140, 1, 0);
	free(cs);
}

/* Calls of the kernel stand on those of the program, also on one that is a single event. */
static void kernel_calls_stand_on_user_calls(void **state)
{
	struct closed c = {0};
	struct callstack *cs = calloc(1, sizeof(*cs));
	struct mark m;

	cs->close = note_close;
	cs->ctx = &c;
	m = mark_of(100, 1, 0, 0);
	m.is_user = true;
	callstack_enter(cs, &m);
	m = mark_of(110, 2, 1, 50); /* until 160 */
	m.is_user = m.is_whole = true;
	callstack_enter(cs, &m);
	m = mark_of(120, 3, 0, 0);
	callstack_enter(cs, &m);
	m = mark_of(130, 3, 0, 10);
	callstack_leave(cs, &m);
	/* behind the end of 2: it stands on 1 */
	m = mark_of(170, 4, 0, 0);
	callstack_enter(cs, &m);
	/* the program runs, so 4 has lost its end */
	m = mark_of(200, 1, 0, 0);
	m.is_user = true;
	callstack_leave(cs, &m);
	m = mark_of(210, 5, 0, 30);
	m.is_user = m.is_whole = true;
	callstack_enter(cs, &m);
	callstack_cut(cs, 300);
	check_call(&c, 0, 2, 120, 130, 3, 0);
	check_call(&c, 1, 1, 110, 160, 2, 0);
	check_call(&c, 2, 1, 170, 200, 4, TILE_OPEN_END);
	check_call(&c, 3, 0, 100, 200, 1, 0);
	check_call(&c, 4, 0, 210, 240, 5, 0);
	assert_int_equal(c.n, 5);
	free(cs);
}

/* --- frames ------------------------------------------------------------------------------------------ */

static void frames_add_up(void **state)
{
	struct flame_frame *frames;
	struct flametree t;
	struct labels l;
	uint32_t a, b, first, second;
	size_t n;

	assert_int_equal(labels_init(&l), 0);
	assert_int_equal(flametree_init(&t), 0);
	a = flametree_child(&t, 0, frame_key_task(FRAME_TASK, 3));
	b = flametree_child(&t, a, labels_add(&l, "b", 1));
	flametree_add(&t, a, 5);
	flametree_add(&t, b, 7);
	flametree_add(&t, flametree_child(&t, a, labels_add(&l, "c", 1)), 20);
	flametree_child(&t, a, labels_add(&l, "nothing", 7));
	assert_int_equal(flametree_child(&t, a, labels_add(&l, "b", 1)), b);
	assert_int_equal(flametree_list(&t, &l, &frames, &n), 0);
	assert_int_equal(n, 4);
	assert_int_equal(frames[0].weight, 32);
	assert_null(frames[0].name);
	a = frames[0].first_child;
	assert_int_equal(frames[a].kind, FRAME_TASK);
	assert_int_equal(frames[a].value, 3);
	assert_int_equal(frames[a].weight, 32);
	first = frames[a].first_child;
	second = frames[first].next;
	assert_string_equal(frames[first].name, "c");
	assert_int_equal(frames[first].weight, 20);
	assert_true(frames[first].is_leaf);
	assert_string_equal(frames[second].name, "b");
	assert_int_equal(frames[second].weight, 7);
	assert_int_equal(frames[second].next, 0);
	free(frames);
	flametree_release(&t);
	labels_release(&l);
}

/* --- a real trace --------------------------------------------------------------------------------------- */

struct opened {
	struct tracefile *tf;
	struct formats *formats;
	struct timeline_source sources[8];
	struct timeline *tl;
	struct lanes *lanes;
};

static void open_golden(struct opened *o, const char *name)
{
	struct formats_config config = {0};
	struct timeconv_config times = {0};
	const char *golden = getenv("GOLDEN");
	struct errmsg err = {0};
	char path[512];

	memset(o, 0, sizeof(*o));
	if (!golden)
		skip();
	snprintf(path, sizeof(path), "%s/%s", golden, name);
	assert_int_equal(tracefile_open(&o->tf, path, &err), 0);
	assert_int_equal(formats_new(&o->formats, o->tf, &config, &err), 0);
	assert_true(o->tf->n_buffers <= 8);
	for (size_t i = 0; i < o->tf->n_buffers; i++) {
		o->sources[i] = (struct timeline_source){
			.tf = o->tf, .formats = o->formats, .buffer = &o->tf->buffers[i]};
		o->sources[i].name = o->tf->buffers[i].name;
		timeconv_init(&o->sources[i].time, o->tf, o->tf->buffers[i].clock, &times);
	}
	assert_int_equal(timeline_new(&o->tl, o->sources, o->tf->n_buffers, 2, &err), 0);
	assert_int_equal(lanes_new(&o->lanes, o->tl), 0);
}

static void close_golden(struct opened *o)
{
	lanes_free(o->lanes);
	timeline_free(o->tl);
	formats_free(o->formats);
	tracefile_close(o->tf);
}

static const char *const specs[] = {
	"cpu:0:0",
	"cpu:0:1",
	"task:0:128",
	"sys:0:127",
	"irq:0:0",
	"softirq:0:1",
	"all:0:0",
	"event:0:sched/sched_waking",
	"found:3",
	"field:0:sched/sched_stat_runtime:runtime",
	"pair:0:raw_syscalls/sys_enter:raw_syscalls/sys_exit:pid",
};

struct asker {
	struct opened *o;
	unsigned seed;
};

static bool count_spans(void *ctx, const struct lane_span *s)
{
	assert_true(s->end >= s->start);
	(*(size_t *)ctx)++;
	return true;
}

static void *ask(void *ctx)
{
	struct asker *a = ctx;
	uint64_t duration = timeline_duration(a->o->tl);
	size_t n_spans = 0;

	for (unsigned i = 0; i < 60; i++) {
		unsigned n = rand_r(&a->seed);
		struct errmsg err = {0};
		struct lane_span span;
		struct tile tile;
		struct lane *ln;
		int level = n / 16 % 40;

		/* while the index grows some are not there yet */
		if (lane_get(a->o->lanes, specs[n % (sizeof(specs) / sizeof(specs[0]))], &ln, &err))
			continue;
		if (!lane_tile(ln, level,
			       level + TILE_BITS < 48
				       ? (duration >> (level + TILE_BITS)) / (1 + n % 3)
				       : 0,
			       &tile)) {
			for (size_t j = 0; j < tile.n && lane_kind(ln) != LANE_COUNTER; j++) {
				assert_true(tile.records[j].x0 >= 0);
				assert_true(tile.records[j].x1 <= TILE_BUCKETS);
				assert_true(tile.records[j].x1 >= tile.records[j].x0);
			}
			free(tile.records);
		}
		lane_span_at(ln, duration / (1 + n % 7), 0, n % 4, &span);
		if (n % 8 == 0)
			lane_each(ln, duration / 4, duration / 3, count_spans, &n_spans);
		lane_put(ln);
	}
	return NULL;
}

static void many_ask_at_once_while_it_is_indexed(void **state)
{
	struct opened o;
	struct asker askers[4];
	struct errmsg err = {0};
	struct selection_wants wants = {.expression = "sched:pid==15"};
	struct selection *sel = NULL;
	pthread_t threads[4];

	open_golden(&o, "events-v7-zstd.dat");
	assert_int_equal(timeline_start(o.tl, NULL, &err), 0);
	for (unsigned i = 0; i < 4; i++) {
		askers[i] = (struct asker){&o, i + 1};
		assert_int_equal(pthread_create(&threads[i], NULL, ask, &askers[i]), 0);
	}
	for (unsigned i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	assert_int_equal(timeline_wait(o.tl), 0);
	assert_int_equal(selection_new(&sel, o.tl, &wants, NULL, NULL, &err), 0);
	assert_int_equal(lanes_set_selection(o.lanes, 3, sel), 0);
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, ask, &askers[i]), 0);
	for (unsigned i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	assert_int_equal(lanes_set_selection(o.lanes, 3, NULL), 0);
	selection_free(sel);
	close_golden(&o);
}

struct span_list {
	struct lane_span spans[20000];
	size_t n;
};

static bool keep_span(void *ctx, const struct lane_span *s)
{
	struct span_list *l = ctx;

	assert_true(l->n < 20000);
	l->spans[l->n++] = *s;
	return true;
}

static void tasks_together_are_as_one_by_one(void **state)
{
	static const char *const tasks[] = {"task:0:15",   "task:0:127", "task:0:128",
					    "task:0:4711", "cpu:0:0",	 "task:0:126"};
	struct span_list *lists = calloc(2, sizeof(*lists));
	struct opened o;
	struct errmsg err = {0};

	open_golden(&o, "events-v7-zstd.dat");
	assert_int_equal(timeline_start(o.tl, NULL, &err), 0);
	assert_int_equal(timeline_wait(o.tl), 0);
	lanes_prepare(o.lanes, tasks, 6);
	for (size_t i = 0; i < 3; i++) {
		struct lanes *other;

		assert_int_equal(lanes_new(&other, o.tl), 0);
		for (unsigned j = 0; j < 2; j++) {
			struct lane *ln;

			lists[j].n = 0;
			assert_int_equal(lane_get(j ? other : o.lanes, tasks[i], &ln, &err), 0);
			assert_int_equal(lane_each(ln, 0, UINT64_MAX, keep_span, &lists[j]), 0);
			lane_put(ln);
		}
		assert_true(lists[0].n > 0);
		assert_int_equal(lists[0].n, lists[1].n);
		for (size_t j = 0; j < lists[0].n; j++) {
			const struct lane_span *a = &lists[0].spans[j], *b = &lists[1].spans[j];

			assert_int_equal(a->start, b->start);
			assert_int_equal(a->end, b->end);
			assert_int_equal(a->value, b->value);
			assert_int_equal(a->waker, b->waker);
			assert_int_equal(a->flags, b->flags);
		}
		lanes_free(other);
	}
	free(lists);
	close_golden(&o);
}

static void read_lane(struct opened *o, const char *spec, struct span_list *ret)
{
	struct errmsg err = {0};
	struct lane *ln;

	ret->n = 0;
	assert_int_equal(lane_get(o->lanes, spec, &ln, &err), 0);
	assert_int_equal(lane_each(ln, 0, UINT64_MAX, keep_span, ret), 0);
	lane_put(ln);
}

/* The ceiling of all lanes: others are forgotten for the next one, and are the same when they are built again. */
static void lanes_stay_below_their_ceiling(void **state)
{
	static const char *const some[] = {"task:0:15", "task:0:127", "cpu:0:0", "task:0:128",
					   "cpu:0:1"};
	struct span_list *lists = calloc(2, sizeof(*lists));
	struct opened o;
	struct errmsg err = {0};

	open_golden(&o, "events-v7-zstd.dat");
	assert_int_equal(timeline_start(o.tl, NULL, &err), 0);
	assert_int_equal(timeline_wait(o.tl), 0);
	read_lane(&o, some[0], &lists[0]);
	o.lanes->bytes_max = lanes_memory(o.lanes) + 1000;
	for (size_t i = 0; i < 10; i++) {
		read_lane(&o, some[i % 5], &lists[1]);
		/* one that is larger than all may be is still answered, alone */
		assert_true(lanes_memory(o.lanes) <= o.lanes->bytes_max || o.lanes->n_slots == 1);
	}
	read_lane(&o, some[0], &lists[1]);
	assert_true(lists[0].n > 0);
	assert_int_equal(lists[0].n, lists[1].n);
	for (size_t j = 0; j < lists[0].n; j++) {
		assert_int_equal(lists[0].spans[j].start, lists[1].spans[j].start);
		assert_int_equal(lists[0].spans[j].end, lists[1].spans[j].end);
		assert_int_equal(lists[0].spans[j].value, lists[1].spans[j].value);
	}
	free(lists);
	close_golden(&o);
}

static void hits_of_a_search_are_ticks(void **state)
{
	struct opened o;
	struct errmsg err = {0};
	struct selection_wants wants = {.expression = "sched_switch:next_pid==15"};
	struct selection *sel;
	struct lane *ln;
	size_t n = 0;

	open_golden(&o, "events-v7-zstd.dat");
	assert_int_equal(timeline_start(o.tl, NULL, &err), 0);
	assert_int_equal(timeline_wait(o.tl), 0);
	assert_int_equal(selection_new(&sel, o.tl, &wants, NULL, NULL, &err), 0);
	assert_int_equal(lanes_set_selection(o.lanes, 9, sel), 0);
	assert_int_equal(lane_get(o.lanes, "found:9", &ln, &err), 0);
	assert_int_equal(lane_each(ln, 0, TIMELINE_TIME_MAX, count_spans, &n), 0);
	assert_int_equal(n, selection_count(sel));
	for (int level = 10; level < 34; level += 4) {
		uint64_t last = timeline_duration(o.tl) >> (level + TILE_BITS), sum = 0;

		for (uint64_t i = 0; i <= last; i++) {
			struct tile tile;

			assert_int_equal(lane_tile(ln, level, i, &tile), 0);
			for (size_t j = 0; j < tile.n; j++) {
				assert_true(tile.records[j].flags & TILE_FOUND);
				sum += tile.records[j].value;
			}
			free(tile.records);
		}
		assert_int_equal(sum, n);
	}
	lane_put(ln);
	assert_int_equal(lanes_set_selection(o.lanes, 9, NULL), 0);
	assert_int_equal(lane_get(o.lanes, "found:9", &ln, &err), -EINVAL);
	selection_free(sel);
	close_golden(&o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_of_lanes_are_taken_apart),
		cmocka_unit_test(wrong_names_say_how_to_write_them),
		cmocka_unit_test(labels_keep_their_numbers),
		cmocka_unit_test(shares_lose_no_time),
		cmocka_unit_test(pyramids_cover_the_trace),
		cmocka_unit_test(calls_nest_and_survive_losses),
		cmocka_unit_test(a_late_leave_says_how_long_it_took),
		cmocka_unit_test(kernel_calls_stand_on_user_calls),
		cmocka_unit_test(frames_add_up),
		cmocka_unit_test(many_ask_at_once_while_it_is_indexed),
		cmocka_unit_test(tasks_together_are_as_one_by_one),
		cmocka_unit_test(lanes_stay_below_their_ceiling),
		cmocka_unit_test(hits_of_a_search_are_ticks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_timeline_select.c - selections, switches and wakings of an index, each computed once more from
 * the records that the serial merge gives.
 *
 * covers: V03 Q02 Q08 K02
 */
#include "../lib/timelines.h"
#include "decode/filter/filter.h"
#include "decode/print/print.h"
#include "timeline/states/states.h"

struct both {
	struct reading ours, other;
	struct seen_list seen;
	struct timeline *tl;
};

static bool both_open(struct both *b, const char *path)
{
	if (!reading_open(&b->ours, path))
		return false;
	assert_true(reading_open(&b->other, path));
	see_all(&b->seen, &b->other);
	b->tl = index_of(&b->ours, 3, NULL);
	return true;
}

static void both_close(struct both *b)
{
	timeline_free(b->tl);
	seen_free(&b->seen);
	reading_close(&b->ours);
	reading_close(&b->other);
}

static const char *golden(const char *name)
{
	static char path[600];

	if (!getenv("GOLDEN"))
		skip();
	snprintf(path, sizeof(path), "%s/%s.dat", getenv("GOLDEN"), name);
	return path;
}

/* --- selections -------------------------------------------------------------------------------- */

struct verdict {
	struct both *b;
	const struct selection_wants *wants;
	struct filter *filter;
	struct printer printer;
	struct textbuf line;
};

static bool text_is_in(struct verdict *v, const struct record *rec, const struct timeline_task *t)
{
	textbuf_clear(&v->line);
	textbuf_addf(&v->line, "%s-%d %s: ", t->comm, t->pid, rec->event->name);
	printer_print(&v->printer, rec, false);
	textbuf_add_char(&v->line, 0);
	return strcasestr(v->line.start, v->wants->text) != NULL;
}

static bool is_wanted(struct verdict *v, const struct seen *s)
{
	struct timeline *tl = v->b->tl;
	int task = timeline_find_task(tl, 0, s->pid);
	const struct timeline_task *t = timeline_task(tl, task);
	struct task named = {.pid = t->pid, .comm = t->comm, .comm_len = strlen(t->comm)};
	struct record rec = {.data = s->data,
			     .size = s->size,
			     .cpu = s->cpu,
			     .event = formats_find(v->b->other.formats, s->id),
			     .task = &named};
	const struct selection_wants *w = v->wants;
	size_t kind = 0, stream = 0;

	while (timeline_kind(tl, kind)->id != s->id)
		kind++;
	while (timeline_stream(tl, stream)->cpu != s->cpu ||
	       timeline_stream(tl, stream)->source != s->source)
		stream++;
	if (w->kinds && (kind >= w->n_kinds || !(w->kinds[kind / 8] >> kind % 8 & 1)))
		return false;
	if (w->tasks && ((size_t)task >= w->n_tasks || !(w->tasks[task / 8] >> task % 8 & 1)))
		return false;
	if (w->streams && !(w->streams[stream / 8] >> stream % 8 & 1))
		return false;
	if (w->expression && filter_match(v->filter, &rec) != FILTER_MATCH)
		return false;
	return !w->text || (rec.event && text_is_in(v, &rec, t));
}

/* Row n of the selection is the event that the merge has at `at`. */
static void check_row(struct both *b, const struct selection *sel, uint64_t n, size_t at)
{
	event_ref ref, all;
	uint64_t ts;

	assert_int_equal(timeline_rows(b->tl, sel, n, &ref, &ts, 1), 1);
	assert_int_equal(timeline_rows(b->tl, NULL, at, &all, NULL, 1), 1);
	assert_int_equal(ref, all);
	assert_int_equal(timeline_row_of(b->tl, sel, ref), n);
	assert_true(timeline_rank(b->tl, sel, ts) <= n);
	assert_true(timeline_rank(b->tl, sel, ts + 1) > n);
}

static void check_selection(struct both *b, const struct selection_wants *wants, bool is_empty)
{
	struct verdict v = {.b = b, .wants = wants};
	struct errmsg err = {0};
	struct selection *sel;
	uint64_t n = 0;

	if (selection_new(&sel, b->tl, wants, NULL, NULL, &err) < 0)
		fail_msg("%s", err.text);
	textbuf_init(&v.line, 1 << 20);
	assert_int_equal(printer_init(&v.printer, b->other.formats, &v.line), 0);
	if (wants->expression)
		assert_int_equal(filter_new(&v.filter, b->other.formats, wants->expression, &err),
				 0);
	for (size_t i = 0; i < b->seen.n; i++) {
		bool wanted = is_wanted(&v, &b->seen.list[i]);

		if (wanted && !(n % 37))
			check_row(b, sel, n, i);
		if (!(i % 53)) {
			event_ref ref;

			assert_int_equal(timeline_rows(b->tl, NULL, i, &ref, NULL, 1), 1);
			assert_int_equal(selection_has(sel, ref), wanted);
		}
		n += wanted;
	}
	assert_int_equal(selection_count(sel), n);
	/* which kinds and tasks have low numbers depends on who was first */
	if (is_empty || !wants->kinds)
		assert_int_equal(n == 0, is_empty);
	assert_int_equal(timeline_rank(b->tl, sel, TIMELINE_TIME_MAX), n);
	filter_free(v.filter);
	printer_release(&v.printer);
	textbuf_release(&v.line);
	selection_free(sel);
}

static void selections_are_what_each_record_says(void **state)
{
	static const uint8_t some[8192] = {0x5a, 0xa5, 0x0f, 0x33}, one[512] = {2};
	static const struct selection_wants rows[] = {
		{.text = NULL},
		{.kinds = some, .n_kinds = 65536},
		{.tasks = some, .n_tasks = 65536},
		{.kinds = some, .n_kinds = 5, .tasks = some, .n_tasks = 20},
		{.streams = one},
		{.expression = "sched_switch:prev_pid == 0"},
		{.expression = "sched_switch:next_comm =~ \"k.*\" || prev_prio < 120"},
		{.expression = "sched:COMM != \"<idle>\"", .streams = one},
		{.expression = ".*:CPU == 1 && common_pid > 0"},
		{.text = "KWORKER"},
		{.text = "sched_switch", .kinds = some, .n_kinds = 65536},
		{.text = "==> ", .expression = "sched_switch:prev_state == 1"},
	};
	struct both b;

	assert_true(both_open(&b, golden("events-v7-zstd")));
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		check_selection(&b, &rows[i], false);
	check_selection(&b, &(struct selection_wants){.text = "no such text"}, true);
	both_close(&b);
}

static void several_buffers_have_one_selection(void **state)
{
	struct both b;

	assert_true(both_open(&b, golden("instances-mono")));
	check_selection(&b, &(struct selection_wants){.expression = ".*:common_pid > 0"}, false);
	check_selection(&b, &(struct selection_wants){.text = "1"}, false);
	both_close(&b);
}

static void a_regular_expression_is_one(void **state)
{
	struct selection_wants wants = {.text = "^[a-z]+-[0-9]+ SCHED_(switch|waking):",
					.is_regex = true};
	struct errmsg err = {0};
	struct selection *sel;
	struct both b;
	uint64_t n = 0;

	assert_true(both_open(&b, golden("events-v7-zstd")));
	assert_int_equal(selection_new(&sel, b.tl, &wants, NULL, NULL, &err), 0);
	for (size_t i = 0; i < timeline_n_kinds(b.tl); i++) {
		const struct timeline_kind *k = timeline_kind(b.tl, i);

		if (!strcmp(k->event->name, "sched_switch") ||
		    !strcmp(k->event->name, "sched_waking"))
			n += k->n_events;
	}
	assert_in_range(selection_count(sel), 1, n);
	selection_free(sel);
	wants.text = "a(";
	assert_int_equal(selection_new(&sel, b.tl, &wants, NULL, NULL, &err), -EINVAL);
	assert_non_null(strstr(err.text, "regular expression"));
	both_close(&b);
}

static bool say_stop(void *ctx)
{
	return true;
}

static void bad_expressions_say_where(void **state)
{
	static const char *const bad[] = {"sched_switch:prev_pid ==", "no_such_event:x == 1", ":"};
	struct errmsg err;
	struct selection *sel;
	struct both b;

	assert_true(both_open(&b, golden("events-v7-zstd")));
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct selection_wants wants = {.expression = bad[i]};

		err = (struct errmsg){0};
		assert_int_equal(selection_new(&sel, b.tl, &wants, NULL, NULL, &err), -EINVAL);
		assert_true(err.text[0] != 0);
	}
	err = (struct errmsg){0};
	assert_int_equal(selection_new(&sel, b.tl, &(struct selection_wants){.text = "x"}, say_stop,
				       NULL, &err),
			 -ECANCELED);
	both_close(&b);
}

/* --- switches and wakings ------------------------------------------------------------------------ */

struct sched_check {
	struct both *b;
	const struct timeline_stream *st;
	const struct event *event;
	const char *pid, *other;
	size_t at;
	uint64_t n, from;
};

static int number_of(const struct sched_check *c, const struct seen *s, const char *name)
{
	const struct field *f = event_find_any(c->event, name);

	assert_non_null(f);
	return bytes_get(s->data + f->offset, f->size, c->b->other.tf->swap);
}

/* The next record of the event in this stream. */
static const struct seen *next_seen(struct sched_check *c)
{
	for (; c->at < c->b->seen.n; c->at++) {
		const struct seen *s = &c->b->seen.list[c->at];

		if (s->source == c->st->source && s->cpu == c->st->cpu && s->id == c->event->id)
			return &c->b->seen.list[c->at++];
	}
	return NULL;
}

static void assert_entry(struct sched_check *c, uint64_t ts, uint16_t a, uint16_t b)
{
	const struct seen *s = next_seen(c);

	assert_non_null(s);
	assert_int_equal(ts, s->ts - timeline_origin(c->b->tl));
	assert_int_equal(timeline_task(c->b->tl, a)->pid, number_of(c, s, c->pid));
	assert_int_equal(timeline_task(c->b->tl, b)->pid, number_of(c, s, c->other));
	c->n++;
}

static bool check_switch(void *ctx, const struct switch_entry *e)
{
	assert_entry(ctx, e->ts, e->prev, e->next);
	assert_true(e->prev_state < STATES_N);
	return true;
}

static bool check_waking(void *ctx, const struct waking_entry *e)
{
	if (e->flags & WAKING_NEW)
		return true;
	assert_entry(ctx, e->ts, e->task, e->waker);
	return true;
}

static void check_sched(const char *name)
{
	struct both b;
	uint64_t n_switches = 0, n_wakings = 0;

	assert_true(both_open(&b, golden(name)));
	assert_true(timeline_has_sched(b.tl, 0));
	assert_false(timeline_has_sched(b.tl, 7));
	for (size_t i = 0; i < timeline_n_streams(b.tl); i++) {
		struct sched_check c = {
			.b = &b,
			.st = timeline_stream(b.tl, i),
			.event = formats_find_name(b.other.formats, "sched", "sched_switch"),
			.pid = "prev_pid",
			.other = "next_pid"};

		timeline_switches(b.tl, i, 0, TIMELINE_TIME_MAX, check_switch, &c);
		assert_null(next_seen(&c));
		n_switches += c.n;
		/* a wakeup counts only where there is no waking */
		c.event = formats_find_name(b.other.formats, "sched", "sched_waking");
		if (!c.event)
			c.event = formats_find_name(b.other.formats, "sched", "sched_wakeup");
		c.pid = "pid";
		c.other = "common_pid";
		c.at = c.n = 0;
		timeline_wakings(b.tl, i, 0, TIMELINE_TIME_MAX, check_waking, &c);
		assert_null(next_seen(&c));
		n_wakings += c.n;
	}
	assert_true(n_switches > 100);
	assert_true(n_wakings > 10);
	both_close(&b);
}

static void switches_and_wakings_are_those_of_the_records(void **state)
{
	check_sched("events-v6");
	check_sched("events-v7-zstd");
	check_sched("stacks");
}

struct range_check {
	uint64_t from, to, last;
	unsigned n_before, n;
};

static bool check_range(void *ctx, const struct switch_entry *e)
{
	struct range_check *c = ctx;

	assert_true(e->ts <= c->to && e->ts >= c->last);
	c->last = e->ts;
	c->n_before += e->ts < c->from;
	c->n++;
	return true;
}

static void ranges_have_one_switch_before_them(void **state)
{
	struct both b;
	uint64_t duration;

	assert_true(both_open(&b, golden("events-v6")));
	duration = timeline_duration(b.tl);
	for (unsigned i = 1; i < 20; i++) {
		struct range_check c = {.from = duration * i / 20, .to = duration * (i + 1) / 20};

		timeline_switches(b.tl, 0, c.from, c.to, check_range, &c);
		assert_int_equal(c.n_before, 1);
		assert_true(c.n > 1);
	}
	both_close(&b);
}

/* All tasks together ran as long as their CPUs were watched. */
static void running_times_add_up(void **state)
{
	uint64_t ran = 0, watched = 0;
	struct both b;

	assert_true(both_open(&b, golden("events-v6")));
	for (size_t i = 0; i < timeline_n_tasks(b.tl); i++)
		ran += timeline_task(b.tl, i)->running_ns;
	for (size_t i = 0; i < timeline_n_streams(b.tl); i++)
		watched += timeline_stream(b.tl, i)->last - timeline_stream(b.tl, i)->first;
	assert_int_equal(ran, watched);
	both_close(&b);
}

/* --- walking ------------------------------------------------------------------------------------- */

struct walk_count {
	uint16_t kind;
	uint64_t n;
};

static bool count_walked(void *ctx, const struct walk_event *ev)
{
	struct walk_count *c = ctx;

	assert_int_equal(ev->kind, c->kind);
	c->n++;
	return true;
}

static void walks_find_all_of_a_kind(void **state)
{
	struct both b;

	assert_true(both_open(&b, golden("all-events")));
	for (size_t k = 0; k < timeline_n_kinds(b.tl); k++) {
		uint8_t bits[8192] = {0};
		struct walk_wants wants = {
			.to = TIMELINE_TIME_MAX, .kinds = bits, .n_kinds = timeline_n_kinds(b.tl)};
		struct walk_count c = {.kind = k};

		bits[k / 8] = 1 << k % 8;
		for (size_t i = 0; i < timeline_n_streams(b.tl); i++)
			timeline_walk(b.tl, i, &wants, count_walked, &c, NULL);
		assert_int_equal(c.n, timeline_kind(b.tl, k)->n_events);
	}
	both_close(&b);
}

static void density_is_what_the_pages_hold(void **state)
{
	struct both b;
	float values[100];

	assert_true(both_open(&b, golden("events-v6")));
	for (size_t i = 0; i < timeline_n_streams(b.tl); i++) {
		const struct timeline_stream *st = timeline_stream(b.tl, i);
		uint64_t to = timeline_duration(b.tl) + 1;
		double sum = 0;

		timeline_density(b.tl, i, 0, to, values, 100);
		for (int k = 0; k < 100; k++)
			sum += values[k] * (double)to / 100;
		assert_true(sum > st->n_pages * 4080 * 0.9 && sum < st->n_pages * 4080 * 1.01);
	}
	both_close(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(selections_are_what_each_record_says),
		cmocka_unit_test(several_buffers_have_one_selection),
		cmocka_unit_test(a_regular_expression_is_one),
		cmocka_unit_test(bad_expressions_say_where),
		cmocka_unit_test(switches_and_wakings_are_those_of_the_records),
		cmocka_unit_test(ranges_have_one_switch_before_them),
		cmocka_unit_test(running_times_add_up),
		cmocka_unit_test(walks_find_all_of_a_kind),
		cmocka_unit_test(density_is_what_the_pages_hold),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

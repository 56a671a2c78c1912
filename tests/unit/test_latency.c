// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_latency.c - matching of beginnings and ends, percentiles, groups, call times and counts, each from an
 * array of events.
 */
#include "analyse/calltimes.h"
#include "analyse/keycount.h"
#include "analyse/latency/latency.h"
#include "base/errmsg.h"
#include "symbols/tasks.h"
#include "../lib/memtrace.h"

#include <setjmp.h>
#include <stdarg.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#define WORD(name, offset) \
	"\tfield:unsigned long long " name ";\toffset:" offset ";\tsize:8;\tsigned:0;\n"

static const struct memtrace_format formats_table[] = {
	{"block",
	 "name: issue\nID: 100" COMMON WORD("req", "8")
		 WORD("size",
		      "16") "\nprint fmt: \"%s\", __print_symbolic(REC->size, { 1, \"ONE\" })\n"},
	{"block", "name: complete\nID: 101" COMMON WORD("request",
							"8") "\nprint fmt: \"%d\", REC->request\n"},
	{"probe", "name: slow\nID: 102" COMMON WORD(
			  "__probe_ip", "8") "\nprint fmt: \"(%lx)\", REC->__probe_ip\n"},
	{"probe", "name: slow__return\nID: 103" COMMON WORD("__probe_func", "8") WORD(
			  "__probe_ret_ip", "16") "\nprint fmt: \"(%lx)\", REC->__probe_func\n"},
	{"ftrace", "name: funcgraph_entry\nID: 104" COMMON WORD(
			   "func", "8") "\tfield:int depth;\toffset:16;\tsize:4;\tsigned:1;\n"
					"\nprint fmt: \"%d\", REC->depth\n"},
	{"ftrace",
	 "name: funcgraph_exit\nID: 105" COMMON WORD(
		 "func",
		 "8") "\tfield:int depth;\toffset:16;\tsize:4;\tsigned:1;\n" WORD("calltime", "24")
		 WORD("rettime", "32") "\nprint fmt: \"%d\", REC->depth\n"},
};

static const char kallsyms_text[] = "0000000000001000 T outer\n0000000000002000 T inner\n"
				    "0000000000003000 T end\n";

struct fixture {
	uint8_t file[16384];
	struct tracefile *tf;
	struct formats *formats;
	struct latency_config config;
	struct latency *l;
	struct task tasks[3];
};

static int setup(void **state)
{
	struct fixture *fx = calloc(1, sizeof(*fx));

	if (MEMTRACE_OPEN(fx, formats_table, sizeof(formats_table) / sizeof(*formats_table),
			  kallsyms_text, "") < 0)
		return -1;
	fx->tasks[0] = (struct task){.pid = 0, .comm = "idle"};
	fx->tasks[1] = (struct task){.pid = 7, .comm = "me"};
	fx->tasks[2] = (struct task){.pid = 8, .comm = "you"};
	fx->config = (struct latency_config){.from = "issue", .to = "complete", .n_worst = 3};
	latency_scale_settle(&fx->config.scale);
	*state = fx;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *fx = *state;

	latency_free(fx->l);
	formats_free(fx->formats);
	tracefile_close(fx->tf);
	free(fx);
	return 0;
}

struct made {
	uint64_t data[8];
	struct record rec;
};

static const struct record *make(struct made *m, struct fixture *fx, int id, uint64_t ts,
				 uint32_t cpu, unsigned task, uint64_t a, uint64_t b)
{
	*m = (struct made){.data = {id, a, b}};
	m->rec = (struct record){.ts = ts,
				 .data = (uint8_t *)m->data,
				 .size = sizeof(m->data),
				 .cpu = cpu,
				 .task = &fx->tasks[task],
				 .event = formats_find(fx->formats, id)};
	return &m->rec;
}

static void begin(struct fixture *fx)
{
	struct errmsg err = {0};

	assert_int_equal(latency_new(&fx->l, fx->formats, &fx->config, &err), 0);
}

static void feed(struct fixture *fx, int id, uint64_t ts, uint32_t cpu, unsigned task, uint64_t a,
		 uint64_t b)
{
	struct made m;

	latency_add(fx->l, make(&m, fx, id, ts, cpu, task, a, b));
}

static const struct latencies *result(struct fixture *fx)
{
	assert_int_equal(latency_finish(fx->l), 0);
	return latency_result(fx->l);
}

static void threads_are_matched(void **state)
{
	struct fixture *fx = *state;
	const struct latencies *r;
	const struct latency_counts *c;

	begin(fx);
	feed(fx, 101, 50, 0, 1, 0, 0); /* nobody began */
	feed(fx, 100, 100, 0, 1, 0, 0);
	feed(fx, 100, 200, 0, 2, 0, 0);
	feed(fx, 100, 300, 0, 1, 0, 0);	 /* again: counts from here */
	feed(fx, 101, 1300, 1, 1, 0, 0); /* 1000 */
	feed(fx, 101, 1400, 1, 1, 0, 0); /* taken already */
	feed(fx, 100, 1500, 0, 0, 0, 0);
	feed(fx, 100, 1600, 1, 0, 0, 0); /* another idle task */
	feed(fx, 101, 1800, 0, 0, 0, 0); /* 300 */
	r = result(fx);
	c = latency_counts(fx->l);
	assert_int_equal(r->all.n, 2);
	assert_int_equal(r->all.total, 1300);
	assert_int_equal(r->all.min, 300);
	assert_int_equal(r->all.max, 1000);
	assert_int_equal(c->n_alone, 2);
	assert_int_equal(c->n_again, 1);
	assert_int_equal(c->n_open, 2);
	assert_int_equal(r->n_worst, 2);
	assert_int_equal(r->worst[0].ns, 1000);
	assert_int_equal(r->worst[0].from_cpu, 0);
	assert_int_equal(r->worst[0].to_cpu, 1);
	assert_int_equal(r->worst[0].from_ts, 300);
}

static void fields_are_matched(void **state)
{
	struct fixture *fx = *state;
	struct errmsg err = {0};
	const struct latencies *r;
	struct textbuf tb;

	assert_int_equal(latency_parse_fields(&fx->config, "A.req=B.request", &err), 0);
	assert_int_equal(latency_parse_groups(&fx->config, "size,$comm", &err), 0);
	begin(fx);
	for (uint64_t req = 0; req < 5000; req++) /* the table grows and shrinks */
		feed(fx, 100, 1000 + req, 0, 1, req * 64, req & 1);
	for (uint64_t req = 5000; req-- > 0;)
		feed(fx, 101, 10000 + req, 0, 2, req * 64, 0);
	feed(fx, 101, 20000, 0, 2, 64, 0);
	r = result(fx);
	assert_int_equal(r->all.n, 5000);
	assert_int_equal(r->all.min, 9000);
	assert_int_equal(r->all.max, 9000);
	assert_int_equal(latency_counts(fx->l)->n_alone, 1);
	assert_int_equal(latency_counts(fx->l)->n_open, 0);
	assert_int_equal(r->groups.n_used, 2);
	textbuf_init(&tb, 1000);
	for (size_t i = 0; i < 4; i++) {
		const struct keyed *key = &r->sorted[i / 2]->key;

		key_fmt(latency_keys(fx->l), key->slots[i % 2], key->values[i % 2], &tb);
		textbuf_add_char(&tb, ' ');
	}
	textbuf_add(&tb, "", 1);
	assert_string_equal(tb.start, "ONE you 0 you ");
	textbuf_release(&tb);
}

static void losses_give_up(void **state)
{
	struct fixture *fx = *state;
	struct made m;

	begin(fx);
	feed(fx, 100, 100, 0, 1, 0, 0);
	make(&m, fx, 101, 900, 0, 1, 0, 0);
	m.rec.flags = RECORD_MISSED;
	latency_add(fx->l, &m.rec);
	assert_int_equal(result(fx)->all.n, 0);
	assert_int_equal(latency_counts(fx->l)->n_given_up, 1);
	assert_int_equal(latency_counts(fx->l)->n_gaps, 1);
	assert_int_equal(latency_counts(fx->l)->n_alone, 1);
	/* and it goes on */
	feed(fx, 100, 1000, 0, 1, 0, 0);
	feed(fx, 101, 1001, 0, 1, 0, 0);
	assert_int_equal(result(fx)->all.n, 1);
}

static void calls_are_a_stack(void **state)
{
	struct fixture *fx = *state;
	const struct latencies *r;

	fx->config.function = "slow";
	begin(fx);
	feed(fx, 102, 100, 0, 1, 0x1000, 0);
	feed(fx, 102, 110, 0, 1, 0x1000, 0);
	feed(fx, 103, 115, 0, 1, 0x1000, 0); /* 5 */
	feed(fx, 103, 200, 0, 1, 0x1000, 0); /* 100 */
	feed(fx, 103, 210, 0, 1, 0x1000, 0); /* alone */
	r = result(fx);
	assert_int_equal(r->all.n, 2);
	assert_int_equal(r->all.min, 5);
	assert_int_equal(r->all.max, 100);
	assert_int_equal(latency_counts(fx->l)->n_alone, 1);
}

/* Several functions at once: each return belongs to its own entry, whatever ran in between. */
static void calls_of_several_functions(void **state)
{
	static const struct latency_call calls[] = {{"probe:slow", "probe:slow__return"},
						    {"block:issue", "block:complete"}};
	struct fixture *fx = *state;
	const struct latencies *r;

	fx->config.calls = calls;
	fx->config.n_calls = 2;
	fx->config.is_call = true;
	fx->config.groups[0] = (struct latency_word){"$event", LATENCY_FROM};
	fx->config.n_groups = 1;
	begin(fx);
	feed(fx, 102, 100, 0, 1, 0, 0); /* slow { */
	feed(fx, 100, 200, 0, 1, 0, 0); /* issue { */
	feed(fx, 102, 300, 0, 1, 0, 0); /* slow { */
	feed(fx, 100, 350, 1, 2, 0, 0); /* another thread */
	feed(fx, 103, 400, 0, 1, 0, 0); /* } 100 */
	feed(fx, 101, 500, 0, 1, 0, 0); /* } 300 */
	feed(fx, 103, 900, 0, 1, 0, 0); /* } 800 */
	feed(fx, 103, 950, 0, 1, 0, 0); /* of nothing */
	r = result(fx);
	assert_int_equal(r->all.n, 3);
	assert_int_equal(r->all.total, 1200);
	assert_int_equal(latency_counts(fx->l)->n_open, 1);
	assert_int_equal(latency_counts(fx->l)->n_alone, 1);
	assert_int_equal(r->groups.n_used, 2);
}

static void probes_are_known_by_address(void **state)
{
	struct fixture *fx = *state;

	fx->config.function = "inner";
	begin(fx);
	feed(fx, 102, 100, 0, 1, 0x1000, 0);
	feed(fx, 103, 150, 0, 1, 0x1000, 0); /* of outer */
	feed(fx, 102, 200, 0, 1, 0x2004, 0);
	feed(fx, 102, 210, 0, 1, 0x2400, 0); /* in the middle of it */
	feed(fx, 103, 230, 0, 1, 0x2000, 0);
	assert_int_equal(result(fx)->all.n, 1);
	assert_int_equal(result(fx)->all.total, 30);
}

static void graph_has_whole_calls(void **state)
{
	struct fixture *fx = *state;
	struct made m;

	fx->config.function = "out*";
	begin(fx);
	feed(fx, 104, 100, 0, 1, 0x1000, 0);
	make(&m, fx, 105, 190, 0, 1, 0x1000, 0);
	m.data[3] = 110;
	m.data[4] = 180;
	latency_add(fx->l, &m.rec);
	make(&m, fx, 105, 290, 0, 1, 0x2000, 0);
	latency_add(fx->l, &m.rec);
	assert_int_equal(result(fx)->all.n, 1);
	assert_int_equal(result(fx)->all.total, 70);
	assert_int_equal(result(fx)->worst[0].from_ts, 120);
}

static void percentiles_are_near(void **state)
{
	struct fixture *fx = *state;
	struct latencies l;

	(void)fx;
	assert_int_equal(latencies_init(&l, &fx->config.scale, 0, 2), 0);
	for (uint64_t v = 1; v <= 100000; v++)
		latencies_add(&l, NULL, v * 37, 1, NULL);
	latencies_add(&l, NULL, UINT64_MAX, 1, NULL);
	for (unsigned p = 100; p < 10000; p += 123) {
		uint64_t exact = (100001ull * p + 9999) / 10000 * 37;
		uint64_t told = latency_spread_percentile(&l.all, p);

		assert_true(told >= exact && told <= exact + exact / 128 + 1);
	}
	assert_int_equal(latency_spread_percentile(&l.all, 10000), UINT64_MAX);
	latencies_release(&l);
}

static void scales_have_edges(void **state)
{
	struct latency_scale log2 = {0}, steps = {.unit_ns = 1, .range = 20, .min = 40, .max = 130};
	uint64_t from, to;

	latency_scale_settle(&log2);
	assert_int_equal(log2.n_buckets, 22);
	assert_int_equal(latency_scale_bucket(&log2, 999), 0);
	assert_int_equal(latency_scale_bucket(&log2, 1000), 1);
	assert_int_equal(latency_scale_bucket(&log2, 1999), 1);
	assert_int_equal(latency_scale_bucket(&log2, 2000), 2);
	assert_int_equal(latency_scale_bucket(&log2, UINT64_MAX), 21);
	latency_scale_range(&log2, 2, &from, &to);
	assert_int_equal(from, 2);
	assert_int_equal(to, 4);
	latency_scale_settle(&steps);
	assert_int_equal(steps.n_buckets, 7);
	assert_int_equal(latency_scale_bucket(&steps, 39), 0);
	assert_int_equal(latency_scale_bucket(&steps, 40), 1);
	assert_int_equal(latency_scale_bucket(&steps, 129), 5);
	assert_int_equal(latency_scale_bucket(&steps, 130), 6);
	latency_scale_range(&steps, 5, &from, &to);
	assert_int_equal(from, 120);
	assert_int_equal(to, 130);
	latency_scale_range(&steps, 6, &from, &to);
	assert_int_equal(from, 130);
	assert_int_equal(to, 0);
}

/* What the kernel adds up by itself: the same as one by one. No part of a percentile has an edge of a bucket in it. */
static void cells_are_exact(void **state)
{
	struct latency_scale scale = {0};
	struct latencies one, cells;

	latency_scale_settle(&scale);
	assert_int_equal(latencies_init(&one, &scale, 0, 0), 0);
	assert_int_equal(latencies_init(&cells, &scale, 0, 0), 0);
	for (uint64_t ns = 256000; ns < 256000 + 4 * 1024; ns += 1024) {
		struct latency_cell cell = {
			.n = 3, .total = 3 * ns + 23, .min = ns + 5, .max = ns + 9};

		latencies_add(&one, NULL, ns + 5, 1, NULL);
		latencies_add(&one, NULL, ns + 9, 2, NULL);
		latencies_add_cell(&cells, NULL, &cell);
	}
	assert_int_equal(one.all.n, cells.all.n);
	assert_int_equal(one.all.total, cells.all.total);
	assert_int_equal(one.all.min, cells.all.min);
	assert_int_equal(one.all.max, cells.all.max);
	for (size_t i = 0; i < LATENCY_PERCENTILES; i++)
		assert_int_equal(latency_spread_percentile(&one.all, latency_percentiles[i]),
				 latency_spread_percentile(&cells.all, latency_percentiles[i]));
	assert_memory_equal(one.all.buckets, cells.all.buckets,
			    scale.n_buckets * sizeof(*one.all.buckets));
	latencies_release(&one);
	latencies_release(&cells);
	for (unsigned k = 0; k < 40; k++) {
		assert_int_equal(latencies_init(&one, &scale, 0, 0), 0);
		latencies_add(&one, NULL, (1000ull << k) - 1, 1, NULL);
		latencies_add(&one, NULL, 1000ull << k, 1, NULL);
		assert_true(latency_spread_percentile(&one.all, 5000) < 1000ull << k);
		latencies_release(&one);
	}
}

static void own_time_is_without_calls(void **state)
{
	struct fixture *fx = *state;
	struct calltimes_config config = {.sort = CALLTIMES_SELF};
	const struct calltimes_row *const *rows;
	struct calltimes *c;
	struct errmsg err = {0};
	struct made m;
	size_t n;

	assert_int_equal(calltimes_new(&c, fx->formats, &config, &err), 0);
	calltimes_add(c, make(&m, fx, 104, 100, 0, 1, 0x1000, 0));
	for (int i = 0; i < 2; i++) {
		calltimes_add(c, make(&m, fx, 104, 110, 0, 1, 0x2000, 1));
		make(&m, fx, 105, 130, 0, 1, 0x2000, 1);
		m.data[3] = 110;
		m.data[4] = 130 + i * 10;
		calltimes_add(c, &m.rec);
	}
	make(&m, fx, 105, 190, 0, 1, 0x1000, 0);
	m.data[3] = 100;
	m.data[4] = 190;
	calltimes_add(c, &m.rec);
	assert_int_equal(calltimes_finish(c), 0);
	rows = calltimes_rows(c, &n);
	assert_int_equal(n, 2);
	assert_string_equal(rows[0]->name, "inner");
	assert_int_equal(rows[0]->n, 2);
	assert_int_equal(rows[0]->total, 50);
	assert_int_equal(rows[0]->self, 50);
	assert_int_equal(rows[0]->max, 30);
	assert_string_equal(rows[1]->name, "outer");
	assert_int_equal(rows[1]->total, 90);
	assert_int_equal(rows[1]->self, 40);
	calltimes_free(c);
}

static void counts_have_keys(void **state)
{
	struct fixture *fx = *state;
	const char *const names[] = {"block:*", "slow"};
	struct keycount_config config = {.events = names, .n_events = 2};
	const struct keycount_row *const *rows;
	struct keycount *k;
	struct errmsg err = {0};
	struct textbuf tb;
	struct made m;
	size_t n;

	assert_int_equal(keycount_parse_words(&config, "size,comm", &err), 0);
	assert_int_equal(keycount_new(&k, fx->formats, &config, &err), 0);
	for (int i = 0; i < 3; i++)
		keycount_add(k, make(&m, fx, 100, 1, 0, 1, 5, 1));
	keycount_add(k, make(&m, fx, 101, 1, 0, 1, 5, 1));
	keycount_add(k, make(&m, fx, 103, 1, 0, 1, 5, 1)); /* not asked for */
	assert_int_equal(keycount_finish(k), 0);
	rows = keycount_rows(k, &n);
	assert_int_equal(n, 2);
	assert_int_equal(rows[0]->now.n, 3);
	assert_int_equal(keycount_total(k), 4);
	assert_int_equal(keycount_n_words(k), 3);
	textbuf_init(&tb, 1000);
	for (size_t i = 0; i < 6; i++) {
		keycount_fmt(k, rows[i / 3], i % 3, &tb);
		textbuf_add_char(&tb, ' ');
	}
	textbuf_add(&tb, "", 1);
	assert_string_equal(tb.start, "issue ONE me complete - me ");
	textbuf_release(&tb);
	keycount_free(k);
}

static void assert_ranges(const char *words, const int64_t *values, size_t n, const char *want)
{
	static const struct key_slot number = {.kind = KEY_PID};
	const struct key_slot *const slots[] = {&number};
	struct keycount_config config = {0};
	const struct keycount_row *const *rows;
	struct errmsg err = {0};
	struct keycount *k;
	struct textbuf tb;

	assert_int_equal(keycount_parse_words(&config, words, &err), 0);
	assert_int_equal(keycount_new_counted(&k, &config), 0);
	for (size_t i = 0; i < n; i++)
		keycount_add_values(k, &(uint64_t){(uint64_t)values[i]}, slots, 1);
	assert_int_equal(keycount_finish(k), 0);
	rows = keycount_rows(k, &n);
	textbuf_init(&tb, 10000);
	for (size_t i = 0; i < n; i++) {
		keycount_fmt(k, rows[i], 0, &tb);
		textbuf_addf(&tb, "=%llu ", (unsigned long long)rows[i]->now.n);
	}
	textbuf_add(&tb, "", 1);
	assert_string_equal(tb.start, want);
	textbuf_release(&tb);
	keycount_free(k);
}

static void ranges_hold_their_values(void **state)
{
	static const int64_t values[] = {0,   1,  2,  3,  4,  7,    8,	  100,	     199,
					 200, -1, -2, -3, -4, -100, -101, INT64_MIN, INT64_MAX};
	size_t n = sizeof(values) / sizeof(*values);

	(void)state;
	assert_ranges("n.log2", values, n,
		      "-18446744073709551615..-9223372036854775808=1 -127..-64=2 -7..-4=1 -3..-2=2 "
		      "-1=1 0=1 1=1 2..3=2 4..7=2 "
		      "8..15=1 64..127=1 128..255=2 4611686018427387904..9223372036854775807=1 ");
	assert_ranges("n.buckets=100", values, n - 2,
		      "-200..-101=1 -100..-1=5 0..99=7 100..199=2 200..299=1 ");
	assert_ranges("n.buckets=1", values, 4, "0=1 1=1 2=1 3=1 ");
}

static void wrong_ranges_are_refused(void **state)
{
	static const char *const wrong[] = {"n.log3",	    ".log2",	   "n.",
					    "n.buckets=",   "n.buckets=0", "n.buckets=-5",
					    "n.buckets=1x", "n.log2.log2"};
	struct errmsg err = {0};

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		struct keycount_config config = {0};
		int r = keycount_parse_words(&config, wrong[i], &err);

		if (i + 1 < sizeof(wrong) / sizeof(*wrong))
			assert_int_equal(r, -EINVAL);
	}
}

static void sums_and_intervals(void **state)
{
	static const struct key_slot number = {.kind = KEY_PID};
	const struct key_slot *const slots[] = {&number, &number};
	struct keycount_config config = {.words = {"a"}, .n_words = 1, .is_each = true};
	const struct keycount_row *const *rows;
	struct errmsg err = {0};
	struct keycount *k;
	size_t n;

	(void)state;
	assert_int_equal(keycount_parse_sum(&config, "bytes", &err), 0);
	assert_int_equal(keycount_new_counted(&k, &config), 0);
	keycount_add_values(k, (uint64_t[]){1, 10}, slots, 3);
	keycount_add_values(k, (uint64_t[]){1, (uint64_t)-5}, slots, 1);
	keycount_add_values(k, (uint64_t[]){2, 100}, slots, 1);
	assert_int_equal(keycount_finish(k), 0);
	rows = keycount_rows(k, &n);
	assert_int_equal(n, 2);
	assert_int_equal(keycount_n_words(k), 1);
	assert_string_equal(keycount_summed(k), "bytes");
	assert_int_equal(rows[0]->now.sum, 100); /* the larger sum first */
	assert_int_equal(rows[1]->now.sum, 25);
	assert_int_equal(rows[1]->now.n, 4);
	assert_int_equal(rows[1]->now.min, -5);
	assert_int_equal(rows[1]->now.max, 10);
	assert_int_equal(keycount_sum(k), 125);
	/* the kernel's tables have all so far; the second one, what came since the first */
	keycount_clear(k);
	keycount_add_values(k, (uint64_t[]){1, 10}, slots, 5);
	keycount_add_values(k, (uint64_t[]){1, (uint64_t)-5}, slots, 1);
	keycount_add_values(k, (uint64_t[]){2, 100}, slots, 1);
	assert_int_equal(keycount_finish(k), 0);
	rows = keycount_rows(k, &n);
	assert_int_equal(n, 1);
	assert_int_equal(rows[0]->now.n, 2);
	assert_int_equal(rows[0]->now.sum, 20);
	assert_int_equal(keycount_total(k), 2);
	keycount_free(k);
}

static void what_others_counted_is_a_table(void **state)
{
	static const struct key_slot text = {.kind = KEY_TEXT}, number = {.kind = KEY_PID};
	struct keycount_config config = {.words = {"a", "b"}, .n_words = 2};
	const struct key_slot *const slots[] = {&number, &text};
	const struct keycount_row *const *rows;
	uint64_t one[2] = {12}, two[2] = {13};
	struct keycount *k;
	size_t n;

	(void)state;
	assert_int_equal(keycount_new_counted(&k, &config), 0);
	one[1] = two[1] = key_of_text(keycount_keys(k), "x", 1);
	keycount_add_values(k, one, slots, 3);
	keycount_add_values(k, two, slots, 5);
	keycount_add_values(k, one, slots, 4);
	assert_int_equal(keycount_finish(k), 0);
	rows = keycount_rows(k, &n);
	assert_int_equal(n, 2);
	assert_int_equal(rows[0]->now.n, 7);
	keycount_clear(k);
	keycount_add_values(k, two, slots, 1);
	assert_int_equal(keycount_finish(k), 0);
	keycount_rows(k, &n);
	assert_int_equal(n, 1);
	assert_int_equal(keycount_total(k), 1);
	keycount_free(k);
}

static void wrong_words_are_refused(void **state)
{
	struct fixture *fx = *state;
	struct errmsg err = {0};

	assert_int_equal(latency_parse_fields(&fx->config, "a,b,c,d,e", &err), -EINVAL);
	memset(&err, 0, sizeof(err));
	fx->config.n_fields = 0;
	assert_int_equal(latency_parse_fields(&fx->config, "a=", &err), -EINVAL);
	memset(&err, 0, sizeof(err));
	fx->config.match = LATENCY_BY_THREAD;
	fx->config.from = "isue";
	assert_int_equal(latency_new(&fx->l, fx->formats, &fx->config, &err), -ENOENT);
	assert_non_null(strstr(err.text, "issue"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cells_are_exact),
		cmocka_unit_test_setup_teardown(threads_are_matched, setup, teardown),
		cmocka_unit_test_setup_teardown(fields_are_matched, setup, teardown),
		cmocka_unit_test_setup_teardown(losses_give_up, setup, teardown),
		cmocka_unit_test_setup_teardown(calls_are_a_stack, setup, teardown),
		cmocka_unit_test_setup_teardown(calls_of_several_functions, setup, teardown),
		cmocka_unit_test_setup_teardown(probes_are_known_by_address, setup, teardown),
		cmocka_unit_test_setup_teardown(graph_has_whole_calls, setup, teardown),
		cmocka_unit_test_setup_teardown(percentiles_are_near, setup, teardown),
		cmocka_unit_test_setup_teardown(scales_have_edges, setup, teardown),
		cmocka_unit_test_setup_teardown(own_time_is_without_calls, setup, teardown),
		cmocka_unit_test_setup_teardown(counts_have_keys, setup, teardown),
		cmocka_unit_test(ranges_hold_their_values),
		cmocka_unit_test(wrong_ranges_are_refused),
		cmocka_unit_test(sums_and_intervals),
		cmocka_unit_test_setup_teardown(what_others_counted_is_a_table, setup, teardown),
		cmocka_unit_test_setup_teardown(wrong_words_are_refused, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

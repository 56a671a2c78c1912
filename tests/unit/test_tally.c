// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_tally.c - counting records by event and task: what is counted, what is told apart, and what
 * a page that is not as it should be does.
 *
 * Pages are made with store/pagebuilder.h in both byte orders and word sizes.
 */
#include "analyse/tally.h"
#include "store/pagebuilder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

struct shape {
	bool swap;
	uint8_t long_size;
};

static const struct shape shapes[] = {{false, 8}, {true, 8}, {false, 4}, {true, 4}};

static struct tally_layout layout_of(struct shape s)
{
	return (struct tally_layout){.page = {.swap = s.swap,
					      .big_endian = s.swap != bytes_host_is_big(),
					      .long_size = s.long_size,
					      .data_offset = 8 + s.long_size},
				     .type = {0, 2},
				     .pid = {4, 4},
				     .n_ids = 100};
}

static struct pagebuilder builder(struct shape s)
{
	struct tally_layout l = layout_of(s);
	struct pagebuilder pb = {.swap = s.swap,
				 .big_endian = l.page.big_endian,
				 .long_size = s.long_size,
				 .data_offset = l.page.data_offset,
				 .page_size = 4096};

	assert_int_equal(pagebuilder_init(&pb), 0);
	return pb;
}

static void add(struct pagebuilder *pb, uint64_t ts, uint16_t id, int32_t pid, uint32_t size)
{
	uint8_t data[64] = {0};
	uint16_t id16 = pb->swap ? __builtin_bswap16(id) : id;
	uint32_t pid32 = pb->swap ? __builtin_bswap32(pid) : (uint32_t)pid;

	memcpy(data, &id16, 2);
	memcpy(data + 4, &pid32, 4);
	assert_true(pagebuilder_add(pb, ts, data, size));
}

static uint64_t count_of(struct count *list, size_t n, int64_t key)
{
	for (size_t i = 0; i < n; i++)
		if (list[i].key == key)
			return list[i].n;
	return 0;
}

static void events_and_tasks_are_counted_in_every_shape(void **state)
{
	for (size_t i = 0; i < sizeof(shapes) / sizeof(*shapes); i++) {
		struct tally_layout l = layout_of(shapes[i]);
		struct pagebuilder pb = builder(shapes[i]);
		struct tally_span span = {0};
		struct count *ids, *pids;
		struct tally t;
		struct piece page;
		size_t n;

		assert_int_equal(tally_init(&t, &l), 0);
		pagebuilder_begin(&pb, 1000, 0);
		add(&pb, 1000, 7, 50, 12);
		add(&pb, 1001, 7, 50, 12);
		add(&pb, 1002, 9, 51, 16);
		add(&pb, 1003, 60000, 50, 8); /* no format has it */
		add(&pb, 1ull << 40, 7, -3, 12);
		page = pagebuilder_end(&pb);
		assert_true(tally_add_page(&t, &span, page.data, page.len));
		assert_int_equal(span.n_records, 5);
		assert_int_equal(span.first_ts, 1000);
		assert_int_equal(span.last_ts, 1ull << 40);
		assert_int_equal(span.n_gaps, 0);
		ids = tally_list_ids(&t, &n);
		assert_int_equal(n, 3);
		assert_int_equal(ids[0].key, 7); /* the most frequent first */
		assert_int_equal(ids[0].n, 3);
		assert_int_equal(ids[0].n_bytes, 36);
		assert_int_equal(ids[1].key, 9); /* then by id */
		assert_int_equal(ids[2].key, 60000);
		pids = tally_list_pids(&t, &n);
		assert_int_equal(n, 3);
		assert_int_equal(count_of(pids, n, 50), 3);
		assert_int_equal(count_of(pids, n, 51), 1);
		assert_int_equal(count_of(pids, n, -3), 1);
		free(ids);
		free(pids);
		tally_release(&t);
		pagebuilder_release(&pb);
	}
}

static void losses_are_summed_and_unknown_ones_kept_apart(void **state)
{
	struct tally_layout l = layout_of(shapes[0]);
	struct pagebuilder pb = builder(shapes[0]);
	const int64_t missed[] = {17, PAGEBUILDER_MISSED_UNKNOWN, 0, 3};
	struct tally_span span = {0};
	struct tally t;

	assert_int_equal(tally_init(&t, &l), 0);
	for (size_t i = 0; i < 4; i++) {
		struct piece page;

		pagebuilder_begin(&pb, 5000 - i, missed[i]);
		add(&pb, 5000 - i, 1, 1, 8);
		page = pagebuilder_end(&pb);
		assert_true(tally_add_page(&t, &span, page.data, page.len));
	}
	assert_int_equal(span.n_pages, 4);
	assert_int_equal(span.n_gaps, 3);
	assert_int_equal(span.n_gaps_unknown, 1);
	assert_int_equal(span.n_missed, 20);
	assert_int_equal(span.first_ts, 4997); /* pages may come in any order */
	assert_int_equal(span.last_ts, 5000);
	tally_release(&t);
	pagebuilder_release(&pb);
}

static void damaged_pages_are_counted_up_to_the_damage(void **state)
{
	struct tally_layout l = layout_of(shapes[0]);
	struct pagebuilder pb = builder(shapes[0]);
	struct tally_span span = {0};
	struct tally t;
	struct piece page;

	assert_int_equal(tally_init(&t, &l), 0);
	pagebuilder_begin(&pb, 1000, 0);
	add(&pb, 1000, 1, 1, 12);
	add(&pb, 1001, 1, 1, 12);
	page = pagebuilder_end(&pb);
	/* cut in the second record, in the head, before it */
	assert_false(tally_add_page(&t, &span, page.data, 16 + 16 + 6));
	assert_int_equal(span.n_records, 1);
	assert_false(tally_add_page(&t, &span, page.data, 12));
	assert_false(tally_add_page(&t, &span, page.data, 0));
	assert_int_equal(span.n_records, 1);
	assert_int_equal(span.n_pages, 3);
	/* a record without room for id and task */
	pagebuilder_begin(&pb, 1000, 0);
	add(&pb, 1000, 1, 77, 4);
	page = pagebuilder_end(&pb);
	assert_true(tally_add_page(&t, &span, page.data, page.len));
	assert_int_equal(span.n_records, 2);
	tally_release(&t);
	pagebuilder_release(&pb);
}

static void tallies_add_up(void **state)
{
	struct tally_layout l = layout_of(shapes[0]);
	struct pagebuilder pb = builder(shapes[0]);
	struct tally_span spans[2] = {0}, none = {0};
	struct tally t[2];
	struct count *list;
	size_t n;

	for (int i = 0; i < 2; i++) {
		assert_int_equal(tally_init(&t[i], &l), 0);
		/* more tasks than the table starts with */
		for (int k = 0; k < 40; k++) {
			struct piece page;

			pagebuilder_begin(&pb, 1000 * k, 0);
			for (int m = 0; m < 100; m++)
				add(&pb, 1000 * k + m, i + 1, k * 100 + m, 8);
			page = pagebuilder_end(&pb);
			assert_true(tally_add_page(&t[i], &spans[i], page.data, page.len));
		}
	}
	tally_add(&t[0], &t[1]);
	tally_span_add(&spans[0], &spans[1]);
	tally_span_add(&spans[0], &none);
	assert_int_equal(spans[0].n_records, 8000);
	assert_int_equal(spans[0].first_ts, 0);
	assert_int_equal(spans[0].last_ts, 39099);
	list = tally_list_pids(&t[0], &n);
	assert_int_equal(n, 4000);
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(list[i].key, i);
		assert_int_equal(list[i].n, 2);
	}
	free(list);
	list = tally_list_ids(&t[0], &n);
	assert_int_equal(n, 2);
	assert_int_equal(list[1].n, 4000);
	free(list);
	tally_release(&t[0]);
	tally_release(&t[1]);
	pagebuilder_release(&pb);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(events_and_tasks_are_counted_in_every_shape),
		cmocka_unit_test(losses_are_summed_and_unknown_ones_kept_apart),
		cmocka_unit_test(damaged_pages_are_counted_up_to_the_damage),
		cmocka_unit_test(tallies_add_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

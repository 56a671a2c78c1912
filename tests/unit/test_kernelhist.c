// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_kernelhist.c - the kernel's histogram text: keys of every kind, several triggers, odd texts.
 *
 * covers: X33
 */
#include "base/errmsg.h"
#include "decode/kernelhist.h"
#include "present/result/histtable.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static struct kernelhist *parse(struct arena *arena, const char *text)
{
	struct kernelhist *h = NULL;

	arena_init(arena, 1 << 20);
	assert_int_equal(kernelhist_parse(text, strlen(text), arena, &h), 0);
	return h;
}

static void keys_of_every_kind(void **state)
{
	struct arena arena;
	struct kernelhist *h = parse(
		&arena, "# event histogram\n#\n"
			"# trigger info: hist:name=n:keys=call_site.sym,bytes_req.log2,id.syscall:"
			"vals=hitcount,bytes_alloc:sort=bytes_alloc.descending:size=64 if x ~ "
			"\"a:b\" [active]\n"
			"#\n\n"
			"{ call_site: [ffffffffc03715cd] f+0x8d/0x700 [m]  , bytes_req: ~ 2^10 , "
			"id: sys_read                      [  0] } hitcount:          7  "
			"bytes_alloc:       1024\n"
			"\nTotals:\n    Hits: 7\n    Entries: 1\n    Dropped: 0\n");

	assert_int_equal(h->n_keys, 3);
	assert_string_equal(h->keys[0], "call_site");
	assert_string_equal(h->keys[1], "bytes_req");
	assert_string_equal(h->values[1], "bytes_alloc");
	assert_string_equal(h->state, "active");
	assert_int_equal(h->main_value, 1);
	assert_int_equal(h->n_rows, 1);
	assert_string_equal(h->rows[0].keys[0], "[ffffffffc03715cd] f+0x8d/0x700 [m]");
	assert_string_equal(h->rows[0].keys[1], "~ 2^10");
	assert_string_equal(h->rows[0].keys[2], "sys_read                      [  0]");
	assert_int_equal(h->rows[0].numbers[0], 7);
	assert_int_equal(h->rows[0].numbers[1], 1024);
	assert_int_equal(h->n_hits, 7);
	assert_null(h->next);
	arena_release(&arena);
}

static void stacks_and_notes(void **state)
{
	struct arena arena;
	struct kernelhist *h =
		parse(&arena, "# trigger info: hist:keys=stacktrace:vals=hitcount [paused]\n"
			      "{ stacktrace:\n         a+0x1\n         b+0x2\n} hitcount: 3\n"
			      "\tmax: 21  comm: x   \n\tother: 2\n"
			      "# trigger info: hist:keys=pid:vals=hitcount:sort=pid [active]\n"
			      "{ pid:  1 } hitcount: 2\n{ pid:  2 } hitcount: 1\n");

	assert_string_equal(h->rows[0].keys[0], "a+0x1\nb+0x2");
	assert_string_equal(h->rows[0].notes, "max: 21  comm: x\nother: 2");
	assert_string_equal(h->state, "paused");
	assert_non_null(h->next);
	assert_int_equal(h->next->n_rows, 2);
	assert_int_equal(h->next->main_value, 0);
	assert_string_equal(h->next->rows[1].keys[0], "2");
	arena_release(&arena);
}

static void odd_texts(void **state)
{
	static const char *const texts[] = {
		"",
		"{ pid: 1 } hitcount: 2\n",
		"# trigger info: ",
		"# trigger info: hist\n{ no end\n{ pid: 1 } hitcount:\n",
		"# trigger info: hist:keys=:vals=,,:sort= [\n{} hitcount: 1",
		"# trigger info: hist:keys=a,b [active]\n{ b: 1, a: 2 } hitcount: "
		"99999999999999999999999",
		"# trigger info: x [active]\nHits: 99999999999999999999999999999999999999999\n\t\n",
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		struct arena arena;
		struct kernelhist *h = parse(&arena, texts[i]);

		for (; h; h = h->next)
			for (size_t k = 0; k < h->n_rows; k++)
				assert_non_null(h->rows[k].values[0]);
		arena_release(&arena);
	}
}

static void an_event_without_a_histogram_is_refused(void **state)
{
	struct errmsg err = {0};
	struct textbuf out;

	textbuf_init(&out, 4096);
	assert_int_equal(histtable_fmt_all("sched:sched_switch", "# nothing\n", false, &out, &err),
			 -ENOENT);
	assert_non_null(strstr(err.text, "sonde start -e sched:sched_switch -R"));
	assert_int_equal(textbuf_len(&out), 0);
	textbuf_release(&out);
}

static void too_much_is_refused(void **state)
{
	static const char text[] = "# trigger info: hist:keys=a:vals=hitcount [active]\n"
				   "{ a: 1 } hitcount: 1\n";
	struct kernelhist *h = NULL;
	struct arena arena;

	arena_init(&arena, 256);
	assert_int_not_equal(kernelhist_parse(text, sizeof(text) - 1, &arena, &h), 0);
	assert_null(h);
	arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keys_of_every_kind),
		cmocka_unit_test(stacks_and_notes),
		cmocka_unit_test(odd_texts),
		cmocka_unit_test(an_event_without_a_histogram_is_refused),
		cmocka_unit_test(too_much_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* test_processes.c - threads, command lines and sonde's own processes, and their text in a trace file. */
#include "base/textbuf.h"
#include "store/packedtext.h"
#include "symbols/processes.h"
#include "symbols/tasks.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct piece text(const char *s)
{
	return (struct piece){(const uint8_t *)s, strlen(s)};
}

static struct processes *parsed(const char *s)
{
	struct processes *p = processes_new();

	assert_non_null(p);
	assert_int_equal(processes_parse(p, text(s)), 0);
	return p;
}

static void assert_command(const struct processes *p, int tid, const char *wanted)
{
	struct textbuf tb;

	textbuf_init(&tb, 65536);
	assert_int_equal(processes_fmt_command(p, tid, &tb), wanted != NULL);
	textbuf_add(&tb, "", 1);
	if (wanted)
		assert_string_equal(tb.start, wanted);
	textbuf_release(&tb);
}

static void assert_text(const struct processes *p, const char *wanted)
{
	struct textbuf tb;

	textbuf_init(&tb, 1 << 20);
	processes_fmt(p, &tb);
	textbuf_add(&tb, "", 1);
	assert_string_equal(tb.start, wanted);
	textbuf_release(&tb);
}

static void what_is_written_is_read_again(void **state)
{
	static const char words[] = "sh\0-c\0echo 'a b' \\\n\0\0x\0";
	static const char file[] = "self 10\nprocess 10\nthread 11 10\n"
				   "process 20 sh -c echo\\x20'a\\x20b'\\x20\\x5c\\x0a  x\n"
				   "cut 30 long\nprocess 40\n";
	struct processes *p = processes_new(), *again;

	assert_int_equal(processes_add_self(p, 10), 0);
	assert_int_equal(processes_add_thread(p, 11, 10), 0);
	assert_int_equal(processes_add_command(p, 20, words, sizeof(words) - 1, false), 0);
	assert_int_equal(processes_add_command(p, 30, "long", 4, true), 0);
	assert_int_equal(processes_add_command(p, 40, "", 0, false), 0);
	assert_text(p, file);
	again = parsed(file);
	assert_text(again, file);
	assert_command(again, 20, "sh -c 'echo '\\''a b'\\'' \\\\x0a' '' x");
	assert_command(again, 30, "long …");
	assert_command(again, 40, NULL);
	assert_command(again, 99, NULL);
	processes_free(p);
	processes_free(again);
}

static void threads_belong_to_their_process(void **state)
{
	struct processes *p = parsed("process 20 prog\nthread 21 20\nself 30\nthread 31 30\n");

	assert_int_equal(processes_find_tgid(p, 20), 20);
	assert_int_equal(processes_find_tgid(p, 21), 20);
	assert_int_equal(processes_find_tgid(p, 22), -1);
	assert_command(p, 21, "prog");
	assert_true(processes_is_self(p, 30) && processes_is_self(p, 31));
	assert_false(processes_is_self(p, 20) || processes_is_self(p, 22));
	assert_int_equal(processes_find_tgid(NULL, 20), -1);
	assert_false(processes_is_self(NULL, 20));
	assert_command(NULL, 20, NULL);
	processes_free(p);
}

static void the_last_one_of_a_number_is_known(void **state)
{
	struct processes *p = parsed("process 20 first\nprocess 20 second\nthread 25 20\n"
				     "process 25 own\nprocess 30 gone\nthread 30 20\n");

	assert_command(p, 20, "second");
	assert_int_equal(processes_find_tgid(p, 25), 25);
	assert_command(p, 25, "own");
	assert_int_equal(processes_find_tgid(p, 30), 20);
	assert_command(p, 30, "second");
	processes_free(p);
}

static void damaged_lines_are_left_out(void **state)
{
	struct processes *p = parsed("process\nprocess x\nthread 5\nthread 6 0\nself -1\nself 0\n"
				     "process 99999999999 big\nfuture 7 8\nprocess 8 kept");

	assert_text(p, "process 8 kept\n");
	processes_free(p);
}

static void long_command_lines_are_cut(void **state)
{
	char *words = malloc(2 * PROCESSES_COMMAND_MAX);
	struct processes *p = processes_new();
	struct textbuf tb;

	memset(words, '\n', 2 * PROCESSES_COMMAND_MAX); /* each takes four bytes of the file */
	assert_int_equal(processes_add_command(p, 1, words, 2 * PROCESSES_COMMAND_MAX, false), 0);
	textbuf_init(&tb, 1 << 20);
	processes_fmt(p, &tb);
	assert_memory_equal(tb.start, "cut 1 \\x0a", 10);
	assert_true(textbuf_len(&tb) < 4 * PROCESSES_COMMAND_MAX + 20);
	textbuf_release(&tb);
	processes_free(p);
	free(words);
}

static int add_number(void *ctx, int tgid)
{
	*(int *)ctx = *(int *)ctx * 100 + tgid;
	return 0;
}

static void many_are_found_and_listed_in_order(void **state)
{
	struct processes *p = processes_new(),
			 *few = parsed("process 30\nthread 7 20\nprocess 20\n");
	int order = 0;

	for (int i = 1; i <= 20000; i++)
		assert_int_equal(processes_add_thread(p, i, i - i % 5 + 1), 0);
	for (int i = 1; i <= 20000; i++)
		assert_int_equal(processes_find_tgid(p, i), i - i % 5 + 1);
	assert_int_equal(processes_each(few, add_number, &order), 0);
	assert_int_equal(order, 2030);
	processes_free(p);
	processes_free(few);
}

static void tasks_know_their_process(void **state)
{
	struct processes *p = parsed("process 20 prog\nthread 21 20\nself 30\n");
	struct tasks t;

	assert_int_equal(tasks_init(&t, text("21 worker\n")), 0);
	tasks_set_processes(&t, p);
	assert_int_equal(tasks_find(&t, 21)->tgid, 20);
	assert_false(tasks_find(&t, 21)->is_self);
	assert_true(tasks_find(&t, 30)->is_self);
	assert_int_equal(tasks_find(&t, 99)->tgid, -1);
	tasks_release(&t);
	processes_free(p);
}

static void a_long_text_is_packed_and_read_again(void **state)
{
	char plain[20000];
	struct textbuf packed, room;
	struct piece got;

	for (size_t i = 0; i < sizeof(plain); i++)
		plain[i] = "process 20 prog\n"[i % 16];
	textbuf_init(&packed, 1 << 20);
	textbuf_init(&room, 1 << 20);
	assert_int_equal(packedtext_fmt((struct piece){(uint8_t *)plain, sizeof(plain)}, &packed),
			 0);
	assert_true(textbuf_len(&packed) < sizeof(plain) / 10);
	got = (struct piece){(uint8_t *)packed.start, textbuf_len(&packed)};
	assert_int_equal(packedtext_read(got, &room, &got), 0);
	assert_int_equal(got.len, sizeof(plain));
	assert_memory_equal(got.data, plain, sizeof(plain));
	textbuf_release(&room);
	textbuf_release(&packed);
}

static void a_short_or_plain_text_stays_as_it_is(void **state)
{
	static const char *const texts[] = {"process 20 prog\n", "", "zstd", "zstd \nx", "zstd 12"};
	struct textbuf tb;
	struct piece got;

	textbuf_init(&tb, 4096);
	assert_int_equal(packedtext_fmt(text(texts[0]), &tb), 0);
	assert_int_equal(textbuf_len(&tb), strlen(texts[0]));
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		assert_int_equal(packedtext_read(text(texts[i]), &tb, &got), 0);
		assert_int_equal(got.len, strlen(texts[i]));
	}
	textbuf_release(&tb);
}

static void a_damaged_packed_text_is_refused(void **state)
{
	struct textbuf tb;
	struct piece got;

	textbuf_init(&tb, 4096);
	assert_int_equal(packedtext_read(text("zstd 100\nno frame"), &tb, &got), -EBADMSG);
	assert_int_equal(packedtext_read(text("zstd 99999999\nx"), &tb, &got), -E2BIG);
	textbuf_release(&tb);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_written_is_read_again),
		cmocka_unit_test(threads_belong_to_their_process),
		cmocka_unit_test(the_last_one_of_a_number_is_known),
		cmocka_unit_test(damaged_lines_are_left_out),
		cmocka_unit_test(long_command_lines_are_cut),
		cmocka_unit_test(many_are_found_and_listed_in_order),
		cmocka_unit_test(tasks_know_their_process),
		cmocka_unit_test(a_long_text_is_packed_and_read_again),
		cmocka_unit_test(a_short_or_plain_text_stays_as_it_is),
		cmocka_unit_test(a_damaged_packed_text_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

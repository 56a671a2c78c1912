// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_programs.c - functions of programs by address: the text of a trace file, look-ups, what contradicts itself.
 */
#include "base/textbuf.h"
#include "symbols/programs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <cmocka.h>

static struct programs *parsed(const char *text)
{
	struct programs *p = programs_new();

	assert_non_null(p);
	assert_int_equal(programs_parse(p, (struct piece){(const uint8_t *)text, strlen(text)}), 0);
	return p;
}

static void assert_function(struct programs *p, uint64_t addr, const char *name, uint64_t start)
{
	const struct ksym *sym = programs_find(p, addr);

	if (!name) {
		assert_null(sym);
		return;
	}
	assert_non_null(sym);
	assert_int_equal(sym->addr, start);
	assert_int_equal(sym->name_len, strlen(name));
	assert_memory_equal(sym->name, name, sym->name_len);
}

static const char two_files[] = "file /bin/one\n"
				"1000 10 first\n"
				"1020 8 ns::Box<int, 3>::get\n"
				"map 0 55550000 1000 5554f000\n"
				"map 0 66660000 1000 6665f000\n"
				"file /lib/two.so\n"
				"40 4 other\n"
				"map 1 7f0000000000 100 7f0000000000\n";

static void functions_cover_what_is_theirs(void **state)
{
	struct programs *p = parsed(two_files);

	assert_function(p, 0x55550000, "first", 0x55550000);
	assert_function(p, 0x5555000f, "first", 0x55550000);
	assert_function(p, 0x55550010, NULL, 0);
	assert_function(p, 0x55550021, "ns::Box<int, 3>::get", 0x55550020);
	assert_function(p, 0x66660021, "ns::Box<int, 3>::get", 0x66660020);
	assert_function(p, 0x7f0000000040, "other", 0x7f0000000040);
	assert_function(p, 0x7f0000000030, NULL, 0);
	assert_function(p, 0, NULL, 0);
	assert_function(p, UINT64_MAX, NULL, 0);
	programs_free(p);
	assert_null(programs_find(NULL, 0x1000));
}

static void one_function_has_one_address(void **state)
{
	struct programs *p = parsed(two_files);

	assert_int_equal(programs_unify(p, 0x66660000), 0x55550000);
	assert_int_equal(programs_unify(p, 0x55550000), 0x55550000);
	assert_int_equal(programs_unify(p, 0x66660010), 0x66660010); /* no function */
	assert_int_equal(programs_unify(p, 0x7f0000000040), 0x7f0000000040);
	assert_int_equal(programs_unify(p, 17), 17);
	assert_int_equal(programs_unify(NULL, 17), 17);
	programs_free(p);
}

static void what_is_uncertain_has_no_name(void **state)
{
	struct programs *p = parsed("file /a\n1000 10 f\nmap 0 400000 1000 3ff000\n"
				    "file /b\n1000 10 g\n1010 8 h\nmap 1 400000 1000 3ff000\n"
				    "file /c\n1000 10 f\nmap 2 500000 1000 4ff000\n"
				    "file /d\n1000 10 f\nmap 3 500000 1000 4ff000\n");

	assert_function(p, 0x400000, NULL, 0);
	assert_function(p, 0x400011, NULL,
			0); /* h of /b, nothing of /a: whose it is nobody knows */
	assert_function(p, 0x500001, "f", 0x500000);
	programs_free(p);
	p = parsed("file /a\n1000 10 f\nmap 0 400000 1000 3ff000\nmap 0 600000 1000 5ff000\nelse "
		   "400000 2000\n");
	assert_function(p, 0x400000, NULL, 0);
	assert_function(p, 0x600000, "f", 0x600000);
	assert_int_equal(programs_unify(p, 0x400000), 0x400000);
	programs_free(p);
}

static void nonsense_is_left_out(void **state)
{
	static const char *const texts[] = {"",
					    "\n\n",
					    "map 0 1 1 1\n",
					    "map 7fffffffffffffff 1 1 1\n",
					    "1000 10 nobody's\n",
					    "file /a\n",
					    "file \nmap 0 0 1 0\n",
					    "file /a\n1000\n1000 \n1000 10\n1000 10 \nxyz 1 f\n",
					    "file /a\nmap 0\nmap 0 1000\nmap 0 1000 10\nmap\nmap ",
					    "file /a\n1000 10 f"};

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		struct programs *p = parsed(texts[i]);

		assert_function(p, 0x1000, NULL, 0);
		programs_free(p);
	}
}

/* The search relies on their order, lengths and places are what the file says. */
static void order_and_ranges_are_checked(void **state)
{
	struct programs *p =
		parsed("file /a\n2000 10 late\n1000 10 early\n3000 ffffffffffffffff end\n"
		       "map 0 0 ffffffffffffffff ffffffffffffffff\n");

	assert_function(p, 0x1fff, "late", 0x1fff);
	assert_function(p, 0xfff, NULL, 0);
	assert_function(p, 0x7000, "end", 0x2fff);
	assert_int_equal(programs_unify(p, 0x7000), 0x7000);
	programs_free(p);
}

static void others_are_in_the_way(void **state)
{
	struct programs *p = parsed("file /a\n1000 10 f\nmap 0 400000 1000 3ff000\n");

	assert_int_equal(programs_block(p, 0x400000, 0x1000), 0);
	assert_int_equal(programs_block(p, 0x400000, 0x1000), 0);
	assert_function(p, 0x400000, NULL, 0);
	programs_unblock(p, 0x400000, 0x1000);
	assert_function(p, 0x400000, NULL, 0);
	programs_unblock(p, 0x400000, 0x1000);
	programs_unblock(p, 0x400000, 0x1000);
	assert_function(p, 0x400000, "f", 0x400000);
	programs_free(p);
}

/* Our own code, as it is mapped here, through the text and back. */
static void what_is_mapped_is_found_again(void **state)
{
	struct programs *p = programs_new(), *again;
	char line[512], path[256];
	unsigned long long start, end, offset, inode;
	uint64_t own = (uintptr_t)what_is_mapped_is_found_again;
	FILE *f = fopen("/proc/self/maps", "re");
	struct textbuf tb;

	assert_non_null(f);
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, "%llx-%llx r-xp %llx %*s %llu %255s", &start, &end, &offset,
			   &inode, path) == 5 &&
		    own - start < end - start)
			for (int i = 0; i < 2; i++)
				assert_int_equal(
					programs_map(
						p, &(struct program_mapping){path, inode, 1, start,
									     end - start, offset}),
					0);
	fclose(f);
	assert_function(p, own, "what_is_mapped_is_found_again", own);
	textbuf_init(&tb, 64 << 20);
	programs_fmt(p, &tb);
	textbuf_add(&tb, "", 1);
	again = parsed(tb.start);
	assert_function(again, own, "what_is_mapped_is_found_again", own);
	programs_free(again);
	programs_free(p);
	textbuf_release(&tb);
}

static void another_file_of_that_name_is_not_read(void **state)
{
	struct programs *p = programs_new();
	struct program_mapping m = {"/proc/self/exe", 1, 1, 0x1000, 0x100000, 0};

	assert_int_equal(programs_map(p, &m), 0);
	assert_function(p, 0x2000, NULL, 0);
	m = (struct program_mapping){"/nowhere/at/all", 0, 1, 0x200000, 0x1000, 0};
	assert_int_equal(programs_map(p, &m), 0);
	assert_function(p, 0x200010, NULL, 0);
	programs_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions_cover_what_is_theirs),
		cmocka_unit_test(one_function_has_one_address),
		cmocka_unit_test(what_is_uncertain_has_no_name),
		cmocka_unit_test(nonsense_is_left_out),
		cmocka_unit_test(others_are_in_the_way),
		cmocka_unit_test(order_and_ranges_are_checked),
		cmocka_unit_test(what_is_mapped_is_found_again),
		cmocka_unit_test(another_file_of_that_name_is_not_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_symbols.c - kernel symbols, printk formats, names of tasks, system calls, packages.
 */
#include "symbols/kallsyms.h"
#include "symbols/package.h"
#include "symbols/printkfmt.h"
#include "symbols/tables/syscalls.h"
#include "symbols/tasks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "../lib/putfile.h"

static struct piece text(const char *s)
{
	return (struct piece){(const uint8_t *)s, strlen(s)};
}

static void assert_symbol(const struct kallsyms *ks, uint64_t addr, const char *name)
{
	const struct ksym *s = kallsyms_find(ks, addr);

	if (!name) {
		assert_null(s);
		return;
	}
	assert_non_null(s);
	assert_int_equal(s->name_len, strlen(name));
	assert_memory_equal(s->name, name, s->name_len);
}

static void symbols_cover_up_to_the_next(void **state)
{
	struct kallsyms ks = {0};

	/* not in order; A and a are no addresses; '$' marks code on arm */
	assert_int_equal(kallsyms_add(&ks, text("3000 T last\n1000 t first\n"
						"0 A cpu_offset\n2000 t $x\n"
						"2000 T middle\t[mod]\n")),
			 0);
	assert_int_equal(kallsyms_sort(&ks), 0);
	assert_int_equal(ks.n, 3);
	assert_symbol(&ks, 0xfff, NULL);
	assert_symbol(&ks, 0x1000, "first");
	assert_symbol(&ks, 0x1fff, "first");
	assert_symbol(&ks, 0x2000, "middle");
	assert_symbol(&ks, 0x3000, "last");
	assert_symbol(&ks, 0x3001, NULL); /* nobody knows how long the last one is */
	assert_int_equal(kallsyms_find(&ks, 0x2000)->module_len, 3);
	assert_non_null(kallsyms_find_name(&ks, "middle", 6));
	assert_null(kallsyms_find_name(&ks, "middl", 5));
	kallsyms_release(&ks);
}

static int compare_addr(const void *a, const void *b)
{
	const struct ksym *x = a, *y = b;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	return x->order > y->order ? -1 : 1;
}

static void functions_end_with_their_file(void **state)
{
	struct kallsyms ks = {0};

	assert_int_equal(kallsyms_add(&ks, text("0001000000001000 t one\n"
						"0003000000001000 t three\n"
						"ffffffff81000000 T start_kernel\n"
						"ffffffffffffffff t [end]\n")),
			 0);
	assert_int_equal(kallsyms_sort(&ks), 0);
	assert_symbol(&ks, 0x0001000000001010, "one");
	assert_symbol(&ks, 0x0002000000001010, NULL);
	assert_symbol(&ks, 0x0003000000000010, NULL);
	assert_symbol(&ks, 0x0003000000001010, "three");
	assert_symbol(&ks, 0x0004000000001010, NULL);
	assert_symbol(&ks, 0xffffffff81000010, "start_kernel");
	kallsyms_release(&ks);
}

static void any_order_is_sorted_with_later_rows_first(void **state)
{
	char *all = malloc(64 * 5000), *p = all;
	struct kallsyms ks = {0};

	srand(1);
	for (int i = 0; i < 5000; i++)
		p += snprintf(p, 64, "%x T f%d\n", rand() % 3000, i);
	assert_int_equal(kallsyms_add(&ks, text(all)), 0);
	assert_int_equal(kallsyms_sort(&ks), 0);
	assert_int_equal(ks.n, 5000);
	for (size_t i = 1; i < ks.n; i++)
		assert_true(compare_addr(&ks.syms[i - 1], &ks.syms[i]) < 0);
	kallsyms_release(&ks);
	free(all);
}

static void names_of_programs_have_blanks(void **state)
{
	struct kallsyms ks = {0};

	kallsyms_add(&ks, text("10 t operator\302\240new(unsigned\302\240long)\t[prog]\n"
			       "20 t \302\240\302\t[prog]\n30 t plain\n"
			       "ffffffff81000000 T the\302\240kernel\n"));
	kallsyms_sort(&ks);
	assert_symbol(&ks, 0x10, "operator new(unsigned long)");
	assert_symbol(&ks, 0x20, " \302");
	assert_symbol(&ks, 0x30, "plain");
	assert_symbol(&ks, 0xffffffff81000000, "the\302\240kernel");
	kallsyms_release(&ks);
}

static void the_cache_says_what_the_table_says(void **state)
{
	struct ksym_cache *cache = malloc(sizeof(*cache));
	struct kallsyms ks = {0};

	kallsyms_add(&ks,
		     text("0 T zero\n100 T a_function_whose_name_is_too_long_for_a_slot_of_it\n"
			  "200 T short\n300 T end\n"));
	kallsyms_sort(&ks);
	ksym_cache_init(cache, &ks);
	for (int round = 0; round < 2; round++)
		for (uint64_t addr = 0; addr < 0x400; addr++)
			assert_ptr_equal(kallsyms_find_cached(&ks, cache, addr),
					 kallsyms_find(&ks, addr));
	assert_int_equal(kallsyms_find_slot(&ks, cache, 0x100)->full_len, 0);
	assert_memory_equal(kallsyms_find_slot(&ks, cache, 0x21f)->text, "short+0x1f", 10);
	kallsyms_release(&ks);
	free(cache);
}

static void printk_formats_lose_quotes_and_line_end(void **state)
{
	struct printkfmts p;
	struct arena a;

	arena_init(&a, 1 << 20);
	assert_int_equal(printkfmts_read(&p, text("0x20 : \"two %d\\n\"\n0x10 : \"one\"\n"), &a),
			 0);
	assert_int_equal(p.n, 2);
	assert_string_equal(printkfmts_find(&p, 0x20), "two %d");
	assert_string_equal(printkfmts_find(&p, 0x10), "one");
	assert_null(printkfmts_find(&p, 0x11));
	arena_release(&a);
}

static void tasks_keep_what_was_known_when_they_were_asked_for(void **state)
{
	struct tasks t;
	const struct task *before;

	assert_int_equal(tasks_init(&t, text("12 Web Content\n7 kworker/0:0\n")), 0);
	assert_string_equal(tasks_find(&t, 12)->comm, "Web Content");
	assert_string_equal(tasks_find(&t, 0)->comm, "<idle>");
	before = tasks_find(&t, 99);
	assert_string_equal(before->comm, "<...>");
	tasks_learn(&t, 99, "late\0garbage", 12);
	assert_string_equal(before->comm, "<...>");
	assert_string_equal(tasks_find(&t, 99)->comm, "late");
	tasks_learn(&t, 99, "later", 5); /* the first name stays */
	assert_string_equal(tasks_find(&t, 99)->comm, "late");
	assert_memory_equal(tasks_find(&t, 7)->head, "     kworker/0:0-7     ", 23);
	assert_memory_equal(tasks_find(&t, 7)->short_head, "kworker/-7     ", 15);
	tasks_learn_tgid(&t, 99, 98);
	assert_int_equal(tasks_find(&t, 99)->tgid, 98);
	assert_int_equal(before->tgid, -1);
	tasks_release(&t);
}

static void many_tasks_fit(void **state)
{
	struct tasks t;

	assert_int_equal(tasks_init(&t, text("")), 0);
	for (int pid = 1; pid < 100000; pid++)
		assert_int_equal(tasks_find(&t, pid * 7)->pid, pid * 7);
	for (int pid = 1; pid < 100000; pid++)
		assert_int_equal(tasks_find(&t, pid * 7)->pid, pid * 7);
	tasks_release(&t);
}

static void system_calls_have_names_by_machine(void **state)
{
	const struct syscall_table *x86 = syscalls_for("x86_64", 6),
				   *arm = syscalls_for("aarch64", 7);

	assert_string_equal(syscall_name(x86, 59), "execve");
	assert_string_equal(syscall_name(arm, 221), "execve");
	assert_null(syscall_name(x86, 100000));
	assert_null(syscalls_for("pdp11", 5));
	assert_null(syscall_name(NULL, 1));
}

static void packages_are_found_by_either_path(void **state)
{
	static const char *const rows[][2] = {
		{"/bin/bash", "install bash-dbgsym (from the debug archive)"},
		{"/usr/bin/bash", "install bash-dbgsym (from the debug archive)"},
		{"/usr/lib/x/libc.so.6", "install libc6-dbg"},
		{"/lib/modules/6.1.0-9/kernel/kvm.ko", "install linux-image-6.1.0-9-dbg"},
		{"/bin/bas",
		 "install the package with its debug symbols (PACKAGE-dbgsym on Debian, "
		 "debuginfo-install PACKAGE with rpm)"},
	};
	char dir[] = "/tmp/sonde-package-XXXXXX", remedy[PACKAGE_REMEDY_MAX], command[64];

	assert_non_null(mkdtemp(dir));
	put_text(dir, "bash.list", "/.\n/usr\n/usr/bin\n/usr/bin/bash\n/usr/bin/bashbug\n");
	put_text(dir, "libc6:amd64.list", "/lib\n/lib/x/libc.so.6\n");
	put_text(dir, "linux-image-6.1.0-9.list", "/lib/modules/6.1.0-9/kernel/kvm.ko\n");
	put_text(dir, "other.md5sums", "/bin/bas\n");
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		package_fmt_remedy(dir, rows[i][0], remedy);
		assert_string_equal(remedy, rows[i][1]);
	}
	package_fmt_remedy("/nowhere/at/all", "/bin/bash", remedy);
	assert_string_equal(remedy, rows[4][1]);
	snprintf(command, sizeof(command), "rm -r %s", dir);
	assert_int_equal(system(command), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(symbols_cover_up_to_the_next),
		cmocka_unit_test(functions_end_with_their_file),
		cmocka_unit_test(any_order_is_sorted_with_later_rows_first),
		cmocka_unit_test(names_of_programs_have_blanks),
		cmocka_unit_test(the_cache_says_what_the_table_says),
		cmocka_unit_test(printk_formats_lose_quotes_and_line_end),
		cmocka_unit_test(tasks_keep_what_was_known_when_they_were_asked_for),
		cmocka_unit_test(many_tasks_fit),
		cmocka_unit_test(system_calls_have_names_by_machine),
		cmocka_unit_test(packages_are_found_by_either_path),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

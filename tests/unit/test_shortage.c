// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Every refused allocation and every file that cannot be opened for want of descriptors is counted,
 * wherever it happens; other failures are not. That this program counts at all shows that the linker
 * wraps the calls. A text buffer without memory is still a string.
 */
#include "base/shortage.h"
#include "base/textbuf.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

/* Not a constant, or the compiler would know that the calls fail. */
static volatile size_t too_much = (size_t)1 << 62;

/* Kept where the compiler must write it: clang leaves out an allocation that is only compared with NULL. */
static void *volatile kept;

/* The sanitizers end a program that asks for so much, unless they are told not to. */
const char *__asan_default_options(void);
const char *__tsan_default_options(void);
__attribute__((visibility("default"))) const char *__asan_default_options(void)
{
	return "allocator_may_return_null=1";
}
__attribute__((visibility("default"))) const char *__tsan_default_options(void)
{
	return "allocator_may_return_null=1";
}

static void memory_is_counted(void **state)
{
	unsigned before = shortage_count();
	char *p = malloc(16), *q = malloc(16), *more;

	assert_true(p && q);
	free(realloc(q, 0)); /* NULL from the C library, not from the sanitizer; no failure */
	assert_int_equal(shortage_count(), before);
	kept = malloc(too_much);
	assert_null(kept);
	kept = calloc(too_much, 2);
	assert_null(kept);
	kept = more = realloc(p, too_much);
	assert_null(kept);
	if (!more)
		free(p);
	assert_int_equal(shortage_count(), before + 3);
	assert_int_equal(shortage_pending(), ENOMEM);
}

static void descriptors_are_counted(void **state)
{
	struct rlimit old, none;
	unsigned before = shortage_count();

	assert_int_equal(open("/no/such/file", O_RDONLY), -1);
	assert_null(fopen("/no/such/file", "r"));
	assert_int_equal(shortage_count(), before);
	getrlimit(RLIMIT_NOFILE, &old);
	none = (struct rlimit){.rlim_cur = 0, .rlim_max = old.rlim_max};
	setrlimit(RLIMIT_NOFILE, &none);
	assert_int_equal(open("/dev/null", O_RDONLY), -1);
	assert_int_equal(openat(AT_FDCWD, "/dev/null", O_RDONLY), -1);
	assert_null(fopen("/dev/null", "r"));
	setrlimit(RLIMIT_NOFILE, &old);
	assert_int_equal(shortage_count(), before + 3);
	assert_int_equal(shortage_pending(), EMFILE);
}

/* Returns false if the probe cannot be set or removed here. */
static bool order_probe(const char *order)
{
	int fd = open("/sys/kernel/tracing/uprobe_events", O_WRONLY | O_APPEND);
	bool is_done = fd >= 0 && write(fd, order, strlen(order)) == (ssize_t)strlen(order);

	if (fd >= 0)
		close(fd);
	return is_done;
}

/* Another process may remove its probes while their directory is read: nothing was refused. */
static void removed_directories_are_not_counted(void **state)
{
	char set[128], remove[64], path[128];
	unsigned before;
	DIR *dir;

	snprintf(set, sizeof(set), "p:shortage%d/gone /bin/sh:0x1000\n", getpid());
	snprintf(remove, sizeof(remove), "-:shortage%d/gone\n", getpid());
	snprintf(path, sizeof(path), "/sys/kernel/tracing/events/shortage%d", getpid());
	if (!order_probe(set))
		skip(); /* not as root, or a kernel without uprobes */
	dir = opendir(path);
	assert_true(order_probe(remove));
	assert_non_null(dir);
	before = shortage_count();
	while (readdir(dir))
		;
	assert_int_equal(shortage_count(), before);
	closedir(dir);
}

static void settled_failures_are_not_pending(void **state)
{
	shortage_settle(shortage_count());
	assert_int_equal(shortage_pending(), 0);
	shortage_note(ENOENT);
	assert_int_equal(shortage_pending(), 0);
	shortage_note(ENFILE);
	assert_int_equal(shortage_pending(), ENFILE);
	shortage_settle(shortage_count() - 1); /* less than before: nothing is taken back */
	assert_int_equal(shortage_pending(), ENFILE);
	shortage_settle(shortage_count());
	assert_int_equal(shortage_pending(), 0);
}

/* Who reads a text as a string needs no error path of his own. */
static void text_ends_without_memory(void **state)
{
	struct textbuf tb;
	char *text;

	textbuf_init(&tb, too_much);
	textbuf_grow(&tb, too_much - 1); /* the first memory it asks for */
	assert_true(tb.overflow);
	assert_string_equal(tb.start, "");
	assert_string_equal(textbuf_text(&tb), "");
	assert_null(textbuf_take(&tb));

	textbuf_init(&tb, 8);
	textbuf_add(&tb, "12345678", 8);
	textbuf_add(&tb, "", 1);
	assert_true(tb.overflow);
	assert_string_equal(tb.start, "12345678");
	textbuf_clear(&tb);
	textbuf_add_str(&tb, "new");
	assert_string_equal(textbuf_text(&tb), "new");
	assert_int_equal(textbuf_len(&tb), 3);
	text = textbuf_take(&tb);
	assert_string_equal(text, "new");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(memory_is_counted),
		cmocka_unit_test(descriptors_are_counted),
		cmocka_unit_test(removed_directories_are_not_counted),
		cmocka_unit_test(settled_failures_are_not_pending),
		cmocka_unit_test(text_ends_without_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

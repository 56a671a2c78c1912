// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_syscalltext.c - records of system calls as text: results, memory that lacks, other machines.
 *
 * What strace prints about all calls is compared in tests/syscalls; here is what a running kernel
 * does not show on demand.
 */
#include "base/textbuf.h"
#include "decode/syscalls/syscalltext.h"
#include "store/events/syscallevents.h"
#include "symbols/syscalls/copies.h"
#include "symbols/syscalls/sets.h"
#include "symbols/syscalls/types.h"

#include <linux/audit.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

struct record {
	struct syscallevents_call call;
	uint8_t memory[1024];
	size_t n;
};

static struct record new_record(uint32_t nr, int64_t ret)
{
	return (struct record){.call = {.type = SYSCALLEVENTS_CALL,
					.nr = nr,
					.ret = ret,
					.machine = AUDIT_ARCH_X86_64,
					.pid = 7,
					.tgid = 7}};
}

static void add_chunk(struct record *r, uint64_t address, uint8_t when, const void *bytes, size_t n,
		      uint8_t flags)
{
	struct syscallevents_chunk c = {
		.address = address, .n_bytes = n, .when = when, .flags = flags};

	memcpy(r->memory + r->n, &c, sizeof(c));
	memcpy(r->memory + r->n + sizeof(c), bytes, n);
	r->n += sizeof(c) + ((n + 7) & ~7u);
	r->call.memory_loc = SYSCALLEVENTS_CALL_BYTES | (uint32_t)r->n << 16;
}

static void expect(struct syscalltext *t, struct record *r, const char *wanted)
{
	struct syscalltext_parts parts;
	TEXTBUF(tb, 1 << 16);

	syscalltext_fmt(t, &r->call, SYSCALLEVENTS_CALL_BYTES + r->n, &tb, &parts);
	assert_string_equal(textbuf_text(&tb), wanted);
}

static struct syscalltext *decoder(struct syscalltext_options o)
{
	struct syscalltext *t = NULL;

	assert_int_equal(syscalltext_new(&t, &o), 0);
	return t;
}

static void test_results(void **state)
{
	struct syscalltext *t = decoder((struct syscalltext_options){0});
	struct record r = new_record(3, 0);

	(void)state;
	r.call.args[0] = 3;
	expect(t, &r, "close(3) = 0");
	r.call.ret = -9;
	expect(t, &r, "close(3) = -1 EBADF (Bad file descriptor)");
	r.call.ret = -512;
	expect(t, &r, "close(3) = ? ERESTARTSYS (To be restarted if SA_RESTART is set)");
	r.call.ret = -516;
	expect(t, &r, "close(3) = ? ERESTART_RESTARTBLOCK (Interrupted by signal)");
	r.call.ret = -600;
	expect(t, &r, "close(3) = -1 (errno 600)");
	r = new_record(231, 0);
	r.call.args[0] = 4;
	expect(t, &r, "exit_group(4) = ?");
	r = new_record(9999, 5);
	expect(t, &r, "syscall_0x270f(0, 0, 0, 0, 0, 0) = 5");
	syscalltext_free(t);
}

static void test_memory(void **state)
{
	struct syscalltext *t = decoder((struct syscalltext_options){0});
	struct record r = new_record(2, 3);

	(void)state;
	r.call.args[0] = 0x1000;
	expect(t, &r, "open(0x1000, O_RDONLY) = 3");
	add_chunk(&r, 0x1000, SYSCALLEVENTS_AT_ENTRY, "/etc/x", 7, 0);
	expect(t, &r, "open(\"/etc/x\", O_RDONLY) = 3");
	/* a string that was cut, and one that runs into memory that was not there */
	r.n = 0;
	add_chunk(&r, 0x1000, SYSCALLEVENTS_AT_ENTRY, "/etc", 4, SYSCALLEVENTS_CUT);
	expect(t, &r, "open(\"/etc\"..., O_RDONLY) = 3");
	r.n = 0;
	add_chunk(&r, 0x1000, SYSCALLEVENTS_AT_ENTRY, "/etc", 4, SYSCALLEVENTS_FAULT);
	expect(t, &r, "open(0x1000, O_RDONLY) = 3");
	/* what was not there at the entry was copied at the exit; the lengths of chunks are checked */
	r.n = 0;
	add_chunk(&r, 0x1000, SYSCALLEVENTS_AT_EXIT, "/late", 6, 0);
	expect(t, &r, "open(\"/late\", O_RDONLY) = 3");
	r.memory[8] = 0xff;
	r.memory[9] = 0xff;
	expect(t, &r, "open(0x1000, O_RDONLY) = 3");
	r.call.memory_loc = 0xffff0010;
	expect(t, &r, "open(0x1000, O_RDONLY) = 3");
	syscalltext_free(t);
}

static void test_unfinished(void **state)
{
	struct syscalltext *t = decoder((struct syscalltext_options){0});
	struct record r = new_record(0, 0);

	(void)state;
	r.call.type = SYSCALLEVENTS_OPEN;
	r.call.args[0] = 3;
	r.call.args[1] = 0x1000;
	r.call.args[2] = 10;
	expect(t, &r, "read(3, ");
	r.call.nr = 202;
	r.call.args[0] = 0x2000;
	r.call.args[1] = 128;
	r.call.args[2] = 2;
	r.call.args[3] = 0;
	expect(t, &r, "futex(0x2000, FUTEX_WAIT_PRIVATE, 2, NULL");
	syscalltext_free(t);
}

static void test_signals(void **state)
{
	struct syscalltext *t = decoder((struct syscalltext_options){0});
	struct record r = new_record(17, 0);
	uint32_t info[32] = {17, 0, 1, 0, 42, 0, 7};

	(void)state;
	r.call.type = SYSCALLEVENTS_SIGNAL;
	add_chunk(&r, 0, SYSCALLEVENTS_AT_ENTRY, info, sizeof(info), 0);
	expect(t, &r,
	       "--- SIGCHLD {si_signo=SIGCHLD, si_code=CLD_EXITED, si_pid=42, si_uid=0, "
	       "si_status=7, si_utime=0, si_stime=0} ---");
	r = new_record(0, 3 << 8);
	r.call.type = SYSCALLEVENTS_EXIT;
	expect(t, &r, "+++ exited with 3 +++");
	r.call.ret = 11 | 0x80;
	expect(t, &r, "+++ killed by SIGSEGV (core dumped) +++");
	syscalltext_free(t);
}

/* aarch64 has other numbers, other flags and another struct stat. */
static void test_aarch64(void **state)
{
	struct syscalltext *t = decoder((struct syscalltext_options){0});
	struct record r = new_record(56, 3);
	uint64_t st[16] = {0};

	(void)state;
	r.call.machine = AUDIT_ARCH_AARCH64;
	r.call.args[0] = (uint64_t)-100;
	r.call.args[1] = 0x1000;
	r.call.args[2] = 040000 | 0200000;
	add_chunk(&r, 0x1000, SYSCALLEVENTS_AT_ENTRY, "/x", 3, 0);
	expect(t, &r, "openat(AT_FDCWD, \"/x\", O_RDONLY|O_DIRECT|O_DIRECTORY) = 3");
	r = new_record(80, 0);
	r.call.machine = AUDIT_ARCH_AARCH64;
	r.call.args[0] = 3;
	r.call.args[1] = 0x1000;
	st[2] = 0100644;
	st[6] = 1234;
	add_chunk(&r, 0x1000, SYSCALLEVENTS_AT_EXIT, st, sizeof(st), 0);
	memset(r.memory + r.n, 0, 32);
	expect(t, &r, "fstat(3, {st_mode=S_IFREG|0644, st_size=1234, ...}) = 0");
	syscalltext_free(t);
}

static void test_paths(void **state)
{
	struct syscalltext *t = decoder((struct syscalltext_options){.paths = 1});
	struct record r = new_record(2, 3);

	(void)state;
	assert_int_equal(syscalltext_add_path(t, 7, -100, "/home/me", false), 0);
	r.call.args[0] = 0x1000;
	add_chunk(&r, 0x1000, SYSCALLEVENTS_AT_ENTRY, "../x/./y", 9, 0);
	expect(t, &r, "open(\"../x/./y\", O_RDONLY) = 3</home/x/y>");
	r = new_record(33, 9);
	r.call.args[0] = 3;
	r.call.args[1] = 9;
	syscalltext_see(t, &r.call, SYSCALLEVENTS_CALL_BYTES);
	r = new_record(3, 0);
	r.call.args[0] = 9;
	expect(t, &r, "close(9</home/x/y>) = 0");
	expect(t, &r, "close(9) = 0");
	r.call.tgid = 8;
	r.call.args[0] = 3;
	expect(t, &r, "close(3) = 0");
	syscalltext_free(t);
}

static void test_arguments(void **state)
{
	struct syscalltext *t = decoder((struct syscalltext_options){0});
	struct record r = new_record(2, 3);
	const char *name;
	TEXTBUF(tb, 1 << 16);

	(void)state;
	r.call.args[1] = 0101;
	r.call.args[2] = 0640;
	assert_true(syscalltext_fmt_arg(t, &r.call, SYSCALLEVENTS_CALL_BYTES, 2, &tb, &name));
	assert_string_equal(textbuf_text(&tb), "0640");
	assert_false(syscalltext_fmt_arg(t, &r.call, SYSCALLEVENTS_CALL_BYTES, 3, &tb, &name));
	textbuf_clear(&tb);
	syscalltext_fmt_result(t, &r.call, SYSCALLEVENTS_CALL_BYTES, &tb);
	assert_string_equal(textbuf_text(&tb), "3");
	textbuf_clear(&tb);
	assert_false(syscalltext_fmt_arg(t, &r.call, 20, 0, &tb, &name));
	syscalltext_free(t);
}

static void test_tables(void **state)
{
	size_t n, n_calls = 0;

	(void)state;
	assert_true(syscallsets_of("openat") & syscallset_find("file", 4));
	assert_false(syscallsets_of("read") & syscallset_find("file", 4));
	assert_int_equal(syscallset_find("nothing", 7), 0);
	for (uint32_t nr = 0; nr < 1000; nr++) {
		const struct syscopy *c = syscopies_find(AUDIT_ARCH_X86_64, nr, &n);

		assert_true(n <= SYSCOPIES_MAX);
		for (size_t i = 0; i < n; i++)
			assert_true(c[i].arg < 6 && c[i].how < SYSCOPY_HOWS);
		n_calls += syscallnames_find(AUDIT_ARCH_X86_64, nr) != NULL;
	}
	assert_true(n_calls > 370);
	assert_string_equal(syscallnames_find(AUDIT_ARCH_AARCH64, 56), "openat");
	assert_null(syscallnames_find(AUDIT_ARCH_AARCH64, 5000));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_results),	   cmocka_unit_test(test_memory),
		cmocka_unit_test(test_unfinished), cmocka_unit_test(test_signals),
		cmocka_unit_test(test_aarch64),	   cmocka_unit_test(test_paths),
		cmocka_unit_test(test_arguments),  cmocka_unit_test(test_tables),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_trickle.c - writes that do not wait for a reader who does not read.
 *
 * covers: Q03
 */
#include "base/files/trickle.h"

#include "base/clock.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <cmocka.h>

#define SOON_NS 20000000ull

static char text[1 << 20];

static ssize_t write_soon(struct trickle *t, size_t len)
{
	return trickle_write(t, text, len, clock_now_ns() + SOON_NS);
}

/* Nobody reads: what fits is written, and then it gives up, every time. */
static void gives_up_on(int fds[2])
{
	int flags = fcntl(fds[1], F_GETFL);
	uint64_t start = clock_now_ns();
	struct trickle t;
	ssize_t n;

	trickle_init(&t, fds[1]);
	do
		n = write_soon(&t, sizeof(text));
	while (n == sizeof(text));
	assert_in_range(n, 0, sizeof(text) - 1);
	assert_true(clock_now_ns() - start >= SOON_NS);
	assert_int_equal(write_soon(&t, 4096), 0);
	/* whoever shares the descriptor does not notice */
	assert_int_equal(fcntl(fds[1], F_GETFL), flags);
	/* there is room again */
	assert_true(read(fds[0], text, 65536) > 0);
	assert_true(write_soon(&t, 1000) == 1000);
	trickle_release(&t);
	assert_int_equal(fcntl(fds[1], F_GETFL), flags);
	close(fds[0]);
	close(fds[1]);
}

static void gives_up_on_a_pipe(void **state)
{
	int fds[2];

	assert_int_equal(pipe(fds), 0);
	gives_up_on(fds);
}

static void gives_up_on_a_socket(void **state)
{
	int fds[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
	gives_up_on(fds);
}

/* A piece that fits is in the pipe as a whole or not at all. */
static void cuts_no_piece(void **state)
{
	struct trickle t;
	int fds[2];
	size_t whole, sum = 0;
	ssize_t n;

	assert_int_equal(pipe(fds), 0);
	trickle_init(&t, fds[1]);
	whole = trickle_whole_bytes(&t);
	assert_int_equal(whole, PIPE_BUF);
	while ((n = write_soon(&t, 1000)) > 0)
		sum += n;
	assert_int_equal(n, 0);
	assert_int_equal(sum % 1000, 0);
	trickle_release(&t);
	close(fds[0]);
	close(fds[1]);
}

static void tells_that_nobody_reads(void **state)
{
	struct trickle t;
	int fds[2];

	signal(SIGPIPE, SIG_IGN);
	assert_int_equal(pipe(fds), 0);
	trickle_init(&t, fds[1]);
	close(fds[0]);
	assert_int_equal(write_soon(&t, 10), -EPIPE);
	trickle_release(&t);
	close(fds[1]);
}

static void writes_files_as_they_are(void **state)
{
	char path[] = "/tmp/sonde-trickle-XXXXXX";
	int fd = mkstemp(path);
	struct trickle t;

	assert_true(fd >= 0);
	unlink(path);
	assert_int_equal(write(fd, "before", 6), 6);
	trickle_init(&t, fd);
	assert_int_equal(trickle_whole_bytes(&t), 0);
	assert_int_equal(trickle_write(&t, text, sizeof(text), 0), sizeof(text));
	assert_int_equal(lseek(fd, 0, SEEK_CUR), 6 + sizeof(text));
	trickle_release(&t);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(gives_up_on_a_pipe),
		cmocka_unit_test(gives_up_on_a_socket),
		cmocka_unit_test(cuts_no_piece),
		cmocka_unit_test(tells_that_nobody_reads),
		cmocka_unit_test(writes_files_as_they_are),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

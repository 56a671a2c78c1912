// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_userserver.c - programs ask for a plan: they get one that fits their memory, or none if they
 * send nonsense; a file is analysed once. The library lies where programs can load it, and goes.
 */
#include "base/errmsg.h"
#include "base/textbuf.h"
#include "capture/calls/userlibrary.h"
#include "capture/calls/userpids.h"
#include "capture/calls/plans/plans.h"
#include "capture/calls/userrings.h"
#include "capture/calls/userserver.h"
#include "capture/user/choice.h"
#include "runtime/library.h"
#include "runtime/snrt.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

struct fixture {
	struct userserver server;
	struct userrings rings;
	struct userchoice choice;
	struct userplans *plans;
};

/* A function that is chosen, in this program. Optimisers must not make another one of it. */
#ifdef __clang__
#define AS_IT_IS __attribute__((noinline))
#else
#define AS_IT_IS __attribute__((noipa))
#endif
static AS_IT_IS int userserver_test_function(int x)
{
	__asm__ volatile("" : "+r"(x));
	return x * 3 + 1;
}

static void begin(struct fixture *f)
{
	struct errmsg err = {0};

	*f = (struct fixture){0};
	assert_int_equal(userchoice_add(&f->choice, "userserver_test_*", false, &err), 0);
	assert_int_equal(userserver_open(&f->server, &err), 0);
	assert_int_equal(userrings_open(&f->rings, SNRT_WAIT, 1000, &err), 0);
	f->plans = userplans_new(&f->choice, NULL, NULL);
	assert_non_null(f->plans);
	assert_int_equal(userserver_start(&f->server, f->rings.fd, f->plans, &err), 0);
}

static void end(struct fixture *f)
{
	userserver_close(&f->server);
	userplans_free(f->plans);
	userrings_close(&f->rings);
	userchoice_release(&f->choice);
}

static int connect_to(const struct fixture *f)
{
	struct sockaddr_un addr = {.sun_family = AF_UNIX};
	size_t len = strcspn(f->server.name, ".");
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	memcpy(addr.sun_path + 1, f->server.name, len);
	if (connect(fd, (struct sockaddr *)&addr, offsetof(struct sockaddr_un, sun_path) + 1 + len))
		return -1;
	return fd;
}

/* The number of bytes that came; fds: -1 where none came. */
static ssize_t receive(int fd, struct snrt_answer *answer, int fds[2])
{
	struct iovec iov = {answer, sizeof(*answer)};
	union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(2 * sizeof(int))];
	} control;
	struct msghdr msg = {.msg_iov = &iov,
			     .msg_iovlen = 1,
			     .msg_control = &control,
			     .msg_controllen = sizeof(control)};
	ssize_t n = recvmsg(fd, &msg, 0);
	struct cmsghdr *c = n > 0 ? CMSG_FIRSTHDR(&msg) : NULL;

	fds[0] = fds[1] = -1;
	if (c)
		memcpy(fds, CMSG_DATA(c), c->cmsg_len - CMSG_LEN(0));
	return n;
}

static struct snrt_hello hello(const struct fixture *f)
{
	struct snrt_hello h = {.magic = SNRT_MAGIC, .version = SNRT_VERSION, .what = SNRT_HELLO};

	memcpy(h.key, strchr(f->server.name, '.') + 1, sizeof(h.key));
	return h;
}

static int check_image(const struct snrt_image *image, const uint8_t *plan, uint64_t n_bytes,
		       int fd)
{
	const struct snrt_patch *patches = (const struct snrt_patch *)(plan + image->patches_at);

	if (!image->n_thunks || !image->n_patches || image->area_at % 4096 ||
	    image->area_at + image->area_bytes > n_bytes)
		return 3;
	for (uint32_t i = 0; i < image->n_patches; i++)
		if (patches[i].n_bytes > SNRT_PATCH_MAX ||
		    memcmp((const void *)patches[i].addr, patches[i].old, patches[i].n_bytes))
			return 4;
	/* the place is free */
	if (mmap((void *)image->area, image->area_bytes, PROT_READ,
		 MAP_PRIVATE | MAP_FIXED_NOREPLACE, fd, (off_t)image->area_at) == MAP_FAILED)
		return 5;
	return 0;
}

/*
 * What the runtime would do, without doing it: each patch is compared with the memory of this very
 * process. One image has the chosen function; others have functions of the C library that lead to
 * the runtime. 0: everything fits.
 */
static int check_plan(const struct snrt_answer *answer, int fd)
{
	uint8_t *plan;
	struct stat st;
	int r = 0;

	if (!answer->n_images || fstat(fd, &st))
		return 1;
	plan = mmap(NULL, st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (plan == MAP_FAILED)
		return 2;
	for (uint32_t i = 0; i < answer->n_images && !r; i++)
		r = check_image((const struct snrt_image *)plan + i, plan, st.st_size, fd);
	return r;
}

/* In a child, as a program that starts. */
static int ask(const struct fixture *f)
{
	struct snrt_hello h = hello(f);
	struct snrt_answer answer;
	int fd = connect_to(f), fds[2];
	struct stat st;

	if (fd < 0 || send(fd, &h, sizeof(h), 0) != sizeof(h) ||
	    receive(fd, &answer, fds) != sizeof(answer))
		return 10;
	if (answer.magic != SNRT_MAGIC || answer.error || !answer.plan || fds[0] < 0 || fds[1] < 0)
		return 11;
	if (fstat(fds[0], &st) || !ftruncate(fds[0], 0) || errno != EPERM)
		return 12; /* nobody can make the rings shorter */
	return check_plan(&answer, fds[1]);
}

static void programs_get_a_plan_that_fits(void **state)
{
	struct usercollector_meaning meaning;
	struct userplans_sum sum;
	struct textbuf tb;
	struct fixture f;
	int status;

	begin(&f);
	for (int i = 0; i < 3; i++) {
		pid_t pid = fork();

		if (!pid)
			_exit(ask(&f));
		waitpid(pid, &status, 0);
		assert_int_equal(WEXITSTATUS(status), 0);
	}
	userserver_stop(&f.server);
	userplans_get_sum(f.plans, &sum);
	assert_int_equal(sum.n_processes, 3);
	assert_int_equal(sum.n_files, 1);
	assert_int_equal(sum.n_functions, 1);
	for (uint32_t plan = 1; plan <= 3; plan++) {
		assert_true(userplans_find(f.plans, plan, &meaning));
		assert_int_equal(meaning.n, 2);
		assert_int_equal(meaning.funcs[1], 0x10);
		assert_int_equal(meaning.pid_ns, userpids_own_namespace());
	}
	assert_false(userplans_find(f.plans, 0, &meaning));
	assert_false(userplans_find(f.plans, 4, &meaning));
	textbuf_init(&tb, 1 << 20);
	userplans_fmt_symbols(f.plans, &tb);
	assert_string_equal(textbuf_text(&tb), "0000000000000010 t userserver_test_function"
					       "\t[test_userserver]\n");
	textbuf_clear(&tb);
	userplans_fmt_functions(f.plans, &tb);
	assert_non_null(strstr(textbuf_text(&tb), "\nF 10 "));
	textbuf_release(&tb);
	end(&f);
	assert_int_equal(userserver_test_function(1), 4);
}

static void nonsense_is_refused(void **state)
{
	struct snrt_hello h;
	struct snrt_answer answer;
	struct fixture f;
	int fds[2];

	begin(&f);
	for (int i = 0; i < 7; i++) {
		int fd = connect_to(&f);

		assert_true(fd >= 0);
		h = hello(&f);
		h.magic += i == 0;
		h.version += i == 1;
		h.what = i == 2 ? 99 : h.what;
		h.key[31] ^= i == 5; /* whoever does not know the key gets no rings */
		h.key[0] = i == 6 ? 0 : h.key[0];
		send(fd, &h, i == 3 ? 4 : sizeof(h), MSG_NOSIGNAL);
		if (i == 4) { /* it leaves at once */
			close(fd);
			continue;
		}
		assert_true(receive(fd, &answer, fds) <= 0);
		close(fd);
	}
	/* a plan that does not exist: an answer, but no plan */
	{
		int fd = connect_to(&f);

		h = hello(&f);
		h.what = SNRT_OPENED;
		h.plan = 12345;
		send(fd, &h, sizeof(h), MSG_NOSIGNAL);
		assert_int_equal(receive(fd, &answer, fds), sizeof(answer));
		assert_int_equal(answer.error, -EINVAL);
		assert_int_equal(fds[0], -1);
		close(fd);
	}
	userserver_stop(&f.server);
	assert_true(f.server.n_refused >= 7);
	assert_int_equal(connect_to(&f), -1);
	end(&f);
}

/* More than the server keeps, of a process that says nothing and waits. */
static pid_t start_silent(const struct fixture *f, int *ret_pipe)
{
	int fds[2];
	char byte = 0;
	pid_t pid;

	assert_int_equal(pipe(fds), 0);
	pid = fork();
	if (!pid) {
		for (int i = 0; i < 600; i++)
			byte += connect_to(f) < 0;
		(void)!write(fds[1], &byte, 1);
		pause();
		_exit(0);
	}
	close(fds[1]);
	*ret_pipe = fds[0];
	return pid;
}

static void silent_ones_keep_nobody_out(void **state)
{
	struct fixture f;
	int status, fd;
	pid_t pid, silent;
	char n_failed;

	begin(&f);
	silent = start_silent(&f, &fd);
	assert_int_equal(read(fd, &n_failed, 1), 1);
	assert_int_equal(n_failed, 0);
	pid = fork();
	if (!pid)
		_exit(ask(&f));
	waitpid(pid, &status, 0);
	assert_int_equal(WEXITSTATUS(status), 0);
	kill(silent, SIGKILL);
	waitpid(silent, NULL, 0);
	close(fd);
	end(&f);
}

static void the_library_comes_and_goes(void **state)
{
	struct userlibrary lib;
	struct errmsg err = {0};
	struct stat st;
	char *path;

	if (!runtime_library_bytes)
		skip();
	assert_int_equal(userlibrary_open(&lib, &err), 0);
	assert_int_equal(stat(lib.path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0755);
	assert_int_equal(st.st_size, runtime_library_bytes);
	assert_int_equal(stat(lib.dir, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0711);
	path = strdup(lib.dir);
	userlibrary_close(&lib);
	assert_int_equal(stat(path, &st), -1);
	free(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(programs_get_a_plan_that_fits),
		cmocka_unit_test(nonsense_is_refused),
		cmocka_unit_test(silent_ones_keep_nobody_out),
		cmocka_unit_test(the_library_comes_and_goes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

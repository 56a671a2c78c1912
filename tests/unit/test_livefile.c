// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_livefile.c - a file that is recorded can be read at every moment and ends compact, also with a
 * limit, on a full disk, and from many threads; who reads it meanwhile is waited for. A file that is removed
 * meanwhile is not lost.
 *
 * covers: T01
 */
#include "../lib/liverecord.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

/* --- tests ------------------------------------------------------------------------------------- */

static void check_kind(const struct kind *k, unsigned way)
{
	struct livefile *f = begin(k);
	struct contents c;
	struct tracefile *tf;

	add_all(f, k, way);
	finish(f, k->version);
	tf = read_file(&c);
	assert_finished(tf);
	assert_cmdlines(tf, CMDLINES);
	assert_contents(&c, k, way);
	assert_true(!tracefile_option_find(tf, SNF_OPTION_CPUSTAT) == (k->version == 6));
	assert_true(!tracefile_option_find(tf, SNF_OPTION_BTF) == (k->version == 6));
	assert_int_equal(tf->cpu_count, k->n_cpus);
	assert_int_equal(tf->compression, k->compression);
	for (size_t i = 0; i < tf->n_buffers; i++)
		assert_true(tf->buffers[i].compressed == !kind_is_plain(k));
	tracefile_close(tf);
	assert_alone();
}

static void check_all_kinds(void)
{
	for (size_t i = 0; i < N_KINDS; i++)
		for (unsigned way = 0; way < 4; way++)
			check_kind(&kinds[i], way);
}

static void finished_files_are_whole_and_compact(void **state)
{
	everywhere(check_all_kinds);
}

/* At every moment: what was flushed is there, and not more than was given. */
static void check_growing(void)
{
	for (size_t i = 0; i < 4; i++) {
		const struct kind *k = &kinds[i];
		struct livefile *f = begin(k);
		struct errmsg err = {0};
		struct contents c;
		struct tracefile *tf = read_file(&c);

		assert_cmdlines(tf, "1 early\n");
		assert_int_equal(tf->n_buffers, 3);
		tracefile_close(tf);
		for (uint64_t n = 0; n < 100; n += 20) {
			assert_int_equal(add_pages(f, 1, 2, n, 20), 0);
			assert_int_equal(add_pages(f, 0, 4, n, 20), 0);
			tracefile_close(read_file(&c));
			assert_true(c.cpus[1][2].n == n && c.cpus[0][4].n == n);
			liveregion_flush(livefile_region(f, 1, 2));
			liveregion_flush(livefile_region(f, 0, 4));
			assert_int_equal(livefile_flush(f, &err), 0);
			tracefile_close(read_file(&c));
			assert_true(c.cpus[1][2].n == n + 20 && c.cpus[0][4].n == n + 20);
			assert_int_equal(liveregion_bytes(livefile_region(f, 1, 2)),
					 (n + 20) * PAGE);
		}
		livefile_free(f);
		tracefile_close(read_file(&c));
		assert_true(c.cpus[1][2].n == 100 && c.cpus[0][4].n == 100);
	}
}

static void growing_files_can_be_read(void **state)
{
	everywhere(check_growing);
}

static void splice_pages(struct livefile *f, int buffer, uint32_t cpu, uint64_t from, unsigned n)
{
	uint8_t page[PAGE];
	int fds[2];

	assert_int_equal(pipe(fds), 0);
	for (unsigned i = 0; i < n; i++) {
		make_page(page, buffer, cpu, from + i);
		assert_int_equal(write(fds[1], page, PAGE), PAGE);
	}
	assert_int_equal(liveregion_splice(livefile_region(f, buffer, cpu), fds[0], n * PAGE),
			 n * PAGE);
	close(fds[0]);
	close(fds[1]);
}

static void check_splicing(void)
{
	struct livefile *f = begin(&kinds[0]);
	struct contents c;

	splice_pages(f, 1, 0, 0, 7);
	splice_pages(f, 1, 3, 0, 9);
	splice_pages(f, 1, 0, 7, 5);
	finish(f, 7);
	tracefile_close(read_file(&c));
	assert_int_equal(c.cpus[1][0].n, 12);
	assert_int_equal(c.cpus[1][3].n, 9);
}

static void pages_come_through_pipes(void **state)
{
	everywhere(check_splicing);
}

/* A pipe that ends in the middle of a page: the rest comes with the next call. */
static void check_partial_pages(void)
{
	struct livefile *f = begin(&kinds[0]);
	struct liveregion *r = livefile_region(f, 1, 0);
	uint8_t pages[2 * PAGE];
	struct contents c;
	int fds[2];

	make_page(pages, 1, 0, 0);
	make_page(pages + PAGE, 1, 0, 1);
	assert_int_equal(pipe2(fds, O_NONBLOCK), 0);
	assert_int_equal(write(fds[1], pages, PAGE + 1000), PAGE + 1000);
	assert_int_equal(liveregion_splice(r, fds[0], 2 * PAGE), PAGE);
	assert_int_equal(write(fds[1], pages + PAGE + 1000, PAGE - 1000), PAGE - 1000);
	assert_int_equal(liveregion_splice(r, fds[0], PAGE), PAGE);
	close(fds[0]);
	close(fds[1]);
	finish(f, 7);
	tracefile_close(read_file(&c));
	assert_int_equal(c.cpus[1][0].n, 2);
}

static void parts_of_pages_wait_for_the_rest(void **state)
{
	everywhere(check_partial_pages);
}

/* --- limits ------------------------------------------------------------------------------------ */

static void check_limit_of(struct kind k)
{
	struct livefile *f;
	struct contents c;
	struct errmsg err = {0};
	struct tracefile *tf;
	struct stat st;

	k.max_bytes = 40 * PAGE;
	f = begin(&k);
	for (uint64_t n = 0; n < 2000; n += 10) {
		assert_int_equal(add_pages(f, 1, 1, n, 10), 0);
		assert_int_equal(add_pages(f, 2, 3, n, 10), 0);
		if (n % 100 == 0)
			assert_int_equal(livefile_flush(f, &err), 0);
		if (n % 300 == 0)
			tracefile_close(read_file(&c));
	}
	assert_int_equal(add_pages(f, 2, 4, 0, 3), 0);
	assert_int_equal(stat("trace.dat", &st), 0);
	assert_true(st.st_blocks * 512 < (6 << 20)); /* of which the tail has two */
	finish(f, k.version);
	tf = read_file(&c);
	assert_finished(tf);
	tracefile_close(tf);
	assert_int_equal(c.cpus[1][1].first + c.cpus[1][1].n, 2000);
	assert_int_equal(c.cpus[2][3].first + c.cpus[2][3].n, 2000);
	assert_int_equal(c.cpus[2][4].n, 3);
	assert_true(c.cpus[1][1].n >= 30);
	assert_true(!kind_is_plain(&k) || c.cpus[1][1].n <= 40);
	assert_alone();
}

/* The recorder dies; old pages that are gone are not missed. */
static void check_limit_and_death(struct kind k)
{
	struct livefile *f;
	struct contents c;
	struct errmsg err = {0};
	struct tracefile *tf;

	k.max_bytes = 40 * PAGE;
	f = begin(&k);
	for (uint64_t n = 0; n < 1000; n += 8)
		assert_int_equal(add_pages(f, 1, 1, n, 8), 0);
	liveregion_flush(livefile_region(f, 1, 1));
	livefile_free(f);
	if (livefile_repair("trace.dat", PIECE_EMPTY, &err) < 0)
		fail_msg("%s", err.text);
	tf = read_file(&c);
	assert_finished(tf);
	tracefile_close(tf);
	assert_int_equal(c.cpus[1][1].first + c.cpus[1][1].n, 1000);
	assert_true(c.cpus[1][1].n >= 30);
	assert_alone();
}

static void check_limits(void)
{
	for (size_t i = 0; i < N_KINDS - 1; i++) {
		check_limit_of(kinds[i]);
		check_limit_and_death(kinds[i]);
	}
}

static void limited_regions_keep_the_newest(void **state)
{
	everywhere(check_limits);
}

static void check_full_region(void)
{
	for (size_t i = 0; i < 2; i++) {
		struct livefile *f = begin(&kinds[i]);
		struct liveregion *r = livefile_region(f, 1, 0);
		struct contents c;
		int error;

		r->limit = r->start + 20 * PAGE;
		error = add_pages(f, 1, 0, 0, 400);
		assert_int_equal(error, -EFBIG);
		assert_int_equal(add_pages(f, 1, 0, 0, 1), -EFBIG);
		finish(f, 7);
		tracefile_close(read_file(&c));
		assert_true(c.cpus[1][0].n >= 16);
	}
}

static void full_regions_say_so(void **state)
{
	everywhere(check_full_region);
}

/* --- a full disk ------------------------------------------------------------------------------- */

/* In a process of its own with a small file system of its own; 77: that cannot be had. */
static void fill_small_disk(const struct kind *k, int unused)
{
	struct livefile *f;
	struct contents c;
	struct tracefile *tf;
	uint64_t n[2] = {0};
	int error = 0;

	if (unshare(CLONE_NEWNS) < 0 || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
	    mount("none", ".", "tmpfs", 0, "size=9m") < 0 || chdir("../disk"))
		_exit(77);
	f = begin(k);
	while (!error) {
		int cpu = n[0] > n[1];

		error = add_pages(f, 1, cpu, n[cpu], 1);
		n[cpu] += !error;
	}
	assert_int_equal(error, -ENOSPC);
	assert_int_equal(add_pages(f, 1, n[0] > n[1], 0, 1), -ENOSPC);
	finish(f, k->version);
	tf = read_file(&c);
	assert_finished(tf);
	assert_cmdlines(tf, CMDLINES);
	tracefile_close(tf);
	assert_true(n[0] > 500);
	/* what was being packed is lost */
	assert_true(c.cpus[1][0].n + 16 >= n[0] && c.cpus[1][1].n + 16 >= n[1]);
	if (kind_is_plain(k)) {
		assert_int_equal(c.cpus[1][0].n, n[0]);
		assert_int_equal(c.cpus[1][1].n, n[1]);
	}
	_exit(0);
}

static void full_disks_end_well(void **state)
{
	char place[100];
	int status = 0;

	snprintf(place, sizeof(place), "%s", places[0]);
	assert_non_null(mkdtemp(place));
	assert_int_equal(chdir(place), 0);
	assert_int_equal(mkdir("disk", 0700), 0);
	assert_int_equal(chdir("disk"), 0);
	for (size_t i = 0; i < 4 && status != 77; i++) {
		status = end_of(start_child("fill", &kinds[i], 0));
		if (status != 77)
			assert_int_equal(status, 0);
	}
	assert_int_equal(chdir(".."), 0);
	remove_here();
	if (status == 77)
		skip();
}

/* --- limits of the process --------------------------------------------------------------------- */

static void record_limited(const struct kind *k, int unused)
{
	struct rlimit limit = {16 << 20, 16 << 20};
	struct livefile *f;
	struct contents c;
	uint64_t n = 0;
	int error = 0;

	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	f = begin(k);
	assert_int_equal(access("trace.dat.cpu2.one", F_OK), 0);
	for (; !error; n += !error)
		error = add_pages(f, 0, 2, n, 1);
	assert_int_equal(error, -EFBIG);
	assert_true(n >= 4000);
	livefile_free(f);
	tracefile_close(read_file(&c));
}

/* Where a file must not be large there are no holes to be had; and no signal kills us. */
static void small_limits_give_temporary_files(void **state)
{
	char place[100];

	snprintf(place, sizeof(place), "%s", places[0]);
	assert_non_null(mkdtemp(place));
	assert_int_equal(chdir(place), 0);
	assert_int_equal(end_of(start_child("limited", &kinds[0], 0)), 0);
	remove_here();
}

/* --- all at once ------------------------------------------------------------------------------- */

struct worker {
	pthread_t thread;
	struct livefile *f;
	uint32_t cpu;
	uint64_t n;
};

static void *work(void *arg)
{
	struct worker *w = arg;
	uint8_t page[PAGE];

	for (uint64_t i = 0; i < w->n; i++) {
		make_page(page, 1, w->cpu, i);
		liveregion_append(livefile_region(w->f, 1, w->cpu), page, PAGE);
		if (i % 50 == 49)
			liveregion_flush(livefile_region(w->f, 1, w->cpu));
	}
	return NULL;
}

static void check_threads_of(struct kind k)
{
	struct worker workers[4];
	struct errmsg err = {0};
	struct contents c;
	struct livefile *f = begin(&k);

	for (uint32_t i = 0; i < 4; i++) {
		workers[i] = (struct worker){.f = f, .cpu = i, .n = 700};
		assert_int_equal(pthread_create(&workers[i].thread, NULL, work, &workers[i]), 0);
	}
	for (int i = 0; i < 20; i++) {
		assert_int_equal(livefile_flush(f, &err), 0);
		assert_true(livefile_bytes(f) > 0);
		assert_true(liveregion_bytes(livefile_region(f, 1, 0)) <= 700 * PAGE);
		if (!k.max_bytes)
			tracefile_close(read_file(&c));
	}
	for (uint32_t i = 0; i < 4; i++)
		pthread_join(workers[i].thread, NULL);
	finish(f, 7);
	tracefile_close(read_file(&c));
	for (uint32_t i = 0; i < 4; i++)
		assert_int_equal(c.cpus[1][i].first + c.cpus[1][i].n, 700);
}

static void check_threads(void)
{
	for (size_t i = 0; i < 2; i++) {
		struct kind limited = kinds[i];

		check_threads_of(kinds[i]);
		limited.max_bytes = 50 * PAGE;
		check_threads_of(limited);
	}
}

static void regions_have_threads_of_their_own(void **state)
{
	everywhere(check_threads);
}

/* --- room -------------------------------------------------------------------------------------- */

struct watch {
	pthread_t thread;
	atomic_bool stop;
	uint64_t most_bytes;
};

static uint64_t bytes_here(void)
{
	static const char *const files[] = {"trace.dat", "trace.dat.cpu0", "trace.dat.cpu1",
					    "trace.dat.cpu2"};
	uint64_t sum = 0;
	struct stat st;

	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++)
		if (stat(files[i], &st) == 0)
			sum += st.st_blocks * 512ull;
	return sum;
}

static void *watch_room(void *arg)
{
	struct watch *w = arg;

	while (!atomic_load(&w->stop)) {
		uint64_t now = bytes_here();

		w->most_bytes = now > w->most_bytes ? now : w->most_bytes;
		usleep(200);
	}
	return NULL;
}

/* Moving takes no room but that of a piece, and the tail. */
static void check_room_of(const char *temp_dir)
{
	struct kind k = {.version = 7, .n_buffers = 2, .n_cpus = 3, .temp_dir = temp_dir};
	struct livefile *f = begin(&k);
	struct watch w = {0};

	for (uint32_t cpu = 0; cpu < 3; cpu++)
		assert_int_equal(add_pages(f, 1, cpu, 0, 8000), 0);
	assert_int_equal(pthread_create(&w.thread, NULL, watch_room, &w), 0);
	finish(f, 7);
	atomic_store(&w.stop, true);
	pthread_join(w.thread, NULL);
	assert_true(bytes_here() > 90 << 20);
	assert_true(w.most_bytes < bytes_here() / 10 * 11);
}

static void check_room(void)
{
	check_room_of(NULL);
	check_room_of(".");
}

static void the_end_takes_little_room(void **state)
{
	everywhere(check_room);
}

/* In a child: 0, or the number of the line that went wrong. Waits for a stage, a minute at most. */
static bool wait_for_stage(int fd, enum livefile_stage stage)
{
	for (int i = 0; i < 12000 && livefile_ask(fd) != stage; i++)
		usleep(5000);
	return livefile_ask(fd) == stage;
}

static int follow(int ready)
{
	int fd = open("trace.dat", O_RDONLY);

	if (fd < 0 || livefile_ask(fd) != LIVEFILE_GROWS || !livefile_hold(fd))
		return 1;
	close(open("trace.dat", O_RDONLY)); /* does not give the lock up */
	if (write(ready, "r", 1) != 1 || !wait_for_stage(fd, LIVEFILE_MOVES))
		return 2;
	/* the recorder waits: nothing has moved yet */
	if (lseek(fd, 0, SEEK_END) < (off_t)1 << 30)
		return 3;
	livefile_let_go(fd);
	return wait_for_stage(fd, LIVEFILE_DONE) && livefile_hold(fd) ? 0 : 4;
}

static void followers_are_waited_for(void **state)
{
	struct livefile *f = begin(&kinds[0]);
	int fds[2], status;
	pid_t pid;
	char byte;

	assert_int_equal(add_pages(f, 1, 2, 0, 20), 0);
	assert_int_equal(pipe(fds), 0);
	pid = fork();
	if (!pid)
		_exit(follow(fds[1]));
	assert_int_equal(read(fds[0], &byte, 1), 1);
	finish(f, kinds[0].version);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
	close(fds[0]);
	close(fds[1]);
	unlink("trace.dat");
}

/* What somebody does to the file, where the recording is then, and the word that says so. */
static const struct {
	const char *command, *now, *word;
} takings[] = {
	{"rm trace.dat", "trace.dat", "removed"},
	{"rm trace.dat; echo x > trace.dat", "trace.dat.1", "replaced"},
	{"rm trace.dat; ln -s trace.dat trace.dat", "trace.dat.1", "replaced"},
	{"ln -sf no/where trace.dat; mkfifo trace.dat.1", "trace.dat.2", "replaced"},
	{"mv trace.dat other.dat", "other.dat", "renamed"},
	{"mv trace.dat other.dat; echo x > trace.dat", "other.dat", "renamed"},
};

static void check_takings(void)
{
	for (size_t i = 0; i < sizeof(takings) / sizeof(*takings); i++) {
		struct livefile *f = begin(&kinds[0]);
		struct errmsg err = {0};
		struct contents c;
		struct tracefile *tf;
		int fd;

		fd = livefile_dup(f);
		add_all(f, &kinds[0], 0);
		assert_int_equal(system(takings[i].command), 0);
		assert_int_equal(livefile_finish(f, &err), -ESTALE);
		assert_non_null(strstr(err.text, takings[i].word));
		assert_non_null(strstr(err.text, takings[i].now));
		assert_int_equal(tracefile_open_fd(&tf, fd, "trace.dat", &err), 0);
		assert_finished(tf); /* the descriptor still leads to it */
		tracefile_close(tf);
		close(fd);
		if (strcmp(takings[i].now, "trace.dat"))
			assert_int_equal(rename(takings[i].now, "trace.dat"), 0);
		tf = read_file(&c);
		assert_finished(tf);
		assert_contents(&c, &kinds[0], 0);
		tracefile_close(tf);
		unlink("trace.dat.1");
		assert_alone();
		unlink("trace.dat");
	}
}

static void a_file_whose_name_was_taken_is_kept(void **state)
{
	everywhere(check_takings);
}

static const struct job jobs[] = {
	{"fill", fill_small_disk},
	{"limited", record_limited},
};

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finished_files_are_whole_and_compact),
		cmocka_unit_test(growing_files_can_be_read),
		cmocka_unit_test(pages_come_through_pipes),
		cmocka_unit_test(parts_of_pages_wait_for_the_rest),
		cmocka_unit_test(limited_regions_keep_the_newest),
		cmocka_unit_test(full_regions_say_so),
		cmocka_unit_test(full_disks_end_well),
		cmocka_unit_test(small_limits_give_temporary_files),
		cmocka_unit_test(regions_have_threads_of_their_own),
		cmocka_unit_test(the_end_takes_little_room),
		cmocka_unit_test(followers_are_waited_for),
		cmocka_unit_test(a_file_whose_name_was_taken_is_kept),
	};

	do_job(jobs, sizeof(jobs) / sizeof(*jobs), argc, argv);
	signal(SIGPIPE, SIG_IGN);
	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_liverepair.c - a recorder may be killed at any moment: what it flushed can be read, and a repair
 * finishes its file with all that reached it.
 *
 * covers: T17
 *
 * Recorders are killed at random moments; the end of a recording, and a repair, between system calls,
 * which a tracer (ptrace) counts.
 */
#include "../lib/liverecord.h"

#include <sys/ptrace.h>

/* --- killed ------------------------------------------------------------------------------------ */

/* Records until it is killed; tells through a pipe what was flushed. */
static void record_for_ever(const struct kind *k, int fd)
{
	struct livefile *f = begin(k);
	struct errmsg err = {0};

	for (uint64_t n = 0; n < 100000; n++) {
		for (int b = 0; b < k->n_buffers; b++)
			for (uint32_t cpu = 0; cpu < k->n_cpus; cpu++)
				if (add_pages(f, b, cpu, n, 1) < 0)
					_exit(1);
		usleep(300); /* a disk may be slow, and all of it is read again */
		if (n % 37 == 36) {
			for (uint32_t i = 0; i < f->n_regions; i++)
				liveregion_flush(f->regions[i]);
			if (livefile_flush(f, &err) < 0 || write(fd, &n, sizeof(n)) != sizeof(n))
				_exit(1);
		}
	}
	_exit(0);
}

static uint64_t last_number(int fd)
{
	uint64_t n, last = 0;

	while (read(fd, &n, sizeof(n)) == sizeof(n))
		last = n + 1;
	return last;
}

/* Kills it after about that time; what it said was flushed. */
static uint64_t kill_recorder(const struct kind *k, unsigned delay_us)
{
	uint64_t n;
	int fds[2];
	pid_t pid;

	assert_int_equal(pipe(fds), 0);
	assert_int_equal(fcntl(fds[0], F_SETFD, FD_CLOEXEC), 0);
	pid = start_child("record", k, fds[1]);
	close(fds[1]);
	while (access("trace.dat", F_OK))
		usleep(100);
	usleep(delay_us);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	n = last_number(fds[0]);
	close(fds[0]);
	return n;
}

static void assert_at_least(const struct contents *c, const struct kind *k, uint64_t n)
{
	for (int b = 0; b < k->n_buffers; b++)
		for (uint32_t cpu = 0; cpu < k->n_cpus; cpu++) {
			assert_int_equal(c->cpus[b][cpu].first, 0);
			assert_true(c->cpus[b][cpu].n >= n);
		}
}

static void check_killed_kind(const struct kind *k, unsigned delay_us)
{
	struct errmsg err = {0};
	struct contents before, after;
	struct tracefile *tf;
	uint64_t flushed;

	unlink("trace.dat");
	flushed = kill_recorder(k, delay_us);
	tracefile_close(read_file(&before));
	if (!k->temp_dir)
		assert_at_least(&before, k, flushed);
	if (livefile_repair("trace.dat", PIECE_EMPTY, &err) < 0)
		fail_msg("%s", err.text);
	tf = read_file(&after);
	assert_finished(tf);
	tracefile_close(tf);
	assert_at_least(&after, k, flushed);
	assert_alone();
	assert_int_equal(livefile_repair("trace.dat", PIECE_EMPTY, &err), 0);
}

static void check_killed(void)
{
	for (unsigned i = 0; i < 3 * N_KINDS; i++)
		check_killed_kind(&kinds[i % N_KINDS], 2000 + i * 37 % 11 * 9000);
}

static void killed_recorders_leave_all_they_flushed(void **state)
{
	everywhere(check_killed);
}

/* Plain pages that were written and never flushed are found. */
static void check_not_flushed(void)
{
	for (size_t i = 0; i < N_KINDS - 1; i++) {
		const struct kind *k = &kinds[i];
		struct livefile *f = begin(k);
		struct errmsg err = {0};
		struct contents c;
		struct tracefile *tf;

		assert_int_equal(add_pages(f, 0, 1, 0, 32), 0);
		assert_int_equal(livefile_flush(f, &err), 0);
		assert_int_equal(add_pages(f, 0, 1, 32, 32), 0);
		assert_int_equal(add_pages(f, 2, 4, 0, 48), 0);
		livefile_free(f);
		assert_int_equal(livefile_repair("trace.dat", text_piece(CMDLINES), &err), 0);
		tf = read_file(&c);
		assert_finished(tf);
		assert_cmdlines(tf, CMDLINES);
		tracefile_close(tf);
		assert_int_equal(c.cpus[0][1].n, 64);
		assert_int_equal(c.cpus[2][4].n, 48);
		assert_alone();
	}
}

static void assert_symbols(struct tracefile *tf, const char *wanted)
{
	struct piece text = tracefile_text(tf, TRACEFILE_KALLSYMS);

	assert_int_equal(text.len, strlen(wanted));
	assert_memory_equal(text.data, wanted, text.len);
}

/* Names and symbols that came during the recording: while it grows, after it died, after its end. */
static void check_late_texts(void)
{
	static const char first[] = "0000000000000010 t main\t[prog]\n";
	static const char tasks[] = "7 prog\n8 other\n";
	char many[20000];
	size_t n = 0;

	for (unsigned i = 1; n + 64 < sizeof(many); i++)
		n += snprintf(many + n, sizeof(many) - n, "%016x t f%u\t[prog]\n", i * 16, i);
	for (size_t i = 0; i < N_KINDS; i++) {
		struct errmsg err = {0};
		struct livefile *f;
		struct tracefile *tf;

		if (kinds[i].version != 7)
			continue;
		for (int dies = 0; dies < 2; dies++) {
			f = begin(&kinds[i]);
			assert_int_equal(livefile_write_names(f, text_piece(tasks), &err), 0);
			assert_int_equal(livefile_write_symbols(f, text_piece(first), &err), 0);
			assert_int_equal(add_pages(f, 0, 0, 0, 8), 0);
			assert_int_equal(livefile_flush(f, &err), 0);
			assert_int_equal(tracefile_open(&tf, "trace.dat", &err), 0);
			assert_cmdlines(tf, tasks);
			assert_symbols(tf, first);
			tracefile_close(tf);
			assert_int_equal(livefile_write_symbols(f, text_piece(many), &err), 0);
			assert_int_equal(livefile_flush(f, &err), 0);
			assert_int_equal(tracefile_open(&tf, "trace.dat", &err), 0);
			assert_symbols(tf, many);
			tracefile_close(tf);
			if (dies) {
				livefile_free(f);
				assert_int_equal(livefile_repair("trace.dat", PIECE_EMPTY, &err),
						 0);
			} else {
				assert_int_equal(livefile_add_text(f, TRACEFILE_KALLSYMS,
								   text_piece(many), &err),
						 0);
				assert_int_equal(livefile_finish(f, &err), 0);
			}
			assert_int_equal(tracefile_open(&tf, "trace.dat", &err), 0);
			assert_finished(tf);
			assert_cmdlines(tf, tasks);
			assert_symbols(tf, many);
			tracefile_close(tf);
			assert_alone();
		}
	}
}

static void names_and_symbols_may_come_late(void **state)
{
	everywhere(check_late_texts);
}

static void repair_finds_what_was_not_flushed(void **state)
{
	everywhere(check_not_flushed);
}

/* --- what is not ours -------------------------------------------------------------------------- */

static void put_bytes(const char *path, const void *bytes, size_t n)
{
	FILE *out = fopen(path, "w");

	assert_non_null(out);
	assert_int_equal(fwrite(bytes, 1, n, out), n);
	fclose(out);
}

static void foreign_files_are_left_alone(void **state)
{
	static const char no_trace[] = "hello\n";
	struct errmsg err = {0};
	char place[100], cut[2000];
	struct stat st;
	FILE *in;

	snprintf(place, sizeof(place), "%s", places[0]);
	assert_non_null(mkdtemp(place));
	assert_int_equal(chdir(place), 0);
	assert_int_equal(livefile_repair("nosuch", PIECE_EMPTY, &err), -ENOENT);
	put_bytes("text", no_trace, sizeof(no_trace));
	err.code = 0;
	assert_int_equal(livefile_repair("text", PIECE_EMPTY, &err), -EBADMSG);
	finish(begin(&kinds[0]), 7);
	in = fopen("trace.dat", "r");
	assert_non_null(in);
	assert_int_equal(fread(cut, 1, sizeof(cut), in), sizeof(cut));
	fclose(in);
	put_bytes("cut", cut, 500);
	err.code = 0;
	assert_int_equal(livefile_repair("cut", PIECE_EMPTY, &err), -ENOTSUP);
	assert_non_null(strstr(err.text, "cut is not from a recording"));
	assert_int_equal(stat("cut", &st), 0);
	assert_int_equal(st.st_size, 500);
	remove_here();
}

/* A dead recorder's file loses its name to another dead recorder's: that one is not changed. */
static void check_planted(const char *command)
{
	struct livefile *f = begin(&kinds[0]);
	struct livefile_id id;
	struct errmsg err = {0};
	struct stat before, after;

	assert_int_equal(livefile_get_id(f, &id), 0);
	assert_true(livefile_is_at("trace.dat", &id));
	livefile_free(f);
	assert_int_equal(rename("trace.dat", "ours.dat"), 0);
	livefile_free(begin(&kinds[0]));
	assert_int_equal(rename("trace.dat", "theirs.dat"), 0);
	assert_int_equal(system(command), 0);
	assert_int_equal(stat("theirs.dat", &before), 0);
	assert_false(livefile_is_at("trace.dat", &id));
	assert_int_equal(livefile_repair_only("trace.dat", &id, PIECE_EMPTY, &err), 0);
	assert_int_equal(stat("theirs.dat", &after), 0);
	assert_memory_equal(&before, &after, offsetof(struct stat, st_atim));
	assert_memory_equal(&before.st_ctim, &after.st_ctim, sizeof(after.st_ctim));
	/* and ours is finished where it is */
	assert_int_equal(livefile_repair_only("ours.dat", &id, PIECE_EMPTY, &err), 0);
	assert_int_equal(rename("ours.dat", "trace.dat"), 0);
	assert_int_equal(livefile_repair("trace.dat", PIECE_EMPTY, &err), 0);
}

static void planted_files_are_left_alone(void **state)
{
	struct errmsg err = {0};
	struct tracefile *tf;
	char place[100];

	snprintf(place, sizeof(place), "%s", places[0]);
	assert_non_null(mkdtemp(place));
	assert_int_equal(chdir(place), 0);
	assert_int_equal(mkfifo("pipe", 0600), 0);
	assert_int_equal(tracefile_open_regular(&tf, "pipe", &err), -EINVAL);
	check_planted("ln theirs.dat trace.dat");
	check_planted("ln -sf theirs.dat trace.dat");
	check_planted("rm -f trace.dat; mkfifo trace.dat");
	remove_here();
}

/* Somebody else's process records: ours does not touch it. */
static void recordings_that_go_on_are_left_alone(void **state)
{
	struct errmsg err = {0};
	char place[100];
	int fds[2];
	pid_t pid;
	char byte;

	snprintf(place, sizeof(place), "%s", places[0]);
	assert_non_null(mkdtemp(place));
	assert_int_equal(chdir(place), 0);
	assert_int_equal(pipe(fds), 0);
	pid = start_child("record", &kinds[0], fds[1]);
	assert_int_equal(read(fds[0], &byte, 1), 1);
	assert_int_equal(livefile_repair("trace.dat", PIECE_EMPTY, &err), -EBUSY);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	err.code = 0;
	assert_int_equal(livefile_repair("trace.dat", PIECE_EMPTY, &err), 0);
	close(fds[0]);
	close(fds[1]);
	remove_here();
}

/* --- killed at every step of the end ----------------------------------------------------------- */

/* The parent goes on from here step by step. */
static void wait_for_tracer(void)
{
	if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) < 0)
		_exit(77);
	raise(SIGSTOP);
}

static void flush_chunks(struct livefile *f)
{
	for (uint32_t i = 0; i < f->n_regions; i++)
		assert_int_equal(liveregion_flush(f->regions[i]), 0);
}

static void finish_traced(const struct kind *k, int way)
{
	struct livefile *f = begin(k);

	add_all(f, k, way);
	flush_chunks(f);
	wait_for_tracer();
	finish(f, k->version);
}

static void repair_traced(const struct kind *k, int way)
{
	struct livefile *f = begin(k);
	struct errmsg err = {0};

	add_all(f, k, way);
	flush_chunks(f);
	livefile_free(f);
	wait_for_tracer();
	livefile_repair("trace.dat", PIECE_EMPTY, &err);
}

/* Kills it before or after its nth system call; false: it had come to its end. -1: not possible. */
static int kill_at(const char *job, const struct kind *k, unsigned way, unsigned n)
{
	pid_t pid = start_child(job, k, way);
	int status;

	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
		return -1;
	assert_true(WIFSTOPPED(status));
	while (n--) {
		assert_int_equal(ptrace(PTRACE_SYSCALL, pid, NULL, NULL), 0);
		assert_int_equal(waitpid(pid, &status, 0), pid);
		if (!WIFSTOPPED(status)) {
			assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
			return 0;
		}
	}
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	return 1;
}

static void check_after_kill(const struct kind *k, unsigned way, const char *job, unsigned n)
{
	struct errmsg err = {0};
	struct contents c;
	struct tracefile *tf;

	if (livefile_repair("trace.dat", PIECE_EMPTY, &err) < 0)
		fail_msg("%s of kind %zu, killed at %u: %s", job, (size_t)(k - kinds), n, err.text);
	tf = read_file(&c);
	assert_finished(tf);
	tracefile_close(tf);
	assert_contents(&c, k, way);
	assert_alone();
}

static bool cannot_trace;

/* Not every system call on a disk, where each hole that is closed waits for it. */
static bool is_in_memory(void)
{
	char place[200];

	return getcwd(place, sizeof(place)) && !strncmp(place, "/dev/shm", 8);
}

static void check_steps(const char *job, unsigned step)
{

	for (size_t i = 0; i < N_KINDS; i++)
		for (unsigned n = i % step;; n += step) {
			int r = kill_at(job, &kinds[i], i % 3, n);

			cannot_trace |= r < 0;
			if (r <= 0)
				break;
			check_after_kill(&kinds[i], i % 3, job, n);
		}
}

static void check_killed_finish(void)
{
	check_steps("finish", is_in_memory() ? 7 : 61);
}

static void check_killed_repair(void)
{
	/* most of what it does is looking at pages, one by one */
	check_steps("repair", is_in_memory() ? 61 : 251);
}

static void a_killed_end_is_ended_by_repair(void **state)
{
	everywhere(check_killed_finish);
	if (cannot_trace)
		skip();
}

static void a_killed_repair_is_ended_by_repair(void **state)
{
	everywhere(check_killed_repair);
	if (cannot_trace)
		skip();
}

static const struct job jobs[] = {
	{"record", record_for_ever},
	{"finish", finish_traced},
	{"repair", repair_traced},
};

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(killed_recorders_leave_all_they_flushed),
		cmocka_unit_test(repair_finds_what_was_not_flushed),
		cmocka_unit_test(names_and_symbols_may_come_late),
		cmocka_unit_test(foreign_files_are_left_alone),
		cmocka_unit_test(planted_files_are_left_alone),
		cmocka_unit_test(recordings_that_go_on_are_left_alone),
		cmocka_unit_test(a_killed_end_is_ended_by_repair),
		cmocka_unit_test(a_killed_repair_is_ended_by_repair),
	};

	do_job(jobs, sizeof(jobs) / sizeof(*jobs), argc, argv);
	signal(SIGPIPE, SIG_IGN);
	return cmocka_run_group_tests(tests, NULL, NULL);
}

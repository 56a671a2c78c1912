// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Capture without a kernel: plans, sub-buffers put together, and what a journal notes and puts back in a
 * directory that looks like the kernel's.
 *
 * covers: B03
 */
#include "base/errmsg.h"
#include "capture/tracefs/cpufilter.h"
#include "capture/tracefs/journal/journal_int.h"
#include "capture/record/pagemerge.h"
#include "base/textbuf.h"
#include "capture/kernel/kernelinfo.h"
#include "capture/plan.h"
#include "capture/tracefs/setting.h"
#include "decode/walker.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../lib/putfile.h"

#include <errno.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* --- sub-buffers ------------------------------------------------------------------------------- */

#define PAGE 256

/* A sub-buffer with events of one word each; their deltas. */
static void make_page(uint8_t *page, uint64_t time, const uint32_t *deltas, size_t n)
{
	unsigned long commit = n * 8;

	memset(page, 0, PAGE);
	memcpy(page, &time, 8);
	memcpy(page + 8, &commit, sizeof(commit));
	for (size_t i = 0; i < n; i++) {
		uint32_t words[2] = {deltas[i] << 5 | 1, 1000 + i};

		memcpy(page + 16 + 8 * i, words, 8);
	}
}

static void expect_times(const uint8_t *page, const uint64_t *times, size_t n)
{
	struct page_layout layout = {.long_size = sizeof(long), .data_offset = 16};
	struct walked rec;
	struct walker w;

	assert_true(walker_start(&w, page, PAGE, &layout));
	for (size_t i = 0; i < n; i++) {
		assert_true(walker_next(&w, &rec));
		assert_int_equal(rec.ts, times[i]);
	}
	assert_false(walker_next(&w, &rec));
	assert_false(w.damaged);
}

static void events_keep_their_time_when_put_together(void **state)
{
	uint8_t a[PAGE], b[PAGE];

	make_page(a, 1000, (uint32_t[]){0, 5}, 2);
	make_page(b, 1ull << 40, (uint32_t[]){0, 7, 9}, 3);
	assert_true(pagemerge_add(a, b, PAGE));
	expect_times(a, (uint64_t[]){1000, 1005, 1ull << 40, (1ull << 40) + 7, (1ull << 40) + 16},
		     5);
}

static void a_full_or_marked_page_stays_alone(void **state)
{
	uint32_t deltas[20] = {0};
	uint8_t a[PAGE], b[PAGE], before[PAGE];
	unsigned long commit;

	make_page(a, 1, deltas, 15);
	make_page(b, 2, deltas, 15);
	memcpy(before, a, PAGE);
	assert_false(pagemerge_add(a, b, PAGE));
	assert_memory_equal(a, before, PAGE);
	make_page(a, 1, deltas, 1);
	make_page(b, 2, deltas, 1);
	memcpy(&commit, b + 8, sizeof(commit));
	commit |= 1ul << 31; /* events were lost before it */
	memcpy(b + 8, &commit, sizeof(commit));
	assert_false(pagemerge_add(a, b, PAGE));
}

/* --- plans ------------------------------------------------------------------------------------- */

static void filters_belong_to_the_event_before(void **state)
{
	struct errmsg err = {0};
	struct plan p;

	plan_init(&p);
	assert_int_equal(plan_add_filter(&p, "pid == 1", &err), -EINVAL);
	assert_int_equal(plan_add_event(&p, "sched", false), 0);
	assert_int_equal(plan_add_filter(&p, "pid == 1", &err), 0);
	assert_int_equal(plan_add_filter(&p, "prio < 9", &err), 0);
	assert_string_equal(p.buffers[0].events[0].filter, "(pid == 1)&&(prio < 9)");
	assert_non_null(plan_add_buffer(&p, "other"));
	assert_int_equal(plan_add_trigger(&p, "stacktrace", &err), -EINVAL);
	assert_true(plan_does_something(&p));
	plan_release(&p);
}

static void masks_of_cpus_are_filters(void **state)
{
	static const char *const cases[][2] = {
		{"1", "CPU == 0"},
		{"2f", "CPU >= 0 && CPU <= 3 || CPU == 5"},
		{"A", "CPU == 1 || CPU == 3"},
		{"3,80000000", "CPU >= 31 && CPU <= 33"},
		{"380000000", "CPU >= 31 && CPU <= 33"},
		{"1,8", "CPU == 3 || CPU == 32"},
		{"1,0,f", "CPU >= 0 && CPU <= 3 || CPU == 64"},
		{"0", "CPU < 0"},
		{"-1", ""},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct textbuf tb;

		textbuf_init(&tb, 4096);
		cpufilter_fmt(cases[i][0], &tb);
		textbuf_add(&tb, "", 1);
		assert_string_equal(tb.start, cases[i][1]);
		textbuf_release(&tb);
	}
}

/* --- a directory as the kernel's --------------------------------------------------------------- */

static struct tracefs t;

static void put(const char *file, const char *text)
{
	put_text(t.root, file, text);
}

static void expect_file(const char *file, const char *text)
{
	char buf[1024];

	assert_true(tracefs_read_short(&t, "", file, buf, sizeof(buf)) >= 0);
	assert_string_equal(buf, text);
}

static int remove_file(const char *file)
{
	char path[TRACEFS_PATH_MAX];

	return unlink(tracefs_fmt_path(&t, "", file, path));
}

static int make_dir(void **state)
{
	static const char *const dirs[] = {"instances", "events", "options"};
	struct errmsg err = {0};
	char path[256];

	snprintf(path, sizeof(path), "/tmp/sonde-test-capture-XXXXXX");
	if (!mkdtemp(path))
		return -1;
	snprintf(t.root, sizeof(t.root), "%s", path);
	for (size_t i = 0; i < sizeof(dirs) / sizeof(*dirs); i++) {
		char dir[512];

		snprintf(dir, sizeof(dir), "%s/%s", path, dirs[i]);
		if (mkdir(dir, 0700))
			return -1;
	}
	put("trace_clock", "[local] global mono\n");
	setenv("SONDE_TRACEFS", path, 1);
	setenv("SONDE_RUN_DIR", path, 1);
	return tracefs_open(&t, &err);
}

static int remove_dir(void **state)
{
	char command[TRACEFS_PATH_MAX + 16];

	snprintf(command, sizeof(command), "rm -rf '%s'", t.root);
	return system(command);
}

static void settings_come_back_in_the_form_they_are_taken(void **state)
{
	static const struct {
		const char *file, *saved, *now, *expected;
	} rows[] = {
		{"trace_clock", "local [global] mono\n", "[local] global mono\n", "global"},
		{"buffer_size_kb", "7 (expanded: 1408)\n", "4096\n", "1408"},
		{"tracing_on", "1\n", "0\n", "1"},
		{"set_ftrace_pid", "no pid\n", "12\n", ""},
		{"set_ftrace_filter", "#### all functions enabled ####\n", "vfs_read\n", ""},
		{"set_event_pid", "", "12\n13\n", ""},
		{"current_tracer", "nop\n", "function\n", "nop"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		put(rows[i].file, rows[i].now);
		assert_int_equal(setting_restore(&t, "", rows[i].file, rows[i].saved), 0);
		expect_file(rows[i].file, rows[i].expected);
	}
	put("trace_clock", "[local] global mono\n");
}

static void a_journal_puts_back_what_was(void **state)
{
	struct errmsg err = {0};
	struct journal *j;

	put("tracing_on", "1\n");
	put("buffer_size_kb", "100\n");
	assert_int_equal(journal_open(&j, &t, &err), 0);
	assert_int_equal(journal_set(j, "", "tracing_on", "0", TRACEFS_SET, &err), 0);
	assert_int_equal(journal_set(j, "", "buffer_size_kb", "9", TRACEFS_SET, &err), 0);
	assert_int_equal(journal_set(j, "", "buffer_size_kb", "10", TRACEFS_SET, &err), 0);
	assert_int_equal(journal_add_instance(j, "mine", &err), 0);
	assert_true(tracefs_exists(&t, "mine", ""));
	assert_int_equal(journal_add_instance(j, "mine", &err), -EEXIST);
	expect_file("buffer_size_kb", "10");
	assert_int_equal(journal_undo(j, &err), 0);
	journal_close(j);
	expect_file("tracing_on", "1");
	expect_file("buffer_size_kb", "100");
	assert_false(tracefs_exists(&t, "mine", ""));
}

static void what_is_kept_stays(void **state)
{
	struct errmsg err = {0};
	struct journal *j;

	put("buffer_size_kb", "100\n");
	assert_int_equal(journal_open(&j, &t, &err), 0);
	assert_int_equal(journal_set(j, "", "buffer_size_kb", "9", TRACEFS_SET, &err), 0);
	journal_keep(j);
	journal_close(j);
	expect_file("buffer_size_kb", "9");
}

static bool wait_for_file(const char *file, const char *text)
{
	char buf[64];

	for (int i = 0; i < 6000; i++) {
		if (tracefs_read_short(&t, "", file, buf, sizeof(buf)) >= 0 && !strcmp(buf, text))
			return true;
		nanosleep(&(struct timespec){0, 10000000}, NULL);
	}
	return false;
}

/* The owner changes something and is killed; the guardian is not in its process group. */
static void a_guardian_puts_back_what_its_owner_cannot(void **state)
{
	struct errmsg err = {0};
	int ready[2];
	char word;
	pid_t pid;

	put("buffer_size_kb", "100\n");
	assert_int_equal(pipe(ready), 0);
	pid = fork();
	if (!pid) {
		struct journal *j;

		setpgid(0, 0);
		if (journal_open(&j, &t, &err) < 0 ||
		    journal_set(j, "", "buffer_size_kb", "9", TRACEFS_SET, &err) < 0 ||
		    journal_add_instance(j, "his", &err) < 0 || write(ready[1], "r", 1) != 1)
			_exit(1);
		pause();
	}
	assert_int_equal(read(ready[0], &word, 1), 1);
	expect_file("buffer_size_kb", "9");
	kill(-pid, SIGKILL);
	waitpid(pid, NULL, 0);
	assert_true(wait_for_file("buffer_size_kb", "100"));
	for (int i = 0; i < 6000 && tracefs_exists(&t, "his", ""); i++)
		nanosleep(&(struct timespec){0, 10000000}, NULL);
	assert_false(tracefs_exists(&t, "his", ""));
	close(ready[0]);
	close(ready[1]);
}

static void one_at_a_time_has_the_top_level(void **state)
{
	struct errmsg err = {0};
	struct journal *j;
	int pid;

	assert_int_equal(journal_open(&j, &t, &err), 0);
	assert_int_equal(journal_take_top(j, &err), 0);
	pid = fork();
	if (!pid) {
		struct journal *j2;
		int r = journal_open(&j2, &t, &err);

		if (!r)
			r = journal_take_top(j2, &err);
		journal_close(j2);
		_exit(r == -EBUSY && strstr(err.text, "another sonde (pid ") ? 0 : 1);
	}
	assert_int_equal(waitpid(pid, &pid, 0) > 0 ? pid : -1, 0);
	journal_close(j);
}

/* --- text from outside ------------------------------------------------------------------------- */

static bool has_journal(void)
{
	char command[TRACEFS_PATH_MAX + 64];

	snprintf(command, sizeof(command), "ls '%s' | grep -q ^journal", t.root);
	return !system(command);
}

static void a_plan_with_control_characters_is_refused(void **state)
{
	static const char *const options[] = {"-e",	  "-f", "-R", "-B",	"-p",
					      "-C",	  "-l", "-n", "-g",	"--graph-notrace",
					      "--module", "-O", "-P", "--probe"};

	for (size_t i = 0; i < sizeof(options) / sizeof(*options); i++) {
		const char *bad = i % 3 == 2 ? "a\xc2\x9b" : i % 2 ? "a\nb" : "a\x1b]0;b";
		struct errmsg err = {0};
		struct plan p;
		struct plan_buffer *b;

		plan_init(&p);
		if (i == 3)
			plan_add_buffer(&p, bad);
		b = plan_buffer(&p);
		plan_add_event(&p, i ? "sched" : bad, false);
		if (i == 1)
			plan_add_filter(&p, bad, &err);
		if (i == 2)
			plan_add_trigger(&p, bad, &err);
		if (i == 4)
			b->tracer = strdup(bad);
		if (i == 5)
			b->clock = strdup(bad);
		if (i >= 6) {
			struct plan_words *lists[] = {&b->functions,
						      &b->no_functions,
						      &b->graph_functions,
						      &b->no_graph_functions,
						      &b->modules,
						      &b->options,
						      &b->pids,
						      &p.probes};

			plan_words_add(lists[i - 6], bad);
		}
		assert_int_equal(plan_check(&p, &err), -EINVAL);
		assert_non_null(strstr(err.text, options[i]));
		assert_non_null(strstr(err.text, i % 3 == 2 ? "control character 0x9b"
						 : i % 2    ? "a newline"
							    : "an escape character"));
		assert_null(strpbrk(err.text, "\n\x1b"));
		plan_release(&p);
	}
}

/* Whoever calls: a text is one command, a name is one name. */
static void the_tracing_directory_takes_one_command_at_a_time(void **state)
{
	struct errmsg err = {0};
	char path[TRACEFS_PATH_MAX];

	put("dynamic_events", "");
	put("trace_marker", "");
	assert_int_equal(
		tracefs_write(&t, "", "dynamic_events", "p:a b\np:c d", TRACEFS_APPEND, &err),
		-EINVAL);
	assert_non_null(strstr(err.text, "the text for dynamic_events contains a newline"));
	assert_int_equal(tracefs_try_write(&t, "", "dynamic_events", "a\rb", TRACEFS_SET), -EINVAL);
	expect_file("dynamic_events", "");
	assert_int_equal(tracefs_try_write(&t, "", "dynamic_events", "s:x\tint y\n", TRACEFS_SET),
			 0);
	assert_int_equal(tracefs_try_write(&t, "", "trace_marker", "a\nb\n", TRACEFS_SET), 0);
	err = (struct errmsg){0};
	assert_int_equal(tracefs_add_instance(&t, "a\nb", &err), -EINVAL);
	assert_non_null(strstr(err.text, "a newline"));
	assert_string_equal(tracefs_fmt_path(&t, "..", "x", path), "");
	assert_string_equal(tracefs_fmt_path(&t, "a/../..", "x", path), "");
	assert_string_equal(tracefs_fmt_path(&t, "", "events/../../x", path), "");
	assert_string_equal(tracefs_fmt_path(&t, "", "events/..", path), "");
	assert_true(*tracefs_fmt_path(&t, "", "events/a..b/..c", path));
}

/* A name that looks like notes is one name. */
static void names_in_a_journal_are_only_names(void **state)
{
	static const char *const names[] = {"a\nlive b", "two words", "-",
					    "100%",	 "%41",	      "\x7f\x01 "};
	struct notes back = {0};
	struct textbuf tb;

	textbuf_init(&tb, 1 << 16);
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		note_fmt(&tb, NOTE_LIVE, "", names[i], i % 2 ? "fd00:1f:18a" : "");
		note_fmt(&tb, NOTE_FILE, names[i], names[i], "text\ninstance x\n");
	}
	note_fmt(&tb, NOTE_FILE, "", "set_event", "");
	assert_int_equal(notes_parse(tb.start, textbuf_len(&tb), &back), 0);
	assert_int_equal(back.n, 2 * sizeof(names) / sizeof(*names) + 1);
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		assert_int_equal(back.list[2 * i].kind, NOTE_LIVE);
		assert_string_equal(back.list[2 * i].name, names[i]);
		assert_string_equal(back.list[2 * i].text, i % 2 ? "fd00:1f:18a" : "");
		assert_string_equal(back.list[2 * i + 1].instance, names[i]);
		assert_string_equal(back.list[2 * i + 1].name, names[i]);
		assert_string_equal(back.list[2 * i + 1].text, "text\ninstance x\n");
	}
	assert_string_equal(back.list[back.n - 1].instance, "");
	notes_release(&back);
	textbuf_release(&tb);
}

static void a_journal_with_wrong_lengths_is_survived(void **state)
{
	static const char *const texts[] = {"file - set_event 18446744073709551615\nx\n",
					    "file - set_event 99999999999999999999\nx\n",
					    "file - set_event -1\nx\n",
					    "file - set_event 3\nx\n",
					    "file - set_event\nx\n",
					    "file - \n",
					    "file\n",
					    "\n\n \n",
					    "file - set_event 2\nx"};

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		struct notes notes = {0};
		char *copy = strdup(texts[i]); /* ends where the sanitizer sees it */

		assert_int_equal(notes_parse(copy, strlen(copy), &notes), 0);
		assert_int_equal(notes.n, 0);
		free(copy);
	}
}

/* --- what cannot be undone --------------------------------------------------------------------- */

static void what_cannot_be_undone_is_tried_by_the_next(void **state)
{
	struct errmsg err = {0};
	struct journal *j;

	put("buffer_size_kb", "100\n");
	assert_int_equal(journal_open(&j, &t, &err), 0);
	assert_int_equal(journal_set(j, "", "buffer_size_kb", "9", TRACEFS_SET, &err), 0);
	assert_int_equal(journal_add_instance(j, "busy", &err), 0);
	put("instances/busy/file", "in the way\n");
	assert_true(journal_undo(j, &err) < 0);
	assert_non_null(strstr(err.text, "busy"));
	assert_non_null(strstr(err.text, "the next sonde that traces will try again"));
	journal_close(j);
	expect_file("buffer_size_kb", "100");
	assert_true(has_journal());

	/* somebody sets it meanwhile: only what failed is tried again */
	put("buffer_size_kb", "50\n");
	err = (struct errmsg){0};
	assert_int_equal(journals_recover(&t, &err), 1);
	assert_true(err.code < 0);
	assert_true(has_journal());
	assert_int_equal(journal_open(&j, &t, &err), 0);
	assert_non_null(strstr(journal_left(j), "busy"));
	journal_close(j);
	assert_int_equal(remove_file("instances/busy/file"), 0);
	assert_int_equal(journals_recover(&t, &err), 1);
	assert_false(tracefs_exists(&t, "busy", ""));
	assert_false(has_journal());
	expect_file("buffer_size_kb", "50");
}

/* Then every file seems to be gone, and nothing to be put back. */
static void an_unmounted_directory_keeps_the_journal(void **state)
{
	struct errmsg err = {0};
	struct journal *j;

	assert_int_equal(journal_open(&j, &t, &err), 0);
	assert_int_equal(journal_add_instance(j, "mine", &err), 0);
	assert_int_equal(remove_file("trace_clock"), 0);
	assert_int_equal(journal_undo(j, &err), -ENODEV);
	assert_non_null(strstr(err.text, "was unmounted"));
	journal_close(j);
	assert_true(has_journal());
	put("trace_clock", "[local] global mono\n");
	err = (struct errmsg){0};
	assert_int_equal(journals_recover(&t, &err), 1);
	assert_int_equal(err.code, 0);
	assert_false(tracefs_exists(&t, "mine", ""));
	assert_false(has_journal());
}

/* Tasks beyond the largest number, so that none lives: names of the kernel's tracer, of the beginning, of the end. */
static void the_last_name_of_a_task_counts(void **state)
{
	TEXTBUF(earlier, 4096);
	TEXTBUF(last, 4096);
	TEXTBUF(names, 1u << 24);
	char dir[] = "/tmp/sonde-names-XXXXXX", path[64];

	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/saved_cmdlines", dir);
	put_text(dir, "saved_cmdlines", "90000001 sonde\n90000002 make\n");
	textbuf_add_str(&earlier, "90000002 old\n90000003 once\n");
	textbuf_add_str(&last, "90000001 bash\n");
	kernelinfo_read_names(dir, &earlier, &last, &names);
	assert_non_null(
		strstr(textbuf_text(&names), "90000001 bash\n90000002 make\n90000003 once\n"));
	unlink(path);
	rmdir(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(events_keep_their_time_when_put_together),
		cmocka_unit_test(a_full_or_marked_page_stays_alone),
		cmocka_unit_test(the_last_name_of_a_task_counts),
		cmocka_unit_test(filters_belong_to_the_event_before),
		cmocka_unit_test(masks_of_cpus_are_filters),
		cmocka_unit_test(settings_come_back_in_the_form_they_are_taken),
		cmocka_unit_test(a_journal_puts_back_what_was),
		cmocka_unit_test(what_is_kept_stays),
		cmocka_unit_test(a_guardian_puts_back_what_its_owner_cannot),
		cmocka_unit_test(one_at_a_time_has_the_top_level),
		cmocka_unit_test(a_plan_with_control_characters_is_refused),
		cmocka_unit_test(the_tracing_directory_takes_one_command_at_a_time),
		cmocka_unit_test(names_in_a_journal_are_only_names),
		cmocka_unit_test(a_journal_with_wrong_lengths_is_survived),
		cmocka_unit_test(what_cannot_be_undone_is_tried_by_the_next),
		cmocka_unit_test(an_unmounted_directory_keeps_the_journal),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}

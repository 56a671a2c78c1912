// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_request.c - live/request.h: what a request says to the user, and how often; capture/bootline.h.
 */
#include "base/errmsg.h"
#include "base/textbuf.h"
#include "capture/bootline.h"
#include "capture/setup/setup.h"
#include "live/request.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static char heard[1024]; /* all sentences and lines, each with a '|' behind it */

static void hear(const char *text)
{
	size_t len = strlen(heard);

	snprintf(heard + len, sizeof(heard) - len, "%s|", text);
}

static void end_interrupt(int signal, bool ran_command)
{
}

static const struct live_front front = {.tell = hear, .say = hear, .end_interrupt = end_interrupt};

static int set_up(void **state)
{
	static struct live_request o;

	heard[0] = 0;
	*state = &o;
	return live_request_init(&o, &front);
}

static int tear_down(void **state)
{
	live_request_release(*state);
	return 0;
}

/* A count tries the kernel's way first; the second attempt has the same notes and one more. */
static void test_each_note_is_told_once(void **state)
{
	char first[] = "no tracer", second[] = "an event is missing", *texts[] = {first, second};

	live_request_tell_notes(*state, &(struct setup_notes){texts, 1});
	live_request_tell_notes(*state, &(struct setup_notes){texts, 2});
	assert_string_equal(heard, "no tracer|an event is missing|");
}

static void test_quiet_says_nothing(void **state)
{
	struct live_request *o = *state;
	char text[] = "no tracer", *texts[] = {text};

	o->quiet = true;
	live_request_tell_notes(o, &(struct setup_notes){texts, 1});
	live_request_say(o, "recording to %s", "t.dat");
	assert_null(live_request_tell(o));
	assert_string_equal(heard, "");
	o->quiet = false;
	live_request_say(o, "recording to %s", "t.dat");
	assert_ptr_equal(live_request_tell(o), hear);
	assert_string_equal(heard, "recording to t.dat|");
}

static void test_defaults_are_told(void **state)
{
	struct live_request *o = *state;
	struct errmsg err = {0};

	assert_false(plan_does_something(&o->plan));
	assert_int_equal(live_request_add_defaults(o, &err), 0);
	assert_true(plan_does_something(&o->plan));
	assert_int_equal(o->plan.buffers[0].n_events, 3);
	assert_non_null(strstr(heard, "recording sched, irq and raw_syscalls"));
}

static void test_probes_are_the_events_if_nothing_else_is_named(void **state)
{
	struct live_request *o = *state;
	struct errmsg err = {0};

	assert_int_equal(plan_words_add(&o->plan.probes, "p:mine do_exit"), 0);
	assert_int_equal(live_request_add_defaults(o, &err), 0);
	assert_int_equal(o->plan.probes.n, 0);
	assert_int_equal(o->plan.buffers[0].n_events, 1);
	assert_string_equal(o->plan.buffers[0].events[0].pattern, "p:mine do_exit");
	assert_string_equal(heard, "");
}

static void test_output_must_be_a_file(void **state)
{
	struct errmsg err = {0};

	assert_int_equal(live_request_check_output("t.dat", &err), 0);
	assert_true(live_request_check_output("-", &err) < 0);
	assert_non_null(strstr(err.text, "standard output"));
	err = (struct errmsg){0};
	assert_true(live_request_check_output("", &err) < 0);
}

static void test_boot_line_and_what_it_lacks(void **state)
{
	struct live_request *o = *state;
	struct errmsg err = {0};
	struct textbuf tb;

	textbuf_init(&tb, 4096);
	assert_true(bootline_fmt(&o->plan, &tb, hear, &err) < 0);
	err = (struct errmsg){0};
	assert_int_equal(plan_add_event(&o->plan, "sched:sched_switch", false), 0);
	assert_int_equal(plan_add_filter(&o->plan, "prev_prio < 3", &err), 0);
	assert_int_equal(bootline_fmt(&o->plan, &tb, hear, &err), 0);
	textbuf_add(&tb, "", 1);
	assert_string_equal(tb.start, " trace_event=sched:sched_switch");
	assert_string_equal(heard, "the filter 'prev_prio < 3' cannot be set from boot|");
	textbuf_release(&tb);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_each_note_is_told_once),
		TEST(test_quiet_says_nothing),
		TEST(test_defaults_are_told),
		TEST(test_probes_are_the_events_if_nothing_else_is_named),
		TEST(test_output_must_be_a_file),
		TEST(test_boot_line_and_what_it_lacks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

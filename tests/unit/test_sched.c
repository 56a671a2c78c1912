// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_sched.c - waits, sleeps, wakers and chains from arrays of scheduler events: what is certain
 * counts, and nothing else.
 */
/* covers: E07 */
#include "analyse/sched/perfsched.h"
#include "analyse/sched/schedchains.h"
#include "analyse/sched/schedflow.h"
#include "analyse/sched/schedsums.h"
#include "base/errmsg.h"
#include "symbols/tasks.h"
#include "../lib/memtrace.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <cmocka.h>

#define TEXT(name, offset) "\tfield:char " name "[16];\toffset:" offset ";\tsize:16;\tsigned:0;\n"
#define INT(name, offset)  "\tfield:int " name ";\toffset:" offset ";\tsize:4;\tsigned:1;\n"
#define LONG(name, offset) "\tfield:long " name ";\toffset:" offset ";\tsize:8;\tsigned:1;\n"
#define TASK		   TEXT("comm", "8") INT("pid", "24") INT("prio", "28")

enum { SWITCH = 100, WAKING, WAKEUP, NEW, MIGRATE, RUNTIME, STACK = 4 };

static const struct memtrace_format formats_table[] = {
	{"sched", "name: sched_switch\nID: 100" COMMON TEXT("prev_comm", "8") INT("prev_pid", "24")
			  INT("prev_prio", "28") LONG("prev_state", "32") TEXT(
				  "next_comm", "40") INT("next_pid", "56")
				  INT("next_prio", "60") "\nprint fmt: \"%d\", REC->prev_pid\n"},
	{"sched", "name: sched_waking\nID: 101" COMMON TASK "\nprint fmt: \"%d\", REC->pid\n"},
	{"sched", "name: sched_wakeup\nID: 102" COMMON TASK "\nprint fmt: \"%d\", REC->pid\n"},
	{"sched", "name: sched_wakeup_new\nID: 103" COMMON TASK "\nprint fmt: \"%d\", REC->pid\n"},
	{"sched", "name: sched_migrate_task\nID: 104" COMMON TASK INT("orig_cpu", "32")
			  INT("dest_cpu", "36") "\nprint fmt: \"%d\", REC->pid\n"},
	{"sched", "name: sched_stat_runtime\nID: 105" COMMON TEXT("comm", "8") INT("pid", "24")
			  LONG("runtime", "32") "\nprint fmt: \"%d\", REC->pid\n"},
	{"ftrace", "name: kernel_stack\nID: 4" COMMON INT("size", "8")
			   LONG("caller", "16") "\nprint fmt: \"%lx\", REC->caller\n"},
};

#define TURNS_MAX 64

struct fixture {
	uint8_t file[16384];
	struct tracefile *tf;
	struct formats *formats;
	struct schedflow *flow;
	struct schedsums *sums;
	struct schedchains *chains;
	struct perfsched *perf;
	struct sched_turn turns[TURNS_MAX];
	size_t n_turns;
	struct task task;
};

static void take_turn(void *ctx, const struct sched_turn *t)
{
	struct fixture *fx = ctx;
	struct perfsched_times times;

	perfsched_turn(fx->perf, t, true, &times);
	schedsums_add(fx->sums, t);
	schedchains_add(fx->chains, t);
	if (fx->n_turns < TURNS_MAX)
		fx->turns[fx->n_turns++] = *t;
}

static void take_waking(void *ctx, const struct sched_event *ev, struct sched_task *t,
			struct sched_task *waker)
{
	perfsched_waking(((struct fixture *)ctx)->perf, ev, t, true);
}

static int setup(void **state)
{
	struct fixture *fx = calloc(1, sizeof(*fx));
	struct schedsums_config sc = {.n_worst = 3};
	struct schedflow_ops ops = {.turn = take_turn, .waking = take_waking, .ctx = fx};

	if (MEMTRACE_OPEN(fx, formats_table, sizeof(formats_table) / sizeof(*formats_table), "",
			  "") < 0)
		return -1;
	fx->flow = schedflow_new(fx->formats, true, &ops);
	fx->sums = schedsums_new(&sc);
	fx->chains = schedchains_new(false, 8);
	fx->perf = perfsched_new(true, false, -1);
	*state = fx;
	return fx->flow && fx->sums && fx->chains && fx->perf ? 0 : -1;
}

static int teardown(void **state)
{
	struct fixture *fx = *state;

	schedflow_free(fx->flow);
	schedsums_free(fx->sums);
	schedchains_free(fx->chains);
	perfsched_free(fx->perf);
	formats_free(fx->formats);
	tracefile_close(fx->tf);
	free(fx);
	return 0;
}

static void add(struct fixture *fx, int id, uint64_t ts, uint32_t cpu, int flags, uint8_t data[64])
{
	struct record rec = {.ts = ts,
			     .cpu = cpu,
			     .data = data,
			     .size = 64,
			     .flags = (uint16_t)flags,
			     .task = &fx->task,
			     .event = formats_find(fx->formats, id)};

	data[0] = (uint8_t)id;
	fx->task = (struct task){.tgid = -1};
	memcpy(&fx->task.pid, data + 4, 4);
	schedflow_add(fx->flow, &rec);
}

static void name(uint8_t *at, int pid)
{
	snprintf((char *)at, 16, "t%d", pid);
}

/* The task prev leaves the CPU with this state, and next runs. */
static void switches(struct fixture *fx, uint64_t ts, uint32_t cpu, int prev, uint64_t state,
		     int next)
{
	uint8_t data[64] = {0};

	memcpy(data + 4, &prev, 4);
	name(data + 8, prev);
	memcpy(data + 24, &prev, 4);
	memcpy(data + 32, &state, 8);
	name(data + 40, next);
	memcpy(data + 56, &next, 4);
	add(fx, SWITCH, ts, cpu, 0, data);
}

static void wakes_in(struct fixture *fx, int id, uint64_t ts, uint32_t cpu, int by, int pid,
		     int flags, uint8_t common_flags)
{
	uint8_t data[64] = {0};

	data[2] = common_flags;
	memcpy(data + 4, &by, 4);
	name(data + 8, pid);
	memcpy(data + 24, &pid, 4);
	add(fx, id, ts, cpu, flags, data);
}

static void wakes(struct fixture *fx, int id, uint64_t ts, uint32_t cpu, int by, int pid)
{
	wakes_in(fx, id, ts, cpu, by, pid, 0, 0);
}

/* The last turn of a task. */
static const struct sched_turn *last(struct fixture *fx, int pid)
{
	for (size_t i = fx->n_turns; i-- > 0;)
		if (fx->turns[i].task->pid == pid)
			return &fx->turns[i];
	fail_msg("task %d has no turn", pid);
	return NULL;
}

static const struct sched_sum *sum_of(struct fixture *fx, int pid)
{
	struct schedsums_view view = {.orders = {SCHED_BY_MAX}, .n_orders = 1};
	const struct sched_sum *rows;
	size_t n;

	assert_int_equal(schedsums_finish(fx->sums, &view), 0);
	rows = schedsums_rows(fx->sums, &n);
	for (size_t i = 0; i < n; i++)
		if (rows[i].task->pid == pid)
			return &rows[i];
	fail_msg("task %d has no row", pid);
	return NULL;
}

#define S 1
#define D 2
#define X 16

static void a_task_asleep_at_the_start_has_no_wait(void **state)
{
	struct fixture *fx = *state;

	switches(fx, 1000, 0, 1, S, 2);
	switches(fx, 5000, 0, 2, S, 1);
	assert_false(last(fx, 2)->is_wait_sure);
	assert_int_equal(last(fx, 2)->run_ns, 4000);
	assert_int_equal(sum_of(fx, 2)->wait.n, 0);
	assert_int_equal(sum_of(fx, 2)->n_unsure, 1);
	assert_int_equal(sum_of(fx, 2)->n_turns, 1);
}

static void the_first_turn_of_a_cpu_has_no_length(void **state)
{
	struct fixture *fx = *state;

	switches(fx, 1000, 0, 1, 0, 2);
	assert_false(fx->turns[0].is_start_sure);
	assert_int_equal(fx->turns[0].run_ns, 0);
	assert_int_equal(sum_of(fx, 1)->run.n, 0);
}

static void the_first_waking_counts(void **state)
{
	struct fixture *fx = *state;

	switches(fx, 100, 0, 1, S, 2);
	wakes(fx, WAKING, 200, 0, 2, 1);
	wakes(fx, WAKEUP, 210, 0, 2, 1);
	wakes(fx, WAKING, 300, 1, 3, 1);
	switches(fx, 400, 0, 2, S, 1);
	switches(fx, 500, 0, 1, S, 0);
	assert_int_equal(last(fx, 1)->wait_ns, 200);
	assert_int_equal(last(fx, 1)->sleep_ns, 100);
	assert_int_equal(last(fx, 1)->waker->pid, 2);
}

static void woken_on_the_way_to_sleep(void **state)
{
	struct fixture *fx = *state;

	switches(fx, 50, 0, 2, S, 1);
	wakes(fx, WAKING, 90, 1, 3, 1);
	switches(fx, 100, 0, 1, S, 2);
	switches(fx, 150, 0, 2, S, 1);
	switches(fx, 200, 0, 1, S, 2);
	assert_int_equal(last(fx, 1)->wait_ns, 50);
	assert_int_equal(last(fx, 1)->sleep_ns, 0);
	assert_int_equal(last(fx, 1)->waker->pid, 3);
}

static void a_stale_waking_does_not_count(void **state)
{
	struct fixture *fx = *state;

	switches(fx, 40, 0, 2, S, 1);
	wakes(fx, WAKING, 50, 1, 3, 1); /* it went on running */
	switches(fx, 100, 0, 1, S, 2);
	wakes(fx, WAKING, 300, 1, 4, 1);
	switches(fx, 350, 0, 2, S, 1);
	switches(fx, 400, 0, 1, S, 2);
	assert_int_equal(last(fx, 1)->wait_ns, 50);
	assert_int_equal(last(fx, 1)->sleep_ns, 200);
	assert_int_equal(last(fx, 1)->waker->pid, 4);
}

static void a_preempted_task_waits_at_once(void **state)
{
	struct fixture *fx = *state;

	switches(fx, 100, 0, 1, 0, 2);
	switches(fx, 150, 0, 2, S, 1);
	switches(fx, 160, 0, 1, 0x100, 2); /* R+ */
	switches(fx, 260, 0, 2, S, 1);
	switches(fx, 300, 0, 1, S, 2);
	assert_int_equal(last(fx, 1)->wait_ns, 100);
	assert_int_equal(last(fx, 1)->off_state, STATE_PREEMPTED);
	assert_int_equal(sum_of(fx, 1)->n_preempted, 2);
	assert_int_equal(sum_of(fx, 1)->ns[STATE_PREEMPTED], 150);
}

static void a_move_while_runnable_does_not_end_the_wait(void **state)
{
	struct fixture *fx = *state;

	switches(fx, 100, 0, 1, D, 2);
	wakes(fx, WAKING, 200, 0, 2, 1);
	wakes(fx, MIGRATE, 220, 0, 2, 1);
	switches(fx, 260, 1, 0, 0, 1);
	switches(fx, 300, 1, 1, S, 0);
	assert_int_equal(last(fx, 1)->wait_ns, 60);
	assert_int_equal(last(fx, 1)->sleep_ns, 100);
	assert_int_equal(last(fx, 1)->off_state, STATE_BLOCKED);
	assert_true(last(fx, 1)->is_moved);
	assert_int_equal(sum_of(fx, 1)->n_moved, 1);
}

static void a_number_that_is_used_again_is_another_task(void **state)
{
	struct fixture *fx = *state;
	size_t n;

	switches(fx, 100, 0, 1, S, 5);
	switches(fx, 200, 0, 5, X, 1);
	wakes(fx, NEW, 300, 0, 1, 5);
	switches(fx, 350, 0, 1, S, 5);
	switches(fx, 400, 0, 5, S, 0);
	schedflow_tasks(fx->flow, &n);
	assert_int_equal(n, 4); /* 1, 5, 5, idle */
	assert_int_equal(last(fx, 5)->wait_ns, 50);
	assert_true(last(fx, 5)->is_new);
	assert_int_equal(last(fx, 5)->task->ppid, 1);
	assert_int_equal(last(fx, 5)->off_start, 0);
}

static void nothing_counts_across_lost_events(void **state)
{
	struct fixture *fx = *state;
	const struct sched_gap *gaps;
	size_t n;

	switches(fx, 50, 1, 0, 0, 7);
	switches(fx, 100, 0, 1, S, 2);
	wakes(fx, WAKING, 200, 0, 2, 1);
	wakes_in(fx, WAKING, 300, 1, 9, 3, RECORD_MISSED, 0);
	switches(fx, 400, 0, 2, S, 1); /* it may have run on CPU 1 meanwhile */
	switches(fx, 450, 0, 1, S, 2);
	assert_false(last(fx, 1)->is_wait_sure);
	assert_false(last(fx, 1)->is_sleep_sure);
	assert_int_equal(sum_of(fx, 1)->wait.n, 0);
	assert_int_equal(last(fx, 1)->run_ns, 50);
	assert_false(last(fx, 7)->is_end_sure); /* it left CPU 1 unseen */
	gaps = schedflow_gaps(fx->flow, &n);
	assert_int_equal(n, 1);
	assert_int_equal(gaps[0].cpu, 1);
	assert_int_equal(gaps[0].from, 50);
	assert_int_equal(gaps[0].to, 300);
	wakes(fx, WAKING, 500, 0, 2, 1); /* after the gap everything is sure again */
	switches(fx, 520, 0, 2, S, 1);
	switches(fx, 600, 0, 1, S, 2);
	assert_int_equal(last(fx, 1)->wait_ns, 20);
	assert_int_equal(last(fx, 1)->sleep_ns, 50);
}

static void an_unseen_switch_ends_a_turn(void **state)
{
	struct fixture *fx = *state;

	switches(fx, 100, 0, 1, S, 2);
	switches(fx, 200, 0, 3, S, 4); /* 3 came unseen */
	assert_false(last(fx, 2)->is_end_sure);
	assert_false(last(fx, 3)->is_start_sure);
	assert_int_equal(last(fx, 3)->run_ns, 0);
}

struct step {
	int id;
	uint64_t ts;
	uint32_t cpu;
	int by;	 /* the task that runs; of a switch: that leaves, asleep */
	int pid; /* that is woken, or runs next */
};

static void add_steps(struct fixture *fx, const struct step *steps, size_t n)
{
	for (const struct step *p = steps; p < steps + n; p++) {
		if (p->id == SWITCH)
			switches(fx, p->ts, p->cpu, p->by, S, p->pid);
		else
			wakes(fx, p->id, p->ts, p->cpu, p->by, p->pid);
	}
}

#define ADD_STEPS(fx, steps) add_steps(fx, steps, sizeof(steps) / sizeof(*(steps)))

/* perf does not always record switches from the idle task. */
static void an_event_shows_an_unseen_switch(void **state)
{
	static const struct step steps[] = {
		{SWITCH, 100, 1, 1, 0}, {WAKING, 110, 0, 2, 1},
		{WAKING, 180, 1, 1, 3},				/* 1 runs, so it came unseen */
		{WAKING, 290, 0, 2, 1}, {SWITCH, 300, 1, 1, 0}, /* woken on the way to sleep */
		{SWITCH, 360, 1, 4, 1}, {SWITCH, 400, 1, 1, 0},
	};
	struct fixture *fx = *state;

	ADD_STEPS(fx, steps);
	assert_int_equal(sum_of(fx, 1)->wait.n, 1);
	assert_int_equal(last(fx, 1)->wait_ns, 60);
	assert_int_equal(last(fx, 1)->sleep_ns, 0);
	assert_int_equal(last(fx, 1)->waker->pid, 2);
}

static void a_waking_before_an_unseen_switch_is_over(void **state)
{
	static const struct step steps[] = {
		{SWITCH, 100, 1, 1, 0}, {WAKING, 110, 0, 2, 1}, {SWITCH, 300, 1, 1, 0},
		{SWITCH, 360, 1, 4, 1}, {SWITCH, 400, 1, 1, 0},
	};
	struct fixture *fx = *state;

	ADD_STEPS(fx, steps);
	assert_int_equal(sum_of(fx, 1)->wait.n, 0);
	assert_false(last(fx, 1)->is_wait_sure);
}

static void who_runs_at_the_start_can_be_woken_on_the_way_to_sleep(void **state)
{
	static const struct step steps[] = {
		{WAKING, 90, 0, 2, 1},
		{SWITCH, 100, 1, 1, 4}, /* the first event of CPU 1 */
		{SWITCH, 150, 1, 4, 1},
		{SWITCH, 200, 1, 1, 4},
	};
	struct fixture *fx = *state;

	ADD_STEPS(fx, steps);
	assert_int_equal(sum_of(fx, 1)->wait.n, 1);
	assert_int_equal(last(fx, 1)->wait_ns, 50);
	assert_int_equal(last(fx, 1)->waker->pid, 2);
}

static void a_stale_waking_at_the_start_does_not_count(void **state)
{
	static const struct step steps[] = {
		{WAKING, 90, 0, 2, 1},	{SWITCH, 100, 1, 1, 4}, {WAKING, 120, 1, 4, 1},
		{SWITCH, 150, 1, 4, 1}, {SWITCH, 200, 1, 1, 4},
	};
	struct fixture *fx = *state;

	ADD_STEPS(fx, steps);
	assert_int_equal(last(fx, 1)->wait_ns, 30);
	assert_int_equal(last(fx, 1)->sleep_ns, 20);
	assert_int_equal(last(fx, 1)->waker->pid, 4);
}

static void the_end_shows_who_still_waits(void **state)
{
	struct fixture *fx = *state;
	const struct sched_turn *worst;
	size_t n;

	switches(fx, 100, 0, 1, 0, 2);
	switches(fx, 900, 1, 0, 0, 3);
	schedflow_end(fx->flow);
	assert_false(last(fx, 1)->has_run);
	assert_int_equal(last(fx, 1)->wait_ns, 800);
	assert_int_equal(sum_of(fx, 1)->still_waits, 800);
	assert_int_equal(sum_of(fx, 1)->wait.n, 0);
	worst = schedsums_worst(fx->sums, &n);
	assert_int_equal(n, 1);
	assert_int_equal(worst[0].task->pid, 1);
}

static void stacks_belong_to_the_event_before(void **state)
{
	struct fixture *fx = *state;
	uint8_t data[64] = {0};
	uint64_t frames[] = {0x1000, 0x2000, UINT64_MAX};
	int pid = 2;

	switches(fx, 100, 0, 1, S, 2);
	wakes(fx, WAKING, 200, 0, 2, 1);
	memcpy(data + 4, &pid, 4);
	memcpy(data + 16, frames, sizeof(frames));
	add(fx, STACK, 201, 0, 0, data);
	switches(fx, 300, 0, 2, S, 1);
	switches(fx, 400, 0, 1, S, 2);
	assert_non_null(last(fx, 1)->waker_stack);
	assert_int_equal(last(fx, 1)->waker_stack->n, 2);
	assert_int_equal(last(fx, 1)->waker_stack->frames[1], 0x2000);
	assert_null(last(fx, 1)->off_stack);
}

static void chains_go_back_to_an_interrupt(void **state)
{
	struct fixture *fx = *state;
	const struct sched_chain_sum *const *rows;
	size_t n;

	switches(fx, 100, 0, 1, S, 0);
	switches(fx, 110, 1, 2, S, 0);
	wakes_in(fx, WAKING, 200, 0, 0, 1, 0, 8); /* an interrupt */
	switches(fx, 210, 0, 0, 0, 1);
	wakes(fx, WAKING, 220, 0, 1, 2);
	switches(fx, 240, 1, 0, 0, 2);
	switches(fx, 300, 1, 2, S, 0);
	switches(fx, 310, 0, 1, S, 0);
	assert_int_equal(schedchains_finish(fx->chains, CHAINS_BY_WAIT), 0);
	rows = schedchains_rows(fx->chains, &n);
	assert_int_equal(n, 2);
	assert_string_equal(rows[0]->label, "t2 ← t1 ← an interrupt");
	assert_int_equal(rows[0]->wait_ns, 20);
	assert_int_equal(rows[0]->sleep_ns, 110);
	assert_string_equal(rows[1]->label, "t1 ← an interrupt");
}

static void perf_counts_otherwise(void **state)
{
	static const enum sched_order by_max[] = {SCHED_BY_MAX};
	struct fixture *fx = *state;
	const struct perfsched_row *rows;
	size_t n;

	switches(fx, 100, 0, 1, S, 2);
	wakes(fx, WAKING, 200, 0, 2, 1);
	switches(fx, 300, 0, 2, 0, 1);
	switches(fx, 350, 0, 1, S, 2);
	sum_of(fx, 1);
	assert_int_equal(perfsched_finish(fx->perf, fx->sums, true, by_max, 1), 0);
	rows = perfsched_rows(fx->perf, &n);
	assert_int_equal(n, 2);
	/* 2 has a wait of 0 when it comes first, and the preemption; 1 has none: no sched_wakeup */
	assert_int_equal(rows[0].task->pid, 2);
	assert_int_equal(rows[0].n_waits, 2);
	assert_int_equal(rows[0].max_wait, 50);
	assert_int_equal(rows[1].n_waits, 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(a_task_asleep_at_the_start_has_no_wait),
		TEST(the_first_turn_of_a_cpu_has_no_length),
		TEST(the_first_waking_counts),
		TEST(woken_on_the_way_to_sleep),
		TEST(a_stale_waking_does_not_count),
		TEST(a_preempted_task_waits_at_once),
		TEST(a_move_while_runnable_does_not_end_the_wait),
		TEST(a_number_that_is_used_again_is_another_task),
		TEST(nothing_counts_across_lost_events),
		TEST(an_unseen_switch_ends_a_turn),
		TEST(an_event_shows_an_unseen_switch),
		TEST(a_waking_before_an_unseen_switch_is_over),
		TEST(who_runs_at_the_start_can_be_woken_on_the_way_to_sleep),
		TEST(a_stale_waking_at_the_start_does_not_count),
		TEST(the_end_shows_who_still_waits),
		TEST(stacks_belong_to_the_event_before),
		TEST(chains_go_back_to_an_interrupt),
		TEST(perf_counts_otherwise),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

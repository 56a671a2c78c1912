// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_profile.c - times between events, from arrays of them: who they are counted for, what pairs
 * with what, where stacks go, what is different when counting as trace-cmd does.
 *
 * covers: P14 P15 F02 F03 F04 F05 Q04
 */
#include "analyse/profile/profile.h"
#include "../lib/profileformats.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <cmocka.h>

struct fixture {
	uint8_t file[32768];
	struct tracefile *tf;
	struct formats *formats;
	struct tasks tasks;
	struct profile *p;
	uint64_t now;
	uint32_t cpu;
	uint16_t flags;
};

static int setup(void **state)
{
	struct fixture *fx = calloc(1, sizeof(*fx));

	if (MEMTRACE_OPEN(fx, profile_formats, N_PROFILE_FORMATS, profile_kallsyms,
			  "7 bash\n8 cat\n9 cat\n") < 0 ||
	    tasks_init(&fx->tasks, tracefile_text(fx->tf, TRACEFILE_CMDLINES)) < 0)
		return -1;
	*state = fx;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *fx = *state;

	profile_free(fx->p);
	tasks_release(&fx->tasks);
	formats_free(fx->formats);
	tracefile_close(fx->tf);
	free(fx);
	return 0;
}

static int start(struct fixture *fx, const struct profile_config *config)
{
	struct errmsg err = {0};

	return profile_new(&fx->p, fx->formats, &fx->tasks, config, &err);
}

/* Each event is one unit of time after the one before, or when fx->now was set. */
static void feed(struct fixture *fx, int id, int pid, const uint64_t *words, size_t n)
{
	uint8_t data[256] = {0};
	uint16_t id16 = id;
	struct record rec = {.data = data,
			     .size = 8 + n * 8,
			     .ts = fx->now++,
			     .cpu = fx->cpu,
			     .flags = fx->flags};

	memcpy(data, &id16, 2);
	memcpy(data + 4, &pid, 4);
	if (n)
		memcpy(data + 8, words, n * 8);
	rec.event = formats_find(fx->formats, id);
	fx->flags = 0;
	profile_add(fx->p, &rec);
}

#define FEED(fx, id, pid, ...)                       \
	feed(fx, id, pid, (uint64_t[]){__VA_ARGS__}, \
	     sizeof((uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t))

static uint64_t text8(const char *s)
{
	uint64_t v = 0;

	memcpy(&v, s, strlen(s) < 8 ? strlen(s) : 8);
	return v;
}

static void switch_at(struct fixture *fx, uint64_t ts, int prev, uint64_t state, int next)
{
	fx->now = ts;
	FEED(fx, SWITCH, prev, text8(prev ? "prev" : "swapper"), 0, prev, state,
	     text8(next ? "next" : "swapper"), 0, next);
}

static void wake_at(struct fixture *fx, uint64_t ts, int waker, int pid)
{
	fx->now = ts;
	FEED(fx, WAKEUP, waker, text8("woken"), 0, pid);
}

static void describe_row(char *out, size_t size, const struct profile *p,
			 const struct profile_row *r)
{
	static const char *const kinds[] = {"run",     "off",	"wake", "sys",	"hook",	 "irq",
					    "softirq", "raise", "func", "exec", "stack", "other"};
	size_t n = strlen(out);
	char state[32];

	n += snprintf(out + n, size - n, " %s", kinds[r->kind]);
	if (r->kind == PROFILE_SWITCH) {
		profile_state(p, r->value, state);
		n += snprintf(out + n, size - n, ":%s", state);
	} else if (r->kind != PROFILE_RUN && r->kind != PROFILE_WAKEUP) {
		n += snprintf(out + n, size - n, ":%llu", (unsigned long long)r->value);
	}
	n += snprintf(out + n, size - n, "=%llu", (unsigned long long)r->times.n);
	if (r->times.total)
		n += snprintf(out + n, size - n, "/%llu", (unsigned long long)r->times.total);
	if (r->n_stacks)
		n += snprintf(out + n, size - n, "(%zu)", r->n_stacks);
	if (r->n_values)
		snprintf(out + n, size - n, "[%zu]", r->n_values);
}

static void expect(struct fixture *fx, const char *wanted)
{
	char got[2000] = "";
	size_t n_tasks;
	const struct profile_task *const *tasks;

	assert_int_equal(profile_finish(fx->p), 0);
	tasks = profile_tasks(fx->p, &n_tasks);
	for (size_t i = 0; i < n_tasks; i++) {
		size_t n = strlen(got);

		snprintf(got + n, sizeof(got) - n, "%s%s%d:", i ? "; " : "",
			 tasks[i]->is_group  ? "group"
			 : tasks[i]->is_cpu  ? "cpu"
			 : tasks[i]->is_idle ? "idle"
					     : "",
			 tasks[i]->is_group			 ? (int)tasks[i]->n_tasks
			 : tasks[i]->is_idle || tasks[i]->is_cpu ? (int)tasks[i]->cpu
								 : tasks[i]->pid);
		for (size_t k = 0; k < tasks[i]->n_rows; k++)
			describe_row(got, sizeof(got), fx->p, tasks[i]->rows[k]);
	}
	assert_string_equal(got, wanted);
}

static const struct profile_config plain, as_trace_cmd = {.as_trace_cmd = true};

/* --- the scheduler ---------------------------------------------------------------------------- */

static void blocked_woken_running(void **state)
{
	struct fixture *fx = *state;

	start(fx, &plain);
	switch_at(fx, 100, 7, 1, 0);
	wake_at(fx, 150, 0, 7);
	switch_at(fx, 160, 0, 0, 7);
	switch_at(fx, 200, 7, 2, 0);
	wake_at(fx, 203, 0, 7);
	switch_at(fx, 204, 0, 0, 7);
	expect(fx, "7: run=1/40 off:S=1/50 off:D=1/3 wake=2/11; idle0: run=2/64 off:R=1/40");
}

/* trace-cmd takes the flag "preempted" for a state. */
static void preempted_is_not_asleep(void **state)
{
	struct fixture *fx = *state;

	start(fx, &plain);
	switch_at(fx, 100, 7, 256, 8);
	wake_at(fx, 105, 8, 7);
	switch_at(fx, 110, 8, 0, 7);
	expect(fx, "8: run=1/10; 7: off:R+=1/10");
}

static void preempted_as_trace_cmd(void **state)
{
	struct fixture *fx = *state;
	size_t n;

	start(fx, &as_trace_cmd);
	switch_at(fx, 100, 7, 256, 8);
	wake_at(fx, 105, 8, 7);
	switch_at(fx, 110, 8, 0, 7);
	assert_int_equal(profile_finish(fx->p), 0);
	assert_int_equal(profile_tasks(fx->p, &n)[0]->rows[0]->value, 256);
	assert_int_equal(profile_tasks(fx->p, &n)[0]->rows[0]->times.total, 5);
}

static void idle_tasks_are_apart(void **state)
{
	struct fixture *fx = *state;

	start(fx, &plain);
	switch_at(fx, 100, 0, 0, 7);
	fx->cpu = 1;
	switch_at(fx, 110, 0, 0, 8);
	switch_at(fx, 115, 8, 1, 0);
	fx->cpu = 0;
	switch_at(fx, 130, 7, 1, 0);
	expect(fx, "7: run=1/30; 8: run=1/5; idle0: off:R=1/30; idle1: off:R=1/5");
}

static void first_wakeup_counts(void **state)
{
	struct fixture *fx = *state;

	start(fx, &plain);
	wake_at(fx, 100, 0, 7);
	wake_at(fx, 103, 0, 7); /* it is awake already */
	switch_at(fx, 104, 0, 0, 7);
	fx->now = 110;
	FEED(fx, BORN, 7, text8("new"), 0, 9);
	switch_at(fx, 115, 7, 0, 9);
	expect(fx, "7: run=1/11 wake=1/4; 9: wake=1/5; idle0:");
}

static void lost_events_end_nothing(void **state)
{
	struct fixture *fx = *state;

	start(fx, &plain);
	switch_at(fx, 100, 7, 1, 8);
	FEED(fx, ENTER, 8, 5);
	fx->flags = RECORD_MISSED;
	FEED(fx, EXIT, 8, 5);
	switch_at(fx, 150, 8, 1, 7);
	assert_int_equal(profile_n_gaps(fx->p), 1);
	expect(fx, "7:; 8:");
}

/* --- pairs ------------------------------------------------------------------------------------ */

static void system_calls(void **state)
{
	struct fixture *fx = *state;

	start(fx, &plain);
	FEED(fx, ENTER, 7, 60); /* never returns */
	FEED(fx, ENTER, 7, 5);
	fx->now += 9;
	FEED(fx, EXIT, 7, 5);
	FEED(fx, EXIT, 7, 60);
	FEED(fx, ENTER, 7, 1);
	FEED(fx, EXIT, 7, 5); /* of another */
	FEED(fx, EXIT, 7, 1);
	FEED(fx, EXIT_READ, 7, 0); /* the start is not in the trace */
	FEED(fx, ENTER_READ, 7, 0);
	fx->now += 1;
	FEED(fx, EXIT_READ, 7, 0);
	expect(fx, "7: sys:5=1/10 sys:0=1/2");
}

static void unreturned_call_as_trace_cmd(void **state)
{
	struct fixture *fx = *state;

	start(fx, &as_trace_cmd);
	FEED(fx, ENTER, 7, 60);
	FEED(fx, ENTER, 7, 5);
	FEED(fx, EXIT, 7, 5);
	FEED(fx, EXIT, 7, 60);
	expect(fx, "7: sys:60=1/3 sys:5=1/1");
}

/* Raised in one task, run in another; raised twice before it runs. */
static void softirqs_pair_on_the_cpu(void **state)
{
	struct fixture *fx = *state;

	start(fx, &plain);
	FEED(fx, RAISE, 7, 1);
	FEED(fx, RAISE, 7, 1);
	FEED(fx, SOFT_ENTRY, 8, 1);
	FEED(fx, SOFT_EXIT, 8, 1);
	FEED(fx, SOFT_ENTRY, 8, 1);
	fx->now += 9;
	FEED(fx, SOFT_EXIT, 8, 1);
	expect(fx, "8: softirq:1=2/11 raise:1=1/2; 7:");
}

/* Where only some events come, the end of the first may not have been among them. */
static void softirqs_of_a_filter(void **state)
{
	struct fixture *fx = *state;
	const struct profile_config config = {.filtered = true};

	start(fx, &config);
	FEED(fx, RAISE, 7, 1);
	FEED(fx, STACK, 7, 1, 0x1010);
	fx->now = 50;
	FEED(fx, RAISE, 7, 1);
	FEED(fx, STACK, 7, 1, 0x2010);
	FEED(fx, SOFT_ENTRY, 7, 1);
	expect(fx, "7: raise:1=1/2(1)");
}

static void interrupts_belong_to_the_cpu(void **state)
{
	struct fixture *fx = *state;
	const struct profile_config global = {.global = true};
	uint32_t where = 24 | 4u << 16;
	size_t n;

	start(fx, &global);
	fx->cpu = 3;
	FEED(fx, IRQ_ENTRY, 7, 25, where, text8("eth"));
	FEED(fx, IRQ_EXIT, 7, 25);
	FEED(fx, IRQ_ENTRY, 0, 25, where, text8("eth"));
	FEED(fx, IRQ_EXIT, 0, 25);
	switch_at(fx, 100, 7, 1, 0);
	switch_at(fx, 110, 0, 0, 7);
	expect(fx, "cpu3: run=1/10 irq:25=2/2; 7: off:S=1/10");
	assert_string_equal(profile_tasks(fx->p, &n)[0]->rows[1]->name, "eth");
}

static void functions_nest(void **state)
{
	struct fixture *fx = *state;

	start(fx, &plain);
	FEED(fx, GRAPH_ENTRY, 7, 0x1000);
	FEED(fx, GRAPH_ENTRY, 7, 0x1000);
	FEED(fx, GRAPH_EXIT, 7, 0x1000);
	FEED(fx, GRAPH_EXIT, 7, 0x1000);
	FEED(fx, GRAPH_EXIT, 7, 0x1000);
	expect(fx, "7: func:4096=2/4");
}

static void other_events_are_counted(void **state)
{
	struct fixture *fx = *state;
	const struct profile_row *r;
	size_t n;

	start(fx, &plain);
	FEED(fx, FAULT, 7, 0x30);
	FEED(fx, FAULT, 7, 0x20);
	FEED(fx, FAULT, 7, 0x20);
	FEED(fx, NAMED, 7, text8("x"), 0);
	expect(fx, "7: other:0=3[2] other:0=1[1]");
	r = profile_tasks(fx->p, &n)[0]->rows[0];
	assert_int_equal(r->values[0]->value, 0x20);
	assert_int_equal(r->values[0]->times.n, 2);
}

/* --- hooks ------------------------------------------------------------------------------------ */

static struct profile_hook hook(const char *text)
{
	struct profile_hook h = {0};
	struct errmsg err = {0};

	assert_int_equal(profile_hook_parse(&h, text, strlen(text), &err), 0);
	return h;
}

static void hooks_are_read(void **state)
{
	static const char *const bad[] = {"",		"a,b",	    "a/b,c",	   "a,b/c",
					  "a,b/c,d,x",	"a,b,/c,d", "a,b,c,d/e,f", ":,b/c,d",
					  "a,b/c,d,p,g"};
	struct profile_hook h = hook("s:a,b,c/t:d,e,pGs");

	assert_string_equal(h.start_system, "s");
	assert_string_equal(h.start_event, "a");
	assert_string_equal(h.start_match, "b");
	assert_string_equal(h.start_pid, "c");
	assert_string_equal(h.end_system, "t");
	assert_string_equal(h.end_event, "d");
	assert_string_equal(h.end_match, "e");
	assert_true(h.pinned && h.global && h.stack);
	profile_hook_release(&h);
	h = hook("a,b/c,d");
	assert_null(h.start_system);
	assert_null(h.start_pid);
	assert_false(h.pinned || h.global || h.stack);
	profile_hook_release(&h);
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct errmsg err = {0};

		assert_int_equal(profile_hook_parse(&h, bad[i], strlen(bad[i]), &err), -EINVAL);
		assert_non_null(strstr(err.text, "its form is"));
	}
}

/* A hook on an event does not take away the event's own meaning. */
static void hooks_pair(void **state)
{
	struct fixture *fx = *state;
	struct profile_hook hooks[] = {hook("sched_wakeup,pid,pid/sys_enter,id"),
				       hook("page_fault_user,address/named,comm,g")};
	const struct profile_config config = {.hooks = hooks, .n_hooks = 2};

	assert_int_equal(start(fx, &config), 0);
	wake_at(fx, 100, 7, 8);
	FEED(fx, FAULT, 7, 0);
	FEED(fx, NAMED, 8, 0, 0);
	fx->now = 110;
	FEED(fx, ENTER, 8, 8);
	FEED(fx, EXIT, 8, 8);
	switch_at(fx, 120, 7, 0, 8);
	/* the machine's own comes first, and has no pid */
	expect(fx, "-2147483648: hook:0=1/1; 8: wake=1/20 sys:8=1/1 hook:8=1/10; 7:");
	profile_hook_release(&hooks[0]);
	profile_hook_release(&hooks[1]);
}

/* Whom it is about is not who ends it. */
static void hooks_about_others(void **state)
{
	struct fixture *fx = *state;
	struct profile_hook h = hook("sched_wakeup,pid,pid/sched_switch,next_pid,s");
	const struct profile_config config = {.hooks = &h, .n_hooks = 1};

	assert_int_equal(start(fx, &config), 0);
	wake_at(fx, 100, 9, 7);
	FEED(fx, STACK, 9, 1, 0x1010);
	wake_at(fx, 103, 9, 8);
	switch_at(fx, 110, 9, 0, 7);
	switch_at(fx, 120, 7, 0, 8);
	profile_hook_release(&h);
	expect(fx, "7: run=1/10 wake=1/10(1) hook:7=1/10(1); 8: wake=1/17 hook:8=1/17; 9:");
}

static void many_values_are_one_row(void **state)
{
	struct fixture *fx = *state;
	struct profile_hook h = hook("page_fault_user,address/sys_enter,id");
	const struct profile_config config = {.hooks = &h, .n_hooks = 1};

	assert_int_equal(start(fx, &config), 0);
	profile_hook_release(&h);
	for (uint64_t i = 0; i < 9; i++) {
		FEED(fx, FAULT, 7, i);
		FEED(fx, ENTER, 7, i);
	}
	expect(fx, "7: hook:0=9/9[9]");
}

static void hooks_on_what_is_not_there(void **state)
{
	struct fixture *fx = *state;
	struct profile_hook h = hook("nosuch,id/sys_exit,id");
	const struct profile_config config = {.hooks = &h, .n_hooks = 1};

	assert_int_equal(start(fx, &config), -ENOENT);
	h.may_be_absent = true;
	assert_int_equal(start(fx, &config), 0);
	profile_hook_release(&h);
	profile_free(fx->p);
	fx->p = NULL;
	h = hook("sys_enter,nosuch/sys_exit,id");
	assert_int_equal(start(fx, &config), -EINVAL);
	profile_hook_release(&h);
}

/* --- stacks ----------------------------------------------------------------------------------- */

static void stacks_go_to_their_events(void **state)
{
	struct fixture *fx = *state;
	const struct profile_task *const *tasks;
	const struct profile_chain *c;
	struct profile_stack *list;
	size_t n;

	start(fx, &plain);
	switch_at(fx, 100, 7, 1, 8);
	FEED(fx, STACK, 7, 2, 0x1010, 0x2010, UINT64_MAX, 5);
	wake_at(fx, 110, 8, 7);
	FEED(fx, STACK, 8, 2, 0x3010); /* the waker's, for the one woken */
	switch_at(fx, 120, 8, 1, 7);
	FEED(fx, STACK, 8, 2, 0x1010);
	switch_at(fx, 130, 7, 1, 0);
	FEED(fx, STACK, 7, 2, 0x1010, 0x3010);
	wake_at(fx, 160, 0, 7);
	switch_at(fx, 165, 0, 0, 7);
	expect(fx, "8: run=1/20; 7: run=1/10 off:S=2/40(2) wake=2/15(1); idle0: run=1/35");
	tasks = profile_tasks(fx->p, &n);
	c = profile_chains(fx->p, tasks[1]->rows[1], &n);
	assert_int_equal(n, 1);
	assert_int_equal(c->addr, 0x1010);
	assert_int_equal(c->times.total, 40);
	assert_int_equal(c->percent, 100);
	assert_int_equal(c->n_children, 2);
	assert_int_equal(c->children[0].addr, 0x3010);
	assert_int_equal(c->children[0].percent, 75);
	assert_int_equal(c->children[1].times.max_ts, 101);
	list = profile_stacks(fx->p, tasks[1]->rows[1]);
	assert_int_equal(list[0].n_frames, 2);
	assert_int_equal(list[0].times.total, 30);
	free(list);
	assert_memory_equal(profile_function(fx->p, 0x3010, &n), "c", 1);
}

/* The stack of a function comes before its entry. */
static void stacks_of_functions(void **state)
{
	struct fixture *fx = *state;

	start(fx, &plain);
	FEED(fx, STACK, 7, 1, 0x2010);
	FEED(fx, GRAPH_ENTRY, 7, 0x1000);
	FEED(fx, STACK, 7, 1, 0x2010);
	FEED(fx, FAULT, 7, 1); /* so that one was nobody's */
	FEED(fx, GRAPH_EXIT, 7, 0x1000);
	FEED(fx, GRAPH_ENTRY, 7, 0x1000);
	FEED(fx, GRAPH_EXIT, 7, 0x1000);
	expect(fx, "7: func:4096=2/4(1) other:0=1[1]");
}

/* --- the whole -------------------------------------------------------------------------------- */

static void names_make_groups(void **state)
{
	struct fixture *fx = *state;
	const struct profile_config config = {.by_comm = true};
	size_t n;

	start(fx, &config);
	FEED(fx, ENTER, 8, 5);
	FEED(fx, EXIT, 8, 5);
	FEED(fx, ENTER, 9, 5);
	fx->now += 6;
	FEED(fx, EXIT, 9, 5);
	FEED(fx, FAULT, 7, 5);
	expect(fx, "group2: sys:5=2/8; group1: other:0=1[1]");
	assert_string_equal(profile_tasks(fx->p, &n)[0]->comm, "cat");
	assert_int_equal(profile_tasks(fx->p, &n)[0]->rows[0]->times.max, 7);
	assert_int_equal(profile_tasks(fx->p, &n)[0]->rows[0]->times.min, 1);
}

static void exec_gives_a_new_name(void **state)
{
	struct fixture *fx = *state;
	size_t n;

	start(fx, &plain);
	switch_at(fx, 100, 0, 0, 7);
	FEED(fx, EXEC, 7, 7, 7);
	switch_at(fx, 110, 7, 0, 0);
	assert_int_equal(profile_finish(fx->p), 0);
	assert_string_equal(profile_tasks(fx->p, &n)[0]->comm, "prev");
}

static void what_is_missing(void **state)
{
	struct fixture *fx = *state;
	struct profile_missing m;
	char got[500] = "";
	size_t n;

	start(fx, &plain);
	switch_at(fx, 100, 7, 1, 0);
	FEED(fx, FAULT, 7, 1);
	FEED(fx, FAULT, 7, 1);
	FEED(fx, ENTER_READ, 7, 1);
	assert_int_equal(profile_finish(fx->p), 0);
	for (size_t i = 0; profile_next_missing(fx->p, &i, &m);) {
		strncat(got, m.events, sizeof(got) - strlen(got) - 1);
		strncat(got, ",", sizeof(got) - strlen(got) - 1);
	}
	assert_string_equal(got, "sched_wakeup,irq_handler,softirq,function graph,kernel_stack,");
	assert_string_equal(profile_seen(fx->p, &n)[0].event->name, "page_fault_user");
	assert_int_equal(n, 3);
}

/* Records that end before their fields do. */
static void short_records(void **state)
{
	struct fixture *fx = *state;

	start(fx, &plain);
	for (int id = SWITCH; id <= NAMED; id++)
		for (size_t n = 0; n < 3; n++)
			feed(fx, id, 7, (uint64_t[]){1, 2, 3}, n);
	fx->cpu = UINT32_MAX;
	for (int id = SWITCH; id <= NAMED; id++)
		feed(fx, id, 0, (uint64_t[]){1, 2, 3, 4, 5, 6, 7}, 7);
	assert_int_equal(profile_finish(fx->p), 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(blocked_woken_running),
		TEST(preempted_is_not_asleep),
		TEST(preempted_as_trace_cmd),
		TEST(idle_tasks_are_apart),
		TEST(first_wakeup_counts),
		TEST(lost_events_end_nothing),
		TEST(system_calls),
		TEST(unreturned_call_as_trace_cmd),
		TEST(softirqs_pair_on_the_cpu),
		TEST(softirqs_of_a_filter),
		TEST(interrupts_belong_to_the_cpu),
		TEST(functions_nest),
		TEST(other_events_are_counted),
		TEST(hooks_are_read),
		TEST(hooks_pair),
		TEST(hooks_about_others),
		TEST(many_values_are_one_row),
		TEST(hooks_on_what_is_not_there),
		TEST(stacks_go_to_their_events),
		TEST(stacks_of_functions),
		TEST(names_make_groups),
		TEST(exec_gives_a_new_name),
		TEST(what_is_missing),
		TEST(short_records),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

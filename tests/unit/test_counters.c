// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_counters.c - counters from a made-up source at the boundary of perf_event_open(), their sums,
 * scaling, deviations and metrics.
 * covers: E08 E10 E12
 */
#include "analyse/counters/countertable.h"
#include "base/errmsg.h"
#include "capture/perf/counters/counterset.h"
#include "capture/perf/counters/cpulist.h"
#include "capture/perf/events/perfevents.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* A source that notes what it is asked for. */
#define FDS_MAX 64
struct fake {
	struct {
		struct perf_event_attr attr;
		pid_t pid;
		int cpu, group;
		unsigned long flags;
		bool is_open, is_enabled;
	} fds[FDS_MAX];
	int n;
	int refuse;		       /* errno for everything */
	int refuse_kernel;	       /* errno unless exclude_kernel */
	int refuse_guest;	       /* errno if exclude_guest */
	int refuse_group;	       /* errno for members of groups */
	int refuse_config, refuse_why; /* errno for this config */
	pid_t gone;		       /* ESRCH for this thread */
};

static int fake_open(void *ctx, struct perf_event_attr *attr, pid_t pid, int cpu, int group,
		     unsigned long flags)
{
	struct fake *f = ctx;

	if (f->refuse)
		return -f->refuse;
	if (f->refuse_kernel && !attr->exclude_kernel)
		return -f->refuse_kernel;
	if (f->refuse_guest && attr->exclude_guest)
		return -f->refuse_guest;
	if (f->refuse_group && group >= 0)
		return -f->refuse_group;
	if (f->refuse_why && (int)attr->config == f->refuse_config)
		return -f->refuse_why;
	if (f->gone && pid == f->gone)
		return -ESRCH;
	assert_true(f->n < FDS_MAX);
	f->fds[f->n].attr = *attr;
	f->fds[f->n].pid = pid;
	f->fds[f->n].cpu = cpu;
	f->fds[f->n].group = group;
	f->fds[f->n].flags = flags;
	f->fds[f->n].is_open = true;
	return f->n++;
}

static int fake_read(void *ctx, int fd, struct countersource_value *ret)
{
	*ret = (struct countersource_value){
		.value = 100u + (unsigned)fd, .enabled_ns = 2, .running_ns = 1};
	return 0;
}

static int fake_control(void *ctx, int fd, unsigned long request)
{
	((struct fake *)ctx)->fds[fd].is_enabled = request == PERF_EVENT_IOC_ENABLE;
	return 0;
}

static void fake_close(void *ctx, int fd)
{
	struct fake *f = ctx;

	assert_true(f->fds[fd].is_open);
	f->fds[fd].is_open = false;
}

struct bench {
	struct fake fake;
	struct countersource source;
	struct perfevents events;
	struct counterset_config config;
	struct counterset *set;
	struct errmsg err;
};

static const int any_cpu[] = {-1}, two_cpus[] = {0, 1};
static const pid_t all_threads[] = {-1}, two_threads[] = {10, 11};

static int start(struct bench *b, const char *events, bool is_wide)
{
	int r;

	b->source =
		(struct countersource){fake_open, fake_read, fake_control, fake_close, &b->fake};
	assert_true(perfevents_parse_at(&(struct perfevents_place){.sysfs = "/nonexistent"}, events,
					&b->events, &b->err) > 0);
	b->config.source = &b->source;
	b->config.events = &b->events;
	b->config.cpus = is_wide ? two_cpus : any_cpu;
	b->config.n_cpus = is_wide ? 2 : 1;
	b->config.threads = is_wide ? all_threads : two_threads;
	b->config.n_threads = is_wide ? 1 : 2;
	r = counterset_open(&b->set, &b->config, &b->err);
	return r;
}

static void end(struct bench *b)
{
	counterset_free(b->set);
	for (int i = 0; i < b->fake.n; i++)
		assert_false(b->fake.fds[i].is_open);
	perfevents_release(&b->events);
}

static void one_counter_for_each_event_thread_and_cpu(void **state)
{
	struct bench b = {.config.inherits = true, .config.starts_at_exec = true};
	struct countersource_value v;

	assert_int_equal(start(&b, "cycles,cs", false), 0);
	assert_int_equal(counterset_n(b.set), 4);
	assert_int_equal(b.fake.fds[1].pid, 11);
	assert_int_equal(b.fake.fds[1].cpu, -1);
	assert_true(b.fake.fds[0].attr.inherit && b.fake.fds[0].attr.enable_on_exec);
	assert_true(b.fake.fds[0].attr.disabled);
	assert_int_equal(counterset_read(b.set, 2, &v), 0);
	assert_int_equal(v.value, 102);
	assert_int_equal(counterset_at(b.set, 2)->event, 1);
	end(&b);
	b = (struct bench){0};
	assert_int_equal(start(&b, "cycles", true), 0);
	assert_int_equal(b.fake.fds[1].cpu, 1);
	assert_int_equal(b.fake.fds[1].pid, -1);
	assert_int_equal(counterset_enable(b.set, false, &b.err), 0);
	assert_true(b.fake.fds[0].is_enabled && b.fake.fds[1].is_enabled);
	end(&b);
}

static void members_of_a_group_follow_their_leader(void **state)
{
	struct bench b = {0};

	assert_int_equal(start(&b, "{cycles,instructions}:D", true), 0);
	assert_int_equal(counterset_n(b.set), 4);
	assert_int_equal(b.fake.fds[0].group, -1);
	assert_int_equal(b.fake.fds[2].group, 0);
	assert_int_equal(b.fake.fds[3].group, 1);
	assert_true(b.fake.fds[0].attr.pinned && !b.fake.fds[2].attr.pinned);
	assert_true(!b.fake.fds[2].attr.disabled);
	counterset_enable(b.set, false, &b.err);
	assert_true(b.fake.fds[1].is_enabled && !b.fake.fds[2].is_enabled);
	end(&b);
}

static void a_weak_group_is_split(void **state)
{
	struct bench b = {.fake.refuse_group = EINVAL};
	int why;

	assert_int_equal(start(&b, "{cycles,instructions}:W", true), 0);
	assert_true(counterset_has_event(b.set, 1, &why));
	assert_int_equal(counterset_n(b.set), 4);
	end(&b);
	b = (struct bench){.fake.refuse_group = EINVAL};
	assert_int_equal(start(&b, "{cycles,instructions}", true), 0);
	assert_false(counterset_has_event(b.set, 1, &why));
	assert_int_equal(why, -EINVAL);
	end(&b);
}

static void an_event_that_is_not_there_is_left_out(void **state)
{
	struct bench b = {.fake.refuse_config = PERF_COUNT_HW_INSTRUCTIONS,
			  .fake.refuse_why = ENOENT};
	int why;

	assert_int_equal(start(&b, "cycles,instructions", false), 0);
	assert_true(counterset_has_event(b.set, 0, &why));
	assert_false(counterset_has_event(b.set, 1, &why));
	assert_int_equal(why, -ENOENT);
	end(&b);
}

static void rights_and_limits(void **state)
{
	struct bench b = {.fake.refuse_kernel = EACCES};

	/* user mode only, if that is allowed */
	assert_int_equal(start(&b, "cycles", false), 0);
	assert_true(counterset_is_user_only(b.set, 0) && b.fake.fds[0].attr.exclude_kernel);
	end(&b);
	b = (struct bench){.fake.refuse_kernel = EACCES};
	assert_int_equal(start(&b, "cycles:k", false), -EACCES);
	assert_non_null(strstr(b.err.text, "perf_event_paranoid"));
	end(&b);
	b = (struct bench){.fake.refuse = EPERM};
	assert_int_equal(start(&b, "cycles", true), -EPERM);
	end(&b);
	b = (struct bench){.fake.refuse = EMFILE};
	assert_int_equal(start(&b, "cycles", true), -EMFILE);
	assert_non_null(strstr(b.err.text, "ulimit"));
	end(&b);
	/* a PMU that cannot tell guests apart */
	b = (struct bench){.fake.refuse_guest = EINVAL};
	assert_int_equal(start(&b, "cycles", true), 0);
	assert_false(b.fake.fds[0].attr.exclude_guest);
	end(&b);
}

static void a_thread_that_has_exited_is_left_out(void **state)
{
	struct bench b = {.fake.gone = 10};

	assert_int_equal(start(&b, "cycles", false), 0);
	assert_int_equal(counterset_n(b.set), 1);
	end(&b);
	b = (struct bench){.fake.refuse = ESRCH};
	assert_int_equal(start(&b, "cycles", false), -ESRCH);
	end(&b);
}

/*
 * --- the table ----------------------------------------------------------------------------------
 */

static const struct counterevent rows[] = {
	{.name = "task-clock", .scale = 1, .role = COUNTERROLE_CLOCK, .is_supported = true},
	{.name = "cycles", .scale = 1, .role = COUNTERROLE_CYCLES, .is_supported = true},
	{.name = "instructions",
	 .scale = 1,
	 .role = COUNTERROLE_INSTRUCTIONS,
	 .is_supported = true},
	{.name = "branches", .scale = 1, .role = COUNTERROLE_BRANCHES, .is_supported = true},
	{.name = "branch-misses",
	 .scale = 1,
	 .role = COUNTERROLE_BRANCH_MISSES,
	 .is_supported = true},
	{.name = "instructions:u",
	 .scale = 1,
	 .role = COUNTERROLE_INSTRUCTIONS,
	 .mode = 2,
	 .is_supported = true},
	{.name = "LLC-loads", .scale = 1, .role = COUNTERROLE_LL},
};

static struct countertable *make_table(void)
{
	struct countertable *t;

	assert_int_equal(countertable_new(&t, rows, 7), 0);
	return t;
}

static void metrics_of_a_run(void **state)
{
	struct countertable *t = make_table();
	struct countermetric m[COUNTERMETRICS_MAX];
	struct countercell cell;
	int p = countertable_part(t, 0, "", 1);

	countertable_add(t, p, 0, 500000000, 1, 1);
	countertable_add(t, p, 1, 1000000000, 1, 1);
	countertable_add(t, p, 2, 1500000000, 1, 1);
	countertable_add(t, p, 3, 400, 1, 1);
	countertable_add(t, p, 4, 10, 1, 1);
	countertable_add(t, p, 5, 7, 1, 1);
	countertable_end_run(t, 1.0, 0.4, 0.1);
	assert_int_equal(countermetrics_of(t, 0, 0, m), 1);
	assert_true(m[0].value == 0.5 && !strcmp(m[0].unit, "CPUs utilized"));
	assert_int_equal(countermetrics_of(t, 0, 1, m), 1);
	assert_true(m[0].value == 2 && !strcmp(m[0].unit, "GHz"));
	assert_int_equal(countermetrics_of(t, 0, 2, m), 1);
	assert_true(m[0].value == 1.5);
	assert_int_equal(countermetrics_of(t, 0, 4, m), 1);
	assert_true(m[0].value == 2.5 && m[0].is_percent);
	/* cycles of the kernel and of the user are not instructions of the user */
	assert_int_equal(countermetrics_of(t, 0, 5, m), 0);
	countertable_cell(t, 0, 6, &cell);
	assert_int_equal(cell.state, COUNTER_NOT_SUPPORTED);
	assert_true(countertable_has_unsupported(t));
	countertable_free(t);
}

static void shared_counters_are_scaled_one_by_one(void **state)
{
	struct countertable *t = make_table();
	struct countercell cell;
	int p = countertable_part(t, 0, "", 1);

	countertable_add(t, p, 1, 100, 10, 5);	/* 200 */
	countertable_add(t, p, 1, 100, 10, 10); /* 100 */
	countertable_add(t, p, 2, 0, 10, 0);
	countertable_end_run(t, 1, 0, 0);
	countertable_cell(t, 0, 1, &cell);
	assert_true(cell.value == 300 && cell.running_ns == 15 && cell.enabled_ns == 20);
	countertable_cell(t, 0, 2, &cell);
	assert_int_equal(cell.state, COUNTER_NOT_COUNTED);
	countertable_free(t);
}

static void runs_have_a_mean_and_a_deviation(void **state)
{
	struct countertable *t = make_table();
	struct countercell cell;
	struct countertotals totals;
	int p = countertable_part(t, 0, "", 1);

	for (unsigned i = 0; i < 4; i++) {
		countertable_add(t, p, 1, i % 2 ? 90 : 110, 1, 1);
		countertable_end_run(t, 2, 0, 0);
	}
	countertable_cell(t, 0, 1, &cell);
	assert_true(cell.value == 100);
	/* the standard error of 110, 90, 110, 90: sqrt(400 / 3 / 4) */
	assert_true(fabs(cell.deviation - 100 * sqrt(400.0 / 3 / 4) / 100) < 1e-9);
	countertable_totals(t, &totals);
	assert_int_equal(totals.n_runs, 4);
	assert_true(totals.elapsed_s == 2 && totals.elapsed_deviation_s == 0);
	countertable_free(t);
}

static void parts_are_sorted_by_key(void **state)
{
	struct countertable *t = make_table();
	unsigned n;

	countertable_part(t, 3, "CPU3", 1);
	countertable_part(t, 1, "CPU1", 1);
	countertable_part(t, 3, "CPU3", 1);
	assert_int_equal(countertable_n_parts(t), 2);
	assert_string_equal(countertable_label(t, 0, &n), "CPU1");
	countertable_free(t);
}

static void lists_of_cpus(void **state)
{
	struct cpulist list = {0};
	struct errmsg err = {0};

	assert_int_equal(cpulist_parse(&list, "0-2,8,10-14:2", &err), 0);
	assert_int_equal(list.n, 7);
	assert_int_equal(list.cpus[6], 14);
	cpulist_release(&list);
	assert_int_equal(cpulist_parse(&list, "3-1", &err), -EINVAL);
	assert_int_equal(cpulist_parse(&list, "", &err), -EINVAL);
	assert_int_equal(cpulist_parse(&list, "1,,2", &err), -EINVAL);
	assert_int_equal(cpulist_parse(&list, "0-99999999", &err), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_counter_for_each_event_thread_and_cpu),
		cmocka_unit_test(members_of_a_group_follow_their_leader),
		cmocka_unit_test(a_weak_group_is_split),
		cmocka_unit_test(an_event_that_is_not_there_is_left_out),
		cmocka_unit_test(rights_and_limits),
		cmocka_unit_test(a_thread_that_has_exited_is_left_out),
		cmocka_unit_test(metrics_of_a_run),
		cmocka_unit_test(shared_counters_are_scaled_one_by_one),
		cmocka_unit_test(runs_have_a_mean_and_a_deviation),
		cmocka_unit_test(parts_are_sorted_by_key),
		cmocka_unit_test(lists_of_cpus),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

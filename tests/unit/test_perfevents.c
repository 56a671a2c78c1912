// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_perfevents.c - names of events to what perf_event_open() takes, on recorded machines.
 * covers: E08 E09 E10 E12
 */
#include "base/errmsg.h"
#include "capture/perf/events/perfevents.h"
#include "capture/tracefs/tracefs.h"

#include <linux/hw_breakpoint.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "../lib/machines.h"

static char dir[] = "/tmp/sonde-test-perfevents-XXXXXX";
static char roots[3][64];
static const char *const machines[] = {"intel", "arm", "hybrid"};
enum { INTEL, ARM, HYBRID };

static struct tracefs tracefs;
static struct perfevents list;
static struct errmsg err;

static int make_machines(void **state)
{
	static const char *const ids[][2] = {{"sched/sched_switch", "314"},
					     {"sched/sched_waking", "317"},
					     {"sched/sched_wakeup", "316"},
					     {"probe/x", "2001"},
					     {"kmem/u", "400"},
					     {"ftrace/function", "1"}};
	char path[TRACEFS_PATH_MAX + 64];

	if (!mkdtemp(dir))
		return -1;
	for (size_t i = 0; i < 3; i++) {
		snprintf(roots[i], sizeof(roots[i]), "%s/%s", dir, machines[i]);
		machines_unpack(machines[i], roots[i]);
	}
	snprintf(tracefs.root, sizeof(tracefs.root), "%s/tracing", dir);
	for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
		FILE *f;

		snprintf(path, sizeof(path), "%s/events/%s/id", tracefs.root, ids[i][0]);
		machines_make_dirs(path);
		f = fopen(path, "w");
		if (!f)
			return -1;
		fprintf(f, "%s\n", ids[i][1]);
		fclose(f);
	}
	return 0;
}

static int remove_machines(void **state)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -r %s", dir);
	return system(command);
}

static int parse(int machine, const char *text)
{
	struct perfevents_place place = {.sysfs = roots[machine], .tracefs = &tracefs};

	perfevents_release(&list);
	err = (struct errmsg){0};
	return perfevents_parse_at(&place, text, &list, &err);
}

static int clean(void **state)
{
	perfevents_release(&list);
	return 0;
}

static void names_of_every_machine(void **state)
{
	static const struct {
		const char *name;
		uint32_t type;
		uint64_t config;
	} rows[] = {
		{"cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
		{"cpu-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
		{"branches", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS},
		{"idle-cycles-frontend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND},
		{"cs", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES},
		{"faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS},
		{"cpu-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK},
		{"L1-dcache-load-misses", PERF_TYPE_HW_CACHE, 0x10000},
		{"L1-dcache-loads", PERF_TYPE_HW_CACHE, 0},
		{"LLC-store-misses", PERF_TYPE_HW_CACHE, 0x10102},
		{"LLC-prefetches", PERF_TYPE_HW_CACHE, 0x202},
		{"dTLB-loads", PERF_TYPE_HW_CACHE, 3},
		{"iTLB-load-misses", PERF_TYPE_HW_CACHE, 0x10004},
		{"branch-load-misses", PERF_TYPE_HW_CACHE, 0x10005},
		{"node-loads", PERF_TYPE_HW_CACHE, 6},
		{"l1d-read-miss", PERF_TYPE_HW_CACHE, 0x10000},
		{"r1a8", PERF_TYPE_RAW, 0x1a8},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_int_equal(parse(INTEL, rows[i].name), 1);
		assert_int_equal(list.events[0].attr.type, rows[i].type);
		assert_int_equal(list.events[0].attr.config, rows[i].config);
		assert_int_equal(list.events[0].attr.size, sizeof(struct perf_event_attr));
		assert_string_equal(list.events[0].name, rows[i].name);
	}
	assert_int_equal(parse(INTEL, "duration_time"), 1);
	assert_int_equal(list.events[0].tool, PERFEVENTS_DURATION_TIME);
	/* caches that cannot be written to */
	assert_int_equal(parse(INTEL, "iTLB-stores"), -ENOENT);
}

static void terms_fill_the_fields_of_a_pmu(void **state)
{
	static const struct {
		int machine;
		const char *text;
		uint32_t type;
		uint64_t config, config1;
	} rows[] = {
		{INTEL, "cpu/event=0x3c,umask=0x1/", 4, 0x13c, 0},
		{INTEL, "cpu/event=60,inv,cmask=2/", 4, 0x280003c, 0},
		{INTEL, "cpu/mem-loads/", 4, 0x1cd, 3},
		{INTEL, "cpu/mem-loads,ldlat=30/P", 4, 0x1cd, 30},
		{INTEL, "mem-stores", 4, 0x82d0, 0},
		{INTEL, "cpu/r1a8/", 4, 0x1a8, 0},
		{INTEL, "cpu/config=0xc0,config1=7/", 4, 0xc0, 7},
		{INTEL, "cpu/cycles/", 0, 0, 0},
		{INTEL, "cpu/stalls/", 4, 0x18000a2, 0},
		{INTEL, "msr/tsc/", 9, 0, 0},
		{INTEL, "uncore_cha_0/event=1,umask=0x1ff/", 20, 0x10000ff01, 0},
		{INTEL, "uncore_cha_0/for_core,umask=2/", 20, 0x234, 0},
		{ARM, "l2cache_0/total-requests/", 9, 0x200, 0},
		{ARM, "l2cache_0/l2_code=0x12,l2_group=3/", 9, 0x123, 0},
		{ARM, "l2cache_0/cycles/", 9, 0xfe, 0},
		{ARM, "armv8_pmuv3_0/l1d_cache_refill,long/", 8, 3, 1},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_int_equal(parse(rows[i].machine, rows[i].text), 1);
		assert_int_equal(list.events[0].attr.type, rows[i].type);
		assert_int_equal(list.events[0].attr.config, rows[i].config);
		assert_int_equal(list.events[0].attr.config1, rows[i].config1);
	}
	assert_string_equal(list.events[0].cpus, "0-45");
	assert_int_equal(parse(ARM, "l2cache_0/total-requests/"), 1);
	assert_string_equal(list.events[0].cpumask, "0,2,4,6");
	assert_string_equal(list.events[0].pmu, "l2cache_0");
}

static void pmus_alike_give_an_event_each(void **state)
{
	static const char *const texts[] = {"uncore_imc/cas_count_read/", "imc/cas_count_read/",
					    "uncore_imc_*/cas_count_read/", "cas_count_read"};

	for (size_t i = 0; i < 4; i++) {
		assert_int_equal(parse(INTEL, texts[i]), 2);
		assert_int_equal(list.events[0].attr.type, 16);
		assert_int_equal(list.events[1].attr.type, 17);
		assert_string_equal(list.events[1].name, texts[i]);
		assert_string_equal(list.events[1].unit, "MiB");
		assert_true(list.events[1].scale == 6.103515625e-5);
		assert_string_equal(list.events[1].cpumask, "0,18");
		assert_false(list.events[1].attr.exclude_guest);
	}
}

static void a_hybrid_processor_has_two_kinds_of_cycles(void **state)
{
	assert_int_equal(parse(HYBRID, "cycles:u"), 2);
	assert_string_equal(list.events[0].name, "cpu_atom/cycles/");
	assert_int_equal(list.events[0].attr.config, UINT64_C(10) << 32);
	assert_string_equal(list.events[1].cpus, "0-7");
	assert_int_equal(list.events[1].attr.config, UINT64_C(4) << 32);
	assert_true(list.events[1].attr.exclude_kernel);
	assert_int_equal(parse(HYBRID, "cpu_core/cycles/"), 1);
	assert_int_equal(list.events[0].attr.type, PERF_TYPE_HARDWARE);
	assert_int_equal(list.events[0].attr.config, UINT64_C(4) << 32);
}

static void modifiers(void **state)
{
	assert_int_equal(parse(INTEL, "cycles"), 1);
	assert_false(list.events[0].attr.exclude_kernel || list.events[0].attr.exclude_user);
	assert_true(list.events[0].attr.exclude_guest);
	assert_false(list.events[0].has_user_modifier);
	assert_int_equal(parse(INTEL, "cycles:u"), 1);
	assert_true(list.events[0].attr.exclude_kernel && list.events[0].attr.exclude_hv);
	assert_false(list.events[0].attr.exclude_user);
	assert_string_equal(list.events[0].name, "cycles:u");
	assert_int_equal(parse(INTEL, "cycles:kpp,cpu/event=0x3c/u"), 2);
	assert_int_equal(list.events[0].attr.precise_ip, 2);
	assert_true(list.events[0].attr.exclude_user);
	assert_true(list.events[1].attr.exclude_kernel);
	assert_string_equal(list.events[1].name, "cpu/event=0x3c/u");
	assert_int_equal(parse(INTEL, "cycles:G,cycles:H,cycles:D,cycles:P,cycles:e"), 5);
	assert_true(list.events[0].attr.exclude_host && !list.events[0].attr.exclude_guest);
	assert_true(!list.events[1].attr.exclude_host && list.events[1].attr.exclude_guest);
	assert_true(list.events[2].attr.pinned);
	assert_true(list.events[3].is_max_precise);
	assert_true(list.events[4].attr.exclusive);
	assert_int_equal(parse(INTEL, "cycles:y"), -EINVAL);
	assert_non_null(strstr(err.text, "'cycles:y'"));
}

static void groups(void **state)
{
	assert_int_equal(parse(INTEL, "cs,{cycles:k,probe:x , instructions}:Su,faults"), 5);
	assert_int_equal(list.events[0].leader, 0);
	assert_false(list.events[0].in_group);
	for (size_t i = 1; i < 4; i++) {
		assert_int_equal(list.events[i].leader, 1);
		assert_true(list.events[i].in_group && list.events[i].has_leader_sampling);
		assert_false(list.events[i].attr.exclude_user);
	}
	/* a group adds to an event's own modifiers */
	assert_false(list.events[1].attr.exclude_kernel);
	assert_true(list.events[3].attr.exclude_kernel);
	assert_string_equal(list.events[3].name, "instructions");
	assert_int_equal(list.events[4].leader, 4);
	assert_int_equal(parse(INTEL, "{cycles,cs}:D"), 2);
	assert_true(list.events[0].attr.pinned && !list.events[1].attr.pinned);
	assert_int_equal(parse(INTEL, "{cycles,cs"), -EINVAL);
	assert_int_equal(list.n, 0);
}

static void tracepoints(void **state)
{
	assert_int_equal(parse(INTEL, "sched:sched_switch"), 1);
	assert_int_equal(list.events[0].attr.type, PERF_TYPE_TRACEPOINT);
	assert_int_equal(list.events[0].attr.config, 314);
	assert_int_equal(parse(INTEL, "sched:sched_wak*"), 2);
	assert_string_equal(list.events[1].name, "sched:sched_waking");
	assert_string_equal(list.events[0].name, "sched:sched_wakeup");
	assert_int_equal(parse(INTEL, "*:*"), 5);
	assert_int_equal(parse(INTEL, "sched_switch"), 1);
	assert_string_equal(list.events[0].name, "sched:sched_switch");
	assert_int_equal(parse(INTEL, "kmem:u"), 1);
	assert_int_equal(list.events[0].attr.config, 400);
	assert_int_equal(parse(INTEL, "sched:sched_switch/max-stack=3,call-graph=fp/u"), 1);
	assert_int_equal(list.events[0].wish.max_stack, 3);
	assert_string_equal(list.events[0].wish.call_graph, "fp");
	assert_true(list.events[0].attr.exclude_kernel);
}

static void breakpoints(void **state)
{
	assert_int_equal(parse(INTEL, "mem:0x1000/8:w,mem:4096,mem:0x20:x:u"), 3);
	assert_int_equal(list.events[0].attr.bp_addr, 0x1000);
	assert_int_equal(list.events[0].attr.bp_len, 8);
	assert_int_equal(list.events[0].attr.bp_type, HW_BREAKPOINT_W);
	assert_int_equal(list.events[1].attr.bp_type, HW_BREAKPOINT_RW);
	assert_int_equal(list.events[1].attr.bp_len, 4);
	assert_int_equal(list.events[2].attr.bp_len, sizeof(long));
	assert_true(list.events[2].attr.exclude_kernel);
	assert_string_equal(list.events[2].name, "mem:0x20:x:u");
	assert_int_equal(parse(INTEL, "mem:zero"), -EINVAL);
	assert_int_equal(parse(INTEL, "mem:0x1000/3"), -EINVAL);
}

static void terms_of_samples(void **state)
{
	assert_int_equal(parse(INTEL, "cycles/period=1000/,cpu/event=1,freq=99,name='a,b/c'/"), 2);
	assert_int_equal(list.events[0].attr.sample_period, 1000);
	assert_false(list.events[0].attr.freq);
	assert_int_equal(list.events[1].attr.sample_freq, 99);
	assert_true(list.events[1].attr.freq);
	assert_string_equal(list.events[1].name, "a,b/c");
}

static void unknown_names_get_the_nearest(void **state)
{
	static const struct {
		const char *text, *near;
	} rows[] = {
		{"cyles", "'cycles'"},
		{"L1-dcache-load-mises", "'L1-dcache-load-misses'"},
		{"sched:sched_swich", "'sched:sched_switch'"},
		{"sched_swich", "'sched:sched_switch'"},
		{"cpu/evnt=1/", "'event'"},
		{"uncore_imc_0/cas_count_red/", "'cas_count_read'"},
		{"uncore_imc_9/cas_count_read/", "'uncore_imc_0'"},
		{"cas_count_raed", "'cas_count_read'"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_int_equal(parse(INTEL, rows[i].text), -ENOENT);
		if (!strstr(err.text, rows[i].near))
			fail_msg("%s: %s", rows[i].text, err.text);
	}
	assert_int_equal(parse(INTEL, "cpu/umask=0x100/"), -ERANGE);
	assert_int_equal(parse(INTEL, "cpu/event=x/"), -EINVAL);
	assert_int_equal(parse(INTEL, "uncore_cha_0/for_core/"), -EINVAL);
	assert_non_null(strstr(err.text, "umask=NUMBER"));
	assert_int_equal(parse(INTEL, "cpu/event=1"), -EINVAL);
	assert_int_equal(parse(INTEL, ""), -EINVAL);
	assert_int_equal(parse(INTEL, "cycles,,cs"), -EINVAL);
	assert_int_equal(parse(INTEL, "cycles}"), -EINVAL);
	assert_int_equal(parse(INTEL, "nosuch:*"), -ENOENT);
}

static int count_known(void *ctx, const struct perfevents_known *event)
{
	unsigned *n = ctx;

	*n += strcmp(event->name, "uncore_imc_1/cas_count_read/") == 0 ||
	      strcmp(event->name, "context-switches") == 0 ||
	      strcmp(event->name, "node-loads") == 0;
	return 0;
}

static void lists_what_the_machine_has(void **state)
{
	struct perfevents_place place = {.sysfs = roots[INTEL]};
	unsigned n = 0;

	assert_int_equal(perfevents_each(&place, count_known, &n), 0);
	assert_int_equal(n, 3);
	assert_true(perfevents_has_hardware(&place));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(names_of_every_machine, clean),
		cmocka_unit_test_teardown(terms_fill_the_fields_of_a_pmu, clean),
		cmocka_unit_test_teardown(pmus_alike_give_an_event_each, clean),
		cmocka_unit_test_teardown(a_hybrid_processor_has_two_kinds_of_cycles, clean),
		cmocka_unit_test_teardown(modifiers, clean),
		cmocka_unit_test_teardown(groups, clean),
		cmocka_unit_test_teardown(tracepoints, clean),
		cmocka_unit_test_teardown(breakpoints, clean),
		cmocka_unit_test_teardown(terms_of_samples, clean),
		cmocka_unit_test_teardown(unknown_names_get_the_nearest, clean),
		cmocka_unit_test_teardown(lists_what_the_machine_has, clean),
	};

	return cmocka_run_group_tests(tests, make_machines, remove_machines);
}

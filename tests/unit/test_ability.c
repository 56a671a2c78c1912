// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_ability.c - what a kernel can trace, on made-up machines; and the kernel's configuration.
 * covers: X39 X02 Q25 Q19 B06 X34
 */
#include "base/errmsg.h"
#include "capture/kernel/ability/ability.h"
#include "capture/kernel/kconfig.h"
#include "capture/kernel/lockdown.h"
#include "runtime/library.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>
#include <zlib.h>

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#include "../lib/putfile.h"

static char root[64];

static void run(const char *fmt, ...)
{
	char command[600];
	va_list args;

	va_start(args, fmt);
	vsnprintf(command, sizeof(command), fmt, args);
	va_end(args);
	assert_int_equal(system(command), 0);
}

static void put(const char *path, const char *text)
{
	put_text(root, path, text);
}

static void put_config(const char *text)
{
	char full[512];
	gzFile file;

	snprintf(full, sizeof(full), "%s/proc/config.gz", root);
	file = gzopen(full, "w");
	assert_non_null(file);
	gzputs(file, text);
	gzclose(file);
}

static int set_up(void **state)
{
	char tracefs[128];

	snprintf(root, sizeof(root), "/tmp/sonde-test-ability-XXXXXX");
	assert_non_null(mkdtemp(root));
	run("mkdir -p %s/proc/sys/kernel %s/sys/kernel/security %s/t/instances %s/t/options "
	    "%s/t/events/sched/sched_switch %s/boot",
	    root, root, root, root, root, root);
	put("t/trace_clock", "[local] global mono\n");
	put("t/available_tracers", "irqsoff function nop\n");
	put("t/available_filter_functions", "vfs_read\nvfs_write\n");
	put("t/available_events", "sched:sched_switch\nsched:sched_waking\n");
	put("t/README", "e[:[<group>/][<event>]] <attached-group>\n");
	put("t/events/sched/sched_switch/filter", "none\n");
	put("proc/sys/kernel/ftrace_enabled", "1\n");
	put("proc/sys/kernel/kptr_restrict", "2\n");
	put("proc/kallsyms", "0000000000000000 T _stext\n0000000000000000 T panic\n");
	snprintf(tracefs, sizeof(tracefs), "%s/t", root);
	setenv("SONDE_TRACEFS", tracefs, 1);
	return 0;
}

static int tear_down(void **state)
{
	run("rm -r %s", root);
	return 0;
}

static void check(const char *name, enum ability_answer answer, const char *why, const char *remedy)
{
	struct errmsg err = {0};
	struct abilities a;
	const struct ability *row;

	assert_int_equal(abilities_probe(&a, root, &err), 0);
	row = abilities_find(&a, name);
	assert_non_null(row);
	assert_int_equal(row->answer, answer);
	assert_string_equal(row->why, why);
	assert_string_equal(row->remedy, remedy);
	abilities_release(&a);
}

static void configuration_is_found_and_read(void **state)
{
	struct kconfig k;
	struct utsname u;
	char path[128];

	kconfig_read(&k, root, "6.1");
	assert_int_equal(kconfig_get(&k, "CONFIG_KVM"), '?');
	kconfig_release(&k);
	put("boot/config-6.1", "# CONFIG_A is not set\nCONFIG_AB=y\nCONFIG_KVM=m\nX_CONFIG_A=y\n");
	kconfig_read(&k, root, "6.1");
	assert_int_equal(kconfig_get(&k, "CONFIG_A"), 'n');
	assert_int_equal(kconfig_get(&k, "CONFIG_AB"), 'y');
	assert_int_equal(kconfig_get(&k, "CONFIG_KVM"), 'm');
	assert_int_equal(kconfig_get(&k, "CONFIG_NONE"), 'n');
	kconfig_release(&k);
	/* the kernel itself knows best */
	put_config("CONFIG_A=y\n");
	kconfig_read(&k, root, "6.1");
	assert_int_equal(kconfig_get(&k, "CONFIG_A"), 'y');
	assert_int_equal(kconfig_get(&k, "CONFIG_AB"), 'n');
	snprintf(path, sizeof(path), "%s/proc/config.gz", root);
	assert_string_equal(k.path, path);
	kconfig_release(&k);
	assert_int_equal(uname(&u), 0);
}

static void tracers_and_files_are_looked_up(void **state)
{
	check("irqsoff", ABILITY_YES, "", "");
	check("function", ABILITY_YES, "2 functions", "");
	check("events", ABILITY_YES, "2 events", "");
	check("filters", ABILITY_YES, "", "");
	check("clocks", ABILITY_YES, "global local mono", "");
	check("mono", ABILITY_YES, "", "");
	check("eprobes", ABILITY_YES, "", "");
	check("ftrace-enabled", ABILITY_YES, "on", "");
	put("proc/sys/kernel/ftrace_enabled", "0\n");
	check("ftrace-enabled", ABILITY_NO,
	      "the master switch of function tracing is off (ftrace_enabled is 0): no function is "
	      "traced, even if tracing_on is 1",
	      "sysctl kernel.ftrace_enabled=1");
}

static void a_no_says_why(void **state)
{
	check("hwlat", ABILITY_NO,
	      "the tracer is missing; the kernel seems to be built without CONFIG_HWLAT_TRACER",
	      "a kernel with CONFIG_HWLAT_TRACER=y");
	put_config("# CONFIG_HWLAT_TRACER is not set\nCONFIG_TRACER_SNAPSHOT=y\n");
	check("hwlat", ABILITY_NO, "the kernel is built without CONFIG_HWLAT_TRACER",
	      "a kernel with CONFIG_HWLAT_TRACER=y");
	check("buffer-percent", ABILITY_NO,
	      "buffer_percent is missing: this kernel is too old for it", "a newer kernel");
	check("x86-tsc", ABILITY_NO, "the clock is missing",
	      "use the clock mono; only x86 has this one");
	if (!geteuid())
		check("kallsyms", ABILITY_NO,
		      "the addresses in /proc/kallsyms are hidden (kptr_restrict is 2)",
		      "sysctl kernel.kptr_restrict=1");
}

static void lockdown_says_what_it_forbids(void **state)
{
	static const struct {
		const char *text, *level;
		bool no_tracing, no_debugfs;
	} rows[] = {
		{"[none] integrity confidentiality\n", "none", false, false},
		{"none [integrity] confidentiality\n", "integrity", false, true},
		{"none integrity [confidentiality]\n", "confidentiality", true, true},
		{"", "", false, false},
	};
	struct lockdown l;

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct errmsg tracing = {0}, debugfs = {0};

		put("sys/kernel/security/lockdown", rows[i].text);
		lockdown_read(&l, root);
		assert_string_equal(l.level, rows[i].level);
		assert_int_equal(lockdown_forbids_tracing(&l), rows[i].no_tracing);
		assert_int_equal(lockdown_forbids_debugfs(&l), rows[i].no_debugfs);
		lockdown_refuse_tracing(&l, -EPERM, &tracing);
		if (rows[i].no_tracing)
			assert_non_null(
				strstr(tracing.text, "boot without lockdown=confidentiality"));
		assert_int_equal(lockdown_refuse_debugfs(&l, "/d/inject", -EPERM, &debugfs),
				 -EPERM);
		if (rows[i].no_debugfs)
			assert_non_null(strstr(debugfs.text,
					       "which forbids access to /d/inject even for root"));
	}
	put("proc/cmdline", "quiet lockdown=integrity root=/dev/sda\n");
	lockdown_read(&l, root);
	assert_string_equal(l.level, "integrity");
}

static void nothing_is_left_behind(void **state)
{
	struct errmsg err = {0};
	struct abilities a;
	char path[128];

	/* of a process that cannot exist: pid_max is 4 194 304 */
	run("mkdir %s/t/instances/sonde.doctor.5000000 %s/t/instances/mine", root, root);
	put("sys/kernel/security/lockdown", "none [integrity] confidentiality\n");
	assert_int_equal(abilities_probe(&a, root, &err), 0);
	assert_string_equal(a.lockdown, "integrity");
	assert_int_equal(abilities_refuse(&a, "functoin", &err), -EINVAL);
	assert_non_null(strstr(err.text, "did you mean function;"));
	abilities_release(&a);
	snprintf(path, sizeof(path), "%s/t/instances/mine", root);
	assert_int_equal(rmdir(path), 0);
	snprintf(path, sizeof(path), "%s/t/instances", root);
	assert_int_equal(rmdir(path), 0); /* it is empty */
	check("instances", ABILITY_NO,
	      "instances is missing; the kernel seems to be built without CONFIG_TRACING",
	      "a kernel with CONFIG_TRACING=y");
}

static void no_directory_no_answer(void **state)
{
	setenv("SONDE_TRACEFS", "/none", 1);
	check("tracefs", ABILITY_NO, "SONDE_TRACEFS names /none, which is not a tracing directory",
	      geteuid() ? "run sonde as root" : "");
	check("events", ABILITY_UNKNOWN, "there is no tracing directory", "");
	put_config("# CONFIG_HWLAT_TRACER is not set\n");
	check("hwlat", ABILITY_NO, "the kernel is built without CONFIG_HWLAT_TRACER",
	      "a kernel with CONFIG_HWLAT_TRACER=y");
}

static void attaching_depends_on_the_system(void **state)
{
	if (!runtime_attached_bytes)
		skip();
	run("mkdir -p %s/proc/sys/kernel/yama", root);
	put("proc/sys/kernel/yama/ptrace_scope", "3\n");
	check("user-attach", ABILITY_NO,
	      "nobody may attach to processes (kernel.yama.ptrace_scope is 3)",
	      "start the machine with ptrace_scope 0 to 2, or start the program with sonde");
	put("proc/sys/kernel/yama/ptrace_scope", "1\n");
	if (geteuid())
		check("user-attach", ABILITY_NO,
		      "only root may attach (kernel.yama.ptrace_scope is 1)",
		      "run sonde as root, or sysctl kernel.yama.ptrace_scope=0");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(configuration_is_found_and_read, set_up, tear_down),
		cmocka_unit_test_setup_teardown(tracers_and_files_are_looked_up, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_no_says_why, set_up, tear_down),
		cmocka_unit_test_setup_teardown(lockdown_says_what_it_forbids, set_up, tear_down),
		cmocka_unit_test_setup_teardown(nothing_is_left_behind, set_up, tear_down),
		cmocka_unit_test_setup_teardown(no_directory_no_answer, set_up, tear_down),
		cmocka_unit_test_setup_teardown(attaching_depends_on_the_system, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

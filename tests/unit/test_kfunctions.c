// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_kfunctions.c - which functions can be traced and why not, on a made-up kernel.
 * covers: Q13 Q19 X09 X10 X12 X13 B06
 */
#include "base/errmsg.h"
#include "capture/kernel/functions/functions.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

static const char list[] = "vfs_read\nvfs_write\nkfree\n__sysvec_apic_timer_interrupt\n"
			   "__common_interrupt\n__x64_sys_read\n__x64_sys_write\n"
			   "finish_task_switch.isra.0\nshrink_node.cold\nshrink_node.constprop.0\n"
			   "submit_bio_noacct\n__ftrace_invalid_address___64\n"
			   "kmem_cache_alloc_noprof\ne1000_intr [e1000]\ne1000_open [e1000]\n"
			   "do_bad_area.part.0\nschedule_timeout\n";

static const char symbols[] = "0000000000001000 T _sinittext\n0000000000001010 t early_thing\n"
			      "0000000000002000 T _einittext\n"
			      "0000000000003000 T __noinstr_text_start\n"
			      "0000000000003010 T exc_nmi\n0000000000004000 T __noinstr_text_end\n"
			      "0000000000005000 T vfs_read\n0000000000005100 t schedule_timeouts\n"
			      "0000000000005200 t secret_one\n0000000000005300 t secret_two\n"
			      "0000000000005400 T get_kprobe\n0000000000006000 D jiffies\n"
			      "0000000000007000 t e1000_intr\t[e1000]\n";

/* A function "inlined_one" and an int of the name "int". */
static const unsigned char btf[] =
	"\x9f\xeb\x01\x00\x18\x00\x00\x00\x00\x00\x00\x00\x1c\x00\x00\x00\x1c\x00\x00\x00\x11\x00"
	"\x00\x00"
	"\x01\x00\x00\x00\x00\x00\x00\x01\x04\x00\x00\x00\x20\x00\x00\x01"
	"\x05\x00\x00\x00\x00\x00\x00\x0c\x01\x00\x00\x00"
	"\0int\0inlined_one";

static char dir[] = "/tmp/sonde-test-functions-XXXXXX";
static char paths[5][256];
static struct tracefs tracefs;
static struct kfunctions_paths where;

static const char *put(char *path, const char *name, const void *bytes, size_t len)
{
	FILE *file;

	snprintf(path, 256, "%s/%s", dir, name);
	file = fopen(path, "w");
	assert_non_null(file);
	fwrite(bytes, 1, len, file);
	fclose(file);
	return path;
}

static void put_text(const char *name, const char *text)
{
	char path[256];

	put(path, name, text, strlen(text));
}

static int set_up(void **state)
{
	assert_non_null(mkdtemp(dir));
	put_text("trace_clock", "[local]\n");
	put_text("available_filter_functions", list);
	put_text("modules.symbols", "# Aliases\nalias symbol:usb_submit_urb usbcore\n"
				    "alias symbol:e1000_helper e1000\n");
	put_text("modules.dep", "kernel/net/ne2k-pci.ko.xz: kernel/net/8390.ko.xz\n"
				"kernel/net/8390.ko.xz:\n");
	where.kallsyms = put(paths[0], "kallsyms", symbols, sizeof(symbols) - 1);
	where.blacklist = put(paths[1], "blacklist", "0x5400-0x5410\tget_kprobe\n", 25);
	where.btf = put(paths[2], "btf", btf, sizeof(btf));
	where.loaded = put(paths[3], "modules", "e1000 151552 0 - Live 0x0\n", 26);
	where.modules = dir;
	snprintf(tracefs.root, sizeof(tracefs.root), "%s", dir);
	return 0;
}

static int tear_down(void **state)
{
	static const char *const names[] = {"trace_clock",
					    "available_filter_functions",
					    "modules.symbols",
					    "modules.dep",
					    "kallsyms",
					    "blacklist",
					    "btf",
					    "modules"};
	char path[256];

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, names[i]);
		unlink(path);
	}
	return rmdir(dir);
}

static void check_refused(const char *pattern, const char *sentence)
{
	struct kfunctions *f = kfunctions_new(&tracefs, &where);
	struct errmsg err = {0};

	assert_int_equal(kfunctions_check(f, pattern, &err), -ENOENT);
	assert_string_equal(err.text, sentence);
	kfunctions_free(f);
}

static void patterns_are_the_kernels(void **state)
{
	static const struct {
		const char *pattern;
		int n;
	} cases[] = {{"vfs_read", 1},
		     {"vfs_*", 2},
		     {"*_write", 2},
		     {"*sys*", 3},
		     {"v*e", 1},
		     {"vfs_rea?", 1},
		     {"e1000_intr", 1},
		     {":mod:e1000", 2},
		     {"*open:mod:e1*", 1},
		     {"!vfs_read", 1},
		     {"vfs_read:traceoff:3", 1},
		     {"*", 16}, /* the hook without a function is not counted */
		     {"kf[qr]ee", 1}};
	struct kfunctions *f = kfunctions_new(&tracefs, &where);
	struct errmsg err = {0};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		assert_int_equal(kfunctions_check(f, cases[i].pattern, &err), cases[i].n);
	assert_int_equal(kfunctions_check(f, "", &err), -EINVAL);
	kfunctions_free(f);
}

static void renamed_functions_are_found(void **state)
{
	static const char *const cases[][2] = {
		{"vfs_read", "vfs_read"},
		{"smp_apic_timer_interrupt", "__sysvec_apic_timer_interrupt"},
		{"do_IRQ", "__common_interrupt"},
		{"SyS_read", "__x64_sys_read"},
		{"sys_write", "__x64_sys_write"},
		{"sys_*", "__x64_sys_*"},
		{"generic_make_request", "submit_bio_noacct"},
		{"md_make_request", "submit_bio_noacct"},
		{"finish_task_switch", "finish_task_switch.isra.0"},
		{"shrink_node", "shrink_node.constprop.0"},
		{"do_bad_area.part.1", "do_bad_area.part.0"},
		{"kmem_cache_alloc", "kmem_cache_alloc_noprof"},
		{"no_such_thing", NULL},
		{"", NULL},
	};
	struct kfunctions *f = kfunctions_new(&tracefs, &where);

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const char *now = kfunctions_substitute(f, cases[i][0]);

		if (cases[i][1])
			assert_string_equal(now, cases[i][1]);
		else
			assert_null(now);
	}
	kfunctions_free(f);
}

static void every_reason_has_its_sentence(void **state)
{
	static const char *const cases[][2] = {
		{"do_IRQ", "this kernel has no function do_IRQ; __common_interrupt does its work"},
		{"finish_task_switch",
		 "there is no separate function finish_task_switch: the compiler turned it into "
		 "finish_task_switch.isra.0; trace that"},
		{"jiffies", "jiffies is data, not a function"},
		{"early_thing", "early_thing cannot be traced: it ran only while the kernel booted "
				"(__init)"},
		{"exc_nmi", "exc_nmi cannot be traced: tracing would break it there (noinstr)"},
		{"get_kprobe", "get_kprobe cannot be traced: it is marked NOKPROBE and notrace, "
			       "because the tracer uses it"},
		{"secret_one", "secret_one cannot be traced: the kernel is built without the hook "
			       "there (notrace, or assembler)"},
		{"schedule_timeouts",
		 "schedule_timeouts cannot be traced: the kernel is built without the hook there "
		 "(notrace, or assembler); the nearest traceable function is schedule_timeout"},
		{"inlined_one",
		 "inlined_one cannot be traced: the compiler inlined it into all its callers; "
		 "trace one of those"},
		{"usb_submit_urb",
		 "usb_submit_urb is in the module usbcore, which is not loaded (modprobe usbcore)"},
		{"ne2k_pci_open", "there is no function ne2k_pci_open now; it may be in the module "
				  "ne2k-pci, which is not loaded (modprobe ne2k-pci)"},
		{"vsf_read", "this kernel has no function vsf_read; the nearest traceable "
			     "function is vfs_read"},
		{"__vfs_reads",
		 "this kernel has no function __vfs_reads; the nearest traceable function is "
		 "vfs_read"},
		{"no_such_thing", "this kernel has no function no_such_thing"},
		{"secret_*", "none of the 2 functions that match 'secret_*' can be traced: the "
			     "kernel is built without the hook there (notrace, __init, or "
			     "assembler)"},
		{"sys_*", "no function of this kernel matches 'sys_*'; here the name is "
			  "'__x64_sys_*'"},
		{"nothing*", "no function of this kernel matches 'nothing*'"},
		{":mod:xfs", "the module xfs is not loaded (modprobe xfs)"},
		{"zzz*:mod:e1000",
		 "no function of the module e1000 that can be traced matches zzz*"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		check_refused(cases[i][0], cases[i][1]);
}

/* What a kernel without the function tracer, or with broken files beside it, is told. */
static void missing_files_are_no_trouble(void **state)
{
	struct kfunctions_paths nowhere = {"/none", "/none", "/none", "/none", "/none"};
	struct tracefs empty = {.root = "/none"};
	struct kfunctions *f = kfunctions_new(&tracefs, &nowhere);
	struct errmsg err = {0};

	assert_int_equal(kfunctions_check(f, "jiffies", &err), -ENOENT);
	assert_string_equal(err.text, "this kernel has no function jiffies");
	kfunctions_free(f);
	f = kfunctions_new(&empty, &nowhere);
	err.code = 0;
	assert_int_equal(kfunctions_check(f, "vfs_read", &err), -ENOENT);
	assert_non_null(strstr(err.text, "CONFIG_FUNCTION_TRACER"));
	assert_null(kfunctions_substitute(f, "vfs_read"));
	kfunctions_free(f);
	/* symbols alone are enough to find another name */
	f = kfunctions_new(&empty, &where);
	assert_string_equal(kfunctions_substitute(f, "vfs_read"), "vfs_read");
	kfunctions_free(f);
}

static int add_name(void *ctx, const char *name)
{
	char *all = ctx;

	snprintf(all + strlen(all), 100 - strlen(all), "%s ", name);
	return strcmp(name, "__x64_sys_write") ? 0 : -ECANCELED;
}

static void each_match_is_visited(void **state)
{
	struct kfunctions *f = kfunctions_new(&tracefs, &where);
	struct errmsg err = {0};
	char all[100] = "";

	assert_int_equal(kfunctions_each(f, "*read", add_name, all, &err), 2);
	assert_string_equal(all, "vfs_read __x64_sys_read ");
	assert_int_equal(kfunctions_each(f, "*write", add_name, all, &err), -ECANCELED);
	kfunctions_free(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(patterns_are_the_kernels),
		cmocka_unit_test(renamed_functions_are_found),
		cmocka_unit_test(every_reason_has_its_sentence),
		cmocka_unit_test(missing_files_are_no_trouble),
		cmocka_unit_test(each_match_is_visited),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_probes.c - probes in a made-up tracing directory: which kinds the kernel has, which are defined, how
 * often they were hit, which a glob means.
 * covers: D02 D15
 */
#include "base/errmsg.h"
#include "capture/tracefs/probes.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <cmocka.h>

#include "../lib/putfile.h"

/* As Linux 6.1 has it. */
static const char readme[] =
	"  dynamic_events\t\t- Create/append/remove/show the generic dynamic events\n"
	"  kprobe_events\t\t- Create/append/remove/show the kernel dynamic events\n"
	"\t   Format: p[:[<group>/][<event>]] <place> [<args>]\n"
	"\t           r[maxactive][:[<group>/][<event>]] <place> [<args>]\n"
	"\t           -:[<group>/][<event>]\n"
	"\t    place: <path>:<offset>[(ref_ctr_offset)]\n"
	"\t fetcharg: (%<register>|$<efield>), @<address>, @<symbol>[+|-<offset>],\n"
	"\t           $stack<index>, $stack, $retval, $comm, $arg<N>,\n"
	"\t           +|-[u]<offset>(<fetcharg>), \\imm-value, \\\"imm-string\"\n"
	"\t     type: s8/16/32/64, u8/16/32/64, x8/16/32/64, string, symbol,\n"
	"\t           b<bit-width>@<bit-offset>/<container-size>, ustring,\n"
	"\t           <type>\\[<array-size>\\]\n"
	"\t    Format: hist:keys=<field1[,field2,...]>[:values=...]\n";

static const char events[] = "p:probe/vfs_read vfs_read count=%dx:u64\n"
			     "p:other/vfs_read vfs_read+8\n"
			     "r4:probe/vfs_read__return vfs_read ret=$retval:s64\n"
			     "s:wakeup_lat u64 lat\n"
			     "p:probe_a/work /tmp/a:0x1139 n=%di:s32\n"
			     "p:probe_a/work /tmp/a:0x1150 n=%di:s32\n"
			     "e:eprobes/sw sched.sched_switch a=$next_pid\n"
			     "p:sonde_77/vfs_read vfs_read\n"
			     "f:probe/vfs_write vfs_write count=$arg3:u64\n"
			     "f4096:probe/vfs_write__return vfs_write%return ret=$retval:s64\n";

static char dir[] = "/tmp/sonde-test-probes-XXXXXX";
static struct tracefs t;

static void put(const char *name, const char *text)
{
	put_text(dir, name, text);
}

static void make_dir(const char *name)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	assert_int_equal(mkdir(path, 0700), 0);
}

static int set_up(void **state)
{
	if (!mkdtemp(dir))
		return -1;
	snprintf(t.root, sizeof(t.root), "%s", dir);
	put("README", readme);
	put("dynamic_events", events);
	put("kprobe_events", "");
	put("kprobe_profile", "  vfs_read                    12               1\n"
			      "  vfs_read                     7               0\n"
			      "  vfs_read__return             3               2\n"
			      "  vfs_read                   100               0\n");
	put("uprobe_profile",
	    "  /tmp/a work                 40\n  /tmp/a work                  2\n");
	make_dir("instances");
	make_dir("instances/x");
	make_dir("instances/x/events");
	make_dir("instances/x/events/probe");
	make_dir("instances/x/events/probe/vfs_read");
	put("instances/x/events/probe/vfs_read/enable", "1*\n");
	make_dir("instances/x/events/sonde_77");
	make_dir("instances/x/events/sonde_77/vfs_read");
	put("instances/x/events/sonde_77/vfs_read/enable", "0*\n"); /* only its triggers */
	return 0;
}

static int tear_down(void **state)
{
	char command[600];

	snprintf(command, sizeof(command), "rm -r %s", dir);
	return system(command);
}

static void what_a_kernel_can_do(void **state)
{
	struct probe_kernel k;

	probe_features(&t, &k);
	assert_true(k.kprobes && k.dynamic_events && k.arg_n && k.user_strings && k.symbol_type);
	assert_true(k.arrays && k.bitfields && k.immediates && k.comm && k.many_places &&
		    k.refcounts && k.hist);
	assert_false(k.uprobes || k.eprobes || k.fprobes || k.tprobes || k.return_args ||
		     k.symstr_type || k.char_type || k.synthetic);
}

static void hits_belong_to_their_probe(void **state)
{
	static const struct {
		const char *group, *event;
		enum probe_kind kind;
		unsigned hits, missed;
		bool on;
	} rows[] = {
		{"probe", "vfs_read", PROBE_KPROBE, 12, 1, true},
		{"other", "vfs_read", PROBE_KPROBE, 7, 0, false},
		{"probe", "vfs_read__return", PROBE_KRETPROBE, 3, 2, false},
		{"probe_a", "work", PROBE_UPROBE, 40, 0, false},
		{"probe_a", "work", PROBE_UPROBE, 2, 0, false},
		{"eprobes", "sw", PROBE_EPROBE, 0, 0, false},
		{"sonde_77", "vfs_read", PROBE_KPROBE, 100, 0, true},
		{"probe", "vfs_write", PROBE_FPROBE, 0, 0, false},
		{"probe", "vfs_write__return", PROBE_FPROBE_EXIT, 0, 0, false},
	};
	struct errmsg err = {0};
	struct probe_list l;

	assert_int_equal(probes_list(&t, &l, &err), 0);
	assert_int_equal(l.n, sizeof(rows) / sizeof(*rows));
	for (size_t i = 0; i < l.n; i++) {
		assert_string_equal(l.list[i].group, rows[i].group);
		assert_string_equal(l.list[i].event, rows[i].event);
		assert_int_equal(l.list[i].kind, rows[i].kind);
		assert_int_equal(l.list[i].n_hits, rows[i].hits);
		assert_int_equal(l.list[i].n_missed, rows[i].missed);
		assert_int_equal(l.list[i].is_on, rows[i].on);
	}
	assert_string_equal(l.list[3].line, "p:probe_a/work /tmp/a:0x1139 n=%di:s32");
	probe_list_release(&l);
}

static void globs_mean_events(void **state)
{
	const struct probe_defined d = {.group = (char *)"probe", .event = (char *)"vfs_read"};
	static const char *const yes[] = {"vfs_read",	    "vfs_*",	      "*",
					  "probe:vfs_read", "probe/vfs_read", "probe:*",
					  "probe:",	    ":vfs_read",      "pro*:*_read"};
	static const char *const no[] = {"vfs", "probe", "other:vfs_read", "probe:vfs",
					 "vfs_read:*"};

	for (size_t i = 0; i < sizeof(yes) / sizeof(*yes); i++)
		assert_true(probe_defined_matches(&d, yes[i]));
	for (size_t i = 0; i < sizeof(no) / sizeof(*no); i++)
		assert_false(probe_defined_matches(&d, no[i]));
}

/* What is written stays in a file that is no real one, behind what it said. */
static const char *written(void)
{
	static char text[4096];
	char path[512];
	FILE *file;
	size_t n;

	snprintf(path, sizeof(path), "%s/dynamic_events", dir);
	file = fopen(path, "r");
	n = fread(text, 1, sizeof(text) - 1, file);
	text[n] = 0;
	fclose(file);
	put("dynamic_events", events);
	return text + strlen(events);
}

static void a_glob_spares_recordings(void **state)
{
	struct errmsg err = {0};

	assert_int_equal(probes_remove(&t, "*:vfs_read", &err), 2);
	assert_string_equal(written(), "-:probe/vfs_read-:other/vfs_read");
	assert_int_equal(probes_remove(&t, "probe_a:*", &err), 1);
	assert_string_equal(written(), "-:probe_a/work");
	assert_int_equal(probes_remove(&t, "sonde_77:vfs_read", &err), 1);
	assert_string_equal(written(), "-:sonde_77/vfs_read");
	assert_int_equal(probes_remove(&t, "nothing", &err), 0);
	assert_string_equal(written(), "");
}

static void returns_have_room(void **state)
{
	static const struct {
		enum probe_kind kind;
		size_t n_places;
		unsigned said, room;
	} rows[] = {
		{PROBE_KRETPROBE, 1, 0, 4096},	 {PROBE_KRETPROBE, 10, 0, 409},
		{PROBE_KRETPROBE, 500, 0, 64},	 {PROBE_KRETPROBE, 1, 3, 3},
		{PROBE_FPROBE_EXIT, 1, 0, 4096}, {PROBE_KPROBE, 1, 0, 0},
		{PROBE_URETPROBE, 1, 0, 0},
	};
	struct probe_place place = {.text = (char *)"vfs_read"};
	struct definition d = {.text = (char *)"vfs_read%return"};
	struct probe p = {
		.definition = &d, .kind = PROBE_KRETPROBE, .places = &place, .n_places = 1};
	struct errmsg err = {0};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct probe one = {.kind = rows[i].kind,
				    .n_places = rows[i].n_places,
				    .max_active = rows[i].said};

		assert_int_equal(probes_room(&one), rows[i].room);
	}
	assert_int_equal(probes_add(&t, NULL, &p, "g", "e", &err), 0);
	assert_string_equal(written(), "r4096:g/e vfs_read");
	p.max_active = 7;
	assert_int_equal(probes_add(&t, NULL, &p, "g", "e", &err), 0);
	assert_string_equal(written(), "r7:g/e vfs_read");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_a_kernel_can_do),
		cmocka_unit_test(hits_belong_to_their_probe),
		cmocka_unit_test(globs_mean_events),
		cmocka_unit_test(a_glob_spares_recordings),
		cmocka_unit_test(returns_have_room),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}

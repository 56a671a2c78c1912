// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_samples.c - samples from arrays: sets, names, tables, trees, filters, folded stacks, heat
 * maps, stacks behind events and times off the CPU.
 *
 * Records are made up byte by byte; tests/samples/suite reads whole files.
 *
 * covers: E13 E14
 */
#include "analyse/calls/callfilter.h"
#include "analyse/calls/callgraph.h"
#include "analyse/samples/annotation.h"
#include "analyse/samples/folded.h"
#include "analyse/samples/heat.h"
#include "analyse/samples/samplecollect.h"
#include "analyse/samples/sampleset.h"
#include "analyse/samples/sampletable.h"
#include "analyse/samples/sampletree.h"
#include "analyse/samples/stacknames.h"
#include "base/errmsg.h"
#include "decode/formats/formats.h"
#include "decode/record.h"
#include "decode/samples/sampleevent.h"
#include "decode/samples/sampleinfo.h"
#include "symbols/insn/disassembly.h"
#include "symbols/tasks.h"
#include "../lib/memtrace.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <cmocka.h>

static const struct memtrace_format formats_table[] = {
	{"ftrace",
	 "name: kernel_stack\nID: 4" COMMON "\tfield:int size;\toffset:8;\tsize:4;\tsigned:1;\n"
	 "\tfield:unsigned long caller[8];\toffset:16;\tsize:64;\tsigned:0;\n"
	 "\nprint fmt: \"%d\", REC->size\n"},
	{"sched", "name: sched_switch\nID: 316" COMMON
		  "\tfield:pid_t prev_pid;\toffset:8;\tsize:4;\tsigned:1;\n"
		  "\tfield:pid_t next_pid;\toffset:12;\tsize:4;\tsigned:1;\n"
		  "\nprint fmt: \"%d\", REC->prev_pid\n"},
	{"sched", "name: sched_waking\nID: 317" COMMON
		  "\tfield:char comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
		  "\tfield:pid_t pid;\toffset:24;\tsize:4;\tsigned:1;\n"
		  "\nprint fmt: \"%d\", REC->pid\n"},
	{"perf", "name: sample\nID: 32731" COMMON "\tfield:u64 ip;\toffset:8;\tsize:8;\tsigned:0;\n"
		 "\tfield:u64 period;\toffset:16;\tsize:8;\tsigned:0;\n"
		 "\tfield:u32 event;\toffset:24;\tsize:4;\tsigned:0;\n"
		 "\tfield:s32 tgid;\toffset:28;\tsize:4;\tsigned:1;\n"
		 "\tfield:u32 n_bytes;\toffset:32;\tsize:4;\tsigned:0;\n"
		 "\tfield:__data_loc u64[] stack;\toffset:36;\tsize:4;\tsigned:0;\n"
		 "\nprint fmt: \"%llu\", REC->period\n"},
};

#define MAIN   0x1000000001000
#define WORK   0x1000000002000
#define LEAF   0x1000000003000
#define HELPER 0x2000000001000
#define READ   0xffffffff81000000

static const char kallsyms_text[] = "0001000000001000 t main\t[demo]\n"
				    "0001000000002000 t work\t[demo]\n"
				    "0001000000003000 t leaf\t[demo]\n"
				    "0002000000001000 t helper\t[libdemo.so]\n"
				    "ffffffff81000000 T vfs_read\n"
				    "ffffffff81001000 T schedule\n"
				    "ffffffff82000000 T end\n";
static const char info_text[] = "E 0 cpu-clock\nE 1 off-cpu\nF 1 - /usr/bin/demo\n"
				"F 2 0123 /usr/lib/libdemo.so\nX later versions\nL 7\n";

struct fixture {
	uint8_t file[16384];
	struct tracefile *tf;
	struct formats *formats;
	struct tasks tasks;
	struct sampleinfo info;
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	assert_non_null(f);
	assert_int_equal(MEMTRACE_OPEN(f, formats_table,
				       sizeof(formats_table) / sizeof(formats_table[0]),
				       kallsyms_text, ""),
			 0);
	assert_int_equal(tasks_init(&f->tasks, PIECE_EMPTY), 0);
	tasks_learn(&f->tasks, 100, "demo", 4);
	tasks_learn(&f->tasks, 101, "other", 5);
	assert_int_equal(sampleinfo_parse(&f->info, (struct piece){(const uint8_t *)info_text,
								   sizeof(info_text) - 1}),
			 0);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	sampleinfo_release(&f->info);
	tasks_release(&f->tasks);
	formats_free(f->formats);
	tracefile_close(f->tf);
	free(f);
	return 0;
}

/*
 * --- what tests share --------------------------------------------------------------------------
 */

static void add(struct fixture *f, struct sampleset *set, int pid, uint64_t ts, uint64_t weight,
		const uint64_t *places, size_t n)
{
	struct sampleset_row row = {
		.ts = ts, .weight = weight, .task = tasks_find(&f->tasks, pid), .tgid = 100};

	sampleset_add(set, row, places, n);
}

/* leaf 10 of main→work→leaf, work 20, recursion work→work 5, vfs_read 40 of the other task */
static struct sampleset *make_set(struct fixture *f, unsigned keep)
{
	struct sampleset *set = sampleset_new(keep);

	add(f, set, 100, 1000, 10, (uint64_t[]){LEAF + 4, WORK + 16, MAIN + 16}, 3);
	add(f, set, 100, 2000, 20, (uint64_t[]){WORK + 32, MAIN + 16}, 2);
	add(f, set, 100, 3000, 5, (uint64_t[]){WORK + 8, WORK + 16, MAIN + 16}, 3);
	add(f, set, 101, 25000000, 40, (uint64_t[]){READ + 16, HELPER + 16, MAIN + 16}, 3);
	return set;
}

static struct stacknames_config names_config(struct fixture *f, const struct sampleset *set)
{
	return (struct stacknames_config){.formats = f->formats, .info = &f->info, .set = set};
}

/*
 * --- sets --------------------------------------------------------------------------------------
 */

static void a_stack_is_kept_once(void **state)
{
	struct fixture *f = *state;
	struct sampleset *set = sampleset_new(0);
	uint64_t a[] = {LEAF, MAIN}, b[] = {WORK, MAIN};
	const struct sampleset_row *rows;
	size_t n;

	for (int i = 0; i < 1000; i++) {
		add(f, set, 100, i, 3, a, 2);
		add(f, set, 101, i, 1, b, 2);
	}
	rows = sampleset_rows(set, &n);
	assert_int_equal(n, 2);
	assert_int_equal(sampleset_n_stacks(set), 2);
	assert_int_equal(rows[0].n, 1000);
	assert_int_equal(rows[0].weight, 3000);
	assert_int_equal(sampleset_n(set), 2000);
	assert_int_equal(sampleset_weight(set), 4000);
	assert_int_equal(sampleset_cut(set), 0);
	sampleset_free(set);
}

static void many_stacks_stay_apart(void **state)
{
	struct fixture *f = *state;
	struct sampleset *set = sampleset_new(SAMPLESET_TASK);
	size_t n;

	for (uint64_t i = 0; i < 20000; i++)
		add(f, set, 100 + (int)(i % 2), i, 1, (uint64_t[]){LEAF + i, MAIN}, 2);
	for (uint64_t i = 0; i < 20000; i++)
		add(f, set, 100 + (int)(i % 2), i, 1, (uint64_t[]){LEAF + i, MAIN}, 2);
	sampleset_rows(set, &n);
	assert_int_equal(n, 20000);
	assert_int_equal(sampleset_n(set), 40000);
	sampleset_free(set);
}

static void times_keep_every_sample(void **state)
{
	struct fixture *f = *state;
	struct sampleset *set = sampleset_new(SAMPLESET_TIME | SAMPLESET_TASK);
	const struct sampleset_row *rows;
	uint64_t a[] = {LEAF, MAIN};
	size_t n;

	add(f, set, 100, 5, 1, a, 2);
	add(f, set, 100, 6, 1, a, 2);
	rows = sampleset_rows(set, &n);
	assert_int_equal(n, 2);
	assert_int_equal(rows[1].ts, 6);
	assert_int_equal(rows[0].stack, rows[1].stack);
	sampleset_free(set);
}

static void the_program_below_the_kernel_was_interrupted(void **state)
{
	struct fixture *f = *state;
	struct sampleset *set = make_set(f, 0);
	struct sampleset_stack s = sampleset_stack(set, 3);

	assert_int_equal(s.n, 3);
	assert_int_equal(s.user, 1);
	assert_int_equal(sampleset_stack(set, 0).user, 3);
	sampleset_free(set);
}

/*
 * --- names -------------------------------------------------------------------------------------
 */

static const char *name_at(struct stacknames *names, uint64_t place, bool is_return)
{
	return stacknames_find(names, place, is_return).funcs[0]->name;
}

static void places_have_names(void **state)
{
	struct fixture *f = *state;
	struct stacknames_config config = names_config(f, NULL);
	struct stacknames *names = stacknames_new(&config);
	const struct flow_func *func;

	assert_string_equal(name_at(names, LEAF, false), "leaf");
	/* a call at the end of work returns to the first byte of leaf */
	assert_string_equal(name_at(names, LEAF, true), "work");
	assert_string_equal(name_at(names, READ + 9, false), "vfs_read");
	/* the last function of a file, and a file without symbols */
	assert_string_equal(name_at(names, HELPER + 9, false), "helper");
	assert_string_equal(name_at(names, 0x3000000001234, false), "0x3000000001234");
	func = stacknames_find(names, WORK, false).funcs[0];
	assert_string_equal(stacknames_file(func), "demo");
	assert_true(func->is_user);
	assert_ptr_equal(func, stacknames_find(names, WORK + 5, false).funcs[0]);
	func = stacknames_find(names, READ, false).funcs[0];
	assert_string_equal(stacknames_file(func), "[kernel]");
	assert_false(func->is_user);
	stacknames_free(names);
}

static void a_place_never_gets_the_name_of_another_file(void **state)
{
	struct fixture *f = *state;
	struct stacknames_config config = names_config(f, NULL);
	struct stacknames *names = stacknames_new(&config);

	/* below the first symbol of file 2: the last of file 1 is nearest */
	assert_string_equal(name_at(names, 0x2000000000010, false), "libdemo.so+0x10");
	stacknames_free(names);
}

static void the_text_about_samples(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(f->info.n_lost, 7);
	assert_int_equal(f->info.n_files, 2);
	assert_string_equal(sampleinfo_event_name(&f->info, 1), "off-cpu");
	assert_string_equal(sampleinfo_event_name(&f->info, 9), "event");
	assert_int_equal(sampleinfo_find_event(&f->info, "cpu-clock"), 0);
	assert_int_equal(sampleinfo_find_event(&f->info, "cpu"), -1);
	assert_string_equal(sampleinfo_find_file(&f->info, 2)->build_id, "0123");
	assert_string_equal(sampleinfo_find_file(&f->info, 1)->build_id, "");
	assert_null(sampleinfo_find_file(&f->info, 3));
}

/*
 * --- tables and trees --------------------------------------------------------------------------
 */

static const struct sampletable_row *row_of(const struct sampletable *t, const char *name)
{
	for (size_t i = 0; i < t->n_rows; i++)
		if (t->rows[i].func && !strcmp(t->rows[i].func->name, name))
			return &t->rows[i];
	return NULL;
}

static void a_table_counts_self_and_total(void **state)
{
	struct fixture *f = *state;
	struct sampleset *set = make_set(f, SAMPLESET_EVENT);
	struct stacknames_config nc = names_config(f, set);
	struct stacknames *names = stacknames_new(&nc);
	struct sampletable_config c = {.set = set,
				       .names = names,
				       .keys = {SAMPLEKEY_FUNCTION, SAMPLEKEY_FILE},
				       .n_keys = 2};
	struct sampletable t;

	assert_int_equal(sampletable_init(&t, &c), 0);
	assert_int_equal(t.n_rows, 5);
	assert_int_equal(t.weight, 75);
	assert_string_equal(t.rows[0].func->name, "vfs_read");
	assert_int_equal(row_of(&t, "main")->total, 75);
	assert_int_equal(row_of(&t, "main")->self, 0);
	/* once per sample, although it calls itself */
	assert_int_equal(row_of(&t, "work")->total, 35);
	assert_int_equal(row_of(&t, "work")->n_total, 3);
	assert_int_equal(row_of(&t, "work")->self, 25);
	sampletable_release(&t);
	c.min_percent = 20;
	assert_int_equal(sampletable_init(&t, &c), 0);
	assert_int_equal(t.n_rows, 2);
	assert_int_equal(t.n_left_out, 3);
	sampletable_release(&t);
	stacknames_free(names);
	sampleset_free(set);
}

static void a_table_by_task(void **state)
{
	struct fixture *f = *state;
	struct sampletable_config c = {0};
	struct errmsg err = {0};
	struct sampleset *set;
	struct stacknames_config nc;
	struct sampletable t;

	assert_int_equal(sampletable_parse_keys(&c, "$comm,file", &err), 0);
	assert_int_equal(sampletable_needs(&c), SAMPLESET_TASK | SAMPLESET_EVENT);
	set = make_set(f, sampletable_needs(&c));
	nc = names_config(f, set);
	c.set = set;
	c.names = stacknames_new(&nc);
	assert_int_equal(sampletable_init(&t, &c), 0);
	/* other: kernel, libdemo.so, demo; demo: demo */
	assert_int_equal(t.n_rows, 4);
	assert_string_equal(t.rows[0].task->comm, "other");
	assert_int_equal(t.rows[0].self, 40);
	sampletable_release(&t);
	stacknames_free(c.names);
	sampleset_free(set);
	assert_int_equal(sampletable_parse_keys(&c, "colour", &err), -EINVAL);
	assert_non_null(strstr(err.text, "colour"));
}

static struct callgraph *make_tree(struct fixture *f, const struct callfilter *filter,
				   struct sampleset **ret_set, struct stacknames **ret_names)
{
	static struct stacknames_config nc;
	struct sampletree_config c = {.filter = filter};

	*ret_set = make_set(f, 0);
	nc = names_config(f, *ret_set);
	*ret_names = stacknames_new(&nc);
	c.set = *ret_set;
	c.names = *ret_names;
	return sampletree_new(&c);
}

/* "main 75(0) work 35(25) …" */
static void fmt_tree(struct callgraph *g, char *text, size_t size)
{
	struct graph_node *root = callgraph_root(g);
	size_t at = 0;

	text[0] = '\0';
	callgraph_sort(g);
	for (struct graph_node *n = graph_next(root, root); n; n = graph_next(n, root))
		at += (size_t)snprintf(text + at, size - at, "%s%u %s %llu(%llu)", at ? ", " : "",
				       n->depth, n->func->name, (unsigned long long)n->total,
				       (unsigned long long)n->self);
}

static void check_tree(struct fixture *f, const struct callfilter_config *config,
		       const char *wanted)
{
	struct callfilter *filter = NULL;
	struct stacknames *names;
	struct sampleset *set;
	struct errmsg err = {0};
	struct callgraph *g;
	char text[1000];

	if (config)
		assert_int_equal(callfilter_new(&filter, config, &err), 0);
	g = make_tree(f, filter, &set, &names);
	fmt_tree(g, text, sizeof(text));
	assert_string_equal(text, wanted);
	assert_true(callgraph_is_bare(g));
	callgraph_free(g);
	stacknames_free(names);
	sampleset_free(set);
	callfilter_free(filter);
}

static void a_tree_of_stacks(void **state)
{
	check_tree(*state, NULL,
		   "1 main 75(0), 2 helper 40(0), 3 vfs_read 40(40), 2 work 35(20), 3 leaf 10(10), "
		   "3 work 5(5)");
}

static void filters_mean_what_they_mean_for_calls(void **state)
{
	struct callfilter_config only = {.words = (struct callfilter_word[]){{CALL_ONLY, "work"}},
					 .n_words = 1};
	struct callfilter_config never = {.words = (struct callfilter_word[]){{CALL_NEVER, "work"}},
					  .n_words = 1};
	struct callfilter_config callers = {
		.words = (struct callfilter_word[]){{CALL_CALLERS, "helper"}}, .n_words = 1};
	struct callfilter_config hide = {.words = (struct callfilter_word[]){{CALL_HIDE, "work"}},
					 .n_words = 1};
	struct callfilter_config no_kernel = {.no_kernel = true, .max_depth = 2};

	check_tree(*state, &only, "1 work 35(20), 2 leaf 10(10), 2 work 5(5)");
	check_tree(*state, &never, "1 main 75(35), 2 helper 40(0), 3 vfs_read 40(40)");
	check_tree(*state, &callers, "1 main 40(0), 2 helper 40(40)");
	check_tree(*state, &hide,
		   "1 main 75(25), 2 helper 40(0), 3 vfs_read 40(40), 2 leaf 10(10)");
	check_tree(*state, &no_kernel, "1 main 75(0), 2 helper 40(40), 2 work 35(35)");
}

static void an_annotation_has_the_addresses_of_a_function(void **state)
{
	struct fixture *f = *state;
	struct sampleset *set = make_set(f, 0);
	struct stacknames_config nc = names_config(f, set);
	struct stacknames *names = stacknames_new(&nc);
	struct annotations a;

	assert_int_equal(annotations_init(&a, set, names, "work@demo"), 0);
	assert_int_equal(a.n, 1);
	assert_int_equal(a.list[0].n_places, 2);
	assert_int_equal(a.list[0].places[0].place, WORK + 8);
	assert_int_equal(a.list[0].places[1].weight, 20);
	assert_int_equal(a.weight_all, 75);
	annotations_release(&a);
	assert_int_equal(annotations_init(&a, set, names, "main"), -ENOENT);
	annotations_release(&a);
	stacknames_free(names);
	sampleset_free(set);
}

static void a_heat_map_has_cells_of_20_ms(void **state)
{
	struct fixture *f = *state;
	struct sampleset *set = make_set(f, SAMPLESET_TIME | SAMPLESET_TASK);
	struct stacknames_config nc = names_config(f, set);
	struct stacknames *names = stacknames_new(&nc);
	struct errmsg err = {0};
	struct heat h;

	add(f, set, 100, 1500000000, 1, (uint64_t[]){WORK, MAIN}, 2);
	add(f, set, 100, 1500000001, 1, (uint64_t[]){WORK, MAIN}, 2);
	assert_int_equal(heat_init(&h, set, names, true, &err), 0);
	assert_int_equal(h.n_columns, 2);
	assert_int_equal(h.cells[0], 3);
	assert_int_equal(h.cells[1], 1);
	assert_int_equal(h.cells[74], 2);
	assert_int_equal(h.max, 3);
	/* both late samples are one entry */
	assert_int_equal(h.n_entries, 5);
	assert_int_equal(h.entries[4].n, 2);
	heat_release(&h);
	add(f, set, 100, UINT64_C(4000000000000), 1, (uint64_t[]){WORK, MAIN}, 2);
	assert_int_equal(heat_init(&h, set, names, true, &err), -EFBIG);
	heat_release(&h);
	stacknames_free(names);
	sampleset_free(set);
}

/*
 * --- folded stacks -----------------------------------------------------------------------------
 */

static struct piece piece(const char *text)
{
	return (struct piece){(const uint8_t *)text, strlen(text)};
}

static void folded_stacks_are_read(void **state)
{
	static const char text[] = "# a comment\n"
				   "main;operator new(unsigned long);read_[k] 12\n"
				   "main;work 3 4\r\n"
				   "main;work 1.5\n"
				   "no number\n\n"
				   ";;main 1\n";
	struct sampleset *set = sampleset_new(0);
	struct stacknames_config nc = {.set = set};
	struct stacknames *names = stacknames_new(&nc);
	const struct sampleset_row *rows;
	const struct flow_func *const *chain;
	size_t n;

	assert_true(folded_is(piece(text)));
	assert_false(folded_is(piece("no number\n")));
	assert_false(folded_is(piece("")));
	assert_int_equal(folded_parse(set, piece(text)), 1);
	rows = sampleset_rows(set, &n);
	assert_int_equal(n, 3);
	assert_int_equal(rows[1].weight, 5);
	chain = stacknames_chain(names, rows[0].stack, &n);
	assert_int_equal(n, 3);
	assert_string_equal(chain[1]->name, "operator new(unsigned long)");
	assert_string_equal(chain[2]->name, "read");
	assert_false(chain[2]->is_user);
	assert_true(chain[0]->is_name);
	stacknames_free(names);
	sampleset_free(set);
}

static void instructions_are_read_from_objdump(void **state)
{
	static const char text[] = "\n/bin/x:     file format elf64-x86-64\n\n"
				   "0000000000001180 <half>:\n"
				   "    1180:\tmov    %rdi,%rax\n"
				   "    1183:\tlea    -0x1(%rsi),%rdi  \n"
				   "    zzzz:\tnothing\n"
				   "ffffffffffffffffff:\ttoo long\n";
	struct disassembly d = {0};

	assert_int_equal(disassembly_parse(&d, piece(text)), 0);
	assert_int_equal(d.n, 2);
	assert_int_equal(d.list[0].address, 0x1180);
	assert_string_equal(d.list[1].text, "lea    -0x1(%rsi),%rdi");
	disassembly_release(&d);
}

/*
 * --- records -----------------------------------------------------------------------------------
 */

static void feed(struct fixture *f, struct samplecollect *sc, uint64_t ts, uint32_t cpu, int pid,
		 int id, const void *data, uint32_t size)
{
	uint8_t bytes[256] = {0};
	struct record rec = {.ts = ts,
			     .cpu = cpu,
			     .data = bytes,
			     .size = size + 8,
			     .event = formats_find(f->formats, id),
			     .task = tasks_find(&f->tasks, pid)};

	memcpy(bytes, &(uint16_t){(uint16_t)id}, 2);
	memcpy(bytes + 4, &pid, 4);
	if (size)
		memcpy(bytes + 8, data, size);
	samplecollect_add(sc, &rec);
}

static void feed_switch(struct fixture *f, struct samplecollect *sc, uint64_t ts, int prev,
			int next)
{
	feed(f, sc, ts, 0, prev, 316, (int32_t[]){prev, next}, 8);
}

static void feed_stack(struct fixture *f, struct samplecollect *sc, uint64_t ts, int pid,
		       uint64_t inner, uint64_t outer)
{
	feed(f, sc, ts, 0, pid, 4, (uint64_t[]){2, inner, outer}, 24);
}

static void time_off_the_cpu_belongs_to_the_stack_that_left(void **state)
{
	struct fixture *f = *state;
	struct samplecollect_config c = {.source = SAMPLES_OFF_CPU, .keep = SAMPLESET_TASK};
	struct samplecollect *sc;
	const struct sampleset_row *rows;
	struct errmsg err = {0};
	size_t n;

	assert_int_equal(samplecollect_new(&sc, f->formats, &f->info, &c, &err), 0);
	feed_switch(f, sc, 1000, 100, 101);
	feed_stack(f, sc, 1001, 100, READ + 0x1010, READ + 16);
	feed_switch(f, sc, 5000, 101, 100); /* 101 has no stack; 100 ran after 4000 */
	feed_switch(f, sc, 6000, 100, 101);
	feed_stack(f, sc, 6001, 100, READ + 0x1010, READ + 16); /* does not return */
	samplecollect_end(sc);
	rows = sampleset_rows(samplecollect_set(sc), &n);
	assert_int_equal(n, 1);
	assert_int_equal(rows[0].weight, 4000);
	assert_int_equal(rows[0].task->pid, 100);
	assert_true(samplecollect_is_time(sc));
	samplecollect_free(sc);
	/* a range cuts the wait */
	c.from = 2000;
	c.to = 4500;
	assert_int_equal(samplecollect_new(&sc, f->formats, &f->info, &c, &err), 0);
	feed_switch(f, sc, 1000, 100, 101);
	feed_stack(f, sc, 1001, 100, READ + 0x1010, READ + 16);
	feed_switch(f, sc, 5000, 101, 100);
	samplecollect_end(sc);
	rows = sampleset_rows(samplecollect_set(sc), &n);
	assert_int_equal(rows[0].weight, 2500);
	samplecollect_free(sc);
}

static void a_wakeup_has_the_stack_of_the_waker(void **state)
{
	struct fixture *f = *state;
	struct samplecollect_config c = {.source = SAMPLES_WAKEUPS};
	struct {
		char comm[16];
		int32_t pid;
	} woken = {"demo", 100};
	struct sampleset_stack s;
	struct samplecollect *sc;
	const struct sampleset_row *rows;
	struct errmsg err = {0};
	size_t n;

	assert_int_equal(samplecollect_new(&sc, f->formats, &f->info, &c, &err), 0);
	feed(f, sc, 500, 0, 101, 317, &woken, sizeof(woken)); /* it did not wait */
	feed_stack(f, sc, 501, 101, READ + 16, READ + 32);
	feed_switch(f, sc, 1000, 100, 101);
	feed(f, sc, 3000, 0, 101, 317, &woken, sizeof(woken));
	feed_stack(f, sc, 3001, 101, READ + 16, READ + 32);
	samplecollect_end(sc);
	rows = sampleset_rows(samplecollect_set(sc), &n);
	assert_int_equal(n, 1);
	assert_int_equal(rows[0].weight, 2000);
	s = sampleset_stack(samplecollect_set(sc), rows[0].stack);
	assert_string_equal(sampleset_find_name(samplecollect_set(sc), s.places[0]), "demo");
	assert_int_equal(s.places[1], READ + 16);
	samplecollect_free(sc);
}

static void an_event_never_gets_the_stack_of_another(void **state)
{
	struct fixture *f = *state;
	struct samplecollect_config c = {.source = SAMPLES_STACKS, .event = "sched_switch"};
	struct samplecollect *sc;
	struct errmsg err = {0};
	char woken[20] = "x";

	assert_int_equal(samplecollect_new(&sc, f->formats, &f->info, &c, &err), 0);
	feed_switch(f, sc, 1000, 100, 101);
	feed(f, sc, 1001, 0, 100, 317, woken, sizeof(woken));
	feed_stack(f, sc, 1002, 100, READ + 16, READ + 32); /* of the waking */
	feed_switch(f, sc, 1100, 100, 101);
	feed_stack(f, sc, 1101, 101, READ + 16, READ + 32); /* of another task */
	feed_switch(f, sc, 1200, 100, 101);
	feed_stack(f, sc, 1201, 100, READ + 16, READ + 32);
	samplecollect_end(sc);
	assert_int_equal(sampleset_n(samplecollect_set(sc)), 1);
	samplecollect_free(sc);
	c.event = "nosuch";
	assert_int_equal(samplecollect_new(&sc, f->formats, &f->info, &c, &err), -ENOENT);
}

static void damaged_samples_are_counted(void **state)
{
	struct fixture *f = *state;
	struct samplecollect_config c = {.source = SAMPLES_TAKEN, .not_event = "off-cpu"};
	struct {
		uint64_t ip, period;
		uint32_t event;
		int32_t tgid;
		uint32_t n_bytes, stack_loc;
		uint64_t stack[2];
	} s = {WORK, 5, 0, 100, 0, 16u << 16 | 40, {WORK, MAIN}};
	struct samplecollect *sc;
	struct errmsg err = {0};

	assert_int_equal(samplecollect_new(&sc, f->formats, &f->info, &c, &err), 0);
	feed(f, sc, 1, 0, 100, 32731, &s, sizeof(s));
	feed(f, sc, 2, 0, 100, 32731, &s, sizeof(s) - 8); /* the stack is cut off */
	feed(f, sc, 3, 0, 100, 32731, &s, 20);
	s.event = 1;
	feed(f, sc, 4, 0, 100, 32731, &s, sizeof(s)); /* a wait */
	s.event = 0;
	s.stack_loc = 0;
	feed(f, sc, 5, 0, 100, 32731, &s, 32); /* no stack: the place itself */
	samplecollect_end(sc);
	assert_int_equal(samplecollect_n_bad(sc), 2);
	assert_int_equal(sampleset_n(samplecollect_set(sc)), 2);
	assert_int_equal(sampleset_stack(samplecollect_set(sc), 1).n, 1);
	samplecollect_free(sc);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_stack_is_kept_once),
		cmocka_unit_test(many_stacks_stay_apart),
		cmocka_unit_test(times_keep_every_sample),
		cmocka_unit_test(the_program_below_the_kernel_was_interrupted),
		cmocka_unit_test(places_have_names),
		cmocka_unit_test(a_place_never_gets_the_name_of_another_file),
		cmocka_unit_test(the_text_about_samples),
		cmocka_unit_test(a_table_counts_self_and_total),
		cmocka_unit_test(a_table_by_task),
		cmocka_unit_test(a_tree_of_stacks),
		cmocka_unit_test(filters_mean_what_they_mean_for_calls),
		cmocka_unit_test(an_annotation_has_the_addresses_of_a_function),
		cmocka_unit_test(a_heat_map_has_cells_of_20_ms),
		cmocka_unit_test(folded_stacks_are_read),
		cmocka_unit_test(instructions_are_read_from_objdump),
		cmocka_unit_test(time_off_the_cpu_belongs_to_the_stack_that_left),
		cmocka_unit_test(a_wakeup_has_the_stack_of_the_waker),
		cmocka_unit_test(an_event_never_gets_the_stack_of_another),
		cmocka_unit_test(damaged_samples_are_counted),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_resolve.c - definitions of probes resolved against a kernel that is made up: BTF, symbols, events.
 *
 *	struct file {                                   int do_it(struct file *file, int n,
 *	    0 int a;                                              struct pair p, u64 count);
 *	    8 union { u64 x; char label[8]; };          void nothing(void);
 *	   16 int lo:3, hi:5;                           int tail(int a … int h);
 *	   24 struct dentry *dentry;                    struct pair twins(void);
 *	   32 enum state st;  36 enum flags fl;         struct big *(*) …
 *	   40 int nums[4];  56 atomic_t count;
 *	   64 u8 *bytes;  72 int (*fn)(int);  80 const char __user *text;
 *	   88 struct dentry inner;  104 bool ok;  112 struct file *next;
 *	  120 int big[100];  520 struct missing *fwd;  528 struct dentry many[2]; }
 *	struct dentry { 0 u64 id; 8 const unsigned char *name; }
 *	module toy: int toy_open(struct work *w), struct job { 0 u64 pad; 8 struct work w; 24 int pid; }
 *
 * covers: D05 D12 D13 D14 B06
 */
#include "base/errmsg.h"
#include "base/textbuf.h"
#include "probe/probe.h"
#include "symbols/arch.h"
#include "../lib/btfmaker.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "../lib/putfile.h"

static struct {
	char dir[64];
	char btf[80], kallsyms[80], events[80];
	struct maker kernel, module;
	uint32_t i32, u64, chr, uchr, u8, boolean, dentry, file, pair, state, flags, file_pointer,
		wire_pointer;
} w;

/* --- the kernel that is made up ------------------------------------------------------------------ */

static uint32_t number(struct maker *m, const char *name, unsigned n_bytes, unsigned encoding)
{
	uint32_t t = type(m, name, INT, 0, n_bytes);

	word(m, encoding << 24 | 8 * n_bytes);
	return t;
}

static uint32_t array(struct maker *m, uint32_t element, unsigned n)
{
	uint32_t t = type(m, NULL, ARRAY, 0, 0);

	word(m, element);
	word(m, w.i32);
	word(m, n);
	return t;
}

static void make_numbers(struct maker *m)
{
	text(m, "");
	w.i32 = number(m, "int", 4, 1);
	w.u64 = number(m, "long unsigned int", 8, 0);
	w.chr = number(m, "char", 1, 1);
	w.uchr = number(m, "unsigned char", 1, 0);
	w.boolean = number(m, "_Bool", 1, 4);
	w.u8 = type(m, "u8", TYPEDEF, 0, w.uchr);
	w.state = type(m, "state", ENUM, 3, 4);
	parameter(m, "IDLE", 0);
	parameter(m, "BUSY", 1);
	parameter(m, "DONE", 3);
	w.flags = type(m, "flags", ENUM, 3, 4);
	parameter(m, "F_READ", 1);
	parameter(m, "F_WRITE", 2);
	parameter(m, "F_SYNC", 4);
}

static void make_structs(struct maker *m)
{
	uint32_t label = array(m, w.chr, 8), nums = array(m, w.i32, 4), big = array(m, w.i32, 100);
	uint32_t c = type(m, NULL, CONST, 0, w.uchr), name = type(m, NULL, PTR, 0, c);
	uint32_t any = type(m, NULL, UNION, 2, 8), atomic, bytes, proto, fn, tag, user, fwd, many;

	part(m, "x", w.u64, 0);
	part(m, "label", label, 0);
	w.dentry = type(m, "dentry", STRUCT, 2, 16);
	part(m, "id", w.u64, 0);
	part(m, "name", name, 64);
	many = array(m, w.dentry, 2);
	atomic = type(m, NULL, STRUCT, 1, 4);
	part(m, "counter", w.i32, 0);
	atomic = type(m, "atomic_t", TYPEDEF, 0, atomic);
	bytes = type(m, NULL, PTR, 0, w.u8);
	proto = type(m, NULL, PROTO, 1, w.i32);
	parameter(m, NULL, w.i32);
	fn = type(m, NULL, PTR, 0, proto);
	c = type(m, NULL, CONST, 0, w.chr);
	tag = type(m, "user", TYPE_TAG, 0, c);
	user = type(m, NULL, PTR, 0, tag);
	fwd = type(m, "missing", FWD, 0, 0);
	fwd = type(m, NULL, PTR, 0, fwd);
	w.file_pointer = type(m, NULL, PTR, 0, m->n_types + 3);
	name = type(m, NULL, PTR, 0, w.dentry);
	w.file = type(m, "file", STRUCT | FLAG, 18, 560);
	part(m, "a", w.i32, 0);
	part(m, NULL, any, 64);
	part(m, "lo", w.i32, 3 << 24 | 128);
	part(m, "hi", w.i32, 5 << 24 | 131);
	part(m, "dentry", name, 192);
	part(m, "st", w.state, 256);
	part(m, "fl", w.flags, 288);
	part(m, "nums", nums, 320);
	part(m, "count", atomic, 448);
	part(m, "bytes", bytes, 512);
	part(m, "fn", fn, 576);
	part(m, "text", user, 640);
	part(m, "inner", w.dentry, 704);
	part(m, "ok", w.boolean, 832);
	part(m, "next", w.file_pointer, 896);
	part(m, "big", big, 960);
	part(m, "fwd", fwd, 4160);
	part(m, "many", many, 4224);
	w.pair = type(m, "pair", STRUCT, 3, 16);
	part(m, "first", w.i32, 0);
	part(m, "middle", w.i32, 32);
	part(m, "last", w.u64, 64);
}

/* Numbers whose bytes are not all there is to say of them. */
static void make_wire(struct maker *m)
{
	uint32_t u16 = number(m, "short unsigned int", 2, 0), wire;
	uint32_t be16 = type(m, "__be16", TYPEDEF, 0, type(m, "__u16", TYPEDEF, 0, u16));
	uint32_t real = type(m, "double", FLOAT, 0, 8), big = number(m, "__int128", 16, 1);

	wire = type(m, "wire", STRUCT, 3, 32);
	part(m, "port", be16, 0);
	part(m, "real", real, 64);
	part(m, "big", big, 128);
	w.wire_pointer = type(m, NULL, PTR, 0, wire);
}

static void function(struct maker *m, const char *name, uint32_t result, unsigned n,
		     const char *const *names, const uint32_t *types)
{
	uint32_t proto = type(m, NULL, PROTO, n, result);

	for (unsigned i = 0; i < n; i++)
		parameter(m, names[i], types[i]);
	type(m, name, FUNC, 0, proto);
}

static void make_functions(struct maker *m)
{
	static const char *const letters[] = {"a", "b", "c", "d", "e", "f", "g", "h"};
	const uint32_t ints[] = {w.i32, w.i32, w.i32, w.i32, w.i32, w.i32, w.i32, w.i32};
	uint32_t var;

	function(m, "do_it", w.i32, 4, (const char *[]){"file", "n", "p", "count"},
		 (uint32_t[]){w.file_pointer, w.i32, w.pair, w.u64});
	function(m, "nothing", 0, 0, NULL, NULL);
	function(m, "put", 0, 1, (const char *[]){"wire"}, (uint32_t[]){w.wire_pointer});
	function(m, "tail", w.i32, 8, letters, ints);
	function(m, "twins", w.pair, 0, NULL, NULL);
	var = type(m, "jiffies", VAR, 0, w.u64);
	word(m, 1);
	type(m, "runqueues", VAR, 0, w.file);
	word(m, 1);
	type(m, ".data..percpu", DATASEC, 1, 560);
	part(m, NULL, 0, 0);
	m->words[m->n_words - 3] = var + 1;
	m->words[m->n_words - 1] = 560;
}

static void make_module(struct maker *m)
{
	uint32_t work, pointer;

	m->first_string = w.kernel.n_strings;
	m->n_types = w.kernel.n_types;
	text(m, "");
	work = type(m, "work", STRUCT, 1, 16);
	part(m, "data", w.u64, 0);
	pointer = type(m, NULL, PTR, 0, work);
	type(m, "job", STRUCT, 3, 32);
	part(m, "pad", w.u64, 0);
	part(m, "w", work, 64);
	part(m, "pid", w.i32, 192);
	function(m, "toy_open", w.i32, 1, (const char *[]){"w"}, (uint32_t[]){pointer});
}

static void put_in(const char *dir, const char *name, struct piece bytes)
{
	put_bytes(dir, name, bytes.data, bytes.len);
}

static const char symbols[] = "ffffffff81000000 T do_it\n"
			      "ffffffff81000100 t asm_thing\n"
			      "ffffffff81000200 t cut.isra.0\n"
			      "ffffffff81000300 D jiffies\n"
			      "ffffffff81000308 d other\n"
			      "ffffffff81000380 B nr_things\n"
			      "ffffffff81000400 T tail\n"
			      "ffffffff81000500 T twins\n"
			      "ffffffffc0000000 t toy_open\t[toy]\n"
			      "ffffffffc0000100 t toy_asm\t[toy]\n";

static const char format[] =
	"name: move\nID: 7\nformat:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n"
	"\tfield:char comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
	"\tfield:pid_t pid;\toffset:24;\tsize:4;\tsigned:1;\n"
	"\tfield:struct file * file;\toffset:32;\tsize:8;\tsigned:0;\n"
	"\tfield:__data_loc char[] path;\toffset:40;\tsize:4;\tsigned:0;\n"
	"\tfield:const char * text;\toffset:48;\tsize:8;\tsigned:0;\n"
	"\tfield:unsigned long args[6];\toffset:56;\tsize:48;\tsigned:0;\n\n"
	"print fmt: \"%d\", REC->pid\n";

static int make_world(void **state)
{
	char path[120];

	snprintf(w.dir, sizeof(w.dir), "/tmp/sonde-resolve-XXXXXX");
	assert_non_null(mkdtemp(w.dir));
	snprintf(w.btf, sizeof(w.btf), "%s/btf", w.dir);
	snprintf(w.events, sizeof(w.events), "%s/events", w.dir);
	snprintf(w.kallsyms, sizeof(w.kallsyms), "%s/kallsyms", w.dir);
	mkdir(w.btf, 0700);
	mkdir(w.events, 0700);
	snprintf(path, sizeof(path), "%s/motion", w.events);
	mkdir(path, 0700);
	snprintf(path, sizeof(path), "%s/motion/move", w.events);
	mkdir(path, 0700);
	put_in(path, "format", (struct piece){(const uint8_t *)format, strlen(format)});
	make_numbers(&w.kernel);
	make_structs(&w.kernel);
	make_wire(&w.kernel);
	make_functions(&w.kernel);
	make_module(&w.module);
	put_in(w.btf, "vmlinux", finish(&w.kernel));
	put_in(w.btf, "toy", finish(&w.module));
	put_text(w.dir, "kallsyms", symbols);
	put_text(w.dir, "modules.symbols",
		 "# Aliases for symbols\nalias symbol:far_open far\nalias symbol:far_away far\n");
	return 0;
}

static int drop_world(void **state)
{
	char command[100];

	snprintf(command, sizeof(command), "rm -r %s", w.dir);
	return system(command);
}

/* --- asking -------------------------------------------------------------------------------------- */

static struct prober *new_prober(const struct probe_kernel *features, const char *arch)
{
	static struct probe_kernel kernel;
	struct errmsg err = {0};
	struct probe_world world = {
		.kernel = &kernel,
		.btf_dir = w.btf,
		.kallsyms = w.kallsyms,
		.tracefs_events = w.events,
		.modules_dir = w.dir,
	};
	struct prober *p;

	kernel = *features;
	kernel.arch = arch_by_name(arch);
	assert_int_equal(prober_new(&p, &world, &err), 0);
	return p;
}

/* The line of the first place, "| filter", "# note"; or the refusal. */
static void resolve_text(struct prober *prober, const char *definition, char *out, size_t size)
{
	struct definition *d = NULL;
	struct errmsg err = {0};
	struct probe *p = NULL;
	struct textbuf tb;

	if (definition_parse(&d, definition, &err) < 0 || probe_resolve(prober, d, &p, &err) < 0) {
		snprintf(out, size, "%s", err.text);
		definition_free(d);
		return;
	}
	textbuf_init(&tb, 10000);
	probe_fmt_line(p, 0, NULL, NULL, &tb);
	if (p->filter)
		textbuf_addf(&tb, " | %s", p->filter);
	for (size_t i = 0; i < p->n_notes; i++)
		textbuf_addf(&tb, " # %s", p->notes[i]);
	snprintf(out, size, "%.*s", (int)textbuf_len(&tb), tb.start);
	textbuf_release(&tb);
	probe_free(p);
	definition_free(d);
}

struct row {
	const char *definition, *line;
};

static void expect_rows(const struct probe_kernel *k, const char *arch, const struct row *rows,
			size_t n)
{
	char have[2000];

	for (size_t i = 0; i < n; i++) {
		struct prober *p = new_prober(k, arch);

		resolve_text(p, rows[i].definition, have, sizeof(have));
		if (strcmp(have, rows[i].line))
			fail_msg("'%s' is\n  %s\nand not\n  %s", rows[i].definition, have,
				 rows[i].line);
		prober_free(p);
	}
}

#define EXPECT(k, arch, rows) expect_rows(k, arch, rows, sizeof(rows) / sizeof(*(rows)))

/* --- tests --------------------------------------------------------------------------------------- */

static void variables_become_reads(void **state)
{
	static const struct row rows[] = {
		{"do_it", "p:probe/do_it do_it"},
		{"do_it(n, count)", "p:probe/do_it do_it n=%si:s32 count=%r8:u64"},
		{"do_it(file)", "p:probe/do_it do_it file=%di:x64"},
		{"do_it(file->a, file->x)", "p:probe/do_it do_it a=+0(%di):s32 x=+8(%di):u64"},
		{"do_it(file->label)", "p:probe/do_it do_it label=+8(%di):string"},
		{"do_it(file->dentry->name)", "p:probe/do_it do_it name=+0(+8(+24(%di))):string"},
		{"do_it(file->inner.name)", "p:probe/do_it do_it name=+0(+96(%di)):string"},
		{"do_it(file->lo, file->hi)",
		 "p:probe/do_it do_it lo=+16(%di):b3@0/32 hi=+16(%di):b5@3/32"},
		{"do_it(file->st, file->fl, file->ok)",
		 "p:probe/do_it do_it st=+32(%di):u32 fl=+36(%di):u32 ok=+104(%di):u8"},
		{"do_it(file->nums, file->nums[2])",
		 "p:probe/do_it do_it nums=+40(%di):s32[4] nums_2=+48(%di):s32"},
		{"do_it(file->count)", "p:probe/do_it do_it count=+56(%di):s32"},
		{"do_it(file->bytes, file->bytes[3], *file->bytes)",
		 "p:probe/do_it do_it bytes=+64(%di):x64 bytes_2=+3(+64(%di)):u8 "
		 "bytes_3=+0(+64(%di)):u8"},
		{"do_it(file->fn)", "p:probe/do_it do_it fn=+72(%di):symbol"},
		{"put(wire->big)",
		 "p:probe/put put big=+16(%di):s64 # wire->big is longer than the 8 "
		 "bytes that a probe records: the upper ones are missing"},
		{"do_it(file->text)", "p:probe/do_it do_it text=+0(+80(%di)):ustring"},
		{"do_it(file->text[1])", "p:probe/do_it do_it text=+u1(+80(%di)):s8"},
		{"do_it(file->next->next->a)", "p:probe/do_it do_it a=+0(+112(+112(%di))):s32"},
		{"do_it(file->many[1].id)", "p:probe/do_it do_it id=+544(%di):u64"},
		{"do_it((*file).a, file[1].a)",
		 "p:probe/do_it do_it a=+0(%di):s32 a_2=+560(%di):s32"},
		{"do_it(&file->a)", "p:probe/do_it do_it a=%di:x64"},
		/* a struct of two words in registers */
		{"do_it(p.first, p.middle, p.last)",
		 "p:probe/do_it do_it first=%dx:s32 middle=%dx:b32@32/64 last=%cx:u64"},
		{"tail(f, g, h)", "p:probe/tail tail f=%r9:s32 g=+8(%sp):s32 h=+16(%sp):s32"},
		{"do_it(file->big)",
		 "p:probe/do_it do_it big=+120(%di):s32[64] # only the first 64 of the 100 "
		 "elements of file->big are recorded"},
	};

	EXPECT(&probe_kernel_usual, "x86_64", rows);
}

static void what_is_written_wins(void **state)
{
	static const struct row rows[] = {
		{"do_it(n:x64, n:u16, n:x)",
		 "p:probe/do_it do_it n=%si:x64 n_2=%si:u16 n_3=%si:x32"},
		{"do_it a=file->a:u8 b=n", "p:probe/do_it do_it a=+0(%di):u8 b=%si:s32"},
		{"do_it(count:string)", "p:probe/do_it do_it count=+0(%r8):string"},
		{"do_it(file->bytes:string)", "p:probe/do_it do_it bytes=+0(+64(%di)):string"},
		{"do_it(file->bytes:u8[4])", "p:probe/do_it do_it bytes=+0(+64(%di)):u8[4]"},
		{"do_it(file->bytes:string@user)",
		 "p:probe/do_it do_it bytes=+0(+64(%di)):ustring"},
		{"do_it(file->label:x8[8])", "p:probe/do_it do_it label=+8(%di):x8[8]"},
		{"do_it((u8)n)", "p:probe/do_it do_it n=%si:u8"},
		{"do_it(((struct dentry *)count)->id)", "p:probe/do_it do_it id=+0(%r8):u64"},
		{"do_it(((struct dentry *)$arg1)->id)", "p:probe/do_it do_it id=+0(%di):u64"},
		{"do_it(((struct dentry *)%bx)->id)", "p:probe/do_it do_it id=+0(%bx):u64"},
		{"do_it(container_of(file, struct file, next)->a)",
		 "p:probe/do_it do_it a=-112(%di):s32"},
		{"do_it(container_of(&file->inner, struct file, inner)->a)",
		 "p:probe/do_it do_it a=+0(%di):s32"},
		{"do_it(+8(%si):u32, %rdi, $stack2, $comm, \\42, $arg2)",
		 "p:probe/do_it do_it si=+8(%si):u32 rdi=%di:x64 stack2=$stack2:x64 comm=$comm "
		 "number=\\42 arg2=%si:s32"},
		{"do_it(@jiffies, @other:u32, jiffies)", "p:probe/do_it do_it jiffies=@jiffies:u64 "
							 "other=@other:u32 jiffies_2=@jiffies:u64"},
		{"do_it $params",
		 "p:probe/do_it do_it file=%di:x64 n=%si:s32 count=%r8:u64 # p is left out: struct "
		 "pair is not a single value; name one of its members: first, middle, last"},
		{"my:ev=do_it%return@16($retval)", "r16:my/ev do_it ret=$retval:s32"},
		{"do_it%return", "r:probe/do_it__return do_it"},
		{"twins%return($retval.first, $retval.last)",
		 "r:probe/twins__return twins first=$retval:s32 last=%dx:u64"},
		{"do_it+4(%di)", "p:probe/do_it do_it+4 di=%di:x64"},
		{"0xffffffff81000010(%di)",
		 "p:probe/abs_ffffffff81000010 0xffffffff81000010 di=%di:x64"},
		{"p:my/ev do_it+0x10 c=%dx:u64", "p:my/ev do_it+0x10 c=%dx:u64"},
		{"r8:ev do_it $retval if ret > 3", "r8:probe/ev do_it $retval | ret > 3"},
	};

	EXPECT(&probe_kernel_usual, "x86_64", rows);
}

static void symbols_and_modules_are_found(void **state)
{
	static const struct row rows[] = {
		{"asm_thing($arg2)", "p:probe/asm_thing asm_thing arg2=$arg2:x64"},
		{"cut($arg1)",
		 "p:probe/cut cut.isra.0 arg1=$arg1:x64 # the compiler changed cut into "
		 "cut.isra.0, which is probed; its parameters are unknown"},
		{"toy_open(w->data)", "p:probe/toy_open toy:toy_open data=+0(%di):u64"},
		{"toy:toy_open(container_of(w, struct job, w)->pid)",
		 "p:probe/toy_open toy:toy_open pid=+16(%di):s32"},
		{"toy:toy_open((struct job,w)w->pid)",
		 "p:probe/toy_open toy:toy_open pid=+16(%di):s32"},
		{"toy:toy_asm", "p:probe/toy_asm toy:toy_asm"},
		{"toy:toy_*", "p:probe/toy_ toy:toy_open"},
		{"[dt]?*s", "p:probe/dt_s twins"},
		{"do_it:0", "p:probe/do_it do_it"},
		{"do_it@fs/x.c",
		 "p:probe/do_it do_it # sonde did not check that do_it is in fs/x.c: there is "
		 "no DWARF of the kernel"},
	};

	EXPECT(&probe_kernel_usual, "x86_64", rows);
}

static void processors_are_rows(void **state)
{
	static const struct row arm[] = {
		{"do_it(file->a, p.last, count)",
		 "p:probe/do_it do_it a=+0(%x0):s32 last=%x3:u64 count=%x4:u64"},
	};
	static const struct row riscv[] = {
		{"do_it(file->a, p.last, count)",
		 "p:probe/do_it do_it a=+0(%a0):s32 last=%a3:u64 count=%a4:u64"},
	};

	EXPECT(&probe_kernel_usual, "aarch64", arm);
	EXPECT(&probe_kernel_usual, "riscv64", riscv);
}

static void newer_kernels_do_more(void **state)
{
	struct probe_kernel k = probe_kernel_usual;
	static const struct row rows[] = {
		{"do_it(file->a, count)", "f:probe/do_it do_it a=+0($arg1):s32 count=$arg5:u64"},
		{"do_it%return($retval, n, file->dentry->id)",
		 "f:probe/do_it__return do_it%return ret=$retval:s32 n=$arg2:s32 "
		 "id=+0(+24($arg1)):u64 # data behind a pointer argument is read when "
		 "do_it returns, and may have been freed or changed by then; a recording (sonde "
		 "record -e) "
		 "reads it at the entry"},
		{"tail(h)", "f:probe/tail tail h=+16($stack):s32"},
		/* registers, or a place inside: a breakpoint; the hook knows no modules */
		{"do_it(%di)", "p:probe/do_it do_it di=%di:x64"},
		{"do_it+4", "p:probe/do_it do_it+4"},
		{"toy:toy_open(w->data)", "p:probe/toy_open toy:toy_open data=+0(%di):u64"},
		/* whether there was room enough has to be counted */
		{"do_it%return@16($retval)", "r16:probe/do_it__return do_it ret=$retval:s32"},
	};
	static const struct row kprobes[] = {
		{"do_it(file->a, count)", "p:probe/do_it do_it a=+0(%di):s32 count=%r8:u64"},
		{"do_it%return($retval, n)",
		 "r:probe/do_it__return do_it ret=$retval:s32 n=$arg2:s32"},
	};

	k.fprobes = k.return_args = true;
	EXPECT(&k, "x86_64", rows);
	k.prefers_kprobes = true;
	EXPECT(&k, "x86_64", kprobes);
}

static void fields_of_events(void **state)
{
	static const struct row rows[] = {
		{"motion:move(comm, pid, path)",
		 "e:probe/move motion/move comm=$comm:string pid=$pid:s32 path=$path:string"},
		{"motion:move(pid, $comm)",
		 "e:probe/move motion/move pid=$pid:s32 comm=$comm:string"},
		{"motion:move(text, file)",
		 "e:probe/move motion/move text=+0($text):string file=$file:x64"},
		{"motion:move(file->dentry->id, pid:x16)",
		 "e:probe/move motion/move id=+0(+24($file)):u64 pid=$pid:x16"},
	};

	EXPECT(&probe_kernel_usual, "x86_64", rows);
}

static void conditions_are_over_fields(void **state)
{
	static const struct row rows[] = {
		{"do_it%return($retval) if $retval > 4096 && common_pid != 1",
		 "r:probe/do_it__return do_it ret=$retval:s32 | ret > 4096 && common_pid != 1"},
		{"do_it(file->st) if file->st == BUSY || st == 3",
		 "p:probe/do_it do_it st=+32(%di):u32 | st == 1 || st == 3"},
		{"do_it(file->label) if file->label == \"n x\" && label ~ \"a*\"",
		 "p:probe/do_it do_it label=+8(%di):string | label == \"n x\" && label ~ \"a*\""},
		{"do_it(file->fl, n) if (fl & F_READ|F_SYNC || !n < -3) && COMM ~ sh*",
		 "p:probe/do_it do_it fl=+36(%di):u32 n=%si:s32 | (fl & 5 || !n < -3) && COMM ~ "
		 "\"sh*\""},
		{"do_it(file->ok, file->label) if ok == true && file->label==x",
		 "p:probe/do_it do_it ok=+104(%di):u8 label=+8(%di):string | ok == 1 && "
		 "label==\"x\""},
		{"do_it(file->st) if st != \"DONE\" && st < 'a'",
		 "p:probe/do_it do_it st=+32(%di):u32 | st != 3 && st < 97"},
		{"do_it(n) if CPU & CPUS{0-3} && ip.function == vfs_read",
		 "p:probe/do_it do_it n=%si:s32 | CPU & CPUS{0-3} && ip.function == vfs_read"},
		{"put(wire->port) if port == 80 || wire->port & 0x0f",
		 "p:probe/put put port=+0(%di):u16 | port == 20480 || port & 3840"},
		{"put(wire->real) if real > 1.5 && real <= -2e3 || real != 0",
		 "p:probe/put put real=+8(%di):x64 | (real > 0x3ff8000000000000 && real < "
		 "0x8000000000000000) && real >= 0xc09f400000000000 || real != 0x0"},
		{"do_it(file->fn) if fn == cut.isra.0 || fn != 0x10 && fn != \"do_it\"",
		 "p:probe/do_it do_it fn=+72(%di):symbol | (fn >= 0xffffffff81000200 && fn < "
		 "0xffffffff81000300) || fn != 0x10 && (fn < 0xffffffff81000000 || fn >= "
		 "0xffffffff81000100)"},
	};

	EXPECT(&probe_kernel_usual, "x86_64", rows);
}

static void names_do_not_meet(void **state)
{
	struct prober *p = new_prober(&probe_kernel_usual, "x86_64");
	char have[500];

	resolve_text(p, "do_it", have, sizeof(have));
	resolve_text(p, "do_it(nx)", have, sizeof(have)); /* refused: it takes no name */
	resolve_text(p, "do_it", have, sizeof(have));
	assert_string_equal(have, "p:probe/do_it_1 do_it");
	resolve_text(p, "do_it", have, sizeof(have));
	assert_string_equal(have, "p:probe/do_it_2 do_it");
	prober_free(p);
}

/* A wrong definition, what the sentence must say, and where the caret stands (counted from 0). */
struct refusal {
	const char *text, *says;
	int at, len;
};

static const struct refusal refusals[] = {
	{"do_itt", "the nearest is do_it", 0, 6},
	{"t*($arg1)", "something else at the place twins", 3, 5},
	{"zz*", "no function of this kernel matches 'zz*'", 0, 3},
	{"frobnicate", "no function 'frobnicate' in this kernel", 0, 10},
	{"toy:toy_opn", "in the module toy; the nearest is toy_open", 4, 7},
	{"nowhere_at_all:f", "is not a loaded module", 0, 14},
	{"do_it(fil)", "no variable 'fil' in do_it; the nearest is file", 6, 3},
	{"do_it(zzz)", "there are file, n, p, count", 6, 3},
	{"nothing(zzz)", "BTF has no parameters for it", 8, 3},
	{"asm_thing(x)", "BTF does not describe it", 10, 1},
	{"do_it+8(file)", "only where the function begins", 8, 4},
	{"do_it(file->dentri)", "no member 'dentri' in struct file; the nearest is dentry", 12, 6},
	{"do_it(file->id)", "it is in inner: write inner.id", 12, 2},
	{"do_it(file->inner.nums)", "no member 'nums' in struct dentry; struct file itself has one",
	 18, 4},
	{"do_it(file.a)", "file is a pointer: write file->a", 11, 1},
	{"do_it(file->inner->id)", "file->inner is not a pointer: write file->inner.id", 19, 2},
	{"do_it(n->a)", "not a pointer; cast it", 9, 1},
	{"do_it(n.a)", "has no members", 8, 1},
	{"do_it(file->inner)",
	 "struct dentry is not a single value; name one of its members: id, name", 6, 11},
	{"do_it(p)", "struct pair is not a single value", 6, 1},
	{"do_it(file->nums[4])", "has 4 elements: the last is [3]", 17, 1},
	{"do_it(n[1])", "neither an array nor a pointer", 6, 1},
	{"do_it(*n)", "neither an array nor a pointer", 7, 1},
	{"do_it(file->many)", "array of structs", 6, 10},
	{"do_it(file->fwd->x)", "only declared", 17, 1},
	{"do_it(%di->x)", "cast it: ((struct NAME *)%di)->x", 6, 3},
	{"do_it(%dx1)", "x86_64 has no register 'dx1'", 7, 3},
	{"do_it(&n)", "has no address here", 6, 2},
	{"do_it(&file->st)", "not calculate", 6, 9},
	{"do_it(((struct fil *)n)->a)", "there is no type 'struct fil *'", 8, 12},
	{"do_it((struct dentry)n)", "did you mean (struct dentry *)?", 7, 13},
	{"do_it(container_of(file, struct file, nxt)->a)", "the nearest is next", 38, 3},
	{"do_it(container_of(file->inner, struct file, inner)->a)", "write &file->inner", 19, 11},
	{"nothing%return($retval)", "returns nothing (void)", 15, 7},
	{"do_it%return(count)", "count is not available when do_it returns", 13, 5},
	{"asm_thing($arg9)", "only the first 6 arguments", 10, 5},
	{"do_it(runqueues)", "each CPU has its own copy", 6, 9},
	{"do_it:3", "need its DWARF", 6, 1},
	{"fs/x.c:3", "which program", 0, 6},
	{"do_it(n) if m > 3", "'m' is not recorded", 12, 1},
	{"do_it(count) if cuont > 3", "the nearest field is count", 16, 5},
	{"do_it(file->st) if st == BUSI", "the nearest name is BUSY", 25, 4},
	{"do_it(file->st) if st == 'BUSI'", "the nearest name is BUSY", 26, 4},
	{"do_it(n, count) if n == count", "only with constants", 24, 5},
	{"do_it(n) if n == many", "'many' is not", 17, 4},
	{"do_it(n) if n >", "a value is missing", 15, 1},
	{"do_it(n) if n", "n != 0", 13, 1},
	{"do_it(n) if n = 3", "write n ==", 14, 1},
	{"do_it(n) if n == 3x", "'3x' is not a number", 17, 2},
	{"do_it(n) if (n == 3", "is not closed", 12, 1},
	{"do_it(n) if n == 3)", "has no matching (", 18, 1},
	{"do_it(n) if n == 3 n == 4", "&& or || is missing", 19, 1},
	{"do_it(n) if n == 3 &&", "a field is missing", 21, 1},
	{"do_it(n) if n == \"3", "no closing", 17, 1},
	{"put(wire->port) if port > 80", "big endian in memory", 26, 2},
	{"put(wire->real) if real & 1", "bits cannot be tested", 19, 4},
	{"do_it(file->fn) if fn == nobody", "no 'nobody'", 25, 6},
	{"do_it(file->fn) if fn > tail", "with == or !=", 24, 4},
	{"do_it(n, nr_things)", "write @nr_things", 9, 9},
	{"do_it(current->pid)", "common_pid", 6, 7},
	{"do_it(file->fn:string)", "not text and does not point to text", 15, 6},
	{"toy:do_that", "in the module toy; 'sonde probe funcs", 4, 7},
	{"do_it%return($retval, $duration:u32)", "takes no type", 32, 3},
	{"do_it(&jiffies)", "cannot record the address itself", 6, 8},
	{"motion:move(pid, args)", "args of motion:move is an array", 17, 4},
	{"motion:move(pidd)", "the nearest is pid", 12, 4},
	{"do_it(file->next->next->next->next->next->next->next->next->next->next->a)",
	 "the limit is 63", 6, 67},
	{"%nowhere_at_all:x", "no program or library", 16, 1},
	{"%x", "in which program", 1, 1},
	{"./nowhere:f", "a program or library ./nowhere", 0, 9},
	{"do_it(file->nums) if nums == 3", "add file->nums[0] to the arguments", 21, 4},
	{"do_it(file->nums) if nums__2 == 3", "add file->nums[2] to the arguments", 21, 7},
	{"do_it(n, file->nums) if n && file->nums[3] == 3", "a comparison is missing", 26, 1},
	{"do_it(n, file->nums) if n == 1 && file->nums[3] == 3",
	 "file->nums is an array, but a condition tests single values: add file->nums[3]", 34, 13},
	{"do_it(x=+8(%di):u32[2]) if x == 3", "add the element to test", 27, 1},
};

static int caret_at(const char *text, int *ret_len)
{
	const char *line = strrchr(text, '\n'), *caret = line ? strchr(line, '^') : NULL;

	if (!caret)
		return -1;
	*ret_len = 1 + strspn(caret + 1, "~");
	return caret - line - 3;
}

static void wrong_ones_are_pointed_at(void **state)
{
	for (size_t i = 0; i < sizeof(refusals) / sizeof(*refusals); i++) {
		const struct refusal *row = &refusals[i];
		struct prober *p = new_prober(&probe_kernel_usual, "x86_64");
		char have[1200];
		int len = 0, at;

		resolve_text(p, row->text, have, sizeof(have));
		at = caret_at(have, &len);
		if (!strstr(have, row->says) || at != row->at || len != row->len)
			fail_msg("'%s' gives %d %d\n%s", row->text, at, len, have);
		prober_free(p);
	}
}

static void numbers_get_names_in_the_format(void **state)
{
	static const char kernel[] = "name: x\n\tfield:s32 nums[];\toffset:8;\nprint fmt: \"(%lx) "
				     "st=%u n=%d fl=%u ok=%u hi=%u\", REC->__probe_ip, REC->st, "
				     "REC->n, REC->fl, REC->ok, REC->hi\n";
	struct prober *prober = new_prober(&probe_kernel_usual, "x86_64");
	struct errmsg err = {0};
	struct definition *d;
	struct textbuf tb;
	struct probe *p;

	assert_int_equal(
		definition_parse(&d, "do_it(file->st, n, file->fl, file->ok, file->nums, file->hi)",
				 &err),
		0);
	assert_int_equal(probe_resolve(prober, d, &p, &err), 0);
	textbuf_init(&tb, 10000);
	probe_fmt_format(p, kernel, strlen(kernel), &tb);
	textbuf_add(&tb, "", 1);
	assert_string_equal(
		tb.start,
		"name: x\n\tfield:s32 nums[4];\toffset:8;\nprint fmt: \"(%lx) st=%s n=%d fl=%s "
		"ok=%s hi=%d\", REC->__probe_ip, "
		"__print_symbolic(REC->st, { 0, \"IDLE\" }, { 1, \"BUSY\" }, { 3, \"DONE\" }), "
		"REC->n, __print_flags(REC->fl, \"|\", { 1, \"F_READ\" }, { 2, \"F_WRITE\" }, "
		"{ 4, \"F_SYNC\" }), __print_symbolic(REC->ok, { 0, \"false\" }, { 1, \"true\" "
		"}), (REC->hi & 16) ? REC->hi - 32 : REC->hi\n");
	textbuf_release(&tb);
	probe_free(p);
	definition_free(d);
	prober_free(prober);
}

static void a_probe_of_many_functions_tells_which(void **state)
{
	static const char kernel[] = "print fmt: \"(%lx <- %lx) n=%d\", REC->__probe_func, "
				     "REC->__probe_ret_ip, REC->n\n";
	struct prober *prober = new_prober(&probe_kernel_usual, "x86_64");
	struct errmsg err = {0};
	struct definition *d;
	struct textbuf tb;
	struct probe_place places[2];
	struct probe *p, many;

	assert_int_equal(definition_parse(&d, "do_it(n)", &err), 0);
	assert_int_equal(probe_resolve(prober, d, &p, &err), 0);
	textbuf_init(&tb, 10000);
	probe_fmt_format(p, kernel, strlen(kernel), &tb);
	textbuf_add(&tb, "", 1);
	assert_string_equal(tb.start, kernel);
	many = *p;
	places[0] = places[1] = p->places[0];
	many.places = places;
	many.n_places = 2;
	textbuf_clear(&tb);
	probe_fmt_format(&many, kernel, strlen(kernel), &tb);
	textbuf_add(&tb, "", 1);
	assert_string_equal(tb.start,
			    "print fmt: \"(%ps <- %lx) n=%d\", (void *)REC->__probe_func, "
			    "REC->__probe_ret_ip, REC->n\n");
	places[1].text = (char *)"_text+4096"; /* one of several of that name */
	textbuf_clear(&tb);
	probe_fmt_format(&many, kernel, strlen(kernel), &tb);
	textbuf_add(&tb, "", 1);
	assert_string_equal(tb.start, kernel);
	textbuf_release(&tb);
	probe_free(p);
	definition_free(d);
	prober_free(prober);
}

static void values_keep_their_meaning_in_the_format(void **state)
{
	static const char kernel[] =
		"name: x\n\tfield:u16 port;\toffset:8;\n\tfield:u64 real;\toffset:16;\n\tfield:u64 "
		"n;\toffset:24;\nprint fmt: \"port=%u real=0x%Lx s=%s q=\\\"%s\\\"\", REC->port, "
		"REC->real, __get_str(s), __get_str(q)\n";
	struct prober *prober = new_prober(&probe_kernel_usual, "x86_64");
	struct errmsg err = {0};
	struct definition *d;
	struct textbuf tb;
	struct probe *p;

	assert_int_equal(
		definition_parse(&d, "put(wire->port, wire->real, s=$comm, q=$comm)", &err), 0);
	assert_int_equal(probe_resolve(prober, d, &p, &err), 0);
	textbuf_init(&tb, 10000);
	probe_fmt_format(p, kernel, strlen(kernel), &tb);
	textbuf_add(&tb, "", 1);
	assert_string_equal(
		tb.start,
		"name: x\n\tfield:be16 port;\toffset:8;\n\tfield:double real;\toffset:16;\n\tfield:"
		"u64 n;\toffset:24;\nprint fmt: \"port=%Lu real=%#Lx s=\\\"%s\\\" q=\\\"%s\\\"\", "
		"(((REC->port >> 0) & 255) << 8) | (((REC->port >> 8) & 255) << 0), REC->real, "
		"__get_str(s), __get_str(q)\n");
	textbuf_release(&tb);
	probe_free(p);
	definition_free(d);
	prober_free(prober);
}

/* A text that cannot be read has length 0, and the kernel's filter looks at what comes behind. */
static void texts_in_conditions_have_guards(void **state)
{
	static const char kernel[] =
		"name: x\n\tfield:__data_loc char[] name;\toffset:8;\n\tfield:__data_loc char[] "
		"sonde_guard0;\toffset:12;\n\tfield:__data_loc char[] text;\toffset:16;\n\nprint "
		"fmt: \"(%lx) name=\\\"%s\\\" sonde_guard0=\\\"%s\\\" text=\\\"%s\\\"\", "
		"REC->__probe_ip, __get_str(name), __get_str(sonde_guard0), __get_str(text)\n";
	static const char *const tested[] = {"common_pid == 1 && names != 3", "name == \"x\"",
					     "name == \"x\""};
	struct probe_kernel features = probe_kernel_usual;
	struct prober *prober = new_prober(&probe_kernel_usual, "x86_64");
	struct errmsg err = {0};
	struct definition *d;
	struct textbuf tb;
	struct probe *p;

	assert_int_equal(
		definition_parse(&d, "do_it(file->dentry->name, file->text, c=$comm)", &err), 0);
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(probe_resolve(prober, d, &p, &err), 0);
		features.immediates = i < 2;
		assert_int_equal(probe_guard_texts(p, tested[i], &features), i < 2);
		textbuf_init(&tb, 10000);
		probe_fmt_line(p, 0, "g", "e", &tb);
		textbuf_add(&tb, "", 1);
		assert_int_equal(!!strstr(tb.start, " name=+0(+8(+24(%di))):string "
						    "sonde_guard0=\\\"(fault)\":string text="),
				 i == 1);
		assert_int_equal(!!strstr(tb.start, "guard"), i == 1);
		textbuf_clear(&tb);
		probe_fmt_format(p, kernel, strlen(kernel), &tb);
		textbuf_add(&tb, "", 1);
		if (i == 1)
			assert_string_equal(
				tb.start,
				"name: x\n\tfield:__data_loc char[] name;\toffset:8;\n\tfield:"
				"__data_loc char[] text;\toffset:16;\n\nprint fmt: \"(%lx) "
				"name=\\\"%s\\\" text=\\\"%s\\\"\", REC->__probe_ip, "
				"__get_str(name), __get_str(text)\n");
		textbuf_release(&tb);
		probe_free(p);
	}
	definition_free(d);
	prober_free(prober);
}

static void complaints_find_their_way_back(void **state)
{
	static const char text[] = "do_it(n, file->a:u8)";
	struct prober *prober = new_prober(&probe_kernel_usual, "x86_64");
	struct errmsg err = {0};
	struct definition *d;
	struct textbuf tb;
	struct probe *p;
	struct span s;

	assert_int_equal(definition_parse(&d, text, &err), 0);
	assert_int_equal(probe_resolve(prober, d, &p, &err), 0);
	textbuf_init(&tb, 1000);
	probe_fmt_line(p, 0, "g", "e", &tb);
	textbuf_add(&tb, "", 1);
	assert_string_equal(tb.start, "p:g/e do_it n=%si:s32 a=+0(%di):u8");
	s = probe_span_of(p, 0, tb.start, strstr(tb.start, "%si") - tb.start);
	assert_true(s.at == 6 && s.len == 1);
	s = probe_span_of(p, 0, tb.start, strstr(tb.start, "u8") - tb.start);
	assert_true(s.at == 9 && s.len == 10);
	s = probe_span_of(p, 0, tb.start, 6);
	assert_true(s.at == 0 && s.len == 5);
	textbuf_release(&tb);
	probe_free(p);
	definition_free(d);
	prober_free(prober);
}

/* An agent resolves what a host sends: no file may be opened by a name in it. */
static void for_somebody_else_only_the_kernel_is_probed(void **state)
{
	static const char *const files[] = {"/bin/sh:main", "./prog:work", "sh:main",
					    "%prov:mark",   "/tmp/x.ko:f", "p:a/b /bin/sh:0x10"};
	struct errmsg err = {0};
	struct probe_world world = {.kernel = &probe_kernel_usual,
				    .btf_dir = w.btf,
				    .kallsyms = w.kallsyms,
				    .tracefs_events = w.events,
				    .modules_dir = w.dir,
				    .only_kernel = true};
	struct prober *p;
	char text[2000];

	assert_int_equal(prober_new(&p, &world, &err), 0);
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
		resolve_text(p, files[i], text, sizeof(text));
		assert_non_null(strstr(text, "only functions of the kernel"));
	}
	resolve_text(p, "vfs_read", text, sizeof(text));
	assert_null(strstr(text, "only functions of the kernel"));
	prober_free(p);
}

static void what_a_name_may_be_is_said(void **state)
{
	static const struct row rows[] = {
		{"far_away(x)", "far_away is in the module far, which is not loaded; as root: "
				"modprobe far\n  far_away(x)\n  ^~~~~~~~"},
		{"far_awry", "there is no function 'far_awry' in this kernel; if its source has "
			     "one, it is a macro, or inlined everywhere (--vmlinux FILE finds "
			     "where), or in a module that is not loaded; 'sonde probe funcs' lists "
			     "the functions; write a function of a program as PROGRAM:far_awry\n"
			     "  far_awry\n  ^~~~~~~~"},
		{"nothing(x)",
		 "there is no variable 'x' in nothing; BTF has no parameters for it: it has "
		 "none, so omit them, or it is assembler, whose prototype is unknown: use "
		 "$arg1 or %REG\n  nothing(x)\n          ^"},
	};

	EXPECT(&probe_kernel_usual, "x86_64", rows);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(for_somebody_else_only_the_kernel_is_probed),
		cmocka_unit_test(what_a_name_may_be_is_said),
		cmocka_unit_test(variables_become_reads),
		cmocka_unit_test(what_is_written_wins),
		cmocka_unit_test(symbols_and_modules_are_found),
		cmocka_unit_test(processors_are_rows),
		cmocka_unit_test(newer_kernels_do_more),
		cmocka_unit_test(fields_of_events),
		cmocka_unit_test(conditions_are_over_fields),
		cmocka_unit_test(names_do_not_meet),
		cmocka_unit_test(wrong_ones_are_pointed_at),
		cmocka_unit_test(numbers_get_names_in_the_format),
		cmocka_unit_test(a_probe_of_many_functions_tells_which),
		cmocka_unit_test(values_keep_their_meaning_in_the_format),
		cmocka_unit_test(texts_in_conditions_have_guards),
		cmocka_unit_test(complaints_find_their_way_back),
	};

	return cmocka_run_group_tests(tests, make_world, drop_world);
}

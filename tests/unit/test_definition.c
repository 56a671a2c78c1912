// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_definition.c - the text of a probe taken apart: perf probe's grammar, the short form, the kernel's.
 *
 * Each definition is shown again in a notation of the test's own (show()), in which every part has its
 * place and every step of an expression its parentheses, so that a row says all that was understood.
 */
#include "base/errmsg.h"
#include "base/textbuf.h"
#include "probe/definition/definition.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

static void show_expression(const struct expression *e, struct textbuf *tb)
{
	static const char *const words[] = {
		[EXPRESSION_NAME] = "",		[EXPRESSION_REGISTER] = "reg:",
		[EXPRESSION_RESULT] = "RESULT", [EXPRESSION_COMM] = "COMM",
		[EXPRESSION_STACK] = "STACK",	[EXPRESSION_ARGUMENT] = "ARG",
		[EXPRESSION_DURATION] = "TIME", [EXPRESSION_SYMBOL] = "sym:",
		[EXPRESSION_ADDRESS] = "addr",	[EXPRESSION_FILE_AT] = "file",
		[EXPRESSION_NUMBER] = "num",	[EXPRESSION_TEXT] = "text:",
		[EXPRESSION_MEMBER] = ".",	[EXPRESSION_ARROW] = "->",
		[EXPRESSION_INDEX] = "index",	[EXPRESSION_DEREF] = "*",
		[EXPRESSION_ADDRESS_OF] = "&",	[EXPRESSION_LOAD] = "load",
		[EXPRESSION_CAST] = "cast:",	[EXPRESSION_CONTAINER] = "container:",
		[EXPRESSION_VARS] = "VARS",	[EXPRESSION_PARAMS] = "PARAMS",
	};

	if (e->left) {
		textbuf_add_char(tb, '(');
		show_expression(e->left, tb);
		textbuf_add_char(tb, ')');
	}
	textbuf_add_str(tb, words[e->kind]);
	if (e->text)
		textbuf_add_str(tb, e->text);
	if (e->member)
		textbuf_addf(tb, ".%s", e->member);
	if (e->number || e->kind == EXPRESSION_INDEX || e->kind == EXPRESSION_LOAD)
		textbuf_addf(tb, "%+lld", (long long)e->number);
	if (e->is_user)
		textbuf_add_char(tb, 'u');
}

static void show_place(const struct definition *d, struct textbuf *tb)
{
	if (d->event)
		textbuf_addf(tb, "%s/%s=", d->group ? d->group : "", d->event);
	if (d->target)
		textbuf_addf(tb, "<%s>", d->target);
	if (d->form == DEFINITION_RAW)
		textbuf_addf(tb, "raw %c [%s] ", d->letter, d->rest);
	if (d->form == DEFINITION_MARK)
		textbuf_addf(tb, "mark %s ", d->provider ? d->provider : "-");
	if (d->function)
		textbuf_add_str(tb, d->function);
	if (d->has_address)
		textbuf_addf(tb, "0x%llx", (unsigned long long)d->address);
	if (d->file)
		textbuf_addf(tb, " in %s", d->file);
	if (d->has_line)
		textbuf_addf(tb, " line %u", d->line);
	if (d->offset)
		textbuf_addf(tb, " +%llu", (unsigned long long)d->offset);
	if (d->pattern)
		textbuf_addf(tb, " pattern %s", d->pattern);
	if (d->is_return)
		textbuf_add_str(tb, " return");
	if (d->max_active)
		textbuf_addf(tb, " max %u", d->max_active);
}

static void show(const struct definition *d, struct textbuf *tb)
{
	show_place(d, tb);
	for (size_t i = 0; i < d->n_args; i++) {
		const struct definition_arg *a = &d->args[i];

		textbuf_add_str(tb, " | ");
		if (a->name)
			textbuf_addf(tb, "%s=", a->name);
		show_expression(a->value, tb);
		if (a->type)
			textbuf_addf(tb, " :%s", a->type);
		if (a->is_user)
			textbuf_add_str(tb, " user");
	}
	if (d->filter)
		textbuf_addf(tb, " if [%s]", d->filter);
	textbuf_add(tb, "", 1);
}

static void expect(const char *text, const char *shown)
{
	struct definition *d = NULL;
	struct errmsg err = {0};
	struct textbuf tb;

	if (definition_parse(&d, text, &err) < 0)
		fail_msg("'%s' is refused: %s", text, err.text);
	textbuf_init(&tb, 65536);
	show(d, &tb);
	if (strcmp(tb.start, shown))
		fail_msg("'%s' is\n  %s\nand not\n  %s", text, tb.start, shown);
	textbuf_release(&tb);
	definition_free(d);
}

/* covers: D13 */
static void places_of_perf(void **state)
{
	expect("vfs_read", "vfs_read");
	expect("  vfs_read  ", "vfs_read");
	expect("ev=vfs_read", "/ev=vfs_read");
	expect("my:ev=vfs_read", "my/ev=vfs_read");
	expect("my/ev=vfs_read", "my/ev=vfs_read");
	expect("vfs_read@fs/read_write.c", "vfs_read in fs/read_write.c");
	expect("vfs_read:3", "vfs_read line 3");
	expect("vfs_read:0", "vfs_read line 0");
	expect("my:ev=vfs_read@fs/read_write.c:3 file count",
	       "my/ev=vfs_read in fs/read_write.c line 3 | file | count");
	expect("vfs_read+36", "vfs_read +36");
	expect("vfs_read+0x24@fs/read_write.c", "vfs_read in fs/read_write.c +36");
	expect("vfs_read%return $retval", "vfs_read return | RESULT");
	expect("vfs_read%return@16 $retval", "vfs_read return max 16 | RESULT");
	expect("vfs_read%return@fs/x.c", "vfs_read in fs/x.c return");
	expect("work;sum=*", "work pattern sum=*");
	expect("work;ret=(a+b)*2 x", "work pattern ret=(a+b)*2 | x");
	expect("work;\"a = b\" x", "work pattern a = b | x");
	expect("prog.c:25 number", " in prog.c line 25 | number");
	expect("kfree_mid=mm/slub.c:3408 x", "/kfree_mid= in mm/slub.c line 3408 | x");
	expect("prog.c;i++", " in prog.c pattern i++");
	expect("work.isra.0:3 x", "work.isra.0 line 3 | x");
	expect("work.cold:1", "work.cold line 1");
	expect("0xffffffff81000010 %di", "0xffffffff81000010 | reg:di");
	expect("vfs_* $params", "vfs_* | PARAMS");
	expect("memcpy\\@\\@GLIBC_2.14 $arg1", "memcpy@@GLIBC_2.14 | ARG+1");
	expect("\\p:3", "p line 3");
}

static void places_of_the_short_form(void **state)
{
	expect("bash:readline%return($retval:ustring)", "<bash>readline return | RESULT :ustring");
	expect("/usr/lib/x86_64-linux-gnu/libc.so.6:malloc(bytes)",
	       "</usr/lib/x86_64-linux-gnu/libc.so.6>malloc | bytes");
	expect("/usr/bin/g++-12:main(argc)", "</usr/bin/g++-12>main | argc");
	expect("./a.out:prog.c:25(number)", "<./a.out> in prog.c line 25 | number");
	expect("prog:work:3(x)", "<prog>work line 3 | x");
	expect("prog:0x1139(%di)", "<prog>0x1139 | reg:di");
	expect("ev=kvm:irqfd_inject+36(work)", "/ev=<kvm>irqfd_inject +36 | work");
	expect("sched:sched_switch(next_comm) if next_pid > 5",
	       "<sched>sched_switch | next_comm if [next_pid > 5]");
	expect("vfs_read()", "vfs_read");
	expect("slow=vfs_read%return($retval, count) if $retval > 4096",
	       "/slow=vfs_read return | RESULT | count if [$retval > 4096]");
	expect("vfs_read if common_pid == 1", "vfs_read if [common_pid == 1]");
	expect("prog:ns::Box::get(this->size)", "<prog>ns::Box::get | (this)->size");
	expect("prog:Box<int, char*>::get(a)", "<prog>Box<int, char*>::get | a");
	expect("prog:Box::~Box", "<prog>Box::~Box");
	expect("prog:Box::operator==(a)", "<prog>Box::operator== | a");
	expect("prog:operator==(a)", "<prog>operator== | a");
	expect("operator+", "operator+");
	expect("ns::Box::operator+=(a)", "ns::Box::operator+= | a");
	expect("ns::Box::operator++4", "ns::Box::operator+ +4");
	expect("operator+4", "operator +4");
	expect("ns::Box::operator%%return", "ns::Box::operator% return");
	expect("ns::Box::operator() x", "ns::Box::operator() | x");
	expect("ns::Box::operator< this->held", "ns::Box::operator< | (this)->held");
	expect("libstdc++.so.6:work(a)", "<libstdc++.so.6>work | a");
	expect("libstdc++:work+4", "<libstdc++>work +4");
}

/* covers: D22 */
static void marks(void **state)
{
	expect("%libc:setjmp $arg1", "mark libc setjmp | ARG+1");
	expect("%sdt_libc:setjmp", "mark libc setjmp");
	expect("%setjmp", "mark - setjmp");
	expect("my:ev=%libc:setjmp", "my/ev=mark libc setjmp");
	expect("libc.so.6:%libc:setjmp(a=$arg2:x64)", "<libc.so.6>mark libc setjmp | a=ARG+2 :x64");
}

/* covers: D01 D03 D04 D06 */
static void the_kernels_own(void **state)
{
	expect("p:my/ev vfs_read+0x10 count=%dx:u64",
	       "my/ev=raw p [vfs_read+0x10 count=%dx:u64] vfs_read+0x10");
	expect("p:myprobe do_sys_open", "/myprobe=raw p [do_sys_open] do_sys_open");
	expect("p vfs_read", "raw p [vfs_read] vfs_read");
	expect("r16:ev vfs_read $retval if ret > 3",
	       "/ev=raw r [vfs_read $retval] vfs_read return max 16 if [ret > 3]");
	expect("f:ev vfs_read%return", "/ev=raw f [vfs_read%return] vfs_read%return return");
	expect("e:my/ev sched.sched_switch a=$next_pid if next_pid > 3",
	       "my/ev=raw e [sched.sched_switch a=$next_pid if next_pid > 3] "
	       "sched.sched_switch");
	expect("t:ev sched_switch next->pid", "/ev=raw t [sched_switch next->pid] sched_switch");
	expect("p:up/x /bin/bash:0x4245c0 %ip",
	       "up/x=raw p [/bin/bash:0x4245c0 %ip] /bin/bash:0x4245c0");
	expect("p:work", "<p>work");
	expect("p:work(x) if y", "<p>work | x if [y]");
}

static void expressions(void **state)
{
	expect("f(file->f_path.dentry->d_name.name, count)",
	       "f | ((((file)->f_path).dentry)->d_name).name | count");
	expect("f a->b[3].c:x32 n=d:string@user",
	       "f | (((a)->b)index+3).c :x32 | n=d :string user");
	expect("f x@user:u8", "f | x :u8 user");
	expect("f(%di, $stack, $stack3, $arg2, $comm, $arg*, $params, $vars)",
	       "f | reg:di | STACK-1 | STACK+3 | ARG+2 | COMM | PARAMS | PARAMS | VARS");
	expect("f%return($retval->x, $duration)", "f return | (RESULT)->x | TIME");
	expect("f(@jiffies, @table+8, @x-8, @0xffff, @+0x10:u32)",
	       "f | sym:jiffies | sym:table+8 | sym:x-8 | addr+65535 | file+16 :u32");
	expect("f @jiffies:u64", "f | sym:jiffies :u64");
	expect("f(\\42, \\-1, \\\"a text\")", "f | num+42 | num-1 | text:a text");
	expect("f(+40(+72(%di)):string, -8(%bp), +u0($arg1):ustring)",
	       "f | ((reg:di)load+72)load+40 :string | (reg:bp)load-8 | (ARG+1)load+0u :ustring");
	expect("f(*p, &q->r, **pp)", "f | (p)* | ((q)->r)& | ((pp)*)*");
	expect("f((*p).x, (p)->x, *p.x)", "f | ((p)*).x | (p)->x | ((p).x)*");
	expect("f((struct kvm *)p->q, ((struct kvm *)p)->q)",
	       "f | ((p)->q)cast:struct kvm * | ((p)cast:struct kvm *)->q");
	expect("f((u64)x, (foo_t *)x, (unsigned long) x, (a))",
	       "f | (x)cast:u64 | (x)cast:foo_t * | (x)cast:unsigned long | a");
	expect("f (u64)x (y) ((struct a *)b)->c", "f | (x)cast:u64 | y | ((b)cast:struct a *)->c");
	expect("f(container_of(work, struct kvm_kernel_irqfd, inject)->kvm->userspace_pid)",
	       "f | (((work)container:struct kvm_kernel_irqfd.inject)->kvm)->userspace_pid");
	expect("f container_of(work, struct a, b.c)->d:x64 e",
	       "f | ((work)container:struct a.b.c)->d :x64 | e");
	expect("f((struct a,b)work->kvm)", "f | ((work)container:struct a.b)->kvm");
	expect("f(a -> b . c [ 2 ])", "f | (((a)->b).c)index+2");
	expect("f(ns::global, x:b3@5/32, y:u8[16], z:string[4]@user)",
	       "f | ns::global | x :b3@5/32 | y :u8[16] | z :string[4] user");
	expect("f a:x b:s c:u d:%pd", "f | a :x | b :s | c :u | d :%pd");
	expect("irqfd_inject+36 work:x64 kvm->arch.max_vcpus:x64",
	       "irqfd_inject +36 | work :x64 | ((kvm)->arch).max_vcpus :x64");
}

/* A wrong text, what the sentence must say, and where the caret stands (counted from 0). */
struct refusal {
	const char *text, *says;
	int at, len;
};

static const struct refusal refusals[] = {
	{"", "empty", 0, 1},
	{"   ", "empty", 3, 1},
	{"a\nb", "line break", 1, 1},
	{"=vfs_read", "name of the event is missing", 0, 1},
	{"my-ev=vfs_read", "'-' cannot be in the name of an event", 2, 1},
	{"1ev=vfs_read", "'1' cannot begin the name of an event", 0, 1},
	{"a:=vfs_read", "name of the event is missing", 2, 1},
	{"a-b:ev=vfs_read", "name of a group", 1, 1},
	{"bash:", "nothing follows bash", 5, 1},
	{"bash:(x)", "nothing follows bash", 5, 1},
	{"vfs_read:12x", "no number of a line", 9, 3},
	{"vfs_read:1:2", "line is given twice", 11, 1},
	{"prog.c", "is a source file", 0, 6},
	{"prog.c x", "is a source file", 0, 6},
	{"prog.c:0", "count from 1", 7, 1},
	{"prog.c:3%return", "needs a function before it", 8, 7},
	{"prog.c:3+4", "cannot stand with a line", 9, 1},
	{"vfs_read+", "no offset", 9, 1},
	{"vfs_read+x", "no offset", 9, 1},
	{"vfs_read+4+4", "offset is given twice", 11, 1},
	{"vfs_read%ret", "only 'return' is known", 8, 4},
	{"vfs_read%return@0", "from 1 to 4096", 16, 1},
	{"vfs_read+4%return", "returns as a whole", 9, 1},
	{"vfs_read:4%return", "returns as a whole", 9, 1},
	{"vfs_read@", "source file is missing", 9, 1},
	{"vfs_read@a.c@b.c", "source file is given twice", 13, 3},
	{"vfs_read;", "pattern is missing", 9, 1},
	{"vfs_read;\"abc", "not closed", 9, 1},
	{"%", "write a mark as", 1, 1},
	{"%a:b:c", "two names", 4, 1},
	{"0x12345678901234567", "no address", 0, 19},
	{"vfs-read", "'-' cannot be in the name of a function", 3, 1},
	{"vfs_read)", "')' cannot be in the name", 8, 1},
	{"(x)", "name of a function is missing", 0, 1},
	{"f(", "argument is missing", 2, 1},
	{"f(a", "not closed", 3, 1},
	{"f(a,", "argument is missing", 4, 1},
	{"f(a,)", "argument is missing", 4, 1},
	{"f(,a)", "argument is missing", 2, 1},
	{"f(a b)", "comma is missing", 4, 1},
	{"f(a) b", "only a condition can follow", 5, 1},
	{"f(a) if", "condition after 'if' is missing", 7, 1},
	{"f a, b", "omit the comma", 3, 1},
	{"f a)", "was not opened", 3, 1},
	{"f(a->)", "member's name is missing after '->'", 3, 2},
	{"f(a.)", "member's name is missing after '.'", 3, 1},
	{"f(a-b)", "write '->'", 3, 1},
	{"f(a+b)", "cannot calculate", 3, 1},
	{"f(a==b)", "write a condition after", 3, 1},
	{"f(a[i])", "an index must be a number", 4, 1},
	{"f(a[])", "an index must be a number", 4, 1},
	{"f(a[3)", "bracket that opens here is not closed", 3, 1},
	{"f(a:)", "type is missing", 4, 1},
	{"f(a:u65)", "the nearest is u64", 4, 3},
	{"f%return@x", "after %return@ comes the number", 9, 1},
	{"f(a:strng)", "the nearest is string", 4, 5},
	{"f(a:int)", "as a cast before the name", 4, 3},
	{"f(a:b3@5)", "no bit field", 4, 4},
	{"f(a:u8[0])", "N from 1 to 64", 6, 3},
	{"f(a:u8[4)", "N from 1 to 64", 6, 2},
	{"f(a:u8:u8)", "type is given twice", 6, 1},
	{"f(a@usr)", "only '@user' can follow", 3, 4},
	{"f($retval)", "write f%return", 2, 7},
	{"f:3 $retval", "known only where a function returns", 4, 7},
	{"f%return($retvl)", "did you mean $retval?", 9, 6},
	{"f($next_comm)", "write a variable without $", 2, 10},
	{"f($arg0)", "count from 1", 2, 5},
	{"f($arg)", "count from 1", 2, 4},
	{"f(%)", "register is missing", 2, 1},
	{"f(42)", "write \\42", 2, 2},
	{"f(+4)", "reads nothing", 2, 2},
	{"f(-1)", "reads nothing", 2, 2},
	{"f(@)", "not a number", 2, 1},
	{"f(\\x)", "not a number", 2, 2},
	{"f(\\\"abc)", "quote that opens here", 3, 1},
	{"f((struct kvm *p)", "argument is missing", 17, 1},
	{"f((a)", "not closed", 5, 1},
	{"f((*a", "parenthesis that opens here", 2, 1},
	{"f(strlen(a))", "cannot call functions", 2, 6},
	{"f(container_of(a, b))", "',' is missing here, after the type", 19, 1},
	{"f(container_of(a))", "',' is missing here", 16, 1},
	{"f(container_of(a, struct b, ))", "member's name is missing", 28, 1},
	{"f(x=a, x=b)", "two arguments have the name x", 7, 1},
	{"f(1x=a)", "begin with a letter", 2, 2},
	{"f(common_pid=a)", "field common_pid already", 2, 10},
	{"f(x=$vars)", "neither a name nor a type", 2, 7},
	{"f($vars:x64)", "neither a name nor a type", 2, 9},
	{"f('a')", "cannot begin with", 2, 1},
	{"-:my/ev", "removes a probe", 0, 2},
	{"p16:ev f", "only r and f take one", 1, 2},
	{"p:a-b f", "cannot be in the name of an event", 3, 1},
	{"r:a/ f", "name of the event is missing", 4, 1},
};

/* The caret's column and length in the last line; -1 without one. */
static int caret_at(const char *text, int *ret_len)
{
	const char *line = strrchr(text, '\n'), *caret = line ? strchr(line, '^') : NULL;

	if (!caret)
		return -1;
	*ret_len = 1 + strspn(caret + 1, "~");
	return caret - line - 3;
}

static void expect_unclear(const char *text, const char *chosen)
{
	struct definition *d = NULL;
	struct errmsg err = {0};

	assert_int_equal(definition_parse(&d, text, &err), 0);
	assert_string_equal(d->chosen ? d->chosen : "none", chosen);
	definition_free(d);
}

/* Parentheses behind a name: parameters that choose a function, or what is recorded. covers: D13 Q15 */
static void parameters_choose(void **state)
{
	expect("prog:ns::Box::put(int)(n)", "<prog>ns::Box::put(int) | n");
	expect("ns::Box::put(int) n", "ns::Box::put(int) | n");
	expect("ns::Box::put(Mode) n", "ns::Box::put(Mode) | n");
	expect("put(int)", "put(int)");
	expect("put(const char *, unsigned)", "put(const char *, unsigned)");
	expect("put(Big&)", "put(Big&)");
	expect("put(std::vector<int>) if n > 3", "put(std::vector<int>) if [n > 3]");
	expect("put(Mode)%return($retval)", "put(Mode) return | RESULT");
	expect("put(Mode):3(n)", "put(Mode) line 3 | n");
	expect("put(int (*)(char))(n)", "put(int (*)(char)) | n");
	expect("Box::operator()(int)(n)", "Box::operator()(int) | n");
	expect("put(n)", "put | n");
	expect("put()", "put");
	expect("put()(n)", "put() | n");
	expect("put($arg*)", "put | PARAMS");
	expect("put(a->b, c:char)", "put | (a)->b | c :char");
	expect_unclear("put(Mode)", "put(Mode)");
	expect_unclear("prog:put(n, m) if n > 3", "put(n, m)");
	expect_unclear("put(int)", "none");
	expect_unclear("put", "none");
}

/* Programs look at the reason and the span, never at the sentence. */
static void mistakes_have_reasons(void **state)
{
	static const struct {
		const char *text;
		enum definition_reason reason;
		size_t at, len;
	} rows[] = {
		{"1a=work", DEFINITION_REASON_NAME, 0, 1},
		{"work:1x", DEFINITION_REASON_LINE, 5, 2},
		{"work+x", DEFINITION_REASON_OFFSET, 5, 1},
		{"0xq", DEFINITION_REASON_ADDRESS, 0, 3},
		{"work%ret", DEFINITION_REASON_SUFFIX, 4, 4},
		{"work@a.c@b.c", DEFINITION_REASON_FILE_TWICE, 9, 3},
		{"prog.c", DEFINITION_REASON_FILE_ALONE, 0, 6},
		{"work:3;x*", DEFINITION_REASON_LINE_AND_PATTERN, 7, 2},
		{"work:3+4", DEFINITION_REASON_LINE_AND_OFFSET, 7, 1},
		{"work%return+4", DEFINITION_REASON_RETURN_INSIDE, 12, 1},
		{"work a b:nonsense", DEFINITION_REASON_NONE, 9, 8},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct definition *d = NULL;
		struct errmsg err = {0};

		assert_true(definition_parse(&d, rows[i].text, &err) < 0);
		if (err.reason != (int)rows[i].reason || !err.has_span || err.at != rows[i].at ||
		    err.len != rows[i].len)
			fail_msg("'%s': reason %d, %zu + %zu\n%s", rows[i].text, err.reason, err.at,
				 err.len, err.text);
		assert_int_equal(err.text[errmsg_sentence_len(&err)], '\n');
	}
}

/* covers: B06 */
static void wrong_ones_are_pointed_at(void **state)
{
	for (size_t i = 0; i < sizeof(refusals) / sizeof(*refusals); i++) {
		const struct refusal *row = &refusals[i];
		struct definition *d = NULL;
		struct errmsg err = {0};
		int len = 0, at;

		if (definition_parse(&d, row->text, &err) >= 0) {
			print_error("'%s' is taken\n", row->text);
			definition_free(d);
			fail();
		}
		at = caret_at(err.text, &len);
		if (!strstr(err.text, row->says) ||
		    (row->at >= 0 && (at != row->at || len != row->len)))
			fail_msg("'%s' gives %d %d\n%s", row->text, at, len, err.text);
	}
}

static void long_texts_show_a_window(void **state)
{
	char text[DEFINITION_MAX_BYTES + 2];
	struct definition *d;
	struct errmsg err = {0};
	char *line;

	memset(text, 'a', sizeof(text) - 1);
	text[sizeof(text) - 1] = 0;
	assert_int_equal(definition_parse(&d, text, &err), -E2BIG);
	memset(&err, 0, sizeof(err));
	snprintf(text, sizeof(text), "f(%0300d_, x-)", 0);
	memset(text + 2, 'v', 300);
	assert_int_equal(definition_parse(&d, text, &err), -EINVAL);
	line = strstr(err.text, "…");
	assert_non_null(line);
	assert_non_null(strstr(line, "vvv_, x-)\n"));
	/* under the '-': the sign of what is left out takes a column of three bytes */
	assert_int_equal(strrchr(err.text, '^') - strrchr(err.text, '\n'),
			 strchr(line, '-') - line - 2 + 3);
}

/* "f(" and n times the piece and the end. */
static char *repeated(const char *piece, size_t n, const char *end)
{
	struct textbuf tb;
	char *text;

	textbuf_init(&tb, 65536);
	textbuf_add_str(&tb, "f(");
	for (size_t i = 0; i < n; i++)
		textbuf_add_str(&tb, piece);
	textbuf_add_str(&tb, end);
	textbuf_add(&tb, "", 1);
	text = strdup(tb.start);
	textbuf_release(&tb);
	return text;
}

static void too_much_is_refused(void **state)
{
	static const struct {
		const char *piece;
		size_t n;
		const char *end, *says;
	} rows[] = {
		{"a->", 500, "a)", "steps"},
		{"*", 3000, "a)", "deep"},
		{"(", 1000, "a)", "deep"},
		{"a,", 128, "a)", "128"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		char *text = repeated(rows[i].piece, rows[i].n, rows[i].end);
		struct definition *d;
		struct errmsg err = {0};

		assert_int_equal(definition_parse(&d, text, &err), -EINVAL);
		assert_non_null(strstr(err.text, rows[i].says));
		free(text);
	}
}

static void words_that_are_definitions(void **state)
{
	static const char *const yes[] = {"vfs_read(x)", "vfs_read%return",    "a=b",
					  "prog.c:25",	 "vfs_read:3",	       "vfs_read+36",
					  "vfs_read a",	 "/bin/bash:readline", "libc.so.6:malloc",
					  "0xffff",	 "prog:ns::f",	       "p:a/b c",
					  "./prog:work", "%libc:setjmp",       "bin/x:work"};
	static const char *const no[] = {
		"sched",    "sched:sched_switch", "sched_*",	   "all",
		"*:*",	    "sched/sched_switch", "bash:readline", "vfs_read",
		"[a-c]*:x?"};

	for (size_t i = 0; i < sizeof(yes) / sizeof(*yes); i++)
		if (!definition_is_one(yes[i]))
			fail_msg("%s", yes[i]);
	for (size_t i = 0; i < sizeof(no) / sizeof(*no); i++)
		if (definition_is_one(no[i]))
			fail_msg("%s", no[i]);
}

static void spans_point_into_the_text(void **state)
{
	const char *text = "bash:readline%return(name->x[2]:x64, b) if c";
	struct definition *d;
	struct errmsg err = {0};
	const struct expression *e;

	assert_int_equal(definition_parse(&d, text, &err), 0);
	assert_memory_equal(text + d->target_span.at, "bash", d->target_span.len);
	assert_memory_equal(text + d->function_span.at, "readline", d->function_span.len);
	assert_memory_equal(text + d->args[0].span.at, "name->x[2]:x64", d->args[0].span.len);
	assert_memory_equal(text + d->args[0].type_span.at, "x64", d->args[0].type_span.len);
	e = d->args[0].value;
	assert_memory_equal(text + e->span.at, "name->x[2]", e->span.len);
	assert_memory_equal(text + e->left->word.at, "x", e->left->word.len);
	assert_memory_equal(text + e->left->span.at, "name->x", e->left->span.len);
	assert_memory_equal(text + d->filter_span.at, "c", d->filter_span.len);
	definition_free(d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(places_of_perf),
		cmocka_unit_test(places_of_the_short_form),
		cmocka_unit_test(marks),
		cmocka_unit_test(the_kernels_own),
		cmocka_unit_test(expressions),
		cmocka_unit_test(parameters_choose),
		cmocka_unit_test(mistakes_have_reasons),
		cmocka_unit_test(wrong_ones_are_pointed_at),
		cmocka_unit_test(long_texts_show_a_window),
		cmocka_unit_test(too_much_is_refused),
		cmocka_unit_test(words_that_are_definitions),
		cmocka_unit_test(spans_point_into_the_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

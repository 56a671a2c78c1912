// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * bpfsource.c - from a field's name to the bytes it is made of.
 *
 *	p:sonde_12/vfs_read vfs_read+0 name=+0(+40(+72(%di))):string count=%dx:u64
 *	                                       │                           └ 8 bytes at 96 of the registers
 *	                                       └ register di, then three steps; the last one is the text
 *
 * That is what the kernel makes of a probe's line, in its own words; whatever is not understood here (symbols,
 * arrays, the entry's arguments at a return) is left to those who count otherwise.
 *
 * At the entry of a function and at its return no probe is needed, if BTF knows it: a program there is called with
 * the arguments, in the place of registers, and the result.
 *
 * Tracepoints hand their arguments over before the event's record is made of them. Which field comes from which one
 * is in no file, so it is a table here; the layout of the structs is from the kernel's BTF, and so is the check that
 * the argument is what the table thinks.
 */
#include "capture/bpfsource.h"

#include "base/errmsg.h"
#include "symbols/arch.h"
#include "symbols/btf.h"
#include "symbols/syscalls.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- registers --------------------------------------------------------------------------------- */

/* Where struct pt_regs has them, in the order of DWARF; elsewhere they stand there in that order. */
static const uint8_t x86_64_offsets[] = {80, 96, 88, 40, 104, 112, 32, 152,
					 72, 64, 56, 48, 24,  16,  8,  0};

static bool use_register(const struct arch *a, unsigned number, struct bpfsource *s)
{
	bool is_x86 = !strcmp(a->name, "x86_64");

	if (number >= a->n_regs || (is_x86 && number >= sizeof(x86_64_offsets)))
		return false;
	s->kind = BPFSOURCE_CONTEXT;
	s->number = number;
	s->start = is_x86 ? x86_64_offsets[number] : number * 8;
	s->n_start = 8;
	return true;
}

static bool use_named_register(const struct arch *a, const char *name, size_t len,
			       struct bpfsource *s)
{
	for (unsigned i = 0; i < a->n_regs; i++)
		if (a->regs[i] && strlen(a->regs[i]) == len && !memcmp(a->regs[i], name, len))
			return use_register(a, i, s);
	return false;
}

/* --- a probe's line ---------------------------------------------------------------------------- */

struct line {
	const struct arch *arch;
	bool is_program, is_return;
	const struct bpffunction *function; /* NULL: there are registers */
};

static bool add_step(struct bpfsource *s, long long offset, enum bpfsource_memory memory)
{
	if (s->n_steps == BPFCOUNT_STEPS_MAX || offset < INT32_MIN || offset > INT32_MAX)
		return false;
	s->steps[s->n_steps].offset = (int32_t)offset;
	s->steps[s->n_steps++].memory = memory;
	return true;
}

static bool is_digits(const char *text, size_t len)
{
	return len && len < 4 && strspn(text, "0123456789") >= len;
}

/* What begins with $. */
static bool take_variable(const struct line *l, const char *text, size_t len, struct bpfsource *s)
{
	enum bpfsource_memory memory = l->is_program ? BPFMEMORY_USER : BPFMEMORY_ANY;

	if (len == 4 && !memcmp(text, "comm", 4)) {
		s->kind = BPFSOURCE_COMM;
		return true;
	}
	if (len == 6 && !memcmp(text, "retval", 6))
		return l->is_return && use_register(l->arch, l->arch->result_regs[0], s);
	if (len > 3 && !memcmp(text, "arg", 3) && is_digits(text + 3, len - 3) &&
	    (!l->is_return || l->function)) {
		int n = atoi(text + 3);

		return n > 0 && (unsigned)n <= l->arch->n_arg_regs &&
		       use_register(l->arch, l->arch->arg_regs[n - 1], s);
	}
	if (len >= 5 && !memcmp(text, "stack", 5) && use_register(l->arch, l->arch->stack_reg, s))
		return len == 5 ||
		       (is_digits(text + 5, len - 5) && add_step(s, atoi(text + 5) * 8ll, memory));
	return false;
}

/* "+40(+72(%di))": from the inside, each pair of parentheses is a step. */
static bool take_value(const struct line *l, const char *text, size_t len, unsigned depth,
		       struct bpfsource *s)
{
	bool is_user = len > 1 && text[1] == 'u';
	const char *number = text + 1 + is_user, *open;
	char *end;
	long long offset;

	if (!len || depth > BPFCOUNT_STEPS_MAX)
		return false;
	if (*text == '%')
		return use_named_register(l->arch, text + 1, len - 1, s);
	if (*text == '$')
		return take_variable(l, text + 1, len - 1, s);
	if (*text == '\\' && len > 1 && text[1] != '"') {
		s->kind = BPFSOURCE_NUMBER;
		s->number = (uint64_t)strtoll(text + 1, &end, 0);
		return end == text + len;
	}
	open = memchr(text, '(', len);
	if ((*text != '+' && *text != '-') || !open || text[len - 1] != ')')
		return false;
	offset = strtoll(number, &end, 0);
	if (end != open || end == number)
		return false;
	if (!take_value(l, open + 1, len - (size_t)(open + 1 - text) - 1, depth + 1, s))
		return false;
	return s->kind != BPFSOURCE_COMM &&
	       add_step(s, *text == '-' ? -offset : offset,
			is_user || l->is_program ? BPFMEMORY_USER : BPFMEMORY_ANY);
}

/* "b3@2/32" */
static bool take_bits(const char *type, struct bpfsource *s)
{
	unsigned n_bits, shift, size;
	char more;

	if (sscanf(type, "b%u@%u/%u%c", &n_bits, &shift, &size, &more) != 3 ||
	    size != s->n_bytes * 8u || !n_bits || n_bits + shift > size)
		return false;
	s->n_bits = (uint8_t)n_bits;
	s->shift = (uint8_t)shift;
	s->is_signed = false;
	return true;
}

static bool take_number_type(const char *type, struct bpfsource *s)
{
	char want[8];

	if (*type == 'b')
		return take_bits(type, s);
	snprintf(want, sizeof(want), "%u", s->n_bytes * 8u);
	return strchr("usx", *type) && *type && !strcmp(type + 1, want);
}

static bool take_text_type(const char *type, struct bpfsource *s)
{
	bool is_user = !strcmp(type, "ustring");

	if (s->kind == BPFSOURCE_COMM)
		return true;
	if ((!is_user && strcmp(type, "string")) || !s->n_steps)
		return false;
	if (is_user)
		s->steps[s->n_steps - 1].memory = BPFMEMORY_USER;
	s->n_bytes = BPFCOUNT_TEXT_MAX_BYTES;
	return true;
}

/* The word "NAME=…" behind the place. */
static const char *find_argument(const char *line, const char *name, size_t *ret_len)
{
	size_t len = strlen(name);

	for (const char *p = strchr(line, ' '); p; p = strchr(p + 1, ' '))
		if (!strncmp(p + 1, name, len) && p[1 + len] == '=') {
			p += 2 + len;
			*ret_len = strcspn(p, " ");
			return p;
		}
	return NULL;
}

/* In place of a register at the entry, or at the return: the argument or the result that is there then. */
static bool use_argument(const struct line *l, bool by_number, struct bpfsource *s)
{
	const struct bpffunction *function = l->function;
	unsigned n = 0;

	if (s->kind != BPFSOURCE_CONTEXT)
		return true;
	if (function->is_return && !by_number) {
		s->start = function->n_args * 8;
		return s->number == l->arch->result_regs[0];
	}
	while (n < function->n_args && l->arch->arg_regs[n] != s->number)
		n++;
	s->start = n * 8;
	/* what is above an argument that is shorter than a register is not defined */
	return n < function->n_args &&
	       (function->n_bytes[n] == 8 ||
		(!s->n_steps && !s->is_text && s->n_bytes <= function->n_bytes[n]));
}

static bool of_line(const struct line *l, const struct probe_defined *p, const struct bpffield *f,
		    struct bpfsource *s)
{
	const char *text, *colon;
	char type[32] = "";
	size_t len;

	*s = (struct bpfsource){
		.is_text = f->is_text, .is_signed = f->is_signed, .n_bytes = (uint16_t)f->n_bytes};
	text = find_argument(p->line, f->name, &len);
	if (!text)
		return false;
	colon = memrchr(text, ':', len);
	if (colon) {
		snprintf(type, sizeof(type), "%.*s", (int)(len - (size_t)(colon + 1 - text)),
			 colon + 1);
		len = (size_t)(colon - text);
	}
	if (!take_value(l, text, len, 0, s) ||
	    (l->function && !use_argument(l, memmem(text, len, "$arg", 4), s)))
		return false;
	return f->is_text ? take_text_type(type, s)
	       : *type	  ? take_number_type(type, s)
			  : f->n_bytes == 8;
}

bool bpfsource_of_probe(const struct probe_defined *p, const struct bpffield *f,
			struct bpfsource *ret_source)
{
	struct line l = {.arch = arch_of_this_kernel(),
			 .is_program = p->kind == PROBE_UPROBE || p->kind == PROBE_URETPROBE,
			 .is_return = p->kind == PROBE_KRETPROBE || p->kind == PROBE_URETPROBE};

	if (!l.arch || (!l.is_program && !l.is_return && p->kind != PROBE_KPROBE))
		return false;
	return of_line(&l, p, f, ret_source);
}

bool bpfsource_of_function(const struct bpffunction *function, const struct probe_defined *p,
			   const struct bpffield *f, struct bpfsource *ret_source)
{
	struct line l = {.arch = arch_of_this_kernel(),
			 .is_return = function->is_return,
			 .function = function};

	return l.arch && of_line(&l, p, f, ret_source);
}

/* --- functions --------------------------------------------------------------------------------- */

static bool open_btf(struct btf **btf)
{
	struct errmsg ignored = {0};

	return *btf || btf_open_kernel(btf, NULL, NULL, &ignored) >= 0;
}

/* Arguments that are in one register each. */
static bool take_prototype(struct type prototype, struct bpffunction *function)
{
	struct type_member m;
	struct type_facts f;

	type_get(prototype, &f);
	if (f.kind != TYPE_FUNCTION || f.n_members > BPFFUNCTION_ARGS_MAX)
		return false;
	function->n_args = f.n_members;
	for (unsigned i = 0; i < function->n_args; i++) {
		if (type_member(prototype, i, &m) < 0)
			return false;
		type_get(m.type, &f);
		if ((f.kind != TYPE_INT && f.kind != TYPE_ENUM && f.kind != TYPE_POINTER) ||
		    f.n_bytes > 8)
			return false;
		function->n_bytes[i] = f.kind == TYPE_POINTER ? 8 : (uint8_t)f.n_bytes;
	}
	return true;
}

bool bpffunction_find(struct btf **btf, const struct probe_defined *p,
		      struct bpffunction *ret_function)
{
	const char *place = strchr(p->line, ' '), *end;
	struct type prototype;
	size_t len;

	if (!place || (p->kind != PROBE_KPROBE && p->kind != PROBE_KRETPROBE &&
		       p->kind != PROBE_FPROBE && p->kind != PROBE_FPROBE_EXIT))
		return false;
	len = strcspn(++place, " +%");
	end = place + len;
	if (!strncmp(end, "+0", 2) && (!end[2] || end[2] == ' '))
		end += 2;
	if (!strncmp(end, "%return", 7))
		end += 7;
	/* another instruction, another module's */
	if ((*end && *end != ' ') || memchr(place, ':', len) || !open_btf(btf))
		return false;
	*ret_function = (struct bpffunction){.number = btf_function_number(*btf, place, len),
					     .is_return = p->kind == PROBE_KRETPROBE ||
							  p->kind == PROBE_FPROBE_EXIT};
	return ret_function->number && btf_find_function(*btf, place, len, &prototype) >= 0 &&
	       take_prototype(prototype, ret_function);
}

/* --- tracepoints ------------------------------------------------------------------------------- */

/* type NULL: the argument is the number itself; else it points to such a struct. */
struct raw_row {
	const char *system, *events, *fields; /* several with spaces between them */
	uint8_t arg;
	const char *type, *members; /* as many as fields */
};

static const struct raw_row raw_rows[] = {
	{"raw_syscalls", "sys_enter", "id", 1},
	{"raw_syscalls", "sys_exit", "ret", 1},
	{"raw_syscalls", "sys_exit", "id", 0, "pt_regs", "orig_ax"}, /* x86 */
	{"sched", "sched_switch", "prev_comm prev_pid prev_prio", 1, "task_struct",
	 "comm pid prio"},
	{"sched", "sched_switch", "next_comm next_pid next_prio", 2, "task_struct",
	 "comm pid prio"},
	{"sched",
	 "sched_waking sched_wakeup sched_wakeup_new sched_migrate_task sched_process_exit "
	 "sched_process_free sched_stat_runtime",
	 "comm pid prio", 0, "task_struct", "comm pid prio"},
	{"sched", "sched_migrate_task", "dest_cpu", 1},
	{"sched", "sched_process_fork", "parent_comm parent_pid", 0, "task_struct", "comm pid"},
	{"sched", "sched_process_fork", "child_comm child_pid", 1, "task_struct", "comm pid"},
	{"irq", "irq_handler_entry irq_handler_exit", "irq", 0},
	{"irq", "irq_handler_entry", "name", 1, "irqaction", "name"},
	{"irq", "softirq_entry softirq_exit softirq_raise", "vec", 0},
	{"power", "cpu_idle cpu_frequency", "state", 0},
	{"power", "cpu_idle cpu_frequency", "cpu_id", 1},
	{"signal", "signal_generate signal_deliver", "sig", 0},
};

/* The n-th of the words is it; -1: none. */
static int find_word(const char *words, const char *word)
{
	size_t len = strlen(word);
	int n = 0;

	for (const char *p = words; p; n++) {
		if (!strncmp(p, word, len) && (p[len] == ' ' || !p[len]))
			return n;
		p = strchr(p, ' ');
		p = p ? p + 1 : NULL;
	}
	return -1;
}

static void copy_word(const char *words, int n, char *buf, size_t n_bytes)
{
	for (; n > 0; n--)
		words = strchr(words, ' ') + 1;
	snprintf(buf, n_bytes, "%.*s", (int)strcspn(words, " "), words);
}

/* The type of a tracepoint's argument: BTF has a prototype for each, btf_trace_NAME. */
static bool find_argument_type(const struct btf *btf, const char *event, unsigned arg,
			       struct type_facts *ret_facts)
{
	const struct types *world = btf_types(btf);
	struct type_member m;
	struct type_facts f;
	struct type t;
	char name[128];

	snprintf(name, sizeof(name), "btf_trace_%s", event);
	if (world->ops->find(world, TYPE_UNKNOWN, name, strlen(name), &t) < 0)
		return false;
	type_get(t, &f);
	if (f.kind == TYPE_POINTER)
		type_get(t = f.target, &f);
	/* its first one is the caller's own */
	if (f.kind != TYPE_FUNCTION || type_member(t, arg + 1, &m) < 0)
		return false;
	type_get(m.type, ret_facts);
	return true;
}

static bool use_member(const struct type_facts *argument, const char *type, const char *member,
		       struct bpfsource *s)
{
	struct type_facts f;
	struct type_member m;

	if (argument->kind != TYPE_POINTER)
		return false;
	type_get(argument->target, &f);
	if (f.kind != TYPE_STRUCT || strcmp(f.name, type) ||
	    type_find_member(argument->target, member, strlen(member), &m) < 0 || m.n_bits ||
	    m.bit_offset % 8 || !add_step(s, (long long)(m.bit_offset / 8), BPFMEMORY_KERNEL))
		return false;
	type_get(m.type, &f);
	if (s->is_text && f.kind == TYPE_POINTER) {
		s->n_bytes = BPFCOUNT_TEXT_MAX_BYTES;
		return add_step(s, 0, BPFMEMORY_KERNEL);
	}
	if (s->is_text) {
		s->n_bytes = f.n_bytes < BPFCOUNT_TEXT_MAX_BYTES ? (uint16_t)f.n_bytes
								 : BPFCOUNT_TEXT_MAX_BYTES;
		return f.kind == TYPE_ARRAY && s->n_bytes;
	}
	if (!strcmp(type, "pt_regs")) { /* the number of a system call is an int */
		s->n_bytes = 4;
		s->is_signed = true;
		return true;
	}
	s->is_signed = f.is_signed;
	return (f.kind == TYPE_INT || f.kind == TYPE_ENUM) && f.n_bytes == s->n_bytes;
}

bool bpfsource_of_raw(struct btf **btf, const char *system, const char *event,
		      const struct bpffield *f, struct bpfsource *ret_source)
{
	struct type_facts argument;
	const struct raw_row *row = NULL;
	char member[64];

	for (size_t i = 0; i < sizeof(raw_rows) / sizeof(*raw_rows); i++)
		if (!strcmp(raw_rows[i].system, system) &&
		    find_word(raw_rows[i].events, event) >= 0 &&
		    find_word(raw_rows[i].fields, f->name) >= 0)
			row = &raw_rows[i];
	if (!row || !open_btf(btf) || !find_argument_type(*btf, event, row->arg, &argument))
		return false;
	*ret_source = (struct bpfsource){.kind = BPFSOURCE_CONTEXT,
					 .start = row->arg * 8u,
					 .n_start = 8,
					 .is_text = f->is_text,
					 .is_signed = f->is_signed,
					 .n_bytes = (uint16_t)f->n_bytes};
	if (!row->type)
		return !f->is_text && (argument.kind == TYPE_INT || argument.kind == TYPE_ENUM);
	copy_word(row->members, find_word(row->fields, f->name), member, sizeof(member));
	return use_member(&argument, row->type, member, ret_source);
}

/* --- system calls ------------------------------------------------------------------------------ */

/*
 * Both tracepoints begin with the registers; then sys_enter has the number, sys_exit the result. Only of x86-64, where
 * it is known how a call of a 32-bit program is told from others: the events of single calls leave those out.
 */
#define ORIG_AX	  120
#define TS_COMPAT 1 /* a bit of thread_info.status */

static const uint8_t call_arguments[] = {112, 104, 96, 56, 72, 64}; /* di si dx r10 r8 r9 */

static const struct bpfsource raw_word = {
	.kind = BPFSOURCE_CONTEXT, .start = 8, .n_start = 8, .n_bytes = 8};

static void of_registers(int offset, unsigned n_bytes, struct bpfsource *s)
{
	*s = (struct bpfsource){.kind = BPFSOURCE_CONTEXT,
				.n_start = 8,
				.n_bytes = (uint16_t)n_bytes,
				.is_signed = n_bytes < 8,
				.steps = {{offset, BPFMEMORY_KERNEL}},
				.n_steps = 1};
}

/* The name as the kernel's functions have it; where that is another one, it is not found. */
static int number_of_call(const char *name)
{
	const struct syscall_table *t = syscalls_for("x86_64", 6);

	for (size_t i = 0; t && i < t->n; i++)
		if (t->names[i] && !strcmp(t->names[i], name))
			return (int)i;
	return -ENOENT;
}

static bool find_status(struct btf **btf, uint64_t *ret_offset)
{
	struct type_member info, status;
	const struct types *world;
	struct type task;

	if (!open_btf(btf))
		return false;
	world = btf_types(*btf);
	if (world->ops->find(world, TYPE_STRUCT, "task_struct", 11, &task) < 0 ||
	    type_find_member(task, "thread_info", 11, &info) < 0 ||
	    type_find_member(info.type, "status", 6, &status) < 0)
		return false;
	*ret_offset = (info.bit_offset + status.bit_offset) / 8;
	return *ret_offset < INT32_MAX;
}

bool bpfcall_find(struct btf **btf, const char *event, const char **ret_tracepoint,
		  struct bpfcondition ret_conditions[BPFCOUNT_CONDITIONS_MAX])
{
	const struct arch *arch = arch_of_this_kernel();
	bool is_exit = !strncmp(event, "sys_exit_", 9);
	struct bpfcondition *number = &ret_conditions[0], *compat = &ret_conditions[1];
	uint64_t status;

	if (!arch || strcmp(arch->name, "x86_64") ||
	    (!is_exit && strncmp(event, "sys_enter_", 10)) || !find_status(btf, &status))
		return false;
	*ret_tracepoint = is_exit ? "sys_exit" : "sys_enter";
	number->number = number_of_call(event + (is_exit ? 9 : 10));
	number->source = raw_word;
	if (is_exit)
		of_registers(ORIG_AX, 4, &number->source);
	*compat = (struct bpfcondition){.source = {.kind = BPFSOURCE_TASK,
						   .steps = {{(int32_t)status, BPFMEMORY_KERNEL}},
						   .n_steps = 1,
						   .n_bytes = 4,
						   .shift = TS_COMPAT,
						   .n_bits = 1}};
	return number->number >= 0;
}

bool bpfsource_of_call(const char *tracepoint, const struct bpffield *f,
		       struct bpfsource *ret_source)
{
	bool is_exit = !strcmp(tracepoint, "sys_exit");
	size_t n = (f->offset - 16) / 8;

	*ret_source = raw_word;
	if (f->is_text || f->is_dynamic)
		return false;
	if (!strcmp(f->name, "__syscall_nr")) {
		of_registers(ORIG_AX, 4, ret_source);
		return true;
	}
	if (is_exit)
		return !strcmp(f->name, "ret");
	if (f->offset < 16 || f->offset % 8 || n >= sizeof(call_arguments) || f->n_bytes != 8)
		return false;
	of_registers(call_arguments[n], 8, ret_source);
	return true;
}

/* --- records ----------------------------------------------------------------------------------- */

/* Of system calls only the first part of the record is there: the number and the arguments. */
bool bpfsource_of_record(const char *system, const struct bpffield *f, struct bpfsource *ret_source)
{
	bool is_call = !strcmp(system, "syscalls");

	if (f->offset < 8 || f->offset > UINT16_MAX / 2 || (is_call && f->is_dynamic))
		return false;
	*ret_source = (struct bpfsource){.kind = BPFSOURCE_CONTEXT,
					 .start = f->offset,
					 .n_start = (uint8_t)f->n_bytes,
					 .is_text = f->is_text,
					 .is_signed = f->is_signed,
					 .n_bytes = (uint16_t)f->n_bytes};
	if (!f->is_text)
		return f->n_bytes <= 8 && f->offset % f->n_bytes == 0;
	ret_source->kind = f->is_dynamic ? BPFSOURCE_DYNAMIC : BPFSOURCE_PLACE;
	ret_source->is_relative = f->is_relative;
	if (f->is_dynamic || f->n_bytes > BPFCOUNT_TEXT_MAX_BYTES)
		ret_source->n_bytes = BPFCOUNT_TEXT_MAX_BYTES;
	return add_step(ret_source, 0, BPFMEMORY_KERNEL);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * source.c - maps an argument of a probe to the bytes from which it is read.
 *
 *  p:sonde_12/vfs_read vfs_read+0 name=+0(+40(+72(%di))):string count=%dx:u64
 *                                         │                           └ 8 bytes of the registers
 *                                         └ register di, then three steps; the last reads text
 *
 * This is the kernel's own form of a probe's line. Events with unsupported parts (symbols, arrays,
 * entry arguments at a return) are counted by another method.
 *
 * At the entry and return of a function in BTF no probe is needed: a program there gets the
 * arguments, instead of registers, and the result.
 */
#include "base/array.h"
#include "capture/bpf/source_int.h"

#include "base/errmsg.h"
#include "probe/probe.h"
#include "symbols/arch.h"
#include "symbols/btf/btf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * --- registers ---------------------------------------------------------------------------------
 */

/*
 * Offsets in struct pt_regs, in DWARF order. Other architectures have the registers in that order.
 */
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

/*
 * --- a probe's line ----------------------------------------------------------------------------
 */

struct line {
	const struct arch *arch;
	bool is_program, is_return;
	const struct bpffunction *function; /* NULL: the program gets registers */
};

bool bpfsource_add_step(struct bpfsource *s, long long offset, enum bpfsource_memory memory)
{
	if (s->n_steps == BPFPROGRAM_STEPS_MAX || offset < INT32_MIN || offset > INT32_MAX)
		return false;
	s->steps[s->n_steps].offset = (int32_t)offset;
	s->steps[s->n_steps++].memory = memory;
	return true;
}

static bool is_digits(const char *text, size_t len)
{
	return len && len < 4 && strspn(text, "0123456789") >= len;
}

/* Parses a variable, which begins with $. */
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
		return len == 5 || (is_digits(text + 5, len - 5) &&
				    bpfsource_add_step(s, atoi(text + 5) * 8LL, memory));
	return false;
}

/* Parses "+40(+72(%di))" from the inside out. Each pair of parentheses is a step. */
static bool take_value(const struct line *l, const char *text, size_t len, unsigned depth,
		       struct bpfsource *s)
{
	bool is_user = len > 1 && text[1] == 'u';
	const char *number = text + 1 + is_user, *open;
	char *end;
	long long offset;

	if (!len || depth > BPFPROGRAM_STEPS_MAX)
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
	       bpfsource_add_step(s, *text == '-' ? -offset : offset,
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
	if (!strcmp(type, "symbol")) /* a pointer: only its presentation differs */
		return s->n_bytes == 8;
	return strchr("usx", *type) && *type && !strcmp(type + 1, want);
}

static bool take_text_type(const char *type, uint32_t n_max, struct bpfsource *s)
{
	bool is_user = !strcmp(type, "ustring");

	if (s->kind == BPFSOURCE_COMM)
		return true;
	if ((!is_user && strcmp(type, "string")) || !s->n_steps)
		return false;
	if (is_user)
		s->steps[s->n_steps - 1].memory = BPFMEMORY_USER;
	s->n_bytes = n_max && n_max < BPFPROGRAM_TEXT_MAX_BYTES ? (uint16_t)(n_max + 1)
								: BPFPROGRAM_TEXT_MAX_BYTES;
	return true;
}

/* Finds the word "NAME=…" after the place. */
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

/* Replaces a register, at the entry or the return, by the argument or result that it holds. */
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
	/* the upper bits of an argument that is shorter than a register are undefined */
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
	return f->is_text ? take_text_type(type, f->n_text, s)
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

/*
 * --- functions ---------------------------------------------------------------------------------
 */

bool bpfsource_open_btf(struct btf **btf)
{
	struct errmsg ignored = {0};

	return *btf || btf_open_kernel(btf, NULL, NULL, &ignored) >= 0;
}

/* Accepts arguments that take one register each. */
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

/*
 * Returns true for functions that never return. A program at such a return stays in the kernel
 * forever. Newer kernels refuse it themselves.
 */
static bool never_returns(const char *name, size_t len)
{
	static const char *const names[] = {
		"do_exit",
		"do_group_exit",
		"kthread_exit",
		"make_task_dead",
		"kthread_complete_and_exit",
		"__module_put_and_kthread_exit",
		"__x64_sys_exit",
		"__x64_sys_exit_group",
		"__ia32_sys_exit",
		"__ia32_sys_exit_group",
		"__arm64_sys_exit",
		"__arm64_sys_exit_group",
		"__do_sys_exit",
		"__do_sys_exit_group",
	};

	return ARRAY_ANY(ARRAY_LEN(names), i,
			 strlen(names[i]) == len && !memcmp(names[i], name, len));
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
	/* the place is another instruction, or a function of a module */
	if ((*end && *end != ' ') || memchr(place, ':', len) || !bpfsource_open_btf(btf))
		return false;
	*ret_function = (struct bpffunction){.number = btf_function_number(*btf, place, len),
					     .is_return = p->kind == PROBE_KRETPROBE ||
							  p->kind == PROBE_FPROBE_EXIT};
	if (ret_function->is_return && never_returns(place, len))
		return false;
	return ret_function->number && btf_find_function(*btf, place, len, &prototype) >= 0 &&
	       take_prototype(prototype, ret_function);
}

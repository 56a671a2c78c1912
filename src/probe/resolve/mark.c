// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * mark.c - resolves marks that the author put into a program (USDT, sdt.h).
 *
 *	%libc:setjmp             in the library or program with the provider's name
 *	bash:%bash:main($arg2)   in the given program
 *
 * A mark describes where its arguments are, in assembler syntax, each with its size (negative:
 * signed):
 *
 *	x86-64     -4@%eax   8@-8(%rbp)   4@$5   8@16(%rax,%rbx,8)   8@counter(%rip)
 *	aarch64    -4@w0     8@[sp, 16]   4@5
 *	riscv64    -8@a0     8@-24(s0)    4@5
 *
 * The arguments become $arg1, $arg2 …; an argument that needs a calculation (an index register, a
 * symbol) is refused when it is requested. A mark can have arguments of different sizes at
 * different places. In the kernel, an argument of an event has one type, so each kind of place
 * becomes an event (expand.c): NAME@1, NAME@2 ….
 *
 * A mark can have a counter (semaphore), which the kernel increments while the mark is probed:
 * PATH:0xOFFSET(0xCOUNTER)
 */
#include "base/array.h"
#include "base/scope.h"
#include "base/spelling.h"
#include "probe/findprogram.h"
#include "probe/resolve/resolve_int.h"
#include "symbols/arch.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#define MAX_MARK_ARGS  12 /* limit of sdt.h */
#define MARK_ARG_BYTES 64

/*
 * --- operands ------------------------------------------------------------------------------------
 */

/* Finds a register: "rdi", "edi", "di", "dil", "r8d" all name one register. */
static const char *find_register(const struct arch *a, const char *name, size_t len)
{
	static const char *const low[] = {"al", "dl", "cl", "bl", "sil", "dil", "bpl", "spl"};

	for (unsigned i = 0; i < ARRAY_LEN(low) && a->n_regs == 16; i++)
		if (strlen(low[i]) == len && !strncmp(low[i], name, len))
			return a->regs[i];
	for (unsigned i = 0; i < a->n_regs; i++) {
		const char *have = a->regs[i];
		size_t n = have ? strlen(have) : 0;

		if (!n)
			continue;
		if ((len == n && !strncmp(name, have, n)) ||
		    (len == n + 1 && strchr("re", name[0]) && !strncmp(name + 1, have, n)) ||
		    (len == n + 1 && !strncmp(name, have, n) && strchr("dwb", name[n])) ||
		    (len == n && have[0] == 'x' && name[0] == 'w' &&
		     !strncmp(name + 1, have + 1, n - 1)))
			return have;
	}
	return NULL;
}

static void fmt_memory(char *out, const char *reg, long offset)
{
	snprintf(out, MARK_ARG_BYTES, "%+ld(%%%s)", offset, reg);
}

/* Parses "-8(%rbp)", "[sp, 16]", "-24(s0)". Returns false if it is none of these. */
static bool parse_memory(const struct arch *a, const char *op, size_t len, char *out)
{
	const char *reg, *open = memchr(op, '(', len);
	char *end;
	long offset = 0;
	size_t n;

	if (op[0] == '[') {
		n = strcspn(op + 1, ",]");
		reg = find_register(a, op + 1, n);
		if (op[1 + n] == ',')
			offset = strtol(op + n + 2 + strspn(op + n + 2, " #"), &end, 0);
	} else if (open && op[len - 1] == ')') {
		offset = strtol(op, &end, 0);
		if (end != open)
			return false; /* this is a symbol */
		open += 1 + (open[1] == '%');
		reg = find_register(a, open, op + len - 1 - open);
	} else {
		return false;
	}
	if (reg)
		fmt_memory(out, reg, offset);
	return reg;
}

/* Parses one operand. out stays "" if the kernel cannot fetch it. */
static void parse_operand(const struct arch *a, const char *op, size_t len, int size, char *out)
{
	int bits = 8 * abs(size);
	const char *reg;
	char text[MARK_ARG_BYTES] = "";
	char *end;

	reg = find_register(a, op + (op[0] == '%'), len - (op[0] == '%'));
	if (reg)
		snprintf(text, sizeof(text), "%%%s", reg);
	else if (op[0] == '$' || op[0] == '-' || (op[0] >= '0' && op[0] <= '9')) {
		long long n = strtoll(op + (op[0] == '$'), &end, 0);

		if (end == op + len)
			snprintf(text, sizeof(text), "\\%lld", n);
	}
	if (!*text && !parse_memory(a, op, len, text))
		return;
	snprintf(out, MARK_ARG_BYTES, "%.50s:%c%d", text, size < 0 ? 's' : 'u',
		 bits > 0 && bits <= 64 ? bits : 64);
}

/* Returns the length of the operand at s: up to a blank outside brackets. */
static size_t operand_length(const char *s)
{
	size_t len = 0;
	int depth = 0;

	for (; s[len] && (depth || s[len] != ' '); len++)
		depth += s[len] == '[' || s[len] == '('	  ? 1
			 : s[len] == ']' || s[len] == ')' ? -1
							  : 0;
	return len;
}

static unsigned parse_operands(const struct arch *a, const char *s,
			       char list[MAX_MARK_ARGS][MARK_ARG_BYTES])
{
	unsigned n = 0;

	while (s && *s && n < MAX_MARK_ARGS) {
		size_t len;
		char *at;
		long size;

		s += strspn(s, " ");
		len = operand_length(s);
		if (!len)
			break;
		list[n][0] = 0;
		size = strtol(s, &at, 10);
		if (size < -8 || size > 8)
			size = 8;
		if (*at == 'f') /* a floating point number: its bits, unless they are in %xmm0 … */
			at++;
		if (*at == '@' && at > s && (size_t)(at + 1 - s) < len)
			parse_operand(a, at + 1, len - (at + 1 - s), size, list[n]);
		n++;
		s += len;
	}
	return n;
}

/*
 * --- kinds ---------------------------------------------------------------------------------------
 */

#define MAX_KINDS 16

/*
 * The types of the wanted arguments at a place, "s32 u64": each combination once, in order of
 * appearance.
 */
struct mark_kinds {
	char list[MAX_KINDS][128];
	unsigned n;
};

/* Returns the kind of the place, from 1. */
static unsigned find_kind(struct mark_kinds *k, const struct definition *d,
			  char list[MAX_MARK_ARGS][MARK_ARG_BYTES], unsigned n)
{
	char kind[sizeof(k->list[0])] = "";
	unsigned i = 0;

	for (size_t a = 0; a < d->n_args; a++) {
		const struct expression *e = d->args[a].value;
		const char *type;

		if (e->kind != EXPRESSION_ARGUMENT || d->args[a].type)
			continue;
		type = e->number <= n ? strrchr(list[e->number - 1], ':') : NULL;
		snprintf(kind + strlen(kind), sizeof(kind) - strlen(kind), "%s ", type ? type : "");
	}
	while (i < k->n && strcmp(k->list[i], kind))
		i++;
	if (i == k->n && i < MAX_KINDS)
		memcpy(k->list[k->n++], kind, sizeof(kind));
	return i + 1;
}

/*
 * --- places --------------------------------------------------------------------------------------
 */

struct marks {
	struct resolution *r;
	struct debuginfo *info;
	const char *path;
	struct mark_kinds kinds;
	struct spelling spelling;
	int result;
};

/*
 * Checks the width of a type: if it is wider than the argument, it also shows the memory after it.
 */
static int check_width(struct resolution *r, const struct definition_arg *arg, const char *operand)
{
	const char *type = strrchr(operand, ':');
	int have = type ? atoi(type + 2) : 64, want;

	if (arg->value->kind != EXPRESSION_ARGUMENT || !arg->type || !strchr("usx", arg->type[0]))
		return 0;
	want = atoi(arg->type + 1);
	if (want <= have || strchr(arg->type, '['))
		return 0;
	return RESOLVE_REFUSE(r, arg->type_span, -EINVAL,
			      "$arg%lld has %d bits at one of the places, so '%s' would also "
			      "show what is next to it; omit the type: each kind of place "
			      "becomes an event",
			      (long long)arg->value->number, have, arg->type);
}

static int check_operands(struct resolution *r, const char *function,
			  char list[MAX_MARK_ARGS][MARK_ARG_BYTES], unsigned n)
{
	for (size_t i = 0; i < r->d->n_args; i++)
		for (const struct expression *e = r->d->args[i].value; e; e = e->left)
			if (e->kind == EXPRESSION_ARGUMENT && e->number <= n &&
			    !*list[e->number - 1])
				return RESOLVE_REFUSE(
					r, e->span, -EOPNOTSUPP,
					"$arg%lld of the mark %s is kept in a way that probes "
					"cannot read; omit it",
					(long long)e->number, function);
	for (size_t i = 0; i < r->d->n_args; i++) {
		const struct expression *e = r->d->args[i].value;
		int result = e->kind == EXPRESSION_ARGUMENT && e->number <= n
				     ? check_width(r, &r->d->args[i], list[e->number - 1])
				     : 0;

		TRY(result);
	}
	return 0;
}

/* Adds all arguments that can be read, for a definition without arguments. */
static int add_all(struct resolution *r, const struct fetch_place *place)
{
	struct expression all = {.kind = EXPRESSION_PARAMS};
	struct definition_arg arg = {.value = &all, .span = r->d->function_span};
	struct definition copy = *r->d;
	const struct definition *d = r->d;
	int result;

	copy.args = &arg;
	copy.n_args = 1;
	r->d = &copy;
	result = resolve_args(r, place);
	r->d = d;
	return result;
}

static int add_mark(struct marks *m, const struct debuginfo_mark *mark)
{
	char list[MAX_MARK_ARGS][MARK_ARG_BYTES], text[PATH_MAX + 64];
	const char *args[MAX_MARK_ARGS];
	struct resolution *r = m->r;
	const struct arch *arch = debuginfo_arch(m->info);
	struct fetch_place place = {
		.definition = r->d,
		.kernel = &r->prober->kernel,
		.arch = arch,
		.function = mark->name,
		.is_program = true,
		.why_none = "a mark has arguments without names: $arg1, $arg2 …",
		.mark_args = args,
	};
	uint64_t offset;
	int result;

	if (debuginfo_code_offset(m->info, mark->address, &offset) < 0)
		return 0;
	place.n_mark_args = parse_operands(arch, mark->arguments, list);
	if (r->d->mark_kind &&
	    find_kind(&m->kinds, r->d, list, place.n_mark_args) != r->d->mark_kind)
		return 0;
	for (unsigned i = 0; i < place.n_mark_args; i++)
		args[i] = *list[i] ? list[i] : RESOLVE_UNREADABLE;
	result = check_operands(r, mark->name, list, place.n_mark_args);
	TRY(result);
	snprintf(text, sizeof(text), "%s:0x%llx", m->path, (unsigned long long)offset);
	if (mark->semaphore && r->prober->kernel.refcounts)
		snprintf(text + strlen(text), 32, "(0x%llx)", (unsigned long long)mark->semaphore);
	else if (mark->semaphore)
		resolve_note(r,
			     "this kernel cannot enable the mark %s: it is silent unless "
			     "another tool listens to it",
			     mark->name);
	if (!resolve_add_place(r, text))
		return resolve_no_memory(r);
	return r->d->n_args ? resolve_args(r, &place) : add_all(r, &place);
}

static int visit_mark(void *ctx, const struct debuginfo_mark *mark)
{
	struct marks *m = ctx;
	const struct probe *p = &m->r->out->probe;
	const struct definition *d = m->r->d;

	if (d->provider && strcmp(mark->provider, d->provider))
		return 0;
	spelling_add(&m->spelling, mark->name);
	if (strcmp(mark->name, d->function))
		return 0;
	if (p->n_places == m->r->prober->world.max_places ||
	    (p->n_places && !m->r->prober->kernel.many_places)) {
		resolve_note(m->r,
			     "the mark is at more places than can be probed; %zu are "
			     "probed",
			     p->n_places);
		return 0;
	}
	m->result = add_mark(m, mark);
	return m->result;
}

static int visit_kind(void *ctx, const struct debuginfo_mark *mark)
{
	struct marks *m = ctx;
	const struct definition *d = m->r->d;
	char list[MAX_MARK_ARGS][MARK_ARG_BYTES];

	if ((!d->provider || !strcmp(mark->provider, d->provider)) &&
	    !strcmp(mark->name, d->function))
		find_kind(&m->kinds, d, list,
			  parse_operands(debuginfo_arch(m->info), mark->arguments, list));
	return 0;
}

int resolve_mark_kinds(struct resolution *r, struct debuginfo *info, unsigned *ret_n)
{
	struct marks m = {.r = r, .info = info};
	struct errmsg why = {0};
	int result = debuginfo_arch(info) ? debuginfo_marks(info, visit_kind, &m, &why) : 0;

	*ret_n = m.kinds.n;
	return result < 0 ? RESOLVE_REFUSE(r, r->d->function_span, result, "%s", why.text) : 0;
}

/* Finds the given file, or the file with the provider's name. */
int resolve_mark_file(struct resolution *r, char path[PATH_MAX])
{
	const struct definition *d = r->d;
	const char *name = d->target		      ? d->target
			   : r->prober->world.program ? r->prober->world.program
						      : d->provider;
	char found[PATH_MAX];

	if (!name)
		return RESOLVE_REFUSE(
			r, d->function_span, -EINVAL,
			"in which program is the mark %s? name it: PROGRAM:%%%s, or -x "
			"PROGRAM",
			d->function, d->function);
	if (!findprogram(name, false, found) || !findprogram_real(found, path))
		return RESOLVE_REFUSE(r, d->target ? d->target_span : d->function_span, -ENOENT,
				      "there is no program or library '%s'; name the file that has "
				      "the mark: PATH:%%%s:%s",
				      name, d->provider ? d->provider : "PROVIDER", d->function);
	return 0;
}

int resolve_mark(struct resolution *r)
{
	const struct definition *d = r->d;
	struct marks m = {.r = r};
	struct errmsg why = {0};
	char path[PATH_MAX];
	int result = resolve_mark_file(r, path);

	TRY(result);
	r->out->probe.kind = PROBE_UPROBE;
	m.path = path;
	result = prober_debuginfo(r->prober, path, &m.info, &why);
	if (result >= 0 && !debuginfo_arch(m.info))
		result = errmsg_set(
			&why, -EOPNOTSUPP,
			"%s is for a processor whose registers sonde does not know; use the "
			"kernel's own grammar: p:…",
			path);
	spelling_init(&m.spelling, d->function, strlen(d->function));
	if (result >= 0)
		result = debuginfo_marks(m.info, visit_mark, &m, &why);
	if (m.result < 0)
		return m.result;
	if (result < 0)
		return RESOLVE_REFUSE(r, d->function_span, result, "%s", why.text);
	if (!r->out->probe.n_places && d->mark_kind && m.kinds.n)
		return RESOLVE_REFUSE(r, d->function_span, -ENOENT,
				      "the mark %s has %u %s of places, which differ in the "
				      "types of what is recorded; there is no @%u",
				      d->function, m.kinds.n, m.kinds.n == 1 ? "kind" : "kinds",
				      d->mark_kind);
	if (!r->out->probe.n_places)
		return RESOLVE_REFUSE(
			r, d->function_span, -ENOENT, "%s has no mark %s%s%s%s%s", path,
			d->provider ? d->provider : "", d->provider ? ":" : "", d->function,
			m.spelling.nearest ? "; the nearest is "
					   : "; 'sonde probe funcs --marks' lists them",
			m.spelling.nearest ? m.spelling.nearest : "");
	result = resolve_check_args(r);
	return result < 0 ? result : resolve_group_and_event(r, path, d->function, 0);
}

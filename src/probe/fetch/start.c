// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * start.c - resolves the beginning of an expression: a variable, or a value with a sign.
 *
 *	count                     a variable at its place: %dx, +8(%sp), @jiffies, $field
 *	held                      in a method: this->held, if there is no local variable of that
 *	                          name
 *	%di  $retval  $arg2  $stack3  @symbol  @0x1234  @+0x40  $comm  \42
 *
 * At a function's return the parameters are no longer in their places. Since 6.9 the kernel keeps
 * them from the entry for probes that use $arg2; with older kernels they are refused. $argN is the
 * N-th register, as the kernel counts, unless the prototype is known: then it is the N-th
 * parameter.
 */
#include "base/array.h"
#include "base/scope.h"
#include "base/spelling.h"
#include "probe/fetch/fetch_int.h"
#include "probe/resolve/resolve_int.h"
#include "symbols/arch.h"
#include "symbols/dwarf/debuginfo.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/*
 * --- variables -----------------------------------------------------------------------------------
 */

/*
 * Writes a register: "%di", or "$arg1" if the probe has no registers. Returns false if neither
 * works.
 */
static bool fmt_register(const struct fetch_place *p, unsigned reg, char *out, size_t size)
{
	const struct arch *a = p->arch;
	unsigned n = 0;

	if (!arch_register(a, reg))
		return false;
	while (n < a->n_arg_regs && a->arg_regs[n] != reg)
		n++;
	if (!p->by_number && !p->is_return)
		snprintf(out, size, "%%%s", arch_register(a, reg));
	else if (n < a->n_arg_regs)
		snprintf(out, size, "$arg%u", n + 1);
	return n < a->n_arg_regs || (!p->by_number && !p->is_return);
}

static void use_register(const struct fetch_place *p, const struct place *place, struct value *v);

/* Returns true if the kernel can provide the argument at the return, by its number. */
bool fetch_is_kept(const struct fetch_place *p, const struct variable *var)
{
	return !p->is_program && p->kernel->return_args && var->place.kind == PLACE_REGISTER;
}

static int use_kept_argument(const struct fetch_place *p, const struct variable *var,
			     struct span span, struct value *v, struct errmsg *err)
{
	if (fetch_is_kept(p, var)) {
		use_register(p, &var->place, v);
		return 0;
	}
	return FETCH_REFUSE(
		p, err, span, -EOPNOTSUPP,
		"%s is not available when %s returns%s; a recording joins the entry with the "
		"return: use this definition with 'sonde record -e'. A probe at the entry is "
		"%s(%s)",
		var->name, p->function,
		p->is_program ? ""
			      : ", because this kernel's probes do not keep arguments (since "
				"6.9 they do)",
		p->function, var->name);
}

static void use_memory(const struct fetch_place *p, const struct place *place, unsigned reg,
		       struct value *v)
{
	if (p->by_number && reg == p->arch->stack_reg)
		snprintf(v->expr, sizeof(v->expr), "$stack");
	else
		fmt_register(p, reg, v->expr, sizeof(v->expr));
	v->kind = VALUE_MEMORY;
	for (unsigned i = 0; i < place->n_loads; i++) {
		v->addend = place->loads[i];
		value_load(v);
		v->kind = VALUE_MEMORY;
	}
	v->addend = place->offset;
}

static void use_register(const struct fetch_place *p, const struct place *place, struct value *v)
{
	struct type_facts f;

	fmt_register(p, place->reg, v->expr, sizeof(v->expr));
	if (place->is_pair)
		fmt_register(p, place->reg_high, v->high, sizeof(v->high));
	type_get(v->type, &f);
	if (f.kind == TYPE_STRUCT || f.kind == TYPE_UNION || place->is_pair)
		v->kind = VALUE_PARTS;
}

/* Reads the variable in use through the library's own pointer to it. */
static bool use_slot(const struct fetch_place *p, const struct variable *var, struct value *v)
{
	uint64_t slot;

	if (!p->info || p->kernel->plain_types ||
	    !debuginfo_may_be_copied(p->info, var->place.address, &slot))
		return false;
	if (!slot) {
		v->copied = var->name;
		return false;
	}
	v->kind = VALUE_FIXED;
	snprintf(v->expr, sizeof(v->expr), "@+%llu", (unsigned long long)(slot - p->data_offset));
	value_load(v);
	v->kind = VALUE_MEMORY;
	v->addend = var->place.offset;
	return true;
}

static void use_address(const struct fetch_place *p, const struct place *place, struct value *v)
{
	v->kind = VALUE_FIXED;
	v->addend = place->offset;
	if (place->symbol && !p->is_program)
		snprintf(v->expr, sizeof(v->expr), "@%s", place->symbol);
	else if (p->is_program)
		snprintf(v->expr, sizeof(v->expr), "@+%llu",
			 (unsigned long long)(place->address - p->data_offset));
	else
		snprintf(v->expr, sizeof(v->expr), "@0x%llx", (unsigned long long)place->address);
}

static bool has_register(const struct fetch_place *p, const struct place *place)
{
	char text[16];

	return (p->by_number && place->reg == p->arch->stack_reg) ||
	       (fmt_register(p, place->reg, text, sizeof(text)) &&
		(!place->is_pair || fmt_register(p, place->reg_high, text, sizeof(text))));
}

static void use_nowhere(const struct variable *var, struct value *v)
{
	v->is_gone = true;
	v->gone_name = var->name;
	snprintf(v->expr, sizeof(v->expr), "%%?");
	snprintf(v->why, sizeof(v->why), "%s",
		 *var->why ? var->why : "the compiler does not keep it anywhere here");
	v->why_helps = var->why_helps;
}

int fetch_use_place(const struct fetch_place *p, const struct variable *var, struct span span,
		    struct value *v, struct errmsg *err)
{
	const struct place *place = &var->place;

	*v = (struct value){.type = var->type};
	if (p->is_return && var->is_parameter)
		return use_kept_argument(p, var, span, v, err);
	switch (place->kind) {
	case PLACE_REGISTER:
	case PLACE_MEMORY:
		if (!has_register(p, place)) {
			use_nowhere(var, v);
			snprintf(v->why, sizeof(v->why),
				 "it is in a register that probes cannot read");
			v->why_helps = false;
		} else if (place->kind == PLACE_REGISTER) {
			use_register(p, place, v);
		} else {
			use_memory(p, place, place->reg, v);
		}
		return 0;
	case PLACE_STACK:
		use_memory(p, place, p->arch->stack_reg, v);
		return 0;
	case PLACE_ADDRESS:
		if (!use_slot(p, var, v))
			use_address(p, place, v);
		return 0;
	case PLACE_CONSTANT:
		v->kind = VALUE_READY;
		snprintf(v->expr, sizeof(v->expr), "\\%lld", (long long)place->offset);
		return 0;
	case PLACE_FIELD:
		snprintf(v->expr, sizeof(v->expr), "$%s", place->symbol);
		return 0;
	case PLACE_RESULT:
		snprintf(v->expr, sizeof(v->expr), "$retval");
		return 0;
	case PLACE_NOWHERE:
		break;
	}
	use_nowhere(var, v);
	return 0;
}

static int add_spelling(void *ctx, const struct variable *v)
{
	spelling_add(ctx, v->name);
	return 0;
}

/* Up to four names, for a message such as "there are a, b and c". */
struct name_list {
	char text[160];
	unsigned n;
};

static int list_name(void *ctx, const struct variable *v)
{
	struct name_list *l = ctx;
	size_t len = strlen(l->text);

	if (*v->name && ++l->n <= 8 && len + strlen(v->name) + 3 < sizeof(l->text))
		snprintf(l->text + len, sizeof(l->text) - len, "%s%s", len ? ", " : "", v->name);
	return 0;
}

/*
 * Returns true for a global variable of the kernel. Its symbols have the address, but not the type.
 */
static bool is_global(const struct fetch_place *p, const char *name)
{
	const char *text = p->prober ? prober_list(p->prober, PROBER_KALLSYMS) : NULL;
	char word[160];

	for (const char *kind = "DdBbRr"; text && *kind; kind++) {
		snprintf(word, sizeof(word), "%c %s", *kind, name);
		if (prober_list_has(text, ' ', word, "\n\t"))
			return true;
	}
	return false;
}

static int refuse_variable(const struct fetch_place *p, const char *name, struct span span,
			   struct errmsg *err)
{
	struct name_list list = {0};
	struct spelling sp;

	if (!p->scope)
		return FETCH_REFUSE(p, err, span, -ENOENT, "the variables of %s are unknown: %s",
				    p->function, p->why_none);
	if (!strcmp(name, "current") && p->prober)
		return FETCH_REFUSE(p, err, span, -ENOENT,
				    "there is no variable 'current' in %s; every event has the "
				    "task's pid, common_pid, and $comm is its name",
				    p->function);
	if (is_global(p, name))
		return FETCH_REFUSE(p, err, span, -ENOENT,
				    "there is no variable '%s' in %s, but a global one in the "
				    "kernel, whose type is unknown: write @%s, which reads a "
				    "whole word, or add its type, @%s:u32 if it is an unsigned "
				    "int",
				    name, p->function, name, name);
	spelling_init(&sp, name, strlen(name));
	p->scope->ops->each(p->scope, false, add_spelling, &sp);
	if (sp.nearest)
		return FETCH_REFUSE(p, err, span, -ENOENT,
				    "there is no variable '%s' in %s; the nearest is %s", name,
				    p->function, sp.nearest);
	p->scope->ops->each(p->scope, false, list_name, &list);
	if (!list.n && p->why_empty)
		return FETCH_REFUSE(p, err, span, -ENOENT, "there is no variable '%s' in %s; %s",
				    name, p->function, p->why_empty);
	return FETCH_REFUSE(p, err, span, -ENOENT, "there is no variable '%s' in %s; %s%s", name,
			    p->function, list.n ? "there are " : "it has none, so omit it",
			    list.n ? list.text : "");
}

/* Objects of C++ methods, whose members are written like variables. */
static const struct {
	const char *object, *prefix; /* prefix: prefix of the members' names */
} objects[] = {
	{"this", ""}, {"__closure", "__"}, /* gcc's object with the captures of a lambda */
};

/* Returns 1 if there is such a member, and v is the object; 0 if there is none. */
static int start_member(const struct fetch_place *p, const struct expression *e, struct value *v,
			struct errmsg *err)
{
	for (size_t i = 0; i < ARRAY_LEN(objects); i++) {
		const char *object = objects[i].object;
		char name[256];
		struct type_member m;
		struct type_facts f;
		struct variable var;

		snprintf(name, sizeof(name), "%s%s", objects[i].prefix, e->text);
		if (p->scope->ops->find(p->scope, object, strlen(object), &var) < 0)
			continue;
		type_get(var.type, &f);
		if (f.kind != TYPE_POINTER ||
		    type_find_member(f.target, name, strlen(name), &m) < 0)
			continue;
		TRY(fetch_use_place(p, &var, e->word, v, err));
		value_follow(p, v, f.is_user, f.target);
		value_step_into(v, &m);
		return 1;
	}
	return 0;
}

static int start_name(const struct fetch_place *p, const struct expression *e, struct value *v,
		      struct errmsg *err)
{
	struct variable var;
	bool found = p->scope && !p->scope->ops->find(p->scope, e->text, strlen(e->text), &var);
	int r = 0;

	if (p->scope && (!found || var.is_global))
		r = start_member(p, e, v, err);
	if (r)
		return r < 0 ? r : 0;
	if (!found)
		return refuse_variable(p, e->text, e->word, err);
	return fetch_use_place(p, &var, e->word, v, err);
}

/*
 * --- what begins with a sign ---------------------------------------------------------------------
 */

/* "%ax, %dx, …" */
static void list_registers(const struct arch *a, char *out, size_t size)
{
	size_t len = 0;

	for (unsigned i = 0; i < a->n_regs && len + 8 < size; i++)
		if (a->regs[i])
			len += snprintf(out + len, size - len, "%s%%%s", len ? ", " : "",
					a->regs[i]);
}

static int start_register(const struct fetch_place *p, const struct expression *e, struct value *v,
			  struct errmsg *err)
{
	/* the kernel knows these, or reports that it does not */
	static const char *const others[] = {"ip", "pc", "flags",  "orig_ax",
					     "cs", "ss", "pstate", "lr"};
	const char *name = e->text;
	struct spelling sp;
	char list[160];

	spelling_init(&sp, name, strlen(name));
	for (unsigned i = 0; i < p->arch->n_regs; i++) {
		const char *have = p->arch->regs[i];

		if (!have)
			continue;
		/* to the kernel, rdi and edi are di */
		if (!strcmp(have, name) ||
		    ((*name == 'r' || *name == 'e') && name[1] && !strcmp(have, name + 1))) {
			snprintf(v->expr, sizeof(v->expr), "%%%s", have);
			return 0;
		}
		spelling_add(&sp, have);
	}
	for (size_t i = 0; i < ARRAY_LEN(others); i++)
		if (!strcmp(others[i], name)) {
			snprintf(v->expr, sizeof(v->expr), "%%%s", name);
			return 0;
		}
	if (sp.nearest)
		return FETCH_REFUSE(p, err, e->word, -EINVAL,
				    "%s has no register '%s'; the nearest is %%%s", p->arch->name,
				    name, sp.nearest);
	list_registers(p->arch, list, sizeof(list));
	return FETCH_REFUSE(p, err, e->word, -EINVAL, "%s has no register '%s'; it has %s",
			    p->arch->name, name, list);
}

struct nth {
	unsigned left;
	struct variable *ret;
	bool found;
};

static int count_down(void *ctx, const struct variable *v)
{
	struct nth *n = ctx;

	if (--n->left)
		return 0;
	*n->ret = *v;
	n->found = true;
	return -EEXIST;
}

static int start_mark_argument(const struct fetch_place *p, const struct expression *e,
			       struct value *v, struct errmsg *err)
{
	const char *text;
	size_t len;

	if (e->number > p->n_mark_args)
		return FETCH_REFUSE(p, err, e->span, -ENOENT,
				    "the mark %s has %u arguments: there is no $arg%lld; omit it",
				    p->function, p->n_mark_args, (long long)e->number);
	text = p->mark_args[e->number - 1];
	len = strcspn(text, ":");
	v->kind = text[0] == '\\' ? VALUE_READY : VALUE_PLAIN;
	snprintf(v->expr, sizeof(v->expr), "%.*s", (int)len, text);
	snprintf(v->plain_type, sizeof(v->plain_type), "%s", text[len] ? text + len + 1 : "");
	return 0;
}

/* Starts with the N-th parameter if the prototype is known, else with the N-th register. */
static int start_argument(const struct fetch_place *p, const struct expression *e, struct value *v,
			  struct errmsg *err)
{
	struct variable var;
	struct nth nth = {e->number, &var};

	if (p->mark_args)
		return start_mark_argument(p, e, v, err);
	if (p->scope)
		p->scope->ops->each(p->scope, true, count_down, &nth);
	if (nth.found)
		return fetch_use_place(p, &var, e->span, v, err);
	if (e->number > p->arch->n_arg_regs)
		return FETCH_REFUSE(p, err, e->span, -EINVAL,
				    "only the first %u arguments are in registers; the others "
				    "are on the stack: $stack1 is the first",
				    p->arch->n_arg_regs);
	if (p->is_return && (p->is_program || !p->kernel->return_args))
		return FETCH_REFUSE(p, err, e->span, -EOPNOTSUPP,
				    "$arg%lld is not available when %s returns; a recording "
				    "joins the entry with the return: use this definition with "
				    "'sonde record -e'",
				    (long long)e->number, p->function);
	if (p->is_return || (!p->is_program && p->kernel->arg_n))
		snprintf(v->expr, sizeof(v->expr), "$arg%lld", (long long)e->number);
	else
		snprintf(v->expr, sizeof(v->expr), "%%%s",
			 arch_register(p->arch, p->arch->arg_regs[e->number - 1]));
	return 0;
}

/* Starts with @NAME, a global variable. Its type is known if the scope has it. */
static int start_symbol(const struct fetch_place *p, const struct expression *e, struct value *v,
			struct errmsg *err)
{
	struct variable var;
	bool known = p->scope && !p->scope->ops->find(p->scope, e->text, strlen(e->text), &var) &&
		     var.place.kind == PLACE_ADDRESS;
	char nearest[SYMBOL_NAME_BYTES];

	if (known)
		fetch_use_place(p, &var, e->word, v, err);
	else if (p->is_program)
		return FETCH_REFUSE(p, err, e->word, -ENOENT,
				    "there is no global variable '%s' in this program's debug "
				    "information; @+OFFSET and @ADDRESS need none",
				    e->text);
	if (!known) {
		if (p->prober && !resolve_has_symbol(p->prober, e->text, nearest))
			return FETCH_REFUSE(p, err, e->word, -ENOENT,
					    "the kernel has no symbol '%s'%s%s", e->text,
					    *nearest ? "; the nearest is "
						     : "; /proc/kallsyms lists what it has",
					    nearest);
		v->kind = VALUE_FIXED;
		snprintf(v->expr, sizeof(v->expr), "@%s", e->text);
	}
	v->addend += e->number;
	if (e->number)
		v->type = (struct type){0};
	return 0;
}

static int start_immediate(const struct fetch_place *p, const struct expression *e, struct value *v,
			   struct errmsg *err)
{
	if (!p->kernel->immediates)
		return FETCH_REFUSE(
			p, err, e->span, -EOPNOTSUPP,
			"this kernel's probes do not support constants (5.5 does); omit it");
	v->kind = VALUE_READY;
	if (e->kind == EXPRESSION_TEXT)
		snprintf(v->expr, sizeof(v->expr), "\\\"%s\"", e->text);
	else
		snprintf(v->expr, sizeof(v->expr), "\\%lld", (long long)e->number);
	return 0;
}

static int start_special(const struct fetch_place *p, const struct expression *e, struct value *v,
			 struct errmsg *err)
{
	switch (e->kind) {
	case EXPRESSION_REGISTER:
		return start_register(p, e, v, err);
	case EXPRESSION_RESULT:
		return fetch_start_result(p, e, v, err);
	case EXPRESSION_ARGUMENT:
		return start_argument(p, e, v, err);
	case EXPRESSION_SYMBOL:
		return start_symbol(p, e, v, err);
	case EXPRESSION_NUMBER:
	case EXPRESSION_TEXT:
		return start_immediate(p, e, v, err);
	case EXPRESSION_COMM:
		v->kind = VALUE_READY;
		snprintf(v->expr, sizeof(v->expr), "$comm");
		return 0;
	case EXPRESSION_STACK:
		snprintf(v->expr, sizeof(v->expr), e->number < 0 ? "$stack" : "$stack%lld",
			 (long long)e->number);
		return 0;
	case EXPRESSION_ADDRESS:
		v->kind = VALUE_FIXED;
		snprintf(v->expr, sizeof(v->expr), "@0x%llx", (unsigned long long)e->number);
		return 0;
	case EXPRESSION_FILE_AT:
		v->kind = VALUE_FIXED;
		snprintf(v->expr, sizeof(v->expr), "@+0x%llx", (unsigned long long)e->number);
		return 0;
	default:
		return FETCH_REFUSE(p, err, e->span, -EINVAL,
				    "this stands for more than one value; write it alone");
	}
}

int fetch_start(const struct fetch_place *p, const struct expression *e, struct value *v,
		struct errmsg *err)
{
	return e->kind == EXPRESSION_NAME ? start_name(p, e, v, err) : start_special(p, e, v, err);
}

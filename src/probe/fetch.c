// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fetch.c - which bytes an expression means.
 *
 * The kernel's probes know registers, fixed addresses and "+OFFSET(ADDRESS)", which reads memory. C's
 * members, arrows and indexes become offsets; only where a pointer is followed something is read:
 *
 *	file                          %di                  a value
 *	file->f_path                  at %di + 64          memory: not read yet
 *	file->f_path.dentry           at %di + 72          still the same memory
 *	file->f_path.dentry->d_name   at +72(%di) + 32     the pointer was read
 *
 * The kernel cannot add: an address such as &file->f_path can be followed (the offsets are added up here)
 * but not recorded, unless the offset is 0. container_of() is a negative offset and nothing else.
 *
 * Memory behind a pointer that is tagged as the program's is read with "+u", and all that is found there
 * points into the program as well.
 */
#include "base/spelling.h"
#include "base/textbuf.h"
#include "probe/fetch_int.h"
#include "symbols/arch.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* --- values -------------------------------------------------------------------------------------- */

void value_fmt(const struct value *v, char *out, size_t size)
{
	char sign = v->addend < 0 ? '-' : '+';
	unsigned long long n = v->addend < 0 ? -(uint64_t)v->addend : v->addend;

	if (v->kind == VALUE_MEMORY)
		snprintf(out, size, "%c%s%llu(%s)", sign, v->is_user ? "u" : "", n, v->expr);
	else if (v->kind == VALUE_FIXED && v->addend)
		snprintf(out, size, "%s%c%llu", v->expr, sign, n);
	else
		snprintf(out, size, "%s", v->expr);
}

void value_load(struct value *v)
{
	char text[EXPR_MAX_BYTES + 32];

	if (v->kind != VALUE_MEMORY && v->kind != VALUE_FIXED)
		return;
	value_fmt(v, text, sizeof(text));
	/* one that does not fit is far beyond what the kernel takes, and is refused for that */
	snprintf(v->expr, sizeof(v->expr), "%.*s", (int)sizeof(v->expr) - 1, text);
	v->kind = VALUE_PLAIN;
	v->addend = 0;
}

/* What a pointer points to; is_user: the memory there is the program's. */
static void follow(const struct fetch_place *p, struct value *v, bool is_user, struct type target)
{
	value_load(v);
	v->kind = VALUE_MEMORY;
	v->is_user = !p->is_program && p->kernel->user_strings && (v->is_user || is_user);
	v->type = target;
	v->bit = v->n_bits = 0;
}

static void fmt_type(struct type t, char *out, size_t size)
{
	struct textbuf tb;

	textbuf_init(&tb, size);
	type_fmt(t, &tb);
	snprintf(out, size, "%.*s", (int)textbuf_len(&tb), tb.start ? tb.start : "");
	textbuf_release(&tb);
}

/* --- variables ----------------------------------------------------------------------------------- */

/* How a register is written: "%di", or "$arg1" where the probe knows no registers. False: not at all. */
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

/* At the return the kernel can say what was passed, if it is told so by its number. */
static int use_kept_argument(const struct fetch_place *p, const struct variable *var,
			     struct span span, struct value *v, struct errmsg *err)
{
	if (!p->is_program && p->kernel->return_args && var->place.kind == PLACE_REGISTER) {
		use_register(p, &var->place, v);
		return 0;
	}
	return FETCH_REFUSE(p, err, span, -EOPNOTSUPP,
			    "%s is gone when %s returns%s; record it at the entry, with a probe of "
			    "its own: %s(%s)",
			    var->name, p->function,
			    p->is_program ? "" : ", and this kernel keeps arguments only since 6.9",
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

	snprintf(v->expr, sizeof(v->expr), "%%%s", arch_register(p->arch, place->reg));
	if (place->is_pair)
		snprintf(v->high, sizeof(v->high), "%%%s", arch_register(p->arch, place->reg_high));
	type_get(v->type, &f);
	if (f.kind == TYPE_STRUCT || f.kind == TYPE_UNION || place->is_pair)
		v->kind = VALUE_PARTS;
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
		 *var->why ? var->why : "the compiler keeps it nowhere here");
}

static int use_place(const struct fetch_place *p, const struct variable *var, struct span span,
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

/* Up to four names, for "there are a, b and c". */
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

static int refuse_variable(const struct fetch_place *p, const char *name, struct span span,
			   struct errmsg *err)
{
	struct name_list list = {0};
	struct spelling sp;

	if (!p->scope)
		return FETCH_REFUSE(p, err, span, -ENOENT, "the variables of %s are not known: %s",
				    p->function, p->why_none);
	spelling_init(&sp, name, strlen(name));
	p->scope->ops->each(p->scope, false, add_spelling, &sp);
	if (sp.nearest)
		return FETCH_REFUSE(p, err, span, -ENOENT,
				    "there is no variable '%s' in %s; the nearest is %s", name,
				    p->function, sp.nearest);
	p->scope->ops->each(p->scope, false, list_name, &list);
	return FETCH_REFUSE(p, err, span, -ENOENT, "there is no variable '%s' in %s; %s%s", name,
			    p->function, list.n ? "there are " : "it has none",
			    list.n ? list.text : "");
}

static int eval_name(const struct fetch_place *p, const struct expression *e, struct value *v,
		     struct errmsg *err)
{
	struct variable var;

	if (!p->scope || p->scope->ops->find(p->scope, e->text, strlen(e->text), &var) < 0)
		return refuse_variable(p, e->text, e->word, err);
	return use_place(p, &var, e->word, v, err);
}

/* --- what begins with a sign --------------------------------------------------------------------- */

static int eval_register(const struct fetch_place *p, const struct expression *e, struct value *v,
			 struct errmsg *err)
{
	const char *name = e->text;
	struct spelling sp;

	spelling_init(&sp, name, strlen(name));
	for (unsigned i = 0; i < p->arch->n_regs; i++) {
		const char *have = p->arch->regs[i];

		if (!have)
			continue;
		/* rdi and edi are di to the kernel */
		if (!strcmp(have, name) ||
		    ((*name == 'r' || *name == 'e') && name[1] && !strcmp(have, name + 1))) {
			snprintf(v->expr, sizeof(v->expr), "%%%s", have);
			return 0;
		}
		spelling_add(&sp, have);
	}
	/* ip, flags, orig_ax and the like: the kernel knows them, and says so if it does not */
	if (strstr("ip pc flags orig_ax cs ss pstate lr", name) && strlen(name) > 1) {
		snprintf(v->expr, sizeof(v->expr), "%%%s", name);
		return 0;
	}
	return FETCH_REFUSE(p, err, e->word, -EINVAL, "%s has no register '%s'%s%s", p->arch->name,
			    name, sp.nearest ? "; the nearest is %" : "",
			    sp.nearest ? sp.nearest : "");
}

static int eval_result(const struct fetch_place *p, const struct expression *e, struct value *v,
		       struct errmsg *err)
{
	struct type_facts f;
	struct type t = {0};
	int r = p->scope ? p->scope->ops->result(p->scope, &t) : -ENODATA;

	snprintf(v->expr, sizeof(v->expr), "$retval");
	if (r == -ENOENT)
		return FETCH_REFUSE(p, err, e->span, -EINVAL,
				    "%s returns nothing (void); leave $retval out", p->function);
	if (r < 0)
		return 0;
	v->type = t;
	type_get(t, &f);
	if (f.kind != TYPE_STRUCT && f.kind != TYPE_UNION)
		return 0;
	if (f.n_bytes > p->arch->max_reg_struct) {
		v->kind = VALUE_MEMORY; /* the register has its address */
		return 0;
	}
	v->kind = VALUE_PARTS;
	if (f.n_bytes > 8)
		snprintf(v->high, sizeof(v->high), "%%%s",
			 arch_register(p->arch, p->arch->result_regs[1]));
	return 0;
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

static int eval_mark_argument(const struct fetch_place *p, const struct expression *e,
			      struct value *v, struct errmsg *err)
{
	const char *text;
	size_t len;

	if (e->number > p->n_mark_args)
		return FETCH_REFUSE(p, err, e->span, -ENOENT,
				    "the mark %s has %u arguments: there is no $arg%lld",
				    p->function, p->n_mark_args, (long long)e->number);
	text = p->mark_args[e->number - 1];
	len = strcspn(text, ":");
	v->kind = text[0] == '\\' ? VALUE_READY : VALUE_PLAIN;
	snprintf(v->expr, sizeof(v->expr), "%.*s", (int)len, text);
	snprintf(v->plain_type, sizeof(v->plain_type), "%s", text[len] ? text + len + 1 : "");
	return 0;
}

/* The N-th parameter if they are known, else the N-th register. */
static int eval_argument(const struct fetch_place *p, const struct expression *e, struct value *v,
			 struct errmsg *err)
{
	struct variable var;
	struct nth nth = {e->number, &var};

	if (p->mark_args)
		return eval_mark_argument(p, e, v, err);
	if (p->scope)
		p->scope->ops->each(p->scope, true, count_down, &nth);
	if (nth.found)
		return use_place(p, &var, e->span, v, err);
	if (e->number > p->arch->n_arg_regs)
		return FETCH_REFUSE(p, err, e->span, -EINVAL,
				    "only the first %u arguments are in registers; those behind "
				    "them are on the stack: $stack1 is the first",
				    p->arch->n_arg_regs);
	if (p->is_return && (p->is_program || !p->kernel->return_args))
		return FETCH_REFUSE(p, err, e->span, -EOPNOTSUPP,
				    "$arg%lld is gone when %s returns; record it at the entry, "
				    "with a probe of its own",
				    (long long)e->number, p->function);
	if (p->is_return || (!p->is_program && p->kernel->arg_n))
		snprintf(v->expr, sizeof(v->expr), "$arg%lld", (long long)e->number);
	else
		snprintf(v->expr, sizeof(v->expr), "%%%s",
			 arch_register(p->arch, p->arch->arg_regs[e->number - 1]));
	return 0;
}

/* @NAME: a global variable; its type is known if the scope knows it. */
static int eval_symbol(const struct fetch_place *p, const struct expression *e, struct value *v,
		       struct errmsg *err)
{
	struct variable var;
	bool known = p->scope && !p->scope->ops->find(p->scope, e->text, strlen(e->text), &var) &&
		     var.place.kind == PLACE_ADDRESS;

	if (known)
		use_place(p, &var, e->word, v, err);
	else if (p->is_program)
		return FETCH_REFUSE(p, err, e->word, -ENOENT,
				    "there is no global variable '%s' in this program's debug "
				    "information; @+OFFSET and @ADDRESS need none",
				    e->text);
	v->kind = VALUE_FIXED;
	if (!known)
		snprintf(v->expr, sizeof(v->expr), "@%s", e->text);
	v->addend += e->number;
	if (e->number)
		v->type = (struct type){0};
	return 0;
}

static int eval_immediate(const struct fetch_place *p, const struct expression *e, struct value *v,
			  struct errmsg *err)
{
	if (!p->kernel->immediates)
		return FETCH_REFUSE(p, err, e->span, -EOPNOTSUPP,
				    "this kernel's probes take no constants (5.5 does)");
	v->kind = VALUE_READY;
	if (e->kind == EXPRESSION_TEXT)
		snprintf(v->expr, sizeof(v->expr), "\\\"%s\"", e->text);
	else
		snprintf(v->expr, sizeof(v->expr), "\\%lld", (long long)e->number);
	return 0;
}

static int eval_special(const struct fetch_place *p, const struct expression *e, struct value *v,
			struct errmsg *err)
{
	switch (e->kind) {
	case EXPRESSION_REGISTER:
		return eval_register(p, e, v, err);
	case EXPRESSION_RESULT:
		return eval_result(p, e, v, err);
	case EXPRESSION_ARGUMENT:
		return eval_argument(p, e, v, err);
	case EXPRESSION_SYMBOL:
		return eval_symbol(p, e, v, err);
	case EXPRESSION_NUMBER:
	case EXPRESSION_TEXT:
		return eval_immediate(p, e, v, err);
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

/* --- steps --------------------------------------------------------------------------------------- */

static int eval(const struct fetch_place *p, const struct expression *e, struct value *v,
		struct errmsg *err);

static int add_member_spelling(void *ctx, const struct type_member *m)
{
	spelling_add(ctx, m->name);
	return 0;
}

static int refuse_member(const struct fetch_place *p, struct type t, const char *name,
			 struct span span, struct errmsg *err)
{
	struct type_facts f;
	struct spelling sp;
	char text[120];

	fmt_type(t, text, sizeof(text));
	type_get(t, &f);
	if (f.kind == TYPE_UNKNOWN)
		return FETCH_REFUSE(p, err, span, -ENOENT,
				    "the members of %s are not known here: it is only declared; a "
				    "cast to a type that is known helps: ((struct NAME *)x)->%s",
				    text, name);
	spelling_init(&sp, name, strlen(name));
	type_each_member(t, add_member_spelling, &sp);
	return FETCH_REFUSE(p, err, span, -ENOENT, "there is no member '%s' in %s%s%s", name, text,
			    sp.nearest ? "; the nearest is " : "", sp.nearest ? sp.nearest : "");
}

/* From a struct to one of its members; nothing is read. */
static void step_into(struct value *v, const struct type_member *m)
{
	uint64_t bits = v->bit + m->bit_offset;

	v->type = m->type;
	v->n_bits = m->n_bits;
	if (v->kind == VALUE_PARTS) {
		v->bit = bits;
		return;
	}
	v->addend += bits / 8;
	v->bit = bits % 8;
}

static int take_member(const struct fetch_place *p, const char *name, struct span span,
		       struct value *v, struct errmsg *err)
{
	struct type_member m;

	if (type_find_member(v->type, name, strlen(name), &m) < 0)
		return refuse_member(p, v->type, name, span, err);
	step_into(v, &m);
	return 0;
}

static const char *source(const struct fetch_place *p, const struct expression *e)
{
	return p->definition->text + e->span.at;
}

/* What has no type has no members: a register, $arg2 without a prototype. */
static int refuse_untyped(const struct fetch_place *p, const struct expression *e,
			  struct errmsg *err)
{
	return FETCH_REFUSE(p, err, e->left->span, -EINVAL,
			    "the type of %.*s is not known; cast it: ((struct NAME *)%.*s)->%s",
			    (int)e->left->span.len, source(p, e->left), (int)e->left->span.len,
			    source(p, e->left), e->text ? e->text : "…");
}

static bool is_compound(const struct type_facts *f)
{
	return f->kind == TYPE_STRUCT || f->kind == TYPE_UNION || f->kind == TYPE_UNKNOWN;
}

static int eval_member(const struct fetch_place *p, const struct expression *e, struct value *v,
		       struct errmsg *err)
{
	struct type_facts f;

	type_get(v->type, &f);
	if (!v->type.world)
		return refuse_untyped(p, e, err);
	if (f.kind == TYPE_POINTER && f.is_reference) {
		follow(p, v, f.is_user, f.target);
		return take_member(p, e->text, e->word, v, err);
	}
	if (f.kind == TYPE_POINTER)
		return FETCH_REFUSE(p, err, e->word, -EINVAL, "%.*s is a pointer: write %.*s->%s",
				    (int)e->left->span.len, source(p, e->left),
				    (int)e->left->span.len, source(p, e->left), e->text);
	if (!is_compound(&f)) {
		char text[120];

		fmt_type(v->type, text, sizeof(text));
		return FETCH_REFUSE(p, err, e->word, -EINVAL,
				    "%.*s is %s and has no members; leave .%s out",
				    (int)e->left->span.len, source(p, e->left), text, e->text);
	}
	return take_member(p, e->text, e->word, v, err);
}

static int eval_arrow(const struct fetch_place *p, const struct expression *e, struct value *v,
		      struct errmsg *err)
{
	struct type_facts f;

	type_get(v->type, &f);
	if (!v->type.world)
		return refuse_untyped(p, e, err);
	if (is_compound(&f))
		return FETCH_REFUSE(p, err, e->word, -EINVAL, "%.*s is no pointer: write %.*s.%s",
				    (int)e->left->span.len, source(p, e->left),
				    (int)e->left->span.len, source(p, e->left), e->text);
	if (f.kind == TYPE_ARRAY) {
		v->type = f.target; /* an array is where its first element is */
		return take_member(p, e->text, e->word, v, err);
	}
	if (f.kind != TYPE_POINTER) {
		char text[120];

		fmt_type(v->type, text, sizeof(text));
		return FETCH_REFUSE(p, err, e->word, -EINVAL,
				    "%.*s is %s, no pointer; a cast makes it one: "
				    "((struct NAME *)%.*s)->%s",
				    (int)e->left->span.len, source(p, e->left), text,
				    (int)e->left->span.len, source(p, e->left), e->text);
	}
	follow(p, v, f.is_user, f.target);
	return take_member(p, e->text, e->word, v, err);
}

/* The element of an array, or of what a pointer points to. */
static int take_element(const struct fetch_place *p, const struct expression *e, int64_t index,
			struct value *v, struct errmsg *err)
{
	struct type_facts f, element;

	type_get(v->type, &f);
	if (f.kind != TYPE_ARRAY && f.kind != TYPE_POINTER) {
		char text[120];

		fmt_type(v->type, text, sizeof(text));
		return FETCH_REFUSE(p, err, e->left->span, -EINVAL,
				    "%.*s is %s, neither an array nor a pointer",
				    (int)e->left->span.len, source(p, e->left),
				    v->type.world ? text : "of a type that is not known");
	}
	type_get(f.target, &element);
	if (index && !element.n_bytes)
		return FETCH_REFUSE(p, err, e->span, -EINVAL,
				    "the size of an element of %.*s is not known; cast it first",
				    (int)e->left->span.len, source(p, e->left));
	if (f.kind == TYPE_ARRAY && f.n_elements && (uint64_t)index >= f.n_elements)
		return FETCH_REFUSE(
			p, err, e->word, -ERANGE, "%.*s has %llu elements: the last is [%llu]",
			(int)e->left->span.len, source(p, e->left),
			(unsigned long long)f.n_elements, (unsigned long long)f.n_elements - 1);
	if (f.kind == TYPE_POINTER)
		follow(p, v, f.is_user, f.target);
	v->type = f.target;
	if (v->kind == VALUE_PARTS)
		v->bit += 8 * index * element.n_bytes;
	else
		v->addend += index * (int64_t)element.n_bytes;
	return 0;
}

static int eval_address_of(const struct fetch_place *p, const struct expression *e, struct value *v,
			   struct errmsg *err)
{
	if (v->kind != VALUE_MEMORY || v->n_bits)
		return FETCH_REFUSE(p, err, e->span, -EINVAL, "%.*s has no address here: it is %s",
				    (int)e->left->span.len, source(p, e->left),
				    v->n_bits ? "a bit field"
					      : "not in memory that a pointer points to");
	v->kind = VALUE_PLAIN;
	v->type = v->type.world ? type_pointer_to(v->type) : v->type;
	return 0;
}

static int parse_type(const struct fetch_place *p, const char *text, struct span span,
		      struct type *ret, struct errmsg *err)
{
	const struct types *types = p->scope ? p->scope->types : NULL;
	int r = types ? types_parse(types, text, strlen(text), ret) : -ENODATA;

	if (r == -ENODATA)
		return FETCH_REFUSE(p, err, span, r, "types are not known here: %s",
				    p->why_none ? p->why_none : "there is no debug information");
	if (r < 0)
		return FETCH_REFUSE(p, err, span, r,
				    r == -ENOENT ? "there is no type '%s' in the debug information"
						 : "'%s' is not written as a type of C",
				    text);
	return 0;
}

static bool is_number(const struct type_facts *f)
{
	return f->kind == TYPE_INT || f->kind == TYPE_ENUM || f->kind == TYPE_POINTER;
}

static int eval_cast(const struct fetch_place *p, const struct expression *e, struct value *v,
		     struct errmsg *err)
{
	struct type_facts to, from;
	struct type t;
	int r = parse_type(p, e->text, e->word, &t, err);

	if (r < 0)
		return r;
	type_get(t, &to);
	type_get(v->type, &from);
	if (!is_number(&to))
		return FETCH_REFUSE(p, err, e->word, -EINVAL,
				    "nothing can be cast to %s, only to numbers and pointers; did "
				    "you mean (%s *)?",
				    e->text, e->text);
	if (from.kind == TYPE_ARRAY && v->kind == VALUE_MEMORY)
		v->kind = VALUE_PLAIN; /* its address */
	else if (from.kind == TYPE_STRUCT || from.kind == TYPE_UNION)
		return FETCH_REFUSE(p, err, e->left->span, -EINVAL,
				    "a struct cannot be cast; name a member of it");
	else if (to.n_bytes > from.n_bytes && from.n_bytes)
		return 0; /* wider: what is there is read, and no byte behind it */
	v->type = t;
	return 0;
}

/* container_of(): "a.b" is a member of a member. */
static int find_path(const struct fetch_place *p, struct type t, const char *path, struct span span,
		     uint64_t *ret_bytes, struct errmsg *err)
{
	uint64_t bits = 0;

	while (*path) {
		size_t len = strcspn(path, ".");
		struct type_member m;
		char name[128];

		snprintf(name, sizeof(name), "%.*s", (int)len, path);
		if (type_find_member(t, path, len, &m) < 0)
			return refuse_member(p, t, name, span, err);
		bits += m.bit_offset;
		t = m.type;
		path += len + (path[len] == '.');
	}
	*ret_bytes = bits / 8;
	return 0;
}

static int eval_container(const struct fetch_place *p, const struct expression *e, struct value *v,
			  struct errmsg *err)
{
	struct type_facts f;
	uint64_t offset = 0;
	struct type t;
	int r = parse_type(p, e->text, e->word, &t, err);

	if (r >= 0)
		r = find_path(p, t, e->member, e->span, &offset, err);
	if (r < 0)
		return r;
	type_get(v->type, &f);
	if (v->type.world && f.kind != TYPE_POINTER && f.kind != TYPE_INT)
		return FETCH_REFUSE(p, err, e->left->span, -EINVAL,
				    "container_of() starts from a pointer; write &%.*s",
				    (int)e->left->span.len, source(p, e->left));
	value_load(v);
	v->addend -= (int64_t)offset;
	v->type = type_pointer_to(t);
	v->is_user = false;
	return 0;
}

static int eval_load(const struct fetch_place *p, const struct expression *e, struct value *v)
{
	value_load(v);
	v->kind = VALUE_MEMORY;
	v->addend += e->number;
	v->is_user = e->is_user;
	v->type = (struct type){0};
	v->bit = v->n_bits = 0;
	return 0;
}

static int eval_step(const struct fetch_place *p, const struct expression *e, struct value *v,
		     struct errmsg *err)
{
	int r = eval(p, e->left, v, err);

	if (r < 0)
		return r;
	switch (e->kind) {
	case EXPRESSION_MEMBER:
		return eval_member(p, e, v, err);
	case EXPRESSION_ARROW:
		return eval_arrow(p, e, v, err);
	case EXPRESSION_INDEX:
		return take_element(p, e, e->number, v, err);
	case EXPRESSION_DEREF:
		return take_element(p, e, 0, v, err);
	case EXPRESSION_ADDRESS_OF:
		return eval_address_of(p, e, v, err);
	case EXPRESSION_CAST:
		return eval_cast(p, e, v, err);
	case EXPRESSION_CONTAINER:
		return eval_container(p, e, v, err);
	default:
		return eval_load(p, e, v);
	}
}

static int eval(const struct fetch_place *p, const struct expression *e, struct value *v,
		struct errmsg *err)
{
	*v = (struct value){0};
	if (e->left)
		return eval_step(p, e, v, err);
	return e->kind == EXPRESSION_NAME ? eval_name(p, e, v, err) : eval_special(p, e, v, err);
}

/* --- the doors ----------------------------------------------------------------------------------- */

int fetch_resolve(const struct fetch_place *p, const struct definition_arg *arg,
		  struct fetch *ret_fetch, struct errmsg *err)
{
	struct value v;
	int r = eval(p, arg->value, &v, err);

	if (r < 0)
		return r;
	if (arg->is_user && !p->is_program)
		v.is_user = true;
	return fetch_finish(p, &v, arg->type, arg->span, arg->type_span, ret_fetch, err);
}

int fetch_variable(const struct fetch_place *p, const struct variable *var, struct span span,
		   struct fetch *ret_fetch, struct errmsg *err)
{
	struct value v;
	int r = use_place(p, var, span, &v, err);

	return r < 0 ? r : fetch_finish(p, &v, NULL, span, span, ret_fetch, err);
}

static void fetch_name_number(char name[FETCH_NAME_BYTES], const char *stem, int64_t number)
{
	if (number < 0)
		snprintf(name, FETCH_NAME_BYTES, "%s", stem);
	else
		snprintf(name, FETCH_NAME_BYTES, "%s%lld", stem, (long long)number);
}

void fetch_name(const struct expression *e, char name[FETCH_NAME_BYTES])
{
	static const char *const words[] = {
		[EXPRESSION_RESULT] = "ret",	    [EXPRESSION_COMM] = "comm",
		[EXPRESSION_ADDRESS] = "at",	    [EXPRESSION_FILE_AT] = "at",
		[EXPRESSION_NUMBER] = "number",	    [EXPRESSION_TEXT] = "text",
		[EXPRESSION_VARS] = "vars",	    [EXPRESSION_PARAMS] = "params",
		[EXPRESSION_DURATION] = "duration",
	};
	const char *text = e->text;

	while (e->left && e->kind != EXPRESSION_MEMBER && e->kind != EXPRESSION_ARROW) {
		e = e->left;
		text = e->text;
	}
	if (e->kind < sizeof(words) / sizeof(*words) && words[e->kind])
		fetch_name_number(name, words[e->kind], -1);
	else if (e->kind == EXPRESSION_ARGUMENT || e->kind == EXPRESSION_STACK)
		fetch_name_number(name, e->kind == EXPRESSION_STACK ? "stack" : "arg", e->number);
	else
		snprintf(name, FETCH_NAME_BYTES, "%s", text ? text : "value");
	for (char *c = name; *c; c++) /* C++: ns::x; symbols: x.0 */
		if (*c == ':' || *c == '.' || *c == '$')
			*c = '_';
}

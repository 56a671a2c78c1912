// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * valueexpr.c - expressions over the parameters of a function: p->next->name, a.x, *count, v[2].
 *
 * An expression is followed from its parameter outwards. On the way its value is in one of three
 * states:
 *
 *	AT_WHERE     still in its registers or on the stack, as a whole
 *	IN_ACC       the accumulator has it: a number or a pointer
 *	IN_MEMORY    it lies at the accumulator + offset
 *
 *	p (rdi)          AT_WHERE
 *	p->next          REG 5           IN_MEMORY + 16
 *	p->next->name    LOAD +16        IN_MEMORY + 8     then: LOAD +8; TEXT
 */
#include "capture/user/values_int.h"

#include "base/errmsg.h"
#include "probe/definition/definition.h"
#include "runtime/snrt.h"
#include "symbols/types.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum step_state { AT_WHERE, IN_ACC, IN_MEMORY };

struct step {
	enum step_state state;
	struct type type; /* world NULL: unknown, a word */
	struct where where;
	uint32_t part; /* AT_WHERE: offset of a member in a struct in registers */
	int32_t offset;
};

/* What everything below needs. */
struct walk {
	struct builder *b;
	struct code *c;
	bool is_return;
	struct errmsg *err;
};

static const uint8_t arg_regs[] = {5, 4, 1, 2, 8, 9};

static void load(struct walk *w, struct step *s)
{
	if (s->state == AT_WHERE)
		code_add_where(w->c, &s->where);
	else if (s->state == IN_MEMORY)
		code_add(w->c, (struct snrt_fetch){.op = SNRT_FETCH_LOAD, .offset = s->offset});
	s->state = IN_ACC;
	s->offset = 0;
}

/* A struct that has an address becomes memory. */
static void to_memory(struct walk *w, struct step *s)
{
	if (s->state != AT_WHERE)
		return;
	if (s->where.is_address)
		code_add_where(w->c, &s->where);
	else
		code_add(w->c,
			 (struct snrt_fetch){.op = SNRT_FETCH_SLOT, .offset = s->where.offset});
	s->state = IN_MEMORY;
	s->offset = 0;
}

static int find_name(struct walk *w, const struct expression *e, struct step *ret)
{
	const struct signature *sig = w->b->signature;

	for (size_t i = 0; sig && i < sig->n_params; i++) {
		const struct parameter *p = &sig->params[i];

		if (!p->name || strcmp(p->name, e->text) != 0)
			continue;
		if (p->where.kind == WHERE_NOWHERE)
			return errmsg_set(w->err, -ENODATA,
					  "'%s' has no place at the function's beginning", e->text);
		*ret = (struct step){.type = p->type, .where = p->where};
		return 0;
	}
	return errmsg_set(w->err, -ENOENT,
			  sig ? "there is no parameter '%s'"
			      : "'%s' needs debug information (-g); use $argN",
			  e->text);
}

/* The Nth argument in a general register or on the stack, if no types are known. */
static int find_number(struct walk *w, int64_t number, struct step *ret)
{
	const struct signature *sig = w->b->signature;

	if (number < 1 || number > 100)
		return errmsg_set(w->err, -EINVAL, "arguments are numbered from 1");
	if (sig && (uint64_t)number <= sig->n_params) {
		*ret = (struct step){.type = sig->params[number - 1].type,
				     .where = sig->params[number - 1].where};
		return ret->where.kind == WHERE_NOWHERE ? errmsg_set(w->err, -ENODATA,
								     "$arg%d has no place at the "
								     "function's beginning",
								     (int)number)
							: 0;
	}
	*ret = (struct step){.where = {.kind = number <= 6 ? WHERE_REGS : WHERE_STACK,
				       .n_regs = 1,
				       .regs = {number <= 6 ? arg_regs[number - 1] : 0},
				       .offset = (int32_t)(8 * (number - 6))}};
	return 0;
}

static int find_result(struct walk *w, struct step *ret)
{
	const struct signature *sig = w->b->signature;

	if (!w->is_return)
		return errmsg_set(w->err, -EINVAL,
				  "$retval exists only at the return; write "
				  "FUNC%%return($retval) or --retval");
	*ret = (struct step){.where = {.kind = WHERE_REGS, .n_regs = 1}};
	if (sig && sig->has_result) {
		ret->type = sig->result;
		ret->where = sig->result_where;
	}
	return 0;
}

static int walk(struct walk *w, const struct expression *e, struct step *ret);

/* From a pointer to what it points at. */
static int follow(struct walk *w, struct step *s)
{
	struct type_facts f = {0};

	if (s->type.world)
		type_get(s->type, &f);
	if (f.kind == TYPE_ARRAY) {
		to_memory(w, s);
		s->type = f.target;
		return 0;
	}
	if (f.kind != TYPE_POINTER)
		return errmsg_set(w->err, -EINVAL, "what -> or * follows is no pointer");
	load(w, s);
	s->state = IN_MEMORY;
	s->type = f.target;
	return 0;
}

static int enter_member(struct walk *w, const struct expression *e, struct step *s)
{
	struct type_member m;

	if (!s->type.world || type_find_member(s->type, e->text, strlen(e->text), &m) < 0)
		return errmsg_set(w->err, -ENOENT, "there is no member '%s'", e->text);
	if (s->state == AT_WHERE && s->where.kind == WHERE_REGS && !s->where.is_address) {
		s->part += (uint32_t)(m.bit_offset / 8);
	} else {
		to_memory(w, s);
		s->offset += (int32_t)(m.bit_offset / 8);
	}
	if (m.n_bits)
		return errmsg_set(w->err, -EINVAL,
				  "'%s' is a bit field; record the struct that it is in", e->text);
	s->type = m.type;
	return 0;
}

/* A C++ reference is used like the object. */
static int through_reference(struct walk *w, struct step *s)
{
	struct type_facts f;

	if (!s->type.world)
		return 0;
	type_get(s->type, &f);
	return f.kind == TYPE_POINTER && f.is_reference ? follow(w, s) : 0;
}

static int walk_index(struct walk *w, const struct expression *e, struct step *s)
{
	struct type_facts f;
	int r = follow(w, s);

	if (r < 0)
		return r;
	type_get(s->type, &f);
	s->offset += (int32_t)(e->number * (int64_t)f.n_bytes);
	return 0;
}

static int walk_outwards(struct walk *w, const struct expression *e, struct step *s)
{
	int r = walk(w, e->left, s);

	if (r >= 0)
		r = through_reference(w, s);
	if (r < 0)
		return r;
	switch (e->kind) {
	case EXPRESSION_MEMBER:
		return enter_member(w, e, s);
	case EXPRESSION_ARROW:
		r = follow(w, s);
		return r < 0 ? r : enter_member(w, e, s);
	case EXPRESSION_DEREF:
		return follow(w, s);
	default:
		return walk_index(w, e, s);
	}
}

static int walk(struct walk *w, const struct expression *e, struct step *ret)
{
	switch (e->kind) {
	case EXPRESSION_NAME:
		return find_name(w, e, ret);
	case EXPRESSION_ARGUMENT:
		return find_number(w, e->number, ret);
	case EXPRESSION_RESULT:
		return find_result(w, ret);
	case EXPRESSION_MEMBER:
	case EXPRESSION_ARROW:
	case EXPRESSION_DEREF:
	case EXPRESSION_INDEX:
		return walk_outwards(w, e, ret);
	default:
		return errmsg_set(w->err, -EINVAL,
				  "values of user functions are parameters, members and elements: "
				  "n, p->x, v[2], *count");
	}
}

/* A member of a struct in registers: the register that has it. */
static void split_regs(struct step *s)
{
	uint32_t half = s->part / 8;

	if (s->state != AT_WHERE || s->where.kind != WHERE_REGS || s->where.is_address ||
	    half >= s->where.n_regs)
		return;
	s->where.regs[0] = s->where.regs[half];
	s->where.n_regs = 1;
}

/*
 * --- values ------------------------------------------------------------------------------------
 */

static void add_text(struct walk *w, struct step *s, bool is_std, struct value *ret)
{
	if (is_std && s->state == IN_MEMORY)
		code_add(w->c, (struct snrt_fetch){.op = SNRT_FETCH_ADD, .offset = s->offset});
	else
		load(w, s);
	code_add(w->c, (struct snrt_fetch){.op = is_std ? SNRT_FETCH_STRING : SNRT_FETCH_TEXT,
					   .n_bytes = VALUES_TEXT_BYTES});
	ret->carrier = CARRIER_TEXT;
}

static void add_memory(struct walk *w, const struct step *s, struct value *ret)
{
	uint16_t n = ret->form.n_bytes;

	code_add(w->c,
		 (struct snrt_fetch){.op = SNRT_FETCH_COPY,
				     .offset = s->offset,
				     .n_bytes = n < VALUES_COPY_BYTES ? n : VALUES_COPY_BYTES});
	ret->carrier = CARRIER_MEMORY;
}

/* ":x32", ":string", as of probes. */
static bool use_type_word(const char *word, struct form *form, bool *ret_text)
{
	static const struct {
		char letter;
		enum form_kind kind;
	} rows[] = {{'u', FORM_UINT}, {'s', FORM_INT}, {'d', FORM_INT},	 {'i', FORM_INT},
		    {'x', FORM_HEX},  {'o', FORM_OCT}, {'f', FORM_FLOAT}};
	unsigned long bits;

	*ret_text = !strcmp(word, "string") || !strcmp(word, "ustring");
	if (*ret_text)
		return true;
	if (!strcmp(word, "char") || !strcmp(word, "symbol")) {
		form->kind = *word == 'c' ? FORM_CHAR : FORM_FUNCTION;
		form->n_bytes = *word == 'c' ? 1 : 8;
		return true;
	}
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		if (*word != rows[i].letter)
			continue;
		bits = word[1] ? strtoul(word + 1, NULL, 10) : form->n_bytes * 8ul;
		if (bits != 8 && bits != 16 && bits != 32 && bits != 64)
			return false;
		form->kind = rows[i].kind;
		form->n_bytes = (uint16_t)(bits / 8);
		return true;
	}
	return false;
}

/* The last step: what is written. */
static int finish(struct walk *w, struct step *s, const struct definition_arg *arg,
		  struct value *ret)
{
	bool is_text = false, has_word = arg->type;
	struct type_facts f = {.n_bytes = 8};

	split_regs(s);
	if (s->type.world)
		type_get(s->type, &f);
	ret->form = (struct form){.kind = FORM_AUTO, .n_bytes = 8};
	if (s->type.world && !has_word && s->state == AT_WHERE && !s->part) {
		value_of_type(w->b, w->c, s->type, &s->where, ret);
		return 0;
	}
	if (s->type.world)
		form_of_type(w->b->arena, s->type, &ret->form);
	if (has_word && !use_type_word(arg->type, &ret->form, &is_text))
		return errmsg_set(
			w->err, -EINVAL,
			"':%s' is no type of a value; use string, char, symbol, or u s x o "
			"f with 8, 16, 32 or 64",
			arg->type);
	if (is_text || (s->type.world && !has_word && type_is_text(s->type))) {
		add_text(w, s, f.kind == TYPE_STRUCT && type_is_std_string(s->type), ret);
		return 0;
	}
	if (s->type.world && !has_word && type_is_std_string(s->type)) {
		add_text(w, s, true, ret);
		return 0;
	}
	if (s->state == IN_MEMORY) {
		add_memory(w, s, ret);
		return 0;
	}
	load(w, s);
	code_add(w->c, (struct snrt_fetch){.op = SNRT_FETCH_PUT});
	ret->carrier = CARRIER_WORDS;
	ret->n_words = 1;
	if (s->part % 8) { /* a member in the middle of a register: as a struct of one */
		struct form *part = arena_alloc(w->b->arena, sizeof(*part));

		if (!part)
			return errmsg_set_errno(w->err, -ENOMEM, "cannot plan");
		ret->form.offset = s->part % 8;
		*part = ret->form;
		ret->form = (struct form){
			.kind = FORM_STRUCT, .parts = part, .n_parts = 1, .n_bytes = 8};
	}
	return 0;
}

int value_of_expression(struct builder *b, struct code *c, const struct definition_arg *arg,
			bool is_return, struct value *ret, struct errmsg *err)
{
	struct walk w = {.b = b, .c = c, .is_return = is_return, .err = err};
	size_t before = c->n;
	struct step s;
	int r = walk(&w, arg->value, &s);

	*ret = (struct value){.carrier = CARRIER_NONE};
	if (r >= 0)
		r = finish(&w, &s, arg, ret);
	if (r < 0)
		c->n = before;
	return r;
}

int code_add_operand(struct builder *b, struct code *c, const struct expression *e,
		     uint32_t *ret_n_bytes, bool *ret_signed, struct errmsg *err)
{
	struct walk w = {.b = b, .c = c, .err = err};
	struct type_facts f = {.kind = TYPE_INT, .n_bytes = 8, .is_signed = true};
	struct step s;
	int r = walk(&w, e, &s);

	if (r >= 0)
		r = through_reference(&w, &s);
	if (r < 0)
		return r;
	split_regs(&s);
	if (s.type.world)
		type_get(s.type, &f);
	if ((f.kind != TYPE_INT && f.kind != TYPE_ENUM && f.kind != TYPE_POINTER) ||
	    f.n_bytes > 8 || s.part % 8)
		return errmsg_set(err, -EINVAL,
				  "only integers, enums and pointers can be compared");
	load(&w, &s);
	*ret_n_bytes = (uint32_t)f.n_bytes;
	*ret_signed = f.kind != TYPE_POINTER && f.is_signed;
	return 0;
}

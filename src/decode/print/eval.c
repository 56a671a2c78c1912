// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * eval.c - the value of a print argument for the current record.
 *
 * All arithmetic uses unsigned 64-bit numbers, fields are zero-extended and casts only truncate: an
 * int of -3 printed with %ld is 4294967293. libtraceevent does the same, and users compare with its
 * output. Where that library divides by zero (and crashes) the value is 0 here, and nothing is ever
 * read outside the record.
 */
#include "base/textbuf.h"
#include "decode/formats/functions.h"
#include "decode/print/print_int.h"
#include "format/bytes.h"
#include "symbols/kallsyms.h"

#include <string.h>

void dynamic_place(const struct printer *p, const struct field *f, uint32_t *ret_offset,
		   uint32_t *ret_len)
{
	uint64_t v;
	uint32_t offset, len;

	*ret_offset = *ret_len = 0;
	if ((uint64_t)f->offset + f->size > p->size)
		return;
	v = bytes_get(p->data + f->offset, f->size, p->swap);
	offset = v & 0xffff;
	/* in old kernels the field has only an offset, and the text ends with the record */
	len = f->size == 2 ? p->size - offset : (v >> 16) & 0xffff;
	*ret_len = offset + len > p->size || offset > p->size ? 0 : len;
	if (f->flags & FIELD_STRING && f->n_elements && *ret_len > f->n_elements)
		*ret_len = f->n_elements; /* the kernel may read beyond the field: probe/format.c */
	*ret_offset = offset > p->size ? 0 : offset;
	if (f->flags & FIELD_RELATIVE) {
		*ret_offset += f->offset + f->size;
		if (*ret_offset > p->size)
			*ret_offset = *ret_len = 0;
		if (*ret_offset + *ret_len > p->size)
			*ret_len = p->size - *ret_offset;
	}
}

struct piece printer_field_bytes(const struct printer *p, const struct field *f)
{
	uint32_t offset = f->offset, len = f->size;

	if (f->flags & FIELD_DYNAMIC) {
		dynamic_place(p, f, &offset, &len);
	} else {
		if (offset > p->size)
			return (struct piece){p->data, 0};
		if (!len || len > p->size - offset)
			len = p->size - offset;
	}
	return (struct piece){p->data + offset, len};
}

/*
 * Returns true for s8, s16, s32 of a probe. For other events libtraceevent treats them as unsigned,
 * and the output must be the same.
 */
static bool has_signed_elements(const struct printer *p, const struct field *f)
{
	return f->flags & FIELD_SIGNED && f->type[0] == 's' && f->type[1] >= '1' &&
	       f->type[1] <= '8' && p->ev && event_is_probe(p->ev);
}

static uint64_t eval_index(struct printer *p, const struct arg *a, bool *ret_done)
{
	const struct arg *left = a->op.left;
	uint64_t mask = UINT64_MAX, index = arg_eval(p, a->op.right), offset, v;
	uint32_t size = p->formats->long_size, start, len;

	*ret_done = true;
	if (left->kind == ARG_CAST)
		mask = left->cast.pointed_mask;
	while (left->kind == ARG_CAST)
		left = left->cast.item;
	if (left->kind == ARG_DYNAMIC_ARRAY) {
		dynamic_place(p, left->field.field, &start, &len);
		offset = start + index; /* the index is not scaled, as in libtraceevent */
		if (left->field.field->element_size)
			size = left->field.field->element_size;
	} else if (left->kind == ARG_FIELD) {
		if (!left->field.field)
			return 0;
		size = left->field.field->element_size;
		offset = left->field.field->offset + index * size;
	} else {
		*ret_done = false;
		return 0;
	}
	if (offset > p->size || size > p->size - offset)
		return 0;
	v = bytes_get(p->data + offset, size, p->swap);
	if (a->op.left == left && left->kind == ARG_FIELD && size && size < 8 &&
	    has_signed_elements(p, left->field.field))
		v = (uint64_t)((int64_t)(v << (64 - 8 * size)) >> (64 - 8 * size));
	return v & mask;
}

static uint64_t eval_op(struct printer *p, const struct arg *a)
{
	const char *op = a->op.op;
	uint64_t l, r;
	bool done;

	if (!a->op.left || !a->op.right)
		return 0;
	if (op[0] == '[') {
		l = eval_index(p, a, &done);
		if (done)
			return l;
	}
	if (op[0] == '?') {
		const struct arg *branches = a->op.right;

		l = arg_eval(p, a->op.left);
		return branches->kind == ARG_OP
			       ? arg_eval(p, l ? branches->op.left : branches->op.right)
			       : 0;
	}
	l = arg_eval(p, a->op.left);
	if ((op[0] == '&' && op[1] && !l) || (op[0] == '|' && op[1] && l))
		return l != 0;
	r = arg_eval(p, a->op.right);
	switch (op[0]) {
	case '!':
		return op[1] ? l != r : !r;
	case '~':
		return ~r;
	case '|':
		return op[1] ? l || r : l | r;
	case '&':
		return op[1] ? l && r : l & r;
	case '<':
		return !op[1] ? l < r : op[1] == '=' ? l <= r : l << (r & 63);
	case '>':
		return !op[1] ? l > r : op[1] == '=' ? l >= r : l >> (r & 63);
	case '=':
		return l == r;
	case '-':
		return l - r;
	case '+':
		return l + r;
	case '*':
		return l * r;
	case '/':
		return r ? l / r : 0;
	case '%':
		return r ? l % r : 0;
	}
	/* libtraceevent parses '^' but does not evaluate it: it warns and uses 0 */
	return 0;
}

/* Calls the function for a number. The text that it prints is for a %s, and is dropped here. */
static uint64_t function_value(struct printer *p, const struct arg *a)
{
	size_t len = textbuf_len(p->out);
	uint64_t v = function_call(p, a);

	if (!p->out->overflow)
		p->out->pos = p->out->start + len;
	return v;
}

uint64_t arg_eval(struct printer *p, const struct arg *a)
{
	const struct field *f;
	uint32_t offset, len;

	if (!a)
		return 0;
	switch (a->kind) {
	case ARG_ATOM:
		return a->atom.value;
	case ARG_FIELD:
		f = a->field.field;
		if (!f || (uint64_t)f->offset + f->size > p->size)
			return 0;
		return bytes_get(p->data + f->offset, f->size, p->swap);
	case ARG_CAST:
		return arg_eval(p, a->cast.item) & a->cast.mask;
	case ARG_OP:
		return eval_op(p, a);
	case ARG_FUNC:
		return function_value(p, a);
	case ARG_DYNAMIC_ARRAY_LEN:
		dynamic_place(p, a->field.field, &offset, &len);
		return len;
	case ARG_DYNAMIC_ARRAY:
		dynamic_place(p, a->field.field, &offset, &len);
		return offset;
	default:
		return 0;
	}
}

/* Evaluates the numbers and texts of a call, and calls the function, which prints to p->out. */
uint64_t function_call(struct printer *p, const struct arg *a)
{
	const struct print_function *fn = a->func.function;
	static const struct conversion plain = {.letter = 's', .width = -1, .precision = -1};
	struct textbuf *out = p->out;
	struct textbuf texts[PARAMS_MAX];
	uint64_t args[PARAMS_MAX] = {0}, v;
	const struct arg *arg = a->func.args;
	unsigned n_texts = 0;

	for (unsigned i = 0; i < fn->n_params && arg; i++, arg = arg->next) {
		if (fn->params[i] == PARAM_NUMBER) {
			args[i] = arg_eval(p, arg);
			continue;
		}
		p->out = &texts[n_texts++];
		textbuf_init(p->out, 1 << 20);
		print_string_arg(p, &plain, arg);
		textbuf_add_char(p->out, 0);
		args[i] = p->out->overflow ? (uintptr_t) "" : (uintptr_t)p->out->start;
	}
	p->out = out;
	v = fn->call(p, args);
	while (n_texts)
		textbuf_release(&texts[--n_texts]);
	return v;
}

void args_resolve(struct formats *f, struct arg *a, bool as_number)
{
	const struct ksym *sym;

	if (!a)
		return;
	switch (a->kind) {
	case ARG_ATOM:
		if (!as_number || !a->atom.is_name)
			return;
		formats_kallsyms(f);
		sym = kallsyms_find_name(&f->kallsyms, a->atom.text, strlen(a->atom.text));
		a->atom.value = sym ? sym->addr : 0;
		a->atom.is_name = false;
		return;
	case ARG_CAST:
		args_resolve(f, a->cast.item, as_number);
		return;
	case ARG_FLAGS:
	case ARG_SYMBOL:
		args_resolve(f, a->flags.value, true);
		return;
	case ARG_HEX:
	case ARG_HEX_STR:
	case ARG_INT_ARRAY:
		args_resolve(f, a->array.count, true);
		args_resolve(f, a->array.element_size, true);
		return;
	case ARG_OP:
		if (a->op.op[0] == '?' && a->op.right && a->op.right->kind == ARG_OP) {
			args_resolve(f, a->op.left, true);
			args_resolve(f, a->op.right->op.left, as_number);
			args_resolve(f, a->op.right->op.right, as_number);
			return;
		}
		args_resolve(f, a->op.left, true);
		args_resolve(f, a->op.right, true);
		return;
	case ARG_FUNC:
		for (struct arg *x = a->func.args; x; x = x->next)
			args_resolve(f, x, false);
		return;
	default:
		return;
	}
}

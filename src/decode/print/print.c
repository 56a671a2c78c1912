// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * print.c - compiles print formats to flat code, and runs it.
 *
 *	"prev_comm=%s prev_pid=%d\n", REC->prev_comm, REC->prev_pid
 *	    ─▶  [text "prev_comm=", run_field_text @8]  [text " prev_pid=", run_plain_number @24
 *	                                                s32]
 *	        [text "\n", run_nothing]
 *
 * One op is one conversion with the literal text before it: a copy and a call, without scanning
 * format strings, looking up names, or allocating memory. Most conversions are a number of a plain
 * field without width; those have their own op (run_plain_number). Rarer ones evaluate the tree of
 * the argument (eval.c). Byte-code with computed gotos was considered, but not built: with the text
 * copied in the same step the calls are less than a tenth of the time.
 */
#include "decode/syscalls/syscalltext.h"
#include "decode/handlers/handlers.h"
#include "decode/order/order.h"
#include "decode/print/print_int.h"
#include "format/bytes.h"
#include "symbols/kallsyms.h"

#include <stdlib.h>
#include <string.h>

static struct conversion conversion_parse(const char *text)
{
	struct conversion c = {.width = -1, .precision = -1};
	bool precision = false;

	for (text++; *text; text++) {
		int *n = precision ? &c.precision : &c.width;

		if (*text == '-') {
			c.left = true;
		} else if (*text == '#') {
			c.alternate = true;
		} else if (*text == '.') {
			precision = true;
			c.precision = 0;
		} else if (*text == '*') {
			*(precision ? &c.precision_is_arg : &c.width_is_arg) = true;
		} else if (*text == '0' && *n < 0 && !precision) {
			c.zero = true;
		} else if (*text >= '0' && *text <= '9') {
			*n = (*n < 0 ? 0 : *n) * 10 + (*text - '0');
			if (*n > PAD_MAX)
				*n = PAD_MAX;
		} else if (!strchr("hlLzZ", *text)) {
			c.letter = *text == 'i' ? 'd' : *text;
			break;
		}
	}
	return c;
}

/* Resolves a `*` for the current record. */
static struct conversion conversion_for(struct printer *p, const struct print_op *op)
{
	struct conversion c = op->conv;
	int v;

	if (!op->width_arg)
		return c;
	v = arg_eval(p, op->width_arg);
	if (v > PAD_MAX)
		v = PAD_MAX;
	if (c.width_is_arg)
		c.width = v < 0 ? -1 : v;
	if (c.precision_is_arg)
		c.precision = v < 0 ? -1 : v;
	return c;
}

/* Truncates the value to the size of the conversion. */
static uint64_t cut_value(const struct conversion *c, uint64_t v)
{
	bool is_signed = c->letter == 'd';

	switch (c->size_class) {
	case -2:
		return is_signed ? (uint64_t)(int8_t)v : (uint8_t)v;
	case -1:
		return is_signed ? (uint64_t)(int16_t)v : (uint16_t)v;
	case 0:
		return is_signed ? (uint64_t)(int32_t)v : (uint32_t)v;
	}
	return v;
}

static char *emit_digits(char *s, const struct conversion *c, uint64_t v)
{
	char *end;

	switch (c->letter) {
	case 'x':
		return number_emit_hex(s, v);
	case 'X':
		end = number_emit_hex(s, v);
		for (; s < end; s++)
			if (*s >= 'a')
				*s -= 'a' - 'A';
		return end;
	case 'o':
		for (end = s + 1; end - s < 22 && v >> 3 * (end - s); end++)
			;
		for (char *q = end; q > s; v >>= 3)
			*--q = '0' + (v & 7);
		return end;
	}
	return number_emit_dec(s, v);
}

static void emit_number(struct textbuf *out, const struct conversion *c, uint64_t v)
{
	char digits[64], sign[3], *end;
	size_t n_sign = 0, n_digits, zeros = 0, pad, total;

	v = cut_value(c, v);
	if (c->letter == 'd' && (int64_t)v < 0) {
		sign[n_sign++] = '-';
		v = -v;
	}
	if (c->alternate && v && (c->letter == 'x' || c->letter == 'X')) {
		sign[n_sign++] = '0';
		sign[n_sign++] = c->letter;
	}
	end = emit_digits(digits, c, v);
	n_digits = c->precision == 0 && !v ? 0 : end - digits;
	if (c->precision > (int)n_digits)
		zeros = c->precision - n_digits;
	if (c->alternate && c->letter == 'o' && !zeros && (v || !n_digits))
		zeros = 1;
	total = n_sign + zeros + n_digits;
	pad = c->width > (int)total ? c->width - total : 0;
	if (c->zero && !c->left && c->precision < 0) {
		zeros += pad;
		pad = 0;
	}
	if (pad && !c->left)
		textbuf_add_fill(out, ' ', pad);
	textbuf_add(out, sign, n_sign);
	if (zeros)
		textbuf_add_fill(out, '0', zeros);
	textbuf_add(out, digits, n_digits);
	if (pad && c->left)
		textbuf_add_fill(out, ' ', pad);
}

void emit_string(struct textbuf *out, const struct conversion *c, const char *s, size_t len)
{
	size_t pad;

	if (c->precision >= 0 && len > (size_t)c->precision)
		len = c->precision;
	pad = c->width > (int)len ? c->width - len : 0;
	if (pad && !c->left)
		textbuf_add_fill(out, ' ', pad);
	textbuf_add(out, s, len);
	if (pad && c->left)
		textbuf_add_fill(out, ' ', pad);
}

/*
 * --- ops ---------------------------------------------------------------------------------------
 */

static void run_nothing(struct printer *p, const struct print_op *op)
{
}

/* Prints a plain field of the other byte order, under a cast, or of a size class below int. */
static void run_plain_number(struct printer *p, const struct print_op *op)
{
	uint64_t v = 0;
	char *s;

	if (__builtin_expect(op->offset + op->size <= p->size, 1))
		v = bytes_get(p->data + op->offset, op->size, p->swap) & op->mask;
	v = cut_value(&op->conv, v);
	s = textbuf_reserve(p->out, NUMBER_MAX_BYTES);
	s = op->conv.letter == 'x'   ? number_emit_hex(s, v)
	    : op->conv.letter == 'u' ? number_emit_dec(s, v)
				     : number_emit_signed(s, v);
	textbuf_commit(p->out, s);
}

/*
 * The most frequent conversions by far are %d %u %x, with or without l, of a field as it is in the
 * record. Each combination of field type and conversion has its own function, so that no decision
 * is needed at run time.
 */
#define PLAIN_OP(type, name, emit)                                                    \
	static void run_##type##_##name(struct printer *p, const struct print_op *op) \
	{                                                                             \
		type v = 0;                                                           \
		char *s = textbuf_reserve(p->out, NUMBER_MAX_BYTES);                  \
                                                                                      \
		if (__builtin_expect(op->offset + sizeof(v) <= p->size, 1))           \
			memcpy(&v, p->data + op->offset, sizeof(v));                  \
		textbuf_commit(p->out, emit);                                         \
	}
#define PLAIN_OPS(type)                                        \
	PLAIN_OP(type, s32, number_emit_signed(s, (int32_t)v)) \
	PLAIN_OP(type, u32, number_emit_dec(s, (uint32_t)v))   \
	PLAIN_OP(type, x32, number_emit_hex(s, (uint32_t)v))   \
	PLAIN_OP(type, s64, number_emit_signed(s, (int64_t)v)) \
	PLAIN_OP(type, u64, number_emit_dec(s, v))             \
	PLAIN_OP(type, x64, number_emit_hex(s, v))
PLAIN_OPS(uint8_t)
PLAIN_OPS(uint16_t)
PLAIN_OPS(uint32_t)
PLAIN_OPS(uint64_t)
#define PLAIN_ROW(type)                                                                 \
	{                                                                               \
		run_##type##_s32, run_##type##_u32, run_##type##_x32, run_##type##_s64, \
			run_##type##_u64, run_##type##_x64                              \
	}

typedef void (*print_run)(struct printer *p, const struct print_op *op);

static print_run plain_run(unsigned size, char letter, int size_class)
{
	static const print_run rows[4][6] = {PLAIN_ROW(uint8_t), PLAIN_ROW(uint16_t),
					     PLAIN_ROW(uint32_t), PLAIN_ROW(uint64_t)};

	return rows[__builtin_ctz(size)][(letter == 'd'	  ? 0
					  : letter == 'u' ? 1
							  : 2) +
					 (size_class > 0 ? 3 : 0)];
}

/* Prints %pS and %ps of a plain field. */
static void run_symbol(struct printer *p, const struct print_op *op)
{
	uint64_t addr = 0;

	if (__builtin_expect(op->offset + 8 <= p->size, 1))
		addr = bytes_get64(p->data + op->offset, p->swap);
	if (!(op->size ? printer_add_symbol(p, addr) : printer_add_symbol_name(p, addr)))
		print_pointer(p, op->letters, 1, op->arg);
}

/* Prints %p of a plain field. */
static void run_address(struct printer *p, const struct print_op *op)
{
	uint64_t addr = 0;
	char *s = textbuf_reserve(p->out, NUMBER_MAX_BYTES);

	if (__builtin_expect(op->offset + 8 <= p->size, 1))
		addr = bytes_get64(p->data + op->offset, p->swap);
	memcpy(s, addr ? "0x   " : "(nil)", 5);
	textbuf_commit(p->out, addr ? number_emit_hex(s + 2, addr) : s + 5);
}

static void run_names(struct printer *p, const struct print_op *op)
{
	print_names_memo(p, op->arg);
}

/* Prints cond ? "text" : "other text". */
static void run_choice(struct printer *p, const struct print_op *op)
{
	const struct arg *branches = op->arg->op.right;
	const struct arg *a =
		arg_eval(p, op->arg->op.left) ? branches->op.left : branches->op.right;

	textbuf_add(p->out, a->atom.text, a->atom.len);
}

/* Prints %c of a probe, and an unprintable character as a number. */
static void run_character(struct printer *p, const struct print_op *op)
{
	uint8_t c = arg_eval(p, op->arg);

	if (c >= ' ' && c < 0x7f)
		textbuf_add_char(p->out, c);
	else
		textbuf_addf(p->out, "\\x%02x", c);
}

static void run_number(struct printer *p, const struct print_op *op)
{
	struct conversion c = conversion_for(p, op);

	emit_number(p->out, &c, arg_eval(p, op->arg));
}

/* Prints s8 and s16 of a probe with their sign; for other events libtraceevent shows none. */
static void run_short(struct printer *p, const struct print_op *op)
{
	struct conversion c = conversion_for(p, op);
	unsigned unused_bits = 64 - 8 * op->field->size;
	uint64_t v = arg_eval(p, op->arg) << unused_bits;

	emit_number(p->out, &c, (uint64_t)((int64_t)v >> unused_bits));
}

/*
 * Prints a floating point number, if the field has that type. Other programs show its hex digits.
 */
static void run_real(struct printer *p, const struct print_op *op)
{
	real_fmt(op->field, arg_eval(p, op->arg), p->out);
}

static void run_word(struct printer *p, const struct print_op *op)
{
	word_fmt(arg_eval(p, op->arg), p->out);
}

static void run_string(struct printer *p, const struct print_op *op)
{
	struct conversion c = conversion_for(p, op);

	print_string_arg(p, &c, op->arg);
}

/* Prints %s of a character array in the record, without width. */
static void run_field_text(struct printer *p, const struct print_op *op)
{
	const char *s = (const char *)p->data + op->offset;

	if (op->offset < p->size)
		textbuf_add(p->out, s,
			    strnlen(s, op->field->size <= p->size - op->offset
					       ? op->field->size
					       : p->size - op->offset));
}

static void run_pointer(struct printer *p, const struct print_op *op)
{
	print_pointer(p, op->letters, op->width_arg ? (int)arg_eval(p, op->width_arg) : 1, op->arg);
}

/*
 * --- compiling ---------------------------------------------------------------------------------
 */

static bool is_plain_size(uint32_t size)
{
	return size == 1 || size == 2 || size == 4 || size == 8;
}

static bool is_bare(const struct conversion *c)
{
	return c->width < 0 && c->precision < 0 && !c->alternate && !c->width_is_arg &&
	       !c->precision_is_arg;
}

static void compile_number(struct print_op *op, const struct arg *a, const struct formats *f)
{
	uint64_t mask = UINT64_MAX;

	op->run = op->conv.letter == 'c' ? run_character : run_number;
	while (a->kind == ARG_CAST) {
		mask &= a->cast.mask;
		a = a->cast.item;
	}
	if (element_array(a) && element_array(a)->flags & FIELD_REAL) {
		op->run = run_real;
		op->field = element_array(a);
		return;
	}
	if (a->kind == ARG_FIELD && a->field.field &&
	    a->field.field->flags & (FIELD_REAL | FIELD_WORD)) {
		op->run = a->field.field->flags & FIELD_REAL ? run_real : run_word;
		op->field = a->field.field;
		return;
	}
	if (a->kind == ARG_FIELD && a->field.field && a->field.field->flags & FIELD_SHORT &&
	    op->conv.letter == 'd') {
		op->run = run_short;
		op->field = a->field.field;
		return;
	}
	if (a->kind != ARG_FIELD || !a->field.field || !is_plain_size(a->field.field->size) ||
	    !is_bare(&op->conv) || !strchr("dux", op->conv.letter))
		return;
	op->run = run_plain_number;
	op->offset = a->field.field->offset;
	op->size = a->field.field->size;
	op->mask = mask;
	/* a cast that keeps all bits of the field has no effect */
	if (!f->swap && op->conv.size_class >= 0 &&
	    (UINT64_MAX >> (64 - op->size * 8) & ~mask) == 0)
		op->run = plain_run(op->size, op->conv.letter, op->conv.size_class);
}

static bool is_choice(const struct arg *a)
{
	const struct arg *branches = a->kind == ARG_OP && a->op.op[0] == '?' ? a->op.right : NULL;

	return branches && branches->kind == ARG_OP && branches->op.left->kind == ARG_ATOM &&
	       branches->op.right->kind == ARG_ATOM;
}

static void compile_pointer(struct print_op *op, const struct arg *a)
{
	op->run = run_pointer;
	while (a->kind == ARG_CAST && a->cast.mask == UINT64_MAX)
		a = a->cast.item;
	if (a->kind != ARG_FIELD || !a->field.field || a->field.field->size != 8)
		return;
	op->offset = a->field.field->offset;
	if (!op->letters[0])
		op->run = run_address;
	else if (strchr("FfSs", op->letters[0]))
		op->run = run_symbol;
	op->size = op->letters[0] == 'F' || op->letters[0] == 'S'; /* whether to print the offset */
}

static void compile_string(struct print_op *op, const struct arg *a, const struct formats *f)
{
	op->run = run_string;
	if (!is_bare(&op->conv))
		return;
	if (a->kind == ARG_FLAGS || a->kind == ARG_SYMBOL)
		op->run = run_names;
	else if (is_choice(a))
		op->run = run_choice;
	if (a->kind == ARG_FIELD && a->field.field && (a->field.field->flags & FIELD_ARRAY) &&
	    a->field.field->size) {
		op->run = run_field_text;
		op->field = a->field.field;
		op->offset = op->field->offset;
	}
}

/*
 * Finds the field that may be unknown (FIELD_GAPS) in an expression that shows the field by name,
 * with its sign, or byte-swapped.
 */
static const struct field *find_maybe(const struct arg *a)
{
	const struct field *f;

	if (!a)
		return NULL;
	switch (a->kind) {
	case ARG_FIELD:
		return a->field.field && a->field.field->flags & FIELD_GAPS ? a->field.field : NULL;
	case ARG_CAST:
		return find_maybe(a->cast.item);
	case ARG_FLAGS:
	case ARG_SYMBOL:
		return find_maybe(a->flags.value);
	case ARG_OP:
		f = find_maybe(a->op.left);
		return f ? f : find_maybe(a->op.right);
	default:
		return NULL;
	}
}

static void run_maybe(struct printer *p, const struct print_op *op)
{
	const struct field *f = op->maybe;

	if ((uint64_t)f->offset + f->size <= p->size &&
	    field_is_gone(f, bytes_get(p->data + f->offset, f->size, p->swap)))
		textbuf_add_char(p->out, '?');
	else
		op->run_known(p, op);
}

static void compile_segment(struct print_op *op, const struct segment *s, struct formats *f)
{
	const char *letters = strchr(s->text, 'p');

	op->arg = s->arg;
	op->width_arg = s->width_arg;
	op->conv = conversion_parse(s->text);
	op->conv.size_class = s->size_class;
	switch (s->kind) {
	case SEGMENT_NUMBER:
		args_resolve(f, s->arg, true);
		compile_number(op, s->arg, f);
		break;
	case SEGMENT_POINTER:
		args_resolve(f, s->arg, true);
		op->letters = letters + 1;
		compile_pointer(op, s->arg);
		break;
	case SEGMENT_STRING:
		args_resolve(f, s->arg, false);
		compile_string(op, s->arg, f);
		break;
	case SEGMENT_TEXT:
		break;
	}
	args_resolve(f, s->width_arg, true);
	op->maybe = find_maybe(s->arg);
	if (op->maybe) {
		op->run_known = op->run;
		op->run = run_maybe;
	}
}

void print_segment(struct printer *p, const struct segment *s)
{
	struct print_op op = {.run = run_nothing};

	if (s->kind == SEGMENT_TEXT) {
		textbuf_add(p->out, s->text, s->len);
		return;
	}
	compile_segment(&op, s, p->formats);
	op.run(p, &op);
}

static bool needs_symbols(const struct segment *s)
{
	const char *p = s->kind == SEGMENT_POINTER ? strchr(s->text, 'p') : NULL;

	return p && p[1] && strchr("FfSs", p[1]);
}

static void compile_pretty(struct event *ev, struct arena *arena)
{
	size_t n = 1;
	struct print_op *op;

	for (const struct segment *s = ev->segments; s; s = s->next)
		n++;
	op = ev->pretty.ops = arena_alloc_array(arena, n, sizeof(*op));
	if (!op) {
		ev->failed = true;
		return;
	}
	op->run = run_nothing;
	for (const struct segment *s = ev->segments; s; s = s->next) {
		if (s->kind == SEGMENT_TEXT) {
			/* two texts in a row occur after ">c<" */
			if (op->text)
				(++op)->run = run_nothing;
			op->text = s->text;
			op->text_len = s->len;
			continue;
		}
		if (needs_symbols(s))
			formats_kallsyms(ev->formats);
		compile_segment(op, s, ev->formats);
		(++op)->run = run_nothing;
	}
	ev->pretty.n_ops = op - ev->pretty.ops + (op->text != NULL);
}

/* Makes " name: " and blanks up to column 20 of the name. */
static void compile_label(struct event *ev, struct arena *arena)
{
	size_t len = strlen(ev->name), pad = len < 20 ? 20 - len : 0;

	ev->label = arena_alloc(arena, len + pad + 4);
	if (!ev->label)
		return;
	ev->label[0] = ' ';
	memcpy(ev->label + 1, ev->name, len);
	memcpy(ev->label + 1 + len, ": ", 2);
	memset(ev->label + 3 + len, ' ', pad);
	ev->label_len = len + pad + 3;
}

void event_compile(struct event *ev)
{
	struct arena *arena = &ev->formats->arena;

	if (ev->compiled)
		return;
	compile_label(ev, arena);
	if (handlers_attach(ev, ev->formats->config.no_plugins))
		formats_kallsyms(ev->formats);
	ev->role = order_role(ev);
	if (!ev->role && (ev->failed || ev->n_fields))
		ev->role = ROLE_OTHER;
	if (!ev->failed && !ev->is_bprint)
		compile_pretty(ev, arena);
	if (ev->is_bprint) {
		formats_kallsyms(ev->formats);
		formats_printk(ev->formats);
	}
	rawfields_compile(ev, arena);
	for (size_t i = 0; i < ev->n_fields; i++)
		if (!(ev->fields[i].flags & FIELD_ARRAY) &&
		    ev->fields[i].size == ev->formats->long_size)
			formats_printk(ev->formats);
	ev->compiled = true;
}

/*
 * --- running -----------------------------------------------------------------------------------
 */

int printer_init(struct printer *p, struct formats *f, struct textbuf *out)
{
	*p = (struct printer){.out = out, .formats = f, .swap = f->swap};
	p->symbols = calloc(1, sizeof(*p->symbols));
	p->bprint = bprint_cache_new();
	p->memo = calloc(1 << PRINT_MEMO_BITS, sizeof(*p->memo));
	if (!p->symbols || !p->bprint || !p->memo) {
		printer_release(p);
		return -1;
	}
	return 0;
}

void printer_release(struct printer *p)
{
	free(p->symbols);
	bprint_cache_free(p->bprint);
	free(p->memo);
	syscalltext_free(p->calls);
	p->calls = NULL;
	p->memo = NULL;
	p->symbols = NULL;
	p->bprint = NULL;
}

static void run_program(struct printer *p, const struct event_program *program)
{
	const struct print_op *op = program->ops, *end = op + program->n_ops;

	for (; op < end; op++) {
		if (op->text_len && op->text_len <= TEXTBUF_SCRATCH_BYTES) {
			char *s = textbuf_reserve(p->out, op->text_len);

			textbuf_copy(s, op->text, op->text_len);
			textbuf_commit(p->out, s + op->text_len);
		} else if (op->text_len) {
			textbuf_add(p->out, op->text, op->text_len);
		}
		op->run(p, op);
	}
}

/* Prints the print format alone, without handlers. It is for handlers that add to it. */
static void printer_print_pretty(struct printer *p, const struct record *rec)
{
	if (p->ev->failed) {
		textbuf_add_str(p->out, "[FAILED TO PARSE]");
		rawfields_print(p, rec);
	} else if (p->ev->is_bprint) {
		bprint_print(p);
	} else {
		run_program(p, &p->ev->pretty);
	}
}

void printer_point_at(struct printer *p, const struct record *rec)
{
	p->ev = rec->event;
	p->data = rec->data;
	p->size = rec->size;
	/* the symbols may have been loaded after this printer was made */
	if (__builtin_expect(!p->kallsyms, 0) &&
	    __atomic_load_n(&p->formats->kallsyms_loaded, __ATOMIC_ACQUIRE)) {
		p->kallsyms = &p->formats->kallsyms;
		ksym_cache_init(p->symbols, p->kallsyms);
	}
}

void printer_print(struct printer *p, const struct record *rec, bool raw)
{
	const struct event *ev = rec->event;

	printer_point_at(p, rec);
	if (raw || ev->force_raw)
		rawfields_print(p, rec);
	else if (!ev->handler || ev->no_handler || ev->handler(p, ev, rec))
		printer_print_pretty(p, rec);
}

// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * argparse.c - parses the arguments of a print format, which are similar to C expressions, into
 * trees.
 *
 *	REC->prev_state & 0xff ? __print_flags(REC->prev_state & 0xff, "|", { 1, "S" }, …) : "R"
 *
 * libtraceevent defines the meaning of such an expression; it nearly follows C. The tree here has
 * the same shape as that library's, including its peculiarities, because the output must be the
 * same: operators of one priority group to the right; after an operator whose right side is an
 * operation of lower priority (even one in parentheses) the two are rotated; an index is a single
 * argument; `(TYPE)` followed by a word or `(` is a cast.
 *
 * Every parse_ function reads one thing into an arg and leaves the token after it in p->tok, whose
 * kind it returns; TOKEN_ERROR means that the event cannot be printed by its format. Nesting is
 * bounded by DEPTH_MAX, so a hostile text cannot exhaust the stack.
 */
#include "base/array.h"
#include "decode/formats/event_int.h"
#include "decode/formats/formats.h"
#include "decode/formats/functions.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH_MAX      200
#define ARGS_MAX       1024
#define NAMES_MAX      65536
#define NODES_MAX      32768 /* limit for one event, which limits the cost of a record */
#define TYPE_MAX_BYTES 4096

struct arg_parser {
	struct event_parser *ep;
	struct token tok;
};

static enum token_kind parse_arg(struct arg_parser *p, struct arg *arg);
static enum token_kind parse_arg_token(struct arg_parser *p, struct arg *arg);
static enum token_kind parse_op(struct arg_parser *p, struct arg *arg);

static enum token_kind fail(struct arg_parser *p, const char *what)
{
	event_fail(p->ep, "%s near '%.*s'", what, (int)(p->tok.len < 40 ? p->tok.len : 40),
		   p->tok.s);
	return TOKEN_ERROR;
}

static struct arg *new_arg(struct arg_parser *p)
{
	if (p->ep->n_nodes++ == NODES_MAX)
		return NULL;
	return arena_alloc(p->ep->arena, sizeof(struct arg));
}

static enum token_kind next(struct arg_parser *p)
{
	p->tok = lexer_next(&p->ep->lx);
	return p->tok.kind;
}

static enum token_kind next_item(struct arg_parser *p)
{
	p->tok = lexer_next_item(&p->ep->lx);
	return p->tok.kind;
}

static bool tok_is(const struct arg_parser *p, enum token_kind kind, const char *s)
{
	return p->tok.kind == kind && token_is(&p->tok, s);
}

static bool is_item(enum token_kind kind)
{
	return kind == TOKEN_ITEM || kind == TOKEN_DQUOTE || kind == TOKEN_SQUOTE;
}

static void set_atom(struct arg_parser *p, struct arg *arg, const char *text)
{
	arg->kind = ARG_ATOM;
	arg->atom.text = text;
	arg->atom.len = strlen(text);
	arg->atom.value = strtoull(text, NULL, 0);
	arg->atom.is_name = !arg->atom.value && !isdigit((unsigned char)text[0]);
}

static const char *join_words(struct arg_parser *p, const char *a, const char *b, size_t b_len)
{
	size_t n = strlen(a);
	char *s = n + b_len > TYPE_MAX_BYTES ? NULL : arena_alloc(p->ep->arena, n + b_len + 2);

	if (!s)
		return a;
	memcpy(s, a, n);
	s[n] = ' ';
	memcpy(s + n + 1, b, b_len);
	return s;
}

/*
 * --- operators ---------------------------------------------------------------------------------
 */

static int op_prio(const char *op)
{
	static const struct {
		const char *op;
		int prio;
	} rows[] = {{"++", 3}, {"--", 3}, {"~", 4},   {"!", 4},	  {"*", 6},   {"/", 6},
		    {"%", 6},  {"+", 7},  {"-", 7},   {">>", 8},  {"<<", 8},  {"<", 9},
		    {">", 9},  {">=", 9}, {"<=", 9},  {"==", 10}, {"!=", 10}, {"&", 11},
		    {"^", 12}, {"|", 13}, {"&&", 14}, {"||", 15}, {"?", 16}};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (!strcmp(rows[i].op, op))
			return rows[i].prio;
	return -1;
}

static void set_op_text(struct arg *arg, const struct token *t)
{
	size_t n = t->len < sizeof(arg->op.op) - 1 ? t->len : sizeof(arg->op.op) - 1;

	memset(arg->op.op, 0, sizeof(arg->op.op));
	memcpy(arg->op.op, t->s, n);
}

/* Makes the current arg the left side of the operation in p->tok. */
static bool push_left(struct arg_parser *p, struct arg *arg, int prio)
{
	struct arg *left = new_arg(p);

	if (!left)
		return false;
	*left = *arg;
	left->next = NULL;
	memset(&arg->op, 0, sizeof(arg->op));
	arg->kind = ARG_OP;
	arg->op.left = left;
	arg->op.prio = prio;
	set_op_text(arg, &p->tok);
	return true;
}

static enum token_kind parse_unary(struct arg_parser *p, struct arg *arg)
{
	struct arg *left = new_arg(p), *right = new_arg(p);

	if (p->tok.len != 1 || !strchr("~!+-", p->tok.s[0]))
		return fail(p, "bad operator");
	if (!left || !right)
		return fail(p, "out of memory");
	arg->op.left = left; /* an ARG_NULL */
	arg->op.right = right;
	return parse_arg(p, right);
}

/* Parses the part after '?': `left : right` becomes the right side of the '?'. */
static enum token_kind parse_cond(struct arg_parser *p, struct arg *top)
{
	struct arg *arg = new_arg(p), *left = new_arg(p), *right = new_arg(p);
	enum token_kind kind;

	if (!arg || !left || !right)
		return fail(p, "out of memory");
	arg->kind = ARG_OP;
	arg->op.left = left;
	arg->op.right = right;
	kind = parse_arg(p, left);
	while (kind == TOKEN_OP && !token_is(&p->tok, ":"))
		kind = parse_op(p, left);
	if (kind != TOKEN_OP)
		return kind == TOKEN_ERROR ? kind : fail(p, "expected ':'");
	set_op_text(arg, &p->tok);
	kind = parse_arg(p, right);
	top->op.right = arg;
	return kind;
}

static enum token_kind parse_index(struct arg_parser *p, struct arg *top)
{
	struct arg *arg = new_arg(p);

	if (!arg)
		return fail(p, "out of memory");
	parse_arg(p, arg);
	if (!tok_is(p, TOKEN_OP, "]"))
		return fail(p, "expected ']'");
	top->op.right = arg;
	return next_item(p);
}

static enum token_kind parse_binary(struct arg_parser *p, struct arg *arg, struct arg **ret_right)
{
	char op[4] = {0};
	struct arg *right;
	enum token_kind kind;

	memcpy(op, p->tok.s, p->tok.len);
	if (!push_left(p, arg, op_prio(op)))
		return fail(p, "out of memory");
	kind = next_item(p);
	if (!strcmp(op, "*") && tok_is(p, TOKEN_DELIM, ")")) {
		struct arg *left = arg->op.left; /* "TYPE *" of a cast */

		if (left->kind != ARG_ATOM)
			return fail(p, "bad pointer type");
		set_atom(p, arg, join_words(p, left->atom.text, "*", 1));
		return kind;
	}
	right = new_arg(p);
	if (!right)
		return fail(p, "out of memory");
	kind = parse_arg_token(p, right);
	if (kind == TOKEN_ERROR)
		return kind;
	*ret_right = right;
	if (right->kind == ARG_OP && op_prio(op) < op_prio(right->op.op)) {
		struct arg tmp;

		arg->op.right = right->op.left;
		tmp = *arg;
		*arg = *right;
		*right = tmp;
		arg->op.left = right;
	} else {
		arg->op.right = right;
	}
	return kind;
}

static bool is_binary(const struct token *t)
{
	static const char *const ops[] = {">>", "<<", "&", "|", "&&", "||", "-",  "+",	"*",
					  "^",	"/",  "%", "<", ">",  "<=", ">=", "==", "!="};

	return ARRAY_ANY(ARRAY_LEN(ops), i, token_is(t, ops[i]));
}

/* Parses the operator in p->tok, which applies to arg or precedes its right side. */
static enum token_kind parse_op(struct arg_parser *p, struct arg *arg)
{
	struct arg *right = NULL;
	enum token_kind kind;
	char op[4] = {0};
	int prio;

	if (arg->kind == ARG_OP && !arg->op.left) {
		kind = parse_unary(p, arg);
		right = arg->op.right;
	} else if (token_is(&p->tok, "?")) {
		kind = push_left(p, arg, 0) ? parse_cond(p, arg) : fail(p, "out of memory");
	} else if (is_binary(&p->tok)) {
		kind = parse_binary(p, arg, &right);
		/* a pointer type ended the expression */
		if (arg->kind == ARG_ATOM)
			return kind;
	} else if (token_is(&p->tok, "[")) {
		kind = push_left(p, arg, 0) ? parse_index(p, arg) : fail(p, "out of memory");
	} else {
		return fail(p, "unknown operator");
	}
	if (kind != TOKEN_OP || token_is(&p->tok, ":"))
		return kind;
	memcpy(op, p->tok.s, p->tok.len < 3 ? p->tok.len : 3);
	prio = op_prio(op);
	if (prio > arg->op.prio)
		right = arg;
	if (!right || p->ep->depth >= DEPTH_MAX)
		return fail(p, "bad operator");
	p->ep->depth++;
	kind = parse_op(p, right);
	p->ep->depth--;
	return kind;
}

/*
 * --- constants ---------------------------------------------------------------------------------
 */

static bool fold(const char *op, uint64_t a, uint64_t b, uint64_t *ret)
{
	switch (op[0]) {
	case '>':
		*ret = op[1] == '>' ? a >> (b & 63) : op[1] == '=' ? a >= b : a > b;
		return true;
	case '<':
		*ret = op[1] == '<' ? a << (b & 63) : op[1] == '=' ? a <= b : a < b;
		return true;
	case '&':
		*ret = op[1] == '&' ? a && b : a & b;
		return true;
	case '|':
		*ret = op[1] == '|' ? a || b : a | b;
		return true;
	case '-':
		*ret = a - b;
		return true;
	case '+':
		*ret = a + b;
		return true;
	case '*':
		*ret = a * b;
		return true;
	case '^':
		*ret = a ^ b;
		return true;
	case '/':
	case '%':
		*ret = !b ? 0 : op[0] == '/' ? a / b : a % b;
		return b != 0;
	case '=':
		*ret = a == b;
		return true;
	case '!':
		*ret = a != b;
		return true;
	}
	return false;
}

/* Replaces an operation on two constants by its value. */
static void consolidate(struct arg_parser *p, struct arg *arg)
{
	char text[24];
	uint64_t v;

	if (!arg || arg->kind != ARG_OP)
		return;
	consolidate(p, arg->op.left);
	consolidate(p, arg->op.right);
	if (!arg->op.left || !arg->op.right || arg->op.left->kind != ARG_ATOM ||
	    arg->op.right->kind != ARG_ATOM)
		return;
	if (!fold(arg->op.op, strtoull(arg->op.left->atom.text, NULL, 0),
		  strtoull(arg->op.right->atom.text, NULL, 0), &v))
		return;
	snprintf(text, sizeof(text), "%lld", (long long)v);
	set_atom(p, arg, arena_strndup(p->ep->arena, text, strlen(text)) ?: "0");
}

/* Evaluates a constant expression in a list of names. Unlike printing, this uses signed numbers. */
static bool eval_const(const struct arg *arg, int64_t *ret)
{
	const char *op = arg->op.op;
	int64_t a = 0, b = 0;
	uint64_t v;

	if (arg->kind == ARG_ATOM) {
		*ret = strtoll(arg->atom.text, NULL, 0);
		return true;
	}
	if (arg->kind == ARG_CAST) {
		if (!eval_const(arg->cast.item, ret))
			return false;
		*ret &= arg->cast.mask;
		return true;
	}
	if (arg->kind != ARG_OP || !arg->op.left || !arg->op.right || !strchr("|&<>=!-+~", op[0]) ||
	    (op[0] == '!' && op[1] != '='))
		return false;
	if (!eval_const(arg->op.right, &b))
		return false;
	if (op[0] == '~') {
		*ret = ~b;
		return true;
	}
	if (!(arg->op.left->kind == ARG_NULL && strchr("-+", op[0])) &&
	    !eval_const(arg->op.left, &a))
		return false;
	if (op[0] == '<' || op[0] == '>') {
		*ret = op[1] == op[0]
			       ? (op[0] == '<' ? (int64_t)((uint64_t)a << (b & 63)) : a >> (b & 63))
		       : op[0] == '<' ? (op[1] ? a <= b : a < b)
				      : (op[1] ? a >= b : a > b);
		return true;
	}
	if (!fold(op, a, b, &v))
		return false;
	*ret = v;
	return true;
}

/* Returns the text of a constant for a list of names, or NULL if the argument is not a constant. */
static const char *const_text(struct arg_parser *p, const struct arg *arg)
{
	char text[24];
	int64_t v;

	if (arg->kind == ARG_ATOM)
		return arg->atom.text;
	if (arg->kind == ARG_CAST)
		return const_text(p, arg->cast.item);
	if (!eval_const(arg, &v))
		return NULL;
	snprintf(text, sizeof(text), "%lld", (long long)v);
	return arena_strndup(p->ep->arena, text, strlen(text));
}

/* Returns the values of a few names that the kernel does not convert to numbers in its lists. */
static int64_t name_value(const char *text)
{
	static const struct {
		const char *name;
		int value;
	} rows[] = {
		{"HI_SOFTIRQ", 0},	{"TIMER_SOFTIRQ", 1},	  {"NET_TX_SOFTIRQ", 2},
		{"NET_RX_SOFTIRQ", 3},	{"BLOCK_SOFTIRQ", 4},	  {"IRQ_POLL_SOFTIRQ", 5},
		{"TASKLET_SOFTIRQ", 6}, {"SCHED_SOFTIRQ", 7},	  {"HRTIMER_SOFTIRQ", 8},
		{"RCU_SOFTIRQ", 9},	{"HRTIMER_NORESTART", 0}, {"HRTIMER_RESTART", 1},
	};

	if (isdigit((unsigned char)text[0]))
		return strtoull(text, NULL, 0);
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (!strcmp(rows[i].name, text))
			return rows[i].value;
	return -1;
}

/*
 * --- functions of print formats ----------------------------------------------------------------
 */

/* Parses one `{ value, "name" }`. Then p->tok is the token after the '}'. */
static bool parse_name(struct arg_parser *p, struct flag_name *ret)
{
	struct arg *value = new_arg(p), *text = new_arg(p);
	const char *s;

	if (!value || !text)
		return false;
	if (parse_arg(p, value) == TOKEN_OP)
		parse_op(p, value);
	if (!tok_is(p, TOKEN_DELIM, ","))
		return fail(p, "expected ',' in a list of names") != TOKEN_ERROR;
	s = const_text(p, value);
	if (!s)
		return fail(p, "a list of names has a value that is not constant") != TOKEN_ERROR;
	ret->value = name_value(s);
	parse_arg(p, text);
	if (!tok_is(p, TOKEN_OP, "}"))
		return fail(p, "expected '}' in a list of names") != TOKEN_ERROR;
	s = const_text(p, text);
	if (!s)
		return fail(p, "a list of names has no text") != TOKEN_ERROR;
	ret->text = s;
	ret->len = strlen(s);
	next_item(p);
	return true;
}

static enum token_kind parse_names(struct arg_parser *p, struct arg *arg)
{
	size_t cap = 0;

	do {
		struct flag_name name = {0};

		next_item(p);
		if (!tok_is(p, TOKEN_OP, "{"))
			break;
		if (!parse_name(p, &name))
			return TOKEN_ERROR;
		if (!ARENA_ONE_MORE(p->ep->arena, arg->flags.names, arg->flags.n_names, cap,
				    NAMES_MAX))
			return fail(p, "too many names");
		arg->flags.names[arg->flags.n_names++] = name;
	} while (tok_is(p, TOKEN_DELIM, ","));
	return p->tok.kind;
}

/* Marks the field to which these names belong, for JSON: REC->x, or an operation on it. */
static void mark_field(struct event_parser *ep, const struct arg *value, uint32_t flag)
{
	while (value && value->kind == ARG_OP)
		value = value->op.left;
	while (value && value->kind == ARG_CAST)
		value = value->cast.item;
	if (value && value->kind == ARG_FIELD && value->field.field)
		((struct field *)value->field.field)->flags |= flag;
}

static enum token_kind parse_flags(struct arg_parser *p, struct arg *arg, bool is_flags)
{
	struct arg *value = new_arg(p);
	enum token_kind kind;

	memset(arg, 0, sizeof(*arg));
	arg->kind = is_flags ? ARG_FLAGS : ARG_SYMBOL;
	if (!value)
		return fail(p, "out of memory");
	kind = parse_arg(p, value);
	while (kind == TOKEN_OP)
		kind = parse_op(p, value);
	if (!tok_is(p, TOKEN_DELIM, ","))
		return fail(p, "expected ',' after the value of a list of names");
	arg->flags.value = value;
	if (is_flags) {
		if (is_item(next_item(p))) {
			arg->flags.delim = event_token_text(p->ep, &p->tok);
			next_item(p);
		}
		if (!tok_is(p, TOKEN_DELIM, ","))
			return fail(p, "expected ',' after the delimiter");
	}
	if (parse_names(p, arg) == TOKEN_ERROR || !tok_is(p, TOKEN_DELIM, ")"))
		return fail(p, "expected ')' after a list of names");
	mark_field(p->ep, value, is_flags ? FIELD_FLAGS : FIELD_SYMBOLIC);
	return next_item(p);
}

static enum token_kind parse_print_flags(struct arg_parser *p, struct arg *arg)
{
	return parse_flags(p, arg, true);
}

static enum token_kind parse_print_symbolic(struct arg_parser *p, struct arg *arg)
{
	return parse_flags(p, arg, false);
}

/* Parses one argument that must be followed by `delim`. */
static struct arg *parse_until(struct arg_parser *p, const char *delim)
{
	struct arg *arg = new_arg(p);

	if (!arg)
		return NULL;
	if (parse_arg(p, arg) == TOKEN_OP) {
		if (parse_op(p, arg) == TOKEN_ERROR)
			return NULL;
		consolidate(p, arg);
	}
	if (!tok_is(p, TOKEN_DELIM, delim)) {
		fail(p, "too many or too few arguments");
		return NULL;
	}
	return arg;
}

static enum token_kind parse_hex_kind(struct arg_parser *p, struct arg *arg, enum arg_kind kind)
{
	memset(arg, 0, sizeof(*arg));
	arg->kind = kind;
	arg->array.array = parse_until(p, ",");
	arg->array.count = arg->array.array ? parse_until(p, ")") : NULL;
	return arg->array.count ? next_item(p) : TOKEN_ERROR;
}

static enum token_kind parse_hex(struct arg_parser *p, struct arg *arg)
{
	return parse_hex_kind(p, arg, ARG_HEX);
}

static enum token_kind parse_hex_str(struct arg_parser *p, struct arg *arg)
{
	return parse_hex_kind(p, arg, ARG_HEX_STR);
}

static enum token_kind parse_int_array(struct arg_parser *p, struct arg *arg)
{
	memset(arg, 0, sizeof(*arg));
	arg->kind = ARG_INT_ARRAY;
	arg->array.array = parse_until(p, ",");
	arg->array.count = arg->array.array ? parse_until(p, ",") : NULL;
	arg->array.element_size = arg->array.count ? parse_until(p, ")") : NULL;
	return arg->array.element_size ? next_item(p) : TOKEN_ERROR;
}

/* Parses "(NAME)", the name of any field of the event. An unknown name is kept with field NULL. */
static enum token_kind parse_named(struct arg_parser *p, struct arg *arg, enum arg_kind kind)
{
	if (next(p) != TOKEN_ITEM)
		return fail(p, "expected the name of a field");
	memset(arg, 0, sizeof(*arg));
	arg->kind = kind;
	arg->field.name = event_token_text(p->ep, &p->tok);
	arg->field.field = event_find_any(p->ep->ev, arg->field.name);
	next(p);
	if (!tok_is(p, TOKEN_DELIM, ")"))
		return fail(p, "expected ')'");
	return next(p);
}

static enum token_kind parse_str(struct arg_parser *p, struct arg *arg)
{
	return parse_named(p, arg, ARG_STRING);
}

static enum token_kind parse_bitmask(struct arg_parser *p, struct arg *arg)
{
	return parse_named(p, arg, ARG_BITMASK);
}

static enum token_kind parse_cpumask(struct arg_parser *p, struct arg *arg)
{
	return parse_named(p, arg, ARG_CPUMASK);
}

static enum token_kind parse_dynamic(struct arg_parser *p, struct arg *arg, enum arg_kind kind)
{
	memset(arg, 0, sizeof(*arg));
	if (next(p) != TOKEN_ITEM)
		return fail(p, "expected the name of a field");
	arg->kind = kind;
	arg->field.name = event_token_text(p->ep, &p->tok);
	arg->field.field = event_find_field(p->ep->ev, arg->field.name);
	if (!arg->field.field)
		return fail(p, "no such field");
	next(p);
	if (!tok_is(p, TOKEN_DELIM, ")"))
		return fail(p, "expected ')'");
	return kind == ARG_DYNAMIC_ARRAY ? next_item(p) : next(p);
}

static enum token_kind parse_dynamic_array(struct arg_parser *p, struct arg *arg)
{
	enum token_kind kind = parse_dynamic(p, arg, ARG_DYNAMIC_ARRAY);

	/* libtraceevent never supported __get_dynamic_array(x)[i] without a cast */
	return kind != TOKEN_ERROR && tok_is(p, TOKEN_OP, "[")
		       ? fail(p, "an index of a dynamic array")
		       : kind;
}

static enum token_kind parse_dynamic_array_len(struct arg_parser *p, struct arg *arg)
{
	return parse_dynamic(p, arg, ARG_DYNAMIC_ARRAY_LEN);
}

/* Parses __builtin_expect(condition, number), which has the value of the condition. */
static enum token_kind parse_builtin_expect(struct arg_parser *p, struct arg *arg)
{
	parse_arg(p, arg);
	if (!tok_is(p, TOKEN_DELIM, ","))
		return fail(p, "expected ',' in __builtin_expect");
	if (next(p) != TOKEN_ITEM)
		return fail(p, "expected a number in __builtin_expect");
	next(p);
	if (!tok_is(p, TOKEN_DELIM, ")"))
		return fail(p, "expected ')' after __builtin_expect");
	return next_item(p);
}

/* Parses sizeof(int), (unsigned …), (long), (long long), (REC->field). */
static enum token_kind parse_sizeof(struct arg_parser *p, struct arg *arg)
{
	unsigned size = 0;
	bool ahead = false; /* p->tok is already the token after the type */
	char text[16];

	next_item(p);
	if (token_is(&p->tok, "unsigned")) {
		next_item(p);
		ahead = p->tok.kind != TOKEN_ITEM;
	}
	if (ahead || token_is(&p->tok, "int")) {
		size = 4;
	} else if (token_is(&p->tok, "long")) {
		next_item(p);
		ahead = !token_is(&p->tok, "long");
		size = ahead ? formats_long_size(p->ep->ev->formats) : 8;
	} else if (token_is(&p->tok, "REC")) {
		const struct field *f = NULL;

		next_item(p);
		if (tok_is(p, TOKEN_OP, "->") && next(p) == TOKEN_ITEM)
			f = event_find_any(p->ep->ev, event_token_text(p->ep, &p->tok));
		if (!f || f->flags & FIELD_ARRAY)
			return fail(p, "sizeof() of what is no plain field");
		size = f->size;
	} else {
		return fail(p, "sizeof() of an unknown type");
	}
	if (!ahead)
		next_item(p);
	if (!tok_is(p, TOKEN_DELIM, ")"))
		return fail(p, "expected ')' after sizeof");
	snprintf(text, sizeof(text), "%u", size);
	set_atom(p, arg, arena_strndup(p->ep->arena, text, strlen(text)) ?: "0");
	return next_item(p);
}

static enum token_kind parse_plugin_function(struct arg_parser *p, struct arg *arg,
					     const struct print_function *fn)
{
	struct arg **link = &arg->func.args;

	memset(arg, 0, sizeof(*arg));
	arg->kind = ARG_FUNC;
	arg->func.function = fn;
	for (unsigned i = 0; i < fn->n_params; i++) {
		struct arg *a = new_arg(p);

		if (!a)
			return fail(p, "out of memory");
		parse_arg(p, a);
		if (!tok_is(p, TOKEN_DELIM, i + 1 < fn->n_params ? "," : ")"))
			return fail(p, "wrong number of arguments");
		*link = a;
		link = &a->next;
	}
	return next(p);
}

static enum token_kind parse_function(struct arg_parser *p, struct arg *arg, const char *name)
{
	static const struct {
		const char *name;
		enum token_kind (*parse)(struct arg_parser *p, struct arg *arg);
	} rows[] = {
		{"__print_flags", parse_print_flags},
		{"__print_symbolic", parse_print_symbolic},
		{"__print_hex", parse_hex},
		{"__print_hex_str", parse_hex_str},
		{"__print_array", parse_int_array},
		{"__get_str", parse_str},
		{"__get_rel_str", parse_str},
		{"__get_bitmask", parse_bitmask},
		{"__get_rel_bitmask", parse_bitmask},
		{"__get_cpumask", parse_cpumask},
		{"__get_rel_cpumask", parse_cpumask},
		{"__get_dynamic_array", parse_dynamic_array},
		{"__get_rel_dynamic_array", parse_dynamic_array},
		{"__get_sockaddr", parse_dynamic_array},
		{"__get_sockaddr_rel", parse_dynamic_array},
		{"__get_dynamic_array_len", parse_dynamic_array_len},
		{"__get_rel_dynamic_array_len", parse_dynamic_array_len},
		{"__builtin_expect", parse_builtin_expect},
		{"sizeof", parse_sizeof},
	};
	const struct print_function *fn;

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (!strcmp(rows[i].name, name))
			return rows[i].parse(p, arg);
	fn = formats_print_function(p->ep->ev->formats, name);
	if (fn)
		return parse_plugin_function(p, arg, fn);
	event_fail(p->ep, "function %s is not known", name);
	return TOKEN_ERROR;
}

/*
 * --- arguments ---------------------------------------------------------------------------------
 */

/*
 * Parses what follows REC: "->field", or ")" when REC itself is in parentheses. In the second case
 * it returns an ITEM.
 */
static enum token_kind parse_entry(struct arg_parser *p, struct arg *arg)
{
	next_item(p);
	if (tok_is(p, TOKEN_DELIM, ")"))
		return TOKEN_ITEM;
	if (!tok_is(p, TOKEN_OP, "->"))
		return fail(p, "expected '->' after REC");
	if (next(p) != TOKEN_ITEM)
		return fail(p, "expected a field after REC->");
	arg->kind = ARG_FIELD;
	arg->field.name = event_token_text(p->ep, &p->tok);
	arg->field.field = event_find_any(p->ep->ev, arg->field.name);
	return next(p);
}

/* Returns the bits that a cast to `type` keeps. All numbers are unsigned. */
static uint64_t cast_mask(const char *type, size_t len)
{
	static const struct {
		const char *type;
		uint64_t mask;
	} rows[] = {{"u8", 0xff},   {"u16", 0xffff},   {"u32", 0xffffffff},
		    {"s8", 0xff},   {"s16", 0xffff},   {"s32", 0xffffffff},
		    {"char", 0xff}, {"short", 0xffff}, {"int", 0xffffffff}};

	if (len < 2 || type[len - 1] == '*')
		return UINT64_MAX;
	if (len >= 9 && !strncmp(type, "unsigned ", 9)) {
		type += 9;
		len -= 9;
	}
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (strlen(rows[i].type) == len && !strncmp(type, rows[i].type, len))
			return rows[i].mask;
	return UINT64_MAX;
}

static enum token_kind parse_cast(struct arg_parser *p, struct arg *arg)
{
	const char *type = arg->atom.text;
	size_t len = strlen(type);
	struct arg *item = new_arg(p);

	if (arg->kind != ARG_ATOM)
		return fail(p, "a cast to what is no type");
	if (!item)
		return fail(p, "out of memory");
	memset(&arg->cast, 0, sizeof(arg->cast));
	arg->kind = ARG_CAST;
	arg->cast.type = type;
	arg->cast.item = item;
	arg->cast.mask = cast_mask(type, len);
	arg->cast.pointed_mask =
		len >= 2 && type[len - 1] == '*' ? cast_mask(type, len - 2) : UINT64_MAX;
	return parse_arg_token(p, item);
}

static enum token_kind parse_paren(struct arg_parser *p, struct arg *arg)
{
	enum token_kind kind = parse_arg(p, arg);

	if (kind == TOKEN_OP)
		kind = parse_op(p, arg);
	if (kind == TOKEN_ERROR)
		return kind;
	/* (REC)->field: parse_entry() saw the ')' and returned ITEM */
	if (kind == TOKEN_ITEM && token_is(&p->tok, ")"))
		return parse_entry(p, arg);
	if (kind != TOKEN_DELIM || !token_is(&p->tok, ")"))
		return fail(p, "expected ')'");
	kind = next_item(p);
	if (is_item(kind) || tok_is(p, TOKEN_DELIM, "("))
		return parse_cast(p, arg);
	return kind;
}

static enum token_kind parse_word(struct arg_parser *p, struct arg *arg)
{
	const char *word;

	if (token_is(&p->tok, "REC"))
		return parse_entry(p, arg);
	word = event_token_text(p->ep, &p->tok);
	next_item(p);
	if (tok_is(p, TOKEN_DELIM, "("))
		return parse_function(p, arg, word);
	/* a type may be several words */
	while (p->tok.kind == TOKEN_ITEM) {
		word = join_words(p, word, p->tok.s, p->tok.len);
		next_item(p);
	}
	set_atom(p, arg, word);
	return p->tok.kind;
}

/* Reads an argument that begins with p->tok. */
static enum token_kind parse_arg_token(struct arg_parser *p, struct arg *arg)
{
	enum token_kind kind = p->tok.kind;

	if (p->ep->depth >= DEPTH_MAX)
		return fail(p, "nested too deeply");
	p->ep->depth++;
	if (kind == TOKEN_ITEM) {
		kind = parse_word(p, arg);
	} else if (kind == TOKEN_DQUOTE || kind == TOKEN_SQUOTE) {
		set_atom(p, arg, event_token_text(p->ep, &p->tok));
		kind = next_item(p);
	} else if (kind == TOKEN_DELIM && token_is(&p->tok, "(")) {
		kind = parse_paren(p, arg);
	} else if (kind == TOKEN_DELIM || kind == TOKEN_OP) {
		arg->kind = ARG_OP;
		set_op_text(arg, &p->tok);
		kind = parse_op(p, arg);
	} else {
		kind = fail(p, "unexpected end");
	}
	p->ep->depth--;
	if (kind == TOKEN_ERROR)
		p->tok.kind = TOKEN_ERROR;
	return kind;
}

static enum token_kind parse_arg(struct arg_parser *p, struct arg *arg)
{
	next(p);
	return parse_arg_token(p, arg);
}

int event_parse_args(struct event_parser *ep, struct arg **ret_list)
{
	struct arg_parser p = {.ep = ep};
	struct arg **link = ret_list;
	enum token_kind kind = TOKEN_ERROR;
	int n = 0;

	do {
		struct arg *arg;

		if (kind == TOKEN_NEWLINE) {
			kind = next_item(&p);
			continue;
		}
		arg = n < ARGS_MAX ? new_arg(&p) : NULL;
		if (!arg)
			return event_fail(ep, "too many arguments");
		kind = parse_arg(&p, arg);
		if (kind == TOKEN_ERROR)
			return -1;
		*link = arg;
		link = &arg->next;
		n++;
		if (kind == TOKEN_OP) {
			kind = parse_op(&p, arg);
			if (kind == TOKEN_ERROR)
				return -1;
			consolidate(&p, arg);
			continue;
		}
		if (kind != TOKEN_DELIM || !token_is(&p.tok, ","))
			break;
	} while (kind != TOKEN_NONE);
	return n;
}

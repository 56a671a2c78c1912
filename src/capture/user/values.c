// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * values.c - the programs of an image: which of its functions have values, and which.
 *
 *	hooked function ──▶ rules that name it ──▶ its types (DWARF), or libc's prototypes, or none
 *	                                             │
 *	                       program ◀── builder ◀─┘──▶ struct uservalues, for the texts
 *
 * The last rule of a kind that names a function counts, before --args. Conditions of several rules
 * are joined. What a rule wants and a function does not have is told once for each rule, and shown
 * as "?".
 *
 * Debug information is opened when the first function needs it, and closed at the end: texts need
 * nothing of it.
 */
#include "capture/user/values_int.h"

#include "base/array.h"
#include "base/errmsg.h"
#include "base/textbuf.h"
#include "capture/user/image.h"
#include "probe/definition/definition.h"
#include "runtime/snrt.h"
#include "symbols/cxx/demangle.h"
#include "symbols/dwarf/debuginfo.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ARENA_MAX_BYTES (512u << 20)
#define NOTES_MAX	64u

struct uservalues_image {
	struct arena arena;
	const struct uservalues **list; /* by hook */
	size_t n;
	char **notes;
	size_t n_notes, notes_cap;
};

struct planning {
	struct uservalues_image *v;
	struct userimage *img;
	const struct valuerules *rules;
	struct debuginfo *info;
	bool is_opened;
	bool *is_told; /* by rule */
};

/*
 * --- notes -------------------------------------------------------------------------------------
 */

__attribute__((format(printf, 2, 3))) static void note(struct planning *p, const char *format, ...)
{
	char text[600];
	va_list args;
	char *copy;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	copy = strdup(text);
	if (copy && ARRAY_ROOM(p->v->notes, p->v->notes_cap, p->v->n_notes + 1, NOTES_MAX))
		p->v->notes[p->v->n_notes++] = copy;
	else
		free(copy);
}

const char *uservalues_note(const struct uservalues_image *v, size_t i)
{
	return v && i < v->n_notes ? v->notes[i] : NULL;
}

/* What a rule lacks in a function, once. */
static void note_lack(struct planning *p, size_t rule, size_t function, const char *why)
{
	if (p->is_told[rule])
		return;
	p->is_told[rule] = true;
	note(p, "'%s' in %s: %s", p->rules->list[rule].text, userimage_name(p->img, function), why);
}

/*
 * --- types -------------------------------------------------------------------------------------
 */

static void open_info(struct planning *p)
{
	struct debuginfo_paths paths = {.path = userimage_path(p->img)};
	struct errmsg err = {0};

	if (p->is_opened)
		return;
	p->is_opened = true;
	if (debuginfo_open(&p->info, &paths, &err) < 0)
		p->info = NULL;
	if (p->info && !debuginfo_has_dwarf(p->info)) {
		note(p, "no types of %s are known: %s", userimage_path(p->img),
		     debuginfo_remedy(p->info));
		debuginfo_close(p->info);
		p->info = NULL;
	}
}

static bool find_signature(struct planning *p, size_t function, struct signature *ret)
{
	struct debuginfo_entry entry;

	open_info(p);
	if (!p->info || debuginfo_find_entry(p->info, userimage_function(p->img, function)->address,
					     &entry) < 0)
		return false;
	signature_read(ret, &entry);
	return true;
}

/*
 * --- what a function has -----------------------------------------------------------------------
 */

static const uint8_t arg_regs[] = {5, 4, 1, 2, 8, 9};

static bool add_arg(struct builder *b, const struct value *v)
{
	if (b->n_args == VALUES_ARGS_MAX)
		return false;
	b->args[b->n_args++] = *v;
	return true;
}

static void add_all_args(struct builder *b)
{
	struct value v;

	for (size_t i = 0; i < b->signature->n_params; i++) {
		value_of_type(b, &b->enter, b->signature->params[i].type,
			      &b->signature->params[i].where, &v);
		add_arg(b, &v);
	}
}

static void add_known_result(struct builder *b)
{
	if (!b->signature->has_result)
		return;
	value_of_type(b, &b->leave, b->signature->result, &b->signature->result_where, &b->ret);
	b->has_ret = b->ret.carrier != CARRIER_NONE;
}

struct where where_of_want(const struct want *w)
{
	struct where p = {.kind = WHERE_REGS, .n_regs = 1};

	if (w->stack_at)
		return (struct where){.kind = WHERE_STACK, .offset = (int32_t)(8 * w->stack_at)};
	if (w->reg >= 0) {
		p.regs[0] = (uint8_t)w->reg;
	} else if (w->kind == WANT_RETVAL) {
		if (w->format == 'f' && w->n_bits == 80)
			return (struct where){.kind = WHERE_X87};
		p.regs[0] = w->format == 'f' ? 17 : 0;
	} else if (w->kind == WANT_FPARG) {
		if (w->n_bits == 80 || w->number > 8)
			return (struct where){.kind = WHERE_STACK,
					      .offset = (int32_t)(8 * w->number)};
		p.regs[0] = (uint8_t)(16 + w->number);
	} else if (w->number <= ARRAY_LEN(arg_regs)) {
		p.regs[0] = arg_regs[w->number - 1];
	} else {
		return (struct where){.kind = WHERE_STACK,
				      .offset = (int32_t)(8 * (w->number - ARRAY_LEN(arg_regs)))};
	}
	return p;
}

static bool is_same_place(const struct where *a, const struct where *b)
{
	return a->kind == b->kind &&
	       (a->kind == WHERE_REGS ? a->regs[0] == b->regs[0] : a->offset == b->offset);
}

/* The type of what is at a place, if it is known. */
static struct type type_at(const struct builder *b, const struct want *w, struct where *where)
{
	const struct signature *s = b->signature;

	if (!s || w->reg >= 0 || w->stack_at)
		return (struct type){0};
	if (w->kind == WANT_RETVAL) {
		if (!s->has_result)
			return (struct type){0};
		if (!w->format || w->format == 't' || w->format == 'e')
			*where = s->result_where;
		return s->result;
	}
	for (size_t i = 0; i < s->n_params; i++)
		if (is_same_place(&s->params[i].where, where)) {
			*where = s->params[i].where;
			return s->params[i].type;
		}
	return (struct type){0};
}

static void add_want(struct planning *p, struct builder *b, size_t rule, size_t function,
		     const struct want *w, bool is_return)
{
	struct code *c = is_return ? &b->leave : &b->enter;
	struct errmsg err = {0};
	struct value v = {.carrier = CARRIER_NONE};

	if (w->kind == WANT_EXPRESSION) {
		if (value_of_expression(b, c, w->arg, is_return, &v, &err) < 0)
			note_lack(p, rule, function, err.text);
	} else {
		struct where where = where_of_want(w);
		struct type t = type_at(b, w, &where);
		struct want real = *w;

		if (w->kind == WANT_FPARG && !real.format && !t.world)
			real.format = 'f';
		value_of_want(b, c, &real, t, &where, &v);
	}
	if (is_return) {
		b->ret = v;
		b->has_ret = v.carrier != CARRIER_NONE;
	} else {
		add_arg(b, &v);
	}
}

/*
 * --- prototypes of libc ------------------------------------------------------------------------
 */

static void add_libc(struct planning *p, struct builder *b, const char *formats, bool args,
		     bool result)
{
	const char *equals = strchr(formats, '=');
	unsigned n_general = 0, n_float = 0;

	for (const char *f = formats; f < equals; f++) {
		bool is_float = *f == 'f';
		struct want w = {.kind = is_float ? WANT_FPARG : WANT_ARG,
				 .format = *f == 'P'   ? 'x'
					   : *f == 'l' ? 'd'
						       : *f,
				 .n_bits = *f == 'd' ? 32 : 0,
				 .number = is_float ? ++n_float : ++n_general,
				 .reg = -1};

		if (args)
			add_want(p, b, 0, 0, &w, false);
	}
	if (result && equals[1] && equals[1] != 'v') {
		char f = equals[1];
		struct want w = {.kind = WANT_RETVAL,
				 .format = f == 'P'   ? 'x'
					   : f == 'l' ? 'd'
						      : f,
				 .n_bits = f == 'd' ? 32 : 0,
				 .reg = -1};

		add_want(p, b, 0, 0, &w, true);
	}
}

/*
 * --- a function --------------------------------------------------------------------------------
 */

static bool names_function(const struct planning *p, const struct valuerule *r, size_t function)
{
	const char *symbol = userimage_symbol(p->img, function);
	const char *slash = strrchr(userimage_path(p->img), '/');
	const char *name = userimage_name(p->img, function);
	const char *file = slash ? slash + 1 : userimage_path(p->img);

	return (symbol && userchoice_has(&r->choice, file, symbol, UINT64_MAX)) ||
	       userchoice_has(&r->choice, file, name, UINT64_MAX);
}

/* The last rule of a kind for the function; SIZE_MAX: none. */
static size_t find_rule(const struct planning *p, enum valuerule_kind kind, size_t function)
{
	size_t last = SIZE_MAX;

	for (size_t i = 0; i < p->rules->n; i++) {
		struct valuerule *r = &p->rules->list[i];

		if (r->kind != kind || !names_function(p, r, function))
			continue;
		r->is_used = true;
		last = i;
	}
	return last;
}

static void use_rule(struct planning *p, struct builder *b, size_t rule, size_t function,
		     bool is_return)
{
	const struct valuerule *r = &p->rules->list[rule];

	for (size_t i = 0; i < r->n_wants; i++)
		add_want(p, b, rule, function, &r->wants[i],
			 is_return || r->wants[i].kind == WANT_RETVAL);
}

#define PLAIN_RULES_MAX 256u

/* All rules count, not only the last one of a kind. */
static void use_plain(struct planning *p, struct builder *b, size_t function)
{
	const struct valuerule *rules[PLAIN_RULES_MAX];
	const char *name = userimage_symbol(p->img, function);
	struct plain_source from = {.is_automatic = p->rules->is_automatic,
				    .name = name,
				    .formats = name ? valuelibc_find(name) : NULL,
				    .rules = rules};

	for (size_t i = 0; i < p->rules->n && from.n_rules < PLAIN_RULES_MAX; i++)
		if (names_function(p, &p->rules->list[i], function)) {
			from.is_automatic |= p->rules->list[i].is_automatic;
			rules[from.n_rules++] = &p->rules->list[i];
		}
	values_build_plain(b, &from);
}

static void use_known(struct planning *p, struct builder *b, size_t function, bool args,
		      bool result)
{
	const char *name = userimage_symbol(p->img, function);
	const char *formats = !b->signature && name ? valuelibc_find(name) : NULL;

	if (b->signature && args)
		add_all_args(b);
	if (b->signature && result)
		add_known_result(b);
	if (formats)
		add_libc(p, b, formats, args, result);
}

static void add_conditions(struct planning *p, struct builder *b, size_t rule, size_t function)
{
	const struct valuerule *r = &p->rules->list[rule];

	for (size_t i = 0; i < r->n_conditions; i++) {
		const struct condition *c = &r->conditions[i];
		struct errmsg err = {0};
		struct snrt_fetch number;
		uint32_t n_bytes = 8;
		bool is_signed = true;

		if (code_add_operand(b, &b->tests, c->left->value, &n_bytes, &is_signed, &err) <
		    0) {
			note_lack(p, rule, function, err.text);
			b->tests.n = 0; /* a condition that cannot be decided holds */
			return;
		}
		memcpy(&number, &c->number, sizeof(number));
		code_add(&b->tests,
			 (struct snrt_fetch){
				 .op = SNRT_FETCH_TEST,
				 .reg = (uint8_t)(c->test | (is_signed ? SNRT_TEST_SIGNED : 0)),
				 .n_bytes = (uint16_t)n_bytes});
		code_add(&b->tests, number);
	}
}

#define XMM0_NUMBER 17u

/* The number behind a test may look like a register; then the hook stores what it need not. */
static uint16_t find_flags(const struct snrt_fetch *f, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (f[i].op == SNRT_FETCH_REG && f[i].reg >= XMM0_NUMBER)
			return 0;
	return SNRT_PROGRAM_GENERAL;
}

static int store(struct planning *p, const struct builder *b, size_t hook)
{
	size_t n = b->tests.n + b->enter.n + b->leave.n;
	struct uservalues *v = arena_alloc(&p->v->arena, sizeof(*v));
	struct value *args = arena_alloc_array(&p->v->arena, b->n_args, sizeof(*args));
	struct {
		struct snrt_program head;
		struct snrt_fetch code[3 * VALUES_CODE_MAX];
	} program = {.head = {.n_tests = (uint16_t)b->tests.n,
			      .n_enter = (uint16_t)b->enter.n,
			      .n_leave = (uint16_t)b->leave.n}};

	if (!v || (b->n_args && !args))
		return -ENOMEM;
	memcpy(program.code, b->tests.list, b->tests.n * sizeof(*program.code));
	memcpy(program.code + b->tests.n, b->enter.list, b->enter.n * sizeof(*program.code));
	memcpy(program.code + b->tests.n + b->enter.n, b->leave.list,
	       b->leave.n * sizeof(*program.code));
	program.head.flags = find_flags(program.code, b->tests.n + b->enter.n);
	if (b->n_args)
		memcpy(args, b->args, b->n_args * sizeof(*args));
	*v = (struct uservalues){.args = args,
				 .n_args = b->n_args,
				 .has_ret = b->has_ret,
				 .ret = b->ret,
				 .arg_spec = b->arg_spec,
				 .ret_spec = b->ret_spec,
				 .enums = p->rules->is_plain && b->signature
						  ? values_fmt_enums(&p->v->arena, b->signature)
						  : NULL};
	p->v->list[hook] = v;
	return userimage_set_program(p->img, hook, &program,
				     sizeof(program.head) + n * sizeof(*program.code));
}

/* args, ret: the rules for the function, or SIZE_MAX. */
static void use_last(struct planning *p, struct builder *b, size_t function, size_t args,
		     size_t ret)
{
	bool auto_args =
		args == SIZE_MAX ? p->rules->is_automatic : p->rules->list[args].is_automatic;
	bool auto_ret = ret == SIZE_MAX ? p->rules->is_automatic : p->rules->list[ret].is_automatic;

	use_known(p, b, function, auto_args, auto_ret && ret == SIZE_MAX);
	if (args != SIZE_MAX)
		use_rule(p, b, args, function, false);
	if (ret != SIZE_MAX && auto_ret)
		use_known(p, b, function, false, true);
	if (ret != SIZE_MAX)
		use_rule(p, b, ret, function, true);
}

static int plan_function(struct planning *p, size_t hook, struct builder *b)
{
	size_t function = userimage_hooked(p->img, hook);
	size_t args = find_rule(p, RULE_ARGS, function), ret = find_rule(p, RULE_RETVAL, function);
	size_t condition = find_rule(p, RULE_CONDITION, function);
	struct signature s;

	if (args == SIZE_MAX && ret == SIZE_MAX && condition == SIZE_MAX && !p->rules->is_automatic)
		return 0;
	b->tests.n = b->enter.n = b->leave.n = 0;
	b->n_args = 0;
	b->has_ret = false;
	b->arg_spec = b->ret_spec = NULL;
	b->signature = find_signature(p, function, &s) ? &s : NULL;
	b->types = p->info ? debuginfo_types(p->info) : NULL;
	if (p->rules->is_plain)
		use_plain(p, b, function);
	else
		use_last(p, b, function, args, ret);
	if (condition != SIZE_MAX)
		add_conditions(p, b, condition, function);
	if (b->tests.is_full || b->enter.is_full || b->leave.is_full) {
		note(p, "%s has more values than can be recorded",
		     userimage_name(p->img, function));
		return 0;
	}
	return b->tests.n + b->enter.n + b->leave.n ? store(p, b, hook) : 0;
}

static int plan_all(struct planning *p)
{
	struct builder *b = calloc(1, sizeof(*b));
	int r = b ? 0 : -ENOMEM;

	for (size_t i = 0; i < p->v->n && r >= 0; i++) {
		b->arena = &p->v->arena;
		b->n_text_bytes = p->rules->is_plain ? VALUES_PLAIN_TEXT : VALUES_TEXT_BYTES;
		r = plan_function(p, i, b);
	}
	free(b);
	return r;
}

int uservalues_plan(struct uservalues_image **ret, struct userimage *img,
		    const struct valuerules *rules, struct errmsg *err)
{
	struct planning p = {.img = img, .rules = rules};
	size_t n = userimage_n_hooks(img);
	int r = -ENOMEM;

	*ret = NULL;
	if (valuerules_are_empty(rules) || !n || !userimage_takes_programs(img))
		return 0;
	p.v = calloc(1, sizeof(*p.v));
	p.is_told = calloc(rules->n + 1, sizeof(*p.is_told));
	if (p.v && p.is_told) {
		arena_init(&p.v->arena, ARENA_MAX_BYTES);
		p.v->n = n;
		p.v->list = calloc(n, sizeof(struct uservalues *));
		r = p.v->list ? plan_all(&p) : -ENOMEM;
	}
	debuginfo_close(p.info);
	free(p.is_told);
	if (r < 0) {
		uservalues_free(p.v);
		return errmsg_set_errno(err, r, "cannot plan the values of %s",
					userimage_path(img));
	}
	*ret = p.v;
	return 0;
}

void uservalues_free(struct uservalues_image *v)
{
	if (!v)
		return;
	for (size_t i = 0; i < v->n_notes; i++)
		free(v->notes[i]);
	free(v->notes);
	free((void *)v->list);
	arena_release(&v->arena);
	free(v);
}

const struct uservalues *uservalues_find(const struct uservalues_image *v, size_t hook)
{
	return v && hook < v->n ? v->list[hook] : NULL;
}

struct uservalues_forms uservalues_forms(const struct uservalues *v)
{
	return (struct uservalues_forms){v->arg_spec, v->ret_spec, v->enums};
}

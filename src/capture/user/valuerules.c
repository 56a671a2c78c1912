// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * valuerules.c - reads what the user wants to see of functions.
 *
 *	work@arg1,arg2/s,arg3/x32,fparg1      uftrace's grammar:
 *	     argN      the Nth integer or pointer          /d /i /u /x /o   a number
 *	     fpargN    the Nth floating point number       /c /f /p         char, float, function
 *	     retval    the result                          /s /S            char *, std::string
 *	     %rcx  %stack+2   another place                /e:NAME /t:NAME  an enum, a struct
 *	                                                   8 16 32 64 80 behind the letter: bits
 *	work(n, p->name, p->flags:x32)        sonde's grammar, that of probes
 *	work%return($retval)                  … of the result
 *	work                                  all that the debug information knows
 *	work: n > 10 && p->kind == 2          a condition: other calls are not recorded
 *
 * Expressions are parsed by probe/definition and looked up later, for each function (valueexpr.c).
 */
#include "capture/user/values_int.h"

#include "base/array.h"
#include "base/errmsg.h"
#include "probe/definition/definition.h"
#include "runtime/snrt.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RULES_MAX 256u
#define WANTS_MAX 32u

static const char *const reg_names[] = {"rax", "rdx", "rcx", "rbx", "rsi", "rdi", "rbp", "rsp",
					"r8",  "r9",  "r10", "r11", "r12", "r13", "r14", "r15"};

/*
 * --- one value of uftrace's grammar ------------------------------------------------------------
 */

static int refuse(const struct valuerule *r, const char *item, size_t len, struct errmsg *err)
{
	return errmsg_set(err, -EINVAL,
			  "'%.*s' in '%s' is no value; write argN, fpargN or retval, with /d /i /u "
			  "/x /o /c /f /p /s /S /e:ENUM /t:STRUCT, bits, %%REGISTER or %%stack+N",
			  (int)len, item, r->text);
}

static bool take_word(const char **p, const char *word)
{
	size_t len = strlen(word);

	if (strncmp(*p, word, len) != 0)
		return false;
	*p += len;
	return true;
}

static bool take_number(const char **p, unsigned long max, unsigned long *ret)
{
	char *end;

	if (!isdigit((unsigned char)**p))
		return false;
	*ret = strtoul(*p, &end, 10);
	*p = end;
	return *ret <= max;
}

static bool take_kind(const char **p, struct want *w)
{
	unsigned long number = 0;
	bool ok = true;

	if (take_word(p, "retval")) {
		w->kind = WANT_RETVAL;
		return true;
	}
	if (take_word(p, "fparg"))
		w->kind = WANT_FPARG;
	else if (take_word(p, "arg"))
		w->kind = WANT_ARG;
	else
		return false;
	ok = take_number(p, 100, &number);
	w->number = (unsigned)number;
	return ok && number;
}

/* Behind a /. */
static bool take_format(const char **p, struct want *w, char *name, size_t size)
{
	unsigned long n_bits;
	size_t len;

	if (**p && strchr("diuxoscfSpet", **p))
		w->format = *(*p)++;
	if (isdigit((unsigned char)**p)) {
		if (!take_number(p, 80, &n_bits) || !n_bits || n_bits % 8 ||
		    (n_bits == 80 && w->kind == WANT_ARG))
			return false;
		w->n_bits = (unsigned)n_bits;
	} else if (!w->format) {
		return false;
	}
	if (**p != ':')
		return w->format != 'e' && w->format != 't';
	len = strcspn(++*p, ",%");
	if ((w->format != 'e' && w->format != 't') || !len || len >= size)
		return false;
	memcpy(name, *p, len);
	name[len] = 0;
	*p += len;
	return true;
}

/* Behind a %. */
static bool take_place(const char **p, struct want *w)
{
	unsigned long number;
	size_t len = strcspn(*p, ",/");

	if (take_word(p, "stack")) {
		if (**p == '+')
			++*p;
		if (!take_number(p, 1000, &number) || !number)
			return false;
		w->stack_at = (int64_t)number;
		return true;
	}
	if (!strncmp(*p, "xmm", 3) && len == 4 && (*p)[3] >= '0' && (*p)[3] <= '7')
		w->reg = 17 + ((*p)[3] - '0');
	for (int i = 0; i < (int)ARRAY_LEN(reg_names); i++)
		if (strlen(reg_names[i]) == len && !strncmp(*p, reg_names[i], len))
			w->reg = i;
	*p += len;
	return w->reg >= 0;
}

static int add_want(struct valuerule *r, const struct want *w, struct errmsg *err)
{
	if (!ARRAY_ROOM(r->wants, r->wants_cap, r->n_wants + 1, WANTS_MAX))
		return errmsg_set(err, -EINVAL, "'%s' has more than %u values", r->text, WANTS_MAX);
	r->wants[r->n_wants++] = *w;
	return 0;
}

static int take_item(struct valuerule *r, const char **p, struct errmsg *err)
{
	struct want w = {.reg = -1};
	const char *start = *p;
	char name[128] = "";
	bool ok = take_kind(p, &w);

	while (ok && (**p == '/' || **p == '%')) {
		bool is_format = *(*p)++ == '/';

		ok = is_format ? take_format(p, &w, name, sizeof(name)) : take_place(p, &w);
	}
	if (!ok || (**p && **p != ','))
		return refuse(r, start, strcspn(start, ","), err);
	if (r->kind == RULE_RETVAL && w.kind != WANT_RETVAL)
		return errmsg_set(err, -EINVAL,
				  "--retval takes FUNC@retval, not '%.*s'; --arg takes arguments",
				  (int)strcspn(start, ","), start);
	if (*name) {
		w.type_name = strdup(name);
		if (!w.type_name)
			return errmsg_set_errno(err, -ENOMEM, "cannot read '%s'", r->text);
	}
	*p += **p == ',';
	return add_want(r, &w, err);
}

/*
 * --- rules -------------------------------------------------------------------------------------
 */

static void release(struct valuerule *r)
{
	for (size_t i = 0; i < r->n_definitions; i++)
		definition_free(r->definitions[i]);
	for (size_t i = 0; i < r->n_wants; i++)
		free((char *)r->wants[i].type_name);
	userchoice_release(&r->choice);
	free(r->definitions);
	free(r->wants);
	free(r->conditions);
	free(r->text);
}

static int set_function(struct valuerule *r, const char *name, size_t len, struct errmsg *err)
{
	char *copy = strndup(name, len);
	int code = copy ? userchoice_add(&r->choice, copy, false, err)
			: errmsg_set_errno(err, -ENOMEM, "cannot read '%s'", r->text);

	free(copy);
	r->choice.is_program = true; /* whatever the image is */
	return code;
}

/* The definition belongs to the rule then. */
static int take_definition(struct valuerule *r, const char *text, struct definition **ret,
			   struct errmsg *err)
{
	struct definition *d;
	int code = definition_parse(&d, text, err);

	if (code < 0)
		return code;
	if (!ARRAY_ROOM(r->definitions, r->definitions_cap, r->n_definitions + 1, WANTS_MAX)) {
		definition_free(d);
		return errmsg_set(err, -EINVAL, "'%s' has too many parts", r->text);
	}
	r->definitions[r->n_definitions++] = *ret = d;
	return 0;
}

static int parse_definition(struct valuerule *r, struct errmsg *err)
{
	struct definition *d;
	int code = take_definition(r, r->text, &d, err);

	if (code < 0)
		return code;
	if (d->form != DEFINITION_PLACE || !d->function || d->has_line || d->offset || d->filter ||
	    d->target)
		return errmsg_set(
			err, -EINVAL,
			"'%s' must be FUNC(VALUE, …): a function's entry, or FUNC%%return; "
			"--if takes conditions",
			r->text);
	if (d->is_return)
		r->kind = RULE_RETVAL;
	for (size_t i = 0; i < d->n_args && code >= 0; i++) {
		struct want w = {.kind = WANT_EXPRESSION, .reg = -1, .arg = &d->args[i]};

		if (d->args[i].value->kind == EXPRESSION_PARAMS) {
			r->is_automatic = true;
			continue;
		}
		code = add_want(r, &w, err);
	}
	r->is_automatic |= !d->n_args;
	return code < 0 ? code : set_function(r, d->function, strlen(d->function), err);
}

/* The @ in front of the first value; NULL: there is none. A library may stand before it. */
static const char *find_values(const char *text)
{
	for (const char *at = strchr(text, '@'); at; at = strchr(at + 1, '@')) {
		const char *p = at + 1;

		if (take_word(&p, "arg") || take_word(&p, "fparg") || take_word(&p, "retval"))
			return at;
	}
	return NULL;
}

static int parse_values(struct valuerule *r, struct errmsg *err)
{
	const char *at = find_values(r->text), *p;
	int code;

	if (!at) {
		at = strrchr(r->text, '@');
		if (at && *r->text != '/' && !strstr(at, ".so"))
			return refuse(r, at + 1, strlen(at + 1), err);
		r->is_automatic = true;
		return set_function(r, r->text, strlen(r->text), err);
	}
	code = set_function(r, r->text, (size_t)(at - r->text), err);
	for (p = at + 1; code >= 0 && *p;)
		code = take_item(r, &p, err);
	return code;
}

static int keep(struct valuerules *rules, struct valuerule *r, int code, struct errmsg *err)
{
	if (code >= 0 && !ARRAY_ROOM(rules->list, rules->cap, rules->n + 1, RULES_MAX))
		code = errmsg_set(err, -EINVAL, "more than %u rules for values", RULES_MAX);
	if (code < 0) {
		release(r);
		return code;
	}
	rules->list[rules->n++] = *r;
	return 0;
}

static int begin(struct valuerule *r, enum valuerule_kind kind, const char *text,
		 struct errmsg *err)
{
	*r = (struct valuerule){.kind = kind, .text = strdup(text)};
	if (!r->text)
		return errmsg_set_errno(err, -ENOMEM, "cannot read '%s'", text);
	return *text ? 0 : errmsg_set(err, -EINVAL, "a rule for values is empty; write FUNC@arg1");
}

static bool is_definition(const char *text)
{
	size_t name = strcspn(text, "(@");

	return *text != '/' && (text[name] == '(' || strstr(text, "%return"));
}

int valuerules_add_args(struct valuerules *rules, const char *text, struct errmsg *err)
{
	struct valuerule r;
	int code = begin(&r, RULE_ARGS, text, err);

	if (code >= 0)
		code = is_definition(text) ? parse_definition(&r, err) : parse_values(&r, err);
	return keep(rules, &r, code, err);
}

int valuerules_add_retval(struct valuerules *rules, const char *text, struct errmsg *err)
{
	struct valuerule r;
	int code = begin(&r, RULE_RETVAL, text, err);

	if (code >= 0)
		code = parse_values(&r, err);
	return keep(rules, &r, code, err);
}

/*
 * --- conditions --------------------------------------------------------------------------------
 */

static bool take_operator(const char **p, enum snrt_test *ret)
{
	static const struct {
		const char *text;
		enum snrt_test test;
	} rows[] = {{"==", SNRT_TEST_EQ}, {"!=", SNRT_TEST_NE}, {"<=", SNRT_TEST_LE},
		    {">=", SNRT_TEST_GE}, {"<", SNRT_TEST_LT},	{">", SNRT_TEST_GT},
		    {"&", SNRT_TEST_BITS}};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (take_word(p, rows[i].text)) {
			*ret = rows[i].test;
			return true;
		}
	return false;
}

/* The left side ends at an operator; "->" is none. */
static size_t operand_len(const char *text)
{
	size_t i = 0;

	while (text[i] && !strchr("=!<>&", text[i]))
		i += text[i] == '-' && text[i + 1] == '>' ? 2 : 1;
	return i;
}

/* argN is $argN there. */
static int parse_operand(struct valuerule *r, const char *text, size_t len,
			 const struct definition_arg **ret, struct errmsg *err)
{
	bool is_arg = !strncmp(text, "arg", 3) && isdigit((unsigned char)text[3]);
	struct definition *d = NULL;
	char word[256];
	int code;

	if (len > sizeof(word) - 8)
		return errmsg_set(err, -EINVAL, "a part of '%s' is too long", r->text);
	for (size_t i = 0; i < len; i++)
		if (strchr("+/%|^", text[i]) || (text[i] == '*' && i) ||
		    (text[i] == '-' && text[i + 1] != '>'))
			return errmsg_set(err, -EINVAL,
					  "a condition compares an argument with a number, it "
					  "cannot calculate: '%s'",
					  r->text);
	snprintf(word, sizeof(word), "f(%s%.*s)", is_arg ? "$" : "", (int)len, text);
	code = take_definition(r, word, &d, err);
	if (code < 0)
		return code;
	if (d->n_args != 1)
		return errmsg_set(err, -EINVAL, "'%.*s' in '%s' is not one value", (int)len, text,
				  r->text);
	*ret = &d->args[0];
	return 0;
}

static int take_condition(struct valuerule *r, const char **p, struct errmsg *err)
{
	size_t len = operand_len(*p);
	const char *start = *p, *end = start + len;
	struct condition c;
	char *behind;
	int code;

	while (len && isspace((unsigned char)start[len - 1]))
		len--;
	if (!len || !take_operator(&end, &c.test))
		return errmsg_set(
			err, -EINVAL,
			"'%s' is no comparison; write NAME == NUMBER, with == != < <= > >= "
			"or & (bits)",
			start);
	code = parse_operand(r, start, len, &c.left, err);
	if (code < 0)
		return code;
	errno = 0;
	c.number = (uint64_t)strtoll(end, &behind, 0);
	if (errno == ERANGE)
		c.number = strtoull(end, &behind, 0);
	if (behind == end)
		return errmsg_set(err, -EINVAL, "'%s' compares with no number", r->text);
	while (isspace((unsigned char)*behind))
		behind++;
	if (*behind && strncmp(behind, "&&", 2) != 0)
		return errmsg_set(err, -EINVAL, "'%s' in '%s' is unknown; && joins comparisons",
				  behind, r->text);
	*p = behind + (*behind ? 2 : 0);
	while (isspace((unsigned char)**p))
		++*p;
	if (*behind && !**p)
		return errmsg_set(err, -EINVAL, "'%s' ends behind &&", r->text);
	if (!ARRAY_ROOM(r->conditions, r->conditions_cap, r->n_conditions + 1, WANTS_MAX))
		return errmsg_set(err, -EINVAL, "'%s' has more than %u comparisons", r->text,
				  WANTS_MAX);
	r->conditions[r->n_conditions++] = c;
	return 0;
}

/* The colon behind the function's name; the two of a C++ name are not it. */
static const char *find_colon(const char *text)
{
	for (const char *p = strchr(text, ':'); p; p = strchr(p, ':')) {
		if (p[1] != ':')
			return p;
		p += 2;
	}
	return NULL;
}

int valuerules_add_condition(struct valuerules *rules, const char *text, struct errmsg *err)
{
	struct valuerule r;
	int code = begin(&r, RULE_CONDITION, text, err);
	const char *colon = find_colon(text), *p;

	if (code >= 0 && (!colon || colon == text))
		code = errmsg_set(err, -EINVAL,
				  "'%s' names no function; write 'FUNC: NAME > NUMBER'", text);
	if (code >= 0)
		code = set_function(&r, text, (size_t)(colon - text), err);
	for (p = code >= 0 ? colon + 1 : ""; isspace((unsigned char)*p);)
		p++;
	if (code >= 0 && !*p)
		code = errmsg_set(err, -EINVAL, "'%s' has no condition", text);
	while (code >= 0 && *p)
		code = take_condition(&r, &p, err);
	return keep(rules, &r, code, err);
}

void valuerules_release(struct valuerules *rules)
{
	for (size_t i = 0; i < rules->n; i++)
		release(&rules->list[i]);
	free(rules->list);
	*rules = (struct valuerules){0};
}

const char *valuerules_next_unused(const struct valuerules *r, size_t *i)
{
	while (*i < r->n)
		if (!r->list[(*i)++].is_used)
			return r->list[*i - 1].text;
	return NULL;
}

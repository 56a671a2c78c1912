// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * condition.c - translates the condition after "if" for the kernel's filters.
 *
 *	chain   := term { ("&&" | "||") term }
 *	term    := { "!" } ( "(" chain ")" | test )
 *	test    := FIELD [ ".ustring" … ] ( "==" | "!=" | "<" | "<=" | ">" | ">=" | "&" | "~" )
 *	        VALUE
 *
 * The kernel's filters know fields and constants. A user writes arguments and the names that the
 * source has for values:
 *
 *	vfs_read%return($retval) if $retval > 4096      ─▶   ret > 4096
 *	work(box->colour) if box->colour == RED         ─▶   colour == 1
 *	work(flags) if flags & F_A|F_C                  ─▶   flags & 5
 *	work(c:char) if c == 'a'                        ─▶   c == 97
 *	work($comm) if comm == bash                     ─▶   comm == "bash"
 *	send(sk->skc_dport) if skc_dport == 80          ─▶   skc_dport == 20480        as in memory
 *	dbl(x) if x > 1.5                               ─▶   (x > 0x3ff8… && x < 0x8000…)
 *	read(f->read_iter) if read_iter == a_function   ─▶   (read_iter >= 0xffff… && read_iter <
 *	                                                     0xffff…)
 *
 * Floating point numbers are recorded as their bits. As integers, the bits of positive numbers have
 * the order of the values; those of negative numbers follow in reverse order.
 *
 * A variable that does not exist at all places of the event makes every test false where it does
 * not exist (resolve/gaps.c):
 *
 *	step(n) if n < 5                                ─▶   (n != 3735937325 && n < 5)
 *
 * Impossible conditions are refused here, with a caret: the kernel's message would be less
 * precise, and later. The kernel would even compare an array, by its first element.
 */
#include "base/array.h"
#include "base/scope.h"
#include "base/spelling.h"
#include "base/textbuf.h"
#include "probe/resolve/resolve_int.h"
#include "symbols/types.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_DEPTH     32
#define MAX_FUNCTIONS 8 /* limit of functions with one name */

struct condition {
	const struct probe *p;
	const struct definition *d;
	const char *duration; /* the name of $duration; NULL: it is not recorded */
	const char *text;     /* the whole condition */
	const char *shown;    /* text into which errors point … */
	size_t shown_at;      /* … and the position of the condition in it */
	size_t at;
	unsigned depth;
	struct textbuf *out;
	struct errmsg *err;
};

struct test {
	/* NULL: the field is not an argument (common_pid and similar) */
	const struct probe_arg *arg;
	size_t name_at, name_len;
	bool has_modifier;
	char op[3];
};

#define REFUSE(c, from, len, ...)                                                             \
	definition_refuse((c)->shown, (struct span){(c)->shown_at + (from), (len)}, (c)->err, \
			  -EINVAL, __VA_ARGS__)

static bool is_name_char(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static void skip_blanks(struct condition *c)
{
	while (c->text[c->at] == ' ' || c->text[c->at] == '\t')
		textbuf_add_char(c->out, c->text[c->at++]);
}

static size_t word_length(const char *s)
{
	size_t n = *s == '$';

	while (is_name_char(s[n]))
		n++;
	return n;
}

/*
 * --- fields --------------------------------------------------------------------------------------
 */

/* Finds the argument whose text is at s, and its length. The longest match wins. */
static const struct probe_arg *match_arg(const struct condition *c, const char *s, size_t *ret_len)
{
	const struct probe_arg *found = NULL;
	const struct definition *d = c->d;

	*ret_len = 0;
	for (size_t i = 0; i < c->p->n_args; i++)
		for (size_t k = 0; k < d->n_args; k++) {
			struct span span = d->args[k].value->span;

			if (d->args[k].span.at != c->p->args[i].span.at || span.len <= *ret_len ||
			    strncmp(d->text + span.at, s, span.len) || is_name_char(s[span.len]))
				continue;
			*ret_len = span.len;
			found = &c->p->args[i];
		}
	return found;
}

/* Returns true for fields that every event has, and other names that filters know. */
static bool is_common(const char *s, size_t len)
{
	static const char *const words[] = {
		"CPU",	      "cpu",	    "COMM",	    "comm",	      "stacktrace",
		"STACKTRACE", "__probe_ip", "__probe_func", "__probe_ret_ip", "ip"};

	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		if (strlen(words[i]) == len && !strncmp(words[i], s, len))
			return true;
	return len > 7 && !strncmp(s, "common_", 7);
}

static bool is_array(const struct probe_arg *a)
{
	return strchr(probe_fetch_type(a), ']');
}

/* Returns the text of the argument in the definition, or an empty span if it is not a name. */
static struct span written_as(const struct condition *c, const struct probe_arg *a)
{
	const struct definition *d = c->d;

	for (size_t k = 0; k < d->n_args; k++) {
		struct span span = d->args[k].value->span;

		if (d->args[k].span.at == a->span.at &&
		    (isalpha((unsigned char)d->text[span.at]) || d->text[span.at] == '_'))
			return span;
	}
	return (struct span){0};
}

/* Finds the array that has this field name in a recording, texts__2, and the length of its name. */
static const struct probe_arg *find_array(const struct condition *c, const char *s, size_t len,
					  size_t *ret_len)
{
	const struct probe_arg *a;
	size_t n = len;

	while (n && isdigit((unsigned char)s[n - 1]))
		n--;
	if (n == len || n < 3 || strncmp(s + n - 2, "__", 2))
		return NULL;
	*ret_len = n - 2;
	a = probe_find_arg(c->p, s, *ret_len);
	return a && is_array(a) ? a : NULL;
}

/* Refuses an array. name_len is the length without the index, "[2]" or "__2". */
static int refuse_array(const struct condition *c, const struct probe_arg *a, size_t name_len)
{
	const char *s = c->text + c->at;
	struct span span = written_as(c, a);
	const char *digits = s + name_len + strspn(s + name_len, "[_");
	size_t n_digits = digits > s + name_len ? strspn(digits, "0123456789") : 0;
	size_t len = n_digits ? (size_t)(digits - s) + n_digits + (s[name_len] == '[') : name_len;

	if (!span.len)
		return REFUSE(c, c->at, len,
			      "%.*s is an array, but a condition tests single values: add the "
			      "element to test to the arguments",
			      (int)name_len, s);
	return REFUSE(c, c->at, len,
		      "%.*s is an array, but a condition tests single values: add %.*s[%.*s] "
		      "to the arguments and test that",
		      (int)name_len, s, (int)span.len, c->d->text + span.at,
		      n_digits ? (int)n_digits : 1, n_digits ? digits : "0");
}

static int refuse_field(const struct condition *c, size_t len)
{
	const char *s = c->text + c->at;
	size_t name_len;
	const struct probe_arg *array = find_array(c, s, len, &name_len);
	struct spelling sp;

	if (array)
		return refuse_array(c, array, name_len);
	spelling_init(&sp, s, len);
	for (size_t i = 0; i < c->p->n_args; i++)
		spelling_add(&sp, c->p->args[i].name);
	if (sp.nearest)
		return REFUSE(c, c->at, len, "'%.*s' is not recorded; the nearest field is %s",
			      (int)len, s, sp.nearest);
	return REFUSE(c, c->at, len,
		      "'%.*s' is not recorded, so a condition cannot test it: add it to the "
		      "arguments",
		      (int)len, s);
}

static int take_field(struct condition *c, struct test *t)
{
	const char *s = c->text + c->at;
	size_t len = word_length(s), written;

	t->name_at = c->at;
	t->arg = match_arg(c, s, &written);
	if (t->arg) {
		textbuf_add_str(c->out, t->arg->name);
		len = written;
	} else if (c->duration && ((len == 9 && !strncmp(s, "$duration", len)) ||
				   (len == strlen(c->duration) && !strncmp(s, c->duration, len)))) {
		textbuf_add_str(c->out, c->duration);
	} else if (!len || isdigit((unsigned char)*s)) {
		return REFUSE(c, c->at, *s != 0,
			      "a field is missing here: write a condition such as count > 4096");
	} else {
		t->arg = probe_find_arg(c->p, s, len);
		if (!t->arg && !is_common(s, len))
			return refuse_field(c, len);
		textbuf_add(c->out, s, len);
	}
	if (t->arg && is_array(t->arg))
		return refuse_array(c, t->arg, len);
	t->name_len = len;
	c->at += len;
	/* a modifier of the kernel: name.ustring, ip.function */
	t->has_modifier = c->text[c->at] == '.';
	if (t->has_modifier)
		do
			textbuf_add_char(c->out, c->text[c->at++]);
		while (is_name_char(c->text[c->at]));
	return 0;
}

static int take_operator(struct condition *c, struct test *t)
{
	static const char *const ops[] = {"==", "!=", "<=", ">=", "<", ">", "~", "&"};
	const char *s = c->text + c->at;

	for (size_t i = 0; i < ARRAY_LEN(ops); i++)
		if (!strncmp(s, ops[i], strlen(ops[i])) && strncmp(s, "&&", 2)) {
			memcpy(t->op, ops[i], strlen(ops[i]));
			textbuf_add_str(c->out, ops[i]);
			c->at += strlen(ops[i]);
			return 0;
		}
	return REFUSE(c, c->at, *s != 0,
		      *s == '=' ? "'=' is not a comparison: write %.*s == …"
				: "a comparison is missing here, as in %.*s != 0",
		      (int)t->name_len, c->text + t->name_at);
}

/*
 * --- values --------------------------------------------------------------------------------------
 */

/* Returns true for a field whose values are texts. */
static bool is_text(const struct condition *c, const struct test *t)
{
	const char *name = c->text + t->name_at;

	if (t->has_modifier)
		return true;
	if (t->arg)
		return strstr(probe_fetch_type(t->arg), "str") ||
		       !strncmp(t->arg->fetch, "$comm", 5);
	return (t->name_len == 4 && !strncasecmp(name, "comm", 4)) || strstr(t->op, "~");
}

static bool find_in(const struct probe_arg *a, const char *s, size_t len, int64_t *ret)
{
	struct type_enumerator e;

	if (a->show == PROBE_SHOW_BOOL &&
	    ((len == 4 && !strncmp(s, "true", 4)) || (len == 5 && !strncmp(s, "false", 5)))) {
		*ret = len == 4;
		return true;
	}
	for (unsigned k = 0; type_enumerator(a->type, k, &e) >= 0; k++)
		if (!strncmp(e.name, s, len) && !e.name[len]) {
			*ret = e.value;
			return true;
		}
	return false;
}

/*
 * Finds an enumerator: first in the enum of the field, then in other enums, because a number may be
 * compared with their names.
 */
static bool find_enumerator(const struct condition *c, const struct test *t, const char *s,
			    size_t len, int64_t *ret)
{
	if (t->arg && find_in(t->arg, s, len, ret))
		return true;
	for (size_t i = 0; t->arg && i < c->p->n_args; i++)
		if (find_in(&c->p->args[i], s, len, ret))
			return true;
	return false;
}

#define LISTED_MAX 6 /* names of an enum in a refusal */

static bool has_part(const char *name, const char *part, size_t len)
{
	for (; strlen(name) >= len; name++)
		if (!strncasecmp(name, part, len))
			return true;
	return false;
}

/*
 * Lists the names that contain the part, "RED, GREEN …"; all names if len is 0. Returns their
 * number.
 */
static unsigned list_names(struct type enumeration, const char *part, size_t len, char *out,
			   size_t size)
{
	struct type_enumerator e;
	unsigned n = 0;
	size_t at = 0;

	*out = 0;
	for (unsigned k = 0; type_enumerator(enumeration, k, &e) >= 0; k++) {
		if (!has_part(e.name, part, len))
			continue;
		if (n++ < LISTED_MAX && at < size)
			at += snprintf(out + at, size - at, "%s%s", n > 1 ? ", " : "", e.name);
	}
	if (n > LISTED_MAX && at < size)
		snprintf(out + at, size - at, " …");
	return n;
}

static int refuse_name(const struct condition *c, const struct test *t, size_t len)
{
	const char *s = c->text + c->at;
	struct type_enumerator e;
	struct spelling sp;
	char names[400];
	unsigned n;

	if (probe_find_arg(c->p, s, len) || is_common(s, len))
		return REFUSE(c, c->at, len,
			      "%.*s is a field, but the kernel compares fields only with "
			      "constants",
			      (int)len, s);
	spelling_init(&sp, s, len);
	for (unsigned k = 0; t->arg && type_enumerator(t->arg->type, k, &e) >= 0; k++)
		spelling_add(&sp, e.name);
	if (sp.nearest)
		return REFUSE(c, c->at, len, "%.*s is never '%.*s'; the nearest name is %s",
			      (int)t->name_len, c->text + t->name_at, (int)len, s, sp.nearest);
	n = t->arg ? list_names(t->arg->type, s, len, names, sizeof(names)) : 0;
	if (n)
		return REFUSE(c, c->at, len, "%.*s is never '%.*s'; the nearest name%s %s",
			      (int)t->name_len, c->text + t->name_at, (int)len, s,
			      n > 1 ? "s are" : " is", names);
	if (t->arg && list_names(t->arg->type, "", 0, names, sizeof(names)))
		return REFUSE(c, c->at, len, "%.*s is never '%.*s'; its names are %s",
			      (int)t->name_len, c->text + t->name_at, (int)len, s, names);
	return REFUSE(c, c->at, len, "%.*s is a number, but '%.*s' is not", (int)t->name_len,
		      c->text + t->name_at, (int)len, s);
}

/* Adds a number in the form that the field has in memory. */
static int add_number(struct condition *c, const struct test *t, size_t from, int64_t value)
{
	const char *type = t->arg ? probe_fetch_type(t->arg) : "";
	unsigned bits = strchr("usxb", *type) && *type ? strtoul(type + 1, NULL, 10) : 64;
	uint64_t mask = bits && bits < 64 ? UINT64_MAX >> (64 - bits) : UINT64_MAX;

	if (t->arg && probe_arg_is_signed_bits(t->arg) && strcmp(t->op, "==") &&
	    strcmp(t->op, "!=") && strcmp(t->op, "&"))
		return REFUSE(c, from, c->at - from,
			      "%.*s is a signed bit field, which the kernel can compare only with "
			      "==, != and &; 'sonde report -F' supports all comparisons",
			      (int)t->name_len, c->text + t->name_at);
	if (t->arg && t->arg->show == PROBE_SHOW_BIG_ENDIAN) {
		if (strcmp(t->op, "==") && strcmp(t->op, "!=") && strcmp(t->op, "&"))
			return REFUSE(c, from, c->at - from,
				      "%.*s is big endian in memory, so the kernel can compare "
				      "it only with ==, != and &; 'sonde report -F' supports "
				      "all comparisons",
				      (int)t->name_len, c->text + t->name_at);
		textbuf_add_dec(c->out, __builtin_bswap64(value & mask) >> (64 - bits));
	} else if (value < 0 && *type == 's') {
		textbuf_add_signed(c->out, value);
	} else {
		textbuf_add_dec(c->out, value & mask);
	}
	return 0;
}

/* Parses F_A|F_C as one number. */
static int take_names(struct condition *c, const struct test *t)
{
	size_t from = c->at;
	int64_t value = 0, one;

	for (;;) {
		const char *s = c->text + c->at;
		size_t len = word_length(s);

		if (!find_enumerator(c, t, s, len, &one))
			return len ? refuse_name(c, t, len)
				   : REFUSE(c, c->at, *s != 0, "a name is missing after '|'");
		value |= one;
		c->at += len;
		s += len;
		if (*s != '|' || s[1] == '|')
			return add_number(c, t, from, value);
		c->at++;
	}
}

static int refuse_number(const struct condition *c, size_t len)
{
	return REFUSE(c, c->at, len, "'%.*s' is not a number", (int)len, c->text + c->at);
}

/*
 * Compares a floating point number. Writes the field's name again: one comparison becomes two if it
 * has to exclude the bits of negative numbers.
 */
static int take_real(struct condition *c, const struct test *t, size_t len, size_t test_start)
{
	bool is_double = !strcmp(probe_fetch_type(t->arg), "x64");
	const char *name = t->arg->name, *op = t->op;
	uint64_t bits, sign = is_double ? 1ull << 63 : 1u << 31;
	char *end;
	double d = strtod(c->text + c->at, &end);
	float f = (float)d;
	uint32_t single;
	bool is_below;

	if (end != c->text + c->at + len)
		return refuse_number(c, len);
	memcpy(&bits, &d, sizeof(bits));
	memcpy(&single, &f, sizeof(single));
	bits = is_double ? bits : single;
	is_below = bits & sign && bits != sign;
	c->out->pos = c->out->start + test_start;
	if (op[0] == '&' || op[0] == '~')
		return REFUSE(c, t->name_at, t->name_len,
			      "%.*s is a floating point number, so its bits cannot be tested",
			      (int)t->name_len, c->text + t->name_at);
	if (op[0] == '=' || op[0] == '!')
		textbuf_addf(c->out, "%s %s 0x%llx", name, op, (unsigned long long)bits);
	else if (is_below) /* the bits of negative numbers grow with their absolute value */
		textbuf_addf(c->out, op[0] == '<' ? "%s >%s 0x%llx" : "%s <%s 0x%llx", name, op + 1,
			     (unsigned long long)bits);
	else
		textbuf_addf(c->out,
			     op[0] == '>' ? "(%s %s 0x%llx && %s < 0x%llx)"
					  : "(%s %s 0x%llx || %s >= 0x%llx)",
			     name, op, (unsigned long long)(bits & ~sign), name,
			     (unsigned long long)sign);
	c->at += len;
	return 0;
}

static int take_number(struct condition *c, const struct test *t, size_t test_start)
{
	const char *s = c->text + c->at;
	size_t len = *s == '-', from = c->at;
	unsigned long long n;
	char *end;

	while (is_name_char(s[len]) || s[len] == '.' ||
	       (strchr("+-", s[len]) && s[len] && strchr("eE", s[len - 1]) && len > 1 &&
		strncmp(s, "0x", 2)))
		len++;
	if (t->arg && t->arg->show == PROBE_SHOW_FLOAT)
		return take_real(c, t, len, test_start);
	errno = 0;
	n = strtoull(s, &end, 0);
	if (end != s + len || errno || len == (*s == '-'))
		return refuse_number(c, len ? len : 1);
	c->at += len;
	if (t->arg && (t->arg->show == PROBE_SHOW_BIG_ENDIAN || probe_arg_is_signed_bits(t->arg)))
		return add_number(c, t, from, (int64_t)n);
	textbuf_add(c->out, s, len);
	return 0;
}

/* Parses quotes. For a numeric field 'a' is a number, else it is a text like "a". */
static int take_quoted(struct condition *c, const struct test *t)
{
	const char *s = c->text + c->at, *close = strchr(s + 1, *s);
	size_t len = close ? (size_t)(close + 1 - s) : 0;

	if (!close)
		return REFUSE(c, c->at, 1, "this text has no closing %c", *s);
	if (t->arg && !is_text(c, t)) {
		int64_t value;

		if (*s == '\'' && len == 3) {
			textbuf_add_dec(c->out, (unsigned char)s[1]);
		} else if (find_enumerator(c, t, s + 1, len - 2, &value)) {
			int r = add_number(c, t, c->at, value);

			TRY(r);
		} else {
			c->at++;
			return refuse_name(c, t, len - 2);
		}
	} else {
		textbuf_add(c->out, s, len);
	}
	c->at += len;
	return 0;
}

/* Adds the quotes that the kernel needs to comm == bash. CPUS{0-3} is the kernel's own syntax. */
static void take_bare_text(struct condition *c, const struct test *t)
{
	const char *s = c->text + c->at;
	size_t len = 0;
	bool is_quoted = !t->has_modifier;

	while (s[len] && !strchr(" \t&|)", s[len]))
		len++;
	if (is_quoted)
		textbuf_add_char(c->out, '"');
	textbuf_add(c->out, s, len);
	if (is_quoted)
		textbuf_add_char(c->out, '"');
	c->at += len;
}

/*
 * --- functions -----------------------------------------------------------------------------------
 */

/* Returns true for a field that is shown as a function's name, but recorded as a number. */
static bool is_function(const struct test *t)
{
	return t->arg && !t->has_modifier && !strcmp(probe_fetch_type(t->arg), "symbol");
}

/* Parses a function's name, for a field that is shown as such. */
static int take_function(struct condition *c, const struct test *t, size_t test_start)
{
	const char *s = c->text + c->at, *name = t->arg->name, *symbols;
	bool is_quoted = *s == '"' || *s == '\'', is_equal = !strcmp(t->op, "==");
	uint64_t starts[MAX_FUNCTIONS];
	size_t len = 0, n;

	s += is_quoted;
	while (is_name_char(s[len]) || s[len] == '.')
		len++;
	if (is_quoted && s[len] != s[-1])
		return REFUSE(c, c->at, len + 1, "this is not the name of a function");
	if (!is_equal && strcmp(t->op, "!="))
		return REFUSE(c, c->at, len + 2 * is_quoted,
			      "compare a function with == or !=, or by its address");
	symbols = c->p->prober ? prober_list(c->p->prober, PROBER_KALLSYMS) : NULL;
	n = symbols ? resolve_find_functions(symbols, s, len, starts, MAX_FUNCTIONS) : 0;
	if (!n)
		return REFUSE(c, c->at + is_quoted, len,
			      "%.*s points to functions, but the kernel's symbols have no "
			      "'%.*s', or hide its address from you (run sonde as root)",
			      (int)t->name_len, c->text + t->name_at, (int)len, s);
	c->out->pos = c->out->start + test_start;
	for (size_t i = 0; i < n; i++)
		textbuf_addf(c->out,
			     is_equal ? "%s(%s >= 0x%llx && %s < 0x%llx)"
				      : "%s(%s < 0x%llx || %s >= 0x%llx)",
			     i	     ? is_equal ? " || " : " && "
			     : n > 1 ? "("
				     : "",
			     name, (unsigned long long)starts[i], name,
			     (unsigned long long)resolve_find_end(symbols, starts[i]));
	if (n > 1)
		textbuf_add_char(c->out, ')');
	c->at += len + 2 * is_quoted;
	return 0;
}

static int take_value(struct condition *c, const struct test *t, size_t test_start)
{
	const char *s = c->text + c->at;

	if (!*s || strchr(")|&=<>!~", *s))
		return REFUSE(c, c->at, *s != 0,
			      "a value is missing here: what is %.*s compared with?",
			      (int)t->name_len, c->text + t->name_at);
	if (is_function(t) && !isdigit((unsigned char)*s))
		return take_function(c, t, test_start);
	if (*s == '"' || *s == '\'')
		return take_quoted(c, t);
	if (is_text(c, t) || !strncmp(s, "CPUS{", 5)) {
		struct test as_is = {.has_modifier = t->has_modifier || !strncmp(s, "CPUS{", 5)};

		take_bare_text(c, &as_is);
		return 0;
	}
	if (isdigit((unsigned char)*s) || *s == '-' || *s == '.')
		return take_number(c, t, test_start);
	if (is_name_char(*s))
		return take_names(c, t);
	return REFUSE(c, c->at, 1, "a number, a name or a text in quotes is missing here");
}

/*
 * --- the whole -----------------------------------------------------------------------------------
 */

/*
 * Makes the test false at places where the variable does not exist, independent of the number that
 * is recorded there.
 */
static void exclude_gone(struct condition *c, const struct test *t, size_t start)
{
	size_t len = textbuf_len(c->out) - start;
	SCOPED(scope_free) char *text = strndup(c->out->start + start, len);

	c->out->pos = c->out->start + start;
	if (text)
		textbuf_addf(c->out, "(%s != %u && %s)", t->arg->name,
			     t->arg->show == PROBE_SHOW_BOOL ? PROBE_GONE & 0xff : PROBE_GONE,
			     text);
	else
		c->out->overflow = true;
}

static int take_test(struct condition *c)
{
	size_t start = textbuf_len(c->out);
	struct test t = {0};

	TRY(take_field(c, &t));
	skip_blanks(c);
	TRY(take_operator(c, &t));
	skip_blanks(c);
	TRY(take_value(c, &t, start));
	if (t.arg && t.arg->has_gaps && !c->out->overflow)
		exclude_gone(c, &t, start);
	return 0;
}

static int take_chain(struct condition *c);

static int take_term(struct condition *c)
{
	size_t open, ignored;

	for (skip_blanks(c); c->text[c->at] == '!'; skip_blanks(c))
		textbuf_add_char(c->out, c->text[c->at++]);
	if (c->text[c->at] != '(' || match_arg(c, c->text + c->at, &ignored))
		return take_test(c);
	open = c->at;
	if (++c->depth > MAX_DEPTH)
		return REFUSE(c, open, 1, "parentheses can be nested at most %d deep", MAX_DEPTH);
	textbuf_add_char(c->out, c->text[c->at++]);
	TRY(take_chain(c));
	if (c->text[c->at] != ')')
		return REFUSE(c, c->text[c->at] ? c->at : open, 1,
			      c->text[c->at] ? "&&, || or ) is missing here"
					     : "this parenthesis is not closed");
	textbuf_add_char(c->out, c->text[c->at++]);
	c->depth--;
	return 0;
}

static int take_chain(struct condition *c)
{
	for (;;) {
		const char *s;
		int r = take_term(c);

		TRY(r);
		skip_blanks(c);
		s = c->text + c->at;
		if (strncmp(s, "&&", 2) && strncmp(s, "||", 2))
			return 0;
		textbuf_add(c->out, s, 2);
		c->at += 2;
	}
}

static int fmt_condition(struct condition *c)
{
	if (c->d->form == DEFINITION_RAW) {
		textbuf_add_str(c->out, c->text);
		return 0;
	}
	TRY(take_chain(c));
	if (c->text[c->at])
		return REFUSE(c, c->at, 1,
			      c->text[c->at] == ')' ? "this ) has no matching ("
						    : "&& or || is missing here");
	return 0;
}

int probe_fmt_condition(const struct probe *p, const struct definition *d, const char *duration,
			struct textbuf *tb, struct errmsg *err)
{
	struct condition c = {.p = p,
			      .d = d,
			      .duration = duration,
			      .text = d->filter,
			      .shown = d->text,
			      .shown_at = d->filter_span.at,
			      .out = tb,
			      .err = err};

	return fmt_condition(&c);
}

int probe_fmt_filter(const struct probe *p, const struct definition *d, const char *duration,
		     const char *filter, struct textbuf *tb, struct errmsg *err)
{
	struct condition c = {.p = p,
			      .d = d,
			      .duration = duration,
			      .text = filter,
			      .shown = filter,
			      .out = tb,
			      .err = err};

	return fmt_condition(&c);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * format.c - rewrites the kernel's print format of a probe's event, with names for its numbers.
 *
 * The kernel writes:
 *
 *	print fmt: "(%lx) state=%u flags=%u", REC->__probe_ip, REC->state, REC->flags
 *
 * With the debug information it becomes a format that any reader of trace.dat understands:
 *
 *	print fmt: "(%lx) state=%s flags=%s", REC->__probe_ip,
 *		__print_symbolic(REC->state, {0, "TASK_RUNNING"}, …), __print_flags(REC->flags, "|",
 *	        {1, …})
 *
 * The kernel's text lacks the length of an array ("field:s32 a[];"). The length is added, because
 * without it the size of an element is unknown. It also lacks the length of a text in an array
 * ("__data_loc char[16] name;"), which has no NUL if it is full; "%.16s" hides the bytes that the
 * kernel has read after it. The name of the type defines the meaning of a number's bytes; other
 * readers ignore it. The names are "double", "float", "word" for a possible pointer, "s5" for a
 * signed bit field of five bits, and "be16" for network byte order. The print format itself
 * converts the last two into the number. With "maybe" before it, one value means "unknown"
 * (resolve/gaps.c).
 *
 * An array of texts, "__data_loc char[][2] names" and __get_str(names[0]), which no reader
 * understands, becomes one field for each text: "__data_loc char[] names__0".
 *
 * The format of a probe on many functions of the kernel shows which one was hit: "(%ps)", (void
 * *)REC->__probe_ip.
 *
 * The n-th conversion in the text belongs to the n-th expression after it. Parts that are not
 * understood are copied unchanged. Each element of an array has its own: "{%s,%s}",
 * __print_symbolic(REC->a[0], …), ….
 */
#include "base/array.h"
#include "base/textbuf.h"
#include "probe/probe.h"
#include "symbols/types.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_NAMES	   256 /* limit for one enum */
#define MAX_TEXTS	   64
#define MAX_ELEMENTS_NAMES 4096 /* limit for all elements of an array */

struct part {
	const char *at;
	size_t len;
};

const struct probe_arg *probe_find_arg(const struct probe *p, const char *name, size_t len)
{
	return ARRAY_FIND(p->args, p->n_args, i,
			  strlen(p->args[i].name) == len && !strncmp(p->args[i].name, name, len));
}

/*
 * Returns how to show an argument. Readers, including trace-cmd, print a signed field of 1 or 2
 * bytes without its sign.
 */
static enum probe_show show_of(const struct probe_arg *a)
{
	const char *type = a->fetch ? strrchr(a->fetch, ':') : NULL;

	if (a->show == PROBE_SHOW_AS_IS && type && (!strcmp(type, ":s8") || !strcmp(type, ":s16")))
		return PROBE_SHOW_SIGNED;
	return a->show;
}

/*
 * Finds the argument of one value of the format: "REC->state". Returns NULL if it is not an
 * argument.
 */
static const struct probe_arg *any_arg_of(const struct probe *p, struct part e)
{
	static const char prefix[] = "REC->";

	while (e.len && *e.at == ' ')
		e.at++, e.len--;
	if (e.len <= strlen(prefix) || strncmp(e.at, prefix, strlen(prefix)))
		return NULL;
	e.at += strlen(prefix);
	e.len -= strlen(prefix);
	return probe_find_arg(p, e.at, e.len);
}

/* Returns the type that has the names: that of an array's elements, or of the value itself. */
static struct type named_type(const struct probe_arg *a, uint64_t *ret_n)
{
	struct type t = a->type;
	struct type_facts f;

	*ret_n = 1;
	for (type_get(t, &f); f.kind == TYPE_ARRAY; type_get(t, &f)) {
		if (__builtin_mul_overflow(*ret_n, f.n_elements, ret_n))
			*ret_n = UINT64_MAX;
		t = f.target;
	}
	return t;
}

/*
 * Finds the array of an element, "REC->colours[2]". It is shown like a single value, unless the
 * text would become too long.
 */
static const struct probe_arg *element_of(const struct probe *p, struct part e)
{
	const char *bracket = memchr(e.at, '[', e.len);
	const struct probe_arg *a;
	struct type_facts f;
	uint64_t n;

	if (!bracket)
		return NULL;
	a = any_arg_of(p, (struct part){e.at, bracket - e.at});
	if (!a || !a->type.world || !a->fetch || !strchr(a->fetch, '['))
		return NULL;
	type_get(named_type(a, &n), &f);
	if (a->show == PROBE_SHOW_ENUM || a->show == PROBE_SHOW_FLAGS)
		return n <= MAX_ELEMENTS_NAMES && n * f.n_members <= MAX_ELEMENTS_NAMES ? a : NULL;
	return a->show == PROBE_SHOW_BOOL || a->show == PROBE_SHOW_FLOAT ||
			       a->show == PROBE_SHOW_FUNCTION
		       ? a
		       : NULL;
}

/* Like any_arg_of(), but only for arguments that are shown differently from the kernel's way. */
static const struct probe_arg *arg_of(const struct probe *p, struct part e)
{
	const struct probe_arg *a = any_arg_of(p, e);

	if (!a)
		return element_of(p, e);
	return show_of(a) != PROBE_SHOW_AS_IS ? a : NULL;
}

/* Finds the argument of a text: "__get_str(name)". Returns NULL if it is not a text. */
static const struct probe_arg *text_of(const struct probe *p, struct part e)
{
	static const char get[] = "__get_str(";
	const struct probe_arg *a;

	while (e.len && *e.at == ' ')
		e.at++, e.len--;
	if (e.len <= strlen(get) + 1 || strncmp(e.at, get, strlen(get)))
		return NULL;
	a = probe_find_arg(p, e.at + strlen(get), e.len - strlen(get) - 1);
	return a && (!a->fetch || strstr(a->fetch, "str") || strstr(a->fetch, "$comm")) ? a : NULL;
}

/*
 * Returns the maximum length of a text in an array, for which the kernel reads up to the next NUL;
 * 0 for other values.
 */
static unsigned text_limit(const struct probe_arg *a)
{
	const char *type = a && a->fetch ? strrchr(a->fetch, ':') : NULL;
	struct type_facts f;

	if (!type || (strcmp(type, ":string") && strcmp(type, ":ustring")))
		return 0;
	type_get(a->type, &f);
	return f.kind == TYPE_ARRAY && f.n_elements < 65536 ? (unsigned)f.n_elements : 0;
}

/*
 * Returns the length of the expression at s: up to a comma outside parentheses and quotes, or the
 * line's end.
 */
static size_t expression_length(const char *s, const char *end)
{
	const char *p = s;
	bool is_quoted = false;
	int depth = 0;

	for (; p < end && *p != '\n'; p++) {
		if (*p == '\\' && is_quoted && p + 1 < end)
			p++;
		else if (*p == '"')
			is_quoted = !is_quoted;
		else if (!is_quoted && (*p == '(' || *p == '{'))
			depth++;
		else if (!is_quoted && (*p == ')' || *p == '}'))
			depth--;
		else if (!is_quoted && !depth && *p == ',')
			break;
	}
	return p - s;
}

/* Returns the n-th expression after the text. */
static struct part nth_expression(const char *s, const char *end, unsigned n)
{
	while (s < end && *s == ',') {
		size_t len = expression_length(s + 1, end);

		if (!n--)
			return (struct part){s + 1, len};
		s += 1 + len;
	}
	return (struct part){s, 0};
}

const char *probe_fetch_type(const struct probe_arg *a)
{
	const char *colon = a->fetch ? strrchr(a->fetch, ':') : NULL;

	return colon ? colon + 1 : "";
}

/* Returns the number of bits: "…:b12@3/32" has 12, "…:s8" has 8. */
static unsigned bits_of(const struct probe_arg *a)
{
	const char *type = probe_fetch_type(a);

	return *type && strchr("usxb", *type) ? strtoul(type + 1, NULL, 10) : 0;
}

static bool is_bits(const struct probe_arg *a)
{
	return *probe_fetch_type(a) == 'b';
}

bool probe_arg_is_signed_bits(const struct probe_arg *a)
{
	struct type_facts f;

	if (!is_bits(a))
		return false;
	if (a->show != PROBE_SHOW_ENUM && a->show != PROBE_SHOW_FLAGS)
		return a->show == PROBE_SHOW_SIGNED;
	type_get(a->type, &f);
	return f.is_signed;
}

static void add_names(const struct probe_arg *a, struct textbuf *tb)
{
	struct type_enumerator e;
	struct type_facts f;
	uint64_t mask, n, n_bits;
	struct type t = named_type(a, &n);

	/* readers treat fields as unsigned: -1 of four bytes is 4294967295, of five bits 31 */
	type_get(t, &f);
	n_bits = bits_of(a) ? bits_of(a) : 8 * f.n_bytes;
	mask = n_bits && n_bits < 64 ? UINT64_MAX >> (64 - n_bits) : UINT64_MAX;
	for (unsigned i = 0; i < MAX_NAMES && type_enumerator(t, i, &e) >= 0; i++) {
		if (a->show == PROBE_SHOW_FLAGS && !e.value)
			continue;
		textbuf_addf(tb, ", { %llu, \"%s\" }", (unsigned long long)(e.value & mask),
			     e.name);
	}
}

/*
 * Adds the sign, which is the highest bit. Not all readers know ^, nor respect parentheses within a
 * sum; all of them evaluate ?: correctly.
 */
static void add_signed(const struct probe_arg *a, struct textbuf *tb)
{
	unsigned n = bits_of(a);
	unsigned long long sign = n && n <= 64 ? 1ull << (n - 1) : 0;

	textbuf_addf(tb, " (REC->%s & %llu) ? REC->%s - %llu : REC->%s", a->name, sign, a->name,
		     2 * sign, a->name);
}

static unsigned bytes_of(const struct probe_arg *a)
{
	const char *type = a->fetch ? strrchr(a->fetch, ':') : NULL;

	return type && type[1] ? strtoul(type + 2, NULL, 10) / 8 : 0;
}

/* Swaps the bytes with operators that all readers know. Readers calculate with 64 bits. */
static void add_swapped(const struct probe_arg *a, struct textbuf *tb)
{
	unsigned n = bytes_of(a);

	for (unsigned i = 0; i < n; i++)
		textbuf_addf(tb, "%s((REC->%s >> %u) & 255) << %u%s", i ? " | (" : " (", a->name,
			     8 * i, 8 * (n - 1 - i), ")");
}

/* Adds the expression of a value. value is the expression in the kernel's text, " REC->state". */
static void add_expression(const struct probe_arg *a, struct part value, struct textbuf *tb)
{
	size_t n_blanks = value.len ? strspn(value.at, " ") : 0;
	const char *what = value.at + n_blanks;
	int len = (int)(value.len - n_blanks);

	if (a->show == PROBE_SHOW_BIG_ENDIAN) {
		add_swapped(a, tb);
		return;
	}
	if (a->show == PROBE_SHOW_FLOAT || a->show == PROBE_SHOW_WORD ||
	    a->show == PROBE_SHOW_HEX) {
		textbuf_addf(tb, " %.*s", len, what);
		return;
	}
	if (show_of(a) == PROBE_SHOW_SIGNED) {
		add_signed(a, tb);
		return;
	}
	if (a->show == PROBE_SHOW_FUNCTION) {
		textbuf_addf(tb, " (void *)%.*s", len, what);
		return;
	}
	if (a->show == PROBE_SHOW_FLAGS) {
		textbuf_addf(tb, " __print_flags(%.*s, \"|\"", len, what);
		add_names(a, tb);
	} else {
		textbuf_addf(tb, " __print_symbolic(%.*s", len, what);
		if (a->show == PROBE_SHOW_BOOL)
			textbuf_add_str(tb, ", { 0, \"false\" }, { 1, \"true\" }");
		else
			add_names(a, tb);
	}
	textbuf_add_char(tb, ')');
}

/* Returns the length of the conversion at s, which begins with '%'. */
static size_t conversion_length(const char *s, const char *end)
{
	const char *p = s + 1;

	while (p < end && strchr("-+ #0123456789.*lhzjtLq", *p))
		p++;
	if (p < end && *p == 'p')
		while (p + 1 < end && strchr("SsFfBKx", p[1]))
			p++;
	return p < end ? (size_t)(p + 1 - s) : (size_t)(p - s);
}

static const char *conversion_for(const struct probe_arg *a)
{
	switch (show_of(a)) {
	case PROBE_SHOW_FUNCTION:
		return "%pS";
	case PROBE_SHOW_SIGNED:
		return bits_of(a) > 32 ? "%Ld" : "%d";
	case PROBE_SHOW_BIG_ENDIAN:
	case PROBE_SHOW_WORD:
		return "%Lu";
	case PROBE_SHOW_FLOAT: /* a reader that does not know the field's type shows the bits */
		return "%#Lx";
	case PROBE_SHOW_HEX:
		return "0x%Lx";
	default:
		return "%s";
	}
}

/* Removes the "0x" that the kernel writes before a value, if the value is not shown in hex. */
static bool drop_prefix(struct textbuf *tb)
{
	if (tb->overflow || textbuf_len(tb) < 2 || memcmp(tb->pos - 2, "0x", 2) != 0)
		return false;
	tb->pos -= 2;
	return true;
}

static bool is_guard(const struct probe *p, struct part value)
{
	const struct probe_arg *a = text_of(p, value);

	return a && a->is_guard;
}

/* Removes ' name=\"' before a guard's conversion. */
static void drop_name(const char *name, struct textbuf *tb)
{
	size_t len = strlen(name) + 4;

	if (!tb->overflow && textbuf_len(tb) >= len && !strncmp(tb->pos - len, " ", 1) &&
	    !strncmp(tb->pos - len + 1, name, len - 4) && !strncmp(tb->pos - 3, "=\\\"", 3))
		tb->pos -= len;
}

/*
 * Returns true if the value is the place of the hit, and is to be shown by name: for a probe on
 * many functions of the kernel "(ffffffff81f61e70)" would not show which one. Functions that share
 * a name are probed by address (resolve/namesakes.c), and only the address distinguishes them.
 */
static bool is_place(const struct probe *p, struct part value)
{
	static const char *const names[] = {"REC->__probe_ip", "REC->__probe_func"};

	if (p->n_places < 2 || p->kind == PROBE_UPROBE || p->kind == PROBE_URETPROBE)
		return false;
	for (size_t i = 0; i < p->n_places; i++)
		if (!strncmp(p->places[i].text, "_text+", 6))
			return false;
	while (value.len && *value.at == ' ')
		value.at++, value.len--;
	return ARRAY_ANY(ARRAY_LEN(names), i,
			 value.len == strlen(names[i]) && !strncmp(value.at, names[i], value.len));
}

/* Copies the text between quotes. Returns its end, after the closing quote. */
static const char *fmt_text(const struct probe *p, const char *s, const char *end,
			    const char *close, struct textbuf *tb)
{
	unsigned n = 0;

	while (s < close) {
		size_t len = 1;

		if (*s == '%' && s + 1 < close && s[1] != '%') {
			struct part value = nth_expression(close + 1, end, n++);
			const struct probe_arg *a = arg_of(p, value), *text = text_of(p, value);
			const struct probe_arg *maybe = any_arg_of(p, value);
			bool is_bare = s[-1] == '=' && text;
			unsigned limit = text_limit(text);

			len = conversion_length(s, close);
			if (is_guard(p, value)) {
				drop_name(text->name, tb);
				s += len;
				s += s + 1 < close && !strncmp(s, "\\\"", 2) ? 2 : 0;
				continue;
			}
			if (is_place(p, value)) {
				textbuf_add_str(tb, "%ps");
				s += len;
				continue;
			}
			if (a) {
				drop_prefix(tb);
				textbuf_add_str(tb, conversion_for(a));
				s += len;
				continue;
			}
			/* otherwise the text would be 0x? */
			if (maybe && maybe->has_gaps && drop_prefix(tb)) {
				textbuf_addf(tb, "%%#%.*s", (int)len - 1, s + 1);
				s += len;
				continue;
			}
			if (limit && len == 2) {
				textbuf_addf(tb, is_bare ? "\\\"%%.%us\\\"" : "%%.%us", limit);
				s += len;
				continue;
			}
			if (is_bare) { /* a synthetic event has no quotes around its texts */
				textbuf_addf(tb, "\\\"%.*s\\\"", (int)len, s);
				s += len;
				continue;
			}
		} else if ((*s == '%' || *s == '\\') && s + 1 < close) {
			len = 2;
		}
		textbuf_add(tb, s, len);
		s += len;
	}
	textbuf_add_char(tb, '"');
	return close + 1;
}

/* Changes __get_str(names[0]) to __get_str(names__0). Returns false for another expression. */
static bool fmt_element(struct part e, struct textbuf *tb)
{
	const char *get = memmem(e.at, e.len, "__get_str(", 10), *end = e.at + e.len;
	const char *open = get ? memchr(get, '[', end - get) : NULL;
	const char *close = open ? memchr(open, ']', end - open) : NULL;

	if (!close)
		return false;
	textbuf_addf(tb, "%.*s__%.*s%.*s", (int)(open - e.at), e.at, (int)(close - open - 1),
		     open + 1, (int)(end - close - 1), close + 1);
	return true;
}

static const char *fmt_expressions(const struct probe *p, const char *s, const char *end,
				   struct textbuf *tb)
{
	while (s < end && *s == ',') {
		struct part e = {s + 1, expression_length(s + 1, end)};
		const struct probe_arg *a = arg_of(p, e);

		s = e.at + e.len;
		if (is_guard(p, e))
			continue;
		textbuf_add_char(tb, ',');
		if (a)
			add_expression(a, e, tb);
		else if (is_place(p, e))
			textbuf_addf(tb, " (void *)%.*s", (int)(e.len - 1), e.at + 1);
		else if (!fmt_element(e, tb))
			textbuf_add(tb, e.at, e.len);
	}
	return s;
}

/* Returns the new name of a field's type, from which readers know its contents. */
static const char *type_name(const struct probe_arg *a, char bits[16])
{
	unsigned n = bytes_of(a);

	if (probe_arg_is_signed_bits(a)) {
		snprintf(bits, 16, "s%u", bits_of(a));
		return bits;
	}
	if (a->show == PROBE_SHOW_FLOAT)
		return n == 4 ? "float" : "double";
	if (a->show == PROBE_SHOW_BIG_ENDIAN)
		return n == 2 ? "be16" : n == 4 ? "be32" : "be64";
	if (a->show == PROBE_SHOW_WORD)
		return "word";
	return NULL;
}

/*
 * Writes "\tfield:s32 nums[];" with the new or old name of the type, and with the length of an
 * array.
 */
static void fmt_field(const struct probe *p, struct part declaration, struct textbuf *tb)
{
	const char *at = declaration.at, *end = at + declaration.len, *name = end;
	bool is_array = declaration.len > 2 && !strncmp(end - 2, "[]", 2);
	const char *type = NULL, *length = NULL, *brackets;
	const struct probe_arg *a;
	char bits[16];

	if (is_array)
		name = end -= 2;
	while (name > at && name[-1] != ' ' && name[-1] != '\t')
		name--;
	a = probe_find_arg(p, name, end - name);
	if (a)
		type = type_name(a, bits);
	if (a && a->has_gaps)
		textbuf_add_str(tb, "maybe ");
	if (a && is_array)
		length = strrchr(a->fetch, '[');
	brackets = text_limit(a) ? memmem(at, end - at, "[] ", 3) : NULL;
	if (brackets)
		textbuf_addf(tb, "%.*s[%u]%.*s", (int)(brackets - at), at, text_limit(a),
			     (int)(end - brackets - 2), brackets + 2);
	else if (type)
		textbuf_addf(tb, "%s %.*s", type, (int)(end - name), name);
	else
		textbuf_add(tb, at, end - at);
	if (is_array)
		textbuf_add_str(tb, length ? length : "[]");
}

static const struct probe_arg *declared_arg(const struct probe *p, const char *at, const char *end)
{
	const char *name = memrchr(at, ' ', end - at);

	return name ? probe_find_arg(p, name + 1, end - name - 1) : NULL;
}

static bool declares_guard(const struct probe *p, const char *at, const char *end)
{
	const struct probe_arg *a = declared_arg(p, at, end);

	return a && a->is_guard;
}

static bool declares_half(const struct probe *p, const char *at, const char *end)
{
	const struct probe_arg *a = declared_arg(p, at, end);

	return a && a->show == PROBE_SHOW_FLOAT && is_bits(a) && bits_of(a) == 32;
}

/*
 * Returns the number of texts in "__data_loc char[][2] names" of a line; 0 if it is not an array of
 * texts.
 */
static unsigned count_texts(struct part declaration)
{
	static const char head[] = "__data_loc char[][";

	return declaration.len > strlen(head) && !strncmp(declaration.at, head, strlen(head))
		       ? strtoul(declaration.at + strlen(head), NULL, 10)
		       : 0;
}

/* Writes one field for each text. Each has its own 4 bytes in the record. */
static void fmt_texts(struct part declaration, const char *eol, unsigned n, struct textbuf *tb)
{
	const char *name = memrchr(declaration.at, ' ', declaration.len);
	const char *end = declaration.at + declaration.len;
	const char *offset = memmem(end, eol - end, "offset:", 7);
	unsigned long at = offset ? strtoul(offset + 7, NULL, 10) : 0;

	for (unsigned i = 0; name && i < n && i < MAX_TEXTS; i++)
		textbuf_addf(
			tb,
			"\tfield:__data_loc char[] %.*s__%u;\toffset:%lu;\tsize:4;\tsigned:0;\n",
			(int)(end - name - 1), name + 1, i, at + 4 * i);
}

/*
 * Writes "\toffset:16;\tsize:8;" for a float in half a register, which has the lower 4 of its 8
 * bytes. Returns the text after it.
 */
static const char *fmt_half(const char *s, const char *eol, struct textbuf *tb)
{
	static const char size[] = "\tsize:8;";
	const char *at = memmem(s, eol - s, size, strlen(size));

	if (!at || __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__)
		return s;
	textbuf_add(tb, s, at - s);
	textbuf_add_str(tb, "\tsize:4;");
	return at + strlen(size);
}

/*
 * Writes the fields, with the lengths of arrays and with types that describe their contents, and
 * without guards.
 */
static void fmt_fields(const struct probe *p, const char *s, const char *end, struct textbuf *tb)
{
	static const char head[] = "\tfield:";
	const char *field;

	while ((field = memmem(s, end - s, head, strlen(head)))) {
		const char *close, *line = field, *eol;

		field += strlen(head);
		close = memchr(field, ';', end - field);
		if (!close)
			break;
		eol = memchr(close, '\n', end - close);
		if (eol && declares_guard(p, field, close)) {
			textbuf_add(tb, s, line - s);
			s = eol + 1;
			continue;
		}
		if (eol && count_texts((struct part){field, close - field})) {
			textbuf_add(tb, s, line - s);
			fmt_texts((struct part){field, close - field}, eol,
				  count_texts((struct part){field, close - field}), tb);
			s = eol + 1;
			continue;
		}
		textbuf_add(tb, s, field - s);
		fmt_field(p, (struct part){field, close - field}, tb);
		s = eol && declares_half(p, field, close) ? fmt_half(close, eol, tb) : close;
	}
	textbuf_add(tb, s, end - s);
}

/* Finds the text of the print format, and its closing quote. Returns NULL if there is none. */
static const char *find_text(const char *format, const char *end, const char **ret_close)
{
	static const char head[] = "print fmt: \"";
	const char *s = memmem(format, end - format, head, strlen(head)), *close;

	if (!s)
		return NULL;
	s += strlen(head);
	for (close = s; close < end && *close != '"'; close++)
		if (*close == '\\' && close + 1 < end)
			close++;
	*ret_close = close;
	return close < end ? s : NULL;
}

static bool is_of_field(struct part e, const char *field)
{
	static const char get[] = "REC->";
	const char *at = memmem(e.at, e.len, get, strlen(get)), *end = e.at + e.len;
	size_t len = strlen(field);

	if (!at || (size_t)(end - at) < strlen(get) + len || strncmp(at + strlen(get), field, len))
		return false;
	at += strlen(get) + len;
	return (at == end || *at == ' ' || *at == ')') && !memmem(at, end - at, get, strlen(get));
}

bool probe_format_shows_code(const char *format, const char *field)
{
	const char *end = format + strlen(format), *close;
	const char *s = find_text(format, end, &close);
	unsigned n = 0;

	for (size_t len; s && s < close; s += len) {
		len = 1;
		if (*s == '%' && s + 1 < close && s[1] == '%') {
			len = 2;
		} else if (*s == '%') {
			len = conversion_length(s, close);
			if (is_of_field(nth_expression(close + 1, end, n++), field) && len >= 3 &&
			    s[len - 2] == 'p' && strchr("SsFf", s[len - 1]))
				return true;
		}
	}
	return false;
}

void probe_fmt_format(const struct probe *p, const char *format, size_t len, struct textbuf *tb)
{
	const char *end = format + len, *close, *s = find_text(format, end, &close);

	if (!s) {
		textbuf_add(tb, format, len);
		return;
	}
	fmt_fields(p, format, s, tb);
	s = fmt_text(p, s, end, close, tb);
	s = fmt_expressions(p, s, end, tb);
	textbuf_add(tb, s, end - s);
}

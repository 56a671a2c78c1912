// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * probe_format.c - the kernel's print format of a probe's event, with names for its numbers.
 *
 * The kernel writes:
 *
 *	print fmt: "(%lx) state=%u flags=%u", REC->__probe_ip, REC->state, REC->flags
 *
 * and with what the debug information says it becomes what any reader of trace.dat understands:
 *
 *	print fmt: "(%lx) state=%s flags=%s", REC->__probe_ip,
 *		__print_symbolic(REC->state, {0, "TASK_RUNNING"}, …), __print_flags(REC->flags, "|", {1, …})
 *
 * An array's length is missing in the kernel's text ("field:s32 a[];"), and then nobody can tell how long an
 * element is; it is put in.
 *
 * A conversion in the text and an expression behind it belong together by their number. What is not
 * understood is copied as it is.
 */
#include "base/textbuf.h"
#include "probe/probe.h"

#include <stdlib.h>
#include <string.h>

#define MAX_NAMES 256 /* of one enum */

struct part {
	const char *at;
	size_t len;
};

/* Readers print a signed field of 1 or 2 bytes without its sign, trace-cmd too. */
static enum probe_show show_of(const struct probe_arg *a)
{
	const char *type = a->fetch ? strrchr(a->fetch, ':') : NULL;

	if (a->show == PROBE_SHOW_AS_IS && type && (!strcmp(type, ":s8") || !strcmp(type, ":s16")))
		return PROBE_SHOW_SIGNED;
	return a->show;
}

/* One value of the format: "REC->state". NULL if it is not an argument that is shown by name. */
static const struct probe_arg *arg_of(const struct probe *p, struct part e)
{
	static const char prefix[] = "REC->";

	while (e.len && *e.at == ' ')
		e.at++, e.len--;
	if (e.len <= strlen(prefix) || strncmp(e.at, prefix, strlen(prefix)))
		return NULL;
	e.at += strlen(prefix);
	e.len -= strlen(prefix);
	for (size_t i = 0; i < p->n_args; i++)
		if (strlen(p->args[i].name) == e.len && !strncmp(p->args[i].name, e.at, e.len))
			return show_of(&p->args[i]) == PROBE_SHOW_AS_IS ? NULL : &p->args[i];
	return NULL;
}

/* The length of the expression at s: up to a comma outside parentheses and quotes, or the line's end. */
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

/* The n-th expression behind the text. */
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

static void add_names(const struct probe_arg *a, struct textbuf *tb)
{
	struct type_enumerator e;
	struct type_facts f;
	uint64_t mask;

	/* readers take fields as unsigned numbers: -1 of four bytes is 4294967295 */
	type_get(a->type, &f);
	mask = f.n_bytes && f.n_bytes < 8 ? UINT64_MAX >> (64 - 8 * f.n_bytes) : UINT64_MAX;
	for (unsigned i = 0; i < MAX_NAMES && type_enumerator(a->type, i, &e) >= 0; i++) {
		if (a->show == PROBE_SHOW_FLAGS && !e.value)
			continue;
		textbuf_addf(tb, ", { %llu, \"%s\" }", (unsigned long long)(e.value & mask),
			     e.name);
	}
}

/*
 * The sign is the highest of the bits: "…:b12@3/32" has 12, "…:s8" has 8. Readers do not all know ^, nor do they keep to
 * parentheses within a sum; a choice all of them get right.
 */
static void add_signed(const struct probe_arg *a, struct textbuf *tb)
{
	const char *type = strrchr(a->fetch, ':');
	bool is_known = type && (type[1] == 'b' || type[1] == 's');
	unsigned n = is_known ? strtoul(type + 2, NULL, 10) : 0;
	unsigned long long sign = n && n <= 64 ? 1ull << (n - 1) : 0;

	textbuf_addf(tb, " (REC->%s & %llu) ? REC->%s - %llu : REC->%s", a->name, sign, a->name,
		     2 * sign, a->name);
}

static void add_expression(const struct probe_arg *a, struct textbuf *tb)
{
	if (show_of(a) == PROBE_SHOW_SIGNED) {
		add_signed(a, tb);
		return;
	}
	if (a->show == PROBE_SHOW_FUNCTION) {
		textbuf_addf(tb, " (void *)REC->%s", a->name);
		return;
	}
	if (a->show == PROBE_SHOW_FLAGS) {
		textbuf_addf(tb, " __print_flags(REC->%s, \"|\"", a->name);
		add_names(a, tb);
	} else {
		textbuf_addf(tb, " __print_symbolic(REC->%s", a->name);
		if (a->show == PROBE_SHOW_BOOL)
			textbuf_add_str(tb, ", { 0, \"false\" }, { 1, \"true\" }");
		else
			add_names(a, tb);
	}
	textbuf_add_char(tb, ')');
}

/* The length of the conversion at s, which begins with '%'. */
static size_t conversion_length(const char *s, const char *end)
{
	const char *p = s + 1;

	while (p < end && strchr("-+ #0123456789.lhzjtLq", *p))
		p++;
	if (p < end && *p == 'p')
		while (p + 1 < end && strchr("SsFfBKx", p[1]))
			p++;
	return p < end ? (size_t)(p + 1 - s) : (size_t)(p - s);
}

static const char *conversion_for(enum probe_show show)
{
	return show == PROBE_SHOW_FUNCTION ? "%pS" : show == PROBE_SHOW_SIGNED ? "%d" : "%s";
}

/* Copies the text between quotes; returns its end, behind the closing quote. */
static const char *fmt_text(const struct probe *p, const char *s, const char *end,
			    const char *close, struct textbuf *tb)
{
	unsigned n = 0;

	while (s < close) {
		size_t len = 1;

		if (*s == '%' && s + 1 < close && s[1] != '%') {
			const struct probe_arg *a = arg_of(p, nth_expression(close + 1, end, n++));

			len = conversion_length(s, close);
			if (a) {
				textbuf_add_str(tb, conversion_for(show_of(a)));
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

static const char *fmt_expressions(const struct probe *p, const char *s, const char *end,
				   struct textbuf *tb)
{
	while (s < end && *s == ',') {
		struct part e = {s + 1, expression_length(s + 1, end)};
		const struct probe_arg *a = arg_of(p, e);

		textbuf_add_char(tb, ',');
		if (a)
			add_expression(a, tb);
		else
			textbuf_add(tb, e.at, e.len);
		s = e.at + e.len;
	}
	return s;
}

/* The number of elements that an argument was given: "s32[4]"; NULL if it is no array. */
static const char *find_length(const struct probe *p, const char *name, size_t len)
{
	for (size_t i = 0; i < p->n_args; i++)
		if (strlen(p->args[i].name) == len && !strncmp(p->args[i].name, name, len))
			return strrchr(p->args[i].fetch, '[');
	return NULL;
}

/* The fields, with the lengths of arrays. */
static void fmt_fields(const struct probe *p, const char *s, const char *end, struct textbuf *tb)
{
	const char *open;

	while ((open = memmem(s, end - s, "[];", 3))) {
		const char *name = open, *length;

		while (name > s && name[-1] != ' ' && name[-1] != '\t')
			name--;
		length = find_length(p, name, open - name);
		textbuf_add(tb, s, open - s);
		textbuf_add_str(tb, length ? length : "[]");
		s = open + 2;
	}
	textbuf_add(tb, s, end - s);
}

void probe_fmt_format(const struct probe *p, const char *format, size_t len, struct textbuf *tb)
{
	static const char head[] = "print fmt: \"";
	const char *end = format + len, *s = memmem(format, len, head, strlen(head)), *close;

	if (!s) {
		textbuf_add(tb, format, len);
		return;
	}
	s += strlen(head);
	for (close = s; close < end && *close != '"'; close++)
		if (*close == '\\' && close + 1 < end)
			close++;
	if (close >= end) {
		textbuf_add(tb, format, len);
		return;
	}
	fmt_fields(p, format, s, tb);
	s = fmt_text(p, s, end, close, tb);
	s = fmt_expressions(p, s, end, tb);
	textbuf_add(tb, s, end - s);
}

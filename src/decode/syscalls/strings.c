// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * strings.c - bytes of a program as quoted text: strings, paths, buffers, argument lists.
 *
 * As in strace: printable characters stay, others are octal with as few digits as possible (three
 * if a digit follows); -x writes a whole string in hex if it is not ASCII text, -xx every string. A
 * string or buffer ends at the limit (-s), with "..." behind it; a path does not.
 */
#include "base/textbuf.h"
#include "decode/syscalls/text_int.h"
#include "store/events/syscallevents.h"
#include "symbols/syscalls/types.h"

#include <ctype.h>

static bool is_text(const uint8_t *b, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!((b[i] >= ' ' && b[i] < 0x7f) || (b[i] >= '\t' && b[i] <= '\r')))
			return false;
	return true;
}

static void add_escaped(struct printing *p, const uint8_t *b, size_t n, size_t i)
{
	static const char letters[] = "\"\"\\\\\ff\nn\rr\tt\vv";
	char *t = textbuf_reserve(p->tb, 8);
	uint8_t c = b[i];

	for (const char *l = letters; *l; l += 2) {
		if ((uint8_t)*l != c)
			continue;
		*t++ = '\\';
		*t++ = l[1];
		textbuf_commit(p->tb, t);
		return;
	}
	if (c >= ' ' && c < 0x7f) {
		*t++ = c;
		textbuf_commit(p->tb, t);
		return;
	}
	*t++ = '\\';
	if (i + 1 < n && b[i + 1] >= '0' && b[i + 1] <= '7') {
		*t++ = '0' + (c >> 6);
		*t++ = '0' + (c >> 3 & 7);
	} else {
		if (c >> 6)
			*t++ = '0' + (c >> 6);
		if (c >> 3)
			*t++ = '0' + (c >> 3 & 7);
	}
	*t++ = '0' + (c & 7);
	textbuf_commit(p->tb, t);
}

void fmt_quoted(struct printing *p, const uint8_t *b, size_t n)
{
	static const char digits[] = "0123456789abcdef";
	bool hex = p->o->hex_strings > 1 || (p->o->hex_strings && !is_text(b, n));

	textbuf_add_char(p->tb, '"');
	for (size_t i = 0; i < n; i++) {
		if (hex) {
			char t[4] = {'\\', 'x', digits[b[i] >> 4], digits[b[i] & 15]};

			textbuf_add(p->tb, t, 4);
		} else {
			add_escaped(p, b, n, i);
		}
	}
	textbuf_add_char(p->tb, '"');
}

static uint32_t limit(const struct printing *p)
{
	return p->o->string_limit;
}

void fmt_bytes(struct printing *p, uint64_t address, uint64_t n)
{
	size_t shown = n < limit(p) ? n : limit(p), got;
	const uint8_t *b;
	uint8_t flags;

	if (!address) {
		add(p, "NULL");
		return;
	}
	if (!shown) {
		add(p, n ? "\"\"..." : "\"\"");
		return;
	}
	b = peek_some(p, address, shown, &got, &flags);
	if (!b || (got < shown && !(flags & SYSCALLEVENTS_CUT))) {
		fmt_addr(p, address);
		return;
	}
	fmt_quoted(p, b, got);
	if (got < n)
		add(p, "...");
}

void fmt_string(struct printing *p, uint64_t address, bool abbreviated)
{
	size_t max = abbreviated ? limit(p) + 1 : 4096, n, len;
	uint8_t flags;
	const uint8_t *b;

	if (!address) {
		add(p, "NULL");
		return;
	}
	b = peek_some(p, address, max, &n, &flags);
	if (!b) {
		fmt_addr(p, address);
		return;
	}
	len = strnlen((const char *)b, n);
	if (len == n && n < max && !(flags & SYSCALLEVENTS_CUT)) {
		fmt_addr(p, address); /* it runs into memory that could not be read */
		return;
	}
	if (abbreviated && len > limit(p)) {
		fmt_quoted(p, b, limit(p));
		add(p, "...");
		return;
	}
	fmt_quoted(p, b, len);
	if (len == n)
		add(p, "...");
}

static void fmt_chars(struct printing *p, const uint8_t *b, size_t n)
{
	size_t len = strnlen((const char *)b, n);

	fmt_quoted(p, b, len);
	if (len == n)
		add(p, "...");
}

void sysfmt_str(struct printing *p, const struct systype *t, uint64_t v)
{
	fmt_string(p, v, true);
}

void sysfmt_path(struct printing *p, const struct systype *t, uint64_t v)
{
	fmt_string(p, v, false);
}

void sysfmt_chars(struct printing *p, const struct systype *t, uint64_t v)
{
	const uint8_t *b = peek(p, v, t->n);

	if (b)
		fmt_chars(p, b, t->n);
	else
		fmt_addr(p, v);
}

/* The number of bytes is an argument at the entry, and the result at the exit. */
void sysfmt_buf(struct printing *p, const struct systype *t, uint64_t v)
{
	uint64_t n = arg_of(p, t->arg);

	if (p->when == SYSCALLEVENTS_AT_EXIT)
		n = (uint64_t)p->call->ret < n ? (uint64_t)p->call->ret : n;
	fmt_bytes(p, v, n);
}

void sysfmt_cwd(struct printing *p, const struct systype *t, uint64_t v)
{
	if (!begin_written(p, v))
		return;
	fmt_string(p, v, false);
}

void sysfmt_argv(struct printing *p, const struct systype *t, uint64_t v)
{
	uint64_t s;

	if (!v || !peek_u64(p, v, &s)) {
		fmt_addr(p, v);
		return;
	}
	textbuf_add_char(p->tb, '[');
	for (unsigned i = 0; s; i++) {
		if (i)
			add(p, ", ");
		if (i >= limit(p) && !p->is_verbose) {
			add(p, "...");
			break;
		}
		fmt_string(p, s, true);
		v += 8;
		if (!peek_u64(p, v, &s)) {
			add(p, ", ");
			add(p, "...");
			textbuf_addf(p->tb, " /* %#llx */", (unsigned long long)v);
			break;
		}
	}
	textbuf_add_char(p->tb, ']');
}

void sysfmt_envp(struct printing *p, const struct systype *t, uint64_t v)
{
	uint64_t s;
	unsigned n = 0;

	if (p->is_verbose) {
		sysfmt_argv(p, t, v);
		return;
	}
	fmt_addr(p, v);
	if (!v)
		return;
	while (n < 65536 && peek_u64(p, v + 8 * n, &s) && s)
		n++;
	if (!peek_u64(p, v + 8 * n, &s)) {
		add(p, n ? " /* many vars, unterminated */" : "");
		return;
	}
	textbuf_addf(p->tb, n == 1 ? " /* %u var */" : " /* %u vars */", n);
}

/* Random bytes are shown in hex, even if they are text. */
void sysfmt_hexbuf(struct printing *p, const struct systype *t, uint64_t v)
{
	struct syscalltext_options hex = *p->o;
	const struct syscalltext_options *o = p->o;

	hex.hex_strings = 2;
	p->o = &hex;
	sysfmt_buf(p, t, v);
	p->o = o;
}

// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * printfmt.c - splits a printf format string into text and conversions.
 *
 *  "comm=%s state=%lx%%\n"  ─▶  TEXT "comm="  STRING "%s"  TEXT " state="  NUMBER "%lx"  TEXT "%\n"
 *
 * Supported: flags # - 0, width, precision, `*` for one of them, h l L z Z, and d u i x X o p s.
 * Pointers include the kernel's letters (%pS, %pI6c, %pUb, %*phC …). Any other conversion character
 * is shown as ">c<", and a conversion without an argument makes the event's format unusable. Event
 * formats are split once, trace_printk() formats once per format string. The kernel has checked
 * trace_printk() formats, so %c is supported in them. If a record of trace_printk() ends too early,
 * the conversion's letter is shown, and the rest of the format is still printed.
 */
#include "base/arena.h"
#include "decode/formats/event_int.h"

#include <string.h>

#define CONVERSION_MAX 31
#define SEGMENTS_MAX   8192

struct splitter {
	struct event *ev;
	struct arena *arena;
	struct arg *args;
	struct segment **link;
	unsigned n_segments;
	bool failed;
	bool is_printk;
	bool missing; /* is_printk: the last conversion had no argument */
};

static void add_segment(struct splitter *sp, struct segment s, size_t len)
{
	struct segment *seg = arena_alloc(sp->arena, sizeof(*seg));
	char *text = arena_strndup(sp->arena, s.text, len);

	if (!seg || !text || ++sp->n_segments > SEGMENTS_MAX) {
		sp->failed = true;
		return;
	}
	*seg = s;
	seg->text = text;
	seg->len = len;
	seg->next = NULL;
	*sp->link = seg;
	sp->link = &seg->next;
}

static struct arg *take_arg(struct splitter *sp)
{
	struct arg *a = sp->args;

	if (a)
		sp->args = a->next;
	else if (sp->is_printk)
		sp->missing = true;
	else
		sp->failed = true;
	return a;
}

/* Returns how many letters after %p belong to it. */
static size_t pointer_letters(const char *f)
{
	size_t i = 2;

	switch (f[0]) {
	case 'F':
	case 'S':
	case 'f':
	case 's':
		return 1;
	case 'M':
	case 'm':
		return f[1] == 'R' || f[1] == 'F' ? 2 : 1;
	case 'I':
	case 'i':
		if (f[1] == 'S') {
			while (f[i] && strchr("pfs", f[i]))
				i++;
			if (f[i] && strchr("hnlb", f[i]))
				i++;
			return i + (f[i] == 'c');
		}
		if (f[1] == '4')
			return f[i] && strchr("hnlb", f[i]) ? 3 : 2;
		if (f[1] == '6')
			return f[i] == 'c' ? 3 : 2;
		return 1;
	case 'U':
		return f[1] && strchr("LlBb", f[1]) ? 2 : 1;
	case 'h':
		return f[1] && strchr("CDN", f[1]) ? 2 : 1;
	}
	return 0;
}

static void add_conversion(struct splitter *sp, struct segment s, const char *start, size_t len)
{
	s.arg = take_arg(sp);
	s.text = start;
	if (len > CONVERSION_MAX) {
		sp->failed = true;
		len = CONVERSION_MAX;
	}
	if (s.kind == SEGMENT_NUMBER && (s.size_class < -2 || s.size_class > 2))
		sp->failed = true;
	if (s.arg)
		add_segment(sp, s, len);
}

/* Splits the conversion that begins at the '%' at f. Returns the position after it. */
static const char *split_conversion(struct splitter *sp, const char *f)
{
	const char *start = f++, *letter;
	struct segment s = {.kind = SEGMENT_TEXT};

	sp->missing = false;
	for (; *f && !sp->failed; f++) {
		if (strchr("#.-0123456789", *f))
			continue;
		letter = f;
		switch (*f) {
		case 'h':
			s.size_class--;
			continue;
		case 'l':
			s.size_class++;
			continue;
		case 'L':
			s.size_class = 2;
			continue;
		case 'z':
		case 'Z':
			s.size_class = 1;
			continue;
		case '*':
			if (s.width_arg)
				sp->failed = true;
			s.width_arg = take_arg(sp);
			if (sp->missing)
				return f;
			continue;
		case 'p':
			f += pointer_letters(f + 1);
			s.kind = SEGMENT_POINTER;
			break;
		case 's':
			s.kind = SEGMENT_STRING;
			break;
		case 'd':
		case 'u':
		case 'i':
		case 'x':
		case 'X':
		case 'o':
			s.kind = SEGMENT_NUMBER;
			break;
		default:
			if (sp->is_printk && *f == 'c') {
				s.kind = SEGMENT_STRING;
				break;
			}
			if (*f == 'c' && event_is_probe(sp->ev)) {
				s.kind = SEGMENT_NUMBER;
				break;
			}
			s.text = (char[]){'>', *f, '<', 0};
			add_segment(sp, s, 3);
			return f + 1;
		}
		add_conversion(sp, s, start, f + 1 - start);
		return sp->missing ? letter : f + 1;
	}
	return f;
}

/* Returns the end of the text at f, which is before the next conversion. */
static const char *text_end(const char *f)
{
	for (; *f && (*f != '%' || f[1] == '%'); f++)
		if (f[1] && (*f == '%' || *f == '\\'))
			f++;
	return f;
}

/* Copies text up to the next conversion, and resolves its escapes. */
static const char *split_text(struct splitter *sp, const char *f)
{
	char *text = arena_alloc(sp->arena, text_end(f) - f + 1), *p = text;

	if (!text) {
		sp->failed = true;
		return "";
	}
	for (; *f; f++) {
		if (*f == '%') {
			if (f[1] != '%')
				break;
			f++;
		}
		if (*f != '\\' || !f[1]) {
			if (*f != '\\')
				*p++ = *f;
			continue;
		}
		f++;
		*p++ = *f == 'n' ? '\n' : *f == 't' ? '\t' : *f == 'r' ? '\r' : *f;
	}
	add_segment(sp, (struct segment){.kind = SEGMENT_TEXT, .text = text}, p - text);
	return f;
}

struct segment *printfmt_split(struct event *ev, const char *format, struct arg *args,
			       struct arena *arena, bool *ret_failed)
{
	struct segment *list = NULL;
	struct splitter sp = {
		.ev = ev, .arena = arena, .args = args, .link = &list, .is_printk = !ret_failed};

	while (*format && !sp.failed)
		format = *format == '%' && format[1] != '%' ? split_conversion(&sp, format)
							    : split_text(&sp, format);
	if (ret_failed)
		*ret_failed = sp.failed;
	return list;
}

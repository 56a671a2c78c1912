// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * raw.c - recognizes the kernel's own grammar, which is passed through.
 *
 *	p:grp/name vfs_read+0x10 count=%dx:u64 if count > 4
 *	││ └──┬──┘ └──────────┬──────────────┘ └── filter
 *	││  names           rest
 *	│└ colon
 *	└ p, r, f, e or t; r and f may have a number: the maximum of active calls
 *
 * Only the parts are parsed that are needed to recognize such a line, and to name and filter its
 * event. The condition of an eprobe belongs to the line; for other kinds it becomes the event's
 * filter.
 */
#include "base/arena.h"
#include "probe/definition/definition_int.h"

#include <string.h>

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

bool definition_is_raw(const char *text)
{
	const char *s = text;

	if (!*s || !strchr("prfet-", *s))
		return false;
	if (*s++ == '-')
		return *s == ':';
	while (is_digit(*s))
		s++;
	if (*s == ':') {
		if (is_digit(s[1]))
			return false; /* this is a line number */
		while (*s && !definer_is_blank(*s))
			if (*s++ == '(')
				return false;
	} else if (strchr("fet", text[0]))
		/*
		 * this is the short name of a function; p and r alone are common in the kernel's
		 * grammar
		 */
		return false;
	if (!definer_is_blank(*s))
		return false;
	while (definer_is_blank(*s))
		s++;
	return *s != 0 && (strncmp(s, "if", 2) || definer_is_name_char(s[2]));
}

/* Finds " if " in a line that is not an eprobe. The kernel does not support it there. */
static size_t find_filter(const char *text)
{
	for (size_t i = 0; text[i]; i++)
		if (definer_is_blank(text[i]) && text[i + 1] == 'i' && text[i + 2] == 'f' &&
		    definer_is_blank(text[i + 3]))
			return i;
	return strlen(text);
}

static int take_rest(struct definer *p)
{
	struct definition *d = p->d;
	size_t start = p->pos, end = strlen(p->text), word;

	if (d->letter != 'e')
		end = start + find_filter(p->text + start);
	if (p->text[end]) {
		size_t at = end + 3;

		while (definer_is_blank(p->text[at]))
			at++;
		d->filter = arena_strndup(p->memory, p->text + at, strlen(p->text + at));
		d->filter_span = span_from(at, strlen(p->text));
		if (!d->filter || !d->filter[0])
			return definer_refuse(
				p, span_from(at, at),
				"the condition after 'if' is missing; write a filter");
	}
	while (end > start && definer_is_blank(p->text[end - 1]))
		end--;
	d->rest = arena_strndup(p->memory, p->text + start, end - start);
	d->rest_span = span_from(start, end);
	for (word = start; word < end && !definer_is_blank(p->text[word]);)
		word++;
	d->function = arena_strndup(p->memory, p->text + start, word - start);
	d->function_span = span_from(start, word);
	if (!d->rest || !d->function)
		return definer_no_memory(p);
	d->is_return = d->letter == 'r' || strstr(d->function, "%return");
	return 0;
}

int definition_parse_raw(struct definer *p)
{
	struct definition *d = p->d;
	uint64_t max_active = 0;
	size_t end;
	int r = 0;

	d->form = DEFINITION_RAW;
	d->letter = p->text[p->pos];
	if (d->letter == '-')
		return definer_refuse(p, span_from(p->pos, p->pos + 2),
				      "this line removes a probe; 'sonde probe del GROUP:EVENT' "
				      "does that");
	p->pos++;
	end = p->pos;
	while (is_digit(p->text[end]))
		end++;
	if (end > p->pos) {
		if (!strchr("rf", d->letter) || end - p->pos > 4)
			return definer_refuse(p, span_from(p->pos, end),
					      "this number is the maximum of active calls, up "
					      "to 4 digits; only r and f take one");
		for (; p->pos < end; p->pos++)
			max_active = 10 * max_active + p->text[p->pos] - '0';
	}
	d->max_active = max_active;
	if (p->text[p->pos] == ':') {
		for (end = ++p->pos; !definer_is_blank(p->text[end]);)
			end++;
		r = definer_names(p, p->pos, end);
		p->pos = end;
	}
	definer_skip_blanks(p);
	return r < 0 ? r : take_rest(p);
}

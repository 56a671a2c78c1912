// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * definition.c - parses the text of a probe, and points at errors in it.
 *
 *	[[GROUP:]EVENT=] PLACE ARGS [if FILTER]
 *
 *  PLACE   [TARGET:]FUNC[@SRC][:LINE|+OFFSET|%return[@N]|;PATTERN]     place.c
 *          [TARGET:]SRC:LINE   [TARGET:]SRC;PATTERN   [TARGET:]0xADDRESS   [TARGET:]%PROVIDER:MARK
 *  ARGS    (ARG, ARG…)  right after the place, or  ARG ARG…  after a blank    args.c
 *  ARG     [NAME=]EXPRESSION[:TYPE][@user]                               expression.c
 *  FILTER  a filter of the kernel; not parsed here
 *
 * In the place, a backslash removes the meaning of the next character. A first word such as
 * "p:my/ev" or "r16" is the kernel's own grammar, which is kept unchanged; write \p for a function
 * named p.
 *
 * The text has no line breaks (each line would be a separate command for the kernel) and at most
 * DEFINITION_MAX_BYTES. One arena, freed with the definition, owns everything.
 */
#include "probe/definition/definition_int.h"

#include "base/plain.h"
#include "base/scope.h"
#include "base/textbuf.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MEMORY_MAX_BYTES (1u << 20)

/*
 * --- small tools -------------------------------------------------------------------------------
 */

bool definer_is_blank(char c)
{
	return c == ' ' || c == '\t';
}

bool definer_is_name_start(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

bool definer_is_name_char(char c)
{
	return definer_is_name_start(c) || (c >= '0' && c <= '9');
}

void definer_skip_blanks(struct definer *p)
{
	while (definer_is_blank(p->text[p->pos]))
		p->pos++;
}

struct span span_from(size_t at, size_t end)
{
	return (struct span){.at = at, .len = end - at};
}

struct span definer_here(const struct definer *p)
{
	return span_from(p->pos, p->pos + (p->text[p->pos] != 0));
}

bool definer_at_word(const struct definer *p, const char *word)
{
	size_t len = strlen(word);

	return !strncmp(p->text + p->pos, word, len) &&
	       !definer_is_name_char(p->text[p->pos + len]);
}

const char *definer_unescape(struct definer *p, size_t at, size_t len)
{
	char *copy = arena_strndup(p->memory, p->text + at, len), *to = copy;

	for (const char *from = copy; from && *from; from++) {
		if (*from == '\\' && from[1])
			from++;
		*to++ = *from;
	}
	if (to)
		*to = 0;
	return copy;
}

bool definer_number(struct definer *p, uint64_t *ret_value)
{
	char *end;

	if (p->text[p->pos] < '0' || p->text[p->pos] > '9')
		return false;
	errno = 0;
	*ret_value = strtoull(p->text + p->pos, &end, 0);
	if (errno || definer_is_name_char(*end))
		return false;
	p->pos = end - p->text;
	return true;
}

/*
 * --- refusals ----------------------------------------------------------------------------------
 */

#define SENTENCE_MAX_BYTES 620
/* bytes of the text to show, so that they fit on a line of a terminal */
#define WINDOW_BYTES	   76
/* maximum of these bytes before the position, if the text is longer */
#define WINDOW_BEFORE	   44

static bool is_inner_byte(char c)
{
	return (c & 0xc0) == 0x80; /* a continuation byte of a UTF-8 character takes no column */
}

/* Finds the part of the text to show: [start, end). */
static void find_window(const char *text, size_t at, size_t *ret_start, size_t *ret_end)
{
	size_t len = strlen(text), start = 0, end = len;

	if (len > WINDOW_BYTES) {
		start = at > WINDOW_BEFORE ? at - WINDOW_BEFORE : 0;
		if (start + WINDOW_BYTES > len)
			start = len - WINDOW_BYTES;
		while (start && is_inner_byte(text[start]))
			start--;
		end = start + WINDOW_BYTES < len ? start + WINDOW_BYTES : len;
		while (end < len && is_inner_byte(text[end]))
			end++;
	}
	*ret_start = start;
	*ret_end = end;
}

static void add_picture(struct textbuf *tb, const char *text, struct span span)
{
	size_t len = strlen(text), start, end, at = span.at < len ? span.at : len;
	size_t stop = span.len < len - at ? at + span.len : len;

	find_window(text, at, &start, &end);
	textbuf_add_str(tb, start ? "\n  …" : "\n  ");
	for (size_t i = start; i < end; i++)
		textbuf_add_char(tb, (unsigned char)text[i] < ' ' ? ' ' : text[i]);
	textbuf_add_str(tb, end < len ? "…\n  " : "\n  ");
	if (start)
		textbuf_add_char(tb, ' ');
	for (size_t i = start; i < at; i++)
		if (!is_inner_byte(text[i]))
			textbuf_add_char(tb, ' ');
	textbuf_add_char(tb, '^');
	for (size_t i = at + 1; i < stop && i < end; i++)
		if (!is_inner_byte(text[i]))
			textbuf_add_char(tb, '~');
}

int definition_refuse_as(enum definition_reason reason, const char *text, struct span span,
			 struct errmsg *err, int code, const char *fmt, ...)
{
	char sentence[SENTENCE_MAX_BYTES];
	struct errmsg_spot spot = {.reason = reason, .at = span.at, .len = span.len};
	SCOPED(textbuf_release) struct textbuf tb = {.max_bytes = 4096};
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(sentence, sizeof(sentence), fmt, ap);
	va_end(ap);
	add_picture(&tb, text, span);
	textbuf_add(&tb, "", 1);
	spot.picture = tb.overflow ? NULL : tb.start;
	return errmsg_set_spot(err, code, &spot, "%s", sentence);
}

/*
 * --- the whole ---------------------------------------------------------------------------------
 */

static int refuse_without_memory(struct errmsg *err)
{
	return errmsg_set(err, -ENOMEM, "not enough memory for the definition of a probe");
}

static int check_bytes(const char *text, struct errmsg *err)
{
	const char *at;

	if (strlen(text) > DEFINITION_MAX_BYTES)
		return definition_refuse(text, (struct span){DEFINITION_MAX_BYTES, 1}, err, -E2BIG,
					 "the definition is longer than %d bytes; record less "
					 "in one probe, or make two probes",
					 DEFINITION_MAX_BYTES);
	at = plain_find(text);
	if (at)
		return definition_refuse(
			text, (struct span){at - text, 1}, err, -EINVAL,
			"the definition contains a line break or another control character; "
			"write it on one line");
	return 0;
}

static int parse_filter(struct definer *p)
{
	struct definition *d = p->d;
	size_t start, end = strlen(p->text);

	p->pos += 2;
	definer_skip_blanks(p);
	start = p->pos;
	while (end > start && definer_is_blank(p->text[end - 1]))
		end--;
	if (end == start)
		return definer_refuse(p, span_from(start, start),
				      "the condition after 'if' is missing; write a filter, as "
				      "in 'if count > 4096'");
	d->filter = arena_strndup(p->memory, p->text + start, end - start);
	d->filter_span = span_from(start, end);
	return d->filter ? 0 : refuse_without_memory(p->err);
}

static int parse_rest(struct definer *p)
{
	TRY(definition_parse_args(p));
	definer_skip_blanks(p);
	if (!p->text[p->pos])
		return 0;
	if (definer_at_word(p, "if"))
		return parse_filter(p);
	return definer_refuse(p, definer_here(p),
			      "only a condition can follow the closing parenthesis: 'if FILTER'");
}

static int parse(struct definer *p)
{
	definer_skip_blanks(p);
	if (!p->text[p->pos])
		return definer_refuse(p, definer_here(p),
				      "the definition is empty; name a function and what to "
				      "record, as in 'vfs_read(file, count)'");
	if (definition_is_raw(p->text + p->pos))
		return definition_parse_raw(p);
	TRY(definition_parse_place(p));
	return parse_rest(p);
}

int definition_parse(struct definition **ret_definition, const char *text, struct errmsg *err)
{
	struct arena *memory;
	struct definer p = {.err = err};
	int r = check_bytes(text, err);

	TRY(r);
	memory = malloc(sizeof(*memory));
	if (!memory)
		return refuse_without_memory(err);
	arena_init(memory, MEMORY_MAX_BYTES);
	p.memory = memory;
	p.d = arena_alloc(memory, sizeof(*p.d));
	if (p.d) {
		p.d->memory = memory;
		p.d->text = arena_strndup(memory, text, strlen(text));
		p.d->args = arena_alloc_array(memory, DEFINITION_MAX_ARGS, sizeof(*p.d->args));
	}
	if (p.d && p.d->text && p.d->args) {
		p.text = p.d->text;
		r = parse(&p);
	} else {
		r = refuse_without_memory(err);
	}
	if (r < 0) {
		arena_release(memory);
		free(memory);
		return r;
	}
	*ret_definition = p.d;
	return 0;
}

void definition_free(struct definition *d)
{
	struct arena *memory = d ? d->memory : NULL;

	if (!memory)
		return;
	arena_release(memory);
	free(memory);
}

/*
 * Returns true if the word can only be a definition. Names of events, systems and globs of them
 * consist of letters, digits, '_', '*', '?', '[…]', and one ':' or '/' between system and event.
 * Any other text, such as a line number or a path, is a definition.
 */
bool definition_is_one(const char *word)
{
	const char *colon;

	if (strpbrk(word, "( \t=+%@;.$\\"))
		return true;
	if (word[0] == '/' || !strncmp(word, "0x", 2))
		return true;
	colon = strrchr(word, ':');
	return colon && ((colon[1] >= '0' && colon[1] <= '9' && colon != word) ||
			 strchr(word, ':') != colon || memchr(word, '/', colon - word));
}

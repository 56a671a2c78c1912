// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * escaper.c - makes control characters of traced data visible before they reach a terminal.
 *
 * Any user can name a task, a file or a string in a probe so that it contains ESC ]0;… BEL, which
 * sets the title of the terminal that prints it, or worse. So text for a terminal passes through
 * here; escaper.h lists what is escaped.
 *
 * The text is split into units: a UTF-8 character, or one of sonde's own colours. `held` is the
 * beginning of a unit. With the next byte the unit is either complete (and passes or is escaped),
 * or still incomplete, or invalid. If it is invalid, its first byte is escaped and the rest is
 * examined again.
 *
 * Data may contain the same bytes as one of sonde's colours, and nothing can distinguish them
 * here. So every colour ends with its line. sonde always ends its own colours before that.
 *
 * The escaped form is not reversible (a backslash in the data is not escaped). It is for people;
 * programs read files and pipes, where nothing is escaped.
 */
#include "base/escaper.h"

#include "base/array.h"

#include <stdbool.h>
#include <string.h>

enum unit { UNIT_WRONG, UNIT_PART, UNIT_WHOLE };

static const char *const own_colours[] = {
	ESCAPER_OFF,   ESCAPER_BOLD,	  ESCAPER_DIM,	      ESCAPER_RED,
	ESCAPER_GREEN, ESCAPER_YELLOW,	  ESCAPER_CYAN,	      ESCAPER_MAGENTA,
	ESCAPER_GREY,  ESCAPER_LIGHT_RED, ESCAPER_LIGHT_BLUE,
};

static bool is_plain(unsigned char c)
{
	return (c >= 0x20 && c < 0x7f) || c == '\n' || c == '\t';
}

static enum unit judge_colour(const char *s, unsigned n)
{
	for (size_t i = 0; i < ARRAY_LEN(own_colours); i++)
		if (!strncmp(own_colours[i], s, n))
			return own_colours[i][n] ? UNIT_PART : UNIT_WHOLE;
	return UNIT_WRONG;
}

/*
 * Returns true if c may follow the lead byte. After some lead bytes the first continuation byte has
 * a narrower range, which excludes overlong forms, surrogates and C1.
 */
static bool is_second_of(unsigned char lead, unsigned char c)
{
	unsigned char low = 0x80, high = 0xbf;

	if (lead == 0xc2) /* lower values of c are U+0080 to U+009F */
		low = 0xa0;
	else if (lead == 0xe0)
		low = 0xa0;
	else if (lead == 0xf0)
		low = 0x90;
	else if (lead == 0xed)
		high = 0x9f;
	else if (lead == 0xf4)
		high = 0x8f;
	return c >= low && c <= high;
}

/* Classifies the n bytes of s. Earlier calls have already accepted all but the last byte. */
static enum unit judge(const char *s, unsigned n)
{
	unsigned char lead = s[0], last = s[n - 1];
	unsigned n_whole = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;

	if (lead == 0x1b)
		return judge_colour(s, n);
	if (n == 1 && is_plain(lead))
		return UNIT_WHOLE;
	if (lead < 0xc2 || lead > 0xf4)
		return UNIT_WRONG;
	if (n == 1)
		return UNIT_PART;
	if (n == 2 ? !is_second_of(lead, last) : (last & 0xc0) != 0x80)
		return UNIT_WRONG;
	return n == n_whole ? UNIT_WHOLE : UNIT_PART;
}

static char *emit_escaped(char *out, unsigned char c)
{
	static const char digits[] = "0123456789abcdef";

	*out++ = '\\';
	*out++ = 'x';
	*out++ = digits[c >> 4];
	*out++ = digits[c & 15];
	return out;
}

static char *emit_off(struct escaper *e, char *out)
{
	if (e->is_coloured)
		out = mempcpy(out, ESCAPER_OFF, strlen(ESCAPER_OFF));
	e->is_coloured = false;
	return out;
}

static char *emit_held(struct escaper *e, char *out)
{
	if (e->held[0] == '\n')
		out = emit_off(e, out);
	else if (e->held[0] == 0x1b)
		e->is_coloured = strncmp(e->held, ESCAPER_OFF, e->n_held) != 0;
	out = mempcpy(out, e->held, e->n_held);
	e->n_held = 0;
	return out;
}

static char *add_byte(struct escaper *e, char c, char *out);

/* Escapes the first held byte and examines the others again. */
static char *reject_held(struct escaper *e, char *out)
{
	struct escaper wrong = *e;

	e->n_held = 0;
	out = emit_escaped(out, wrong.held[0]);
	for (unsigned i = 1; i < wrong.n_held; i++)
		out = add_byte(e, wrong.held[i], out);
	return out;
}

static char *add_byte(struct escaper *e, char c, char *out)
{
	e->held[e->n_held++] = c;
	switch (judge(e->held, e->n_held)) {
	case UNIT_WHOLE:
		out = emit_held(e, out);
		break;
	case UNIT_WRONG:
		out = reject_held(e, out);
		break;
	case UNIT_PART: /* a part is shorter than the longest colour, 5 bytes */
		break;
	}
	return out;
}

size_t escaper_fmt(struct escaper *e, const char *s, size_t len, char *out)
{
	char *start = out;

	for (size_t i = 0; i < len; i++) {
		if (!e->n_held && is_plain(s[i]) && !(e->is_coloured && s[i] == '\n'))
			*out++ = s[i];
		else
			out = add_byte(e, s[i], out);
	}
	return out - start;
}

size_t escaper_flush(struct escaper *e, char *out)
{
	char *start = out;

	while (e->n_held)
		out = reject_held(e, out);
	out = emit_off(e, out);
	return out - start;
}

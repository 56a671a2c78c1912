// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * straceline.c - reads one line of strace.
 *
 *	10890 21:28:57.031225 access("/etc", R_OK) = -1 ENOENT (No such file …) <0.000009>
 *	[pid 10890] 1700000000.032859 vfork( <unfinished ...>
 *	10890 21:28:57.033124 <... vfork resumed>)  = 10896 <0.000264>
 *	10890 21:28:57.052927 --- SIGCHLD {si_signo=SIGCHLD, …} ---
 *	10890 21:28:57.053106 +++ exited with 0 +++
 *
 * Strings of arguments may contain anything, but what follows the arguments may not: so a line is
 * read from its end. A line without a time is no event.
 */
#include "inputs/foreign/straceline.h"

#include "inputs/foreign/linecursor.h"

#include <ctype.h>
#include <string.h>

#define NS_PER_S	UINT64_C(1000000000)
#define SECONDS_MAX	UINT64_C(9000000000)
#define SINCE_1970_FROM UINT64_C(100000000) /* seconds; relative times are shorter */
#define UNFINISHED	"<unfinished ...>"
#define RESUMED		" resumed>"

static struct piece piece_of(const char *from, const char *to)
{
	while (to > from && to[-1] == ' ')
		to--;
	return (struct piece){(const uint8_t *)from, (size_t)(to - from)};
}

static bool take_fraction(struct linecursor *c, uint64_t *ret_ns)
{
	const char *start = c->at;

	if (!linecursor_take_number(c, NS_PER_S, ret_ns) || c->at - start > 9)
		return false;
	for (long i = c->at - start; i < 9; i++)
		*ret_ns *= 10;
	return true;
}

/* "21:28:57.031225", "21:28:57", "1700000000.031225", "0.000123" */
static bool take_time(struct linecursor *c, struct straceline *l)
{
	uint64_t v, minutes, seconds, ns = 0;

	if (!linecursor_take_number(c, SECONDS_MAX, &v))
		return false;
	if (linecursor_take_text(c, ":")) {
		if (v > 24 || !linecursor_take_number(c, 59, &minutes) ||
		    !linecursor_take_text(c, ":") || !linecursor_take_number(c, 60, &seconds))
			return false;
		v = (v * 60 + minutes) * 60 + seconds;
		l->clock = STRACELINE_OF_DAY;
		if (linecursor_take_text(c, ".") && !take_fraction(c, &ns))
			return false;
	} else {
		l->clock = v >= SINCE_1970_FROM ? STRACELINE_SINCE_1970 : STRACELINE_SINCE_LINE;
		if (!linecursor_take_text(c, ".") || !take_fraction(c, &ns))
			return false;
	}
	l->time_ns = v * NS_PER_S + ns;
	return linecursor_take_text(c, " ");
}

/* "10890 " or "[pid 10890] "; the number must be followed by a time. */
static void take_pid(struct linecursor *c, struct straceline *l)
{
	struct linecursor t = *c;
	bool has_brackets = linecursor_take_text(&t, "[pid ");
	uint64_t pid;

	linecursor_skip_blanks(&t);
	if (!linecursor_take_number(&t, INT32_MAX, &pid) ||
	    (has_brackets && !linecursor_take_text(&t, "]")) || !linecursor_take_text(&t, " "))
		return;
	l->pid = (int)pid;
	*c = t;
}

/* Takes "<0.000009>" off the end. */
static void take_duration(struct linecursor *c, struct straceline *l)
{
	const char *open = c->end > c->at && c->end[-1] == '>'
				   ? memrchr(c->at, '<', (size_t)(c->end - c->at))
				   : NULL;
	struct linecursor t = {open ? open + 1 : c->end, c->end};
	uint64_t s, ns;

	if (!open || !linecursor_take_number(&t, SECONDS_MAX, &s) ||
	    !linecursor_take_text(&t, ".") || !take_fraction(&t, &ns) ||
	    !linecursor_take_text(&t, ">") || t.at != t.end)
		return;
	l->has_duration = true;
	l->duration_ns = s * NS_PER_S + ns;
	c->end = open;
	while (c->end > c->at && c->end[-1] == ' ')
		c->end--;
}

/* Finds the last ") = ": what precedes it are arguments, what follows is the result. */
static bool split_result(struct linecursor c, struct straceline *l)
{
	for (const char *p = c.end - 1; p > c.at; p--) {
		const char *close = p;
		const char *start;

		if (*p != '=' || p + 1 >= c.end || p[1] != ' ')
			continue;
		while (close > c.at && close[-1] == ' ')
			close--;
		if (close == p || close == c.at || close[-1] != ')')
			continue;
		l->args = piece_of(c.at, close - 1);
		for (p = start = p + 2; p < c.end && *p != ' '; p++)
			;
		l->ret = piece_of(start, p);
		l->error = piece_of(p < c.end ? p + 1 : p, c.end);
		l->has_ret = l->ret.len;
		return l->has_ret;
	}
	return false;
}

static bool take_name(struct linecursor *c, struct straceline *l)
{
	const char *start = c->at;

	while (c->at < c->end && (isalnum((unsigned char)*c->at) || *c->at == '_'))
		c->at++;
	l->name = (struct piece){(const uint8_t *)start, (size_t)(c->at - start)};
	return l->name.len && l->name.len <= 40;
}

static enum straceline_kind read_call(struct linecursor c, struct straceline *l)
{
	size_t n = strlen(UNFINISHED);

	if (linecursor_take_text(&c, "<... ")) {
		if (!take_name(&c, l) || !linecursor_take_text(&c, RESUMED))
			return STRACELINE_UNKNOWN;
		take_duration(&c, l);
		return split_result(c, l) ? STRACELINE_RESUMED : STRACELINE_UNKNOWN;
	}
	if (!take_name(&c, l) || !linecursor_take_text(&c, "("))
		return STRACELINE_UNKNOWN;
	if ((size_t)(c.end - c.at) >= n && !memcmp(c.end - n, UNFINISHED, n)) {
		l->args = piece_of(c.at, c.end - n);
		return STRACELINE_UNFINISHED;
	}
	take_duration(&c, l);
	return split_result(c, l) ? STRACELINE_CALL : STRACELINE_UNKNOWN;
}

/* "--- text ---" */
static bool read_framed(struct linecursor c, const char *frame, struct straceline *l)
{
	size_t n = strlen(frame);

	if (!linecursor_take_text(&c, frame) || (size_t)(c.end - c.at) < n ||
	    memcmp(c.end - n, frame, n))
		return false;
	linecursor_skip_blanks(&c);
	l->args = piece_of(c.at, c.end - n > c.at ? c.end - n : c.at);
	return true;
}

void straceline_parse(struct piece line, struct straceline *ret)
{
	struct linecursor c = {(const char *)line.data, (const char *)line.data + line.len};

	*ret = (struct straceline){
		.name = PIECE_EMPTY, .args = PIECE_EMPTY, .ret = PIECE_EMPTY, .error = PIECE_EMPTY};
	while (c.end > c.at && (c.end[-1] == ' ' || c.end[-1] == '\r'))
		c.end--;
	if (c.at == c.end || linecursor_take_text(&c, "strace: ")) {
		ret->kind = STRACELINE_NOTHING;
		return;
	}
	take_pid(&c, ret);
	linecursor_skip_blanks(&c);
	if (!take_time(&c, ret))
		return;
	linecursor_skip_blanks(&c);
	ret->kind = read_framed(c, "---", ret)	 ? STRACELINE_SIGNAL
		    : read_framed(c, "+++", ret) ? STRACELINE_END
						 : read_call(c, ret);
}

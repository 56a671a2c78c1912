/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * duration.h - a duration in a column of ten, as uftrace prints it: "  4.100 us", "  1.002  s".
 */
#ifndef SONDE_PRESENT_CALLS_DURATION_H
#define SONDE_PRESENT_CALLS_DURATION_H

#include "base/number.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define DURATION_WIDTH 10

/*
 * Units of a clock that does not count time: a plain number. Writes at least DURATION_WIDTH, at
 * most 24 bytes.
 */
static inline char *duration_emit(char *p, uint64_t ns, bool in_time)
{
	static const struct {
		char name[3];
		uint16_t size; /* of the next unit, in this one */
	} units[] = {{"us", 1000}, {"ms", 1000}, {" s", 60}, {" m", 60}, {" h", 0}};
	uint64_t whole = ns / 1000;
	uint32_t rest = (uint32_t)(ns % 1000), unit = 0, n;

	if (!in_time) {
		n = number_dec_width(ns);
		if (n < DURATION_WIDTH) {
			memset(p, ' ', DURATION_WIDTH - n);
			p += DURATION_WIDTH - n;
		}
		return number_emit_dec(p, ns);
	}
	while (units[unit].size && whole >= units[unit].size) {
		rest = (uint32_t)(whole % units[unit].size);
		whole /= units[unit++].size;
	}
	if (whole < 1000) {
		p[0] = (char)(whole >= 100 ? '0' + whole / 100 : ' ');
		p[1] = (char)(whole >= 10 ? '0' + whole / 10 % 10 : ' ');
		p[2] = (char)('0' + whole % 10);
		p += 3;
	} else {
		p = number_emit_dec(p, whole);
	}
	p[0] = '.';
	p[1] = (char)('0' + rest / 100);
	p[2] = (char)('0' + rest / 10 % 10);
	p[3] = (char)('0' + rest % 10);
	p[4] = ' ';
	p[5] = units[unit].name[0];
	p[6] = units[unit].name[1];
	return p + 7;
}

/* Where the text in a column begins. */
static inline const char *duration_start(const char *text, const char *end)
{
	while (text < end && *text == ' ')
		text++;
	return text;
}

/* "V::operator()" ends with its name, not with parameters. */
static inline bool call_is_operator(const char *name, size_t len)
{
	static const char word[] = "operator()";
	size_t n = sizeof(word) - 1;

	return len >= n && !memcmp(name + len - n, word, n);
}

/* Returns what follows a function's name. C++ names may have parameters: "f(int) const". */
static inline const char *call_brackets(const char *name, size_t len)
{
	const char *close = memrchr(name, ')', len);

	if (call_is_operator(name, len))
		return "()";
	return close && (close == name + len - 1 || close[1] == ' ') ? "" : "()";
}

/* The length of a name without its parameters: of "Box::put(int) const" that of "Box::put". */
static inline size_t call_bare_len(const char *name, size_t len)
{
	const char *close = memrchr(name, ')', len);
	size_t depth = 1;

	if (*call_brackets(name, len))
		return len;
	for (const char *p = close; depth && p > name;) {
		p--;
		depth += *p == ')';
		depth -= *p == '(';
		if (!depth && p > name)
			return (size_t)(p - name);
	}
	return len;
}

#endif

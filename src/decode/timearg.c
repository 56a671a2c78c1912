// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * timearg.c - times on the command line, one grammar for every command.
 *
 * Digits are parsed directly, not through a floating point number: a trace of a machine that has
 * been up for years has more digits than a double.
 *
 *	[+] DIGITS [. DIGITS] [s|ms|us|ns]        no unit: seconds, or units of the clock
 */
#include "decode/timearg.h"

#include "base/array.h"
#include "base/errmsg.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

static const struct {
	const char *name;
	uint64_t ns;
} units[] = {{"", 1000000000}, {"s", 1000000000}, {"ms", 1000000}, {"us", 1000}, {"ns", 1}};

/* Computes "12.345" times scale, and drops fractions. Returns false if the result is too large. */
static bool scale_digits(const char *s, uint64_t scale, uint64_t *ret)
{
	uint64_t whole = 0, part = 0, digit = scale;

	for (; isdigit((unsigned char)*s); s++)
		if (__builtin_mul_overflow(whole, 10, &whole) ||
		    __builtin_add_overflow(whole, (uint64_t)(*s - '0'), &whole))
			return false;
	for (s += *s == '.'; isdigit((unsigned char)*s); s++) {
		digit /= 10;
		part += digit * (*s - '0');
	}
	return !__builtin_mul_overflow(whole, scale, &whole) &&
	       !__builtin_add_overflow(whole, part, ret);
}

int timearg_parse(const char *option, const char *text, bool in_time, uint64_t first, uint64_t *ret,
		  struct errmsg *err)
{
	bool relative = text[0] == '+';
	const char *digits = text + relative, *end = digits + strspn(digits, "0123456789");
	uint64_t scale = 0;

	if (in_time && *end == '.')
		end += 1 + strspn(end + 1, "0123456789");
	if (end == digits || !strcmp(digits, "."))
		return errmsg_set(err, -EINVAL, "%s needs a time like %s, +1.5s or +20ms, not '%s'",
				  option, in_time ? "12.345678" : "12345678", text);
	for (size_t i = 0; i < ARRAY_LEN(units); i++)
		if (!strcmp(units[i].name, end))
			scale = units[i].ns;
	if (!scale)
		return errmsg_set(err, -EINVAL,
				  "%s: '%s' is not a unit of time; use s, ms, us "
				  "or ns",
				  option, end);
	if (!in_time && *end)
		return errmsg_set(err, -EINVAL,
				  "%s %s: the clock of this trace does not count time; give "
				  "its units as a plain number",
				  option, text);
	if (!scale_digits(digits, in_time ? scale : 1, ret) ||
	    __builtin_add_overflow(*ret, relative ? first : 0, ret))
		return errmsg_set(err, -EINVAL, "%s %s is later than any time a trace can have",
				  option, text);
	return 0;
}

// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * plain.c - finds and names control characters.
 *
 * The message shows each control character of the text as \xNN, because a terminal would act on
 * the character itself. Long texts are truncated. Bytes from 0x80 on are letters in UTF-8, except
 * U+0080 to U+009F.
 *
 * Control characters are those that could end a line or a word for the kernel, and those that no
 * name contains.
 */
#include "base/plain.h"

#include "base/errmsg.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define SHOWN_MAX_BYTES 120

static bool is_control(char c)
{
	return ((unsigned char)c < 0x20 && c != '\t') || c == 0x7f;
}

/* Returns true for U+0080 to U+009F in UTF-8: some terminals treat them as escape sequences. */
static bool is_c1(const char *text)
{
	return text[0] == '\xc2' && (unsigned char)text[1] >= 0x80 && (unsigned char)text[1] < 0xa0;
}

const char *plain_find(const char *text)
{
	for (; *text; text++)
		if (is_control(*text) || is_c1(text))
			return text;
	return NULL;
}

static const char *name_of(char c, char *buf, size_t n_bytes)
{
	switch (c) {
	case '\n':
		return "a newline";
	case '\r':
		return "a carriage return";
	case 0x1b:
		return "an escape character";
	default:
		snprintf(buf, n_bytes, "the control character 0x%02x", (unsigned char)c);
		return buf;
	}
}

/* Copies the text for the message, with control characters escaped. */
static void fmt_shown(const char *text, char *buf)
{
	size_t n = 0;

	for (; *text && n + 8 < SHOWN_MAX_BYTES; text++)
		n += snprintf(buf + n, SHOWN_MAX_BYTES - n, is_control(*text) ? "\\x%02x" : "%c",
			      (unsigned char)*text);
	snprintf(buf + n, SHOWN_MAX_BYTES - n, "%s", *text ? "…" : "");
}

int plain_check(const char *what, const char *text, struct errmsg *err)
{
	const char *at = plain_find(text);
	char shown[SHOWN_MAX_BYTES], name[40];

	if (!at)
		return 0;
	fmt_shown(text, shown);
	return errmsg_set(err, -EINVAL, "%s contains %s: '%s'; remove it", what,
			  name_of(at[is_c1(at)], name, sizeof(name)), shown);
}

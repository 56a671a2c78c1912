// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * errmsg.c - the error object that travels from the failing function to the command.
 *
 * It owns nothing: the caller keeps a zeroed struct errmsg on its stack. The first function to set
 * it wins, because it knows best what failed; later calls only return their code. Text that does
 * not fit is truncated.
 */
#include "base/errmsg.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void errmsg_fill(struct errmsg *err, int code, const char *fmt, va_list ap)
{
	err->code = code;
	err->reason = 0;
	err->has_span = false;
	err->picture = err->cause = 0;
	vsnprintf(err->text, sizeof(err->text), fmt, ap);
}

int errmsg_set(struct errmsg *err, int code, const char *fmt, ...)
{
	va_list ap;

	if (err->code)
		return code;
	va_start(ap, fmt);
	errmsg_fill(err, code, fmt, ap);
	va_end(ap);
	return code;
}

/* Appends to the text. Returns the position of the new part, or 0 if nothing fits. */
static uint16_t append(struct errmsg *err, const char *separator, const char *text)
{
	size_t len = strlen(err->text), at = len + strlen(separator);

	snprintf(err->text + len, sizeof(err->text) - len, "%s%s", separator, text);
	return at < sizeof(err->text) ? at : 0;
}

int errmsg_set_errno(struct errmsg *err, int code, const char *fmt, ...)
{
	va_list ap;

	if (err->code)
		return code;
	va_start(ap, fmt);
	errmsg_fill(err, code, fmt, ap);
	va_end(ap);
	err->cause = append(err, ": ", strerror(-code));
	return code;
}

int errmsg_set_cause(struct errmsg *err, int code, const char *cause, const char *fmt, ...)
{
	va_list ap;

	if (err->code)
		return code;
	va_start(ap, fmt);
	errmsg_fill(err, code, fmt, ap);
	va_end(ap);
	err->cause = append(err, ": ", cause);
	return code;
}

int errmsg_set_spot(struct errmsg *err, int code, const struct errmsg_spot *spot, const char *fmt,
		    ...)
{
	va_list ap;

	if (err->code)
		return code;
	va_start(ap, fmt);
	errmsg_fill(err, code, fmt, ap);
	va_end(ap);
	err->reason = spot->reason;
	err->has_span = true;
	err->at = spot->at;
	err->len = spot->len;
	if (spot->picture)
		err->picture = append(err, "", spot->picture);
	return code;
}

void errmsg_prefix(struct errmsg *err, const char *fmt, ...)
{
	char words[sizeof(err->text)];
	va_list ap;
	size_t n, len;

	va_start(ap, fmt);
	vsnprintf(words, sizeof(words), fmt, ap);
	va_end(ap);
	n = strlen(words);
	len = strlen(err->text);
	if (len > sizeof(err->text) - 1 - n)
		len = sizeof(err->text) - 1 - n;
	memmove(err->text + n, err->text, len);
	memcpy(err->text, words, n);
	err->text[n + len] = 0;
	/* forget a part that no longer fits into the text */
	err->picture = err->picture && err->picture + n < n + len ? err->picture + n : 0;
	err->cause = err->cause && err->cause + n < n + len ? err->cause + n : 0;
}

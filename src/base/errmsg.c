// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * errmsg.c - the error object that travels from the failing place to the command.
 *
 * Owns nothing: the caller keeps a struct errmsg on its stack, zeroed. The first one to fill it wins,
 * because whoever failed first knows best; later calls only pass their code on. Text that does not
 * fit is cut off.
 */
#include "base/errmsg.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void errmsg_fill(struct errmsg *err, int code, const char *fmt, va_list ap)
{
	err->code = code;
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

int errmsg_set_errno(struct errmsg *err, int code, const char *fmt, ...)
{
	va_list ap;
	size_t len;

	if (err->code)
		return code;
	va_start(ap, fmt);
	errmsg_fill(err, code, fmt, ap);
	va_end(ap);
	len = strlen(err->text);
	snprintf(err->text + len, sizeof(err->text) - len, ": %s", strerror(-code));
	return code;
}

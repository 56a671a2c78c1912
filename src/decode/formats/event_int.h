/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * event_int.h - declarations that the files that parse a format text share: fields, arguments,
 * conversions.
 */
#ifndef SONDE_DECODE_FORMATS_EVENT_INT_H
#define SONDE_DECODE_FORMATS_EVENT_INT_H

#include "base/arena.h"
#include "decode/formats/event.h"
#include "decode/formats/lexer.h"

struct event_parser {
	struct event *ev;
	struct lexer lx;
	struct arena *arena;
	unsigned depth;	  /* depth of nested expressions; limited */
	unsigned n_nodes; /* number of nodes of all arguments; limited */
};

/*
 * argparse.c: parses the arguments after the format string. Returns the number of arguments, or a
 * negative value.
 */
int event_parse_args(struct event_parser *p, struct arg **ret_list);

/*
 * printfmt.c: splits a format string into segments that take their arguments from args. If
 * ret_failed is NULL, the format is one of trace_printk(), which never fails.
 */
struct segment *printfmt_split(struct event *ev, const char *format, struct arg *args,
			       struct arena *arena, bool *ret_failed);

/* Notes why the print format cannot be used, and keeps the first reason. Returns -1. */
int event_fail(struct event_parser *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

const char *event_token_text(struct event_parser *p, const struct token *t);

#endif

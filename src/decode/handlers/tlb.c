// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * tlb.c - tlb_flush: the number of pages and the reason.
 *
 *	pages=-1 reason=flush on task switch (0)
 *
 * -1 pages means all. Newer kernels have more reasons than the four with a name here.
 */
#include "base/array.h"
#include "decode/handlers/handler_int.h"

enum { PAGES, REASON }; /* order of the fields in a row */

static const char *const reasons[] = {
	"flush on task switch",
	"remote shootdown",
	"local shootdown",
	"local mm shootdown",
};

int handle_tlb_flush(struct printer *p, const struct event *ev, const struct record *rec)
{
	uint64_t v;

	textbuf_add(p->out, "pages=", 6);
	if (handler_optional(p, ev, PAGES, "pages", &v))
		textbuf_add_signed(p->out, v);
	if (!handler_number(p, ev, REASON, "reason", &v))
		return 1;
	textbuf_add(p->out, " reason=", 8);
	if (v < ARRAY_LEN(reasons))
		textbuf_add_str(p->out, reasons[v]);
	textbuf_add(p->out, " (", 2);
	textbuf_add_signed(p->out, v);
	textbuf_add_char(p->out, ')');
	return 0;
}

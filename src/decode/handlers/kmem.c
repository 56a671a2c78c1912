// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * kmem.c - the allocator's events get the name of the calling function in front.
 *
 *	(alloc_bprm+0x32) call_site=alloc_bprm+0x32 ptr=…
 *
 * The print format follows. Kernels since 5.x print the call site by name, older ones as a bare
 * address; the text in front is the same for all.
 */
#include "base/textbuf.h"
#include "decode/handlers/handler_int.h"

int handle_kmem(struct printer *p, const struct event *ev, const struct record *rec)
{
	uint64_t addr;

	if (!printer_number(p, ev->wanted[0], &addr) || !printer_symbol(p, addr))
		return 1;
	textbuf_add_char(p->out, '(');
	printer_add_symbol(p, addr);
	textbuf_add(p->out, ") ", 2);
	return 1;
}

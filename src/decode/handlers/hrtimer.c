// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * hrtimer.c - hrtimer_start and hrtimer_expire_entry: the timer's function by name.
 *
 *	hrtimer=0xffff9a5c3ec1e0c0 function=tick_nohz_handler/0x0 expires=74396000000 softexpires=…
 *	hrtimer=0xffff9a5c3ec1e0c0 now=74396001532 function=tick_nohz_handler/0x0
 *
 * The number after the slash is the symbol's address minus the pointer, as in trace-cmd. The order
 * is wrong, but the difference is always 0 for a pointer to a function. Old kernels call the first
 * field "timer".
 */
#include "base/textbuf.h"
#include "decode/handlers/handler_int.h"
#include "symbols/kallsyms.h"

/* order of the fields in the rows */
enum { TIMER, HRTIMER, FUNCTION, NOW, EXPIRES = NOW, SOFTEXPIRES };

#define FUNCTION_MAX 127 /* limit of the printed bytes of "name/0x…" */

static void add_timer(struct printer *p, const struct event *ev)
{
	uint64_t v;

	textbuf_add(p->out, "hrtimer=", 8);
	if (!printer_number(p, ev->wanted[TIMER], &v) &&
	    !handler_optional(p, ev, HRTIMER, "hrtimer", &v))
		return;
	textbuf_add(p->out, "0x", 2);
	textbuf_add_hex(p->out, v);
}

static void add_symbol(struct printer *p, const struct ksym *sym, uint64_t addr)
{
	char text[FUNCTION_MAX + NUMBER_MAX_BYTES + 4], *s = text;
	size_t len = sym->name_len < FUNCTION_MAX ? sym->name_len : FUNCTION_MAX;

	memcpy(s, sym->name, len);
	s += len;
	memcpy(s, "/0x", 3);
	s = number_emit_hex(s + 3, sym->addr - addr);
	len = s - text;
	textbuf_add(p->out, text, len < FUNCTION_MAX ? len : FUNCTION_MAX);
}

static void add_function(struct printer *p, const struct event *ev)
{
	const struct ksym *sym;
	uint64_t addr;

	if (!printer_number(p, ev->wanted[FUNCTION], &addr))
		return;
	textbuf_add(p->out, " function=", 10);
	sym = printer_symbol(p, addr);
	if (sym)
		add_symbol(p, sym, addr);
	else
		textbuf_addf(p->out, "0x%08llx", (unsigned long long)addr);
}

static void add_time(struct printer *p, const struct event *ev, unsigned i, const char *name)
{
	uint64_t v;

	textbuf_add_char(p->out, ' ');
	textbuf_add_str(p->out, name);
	textbuf_add_char(p->out, '=');
	if (handler_optional(p, ev, i, name, &v))
		textbuf_add_dec(p->out, v);
}

int handle_hrtimer_start(struct printer *p, const struct event *ev, const struct record *rec)
{
	add_timer(p, ev);
	add_function(p, ev);
	add_time(p, ev, EXPIRES, "expires");
	add_time(p, ev, SOFTEXPIRES, "softexpires");
	return 0;
}

int handle_hrtimer_expire(struct printer *p, const struct event *ev, const struct record *rec)
{
	add_timer(p, ev);
	add_time(p, ev, NOW, "now");
	add_function(p, ev);
	return 0;
}

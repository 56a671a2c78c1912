// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * sched.c - sched_switch, sched_wakeup, sched_wakeup_new.
 *
 *	trace-cmd:136 [120] D ==> swapper/0:0 [120]
 *	rcu_preempt:15 [120] success=1 CPU:001
 *
 * Parts whose field the kernel does not have are omitted. sequence.c has already learned the names
 * of tasks from these events, in time order.
 */
#include "base/textbuf.h"
#include "decode/handlers/handler_int.h"

#include <string.h>

static void add_comm(struct printer *p, const struct field *f)
{
	const char *s = (const char *)p->data + f->offset;
	uint32_t left = f->offset < p->size ? p->size - f->offset : 0;

	textbuf_add(p->out, s, strnlen(s, f->size < left ? f->size : left));
	textbuf_add_char(p->out, ':');
}

/* Prints the bits of the state as letters, joined by |, or R if no bit is set. */
static void add_state(struct printer *p, unsigned state)
{
	static const char letters[] = "SDTtZXxW";
	char text[16], *s = text;

	for (int i = 0; i < 8; i++) {
		if (!(state >> i & 1))
			continue;
		if (s != text)
			*s++ = '|';
		*s++ = letters[i];
	}
	if (s == text)
		*s++ = 'R';
	textbuf_add(p->out, text, s - text);
}

static void add_bracketed(struct printer *p, const char *before, int64_t v, const char *after)
{
	textbuf_add_str(p->out, before);
	textbuf_add_signed(p->out, v);
	textbuf_add_str(p->out, after);
}

int handle_sched_switch(struct printer *p, const struct event *ev, const struct record *rec)
{
	uint64_t v;

	if (!handler_number(p, ev, 0, "prev_pid", &v))
		return handler_give_up(p);
	if (ev->wanted[1])
		add_comm(p, ev->wanted[1]);
	textbuf_add_signed(p->out, v);
	textbuf_add_char(p->out, ' ');
	if (printer_number(p, ev->wanted[2], &v))
		add_bracketed(p, "[", (int32_t)v, "] ");
	if (printer_number(p, ev->wanted[3], &v))
		add_state(p, v);
	textbuf_add(p->out, " ==> ", 5);
	if (!handler_number(p, ev, 4, "next_pid", &v))
		return handler_give_up(p);
	if (ev->wanted[5])
		add_comm(p, ev->wanted[5]);
	textbuf_add_signed(p->out, v);
	if (printer_number(p, ev->wanted[6], &v))
		add_bracketed(p, " [", (int32_t)v, "]");
	return 0;
}

int handle_sched_wakeup(struct printer *p, const struct event *ev, const struct record *rec)
{
	uint64_t v;

	if (!handler_number(p, ev, 0, "pid", &v))
		return handler_give_up(p);
	if (ev->wanted[1])
		add_comm(p, ev->wanted[1]);
	textbuf_add_signed(p->out, v);
	if (printer_number(p, ev->wanted[2], &v))
		add_bracketed(p, " [", v, "]");
	if (printer_number(p, ev->wanted[3], &v))
		add_bracketed(p, " success=", v, "");
	if (printer_number(p, ev->wanted[4], &v)) {
		textbuf_add(p->out, " CPU:", 5);
		if (v < 100)
			textbuf_add(p->out, "00", v < 10 ? 2 : 1);
		textbuf_add_dec(p->out, v);
	}
	return 0;
}

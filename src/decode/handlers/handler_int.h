/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * handler_int.h - the handlers, for the table in handlers.c, and the functions that they share.
 *
 * A handler returns 0 if it printed everything, and 1 if the print format is to follow. A missing
 * field is reported in the text, as in trace-cmd's plugins.
 */
#ifndef SONDE_DECODE_HANDLERS_HANDLER_INT_H
#define SONDE_DECODE_HANDLERS_HANDLER_INT_H

#include "base/textbuf.h"
#include "decode/print/print.h"

/* Reads the i-th field of the handler's row as a number. On failure prints a message. */
static inline bool handler_number(struct printer *p, const struct event *ev, unsigned i,
				  const char *name, uint64_t *ret)
{
	if (printer_number(p, ev->wanted[i], ret))
		return true;
	if (ev->wanted[i])
		textbuf_addf(p->out, " %s=INVALID", name);
	else
		textbuf_addf(p->out, "<CANT FIND FIELD %s>", name);
	return false;
}

/* Like handler_number(), but with the message of handlers that continue without the field. */
static inline bool handler_optional(struct printer *p, const struct event *ev, unsigned i,
				    const char *name, uint64_t *ret)
{
	if (printer_number(p, ev->wanted[i], ret))
		return true;
	textbuf_addf(p->out, "CAN'T FIND FIELD \"%s\"", name);
	return false;
}

/* Ends a handler whose required field is missing. */
static inline int handler_give_up(struct printer *p)
{
	textbuf_add_char(p->out, '!');
	return 1;
}

/* syscall.c */
int handle_syscall(struct printer *p, const struct event *ev, const struct record *rec);

/* ftrace.c */
int handle_function(struct printer *p, const struct event *ev, const struct record *rec);
int handle_func_repeats(struct printer *p, const struct event *ev, const struct record *rec);
int handle_stack(struct printer *p, const struct event *ev, const struct record *rec);
int handle_user_stack(struct printer *p, const struct event *ev, const struct record *rec);
int handle_raw_data(struct printer *p, const struct event *ev, const struct record *rec);
int handle_graph_entry(struct printer *p, const struct event *ev, const struct record *rec);
int handle_graph_exit(struct printer *p, const struct event *ev, const struct record *rec);

/* sched.c */
int handle_sched_switch(struct printer *p, const struct event *ev, const struct record *rec);
int handle_sched_wakeup(struct printer *p, const struct event *ev, const struct record *rec);

/* kmem.c */
int handle_kmem(struct printer *p, const struct event *ev, const struct record *rec);

/* hrtimer.c */
int handle_hrtimer_start(struct printer *p, const struct event *ev, const struct record *rec);
int handle_hrtimer_expire(struct printer *p, const struct event *ev, const struct record *rec);

/* kvm.c */
int handle_kvm_exit(struct printer *p, const struct event *ev, const struct record *rec);
int handle_kvm_entry(struct printer *p, const struct event *ev, const struct record *rec);
int handle_kvm_insn(struct printer *p, const struct event *ev, const struct record *rec);
int handle_kvm_nested(struct printer *p, const struct event *ev, const struct record *rec);
int handle_kvm_nested_inject(struct printer *p, const struct event *ev, const struct record *rec);
int handle_kvm_page(struct printer *p, const struct event *ev, const struct record *rec);
int handle_kvm_get_page(struct printer *p, const struct event *ev, const struct record *rec);

/* futex.c */
int handle_futex(struct printer *p, const struct event *ev, const struct record *rec);

/* tlb.c */
int handle_tlb_flush(struct printer *p, const struct event *ev, const struct record *rec);

/* mac80211.c */
int handle_bss_info_changed(struct printer *p, const struct event *ev, const struct record *rec);

#endif

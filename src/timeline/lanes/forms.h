/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * forms.h - which events enter and leave something: functions, interrupts, system calls, guests.
 *
 * A row of a table (forms.c) names two events, the field that tells what was entered, and how to make a text of
 * it. Lanes and numbers know nothing else, so a new source of functions is a new row.
 */
#ifndef SONDE_TIMELINE_LANES_FORMS_H
#define SONDE_TIMELINE_LANES_FORMS_H

#include "symbols/tables/syscalls.h"
#include "timeline/index/labels.h"
#include "timeline/insight/marks.h"

enum form_class {
	FORM_CALLS = 1,
	FORM_IRQ = 2,
	FORM_SOFTIRQ = 4,
	FORM_SYS = 8,
	FORM_VCPU = 16,
};

struct form;

struct form_kind {		 /* what a kind of event means */
	const struct form *form; /* NULL: nothing */
	bool is_leave;
	bool swap;
	const struct field *what, *id, *depth, *begin, *end, *detail;
	const struct arg *names; /* of values, in the print format; NULL: none */
	uint32_t label;		 /* if the event's name says it all; else 0 */
	const struct kallsyms *symbols;
	const struct syscall_table *syscalls;
};

struct forms {
	struct form_kind *kinds; /* by kind */
	size_t n_kinds;
	size_t n_found;
	struct labels *labels;
};

/* Finds the rows of these classes among the kinds of a machine. 0 or -ENOMEM. */
int forms_init(struct forms *fs, struct timeline *tl, struct labels *labels, uint32_t machine,
	       unsigned classes);
void forms_release(struct forms *fs);
/* For marks_gather(): ctx is the struct forms. */
bool forms_mark(void *ctx, struct mark_cache *cache, const struct walk_event *ev, void *ret_mark);
/* Names of system calls on the machine that a file is from; NULL: not known. */
const struct syscall_table *forms_syscalls(const struct tracefile *tf);
/* Probes that are told apart by their fields: whether it is a call tells only a leave with the same label. */
bool form_is_loose(const struct form *f);
/* Bits of all kinds that enter (or leave). */
int forms_take_kinds(const struct forms *fs, bool leave, uint8_t **bits, size_t *n);

#endif

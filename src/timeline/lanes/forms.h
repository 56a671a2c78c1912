/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * forms.h - the events that enter and leave something: functions, interrupts, system calls, guests.
 *
 * A row of a table (forms.c) names two events, the field that identifies what was entered, and how
 * to make a text of it. Lanes and statistics use only these rows, so a new source of functions is a
 * new row.
 */
#ifndef SONDE_TIMELINE_LANES_FORMS_H
#define SONDE_TIMELINE_LANES_FORMS_H

#include "decode/formats/event.h"
#include "store/tracefile.h"
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

struct form_kind {		 /* the meaning of a kind of event */
	const struct form *form; /* NULL: the kind has no form */
	bool is_leave;
	bool is_user, is_whole; /* as in a mark */
	bool swap;
	const struct field *what, *id, *depth, *begin, *end, *detail, *duration;
	const struct arg *names; /* names of values in the print format; NULL: none */
	uint32_t label;		 /* the label if the event's name suffices; otherwise 0 */
	const struct kallsyms *symbols;
	const struct syscall_table *syscalls;
};

struct forms {
	struct form_kind *kinds; /* by kind */
	size_t n_kinds;
	size_t n_found;
	struct labels *labels;
};

/* Finds the rows of these classes among the kinds of a machine. Returns 0 or -ENOMEM. */
int forms_init(struct forms *fs, struct timeline *tl, struct labels *labels, uint32_t machine,
	       unsigned classes);
void forms_release(struct forms *fs);
/* Makes marks for marks_gather(). ctx is the struct forms. */
bool forms_mark(void *ctx, struct mark_cache *cache, const struct walk_event *ev, void *ret_mark);
/*
 * Returns the names of system calls on the machine where a file was recorded, or NULL if they are
 * unknown.
 */
const struct syscall_table *forms_syscalls(const struct tracefile *tf);
/*
 * Returns true for a form of probes that differ only by their fields. An event of it is a call only
 * if a leave with the same label exists.
 */
bool form_is_loose(const struct form *f);
/* Makes one bit for each kind that enters (or leaves). */
int forms_take_kinds(const struct forms *fs, bool leave, uint8_t **bits, size_t *n);

#endif

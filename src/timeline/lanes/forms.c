// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * forms.c - the table of events that enter and leave something, and the code that reads their
 * records.
 *
 * A * in a name matches any text, the same in both events of a row. The text is the name of what
 * was entered. Such a row applies only if both events exist: `open` alone is not a function, but
 * `open` with `open__return` is. A kind belongs to the first row that matches.
 *
 *	system  enter  leave    both names
 *	label   how to make the text from the field `what`
 *	id      the field that is equal in both, if it is not `what`
 *	depth   the field with the nesting depth; none: it is counted
 */
#include "timeline/lanes/forms.h"
#include "base/array.h"
#include "decode/callevent.h"
#include "decode/formats/event.h"
#include "format/bytes.h"
#include "store/tracefile.h"
#include "timeline/states/states_int.h"

#include "symbols/tables/kvmexits.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum form_label {
	LABEL_NAME,    /* the text that * matches, or the name of the enter event */
	LABEL_SYMBOL,  /* an address of the kernel */
	LABEL_TEXT,    /* a text in the record */
	LABEL_VALUE,   /* a number, named by the print format */
	LABEL_SYSCALL, /* number of a system call */
	LABEL_KVM,     /* reason of a guest exit, in the leave event */
};

struct form {
	unsigned classes;
	const char *system; /* NULL: any system */
	const char *enter, *leave;
	enum form_label label;
	const char *what, *id, *depth;
	bool needs_field; /* only events with the field `what` (for leave, its own field) */
	const char *leave_what;
};

static const struct form table[] = {
	{FORM_CALLS, "ftrace", "funcgraph_entry", "funcgraph_exit", LABEL_SYMBOL, "func", NULL,
	 "depth"},
	{FORM_CALLS, "ftrace", "fgraph_retaddr_entry", "", LABEL_SYMBOL, "func", NULL, "depth"},
	{FORM_CALLS, "user", "user_entry", "user_exit", LABEL_SYMBOL, "func", NULL, "depth"},
	{FORM_CALLS, "user", "user_call", "", LABEL_SYMBOL, "func", NULL, "depth"},
	{FORM_CALLS, "user", "user_entry_args", "user_exit_value", LABEL_SYMBOL, "func", NULL,
	 "depth"},
	{FORM_CALLS, "user", "user_call_args", "", LABEL_SYMBOL, "func", NULL, "depth"},
	{FORM_CALLS, "user", "user_call_value", "", LABEL_SYMBOL, "func", NULL, "depth"},
	{FORM_CALLS, "workqueue", "workqueue_execute_start", "workqueue_execute_end", LABEL_SYMBOL,
	 "function", "work"},
	{FORM_IRQ, "irq", "irq_handler_entry", "irq_handler_exit", LABEL_TEXT, "name", "irq"},
	{FORM_IRQ, "irq_vectors", "*_entry", "*_exit", LABEL_NAME},
	{FORM_IRQ, "ipi", "ipi_entry", "ipi_exit", LABEL_TEXT, "reason"},
	{FORM_IRQ, "timer", "hrtimer_expire_entry", "hrtimer_expire_exit", LABEL_SYMBOL, "function",
	 "hrtimer"},
	{FORM_SOFTIRQ, "irq", "softirq_entry", "softirq_exit", LABEL_VALUE, "vec"},
	{FORM_SOFTIRQ, "irq", "tasklet_entry", "tasklet_exit", LABEL_SYMBOL, "func", "tasklet"},
	{FORM_SOFTIRQ, "timer", "timer_expire_entry", "timer_expire_exit", LABEL_SYMBOL, "function",
	 "timer"},
	{FORM_SYS, "syscall", "", "syscall", LABEL_SYSCALL, "nr"}, /* one event, at the end */
	{FORM_SYS, "raw_syscalls", "sys_enter", "sys_exit", LABEL_SYSCALL, "id"},
	{FORM_SYS, "syscalls", "sys_enter_*", "sys_exit_*", LABEL_NAME},
	{FORM_VCPU, "kvm", "kvm_entry", "kvm_exit", LABEL_KVM, "exit_reason"},
	{FORM_CALLS, NULL, "*", "*__return", LABEL_NAME},
	{FORM_CALLS, NULL, "p_*", "r_*", LABEL_NAME},
	{FORM_CALLS, NULL, "*", "*", LABEL_SYMBOL, "__probe_ip", NULL, NULL, true, "__probe_func"},
	{FORM_CALLS, NULL, "*_enter", "*_exit", LABEL_NAME},
	{FORM_CALLS, NULL, "*_entry", "*_exit", LABEL_NAME},
	{FORM_CALLS, NULL, "*_entry", "*_return", LABEL_NAME},
};

/* Systems whose events belong to other lanes, or do not nest. */
static const char *const not_calls[] = {"irq",		"irq_vectors", "ipi",	   "timer",  "kvm",
					"raw_syscalls", "sched",       "syscalls", "syscall"};

/* --- which kind is what ----------------------------------------------------------------------- */

static bool is_excluded(const struct form *f, const char *system)
{
	if (f->system)
		return false;
	return ARRAY_ANY(ARRAY_LEN(not_calls), i, !strcmp(not_calls[i], system));
}

/* Returns true if name matches the pattern. Then *stem is the part that * matches. */
static bool fits(const char *pattern, const char *name, struct piece *stem)
{
	const char *star = strchr(pattern, '*');
	size_t head = star ? (size_t)(star - pattern) : 0, tail, len = strlen(name);

	*stem = (struct piece){(const uint8_t *)name, len};
	if (!star)
		return !strcmp(pattern, name);
	tail = strlen(star + 1);
	if (len <= head + tail || strncmp(name, pattern, head) ||
	    strcmp(name + len - tail, star + 1))
		return false;
	*stem = (struct piece){(const uint8_t *)name + head, len - head - tail};
	return true;
}

static const struct timeline_kind *kind_of(const struct timeline *tl, size_t i, uint32_t machine)
{
	const struct timeline_kind *k = timeline_kind(tl, i);

	return k->event && timeline_source(tl, k->source)->machine == machine ? k : NULL;
}

/* Returns true if the system has an event with the pattern's name. */
static bool has_partner(const struct timeline *tl, uint32_t machine, const char *system,
			const char *pattern, struct piece stem)
{
	for (size_t i = 0; i < timeline_n_kinds(tl); i++) {
		const struct timeline_kind *k = kind_of(tl, i, machine);
		struct piece other;

		if (k && !strcmp(k->event->system, system) &&
		    fits(pattern, k->event->name, &other) && other.len == stem.len &&
		    !memcmp(other.data, stem.data, stem.len))
			return true;
	}
	return false;
}

/* Returns true for probes that differ by their fields, not by their names. */
static bool fits_fields(const struct form *f, const struct event *ev, bool *ret_leave)
{
	*ret_leave = event_find_field(ev, f->leave_what);
	return *ret_leave || event_find_field(ev, f->what);
}

static bool fits_names(const struct form *f, const struct timeline *tl, uint32_t machine,
		       const struct event *ev, bool *ret_leave, struct piece *stem)
{
	bool is_open = strchr(f->enter, '*');

	if (fits(f->leave, ev->name, stem) &&
	    (!is_open || has_partner(tl, machine, ev->system, f->enter, *stem))) {
		*ret_leave = true;
		return true;
	}
	if (!fits(f->enter, ev->name, stem) ||
	    (is_open && !has_partner(tl, machine, ev->system, f->leave, *stem)))
		return false;
	*ret_leave = false;
	return true;
}

/* Finds the names of values: __print_symbolic() of the field in the print format. */
static const struct arg *find_names(const struct event *ev, const struct field *f)
{
	for (const struct arg *a = ev->args; a; a = a->next)
		if (a->kind == ARG_SYMBOL && a->flags.value && a->flags.value->kind == ARG_FIELD &&
		    a->flags.value->field.field == f)
			return a;
	return NULL;
}

const struct syscall_table *forms_syscalls(const struct tracefile *tf)
{
	const struct tracefile_option *o = tracefile_option_find(tf, SNF_OPTION_UNAME);
	size_t len = o ? strnlen((const char *)o->data.data, o->data.len) : 0, start = len;

	while (start && o->data.data[start - 1] != ' ')
		start--;
	return len ? syscalls_for((const char *)o->data.data + start, len - start) : NULL;
}

static void settle_kind(struct forms *fs, struct timeline *tl, struct form_kind *fk,
			const struct timeline_kind *k, struct piece stem)
{
	const struct form *f = fk->form;
	const struct timeline_source *src = timeline_source(tl, k->source);
	const struct event *ev = k->event;

	fk->swap = src->formats->swap;
	if (f->what)
		fk->what = event_find_field(ev, fk->is_leave && f->leave_what ? f->leave_what
									      : f->what);
	if (f->id)
		fk->id = event_find_field(ev, f->id);
	if (f->depth)
		fk->depth = event_find_field(ev, f->depth);
	if (fk->is_leave) {
		fk->begin = event_find_field(ev, "calltime");
		fk->end = event_find_field(ev, "rettime");
		fk->detail = event_find_field(ev, "isa");
	}
	fk->is_whole = call_event_step(ev, &fk->is_user) == CALL_WHOLE;
	if (fk->is_whole || (fk->is_leave && f->classes == FORM_SYS))
		fk->duration = event_find_field(ev, "duration");
	if (f->label == LABEL_VALUE)
		fk->names = find_names(ev, fk->what);
	if (f->label == LABEL_SYSCALL)
		fk->syscalls = forms_syscalls(src->tf);
	if (f->label == LABEL_SYMBOL) {
		timeline_lock_formats(tl);
		fk->symbols = formats_kallsyms(src->formats);
		timeline_unlock_formats(tl);
	}
	if (f->label == LABEL_NAME)
		fk->label = labels_add(fs->labels, (const char *)stem.data, stem.len);
	fs->n_found++;
}

/* Drops repeated calls: raw_syscalls and syscalls record the same calls, and the first row wins. */
static void drop_doubles(struct forms *fs)
{
	const struct form *first = NULL;

	for (size_t i = 0; i < fs->n_kinds; i++) {
		const struct form *f = fs->kinds[i].form;

		if (f && f->classes == FORM_SYS && (!first || f < first))
			first = f;
	}
	for (size_t i = 0; first && i < fs->n_kinds; i++)
		if (fs->kinds[i].form && fs->kinds[i].form->classes == FORM_SYS &&
		    fs->kinds[i].form != first)
			fs->kinds[i].form = NULL;
}

int forms_init(struct forms *fs, struct timeline *tl, struct labels *labels, uint32_t machine,
	       unsigned classes)
{
	*fs = (struct forms){.labels = labels, .n_kinds = timeline_n_kinds(tl)};
	fs->kinds = calloc(fs->n_kinds + 1, sizeof(*fs->kinds));
	if (!fs->kinds)
		return -ENOMEM;
	for (size_t i = 0; i < fs->n_kinds; i++) {
		const struct timeline_kind *k = kind_of(tl, i, machine);
		struct form_kind *fk = &fs->kinds[i];

		for (size_t j = 0; k && !fk->form && j < ARRAY_LEN(table); j++) {
			const struct form *f = &table[j];
			struct piece stem = PIECE_EMPTY;

			if (!(f->classes & classes) || is_excluded(f, k->event->system) ||
			    (f->system && strcmp(f->system, k->event->system)))
				continue;
			if (f->needs_field
				    ? !fits_fields(f, k->event, &fk->is_leave)
				    : !fits_names(f, tl, machine, k->event, &fk->is_leave, &stem))
				continue;
			fk->form = f;
			settle_kind(fs, tl, fk, k, stem);
		}
	}
	drop_doubles(fs);
	return 0;
}

void forms_release(struct forms *fs)
{
	free(fs->kinds);
	*fs = (struct forms){0};
}

int forms_take_kinds(const struct forms *fs, bool leave, uint8_t **ret, size_t *ret_n)
{
	uint8_t *bits = calloc(1, fs->n_kinds / 8 + 1);

	if (!bits)
		return -ENOMEM;
	for (size_t i = 0; i < fs->n_kinds; i++)
		if (fs->kinds[i].form && fs->kinds[i].is_leave == leave)
			bit_set(bits, i);
	*ret = bits;
	*ret_n = fs->n_kinds;
	return 0;
}

bool form_is_loose(const struct form *f)
{
	return f->needs_field;
}

/* --- records ---------------------------------------------------------------------------------- */

static bool number_of(const struct field *f, const struct walk_event *ev, bool swap, uint64_t *ret)
{
	if (!f || (uint64_t)f->offset + f->size > ev->size)
		return false;
	*ret = bytes_get(ev->data + f->offset, f->size, swap);
	return true;
}

/* Returns the bytes of a text: inline, or at the offset given in the record. */
static struct piece text_of(const struct field *f, const struct walk_event *ev, bool swap)
{
	uint64_t v, offset = f->offset, len = f->size;

	if (f->flags & FIELD_DYNAMIC) {
		if (!number_of(f, ev, swap, &v))
			return PIECE_EMPTY;
		offset = v & 0xffff;
		len = f->size == 2 ? ev->size : v >> 16 & 0xffff;
		if (f->flags & FIELD_RELATIVE)
			offset += f->offset + f->size;
	}
	if (offset >= ev->size)
		return PIECE_EMPTY;
	len = len > ev->size - offset ? ev->size - offset : len;
	return (struct piece){ev->data + offset, strnlen((const char *)ev->data + offset, len)};
}

static uint32_t symbol_label(struct labels *labels, const struct form_kind *fk, uint64_t addr)
{
	const struct ksym *sym = fk->symbols ? kallsyms_find(fk->symbols, addr) : NULL;
	char hex[32];

	if (sym)
		return labels_add(labels, sym->name, sym->name_len);
	return labels_add(labels, hex,
			  snprintf(hex, sizeof(hex), "0x%llx", (unsigned long long)addr));
}

static uint32_t value_label(struct labels *labels, const struct form_kind *fk, uint64_t v)
{
	char text[32];

	for (size_t i = 0; fk->names && i < fk->names->flags.n_names; i++)
		if ((uint64_t)fk->names->flags.names[i].value == v)
			return labels_add(labels, fk->names->flags.names[i].text,
					  fk->names->flags.names[i].len);
	return labels_add(labels, text,
			  snprintf(text, sizeof(text), "%lld", (long long)(int64_t)v));
}

static uint32_t syscall_label(struct labels *labels, const struct form_kind *fk, uint64_t v)
{
	const char *name = syscall_name(fk->syscalls, v);
	char text[32];

	if (name)
		return labels_add(labels, name, strlen(name));
	return labels_add(labels, text,
			  snprintf(text, sizeof(text), "call %lld", (long long)(int64_t)v));
}

static uint32_t kvm_label(struct labels *labels, const struct form_kind *fk,
			  const struct walk_event *ev, uint64_t reason)
{
	uint64_t isa = KVM_ISA_VMX;
	const char *name;
	char text[32];

	number_of(fk->detail, ev, fk->swap, &isa);
	name = kvm_exit_name(isa, reason);
	if (!name)
		snprintf(text, sizeof(text), "reason %u", (unsigned)reason);
	return labels_add(labels, name ? name : text, strlen(name ? name : text));
}

static uint32_t number_label(struct forms *fs, const struct form_kind *fk,
			     const struct walk_event *ev, uint64_t v)
{
	switch (fk->form->label) {
	case LABEL_SYMBOL:
		return symbol_label(fs->labels, fk, v);
	case LABEL_SYSCALL:
		return syscall_label(fs->labels, fk, v);
	case LABEL_KVM:
		return kvm_label(fs->labels, fk, ev, v);
	default:
		return value_label(fs->labels, fk, v);
	}
}

static uint32_t label_of(struct forms *fs, const struct form_kind *fk, struct mark_cache *cache,
			 const struct walk_event *ev)
{
	struct piece text;
	uint64_t v;
	size_t at;

	if (fk->label)
		return fk->label;
	if (!fk->what)
		return 0;
	if (fk->form->label == LABEL_TEXT) {
		text = text_of(fk->what, ev, fk->swap);
		return labels_add(fs->labels, (const char *)text.data, text.len);
	}
	if (!number_of(fk->what, ev, fk->swap, &v))
		return 0;
	/* enter and leave have the same numbers but need separate slots */
	at = ((v ^ (uintptr_t)fk >> 4) * 0x9e3779b97f4a7c15u) >> (64 - MARK_CACHE_BITS);
	if (cache->slots[at].key != v || cache->slots[at].of != fk) {
		cache->slots[at].key = v;
		cache->slots[at].of = fk;
		cache->slots[at].label = number_label(fs, fk, ev, v);
	}
	return cache->slots[at].label;
}

bool forms_mark(void *ctx, struct mark_cache *cache, const struct walk_event *ev, void *ret_mark)
{
	struct mark *ret = ret_mark;
	struct forms *fs = ctx;
	const struct form_kind *fk = ev->kind < fs->n_kinds ? &fs->kinds[ev->kind] : NULL;
	uint64_t id = 0, depth = 0, begin, end, duration;

	if (!fk || !fk->form)
		return false;
	*ret = (struct mark){.ts = ev->ts, .task = ev->task, .depth = MARK_NO_DEPTH};
	ret->what = fk->is_leave ? MARK_LEAVE : MARK_ENTER;
	ret->label = label_of(fs, fk, cache, ev);
	if (fk->form->id && number_of(fk->id, ev, fk->swap, &id))
		ret->id = id ^ id >> 32;
	else if (!fk->form->id && !(fk->form->classes & (FORM_SYS | FORM_VCPU)))
		ret->id = ret->label;
	/*
	 * a task leaves its current call, independent of the number that the kernel records
	 * (rt_sigreturn: -1)
	 */
	if (number_of(fk->depth, ev, fk->swap, &depth))
		ret->depth = depth < MARK_NO_DEPTH ? depth : MARK_NO_DEPTH - 1;
	ret->is_user = fk->is_user;
	if (fk->is_whole && number_of(fk->duration, ev, fk->swap, &duration)) {
		ret->is_whole = true;
		ret->extra = duration;
	}
	if (fk->is_leave && number_of(fk->duration, ev, fk->swap, &duration) &&
	    duration < UINT64_C(1) << 48)
		ret->extra = duration;
	if (fk->is_leave && number_of(fk->begin, ev, fk->swap, &begin) &&
	    number_of(fk->end, ev, fk->swap, &end) && end > begin &&
	    end - begin < UINT64_C(1) << 48)
		ret->extra = end - begin;
	return true;
}

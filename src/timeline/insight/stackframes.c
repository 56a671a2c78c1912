// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * stackframes.c - the frames of kernel_stack and user_stack events, as labels.
 *
 *	kernel_stack   int size, unsigned long caller[]               functions, by kallsyms
 *	user_stack     unsigned int tgid, unsigned long caller[8]     as report prints them,
 *	                                                              "0x401234"
 *
 * The list of callers ends with the record, with a 0 (an unused entry) or with an entry that has
 * all bits set. The text of a program's frame depends on the kernel's print format, "\t=> %ps\n"
 * for each frame. So this file prints the event as report does, and uses the line of each frame as
 * its name. The labels of recent addresses are cached.
 */
#include "timeline/insight/stackframes.h"
#include "base/array.h"
#include "decode/print/print.h"
#include "format/bytes.h"
#include "symbols/kallsyms.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_MAX_BYTES 65536

struct stack_form {
	enum stack_of of;
	bool swap, has_printer;
	uint8_t long_size;
	const struct field *caller;
	const struct event *event;
	const struct kallsyms *symbols;
	struct printer printer; /* only for STACK_USER */
};

static int form_init(struct stack_reader *r, struct stack_form *f, size_t kind)
{
	struct timeline *tl = r->ls->tl;
	const struct timeline_kind *k = timeline_kind(tl, kind);
	struct formats *formats = timeline_source(tl, k->source)->formats;
	int e = 0;

	if (!k->event || strcmp(k->event->system, "ftrace"))
		return 0;
	if (!strcmp(k->event->name, "kernel_stack"))
		f->of = STACK_KERNEL;
	else if (!strcmp(k->event->name, "user_stack"))
		f->of = STACK_USER;
	else
		return 0;
	f->event = k->event;
	f->swap = formats->swap;
	f->long_size = formats_long_size(formats);
	f->caller = event_find_field(k->event, "caller");
	timeline_lock_formats(tl);
	if (f->of == STACK_KERNEL)
		f->symbols = formats_kallsyms(formats);
	else
		e = printer_init(&f->printer, formats, &r->text);
	timeline_unlock_formats(tl);
	f->has_printer = f->of == STACK_USER && e >= 0;
	r->has_any |= k->n_events > 0;
	return e < 0 ? -ENOMEM : 0;
}

int stack_reader_init(struct stack_reader *r, struct lanes *ls)
{
	int e = 0;

	r->ls = ls;
	r->n_forms = timeline_n_kinds(ls->tl);
	r->forms = calloc(r->n_forms + 1, sizeof(*r->forms));
	textbuf_init(&r->text, TEXT_MAX_BYTES);
	if (!r->forms)
		return -ENOMEM;
	for (size_t i = 0; i < r->n_forms && !e; i++)
		e = form_init(r, &r->forms[i], i);
	return e;
}

void stack_reader_release(struct stack_reader *r)
{
	for (size_t i = 0; r->forms && i < r->n_forms; i++)
		if (r->forms[i].has_printer)
			printer_release(&r->forms[i].printer);
	free(r->forms);
	textbuf_release(&r->text);
}

enum stack_of stack_reader_kind(const struct stack_reader *r, uint16_t kind)
{
	return kind < r->n_forms ? r->forms[kind].of : STACK_NONE;
}

/* Gets the address of frame i. Returns false if there is none. */
static bool get_frame(const struct stack_form *f, const struct walk_event *ev, unsigned i,
		      uint64_t *ret)
{
	uint64_t pos = f->caller ? f->caller->offset + (uint64_t)i * f->long_size : ev->size;

	/* the size of a kernel stack is that of the record */
	if (f->of == STACK_USER && f->caller && f->caller->size &&
	    pos + f->long_size > (uint64_t)f->caller->offset + f->caller->size)
		return false;
	if (pos + f->long_size > ev->size)
		return false;
	*ret = bytes_get(ev->data + pos, f->long_size, f->swap);
	return *ret && *ret != (f->long_size == 8 ? UINT64_MAX : UINT32_MAX);
}

bool stack_reader_is_empty(const struct stack_reader *r, const struct walk_event *ev)
{
	const struct stack_form *f = &r->forms[ev->kind];
	uint64_t addr;

	return f->of == STACK_USER && !get_frame(f, ev, 0, &addr);
}

/* Returns the cache slot for the label of an address. *ret_known is set if the slot contains it. */
static uint32_t *find_slot(struct stack_reader *r, const struct stack_form *f, uint64_t addr,
			   bool *ret_known)
{
	size_t at = (addr * 0x9e3779b97f4a7c15u) >> (64 - MARK_CACHE_BITS);

	*ret_known = r->cache.slots[at].key == addr && r->cache.slots[at].of == f;
	r->cache.slots[at].key = addr;
	r->cache.slots[at].of = f;
	return &r->cache.slots[at].label;
}

/*
 * Finds the text that report prints for frame i: after the i-th arrow of the event's text, up to
 * the end of that line.
 */
static size_t find_line(struct stack_reader *r, struct stack_form *f, const struct walk_event *ev,
			unsigned i, const char **ret)
{
	struct record rec = {.ts = ev->ts, .data = ev->data, .size = ev->size, .event = f->event};
	const char *at, *end;

	textbuf_clear(&r->text);
	printer_print(&f->printer, &rec, false);
	end = r->text.pos;
	for (at = r->text.start; at && at < end; i--) {
		const char *arrow = memmem(at, end - at, "=> ", 3), *stop;

		if (!arrow)
			return 0;
		at = arrow + 3;
		stop = memchr(at, '\n', end - at);
		stop = stop ? stop : end;
		if (!i) {
			*ret = at;
			return stop - at;
		}
		at = stop;
	}
	return 0;
}

static uint32_t frame_label(struct stack_reader *r, struct stack_form *f,
			    const struct walk_event *ev, unsigned i, uint64_t addr)
{
	const struct ksym *sym = f->symbols ? kallsyms_find(f->symbols, addr) : NULL;
	const char *line = NULL;
	size_t len = f->of == STACK_USER ? find_line(r, f, ev, i, &line) : 0;
	char hex[32];

	if (sym)
		return labels_add(&r->ls->labels, sym->name, sym->name_len);
	if (len)
		return labels_add(&r->ls->labels, line, len);
	snprintf(hex, sizeof(hex), "0x%llx", (unsigned long long)addr);
	return labels_add(&r->ls->labels, hex, strlen(hex));
}

/* Counts the innermost frames that belong to the tracer. */
static unsigned count_tracing(struct stack_reader *r, const uint32_t *labels, unsigned n)
{
	static const char *const heads[] = {"trace_event_raw_event_", "__traceiter_",
					    "trace_event_buffer_",    "__ftrace_trace_stack",
					    "__trace_stack",	      "probe_sched_"};
	unsigned skip = 0;

	for (unsigned i = 0; i < n && i < 4; i++) {
		const char *name = labels_find(&r->ls->labels, labels[i]);

		for (size_t j = 0; j < ARRAY_LEN(heads); j++)
			if (!strncmp(name, heads[j], strlen(heads[j])))
				skip = i + 1;
	}
	return skip;
}

unsigned stack_reader_frames(struct stack_reader *r, const struct walk_event *ev, uint32_t *labels,
			     unsigned max)
{
	struct stack_form *f = &r->forms[ev->kind];
	unsigned n = 0, skip;
	uint64_t addr;

	for (; n < max && get_frame(f, ev, n, &addr); n++) {
		bool is_known;
		uint32_t *label = find_slot(r, f, addr, &is_known);

		if (!is_known)
			*label = frame_label(r, f, ev, n, addr);
		labels[n] = *label;
	}
	skip = f->of == STACK_KERNEL ? count_tracing(r, labels, n) : 0;
	memmove(labels, labels + skip, (n - skip) * sizeof(*labels));
	return n - skip;
}

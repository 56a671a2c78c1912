// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * callrun.c - walks over the records of trace files, and prints the system calls.
 *
 * A file has system calls as sonde records them, or only the kernel's events raw_syscalls, which
 * rawcalls.h turns into calls. Other events are not decoded.
 *
 * Records in a sub-buffer begin at any multiple of 4 bytes; a copy is aligned for its numbers.
 */
#include "present/syscalls/callrun.h"

#include "base/errmsg.h"
#include "base/scope.h"
#include "base/textbuf.h"
#include "decode/order/sequence.h"
#include "symbols/tasks.h"
#include "decode/syscalls/rawcalls.h"
#include "format/tracedat.h"
#include "inputs/sources.h"
#include "store/events/syscallevents.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define RECORD_MAX_BYTES 4096
#define PIECE_BYTES	 (64u << 10)
#define TEXT_MAX_BYTES	 (16u << 20)

struct callrun_state {
	struct calllines *lines;
	struct rawcalls raw;
	bool swap;
};

struct callrun_state *callrun_new(struct calllines *c, uint32_t machine, bool swap)
{
	struct callrun_state *s = calloc(1, sizeof(*s));

	if (s) {
		s->lines = c;
		s->swap = swap;
		rawcalls_init(&s->raw, machine);
	}
	return s;
}

void callrun_free(struct callrun_state *s)
{
	if (!s)
		return;
	rawcalls_release(&s->raw);
	free(s);
}

/* Events of the kernel, which have numbers only. */
static void add_raw(struct callrun_state *s, const struct record *rec, struct textbuf *tb)
{
	struct syscallevents_call call;

	if (rawcalls_take(&s->raw, rec, s->swap, &call))
		calllines_add(s->lines, rec->ts, &call, sizeof(call), tb);
	else
		calllines_add_event(s->lines, rec, s->swap, tb);
}

static void add_record(struct callrun_state *s, const struct record *rec, struct textbuf *tb)
{
	union {
		uint64_t words[RECORD_MAX_BYTES / 8];
		struct syscallevents_call call;
	} copy;
	uint16_t type;

	if (rec->flags & RECORD_MISSED)
		calllines_add_lost(s->lines,
				   rec->extra && rec->extra->missed > 0 ? rec->extra->missed : 0,
				   tb);
	if (rec->size < sizeof(type))
		return;
	if (rec->task && rec->task->known)
		calllines_name(s->lines, rec->task->pid, rec->task->comm, rec->task->comm_len);
	memcpy(&type, rec->data, sizeof(type));
	if (s->swap || type < SYSCALLEVENTS_CALL || type > SYSCALLEVENTS_EXIT) {
		add_raw(s, rec, tb);
		return;
	}
	if (rec->size < SYSCALLEVENTS_CALL_BYTES || rec->size > sizeof(copy))
		return;
	memcpy(&copy, rec->data, rec->size);
	calllines_add(s->lines, rec->ts, &copy.call, rec->size, tb);
}

size_t callrun_add(struct callrun_state *s, const struct batch *b, size_t from, size_t max_bytes,
		   struct textbuf *tb)
{
	while (from < b->n && textbuf_len(tb) < max_bytes)
		add_record(s, &b->records[from++], tb);
	return from;
}

static int print_all(struct inputs_sources *src, struct callrun_state *s, struct batch *b,
		     callrun_write *write, void *ctx)
{
	struct calllines *c = s->lines;
	TEXTBUF(text, TEXT_MAX_BYTES);
	int r;

	while ((r = sequence_fill(src->seq, b)) > 0) {
		size_t at = 0;

		while (at < b->n) {
			at = callrun_add(s, b, at, PIECE_BYTES, &text);
			if (textbuf_len(&text) < PIECE_BYTES)
				continue;
			TRY(write(ctx, text.start, textbuf_len(&text)));
			calllines_cut(c, &text);
			textbuf_clear(&text);
		}
	}
	TRY(r);
	calllines_finish(c, &text);
	return textbuf_len(&text) ? write(ctx, text.start, textbuf_len(&text)) : 0;
}

/* Chooses the events: system calls that sonde recorded, or else those of the kernel. */
static int choose(const struct inputs *in, uint8_t *events)
{
	static const char *const raw[] = {"sys_enter", "sys_exit"};
	int n = 0;

	for (size_t i = 0; i < in->n_files; i++)
		for (size_t k = 0; k < inputs_n_buffers(&in->files[i]); k++) {
			const struct tracefile_buffer *b = inputs_buffer(&in->files[i], k);

			n += b && b->name && !strcmp(b->name, SYSCALLEVENTS_BUFFER);
		}
	if (n)
		memset(events + SYSCALLEVENTS_CALL, 1, SYSCALLEVENTS_EXIT - SYSCALLEVENTS_CALL + 1);
	for (size_t i = 0; i < in->n_files && !n; i++)
		for (size_t k = 0; k < in->files[i].formats->n_events; k++) {
			const struct event *ev = in->files[i].formats->by_id[k];

			if (strcmp(ev->system, "raw_syscalls") ||
			    (strcmp(ev->name, raw[0]) && strcmp(ev->name, raw[1])))
				continue;
			if ((unsigned)ev->id < SEQUENCE_IDS)
				events[ev->id] = 1;
			n++;
		}
	return n;
}

static uint32_t machine_of(const struct inputs_file *f)
{
	const struct tracefile_option *o = tracefile_option_find(f->tf, SNF_OPTION_UNAME);

	return o ? rawcalls_machine((const char *)o->data.data, o->data.len) : 0;
}

static int run(struct inputs_sources *src, const struct calllines_spec *spec, callrun_write *write,
	       void *ctx)
{
	const struct inputs_file *f = &src->in->files[0];
	struct callrun_state *s = NULL;
	struct calllines *c = NULL;
	struct batch b = {0};
	int r = batch_init(&b) < 0 ? -ENOMEM : calllines_new(&c, spec);

	if (r >= 0) {
		s = callrun_new(c, machine_of(f), f->formats->swap);
		r = s ? print_all(src, s, &b, write, ctx) : -ENOMEM;
	}
	callrun_free(s);
	calllines_free(c);
	batch_release(&b);
	return r;
}

int callrun(struct inputs *in, const struct calllines_spec *spec, callrun_write *write, void *ctx,
	    struct errmsg *err)
{
	SCOPED(scope_free) uint8_t *events = calloc(1, SEQUENCE_IDS);
	struct sequence_config sc = {.to = UINT64_MAX, .events = events, .n_events = SEQUENCE_IDS};
	SCOPED(inputs_sources_release) struct inputs_sources src = {0};
	int r;

	if (!events)
		return errmsg_set_errno(err, -ENOMEM, "cannot print the system calls");
	if (!choose(in, events))
		return errmsg_set(err, -ENODATA,
				  "%s has no system calls; 'sonde trace -o FILE.dat' and 'sonde "
				  "record --syscalls' record them",
				  inputs_path(&in->files[0]));
	r = inputs_sources_init(&src, in, &sc, err);
	if (r >= 0)
		r = inputs_sources_set_range(&src, err);
	if (r >= 0)
		r = run(&src, spec, write, ctx);
	return r < 0 && r != -EPIPE && !err->code
		       ? errmsg_set_errno(err, r, "cannot print the system calls")
		       : r;
}

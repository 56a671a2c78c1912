// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * kernel.c - writes the kernel's records of a uftrace.data directory, and task switches.
 *
 *	kernel-cpuN.dat  sub-buffers, with the times of the trace
 *	kernel_header    the formats of calls, and of the events that were seen
 *	kallsyms         the kernel's symbols of the trace
 *	perf-cpuN.dat    task switches, as perf reports them
 *
 * The records are packed anew: a trace may have another clock, and uftrace expects nanoseconds.
 */
#include "base/array.h"
#include "base/errmsg.h"
#include "base/scope.h"
#include "decode/formats/formats.h"
#include "decode/record.h"
#include "format/bytes.h"
#include "rewrite/uftrace/uftwriter_int.h"
#include "store/pagebuilder.h"
#include "store/events/userevents.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PAGE_BYTES	 4096u
#define CPUS_MAX	 4096
#define HEADER_MAX_BYTES (64u << 20)
#define PARENTS_MAX	 (1u << 22)
#define FORMAT_MAX_BYTES 4095u /* uftrace reads a format into 4096 bytes */
#define PIECE_BYTES	 (256u << 10)

static int no_memory(struct errmsg *err)
{
	return errmsg_set_errno(err, -ENOMEM, "cannot write the kernel's records");
}

int uftwriter_use_kernel(struct uftwriter *w, struct formats *f, struct errmsg *err)
{
	w->kernel.formats = f;
	w->kernel.entry = formats_find_name(f, "ftrace", "funcgraph_entry");
	w->kernel.exit = formats_find_name(f, "ftrace", "funcgraph_exit");
	if (!w->kernel.entry || !w->kernel.exit)
		return errmsg_set(err, -ENODATA, "the trace has no calls of the kernel");
	return 0;
}

/* All CPUs up to this one get a file. */
static struct uft_cpu *find_cpu(struct uftwriter *w, uint32_t cpu)
{
	struct uft_kernel_out *k = &w->kernel;

	if (cpu >= CPUS_MAX || !ARRAY_ROOM(k->cpus, k->cap_cpus, (size_t)cpu + 1, CPUS_MAX))
		return NULL;
	for (; k->n_cpus <= cpu; k->n_cpus++) {
		struct uft_cpu *c = &k->cpus[k->n_cpus];

		*c = (struct uft_cpu){0};
		textbuf_init(&c->pages, 2 * PIECE_BYTES);
		if (pagebuilder_init_host(&c->page, PAGE_BYTES) < 0)
			return NULL;
	}
	return &k->cpus[cpu];
}

static int flush_cpu(struct uftwriter *w, uint32_t cpu, struct errmsg *err)
{
	struct uft_cpu *c = &w->kernel.cpus[cpu];
	char name[32];

	if (c->pages.overflow)
		return no_memory(err);
	snprintf(name, sizeof(name), "kernel-cpu%u.dat", cpu);
	TRY(uftwriter_append(w, name, !c->is_created, c->pages.start, textbuf_len(&c->pages), err));
	c->is_created = true;
	textbuf_clear(&c->pages);
	return 0;
}

static int end_page(struct uftwriter *w, uint32_t cpu, struct errmsg *err)
{
	struct uft_cpu *c = &w->kernel.cpus[cpu];
	struct piece page;

	if (!c->has_page)
		return 0;
	c->has_page = false;
	page = pagebuilder_end(&c->page);
	textbuf_add(&c->pages, (const char *)page.data, page.len);
	return textbuf_len(&c->pages) >= PIECE_BYTES ? flush_cpu(w, cpu, err) : 0;
}

/* Notes which formats the header needs. */
static int note_event(struct uft_kernel_out *k, const struct event *ev)
{
	if (ev == k->entry || ev == k->exit)
		return 0;
	for (size_t i = 0; i < k->n_events; i++)
		if (k->events[i] == ev)
			return 0;
	if (!ARRAY_ROOM(k->events, k->cap_events, k->n_events + 1, 65536))
		return -ENOMEM;
	k->events[k->n_events++] = ev;
	return 0;
}

int uftwriter_add_kernel(struct uftwriter *w, const struct record *rec, struct errmsg *err)
{
	struct uft_cpu *c = find_cpu(w, rec->cpu);
	bool is_missed = rec->flags & RECORD_MISSED;
	int64_t missed = 0;

	if (!c || (rec->event && note_event(&w->kernel, rec->event) < 0))
		return no_memory(err);
	if (is_missed)
		missed = rec->extra && rec->extra->missed > 0 ? rec->extra->missed
							      : PAGEBUILDER_MISSED_UNKNOWN;
	if (is_missed)
		TRY(end_page(w, rec->cpu, err));
	if (!rec->event)
		return 0;
	if (!c->has_page)
		pagebuilder_begin(&c->page, rec->ts, missed);
	c->has_page = true;
	if (pagebuilder_add(&c->page, rec->ts, rec->data, rec->size))
		return 0;
	TRY(end_page(w, rec->cpu, err));
	pagebuilder_begin(&c->page, rec->ts, 0);
	c->has_page = true;
	pagebuilder_add(&c->page, rec->ts, rec->data, rec->size);
	return 0;
}

/*
 * --- task switches -----------------------------------------------------------------------------
 */

/* Where the thread of a record is, behind its head; 0: it is of another kind. */
static size_t place_of_tid(uint32_t type)
{
	switch (type) {
	case PERF_RECORD_COMM:
	case PERF_RECORD_SWITCH:
		return 4;
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		return 8;
	}
	return 0;
}

/* A new process; other threads of a process have its pid. data: behind the head. */
static void note_parent(struct uftwriter *w, const uint8_t *data, size_t len)
{
	uint32_t n[3]; /* pid, parent, thread */
	void **slot;

	if (len < sizeof(n))
		return;
	memcpy(n, data, sizeof(n));
	if (n[0] != n[2] || !n[1])
		return;
	slot = map_take(&w->parents, (uint64_t)n[0] + 1, PARENTS_MAX);
	if (slot)
		*slot = (void *)(uintptr_t)n[1];
}

int uftwriter_add_switches(struct uftwriter *w, struct piece data, struct errmsg *err)
{
	TEXTBUF(kept, data.len + 1);
	struct perf_event_header head;
	char name[32];

	for (size_t pos = 0; data.len - pos >= sizeof(head); pos += head.size) {
		size_t at;
		uint32_t tid;

		memcpy(&head, data.data + pos, sizeof(head));
		if (head.size < sizeof(head) || head.size > data.len - pos)
			break;
		if (head.type == PERF_RECORD_FORK)
			note_parent(w, data.data + pos + sizeof(head), head.size - sizeof(head));
		at = place_of_tid(head.type);
		if (!at || head.size < sizeof(head) + at + 4)
			continue;
		memcpy(&tid, data.data + pos + sizeof(head) + at, 4);
		if (map_find(&w->tasks, (uint64_t)tid + 1))
			textbuf_add(&kept, (const char *)data.data + pos, head.size);
	}
	snprintf(name, sizeof(name), "perf-cpu%zu.dat", w->n_perf_cpus++);
	return uftwriter_write_text(w, name, &kept, err);
}

/*
 * --- texts -------------------------------------------------------------------------------------
 */

static void add_text(struct textbuf *tb, const char *name, const char *text, size_t len)
{
	textbuf_addf(tb, "TRACEFS: %s: %zu\n", name, len);
	textbuf_add(tb, text, len);
}

static void add_format(struct textbuf *tb, const struct event *ev)
{
	size_t len = ev->text.len < FORMAT_MAX_BYTES ? ev->text.len : FORMAT_MAX_BYTES;
	char name[300];

	snprintf(name, sizeof(name), "events/%s/%s/format", ev->system, ev->name);
	add_text(tb, name, (const char *)ev->text.data, len);
}

static int write_header(struct uftwriter *w, struct errmsg *err)
{
	const struct uft_kernel_out *k = &w->kernel;
	TEXTBUF(tb, HEADER_MAX_BYTES);
	TEXTBUF(page, HEADER_MAX_BYTES);

	userevents_fmt_header_page(&page, PAGE_BYTES);
	textbuf_addf(&tb, "PAGE_SIZE: %u\nLONG_SIZE: %zu\nENDIAN: %s\n", PAGE_BYTES, sizeof(long),
		     bytes_host_is_big() ? "BE" : "LE");
	add_text(&tb, "events/header_page", textbuf_text(&page), textbuf_len(&page));
	add_format(&tb, k->entry);
	add_format(&tb, k->exit);
	for (size_t i = 0; i < k->n_events; i++)
		add_format(&tb, k->events[i]);
	return uftwriter_write_text(w, "kernel_header", &tb, err);
}

/* The trace's symbols are also those of programs, at low addresses. */
static int write_symbols(struct uftwriter *w, struct errmsg *err)
{
	struct piece all = tracefile_text(w->kernel.formats->tf, TRACEFILE_KALLSYMS);
	const char *pos = (const char *)all.data, *end = pos + all.len;
	TEXTBUF(tb, all.len + 1);

	while (pos && pos < end) {
		const char *nl = memchr(pos, '\n', (size_t)(end - pos));
		size_t len = nl ? (size_t)(nl - pos) + 1 : (size_t)(end - pos);

		if (*pos == 'f')
			textbuf_add(&tb, pos, len);
		pos += len;
	}
	return uftwriter_write_text(w, "kallsyms", &tb, err);
}

int uftwriter_write_kernel(struct uftwriter *w, struct errmsg *err)
{
	if (!w->kernel.formats)
		return 0;
	if (!find_cpu(w, 0))
		return no_memory(err);
	for (uint32_t i = 0; i < w->kernel.n_cpus; i++) {
		TRY(end_page(w, i, err));
		TRY(flush_cpu(w, i, err));
	}
	TRY(write_header(w, err));
	return write_symbols(w, err);
}

void uftwriter_free_kernel(struct uftwriter *w)
{
	for (size_t i = 0; i < w->kernel.n_cpus; i++) {
		pagebuilder_release(&w->kernel.cpus[i].page);
		textbuf_release(&w->kernel.cpus[i].pages);
	}
	free(w->kernel.cpus);
	free(w->kernel.events);
}

// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * kernel.c - reads the kernel's records of a uftrace.data directory.
 *
 *	PAGE_SIZE: 4096
 *	LONG_SIZE: 8
 *	ENDIAN: LE
 *	TRACEFS: events/header_page: 205                          then 205 bytes
 *	TRACEFS: events/ftrace/funcgraph_entry/format: 446        then 446 bytes
 *	…
 *
 * Events whose format is not in the header are skipped; uftrace 0.13 forgets those of -E, and shows
 * nothing of that CPU from there on. The files may be hostile: the walker checks lengths, and
 * fields outside of a record count as 0.
 */
#include "analyse/uftrace/kernel.h"

#include "analyse/uftrace/walk.h"
#include "base/array.h"
#include "base/scope.h"
#include "decode/formats/event.h"
#include "decode/formats/formats.h"
#include "decode/print/print.h"
#include "decode/record.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EVENTS_MAX 65536
#define PAGE_MIN   64
#define PAGE_MAX   (1u << 20)

/* The number of a field; 0 if there is none. */
static uint64_t number_of(const struct uft_kernel *k, const struct field *f, const uint8_t *data,
			  uint32_t n_bytes)
{
	if (!f || f->size > 8 || (uint64_t)f->offset + f->size > n_bytes)
		return 0;
	return bytes_get(data + f->offset, f->size, k->layout.swap);
}

/*
 * --- the header --------------------------------------------------------------------------------
 */

/* name: "events/SYSTEM/NAME/format" */
static int add_event(struct uft_kernel *k, const char *name, struct piece text, size_t *cap)
{
	struct arena *a = &k->formats->arena;
	struct piece head;
	struct event *ev;
	char system[128];

	if (sscanf(name, "events/%127[^/]/", system) != 1 || !strstr(name, "/format"))
		return 0;
	ev = arena_alloc(a, sizeof(*ev));
	if (!ev || !ARRAY_ROOM(k->events, *cap, k->n_events + 1, EVENTS_MAX))
		return -ENOMEM;
	*ev = (struct event){.text = text, .formats = k->formats};
	if (!event_parse_head(text, &head, &ev->id))
		return 0;
	ev->system = arena_strndup(a, system, strlen(system));
	ev->name = arena_strndup(a, (const char *)head.data, head.len);
	if (!ev->system || !ev->name)
		return -ENOMEM;
	ev->is_ftrace = !strcmp(system, "ftrace");
	event_parse(ev, a);
	k->events[k->n_events++] = ev;
	if (ev->is_ftrace && !strcmp(ev->name, "funcgraph_entry"))
		k->entry = ev;
	if (ev->is_ftrace && !strcmp(ev->name, "funcgraph_exit"))
		k->exit = ev;
	return 0;
}

static void set_common(struct common_field *to, const struct event *ev, const char *name)
{
	const struct field *f = event_find_common(ev, name);

	if (f)
		*to = (struct common_field){f->offset, f->size};
}

/* A line of the header that is no text of an event. */
static void parse_number(struct uft_kernel *k, const char *line)
{
	unsigned n;

	if (sscanf(line, "PAGE_SIZE: %u", &n) == 1 && n >= PAGE_MIN && n <= PAGE_MAX)
		k->page_bytes = n;
	else if (sscanf(line, "LONG_SIZE: %u", &n) == 1 && (n == 4 || n == 8))
		k->layout.long_size = (uint8_t)n;
	else if (!strncmp(line, "ENDIAN: ", 8))
		k->layout.big_endian = line[8] == 'B';
}

static int parse_header(struct uft_kernel *k, struct piece header)
{
	const char *pos = (const char *)header.data, *end = pos + header.len;
	size_t cap = 0;

	while (pos && pos < end) {
		const char *nl = memchr(pos, '\n', (size_t)(end - pos));
		size_t len = nl ? (size_t)(nl - pos) : (size_t)(end - pos), n = 0;
		char line[256], name[200];

		snprintf(line, sizeof(line), "%.*s", (int)(len < 255 ? len : 255), pos);
		pos += len + 1;
		if (sscanf(line, "TRACEFS: %199[^:]: %zu", name, &n) != 2) {
			parse_number(k, line);
			continue;
		}
		if (pos > end || n > (size_t)(end - pos))
			break;
		TRY(add_event(k, name, (struct piece){(const uint8_t *)pos, n}, &cap));
		pos += n;
	}
	return 0;
}

static int read_formats(struct uft_kernel *k, struct piece header, struct piece kallsyms)
{
	struct formats *f = k->formats;

	f->config.kallsyms_path = NULL;
	TRY(parse_header(k, header));
	k->layout.swap = k->layout.big_endian != bytes_host_is_big();
	k->layout.data_offset = 8 + k->layout.long_size;
	if (!k->entry || !k->exit)
		return -EINVAL;
	f->swap = k->layout.swap;
	f->big_endian = k->layout.big_endian;
	f->long_size = k->layout.long_size;
	set_common(&f->type, k->entry, "common_type");
	set_common(&f->pid, k->entry, "common_pid");
	/* more events than entry and exit may print functions */
	return k->n_events > 2 ? formats_add_symbols(f, kallsyms) : 0;
}

int uft_kernel_new(struct uft_kernel **ret, struct piece header, struct piece kallsyms,
		   size_t n_cpus)
{
	struct uft_kernel *k = calloc(1, sizeof(*k));
	int r;

	if (!k)
		return -ENOMEM;
	k->page_bytes = 4096;
	k->layout.long_size = 8;
	k->n_cpus = n_cpus;
	k->cpus = calloc(n_cpus + 1, sizeof(*k->cpus));
	k->formats = formats_new_bare();
	r = k->cpus && k->formats ? read_formats(k, header, kallsyms) : -ENOMEM;
	if (r < 0)
		uft_kernel_free(k);
	else
		*ret = k;
	return r;
}

void uft_kernel_free(struct uft_kernel *k)
{
	if (!k)
		return;
	if (k->printer) {
		printer_release(k->printer);
		free(k->printer);
	}
	formats_free(k->formats);
	free(k->events);
	free(k->cpus);
	free(k);
}

/*
 * --- records -----------------------------------------------------------------------------------
 */

void uft_kernel_rewind(struct uft_kernel *k)
{
	for (size_t i = 0; i < k->n_cpus; i++) {
		k->cpus[i].pos = 0;
		k->cpus[i].has_page = false;
		k->cpus[i].missed = 0;
	}
}

static struct event *find_event(const struct uft_kernel *k, int id)
{
	for (size_t i = 0; i < k->n_events; i++)
		if (k->events[i]->id == id)
			return k->events[i];
	return NULL;
}

static void fill_call(const struct uft_kernel *k, const struct event *ev, const struct walked *w,
		      struct uft_record *ret)
{
	ret->type = ev == k->entry ? UFT_ENTRY : UFT_EXIT;
	ret->addr = number_of(k, event_find_field(ev, "func"), w->data, w->size) & UFT_KERNEL_MASK;
	ret->depth = number_of(k, event_find_field(ev, "depth"), w->data, w->size) & UFT_DEPTH_MAX;
}

/* False: the header does not have its format. */
static bool fill(const struct uft_kernel *k, const struct walked *w, struct uft_kernel_record *ret)
{
	const struct formats *f = k->formats;
	int id = formats_record_id(f, w->data, w->size);
	const struct event *ev = id == k->entry->id  ? k->entry
				 : id == k->exit->id ? k->exit
						     : find_event(k, id);

	if (!ev)
		return false;
	*ret = (struct uft_kernel_record){
		.rec.time_ns = w->ts, .data = w->data, .n_bytes = w->size};
	ret->tid = ret->next_tid = formats_common(f, &f->pid, w->data, w->size);
	if (ev == k->entry || ev == k->exit) {
		fill_call(k, ev, w, &ret->rec);
		return true;
	}
	ret->rec.type = UFT_EVENT;
	ret->rec.addr = (uint64_t)id;
	ret->rec.more = true;
	if (!strcmp(ev->name, "sched_switch"))
		ret->next_tid =
			(int)number_of(k, event_find_field(ev, "next_pid"), w->data, w->size);
	return true;
}

/* The next sub-buffer. False: there is none. */
static bool next_page(const struct uft_kernel *k, struct uft_kernel_cpu *c)
{
	size_t rest = c->n_bytes - c->pos, n = rest < k->page_bytes ? rest : k->page_bytes;

	if (!n || !walker_start(&c->page, c->data + c->pos, n, &k->layout)) {
		c->pos = c->n_bytes;
		return false;
	}
	c->pos += n;
	c->has_page = true;
	if (c->page.missed)
		c->missed = c->page.missed;
	return true;
}

bool uft_kernel_read(struct uft_kernel *k, size_t cpu, struct uft_kernel_record *ret)
{
	struct uft_kernel_cpu *c = &k->cpus[cpu];
	struct walked w;

	while (c->has_page || next_page(k, c)) {
		if (!walker_next(&c->page, &w))
			c->has_page = false;
		else if (fill(k, &w, ret))
			return true;
	}
	return false;
}

/*
 * --- events ------------------------------------------------------------------------------------
 */

void uft_kernel_add_names(const struct uft_kernel *k, struct textbuf *tb)
{
	for (size_t i = 0; i < k->n_events; i++)
		if (!k->events[i]->is_ftrace)
			textbuf_addf(tb, "EVENT: %d %s:%s\n", k->events[i]->id,
				     k->events[i]->system, k->events[i]->name);
}

void uft_kernel_print(struct uft_kernel *k, uint64_t id, const struct uft_values *v,
		      struct textbuf *tb)
{
	struct event *ev = find_event(k, (int)id);
	struct record rec = {.data = v->data, .event = ev, .size = (uint32_t)v->n_bytes};

	if (!ev)
		return;
	if (!k->printer) {
		k->printer = calloc(1, sizeof(*k->printer));
		if (k->printer && printer_init(k->printer, k->formats, tb) < 0) {
			free(k->printer);
			k->printer = NULL;
		}
	}
	if (!k->printer)
		return;
	if (!ev->compiled)
		event_compile(ev);
	k->printer->out = tb;
	printer_print(k->printer, &rec, false);
}

// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * asfile.c - writes the calls of a uftrace.data directory into a trace file.
 *
 *	uftdata ─▶ analyse/uftrace/walk ─▶ user_entry, user_exit ─▶ store/writer ─▶ tracefile
 *
 * The events are those of sonde record -u (store/events/userevents.h), all on CPU 0: a directory
 * does not say where a call ran. Task switches (switches.c) have their CPU, and a buffer of their
 * own. A function is a symbol; one without a symbol is named after its address. Filters that the recorder stored (default.opts)
 * do not apply: the commands have their own.
 */
#include "inputs/uftrace/asfile.h"

#include "analyse/uftrace/kernel.h"
#include "analyse/uftrace/valuetext.h"
#include "analyse/uftrace/walk.h"
#include "base/array.h"
#include "base/errmsg.h"
#include "base/map.h"
#include "base/scope.h"
#include "base/textbuf.h"
#include "decode/formats/event.h"
#include "format/tracedat.h"
#include "inputs/foreign/formats.h"
#include "inputs/uftrace/data.h"
#include "inputs/uftrace/switches.h"
#include "store/packedtext.h"
#include "store/pagebuilder.h"
#include "store/events/userevents.h"
#include "store/writer.h"
#include "symbols/uftrace/session.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PAGE_BYTES     4096u
#define FUNCTIONS_MAX  (1u << 22)
#define TEXT_MAX_BYTES (1u << 30)

struct conversion {
	struct uftdata data;
	struct uft_walk *walk;
	struct pagebuilder page;
	struct uftswitches switches;
	struct map functions; /* number + 1, by symbol or by address */
	struct textbuf kallsyms, formats, header_page, header_event, cmdlines, processes, packed;
	struct textbuf ftrace; /* formats of the kernel's calls */
	uint32_t n_functions;
	struct writer *writer;
	bool is_full;	 /* memory ran out */
	bool has_kernel; /* its records have the form of this machine */
};

static void release(struct conversion *c)
{
	writer_free(c->writer);
	uft_walk_free(c->walk);
	uftdata_close(&c->data);
	pagebuilder_release(&c->page);
	pagebuilder_release(&c->switches.page);
	map_release(&c->functions);
	textbuf_release(&c->kallsyms);
	textbuf_release(&c->formats);
	textbuf_release(&c->header_page);
	textbuf_release(&c->header_event);
	textbuf_release(&c->cmdlines);
	textbuf_release(&c->processes);
	textbuf_release(&c->packed);
	textbuf_release(&c->ftrace);
}

/*
 * --- records -----------------------------------------------------------------------------------
 */

static const char *file_of(const struct conversion *c, const struct uft_lane *l)
{
	const struct uft_session *s = uft_session_find(&c->data.names, l->task, l->rec.time_ns);
	const struct uft_map *m = s ? uft_map_find(s, l->rec.addr) : NULL;
	const char *slash = m && m->path ? strrchr(m->path, '/') : NULL;

	return slash ? slash + 1 : m && m->path ? m->path : "?";
}

/* The function of the current record in events; 0: no memory. */
static uint32_t find_function(struct conversion *c, struct uft_lane *l)
{
	const struct uft_sym *sym = uft_walk_rec_sym(c->walk, l, &l->rec);
	uint64_t key = sym ? (uintptr_t)sym : l->rec.addr << 16 | 1; /* symbols are aligned */
	void **slot = map_take(&c->functions, key, FUNCTIONS_MAX);
	char name[32];

	if (!slot) {
		c->is_full = true;
		return 0;
	}
	if (!*slot) {
		snprintf(name, sizeof(name), "func_%" PRIx64, l->rec.addr);
		userevents_add_symbol(&c->kallsyms, c->n_functions, sym ? sym->name : name,
				      file_of(c, l));
		*slot = (void *)(uintptr_t)++c->n_functions;
	}
	return userevents_func((uint32_t)(uintptr_t)*slot - 1);
}

static bool is_call(const struct uft_lane *l)
{
	return l->source == UFT_OF_TASK && (l->rec.type == UFT_ENTRY || l->rec.type == UFT_EXIT);
}

static bool is_kernel_call(const struct uft_lane *l)
{
	return uft_in_kernel(l) && l->rec.type != UFT_EVENT;
}

/* The bytes of the current record, which is a call; *rec keeps those of a user function. */
static struct piece record_of(struct conversion *c, struct uft_lane *l, struct userevents_long *rec)
{
	bool is_exit = l->rec.type == UFT_EXIT;
	TEXTBUF(text, USEREVENTS_TEXT_MAX);
	const struct uft_item *item;
	const char *args, *ret;

	if (l->source == UFT_OF_KERNEL) { /* as the kernel wrote it */
		const struct uft_queue *q = &c->walk->kernel_waiting[c->walk->kernel_cpu];

		item = &q->items[q->head];
		return (struct piece){item->values.data, item->values.n_bytes};
	}
	rec->head = (struct userevents_record){
		.type = is_exit ? USEREVENTS_EXIT : USEREVENTS_ENTRY,
		.pid = l->tid,
		.func = find_function(c, l),
		.depth = l->rec.depth,
	};
	item = &l->waiting.items[l->waiting.head];
	if (!item->rec.more)
		return (struct piece){(const uint8_t *)rec, USEREVENTS_SHORT_BYTES};
	uft_values_fmt(NULL, c->walk, l, &item->values,
		       UFT_VALUES_MORE | (is_exit ? UFT_VALUES_RETVAL : 0), &text);
	args = is_exit ? "" : textbuf_text(&text);
	ret = is_exit ? textbuf_text(&text) : "";
	return (struct piece){(const uint8_t *)rec,
			      userevents_fill_texts(rec, args, (uint32_t)strlen(args), ret,
						    (uint32_t)strlen(ret))};
}

/* A page of records; 0: there are no more. */
static int next_page(void *ctx, uint32_t *ret_cpu, struct piece *ret)
{
	struct conversion *c = ctx;
	struct uft_lane *l;
	bool has_begun = false;
	int64_t n_lost = 0;

	while ((l = uft_walk_peek(c->walk))) {
		struct userevents_long rec;

		if (l->source == UFT_OF_TASK && l->rec.type == UFT_LOST) {
			if (has_begun)
				break; /* losses are before a page */
			n_lost += (int64_t)l->rec.addr;
		}
		if (is_call(l) || (c->has_kernel && is_kernel_call(l))) {
			struct piece bytes = record_of(c, l, &rec);

			if (c->is_full)
				return -ENOMEM;
			if (!has_begun)
				pagebuilder_begin(&c->page, l->rec.time_ns, n_lost);
			has_begun = true;
			if (!pagebuilder_add(&c->page, l->rec.time_ns, bytes.data,
					     (uint32_t)bytes.len))
				break;
		}
		uft_walk_take(c->walk, l);
	}
	if (!has_begun)
		return 0;
	*ret_cpu = 0;
	*ret = pagebuilder_end(&c->page);
	return 1;
}

/*
 * --- texts -------------------------------------------------------------------------------------
 */

static struct piece piece_of(const struct textbuf *tb)
{
	return (struct piece){(const uint8_t *)(tb->start ? tb->start : ""), textbuf_len(tb)};
}

/* The name of a task: of perf's data, or of its program. */
static void add_tasks(struct conversion *c)
{
	for (size_t i = 0; i < c->data.n_streams; i++) {
		int tid = c->data.streams[i].tid;
		const struct uft_task *t = uft_task_find(&c->data.names, tid);
		const char *exe = c->data.dir.info.exename ? c->data.dir.info.exename : "?";
		const char *slash = strrchr(exe, '/');

		textbuf_addf(&c->cmdlines, "%d %.15s\n", tid,
			     t && t->comm[0] ? t->comm
			     : slash	     ? slash + 1
					     : exe);
		if (t && t->pid != tid)
			textbuf_addf(&c->processes, "thread %d %d\n", tid, t->pid);
	}
}

static void add_format(struct textbuf *tb, const struct event *ev)
{
	uint64_t len = ev->text.len;

	textbuf_add(tb, (const char *)&len, sizeof(len));
	textbuf_add(tb, (const char *)ev->text.data, ev->text.len);
}

/* The formats and the functions of the kernel. */
static void add_kernel_formats(struct conversion *c)
{
	const struct uft_module *m = c->data.names.kernel;
	uint32_t n = 2;

	if (!c->has_kernel)
		return;
	textbuf_add(&c->ftrace, (const char *)&n, sizeof(n));
	add_format(&c->ftrace, c->data.kernel->entry);
	add_format(&c->ftrace, c->data.kernel->exit);
	for (size_t i = 0; m && i < m->n_syms; i++)
		textbuf_addf(&c->kallsyms, "%016" PRIx64 " %c %s\n",
			     m->syms[i].addr | ~UFT_KERNEL_MASK, m->syms[i].type, m->syms[i].name);
}

static int add_texts(struct conversion *c, struct errmsg *err)
{
	struct {
		enum tracefile_text_kind kind;
		const struct textbuf *tb;
	} texts[] = {{TRACEFILE_HEADER_PAGE, &c->header_page},
		     {TRACEFILE_HEADER_EVENT, &c->header_event},
		     {TRACEFILE_FTRACE_FORMATS, &c->ftrace},
		     {TRACEFILE_EVENT_FORMATS, &c->formats},
		     {TRACEFILE_CMDLINES, &c->cmdlines}};

	userevents_fmt_header_page(&c->header_page, PAGE_BYTES);
	userevents_fmt_header_event(&c->header_event);
	userevents_add_formats(&c->formats);
	uftswitches_add_format(&c->formats);
	add_kernel_formats(c);
	add_tasks(c);
	for (size_t i = 0; i < ARRAY_LEN(texts); i++)
		TRY(writer_add_text(c->writer, texts[i].kind, piece_of(texts[i].tb), err));
	if (!textbuf_len(&c->processes) || packedtext_fmt(piece_of(&c->processes), &c->packed) < 0)
		return 0;
	return writer_add_option(c->writer, SNF_OPTION_PROCESSES, piece_of(&c->packed), err);
}

static int write_file(struct conversion *c, const struct foreign_config *to, struct errmsg *err)
{
	struct writer_config config = {.path = to->output,
				       .version = to->version,
				       .compression = to->compression,
				       .plain_data = to->plain_data,
				       .big_endian = bytes_host_is_big(),
				       .long_size = sizeof(long),
				       .page_size = PAGE_BYTES,
				       .n_threads = 1,
				       .is_copy = true};
	struct writer_buffer buffer = {.name = "", .clock = "mono", .page_size = PAGE_BYTES};
	struct writer_buffer sched = {.name = "sched", .clock = "mono", .page_size = PAGE_BYTES};
	struct writer_source source = {c, next_page}, switches = {&c->switches, uftswitches_next};
	int index, more = 0;

	TRY(writer_open(&c->writer, &config, err));
	writer_set_cpu_count(c->writer, c->data.n_perfs ? (uint32_t)c->data.n_perfs : 1);
	TRY(add_texts(c, err));
	index = writer_add_buffer(c->writer, &buffer, err);
	if (index >= 0 && c->data.n_perfs)
		more = writer_add_buffer(c->writer, &sched, err);
	if (index < 0 || more < 0)
		return index < 0 ? index : more;
	TRY(writer_write_buffer(c->writer, index, &source, err));
	uftswitches_rewind(&c->switches);
	if (c->data.n_perfs)
		TRY(writer_write_buffer(c->writer, more, &switches, err));
	TRY(writer_add_text(c->writer, TRACEFILE_KALLSYMS, piece_of(&c->kallsyms), err));
	return writer_close(TAKE(c->writer), err);
}

static int start(struct conversion *c, const char *dir, struct errmsg *err)
{
	struct textbuf *texts[] = {&c->kallsyms, &c->formats,	&c->header_page, &c->header_event,
				   &c->cmdlines, &c->processes, &c->packed,	 &c->ftrace};
	struct uft_walk_config config;

	for (size_t i = 0; i < ARRAY_LEN(texts); i++)
		textbuf_init(texts[i], TEXT_MAX_BYTES);
	c->page = (struct pagebuilder){.big_endian = bytes_host_is_big(),
				       .long_size = sizeof(long),
				       .data_offset = 8 + sizeof(long),
				       .page_size = PAGE_BYTES};
	c->switches = (struct uftswitches){.data = &c->data, .page = c->page};
	TRY(uftdata_open(&c->data, dir, UFT_NAMES_SIMPLE, false, err));
	uftdata_walk_config(&c->data, &config);
	config.no_event = true;
	c->has_kernel = c->data.kernel && !c->data.kernel->layout.swap &&
			c->data.kernel->layout.long_size == sizeof(long);
	if (pagebuilder_init(&c->page) < 0 || pagebuilder_init(&c->switches.page) < 0 ||
	    uft_walk_new(&c->walk, &config) < 0)
		return errmsg_set_errno(err, -ENOMEM, "cannot read %s", dir);
	return 0;
}

int uftdata_convert(const struct foreign_config *config, struct errmsg *err)
{
	SCOPED(release) struct conversion c = {0};

	if (config->version != 7) /* the functions are known when all calls are written */
		return errmsg_set(err, -ENOTSUP,
				  "a uftrace.data becomes a trace of version 7; convert that one "
				  "to version %d",
				  config->version);
	TRY(start(&c, config->input, err));
	return write_file(&c, config, err);
}

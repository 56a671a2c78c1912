// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * maker.c - the trace file that a file of another tool becomes: pages, formats, symbols, tasks.
 *
 *	maker_add ─▶ lanes (pages of each CPU, in a file without a name) ─▶ store/writer
 *
 * Made-up addresses of functions are 16 apart, at the end of the address space, where no kernel has
 * code: a reader that looks for the last symbol before an address finds the right one.
 */
#include "inputs/foreign/maker.h"

#include "base/array.h"
#include "base/errmsg.h"
#include "base/hash.h"
#include "base/scope.h"
#include "store/events/eventformats.h"
#include "store/events/userevents.h"
#include "store/packedtext.h"
#include "store/writer.h"
#include "symbols/processes.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FUNCTIONS_AT   UINT64_C(0xfffffffff0000000)
#define FUNCTIONS_MAX  (1u << 20)
#define TASKS_MAX      (1u << 18)
#define NAMES_BYTES    (256u << 20)
#define TEXT_MAX_BYTES (1u << 30)
#define COMM_MAX       15
#define SEED	       1 /* of hashes that are compared only with each other */

struct function {
	struct function *next; /* of the same hash */
	const char *name;
	size_t len;
	uint64_t address;
};

struct named_task {
	char name[COMM_MAX + 1];
	int tgid;
};

int maker_init(struct maker *m, const struct foreign_config *config, struct errmsg *err)
{
	int r;

	*m = (struct maker){.config = config, .clock = "local", .lanes = {.fd = -1}};
	m->functions_at = FUNCTIONS_AT;
	arena_init(&m->arena, NAMES_BYTES);
	textbuf_init(&m->formats, TEXT_MAX_BYTES);
	textbuf_init(&m->ftrace, TEXT_MAX_BYTES);
	textbuf_init(&m->kallsyms, TEXT_MAX_BYTES);
	m->processes = processes_new();
	r = m->processes ? lanes_init(&m->lanes, 1) : -ENOMEM;
	return r < 0 ? errmsg_set_errno(err, r, "cannot convert %s", config->input) : 0;
}

void maker_release(struct maker *m)
{
	lanes_release(&m->lanes);
	map_release(&m->functions);
	map_release(&m->tasks);
	map_release(&m->addresses);
	processes_free(m->processes);
	textbuf_release(&m->formats);
	textbuf_release(&m->ftrace);
	textbuf_release(&m->kallsyms);
	arena_release(&m->arena);
}

void maker_add_ftrace(struct maker *m, const char *text)
{
	uint64_t len = strlen(text);

	if (!m->n_ftrace++)
		textbuf_add(&m->ftrace, (const char *)&m->n_ftrace, 4);
	textbuf_add(&m->ftrace, (const char *)&len, 8);
	textbuf_add(&m->ftrace, text, len);
	if (!m->ftrace.overflow)
		memcpy(m->ftrace.start, &m->n_ftrace, 4);
}

/*
 * --- events ------------------------------------------------------------------------------------
 */

/* Is there a later event of this CPU? */
static bool is_back(const struct maker *m, uint32_t cpu, uint64_t time_ns)
{
	return cpu < m->lanes.n_cpus && m->lanes.lanes[cpu] &&
	       time_ns < m->lanes.lanes[cpu]->last_ns;
}

int maker_add(struct maker *m, uint32_t cpu, uint64_t time_ns, const void *record, uint32_t n_bytes)
{
	int r;

	if (cpu >= LANES_CPUS_MAX)
		return -ERANGE;
	if (n_bytes > MAKER_RECORD_MAX) {
		m->n_too_long++;
		return 0;
	}
	m->n_back += is_back(m, cpu, time_ns);
	r = lanes_add(&m->lanes, 0, cpu, time_ns, record, n_bytes);
	m->n_events += r >= 0;
	return r;
}

int maker_add_missed(struct maker *m, uint32_t cpu, uint64_t n)
{
	return cpu < LANES_CPUS_MAX ? lanes_add_missed(&m->lanes, 0, cpu, n) : 0;
}

/*
 * --- names -------------------------------------------------------------------------------------
 */

int maker_name_task(struct maker *m, int pid, int tgid, const char *name, size_t len)
{
	void **slot;
	struct named_task *t;

	if (pid <= 0)
		return 0;
	slot = map_take(&m->tasks, (uint64_t)pid, TASKS_MAX);
	if (!slot)
		return 0; /* its events are shown without a name */
	if (!*slot)
		*slot = arena_alloc(&m->arena, sizeof(*t));
	t = *slot;
	if (!t)
		return -ENOMEM;
	if (len && !(len == 5 && !memcmp(name, "<...>", 5)))
		snprintf(t->name, sizeof(t->name), "%.*s", (int)len, name);
	if (tgid > 0 && t->tgid != tgid) {
		t->tgid = tgid;
		processes_add_thread(m->processes, pid, tgid);
	}
	return 0;
}

void maker_add_symbol(struct maker *m, uint64_t address, const char *name, size_t len)
{
	void **slot = map_take(&m->addresses, address, FUNCTIONS_MAX);
	char text[300];

	if (!slot || *slot)
		return;
	*slot = m;
	snprintf(text, sizeof(text), "%.*s", (int)len, name);
	eventformats_add_symbol(&m->kallsyms, address, text, NULL);
}

uint64_t maker_function(struct maker *m, const char *name, size_t len)
{
	void **slot = map_take(&m->functions, hash_of_text(SEED, name, len), FUNCTIONS_MAX);
	struct function *f = slot ? *slot : NULL;

	if (!slot)
		return 0;
	while (f && (f->len != len || memcmp(f->name, name, len)))
		f = f->next;
	if (f)
		return f->address;
	f = arena_alloc(&m->arena, sizeof(*f));
	if (!f)
		return 0;
	*f = (struct function){.next = *slot,
			       .name = arena_strndup(&m->arena, name, len),
			       .len = len,
			       .address = m->functions_at + 16 * (uint64_t)m->n_functions++};
	if (!f->name)
		return 0;
	*slot = f;
	maker_add_symbol(m, f->address, name, len);
	return f->address;
}

/*
 * --- the file ----------------------------------------------------------------------------------
 */

static void add_cmdlines(struct maker *m, struct textbuf *tb)
{
	for (size_t i = 0; i < m->tasks.n_slots; i++) {
		const struct named_task *t = m->tasks.slots[i].value;

		if (!t || !t->name[0])
			continue;
		textbuf_addf(tb, "%d ", (int)m->tasks.slots[i].key);
		for (const char *p = t->name; *p; p++)
			textbuf_add_char(tb, (unsigned char)*p < ' ' ? '?' : *p);
		textbuf_add_char(tb, '\n');
	}
}

static int next_page(void *ctx, uint32_t *ret_cpu, struct piece *ret)
{
	struct maker *m = ctx;

	return lanes_next(&m->lanes, 0, ret_cpu, ret);
}

static int add_processes(struct maker *m, struct writer *w, struct errmsg *err)
{
	TEXTBUF(plain, PROCESSES_MAX_BYTES);
	TEXTBUF(packed, TEXT_MAX_BYTES);

	processes_fmt(m->processes, &plain);
	if (!textbuf_len(&plain))
		return 0;
	if (packedtext_fmt(PIECE_OF_TEXT(&plain), &packed) < 0)
		return errmsg_set_errno(err, -ENOMEM, "cannot convert %s", m->config->input);
	return writer_add_option(w, SNF_OPTION_PROCESSES, PIECE_OF_TEXT(&packed), err);
}

static uint32_t count_cpus(const struct maker *m)
{
	uint32_t n = m->n_cpus > m->lanes.n_cpus ? m->n_cpus : (uint32_t)m->lanes.n_cpus;

	return n ? n : 1;
}

static int write_file(struct maker *m, struct errmsg *err)
{
	SCOPED(writer_free_scoped) struct writer *w = NULL;
	TEXTBUF(page, TEXT_MAX_BYTES);
	TEXTBUF(event, TEXT_MAX_BYTES);
	TEXTBUF(cmdlines, TEXT_MAX_BYTES);
	struct writer_config config = {.path = m->config->output,
				       .version = m->config->version,
				       .compression = m->config->compression,
				       .plain_data = m->config->plain_data,
				       .big_endian = bytes_host_is_big(),
				       .long_size = sizeof(long),
				       .page_size = LANES_PAGE_BYTES,
				       .is_copy = true};
	struct writer_buffer top = {.name = "", .clock = m->clock, .page_size = LANES_PAGE_BYTES};
	const struct {
		enum tracefile_text_kind kind;
		const struct textbuf *tb;
	} texts[] = {{TRACEFILE_HEADER_PAGE, &page},	     {TRACEFILE_HEADER_EVENT, &event},
		     {TRACEFILE_FTRACE_FORMATS, &m->ftrace}, {TRACEFILE_EVENT_FORMATS, &m->formats},
		     {TRACEFILE_KALLSYMS, &m->kallsyms},     {TRACEFILE_CMDLINES, &cmdlines}};
	char clock[32];
	int index;

	userevents_fmt_header_page(&page, LANES_PAGE_BYTES);
	userevents_fmt_header_event(&event);
	add_cmdlines(m, &cmdlines);
	/* readers take the last symbol for one that is only at its own address */
	eventformats_add_symbol(&m->kallsyms, UINT64_MAX, "[end]", NULL);
	TRY(writer_open(&w, &config, err));
	writer_set_cpu_count(w, count_cpus(m));
	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		if (texts[i].tb->overflow)
			return errmsg_set_errno(err, -ENOMEM, "cannot convert %s",
						m->config->input);
		TRY(writer_add_text(w, texts[i].kind,
				    texts[i].tb->start ? PIECE_OF_TEXT(texts[i].tb) : PIECE_EMPTY,
				    err));
	}
	snprintf(clock, sizeof(clock), "[%s]", m->clock);
	TRY(writer_add_option(w, SNF_OPTION_TRACECLOCK,
			      (struct piece){(const uint8_t *)clock, strlen(clock) + 1}, err));
	TRY(add_processes(m, w, err));
	index = writer_add_buffer(w, &top, err);
	TRY(index);
	TRY(writer_write_buffer(w, index, &(struct writer_source){m, next_page}, err));
	return writer_close(TAKE(w), err);
}

int maker_write(struct maker *m, struct errmsg *err)
{
	int r = lanes_finish(&m->lanes);

	if (r < 0)
		return errmsg_set_errno(err, r, "cannot convert %s", m->config->input);
	TRY(write_file(m, err));
	if (m->n_too_long)
		foreign_note(m->config, "%s: not converted: %llu events longer than a page",
			     m->config->input, (unsigned long long)m->n_too_long);
	if (m->n_back)
		foreign_note(
			m->config,
			"%s: %llu events are older than the one before them on their CPU; they "
			"have its time",
			m->config->input, (unsigned long long)m->n_back);
	return 0;
}

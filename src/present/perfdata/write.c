// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * write.c - the bytes of a perf.data, made from samples.
 *
 *	head │ ids │ attributes │ MMAP of the kernel, COMM, MMAP2 … SAMPLE, SAMPLE … │ features
 *	                          time 0: perf reads them first        by time
 *
 * A trace has places (a file and an address in it), perf.data has addresses in memory. So file
 * number N is mapped at N × 64 GB above 16 TB, with all its bytes, in every process that has
 * samples there. Code without a file keeps its address, in a mapping that perf takes for compiled
 * at run time.
 *
 * Frames that are callers are inside of their call (store/events/sampleevents.h), so perf finds the
 * right function even if the call is a function's last instruction.
 */
#include "present/perfdata/write.h"

#include "analyse/samples/sampleset.h"
#include "base/array.h"
#include "base/map.h"
#include "base/scope.h"
#include "base/textbuf.h"
#include "decode/samples/sampleinfo.h"
#include "format/bytes.h"
#include "format/perfdata.h"
#include "present/perfdata/twins.h"
#include "store/events/sampleevents.h"
#include "symbols/symtable.h"
#include "symbols/tasks.h"

#include <linux/perf_event.h>
#include <stddef.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#define FILES_AT     0x100000000000ull
#define FILE_SPAN    0x1000000000ull
#define KERNEL_BYTES 0x40000000ull
#define PAGE_BYTES   4096u
#define MAPS_MAX     (1u << 22)
#define STRING_PAD   64
#define SAMPLED                                                                         \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | \
	 PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD)

struct file_of {
	struct symtable *table; /* for its segments; NULL: none */
	bool is_memory;
};

struct writing {
	const struct perfwrite *w;
	struct textbuf *tb;
	struct map threads, maps; /* those that have a record */
	struct map files;	  /* struct file_of, by number */
	struct twins *twins;	  /* samples that are the stacks of events; NULL: none */
	size_t n_samples;	  /* that have a record */
	bool has_chains;
	bool is_full;
};

static void release(struct writing *x)
{
	for (size_t i = 0; i < x->files.n_slots; i++) {
		struct file_of *f = x->files.slots[i].value;

		if (!f)
			continue;
		symtable_free(f->table);
		free(f);
	}
	map_release(&x->files);
	map_release(&x->threads);
	map_release(&x->maps);
	twins_free(x->twins);
}

static void add16(struct textbuf *tb, uint16_t v)
{
	textbuf_add(tb, (const char *)&v, 2);
}
static void add32(struct textbuf *tb, uint32_t v)
{
	textbuf_add(tb, (const char *)&v, 4);
}
static void add64(struct textbuf *tb, uint64_t v)
{
	textbuf_add(tb, (const char *)&v, 8);
}

/* Returns true if the key is new. */
static bool is_new(struct writing *x, struct map *m, uint64_t key)
{
	void **slot = map_take(m, key, MAPS_MAX);

	x->is_full |= !slot;
	if (!slot || *slot)
		return false;
	*slot = x;
	return true;
}

static size_t n_sampled(const struct writing *x)
{
	return x->w->info->n_events;
}

static size_t n_events(const struct writing *x)
{
	return n_sampled(x) + x->w->n_events;
}

static const char *event_name(const struct writing *x, size_t i)
{
	return i < n_sampled(x) ? sampleinfo_event_name(x->w->info, (uint32_t)i)
				: x->w->events[i - n_sampled(x)].name;
}

/*
 * The next event that the file has, from this one on; n_events(): there is none. Its id is one
 * more.
 */
static size_t next_event(const struct writing *x, size_t i)
{
	while (twins_has(x->twins, i))
		i++;
	return i;
}

static size_t n_written(const struct writing *x)
{
	size_t n = 0;

	for (size_t i = next_event(x, 0); i < n_events(x); i = next_event(x, i + 1))
		n++;
	return n;
}

/*
 * --- records -----------------------------------------------------------------------------------
 */

static size_t begin(struct textbuf *tb, uint32_t type, uint16_t misc)
{
	size_t at = textbuf_len(tb);

	add32(tb, type);
	add16(tb, misc);
	add16(tb, 0);
	return at;
}

static void end(struct textbuf *tb, size_t at)
{
	uint16_t n = (uint16_t)(textbuf_len(tb) - at);

	if (!tb->overflow)
		memcpy(tb->start + at + 6, &n, 2);
}

/* A text with its NUL, up to a multiple of 8 bytes. */
static void add_path(struct textbuf *tb, const char *path)
{
	size_t n = strnlen(path, PAGE_BYTES - 1);

	textbuf_add(tb, path, n);
	textbuf_add_fill(tb, '\0', 8 - n % 8);
}

/* The end of all records but samples: task, time, CPU, id. */
static void add_trailer(struct writing *x, int pid, int tid)
{
	add32(x->tb, (uint32_t)pid);
	add32(x->tb, (uint32_t)tid);
	add64(x->tb, 0); /* before all samples */
	add64(x->tb, 0); /* CPU */
	add64(x->tb, next_event(x, 0) + 1);
}

static void add_kernel(struct writing *x)
{
	size_t at;

	if (!x->w->kernel_text)
		return;
	at = begin(x->tb, PERF_RECORD_MMAP, PERF_RECORD_MISC_KERNEL);
	add32(x->tb, UINT32_MAX);
	add32(x->tb, 0);
	add64(x->tb, x->w->kernel_text);
	add64(x->tb, KERNEL_BYTES);
	add64(x->tb, x->w->kernel_text);
	add_path(x->tb, "[kernel.kallsyms]_text");
	add_trailer(x, -1, 0);
	end(x->tb, at);
}

static void add_mapping(struct writing *x, int pid, uint64_t start, uint64_t n_bytes,
			const char *path)
{
	size_t at = begin(x->tb, PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER);

	add32(x->tb, (uint32_t)pid);
	add32(x->tb, (uint32_t)pid);
	add64(x->tb, start);
	add64(x->tb, n_bytes);
	add64(x->tb, 0);
	textbuf_add_fill(x->tb, '\0', 24); /* device, inode */
	add32(x->tb, 5);		   /* read, execute */
	add32(x->tb, 2);		   /* private */
	add_path(x->tb, path);
	add_trailer(x, pid, pid);
	end(x->tb, at);
}

static void add_thread(struct writing *x, const struct task *task, int pid, int tid)
{
	size_t at;

	if (!is_new(x, &x->threads, (uint64_t)(uint32_t)tid + 1))
		return;
	at = begin(x->tb, PERF_RECORD_COMM, 0);
	add32(x->tb, (uint32_t)pid);
	add32(x->tb, (uint32_t)tid);
	add_path(x->tb, task && tid ? task->comm : "swapper");
	add_trailer(x, pid, tid);
	end(x->tb, at);
}

/*
 * --- places ------------------------------------------------------------------------------------
 */

static struct file_of *take_file(struct writing *x, uint32_t number)
{
	const struct sample_file *info = sampleinfo_find_file(x->w->info, number);
	void **slot = map_take(&x->files, number, MAPS_MAX);
	struct file_of *f;

	x->is_full |= !slot;
	if (!slot || *slot)
		return slot ? *slot : NULL;
	f = calloc(1, sizeof(*f));
	x->is_full |= !f;
	if (!f)
		return NULL;
	*slot = f;
	f->is_memory = !info || info->pid >= 0;
	if (!f->is_memory && info->path[0] == '/') {
		f->table = symtable_new();
		if (f->table && symtable_add_elf(f->table, info->path, NULL, 0) < 0) {
			symtable_free(f->table);
			f->table = NULL;
		}
	}
	return f;
}

static uint64_t address_of(struct writing *x, uint64_t place)
{
	uint32_t number = sampleevents_file(place);
	uint64_t address = sampleevents_address(place), offset = address;
	struct file_of *f = number ? take_file(x, number) : NULL;

	if (!f || f->is_memory)
		return address;
	if (f->table)
		symtable_offset(f->table, address, &offset);
	return FILES_AT + number * FILE_SPAN + offset % FILE_SPAN;
}

/* The mapping of a place in this process, if it has no record yet. */
static void add_place(struct writing *x, int pid, uint64_t place)
{
	uint32_t number = sampleevents_file(place);
	const struct sample_file *info;
	struct file_of *f;
	uint64_t page;

	if (sampleevents_is_kernel(place) || !number)
		return;
	f = take_file(x, number);
	info = sampleinfo_find_file(x->w->info, number);
	if (!f)
		return;
	if (f->is_memory) { /* one mapping for each page: the extent is not known */
		page = sampleevents_address(place) & ~(uint64_t)(PAGE_BYTES - 1);
		if (is_new(x, &x->maps, page ^ (uint64_t)pid << 48 ^ 1))
			add_mapping(x, pid, page, PAGE_BYTES, "//anon");
		return;
	}
	if (is_new(x, &x->maps, (uint64_t)pid << 16 | number))
		add_mapping(x, pid, FILES_AT + number * FILE_SPAN, FILE_SPAN, info->path);
}

static const struct sampleset_row *rows_of(const struct writing *x, size_t *ret_n)
{
	*ret_n = 0;
	return x->w->set ? sampleset_rows(x->w->set, ret_n) : NULL;
}

static int pid_of(const struct sampleset_row *row)
{
	int tid = row->task ? row->task->pid : 0;

	return row->tgid >= 0 ? row->tgid : tid;
}

static void add_tasks(struct writing *x)
{
	size_t n;
	const struct sampleset_row *rows = rows_of(x, &n);

	for (size_t i = 0; i < n; i++) {
		struct sampleset_stack s = sampleset_stack(x->w->set, rows[i].stack);
		int pid = pid_of(&rows[i]), tid = rows[i].task ? rows[i].task->pid : pid;

		add_thread(x, rows[i].task, pid, tid);
		for (uint32_t k = 0; k < s.n; k++)
			add_place(x, pid, s.places[k]);
		x->has_chains |= s.n > 1 || (s.n && twins_has(x->twins, rows[i].event));
	}
}

/*
 * --- samples -----------------------------------------------------------------------------------
 */

static void add_chain(struct writing *x, const struct sampleset_stack *s)
{
	size_t at = textbuf_len(x->tb);
	uint64_t n = 0, context = 0;

	add64(x->tb, 0);
	for (uint32_t i = 0; i < s->n; i++) {
		uint64_t wanted = sampleevents_is_kernel(s->places[i]) ? PERF_CONTEXT_KERNEL
								       : PERF_CONTEXT_USER;

		if (wanted != context) {
			context = wanted;
			add64(x->tb, context);
			n++;
		}
		add64(x->tb, address_of(x, s->places[i]));
		n++;
	}
	if (!x->tb->overflow)
		memcpy(x->tb->start + at, &n, 8);
}

static void add_samples(struct writing *x)
{
	size_t n;
	const struct sampleset_row *rows = rows_of(x, &n);

	for (size_t i = 0; i < n; i++) {
		const struct sampleset_row *r = &rows[i];
		struct sampleset_stack s = sampleset_stack(x->w->set, r->stack);
		uint64_t place = s.n ? s.places[0] : 0;
		int pid = pid_of(r);
		size_t at;

		if (twins_has(x->twins, r->event))
			continue;
		x->n_samples++;
		at = begin(x->tb, PERF_RECORD_SAMPLE,
			   sampleevents_is_kernel(place) ? PERF_RECORD_MISC_KERNEL
							 : PERF_RECORD_MISC_USER);
		add64(x->tb, r->event + 1);
		add64(x->tb, address_of(x, place));
		add32(x->tb, (uint32_t)pid);
		add32(x->tb, (uint32_t)(r->task ? r->task->pid : pid));
		add64(x->tb, r->ts);
		add32(x->tb, r->cpu);
		add32(x->tb, 0);
		add64(x->tb, r->weight);
		if (x->has_chains)
			add_chain(x, &s);
		end(x->tb, at);
	}
}

static const struct perfwrite_event *find_event(const struct writing *x, struct piece raw)
{
	uint16_t id = raw.len >= 2 ? bytes_get16(raw.data, false) : 0;

	return ARRAY_FIND(x->w->events, x->w->n_events, i, x->w->events[i].id == id);
}

/* Threads of events need their names before the events, and stacks are found among all events. */
static void see_event(void *to, const struct perfwrite_record *rec)
{
	struct writing *x = to;
	const struct perfwrite_event *e = find_event(x, rec->raw);
	struct task task = {.comm = rec->comm};

	add_thread(x, &task, rec->pid, rec->tid);
	x->is_full |= e && twins_note(x->twins, (size_t)(e - x->w->events), rec) < 0;
}

/* length and bytes of raw data together are whole words */
static void add_event(void *to, const struct perfwrite_record *rec)
{
	struct writing *x = to;
	const struct perfwrite_event *e = find_event(x, rec->raw);
	size_t n_raw = (rec->raw.len + 4 + 7) / 8 * 8 - 4, at;
	struct sampleset_stack s = {0};
	const struct sampleset_row *row;
	uint64_t place;

	if (!e)
		return;
	row = twins_find(x->twins, (size_t)(e - x->w->events), rec);
	if (row)
		s = sampleset_stack(x->w->set, row->stack);
	place = s.n ? s.places[0] : 0;
	x->n_samples++;
	at = begin(x->tb, PERF_RECORD_SAMPLE,
		   s.n && !sampleevents_is_kernel(place) ? PERF_RECORD_MISC_USER
							 : PERF_RECORD_MISC_KERNEL);
	add64(x->tb, n_sampled(x) + (uint64_t)(e - x->w->events) + 1);
	add64(x->tb, s.n ? address_of(x, place) : 0); /* 0: the trace does not have the address */
	add32(x->tb, (uint32_t)rec->pid);
	add32(x->tb, (uint32_t)rec->tid);
	add64(x->tb, rec->ts);
	add32(x->tb, rec->cpu);
	add32(x->tb, 0);
	add64(x->tb, 1);
	if (x->has_chains)
		add_chain(x, &s);
	add32(x->tb, (uint32_t)n_raw);
	textbuf_add(x->tb, (const char *)rec->raw.data, rec->raw.len);
	textbuf_add_fill(x->tb, '\0', n_raw - rec->raw.len);
	end(x->tb, at);
}

/*
 * --- attributes and features -------------------------------------------------------------------
 */

static const struct {
	const char *name;
	uint32_t type;
	uint64_t config;
} known[] = {
	{"cpu-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK},
	{"task-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK},
	{"page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS},
	{"faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS},
	{"context-switches", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES},
	{"cs", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES},
	{"cpu-migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS},
	{"cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
	{"instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
	{"cache-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES},
	{"branch-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES},
};

static struct perf_event_attr attr_of(const struct writing *x, size_t event)
{
	const char *name = event_name(x, event);
	struct perf_event_attr a = {
		.size = sizeof(a),
		.type = PERF_TYPE_RAW, /* perf script skips the stacks of others */
		.config = event,
		.sample_type = SAMPLED | (x->has_chains ? PERF_SAMPLE_CALLCHAIN : 0),
		.sample_id_all = 1,
		.mmap = 1,
		.mmap2 = 1,
		.comm = 1,
		.sample_period = 1};

	if (event >= n_sampled(x)) {
		a.type = PERF_TYPE_TRACEPOINT;
		a.config = x->w->events[event - n_sampled(x)].id;
		a.sample_type |= PERF_SAMPLE_RAW;
	} else if (x->w->rate) {
		a.freq = 1;
		a.sample_freq = x->w->rate;
	}
	if (x->w->clock && !strcmp(x->w->clock, "mono_raw")) {
		a.use_clockid = 1;
		a.clockid = CLOCK_MONOTONIC_RAW;
	} else if (x->w->clock && !strcmp(x->w->clock, "mono")) {
		a.use_clockid = 1;
		a.clockid = CLOCK_MONOTONIC;
	}
	for (size_t i = 0; i < ARRAY_LEN(known) && event < n_sampled(x); i++)
		if (!strncmp(known[i].name, name, strcspn(name, ":")) &&
		    strlen(known[i].name) == strcspn(name, ":")) {
			a.type = known[i].type;
			a.config = known[i].config;
		}
	return a;
}

/* u32 bytes, the text with its NUL and zeros. */
static void add_string(struct textbuf *tb, const char *text)
{
	size_t n = strlen(text) + 1, all = (n + STRING_PAD - 1) / STRING_PAD * STRING_PAD;

	add32(tb, (uint32_t)all);
	textbuf_add(tb, text, n);
	textbuf_add_fill(tb, '\0', all - n);
}

static void add_descriptions(struct writing *x)
{
	add32(x->tb, (uint32_t)n_written(x));
	add32(x->tb, sizeof(struct perf_event_attr));
	for (size_t i = next_event(x, 0); i < n_events(x); i = next_event(x, i + 1)) {
		struct perf_event_attr a = attr_of(x, i);

		textbuf_add(x->tb, (const char *)&a, sizeof(a));
		add32(x->tb, 1);
		add_string(x->tb, event_name(x, i));
		add64(x->tb, i + 1);
	}
}

static void add_build_ids(struct writing *x)
{
	for (size_t i = 0; i < x->w->info->by_number.n_slots; i++) {
		const struct sample_file *f = x->w->info->by_number.slots[i].value;
		uint8_t id[24] = {0};
		size_t at, n = f ? strlen(f->build_id) / 2 : 0;

		if (!n || n > SNF_PERF_BUILD_ID_BYTES || !map_find(&x->files, f->number))
			continue;
		for (size_t k = 0; k < n; k++) {
			unsigned byte = 0;

			sscanf(f->build_id + 2 * k, "%2x", &byte);
			id[k] = (uint8_t)byte;
		}
		id[SNF_PERF_BUILD_ID_BYTES] = (uint8_t)n;
		at = begin(x->tb, 0, PERF_RECORD_MISC_USER | 1u << 15);
		add32(x->tb, UINT32_MAX);
		textbuf_add(x->tb, (const char *)id, sizeof(id));
		add_path(x->tb, f->path);
		end(x->tb, at);
	}
}

/* The word of "Linux HOST RELEASE VERSION… MACHINE", from 0 on; the last one is the machine. */
static void add_uname(struct writing *x, int word)
{
	const char *at = x->w->uname;
	char text[STRING_PAD + 1];

	if (word < 0) {
		at = strrchr(at, ' ') ? strrchr(at, ' ') + 1 : at;
	} else {
		while (word-- && strchr(at, ' '))
			at = strchr(at, ' ') + 1;
	}
	snprintf(text, sizeof(text), "%.*s", (int)strcspn(at, " "), at);
	add_string(x->tb, text);
}

static void add_piece(struct writing *x, enum tracefile_text_kind kind)
{
	textbuf_add(x->tb, (const char *)x->w->texts[kind].data, x->w->texts[kind].len);
}

/* The formats of events, as a trace.dat of version 6 begins; perf calls it 0.6. */
static void add_tracing(struct writing *x)
{
	static const char magic[] = "\027\010\104tracing0.6";
	static const struct {
		const char *tag;
		enum tracefile_text_kind kind;
	} heads[] = {{"header_page", TRACEFILE_HEADER_PAGE},
		     {"header_event", TRACEFILE_HEADER_EVENT}};

	textbuf_add(x->tb, magic, sizeof(magic));
	textbuf_add_char(x->tb, (char)bytes_host_is_big());
	textbuf_add_char(x->tb, sizeof(long));
	add32(x->tb, PAGE_BYTES);
	for (size_t i = 0; i < ARRAY_LEN(heads); i++) {
		textbuf_add(x->tb, heads[i].tag, strlen(heads[i].tag) + 1);
		add64(x->tb, x->w->texts[heads[i].kind].len);
		add_piece(x, heads[i].kind);
	}
	add32(x->tb, 0); /* no formats of tracers: perf cannot read those of newer kernels */
	add_piece(x, TRACEFILE_EVENT_FORMATS);
	add32(x->tb, 0); /* perf has the kernel's symbols elsewhere */
	add32(x->tb, (uint32_t)x->w->texts[TRACEFILE_PRINTK].len);
	add_piece(x, TRACEFILE_PRINTK);
	add64(x->tb, x->w->texts[TRACEFILE_CMDLINES].len);
	add_piece(x, TRACEFILE_CMDLINES);
}

static void add_feature(struct writing *x, enum snf_perf_feature f)
{
	size_t n_words = 0;

	switch ((int)f) {
	case SNF_PERF_FEAT_TRACING_DATA:
		add_tracing(x);
		break;
	case SNF_PERF_FEAT_BUILD_ID:
		add_build_ids(x);
		break;
	case SNF_PERF_FEAT_HOSTNAME:
		add_uname(x, 1);
		break;
	case SNF_PERF_FEAT_OSRELEASE:
		add_uname(x, 2);
		break;
	case SNF_PERF_FEAT_VERSION:
		add_string(x->tb, "sonde-" SONDE_VERSION);
		break;
	case SNF_PERF_FEAT_ARCH:
		add_uname(x, -1);
		break;
	case SNF_PERF_FEAT_NRCPUS:
		add32(x->tb, x->w->n_cpus);
		add32(x->tb, x->w->n_cpus);
		break;
	case SNF_PERF_FEAT_CMDLINE:
		while (x->w->command[n_words])
			n_words++;
		add32(x->tb, (uint32_t)n_words);
		for (size_t i = 0; i < n_words; i++)
			add_string(x->tb, x->w->command[i]);
		break;
	case SNF_PERF_FEAT_EVENT_DESC:
		add_descriptions(x);
		break;
	}
}

static bool has_feature(const struct writing *x, enum snf_perf_feature f)
{
	switch ((int)f) {
	case SNF_PERF_FEAT_TRACING_DATA:
		return x->w->n_events;
	case SNF_PERF_FEAT_HOSTNAME:
	case SNF_PERF_FEAT_OSRELEASE:
	case SNF_PERF_FEAT_ARCH:
		return x->w->uname;
	case SNF_PERF_FEAT_NRCPUS:
		return x->w->n_cpus;
	case SNF_PERF_FEAT_CMDLINE:
		return x->w->command;
	case SNF_PERF_FEAT_BUILD_ID:
	case SNF_PERF_FEAT_VERSION:
	case SNF_PERF_FEAT_EVENT_DESC:
		return true;
	}
	return false;
}

static void add_features(struct writing *x, uint64_t *ret_bits)
{
	size_t table = textbuf_len(x->tb), n = 0;

	*ret_bits = 0;
	for (int f = 0; f < 64; f++)
		if (has_feature(x, (enum snf_perf_feature)f))
			*ret_bits |= UINT64_C(1) << f;
	textbuf_add_fill(x->tb, '\0', 16 * (size_t)__builtin_popcountll(*ret_bits));
	for (int f = 0; f < 64; f++) {
		uint64_t section[2] = {textbuf_len(x->tb)};

		if (!(*ret_bits >> f & 1))
			continue;
		add_feature(x, (enum snf_perf_feature)f);
		section[1] = textbuf_len(x->tb) - section[0];
		if (!x->tb->overflow)
			memcpy(x->tb->start + table + 16 * n, section, sizeof(section));
		n++;
	}
}

/*
 * --- the file ----------------------------------------------------------------------------------
 */

struct head {
	char magic[8];
	uint64_t n_bytes, attr_bytes, attrs[2], data[2], unused[2], features[4];
};
_Static_assert(sizeof(struct head) == SNF_PERF_HEAD_BYTES, "as perf has it");

/* TRACING_DATA: its length, then the bytes behind it, which the record does not count. */
static void add_pipe_tracing(struct writing *x)
{
	size_t at = begin(x->tb, SNF_PERF_TRACING_DATA, 0), start;
	uint32_t n;

	add32(x->tb, 0);
	end(x->tb, at);
	start = textbuf_len(x->tb);
	add_tracing(x);
	textbuf_add_fill(x->tb, '\0', -(textbuf_len(x->tb) - start) % 8);
	n = (uint32_t)(textbuf_len(x->tb) - start);
	if (!x->tb->overflow)
		memcpy(x->tb->start + start - sizeof(n), &n, sizeof(n));
}

/*
 * The front of a pipe. Attributes, names, formats and features are records here, and come before
 * all others; attributes are filled in later.
 */
static void add_pipe_front(struct writing *x, struct head *h)
{
	size_t at;

	*h = (struct head){.magic = SNF_PERF_MAGIC,
			   .n_bytes = SNF_PERF_PIPE_HEAD_BYTES,
			   .attr_bytes = SNF_PERF_RECORD_HEAD + sizeof(struct perf_event_attr) + 8};
	textbuf_add(x->tb, (const char *)h, SNF_PERF_PIPE_HEAD_BYTES);
	h->attrs[0] = textbuf_len(x->tb) + SNF_PERF_RECORD_HEAD;
	for (size_t i = next_event(x, 0); i < n_events(x); i = next_event(x, i + 1)) {
		at = begin(x->tb, SNF_PERF_ATTR, 0);
		textbuf_add_fill(x->tb, '\0', sizeof(struct perf_event_attr));
		add64(x->tb, i + 1);
		end(x->tb, at);
	}
	for (size_t i = next_event(x, 0); i < n_events(x); i = next_event(x, i + 1)) {
		at = begin(x->tb, SNF_PERF_EVENT_UPDATE, 0);
		add64(x->tb, SNF_PERF_UPDATE_NAME);
		add64(x->tb, i + 1);
		add_path(x->tb, event_name(x, i));
		end(x->tb, at);
	}
	for (int f = SNF_PERF_FEAT_HOSTNAME; f <= SNF_PERF_FEAT_CMDLINE; f++) {
		if (!has_feature(x, (enum snf_perf_feature)f))
			continue;
		at = begin(x->tb, SNF_PERF_FEATURE, 0);
		add64(x->tb, (uint64_t)f);
		add_feature(x, (enum snf_perf_feature)f);
		textbuf_add_fill(x->tb, '\0', -(textbuf_len(x->tb) - at) % 8);
		end(x->tb, at);
	}
	if (has_feature(x, SNF_PERF_FEAT_TRACING_DATA))
		add_pipe_tracing(x);
}

/*
 * Room for the head, the ids and the attributes. They are written at the end, when it is known
 * whether samples have chains.
 */
static void add_front(struct writing *x, struct head *h)
{
	size_t n = n_written(x);

	*h = (struct head){.magic = SNF_PERF_MAGIC,
			   .n_bytes = sizeof(*h),
			   .attr_bytes = sizeof(struct perf_event_attr) + 16};
	textbuf_add_fill(x->tb, '\0', sizeof(*h));
	for (size_t i = next_event(x, 0); i < n_events(x); i = next_event(x, i + 1))
		add64(x->tb, i + 1);
	h->attrs[0] = textbuf_len(x->tb);
	h->attrs[1] = n * h->attr_bytes;
	textbuf_add_fill(x->tb, '\0', h->attrs[1]);
	h->data[0] = textbuf_len(x->tb);
}

static void set_attributes(struct writing *x, const struct head *h)
{
	size_t k = 0;

	for (size_t i = next_event(x, 0); i < n_events(x); i = next_event(x, i + 1), k++) {
		struct perf_event_attr a = attr_of(x, i);
		uint64_t ids[2] = {sizeof(*h) + 8 * k, 8};
		char *at = x->tb->start + h->attrs[0] + k * h->attr_bytes;

		memcpy(at, &a, sizeof(a));
		if (!x->w->is_pipe)
			memcpy(at + sizeof(a), ids, sizeof(ids));
	}
}

int perfwrite_fmt(const struct perfwrite *w, struct textbuf *tb)
{
	SCOPED(release) struct writing x = {.w = w, .tb = tb};
	struct head h;

	TRY(twins_new(&x.twins, w));
	if (w->is_pipe)
		add_pipe_front(&x, &h);
	else
		add_front(&x, &h);
	add_kernel(&x);
	add_tasks(&x);
	if (w->each)
		w->each(w->ctx, see_event, &x);
	twins_settle(x.twins);
	add_samples(&x);
	if (w->each)
		w->each(w->ctx, add_event, &x);
	h.data[1] = textbuf_len(tb) - h.data[0];
	if (w->is_pipe)
		end(tb, begin(tb, SNF_PERF_FINISHED_ROUND, 0));
	else
		add_features(&x, &h.features[0]);
	if (tb->overflow || x.is_full)
		return -ENOMEM;
	if (w->ret_n_samples)
		*w->ret_n_samples = x.n_samples;
	set_attributes(&x, &h);
	if (!w->is_pipe)
		memcpy(tb->start, &h, sizeof(h));
	return 0;
}

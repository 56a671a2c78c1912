// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * formats.c - the event formats of one file, parsed when they are needed.
 *
 * A file describes every event of the kernel, 2 300 and 3 MB of text, of which a trace contains
 * perhaps twenty. So formats_new() notes only the position of each text, its name and its id (0.3
 * ms), and the first record of an event pays for its parsing (some 20 µs). If two texts have the
 * same id, the one that a binary search finds is used, as in libtraceevent.
 */
#include "decode/formats/formats.h"
#include "base/array.h"
#include "base/errmsg.h"
#include "base/files/mapfile.h"
#include "base/scope.h"
#include "base/textbuf.h"
#include "decode/formats/blktrace.h"
#include "decode/formats/functions.h"
#include "decode/print/print.h"
#include "format/tracedat.h"
#include "store/packedtext.h"
#include "symbols/processes.h"
#include "symbols/programs.h"
#include "symbols/sources.h"
#include "symbols/tables/syscalls.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

/*
 * If texts are compressed, the arena is smaller, so that the total with the uncompressed texts is
 * the same.
 */
#define ARENA_MAX_BYTES	       (56u << 20)
#define ARENA_PACKED_MAX_BYTES (24u << 20)
#define FUNCTIONS_MAX_BYTES    (256u << 20)
#define EVENTS_MAX	       (1u << 17)
#define TABLE_MAX	       (1u << 16)

struct format_list {
	struct formats *f;
	size_t cap;
};

static int add_event(struct format_list *l, const char *system, struct piece text)
{
	struct formats *f = l->f;
	struct event *ev;
	struct piece name;
	int id;

	if (!event_parse_head(text, &name, &id)) {
		f->n_bad++;
		return 0;
	}
	if (!ARRAY_ROOM(f->by_id, l->cap, f->n_events + 1, EVENTS_MAX))
		return -ENOMEM;
	ev = arena_alloc(&f->arena, sizeof(*ev));
	if (!ev)
		return -ENOMEM;
	ev->id = id;
	ev->system = system;
	ev->name = arena_strndup(&f->arena, (const char *)name.data, name.len);
	ev->text = text;
	ev->formats = f;
	if (!ev->name)
		return -ENOMEM;
	ev->is_ftrace = !strcmp(system, "ftrace");
	ev->is_bprint = ev->is_ftrace && !strcmp(ev->name, "bprint");
	f->by_id[f->n_events++] = ev;
	return 0;
}

static int add_texts(struct format_list *l, const char *system, struct byte_reader *r)
{
	uint64_t n = byte_reader_take_number(r, 4);

	while (n-- && !r->failed) {
		struct piece text = byte_reader_take_piece(r, byte_reader_take_number(r, 8));

		if (!r->failed && add_event(l, system, text) < 0)
			return -ENOMEM;
	}
	return 0;
}

static int read_all(struct format_list *l, struct tracefile *tf)
{
	struct piece text = tracefile_text(tf, TRACEFILE_FTRACE_FORMATS);
	struct byte_reader r = {text.data, text.data + text.len, tf->swap, false};
	uint64_t n;

	if (add_texts(l, "ftrace", &r) < 0)
		return -ENOMEM;
	text = tracefile_text(tf, TRACEFILE_EVENT_FORMATS);
	r = (struct byte_reader){text.data, text.data + text.len, tf->swap, false};
	n = byte_reader_take_number(&r, 4);
	while (n-- && !r.failed) {
		const char *system = byte_reader_take_string(&r);

		if (add_texts(l, system, &r) < 0)
			return -ENOMEM;
	}
	return 0;
}

/* Sorts with a stable insertion sort: equal ids keep the order of the file. */
static void sort_by_id(struct event **events, size_t n)
{
	struct event **tmp = malloc(n * sizeof(*tmp));

	for (size_t width = 1; tmp && width < n; width *= 2) {
		for (size_t lo = 0; lo < n; lo += 2 * width) {
			size_t mid = lo + width < n ? lo + width : n;
			size_t hi = mid + width < n ? mid + width : n, a = lo, b = mid;

			for (size_t i = lo; i < hi; i++)
				tmp[i] = b == hi || (a < mid && events[a]->id <= events[b]->id)
						 ? events[a++]
						 : events[b++];
		}
		memcpy(events, tmp, n * sizeof(*tmp));
	}
	free(tmp);
}

static int add_blktrace(struct format_list *l)
{
	struct formats *f = l->f;
	struct piece text = blktrace_fmt_text(f);
	size_t n = f->n_events;

	if (!text.len)
		return 0;
	if (add_event(l, "ftrace", text) < 0)
		return -ENOMEM;
	f->by_id[n]->is_made_up = true;
	sort_by_id(f->by_id, f->n_events);
	return 0;
}

static struct event *find_by_id(const struct formats *f, int id)
{
	size_t low = 0, high = f->n_events;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (f->by_id[mid]->id == id)
			return f->by_id[mid];
		if (id < f->by_id[mid]->id)
			high = mid;
		else
			low = mid + 1;
	}
	return NULL;
}

static void make_table(struct formats *f)
{
	f->n_table = f->n_events ? (size_t)f->by_id[f->n_events - 1]->id + 1 : 0;
	if (f->n_table > TABLE_MAX)
		f->n_table = TABLE_MAX;
	f->table = calloc(f->n_table + 1, sizeof(*f->table));
	if (!f->table)
		f->n_table = 0;
	for (size_t i = 0; i < f->n_events; i++)
		if ((size_t)f->by_id[i]->id < f->n_table)
			f->table[f->by_id[i]->id] = find_by_id(f, f->by_id[i]->id);
}

/* Finds the common fields in any event: all events have the same ones. */
static void find_common(struct formats *f)
{
	const struct {
		const char *name;
		struct common_field *to;
	} rows[] = {{"common_type", &f->type},
		    {"common_flags", &f->flags},
		    {"common_preempt_count", &f->preempt_count},
		    {"common_pid", &f->pid},
		    {"common_lock_depth", &f->lock_depth},
		    {"common_migrate_disable", &f->migrate_disable}};

	if (!f->n_events)
		return;
	formats_parse(f, f->by_id[0]);
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		const struct field *field = event_find_common(f->by_id[0], rows[i].name);

		if (field && field->size <= 8 && field->offset < 65536)
			*rows[i].to = (struct common_field){field->offset, field->size};
	}
}

/* Reads the processes from the last option, because each option contains the whole text. */
static void add_processes(struct formats *f)
{
	const struct tracefile_option *o = tracefile_option_find(f->tf, SNF_OPTION_PROCESSES);
	struct textbuf plain;
	struct piece text;
	int r;

	f->processes = f->config.processes;
	if (!o || f->processes)
		return;
	textbuf_init(&plain, PROCESSES_MAX_BYTES);
	f->own_processes = processes_new();
	r = f->own_processes ? packedtext_read(o->data, &plain, &text) : -ENOMEM;
	if (r >= 0)
		r = processes_parse(f->own_processes, text);
	if (r == -EBADMSG)
		tracefile_add_damage(f->tf, "the processes of %s cannot be unpacked", f->tf->path);
	else if (r < 0)
		tracefile_add_damage(f->tf, "%s has more processes than fit into memory",
				     f->tf->path);
	textbuf_release(&plain);
	f->processes = f->own_processes;
}

int formats_new(struct formats **ret, struct tracefile *tf, const struct formats_config *config,
		struct errmsg *err)
{
	struct formats *f = calloc(1, sizeof(*f));
	struct format_list l = {.f = f};

	if (!f)
		return errmsg_set_errno(err, -ENOMEM, "cannot read the event formats of %s",
					tf->path);
	arena_init(&f->arena,
		   tf->compression == COMPRESSION_NONE ? ARENA_MAX_BYTES : ARENA_PACKED_MAX_BYTES);
	f->tf = tf;
	f->config = *config;
	f->swap = tf->swap;
	f->big_endian = tf->big_endian;
	f->long_size = tf->long_size;
	if (read_all(&l, tf) < 0)
		tracefile_add_damage(tf,
				     "%s describes more events than fit into memory; only the "
				     "first %zu are known",
				     tf->path, f->n_events);
	sort_by_id(f->by_id, f->n_events);
	add_blktrace(&l);
	make_table(f);
	find_common(f);
	f->graph_exit = formats_find_name(f, "ftrace", "funcgraph_exit");
	add_processes(f);
	*ret = f;
	return 0;
}

struct formats *formats_new_bare(void)
{
	struct formats *f = calloc(1, sizeof(*f));

	if (!f)
		return NULL;
	arena_init(&f->arena, ARENA_MAX_BYTES);
	f->big_endian = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
	f->long_size = sizeof(long);
	f->config.no_plugins = true;
	f->config.kallsyms_path = "/proc/kallsyms";
	return f;
}

void formats_free(struct formats *f)
{
	if (!f)
		return;
	free(f->by_id);
	free(f->table);
	free(f->extra_kallsyms);
	kallsyms_release(&f->kallsyms);
	programs_free(f->programs);
	sources_free(f->sources);
	pauses_release(&f->pauses);
	processes_free(f->own_processes);
	arena_release(&f->arena);
	free(f);
}

void formats_parse(struct formats *f, struct event *ev)
{
	if (!ev->parsed)
		event_parse(ev, &f->arena);
}

struct event *formats_find_slow(struct formats *f, int id)
{
	struct event *ev = (unsigned)id < f->n_table ? f->table[id] : find_by_id(f, id);

	if (!ev)
		return NULL;
	formats_parse(f, ev);
	event_compile(ev);
	/* an entry that is folded needs the fields of the exit */
	if (f->graph_exit && !f->graph_exit->compiled && !strcmp(ev->name, "funcgraph_entry"))
		event_compile((struct event *)f->graph_exit);
	return ev;
}

struct event *formats_find_name(struct formats *f, const char *system, const char *name)
{
	for (size_t i = 0; i < f->n_events; i++) {
		struct event *ev = f->by_id[i];

		if (strcmp(ev->name, name) || (system && strcmp(ev->system, system)))
			continue;
		formats_parse(f, ev);
		return ev;
	}
	return NULL;
}

static int compare_system(const void *a, const void *b)
{
	const struct event *x = *(struct event *const *)a, *y = *(struct event *const *)b;
	int r = strcmp(x->system, y->system);

	if (!r)
		r = strcmp(x->name, y->name);
	return r ? r : (x->id > y->id) - (x->id < y->id);
}

struct event **formats_list(struct formats *f)
{
	struct event **list = malloc((f->n_events + 1) * sizeof(*list));

	if (!list)
		return NULL;
	if (f->n_events)
		memcpy(list, f->by_id, f->n_events * sizeof(*list));
	qsort(list, f->n_events, sizeof(*list), compare_system);
	return list;
}

static void add_kallsyms_file(struct formats *f)
{
	struct errmsg err = {0};
	struct mapfile map;

	if (mapfile_open(&map, f->config.kallsyms_path, &err) < 0) {
		if (f->tf)
			tracefile_add_damage(f->tf, "%s", err.text);
		return;
	}
	/*
	 * /proc/kallsyms cannot be mapped, so mapfile reads it; the names must stay valid after the
	 * map is released
	 */
	f->extra_kallsyms = malloc(map.n_bytes + 1);
	if (f->extra_kallsyms) {
		memcpy(f->extra_kallsyms, map.data, map.n_bytes);
		kallsyms_add(&f->kallsyms, (struct piece){f->extra_kallsyms, map.n_bytes});
	}
	mapfile_release(&map);
}

/* Reads the programs from the last option, because each option contains the whole text. */
static void add_programs(struct formats *f)
{
	const struct tracefile_option *o = tracefile_option_find(f->tf, SNF_OPTION_PROGRAMS);

	f->programs = o ? programs_new() : NULL;
	if (o && (!f->programs || programs_parse(f->programs, o->data) < 0))
		tracefile_add_damage(f->tf,
				     "%s has more functions of programs than fit into memory",
				     f->tf->path);
}

const struct kallsyms *formats_kallsyms(struct formats *f)
{
	if (f->kallsyms_loaded)
		return &f->kallsyms;
	f->kallsyms.short_names = f->config.short_names;
	/* read --kallsyms before the file's own symbols, which win at equal addresses */
	if (f->config.kallsyms_path)
		add_kallsyms_file(f);
	if (f->tf && kallsyms_add(&f->kallsyms, tracefile_text(f->tf, TRACEFILE_KALLSYMS)) < 0)
		tracefile_add_damage(f->tf,
				     "%s has more kernel symbols than fit into memory; only the "
				     "first %zu are known",
				     f->tf->path, f->kallsyms.n);
	kallsyms_sort(&f->kallsyms);
	if (f->tf && !f->config.programs)
		add_programs(f);
	f->kallsyms.programs = f->config.programs ? f->config.programs : f->programs;
	__atomic_store_n(&f->kallsyms_loaded, true, __ATOMIC_RELEASE);
	return &f->kallsyms;
}

void formats_forgo_symbols(struct formats *f)
{
	f->kallsyms_loaded = true;
}

int formats_add_symbols(struct formats *f, struct piece text)
{
	formats_kallsyms(f);
	return text.len ? kallsyms_add_late(&f->kallsyms, text) : 0;
}

static int read_sources(struct formats *f, const struct tracefile_option *o)
{
	TEXTBUF(plain, FUNCTIONS_MAX_BYTES);
	struct piece text;

	f->sources = sources_new();
	if (!f->sources)
		return -ENOMEM;
	TRY(packedtext_read(o->data, &plain, &text));
	TRY(sources_parse(f->sources, text));
	return pauses_parse(&f->pauses, text);
}

static void load_sources(struct formats *f)
{
	const struct tracefile_option *o =
		f->tf ? tracefile_option_find(f->tf, SNF_OPTION_USER_FUNCTIONS) : NULL;
	int r = o ? read_sources(f, o) : 0;

	f->sources_loaded = true;
	if (r == -EBADMSG)
		tracefile_add_damage(f->tf, "the user functions of %s cannot be unpacked",
				     f->tf->path);
	else if (r < 0)
		tracefile_add_damage(f->tf, "%s has more source lines than fit into memory",
				     f->tf->path);
}

const char *formats_find_source(struct formats *f, uint64_t address)
{
	if (!f->sources_loaded)
		load_sources(f);
	return sources_find(f->sources, address);
}

const struct pauses *formats_pauses(struct formats *f)
{
	if (!f->sources_loaded)
		load_sources(f);
	return &f->pauses;
}

const struct printkfmts *formats_printk(struct formats *f)
{
	if (!f->printk_loaded && f->tf)
		printkfmts_read(&f->printk, tracefile_text(f->tf, TRACEFILE_PRINTK), &f->arena);
	f->printk_loaded = true;
	return &f->printk;
}

const struct print_function *formats_print_function(const struct formats *f, const char *name)
{
	return f->config.no_plugins ? NULL : functions_find(name);
}

uint8_t formats_long_size(const struct formats *f)
{
	return f->long_size;
}

const struct syscall_table *formats_syscalls(const struct formats *f)
{
	const struct tracefile_option *o;
	struct utsname this;
	size_t len, start;

	if (!f->tf)
		return uname(&this) ? NULL : syscalls_for(this.machine, strlen(this.machine));
	o = tracefile_option_find(f->tf, SNF_OPTION_UNAME);
	len = start = o ? strnlen((const char *)o->data.data, o->data.len) : 0;
	while (start && o->data.data[start - 1] != ' ')
		start--;
	return len ? syscalls_for((const char *)o->data.data + start, len - start) : NULL;
}

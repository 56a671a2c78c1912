// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * filelists.c - prints facts about trace files, in the format of trace-cmd report.
 *
 * If several lists are requested, the first in the order of find_list() wins, as in trace-cmd.
 * CPUs, statistics, uname and version are printed for every input, the others for the first only.
 * Text is written in pieces of FLUSH_BYTES, because symbols and formats take megabytes.
 */
#include "present/filelists.h"

#include "base/array.h"
#include "base/scope.h"
#include "base/textbuf.h"
#include "decode/timefmt.h"
#include "format/bytes.h"
#include "inputs/cpuwalk.h"
#include "present/lines.h"
#include "store/pagestream.h"
#include "symbols/processes.h"

#include <errno.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TEXT_MAX_BYTES (64u << 20)
#define FLUSH_BYTES    (64u << 10)

struct lister {
	struct inputs *in;
	const struct filelists_spec *spec;
	filelists_put *put;
	void *ctx;
	struct textbuf tb; /* text that is not written yet */
};

static const char *endian_name(bool big)
{
	return big ? "big" : "little";
}

static void flush(struct lister *l)
{
	l->put(l->ctx, l->tb.start, textbuf_len(&l->tb));
	textbuf_clear(&l->tb);
}

static void flush_much(struct lister *l)
{
	if (textbuf_len(&l->tb) >= FLUSH_BYTES)
		flush(l);
}

/* Adds text of any length. */
static void add_bytes(struct lister *l, const void *data, size_t n)
{
	flush(l);
	l->put(l->ctx, data, n);
}

static int list_page_size(struct lister *l, struct errmsg *err)
{
	textbuf_addf(&l->tb, "file page size is %u, and host page size is %ld\n",
		     l->in->files[0].tf->page_size, sysconf(_SC_PAGESIZE));
	return 0;
}

static int list_endian(struct lister *l, struct errmsg *err)
{
	textbuf_addf(&l->tb, "file is %s endian and host is %s endian\n",
		     endian_name(l->in->files[0].tf->big_endian), endian_name(bytes_host_is_big()));
	return 0;
}

/* --- formats ---------------------------------------------------------------------------------- */

struct format_match {
	regex_t system, event;
	bool all, has_colon;
};

/* Compiles "SYSTEM:NAME", or a word that may match either. Both are basic regular expressions. */
static int match_init(struct format_match *m, const char *text, struct errmsg *err)
{
	const char *colon = text ? strchr(text, ':') : NULL;
	char *system;

	m->all = !text;
	if (!text)
		return 0;
	m->has_colon = colon && colon[1];
	system = colon ? strndup(text, colon - text) : strdup(text);
	if (!system)
		return errmsg_set_errno(err, -ENOMEM, "cannot match '%s'", text);
	if (regcomp(&m->system, system, REG_ICASE | REG_NOSUB)) {
		free(system);
		return errmsg_set(err, -EINVAL, "'%s' is not a regular expression", text);
	}
	if (regcomp(&m->event, m->has_colon ? colon + 1 : system, REG_ICASE | REG_NOSUB)) {
		regfree(&m->system);
		free(system);
		return errmsg_set(err, -EINVAL, "'%s' is not a regular expression", text);
	}
	free(system);
	return 0;
}

static void match_release(struct format_match *m)
{
	if (m->all)
		return;
	regfree(&m->system);
	regfree(&m->event);
}

static bool match_format(const struct format_match *m, const char *system, struct piece text)
{
	struct piece name;
	char buf[256];
	bool system_matches;
	int id;

	if (m->all)
		return true;
	system_matches = !regexec(&m->system, system, 0, NULL, 0);
	if (m->has_colon ? !system_matches : system_matches)
		return !m->has_colon;
	if (!event_parse_head(text, &name, &id))
		return false;
	snprintf(buf, sizeof(buf), "%.*s", (int)name.len, name.data);
	return !regexec(&m->event, buf, 0, NULL, 0);
}

static int list_formats(struct lister *l, struct errmsg *err)
{
	struct tracefile *tf = l->in->files[0].tf;
	struct piece all = tracefile_text(tf, TRACEFILE_EVENT_FORMATS);
	struct byte_reader r = {all.data, all.data + all.len, tf->swap, false};
	uint64_t n_systems = byte_reader_take_number(&r, 4);
	struct format_match m;
	int ret = match_init(&m, l->spec->formats ? NULL : l->spec->event_regex, err);

	TRY(ret);
	while (n_systems-- && !r.failed) {
		const char *system = byte_reader_take_string(&r);
		uint64_t n = byte_reader_take_number(&r, 4);
		bool named = false;

		while (n-- && !r.failed) {
			struct piece text =
				byte_reader_take_piece(&r, byte_reader_take_number(&r, 8));

			if (r.failed || !match_format(&m, system, text))
				continue;
			if (!named)
				textbuf_addf(&l->tb, "\nsystem: %s\n", system);
			named = true;
			add_bytes(l, text.data, text.len);
			textbuf_add_char(&l->tb, '\n');
		}
	}
	match_release(&m);
	return 0;
}

static int list_check(struct lister *l, struct errmsg *err)
{
	struct formats *f = l->in->files[0].formats;
	size_t n_failed = f->n_bad, n_made_up = 0;

	for (size_t i = 0; i < f->n_events; i++) {
		formats_parse(f, f->by_id[i]);
		n_failed += f->by_id[i]->failed && !f->by_id[i]->is_made_up;
		n_made_up += f->by_id[i]->is_made_up;
	}
	if (n_failed)
		return errmsg_set(err, -EBADMSG,
				  "%zu of the %zu event formats of %s cannot be parsed; 'sonde "
				  "check-events' names them",
				  n_failed, f->n_events - n_made_up, l->in->files[0].tf->path);
	return 0;
}

static int list_functions(struct lister *l, struct errmsg *err)
{
	const struct kallsyms *ks = formats_kallsyms(l->in->files[0].formats);

	for (size_t i = 0; i < ks->n; i++) {
		const struct ksym *s = &ks->syms[i];

		textbuf_addf(&l->tb, "%016llx %.*s", (unsigned long long)s->addr, s->name_len,
			     s->name);
		if (s->module)
			textbuf_addf(&l->tb, " [%.*s]", s->module_len, s->module);
		textbuf_add_char(&l->tb, '\n');
		flush_much(l);
	}
	return 0;
}

static int list_printk(struct lister *l, struct errmsg *err)
{
	const struct printkfmts *p = formats_printk(l->in->files[0].formats);

	for (size_t i = 0; i < p->n; i++) {
		textbuf_addf(&l->tb, "%016llx %s\n", (unsigned long long)p->rows[i].addr,
			     p->rows[i].format);
		flush_much(l);
	}
	return 0;
}

static int list_events(struct lister *l, struct errmsg *err)
{
	struct formats *f = l->in->files[0].formats;
	SCOPED(scope_free) struct event **list = formats_list(f);

	if (!list)
		return errmsg_set_errno(err, -ENOMEM, "cannot list the events");
	for (size_t i = 0; i < f->n_events; i++)
		if (!list[i]->is_made_up)
			textbuf_addf(&l->tb, "%s:%s\n", list[i]->system, list[i]->name);
	return 0;
}

/* --- processes -------------------------------------------------------------------------------- */

/*
 * Adds a process. Without a command line it is shown as ps does: as a kernel thread, or by an
 * unknown name.
 */
static int add_process(void *ctx, int tgid)
{
	struct lister *l = ctx;
	struct inputs_file *file = &l->in->files[0];
	const struct task *task;

	textbuf_addf(&l->tb, "%7d  ", tgid);
	if (!processes_fmt_command(file->formats->processes, tgid, &l->tb)) {
		task = tasks_find(&file->tasks, tgid);
		textbuf_addf(&l->tb, "[%s]", task ? task->comm : "<...>");
	}
	textbuf_add_str(&l->tb, "\n");
	flush_much(l);
	return 0;
}

static int list_processes(struct lister *l, struct errmsg *err)
{
	struct inputs_file *file = &l->in->files[0];
	int r;

	if (!file->formats->processes)
		return errmsg_set(err, -ENODATA,
				  "%s has no list of processes: another program or an older sonde "
				  "recorded it",
				  file->tf->path);
	r = processes_each(file->formats->processes, add_process, l);
	return r < 0 ? errmsg_set_errno(err, r, "cannot list the processes") : 0;
}

/* --- CPUs ------------------------------------------------------------------------------------- */

static void add_edge(struct lister *l, struct inputs_file *file, const struct tracefile_buffer *b,
		     size_t cpu, bool last)
{
	char text[TIME_MAX_BYTES + 2], *s = text;
	struct arena arena;
	struct timeconv tc;
	uint64_t ts = 0;
	int id = 0;

	if (!cpuwalk_find_edge(file, b, cpu, last, &ts, &id))
		return;
	textbuf_addf(&l->tb, "\t%s event:", last ? "Last" : "First");
	if (!formats_find(file->formats, id)) {
		textbuf_add_str(&l->tb, "[UNKNOWN EVENT]");
		return;
	}
	arena_init(&arena, 64 << 20);
	tc = inputs_timeconv(l->in, file, b, &arena);
	s = time_emit(s, timeconv(&tc, ts, b->cpus[cpu].cpu), inputs_time_style(l->in, &tc));
	textbuf_addf(&l->tb, "%.*s", (int)(s - text), text);
	arena_release(&arena);
}

static void add_version(struct lister *l, size_t file)
{
	if (l->spec->verbose)
		textbuf_addf(&l->tb, "version = %d\n", l->in->files[file].tf->version);
}

static int list_cpus(struct lister *l, struct errmsg *err)
{
	const struct filelists_spec *o = l->spec;

	for (size_t i = 0; i < l->in->n_files; i++) {
		const struct tracefile_buffer *b = inputs_top_buffer(&l->in->files[i]);

		add_version(l, i);
		if (o->verbose && b)
			lines_add_empty_cpus(b, &l->tb);
		textbuf_addf(&l->tb, "List of CPUs in %s with data:\n", l->in->files[i].tf->path);
		for (size_t k = 0; b && k < b->n_cpus; k++) {
			uint64_t ts;
			int id;

			if (!cpuwalk_find_edge(&l->in->files[i], b, k, false, &ts, &id))
				continue;
			textbuf_addf(&l->tb, "  %u", b->cpus[k].cpu);
			if (o->first_event)
				add_edge(l, &l->in->files[i], b, k, false);
			if (o->last_event)
				add_edge(l, &l->in->files[i], b, k, true);
			textbuf_add_char(&l->tb, '\n');
		}
	}
	return 0;
}

/* --- statistics ------------------------------------------------------------------------------- */

static void add_option_text(struct lister *l, const struct tracefile *tf, unsigned id,
			    const char *name)
{
	const struct tracefile_option *o = tracefile_option_find(tf, id);

	if (o)
		textbuf_addf(&l->tb, "%.*s\n",
			     (int)strnlen((const char *)o->data.data, o->data.len), o->data.data);
	else
		textbuf_addf(&l->tb, " %s was not recorded in this file\n", name);
}

static void add_kernel_stats(struct lister *l, const struct tracefile *tf)
{
	bool any = false;

	for (size_t i = 0; i < tf->n_options; i++)
		if (tf->options[i].id == SNF_OPTION_CPUSTAT && tf->options[i].data.len) {
			add_bytes(l, tf->options[i].data.data, tf->options[i].data.len - 1);
			textbuf_add_char(&l->tb, '\n');
			any = true;
		}
	textbuf_add_str(&l->tb, any ? "\n" : " No stats in this file\n");
}

/*
 * Adds the places of data. Version 7 omits CPUs without data; those below a CPU with data are
 * shown, at 0.
 */
static void add_data_places(struct lister *l, const struct inputs_file *file)
{
	const struct tracefile_buffer *b = inputs_top_buffer(file);
	uint32_t next = 0;

	for (size_t k = 0; b && k < b->n_cpus; k++) {
		for (; next < b->cpus[k].cpu; next++)
			textbuf_addf(&l->tb,
				     "CPU%u data recorded at offset=0x0\n    0 bytes in size\n",
				     next);
		textbuf_addf(&l->tb,
			     "CPU%u data recorded at offset=0x%llx\n    %llu bytes in size\n",
			     next++, (unsigned long long)pagestream_place(file->tf, b, k),
			     (unsigned long long)pagestream_plain_bytes(file->tf, b, k));
	}
}

static void add_stat(struct lister *l, const struct inputs_file *file)
{
	textbuf_addf(
		&l->tb,
		"\nKernel buffer statistics:\n"
		"  Note: \"entries\" are the entries left in the kernel ring buffer and are not\n"
		"        recorded in the trace data. They should all be zero.\n\n");
	add_kernel_stats(l, file->tf);
	add_data_places(l, file);
}

static int list_about(struct lister *l, struct errmsg *err)
{
	const struct filelists_spec *o = l->spec;

	for (size_t i = 0; i < l->in->n_files; i++) {
		struct tracefile *tf = l->in->files[i].tf;

		lines_add_head(l->in, i, o->verbose, &l->tb);
		/* version overrides uname, which overrides the statistics */
		if (o->stat && !o->uname && !o->version)
			add_stat(l, &l->in->files[i]);
		if (o->uname && !o->version)
			add_option_text(l, tf, SNF_OPTION_UNAME, "uname");
		if (o->uname || o->version)
			add_option_text(l, tf, SNF_OPTION_VERSION, "version");
	}
	return 0;
}

struct list_row {
	bool wanted;
	int (*list)(struct lister *l, struct errmsg *err);
	enum filelists_of of;
};

/* Returns the first requested row. Its list is NULL if none is requested. */
static struct list_row find_list(const struct filelists_spec *o)
{
	const struct list_row rows[] = {
		{o->page_size, list_page_size, FILELISTS_OF_FIRST},
		{o->endian, list_endian, FILELISTS_OF_FIRST},
		{o->formats || o->event_regex, list_formats, FILELISTS_OF_FIRST},
		{o->check_events, list_check, FILELISTS_OF_FIRST},
		{o->functions, list_functions, FILELISTS_OF_FIRST},
		{o->printk, list_printk, FILELISTS_OF_FIRST},
		{o->events, list_events, FILELISTS_OF_FIRST},
		{o->processes, list_processes, FILELISTS_OF_FIRST},
		{o->cpus || o->first_event || o->last_event, list_cpus, FILELISTS_OF_CPUS},
		{o->stat || o->uname || o->version, list_about, FILELISTS_OF_ALL},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (rows[i].wanted)
			return rows[i];
	return (struct list_row){.of = FILELISTS_NONE};
}

enum filelists_of filelists_find(const struct filelists_spec *spec)
{
	return find_list(spec).of;
}

int filelists_emit(const struct filelists_spec *spec, struct inputs *in, filelists_put *put,
		   void *ctx, struct errmsg *err)
{
	struct lister l = {.in = in, .spec = spec, .put = put, .ctx = ctx};
	int r;

	textbuf_init(&l.tb, TEXT_MAX_BYTES);
	r = find_list(spec).list(&l, err);
	flush(&l);
	textbuf_release(&l.tb);
	return r < 0 ? r : 0;
}

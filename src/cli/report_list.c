// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * report_list.c - the parts of `sonde report` that tell about the file instead of its events.
 *
 * When several are asked for, the first in the order of `lists` wins, as in trace-cmd; the ones at
 * its end (CPUs, statistics, uname, version) speak of every input, the others of the first.
 */
#include "base/textbuf.h"
#include "cli/report.h"
#include "decode/timefmt.h"
#include "inputs/cpuwalk.h"
#include "store/pagestream.h"
#include "symbols/processes.h"

#include <errno.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *endian_name(bool big)
{
	return big ? "big" : "little";
}

static void print_text(struct textbuf *tb)
{
	fwrite(tb->start, 1, textbuf_len(tb), stdout);
	textbuf_clear(tb);
}

static int list_page_size(struct report *rep, struct errmsg *err)
{
	printf("file page size is %u, and host page size is %ld\n", rep->in.files[0].tf->page_size,
	       sysconf(_SC_PAGESIZE));
	return 1;
}

static int list_endian(struct report *rep, struct errmsg *err)
{
	printf("file is %s endian and host is %s endian\n",
	       endian_name(rep->in.files[0].tf->big_endian), endian_name(bytes_host_is_big()));
	return 1;
}

/* --- formats ----------------------------------------------------------------------------------- */

struct format_match {
	regex_t system, event;
	bool all, has_colon;
};

/* "SYSTEM:NAME", or a word that may match either; both are basic regular expressions. */
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

static int list_formats(struct report *rep, struct errmsg *err)
{
	struct tracefile *tf = rep->in.files[0].tf;
	struct piece all = tracefile_text(tf, TRACEFILE_EVENT_FORMATS);
	struct byte_reader r = {all.data, all.data + all.len, tf->swap, false};
	uint64_t n_systems = byte_reader_take_number(&r, 4);
	struct format_match m;
	int ret = match_init(&m, rep->opts->print_events ? NULL : rep->opts->event_regex, err);

	if (ret < 0)
		return ret;
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
				printf("\nsystem: %s\n", system);
			named = true;
			fwrite(text.data, 1, text.len, stdout);
			putchar('\n');
		}
	}
	match_release(&m);
	return 1;
}

static int list_check(struct report *rep, struct errmsg *err)
{
	struct formats *f = rep->in.files[0].formats;
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
				  n_failed, f->n_events - n_made_up, rep->in.files[0].tf->path);
	return 1;
}

static int list_functions(struct report *rep, struct errmsg *err)
{
	const struct kallsyms *ks = formats_kallsyms(rep->in.files[0].formats);

	for (size_t i = 0; i < ks->n; i++) {
		const struct ksym *s = &ks->syms[i];

		printf("%016llx %.*s", (unsigned long long)s->addr, s->name_len, s->name);
		if (s->module)
			printf(" [%.*s]", s->module_len, s->module);
		putchar('\n');
	}
	return 1;
}

static int list_printk(struct report *rep, struct errmsg *err)
{
	const struct printkfmts *p = formats_printk(rep->in.files[0].formats);

	for (size_t i = 0; i < p->n; i++)
		printf("%016llx %s\n", (unsigned long long)p->rows[i].addr, p->rows[i].format);
	return 1;
}

static int list_events(struct report *rep, struct errmsg *err)
{
	struct formats *f = rep->in.files[0].formats;
	struct event **list = formats_list(f);

	if (!list)
		return errmsg_set_errno(err, -ENOMEM, "cannot list the events");
	for (size_t i = 0; i < f->n_events; i++)
		if (!list[i]->is_made_up)
			printf("%s:%s\n", list[i]->system, list[i]->name);
	free(list);
	return 1;
}

/* --- processes --------------------------------------------------------------------------------- */

struct process_list {
	struct inputs_file *file;
	struct textbuf *tb;
};

/* A process without a command line, as ps has it: a thread of the kernel, or one that nobody asked. */
static int print_process(void *ctx, int tgid)
{
	const struct process_list *l = ctx;
	const struct task *task;

	textbuf_addf(l->tb, "%7d  ", tgid);
	if (!processes_fmt_command(l->file->formats->processes, tgid, l->tb)) {
		task = tasks_find(&l->file->tasks, tgid);
		textbuf_addf(l->tb, "[%s]", task ? task->comm : "<...>");
	}
	textbuf_add_str(l->tb, "\n");
	print_text(l->tb);
	return 0;
}

static int list_processes(struct report *rep, struct errmsg *err)
{
	struct inputs_file *file = &rep->in.files[0];
	struct textbuf tb;
	int r;

	if (!file->formats->processes)
		return errmsg_set(err, -ENODATA,
				  "%s has no list of processes: another program or an older sonde "
				  "recorded it",
				  file->tf->path);
	textbuf_init(&tb, 1 << 20);
	r = processes_each(file->formats->processes, print_process,
			   &(struct process_list){file, &tb});
	textbuf_release(&tb);
	return r < 0 ? errmsg_set_errno(err, r, "cannot list the processes") : 1;
}

/* --- CPUs -------------------------------------------------------------------------------------- */

static void print_edge(const struct report *rep, struct inputs_file *file,
		       const struct tracefile_buffer *b, size_t cpu, bool last)
{
	char text[TIME_MAX_BYTES + 2], *s = text;
	struct arena arena;
	struct timeconv tc;
	uint64_t ts = 0;
	int id = 0;

	if (!cpuwalk_find_edge(file, b, cpu, last, &ts, &id))
		return;
	printf("\t%s event:", last ? "Last" : "First");
	if (!formats_find(file->formats, id)) {
		fputs("[UNKNOWN EVENT]", stdout);
		return;
	}
	arena_init(&arena, 64 << 20);
	tc = inputs_timeconv(&rep->in, file, b, &arena);
	s = time_emit(s, timeconv(&tc, ts, b->cpus[cpu].cpu), inputs_time_style(&rep->in, &tc));
	printf("%.*s", (int)(s - text), text);
	arena_release(&arena);
}

void report_print_version(const struct report *rep, size_t file)
{
	if (rep->opts->verbose)
		printf("version = %d\n", rep->in.files[file].tf->version);
}

static int list_cpus(struct report *rep, struct errmsg *err)
{
	const struct report_options *o = rep->opts;
	struct textbuf tb;

	textbuf_init(&tb, 1 << 20);
	for (size_t i = 0; i < rep->in.n_files; i++) {
		const struct tracefile_buffer *b = inputs_top_buffer(&rep->in.files[i]);

		report_print_version(rep, i);
		if (o->verbose && b)
			lines_add_empty_cpus(b, &tb);
		print_text(&tb);
		printf("List of CPUs in %s with data:\n", rep->in.files[i].tf->path);
		for (size_t k = 0; b && k < b->n_cpus; k++) {
			uint64_t ts;
			int id;

			if (!cpuwalk_find_edge(&rep->in.files[i], b, k, false, &ts, &id))
				continue;
			printf("  %u", b->cpus[k].cpu);
			if (o->first_event)
				print_edge(rep, &rep->in.files[i], b, k, false);
			if (o->last_event)
				print_edge(rep, &rep->in.files[i], b, k, true);
			putchar('\n');
		}
	}
	textbuf_release(&tb);
	return 1;
}

/* --- statistics -------------------------------------------------------------------------------- */

static void print_option_text(const struct tracefile *tf, unsigned id, const char *name)
{
	const struct tracefile_option *o = tracefile_option_find(tf, id);

	if (o)
		printf("%.*s\n", (int)strnlen((const char *)o->data.data, o->data.len),
		       o->data.data);
	else
		printf(" %s was not recorded in this file\n", name);
}

static void print_kernel_stats(const struct tracefile *tf)
{
	bool any = false;

	for (size_t i = 0; i < tf->n_options; i++)
		if (tf->options[i].id == SNF_OPTION_CPUSTAT && tf->options[i].data.len) {
			fwrite(tf->options[i].data.data, 1, tf->options[i].data.len - 1, stdout);
			putchar('\n');
			any = true;
		}
	puts(any ? "" : " No stats in this file");
}

/* Version 7 leaves CPUs without data out; those below one that has some are shown, at 0. */
static void print_data_places(const struct inputs_file *file)
{
	const struct tracefile_buffer *b = inputs_top_buffer(file);
	uint32_t next = 0;

	for (size_t k = 0; b && k < b->n_cpus; k++) {
		for (; next < b->cpus[k].cpu; next++)
			printf("CPU%u data recorded at offset=0x0\n    0 bytes in size\n", next);
		printf("CPU%u data recorded at offset=0x%llx\n    %llu bytes in size\n", next++,
		       (unsigned long long)pagestream_place(file->tf, b, k),
		       (unsigned long long)pagestream_plain_bytes(file->tf, b, k));
	}
}

static void print_stat(const struct inputs_file *file)
{
	printf("\nKernel buffer statistics:\n"
	       "  Note: \"entries\" are the entries left in the kernel ring buffer and are not\n"
	       "        recorded in the trace data. They should all be zero.\n\n");
	print_kernel_stats(file->tf);
	print_data_places(file);
}

static int list_about(struct report *rep, struct errmsg *err)
{
	const struct report_options *o = rep->opts;
	struct textbuf tb;
	bool any_filter;
	int r = report_filter(rep, &any_filter, err);

	if (r < 0 || (o->test_filters && any_filter))
		return r < 0 ? r : 1;
	textbuf_init(&tb, 1 << 20);
	for (size_t i = 0; i < rep->in.n_files; i++) {
		struct tracefile *tf = rep->in.files[i].tf;

		lines_add_head(&rep->in, i, o->verbose, &tb);
		print_text(&tb);
		/* version overrides uname, which overrides the statistics */
		if (o->stat && !o->uname && !o->version)
			print_stat(&rep->in.files[i]);
		if (o->uname && !o->version)
			print_option_text(tf, SNF_OPTION_UNAME, "uname");
		if (o->uname || o->version)
			print_option_text(tf, SNF_OPTION_VERSION, "version");
	}
	textbuf_release(&tb);
	return 1;
}

int report_list(struct report *rep, struct errmsg *err)
{
	const struct report_options *o = rep->opts;
	const struct {
		bool wanted;
		int (*list)(struct report *rep, struct errmsg *err);
		size_t n_files; /* whose versions --verbose tells before it */
	} lists[] = {
		{o->page_size, list_page_size, 1},
		{o->endian, list_endian, 1},
		{o->print_events || o->event_regex, list_formats, 1},
		{o->check_events, list_check, 1},
		{o->list_functions, list_functions, 1},
		{o->list_printk, list_printk, 1},
		{o->list_events, list_events, 1},
		{o->processes, list_processes, 1},
		{o->list_cpus || o->first_event || o->last_event, list_cpus, 0},
		{o->stat || o->uname || o->version, list_about, rep->in.n_files},
	};

	for (size_t i = 0; i < sizeof(lists) / sizeof(*lists); i++) {
		if (!lists[i].wanted)
			continue;
		for (size_t k = 0; k < lists[i].n_files; k++)
			report_print_version(rep, k);
		return lists[i].list(rep, err);
	}
	return 0;
}

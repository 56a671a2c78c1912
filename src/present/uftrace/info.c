// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * info.c - prints the info file, the list of tasks, or the symbols of the program.
 *
 * The lines are rows of a table; a line whose value was not recorded is left out. Names of tasks
 * come from the program, and later ones from task-name events, which are read first.
 */
#include "present/uftrace/info.h"

#include "analyse/uftrace/perfdata.h"
#include "base/array.h"
#include "format/uftrace.h"
#include "store/uftrace/dir.h"
#include "symbols/uftrace/module.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

static void add_line(struct uft_out *o, const char *key, const char *value)
{
	if (value)
		textbuf_addf(&o->tb, "# %-20s: %s\n", key, value);
}

/* "2 / 2 (online/possible)" gets blanks in its parentheses. */
static void add_cpus(struct uft_out *o, const char *value)
{
	if (value)
		textbuf_addf(&o->tb, "# %-20s: %.*s(online / possible)\n", "number of cpus",
			     (int)strcspn(value, "("), value);
}

static void add_exit(struct uft_out *o, const char *value)
{
	int status = value ? atoi(value) : 0;
	char text[64];

	if (!value)
		return;
	if (WIFEXITED(status))
		snprintf(text, sizeof(text), "exited with code: %d", WEXITSTATUS(status));
	else if (WIFSIGNALED(status))
		snprintf(text, sizeof(text), "terminated by signal: %d (%s)", WTERMSIG(status),
			 strsignal(WTERMSIG(status)));
	else
		snprintf(text, sizeof(text), "unknown exit status: %d", status);
	add_line(o, "exit status", text);
}

static void add_tasks(const struct uftdata *d, struct uft_out *o)
{
	const struct uftinfo *info = &d->dir.info;

	textbuf_addf(&o->tb, "# %-20s: %zu\n# %-20s: ", "number of tasks", info->n_tids,
		     "task list");
	for (size_t i = 0; i < info->n_tids; i++) {
		const struct uft_task *t = uft_task_find(&d->names, info->tids[i]);

		textbuf_addf(&o->tb, "%s%d(%s)", i ? ", " : "", info->tids[i], t ? t->comm : "");
	}
	textbuf_add_char(&o->tb, '\n');
}

static void add_system(const struct uftinfo *info, struct uft_out *o)
{
	textbuf_add_str(&o->tb, "# system information\n# ==================\n");
	add_line(o, "program version", info->version_text);
	add_line(o, "recorded on", info->record_date);
	add_line(o, "cmdline", info->cmdline);
	add_line(o, "cpu info", info->cpu);
	add_cpus(o, info->n_cpus);
	add_line(o, "memory info", info->memory);
	if (info->load)
		textbuf_addf(&o->tb, "# %-20s: %s (1 / 5 / 15 min)\n", "system load", info->load);
	add_line(o, "kernel version", info->kernel);
	add_line(o, "hostname", info->hostname);
	add_line(o, "distro", info->distro);
	textbuf_add_str(&o->tb, "#\n");
}

static void add_usage(const struct uftinfo *info, struct uft_out *o)
{
	if (!info->sys_time || !info->user_time)
		return;
	textbuf_addf(&o->tb, "# %-20s: %.3f / %.3f sec (sys / user)\n", "cpu time",
		     strtod(info->sys_time, NULL), strtod(info->user_time, NULL));
	add_line(o, "context switch", info->switches);
	if (info->max_rss)
		textbuf_addf(&o->tb, "# %-20s: %s KB\n", "max rss", info->max_rss);
	add_line(o, "page fault", info->page_faults);
	add_line(o, "disk iops", info->io);
}

/* "argspec", "auto-args": which values were recorded. */
static void add_values(const struct uftinfo *info, struct uft_out *o)
{
	add_line(o, "arguments", info->argspec);
	add_line(o, "return values", info->retspec);
	if (info->has_auto_args)
		add_line(o, "auto-args", "true");
}

void uft_info_print(const struct uftdata *d, struct uft_out *o)
{
	const struct uftinfo *info = &d->dir.info;

	uftdata_learn_names((struct uftdata *)d);
	add_system(info, o);
	textbuf_add_str(&o->tb, "# process information\n# ===================\n");
	add_tasks(d, o);
	add_line(o, "exe image", info->exename);
	add_line(o, "build id", info->build_id);
	add_values(info, o);
	add_line(o, "pattern", info->pattern);
	add_exit(o, info->exit_status);
	add_line(o, "elapsed time", info->elapsed);
	add_usage(info, o);
	textbuf_add_char(&o->tb, '\n');
}

/* When the first record of a task was made; 0: it has none. */
static uint64_t first_time(const struct uftdata *d, int tid, size_t *ret_bytes)
{
	struct uft_record rec;

	*ret_bytes = 0;
	for (size_t i = 0; i < d->n_streams; i++) {
		const struct uft_stream *s = &d->streams[i];

		if (s->tid != tid || !s->data)
			continue;
		*ret_bytes = s->n_bytes;
		if (s->n_bytes >= UFT_RECORD_BYTES && uft_record_parse(s->data, d->dir.swaps, &rec))
			return rec.time_ns;
	}
	return 0;
}

/* The time at which a task appeared: its first event of a CPU, or its first record. */
static uint64_t appearance(const struct uftdata *d, int tid, size_t *ret_bytes)
{
	uint64_t best = first_time(d, tid, ret_bytes);

	for (size_t i = 0; i < d->n_perfs; i++) {
		struct uft_perf p = d->perfs[i];

		for (p.pos = 0, p.is_valid = false; uft_perf_read(&p, d->dir.swaps);
		     p.is_valid = false)
			if (p.tid == tid && (!best || p.rec.time_ns < best))
				best = p.rec.time_ns;
	}
	return best;
}

void uft_info_print_tasks(struct uftdata *d, struct uft_out *o)
{
	uftdata_learn_names(d);
	textbuf_addf(&o->tb, "#%18s %11s %7s    %-16s %s\n", "TIMESTAMP", "FLAGS", "TID", "TASK",
		     " DATA SIZE");
	for (size_t i = 0; i < d->n_streams; i++) {
		const struct uft_task *t = uft_task_find(&d->names, d->streams[i].tid);
		size_t n_bytes;
		uint64_t ns = appearance(d, d->streams[i].tid, &n_bytes);
		bool is_fork = t && t->pid == t->tid, has_session = false;

		for (size_t k = 0; t && k < d->names.n_sessions; k++)
			has_session |= d->names.sessions[k]->pid == t->tid;
		textbuf_addf(&o->tb,
			     "%14" PRIu64 ".%09" PRIu64 "  %c%c     [%6d]  %-16s  %9.3f MB\n",
			     ns / 1000000000, ns % 1000000000, is_fork ? 'F' : ' ',
			     has_session ? 'S' : ' ', d->streams[i].tid, t ? t->comm : "",
			     (double)(n_bytes >> 10) / 1024);
	}
}

static void add_symbols(const struct uft_module *m, bool is_plt, struct uft_out *o)
{
	for (size_t i = 0; i < m->n_syms; i++) {
		const struct uft_sym *s = &m->syms[i];

		if ((s->type == UFT_SYM_PLT) == is_plt)
			textbuf_addf(&o->tb, "[%2zu] %#" PRIx64 ": %s (size: %u)\n", i, s->addr,
				     s->name, s->size);
		uft_out_flush(o, false);
	}
}

void uft_info_print_symbols(const struct uftdata *d, struct uft_out *o)
{
	const struct uft_map *m = d->names.first ? d->names.first->exec_map : NULL;

	if (!m || !m->module)
		return;
	textbuf_add_str(&o->tb, "Normal symbols\n==============\n");
	add_symbols(m->module, false, o);
	textbuf_add_str(&o->tb, "\n\nDynamic symbols\n===============\n");
	add_symbols(m->module, true, o);
}

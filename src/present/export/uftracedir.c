// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * uftracedir.c - the calls of a trace as a uftrace.data directory.
 *
 * A trace has names of functions, not their addresses. So every function gets an invented address:
 *
 *	file 1 (the program)    0x10000000, 0x10000010, …      each function has 16 bytes
 *	file 2                  0x20000000, …
 *
 * All tasks belong to one session, whose program is the file of the first call. Threads keep their
 * process where the trace knows it. A depth above 1023 does not fit into a record: such calls are
 * left out and counted. The records of a task are written as they come, through a stream for each
 * task; a trace with more tasks than descriptors fails with a message.
 */
#include "present/export/uftracedir.h"

#include "base/array.h"
#include "base/errmsg.h"
#include "base/map.h"
#include "base/scope.h"
#include "base/shortage.h"
#include "decode/record.h"
#include "format/uftrace.h"
#include "store/uftrace/write.h"
#include "symbols/tasks.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FILES_MAX     4096
#define FUNCTIONS_MAX (1u << 20)
#define TASKS_MAX     (1u << 20)
#define FILE_SPAN     0x10000000u
#define SID	      "736f6e6465000001" /* any 16 hex digits */

struct function {
	const char *name; /* belongs to the flow, which outlives us */
	uint64_t addr;
};

struct file {
	const char *module; /* NULL: unknown */
	struct function *functions;
	size_t n, cap;
};

struct taskfile {
	int tid, pid;
	uint64_t first_ns;
	FILE *f;
};

struct uftracedir {
	struct uftracedir_config c;
	struct uftwriter w;
	struct file *files;
	size_t n_files, cap_files;
	struct taskfile *tasks;
	size_t n_tasks, cap_tasks;
	uint64_t first_ns, last_ns, n_calls, n_deep;
	int error;
	struct errmsg err;
};

int uftracedir_new(struct uftracedir **ret, const struct uftracedir_config *config,
		   struct errmsg *err)
{
	struct uftracedir *d = calloc(1, sizeof(*d));
	int r;

	if (!d)
		return errmsg_set_errno(err, -ENOMEM, "cannot write %s", config->path);
	d->c = *config;
	r = uftwriter_open(&d->w, config->path, err);
	if (r < 0) {
		uftracedir_free(d);
		return r;
	}
	*ret = d;
	return 0;
}

void uftracedir_free(struct uftracedir *d)
{
	if (!d)
		return;
	for (size_t i = 0; i < d->n_files; i++)
		free(d->files[i].functions);
	for (size_t i = 0; i < d->n_tasks; i++)
		if (d->tasks[i].f)
			fclose(d->tasks[i].f);
	free(d->files);
	free(d->tasks);
	uftwriter_close(&d->w);
	free(d);
}

/* The file of a function, by the name that the trace has for it. */
static struct file *take_file(struct uftracedir *d, const char *module)
{
	for (size_t i = 0; i < d->n_files; i++)
		if (d->files[i].module == module ||
		    (module && d->files[i].module && !strcmp(d->files[i].module, module)))
			return &d->files[i];
	if (!ARRAY_ROOM(d->files, d->cap_files, d->n_files + 1, FILES_MAX))
		return NULL;
	d->files[d->n_files].module = module;
	return &d->files[d->n_files++];
}

/* The invented address of a function; 0: no memory. It is kept in the function. */
static uint64_t take_addr(struct uftracedir *d, struct flow_func *func)
{
	struct file *f;
	uint64_t addr;

	if (func->aside)
		return (uintptr_t)func->aside;
	f = take_file(d, func->module);
	if (!f || !ARRAY_ROOM(f->functions, f->cap, f->n + 1, FUNCTIONS_MAX))
		return 0;
	addr = (uint64_t)(f - d->files + 1) * FILE_SPAN + 16 * f->n;
	f->functions[f->n++] = (struct function){func->name, addr};
	func->aside = (void *)(uintptr_t)addr;
	return addr;
}

static struct taskfile *take_task(struct uftracedir *d, struct flow_task *t, uint64_t ns)
{
	struct taskfile *x;
	char name[32];

	if (t->aside)
		return &d->tasks[(uintptr_t)t->aside - 1];
	if (!ARRAY_ROOM(d->tasks, d->cap_tasks, d->n_tasks + 1, TASKS_MAX))
		return NULL;
	x = &d->tasks[d->n_tasks];
	*x = (struct taskfile){.tid = (int)t->who, .first_ns = ns};
	x->pid = t->task && t->task->tgid > 0 ? t->task->tgid : x->tid;
	snprintf(name, sizeof(name), "%d.dat", x->tid);
	x->f = uftwriter_file(&d->w, name, &d->err);
	if (!x->f)
		return NULL;
	d->n_tasks++;
	t->aside = (void *)(uintptr_t)d->n_tasks;
	return x;
}

static void add_record(struct uftracedir *d, struct flow_task *t, struct flow_frame *f,
		       enum uft_type type, uint64_t ns)
{
	uint8_t bytes[UFT_RECORD_BYTES];
	struct taskfile *x;
	struct uft_record rec = {.time_ns = ns, .type = type, .depth = (uint16_t)f->level};

	if (d->error || !f->func || !(f->flags & FLOW_USER) || t->who <= 0)
		return;
	if (f->level > UFT_DEPTH_MAX) {
		d->n_deep += type == UFT_ENTRY;
		return;
	}
	x = take_task(d, t, ns);
	rec.addr = take_addr(d, f->func);
	if (!x || !rec.addr) {
		d->error = errmsg_code(&d->err);
		return;
	}
	if (!d->first_ns || ns < d->first_ns)
		d->first_ns = ns;
	if (ns > d->last_ns)
		d->last_ns = ns;
	uft_record_write(bytes, &rec);
	fwrite(bytes, 1, sizeof(bytes), x->f);
	d->n_calls += type == UFT_ENTRY;
}

static void enter(void *ctx, struct flow_task *t, struct flow_frame *f)
{
	add_record(ctx, t, f, UFT_ENTRY, f->start);
}

static void leave(void *ctx, struct flow_task *t, struct flow_frame *f, const struct flow_end *end,
		  const struct record *rec)
{
	(void)rec;
	/* a call that never returned has no exit, as in uftrace's own recordings */
	if (!end->is_open && f->start)
		add_record(ctx, t, f, UFT_EXIT, end->ts);
}

struct flow_sink uftracedir_sink(struct uftracedir *d)
{
	return (struct flow_sink){d, enter, leave};
}

static const char *file_name(const struct uftracedir *d, size_t i)
{
	return i < d->n_files && d->files[i].module ? d->files[i].module : "program";
}

static int write_symbols(struct uftracedir *d, size_t i, struct errmsg *err)
{
	const struct file *x = &d->files[i];
	const char *base = strrchr(file_name(d, i), '/');
	char name[300];
	FILE *f;

	snprintf(name, sizeof(name), "%.250s.sym", base ? base + 1 : file_name(d, i));
	f = uftwriter_file(&d->w, name, err);
	if (!f)
		return errmsg_code(err);
	fprintf(f, "# symbols: %zu\n# path name: %s\n# build-id: \n", x->n, file_name(d, i));
	for (size_t k = 0; k < x->n; k++)
		fprintf(f, "%016" PRIx64 " T %s\n", (uint64_t)16 * k, x->functions[k].name);
	fprintf(f, "%016" PRIx64 " ? __sym_end\n", (uint64_t)16 * x->n);
	return uftwriter_end_file(&d->w, f, name, err);
}

static int write_maps(struct uftracedir *d, struct errmsg *err)
{
	FILE *f = uftwriter_file(&d->w, "sid-" SID ".map", err);

	if (!f)
		return errmsg_code(err);
	for (size_t i = 0; i < d->n_files; i++) {
		uint64_t start = (i + 1) * (uint64_t)FILE_SPAN;
		uint64_t n_bytes = (16 * d->files[i].n + 0xfff) & ~(uint64_t)0xfff;

		fprintf(f, "%" PRIx64 "-%" PRIx64 " r-xp 00000000 00:00 0 %25s %s\n", start,
			start + n_bytes, "", file_name(d, i));
	}
	fputs("7fff00000000-7fff00021000 rw-p 00000000 00:00 0                          [stack]\n",
	      f);
	return uftwriter_end_file(&d->w, f, "sid-" SID ".map", err);
}

static int write_tasks(struct uftracedir *d, struct errmsg *err)
{
	FILE *f = uftwriter_file(&d->w, "task.txt", err);
	uint64_t start = d->first_ns ? d->first_ns - 1 : 0;
	int pid = d->n_tasks ? d->tasks[0].pid : 0;

	if (!f)
		return errmsg_code(err);
	fprintf(f, "SESS timestamp=%" PRIu64 ".%09" PRIu64 " pid=%d sid=%s exename=\"%s\"\n",
		start / 1000000000, start % 1000000000, pid, SID, file_name(d, 0));
	if (d->n_tasks && d->tasks[0].tid != pid)
		fprintf(f, "TASK timestamp=%" PRIu64 ".%09" PRIu64 " tid=%d pid=%d\n",
			start / 1000000000, start % 1000000000, pid, pid);
	for (size_t i = 0; i < d->n_tasks; i++) {
		const struct taskfile *t = &d->tasks[i];
		uint64_t ns = t->first_ns;

		if (t->pid == pid)
			fprintf(f, "TASK timestamp=%" PRIu64 ".%09" PRIu64 " tid=%d pid=%d\n",
				ns / 1000000000, ns % 1000000000, t->tid, pid);
		else
			fprintf(f, "FORK timestamp=%" PRIu64 ".%09" PRIu64 " pid=%d ppid=%d\n",
				ns / 1000000000, ns % 1000000000, t->tid, pid);
	}
	return uftwriter_end_file(&d->w, f, "task.txt", err);
}

static int write_info(struct uftracedir *d, struct errmsg *err)
{
	SCOPED(scope_free) int *tids = calloc(d->n_tasks + 1, sizeof(*tids));
	struct uftwriter_info info = {.exename = file_name(d, 0),
				      .cmdline = d->c.cmdline,
				      .exit_status = d->c.exit_status,
				      .tids = tids,
				      .n_tids = d->n_tasks};
	uint64_t ns = d->last_ns - d->first_ns;
	char elapsed[48];

	if (!tids)
		return errmsg_set_errno(err, -ENOMEM, "cannot write %s", d->c.path);
	for (size_t i = 0; i < d->n_tasks; i++)
		tids[i] = d->tasks[i].tid;
	snprintf(elapsed, sizeof(elapsed), "%" PRIu64 ".%09" PRIu64 " sec", ns / 1000000000,
		 ns % 1000000000);
	info.elapsed = elapsed;
	return uftwriter_info(&d->w, &info, err);
}

int uftracedir_finish(struct uftracedir *d, struct uftracedir_counts *ret, struct errmsg *err)
{
	FILE *f;

	if (d->error)
		return errmsg_set(err, d->error, "%s",
				  d->err.code ? d->err.text : "no memory for the calls");
	for (size_t i = 0; i < d->n_tasks; i++) {
		f = TAKE(d->tasks[i].f);
		TRY(uftwriter_end_file(&d->w, f, "the records of a task", err));
	}
	if (!d->n_tasks)
		return errmsg_set(
			err, -ENODATA,
			"the trace has no calls of programs (record them with record -u)");
	for (size_t i = 0; i < d->n_files; i++)
		TRY(write_symbols(d, i, err));
	TRY(write_maps(d, err));
	TRY(write_tasks(d, err));
	f = uftwriter_file(&d->w, "default.opts", err);
	if (!f)
		return errmsg_code(err);
	TRY(uftwriter_end_file(&d->w, f, "default.opts", err));
	/* without info it is no recording: so that one is not there if anything is missing */
	TRY(shortage_check(err, "cannot write %s", d->c.path));
	*ret = (struct uftracedir_counts){d->n_calls, d->n_deep};
	return write_info(d, err);
}

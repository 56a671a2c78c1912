// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * perfexport.c - the way from a trace file to a perf.data.
 *
 *	perf:sample ─▶ sampleread ─┐
 *	other events ─▶ cpuwalk ───┴▶ present/perfdata/write
 *
 * What the perf.data says of the machine (its name, the kernel, the clock, where the kernel begins)
 * comes from the trace, so that a file can be written on another machine. Only a trace of this
 * kernel without the symbol _text gets its address from /proc/kallsyms.
 */
#include "cli/samples/perfexport.h"

#include "analyse/samples/sampleset.h"
#include "base/array.h"
#include "decode/formats/formats.h"
#include "format/bytes.h"
#include "inputs/cpuwalk.h"
#include "present/perfdata/write.h"
#include "store/events/sampleevents.h"
#include "store/tracefile.h"
#include "symbols/processes.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#define EVENTS_MAX	   32768u
#define KALLSYMS_MAX_BYTES (256u << 20)

struct exporting {
	struct inputs_path path;
	struct inputs_spec spec;
	struct inputs in;
	struct perfwrite_event *events;
	size_t n_events, cap_events;
	bool is_full;
	void (*visit)(void *to, const struct perfwrite_record *rec);
	void *to;
};

static void release(struct exporting *x)
{
	free(x->events);
	inputs_close(&x->in);
}

/*
 * --- what the trace says -----------------------------------------------------------------------
 */

static const char *clock_of(const struct tracefile *tf)
{
	const struct tracefile_buffer *b = ARRAY_FIND(
		tf->buffers, tf->n_buffers, i, !strcmp(tf->buffers[i].name, SAMPLEEVENTS_BUFFER));

	return b ? b->clock : tracefile_main_clock(tf);
}

/* The option is a string; one without an end is not used. */
static const char *uname_of(const struct tracefile *tf)
{
	const struct tracefile_option *o = tracefile_option_find(tf, SNF_OPTION_UNAME);

	return o && o->data.len && memchr(o->data.data, 0, o->data.len) ? (const char *)o->data.data
									: NULL;
}

/* The address of _text of this kernel, if the trace is of it. */
static uint64_t text_of_this(const char *uname_text)
{
	SCOPED(scope_close) int fd = open("/proc/kallsyms", O_RDONLY | O_CLOEXEC);
	TEXTBUF(tb, KALLSYMS_MAX_BYTES);
	struct utsname now;
	char *found;

	if (fd < 0 || !uname_text || uname(&now) < 0 || !strstr(uname_text, now.release) ||
	    !strstr(uname_text, now.nodename) || textbuf_add_file(&tb, fd) < 0)
		return 0;
	found = strstr(textbuf_text(&tb), " _text\n");
	return found && found - tb.start >= 18 ? strtoull(found - 18, NULL, 16) : 0;
}

static uint64_t kernel_text(struct inputs_file *file)
{
	const struct kallsyms *all = formats_kallsyms(file->formats);
	const struct ksym *s =
		ARRAY_FIND(all->syms, all->n, i,
			   all->syms[i].name_len == 5 && !memcmp(all->syms[i].name, "_text", 5));

	return s ? s->addr : text_of_this(uname_of(file->tf));
}

/*
 * --- events ------------------------------------------------------------------------------------
 */

static void note_event(void *ctx, const struct record *rec)
{
	struct exporting *x = ctx;
	struct perfwrite_event *e;

	if (!rec->event || rec->event->is_ftrace || rec->size < 8)
		return;
	if (ARRAY_FIND(x->events, x->n_events, i, x->events[i].id == rec->event->id))
		return;
	if (!ARRAY_ROOM(x->events, x->cap_events, x->n_events + 1, EVENTS_MAX)) {
		x->is_full = true;
		return;
	}
	e = &x->events[x->n_events++];
	e->id = (uint16_t)rec->event->id;
	snprintf(e->name, sizeof(e->name), "%s:%s", rec->event->system, rec->event->name);
}

static void pass_record(void *ctx, const struct record *rec)
{
	struct exporting *x = ctx;
	struct inputs_file *file = &x->in.files[0];
	struct perfwrite_record out = {
		.ts = rec->ts, .cpu = rec->cpu, .raw = {rec->data, rec->size}};
	int tgid;

	if (!rec->event || rec->event->is_ftrace || rec->size < 8)
		return;
	out.tid = (int32_t)bytes_get32(rec->data + 4, false);
	tgid = processes_find_tgid(file->formats->processes, out.tid);
	out.pid = tgid >= 0 ? tgid : out.tid;
	out.comm = tasks_find(&file->tasks, out.tid)->comm;
	x->visit(x->to, &out);
}

/* Buffers of the kernel's events: not those that sonde fills itself. */
static bool is_kernels(const struct tracefile_buffer *b)
{
	return !b->is_text && !b->name[0];
}

static void walk(struct exporting *x, void (*visit)(void *ctx, const struct record *rec))
{
	struct inputs_file *file = &x->in.files[0];

	for (size_t i = 0; i < file->tf->n_buffers; i++)
		if (is_kernels(&file->tf->buffers[i]) &&
		    cpuwalk(file, &file->tf->buffers[i], visit, x) < 0)
			x->is_full = true;
}

static void each_event(void *ctx, void (*visit)(void *to, const struct perfwrite_record *rec),
		       void *to)
{
	struct exporting *x = ctx;

	x->visit = visit;
	x->to = to;
	walk(x, pass_record);
}

/*
 * --- both --------------------------------------------------------------------------------------
 */

static int write_all(struct exporting *x, const struct sampleset *set,
		     const struct sampleinfo *info, const struct perfexport_form *form,
		     struct textbuf *tb)
{
	struct inputs_file *file = &x->in.files[0];
	struct perfwrite w = {.set = set,
			      .info = info,
			      .clock = clock_of(file->tf),
			      .uname = uname_of(file->tf),
			      .kernel_text = kernel_text(file),
			      .n_cpus = file->tf->cpu_count,
			      .command = form ? form->command : NULL,
			      .ret_n_samples = form ? form->ret_n_samples : NULL,
			      .is_pipe = form && form->is_pipe,
			      .events = x->events,
			      .n_events = x->n_events,
			      .each = x->n_events ? each_event : NULL,
			      .ctx = x};
	int r;

	for (int i = 0; i < TRACEFILE_TEXT_KINDS; i++)
		w.texts[i] = tracefile_text(file->tf, (enum tracefile_text_kind)i);
	r = perfwrite_fmt(&w, tb);
	return r < 0 ? r : x->is_full ? -ENOMEM : 0;
}

int perfexport_fmt(const struct sampleread_spec *asked, const struct perfexport_form *form,
		   struct textbuf *tb, struct errmsg *err)
{
	SCOPED(release) struct exporting x = {.path = {.path = asked->path}};
	SCOPED(sampleread_close) struct sampleread r = {0};
	struct sampleread_spec spec = *asked;
	struct sampleread_look look = {0};
	struct sampleinfo none = {0};
	int e;

	x.spec = (struct inputs_spec){.paths = &x.path, .n_paths = 1};
	TRY(inputs_open(&x.in, &x.spec, err));
	spec.one_event = false;
	spec.with_waits = !spec.event;
	spec.keep = SAMPLESET_TIME | SAMPLESET_TASK | SAMPLESET_CPU | SAMPLESET_EVENT;
	walk(&x, note_event);
	sampleread_look(spec.path, &look);
	if (look.has_samples)
		TRY(sampleread_open(&r, &spec, err));
	if (!x.n_events && (!r.set || !sampleset_n(r.set)) &&
	    !(form && form->may_be_empty && r.set && r.info.n_events))
		return errmsg_set(err, -ENODATA, "there are no samples in %s", spec.path);
	e = write_all(&x, r.set, r.set ? &r.info : &none, form, tb);
	return e < 0 ? errmsg_set_errno(err, e, "cannot write the samples") : 0;
}

// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * texts.c - what a trace file has besides its events, if it is made of a perf.data: formats, names
 * of tasks and functions, the files with code, the machine.
 *
 * A function with samples is a line of kallsyms at the place of its beginning. Code without a known
 * function is named after its file and address, at that address, so that no reader shows the
 * function before it. If there are tracepoints, all functions of the kernel are listed: their
 * fields may be any of them.
 */
#include "base/array.h"
#include "base/errmsg.h"
#include "base/scope.h"
#include "format/bytes.h"
#include "inputs/perfdata/asfile_int.h"
#include "store/events/eventformats.h"
#include "store/packedtext.h"
#include "store/events/sampleevents.h"
#include "store/events/userevents.h"
#include "store/writer.h"
#include "symbols/processes.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SYMBOLS_MAX    (1u << 24)
#define TEXT_MAX_BYTES (64u << 20)
#define NAME_MAX_LEN   300

/*
 * --- functions ---------------------------------------------------------------------------------
 */

/* Returns true if the place has no name yet. */
static bool is_new(struct perffile *c, uint64_t place)
{
	void **slot = map_take(&c->symbols, place, SYMBOLS_MAX);

	if (!slot || *slot)
		return false;
	*slot = c;
	return true;
}

static uint32_t number_of(struct perffile *c, const struct perfdso *dso)
{
	struct perfdso *d = (struct perfdso *)dso;

	if (!d->number && c->n_files < SAMPLEEVENTS_FILES_MAX)
		d->number = ++c->n_files;
	return d->number;
}

static void add_unknown(struct perffile *c, uint64_t place, const struct perfplace *p)
{
	char name[NAME_MAX_LEN];

	if (!is_new(c, place))
		return;
	if (p->dso && !p->is_kernel)
		snprintf(name, sizeof(name), "%.200s+0x%" PRIx64, p->dso->short_name, p->address);
	else
		snprintf(name, sizeof(name), "0x%" PRIx64, p->ip);
	eventformats_add_symbol(&c->kallsyms, place, name,
				p->dso && !p->is_kernel ? p->dso->short_name : NULL);
}

int perffile_add_place(struct perffile *c, const struct perfplace *p, uint64_t *ret)
{
	uint32_t file = p->dso && !p->is_kernel ? number_of(c, p->dso) : 0;
	uint64_t start;

	*ret = p->is_kernel ? p->ip : sampleevents_place(file, p->address);
	if (!p->symbol) {
		add_unknown(c, *ret, p);
		return 0;
	}
	start = p->is_kernel ? p->symbol->start : sampleevents_place(file, p->symbol->start);
	if (is_new(c, start))
		eventformats_add_symbol(&c->kallsyms, start, p->symbol->name,
					p->is_kernel ? p->symbol->module : p->dso->short_name);
	return 0;
}

static void add_kernel(struct perffile *c)
{
	const struct symtable *t = perfsession_kernel(c->session);

	for (size_t i = 0; t && i < symtable_count(t); i++) {
		const struct symtable_symbol *s = symtable_at(t, i);

		if (is_new(c, s->start))
			eventformats_add_symbol(&c->kallsyms, s->start, s->name, s->module);
	}
}

/*
 * --- formats -----------------------------------------------------------------------------------
 */

static void copy(struct perffile *c, enum tracefile_text_kind kind, struct textbuf *to)
{
	struct piece text = c->metadata.file ? tracefile_text(c->metadata.file, kind) : PIECE_EMPTY;

	textbuf_add(to, (const char *)text.data, text.len);
}

static int add_formats(struct perffile *c)
{
	const struct perfdata *pd = perfsession_data(c->session);
	SCOPED(scope_free) const char **names = calloc(pd->n_events + 1, sizeof(*names));

	if (!names)
		return -ENOMEM;
	for (size_t i = 0; i < pd->n_events; i++)
		names[i] = pd->events[i].name;
	copy(c, TRACEFILE_FTRACE_FORMATS, &c->ftrace);
	copy(c, TRACEFILE_EVENT_FORMATS, &c->formats);
	copy(c, TRACEFILE_PRINTK, &c->printk);
	userevents_fmt_header_page(&c->header_page, LANES_PAGE_BYTES);
	userevents_fmt_header_event(&c->header_event);
	sampleevents_add_formats(&c->formats, names, pd->n_events);
	return 0;
}

/*
 * --- tasks and files ---------------------------------------------------------------------------
 */

static int add_thread(void *ctx, const struct perfthread *t)
{
	struct perffile *c = ctx;

	if (t->tid > 0 && t->has_comm) {
		textbuf_addf(&c->cmdlines, "%d ", t->tid);
		for (const char *p = t->comm; *p && p < t->comm + 15; p++)
			textbuf_add_char(&c->cmdlines, (unsigned char)*p < ' ' ? '?' : *p);
		textbuf_add_char(&c->cmdlines, '\n');
	}
	if (t->tid > 0 && t->pid > 0 && processes_add_thread(c->processes, t->tid, t->pid) < 0)
		return -ENOMEM;
	return 0;
}

static void add_line_text(struct textbuf *tb, const char *text)
{
	for (; *text; text++)
		textbuf_add_char(tb, (unsigned char)*text < ' ' ? '?' : *text);
	textbuf_add_char(tb, '\n');
}

static void add_files(struct perffile *c)
{
	for (const struct perfdso *d = perfsession_dsos(c->session); d; d = d->next) {
		const uint8_t *id = d->id;
		size_t n_id = d->n_id;

		if (!d->number)
			continue;
		if (d->kind == PERFDSO_JIT) {
			textbuf_addf(&c->samples, "J %x %d ", d->number, d->pid);
			add_line_text(&c->samples, d->symbols ? d->path : "-");
			continue;
		}
		if (!n_id && d->symbols)
			id = symtable_build_id(d->symbols, &n_id);
		textbuf_addf(&c->samples, "F %x ", d->number);
		for (size_t i = 0; i < n_id; i++)
			textbuf_addf(&c->samples, "%02x", id[i]);
		textbuf_add_str(&c->samples, n_id ? " " : "- ");
		add_line_text(&c->samples, d->path);
	}
}

static const char *kind_of_stacks(const struct perfdata *pd)
{
	uint64_t bits = 0;

	for (size_t i = 0; i < pd->n_events; i++)
		bits |= pd->events[i].attr.sample_type;
	return bits & PERF_SAMPLE_STACK_USER  ? "dwarf"
	       : bits & PERF_SAMPLE_CALLCHAIN ? "fp"
					      : "none";
}

static void add_command_line(struct perffile *c)
{
	struct piece f = perfsession_data(c->session)->features[SNF_PERF_FEAT_CMDLINE];
	struct byte_reader r = {f.data, f.data + f.len, false, false};
	uint64_t n = f.data ? byte_reader_take_number(&r, 4) : 0;
	TEXTBUF(tb, TEXT_MAX_BYTES);

	for (uint64_t i = 0; i < n && !r.failed; i++) {
		struct piece word = byte_reader_take_piece(&r, byte_reader_take_number(&r, 4));

		if (r.failed)
			break;
		if (i)
			textbuf_add_char(&tb, ' ');
		textbuf_add(&tb, (const char *)word.data,
			    strnlen((const char *)word.data, word.len));
	}
	if (textbuf_len(&tb)) {
		textbuf_add_str(&c->samples, "C command ");
		add_line_text(&c->samples, textbuf_text(&tb));
	}
}

static void add_option(struct perffile *c)
{
	const struct perfdata *pd = perfsession_data(c->session);

	for (size_t i = 0; i < pd->n_events; i++) {
		textbuf_addf(&c->samples, "E %zu ", i);
		add_line_text(&c->samples, pd->events[i].name);
	}
	add_files(c);
	textbuf_add_str(&c->samples, "C source perf.data\n");
	textbuf_addf(&c->samples, "C stacks %s\n", kind_of_stacks(pd));
	if (pd->events[0].attr.freq)
		textbuf_addf(&c->samples, "C rate %llu\n",
			     (unsigned long long)pd->events[0].attr.sample_freq);
	add_command_line(c);
	textbuf_addf(&c->samples, "L %llu\n",
		     (unsigned long long)perfsession_counts(c->session)->n_lost);
}

int perffile_make_texts(struct perffile *c, struct errmsg *err)
{
	int r = add_formats(c);
	uint64_t kernel;
	const char *name;

	if (r >= 0)
		r = perfsession_each_thread(c->session, add_thread, c);
	if (r < 0)
		return errmsg_set_errno(err, r, "cannot convert %s", c->config->input);
	if (c->n_events[PERFFILE_EVENTS])
		add_kernel(c);
	kernel = perfsession_kernel_ref(c->session, &name);
	if (kernel) /* needed to convert the trace back to a perf.data */
		eventformats_add_symbol(&c->kallsyms, kernel, name, NULL);
	/* readers give the last symbol no extent, so another one comes after the functions */
	eventformats_add_symbol(&c->kallsyms, UINT64_MAX, "[end]", NULL);
	add_option(c);
	return 0;
}

/*
 * --- options -----------------------------------------------------------------------------------
 */

static int write_packed(struct perffile *c, uint16_t id, struct textbuf *text, struct errmsg *err)
{
	TEXTBUF(packed, TEXT_MAX_BYTES);

	if (!textbuf_len(text))
		return 0;
	if (text->overflow || packedtext_fmt(PIECE_OF_TEXT(text), &packed) < 0)
		return errmsg_set_errno(err, -ENOMEM, "cannot convert %s", c->config->input);
	return writer_add_option(c->writer, id, PIECE_OF_TEXT(&packed), err);
}

static int write_uname(struct perffile *c, struct errmsg *err)
{
	struct perfdata *pd = perfsession_data(c->session);
	const char *host = perfdata_text(pd, SNF_PERF_FEAT_HOSTNAME);
	const char *release = perfdata_text(pd, SNF_PERF_FEAT_OSRELEASE);
	const char *arch = perfdata_text(pd, SNF_PERF_FEAT_ARCH);
	char text[300];

	if (!release)
		return 0;
	snprintf(text, sizeof(text), "Linux %.64s %.64s %.64s", host ? host : "(none)", release,
		 arch ? arch : "");
	return writer_add_option(c->writer, SNF_OPTION_UNAME,
				 (struct piece){(const uint8_t *)text, strlen(text) + 1}, err);
}

int perffile_write_options(struct perffile *c, struct errmsg *err)
{
	TEXTBUF(processes, PROCESSES_MAX_BYTES);

	processes_fmt(c->processes, &processes);
	TRY(write_uname(c, err));
	TRY(write_packed(c, SNF_OPTION_PROCESSES, &processes, err));
	return c->n_events[PERFFILE_SAMPLES] ? write_packed(c, SNF_OPTION_SAMPLES, &c->samples, err)
					     : 0;
}

uint32_t perffile_n_cpus(struct perffile *c)
{
	struct piece f = perfsession_data(c->session)->features[SNF_PERF_FEAT_NRCPUS];
	uint32_t n = f.data && f.len >= 4 ? bytes_get32(f.data, false) : 1;

	if (n > LANES_CPUS_MAX)
		n = LANES_CPUS_MAX;
	return n > c->lanes.n_cpus ? n : c->lanes.n_cpus ? (uint32_t)c->lanes.n_cpus : 1;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * script.c - a sample as the lines of perf script.
 *
 *	COMM PID/TID [CPU] TIME: PERIOD EVENT: TRACE IP SYM+OFF (DSO)
 *
 * With call chains the name of the task is not padded, and the frames are lines below. Addresses of
 * frames are offsets in the file; a sample without a chain shows its address in memory. The text
 * of a tracepoint comes from its print format only: unlike trace-cmd, perf has no handlers for
 * events.
 */
#include "present/perfdata/script.h"

#include "base/array.h"
#include "base/errmsg.h"
#include "base/textbuf.h"
#include "decode/formats/formats.h"
#include "decode/print/print.h"
#include "format/bytes.h"
#include "inputs/perfdata/metadata.h"
#include "store/perfdata/perfdata.h"
#include "symbols/symtable.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define SOFT_DEFAULT                                                                              \
	(PERFSCRIPT_COMM | PERFSCRIPT_TID | PERFSCRIPT_CPU | PERFSCRIPT_TIME | PERFSCRIPT_EVENT | \
	 PERFSCRIPT_IP | PERFSCRIPT_SYM | PERFSCRIPT_SYMOFF | PERFSCRIPT_DSO | PERFSCRIPT_PERIOD)
#define TRACE_DEFAULT                                                                             \
	(PERFSCRIPT_COMM | PERFSCRIPT_TID | PERFSCRIPT_CPU | PERFSCRIPT_TIME | PERFSCRIPT_EVENT | \
	 PERFSCRIPT_TRACE)
#define CHAIN_FIELDS (PERFSCRIPT_IP | PERFSCRIPT_SYM | PERFSCRIPT_SYMOFF | PERFSCRIPT_DSO)

struct perfscript {
	struct perfsession *session;
	const struct perfscript_config *config;
	struct perfmetadata metadata;
	struct formats *formats; /* of tracepoints; NULL: none */
	struct printer printer;
	bool has_printer;
	int name_width;
	uint64_t first_ns, last_ns;
};

static const struct {
	const char *name;
	uint32_t field;
} names[] = {
	{"comm", PERFSCRIPT_COMM},     {"tid", PERFSCRIPT_TID},
	{"pid", PERFSCRIPT_PID},       {"time", PERFSCRIPT_TIME},
	{"cpu", PERFSCRIPT_CPU},       {"event", PERFSCRIPT_EVENT},
	{"trace", PERFSCRIPT_TRACE},   {"ip", PERFSCRIPT_IP},
	{"sym", PERFSCRIPT_SYM},       {"dso", PERFSCRIPT_DSO},
	{"addr", PERFSCRIPT_ADDR},     {"symoff", PERFSCRIPT_SYMOFF},
	{"period", PERFSCRIPT_PERIOD}, {"srcline", PERFSCRIPT_SRCLINE},
	{"misc", PERFSCRIPT_MISC},
};

/* The kinds of events that a prefix means: bits. All without one. */
static unsigned take_kinds(const char **words)
{
	static const struct {
		const char *prefix;
		unsigned kinds;
	} prefixes[] = {{"hw:", 1u << PERF_TYPE_HARDWARE},	{"sw:", 1u << PERF_TYPE_SOFTWARE},
			{"trace:", 1u << PERF_TYPE_TRACEPOINT}, {"raw:", 1u << PERF_TYPE_RAW},
			{"break:", 1u << PERF_TYPE_BREAKPOINT}, {"synth:", 0}};

	for (size_t i = 0; i < ARRAY_LEN(prefixes); i++) {
		size_t len = strlen(prefixes[i].prefix);

		if (strncmp(*words, prefixes[i].prefix, len) != 0)
			continue;
		*words += len;
		return prefixes[i].kinds;
	}
	return (1u << PERFSCRIPT_KINDS) - 1;
}

static uint32_t find_field(const char *word, size_t len)
{
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (strlen(names[i].name) == len && !strncmp(names[i].name, word, len))
			return names[i].field;
	return 0;
}

int perfscript_parse_fields(struct perfscript_config *config, const char *words, struct errmsg *err)
{
	unsigned kinds = take_kinds(&words);
	uint32_t whole = 0, add = 0, drop = 0;

	for (const char *w = words; *w;) {
		size_t len = strcspn(w, ",");
		char sign = *w == '+' || *w == '-' ? *w : 0;
		uint32_t field = find_field(w + !!sign, len - !!sign);

		if (!field)
			return errmsg_set(err, -EINVAL, "Invalid field requested: %.*s", (int)len,
					  w);
		*(sign == '+' ? &add : sign == '-' ? &drop : &whole) |= field;
		w += len + (w[len] == ',');
	}
	for (unsigned i = 0; i < PERFSCRIPT_KINDS; i++) {
		struct perfscript_choice *c = &config->kinds[i];

		if (!(kinds >> i & 1))
			continue;
		if (whole || (!add && !drop)) /* "sw:" shows nothing of these events */
			*c = (struct perfscript_choice){.is_whole = true, .fields = whole};
		c->add |= add;
		c->drop |= drop;
	}
	return 0;
}

static const struct perfscript_choice *choice_of(const struct perfscript *p,
						 const struct perfdata_event *e)
{
	uint32_t kind = e->attr.type;

	return &p->config->kinds[kind < PERFSCRIPT_KINDS - 1 ? kind : PERFSCRIPT_KINDS - 1];
}

/* A field that was asked for, and that the samples of an event do not have. */
static int check_fields(const struct perfscript *p, struct errmsg *err)
{
	static const struct {
		uint32_t field;
		uint64_t bit;
		const char *name, *word;
	} needs[] = {{PERFSCRIPT_IP, PERF_SAMPLE_IP, "IP", "ip"},
		     {PERFSCRIPT_ADDR, PERF_SAMPLE_ADDR, "ADDR", "addr"},
		     {PERFSCRIPT_TIME, PERF_SAMPLE_TIME, "TIME", "time"},
		     {PERFSCRIPT_CPU, PERF_SAMPLE_CPU, "CPU", "cpu"},
		     {PERFSCRIPT_PERIOD, PERF_SAMPLE_PERIOD, "PERIOD", "period"}};
	const struct perfdata *pd = perfsession_data(p->session);

	for (size_t i = 0; i < pd->n_events; i++) {
		const struct perfdata_event *e = &pd->events[i];
		const struct perfscript_choice *c = choice_of(p, e);

		for (size_t k = 0; k < ARRAY_LEN(needs); k++)
			if ((c->fields | c->add) & needs[k].field &&
			    !(e->attr.sample_type & needs[k].bit))
				return errmsg_set(err, -ENODATA,
						  "Samples for '%s' event do not have %s attribute "
						  "set. Cannot print '%s' field.",
						  e->name, needs[k].name, needs[k].word);
	}
	return 0;
}

int perfscript_new(struct perfscript **ret, struct perfsession *session,
		   const struct perfscript_config *config, struct errmsg *err)
{
	const struct perfdata *pd = perfsession_data(session);
	struct formats_config formats = {.no_plugins = true, .kallsyms_path = "/proc/kallsyms"};
	struct perfscript *p = calloc(1, sizeof(*p));

	if (!p)
		return errmsg_set_errno(err, -ENOMEM, "cannot print samples");
	p->session = session;
	p->config = config;
	if (check_fields(p, err) < 0) {
		perfscript_free(p);
		return errmsg_code(err);
	}
	for (size_t i = 0; i < pd->n_events; i++)
		if ((int)strlen(pd->events[i].name) > p->name_width)
			p->name_width = (int)strlen(pd->events[i].name);
	perfmetadata_open(&p->metadata, session);
	if (p->metadata.file && (formats_new(&p->formats, p->metadata.file, &formats, err) < 0 ||
				 printer_init(&p->printer, p->formats, NULL) < 0)) {
		perfscript_free(p);
		return errmsg_code(err);
	}
	p->has_printer = p->formats;
	*ret = p;
	return 0;
}

void perfscript_free(struct perfscript *p)
{
	if (!p)
		return;
	if (p->has_printer)
		printer_release(&p->printer);
	formats_free(p->formats);
	perfmetadata_close(&p->metadata);
	free(p);
}

/*
 * --- a line ------------------------------------------------------------------------------------
 */

static uint32_t fields_of(const struct perfscript *p, const struct perfdata_sample *s)
{
	const struct perfscript_choice *c = choice_of(p, s->event);
	bool is_chosen = c->is_whole || c->add || c->drop;
	uint32_t fields = c->fields;

	if (!c->is_whole && s->event->attr.type == PERF_TYPE_TRACEPOINT)
		fields = TRACE_DEFAULT |
			 (!is_chosen && s->event->attr.sample_type & PERF_SAMPLE_CALLCHAIN
				  ? CHAIN_FIELDS
				  : 0);
	else if (!c->is_whole)
		fields = SOFT_DEFAULT;
	fields = (fields | c->add) & ~c->drop;
	if (!(s->event->attr.sample_type & PERF_SAMPLE_CPU))
		fields &= ~(uint32_t)PERFSCRIPT_CPU;
	if (!(s->event->attr.sample_type & PERF_SAMPLE_TIME))
		fields &= ~(uint32_t)PERFSCRIPT_TIME;
	return fields;
}

/* Where the CPU was: kernel, user, hypervisor, a guest. */
static void add_misc(uint16_t misc, struct textbuf *tb)
{
	static const char modes[] = {' ', 'K', 'U', 'H', 'G', 'g', ' ', ' '};

	textbuf_addf(tb, "%c     ", modes[misc & PERF_RECORD_MISC_CPUMODE_MASK]);
}

static void add_time(struct perfscript *p, uint64_t ns, struct textbuf *tb)
{
	uint64_t shown = ns;
	char text[40];

	if (!p->first_ns)
		p->first_ns = ns;
	if (p->config->deltatime)
		shown = p->last_ns ? ns - p->last_ns : 0;
	else if (p->config->reltime)
		shown = ns - p->first_ns;
	p->last_ns = ns;
	if (p->config->ns) {
		textbuf_addf(tb, "%5" PRIu64 ".%09" PRIu64 ": ", shown / 1000000000,
			     shown % 1000000000);
		return;
	}
	snprintf(text, sizeof(text), "%" PRIu64 ".%06" PRIu64, shown / 1000000000,
		 shown % 1000000000 / 1000);
	textbuf_addf(tb, "%12s: ", text);
}

static void add_start(struct perfscript *p, const struct perfsample *sample, uint32_t fields,
		      bool has_chain, struct textbuf *tb)
{
	const struct perfdata_sample *s = &sample->s;

	if (fields & PERFSCRIPT_COMM)
		textbuf_addf(tb, has_chain && fields & PERFSCRIPT_IP ? "%s " : "%16s ",
			     sample->thread->comm);
	if (fields & PERFSCRIPT_PID && fields & PERFSCRIPT_TID)
		textbuf_addf(tb, "%5d/%-5d ", s->pid, s->tid);
	else if (fields & PERFSCRIPT_PID)
		textbuf_addf(tb, "%5d ", s->pid);
	else if (fields & PERFSCRIPT_TID)
		textbuf_addf(tb, "%5d ", s->tid);
	if (fields & PERFSCRIPT_CPU)
		textbuf_addf(tb, "[%03d] ", s->cpu);
	if (fields & PERFSCRIPT_MISC)
		add_misc(s->misc, tb);
	if (fields & PERFSCRIPT_TIME)
		add_time(p, s->time_ns, tb);
	if (fields & PERFSCRIPT_PERIOD)
		textbuf_addf(tb, "%10" PRIu64 " ", s->period);
	if (fields & PERFSCRIPT_EVENT)
		textbuf_addf(tb, "%*s: ", p->name_width, s->event->name);
}

static void add_trace(struct perfscript *p, const struct perfdata_sample *s, struct textbuf *tb)
{
	struct record rec = {.ts = s->time_ns,
			     .data = s->raw.data,
			     .size = (uint32_t)s->raw.len,
			     .cpu = s->cpu < 0 ? 0 : (uint32_t)s->cpu};

	if (!p->formats || s->raw.len < 8)
		return;
	rec.event = formats_find(p->formats, bytes_get16(s->raw.data, false));
	if (!rec.event)
		return;
	p->printer.out = tb;
	printer_print(&p->printer, &rec, false);
}

/* The offset in the file, as perf shows frames; for the kernel and unknown memory the address. */
static uint64_t shown_address(const struct perfplace *p)
{
	uint64_t offset = p->address;

	if (!p->dso || p->is_kernel || p->dso->kind == PERFDSO_JIT)
		return p->dso && p->dso->kind == PERFDSO_JIT ? p->address : p->ip;
	if (p->dso->symbols)
		symtable_offset(p->dso->symbols, p->address, &offset);
	return offset;
}

static void add_symbol(const struct perfplace *p, uint32_t fields, struct textbuf *tb)
{
	if (fields & PERFSCRIPT_SYM) {
		textbuf_addf(tb, " %s",
			     p->inlined	 ? p->inlined
			     : p->symbol ? p->symbol->name
					 : "[unknown]");
		if (fields & PERFSCRIPT_SYMOFF && p->symbol)
			textbuf_addf(tb, "+0x%" PRIx64, p->address - p->symbol->start);
	}
	if (fields & PERFSCRIPT_DSO && p->inlined)
		textbuf_add_str(tb, " (inlined)");
	else if (fields & PERFSCRIPT_DSO && p->is_kernel && p->symbol && p->symbol->module)
		textbuf_addf(tb, " ([%s])", p->symbol->module);
	else if (fields & PERFSCRIPT_DSO)
		textbuf_addf(tb, " (%s)", p->dso ? p->dso->path : "[unknown]");
}

/* The line of source of a frame, on a line of its own. */
static void add_source(struct perfscript *p, const struct perfplace *place, struct textbuf *tb)
{
	const char *path, *slash;
	unsigned line;

	if (perfsession_source(p->session, place, &path, &line)) {
		slash = p->config->full_path ? NULL : strrchr(path, '/');
		textbuf_addf(tb, "\n  %s:%u", slash ? slash + 1 : path, line);
	} else if (place->dso) {
		textbuf_addf(tb, "\n  %s[%" PRIx64 "]", place->dso->short_name,
			     shown_address(place));
	}
}

static void add_chain(struct perfscript *p, const struct perfsample *sample, uint32_t fields,
		      struct textbuf *tb)
{
	struct perfplace chain[PERFSESSION_CHAIN_MAX];
	size_t n = p->config->no_inline
			   ? perfsession_chain(p->session, sample, chain, ARRAY_LEN(chain))
			   : perfsession_chain_inlined(p->session, sample, chain, ARRAY_LEN(chain));

	textbuf_add_char(tb, '\n');
	for (size_t i = 0; i < n && (!p->config->max_stack || i < p->config->max_stack); i++) {
		textbuf_addf(tb, "\t%16" PRIx64, shown_address(&chain[i]));
		add_symbol(&chain[i], fields, tb);
		if (fields & PERFSCRIPT_SRCLINE)
			add_source(p, &chain[i], tb);
		textbuf_add_char(tb, '\n');
	}
}

void perfscript_add(struct perfscript *p, const struct perfsample *sample, struct textbuf *tb)
{
	uint32_t fields = fields_of(p, &sample->s);
	bool has_chain =
		sample->s.event->attr.sample_type & PERF_SAMPLE_CALLCHAIN && !p->config->no_chain;

	if (!fields)
		return;
	add_start(p, sample, fields, has_chain, tb);
	if (fields & PERFSCRIPT_TRACE)
		add_trace(p, &sample->s, tb);
	if (fields & PERFSCRIPT_ADDR)
		textbuf_addf(tb, "%16" PRIx64 " ", sample->s.addr);
	if (fields & PERFSCRIPT_IP && has_chain) {
		add_chain(p, sample, fields, tb);
	} else if (fields & PERFSCRIPT_IP) {
		struct perfplace place;

		perfsession_place(p->session, sample, &place);
		textbuf_addf(tb, " %16" PRIx64, sample->s.ip);
		add_symbol(&place, fields, tb);
		if (fields & PERFSCRIPT_SRCLINE)
			add_source(p, &place, tb);
	}
	textbuf_add_char(tb, '\n');
}

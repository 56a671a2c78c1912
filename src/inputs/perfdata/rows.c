// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * rows.c - decides which rows of perf report a sample belongs to, and what they show.
 *
 *	sample ─▶ its own row: columns of its place     (self)
 *	       └▶ with children: a row for each frame   (total), once per sample
 *
 * Texts are kept once each: a column is compared by a number. Code without a known function is one
 * row per address: of the file for the sample itself, of memory for its callers, as in perf. A
 * frame in unknown memory has the level (kernel or user) of the frame that came before it, also as
 * in perf.
 */
#include "inputs/perfdata/rows.h"

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
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXTS_MAX	(1u << 24)
#define ARENA_MAX_BYTES (1u << 30)
#define TRACE_MAX_BYTES (64u << 10)
#define LAST		"\377" /* behind all other texts */

struct text {
	struct text *same_hash;
	size_t len;
	char bytes[];
};

struct perfrows {
	struct perfsession *session;
	const struct perfrows_config *config;
	struct perfhists **tables; /* by event */
	size_t n_tables;
	struct arena arena;
	struct map texts;
	uint64_t seed;
	struct perfmetadata metadata;
	struct formats *formats;
	struct printer printer;
	struct textbuf line;
	size_t field_widths[PERFHISTS_CELLS_MAX];
};

static const struct {
	const char *name;
	enum perfrows_key key;
} keys[] = {
	{"comm", PERFROWS_COMM},  {"dso", PERFROWS_DSO},	 {"sym", PERFROWS_SYM},
	{"symbol", PERFROWS_SYM}, {"pid", PERFROWS_PID},	 {"tid", PERFROWS_TID},
	{"cpu", PERFROWS_CPU},	  {"srcline", PERFROWS_SRCLINE}, {"srcfile", PERFROWS_SRCFILE},
	{"time", PERFROWS_TIME},  {"trace", PERFROWS_TRACE},
};

int perfrows_parse_keys(struct perfrows_config *config, const char *words, struct errmsg *err)
{
	for (const char *w = words; *w;) {
		size_t len = strcspn(w, ", ");
		struct perfrows_column c = {.key = PERFROWS_KEYS};

		for (size_t i = 0; i < ARRAY_LEN(keys); i++)
			if (strlen(keys[i].name) == len && !strncmp(keys[i].name, w, len))
				c.key = keys[i].key;
		if (c.key == PERFROWS_KEYS) { /* a field, perhaps EVENT.FIELD */
			const char *dot = memrchr(w, '.', len);

			c.key = PERFROWS_FIELD;
			c.field = dot ? dot + 1 : w;
		}
		if (config->n_columns == PERFHISTS_CELLS_MAX)
			return errmsg_set(err, -EINVAL, "Invalid --sort key: `%.*s'", (int)len, w);
		config->columns[config->n_columns++] = c;
		w += len + strspn(w + len, ", ");
	}
	return 0;
}

struct perfrows *perfrows_new(struct perfsession *s, const struct perfrows_config *config)
{
	struct formats_config formats = {.no_plugins = true};
	struct perfrows *r = calloc(1, sizeof(*r));
	struct errmsg ignored = {0};

	if (!r)
		return NULL;
	r->session = s;
	r->config = config;
	r->seed = hash_seed();
	arena_init(&r->arena, ARENA_MAX_BYTES);
	textbuf_init(&r->line, TRACE_MAX_BYTES);
	r->n_tables = perfsession_data(s)->n_events;
	r->tables = calloc(r->n_tables + 1, sizeof(*r->tables));
	perfmetadata_open(&r->metadata, s);
	if (r->metadata.file &&
	    formats_new(&r->formats, r->metadata.file, &formats, &ignored) >= 0 &&
	    printer_init(&r->printer, r->formats, &r->line) < 0) {
		formats_free(r->formats);
		r->formats = NULL;
	}
	if (!r->tables) {
		perfrows_free(r);
		return NULL;
	}
	return r;
}

void perfrows_free(struct perfrows *r)
{
	if (!r)
		return;
	for (size_t i = 0; r->tables && i < r->n_tables; i++)
		perfhists_free(r->tables[i]);
	free(r->tables);
	if (r->formats)
		printer_release(&r->printer);
	formats_free(r->formats);
	perfmetadata_close(&r->metadata);
	map_release(&r->texts);
	textbuf_release(&r->line);
	arena_release(&r->arena);
	free(r);
}

/*
 * --- cells -------------------------------------------------------------------------------------
 */

/* The one copy of a text; NULL: no memory. */
static const char *keep(struct perfrows *r, const char *bytes, size_t len)
{
	uint64_t hash = hash_of_text(r->seed, bytes, len);
	void **slot = map_take(&r->texts, hash, TEXTS_MAX);
	struct text *t;

	if (!slot)
		return NULL;
	for (t = *slot; t; t = t->same_hash)
		if (t->len == len && !memcmp(t->bytes, bytes, len))
			return t->bytes;
	t = arena_alloc(&r->arena, sizeof(*t) + len + 1);
	if (!t)
		return NULL;
	memcpy(t->bytes, bytes, len);
	t->len = len;
	t->same_hash = *slot;
	*slot = t;
	return t->bytes;
}

static struct perfhists_cell text_cell(struct perfrows *r, const char *text)
{
	const char *kept = keep(r, text, strlen(text));

	return (struct perfhists_cell){(uintptr_t)kept, kept ? kept : "", kept ? kept : ""};
}

static struct perfhists_cell dso_cell(struct perfrows *r, const struct perfplace *p)
{
	char name[300];

	if (!p->dso) {
		struct perfhists_cell c = text_cell(r, "[unknown]");

		c.order = LAST;
		return c;
	}
	if (!p->is_kernel || !p->symbol || !p->symbol->module)
		return text_cell(r, p->dso->short_name);
	snprintf(name, sizeof(name), "[%.250s]", p->symbol->module);
	return text_cell(r, name);
}

/* One number of a name, an address and a file. */
static uint64_t mix(const struct perfrows *r, uint64_t name, uint64_t address,
		    const struct perfplace *p)
{
	uint64_t h = hash_step(r->seed, 0, name);

	h = hash_step(r->seed, h, address);
	return hash_step(r->seed, h, p->is_kernel ? 0 : (uintptr_t)p->dso);
}

/* "[k] name", "[.] 0x00007f…" */
static struct perfhists_cell sym_cell(struct perfrows *r, const struct perfplace *p, char level,
				      uint64_t shown)
{
	struct perfhists_cell c;
	char text[4200];

	if (p->inlined)
		snprintf(text, sizeof(text), "[%c] %s (inlined)", level, p->inlined);
	else if (p->symbol)
		snprintf(text, sizeof(text), "[%c] %s", level, p->symbol->name);
	else
		snprintf(text, sizeof(text), "[%c] %-#.16" PRIx64, level, shown);
	c = text_cell(r, text);
	c.order = p->symbol && c.text[0] ? c.text + 4 : LAST;
	/* functions of the same name at two addresses are two; the level does not count */
	c.id = p->symbol ? mix(r, c.id, p->symbol->start, p) : mix(r, 0, shown, p);
	return c;
}

static struct perfhists_cell trace_cell(struct perfrows *r, const struct perfdata_sample *s)
{
	struct record rec = {.ts = s->time_ns, .data = s->raw.data, .size = (uint32_t)s->raw.len};

	textbuf_clear(&r->line);
	if (r->formats && s->raw.len >= 8)
		rec.event = formats_find(r->formats, bytes_get16(s->raw.data, false));
	if (rec.event) {
		r->printer.out = &r->line;
		printer_print(&r->printer, &rec, false);
	}
	return text_cell(r, textbuf_text(&r->line));
}

static const struct field *find_field(struct perfrows *r, const struct perfdata_sample *s,
				      const char *word)
{
	size_t len = strcspn(word, ", ");
	const struct event *ev = r->formats && s->raw.len >= 8
					 ? formats_find(r->formats, bytes_get16(s->raw.data, false))
					 : NULL;

	for (size_t i = 0; ev && i < ev->n_fields; i++) {
		const struct field *f = &ev->fields[i];

		if (strlen(f->name) == len && !strncmp(f->name, word, len) &&
		    (uint64_t)f->offset + f->size <= s->raw.len)
			return f;
	}
	return NULL;
}

static struct perfhists_cell field_cell(struct perfrows *r, const struct perfdata_sample *s,
					size_t column)
{
	const struct field *f = find_field(r, s, r->config->columns[column].field);
	const char *at = f ? (const char *)s->raw.data + f->offset : "";
	char text[64] = "N/A";
	size_t width;

	if (!f)
		return text_cell(r, text);
	width = f->size > 8 ? f->size : f->size * 2 + 2;
	if (width > r->field_widths[column])
		r->field_widths[column] = width;
	if (f->size > 8) /* a text in the record */
		snprintf(text, sizeof(text), "%.*s", (int)strnlen(at, f->size), at);
	else
		snprintf(text, sizeof(text), "%" PRId64,
			 (int64_t)field_number(f, bytes_get(at, f->size, false)));
	return text_cell(r, text);
}

bool perfrows_has_field(const struct perfrows *r, const char *name)
{
	const struct perfdata *pd = perfsession_data(r->session);
	size_t len = strcspn(name, ", ");

	for (size_t i = 0; r->formats && i < pd->n_events; i++) {
		const struct event *ev =
			pd->events[i].attr.type == PERF_TYPE_TRACEPOINT
				? formats_find(r->formats, (uint32_t)pd->events[i].attr.config)
				: NULL;

		for (size_t k = 0; ev && k < ev->n_fields; k++)
			if (strlen(ev->fields[k].name) == len &&
			    !strncmp(ev->fields[k].name, name, len))
				return true;
	}
	return false;
}

size_t perfrows_field_width(const struct perfrows *r, size_t column)
{
	return r->field_widths[column];
}

/* "w.c:12"; "name+147" (decimal) if DWARF has no line; "file[1205]" without a name. */
static struct perfhists_cell line_cell(struct perfrows *r, const struct perfplace *p)
{
	const char *path;
	char text[4200];
	unsigned line;

	if (perfsession_source(r->session, p, &path, &line)) {
		const char *slash = strrchr(path, '/');

		snprintf(text, sizeof(text), "%.4000s:%u", slash ? slash + 1 : path, line);
	} else if (p->symbol) {
		snprintf(text, sizeof(text), "%.4000s+%" PRIu64, p->symbol->name,
			 p->address - p->symbol->start);
	} else {
		snprintf(text, sizeof(text), "%.4000s[%" PRIx64 "]",
			 p->dso ? p->dso->short_name : "[unknown]", p->address);
	}
	return text_cell(r, text);
}

static struct perfhists_cell source_cell(struct perfrows *r, const struct perfplace *p)
{
	const char *path = "", *slash;
	unsigned line;

	perfsession_source(r->session, p, &path, &line);
	slash = strrchr(path, '/');
	return text_cell(r, slash ? slash + 1 : path);
}

/* The stretch of time that the sample is in. */
static struct perfhists_cell time_cell(struct perfrows *r, uint64_t time_ns)
{
	uint64_t quantum = r->config->quantum_ns ? r->config->quantum_ns : 100000000;
	uint64_t start = time_ns - time_ns % quantum;
	struct perfhists_cell c;
	char text[64];

	snprintf(text, sizeof(text), "%" PRIu64 ".%0*" PRIu64, start / 1000000000,
		 r->config->ns ? 9 : 6, start % 1000000000 / (r->config->ns ? 1 : 1000));
	c = text_cell(r, text);
	c.id = start;
	return c;
}

struct spot {
	const struct perfsample *sample;
	const struct perfplace *place;
	char level;
	uint64_t shown; /* address of code without a function */
	bool is_hidden;
};

static void fill_cells(struct perfrows *r, const struct spot *at, struct perfhists_cell *cells)
{
	const struct perfdata_sample *s = &at->sample->s;
	char text[100];

	for (size_t i = 0; i < r->config->n_columns; i++) {
		switch (r->config->columns[i].key) {
		case PERFROWS_COMM:
			cells[i] = text_cell(r, at->sample->thread->comm);
			break;
		case PERFROWS_DSO:
			cells[i] = dso_cell(r, at->place);
			break;
		case PERFROWS_SYM:
			cells[i] = sym_cell(r, at->place, at->level, at->shown);
			break;
		case PERFROWS_PID:
			snprintf(text, sizeof(text), "%7d:%s", s->pid, at->sample->thread->comm);
			cells[i] = text_cell(r, text);
			cells[i].id = (uint64_t)(int64_t)s->pid;
			break;
		case PERFROWS_TID:
			snprintf(text, sizeof(text), "%7d:%s", s->tid, at->sample->thread->comm);
			cells[i] = text_cell(r, text);
			cells[i].id = (uint64_t)(int64_t)s->tid;
			break;
		case PERFROWS_CPU:
			snprintf(text, sizeof(text), "%.3d", s->cpu);
			cells[i] = text_cell(r, text);
			break;
		case PERFROWS_SRCLINE:
			cells[i] = line_cell(r, at->place);
			break;
		case PERFROWS_SRCFILE:
			cells[i] = source_cell(r, at->place);
			break;
		case PERFROWS_TIME:
			cells[i] = time_cell(r, s->time_ns);
			break;
		case PERFROWS_TRACE:
			cells[i] = trace_cell(r, s);
			break;
		case PERFROWS_FIELD:
		case PERFROWS_KEYS:
			cells[i] = field_cell(r, s, i);
			break;
		}
	}
}

/*
 * --- samples -----------------------------------------------------------------------------------
 */

struct chain {
	struct perfplace places[PERFSESSION_CHAIN_MAX];
	struct perfhists_frame frames[PERFSESSION_CHAIN_MAX]; /* in the order of the tree */
	size_t n;
};

static struct perfhists_frame frame_of(struct perfrows *r, const struct perfplace *p)
{
	char text[4200];
	struct perfhists_frame f = {.address = p->symbol ? p->symbol->start : p->ip};

	if (p->inlined)
		snprintf(text, sizeof(text), "%s (inlined)", p->inlined);
	else if (p->symbol)
		snprintf(text, sizeof(text), "%s", p->symbol->name);
	else
		snprintf(text, sizeof(text), "%#" PRIx64, p->ip);
	f.name = keep(r, text, strlen(text)) ?: "";
	f.id = mix(r, (uintptr_t)f.name, f.address, p);
	return f;
}

static void drop_unresolved(struct chain *c)
{
	size_t n = c->n;

	c->n = 0;
	for (size_t i = 0; i < n; i++)
		if (c->places[i].symbol)
			c->places[c->n++] = c->places[i];
}

/* The chain in the order of the tree: the outermost frame first, or the innermost. */
static void read_chain(struct perfrows *r, const struct perfsample *sample, struct chain *c)
{
	static const size_t max = PERFSESSION_CHAIN_MAX;

	c->n = r->config->no_inline ? perfsession_chain(r->session, sample, c->places, max)
				    : perfsession_chain_inlined(r->session, sample, c->places, max);
	if (r->config->hide_unresolved)
		drop_unresolved(c);
	for (size_t i = 0; r->config->caller_first && i < c->n / 2; i++) {
		struct perfplace other = c->places[i];

		c->places[i] = c->places[c->n - 1 - i];
		c->places[c->n - 1 - i] = other;
	}
	if (r->config->max_stack && c->n > r->config->max_stack)
		c->n = r->config->max_stack;
	for (size_t i = 0; i < c->n; i++)
		c->frames[i] = frame_of(r, &c->places[i]);
}

static bool was_seen(const struct perfrows *r, const struct perfhists_cell *cells,
		     struct perfhists_row *const *rows, size_t n_rows)
{
	for (size_t i = 0; i < n_rows; i++) {
		size_t k = 0;

		while (k < r->config->n_columns && rows[i]->cells[k].id == cells[k].id)
			k++;
		if (k == r->config->n_columns)
			return true;
	}
	return false;
}

/* --symbol-filter */
static bool is_chosen(const struct perfrows *r, const struct perfplace *p)
{
	return !r->config->symbol_filter ||
	       (p->symbol && strstr(p->symbol->name, r->config->symbol_filter));
}

/* Rows of callers. rows[0] is the sample's own. */
static int add_callers(struct perfrows *r, struct perfhists *h, struct spot at, struct chain *c,
		       struct perfhists_row *own)
{
	struct perfhists_row *rows[PERFSESSION_CHAIN_MAX + 1] = {own};
	struct perfhists_cell cells[PERFHISTS_CELLS_MAX];
	size_t n = 1;

	for (size_t i = 0; i < c->n; i++) {
		at.place = &c->places[i];
		at.shown = at.place->ip;
		if (at.place->dso)
			at.level = at.place->is_kernel ? 'k' : '.';
		fill_cells(r, &at, cells);
		if (was_seen(r, cells, rows, n))
			continue;
		rows[n] = perfhists_add(
			h, &(struct perfhists_sample){
				   .cells = cells,
				   .chain = r->config->chains ? c->frames + i : NULL,
				   .n_chain = r->config->chains ? c->n - i : 0,
				   .period = at.sample->s.period,
				   .is_hidden = at.is_hidden || !is_chosen(r, at.place),
				   .user = at.sample->thread});
		if (!rows[n++])
			return -ENOMEM;
	}
	return 0;
}

static struct perfhists *take_table(struct perfrows *r, const struct perfdata_event *e)
{
	size_t i = (size_t)(e - perfsession_data(r->session)->events);
	struct perfhists_config config = {.n_cells = r->config->n_columns,
					  .by_depth = r->config->children && r->config->chains,
					  .by_total = r->config->children,
					  .caller_first = r->config->caller_first};

	if (i >= r->n_tables)
		return NULL;
	for (size_t k = 0; k < r->config->n_columns; k++)
		config.descending |= (uint32_t)(r->config->columns[k].key == PERFROWS_FIELD) << k;
	if (!r->tables[i])
		r->tables[i] = perfhists_new(&config);
	return r->tables[i];
}

static uint64_t file_address(const struct perfplace *p)
{
	uint64_t offset = p->address;

	if (p->dso && !p->is_kernel && p->dso->symbols && p->dso->kind != PERFDSO_JIT)
		symtable_offset(p->dso->symbols, p->address, &offset);
	return p->dso ? offset : p->ip;
}

int perfrows_add(struct perfrows *r, const struct perfsample *sample, bool is_shown)
{
	struct perfhists *h = take_table(r, sample->s.event);
	bool wants_chain = (r->config->children || r->config->chains) &&
			   sample->s.event->attr.sample_type & PERF_SAMPLE_CALLCHAIN;
	struct perfhists_cell cells[PERFHISTS_CELLS_MAX];
	struct perfhists_row *own;
	struct perfplace place;
	struct chain chain;
	struct spot at = {.sample = sample, .place = &place, .is_hidden = !is_shown};

	if (!h)
		return -ENOMEM;
	perfsession_place(r->session, sample, &place);
	if (r->config->hide_unresolved && !place.symbol)
		return 0;
	if (is_shown || !r->config->is_filter_relative)
		perfhists_add_total(h, sample->s.period);
	chain.n = 0;
	if (wants_chain)
		read_chain(r, sample, &chain);
	at.level = place.is_kernel ? 'k' : '.';
	at.shown = file_address(&place);
	fill_cells(r, &at, cells);
	own = perfhists_add(
		h, &(struct perfhists_sample){.cells = cells,
					      .chain = chain.frames,
					      .n_chain = r->config->chains ? chain.n : 0,
					      .period = sample->s.period,
					      .is_self = true,
					      .is_hidden = !is_shown || !is_chosen(r, &place),
					      .user = sample->thread});
	if (!own)
		return -ENOMEM;
	return r->config->children ? add_callers(r, h, at, &chain, own) : 0;
}

void perfrows_sort(struct perfrows *r)
{
	for (size_t i = 0; i < r->n_tables; i++)
		if (r->tables[i])
			perfhists_sort(r->tables[i], r->config->min_percent / 100,
				       r->config->is_relative);
}

struct perfhists *perfrows_table(struct perfrows *r, size_t event)
{
	return event < r->n_tables ? r->tables[event] : NULL;
}

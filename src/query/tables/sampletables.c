// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * sampletables.c - the table sample: CPU samples with their stacks as text.
 *
 * The stacks are those of `sonde sample` and flame graphs (analyse/samples), without functions that
 * the compiler inlined: these are in the files of the programs, and a query reads only the trace. A
 * stack has the functions from the outermost to the innermost,
 * separated by semicolons, as the table stack has those of the kernel. callsite_id is its number:
 * equal stacks have the same.
 *
 * The samples themselves, with addresses, are in the table "perf:sample".
 */
#include "analyse/samples/samplecollect.h"
#include "analyse/samples/sampleset.h"
#include "analyse/samples/stacknames.h"
#include "decode/samples/sampleinfo.h"
#include "inputs/inputs.h"
#include "query/tables/tables.h"

#include "base/array.h"
#include "base/scope.h"
#include "base/textbuf.h"
#include "decode/formats/formats.h"
#include "query/scan.h"
#include "symbols/tasks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_MAX_BYTES (1u << 20)

struct stack_text { /* made when the first sample with the stack comes */
	int64_t text, function, file;
	bool is_made;
};

struct sample_reading {
	struct list_rows *rows;
	size_t file;
	struct sampleinfo info;
	struct samplecollect_config config;
	struct samplecollect *collect;
	struct stacknames_config names_config;
	struct stacknames *names;
	struct stack_text *stacks;
	size_t n_stacks;
	struct textbuf text;
};

static int find_stack(struct sample_reading *s, uint32_t stack, struct stack_text *ret)
{
	const struct flow_func *const *chain;
	struct stack_text *st;
	size_t n;

	if (!ARRAY_ROOM(s->stacks, s->n_stacks, (size_t)stack + 1, ARRAY_NO_MAX))
		return -ENOMEM;
	st = &s->stacks[stack];
	if (!st->is_made) {
		chain = stacknames_chain(s->names, stack, &n);
		textbuf_clear(&s->text);
		for (size_t i = 0; i < n; i++) {
			if (i)
				textbuf_add_char(&s->text, ';');
			textbuf_add(&s->text, chain[i]->name, chain[i]->name_len);
		}
		st->text = list_text_len(s->rows, s->text.start, textbuf_len(&s->text));
		if (n) {
			st->function =
				list_text_len(s->rows, chain[n - 1]->name, chain[n - 1]->name_len);
			st->file = list_text(s->rows, stacknames_file(chain[n - 1]));
		}
		st->is_made = true;
	}
	*ret = *st;
	return 0;
}

static int add_sample(struct sample_reading *s, const struct scan *scan,
		      const struct sampleset_row *row)
{
	int tid = scan_tid(scan);
	struct stack_text st = {0};

	TRY(find_stack(s, row->stack, &st));
	return list_add(s->rows,
			(int64_t[]){(int64_t)scan->place, (int64_t)scan->rec.ts, scan->rec.cpu,
				    query_utid(s->file, tid), tid,
				    list_static(query_comm(s->rows->trace, s->file, tid)),
				    list_text(s->rows, sampleinfo_event_name(&s->info, row->event)),
				    (int64_t)row->weight, st.function, st.file, st.text,
				    row->stack});
}

/* Gives a record to the collection, which refuses it if it is damaged. */
static int take_record(struct sample_reading *s, struct scan *scan)
{
	struct query_trace *t = s->rows->trace;
	struct sampleset *set = samplecollect_set(s->collect);
	size_t before, n;
	const struct sampleset_row *list;

	if (scan->file != s->file)
		return 0;
	sampleset_rows(set, &before);
	scan->rec.event = formats_find(t->in->files[s->file].formats, scan->id);
	scan->rec.task = tasks_find(&t->in->files[s->file].tasks, scan_tid(scan));
	samplecollect_add(s->collect, &scan->rec);
	list = sampleset_rows(set, &n);
	return n > before ? add_sample(s, scan, &list[n - 1]) : 0;
}

static int read_samples(struct sample_reading *s)
{
	struct query_trace *t = s->rows->trace;
	SCOPED(scope_free) uint8_t **events = calloc(t->in->n_files + 1, sizeof(*events));
	SCOPED(scope_free) uint8_t *none = NULL;
	struct scan_wants wants = {.to = UINT64_MAX, .events = events};
	struct scan scan;
	int r;

	if (!events)
		return -ENOMEM;
	events[s->file] = (uint8_t *)samplecollect_events(s->collect, &wants.n_ids);
	none = calloc(wants.n_ids + 1, 1);
	for (size_t i = 0; i < t->in->n_files; i++)
		events[i] = i == s->file ? events[i] : none;
	if (!none)
		return -ENOMEM;
	r = scan_open(&scan, t, &wants);
	while (r >= 0 && (r = scan_next(&scan)) > 0)
		r = take_record(s, &scan);
	scan_close(&scan);
	return r;
}

static int read_file(struct sample_reading *s)
{
	struct query_trace *t = s->rows->trace;
	struct inputs_file *file = &t->in->files[s->file];

	if (sampleinfo_read(&s->info, file->tf) < 0)
		inputs_add_damage(file, "%s: the names of sampled events and files are damaged",
				  inputs_path(file));
	s->config = (struct samplecollect_config){.source = SAMPLES_TAKEN,
						  .keep = SAMPLESET_TIME | SAMPLESET_TASK |
							  SAMPLESET_CPU | SAMPLESET_EVENT};
	TRY(samplecollect_new(&s->collect, file->formats, &s->info, &s->config, &t->err));
	s->names_config = (struct stacknames_config){
		.formats = file->formats, .info = &s->info, .set = samplecollect_set(s->collect)};
	s->names = stacknames_new(&s->names_config);
	return s->names ? read_samples(s) : -ENOMEM;
}

static int fill_samples(struct list_rows *rows, const struct list_args *args)
{
	struct query_trace *t = rows->trace;
	bool has_names = false;
	int r = 0;

	for (size_t i = 0; i < t->in->n_files && r >= 0; i++) {
		struct sample_reading s = {.rows = rows, .file = i};

		if (!samplecollect_look(t->in->files[i].formats).taken)
			continue;
		if (!has_names)
			TRY(query_trace_names(t));
		has_names = true;
		textbuf_init(&s.text, TEXT_MAX_BYTES);
		r = read_file(&s);
		stacknames_free(s.names);
		samplecollect_free(s.collect);
		sampleinfo_release(&s.info);
		textbuf_release(&s.text);
		free(s.stacks);
	}
	return r;
}

const struct list_table sample_tables[] = {
	{.name = "sample",
	 .columns = {{"id", LIST_INTEGER},
		     {"ts", LIST_INTEGER},
		     {"cpu", LIST_INTEGER},
		     {"utid", LIST_INTEGER},
		     {"tid", LIST_INTEGER},
		     {"comm", LIST_TEXT},
		     {"event", LIST_TEXT},
		     {"period", LIST_INTEGER},
		     {"function", LIST_TEXT},
		     {"file", LIST_TEXT},
		     {"stack", LIST_TEXT},
		     {"callsite_id", LIST_INTEGER}},
	 .fill = fill_samples,
	 .sorted = -1, /* by file, then by time */
	 .what = "CPU samples with their stacks (sonde sample, record --sample)"},
	{0},
};
